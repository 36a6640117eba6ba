//! Rust sources as syntax trees: imports, and the paths that code names.

use crate::workspace::{read, shown};
use proc_macro2::{TokenStream, TokenTree};
use std::path::Path;
use syn::{
    Attribute, File, Item, Macro, Meta, UseTree, Visibility,
    visit::{self, Visit},
};

/// A path as its segments.
pub type Segments = Vec<String>;

/// One name that a `use` brings.
#[derive(Clone, Debug)]
pub struct Import {
    /// The name; `*` for everything.
    pub name: String,
    /// Its path.
    pub path: Segments,
    /// Visible outside its module.
    pub is_exported: bool,
}

/// Parses a file.
pub fn parse(file: &Path) -> File {
    syn::parse_file(&read(file)).unwrap_or_else(|error| panic!("{}: {error}", shown(file)))
}

/// Returns true for items that only tests are compiled with.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let words = list.tokens.to_string();
            let mut words = words.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            words.clone().any(|word| word == "test") && !words.any(|word| word == "not")
        }
        meta => meta.path().is_ident("test"),
    })
}

/// Returns the attributes of an item.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the names that a `use` brings.
pub fn imports(item: &syn::ItemUse) -> Vec<Import> {
    let is_exported = !matches!(item.vis, Visibility::Inherited);
    let mut found = Vec::new();
    expand(&item.tree, &mut Vec::new(), &mut |name, path| {
        found.push(Import {
            name,
            path,
            is_exported,
        });
    });
    found
}

fn expand(tree: &UseTree, before: &mut Segments, found: &mut impl FnMut(String, Segments)) {
    let mut take = |before: &Segments, last: String, name: String| {
        let mut path = before.clone();
        // `use a::{self}` brings `a`.
        if last != "self" || path.is_empty() {
            path.push(last);
        }
        let name = if name == "self" {
            path.last().cloned().unwrap_or_default()
        } else {
            name
        };
        found(name, path);
    };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            expand(&path.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) => take(before, name.ident.to_string(), name.ident.to_string()),
        UseTree::Rename(rename) => {
            take(before, rename.ident.to_string(), rename.rename.to_string());
        }
        UseTree::Glob(_) => found("*".to_owned(), before.clone()),
        UseTree::Group(group) => {
            for tree in &group.items {
                expand(tree, before, found);
            }
        }
    }
}

/// Returns every path that an item's code names, also inside macros and attributes, without those of
/// imports and of code for tests alone.
pub fn named_paths(item: &Item) -> Vec<Segments> {
    let mut names = Names::default();
    names.visit_item(item);
    names.paths
}

#[derive(Default)]
struct Names {
    paths: Vec<Segments>,
}

impl Names {
    fn scan(&mut self, tokens: TokenStream) {
        let mut path = Segments::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.take(&mut path);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.take(&mut path);
                    colons = 0;
                    self.scan(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.take(&mut path);
                    colons = 0;
                }
            }
        }
        self.take(&mut path);
    }

    fn take(&mut self, path: &mut Segments) {
        if !path.is_empty() {
            self.paths.push(std::mem::take(path));
        }
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_item(&mut self, item: &'a Item) {
        if !is_for_tests(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, _: &'a syn::ItemUse) {}

    fn visit_visibility(&mut self, _: &'a Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let segments = path.segments.iter();
        self.paths
            .push(segments.map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a Macro) {
        self.visit_path(&call.path);
        self.scan(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.scan(list.tokens.clone());
        }
    }
}
