//! Refreshing all releases, for schedulers: each in a transaction of its own, so that what is done stays whatever comes after.

use crate::postgres::error::{warn_with_hint, Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::operation::Operation;
use crate::postgres::procedure::Procedure;
use crate::postgres::subtransaction::attempt;
use crate::release::store::manifest::{self, must_exist};
use crate::release::store::publish;
use crate::release::verbs::refresh::{refresh, Refreshing};
use crate::terms::words::Refresh;
use pgrx::spi::quote_literal;

/// Refreshes every release that the caller may, in the order of releases(). A failure is a WARNING, and stops none of the others;
/// at the end all of them are an error together.
pub fn refresh_all(procedure: &Procedure, mode: Refresh) -> Result<()> {
    let releases = {
        let _operation = Operation::writing()?;
        manifest::mine()?
    };
    let (mut tried, mut failed) = (0, 0);
    for release in &releases {
        let refreshing = Refreshing { mode, ..Refreshing::default() };
        let outcome = procedure.freeing(|| attempt(|| refresh(release, refreshing).map(drop)));
        let outcome = outcome.and_then(|()| procedure.commit());
        let Err(fault) = outcome else {
            tried += 1;
            continue;
        };
        if !is_there(release)? {
            continue;
        }
        (tried, failed) = (tried + 1, failed + 1);
        warn_with_hint(
            format!("release \"{release}\" was not refreshed"),
            fault.in_full(),
            format!("release_refresh({}) tries it alone.", quote_literal(release)),
        );
        // It is in the WARNING. What can be written of it is told by releases(), too.
        let _told =
            procedure.freeing(|| attempt(|| remember(release, &fault))).and_then(|()| procedure.commit());
    }
    match failed {
        0 => Ok(()),
        _ => Err(SqlError::state(format!("{failed} of {tried} releases were not refreshed"))
            .detail("The others are refreshed, and stay so.")
            .hint("The WARNINGs say why; releases() has the last error of each release.")),
    }
}

/// Whether a release was not dropped meanwhile.
fn is_there(release: &str) -> Result<bool> {
    let _operation = Operation::begin()?;
    Ok(manifest::is_there(release))
}

/// Keeps the last error of a release, with the rights of its owner.
fn remember(release: &str, fault: &SqlError) -> Result<()> {
    let _operation = Operation::writing()?;
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    publish::failed(&existing, &fault.without_values())
}
