//! pg_topdown: privacy-preserving releases of a table, searched top-down inside PostgreSQL.
//!
//! The algorithms are the crate `topdown` (engine/), which knows nothing of PostgreSQL. This crate
//! is the other half: it knows only PostgreSQL. A call flows through the modules in this order:
//!
//! [`api`] takes the arguments, [`request`] checks them against the [`source`] and names every
//! fault at once, [`scan`] reads the named columns into codes, [`bind`] gives the codes their
//! hierarchies and labels, the engine searches, and [`release`] writes, recounts and publishes.
//! docs/ARCHITECTURE.md says which rules hold everywhere.

use pgrx::prelude::*;

::pgrx::pg_module_magic!(name, version);

mod api;
mod bind;
mod cluster;
mod datum;
mod endpoint;
mod error;
mod guc;
mod measure;
mod names;
mod numeric;
mod operation;
mod plan;
mod progress;
mod recount;
mod release;
mod request;
mod scan;
mod search;
mod source;
mod sql;
mod subtransaction;

extension_sql_file!("../sql/finalize.sql", name = "finalize", finalize);

#[pg_guard]
pub extern "C-unwind" fn _PG_init() {
    // A server may run with RUST_BACKTRACE set; stacks and build paths are no part of a message, so
    // what would capture them is told not to before it first looks.
    std::env::set_var("RUST_LIB_BACKTRACE", "0");
    guc::define();
}
