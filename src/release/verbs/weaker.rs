//! Whether a version protects less than the one before: a model that nothing in the new call implies, or a
//! masked column that is released as it is, with means or with counts, or a kept one whose masking is gone or asks for less.
//! Perhaps by mistake, so it has to be asked for.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::poll;
use crate::release::store::manifest::ExistingRelease;
use crate::terms::request::Request;
use crate::terms::words::Changes;

/// What protects less than in the current version, in words.
pub fn than(existing: &ExistingRelease, request: &Request) -> Result<Vec<String>> {
    let (before, now) = (existing.parameters()?, &request.arguments.privacy);
    let mut weaker = Vec::new();
    for model in before.arguments.privacy.iter().inspect(|_| poll()) {
        if !now.iter().any(|other| other.protects_as(model)) {
            weaker.push(format!("{} is not kept any more", model.shown()));
        }
    }
    for mask in &before.columns {
        if request.attribute(&mask.name).is_none() {
            weaker.push(format!("column \"{}\" is not masked any more", mask.name));
        }
    }
    for by in before.arguments.masking.iter().filter(|by| by.is_of_kept()) {
        let name = by.column_name();
        let kept = request.keep.iter().find(|&&column| request.source.columns[column].name == name);
        let stays = |&column: &usize| {
            let now = request.kept_by.get(&column);
            now.is_some_and(|now| now.shows_no_more_than(by, request.source.type_of(column)))
        };
        if kept.is_some_and(|column| !stays(column)) {
            weaker.push(format!("kept column \"{name}\" is not masked as before"));
        }
    }
    for name in &request.arguments.means {
        if !before.arguments.means.contains(name) {
            weaker.push(format!("means of column \"{name}\" are shown"));
        }
    }
    if request.arguments.counts && !before.arguments.counts {
        weaker.push("counts of single columns are shown".into());
    }
    if before.arguments.changes == Changes::Batched && request.arguments.changes == Changes::Any {
        weaker.push("changes are not batched any more".into());
    }
    Ok(weaker)
}

/// What is weaker has to be asked for.
pub fn refuse(release: &str, weaker: &[String], allowed: bool) -> Result<()> {
    if weaker.is_empty() || allowed {
        return Ok(());
    }
    let message = format!("release \"{release}\" would protect less than its current version");
    Err(SqlError::state(message)
        .detail(format!("{}.", weaker.join("; ")))
        .hint("Say allow_weaker => true if that is meant, or choose another name for the release."))
}
