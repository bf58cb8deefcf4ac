//! Random numbers that nobody can predict, from the server's strong random source.

use super::error::{Result, SqlError};
use pgrx::pg_sys;

/// Draws so many random numbers.
pub fn strong<const N: usize>() -> Result<[u64; N]> {
    let mut drawn = [0u64; N];
    // SAFETY: fills as many bytes as the array has.
    let is_drawn = unsafe { pg_sys::pg_strong_random(drawn.as_mut_ptr().cast(), size_of_val(&drawn)) };
    if !is_drawn {
        return Err(SqlError::internal("the server has no strong random numbers"));
    }
    Ok(drawn)
}
