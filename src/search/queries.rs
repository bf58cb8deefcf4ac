//! Queries over the masked columns of a source, and how far off their answers are over a release.
//!
//! A column that is masked by intervals is asked for ranges of its values, any other for runs of leaves in the order of its
//! tree, or for values in that of their type. What a release shows is told by a search, before anything is released
//! ([`Queries::error`]), or by the release itself, as its reader gets it ([`Queries::errors`]).

use super::input::Input;
use super::result::{GeneralizedColumn, SearchResult};
use super::rows::Rows;
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, some_of, Result, SqlError};
use crate::postgres::progress::{polled, polled_by_length, polling};
use crate::read::table::{Column as ReadColumn, Table};
use crate::terms::asked::{self, Ask, AskedQuery};
use crate::terms::days::must_be_one_day;
use crate::terms::labels::{Bound, Ends, IntervalLabels, Labels};
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use topdown::cluster::Extent;
use topdown::measure::{
    Aggregate, Axis, ColumnPieces, Number, Piece, Predicate, Query, QueryError, QuerySource, RecordClasses,
    Released, ReleasedPieces, SourceColumn, SourceNumber, Workload,
};
use topdown::progress::check_memory;
use topdown::refine::{Hierarchy, Meaning};
use topdown::table::Store;

/// Queries, and what is known of the columns that they ask for.
pub struct Queries {
    workload: Workload,
    columns: Vec<Column>,
    numbers: Vec<AskedNumber>,
    /// How many rows the source has.
    pub rows: usize,
}

struct Column {
    axis: Axis,
    /// What the axis is made of.
    along: Along,
    /// Of a number its values by code, or those of leaves, where all of these are called as numbers are.
    numbers: Option<Vec<Option<f64>>>,
}

/// What an axis is made of.
enum Along {
    /// Values of a type that lies on a line.
    Line(Type),
    /// Leaves or values, one beside the other: the place of each by its text. Without some rows there are fewer. Those of
    /// a type with intervals are in its order.
    Places { by_text: HashMap<String, f64>, ordered: Option<(Type, Vec<Datum>)> },
}

/// A number whose sums and means are asked for: a masked column, by its place among these, or one that is shown as it is.
pub struct AskedNumber {
    pub name: String,
    pub attribute: Option<usize>,
}

/// What a released value stands for, as a release says it.
#[derive(Debug, Clone)]
pub enum StandsFor {
    /// NULL.
    Null,
    Everything,
    Interval {
        lower: Option<String>,
        upper: Option<String>,
        closed: bool,
    },
    /// A value.
    Value(String),
    /// Some of the leaves of a tree, which are listed depth-first.
    Leaves(Rc<Vec<String>>, Range<usize>),
    /// All values but some.
    Others(Rc<Vec<String>>),
    /// All of several.
    Several(Vec<StandsFor>),
}

/// A masked column of a release as it was read: what the value of each code stands for.
pub struct ShownColumn {
    pub codes: Store,
    pub stands_for: Vec<StandsFor>,
    /// How many rows finer nodes have by the column alone, where that is shown.
    pub counts: Vec<(StandsFor, f64)>,
}

impl Queries {
    /// Random queries over what is bound, which only count.
    pub(super) fn draw(request: &Request, input: &Input, count: usize, seed: u64) -> Result<Queries> {
        let bound = input.hierarchies.iter().zip(&input.labels).collect();
        Queries::over(request, (&input.table, bound), None, &Ask::Random { count, seed })
    }

    /// Queries over the source of a request, which is read for them: nothing is left out of it, and what has no place in a
    /// tree or an interval is only counted where no query asks for it.
    pub fn of_source(request: &Request, ask: &Ask) -> Result<Queries> {
        let rows = Rows::every(request, "queries are asked of every row")?;
        let input = Input::bound(request, rows, true)?;
        let bound = input.hierarchies.iter().zip(&input.labels).collect();
        let kept = kept_numbers(request, &input.table)?;
        Queries::over(request, (&input.table, bound), Some(kept), ask)
    }

    /// Queries over what a search has found: the rows that it releases.
    pub fn of_found(request: &Request, found: &SearchResult, ask: &Ask) -> Result<Queries> {
        let bound = found.columns.iter().map(|column| (&column.bound.hierarchy, &column.bound.labels));
        let kept = kept_numbers(request, &found.table)?;
        Queries::over(request, (&found.table, bound.collect()), Some(kept), ask)
    }

    /// Queries over what is bound; sums are asked for where it is told which numbers are released as they are.
    fn over(
        request: &Request,
        (table, bound): (&Table, Vec<(&Hierarchy, &Labels)>),
        kept: Option<Vec<(AskedNumber, usize)>>,
        ask: &Ask,
    ) -> Result<Queries> {
        let mut columns = Vec::with_capacity(bound.len());
        for (masked, (hierarchy, labels)) in request.masked.iter().zip(bound) {
            columns.push(Column::new(hierarchy, labels, table.column(masked.column)?.ty));
        }
        let codes = |column: usize| Ok::<_, SqlError>(&table.column(column)?.codes);
        let asked: Vec<SourceColumn> = (request.masked.iter().zip(&columns))
            .map(|(masked, column)| Ok(SourceColumn { codes: codes(masked.column)?, axis: &column.axis }))
            .collect::<Result<_>>()?;
        let (mut numbers, mut summed) = (Vec::new(), Vec::new());
        let of_kept: Vec<Vec<Option<f64>>> = (kept.iter().flatten())
            .map(|(_, place)| numbers_of(table.column(*place)?))
            .collect::<Result<_>>()?;
        for (a, column) in columns.iter().enumerate().filter(|_| kept.is_some()) {
            let Some(values) = &column.numbers else { continue };
            numbers.push(AskedNumber { name: request.name(a).to_string(), attribute: Some(a) });
            let number = Number { codes: asked[a].codes, values };
            summed.push(SourceNumber { number, column_index: Some(a) });
        }
        for ((number, place), values) in kept.into_iter().flatten().zip(&of_kept) {
            numbers.push(number);
            summed.push(SourceNumber { number: Number { codes: codes(place)?, values }, column_index: None });
        }
        let Table { rows, records, .. } = *table;
        let source = QuerySource { columns: &asked, numbers: &summed, records, weights: table.weights() };
        let workload = match ask {
            Ask::Random { count, seed } => Workload::draw(&source, *count, *seed)?,
            Ask::Given(queries) => {
                let bound = polled((1..).zip(queries)).map(|(number, query)| {
                    Given { request, columns: &columns, number, query }.bind(&numbers)
                });
                Workload::from_queries(&source, bound.collect::<Result<_>>()?)?
            }
        };
        Ok(Queries { workload, columns, numbers, rows })
    }

    /// The numbers whose sums and means they ask for.
    pub fn numbers(&self) -> &[AskedNumber] {
        &self.numbers
    }

    /// How far off the answers of a release are, of which each masked column is told as it was read. `number` gives a number
    /// as the release shows it; where that shows none, a masked number is the middle of what is shown of it.
    pub fn errors(
        &self,
        shown: &[ShownColumn],
        number: impl Fn(&AskedNumber) -> Result<Option<(Store, Vec<Option<f64>>)>>,
        records: usize,
    ) -> Result<Vec<QueryError>> {
        let mut pieces: Vec<Vec<ReleasedPieces>> = Vec::new();
        for (column, ShownColumn { stands_for, counts, .. }) in self.columns.iter().zip(shown) {
            let counted = column.counted(counts);
            check_memory::<ReleasedPieces>(stands_for.len())?;
            let spread = |one: &StandsFor| spread_as_counted(column.pieces(one), &counted);
            pieces.push(polled(stands_for).map(spread).collect::<Result<_>>()?);
        }
        let as_they_are: Vec<Vec<u32>> =
            shown.iter().map(|column| (0..column.stands_for.len() as u32).collect()).collect();
        let mut numbers: Vec<(Store, Vec<Option<f64>>)> = Vec::new();
        for asked in &self.numbers {
            numbers.push(match (number(asked)?, asked.attribute) {
                (Some(as_shown), _) => as_shown,
                (None, Some(a)) => {
                    check_memory::<u8>(shown[a].codes.memory_bytes())?;
                    let middles = polled(&pieces[a]).map(|pieces| self.columns[a].middle(pieces));
                    (shown[a].codes.clone(), middles.collect())
                }
                (None, None) => return Err(SqlError::internal("a number that the release does not show")),
            });
        }
        let released = shown.iter().zip(&as_they_are).zip(pieces).map(|((column, as_number), pieces)| {
            let released =
                Released { codes: &column.codes, number_of_code: as_number, number_count: pieces.len() };
            ColumnPieces { released, pieces }
        });
        let released: Vec<ColumnPieces> = released.collect();
        let numbers: Vec<Number> = numbers.iter().map(|(codes, values)| Number { codes, values }).collect();
        let columns: Vec<Released> = released.iter().map(|column| column.released).collect();
        let classes = RecordClasses::build(&columns, records)?;
        Ok(self.workload.errors(&classes, &released, &numbers, None)?)
    }

    /// The median error of the counts over what is released; none where there is no query.
    pub(super) fn error(
        &self,
        input: &Input,
        columns: &[GeneralizedColumn],
        (classes, released): (&RecordClasses, &[Released]),
        by_group: bool,
    ) -> Result<Option<f64>> {
        let shown =
            columns.iter().zip(&self.columns).map(|(released, column)| column.shown(released, by_group));
        let shown: Vec<ColumnPieces> =
            released.iter().zip(shown).map(|(&released, pieces)| ColumnPieces { released, pieces }).collect();
        let errors = self.workload.errors(classes, &shown, &[], input.table.weights())?;
        let counts = errors.iter().filter(|one| one.aggregate == Aggregate::Count);
        let mut counts: Vec<f64> = counts.map(|one| one.error).collect();
        Ok(quantile(&mut counts, MEDIAN))
    }
}

/// Half of the errors are no greater.
pub const MEDIAN: f64 = 0.5;

/// An error that so large a share of them does not exceed; none of none.
pub fn quantile(errors: &mut [f64], share: f64) -> Option<f64> {
    errors.sort_unstable_by(f64::total_cmp);
    errors.get((errors.len() as f64 * share) as usize).or(errors.last()).copied()
}

/// The numbers that are released as they are, and where each stands in the source.
fn kept_numbers(request: &Request, table: &Table) -> Result<Vec<(AskedNumber, usize)>> {
    let mut numbers = Vec::new();
    for place in request.as_they_are() {
        if table.column(place)?.ty.is_number() {
            let name = request.source.columns[place].name.clone();
            numbers.push((AskedNumber { name, attribute: None }, place));
        }
    }
    Ok(numbers)
}

/// A column's values as numbers, by code; none for what is infinite, or no number.
pub fn numbers_of(column: &ReadColumn) -> Result<Vec<Option<f64>>> {
    check_memory::<(Option<f64>, Datum)>(column.distinct())?;
    let number = |value| column.ty.position(value).filter(|number| number.is_finite());
    Ok(polled(column.datums()).map(number).collect())
}

/// A query that is given, and what it may ask of.
struct Given<'a> {
    request: &'a Request,
    columns: &'a [Column],
    number: usize,
    query: &'a AskedQuery,
}

impl Given<'_> {
    /// What it asks of columns, and of which number it asks the sum and the mean.
    fn bind(&self, numbers: &[AskedNumber]) -> Result<Query> {
        let predicates = polled(&self.query.within).map(|(name, asked)| self.predicate(name, asked));
        let predicates = predicates.collect::<Result<Vec<Predicate>>>()?;
        let Some(of) = &self.query.of else { return Ok(Query { predicates, number_index: None }) };
        if self.query.within.contains_key(of) {
            return Err(self
                .fault(format!("\"of\" is column \"{}\", of which \"where\" asks, too.", clipped(of)))
                .hint("Rows are spread evenly over what is asked for: ask for the sum of another column."));
        }
        let number = numbers.iter().position(|number| number.name == *of);
        let names = || some_of(numbers.iter().map(|number| &number.name));
        let number = number.ok_or_else(|| {
            let error =
                self.fault(format!("\"of\" is \"{}\", no number that is masked or kept.", clipped(of)));
            error.hint(if numbers.is_empty() {
                "The release has none: leave \"of\" out.".into()
            } else {
                format!("Numbers are {}.", names())
            })
        })?;
        Ok(Query { predicates, number_index: Some(number) })
    }

    fn fault(&self, why: String) -> SqlError {
        self.query.fault(self.number, why)
    }

    fn predicate(&self, name: &str, asked: &Value) -> Result<Predicate> {
        let attribute = self.request.attribute(name).ok_or_else(|| {
            let masked = (0..self.request.masked.len()).map(|a| self.request.name(a));
            self.fault(format!("\"{}\" is no masked column of the release.", clipped(name)))
                .hint(format!("Masked are {}.", some_of(masked)))
        })?;
        let column = &self.columns[attribute];
        match (&column.along, asked) {
            (Along::Line(ty), Value::String(range)) => self.range(attribute, *ty, range),
            (Along::Line(_), _) => Err(self
                .fault(format!("Column \"{name}\" lies on a line, and is asked for no range."))
                .hint(format!("Ask for a range, as a text: {{\"{name}\": \"[10,20)\"}}."))),
            (Along::Places { by_text, .. }, Value::Array(values)) if !values.is_empty() => {
                let places = polled(values).map(|value| self.place(name, by_text, value));
                Ok(column.axis.values(attribute, places.collect::<Result<_>>()?))
            }
            _ => Err(self
                .fault(format!("Column \"{name}\" is asked for no array of values."))
                .hint(format!("Ask for values, as an array: {{\"{name}\": [\"...\", \"...\"]}}."))),
        }
    }

    fn range(&self, attribute: usize, ty: Type, text: &str) -> Result<Predicate> {
        let axis = &self.columns[attribute].axis;
        let name = self.request.name(attribute);
        let unreadable = |why: String| {
            self.fault(format!("\"{}\" is no range of column \"{name}\": {why}.", clipped(text)))
                .hint("Write it as PostgreSQL writes ranges: [10,20) from 10 on, below 20; [10,20] with 20; (,20) below 20.")
        };
        let ends = asked::range(text).ok_or_else(|| unreadable("it has no two ends in brackets".into()))?;
        let ((from, from_belongs), (to, to_belongs)) = ends;
        must_be_one_day(ty, &format!("column \"{name}\""), [from, to].into_iter().flatten())?;
        let position = |end: Option<&str>| {
            let value = end.map(|end| ty.parse(end).map_err(&unreadable)).transpose()?;
            let position = value.map(|value| ty.position(value).filter(|at| !at.is_nan()));
            position.map(|at| at.ok_or_else(|| unreadable("an end lies nowhere".into()))).transpose()
        };
        let (from, to) = (position(from)?, position(to)?);
        // From where on, of a range that does not begin with its end; and where what follows its end begins.
        let from = from.map_or(f64::NEG_INFINITY, |from| if from_belongs { from } else { axis.after(from) });
        let to = to.map_or(f64::INFINITY, |to| if to_belongs { axis.after(to) } else { to });
        if from >= to {
            return Err(unreadable("nothing lies in it".into()));
        }
        Ok(axis.range(attribute, from, to))
    }

    fn place(&self, name: &str, places: &HashMap<String, f64>, value: &Value) -> Result<f64> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => {
                return Err(self
                    .fault(format!("A value of column \"{name}\" is no text, number or boolean."))
                    .hint(asked::EXAMPLE))
            }
        };
        places.get(&text).copied().ok_or_else(|| {
            self.fault(format!("\"{}\" is no value of column \"{name}\".", clipped(&text)))
                .hint("Name values of the source, or leaves of the column's taxonomy.")
        })
    }
}

impl Column {
    /// Of what is bound to a column of a type.
    fn new(hierarchy: &Hierarchy, labels: &Labels, ty: Type) -> Column {
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        if let Some((axis, ty)) = line(hierarchy, labels) {
            let numbers = || polled(&axis.positions).map(|&position| finite(position)).collect();
            let numbers = ty.is_number().then(numbers);
            return Column { axis, along: Along::Line(ty), numbers };
        }
        let texts = texts(hierarchy, labels);
        let values = if ty.is_number() { ty.parse_all(texts.iter().map(String::as_str)).ok() } else { None };
        let numbers =
            values.map(|values| polled(values).map(|value| ty.position(value).and_then(finite)).collect());
        let positions: Vec<f64> = (0..texts.len()).map(|place| place as f64).collect();
        let ordered = match labels {
            Labels::Intervals(intervals) => Some((intervals.ty, intervals.values.clone())),
            _ => None,
        };
        let by_text = texts.into_iter().zip(positions.iter().copied()).collect();
        Column { axis: Axis { positions, unit: 1.0 }, along: Along::Places { by_text, ordered }, numbers }
    }

    /// From where to where the axis goes.
    fn whole(&self) -> Option<Piece> {
        let (&first, &last) = self.axis.positions.first().zip(self.axis.positions.last())?;
        Some(Piece::even(first, last + self.axis.unit))
    }

    /// The middle of what is shown of a number: between the ends of an interval, else between the least and the greatest of
    /// the leaves or values that it stands for.
    fn middle(&self, shown: &ReleasedPieces) -> Option<f64> {
        let (first, last) = (shown.first()?, shown.last()?);
        if let Along::Line(_) = self.along {
            // What is a whole number takes a unit, and lies at its beginning.
            let middle =
                |from: f64, to: f64| if to > from { (from + to - self.axis.unit) / 2.0 } else { from };
            let all: f64 = shown.iter().map(|piece| piece.weight).sum();
            let of_piece = |piece: &Piece| piece.weight / all * middle(piece.from, piece.to);
            return Some(match all > 0.0 {
                true => shown.iter().map(of_piece).sum(),
                false => middle(first.from, last.to),
            });
        }
        let numbers = self.numbers.as_ref()?;
        let places = shown.iter().flat_map(|piece| piece.from as usize..piece.to as usize);
        let of_places = places.filter_map(|place| numbers.get(place).copied().flatten());
        let ends = of_places.fold(None, |ends: Option<(f64, f64)>, number| {
            let (least, greatest) = ends.unwrap_or((number, number));
            Some((least.min(number), greatest.max(number)))
        });
        ends.map(|(least, greatest)| (least + greatest) / 2.0)
    }

    /// What a released value stands for, as pieces of the axis.
    fn pieces(&self, one: &StandsFor) -> ReleasedPieces {
        let place = |text: &String| match &self.along {
            Along::Places { by_text, .. } => by_text.get(text).copied(),
            Along::Line(_) => None,
        };
        match (one, &self.along) {
            (StandsFor::Null, _) => ReleasedPieces::new(),
            (StandsFor::Everything, _) => self.whole().into_iter().collect(),
            (StandsFor::Several(all), _) => all.iter().flat_map(|one| self.pieces(one)).collect(),
            (StandsFor::Value(text), _) => over(place(text).into_iter()),
            (StandsFor::Leaves(texts, some), _) => over(polled(&texts[some.clone()]).filter_map(place)),
            (StandsFor::Others(texts), _) => {
                let but: HashSet<&String> = polled(texts.iter()).collect();
                others(polled(but).filter_map(place).collect(), self.whole())
            }
            (StandsFor::Interval { lower, upper, closed }, Along::Line(ty)) => {
                let position = |end: &Option<String>| ty.position(ty.parse(end.as_deref()?).ok()?);
                self.between((position(lower), position(upper)), *closed)
            }
            (StandsFor::Interval { lower, upper, closed }, Along::Places { ordered, .. }) => {
                let Some((ty, values)) = ordered else { return ReleasedPieces::new() };
                let Some(compare) = ty.comparator() else { return ReleasedPieces::new() };
                let end = |end: &Option<String>| end.as_deref().and_then(|end| ty.parse(end).ok());
                let before = |end: Datum, with: bool| {
                    values.partition_point(|&value| match compare(value, end) {
                        Ordering::Equal => with,
                        order => order == Ordering::Less,
                    })
                };
                let from = end(lower).map_or(0, |lower| before(lower, false));
                let to = end(upper).map_or(values.len(), |upper| before(upper, *closed));
                over((from..to).map(|place| place as f64))
            }
        }
    }

    /// The pieces of the axis that counts are of, from the left, with their rows. A node beside nodes below it is what these
    /// leave of it.
    fn counted(&self, counts: &[(StandsFor, f64)]) -> ReleasedPieces {
        let mut nodes: Vec<(ReleasedPieces, f64)> =
            polled(counts).map(|(node, rows)| (self.pieces(node), *rows)).collect();
        nodes.sort_by(polling(|(one, _): &(ReleasedPieces, f64), (other, _)| {
            width(one).total_cmp(&width(other))
        }));
        let (mut counted, mut covered) = (ReleasedPieces::new(), Covered::default());
        for (pieces, rows) in polled(nodes) {
            let left: ReleasedPieces = pieces.into_iter().flat_map(|piece| covered.add(piece)).collect();
            let all = width(&left);
            let of_rows = |piece: Piece| Piece { weight: rows * (piece.to - piece.from) / all, ..piece };
            counted.extend(left.into_iter().filter(|piece| piece.to > piece.from).map(of_rows));
        }
        counted.sort_by(polling(|one: &Piece, other: &Piece| one.from.total_cmp(&other.from)));
        counted
    }

    /// Of an interval from one end to the other, open ones being those of the data.
    fn between(&self, (lower, upper): (Option<f64>, Option<f64>), closed: bool) -> ReleasedPieces {
        let Some(Piece { from: least, to: end, .. }) = self.whole() else { return ReleasedPieces::new() };
        let upper = upper.map(|upper| if closed { upper + self.axis.unit } else { upper });
        let from = lower.unwrap_or(least);
        vec![Piece::even(from, upper.unwrap_or(end).max(from))]
    }

    /// What each released value of a column shows.
    fn shown(&self, released: &GeneralizedColumn, by_group: bool) -> Vec<ReleasedPieces> {
        let GeneralizedColumn { bound, cut, .. } = released;
        match (&bound.labels, &self.along) {
            (Labels::Intervals(intervals), Along::Line(_)) => {
                polled(cut).map(|extent| self.interval(bound, intervals, extent)).collect()
            }
            (labels, along) => {
                let texts = texts(&bound.hierarchy, labels);
                let place = |text: &String| match along {
                    Along::Places { by_text, .. } => by_text.get(text).copied(),
                    Along::Line(_) => None,
                };
                let places: Vec<Option<f64>> = polled(&texts).map(place).collect();
                let whole = self.whole();
                polled(cut).map(|extent| leaves(bound, cut, extent, (&places, whole), by_group)).collect()
            }
        }
    }

    /// What an interval shows that a search has found.
    fn interval(&self, bound: &Bound, intervals: &IntervalLabels, extent: &Extent) -> ReleasedPieces {
        let position = |end: Option<Datum>| end.and_then(|end| intervals.ty.position(end));
        let (ends, closed) = match extent {
            Extent::Node(id) => {
                let node = bound.hierarchy.node(*id);
                match node.meaning {
                    Meaning::Null => return ReleasedPieces::new(),
                    Meaning::Interval => {
                        let Ends { lower, upper, closed } = intervals.ends(*id, node);
                        ((lower, upper), closed)
                    }
                    _ => ((None, None), false),
                }
            }
            extent => (bound.bounds(extent), true),
        };
        self.between((position(ends.0), position(ends.1)), closed)
    }
}

/// From the first to the last of some places.
fn over(places: impl Iterator<Item = f64>) -> ReleasedPieces {
    let ends = places
        .map(|place| (place, place))
        .reduce(|(first, last), (place, _)| (first.min(place), last.max(place)));
    ends.map(|(first, last)| Piece::even(first, last + 1.0)).into_iter().collect()
}

/// Of a node the leaves below it, one beside the other; of a `*` that values were disclosed out of the others.
fn leaves(
    bound: &Bound,
    cut: &[Extent],
    extent: &Extent,
    (places, whole): (&[Option<f64>], Option<Piece>),
    by_group: bool,
) -> ReleasedPieces {
    let all = || whole.into_iter().collect();
    let codes = match extent {
        Extent::Any => return all(),
        Extent::Ranks(ranks) => *ranks.start()..*ranks.end() + 1,
        Extent::Node(id) => {
            let node = bound.hierarchy.node(*id);
            match node.meaning {
                Meaning::Null => return ReleasedPieces::new(),
                Meaning::Any if by_group || !bound.hierarchy.is_suppression() => return all(),
                Meaning::Any => return others(disclosed(bound, cut, places), whole),
                _ => node.codes.clone(),
            }
        }
    };
    over(codes.filter_map(|code| places.get(code as usize).copied().flatten()))
}

/// The places of disclosed values.
fn disclosed(bound: &Bound, cut: &[Extent], places: &[Option<f64>]) -> Vec<f64> {
    let disclosed = |extent: &Extent| match extent {
        Extent::Node(id) if bound.hierarchy.node(*id).meaning == Meaning::Value => {
            places[bound.hierarchy.node(*id).codes.start as usize]
        }
        _ => None,
    };
    polled(cut).filter_map(disclosed).collect()
}

/// What is left between disclosed values.
fn others(mut disclosed: Vec<f64>, whole: Option<Piece>) -> ReleasedPieces {
    disclosed.sort_unstable_by(f64::total_cmp);
    let disclosed: ReleasedPieces =
        disclosed.into_iter().map(|place| Piece::even(place, place + 1.0)).collect();
    whole.map_or(ReleasedPieces::new(), |whole| without(whole, &disclosed))
}

fn width(pieces: &[Piece]) -> f64 {
    pieces.iter().map(|piece| piece.to - piece.from).sum()
}

/// The parts of the axis that are counted already, as disjoint stretches by where they begin.
#[derive(Default)]
struct Covered(BTreeMap<OrderedNumber, f64>);

/// A number that is compared as `total_cmp` says.
#[derive(Clone, Copy)]
struct OrderedNumber(f64);

impl Ord for OrderedNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for OrderedNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OrderedNumber {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OrderedNumber {}

impl Covered {
    /// Covers a piece, and returns what was not covered of it. Stretches within it become one, so each is looked at once.
    fn add(&mut self, piece: Piece) -> ReleasedPieces {
        if piece.from.partial_cmp(&piece.to) != Some(Ordering::Less) {
            return ReleasedPieces::new();
        }
        let before = self.0.range(..=OrderedNumber(piece.from)).next_back();
        let first = before.filter(|(_, to)| **to > piece.from).map_or(piece.from, |(from, _)| from.0);
        let within = self.0.range(OrderedNumber(first)..OrderedNumber(piece.to));
        let within: ReleasedPieces = within.map(|(from, &to)| Piece::even(from.0, to)).collect();
        for stretch in &within {
            self.0.remove(&OrderedNumber(stretch.from));
        }
        let left = without(piece, &within);
        let to = within.last().map_or(piece.to, |last| last.to.max(piece.to));
        self.0.insert(OrderedNumber(first), to);
        left
    }
}

/// What some pieces, from the left, leave of another.
fn without(piece: Piece, others: &[Piece]) -> ReleasedPieces {
    let mut left = ReleasedPieces::new();
    let mut from = piece.from;
    for other in others.iter().filter(|other| other.to > piece.from && other.from < piece.to) {
        if other.from > from {
            left.push(Piece::even(from, other.from));
        }
        from = from.max(other.to);
    }
    if piece.to > from {
        left.push(Piece::even(from, piece.to));
    }
    left
}

/// What a value stands for, its rows spread as those are that are counted there; evenly, where none are.
fn spread_as_counted(pieces: ReleasedPieces, counted: &[Piece]) -> Result<ReleasedPieces> {
    let mut spread = ReleasedPieces::new();
    for piece in &pieces {
        let first = counted.partition_point(|other| other.to <= piece.from);
        let end = counted.partition_point(|other| other.from < piece.to);
        let within = &counted[first..end.max(first)];
        check_memory::<Piece>(within.len())?;
        for other in polled(within) {
            let (from, to) = (piece.from.max(other.from), piece.to.min(other.to));
            spread.push(Piece { from, to, weight: other.weight * (to - from) / (other.to - other.from) });
        }
    }
    Ok(match spread.is_empty() {
        true => pieces,
        false => spread,
    })
}

/// Where the values of intervals lie, if all lie somewhere.
fn line(hierarchy: &Hierarchy, labels: &Labels) -> Option<(Axis, Type)> {
    let Labels::Intervals(intervals) = labels else { return None };
    let positions = &hierarchy.domain()?.positions;
    let lie = intervals.ty.is_measurable() && polled(positions).all(|position| position.is_finite());
    let unit = if intervals.ty.is_whole() { 1.0 } else { 0.0 };
    lie.then(|| (Axis { positions: polled(positions).copied().collect(), unit }, intervals.ty))
}

/// What each leaf or value is called, NULL left out.
fn texts(hierarchy: &Hierarchy, labels: &Labels) -> Vec<String> {
    match labels {
        Labels::Values(texts) => polled_by_length(texts).cloned().collect(),
        Labels::Intervals(intervals) => {
            polled(&intervals.values).map(|&value| intervals.ty.text(value)).collect()
        }
        Labels::Taxonomy(taxonomy, _) => {
            let codes = hierarchy.node(hierarchy.own_top()).codes.clone();
            let mut texts = vec![String::new(); codes.len()];
            for (node, label) in polled(taxonomy.nodes().iter().zip(taxonomy.labels())) {
                if node.children.is_empty() {
                    texts[node.leaves.start as usize] = label.to_string();
                }
            }
            texts
        }
    }
}
