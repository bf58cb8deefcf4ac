//! Days in arguments. They are read with a DateStyle of ours, whatever the session's is: so one that is another day elsewhere is
//! refused.

use super::readings::two_days;
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, Result, SqlError};
use crate::postgres::line::Line;

/// Refuses a text in an argument that is one day under some DateStyle and another one under another: arguments are read with a
/// DateStyle of their own, not with the session's. `of` says what it is of.
pub fn must_be_one_day<'t>(ty: Type, of: &str, texts: impl IntoIterator<Item = &'t str>) -> Result<()> {
    if !matches!(ty.line(), Some(Line::Date | Line::Timestamp | Line::TimestampTz)) {
        return Ok(());
    }
    for text in texts {
        let Some([first, second]) = two_days(text) else { continue };
        return Err(SqlError::parameter(format!("\"{}\" of {of} may be two days", clipped(text)))
            .detail(format!("It is {first} where the month comes first, and {second} where the day does."))
            .hint(format!("Write the day that is meant as ISO 8601 has it: '{first}' or '{second}'.")));
    }
    Ok(())
}
