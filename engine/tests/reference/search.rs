//! The candidates of a state and the search.

use super::gain::{classes, conditional_gain, distinct_numbers, gain, without_noise};
use super::measures::{achieved, all_hold, relative_losses, released_rows, worsening};
use super::state::{label, own_top, released_node, rows_in, Label, Node, State};
use super::{Case, Masking, Model, Score, Split, Value, TIE};

/// A possible refinement of one node of a state, evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub attribute: usize,
    pub node: Node,
    /// The node's label; `*` for a disclosure.
    pub label: String,
    /// The nodes that replace it, in order. For a disclosure: the value, then `Node::Star`.
    pub children: Vec<Node>,
    /// The children's labels, as in `steps.children`.
    pub child_labels: Vec<Label>,
    /// The split point of an interval.
    pub split: Option<f64>,
    /// |R_v|.
    pub records: usize,
    pub gain: f64,
    pub privacy_loss: f64,
    pub score: f64,
    /// Each model's measure after the step.
    pub achieved: Vec<f64>,
    /// Whether all models hold after the step.
    pub valid: bool,
    pub beneficial: bool,
    /// Whether its column is a shown one, which is refined before others.
    pub shown: bool,
}

impl Candidate {
    /// Says whether it discloses a suppressed value (and does not refine a node).
    pub fn is_disclosure(&self) -> bool {
        self.children.contains(&Node::Star)
    }
}

/// Returns a candidate for each refinable node (for each suppressed value under suppression), valid and beneficial
/// or not, in the order that breaks ties.
pub fn candidates(case: &Case, state: &State) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (attribute, cut) in state.cuts.iter().enumerate() {
        if case.shown_alone && !case.attributes[attribute].shown {
            continue;
        }
        for node in cut {
            for children in refinements(case, state, attribute, node) {
                found.push(evaluate(case, state, attribute, node, children));
            }
        }
    }
    found
}

/// Returns the possible refinements of a node: none, one list of children, or a list for each suppressed value.
fn refinements(case: &Case, state: &State, attribute: usize, node: &Node) -> Vec<Vec<Node>> {
    let rows = rows_in(case, state, attribute, node);
    match (&case.attributes[attribute].masking, node) {
        (Masking::Suppression { .. }, Node::Star) => suppressed_values(case, attribute, &rows)
            .into_iter()
            .map(|value| match value {
                Value::Code(code) => vec![Node::Value(code), Node::Star],
                _ => vec![Node::Null, Node::Star],
            })
            .collect(),
        (_, Node::Star) => vec![vec![Node::Null, own_top(case, attribute)]],
        (_, node) if !case.attributes[attribute].may_refine(node) => vec![],
        (Masking::Taxonomy(tree), Node::Taxonomy(number)) => match tree.nodes[*number].children.as_slice() {
            [] => vec![],
            children => vec![children.iter().map(|child| Node::Taxonomy(*child)).collect()],
        },
        (_, Node::Interval { .. }) => {
            best_split(case, state, attribute, node).map(|at| halves(node, at)).into_iter().collect()
        }
        _ => vec![],
    }
}

/// Returns the distinct values of some rows, ascending, NULL last.
pub fn suppressed_values(case: &Case, attribute: usize, rows: &[usize]) -> Vec<Value> {
    let key = |value: &Value| match value {
        Value::Code(code) => (false, *code),
        _ => (true, 0),
    };
    let mut values: Vec<Value> = rows.iter().map(|row| case.rows[*row].values[attribute]).collect();
    values.sort_by_key(key);
    values.dedup();
    values
}

pub fn halves(node: &Node, at: f64) -> Vec<Node> {
    match node {
        Node::Interval { from, to } => {
            vec![Node::Interval { from: *from, to: Some(at) }, Node::Interval { from: Some(at), to: *to }]
        }
        other => panic!("{other:?} is no interval"),
    }
}

/// Returns the lowest point with the largest gain, as [`Split`] says: of all points, of the valid ones if there are
/// any, or of the most even of these. None if the rows have fewer than two distinct values or no point may be an end.
fn best_split(case: &Case, state: &State, attribute: usize, node: &Node) -> Option<f64> {
    let rows = rows_in(case, state, attribute, node);
    let numbers = distinct_numbers(case, attribute, &rows);
    let may_be_ends = match &case.attributes[attribute].masking {
        Masking::Interval { points, .. } => points.clone(),
        _ => None,
    };
    let may_split = |before: f64, at: f64| {
        may_be_ends.as_ref().is_none_or(|points| points.iter().any(|point| before < *point && *point <= at))
    };
    let after = |at: &f64| state.refine(attribute, node, &halves(node, *at));
    let mut points: Vec<f64> =
        numbers.windows(2).filter(|pair| may_split(pair[0], pair[1])).map(|pair| pair[1]).collect();
    if case.split != Split::Optimal && points.iter().any(|at| all_hold(case, &after(at))) {
        points.retain(|at| all_hold(case, &after(at)));
    }
    if case.split == Split::Median {
        points = most_even(case, attribute, &rows, points, |at| *at);
    }
    let splits: Vec<(f64, f64)> =
        points.into_iter().map(|at| (at, gain(case, attribute, &rows, state, &after(&at)))).collect();
    let largest = splits.iter().map(|(_, gain)| *gain).fold(f64::NEG_INFINITY, f64::max);
    splits.into_iter().find(|(_, gain)| *gain >= largest - TIE).map(|(at, _)| at)
}

/// Keeps the splits whose smaller half has the most rows.
pub fn most_even<S>(
    case: &Case,
    attribute: usize,
    rows: &[usize],
    splits: Vec<S>,
    point: impl Fn(&S) -> f64,
) -> Vec<S> {
    let below = |at: f64| move |row: &&usize| matches!(case.rows[**row].values[attribute], Value::Number(n) if n < at);
    let smaller = |split: &S| {
        let left = rows.iter().filter(below(point(split))).count();
        left.min(rows.len() - left)
    };
    let most = splits.iter().map(smaller).max();
    splits.into_iter().filter(|split| Some(smaller(split)) == most).collect()
}

/// Evaluates the split of an interval of the cut at a given point.
pub fn split_at(case: &Case, state: &State, attribute: usize, node: &Node, at: f64) -> Candidate {
    evaluate(case, state, attribute, node, halves(node, at))
}

pub fn evaluate(case: &Case, state: &State, attribute: usize, node: &Node, children: Vec<Node>) -> Candidate {
    let after = state.refine(attribute, node, &children);
    let rows = rows_in(case, state, attribute, node);
    let gain = gain(case, attribute, &rows, state, &after);
    let privacy_loss = mean_loss(case, attribute, |model| worsening(case, model, state, &after));
    let conditional_gain = conditional_gain(case, attribute, state, &after);
    let relative_loss = mean_loss(case, attribute, |model| relative_losses(case, model, state, &after));
    let wanted = case.score != Score::Conditional || conditional_gain >= 0.0;
    // Some released row must have the node, or show the disclosed value afterwards.
    let left = released_rows(case, &after);
    let shown = match children.contains(&Node::Star) {
        true => left.iter().any(|row| released_node(case, &after, attribute, *row) == children[0]),
        false => released_rows(case, state).iter().any(|row| rows.contains(row)),
    };
    let newly = released_rows(case, state).len() - left.len();
    let price = case.withhold.map_or(1.0, |most| {
        let may_be = most + released_rows(case, state).len();
        1.0 + if newly == 0 { 0.0 } else { newly as f64 / (may_be as f64 - case.rows.len() as f64) }
    });
    let several = if case.has_class { classes(case, &rows).len() > 1 } else { !rows.is_empty() };
    let weight = case.attributes[attribute].weight;
    let worth = weight * gain;
    Candidate {
        attribute,
        node: *node,
        label: label(case, attribute, node).expect("NULL cannot be refined"),
        child_labels: children.iter().map(|child| label(case, attribute, child)).collect(),
        split: match children[0] {
            Node::Interval { to, .. } => to,
            _ => None,
        },
        records: rows.len(),
        gain,
        privacy_loss,
        score: match case.score {
            Score::Tds if privacy_loss == 0.0 => worth,
            Score::Tds => worth / privacy_loss,
            Score::Tdr => worth / (privacy_loss + 1.0),
            Score::InfoGain => worth,
            Score::Conditional => weight * conditional_gain / (1.0 + relative_loss),
        } / price,
        achieved: achieved(case, &after),
        valid: all_hold(case, &after),
        beneficial: several && wanted && (shown || case.withhold.is_none()),
        shown: case.attributes[attribute].shown,
        children,
    }
}

/// Returns the mean loss over all requirements on the attribute (of their worsening: AnonyLoss, PrivLoss).
fn mean_loss(case: &Case, attribute: usize, losses: impl Fn(&Model) -> Vec<f64>) -> f64 {
    let on_attribute = case.models.iter().filter(|model| model.attributes().contains(&attribute));
    let losses: Vec<f64> = on_attribute.flat_map(losses).collect();
    without_noise(losses.iter().sum::<f64>() / losses.len() as f64)
}

/// Returns the candidates that may be performed, in order: those of shown columns alone, if there are any.
pub fn eligible(candidates: &[Candidate]) -> Vec<&Candidate> {
    let all: Vec<&Candidate> = candidates.iter().filter(|c| c.valid && c.beneficial).collect();
    let shown: Vec<&Candidate> = all.iter().copied().filter(|candidate| candidate.shown).collect();
    if shown.is_empty() {
        all
    } else {
        shown
    }
}

/// Returns the eligible candidates with the best score, in order. The search performs the first.
pub fn tied_best(candidates: &[Candidate]) -> Vec<&Candidate> {
    let eligible = eligible(candidates);
    let best = eligible.iter().map(|candidate| candidate.score).fold(f64::NEG_INFINITY, f64::max);
    eligible.into_iter().filter(|candidate| candidate.score >= best - TIE * best.abs()).collect()
}

/// Returns the candidate that the search performs, if any.
pub fn best(candidates: &[Candidate]) -> Option<&Candidate> {
    tied_best(candidates).first().copied()
}

pub fn search(case: &Case, max_steps: Option<usize>) -> Vec<Candidate> {
    case.check();
    let mut state = State::initial(case);
    let mut steps = Vec::new();
    while max_steps.is_none_or(|most| steps.len() < most) {
        let candidates = candidates(case, &state);
        let Some(step) = best(&candidates) else { break };
        state = State::perform(case, &state, step);
        steps.push(step.clone());
    }
    steps
}

/// Finds the refinement of the node with this label (under a taxonomy or intervals, `*` over NULLs included).
pub fn find<'a>(candidates: &'a [Candidate], attribute: usize, label: &str) -> Option<&'a Candidate> {
    candidates.iter().find(|c| c.attribute == attribute && c.label == label && !c.is_disclosure())
}

/// Finds the disclosure of a suppressed value; `None` is NULL.
pub fn find_disclosure<'a>(
    candidates: &'a [Candidate],
    attribute: usize,
    value: Option<&str>,
) -> Option<&'a Candidate> {
    let discloses = |candidate: &Candidate| candidate.child_labels[0].as_deref() == value;
    candidates.iter().find(|c| c.attribute == attribute && c.is_disclosure() && discloses(c))
}
