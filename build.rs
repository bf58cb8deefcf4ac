//! The library keeps the section that its SQL is made of (`tests/src/schema.rs`). Nothing in the library refers to that
//! section, so a linker that collects garbage would drop it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os != "macos") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--no-gc-sections");
    }
}
