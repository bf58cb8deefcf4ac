//! Laws that the reference must obey on generated cases, and the coverage of these cases. Part of the test
//! `reference_papers`.

use crate::reference::generate::{case, ModelKinds, MOST_ROWS};
use crate::reference::measures::worsening;
use crate::reference::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() }
}

fn kinds() -> impl Strategy<Value = ModelKinds> {
    use ModelKinds::*;
    prop_oneof![Just(KAnonymity), Just(Confidence), Just(Diversity), Just(Closeness), Just(All)]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn refining_never_improves_a_measure(case in kinds().prop_flat_map(case)) {
        case.check();
        prop_assert!(case.rows.len() <= MOST_ROWS);
        let mut state = State::initial(&case);
        // Performs the last candidate, valid or not.
        while let Some(step) = candidates(&case, &state).last() {
            let next = State::perform(&case, &state, step);
            for model in &case.models {
                prop_assert!(worsening(&case, model, &state, &next).iter().all(|loss| *loss > -1e-9));
            }
            prop_assert!(step.gain >= 0.0 && step.privacy_loss >= 0.0);
            prop_assert!(step.score >= 0.0 || case.score == Score::Conditional);
            prop_assert_eq!(&step.achieved, &achieved(&case, &next));
            state = next;
        }
        // At the end every value is released as specific as allowed; intervals are not checked.
        for row in 0..case.rows.len() {
            for (attribute, masked) in case.attributes.iter().enumerate() {
                let node = released_node(&case, &state, attribute, row);
                let bounded = masked.finest.is_some();
                let expected = match case.rows[row].values[attribute] {
                    Value::Leaf(leaf) if bounded => match masked.masking {
                        Masking::Taxonomy(ref tree) => Node::Taxonomy(tree.up_to(leaf, masked.finest)),
                        _ => node,
                    },
                    Value::Null => Node::Null,
                    Value::Leaf(leaf) => Node::Taxonomy(leaf),
                    Value::Code(code) => Node::Value(code),
                    Value::Number(_) => node,
                };
                prop_assert_eq!(node, expected, "{}", &masked.name);
            }
        }
    }

    #[test]
    fn a_search_keeps_the_models(case in kinds().prop_flat_map(case)) {
        let steps = search(&case, None);
        prop_assert!(steps.is_empty() || case.holds_initially());
        let mut state = State::initial(&case);
        for step in &steps {
            state = State::perform(&case, &state, step);
            prop_assert!(all_hold(&case, &state));
            prop_assert!(state.cuts[step.attribute].contains(&step.children[0]));
        }
    }
}

#[test]
fn generated_cases_cover_what_they_should() {
    let mut runner = TestRunner::deterministic();
    let strategy = case(ModelKinds::All);
    let cases: Vec<Case> =
        (0..1000).map(|_| strategy.new_tree(&mut runner).expect("a case").current()).collect();
    let share = |what: &str, at_least: f64, of: &dyn Fn(&Case) -> bool| {
        let share = cases.iter().filter(|case| of(case)).count() as f64 / cases.len() as f64;
        assert!(share >= at_least, "{what}: {share}");
        assert!(share < 1.0, "{what}: always");
    };
    share("hold initially", 0.7, &|case| case.holds_initially());
    share("three steps", 0.25, &|case| search(case, Some(3)).len() == 3);
    share("something invalid", 0.2, &|case| {
        let steps = search(case, None);
        let end = steps.iter().fold(State::initial(case), |state, step| State::perform(case, &state, step));
        !steps.is_empty()
            && candidates(case, &end).iter().any(|candidate| !candidate.valid && candidate.beneficial)
    });
    let shown = |case: &Case| case.attributes.iter().filter(|attribute| attribute.shown).count();
    share("shown", 0.15, &|case| shown(case) > 0);
    share("shown beside others", 0.1, &|case| (1..case.attributes.len()).contains(&shown(case)));
    share("no class", 0.1, &|case| !case.has_class);
    share("a NULL class", 0.05, &|case| case.has_class && case.rows.iter().any(|row| row.class.is_none()));
    share("four attributes", 0.1, &|case| case.attributes.len() == 4);
    share("several models", 0.4, &|case| case.models.len() > 1);
    share("forty records", 0.05, &|case| case.rows.len() == MOST_ROWS);
    let masking = |of: fn(&Masking) -> bool| {
        move |case: &Case| case.attributes.iter().any(|attribute| of(&attribute.masking))
    };
    share("intervals", 0.3, &masking(|masking| matches!(masking, Masking::Interval { .. })));
    share("whole numbers", 0.1, &masking(|masking| matches!(masking, Masking::Interval { whole: true, .. })));
    share("bounds", 0.1, &masking(|m| matches!(m, Masking::Interval { lower: Some(_), upper: Some(_), .. })));
    share("one bound", 0.1, &masking(|m| matches!(m, Masking::Interval { lower: Some(_), upper: None, .. })));
    share("suppression", 0.3, &masking(|masking| matches!(masking, Masking::Suppression { .. })));
    share("a deep taxonomy", 0.05, &masking(|m| matches!(m, Masking::Taxonomy(tree) if depth(tree) >= 3)));
    share("a single leaf", 0.02, &masking(|m| matches!(m, Masking::Taxonomy(tree) if tree.nodes.len() == 1)));
    share(
        "an only child",
        0.1,
        &masking(|masking| match masking {
            Masking::Taxonomy(tree) => tree.nodes.iter().any(|node| node.children.len() == 1),
            _ => false,
        }),
    );
    share("NULLs", 0.2, &|case| (0..case.attributes.len()).any(|attribute| case.has_nulls(attribute)));
    share("nothing but NULLs", 0.02, &|case| {
        (0..case.attributes.len()).any(|at| case.rows.iter().all(|row| row.values[at] == Value::Null))
    });
    let model = |of: fn(&Model) -> bool| move |case: &Case| case.models.iter().any(of);
    let diverse = |of: fn(&Diversity) -> bool| {
        move |case: &Case| case.models.iter().any(|m| matches!(m, Model::LDiversity { kind, .. } if of(kind)))
    };
    share("k-anonymity", 0.2, &model(|model| matches!(model, Model::KAnonymity { .. })));
    share("persons", 0.1, &model(|model| matches!(model, Model::KAnonymity { person: Some(_), .. })));
    share("confidence", 0.2, &model(|model| matches!(model, Model::ConfidenceBound { .. })));
    share("distinct", 0.1, &diverse(|kind| matches!(kind, Diversity::Distinct { .. })));
    share("entropy", 0.1, &diverse(|kind| matches!(kind, Diversity::Entropy { .. })));
    share("recursive", 0.1, &diverse(|kind| matches!(kind, Diversity::Recursive { .. })));
    share("equal", 0.1, &model(|m| matches!(m, Model::TCloseness { distance: Distance::Equal, .. })));
    share("ordered", 0.1, &model(|m| matches!(m, Model::TCloseness { distance: Distance::Ordered, .. })));
    share("likeness", 0.1, &model(|model| matches!(model, Model::BetaLikeness { .. })));
    share("known", 0.2, &model(|model| matches!(model, Model::BoundedKnowledge { .. })));
    for score in [Score::Tds, Score::Tdr, Score::InfoGain, Score::Conditional] {
        share("a score", 0.15, &|case| case.score == score);
    }
}

fn depth(tree: &Taxonomy) -> usize {
    let level = |leaf: usize| (0..tree.nodes.len()).filter(|node| tree.is_under(leaf, *node)).count() - 1;
    tree.leaves().into_iter().map(level).max().unwrap()
}
