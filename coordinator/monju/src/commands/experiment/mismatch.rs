//! Warning about a store that another file has filled.

use monju_experiment::{specification::Specification, store::Store};

/// The warning for a file that differs from the one by which the store was played last.
pub(super) fn mismatch(specification: &Specification, store: &dyn Store) -> Option<String> {
    let (ours, theirs) = (&specification.hash, store.specification());
    (ours != theirs).then(|| {
        format!(
            "warning: the store was played by specification {theirs}, {} is {ours}: what follows may \
             not be what this file describes",
            specification.path.display()
        )
    })
}
