//! The laws, broken one at a time in small made-up trees, and kept in trees that look like it.

use super::imports::imports;
use super::laws::{circles, runs_up};
use super::tree::Tree;
use super::words::{pages_named, says};
use std::collections::BTreeSet;

/// A tree of files given by path and text; the files above them, without which there is no crate, are
/// empty where they are not given.
pub fn tree(files: &[(&str, &str)]) -> Tree {
    let given =
        |path: &str| files.iter().any(|(file, _)| *file == path || *file == path.replace("/mod.rs", ".rs"));
    let directories =
        files.iter().filter_map(|(file, _)| file.rsplit_once('/')).map(|(room, _)| format!("{room}/mod.rs"));
    let above: BTreeSet<String> = directories.chain(["lib.rs".into()]).filter(|path| !given(path)).collect();
    let files = files.iter().map(|(path, text)| (path.to_string(), text.to_string()));
    Tree::new(files.chain(above.into_iter().map(|path| (path, String::new()))))
}

/// What is against the order of the house.
pub fn ups(files: &[(&str, &str)]) -> Vec<String> {
    let tree = tree(files);
    runs_up(&tree, &imports(&tree), "", crate::FLOORS)
}

/// The circles.
pub fn rounds(files: &[(&str, &str)]) -> Vec<String> {
    circles(&imports(&tree(files)))
}

#[test]
fn an_import_downward_is_lawful() {
    let files = [
        ("lib.rs", "mod api; mod release; fn init() { crate::postgres::start(); api::all() }"),
        ("api/mod.rs", "use crate::release::make; use crate::postgres::Error;"),
        ("api/tds.rs", "use super::all; use crate::terms::Model;"),
        ("release/mod.rs", "use crate::search::run; use crate::recount; pub fn make() {}"),
        ("search/mod.rs", "use crate::terms::Model; use crate::read::scan; pub fn run() {}"),
        ("recount/mod.rs", "use crate::terms::Model;"),
        ("terms/mod.rs", "use crate::read::Source; pub struct Model;"),
        ("read/mod.rs", "use crate::postgres::Error; pub struct Source; pub fn scan() {}"),
        ("postgres/mod.rs", "use std::fmt; use pgrx::prelude::*; pub struct Error; pub fn start() {}"),
    ];
    assert_eq!(ups(&files), [""; 0]);
    assert_eq!(rounds(&files), [""; 0]);
    assert!(imports(&tree(&files)).len() > 10);
}

#[test]
fn an_import_upward_is_found() {
    let files =
        [("postgres/sql.rs", "use crate::read::source::Source;"), ("read/source.rs", "pub struct Source;")];
    let fault = "postgres/sql.rs -> read/source.rs runs up: use crate::read::source::Source";
    assert_eq!(ups(&files), [fault]);
}

#[test]
fn nobody_imports_the_api_or_the_root() {
    let files = [
        ("lib.rs", "pub struct Root;"),
        ("api/mod.rs", "pub fn needed() {}"),
        ("release/mod.rs", "use crate::api::needed; use crate::Root;"),
        ("postgres/mod.rs", "fn f() { crate::api::needed() }"),
    ];
    let faults = [
        "postgres/mod.rs -> api/mod.rs runs up: crate::api::needed",
        "release/mod.rs -> api/mod.rs runs up: use crate::api::needed",
        "release/mod.rs -> lib.rs runs up: use crate::Root",
    ];
    assert_eq!(ups(&files), faults);
}

#[test]
fn a_folder_is_a_house_of_its_own() {
    let files = [
        ("lib.rs", ""),
        ("postgres/mod.rs", "pub fn needed() {}"),
        ("release/mod.rs", "mod store; mod verbs; mod odd;"),
        ("release/store/mod.rs", "use crate::release::verbs::needed; use crate::postgres::needed as other;"),
        ("release/verbs/mod.rs", "use crate::release::store; pub fn needed() {}"),
        ("release/odd.rs", ""),
    ];
    let tree = tree(&files);
    let faults = [
        "release/odd.rs is in no room",
        "release/store/mod.rs -> release/verbs/mod.rs runs up: use crate::release::verbs::needed",
    ];
    assert_eq!(runs_up(&tree, &imports(&tree), "release/", crate::FLOORS_OF_RELEASE), faults);
}

#[test]
fn rooms_on_one_floor_do_not_know_each_other() {
    let files = [
        ("search/mod.rs", "use crate::recount::count; pub struct Found;"),
        ("recount.rs", "use crate::search::Found; pub fn count() {}"),
    ];
    let faults = [
        "recount.rs -> search/mod.rs runs sideways: use crate::search::Found",
        "search/mod.rs -> recount.rs runs sideways: use crate::recount::count",
    ];
    assert_eq!(ups(&files), faults);
}

#[test]
fn a_file_outside_the_rooms_is_found() {
    let files = [("lib.rs", ""), ("attic/mod.rs", ""), ("cellar.rs", ""), ("read/mod.rs", "")];
    assert_eq!(ups(&files), ["attic/mod.rs is in no room", "cellar.rs is in no room"]);
}

#[test]
fn a_circle_of_two_is_found() {
    let files = [
        ("read/plan.rs", "use super::scan::scan; pub fn plan() { scan() }"),
        ("read/scan.rs", "pub fn scan() { crate::read::plan::plan() }"),
        ("read/mod.rs", "mod plan; mod scan;"),
    ];
    let circle =
        "read/plan.rs -> read/scan.rs (use super::scan::scan) -> read/plan.rs (crate::read::plan::plan)";
    assert_eq!(rounds(&files), [circle]);
}

#[test]
fn a_circle_of_three_is_found() {
    let files = [
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "use crate::a::A; pub struct C;"),
        ("d.rs", "use crate::a::A;"),
    ];
    let circle = "a.rs -> b.rs (use crate::b::B) -> c.rs (use crate::c::C) -> a.rs (use crate::a::A)";
    assert_eq!(rounds(&files), [circle]);
}

#[test]
fn two_circles_are_told_apart() {
    let files = [
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::a::A; pub struct B;"),
        ("c.rs", "use crate::d::D; pub struct C;"),
        ("d.rs", "use crate::c::C; use crate::a::A; pub struct D;"),
    ];
    assert_eq!(rounds(&files).len(), 2);
}

#[test]
fn a_module_and_what_it_is_made_of_are_one() {
    // What a file takes from the module that it is a part of is its own; a sibling's is not.
    let parent =
        ("search/mod.rs", "mod bind; mod cluster; use bind::Bound; pub fn ranked() {} fn f(_: Bound) {}");
    let files = [parent, ("search/bind.rs", "use super::ranked; pub struct Bound;")];
    assert_eq!(rounds(&files), [""; 0]);
    let files = [
        parent,
        ("search/bind.rs", "use super::cluster::Cluster; pub struct Bound;"),
        ("search/cluster.rs", "use super::bind::Bound; pub struct Cluster;"),
    ];
    assert_eq!(rounds(&files).len(), 1);
    // A way back through another module's file is one, too.
    let files = [
        ("search/mod.rs", "mod bind; pub fn ranked(_: crate::terms::Term) {}"),
        ("terms/mod.rs", "pub struct Term; fn f(_: crate::search::bind::Bound) {}"),
        ("search/bind.rs", "use crate::terms::Term; pub struct Bound;"),
    ];
    assert_eq!(rounds(&files).len(), 1);
}

#[test]
fn words_are_those_of_code() {
    assert!(says("fn f() { unsafe { g() } }", &["unsafe"]));
    assert!(says("thing!(a, [unsafe { b }]);", &["unsafe"]));
    assert!(says("use pgrx::PgTryBuilder;", &["catch_unwind", "PgTryBuilder"]));
    let quiet = "//! unsafe\n/* unsafe */ /// unsafe\n#![forbid(unsafe_code)] const A: &str = \"unsafe\";";
    assert!(!says(quiet, &["unsafe"]));
}

#[test]
fn what_is_named_under_the_documents_is_seen() {
    // In two parts, for else the law would look for these pages.
    let docs = "docs";
    let text =
        format!("//! ({docs}/a/b.md#c-1; {docs}/c.md). See {docs}/d.svg.\n\"x/{docs}/no.md\", {docs}.rs/e");
    let [b, c, d] = ["a/b.md", "c.md", "d.svg"].map(|page| format!("{docs}/{page}"));
    assert_eq!(pages_named(&text), [(&b[..], "c-1"), (&c, ""), (&d, "")]);
}
