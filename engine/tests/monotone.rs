//! The law of `PrivacyModel`, tried on random groups, divisions and tables for every kind of model, and a test that
//! violations are found. A new model needs one more line in `kinds`.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use std::any::Any;
use std::collections::BTreeMap;
use topdown::privacy::{Criterion, Direction, Distance, Diversity, GroupCounts, PrivacyModel, ROUNDING};
use topdown::{Code, Error};

/// Number of sensitive values.
const VALUES: usize = 4;
/// Number of columns of a table.
const COLUMNS: usize = 3;

/// Records by sensitive value.
type Counts = [u32; VALUES];

/// Parameters of a model: its columns, its strictness (two small numbers), and the whole table's records by sensitive
/// value.
struct ModelParameters<'a> {
    columns: Vec<usize>,
    strictness: (u8, u8),
    whole: &'a [u64],
}

/// A kind of model, made from its parameters.
struct Kind {
    name: &'static str,
    /// Whether groups are compared with the whole table. The model must then hold for it at any strictness.
    to_whole: bool,
    make: fn(ModelParameters) -> PrivacyModel,
}

fn kinds() -> Vec<Kind> {
    let kind = |name, make| Kind { name, to_whole: false, make };
    let to_whole = |name, make| Kind { name, to_whole: true, make };
    vec![
        kind("k-map", |asked| PrivacyModel::k_map(asked.columns, asked.strictness.0.into(), 0)),
        kind("k-anonymity", |asked| PrivacyModel::k_anonymity(asked.columns, asked.strictness.0.into())),
        kind("k-anonymity of persons", |asked| {
            PrivacyModel::k_anonymity(asked.columns, asked.strictness.0.into()).counting_persons(0)
        }),
        kind("confidence bound", |ModelParameters { columns, strictness, .. }| {
            let values = (0..VALUES as Code).map(|v| (strictness.1 >> v & 1 == 1).then_some(v)).collect();
            PrivacyModel::confidence_bound(columns, 0, values, f64::from(strictness.0) / 8.0)
        }),
        kind("distinct l-diversity", |asked| {
            diverse(Diversity::Distinct { l: asked.strictness.0.into() }, asked)
        }),
        kind("entropy l-diversity", |asked| {
            diverse(Diversity::Entropy { l: asked.strictness.0.into() }, asked)
        }),
        kind("recursive l-diversity", |asked| {
            let (l, c) = (usize::from(asked.strictness.0), f64::from(asked.strictness.1) / 4.0);
            diverse(Diversity::Recursive { l, c }, asked)
        }),
        to_whole("t-closeness, equal", |asked| close(Distance::Equal, asked)),
        to_whole("t-closeness, ordered", |asked| close(Distance::Ordered, asked)),
        to_whole("beta-likeness", |ModelParameters { columns, strictness, whole }| {
            PrivacyModel::beta_likeness(columns, 0, f64::from(strictness.0) / 2.0, whole.iter().sum(), whole)
                .unwrap()
        }),
        kind("k-anonymity of what is known", |asked| {
            let model = PrivacyModel::k_anonymity(asked.columns, asked.strictness.0.into());
            model.with_bounded_knowledge(usize::from(asked.strictness.1 % 4))
        }),
    ]
}

fn diverse(kind: Diversity, asked: ModelParameters) -> PrivacyModel {
    PrivacyModel::l_diversity(asked.columns, 0, kind)
}

fn close(
    distance: Distance,
    ModelParameters { columns, strictness: much, whole }: ModelParameters,
) -> PrivacyModel {
    PrivacyModel::t_closeness(columns, 0, f64::from(much.0) / 8.0, distance, whole).unwrap()
}

fn strictness() -> impl Strategy<Value = (u8, u8)> + Clone {
    (0..8u8, 0..16u8)
}

/// Tries a property, and returns why it fails.
fn try_property<S: Strategy>(inputs: S, property: impl Fn(S::Value) -> TestCaseResult) -> Result<(), String> {
    let cases = if cfg!(debug_assertions) { 300 } else { 1000 };
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config).run(&inputs, property).map_err(|error| error.to_string())
}

fn measures(model: &PrivacyModel, counts: &Counts) -> Vec<f64> {
    let records = counts.iter().sum();
    let sensitive = match (model.sensitive(), model.population()) {
        (Some(_), _) => &counts[..],
        // The count of the first value stands for that of the population.
        (_, Some(_)) => &counts[..1],
        _ => &[],
    };
    // One person for each sensitive value.
    let persons = counts.iter().filter(|&&records| records > 0).count() as u32;
    let mut measures = vec![f64::NAN; model.requirements()];
    model.measure(GroupCounts { records, persons, counts: sensitive }, &mut measures).unwrap();
    measures
}

/// Returns each requirement's worst measure over some groups.
fn worst<'a>(model: &PrivacyModel, groups: impl IntoIterator<Item = &'a Counts>) -> Vec<f64> {
    let direction = model.direction();
    groups.into_iter().fold(vec![direction.best(); model.requirements()], |worst, group| {
        let group = measures(model, group);
        worst.iter().zip(group).map(|(&worst, measure)| direction.worse(worst, measure)).collect()
    })
}

fn holds(model: &PrivacyModel, measures: &[f64]) -> bool {
    measures.iter().all(|&measure| model.holds(measure))
}

fn sum<'a>(groups: impl IntoIterator<Item = &'a Counts>) -> Counts {
    groups.into_iter().fold([0; VALUES], |sum, group| std::array::from_fn(|v| sum[v] + group[v]))
}

/// Draws the parts of a group, none of them empty, and the records of the table outside the group.
fn divided() -> impl Strategy<Value = (Vec<Counts>, Counts)> {
    let count = || prop_oneof![2 => Just(0u32), 2 => Just(1), 3 => 0..6u32, 1 => 0..100_000u32];
    let counts = || vec(count(), VALUES).prop_map(|counts| -> Counts { counts.try_into().unwrap() });
    let part = counts().prop_filter("an empty part", |part| part.iter().any(|&n| n > 0));
    (vec(part, 1..5), counts())
}

/// Tries one kind: measures follow from counts alone, are monotone, have one threshold; `to_whole` as declared.
fn keeps_the_law(kind: &Kind) -> Result<(), String> {
    let name = kind.name;
    try_property((divided(), strictness()), |((parts, others), much)| {
        let group = sum(&parts);
        let whole = sum([&group, &others]);
        let model =
            (kind.make)(ModelParameters { columns: vec![0], strictness: much, whole: &whole.map(u64::from) });
        let model = &model;
        let (before, after) = (measures(model, &group), worst(model, &parts));
        prop_assert_eq!(&measures(model, &group), &before, "{} measures the same group differently", name);
        let fewest = model.min_group_size();
        prop_assert!(!holds(model, &before) || group.iter().map(|&n| u64::from(n)).sum::<u64>() >= fewest);
        let direction = model.direction();
        for (&before, &after) in before.iter().zip(&after) {
            let worsens = direction.worse(before, after) == after || (before - after).abs() <= ROUNDING;
            prop_assert!(worsens, "{name}: {before} of the group, {after} of its worst part");
            prop_assert!(direction.worsening(before, after) >= -ROUNDING);
            let better = if direction.worse(before, after) == after { before } else { after };
            let worse = direction.worse(before, after);
            prop_assert!(model.holds(better) || !model.holds(worse), "{name}: {worse}, but not {better}");
        }
        prop_assert!(!kind.to_whole || holds(model, &measures(model, &whole)), "{name}: the whole table");
        Ok(())
    })
}

/// A table: each record's released value on each column, and its sensitive value.
type Table = Vec<([u8; COLUMNS], usize)>;

/// Draws a few records, most of them repeated.
fn table() -> impl Strategy<Value = Table> {
    let record = ([0..2u8, 0..2u8, 0..2u8], 0..VALUES, 1..5usize);
    vec(record, 1..10).prop_map(|records| {
        records.into_iter().flat_map(|(on, value, copies)| std::iter::repeat_n((on, value), copies)).collect()
    })
}

fn groups(table: &Table, columns: &[usize]) -> Vec<Counts> {
    let mut groups: BTreeMap<Vec<u8>, Counts> = BTreeMap::new();
    for (on, value) in table {
        groups.entry(columns.iter().map(|&c| on[c]).collect()).or_default()[*value] += 1;
    }
    groups.into_values().collect()
}

/// Tries that implication is sound, transitive and reflexive among the models of some kinds.
fn implies_soundly(kinds: &[Kind]) -> Result<(), String> {
    // Weak models, so that some hold, and often equal ones, so that some are implied.
    let drawn = (0..kinds.len(), 1..1u8 << COLUMNS, (0..4u8, 0..16u8));
    try_property((table(), vec(drawn, 2..9)), |(table, drawn)| {
        let whole = sum(&groups(&table, &[])).map(u64::from);
        let made = drawn.iter().map(|&(kind, columns, much)| {
            let columns = (0..COLUMNS).filter(|c| columns >> c & 1 == 1).collect();
            (kinds[kind].make)(ModelParameters { columns, strictness: much, whole: &whole })
        });
        let models: Vec<PrivacyModel> = made.collect();
        let held = |model: &PrivacyModel| {
            model.column_sets().all(|columns| holds(model, &worst(model, &groups(&table, &columns))))
        };
        for a in &models {
            prop_assert!(a.implied_by(a), "{a:?} does not imply itself");
            for b in models.iter().filter(|b| a.implied_by(b)) {
                prop_assert!(held(a) || !held(b), "{b:?} does not imply {a:?}");
                for c in models.iter().filter(|c| b.implied_by(c)) {
                    prop_assert!(a.implied_by(c), "{c:?} implies {b:?}, and that {a:?}");
                }
            }
        }
        Ok(())
    })
}

#[test]
fn every_model_keeps_the_law() {
    for kind in kinds() {
        keeps_the_law(&kind).unwrap();
    }
}

#[test]
fn implication_is_sound() {
    let kinds = kinds();
    implies_soundly(&kinds).unwrap();
    // Models of one kind imply each other more often.
    for kind in kinds {
        implies_soundly(&[kind]).unwrap();
    }
}

/// A bound on the size of groups. Its direction decides whether it keeps the law.
#[derive(Debug)]
struct Size {
    bound: f64,
    direction: Direction,
    /// Whether it claims to be implied by every bound over more columns.
    claims_too_much: bool,
}

impl Criterion for Size {
    fn direction(&self) -> Direction {
        self.direction
    }
    fn measure(&self, group: GroupCounts, _of_persons: bool, measures: &mut [f64]) -> Result<(), Error> {
        measures[0] = f64::from(group.records);
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        self.direction.worse(measure, self.bound) == self.bound
    }
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other: &Size| {
            self.claims_too_much || other.holds(self.bound) && self.bound <= other.bound
        })
    }
}

fn size(
    ModelParameters { columns, strictness: much, .. }: ModelParameters,
    direction: Direction,
    boasts: bool,
) -> PrivacyModel {
    PrivacyModel::new(columns, Size { bound: much.0.into(), direction, claims_too_much: boasts })
}

/// Returns a violation. Repeats the test up to 50 times, because one run may not draw an input that shows it.
fn find_violation(tried: impl Fn() -> Result<(), String>) -> String {
    (0..50).find_map(|_| tried().err()).expect("nothing is found")
}

#[test]
fn violations_of_the_law_are_found() {
    let kind = |name, make| Kind { name, to_whole: false, make };
    let at_least = || kind("at least", |asked| size(asked, Direction::Falling, false));
    assert_eq!(keeps_the_law(&at_least()), Ok(()));
    let at_most = kind("at most", |asked| size(asked, Direction::Rising, false));
    let reason = find_violation(|| keeps_the_law(&at_most));
    assert!(reason.contains("of its worst part"), "{reason}");
    let boastful = [kind("boastful", |asked| size(asked, Direction::Falling, true))];
    let reason = find_violation(|| implies_soundly(&boastful));
    assert!(reason.contains("impl"), "{reason}");
    let never = Kind { to_whole: true, ..at_least() };
    let reason = find_violation(|| keeps_the_law(&never));
    assert!(reason.contains("the whole table"), "{reason}");
}
