//! Calculations by hand: the other models, NULLs, certainty loss, ties. Part of the test `reference_papers`.

use super::{close, labels, state_after};
use crate::reference::papers::*;
use crate::reference::*;

/// Builds a table of one suppressed attribute and one sensitive column, without a class. `groups` has the
/// attribute's values with the sensitive values of their records.
fn grouped(groups: &[(u32, &[Option<u32>])], models: Vec<Model>) -> Case {
    let row = |code, sensitive: &Option<u32>| Row {
        values: vec![Value::Code(code)],
        class: None,
        sensitive: vec![*sensitive],
        persons: vec![],
    };
    Case {
        attributes: vec![suppression("a", &["v0", "v1", "v2"])],
        has_class: false,
        rows: groups.iter().flat_map(|(code, group)| group.iter().map(|s| row(*code, s))).collect(),
        models,
        score: Score::Tds,
        split: Split::Optimal,
        withhold: None,
        shown_alone: false,
    }
}

fn diverse(kind: Diversity) -> Model {
    Model::LDiversity { quasi_identifier: vec![0], sensitive: 0, kind }
}

fn near(distance: Distance) -> Model {
    Model::TCloseness { quasi_identifier: vec![0], sensitive: 0, t: 0.5, distance }
}

/// Returns a model's measure in the most general table, and after all values of attribute 0 are disclosed.
fn measured(groups: &[(u32, &[Option<u32>])], model: Model) -> (f64, f64) {
    let case = grouped(groups, vec![model]);
    let mut state = State::initial(&case);
    let before = achieved(&case, &state)[0];
    while let Some(step) = candidates(&case, &state).first() {
        state = State::perform(&case, &state, step);
    }
    (before, achieved(&case, &state)[0])
}

const A: Option<u32> = Some(0);
const B: Option<u32> = Some(1);
const C: Option<u32> = Some(2);

#[test]
fn l_diversity() {
    // Group 0 has a a b, group 1 a b c c; together a 3, b 2, c 2.
    let groups: [(u32, &[Option<u32>]); 2] = [(0, &[A, A, B]), (1, &[A, B, C, C])];
    assert_eq!(measured(&groups, diverse(Diversity::Distinct { l: 1.0 })), (3.0, 2.0));
    // exp(H) of shares p is the product of p^-p: 7 / (3^(3/7) 2^(2/7) 2^(2/7)) = 2.94171 before,
    // 3 / 2^(2/3) = 1.88988 in group 0 and 4 / 2^(2/4) = 2.82843 in group 1 after.
    let (before, after) = measured(&groups, diverse(Diversity::Entropy { l: 1.0 }));
    close(before, 2.94171, 1e-5);
    close(after, 1.88988, 1e-5);
    // l = 2: 3/(2+2) before, 2/1 in group 0 and 2/(1+1) in group 1.
    assert_eq!(measured(&groups, diverse(Diversity::Recursive { l: 2, c: 1.0 })), (0.75, 2.0));
    // l = 3: 3/2 before; group 0 has only two values.
    assert_eq!(measured(&groups, diverse(Diversity::Recursive { l: 3, c: 1.0 })), (1.5, f64::INFINITY));
    // l = 1: r1 over all.
    assert_eq!(measured(&groups, diverse(Diversity::Recursive { l: 1, c: 1.0 })), (3.0 / 7.0, 2.0 / 3.0));
}

#[test]
fn null_is_one_more_sensitive_value() {
    let groups: [(u32, &[Option<u32>]); 2] = [(0, &[None, None, A]), (1, &[A, B, None, None])];
    assert_eq!(measured(&groups, diverse(Diversity::Distinct { l: 1.0 })), (3.0, 2.0));
    let bound = |values: &[Option<u32>]| Model::ConfidenceBound {
        channel: vec![0],
        sensitive: 0,
        values: values.to_vec(),
        max_confidence: 1.0,
    };
    assert_eq!(measured(&groups, bound(&[None])), (4.0 / 7.0, 2.0 / 3.0));
    assert_eq!(measured(&groups, bound(&[A, B])), (2.0 / 7.0, 1.0 / 3.0));
    assert_eq!(grouped(&groups, vec![]).sensitive_values(0), [A, B, None]);
}

#[test]
fn where_the_models_hold() {
    let with = |kind| diverse(kind);
    assert!(
        holds(&with(Diversity::Distinct { l: 2.0 }), 2.0)
            && !holds(&with(Diversity::Distinct { l: 3.0 }), 2.0)
    );
    assert!(holds(&with(Diversity::Entropy { l: 2.0 }), 2.0 - 1e-10));
    assert!(!holds(&with(Diversity::Entropy { l: 2.0 }), 2.0 - 1e-8));
    // recursive: less, not equal
    assert!(holds(&with(Diversity::Recursive { l: 2, c: 2.0 }), 1.99));
    assert!(!holds(&with(Diversity::Recursive { l: 2, c: 2.0 }), 2.0));
    assert!(holds(&near(Distance::Equal), 0.5 + 1e-10) && !holds(&near(Distance::Equal), 0.5 + 1e-8));
    let bound =
        Model::ConfidenceBound { channel: vec![0], sensitive: 0, values: vec![A], max_confidence: 0.5 };
    assert!(holds(&bound, 0.5 + 1e-10) && !holds(&bound, 0.5 + 1e-8));
    assert!(holds(&k_anonymity(&[0], 3), 3.0) && !holds(&k_anonymity(&[0], 4), 3.0));
}

#[test]
fn rounding_noise_and_infinity_in_the_loss() {
    assert_eq!(gain::without_noise(-9e-13), 0.0);
    assert_eq!(gain::without_noise(2e-12), 2e-12);
    // Fewer than 3 values before and after: no worsening. 2 values, then groups of one: to Infinity.
    let case = grouped(&[(0, &[A, A]), (1, &[B])], vec![]);
    let (before, all) = state_after(&case_with(&case, 3), &[]);
    let next = State::perform(&case, &before, &all[0]);
    let recursive = |l| diverse(Diversity::Recursive { l, c: 9.0 });
    assert_eq!(measures::worsening(&case, &recursive(3), &before, &next), [0.0]);
    assert_eq!(measures::worsening(&case, &recursive(2), &before, &next), [f64::INFINITY]);
    assert_eq!(find_disclosure(&all, 0, Some("v0")).unwrap().privacy_loss, 0.0);
    let (_, all) = state_after(&case_with(&case, 2), &[]);
    let step = find_disclosure(&all, 0, Some("v0")).unwrap();
    assert_eq!((step.privacy_loss, step.score, step.valid), (f64::INFINITY, 0.0, false));
}

fn case_with(case: &Case, l: usize) -> Case {
    Case { models: vec![diverse(Diversity::Recursive { l, c: 9.0 })], ..case.clone() }
}

#[test]
fn t_closeness() {
    // Nine salaries 3..11 in groups {3,4,5}, {6,8,11}, {7,9,10}. Equal: in each group three values at 1/3 -
    // 1/9 and six at -1/9, half of 3*2/9 + 6*1/9 = 2/3. Ordered, sums of the carried shares (in ninths) over
    // 8 steps: {3,4,5} 2+4+6+5+4+3+2+1 = 27 -> 0.375; {6,8,11} 1+2+3+1+2+0+1+2 = 12 -> 0.1667; {7,9,10}
    // 1+2+3+4+2+3+1+1 = 17 -> 0.2361. The largest is 0.375.
    let groups: [(u32, &[Option<u32>]); 3] = [
        (0, &[Some(3), Some(4), Some(5)]),
        (1, &[Some(6), Some(8), Some(11)]),
        (2, &[Some(7), Some(9), Some(10)]),
    ];
    let (before, equal) = measured(&groups, near(Distance::Equal));
    assert_eq!(before, 0.0);
    close(equal, 2.0 / 3.0, 1e-12);
    let (before, ordered) = measured(&groups, near(Distance::Ordered));
    assert_eq!(before, 0.0);
    close(ordered, 0.375, 1e-12);
    // Two groups: {3,4,5} with {6,8,11} merged, 1 1 1 1 0 1 0 0 1 in sixths against ninths: carried in
    // eighteenths 1 2 3 4 2 3 1 -1 -> 17/18/8; {7,9,10}: 0.2361 is larger.
    let merged: [(u32, &[Option<u32>]); 2] =
        [(0, &[Some(3), Some(4), Some(5), Some(6), Some(8), Some(11)]), (1, &[Some(7), Some(9), Some(10)])];
    close(measured(&merged, near(Distance::Ordered)).1, 17.0 / 72.0, 1e-12);
}

#[test]
fn beta_likeness() {
    let like = Model::BetaLikeness { quasi_identifier: vec![0], sensitive: 0, beta: 1.0 };
    // Group 0 has a a b, group 1 a b c c; a goes from 3/7 to 2/3, b from 2/7 to 1/3, c from 2/7 to 2/4.
    let (before, after) = measured(&[(0, &[A, A, B]), (1, &[A, B, C, C])], like);
    close(before, 0.0, 1e-12);
    close(after, 0.5 * 7.0 / 2.0 - 1.0, 1e-12);
}

#[test]
fn t_closeness_orders_null_last() {
    // a 2, b 1, NULL 1. Group {a, b}: a 0, b carries 1.0 - 0.75 = 0.25 to NULL: 0.25/2. Group {a, NULL}: a 0,
    // then 0.5 - 0.75: 0.25/2. With NULL first it would be 0.25 + 0.25 over 2.
    let groups: [(u32, &[Option<u32>]); 2] = [(0, &[A, B]), (1, &[A, None])];
    close(measured(&groups, near(Distance::Ordered)).1, 0.125, 1e-12);
    // Equal: 0, 0.25, 0.25, half of it.
    close(measured(&groups, near(Distance::Equal)).1, 0.25, 1e-12);
    // Only one value: nothing to carry.
    assert_eq!(measured(&[(0, &[A, A]), (1, &[A])], near(Distance::Ordered)), (0.0, 0.0));
}

#[test]
fn privacy_loss_counts_every_value_of_a_bound() {
    // Group 0 has a a b, group 1 b. Disclosing v0: k falls from 4 to 1; conf(a) rises from 2/4 to 2/3,
    // conf(b) from 2/4 to 1; the model over attribute 1 alone does not count: (3 + 1/6 + 1/2) / 3.
    let case = grouped(&[(0, &[A, A, B]), (1, &[B])], vec![]);
    let bound =
        Model::ConfidenceBound { channel: vec![0], sensitive: 0, values: vec![A, B], max_confidence: 0.9 };
    let mut case = Case { models: vec![k_anonymity(&[0, 1], 1), bound, k_anonymity(&[1], 4)], ..case };
    case.attributes.push(suppression("other", &["same"]));
    case.rows.iter_mut().for_each(|row| row.values.push(Value::Code(0)));
    let (_, all) = state_after(&case, &[]);
    let step = find_disclosure(&all, 0, Some("v0")).unwrap();
    close(step.privacy_loss, (3.0 + 1.0 / 6.0 + 0.5) / 3.0, 1e-12);
    assert_eq!(step.achieved, [1.0, 1.0, 4.0]);
    assert!(!step.valid);
    let other = find_disclosure(&all, 1, Some("same")).unwrap();
    assert_eq!((other.privacy_loss, other.score), (0.0, other.gain));
}

/// Builds a table of one attribute, with a class for each record.
fn classified(attribute: Attribute, records: &[(Value, Option<u32>)]) -> Case {
    let row = |(value, class): &(Value, Option<u32>)| Row {
        values: vec![*value],
        class: *class,
        sensitive: vec![],
        persons: vec![],
    };
    let rows = records.iter().map(row).collect();
    Case {
        attributes: vec![attribute],
        has_class: true,
        rows,
        models: vec![k_anonymity(&[0], 1)],
        score: Score::InfoGain,
        split: Split::Optimal,
        withhold: None,
        shown_alone: false,
    }
}

#[test]
fn null_above_a_taxonomy() {
    // Two NULLs Y and N, x Y, y N.
    let any = taxonomy("a", &flat("any", &["x", "y"]));
    let (x, y) = (Value::Leaf(1), Value::Leaf(2));
    let case = classified(any, &[(Value::Null, YES), (x, YES), (Value::Null, NO), (y, NO)]);
    let (state, all) = state_after(&case, &[]);
    assert_eq!(released(&case, &state, 1), labels(&["*"]));
    assert_eq!(all.len(), 1);
    let star = find(&all, 0, "*").unwrap();
    assert_eq!(star.child_labels, [None, Some("any".to_string())]);
    assert_eq!((star.records, star.gain, star.privacy_loss, star.beneficial), (4, 0.0, 2.0, true));
    let steps = search(&case, None);
    assert_eq!(steps.len(), 2);
    assert_eq!((steps[1].label.as_str(), steps[1].records, steps[1].gain), ("any", 2, 1.0));
    let (state, left) = state_after(&case, &steps);
    assert_eq!(left, []);
    let released: Vec<Label> = (0..4).map(|row| released(&case, &state, row)[0].clone()).collect();
    assert_eq!(released, [None, Some("x".to_string()), None, Some("y".to_string())]);
}

#[test]
fn null_above_intervals_and_as_a_class() {
    let hours = intervals("a", None, None);
    let one = Value::Number(1.0);
    let case = classified(hours, &[(Value::Null, YES), (one, YES), (Value::Number(2.5), None), (one, YES)]);
    let steps = search(&case, None);
    assert_eq!(steps[0].child_labels, [None, Some("(,)".to_string())]);
    assert_eq!((steps[1].label.as_str(), steps[1].split, steps[1].records), ("(,)", Some(2.5), 3));
    assert_eq!(steps[1].child_labels, labels(&["(,2.5)", "[2.5,)"]));
    // I(2/3) = 0.9183: NULL is a class of its own.
    close(steps[1].gain, 0.9183, 1e-4);
    assert_eq!(steps.len(), 2);
}

#[test]
fn null_under_suppression_and_the_last_value() {
    let case = classified(
        suppression("a", &["b", "a"]),
        &[(Value::Null, YES), (Value::Null, NO), (Value::Code(1), NO), (Value::Code(0), YES)],
    );
    let (_, all) = state_after(&case, &[]);
    let disclosed: Vec<Label> = all.iter().map(|candidate| candidate.child_labels[0].clone()).collect();
    assert_eq!(disclosed, [Some("b".to_string()), Some("a".to_string()), None]);
    assert_eq!(find_disclosure(&all, 0, None).unwrap().records, 4);
    assert_eq!(find(&all, 0, "*"), None);
    // I = 1. Disclosing "b" or "a" gains 1 - 3/4 I(1/3) = 0.3113, NULL nothing: "b", as the lesser value.
    // Then "a" and NULL divide the records alike, 0.9183 - 2/3 = 0.2516: "a". Then NULL, the last value, because
    // its records have two classes.
    let steps = search(&case, None);
    let disclosed: Vec<Label> = steps.iter().map(|step| step.child_labels[0].clone()).collect();
    assert_eq!(disclosed, [Some("b".to_string()), Some("a".to_string()), None]);
    close(steps[0].gain, 0.3113, 1e-4);
    close(steps[1].gain, 0.2516, 1e-4);
    assert_eq!((steps[2].records, steps[2].gain), (2, 0.0));
    assert_eq!(steps[2].child_labels, [None, Some("*".to_string())]);
    assert_eq!(released(&case, &state_after(&case, &steps).0, 0), [None]);
    assert_eq!(state_after(&case, &steps).1, []);
}

#[test]
fn refinements_of_one_populated_child() {
    // root -> middle -> {x, y}, all records x: beneficial if the records have two classes.
    let root = Branch::inner("root", vec![flat("middle", &["x", "y"])]);
    let x = Value::Leaf(2);
    let case = classified(taxonomy("a", &root), &[(x, YES), (x, NO)]);
    let steps = search(&case, None);
    assert_eq!(steps.iter().map(|step| step.label.as_str()).collect::<Vec<_>>(), ["root", "middle"]);
    assert_eq!((steps[1].gain, steps[1].privacy_loss), (0.0, 0.0));
    let pure = Case { rows: vec![case.rows[0].clone(); 2], ..case.clone() };
    assert_eq!(search(&pure, None), []);
    // Without a class this table is refined as well, but no node without records.
    let general = Case { has_class: false, ..pure };
    assert_eq!(search(&general, None).len(), 2);
    let spread = taxonomy("a", &Branch::inner("root", vec![flat("empty", &["w"]), Branch::leaf("x")]));
    let general = Case { attributes: vec![spread], ..general };
    let general = Case {
        rows: general.rows.iter().map(|row| Row { values: vec![Value::Leaf(3)], ..row.clone() }).collect(),
        ..general
    };
    let steps = search(&general, None);
    assert_eq!(steps.len(), 1);
    let (_, left) = state_after(&general, &steps);
    let empty = find(&left, 0, "empty").unwrap();
    assert_eq!((empty.records, empty.beneficial, empty.valid), (0, false, true));
    // One distinct number cannot be split.
    let one = Value::Number(5.0);
    let case = classified(intervals("a", Some(0.0), None), &[(one, YES), (one, NO)]);
    assert_eq!(state_after(&case, &[]).1, []);
    assert_eq!(released(&case, &State::initial(&case), 0), labels(&["[0,)"]));
}

#[test]
fn splits_and_scores_that_tie() {
    // 1 Y, 2 N, 3 Y: splits at 2 and at 3 tie, so the lower one. 1 Y, 2 Y, 3 N, 4 N: at 3, the only best.
    let at = |number, class| (Value::Number(number), class);
    let case = classified(intervals("a", None, Some(3.0)), &[at(3.0, YES), at(2.0, NO), at(1.0, YES)]);
    let (_, all) = state_after(&case, &[]);
    assert_eq!((all[0].label.as_str(), all[0].split), ("(,3]", Some(2.0)));
    assert_eq!(all[0].child_labels, labels(&["(,2)", "[2,3]"]));
    let four = [at(1.0, YES), at(2.0, YES), at(3.0, NO), at(4.0, NO)];
    assert_eq!(state_after(&classified(intervals("a", None, None), &four), &[]).1[0].split, Some(3.0));

    // Two equal attributes: the first one. Then, among two equal nodes, the first in the tree.
    let root = Branch::inner("root", vec![flat("p", &["x", "y"]), flat("q", &["z", "w"])]);
    let records: Vec<(Value, Option<u32>)> =
        [(2, YES), (3, NO), (5, YES), (6, NO)].map(|(leaf, class)| (Value::Leaf(leaf), class)).to_vec();
    let mut case = classified(taxonomy("a", &root), &records);
    case.attributes.push(case.attributes[0].clone());
    case.rows.iter_mut().for_each(|row| row.values.push(row.values[0]));
    case.models = vec![k_anonymity(&[0], 1), k_anonymity(&[1], 1)];
    let steps = search(&case, None);
    let order: Vec<(usize, &str)> = steps.iter().map(|step| (step.attribute, step.label.as_str())).collect();
    let expected = [(0, "root"), (0, "p"), (0, "q"), (1, "root"), (1, "p"), (1, "q")];
    assert_eq!(order, expected);
    let (_, all) = state_after(&case, &steps[..1]);
    assert_eq!(tied_best(&all).len(), 2);
}

#[test]
fn certainty_without_a_class() {
    let case = Case { has_class: false, ..tds_table_1() };
    let (state, all) = state_after(&case, &[]);
    // Secondary has 4, University 3 of 7 leaves: (16 (1 - 3/6) + 18 (1 - 2/6)) / 34. Sex: 1.
    let education = find(&all, EDUCATION, "ANY_Edu").unwrap();
    close(education.gain, 20.0 / 34.0, 1e-12);
    assert_eq!(find(&all, SEX, "ANY_Sex").unwrap().gain, 1.0);
    // [1,99] at 44: 22 records lose 43/98, 12 lose 55/98: 1 - (22*43 + 12*55) / (34*98) = 1726/3332. At 42:
    // 1650/3332.
    let hours = find(&all, WORK_HRS, "[1,99]").unwrap();
    assert_eq!(hours.split, Some(44.0));
    close(hours.gain, 1726.0 / 3332.0, 1e-12);
    close(split_at(&case, &state, WORK_HRS, &hours.node, 42.0).gain, 1650.0 / 3332.0, 1e-12);
    // Without bounds the ends are the data's 30 and 44. At 44, 22 records lose 14/14 and 12 nothing: gain 12/34 =
    // 0.353. At 37, 12 lose 7/14 and 22 lose 7/14: 0.5. The loss at 35 is (7*5 + 27*9)/(34*14) = 0.584, at 42
    // (16*12 + 18*2)/(34*14) = 0.479.
    let open = Case { attributes: case.attributes[..2].to_vec(), ..case.clone() };
    let mut open = Case { models: vec![k_anonymity(&[0, 1, 2], 1)], ..open };
    open.attributes.push(intervals("Work_Hrs", None, None));
    let (_, all) = state_after(&open, &[]);
    let hours = find(&all, WORK_HRS, "(,)").unwrap();
    assert_eq!(hours.split, Some(42.0));
    close(hours.gain, 1.0 - 228.0 / 476.0, 1e-12);
    let upper = Node::Interval { from: Some(42.0), to: None };
    close(certainty_loss(&open, WORK_HRS, &upper), 2.0 / 14.0, 1e-12);
    // With a lower bound alone the loss is 2/(44-4).
    open.attributes[WORK_HRS] = intervals("Work_Hrs", Some(4.0), None);
    close(certainty_loss(&open, WORK_HRS, &upper), 2.0 / 40.0, 1e-12);
}

#[test]
fn certainty_of_stars_and_single_leaves() {
    // A disclosure removes the loss of the value's records: 4 clerks of 24.
    let case = Case { has_class: false, ..pda_table_1(1.0) };
    let (_, all) = state_after(&case, &[]);
    close(find_disclosure(&all, JOB, Some("Clerk")).unwrap().gain, 4.0 / 24.0, 1e-12);
    // `*` over NULLs loses 1, NULL 0, the top of two leaves 1 again, a single leaf 0.
    let records =
        [(Value::Null, None), (Value::Leaf(1), None), (Value::Leaf(2), None), (Value::Leaf(1), None)];
    let case = classified(taxonomy("a", &flat("any", &["x", "y"])), &records);
    let case = Case { has_class: false, ..case };
    assert_eq!(search(&case, None).iter().map(|step| step.gain).collect::<Vec<_>>(), [0.25, 1.0]);
    let case =
        classified(taxonomy("a", &Branch::leaf("only")), &[(Value::Null, None), (Value::Leaf(0), None)]);
    let case = Case { has_class: false, ..case };
    assert_eq!(search(&case, None).iter().map(|step| step.gain).collect::<Vec<_>>(), [1.0]);
    // A domain without width.
    let one = (Value::Number(5.0), None);
    let case = Case { has_class: false, ..classified(intervals("a", None, None), &[one, one]) };
    assert_eq!(certainty_loss(&case, 0, &Node::Interval { from: None, to: None }), 0.0);
}

/// With bounded knowledge of one of two columns, the groups are those by one column, of four and three rows, not
/// those by both, of one and two.
#[test]
fn bounded_knowledge_counts_groups_by_subsets() {
    let column = |name: &str| suppression(name, &["v0", "v1"]);
    let row = |a: u32, b: u32| Row {
        values: vec![Value::Code(a), Value::Code(b)],
        class: None,
        sensitive: vec![],
        persons: vec![],
    };
    let rows = [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 1)].map(|(a, b)| row(a, b)).to_vec();
    let all = Model::KAnonymity { quasi_identifier: vec![0, 1], k: 3, person: None };
    let one = Model::BoundedKnowledge { model: Box::new(all.clone()), known: 1 };
    let case = Case {
        attributes: vec![column("a"), column("b")],
        has_class: false,
        rows,
        models: vec![one.clone()],
        score: Score::Tds,
        split: Split::Optimal,
        withhold: None,
        shown_alone: false,
    };
    let mut state = State::initial(&case);
    while let Some(step) = candidates(&case, &state).first() {
        state = State::perform(&case, &state, step);
    }
    assert_eq!(measures(&case, &state, &one), [3.0]);
    assert_eq!(measures(&case, &state, &all), [1.0]);
    assert!(holds(&one, 3.0) && !holds(&one, 2.0));
}
