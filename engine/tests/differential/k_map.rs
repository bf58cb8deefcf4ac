//! k-map: the records of a population beside those of the table.

use super::adapter::{by_label, Coded};
use super::again::{check_again, trace};
use super::reference::{Case, Model, State};
use super::{asking_little, cases, check, explain, for_all, outcome, same, Seen};
use proptest::collection::vec;
use proptest::prelude::*;

/// Some of a case's k-anonymities of rows become k-maps of one of two populations. Those have combinations that no row has, and lack
/// some that rows have.
fn mapped() -> impl Strategy<Value = Case> {
    let others = || vec(vec(0..64usize, 4), 0..60);
    (cases(), others(), others(), any::<[bool; 4]>(), any::<bool>()).prop_map(
        |(mut case, one, other, first, little)| {
            let rows = case.rows.len();
            // Mostly the rows of the table are among them.
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
                            asking_little(map)
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
        let whole = trace(&coded, &outcome(&coded, None)?);
        explain::check(&case, &coded, &whole, true, &seen)
    });
    assert!(seen.share("three steps", "searched") > 0.2 && seen.share("breaks", "searched") > 0.3);
}

/// Whose population is the table itself, and nobody else, asks what a k-anonymity asks.
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
        let (one, other) = (outcome(&one, None)?, outcome(&other, None)?);
        seen.note("searched", true);
        // Where one model was implied by another that is of persons, it is not any more.
        let redundant = one.redundant == other.redundant;
        seen.note("alike", redundant);
        if redundant {
            same(&one, &other)?;
        }
        prop_assert_eq!(&one.cuts, &other.cuts);
        Ok(())
    });
    assert!(seen.share("alike", "searched") > 0.5);
}
