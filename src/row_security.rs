//! A source whose rows the caller sees only in part is refused: the release would not say of what
//! part it is (PRIVACY: row-level security).
//!
//! Whether policies are in force, for the caller or for the owner of a view in between, is decided
//! by PostgreSQL's rewriter: it hangs them on the range table entries of the query it makes, as
//! security quals. (A cached plan's own flag says less: it is also set where somebody is exempt.)

use crate::error::{Result, SqlError};
use crate::guc;
use crate::source::Source;
use pgrx::list::List;
use pgrx::pg_sys;
use pgrx::prelude::*;
use std::ffi::c_void;

/// Refuses a plan that reads under policies, unless the setting allows it.
///
/// # Safety
/// `plan` is a plan that SPI has just prepared.
pub unsafe fn refuse(source: &Source, plan: pg_sys::SPIPlanPtr) -> Result<()> {
    // SAFETY: as the caller promises.
    if guc::allow_row_security() || !unsafe { in_force(plan) } {
        return Ok(());
    }
    Err(SqlError::unsupported(format!(
        "row-level security hides rows of \"{}\" from the caller",
        source.name
    ))
    .detail("A release would silently be of a part of the rows.")
    .hint("Set pg_topdown.allow_row_security to on to release the rows that the caller sees."))
}

/// # Safety
/// `plan` is a plan that SPI has just prepared.
unsafe fn in_force(plan: pg_sys::SPIPlanPtr) -> bool {
    pgrx::memcx::current_context(|context| {
        // SAFETY: the lists, the plan sources and their rewritten queries belong to the plan, and
        // are only read.
        unsafe {
            let sources =
                List::<*mut c_void>::downcast_ptr_in_memcx(pg_sys::SPI_plan_get_plan_sources(plan), context);
            sources.is_some_and(|sources| {
                sources.iter().any(|&source| {
                    let source = source.cast::<pg_sys::CachedPlanSource>();
                    let queries = List::<*mut c_void>::downcast_ptr_in_memcx((*source).query_list, context);
                    queries.is_some_and(|queries| {
                        queries.iter().any(|&query| has_policies(query.cast(), std::ptr::null_mut()))
                    })
                })
            })
        }
    })
}

/// Whether any range table entry below a node has security quals; a walker of PostgreSQL's.
#[pg_guard]
unsafe extern "C-unwind" fn has_policies(node: *mut pg_sys::Node, context: *mut c_void) -> bool {
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
                Some(has_policies),
                context,
                pg_sys::QTW_EXAMINE_RTES_BEFORE as i32,
            ),
            _ => pg_sys::expression_tree_walker(node, Some(has_policies), context),
        }
    }
}
