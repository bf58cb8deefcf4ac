//! Law: searches and replays of tables on a tape have the same result, to the last bit, as those of tables in memory.

use crate::tape::on_tape;
use std::collections::BTreeMap;
use topdown::privacy::{Distance, Diversity, PrivacyModel};
use topdown::refine::interval::{Domain, SplitRule};
use topdown::refine::Hierarchy;
use topdown::table::Store;
use topdown::taxonomy::Taxonomy;
use topdown::utility::Score;
use topdown::{
    replay, search, Attribute, Code, CodedColumn, Origin, Outcome, Problem, Recoding, Recorded, Step,
};

struct Random(u64);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

const ROWS: usize = 90_000;
const PERSONS: usize = ROWS / 3;

/// A table of correlated columns. It has few combinations, or nearly one for each row.
struct Table {
    columns: Vec<Store>,
    cardinalities: Vec<usize>,
    /// Each row's person; there are a third as many persons as rows.
    persons: Store,
}

impl Table {
    fn new(cardinalities: &[u64], random: &mut Random) -> Table {
        let mut columns = vec![Vec::with_capacity(ROWS); cardinalities.len()];
        for _ in 0..ROWS {
            let profile = random.below(7);
            for (column, &cardinality) in columns.iter_mut().zip(cardinalities) {
                let near =
                    (profile * cardinality / 7 + random.below(cardinality.div_ceil(4))).min(cardinality - 1);
                column.push(if random.below(3) == 0 { random.below(cardinality) } else { near } as Code);
            }
        }
        let columns = columns.into_iter().map(Store::from).collect();
        let persons = (0..ROWS).map(|_| random.below(PERSONS as u64) as Code).collect();
        Table { columns, cardinalities: cardinalities.iter().map(|&n| n as usize).collect(), persons }
    }

    /// Builds a problem in which the first columns are masked, the last two are sensitive, and the last is also the
    /// class.
    fn problem(
        &self,
        hierarchies: &[Hierarchy],
        models: Vec<PrivacyModel>,
        (score, split, most): (Score, SplitRule, u64),
    ) -> Problem<'_> {
        let masked = hierarchies.len();
        let counted = |column: usize| (&self.columns[column], self.cardinalities[column]);
        let sensitive = (masked..masked + 2).map(counted);
        let (class, classes) = counted(masked + 1);
        Problem {
            records: ROWS,
            weights: None,
            attributes: (hierarchies.iter().zip(&self.columns))
                .map(|(hierarchy, codes)| Attribute {
                    codes,
                    hierarchy: hierarchy.clone(),
                    weight: 1.0,
                    shown: false,
                })
                .collect(),
            sensitive: sensitive.map(|(codes, cardinality)| CodedColumn { codes, cardinality }).collect(),
            persons: vec![CodedColumn { codes: &self.persons, cardinality: PERSONS }],
            populations: Vec::new(),
            class: Some(CodedColumn { codes: class, cardinality: classes }),
            models,
            score,
            split,
            recoding: Recoding::Global,
            withhold: (most > 0).then_some(most),
            min_size_factor: 1,
            max_steps: Some(60),
        }
    }
}

fn tree(leaves: usize) -> Hierarchy {
    let edges = (0..leaves).flat_map(|leaf| {
        let inner = format!("inner {}", leaf % 4);
        [(format!("leaf {leaf:03}"), Some(inner.clone())), (inner, Some("all".into()))]
    });
    let edges: BTreeMap<String, Option<String>> = edges.collect();
    let edges = edges.into_iter().collect();
    let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
    Hierarchy::by_taxonomy(&tree, false).unwrap()
}

/// Records the steps of a search by global recoding, for a replay.
fn recorded(outcome: &Outcome) -> Vec<Recorded> {
    let steps = outcome.steps.iter().enumerate();
    let made = |attribute: usize, node: u32, before: usize| {
        outcome.steps[..before].iter().enumerate().find_map(|(step, made)| {
            let half =
                made.children.iter().position(|&child| child == node && made.attribute == attribute)?;
            Some(Origin::Half { trace_index: step, half })
        })
    };
    steps
        .map(|(number, step)| {
            let hierarchy = &outcome.hierarchies[step.attribute];
            let (origin, how) = if hierarchy.is_suppression() {
                let mut codes = 0..hierarchy.codes() as Code;
                let code = codes.find(|&code| Hierarchy::disclosed_node(code) == step.children[0]).unwrap();
                (Origin::Node(step.node), topdown::Refinement::disclose(code))
            } else if step.attribute == INTERVALS {
                let at = hierarchy.node(step.children[1]).codes.start;
                let node = made(step.attribute, step.node, number).unwrap_or(Origin::Node(step.node));
                (node, topdown::Refinement::split(at))
            } else {
                (Origin::Node(step.node), topdown::Refinement::Specialize)
            };
            Recorded { attribute: step.attribute, origin, refinement: how }
        })
        .collect()
}

/// Index of the column that is masked by intervals.
const INTERVALS: usize = 1;

/// Searches by local recoding. Returns the steps and each row's final region.
fn search_locally(table: &Table, problem: Problem) -> (Vec<Step>, Vec<Code>) {
    let found = search(Problem { recoding: Recoding::Local, ..problem }).unwrap();
    let masked: Vec<&Store> = table.columns[..MASKED].iter().collect();
    let leaves = found.regions.unwrap().leaf_of_rows(&masked, ROWS).unwrap();
    (found.steps, (0..ROWS).map(|row| leaves.get(row)).collect())
}

const MASKED: usize = 4;

#[test]
fn a_tape_changes_nothing() {
    let mut random = Random(5);
    let (mut steps, mut divided) = (0, 0);
    // Tables of up to two million combinations, of more than 10^9, and of a few hundred.
    for cardinalities in [[12, 40, 6, 30, 7, 3], [30, 500, 40, 200, 9, 2], [3, 5, 2, 4, 2, 2]] {
        let table = Table::new(&cardinalities, &mut random);
        let laid = Table {
            columns: table.columns.iter().map(|column| on_tape(column, 20_000)).collect(),
            cardinalities: table.cardinalities.clone(),
            persons: on_tape(&table.persons, 20_000),
        };
        let positions = (0..cardinalities[1]).map(|value| value as f64).collect();
        let suppressed = |values| Hierarchy::by_suppression(values, false);
        let hierarchies = [
            tree(cardinalities[0] as usize),
            Hierarchy::by_intervals(
                Domain { positions, lower: None, upper: None, points: None, is_discrete: false },
                false,
            ),
            tree(cardinalities[2] as usize),
            suppressed(cardinalities[3] as usize).unwrap(),
        ];
        let mut counts = vec![0; cardinalities[5] as usize];
        let classes = table.columns[5].in_memory().unwrap();
        (0..ROWS).for_each(|row| counts[classes.get(row) as usize] += 1);
        let k = PrivacyModel::k_anonymity;
        let every = |count: u64| (0..count as Code).map(Some).collect();
        let models: [&dyn Fn() -> Vec<PrivacyModel>; 5] = [
            &|| vec![k(vec![0, 1, 2, 3], 20)],
            &|| vec![k(vec![0, 1], 50), k(vec![1, 2, 3], 100), k(vec![0, 3], 30)],
            &|| vec![k(vec![0, 1, 2, 3], 15).counting_persons(0), k(vec![0, 1, 2, 3], 20)],
            &|| vec![PrivacyModel::confidence_bound(vec![0, 1, 2, 3], 0, every(cardinalities[4]), 0.8)],
            &|| {
                let close =
                    PrivacyModel::t_closeness(vec![0, 1, 3], 1, 0.4, Distance::Equal, &counts).unwrap();
                let diverse = PrivacyModel::l_diversity(vec![0, 1, 3], 0, Diversity::Entropy { l: 1.3 });
                vec![k(vec![0, 1, 2, 3], 5), close, diverse]
            },
        ];
        let chosen = [
            (Score::Tdr, SplitRule::Optimal, 0),
            (Score::Tdr, SplitRule::Valid, 0),
            (Score::Conditional, SplitRule::Optimal, 0),
            (Score::Conditional, SplitRule::Valid, 0),
            (Score::Tdr, SplitRule::Optimal, 150),
            (Score::Conditional, SplitRule::Valid, 150),
        ];
        let counts_rows = |m: &PrivacyModel| m.sensitive().is_none() && m.person().is_none();
        let may_withhold =
            |models: &[PrivacyModel]| models.iter().all(|m| counts_rows(m) && m.attributes().len() == MASKED);
        for (models, chosen) in models.iter().flat_map(|models| chosen.map(|chosen| (models, chosen))) {
            if chosen.2 > 0 && !may_withhold(&models()) {
                continue;
            }
            let problem = || table.problem(&hierarchies, models(), chosen);
            let on_tape = || laid.problem(&hierarchies, models(), chosen);
            let one = search(problem()).unwrap();
            let taped = search(on_tape()).unwrap();
            assert_eq!((&one.steps, &one.cuts, &one.achieved), (&taped.steps, &taped.cuts, &taped.achieved));
            assert_eq!(one.withheld, taped.withheld);
            if chosen.2 == 0 && chosen.1 == SplitRule::Valid {
                let one = search_locally(&table, problem());
                assert_eq!(one, search_locally(&laid, on_tape()));
                divided += one.0.len();
            }
            steps += one.steps.len();
            let trace = recorded(&one);
            let one = replay(problem(), &trace).unwrap();
            let taped = replay(on_tape(), &trace).unwrap();
            assert_eq!((&one.outcome.steps, &one.performed), (&taped.outcome.steps, &taped.performed));
            assert!(one.performed.iter().all(Option::is_some));
        }
    }
    assert!(steps > 150, "{steps} steps");
    assert!(divided > 500, "{divided} steps of groups");
}
