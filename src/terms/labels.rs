//! What released values are called. A masked column that is ready for the search is [`Bound`]: its codes
//! have a hierarchy, and what stands in the hierarchy has labels.
//!
//! A released value is an [`Extent`]: a node of the hierarchy, or, where a cluster was generalized
//! without one, the values from its least to its greatest.

use super::words::Endpoints;
use crate::postgres::datum::Type;
use crate::postgres::endpoint;
use crate::postgres::error::{clipped_to, Result, SqlError};
use crate::postgres::progress::{polled, polling};
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use std::ops::{Range, RangeInclusive};
use topdown::cluster::Extent;
use topdown::refine::{Hierarchy, Meaning, Node, NodeId, TOP};
use topdown::taxonomy::Taxonomy;
use topdown::Code;

/// The hint where a release is not as a verb has written it.
pub const CHANGED_BY_HAND: &str =
    "Somebody has changed what was written; make a new version with release_refresh(..., mode => 'search').";

/// An end of a node as a release keeps it, as a value of the column's type.
pub fn end_as_written(column: &str, text: &str, ty: Type) -> Result<Datum> {
    ty.parse(text).map_err(|fault| {
        SqlError::state(format!("an end of column \"{column}\" cannot be read"))
            .detail(clipped_to(&fault, 200))
            .hint(CHANGED_BY_HAND)
    })
}

/// A masked column, ready for the search; its codes are in the table, in order.
pub struct Bound {
    /// What its codes may be released as.
    pub hierarchy: Hierarchy,
    /// What its nodes are called.
    pub labels: Labels,
}

/// What the nodes of a column's hierarchy are called.
#[derive(Debug)]
pub enum Labels {
    /// The labels of a taxonomy, and what else is known of its nodes.
    Taxonomy(Taxonomy, TreeLabels),
    /// Intervals over the values, by rank.
    Intervals(IntervalLabels),
    /// The values' texts.
    Values(Vec<String>),
}

/// What is known of the nodes of a taxonomy besides what they are called.
#[derive(Debug)]
pub struct TreeLabels {
    /// Of one by rule, of which leaves a value says more than its label.
    pub truncated: Vec<bool>,
    /// Where the ends of nodes come from.
    pub ends: TreeEnds,
}

/// Where the ends of a tree's nodes come from. But for the taxonomy's own, the top has none: it may be anything.
#[derive(Debug)]
pub enum TreeEnds {
    /// The taxonomy has them, or none.
    Own,
    /// A rule knows them by what a node of a column of the type is called.
    ByRule(Type, fn(Type, &str) -> TextEnds),
    /// The least and the greatest leaf below each node, as values of the column's type; none where no leaf is one.
    ByLeaves(Vec<Option<[usize; 2]>>),
}

/// The lower and the upper end of what is released, as texts; none where it is open.
pub type TextEnds = (Option<String>, Option<String>);

/// Intervals over the values, by rank.
#[derive(Debug)]
pub struct IntervalLabels {
    /// The values' type.
    pub ty: Type,
    /// The distinct values, ascending.
    pub values: Vec<Datum>,
    /// The domain's lower bound.
    pub lower: Option<Datum>,
    /// The domain's upper bound.
    pub upper: Option<Datum>,
    /// Which ends are shown between two values.
    pub endpoints: Endpoints,
    /// Where only some points may become ends, that of a split before each value; none where there is no
    /// such point.
    pub points: Option<Vec<Option<Datum>>>,
    /// The ends of nodes whose splits were given, and not looked for among these values.
    pub given: HashMap<NodeId, Ends>,
}

/// The ends of an interval; none where it is unbounded.
#[derive(Debug, Clone, Copy)]
pub struct Ends {
    /// The lower end, which belongs to it.
    pub lower: Option<Datum>,
    /// The upper end.
    pub upper: Option<Datum>,
    /// Whether the upper end belongs to it, too: it is the domain's bound.
    pub closed: bool,
}

/// A label, and the ends of an interval.
pub type LabelAndEnds = (Option<String>, TextEnds);

/// Whether the upper end of an interval belongs to it, by its label, whatever is counted with it: that of a single value is the value,
/// which is the upper end only where it belongs to it.
pub fn is_closed(label: &str, lower: Option<&str>, upper: Option<&str>) -> bool {
    let without_null = label.strip_suffix(NULL).and_then(|label| label.strip_suffix(OR));
    without_null.unwrap_or(label).ends_with(']') || lower.is_some() && lower == upper
}

/// What NULL is called among others that are counted with it.
pub const NULL: &str = "NULL";

/// Between the names of nodes that are counted together.
pub const OR: &str = " or ";

/// By what a node of one version is found in another, of intervals with its `ends`: these tell intervals apart, with whether the upper one
/// belongs to them.
pub fn told_apart(label: Option<String>, ends: TextEnds) -> LabelAndEnds {
    let (lower, upper) = (ends.0.as_deref(), ends.1.as_deref());
    match &label {
        Some(text) if lower.is_some() || upper.is_some() => {
            let close = if is_closed(text, lower, upper) { "]" } else { ")" };
            (Some(close.into()), ends)
        }
        _ => (label, ends),
    }
}

impl Bound {
    /// What is released is called, `any` for anything; none for NULL.
    pub fn label(&self, released: &Extent, any: &str) -> Option<String> {
        match (released, &self.labels) {
            (Extent::Node(node), _) => self.node_label(*node, any),
            (Extent::Ranks(ranks), Labels::Intervals(intervals)) => {
                let (least, greatest) = intervals.around(ranks)?;
                let (from, to) = (intervals.ty.text(least), intervals.ty.text(greatest));
                Some(if ranks.start() == ranks.end() { from } else { format!("[{from},{to}]") })
            }
            (Extent::Ranks(ranks), Labels::Values(texts)) => texts.get(*ranks.start() as usize).cloned(),
            _ => Some(any.to_string()),
        }
    }

    /// What a node is called, `any` for anything; none for NULL.
    pub fn node_label(&self, id: NodeId, any: &str) -> Option<String> {
        let node = self.hierarchy.node(id);
        match (&node.meaning, &self.labels) {
            (Meaning::Null, _) => None,
            (Meaning::Taxonomy(id), Labels::Taxonomy(taxonomy, _)) => Some(taxonomy.label(*id).to_string()),
            (Meaning::Value, Labels::Values(texts)) => Some(texts[node.codes.start as usize].clone()),
            (Meaning::Interval, Labels::Intervals(intervals)) => {
                Some(intervals.label(&intervals.ends(id, node)))
            }
            _ => Some(any.to_string()),
        }
    }

    /// What a node is called, and its ends; of an interval the part from some codes to others.
    pub fn part(&self, id: NodeId, codes: &Range<Code>, any: &str) -> LabelAndEnds {
        let node = self.hierarchy.node(id);
        let Labels::Intervals(intervals) = &self.labels else {
            return (self.node_label(id, any), self.ends(&Extent::Node(id)));
        };
        if node.meaning != Meaning::Interval {
            return (self.node_label(id, any), (None, None));
        }
        let ends = intervals.part(intervals.ends(id, node), node, codes);
        let text = |end: Option<Datum>| end.map(|end| intervals.ty.text(end));
        (Some(intervals.label(&ends)), (text(ends.lower), text(ends.upper)))
    }

    /// The lower and upper end of what is released, where it has any.
    pub fn ends(&self, released: &Extent) -> TextEnds {
        match (released, &self.labels) {
            (Extent::Node(node), Labels::Taxonomy(taxonomy, tree)) => {
                match self.hierarchy.node(*node).meaning {
                    Meaning::Taxonomy(id) => tree.ends.of(taxonomy, id),
                    _ => (None, None),
                }
            }
            (_, Labels::Intervals(intervals)) => {
                let text = |end: Option<Datum>| end.map(|end| intervals.ty.text(end));
                let (from, to) = self.bounds(released);
                (text(from), text(to))
            }
            _ => (None, None),
        }
    }

    /// What shows of what is released: two of a column that have the same cannot be told apart. As ranges all values look like all
    /// and NULLs.
    pub fn rendered(&self, released: &Extent, any: &str, as_range: bool) -> LabelAndEnds {
        let over_null = self.hierarchy.node(TOP).meaning == Meaning::Any;
        let is_all = || match released {
            Extent::Any => true,
            Extent::Ranks(_) => false,
            Extent::Node(node) => {
                let Node { parent, meaning, .. } = self.hierarchy.node(*node);
                parent.is_none() || over_null && *parent == Some(TOP) && *meaning == Meaning::Interval
            }
        };
        if as_range && matches!(self.labels, Labels::Intervals(_)) && is_all() {
            return (Some(any.to_string()), (None, None));
        }
        (self.label(released, any), self.ends(released))
    }

    /// Whether it is an interval to which its upper end belongs.
    pub fn is_closed_interval(&self, released: &Extent) -> bool {
        match (released, &self.labels) {
            (Extent::Ranks(_), Labels::Intervals(_)) => true,
            (Extent::Node(id), Labels::Intervals(intervals)) => {
                let node = self.hierarchy.node(*id);
                node.meaning == Meaning::Interval && intervals.ends(*id, node).closed
            }
            _ => false,
        }
    }

    /// Whether a node is an interval that is shown as the only value in it.
    pub fn is_single_value(&self, id: NodeId) -> bool {
        let Labels::Intervals(intervals) = &self.labels else { return false };
        let Ends { lower, upper, closed } = intervals.ends(id, self.hierarchy.node(id));
        lower.zip(upper).is_some_and(|(from, to)| intervals.ty.is_single(from, to, closed))
    }

    /// The ends as values, of a column of intervals.
    pub fn bounds(&self, released: &Extent) -> (Option<Datum>, Option<Datum>) {
        match (released, &self.labels) {
            (Extent::Node(id), Labels::Intervals(intervals)) => {
                let node = self.hierarchy.node(*id);
                if node.meaning != Meaning::Interval {
                    return (None, None);
                }
                let Ends { lower, upper, .. } = intervals.ends(*id, node);
                (lower, upper)
            }
            (Extent::Ranks(ranks), Labels::Intervals(intervals)) => intervals.around(ranks).unzip(),
            _ => (None, None),
        }
    }

    /// The first code of what is released: where it stands in the column.
    pub fn first_code(&self, released: &Extent) -> Code {
        match released {
            Extent::Node(node) => self.hierarchy.node(*node).codes.start,
            Extent::Ranks(ranks) => *ranks.start(),
            Extent::Any => Code::MAX,
        }
    }

    /// Whether the column holds NULLs and is no suppression: then `*` stands over them and the rest.
    pub fn is_over_null(&self) -> bool {
        self.hierarchy.nodes().iter().any(|node| node.meaning == Meaning::Null)
    }
}

impl TreeEnds {
    /// Those of a node.
    pub fn of(&self, taxonomy: &Taxonomy, node: usize) -> TextEnds {
        let nodes = taxonomy.nodes();
        match self {
            TreeEnds::Own => taxonomy.ends(node).map(|end| end.map(String::from)).into(),
            _ if nodes[node].parent.is_none() => (None, None),
            TreeEnds::ByRule(ty, ends) => ends(*ty, taxonomy.label(node)),
            TreeEnds::ByLeaves(spans) => {
                let text = |leaf: usize| taxonomy.label(leaf).to_string();
                spans[node].map(|span| span.map(|leaf| Some(text(leaf))).into()).unwrap_or_default()
            }
        }
    }
}

impl IntervalLabels {
    /// The label of an interval; that of its value, where only one can lie in it.
    fn label(&self, ends: &Ends) -> String {
        if let (Some(from), Some(to)) = (ends.lower, ends.upper) {
            if self.ty.is_single(from, to, ends.closed) {
                return self.ty.text(from);
            }
        }
        let text = |end: Option<Datum>| end.map(|end| self.ty.text(end)).unwrap_or_default();
        let (open, close) =
            (if ends.lower.is_some() { '[' } else { '(' }, if ends.closed { ']' } else { ')' });
        format!("{open}{},{}{close}", text(ends.lower), text(ends.upper))
    }

    /// The ends of a node: those given, or by the values on both sides of where it was split.
    pub fn ends(&self, id: NodeId, node: &Node) -> Ends {
        if let Some(given) = self.given.get(&id) {
            return *given;
        }
        Ends {
            lower: self.outer_or_end(node.codes.start),
            upper: self.outer_or_end(node.codes.end),
            closed: self.upper.is_some() && node.codes.end as usize == self.values.len(),
        }
    }

    /// Those of a part of a node, which has the node's where it ends as that does.
    fn part(&self, whole: Ends, node: &Node, codes: &Range<Code>) -> Ends {
        let is_last = codes.end == node.codes.end;
        Ends {
            lower: if codes.start == node.codes.start { whole.lower } else { Some(self.end(codes.start)) },
            upper: if is_last { whole.upper } else { Some(self.end(codes.end)) },
            closed: is_last && whole.closed,
        }
    }

    /// The end that is shown just before the value of a rank: the domain's bounds are outermost.
    fn outer_or_end(&self, rank: Code) -> Option<Datum> {
        match rank as usize {
            0 => self.lower,
            rank if rank >= self.values.len() => self.upper,
            _ => Some(self.end(rank)),
        }
    }

    /// The end that a split shows between the value of a rank and the one before.
    pub fn end(&self, rank: Code) -> Datum {
        let rank = rank as usize;
        match (&self.points, self.endpoints) {
            (Some(points), _) => points[rank].unwrap_or(self.values[rank]),
            (None, Endpoints::Values) => self.values[rank],
            (None, Endpoints::Rounded) => {
                endpoint::between(self.ty, self.values[rank - 1], self.values[rank])
            }
        }
    }

    /// Sorts what has ends by these, from the left: by the lower ones, and the wider before what begins where it does. What
    /// has no end there reaches farthest.
    pub fn sort_by_ends(&self, all: &mut [usize], ends: impl Fn(usize) -> (Option<Datum>, Option<Datum>)) {
        let Some(compare) = self.ty.comparator() else { return };
        let nearer = |one: Option<Datum>, other: Option<Datum>| match (one, other) {
            (Some(one), Some(other)) => compare(one, other),
            _ => Ordering::Equal,
        };
        // An end takes long to find: once for each.
        let mut with_ends: Vec<_> = polled(&*all).map(|&one| (one, ends(one))).collect();
        type Ends = (usize, (Option<Datum>, Option<Datum>));
        with_ends.sort_by(polling(|&(_, (from, to)): &Ends, &(_, (other_from, other_to))| {
            let open = from.is_some().cmp(&other_from.is_some()).then_with(|| nearer(from, other_from));
            open.then_with(|| to.is_some().cmp(&other_to.is_some()).then_with(|| nearer(other_to, to)))
        }));
        all.iter_mut().zip(with_ends).for_each(|(one, (sorted, _))| *one = sorted);
    }

    /// The ends of the closed interval that a cluster of some ranks is released as: of a single
    /// value that value, else its least and greatest, moved outwards where ends are rounded, short
    /// of the next values of the data and of the domain's bounds.
    fn around(&self, ranks: &RangeInclusive<Code>) -> Option<(Datum, Datum)> {
        let (ty, values) = (self.ty, &self.values);
        let (first, last) = (*ranks.start() as usize, *ranks.end() as usize);
        let (least, greatest) = (*values.get(first)?, *values.get(last)?);
        if first == last || self.endpoints == Endpoints::Values {
            return Some((least, greatest));
        }
        let before = first.checked_sub(1).map(|rank| values[rank]);
        let after = values.get(last + 1).copied();
        let (from, to) = (endpoint::below(ty, before, least), endpoint::above(ty, greatest, after));
        let beyond = |end: Datum, bound: Option<Datum>, side: Ordering| {
            bound.filter(|&bound| ty.comparator().is_some_and(|compare| compare(end, bound) == side))
        };
        let from = beyond(from, self.lower, Ordering::Less).unwrap_or(from);
        let to = beyond(to, self.upper, Ordering::Greater).unwrap_or(to);
        Some((from, to))
    }
}
