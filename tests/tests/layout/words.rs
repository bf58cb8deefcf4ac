//! The files of the repository, and the words of a Rust file without comments and strings.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The files below directories of the repository that end in one of some ways, with their text; in order.
pub fn files(directories: &[&str], endings: &[&str]) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeMap::new();
    for directory in directories {
        assert!(root.join(directory).is_dir(), "there is no {directory}");
        walk(&root, directory, endings, &mut found);
    }
    found
}

fn walk(root: &Path, directory: &str, endings: &[&str], found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(root.join(directory)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{directory}/{name}");
        if entry.file_type().unwrap().is_dir() {
            // What a build left behind is not ours.
            if name != "target" {
                walk(root, &path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(&format!(".{ending}"))) {
            found.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

/// The Rust files below a directory, by their path from there.
pub fn sources(directory: &str) -> BTreeMap<String, String> {
    let start = directory.len() + 1;
    files(&[directory], &["rs"]).into_iter().map(|(path, text)| (path[start..].to_string(), text)).collect()
}

/// Whether one of some words stands in a Rust text, outside comments and strings.
pub fn says(text: &str, words: &[&str]) -> bool {
    fn any(tokens: TokenStream, words: &[&str]) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => words.iter().any(|word| ident == word),
            TokenTree::Group(group) => any(group.stream(), words),
            _ => false,
        })
    }
    any(text.parse().expect("not Rust"), words)
}

/// What a text names under docs/, each with its anchor.
pub fn pages_named(text: &str) -> Vec<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let named = |(at, _): (usize, &str)| {
        let is_other = text[..at].ends_with(is_part);
        let rest = &text[at..];
        let (path, rest) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
        let anchor = rest.strip_prefix('#').unwrap_or_default();
        let anchor = &anchor[..anchor.find(|c| !is_part(c)).unwrap_or(anchor.len())];
        (!is_other).then(|| (path.trim_end_matches('.'), anchor.trim_end_matches('.')))
    };
    text.match_indices("docs/").filter_map(named).collect()
}
