//! taxonomy_build: the distinct values of a column are read, a method of the engine makes runs of
//! them, and the runs become the rows of a taxonomy.

mod pieces;

use crate::postgres::activity::{self, Phase};
use crate::postgres::arguments::Word;
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, clipped_to, some_of, warn, Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::progress::{polled, stretches};
use crate::read::order::ranked;
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::NULL;
use crate::terms::days::must_be_one_day;
use crate::terms::masking::refuse_outside;
use pgrx::pg_sys::Datum;
use pieces::Pieces;
use serde::Deserialize;
use std::cmp::Ordering;
use topdown::taxonomy::numeric::{self, Numeric, NumericNode, Run, Values, Widths};
use topdown::taxonomy::{Edge, Edges};

/// A method and its options, checked as far as that goes without the data.
#[derive(Debug)]
pub struct Method {
    algorithm: Algorithm,
    options: Options,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Algorithm {
    Iotf,
    Otf,
    Han,
    Chu,
    EqualWidth,
    EqualFrequency,
    Breakpoints,
}

impl Word for Algorithm {
    const WHAT: &'static str = "method";
    const WORDS: &'static str =
        "The methods are iotf, otf, han, chu, equal_width, equal_frequency, breakpoints.";
}

/// Options as JSON gives them; which of them a method knows is checked after.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    lower: Option<Given>,
    upper: Option<Given>,
    threshold: Option<u32>,
    fan_out: Option<u32>,
    levels: Option<u32>,
    breakpoints: Option<Vec<Vec<Given>>>,
}

/// A value of the column, written as a number or a text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Given {
    Number(serde_json::Number),
    Text(String),
}

impl Given {
    fn text(&self) -> String {
        match self {
            Given::Number(number) => number.to_string(),
            Given::Text(text) => text.clone(),
        }
    }
}

impl Method {
    /// Checks the method and its options.
    pub fn new(method: &str, options: JsonText) -> Result<Method> {
        let algorithm = Algorithm::from_word(method)?;
        let unreadable = || SqlError::parameter(format!("the options of method \"{method}\" cannot be read"));
        let options = options.parse().map_err(|fault| unreadable().detail(fault))?;
        if !options.is_object() {
            return Err(unreadable().hint("Options are an object, for example {\"fan_out\": 3}."));
        }
        let known: &[&str] = match algorithm {
            Algorithm::Iotf | Algorithm::Otf => &[],
            Algorithm::Han => &["threshold", "fan_out"],
            Algorithm::Chu => &["threshold"],
            Algorithm::EqualWidth | Algorithm::EqualFrequency => &["levels", "fan_out"],
            Algorithm::Breakpoints => &["breakpoints"],
        };
        let hint = format!("Its options are {}.", [known, &["lower", "upper"]].concat().join(", "));
        let options: Options = serde_json::from_value(options).map_err(|fault| {
            unreadable().detail(fault.to_string().replace("u32", "a whole number")).hint(&hint)
        })?;
        for (name, given) in [
            ("threshold", options.threshold.is_some()),
            ("fan_out", options.fan_out.is_some()),
            ("levels", options.levels.is_some()),
            ("breakpoints", options.breakpoints.is_some()),
        ] {
            if given && !known.contains(&name) {
                return Err(
                    SqlError::parameter(format!("method \"{method}\" has no option \"{name}\"")).hint(hint)
                );
            }
        }
        let at_least = |name: &str, value: Option<u32>, least: u32| match value {
            Some(value) if value < least => {
                Err(SqlError::parameter(format!("option \"{name}\" must be at least {least}, not {value}")))
            }
            _ => Ok(()),
        };
        at_least("threshold", options.threshold, if algorithm == Algorithm::Chu { 2 } else { 1 })?;
        at_least("fan_out", options.fan_out, 2)?;
        at_least("levels", options.levels, 1)?;
        if algorithm == Algorithm::Breakpoints
            && options.breakpoints.as_ref().is_none_or(|levels| levels.iter().all(Vec::is_empty))
        {
            return Err(SqlError::parameter("method \"breakpoints\" needs the option \"breakpoints\"")
                .hint("For example {\"breakpoints\": [[10, 20, 30], [20]]}: a list for each level."));
        }
        Ok(Method { algorithm, options })
    }
}

/// The rows of the taxonomy, a row a node.
pub fn build(source: &Source, column: usize, method: &Method) -> Result<Edges> {
    let name = &source.columns[column].name;
    activity::enter(Phase::Reading);
    let table = scan::read(source, &[column])?;
    activity::enter(Phase::Binding);
    let read = table.column(column)?;
    let ty = read.ty;
    let compare = ty.comparator().filter(|_| ty.is_measurable()).ok_or_else(|| {
        SqlError::parameter(format!("column \"{name}\" is not numerical: its type is {}", ty.name()))
            .hint("Hierarchies are built over numbers, dates and times.")
    })?;
    let (datums, ranks) = ranked(ty, &read.datums(), &compare);
    let positions = positions(name, ty, &datums)?;
    let mut counts = vec![0u64; datums.len()];
    let mut buffer = Vec::new();
    for rows in stretches(table.rows) {
        for &code in read.codes.fetch(rows, &mut buffer)?.iter().filter(|&&code| code != NULL) {
            counts[ranks[code as usize] as usize] += 1;
        }
    }
    if datums.is_empty() {
        return Err(SqlError::data(format!("column \"{name}\" holds no values")));
    }
    let domain = Root::new(name, ty, &method.options, &datums, &compare)?;
    let values = Values { positions, counts };
    let (runs, pieces) = runs(name, ty, method, &values, &domain)?;
    let given = !matches!(pieces, Pieces::None);
    let who = if given { "Who sees their lower and upper ends" } else { "Who sees their labels" };
    warn(
        format!("the nodes of the taxonomy end at values of column \"{name}\""),
        format!("{who} sees these values; by_intervals() with endpoints => 'rounded' shows rounded ends."),
    );
    let tree = Numeric::new(datums.len(), runs)?;
    let around = |node: &NumericNode| {
        let at = |rank: u32| values.positions[rank as usize];
        pieces.around(ty, at(node.codes.start), at(node.codes.end - 1))
    };
    Ok(edges(&tree, &|rank| ty.text(datums[rank as usize]), &around, given, &domain))
}

/// The ends of the root, where the options give them.
struct Root {
    lower: Option<(String, f64)>,
    upper: Option<(String, f64)>,
}

impl Root {
    fn new(
        name: &str,
        ty: Type,
        options: &Options,
        values: &[Datum],
        compare: &impl Fn(Datum, Datum) -> Ordering,
    ) -> Result<Root> {
        let bound = |side: &str, bound: &Option<Given>| -> Result<Option<(Datum, f64)>> {
            let Some(bound) = bound else { return Ok(None) };
            let value = parse(ty, side, bound)?;
            Ok(Some((value, position(ty, value).ok_or_else(|| unparsable(side, bound))?)))
        };
        let (lower, upper) = (bound("lower", &options.lower)?, bound("upper", &options.upper)?);
        if let (Some((lower, _)), Some((upper, _))) = (lower, upper) {
            if compare(lower, upper) != Ordering::Less {
                return Err(SqlError::parameter("option \"lower\" must be below \"upper\""));
            }
        }
        let ends = (lower.map(|(lower, _)| lower), upper.map(|(upper, _)| upper));
        refuse_outside(ty, values, ends, compare).map_err(|outside| {
            SqlError::data(format!("column \"{name}\" has values outside the domain"))
                .detail(outside)
                .hint("Widen the options lower and upper.")
        })?;
        let shown = |bound: Option<(Datum, f64)>| bound.map(|(value, at)| (ty.text(value), at));
        Ok(Root { lower: shown(lower), upper: shown(upper) })
    }
}

fn unparsable(option: &str, bound: &Given) -> SqlError {
    SqlError::parameter(format!("option \"{option}\" cannot be {}", clipped(&bound.text())))
}

fn parse(ty: Type, option: &str, bound: &Given) -> Result<Datum> {
    must_be_one_day(ty, &format!("option \"{option}\""), [&*bound.text()])?;
    ty.parse(&bound.text()).map_err(|complaint| unparsable(option, bound).detail(clipped_to(&complaint, 200)))
}

/// Where a value lies, if that is anywhere.
fn position(ty: Type, value: Datum) -> Option<f64> {
    ty.position(value).filter(|at| at.is_finite())
}

fn positions(name: &str, ty: Type, values: &[Datum]) -> Result<Vec<f64>> {
    let nowhere: Vec<String> =
        polled(values).filter(|&&v| position(ty, v).is_none()).map(|&v| ty.text(v)).collect();
    if !nowhere.is_empty() {
        return Err(SqlError::data(format!("column \"{name}\" has values that lie nowhere on a line"))
            .detail(format!("These are {}.", some_of(&nowhere)))
            .hint("Read the column through a view that leaves them out or makes them NULL."));
    }
    Ok(polled(values).filter_map(|&v| position(ty, v)).collect())
}

fn runs(name: &str, ty: Type, method: &Method, values: &Values, domain: &Root) -> Result<(Vec<Run>, Pieces)> {
    let options = &method.options;
    let (levels, fan_out) = (options.levels.unwrap_or(3), options.fan_out.unwrap_or(4));
    let mut pieces = Pieces::None;
    let runs = match method.algorithm {
        Algorithm::Iotf => numeric::iotf(values)?,
        Algorithm::Otf => numeric::otf(values)?,
        Algorithm::Chu => numeric::chu(values, options.threshold.unwrap_or(2) as usize)?,
        Algorithm::Han => {
            let fan_out = options.fan_out.unwrap_or(5) as usize;
            numeric::han(values, options.threshold.unwrap_or(4) as usize, fan_out)?
        }
        Algorithm::EqualFrequency => numeric::equal_frequency(values, levels, u64::from(fan_out))?,
        Algorithm::EqualWidth => {
            let lower = domain.lower.as_ref().map_or(values.positions[0], |(_, at)| *at);
            let last = values.positions[values.positions.len() - 1];
            let upper = domain.upper.as_ref().map_or(last, |(_, at)| *at);
            let widths = Widths { lower, upper, levels, fan_out: u64::from(fan_out) };
            pieces = Pieces::Widths(widths);
            numeric::equal_width(values, &widths)?
        }
        Algorithm::Breakpoints => {
            let point = |point: &Given| {
                let value = parse(ty, "breakpoints", point)?;
                let place = position(ty, value).ok_or_else(|| unparsable("breakpoints", point))?;
                Ok((place, ty.text(value)))
            };
            let all: Vec<Vec<(f64, String)>> = (options.breakpoints.iter().flatten())
                .map(|level| level.iter().map(point).collect::<Result<_>>())
                .collect::<Result<_>>()?;
            let places = |level: &Vec<(f64, String)>| level.iter().map(|(place, _)| *place).collect();
            let levels: Vec<Vec<f64>> = all.iter().map(places).collect();
            pieces = Pieces::points(all);
            numeric::breakpoints(values, &levels)?.map_err(|point| {
                SqlError::parameter(format!("the breakpoints for column \"{name}\" are not nested"))
                    .detail(format!(
                        "A coarser level breaks at {point}, where the finer one after it does not."
                    ))
                    .hint("Every breakpoint of a level must be one of all finer levels.")
            })?
        }
    };
    Ok((runs, pieces))
}

/// A row a node: a leaf is its value, an inner node the interval from its least to its greatest
/// value, the root that of its domain. Where the ends are `given`, an inner node is called by the piece `around`
/// its values, and the domain is open where it has no bound.
fn edges(
    tree: &Numeric,
    text: &dyn Fn(u32) -> String,
    around: &dyn Fn(&NumericNode) -> Option<[Option<String>; 2]>,
    given: bool,
    domain: &Root,
) -> Edges {
    let bound = |bound: &Option<(String, f64)>| bound.as_ref().map(|(text, _)| text.clone());
    let named = |node: &NumericNode| -> (String, String, String) {
        let (least, greatest) = (text(node.codes.start), text(node.codes.end - 1));
        if node.codes.len() == 1 {
            return (least.clone(), least, greatest);
        }
        let root = node.parent.is_none();
        let lower = bound(&domain.lower).filter(|_| root).unwrap_or(least);
        let upper = bound(&domain.upper).filter(|_| root).unwrap_or(greatest);
        let piece = if root { given.then_some([None, None]) } else { around(node) };
        let Some([from, to]) = piece else {
            return (format!("[{lower},{upper}]"), lower, upper);
        };
        let closed = to.is_none() && domain.upper.is_some();
        let (from, to) = (from.or(bound(&domain.lower)), to.or(bound(&domain.upper)));
        let (open, close) = (if from.is_some() { '[' } else { '(' }, if closed { ']' } else { ')' });
        let shown = |end: &Option<String>| end.clone().unwrap_or_default();
        (format!("{open}{},{}{close}", shown(&from), shown(&to)), lower, upper)
    };
    let mut edges = Edges::default();
    for node in polled(&tree.0) {
        let (child, lower, upper) = named(node);
        let parent = node.parent.map(|parent| named(&tree.0[parent]).0);
        let edge =
            Edge { child: Some(&child), parent: parent.as_deref(), lower: Some(&lower), upper: Some(&upper) };
        edges.push(edge);
    }
    edges
}
