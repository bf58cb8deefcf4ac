//! Privacy templates `<IC -> p, h>`, one for each of some sensitive values p (PDA Definition 3.1).

use super::groups::Groups;
use super::known::must_be_countable;
use super::sensitive::{quoted, Sensitive};
use super::{out_of_range, privacy_model, twice, Columns, Model, Strictness};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{number, or_raise, percent, some_of, Result, SqlError};
use crate::postgres::names::{text, Text};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// Of the rows that share a combination on the channel, at most a share h holds p.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceBound {
    /// The columns.
    pub inference_channel: Vec<String>,
    /// The sensitive column.
    pub sensitive: String,
    /// The sensitive values p; none: every value of the column.
    #[serde(default)]
    pub sensitive_values: Option<Vec<Option<String>>>,
    /// The bound h.
    pub max_confidence: f64,
    /// Of how many of the columns values are known at most, by `lkc_privacy`; none: of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l: Option<i32>,
    /// The column that tells persons apart, whose share is bounded in place of that of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

#[pg_extern(immutable, parallel_safe)]
fn confidence_bound(
    inference_channel: Option<Elements<String>>,
    sensitive: Option<Text>,
    sensitive_values: Option<Elements<String>>,
    max_confidence: Option<f64>,
    person: default!(Option<Text>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let inference_channel = elements("inference_channel", inference_channel)?;
        let sensitive = needed("sensitive", text(sensitive))?;
        let max_confidence = needed("max_confidence", max_confidence)?;
        let bound = ConfidenceBound {
            inference_channel,
            sensitive,
            sensitive_values: sensitive_values.map(|values| values.0),
            max_confidence,
            l: None,
            person: text(person),
        };
        privacy_model::from(bound).checked()
    })())
}

impl Strictness for ConfidenceBound {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self.max_confidence <= other.max_confidence
    }
}

impl Model for ConfidenceBound {
    fn attributes(&self) -> &[String] {
        &self.inference_channel
    }
    fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }
    fn known(&self) -> Option<usize> {
        self.l.map(|l| l as usize)
    }
    fn grouping(&self) -> &'static str {
        "inference_channel"
    }
    fn sensitive(&self) -> Option<&str> {
        Some(&self.sensitive)
    }
    fn sensitive_values(&self) -> Option<&[Option<String>]> {
        self.sensitive_values.as_deref()
    }
    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.max_confidence) {
            return Err(out_of_range("max_confidence", "between 0 and 1", self.max_confidence));
        }
        if let Some(l) = self.l {
            must_be_countable(l, self.inference_channel.len())?;
        }
        let Some(values) = &self.sensitive_values else { return Ok(()) };
        if values.is_empty() {
            return Err(SqlError::parameter("argument \"sensitive_values\" must name at least one value")
                .hint("NULL stands for every value of the column."));
        }
        match twice(values) {
            Some(value) => {
                let value = quoted(value.as_deref());
                Err(SqlError::parameter(format!("value {value} is given twice in \"sensitive_values\"")))
            }
            None => Ok(()),
        }
    }
    fn required(&self) -> f64 {
        self.max_confidence
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn engine(&self, columns: Columns) -> Result<PrivacyModel> {
        let Columns { attributes, sensitive, person, .. } = columns;
        let sensitive = Sensitive::of(sensitive)?;
        let values = sensitive.codes(self.sensitive_values())?;
        let bound = PrivacyModel::confidence_bound(attributes, sensitive.place, values, self.max_confidence);
        Ok(bound.counting_persons(person).with_bounded_knowledge(self.known()))
    }
    fn measure(&self, groups: &Groups) -> String {
        format!(
            "SELECT pg_catalog.sum(c.n) AS n,
                    COALESCE(pg_catalog.max(c.m) FILTER (WHERE {}), 0)::float8
                        / pg_catalog.sum(c.persons)::float8 AS measure
             FROM ({}) c GROUP BY {}",
            groups.chosen,
            groups.counts(),
            groups.names("c")
        )
    }
    fn measure_by_value(&self, chosen: &str) -> Option<String> {
        Some(format!("COALESCE(pg_catalog.max(c.share) FILTER (WHERE {chosen}), 0)"))
    }
    fn promise(&self) -> String {
        let (columns, sensitive) = (self.inference_channel.join(", "), &self.sensitive);
        let values = match &self.sensitive_values {
            None => "a value".to_string(),
            Some(values) => some_of(values.iter().map(|value| value.as_deref().unwrap_or("NULL"))),
        };
        let columns = match self.l {
            Some(1) => format!("one of {columns}"),
            Some(l) => format!("{l} of {columns}"),
            None => columns,
        };
        format!(
            "Who knows {columns} of a person infers {values} of {sensitive} with a confidence of at most {}",
            percent(self.max_confidence)
        )
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} <= {}::float8", self.max_confidence)
    }
    fn shortfall(
        &self,
        requirement: usize,
        sensitive: Option<&Sensitive>,
        whole: &str,
        achieved: f64,
    ) -> String {
        let value = match self.sensitive_values() {
            Some(values) => values.get(requirement).cloned().flatten(),
            None => sensitive.and_then(|sensitive| sensitive.value(requirement)),
        };
        let (value, bound, achieved) =
            (quoted(value.as_deref()), number(self.max_confidence), number(achieved));
        format!("bounds the confidence of {value} by {bound}, but {whole} it is {achieved}.")
    }
    fn way_out(&self, _achieved: f64) -> String {
        "Raise max_confidence, or leave the value out: it is that frequent in the whole table.".into()
    }
}
