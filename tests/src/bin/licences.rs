//! Prints the licences of the crates in the extension's library, with their texts, for its packages.

use client_tests::licences::{document, packages};

fn main() {
    print!("{}", document(&packages()));
}
