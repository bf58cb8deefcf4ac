//! Query error: how far counts, sums and means from a release are off, over random range queries (Xiao, Tao, Anatomy,
//! VLDB 2006, section 6.1) or over given ones.
//!
//! A query selects the rows within ranges on some columns. It asks for their count, and perhaps for the sum and mean of
//! a number. The source gives the true answer. A reader knows the released values of each group, and spreads the
//! group's rows evenly over them. The error is the absolute difference of both answers, divided by the true one.

use super::classes::{record_rows, RecordClasses, Released};
use crate::progress::filled;
use crate::table::{Codes, Store};
use crate::utility::FixedPointSum;
use crate::{pace, Code, Error};
use std::ops::Range;

/// Positions of a column's values on a line, so that a query can ask for a range of them.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Position of each code, ascending: the number itself, or the rank of a leaf. NULL has none.
    pub positions: Vec<f64>,
    /// Length of a value on the axis: 1 for integers, days and leaves, 0 for others.
    pub unit: f64,
}

/// Pieces of the axis that a released value covers; empty for NULL.
pub type ReleasedPieces = Vec<Piece>;

/// A piece of an axis, over which rows are spread evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Start of the piece.
    pub from: f64,
    /// End of the piece.
    pub to: f64,
    /// Share of the rows in this piece, relative to the sum of the weights of all pieces.
    pub weight: f64,
}

impl Piece {
    /// Makes one of several pieces over which rows are spread evenly.
    pub fn even(from: f64, to: f64) -> Piece {
        Piece { from, to, weight: to - from }
    }
}

/// Width of a query's range, as a share of the column's domain.
const RANGE_WIDTH: f64 = 0.1;

/// Smallest result of a drawn query, as a share of all rows.
const MIN_SELECTIVITY: f64 = 0.005;

/// Largest number of columns of a query.
const MAX_COLUMNS: usize = 3;

/// Largest number of draws for each query wanted.
const MAX_DRAWS: usize = 50;

/// Steps per unit to which errors are rounded.
const ERROR_STEPS: f64 = 1e12;

/// Number of records on which a query is tried before it is counted over all.
const SAMPLE_RECORDS: usize = 2000;

/// Part of an axis, and its codes.
#[derive(Debug, Clone)]
struct CodeRange {
    from: f64,
    to: f64,
    codes: Range<Code>,
}

/// Condition on a column: its value lies in one of some parts of its axis, which are ascending and disjoint.
#[derive(Debug, Clone)]
pub struct Predicate {
    column: usize,
    within: Vec<CodeRange>,
}

/// A query, and the source's answer.
#[derive(Debug, Clone)]
struct Query {
    predicates: Vec<Predicate>,
    /// Index of the number whose sum and mean it asks for.
    number_index: Option<usize>,
    truth: Answer,
}

/// Queries over a source.
#[derive(Debug, Clone)]
pub struct Workload {
    queries: Vec<Query>,
}

/// A number of each record, to be summed and averaged.
#[derive(Debug, Clone, Copy)]
pub struct Number<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// Number of each code; None if it has none, as do codes beyond the end.
    pub values: &'a [Option<f64>],
}

/// Source of a workload.
#[derive(Debug, Clone, Copy)]
pub struct QuerySource<'a> {
    /// Columns that have conditions, with their axes.
    pub columns: &'a [(&'a Store, &'a Axis)],
    /// Numbers to sum and average, each with its index in `columns`, if it is one of them.
    pub numbers: &'a [(Number<'a>, Option<usize>)],
    /// Number of records.
    pub records: usize,
    /// Rows that each record stands for; None: one each.
    pub weights: Option<&'a Codes>,
}

/// Aggregate function of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aggregate {
    /// Number of rows.
    Count,
    /// Sum of a number.
    Sum,
    /// Mean of a number.
    Avg,
}

/// Error of a release's answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueryError {
    /// Number of columns with a condition.
    pub columns: usize,
    /// The aggregate function.
    pub aggregate: Aggregate,
    /// Relative error: the absolute difference from the true answer, divided by that.
    pub error: f64,
}

/// Returns the values of a number divided by a scale, and the scale. Their fixed-point sums do not depend on the order
/// of the rows, which is random. The greatest value is divided to less than 2^31, so that sums of 2^32 rows fit, and
/// values down to 2^-94 of it count.
fn scale_down(values: &[Option<f64>]) -> Result<(Vec<Option<FixedPointSum>>, f64), Error> {
    let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
    let mut greatest = f64::MIN_POSITIVE;
    pace::each(values, |value| greatest = finite(value).map_or(greatest, |value| greatest.max(value.abs())))?;
    // Its power of two, so that the division is exact.
    let power =
        f64::from_bits(greatest.to_bits() >> (f64::MANTISSA_DIGITS - 1) << (f64::MANTISSA_DIGITS - 1));
    let scale = power / f64::from(1 << 30);
    let scaled = values.iter().map(|value| finite(value).map(|value| FixedPointSum::new(value / scale)));
    Ok((pace::collect(scaled)?, scale))
}

/// Sum and count of the numbers of some rows.
#[derive(Debug, Clone, Copy, Default)]
struct NumberSum {
    numbers: u64,
    sum: FixedPointSum,
}

impl NumberSum {
    fn add(&mut self, rows: u64, value: Option<FixedPointSum>) {
        if let Some(value) = value {
            self.numbers += rows;
            self.sum.add_times(value, rows);
        }
    }
}

/// Aggregates of a query's rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Answer {
    rows: f64,
    /// Rows that have the number, which are those that `sum` adds up.
    numbers: f64,
    sum: f64,
}

impl Answer {
    /// Returns an aggregate. As in SQL, the sum and the mean of no rows are NULL (None).
    fn compute(&self, aggregate: Aggregate) -> Option<f64> {
        match aggregate {
            Aggregate::Count => Some(self.rows),
            _ if self.numbers <= 0.0 => None,
            Aggregate::Sum => Some(self.sum),
            Aggregate::Avg => Some(self.sum / self.numbers),
        }
    }

    /// Returns the relative error of an estimate, 1 if it is missing; None if the true answer is NULL or 0.
    fn error(&self, aggregate: Aggregate, estimate: &Answer) -> Option<f64> {
        let truth = self.compute(aggregate).filter(|&truth| truth != 0.0)?;
        // Rounded, because the terms of the sums are.
        let off = |estimate: f64| (((estimate - truth) / truth).abs() * ERROR_STEPS).round() / ERROR_STEPS;
        Some(estimate.compute(aggregate).map_or(1.0, off))
    }
}

impl Axis {
    /// Returns the start and the end of the axis.
    fn ends(&self) -> Option<(f64, f64)> {
        let (&first, &last) = (self.positions.first()?, self.positions.last()?);
        Some((first, last + self.unit))
    }

    /// Draws a range that contains a position and spans [`RANGE_WIDTH`] of the axis.
    fn draw_range_around(&self, column: usize, position: f64, random: &mut Random) -> Option<Predicate> {
        let (least, end) = self.ends()?;
        let mut width = RANGE_WIDTH * (end - least);
        let mut before = random.next_unit() * width;
        if self.unit > 0.0 {
            width = width.round().max(self.unit);
            before = (random.next_unit() * width).floor();
        }
        let from = (position - before).min(end - width).max(least);
        Some(self.range(column, from, from + width))
    }

    /// Makes a condition of the range from one position (inclusive) to another (exclusive).
    pub fn range(&self, column: usize, from: f64, to: f64) -> Predicate {
        Predicate { column, within: vec![self.within(from, to)] }
    }

    fn within(&self, from: f64, to: f64) -> CodeRange {
        let rank = |end: f64| self.positions.partition_point(|&at| at < end) as Code;
        CodeRange { from, to, codes: rank(from)..rank(to) }
    }

    /// Makes a condition of single values, by their positions.
    pub fn values(&self, column: usize, mut positions: Vec<f64>) -> Predicate {
        positions.sort_unstable_by(f64::total_cmp);
        positions.dedup();
        let within = positions.into_iter().map(|at| self.within(at, self.after(at))).collect();
        Predicate { column, within }
    }

    /// Returns the first position after a value.
    pub fn after(&self, position: f64) -> f64 {
        if self.unit > 0.0 {
            position + self.unit
        } else {
            position.next_up()
        }
    }
}

impl Predicate {
    /// Returns the share of a released value that the condition selects.
    fn selected_share(&self, shown: &ReleasedPieces) -> Result<f64, Error> {
        let (mut within, mut all) = (0.0, 0.0);
        for &Piece { from, to, weight } in shown {
            all += weight;
            let parts = self.parts_beyond(from).iter().take_while(|part| part.from < to);
            pace::each(parts, |part| {
                let common = (to.min(part.to) - from.max(part.from)).max(0.0);
                within += if common > 0.0 { common * (weight / (to - from)) } else { 0.0 };
            })?;
        }
        if all > 0.0 {
            return Ok(within / all);
        }
        let is_within = |at: f64| self.parts_beyond(at).first().is_some_and(|part| part.from <= at);
        Ok(f64::from(u8::from(shown.iter().any(|piece| is_within(piece.from)))))
    }

    /// Returns the parts that end beyond a position.
    fn parts_beyond(&self, position: f64) -> &[CodeRange] {
        &self.within[self.within.partition_point(|part| part.to <= position)..]
    }

    /// Returns true if the condition selects a code.
    fn selects(&self, code: Code) -> bool {
        let next = self.within.partition_point(|part| part.codes.end <= code);
        self.within.get(next).is_some_and(|part| part.codes.start <= code)
    }
}

impl Workload {
    /// Draws up to `count` queries, a third each over one, two and three columns. Each is drawn around the values of a
    /// random record. The numbers take turns, but a query never aggregates a number on which it has a condition.
    /// Without records, or if all axes have the length 0, there are no queries.
    pub fn draw(asked: &QuerySource, count: usize, seed: u64) -> Result<Workload, Error> {
        let &QuerySource { columns, records, .. } = asked;
        if records == 0 {
            return Ok(Workload { queries: Vec::new() });
        }
        let mut random = Random(seed);
        let has_width = |&column: &usize| columns[column].1.ends().is_some_and(|(from, to)| from < to);
        let places: Vec<usize> = (0..columns.len()).filter(has_width).collect();
        let sample: Vec<usize> =
            (0..SAMPLE_RECORDS.min(records)).map(|at| at * records / SAMPLE_RECORDS.min(records)).collect();
        let codes: Vec<Codes> =
            columns.iter().map(|(codes, _)| codes.pick(sample.iter().copied())).collect::<Result<_, _>>()?;
        let of_sample = |query: &[Predicate]| {
            let is_within = |&at: &usize| query.iter().all(|p| p.selects(codes[p.column].get(at)));
            (0..sample.len()).filter(is_within).count()
        };
        // Slightly less than `FEWEST`, because a sample is inexact.
        let enough = 0.8 * MIN_SELECTIVITY * sample.len() as f64;
        let most = MAX_COLUMNS.min(places.len());
        let mut queries = Vec::new();
        for size in 1..=most {
            let (mut draws, wanted) = (0, count * size / most);
            while queries.len() < wanted && draws < MAX_DRAWS * count / most {
                draws += 1;
                pace::tick(sample.len())?;
                let record = random.below(sample.len());
                let mut left = places.clone();
                let mut predicates = Vec::with_capacity(size);
                for _ in 0..size {
                    let column = left.swap_remove(random.below(left.len()));
                    let axis = columns[column].1;
                    let position = axis.positions.get(codes[column].get(record) as usize);
                    predicates
                        .extend(position.and_then(|&at| axis.draw_range_around(column, at, &mut random)));
                }
                if predicates.len() == size && of_sample(&predicates) as f64 >= enough {
                    let of = asked.next_number(&predicates, queries.len());
                    queries.push(Query { predicates, number_index: of, truth: Answer::default() });
                }
            }
        }
        let mut workload = Workload { queries };
        let all = workload.answer_from_source(asked)?;
        workload.queries.retain(|query| query.truth.rows >= (MIN_SELECTIVITY * all as f64).max(1.0));
        Ok(workload)
    }

    /// Takes given queries: the conditions of each, and the index of the number to sum and average, if any.
    pub fn from_queries(
        asked: &QuerySource,
        queries: Vec<(Vec<Predicate>, Option<usize>)>,
    ) -> Result<Workload, Error> {
        let query = |(predicates, of)| Query { predicates, number_index: of, truth: Answer::default() };
        let mut workload = Workload { queries: queries.into_iter().map(query).collect() };
        workload.answer_from_source(asked)?;
        Ok(workload)
    }

    /// Computes the source's answer to each query. Returns the number of all rows.
    fn answer_from_source(&mut self, asked: &QuerySource) -> Result<u64, Error> {
        let &QuerySource { columns, numbers, records, weights } = asked;
        let (mut buffers, mut of_numbers) =
            (vec![Vec::new(); columns.len()], vec![Vec::new(); numbers.len()]);
        let scaled = numbers.iter().map(|(number, _)| scale_down(number.values));
        let scaled: Vec<(Vec<Option<FixedPointSum>>, f64)> = scaled.collect::<Result<_, _>>()?;
        let (mut within, mut all) = (Vec::<bool>::new(), 0);
        let mut sums = vec![NumberSum::default(); self.queries.len()];
        for run in pace::ranges(0..records) {
            let run = run?;
            let codes: Vec<&[Code]> = (columns.iter().zip(&mut buffers))
                .map(|((codes, _), buffer)| codes.fetch(run.clone(), buffer))
                .collect::<Result<_, _>>()?;
            let numbers_of: Vec<&[Code]> = (numbers.iter().zip(&mut of_numbers))
                .map(|((number, _), buffer)| number.codes.fetch(run.clone(), buffer))
                .collect::<Result<_, _>>()?;
            all += run.clone().map(|record| record_rows(weights, record)).sum::<u64>();
            for (Query { predicates, number_index: of, truth }, sum) in self.queries.iter_mut().zip(&mut sums)
            {
                pace::tick(run.len())?;
                within.clear();
                within.resize(run.len(), true);
                for predicate in &*predicates {
                    let codes = within.iter_mut().zip(codes[predicate.column]);
                    match &predicate.within[..] {
                        [CodeRange { codes: range, .. }] => {
                            let (first, count) = (range.start, range.end - range.start);
                            codes.for_each(|(within, code)| *within &= code.wrapping_sub(first) < count);
                        }
                        _ => codes.for_each(|(within, &code)| *within &= predicate.selects(code)),
                    }
                }
                let rows: u64 = match weights {
                    None => within.iter().map(|&within| u64::from(within)).sum(),
                    Some(weights) => (run.clone().zip(&within))
                        .map(|(record, &within)| u64::from(within) * u64::from(weights.get(record)))
                        .sum(),
                };
                truth.rows += rows as f64;
                let Some(of) = *of else { continue };
                for ((record, &within), &code) in run.clone().zip(&within).zip(numbers_of[of]) {
                    if within {
                        let value = scaled[of].0.get(code as usize).copied().flatten();
                        sum.add(record_rows(weights, record), value);
                    }
                }
            }
        }
        for (Query { truth, number_index, .. }, sum) in self.queries.iter_mut().zip(sums) {
            if let Some(of) = *number_index {
                truth.numbers = sum.numbers as f64;
                truth.sum = sum.sum.total() * scaled[of].1;
            }
        }
        Ok(all)
    }

    /// Returns the number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Returns true if there are no queries.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Computes the errors of a release's answers. `columns` has the released columns that make the `classes`, with the
    /// pieces that each number of a released value covers. `numbers` are the source's numbers as the release shows
    /// them. An aggregate is left out if its true answer is NULL or 0.
    pub fn errors(
        &self,
        classes: &RecordClasses,
        columns: &[(Released, Vec<ReleasedPieces>)],
        numbers: &[Number],
        weights: Option<&Codes>,
    ) -> Result<Vec<QueryError>, Error> {
        let released: Vec<Released> = columns.iter().map(|(released, _)| *released).collect();
        let (rows, released) = (classes.rows(weights)?, classes.released_numbers(&released)?);
        let sums = numbers.iter().map(|number| sum_by_class(classes, number, weights));
        let sums: Vec<(Vec<NumberSum>, f64)> = sums.collect::<Result<_, _>>()?;
        let mut estimates = Vec::new();
        let mut errors = Vec::with_capacity(self.queries.len());
        for query in &self.queries {
            estimates.clear();
            pace::each(&rows, |&rows| estimates.push(rows as f64))?;
            for predicate in &query.predicates {
                let shares = columns[predicate.column].1.iter().map(|shown| predicate.selected_share(shown));
                let shares = pace::collect(shares)?.into_iter().collect::<Result<Vec<f64>, Error>>()?;
                pace::each(estimates.iter_mut().zip(&released[predicate.column]), |(estimate, &number)| {
                    *estimate *= shares[number as usize];
                })?;
            }
            let mut estimate = Answer { rows: sum(estimates.iter().copied())?, ..Answer::default() };
            if let Some(of) = query.number_index {
                let (groups, scale) = &sums[of];
                let shares = || estimates.iter().zip(&rows).map(|(estimated, &rows)| estimated / rows as f64);
                estimate.numbers =
                    sum(shares().zip(groups).map(|(share, group)| share * group.numbers as f64))?;
                estimate.sum =
                    sum(shares().zip(groups).map(|(share, group)| share * group.sum.total()))? * scale;
            }
            let aggregates: &[Aggregate] = match query.number_index {
                Some(_) => &[Aggregate::Count, Aggregate::Sum, Aggregate::Avg],
                None => &[Aggregate::Count],
            };
            errors.extend(aggregates.iter().filter_map(|&aggregate| {
                let error = query.truth.error(aggregate, &estimate)?;
                Some(QueryError { columns: query.predicates.len(), aggregate, error })
            }));
        }
        Ok(errors)
    }
}

impl QuerySource<'_> {
    /// Returns the number that a query sums and averages, by turns, among those without a condition.
    fn next_number(&self, predicates: &[Predicate], turn: usize) -> Option<usize> {
        let is_asked = |column: &usize| predicates.iter().any(|predicate| predicate.column == *column);
        let others: Vec<usize> = (0..self.numbers.len())
            .filter(|&number| !self.numbers[number].1.as_ref().is_some_and(is_asked))
            .collect();
        others.get(turn % others.len().max(1)).copied()
    }
}

/// Sums up terms, in any order.
fn sum(terms: impl Iterator<Item = f64>) -> Result<f64, Error> {
    let mut sum = FixedPointSum::default();
    pace::each(terms, |term| sum.add(term))?;
    Ok(sum.total())
}

/// Sums up a number in each class. Also returns the scale of the sums.
fn sum_by_class(
    classes: &RecordClasses,
    number: &Number,
    weights: Option<&Codes>,
) -> Result<(Vec<NumberSum>, f64), Error> {
    let (values, scale) = scale_down(number.values)?;
    let mut sums = filled(NumberSum::default(), classes.count)?;
    classes.each(number.codes, |record, class, code| {
        sums[class].add(record_rows(weights, record), values.get(code as usize).copied().flatten());
    })?;
    Ok((sums, scale))
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers for the same seed, everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 (inclusive) to 1 (exclusive).
    fn next_unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next_unit() * count as f64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 rows: the integers 0 to 99, ten times each, and a leaf for each half of them.
    fn table() -> (Store, Store, Axis, Axis) {
        let number = Store::from_iter((0..1000).map(|row| row / 10));
        let half = Store::from_iter((0..1000).map(|row| row / 500));
        let leaves = Axis { positions: vec![0.0, 1.0], unit: 1.0 };
        (number, half, Axis { positions: (0..100).map(f64::from).collect(), unit: 1.0 }, leaves)
    }

    fn asked<'a>(
        columns: &'a [(&'a Store, &'a Axis)],
        numbers: &'a [(Number<'a>, Option<usize>)],
    ) -> QuerySource<'a> {
        QuerySource { columns, numbers, records: columns[0].0.len(), weights: None }
    }

    /// Computes errors for columns given by codes, numbers of released values and their pieces.
    fn errors(
        workload: &Workload,
        columns: &[(&Store, &[u32], &[ReleasedPieces])],
        numbers: &[Number],
    ) -> Vec<QueryError> {
        let released = columns.iter().map(|&(codes, as_number, shown)| {
            (Released { codes, number_of_code: as_number, number_count: shown.len() }, shown.to_vec())
        });
        let released: Vec<(Released, Vec<ReleasedPieces>)> = released.collect();
        let by: Vec<Released> = released.iter().map(|(column, _)| *column).collect();
        let classes = RecordClasses::build(&by, columns[0].0.len()).unwrap();
        workload.errors(&classes, &released, numbers, None).unwrap()
    }

    fn even(spans: &[(f64, f64)]) -> ReleasedPieces {
        spans.iter().map(|&(from, to)| Piece::even(from, to)).collect()
    }

    #[test]
    fn queries_are_a_tenth_of_each_domain() {
        let (number, half, numbers, leaves) = table();
        let columns = [(&number, &numbers), (&half, &leaves)];
        let Workload { queries } = Workload::draw(&asked(&columns, &[]), 60, 1).unwrap();
        assert!(queries.len() > 50, "{}", queries.len());
        for Query { predicates, truth, number_index: of } in &queries {
            assert!(truth.rows >= 5.0 && of.is_none());
            for Predicate { column, within } in predicates {
                let [CodeRange { from, to, codes }] = &within[..] else { panic!("{within:?}") };
                assert_eq!(to - from, [10.0, 1.0][*column]);
                assert_eq!(f64::from(codes.start)..f64::from(codes.end), *from..*to);
            }
            if let [Predicate { column: 0, .. }] = predicates[..] {
                assert_eq!(truth.rows, 100.0);
            }
        }
        assert!(queries.iter().any(|query| query.predicates.len() == 2));
    }

    /// Numbers do not change the counts, take turns, and are never summed by a query with a condition on them.
    #[test]
    fn numbers_take_turns() {
        let (number, half, axis, leaves) = table();
        let columns = [(&number, &axis), (&half, &leaves)];
        let values: Vec<Option<f64>> = (0..100).map(|value| Some(f64::from(value))).collect();
        let numbers = [
            (Number { codes: &number, values: &values }, Some(0)),
            (Number { codes: &half, values: &values }, None),
        ];
        let counts = Workload::draw(&asked(&columns, &[]), 60, 1).unwrap();
        let drawn = Workload::draw(&asked(&columns, &numbers), 60, 1).unwrap();
        let rows =
            |workload: &Workload| workload.queries.iter().map(|query| query.truth.rows).collect::<Vec<f64>>();
        assert_eq!(rows(&counts), rows(&drawn));
        let mut seen = [0, 0];
        for Query { predicates, number_index: of, .. } in &drawn.queries {
            let of = of.expect("a number");
            seen[of] += 1;
            assert!(of == 1 || predicates.iter().all(|predicate| predicate.column != 0));
        }
        assert!(seen[0] > 0 && seen[1] > seen[0], "{seen:?}");
    }

    #[test]
    fn errors_of_what_is_spread_evenly() {
        let (number, half, numbers, leaves) = table();
        let columns = [(&number, &numbers), (&half, &leaves)];
        let workload = Workload::draw(&asked(&columns, &[]), 60, 1).unwrap();
        let as_is: Vec<u32> = (0..100).collect();
        let one = vec![0; 100];
        let spans: Vec<ReleasedPieces> =
            (0..100).map(|at| even(&[(f64::from(at), f64::from(at + 1))])).collect();
        let halves = [even(&[(0.0, 1.0)]), even(&[(1.0, 2.0)])];
        let half = (&half, &[0u32, 1][..], &halves[..]);
        // All values are shown.
        let off = errors(&workload, &[(&number, &as_is, &spans), half], &[]);
        assert!(off.iter().all(|off| off.error < 1e-9 && off.aggregate == Aggregate::Count), "{off:?}");
        // The number is suppressed beside the half. Its values are in fact evenly spread.
        let whole = [even(&[(0.0, 100.0)])];
        let off = errors(&workload, &[(&number, &one, &whole), half], &[]);
        assert_eq!(off.len(), workload.len());
        let both = |query: &Query| query.predicates.len() == 2;
        for (query, off) in workload.queries.iter().zip(off) {
            // Over both columns, a reader spreads 500 rows over 100 numbers, instead of 50.
            let right = if both(query) { query.truth.rows == 50.0 } else { true };
            assert_eq!(off.error < 1e-9, right, "{query:?} {off:?}");
        }
    }

    /// Four rows: the values 1, 2, 3, 9 in two groups, [0,5) and [5,10), with the numbers 10, 20, none and 40.
    #[test]
    fn sums_and_means_by_hand() {
        let (codes, axis) = (Store::from_iter([0, 1, 2, 3]), [1.0, 2.0, 3.0, 9.0].to_vec());
        let axis = Axis { positions: axis, unit: 1.0 };
        let columns = [(&codes, &axis)];
        let numbers = [Some(10.0), Some(20.0), None, Some(40.0)];
        let numbers = [(Number { codes: &codes, values: &numbers }, None)];
        let asked = asked(&columns, &numbers);
        let queries = vec![
            (vec![axis.range(0, 1.0, 3.0)], Some(0)),
            (vec![axis.values(0, vec![9.0, 1.0, 9.0])], Some(0)),
            (vec![axis.range(0, 4.0, 9.0)], Some(0)),
            (vec![axis.range(0, 3.0, 4.0)], Some(0)),
        ];
        let workload = Workload::from_queries(&asked, queries).unwrap();
        let truths: Vec<Answer> = workload.queries.iter().map(|query| query.truth).collect();
        let answer = |rows, numbers, sum| Answer { rows, numbers, sum };
        assert_eq!(
            truths,
            [answer(2.0, 2.0, 30.0), answer(2.0, 2.0, 50.0), answer(0.0, 0.0, 0.0), answer(1.0, 0.0, 0.0)]
        );
        // The release shows each group's mean, 15 and 40. The third row has none.
        let shown = [even(&[(0.0, 5.0)]), even(&[(5.0, 10.0)])];
        let means = [Some(15.0), Some(15.0), None, Some(40.0)];
        let off = errors(
            &workload,
            &[(&codes, &[0, 0, 0, 1], &shown)],
            &[Number { codes: &codes, values: &means }],
        );
        let off: Vec<(Aggregate, f64)> =
            off.iter().map(|off| (off.aggregate, (off.error * 1e6).round() / 1e6)).collect();
        use Aggregate::{Avg, Count, Sum};
        assert_eq!(
            off,
            [
                // 3 rows * 2/5 = 1.2 of 2; 30 * 2/5 = 12 of 30; the mean is 15.
                (Count, 0.4),
                (Sum, 0.6),
                (Avg, 0.0),
                // 3/5 + 1/5 = 0.8 of 2 rows; 6 + 8 = 14 of 50; 14 / (2/5 + 1/5) = 23.3 of 25.
                (Count, 0.6),
                (Sum, 0.72),
                (Avg, 0.066667),
                // The third query has no row. The fourth has one, without a number; the release counts 0.6.
                (Count, 0.4),
            ]
        );
        // A release that shows none of the rows gives no answer, which is an error of 1.
        let off = errors(
            &workload,
            &[(&codes, &[0, 0, 0, 0], &[ReleasedPieces::new()])],
            &[Number { codes: &codes, values: &means }],
        );
        assert!(off.len() == 7 && off.iter().all(|off| off.error == 1.0), "{off:?}");
    }

    #[test]
    fn shares_of_what_is_shown() {
        let axis = Axis { positions: Vec::new(), unit: 1.0 };
        let of = |spans: &[(f64, f64)]| axis.range(0, 2.0, 4.0).selected_share(&even(spans)).unwrap();
        assert_eq!(of(&[(0.0, 8.0)]), 0.25);
        assert_eq!(of(&[(3.0, 4.0)]), 1.0);
        assert_eq!(of(&[(4.0, 5.0)]), 0.0);
        // The rest of a suppressed column: all values but 2.
        assert_eq!(of(&[(0.0, 2.0), (3.0, 5.0)]), 0.25);
        assert_eq!((of(&[]), of(&[(2.0, 2.0)]), of(&[(4.0, 4.0)])), (0.0, 1.0, 0.0));
        // Two single values; then pieces that hold nine and one of ten rows.
        assert_eq!(axis.values(0, vec![6.0, 1.0]).selected_share(&even(&[(0.0, 8.0)])).unwrap(), 0.25);
        let uneven = [Piece { from: 0.0, to: 4.0, weight: 9.0 }, Piece { from: 4.0, to: 8.0, weight: 1.0 }];
        assert_eq!(axis.range(0, 2.0, 8.0).selected_share(&uneven.to_vec()).unwrap(), 0.55);
    }

    /// On an axis of real numbers, the next position after a value is the next double.
    #[test]
    fn single_values_on_a_line() {
        let axis = Axis { positions: vec![1.5, 2.0, 2.5], unit: 0.0 };
        let one = axis.values(0, vec![2.0]);
        assert!(one.selects(1) && !one.selects(0) && !one.selects(2));
        assert_eq!(one.selected_share(&even(&[(2.0, 2.0)])).unwrap(), 1.0);
        assert!(axis.range(0, axis.after(1.5), axis.after(2.5)).selects(2));
        assert!(!axis.range(0, axis.after(1.5), 2.5).selects(0));
    }

    #[test]
    fn rows_stand_for_their_weights() {
        let codes = Store::from_iter([0, 1, 2]);
        let axis = Axis { positions: vec![0.0, 5.0, 10.0], unit: 0.0 };
        let weights = Codes::from_iter([1, 4, 5]);
        let values = [Some(7.0), Some(8.0), None];
        let (columns, numbers) = ([(&codes, &axis)], [(Number { codes: &codes, values: &values }, None)]);
        let asked = QuerySource { weights: Some(&weights), ..asked(&columns, &numbers) };
        let workload = Workload::draw(&asked, 30, 7).unwrap();
        assert!(!workload.is_empty());
        for Query { predicates, truth, .. } in &workload.queries {
            let code = predicates[0].within[0].codes.start as usize;
            assert_eq!(truth.rows, [1.0, 4.0, 5.0][code]);
            assert_eq!((truth.numbers, truth.sum), [(1.0, 7.0), (4.0, 32.0), (0.0, 0.0)][code]);
        }
    }

    #[test]
    fn nothing_to_ask() {
        let codes = Store::from_iter([0, 0]);
        let axis = Axis { positions: vec![3.0], unit: 0.0 };
        let workload = Workload::draw(&asked(&[(&codes, &axis)], &[]), 30, 7).unwrap();
        assert!(workload.is_empty());
    }
}
