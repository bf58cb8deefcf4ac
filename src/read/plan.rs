//! Planning a query on a source: it reads the relation that was looked up, and all of its rows.
//!
//! A statement names its source, and a name may mean something else by now: the relation is locked,
//! but its schema can be renamed and another put in its place. So the plan must depend on the OID
//! that was looked up.
//!
//! A source whose rows the caller sees only in part is refused: a release would not say of what
//! part it is (PRIVACY: row-level security). Whether policies are in force, for the caller or for
//! the owner of a view in between, is decided by PostgreSQL's rewriter: it hangs them on the range
//! table entries of the query it makes, as security quals. (A cached plan's own flag says less: it
//! is also set where somebody is exempt.) What only shows when the query runs, in functions below a
//! view, is an error of PostgreSQL's: the operation has row_security off.

use super::source::Source;
use crate::postgres::citus;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::hint::Hint;
use crate::postgres::operation::{self, Operation};
use crate::postgres::{settings, sql};
use pgrx::datum::DatumWithOid;
use pgrx::list::List;
use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleData;
use std::ffi::c_void;

/// The rows of a query on a source, which is the relation that was looked up and hides no rows.
pub fn look_at<T>(
    source: &Source,
    statement: &str,
    args: &[DatumWithOid],
    row: impl FnMut(&SpiHeapTupleData) -> Result<T>,
) -> Result<Vec<T>> {
    look_at_all(source, &[], statement, args, row)
}

/// The same of a query on a source and on others that are named beside it.
pub fn look_at_all<T>(
    source: &Source,
    others: &[Leaf],
    statement: &str,
    args: &[DatumWithOid],
    row: impl FnMut(&SpiHeapTupleData) -> Result<T>,
) -> Result<Vec<T>> {
    let _told = Hint::of_not_found();
    citus::read(source.oid, || {
        Spi::connect(|_| sql::fetch(on_relations(source, others, statement, &sql::types(args))?, args, row))
    })
}

/// A partition of a source that is read by its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    pub oid: Oid,
    pub qualified: String,
}

/// Prepares a statement over a source.
pub fn on_source(source: &Source, statement: &str, types: &[Oid]) -> Result<pg_sys::SPIPlanPtr> {
    on_relations(source, &[], statement, types)
}

/// Prepares a statement over a source, and over leaves of it that are named beside it.
pub fn on_relations(
    source: &Source,
    leaves: &[Leaf],
    statement: &str,
    types: &[Oid],
) -> Result<pg_sys::SPIPlanPtr> {
    // Seen as it would be with row-level security, so that hidden rows are told from missing rights.
    let seen = Operation::with_row_security();
    let plan = sql::prepare(statement, types)?;
    drop(seen);
    // SAFETY: prepared just now.
    let Reads { relations, policies } = unsafe { look_into(plan) };
    let same = leaves.iter().map(|leaf| leaf.oid).chain([source.oid]).all(|oid| relations.contains(&oid));
    let policies = policies || citus::hides_rows(&relations)?;
    // Depending on it is not enough: what has its name now may be a view of it.
    let mut as_named = sql::relation(&source.qualified())? == Some(source.oid);
    for leaf in leaves {
        as_named &= sql::relation(&leaf.qualified)? == Some(leaf.oid);
    }
    if !same || !as_named {
        return Err(SqlError::serialization("the source was replaced while it was read").hint("Call again."));
    }
    if policies && !settings::allow_row_security() {
        return Err(SqlError::unsupported(format!(
            "row-level security hides rows of \"{}\" from \"{}\"",
            source.name,
            operation::acting_role()
        ))
        .detail("A release, or a count, would silently be of a part of the rows.")
        .hint("Set pg_topdown.allow_row_security to on to go on with the rows that this role sees."));
    }
    Ok(plan)
}

/// What a plan reads.
#[derive(Default)]
struct Reads {
    /// The relations that it depends on.
    relations: Vec<Oid>,
    /// Whether policies hide rows.
    policies: bool,
}

/// # Safety
/// `plan` is a plan that SPI has just prepared.
unsafe fn look_into(plan: pg_sys::SPIPlanPtr) -> Reads {
    let mut found = Reads::default();
    pgrx::memcx::current_context(|context| {
        // SAFETY: the lists, the plan sources and their rewritten queries belong to the plan, and
        // are only read.
        unsafe {
            let list = |list| List::<*mut c_void>::downcast_ptr_in_memcx(list, context);
            let Some(sources) = list(pg_sys::SPI_plan_get_plan_sources(plan)) else { return };
            for &source in sources.iter() {
                let source = source.cast::<pg_sys::CachedPlanSource>();
                let relations = List::<Oid>::downcast_ptr_in_memcx((*source).relationOids, context);
                found.relations.extend(relations.iter().flat_map(|relations| relations.iter()));
                let Some(queries) = list((*source).query_list) else { continue };
                found.policies |= queries.iter().any(|&q| has_policies(q.cast(), std::ptr::null_mut()));
            }
        }
    });
    found
}

/// Whether any range table entry below a node has security quals.
///
/// # Safety
/// `node` is one of a query, or NULL.
unsafe fn has_policies(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    if node.is_null() {
        return false;
    }
    // SAFETY: the node's tag says what it is; the walkers hand on nodes of the same query.
    unsafe {
        match (*node).type_ {
            pg_sys::NodeTag::T_RangeTblEntry => {
                !(*node.cast::<pg_sys::RangeTblEntry>()).securityQuals.is_null()
            }
            pg_sys::NodeTag::T_Query => pg_sys::query_tree_walker(
                node.cast(),
                Some(walk_on),
                context,
                pg_sys::QTW_EXAMINE_RTES_BEFORE as i32,
            ),
            _ => pg_sys::expression_tree_walker(node, Some(walk_on), context),
        }
    }
}

/// The same for PostgreSQL's walkers, which an error goes through as theirs do. Nobody else calls it: from Rust an error would go
/// past all that is to be undone.
#[pg_guard]
unsafe extern "C-unwind" fn walk_on(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
    // SAFETY: as the walkers promise.
    unsafe { has_policies(node, context) }
}
