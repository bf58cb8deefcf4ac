//! What a verification says of a kept column that has a masking. It is asked for by the argument `masking`.

use super::groups::Groups;
use super::{Columns, Model, Strictness};
use crate::postgres::error::{Result, SqlError};
use crate::terms::masking::masking;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// What is shown of a kept column is what its masking makes: multiples of the step, a top value, or means, on enough rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The column.
    pub column: String,
    /// Its masking.
    pub masking: Box<masking>,
}

no_model!(
    Kept,
    "kept",
    "kept columns that have a masking",
    "They are asked for by the arguments keep and masking of tds_anonymize or kmember_anonymize."
);
