//! A crate's source files as a tree of modules: what each defines, what it gives other names by `use`, and
//! where a path that one of them writes leads to.

use std::collections::{BTreeMap, BTreeSet};
use syn::{Attribute, File, Item, ItemUse, UseTree};

/// A module's or an item's path from the crate's root.
pub type Names = Vec<String>;

/// The files of a crate, and its modules.
pub struct Tree {
    /// The files, by their path from the crate's src/; those that are only for tests are left out.
    pub files: BTreeMap<String, File>,
    modules: BTreeMap<Names, Module>,
}

/// A module: a file, or one within a file.
#[derive(Default)]
struct Module {
    file: String,
    items: BTreeSet<String>,
    uses: Vec<Use>,
}

/// One leaf of a `use`.
pub struct Use {
    /// The path as it is written, without `self` at its end.
    pub path: Names,
    /// The name that it has from then on; none with `*` and with `as _`.
    pub name: Option<String>,
    /// Whether it is `*`.
    pub glob: bool,
}

/// Where a path leads.
#[derive(Debug, PartialEq)]
pub enum Place {
    /// Into a file.
    File(String),
    /// To a name that we do not see defined in this file: a macro made it, or it is a method's.
    Unseen(String),
    /// To another crate, or to nothing that has a path.
    Elsewhere,
}

impl Place {
    /// The file, if it is one of ours.
    pub fn file(self) -> Option<String> {
        match self {
            Place::File(file) | Place::Unseen(file) => Some(file),
            Place::Elsewhere => None,
        }
    }
}

/// How many re-exports of re-exports are followed: enough for any that is not a circle of them.
const DEEPEST: usize = 16;

impl Tree {
    /// Reads sources: texts by their path from src/.
    pub fn new(sources: impl IntoIterator<Item = (String, String)>) -> Tree {
        let mut tree = Tree { files: BTreeMap::new(), modules: BTreeMap::new() };
        let mut for_tests = Vec::new();
        for (path, text) in sources {
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            tree.add(&path, module_of(&path), &file.items, &mut for_tests);
            tree.files.insert(path, file);
        }
        // A path through a module that is not there would lead nowhere, and be taken for another crate's.
        for (module, text) in &tree.modules {
            assert!(tree.modules.contains_key(&parent(module)), "nothing is above {}", text.file);
        }
        let left_out = |module: &Names| for_tests.iter().any(|test| module.starts_with(test));
        tree.modules.retain(|module, _| !left_out(module));
        tree.files.retain(|path, _| !left_out(&module_of(path)));
        tree
    }

    fn add(&mut self, file: &str, path: Names, items: &[Item], for_tests: &mut Vec<Names>) {
        let mut module = Module { file: file.into(), ..Module::default() };
        for item in items {
            let name = match item {
                Item::Mod(inner) if is_for_tests(&inner.attrs) => {
                    // A file of tests; what is written within a file is left out where it is met.
                    if inner.content.is_none() {
                        for_tests.push(within(&path, &inner.ident.to_string()));
                    }
                    continue;
                }
                Item::Mod(inner) => {
                    if let Some((_, items)) = &inner.content {
                        self.add(file, within(&path, &inner.ident.to_string()), items, for_tests);
                    }
                    continue;
                }
                Item::Use(item) => {
                    if !is_for_tests(&item.attrs) {
                        module.uses.extend(leaves(item));
                    }
                    continue;
                }
                Item::Const(item) => &item.ident,
                Item::Enum(item) => &item.ident,
                Item::Fn(item) => &item.sig.ident,
                Item::Static(item) => &item.ident,
                Item::Struct(item) => &item.ident,
                Item::Trait(item) => &item.ident,
                Item::Type(item) => &item.ident,
                Item::Union(item) => &item.ident,
                Item::Macro(item) if item.ident.is_some() => item.ident.as_ref().unwrap(),
                _ => continue,
            };
            module.items.insert(name.to_string());
        }
        self.modules.insert(path, module);
    }

    /// Where a path leads that is written in a module: through re-exports to where the item comes from.
    pub fn place(&self, from: &Names, path: &[String]) -> Place {
        self.follow(from, path, 0)
    }

    fn follow(&self, from: &Names, path: &[String], depth: usize) -> Place {
        if depth > DEEPEST {
            return Place::Elsewhere;
        }
        let (mut module, mut rest) = match path[0].as_str() {
            "crate" => (Names::new(), &path[1..]),
            "self" => (from.clone(), &path[1..]),
            "super" => (parent(from), &path[1..]),
            // A path without a root begins in this very module, or in another crate.
            _ => return self.seen(from, path, depth).unwrap_or(Place::Elsewhere),
        };
        while rest.first().is_some_and(|name| name == "super") {
            module = parent(&module);
            rest = &rest[1..];
        }
        let Some(here) = self.modules.get(&module) else { return Place::Elsewhere };
        if rest.is_empty() {
            return Place::File(here.file.clone());
        }
        self.seen(&module, rest, depth).unwrap_or_else(|| Place::Unseen(here.file.clone()))
    }

    /// Where names lead that begin in a module; nothing if the first is not seen there.
    fn seen(&self, from: &Names, names: &[String], depth: usize) -> Option<Place> {
        let here = self.modules.get(from)?;
        let (first, rest) = names.split_first()?;
        let child = within(from, first);
        if let Some(inner) = self.modules.get(&child) {
            let file = || inner.file.clone();
            if rest.is_empty() {
                return Some(Place::File(file()));
            }
            return Some(self.seen(&child, rest, depth).unwrap_or_else(|| Place::Unseen(file())));
        }
        if here.items.contains(first) {
            return Some(Place::File(here.file.clone()));
        }
        if let Some(found) = here.uses.iter().find(|u| u.name.as_ref() == Some(first)) {
            return Some(self.follow(from, &[&found.path, rest].concat(), depth + 1));
        }
        let globs = here.uses.iter().filter(|u| u.glob);
        let mut through = globs.map(|u| self.follow(from, &[&u.path, names].concat(), depth + 1));
        through.find(|place| matches!(place, Place::File(_)))
    }
}

/// The module that a file is.
pub fn module_of(file: &str) -> Names {
    let mut names: Names = file.trim_end_matches(".rs").split('/').map(String::from).collect();
    if names.last().is_some_and(|last| last == "mod") || names == ["lib"] {
        names.pop();
    }
    names
}

/// A name within a module.
pub fn within(module: &[String], name: &str) -> Names {
    [module, &[name.to_string()]].concat()
}

fn parent(module: &[String]) -> Names {
    module[..module.len().saturating_sub(1)].to_vec()
}

/// Whether something is compiled for tests only.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// What a `use` names, one by one.
pub fn leaves(item: &ItemUse) -> Vec<Use> {
    fn walk(tree: &UseTree, path: &[String], found: &mut Vec<Use>) {
        match tree {
            UseTree::Path(tree) => walk(&tree.tree, &within(path, &tree.ident.to_string()), found),
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, path, found)),
            UseTree::Glob(_) => found.push(Use { path: path.to_vec(), name: None, glob: true }),
            UseTree::Name(name) => leaf(path, &name.ident.to_string(), None, found),
            UseTree::Rename(rename) => {
                leaf(path, &rename.ident.to_string(), Some(rename.rename.to_string()), found);
            }
        }
    }
    fn leaf(path: &[String], name: &str, renamed: Option<String>, found: &mut Vec<Use>) {
        let path = if name == "self" && !path.is_empty() { path.to_vec() } else { within(path, name) };
        let name = renamed.or(path.last().cloned()).filter(|name| name != "_");
        found.push(Use { path, name, glob: false });
    }
    let mut found = Vec::new();
    // `use ::name` is another crate's.
    if item.leading_colon.is_none() {
        walk(&item.tree, &[], &mut found);
    }
    found
}
