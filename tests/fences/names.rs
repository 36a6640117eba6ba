//! One name, one type: no two types of the workspace share a name.

use crate::{
    syntax::parse,
    workspace::{crates, shown},
};
use monju_tests::data::repository;
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    File, Ident, ItemEnum, ItemStruct, ItemTrait, ItemType, ItemUnion,
    visit::{self, Visit},
};

/// The messages of `monju.v1`.
const MESSAGES: &str = "proto/generated/monju.v1.rs";

/// Messages that say what the type of the engine with their name says; `proto/src/convert` converts between the two.
const TWINS: [&str; 6] = ["Bound", "Candidate", "Limits", "Line", "Position", "Score"];

#[test]
fn no_two_types_share_a_name() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in crates().into_iter().flat_map(|one| one.files) {
        for name in types_in(&parse(&file)) {
            places.entry(name).or_default().push(shown(&file));
        }
    }
    let messages: BTreeSet<String> = types_in(&parse(&repository().join(MESSAGES)))
        .into_iter()
        .collect();
    let twins = TWINS.map(|name| messages.contains(name) && places.contains_key(name));
    assert_eq!(twins, [true; TWINS.len()], "twins that are none");
    for (name, places) in &mut places {
        if messages.contains(name) && !TWINS.contains(&name.as_str()) {
            places.push(MESSAGES.to_owned());
        }
    }
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

/// The names of the types that a file defines, those inside its functions and tests included. Associated types
/// have the names that their trait gives them.
fn types_in(file: &File) -> Vec<String> {
    let mut found = TypeNames::default();
    found.visit_file(file);
    found.0
}

#[derive(Default)]
struct TypeNames(Vec<String>);

impl TypeNames {
    fn add(&mut self, name: &Ident) {
        self.0.push(name.to_string());
    }
}

impl Visit<'_> for TypeNames {
    fn visit_item_enum(&mut self, item: &ItemEnum) {
        self.add(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_struct(&mut self, item: &ItemStruct) {
        self.add(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_trait(&mut self, item: &ItemTrait) {
        self.add(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &ItemType) {
        self.add(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_union(&mut self, item: &ItemUnion) {
        self.add(&item.ident);
        visit::visit_item_union(self, item);
    }
}

#[test]
fn types_are_found_wherever_they_are_defined() {
    let file = syn::parse_str::<File>(
        "pub struct A; mod b { enum B {} type C = A; union D { a: u8 } } \
         trait E { type Item; fn f() { struct F; } } impl Iterator for A { type Item = A; }",
    );
    assert_eq!(
        types_in(&file.expect("a file")),
        ["A", "B", "C", "D", "E", "F"]
    );
}
