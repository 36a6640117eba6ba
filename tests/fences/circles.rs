//! Files of one crate use each other in no circle.
//!
//! A file uses another where its code names an item that the other defines, by a path or by an import;
//! re-exports are followed to the file that defines the item. Declaring a module (`mod child;`) is no use of
//! it, nor is a re-export of an item that the re-exporting file's own code does not name. Methods count with
//! the type that is named, not with the file of their `impl`. Code for tests alone is left out.

use crate::{modules::trees, workspace::crates};
use std::collections::{BTreeMap, BTreeSet};

type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn files_of_one_crate_use_each_other_in_no_circle() {
    let mut circles = Vec::new();
    for tree in crates().iter().flat_map(trees) {
        circles.extend(circles_in(&tree.uses()));
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

/// Groups of files that all reach each other, each with the uses inside it.
fn circles_in(uses: &Graph) -> Vec<Vec<String>> {
    let reach: Graph = uses
        .keys()
        .map(|file| (file.clone(), reachable(uses, file)))
        .collect();
    let mut circles: Vec<Vec<String>> = Vec::new();
    let mut seen = BTreeSet::new();
    for (file, reached) in &reach {
        if !reached.contains(file) || !seen.insert(file.clone()) {
            continue;
        }
        let members: BTreeSet<&String> = reached
            .iter()
            .filter(|other| reach.get(*other).is_some_and(|back| back.contains(file)))
            .collect();
        seen.extend(members.iter().map(|member| (*member).clone()));
        let inside = members.iter().flat_map(|from| {
            let to = uses[*from].iter().filter(|to| members.contains(to));
            to.map(move |to| format!("{from} uses {to}"))
        });
        circles.push(inside.collect());
    }
    circles
}

fn reachable(uses: &Graph, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.to_owned()];
    while let Some(file) = open.pop() {
        for next in uses.get(&file).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

/// The graph's judgement on a crate written for the purpose.
#[test]
fn re_exports_are_followed_and_are_no_uses_themselves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a writable folder");
        file
    };
    let root = write("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;");
    write("a.rs", "use crate::B; pub struct A(B);");
    write(
        "b.rs",
        "pub struct B; #[cfg(test)] mod tests { use crate::A; }",
    );
    let circles = || circles_in(&crate::modules::ModuleTree::read(&root).uses());
    assert_eq!(circles(), Vec::<Vec<String>>::new());

    write(
        "b.rs",
        "pub struct B; impl B { fn a() { let _ = vec![super::A::new()]; } }",
    );
    assert_eq!(circles().len(), 1, "a re-exported item has its file");
    assert_eq!(circles()[0].len(), 2);

    write("b.rs", "pub struct B;");
    write(
        "lib.rs",
        "mod a; mod b; pub use a::A; pub use b::B; pub struct C(A);",
    );
    assert_eq!(circles(), Vec::<Vec<String>>::new(), "downwards alone");
    write("b.rs", "pub struct B(super::C);");
    assert_eq!(circles()[0].len(), 3, "round by the root");
}
