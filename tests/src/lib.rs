//! What the end-to-end tests share.
#![forbid(unsafe_code)]
