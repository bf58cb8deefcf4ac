//! `masking`: how a column is masked. A value is the call that made it, as JSON.
//!
//! A masking is one file here: its parameters, its constructor, and how the codes of a column that was
//! read get a hierarchy and labels by it. [`Masking`] lists what each says of itself, and the registry
//! below names the maskings. Those of kept columns have no hierarchy: they change what is shown of a column that no search
//! sees ([`kept`]). What a column is masked by unless told otherwise is the request's to say; new
//! kinds of labels are told apart in labels.rs, and where their manifest, their measures and their clusters
//! are made (src/release/store/parameters.rs, src/release/measure/losses.rs,
//! src/search/cluster.rs).

mod by_calendar;
mod by_intervals;
mod by_network;
mod by_prefix;
mod by_suppression;
mod by_taxonomy;
mod by_taxonomy_tree;
mod coarsest;
mod finest;
mod microaggregated;
mod rounded;
mod rule;
mod top_coded;
mod weighted;

pub mod kept;
pub mod taxonomy;

pub use by_intervals::{refuse_outside, ByIntervals};
pub use by_suppression::BySuppression;
pub use by_taxonomy::ByTaxonomy;
pub use rounded::Step;
pub use top_coded::TopCoded;
pub use weighted::Weighted;

use coarsest::Coarsest;
use finest::Finest;

use super::labels::Bound;
use super::parse;
use super::words::Endpoints;
use crate::postgres::datum::Type;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::stored::{push_json, stored};
use crate::read::table::Column;
use pgrx::prelude::*;
use pgrx::{InOutFuncs, StringInfo};
use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use std::mem::{discriminant, Discriminant};
use std::ops::Deref;

/// The SQL type: one of the maskings.
macro_rules! registry {
    ($($masking:ident($file:ident)),* $(,)?) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, PostgresType)]
        #[serde(rename_all = "snake_case")]
        #[inoutfuncs]
        #[bikeshed_postgres_type_manually_impl_from_into_datum]
        #[allow(non_camel_case_types, clippy::enum_variant_names)]
        pub enum masking {
            $($masking($file::$masking),)*
        }

        stored!(masking, masking_in_wrapper);

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
    Weighted(weighted),
    Coarsest(coarsest),
    Finest(finest),
    Rounded(rounded),
    TopCoded(top_coded),
    Microaggregated(microaggregated),
}

impl masking {
    /// Itself, if its parameters are such as can be asked for.
    pub fn checked(self) -> Result<masking> {
        self.check().map(|()| self)
    }

    /// Of a kept column of a type: whether it shows no more than another does, the same, means of as many rows, or values up
    /// to a lower bound.
    pub fn shows_no_more_than(&self, other: &masking, ty: Type) -> bool {
        match (self, other) {
            (masking::Microaggregated(by), masking::Microaggregated(other)) => by.m >= other.m,
            (masking::TopCoded(by), masking::TopCoded(other)) if by != other => by.is_lower(other, ty),
            _ => self == other,
        }
    }

    /// Whether a value is the same leaf by both: the same rule goes down as far, or none makes anything of it.
    pub fn has_leaves_of(&self, other: &masking) -> bool {
        self.finest_of_rule() == other.finest_of_rule()
    }

    /// Which rule makes its leaves, and how far down it goes; none where each value is its own leaf.
    fn finest_of_rule(&self) -> Option<(Discriminant<masking>, Option<i32>)> {
        let finest = match self {
            masking::ByCalendar(by) => by.units.iter().max().map(|&unit| unit as i32),
            masking::ByNetwork(by) => by.lengths.iter().flatten().max().copied(),
            masking::ByPrefix(by) => Some(by.lengths.iter().flatten().max().copied()?),
            _ => return self.within()?.finest_of_rule(),
        };
        Some((discriminant(self), finest))
    }

    /// Whether it shows means of several rows.
    pub fn shows_means(&self) -> bool {
        matches!(self, masking::Microaggregated(_) | masking::TopCoded(_))
    }

    /// The relation that is its taxonomy, if it has one.
    pub fn by_taxonomy(&mut self) -> Option<&mut ByTaxonomy> {
        match self {
            masking::ByTaxonomy(by) => Some(by),
            masking::Weighted(Weighted { masking, .. })
            | masking::Coarsest(Coarsest { masking, .. })
            | masking::Finest(Finest { masking, .. }) => masking.by_taxonomy(),
            _ => None,
        }
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

    /// The masking that this one asks more of, if it is none of its own.
    fn within(&self) -> Option<&masking> {
        None
    }

    /// What is asked of the search for the column.
    fn demands(&self) -> Demands {
        Demands::default()
    }

    /// Whether there is a tree over the values before the search.
    fn has_tree(&self) -> bool {
        self.within().is_some_and(|by| by.has_tree())
    }

    /// Whether a value says itself what stands above it, so that every one has its place.
    fn is_by_rule(&self) -> bool {
        self.within().is_some_and(|by| by.is_by_rule())
    }

    /// What the leaf of a value is called, which prints as this text.
    fn leaf(&self, text: String) -> String {
        match self.within() {
            Some(by) => by.leaf(text),
            None => text,
        }
    }

    /// Whether the column is released as intervals of its own values, whose ends can be shown.
    fn is_by_intervals(&self) -> bool {
        self.within().is_some_and(|by| by.is_by_intervals())
    }

    /// Whether what a column of a type is released as has ends, and whether the upper one belongs to it.
    fn upper_end(&self, ty: Option<Type>) -> Option<UpperEnd> {
        self.within().and_then(|by| by.upper_end(ty))
    }

    /// Whether it is of a column that is kept, and seen by no search.
    fn is_of_kept(&self) -> bool {
        self.within().is_some_and(|by| by.is_of_kept())
    }

    /// What keeps it from a kept column of a type that is declared so.
    fn fits(&self, ty: Type, declaration: &str) -> Result<()> {
        self.within().map_or(Ok(()), |by| by.fits(ty, declaration))
    }

    /// A number for what it reads beside the column.
    fn content(&self) -> Result<u64> {
        self.within().map_or(Ok(0), |by| by.content())
    }

    /// Lays a hierarchy over a column that was read, whose codes are put into the order that the
    /// hierarchy counts on; what cannot be placed is an error that lists it.
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound>;
}

/// Whether the upper end of what a value is released as belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpperEnd {
    /// Of intervals and stretches of time, but for the last interval of a domain that has an upper bound.
    Excluded,
    /// It is the greatest value.
    Included,
}

/// What is asked of the search for a column, besides how it is masked; none where nothing is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Demands {
    /// How many times the gain of a refinement counts.
    pub weight: Option<f64>,
    /// The least depth of what is released.
    pub coarsest: Option<i32>,
    /// The greatest depth of what is released.
    pub finest: Option<i32>,
    /// Whether only some points may become ends of intervals.
    pub points: bool,
}

/// What keeps a bound on the depth of a masking from being: `before` is one of its kind that is there already,
/// `bounded` the masking with the bound.
fn check_depth(by: &masking, bound: &str, before: Option<i32>, bounded: &dyn Masking) -> Result<()> {
    by.check()?;
    let (name, demands) = (by.column_name(), bounded.demands());
    if before.is_some() {
        return Err(SqlError::parameter(format!("column \"{name}\" has two depths as its {bound}")));
    }
    let depths = [demands.coarsest, demands.finest];
    if let Some(depth) = depths.into_iter().flatten().find(|&depth| depth < 0) {
        return Err(SqlError::parameter(format!("a depth of column \"{name}\" is at least 0, not {depth}")));
    }
    if let [Some(coarsest), Some(finest)] = depths {
        if coarsest > finest {
            return Err(SqlError::parameter(format!(
                "column \"{name}\" cannot be as specific as depth {coarsest} at least and {finest} at most"
            )));
        }
    }
    Ok(())
}

/// What else decides how a column is bound.
#[derive(Clone, Copy)]
pub struct Binding<'a> {
    /// The label of suppressed values; none where nothing is released.
    pub suppressed: Option<&'a str>,
    /// Whether groups are refined one at a time: of those released a rewind knows the labels alone.
    pub is_local: bool,
    /// Which ends of intervals are shown.
    pub endpoints: Endpoints,
    /// Whether the ends of what a tree releases are shown in columns of their own.
    pub ends: bool,
    /// Whether a value without a place is no error: its rows get the code [`topdown::table::NONE`].
    pub leave_out: bool,
}

/// A masking is cast to an array of it: where one column has a masking, it need not be written as one.
#[pg_extern(immutable, parallel_safe)]
fn maskings(one: masking) -> Vec<masking> {
    vec![one]
}

impl InOutFuncs for masking {
    fn input(input: &CStr) -> Self {
        or_raise(parse(input, "masking").and_then(masking::checked))
    }
    fn output(&self, buffer: &mut StringInfo) {
        or_raise(push_json(self, buffer));
    }
}

/// A real value must not read like a suppressed one, where any is released or called so.
fn refuse_label<'a>(name: &str, how: &Binding, mut values: impl Iterator<Item = &'a str>) -> Result<()> {
    let Some(label) = values.find(|value| how.suppressed == Some(value)) else { return Ok(()) };
    Err(SqlError::parameter(format!("column \"{name}\" holds \"{label}\", which is the label of suppressed values")).hint(
        "Choose another label with suppressed => '...', which kmember_anonymize() has not, or release a view that writes the value differently.",
    ))
}
