//! What kept columns tell of the sensitive columns. A model bounds what somebody learns who knows the masked columns. Whoever
//! knows the kept ones, too, looks at smaller groups: the models are measured there as well, and a kept column that fixes the
//! sensitive value of its rows is named.

use super::verify::achieved_in_json;
use crate::postgres::error::{number, percent, warn_with_hint, Result};
use crate::postgres::text::counted;
use crate::read::order::Counted;
use crate::terms::privacy_model::privacy_model;
use serde_json::json;
use topdown::measure::{
    combine_columns, measure_kept_risk, AttributeDisclosure, MaskedColumn, Measured, RecordClasses, Released,
    ReleasedTable,
};
use topdown::progress::check_memory;
use topdown::table::Store;
use topdown::CodedColumn;

/// What the kept columns of a version tell of its sensitive columns.
#[derive(Debug, Default)]
pub struct KeptSensitive {
    /// The sensitive columns that are released as they are.
    pub names: Vec<String>,
    /// The kept columns that are not sensitive.
    pub known: Vec<String>,
    /// For each sensitive column, in how many rows its value is the only one that occurs with the kept values.
    pub determined: Vec<Option<AttributeDisclosure>>,
    /// What the models with a sensitive column measure in the groups by masked and kept columns together.
    pub models: Vec<(privacy_model, Measured)>,
    /// The sensitive columns that the class or another sensitive column fixes.
    pub fixed: Vec<Fixed>,
    /// The rows in groups of fewer than k if somebody knows class and sensitive columns, too; none if that is not known.
    pub at_risk: Option<u64>,
}

/// A sensitive column, and the class or another sensitive column that fixes it.
#[derive(Debug)]
pub struct Fixed {
    pub sensitive: String,
    pub by: String,
    /// In how many rows no other sensitive value occurs with the value of `by`.
    pub rows: u64,
}

/// Looks for the sensitive columns that `others` fix by themselves, each in `least` rows: of each the one that does so in most.
pub fn fixed<'a>(
    table: &ReleasedTable<'a>,
    sensitive: &[(&str, MaskedColumn<'a>)],
    others: &[(&str, CodedColumn<'a>)],
    least: u64,
) -> Result<Vec<Fixed>> {
    let mut all = Vec::new();
    for (name, hidden) in sensitive {
        let others: Vec<&(&str, CodedColumn)> = others.iter().filter(|(other, _)| other != name).collect();
        let columns = others.iter().map(|(_, column)| *column);
        let table =
            ReleasedTable { masked: vec![*hidden], kept: columns.collect(), persons: None, ..table.clone() };
        let Some(AttributeDisclosure { baseline_rows: without, best_single: (at, rows), .. }) =
            measure_kept_risk(&table, 1, least)?.attribute_disclosure.into_iter().flatten().next()
        else {
            continue;
        };
        if rows >= least && rows > without {
            all.push(Fixed { sensitive: name.to_string(), by: others[at].0.to_string(), rows });
        }
    }
    Ok(all)
}

/// A sensitive column as one that is masked and shows nothing. `as_number` has a zero for each of its codes.
pub fn hidden<'a>(column: &'a Counted, as_number: &'a [u32]) -> MaskedColumn<'a> {
    let codes = &column.codes;
    MaskedColumn {
        released: Released { codes, number_of_code: as_number, number_count: 1 },
        original: Some(codes),
        is_generalized: &[true],
    }
}

/// A zero for each code of some columns.
pub fn zeros(columns: &[&Counted]) -> Result<Vec<Vec<u32>>> {
    let zeros = columns.iter().map(|column| {
        check_memory::<u32>(column.cardinality)?;
        Ok(vec![0; column.cardinality])
    });
    zeros.collect()
}

/// Some kept columns as one column of the masked ones.
pub struct Folded {
    combined: RecordClasses,
    same: Vec<u32>,
}

impl Folded {
    pub fn new(columns: &[CodedColumn], records: usize) -> Result<Folded> {
        let combined = combine_columns(columns, records)?;
        check_memory::<u32>(combined.count)?;
        Ok(Folded { same: (0..combined.count as u32).collect(), combined })
    }

    pub fn as_released(&self) -> Released<'_> {
        Released {
            codes: &self.combined.of_records,
            number_of_code: &self.same,
            number_count: self.same.len(),
        }
    }
}

/// Counts the rows in groups smaller than a bound by the masked columns of a table and some more columns: of several bounds, by
/// which most are. A bound is a k, and whose each record is if it counts persons.
pub fn rows_at_risk<'a>(
    table: &ReleasedTable<'a>,
    columns: &[CodedColumn],
    bounds: impl Iterator<Item = Result<(u64, Option<&'a Store>)>>,
) -> Result<u64> {
    if columns.is_empty() {
        return Ok(0);
    }
    let combined = Folded::new(columns, table.records)?;
    let released = table.masked.iter().map(|column| column.released).chain([combined.as_released()]);
    let classes = RecordClasses::build(&released.collect::<Vec<_>>(), table.records)?;
    let mut most = 0;
    for bound in bounds {
        let (k, persons) = bound?;
        most = most.max(classes.rows_in_small(table.weights, persons, k)?);
    }
    Ok(most)
}

impl KeptSensitive {
    /// Warns of it: of the models, of the one that most rows break.
    pub fn say(&self, release: &str, told_above: f64, rows: u64) {
        let share = |part: u64| part as f64 / rows.max(1) as f64;
        let way_out = "Mask the kept column, or leave it out of keep.";
        for (sensitive, given_away) in self.names.iter().zip(&self.determined) {
            let Some(AttributeDisclosure {
                by_all_kept: together,
                baseline_rows: without,
                best_single: (column, most),
            }) = *given_away
            else {
                continue;
            };
            if together <= without {
                continue;
            }
            let (who, of, more) = match share(most) > told_above {
                true => (
                    format!("kept column \"{}\" determines", self.known[column]),
                    most,
                    format!("All kept columns together do so in {}.", percent(share(together))),
                ),
                false => {
                    ("kept columns determine".into(), together, "Only several of them together do so.".into())
                }
            };
            warn_with_hint(
                format!("{who} sensitive column \"{sensitive}\" in {} of the rows", percent(share(of))),
                format!("There no other value occurs with the kept value and what is released of the masked columns. {more} (Release \"{release}\")"),
                way_out,
            );
        }
        for Fixed { sensitive, by, rows: of } in &self.fixed {
            warn_with_hint(
                format!("column \"{by}\" determines sensitive column \"{sensitive}\" in {} of the rows", percent(share(*of))),
                format!("Both are released as they are, and no other value occurs with the one of \"{by}\" there. No model bounds what somebody learns who knows it. (Release \"{release}\")"),
                "Release a view that has it coarser, or not at all.",
            );
        }
        let broken = self.models.iter().filter(|(_, measured)| measured.broken_rows > 0);
        if let Some((model, measured)) = broken.max_by_key(|(_, measured)| measured.broken_rows) {
            let Measured { achieved, groups, broken_groups, broken_rows } = measured;
            let each =
                if model.sets().is_some() { " (each as often as there are sets of columns)" } else { "" };
            warn_with_hint(
                format!(
                    "by masked and kept columns together {} is broken: {} where {} is asked for",
                    model.shown(),
                    number(*achieved),
                    number(model.required())
                ),
                format!(
                    "The model bounds what its own columns tell. It does not hold in {broken_groups} of {groups} groups by these and the kept columns, with {}{each}. (Release \"{release}\")",
                    counted(*broken_rows, "row")
                ),
                way_out,
            );
        }
    }

    /// Adds it to the summary of a call.
    pub fn tell(&self, summary: &mut serde_json::Value, told_above: f64, rows: u64) {
        let share = |part: u64| part as f64 / rows.max(1) as f64;
        summary["sensitive_at_risk"] = json!(self.at_risk.map(share));
        let determined = self.names.iter().zip(&self.determined).filter_map(|(sensitive, given_away)| {
            let AttributeDisclosure {
                by_all_kept: together,
                baseline_rows: without,
                best_single: (column, most),
            } = (*given_away)?;
            let most = Some(share(most)).filter(|share| *share > told_above);
            Some(json!({
                "sensitive": sensitive,
                "kept": most.map(|_| &self.known[column]),
                "share": most,
                "together": share(together),
                "without": share(without),
            }))
        });
        let fixed = self.fixed.iter().map(|Fixed { sensitive, by, rows: of }| {
            json!({ "sensitive": sensitive, "column": by, "share": share(*of) })
        });
        if let Some(determines) = summary["determines"].as_array_mut() {
            determines.extend(determined.chain(fixed));
        }
        let models = self.models.iter().map(|(model, measured)| {
            json!({
                "model": model.to_json(),
                "required": model.required(),
                "achieved": achieved_in_json(measured.achieved),
                "holds": measured.broken_groups == 0,
                "groups": measured.groups,
                "violating_groups": measured.broken_groups,
                "violating_rows": measured.broken_rows,
            })
        });
        if !self.models.is_empty() {
            summary["privacy_with_kept"] = models.collect();
        }
    }
}
