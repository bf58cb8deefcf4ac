//! What a manifest keeps of how a version was made, in its column `parameters`: the call's arguments, so
//! that the next version can be made without them; what measures need besides what is published; and
//! what the source's columns were.

use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{poll, polled};
use crate::read::counted::Reading;
use crate::read::named::{owner_of, NamedRelation};
use crate::read::source::Source;
use crate::release::store::means::mean_column;
use crate::release::store::shown::{End, MaskedAs, NodeForm};
use crate::search::result::GeneralizedColumn;
use crate::search::SearchResult;
use crate::terms::arguments::Arguments;
use crate::terms::labels::Labels;
use crate::terms::masking::{masking, UpperEnd};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use crate::terms::words::{Intervals, Recoding};
use pgrx::pg_sys::Datum;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The format that this version of the extension writes: 4 is that of 1.0.0. It is counted up when an older version of the
/// extension could not read what is new.
pub const FORMAT: i64 = 4;

/// How a version was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Parameters {
    /// What was asked for, beside the rest: numbers in a taxonomy may be of any size, which serde's own
    /// flattening cannot read.
    #[serde(skip)]
    pub arguments: Arguments,
    /// How all this is written.
    pub format: i64,
    /// The view's name, which the first version fixes.
    pub view: String,
    /// The masked columns, in the source's order.
    pub columns: Vec<Mask>,
    /// The role that owned each relation which the release knows by name, when it was given that: by the qualified name.
    #[serde(default)]
    pub owners: BTreeMap<String, String>,
    /// The columns of the source that were read, as they were.
    pub source_columns: Vec<SourceColumn>,
    /// How many rows of the source were left out.
    pub withheld: i64,
    /// And how many of each class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld_by_class: Vec<OfClass>,
    /// The version of the last search or rewind, whose steps a replay performs.
    pub trace: i32,
    /// How many of those steps a replay left out.
    pub steps_dropped: i32,
    /// The share of the class's entropy that the masked columns tell; none without a class.
    pub class_information: Option<f64>,
    /// How the source was read; None if the version was made by a rewind, which reads no source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan: Option<Reading>,
    /// The hidden column that tells what each row is, by which versions are compared; None if there was no
    /// memory for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// What the hidden columns of the version's table hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<HiddenColumn>,
    /// A number for all rows of the source together, by which it is seen whether that has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<i64>,
    /// What is held back, where changes are batched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldSummary>,
    /// What protects less than in the version before.
    pub weaker: Vec<String>,
    /// How far off the answers of the version are, where recipients are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_error: Option<serde_json::Value>,
}

/// A column of a version's table that the view does not show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HiddenColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: Holds,
    /// Of which column of the source.
    pub column: String,
}

/// What a hidden column holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holds {
    /// The original values of a sensitive column that is also masked, for the recount.
    Sensitive,
    /// Whose each row is, by a pseudonym, for the recount.
    Person,
    /// The source's values of a column that is shown otherwise, for when its rows have left the source.
    Source,
}

/// How much is held back, and since when the oldest of it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldSummary {
    pub waiting: i64,
    pub lingering: i64,
    pub oldest_waiting: Option<String>,
    pub oldest_lingering: Option<String>,
}

/// How many of the rows that were left out are of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfClass {
    /// The class; none for NULL.
    pub class: Option<String>,
    /// The rows.
    pub rows: u64,
}

/// A column of the source, as DDL writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceColumn {
    /// Its name.
    pub name: String,
    /// Its type, collation included.
    #[serde(rename = "type")]
    pub declaration: String,
}

/// How a masked column is described: what measures need besides what is published.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mask {
    /// The column.
    pub name: String,
    /// How it is masked.
    pub masked: MaskedAs,
    /// Its type, of a domain the base type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The lower bound of its domain; where none is given, the data's least value.
    pub lower: Option<String>,
    /// The upper bound of its domain; where none is given, the data's greatest value.
    pub upper: Option<String>,
    /// Whether it holds NULLs.
    pub nulls: bool,
    /// How many bits of what the source tells are lost, from 0 to 1 (Gionis, Tassa 2009); none where that is not
    /// known any more.
    pub non_uniform_entropy: Option<f64>,
}

impl Parameters {
    /// Whether a rewind has made the version, which reads no source.
    pub fn is_rewound(&self) -> bool {
        self.scan.is_none()
    }

    /// The hidden column of a version's table that holds something of a column of the source.
    pub fn hidden(&self, holds: Holds, column: &str) -> Result<&str> {
        let is_it = |hidden: &&HiddenColumn| hidden.holds == holds && hidden.column == column;
        let hidden = self.hidden.iter().find(is_it).map(|hidden| hidden.name.as_str());
        hidden.ok_or_else(|| {
            SqlError::state(format!(
                "nothing tells where the release keeps what it needs of column \"{column}\""
            ))
            .detail("Somebody has changed its manifest.")
            .hint("Make a new version with release_refresh(..., mode => 'search').")
        })
    }

    /// The masked columns.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|mask| mask.name.clone()).collect()
    }

    /// How many splits every interval of a column is made by at least.
    pub fn least_splits(&self, column: &str) -> i32 {
        let by = self.arguments.masking.iter().find(|by| by.column_name() == column);
        by.filter(|by| by.is_by_intervals()).and_then(|by| by.demands().coarsest).unwrap_or(0)
    }

    /// Whether a search refines a column in all groups at once before it refines single groups.
    pub fn begins_with(&self, column: &str) -> bool {
        self.arguments.show.iter().any(|shown| shown == column) || self.least_splits(column) > 0
    }

    /// Whether it is by local recoding, and some columns were refined for all rows first: the steps do not tell of those where a row
    /// of something else belongs.
    pub fn is_begun_for_all(&self) -> bool {
        self.arguments.recoding == Recoding::Local
            && self.columns.iter().any(|mask| self.begins_with(&mask.name))
    }

    /// Of what was found for a request, as a version of a number.
    pub fn new(request: &Request, found: &SearchResult, view: &str, version: i32) -> Result<Parameters> {
        let mask = |a: usize| mask(request, found, a);
        Ok(Parameters {
            arguments: request.arguments.clone(),
            format: FORMAT,
            view: view.to_string(),
            columns: (0..request.masked.len()).map(mask).collect::<Result<_>>()?,
            owners: owners(request)?,
            source_columns: fingerprint(&request.source, &request.columns()),
            withheld: found.withheld.rows as i64,
            withheld_by_class: (found.withheld.classes.iter())
                .map(|(class, &rows)| OfClass { class: class.clone(), rows })
                .collect(),
            trace: version,
            steps_dropped: 0,
            class_information: found.class_information(request)?,
            scan: Some(found.reading.clone()),
            row: None,
            hidden: Vec::new(),
            fingerprint: None,
            held: None,
            weaker: Vec::new(),
            query_error: None,
        })
    }

    /// As a manifest holds them; the models must be such as can be asked for.
    pub fn parse(json: &serde_json::Value) -> std::result::Result<Parameters, String> {
        let arguments = Arguments::deserialize(json).map_err(|fault| fault.to_string())?;
        let mut parameters = Parameters::deserialize(json).map_err(|fault| fault.to_string())?;
        parameters.arguments = arguments;
        let models = std::mem::take(&mut parameters.arguments.privacy);
        let models = models.into_iter().map(privacy_model::checked).collect::<Result<Vec<_>>>();
        parameters.arguments.privacy = models.map_err(|fault| fault.message().to_string())?;
        polled(parameters.arguments.relations()).for_each(|named| {
            *named = NamedRelation::owned(named.name(), parameters.owners.get(named.name()));
        });
        if parameters.arguments.privacy.is_empty() || parameters.columns.is_empty() {
            return Err("It tells of no privacy model, or of no masked column.".into());
        }
        Ok(parameters)
    }

    /// As JSON.
    pub fn to_json(&self) -> Result<serde_json::Value> {
        let of = |json: serde_json::Result<_>| json.map_err(|fault| SqlError::internal(fault.to_string()));
        let (mut all, rest) = (of(serde_json::to_value(&self.arguments))?, of(serde_json::to_value(self))?);
        if let (serde_json::Value::Object(all), serde_json::Value::Object(rest)) = (&mut all, rest) {
            all.extend(rest);
        }
        Ok(all)
    }

    /// How the nodes of a masked column are shown.
    pub fn form(&self, mask: &Mask) -> NodeForm {
        NodeForm::new(mask.masked, self.arguments.intervals, Type::on_a_line(&mask.type_name))
    }

    /// Whether the ends of what a masked column is released as are shown in columns of their own, and whether the upper one
    /// belongs to it.
    pub fn upper_end(&self, mask: &Mask) -> Option<UpperEnd> {
        let ty = Type::on_a_line(&mask.type_name);
        match self.arguments.masking_of(&mask.name) {
            Some(by) => self.arguments.upper_end(by, ty),
            // Unless told otherwise.
            None if mask.masked != MaskedAs::Intervals => None,
            None => Some(UpperEnd::Excluded).filter(|_| self.arguments.intervals == Intervals::Bounds),
        }
    }

    /// The masked column of which a column of the view shows the ends, and which of them.
    pub fn end(&self, column: &str) -> Option<(&Mask, End)> {
        poll();
        let of = |mask: &&Mask, end: End| end.column(&mask.name) == column && self.upper_end(mask).is_some();
        [End::Lower, End::Upper]
            .into_iter()
            .find_map(|end| self.columns.iter().find(|mask| of(mask, end)).map(|mask| (mask, end)))
    }

    /// Whether a masked column has nodes for the values that rows hold, and no others.
    pub fn grows_by_values(&self, mask: &Mask) -> bool {
        let by_rule = |by: &masking| by.column_name() == mask.name && by.is_by_rule();
        mask.masked == MaskedAs::Suppression || self.arguments.masking.iter().any(by_rule)
    }

    /// The columns by which its rows are told apart, with their types: all of the source's that were read.
    pub fn compared(&self) -> BTreeSet<(&str, &str)> {
        compared(&self.source_columns)
    }

    /// Whether a column of the view holds the means of a masked one.
    pub fn is_mean(&self, column: &str) -> bool {
        self.arguments.means.iter().any(|name| mean_column(name) == column)
    }

    /// The masked column of a name.
    pub fn mask(&self, name: &str) -> Option<&Mask> {
        self.columns.iter().find(|mask| mask.name == name)
    }
}

/// The owners of the relations that a request names.
fn owners(request: &Request) -> Result<BTreeMap<String, String>> {
    let owner = match &request.source_owner {
        Some(owner) => owner.clone(),
        None => owner_of(request.source.oid)?,
    };
    let source = (request.source.qualified(), owner);
    let mut arguments = request.arguments.clone();
    let others = polled(arguments.relations())
        .filter_map(|named| Some((named.name().to_string(), named.owner()?.clone())));
    Ok(others.chain([source]).collect())
}

/// The names and types of some columns.
pub fn compared(columns: &[SourceColumn]) -> BTreeSet<(&str, &str)> {
    columns.iter().map(|column| (column.name.as_str(), column.declaration.as_str())).collect()
}

/// Some columns of a source as they are now.
pub fn fingerprint(source: &Source, columns: &[usize]) -> Vec<SourceColumn> {
    let of = |&c: &usize| {
        let column = &source.columns[c];
        SourceColumn { name: column.name.clone(), declaration: column.declaration.clone() }
    };
    columns.iter().map(of).collect()
}

fn mask(request: &Request, found: &SearchResult, attribute: usize) -> Result<Mask> {
    let GeneralizedColumn { column, bound, .. } = &found.columns[attribute];
    let (masked, lower, upper) = match &bound.labels {
        Labels::Taxonomy(..) => (MaskedAs::Taxonomy, None, None),
        Labels::Values(_) => (MaskedAs::Suppression, None, None),
        Labels::Intervals(intervals) => {
            let text = |bound: Option<Datum>| bound.map(|value| intervals.ty.text(value));
            let (least, greatest) = (intervals.values.first(), intervals.values.last());
            let lower = text(intervals.lower.or(least.copied()));
            (MaskedAs::Intervals, lower, text(intervals.upper.or(greatest.copied())))
        }
    };
    Ok(Mask {
        name: request.name(attribute).to_string(),
        masked,
        type_name: request.source.type_of(*column).name(),
        lower,
        upper,
        nulls: bound.is_over_null(),
        non_uniform_entropy: Some(found.non_uniform_entropy(attribute)?),
    })
}
