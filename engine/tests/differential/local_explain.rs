//! The engine's reasons for not refining groups further, after a whole local search and after some of its steps. The
//! reference is the judge.

use crate::differential::adapter::Coded;
use crate::differential::local::again::trace;
use crate::differential::local::{follow, local_cases, searched};
use crate::differential::replay::close;
use crate::differential::{for_all, Seen};
use crate::reference::local::{evaluate, perform_again, split_off, Candidate, Group, Refinement};
use crate::reference::local_explain::{shortfall, why, Why};
use crate::reference::search::halves;
use crate::reference::{Case, Node};
use crate::small;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use std::collections::BTreeMap;
use topdown::refine::Hierarchy;
use topdown::{explain, Code, Error, Explained, Problem, Reason, Recoding, Recorded, Replayed};

impl Coded<'_> {
    fn explain_locally(&self, trace: &[Refinement]) -> Result<(Replayed, Vec<Explained>), Error> {
        let recorded: Vec<Recorded> =
            trace.iter().map(|refinement| self.recorded_locally(trace, refinement)).collect();
        explain(self.locally(None), &recorded)
    }
}

#[test]
fn a_local_release_is_explained_as_by_the_reference() {
    let seen = Seen::default();
    for_all(8_000, (local_cases(), 0..6usize), |(case, most)| {
        let coded = Coded::new(&case);
        let Some(found) = searched(&case, &coded)? else {
            prop_assert!(coded.explain_locally(&[]).is_err());
            return Ok(());
        };
        let whole = trace(&follow(&case, &coded, &found)?);
        seen.note("searched", true);
        check(&case, &coded, &whole, true, &seen)?;
        check(&case, &coded, &whole[..most.min(whole.len())], false, &seen)
    });
    let rare = [
        ("leaf", 0.5),
        ("one value", 0.05),
        ("finest", 0.01),
        ("no point", 0.01),
        ("shown", 0.1),
        ("one class", 0.1),
        ("breaks", 0.5),
        ("breaks, a value", 0.05),
        ("breaks, a part of several", 0.2),
        ("breaks, one nearer than another", 0.05),
        ("tells nothing", 0.01),
        ("open", 0.3),
        ("open, in part", 0.02),
        ("several at once", 0.02),
        ("several groups", 0.2),
        ("several reasons", 0.1),
    ];
    let rare = rare.into_iter().filter(|(what, least)| seen.share(what, "searched") < *least);
    assert_eq!(rare.collect::<Vec<_>>(), [], "too rare");
}

/// Reasons of the groups that are released as a node of a column, in the order of the engine's report.
type Reasons = BTreeMap<u8, Vec<(Group, Why)>>;

/// Checks the engine's reasons after a trace. `ended` says whether the search ended there by itself.
fn check(case: &Case, coded: &Coded, trace: &[Refinement], ended: bool, seen: &Seen) -> TestCaseResult {
    let (replayed, nodes) =
        coded.explain_locally(trace).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(replayed.performed, (0..trace.len()).map(Some).collect::<Vec<_>>());
    let outcome = replayed.outcome;
    let (groups, _) = perform_again(case, trace);
    let mut expected: BTreeMap<(usize, String), Reasons> = BTreeMap::new();
    for (attribute, group) in (0..case.attributes.len()).flat_map(|a| groups.iter().map(move |g| (a, g))) {
        let why = why(case, group, attribute);
        let reasons = expected.entry((attribute, format!("{:?}", group.nodes[attribute]))).or_default();
        reasons.entry(place(&why)).or_default().push((group.clone(), why));
    }
    let told = nodes.iter().map(|explained| {
        let node = coded.to_reference_node(
            &outcome.hierarchies[explained.attribute],
            explained.attribute,
            explained.node,
        );
        (explained.attribute, format!("{node:?}"))
    });
    let told: Vec<(usize, String)> = told.collect();
    prop_assert_eq!(told.len(), expected.values().map(Reasons::len).sum::<usize>());
    for (explained, node) in nodes.iter().zip(&told) {
        let of =
            |what: &str| TestCaseError::fail(format!("{what} {explained:?}, not {:?}", expected.get(node)));
        let reasons = expected.get(node).ok_or_else(|| of("no such node for"))?;
        seen.note("several reasons", reasons.len() > 1);
        let is_kind = |(_, all): &(&u8, &Vec<(Group, Why)>)| is_like(&explained.reason, &all[0].1);
        let (_, all) = reasons.iter().find(is_kind).ok_or_else(|| of("another reason for"))?;
        prop_assert_eq!(explained.groups, Some(all.len() as u64), "groups of {:?}", explained);
        seen.note("several groups", all.len() > 1);
        prop_assert!(
            !(ended && explained.reason == Reason::Open),
            "the search has ended before {explained:?}"
        );
        let redundant = |model: usize| outcome.redundant[model].is_some();
        check_reason(case, coded, explained, all, redundant, seen).map_err(|reason| of(&reason))?;
    }
    Ok(())
}

/// Checks that a reason is that of the group nearest to being refined.
fn check_reason(
    case: &Case,
    coded: &Coded,
    Explained { attribute, refinement: how, reason, .. }: &Explained,
    all: &[(Group, Why)],
    redundant: impl Fn(usize) -> bool,
    seen: &Seen,
) -> Result<(), String> {
    let beside = match how {
        Some(topdown::Refinement::Disclose { codes }) => codes.len() - 1,
        _ => 0,
    };
    let same = |refined: &Candidate| how.as_ref().is_some_and(|how| is_way(coded, *attribute, how, refined));
    let disclosed =
        |refined: &Candidate| refined.children.iter().filter(|child| **child != Node::Star).count();
    let as_many = |(_, why): &(Group, Why)| match why {
        Why::Breaks(refined) | Why::TellsNothing(refined) | Why::Open(refined) => {
            disclosed(refined) == beside + 1
        }
        _ => false,
    };
    if matches!(how, Some(topdown::Refinement::Disclose { .. })) && !all.iter().any(as_many) {
        return Err(format!("not {beside} more values are disclosed with that of"));
    }
    seen.note("several at once", beside > 0);
    match reason {
        Reason::Leaf => {
            seen.note("leaf", true);
            let of_one_value = matches!(all[0].0.nodes[*attribute], Node::Interval { .. });
            seen.note("one value", of_one_value);
        }
        Reason::Finest => seen.note("finest", true),
        Reason::Shown => seen.note("shown", true),
        Reason::NoPoint => seen.note("no point", true),
        Reason::OneClass => seen.note("one class", true),
        Reason::Breaks(told) => {
            let lacks = |refined: &Candidate| shortfall(case, refined, &redundant).expect("what it breaks");
            let broken: Vec<_> = (all.iter())
                .filter_map(|(_, why)| if let Why::Breaks(refined) = why { Some(refined) } else { None })
                .map(|refined| (refined, lacks(refined)))
                .collect();
            let least = broken.iter().map(|(_, (.., rows))| *rows).min().expect("a group");
            let is = |(refined, (model, achieved, parts, of, rows)): &(
                &Candidate,
                (usize, f64, u64, u64, u64),
            )| {
                same(refined)
                    && (told.model, told.broken, told.groups, told.rows) == (*model, *parts, *of, *rows)
                    && close(told.achieved, *achieved)
            };
            if told.rows != least || told.left.is_some() || !broken.iter().any(is) {
                return Err(format!("not the nearest, with {least} rows, of {broken:?} is"));
            }
            seen.note("breaks", true);
            seen.note("breaks, a value", matches!(how, Some(topdown::Refinement::Disclose { .. })));
            seen.note("breaks, a part of several", told.broken < told.groups);
            seen.note("breaks, one nearer than another", broken.iter().any(|(_, (.., rows))| *rows > least));
        }
        Reason::BelowChance { gain } => {
            let told = |(group, why): &(Group, Why)| match why {
                Why::TellsNothing(refined) => {
                    Some(reported_gain(case, coded, group, *attribute, how.as_ref(), refined))
                }
                _ => None,
            };
            let most = all.iter().filter_map(told).fold(f64::NEG_INFINITY, f64::max);
            if *gain >= 0.0 || !close(*gain, most) {
                return Err(format!("{most} is told, not that of"));
            }
            seen.note("tells nothing", true);
        }
        Reason::Open => {
            seen.note("open", true);
            seen.note("open, in part", matches!(how, Some(topdown::Refinement::SplitOff { .. })));
            if how.is_none() {
                return Err("no way for".into());
            }
        }
        Reason::FewRows { .. } => return Err("groups need no more rows than the models ask for, but".into()),
        Reason::Unused => return Err("every node is of some group, but".into()),
    }
    Ok(())
}

/// Returns the gain of a refinement. If the engine splits at another point that is as good, returns the gain there.
fn reported_gain(
    case: &Case,
    coded: &Coded,
    group: &Group,
    attribute: usize,
    how: Option<&topdown::Refinement>,
    refined: &Candidate,
) -> f64 {
    let points = crate::reference::local::points(case, group, attribute);
    let at = |at: &f64| how == Some(&topdown::Refinement::split(coded.rank(attribute, *at)));
    match (group.nodes[attribute], points.into_iter().find(at)) {
        (node @ Node::Interval { .. }, Some(at)) => {
            let other = evaluate(case, group, attribute, halves(&node, at));
            if other.valid && (other.unknown - refined.unknown).abs() < 1e-9 {
                other.table_gain
            } else {
                refined.table_gain
            }
        }
        _ => refined.table_gain,
    }
}

fn is_way(coded: &Coded, attribute: usize, how: &topdown::Refinement, refined: &Candidate) -> bool {
    match (how, refined.children[0]) {
        (topdown::Refinement::Split { at, .. }, Node::Interval { to: Some(to), .. }) => {
            coded.rank(attribute, to) == *at
        }
        (topdown::Refinement::Disclose { codes }, value) => {
            coded.initial_node(attribute, &value) == Some(Hierarchy::disclosed_node(codes[0]))
        }
        (topdown::Refinement::Specialize, _) => split_off(coded.case, attribute, &refined.children).is_none(),
        (topdown::Refinement::SplitOff { children }, _) => {
            let off = split_off(coded.case, attribute, &refined.children).unwrap_or_default();
            let known = |child: &Node| coded.initial_node(attribute, child).expect("a child");
            *children == off.iter().map(known).collect::<Vec<_>>()
        }
        _ => false,
    }
}

fn place(why: &Why) -> u8 {
    match why {
        Why::Open(_) => 0,
        Why::Breaks(_) => 1,
        Why::TellsNothing(_) => 2,
        Why::OneClass => 3,
        Why::NoPoint => 4,
        Why::Leaf => 5,
        Why::Finest => 6,
        Why::Shown => 7,
    }
}

fn is_like(reason: &Reason, why: &Why) -> bool {
    matches!(
        (reason, why),
        (Reason::Open, Why::Open(_))
            | (Reason::Breaks(_), Why::Breaks(_))
            | (Reason::BelowChance { .. }, Why::TellsNothing(_))
            | (Reason::OneClass, Why::OneClass)
            | (Reason::NoPoint, Why::NoPoint)
            | (Reason::Leaf, Why::Leaf)
            | (Reason::Finest, Why::Finest)
            | (Reason::Shown, Why::Shown)
    )
}

/// A group that only the factor of its size keeps from being refined is not said to be open.
#[test]
fn a_factor_of_the_group_size_is_a_reason() {
    let column = |codes: Vec<Code>, hierarchy| small::Column { codes, hierarchy };
    let edges = [("a", "top"), ("b", "top")];
    let tree = Hierarchy::by_taxonomy(&small::taxonomy(&edges), false).unwrap();
    let columns = [column(vec![0, 0, 0, 0, 0, 0, 1, 1, 1, 1], tree)];
    let stores = small::stores(&columns);
    let reason = |k, min_size_factor| {
        let problem = small::problem(&columns, &stores, k);
        let problem = Problem { recoding: Recoding::Local, min_size_factor, ..problem };
        let (replayed, explained) = topdown::explain(problem, &[]).unwrap();
        assert!(replayed.outcome.steps.is_empty() && explained.len() == 1);
        explained[0].reason
    };
    assert_eq!(reason(2, 2), Reason::Open);
    assert_eq!(reason(2, 3), Reason::FewRows { rows: 4, least: 6 });
    assert!(matches!(reason(5, 1), Reason::Breaks(_)));
}
