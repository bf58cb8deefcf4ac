//! Clusters of the version before, where changes are batched. No steps lead to clusters: what a version's table shows of each row
//! says in which it is, and the row stays there.
//!
//! A row that came is assigned to the cluster that loses least of those that cover it: what readers see of a cluster stays as it is.
//! What none covers goes together, as coarse as each column may be.

use super::input::Input;
use super::rows::{Assigned, Rows, WithoutPlace};
use super::trace::{bind_nodes, LeftOut, TraceTree};
use super::Performed;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, polling};
use crate::read::table::{ReleasedBefore, Table};
use crate::terms::labels::{is_closed, Ends, IntervalLabels, Labels};
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use std::cmp::Ordering;
use std::ops::Range;
use topdown::cluster::Extent;
use topdown::loss;
use topdown::progress::check_memory;
use topdown::refine::{Hierarchy, Node, NodeId};
use topdown::search::Clusters;
use topdown::table::{Codes, Store, NONE};
use topdown::{Code, Outcome};

/// Has columns hold NULLs still that did in the version before: else what is shown over these and all values would be called as all
/// values are, and clusters that were told apart would be one.
pub(super) fn keep_nulls(assigned: &Assigned, request: &Request, table: &mut Table) -> Result<()> {
    for (masked, tree) in request.masked.iter().zip(&assigned.trees[..]) {
        table.column_mut(masked.column)?.nulls |= tree.labels.contains(&None);
    }
    Ok(())
}

/// What a cluster shows: the place in its tree of each masked column.
type Shown = Box<[u32]>;

/// What a column shows at a place of its tree.
struct Place {
    extent: Extent,
    /// The codes that it covers.
    codes: Range<Code>,
    loss: f64,
}

/// What a column shows at the places of its tree that are used, where it is there.
type Places = HashMap<u32, Place>;

/// The ends of a column's intervals that were published.
type EndsOf = HashMap<NodeId, Ends>;

/// For each record what the version before shows of it on each masked column, or would: the place in the column's tree, a number
/// beyond these for each node of the coarsest cut, and the last number for nothing. `identities` say what each record of `rows` is;
/// equal ones are in one cluster.
pub(super) fn released_before(
    assigned: &Assigned,
    request: &Request,
    mut rows: Rows,
    identities: &[i64],
) -> Result<Vec<ReleasedBefore>> {
    let all = rows.table.records;
    check_memory::<(i64, u32)>(2 * assigned.rows.len())?;
    let row_of: HashMap<i64, u32> = polled(assigned.rows.iter().copied().zip(0..)).collect();
    let of_version = assigned.shown.iter().map(Store::load).collect::<std::result::Result<Vec<_>, _>>()?;
    check_memory::<u32>(all * request.masked.len())?;
    let shown_before = |a: usize, row: &i64| row_of.get(row).map(|&row| of_version[a].get(row as usize));
    let mut shown: Vec<Vec<u32>> = (0..request.masked.len())
        .map(|a| polled(identities).map(|row| shown_before(a, row).unwrap_or(NONE)).collect())
        .collect();
    let came: Vec<bool> = polled(identities).map(|row| !row_of.contains_key(row)).collect();
    drop(row_of);
    // Their own numbers go with the rows: some have no place.
    check_memory::<u32>(all)?;
    let number = Store::from_iter(polled(0..all as Code));
    rows.table.before = vec![ReleasedBefore { name: String::new(), codes: number, numbers: all }];
    rows.without_place = WithoutPlace::LeftOut;
    let nothing = assign(&assigned.trees, request, Input::new(request, rows)?, &came, &mut shown)?;
    let columns = shown.into_iter().zip(nothing).enumerate().map(|(a, (shown, nothing))| ReleasedBefore {
        name: request.name(a).to_string(),
        codes: Store::from_iter(polled(shown).map(|place| place.min(nothing))),
        numbers: nothing as usize + 1,
    });
    Ok(columns.collect())
}

/// Says of records that came what they are to be shown as, beside the others; of what is in `input` the numbers are with it. Of each
/// column the number for nothing.
fn assign(
    trees: &[TraceTree],
    request: &Request,
    input: Input,
    came: &[bool],
    shown: &mut [Vec<u32>],
) -> Result<Vec<u32>> {
    let Input { mut hierarchies, labels, table, .. } = input;
    let stayed = || polled(0..came.len()).filter(|&record| !came[record]);
    let used: Vec<HashSet<u32>> =
        shown.iter().map(|shown| stayed().map(|record| shown[record]).collect()).collect();
    let clusters: HashSet<Shown> =
        stayed().map(|record| shown.iter().map(|shown| shown[record]).collect()).collect();
    let (places, _) = bind(trees, &mut hierarchies, &labels, used)?;
    let covers = Covers::new(request, (trees, &hierarchies), &places, clusters)?;
    let numbers = table.before[0].codes.load()?;
    let codes = request.masked.iter().map(|masked| Ok(table.column(masked.column)?.codes.load()?));
    let codes = codes.collect::<Result<Vec<_>>>()?;
    for place in polled(0..numbers.len()) {
        let record = numbers.get(place) as usize;
        if !came[record] {
            continue;
        }
        let codes: Vec<Code> = codes.iter().map(|codes| codes.get(place)).collect();
        if let Some(cluster) = covers.cluster_of(&codes) {
            shown.iter_mut().zip(cluster.iter()).for_each(|(shown, &node)| shown[record] = node);
        }
    }
    let nothing =
        |(tree, hierarchy): (&TraceTree, &Hierarchy)| tree.labels.len() + hierarchy.coarsest().len();
    Ok(trees.iter().zip(&hierarchies).map(|column| nothing(column) as u32).collect())
}

/// The nodes at the places of each tree that are used; intervals are made, and have the ends that were published.
fn bind(
    trees: &[TraceTree],
    hierarchies: &mut [Hierarchy],
    labels: &[Labels],
    used: Vec<HashSet<u32>>,
) -> Result<(Vec<Places>, Vec<EndsOf>)> {
    let columns = hierarchies.iter_mut().zip(labels).zip(trees).zip(used);
    let bound = columns.map(|(((hierarchy, labels), tree), used)| {
        let nodes = bind_nodes(tree, hierarchy, labels);
        let mut used: Vec<u32> = used.into_iter().collect();
        used.sort_unstable_by(polling(Ord::cmp));
        let (mut bound, mut ends_of) = (Places::new(), EndsOf::new());
        for place in polled(used) {
            let at = place as usize;
            // What is beyond is none of the tree's.
            let Some(&node) = nodes.get(at) else { continue };
            let node = match (node, labels) {
                (None, Labels::Intervals(intervals)) if tree.labels[at].is_some() => {
                    let (codes, ends) = interval(tree, at, intervals)?;
                    // A single value is called as that.
                    let is_value = tree.labels[at] == tree.lower[at] && codes.len() == 1;
                    if is_value {
                        let extent = Extent::Ranks(codes.start..=codes.start);
                        bound.insert(place, Place { extent, codes, loss: loss::SINGLE });
                        continue;
                    }
                    // Each place is another interval.
                    let own_top = hierarchy.own_top();
                    let node = hierarchy.find_or_add_interval(own_top, codes, (0, 0), &mut HashMap::new())?;
                    ends_of.insert(node, ends);
                    Some(node)
                }
                (node, _) => node,
            };
            bound.extend(node.map(|node| (place, Place::of(node, hierarchy))));
        }
        Ok((bound, ends_of))
    });
    Ok(bound.collect::<Result<Vec<_>>>()?.into_iter().unzip())
}

impl Place {
    fn of(node: NodeId, hierarchy: &Hierarchy) -> Place {
        let Node { codes, loss, .. } = hierarchy.node(node);
        Place { extent: Extent::Node(node), codes: codes.clone(), loss: *loss }
    }
}

/// The codes of an interval by the ends that it has in a tree, and these.
fn interval(tree: &TraceTree, place: usize, intervals: &IntervalLabels) -> Result<(Range<Code>, Ends)> {
    let changed = || {
        SqlError::state("an interval of the version before cannot be read")
            .detail("Somebody has changed what was written.")
            .hint("Make the release again under another name.")
    };
    let text = |text: &Option<String>| {
        text.as_deref()
            .map(|text| intervals.ty.parse(text).map_err(|fault| changed().detail(fault)))
            .transpose()
    };
    let (lower, upper) = (text(&tree.lower[place])?, text(&tree.upper[place])?);
    let label = tree.labels[place].as_deref().ok_or_else(changed)?;
    let closed = is_closed(label, tree.lower[place].as_deref(), tree.upper[place].as_deref());
    let compare = intervals.ty.comparator().ok_or_else(changed)?;
    let rank = |is_before: &dyn Fn(Ordering) -> bool, end| {
        intervals.values.partition_point(|&value| is_before(compare(value, end))) as Code
    };
    let from = lower.map_or(0, |lower| rank(&Ordering::is_lt, lower));
    let to = match upper {
        None => intervals.values.len() as Code,
        Some(upper) if closed => rank(&Ordering::is_le, upper),
        Some(upper) => rank(&Ordering::is_lt, upper),
    };
    Ok((from..to.max(from), Ends { lower, upper, closed }))
}

/// Clusters by which values they cover.
struct Covers {
    /// The codes that each covers on each column, those first that lose least.
    clusters: Vec<(Shown, Vec<Range<Code>>)>,
    /// Of a row that none covers what it is shown as on each column.
    beside: Vec<Beside>,
    /// Whether each column has one cut for all clusters: then a value is shown as elsewhere, whatever covers it.
    by_one_cut: Vec<bool>,
}

/// What a column shows of a row that no cluster covers, by the first that has its value; if none has, the row waits.
type Beside = Vec<(u32, Range<Code>)>;

impl Covers {
    fn new(
        request: &Request,
        (trees, hierarchies): (&[TraceTree], &[Hierarchy]),
        places: &[Places],
        clusters: HashSet<Shown>,
    ) -> Result<Covers> {
        check_memory::<(Shown, [Range<Code>; 2], f64)>(clusters.len() * places.len())?;
        let mut covering = Vec::new();
        for shown in polled(clusters) {
            let of = shown.iter().zip(places).map(|(place, places)| places.get(place));
            // What is gone of a taxonomy covers no row that comes.
            let Some(of) = of.collect::<Option<Vec<_>>>() else { continue };
            let loss: f64 = of.iter().map(|place| place.loss).sum();
            let codes = of.iter().map(|place| place.codes.clone()).collect();
            covering.push((loss, shown, codes));
        }
        covering.sort_unstable_by(polling(|(one, shown, _), (other, of_other, _)| {
            f64::total_cmp(one, other).then_with(|| Shown::cmp(shown, of_other))
        }));
        let by_one_cut: Vec<bool> = (0..places.len()).map(|a| request.shows(a)).collect();
        let columns = hierarchies.iter().zip(places).zip(trees).zip(&by_one_cut);
        let beside = columns.map(|(((hierarchy, places), tree), &one)| beside(one, hierarchy, places, tree));
        let beside = beside.collect();
        let clusters = covering.into_iter().map(|(_, shown, codes)| (shown, codes)).collect();
        Ok(Covers { clusters, beside, by_one_cut })
    }

    /// What a row shows that holds some codes; nothing where nothing covers it.
    fn cluster_of(&self, codes: &[Code]) -> Option<Shown> {
        let covers =
            |covered: &[Range<Code>]| covered.iter().zip(codes).all(|(covered, code)| covered.contains(code));
        let beside = self.beside.iter().zip(codes).map(|(beside, code)| {
            beside.iter().find(|(_, codes)| codes.contains(code)).map(|(place, _)| *place)
        });
        let beside: Vec<Option<u32>> = beside.collect();
        let is_as_elsewhere = |shown: &Shown| {
            let columns = shown.iter().zip(&beside).zip(&self.by_one_cut);
            columns.into_iter().all(|((place, beside), by_one_cut)| !by_one_cut || Some(*place) == *beside)
        };
        let is_of = |(shown, covered): &&(Shown, Vec<Range<Code>>)| covers(covered) && is_as_elsewhere(shown);
        match polled(&self.clusters).find(is_of) {
            Some((shown, _)) => Some(shown.clone()),
            None => beside.into_iter().collect(),
        }
    }
}

/// By one cut what is shown of the value elsewhere. Where intervals have to be split the widest that is there; else the coarsest that
/// is allowed.
fn beside(is_by_one_cut: bool, hierarchy: &Hierarchy, places: &Places, tree: &TraceTree) -> Beside {
    if is_by_one_cut || hierarchy.must_split(hierarchy.own_top()) {
        let mut shown: Beside =
            places.iter().map(|(&place, Place { codes, .. })| (place, codes.clone())).collect();
        let key = |(place, codes): &(u32, Range<Code>)| (codes.len(), *place);
        shown.sort_unstable_by(polling(|one, other| key(one).cmp(&key(other))));
        if !is_by_one_cut {
            shown.reverse();
        }
        return shown;
    }
    let place_of: HashMap<&Extent, u32> =
        places.iter().map(|(&place, Place { extent, .. })| (extent, place)).collect();
    let coarsest = hierarchy.coarsest().iter().zip(tree.labels.len() as u32..);
    coarsest
        .map(|(&node, beyond)| {
            let place = place_of.get(&Extent::Node(node)).copied().unwrap_or(beyond);
            (place, hierarchy.node(node).codes.clone())
        })
        .collect()
}

/// The clusters of records that go with what they show of each.
pub(super) fn outcome(
    request: &Request,
    trees: &[TraceTree],
    input: &Input,
    mut hierarchies: Vec<Hierarchy>,
) -> Result<Performed> {
    let shown = input.table.before.iter().map(|column| column.codes.load());
    let shown = shown.collect::<std::result::Result<Vec<_>, _>>()?;
    let codes = request.masked.iter().map(|masked| Ok(input.table.column(masked.column)?.codes.load()?));
    let codes = codes.collect::<Result<Vec<_>>>()?;
    let records = input.table.records;
    let used = shown.iter().map(|shown| polled(0..records).map(|record| shown.get(record)).collect());
    let (places, ends) = bind(trees, &mut hierarchies, &input.labels, used.collect())?;
    check_memory::<Code>(records)?;
    let (mut extents, mut numbers) = (Vec::new(), HashMap::<Box<[Extent]>, Code>::new());
    let mut of_records = Codes::default();
    for record in polled(0..records) {
        let extent = |a: usize| {
            let place = shown[a].get(record);
            let (hierarchy, code) = (&hierarchies[a], codes[a].get(record));
            let mut coarsest = hierarchy.coarsest().iter().copied();
            match (place as usize) < trees[a].labels.len() {
                true => places[a].get(&place).map(|place| place.extent.clone()),
                false => coarsest.find(|&node| hierarchy.node(node).codes.contains(&code)).map(Extent::Node),
            }
        };
        let cluster: Option<Box<[Extent]>> = (0..trees.len()).map(extent).collect();
        let gone = || SqlError::state("what a cluster of the version before shows is not there any more");
        let number = *numbers.entry(cluster.ok_or_else(gone)?).or_insert_with_key(|cluster| {
            extents.push(cluster.to_vec());
            extents.len() as Code - 1
        });
        while !of_records.can_hold(number) {
            of_records.widen();
        }
        of_records.push(number);
    }
    let clusters = Clusters { extents, of_records };
    let outcome = Outcome {
        steps: Vec::new(),
        cuts: Vec::new(),
        regions: None,
        clusters: Some(clusters),
        hierarchies,
        achieved: Vec::new(),
        redundant: Vec::new(),
        withheld: Vec::new(),
    };
    // No step was left out.
    Ok(Performed { outcome, ends, left_out: Some(LeftOut::default()), explained: Vec::new() })
}
