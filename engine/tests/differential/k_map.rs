//! k-map: searches that count the records of a population. The reference is the judge.

use super::adapter::{by_label, Coded};
use super::again::{check_again, trace};
use super::local::again::trace as local_trace;
use super::local::{self, count_shown_steps, follow, local_cases, regions};
use super::{assert_same, cases, check, explain, for_all, must_search, weakened, Seen};
use crate::reference::local as groups;
use crate::reference::{Case, Model, State};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use topdown::table::Store;
use topdown::Code;

/// Generates cases whose k-anonymities of rows are replaced by k-maps of one of two populations. Both may have
/// combinations that no row has, and may lack some that rows have.
fn mapped() -> impl Strategy<Value = Case> {
    let others = || vec(vec(0..64usize, 4), 0..60);
    (cases(), others(), others(), any::<[bool; 4]>(), any::<bool>()).prop_map(
        |(mut case, one, other, first, little)| {
            let rows = case.rows.len();
            // The first population contains six of seven rows of the table.
            let with_rows = |others: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
                (0..rows).filter(|row| row % 7 != 6).map(|row| vec![row; 4]).chain(others).collect()
            };
            let populations = [with_rows(one), other];
            let mut models: Vec<Model> = Vec::new();
            for (number, model) in std::mem::take(&mut case.models).into_iter().enumerate() {
                let model = match model {
                    Model::KAnonymity { quasi_identifier, k, person: None } => {
                        let population = populations[usize::from(!first[number % 4])].clone();
                        let map = Model::KMap { quasi_identifier, k, population };
                        if little {
                            weakened(map)
                        } else {
                            map
                        }
                    }
                    model => model,
                };
                if !models.contains(&model) {
                    models.push(model);
                }
            }
            by_label(Case { models, ..case })
        },
    )
}

/// Replaces the k-anonymities of a case by k-maps of a population.
fn locally(case: Case, population: Vec<Vec<usize>>) -> Case {
    let mut models: Vec<Model> = Vec::new();
    for model in &case.models {
        let model = match model.unwrapped() {
            Model::KAnonymity { quasi_identifier, k, .. } => {
                let (quasi_identifier, population) = (quasi_identifier.clone(), population.clone());
                Model::KMap { quasi_identifier, k: *k, population }
            }
            model => model.clone(),
        };
        if !models.contains(&model) {
            models.push(model);
        }
    }
    Case { models, ..case }
}

fn is_mapped(case: &Case) -> bool {
    case.models.iter().any(|model| matches!(model, Model::KMap { .. }))
}

#[test]
fn a_search_by_a_population_is_the_reference_search() {
    let seen = Seen::default();
    for_all(20_000, mapped().prop_filter("no population", is_mapped), |case| {
        let Some(found) = check(&case)? else { return Ok(()) };
        seen.note("searched", true);
        seen.note("three steps", found.candidates.len() > 3);
        let end = State::initial(&case);
        seen.note("holds", case.holds_initially() && !end.cuts.is_empty());
        Ok(())
    });
    assert!(seen.share("three steps", "searched") > 0.2);
}

#[test]
fn a_replay_by_a_population_is_the_search_and_is_explained_as_by_the_reference() {
    let seen = Seen::default();
    for_all(12_000, mapped().prop_filter("no population", is_mapped), |case| {
        let Some((_, steps)) = check_again(&case)? else { return Ok(()) };
        seen.note("searched", true);
        seen.note("three steps", steps > 2);
        let coded = Coded::new(&case);
        let whole = trace(&coded, &must_search(&coded, None)?);
        explain::check(&case, &coded, &whole, true, &seen)
    });
    assert!(seen.share("three steps", "searched") > 0.2 && seen.share("breaks", "searched") > 0.3);
}

/// A k-map with the table as its population has the release of the k-anonymity.
#[test]
fn a_population_that_is_the_table_makes_a_k_anonymity() {
    let seen = Seen::default();
    for_all(8_000, cases(), |case| {
        let population: Vec<Vec<usize>> = (0..case.rows.len()).map(|row| vec![row; 4]).collect();
        let mapped = |model: &Model| match model {
            Model::KAnonymity { quasi_identifier, k, person: None } => {
                let (quasi_identifier, population) = (quasi_identifier.clone(), population.clone());
                Model::KMap { quasi_identifier, k: *k, population }
            }
            model => model.clone(),
        };
        let of_both = Case { models: case.models.iter().map(mapped).collect(), ..case.clone() };
        if !is_mapped(&of_both) || !case.holds_initially() {
            return Ok(());
        }
        let (one, other) = (Coded::new(&case), Coded::new(&of_both));
        let (one, other) = (must_search(&one, None)?, must_search(&other, None)?);
        seen.note("searched", true);
        // A k-anonymity that one of persons implies is not redundant any more as a k-map.
        let redundant = one.redundant == other.redundant;
        seen.note("alike", redundant);
        if redundant {
            assert_same(&one, &other)?;
        }
        prop_assert_eq!(&one.cuts, &other.cuts);
        Ok(())
    });
    assert!(seen.share("alike", "searched") > 0.5);
}

/// The population has copies of some rows of the table, so the reference counts them in the groups of these rows.
#[test]
fn a_local_search_by_a_population_is_the_reference_search() {
    let seen = Seen::default();
    let drawn = (local_cases(), vec(0..3usize, 40), any::<bool>()).prop_map(|(case, copies, little)| {
        let copied = |(row, &copies): (usize, &usize)| std::iter::repeat_n(vec![row; 4], copies);
        let population = copies[..case.rows.len().min(40)].iter().enumerate().flat_map(copied).collect();
        let case = locally(case, population);
        let models = case.models.iter().cloned();
        Case { models: models.map(|m| if little { weakened(m) } else { m }).collect(), ..case }
    });
    for_all(12_000, drawn.prop_filter("no population", is_mapped), |case| {
        let coded = Coded::new(&case);
        let Ok(found) = coded.search_locally(None) else {
            let roots = groups::initial_groups(&case);
            prop_assert!(
                !roots.iter().all(|root| groups::keeps(&case, &root.rows)),
                "it can be searched for"
            );
            return Ok(());
        };
        seen.note("searched", true);
        let followed = follow(&case, &coded, &found)?;
        seen.note("three steps", found.steps.len() > 2);
        let trace = local_trace(&followed);
        let again = coded.replay_locally(&trace).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.performed, (0..trace.len()).map(Some).collect::<Vec<_>>());
        prop_assert_eq!(&again.outcome.achieved, &found.achieved);
        seen.note("in all", count_shown_steps(&found) > 0);
        Ok(())
    });
    assert!(seen.share("three steps", "searched") > 0.2);
}

/// The population has combinations that no row has. The judge counts each record in the region of its values.
#[test]
fn a_local_search_matches_a_population() {
    let seen = Seen::default();
    let drawn = (local_cases(), vec(vec(0..64usize, 4), 0..80)).prop_map(|(case, others)| {
        let rows = (0..case.rows.len()).filter(|row| row % 3 != 2).map(|row| vec![row; 4]);
        let population = rows.chain(others).collect();
        locally(case, population)
    });
    for_all(12_000, drawn.prop_filter("no population", is_mapped), |case| {
        let coded = Coded::new(&case);
        let Ok(found) = coded.search_locally(None) else { return Ok(()) };
        seen.note("searched", true);
        seen.note("refined", !found.steps.is_empty());
        let leaves = local::leaves(&case, &coded, &found)?;
        let all = regions(&found);
        let ids: Vec<_> = all.leaves().collect();
        // Returns the region of a record of the population; None if its values belong to no region with rows.
        let leaf = |record: usize| {
            let code = |column: &Store| column.fetch(record..record + 1, &mut Vec::new()).unwrap()[0];
            let codes: Vec<Code> = coded.populations[0].iter().map(code).collect();
            let columns: Vec<Store> = codes.iter().map(|&code| Store::from(vec![code])).collect();
            let leaf = all.leaf_of_rows(&columns.iter().collect::<Vec<&Store>>(), 1).ok()?;
            let leaf = ids[leaf.get(0) as usize];
            let nodes = all.region(leaf).nodes.iter().enumerate();
            let is_within =
                |(a, &node): (usize, &u32)| found.hierarchies[a].node(node).codes.contains(&codes[a]);
            nodes.into_iter().all(is_within).then_some(leaf)
        };
        let theirs: Vec<_> = (0..coded.populations[0][0].len()).map(leaf).collect();
        let matched = |leaf| theirs.iter().filter(|other| **other == Some(leaf)).count() as f64;
        let least = leaves.iter().map(|&leaf| matched(leaf)).fold(f64::INFINITY, f64::min);
        for (model, &achieved) in case.models.iter().zip(&found.achieved) {
            if let Model::KMap { k, .. } = model {
                prop_assert!(achieved >= *k as f64 && least == achieved, "{least} is not {achieved}");
            }
        }
        Ok(())
    });
    assert!(seen.share("refined", "searched") > 0.3);
}
