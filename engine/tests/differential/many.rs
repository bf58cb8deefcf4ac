//! Cases with a suppressed column of many values, of which most are disclosed one after the other: more than are
//! found by a scan, in groups so large that they are not counted anew for each.
//!
//! The reference weighs every candidate on every record, so it looks for the best at some of the steps only. What
//! was performed is looked at with every step.

use super::adapter::Coded;
use super::reference::*;
use super::replay::{check_end, check_step, chosen, split_alike};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use topdown::Outcome;

/// One value of the wide column: how many records hold it, which record of the case they are like, which of them
/// is like another one, and whether the value is NULL.
type Held = (usize, usize, usize, bool);

fn held() -> impl Strategy<Value = Held> {
    (1..=4usize, 0..64usize, 0..64usize, (0..40usize).prop_map(|null| null == 0))
}

/// Cases with a further column of many values; each model is over it or is not, and some are over nothing else.
pub fn with_many_values(cases: impl Strategy<Value = Case>) -> impl Strategy<Value = Case> {
    let alike = prop_oneof![Just(1usize), Just(3), Just(64)];
    (cases, vec(held(), 66..=90), alike, vec(0..4usize, 4)).prop_map(|(case, held, alike, over)| {
        let wide = case.attributes.len();
        let mut rows = Vec::new();
        for (code, (copies, like, other, null)) in held.iter().enumerate() {
            for copy in 0..*copies {
                let like = if copy == other % 8 { *other } else { like % alike };
                let mut row = case.rows[like % case.rows.len()].clone();
                row.values.push(if *null { Value::Null } else { Value::Code(code as u32) });
                rows.push(row);
            }
        }
        let labels = (0..held.len()).map(|code| format!("w{:03}", 999 - code)).collect();
        let mut attributes = case.attributes.clone();
        attributes.push(Attribute { name: "wide".to_string(), masking: Masking::Suppression { labels } });
        let mut models: Vec<Model> = Vec::new();
        for (model, over) in case.models.iter().zip(over.into_iter().chain([1; 8])) {
            let mut model = model.clone();
            if over > 0 || models.is_empty() {
                columns(&mut model).push(wide);
            }
            models.push(model);
        }
        if alike == 1 {
            // One more over this column alone.
            models.push(Model::KAnonymity { quasi_identifier: vec![wide], k: 2 });
        }
        Case { attributes, rows, models, ..case }
    })
}

fn columns(model: &mut Model) -> &mut Vec<usize> {
    match model {
        Model::ConfidenceBound { channel, .. } => channel,
        Model::KAnonymity { quasi_identifier, .. }
        | Model::LDiversity { quasi_identifier, .. }
        | Model::TCloseness { quasi_identifier, .. }
        | Model::BetaLikeness { quasi_identifier, .. } => quasi_identifier,
    }
}

/// Performs a trace in the reference; of some of the steps, and of the end, that there was no better one.
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
