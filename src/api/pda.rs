//! pda_anonymize: progressive disclosure (PDA).

use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, Faults};
use crate::postgres::names::{text, Name, Regclass, Text};
use crate::release;
use crate::terms::arguments::Arguments;
use crate::terms::masking::masking;
use crate::terms::privacy_model::{models, privacy_model};
use crate::terms::request::Call;
use crate::terms::words::{Score, Verb};
use pgrx::prelude::*;
use pgrx::JsonB;

/// Starts from full suppression and discloses values by IG/(PrivLoss + 1), and publishes the next
/// version of a release (PDA).
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn pda_anonymize(
    source: Option<Regclass>,
    release: Option<Name>,
    templates: Option<Elements<privacy_model>>,
    class: Option<Text>,
    masking: default!(Option<Elements<masking>>, "'{}'"),
    keep: default!(Option<Elements<String>>, "'{}'"),
    max_steps: default!(Option<i32>, "NULL"),
    suppressed: default!(Option<Text>, "'*'"),
    endpoints: default!(Option<Text>, "'rounded'"),
    view: default!(Option<Name>, "NULL"),
    allow_weaker: default!(Option<bool>, "false"),
    changes: default!(Option<Text>, "'any'"),
) -> JsonB {
    or_raise((|| {
        let mut faults = Faults::default();
        let source = needed("source", source)?;
        let arguments = Arguments {
            verb: Verb::Pda,
            privacy: models("templates", templates)?,
            class: text(class),
            masking: elements("masking", masking)?,
            keep: elements("keep", keep)?,
            score: Score::Tdr,
            max_steps,
            suppressed: Some(needed("suppressed", text(suppressed))?),
            endpoints: super::word(&needed("endpoints", text(endpoints))?, &mut faults),
            changes: super::word(&needed("changes", text(changes))?, &mut faults),
            ..Arguments::default()
        };
        let (view, allow_weaker) = (view.map(|view| view.0), needed("allow_weaker", allow_weaker)?);
        let call = Call { source, arguments, view, allow_weaker, faults, ..Call::default() };
        release::anonymize(&needed("release", release)?.0, call).map(JsonB)
    })())
}
