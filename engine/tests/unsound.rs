//! Law: the engine itself refuses every problem whose models no search keeps, so it never returns a release that
//! breaks its models.

use topdown::privacy::{Distance, Diversity, PrivacyModel};
use topdown::refine::interval::SplitRule;
use topdown::refine::Hierarchy;
use topdown::table::{Codes, Store};
use topdown::utility::Score;
use topdown::{explain, replay, search, Attribute, Code, CodedColumn, Error, Population, Problem, Recoding};

/// A problem over two suppressed columns, with a record for each row unless `weights` are given.
struct TestProblem {
    columns: [Vec<Code>; 2],
    persons: Vec<Vec<Code>>,
    weights: Option<Vec<u32>>,
    models: fn() -> Vec<PrivacyModel>,
    recoding: Recoding,
    withhold: Option<u64>,
    room: u64,
    population: bool,
}

impl Default for TestProblem {
    fn default() -> TestProblem {
        TestProblem {
            columns: [vec![0, 0, 1, 1, 2, 2], vec![0, 1, 0, 1, 0, 1]],
            persons: Vec::new(),
            weights: None,
            models: || vec![k_anonymity(2)],
            recoding: Recoding::Global,
            withhold: None,
            room: 1,
            population: false,
        }
    }
}

fn k_anonymity(k: u64) -> PrivacyModel {
    PrivacyModel::k_anonymity(vec![0, 1], k)
}

fn k_of_persons(person: usize) -> PrivacyModel {
    PrivacyModel::k_anonymity(vec![0, 1], 2).counting_persons(person)
}

fn k_map(columns: &[usize]) -> PrivacyModel {
    PrivacyModel::k_map(columns.to_vec(), 1, 0)
}

fn distinct(l: f64) -> PrivacyModel {
    PrivacyModel::l_diversity(vec![0, 1], 0, Diversity::Distinct { l })
}

impl TestProblem {
    /// Returns the results of a search, of a replay and of an explanation.
    fn outcomes(&self) -> [Result<(), Error>; 3] {
        let columns: Vec<Store> =
            self.columns.iter().map(|codes| Store::from_iter(codes.iter().copied())).collect();
        let persons: Vec<Store> =
            self.persons.iter().map(|codes| Store::from_iter(codes.iter().copied())).collect();
        let sensitive = Store::from_iter(self.columns[0].iter().copied());
        let weights = self.weights.clone().map(Codes::from);
        let codes = |column: usize| 1 + *self.columns[column].iter().max().unwrap() as usize;
        let problem = || Problem {
            records: self.columns[0].len(),
            weights: weights.as_ref(),
            attributes: (0..2)
                .map(|column| Attribute {
                    codes: &columns[column],
                    hierarchy: Hierarchy::by_suppression(codes(column), false).unwrap(),
                    weight: 1.0,
                    shown: false,
                })
                .collect(),
            sensitive: vec![CodedColumn { codes: &sensitive, cardinality: codes(0) }],
            persons: persons.iter().map(|codes| CodedColumn { codes, cardinality: 9 }).collect(),
            populations: (0..usize::from(self.population))
                .map(|_| Population {
                    records: self.columns[0].len(),
                    weights: None,
                    columns: columns.iter().map(Some).collect(),
                })
                .collect(),
            class: None,
            models: (self.models)(),
            score: Score::Tds,
            split: SplitRule::Valid,
            recoding: self.recoding,
            withhold: self.withhold,
            min_size_factor: self.room,
            max_steps: None,
        };
        [
            search(problem()).map(|_| ()),
            replay(problem(), &[]).map(|_| ()),
            explain(problem(), &[]).map(|_| ()),
        ]
    }

    fn assert_refused(&self) {
        for outcome in self.outcomes() {
            assert!(matches!(outcome, Err(Error::Unsound(_))), "{outcome:?}");
        }
    }

    fn assert_accepted(&self) {
        for outcome in self.outcomes() {
            assert_eq!(outcome, Ok(()));
        }
    }
}

#[test]
fn withholding_is_refused_for_models_of_persons() {
    let columns = [vec![0, 0, 1, 1], vec![0, 0, 0, 0]];
    let asked =
        TestProblem { columns, persons: vec![vec![1, 0, 1, 0]], withhold: Some(2), ..TestProblem::default() };
    TestProblem { models: || vec![k_of_persons(0)], ..asked }.assert_refused();
}

#[test]
fn withholding_is_refused_for_models_that_unions_break() {
    let asked = |models| TestProblem { withhold: Some(1), models, ..TestProblem::default() };
    asked(|| vec![k_anonymity(2), distinct(1.0)]).assert_accepted();
    asked(|| vec![PrivacyModel::l_diversity(vec![0, 1], 0, Diversity::Entropy { l: 1.0 })]).assert_refused();
    asked(|| vec![PrivacyModel::t_closeness(vec![0, 1], 0, 1.0, Distance::Equal, &[2, 2, 2]).unwrap()])
        .assert_refused();
    asked(|| vec![PrivacyModel::confidence_bound(vec![0, 1], 0, vec![Some(0)], 1.0)]).assert_refused();
    // Models over several sets of columns.
    asked(|| vec![k_anonymity(2), PrivacyModel::k_anonymity(vec![0], 2)]).assert_refused();
    asked(|| vec![k_anonymity(2).with_bounded_knowledge(1)]).assert_refused();
    TestProblem { population: true, ..asked(|| vec![k_map(&[0, 1])]) }.assert_refused();
}

#[test]
fn withholding_is_refused_in_local_recoding() {
    for recoding in [Recoding::Local, Recoding::Clustered] {
        TestProblem { recoding, withhold: Some(2), ..TestProblem::default() }.assert_refused();
        TestProblem { recoding, ..TestProblem::default() }.assert_accepted();
        TestProblem { recoding, room: 0, ..TestProblem::default() }.assert_refused();
    }
}

/// With weights 0, 5 and 5, the only value of the first column would be counted as 20 rows, not as 10.
#[test]
fn records_without_rows_are_refused() {
    let columns = [vec![0, 0, 0], vec![0, 1, 2]];
    let asked = |weights: [u32; 3], recoding| TestProblem {
        columns: columns.clone(),
        weights: Some(weights.to_vec()),
        recoding,
        ..TestProblem::default()
    };
    asked([0, 5, 5], Recoding::Global).assert_refused();
    asked([5, 5, 0], Recoding::Local).assert_refused();
    asked([1, 5, 5], Recoding::Global).assert_accepted();
    // In clustered recoding every record must be one row.
    asked([1, 5, 5], Recoding::Clustered).assert_refused();
}

#[test]
fn local_recoding_refuses_persons_of_two_columns() {
    for recoding in [Recoding::Local, Recoding::Clustered] {
        let persons = vec![vec![0, 1, 2, 3, 4, 5], vec![0, 0, 1, 1, 2, 2]];
        let asked =
            |models| TestProblem { recoding, persons: persons.clone(), models, ..TestProblem::default() };
        asked(|| vec![k_of_persons(1)]).assert_accepted();
        asked(|| vec![k_of_persons(0), k_of_persons(1)]).assert_refused();
        // Shares of persons, over fewer columns than the groups.
        asked(|| {
            vec![
                k_anonymity(2),
                PrivacyModel::confidence_bound(vec![0], 0, vec![Some(0)], 1.0).counting_persons(0),
            ]
        })
        .assert_refused();
    }
}

#[test]
fn clustered_recoding_refuses_a_population() {
    let asked =
        |recoding, models| TestProblem { recoding, models, population: true, ..TestProblem::default() };
    let of_all: fn() -> Vec<PrivacyModel> = || vec![k_map(&[0, 1])];
    asked(Recoding::Global, of_all).assert_accepted();
    asked(Recoding::Local, of_all).assert_accepted();
    asked(Recoding::Clustered, of_all).assert_refused();
    // Local recoding counts a population by all columns. Groups by fewer columns have no fewer rows of it.
    asked(Recoding::Local, || vec![k_anonymity(2), k_map(&[0])]).assert_accepted();
    asked(Recoding::Global, || vec![k_anonymity(2), k_map(&[0])]).assert_accepted();
    let beside_persons = asked(Recoding::Local, || vec![k_map(&[0, 1]), k_of_persons(0)]);
    TestProblem { persons: vec![vec![0; 6]], ..beside_persons }.assert_refused();
}

/// A model of bounded knowledge counts its population in the groups by each subset of its columns.
#[test]
fn bounded_knowledge_counts_a_population_by_each_subset() {
    let asked = |models| TestProblem { population: true, models, ..TestProblem::default() };
    asked(|| vec![PrivacyModel::k_map(vec![0, 1], 6, 0).with_bounded_knowledge(1)]).assert_accepted();
    let unsatisfiable = asked(|| vec![PrivacyModel::k_map(vec![0, 1], 7, 0).with_bounded_knowledge(1)]);
    for outcome in unsatisfiable.outcomes() {
        assert_eq!(outcome, Err(Error::Unsatisfiable { model: 0, requirement: 0, achieved: 6.0 }));
    }
}

#[test]
fn models_of_missing_columns_are_refused() {
    let asked = |models| TestProblem { models, ..TestProblem::default() };
    asked(|| vec![PrivacyModel::k_anonymity(vec![0], 2)]).assert_accepted();
    asked(Vec::new).assert_accepted();
    asked(|| vec![k_anonymity(2), PrivacyModel::k_anonymity(vec![2], 2)]).assert_refused();
    asked(|| vec![k_of_persons(0)]).assert_refused();
    asked(|| vec![k_map(&[0, 1])]).assert_refused();
    asked(|| vec![PrivacyModel::l_diversity(vec![0, 1], 1, Diversity::Distinct { l: 1.0 })]).assert_refused();
}

/// The profile of this test checks arithmetic, like that of the engine.
#[test]
#[should_panic(expected = "overflow")]
fn a_count_that_would_wrap_ends_the_call() {
    let _ = std::hint::black_box(0u64) - std::hint::black_box(1);
}
