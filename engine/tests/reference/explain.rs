//! Why a node of a cut is not refined further, from the definitions: no refinement is possible, none is of use, or
//! each breaks a model, whose broken groups are then counted.

use super::gain::{classes, distinct_numbers};
use super::measures::{groups, holds, measure_state_groups, more_is_better, released_rows};
use super::search::candidates;
use super::state::{released_node, rows_in, Node, State};
use super::{Candidate, Case, Masking, Model, Value};

/// Why a node is not refined further.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    Unused,
    Leaf,
    Finest,
    NoPoint,
    OneClass,
    /// None of these refinements is valid (or has a released row that shows the disclosed value).
    Breaks(Vec<Candidate>),
    /// These refinements are valid, and have no gain.
    TellsNothing(Vec<Candidate>),
    /// These refinements could be performed.
    Open(Vec<Candidate>),
}

/// The model that a refinement would break in the most rows: its worst measure, the number of broken groups, of all
/// groups after the refinement, and of the rows in broken groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Shortfall {
    pub model: usize,
    pub achieved: f64,
    pub broken: usize,
    pub groups: usize,
    pub rows: usize,
}

pub fn why(case: &Case, state: &State, attribute: usize, node: &Node) -> Why {
    let masking = &case.attributes[attribute].masking;
    let is_suppression = matches!(masking, Masking::Suppression { .. });
    if is_suppression && *node != Node::Star {
        return Why::Leaf;
    }
    let rows = rows_in(case, state, attribute, node);
    if rows.is_empty() {
        return Why::Unused;
    }
    let is_leaf = match (masking, node) {
        (_, Node::Null) => true,
        (Masking::Taxonomy(tree), Node::Taxonomy(node)) => tree.nodes[*node].children.is_empty(),
        (_, Node::Interval { .. }) => distinct_numbers(case, attribute, &rows).len() == 1,
        _ => false,
    };
    if is_leaf {
        return Why::Leaf;
    }
    if !case.attributes[attribute].may_refine(node) {
        return Why::Finest;
    }
    if case.has_class && classes(case, &rows).len() == 1 {
        return Why::OneClass;
    }
    let of_node = |c: &Candidate| c.attribute == attribute && c.node == *node;
    let all: Vec<Candidate> = candidates(case, state).into_iter().filter(of_node).collect();
    if all.is_empty() {
        return Why::NoPoint;
    }
    let released = released_rows(case, state);
    if !released.iter().any(|row| rows.contains(row)) {
        return Why::Unused;
    }
    let shows = |c: &Candidate| {
        let after = State::perform(case, state, c);
        let is_value = |row: &usize| released_node(case, &after, attribute, *row) == c.children[0];
        !c.is_disclosure() || released_rows(case, &after).iter().any(is_value)
    };
    let valid: Vec<Candidate> = all.iter().filter(|c| c.valid && shows(c)).cloned().collect();
    let open: Vec<Candidate> = valid.iter().filter(|c| c.beneficial).cloned().collect();
    match (valid.is_empty(), open.is_empty()) {
        (true, _) => Why::Breaks(all),
        (_, true) => Why::TellsNothing(valid),
        _ => Why::Open(open),
    }
}

/// Returns the model that a refinement would break in the most rows. Redundant models are left out.
pub fn shortfall(
    case: &Case,
    state: &State,
    (attribute, node, children): (usize, &Node, &[Node]),
    redundant: impl Fn(usize) -> bool,
) -> Option<Shortfall> {
    let after = state.refine(attribute, node, children);
    let rows: Vec<usize> = released_rows(case, state)
        .into_iter()
        .filter(|row| released_node(case, state, attribute, *row) == *node)
        .collect();
    let models: Vec<usize> = (0..case.models.len())
        .filter(|&model| !redundant(model) && case.models[model].attributes().contains(&attribute))
        .collect();
    // Only the widest sets with the attribute: groups on narrower sets are unions, those on other sets stay.
    let over = |model: usize| -> Vec<Vec<Vec<usize>>> {
        let sets = case.models[model].sets();
        let most = sets.iter().map(Vec::len).max();
        let widest = sets.iter().filter(|set| Some(set.len()) == most && set.contains(&attribute));
        widest.map(|set| groups(case, &after, set, &rows)).collect()
    };
    let breaks = |model: &Model, group: &Vec<usize>| {
        measure_state_groups(case, &after, model, std::slice::from_ref(group))
            .iter()
            .any(|measure| !holds(model, *measure))
    };
    let mut worst: Option<Shortfall> = None;
    for &number in &models {
        let (model, sets) = (&case.models[number], over(number));
        let groups = sets.concat();
        let broken: Vec<&Vec<usize>> = groups.iter().filter(|group| breaks(model, group)).collect();
        // The groups on each set hold the same rows.
        let broken_rows = |set: &Vec<Vec<usize>>| {
            set.iter().filter(|group| breaks(model, group)).map(Vec::len).sum::<usize>()
        };
        let rows = sets.iter().map(broken_rows).max().unwrap_or(0);
        if broken.is_empty() || worst.as_ref().is_some_and(|worst| worst.rows >= rows) {
            continue;
        }
        let all =
            groups.iter().flat_map(|g| measure_state_groups(case, &after, model, std::slice::from_ref(g)));
        let achieved = match more_is_better(model) {
            true => all.fold(f64::INFINITY, f64::min),
            false => all.fold(f64::NEG_INFINITY, f64::max),
        };
        worst = Some(Shortfall { model: number, achieved, broken: broken.len(), groups: groups.len(), rows });
    }
    worst
}

/// Counts the rows of the table with a value; 0 if none of them is released.
pub fn count_rows_with_value(case: &Case, state: &State, attribute: usize, value: Value) -> usize {
    let holds = |row: &usize| case.rows[*row].values[attribute] == value;
    match released_rows(case, state).iter().any(holds) {
        true => (0..case.rows.len()).filter(holds).count(),
        false => 0,
    }
}
