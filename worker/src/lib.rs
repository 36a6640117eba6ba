//! Hosts players, native or foreign, behind the `Worker` service.
#![forbid(unsafe_code)]
