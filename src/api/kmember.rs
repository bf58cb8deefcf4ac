//! kmember_anonymize: greedy k-member clustering.

use super::masking::masking;
use super::privacy_model::privacy_model;
use super::{elements, needed};
use crate::error::or_raise;
use crate::names::{Name, Regclass};
use crate::release;
use crate::request::{Arguments, Verb};
use pgrx::prelude::*;
use pgrx::JsonB;

/// Clusters rows into groups of at least k, generalizes each to what it has in common, and
/// publishes the next version of a release (Byun et al. 2006; Campan, Cooper, Truta 2011).
#[pg_extern(volatile, parallel_unsafe)]
fn kmember_anonymize(
    source: Option<Regclass>,
    release: Option<Name>,
    quasi_identifier: Option<Vec<Option<String>>>,
    k: Option<i32>,
    masking: default!(Option<Vec<Option<masking>>>, "'{}'"),
    keep: default!(Option<Vec<Option<String>>>, "'{}'"),
    endpoints: default!(Option<String>, "'rounded'"),
) -> JsonB {
    or_raise((|| {
        let k = needed("k", k)?;
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let model = privacy_model::KAnonymity { quasi_identifier, k }.checked()?;
        let arguments = Arguments {
            verb: Verb::KMember,
            source: needed("source", source)?,
            privacy: vec![model],
            class: None,
            masking: elements("masking", masking)?,
            keep: elements("keep", keep)?,
            score: "tds".into(),
            max_steps: None,
            intervals: "label".into(),
            suppressed: Some("*".into()),
            split: "optimal".into(),
            withhold: 0.0,
            endpoints: needed("endpoints", endpoints)?,
        };
        release::cluster(&needed("release", release)?.0, arguments, k as u32).map(JsonB)
    })())
}
