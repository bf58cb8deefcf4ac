//! Writes the generated parts of the reference anew, in place.

use client_tests::book::root;
use client_tests::reference::{generated, PAGES};
use std::fs;

fn main() {
    for page in PAGES.iter().map(|page| root().join(page)) {
        let text = fs::read_to_string(&page).unwrap();
        fs::write(&page, generated(&text)).unwrap();
    }
}
