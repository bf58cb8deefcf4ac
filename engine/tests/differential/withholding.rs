//! Cases in which rows may be withheld: k-anonymity and distinct l-diversity, over all columns.

use super::adapter::by_label;
use super::again::check_again;
use super::{check, for_all, weakened, Seen};
use crate::reference::generate::{case, ModelKinds};
use crate::reference::*;
use proptest::prelude::*;

pub fn cases() -> impl Strategy<Value = Case> {
    let kinds = prop_oneof![2 => Just(ModelKinds::KAnonymity), 1 => Just(ModelKinds::Diversity)];
    (kinds.prop_flat_map(case), any::<bool>(), prop_oneof![1 => 0..4usize, 3 => 4..16usize]).prop_map(
        |(mut case, little, most)| {
            for model in std::mem::take(&mut case.models) {
                let model = allowing_withholding(model, case.attributes.len());
                let model = if little { weakened(model) } else { model };
                if !case.models.contains(&model) {
                    case.models.push(model);
                }
            }
            by_label(Case { withhold: Some(most), ..case })
        },
    )
}

/// Makes a model one that allows withholding: over all attributes, counting rows and not persons, with distinct
/// l-diversity in place of another kind.
fn allowing_withholding(model: Model, attributes: usize) -> Model {
    let mut model = model.unwrapped().clone();
    if let Model::KAnonymity { quasi_identifier, person, .. } = &mut model {
        *quasi_identifier = (0..attributes).collect();
        *person = None;
    }
    if let Model::LDiversity { quasi_identifier, kind, .. } = &mut model {
        *quasi_identifier = (0..attributes).collect();
        *kind = match *kind {
            Diversity::Distinct { l } | Diversity::Entropy { l } => Diversity::Distinct { l: l.ceil() },
            Diversity::Recursive { l, .. } => Diversity::Distinct { l: l as f64 },
        };
    }
    model
}

#[test]
fn the_reference_withholds_the_same_rows() {
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
        ("raised", 0.005),
    ] {
        assert!(seen.share(what, "searched") >= least, "{what} is too rare");
    }
}

#[test]
fn a_limit_of_no_rows_withholds_nothing() {
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

/// All rows below 0.5 are withheld before an interval holds them alone.
#[test]
fn an_interval_without_a_released_row_is_not_split() {
    let row = |code, number| Row {
        values: vec![code, Value::Number(number)],
        class: None,
        sensitive: vec![],
        persons: vec![],
    };
    let of_null = std::iter::repeat_n((Value::Null, 0.5), 5);
    let of_a = [-1.0, 0.0, 2.5, 1.0, 1.0, 1.0, -0.5].map(|number| (Value::Code(0), number));
    let attribute = |name: &str, masking| Attribute {
        name: name.to_string(),
        masking,
        weight: 1.0,
        coarsest: 0,
        finest: None,
        shown: false,
    };
    let case = Case {
        attributes: vec![
            attribute("a0", Masking::Suppression { labels: vec!["a".to_string()] }),
            attribute("a1", Masking::Interval { lower: None, upper: None, points: None, whole: false }),
        ],
        has_class: false,
        rows: of_null.chain(of_a).map(|(code, number)| row(code, number)).collect(),
        models: vec![Model::KAnonymity { quasi_identifier: vec![0, 1], k: 4, person: None }],
        score: Score::Tds,
        split: Split::Valid,
        withhold: Some(3),
        shown_alone: false,
    };
    let replay = check(&case).unwrap().expect("a search");
    let end = replay.states.last().expect("the initial state");
    assert!(end.cuts[1].contains(&Node::Interval { from: None, to: Some(0.5) }), "{:?}", end.cuts[1]);
}
