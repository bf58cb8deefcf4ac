//! pg_topdown: privacy-preserving releases of a table, searched top-down inside PostgreSQL.
//!
//! The algorithms are the crate `topdown` (engine/), which knows nothing of PostgreSQL. This crate
//! is the other half: it knows only PostgreSQL. A call flows through the modules in this order:
//!
//! [`api`] takes the arguments; [`terms`] lays them over the source and names every fault at once;
//! [`read`] reads the named columns into codes; [`search`] binds the codes to hierarchies and models and
//! has the engine search; [`release`] writes what was found, has [`recount`] count every model on it, and
//! publishes. Everything that touches PostgreSQL does so by way of [`postgres`]. No room imports one above
//! it in that list of floors: docs/ARCHITECTURE.md says which rules hold everywhere.

use pgrx::prelude::*;

::pgrx::pg_module_magic!(name, version);

mod api;
mod postgres;
mod read;
mod recount;
mod release;
mod search;
mod terms;

extension_sql_file!("../sql/finalize.sql", name = "finalize", finalize);

#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    // A server may run with RUST_BACKTRACE set; stacks and build paths are no part of a message, so
    // what would capture them is told not to before it first looks.
    std::env::set_var("RUST_LIB_BACKTRACE", "0");
    postgres::progress::begin();
    postgres::settings::define();
    postgres::allocator::begin();
}
