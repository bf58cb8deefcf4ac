//! Query error: how far counts, sums and means from a release are off, over random range queries (Xiao, Tao, Anatomy,
//! VLDB 2006, section 6.1) or over given ones.
//!
//! A query selects the rows within ranges on some columns. It asks for their count, and perhaps for the sum and mean of
//! a number. The source gives the true answer. A reader knows the released values of each class, and spreads the rows
//! of the class evenly over them. The error is the absolute difference of both answers, divided by the true one.

mod answers;
mod axis;
mod draw;

pub use axis::{Axis, Piece, Predicate, ReleasedPieces};

use super::classes::{record_rows, RecordClasses, Released};
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use answers::{sum, Answer, ClassSums, QueryTotals, ScaledNumbers};
use std::ops::Range;

/// A query.
#[derive(Debug, Clone)]
pub struct Query {
    /// Conditions, each on another column.
    pub predicates: Vec<Predicate>,
    /// Index of the number whose sum and mean it asks for.
    pub number_index: Option<usize>,
}

/// Queries over a source.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    queries: Vec<Query>,
    /// The source's answer to each query.
    truths: Vec<Answer>,
}

/// A number of each record, to be summed and averaged.
#[derive(Debug, Clone, Copy)]
pub struct Number<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// Number of each code; None if it has none, as do codes beyond the end.
    pub values: &'a [Option<f64>],
}

/// A number of the source.
#[derive(Debug, Clone, Copy)]
pub struct SourceNumber<'a> {
    /// The number.
    pub number: Number<'a>,
    /// Index of the column with the same values, if it has conditions.
    pub column_index: Option<usize>,
}

/// A column of the source that has conditions.
#[derive(Debug, Clone, Copy)]
pub struct SourceColumn<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// Positions of the codes.
    pub axis: &'a Axis,
}

/// Source of a workload.
#[derive(Debug, Clone, Copy)]
pub struct QuerySource<'a> {
    /// Columns that have conditions.
    pub columns: &'a [SourceColumn<'a>],
    /// Numbers to sum and average.
    pub numbers: &'a [SourceNumber<'a>],
    /// Number of records.
    pub records: usize,
    /// Rows that each record stands for; None: one each.
    pub weights: Option<&'a Codes>,
}

/// A released column, and the pieces of its axis that each released value covers, by number.
#[derive(Debug, Clone)]
pub struct ColumnPieces<'a> {
    /// The released column.
    pub released: Released<'a>,
    /// Pieces of each released value.
    pub pieces: Vec<ReleasedPieces>,
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

impl Query {
    /// Sets whether the query selects each of some records. `codes` has their codes by column.
    fn select(&self, codes: &[&[Code]], selected: &mut [bool]) {
        selected.fill(true);
        for predicate in &self.predicates {
            let records = selected.iter_mut().zip(codes[predicate.column]);
            match predicate.single_range() {
                // One comparison for both ends: a code below the first one wraps to a large number.
                Some(Range { start, end }) => {
                    let count = end - start;
                    records.for_each(|(selected, code)| *selected &= code.wrapping_sub(start) < count);
                }
                None => records.for_each(|(selected, &code)| *selected &= predicate.selects(code)),
            }
        }
    }

    fn aggregates(&self) -> &'static [Aggregate] {
        match self.number_index {
            Some(_) => &[Aggregate::Count, Aggregate::Sum, Aggregate::Avg],
            None => &[Aggregate::Count],
        }
    }
}

impl Workload {
    /// Takes given queries.
    pub fn from_queries(source: &QuerySource, queries: Vec<Query>) -> Result<Workload, Error> {
        let truths = source.answer(&queries)?;
        Ok(Workload { queries, truths })
    }

    /// Returns the number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Returns true if there are no queries.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Computes the errors of a release's answers. `columns` are the released columns that make the `classes`.
    /// `numbers` are the source's numbers as the release shows them. An aggregate is left out if its true answer is
    /// NULL or 0.
    pub fn errors(
        &self,
        classes: &RecordClasses,
        columns: &[ColumnPieces],
        numbers: &[Number],
        weights: Option<&Codes>,
    ) -> Result<Vec<QueryError>, Error> {
        let released: Vec<Released> = columns.iter().map(|column| column.released).collect();
        let (rows, released_numbers) = (classes.rows(weights)?, classes.released_numbers(&released)?);
        let sums = numbers.iter().map(|number| ClassSums::new(classes, number, weights));
        let sums = sums.collect::<Result<_, _>>()?;
        let mut estimator = Estimator { columns, rows, released_numbers, sums, selected_rows: Vec::new() };
        let mut errors = Vec::with_capacity(self.queries.len());
        for (query, truth) in self.queries.iter().zip(&self.truths) {
            let estimate = estimator.answer(query)?;
            errors.extend(query.aggregates().iter().filter_map(|&aggregate| {
                let error = truth.error(aggregate, &estimate)?;
                Some(QueryError { columns: query.predicates.len(), aggregate, error })
            }));
        }
        Ok(errors)
    }
}

impl QuerySource<'_> {
    /// Computes the true answer to each query.
    fn answer(&self, queries: &[Query]) -> Result<Vec<Answer>, Error> {
        let scaled = self.numbers.iter().map(|number| ScaledNumbers::new(number.number.values));
        let scaled: Vec<ScaledNumbers> = scaled.collect::<Result<_, _>>()?;
        let mut totals = vec![QueryTotals::default(); queries.len()];
        let (columns, numbers) = (self.columns, self.numbers);
        let mut column_buffers = vec![Vec::new(); columns.len()];
        let mut number_buffers = vec![Vec::new(); numbers.len()];
        let mut selected = Vec::<bool>::new();
        for records in pace::ranges(0..self.records) {
            let records = records?;
            let codes = fetch(columns.iter().map(|column| column.codes), &records, &mut column_buffers)?;
            let numbers = numbers.iter().map(|number| number.number.codes);
            let number_codes = fetch(numbers, &records, &mut number_buffers)?;
            selected.resize(records.len(), false);
            for (query, totals) in queries.iter().zip(&mut totals) {
                pace::tick(records.len())?;
                query.select(&codes, &mut selected);
                totals.rows += self.count_selected_rows(records.clone(), &selected);
                let Some(index) = query.number_index else { continue };
                for ((record, &selected), &code) in records.clone().zip(&selected).zip(number_codes[index]) {
                    if selected {
                        totals.number.add(record_rows(self.weights, record), scaled[index].value(code));
                    }
                }
            }
        }
        let answer = |(query, totals): (&Query, QueryTotals)| {
            totals.answer(query.number_index.map_or(1.0, |index| scaled[index].scale))
        };
        Ok(queries.iter().zip(totals).map(answer).collect())
    }

    /// Counts the rows of the selected among some records.
    fn count_selected_rows(&self, records: Range<usize>, selected: &[bool]) -> u64 {
        match self.weights {
            None => selected.iter().map(|&selected| u64::from(selected)).sum(),
            Some(weights) => (records.zip(selected))
                .map(|(record, &selected)| u64::from(selected) * u64::from(weights.get(record)))
                .sum(),
        }
    }
}

/// Fetches the codes of some records in several columns.
fn fetch<'b>(
    columns: impl Iterator<Item = &'b Store>,
    records: &Range<usize>,
    buffers: &'b mut [Vec<Code>],
) -> Result<Vec<&'b [Code]>, Error> {
    columns.zip(buffers).map(|(codes, buffer)| codes.fetch(records.clone(), buffer)).collect()
}

/// A reader of a release, who estimates the answers to queries.
struct Estimator<'a> {
    columns: &'a [ColumnPieces<'a>],
    /// Rows of each class.
    rows: Vec<u64>,
    /// Number of each class's released value, by column.
    released_numbers: Vec<Vec<u32>>,
    /// Sums over each class, by number.
    sums: Vec<ClassSums>,
    /// Rows of each class that the current query is expected to select.
    selected_rows: Vec<f64>,
}

impl Estimator<'_> {
    fn answer(&mut self, query: &Query) -> Result<Answer, Error> {
        self.estimate_selected_rows(query)?;
        let selected_rows = self.selected_rows.iter();
        let answer = Answer { rows: sum(selected_rows.clone().copied())?, ..Answer::default() };
        let Some(index) = query.number_index else { return Ok(answer) };
        let ClassSums { sums, scale } = &self.sums[index];
        // Each number of a class is selected with the same probability.
        let shares = || selected_rows.clone().zip(&self.rows).map(|(selected, &rows)| selected / rows as f64);
        let numbers = sum(shares().zip(sums).map(|(share, class)| share * class.numbers as f64))?;
        let sum = sum(shares().zip(sums).map(|(share, class)| share * class.sum.total()))? * scale;
        Ok(Answer { numbers, sum, ..answer })
    }

    fn estimate_selected_rows(&mut self, query: &Query) -> Result<(), Error> {
        self.selected_rows.clear();
        pace::each(&self.rows, |&rows| self.selected_rows.push(rows as f64))?;
        for predicate in &query.predicates {
            let pieces = self.columns[predicate.column].pieces.iter();
            let shares = pace::collect(pieces.map(|pieces| predicate.selected_share(pieces)))?;
            let shares = shares.into_iter().collect::<Result<Vec<f64>, Error>>()?;
            let numbers = &self.released_numbers[predicate.column];
            pace::each(self.selected_rows.iter_mut().zip(numbers), |(selected, &number)| {
                *selected *= shares[number as usize];
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::axis::AxisPart;
    use super::*;

    /// 1,000 rows: the integers 0 to 99, ten times each, and a leaf for each half of them.
    fn table() -> (Store, Store, Axis, Axis) {
        let number = Store::from_iter((0..1000).map(|row| row / 10));
        let half = Store::from_iter((0..1000).map(|row| row / 500));
        let leaves = Axis { positions: vec![0.0, 1.0], unit: 1.0 };
        (number, half, Axis { positions: (0..100).map(f64::from).collect(), unit: 1.0 }, leaves)
    }

    fn asked<'a>(columns: &'a [SourceColumn<'a>], numbers: &'a [SourceNumber<'a>]) -> QuerySource<'a> {
        QuerySource { columns, numbers, records: columns[0].codes.len(), weights: None }
    }

    fn column<'a>(codes: &'a Store, axis: &'a Axis) -> SourceColumn<'a> {
        SourceColumn { codes, axis }
    }

    fn number<'a>(
        codes: &'a Store,
        values: &'a [Option<f64>],
        column_index: Option<usize>,
    ) -> SourceNumber<'a> {
        SourceNumber { number: Number { codes, values }, column_index }
    }

    /// Computes errors for columns given by codes, numbers of released values and their pieces.
    fn errors(
        workload: &Workload,
        columns: &[(&Store, &[u32], &[ReleasedPieces])],
        numbers: &[Number],
    ) -> Vec<QueryError> {
        let released = columns.iter().map(|&(codes, number_of_code, pieces)| {
            let released = Released { codes, number_of_code, number_count: pieces.len() };
            ColumnPieces { released, pieces: pieces.to_vec() }
        });
        let released: Vec<ColumnPieces> = released.collect();
        let by: Vec<Released> = released.iter().map(|column| column.released).collect();
        let classes = RecordClasses::build(&by, columns[0].0.len()).unwrap();
        workload.errors(&classes, &released, numbers, None).unwrap()
    }

    fn even(spans: &[(f64, f64)]) -> ReleasedPieces {
        spans.iter().map(|&(from, to)| Piece::even(from, to)).collect()
    }

    #[test]
    fn queries_are_a_tenth_of_each_domain() {
        let (number, half, numbers, leaves) = table();
        let columns = [column(&number, &numbers), column(&half, &leaves)];
        let Workload { queries, truths } = Workload::draw(&asked(&columns, &[]), 60, 1).unwrap();
        assert!(queries.len() > 50, "{}", queries.len());
        for (Query { predicates, number_index }, truth) in queries.iter().zip(&truths) {
            assert!(truth.rows >= 5.0 && number_index.is_none());
            for Predicate { column, parts } in predicates {
                let [AxisPart { from, to, codes }] = &parts[..] else { panic!("{parts:?}") };
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
        let columns = [column(&number, &axis), column(&half, &leaves)];
        let values: Vec<Option<f64>> = (0..100).map(|value| Some(f64::from(value))).collect();
        let numbers = [self::number(&number, &values, Some(0)), self::number(&half, &values, None)];
        let counts = Workload::draw(&asked(&columns, &[]), 60, 1).unwrap();
        let drawn = Workload::draw(&asked(&columns, &numbers), 60, 1).unwrap();
        let rows = |workload: &Workload| workload.truths.iter().map(|truth| truth.rows).collect::<Vec<f64>>();
        assert_eq!(rows(&counts), rows(&drawn));
        let mut seen = [0, 0];
        for Query { predicates, number_index: of } in &drawn.queries {
            let of = of.expect("a number");
            seen[of] += 1;
            assert!(of == 1 || predicates.iter().all(|predicate| predicate.column != 0));
        }
        assert!(seen[0] > 0 && seen[1] > seen[0], "{seen:?}");
    }

    #[test]
    fn errors_of_what_is_spread_evenly() {
        let (number, half, numbers, leaves) = table();
        let columns = [column(&number, &numbers), column(&half, &leaves)];
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
        for ((query, truth), off) in workload.queries.iter().zip(&workload.truths).zip(off) {
            // Over both columns, a reader spreads 500 rows over 100 numbers, instead of 50.
            let right = if both(query) { truth.rows == 50.0 } else { true };
            assert_eq!(off.error < 1e-9, right, "{query:?} {off:?}");
        }
    }

    /// Four rows: the values 1, 2, 3, 9 in two groups, [0,5) and [5,10), with the numbers 10, 20, none and 40.
    #[test]
    fn sums_and_means_by_hand() {
        let (codes, axis) = (Store::from_iter([0, 1, 2, 3]), [1.0, 2.0, 3.0, 9.0].to_vec());
        let axis = Axis { positions: axis, unit: 1.0 };
        let columns = [column(&codes, &axis)];
        let numbers = [Some(10.0), Some(20.0), None, Some(40.0)];
        let numbers = [number(&codes, &numbers, None)];
        let asked = asked(&columns, &numbers);
        let predicates = [
            axis.range(0, 1.0, 3.0),
            axis.values(0, vec![9.0, 1.0, 9.0]),
            axis.range(0, 4.0, 9.0),
            axis.range(0, 3.0, 4.0),
        ];
        let queries =
            predicates.map(|predicate| Query { predicates: vec![predicate], number_index: Some(0) });
        let workload = Workload::from_queries(&asked, queries.to_vec()).unwrap();
        let answer = |rows, numbers, sum| Answer { rows, numbers, sum };
        assert_eq!(
            workload.truths,
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
        let columns = [column(&codes, &axis)];
        let numbers = [number(&codes, &values, None)];
        let asked = QuerySource { weights: Some(&weights), ..asked(&columns, &numbers) };
        let workload = Workload::draw(&asked, 30, 7).unwrap();
        assert!(!workload.is_empty());
        for (query, truth) in workload.queries.iter().zip(&workload.truths) {
            let code = query.predicates[0].parts[0].codes.start as usize;
            assert_eq!(truth.rows, [1.0, 4.0, 5.0][code]);
            assert_eq!((truth.numbers, truth.sum), [(1.0, 7.0), (4.0, 32.0), (0.0, 0.0)][code]);
        }
    }

    #[test]
    fn nothing_to_ask() {
        let codes = Store::from_iter([0, 0]);
        let axis = Axis { positions: vec![3.0], unit: 0.0 };
        let workload = Workload::draw(&asked(&[column(&codes, &axis)], &[]), 30, 7).unwrap();
        assert!(workload.is_empty());
    }
}
