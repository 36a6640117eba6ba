//! The options about the opening book, which the proxy and the single player share.

use crate::option_table::{OptionKind, UsiOption};
use std::path::PathBuf;

/// Largest number of moves of a game that come from a book.
const MOST_PLIES: u32 = 1_000;

/// The values that a GUI has set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookOptions {
    /// The engine is to play without a book.
    pub without: bool,
    /// The file of the book.
    pub file: Option<PathBuf>,
    /// Number of moves of a game that come from the book.
    pub plies: Option<u32>,
}

/// Options with those about the book in them.
pub trait HasBookOptions {
    /// Returns the options about the book.
    fn book(&mut self) -> &mut BookOptions;
}

/// Returns the rows of the options about the book, in the order in which a GUI shows them.
pub const fn rows<T: HasBookOptions>() -> [UsiOption<T>; 3] {
    [
        UsiOption {
            name: "USI_OwnBook",
            aliases: &[],
            help: "plays from the opening book, if there is one",
            kind: OptionKind::Check {
                default: true,
                set: |options, value| options.book().without = value == Some(false),
            },
        },
        UsiOption {
            name: "BookFile",
            aliases: &[],
            help: "opening book: one of 'monju book', or a .db of YaneuraOu; empty: as configured",
            kind: OptionKind::File {
                set: |options, value| {
                    options.book().file = value.map(PathBuf::from);
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "BookPlies",
            aliases: &[],
            help: "moves from the start of a game that may come from the book; 0: as configured",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=MOST_PLIES,
                set: |options, value| options.book().plies = value,
            },
        },
    ]
}
