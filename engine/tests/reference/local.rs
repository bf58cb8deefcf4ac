//! Local recoding: the search, a group at a time, and its replay.
//!
//! Shown columns are refined first, in all groups at once, by the search of [`Case::shown_alone`]. They are not
//! refined afterwards.
//!
//! A refinement divides one group of rows that are released alike. Its parts are recounted from the rows, once for
//! each group, because they do not change while the group exists.

use super::gain::{certainty_loss, classes, distinct_numbers, entropy, without_noise};
use super::measures::{groups, holds, measure_groups, relative_loss, worse_by};
use super::search::{halves, most_even, suppressed_values};
use super::state::{covers, own_top, released_node, Node, State};
use super::{again, Case, Masking, Model, Score, Split, Value, TIE};

/// Rows that are released alike, and the origin of the group.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub origin: Origin,
    /// One per attribute.
    pub nodes: Vec<Node>,
    pub rows: Vec<usize>,
    /// Children of the group's nodes that were split off, with their attribute.
    pub already_split_off: Vec<(usize, Node)>,
}

/// Identifies a group, or all groups, in a trace.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// All groups with a node of a shown column.
    All(Node),
    /// A group from the beginning of the search, by its nodes.
    Root(Vec<Node>),
    /// A part that a refinement has made, by the refinement's index in the trace and the part's node.
    Child { step: usize, child: Node },
}

/// A refinement of one group, independent of a table. The children of a disclosure are the values and, unless all are
/// disclosed, `Node::Star`. The children of a node that is divided in part are some of its own and the node itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    pub of: Origin,
    pub attribute: usize,
    pub children: Vec<Node>,
}

impl Refinement {
    /// Converts a refinement of a shown column, which applies to all groups.
    pub fn in_all(refinement: again::Refinement) -> Refinement {
        let again::Refinement { attribute, node, children } = refinement;
        Refinement { of: Origin::All(node), attribute, children }
    }
}

/// A refinement of a group, evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub of: Origin,
    pub attribute: usize,
    pub children: Vec<Node>,
    /// The children that have rows, with their rows.
    pub parts: Vec<(Node, Vec<usize>)>,
    pub records: usize,
    pub gain: f64,
    pub privacy_loss: f64,
    pub score: f64,
    /// Gain over the whole table: `gain` times the group's share of the rows, or the conditional gain.
    pub table_gain: f64,
    /// Sum over the rows after it of the class's entropy plus a tenth of the certainty loss, or of that loss alone.
    pub unknown: f64,
    /// Whether every part keeps every model.
    pub valid: bool,
    pub beneficial: bool,
    /// Number of values that stay in `*`, or of children that stay at their node, only because the rest would break a
    /// model without them.
    pub kept_back: usize,
    /// Whether one value is disclosed alone: the most frequent may not be, or (`better`) its score beats several.
    pub alone: bool,
    pub better: bool,
}

impl Candidate {
    pub fn refinement(&self) -> Refinement {
        Refinement { of: self.of.clone(), attribute: self.attribute, children: self.children.clone() }
    }

    pub fn may_be_performed(&self) -> bool {
        self.valid && self.beneficial
    }

    /// Returns the groups that the refinement makes as step number `step` of a trace.
    pub fn perform(&self, group: &Group, step: usize) -> Vec<Group> {
        let part = |(child, rows): &(Node, Vec<usize>)| {
            let (mut nodes, mut without) = (group.nodes.clone(), group.already_split_off.clone());
            let stays = std::mem::replace(&mut nodes[self.attribute], *child) == *child;
            without.extend(self.children.iter().filter(|_| stays).map(|child| (self.attribute, *child)));
            Group {
                origin: Origin::Child { step, child: *child },
                nodes,
                rows: rows.clone(),
                already_split_off: without,
            }
        };
        self.parts.iter().map(part).collect()
    }
}

/// Returns the groups of the most general table.
pub fn initial_groups(case: &Case) -> Vec<Group> {
    state_groups(case, &State::initial(case))
}

/// Returns the groups of a state, which may have refined shown columns. The search by groups begins with them.
pub fn state_groups(case: &Case, state: &State) -> Vec<Group> {
    let all: Vec<usize> = (0..case.attributes.len()).collect();
    let rows: Vec<usize> = (0..case.rows.len()).collect();
    let root = |rows: Vec<usize>| {
        let nodes: Vec<Node> = all.iter().map(|&a| released_node(case, state, a, rows[0])).collect();
        Group { origin: Origin::Root(nodes.clone()), nodes, rows, already_split_off: vec![] }
    };
    groups(case, state, &all, &rows).into_iter().map(root).collect()
}

/// Says whether some rows, as one group, keep every model.
pub fn keeps(case: &Case, rows: &[usize]) -> bool {
    let measures = |model| measure_groups(case, model, &[rows.to_vec()]);
    case.models.iter().all(|model| measures(model).into_iter().all(|measure| holds(model, measure)))
}

/// Returns each model's measure, the worst over all groups.
pub fn achieved(case: &Case, groups: &[Group]) -> Vec<f64> {
    let rows: Vec<Vec<usize>> = groups.iter().map(|group| group.rows.clone()).collect();
    let worst = |model| measure_groups(case, model, &rows).into_iter().fold(f64::NEG_INFINITY, f64::max);
    case.models.iter().map(worst).collect()
}

/// Returns the candidates of a group, valid and beneficial or not: at most one for each attribute that is not shown.
pub fn candidates(case: &Case, group: &Group) -> Vec<Candidate> {
    let attributes = (0..case.attributes.len()).filter(|attribute| !case.attributes[*attribute].shown);
    attributes.filter_map(|attribute| candidate(case, group, attribute)).collect()
}

pub fn candidate(case: &Case, group: &Group, attribute: usize) -> Option<Candidate> {
    let all_of = |children| Some(evaluate(case, group, attribute, children));
    let node = &group.nodes[attribute];
    match (&case.attributes[attribute].masking, node) {
        (Masking::Suppression { .. }, Node::Star) => disclosure(case, group, attribute),
        (_, Node::Star) => all_of(vec![Node::Null, own_top(case, attribute)]),
        (_, node) if !case.attributes[attribute].may_refine(node) => None,
        (Masking::Taxonomy(_), Node::Taxonomy(_)) => {
            let children = children(case, group, attribute);
            let some = specialization(case, group, attribute, &children);
            some.or_else(|| all_of(children).filter(|all| !all.children.is_empty()))
        }
        (_, Node::Interval { .. }) => split(case, group, attribute),
        _ => None,
    }
}

/// Returns the children of a group's taxonomy node, except those that were split off before.
pub fn children(case: &Case, group: &Group, attribute: usize) -> Vec<Node> {
    let (Masking::Taxonomy(tree), Node::Taxonomy(node)) =
        (&case.attributes[attribute].masking, group.nodes[attribute])
    else {
        panic!("no node of a taxonomy")
    };
    let children = tree.nodes[node].children.iter().map(|child| Node::Taxonomy(*child));
    children.filter(|child| !group.already_split_off.contains(&(attribute, *child))).collect()
}

/// If a taxonomy node is divided in part, returns the children that are split off.
pub fn split_off<'n>(case: &Case, attribute: usize, children: &'n [Node]) -> Option<&'n [Node]> {
    match (&case.attributes[attribute].masking, children) {
        (Masking::Taxonomy(tree), [off @ .., Node::Taxonomy(node)]) => {
            let is_below =
                |child: &Node| matches!(child, Node::Taxonomy(c) if tree.nodes[*c].parent == Some(*node));
            off.first().is_some_and(is_below).then_some(off)
        }
        _ => None,
    }
}

/// Divides a taxonomy node as [`choose_valid`] says: the chosen children are split off, the other rows stay at the
/// node.
fn specialization(case: &Case, group: &Group, attribute: usize, among: &[Node]) -> Option<Candidate> {
    let (mut off, stays, kept_back) = choose_valid(case, group, attribute, among)?;
    if !stays {
        return Some(evaluate(case, group, attribute, children(case, group, attribute)));
    }
    off.push(group.nodes[attribute]);
    Some(Candidate { kept_back, ..evaluate(case, group, attribute, off) })
}

/// Chooses those of some nodes whose rows keep the models. While the remaining rows of the group break a model, the
/// smallest chosen node is kept back with them. Returns the chosen nodes, whether rows remain, and the number of nodes
/// kept back; None if no node is left.
fn choose_valid(
    case: &Case,
    group: &Group,
    attribute: usize,
    among: &[Node],
) -> Option<(Vec<Node>, bool, usize)> {
    let is_of = |row: usize, child: &Node| covers(case, attribute, child, case.rows[row].values[attribute]);
    let rows_of = |child: &Node| -> Vec<usize> {
        group.rows.iter().filter(|row| is_of(**row, child)).copied().collect()
    };
    let mut off: Vec<Node> = among.to_vec();
    off.retain(|child| !rows_of(child).is_empty() && keeps(case, &rows_of(child)));
    let mut kept_back = 0;
    while !off.is_empty() {
        let stays = |row: &&usize| !off.iter().any(|child| is_of(**row, child));
        let rest: Vec<usize> = group.rows.iter().filter(stays).copied().collect();
        if rest.is_empty() || keeps(case, &rest) {
            return Some((off, !rest.is_empty(), kept_back));
        }
        // Of equally small nodes the last.
        let smallest = (0..off.len()).rev().min_by_key(|at| rows_of(&off[*at]).len()).expect("a child");
        off.remove(smallest);
        kept_back += 1;
    }
    None
}

/// Returns the best valid split, with [`Split::Median`] the best of the most even valid ones; of ties the lowest.
fn split(case: &Case, group: &Group, attribute: usize) -> Option<Candidate> {
    let points = points(case, group, attribute);
    let at = |at: f64| evaluate(case, group, attribute, halves(&group.nodes[attribute], at));
    let valid = points.into_iter().map(|point| (point, at(point))).filter(|(_, split)| split.valid).collect();
    let valid = match case.split {
        Split::Median => most_even(case, attribute, &group.rows, valid, |(point, _)| *point),
        _ => valid,
    };
    let valid: Vec<Candidate> = valid.into_iter().map(|(_, split)| split).collect();
    let least = valid.iter().map(|split| split.unknown).fold(f64::INFINITY, f64::min);
    valid.into_iter().find(|split| split.unknown <= least + TIE * group.rows.len() as f64)
}

/// Returns the points that may split a group's interval between its rows, rising.
pub fn points(case: &Case, group: &Group, attribute: usize) -> Vec<f64> {
    let all: Vec<usize> = (0..case.rows.len()).collect();
    let (numbers, held) =
        (distinct_numbers(case, attribute, &all), distinct_numbers(case, attribute, &group.rows));
    let may_be_end = |before: f64, at: f64| match &case.attributes[attribute].masking {
        Masking::Interval { points: Some(points), .. } => points.iter().any(|p| before < *p && *p <= at),
        _ => true,
    };
    let separates = |at: f64| held.iter().any(|number| *number < at) && held.iter().any(|n| *n >= at);
    let points = numbers.windows(2).filter(|pair| may_be_end(pair[0], pair[1]) && separates(pair[1]));
    points.map(|pair| pair[1]).collect()
}

/// Discloses the values whose rows keep the models, most frequent first. The last of them are kept back while the rest
/// in `*` would break a model. The most frequent value that is valid alone is disclosed instead if its score is better
/// or if no value is left.
fn disclosure(case: &Case, group: &Group, attribute: usize) -> Option<Candidate> {
    let holding = |value: &Value| {
        let holds = |row: &&usize| case.rows[**row].values[attribute] == *value;
        group.rows.iter().filter(holds).copied().collect::<Vec<usize>>()
    };
    let mut values = suppressed_values(case, attribute, &group.rows);
    values.retain(|value| keeps(case, &holding(value)));
    values.sort_by_key(|value| std::cmp::Reverse(holding(value).len()));
    let frequent = values.len();
    let disclosed = |values: &[Value]| {
        let nodes = values.iter().map(|value| match value {
            Value::Code(code) => Node::Value(*code),
            _ => Node::Null,
        });
        let candidate = evaluate(case, group, attribute, with_rest(case, group, attribute, nodes));
        candidate.valid.then_some(candidate)
    };
    let at_once = (1..=frequent)
        .rev()
        .find_map(|count| Some(Candidate { kept_back: frequent - count, ..disclosed(&values[..count])? }));
    let alone = values.chunks(1).find_map(|value| Some(Candidate { alone: true, ..disclosed(value)? }));
    let tie = TIE * group.rows.len() as f64 / case.rows.len() as f64;
    let better = |alone: &Candidate, at_once: &Candidate| alone.score > at_once.score + tie;
    match (at_once, alone) {
        (Some(at_once), Some(alone)) if better(&alone, &at_once) => Some(Candidate { better: true, ..alone }),
        (Some(at_once), _) => Some(at_once),
        (None, alone) => alone,
    }
}

/// Returns the disclosed nodes, followed by `*` if some row of the group has none of their values.
pub fn with_rest(
    case: &Case,
    group: &Group,
    attribute: usize,
    disclosed: impl Iterator<Item = Node>,
) -> Vec<Node> {
    let mut children: Vec<Node> = disclosed.collect();
    let shown = |row: usize| {
        children.iter().any(|node| covers(case, attribute, node, case.rows[row].values[attribute]))
    };
    if group.rows.iter().any(|row| !shown(*row)) {
        children.push(Node::Star);
    }
    children
}

pub fn evaluate(case: &Case, group: &Group, attribute: usize, children: Vec<Node>) -> Candidate {
    let value = |row: &usize| case.rows[*row].values[attribute];
    let first = |row: &usize| children.iter().find(|child| covers(case, attribute, child, value(row)));
    let rows = |child: &Node| -> Vec<usize> {
        group.rows.iter().filter(|row| first(row) == Some(child)).copied().collect()
    };
    let parts: Vec<(Node, Vec<usize>)> =
        children.iter().map(|child| (*child, rows(child))).filter(|(_, rows)| !rows.is_empty()).collect();
    let (records, table) = (group.rows.len() as f64, case.rows.len() as f64);

    let unknown_of = |node: &Node, rows: &[usize]| {
        let loss = certainty_loss(case, attribute, node);
        let each = if case.has_class { entropy(case, rows) + 0.1 * loss } else { loss };
        rows.len() as f64 * each
    };
    let unknown = parts.iter().map(|(child, rows)| unknown_of(child, rows)).sum::<f64>();
    let fall = unknown_of(&group.nodes[attribute], &group.rows) - unknown;
    let gain = without_noise(fall / records).max(0.0);
    let told = match case.score {
        Score::Conditional if case.has_class => {
            let all: Vec<usize> = (0..case.rows.len()).collect();
            let classes = classes(case, &all).len() as f64;
            without_noise(fall - (parts.len() as f64 - 1.0) * (classes - 1.0) / (2.0 * 2f64.ln())) / table
        }
        _ => gain * records / table,
    };

    let mean_over_parts = |model: &Model, worse: fn(&Model, f64, f64) -> f64| {
        let before = measure_groups(case, model, std::slice::from_ref(&group.rows));
        let mut losses = vec![0.0; before.len()];
        for (_, rows) in &parts {
            let after = measure_groups(case, model, std::slice::from_ref(rows));
            for (loss, (before, after)) in losses.iter_mut().zip(before.iter().copied().zip(after)) {
                let is_worse = worse_by(model, before, after) > 0.0;
                *loss +=
                    rows.len() as f64 / records * if is_worse { worse(model, before, after) } else { 0.0 };
            }
        }
        losses
    };
    let mean = |worse: fn(&Model, f64, f64) -> f64| {
        let on_attribute = case.models.iter().filter(|model| model.attributes().contains(&attribute));
        let losses: Vec<f64> = on_attribute.flat_map(|model| mean_over_parts(model, worse)).collect();
        without_noise(losses.iter().sum::<f64>() / losses.len() as f64)
    };
    let privacy_loss = mean(worse_by);
    let worth = case.attributes[attribute].weight * told;
    let several = !case.has_class || classes(case, &group.rows).len() > 1;
    Candidate {
        of: group.origin.clone(),
        attribute,
        records: group.rows.len(),
        gain,
        privacy_loss,
        table_gain: told,
        score: match case.score {
            Score::Tds if privacy_loss == 0.0 => worth,
            Score::Tds => worth / privacy_loss,
            Score::Tdr => worth / (privacy_loss + 1.0),
            Score::InfoGain => worth,
            Score::Conditional => worth / (mean(relative_loss) + 1.0),
        },
        unknown,
        valid: parts.iter().all(|(_, rows)| keeps(case, rows)),
        beneficial: several && told >= 0.0,
        kept_back: 0,
        alone: false,
        better: false,
        parts,
        children,
    }
}

/// Returns the refinements of shown columns at the beginning of a trace.
pub fn shown_refinements(trace: &[Refinement]) -> Vec<again::Refinement> {
    let of_all = trace.iter().map_while(|Refinement { of, attribute, children }| match of {
        Origin::All(node) => {
            Some(again::Refinement { attribute: *attribute, node: *node, children: children.clone() })
        }
        _ => None,
    });
    of_all.collect()
}

/// Replays the refinements of shown columns. Returns the final state and the result of each.
pub fn replay_shown(case: &Case, trace: &[Refinement]) -> (State, Vec<ReplayResult>) {
    let case = case.shown_alone();
    let mut state = State::initial(&case);
    let performed =
        shown_refinements(trace).into_iter().map(|refinement| match refinement.evaluate_in(&case, &state) {
            None => ReplayResult::Missing,
            Some(candidate) if !candidate.valid => ReplayResult::Broken,
            Some(candidate) => {
                state = State::perform(&case, &state, &candidate);
                ReplayResult::InAll(candidate)
            }
        });
    let performed = performed.collect();
    (state, performed)
}

/// Replays a trace. Returns the final groups and the result of each refinement.
pub fn perform_again(case: &Case, trace: &[Refinement]) -> (Vec<Group>, Vec<ReplayResult>) {
    let (state, mut performed) = replay_shown(case, trace);
    let mut groups = state_groups(case, &state);
    for (step, refinement) in trace.iter().enumerate().skip(performed.len()) {
        let at = groups.iter().position(|group| group.origin == refinement.of);
        let candidate = at.and_then(|at| Some((at, evaluate_recorded(case, &groups[at], refinement)?)));
        performed.push(match candidate {
            None => ReplayResult::Missing,
            Some((_, candidate)) if !candidate.valid => ReplayResult::Broken,
            Some((at, candidate)) if is_less(case, &groups[at], &candidate, refinement) => {
                let group = groups.remove(at);
                groups.extend(candidate.perform(&group, step));
                ReplayResult::InPart(candidate)
            }
            Some((at, candidate)) => {
                let group = groups.remove(at);
                groups.extend(candidate.perform(&group, step));
                ReplayResult::Again(candidate)
            }
        });
    }
    (groups, performed)
}

/// The result of replaying a refinement.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplayResult {
    Again(Candidate),
    /// It refines a shown column, and was performed in all groups.
    InAll(super::Candidate),
    /// It was performed for some of its children. The others, or the rows that stay, would break a model.
    InPart(Candidate),
    /// It was not performed, because a part would break a model.
    Broken,
    /// Its group does not exist, or holds none of its values.
    Missing,
}

impl ReplayResult {
    /// Returns the refinement of a group, if it was performed.
    pub fn candidate(&self) -> Option<&Candidate> {
        match self {
            ReplayResult::Again(candidate) | ReplayResult::InPart(candidate) => Some(candidate),
            ReplayResult::InAll(_) | ReplayResult::Broken | ReplayResult::Missing => None,
        }
    }
}

/// Says whether some row stays at the group's node that the recorded refinement moves to a child.
fn is_less(case: &Case, group: &Group, performed: &Candidate, refinement: &Refinement) -> bool {
    let Refinement { attribute, children, .. } = refinement;
    if matches!(case.attributes[*attribute].masking, Masking::Suppression { .. }) {
        let stays = |child: &&Node| **child != Node::Star && !performed.children.contains(child);
        let is_held = |child: &Node| {
            group.rows.iter().any(|r| covers(case, *attribute, child, case.rows[*r].values[*attribute]))
        };
        return children.iter().filter(stays).any(is_held);
    }
    if split_off(case, *attribute, &performed.children).is_none() {
        return false;
    }
    // A refinement into all children leaves no row at the node.
    let Some(off) = split_off(case, *attribute, children) else { return true };
    let stays = |(child, _): &&(Node, Vec<usize>)| *child == group.nodes[*attribute];
    let rest = performed.parts.iter().find(stays).expect("what stays");
    rest.1.iter().any(|row| {
        off.iter().any(|child| covers(case, *attribute, child, case.rows[*row].values[*attribute]))
    })
}

/// Evaluates a recorded refinement for a group, reduced to the values or children that the group holds and that may
/// leave its node. None if the group holds none of them.
fn evaluate_recorded(case: &Case, group: &Group, refinement: &Refinement) -> Option<Candidate> {
    let Refinement { attribute, children, .. } = refinement;
    if let Node::Taxonomy(_) = group.nodes[*attribute] {
        let all = self::children(case, group, *attribute);
        let among = split_off(case, *attribute, children);
        let is_held = |child: &Node| {
            group.rows.iter().any(|r| covers(case, *attribute, child, case.rows[*r].values[*attribute]))
        };
        if !among.unwrap_or(&all).iter().any(is_held) {
            return None;
        }
        let some = specialization(case, group, *attribute, among.unwrap_or(&all));
        return Some(some.unwrap_or_else(|| evaluate(case, group, *attribute, all)));
    }
    let mut children = children.clone();
    if matches!(case.attributes[*attribute].masking, Masking::Suppression { .. }) {
        let held = |node: &Node| {
            *node != Node::Star
                && group.rows.iter().any(|r| covers(case, *attribute, node, case.rows[*r].values[*attribute]))
        };
        children.retain(held);
        if children.is_empty() {
            return None;
        }
        let mut in_order = children.clone();
        in_order.sort_by_key(|node| if let Node::Value(value) = node { *value } else { u32::MAX });
        // If no choice of values is valid, all are evaluated, and the result is not valid.
        let kept = choose_valid(case, group, *attribute, &in_order);
        let kept_back = kept.as_ref().map_or(0, |(.., kept_back)| *kept_back);
        let may = |node: &Node| kept.as_ref().is_none_or(|(off, ..)| off.contains(node));
        let some = with_rest(case, group, *attribute, children.into_iter().filter(may));
        return Some(Candidate { kept_back, ..evaluate(case, group, *attribute, some) });
    }
    Some(evaluate(case, group, *attribute, children))
}

/// Returns the rows of the final groups of a replay, found from the other end: every possible refinement is performed,
/// valid or not. Then, from the last to the first, a refinement is undone if a part that is still whole breaks a model.
/// (Shown columns are replayed by [`replay_shown`].)
pub fn replay_backwards(case: &Case, trace: &[Refinement]) -> Vec<Vec<usize>> {
    let (state, begun) = replay_shown(case, trace);
    let mut groups = state_groups(case, &state);
    // The group and the parts of each refinement that was possible.
    let mut divided: Vec<(Group, Vec<Group>)> = Vec::new();
    for (step, refinement) in trace.iter().enumerate().skip(begun.len()) {
        let Some(at) = groups.iter().position(|group| group.origin == refinement.of) else { continue };
        let Some(candidate) = evaluate_recorded(case, &groups[at], refinement) else { continue };
        let group = groups.remove(at);
        let parts = candidate.perform(&group, step);
        groups.extend(parts.clone());
        divided.push((group, parts));
    }
    for (group, parts) in divided.into_iter().rev() {
        let is_whole = |part: &&Group| groups.iter().any(|group| group.origin == part.origin);
        if parts.iter().filter(is_whole).any(|part| !keeps(case, &part.rows)) {
            groups.retain(|other| !other.rows.iter().all(|row| group.rows.contains(row)));
            groups.push(group);
        }
    }
    groups.into_iter().map(|group| group.rows).collect()
}
