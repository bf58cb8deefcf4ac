//! Licences: no crate that we build or test with is under one that is not on the list, and the document that goes with the
//! library has the text of each that is in it.

use client_tests::licences::{document, packages, Package};

#[test]
fn none_is_outside_the_list() {
    let packages = packages();
    let linked = packages.iter().filter(|package| package.linked).count();
    assert!(linked > 20 && packages.len() > linked, "only {linked} of {} crates are linked", packages.len());
    let outside: Vec<String> = packages
        .iter()
        .filter(|package| package.accepted().is_none())
        .map(|package| format!("{} ({})", package.name, package.licence))
        .collect();
    assert!(outside.is_empty(), "licences outside the list of tests/src/licences.rs: {outside:?}");
}

#[test]
fn the_list_is_asked() {
    let mut package = packages().swap_remove(0);
    let mut names = |licence: &str| {
        package.licence = licence.into();
        package.accepted().map(|all| all.iter().map(|id| id.name).collect::<Vec<_>>())
    };
    assert_eq!(names("MIT/Apache-2.0"), Some(vec!["MIT", "Apache-2.0"]));
    assert_eq!(names("GPL-3.0-only OR MIT"), Some(vec!["MIT"]));
    assert_eq!(names("(MIT OR Apache-2.0) AND Unicode-3.0"), Some(vec!["MIT", "Apache-2.0", "Unicode-3.0"]));
    for outside in [
        "GPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "AGPL-3.0-or-later",
        "LicenseRef-ours",
        "all rights reserved",
        "",
    ] {
        assert_eq!(names(outside), None, "{outside}");
    }
}

#[test]
fn the_document_has_them_all() {
    let packages = packages();
    let document = document(&packages);
    let (linked, others): (Vec<&Package>, Vec<&Package>) =
        packages.iter().partition(|package| package.linked);
    let told = |package: &&&Package| document.contains(&format!("\n{}: {}\n", package.name, package.licence));
    assert_eq!(linked.iter().filter(told).count(), linked.len());
    assert_eq!(others.iter().filter(told).count(), 0);
    assert!(linked.iter().any(|package| package.name.starts_with("pgrx 0.")), "pgrx is in the library");
    // Nothing stands under a heading without a text, or without a standard text that is there.
    let empty =
        document.split(&"=".repeat(78)).skip(2).step_by(2).filter(|text| text.trim().is_empty()).count();
    assert_eq!(empty, 0);
    for part in document.split("see the standard text of ").skip(1) {
        let name = part.split(' ').next().unwrap();
        assert!(document.contains(&format!("\nStandard text of {name}\n")), "{name}");
    }
}
