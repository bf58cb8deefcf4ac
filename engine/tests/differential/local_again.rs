//! The engine's replay of a local search's steps, on the same table and on others. The reference's replay is the judge.

use crate::differential::adapter::Coded;
use crate::differential::again::pairs;
use crate::differential::local::*;
use crate::differential::replay::{self, all_close};
use crate::differential::{cases, for_all, many, Seen};
use crate::reference::local::*;
use crate::reference::measures::holds;
use crate::reference::state::covers;
use crate::reference::{self, Case, Diversity, Masking, Model, Node, Score, Value};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use topdown::privacy::PrivacyModel;
use topdown::refine::interval::Domain;
use topdown::refine::{Hierarchy, NodeId, TOP};
use topdown::search::RegionId;
use topdown::table::Store;
use topdown::{search, Code, Error, Problem, Recoding, Recorded, Replayed, Step};

impl Coded<'_> {
    /// Returns the number of a node in the problem; one that no node has if it does not exist.
    fn number(&self, attribute: usize, node: &Node) -> NodeId {
        self.initial_node(attribute, node).unwrap_or(NodeId::MAX)
    }

    pub fn recorded_locally(&self, trace: &[Refinement], refinement: &Refinement) -> Recorded {
        let Refinement { of, attribute, children } = refinement;
        let shown = shown_refinements(trace);
        let origin = match of {
            Origin::All(node) => {
                let (attribute, node, children) = (*attribute, *node, children.clone());
                return self.to_recorded(&reference::Refinement { attribute, node, children }, &shown);
            }
            Origin::Root(nodes) => {
                let named = nodes.iter().enumerate();
                let origins = named.map(|(attribute, node)| self.origin(attribute, node, &shown));
                topdown::Origin::Group(origins.collect())
            }
            Origin::Child { step, child } => {
                let Refinement { attribute, children, .. } = &trace[*step];
                match (children.iter().position(|other| other == child), child) {
                    (Some(half), Node::Interval { .. }) if are_halves(children) => {
                        topdown::Origin::Half { trace_index: *step, half }
                    }
                    _ => topdown::Origin::Child { trace_index: *step, node: self.number(*attribute, child) },
                }
            }
        };
        let is_suppression = self.is_suppression(*attribute);
        let how = match children[0] {
            Node::Interval { to: Some(at), .. } => {
                // The upper bits identify the point, because all points are small numbers.
                topdown::Refinement::Split {
                    at: self.rank(*attribute, at),
                    end: (at.to_bits() >> 32) as u32,
                    alone: None,
                }
            }
            _ if is_suppression => {
                let values = children.iter().filter(|child| **child != Node::Star);
                let known = values.filter_map(|value| self.initial_node(*attribute, value));
                topdown::Refinement::Disclose {
                    codes: known.map(|value| value - Hierarchy::disclosed_node(0)).collect(),
                }
            }
            _ => match split_off(self.case, *attribute, children) {
                Some(off) => topdown::Refinement::SplitOff {
                    children: off.iter().map(|child| self.number(*attribute, child)).collect(),
                },
                None => topdown::Refinement::Specialize,
            },
        };
        Recorded { attribute: *attribute, origin, refinement: how }
    }

    pub fn replay_locally(&self, trace: &[Refinement]) -> Result<Replayed, Error> {
        let recorded: Vec<Recorded> =
            trace.iter().map(|refinement| self.recorded_locally(trace, refinement)).collect();
        topdown::replay(self.locally(Some(0)), &recorded)
    }
}

pub fn trace(followed: &Followed) -> Vec<Refinement> {
    followed.shown.iter().cloned().chain(followed.trace.iter().map(Candidate::refinement)).collect()
}

#[test]
fn a_local_replay_on_the_same_table_is_the_search() {
    let seen = Seen::default();
    for_all(6_000, local_cases(), |case| {
        let coded = Coded::new(&case);
        let Some(found) = searched(&case, &coded)? else { return Ok(()) };
        let trace = trace(&follow(&case, &coded, &found)?);
        let replayed = coded.replay_locally(&trace).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let Replayed { outcome, performed, broken, .. } = replayed;
        prop_assert_eq!(performed, (0..trace.len()).map(Some).collect::<Vec<_>>());
        prop_assert_eq!(broken, Vec::<usize>::new());
        // Numbers are equal to the last bit, except measures that the search of shown columns keeps of divided groups.
        let exact =
            count_shown_steps(&found) == 0 || case.models.iter().all(crate::differential::again::is_exact);
        for (again, step) in outcome.steps.iter().zip(&found.steps) {
            let numbers =
                |step: &Step| [&[step.info_gain, step.privacy_loss, step.score], &step.achieved[..]].concat();
            prop_assert_eq!((again.attribute, again.records), (step.attribute, step.records));
            let same =
                numbers(again) == numbers(step) || !exact && all_close(&numbers(again), &numbers(step));
            prop_assert!(same, "{again:?} is not {step:?}");
        }
        prop_assert_eq!(
            crate::differential::again::trace(&coded, &outcome),
            crate::differential::again::trace(&coded, &found)
        );
        prop_assert_eq!(refined(&outcome), refined(&found));
        prop_assert_eq!(&outcome.redundant, &found.redundant);
        // The search of shown columns also splits intervals that it does not refine.
        let columns = case.attributes.iter().zip(outcome.hierarchies.iter().zip(&found.hierarchies));
        for (_, (again, found)) in columns.filter(|(a, (again, _))| !a.shown || again.domain().is_none()) {
            prop_assert_eq!(again.nodes(), found.nodes());
        }
        prop_assert_eq!(leaves(&case, &coded, &outcome)?, leaves(&case, &coded, &found)?);
        seen.note("searched", true);
        seen.note("shown before others", (1..trace.len()).contains(&count_shown_steps(&found)));
        seen.note("three steps", trace.len() > 2);
        Ok(())
    });
    assert!(seen.share("three steps", "searched") > 0.25);
    assert!(seen.share("shown before others", "searched") > 0.05);
}

#[test]
fn a_local_replay_on_another_table_is_the_reference_replay() {
    let seen = Seen::default();
    let twice = prop_oneof![2 => Just(None), 1 => (0..64usize).prop_map(Some)];
    let pairs = (pairs(), rare()).prop_map(|((before, now), rare)| {
        let others: Vec<usize> = rare.iter().skip(1).chain(rare.first()).copied().collect();
        (with_rare(by_one_person(before), &rare), with_rare(by_one_person(now), &others))
    });
    for_all(80_000, (pairs, any::<u32>(), twice), |((before, now), columns, twice)| {
        let coded = Coded::new(&before);
        let Some(found) = searched(&before, &coded)? else { return Ok(()) };
        let mut trace = trace(&follow(&before, &coded, &found)?);
        // A repeated refinement is performed once: the second time its group is divided already.
        if let Some(again) = twice.and_then(|at| trace.get(at % trace.len().max(1))).cloned() {
            trace.push(again);
        }
        let coded = Coded::new(&now);
        seen.note("cases", true);
        let replayed = match coded.replay_locally(&trace) {
            Err(Error::Unsatisfiable { model, achieved, .. }) => {
                prop_assert!(!holds(&now.models[model], achieved), "{model} does hold");
                prop_assert!(!initial_groups(&now).iter().all(|root| keeps(&now, &root.rows)));
                return Ok(());
            }
            other => other.map_err(|error| TestCaseError::fail(error.to_string()))?,
        };
        seen.note("replayed", true);
        let (end, expected) = perform_again(&now, &trace);
        check_replay(&now, &coded, &trace, &replayed, &expected)?;
        leaf_of_each_group(&end, &leaves(&now, &coded, &replayed.outcome)?)?;
        let worst = achieved(&now, &end);
        prop_assert!(all_close(&replayed.outcome.achieved, &worst), "{worst:?} is achieved");
        check_unions(&now, &end, columns)?;
        check_unions(&now, &end, u32::MAX)?;
        check_one_cut(&now, &coded, &replayed.outcome)?;
        // Undoing refinements from the end gives the same groups.
        let by_rows = |mut groups: Vec<Vec<usize>>| {
            groups.iter_mut().for_each(|rows| rows.sort_unstable());
            groups.sort_unstable();
            groups
        };
        let divided = by_rows(end.iter().map(|group| group.rows.clone()).collect());
        prop_assert_eq!(divided, by_rows(replay_backwards(&now, &trace)));
        let is = |at: usize, of: fn(&ReplayResult) -> bool| expected.get(at).is_some_and(of);
        let any = |of: fn(&ReplayResult) -> bool| (0..trace.len()).any(|at| is(at, of));
        let again: fn(&ReplayResult) -> bool = is_performed;
        let is_whole =
            |performed: &ReplayResult| matches!(performed, ReplayResult::Again(_) | ReplayResult::InAll(_));
        seen.note("whole", !trace.is_empty() && expected.iter().all(is_whole));
        seen.note("in part", any(|performed| matches!(performed, ReplayResult::InPart(_))));
        let was = |at: usize| split_off(&now, trace[at].attribute, &trace[at].children).is_some();
        let is_so = |at: usize| {
            let candidate = expected[at].candidate();
            candidate.is_some_and(|c| split_off(&now, c.attribute, &c.children).is_some())
        };
        seen.note("in part again", (0..trace.len()).any(|at| was(at) && is_so(at)));
        seen.note("not in part any more", (0..trace.len()).any(|at| was(at) && is(at, again) && !is_so(at)));
        seen.note("in part by now", (0..trace.len()).any(|at| !was(at) && is_so(at)));
        seen.note("broken", any(|performed| *performed == ReplayResult::Broken));
        seen.note("not there", any(|performed| *performed == ReplayResult::Missing));
        let beneath = |at: usize| match &trace[at].of {
            Origin::Child { step, .. } => expected[*step] == ReplayResult::Broken,
            Origin::Root(_) | Origin::All(_) => false,
        };
        let shown = shown_refinements(&trace).len();
        seen.note(
            "shown, and goes on",
            (0..shown).any(|at| is(at, again)) && (shown..trace.len()).any(|at| is(at, again)),
        );
        seen.note("shown, broken", (0..shown).any(|at| expected[at] == ReplayResult::Broken));
        let beside =
            |at: usize| matches!(trace[at].of, Origin::Root(_)) && expected[at] == ReplayResult::Missing;
        let not_begun = (0..shown).any(|at| !is(at, again)) && (shown..trace.len()).any(beside);
        seen.note("shown, and a group that is not there", not_begun);
        let half = |refined: &Refinement| {
            let is_half = |(attribute, node): (usize, &Node)| {
                matches!(node, Node::Interval { .. })
                    && now.attributes[attribute].shown
                    && coded.initial_node(attribute, node).is_none()
            };
            matches!(&refined.of, Origin::Root(nodes) if nodes.iter().enumerate().any(is_half))
        };
        seen.note("shown, a half", (shown..trace.len()).any(|at| half(&trace[at]) && is(at, again)));
        seen.note("beneath what is broken", (0..trace.len()).any(beneath));
        let later = |at: usize| is(at, again) && (0..at).any(|earlier| !is(earlier, again));
        seen.note("goes on", (0..trace.len()).any(later));
        let fewer = |at: usize| match &expected[at] {
            ReplayResult::Again(candidate) if coded.is_suppression(candidate.attribute) => {
                let disclosed = |children: &[Node]| children.iter().filter(|c| **c != Node::Star).count();
                disclosed(&candidate.children) < disclosed(&trace[at].children)
            }
            _ => false,
        };
        seen.note("fewer values", (0..trace.len()).any(fewer));
        let half_empty = |performed: &ReplayResult| match performed {
            ReplayResult::Again(candidate) => are_halves(&candidate.children) && candidate.parts.len() == 1,
            _ => false,
        };
        seen.note("an empty half", expected.iter().any(half_empty));
        seen.note("five steps", replayed.outcome.steps.len() > 4);
        Ok(())
    });
    let rare = [
        ("whole", 0.2),
        ("shown, and goes on", 0.02),
        ("shown, broken", 0.01),
        ("shown, and a group that is not there", 0.01),
        ("shown, a half", 0.005),
        ("broken", 0.1),
        ("not there", 0.1),
        ("in part", 0.01),
        ("in part again", 0.01),
        ("not in part any more", 0.001),
        ("in part by now", 0.01),
        ("beneath what is broken", 0.05),
        ("goes on", 0.02),
        ("fewer values", 0.01),
        ("an empty half", 0.02),
        ("five steps", 0.03),
    ];
    let rare = rare.into_iter().filter(|(what, least)| seen.share(what, "replayed") < *least);
    assert_eq!(rare.collect::<Vec<_>>(), [], "too rare");
}

fn is_performed(performed: &ReplayResult) -> bool {
    matches!(performed, ReplayResult::Again(_) | ReplayResult::InPart(_) | ReplayResult::InAll(_))
}

fn check_replay(
    case: &Case,
    coded: &Coded,
    trace: &[Refinement],
    replayed: &Replayed,
    expected: &[ReplayResult],
) -> TestCaseResult {
    let Replayed { outcome, performed, broken, .. } = replayed;
    let same = performed.iter().map(Option::is_some).eq(expected.iter().map(is_performed));
    prop_assert!(same, "{performed:?} are performed of {trace:?}, not {expected:?}");
    prop_assert!(performed.iter().flatten().copied().eq(0..outcome.steps.len()), "{performed:?}");
    let breaks = |at: &usize| matches!(expected[*at], ReplayResult::Broken | ReplayResult::InPart(_));
    let expected_broken = (0..trace.len()).filter(breaks);
    prop_assert_eq!(broken, &expected_broken.collect::<Vec<_>>());
    let failed = |at: usize| move |reason| TestCaseError::fail(format!("{at}: {reason}"));
    let check_children = |step: &Step, attribute: usize, children: &[Node]| {
        prop_assert_eq!(step.attribute, attribute);
        // The codes of an interval without values do not show its ends.
        if !are_halves(children) {
            let named =
                |&id: &NodeId| coded.to_reference_node(&outcome.hierarchies[attribute], attribute, id);
            prop_assert_eq!(&step.children.iter().map(named).collect::<Vec<_>>(), children);
        }
        prop_assert_eq!(step.children.len(), children.len());
        Ok(())
    };
    prop_assert_eq!(
        count_shown_steps(outcome),
        expected.iter().filter(|p| matches!(p, ReplayResult::InAll(_))).count()
    );
    let mut groups = state_groups(case, &replay_shown(case, trace).0);
    for (at, expected) in expected.iter().enumerate() {
        let Some(step) = performed[at].map(|step| &outcome.steps[step]) else { continue };
        let candidate = match expected {
            ReplayResult::Again(candidate) | ReplayResult::InPart(candidate) => candidate,
            ReplayResult::InAll(candidate) => {
                replay::check_step(step, candidate).map_err(failed(at))?;
                check_children(step, candidate.attribute, &candidate.children)?;
                continue;
            }
            _ => continue,
        };
        let of = groups.iter().position(|group| group.origin == candidate.of).expect("its group");
        let group = groups.remove(of);
        groups.extend(candidate.perform(&group, at));
        check_step(step, candidate, &achieved(case, &groups)).map_err(failed(at))?;
        check_children(step, candidate.attribute, &candidate.children)?;
    }
    Ok(())
}

/// Disclosures of a shown column of many values have the same numbers as in a local replay, which recounts every group
/// that it divides and keeps no counts. No beneficial value left in `*` may be valid.
#[test]
fn many_values_of_a_shown_column_are_counted_as_in_a_replay() {
    let seen = Seen::default();
    let shown = |case: Case| {
        let mut case = by_one_person(case);
        case.attributes.iter_mut().next_back().expect("the wide column").shown = true;
        case
    };
    for_all(1_500, many::with_many_values(cases(), 70..=200, 12).prop_map(shown), |case| {
        let coded = Coded::new(&case);
        let Ok(found) = coded.search_locally(None) else { return Ok(()) };
        let mut trace = shown_steps(&coded, &found);
        let leaves = leaves(&case, &coded, &found)?;
        let wide = case.attributes.len() - 1;
        let is_left = |row: &usize| regions(&found).region(leaves[*row]).nodes[wide] == TOP;
        let left: Vec<usize> = (0..case.rows.len()).filter(is_left).collect();
        // With the conditional score, values without gain are left in `*` as well.
        let of_use = !case.has_class || reference::gain::classes(&case, &left).len() > 1;
        if of_use && case.score != Score::Conditional {
            for value in reference::search::suppressed_values(&case, wide, &left) {
                let value = if let Value::Code(code) = value { Node::Value(code) } else { Node::Null };
                let children = vec![value, Node::Star];
                trace.push(Refinement { of: Origin::All(Node::Star), attribute: wide, children });
            }
        }
        let again = coded.replay_locally(&trace).map_err(|e| TestCaseError::fail(e.to_string()))?.outcome;
        prop_assert_eq!(again.steps.len(), count_shown_steps(&found));
        prop_assert_eq!(shown_steps(&coded, &again), shown_steps(&coded, &found));
        for (again, step) in again.steps.iter().zip(&found.steps) {
            let numbers = |step: &Step| [&[step.privacy_loss, step.score], &step.achieved[..]].concat();
            prop_assert_eq!((again.records, again.info_gain), (step.records, step.info_gain));
            prop_assert!(all_close(&numbers(again), &numbers(step)), "{again:?} is not {step:?}");
        }
        check_one_cut(&case, &coded, &found)?;
        let disclosed = again.steps.iter().filter(|step| step.attribute == wide).count();
        seen.note("searched", true);
        seen.note("twenty disclosed", disclosed > 20);
        seen.note("some left", disclosed > 0 && trace.len() > count_shown_steps(&found));
        seen.note("others after them", found.steps.len() > count_shown_steps(&found) && disclosed > 0);
        Ok(())
    });
    for (what, least) in [("twenty disclosed", 0.2), ("some left", 0.1), ("others after them", 0.1)] {
        assert!(seen.share(what, "searched") > least, "{what} is too rare");
    }
}

/// Builds a problem of one column of intervals over these positions, with a row for each of `codes`.
fn intervals<'s>(positions: &[f64], codes: &'s Store) -> Problem<'s> {
    let domain =
        Domain { positions: positions.to_vec(), lower: None, upper: None, points: None, is_discrete: false };
    Problem {
        records: codes.len(),
        weights: None,
        attributes: vec![topdown::Attribute {
            codes,
            hierarchy: Hierarchy::by_intervals(domain, false),
            weight: 1.0,
            shown: false,
        }],
        sensitive: vec![],
        persons: vec![],
        populations: Vec::new(),
        class: None,
        models: vec![PrivacyModel::k_anonymity(vec![0], codes.len().min(1) as u64)],
        score: topdown::utility::Score::Tdr,
        split: topdown::refine::interval::SplitRule::Valid,
        recoding: Recoding::Local,
        withhold: None,
        min_size_factor: 1,
        max_steps: None,
    }
}

#[test]
fn a_table_without_rows_is_not_refined() {
    let none = Store::from(Vec::new());
    let problem = || intervals(&[1.0, 2.0], &none);
    assert!(search(problem()).unwrap().steps.is_empty());
    let trace = [Recorded {
        attribute: 0,
        origin: topdown::Origin::Group(vec![topdown::Origin::Node(TOP)]),
        refinement: topdown::Refinement::split(1),
    }];
    let replayed = topdown::replay(problem(), &trace).unwrap();
    assert_eq!((replayed.performed, replayed.broken), (vec![None], vec![]));
    assert_eq!(replayed.outcome.regions.unwrap().leaf_of_rows(&[&none], 0).unwrap().len(), 0);
}

#[test]
fn ends_at_infinity_are_split_off() {
    let positions = [f64::NEG_INFINITY, 0.0, 1.0, f64::INFINITY];
    let codes = Store::from((0..4).collect::<Vec<Code>>());
    let outcome = search(intervals(&positions, &codes)).unwrap();
    assert_eq!(outcome.steps.len(), 3);
    let numbers = outcome.steps.iter().flat_map(|step| [step.info_gain, step.privacy_loss, step.score]);
    assert!(numbers.clone().all(f64::is_finite), "{:?}", numbers.collect::<Vec<_>>());
    assert_eq!(outcome.regions.unwrap().leaves().count(), 4);
}

/// Generates a case without some value of a column, the same case with one row of that value, the column, the value.
fn with_a_new_value() -> impl Strategy<Value = (Case, Case, usize, Value)> {
    (local_cases(), any::<proptest::sample::Index>(), any::<proptest::sample::Index>(), any::<bool>())
        .prop_map(|(mut now, column, row, is_first_null)| {
            now.attributes.iter_mut().for_each(|attribute| attribute.shown = false);
            // Draws deep taxonomies more often: only they have a step below another of the same column.
            let is_deep = |attribute: &usize| match &now.attributes[*attribute].masking {
                Masking::Taxonomy(tree) => {
                    tree.nodes.iter().any(|node| node.parent.is_some_and(|above| above > 0))
                }
                _ => false,
            };
            let all = 0..now.attributes.len();
            let deep = all.clone().filter(is_deep).flat_map(|attribute| [attribute; 7]);
            let is_by_intervals =
                |attribute: &usize| matches!(now.attributes[*attribute].masking, Masking::Interval { .. });
            let by_intervals = all.clone().filter(is_by_intervals).flat_map(|attribute| [attribute; 3]);
            let attribute = *column.get(&all.chain(deep).chain(by_intervals).collect::<Vec<_>>());
            let row = row.index(now.rows.len());
            let value = &mut now.rows[row].values[attribute];
            // The value may be the first NULL of a column of intervals.
            if is_first_null && matches!(now.attributes[attribute].masking, Masking::Interval { .. }) {
                *value = Value::Null;
            }
            let value = *value;
            let mut before = now.clone();
            before.rows.retain(|row| row.values[attribute] != value);
            // Keeps one row of the value, too few for a group of its own.
            let mut others = 0;
            now.rows.retain(|row| {
                others += usize::from(row.values[attribute] == value);
                row.values[attribute] != value || others == 1
            });
            (before, now, attribute, value)
        })
}

/// Inserts a first step that separates NULL from the rest of a column without NULLs. Returns false if the trace is
/// empty or refines several initial groups.
fn prepend_null_separation(recorded: &mut Vec<Recorded>, attribute: usize, own_top: NodeId) -> bool {
    let mut first = None;
    for recorded in recorded.iter_mut() {
        match &mut recorded.origin {
            topdown::Origin::Group(nodes) => {
                nodes[attribute] = topdown::Origin::Node(TOP);
                if first.replace(recorded.origin.clone()).is_some() {
                    return false;
                }
                recorded.origin = topdown::Origin::Child { trace_index: 0, node: own_top };
            }
            topdown::Origin::Child { trace_index, .. } | topdown::Origin::Half { trace_index, .. } => {
                *trace_index += 1
            }
            topdown::Origin::Node(_) => return false,
        }
    }
    let refinement = topdown::Refinement::Specialize;
    first.into_iter().for_each(|origin| {
        recorded.insert(0, Recorded { attribute, origin, refinement: refinement.clone() });
    });
    !recorded.is_empty()
}

/// After a replay with a row of a new value, each group without that row is an earlier group or a union of several; no
/// group divides an earlier one. Models of shares may break in more parts, and then the rest of a group may divide one.
#[test]
fn a_new_value_changes_only_groups_that_hold_it() {
    let seen = Seen::default();
    for_all(60_000, with_a_new_value(), |(before, now, attribute, value)| {
        // The new row changes the shares of the whole table, so groups without it may break these models.
        let of_all = |model: &Model| {
            matches!(model.unwrapped(), Model::TCloseness { .. } | Model::BetaLikeness { .. })
        };
        if before.rows.is_empty() || before.models.iter().any(of_all) {
            return Ok(());
        }
        let coded = Coded::new(&before);
        let Some(found) = searched(&before, &coded)? else { return Ok(()) };
        let trace = trace(&follow(&before, &coded, &found)?);
        let were = leaves(&before, &coded, &found)?;
        let coded_now = Coded::new(&now);
        let mut recorded: Vec<Recorded> =
            trace.iter().map(|refinement| coded_now.recorded_locally(&trace, refinement)).collect();
        let mut problem = coded_now.locally(Some(0));
        // Separating the first NULLs of a column is a step that the trace does not have.
        let of_before = coded.locally(Some(0));
        let over_null = |problem: &Problem| -> Vec<bool> {
            problem.attributes.iter().map(|attribute| attribute.hierarchy.is_over_null()).collect()
        };
        let is_first_null = over_null(&of_before) != over_null(&problem);
        if is_first_null {
            // Skips traces that do not begin with one group.
            let is_limited = |hierarchy: &Hierarchy| {
                hierarchy.coarsest() != [TOP] || hierarchy.must_split(hierarchy.own_top())
            };
            let is_one = !problem.attributes.iter().any(|attribute| is_limited(&attribute.hierarchy));
            let own_top = problem.attributes[attribute].hierarchy.own_top();
            if !is_one || !prepend_null_separation(&mut recorded, attribute, own_top) {
                return Ok(());
            }
        }
        let holds_it = |row: usize| now.rows[row].values[attribute] == value;
        let mut unheld = vec![false; problem.attributes[attribute].hierarchy.codes()];
        for row in (0..now.rows.len()).filter(|row| holds_it(*row)) {
            unheld[coded_now.code(attribute, row) as usize] = true;
        }
        problem.attributes[attribute].hierarchy.mark_unseen(unheld);
        let is_by_intervals = problem.attributes[attribute].hierarchy.domain().is_some();
        let Ok(Replayed { outcome, mut performed, mut broken, .. }) = topdown::replay(problem, &recorded)
        else {
            return Ok(());
        };
        if is_first_null {
            performed.remove(0);
            broken.retain(|at| *at > 0);
            broken.iter_mut().for_each(|at| *at -= 1);
        }
        seen.note("replayed", true);
        let are = leaves(&now, &coded_now, &outcome)?;
        // One more row may break a model of shares, and then the parts beside the value break as well.
        let more_may_break = now.models.iter().any(|model| match model.unwrapped() {
            Model::LDiversity { kind, .. } => !matches!(kind, Diversity::Distinct { .. }),
            model => !matches!(model, Model::KAnonymity { .. }),
        });
        // The rest of a group, which now has the rows of broken parts as well, is divided as the rest was before.
        let goes_on_in_part = (0..trace.len()).any(|at| match (&trace[at].of, performed[at]) {
            (Origin::Child { step, child }, Some(_)) => {
                let Refinement { attribute, children, .. } = &trace[*step];
                let is_rest = *child == Node::Star
                    || split_off(&now, *attribute, children).is_some() && children.last() == Some(child);
                is_rest && broken.contains(step) && performed[*step].is_some()
            }
            _ => false,
        });
        // The rows without the new value.
        let old: Vec<usize> = (0..now.rows.len()).filter(|row| !holds_it(*row)).collect();
        let nodes_now = |leaf: RegionId, a: usize| {
            coded_now.to_reference_node(&outcome.hierarchies[a], a, regions(&outcome).region(leaf).nodes[a])
        };
        let nodes_then = |leaf: RegionId, a: usize| {
            coded.to_reference_node(&found.hierarchies[a], a, regions(&found).region(leaf).nodes[a])
        };
        for leaf in regions(&outcome).leaves() {
            let rows: Vec<usize> = (0..now.rows.len()).filter(|row| are[*row] == leaf).collect();
            prop_assert!(keeps(&now, &rows), "{rows:?} break a model");
            for a in 0..now.attributes.len() {
                let node = nodes_now(leaf, a);
                let is_covered = |row: &&usize| covers(&now, a, &node, now.rows[**row].values[a]);
                let is_interval = matches!(node, Node::Interval { .. });
                prop_assert!(is_interval || rows.iter().all(|row| is_covered(&row)), "{node:?} of {rows:?}");
            }
            let of_old: Vec<usize> = (0..old.len()).filter(|at| are[old[*at]] == leaf).collect();
            let mut groups: Vec<RegionId> = of_old.iter().map(|at| were[*at]).collect();
            groups.sort_unstable();
            groups.dedup();
            let whole = (0..old.len()).filter(|at| groups.contains(&were[*at])).count();
            let may_divide = more_may_break && goes_on_in_part;
            prop_assert!(whole == of_old.len() || may_divide, "{rows:?} divide a group");
            let is_one = groups.len() == 1 && of_old.len() == rows.len();
            if let ([group], true) = (&groups[..], is_one && !more_may_break) {
                for a in 0..now.attributes.len() {
                    let (is, was) = (nodes_now(leaf, a), nodes_then(*group, a));
                    let is_interval = matches!(was, Node::Interval { .. });
                    prop_assert!(is_interval || is == was, "{is:?} is not {was:?}, of {rows:?}");
                }
            }
        }
        let is_beneath = |at: usize| match &trace[at].of {
            Origin::Child { step, .. } => broken.contains(step) && performed[at].is_some(),
            Origin::Root(_) | Origin::All(_) => false,
        };
        seen.note("broken", !broken.is_empty());
        let on = |is_own: bool| {
            (0..trace.len()).any(|at| is_beneath(at) && (trace[at].attribute == attribute) == is_own)
        };
        seen.note("beneath it, on other columns", on(false));
        seen.note("beneath it, on its own column", on(true));
        let more = outcome.steps.len() > performed.iter().flatten().count();
        seen.note("what it would be without it", more);
        let is_suppression = coded_now.is_suppression(attribute);
        seen.note("a value out of *", is_suppression && (0..trace.len()).any(is_beneath));
        seen.note("a first NULL beside halves", is_first_null && is_by_intervals && on(true));
        seen.note(
            "a first NULL, beneath it, on other columns",
            is_first_null && is_by_intervals && on(false),
        );
        Ok(())
    });
    let rare = [
        ("broken", 0.1),
        ("beneath it, on other columns", 0.01),
        ("beneath it, on its own column", 0.0001),
        ("what it would be without it", 0.01),
        ("a value out of *", 0.001),
        ("a first NULL beside halves", 0.001),
        ("a first NULL, beneath it, on other columns", 0.001),
    ];
    let rare = rare.into_iter().filter(|(what, least)| seen.share(what, "replayed") < *least);
    assert_eq!(rare.collect::<Vec<_>>(), [], "too rare");
}
