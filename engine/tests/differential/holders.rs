//! Models of shares of persons, who may have several rows and hold several values. These are not monotone: what the engine
//! tells of a search on all groups may be worse than it is. What a group by itself tells is exact.

use super::adapter::Coded;
use super::again;
use super::local::{as_told, by_one_person, check_end, follow, in_all, local_cases};
use super::reference::{achieved, all_hold, candidates, local, Case, Model, State};
use super::replay::all_close;
use super::{cases, for_all, Seen};
use proptest::prelude::*;
use topdown::Error;

/// Shares are of persons.
fn of_persons(mut case: Case) -> Case {
    let mut models: Vec<Model> = Vec::new();
    for model in std::mem::take(&mut case.models) {
        let model = match model {
            Model::KAnonymity { .. } | Model::Known { .. } => model,
            model => Model::OfPersons { model: Box::new(model), person: 0 },
        };
        if !models.contains(&model) {
            models.push(model);
        }
    }
    by_one_person(Case { models, ..case })
}

fn are_told_apart(case: &Case) -> bool {
    case.models.iter().any(|model| model.holders().is_some())
}

#[test]
fn a_local_search_of_shares_of_persons_is_the_reference_search() {
    let seen = Seen::default();
    for_all(12_000, local_cases().prop_map(of_persons), |case| {
        if !are_told_apart(&case) {
            return Ok(());
        }
        let coded = Coded::new(&case);
        // What groups release alike by fewer columns is a union of them, in which shares may be larger.
        let is_of_unions = |model: &Model| {
            model.holders().is_some()
                && (model.attributes().len() < case.attributes.len() || model.sets().len() > 1)
        };
        if case.models.iter().any(is_of_unions) {
            prop_assert!(matches!(coded.search_locally(None), Err(Error::Unsound(_))));
            return Ok(());
        }
        let found = match coded.search_locally(None) {
            Ok(found) => found,
            Err(_) => {
                let rows: Vec<usize> = (0..case.rows.len()).collect();
                let roots = local::roots(&case);
                let all = roots.iter().all(|root| local::keeps(&case, &root.rows));
                prop_assert!(!all || !local::keeps(&case, &rows), "it can be searched for");
                return Ok(());
            }
        };
        seen.note("searched", true);
        if in_all(&found) > 0 {
            return Ok(());
        }
        let followed = follow(&case, &coded, &found)?;
        seen.note("refined", !followed.trace.is_empty());
        seen.note("three steps", followed.trace.len() > 2);
        check_end(&case, &coded, &found, followed.end())
    });
    assert!(seen.share("refined", "searched") > 0.3 && seen.share("three steps", "searched") > 0.05);
}

#[test]
fn a_search_keeps_shares_of_persons() {
    let seen = Seen::default();
    for_all(12_000, cases().prop_map(of_persons), |case| {
        if !are_told_apart(&case) {
            return Ok(());
        }
        let coded = Coded::new(&case);
        let Ok(found) = coded.search(None) else {
            prop_assert!(!case.holds_initially());
            return Ok(());
        };
        seen.note("searched", true);
        let mut state = State::initial(&case);
        prop_assert!(all_hold(&case, &state));
        if found.steps.is_empty() {
            let open = candidates(&case, &state).into_iter().find(|c| c.valid && c.beneficial);
            prop_assert!(open.is_none(), "{open:?} could be performed");
        }
        for (step, refinement) in found.steps.iter().zip(again::trace(&coded, &found)) {
            state = state.refine(refinement.attribute, &refinement.node, &refinement.children);
            prop_assert!(all_hold(&case, &state), "{refinement:?} breaks a model");
            let is = achieved(&case, &state);
            let as_told = as_told(&case, &step.achieved, is.clone());
            prop_assert!(all_close(&step.achieved, &as_told), "{:?}, not {is:?}", step.achieved);
            seen.note("steps", true);
            seen.note("exact", all_close(&step.achieved, &is));
        }
        seen.note("refined", !found.steps.is_empty());
        Ok(())
    });
    assert!(seen.share("refined", "searched") > 0.3 && seen.share("exact", "steps") > 0.8);
}
