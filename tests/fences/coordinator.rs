//! The coordinator knows the rules of the game and judges material by them, and knows nothing of how a
//! player finds its move.

use crate::{
    syntax::{attributes, imports, is_for_tests, named_paths, parse},
    workspace::{crates, shown},
};
use syn::Item;

/// Names of the engine that the coordinator may use: the rules, the answer to a position, the iterations by which
/// a clock judges a search and what was learned of them, opening books, random numbers and the hash that seeds
/// them, and the search that judges
/// whether material is kept (`docs/decisions/0033-the-coordinator-judges-danger.md`).
const ALLOWED: [&str; 17] = [
    "Answer",
    "Color",
    "Game",
    "GameError",
    "Iteration",
    "Move",
    "MoveError",
    "Position",
    "Repetition",
    "SfenError",
    "book",
    "danger",
    "fnv1a",
    "judge",
    "names",
    "random",
    "rules",
];

#[test]
fn the_coordinator_knows_the_rules_and_not_the_search() {
    let crates = crates();
    let coordinator = crates.iter().find(|one| one.name == "monju-coordinator");
    let coordinator = coordinator.expect("a coordinator");
    let mut wrong = Vec::new();
    let sources = coordinator.files.iter();
    for file in sources.filter(|file| file.starts_with(coordinator.folder.join("src"))) {
        for item in parse(file).items {
            if is_for_tests(attributes(&item)) {
                continue;
            }
            let mut paths = named_paths(&item);
            if let Item::Use(item) = &item {
                paths.extend(imports(item).into_iter().map(|import| import.path));
            }
            let foreign = paths.into_iter().filter(|path| path[0] == "monju_engine");
            wrong.extend(foreign.filter_map(|path| {
                let is_allowed = path
                    .get(1)
                    .is_some_and(|name| ALLOWED.contains(&name.as_str()));
                (!is_allowed).then(|| format!("{} names {}", shown(file), path.join("::")))
            }));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
