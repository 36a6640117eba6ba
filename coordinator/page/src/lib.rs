//! Pages for people: the council's page, that of an experiment, and what all pages share.
//!
//! Pages read only. They are served on loopback unless the user says otherwise, and need nothing from outside.
#![forbid(unsafe_code)]

pub mod council;
pub mod experiment;
#[doc(hidden)]
pub mod fuzzing;
pub mod metrics;
pub mod server;
pub mod view;

/// The look of all pages: light or dark as the reader's system is.
pub const STYLE: &str = include_str!("style.css");

/// The script of all pages: small parts.
pub const PARTS: &str = include_str!("parts.js");

/// The script of pages with a game, which needs [`PARTS`]: `drawBoard`, `drawGraph`, `drawView`,
/// `seek`, and `speak` for Japanese and English.
pub const BOARD: &str = include_str!("board.js");
