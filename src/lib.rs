//! pg_topdown.
use pgrx::prelude::*;

::pgrx::pg_module_magic!(name, version);

/// The version of the loaded library.
#[pg_extern(immutable, strict, parallel_safe)]
fn pg_topdown_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
