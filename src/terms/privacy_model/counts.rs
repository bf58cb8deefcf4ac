//! What a verification says of the counts that a release shows of a masked column. They are asked for by the argument
//! `counts`.

use super::groups::Groups;
use super::{Columns, Model, Strictness};
use crate::postgres::error::{Result, SqlError};
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// Each count is of enough rows, and the counts within a value add up to the rows that show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// The column.
    pub column: String,
}

no_model!(
    Counts,
    "counts",
    "counts that are shown",
    "Counts are asked for by the argument counts of tds_anonymize or kmember_anonymize."
);
