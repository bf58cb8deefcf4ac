//! The engine against the naive reference, on thousands of random small cases. The reference is the judge.
//!
//! * `differential/adapter.rs`: a reference case as the engine's problem, and the engine's nodes as the reference's
//! * `differential/replay.rs`: the engine's trace performed step by step in the reference
//! * `differential/many.rs`: cases with many values to disclose
//! * `differential/withholding.rs`: cases in which rows may be withheld
//! * `differential/again.rs`: the engine's own replay of a trace, on the same table and on others
//! * `differential/explain.rs`: the engine's reasons for its end
//! * `differential/holders.rs`: shares of persons
//! * `differential/k_map.rs`: records of a population
//! * `differential/local.rs`: local recoding
//! * `differential/clustered.rs`: clusters inside the groups of local recoding
//! * `differential/local_again.rs`: the replay of local recoding
//! * `differential/local_explain.rs`: the reasons for the end of local recoding
//!
//! A new kind of model needs an arm in `Coded::model`, `implies`, `weakened` and `doubled`.

#[path = "differential/adapter.rs"]
mod adapter;
#[path = "differential/again.rs"]
mod again;
#[path = "differential/clustered.rs"]
mod clustered;
#[path = "differential/explain.rs"]
mod explain;
#[path = "differential/folded.rs"]
mod folded;
#[path = "differential/holders.rs"]
mod holders;
#[path = "differential/k_map.rs"]
mod k_map;
#[path = "differential/local.rs"]
mod local;
#[path = "differential/many.rs"]
mod many;
#[path = "differential/replay.rs"]
mod replay;
#[path = "differential/withholding.rs"]
mod withholding;

use crate::reference::generate::{case, clear_of_rounding, ModelKinds};
use crate::reference::papers::{pda_table_1, tds_table_1, tds_table_2};
use crate::reference::{
    self, all_hold, holds, measures, Case, Diversity, Masking, Model, Node, Score, Split, State,
};
use adapter::{by_label, Coded};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult, TestError, TestRunner};
use replay::{check_end, check_redundant, check_worsening, close, replay, Replay};
use std::cell::RefCell;
use std::collections::BTreeMap;
use topdown::refine::TOP;
use topdown::{Error, Outcome};

/// Generates cases with the same order of nodes in engine and reference. Half have weak models, for long traces.
fn cases() -> impl Strategy<Value = Case> {
    use ModelKinds::*;
    let kinds = [All, All, All, KAnonymity, KAnonymity, Confidence, Diversity, Closeness];
    let drawn = (0..kinds.len()).prop_flat_map(move |kind| case(kinds[kind]));
    (drawn, any::<bool>()).prop_map(|(mut case, little)| {
        for mut model in std::mem::take(&mut case.models) {
            if little {
                model = weakened(model);
            }
            if !case.models.contains(&model) {
                case.models.push(model);
            }
        }
        by_label(case)
    })
}

fn weakened(mut model: Model) -> Model {
    match model.bare_mut() {
        Model::KAnonymity { k, .. } | Model::KMap { k, .. } => *k = k.div_ceil(4),
        Model::ConfidenceBound { max_confidence, .. } => {
            *max_confidence = clear_of_rounding((1.0 + *max_confidence) / 2.0)
        }
        Model::LDiversity { kind, .. } => match kind {
            Diversity::Distinct { l } => *l = (*l / 2.0).ceil(),
            Diversity::Entropy { l } => *l = l.sqrt(),
            Diversity::Recursive { c, .. } => *c *= 2.0,
        },
        Model::TCloseness { t, .. } => *t = (1.0 + *t) / 2.0,
        Model::BetaLikeness { beta, .. } => *beta = 1.0 + 2.0 * *beta,
        Model::BoundedKnowledge { .. } | Model::SharesOfPersons { .. } => unreachable!("a bare model"),
    }
    model
}

/// Says whether all inputs are tried (LONG=1), not a part of them.
fn is_long() -> bool {
    std::env::var_os("LONG").is_some_and(|value| !value.is_empty())
}

/// Tries a property on `number` inputs with LONG=1, otherwise on an eightieth of them, but on forty at least.
fn for_all<S: Strategy>(number: u32, inputs: S, property: impl Fn(S::Value) -> TestCaseResult) {
    let cases = if is_long() { number } else { (number / 80).max(number.min(40)) };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    match TestRunner::new(config).run(&inputs, property) {
        Err(TestError::Fail(reason, input)) => panic!("{reason}\nwith {input:?}"),
        other => other.unwrap_or_else(|error| panic!("{error}")),
    }
}

/// Counts the cases in which something was seen, by name.
#[derive(Default)]
struct Seen(RefCell<BTreeMap<&'static str, u32>>);

impl Seen {
    fn note(&self, what: &'static str, seen: bool) {
        *self.0.borrow_mut().entry(what).or_default() += u32::from(seen);
    }

    /// Returns the share of `what` among `all`; without LONG=1 infinity, because few inputs may lack rare things.
    fn share(&self, what: &'static str, all: &'static str) -> f64 {
        let seen = self.0.borrow();
        let count = |what| seen.get(what).copied().unwrap_or(0);
        println!("{what}: {} of {} {all}", count(what), count(all));
        if is_long() {
            f64::from(count(what)) / f64::from(count(all))
        } else {
            f64::INFINITY
        }
    }
}

fn must_search(coded: &Coded, max_steps: Option<usize>) -> Result<Outcome, TestCaseError> {
    coded.search(max_steps).map_err(|error| TestCaseError::fail(error.to_string()))
}

fn assert_same(left: &Outcome, right: &Outcome) -> TestCaseResult {
    prop_assert_eq!(&left.steps, &right.steps);
    prop_assert_eq!(&left.cuts, &right.cuts);
    prop_assert_eq!(&left.achieved, &right.achieved);
    prop_assert_eq!(&left.redundant, &right.redundant);
    for (left, right) in left.hierarchies.iter().zip(&right.hierarchies) {
        prop_assert_eq!(left.nodes(), right.nodes());
    }
    Ok(())
}

/// Checks the engine's search of a case against the reference. Returns None if, rightly, there is no release.
fn check(case: &Case) -> Result<Option<Replay>, TestCaseError> {
    case.check();
    let coded = Coded::new(case);
    match coded.search(None) {
        Err(Error::Unsatisfiable { model, requirement, achieved }) => {
            let with_all_rows = Case { withhold: None, ..case.clone() };
            let initially = measures(&with_all_rows, &State::initial(case), &case.models[model]);
            prop_assert!(close(achieved, initially[requirement]), "{achieved} is not of {initially:?}");
            prop_assert!(!holds(&case.models[model], achieved), "{model} does hold");
            prop_assert!(!case.holds_initially());
            Ok(None)
        }
        Err(other) => Err(TestCaseError::fail(other.to_string())),
        Ok(outcome) => {
            prop_assert!(case.holds_initially(), "the most general table is not to be released");
            let replay = replay(case, &coded, &outcome)?;
            // If rows are withheld, the measures of the rest may improve.
            if case.withhold.is_none() {
                check_worsening(case, &coded, &outcome)?;
            }
            check_redundant(case, &outcome, &replay)?;
            Ok(Some(replay))
        }
    }
}

/// Distinct records with counts are searched as their rows are, and the same rows are withheld.
#[test]
fn the_search_of_records_with_counts() {
    let seen = Seen::default();
    for_all(2000, prop_oneof![cases(), withholding::cases()], |mut case| {
        case.rows = case.rows.into_iter().flat_map(|row| [row.clone(), row]).collect();
        let (rows, records) = (Coded::new(&case), Coded::new(&case).folded());
        seen.note("cases", true);
        match (rows.search(None), records.search(None)) {
            (Ok(rows), Ok(of_records)) => {
                assert_same(&rows, &of_records)?;
                let withheld: Vec<bool> = (records.ids.iter())
                    .filter_map(|&record| of_records.withheld.get(record as usize).copied())
                    .collect();
                prop_assert_eq!(&rows.withheld, &withheld);
                seen.note("folded", !rows.steps.is_empty() && records.records() < case.rows.len());
                seen.note("withheld", rows.withheld.contains(&true));
            }
            (rows, records) => prop_assert_eq!(rows.err(), records.err()),
        }
        Ok(())
    });
    assert!(seen.share("folded", "cases") > 0.3 && seen.share("withheld", "cases") > 0.02);
}

#[test]
fn the_trace_is_the_reference_search() {
    let seen = Seen::default();
    for_all(20_000, cases(), |case| {
        let replay = check(&case)?;
        seen.note("cases", true);
        seen.note("searched", replay.is_some());
        let Some(Replay { states, candidates, other_splits }) = &replay else { return Ok(()) };
        seen.note("three steps", states.len() > 3);
        seen.note("eight steps", states.len() > 8);
        seen.note("other splits", *other_splits > 0);
        let any = |of: &dyn Fn(&reference::Candidate) -> bool| candidates.iter().flatten().any(of);
        seen.note("found invalid", any(&|c| !c.valid && c.beneficial));
        seen.note("not beneficial", any(&|c| c.valid && !c.beneficial));
        seen.note("lossless", any(&|c| c.privacy_loss == 0.0));
        let conditional = case.score == Score::Conditional;
        seen.note("no more than chance", conditional && any(&|c| c.valid && c.score < 0.0));
        seen.note("conditional", conditional && states.len() > 2);
        let optimal =
            |state: &State| reference::candidates(&Case { split: Split::Optimal, ..case.clone() }, state);
        let elsewhere = |(state, all): (&State, &Vec<reference::Candidate>)| {
            all.iter().zip(optimal(state)).any(|(valid, optimal)| valid.valid && valid.split != optimal.split)
        };
        let other = case.split != Split::Optimal && states.iter().zip(candidates).any(elsewhere);
        seen.note("another point", case.split == Split::Valid && other);
        seen.note("an even point", case.split == Split::Median && other);
        let (performed, left) = (states.len() - 1, |all: &Vec<reference::Candidate>| {
            let may_be = |c: &&reference::Candidate| c.valid && c.beneficial;
            let most = |shown: bool| {
                let scores = all.iter().filter(may_be).filter(|c| c.shown == shown).map(|c| c.score);
                scores.fold(f64::NEG_INFINITY, f64::max)
            };
            (most(true), most(false))
        });
        let at_each: Vec<(f64, f64)> = candidates[..performed].iter().map(left).collect();
        seen.note("shown", at_each.iter().any(|(shown, _)| *shown >= 0.0));
        seen.note(
            "shown before a better one",
            at_each.iter().any(|(shown, other)| (0.0..*other).contains(shown)),
        );
        let by_turns = at_each.windows(2).any(|at| at[0].0 >= 0.0 && at[1].0 < 0.0);
        seen.note("others after what is shown", by_turns);
        seen.note("tied", candidates.iter().any(|all| reference::tied_best(all).len() > 1));
        let refined = |of: &dyn Fn(&Masking, &Node) -> bool| {
            let node = |at: usize, node: &Node| of(&case.attributes[at].masking, node);
            let end = states.last().expect("the initial state");
            end.cuts.iter().enumerate().any(|(at, cut)| cut.iter().any(|member| node(at, member)))
        };
        seen.note("specialized", refined(&|_, node| matches!(node, Node::Taxonomy(node) if *node > 0)));
        seen.note("split", refined(&|_, node| matches!(node, Node::Interval { from: Some(_), .. })));
        seen.note("disclosed", refined(&|_, node| matches!(node, Node::Value(_))));
        seen.note(
            "NULL",
            refined(&|masking, node| *node == Node::Null && !matches!(masking, Masking::Suppression { .. })),
        );
        seen.note(
            "NULL disclosed",
            refined(&|masking, node| *node == Node::Null && matches!(masking, Masking::Suppression { .. })),
        );
        Ok(())
    });
    let searched = seen.share("searched", "cases");
    assert!(!is_long() || (0.7..1.0).contains(&searched));
    assert!(!is_long() || seen.share("other splits", "searched") < 0.01);
    for (what, least) in [
        ("three steps", 0.3),
        ("eight steps", 0.015),
        ("found invalid", 0.2),
        ("not beneficial", 0.2),
        ("lossless", 0.2),
        ("no more than chance", 0.05),
        ("conditional", 0.05),
        ("another point", 0.01),
        ("an even point", 0.02),
        ("shown", 0.15),
        ("shown before a better one", 0.05),
        ("others after what is shown", 0.05),
        ("tied", 0.1),
        ("specialized", 0.2),
        ("split", 0.2),
        ("disclosed", 0.2),
        ("NULL", 0.05),
        ("NULL disclosed", 0.02),
    ] {
        assert!(seen.share(what, "searched") >= least, "{what} is too rare");
    }
}

#[test]
fn many_values_are_disclosed_as_in_the_reference() {
    let seen = Seen::default();
    for_all(120, (many::with_many_values(cases(), 66..=90, 4), 8..24usize), |(case, every)| {
        case.check();
        let coded = Coded::new(&case);
        let Ok(found) = coded.search(None) else { return Ok(()) };
        many::check(&case, &coded, &found, every)?;
        let most = found.steps.len() / 2;
        prop_assert_eq!(&must_search(&coded, Some(most))?.steps, &found.steps[..most]);
        let wide = case.attributes.len() - 1;
        seen.note("searched", true);
        seen.note("disclosed", found.steps.iter().any(|step| step.attribute == wide));
        Ok(())
    });
    assert!(seen.share("disclosed", "searched") > 0.2);
}

#[test]
fn a_part_left_behind_is_counted() {
    let case = many::with_a_leaf_left_behind();
    let coded = Coded::new(&case);
    let found = must_search(&coded, None).unwrap();
    let disclosed = |code: u32| found.steps[code as usize - 80].children == [code + 1, 0];
    assert!(disclosed(80) && disclosed(81) && found.steps.iter().all(|step| step.attribute == 1));
    many::check(&case, &coded, &found, 12).unwrap();
    many::check_counted_anew(&case, &coded, &found).unwrap();
}

#[test]
fn many_values_are_counted_as_in_a_replay() {
    let seen = Seen::default();
    for_all(4_000, many::with_many_values(cases(), 70..=200, 12), |case| {
        let coded = Coded::new(&case);
        let Ok(found) = coded.search(None) else { return Ok(()) };
        many::check_counted_anew(&case, &coded, &found)?;
        let wide = case.attributes.len() - 1;
        let disclosed = found.steps.iter().filter(|step| step.attribute == wide).count();
        seen.note("searched", true);
        seen.note("fifty disclosed", disclosed > 50);
        let other = found.steps.iter().rposition(|step| step.attribute != wide);
        seen.note("another column after ten steps", other.is_some_and(|other| other > 10));
        let null = |id| id != TOP && coded.node(&found, wide, id) == Node::Null;
        seen.note("NULL disclosed", found.cuts[wide].nodes().any(null));
        Ok(())
    });
    for (what, least) in
        [("fifty disclosed", 0.2), ("another column after ten steps", 0.1), ("NULL disclosed", 0.1)]
    {
        assert!(seen.share(what, "searched") > least, "{what} is too rare");
    }
}

#[test]
fn the_papers_tables() {
    for score in [Score::Tds, Score::Tdr, Score::InfoGain, Score::Conditional] {
        for case in [tds_table_1(), tds_table_2(score), pda_table_1(0.5), pda_table_1(0.8)] {
            check(&by_label(Case { score, ..case })).unwrap().expect("a search");
        }
    }
}

#[test]
fn a_search_can_be_stopped_after_any_step() {
    for_all(5_000, (cases(), 0..12usize), |(case, most)| {
        let coded = Coded::new(&case);
        if !case.holds_initially() {
            let refused = matches!(coded.search(Some(most)), Err(Error::Unsatisfiable { .. }));
            prop_assert!(refused, "{most} steps");
            return Ok(());
        }
        let (whole, stopped) = (must_search(&coded, None)?, must_search(&coded, Some(most))?);
        let most = most.min(whole.steps.len());
        prop_assert_eq!(&stopped.steps, &whole.steps[..most]);
        prop_assert_eq!(&stopped.redundant, &whole.redundant);
        let Replay { states, .. } = replay(&case, &coded, &whole)?;
        check_end(&case, &coded, &stopped, &states[most])
    });
}

#[test]
fn nothing_depends_on_chance_or_on_the_order_of_rows() {
    let inputs = cases().prop_flat_map(|case| (Just(case.rows.clone()).prop_shuffle(), Just(case)));
    for_all(10_000, inputs, |(rows, case)| {
        let shuffled = Case { rows, ..case.clone() };
        let coded = Coded::new(&case);
        for again in [coded.search(None), Coded::new(&shuffled).search(None)] {
            match (coded.search(None), again) {
                (Ok(outcome), Ok(again)) => assert_same(&outcome, &again)?,
                (Err(error), Err(again)) => prop_assert_eq!(error, again),
                (outcome, again) => prop_assert_eq!(outcome.is_ok(), again.is_ok()),
            }
        }
        Ok(())
    });
}

#[test]
fn redundant_models_can_be_left_out() {
    let seen = Seen::default();
    for_all(10_000, cases(), |case| {
        let case = Case { score: Score::InfoGain, ..case };
        let Ok(with) = Coded::new(&case).search(None) else { return Ok(()) };
        let kept: Vec<usize> = (0..case.models.len()).filter(|m| with.redundant[*m].is_none()).collect();
        seen.note("searched", true);
        seen.note("redundant", kept.len() < case.models.len());
        let models = kept.iter().map(|model| case.models[*model].clone()).collect();
        let without = must_search(&Coded::new(&Case { models, ..case.clone() }), None)?;
        prop_assert_eq!(without.steps.len(), with.steps.len());
        for (without, with) in without.steps.iter().zip(&with.steps) {
            prop_assert_eq!(
                (without.attribute, without.node, &without.children, without.records, without.info_gain),
                (with.attribute, with.node, &with.children, with.records, with.info_gain)
            );
            let achieved: Vec<f64> = kept.iter().map(|model| with.achieved[*model]).collect();
            prop_assert_eq!(&without.achieved, &achieved);
        }
        prop_assert_eq!(&without.cuts, &with.cuts);
        Ok(())
    });
    assert!(seen.share("redundant", "searched") > 0.1);
}

/// Returns the model with twice the k, for a table with every record twice.
fn doubled(model: &Model) -> Model {
    match model {
        Model::KAnonymity { quasi_identifier, k, person: None } => {
            Model::KAnonymity { quasi_identifier: quasi_identifier.clone(), k: 2 * k, person: None }
        }
        Model::BoundedKnowledge { model, known } => {
            Model::BoundedKnowledge { model: Box::new(doubled(model)), known: *known }
        }
        Model::SharesOfPersons { .. } => model.clone(),
        // Persons and shares are the same in both tables.
        Model::KAnonymity { .. }
        | Model::KMap { .. }
        | Model::ConfidenceBound { .. }
        | Model::LDiversity { .. }
        | Model::TCloseness { .. }
        | Model::BetaLikeness { .. } => model.clone(),
    }
}

/// Doubling the records and k changes no step if it keeps the order of the scores. Information gain always keeps it;
/// IG/loss keeps it while all losses double and none is 0.
#[test]
fn twice_the_records_for_twice_the_k() {
    let seen = Seen::default();
    for_all(5_000, cases(), |case| {
        let doubling = case.models.iter().all(|model| doubled(model) != *model);
        let score = if case.score == Score::Tds && doubling { Score::Tds } else { Score::InfoGain };
        let case = Case { score, ..case };
        let twice = Case {
            rows: [&case.rows[..], &case.rows[..]].concat(),
            models: case.models.iter().map(doubled).collect(),
            ..case.clone()
        };
        prop_assert_eq!(all_hold(&twice, &State::initial(&twice)), case.holds_initially());
        if !case.holds_initially() {
            return Ok(());
        }
        let (coded, coded_twice) = (Coded::new(&case), Coded::new(&twice));
        let (once, twice) = (must_search(&coded, None)?, must_search(&coded_twice, None)?);
        let Replay { candidates, .. } = replay(&case, &coded, &once)?;
        let scaled = |candidates: &&Vec<reference::Candidate>| {
            score == Score::InfoGain || candidates.iter().all(|c| !c.valid || c.privacy_loss != 0.0)
        };
        let steps = candidates.iter().take(once.steps.len()).take_while(scaled).count();
        seen.note("searched", true);
        seen.note("skipped", steps < once.steps.len());
        for (once, twice) in once.steps.iter().zip(&twice.steps).take(steps) {
            prop_assert_eq!(
                (once.attribute, once.node, &once.children, 2 * once.records),
                (twice.attribute, twice.node, &twice.children, twice.records)
            );
            prop_assert!(close(once.info_gain, twice.info_gain));
        }
        if steps == once.steps.len() {
            prop_assert_eq!(once.steps.len(), twice.steps.len());
            prop_assert_eq!(&once.cuts, &twice.cuts);
        }
        Ok(())
    });
    assert!(!is_long() || seen.share("skipped", "searched") < 0.5);
}
