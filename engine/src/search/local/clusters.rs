//! Clusters inside the groups of local recoding: a group at a time down to those that cannot be divided any more, then
//! greedy k-member clustering over the records of a group, where a cluster grows until every model holds.
//!
//! A cluster is released as each column's lowest common ancestor, or as the interval from its least to its greatest
//! value, within what its group was; where only some points may become ends, to the nearest of these. A group that was
//! divided on the way is clustered as a whole, too, unless it has too many records; it keeps these clusters where they
//! lose less, as they are released, than those of its parts. So nothing loses more than local recoding: a group that its
//! clusters do not better stays one. (Where an end of an interval is shown rounded, that may add a little to its loss.)
//! The larger a group, the less often its clusters are better than those of its parts: beyond some work ([`SURE`]) a group is
//! clustered as a whole only if one of its parts is.
//!
//! With a class, clusters have to tell as much of it, too: of each row what the others of its cluster tell ([`Class::unknown`]).
//! Many small clusters would tell more by chance alone.

use super::goal::Models;
use super::placed::Placed;
use super::{Local, RegionId};
use crate::cluster::{self, divide, Extent, Goal, Made, Space, Task};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::column::Column;
use crate::search::outcome::Clusters;
use crate::search::problem::{Problem, Recoding};
use crate::table::{Codes, Store};
use crate::threads::share;
use crate::{loss, pace, Code, Error};
use hashbrown::HashMap;
use std::ops::{Range, RangeInclusive};

/// How much work clustering may be, in records by the records of their block: so a larger table has smaller blocks.
const WORK: usize = 1 << 29;

/// How many distinct records a block has at most, and for how many clusters at least it may have records.
const BLOCK: usize = 20_000;
const CLUSTERS: usize = 8;

/// So much of it is done in any case. On Adult (nine columns, k = 50, 10, 5) the search takes a third of the time that it takes
/// without this bound, and on a million rows half of it; its loss is the same to .0002.
const SURE: usize = 1 << 26;

/// The columns of a problem that clusters are made by, and how many codes each has.
pub(in crate::search) struct Columns<'a> {
    records: usize,
    masked: Vec<(&'a Store, usize)>,
    sensitive: Vec<(&'a Store, usize)>,
    persons: Vec<(&'a Store, usize)>,
    class: Option<(&'a Store, usize)>,
}

impl<'a> Columns<'a> {
    /// Those of a problem whose groups are to be clustered; every record must be one row.
    pub fn of(problem: &Problem<'a>) -> Result<Option<Columns<'a>>, Error> {
        if problem.recoding != Recoding::Clustered {
            return Ok(None);
        }
        if problem.weights.is_some() {
            return Err(Error::Unsound("records of several rows are clustered"));
        }
        let masked = problem.attributes.iter().map(|column| (column.codes, column.hierarchy.codes()));
        Ok(Some(Columns {
            records: problem.records,
            masked: masked.collect(),
            sensitive: problem.sensitive.iter().map(|column| (column.codes, column.cardinality)).collect(),
            persons: problem.persons.iter().map(|column| (column.codes, column.cardinality)).collect(),
            class: problem.class.as_ref().map(|column| (column.codes, column.cardinality)),
        }))
    }
}

/// How the groups are clustered.
struct Clustering<'a, G> {
    task: Task<'a, G>,
    /// So many records a block has at most, and so many may be clustered in any case.
    most: usize,
    sure: usize,
    /// For each column, the ranks before which an interval may end, where these are named.
    ends: &'a [Vec<Code>],
    class: Option<Class<'a>>,
}

/// The class of each record, and its share of all rows.
struct Class<'a> {
    of_records: &'a Codes,
    shares: Vec<f64>,
}

impl Class<'_> {
    /// How many bits of the class of each row the others that are released alike leave unknown, summed up: -log2 of the share
    /// that they have of it, with two rows more of the classes as in the whole table.
    fn unknown<C>(&self, clusters: &[Made<C>]) -> Result<f64, Error> {
        // In the order of the clusters: the last digit of a sum depends on it.
        let (mut places, mut alike): (HashMap<&[Extent], usize>, Vec<Vec<f64>>) =
            (HashMap::new(), Vec::new());
        for cluster in clusters {
            let place = *places.entry(&cluster.extents).or_insert(alike.len());
            if place == alike.len() {
                alike.push(vec![0.0; self.shares.len()]);
            }
            pace::each(&cluster.members, |&(record, rows)| {
                alike[place][self.of_records.get(record as usize) as usize] += f64::from(rows);
            })?;
        }
        let mut unknown = 0.0;
        for counts in alike {
            pace::tick(counts.len())?;
            let all: f64 = counts.iter().sum();
            let held = counts.iter().zip(&self.shares).filter(|(&rows, _)| rows > 0.0);
            let bits = held.map(|(rows, share)| rows * ((rows - 1.0 + 2.0 * share) / (all + 1.0)).log2());
            unknown -= bits.sum::<f64>();
        }
        Ok(unknown)
    }
}

/// Clusters of a region, what they lose, and what stays unknown of the class.
struct Found<C> {
    region: RegionId,
    clusters: Vec<Made<C>>,
    loss: f64,
    unknown: f64,
}

/// The best clusters of a region.
struct Best<C> {
    /// Its records, in value order within each group.
    records: Vec<u32>,
    found: Vec<Found<C>>,
    /// Whether it is clustered as a whole.
    is_clustered: bool,
}

impl Local {
    /// Clusters the records inside the groups.
    pub(super) fn cluster(&mut self, columns: &Columns) -> Result<Clusters, Error> {
        let models = || self.state.models.iter().map(|model| &model.model);
        let mut counted: Vec<usize> = models().filter_map(|model| model.sensitive()).collect();
        counted.sort_unstable();
        counted.dedup();
        let beside = counted.iter().map(|&s| columns.sensitive[s]);
        let person = models().find_map(|model| model.person());
        // The class has no say in it: but which of two rows goes to which cluster follows from what is released of them.
        let beside = beside.chain(columns.class).chain(person.map(|person| columns.persons[person]));
        let all: Vec<(&Store, usize)> = columns.masked.iter().copied().chain(beside).collect();
        let placed = Placed::new(&self.regions, &all, (columns.masked.len(), columns.records))?;
        let sensitive_of = models().map(|m| m.sensitive().and_then(|s| counted.binary_search(&s).ok()));
        let goal = Models::new(
            (&self.state.models, sensitive_of.collect()),
            // Rows that come and leave are told apart by what they hold: what is equal is in one cluster.
            (self.fewest, self.state.room > 1),
            &all[columns.masked.len()..][..counted.len()],
            &placed.records.columns[columns.masked.len()..],
        )?;
        let space = |column: &Column| match column.is_given() {
            true => Ok(Space::Given),
            false => Space::of_hierarchy(&column.hierarchy),
        };
        let spaces = self.state.columns.iter().map(space).collect::<Result<Vec<_>, _>>()?;
        let ends = self.state.columns.iter().map(|column| ends(&column.hierarchy));
        let ends = ends.collect::<Result<Vec<_>, _>>()?;
        let task = Task { spaces: &spaces, records: &placed.records, goal: &goal };
        let many = placed.records.weights.len().max(1);
        let fewest = usize::try_from(self.fewest).unwrap_or(BLOCK);
        let least = CLUSTERS.saturating_mul(fewest).clamp(CLUSTERS, BLOCK);
        let most = (WORK / goal.cost() / many).clamp(least, BLOCK);
        let class = columns.class.map(|(_, classes)| {
            let of_records = &placed.records.columns[columns.masked.len() + counted.len()];
            let mut shares = vec![0.0; classes];
            for (record, &rows) in placed.records.weights.iter().enumerate() {
                pace::tick(1)?;
                shares[of_records.get(record) as usize] += f64::from(rows) / columns.records as f64;
            }
            Ok(Class { of_records, shares })
        });
        let sure = SURE / goal.cost() / many;
        let clustering = Clustering { task, most, sure, ends: &ends, class: class.transpose()? };
        let found = self.find(&placed, &clustering)?;
        let (mut clusters, mut regions) = (cluster::Clusters::of(many)?, Vec::new());
        for Found { region, clusters: made, .. } in found {
            for cluster in made {
                regions.push(region);
                clusters.add(cluster)?;
            }
        }
        let of_records = clusters.of_rows(&placed.records.ids)?;
        // By their codes, whichever split has made them.
        let mut known = vec![HashMap::new(); columns.masked.len()];
        for (known, column) in known.iter_mut().zip(&self.state.columns) {
            let hierarchy = &column.hierarchy;
            let intervals =
                (0..hierarchy.nodes().len() as NodeId).filter(|&node| hierarchy.is_interval(node));
            pace::each(intervals, |node| {
                let codes = &hierarchy.node(node).codes;
                known.entry((codes.start, codes.end)).or_insert(node);
            })?;
        }
        let extents = regions.into_iter().zip(clusters.extents);
        let extents = extents.map(|(region, extents)| self.released(region, extents, &ends, &mut known));
        Ok(Clusters { extents: extents.collect::<Result<_, _>>()?, of_records })
    }

    /// The clusters that lose least, of all regions.
    fn find<G: Goal + Sync>(
        &self,
        placed: &Placed,
        clustering: &Clustering<'_, G>,
    ) -> Result<Vec<Found<G::Counted>>, Error>
    where
        G::Counted: Send,
    {
        // The largest regions that are clustered as a whole.
        let mut open: Vec<RegionId> = self.regions.first().collect();
        let mut tops = Vec::new();
        while let Some(region) = open.pop() {
            pace::tick(1)?;
            let before = open.len();
            if placed.of(region).len() > clustering.most {
                open.extend(self.regions.parts(region));
            }
            if open.len() == before && !placed.of(region).is_empty() {
                tops.push(region);
            }
        }
        let found = share(tops, |region| self.find_below(region, placed, clustering))?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The clusters that lose least, of a region: its own, or those of its parts.
    fn find_below<G: Goal>(
        &self,
        top: RegionId,
        placed: &Placed,
        clustering: &Clustering<'_, G>,
    ) -> Result<Vec<Found<G::Counted>>, Error> {
        let mut below = vec![top];
        let mut next = 0;
        while let Some(&region) = below.get(next) {
            pace::tick(1)?;
            below.extend(self.regions.parts(region));
            next += 1;
        }
        let mut best: HashMap<RegionId, Best<G::Counted>> = HashMap::new();
        // Parts come after what they are parts of.
        for &region in below.iter().rev() {
            if placed.of(region).is_empty() {
                continue;
            }
            let (mut records, mut of_parts, mut is_clustered) = (Vec::new(), Vec::new(), false);
            for part in self.regions.parts(region) {
                let Some(mut part) = best.remove(&part) else { continue };
                records.append(&mut part.records);
                of_parts.append(&mut part.found);
                is_clustered |= part.is_clustered;
            }
            let is_group = of_parts.is_empty();
            if !is_group && !is_clustered && placed.of(region).len() > clustering.sure {
                best.insert(region, Best { records, found: of_parts, is_clustered });
                continue;
            }
            if is_group {
                records.extend_from_slice(placed.of(region));
                placed.sort(&mut records)?;
            }
            let own = self.own(region, &records, is_group, clustering)?;
            let loss_of_parts: f64 = of_parts.iter().map(|found| found.loss).sum();
            let unknown_of_parts: f64 = of_parts.iter().map(|found| found.unknown).sum();
            let takes_own = is_group || own.loss < loss_of_parts && own.unknown <= unknown_of_parts;
            let is_clustered = takes_own && own.clusters.len() > 1;
            let found = if takes_own { vec![own] } else { of_parts };
            best.insert(region, Best { records, found, is_clustered });
        }
        Ok(best.remove(&top).map(|best| best.found).unwrap_or_default())
    }

    /// The clusters of a region by itself. A group that is not divided may stay one.
    fn own<G: Goal>(
        &self,
        region: RegionId,
        records: &[u32],
        is_group: bool,
        clustering: &Clustering<'_, G>,
    ) -> Result<Found<G::Counted>, Error> {
        let Clustering { task, most, ends, class, .. } = clustering;
        let most = *most;
        let unknown =
            |clusters: &[Made<G::Counted>]| class.as_ref().map_or(Ok(0.0), |class| class.unknown(clusters));
        let loss = |clusters: &[Made<G::Counted>]| {
            clusters.iter().map(|cluster| self.loss(region, cluster, ends)).sum::<Result<f64, Error>>()
        };
        let together = |records: &[u32]| {
            let weights = &task.records.weights;
            let members = records.iter().map(|&record| (record, weights[record as usize]));
            task.together(pace::collect(members)?)
        };
        let mut whole = None;
        if is_group {
            let clusters = vec![together(records)?];
            let found = Found { region, loss: loss(&clusters)?, unknown: unknown(&clusters)?, clusters };
            let is_one = found.clusters.iter().all(|cluster| u64::from(cluster.size) / 2 < self.fewest);
            if found.loss == 0.0 || is_one {
                return Ok(found);
            }
            whole = Some(found);
        }
        let mut clusters = Vec::new();
        let mut may = |part: &[u32]| task.holds(&together(part)?);
        let all = pace::collect(records.iter().copied())?;
        for block in divide(task.spaces, task.records, all, (most, 1), &mut may)? {
            let is_small = block.len() <= most;
            let mut made =
                if is_small { task.clusters(pace::collect(block.iter().copied())?)? } else { Vec::new() };
            if made.is_empty() {
                made.push(together(&block)?);
            }
            clusters.append(&mut made);
        }
        let found = Found { region, loss: loss(&clusters)?, unknown: unknown(&clusters)?, clusters };
        let stays = |whole: &Found<_>| whole.loss <= found.loss || whole.unknown < found.unknown;
        Ok(whole.filter(stays).unwrap_or(found))
    }

    /// What a cluster loses as it is released, over all its rows.
    fn loss<C>(&self, region: RegionId, cluster: &Made<C>, ends: &[Vec<Code>]) -> Result<f64, Error> {
        let nodes = &self.regions.region(region).nodes;
        let columns = cluster.extents.iter().zip(nodes.iter()).zip(self.state.columns.iter().zip(ends));
        let mut lost = 0.0;
        for ((extent, &node), (column, ends)) in columns {
            pace::tick(1)?;
            lost += match column.is_given() {
                true => column.hierarchy.node(node).loss,
                false => loss(&column.hierarchy, node, extent, ends),
            };
        }
        Ok(f64::from(cluster.size) * lost)
    }

    /// What a cluster is released as: extents as they are, but for what a node of the hierarchy stands for.
    fn released(
        &mut self,
        region: RegionId,
        extents: Vec<Extent>,
        ends: &[Vec<Code>],
        known: &mut [HashMap<(u32, u32), NodeId>],
    ) -> Result<Vec<Extent>, Error> {
        let nodes = &self.regions.region(region).nodes;
        let columns = extents.into_iter().zip(nodes.iter()).zip(&mut self.state.columns).zip(ends).zip(known);
        let columns = columns.map(|((((extent, &node), column), ends), known)| match column.is_given() {
            true => Ok(Extent::Node(node)),
            false => released(&mut column.hierarchy, node, extent, ends, known),
        });
        columns.collect()
    }
}

/// The ranks before which an interval may end, where the points are named.
fn ends(hierarchy: &Hierarchy) -> Result<Vec<Code>, Error> {
    let points = hierarchy.domain().and_then(|domain| domain.points.as_ref());
    pace::collect((0..).zip(points.into_iter().flatten()).filter_map(|(rank, &may)| may.then_some(rank)))
}

/// The interval to the nearest of the `ends` around some ranks, within a node of a group; with the node of which it is a
/// part.
fn around(
    hierarchy: &Hierarchy,
    within: NodeId,
    ranks: &RangeInclusive<Code>,
    ends: &[Code],
) -> (NodeId, Range<Code>) {
    let below = if hierarchy.is_interval(within) { within } else { hierarchy.own_top() };
    let codes = &hierarchy.node(below).codes;
    let from = ends[..ends.partition_point(|end| end <= ranks.start())].last();
    let to = ends.get(ends.partition_point(|end| end <= ranks.end()));
    let from = from.map_or(codes.start, |&from| from.max(codes.start));
    (below, from..to.map_or(codes.end, |&to| to.min(codes.end)))
}

/// What an extent loses as it is released within a node of a group.
fn loss(hierarchy: &Hierarchy, within: NodeId, extent: &Extent, ends: &[Code]) -> f64 {
    match (extent, hierarchy.domain()) {
        (&Extent::Node(node), _) => hierarchy.node(node).loss,
        (Extent::Any, _) => loss::SUPPRESSED,
        (Extent::Ranks(ranks), Some(domain)) if (*ranks.end() as usize) < domain.positions.len() => {
            match domain.points {
                Some(_) => domain.loss(&around(hierarchy, within, ranks, ends).1),
                None => domain.loss_between(ranks),
            }
        }
        // A value, or NULL.
        (Extent::Ranks(_), _) => loss::SINGLE,
    }
}

/// What an extent is released as, within a node of a group.
fn released(
    hierarchy: &mut Hierarchy,
    within: NodeId,
    extent: Extent,
    ends: &[Code],
    known: &mut HashMap<(u32, u32), NodeId>,
) -> Result<Extent, Error> {
    let ranks = match extent {
        Extent::Node(_) => return Ok(extent),
        Extent::Any => return Ok(Extent::Node(TOP)),
        Extent::Ranks(ref ranks) => ranks,
    };
    let Some(domain) = hierarchy.domain() else {
        return Ok(Extent::Node(Hierarchy::disclosed(*ranks.start())));
    };
    let values = domain.positions.len() as Code;
    if *ranks.start() >= values {
        return hierarchy.null().map(Extent::Node).ok_or(Error::Internal("a value without a node"));
    }
    if domain.points.is_none() {
        return Ok(extent);
    }
    let (below, codes) = around(hierarchy, within, ranks, ends);
    if hierarchy.node(below).codes == codes {
        return Ok(Extent::Node(below));
    }
    let between = (codes.start, codes.end);
    hierarchy.interval_within(below, codes, between, known).map(Extent::Node)
}
