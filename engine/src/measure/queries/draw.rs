//! Random queries: ranges around the values of a random record.

use super::{Axis, Predicate, Query, QuerySource, Workload};
use crate::measure::classes::count_rows;
use crate::table::Codes;
use crate::{pace, Error};

/// Width of a query's range, as a share of the column's domain.
const RANGE_WIDTH: f64 = 0.1;

/// Smallest result of a drawn query, as a share of all rows.
const MIN_SELECTIVITY: f64 = 0.005;

/// Smallest result in the sample, as a share of it: less than [`MIN_SELECTIVITY`], because the sample is inexact.
const MIN_SAMPLE_SELECTIVITY: f64 = 0.8 * MIN_SELECTIVITY;

/// Largest number of columns of a query.
const MAX_COLUMNS: usize = 3;

/// Largest number of draws for each query wanted.
const MAX_DRAWS: usize = 50;

/// Number of records on which a query is tried before it is counted over all.
const SAMPLE_RECORDS: usize = 2000;

impl Workload {
    /// Draws up to `count` queries, a third each over one, two and three columns. Each is drawn around the values of a
    /// random record. The numbers take turns, but a query never aggregates a number on which it has a condition.
    /// Without records, or if all axes have the length 0, there are no queries.
    pub fn draw(source: &QuerySource, count: usize, seed: u64) -> Result<Workload, Error> {
        if source.records == 0 {
            return Ok(Workload::default());
        }
        let (sample, mut random) = (Sample::new(source)?, Random(seed));
        let has_width =
            |&column: &usize| source.columns[column].axis.ends().is_some_and(|(from, to)| from < to);
        let columns: Vec<usize> = (0..source.columns.len()).filter(has_width).collect();
        let max_columns = MAX_COLUMNS.min(columns.len());
        let mut queries: Vec<Query> = Vec::new();
        for size in 1..=max_columns {
            let (mut draws, wanted) = (0, count * size / max_columns);
            while queries.len() < wanted && draws < MAX_DRAWS * count / max_columns {
                draws += 1;
                pace::tick(sample.records)?;
                let predicates = sample.draw_predicates(source, columns.clone(), size, &mut random);
                if predicates.len() == size && sample.has_many_selected(&predicates) {
                    let number_index = source.choose_number(&predicates, queries.len());
                    queries.push(Query { predicates, number_index });
                }
            }
        }
        let all_rows = count_rows(source.weights, source.records)?;
        let min_rows = (MIN_SELECTIVITY * all_rows as f64).max(1.0);
        let truths = source.answer(&queries)?;
        let large = queries.into_iter().zip(truths).filter(|(_, truth)| truth.rows >= min_rows);
        let (queries, truths) = large.unzip();
        Ok(Workload { queries, truths })
    }
}

impl QuerySource<'_> {
    /// Returns the number that a query sums and averages, by turns, among those without a condition.
    fn choose_number(&self, predicates: &[Predicate], turn: usize) -> Option<usize> {
        let has_condition = |column: usize| predicates.iter().any(|predicate| predicate.column == column);
        let is_free = |&number: &usize| !self.numbers[number].column_index.is_some_and(has_condition);
        let free: Vec<usize> = (0..self.numbers.len()).filter(is_free).collect();
        free.get(turn % free.len().max(1)).copied()
    }
}

/// Records at even distances.
struct Sample {
    records: usize,
    /// Their codes, by column.
    codes: Vec<Codes>,
}

impl Sample {
    fn new(source: &QuerySource) -> Result<Sample, Error> {
        let records = SAMPLE_RECORDS.min(source.records);
        let sampled = || (0..records).map(|at| at * source.records / records);
        let codes = source.columns.iter().map(|column| column.codes.pick(sampled()));
        Ok(Sample { records, codes: codes.collect::<Result<_, _>>()? })
    }

    /// Draws ranges around the values of a random record on `size` of some columns, fewer if it has NULL there.
    fn draw_predicates(
        &self,
        source: &QuerySource,
        mut columns: Vec<usize>,
        size: usize,
        random: &mut Random,
    ) -> Vec<Predicate> {
        let record = random.below(self.records);
        let mut predicates = Vec::with_capacity(size);
        for _ in 0..size {
            let column = columns.swap_remove(random.below(columns.len()));
            let axis = source.columns[column].axis;
            let position = axis.positions.get(self.codes[column].get(record) as usize);
            predicates.extend(position.and_then(|&at| axis.draw_range_around(column, at, random)));
        }
        predicates
    }

    fn has_many_selected(&self, predicates: &[Predicate]) -> bool {
        let is_selected = |&record: &usize| {
            predicates.iter().all(|predicate| predicate.selects(self.codes[predicate.column].get(record)))
        };
        let selected = (0..self.records).filter(is_selected).count();
        selected as f64 >= MIN_SAMPLE_SELECTIVITY * self.records as f64
    }
}

impl Axis {
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
