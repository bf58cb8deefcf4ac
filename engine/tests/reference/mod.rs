//! A naive reference implementation of the top-down search, the oracle of the property tests.
//!
//! Written from the definitions alone (papers TDS, TDR and PDA, docs/reference). It keeps no statistics: every
//! number is recounted from the raw records whenever it is needed, which is very slow and easy to check by eye.
//!
//! * `mod.rs`: the input, a [`Case`]
//! * `state.rs`: a [`State`] (a cut for each attribute), the released values of a record, labels
//! * `measures.rs`: the measures of the privacy models, whether they hold, the rows that are withheld
//! * `gain.rs`: information gain, certainty loss
//! * `search.rs`: [`candidates`], [`best`], [`search`]
//! * `again.rs`: the replay of an earlier search's steps, [`perform_again`]
//! * `local.rs`: the search by local recoding, a group at a time, and its replay
//! * `local_explain.rs`: why a group is not refined on a column
//! * `explain.rs`: why a node is not refined further, [`why`] and [`shortfall`]
//! * `papers.rs`: the papers' tables as cases
//! * `generate.rs`: random small cases for proptest
//!
//! To replay another implementation's trace, start from [`State::initial`]. For each step take [`candidates`], find
//! the performed one with [`find`] or [`find_disclosure`] (or evaluate a given interval split with [`split_at`]),
//! compare, and go on with [`State::perform`].
//!
//! Numerical conventions, where the definitions leave room:
//! * gains and privacy losses within [`NOISE`] of 0 are 0 ("IG where loss = 0" has no meaning otherwise);
//! * scores tie within [`TIE`], relative to the best; splits of one interval tie within [`TIE`], absolute;
//! * confidence, entropy, t and beta are compared with [`TOLERANCE`]; sizes, counts and recursive ratios exactly.

#![allow(dead_code)] // each test binary uses a part of it

pub mod again;
pub mod explain;
pub mod gain;
pub mod generate;
pub mod local;
pub mod local_explain;
pub mod measures;
pub mod papers;
pub mod search;
pub mod state;

#[allow(unused_imports)]
pub use self::{
    again::{final_state_without_models, perform_again, Refinement},
    explain::{count_rows_with_value, shortfall, why, Why},
    gain::{certainty_loss, conditional_gain, information_gain},
    measures::{achieved, all_hold, holds, measures, withheld},
    search::{
        best, candidates, eligible, evaluate, find, find_disclosure, search, split_at, tied_best, Candidate,
    },
    state::{label, released, released_node, Label, Node, State},
};

/// Absolute value below which a computed gain or privacy loss is rounding noise and counts as 0.
pub const NOISE: f64 = 1e-12;
/// Largest difference of scores (relative) and of splits' gains (absolute) that count as equal.
pub const TIE: f64 = 1e-12;
/// Amount by which a float measure may miss its bound.
pub const TOLERANCE: f64 = 1e-9;

/// The whole input of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    pub attributes: Vec<Attribute>,
    /// Whether the rows' `class` is a class column. Without a class the search is for general use.
    pub has_class: bool,
    pub rows: Vec<Row>,
    pub models: Vec<Model>,
    pub score: Score,
    pub split: Split,
    /// Largest number of rows that may be withheld.
    pub withhold: Option<usize>,
    /// Whether only shown columns are refined, and the models are measured in the groups over all columns. Local
    /// recoding begins with such a search.
    pub shown_alone: bool,
}

/// One raw record.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// One per attribute.
    pub values: Vec<Value>,
    /// `None` is NULL, one more class. Ignored if the case has no class.
    pub class: Option<u32>,
    /// One per sensitive column; codes in value order, NULL (`None`) last in order.
    pub sensitive: Vec<Option<u32>>,
    /// The row's person, one per column that identifies persons. NULL is one person.
    pub persons: Vec<Option<u32>>,
}

/// A raw value of a masked column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    Null,
    /// A leaf (node number) of the attribute's taxonomy.
    Leaf(usize),
    /// A value of a column masked by intervals.
    Number(f64),
    /// A value of a column masked by suppression, in value order; its label is `labels[code]`.
    Code(u32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub name: String,
    pub masking: Masking,
    /// Factor of the gain of its refinements in the score.
    pub weight: f64,
    /// Least depth of its released nodes, if it has a taxonomy; 0 is no bound.
    pub coarsest: usize,
    /// Greatest depth of its released nodes.
    pub finest: Option<usize>,
    /// Whether it is a shown column: refined before others, and in all groups at once.
    pub shown: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Masking {
    Taxonomy(Taxonomy),
    /// The domain's bounds, not the data's.
    Interval {
        lower: Option<f64>,
        upper: Option<f64>,
        /// The only points that may become ends, if not all may.
        points: Option<Vec<f64>>,
        /// Whether values are whole numbers or days.
        whole: bool,
    },
    Suppression {
        labels: Vec<String>,
    },
}

/// A tree of labels. Node 0 is the root; nodes are numbered depth first.
#[derive(Debug, Clone, PartialEq)]
pub struct Taxonomy {
    pub nodes: Vec<TaxonomyNode>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TaxonomyNode {
    pub label: String,
    pub parent: Option<usize>,
    pub children: Vec<usize>,
}

/// A taxonomy in nested form, as it is written in tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    pub label: String,
    pub children: Vec<Branch>,
}

/// A privacy model; `quasi_identifier` and `channel` are attribute numbers, `sensitive` a sensitive column's
/// number.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// With `person`, every group has k persons in place of k rows.
    KAnonymity {
        quasi_identifier: Vec<usize>,
        k: usize,
        person: Option<usize>,
    },
    ConfidenceBound {
        channel: Vec<usize>,
        sensitive: usize,
        values: Vec<Option<u32>>,
        max_confidence: f64,
    },
    LDiversity {
        quasi_identifier: Vec<usize>,
        sensitive: usize,
        kind: Diversity,
    },
    TCloseness {
        quasi_identifier: Vec<usize>,
        sensitive: usize,
        t: f64,
        distance: Distance,
    },
    BetaLikeness {
        quasi_identifier: Vec<usize>,
        sensitive: usize,
        beta: f64,
    },
    /// `population` has, for each record of the population and each attribute, a row of the table with its value.
    KMap {
        quasi_identifier: Vec<usize>,
        k: usize,
        population: Vec<Vec<usize>>,
    },
    /// A model of shares of persons in place of rows. A person with several values counts for each of them.
    SharesOfPersons {
        model: Box<Model>,
        person: usize,
    },
    /// A model of bounded knowledge: it must hold for every set of at most `known` of its columns.
    BoundedKnowledge {
        model: Box<Model>,
        known: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Diversity {
    Distinct { l: f64 },
    Entropy { l: f64 },
    Recursive { l: usize, c: f64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    Equal,
    Ordered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// At the largest gain.
    Optimal,
    /// At the largest gain of a valid split.
    Valid,
    /// At the valid split with the most even halves.
    Median,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// IG/loss, IG where loss = 0.
    Tds,
    /// IG/(loss+1).
    Tdr,
    /// IG.
    InfoGain,
    /// G/(1 + relative loss). A refinement with G < 0 is not performed.
    Conditional,
}

impl Case {
    /// Returns the case that refines shown columns alone, as local recoding does first.
    pub fn shown_alone(&self) -> Case {
        let split = if self.split == Split::Optimal { Split::Valid } else { self.split };
        Case { shown_alone: true, split, ..self.clone() }
    }

    /// Says whether all models hold for the most general table. If not, there must be no search (55000).
    pub fn holds_initially(&self) -> bool {
        all_hold(self, &State::initial(self))
    }

    /// Says whether a column holds NULLs. It then gets a top-most `*` (or, under suppression, NULL as one more value).
    pub fn has_nulls(&self, attribute: usize) -> bool {
        self.rows.iter().any(|row| row.values[attribute] == Value::Null)
    }

    /// Returns the distinct values of a sensitive column in order, NULL last. A confidence bound with
    /// `sensitive_values => NULL` means this list.
    pub fn sensitive_values(&self, sensitive: usize) -> Vec<Option<u32>> {
        let mut values: Vec<Option<u32>> = self.rows.iter().map(|row| row.sensitive[sensitive]).collect();
        values.sort_by_key(|value| (value.is_none(), *value));
        values.dedup();
        values
    }

    /// Panics if the case is not a valid input of a search.
    pub fn check(&self) {
        assert!(!self.rows.is_empty(), "no records");
        assert!(!self.models.is_empty(), "no model");
        for (number, attribute) in self.attributes.iter().enumerate() {
            let named = self.models.iter().any(|model| model.attributes().contains(&number));
            assert!(named, "{} is in no model", attribute.name);
            for row in &self.rows {
                match (&attribute.masking, row.values[number]) {
                    (_, Value::Null) => {}
                    (Masking::Taxonomy(tree), Value::Leaf(leaf)) => {
                        assert!(tree.nodes[leaf].children.is_empty(), "only leaves hold data")
                    }
                    (Masking::Interval { lower, upper, .. }, Value::Number(value)) => {
                        assert!(lower.is_none_or(|bound| bound <= value), "below the lower bound");
                        assert!(upper.is_none_or(|bound| value <= bound), "above the upper bound");
                    }
                    (Masking::Suppression { labels }, Value::Code(code)) => {
                        assert!((code as usize) < labels.len(), "a value without a label")
                    }
                    (masking, value) => panic!("{value:?} is no value for {masking:?}"),
                }
            }
            if let Masking::Interval { lower: Some(lower), upper: Some(upper), .. } = attribute.masking {
                assert!(lower < upper, "lower not below upper");
            }
        }
        for (number, model) in self.models.iter().enumerate() {
            assert!(!model.attributes().is_empty(), "a model over nothing");
            assert!(model.attributes().iter().all(|attribute| *attribute < self.attributes.len()));
            assert!(!self.models[..number].contains(model), "a duplicate model");
            if let Model::ConfidenceBound { values, .. } = model.unwrapped() {
                assert!(!values.is_empty(), "a confidence bound without values");
            }
        }
    }
}

impl Model {
    pub fn attributes(&self) -> &[usize] {
        match self {
            Model::ConfidenceBound { channel, .. } => channel,
            Model::KAnonymity { quasi_identifier, .. }
            | Model::KMap { quasi_identifier, .. }
            | Model::LDiversity { quasi_identifier, .. }
            | Model::TCloseness { quasi_identifier, .. }
            | Model::BetaLikeness { quasi_identifier, .. } => quasi_identifier,
            Model::BoundedKnowledge { model, .. } | Model::SharesOfPersons { model, .. } => {
                model.attributes()
            }
        }
    }

    /// Returns the sets of attributes for which the model must hold: all, or with bounded knowledge at most `known`.
    pub fn sets(&self) -> Vec<Vec<usize>> {
        let Model::BoundedKnowledge { model, known } = self else { return vec![self.attributes().to_vec()] };
        let all = model.attributes();
        let set =
            |members: u32| (0..all.len()).filter(|at| members >> at & 1 == 1).map(|at| all[at]).collect();
        (1..1u32 << all.len()).filter(|members| members.count_ones() as usize <= *known).map(set).collect()
    }

    /// Returns the person column, if the model measures shares of persons.
    pub fn share_person(&self) -> Option<usize> {
        match self {
            Model::SharesOfPersons { model, .. }
                if matches!(**model, Model::LDiversity { kind: Diversity::Distinct { .. }, .. }) =>
            {
                None
            }
            Model::SharesOfPersons { person, .. } => Some(*person),
            Model::BoundedKnowledge { model, .. } => model.share_person(),
            _ => None,
        }
    }

    /// Returns the model without [`Model::Known`] and [`Model::SharesOfPersons`] around it.
    pub fn unwrapped(&self) -> &Model {
        match self {
            Model::BoundedKnowledge { model, .. } | Model::SharesOfPersons { model, .. } => model.unwrapped(),
            model => model,
        }
    }

    /// Returns the same model as [`Model::bare`], mutable.
    pub fn bare_mut(&mut self) -> &mut Model {
        match self {
            Model::BoundedKnowledge { model, .. } | Model::SharesOfPersons { model, .. } => model.bare_mut(),
            model => model,
        }
    }
}

impl Branch {
    pub fn leaf(label: &str) -> Branch {
        Branch { label: label.to_string(), children: Vec::new() }
    }

    pub fn inner(label: &str, children: Vec<Branch>) -> Branch {
        Branch { label: label.to_string(), children }
    }
}

impl Attribute {
    pub fn new(name: impl Into<String>, masking: Masking) -> Attribute {
        Attribute { name: name.into(), masking, weight: 1.0, coarsest: 0, finest: None, shown: false }
    }

    /// Says whether nodes below the node may be released.
    pub fn may_refine(&self, node: &Node) -> bool {
        match (&self.masking, node, self.finest) {
            (Masking::Taxonomy(tree), Node::Taxonomy(node), Some(finest)) => tree.depth(*node) < finest,
            _ => true,
        }
    }
}

impl Taxonomy {
    pub fn grow(root: &Branch) -> Taxonomy {
        fn add(branch: &Branch, parent: Option<usize>, nodes: &mut Vec<TaxonomyNode>) -> usize {
            let number = nodes.len();
            nodes.push(TaxonomyNode { label: branch.label.clone(), parent, children: Vec::new() });
            for child in &branch.children {
                let child = add(child, Some(number), nodes);
                nodes[number].children.push(child);
            }
            number
        }
        let mut nodes = Vec::new();
        add(root, None, &mut nodes);
        Taxonomy { nodes }
    }

    /// Returns the node with this label, panics if none has it.
    pub fn node(&self, label: &str) -> usize {
        self.nodes.iter().position(|node| node.label == label).unwrap_or_else(|| panic!("no node {label}"))
    }

    pub fn leaves(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|node| self.nodes[*node].children.is_empty()).collect()
    }

    /// Says whether `node` is `ancestor` or below it.
    pub fn is_under(&self, node: usize, ancestor: usize) -> bool {
        node == ancestor || self.nodes[node].parent.is_some_and(|parent| self.is_under(parent, ancestor))
    }

    /// Counts the nodes above a node.
    pub fn depth(&self, node: usize) -> usize {
        self.nodes[node].parent.map_or(0, |parent| self.depth(parent) + 1)
    }

    /// Returns the node itself, or the node above it at depth `finest`.
    pub fn up_to(&self, node: usize, finest: Option<usize>) -> usize {
        match self.nodes[node].parent {
            Some(parent) if finest.is_some_and(|finest| self.depth(node) > finest) => {
                self.up_to(parent, finest)
            }
            _ => node,
        }
    }

    /// Counts the leaves under a node. A leaf counts itself.
    pub fn leaves_under(&self, node: usize) -> usize {
        self.leaves().into_iter().filter(|leaf| self.is_under(*leaf, node)).count()
    }
}
