//! Random small cases.
//!
//! Everything is drawn as plain numbers, which are then mapped to leaves, values of a pool or columns by remainder. So
//! proptest shrinks a case by dropping rows and lowering numbers.

use super::measures::measures;
use super::state::State;
use super::{
    Attribute, Branch, Case, Distance, Diversity, Masking, Model, Row, Score, Split, Taxonomy, Value,
    TOLERANCE,
};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKinds {
    KAnonymity,
    Confidence,
    Diversity,
    Closeness,
    All,
}

/// Largest number of records of a case.
pub const MOST_ROWS: usize = 40;

/// Rounds a confidence bound to a share of at most [`MOST_ROWS`] records if it is within the tolerance of one. The
/// reference compares confidences with a tolerance, the engine exactly; at such a bound both agree.
pub fn clear_of_rounding(bound: f64) -> f64 {
    let mut shares = (1..=MOST_ROWS).map(|records| records as f64).map(|n| (bound * n).round() / n);
    shares.find(|share| (share - bound).abs() < TOLERANCE).unwrap_or(bound)
}

/// Generates cases that [`Case::check`] accepts. The models mostly hold for the most general table
/// ([`Case::holds_initially`]), not always.
pub fn case(kinds: ModelKinds) -> impl Strategy<Value = Case> {
    // The conditional score and valid splits are drawn more often, because their special cases are rare.
    let others = prop_oneof![Just(Score::Tds), Just(Score::Tdr), Just(Score::InfoGain)];
    let score = prop_oneof![3 => others, 2 => Just(Score::Conditional)];
    // Two thirds of the cases have no shown column.
    let some_shown = prop_oneof![2 => Just(false), 1 => Just(true)];
    let split = prop_oneof![1 => Just(Split::Optimal), 2 => Just(Split::Valid), 1 => Just(Split::Median)];
    (
        vec((attribute(), wishes()), 1..=4),
        class(),
        vec(sensitive(), 2),
        vec(4..=60u32, 2),
        vec(raw_row(), 1..=16),
        vec(raw_model(), 1..=4),
        (score, split, some_shown),
    )
        .prop_map(
            move |(
                attributes,
                class,
                sensitive,
                persons,
                raw_rows,
                raw_models,
                (score, split, some_shown),
            )| {
                let (attributes, wishes): (Vec<_>, Vec<AttributeSettings>) = attributes.into_iter().unzip();
                let rows: Vec<Row> = raw_rows
                    .iter()
                    .flat_map(|raw| {
                        std::iter::repeat_n((raw, row(raw, &attributes, &class, &sensitive)), raw.copies)
                    })
                    .take(MOST_ROWS)
                    .enumerate()
                    .map(|(number, (raw, row))| Row { persons: row_persons(raw, number, &persons), ..row })
                    .collect();
                let attributes = attributes
                    .into_iter()
                    .zip(wishes)
                    .enumerate()
                    .map(|(number, ((masking, _), wishes))| {
                        named(
                            number,
                            masking,
                            AttributeSettings { shown: some_shown && wishes.shown, ..wishes },
                        )
                    })
                    .collect();
                let bare = Case {
                    attributes,
                    has_class: class.is_some(),
                    rows,
                    models: vec![],
                    score,
                    split,
                    withhold: None,
                    shown_alone: false,
                };
                let models = models(&bare, kinds, &raw_models);
                Case { models, ..bare }
            },
        )
}

fn named(number: usize, masking: Masking, wishes: AttributeSettings) -> Attribute {
    let AttributeSettings { weight, coarsest, deeper, shown } = wishes;
    let tree = matches!(masking, Masking::Taxonomy(_));
    let coarsest = if tree { coarsest } else { 0 };
    let finest = deeper.filter(|_| tree).map(|deeper| coarsest + deeper);
    Attribute { weight, coarsest, finest, shown, ..Attribute::new(format!("a{number}"), masking) }
}

/// Settings of an attribute besides its masking. The depths apply to taxonomies only.
#[derive(Debug, Clone, Copy)]
struct AttributeSettings {
    weight: f64,
    coarsest: usize,
    deeper: Option<usize>,
    shown: bool,
}

fn wishes() -> impl Strategy<Value = AttributeSettings> {
    let weight = prop_oneof![6 => Just(1.0), 1 => Just(0.25), 1 => Just(2.0), 1 => Just(1.7)];
    let coarsest = prop_oneof![5 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(9)];
    let deeper = prop_oneof![4 => Just(None), 1 => (0..3usize).prop_map(Some)];
    (weight, coarsest, deeper, any::<bool>())
        .prop_map(|(weight, coarsest, deeper, shown)| AttributeSettings { weight, coarsest, deeper, shown })
}

/// A masking, and the pool of the rows' values. A value that is twice in the pool is more frequent.
type WithPool = (Masking, Vec<Value>);

fn attribute() -> impl Strategy<Value = WithPool> {
    let nulls = prop_oneof![12 => Just(0), 5 => Just(1), 2 => Just(2), 1 => Just(3)];
    (prop_oneof![by_taxonomy(), by_intervals(), by_suppression()], nulls).prop_map(
        |((masking, mut pool), nulls)| {
            match nulls {
                3 => pool = vec![Value::Null], // nothing but NULLs
                _ => pool.extend(vec![Value::Null; nulls]),
            }
            (masking, pool)
        },
    )
}

#[derive(Debug, Clone)]
struct Shape(Vec<Shape>);

/// Draws trees of up to four levels below the root, among them single leaves, chains and unbalanced trees.
fn by_taxonomy() -> BoxedStrategy<WithPool> {
    let shape = Just(Shape(vec![])).prop_recursive(4, 14, 3, |inner| vec(inner, 1..=3).prop_map(Shape));
    let flat = (1..=4usize).prop_map(|leaves| Shape(vec![Shape(vec![]); leaves]));
    let chain =
        (0..=3usize).prop_map(|levels| (0..levels).fold(Shape(vec![]), |below, _| Shape(vec![below])));
    (prop_oneof![8 => shape, 2 => flat, 1 => chain], vec(0..64usize, 1..=6))
        .prop_map(|(shape, picks)| {
            let tree = Taxonomy::grow(&branch(&shape, &mut 0));
            let leaves = tree.leaves();
            let pool = picks.iter().map(|pick| Value::Leaf(leaves[pick % leaves.len()])).collect();
            (Masking::Taxonomy(tree), pool)
        })
        .boxed()
}

/// Labels a tree so that the alphabetical order is not the tree's.
fn branch(shape: &Shape, count: &mut u8) -> Branch {
    let label = format!("{}{}", char::from(b'a' + (*count * 7 + 3) % 26), count);
    *count += 1;
    Branch { label, children: shape.0.iter().map(|child| branch(child, count)).collect() }
}

/// Draws multiples of 1/2 from -3 to 7, or whole numbers from -6 to 14; with bounds at or beyond the values, or none.
fn by_intervals() -> BoxedStrategy<WithPool> {
    let gap = || prop_oneof![1 => Just(None), 1 => (0..4i32).prop_map(Some)];
    let points = prop_oneof![3 => Just(None), 1 => vec(-20..60i32, 0..4).prop_map(Some)];
    (vec(-6..=14i32, 1..=9), gap(), gap(), points, any::<bool>())
        .prop_map(|(halves, below, above, points, whole)| {
            let least = *halves.iter().min().unwrap();
            let greatest = *halves.iter().max().unwrap();
            let lower = below.map(|gap| least - gap);
            let mut upper = above.map(|gap| greatest + gap);
            if lower.is_some() && lower == upper {
                upper = Some(greatest + 1);
            }
            let number = |half: i32| if whole { f64::from(half) } else { f64::from(half) / 2.0 };
            let masking = Masking::Interval {
                lower: lower.map(number),
                upper: upper.map(number),
                points: points.map(|points| points.into_iter().map(|p| f64::from(p) / 4.0).collect()),
                whole,
            };
            (masking, halves.into_iter().map(|half| Value::Number(number(half))).collect())
        })
        .boxed()
}

fn by_suppression() -> BoxedStrategy<WithPool> {
    vec(0..5u32, 1..=6)
        .prop_map(|codes| {
            // falling labels: the values' order is that of the codes
            let labels = (0..5).map(|code| format!("v{}", 9 - code)).collect();
            (Masking::Suppression { labels }, codes.into_iter().map(Value::Code).collect())
        })
        .boxed()
}

/// The pool of the class, and whether the class mostly follows the first attribute; None without a class.
type Class = Option<(Vec<Option<u32>>, bool)>;

fn class() -> impl Strategy<Value = Class> {
    let pool = prop_oneof![
        1 => Just(vec![Some(0)]),
        6 => Just(vec![Some(0), Some(1)]),
        2 => Just(vec![Some(0), Some(1), Some(2)]),
        1 => Just(vec![Some(0), None]),
        1 => Just(vec![Some(0), Some(1), None]),
    ];
    prop_oneof![1 => Just(None), 4 => (pool, any::<bool>()).prop_map(Some)]
}

fn sensitive() -> impl Strategy<Value = Vec<Option<u32>>> {
    let value = prop_oneof![6 => (0..4u32).prop_map(Some), 1 => Just(None)];
    vec(value, 1..=6)
}

/// Returns a row's person in each person column. Copies of a row belong to one person by the first column, mostly to
/// different ones by the second.
fn row_persons(raw: &RawRow, number: usize, persons: &[u32]) -> Vec<Option<u32>> {
    let number = [raw.person, raw.person + 7 * number];
    let person =
        |(number, &persons): (usize, &u32)| Some(number as u32 % persons).filter(|person| *person != 3);
    number.into_iter().zip(persons).map(person).collect()
}

#[derive(Debug, Clone)]
struct RawRow {
    copies: usize,
    values: Vec<usize>,
    class: usize,
    sensitive: Vec<usize>,
    person: usize,
}

fn raw_row() -> impl Strategy<Value = RawRow> {
    let copies = prop_oneof![3 => Just(1), 2 => Just(2), 3 => 3..=6usize];
    (copies, vec(0..64usize, 4), 0..64usize, vec(0..64usize, 2), 0..64usize).prop_map(
        |(copies, values, class, sensitive, person)| RawRow { copies, values, class, sensitive, person },
    )
}

fn pick<T: Copy>(pool: &[T], number: usize) -> T {
    pool[number % pool.len()]
}

fn row(raw: &RawRow, attributes: &[WithPool], class: &Class, sensitive: &[Vec<Option<u32>>]) -> Row {
    Row {
        values: attributes.iter().zip(&raw.values).map(|((_, pool), number)| pick(pool, *number)).collect(),
        class: class.as_ref().and_then(|(pool, follows)| {
            let follows = *follows && raw.class >= 8; // one in eight does not
            pick(pool, if follows { raw.values[0] } else { raw.class })
        }),
        sensitive: sensitive.iter().zip(&raw.sensitive).map(|(pool, number)| pick(pool, *number)).collect(),
        persons: vec![],
    }
}

#[derive(Debug, Clone)]
struct RawModel {
    kind: usize,
    /// The attributes, one bit each.
    attributes: usize,
    sensitive: usize,
    /// The confidence bound's values, one bit each.
    values: usize,
    /// k, and l of the recursive kind.
    size: usize,
    /// Number of attributes that an attacker knows; without effect unless the model has more.
    known: usize,
    /// 0: a fixed bound, which the most general table may break. 1: the measure of that table. 9: almost no bound.
    slack: u8,
}

fn raw_model() -> impl Strategy<Value = RawModel> {
    let slack = prop_oneof![1 => Just(0), 1 => Just(1), 14 => 2..=9u8];
    let known = prop_oneof![4 => Just(9), 1 => Just(1), 2 => Just(2), 1 => Just(3)];
    (0..64usize, 1..16usize, 0..2usize, 1..32usize, 1..=5usize, known, slack).prop_map(
        |(kind, attributes, sensitive, values, size, known, slack)| RawModel {
            kind,
            attributes,
            sensitive,
            values,
            size,
            known,
            slack,
        },
    )
}

fn models(case: &Case, kinds: ModelKinds, raw_models: &[RawModel]) -> Vec<Model> {
    let all = 0..case.attributes.len();
    let mut chosen: Vec<Vec<usize>> = raw_models
        .iter()
        .map(|raw| {
            let named: Vec<usize> = all.clone().filter(|a| raw.attributes >> a & 1 == 1).collect();
            if named.is_empty() {
                vec![raw.attributes % all.len()]
            } else {
                named
            }
        })
        .collect();
    // An attribute that no model has is added to one of them.
    for attribute in all {
        if !chosen.iter().any(|named| named.contains(&attribute)) {
            let at = attribute % chosen.len();
            chosen[at].push(attribute);
            chosen[at].sort();
        }
    }
    let mut models: Vec<Model> = Vec::new();
    for (raw, attributes) in raw_models.iter().zip(chosen) {
        let known = Some(raw.known).filter(|known| *known < attributes.len());
        let model = model(case, kinds, raw, attributes);
        let model = match known {
            Some(known) => Model::BoundedKnowledge { model: Box::new(model), known },
            None => model,
        };
        if !models.contains(&model) {
            models.push(model);
        }
    }
    models
}

/// Returns a model's measure in the most general table, the worst over its requirements.
fn initially(case: &Case, model: &Model) -> f64 {
    measures(case, &State::initial(case), model).into_iter().fold(f64::NEG_INFINITY, f64::max)
}

fn model(case: &Case, kinds: ModelKinds, raw: &RawModel, attributes: Vec<usize>) -> Model {
    const K: usize = 0;
    const CONFIDENCE: usize = 1;
    let kind = match kinds {
        ModelKinds::KAnonymity => K,
        ModelKinds::Confidence => CONFIDENCE,
        ModelKinds::Diversity => 2 + raw.kind % 3,
        ModelKinds::Closeness => 5 + raw.kind % 3,
        ModelKinds::All => pick(&[K, K, K, CONFIDENCE, CONFIDENCE, 2, 3, 4, 5, 6, 7], raw.kind),
    };
    let sensitive = raw.sensitive;
    let strict = raw.slack == 0;
    // Interpolates between the initial measure and the loosest bound.
    let between = |initially: f64, loosest: f64| {
        initially + (loosest - initially) * f64::from(raw.slack.saturating_sub(1)) / 8.0
    };
    let diversity = |kind| Model::LDiversity { quasi_identifier: attributes.clone(), sensitive, kind };
    match kind {
        K => Model::KAnonymity {
            quasi_identifier: attributes,
            k: raw.size,
            // Counts rows as often as persons.
            person: [None, None, Some(0), Some(1)][raw.values % 4],
        },
        CONFIDENCE => {
            let all = case.sensitive_values(sensitive);
            let mut values: Vec<Option<u32>> =
                (0..all.len()).filter(|at| raw.values >> at & 1 == 1).map(|at| all[at]).collect();
            if values.is_empty() {
                values = all;
            }
            let bound = |max_confidence| Model::ConfidenceBound {
                channel: attributes.clone(),
                sensitive,
                values: values.clone(),
                max_confidence,
            };
            bound(if strict { 0.25 } else { clear_of_rounding(between(initially(case, &bound(1.0)), 1.0)) })
        }
        2 => {
            let achieved = initially(case, &diversity(Diversity::Distinct { l: 1.0 }));
            diversity(Diversity::Distinct { l: if strict { 3.0 } else { between(achieved, 1.0).floor() } })
        }
        3 => {
            let achieved = initially(case, &diversity(Diversity::Entropy { l: 1.0 }));
            diversity(Diversity::Entropy { l: if strict { 2.0 } else { between(achieved, 1.0) } })
        }
        4 => {
            let distinct = case.sensitive_values(sensitive).len();
            let l = if strict { raw.size } else { 1 + (raw.size - 1) % distinct };
            let achieved = initially(case, &diversity(Diversity::Recursive { l, c: 1.0 }));
            let c = if strict || achieved.is_infinite() {
                1.0
            } else {
                achieved * (0.5 + f64::from(raw.slack) / 1.5)
            };
            diversity(Diversity::Recursive { l, c })
        }
        7 => Model::BetaLikeness {
            quasi_identifier: attributes,
            sensitive,
            beta: if strict { 0.5 } else { between(0.0, 4.0) },
        },
        _ => Model::TCloseness {
            quasi_identifier: attributes,
            sensitive,
            t: if strict { 0.1 } else { between(0.0, 0.9) },
            distance: if kind == 5 { Distance::Equal } else { Distance::Ordered },
        },
    }
}
