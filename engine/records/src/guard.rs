//! A bound around the library that parses records: where it fails on a record, the record is unreadable, and
//! the program goes on.

use crate::rejection::Rejection;
use std::{
    cell::Cell,
    error::Error,
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::Once,
};

thread_local! {
    /// True while the library works on this thread.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a parser of the library.
///
/// # Errors
/// The parser refuses the text, or fails on it.
pub fn guarded<T, E>(parse: impl FnOnce() -> Result<T, E>) -> Result<T, Rejection>
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_GUARDED.get() {
                usual(info);
            }
        }));
    });
    // A parser may be within the work of another one.
    let before = IS_GUARDED.replace(true);
    // A parser that fails leaves nothing behind.
    let parsed = catch_unwind(AssertUnwindSafe(parse));
    IS_GUARDED.set(before);
    match parsed {
        Ok(parsed) => parsed.map_err(Rejection::unreadable),
        Err(_) => Err(Rejection::unreadable("the parser fails on this record")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parser_that_fails_costs_one_record() {
        assert!(guarded(|| Ok::<_, String>(1)).is_ok());
        assert!(guarded(|| Err::<(), _>("no")).is_err());
        let failed = guarded(|| -> Result<(), String> { panic!("a bug") });
        let failed = failed.expect_err("a failure");
        let reason = failed.source().expect("a reason").to_string();
        assert_eq!(reason, "the parser fails on this record");
        let within = guarded(|| -> Result<bool, String> {
            let _ = guarded(|| Ok::<_, String>(()));
            Ok(IS_GUARDED.get())
        });
        assert!(within.expect("a result") && !IS_GUARDED.get());
    }
}
