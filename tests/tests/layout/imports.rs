//! Who imports what: every `use` and every path in code, macros included, that leads into another file.
//! Comments, strings and what is compiled for tests only do not count.

use super::tree::{is_for_tests, leaves, module_of, within, Names, Tree};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{ImplItemFn, Item, ItemMod, ItemUse, Macro, MetaList, Visibility};

/// A file that needs another.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The file that imports.
    pub from: String,
    /// The file that what is imported comes from.
    pub to: String,
    /// How it is written.
    pub text: String,
}

/// The imports of a tree, file by file; of several from one file to another the first.
pub fn imports(tree: &Tree) -> Vec<Import> {
    let mut found = Vec::new();
    for (name, file) in &tree.files {
        let mut reader = Reader {
            tree,
            file: name,
            module: module_of(name),
            found: Vec::new(),
            passed_on: Vec::new(),
            words: BTreeSet::new(),
        };
        reader.visit_file(file);
        let Reader { found: mut mine, passed_on, words, .. } = reader;
        // A re-export of what is below is no need of it, unless the name is used here as well.
        mine.extend(passed_on.into_iter().filter(|(name, _)| words.contains(name)).map(|(_, import)| import));
        let mut targets = BTreeSet::new();
        mine.retain(|import| targets.insert(import.to.clone()));
        found.extend(mine);
    }
    found
}

struct Reader<'t> {
    tree: &'t Tree,
    file: &'t str,
    module: Names,
    found: Vec<Import>,
    passed_on: Vec<(String, Import)>,
    words: BTreeSet<String>,
}

impl Reader<'_> {
    /// The import that a path makes, if it leads into another file.
    fn import(&self, path: &[String], text: String) -> Option<Import> {
        let to = self.tree.place(&self.module, path).file().filter(|to| to != self.file)?;
        Some(Import { from: self.file.into(), to, text })
    }

    fn path(&mut self, path: &[String]) {
        self.words.insert(path[0].clone());
        if path.len() > 1 {
            self.found.extend(self.import(path, path.join("::")));
        }
    }

    /// Paths among tokens, where no syntax is known: names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(name) => {
                    // Any other number of colons is no path, and `::name` is another crate's.
                    if colons != 2 {
                        self.end(&mut path);
                        path.push(name.to_string());
                    } else if !path.is_empty() {
                        path.push(name.to_string());
                    }
                }
                TokenTree::Group(group) => {
                    self.end(&mut path);
                    self.tokens(group.stream());
                }
                _ => self.end(&mut path),
            }
            colons = 0;
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Names) {
        if !path.is_empty() {
            self.path(&std::mem::take(path));
        }
    }
}

impl<'t> Visit<'t> for Reader<'_> {
    fn visit_item(&mut self, item: &'t Item) {
        let attributes = match item {
            Item::Const(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'t ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'t ItemMod) {
        let inner = within(&self.module, &module.ident.to_string());
        let outer = std::mem::replace(&mut self.module, inner);
        visit::visit_item_mod(self, module);
        self.module = outer;
    }

    fn visit_item_use(&mut self, item: &'t ItemUse) {
        let private = matches!(item.vis, Visibility::Inherited);
        for leaf in leaves(item) {
            let star = if leaf.glob { "::*" } else { "" };
            let text = format!("{}use {}{star}", if private { "" } else { "pub " }, leaf.path.join("::"));
            let Some(import) = self.import(&leaf.path, text) else { continue };
            let target = module_of(&import.to);
            if !private && target.starts_with(&self.module) {
                self.passed_on.extend(leaf.name.map(|name| (name, import)));
            } else {
                self.found.push(import);
            }
        }
    }

    fn visit_path(&mut self, path: &'t syn::Path) {
        if path.leading_colon.is_none() {
            let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.path(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'t Macro) {
        visit::visit_macro(self, call);
        self.tokens(call.tokens.clone());
    }

    fn visit_meta_list(&mut self, list: &'t MetaList) {
        visit::visit_meta_list(self, list);
        self.tokens(list.tokens.clone());
    }

    // `pub(in crate::x)` says who may see something, not what is needed.
    fn visit_vis_restricted(&mut self, _: &'t syn::VisRestricted) {}
}
