//! Whole searches and replays, each over many rows, values or nodes.

use super::tables::distinct;
use super::{Case, SWEEP};
use topdown::privacy::{Distance, Diversity, PrivacyModel};
use topdown::progress::check_memory;
use topdown::refine::interval::Domain;
use topdown::refine::interval::SplitRule;
use topdown::refine::{Hierarchy, Node, NodeId, TOP};
use topdown::table::Store;
use topdown::taxonomy::Taxonomy;
use topdown::utility::Score;
use topdown::{
    explain, replay, search, Attribute, Code, CodedColumn, Error, Explained, Origin, Outcome, Problem,
    Recoding, Recorded, Refinement, Replayed,
};

/// A table of one masked column, perhaps with another one beside it, and the parameters of a search over it.
struct Table {
    hierarchy: Hierarchy,
    codes: Store,
    beside: Option<(Hierarchy, Store)>,
    class: Store,
    classes: usize,
    models: Models,
    score: Score,
    split: SplitRule,
    withhold: Option<u64>,
    steps: usize,
}

type Models = fn(usize) -> Result<Vec<PrivacyModel>, Error>;

impl Table {
    fn search(&self) -> Result<Outcome, Error> {
        search(self.problem()?)
    }

    fn replay(&self, trace: &[Recorded]) -> Result<Replayed, Error> {
        replay(self.problem()?, trace)
    }

    fn explain(&self, trace: &[Recorded]) -> Result<(Replayed, Vec<Explained>), Error> {
        explain(self.problem()?, trace)
    }

    fn locally(&self) -> Result<Problem<'_>, Error> {
        Ok(Problem { recoding: Recoding::Local, ..self.problem()? })
    }

    fn problem(&self) -> Result<Problem<'_>, Error> {
        let many = self.codes.len();
        // The caller asks for the memory of a search's input.
        check_memory::<(Node, NodeId)>(self.hierarchy.nodes().len())?;
        check_memory::<f64>(self.hierarchy.domain().map_or(0, |domain| domain.positions.len()))?;
        let one = (&self.hierarchy, &self.codes);
        let columns =
            std::iter::once(one).chain(self.beside.iter().map(|(hierarchy, codes)| (hierarchy, codes)));
        let attribute = |(hierarchy, codes): (&Hierarchy, _)| Attribute {
            codes,
            hierarchy: hierarchy.clone(),
            weight: 1.0,
            shown: false,
        };
        Ok(Problem {
            records: many,
            weights: None,
            attributes: columns.map(attribute).collect(),
            sensitive: vec![
                CodedColumn { codes: &self.codes, cardinality: many },
                CodedColumn { codes: &self.class, cardinality: self.classes },
            ],
            persons: vec![CodedColumn { codes: &self.codes, cardinality: many }],
            populations: Vec::new(),
            class: (self.classes > 1)
                .then_some(CodedColumn { codes: &self.class, cardinality: self.classes }),
            models: (self.models)(many)?,
            score: self.score,
            split: self.split,
            recoding: Recoding::Global,
            withhold: self.withhold,
            min_size_factor: 1,
            max_steps: Some(self.steps),
        })
    }
}

fn anonymous(_: usize) -> Result<Vec<PrivacyModel>, Error> {
    Ok(vec![PrivacyModel::k_anonymity(vec![0], 1)])
}

fn k_persons(_: usize) -> Result<Vec<PrivacyModel>, Error> {
    Ok(vec![PrivacyModel::k_anonymity(vec![0], 1).counting_persons(0)])
}

fn k_persons_of_two_columns(_: usize) -> Result<Vec<PrivacyModel>, Error> {
    Ok(vec![PrivacyModel::k_anonymity(vec![0, 1], 1).counting_persons(0)])
}

fn diverse(_: usize) -> Result<Vec<PrivacyModel>, Error> {
    Ok(vec![PrivacyModel::l_diversity(vec![0], 1, Diversity::Distinct { l: 1.0 })])
}

pub fn cases(many: usize) -> Vec<Case> {
    let interval = |many: usize| {
        let positions = (0..many).map(|i| i as f64).collect();
        Hierarchy::by_intervals(
            Domain { positions, lower: None, upper: None, points: None, is_discrete: false },
            false,
        )
    };
    let intervals = || interval(many);
    let values = |values| Hierarchy::by_suppression(values, false).unwrap();
    let tree = |inner| {
        let edges = super::trees::edges(many, inner);
        let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
        Hierarchy::by_taxonomy(&tree, false).unwrap()
    };
    let table = |hierarchy, classes, models: Models, steps| {
        let codes = distinct(many);
        let class = codes.iter().map(|&code| code / 5 % classes as Code).collect();
        let (codes, score, split) = (codes.into(), Score::Tdr, SplitRule::Optimal);
        Table { hierarchy, codes, beside: None, class, classes, models, score, split, withhold: None, steps }
    };
    let case = |name, least, hierarchy, classes, models: Models, steps| {
        let table = table(hierarchy, classes, models, steps);
        Case::new(name, least, move || table.search())
    };
    let beside = |name, least, hierarchy, models: Models| {
        let codes = distinct(many).iter().map(|&code| code % 2).collect::<Vec<Code>>();
        let beside = Some((hierarchy, codes.into()));
        let table = Table { beside, ..table(values(many), 1, models, many) };
        Case::new(name, least, move || table.search())
    };
    let conditional = |name, least, hierarchy, classes| {
        let table = Table { score: Score::Conditional, ..table(hierarchy, classes, anonymous, 2) };
        Case::new(name, least, move || table.search())
    };
    let valid = |name, least, score, models: Models| {
        let table = Table { score, split: SplitRule::Valid, ..table(intervals(), 2, models, 3) };
        Case::new(name, least, move || table.search())
    };
    let withheld = |name, least, hierarchy, score, split| {
        let withhold = Some(many as u64 / 10);
        let table = Table { score, split, withhold, ..table(hierarchy, 2, in_pairs, 3) };
        Case::new(name, least, move || table.search())
    };
    let withheld_again = |name, least, hierarchy, trace: &[Recorded]| {
        let table = Table { withhold: Some(many as u64 / 10), ..table(hierarchy, 2, in_pairs, 0) };
        let trace = trace.to_vec();
        Case::new(name, least, move || table.replay(&trace))
    };
    let again = |name, least, hierarchy, classes, models: Models, trace: &[Recorded]| {
        let (table, trace) = (table(hierarchy, classes, models, 0), trace.to_vec());
        Case::new(name, least, move || table.replay(&trace))
    };
    let why = |name, least, hierarchy, split, models: Models, trace: &[Recorded]| {
        let (table, trace) = (Table { split, ..table(hierarchy, 2, models, 0) }, trace.to_vec());
        Case::new(name, least, move || table.explain(&trace))
    };
    let local = |name, least, hierarchy, classes, models: Models, steps| {
        let table = table(hierarchy, classes, models, steps);
        Case::new(name, least, move || search(table.locally()?))
    };
    let locally = |name, least, hierarchy, models: Models, trace: &[Recorded]| {
        let (table, trace) = (table(hierarchy, 2, models, 0), trace.to_vec());
        Case::new(name, least, move || replay(table.locally()?, &trace))
    };
    let why_locally = |name, least, hierarchy, classes, models: Models, trace: &[Recorded]| {
        let (table, trace) = (table(hierarchy, classes, models, 0), trace.to_vec());
        Case::new(name, least, move || explain(table.locally()?, &trace))
    };
    let recorded = |origin, refinement| Recorded { attribute: 0, origin, refinement };
    let of_root = |refinement| recorded(Origin::Group(vec![Origin::Node(TOP)]), refinement);
    let half = |step, half| Origin::Half { trace_index: step, half };
    let split = |at: usize| Refinement::split(at as Code);
    let halved =
        [of_root(split(many / 2)), recorded(half(0, 1), split(many)), recorded(half(0, 0), split(many / 4))];
    let all_disclosed = [of_root(Refinement::Disclose { codes: (0..many as Code).rev().collect() })];
    let top = |refinement| recorded(Origin::Node(TOP), refinement);
    let halves =
        [top(split(many / 2)), recorded(half(0, 1), split(many)), recorded(half(0, 0), split(many / 4))];
    let specialized = [top(Refinement::Specialize), recorded(Origin::Node(1), Refinement::Specialize)];
    let disclosed = [1, 3].map(|code| top(Refinement::disclose(code)));
    let each_disclosed: Vec<Recorded> =
        (0..many as Code).map(|code| top(Refinement::disclose(code))).collect();
    let (mut all, mut open) = (Vec::new(), vec![(Origin::Node(TOP), 0..many)]);
    while let Some((place, codes)) = open.pop() {
        let (step, at) = (all.len(), (codes.start + codes.end) / 2);
        all.push(recorded(place, split(at)));
        let halves = [(half(step, 1), at..codes.end), (half(step, 0), codes.start..at)];
        open.extend(halves.into_iter().filter(|(_, codes)| codes.len() > 1));
    }
    let same = vec![halves[0].clone(); many];
    vec![
        case("intervals for use", 10 * SWEEP, intervals(), 1, anonymous, 3),
        case("intervals for a class", 15 * SWEEP, intervals(), 2, anonymous, 3),
        case("intervals for many classes", 15 * SWEEP, intervals(), many, anonymous, 2),
        case("a wide taxonomy", 8 * SWEEP, tree(1), 2, anonymous, 2),
        case("a taxonomy of many inner nodes", 8 * SWEEP, tree(many / 3), 2, anonymous, 2),
        case("all nodes of a taxonomy", 8 * SWEEP, tree(many / 3), 1, anonymous, many),
        case("all nodes of a taxonomy for a class", 8 * SWEEP, tree(many / 3), 2, anonymous, many),
        case("all splits", 80 * SWEEP, intervals(), 1, anonymous, many),
        case("disclosures of many values", 12 * SWEEP, values(many), 2, anonymous, 2),
        case("disclosures of many kinds", 12 * SWEEP, values(many), many, anonymous, 3),
        case("disclosures for use", 12 * SWEEP, values(many), 1, anonymous, 2),
        conditional("conditional splits for many classes", 15 * SWEEP, intervals(), many),
        conditional("a conditional wide taxonomy", 8 * SWEEP, tree(1), 2),
        conditional("conditional disclosures of many values", 12 * SWEEP, values(many), 2),
        valid("valid splits", 15 * SWEEP, Score::Tdr, anonymous),
        valid("conditional valid splits", 15 * SWEEP, Score::Conditional, anonymous),
        withheld("withheld splits", 15 * SWEEP, intervals(), Score::Tdr, SplitRule::Optimal),
        withheld("withheld valid splits", 15 * SWEEP, intervals(), Score::Conditional, SplitRule::Valid),
        withheld("a wide taxonomy with rows withheld", 8 * SWEEP, tree(1), Score::Tdr, SplitRule::Optimal),
        withheld("withheld disclosures", 8 * SWEEP, values(many), Score::Tdr, SplitRule::Optimal),
        withheld_again("a replay that withholds", 10 * SWEEP, intervals(), &halves),
        case("many sensitive values", 25 * SWEEP, intervals(), 2, sensitive, 2),
        case("many persons", 15 * SWEEP, intervals(), 2, k_persons, 3),
        case("disclosures of many values of many persons", 15 * SWEEP, values(many), 2, k_persons, 2),
        case("all disclosures", 12 * SWEEP, values(many), 2, anonymous, many),
        case("all disclosures of persons", 15 * SWEEP, values(many), 2, k_persons, many),
        beside(
            "all disclosures of persons beside two values",
            15 * SWEEP,
            values(2),
            k_persons_of_two_columns,
        ),
        beside(
            "all disclosures of persons beside two numbers",
            15 * SWEEP,
            interval(2),
            k_persons_of_two_columns,
        ),
        case("all disclosures that keep few sensitive values", 15 * SWEEP, values(many), 5, diverse, many),
        case("a bound for every value", 10 * SWEEP, intervals(), 2, bounded, 2),
        again("a replay of splits", 10 * SWEEP, intervals(), 1, anonymous, &halves),
        again("a replay of splits for many classes", 10 * SWEEP, intervals(), many, anonymous, &halves),
        again("a replay of all splits", 80 * SWEEP, intervals(), 2, anonymous, &all),
        again("a replay over a wide taxonomy", 8 * SWEEP, tree(1), 2, anonymous, &specialized),
        again("a replay over many inner nodes", 8 * SWEEP, tree(many / 3), 2, anonymous, &specialized),
        again("a replay of disclosures", 8 * SWEEP, values(many), 2, anonymous, &disclosed),
        again("a replay of all disclosures", 12 * SWEEP, values(many), 2, anonymous, &each_disclosed),
        again(
            "a replay of all disclosures of persons",
            15 * SWEEP,
            values(many),
            2,
            k_persons,
            &each_disclosed,
        ),
        again("a replay with many sensitive values", 15 * SWEEP, intervals(), 2, sensitive, &halves),
        again("a replay of disclosures of many persons", 10 * SWEEP, values(many), 2, k_persons, &disclosed),
        again("a replay with a bound for every value", 10 * SWEEP, intervals(), 2, bounded, &halves),
        why("why splits ended", 15 * SWEEP, intervals(), SplitRule::Optimal, in_pairs, &halves),
        why("why valid splits ended", 15 * SWEEP, intervals(), SplitRule::Valid, in_pairs, &halves),
        why("why a wide taxonomy is its top", 8 * SWEEP, tree(1), SplitRule::Optimal, in_pairs, &[]),
        why(
            "why nodes of a wide taxonomy stay",
            8 * SWEEP,
            tree(many / 3),
            SplitRule::Optimal,
            in_pairs,
            &specialized,
        ),
        why("why many values stay", 12 * SWEEP, values(many), SplitRule::Optimal, in_pairs, &[]),
        why(
            "why many values stay that could be",
            12 * SWEEP,
            values(many),
            SplitRule::Optimal,
            anonymous,
            &disclosed,
        ),
        why(
            "why a bound for every value holds",
            10 * SWEEP,
            intervals(),
            SplitRule::Optimal,
            bounded,
            &halves,
        ),
        local("local splits", 15 * SWEEP, intervals(), 2, anonymous, 3),
        local("local splits for use", 10 * SWEEP, intervals(), 1, anonymous, 3),
        local("local splits for many classes", 15 * SWEEP, intervals(), many, anonymous, 2),
        local("local splits of many persons", 15 * SWEEP, intervals(), 2, k_persons, 2),
        local("local splits in pairs", 80 * SWEEP, intervals(), 1, in_pairs, many),
        local("a wide taxonomy locally", 12 * SWEEP, tree(1), 2, anonymous, 2),
        local("many inner nodes locally", 12 * SWEEP, tree(many / 3), 1, anonymous, many),
        local("local disclosures of many values", 12 * SWEEP, values(many), 2, anonymous, 2),
        local("local disclosures in pairs", 8 * SWEEP, values(many), 2, in_pairs, 2),
        why_locally("why local splits ended", 15 * SWEEP, intervals(), 1, in_pairs, &halved),
        why_locally(
            "why local splits for many classes ended",
            15 * SWEEP,
            intervals(),
            many,
            in_pairs,
            &halved,
        ),
        why_locally("why a wide taxonomy stays locally", 12 * SWEEP, tree(1), 2, in_pairs, &[]),
        why_locally("why many values stay locally", 12 * SWEEP, values(many), 2, in_pairs, &[]),
        why_locally(
            "why many values could leave locally",
            8 * SWEEP,
            values(many),
            2,
            anonymous,
            &all_disclosed,
        ),
        locally("a local replay of splits", 10 * SWEEP, intervals(), anonymous, &halved),
        locally("a local replay with a bound for every value", 10 * SWEEP, intervals(), bounded, &halved),
        locally("a local replay of disclosures", 10 * SWEEP, values(many), anonymous, &all_disclosed),
        locally("a local replay of many persons", 10 * SWEEP, values(many), k_persons, &all_disclosed),
        locally(
            "a local replay of one group again and again",
            10 * SWEEP,
            intervals(),
            anonymous,
            &vec![halved[0].clone(); many],
        ),
        again("a replay that leaves out nearly all", 10 * SWEEP, intervals(), 2, anonymous, &same),
    ]
}

fn in_pairs(_: usize) -> Result<Vec<PrivacyModel>, Error> {
    Ok(vec![PrivacyModel::k_anonymity(vec![0], 2)])
}

fn sensitive(many: usize) -> Result<Vec<PrivacyModel>, Error> {
    check_memory::<u64>(many)?;
    let closeness = PrivacyModel::t_closeness(vec![0], 0, 1.0, Distance::Ordered, &vec![1; many])?;
    Ok(vec![
        PrivacyModel::l_diversity(vec![0], 0, Diversity::Entropy { l: 2.0 }),
        PrivacyModel::l_diversity(vec![0], 0, Diversity::Recursive { l: 2, c: 3.0 }),
        closeness,
    ])
}

fn bounded(many: usize) -> Result<Vec<PrivacyModel>, Error> {
    // The given values, and the ones that occur in a growing vector.
    check_memory::<(Option<Code>, [Code; 2])>(many)?;
    Ok(vec![PrivacyModel::confidence_bound(vec![0], 0, (0..many as Code).map(Some).collect(), 0.9)])
}
