//! Greedy k-member clustering of generated tables.
//!
//! `cargo bench -p engine-bench --bench kmember -- nearly_unique 20000 10` prints its time and loss (NTIL). A fourth
//! argument is the number of records per block.
//!
//! `nearly_unique` has five numbers of some thousand values (even, in heaps, skewed, and dependent on each other) and
//! three skewed taxonomies of 5, 12 and 40 leaves. `alike` has three numbers of 16 to 94 values and a taxonomy of 12
//! leaves, so that many records are equal.

use engine_bench::random::Random;
use engine_bench::tree::taxonomy;
use std::time::Instant;
use topdown::cluster::{kmember, kmember_in_blocks, Generalizer};
use topdown::loss;
use topdown::measure::{ntil, EquivalenceClass};
use topdown::table::{compress, Compressed, Store};
use topdown::Code;

/// Makes a column of numbers, and returns how many values it has.
fn line(values: usize) -> (Generalizer, usize) {
    (Generalizer::Line((0..values).map(|value| value as f64).collect()), values)
}

/// Makes a taxonomy with leaf i for code i.
fn tree(leaves: usize) -> (Generalizer, usize) {
    let hierarchy = taxonomy(leaves);
    let losses = hierarchy.nodes().iter().map(|node| loss::leaves_loss(node.codes.len(), leaves)).collect();
    (Generalizer::Tree(hierarchy, losses), leaves)
}

/// Draws a number between 0 and 1, mostly near the middle.
fn draw_near_middle(random: &mut Random) -> f64 {
    (0..4).map(|_| random.number()).sum::<f64>() / 4.0
}

/// Draws the values of a row, as shares of their columns.
fn nearly_unique(random: &mut Random) -> Vec<f64> {
    let (age, region, job) = (draw_near_middle(random), random.number().powi(2), random.number().powf(1.5));
    let joined = age * random.number();
    let income = (0.3 * age + 0.3 * job + 0.4 * random.number()).powi(3);
    let spent = (income * (0.5 + random.number())).min(0.999);
    vec![age, income, spent, joined, random.number(), random.number().powi(2), region, job]
}

fn alike(random: &mut Random) -> Vec<f64> {
    vec![draw_near_middle(random), random.number().powi(2), draw_near_middle(random), random.number()]
}

fn records(rows: usize, columns: &[(Generalizer, usize)], row: fn(&mut Random) -> Vec<f64>) -> Compressed {
    let mut random = Random(1);
    let code = |(share, (_, values)): (f64, &(Generalizer, usize))| (share * *values as f64) as Code;
    let mut made: Vec<Vec<Code>> =
        (0..rows).map(|_| row(&mut random).into_iter().zip(columns).map(code).collect()).collect();
    made.sort_unstable();
    let columns: Vec<Store> = (0..columns.len()).map(|c| made.iter().map(|row| row[c]).collect()).collect();
    let cardinalities: Vec<usize> = columns.iter().map(|_| 1 << 14).collect();
    let slices: Vec<&Store> = columns.iter().collect();
    compress(&slices, &cardinalities, rows, None).unwrap()
}

fn main() {
    // Cargo adds options of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let argument = |i: usize, default: &str| arguments.get(i).map_or(default, String::as_str).to_owned();
    let number = |i: usize, default: &str| argument(i, default).parse::<usize>().expect("a number");
    let (rows, k) = (number(1, "20000"), number(2, "10"));
    let (columns, row): (_, fn(&mut Random) -> Vec<f64>) = match &argument(0, "nearly_unique")[..] {
        "alike" => (vec![line(74), line(16), line(94), tree(12)], alike),
        _ => {
            let lines = [3000, 8000, 6000, 2000, 5000].map(line);
            (lines.into_iter().chain([5, 12, 40].map(tree)).collect(), nearly_unique)
        }
    };
    let records = records(rows, &columns, row);
    let spaces: Vec<Generalizer> = columns.into_iter().map(|(space, _)| space).collect();
    let start = Instant::now();
    let clusters = match number(3, "0") {
        0 => kmember(&spaces, &records, k as u32, false),
        block => kmember_in_blocks(&spaces, &records, k as u32, false, block),
    };
    let clusters = clusters.unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let class = |(extents, &rows): (&Vec<_>, &u32)| EquivalenceClass {
        persons: u64::from(rows),
        rows: rows.into(),
        losses: spaces.iter().zip(extents).map(|(space, extent)| space.loss(extent)).collect(),
    };
    let classes: Vec<EquivalenceClass> = clusters.extents.iter().zip(&clusters.sizes).map(class).collect();
    let lost = ntil(&classes, None).unwrap();
    let distinct = records.weights.len();
    println!(
        "{rows} rows, {distinct} distinct, k {k}: {seconds:.2} s, {} clusters, NTIL {lost:.6}",
        classes.len()
    );
    let hash = clusters.members.iter().enumerate().flat_map(|(r, m)| m.iter().map(move |m| (r, m)));
    let hash = hash.fold(0u64, |h, (r, m)| {
        (h ^ (r as u64 * 31 + u64::from(m.0) * 1_000_003 + u64::from(m.1))).wrapping_mul(0x100_0000_01b3)
    });
    println!("hash {hash:x}");
}
