//! Clusters inside the groups of local recoding. Laws: every model holds for each cluster (the reference is the judge),
//! each cluster covers the values of its rows, and all clusters together lose no more than the groups.

use super::adapter::Coded;
use super::again::pairs;
use super::local::again::trace;
use super::local::{by_one_person, check_cut_by, count_shown_steps, follow, leaves, local_cases, regions};
use super::{for_all, Seen};
use crate::reference::local::Refinement;
use crate::reference::measures::measure_groups;
use crate::reference::{holds, Case};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use topdown::cluster::Extent;
use topdown::refine::Hierarchy;
use topdown::{replay, search, Code, Error, Outcome, Problem, Recoding, Recorded, Replayed};

impl Coded<'_> {
    fn clustered(&self) -> Problem<'_> {
        Problem { recoding: Recoding::Clustered, ..self.problem(None) }
    }
}

fn is_within(hierarchy: &Hierarchy, extent: &Extent, code: Code) -> bool {
    match extent {
        Extent::Node(node) => hierarchy.node(*node).codes.contains(&code),
        Extent::Ranks(ranks) => ranks.contains(&code),
        Extent::Any => false,
    }
}

fn loss(hierarchy: &Hierarchy, extent: &Extent) -> f64 {
    match (extent, hierarchy.domain()) {
        (Extent::Node(node), _) => hierarchy.node(*node).loss,
        (Extent::Ranks(ranks), Some(domain)) => domain.loss_between(ranks),
        _ => 1.0,
    }
}

/// Checks all clusters. Returns the loss of the rows in the clusters and in the groups, and the number of clusters.
fn check(case: &Case, coded: &Coded, outcome: &Outcome) -> Result<(f64, f64, usize), TestCaseError> {
    let clusters = outcome.clusters.as_ref().expect("clusters");
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); clusters.extents.len()];
    (0..case.rows.len()).for_each(|row| rows[clusters.of_records.get(row) as usize].push(row));
    let leaves = leaves(case, coded, outcome)?;
    let (mut now, mut before) = (0.0, 0.0);
    for (extents, rows) in clusters.extents.iter().zip(&rows) {
        prop_assert!(!rows.is_empty(), "a cluster of no row");
        for model in &case.models {
            let measures = measure_groups(case, model, std::slice::from_ref(rows));
            prop_assert!(measures.iter().all(|m| holds(model, *m)), "{measures:?} of {model:?} in {rows:?}");
        }
        for (a, (extent, hierarchy)) in extents.iter().zip(&outcome.hierarchies).enumerate() {
            for &row in rows {
                let code = coded.columns[a].codes.load().expect("codes").get(row);
                prop_assert!(is_within(hierarchy, extent, code), "{code} of column {a} is not in {extent:?}");
                now += loss(hierarchy, extent);
                before += hierarchy.node(regions(outcome).region(leaves[row]).nodes[a]).loss;
            }
        }
    }
    check_cut_by(case, coded, outcome, |row, attribute| {
        match clusters.extents[clusters.of_records.get(row) as usize][attribute] {
            Extent::Node(node) => Some(node),
            _ => None,
        }
    })?;
    Ok((now, before, rows.len()))
}

fn searched(case: &Case, coded: &Coded) -> Result<Option<Outcome>, TestCaseError> {
    case.check();
    match search(coded.clustered()) {
        Err(Error::Unsatisfiable { .. }) => Ok(None),
        Err(other) => Err(TestCaseError::fail(other.to_string())),
        Ok(outcome) => Ok(Some(outcome)),
    }
}

#[test]
fn every_model_holds_of_every_cluster() {
    let seen = Seen::default();
    for_all(4000, local_cases(), |case| {
        let coded = Coded::new(&case);
        let Some(outcome) = searched(&case, &coded)? else { return Ok(()) };
        let (now, before, clusters) = check(&case, &coded, &outcome)?;
        prop_assert!(now <= before + 1e-9, "{now} is lost, and {before} by the groups");
        let points = |hierarchy: &Hierarchy| hierarchy.domain().is_some_and(|domain| domain.points.is_some());
        let by_points = outcome.hierarchies.iter().any(points);
        seen.note("that lose less, and name points", by_points && now < before - 1e-9);
        seen.note("cases", true);
        seen.note("with more clusters than groups", clusters > regions(&outcome).leaves().count());
        seen.note("that lose less", now < before - 1e-9);
        let shown = count_shown_steps(&outcome) > 0;
        seen.note("of shown columns, that lose less", shown && now < before - 1e-9);
        Ok(())
    });
    assert!(seen.share("of shown columns, that lose less", "cases") > 0.01);
    assert!(seen.share("with more clusters than groups", "cases") > 0.02);
    assert!(seen.share("that lose less", "cases") > 0.2);
    assert!(seen.share("that lose less, and name points", "cases") > 0.01);
}

impl Coded<'_> {
    fn replay_clustered(&self, trace: &[Refinement]) -> Result<Replayed, Error> {
        let recorded = trace.iter().map(|refinement| self.recorded_locally(trace, refinement));
        replay(self.clustered(), &recorded.collect::<Vec<Recorded>>())
    }
}

/// The clusters of a replay on other rows keep the models as well.
#[test]
fn every_model_holds_of_every_cluster_of_a_replay() {
    let seen = Seen::default();
    for_all(2000, pairs(), |(before, now)| {
        let (before, now) = (by_one_person(before), by_one_person(now));
        let coded = Coded::new(&before);
        let Some(found) = searched(&before, &coded)? else { return Ok(()) };
        let trace = trace(&follow(&before, &coded, &found)?);
        let coded = Coded::new(&now);
        let replayed = match coded.replay_clustered(&trace) {
            Err(Error::Unsatisfiable { .. }) => return Ok(()),
            other => other.map_err(|error| TestCaseError::fail(error.to_string()))?,
        };
        let (_, _, clusters) = check(&now, &coded, &replayed.outcome)?;
        seen.note("replayed", true);
        seen.note("with more clusters than groups", clusters > regions(&replayed.outcome).leaves().count());
        seen.note("of shown columns", count_shown_steps(&replayed.outcome) > 0);
        Ok(())
    });
    assert!(seen.share("with more clusters than groups", "replayed") > 0.02);
    assert!(seen.share("of shown columns", "replayed") > 0.05);
}

/// A replay on the same rows makes the same clusters.
#[test]
fn a_replay_makes_the_same_clusters() {
    for_all(500, local_cases(), |case| -> TestCaseResult {
        let coded = Coded::new(&case);
        let Some(outcome) = searched(&case, &coded)? else { return Ok(()) };
        let trace = trace(&follow(&case, &coded, &outcome)?);
        let again = coded.replay_clustered(&trace).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let (one, other) = (outcome.clusters.expect("clusters"), again.outcome.clusters.expect("clusters"));
        prop_assert_eq!(one.extents.len(), other.extents.len());
        for row in 0..case.rows.len() {
            prop_assert_eq!(one.of_records.get(row), other.of_records.get(row));
        }
        Ok(())
    });
}
