//! Acting for the owner of a release, and with no more rights than the owner's.
//!
//! What is in a release is its owner's: triggers on its tables, policies, what a view calls. A
//! superuser or a member who works on somebody else's release must not run it with rights of their
//! own (PRIVACY: borrowed rights). So whatever touches an existing release runs as its owner, in a
//! security-restricted operation, as REFRESH MATERIALIZED VIEW does; only the source is read with
//! the caller's rights.

use pgrx::pg_sys;

/// The owner's rights, until it is dropped.
#[derive(Debug)]
pub struct AsOwner {
    user: pg_sys::Oid,
    context: i32,
}

impl AsOwner {
    /// Takes on the rights of a role.
    pub fn enter(owner: pg_sys::Oid) -> AsOwner {
        let (mut user, mut context) = (pg_sys::InvalidOid, 0);
        let restricted =
            (pg_sys::SECURITY_LOCAL_USERID_CHANGE | pg_sys::SECURITY_RESTRICTED_OPERATION) as i32;
        // SAFETY: the role exists, and the old identity is put back by drop, or by the end of the
        // (sub)transaction after an error.
        unsafe {
            pg_sys::GetUserIdAndSecContext(&mut user, &mut context);
            pg_sys::SetUserIdAndSecContext(owner, context | restricted);
        }
        AsOwner { user, context }
    }
}

impl Drop for AsOwner {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: the identity that enter() found.
            unsafe { pg_sys::SetUserIdAndSecContext(self.user, self.context) }
        }
    }
}
