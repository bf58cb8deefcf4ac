//! The reference tells of every function, argument and setting that there is, and of no other.

use client_tests::book::{pages, Page};
use client_tests::connect;
use client_tests::reference::{functions, generated, PAGES};
use std::collections::{BTreeMap, BTreeSet};

fn reference() -> Vec<Page> {
    pages().into_iter().filter(|page| PAGES.contains(&&*page.path)).collect()
}

#[test]
fn what_is_generated_is_what_the_install_script_says() {
    for page in reference() {
        assert!(generated(&page.text) == page.text, "{} is of before: make schema", page.path);
    }
}

/// The section of each heading of the third level.
fn sections(pages: &[Page]) -> BTreeMap<String, String> {
    let mut sections = BTreeMap::new();
    for page in pages {
        for section in page.text.split("\n### ").skip(1) {
            let (name, text) = section.split_once('\n').unwrap();
            let text = text.split("\n## ").next().unwrap();
            let twice = sections.insert(name.to_string(), text.to_string());
            assert!(twice.is_none(), "{name} has two sections");
        }
    }
    sections
}

#[test]
fn every_function_and_argument_has_its_place() {
    let sections = sections(&reference());
    for (name, function) in functions() {
        let section = sections.get(&name).unwrap_or_else(|| panic!("{name} has no section"));
        assert!(section.contains(&format!("<!-- generated: {name} -->")), "{name} has no generated part");
        assert!(section.contains("```sql"), "{name} has no example");
        let items = section.lines().filter_map(|line| line.strip_prefix("- `"));
        let items = items.filter_map(|line| line.split('`').next()).map(String::from);
        let told: Vec<String> = items.filter(|item| function.arguments.contains(item)).collect();
        assert_eq!(told, function.arguments, "the arguments of {name}");
        assert!(!function.comment.is_empty(), "{name} has no comment");
    }
}

#[test]
fn every_setting_is_told_of_with_its_default() {
    let mut db = connect();
    let page = pages().into_iter().find(|page| page.path == "docs/reference/settings.md").unwrap();
    let settings = "SELECT name, boot_val, context FROM pg_settings WHERE name LIKE 'pg_topdown.%'";
    db.batch_execute("SELECT k_anonymity('{a}', 2)").unwrap();
    let rows = db.query(settings, &[]).unwrap();
    let there: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();
    let sections = page.text.split("\n## ").skip(1);
    let sections: BTreeMap<String, &str> = sections
        .map(|section| (section.lines().next().unwrap().trim_matches('`').to_string(), section))
        .collect();
    let told: BTreeSet<String> =
        sections.keys().filter(|name| name.starts_with("pg_topdown.")).cloned().collect();
    assert_eq!(told, there);
    for row in &rows {
        let (name, context): (String, String) = (row.get(0), row.get(2));
        let superusers = sections[&name].to_lowercase().contains("superuser");
        assert_eq!(superusers, context == "superuser", "who sets {name}");
    }
}
