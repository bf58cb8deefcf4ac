//! `privacy_model`: what is to be protected. A value is the call that made it, as JSON.

use super::{elements, needed};
use crate::error::{or_raise, Result, SqlError};
use pgrx::prelude::*;
use pgrx::{InOutFuncs, StringInfo};
use serde::{Deserialize, Serialize};
use std::ffi::CStr;

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
}

impl privacy_model {
    /// The columns whose released values make the groups.
    pub fn attributes(&self) -> &[String] {
        match self {
            privacy_model::KAnonymity { quasi_identifier, .. } => quasi_identifier,
        }
    }

    /// What is asked for, in the measure's unit.
    pub fn required(&self) -> f64 {
        match self {
            privacy_model::KAnonymity { k, .. } => f64::from(*k),
        }
    }

    /// Whether a measure is good enough.
    pub fn holds(&self, achieved: f64) -> bool {
        match self {
            privacy_model::KAnonymity { .. } => achieved >= self.required(),
        }
    }

    /// Whether two models ask the same: sets of columns have no order.
    pub fn same_as(&self, other: &privacy_model) -> bool {
        let sorted = |model: &privacy_model| {
            let mut model = model.clone();
            match &mut model {
                privacy_model::KAnonymity { quasi_identifier, .. } => quasi_identifier.sort(),
            }
            model
        };
        sorted(self) == sorted(other)
    }

    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn checked(self) -> Result<privacy_model> {
        match &self {
            privacy_model::KAnonymity { quasi_identifier, k } => {
                columns("quasi_identifier", quasi_identifier)?;
                if *k < 1 {
                    return Err(SqlError::parameter(format!("k must be at least 1, not {k}")));
                }
            }
        }
        Ok(self)
    }
}

/// A set of columns: not empty, none named twice.
fn columns(argument: &str, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Err(SqlError::parameter(format!("argument \"{argument}\" must name at least one column")));
    }
    match names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
        Some((_, name)) => {
            Err(SqlError::parameter(format!("column \"{name}\" is named twice in \"{argument}\"")))
        }
        None => Ok(()),
    }
}

impl InOutFuncs for privacy_model {
    fn input(input: &CStr) -> Self {
        or_raise(super::privacy_model::parse(input, "privacy_model").and_then(privacy_model::checked))
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
        privacy_model::KAnonymity { quasi_identifier, k: needed("k", k)? }.checked()
    })())
}
