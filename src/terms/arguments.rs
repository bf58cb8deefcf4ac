//! The arguments of the verbs that make a release, typed, with the defaults of the SQL contract (API
//! section 3). As JSON they are what a manifest keeps of a call.

use super::masking::masking;
use super::privacy_model::privacy_model;
use super::words::{Endpoints, Intervals, Recoding, Score, Split, Verb};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a release is made of, but its source.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Arguments {
    pub verb: Verb,
    pub privacy: Vec<privacy_model>,
    pub class: Option<String>,
    pub masking: Vec<masking>,
    pub keep: Vec<String>,
    pub score: Score,
    pub max_steps: Option<i32>,
    pub intervals: Intervals,
    /// None where nothing is released.
    pub suppressed: Option<String>,
    pub split: Split,
    pub withhold: f64,
    pub endpoints: Endpoints,
    #[serde(default)]
    pub recoding: Recoding,
}

impl Arguments {
    /// Whether a share of the rows can be withheld beside the rest.
    pub fn may_withhold(&self) -> bool {
        let every = self.privacy.iter().all(|model| model.may_withhold());
        let is_one_cut = self.verb == Verb::Tds && self.recoding == Recoding::Global;
        is_one_cut && every && self.sets().len() <= 1
    }

    /// The sets of columns by which models bound groups, but those of models that others over more columns imply.
    pub fn sets(&self) -> BTreeSet<BTreeSet<&str>> {
        let columns = |model: &privacy_model| model.attributes().len();
        let is_implied = |model: &privacy_model| {
            let wider = self.privacy.iter().filter(|other| columns(other) > columns(model));
            wider.into_iter().any(|other| other.protects_as(model))
        };
        let sets = self.privacy.iter().filter(|model| !is_implied(model)).map(|model| model.attributes());
        sets.map(|names| names.iter().map(String::as_str).collect()).collect()
    }
}
