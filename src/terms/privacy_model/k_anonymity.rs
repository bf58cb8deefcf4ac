//! k-anonymity (TDS Definition 1): `<QID, k>`.

use super::groups::Groups;
use super::sensitive::Sensitive;
use super::{out_of_range, privacy_model, Model, Strictness};
use crate::postgres::arguments::{elements, needed};
use crate::postgres::error::{or_raise, Result};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::privacy::{self, Direction, PrivacyModel};
use topdown::progress::Reservation;

/// Every combination of released values on the columns is shared by at least k rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KAnonymity {
    /// The columns.
    pub quasi_identifier: Vec<String>,
    /// The smallest group allowed.
    pub k: i32,
}

#[pg_extern(immutable, parallel_safe)]
fn k_anonymity(quasi_identifier: Option<Vec<Option<String>>>, k: Option<i32>) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        privacy_model::from(KAnonymity { quasi_identifier, k: needed("k", k)? }).checked()
    })())
}

impl Strictness for KAnonymity {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self.k >= other.k
    }
}

impl Model for KAnonymity {
    fn attributes(&self) -> &[String] {
        &self.quasi_identifier
    }
    fn may_withhold(&self) -> bool {
        true
    }
    fn check(&self) -> Result<()> {
        if self.k < 1 {
            return Err(out_of_range("k", "at least 1", f64::from(self.k)));
        }
        Ok(())
    }
    fn required(&self) -> f64 {
        f64::from(self.k)
    }
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn engine(
        &self,
        attributes: Vec<usize>,
        _: Option<&Sensitive>,
        _: &mut Reservation,
    ) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(privacy::KAnonymity::new(attributes, self.k as u64)))
    }
    fn measure(&self, groups: &Groups) -> String {
        format!("SELECT c.m AS n, c.m::float8 AS measure FROM ({}) c", groups.counts())
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} >= {}", self.k)
    }
    fn way_out(&self) -> &'static str {
        "Ask for a smaller k, or release a table with more rows."
    }
}
