//! Counts of single columns over each kind of hierarchy, with frequent and rare values by turns.

#![allow(clippy::single_range_in_vec_init, reason = "a value may stand for one range of codes")]

use super::trees::{caterpillar, edges};
use super::{Case, SWEEP};
use std::ops::Range;
use std::rc::Rc;
use topdown::measure::{CodeModel, CountedNodes, HolderCounter, Released, RequiredSize};
use topdown::privacy::{Diversity, PrivacyModel};
use topdown::progress::check_memory;
use topdown::refine::interval::Domain;
use topdown::refine::{Hierarchy, TOP};
use topdown::table::Store;
use topdown::taxonomy::Taxonomy;
use topdown::{Code, CodedColumn, Error};

/// Least number of rows of a count.
const K: u64 = 5;

/// A column, and the shown values of its rows.
struct Column {
    hierarchy: Hierarchy,
    codes: Store,
    persons: (Store, usize),
    /// Half of the frequent values have one sensitive value, the others two.
    sensitive: Store,
    shown: Store,
    as_number: Vec<u32>,
    stands_for: Vec<Vec<Range<Code>>>,
}

impl Column {
    fn new(hierarchy: Hierarchy, shows: ShownAs) -> Column {
        let values = hierarchy.codes() as Code;
        // Of two neighbors one has K + 1 rows and one a single row.
        let codes = || {
            (0..values).flat_map(|code| (0..if code % 2 == 0 { K as Code + 1 } else { 1 }).map(move |_| code))
        };
        let (shown, stands_for): (Vec<Code>, Vec<Vec<Range<Code>>>) = match shows {
            ShownAs::FrequentValues => (
                codes().map(|code| if code % 2 == 0 { code + 1 } else { 0 }).collect(),
                std::iter::once(vec![0..values])
                    .chain((0..values).map(|code| vec![code..code + 1]))
                    .collect(),
            ),
            // Each interval overlaps the one before it and the one after it.
            ShownAs::Overlapping(width) => (
                codes()
                    .enumerate()
                    .map(|(row, code)| (code / width).saturating_sub((row % 2) as Code))
                    .collect(),
                (0..values.div_ceil(width))
                    .map(|part| vec![part * width..values.min((part + 2) * width)])
                    .collect(),
            ),
        };
        let persons = codes().enumerate().map(|(row, _)| row as Code / 2).collect::<Vec<_>>();
        let count = persons.len() / 2 + 1;
        let sensitive =
            codes().enumerate().map(|(row, code)| if code % 4 == 0 { 0 } else { row as Code % 2 });
        Column {
            codes: codes().collect::<Vec<_>>().into(),
            persons: (persons.into(), count),
            sensitive: sensitive.collect::<Vec<_>>().into(),
            shown: shown.into(),
            as_number: (0..stands_for.len() as u32).collect(),
            stands_for,
            hierarchy,
        }
    }

    fn counts(&self, of_persons: bool) -> Result<CountedNodes<'_>, Error> {
        let persons =
            of_persons.then_some(CodedColumn { codes: &self.persons.0, cardinality: self.persons.1 });
        let least = [RequiredSize { k: if of_persons { 2 } else { K }, persons }];
        let mut holders = HolderCounter::new(&self.codes, self.hierarchy.codes(), None, &least)?;
        CountedNodes::count_below(&self.hierarchy, TOP, |_| false, None, &mut holders)
    }

    /// Returns the number of counts that keep a model of the sensitive values.
    fn diverse(&self, diversity: Diversity) -> Result<usize, Error> {
        let model = PrivacyModel::l_diversity(vec![0], 0, diversity);
        let sensitive = CodedColumn { codes: &self.sensitive, cardinality: 2 };
        let model = CodeModel::new(model, &self.codes, None, sensitive, None)?;
        let least = [RequiredSize { k: K, persons: None }];
        let mut holders = HolderCounter::new(&self.codes, self.hierarchy.codes(), None, &least)?;
        let mut counts = CountedNodes::count_below(&self.hierarchy, TOP, |_| false, None, &mut holders)?;
        counts.merge_until_models_hold(&[model], &mut holders)?;
        Ok(counts.counts.len())
    }

    fn hidden(&self) -> Result<usize, Error> {
        let least = [RequiredSize { k: K, persons: None }];
        let mut holders = HolderCounter::new(&self.codes, self.hierarchy.codes(), None, &least)?;
        let mut counts = CountedNodes::count_below(&self.hierarchy, TOP, |_| false, None, &mut holders)?;
        check_memory::<Vec<Range<Code>>>(self.stands_for.len())?;
        let numbers = self.as_number.len();
        let shown = Released { codes: &self.shown, number_of_code: &self.as_number, number_count: numbers };
        counts.merge_until_safe(shown, &self.stands_for, &self.codes, None, &mut holders)?;
        Ok(counts.counts.len())
    }
}

#[derive(Clone, Copy)]
enum ShownAs {
    /// Frequent values as they are, all others as any value.
    FrequentValues,
    /// Overlapping intervals of twice this number of values.
    Overlapping(Code),
}

pub fn cases(many: usize) -> Vec<Case> {
    let values = many / 6;
    let taxonomy = |edges| {
        let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
        Hierarchy::by_taxonomy(&tree, false).unwrap()
    };
    let positions = (0..values).map(|i| i as f64).collect();
    let domain = Domain { positions, lower: None, upper: None, points: None, is_discrete: true };
    let hierarchies = [
        ("suppression with NULL", Hierarchy::by_suppression(values, true).unwrap()),
        ("intervals", Hierarchy::by_intervals(domain, false)),
        ("a flat tree", taxonomy(edges(values, values / 3))),
        ("a wide tree", taxonomy(edges(values, 1))),
        ("a tree with a leaf on each level", taxonomy(caterpillar(values))),
    ];
    let mut cases = Vec::new();
    for (name, hierarchy) in hierarchies {
        let frequent = Rc::new(Column::new(hierarchy.clone(), ShownAs::FrequentValues));
        let overlapping = Rc::new(Column::new(hierarchy, ShownAs::Overlapping(8)));
        let [rows, persons, distinct, entropy] = [(); 4].map(|()| frequent.clone());
        let mut case = |what: &str, run: Box<dyn Fn() -> Result<usize, Error>>| {
            let name: &'static str = format!("{what} of {name}").leak();
            cases.push(Case::new(name, 2 * SWEEP, run));
        };
        case("counts", Box::new(move || Ok(rows.counts(false)?.counts.len())));
        case("counts of persons", Box::new(move || Ok(persons.counts(true)?.counts.len())));
        let diverse = move || distinct.diverse(Diversity::Distinct { l: 2.0 });
        case("counts that keep l-diversity", Box::new(diverse));
        let diverse = move || entropy.diverse(Diversity::Entropy { l: 1.7 });
        case("counts that keep entropy l-diversity", Box::new(diverse));
        case("counts that hide few rows of suppressed values", Box::new(move || frequent.hidden()));
        case("counts that hide few rows of intervals", Box::new(move || overlapping.hidden()));
    }
    cases
}
