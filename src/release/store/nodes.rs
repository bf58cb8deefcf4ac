//! The nodes of a masked column, as the tables of a release show them: its whole hierarchy, if values are released
//! as nodes of one, with what each is called and where it stands; and what the view shows of those released.

use crate::postgres::error::{clipped, Result, SqlError};
use crate::postgres::progress::{polled, polling};
use crate::recount::means::ShownNodes;
use crate::release::store::shown::{ColumnNodes, MaskedAs, NodeForm};
use crate::search::result::GeneralizedColumn;
use crate::search::SearchResult;
use crate::terms::labels::{Bound, Labels};
use crate::terms::request::Request;
use crate::terms::words::{Changes, Verb};
use hashbrown::{HashMap, HashSet};
use topdown::cluster::Extent;
use topdown::refine::TOP;

/// The nodes of a masked column, as the tables show them.
#[derive(Debug)]
pub struct Nodes {
    /// The column.
    pub attribute: String,
    /// Labels; none for NULL.
    pub labels: Vec<Option<String>>,
    /// The nodes above.
    pub parents: Vec<Option<usize>>,
    /// The lower ends of intervals.
    pub lower: Vec<Option<String>>,
    /// The upper ends of intervals.
    pub upper: Vec<Option<String>>,
    /// How far below the top.
    pub depths: Vec<i32>,
    /// Which are released.
    pub in_cut: Vec<bool>,
    /// Where each stands among the others, from the left.
    pub order: Vec<usize>,
    /// Rows released as the node.
    pub records: Vec<i64>,
    /// What the view shows of those released, where that is not their label.
    pub other_form: Option<Vec<Option<String>>>,
}

impl Nodes {
    /// What the view shows of a node that is released; none for NULL.
    pub fn shown(&self, node: usize) -> Option<&str> {
        self.other_form.as_ref().unwrap_or(&self.labels)[node].as_deref()
    }

    /// The same in a form, which is made of the ends of those that are released.
    pub fn in_form(mut self, form: NodeForm) -> Result<Nodes> {
        let Nodes { attribute, labels, lower, upper, depths, in_cut, .. } = &self;
        let shown = ColumnNodes { attribute, labels, lower, upper, depths };
        self.other_form = match form {
            NodeForm::Label => None,
            _ => Some(shown.texts(form, |node| in_cut[node])?),
        };
        Ok(self)
    }

    /// What the view shows of each of what values are released as, in the order of a column's cut.
    pub fn of_cut(&self, column: &GeneralizedColumn, any: &str) -> Vec<Option<String>> {
        let GeneralizedColumn { bound, cut, .. } = column;
        // What is no node is listed after all nodes, in the order of the cut.
        let mut others = bound.hierarchy.nodes().len()..;
        let shown = |extent: &Extent| match (&self.other_form, extent) {
            (None, _) => bound.label(extent, any),
            (Some(shown), Extent::Node(node)) => shown[*node as usize].clone(),
            (Some(shown), _) => others.next().and_then(|place| shown[place].clone()),
        };
        polled(cut).map(shown).collect()
    }

    /// How many of those released hold rows.
    pub fn populated(&self) -> usize {
        self.in_cut.iter().zip(&self.records).filter(|(in_cut, records)| **in_cut && **records > 0).count()
    }

    /// Takes out of the cut what no row is released as.
    pub fn leave_out_unused(&mut self) {
        self.in_cut.iter_mut().zip(&self.records).for_each(|(in_cut, records)| *in_cut &= *records > 0);
    }

    /// The cut: those released, from the left, whenever they were split off.
    pub fn cut(&self) -> Vec<usize> {
        let mut cut: Vec<usize> = (0..self.labels.len()).filter(|&n| self.in_cut[n]).collect();
        cut.sort_by(polling(|&a: &usize, &b: &usize| self.order[a].cmp(&self.order[b])));
        cut
    }

    /// The cut as the view shows it, and the ends of its intervals.
    pub fn cut_as_shown(&self) -> ShownNodes {
        let cut = self.cut();
        let of = |texts: &[Option<String>]| cut.iter().map(|&node| texts[node].clone()).collect();
        let shown = cut.iter().map(|&node| self.shown(node).map(String::from)).collect();
        ShownNodes { shown, lower: of(&self.lower), upper: of(&self.upper) }
    }

    /// All of them from the left, as the tree is written.
    pub fn left_to_right(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.labels.len()).collect();
        all.sort_by(polling(|&a: &usize, &b: &usize| self.order[a].cmp(&self.order[b])));
        all
    }

    /// The place of each node in the tree as it is written.
    pub fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.labels.len()];
        self.left_to_right().into_iter().enumerate().for_each(|(place, node)| places[node] = place);
        places
    }

    /// The nodes of a column: its whole hierarchy, if values are released as nodes of one; else what
    /// they are released as.
    pub fn new(request: &Request, found: &SearchResult, attribute: usize) -> Result<Nodes> {
        let any = request.any();
        let GeneralizedColumn { bound, cut, .. } = &found.columns[attribute];
        let records = found.rows_by_extent(attribute)?;
        // Clusters that others are to be assigned to, and values that are counted, are found again in a tree.
        let is_of_tree = request.arguments.verb != Verb::KMember
            || request.arguments.changes == Changes::Batched
            || request.arguments.counts
            || cut.iter().all(|extent| matches!(extent, Extent::Node(_)));
        let listed = listed(&found.columns[attribute], is_of_tree, any);
        let label = |extent: &Extent| bound.label(extent, any);
        let labels: Vec<Option<String>> = polled(&listed).map(|(extent, ..)| label(extent)).collect();
        let (lower, upper) = polled(&listed).map(|(extent, ..)| bound.ends(extent)).unzip();
        let released: HashSet<&Extent> = cut.iter().collect();
        let in_cut: Vec<bool> = listed.iter().map(|(extent, ..)| released.contains(extent)).collect();
        let rows = |extent| records.get(extent).map_or(0, |&rows| rows as i64);
        let records: Vec<i64> = listed.iter().map(|(extent, ..)| rows(extent)).collect();
        let masked = match &bound.labels {
            Labels::Intervals(_) => MaskedAs::Intervals,
            _ => MaskedAs::Taxonomy,
        };
        let ty = request.source.type_of(request.masked[attribute].column);
        let form = NodeForm::new(masked, request.arguments.intervals, Some(ty));
        let nodes = Nodes {
            attribute: request.name(attribute).to_string(),
            parents: listed.iter().map(|(_, above, _)| *above).collect(),
            depths: listed.iter().map(|(.., depth)| *depth).collect(),
            in_cut,
            order: from_the_left(bound, &listed, &labels),
            records,
            labels,
            lower,
            upper,
            other_form: None,
        };
        let nodes = nodes.in_form(form)?;
        let arguments = &request.arguments;
        let is_found_again = arguments.changes == Changes::Batched && arguments.clusters();
        if is_found_again && masked == MaskedAs::Intervals {
            nodes.must_be_told_apart()?;
        }
        Ok(if found.clusters.is_some() { nodes.joined() } else { nodes })
    }

    /// Clusters are found again by what they show: what is an interval, a value, or anything must not be called alike.
    fn must_be_told_apart(&self) -> Result<()> {
        let mut ends: HashMap<Option<&str>, usize> = HashMap::new();
        for node in polled(0..self.labels.len()).filter(|&node| self.in_cut[node]) {
            let first = *ends.entry(self.shown(node)).or_insert(node);
            let ends = |node: usize| (&self.lower[node], &self.upper[node]);
            if let (Some(text), true) = (self.shown(node), ends(first) != ends(node)) {
                return Err(SqlError::data(format!(
                    "column \"{}\" shows two things as \"{}\"",
                    self.attribute,
                    clipped(text)
                ))
                .detail("A value, and an interval or what is suppressed: rows of two clusters could not be told apart, where changes are batched.")
                .hint("Use recoding => 'local', or suppressed => another text if that is what both are called."));
            }
        }
        Ok(())
    }

    /// What groups and clusters release alike is one node of the cut: whatever holds NULLs and whatever holds all values may
    /// be shown by one text.
    pub fn joined(mut self) -> Nodes {
        let (mut in_cut, mut records) = (std::mem::take(&mut self.in_cut), std::mem::take(&mut self.records));
        let mut first: HashMap<Option<&str>, usize> = HashMap::new();
        for node in polled(0..self.labels.len()) {
            let one = if in_cut[node] { *first.entry(self.shown(node)).or_insert(node) } else { node };
            if one != node {
                records[one] += std::mem::take(&mut records[node]);
                in_cut[node] = false;
            }
        }
        drop(first);
        (self.in_cut, self.records) = (in_cut, records);
        self
    }
}

/// Where each of what is listed stands, from the left: intervals by their lower ends, the wider before what it
/// contains, wherever in the tree they are; else in the order of the tree; NULL last.
fn from_the_left(bound: &Bound, listed: &[Listed], labels: &[Option<String>]) -> Vec<usize> {
    let nodes = bound.hierarchy.nodes();
    let (mut stack, mut visited, mut next) = (vec![TOP], vec![0; nodes.len()], 0..);
    while let Some(node) = stack.pop() {
        visited[node as usize] = next.next().expect("numbers without an end");
        stack.extend(nodes[node as usize].children.iter().rev());
    }
    let mut order: Vec<usize> = (0..listed.len()).collect();
    // Values below a `*` are nobody's children, and what is no node is in no tree: they are listed in order. An interval of a
    // cluster comes after the nodes, also after one with the same ends: it is below the column's own top.
    let visit = |n: usize| match &listed[n].0 {
        Extent::Node(id) => visited[*id as usize],
        Extent::Ranks(_) => usize::MAX,
        Extent::Any => 0,
    };
    order.sort_by(polling(|&a, &b| visit(a).cmp(&visit(b))));
    if let Labels::Intervals(intervals) = &bound.labels {
        intervals.sort_by_ends(&mut order, |n| bound.bounds(&listed[n].0));
    }
    order.sort_by(polling(|&a: &usize, &b: &usize| labels[a].is_none().cmp(&labels[b].is_none())));
    let mut place = vec![0; listed.len()];
    order.iter().enumerate().for_each(|(at, &n)| place[n] = at);
    place
}

/// An extent, which of the list is above it, and how far below the top it is.
type Listed = (Extent, Option<usize>, i32);

/// What is listed of a column: each node, which of the list is above it, and how far below the top it is.
fn listed(column: &GeneralizedColumn, is_of_tree: bool, any: &str) -> Vec<Listed> {
    let GeneralizedColumn { bound, cut, .. } = column;
    if is_of_tree {
        let mut listed: Vec<Listed> = Vec::new();
        for (id, node) in polled((0..).zip(bound.hierarchy.nodes())) {
            // A node comes after the one above it.
            let above = node.parent.map(|parent| parent as usize);
            let depth = above.map_or(0, |above| listed[above].2 + 1);
            listed.push((Extent::Node(id), above, depth));
        }
        // Intervals of clusters.
        let own = bound.hierarchy.own_top() as usize;
        let depth = listed[own].2 + 1;
        let others = polled(cut).filter(|extent| !matches!(extent, Extent::Node(_)));
        listed.extend(others.map(|extent| (extent.clone(), Some(own), depth)));
        return listed;
    }
    let key = |extent: &Extent| (*extent != Extent::Any, bound.first_code(extent), bound.label(extent, any));
    let mut keyed: Vec<_> = polled(cut).map(|extent| (key(extent), extent)).collect();
    keyed.sort_by(polling(|(one, _): &(_, &Extent), (other, _)| Ord::cmp(one, other)));
    polled(keyed).map(|(_, extent)| (extent.clone(), None, 0)).collect()
}
