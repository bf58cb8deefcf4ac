//! LKC-privacy (Mohammed, Fung, Hung, Lee, KDD 2009): whoever knows at most l values of somebody finds at least k rows, and
//! infers no sensitive value with more than some confidence.
//!
//! What is asked for so are two bounds, each of which is searched for, recounted and told of by itself: this model of the
//! groups, and, where a sensitive column is named, a [`ConfidenceBound`] of the same l columns. [`LkcPrivacy::parts`]
//! makes two of one.

use super::confidence_bound::ConfidenceBound;
use super::groups::Groups;
use super::known::must_be_countable;
use super::{privacy_model, Columns, KAnonymity, Model, Strictness};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{text, Text};
use crate::postgres::progress::poll;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// Every combination of released values on any l of the columns is shared by at least k rows, or by rows of at least k
/// persons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LkcPrivacy {
    /// The columns.
    pub quasi_identifier: Vec<String>,
    /// Of how many of them values are known at most.
    pub l: i32,
    /// The smallest group allowed.
    pub k: i32,
    /// The column that tells persons apart, who may have many rows; NULL is one person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The sensitive column whose confidence is bounded beside the groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<String>,
    /// The sensitive values; none: every value of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensitive_values: Option<Vec<Option<String>>>,
    /// The bound; none: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_confidence: Option<f64>,
}

#[pg_extern(immutable, parallel_safe)]
fn lkc_privacy(
    quasi_identifier: Option<Elements<String>>,
    l: Option<i32>,
    k: Option<i32>,
    sensitive: default!(Option<Text>, "NULL"),
    sensitive_values: default!(Option<Elements<String>>, "NULL"),
    max_confidence: default!(Option<f64>, "1"),
    person: default!(Option<Text>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let (l, k, sensitive) = (needed("l", l)?, needed("k", k)?, text(sensitive));
        // Of no sensitive column nothing is bounded.
        let max_confidence = Some(needed("max_confidence", max_confidence)?)
            .filter(|&most| sensitive.is_some() || most != 1.0);
        let sensitive_values = sensitive_values.map(|values| values.0);
        let model = LkcPrivacy {
            quasi_identifier,
            l,
            k,
            person: text(person),
            sensitive,
            sensitive_values,
            max_confidence,
        };
        privacy_model::from(model).checked()
    })())
}

impl LkcPrivacy {
    /// The bound of the groups, and that of the confidence, if it is asked for.
    pub fn parts(mut self) -> Vec<privacy_model> {
        let Some(sensitive) = self.sensitive.take() else { return vec![self.into()] };
        let bound = ConfidenceBound {
            inference_channel: self.quasi_identifier.clone(),
            sensitive,
            sensitive_values: self.sensitive_values.take(),
            max_confidence: self.max_confidence.take().unwrap_or(1.0),
            l: Some(self.l),
            person: self.person.clone(),
        };
        vec![self.into(), bound.into()]
    }

    /// Models with the bounds together again that [`LkcPrivacy::parts`] made of one.
    pub fn whole(models: &[privacy_model]) -> Vec<privacy_model> {
        let mut all: Vec<privacy_model> = Vec::new();
        for model in models.iter().inspect(|_| poll()) {
            let privacy_model::ConfidenceBound(bound) = model else {
                all.push(model.clone());
                continue;
            };
            let beside = models.iter().find_map(|other| match other {
                privacy_model::LkcPrivacy(lkc) if lkc.is_beside(bound) => Some(lkc),
                _ => None,
            });
            let Some(lkc) = beside else {
                all.push(model.clone());
                continue;
            };
            // The first confidence takes the bound of the groups in, and further ones have the same.
            all.pop_if(|last| *last == privacy_model::from(lkc.clone()));
            all.push(privacy_model::from(LkcPrivacy {
                sensitive: Some(bound.sensitive.clone()),
                sensitive_values: bound.sensitive_values.clone(),
                max_confidence: Some(bound.max_confidence),
                ..lkc.clone()
            }));
        }
        all
    }

    /// Whether a confidence is bounded in the groups that this bounds.
    fn is_beside(&self, bound: &ConfidenceBound) -> bool {
        bound.l == Some(self.l)
            && bound.person == self.person
            && bound.inference_channel.len() == self.quasi_identifier.len()
            && bound.inference_channel.iter().all(|name| self.quasi_identifier.contains(name))
    }

    /// The same of who knows values of all columns.
    pub fn of_all(&self) -> KAnonymity {
        let LkcPrivacy { quasi_identifier, k, person, .. } = self.clone();
        KAnonymity { quasi_identifier, k, person }
    }
}

impl Strictness for LkcPrivacy {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self.of_all().is_as_strict_as(&other.of_all())
    }
}

impl Model for LkcPrivacy {
    fn attributes(&self) -> &[String] {
        &self.quasi_identifier
    }
    fn known(&self) -> Option<usize> {
        Some(self.l as usize)
    }
    fn sensitive(&self) -> Option<&str> {
        self.sensitive.as_deref()
    }
    fn sensitive_values(&self) -> Option<&[Option<String>]> {
        self.sensitive_values.as_deref()
    }
    fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }
    fn check(&self) -> Result<()> {
        self.of_all().check()?;
        if self.sensitive.is_none() && (self.sensitive_values.is_some() || self.max_confidence.is_some()) {
            return Err(SqlError::parameter("a confidence is bounded, but of no sensitive column")
                .hint("Name the column: sensitive => 'diagnosis'; or leave sensitive_values and max_confidence out."));
        }
        must_be_countable(self.l, self.quasi_identifier.len())
    }
    fn required(&self) -> f64 {
        f64::from(self.k)
    }
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn engine(&self, columns: Columns) -> Result<PrivacyModel> {
        Ok(self.of_all().engine(columns)?.with_bounded_knowledge(self.l as usize))
    }
    fn measure(&self, groups: &Groups) -> String {
        self.of_all().measure(groups)
    }
    fn promise(&self) -> String {
        let (columns, l, k) = (self.quasi_identifier.join(", "), self.l, self.k);
        let of = if self.person.is_some() { format!("rows of {k} persons") } else { format!("{k} rows") };
        let values = if l == 1 { "one value".into() } else { format!("{l} values") };
        format!("Who knows at most {values} of a person among {columns} finds at least {of}")
    }
    fn condition(&self, measure: &str) -> String {
        self.of_all().condition(measure)
    }
    fn lacks(&self, achieved: f64) -> String {
        self.of_all().lacks(achieved)
    }
    fn way_out(&self, _achieved: f64) -> String {
        let more = if self.person.is_some() { "of more persons" } else { "with more rows" };
        format!("Ask for a smaller k, or release a table {more}.")
    }
}
