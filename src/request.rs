//! What a verb was asked for, checked against the source: every fault is named at once, before a
//! row is read.

use crate::api::masking::masking;
use crate::api::privacy_model::{privacy_model, DistanceKind};
use crate::datum::Type;
use crate::endpoint::Endpoints;
use crate::error::{clipped, Faults, Result, SqlError};
use crate::names::Regclass;
use crate::progress::polled;
use crate::source::Source;
use hashbrown::HashSet;
use serde_json::json;
use topdown::utility::Score;

/// Who asks: masked columns without a masking of their own are treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// tds_anonymize, tds_steps: continuous columns by intervals, others by suppression.
    Tds,
    /// pda_anonymize: all by suppression.
    Pda,
    /// kmember_anonymize: as tds_anonymize.
    KMember,
}

/// The arguments of a search, as SQL gave them.
#[derive(Debug, Clone)]
pub struct Arguments {
    pub verb: Verb,
    pub source: Regclass,
    pub privacy: Vec<privacy_model>,
    pub class: Option<String>,
    pub masking: Vec<masking>,
    pub keep: Vec<String>,
    pub score: String,
    pub max_steps: Option<i32>,
    pub intervals: String,
    /// None where nothing is released.
    pub suppressed: Option<String>,
    pub split: String,
    pub withhold: f64,
    pub endpoints: String,
}

/// A checked request; columns are places in the source.
#[derive(Debug)]
pub struct Request {
    pub source: Source,
    pub models: Vec<privacy_model>,
    pub class: Option<usize>,
    /// In the source's order.
    pub masked: Vec<Masked>,
    /// The sensitive columns of the models, each once, in the source's order.
    pub sensitive: Vec<usize>,
    /// Further columns released as they are, in the source's order.
    pub keep: Vec<usize>,
    pub score: Score,
    pub max_steps: Option<usize>,
    pub intervals: Intervals,
    pub endpoints: Endpoints,
    /// The label of suppressed values; none where nothing is released.
    pub suppressed: Option<String>,
    /// The arguments, for the manifest.
    pub parameters: serde_json::Value,
}

/// A masked column.
#[derive(Debug, Clone)]
pub struct Masked {
    pub column: usize,
    pub by: masking,
}

/// How intervals are released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intervals {
    Label,
    Bounds,
    Range,
}

impl Request {
    /// Checks the arguments.
    pub fn new(arguments: Arguments) -> Result<Request> {
        let source = Source::open(arguments.source)?;
        let mut faults = Faults::default();
        let parameters = parameters(&arguments);
        models(&arguments.privacy, &mut faults);
        let score = faults.ok(score(&arguments.score));
        let intervals = faults.ok(intervals(&arguments.intervals));
        let endpoints = faults.ok(endpoints(&arguments.endpoints));
        let max_steps = faults.ok(max_steps(arguments.max_steps));
        faults.ok(split(&arguments.split));
        faults.ok(withhold(arguments.withhold));
        let class = arguments.class.as_deref().and_then(|name| faults.ok(source.column(name)));
        let masked = masked(&source, &arguments, &mut faults);
        let sensitive = sensitive(&source, &arguments, &mut faults);
        let keep = keep(&source, &arguments, &masked, &mut faults);
        if let Some(class) = class.filter(|class| masked.iter().any(|m| m.column == *class)) {
            let name = &source.columns[class].name;
            faults.add(
                SqlError::parameter(format!("column \"{name}\" is both masked and the class"))
                    .hint("Leave the class out of the quasi-identifiers."),
            );
        }
        faults.finish()?;
        let missing = || SqlError::internal("a fault was not reported");
        Ok(Request {
            class,
            masked,
            keep: keep.into_iter().filter(|k| Some(*k) != class && !sensitive.contains(k)).collect(),
            sensitive,
            score: score.ok_or_else(missing)?,
            max_steps: max_steps.ok_or_else(missing)?,
            intervals: intervals.ok_or_else(missing)?,
            endpoints: endpoints.ok_or_else(missing)?,
            models: arguments.privacy,
            suppressed: arguments.suppressed,
            parameters,
            source,
        })
    }

    /// All columns that must be read, in the source's order.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.masked.iter().map(|m| m.column).collect();
        columns.extend(self.class);
        columns.extend(&self.sensitive);
        columns.extend(&self.keep);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The label of suppressed values.
    pub fn any(&self) -> &str {
        self.suppressed.as_deref().unwrap_or("*")
    }

    /// The name of a masked column.
    pub fn name(&self, attribute: usize) -> &str {
        &self.source.columns[self.masked[attribute].column].name
    }

    /// Which masked column has a name.
    pub fn attribute(&self, name: &str) -> Option<usize> {
        self.masked.iter().position(|m| self.source.columns[m.column].name == name)
    }
}

fn parameters(arguments: &Arguments) -> serde_json::Value {
    let verb = match arguments.verb {
        Verb::Tds => "tds_anonymize",
        Verb::Pda => "pda_anonymize",
        Verb::KMember => "kmember_anonymize",
    };
    json!({
        "verb": verb,
        "privacy": arguments.privacy,
        "class": arguments.class,
        "masking": arguments.masking,
        "keep": arguments.keep,
        "score": arguments.score,
        "max_steps": arguments.max_steps,
        "intervals": arguments.intervals,
        "suppressed": arguments.suppressed,
        "split": arguments.split,
        "withhold": arguments.withhold,
        "endpoints": arguments.endpoints,
    })
}

fn models(models: &[privacy_model], faults: &mut Faults) {
    if models.is_empty() {
        faults.add(
            SqlError::parameter("no privacy model is given")
                .hint("For example: privacy => ARRAY[k_anonymity(ARRAY['age', 'sex'], 10)]."),
        );
    }
    let mut seen = HashSet::new();
    for model in polled(models) {
        if !seen.insert(model.normal().to_string()) {
            faults.add(SqlError::parameter(format!("privacy model {} is given twice", model.shown())));
        }
    }
}

fn score(name: &str) -> Result<Score> {
    match name {
        "tds" => Ok(Score::Tds),
        "tdr" => Ok(Score::Tdr),
        "info_gain" => Ok(Score::InfoGain),
        "conditional" => Err(SqlError::unsupported("score \"conditional\" is not supported yet")),
        _ => Err(SqlError::parameter(format!("unknown score \"{name}\""))
            .hint("The scores are tds, tdr and info_gain.")),
    }
}

fn intervals(name: &str) -> Result<Intervals> {
    match name {
        "label" => Ok(Intervals::Label),
        "bounds" => Ok(Intervals::Bounds),
        "range" => Ok(Intervals::Range),
        _ => Err(SqlError::parameter(format!("unknown form of intervals \"{name}\""))
            .hint("Intervals are released as label, bounds or range.")),
    }
}

fn endpoints(name: &str) -> Result<Endpoints> {
    match name {
        "rounded" => Ok(Endpoints::Rounded),
        "values" => Ok(Endpoints::Values),
        _ => Err(SqlError::parameter(format!("unknown ends of intervals \"{}\"", clipped(name)))
            .hint("The ends of intervals are rounded or values.")),
    }
}

fn max_steps(max_steps: Option<i32>) -> Result<Option<usize>> {
    match max_steps {
        Some(steps) if steps < 0 => {
            Err(SqlError::parameter(format!("max_steps must not be negative, but is {steps}")))
        }
        steps => Ok(steps.map(|steps| steps as usize)),
    }
}

fn split(name: &str) -> Result<()> {
    match name {
        "optimal" => Ok(()),
        "valid" => Err(SqlError::unsupported("split \"valid\" is not supported yet")),
        _ => Err(SqlError::parameter(format!("unknown split \"{name}\""))
            .hint("Intervals are split as optimal or valid.")),
    }
}

fn withhold(share: f64) -> Result<()> {
    if !(0.0..=1.0).contains(&share) {
        return Err(SqlError::parameter(format!("withhold must be between 0 and 1, not {share}")));
    }
    if share > 0.0 {
        return Err(SqlError::unsupported("withholding rows is not supported yet"));
    }
    Ok(())
}

/// The columns that models name, each with its masking or the default of its type.
fn masked(source: &Source, arguments: &Arguments, faults: &mut Faults) -> Vec<Masked> {
    let mut named = HashSet::new();
    let names = arguments.privacy.iter().flat_map(|m| m.attributes());
    let mut columns: Vec<usize> = polled(names)
        .filter(|name| named.insert(*name))
        .filter_map(|name| faults.ok(source.column(name)))
        .collect();
    columns.sort_unstable();
    let mut masked = HashSet::new();
    for by in polled(&arguments.masking) {
        let name = by.column_name();
        if !masked.insert(name) {
            faults.add(SqlError::parameter(format!("column \"{name}\" has two maskings")));
        }
        match source.column(name) {
            Err(fault) => faults.add(fault),
            Ok(column) if !columns.contains(&column) => faults.add(
                SqlError::parameter(format!(
                    "column \"{name}\" has a masking, but no privacy model names it"
                ))
                .hint("Name the column in a quasi-identifier, or leave its masking out."),
            ),
            Ok(_) => {}
        }
    }
    columns
        .into_iter()
        .map(|column| {
            let name = &source.columns[column].name;
            let by = arguments.masking.iter().find(|m| m.column_name() == name).cloned();
            let default = || default_masking(arguments.verb, name.clone(), source.kind(column));
            let by = by.unwrap_or_else(default);
            Masked { column, by }
        })
        .collect()
}

fn default_masking(verb: Verb, column_name: String, kind: Type) -> masking {
    if verb != Verb::Pda && kind.is_continuous() {
        masking::ByIntervals { column_name, lower: None, upper: None }
    } else {
        masking::BySuppression { column_name }
    }
}

/// The sensitive columns; an order is needed where values are moved along it.
fn sensitive(source: &Source, arguments: &Arguments, faults: &mut Faults) -> Vec<usize> {
    let mut columns = Vec::new();
    for model in &arguments.privacy {
        let Some(name) = model.sensitive() else { continue };
        let Some(column) = faults.ok(source.column(name)) else { continue };
        faults.ok(has_order(source, column, model));
        columns.push(column);
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// An ordered distance needs values that have an order.
pub fn has_order(source: &Source, column: usize, model: &privacy_model) -> Result<()> {
    let kind = source.kind(column);
    let ordered = matches!(model, privacy_model::TCloseness { distance: DistanceKind::Ordered, .. });
    if !ordered || kind.comparator().is_some() {
        return Ok(());
    }
    let (name, kind) = (&source.columns[column].name, kind.name());
    Err(SqlError::parameter(format!(
        "values of \"{name}\" have no ordered distance: type {kind} has no order"
    ))
    .hint("Use distance => 'equal'."))
}

fn keep(source: &Source, arguments: &Arguments, masked: &[Masked], faults: &mut Faults) -> Vec<usize> {
    let mut columns = Vec::new();
    let mut seen = HashSet::new();
    for name in polled(&arguments.keep) {
        if !seen.insert(name) {
            faults.add(SqlError::parameter(format!("column \"{name}\" is kept twice")));
            continue;
        }
        let Some(column) = faults.ok(source.column(name)) else { continue };
        if masked.iter().any(|m| m.column == column) {
            faults.add(
                SqlError::parameter(format!("column \"{name}\" is both masked and kept"))
                    .hint("A column of a quasi-identifier is released masked, never as it is."),
            );
        }
        columns.push(column);
    }
    columns.sort_unstable();
    columns
}
