//! Preparation of a search and its innermost loop over a million rows: values become codes, equal records are folded,
//! and the records of a group are counted by child.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use engine_bench::random::Random;
use std::hint::black_box;
use topdown::partition::{Partition, Records, Tally};
use topdown::table::{compress, Dictionary, Store};
use topdown::Code;

const ROWS: usize = 1_000_000;
/// Number of values of each column. About half of the records differ.
const VALUES: [usize; 7] = [5, 8, 16, 40, 100, 12, 2];

fn codes(values: usize, random: &mut Random) -> Vec<Code> {
    (0..ROWS).map(|_| (random.number().powi(2) * values as f64) as Code).collect()
}

fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    group.sample_size(10).throughput(Throughput::Elements(ROWS as u64));
    for values in [16, 1_000, 100_000] {
        let texts: Vec<String> =
            codes(values, &mut Random(1)).iter().map(|code| format!("value number {code}")).collect();
        group.bench_function(format!("{values} values"), |bencher| {
            bencher.iter(|| {
                let mut dictionary = Dictionary::default();
                let code = |text: &String| dictionary.intern(text.as_bytes()).map(u64::from);
                texts.iter().map(code).sum::<Result<u64, _>>()
            })
        });
    }
    group.finish();
}

fn fold_and_count(criterion: &mut Criterion) {
    let mut random = Random(2);
    let columns: Vec<Store> = VALUES.iter().map(|&values| codes(values, &mut random).into()).collect();
    let columns: Vec<&Store> = columns.iter().collect();
    let mut group = criterion.benchmark_group("1M rows");
    group.sample_size(10).throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("compress", |bencher| {
        bencher.iter(|| black_box(compress(&columns, &VALUES, ROWS, None).unwrap()))
    });
    let (masked, rows) = (VALUES.len() - 1, ROWS);
    let records =
        Records { columns, cardinalities: VALUES.to_vec(), masked, rows, weights: None, numbered: false };
    for (name, sensitive, place, values) in
        [("count", vec![], 3, None), ("count with a sensitive column", vec![0], 3, Some(2))]
    {
        let partition = Partition::new((0..masked).collect(), sensitive, None, &records).unwrap();
        let slots: Vec<u32> = (0..VALUES[place] as u32).map(|code| code / 8).collect();
        let mut tally = Tally::new(&partition, slots.len(), values.as_slice()).unwrap();
        group.throughput(Throughput::Elements(partition.size(0) as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| partition.count_children(0, place, Some(&slots), &mut tally).unwrap())
        });
    }
    group.finish();
}

criterion_group!(tables, encode, fold_and_count);
criterion_main!(tables);
