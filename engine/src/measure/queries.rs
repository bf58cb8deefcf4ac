//! How far off the counts are that a reader gets from a release: by random range queries (Xiao, Tao, Anatomy, VLDB
//! 2006, section 6.1).
//!
//! A query counts the rows that lie within a range on each of one to three columns. The source tells the true count. A
//! reader knows what groups show, and takes the rows of a group as spread evenly over that. The error is the
//! difference of both counts by the true one.

use super::information::{each_class, weight, Released};
use crate::progress::room;
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use std::ops::Range;

/// Where the values of a column lie, so that a query can ask for a range of them.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Of each code, ascending: the number, or the place of a leaf. NULL is no code of these.
    pub positions: Vec<f64>,
    /// How much of the axis a value takes: 1 for whole numbers, days and leaves, nothing for others.
    pub unit: f64,
}

/// What a released value stands for: spans of the axis; none for NULL.
pub type Shown = Vec<(f64, f64)>;

/// The range of each query on a column, as a share of the column's domain.
const WIDTH: f64 = 0.1;

/// Queries of fewer rows are not asked, as a share of all rows.
const FEWEST: f64 = 0.005;

/// Most columns of a query.
const COLUMNS: usize = 3;

/// A query is drawn again so often at most.
const DRAWS: usize = 50;

/// How many records are looked at before a query is counted over all.
const SAMPLE: usize = 2000;

/// A range on a column.
#[derive(Debug, Clone)]
struct Predicate {
    column: usize,
    from: f64,
    to: f64,
    codes: Range<Code>,
}

/// A query, and how many rows it counts in the source.
#[derive(Debug, Clone)]
struct Query {
    predicates: Vec<Predicate>,
    rows: u64,
}

/// Random queries over a source.
#[derive(Debug, Clone)]
pub struct Workload {
    queries: Vec<Query>,
}

impl Axis {
    /// Where it begins and ends.
    fn ends(&self) -> Option<(f64, f64)> {
        let (&first, &last) = (self.positions.first()?, self.positions.last()?);
        Some((first, last + self.unit))
    }

    /// A tenth of the axis around a position.
    fn around(&self, column: usize, position: f64, random: &mut Random) -> Option<Predicate> {
        let (least, end) = self.ends()?;
        let mut width = WIDTH * (end - least);
        let mut before = random.share() * width;
        if self.unit > 0.0 {
            width = width.round().max(self.unit);
            before = (random.share() * width).floor();
        }
        let from = (position - before).min(end - width).max(least);
        let to = from + width;
        let rank = |end: f64| self.positions.partition_point(|&at| at < end) as Code;
        Some(Predicate { column, from, to, codes: rank(from)..rank(to) })
    }
}

impl Predicate {
    /// The share of what is shown that lies in the range.
    fn share(&self, shown: &Shown) -> f64 {
        let (mut within, mut all) = (0.0, 0.0);
        for &(from, to) in shown {
            all += to - from;
            within += (to.min(self.to) - from.max(self.from)).max(0.0);
        }
        if all > 0.0 {
            within / all
        } else {
            let is_within = |&(at, _): &(f64, f64)| self.from <= at && at < self.to;
            f64::from(u8::from(shown.iter().any(is_within)))
        }
    }
}

impl Workload {
    /// Draws up to so many queries over columns, a third each over one, two and three. A query is drawn around the
    /// values of a random record. Where no column has two values there is none.
    pub fn draw(
        columns: &[(&Store, &Axis)],
        records: usize,
        weights: Option<&Codes>,
        asked: usize,
        seed: u64,
    ) -> Result<Workload, Error> {
        let mut random = Random(seed);
        let has_width = |&column: &usize| columns[column].1.ends().is_some_and(|(from, to)| from < to);
        let places: Vec<usize> = (0..columns.len()).filter(has_width).collect();
        let sample: Vec<usize> =
            (0..SAMPLE.min(records)).map(|at| at * records / SAMPLE.min(records)).collect();
        let codes: Vec<Codes> =
            columns.iter().map(|(codes, _)| codes.pick(sample.iter().copied())).collect::<Result<_, _>>()?;
        let of_sample = |query: &[Predicate]| {
            let is_within = |&at: &usize| query.iter().all(|p| p.codes.contains(&codes[p.column].get(at)));
            (0..sample.len()).filter(is_within).count()
        };
        // A little below, because it is a sample.
        let enough = 0.8 * FEWEST * sample.len() as f64;
        let most = COLUMNS.min(places.len());
        let mut queries = Vec::new();
        for size in 1..=most {
            let (mut draws, wanted) = (0, asked * size / most);
            while queries.len() < wanted && draws < DRAWS * asked / most {
                draws += 1;
                pace::tick(sample.len())?;
                let record = random.below(sample.len());
                let mut left = places.clone();
                let mut predicates = Vec::with_capacity(size);
                for _ in 0..size {
                    let column = left.swap_remove(random.below(left.len()));
                    let axis = columns[column].1;
                    let position = axis.positions.get(codes[column].get(record) as usize);
                    predicates.extend(position.and_then(|&at| axis.around(column, at, &mut random)));
                }
                if predicates.len() == size && of_sample(&predicates) as f64 >= enough {
                    queries.push(Query { predicates, rows: 0 });
                }
            }
        }
        let mut workload = Workload { queries };
        let all = workload.count(columns, records, weights)?;
        workload.queries.retain(|query| query.rows as f64 >= (FEWEST * all as f64).max(1.0));
        Ok(workload)
    }

    /// Counts the rows of each query in the source; how many there are in all.
    fn count(
        &mut self,
        columns: &[(&Store, &Axis)],
        records: usize,
        weights: Option<&Codes>,
    ) -> Result<u64, Error> {
        let mut buffers = vec![Vec::new(); columns.len()];
        let (mut within, mut all) = (Vec::<bool>::new(), 0);
        for run in pace::ranges(0..records) {
            let run = run?;
            let codes: Vec<&[Code]> = (columns.iter().zip(&mut buffers))
                .map(|((codes, _), buffer)| codes.fetch(run.clone(), buffer))
                .collect::<Result<_, _>>()?;
            all += run.clone().map(|record| weight(weights, record)).sum::<u64>();
            for Query { predicates, rows } in &mut self.queries {
                pace::tick(run.len())?;
                within.clear();
                within.resize(run.len(), true);
                for Predicate { column, codes: range, .. } in &*predicates {
                    let (first, count) = (range.start, range.end - range.start);
                    for (within, code) in within.iter_mut().zip(codes[*column]) {
                        *within &= code.wrapping_sub(first) < count;
                    }
                }
                *rows += match weights {
                    None => within.iter().map(|&within| u64::from(within)).sum::<u64>(),
                    Some(weights) => (run.clone().zip(&within))
                        .map(|(record, &within)| u64::from(within) * u64::from(weights.get(record)))
                        .sum(),
                };
            }
        }
        Ok(all)
    }

    /// The error of each query's count over a release, of whose columns it is told what each number shows.
    pub fn errors(
        &self,
        columns: &[(Released, Vec<Shown>)],
        records: usize,
        weights: Option<&Codes>,
    ) -> Result<Vec<f64>, Error> {
        let released: Vec<Released> = columns.iter().map(|(released, _)| *released).collect();
        let Groups { rows, numbers } = Groups::of(&released, records, weights)?;
        let mut estimates = Vec::new();
        let mut errors = Vec::with_capacity(self.queries.len());
        for query in &self.queries {
            estimates.clear();
            pace::each(&rows, |&rows| estimates.push(rows as f64))?;
            for predicate in &query.predicates {
                let shares =
                    pace::collect(columns[predicate.column].1.iter().map(|shown| predicate.share(shown)))?;
                let numbers = &numbers[predicate.column];
                pace::each(estimates.iter_mut().zip(numbers), |(estimate, &number)| {
                    *estimate *= shares[number as usize];
                })?;
            }
            let estimate: f64 = estimates.iter().sum();
            errors.push((estimate - query.rows as f64).abs() / query.rows as f64);
        }
        Ok(errors)
    }
}

/// The groups of rows that are released alike.
struct Groups {
    rows: Vec<u64>,
    /// For each column what each group is released as, by number.
    numbers: Vec<Vec<u32>>,
}

impl Groups {
    fn of(columns: &[Released], records: usize, weights: Option<&Codes>) -> Result<Groups, Error> {
        let mut places: HashMap<u64, usize> = HashMap::new();
        let (mut rows, mut first): (Vec<u64>, Vec<usize>) = (Vec::new(), Vec::new());
        each_class(columns, records, |run, classes| {
            for (record, &class) in run.zip(classes) {
                let place = *places.entry(class).or_insert(rows.len());
                if place == rows.len() {
                    rows.push(0);
                    first.push(record);
                }
                rows[place] += weight(weights, record);
            }
            Ok(())
        })?;
        room::<u32>(rows.len() * columns.len())?;
        let number = |column: &Released| {
            let codes = column.codes.pick(first.iter().copied())?;
            pace::collect((0..first.len()).map(|at| column.as_number[codes.get(at) as usize]))
        };
        let numbers = columns.iter().map(number).collect::<Result<_, _>>()?;
        Ok(Groups { rows, numbers })
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

    /// From 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.share() * count as f64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 rows over the whole numbers 0 to 99, ten each, and over two leaves by halves of these.
    fn table() -> (Store, Store, Axis, Axis) {
        let number = Store::from_iter((0..1000).map(|row| row / 10));
        let half = Store::from_iter((0..1000).map(|row| row / 500));
        let leaves = Axis { positions: vec![0.0, 1.0], unit: 1.0 };
        (number, half, Axis { positions: (0..100).map(f64::from).collect(), unit: 1.0 }, leaves)
    }

    #[test]
    fn queries_are_a_tenth_of_each_domain() {
        let (number, half, numbers, leaves) = table();
        let columns = [(&number, &numbers), (&half, &leaves)];
        let Workload { queries } = Workload::draw(&columns, 1000, None, 60, 1).unwrap();
        assert!(queries.len() > 50, "{}", queries.len());
        for Query { predicates, rows } in &queries {
            assert!(*rows >= 5);
            for Predicate { column, from, to, codes } in predicates {
                assert_eq!(to - from, [10.0, 1.0][*column]);
                assert_eq!(f64::from(codes.start)..f64::from(codes.end), *from..*to);
            }
            if let [Predicate { column: 0, .. }] = predicates[..] {
                assert_eq!(*rows, 100);
            }
        }
        assert!(queries.iter().any(|query| query.predicates.len() == 2));
    }

    #[test]
    fn errors_of_what_is_spread_evenly() {
        let (number, half, numbers, leaves) = table();
        let columns = [(&number, &numbers), (&half, &leaves)];
        let workload = Workload::draw(&columns, 1000, None, 60, 1).unwrap();
        let as_is: Vec<u32> = (0..100).collect();
        let one = vec![0; 100];
        let spans: Vec<Shown> = (0..100).map(|at| vec![(f64::from(at), f64::from(at + 1))]).collect();
        let exact = |codes, as_number: &'static [u32], shown: Vec<Shown>| {
            (Released { codes, as_number, numbers: shown.len() }, shown)
        };
        let halves = || exact(&half, &[0, 1], vec![vec![(0.0, 1.0)], vec![(1.0, 2.0)]]);
        let (as_is, one): (&'static [u32], &'static [u32]) = (as_is.leak(), one.leak());
        // Everything is shown.
        let errors = workload.errors(&[exact(&number, as_is, spans), halves()], 1000, None).unwrap();
        assert!(errors.iter().all(|&error| error < 1e-9), "{errors:?}");
        // Of numbers nothing but the half: still evenly spread, as they are.
        let whole = vec![vec![(0.0, 100.0)]];
        let errors = workload.errors(&[exact(&number, one, whole.clone()), halves()], 1000, None).unwrap();
        let both = |query: &Query| query.predicates.len() == 2;
        for (query, error) in workload.queries.iter().zip(errors) {
            // By both columns a reader spreads 500 rows over 100 numbers, not over 50.
            let right = if both(query) { query.rows == 50 } else { true };
            assert_eq!(error < 1e-9, right, "{query:?} {error}");
        }
    }

    #[test]
    fn shares_of_what_is_shown() {
        let predicate = Predicate { column: 0, from: 2.0, to: 4.0, codes: 0..0 };
        let of = |spans: &[(f64, f64)]| predicate.share(&spans.to_vec());
        assert_eq!(of(&[(0.0, 8.0)]), 0.25);
        assert_eq!(of(&[(3.0, 4.0)]), 1.0);
        assert_eq!(of(&[(4.0, 5.0)]), 0.0);
        // What is left of a suppressed column: all but 2.
        assert_eq!(of(&[(0.0, 2.0), (3.0, 5.0)]), 0.25);
        assert_eq!((of(&[]), of(&[(2.0, 2.0)]), of(&[(4.0, 4.0)])), (0.0, 1.0, 0.0));
    }

    #[test]
    fn rows_stand_for_their_weights() {
        let codes = Store::from_iter([0, 1, 2]);
        let axis = Axis { positions: vec![0.0, 5.0, 10.0], unit: 0.0 };
        let weights = Codes::from_iter([1, 4, 5]);
        let workload = Workload::draw(&[(&codes, &axis)], 3, Some(&weights), 30, 7).unwrap();
        assert!(!workload.queries.is_empty());
        for Query { predicates, rows } in &workload.queries {
            assert_eq!(*rows, [1, 4, 5][predicates[0].codes.start as usize]);
        }
    }

    #[test]
    fn nothing_to_ask() {
        let codes = Store::from_iter([0, 0]);
        let axis = Axis { positions: vec![3.0], unit: 0.0 };
        let workload = Workload::draw(&[(&codes, &axis)], 2, None, 30, 7).unwrap();
        assert!(workload.queries.is_empty());
    }
}
