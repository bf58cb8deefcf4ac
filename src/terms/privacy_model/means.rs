//! What a verification says of the means that a release shows beside a masked column. They are asked for by the argument
//! `means`.

use super::groups::Groups;
use super::{Columns, Model, Strictness};
use crate::postgres::error::{Result, SqlError};
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// In each class a column has one mean, within the interval that is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Means {
    /// The column.
    pub column: String,
}

no_model!(
    Means,
    "means",
    "means that are shown",
    "Means are asked for by the argument means of tds_anonymize or kmember_anonymize."
);
