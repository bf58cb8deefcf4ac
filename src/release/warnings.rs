//! What a caller is warned of: that a release may tell more than was meant.

use super::manifest::Existing;
use crate::postgres::error::{tell, warn, Result};
use crate::postgres::progress::polled;
use crate::search::Found;
use crate::terms::labels::Labels;
use crate::terms::request::Request;
use crate::terms::words::Endpoints;
use pgrx::notice;
use std::ops::RangeInclusive;
use topdown::taxonomy::rule::network::Address;

/// A release that is made for somebody else.
pub fn of_another_owner(release: &str, existing: &Existing) {
    warn(
        format!("release \"{release}\" belongs to \"{}\"", existing.owner),
        "Its next version is made with that role's rights, and is that role's to read in full.",
    );
}

/// What shows in what was found, and follows from what was asked for: a refresh does not say it again.
pub fn of_what_was_asked(request: &Request, found: &Found) {
    of_ends(request, found);
    of_codes(request, found);
    of_redundant(request, found);
}

/// A kept column that is nearly unique is a direct identifier, perhaps kept by mistake.
pub fn of_kept(release: &str, request: &Request, found: &Found) -> Result<()> {
    let rows = found.table.rows;
    for &column in &request.keep {
        let distinct = found.table.column(column)?.distinct();
        if rows > 1 && distinct * 10 > rows * 9 {
            let name = &request.source.columns[column].name;
            warn(
                format!("column \"{name}\" is kept, but nearly unique: it identifies rows"),
                format!("In release \"{release}\" {distinct} distinct values in {rows} rows are released as they are."),
            );
        }
    }
    Ok(())
}

/// Ends of intervals that are values of the data, perhaps of one row alone: asked for, or of types
/// between whose values nothing is known to lie.
fn of_ends(request: &Request, found: &Found) {
    for (attribute, column) in found.columns.iter().enumerate() {
        let Labels::Intervals(intervals) = &column.bound.labels else { continue };
        let shown = intervals.endpoints == Endpoints::Values || !intervals.ty.is_continuous();
        if shown && intervals.points.is_none() {
            warn(
                format!("the intervals of column \"{}\" end at values of the data", request.name(attribute)),
                "An end may be the value of a single row; endpoints => 'rounded' shows rounded ends of numbers, dates and times.",
            );
        }
    }
}

/// Codes and addresses that are suppressed because nothing else was asked for could be shown by how they
/// begin.
fn of_codes(request: &Request, found: &Found) {
    for (attribute, column) in found.columns.iter().enumerate() {
        let Labels::Values(values) = &column.bound.labels else { continue };
        let name = request.name(attribute);
        if request.arguments.masking.iter().any(|by| by.column_name() == name) {
            continue;
        }
        if let Some(hint) = look_like(name, values) {
            tell(format!("column \"{name}\" is suppressed: its values are shown whole or not at all"), hint);
        }
    }
}

/// How values that look like addresses, or like codes of one length, would better be masked.
fn look_like(name: &str, values: &[String]) -> Option<String> {
    if values.len() < FEWEST_CODES {
        return None;
    }
    let name = format!("'{}'", name.replace('\'', "''"));
    if polled(values).all(|value| Address::parse(value).is_some()) {
        return Some(format!(
            "They look like addresses: by_network({name}) shows the networks that they are in, of type inet or cidr."
        ));
    }
    let length = values[0].chars().count();
    let is_code = |value: &String| {
        value.chars().count() == length
            && value.chars().any(|c| c.is_ascii_digit())
            && value.chars().all(|c| c.is_ascii_alphanumeric() || "-./ ".contains(c))
    };
    (CODE_LENGTHS.contains(&length) && polled(values).all(is_code)).then(|| {
        format!("They look like codes of {length} characters: by_prefix({name}) shows how they begin.")
    })
}

/// Fewer values than these are disclosed as well one by one.
const FEWEST_CODES: usize = 10;

/// How long codes are.
const CODE_LENGTHS: RangeInclusive<usize> = 3..=24;

/// A model that another implies is recounted, but never decides.
fn of_redundant(request: &Request, found: &Found) {
    let models = &request.arguments.privacy;
    for (model, redundant) in models.iter().zip(&found.redundant) {
        if let Some(by) = redundant {
            notice!("{} is implied by {}", model.shown(), models[*by].shown());
        }
    }
}
