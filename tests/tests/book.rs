//! The documentation keeps its own rules: its SQL runs, its links lead somewhere, the book lists every page.

use client_tests::book::{pages, root, Page};
use client_tests::Database;
use std::collections::BTreeSet;
use std::fs;

/// Where SQL is run page by page. docs/guide/scheduling.md has tests/tests/schedule.rs.
fn runs(page: &Page) -> bool {
    let folders = ["docs/guide/", "docs/concepts/", "docs/reference/", "docs/operations/"];
    let here = page.path == "README.md" || folders.iter().any(|folder| page.path.starts_with(folder));
    here && page.path != "docs/guide/scheduling.md"
}

#[test]
fn the_sql_of_every_page_runs_in_its_order() {
    let mut blocks = 0;
    for page in pages().iter().filter(|page| runs(page) && !page.sql().is_empty()) {
        let mut db = Database::empty();
        db.batch_execute("SET client_min_messages = error").unwrap();
        if !page.text.contains("CREATE EXTENSION pg_topdown") {
            db.batch_execute("CREATE EXTENSION pg_topdown").unwrap();
        }
        for file in page.setup() {
            let setup =
                fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            // A tenth of the rows do.
            let setup = setup.replace("1, 1000000", "1, 100000").replace("0, 299999", "0, 29999");
            db.batch_execute(&setup).unwrap_or_else(|error| panic!("{}: {error:?}", file.display()));
        }
        for sql in page.sql() {
            let result = db.batch_execute(&sql.text);
            let state = result.as_ref().err().map(|error| error.code().unwrap().code().to_string());
            assert_eq!(state, sql.fails, "{}:\n{}\n{result:?}", page.path, sql.text);
            blocks += 1;
        }
    }
    assert!(blocks > 20, "{blocks} blocks");
}

#[test]
fn links_lead_to_pages_and_headings_that_are_there() {
    let pages = pages();
    let mut faults = Vec::new();
    for page in &pages {
        for link in page.links() {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = root().join(&page.path).parent().unwrap().to_path_buf();
            let file = if file.is_empty() { root().join(&page.path) } else { folder.join(file) };
            let Some(file) = file.canonicalize().ok().filter(|file| file.is_file()) else {
                faults.push(format!("{}: no file {link}", page.path));
                continue;
            };
            if page.path.starts_with("docs/")
                && !file.starts_with(root().join("docs").canonicalize().unwrap())
            {
                faults.push(format!("{}: {link} is outside the book", page.path));
            }
            let of = pages.iter().find(|page| root().join(&page.path).canonicalize().unwrap() == file);
            if !anchor.is_empty() && !of.is_some_and(|page| page.anchors().contains(anchor)) {
                faults.push(format!("{}: no heading {link}", page.path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_book_lists_every_page() {
    let pages = pages();
    let summary = pages.iter().find(|page| page.path == "docs/SUMMARY.md").expect("docs/SUMMARY.md");
    let listed: BTreeSet<String> = summary.links().iter().map(|link| format!("docs/{link}")).collect();
    let there = pages.iter().map(|page| page.path.clone());
    let there: BTreeSet<String> =
        there.filter(|path| path != "README.md" && path != "docs/SUMMARY.md").collect();
    assert_eq!(listed, there);
    // What comes first is index.html, too: its links would lead nowhere if it were in a folder.
    assert_eq!(summary.links()[0], "README.md");
}

#[test]
fn lines_of_prose_are_short() {
    let long = |page: &Page| {
        page.long_lines(120).iter().map(|line| format!("{}:{line}", page.path)).collect::<Vec<_>>()
    };
    let long: Vec<String> = pages().iter().flat_map(long).collect();
    assert!(long.is_empty(), "lines of more than 120 characters: {}", long.join(" "));
}
