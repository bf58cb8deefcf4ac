//! Cases in which rows may be left out: k-anonymity and distinct l-diversity, mostly over several sets of columns.

use super::adapter::by_label;
use super::again::check_again;
use super::reference::generate::{case, ModelKinds};
use super::reference::*;
use super::{asking_little, check, for_all, Seen};
use proptest::prelude::*;
use std::collections::BTreeSet;

pub fn cases() -> impl Strategy<Value = Case> {
    let kinds = prop_oneof![2 => Just(ModelKinds::KAnonymity), 1 => Just(ModelKinds::Diversity)];
    (kinds.prop_flat_map(case), any::<bool>(), prop_oneof![0..4usize, 0..16usize]).prop_map(
        |(mut case, little, most)| {
            for model in std::mem::take(&mut case.models) {
                let model = if little { asking_little(distinct(model)) } else { distinct(model) };
                if !case.models.contains(&model) {
                    case.models.push(model);
                }
            }
            by_label(Case { withhold: Some(most), ..case })
        },
    )
}

/// A diversity of distinct values, where it is of another kind; groups of so many rows, where it asks for persons.
fn distinct(mut model: Model) -> Model {
    if let Model::KAnonymity { person, .. } = &mut model {
        *person = None;
    }
    if let Model::LDiversity { kind, .. } = &mut model {
        *kind = match *kind {
            Diversity::Distinct { l } | Diversity::Entropy { l } => Diversity::Distinct { l: l.ceil() },
            Diversity::Recursive { l, .. } => Diversity::Distinct { l: l as f64 },
        };
    }
    model
}

/// How many rows are in groups that break a model, whatever that leads to.
fn broken(case: &Case, state: &State, rows: &[usize]) -> usize {
    let breaks = |model: &Model, group: &Vec<usize>| {
        let alone = Case {
            rows: group.iter().map(|row| case.rows[*row].clone()).collect(),
            withhold: None,
            ..case.clone()
        };
        let whole = State { cuts: (0..case.attributes.len()).map(|_| vec![Node::Star]).collect() };
        measures(&alone, &whole, model).into_iter().any(|measure| !holds(model, measure))
    };
    let groups = |model: &Model| measures::groups(case, state, model.attributes(), rows);
    let rows = case.models.iter().flat_map(|model| {
        groups(model).into_iter().filter(|group| breaks(model, group)).flatten().collect::<Vec<usize>>()
    });
    rows.collect::<BTreeSet<usize>>().len()
}

#[test]
fn what_is_withheld_is_what_the_reference_withholds() {
    let seen = Seen::default();
    for_all(12_000, cases(), |case| {
        let Some(replay) = check(&case)? else {
            seen.note("cases", true);
            return Ok(());
        };
        seen.note("cases", true);
        seen.note("searched", true);
        let end = replay.states.last().expect("the initial state");
        let out = withheld(&case, end).iter().filter(|out| **out).count();
        seen.note("three steps", replay.states.len() > 3);
        seen.note("withheld", out > 0);
        seen.note("all that may be", Some(out) == case.withhold && out > 0);
        seen.note("too many", replay.candidates.iter().flatten().any(|c| !c.valid && c.beneficial));
        seen.note(
            "taken along",
            replay.states.windows(2).any(|states| {
                let rows = measures::released_rows(&case, &states[0]);
                let left = measures::released_rows(&case, &states[1]);
                rows.len() - left.len() > broken(&case, &states[1], &rows)
            }),
        );
        let rises = |states: &[State]| {
            let (before, after) = (achieved(&case, &states[0]), achieved(&case, &states[1]));
            before.iter().zip(&after).any(|(before, after)| before < after)
        };
        seen.note("raised", replay.states.windows(2).any(rises));
        Ok(())
    });
    for (what, least) in [
        ("three steps", 0.3),
        ("withheld", 0.1),
        ("all that may be", 0.02),
        ("too many", 0.05),
        ("taken along", 0.0005),
        ("raised", 0.005),
    ] {
        assert!(seen.share(what, "searched") >= least, "{what} is too rare");
    }
}

#[test]
fn nothing_to_withhold_is_no_withholding() {
    for_all(3_000, cases(), |case| {
        let none = Case { withhold: Some(0), ..case.clone() };
        let search = |case: &Case| super::Coded::new(case).search(None);
        match (search(&none), search(&Case { withhold: None, ..case })) {
            (Ok(none), Ok(without)) => {
                prop_assert_eq!(&none.steps, &without.steps);
                prop_assert_eq!(&none.cuts, &without.cuts);
                prop_assert!(none.withheld.iter().all(|out| !out));
            }
            (none, without) => prop_assert_eq!(none.is_ok(), without.is_ok()),
        }
        Ok(())
    });
}

#[test]
fn a_replay_withholds_what_the_search_does() {
    for_all(8_000, cases(), |case| check_again(&case).map(drop));
}
