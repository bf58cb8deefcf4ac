//! Columns, histograms, partitions, models, clusters and measures.

use super::{Case, SWEEP};
use std::rc::Rc;
use topdown::cluster::{kmember, Space};
use topdown::measure::{
    average_class_size, discernibility, navg, nil_1, nil_infinity, non_uniform_entropy, ntil, risk,
    EquivalenceClass,
};
use topdown::partition::{Arms, Partition, Records, Tally};
use topdown::privacy::{
    redundant, BetaLikeness, ConfidenceBound, Distance, Diversity, GroupCounts, KAnonymity, LDiversity,
    PrivacyModel, TCloseness,
};
use topdown::progress::Reservation;
use topdown::refine::{Hierarchy, TOP};
use topdown::table::{compress, Compressed, Histogram};
use topdown::taxonomy::Taxonomy;
use topdown::trace::Cut;
use topdown::utility::{entropy, Utility};
use topdown::{Code, Error, Pace, Progress, Unobserved};

/// Every code below `many` once, in no order.
pub fn distinct(many: usize) -> Vec<Code> {
    // A prime that divides no such number.
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
    let codes = Rc::new(distinct(many));
    let class: Rc<Vec<Code>> = Rc::new(codes.iter().map(|code| code / 3).collect());
    let made = |classes: usize| {
        let (codes, class) = (codes.clone(), class.clone());
        move |progress: &dyn Progress| {
            let class = (classes > 1).then_some((&class[..], classes));
            Histogram::new(&codes, many, class, &Pace::new(progress))
        }
    };
    let (dense, sparse) = (made(1), made(many));
    let one = Rc::new(dense(&Unobserved).unwrap());
    let mixed = Rc::new(sparse(&Unobserved).unwrap());
    let all = Rc::new(mixed.counts(0..many as Code, &Pace::new(&Unobserved)).unwrap());
    let (counted, suppressed) = (mixed.clone(), all.clone());
    let (one_code, in_codes) = (codes.clone(), codes.clone());
    let suppression = Hierarchy::by_suppression(many, false, &Unobserved).unwrap();
    let edges = super::trees::edges(many, 2);
    let tree = Taxonomy::from_edges(&edges, &Unobserved).unwrap().unwrap();
    let tree = Hierarchy::by_taxonomy(&tree, false, &Unobserved).unwrap();
    vec![
        Case::new("compress", SWEEP, move |p| compress(&[&one_code], &[many], many, None, p)),
        // Columns so wide that each is a key of its own.
        Case::new("compress with two keys", 4 * SWEEP, move |progress| {
            compress(&[&in_codes, &in_codes], &[1 << 40; 2], many, None, progress)
        }),
        Case::new("Histogram::new, dense", 2 * SWEEP, dense),
        Case::new("Histogram::new, sparse", 5 * SWEEP, sparse),
        Case::new("Histogram::records_in", SWEEP, move |progress| {
            one.records_in(0..many as Code, &Pace::new(progress))
        }),
        Case::new("Histogram::counts", 2 * SWEEP, move |progress| {
            counted.counts(0..many as Code, &Pace::new(progress))
        }),
        Case::new("entropy", SWEEP, move |progress| entropy(&suppressed, &Pace::new(progress))),
        Case::new("disclosure_gain of all values", SWEEP, move |progress| {
            let pace = Pace::new(progress);
            (0..many as Code).try_for_each(|code| {
                let utility = Utility::Classification;
                utility.disclosure_gain(&mixed, &all, 1.0, code, &pace).map(drop)
            })
        }),
        Case::new("gain and cut of a node", 2 * SWEEP, move |progress| {
            let pace = Pace::new(progress);
            let histogram = Histogram::new(&distinct(many), many, None, &Pace::new(&Unobserved))?;
            Utility::General.gain(&tree, &histogram, TOP, &pace)?;
            let children = tree.node(TOP).children.clone();
            Cut::top(&tree).refine(&tree, TOP, &children, &pace)
        }),
        Case::new("Cut::refine of a suppression", SWEEP, move |progress| {
            let children: Vec<u32> = (0..many as Code).map(Hierarchy::disclosed).collect();
            Cut::top(&suppression).refine(&suppression, TOP, &children, &Pace::new(progress))
        }),
    ]
}

/// A partition of two columns, the second of which has four values, and a sensitive one.
fn partition(many: usize, progress: &dyn Progress) -> Result<Partition, Error> {
    let codes = distinct(many);
    let few: Vec<Code> = codes.iter().map(|code| code % 4).collect();
    let records = Records {
        columns: vec![&codes, &few, &codes],
        cardinalities: vec![many, 4, many],
        masked: 2,
        rows: many,
        weights: None,
    };
    let mut memory = Reservation::new(progress, 0)?;
    Partition::new(vec![0, 1], vec![0], &records, &mut memory, progress)
}

fn groups(many: usize) -> Vec<Case> {
    vec![
        Case::new("Partition::new", 2 * SWEEP, move |progress| partition(many, progress)),
        Case::new("Partition::refine to four children", 6 * SWEEP, move |progress| {
            let arms = Arms::Children(&[0, 1, 2, 3], &[1, 2, 3, 4]);
            partition(many, progress)?.refine(1, TOP, arms, &|_, _| true, &Pace::new(progress))
        }),
        Case::new("Partition::refine to a child each", 8 * SWEEP, move |progress| {
            let slots: Vec<u32> = (0..many as u32).collect();
            let children: Vec<u32> = (1..=many as u32).collect();
            let arms = Arms::Children(&slots, &children);
            partition(many, progress)?.refine(0, TOP, arms, &|_, _| true, &Pace::new(progress))
        }),
        Case::new("Partition::refine by a disclosure", 4 * SWEEP, move |progress| {
            let arms = Arms::Disclose(2, 3);
            partition(many, progress)?.refine(1, TOP, arms, &|_, _| true, &Pace::new(progress))
        }),
        Case::new("Partition::tally, twice", 4 * SWEEP, move |progress| {
            let (partition, pace) = (partition(many, progress)?, Pace::new(progress));
            let mut tally = Tally::new(4, vec![many]);
            partition.tally(0, 1, None, &mut tally, &pace)?;
            partition.tally_all(0, &mut tally, &pace)
        }),
    ]
}

fn models(many: usize) -> Vec<Case> {
    let measured = |name, least, model: Box<dyn PrivacyModel>| {
        let sensitive = distinct(many);
        Case::new(name, least, move |progress| {
            let group = GroupCounts { records: 1 << 30, sensitive: &sensitive };
            model.measure(group, &mut vec![0.0; model.requirements()], &Pace::new(progress))
        })
    };
    let diverse = |kind| Box::new(LDiversity::new(vec![0], 0, kind));
    let close =
        |distance| Box::new(TCloseness::new(vec![0], 0, 0.1, distance, &vec![1; many], &Unobserved).unwrap());
    let like = BetaLikeness::new(vec![0], 0, 0.1, &vec![1; many], &Unobserved).unwrap();
    let values = (0..many as Code).map(Some).collect();
    // As many pairs as there are things elsewhere.
    let pairs = (many as f64).sqrt() as u64 + 1;
    vec![
        measured("distinct l-diversity", SWEEP, diverse(Diversity::Distinct { l: 2.0 })),
        measured("entropy l-diversity", SWEEP, diverse(Diversity::Entropy { l: 2.0 })),
        measured("recursive l-diversity", 3 * SWEEP, diverse(Diversity::Recursive { l: 2, c: 1.0 })),
        measured("t-closeness, equal", SWEEP, close(Distance::Equal)),
        measured("t-closeness, ordered", SWEEP, close(Distance::Ordered)),
        measured("beta-likeness", SWEEP, Box::new(like)),
        measured("confidences", SWEEP, Box::new(ConfidenceBound::new(vec![0], 0, values, 0.5))),
        Case::new("TCloseness::new", 2 * SWEEP, move |progress| {
            TCloseness::new(vec![0], 0, 0.1, Distance::Equal, &vec![1; many], progress)
        }),
        Case::new("BetaLikeness::new", 2 * SWEEP, move |progress| {
            BetaLikeness::new(vec![0], 0, 0.1, &vec![1; many], progress)
        }),
        Case::new("redundant", SWEEP, move |progress| {
            let model = |k| Box::new(KAnonymity::new(vec![k as usize], k)) as Box<dyn PrivacyModel>;
            redundant(&(0..pairs).map(model).collect::<Vec<_>>(), progress)
        }),
    ]
}

fn clusters(many: usize) -> Vec<Case> {
    let line = Space::Line((0..many).map(|i| i as f64).collect());
    let edges = super::trees::edges(many, 2);
    let tree = Taxonomy::from_edges(&edges, &Unobserved).unwrap().unwrap();
    let losses = vec![0.5; tree.nodes().len()];
    let tree = Space::Tree(Hierarchy::by_taxonomy(&tree, false, &Unobserved).unwrap(), losses);
    let records = Compressed { columns: vec![distinct(many); 2], weights: vec![1; many], ids: vec![] };
    let leftovers = Compressed { columns: vec![vec![0; many]], weights: vec![3; many], ids: vec![] };
    let spaces = [line, tree];
    vec![
        Case::new("kmember", 9 * SWEEP, move |progress| kmember(&spaces, &records, 5, progress)),
        // One cluster of all rows but one.
        Case::new("kmember, one cluster", 4 * SWEEP, move |progress| {
            kmember(&[Space::Apart], &leftovers, many as u32 * 3 - 1, progress)
        }),
    ]
}

fn measures(many: usize) -> Vec<Case> {
    let class =
        |i: usize| EquivalenceClass { rows: 1 + i as u64 % 7, losses: vec![0.5, 1.0 / (1 + i) as f64] };
    let classes: Rc<Vec<EquivalenceClass>> = Rc::new((0..many).map(class).collect());
    let case = |name, least, run: fn(&[EquivalenceClass], &dyn Progress) -> Result<f64, Error>| {
        let classes = classes.clone();
        Case::new(name, least, move |progress| run(&classes, progress))
    };
    vec![
        case("ntil", SWEEP, |classes, progress| ntil(classes, None, progress)),
        case("ntil of a column", SWEEP, |classes, progress| ntil(classes, Some(1), progress)),
        case("nil_1", SWEEP, nil_1),
        case("nil_infinity", 2 * SWEEP, nil_infinity),
        case("discernibility", SWEEP, discernibility),
        case("average_class_size", SWEEP, average_class_size),
        case("navg", SWEEP, |classes, progress| navg(classes, 5.0, progress)),
        case("non_uniform_entropy", 2 * SWEEP, |classes, progress| {
            let held: Vec<u64> = classes.iter().map(|class| class.rows).collect();
            let released: Vec<(u64, u64)> = held.iter().map(|&n| (n, n)).collect();
            non_uniform_entropy(&held, &released, progress)
        }),
        case("risk", 2 * SWEEP, |classes, progress| {
            risk(classes, 0.2, progress).map(|risks| risks[0].highest)
        }),
    ]
}
