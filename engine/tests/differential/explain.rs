//! The engine's reasons for not refining a node further, after a whole search and after some of its steps. The
//! reference is the judge.

use super::adapter::Coded;
use super::again::trace;
use super::replay::close;
use super::{cases, for_all, must_search, withholding, Seen};
use crate::reference::*;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use topdown::{Explained, Reason, Shortfall};

#[test]
fn a_release_is_explained_as_by_the_reference() {
    let seen = Seen::default();
    let drawn = prop_oneof![2 => cases(), 1 => withholding::cases()];
    for_all(20_000, (drawn, 0..12usize), |(case, most)| {
        let coded = Coded::new(&case);
        if coded.search(Some(0)).is_err() {
            prop_assert!(coded.explain(&[]).is_err());
            return Ok(());
        }
        let found = must_search(&coded, None)?;
        let whole = trace(&coded, &found);
        seen.note("searched", true);
        check(&case, &coded, &whole, true, &seen)?;
        check(&case, &coded, &whole[..most.min(whole.len())], false, &seen)
    });
    for (what, least) in [
        ("unused", 0.001),
        ("leaf", 0.5),
        ("finest", 0.01),
        ("no point", 0.01),
        ("one class", 0.1),
        ("breaks", 0.5),
        ("breaks, of some groups", 0.2),
        ("breaks, a value", 0.05),
        ("breaks, rows are withheld", 0.02),
        ("tells nothing", 0.02),
        ("tells nothing, a value", 0.002),
        ("open", 0.3),
        ("open, a value", 0.05),
    ] {
        assert!(seen.share(what, "searched") >= least, "{what} is too rare");
    }
}

/// Checks the engine's reason for every node after a trace. `ended` says whether the search ended there by itself.
pub fn check(case: &Case, coded: &Coded, trace: &[Refinement], ended: bool, seen: &Seen) -> TestCaseResult {
    let (replayed, nodes) = coded.explain(trace).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(replayed.performed, (0..trace.len()).map(Some).collect::<Vec<_>>());
    let outcome = replayed.outcome;
    let (state, _) = perform_again(case, trace);
    let cut: usize = outcome.cuts.iter().map(|cut| cut.nodes().count()).sum();
    prop_assert_eq!(nodes.len(), cut);
    for Explained { attribute, node, refinement: how, reason, groups } in nodes {
        prop_assert_eq!(groups, None);
        let id = node;
        let node = coded.node(&outcome, attribute, id);
        let children = |how: &Option<topdown::Refinement>| {
            coded.children(&outcome, attribute, id, how.as_ref().expect("a way"))
        };
        let expected = why(case, &state, attribute, &node);
        let of = |what: &str| format!("{what} {node:?} of {attribute}: {reason:?}, not {expected:?}");
        let is_value = matches!(how, Some(topdown::Refinement::Disclose { .. }));
        match (&reason, &expected) {
            (Reason::Unused, Why::Unused) => seen.note("unused", true),
            (Reason::Leaf, Why::Leaf) => seen.note("leaf", true),
            (Reason::Finest, Why::Finest) => seen.note("finest", true),
            (Reason::NoPoint, Why::NoPoint) => seen.note("no point", true),
            (Reason::OneClass, Why::OneClass) => seen.note("one class", true),
            (Reason::Open, Why::Open(open)) => {
                prop_assert!(!ended, "{}", of("the search has ended before"));
                let children = children(&how);
                prop_assert!(is_as_good(case, &state, open, &children), "{}", of("another way for"));
                seen.note("open", true);
                seen.note("open, a value", is_value);
            }
            (Reason::BelowChance { gain }, Why::TellsNothing(all)) => {
                let after = state.refine(attribute, &node, &children(&how));
                let expected = conditional_gain(case, attribute, &state, &after);
                prop_assert!(*gain < 0.0 && close(*gain, expected), "{}", of("another gain for"));
                let most = all
                    .iter()
                    .map(|c| conditional_gain(case, attribute, &state, &State::perform(case, &state, c)));
                prop_assert!(most.into_iter().all(|other| other <= *gain + TIE), "{}", of("not the best of"));
                seen.note("tells nothing", true);
                seen.note("tells nothing, a value", is_value);
            }
            (Reason::Breaks(shortfall), Why::Breaks(all)) => {
                let children = children(&how);
                if let Some(topdown::Refinement::Disclose { codes }) = &how {
                    let most = |value: Value| count_rows_with_value(case, &state, attribute, value);
                    let value = |c: &Candidate| match c.children[0] {
                        Node::Value(code) => Value::Code(code),
                        _ => Value::Null,
                    };
                    let this = most(coded.value(attribute, codes[0]));
                    prop_assert!(all.iter().all(|c| most(value(c)) <= this), "{}", of("a rarer value of"));
                } else {
                    prop_assert!(is_as_good(case, &state, all, &children), "{}", of("another way for"));
                }
                let redundant = |model: usize| outcome.redundant[model].is_some();
                let expected =
                    crate::reference::shortfall(case, &state, (attribute, &node, &children), redundant);
                check_shortfall(case, &state, shortfall, expected.as_ref())?;
                seen.note("breaks", true);
                seen.note("breaks, of some groups", shortfall.broken < shortfall.groups);
                seen.note("breaks, a value", is_value);
                seen.note("breaks, rows are withheld", shortfall.left.is_some_and(|left| left > 0));
            }
            _ => return Err(TestCaseError::fail(of("another reason for"))),
        }
    }
    Ok(())
}

/// Says whether `children` are those of a candidate in `all`, or split an interval with a gain no smaller.
fn is_as_good(case: &Case, state: &State, all: &[Candidate], children: &[Node]) -> bool {
    all.iter().any(|candidate| {
        let Candidate { attribute, node, gain, .. } = candidate;
        let as_good = || match children {
            [Node::Interval { to: Some(at), .. }, _] => {
                split_at(case, state, *attribute, node, *at).gain >= gain - TIE
            }
            _ => false,
        };
        candidate.children == children || as_good()
    })
}

fn check_shortfall(
    case: &Case,
    state: &State,
    shortfall: &Shortfall,
    expected: Option<&explain::Shortfall>,
) -> TestCaseResult {
    let Some(expected) = expected else { return Err(TestCaseError::fail(format!("{shortfall:?}"))) };
    prop_assert!(close(shortfall.achieved, expected.achieved), "{shortfall:?} is not {expected:?}");
    let of = |n: usize| n as u64;
    prop_assert_eq!(
        (shortfall.model, shortfall.broken, shortfall.groups, shortfall.rows),
        (expected.model, of(expected.broken), of(expected.groups), of(expected.rows))
    );
    let out = withheld(case, state).into_iter().filter(|out| *out).count();
    let left = case.withhold.map(|most| of(most - out));
    prop_assert_eq!(shortfall.left, left);
    Ok(())
}
