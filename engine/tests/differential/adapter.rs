//! Converts a reference [`Case`] to a problem of the engine, and the engine's nodes back to those of the reference.

use crate::reference::{
    Attribute, Branch, Case, Distance, Diversity, Masking, Model, Node, Refinement, Row, Score, Split,
    Taxonomy, Value,
};
use crate::tape::on_tape;
use topdown::measure::count_value_holders;
use topdown::privacy::{self, PrivacyModel};
use topdown::refine::interval::Domain;
use topdown::refine::{Hierarchy, Meaning, NodeId};
use topdown::table::{Codes, Store};
use topdown::taxonomy::Taxonomy as EngineTaxonomy;
use topdown::{
    explain, replay, search, Code, CodedColumn, Error, Explained, Origin, Outcome, Population, Problem,
    Recoding, Recorded, Replayed,
};

/// A case in codes.
pub struct Coded<'c> {
    pub(super) case: &'c Case,
    pub(super) columns: Vec<Column>,
    /// Codes and cardinality of each sensitive column, and of the class.
    pub(super) sensitive: Vec<(Store, usize)>,
    pub(super) persons: Vec<(Store, usize)>,
    /// Each distinct population of the models, with a column for each attribute.
    pub(super) populations: Vec<Vec<Store>>,
    pub(super) class: Option<(Store, usize)>,
    /// Number of rows of each record; None if each is one row.
    pub(super) weights: Option<Codes>,
    /// Record of each row of the case.
    pub ids: Vec<u32>,
}

pub(super) struct Column {
    pub(super) codes: Store,
    /// Value of each code; NULL is the last.
    values: Vec<Value>,
    pub(super) hierarchy: Hierarchy,
    /// Number in the reference of each taxonomy node of the engine.
    taxonomy: Vec<usize>,
}

impl<'c> Coded<'c> {
    pub fn new(case: &'c Case) -> Coded<'c> {
        let coded = |of: &dyn Fn(&Row) -> Option<u32>| {
            let mut values: Vec<Option<u32>> = case.rows.iter().map(of).collect();
            let key = |value: &Option<u32>| (value.is_none(), *value);
            values.sort_by_key(key);
            values.dedup();
            let code = |row: &Row| values.binary_search_by_key(&key(&of(row)), key).unwrap() as Code;
            (stored(case, case.rows.iter().map(code).collect()), values.len())
        };
        let sensitive = (0..case.rows[0].sensitive.len()).map(|s| coded(&|row| row.sensitive[s])).collect();
        let columns: Vec<Column> =
            (0..case.attributes.len()).map(|attribute| Column::new(case, attribute)).collect();
        let populations = populations(case).into_iter().map(|population| {
            let codes = |attribute: usize| -> Codes {
                let from = population.iter().map(|from| from[attribute] % case.rows.len());
                from.map(|row| code(&columns[attribute].codes, row)).collect()
            };
            (0..columns.len()).map(|attribute| Store::Memory(codes(attribute))).collect()
        });
        let populations = populations.collect();
        Coded {
            case,
            columns,
            populations,
            sensitive,
            persons: (0..case.rows[0].persons.len()).map(|p| coded(&|row| row.persons[p])).collect(),
            class: case.has_class.then(|| coded(&|row| row.class)),
            weights: None,
            ids: (0..case.rows.len() as u32).collect(),
        }
    }

    pub fn search(&self, max_steps: Option<usize>) -> Result<Outcome, Error> {
        search(self.problem(max_steps))
    }

    /// Replays a trace with the engine. `max_steps` is 0, so the engine must not search.
    pub fn replay(&self, trace: &[Refinement]) -> Result<Replayed, Error> {
        let recorded: Vec<Recorded> =
            trace.iter().map(|refinement| self.to_recorded(refinement, trace)).collect();
        replay(self.problem(Some(0)), &recorded)
    }

    pub fn explain(&self, trace: &[Refinement]) -> Result<(Replayed, Vec<Explained>), Error> {
        let recorded: Vec<Recorded> =
            trace.iter().map(|refinement| self.to_recorded(refinement, trace)).collect();
        explain(self.problem(None), &recorded)
    }

    /// Returns the children of a node after a refinement of the engine.
    pub fn children(
        &self,
        outcome: &Outcome,
        attribute: usize,
        node: NodeId,
        how: &topdown::Refinement,
    ) -> Vec<Node> {
        let Column { values, .. } = &self.columns[attribute];
        let refined = outcome.hierarchies[attribute].node(node);
        match (how, self.node(outcome, attribute, node)) {
            (topdown::Refinement::Specialize, _) => {
                refined.children.iter().map(|&child| self.node(outcome, attribute, child)).collect()
            }
            (topdown::Refinement::SplitOff { children }, whole) => {
                let off = children.iter().map(|&child| self.node(outcome, attribute, child));
                off.chain([whole]).collect()
            }
            (topdown::Refinement::Split { at, .. }, Node::Interval { from, to }) => {
                let Value::Number(at) = values[*at as usize] else { panic!("a split at no number") };
                vec![Node::Interval { from, to: Some(at) }, Node::Interval { from: Some(at), to }]
            }
            (topdown::Refinement::Disclose { codes }, _) => match values[codes[0] as usize] {
                Value::Code(code) => vec![Node::Value(code), Node::Star],
                _ => vec![Node::Null, Node::Star],
            },
            other => panic!("{other:?}"),
        }
    }

    pub fn value(&self, attribute: usize, code: Code) -> Value {
        self.columns[attribute].values[code as usize]
    }

    /// Converts a refinement of the trace for the engine. A missing node or value gets a number that none has.
    pub fn to_recorded(&self, refinement: &Refinement, trace: &[Refinement]) -> Recorded {
        let Refinement { attribute, node, children } = refinement;
        let Column { values, hierarchy, .. } = &self.columns[*attribute];
        let how = match (hierarchy.is_suppression(), children[0]) {
            (true, disclosed) => {
                let is = |value: &Value| match disclosed {
                    Node::Value(code) => *value == Value::Code(code),
                    _ => *value == Value::Null,
                };
                topdown::Refinement::disclose(
                    values.iter().position(is).map_or(Code::MAX, |code| code as Code),
                )
            }
            (_, Node::Interval { to: Some(at), .. }) => topdown::Refinement::split(self.rank(*attribute, at)),
            _ => topdown::Refinement::Specialize,
        };
        Recorded { attribute: *attribute, origin: self.origin(*attribute, node, trace), refinement: how }
    }

    /// Converts a node for the engine: a node of the initial hierarchy, or a half that the trace has made.
    pub fn origin(&self, attribute: usize, node: &Node, trace: &[Refinement]) -> Origin {
        let child =
            |r: &Refinement| r.children.iter().position(|c| c == node).filter(|_| r.attribute == attribute);
        let made = || {
            let step = trace.iter().position(|r| child(r).is_some())?;
            Some(Origin::Half { trace_index: step, half: child(&trace[step])? })
        };
        let from_the_start = self.initial_node(attribute, node).map(Origin::Node);
        from_the_start.or_else(made).unwrap_or(Origin::Node(NodeId::MAX))
    }

    /// Finds a node of the reference in the initial hierarchy.
    pub fn initial_node(&self, attribute: usize, node: &Node) -> Option<NodeId> {
        let hierarchy = &self.columns[attribute].hierarchy;
        let nodes = 0..hierarchy.nodes().len() as NodeId;
        nodes.into_iter().find(|&id| self.to_reference_node(hierarchy, attribute, id) == *node)
    }

    pub fn problem(&self, max_steps: Option<usize>) -> Problem<'_> {
        let attribute = |(column, attribute): (_, &Attribute)| {
            let Column { codes, hierarchy, .. }: &Column = column;
            topdown::Attribute {
                codes,
                hierarchy: hierarchy.clone(),
                weight: attribute.weight,
                shown: attribute.shown,
            }
        };
        let class = self.class.as_ref();
        Problem {
            records: self.records(),
            weights: self.weights.as_ref(),
            attributes: self.columns.iter().zip(&self.case.attributes).map(attribute).collect(),
            sensitive: self
                .sensitive
                .iter()
                .map(|(codes, cardinality)| CodedColumn { codes, cardinality: *cardinality })
                .collect(),
            persons: self
                .persons
                .iter()
                .map(|(codes, cardinality)| CodedColumn { codes, cardinality: *cardinality })
                .collect(),
            populations: (self.populations.iter())
                .map(|columns| Population {
                    records: columns[0].len(),
                    weights: None,
                    columns: columns.iter().map(Some).collect(),
                })
                .collect(),
            class: class.map(|(codes, cardinality)| CodedColumn { codes, cardinality: *cardinality }),
            models: self.case.models.iter().map(|model| self.model(model)).collect(),
            score: match self.case.score {
                Score::Tds => topdown::utility::Score::Tds,
                Score::Tdr => topdown::utility::Score::Tdr,
                Score::InfoGain => topdown::utility::Score::InfoGain,
                Score::Conditional => topdown::utility::Score::Conditional,
            },
            split: match self.case.split {
                Split::Optimal => topdown::refine::interval::SplitRule::Optimal,
                Split::Valid => topdown::refine::interval::SplitRule::Valid,
                Split::Median => topdown::refine::interval::SplitRule::Median,
            },
            recoding: Recoding::Global,
            withhold: self.case.withhold.map(|most| most as u64),
            min_size_factor: 1,
            max_steps,
        }
    }

    pub fn records(&self) -> usize {
        self.weights.as_ref().map_or(self.ids.len(), Codes::len)
    }

    /// Converts a model for the engine. The engine must not depend on the order of its columns, so they are reversed.
    pub fn model(&self, model: &Model) -> PrivacyModel {
        let columns = model.attributes().iter().rev().copied().collect();
        let (model, person) = match model {
            Model::KAnonymity { person, .. } => (model, *person),
            Model::SharesOfPersons { model, person } => (&**model, Some(*person)),
            _ => (model, None),
        };
        // The rows or persons of the table, and those that hold each value.
        let whole = |sensitive: usize| {
            let Some(person) = person else {
                let counts = self.sensitive_counts(sensitive);
                return (counts.iter().sum(), counts);
            };
            let columns = [&self.sensitive[sensitive], &self.persons[person]];
            let [values, persons] =
                columns.map(|(codes, cardinality)| CodedColumn { codes, cardinality: *cardinality });
            count_value_holders(values, persons).unwrap()
        };
        let engine = match model {
            Model::KAnonymity { k, .. } => PrivacyModel::k_anonymity(columns, *k as u64),
            Model::KMap { k, population, .. } => {
                let place = populations(self.case).iter().position(|other| *other == population);
                PrivacyModel::k_map(columns, *k as u64, place.unwrap())
            }
            Model::ConfidenceBound { sensitive, values, max_confidence, .. } => {
                let all = self.case.sensitive_values(*sensitive);
                let code = |value| all.iter().position(|other| other == value).map(|code| code as Code);
                let values = values.iter().map(code).collect();
                PrivacyModel::confidence_bound(columns, *sensitive, values, *max_confidence)
            }
            Model::LDiversity { sensitive, kind, .. } => {
                PrivacyModel::l_diversity(columns, *sensitive, diversity(kind))
            }
            Model::TCloseness { sensitive, t, distance, .. } => {
                let (_, counts) = whole(*sensitive);
                let distance = engine_distance(distance);
                PrivacyModel::t_closeness(columns, *sensitive, *t, distance, &counts).unwrap()
            }
            Model::BetaLikeness { sensitive, beta, .. } => {
                let (all, counts) = whole(*sensitive);
                PrivacyModel::beta_likeness(columns, *sensitive, *beta, all, &counts).unwrap()
            }
            Model::BoundedKnowledge { model, known } => {
                return self.model(model).with_bounded_knowledge(*known)
            }
            Model::SharesOfPersons { .. } => panic!("{model:?} of persons"),
        };
        engine.counting_persons(person)
    }

    /// Counts the rows of the table by sensitive value.
    fn sensitive_counts(&self, sensitive: usize) -> Vec<u64> {
        let (codes, cardinality) = &self.sensitive[sensitive];
        let mut counts = vec![0; *cardinality];
        self.ids.iter().for_each(|&record| counts[code(codes, record as usize) as usize] += 1);
        counts
    }

    pub fn code(&self, attribute: usize, row: usize) -> Code {
        code(&self.columns[attribute].codes, row)
    }

    pub fn is_suppression(&self, attribute: usize) -> bool {
        self.columns[attribute].hierarchy.is_suppression()
    }

    /// Counts the values below a number in a column of intervals.
    pub fn rank(&self, attribute: usize, at: f64) -> Code {
        let below = |value: &&Value| matches!(value, Value::Number(number) if *number < at);
        self.columns[attribute].values.iter().filter(below).count() as Code
    }

    pub fn stores(&self) -> Vec<&Store> {
        self.columns.iter().map(|column| &column.codes).collect()
    }

    /// Converts a node of an outcome to one of the reference.
    pub fn node(&self, outcome: &Outcome, attribute: usize, node: NodeId) -> Node {
        self.to_reference_node(&outcome.hierarchies[attribute], attribute, node)
    }

    /// Converts a node of a column's hierarchy to one of the reference.
    pub fn to_reference_node(&self, hierarchy: &Hierarchy, attribute: usize, node: NodeId) -> Node {
        let Column { values, taxonomy, .. } = &self.columns[attribute];
        let node = hierarchy.node(node);
        let (start, end) = (node.codes.start as usize, node.codes.end as usize);
        let number = |at: usize| match values.get(at) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        };
        match node.meaning {
            Meaning::Any => Node::Star,
            Meaning::Null => Node::Null,
            Meaning::Taxonomy(id) => Node::Taxonomy(taxonomy[id]),
            Meaning::Interval => {
                Node::Interval { from: (start > 0).then(|| number(start)).flatten(), to: number(end) }
            }
            Meaning::Value => match values[start] {
                Value::Code(code) => Node::Value(code),
                other => panic!("{other:?} disclosed"),
            },
        }
    }

    /// Returns the point at which the engine splits an interval.
    pub fn split_point(&self, outcome: &Outcome, attribute: usize, node: &Node) -> Option<f64> {
        let nodes = outcome.hierarchies[attribute].nodes();
        let is = |id: &NodeId| self.node(outcome, attribute, *id) == *node;
        let found = (0..nodes.len() as NodeId).find(is)?;
        match self.node(outcome, attribute, *nodes[found as usize].children.first()?) {
            Node::Interval { to, .. } => to,
            other => panic!("{other:?} in an interval"),
        }
    }
}

impl Column {
    fn new(case: &Case, attribute: usize) -> Column {
        let nulls = case.has_nulls(attribute);
        let mut taxonomy = Vec::new();
        let (mut values, hierarchy) = match &case.attributes[attribute].masking {
            Masking::Taxonomy(tree) => {
                // Every second taxonomy is built by rule, from the path to each leaf.
                let engine =
                    if attribute.is_multiple_of(2) { engine_taxonomy(tree) } else { ruled_taxonomy(tree) };
                taxonomy = engine.labels().map(|label| tree.node(label)).collect();
                let leaves =
                    engine.nodes().iter().zip(&taxonomy).filter(|(node, _)| node.children.is_empty());
                let values = leaves.map(|(_, number)| Value::Leaf(*number)).collect();
                let Attribute { coarsest, finest, .. } = case.attributes[attribute];
                let whole = Hierarchy::by_taxonomy(&engine, nulls).unwrap();
                (values, whole.with_depth_limits(coarsest, finest).unwrap())
            }
            Masking::Interval { lower, upper, points, whole } => {
                let values = present(case, attribute);
                let number = |value: &Value| match value {
                    Value::Number(number) => *number,
                    other => panic!("{other:?} in an interval"),
                };
                let positions: Vec<f64> = values.iter().map(number).collect();
                let may_split = |at: usize, points: &[f64]| {
                    let is_between = |p: &f64| positions[at - 1] < *p && *p <= positions[at];
                    points.iter().any(is_between)
                };
                let points = points
                    .as_ref()
                    .map(|points| (0..positions.len()).map(|at| at > 0 && may_split(at, points)).collect());
                let domain = Domain { positions, lower: *lower, upper: *upper, points, is_discrete: *whole };
                (values, Hierarchy::by_intervals(domain, nulls))
            }
            Masking::Suppression { .. } => {
                let values = present(case, attribute);
                let codes = values.len() + usize::from(nulls);
                (values, Hierarchy::by_suppression(codes, nulls).unwrap())
            }
        };
        if nulls {
            values.push(Value::Null);
        }
        let code = |row: &Row| values.iter().position(|value| *value == row.values[attribute]).unwrap();
        let mut codes: Codes = case.rows.iter().map(|row| code(row) as Code).collect();
        // Tries all widths of codes, as columns of many values have them.
        (0..attribute % 3).for_each(|_| codes.widen());
        Column { codes: stored(case, codes), values, hierarchy, taxonomy }
    }
}

fn diversity(kind: &Diversity) -> privacy::Diversity {
    match *kind {
        Diversity::Distinct { l } => privacy::Diversity::Distinct { l },
        Diversity::Entropy { l } => privacy::Diversity::Entropy { l },
        Diversity::Recursive { l, c } => privacy::Diversity::Recursive { l, c },
    }
}

fn engine_distance(distance: &Distance) -> privacy::Distance {
    match distance {
        Distance::Equal => privacy::Distance::Equal,
        Distance::Ordered => privacy::Distance::Ordered,
    }
}

fn code(column: &Store, row: usize) -> Code {
    column.fetch(row..row + 1, &mut Vec::new()).unwrap()[0]
}

/// Stores a column in memory if the number of rows is divisible by three, otherwise on a tape in short runs.
pub(super) fn stored(case: &Case, codes: Codes) -> Store {
    let column = Store::Memory(codes);
    match case.rows.len() % 3 {
        0 => column,
        rest => on_tape(&column, 3 * rest + 2),
    }
}

fn populations(case: &Case) -> Vec<&Vec<Vec<usize>>> {
    let mut all: Vec<&Vec<Vec<usize>>> = Vec::new();
    for model in &case.models {
        if let Model::KMap { population, .. } = model {
            if !all.contains(&population) {
                all.push(population);
            }
        }
    }
    all
}

/// Returns the distinct values of an attribute in order, without NULL.
fn present(case: &Case, attribute: usize) -> Vec<Value> {
    let mut values: Vec<Value> =
        case.rows.iter().map(|row| row.values[attribute]).filter(|value| *value != Value::Null).collect();
    values.sort_by(|a, b| match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
        (Value::Code(a), Value::Code(b)) => a.cmp(b),
        other => panic!("{other:?} have no order"),
    });
    values.dedup();
    values
}

/// Builds the engine's taxonomy from edges whose order is neither the tree's nor that of the labels.
fn engine_taxonomy(tree: &Taxonomy) -> EngineTaxonomy {
    let label = |node: usize| tree.nodes[node].label.as_str();
    let edges = tree.nodes.iter().rev().map(|node| (&node.label, node.parent.map(label))).collect();
    EngineTaxonomy::from_edges(&edges).unwrap().expect("a tree")
}

/// Builds the engine's taxonomy by rule, from the leaves in order.
fn ruled_taxonomy(tree: &Taxonomy) -> EngineTaxonomy {
    let sorted = Taxonomy::grow(&branch(tree, 0));
    let way = |leaf: usize| {
        let mut way: Vec<&str> = std::iter::successors(Some(leaf), |node| sorted.nodes[*node].parent)
            .map(|node| sorted.nodes[node].label.as_str())
            .collect();
        way.reverse();
        way
    };
    let ways: Vec<Vec<&str>> = sorted.leaves().into_iter().map(way).collect();
    let label = |leaf: usize, level: usize| ways[leaf].get(level).map(|label| label.to_string());
    let (engine, codes) = EngineTaxonomy::by_rule(ways[0][0], ways.len(), label).unwrap();
    assert!(codes.into_iter().eq(0..ways.len() as Code), "leaves from the left");
    engine
}

/// Sorts the siblings of a case's taxonomies by label, as the engine does. Order breaks ties, so both sides must have
/// the same.
pub fn by_label(mut case: Case) -> Case {
    for (at, Attribute { masking, .. }) in case.attributes.iter_mut().enumerate() {
        let Masking::Taxonomy(tree) = masking else { continue };
        let sorted = Taxonomy::grow(&branch(tree, 0));
        for value in case.rows.iter_mut().map(|row| &mut row.values[at]) {
            if let Value::Leaf(leaf) = value {
                *leaf = sorted.node(&tree.nodes[*leaf].label);
            }
        }
        *tree = sorted;
    }
    case
}

fn branch(tree: &Taxonomy, node: usize) -> Branch {
    let mut children: Vec<Branch> =
        tree.nodes[node].children.iter().map(|child| branch(tree, *child)).collect();
    children.sort_by(|a, b| a.label.cmp(&b.label));
    Branch { label: tree.nodes[node].label.clone(), children }
}
