//! Local recoding: the engine's steps performed one by one in the reference.

#[path = "local_again.rs"]
pub mod again;
#[path = "local_explain.rs"]
mod explain;

use super::adapter::Coded;
use super::replay::{all_close, close, replay_steps};
use super::{cases, for_all, is_long, Seen};
use crate::reference::generate::MOST_ROWS;
use crate::reference::local::*;
use crate::reference::measures::worse_by;
use crate::reference::measures::{holds, measure_groups, more_is_better};
use crate::reference::{
    Attribute, Branch, Case, Masking, Model, Node, Row, Score, Split, State, Taxonomy, Value, TIE,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult};
use std::collections::BTreeMap;
use topdown::refine::{Hierarchy, NodeId};
use topdown::search::RegionId;
use topdown::{search, Code, Error, Outcome, Problem, Recoding, Regions, Step};

/// Largest relative difference of equal scores.
const CLOSE: f64 = 1e-9;

/// Makes all models count persons by one column, as local recoding requires.
pub fn by_one_person(mut case: Case) -> Case {
    let mut models: Vec<Model> = Vec::new();
    for mut model in std::mem::take(&mut case.models) {
        if let Model::KAnonymity { person: Some(person), .. } = model.bare_mut() {
            *person = 0;
        }
        if !models.contains(&model) {
            models.push(model);
        }
    }
    Case { models, ..case }
}

pub fn local_cases() -> impl Strategy<Value = Case> {
    (cases().prop_map(by_one_person), rare()).prop_map(|(case, rare)| with_rare(case, &rare))
}

/// Draws each row's child of a node with many children, most of them rare; nothing in a third of the cases.
pub fn rare() -> impl Strategy<Value = Vec<usize>> {
    let child = prop_oneof![4 => Just(0usize), 4 => Just(1), 3 => Just(2), 1 => 3..=NULL];
    prop_oneof![1 => Just(vec![]), 2 => vec(child, MOST_ROWS)]
}

/// Number that stands for NULL in [`rare`]. Smaller numbers are children.
const NULL: usize = 6;

/// Replaces the first column by the children that [`rare`] drew, below the top of a taxonomy.
pub fn with_rare(mut case: Case, children: &[usize]) -> Case {
    if children.is_empty() {
        return case;
    }
    let leaves = (0..NULL).map(|child| Branch::leaf(&format!("r{child}")));
    let tree = Taxonomy::grow(&Branch::inner("rare", leaves.collect()));
    let leaves = tree.leaves();
    let value = |child: usize| leaves.get(child).map_or(Value::Null, |leaf| Value::Leaf(*leaf));
    let with_children = case.rows.iter_mut().zip(children);
    with_children.for_each(|(row, &child)| row.values[0] = value(child));
    case.attributes[0] = Attribute {
        weight: case.attributes[0].weight,
        ..Attribute::new(case.attributes[0].name.clone(), Masking::Taxonomy(tree))
    };
    case
}

pub fn regions(outcome: &Outcome) -> &Regions {
    outcome.regions.as_ref().expect("regions")
}

/// Returns the region that each step refined; None for a step of a shown column, in all groups.
pub fn refined(outcome: &Outcome) -> &[Option<RegionId>] {
    &regions(outcome).refined
}

/// Counts the steps of shown columns, which are performed first, in all groups.
pub fn count_shown_steps(outcome: &Outcome) -> usize {
    refined(outcome).iter().take_while(|region| region.is_none()).count()
}

impl Coded<'_> {
    pub fn locally(&self, max_steps: Option<usize>) -> Problem<'_> {
        Problem { recoding: Recoding::Local, ..self.problem(max_steps) }
    }

    pub fn search_locally(&self, max_steps: Option<usize>) -> Result<Outcome, Error> {
        search(self.locally(max_steps))
    }
}

pub fn are_halves(children: &[Node]) -> bool {
    matches!(children, [Node::Interval { .. }, Node::Interval { .. }])
}

/// Returns the steps of shown columns as refinements of the reference.
pub fn shown_steps(coded: &Coded, outcome: &Outcome) -> Vec<Refinement> {
    let all = crate::differential::again::trace(coded, outcome).into_iter().take(count_shown_steps(outcome));
    all.map(Refinement::in_all).collect()
}

/// The course of a search in the reference.
pub struct Followed {
    /// The refinements of shown columns, in all groups.
    shown: Vec<Refinement>,
    /// The candidates before each of these refinements, and after the last.
    in_all: Vec<Vec<crate::reference::Candidate>>,
    /// Each group of the search, with its candidates.
    seen: Vec<(Group, Vec<Candidate>)>,
    end: Vec<Group>,
    pub trace: Vec<Candidate>,
    /// Number of steps that refined a group not made by the step before.
    jumps: usize,
    /// Number of splits that are as good as the reference's, at another point.
    other_splits: usize,
}

impl Followed {
    pub fn end(&self) -> &[Group] {
        &self.end
    }
}

/// Performs the engine's steps in the reference. Each must have the best score of all groups.
pub fn follow(case: &Case, coded: &Coded, outcome: &Outcome) -> Result<Followed, TestCaseError> {
    let with_candidates = |group: Group| {
        let candidates = candidates(case, &group);
        (group, candidates)
    };
    prop_assert_eq!(outcome.steps.len(), refined(outcome).len());
    let first = count_shown_steps(outcome);
    let begun = replay_steps(&case.shown_alone(), coded, outcome, &outcome.steps[..first])?;
    let state = begun.states.last().expect("the initial state");
    let roots = state_groups(case, state);
    let mut open: Vec<(Group, Vec<Candidate>)> = roots.into_iter().map(with_candidates).collect();
    let mut followed = Followed {
        shown: shown_steps(coded, outcome),
        in_all: begun.candidates,
        seen: open.clone(),
        end: vec![],
        trace: vec![],
        jumps: 0,
        other_splits: begun.other_splits,
    };
    for (number, (step, region)) in outcome.steps.iter().zip(refined(outcome)).enumerate().skip(first) {
        let fail = |reason: String| TestCaseError::fail(format!("step {number}: {reason}"));
        let region = region.ok_or_else(|| fail("in all groups".into()))?;
        let nodes = region_nodes(coded, outcome, region);
        let at = open.iter().position(|(group, _)| group.nodes == nodes);
        let at = at.ok_or_else(|| fail(format!("no group is {nodes:?}")))?;
        let chosen =
            chosen(case, coded, outcome, step, &mut open[at], &mut followed.other_splits).map_err(fail)?;
        let eligible = open.iter().flat_map(|(_, all)| all).filter(|c| c.may_be_performed());
        let most = eligible.map(|candidate| candidate.score).fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(
            chosen.score >= most - CLOSE * most.abs(),
            "{number}: {most} is more than of {chosen:?}"
        );
        let (group, _) = open.remove(at);
        followed.jumps += usize::from(number > first && !is_made_by(&group, number - 1));
        for part in chosen.perform(&group, number) {
            open.push(with_candidates(part));
            followed.seen.extend(open.last().cloned());
        }
        let groups: Vec<Group> = open.iter().map(|(group, _)| group.clone()).collect();
        let achieved = reported_measures(case, &step.achieved, achieved(case, &groups));
        check_step(step, &chosen, &achieved).map_err(|reason| fail(reason.to_string()))?;
        followed.trace.push(chosen);
    }
    let left = open.iter().flat_map(|(_, all)| all).find(|candidate| candidate.may_be_performed());
    prop_assert!(left.is_none(), "the search ended before {left:?}");
    followed.end = open.into_iter().map(|(group, _)| group).collect();
    check_end(case, coded, outcome, &followed.end)?;
    check_one_cut(case, coded, outcome)?;
    Ok(followed)
}

/// Checks that each shown column has one cut: every value is released as one node, and the nodes do not overlap.
pub fn check_one_cut(case: &Case, coded: &Coded, outcome: &Outcome) -> TestCaseResult {
    let leaves = leaves(case, coded, outcome)?;
    check_cut_by(case, coded, outcome, |row, attribute| {
        Some(regions(outcome).region(leaves[row]).nodes[attribute])
    })
}

/// Checks the same for the nodes that `released` returns by row and column, which must not be None.
pub fn check_cut_by(
    case: &Case,
    coded: &Coded,
    outcome: &Outcome,
    released: impl Fn(usize, usize) -> Option<NodeId>,
) -> TestCaseResult {
    for attribute in (0..case.attributes.len()).filter(|attribute| case.attributes[*attribute].shown) {
        let hierarchy: &Hierarchy = &outcome.hierarchies[attribute];
        let mut cut: BTreeMap<Code, NodeId> = BTreeMap::new();
        for row in 0..case.rows.len() {
            let (code, node) = (coded.code(attribute, row), released(row, attribute));
            let node = node.ok_or_else(|| TestCaseError::fail(format!("no node of column {attribute}")))?;
            prop_assert!(hierarchy.node(node).codes.contains(&code), "{code} of {attribute} as {node}");
            let before = *cut.entry(code).or_insert(node);
            prop_assert_eq!(before, node, "two nodes of {} in column {}", code, attribute);
        }
        // In a suppressed column `*` overlaps every disclosed value.
        let nodes =
            || cut.values().filter(|_| !hierarchy.is_suppression()).map(|node| (node, hierarchy.node(*node)));
        for ((one, node), (other, beside)) in nodes().flat_map(|one| nodes().map(move |other| (one, other))) {
            let apart = node.codes.end <= beside.codes.start || beside.codes.end <= node.codes.start;
            prop_assert!(one == other || apart, "{one} and {other} overlap in column {attribute}");
        }
    }
    Ok(())
}

fn is_made_by(group: &Group, made_by: usize) -> bool {
    matches!(group.origin, Origin::Child { step, .. } if step == made_by)
}

fn region_nodes(coded: &Coded, outcome: &Outcome, region: RegionId) -> Vec<Node> {
    let nodes = regions(outcome).region(region).nodes.iter().zip(&outcome.hierarchies).enumerate();
    nodes.map(|(attribute, (&node, hierarchy))| coded.to_reference_node(hierarchy, attribute, node)).collect()
}

/// Returns the candidate that the engine's step performs. It must be the first of the best of its group. If the engine
/// splits an interval at another point, that split must be as good, and replaces the group's candidate.
fn chosen(
    case: &Case,
    coded: &Coded,
    outcome: &Outcome,
    step: &Step,
    (group, candidates): &mut (Group, Vec<Candidate>),
    other_splits: &mut usize,
) -> Result<Candidate, String> {
    let named =
        |&node: &NodeId| coded.to_reference_node(&outcome.hierarchies[step.attribute], step.attribute, node);
    let children: Vec<Node> = step.children.iter().map(named).collect();
    if named(&step.node) != group.nodes[step.attribute] {
        return Err(format!("of {:?}, not of {group:?}", named(&step.node)));
    }
    let on_column = candidates.iter_mut().find(|candidate| candidate.attribute == step.attribute);
    let on_column = on_column.ok_or(format!("nothing becomes of column {} in {group:?}", step.attribute))?;
    if on_column.children != children {
        let other = evaluate(case, group, step.attribute, children.clone());
        let as_good = other.valid && other.unknown <= on_column.unknown + 2.0 * TIE * group.rows.len() as f64;
        if !(are_halves(&children) && as_good) {
            return Err(format!("{children:?} of {on_column:?}"));
        }
        *other_splits += 1;
        *on_column = other;
    }
    let eligible = || candidates.iter().filter(|candidate| candidate.may_be_performed());
    let most = eligible().map(|candidate| candidate.score).fold(f64::NEG_INFINITY, f64::max);
    let first = eligible().find(|candidate| candidate.score >= most - CLOSE * most.abs());
    match first {
        Some(first) if first.attribute == step.attribute => Ok(first.clone()),
        _ => Err(format!("not {first:?} was performed but {step:?}")),
    }
}

/// Returns the measures that the engine must report, given the true ones. For shares of persons it may report the
/// worse measure of a group that was divided since, but never a better one.
pub fn reported_measures(case: &Case, told: &[f64], achieved: Vec<f64>) -> Vec<f64> {
    let each = case.models.iter().zip(told).zip(achieved);
    each.map(|((model, told), achieved)| match model.share_person() {
        Some(_) if worse_by(model, achieved, *told) >= 0.0 => *told,
        _ => achieved,
    })
    .collect()
}

pub fn check_step(step: &Step, chosen: &Candidate, achieved: &[f64]) -> TestCaseResult {
    prop_assert_eq!(step.records, chosen.records as u64, "records");
    for (what, engine, reference) in [
        ("info_gain", step.info_gain, chosen.gain),
        ("privacy_loss", step.privacy_loss, chosen.privacy_loss),
        ("score", step.score, chosen.score),
    ] {
        prop_assert!(close(engine, reference), "{what} is {engine}, not that of {chosen:?}");
    }
    prop_assert!(all_close(&step.achieved, achieved), "achieved {:?}, not {achieved:?}", step.achieved);
    Ok(())
}

/// Checks the released nodes of every row, and the final measures, against the final groups of the reference.
pub fn check_end(case: &Case, coded: &Coded, outcome: &Outcome, end: &[Group]) -> TestCaseResult {
    let leaves = leaves(case, coded, outcome)?;
    for (group, leaf) in leaf_of_each_group(end, &leaves)? {
        prop_assert_eq!(&region_nodes(coded, outcome, leaf), &group.nodes);
    }
    let achieved = reported_measures(case, &outcome.achieved, achieved(case, end));
    prop_assert!(all_close(&outcome.achieved, &achieved), "{:?}, not {achieved:?}", outcome.achieved);
    Ok(())
}

/// Returns the leaf of each row. Every leaf must have rows.
pub fn leaves(case: &Case, coded: &Coded, outcome: &Outcome) -> Result<Vec<RegionId>, TestCaseError> {
    let rows = case.rows.len();
    let all: Vec<RegionId> = regions(outcome).leaves().collect();
    let places = regions(outcome).leaf_of_rows(&coded.stores(), rows);
    let places = places.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(places.len(), rows);
    let places: Vec<Code> = (0..rows).map(|row| places.get(row)).collect();
    let empty = (0..all.len() as Code).find(|leaf| !places.contains(leaf));
    prop_assert!(empty.is_none(), "{empty:?} is a leaf without a row");
    Ok(places.into_iter().map(|place| all[place as usize]).collect())
}

/// Returns the leaf of each group. Exactly the group's rows must have it.
pub fn leaf_of_each_group<'g>(
    groups: &'g [Group],
    leaves: &[RegionId],
) -> Result<Vec<(&'g Group, RegionId)>, TestCaseError> {
    let mut found = Vec::new();
    for group in groups {
        let leaf = leaves[group.rows[0]];
        let mut rows = group.rows.clone();
        rows.sort_unstable();
        let with_leaf: Vec<usize> = (0..leaves.len()).filter(|row| leaves[*row] == leaf).collect();
        prop_assert_eq!(rows, with_leaf, "not the rows of {:?}", group);
        found.push((group, leaf));
    }
    Ok(found)
}

/// Checks the law that unions of groups keep the models. The unions are the groups by some `columns`, a bit each.
pub fn check_unions(case: &Case, end: &[Group], columns: u32) -> TestCaseResult {
    let mut unions: Vec<(Vec<Node>, Vec<usize>)> = Vec::new();
    for group in end {
        let looked_at = |attribute: &usize| columns >> attribute & 1 == 1;
        let nodes = (0..case.attributes.len()).filter(looked_at).map(|attribute| group.nodes[attribute]);
        let nodes: Vec<Node> = nodes.collect();
        match unions.iter_mut().find(|(others, _)| *others == nodes) {
            Some((_, rows)) => rows.extend(&group.rows),
            None => unions.push((nodes, group.rows.clone())),
        }
    }
    for (model, (nodes, rows)) in case.models.iter().flat_map(|m| unions.iter().map(move |u| (m, u))) {
        let measures = measure_groups(case, model, std::slice::from_ref(rows));
        prop_assert!(measures.iter().all(|m| holds(model, *m)), "{nodes:?}: {measures:?} of {model:?}");
    }
    Ok(())
}

/// Searches. Returns None if, rightly, there is no release because the most general table breaks a model.
pub fn searched(case: &Case, coded: &Coded) -> Result<Option<Outcome>, TestCaseError> {
    case.check();
    let may_be_released = initial_groups(case).iter().all(|root| keeps(case, &root.rows));
    match coded.search_locally(None) {
        Err(Error::Unsatisfiable { model, achieved, .. }) => {
            prop_assert!(!may_be_released);
            prop_assert!(!holds(&case.models[model], achieved), "{model} does hold");
            Ok(None)
        }
        Err(other) => Err(TestCaseError::fail(other.to_string())),
        Ok(outcome) => {
            prop_assert!(may_be_released, "the most general table is not to be released");
            Ok(Some(outcome))
        }
    }
}

#[test]
fn a_local_search_is_the_reference_search() {
    let seen = Seen::default();
    for_all(30_000, (local_cases(), any::<u32>(), 0..12usize), |(case, columns, most)| {
        let coded = Coded::new(&case);
        seen.note("cases", true);
        let Some(outcome) = searched(&case, &coded)? else { return Ok(()) };
        let followed = follow(&case, &coded, &outcome)?;
        check_unions(&case, &followed.end, columns)?;
        check_unions(&case, &followed.end, u32::MAX)?;
        for model in &case.models {
            check_unions(&case, &followed.end, model.attributes().iter().map(|a| 1 << a).sum())?;
        }
        let stopped = coded.search_locally(Some(most));
        let stopped = stopped.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let most = most.min(outcome.steps.len());
        prop_assert_eq!(&stopped.steps, &outcome.steps[..most]);
        prop_assert_eq!(refined(&stopped), &refined(&outcome)[..most]);
        prop_assert_eq!(&stopped.redundant, &outcome.redundant);
        note_all(&seen, &case, &followed);
        Ok(())
    });
    let searched = seen.share("searched", "cases");
    assert!(!is_long() || (0.6..1.0).contains(&searched));
    assert!(!is_long() || seen.share("other splits", "searched") < 0.01);
    let rare = [
        ("three steps", 0.25),
        ("eight steps", 0.03),
        ("several roots", 0.04),
        ("shown", 0.1),
        ("three of shown columns", 0.02),
        ("shown before others", 0.05),
        ("shown: a value disclosed", 0.02),
        ("shown: split", 0.02),
        ("shown: frozen", 0.01),
        ("shown: kept by a model over others", 0.01),
        ("elsewhere", 0.1),
        ("divided differently", 0.1),
        ("found invalid", 0.1),
        ("not beneficial", 0.1),
        ("a better part", 0.05),
        ("no more than chance", 0.015),
        ("conditional", 0.05),
        ("persons", 0.02),
        ("specialized", 0.2),
        ("a child without rows", 0.1),
        ("in part", 0.02),
        ("in part, a child kept back", 0.002),
        ("in part, and the rest again", 0.001),
        ("in part, of persons", 0.002),
        ("split", 0.1),
        ("split between its values", 0.005),
        ("several disclosed", 0.1),
        ("kept back", 0.01),
        ("a rarer one alone", 0.001),
        ("one alone, as it is better", 0.003),
        ("one value alone", 0.03),
        ("NULL", 0.05),
        ("NULL disclosed", 0.02),
    ];
    let rare = rare.into_iter().filter(|(what, least)| seen.share(what, "searched") < *least);
    assert_eq!(rare.collect::<Vec<_>>(), [], "too rare");
}

fn note_all(seen: &Seen, case: &Case, followed: &Followed) {
    let Followed { shown, in_all, seen: groups, trace, jumps: elsewhere, other_splits, end } = followed;
    let all = || groups.iter().flat_map(|(_, candidates)| candidates);
    let masking = |candidate: &Candidate| &case.attributes[candidate.attribute].masking;
    let is_suppression = |c: &Candidate| matches!(masking(c), Masking::Suppression { .. });
    seen.note("searched", true);
    let steps = shown.len() + trace.len();
    seen.note("three steps", steps > 2);
    seen.note("eight steps", steps > 7);
    seen.note("several roots", State::initial(case).cuts.iter().any(|cut| cut.len() > 1) && trace.len() > 1);
    seen.note("shown", !shown.is_empty());
    seen.note("three of shown columns", shown.len() > 2);
    seen.note("shown before others", !shown.is_empty() && !trace.is_empty());
    let masking_of = |attribute: usize| &case.attributes[attribute].masking;
    let discloses =
        |refined: &Refinement| matches!(masking_of(refined.attribute), Masking::Suppression { .. });
    seen.note("shown: a value disclosed", shown.iter().any(discloses));
    seen.note("shown: split", shown.iter().any(|refined| are_halves(&refined.children)));
    // A shown column is not refined further, although some group alone could be refined on it.
    let alone = |group: &Group, attribute: usize| {
        case.attributes[attribute].shown
            && candidate(case, group, attribute).is_some_and(|candidate| candidate.may_be_performed())
    };
    let any_alone = |group: &Group| (0..case.attributes.len()).any(|attribute| alone(group, attribute));
    seen.note("shown: frozen", end.iter().any(any_alone));
    // Only models over other columns break.
    let by_others = |candidate: &crate::reference::Candidate| {
        let over = |model: &&Model| model.attributes().contains(&candidate.attribute);
        let models = case.models.iter().zip(&candidate.achieved).filter(|(model, _)| over(model));
        !candidate.valid && models.into_iter().all(|(model, achieved)| holds(model, *achieved))
    };
    seen.note("shown: kept by a model over others", in_all.iter().flatten().any(by_others));
    seen.note("elsewhere", *elsewhere > 0);
    seen.note("other splits", *other_splits > 0);
    // Values with different released nodes in different groups.
    let mut released: BTreeMap<(usize, String), Vec<Node>> = BTreeMap::new();
    for group in end {
        for (attribute, node) in group.nodes.iter().enumerate() {
            for row in &group.rows {
                let value = format!("{:?}", case.rows[*row].values[attribute]);
                released.entry((attribute, value)).or_default().push(*node);
            }
        }
    }
    seen.note(
        "divided differently",
        released.values().any(|nodes| nodes.iter().any(|node| *node != nodes[0])),
    );
    seen.note("found invalid", all().any(|c| !c.valid && c.beneficial));
    seen.note("not beneficial", all().any(|c| c.valid && !c.beneficial));
    let better = |candidate: &Candidate| {
        let group = groups.iter().find(|(group, _)| group.origin == candidate.of).expect("its group");
        let measures = |model, rows: &Vec<usize>| measure_groups(case, model, std::slice::from_ref(rows))[0];
        let falls = |model| more_is_better(model);
        case.models.iter().filter(|model| !falls(model)).any(|model| {
            candidate
                .parts
                .iter()
                .any(|(_, rows)| measures(model, rows) < measures(model, &group.0.rows) - CLOSE)
        })
    };
    seen.note("a better part", trace.iter().any(better));
    let conditional = case.score == Score::Conditional && case.has_class;
    seen.note("no more than chance", conditional && all().any(|c| c.valid && c.score < 0.0));
    seen.note("conditional", conditional && trace.len() > 1);
    let of_persons = |model: &Model| matches!(model, Model::KAnonymity { person: Some(_), k: 2.., .. });
    seen.note("persons", trace.len() > 1 && case.models.iter().any(of_persons));
    let performed = |of: &dyn Fn(&Candidate) -> bool| trace.iter().any(of);
    let taxonomy = |c: &Candidate| matches!(c.children[0], Node::Taxonomy(_));
    let is_taxonomy = |refined: &Refinement| matches!(refined.children[0], Node::Taxonomy(_));
    seen.note("specialized", performed(&taxonomy) || shown.iter().any(is_taxonomy));
    seen.note("a child without rows", performed(&|c| taxonomy(c) && c.parts.len() < c.children.len()));
    let in_part = |c: &Candidate| split_off(case, c.attribute, &c.children).is_some();
    seen.note("in part", performed(&in_part));
    seen.note("in part, a child kept back", performed(&|c| in_part(c) && c.kept_back > 0));
    let above =
        |c: &Candidate| groups.iter().find(|(group, _)| group.origin == c.of).expect("its group").0.clone();
    let twice =
        |c: &Candidate| above(c).already_split_off.iter().any(|(attribute, _)| *attribute == c.attribute);
    seen.note("in part, and the rest again", performed(&|c| taxonomy(c) && twice(c)));
    let persons = |model: &Model| matches!(model, Model::KAnonymity { person: Some(_), k: 2.., .. });
    seen.note("in part, of persons", performed(&in_part) && case.models.iter().any(persons));
    seen.note("split", performed(&|c| are_halves(&c.children)));
    let between = |c: &Candidate| match (c.children[0], &c.parts[..]) {
        (Node::Interval { to: Some(at), .. }, [_, (_, right)]) => {
            let at_the_point = |row: &usize| {
                let value = case.rows[*row].values[c.attribute];
                matches!(value, Value::Number(number) if number == at)
            };
            !right.iter().any(at_the_point)
        }
        _ => false,
    };
    seen.note("split between its values", performed(&between));
    let disclosed = |c: &Candidate| c.children.iter().filter(|child| **child != Node::Star).count();
    seen.note("several disclosed", performed(&|c| is_suppression(c) && disclosed(c) > 1));
    seen.note("kept back", performed(&|c| is_suppression(c) && c.kept_back > 0));
    seen.note("a rarer one alone", performed(&|c| c.alone && !c.better));
    seen.note("one alone, as it is better", performed(&|c| c.better));
    seen.note("one value alone", performed(&|c| is_suppression(c) && c.children.len() == 1));
    seen.note("NULL", performed(&|c| c.children[0] == Node::Null && !is_suppression(c)));
    seen.note("NULL disclosed", performed(&|c| is_suppression(c) && c.children.contains(&Node::Null)));
}

#[test]
fn a_local_search_of_many_alike_is_the_reference_search() {
    let seen = Seen::default();
    // With far more rows than values the engine counts codes instead of sorting a group's rows. Shown columns are not
    // refined that way.
    let many = (local_cases(), 12..24usize).prop_map(|(mut case, times)| {
        case.attributes.iter_mut().for_each(|attribute| attribute.shown = false);
        case.rows = std::iter::repeat_n(case.rows, times).flatten().collect();
        case
    });
    for_all(9_000, many, |case| {
        let coded = Coded::new(&case);
        seen.note("cases", true);
        let Some(outcome) = searched(&case, &coded)? else { return Ok(()) };
        let followed = follow(&case, &coded, &outcome)?;
        let split = followed.trace.iter().any(|refined| are_halves(&refined.children));
        seen.note("split", split && case.has_class);
        Ok(())
    });
    assert!(seen.share("split", "cases") > 0.1);
}

#[test]
fn a_local_search_does_not_depend_on_the_order_of_rows() {
    let inputs = local_cases().prop_flat_map(|case| (Just(case.rows.clone()).prop_shuffle(), Just(case)));
    for_all(10_000, inputs, |(rows, case)| {
        let shuffled = Case { rows, ..case.clone() };
        let coded = Coded::new(&case);
        for again in [coded.search_locally(None), Coded::new(&shuffled).search_locally(None)] {
            match (coded.search_locally(None), again) {
                (Ok(outcome), Ok(again)) => {
                    prop_assert_eq!(&outcome.steps, &again.steps);
                    prop_assert_eq!(refined(&outcome), refined(&again));
                    prop_assert_eq!(&outcome.achieved, &again.achieved);
                    for (one, other) in outcome.hierarchies.iter().zip(&again.hierarchies) {
                        prop_assert_eq!(one.nodes(), other.nodes());
                    }
                }
                (outcome, again) => prop_assert_eq!(outcome.err(), again.err()),
            }
        }
        Ok(())
    });
}

/// Distinct records with counts are searched as their rows are.
#[test]
fn the_local_search_of_records_with_counts() {
    let seen = Seen::default();
    for_all(2_000, local_cases(), |mut case| {
        case.rows = case.rows.into_iter().flat_map(|row| [row.clone(), row]).collect();
        let (rows, records) = (Coded::new(&case), Coded::new(&case).folded());
        seen.note("cases", true);
        match (rows.search_locally(None), records.search_locally(None)) {
            (Ok(rows), Ok(of_records)) => {
                crate::differential::assert_same(&rows, &of_records)?;
                prop_assert_eq!(refined(&rows), refined(&of_records));
                let folded = records.records() < case.rows.len();
                seen.note("folded", folded && count_shown_steps(&rows) < rows.steps.len());
                seen.note("folded, of shown columns", folded && count_shown_steps(&rows) > 0);
            }
            (rows, records) => prop_assert_eq!(rows.err(), records.err()),
        }
        Ok(())
    });
    assert!(seen.share("folded", "cases") > 0.3 && seen.share("folded, of shown columns", "cases") > 0.05);
}

/// Builds a table of two equal columns of four leaves below two nodes, with every combination once: all scores tie.
fn alike() -> Case {
    let leaves = |a: &str, b: &str| vec![Branch::leaf(a), Branch::leaf(b)];
    let halves = vec![Branch::inner("a", leaves("a1", "a2")), Branch::inner("b", leaves("b1", "b2"))];
    let tree = Taxonomy::grow(&Branch::inner("all", halves));
    let row = |one: &usize, other: &usize| Row {
        values: vec![Value::Leaf(*one), Value::Leaf(*other)],
        class: None,
        sensitive: vec![],
        persons: vec![],
    };
    let leaves = tree.leaves();
    let rows = leaves.iter().flat_map(|one| leaves.iter().map(move |other| row(one, other))).collect();
    let attribute = |name: &str| Attribute::new(name, Masking::Taxonomy(tree.clone()));
    Case {
        attributes: vec![attribute("one"), attribute("other")],
        has_class: false,
        rows,
        models: vec![Model::KAnonymity { quasi_identifier: vec![0, 1], k: 1, person: None }],
        score: Score::InfoGain,
        split: Split::Optimal,
        withhold: None,
        shown_alone: false,
    }
}

#[test]
fn ties_refine_the_first_column_of_the_oldest_group() {
    let case = alike();
    let coded = Coded::new(&case);
    let outcome = coded.search_locally(None).unwrap();
    follow(&case, &coded, &outcome).unwrap();
    assert_eq!(refined(&outcome), (0..15).map(Some).collect::<Vec<Option<RegionId>>>());
    let columns: Vec<usize> = outcome.steps.iter().map(|step| step.attribute).collect();
    assert_eq!(columns, [0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
}
