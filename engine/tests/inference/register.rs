//! An attacker with a register: all masked values of everybody in the table are known, and only the sensitive values
//! are not. The release shows the sensitive values of each group. So the attacker assigns them to the rows of the group
//! in all possible ways, releases each of these tables, and keeps those that give this very release.

use crate::small::{problem, stores, Column, Random};
use topdown::privacy::{Diversity, PrivacyModel};
use topdown::refine::interval::SplitRule;
use topdown::refine::NodeId;
use topdown::table::Store;
use topdown::{search, Code, CodedColumn, Problem};

/// Number of rows of a table, and k of its k-anonymity.
const ROWS: usize = 20;
const K: u64 = 5;

/// Largest number of assignments of the sensitive values. Tables with more are left out.
const WAYS: usize = 10_000;

/// The sensitive value of the confidence bound; the other one is 0.
const SENSITIVE: Code = 1;

/// The model of the sensitive value, beside k-anonymity.
#[derive(Debug, Clone, Copy)]
pub enum SensitiveModel {
    /// Upper bound of the confidence of [`SENSITIVE`].
    Confidence(f64),
    /// Least number of distinct values in a group.
    Diversity(f64),
}

impl SensitiveModel {
    fn model(self) -> PrivacyModel {
        match self {
            SensitiveModel::Confidence(most) => {
                PrivacyModel::confidence_bound(vec![0, 1], 0, vec![Some(SENSITIVE)], most)
            }
            SensitiveModel::Diversity(l) => {
                PrivacyModel::l_diversity(vec![0, 1], 0, Diversity::Distinct { l })
            }
        }
    }
}

/// Number of releases, and of those with an inference.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RegisterFindings {
    pub releases: usize,
    /// Somebody has the sensitive value in more than half of the tables with the release.
    pub more_than_half: usize,
    /// Somebody has it in all tables with the release.
    pub certain: usize,
}

/// Returns the released node of each row on each column; None if there is no release.
fn shown(columns: &[Column; 2], sensitive: &[Code], promise: SensitiveModel) -> Option<Vec<[NodeId; 2]>> {
    let stores = stores(columns);
    let sensitive = Store::from_iter(sensitive.iter().copied());
    let mut problem = Problem {
        sensitive: vec![CodedColumn { codes: &sensitive, cardinality: 2 }],
        split: SplitRule::Optimal,
        ..problem(columns, &stores, K)
    };
    problem.models.push(promise.model());
    let outcome = search(problem).ok()?;
    let node = |row: usize, a: usize| outcome.cuts[a].node_for(columns[a].codes[row]);
    Some((0..ROWS).map(|row| [node(row, 0), node(row, 1)]).collect())
}

fn choices(rows: &[usize], many: usize) -> Vec<Vec<usize>> {
    match rows.split_first() {
        _ if many == 0 => vec![Vec::new()],
        Some((&first, others)) if others.len() + 1 >= many => {
            let with = choices(others, many - 1).into_iter().map(|mut chosen| {
                chosen.push(first);
                chosen
            });
            with.chain(choices(others, many)).collect()
        }
        _ => Vec::new(),
    }
}

/// Counts, for each row, the tables with this release in which it has the sensitive value, and all tables with this
/// release. None if there are too many assignments, or no release.
fn posterior(
    columns: &[Column; 2],
    sensitive: &[Code],
    promise: SensitiveModel,
) -> Option<(Vec<usize>, usize)> {
    let release = shown(columns, sensitive, promise)?;
    let mut groups: Vec<[NodeId; 2]> = release.clone();
    groups.sort_unstable();
    groups.dedup();
    let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
    for group in groups {
        let rows: Vec<usize> = (0..ROWS).filter(|&row| release[row] == group).collect();
        let many = rows.iter().filter(|&&row| sensitive[row] == SENSITIVE).count();
        let chosen = choices(&rows, many);
        if ways.len() * chosen.len() > WAYS {
            return None;
        }
        ways = ways.iter().flat_map(|way| chosen.iter().map(|more| [&way[..], more].concat())).collect();
    }
    let (mut held, mut tables) = (vec![0; ROWS], 0);
    for way in ways {
        let mut table = vec![1 - SENSITIVE; ROWS];
        way.iter().for_each(|&row| table[row] = SENSITIVE);
        if shown(columns, &table, promise).as_ref() == Some(&release) {
            tables += 1;
            way.iter().for_each(|&row| held[row] += 1);
        }
    }
    Some((held, tables))
}

/// Attacks the releases of `tables` random tables.
pub fn attack_tables(promise: SensitiveModel, tables: u64) -> RegisterFindings {
    let mut all = RegisterFindings::default();
    for seed in 0..tables {
        let mut random = Random(seed);
        let columns = [Column::numbers(&mut random, ROWS), Column::tree(&mut random, ROWS)];
        let sensitive: Vec<Code> = (0..ROWS).map(|_| Code::from(random.below(3) == 0)).collect();
        let Some((held, tables)) = posterior(&columns, &sensitive, promise) else { continue };
        all.releases += 1;
        all.more_than_half += usize::from(held.iter().any(|&held| 2 * held > tables));
        all.certain += usize::from(held.contains(&tables));
    }
    all
}
