//! Cursors in an operation: those of before stay as they are, and those that code below a source opens do not outlive it.
//!
//! A cursor that PL/Perl opens is pinned. A COMMIT within a procedure or a DO block runs the queries of pinned cursors to their
//! ends, with the rights of whoever commits (HoldPinnedPortals). And who closes the caller's cursor and opens another of its name has the
//! caller run that one.

use super::progress::polled;
use pgrx::pg_sys;
use std::ffi::CStr;
use std::ptr;

/// A cursor of before: its status, and whether it was pinned.
type Before = (pg_sys::Portal, pg_sys::PortalStatus::Type, bool);

/// The cursors that were open when an operation began, until it ends: then all others are closed.
#[derive(Debug)]
pub struct Cursors(Vec<Before>);

impl Cursors {
    /// Those that are open now. Nobody runs or closes them meanwhile: they are taken for active ones.
    pub fn keep() -> Cursors {
        // SAFETY: open portals, as all() has found them.
        let kept = all().into_iter().map(|portal| unsafe {
            let before = (portal, (*portal).status, (*portal).portalPinned);
            (*portal).status = pg_sys::PortalStatus::PORTAL_ACTIVE;
            before
        });
        Cursors(kept.collect())
    }
}

impl Drop for Cursors {
    fn drop(&mut self) {
        for &(portal, status, is_pinned) in &self.0 {
            // SAFETY: active portals are not dropped before the end of the transaction, which is after the end of what runs in it.
            unsafe {
                (*portal).status = status;
                (*portal).portalPinned = is_pinned;
            }
        }
        // The end of the (sub)transaction closes the others after an error.
        if std::thread::panicking() {
            return;
        }
        let opened = all().into_iter().filter(|portal| self.0.iter().all(|(before, ..)| before != portal));
        for portal in polled(opened) {
            // SAFETY: an open portal, as all() has found it. What opened it has ended, so nobody runs it.
            unsafe {
                if (*portal).portalPinned {
                    pg_sys::UnpinPortal(portal);
                }
                pg_sys::PortalDrop(portal, false);
            }
        }
    }
}

/// All that are open. Each has a memory context below one of all portals, which is called like it; that of the one without a name, which
/// runs what a client sends or waits amid that, is called like somebody's cursor may be, too.
fn all() -> Vec<pg_sys::Portal> {
    // SAFETY: memory contexts are the backend's own, and nothing is made or freed meanwhile; names of portals end with NUL.
    unsafe {
        let portals = children(pg_sys::TopMemoryContext)
            .find(|&context| CStr::from_ptr((*context).name) == c"TopPortalContext")
            .unwrap_or(ptr::null_mut());
        let portals = children(portals).filter(|&context| !(*context).ident.is_null());
        let open = portals.filter_map(|context| {
            let called = [(*context).ident, c"".as_ptr()].map(|name| pg_sys::GetPortalByName(name));
            called.into_iter().find(|&portal| !portal.is_null() && (*portal).portalContext == context)
        });
        open.collect()
    }
}

/// The contexts below one, or below none.
///
/// # Safety
/// The context lives, and none is made or freed below it meanwhile.
unsafe fn children(context: pg_sys::MemoryContext) -> impl Iterator<Item = pg_sys::MemoryContext> {
    let existing = |context: pg_sys::MemoryContext| (!context.is_null()).then_some(context);
    // SAFETY: as asked for.
    let first = existing(context).and_then(|context| existing(unsafe { (*context).firstchild }));
    // SAFETY: as asked for.
    std::iter::successors(first, move |&context| existing(unsafe { (*context).nextchild }))
}
