//! What the maskings of kept columns have in common: which types they take, and how many digits a column has. No search
//! sees them: they change what a version shows of a column when it is known what is released
//! (src/release/store/kept.rs).

use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::line::Line;
use crate::terms::labels::Bound;

/// Whether values of a type can be masked while they are kept: numbers, and moments that have a date.
pub fn takes(ty: Type) -> bool {
    use Line::{Date, Float4, Float8, Int2, Int4, Int8, Numeric, Timestamp, TimestampTz};
    ty.line().is_some_and(|line| {
        matches!(line, Int2 | Int4 | Int8 | Numeric | Float4 | Float8 | Date | Timestamp | TimestampTz)
    })
}

/// Whether they are moments.
pub fn are_moments(line: Line) -> bool {
    matches!(line, Line::Date | Line::Timestamp | Line::TimestampTz)
}

/// What a declaration says behind its type's name: the 10 and the 2 of `numeric(10,2)`.
fn modifiers(declaration: &str) -> impl Iterator<Item = i32> + '_ {
    let within = declaration.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    within
        .into_iter()
        .flat_map(|(numbers, _)| numbers.split(','))
        .filter_map(|number| number.trim().parse().ok())
}

/// How many decimals a column may have, of moments those of their seconds; none where its type leaves that open.
pub fn decimals(line: Line, declaration: &str) -> Option<usize> {
    let declared = |place: usize| modifiers(declaration).nth(place).map(|digits| digits.max(0) as usize);
    match line {
        Line::Numeric => declared(1),
        Line::Timestamp | Line::TimestampTz => Some(declared(0).unwrap_or(6)),
        Line::Float4 | Line::Float8 => None,
        _ => Some(0),
    }
}

/// How many digits a column of numbers may have before the point; none where its type leaves that open.
pub fn digits_before_point(line: Line, declaration: &str) -> Option<usize> {
    let mut declared = modifiers(declaration).filter(|_| line == Line::Numeric);
    let (digits, decimals) = (declared.next()?, declared.next()?);
    Some((digits - decimals).max(0) as usize)
}

/// The fault of a column that is masked as `what`, which its type does not allow.
pub fn other_type(name: &str, what: &str, ty: Type) -> SqlError {
    SqlError::parameter(format!("column \"{name}\" cannot be {what}: its type is {}", ty.name()))
        .hint("Numbers, dates and timestamps can; release a view that casts the column.")
}

/// A kept column has no hierarchy.
pub fn no_hierarchy(name: &str) -> Result<Bound> {
    Err(SqlError::parameter(format!(
        "the masking of column \"{name}\" is one of kept columns, and has no taxonomy"
    )))
}
