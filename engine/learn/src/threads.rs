//! Work that is done in several threads at once.

use std::{panic::resume_unwind, thread};

/// Does the parts of a work at the same time, one in each thread; returns the results in the order of the parts. A
/// panic of one of them goes on here.
pub(crate) fn in_threads<I: Send, T: Send>(
    parts: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let helpers: Vec<_> = (parts.into_iter())
            .map(|part| scope.spawn(move || work(part)))
            .collect();
        let results = helpers.into_iter().map(|helper| helper.join());
        results
            .map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_parts() {
        assert_eq!(in_threads(0..5, |part| part * part), [0, 1, 4, 9, 16]);
        assert_eq!(in_threads([0; 0], |part| part), [0; 0]);
    }

    #[test]
    #[should_panic(expected = "the third part")]
    fn a_panic_goes_on() {
        in_threads(0..5, |part| assert!(part != 2, "the third part"));
    }
}
