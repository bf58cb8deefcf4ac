//! The arguments of the verbs that make a release, typed, with the defaults of the SQL contract
//! (docs/reference/functions.md). As JSON they are what a manifest keeps of a call.

use super::masking::{masking, UpperEnd};
use super::privacy_model::privacy_model;
use super::words::{Changes, Endpoints, Intervals, Recoding, Score, Split, Verb};
use crate::postgres::datum::Type;
use crate::postgres::progress::{poll, polled, Ticker};
use crate::read::named::NamedRelation;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

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
    /// The columns that everybody groups by: refined first, and with one cut whatever the recoding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<String>,
    /// The masked columns beside which the mean of each class is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub means: Vec<String>,
    /// Whether the counts of each masked column by itself are shown, finer than its cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts: bool,
    /// Whether recipients are told how far off the answers of each version are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tell_error: bool,
    /// What versions that follow each other may tell together.
    #[serde(default, skip_serializing_if = "Changes::is_any")]
    pub changes: Changes,
}

impl Arguments {
    /// Whether the ends of what a column is released as are shown in columns of their own; then whether the upper end belongs
    /// to what is shown.
    pub fn upper_end(&self, by: &masking, ty: Option<Type>) -> Option<UpperEnd> {
        by.upper_end(ty).filter(|_| self.intervals == Intervals::Bounds)
    }

    /// Whether rows are put into clusters.
    pub fn clusters(&self) -> bool {
        self.clustering().is_some()
    }

    /// Whether a value is released as what its group or cluster is, and not as the same wherever it occurs.
    pub fn is_by_group(&self) -> bool {
        self.clusters() || self.recoding.is_by_group()
    }

    /// How a column is masked.
    pub fn masking_of(&self, name: &str) -> Option<&masking> {
        self.masking.iter().find(|by| by.column_name() == name)
    }

    /// What a release is called whose rows are put into clusters: no steps lead to these.
    pub fn clustering(&self) -> Option<&'static str> {
        match (self.verb, self.recoding) {
            (Verb::KMember, _) => Some("k-member"),
            (_, Recoding::Clustered) => Some("clustered"),
            _ => None,
        }
    }

    /// The relations that it names: taxonomies and populations.
    pub fn relations(&mut self) -> impl Iterator<Item = &mut NamedRelation> {
        let taxonomies = self.masking.iter_mut().filter_map(|by| by.by_taxonomy()).map(|by| &mut by.taxonomy);
        let populations = self.privacy.iter_mut().filter_map(|model| match model {
            privacy_model::KMap(model) => Some(&mut model.population),
            _ => None,
        });
        taxonomies.chain(populations)
    }

    /// The models that some rows of the source keep or break by themselves: those that count no population.
    pub fn of_source(&self) -> impl Iterator<Item = &privacy_model> {
        self.privacy.iter().filter(|model| model.population().is_none())
    }

    /// Whether a share of the rows can be withheld beside the rest.
    pub fn may_withhold(&self) -> bool {
        let every = self.privacy.iter().all(|model| model.may_withhold());
        let is_one_cut = self.verb == Verb::Tds && self.recoding == Recoding::Global;
        is_one_cut && every && self.sets().len() <= 1
    }

    /// The sets of columns by which models bound groups, but those of models that others over more columns imply.
    pub fn sets(&self) -> BTreeSet<BTreeSet<&str>> {
        let mut by_set: BTreeMap<BTreeSet<&str>, Vec<&privacy_model>> = BTreeMap::new();
        for model in self.privacy.iter().inspect(|_| poll()) {
            by_set.entry(model.attributes().iter().map(String::as_str).collect()).or_default().push(model);
        }
        let ticker = Ticker::default();
        let is_implied = |set: &BTreeSet<&str>| {
            let wider = by_set.iter().filter(|(other, _)| {
                ticker.tick(set.len());
                other.len() > set.len() && other.is_superset(set)
            });
            let wider: Vec<&privacy_model> = wider.flat_map(|(_, models)| models.iter().copied()).collect();
            let is_implied = |model: &privacy_model| polled(&wider).any(|other| other.protects_as(model));
            by_set[set].iter().all(|model| is_implied(model))
        };
        polled(by_set.keys()).filter(|set| !is_implied(set)).cloned().collect()
    }
}
