//! Making a release with some of its arguments changed: by a new search, over its source or another one. (A batched one goes on from
//! another source by replay.) What is not
//! given stays as it is. Maskings are given column by column: those of other columns stay, and a column that is not
//! masked any more needs none. Everything is done with the rights of the release's owner.

use crate::postgres::arguments::Word;
use crate::postgres::error::{some_of, tell, Faults, Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::progress::polled;
use crate::read::source::Source;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::parameters::Parameters;
use crate::release::verbs::refresh::{find, k_of, same_columns, Refreshing};
use crate::release::verbs::version::{make, Prepared};
use crate::terms::arguments::Arguments;
use crate::terms::masking::masking;
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Call;
use crate::terms::words::{Refresh, Verb};
use hashbrown::HashSet;

/// What of a release is to be changed; none for what stays as it is.
#[derive(Debug, Clone, Default)]
pub struct Alteration {
    pub source: Option<Regclass>,
    pub privacy: Option<Vec<privacy_model>>,
    pub masking: Option<Vec<masking>>,
    pub score: Option<String>,
    pub max_steps: Option<i32>,
    pub withhold: Option<f64>,
    pub endpoints: Option<String>,
    pub allow_weaker: bool,
    /// The columns whose maskings are taken away.
    pub unmask: Option<Vec<String>>,
    /// The class; an empty name for none.
    pub class: Option<String>,
    pub keep: Option<Vec<String>>,
    pub split: Option<String>,
    pub recoding: Option<String>,
    pub intervals: Option<String>,
    pub suppressed: Option<String>,
    pub show: Option<Vec<String>>,
    pub means: Option<Vec<String>>,
    pub counts: Option<bool>,
    pub tell_error: Option<bool>,
    pub changes: Option<String>,
}

/// Makes the next version of a release by a new search, with some of its arguments changed.
pub fn alter(release: &str, change: Alteration) -> Result<serde_json::Value> {
    let altered = |existing: Option<&ExistingRelease>| {
        let existing = existing.ok_or_else(|| SqlError::no_release(release))?;
        let Parameters { arguments, source_columns, .. } = existing.parameters()?;
        let mut arguments = arguments.clone();
        let source = match change.source {
            Some(source) => Source::open(source)?,
            None => existing.open_source()?,
        };
        same_columns(&source, source_columns)?;
        let change = change.clone();
        refuse_what_its_verb_has_not(arguments.verb, &change)?;
        let faults = lay(&mut arguments, change.clone());
        Ok(Call {
            source: Regclass(source.oid),
            source_owner: if change.source.is_some() { None } else { existing.source_owner()? },
            arguments,
            allow_weaker: change.allow_weaker,
            from_manifest: true,
            moved: true,
            faults,
            ..Call::default()
        })
    };
    let find = |prepared: &Prepared| {
        if change.masking.is_some() || change.unmask.is_some() {
            tell_what_stays(
                &prepared.request.arguments.masking,
                change.masking.as_deref().unwrap_or_default(),
            );
        }
        // What is batched goes on from another source, or from relations that are named again, if nothing else is changed.
        let is_named = change.source.is_some() || change.masking.is_some() || change.privacy.is_some();
        let goes_on = is_named && goes_on(prepared)?.is_some();
        let mode = if goes_on { Refresh::Replay } else { Refresh::Search };
        find(prepared, Refreshing { mode, ..Refreshing::default() })
    };
    make(release, &altered, find)
}

/// The version that a batched one goes on from, where both have the same arguments.
fn goes_on(prepared: &Prepared) -> Result<Option<&ExistingRelease>> {
    let Some(existing) = &prepared.destination.existing else { return Ok(None) };
    let is_same = existing.parameters()?.arguments == prepared.request.arguments;
    Ok((is_same && existing.is_batched(&prepared.request.arguments)?).then_some(existing))
}

/// Lays what is given over the arguments of a release.
fn lay(arguments: &mut Arguments, change: Alteration) -> Faults {
    arguments.privacy = change.privacy.unwrap_or(std::mem::take(&mut arguments.privacy));
    // No column has an empty name.
    arguments.class = change.class.or(arguments.class.take()).filter(|class| !class.is_empty());
    let given = change.masking.unwrap_or_default();
    let mut faults = mask(arguments, given, change.unmask.as_deref().unwrap_or_default(), change.keep);
    arguments.show = change.show.unwrap_or(std::mem::take(&mut arguments.show));
    arguments.means = change.means.unwrap_or(std::mem::take(&mut arguments.means));
    arguments.counts = change.counts.unwrap_or(arguments.counts);
    word(&mut arguments.score, change.score, &mut faults);
    word(&mut arguments.endpoints, change.endpoints, &mut faults);
    word(&mut arguments.split, change.split, &mut faults);
    word(&mut arguments.recoding, change.recoding, &mut faults);
    word(&mut arguments.intervals, change.intervals, &mut faults);
    word(&mut arguments.changes, change.changes, &mut faults);
    arguments.max_steps = change.max_steps.or(arguments.max_steps);
    arguments.withhold = change.withhold.unwrap_or(arguments.withhold);
    arguments.suppressed = change.suppressed.or(arguments.suppressed.take());
    arguments.tell_error = change.tell_error.unwrap_or(arguments.tell_error);
    faults
}

/// Replaces an argument by what a word says, if one is given.
fn word<W: Word>(argument: &mut W, given: Option<String>, faults: &mut Faults) {
    if let Some(word) = given.and_then(|word| faults.ok(W::from_word(&word))) {
        *argument = word;
    }
}

/// Merges the given maskings into the earlier ones. An earlier masking stays if its column is still masked and
/// it is neither replaced nor unmasked; the same of one that is kept. A column that is masked now is not kept any more.
fn mask(
    arguments: &mut Arguments,
    given: Vec<masking>,
    unmask: &[String],
    kept: Option<Vec<String>>,
) -> Faults {
    let Arguments { privacy, masking, keep, show, means, .. } = arguments;
    let faults = taken_away(unmask, masking, &given);
    let masked: HashSet<&str> =
        polled(privacy.iter().flat_map(|model| model.attributes())).map(String::as_str).collect();
    match kept {
        Some(kept) => *keep = kept,
        None => keep.retain(|name| !masked.contains(name.as_str())),
    }
    show.retain(|name| masked.contains(name.as_str()));
    means.retain(|name| masked.contains(name.as_str()));
    {
        let gone: HashSet<&str> = columns(&given).chain(unmask.iter().map(String::as_str)).collect();
        let kept: HashSet<&str> = polled(&*keep).map(String::as_str).collect();
        let stays = |by: &masking| if by.is_of_kept() { &kept } else { &masked }.contains(by.column_name());
        masking.retain(|by| stays(by) && !gone.contains(by.column_name()));
    }
    masking.extend(given);
    faults
}

/// The columns of maskings.
fn columns(maskings: &[masking]) -> impl Iterator<Item = &str> {
    polled(maskings).map(|by| by.column_name())
}

/// Only a masking that is there can be taken away, once, and no other given for its column.
fn taken_away(unmask: &[String], before: &[masking], given: &[masking]) -> Faults {
    let mut faults = Faults::default();
    let (before, given): (HashSet<&str>, HashSet<&str>) =
        (columns(before).collect(), columns(given).collect());
    let mut seen = HashSet::new();
    for name in polled(unmask) {
        let fault = if !seen.insert(name) {
            SqlError::parameter(format!("column \"{name}\" is unmasked twice"))
        } else if given.contains(name.as_str()) {
            SqlError::parameter(format!("column \"{name}\" gets a masking and is to lose it, too"))
                .hint("A masking that is given replaces the one before: leave the column out of unmask.")
        } else if !before.contains(name.as_str()) {
            SqlError::parameter(format!("column \"{name}\" has no masking that could be taken away"))
                .hint("The manifest has the maskings that were given: parameters -> 'masking'.")
        } else {
            continue;
        };
        faults.add(fault);
    }
    faults
}

/// Which columns keep the maskings that they had.
fn tell_what_stays(now: &[masking], given: &[masking]) {
    let given: HashSet<&str> = columns(given).collect();
    let stay: Vec<&str> = columns(now).filter(|name| !given.contains(name)).collect();
    let (noun, verb) = if stay.len() == 1 { ("masking", "stays") } else { ("maskings", "stay") };
    if !stay.is_empty() {
        tell(
            format!("the {noun} of {} {verb} as before", some_of(stay)),
            "unmask => ARRAY['...'] takes the masking of a column away, which then has the default of its type.",
        );
    }
}

/// A clustering has no score and no steps, and progressive disclosure one way to search.
fn refuse_what_its_verb_has_not(verb: Verb, change: &Alteration) -> Result<()> {
    let search = [
        ("split", change.split.is_some()),
        ("recoding", change.recoding.is_some()),
        ("intervals", change.intervals.is_some()),
        ("show", change.show.is_some()),
    ];
    let clustering = [
        ("class", change.class.is_some()),
        ("score", change.score.is_some()),
        ("max_steps", change.max_steps.is_some()),
        ("withhold", change.withhold.is_some()),
        ("suppressed", change.suppressed.is_some()),
    ];
    let (what, given) = match verb {
        Verb::Tds => return Ok(()),
        Verb::Pda => {
            let shown = [
                ("means", change.means.is_some()),
                ("counts", change.counts.is_some()),
                ("tell_error", change.tell_error.is_some()),
            ];
            ("a release of pda_anonymize", [&search[..], &shown].concat())
        }
        Verb::KMember => ("a k-member release", [&clustering[..], &search[..]].concat()),
    };
    if let (Verb::KMember, Some(models)) = (verb, &change.privacy) {
        k_of(models)?;
    }
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if given.is_empty() {
        return Ok(());
    }
    Err(SqlError::parameter(format!("{what} has no such argument"))
        .detail(format!("Given are {}.", some_of(given))))
}
