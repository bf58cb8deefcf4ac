//! Search over two tables of a million rows. One has six columns with taxonomies of 5 to 40 leaves, three of intervals
//! with 16 to 100 values, all skewed, and a class of two values that depends on them. The other has a suppressed column
//! of 100,000 values, nearly all disclosed by the search. Each is searched by global and by local recoding. For the
//! latter alone:
//!
//! `cargo bench -p engine-bench --bench search -- search_locally`

use criterion::{criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion};
use engine_bench::random::Random;
use engine_bench::tree::taxonomy;
use topdown::privacy::PrivacyModel;
use topdown::refine::interval::Domain;
use topdown::refine::interval::SplitRule;
use topdown::refine::Hierarchy;
use topdown::table::Store;
use topdown::utility::Score;
use topdown::{search, Attribute, Code, CodedColumn, Problem, Recoding};

const ROWS: usize = 1_000_000;
const K: u64 = 50;
const PROFILES: usize = 100;
/// Numbers of leaves of the taxonomies, then numbers of values of the intervals.
const LEAVES: [usize; 6] = [5, 8, 12, 16, 24, 40];
const VALUES: [usize; 3] = [16, 50, 100];
/// Number of values of the suppressed column, then of their regions, and least number of records per value.
const MANY: usize = 100_000;
const REGIONS: usize = 40;
const HELD: usize = 5;

struct Table {
    columns: Vec<Store>,
    cardinalities: Vec<usize>,
    class: Store,
}

impl Table {
    /// Makes the same table every time. Records follow frequent or rare profiles, with near values in half of the
    /// columns. So many of them are alike, and more when generalized.
    fn generate() -> Table {
        let mut random = Random(1);
        let cardinalities: Vec<usize> = LEAVES.iter().chain(&VALUES).copied().collect();
        let mut skewed = |below: usize| (random.number().powi(2) * below as f64) as usize;
        let profiles: Vec<Vec<usize>> = (0..PROFILES)
            .map(|_| cardinalities.iter().map(|cardinality| skewed(*cardinality)).collect())
            .collect();
        let mut columns = vec![Vec::with_capacity(ROWS); cardinalities.len()];
        let mut class = Vec::with_capacity(ROWS);
        for _ in 0..ROWS {
            let profile = &profiles[(random.number().powi(2) * PROFILES as f64) as usize];
            let mut share = 0.0;
            for (column, (&value, &cardinality)) in columns.iter_mut().zip(profile.iter().zip(&cardinalities))
            {
                let near = (value / 3 * 3 + (random.number() * 3.0) as usize).min(cardinality - 1);
                let value = if random.number() < 0.5 { near } else { value };
                column.push(value as Code);
                share += value as f64 / cardinality as f64 / cardinalities.len() as f64;
            }
            class.push(Code::from(random.number() < share));
        }
        let columns = columns.into_iter().map(Store::from).collect();
        Table { columns, cardinalities, class: class.into() }
    }

    /// Makes a table of very many values, each of a region and with its own share of the class, and an independent
    /// column of a few values.
    fn generate_many_values() -> Table {
        let mut random = Random(2);
        let shares: Vec<f64> = (0..MANY).map(|_| 0.2 + 0.6 * random.number()).collect();
        let mut below = |below: usize| (random.number() * below as f64) as usize;
        let drawn = |row| if row < MANY * HELD { row % MANY } else { below(MANY) };
        let values: Vec<usize> = (0..ROWS).map(drawn).collect();
        let class = values.iter().map(|&value| Code::from(random.number() < shares[value])).collect();
        let other = (0..ROWS).map(|_| (random.number() * VALUES[0] as f64) as Code).collect();
        let columns = vec![
            values.iter().map(|&value| value as Code).collect(),
            values.iter().map(|value| (value * REGIONS / MANY) as Code).collect(),
            other,
        ];
        Table { columns, cardinalities: vec![MANY, REGIONS, VALUES[0]], class }
    }

    /// Returns the problem of k-anonymity on each of the `sets` of columns.
    fn problem(&self, hierarchies: &[Hierarchy], sets: &[&[usize]], k: u64) -> Problem<'_> {
        Problem {
            records: ROWS,
            weights: None,
            attributes: hierarchies
                .iter()
                .zip(&self.columns)
                .map(|(hierarchy, codes)| Attribute {
                    codes,
                    hierarchy: hierarchy.clone(),
                    weight: 1.0,
                    shown: false,
                })
                .collect(),
            sensitive: vec![],
            persons: vec![],
            populations: Vec::new(),
            class: Some(CodedColumn { codes: &self.class, cardinality: 2 }),
            models: sets.iter().map(|set| PrivacyModel::k_anonymity(set.to_vec(), k)).collect(),
            score: Score::Tds,
            split: SplitRule::Optimal,
            recoding: Recoding::Global,
            withhold: None,
            min_size_factor: 1,
            max_steps: None,
        }
    }
}

fn intervals(values: usize) -> Hierarchy {
    let positions = (0..values).map(|value| value as f64).collect();
    Hierarchy::by_intervals(
        Domain { positions, lower: None, upper: None, points: None, is_discrete: false },
        false,
    )
}

fn suppressed(values: usize) -> Hierarchy {
    Hierarchy::by_suppression(values, false).unwrap()
}

fn benches(criterion: &mut Criterion) {
    let table = Table::generate();
    let mut group = criterion.benchmark_group("1M rows");
    group.sample_size(10);

    let tree = LEAVES.iter().map(|leaves| taxonomy(*leaves));
    let refined: Vec<Hierarchy> = tree.chain(VALUES.iter().map(|values| intervals(*values))).collect();
    let suppressed: Vec<Hierarchy> =
        table.cardinalities[..7].iter().map(|values| self::suppressed(*values)).collect();
    let all: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7, 8];
    let overlapping: &[&[usize]] =
        &[&[0, 1, 2, 3, 6], &[2, 3, 4, 7], &[0, 4, 5, 8], &[1, 3, 5, 6, 7], &[2, 5, 8]];
    let many = Table::generate_many_values();
    let among = [self::suppressed(MANY), taxonomy(REGIONS), intervals(VALUES[0])];
    for (name, table, hierarchies, sets, k) in [
        ("one QID of 9", &table, &refined[..], &[all][..], K),
        ("5 overlapping QIDs", &table, &refined, overlapping, K),
        ("suppression of 7", &table, &suppressed, &[&all[..7]], K),
        ("100,000 disclosures", &many, &among[..1], &[&all[..1]], HELD as u64),
        ("100,000 disclosures among others", &many, &among, &[&all[..3]], HELD as u64),
    ] {
        let problem = || table.problem(hierarchies, sets, k);
        let outcome = search(problem()).unwrap();
        println!("{name}: {} steps, {:?}", outcome.steps.len(), outcome.achieved);
        let locally = || Problem { recoding: Recoding::Local, ..problem() };
        let local = search(locally()).unwrap();
        let groups = local.regions.map_or(0, |regions| regions.leaves().count());
        println!("{name}, locally: {} steps, {groups} groups, {:?}", local.steps.len(), local.achieved);
        group.bench_function(BenchmarkId::new("search", name), |bencher| {
            bencher.iter_batched(problem, search, BatchSize::LargeInput)
        });
        group.bench_function(BenchmarkId::new("search_locally", name), |bencher| {
            bencher.iter_batched(locally, search, BatchSize::LargeInput)
        });
    }
    group.finish();
}

criterion_group!(search_benches, benches);
criterion_main!(search_benches);
