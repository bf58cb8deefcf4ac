//! Prints the install script of the extension, as its code makes it, given the path of its library.

use client_tests::schema::script;
use std::path::PathBuf;

fn main() {
    let library: PathBuf = std::env::args().nth(1).expect("the path of the library").into();
    print!("{}", script(&library));
}
