//! Whole searches, each over many of one thing.

use super::tables::distinct;
use super::{Case, SWEEP};
use topdown::privacy::{
    ConfidenceBound, Distance, Diversity, KAnonymity, LDiversity, PrivacyModel, TCloseness,
};
use topdown::refine::interval::Domain;
use topdown::refine::Hierarchy;
use topdown::taxonomy::Taxonomy;
use topdown::utility::Score;
use topdown::{search, Attribute, Class, Code, Error, Outcome, Problem, Progress, Sensitive, Unobserved};

/// A table of one masked column with a code a row, and what is special about a search over it.
struct Table {
    hierarchy: Hierarchy,
    classes: usize,
    models: fn(usize) -> Vec<Box<dyn PrivacyModel>>,
    steps: usize,
}

impl Table {
    fn search(&self, progress: &dyn Progress) -> Result<Outcome, Error> {
        let many = self.hierarchy.codes();
        let codes = distinct(many);
        let class: Vec<Code> = codes.iter().map(|&code| code / 5 % self.classes as Code).collect();
        let problem = Problem {
            rows: many,
            attributes: vec![Attribute { codes: &codes, hierarchy: self.hierarchy.clone() }],
            sensitive: vec![Sensitive { codes: &codes, cardinality: many }],
            class: (self.classes > 1).then_some(Class { codes: &class, cardinality: self.classes }),
            models: (self.models)(many),
            score: Score::Tdr,
            max_steps: Some(self.steps),
        };
        search(problem, progress)
    }
}

fn anonymous(_: usize) -> Vec<Box<dyn PrivacyModel>> {
    vec![Box::new(KAnonymity::new(vec![0], 1))]
}

pub fn cases(many: usize) -> Vec<Case> {
    let intervals = || {
        let positions = (0..many).map(|i| i as f64).collect();
        Hierarchy::by_intervals(Domain { positions, lower: None, upper: None }, false)
    };
    let values = |values| Hierarchy::by_suppression(values, false, &Unobserved).unwrap();
    let tree = |inner| {
        let edges = super::trees::edges(many, inner);
        let tree = Taxonomy::from_edges(&edges, &Unobserved).unwrap().unwrap();
        Hierarchy::by_taxonomy(&tree, false, &Unobserved).unwrap()
    };
    let case = |name, least, hierarchy, classes, models, steps| {
        let table = Table { hierarchy, classes, models, steps };
        Case::new(name, least, move |progress| table.search(progress))
    };
    vec![
        case("intervals for use", 10 * SWEEP, intervals(), 1, anonymous, 3),
        case("intervals for a class", 15 * SWEEP, intervals(), 2, anonymous, 3),
        case("intervals for many classes", 15 * SWEEP, intervals(), many, anonymous, 2),
        case("a wide taxonomy", 8 * SWEEP, tree(1), 2, anonymous, 2),
        case("a taxonomy of many inner nodes", 8 * SWEEP, tree(many / 3), 2, anonymous, 2),
        case("disclosures of many values", 12 * SWEEP, values(many), 2, anonymous, 2),
        case("disclosures for use", 12 * SWEEP, values(many), 1, anonymous, 2),
        case("many sensitive values", 25 * SWEEP, intervals(), 2, sensitive, 2),
        case("a bound for every value", 10 * SWEEP, intervals(), 2, bounded, 2),
    ]
}

fn sensitive(many: usize) -> Vec<Box<dyn PrivacyModel>> {
    let closeness = TCloseness::new(vec![0], 0, 1.0, Distance::Ordered, &vec![1; many], &Unobserved);
    vec![
        Box::new(LDiversity::new(vec![0], 0, Diversity::Entropy { l: 2.0 })),
        Box::new(LDiversity::new(vec![0], 0, Diversity::Recursive { l: 2, c: 3.0 })),
        Box::new(closeness.unwrap()),
    ]
}

fn bounded(many: usize) -> Vec<Box<dyn PrivacyModel>> {
    vec![Box::new(ConfidenceBound::new(vec![0], 0, (0..many as Code).map(Some).collect(), 0.9))]
}
