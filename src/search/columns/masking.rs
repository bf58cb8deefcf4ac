//! The call of a constructor that fits a column: by its type first, then by what its values look like.

use super::facts::Facts;
use super::role::Role;
use crate::postgres::line::Line;
use crate::terms::looks::Looks;
use crate::terms::names;
use pgrx::pg_sys;
use pgrx::spi::quote_literal;

/// How many microseconds a day has.
const DAY: f64 = 86_400e6;

/// The call, as SQL has it.
pub fn masking(of: &Facts, role: Role) -> String {
    let column = quote_literal(of.name);
    let constructor = match of.ty.line() {
        // Who is identified by it is shown nothing of it.
        _ if matches!(role, Role::Identifier | Role::Person) => "by_suppression",
        Some(Line::Timestamp | Line::TimestampTz) if within_a_day(of) => {
            return format!("by_calendar({column}, '{{hour,minute}}')");
        }
        Some(Line::Date | Line::Timestamp | Line::TimestampTz) => "by_calendar",
        Some(_) if is_flag(of) => "by_suppression",
        Some(_) if is_code_of_a_place(of) => "by_prefix",
        Some(_) => "by_intervals",
        None if [pg_sys::INETOID, pg_sys::CIDROID].contains(&of.ty.oid) => "by_network",
        None if matches!(of.looks, Some(Looks::Codes { .. } | Looks::UnevenCodes)) => "by_prefix",
        None => "by_suppression",
    };
    format!("{constructor}({column})")
}

/// Whether all values lie within a day.
fn within_a_day(of: &Facts) -> bool {
    of.extent.is_some_and(|extent| extent.greatest - extent.least < DAY)
}

/// Whether a number says yes or no.
fn is_flag(of: &Facts) -> bool {
    of.distinct <= 2 && of.extent.is_some_and(|extent| extent.is_whole)
}

/// Whether a number is the code of a place, each of as many digits.
fn is_code_of_a_place(of: &Facts) -> bool {
    let digits = |position: f64| position.max(1.0).log10().floor();
    let same = of.extent.is_some_and(|extent| {
        extent.is_whole && extent.least >= 1.0 && digits(extent.least) == digits(extent.greatest)
    });
    same && names::is_code_of_a_place(of.name)
}
