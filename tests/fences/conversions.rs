//! One place converts between messages and the engine's types: `proto/src/convert`.
//!
//! Elsewhere no function takes one of the two and returns its twin, and no message is put together that
//! stands for a position.

use crate::{
    modules::{ModuleTree, trees},
    syntax::{attributes, imports, is_for_tests, parse},
    workspace::{crates, shown},
};
use std::collections::BTreeMap;
use syn::{
    Expr, ImplItemFn, Item, ItemFn, ItemImpl, ReturnType, Signature, TraitItemFn, Type,
    visit::{self, Visit},
};

/// Messages of `monju.v1`, each with the type of the engine that says the same.
const TWINS: [(&str, &str); 7] = [
    ("Position", "Game"),
    ("Position", "Position"),
    ("Score", "Score"),
    ("Bound", "Bound"),
    ("Candidate", "Candidate"),
    ("Line", "Line"),
    ("Limits", "Limits"),
];

/// The one place: a file, and those in the folder of its name.
const THE_PLACE: &str = "proto/src/convert";

/// The message that is put together in one place.
const BUILT_ONCE: &str = "Position";

/// The two crates whose types are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TwinCrate {
    Wire,
    Engine,
}

#[test]
fn one_place_converts_between_messages_and_the_engine() {
    let mut wrong = Vec::new();
    for one in crates() {
        let trees = trees(&one);
        let files = trees.iter().flat_map(ModuleTree::files);
        for file in files.filter(|file| !shown(file).starts_with(THE_PLACE)) {
            let items = parse(file).items;
            let mut finder = Finder::of(&items);
            items.iter().for_each(|item| finder.visit_item(item));
            let found = finder.found.iter();
            wrong.extend(found.map(|found| format!("{}: {found}", shown(file))));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Looks for conversions in a file.
struct Finder {
    /// Full paths of imported names.
    names: BTreeMap<String, Vec<String>>,
    /// The type of the surrounding `impl`.
    own: Option<(TwinCrate, String)>,
    found: Vec<String>,
}

impl Finder {
    fn of(items: &[Item]) -> Self {
        let mut names = BTreeMap::new();
        for item in items {
            if let Item::Use(item) = item {
                names.extend(imports(item).into_iter().map(|one| (one.name, one.path)));
            }
        }
        Self {
            names,
            own: None,
            found: Vec::new(),
        }
    }

    /// The crate that a path belongs to, and its last segment.
    fn side(&self, path: &syn::Path) -> Option<(TwinCrate, String)> {
        let segments = path.segments.iter();
        let mut full: Vec<String> = segments.map(|one| one.ident.to_string()).collect();
        if full.len() == 1 && full[0] == "Self" {
            return self.own.clone();
        }
        while let Some(start) = self.names.get(&full[0])
            && start[0] != full[0]
        {
            full.splice(..1, start.iter().cloned());
        }
        let side = match full[0].as_str() {
            "monju_proto" | "v1" => TwinCrate::Wire,
            "crate" if full.get(1).is_some_and(|name| name == "v1") => TwinCrate::Wire,
            "monju_engine" => TwinCrate::Engine,
            _ => return None,
        };
        Some((side, full.pop()?))
    }

    fn sides_of(&self, types: &[&Type]) -> Vec<(TwinCrate, String)> {
        struct Paths<'a>(Vec<&'a syn::Path>);
        impl<'a> Visit<'a> for Paths<'a> {
            fn visit_path(&mut self, path: &'a syn::Path) {
                self.0.push(path);
                visit::visit_path(self, path);
            }
        }
        let mut paths = Paths(Vec::new());
        types.iter().for_each(|one| paths.visit_type(one));
        let paths = paths.0.into_iter();
        paths.filter_map(|path| self.side(path)).collect()
    }

    fn check(&mut self, signature: &Signature) {
        let inputs: Vec<&Type> = signature
            .inputs
            .iter()
            .map(|input| match input {
                syn::FnArg::Receiver(receiver) => &*receiver.ty,
                syn::FnArg::Typed(typed) => &*typed.ty,
            })
            .collect();
        let ReturnType::Type(_, output) = &signature.output else {
            return;
        };
        let (inputs, outputs) = (self.sides_of(&inputs), self.sides_of(&[output]));
        for (wire, engine) in TWINS {
            let (wire, engine) = (
                (TwinCrate::Wire, wire.to_owned()),
                (TwinCrate::Engine, engine.to_owned()),
            );
            let converts = inputs.contains(&wire) && outputs.contains(&engine)
                || inputs.contains(&engine) && outputs.contains(&wire);
            if converts {
                let name = &signature.ident;
                self.found
                    .push(format!("function {name} converts a {}", wire.1));
                return;
            }
        }
    }
}

impl<'a> Visit<'a> for Finder {
    fn visit_item(&mut self, item: &'a Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        self.own = match &*item.self_ty {
            Type::Path(path) => self.side(&path.path),
            _ => None,
        };
        visit::visit_item_impl(self, item);
        self.own = None;
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.check(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.check(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        self.check(&item.sig);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Struct(literal) = expression
            && self.side(&literal.path) == Some((TwinCrate::Wire, BUILT_ONCE.to_owned()))
        {
            self.found.push(format!("puts a {BUILT_ONCE} together"));
        }
        visit::visit_expr(self, expression);
    }
}
