//! Models of shares of persons, who may have several rows and several values. These models are not monotone, so the
//! measures that global recoding reports may be worse than the true ones. Those of a single group are exact.

use super::adapter::Coded;
use super::again;
use super::local::{by_one_person, check_end, count_shown_steps, follow, local_cases, reported_measures};
use super::many::{check_counted_anew, with_many_values};
use super::replay::all_close;
use super::{cases, for_all, Seen};
use crate::reference::{achieved, all_hold, candidates, local, Case, Model, State};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use topdown::{Error, Outcome};

/// Makes the models of a case, except k-anonymity and bounded knowledge, measure shares of persons.
fn measuring_shares_of_persons(mut case: Case) -> Case {
    let mut models: Vec<Model> = Vec::new();
    for model in std::mem::take(&mut case.models) {
        let model = match model {
            Model::KAnonymity { .. } | Model::BoundedKnowledge { .. } => model,
            model => Model::SharesOfPersons { model: Box::new(model), person: 0 },
        };
        if !models.contains(&model) {
            models.push(model);
        }
    }
    by_one_person(Case { models, ..case })
}

fn measures_shares_of_persons(case: &Case) -> bool {
    case.models.iter().any(|model| model.share_person().is_some())
}

#[test]
fn a_local_search_of_shares_of_persons_is_the_reference_search() {
    let seen = Seen::default();
    for_all(12_000, local_cases().prop_map(measuring_shares_of_persons), |case| {
        if !measures_shares_of_persons(&case) {
            return Ok(());
        }
        let coded = Coded::new(&case);
        // Groups by fewer columns are unions of the groups over all columns, and shares may be larger in a union.
        let is_of_unions = |model: &Model| {
            model.share_person().is_some()
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
                let roots = local::initial_groups(&case);
                let all = roots.iter().all(|root| local::keeps(&case, &root.rows));
                prop_assert!(!all || !local::keeps(&case, &rows), "it can be searched for");
                return Ok(());
            }
        };
        seen.note("searched", true);
        if count_shown_steps(&found) > 0 {
            return Ok(());
        }
        let followed = follow(&case, &coded, &found)?;
        seen.note("refined", !followed.trace.is_empty());
        seen.note("three steps", followed.trace.len() > 2);
        check_end(&case, &coded, &found, followed.end())
    });
    assert!(seen.share("refined", "searched") > 0.3 && seen.share("three steps", "searched") > 0.05);
}

/// Performs the trace of a search by global recoding in the reference. Every model must hold after every step, and no
/// reported measure may be better than the true one.
fn check_steps(case: &Case, coded: &Coded, found: &Outcome, seen: &Seen) -> Result<(), TestCaseError> {
    let mut state = State::initial(case);
    prop_assert!(all_hold(case, &state));
    for (step, refinement) in found.steps.iter().zip(again::trace(coded, found)) {
        state = state.refine(refinement.attribute, &refinement.node, &refinement.children);
        prop_assert!(all_hold(case, &state), "{refinement:?} breaks a model");
        let is = achieved(case, &state);
        let as_told = reported_measures(case, &step.achieved, is.clone());
        prop_assert!(all_close(&step.achieved, &as_told), "{:?}, not {is:?}", step.achieved);
        seen.note("steps", true);
        seen.note("exact", all_close(&step.achieved, &is));
    }
    Ok(())
}

#[test]
fn a_search_keeps_shares_of_persons() {
    let seen = Seen::default();
    for_all(12_000, cases().prop_map(measuring_shares_of_persons), |case| {
        if !measures_shares_of_persons(&case) {
            return Ok(());
        }
        let coded = Coded::new(&case);
        let Ok(found) = coded.search(None) else {
            prop_assert!(!case.holds_initially());
            return Ok(());
        };
        seen.note("searched", true);
        let state = State::initial(&case);
        if found.steps.is_empty() {
            let open = candidates(&case, &state).into_iter().find(|c| c.valid && c.beneficial);
            prop_assert!(open.is_none(), "{open:?} could be performed");
        }
        seen.note("refined", !found.steps.is_empty());
        check_steps(&case, &coded, &found, &seen)
    });
    assert!(seen.share("refined", "searched") > 0.3 && seen.share("exact", "steps") > 0.8);
}

fn disclosed(case: &Case, found: &Outcome) -> usize {
    let wide = case.attributes.len() - 1;
    found.steps.iter().filter(|step| step.attribute == wide).count()
}

#[test]
fn persons_of_many_values_are_counted_as_in_a_replay() {
    let seen = Seen::default();
    let counts_persons =
        |model: &Model| matches!(model.unwrapped(), Model::KAnonymity { person: Some(_), .. });
    for_all(4_000, with_many_values(cases(), 70..=200, 12).prop_map(by_one_person), |case| {
        if !case.models.iter().any(counts_persons) {
            return Ok(());
        }
        let coded = Coded::new(&case);
        let Ok(found) = coded.search(None) else { return Ok(()) };
        seen.note("searched", true);
        seen.note("twenty disclosed", disclosed(&case, &found) > 20);
        let other = found.steps.iter().rposition(|step| step.attribute + 1 != case.attributes.len());
        seen.note("another column after ten steps", other.is_some_and(|other| other > 10));
        check_counted_anew(&case, &coded, &found)
    });
    for (what, least) in [("twenty disclosed", 0.2), ("another column after ten steps", 0.1)] {
        let share = seen.share(what, "searched");
        assert!(share > least, "{what} is too rare: {share}");
    }
}

#[test]
fn a_search_over_many_values_keeps_shares_of_persons() {
    let seen = Seen::default();
    for_all(400, with_many_values(cases(), 70..=120, 8).prop_map(measuring_shares_of_persons), |case| {
        if !measures_shares_of_persons(&case) {
            return Ok(());
        }
        let coded = Coded::new(&case);
        let Ok(found) = coded.search(None) else { return Ok(()) };
        seen.note("searched", true);
        seen.note("ten disclosed", disclosed(&case, &found) > 10);
        check_steps(&case, &coded, &found, &seen)
    });
    let shares = [seen.share("ten disclosed", "searched"), seen.share("exact", "steps")];
    assert!(shares[0] > 0.2 && shares[1] > 0.8, "{shares:?}");
}
