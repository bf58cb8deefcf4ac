//! What a caller is warned of: that a release may tell more than was meant.

use super::manifest::Existing;
use crate::postgres::error::{warn, Result};
use crate::search::Found;
use crate::terms::labels::Labels;
use crate::terms::request::Request;
use crate::terms::words::Endpoints;
use pgrx::notice;

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
        if intervals.endpoints == Endpoints::Values || !intervals.ty.is_continuous() {
            warn(
                format!("the intervals of column \"{}\" end at values of the data", request.name(attribute)),
                "An end may be the value of a single row; endpoints => 'rounded' shows rounded ends of numbers, dates and times.",
            );
        }
    }
}

/// A model that another implies is recounted, but never decides.
fn of_redundant(request: &Request, found: &Found) {
    let models = &request.arguments.privacy;
    for (model, redundant) in models.iter().zip(&found.redundant) {
        if let Some(by) = redundant {
            notice!("{} is implied by {}", model.shown(), models[*by].shown());
        }
    }
}
