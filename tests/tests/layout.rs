//! The law of the house, read from the source text: which room of src/ may import which, no circles
//! among files, where unsafe code and the one catch are, and how a file opens.

mod imports;
mod laws;
mod tree;
mod words;

use client_tests::book::{pages, root};
use imports::imports;
use laws::{circles, runs_up};
use tree::Tree;
use words::{files, pages_named, says, sources};

/// The floors of src/, from the top down; rooms on one floor do not know each other. lib.rs stands above
/// all of them and is imported by none.
const FLOORS: &[&[&str]] =
    &[&["api"], &["release"], &["search", "recount"], &["terms"], &["read"], &["postgres"]];

/// Where unsafe code is allowed in src/: a file, or a room (docs/ARCHITECTURE.md#the-floors-of-src).
const UNSAFE: &[&str] = &["postgres/", "read/plan.rs", "read/scan.rs", "release/store/write.rs"];

/// The one place that catches an error.
const CATCHES: &str = "src/postgres/subtransaction.rs";

/// The floors of src/release/, which is a house of its own; its mod.rs stands above all of them.
const FLOORS_OF_RELEASE: &[&[&str]] =
    &[&["mod"], &["verbs"], &["report"], &["measure"], &["trace"], &["store"]];

fn all_kept(law: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{law}:\n  {}\n", faults.join("\n  "));
}

#[test]
fn no_import_runs_up() {
    let tree = Tree::new(sources("src"));
    let imports = imports(&tree);
    assert!(imports.len() > 100, "only {} imports are found in src", imports.len());
    all_kept(
        "every file of src is in a room, and no import runs up or sideways",
        &runs_up(&tree, &imports, "", FLOORS),
    );
    all_kept(
        "every file of src/release is in a room, and no import runs up or sideways",
        &runs_up(&tree, &imports, "release/", FLOORS_OF_RELEASE),
    );
}

#[test]
fn no_circle() {
    // lib.rs may name everything.
    let src = Tree::new(sources("src"));
    let mut found = imports(&src);
    found.retain(|import| import.from != "lib.rs");
    let mut faults = circles(&found);

    let engine = Tree::new(sources("engine/src"));
    let found = imports(&engine);
    assert!(found.len() > 50, "only {} imports are found in engine/src", found.len());
    faults.extend(circles(&found));
    all_kept("no files import each other in a circle, but a module and what it is made of", &faults);
}

#[test]
fn unsafe_code_has_its_places() {
    let faults: Vec<String> = sources("src")
        .into_iter()
        .filter(|(file, _)| {
            !UNSAFE.iter().any(|place| file == place || place.ends_with('/') && file.starts_with(place))
        })
        .filter(|(_, text)| says(text, &["unsafe"]))
        .map(|(file, _)| format!("src/{file}"))
        .collect();
    all_kept("unsafe code is only where PostgreSQL's structures are read and written", &faults);
}

#[test]
fn the_engine_knows_no_server() {
    let mut faults: Vec<String> = sources("engine")
        .into_iter()
        .filter(|(_, text)| says(text, &["unsafe", "pgrx"]))
        .map(|(file, _)| format!("engine/{file}"))
        .collect();
    if files(&["engine"], &["toml"]).iter().any(|(_, text)| text.contains("pgrx")) {
        faults.push("engine/Cargo.toml".into());
    }
    all_kept("the engine names no pgrx and has no unsafe code", &faults);
}

#[test]
fn errors_are_caught_in_one_place() {
    let catches = |text: &str| says(text, &["PgTryBuilder", "catch_unwind"]);
    let found: Vec<String> = files(&["src", "engine/src"], &["rs"])
        .into_iter()
        .filter(|(_, text)| catches(text))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(
        found,
        [CATCHES],
        "an error is caught in a subtransaction that is rolled back, and nowhere else"
    );
}

#[test]
fn files_open_with_what_they_are() {
    let all = files(&["src", "engine/src"], &["rs"]);
    assert!(all.len() > 80, "only {} files are found", all.len());
    let faults: Vec<String> =
        all.into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|(file, _)| file).collect();
    all_kept("every file opens with a paragraph that says what it is", &faults);
}

#[test]
fn pages_that_files_name_are_there() {
    let folders = ["src", "engine", "tests", "sql", "pg_regress", "scripts", "packaging", ".cargo"];
    let all = files(&folders, &["rs", "sql", "sh", "toml", "spec"]);
    let pages = pages();
    let (mut named, mut faults) = (0, Vec::new());
    for (file, text) in &all {
        for (path, anchor) in pages_named(text) {
            let page = pages.iter().find(|page| page.path == path);
            let is_there = match page {
                Some(page) => anchor.is_empty() || page.anchors().contains(anchor),
                None => anchor.is_empty() && root().join(path).exists(),
            };
            named += 1;
            if !is_there {
                faults.push(format!("{file}: {path} {anchor}"));
            }
        }
    }
    assert!(named > 40, "only {named} pages are named");
    all_kept("what a file names under docs/ is there", &faults);
}
