//! Columns, histograms, partitions, models, clusters and measures.

use super::{Case, SWEEP};
use crate::tape::on_tape;
use std::rc::Rc;
use topdown::cluster::{kmember, Generalizer};
use topdown::measure::{
    attacker_risks, average_class_size, class_information, count_leave_one_out, discernibility, find_keys,
    navg, nil_1, nil_infinity, non_uniform_entropy, ntil, EquivalenceClass, RecordClasses, Released,
};
use topdown::partition::{ChildOfCode, Partition, Records, Tally};
use topdown::privacy::{redundant, Distance, Diversity, GroupCounts, PrivacyModel};
use topdown::progress::check_memory;
use topdown::refine::endpoint::{decimal, Gap, Precision};
use topdown::refine::{Hierarchy, TOP};
use topdown::table::{compress, Compressed, Histogram, Store};
use topdown::taxonomy::Taxonomy;
use topdown::trace::Cut;
use topdown::utility::{entropy, Utility};
use topdown::{Code, Error};

/// Returns every code below `many` once, in scattered order.
pub fn distinct(many: usize) -> Vec<Code> {
    // A prime that does not divide `many`.
    (0..many as u64).map(|i| (i * 1_000_003 % many as u64) as Code).collect()
}

pub fn cases(many: usize) -> Vec<Case> {
    let mut cases = columns(many);
    cases.extend(groups(many));
    cases.extend(models(many));
    cases.extend(clusters(many));
    cases.extend(measures(many));
    cases
}

fn columns(many: usize) -> Vec<Case> {
    let codes: Rc<Store> = Rc::new(distinct(many).into());
    let class: Rc<Store> = Rc::new(distinct(many).iter().map(|code| code / 3).collect());
    let made = |classes: usize| {
        let (codes, class) = (codes.clone(), class.clone());
        move || {
            let class = (classes > 1).then_some((class.in_memory().unwrap(), classes));
            Histogram::new(codes.in_memory().unwrap(), many, class, None)
        }
    };
    let (dense, sparse) = (made(1), made(many));
    let one = Rc::new(dense().unwrap());
    let mixed = Rc::new(sparse().unwrap());
    let all = Rc::new(mixed.counts(0..many as Code).unwrap());
    let (counted, suppressed) = (mixed.clone(), all.clone());
    let (one_code, in_codes, codes) = (codes.clone(), codes.clone(), codes.clone());
    let tape = Rc::new(on_tape(&one_code, many / 3 + 1));
    let (of_tape, counted_tape, renumbered) = (tape.clone(), tape.clone(), tape);
    let number = |last: usize| format!("{}{last}", "7".repeat(many.min(100_000)));
    let (low, high) = (number(2), number(4));
    let of_keys = distinct(many);
    let of_columns = distinct(many);
    let disclosed: Vec<u32> = (0..many as Code).map(Hierarchy::disclosed_node).collect();
    let suppression = Hierarchy::by_suppression(many, false).unwrap();
    let edges = super::trees::edges(many, 2);
    let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
    let tree = Hierarchy::by_taxonomy(&tree, false).unwrap();
    vec![
        Case::new("compress", SWEEP, move || compress(&[&one_code], &[many], many, None)),
        Case::new("compress from a tape", 2 * SWEEP, move || compress(&[&of_tape], &[many], many, None)),
        Case::new("Histogram::all of a tape", 4 * SWEEP, move || {
            Histogram::all(&[(&counted_tape, many)], Some((&counted_tape, many)), None)
        }),
        Case::new("Store::renumber of a tape", SWEEP, move || {
            check_memory::<Code>(many)?;
            let map: Vec<Code> = (0..many as Code).rev().collect();
            let mut twice = (*renumbered).clone();
            twice.renumber(&map, 0)?;
            twice.renumber(&map, 0)?;
            Ok(twice)
        }),
        Case::new("keys", 8 * SWEEP, move || {
            let cardinalities = [many / 3, 1000, 7];
            // The memory of the input: codes of any width, in growing vectors.
            check_memory::<[Code; 3]>(many)?;
            let columns: Vec<Store> = cardinalities
                .iter()
                .map(|&n| of_keys.iter().map(|code| code % n as Code).collect())
                .collect();
            let columns: Vec<&Store> = columns.iter().collect();
            find_keys(&columns, &cardinalities, many, 5, 3)
        }),
        Case::new("without", 12 * SWEEP, move || {
            let cardinalities = [many / 3, 1000, 7];
            check_memory::<[Code; 3]>(many)?;
            let columns: Vec<Store> = cardinalities
                .iter()
                .map(|&n| of_columns.iter().map(|code| code % n as Code).collect())
                .collect();
            let columns: Vec<&Store> = columns.iter().collect();
            count_leave_one_out(&columns, &cardinalities, many, 5)
        }),
        // Each column is so wide that it needs a key of its own.
        Case::new("compress with two keys", 4 * SWEEP, move || {
            compress(&[&in_codes, &in_codes], &[1 << 40; 2], many, None)
        }),
        Case::new("Histogram::new, dense", 2 * SWEEP, dense),
        Case::new("Histogram::new, sparse", 5 * SWEEP, sparse),
        Case::new("Histogram::records_in", SWEEP, move || one.row_count_in(0..many as Code)),
        Case::new("Histogram::counts", 2 * SWEEP, move || {
            check_memory::<u64>(many)?;
            counted.counts(0..many as Code)
        }),
        Case::new("entropy", SWEEP, move || entropy(&suppressed)),
        Case::new("the end of an interval of numbers of many digits", 15, move || {
            decimal(&Gap::below(Some(&low), &high), Precision::Numeric)
        }),
        Case::new("disclosure_gain of all values", SWEEP, move || {
            (0..many as Code).try_for_each(|code| {
                let utility = Utility::Classification;
                utility.disclosure_gain(&mixed, &all, code).map(drop)
            })
        }),
        Case::new("gain and cut of a node", 2 * SWEEP, move || {
            let histogram = Histogram::new(codes.in_memory().unwrap(), many, None, None)?;
            Utility::General.gain(&tree, &histogram, TOP)?;
            let children = tree.node(TOP).children.clone();
            Cut::coarsest(&tree)?.refine(&tree, TOP, &children)
        }),
        Case::new("Cut::refine of a suppression", SWEEP, move || {
            let mut cut = Cut::coarsest(&suppression)?;
            cut.refine(&suppression, TOP, &disclosed)
        }),
    ]
}

/// Records of two masked columns, the second with four values, and a sensitive column.
struct Columns {
    codes: Store,
    few: Store,
}

impl Columns {
    fn partition(&self) -> Result<Partition, Error> {
        let many = self.codes.len();
        let records = Records {
            columns: vec![&self.codes, &self.few, &self.codes],
            cardinalities: vec![many, 4, many],
            masked: 2,
            rows: many,
            weights: None,
            numbered: false,
        };
        Partition::new(vec![0, 1], vec![0], None, &records)
    }

    fn refined(&self, place: usize, arms: ChildOfCode) -> Result<Partition, Error> {
        let mut partition = self.partition()?;
        partition.refine(place, TOP, arms, &|_, _| true)?;
        Ok(partition)
    }
}

fn groups(many: usize) -> Vec<Case> {
    let codes = distinct(many);
    let few = codes.iter().map(|code| code % 4).collect();
    let columns = Rc::new(Columns { few, codes: codes.into() });
    let case = |name, least, run: fn(&Columns) -> Result<Partition, Error>| {
        let columns = columns.clone();
        Case::new(name, least, move || run(&columns))
    };
    let (slots, children): (Vec<u32>, Vec<u32>) = (0..many as u32).map(|code| (code, code + 1)).unzip();
    let (each, tallied) = (columns.clone(), columns.clone());
    vec![
        case("Partition::new", 2 * SWEEP, Columns::partition),
        case("Partition::refine to four children", 6 * SWEEP, |columns| {
            columns.refined(1, ChildOfCode::Children(&[0, 1, 2, 3], &[1, 2, 3, 4]))
        }),
        Case::new("Partition::refine to a child each", 8 * SWEEP, move || {
            each.refined(0, ChildOfCode::Children(&slots, &children))
        }),
        case("Partition::refine by a disclosure", 4 * SWEEP, |columns| {
            columns.refined(1, ChildOfCode::Disclose(2, 3))
        }),
        Case::new("Partition::tally, twice", 4 * SWEEP, move || {
            let partition = tallied.partition()?;
            let mut tally = Tally::new(&partition, 4, &[many])?;
            partition.count_children(0, 1, None, &mut tally)?;
            partition.count_whole(0, &mut tally)?;
            Ok((partition, tally))
        }),
    ]
}

fn models(many: usize) -> Vec<Case> {
    let measured = |name, least, model: PrivacyModel| {
        let sensitive = distinct(many);
        Case::new(name, least, move || {
            let group = GroupCounts { records: 1 << 30, persons: 0, counts: &sensitive };
            check_memory::<f64>(model.requirements())?;
            model.measure(group, &mut vec![0.0; model.requirements()])
        })
    };
    let diverse = |kind| PrivacyModel::l_diversity(vec![0], 0, kind);
    let close = |distance| PrivacyModel::t_closeness(vec![0], 0, 0.1, distance, &vec![1; many]).unwrap();
    let like = PrivacyModel::beta_likeness(vec![0], 0, 0.1, many as u64, &vec![1; many]).unwrap();
    let values = (0..many as Code).map(Some).collect();
    let ones = vec![1; many];
    let one_each = ones.clone();
    // The number of pairs of models is that of items in other cases.
    let pairs = (many as f64).sqrt() as u64 + 1;
    vec![
        measured("distinct l-diversity", SWEEP, diverse(Diversity::Distinct { l: 2.0 })),
        measured("entropy l-diversity", SWEEP, diverse(Diversity::Entropy { l: 2.0 })),
        measured("recursive l-diversity", 3 * SWEEP, diverse(Diversity::Recursive { l: 2, c: 1.0 })),
        measured("t-closeness, equal", SWEEP, close(Distance::Equal)),
        measured("t-closeness, ordered", SWEEP, close(Distance::Ordered)),
        measured("beta-likeness", SWEEP, like),
        measured("confidences", SWEEP, PrivacyModel::confidence_bound(vec![0], 0, values, 0.5)),
        Case::new("PrivacyModel::t_closeness", 2 * SWEEP, move || {
            PrivacyModel::t_closeness(vec![0], 0, 0.1, Distance::Equal, &ones)
        }),
        Case::new("PrivacyModel::beta_likeness", SWEEP, move || {
            PrivacyModel::beta_likeness(vec![0], 0, 0.1, many as u64, &one_each)
        }),
        Case::new("redundant", SWEEP, move || {
            let model = |k| PrivacyModel::k_anonymity(vec![k as usize], k);
            redundant(&(0..pairs).map(model).collect::<Vec<_>>())
        }),
    ]
}

fn clusters(many: usize) -> Vec<Case> {
    let line = Generalizer::Line((0..many).map(|i| i as f64).collect());
    let edges = super::trees::edges(many, 2);
    let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
    let losses = vec![0.5; tree.nodes().len()];
    let tree = Generalizer::Tree(Hierarchy::by_taxonomy(&tree, false).unwrap(), losses);
    let records = Compressed { columns: vec![distinct(many).into(); 2], weights: vec![1; many], ids: vec![] };
    let leftovers = Compressed { columns: vec![vec![0; many].into()], weights: vec![3; many], ids: vec![] };
    let spaces = [line, tree];
    vec![
        Case::new("kmember", 9 * SWEEP, move || kmember(&spaces, &records, 5, false)),
        // One cluster takes all rows except one.
        Case::new("kmember, one cluster", 4 * SWEEP, move || {
            kmember(&[Generalizer::Suppressed], &leftovers, many as u32 * 3 - 1, false)
        }),
    ]
}

fn measures(many: usize) -> Vec<Case> {
    let class = |i: usize| EquivalenceClass {
        rows: 1 + i as u64 % 7,
        persons: 1,
        losses: vec![0.5, 1.0 / (1 + i) as f64],
    };
    let classes: Rc<Vec<EquivalenceClass>> = Rc::new((0..many).map(class).collect());
    let held: Vec<u64> = classes.iter().map(|class| class.rows).collect();
    let released: Vec<(u64, u64)> = held.iter().map(|&n| (n, n)).collect();
    let case = |name, least, run: fn(&[EquivalenceClass]) -> Result<f64, Error>| {
        let classes = classes.clone();
        Case::new(name, least, move || run(&classes))
    };
    // Four columns need two keys.
    let (codes, numbers) = (Store::from(distinct(many)), Vec::from_iter(0..many as u32));
    let of_classes = RecordClasses { of_records: codes.clone(), count: many };
    vec![
        Case::new("RecordClasses::build", 6 * SWEEP, move || {
            let column = Released { codes: &codes, number_of_code: &numbers, number_count: many };
            RecordClasses::build(&[column; 4], many)
        }),
        Case::new("class_information", 5 * SWEEP, move || {
            class_information(&of_classes, &of_classes.of_records, None)
        }),
        case("ntil", SWEEP, |classes| ntil(classes, None)),
        case("ntil of a column", SWEEP, |classes| ntil(classes, Some(1))),
        case("nil_1", SWEEP, nil_1),
        case("nil_infinity", 2 * SWEEP, nil_infinity),
        case("discernibility", SWEEP, discernibility),
        case("average_class_size", SWEEP, average_class_size),
        case("navg", SWEEP, |classes| navg(classes, 5.0)),
        Case::new("non_uniform_entropy", 2 * SWEEP, move || non_uniform_entropy(&held, &released)),
        case("risk", 2 * SWEEP, |classes| attacker_risks(classes, None, 0.2).map(|risks| risks[0].highest)),
    ]
}
