//! release_query_error: how far off the answers are that a reader gets from a release. The source, which tells the truth,
//! is read again as it is now, with the rights of the release's owner, and nothing is left out of it: rows that are withheld
//! are missing in the answers.

use crate::postgres::error::{tell, warn, Result};
use crate::postgres::locks::Mode;
use crate::postgres::operation::{self, Operation};
use crate::postgres::text::counted;
use crate::read::source::Source;
use crate::release::measure::query_error::{errors, Errors};
use crate::release::store::manifest::must_exist;
use crate::release::trace::Version;
use crate::release::verbs::refresh::request_as_before;
use crate::search::queries::Queries;
use crate::terms::asked::Ask;
use topdown::measure::Aggregate;

/// The errors of queries over the current version of a release.
pub fn query_error(release: &str, ask: &Ask) -> Result<Vec<Errors>> {
    let caller = operation::acting();
    let _operation = Operation::begin()?;
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let request = request_as_before(release, &existing, caller)?;
    let queries = Queries::of_source(&request, ask)?;
    let view = Source::in_schema(existing.schema, &existing.view)?;
    let parameters = existing.parameters()?;
    let version = Version { private: existing.private, number: existing.version, parameters };
    let (errors, released) = errors(&queries, &version, &view)?;
    // Of batches the source has what waits as well, and not what lingers.
    let held = parameters.held.as_ref().map_or(0, |held| held.waiting - held.lingering);
    let before = released as i64 + parameters.withheld + held;
    if queries.rows as i64 != before {
        warn(
            format!(
                "the source of release \"{release}\" has changed since version {} was made",
                existing.version
            ),
            format!(
                "It has {}, and had {before}. The true answers are those of now.",
                counted(queries.rows as u64, "row")
            ),
        );
    }
    if let Ask::Given(given) = ask {
        let counts = errors.iter().filter(|one| one.aggregate == Aggregate::Count && !one.with_counts);
        let left_out = given.len() - counts.map(|one| one.queries).sum::<usize>();
        if left_out > 0 {
            tell(
                format!(
                    "{left_out} of {} queries are about no row of the source and are left out",
                    given.len()
                ),
                "An error is by the true answer, and cannot be told where that is 0.",
            );
        }
    }
    Ok(errors)
}
