//! The ways in which an import can be written, each upward from postgres/ in a made-up tree; and what only
//! looks like one.

use super::made_up::{rounds, tree, ups};
use super::tree::Place;

/// The tree that a text is set into: postgres/sql.rs, at the bottom, with this text.
fn upward(text: &str) -> Vec<String> {
    ups(&[
        ("lib.rs", "mod postgres; mod read; mod terms;"),
        ("postgres/mod.rs", "pub mod sql; pub mod error; use crate::postgres::error::Error;"),
        ("postgres/error.rs", "pub struct Error; pub enum Kind { One }"),
        ("postgres/sql.rs", text),
        ("read/mod.rs", "pub mod source; pub use source::Source; pub fn scan() {}"),
        ("read/source.rs", "pub struct Source; macro_rules! made { () => {} }"),
        ("terms/mod.rs", "pub mod masking; pub use masking::*;"),
        ("terms/masking.rs", "pub enum Masking { By }"),
    ])
}

/// Whether a text imports just this file, in these words.
fn imports(text: &str, to: &str, words: &str) {
    assert_eq!(upward(text), [format!("postgres/sql.rs -> {to} runs up: {words}")], "{text}");
}

#[test]
fn by_use() {
    imports("use crate::read::scan;", "read/mod.rs", "use crate::read::scan");
    imports("use crate::read;", "read/mod.rs", "use crate::read");
    imports("pub use crate::read::scan;", "read/mod.rs", "pub use crate::read::scan");
    imports("use crate::read::*;", "read/mod.rs", "use crate::read::*");
    imports("use crate::read::scan as s;", "read/mod.rs", "use crate::read::scan");
    imports("fn f() { use crate::read::scan; scan() }", "read/mod.rs", "use crate::read::scan");
    imports("mod inner { use crate::read::scan; }", "read/mod.rs", "use crate::read::scan");
}

#[test]
fn by_a_nested_group() {
    let text = "use crate::{postgres::{error::{self, Error}}, read::{source::{self, Source}}};";
    imports(text, "read/source.rs", "use crate::read::source");
    imports("use {crate::read::scan, std::fmt};", "read/mod.rs", "use crate::read::scan");
}

#[test]
fn by_super() {
    imports("use super::super::read::scan;", "read/mod.rs", "use super::super::read::scan");
    imports("fn f() { super::super::read::scan() }", "read/mod.rs", "super::super::read::scan");
    imports(
        "mod inner { fn f() { super::super::super::read::scan() } }",
        "read/mod.rs",
        "super::super::super::read::scan",
    );
    assert_eq!(upward("use super::error::Error; use super::Error as E; fn f() { self::g() }"), [""; 0]);
    assert_eq!(upward("mod inner { use super::super::error::Error; fn f() { super::g() } }"), [""; 0]);
}

#[test]
fn by_a_path_in_code() {
    let path = "crate::read::source::Source";
    imports("fn f() -> crate::read::source::Source { g() }", "read/source.rs", path);
    imports("impl crate::read::source::Source { }", "read/source.rs", path);
    imports("fn f() { g::<Vec<crate::read::source::Source>>() }", "read/source.rs", path);
    imports("fn f() { matches!(x, crate::read::source::Source { .. }) }", "read/source.rs", path);
    imports("fn f() { format!(\"{}\", [g(&crate::read::scan())]) }", "read/mod.rs", "crate::read::scan");
    imports("macro_rules! m { () => { $crate::read::scan() } }", "read/mod.rs", "crate::read::scan");
    imports("#[made(by = crate::read::scan)] struct A;", "read/mod.rs", "crate::read::scan");
    imports(
        "fn f() { <A as crate::read::source::Trait>::g() }",
        "read/source.rs",
        "crate::read::source::Trait::g",
    );
    // What a macro or another macro's output defines is not seen, but its module is.
    imports(
        "fn f() { crate::read::source::generated() }",
        "read/source.rs",
        "crate::read::source::generated",
    );
}

#[test]
fn through_a_re_export_to_where_it_comes_from() {
    imports("use crate::read::Source;", "read/source.rs", "use crate::read::Source");
    imports("use crate::terms::Masking;", "terms/masking.rs", "use crate::terms::Masking");
    imports("fn f() { crate::terms::Masking::By }", "terms/masking.rs", "crate::terms::Masking::By");
    let faults = [
        "postgres/sql.rs -> read/mod.rs runs up: use super::super::read",
        "postgres/sql.rs -> read/source.rs runs up: r::Source",
    ];
    assert_eq!(upward("use super::super::read as r; fn f() -> r::Source { r::scan() }"), faults);
}

#[test]
fn a_re_export_hides_no_import_upward() {
    // What postgres/ passes on from above is found where it is passed on, and where it is used.
    let files = [
        ("postgres/mod.rs", "pub mod sql; pub use crate::read::scan as look;"),
        ("postgres/sql.rs", "fn f() { super::look() }"),
        ("read/mod.rs", "pub fn scan() {}"),
    ];
    let faults = [
        "postgres/mod.rs -> read/mod.rs runs up: pub use crate::read::scan",
        "postgres/sql.rs -> read/mod.rs runs up: super::look",
    ];
    assert_eq!(ups(&files), faults);
}

#[test]
fn siblings_that_meet_through_their_parent() {
    // They depend on each other, not on it.
    let files = [
        ("read/mod.rs", "mod plan; mod scan; pub use plan::plan; pub use scan::scan;"),
        ("read/plan.rs", "use super::scan; pub fn plan() { scan() }"),
        ("read/scan.rs", "pub fn scan() {}"),
    ];
    assert_eq!(rounds(&files), [""; 0]);
    let files = [files[0], files[1], ("read/scan.rs", "use super::plan; pub fn scan() { plan() }")];
    assert_eq!(rounds(&files).len(), 1);
}

#[test]
fn what_only_looks_like_an_import() {
    let quiet = [
        "// use crate::read::scan;",
        "/* crate::read::scan() */ fn f() {}",
        "//! [`crate::read::scan`]",
        "const A: &str = \"crate::read::scan()\";",
        "#[cfg(test)] mod tests { use crate::read::scan; }",
        "#[cfg(test)] use crate::read::scan;",
        "struct A; impl A { #[cfg(test)] fn f() { crate::read::scan() } }",
        "pub(in crate::postgres) fn f() {}",
        "use read::scan; use ::crate_of_others::read; fn f() { ::read::scan(); x.read(); read(self::A) }",
        "fn f() { m!(x: ::read::scan, read, 'read) }",
    ];
    for text in quiet {
        assert_eq!(upward(text), [""; 0], "{text}");
    }
}

#[test]
fn a_file_for_tests_is_left_out() {
    let files = [
        ("postgres/mod.rs", "#[cfg(test)] mod tests; pub mod sql;"),
        ("postgres/tests.rs", "use crate::read::scan;"),
        ("postgres/tests/more.rs", "use crate::read::scan;"),
        ("read/mod.rs", "pub fn scan() {}"),
    ];
    assert_eq!(ups(&files), [""; 0]);
}

#[test]
fn paths_that_lead_in_circles_end() {
    let files =
        [("a.rs", "pub use crate::b::x;"), ("b.rs", "pub use crate::a::x;"), ("c.rs", "pub use self::*;")];
    let tree = tree(&files);
    let path = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(tree.place(&path(&["c"]), &path(&["crate", "a", "x"])), Place::Elsewhere);
    assert_eq!(tree.place(&path(&["c"]), &path(&["y", "z"])), Place::Elsewhere);
}
