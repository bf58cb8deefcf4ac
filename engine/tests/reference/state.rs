//! The state of a search, and the released values of the records in it.

use super::{Attribute, Case, Masking, Value};

/// A released value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node {
    /// The top-most value above NULL and the column's own top. Under suppression: the suppressed values.
    Star,
    /// NULL, released as NULL.
    Null,
    /// A node of the taxonomy.
    Taxonomy(usize),
    /// The values from `from` (included) to `to` (excluded), both split points; `None` is the domain's end.
    Interval { from: Option<f64>, to: Option<f64> },
    /// A disclosed value.
    Value(u32),
}

/// A released label; `None` is SQL NULL.
pub type Label = Option<String>;

/// The cut of each attribute, in node order. Under suppression: the disclosed values in the order of their
/// disclosure, then `Star` for all others.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub cuts: Vec<Vec<Node>>,
}

impl State {
    /// Returns the most general state that `coarsest` allows.
    pub fn initial(case: &Case) -> State {
        let cut = |attribute| {
            let Attribute { masking, coarsest, .. } = &case.attributes[attribute];
            match masking {
                Masking::Taxonomy(tree) if *coarsest > 0 => {
                    let null = case.has_nulls(attribute).then_some(Node::Null);
                    let is_in = |node: &usize| {
                        let (depth, leaf) = (tree.depth(*node), tree.nodes[*node].children.is_empty());
                        depth == *coarsest || leaf && depth < *coarsest
                    };
                    let nodes = (0..tree.nodes.len()).filter(is_in).map(Node::Taxonomy);
                    null.into_iter().chain(nodes).collect()
                }
                _ if case.has_nulls(attribute) => vec![Node::Star],
                _ => vec![own_top(case, attribute)],
            }
        };
        State { cuts: (0..case.attributes.len()).map(cut).collect() }
    }

    pub fn refine(&self, attribute: usize, node: &Node, children: &[Node]) -> State {
        let at = self.cuts[attribute].iter().position(|member| member == node).expect("a node of the cut");
        let mut refined = self.clone();
        refined.cuts[attribute].splice(at..=at, children.iter().copied());
        refined
    }

    /// Returns the state after a candidate, which need not be valid, beneficial or the best.
    pub fn perform(_case: &Case, state: &State, candidate: &super::Candidate) -> State {
        state.refine(candidate.attribute, &candidate.node, &candidate.children)
    }
}

/// Returns the column's own top, which is below `*` if the column holds NULLs.
pub fn own_top(case: &Case, attribute: usize) -> Node {
    match case.attributes[attribute].masking {
        Masking::Taxonomy(_) => Node::Taxonomy(0),
        Masking::Interval { .. } => Node::Interval { from: None, to: None },
        Masking::Suppression { .. } => Node::Star,
    }
}

/// Says whether a record with this value can be released as this node.
pub fn covers(case: &Case, attribute: usize, node: &Node, value: Value) -> bool {
    match (node, value) {
        (Node::Star, _) => true,
        (Node::Null, value) => value == Value::Null,
        (Node::Value(disclosed), Value::Code(code)) => *disclosed == code,
        (Node::Interval { from, to }, Value::Number(number)) => {
            from.is_none_or(|from| from <= number) && to.is_none_or(|to| number < to)
        }
        (Node::Taxonomy(node), Value::Leaf(leaf)) => match &case.attributes[attribute].masking {
            Masking::Taxonomy(tree) => tree.is_under(leaf, *node),
            other => panic!("a taxonomy node under {other:?}"),
        },
        _ => false,
    }
}

/// Returns the released node of a row in one attribute. (Under suppression two nodes of a cut may cover a value:
/// the value itself and `*`, which is last.)
pub fn released_node(case: &Case, state: &State, attribute: usize, row: usize) -> Node {
    let value = case.rows[row].values[attribute];
    let mut cut = state.cuts[attribute].iter();
    *cut.find(|node| covers(case, attribute, node, value)).expect("a cut covers every value")
}

/// Returns the released labels of a row, one per attribute.
pub fn released(case: &Case, state: &State, row: usize) -> Vec<Label> {
    (0..case.attributes.len())
        .map(|attribute| label(case, attribute, &released_node(case, state, attribute, row)))
        .collect()
}

/// Returns the rows that are released as a node: R_v.
pub fn rows_in(case: &Case, state: &State, attribute: usize, node: &Node) -> Vec<usize> {
    (0..case.rows.len()).filter(|row| released_node(case, state, attribute, *row) == *node).collect()
}

pub fn label(case: &Case, attribute: usize, node: &Node) -> Label {
    match (&case.attributes[attribute].masking, node) {
        (_, Node::Null) => None,
        (_, Node::Star) => Some("*".to_string()),
        (Masking::Taxonomy(tree), Node::Taxonomy(node)) => Some(tree.nodes[*node].label.clone()),
        (Masking::Suppression { labels }, Node::Value(code)) => Some(labels[*code as usize].clone()),
        (Masking::Interval { lower, upper, .. }, Node::Interval { from, to }) => {
            let left = match from.or(*lower) {
                Some(number) => format!("[{}", text(number)),
                None => "(".to_string(),
            };
            let right = match (to, upper) {
                (Some(to), _) => format!("{})", text(*to)),
                (None, Some(upper)) => format!("{}]", text(*upper)),
                (None, None) => ")".to_string(),
            };
            Some(format!("{left},{right}"))
        }
        (masking, node) => panic!("{node:?} under {masking:?}"),
    }
}

/// Formats a number: integral ones without a fraction (as `{}` prints them), and no negative zero.
fn text(number: f64) -> String {
    format!("{}", number + 0.0)
}
