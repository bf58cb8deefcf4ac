//! What the columns that a release keeps tell beside the masked ones: whom they single out, and which masked values they
//! give away. Both are counted of what is about to be written, at every call, and said where somebody can still decide.

use super::kept_sensitive::{fixed, hidden, rows_at_risk, zeros, Fixed, Folded, KeptSensitive};
use super::parts::{measured_as, person_of, sensitive_of};
use crate::postgres::error::{percent, warn, warn_with_hint, Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::settings::{self, KeptPolicy};
use crate::postgres::subtransaction::attempt;
use crate::read::order::Counted;
use crate::read::table::Table;
use crate::release::store::kept::KeptColumns;
use crate::release::store::parameters::{Holds, Parameters};
use crate::release::trace::rewound::Rewound;
use crate::search::regrouped::measured_on;
use crate::search::result::GeneralizedColumn;
use crate::search::SearchResult;
use crate::terms::arguments::Arguments;
use crate::terms::labels::Labels;
use crate::terms::masking::kept::takes;
use crate::terms::names;
use crate::terms::privacy_model::k_anonymity::{large_enough, smallest_class};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use crate::terms::words::Changes;
use pgrx::spi::quote_literal;
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use topdown::cluster::Extent;
use topdown::measure::{
    measure_kept_risk, AttributeDisclosure, KeptRisk, MaskedColumn, Measured, Released, ReleasedTable,
};
use topdown::refine::Meaning;
use topdown::table::Store;
use topdown::{Code, CodedColumn};

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
    /// Which of the kept columns have no masking, but may have one.
    maskable: Vec<bool>,
    /// Whether they may be shown as means of so many rows: not where changes are batched, or no model bounds the size of classes.
    has_means: bool,
    risk: KeptRisk,
    sensitive: KeptSensitive,
}

fn has_means(arguments: &Arguments, masked: &[String], k: u64) -> bool {
    let least = smallest_class(&arguments.privacy, masked, arguments.is_by_group());
    arguments.changes != Changes::Batched && least as u64 >= k
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
        let columns = request.keep.iter().map(column).collect::<Result<Vec<CodedColumn>>>()?;
        let numbers: Vec<Vec<u32>> = (0..found.columns.len()).map(|a| found.numbers(request, a)).collect();
        let shows_less: Vec<Vec<bool>> = found.columns.iter().map(shows_less).collect();
        let is_masked = |place: usize| request.masked.iter().any(|masked| masked.column == place);
        let open: Vec<usize> =
            (0..request.sensitive.len()).filter(|&s| !is_masked(request.sensitive[s])).collect();
        let sensitive: Vec<&Counted> = open.iter().map(|&s| &found.sensitive[s]).collect();
        let zeros = zeros(&sensitive)?;
        let mut masked = Vec::new();
        for (a, column) in found.columns.iter().enumerate() {
            let original = match &found.originals[a] {
                Some(codes) => codes,
                None => &found.table.column(column.column)?.codes,
            };
            masked.push(MaskedColumn {
                released: Released {
                    codes: found.keys(a)?,
                    number_of_code: &numbers[a],
                    number_count: column.cut.len(),
                },
                original: Some(original),
                is_generalized: &shows_less[a],
            });
        }
        masked.extend(sensitive.iter().zip(&zeros).map(|(column, zeros)| hidden(column, zeros)));
        let mut table = ReleasedTable {
            records: found.table.records,
            weights: found.table.weights(),
            persons: None,
            masked,
            kept: columns,
        };
        // More than that share.
        let least = (TOLD_ABOVE * found.table.rows as f64) as u64 + 1;
        let bounds = large_enough(&request.arguments.privacy).into_iter().map(|(k, person)| {
            let person = person.and_then(|name| request.person(name));
            Ok((k, person.map(|person| &found.persons[person].0)))
        });
        let (k, mut risk) = worst(&mut table, bounds.clone(), least)?;
        let mut determined = risk.attribute_disclosure.split_off(found.columns.len());
        // A kept column that is sensitive is what nobody should know.
        let known: Vec<usize> =
            request.keep.iter().copied().filter(|column| !request.sensitive.contains(column)).collect();
        let of_known = known.iter().map(column).collect::<Result<Vec<CodedColumn>>>()?;
        if known.len() < request.keep.len() {
            let of_known = ReleasedTable { kept: of_known.clone(), ..table.clone() };
            determined =
                measure_kept_risk(&of_known, k, least)?.attribute_disclosure.split_off(found.columns.len());
        }
        let name = |&column: &usize| request.source.columns[column].name.as_str();
        let hidden = table.masked.split_off(found.columns.len());
        let hidden: Vec<(&str, MaskedColumn)> =
            open.iter().map(|&s| name(&request.sensitive[s])).zip(hidden).collect();
        let others: Vec<usize> =
            request.as_they_are().filter(|column| !request.keep.contains(column)).collect();
        let not_known = request.as_they_are().filter(|column| !known.contains(column));
        let not_known = not_known.map(|at| Ok((name(&at), column(&at)?))).collect::<Result<Vec<_>>>()?;
        let (at_risk, models, fixed) = known_of(|| {
            let at_risk = match others.is_empty() {
                true => risk.at_risk,
                false => {
                    let others = others.iter().map(column).collect::<Result<Vec<CodedColumn>>>()?;
                    rows_at_risk(&table, &[&table.kept[..], &others].concat(), bounds)?
                }
            };
            let of_source = polled(request.arguments.of_source());
            let mut of_sensitive = of_source.filter(|model| model.sensitive().is_some()).peekable();
            let mut models = Vec::new();
            if !of_known.is_empty() && of_sensitive.peek().is_some() {
                let folded = Folded::new(&of_known, found.table.records)?;
                let rows = [found.table.weights()];
                for model in of_sensitive {
                    let beside = (&[][..], Some(folded.as_released()));
                    let measured = measured_on(request, found, model, beside, &rows)?;
                    models.extend(measured[0].map(|measured| (model.clone(), measured)));
                }
            }
            Ok((at_risk, models, fixed(&table, &hidden, &not_known, least)?))
        })?;
        let name = |column: &usize| name(column).to_string();
        let masked: Vec<String> = (0..request.masked.len()).map(|a| request.name(a).to_string()).collect();
        let is_maskable = |column: &usize| {
            let ty = request.source.type_of(*column);
            let is_domain = request.source.columns[*column].type_oid != ty.oid;
            let is_counted = request.class == Some(*column) || request.sensitive.contains(column);
            takes(ty) && !is_domain && !is_counted && !request.kept_by.contains_key(column)
        };
        let maskable = request.keep.iter().map(is_maskable).collect();
        let names = open.iter().map(|&s| name(&request.sensitive[s])).collect();
        let known = known.iter().map(name).collect();
        let kept = request.keep.iter().map(name).collect();
        let has_means = has_means(&request.arguments, &masked, k);
        let sensitive = KeptSensitive { names, known, determined, models, fixed, at_risk };
        Ok(KeptSummary { k, masked, kept, maskable, has_means, risk, sensitive })
    }

    /// Of a rewound version, of which it is not known what the source holds of masked columns. `place` says where a column stands in
    /// `table`.
    pub fn rewound(
        parameters: &Parameters,
        (columns, table): (&[Rewound], &Table),
        place: impl Fn(&str) -> Result<usize>,
    ) -> Result<KeptSummary> {
        let arguments = &parameters.arguments;
        let read = |name: &str| table.column(place(name)?);
        let column = |name: &String| {
            let column = read(name)?;
            Ok(CodedColumn { codes: &column.codes, cardinality: column.distinct() })
        };
        let numbers: Vec<Vec<u32>> = columns.iter().map(Rewound::as_numbers).collect();
        let open = arguments.privacy.iter().filter_map(|model| model.sensitive());
        let open: BTreeSet<&str> = open.filter(|name| parameters.mask(name).is_none()).collect();
        let sensitive = open.iter().map(|name| Counted::new(read(name)?)).collect::<Result<Vec<_>>>()?;
        let sensitive: Vec<&Counted> = sensitive.iter().collect();
        let zeros = zeros(&sensitive)?;
        let released = columns.iter().zip(&numbers);
        let released = released.map(|(column, numbers)| MaskedColumn {
            released: column.as_released(numbers),
            original: None,
            is_generalized: &[],
        });
        let masked =
            released.chain(sensitive.iter().zip(&zeros).map(|(column, zeros)| hidden(column, zeros)));
        let mut released_table = ReleasedTable {
            records: table.records,
            weights: None,
            persons: None,
            masked: masked.collect(),
            kept: arguments.keep.iter().map(column).collect::<Result<_>>()?,
        };
        let least = (TOLD_ABOVE * table.rows as f64) as u64 + 1;
        let bounds = large_enough(&arguments.privacy).into_iter().map(|(k, person)| {
            let person = person.map(|name| read(parameters.hidden(Holds::Person, name)?)).transpose()?;
            Ok((k, person.map(|person| &person.codes)))
        });
        let (k, mut risk) = worst(&mut released_table, bounds.clone(), least)?;
        let mut determined = risk.attribute_disclosure.split_off(columns.len());
        let known: Vec<&String> =
            arguments.keep.iter().filter(|name| !open.contains(name.as_str())).collect();
        let of_known = known.iter().map(|name| column(name)).collect::<Result<Vec<CodedColumn>>>()?;
        if known.len() < arguments.keep.len() {
            let of_known = ReleasedTable { kept: of_known.clone(), ..released_table.clone() };
            determined =
                measure_kept_risk(&of_known, k, least)?.attribute_disclosure.split_off(columns.len());
        }
        let hidden = released_table.masked.split_off(columns.len());
        let hidden: Vec<(&str, MaskedColumn)> = open.iter().copied().zip(hidden).collect();
        let others = arguments.class.iter().map(String::as_str).chain(open.iter().copied());
        let others: BTreeSet<String> = others.map(String::from).collect();
        let not_known = others.iter().filter(|name| !known.contains(name));
        let not_known = not_known.map(|name| Ok((name.as_str(), column(name)?)));
        let not_known = not_known.collect::<Result<Vec<(&str, CodedColumn)>>>()?;
        let others = others.iter().filter(|name| !arguments.keep.contains(name));
        let others = others.map(column).collect::<Result<Vec<CodedColumn>>>()?;
        let (at_risk, models, fixed) = known_of(|| {
            let at_risk = match others.is_empty() {
                true => risk.at_risk,
                false => {
                    rows_at_risk(&released_table, &[&released_table.kept[..], &others].concat(), bounds)?
                }
            };
            let mut models = Vec::new();
            if !of_known.is_empty() && !arguments.privacy.iter().all(|model| model.sensitive().is_none()) {
                let folded = Folded::new(&of_known, table.records)?;
                let names = parameters.names();
                for model in polled(arguments.of_source()) {
                    let Some(held) = sensitive_of(parameters, model)? else { continue };
                    let held = (held.as_str(), &Counted::new(read(&held)?)?);
                    let person = person_of(parameters, model)?;
                    let person = person.map(|name| Counted::new(read(&name)?)).transpose()?;
                    let persons: Vec<(Store, usize)> =
                        person.into_iter().map(|person| (person.codes, person.cardinality)).collect();
                    let of_model = model.attributes().iter().map(|name| {
                        let at = names.iter().position(|masked| masked == name);
                        let at = at.ok_or_else(|| {
                            SqlError::state(format!(
                                "a model of the release names column \"{name}\", which is not masked"
                            ))
                            .detail("Somebody has changed its manifest.")
                            .hint("Make a new version with release_refresh(..., mode => 'search').")
                        })?;
                        Ok(vec![columns[at].as_released(&numbers[at])])
                    });
                    let of_model = of_model.collect::<Result<Vec<_>>>()?;
                    let measured = measured_as(
                        model,
                        &of_model,
                        Some(held),
                        &persons,
                        (table.records, None, Some(folded.as_released())),
                    )?;
                    models.extend(measured.map(|measured| (model.clone(), measured)));
                }
            }
            Ok((at_risk, models, fixed(&released_table, &hidden, &not_known, least)?))
        })?;
        let has_none = |name: &str| !arguments.masking.iter().any(|by| by.column_name() == name);
        let is_counted =
            |name: &String| arguments.class.as_ref() == Some(name) || open.contains(&name.as_str());
        let is_maskable = |name: &String| Ok(takes(read(name)?.ty) && has_none(name) && !is_counted(name));
        let maskable = arguments.keep.iter().map(is_maskable);
        let maskable = maskable.collect::<Result<_>>()?;
        let masked = parameters.names();
        let has_means = has_means(arguments, &masked, k);
        let names = open.into_iter().map(String::from).collect();
        let known = known.into_iter().cloned().collect();
        let sensitive = KeptSensitive { names, known, determined, models, fixed, at_risk };
        Ok(KeptSummary { k, masked, kept: arguments.keep.clone(), maskable, has_means, risk, sensitive })
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
        let columns = self.masked.iter().zip(&self.risk.attribute_disclosure);
        columns.filter_map(|(masked, given_away)| {
            let AttributeDisclosure {
                by_all_kept: together,
                baseline_rows: without,
                best_single: (kept, most),
            } = (*given_away)?;
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
        self.sensitive.say(release, TOLD_ABOVE, self.risk.rows);
        Ok(())
    }

    /// The kept columns by which rows are at risk, those by which most are first.
    fn risky(&self) -> Vec<usize> {
        let mut columns: Vec<usize> =
            (0..self.kept.len()).filter(|&column| self.risk.with[column] > 0).collect();
        columns.sort_by_key(|&column| Reverse(self.risk.with[column]));
        columns
    }

    /// What makes it less: that keys are not kept, and the maskings of the numbers and moments among these columns.
    fn way_out(&self) -> Option<String> {
        let (keys, others): (Vec<usize>, Vec<usize>) =
            self.risky().into_iter().take(SHOWN).partition(|&column| names::is_key(&self.kept[column]));
        let keys: Vec<String> = keys.iter().map(|&column| format!("\"{}\"", self.kept[column])).collect();
        let without_keys = match &keys[..] {
            [] => None,
            [key] => Some(format!("{key} looks like a key: leave it out of keep.")),
            keys => Some(format!("{} look like keys: leave them out of keep.", keys.join(", "))),
        };
        let maskable = others.into_iter().filter(|&column| self.maskable[column]);
        let maskable: Vec<String> = maskable.map(|column| quote_literal(&self.kept[column])).collect();
        let ways: Vec<String> = without_keys.into_iter().chain(self.masked_otherwise(&maskable)).collect();
        (!ways.is_empty()).then(|| ways.join(" "))
    }

    /// How columns are kept by a masking, given their names as literals.
    fn masked_otherwise(&self, names: &[String]) -> Option<String> {
        let (first, k) = (names.first()?, self.k);
        if !self.has_means {
            return Some(format!("masking => rounded({first}, ...) leaves fewer values of single rows."));
        }
        let by_means: Vec<String> =
            names.iter().map(|name| format!("microaggregated({name}, {k})")).collect();
        Some(format!(
            "masking => ARRAY[{}] shows means of {k} rows, and keeps the sums of each class. rounded({first}, ...) and top_coded({first}) leave fewer values of single rows.",
            by_means.join(", ")
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
        self.sensitive.tell(summary, TOLD_ABOVE, self.risk.rows);
    }
}

/// The rows at risk, what each model measures, and what fixes sensitive columns.
type Known<Rows> = (Rows, Vec<(privacy_model, Measured)>, Vec<Fixed>);

/// What is found of sensitive columns; if memory does not suffice, a WARNING says that it is not known.
fn known_of(find: impl FnOnce() -> Result<Known<u64>>) -> Result<Known<Option<u64>>> {
    match attempt(find) {
        Ok((at_risk, models, fixed)) => Ok((Some(at_risk), models, fixed)),
        Err(fault) if fault.is_of_memory() => {
            fault.warn_that(
                "what kept columns tell of the sensitive ones is not known".into(),
                "The version is made.",
            );
            Ok((None, Vec::new(), Vec::new()))
        }
        Err(fault) => Err(fault),
    }
}

/// What kept columns tell by the bound by which most rows are at risk, and its k. A bound is a k, and whose each record is if it
/// counts persons.
fn worst<'a>(
    table: &mut ReleasedTable<'a>,
    bounds: impl Iterator<Item = Result<(u64, Option<&'a Store>)>>,
    least: u64,
) -> Result<(u64, KeptRisk)> {
    let mut worst: Option<(u64, KeptRisk)> = None;
    for bound in bounds {
        let (k, persons) = bound?;
        table.persons = persons;
        let risk = measure_kept_risk(table, k, least)?;
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
