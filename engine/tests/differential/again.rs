//! The engine's replay of an earlier search's steps, on the same table and on others. The reference's replay is the
//! judge. (In `replay.rs` the reference performs the steps that the engine found.)

use super::adapter::Coded;
use super::replay::{check_step, close};
use super::{cases, for_all, must_search, weakened, Seen};
use crate::reference::generate::MOST_ROWS;
use crate::reference::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use std::collections::HashMap;
use topdown::refine::NodeId;
use topdown::{Error, Outcome, Replayed};

/// Returns the refinements of a search, with the nodes of the reference.
pub fn trace(coded: &Coded, outcome: &Outcome) -> Vec<Refinement> {
    let refinement = |step: &topdown::Step| {
        let node = |id: NodeId| coded.node(outcome, step.attribute, id);
        let children = step.children.iter().copied().map(node).collect();
        Refinement { attribute: step.attribute, node: node(step.node), children }
    };
    outcome.steps.iter().map(refinement).collect()
}

/// Says whether a search and a replay have the same measures of a model to the last bit. A search keeps the worst
/// measures of groups that were divided since. In t-closeness, parts with different distributions may have the same
/// distance except for rounding. Measures of other models differ by more, or come from the same shares.
pub fn is_exact(model: &Model) -> bool {
    !matches!(model.unwrapped(), Model::TCloseness { .. })
}

#[test]
fn a_replay_on_the_same_table_is_the_search() {
    let seen = Seen::default();
    for_all(20_000, cases(), |case| {
        let Some((exact, steps)) = check_again(&case)? else { return Ok(()) };
        seen.note("searched", true);
        seen.note("exact", exact);
        seen.note("exact three steps", exact && steps > 2);
        Ok(())
    });
    assert!(seen.share("exact three steps", "searched") > 0.2);
}

/// Checks that a replay on the same table is the search. Returns whether its measures had to be exact, and the number
/// of steps; None if there is, rightly, no release.
pub fn check_again(case: &Case) -> Result<Option<(bool, usize)>, TestCaseError> {
    let coded = Coded::new(case);
    if !case.holds_initially() {
        prop_assert_eq!(coded.replay(&[]).err(), coded.search(None).err());
        return Ok(None);
    }
    let found = must_search(&coded, None)?;
    let trace = trace(&coded, &found);
    let Replayed { outcome, performed, broken, .. } = replayed(&coded, &trace)?;
    prop_assert_eq!(broken, Vec::<usize>::new());
    let all: Vec<Option<usize>> = (0..trace.len()).map(Some).collect();
    prop_assert_eq!(performed, all);
    let exact = case.models.iter().all(is_exact);
    let same = |a: f64, b: f64| a == b || !exact && close(a, b);
    for (again, step) in outcome.steps.iter().zip(&found.steps) {
        prop_assert_eq!((again.attribute, again.records), (step.attribute, step.records));
        prop_assert_eq!(again.info_gain, step.info_gain);
        prop_assert!(same(again.privacy_loss, step.privacy_loss), "{again:?} is not {step:?}");
        prop_assert!(same(again.score, step.score), "{again:?} is not {step:?}");
        prop_assert!(again.achieved.iter().zip(&step.achieved).all(|(a, b)| same(*a, *b)));
    }
    // A search also splits intervals that it does not refine, so the numbers of equal nodes differ.
    prop_assert_eq!(&self::trace(&coded, &outcome), &trace);
    for attribute in 0..case.attributes.len() {
        let (hierarchy, searched) = (&outcome.hierarchies[attribute], &found.hierarchies[attribute]);
        if hierarchy.domain().is_none() {
            prop_assert_eq!(hierarchy.nodes(), searched.nodes());
            prop_assert_eq!(&outcome.cuts[attribute], &found.cuts[attribute]);
        }
        let node = |outcome: &Outcome, id: NodeId| {
            let node = outcome.hierarchies[attribute].node(id);
            (node.codes.clone(), node.meaning.clone(), node.loss)
        };
        let (again, before) = (&outcome.cuts[attribute], &found.cuts[attribute]);
        prop_assert_eq!(again.nodes().count(), before.nodes().count());
        for row in 0..case.rows.len() {
            let code = coded.code(attribute, row);
            prop_assert_eq!(node(&outcome, again.node_for(code)), node(&found, before.node_for(code)));
        }
    }
    prop_assert!(outcome.achieved.iter().zip(&found.achieved).all(|(a, b)| same(*a, *b)));
    prop_assert_eq!(&outcome.redundant, &found.redundant);
    prop_assert_eq!(&outcome.withheld, &found.withheld);
    Ok(Some((exact, trace.len())))
}

fn replayed(coded: &Coded, trace: &[Refinement]) -> Result<Replayed, TestCaseError> {
    coded.replay(trace).map_err(|error| TestCaseError::fail(error.to_string()))
}

/// Generates a table for a search and another of the same columns for the replay. Some rows are in both, and some
/// columns of the second are shifted against the others. The first may have weaker models.
pub fn pairs() -> impl Strategy<Value = (Case, Case)> {
    let shift = prop_oneof![2 => Just(0), 1 => 1..MOST_ROWS];
    let whose = prop_oneof![4 => Just(0u8), 1 => Just(1), 4 => Just(2)];
    let few = prop_oneof![2 => Just(MOST_ROWS), 1 => 1..8usize];
    let drawn = (cases(), vec(whose, MOST_ROWS), vec(shift, 8), 0..3u8, few);
    drawn.prop_map(|(case, whose, shifts, less, few)| {
        // 0: a row of the first table, 1: of the second, 2: of both.
        let rows = |other: u8| {
            let of = case.rows.iter().zip(&whose).filter(|(_, whose)| **whose != other);
            let some: Vec<Row> = of.map(|(row, _)| row.clone()).collect();
            Some(some).filter(|some| !some.is_empty()).unwrap_or(case.rows.clone())
        };
        let (first, mut second) = (rows(1), rows(0));
        second.truncate(few);
        let unshifted = second.clone();
        for (at, row) in second.iter_mut().enumerate() {
            let from = |column: usize| &unshifted[(at + shifts[column]) % unshifted.len()];
            let columns = row.values.len();
            for (column, value) in row.values.iter_mut().enumerate() {
                *value = from(column).values[column];
            }
            row.class = from(columns).class;
            for (column, value) in row.sensitive.iter_mut().enumerate() {
                *value = from(columns + 1 + column).sensitive[column];
            }
        }
        let mut models: Vec<Model> = Vec::new();
        for mut model in case.models.clone() {
            for _ in 0..less {
                model = weakened(model);
            }
            if !models.contains(&model) {
                models.push(model);
            }
        }
        (Case { rows: first, models, ..case.clone() }, Case { rows: second, ..case })
    })
}

/// A change of a trace: 0 removes a refinement, 1 swaps two, 2 repeats one.
type Edit = (u8, usize, usize);

fn edited(mut trace: Vec<Refinement>, edits: &[Edit]) -> Vec<Refinement> {
    for &(what, one, other) in edits {
        if trace.is_empty() {
            break;
        }
        let (one, other) = (one % trace.len(), other % trace.len());
        match what {
            0 => drop(trace.remove(one)),
            1 => trace.swap(one, other),
            // If a split is repeated, the origin of its halves is ambiguous.
            _ if matches!(trace[one].children[0], Node::Interval { .. }) => {}
            _ => trace.insert(other, trace[one].clone()),
        }
    }
    trace
}

#[test]
fn a_replay_on_another_table_is_the_reference_replay() {
    let seen = Seen::default();
    let inputs = (pairs(), vec((0..3u8, 0..64usize, 0..64usize), 0..3));
    for_all(20_000, inputs, |((before, now), edits)| {
        let coded = Coded::new(&before);
        let Ok(found) = coded.search(None) else { return Ok(()) };
        let trace = edited(trace(&coded, &found), &edits);
        let coded = Coded::new(&now);
        seen.note("cases", true);
        let replayed = match coded.replay(&trace) {
            Err(Error::Unsatisfiable { model, .. }) => {
                prop_assert!(!now.holds_initially());
                let initially = achieved(&now, &State::initial(&now))[model];
                prop_assert!(!holds(&now.models[model], initially), "{model} does hold");
                return Ok(());
            }
            other => other.map_err(|error| TestCaseError::fail(error.to_string()))?,
        };
        prop_assert!(now.holds_initially(), "the most general table is not to be released");
        seen.note("replayed", true);
        let (state, steps) = perform_again(&now, &trace);
        check(&now, &coded, &trace, &replayed, &state, &steps)?;
        let left_out = |at: &usize| steps[*at].is_none();
        let ends = |node: &Node| matches!(node, Node::Interval { .. });
        let empty = |refinement: &Refinement| {
            let rows = 0..now.rows.len();
            let covers = |row: usize, node: &Node| {
                state::covers(&now, refinement.attribute, node, now.rows[row].values[refinement.attribute])
            };
            refinement.children.iter().any(|node| ends(node) && !rows.clone().any(|row| covers(row, node)))
        };
        seen.note("whole", !trace.is_empty() && steps.iter().all(Option::is_some));
        seen.note("left out", (0..trace.len()).any(|at| left_out(&at)));
        seen.note("goes on", (1..trace.len()).any(|at| !left_out(&at) && (0..at).any(|at| left_out(&at))));
        seen.note("no records", steps.iter().flatten().any(|step| step.records == 0));
        seen.note("an empty half", (0..trace.len()).any(|at| !left_out(&at) && empty(&trace[at])));
        seen.note("five steps", replayed.outcome.steps.len() > 4);
        Ok(())
    });
    for (what, least) in [
        ("whole", 0.2),
        ("left out", 0.2),
        ("goes on", 0.1),
        ("no records", 0.005),
        ("an empty half", 0.05),
        ("five steps", 0.05),
    ] {
        assert!(seen.share(what, "replayed") >= least, "{what} is too rare");
    }
}

/// Checks a replay against the reference's, step by step and at its end. Every model must hold, and no released node
/// may be finer than the trace makes it.
fn check(
    case: &Case,
    coded: &Coded,
    trace: &[Refinement],
    replayed: &Replayed,
    state: &State,
    steps: &[Option<Candidate>],
) -> TestCaseResult {
    let Replayed { outcome, performed, broken, .. } = replayed;
    prop_assert!(broken.iter().all(|&at| performed[at].is_none()), "{broken:?} of {performed:?}");
    let same = performed.iter().map(Option::is_some).eq(steps.iter().map(Option::is_some));
    prop_assert!(same, "{performed:?} are performed of {trace:?}, not {steps:?}");
    prop_assert!(performed.iter().flatten().copied().eq(0..outcome.steps.len()), "{performed:?}");
    // The codes of an interval without values do not show its ends, so the trace names the nodes.
    let coarsest = outcome.hierarchies.iter().map(|hierarchy| hierarchy.coarsest().iter().copied());
    let initial = State::initial(case).cuts.into_iter().zip(coarsest);
    let mut names: Vec<HashMap<NodeId, Node>> = initial.map(|(cut, ids)| ids.zip(cut).collect()).collect();
    for (at, expected) in steps.iter().enumerate() {
        let (Some(expected), Some(step)) = (expected, performed[at]) else { continue };
        let (step, refinement) = (&outcome.steps[step], &trace[at]);
        check_step(step, expected).map_err(|reason| TestCaseError::fail(format!("{at}: {reason}")))?;
        prop_assert_eq!(step.attribute, refinement.attribute);
        let names = &mut names[step.attribute];
        prop_assert_eq!(names.get(&step.node), Some(&refinement.node));
        prop_assert_eq!(step.children.len(), refinement.children.len());
        names.extend(step.children.iter().copied().zip(refinement.children.iter().copied()));
    }
    let numbers = outcome.steps.iter().flat_map(|s| [s.info_gain, s.privacy_loss, s.score]);
    prop_assert!(numbers.clone().all(|number| !number.is_nan()), "{:?}", numbers.collect::<Vec<_>>());
    let losses = outcome.hierarchies.iter().flat_map(|h| h.nodes()).map(|node| node.loss);
    prop_assert!(losses.clone().all(|loss| (0.0..=1.0).contains(&loss)), "{:?}", losses.collect::<Vec<_>>());

    let finest = final_state_without_models(case, trace);
    for (attribute, cut) in outcome.cuts.iter().enumerate() {
        let name = |id: NodeId| names[attribute].get(&id).copied();
        let mut star = false;
        for row in 0..case.rows.len() {
            let released = released_node(case, state, attribute, row);
            prop_assert_eq!(name(cut.node_for(coded.code(attribute, row))), Some(released));
            star |= released == Node::Star;
            let of_trace = released_node(case, &finest, attribute, row);
            prop_assert!(
                is_under(trace, attribute, of_trace, released),
                "{released:?} is finer than {of_trace:?}"
            );
        }
        let nodes: Vec<Option<Node>> = cut.nodes().map(name).collect();
        let expected: Vec<&Node> =
            state.cuts[attribute].iter().filter(|node| **node != Node::Star || star).collect();
        prop_assert_eq!(nodes.len(), expected.len(), "cut {:?}, not {:?}", &nodes, &expected);
        prop_assert!(
            expected.iter().all(|node| nodes.contains(&Some(**node))),
            "{nodes:?}, not {expected:?}"
        );
    }
    // The groups are those of the reference, so these measures are recounted from the rows.
    let expected = achieved(case, state);
    prop_assert!(expected.iter().zip(&outcome.achieved).all(|(a, b)| close(*a, *b)));
    if case.withhold.is_some() {
        prop_assert_eq!(&outcome.withheld, &withheld(case, state));
    }
    prop_assert!(all_hold(case, state), "{expected:?} does not hold");
    let searched = coded.search(Some(0)).map(|outcome| outcome.redundant);
    prop_assert_eq!(Ok(&outcome.redundant), searched.as_ref());
    Ok(())
}

/// Says whether `node` is `above`, or made of it by the trace.
fn is_under(trace: &[Refinement], attribute: usize, node: Node, above: Node) -> bool {
    let parent = |node: Node| {
        let made = |r: &&Refinement| r.attribute == attribute && r.node != node && r.children.contains(&node);
        trace.iter().find(made).map(|refinement| refinement.node)
    };
    std::iter::successors(Some(node), |node| parent(*node)).any(|node| node == above)
}
