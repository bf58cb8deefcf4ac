//! The tree of a masked column as a version keeps it, and the cuts through it that the version's steps made
//! one after the other.

use crate::postgres::arrays::Stored;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::sql::Values;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::nodes::Nodes;
use crate::release::store::shown::MaskedAs;
use crate::release::store::tables::TREES;
use crate::release::trace::Version;
use crate::search::trace::{StepRef, TraceTree};
use crate::search::StepRow;
use crate::terms::labels::end_as_written;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use topdown::progress::check_memory;
use topdown::taxonomy::{Edge, Edges};

/// The tree of a masked column. Nodes come after those above them, and children from the left.
#[derive(Debug)]
pub struct Tree {
    /// The column.
    pub attribute: String,
    /// Labels; none for NULL.
    pub labels: Vec<Option<String>>,
    /// The lower ends of intervals.
    pub lower: Vec<Option<String>>,
    /// The upper ends of intervals.
    pub upper: Vec<Option<String>>,
    /// How far below the top.
    pub depths: Vec<i32>,
    /// Which are released.
    pub in_cut: Vec<bool>,
    /// The coarsest cut that is allowed.
    coarsest: Vec<usize>,
    /// The nodes above.
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

/// The trees of a version by their columns.
pub fn of(existing: &ExistingRelease, version: i32) -> Result<HashMap<String, Tree>> {
    of_version(&Version::of(existing, version)?)
}

/// The same of one that need not be there yet but for its trees.
pub fn of_version(&Version { private, number, parameters }: &Version) -> Result<HashMap<String, Tree>> {
    let trees = Source::in_schema(private, TREES.name)?;
    let masking = &parameters.arguments.masking;
    let query = format!(
        "SELECT attribute, nodes, parents, lowers, uppers, depths, in_cut FROM ONLY {} WHERE version = $1",
        trees.qualified()
    );
    let trees = look_at(&trees, &query, &[number.into()], |row| {
        let labels = |i| Ok::<_, SqlError>(row.written::<Stored<String>>(i)?.0);
        let (nodes, above) = (labels(2)?, labels(3)?);
        let depths = all_there(row.written::<Stored<i32>>(6)?.0)?;
        check_memory::<(Option<String>, [Option<String>; 3], [usize; 6])>(nodes.len())?;
        let attribute: String = row.written(1)?;
        let by = masking.iter().find(|by| by.column_name() == attribute);
        let coarsest = by.and_then(|by| by.demands().coarsest).unwrap_or(0);
        // A search begins with intervals as they are, and splits them.
        let is_split = by.is_some_and(|by| by.is_by_intervals());
        Tree::new(
            attribute,
            (coarsest, is_split),
            nodes,
            above,
            [labels(4)?, labels(5)?],
            depths,
            all_there(row.written::<Stored<bool>>(7)?.0)?,
        )
    })?;
    Ok(trees.into_iter().map(|tree| (tree.attribute.clone(), tree)).collect())
}

/// A tree that is not as it was written.
fn unreadable(what: String) -> SqlError {
    SqlError::state(format!("{what} cannot be read"))
        .detail("What stands in taxonomy_v0 is no tree.")
        .hint("Make a version without them: release_refresh(..., mode => 'search').")
}

/// Numbers of a tree, none of which is NULL as it is written.
fn all_there<T>(numbers: Vec<Option<T>>) -> Result<Vec<T>> {
    let broken = || unreadable("a tree of the release".into());
    numbers.into_iter().collect::<Option<Vec<T>>>().ok_or_else(broken)
}

impl Tree {
    fn new(
        attribute: String,
        (coarsest, is_split): (i32, bool),
        labels: Vec<Option<String>>,
        above: Vec<Option<String>>,
        [lower, upper]: [Vec<Option<String>>; 2],
        depths: Vec<i32>,
        in_cut: Vec<bool>,
    ) -> Result<Tree> {
        let n = labels.len();
        let broken = || unreadable(format!("the tree of column \"{attribute}\""));
        let as_long = [above.len(), lower.len(), upper.len(), depths.len(), in_cut.len()];
        if n == 0 || as_long.iter().any(|&length| length != n) || depths[0] != 0 {
            return Err(broken());
        }
        // A taxonomy may itself call a node what stands over NULLs, so depth tells them apart.
        let at: HashMap<(Option<&str>, i32), usize> = polled(labels.iter().zip(&depths))
            .enumerate()
            .map(|(i, (label, &depth))| ((label.as_deref(), depth), i))
            .collect();
        let (mut parents, mut children) = (vec![None; n], vec![Vec::new(); n]);
        for node in polled(1..n) {
            let key = (above[node].as_deref(), depths[node] - 1);
            let parent = at.get(&key).copied().filter(|&parent| parent < node).ok_or_else(broken)?;
            parents[node] = Some(parent);
            children[parent].push(node);
        }
        drop(at);
        // Depths are those of the column's own tree: NULL and that stand below the `*` over both.
        let over_null = children[0].iter().any(|&child| labels[child].is_none());
        let least = if is_split { 0 } else { coarsest };
        let least = least.saturating_add(i32::from(over_null));
        let is_in =
            |&node: &usize| depths[node] == least || depths[node] < least && children[node].is_empty();
        let coarsest = if coarsest > 0 { polled(0..n).filter(is_in).collect() } else { vec![0] };
        Ok(Tree { attribute, labels, lower, upper, depths, in_cut, coarsest, parents, children })
    }

    /// The nodes of the cut and those above them, each before what is below it, from the left. A node of the cut may have others
    /// of the cut below it: what is left in it is not of these.
    pub fn down_to_cut(&self) -> Vec<usize> {
        let mut on_the_way = self.in_cut.clone();
        for node in polled((0..on_the_way.len()).rev()) {
            if let (true, Some(parent)) = (on_the_way[node], self.parents[node]) {
                on_the_way[parent] = true;
            }
        }
        let (mut nodes, mut open) = (Vec::new(), vec![0]);
        while let Some(node) = open.pop() {
            nodes.push(node);
            open.extend(self.children[node].iter().rev().filter(|&&child| on_the_way[child]));
        }
        nodes
    }

    /// The nodes by those above them and their labels.
    pub fn by_parent(&self) -> HashMap<(usize, Option<&str>), usize> {
        let nodes = 1..self.labels.len();
        nodes.filter_map(|node| Some(((self.parents[node]?, self.labels[node].as_deref()), node))).collect()
    }

    /// The cut after steps of the column, which is masked in some way.
    pub fn follow<'a>(&self, masked: MaskedAs, steps: impl Iterator<Item = &'a StepRow>) -> HashSet<usize> {
        let mut cut: HashSet<usize> = self.coarsest.iter().copied().collect();
        for StepRef { node, children, .. } in steps.map(|step| &step.refined) {
            // `*` stays as long as there are values in it that are not disclosed.
            if masked != MaskedAs::Suppression || cut.len() == self.children[0].len() {
                cut.remove(node);
            }
            cut.extend(children.iter().filter(|child| *child != node));
        }
        cut
    }

    /// For each node the node of a cut above it, or the node itself if it is in the cut; the top for nodes above the cut.
    pub fn above(&self, cut: &HashSet<usize>) -> Result<Vec<usize>> {
        check_memory::<usize>(self.labels.len())?;
        let mut above = Vec::with_capacity(self.labels.len());
        for node in polled(0..self.labels.len()) {
            // A parent comes before its children.
            let of_parent = self.parents[node].map_or(0, |parent| above[parent]);
            above.push(if cut.contains(&node) { node } else { of_parent });
        }
        Ok(above)
    }

    /// The nodes that are released.
    pub fn released(&self) -> HashSet<usize> {
        (0..self.labels.len()).filter(|&node| self.in_cut[node]).collect()
    }

    /// The nodes by what they are called and how far they are below the column's own top.
    pub fn by_name(&self) -> HashMap<(&str, usize), usize> {
        let own = usize::from(self.null().is_some());
        let name = |node: usize| {
            let depth = (self.depths[node] as usize).checked_sub(own)?;
            Some(((self.labels[node].as_deref()?, depth), node))
        };
        (0..self.labels.len()).filter_map(name).collect()
    }

    /// The nodes from the top down to one.
    pub fn way_down(&self, node: usize) -> Vec<usize> {
        let mut way: Vec<usize> = std::iter::successors(Some(node), |&node| self.parents[node]).collect();
        way.reverse();
        way
    }

    /// The coarsest cut that is allowed.
    pub fn coarsest(&self) -> &[usize] {
        &self.coarsest
    }

    /// What has nothing below it, by what it is called.
    pub fn leaves(&self) -> HashMap<&str, usize> {
        let leaves = (0..self.labels.len()).filter(|&node| self.children[node].is_empty());
        leaves.filter_map(|node| Some((self.labels[node].as_deref()?, node))).collect()
    }

    /// What those of its leaves are called that rows may have held: they, or something above them, are released.
    pub fn held(&self) -> Result<HashSet<Option<String>>> {
        check_memory::<(bool, [Option<String>; 2])>(self.labels.len())?;
        let mut held = self.in_cut.clone();
        for node in polled(1..held.len()) {
            held[node] |= self.parents[node].is_some_and(|parent| held[parent]);
        }
        let leaves = polled(0..held.len()).filter(|&node| held[node] && self.children[node].is_empty());
        Ok(leaves.map(|node| self.labels[node].clone()).collect())
    }

    /// One of its `lower` or `upper` ends, as a value of the column's type.
    pub fn end(&self, text: Option<&String>, ty: Type) -> Result<Option<Datum>> {
        text.map(|text| end_as_written(&self.attribute, text, ty)).transpose()
    }

    /// As steps refer to it, of a column that is masked in some way.
    pub fn traced(self, masked: MaskedAs) -> TraceTree {
        let over_null = masked != MaskedAs::Suppression && self.has_null();
        let Tree { labels, depths, lower, upper, .. } = self;
        TraceTree { labels, depths, lower, upper, over_null }
    }

    /// The column's own top, where `*` stands over it and NULL.
    pub fn own_top(&self) -> Option<usize> {
        self.children[0].iter().copied().find(|&child| self.labels[child].is_some())
    }

    /// The column's own top: below the `*` over NULLs, where there are any.
    pub fn own_top_or_top(&self) -> usize {
        self.own_top().filter(|_| self.has_null()).unwrap_or(0)
    }

    /// Whether it has NULL beside the column's own top.
    pub fn has_null(&self) -> bool {
        self.null().is_some()
    }

    /// NULL's node, if there is one.
    pub fn null(&self) -> Option<usize> {
        self.children[0].iter().copied().find(|&child| self.labels[child].is_none())
    }

    /// What NULL is released as.
    pub fn of_null(&self) -> usize {
        self.null().filter(|&null| self.in_cut[null]).unwrap_or(0)
    }

    /// What a value without a place is released as: the column's own top, or what stands over that and NULLs
    /// while these are not told apart.
    pub fn of_unknown(&self, masked: MaskedAs) -> usize {
        match (self.null(), self.own_top()) {
            (Some(null), Some(own)) if self.in_cut[null] && masked != MaskedAs::Suppression => own,
            _ => 0,
        }
    }

    /// The version's nodes with another cut, each node of which has so many rows.
    pub fn nodes(&self, cut: &HashSet<usize>, records: &HashMap<usize, i64>) -> Nodes {
        let order = self.left_to_right();
        let all = 0..self.labels.len();
        Nodes {
            in_cut: all.clone().map(|node| cut.contains(&node)).collect(),
            records: all.map(|node| records.get(&node).copied().unwrap_or_default()).collect(),
            attribute: self.attribute.clone(),
            labels: self.labels.clone(),
            parents: self.parents.clone(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            depths: self.depths.clone(),
            order,
            other_form: None,
        }
    }

    /// The column's own tree, as the rows of a taxonomy.
    pub fn edges(&self) -> Edges {
        let (mut edges, own_top) = (Edges::default(), self.own_top_or_top());
        for node in polled(own_top..self.labels.len()) {
            let parent = self.parents[node].filter(|_| node != own_top);
            let parent = parent.and_then(|parent| self.labels[parent].as_deref());
            if let child @ Some(_) = self.labels[node].as_deref() {
                edges.push(Edge { child, parent, lower: None, upper: None });
            }
        }
        edges
    }

    /// Where each node stands, from the left; NULL last.
    fn left_to_right(&self) -> Vec<usize> {
        let (mut order, mut stack, mut next) = (vec![0; self.labels.len()], vec![0], 0..);
        while let Some(node) = stack.pop() {
            order[node] = next.next().expect("numbers without an end");
            stack.extend(self.children[node].iter().rev());
        }
        let last = self.labels.len();
        let is_null = |node: &usize| self.labels[*node].is_none();
        (0..last).filter(is_null).for_each(|node| order[node] += last);
        order
    }
}
