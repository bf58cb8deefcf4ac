//! Cases with a suppressed column of many values, most of them disclosed one by one. The column has enough values for
//! an index, and the groups are so large that they are not recounted for each disclosure.
//!
//! The reference evaluates every candidate on every record, so it searches for the best candidate at some of the steps
//! only. It checks the performed refinement of every step.

use super::adapter::Coded;
use super::replay::{all_close, check_end, check_step, chosen, split_alike};
use crate::reference::*;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use topdown::refine::{Hierarchy, NodeId, TOP};
use topdown::{Outcome, Step};

/// One value of the wide column: the number of its records, the row of the case that they copy, an offset for those
/// that copy another row, and whether the value is NULL.
type Held = (usize, usize, usize, bool);

fn held(most: usize) -> impl Strategy<Value = Held> {
    (1..=most, 0..64usize, 0..64usize, (0..40usize).prop_map(|null| null == 0))
}

/// Adds a suppressed column of `values` values, with at most `most` records each. Most models get the column, and in
/// some cases one more model is over this column alone.
pub fn with_many_values(
    cases: impl Strategy<Value = Case>,
    values: RangeInclusive<usize>,
    most: usize,
) -> impl Strategy<Value = Case> {
    let alike = prop_oneof![Just(1usize), Just(3), Just(64)];
    (cases, vec(held(most), values), alike, vec(0..4usize, 4)).prop_map(|(case, held, alike, over)| {
        let wide = case.attributes.len();
        let mut rows = Vec::new();
        for (code, (copies, like, other, null)) in held.iter().enumerate() {
            for copy in 0..*copies {
                let like = if (copy + other) % 5 == 0 { copy + other } else { like % alike };
                let mut row = case.rows[like % case.rows.len()].clone();
                row.values.push(if *null { Value::Null } else { Value::Code(code as u32) });
                row.persons = [rows.len() % 50, rows.len() / 2].map(|person| Some(person as u32)).to_vec();
                rows.push(row);
            }
        }
        let labels = (0..held.len()).map(|code| format!("w{:03}", 999 - code)).collect();
        let mut attributes = case.attributes.clone();
        attributes.push(Attribute::new("wide", Masking::Suppression { labels }));
        let mut models: Vec<Model> = Vec::new();
        for (model, over) in case.models.iter().zip(over.into_iter().chain([1; 8])) {
            let mut model = model.clone();
            if over > 0 || models.is_empty() {
                columns(&mut model).push(wide);
            }
            models.push(model);
        }
        if alike == 1 {
            models.push(Model::KAnonymity { quasi_identifier: vec![wide], k: 2, person: None });
        }
        Case { attributes, rows, models, ..case }
    })
}

fn columns(model: &mut Model) -> &mut Vec<usize> {
    match model.bare_mut() {
        Model::ConfidenceBound { channel, .. } => channel,
        Model::KAnonymity { quasi_identifier, .. }
        | Model::KMap { quasi_identifier, .. }
        | Model::LDiversity { quasi_identifier, .. }
        | Model::TCloseness { quasi_identifier, .. }
        | Model::BetaLikeness { quasi_identifier, .. } => quasi_identifier,
        Model::BoundedKnowledge { .. } | Model::SharesOfPersons { .. } => unreachable!("a bare model"),
    }
}

/// Builds a case in which the second disclosure takes four of the six records of a leaf, and leaves two, which are too
/// few. The group is so large that only the records that leave it are counted. Only the rest shows that the tree must
/// not be specialized: four records are enough.
pub fn with_a_leaf_left_behind() -> Case {
    let tree = Branch::inner("any", vec![Branch::leaf("common"), Branch::leaf("rare")]);
    let tree = Taxonomy::grow(&tree);
    let leaves = ["common", "rare"].map(|label| Value::Leaf(tree.node(label)));
    let mut rows = Vec::new();
    let mut hold = |value: u32, records: usize, leaf: usize, class: u32| {
        let row = Row {
            values: vec![leaves[leaf], Value::Code(value)],
            class: Some(class),
            sensitive: vec![],
            persons: vec![],
        };
        rows.extend(std::iter::repeat_n(row, records));
    };
    (0..160).for_each(|half| hold(half / 2, 2, 0, half % 2)); // gain next to nothing
    hold(80, 8, 0, 0); // gains most
    hold(81, 4, 1, 1); // gains most then, and more than the tree
    [82, 83].into_iter().for_each(|value| hold(value, 1, 1, 0)); // may not be disclosed
    let labels = (0..84).map(|code| format!("w{code:03}")).collect();
    let attribute = |name: &str, masking| Attribute::new(name, masking);
    Case {
        attributes: vec![
            attribute("tree", Masking::Taxonomy(tree)),
            attribute("wide", Masking::Suppression { labels }),
        ],
        has_class: true,
        rows,
        models: vec![Model::KAnonymity { quasi_identifier: vec![0, 1], k: 3, person: None }],
        score: Score::InfoGain,
        split: Split::Optimal,
        withhold: None,
        shown_alone: false,
    }
}

/// Performs a trace in the reference. Checks at one of `every` steps, and at the end, that no candidate was better.
pub fn check(case: &Case, coded: &Coded, outcome: &Outcome, every: usize) -> Result<(), TestCaseError> {
    let mut state = State::initial(case);
    for (number, step) in outcome.steps.iter().enumerate() {
        let failed = |reason: String| TestCaseError::fail(format!("step {number}: {reason}"));
        let performed = if number % every == every / 2 {
            let candidates = split_alike(case, coded, outcome, &state, &mut 0)?;
            chosen(coded, outcome, step, &candidates).map_err(failed)?.clone()
        } else {
            let node = |id: &u32| coded.node(outcome, step.attribute, *id);
            let children = step.children.iter().map(node).collect();
            evaluate(case, &state, step.attribute, &node(&step.node), children)
        };
        check_step(step, &performed).map_err(|reason| failed(reason.to_string()))?;
        state = State::perform(case, &state, &performed);
    }
    let candidates = split_alike(case, coded, outcome, &state, &mut 0)?;
    let left = best(&candidates);
    prop_assert!(left.is_none(), "the search ended before {left:?}");
    check_end(case, coded, outcome, &state)
}

/// Checks a search, which keeps counts, against an explanation, which recounts every group that it divides. Every step
/// must be the same (except for rounding of a measure), and no beneficial value left in `*` may be valid. A replay,
/// which keeps counts, must perform the same steps, also on four fifths of the rows.
pub fn check_counted_anew(case: &Case, coded: &Coded, outcome: &Outcome) -> Result<(), TestCaseError> {
    let refinement_of = |outcome: &Outcome, step: &Step| {
        let node = |id: &NodeId| coded.node(outcome, step.attribute, *id);
        let children = step.children.iter().map(node).collect();
        Refinement { attribute: step.attribute, node: node(&step.node), children }
    };
    let refinement = |step| refinement_of(outcome, step);
    let mut trace: Vec<Refinement> = outcome.steps.iter().map(refinement).collect();
    for (attribute, hierarchy) in outcome.hierarchies.iter().enumerate() {
        let released = |row: &usize| outcome.cuts[attribute].node_for(coded.code(attribute, *row));
        let left: Vec<usize> = (0..case.rows.len()).filter(|row| released(row) == TOP).collect();
        let classes = left.iter().map(|row| case.rows[*row].class).collect::<BTreeSet<Option<u32>>>().len();
        // With the conditional score, values without gain are left in `*` as well.
        let use_alone = case.score != Score::Conditional;
        if use_alone && hierarchy.is_suppression() && (classes > 1 || !case.has_class) {
            let codes: BTreeSet<u32> = left.iter().map(|row| coded.code(attribute, *row)).collect();
            let children =
                |code| vec![coded.node(outcome, attribute, Hierarchy::disclosed_node(code)), Node::Star];
            let disclosures = codes.into_iter().map(children);
            trace.extend(disclosures.map(|children| Refinement { attribute, node: Node::Star, children }));
        }
    }
    let (again, _) = coded.explain(&trace).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(again.outcome.steps.len(), outcome.steps.len());
    for (again_step, step) in again.outcome.steps.iter().zip(&outcome.steps) {
        prop_assert_eq!(refinement_of(&again.outcome, again_step), refinement(step));
        prop_assert_eq!((again_step.records, again_step.info_gain), (step.records, step.info_gain));
        let numbers = |step: &Step| [&[step.privacy_loss, step.score], &step.achieved[..]].concat();
        prop_assert!(all_close(&numbers(again_step), &numbers(step)), "{again_step:?} is not {step:?}");
    }
    prop_assert!(all_close(&again.outcome.achieved, &outcome.achieved));
    let fewer = case.rows.iter().enumerate().filter(|(at, _)| at % 5 > 0).map(|(_, row)| row.clone());
    for rows in [case.rows.clone(), fewer.collect()] {
        let case = Case { rows, ..case.clone() };
        let coded = Coded::new(&case);
        let (kept, anew) = (coded.replay(&trace), coded.explain(&trace).map(|(replayed, _)| replayed));
        let (Ok(kept), Ok(anew)) = (&kept, &anew) else {
            prop_assert_eq!(kept.err(), anew.err());
            continue;
        };
        prop_assert_eq!((&kept.performed, &kept.broken), (&anew.performed, &anew.broken));
        for (kept, anew) in kept.outcome.steps.iter().zip(&anew.outcome.steps) {
            prop_assert_eq!((kept.records, kept.info_gain), (anew.records, anew.info_gain));
            let numbers = |step: &Step| [&[step.privacy_loss, step.score], &step.achieved[..]].concat();
            prop_assert!(all_close(&numbers(kept), &numbers(anew)), "{kept:?} is not {anew:?}");
        }
    }
    Ok(())
}
