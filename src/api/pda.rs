//! pda_anonymize: progressive disclosure (PDA).

use super::masking::masking;
use super::privacy_model::privacy_model;
use super::{elements, needed};
use crate::error::or_raise;
use crate::names::{Name, Regclass};
use crate::release;
use crate::request::{Arguments, Verb};
use pgrx::prelude::*;
use pgrx::JsonB;

/// Starts from full suppression and discloses values by IG/(PrivLoss + 1), and publishes the next
/// version of a release (PDA).
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn pda_anonymize(
    source: Option<Regclass>,
    release: Option<Name>,
    templates: Option<Vec<Option<privacy_model>>>,
    class: Option<String>,
    masking: default!(Option<Vec<Option<masking>>>, "'{}'"),
    keep: default!(Option<Vec<Option<String>>>, "'{}'"),
    max_steps: default!(Option<i32>, "NULL"),
    suppressed: default!(Option<String>, "'*'"),
    endpoints: default!(Option<String>, "'rounded'"),
) -> JsonB {
    or_raise((|| {
        let arguments = Arguments {
            verb: Verb::Pda,
            source: needed("source", source)?,
            privacy: elements("templates", templates)?,
            class,
            masking: elements("masking", masking)?,
            keep: elements("keep", keep)?,
            score: "tdr".into(),
            max_steps,
            intervals: "label".into(),
            suppressed: Some(needed("suppressed", suppressed)?),
            split: "optimal".into(),
            withhold: 0.0,
            endpoints: needed("endpoints", endpoints)?,
        };
        release::anonymize(&needed("release", release)?.0, arguments).map(JsonB)
    })())
}
