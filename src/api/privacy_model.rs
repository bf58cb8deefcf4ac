//! `privacy_model`: what is to be protected. A value is the call that made it, as JSON.

use super::{elements, needed};
use crate::error::{clipped, clipped_to, number, or_raise, Result, SqlError};
use crate::progress::polled;
use hashbrown::HashSet;
use pgrx::prelude::*;
use pgrx::{InOutFuncs, StringInfo};
use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use topdown::privacy::ROUNDING;

/// The SQL type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, PostgresType)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[inoutfuncs]
#[allow(non_camel_case_types)]
pub enum privacy_model {
    /// <QID, k>.
    KAnonymity {
        /// The columns.
        quasi_identifier: Vec<String>,
        /// The smallest group allowed.
        k: i32,
    },
    /// <IC -> p, h> for each of some values p.
    ConfidenceBound {
        /// The columns.
        inference_channel: Vec<String>,
        /// The sensitive column.
        sensitive: String,
        /// The sensitive values p; none: every value of the column.
        #[serde(default)]
        sensitive_values: Option<Vec<Option<String>>>,
        /// The bound h.
        max_confidence: f64,
    },
    /// l-diversity.
    LDiversity {
        /// The columns.
        quasi_identifier: Vec<String>,
        /// The sensitive column.
        sensitive: String,
        /// How many values must be well represented.
        l: f64,
        /// In which sense.
        #[serde(default)]
        kind: DiversityKind,
        /// The bound of recursive diversity.
        #[serde(default)]
        c: Option<f64>,
    },
    /// t-closeness.
    TCloseness {
        /// The columns.
        quasi_identifier: Vec<String>,
        /// The sensitive column.
        sensitive: String,
        /// The largest distance allowed.
        t: f64,
        /// Between what.
        #[serde(default)]
        distance: DistanceKind,
    },
}

/// The kinds of l-diversity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiversityKind {
    /// Distinct values.
    #[default]
    Distinct,
    /// Entropy.
    Entropy,
    /// Recursive (c, l)-diversity.
    Recursive,
}

/// The distances of t-closeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DistanceKind {
    /// All values are equally far apart.
    #[default]
    Equal,
    /// Values are as far apart as their ranks.
    Ordered,
}

use privacy_model::{ConfidenceBound, KAnonymity, LDiversity, TCloseness};

impl privacy_model {
    /// The columns whose released values make the groups.
    pub fn attributes(&self) -> &[String] {
        match self {
            KAnonymity { quasi_identifier, .. }
            | LDiversity { quasi_identifier, .. }
            | TCloseness { quasi_identifier, .. } => quasi_identifier,
            ConfidenceBound { inference_channel, .. } => inference_channel,
        }
    }

    /// The sensitive column.
    pub fn sensitive(&self) -> Option<&str> {
        match self {
            KAnonymity { .. } => None,
            ConfidenceBound { sensitive, .. }
            | LDiversity { sensitive, .. }
            | TCloseness { sensitive, .. } => Some(sensitive),
        }
    }

    /// What is asked for, in the measure's unit.
    pub fn required(&self) -> f64 {
        match self {
            KAnonymity { k, .. } => f64::from(*k),
            ConfidenceBound { max_confidence, .. } => *max_confidence,
            LDiversity { c: Some(c), .. } => *c,
            LDiversity { l, .. } => *l,
            TCloseness { t, .. } => *t,
        }
    }

    /// Whether a larger measure is better: groups, diversities.
    pub fn wants_more(&self) -> bool {
        matches!(self, KAnonymity { .. } | LDiversity { c: None, .. })
    }

    /// An SQL condition: `measure` is good enough. What is made of logarithms or sums of shares
    /// may be off by rounding.
    pub fn condition(&self, measure: &str) -> String {
        let required = self.required();
        match self {
            KAnonymity { .. } => format!("{measure} >= {required}"),
            ConfidenceBound { .. } => format!("{measure} <= {required}::float8"),
            LDiversity { kind: DiversityKind::Recursive, .. } => format!("{measure} < {required}::float8"),
            LDiversity { .. } => format!("{measure} >= {required}::float8 - {ROUNDING}::float8"),
            TCloseness { .. } => format!("{measure} <= {required}::float8 + {ROUNDING}::float8"),
        }
    }

    /// As JSON in which sets of columns and of values are in order: two models that ask the same are
    /// the same.
    pub fn normal(&self) -> serde_json::Value {
        let mut model = self.clone();
        match &mut model {
            KAnonymity { quasi_identifier, .. }
            | LDiversity { quasi_identifier, .. }
            | TCloseness { quasi_identifier, .. } => quasi_identifier.sort(),
            ConfidenceBound { inference_channel, sensitive_values, .. } => {
                inference_channel.sort();
                sensitive_values.iter_mut().for_each(|values| values.sort());
            }
        }
        model.to_json()
    }

    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// As messages show it: a model may name any number of values.
    pub fn shown(&self) -> String {
        clipped_to(&self.to_json().to_string(), 400).into_owned()
    }

    /// The model, if its parameters can be.
    pub fn checked(self) -> Result<privacy_model> {
        let channel =
            if matches!(self, ConfidenceBound { .. }) { "inference_channel" } else { "quasi_identifier" };
        columns(channel, self.attributes())?;
        if let Some(sensitive) = self.sensitive().filter(|s| self.attributes().iter().any(|a| a == s)) {
            return Err(SqlError::parameter(format!(
                "sensitive column \"{sensitive}\" is in its own \"{channel}\""
            ))
            .hint("A column cannot be protected from being inferred from itself."));
        }
        match &self {
            KAnonymity { k, .. } if *k < 1 => Err(out_of_range("k", "at least 1", f64::from(*k))),
            ConfidenceBound { max_confidence: h, .. } if !(0.0..=1.0).contains(h) => {
                Err(out_of_range("max_confidence", "between 0 and 1", *h))
            }
            ConfidenceBound { sensitive_values: Some(values), .. } => sensitive_values(values),
            LDiversity { l, kind, c, .. } => diversity(*l, *kind, *c),
            TCloseness { t, .. } if !(0.0..=1.0).contains(t) => Err(out_of_range("t", "between 0 and 1", *t)),
            _ => Ok(()),
        }?;
        Ok(self)
    }
}

fn out_of_range(argument: &str, range: &str, value: f64) -> SqlError {
    SqlError::parameter(format!("{argument} must be {range}, not {}", number(value)))
}

fn sensitive_values(values: &[Option<String>]) -> Result<()> {
    if values.is_empty() {
        return Err(SqlError::parameter("argument \"sensitive_values\" must name at least one value")
            .hint("NULL stands for every value of the column."));
    }
    match twice(values) {
        Some(value) => Err(SqlError::parameter(format!(
            "value {} is given twice in \"sensitive_values\"",
            value.as_ref().map_or("NULL".into(), |v| format!("\"{}\"", clipped(v)))
        ))),
        None => Ok(()),
    }
}

/// The first element that is there before.
fn twice<T: Eq + std::hash::Hash>(elements: &[T]) -> Option<&T> {
    let mut seen = HashSet::new();
    polled(elements).find(|element| !seen.insert(*element))
}

fn diversity(l: f64, kind: DiversityKind, c: Option<f64>) -> Result<()> {
    if l.is_nan() || l < 1.0 || l.is_infinite() {
        return Err(out_of_range("l", "at least 1", l));
    }
    match (kind, c) {
        (DiversityKind::Recursive, None) => Err(SqlError::parameter("recursive l-diversity needs c")
            .hint("For example l_diversity(..., 3, 'recursive', 2).")),
        (DiversityKind::Recursive, Some(c)) if !c.is_finite() || c <= 0.0 => {
            Err(out_of_range("c", "above 0 and finite", c))
        }
        (DiversityKind::Recursive, _) if l.fract() != 0.0 => Err(out_of_range("l", "a whole number", l)),
        (DiversityKind::Distinct | DiversityKind::Entropy, Some(_)) => {
            Err(SqlError::parameter("c belongs to recursive l-diversity only"))
        }
        _ => Ok(()),
    }
}

/// A set of columns: not empty, none named twice.
fn columns(argument: &str, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Err(SqlError::parameter(format!("argument \"{argument}\" must name at least one column")));
    }
    match twice(names) {
        Some(name) => {
            let name = clipped(name);
            Err(SqlError::parameter(format!("column \"{name}\" is named twice in \"{argument}\"")))
        }
        None => Ok(()),
    }
}

impl InOutFuncs for privacy_model {
    fn input(input: &CStr) -> Self {
        or_raise(parse(input, "privacy_model").and_then(privacy_model::checked))
    }
    fn output(&self, buffer: &mut StringInfo) {
        buffer.push_str(&self.to_json().to_string());
    }
}

/// A value of one of our types from its JSON text.
pub(super) fn parse<T: for<'a> Deserialize<'a>>(input: &CStr, name: &str) -> Result<T> {
    serde_json::from_slice(input.to_bytes()).map_err(|error| {
        SqlError::text_representation(format!("invalid input for type {name}"))
            .detail(error.to_string())
            .hint("Make values with the type's constructor functions.")
    })
}

/// k-anonymity (TDS Definition 1).
#[pg_extern(immutable, parallel_safe)]
fn k_anonymity(quasi_identifier: Option<Vec<Option<String>>>, k: Option<i32>) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        KAnonymity { quasi_identifier, k: needed("k", k)? }.checked()
    })())
}

/// Privacy templates (PDA Definition 3.1).
#[pg_extern(immutable, parallel_safe)]
fn confidence_bound(
    inference_channel: Option<Vec<Option<String>>>,
    sensitive: Option<String>,
    sensitive_values: Option<Vec<Option<String>>>,
    max_confidence: Option<f64>,
) -> privacy_model {
    or_raise((|| {
        let inference_channel = elements("inference_channel", inference_channel)?;
        let sensitive = needed("sensitive", sensitive)?;
        let max_confidence = needed("max_confidence", max_confidence)?;
        ConfidenceBound { inference_channel, sensitive, sensitive_values, max_confidence }.checked()
    })())
}

/// l-diversity.
#[pg_extern(immutable, parallel_safe)]
fn l_diversity(
    quasi_identifier: Option<Vec<Option<String>>>,
    sensitive: Option<String>,
    l: Option<f64>,
    kind: default!(Option<String>, "'distinct'"),
    c: default!(Option<f64>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let kind = match needed("kind", kind)?.as_str() {
            "distinct" => DiversityKind::Distinct,
            "entropy" => DiversityKind::Entropy,
            "recursive" => DiversityKind::Recursive,
            other => {
                return Err(SqlError::parameter(format!("unknown kind of l-diversity \"{other}\""))
                    .hint("The kinds are distinct, entropy and recursive."))
            }
        };
        LDiversity {
            quasi_identifier,
            sensitive: needed("sensitive", sensitive)?,
            l: needed("l", l)?,
            kind,
            c,
        }
        .checked()
    })())
}

/// t-closeness.
#[pg_extern(immutable, parallel_safe)]
fn t_closeness(
    quasi_identifier: Option<Vec<Option<String>>>,
    sensitive: Option<String>,
    t: Option<f64>,
    distance: default!(Option<String>, "'equal'"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let distance = match needed("distance", distance)?.as_str() {
            "equal" => DistanceKind::Equal,
            "ordered" => DistanceKind::Ordered,
            other => {
                return Err(SqlError::parameter(format!("unknown distance \"{other}\""))
                    .hint("The distances are equal and ordered."))
            }
        };
        TCloseness {
            quasi_identifier,
            sensitive: needed("sensitive", sensitive)?,
            t: needed("t", t)?,
            distance,
        }
        .checked()
    })())
}
