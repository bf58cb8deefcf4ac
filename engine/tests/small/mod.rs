//! Small random tables and their releases.

use topdown::privacy::PrivacyModel;
use topdown::refine::interval::{Domain, SplitRule};
use topdown::refine::Hierarchy;
use topdown::table::Store;
use topdown::taxonomy::{Edges, Taxonomy};
use topdown::utility::Score;
use topdown::{search, Attribute, Code, Outcome, Problem, Recoding};

/// Generator of random numbers (SplitMix64). A seed gives the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count as u64) as usize
    }
}

/// A masked column: each row's code, and the hierarchy over the codes.
pub struct Column {
    pub codes: Vec<Code>,
    pub hierarchy: Hierarchy,
}

impl Column {
    /// Draws whole numbers from 0 to 19, masked by intervals.
    pub fn numbers(random: &mut Random, rows: usize) -> Column {
        let values: Vec<usize> = (0..rows).map(|_| random.below(20)).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let codes = values.iter().map(|value| sorted.binary_search(value).unwrap() as Code).collect();
        let positions = sorted.into_iter().map(|value| value as f64).collect();
        let domain = Domain { positions, lower: None, upper: None, points: None, is_discrete: false };
        Column { codes, hierarchy: Hierarchy::by_intervals(domain, false) }
    }

    /// Draws leaves of a tree of six, below three inner nodes.
    pub fn tree(random: &mut Random, rows: usize) -> Column {
        let edges = [
            ("a", "top"),
            ("b", "top"),
            ("c", "top"),
            ("a1", "a"),
            ("a2", "a"),
            ("a3", "a"),
            ("b1", "b"),
            ("b2", "b"),
            ("c1", "c"),
        ];
        let codes = (0..rows).map(|_| random.below(6) as Code).collect();
        Column { codes, hierarchy: Hierarchy::by_taxonomy(&taxonomy(&edges), false).unwrap() }
    }
}

/// Builds a taxonomy from (child, parent) pairs.
pub fn taxonomy(edges: &[(&str, &str)]) -> Taxonomy {
    let edges: Edges = edges.iter().map(|&(child, parent)| (child, Some(parent))).collect();
    Taxonomy::from_edges(&edges).unwrap().unwrap()
}

pub fn stores(columns: &[Column]) -> Vec<Store> {
    columns.iter().map(|column| Store::from_iter(column.codes.iter().copied())).collect()
}

/// Builds a problem with k-anonymity over all columns, global recoding and no limit of steps.
pub fn problem<'a>(columns: &[Column], stores: &'a [Store], k: u64) -> Problem<'a> {
    let attributes = stores.iter().zip(columns).map(|(codes, column)| Attribute {
        codes,
        hierarchy: column.hierarchy.clone(),
        weight: 1.0,
        shown: false,
    });
    Problem {
        records: columns[0].codes.len(),
        weights: None,
        attributes: attributes.collect(),
        sensitive: vec![],
        persons: vec![],
        populations: Vec::new(),
        class: None,
        models: vec![PrivacyModel::k_anonymity((0..columns.len()).collect(), k)],
        score: Score::Tds,
        split: SplitRule::Valid,
        recoding: Recoding::Global,
        withhold: None,
        min_size_factor: 1,
        max_steps: None,
    }
}

pub fn search_release(columns: &[Column], k: u64, recoding: Recoding) -> Outcome {
    let stores = stores(columns);
    search(Problem { recoding, ..problem(columns, &stores, k) }).expect("a release")
}
