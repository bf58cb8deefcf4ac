//! The engine's trace, performed step by step in the reference.

use super::adapter::Coded;
use crate::reference::*;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use topdown::{Outcome, Step};

/// Largest difference of equal numbers, relative to the larger one if that is above 1.
const CLOSE: f64 = 1e-9;

/// The states of a replay from the most general one on, with the candidates of each. Intervals are split where the
/// engine splits them.
pub struct Replay {
    pub states: Vec<State>,
    pub candidates: Vec<Vec<Candidate>>,
    /// Number of splits that are as good as the reference's, at another point.
    pub other_splits: usize,
}

/// Replays a search that was not stopped early.
pub fn replay(case: &Case, coded: &Coded, outcome: &Outcome) -> Result<Replay, TestCaseError> {
    let replay = replay_steps(case, coded, outcome, &outcome.steps)?;
    check_end(case, coded, outcome, replay.states.last().expect("the initial state"))?;
    Ok(replay)
}

/// Replays `steps`, after which no further step must be possible.
pub fn replay_steps(
    case: &Case,
    coded: &Coded,
    outcome: &Outcome,
    steps: &[Step],
) -> Result<Replay, TestCaseError> {
    let mut state = State::initial(case);
    let mut replay = Replay { states: vec![], candidates: vec![], other_splits: 0 };
    for (number, step) in steps.iter().enumerate() {
        let candidates = split_alike(case, coded, outcome, &state, &mut replay.other_splits)?;
        let chosen = chosen(coded, outcome, step, &candidates)
            .map_err(|reason| TestCaseError::fail(format!("step {number}: {reason}")))?;
        let next = State::perform(case, &state, chosen);
        check_step(step, chosen).map_err(|reason| TestCaseError::fail(format!("step {number}: {reason}")))?;
        replay.candidates.push(candidates);
        replay.states.push(std::mem::replace(&mut state, next));
    }
    let candidates = split_alike(case, coded, outcome, &state, &mut replay.other_splits)?;
    let left = best(&candidates);
    prop_assert!(left.is_none(), "the search ended before {left:?}");
    replay.candidates.push(candidates);
    replay.states.push(state);
    Ok(replay)
}

/// Returns the reference's candidates. If the engine's optimal split of an interval is at another point, it must be as
/// good, and replaces the candidate: the score and all later steps depend on the point.
pub fn split_alike(
    case: &Case,
    coded: &Coded,
    outcome: &Outcome,
    state: &State,
    others: &mut usize,
) -> Result<Vec<Candidate>, TestCaseError> {
    let mut all = candidates(case, state);
    for candidate in all.iter_mut().filter(|candidate| candidate.split.is_some()) {
        let at = coded.split_point(outcome, candidate.attribute, &candidate.node);
        // The point of a valid split may change before it is performed, so only optimal ones are compared.
        if case.split == Split::Optimal && at != candidate.split {
            let Some(at) = at else {
                return Err(TestCaseError::fail(format!("the engine does not split {candidate:?}")));
            };
            let other = split_at(case, state, candidate.attribute, &candidate.node, at);
            prop_assert!(other.gain >= candidate.gain - TIE, "a split at {at} is worse than {candidate:?}");
            *candidate = other;
            *others += 1;
        }
    }
    Ok(all)
}

/// Returns the candidate that the engine's step performs. It must be the first of the best.
pub fn chosen<'a>(
    coded: &Coded,
    outcome: &Outcome,
    step: &Step,
    candidates: &'a [Candidate],
) -> Result<&'a Candidate, String> {
    let node = coded.node(outcome, step.attribute, step.node);
    let children: Vec<Node> =
        step.children.iter().map(|child| coded.node(outcome, step.attribute, *child)).collect();
    let chosen = candidates
        .iter()
        .find(|c| c.attribute == step.attribute && c.node == node && c.children == children)
        .ok_or(format!("no candidate is {} {node:?} -> {children:?}", step.attribute))?;
    if !chosen.valid || !chosen.beneficial {
        return Err(format!("may not be performed: {chosen:?}"));
    }
    let eligible = eligible(candidates);
    let most = eligible.iter().map(|candidate| candidate.score).fold(f64::NEG_INFINITY, f64::max);
    let first = eligible.into_iter().find(|candidate| candidate.score >= most - CLOSE * most.abs());
    if first != Some(chosen) {
        return Err(format!("not {first:?} was performed but {chosen:?}"));
    }
    Ok(chosen)
}

/// Checks the numbers of a step against the candidate of the reference.
pub fn check_step(step: &Step, chosen: &Candidate) -> Result<(), TestCaseError> {
    prop_assert_eq!(step.records, chosen.records as u64, "records");
    for (what, engine, reference) in [
        ("info_gain", step.info_gain, chosen.gain),
        ("privacy_loss", step.privacy_loss, chosen.privacy_loss),
        ("score", step.score, chosen.score),
    ] {
        prop_assert!(close(engine, reference), "{what} is {engine}, not that of {chosen:?}");
    }
    prop_assert!(all_close(&step.achieved, &chosen.achieved), "achieved {:?}: {chosen:?}", step.achieved);
    Ok(())
}

/// Checks the measures, withheld rows and cuts of an outcome against the final state of the reference.
pub fn check_end(case: &Case, coded: &Coded, outcome: &Outcome, state: &State) -> Result<(), TestCaseError> {
    let expected = achieved(case, state);
    prop_assert!(all_close(&outcome.achieved, &expected), "{:?} is not {expected:?}", outcome.achieved);
    if case.withhold.is_some() {
        prop_assert_eq!(&outcome.withheld, &withheld(case, state));
    }
    for (attribute, cut) in outcome.cuts.iter().enumerate() {
        let node = |id| coded.node(outcome, attribute, id);
        for row in 0..case.rows.len() {
            let released = node(cut.node_for(coded.code(attribute, row)));
            prop_assert_eq!(released, released_node(case, state, attribute, row), "{} of {}", attribute, row);
        }
        // The reference's `*` stays when nothing is suppressed any more.
        let rows = 0..case.rows.len();
        let star = rows.into_iter().any(|row| released_node(case, state, attribute, row) == Node::Star);
        let expected: Vec<&Node> =
            state.cuts[attribute].iter().filter(|node| **node != Node::Star || star).collect();
        let nodes: Vec<Node> = cut.nodes().map(node).collect();
        prop_assert_eq!(nodes.len(), expected.len(), "cut {:?}, not {:?}", &nodes, &expected);
        prop_assert!(expected.iter().all(|node| nodes.contains(node)), "cut {nodes:?}, not {expected:?}");
    }
    Ok(())
}

/// Checks that each model's measure only worsens, from the most general table on.
pub fn check_worsening(case: &Case, coded: &Coded, outcome: &Outcome) -> Result<(), TestCaseError> {
    let mut before = &achieved(case, &State::initial(case));
    for after in outcome.steps.iter().map(|step| &step.achieved) {
        for (model, (before, after)) in case.models.iter().zip(before.iter().zip(after)) {
            let direction = coded.model(model).direction();
            prop_assert!(close(direction.worse(*before, *after), *after), "{before} to {after}: {model:?}");
        }
        before = after;
    }
    prop_assert!(all_close(&outcome.achieved, before), "{:?} at the end", outcome.achieved);
    Ok(())
}

/// Checks that exactly the implied models are flagged redundant, that each holds wherever the model that makes it
/// redundant does, in every state that the search looked at, and that flags lead to a model that is tested.
pub fn check_redundant(case: &Case, outcome: &Outcome, replay: &Replay) -> Result<(), TestCaseError> {
    let models = case.models.len();
    prop_assert_eq!(outcome.redundant.len(), models);
    for (model, by) in outcome.redundant.iter().enumerate() {
        let implied = (0..models).any(|other| other != model && makes_redundant(case, other, model));
        prop_assert_eq!(by.is_some(), implied, "{:?} in {:?}", &case.models[model], &case.models);
        let Some(by) = by else { continue };
        prop_assert!(*by != model);
        for candidate in replay.candidates.iter().flatten() {
            let holds = |model: usize| holds(&case.models[model], candidate.achieved[model]);
            prop_assert!(holds(model) || !holds(*by), "{by} does not imply {model}: {candidate:?}");
        }
        let tested =
            std::iter::successors(Some(model), |model| outcome.redundant[*model]).take(models).last();
        prop_assert!(tested.is_some_and(|model| outcome.redundant[model].is_none()), "a circle");
    }
    Ok(())
}

/// Says whether `weaker` must be flagged because of `stronger`. Of two equivalent models the first stays.
fn makes_redundant(case: &Case, stronger: usize, weaker: usize) -> bool {
    let (a, b) = (&case.models[stronger], &case.models[weaker]);
    implies(a, b) && (stronger < weaker || !implies(b, a))
}

/// Says whether `weaker` holds wherever `stronger` does, by their parameters. TDS section 3: <QID, k> makes <QID', k'>
/// redundant if QID' is in QID and k' <= k. PDA Lemma 3.1: the same for templates with h' >= h.
fn implies(stronger: &Model, weaker: &Model) -> bool {
    weaker.attributes().iter().all(|attribute| stronger.attributes().contains(attribute))
        && match (stronger, weaker) {
            (
                Model::KAnonymity { k: strong, person: a, .. },
                Model::KAnonymity { k: weak, person: b, .. },
            ) => weak <= strong && (b.is_none() || a == b),
            (Model::KMap { k: strong, population: a, .. }, Model::KMap { k: weak, population: b, .. }) => {
                weak <= strong && a == b
            }
            (
                Model::ConfidenceBound { sensitive: a, values: among, max_confidence: strong, .. },
                Model::ConfidenceBound { sensitive: b, values, max_confidence: weak, .. },
            ) => a == b && weak >= strong && values.iter().all(|value| among.contains(value)),
            (
                Model::LDiversity { sensitive: a, kind: strong, .. },
                Model::LDiversity { sensitive: b, kind: weak, .. },
            ) => a == b && less_diverse(weak, strong),
            (
                Model::TCloseness { sensitive: a, t: strong, distance: this, .. },
                Model::TCloseness { sensitive: b, t: weak, distance: that, .. },
            ) => a == b && this == that && weak >= strong,
            (
                Model::BetaLikeness { sensitive: a, beta: strong, .. },
                Model::BetaLikeness { sensitive: b, beta: weak, .. },
            ) => a == b && weak >= strong,
            (
                Model::BoundedKnowledge { model: a, known: more },
                Model::BoundedKnowledge { model: b, known },
            ) => known <= more && implies(a, b),
            (_, Model::BoundedKnowledge { model, .. }) => implies(stronger, model),
            _ => false,
        }
}

fn less_diverse(weak: &Diversity, strong: &Diversity) -> bool {
    match (weak, strong) {
        (Diversity::Distinct { l: weak }, Diversity::Distinct { l: strong }) => weak <= strong,
        (Diversity::Entropy { l: weak }, Diversity::Entropy { l: strong }) => weak <= strong,
        (Diversity::Recursive { l, c }, Diversity::Recursive { l: more, c: less }) => l <= more && c >= less,
        _ => false,
    }
}

pub fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= CLOSE * a.abs().max(b.abs()).max(1.0)
}

pub fn all_close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b))
}
