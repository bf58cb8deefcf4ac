//! `privacy_model`: what is to be protected. A value is the call that made it, as JSON.
//!
//! A model is one file here, with what it is to SQL: its parameters and what they may be, its
//! constructor, the engine's model that it stands for, its measure in plain SQL, and what an error says
//! where it cannot be kept. [`Model`] lists these, and the registry below names the models. Little else
//! has to know which there are: some verbs ask for one by name (k-member clustering, the floor and the
//! warnings of sizes for k-anonymity, inferences for a confidence bound).

#[macro_use]
mod verified;

mod beta_likeness;
mod confidence_bound;
mod counts;
pub mod groups;
pub mod k_anonymity;
mod k_map;
mod kept;
mod known;
pub mod l_diversity;
mod lkc_privacy;
mod means;
pub mod sensitive;
mod t_closeness;

pub use confidence_bound::ConfidenceBound;
pub use counts::Counts;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use kept::Kept;
pub use lkc_privacy::LkcPrivacy;
pub use means::Means;

use super::parse;

use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{clipped, clipped_to, number, or_raise, Result, SqlError};
use crate::postgres::progress::{poll, polled, polling};
use crate::postgres::stored::{push_json, stored};
use crate::read::named::NamedRelation;
use groups::Groups;
use hashbrown::HashSet;
use pgrx::prelude::*;
use pgrx::{InOutFuncs, StringInfo};
use sensitive::Sensitive;
use serde::{Deserialize, Serialize};
use std::ffi::CStr;
use std::ops::Deref;
use topdown::privacy::{subsets, Direction, PrivacyModel};

/// The SQL type: one of the models.
macro_rules! registry {
    ($($model:ident($file:ident)),* $(,)?) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, PostgresType)]
        #[serde(rename_all = "snake_case")]
        #[inoutfuncs]
        #[bikeshed_postgres_type_manually_impl_from_into_datum]
        #[allow(non_camel_case_types)]
        pub enum privacy_model {
            $($model($file::$model),)*
        }

        stored!(privacy_model, privacy_model_in_wrapper);

        impl Deref for privacy_model {
            type Target = dyn Model;
            fn deref(&self) -> &Self::Target {
                match self { $(privacy_model::$model(model) => model,)* }
            }
        }

        impl privacy_model {
            /// What its constructor is called.
            pub fn name(&self) -> &'static str {
                match self { $(privacy_model::$model(_) => stringify!($file),)* }
            }

            /// Whether it compares the shares of a group with those of all rows.
            pub fn compares_with_all(&self) -> bool {
                matches!(self, privacy_model::TCloseness(_) | privacy_model::BetaLikeness(_))
            }

            /// Whether whatever keeps this model keeps another one.
            pub fn protects_as(&self, other: &privacy_model) -> bool {
                let stricter = match (self, other) {
                    $((privacy_model::$model(model), privacy_model::$model(other)) => model.is_as_strict_as(other),)*
                    _ => match (self.k_anonymity(), other.k_anonymity()) {
                        (Some(model), Some(other)) => model.is_as_strict_as(&other),
                        _ => false,
                    },
                };
                let known = |model: &privacy_model| model.known().unwrap_or(model.attributes().len());
                let names_all = || {
                    let ours: HashSet<&String> = self.attributes().iter().collect();
                    poll();
                    other.attributes().iter().all(|name| ours.contains(name))
                };
                // Groups by fewer columns are unions of groups by more, and what holds in each holds in
                // their union.
                stricter
                    && known(self) >= known(other)
                    && self.holders_are_counted_as(other)
                    && self.sensitive() == other.sensitive()
                    && names_all()
                    && match (self.sensitive_values(), other.sensitive_values()) {
                        (None, _) => true,
                        (Some(_), None) => false,
                        (Some(ours), Some(theirs)) => {
                            let ours: HashSet<&Option<String>> = polled(ours).collect();
                            polled(theirs).all(|value| ours.contains(value))
                        }
                    }
            }
        }

        $(impl From<$file::$model> for privacy_model {
            fn from(model: $file::$model) -> privacy_model {
                privacy_model::$model(model)
            }
        })*
    };
}

registry! {
    KAnonymity(k_anonymity),
    ConfidenceBound(confidence_bound),
    LDiversity(l_diversity),
    TCloseness(t_closeness),
    BetaLikeness(beta_likeness),
    LkcPrivacy(lkc_privacy),
    KMap(k_map),
    Means(means),
    Kept(kept),
    Counts(counts),
}

impl privacy_model {
    /// Its bound on the size of groups, as a k-anonymity: of all its columns together, or of those that are known.
    pub fn k_anonymity(&self) -> Option<KAnonymity> {
        match self {
            privacy_model::KAnonymity(model) => Some(model.clone()),
            privacy_model::LkcPrivacy(model) => Some(model.of_all()),
            _ => None,
        }
    }

    /// Whether who holds each sensitive value is counted as by another: in the same groups, because what holds in each need not
    /// hold in their union.
    fn holders_are_counted_as(&self, other: &privacy_model) -> bool {
        if !self.counts_holders() && !other.counts_holders() {
            return true;
        }
        self.person() == other.person()
            && (self.known().is_some() && other.known().is_some() || self.known() == other.known())
            && self.attributes().len() == other.attributes().len()
    }

    /// The sets of its columns that make groups, if not all of them together.
    pub fn sets(&self) -> Option<Vec<Vec<String>>> {
        let columns = self.attributes();
        let known = self.known().filter(|known| *known < columns.len() || self.counts_holders())?;
        // Where groups by fewer columns may be worse than those by more they are counted, too, down to the whole table.
        let fewest = if self.counts_holders() { 0 } else { known };
        Some((fewest..=known).flat_map(|many| subsets(columns, many)).collect())
    }

    /// What is asked for together, as models each of which has one measure.
    pub fn parts(self) -> Vec<privacy_model> {
        match self {
            privacy_model::LkcPrivacy(model) => model.parts(),
            model => vec![model],
        }
    }
}

/// The models of an argument, each with one measure.
pub fn models(argument: &str, models: Option<Elements<privacy_model>>) -> Result<Vec<privacy_model>> {
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    for model in elements(argument, models)? {
        poll();
        let parts = model.parts();
        let are_several = parts.len() > 1;
        for part in parts {
            // Several confidences may be bounded beside one bound of the groups.
            let is_beside = are_several && matches!(part, privacy_model::LkcPrivacy(_));
            if seen.insert(part.normal().to_string()) || !is_beside {
                all.push(part);
            }
        }
    }
    Ok(all)
}

/// How models of one kind compare.
trait Strictness {
    /// Whether the parameters, columns and values left aside, ask for at least as much as another's.
    fn is_as_strict_as(&self, other: &Self) -> bool;
}

/// The columns of a model as they were read.
#[derive(Clone)]
pub struct Columns<'s, 'a> {
    /// The places of the masked columns.
    pub attributes: Vec<usize>,
    /// The sensitive column.
    pub sensitive: Option<&'s Sensitive<'a>>,
    /// The place of the column that tells persons apart.
    pub person: Option<usize>,
    /// The place of the population.
    pub population: Option<usize>,
}

/// What is to be said of a model. In the engine it is a [`PrivacyModel`], whose law it has to obey.
pub trait Model {
    /// The columns whose released values make the groups.
    fn attributes(&self) -> &[String];

    /// The values of how many of them somebody may know: the groups are those by every so many columns. None: of all.
    fn known(&self) -> Option<usize> {
        None
    }

    /// What the argument is called that names them.
    fn grouping(&self) -> &'static str {
        "quasi_identifier"
    }

    /// The sensitive column.
    fn sensitive(&self) -> Option<&str> {
        None
    }

    /// The sensitive values that are meant; none: every value of the column.
    fn sensitive_values(&self) -> Option<&[Option<String>]> {
        None
    }

    /// The column that tells the persons apart whom it counts, in place of rows.
    fn person(&self) -> Option<&str> {
        None
    }

    /// The relation whose rows it counts in the groups.
    fn population(&self) -> Option<&NamedRelation> {
        None
    }

    /// Whether it counts the persons who hold each sensitive value. Such a model may be worse of a union of groups than of each.
    fn counts_holders(&self) -> bool {
        self.sensitive().is_some() && self.person().is_some()
    }

    /// Whether two sets of rows that keep it keep it together, so that rows may be withheld for it.
    fn may_withhold(&self) -> bool {
        false
    }

    /// What is wrong with a sensitive column whose type has no order, by their names.
    fn unordered(&self, _column: &str, _type: &str) -> Option<SqlError> {
        None
    }

    /// Whether its parameters can be; the columns are checked for all models alike.
    fn check(&self) -> Result<()>;

    /// Whether it is a model that can be asked for.
    fn is_asked_for(&self) -> Result<()> {
        Ok(())
    }

    /// What is asked for, in the measure's unit.
    fn required(&self) -> f64;

    /// Which way its measure worsens.
    fn direction(&self) -> Direction;

    /// The engine's model over its columns.
    fn engine(&self, columns: Columns) -> Result<PrivacyModel>;

    /// A query for the rows `n` and the `measure` of every group, in plain SQL: a second opinion, that
    /// shares no code with the engine's but the tolerance of rounding.
    fn measure(&self, groups: &Groups) -> String;

    /// Where a model asks of each sensitive value for itself: the worst group's measure, as an aggregate over the
    /// values that are `chosen` with their largest shares ([`Groups::largest_shares`]).
    fn measure_by_value(&self, _chosen: &str) -> Option<String> {
        None
    }

    /// An SQL condition: a measure is good enough. What is made of logarithms or sums of shares may be
    /// off by rounding.
    fn condition(&self, measure: &str) -> String;

    /// Where the most general table breaks it: by which requirement, and what was achieved, with the
    /// `whole` table in words.
    fn shortfall(
        &self,
        _requirement: usize,
        _sensitive: Option<&Sensitive>,
        whole: &str,
        achieved: f64,
    ) -> String {
        let (asked, achieved) = (number(self.required()), number(achieved));
        let of = if self.person().is_some() { " persons" } else { "" };
        format!("asks for {asked}{of}, but {whole} achieves {achieved}.")
    }

    /// What it promises of a release, as a sentence for people who do not know its name; nothing of what no release is asked to
    /// keep.
    fn promise(&self) -> String {
        String::new()
    }

    /// How far a measure that does not hold is from what is asked for, in words.
    fn lacks(&self, achieved: f64) -> String {
        // Of more digits nobody asks, but where they tell on which side it lies.
        let (rounded, required) = ((achieved * 1e6).round() / 1e6, self.required());
        let is_as_far = rounded.partial_cmp(&required) == achieved.partial_cmp(&required);
        let achieved = match achieved.is_infinite() {
            true => "no bound".into(),
            false => number(if is_as_far { rounded } else { achieved }),
        };
        format!("{achieved} where {} is asked for", number(required))
    }

    /// The HINT where the most general table breaks it.
    fn way_out(&self, _achieved: f64) -> String {
        "Ask for less: no table is closer to the whole or more diverse than the most general one.".into()
    }
}

impl privacy_model {
    /// As JSON in which sets of columns and of values are in order: two models that ask the same are
    /// the same.
    pub fn normal(&self) -> serde_json::Value {
        let mut json = self.to_json();
        for parameters in json.as_object_mut().into_iter().flat_map(|model| model.values_mut()) {
            for set in [self.grouping(), "sensitive_values"] {
                if let Some(set) = parameters.get_mut(set).and_then(|set| set.as_array_mut()) {
                    let mut keyed: Vec<(String, serde_json::Value)> =
                        polled(set.drain(..)).map(|element| (element.to_string(), element)).collect();
                    keyed.sort_by(polling(|(one, _): &(String, _), (other, _)| one.cmp(other)));
                    set.extend(keyed.into_iter().map(|(_, element)| element));
                }
            }
        }
        json
    }

    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("a model is JSON")
    }

    /// As messages show it: a model may name any number of values.
    pub fn shown(&self) -> String {
        clipped_to(&self.to_json().to_string(), 400).into_owned()
    }

    /// The model, if its parameters can be.
    pub fn checked(self) -> Result<privacy_model> {
        // As a whole first: its errors name the arguments.
        self.must_be()?;
        self.clone().parts().iter().try_for_each(privacy_model::must_be)?;
        Ok(self)
    }

    /// Whether the parameters of a model of one measure can be.
    fn must_be(&self) -> Result<()> {
        let (grouping, attributes) = (self.grouping(), self.attributes());
        if attributes.is_empty() {
            return Err(SqlError::parameter(format!(
                "argument \"{grouping}\" must name at least one column"
            )));
        }
        if let Some(name) = twice(attributes) {
            let name = clipped(name);
            return Err(SqlError::parameter(format!("column \"{name}\" is named twice in \"{grouping}\"")));
        }
        if let Some(sensitive) = self.sensitive().filter(|s| attributes.iter().any(|a| a == s)) {
            return Err(SqlError::parameter(format!(
                "sensitive column \"{sensitive}\" is in its own \"{grouping}\""
            ))
            .hint("A column cannot be protected from being inferred from itself."));
        }
        if let Some(person) = self.person().filter(|person| self.sensitive() == Some(*person)) {
            return Err(SqlError::parameter(format!(
                "column \"{person}\" tells persons apart and is sensitive, too"
            ))
            .hint("The column of persons is never released."));
        }
        if self.person() == Some("") {
            return Err(SqlError::parameter("\"person\" must name a column")
                .hint("person => NULL, or none at all, counts rows."));
        }
        if let Some(person) = self.person().filter(|person| attributes.iter().any(|a| a == person)) {
            return Err(SqlError::parameter(format!(
                "column \"{person}\" tells persons apart and is in \"{grouping}\", too"
            ))
            .hint(format!("The column of persons is never released: leave it out of \"{grouping}\".")));
        }
        self.check()
    }
}

/// A parameter that is beyond its range.
fn out_of_range(argument: &str, range: &str, value: f64) -> SqlError {
    SqlError::parameter(format!("{argument} must be {range}, not {}", number(value)))
}

/// A smallest group has at least one row.
fn must_be_a_size(k: i32) -> Result<()> {
    match k < 1 {
        true => Err(out_of_range("k", "at least 1", f64::from(k))),
        false => Ok(()),
    }
}

/// The first element that is there before.
fn twice<T: Eq + std::hash::Hash>(elements: &[T]) -> Option<&T> {
    let mut seen = HashSet::new();
    polled(elements).find(|element| !seen.insert(*element))
}

/// A model is cast to an array of it: where there is one model, it need not be written as one.
#[pg_extern(immutable, parallel_safe)]
fn privacy_models(one: privacy_model) -> Vec<privacy_model> {
    vec![one]
}

impl InOutFuncs for privacy_model {
    fn input(input: &CStr) -> Self {
        or_raise(parse(input, "privacy_model").and_then(privacy_model::checked))
    }
    fn output(&self, buffer: &mut StringInfo) {
        or_raise(push_json(self, buffer));
    }
}
