//! `masking`: how a column is masked. A value is the call that made it, as JSON.
//!
//! A masking is one file here: its parameters, its constructor, and how the codes of a column that was
//! read get a hierarchy and labels by it. [`Masking`] lists what each says of itself, and the registry
//! below names the maskings. What a column is masked by unless told otherwise is the request's to say; new
//! kinds of labels are told apart in labels.rs, and where their manifest, their measures and their clusters
//! are made (release/content.rs, release/measures.rs, search/cluster.rs).

mod by_calendar;
mod by_intervals;
mod by_network;
mod by_prefix;
mod by_suppression;
mod by_taxonomy;
mod by_taxonomy_tree;
mod rule;

pub mod taxonomy;

pub use by_intervals::{refuse_outside, ByIntervals};
pub use by_suppression::BySuppression;

use super::labels::Bound;
use super::parse;
use super::words::Endpoints;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::read::scan::Column;
use pgrx::prelude::*;
use pgrx::{InOutFuncs, StringInfo};
use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use std::ops::Deref;
use topdown::Progress;

/// The SQL type: one of the maskings.
macro_rules! registry {
    ($($masking:ident($file:ident)),* $(,)?) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, PostgresType)]
        #[serde(rename_all = "snake_case")]
        #[inoutfuncs]
        #[allow(non_camel_case_types, clippy::enum_variant_names)]
        pub enum masking {
            $($masking($file::$masking),)*
        }

        impl Deref for masking {
            type Target = dyn Masking;
            fn deref(&self) -> &Self::Target {
                match self { $(masking::$masking(masking) => masking,)* }
            }
        }

        $(impl From<$file::$masking> for masking {
            fn from(masking: $file::$masking) -> masking {
                masking::$masking(masking)
            }
        })*
    };
}

registry! {
    ByTaxonomy(by_taxonomy),
    ByTaxonomyTree(by_taxonomy_tree),
    ByIntervals(by_intervals),
    BySuppression(by_suppression),
    ByPrefix(by_prefix),
    ByCalendar(by_calendar),
    ByNetwork(by_network),
}

impl masking {
    /// Itself, if its parameters are such as can be asked for.
    pub fn checked(self) -> Result<masking> {
        self.check().map(|()| self)
    }
}

/// What is to be said of a masking.
pub trait Masking {
    /// The masked column.
    fn column_name(&self) -> &str;

    /// What keeps the masking from being, as far as that can be told without a column.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether a value says itself what stands above it, so that every one has its place.
    fn is_by_rule(&self) -> bool {
        false
    }

    /// Whether the column is released as intervals of its own values, whose ends can be shown.
    fn is_by_intervals(&self) -> bool {
        false
    }

    /// Lays a hierarchy over a column that was read, whose codes are put into the order that the
    /// hierarchy counts on; what cannot be placed is an error that lists it.
    fn bind<'w>(&self, column: &mut Column, how: &Binding<'w>) -> Result<Bound<'w>>;
}

/// What else decides how a column is bound.
#[derive(Clone, Copy)]
pub struct Binding<'w> {
    /// The label of suppressed values; none where nothing is released.
    pub suppressed: Option<&'w str>,
    /// Which ends of intervals are shown.
    pub endpoints: Endpoints,
    /// Who watches, and counts the memory.
    pub watch: &'w dyn Progress,
}

impl InOutFuncs for masking {
    fn input(input: &CStr) -> Self {
        or_raise(parse(input, "masking").and_then(masking::checked))
    }
    fn output(&self, buffer: &mut StringInfo) {
        buffer.push_str(&serde_json::to_value(self).unwrap_or_default().to_string());
    }
}

/// A real value must not read like a suppressed one, where any is released.
fn refuse_label<'a>(
    name: &str,
    suppressed: Option<&str>,
    mut values: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let Some(suppressed) = suppressed.filter(|label| values.any(|value| value == *label)) else {
        return Ok(());
    };
    Err(SqlError::parameter(format!(
        "column \"{name}\" holds \"{suppressed}\", which is the label of suppressed values"
    ))
    .hint(
        "Choose another label with suppressed => '...', or release a view that writes the value differently.",
    ))
}
