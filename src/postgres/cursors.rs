//! Cursors that code below a source opens: none of them outlives the operation.
//!
//! A cursor that PL/Perl opens is pinned. A COMMIT within a procedure or a DO block runs the queries of pinned cursors to their
//! ends, with the rights of whoever commits (HoldPinnedPortals).

use super::progress::polled;
use pgrx::pg_sys;
use std::ffi::CStr;
use std::ptr;

/// A cursor: where it is, its name, when it was opened.
type Open = (pg_sys::Portal, Vec<u8>, pg_sys::TimestampTz);

/// The cursors that were open when an operation began. At its end all others are closed.
#[derive(Debug)]
pub struct Cursors(Vec<Open>);

impl Cursors {
    /// Those that are open now.
    pub fn open() -> Cursors {
        Cursors(all())
    }
}

impl Drop for Cursors {
    fn drop(&mut self) {
        // The end of the (sub)transaction closes them after an error.
        if std::thread::panicking() {
            return;
        }
        let opened = all().into_iter().filter(|cursor| !self.0.contains(cursor));
        for (portal, ..) in polled(opened) {
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

/// All that are open. Each has a memory context below one of all portals, which knows its name.
fn all() -> Vec<Open> {
    // SAFETY: memory contexts are the backend's own, and nothing is made or freed meanwhile; names of portals end with NUL.
    unsafe {
        let portals = children(pg_sys::TopMemoryContext)
            .find(|&context| CStr::from_ptr((*context).name) == c"TopPortalContext")
            .unwrap_or(ptr::null_mut());
        let portals = children(portals).filter(|&context| !(*context).ident.is_null()).map(|context| {
            let name = (*context).ident;
            (pg_sys::GetPortalByName(name), CStr::from_ptr(name).to_bytes().to_vec())
        });
        let open = portals.filter(|(portal, _)| !portal.is_null());
        open.map(|(portal, name)| (portal, name, (*portal).creation_time)).collect()
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
