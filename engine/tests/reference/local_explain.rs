//! Why local recoding does not refine a group on a column, from the definitions.

use super::gain::{classes, distinct_numbers};
use super::local::{candidate, evaluate, points, with_rest, Candidate, Group};
use super::measures::{holds, measure_groups, more_is_better};
use super::search::{halves, suppressed_values};
use super::state::{covers, Node};
use super::{Case, Masking, Model, Value};

/// A reason why a group is not refined on a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    Leaf,
    Finest,
    Shown,
    OneClass,
    NoPoint,
    /// The refinement that is reported as breaking a model.
    Breaks(Candidate),
    /// The best refinement is valid, and has no gain.
    TellsNothing(Candidate),
    /// The refinement that could be performed.
    Open(Candidate),
}

pub fn why(case: &Case, group: &Group, attribute: usize) -> Why {
    let masking = &case.attributes[attribute].masking;
    let node = &group.nodes[attribute];
    let is_suppression = matches!(masking, Masking::Suppression { .. });
    let held = || distinct_numbers(case, attribute, &group.rows);
    let is_leaf = match (masking, node) {
        (Masking::Suppression { .. }, node) => *node != Node::Star,
        (_, Node::Null) => true,
        (Masking::Taxonomy(tree), Node::Taxonomy(node)) => tree.nodes[*node].children.is_empty(),
        (_, Node::Interval { .. }) => {
            let within = |row: &usize| covers(case, attribute, node, case.rows[*row].values[attribute]);
            let within: Vec<usize> = (0..case.rows.len()).filter(within).collect();
            distinct_numbers(case, attribute, &within).len() == 1
        }
        _ => false,
    };
    if is_leaf {
        return Why::Leaf;
    }
    if case.attributes[attribute].shown {
        return Why::Shown;
    }
    if !is_suppression && !case.attributes[attribute].may_refine(node) {
        return Why::Finest;
    }
    if case.has_class && classes(case, &group.rows).len() == 1 {
        return Why::OneClass;
    }
    match candidate(case, group, attribute) {
        Some(refined) if refined.may_be_performed() => return Why::Open(refined),
        Some(refined) if refined.valid => return Why::TellsNothing(refined),
        _ => {}
    }
    let children = match node {
        Node::Interval { .. } if held().len() == 1 => return Why::Leaf,
        Node::Interval { .. } => {
            let left = |at: f64| {
                let below = |row: &&usize| match case.rows[**row].values[attribute] {
                    Value::Number(number) => number < at,
                    _ => false,
                };
                group.rows.iter().filter(below).count()
            };
            let apart = |at: f64| group.rows.len().abs_diff(2 * left(at));
            match points(case, group, attribute).into_iter().min_by_key(|at| apart(*at)) {
                None => return Why::NoPoint,
                Some(at) => halves(node, at),
            }
        }
        Node::Star if is_suppression => {
            let rows = |value: &Value| {
                group.rows.iter().filter(|row| case.rows[**row].values[attribute] == *value).count()
            };
            let mut values = suppressed_values(case, attribute, &group.rows);
            values.sort_by_key(|value| std::cmp::Reverse(rows(value)));
            let value = match values[0] {
                Value::Code(code) => Node::Value(code),
                _ => Node::Null,
            };
            with_rest(case, group, attribute, std::iter::once(value))
        }
        _ => candidate(case, group, attribute).expect("a node that has children").children,
    };
    Why::Breaks(evaluate(case, group, attribute, children))
}

/// Returns the model that a refinement would break in the most rows, its worst measure, the number of broken parts, of
/// all parts, and of the rows in broken parts. Redundant models are left out.
pub fn shortfall(
    case: &Case,
    refined: &Candidate,
    redundant: impl Fn(usize) -> bool,
) -> Option<(usize, f64, u64, u64, u64)> {
    let parts: Vec<&Vec<usize>> = refined.parts.iter().map(|(_, rows)| rows).collect();
    let measures = |model: &Model, rows: &[usize]| measure_groups(case, model, &[rows.to_vec()]);
    let mut worst: Option<(usize, f64, u64, u64, u64)> = None;
    for (number, model) in case.models.iter().enumerate().filter(|(number, _)| !redundant(*number)) {
        let breaks =
            |rows: &&&Vec<usize>| measures(model, rows).iter().any(|measure| !holds(model, *measure));
        let broken: Vec<&&Vec<usize>> = parts.iter().filter(breaks).collect();
        let rows = broken.iter().map(|rows| rows.len() as u64).sum();
        if broken.is_empty() || worst.is_some_and(|(.., most)| most >= rows) {
            continue;
        }
        let all = parts.iter().flat_map(|rows| measures(model, rows));
        let achieved = match more_is_better(model) {
            true => all.fold(f64::INFINITY, f64::min),
            false => all.fold(f64::NEG_INFINITY, f64::max),
        };
        worst = Some((number, achieved, broken.len() as u64, parts.len() as u64, rows));
    }
    worst
}
