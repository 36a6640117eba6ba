//! The modules of a crate, and the files that define what a path names.

use crate::{
    syntax::{Import, Segments, attributes, imports, is_for_tests, named_paths, parse},
    workspace::{Crate, shown},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use syn::Item;

/// Longest chain of re-exports that is followed.
const LONGEST_CHAIN: usize = 32;

/// A module, without the code of its tests.
#[derive(Debug)]
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    imports: Vec<Import>,
    /// Names of the items that it defines.
    items: BTreeSet<String>,
    /// Paths that its code names.
    paths: Vec<Segments>,
}

/// All modules below the root of a library or program.
#[derive(Debug)]
pub struct ModuleTree {
    modules: Vec<Module>,
}

/// The thing that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// An item, by the module that defines it.
    Item(usize),
}

/// Returns the trees of a crate: its library and its programs.
pub fn trees(of: &Crate) -> Vec<ModuleTree> {
    let source = of.folder.join("src");
    let is_root = |file: &&PathBuf| {
        let inside = file.strip_prefix(&source).unwrap_or(Path::new(""));
        let names: Vec<_> = inside.iter().map(|name| name.to_string_lossy()).collect();
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        matches!(
            names[..],
            ["lib.rs" | "main.rs"] | ["bin", _] | ["bin", _, "main.rs"]
        )
    };
    let roots = of.files.iter().filter(is_root);
    roots.map(|root| ModuleTree::read(root)).collect()
}

impl ModuleTree {
    /// Reads all files of a library or program, from its root.
    pub fn read(root: &Path) -> Self {
        let mut tree = Self {
            modules: Vec::new(),
        };
        let folder = root.parent().expect("a folder").to_owned();
        tree.add(None, root, &folder, parse(root).items);
        tree
    }

    /// Adds a module whose children lie in `folder`.
    fn add(
        &mut self,
        parent: Option<usize>,
        file: &Path,
        folder: &Path,
        items: Vec<Item>,
    ) -> usize {
        let index = self.modules.len();
        self.modules.push(Module {
            file: file.to_owned(),
            parent,
            children: BTreeMap::new(),
            imports: Vec::new(),
            items: BTreeSet::new(),
            paths: Vec::new(),
        });
        for item in items {
            if is_for_tests(attributes(&item)) {
                continue;
            }
            match item {
                Item::Use(item) => self.modules[index].imports.extend(imports(&item)),
                Item::Mod(item) => {
                    let name = item.ident.to_string();
                    let word = name.trim_start_matches("r#");
                    let below = folder.join(word);
                    let child = match item.content {
                        Some((_, items)) => self.add(Some(index), file, &below, items),
                        None => {
                            let file = folder.join(format!("{word}.rs"));
                            let items = parse(&file).items;
                            self.add(Some(index), &file, &below, items)
                        }
                    };
                    self.modules[index].children.insert(name, child);
                }
                item => {
                    let module = &mut self.modules[index];
                    module.items.extend(name_of(&item));
                    module.paths.extend(named_paths(&item));
                }
            }
        }
        index
    }

    /// Returns the files that the modules lie in, without those of tests alone.
    pub fn files(&self) -> BTreeSet<&Path> {
        self.modules.iter().map(|module| &*module.file).collect()
    }

    /// Returns the files whose items each file uses.
    pub fn uses(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            let from = shown(&module.file);
            let mut add = |path: &Segments| {
                if let Some(Target::Item(at)) = self.resolve(index, path, 0)
                    && self.modules[at].file != module.file
                {
                    let to = shown(&self.modules[at].file);
                    uses.entry(from.clone()).or_default().insert(to);
                }
            };
            module.paths.iter().for_each(&mut add);
            let imports = module.imports.iter();
            imports
                .filter(|import| !self.only_passes_on(index, import))
                .for_each(|import| add(&import.path));
        }
        uses
    }

    /// Returns true for an import that the module's code does not name, and that is either exported, or one
    /// of an own child for its siblings.
    fn only_passes_on(&self, at: usize, import: &Import) -> bool {
        let module = &self.modules[at];
        let is_named = module.paths.iter().any(|path| path[0] == import.name);
        let first = import.path.iter().find(|segment| *segment != "self");
        let is_of_child = first.is_some_and(|first| module.children.contains_key(first));
        !is_named && (import.is_exported || is_of_child)
    }

    /// Finds the module or item that a path names; `None` for other crates and local names.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(from),
            "super" => Target::Module(self.modules[from].parent?),
            name => self.look_up(from, name, rest.is_empty(), depth)?,
        };
        let mut rest = rest.iter().peekable();
        let mut at = start;
        while let Target::Module(module) = at
            && let Some(name) = rest.next()
        {
            at = match name.as_str() {
                "super" => Target::Module(self.modules[module].parent?),
                name => {
                    let is_last = rest.peek().is_none();
                    let found = self.look_up(module, name, is_last, depth);
                    // An item that a macro makes.
                    found.unwrap_or(Target::Item(module))
                }
            };
        }
        Some(at)
    }

    /// Finds a name in a module. At the end of a path an item goes before a module of the same name.
    fn look_up(&self, at: usize, name: &str, is_last: bool, depth: usize) -> Option<Target> {
        if depth > LONGEST_CHAIN {
            return None;
        }
        let module = &self.modules[at];
        let child = module
            .children
            .get(name)
            .map(|child| Target::Module(*child));
        if child.is_some() && !is_last {
            return child;
        }
        if module.items.contains(name) {
            return Some(Target::Item(at));
        }
        let named = module.imports.iter().filter(|import| import.name == name);
        for import in named {
            // `use rules::rules` would find itself.
            if let Some(found) = self.resolve(at, &import.path, depth + 1) {
                return Some(found);
            }
        }
        if child.is_some() {
            return child;
        }
        let globs = module.imports.iter().filter(|import| import.name == "*");
        for glob in globs {
            if let Some(Target::Module(of)) = self.resolve(at, &glob.path, depth + 1)
                && of != at
                && let Some(found) = self.look_up(of, name, is_last, depth + 1)
            {
                return Some(found);
            }
        }
        None
    }
}

/// The name that an item defines in its module.
fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
