//! Warnings about games that another file has played.

use monju_engine::counted;
use monju_experiment::{
    specification::Specification,
    store::{Store, StoreError},
};

/// Warnings about games of other settings than those of the file, one line each.
///
/// # Errors
/// The store cannot be read.
pub(super) async fn mismatches(
    specification: &Specification,
    store: &dyn Store,
) -> Result<Vec<String>, StoreError> {
    let file = specification.path.display();
    let mut warnings = Vec::new();
    if let Some(theirs) = store.older_specification()
        && *theirs != specification.hash
    {
        warnings.push(format!(
            "warning: the store was played by specification {theirs}, {file} is {}: what follows may \
             not be what this file describes",
            specification.hash
        ));
    }
    let (mut absent, mut games) = (0, 0);
    for form in store.other_cells().await? {
        let Some(cell) = form.cell else {
            absent += 1;
            games += form.games;
            continue;
        };
        let settings = form
            .specification
            .as_deref()
            .unwrap_or("of an older version");
        warnings.push(format!(
            "warning: {} of '{}' played with other settings ({settings}) than those of {file} ({}), and not counted",
            counted(form.games, "game"),
            form.label,
            specification.cells[cell].hash
        ));
    }
    if absent > 0 {
        warnings.push(format!(
            "warning: {} played in {} that {file} does not have, and not counted",
            counted(games, "game"),
            counted(absent, "cell")
        ));
    }
    Ok(warnings)
}
