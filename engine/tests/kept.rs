//! The risk of kept columns. The judge counts it row by row and pair by pair.

use proptest::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use topdown::measure::{AttributeDisclosure, KeptRisk, MaskedColumn, Released, ReleasedTable};
use topdown::progress::{ObserverScope, Progress};
use topdown::table::{Codes, Store, NONE};
use topdown::threads::{ThreadPool, ThreadPoolBuilder};
use topdown::{Code, CodedColumn, Error};

/// A record: its released and original values on the masked columns, its kept values, its number of rows, its person.
#[derive(Debug, Clone)]
struct Row {
    released: Vec<u32>,
    originals: Vec<Code>,
    kept: Vec<Code>,
    rows: u32,
    person: Code,
}

/// Counts the risk row by row and pair by pair, from the definitions.
fn naive(rows: &[Row], shows_less: &[Vec<bool>], k: u64, least: u64, by_persons: bool) -> KeptRisk {
    let (masked, kept) = (rows[0].released.len(), rows[0].kept.len());
    let weight = |rows: &[&Row]| rows.iter().map(|row| u64::from(row.rows)).sum::<u64>();
    let below = |key: &dyn Fn(&Row) -> Vec<Code>| {
        let mut groups: BTreeMap<Vec<Code>, Vec<&Row>> = BTreeMap::new();
        rows.iter().for_each(|row| groups.entry(key(row)).or_default().push(row));
        let size = |group: &Vec<&Row>| match by_persons {
            true => group.iter().map(|row| row.person).collect::<BTreeSet<Code>>().len() as u64,
            false => weight(group),
        };
        groups.values().filter(|group| size(group) < k).map(|group| weight(group)).sum::<u64>()
    };
    let given_away = |attribute: usize, which: &dyn Fn(&Row) -> Vec<Code>| {
        let alike = |one: &Row, other: &Row| {
            let others = (0..masked).filter(|&a| a != attribute);
            which(one) == which(other) && others.into_iter().all(|a| one.released[a] == other.released[a])
        };
        let is_given = |row: &&Row| {
            let mut group = rows.iter().filter(|other| alike(row, other));
            shows_less[attribute][row.released[attribute] as usize]
                && group.all(|other| other.originals[attribute] == row.originals[attribute])
        };
        weight(&rows.iter().filter(is_given).collect::<Vec<&Row>>())
    };
    let chain = |row: &Row, kept: &[Code]| [&row.released, kept].concat();
    KeptRisk {
        rows: weight(&rows.iter().collect::<Vec<&Row>>()),
        at_risk: below(&|row| chain(row, &row.kept)),
        with: (0..kept).map(|c| below(&|row| chain(row, &row.kept[c..=c]))).collect(),
        alone: (0..kept).map(|c| below(&|row| vec![row.kept[c]])).collect(),
        attribute_disclosure: (0..masked)
            .map(|a| {
                let together = given_away(a, &|row| row.kept.clone());
                let without = given_away(a, &|_| vec![]);
                let each = (0..kept).map(|c| (c, given_away(a, &|row| vec![row.kept[c]])));
                // `max_by_key` returns the last of equal ones, so the order is reversed.
                let most = each.rev().max_by_key(|&(_, rows)| rows).unwrap();
                (together >= least && shows_less[a].contains(&true)).then_some(AttributeDisclosure {
                    by_all_kept: together,
                    baseline_rows: without,
                    best_single: most,
                })
            })
            .collect(),
    }
}

thread_local! {
    /// Bytes that are granted at a time, and the number of refusals.
    static GRANTED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Observer that grants the memory of [`GRANTED`].
struct Little;

impl Progress for Little {
    fn poll(&self) -> Result<(), Error> {
        Ok(())
    }
    fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
        |needed| match GRANTED.get() {
            (budget, refused) if needed > budget => {
                GRANTED.set((budget, refused + 1));
                Err(Error::Memory { needed, budget })
            }
            _ => Ok(()),
        }
    }
}

fn count_risk(
    rows: &[Row],
    shows_less: &[Vec<bool>],
    k: u64,
    least: u64,
    by_persons: bool,
) -> Result<KeptRisk, Error> {
    let (masked, kept) = (rows[0].released.len(), rows[0].kept.len());
    let store = |of: &dyn Fn(&Row) -> Code| Store::from_iter(rows.iter().map(of));
    let released: Vec<Store> = (0..masked).map(|a| store(&|row| row.released[a])).collect();
    let originals: Vec<Store> = (0..masked).map(|a| store(&|row| row.originals[a])).collect();
    let codes: Vec<Store> = (0..kept).map(|c| store(&|row| row.kept[c])).collect();
    let (persons, weights) = (store(&|row| row.person), Codes::from_iter(rows.iter().map(|row| row.rows)));
    let same: Vec<u32> = (0..8).collect();
    let column = |a: usize| MaskedColumn {
        released: Released { codes: &released[a], number_of_code: &same, number_count: 8 },
        original: Some(&originals[a]),
        is_generalized: &shows_less[a],
    };
    let table = ReleasedTable {
        records: rows.len(),
        weights: Some(&weights).filter(|_| rows.iter().any(|row| row.rows > 1)),
        persons: by_persons.then_some(&persons),
        masked: (0..masked).map(column).collect(),
        kept: codes.iter().map(|codes| CodedColumn { codes, cardinality: 4 }).collect(),
    };
    topdown::measure::measure_kept_risk(&table, k, least)
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let kept = prop_oneof![4 => 0..4u32, 1 => Just(NONE)];
    (1..4usize, 1..4usize, any::<bool>()).prop_flat_map(move |(masked, columns, counted)| {
        let most = if counted { 4u32 } else { 2 };
        let row = (
            proptest::collection::vec(0..3u32, masked),
            proptest::collection::vec(0..3u32, masked),
            proptest::collection::vec(kept.clone(), columns),
            1..most,
            0..4u32,
        );
        let row = row.prop_map(|(released, originals, kept, rows, person)| Row {
            released,
            originals,
            kept,
            rows,
            person,
        });
        proptest::collection::vec(row, 1..30)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn the_risk_of_kept_columns_is_counted_pair_by_pair(
        rows in rows(), less in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 8), 4),
        k in 1..6u64, least in 0..12u64, by_persons in any::<bool>()
    ) {
        let expected = naive(&rows, &less, k, least, by_persons);
        let told = count_risk(&rows, &less, k, least, by_persons);
        prop_assert_eq!(told.as_ref(), Ok(&expected));
    }
}

struct Threads(Rc<ThreadPool>);

impl Progress for Threads {
    fn poll(&self) -> Result<(), Error> {
        Ok(())
    }
    fn threads(&self) -> Option<Rc<ThreadPool>> {
        Some(self.0.clone())
    }
}

#[test]
fn threads_change_nothing() {
    let row = |i: u32| Row {
        released: vec![i % 2, i % 3 / 2],
        originals: vec![i % 4, i % 3],
        kept: (2..8).map(|column| i / column % 4).collect(),
        rows: 1 + i % 2,
        person: i / 2,
    };
    let (rows, less) = ((0..70_000).map(row).collect::<Vec<Row>>(), vec![vec![true; 8]; 2]);
    for by_persons in [false, true] {
        let expected = count_risk(&rows, &less, 5, 0, by_persons).unwrap();
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let _watched = ObserverScope::observe_with(Rc::new(Threads(Rc::new(pool))));
        assert_eq!(count_risk(&rows, &less, 5, 0, by_persons).as_ref(), Ok(&expected));
    }
}

#[test]
fn with_memory_for_some_columns_at_a_time_it_is_the_same() {
    let row = |i: u32| Row {
        released: vec![i % 2, i % 3 / 2],
        originals: vec![i % 4, i % 3],
        kept: (2..18).map(|column| i / column % 4).collect(),
        rows: 1,
        person: i / 2,
    };
    let (rows, less) = ((0..2_000).map(row).collect::<Vec<Row>>(), vec![vec![true; 8]; 2]);
    let expected = count_risk(&rows, &less, 5, 0, false).unwrap();
    let _watched = ObserverScope::observe_with(Rc::new(Little));
    // Memory for all columns at once, then for some of them only.
    for (bytes, is_refused) in [(64_000, false), (28_000, true), (21_000, true)] {
        GRANTED.set((bytes, 0));
        assert_eq!(count_risk(&rows, &less, 5, 0, false).as_ref(), Ok(&expected), "{bytes} bytes");
        assert_eq!(GRANTED.get().1 > 0, is_refused, "{bytes} bytes");
    }
    GRANTED.set((1_000, 0));
    assert!(matches!(count_risk(&rows, &less, 5, 0, false), Err(Error::Memory { .. })));
}

#[test]
fn the_least_is_asked_of_all_together() {
    let row = |original, kept: [Code; 2]| Row {
        released: vec![0],
        originals: vec![original],
        kept: kept.to_vec(),
        rows: 1,
        person: 0,
    };
    // The first kept column gives away four rows, the second none. Both together also give away the last two.
    let rows =
        [row(0, [0, 0]), row(0, [0, 1]), row(1, [1, 0]), row(1, [1, 1]), row(1, [2, 0]), row(2, [2, 1])];
    let told = |shows_less, least| count_risk(&rows, &[vec![shows_less; 8]], 2, least, false).unwrap();
    let given_away = AttributeDisclosure { by_all_kept: 6, baseline_rows: 0, best_single: (0, 4) };
    assert_eq!(
        (told(true, 6).attribute_disclosure, told(true, 7).attribute_disclosure),
        (vec![Some(given_away)], vec![None])
    );
    let told_of_all = told(true, 0);
    assert_eq!((told_of_all.at_risk, told_of_all.with, told_of_all.alone), (6, vec![0, 0], vec![0, 0]));
    // If the released value is as specific as the original, nothing can be given away.
    assert_eq!(told(false, 0).attribute_disclosure, vec![None]);
}
