//! kmember_anonymize: greedy k-member clustering.

use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, Faults};
use crate::postgres::names::{text, Name, Regclass, Text};
use crate::release;
use crate::terms::arguments::Arguments;
use crate::terms::masking::masking;
use crate::terms::privacy_model::privacy_model;
use crate::terms::privacy_model::KAnonymity;
use crate::terms::request::Call;
use crate::terms::words::Verb;
use pgrx::prelude::*;
use pgrx::JsonB;

/// Clusters rows into groups of at least k, generalizes each to what it has in common, and
/// publishes the next version of a release (Byun et al. 2006; Campan, Cooper, Truta 2011).
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn kmember_anonymize(
    source: Option<Regclass>,
    release: Option<Name>,
    quasi_identifier: Option<Elements<String>>,
    k: Option<i32>,
    masking: default!(Option<Elements<masking>>, "'{}'"),
    keep: default!(Option<Elements<String>>, "'{}'"),
    endpoints: default!(Option<Text>, "'rounded'"),
    view: default!(Option<Name>, "NULL"),
    allow_weaker: default!(Option<bool>, "false"),
    means: default!(Option<Elements<String>>, "'{}'"),
    counts: default!(Option<bool>, "false"),
    tell_error: default!(Option<bool>, "false"),
    changes: default!(Option<Text>, "'any'"),
) -> JsonB {
    or_raise((|| {
        let (k, mut faults) = (needed("k", k)?, Faults::default());
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let model = privacy_model::from(KAnonymity { quasi_identifier, k, person: None }).checked()?;
        let arguments = Arguments {
            verb: Verb::KMember,
            privacy: vec![model],
            masking: elements("masking", masking)?,
            keep: elements("keep", keep)?,
            means: elements("means", means)?,
            counts: needed("counts", counts)?,
            tell_error: needed("tell_error", tell_error)?,
            suppressed: Some("*".into()),
            endpoints: super::word(&needed("endpoints", text(endpoints))?, &mut faults),
            changes: super::word(&needed("changes", text(changes))?, &mut faults),
            ..Arguments::default()
        };
        let (view, allow_weaker) = (view.map(|view| view.0), needed("allow_weaker", allow_weaker)?);
        let call = Call {
            source: needed("source", source)?,
            arguments,
            view,
            allow_weaker,
            faults,
            ..Call::default()
        };
        release::cluster(&needed("release", release)?.0, call, k as u32).map(JsonB)
    })())
}
