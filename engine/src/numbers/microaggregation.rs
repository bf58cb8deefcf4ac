//! Microaggregation: divides the records of each equivalence class into runs of at least m rows. A release shows the
//! mean of a run in place of its values (Defays, Nanopoulos 1993; for several columns Domingo-Ferrer, Mateo-Sanz 2002).
//! Rows stay in their class, so the sums of a class do not change.
//!
//! All columns share the runs: separate runs of each column would single rows out in combination. Optimal runs are
//! NP-hard for several columns, and the usual heuristics (MDAV) compare all records of a class with each other. Here a
//! class is halved instead: on the column that varies most, at the multiple of m rows next to the middle, until no half
//! would have m rows. For one column without equal values the runs are the sorted values, m at a time; the last run
//! also has the remainder. Records with equal values form a unit that is never divided. So the result depends neither
//! on the order of the records nor on weights in place of repeated records.
//!
//! A value that is not a number has no mean. Rows with the same values of this kind form runs of their own if a
//! class has m of them. All others form one mixed run of the class, and rows from the middle join it until it has m
//! rows. If a run holds numbers and other values in one column, it has no mean there. (If rows with the greatest values
//! joined, sums and averages would be far too small.)

use crate::buckets::Buckets;
use crate::measure::{each_record, record_rows, RecordClasses};
use crate::progress::filled;
use crate::table::{Codes, Store, NONE};
use crate::{pace, Code, Error};
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::ops::Range;

/// A column to be microaggregated.
#[derive(Debug, Clone, Copy)]
pub struct RankedColumn<'a> {
    /// Code of each record; [`NONE`] for no number.
    pub codes: &'a Store,
    /// Rank of each code. Numbers rank in their order, equal ones alike, and all other values after them.
    pub ranks: &'a [u32],
    /// Position of each number on the line, by its rank.
    pub positions: &'a [f64],
}

impl RankedColumn<'_> {
    fn rank(&self, code: Code) -> u32 {
        self.ranks.get(code as usize).copied().unwrap_or(NONE)
    }

    fn is_number(&self, rank: u32) -> bool {
        (rank as usize) < self.positions.len()
    }
}

/// Divides the records of each class into runs of at least `m` rows. A class of fewer rows is one run. `weights` is the
/// number of rows per record; None for one each.
pub fn microaggregate(
    classes: &RecordClasses,
    columns: &[RankedColumn],
    weights: Option<&Codes>,
    m: u64,
) -> Result<RecordClasses, Error> {
    let records = classes.of_records.len();
    let Buckets { items: order, starts } = classes.sort_records()?;
    let ranks = RecordRanks::new(columns, weights, records)?;
    let run_of_records = filled(0, records)?;
    let mut partitioner = Partitioner { ranks, weights, order, m, run_of_records, runs: 0 };
    for class in starts.windows(2) {
        partitioner.divide(class[0] as usize..class[1] as usize)?;
    }
    Ok(RecordClasses { of_records: Codes::from(partitioner.run_of_records).into(), count: partitioner.runs })
}

/// Ranks of all records.
struct RecordRanks<'a> {
    columns: &'a [RankedColumn<'a>],
    /// The ranks of the first record by column, then those of the next one.
    ranks: Vec<u32>,
    /// Variance of each column over all rows.
    variances: Vec<f64>,
}

impl<'a> RecordRanks<'a> {
    fn new(
        columns: &'a [RankedColumn],
        weights: Option<&Codes>,
        records: usize,
    ) -> Result<RecordRanks<'a>, Error> {
        let (mut ranks, mut variances) = (filled(0, records * columns.len())?, Vec::new());
        for (c, column) in columns.iter().enumerate() {
            let mut rows_of_ranks = filled(0u64, column.positions.len())?;
            each_record([column.codes], |record, [code]| {
                let rank = column.rank(code);
                ranks[record * columns.len() + c] = rank;
                if let Some(rows) = rows_of_ranks.get_mut(rank as usize) {
                    *rows += record_rows(weights, record);
                }
            })?;
            let positions = || column.positions.iter().copied().zip(rows_of_ranks.iter().copied());
            variances.push(variance(positions)?);
        }
        Ok(RecordRanks { columns, ranks, variances })
    }

    fn ranks(&self, record: u32) -> &[u32] {
        let columns = self.columns.len();
        &self.ranks[record as usize * columns..][..columns]
    }
}

/// Returns the variance of positions, each with its number of rows. (If it is not finite, returns the greatest float.)
fn variance<I: Iterator<Item = (f64, u64)>>(positions: impl Fn() -> I) -> Result<f64, Error> {
    let (mut rows, mut sum) = (0.0, 0.0);
    pace::each(positions(), |(position, n)| (rows, sum) = (rows + n as f64, sum + position * n as f64))?;
    let (mean, mut squares) = (sum / f64::max(rows, 1.0), 0.0);
    pace::each(positions(), |(position, n)| squares += (position - mean).powi(2) * n as f64)?;
    let variance = squares / f64::max(rows, 1.0);
    Ok(if variance.is_finite() { variance } else { f64::MAX })
}

/// Records of a class with equal values, which are contiguous in the order.
#[derive(Debug, Clone, Copy)]
struct Unit {
    from: usize,
    to: usize,
    rows: u64,
}

fn rows(units: &[Unit]) -> u64 {
    units.iter().map(|unit| unit.rows).sum()
}

/// Finds contiguous units with at least `min_rows` rows and as few more as possible. Ties go to the nearest to the
/// middle of all rows.
fn middle_units(units: &[Unit], min_rows: u64) -> Range<usize> {
    let all = rows(units);
    // The shortest window that ends with each unit, its rows and the rows before it.
    let (mut from, mut before, mut held) = (0, 0, 0);
    let mut best: Option<([u64; 2], Range<usize>)> = None;
    for (at, unit) in units.iter().enumerate() {
        held += unit.rows;
        while held - units[from].rows >= min_rows {
            (before, held) = (before + units[from].rows, held - units[from].rows);
            from += 1;
        }
        // Twice the distance of the window's middle from that of all rows.
        let distance = (2 * before + held).abs_diff(all);
        if held >= min_rows && best.as_ref().is_none_or(|(other, _)| [held, distance] < *other) {
            best = Some(([held, distance], from..at + 1));
        }
    }
    best.map_or(0..units.len(), |(_, window)| window)
}

struct Partitioner<'a> {
    ranks: RecordRanks<'a>,
    weights: Option<&'a Codes>,
    /// Records, sorted by class; those of a divided class also by their ranks.
    order: Vec<u32>,
    m: u64,
    run_of_records: Vec<u32>,
    runs: usize,
}

/// Units of a class by their values that are not numbers.
struct Strata {
    /// Units with the same such values. Each stratum has at least m rows.
    large: Vec<Vec<Unit>>,
    /// All others.
    mixed: Vec<Unit>,
}

impl Partitioner<'_> {
    fn unit_ranks(&self, unit: &Unit) -> &[u32] {
        self.ranks.ranks(self.order[unit.from])
    }

    /// Divides a class, given by its places in the order.
    fn divide(&mut self, class: Range<usize>) -> Result<(), Error> {
        let mut units = self.find_units(class)?;
        let has_numbers = |unit: &Unit| {
            self.unit_ranks(unit).iter().zip(self.ranks.columns).all(|(&rank, column)| column.is_number(rank))
        };
        if units.is_empty() {
            return Ok(());
        }
        if units.iter().all(has_numbers) {
            return self.halve(&mut units);
        }
        let Strata { mut large, mixed } = self.stratify(units);
        if !mixed.is_empty() {
            self.add_run(&mixed)?;
        }
        large.iter_mut().try_for_each(|units| self.halve(units))
    }

    /// Sorts the records of a class by their ranks, and returns the units.
    fn find_units(&mut self, class: Range<usize>) -> Result<Vec<Unit>, Error> {
        let Partitioner { ranks, order, weights, .. } = self;
        pace::sort_by(&mut order[class.clone()], |&a, &b| ranks.ranks(a).cmp(ranks.ranks(b)))?;
        let mut units: Vec<Unit> = Vec::new();
        for at in class {
            pace::tick(1)?;
            let rows = record_rows(*weights, order[at] as usize);
            match units.last_mut() {
                Some(unit) if ranks.ranks(order[unit.from]) == ranks.ranks(order[at]) => {
                    (unit.to, unit.rows) = (at + 1, unit.rows + rows);
                }
                _ => units.push(Unit { from: at, to: at + 1, rows }),
            }
        }
        Ok(units)
    }

    /// Divides units into strata. If the mixed ones have fewer than m rows, units from the largest stratum join them.
    fn stratify(&self, units: Vec<Unit>) -> Strata {
        let mut strata: BTreeMap<Vec<u32>, Vec<Unit>> = BTreeMap::new();
        for unit in units {
            let ranks = self.unit_ranks(&unit).iter().zip(self.ranks.columns);
            let non_numbers = ranks.map(|(&rank, column)| if column.is_number(rank) { 0 } else { rank });
            strata.entry(non_numbers.collect()).or_default().push(unit);
        }
        let (mut large, small): (Vec<_>, Vec<_>) =
            strata.into_values().partition(|units| rows(units) >= self.m);
        let mut mixed: Vec<Unit> = small.concat();
        let missing_rows = if mixed.is_empty() { 0 } else { self.m.saturating_sub(rows(&mixed)) };
        let largest = large.iter_mut().min_by_key(|units| Reverse(rows(units)));
        if let Some(units) = largest.filter(|_| missing_rows > 0) {
            mixed.extend(units.drain(middle_units(units, missing_rows)));
            // A stratum with fewer than m rows left joins as well.
            if rows(units) < self.m {
                mixed.append(units);
            }
        }
        large.retain(|units| !units.is_empty());
        Strata { large, mixed }
    }

    /// Halves units until no half would have m rows.
    fn halve(&mut self, units: &mut [Unit]) -> Result<(), Error> {
        let mut open = vec![(0, units.len())];
        while let Some((from, to)) = open.pop() {
            match self.cut(&mut units[from..to])? {
                Some(at) => open.extend([(from + at, to), (from, from + at)]),
                None => self.add_run(&units[from..to])?,
            }
        }
        Ok(())
    }

    /// Cuts units on the column that varies most among those with a valid cut. Returns the first unit of the right
    /// part.
    fn cut(&self, units: &mut [Unit]) -> Result<Option<usize>, Error> {
        let all = rows(units);
        if units.len() < 2 || all < 2 * self.m {
            return Ok(None);
        }
        // The multiple of m rows next below the middle.
        let middle = all / self.m / 2 * self.m;
        for c in self.widest_first(units)? {
            let by_column = |a: &Unit, b: &Unit| {
                let (a, b) = (self.unit_ranks(a), self.unit_ranks(b));
                a[c].cmp(&b[c]).then_with(|| a.cmp(b))
            };
            let mut before = 0;
            let at = pace::select_prefix(units, by_column, |units| {
                let more = rows(units);
                let is_before = before + more <= middle;
                before += if is_before { more } else { 0 };
                is_before
            })?;
            // The cut may be before or behind the unit that crosses the middle.
            let behind = before + units[at].rows;
            let cuts = [(before, at), (behind, at + 1)];
            let cuts = cuts.into_iter().filter(|&(rows, _)| rows >= self.m && all - rows >= self.m);
            if let Some((_, at)) = cuts.min_by_key(|&(rows, at)| (rows.abs_diff(middle), at)) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Returns the columns with numbers, by falling ratio of the units' variance to the variance of all rows.
    fn widest_first(&self, units: &[Unit]) -> Result<Vec<usize>, Error> {
        let first = self.unit_ranks(&units[0]);
        let columns = self.ranks.columns.iter().enumerate().filter(|(c, column)| column.is_number(first[*c]));
        let mut columns: Vec<(f64, usize)> = columns.map(|(c, _)| (0.0, c)).collect();
        if columns.len() > 1 {
            for (share, c) in &mut columns {
                let positions = &self.ranks.columns[*c].positions;
                let vary = variance(|| {
                    units.iter().map(|unit| (positions[self.unit_ranks(unit)[*c] as usize], unit.rows))
                })?;
                *share = if vary > 0.0 { vary / self.ranks.variances[*c] } else { 0.0 };
            }
            columns.sort_by(|(a, _), (b, _)| b.partial_cmp(a).unwrap_or(Ordering::Equal));
        }
        Ok(columns.into_iter().map(|(_, c)| c).collect())
    }

    fn add_run(&mut self, units: &[Unit]) -> Result<(), Error> {
        for unit in units {
            pace::tick(1)?;
            for &record in &self.order[unit.from..unit.to] {
                self.run_of_records[record as usize] = self.runs as u32;
            }
        }
        self.runs += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the records of each run. The values are numbers below 100, and their own codes; None is not a number.
    fn record_runs(
        classes: &[Code],
        columns: &[&[Option<Code>]],
        weights: Option<&Codes>,
        m: u64,
    ) -> Vec<Vec<usize>> {
        let ranks: Vec<u32> = (0..100).collect();
        let positions: Vec<f64> = (0..100).map(f64::from).collect();
        let codes = columns.iter().map(|values| values.iter().map(|value| value.unwrap_or(NONE)).collect());
        let codes: Vec<Store> = codes.collect();
        let columns = codes.iter().map(|codes| RankedColumn { codes, ranks: &ranks, positions: &positions });
        let count = classes.iter().max().map_or(0, |&most| most as usize + 1);
        let classes = RecordClasses { of_records: Store::from_iter(classes.iter().copied()), count };
        let made = microaggregate(&classes, &columns.collect::<Vec<_>>(), weights, m).unwrap();
        let mut runs = vec![Vec::new(); made.count];
        let of_records = made.of_records.load().unwrap();
        (0..of_records.len()).for_each(|record| runs[of_records.get(record) as usize].push(record));
        runs.sort();
        runs
    }

    fn numbers(numbers: &[Code]) -> Vec<Option<Code>> {
        numbers.iter().copied().map(Some).collect()
    }

    #[test]
    fn one_column_is_cut_in_value_order() {
        let values = numbers(&[50, 10, 30, 20, 40, 70, 60]);
        assert_eq!(record_runs(&[0; 7], &[&values], None, 3), [vec![0, 4, 5, 6], vec![1, 2, 3]]);
        assert_eq!(record_runs(&[0; 7], &[&values], None, 2), [vec![0, 5, 6], vec![1, 3], vec![2, 4]]);
        assert_eq!(record_runs(&[0; 7], &[&values], None, 4), [vec![0, 1, 2, 3, 4, 5, 6]]);
        // Within classes.
        let two = [vec![0, 4], vec![1, 2, 3], vec![5, 6]];
        assert_eq!(record_runs(&[1, 0, 0, 0, 1, 1, 1], &[&values], None, 2), two);
    }

    #[test]
    fn equal_values_stay_together() {
        let values = numbers(&[0, 0, 0, 0, 0, 7, 8, 9]);
        assert_eq!(record_runs(&[0; 8], &[&values], None, 2), [vec![0, 1, 2, 3, 4], vec![5, 6, 7]]);
        assert_eq!(record_runs(&[0; 8], &[&values], None, 4), [vec![0, 1, 2, 3, 4, 5, 6, 7]]);
    }

    /// A class is halved on one column first, then each half on the other.
    #[test]
    fn two_columns_share_their_runs() {
        let (a, b) = (numbers(&[1, 2, 9, 8, 2, 1, 8, 9]), numbers(&[5, 6, 5, 6, 95, 96, 95, 96]));
        let four = [vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7]];
        assert_eq!(record_runs(&[0; 8], &[&a, &b], None, 2), four);
        assert_eq!(record_runs(&[0; 8], &[&b, &a], None, 2), four);
    }

    #[test]
    fn values_without_numbers() {
        // Two NULLs are enough of them.
        let enough = [None, Some(3), Some(1), Some(2), None, Some(4)];
        assert_eq!(record_runs(&[0; 6], &[&enough], None, 2), [vec![0, 4], vec![1, 5], vec![2, 3]]);
        // A single NULL gets one number from the middle, and as few equal ones as possible.
        let one = [None, Some(3), Some(1), Some(2), Some(4)];
        assert_eq!(record_runs(&[0; 5], &[&one], None, 2), [vec![0, 3], vec![1, 2, 4]]);
        let equal = [None, Some(0), Some(0), Some(0), Some(0), Some(9), Some(7), Some(9)];
        assert_eq!(record_runs(&[0; 8], &[&equal], None, 2), [vec![0, 6], vec![1, 2, 3, 4], vec![5, 7]]);
        // A number that would be left alone joins as well.
        assert_eq!(record_runs(&[0; 3], &[&[None, Some(1), Some(2)]], None, 2), [vec![0, 1, 2]]);
        // Two columns: strata by both.
        let (a, b) = ([None, None, Some(1), Some(2), Some(3)], [Some(1), Some(2), None, Some(4), Some(5)]);
        assert_eq!(record_runs(&[0; 5], &[&a, &b], None, 2), [vec![0, 1], vec![2, 3, 4]]);
    }

    proptest! {
        /// Runs have m rows of one class. They are the same in any order of the records, and for records with weights.
        #[test]
        fn runs_have_m_rows(
            rows in prop::collection::vec(
                (0u32..3, prop::option::weighted(0.9, 0..9u32), prop::option::weighted(0.9, 0..50u32)),
                1..60,
            ),
            m in 1u64..7,
        ) {
            let column = |rows: &[(u32, Option<Code>, Option<Code>)]| {
                let (classes, (a, b)): (Vec<u32>, (Vec<_>, Vec<_>)) =
                    rows.iter().map(|&(class, a, b)| (class, (a, b))).unzip();
                (classes, a, b)
            };
            let runs = |rows: &[(u32, Option<Code>, Option<Code>)], weights: Option<&Codes>| {
                let (classes, a, b) = column(rows);
                let of_rows = |run: &Vec<usize>| {
                    let times = |row: usize| weights.map_or(1, |weights| weights.get(row) as usize);
                    let mut run: Vec<_> = run.iter().flat_map(|&row| vec![rows[row]; times(row)]).collect();
                    run.sort();
                    run
                };
                let mut runs: Vec<Vec<_>> = record_runs(&classes, &[&a, &b], weights, m).iter().map(of_rows).collect();
                runs.sort();
                runs
            };
            let found = runs(&rows, None);
            prop_assert_eq!(found.iter().map(Vec::len).sum::<usize>(), rows.len());
            for run in &found {
                let class = run[0].0;
                prop_assert!(run.iter().all(|row| row.0 == class));
                let of_class = rows.iter().filter(|row| row.0 == class).count() as u64;
                prop_assert!(run.len() as u64 >= m.min(of_class));
            }
            let backwards: Vec<_> = rows.iter().rev().copied().collect();
            prop_assert_eq!(&runs(&backwards, None), &found);
            let mut counts: BTreeMap<_, u32> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(*row).or_default() += 1);
            let (records, weights): (Vec<_>, Vec<u32>) = counts.into_iter().unzip();
            prop_assert_eq!(&runs(&records, Some(&Codes::from_iter(weights))), &found);
        }
    }
}
