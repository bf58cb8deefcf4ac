//! PostgreSQL as the rooms above see it: errors, settings, whose rights are in force, statements of
//! our own, values of any type, arguments and results.
//!
//! Nothing here knows what a release or a privacy model is. With the scan of a source and the writing
//! of a version this is where unsafe code lives; what the laws of docs/ARCHITECTURE.md say is kept by
//! [`operation`], [`subtransaction`], [`sql`] and [`progress`], each the only place for its law.

pub mod activity;
pub mod allocator;
pub mod arguments;
pub mod arrays;
pub mod at_commit;
pub mod chunk;
pub mod citus;
pub mod context;
pub mod cursors;
pub mod datum;
pub mod endpoint;
pub mod error;
pub mod grid;
pub mod heap;
pub mod hint;
pub mod insert;
pub mod json;
pub mod line;
pub mod locks;
pub mod names;
pub mod operation;
pub mod procedure;
pub mod progress;
pub mod random;
pub mod rows;
pub mod settings;
pub mod sql;
pub mod stored;
pub mod subtransaction;
pub mod temporary;
pub mod text;
pub mod threads;
pub mod tuples;
