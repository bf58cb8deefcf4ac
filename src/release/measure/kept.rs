//! What the columns that a release keeps tell beside the masked ones: whom they single out, and which masked values they
//! give away. Both are counted of what is about to be written, at every call, and said where somebody can still decide.

use crate::postgres::error::{percent, warn, warn_with_hint, Result, SqlError};
use crate::postgres::settings::{self, KeptPolicy};
use crate::read::table::Table;
use crate::release::store::kept::KeptColumns;
use crate::release::store::parameters::Parameters;
use crate::release::trace::rewound::Rewound;
use crate::search::result::GeneralizedColumn;
use crate::search::SearchResult;
use crate::terms::labels::Labels;
use crate::terms::masking::kept::takes;
use crate::terms::privacy_model::k_anonymity::large_enough;
use crate::terms::request::Request;
use crate::terms::words::Changes;
use pgrx::spi::quote_literal;
use serde_json::json;
use std::cmp::Reverse;
use topdown::cluster::Extent;
use topdown::measure::{kept, GivenAway, KeptColumn, KeptRisk, MaskedColumn, Released, ReleasedTable};
use topdown::refine::Meaning;
use topdown::Code;

/// Values that are given away in no more than this share of the rows are not told of.
const TOLD_ABOVE: f64 = 0.01;

/// So many kept columns are named, those first by which most rows are at risk.
const SHOWN: usize = 5;

/// What the kept columns of a version tell.
#[derive(Debug, Default)]
pub struct KeptSummary {
    k: u64,
    masked: Vec<String>,
    kept: Vec<String>,
    /// Which of the kept columns have no masking, but a type that may have one.
    maskable: Vec<bool>,
    /// Whether changes are batched, beside which there are no means.
    batched: bool,
    risk: KeptRisk,
}

/// A masked column whose originals are given away, in shares of the rows.
struct Determined<'a> {
    masked: &'a str,
    /// The kept column that does so in most rows, and in how many.
    most: Option<(&'a str, f64)>,
    /// In how many all kept columns together do.
    together: f64,
    /// And what is released of the other masked columns without any.
    without: f64,
}

impl KeptSummary {
    /// Of what was found for a request, and what is shown of kept columns that have a masking.
    pub fn of(request: &Request, found: &SearchResult, shown: &KeptColumns) -> Result<KeptSummary> {
        let column = |&column: &usize| Ok(shown.released(column, found.table.column(column)?));
        let columns = request.keep.iter().map(column).collect::<Result<Vec<KeptColumn>>>()?;
        let numbers: Vec<Vec<u32>> = (0..found.columns.len()).map(|a| found.numbers(request, a)).collect();
        let shows_less: Vec<Vec<bool>> = found.columns.iter().map(shows_less).collect();
        let mut masked = Vec::new();
        for (a, column) in found.columns.iter().enumerate() {
            let original = match &found.originals[a] {
                Some(codes) => codes,
                None => &found.table.column(column.column)?.codes,
            };
            masked.push(MaskedColumn {
                released: Released {
                    codes: found.keys(a)?,
                    as_number: &numbers[a],
                    numbers: column.cut.len(),
                },
                original: Some(original),
                shows_less: &shows_less[a],
            });
        }
        let mut table = ReleasedTable {
            records: found.table.records,
            weights: found.table.weights(),
            persons: None,
            masked,
            kept: columns,
        };
        // More than that share.
        let least = (TOLD_ABOVE * found.table.rows as f64) as u64 + 1;
        let (k, risk) = worst(large_enough(&request.arguments.privacy).into_iter().map(|(k, person)| {
            let person = person.and_then(|name| request.person(name));
            table.persons = person.map(|person| &found.persons[person].0);
            Ok((k, kept(&table, k, least)?))
        }))?;
        let name = |&column: &usize| request.source.columns[column].name.clone();
        let masked = (0..request.masked.len()).map(|a| request.name(a).to_string()).collect();
        let is_maskable =
            |column: &usize| takes(request.source.type_of(*column)) && !request.kept_by.contains_key(column);
        let maskable = request.keep.iter().map(is_maskable).collect();
        let kept = request.keep.iter().map(name).collect();
        let batched = request.arguments.changes == Changes::Batched;
        Ok(KeptSummary { k, masked, kept, maskable, batched, risk })
    }

    /// Of a rewound version, of which it is not known what the source holds. `place` says where a column stands in `table`.
    pub fn rewound(
        parameters: &Parameters,
        (columns, table): (&[Rewound], &Table),
        place: impl Fn(&str) -> Result<usize>,
        persons: impl Fn(&str) -> Result<usize>,
    ) -> Result<KeptSummary> {
        let arguments = &parameters.arguments;
        let codes = |name: &String| table.column(place(name)?);
        let kept_columns = arguments.keep.iter().map(codes).collect::<Result<Vec<_>>>()?;
        let numbers: Vec<Vec<u32>> = columns.iter().map(Rewound::as_numbers).collect();
        let released = columns.iter().zip(&numbers);
        let released = released.map(|(column, numbers)| MaskedColumn {
            released: column.as_released(numbers),
            original: None,
            shows_less: &[],
        });
        let mut released_table = ReleasedTable {
            records: table.records,
            weights: None,
            persons: None,
            masked: released.collect(),
            kept: (kept_columns.iter())
                .map(|column| KeptColumn { codes: &column.codes, cardinality: column.distinct() })
                .collect(),
        };
        let (k, risk) = worst(large_enough(&arguments.privacy).into_iter().map(|(k, person)| {
            let person = person.map(|name| table.column(persons(name)?)).transpose()?;
            released_table.persons = person.map(|person| &person.codes);
            Ok((k, kept(&released_table, k, 1)?))
        }))?;
        let masked = parameters.names();
        let has_masking = |name: &str| arguments.masking.iter().any(|by| by.column_name() == name);
        let types = arguments.keep.iter().zip(&kept_columns);
        let maskable = types.map(|(name, column)| takes(column.ty) && !has_masking(name)).collect();
        let batched = arguments.changes == Changes::Batched;
        Ok(KeptSummary { k, masked, kept: arguments.keep.clone(), maskable, batched, risk })
    }

    /// Of how many rows a share is.
    fn share(&self, rows: u64) -> f64 {
        rows as f64 / self.risk.rows.max(1) as f64
    }

    /// The share of the rows in groups of fewer than k by the masked and the kept columns together.
    pub fn at_risk(&self) -> f64 {
        self.share(self.risk.at_risk)
    }

    /// The masked columns that kept ones give away.
    fn determined(&self) -> impl Iterator<Item = Determined<'_>> {
        let columns = self.masked.iter().zip(&self.risk.given_away);
        columns.filter_map(|(masked, given_away)| {
            let GivenAway { together, without, most: (kept, most) } = (*given_away)?;
            Some(Determined {
                masked,
                most: Some((self.kept[kept].as_str(), self.share(most)))
                    .filter(|(_, share)| *share > TOLD_ABOVE),
                together: self.share(together),
                without: self.share(without),
            })
        })
    }

    /// What is said of it at the call; an error where an administrator refuses what is at risk.
    pub fn say(&self, release: &str) -> Result<()> {
        if self.risk.at_risk > 0 {
            let (message, detail) = self.risk(release);
            let way = self.way_out();
            if settings::kept() == KeptPolicy::Refuse {
                let way = way.map(|way| format!("{way} ")).unwrap_or_default();
                return Err(SqlError::state(message).detail(detail).hint(format!(
                    "{way}Mask the columns that single rows out, or leave them out of keep. Only a superuser may set pg_topdown.kept.",
                )));
            }
            match way {
                Some(way) => warn_with_hint(message, detail, way),
                None => warn(message, detail),
            }
        }
        for Determined { masked, most, together, .. } in
            self.determined().filter(|risk| risk.together > risk.without)
        {
            let (message, more) = match most {
                Some((kept, share)) => (
                    format!(
                        "kept column \"{kept}\" determines masked column \"{masked}\" in {} of the rows",
                        percent(share)
                    ),
                    format!("All kept columns together do so in {}.", percent(together)),
                ),
                None => (
                    format!(
                        "kept columns determine masked column \"{masked}\" in {} of the rows",
                        percent(together)
                    ),
                    "Only several of them together do so.".into(),
                ),
            };
            let what = "There no other value occurs with the kept value and what is released of the other masked columns";
            warn(message, format!("{what}. {more} (Release \"{release}\")"));
        }
        Ok(())
    }

    /// The kept columns by which rows are at risk, those by which most are first.
    fn risky(&self) -> Vec<usize> {
        let mut columns: Vec<usize> =
            (0..self.kept.len()).filter(|&column| self.risk.with[column] > 0).collect();
        columns.sort_by_key(|&column| Reverse(self.risk.with[column]));
        columns
    }

    /// The maskings that make it less, of the numbers and moments among these columns.
    fn way_out(&self) -> Option<String> {
        let columns = self.risky().into_iter().take(SHOWN).filter(|&column| self.maskable[column]);
        let names: Vec<String> = columns.map(|column| quote_literal(&self.kept[column])).collect();
        let first = names.first()?;
        if self.batched {
            return Some(format!("masking => rounded({first}, ...) leaves fewer values of single rows."));
        }
        let by_means: Vec<String> =
            names.iter().map(|name| format!("microaggregated({name}, {})", self.k)).collect();
        Some(format!(
            "masking => ARRAY[{}] shows means of {} rows, and keeps the sums of each class. rounded({first}, ...) and top_coded({first}) leave fewer values of single rows.",
            by_means.join(", "),
            self.k
        ))
    }

    fn risk(&self, release: &str) -> (String, String) {
        let share = percent(self.at_risk());
        let message = format!(
            "{share} of the rows are in groups smaller than {} by masked and kept columns together",
            self.k
        );
        let columns = self.risky();
        let figure = |&column: &usize| {
            let by_itself = match self.share(self.risk.alone[column]) {
                share if share > 0.5 => format!(", by itself {}", percent(share)),
                _ => String::new(),
            };
            format!("\"{}\" {}{by_itself}", self.kept[column], percent(self.share(self.risk.with[column])))
        };
        let detail = match columns.is_empty() {
            true => "Only several kept columns together single rows out".into(),
            false => {
                let figures: Vec<String> = columns.iter().take(SHOWN).map(figure).collect();
                format!("By one kept column: {}", figures.join("; "))
            }
        };
        (message, format!("{detail}. (Release \"{release}\")"))
    }

    /// Adds it to the summary of a call.
    pub fn tell(&self, summary: &mut serde_json::Value) {
        summary["kept_at_risk"] = json!(self.at_risk());
        let determined = self.determined().map(|Determined { masked, most, together, without }| {
            let (kept, share) = most.unzip();
            json!({ "masked": masked, "kept": kept, "share": share, "together": together, "without": without })
        });
        summary["determines"] = determined.collect();
    }
}

/// What kept columns tell by the bound by which most rows are at risk, and its k.
fn worst(risk: impl Iterator<Item = Result<(u64, KeptRisk)>>) -> Result<(u64, KeptRisk)> {
    let mut worst: Option<(u64, KeptRisk)> = None;
    for risk in risk {
        let (k, risk) = risk?;
        if worst.as_ref().is_none_or(|(_, worst)| risk.at_risk > worst.at_risk) {
            worst = Some((k, risk));
        }
    }
    worst.ok_or_else(|| SqlError::internal("no bound on the size of groups"))
}

/// Of each value of a column's cut whether it shows less than the source holds.
fn shows_less(column: &GeneralizedColumn) -> Vec<bool> {
    let is_truncated = |leaf: Code| match &column.bound.labels {
        Labels::Taxonomy(_, tree) => tree.truncated.get(leaf as usize).is_some_and(|&is| is),
        _ => false,
    };
    let shows_less = |extent: &Extent| match extent {
        Extent::Node(id) => {
            let node = column.bound.hierarchy.node(*id);
            match node.meaning {
                Meaning::Null | Meaning::Value => false,
                Meaning::Taxonomy(_) => !node.children.is_empty() || is_truncated(node.codes.start),
                Meaning::Interval => !column.bound.is_single_value(*id),
                Meaning::Any => true,
            }
        }
        Extent::Ranks(ranks) => ranks.start() < ranks.end(),
        Extent::Any => true,
    };
    column.cut.iter().map(shows_less).collect()
}
