//! Clusters inside the groups of local recoding. The search divides the table into groups first. Then greedy k-member
//! clustering runs over the records of a group, and a cluster grows until every model holds.
//!
//! On each column a cluster is released as the lowest common ancestor of its values, or as the interval from the least
//! to the greatest, within the node of its group. If only some points may become ends, the interval reaches to the
//! nearest ones. A group that the search divided is also clustered as a whole, unless it has too many records. It keeps
//! these clusters if they lose less, as released, than the clusters of its parts. An undivided group stays one cluster
//! if several are no better. So the result never loses more than local recoding. (Rounded ends of intervals may add a
//! little loss.) The larger a group, the less often its clusters are better than those of its parts. So beyond some
//! work ([`ALWAYS_TRIED_WORK`]) a group is clustered as a whole only if one of its parts keeps several clusters.
//!
//! If there is a class, clusters must not leave more of it unknown than the clusters or groups that they replace. The
//! measure is how well the other rows of a cluster predict each row's class ([`Class::unknown_bits`]). A plain entropy
//! would favor many small clusters by chance alone.

use super::placed::RecordsByRegion;
use super::{Local, RegionId};
use crate::cluster::{
    self, divide_into_blocks, Cluster, Clusterer, Constraint, Extent, Generalizer, Member, MAX_BLOCK_RECORDS,
};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::column::Column;
use crate::search::measures::Model;
use crate::search::outcome::Clusters;
use crate::search::problem::{Problem, Recoding};
use crate::table::{CodedColumn, Codes, Store};
use crate::threads::share;
use crate::utility::NOISE;
use crate::{loss, pace, Code, Error};
use hashbrown::HashMap;
use std::ops::{Range, RangeInclusive};

/// Budget for the records of the table times the records of a block. It bounds the blocks of large tables; if smaller,
/// clustering is faster and loses more.
const WORK_BUDGET: usize = 1 << 29;

/// Number of smallest clusters for which a block may have records even beyond [`WORK_BUDGET`].
const MIN_CLUSTERS: usize = 8;

/// Share of [`WORK_BUDGET`] that is always spent: a divided group with less work is clustered as a whole in any case.
/// With this bound the search takes a third of its time on Adult (nine columns, k = 50, 10, 5), and half of it on a
/// million rows; the loss is the same to .0002.
const ALWAYS_TRIED_WORK: usize = 1 << 26;

/// The columns of a problem that clustering reads, each with its number of codes.
pub(in crate::search) struct ClusterColumns<'a> {
    records: usize,
    masked: Vec<(&'a Store, usize)>,
    sensitive: Vec<(&'a Store, usize)>,
    persons: Vec<(&'a Store, usize)>,
    class: Option<(&'a Store, usize)>,
}

impl<'a> ClusterColumns<'a> {
    /// Returns the columns if the groups are to be clustered.
    pub fn from_problem(problem: &Problem<'a>) -> Option<ClusterColumns<'a>> {
        if problem.recoding != Recoding::Clustered {
            return None;
        }
        let coded = |columns: &[CodedColumn<'a>]| {
            columns.iter().map(|column| (column.codes, column.cardinality)).collect()
        };
        let masked = problem.attributes.iter().map(|column| (column.codes, column.hierarchy.codes()));
        Some(ClusterColumns {
            records: problem.records,
            masked: masked.collect(),
            sensitive: coded(&problem.sensitive),
            persons: coded(&problem.persons),
            class: problem.class.as_ref().map(|column| (column.codes, column.cardinality)),
        })
    }
}

/// The intervals of a column, by their first code and the code behind their last.
type IntervalsByCodes = HashMap<(Code, Code), NodeId>;

/// How the records of every region are clustered.
struct Clustering<'a> {
    clusterer: Clusterer<'a>,
    /// Upper bounds of the distinct records of a block, and of a divided group that is always clustered as a whole.
    max_block: usize,
    always_tried: usize,
    /// By column, the ranks before which an interval may end; empty if all ranks are allowed.
    ends: &'a [Vec<Code>],
    class: Option<Class<'a>>,
}

/// The class of each record, and the share of each class in all rows.
struct Class<'a> {
    of_records: &'a Codes,
    shares: Vec<f64>,
}

impl Class<'_> {
    fn new<'a>(of_records: &'a Codes, classes: usize, weights: &[u32]) -> Result<Class<'a>, Error> {
        let (mut shares, mut rows) = (vec![0.0; classes], 0);
        pace::each(weights, |&weight| rows += u64::from(weight))?;
        pace::each(weights.iter().enumerate(), |(record, &weight)| {
            shares[of_records.get(record) as usize] += f64::from(weight) / rows as f64;
        })?;
        Ok(Class { of_records, shares })
    }

    /// Sums up over the rows the bits of the class that the other rows released alike leave unknown: -log2 of the share
    /// of the row's class among them. Two rows with the class shares of the whole table are added to them.
    fn unknown_bits(&self, clusters: &[Cluster]) -> Result<f64, Error> {
        // Kept in the order of the clusters, because the last digit of the sum depends on the order.
        let (mut places, mut alike): (HashMap<&[Extent], usize>, Vec<Vec<f64>>) =
            (HashMap::new(), Vec::new());
        for cluster in clusters {
            let place = *places.entry(&cluster.extents).or_insert(alike.len());
            if place == alike.len() {
                alike.push(vec![0.0; self.shares.len()]);
            }
            pace::each(&cluster.members, |&Member { record, rows }| {
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

/// Clusters of a region, their certainty loss, and the bits of the class that they leave unknown.
struct RegionClusters {
    region: RegionId,
    clusters: Vec<Cluster>,
    loss: f64,
    unknown: f64,
}

/// The best clusters of a region.
struct BestClusters {
    /// Records of the region, in value order within each undivided group.
    records: Vec<u32>,
    found: Vec<RegionClusters>,
    /// Whether the region has several clusters of its own.
    is_clustered: bool,
}

/// Returns whether a sum is less than another, by more than rounding.
fn is_less(one: f64, other: f64) -> bool {
    one < other - NOISE * other
}

impl Local {
    /// Clusters the records of each group.
    pub(super) fn cluster(&mut self, columns: &ClusterColumns) -> Result<Clusters, Error> {
        let models = || self.state.models.iter().map(|model| &model.model);
        let mut counted: Vec<usize> = models().filter_map(|model| model.sensitive()).collect();
        counted.sort_unstable();
        counted.dedup();
        let person = models().find_map(|model| model.person()).map(|person| columns.persons[person]);
        let sensitive: Vec<(&Store, usize)> = counted.iter().map(|&s| columns.sensitive[s]).collect();
        // The class does not guide the clustering. But records that differ in class are different ones, so that ties
        // between them are broken by released values.
        let beside = sensitive.iter().copied().chain(columns.class).chain(person);
        let all: Vec<(&Store, usize)> = columns.masked.iter().copied().chain(beside).collect();
        let placed = RecordsByRegion::new(&self.regions, &all, columns.masked.len(), columns.records)?;
        let weights = &placed.records.weights;
        let (of_sensitive, beside) = placed.records.columns[columns.masked.len()..].split_at(counted.len());
        let cardinalities = sensitive.iter().map(|(_, values)| *values);
        let constraint = self.constraint(
            &counted,
            of_sensitive.iter().zip(cardinalities).collect(),
            beside.last().filter(|_| person.is_some()),
        )?;
        let space = |column: &Column| match column.is_fixed_in_clusters() {
            true => Ok(Generalizer::Fixed),
            false => Generalizer::from_hierarchy(&column.hierarchy),
        };
        let spaces = self.state.columns.iter().map(space).collect::<Result<Vec<_>, _>>()?;
        let ends = self.state.columns.iter().map(|column| allowed_ends(&column.hierarchy));
        let ends = ends.collect::<Result<Vec<_>, _>>()?;
        let class = columns.class.map(|(_, classes)| Class::new(&beside[0], classes, weights));
        let distinct = weights.len().max(1);
        let min_rows = usize::try_from(self.min_group_size).unwrap_or(MAX_BLOCK_RECORDS);
        let least = MIN_CLUSTERS.saturating_mul(min_rows).clamp(MIN_CLUSTERS, MAX_BLOCK_RECORDS);
        let clustering = Clustering {
            clusterer: Clusterer { spaces: &spaces, records: &placed.records, constraint: &constraint },
            max_block: (WORK_BUDGET / constraint.trial_cost() / distinct).clamp(least, MAX_BLOCK_RECORDS),
            always_tried: ALWAYS_TRIED_WORK / constraint.trial_cost() / distinct,
            ends: &ends,
            class: class.transpose()?,
        };
        let found = self.best_clusters(&placed, &clustering)?;
        let (mut clusters, mut regions) = (cluster::Clusters::with_records(distinct)?, Vec::new());
        for RegionClusters { region, clusters: made, .. } in found {
            for cluster in made {
                regions.push(region);
                clusters.add(cluster)?;
            }
        }
        let of_records = clusters.assign_rows(&placed.records.ids)?;
        let mut known = self.intervals_by_codes()?;
        let extents = regions.into_iter().zip(clusters.extents);
        let extents = extents.map(|(region, extents)| self.released(region, extents, &ends, &mut known));
        Ok(Clusters { extents: extents.collect::<Result<_, _>>()?, of_records })
    }

    /// Returns the condition for a cluster. `sensitive` has the codes and the number of values of each `counted`
    /// column, and `persons` the person of each record.
    fn constraint<'c>(
        &'c self,
        counted: &[usize],
        sensitive: Vec<(&'c Codes, usize)>,
        persons: Option<&'c Codes>,
    ) -> Result<Constraint<'c>, Error> {
        let tested = self.state.models.iter().filter(|model| model.redundant.is_none());
        let models = tested.map(|Model { model, .. }| {
            (model, model.sensitive().and_then(|s| counted.binary_search(&s).ok()))
        });
        // If rows come and leave, a row is identified by its values, so equal rows must be in one cluster.
        let keeps_duplicates = self.state.min_size_factor > 1;
        let min_rows = u32::try_from(self.min_group_size).unwrap_or(u32::MAX);
        Constraint::min_rows(min_rows, keeps_duplicates).with_models(models.collect(), sensitive, persons)
    }

    /// Returns the intervals of each column. It does not matter which split made an interval.
    fn intervals_by_codes(&self) -> Result<Vec<IntervalsByCodes>, Error> {
        let mut by_codes = vec![HashMap::new(); self.state.columns.len()];
        for (by_codes, Column { hierarchy, .. }) in by_codes.iter_mut().zip(&self.state.columns) {
            let nodes = 0..hierarchy.nodes().len() as NodeId;
            pace::each(nodes.filter(|&node| hierarchy.is_interval(node)), |node| {
                let codes = &hierarchy.node(node).codes;
                by_codes.entry((codes.start, codes.end)).or_insert(node);
            })?;
        }
        Ok(by_codes)
    }

    /// Finds the clusters with the least loss for all regions.
    fn best_clusters(
        &self,
        placed: &RecordsByRegion,
        clustering: &Clustering,
    ) -> Result<Vec<RegionClusters>, Error> {
        // The largest regions that fit into a block, and leaves of any size.
        let mut open: Vec<RegionId> = self.regions.sorted_roots().collect();
        let mut tops = Vec::new();
        while let Some(region) = open.pop() {
            pace::tick(1)?;
            let before = open.len();
            if placed.region_records(region).len() > clustering.max_block {
                open.extend(self.regions.parts(region));
            }
            if open.len() == before && !placed.region_records(region).is_empty() {
                tops.push(region);
            }
        }
        let found = share(tops, |region| self.best_clusters_below(region, placed, clustering))?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Finds the clusters with the least loss for a region: its own, or those of its parts.
    fn best_clusters_below(
        &self,
        top: RegionId,
        placed: &RecordsByRegion,
        clustering: &Clustering,
    ) -> Result<Vec<RegionClusters>, Error> {
        let mut below = vec![top];
        let mut next = 0;
        while let Some(&region) = below.get(next) {
            pace::tick(1)?;
            below.extend(self.regions.parts(region));
            next += 1;
        }
        let mut best: HashMap<RegionId, BestClusters> = HashMap::new();
        // In `below` parts come after their region.
        for &region in below.iter().rev() {
            if placed.region_records(region).is_empty() {
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
            if !is_group && !is_clustered && placed.region_records(region).len() > clustering.always_tried {
                best.insert(region, BestClusters { records, found: of_parts, is_clustered });
                continue;
            }
            if is_group {
                records.extend_from_slice(placed.region_records(region));
                placed.sort(&mut records)?;
            }
            let own = self.cluster_region(region, &records, is_group, clustering)?;
            let loss_of_parts: f64 = of_parts.iter().map(|found| found.loss).sum();
            let unknown_of_parts: f64 = of_parts.iter().map(|found| found.unknown).sum();
            let takes_own =
                is_group || is_less(own.loss, loss_of_parts) && !is_less(unknown_of_parts, own.unknown);
            let is_clustered = takes_own && own.clusters.len() > 1;
            let found = if takes_own { vec![own] } else { of_parts };
            best.insert(region, BestClusters { records, found, is_clustered });
        }
        Ok(best.remove(&top).map(|best| best.found).unwrap_or_default())
    }

    /// Clusters a region as a whole. An undivided group may stay a single cluster.
    fn cluster_region(
        &self,
        region: RegionId,
        records: &[u32],
        is_group: bool,
        clustering: &Clustering,
    ) -> Result<RegionClusters, Error> {
        let Clustering { clusterer, max_block, .. } = clustering;
        let merge = |records: &[u32]| {
            let weights = &clusterer.records.weights;
            let members = records.iter().map(|&record| Member { record, rows: weights[record as usize] });
            clusterer.merge_records(pace::collect(members)?)
        };
        let mut whole = None;
        if is_group {
            let cluster = merge(records)?;
            let is_small = u64::from(cluster.size()) / 2 < self.min_group_size;
            let found = self.region_clusters(region, vec![cluster], clustering)?;
            if found.loss == 0.0 || is_small {
                return Ok(found);
            }
            whole = Some(found);
        }
        let mut clusters = Vec::new();
        let mut is_complete = |part: &[u32]| clusterer.is_complete(&merge(part)?);
        let all = pace::collect(records.iter().copied())?;
        let Clusterer { spaces, records: compressed, .. } = clusterer;
        for block in divide_into_blocks(spaces, compressed, all, *max_block, 1, &mut is_complete)? {
            let mut made = match block.len() <= *max_block {
                true => clusterer.clusters(pace::collect(block.iter().copied())?)?,
                false => Vec::new(),
            };
            if made.is_empty() {
                made.push(merge(&block)?);
            }
            clusters.append(&mut made);
        }
        let found = self.region_clusters(region, clusters, clustering)?;
        let stays = |whole: &RegionClusters| {
            !is_less(found.loss, whole.loss) || is_less(whole.unknown, found.unknown)
        };
        Ok(whole.filter(stays).unwrap_or(found))
    }

    /// Computes the losses of clusters.
    fn region_clusters(
        &self,
        region: RegionId,
        clusters: Vec<Cluster>,
        Clustering { ends, class, .. }: &Clustering,
    ) -> Result<RegionClusters, Error> {
        let mut loss = 0.0;
        pace::each(&clusters, |cluster| loss += self.loss(region, cluster, ends))?;
        let unknown = class.as_ref().map_or(Ok(0.0), |class| class.unknown_bits(&clusters))?;
        Ok(RegionClusters { region, clusters, loss, unknown })
    }

    /// Returns the certainty loss of a cluster as released, summed over its rows.
    fn loss(&self, region: RegionId, cluster: &Cluster, ends: &[Vec<Code>]) -> f64 {
        let nodes = &self.regions.region(region).nodes;
        let columns = cluster.extents.iter().zip(nodes.iter()).zip(self.state.columns.iter().zip(ends));
        let losses = columns.map(|((extent, &node), (column, ends))| match column.is_fixed_in_clusters() {
            true => column.hierarchy.node(node).loss,
            false => loss(&column.hierarchy, node, extent, ends),
        });
        f64::from(cluster.size()) * losses.sum::<f64>()
    }

    /// Returns the released extents of a cluster, as nodes of the hierarchies if there is a node.
    fn released(
        &mut self,
        region: RegionId,
        extents: Vec<Extent>,
        ends: &[Vec<Code>],
        known: &mut [IntervalsByCodes],
    ) -> Result<Vec<Extent>, Error> {
        let nodes = &self.regions.region(region).nodes;
        let columns = extents.into_iter().zip(nodes.iter()).zip(&mut self.state.columns).zip(ends).zip(known);
        let columns =
            columns.map(|((((extent, &node), column), ends), known)| match column.is_fixed_in_clusters() {
                true => Ok(Extent::Node(node)),
                false => released(&mut column.hierarchy, node, extent, ends, known),
            });
        columns.collect()
    }
}

/// Returns the ranks before which an interval may end; none if all ranks are allowed.
fn allowed_ends(hierarchy: &Hierarchy) -> Result<Vec<Code>, Error> {
    let points = hierarchy.domain().and_then(|domain| domain.points.as_ref());
    pace::collect((0..).zip(points.into_iter().flatten()).filter_map(|(rank, &may)| may.then_some(rank)))
}

/// Widens ranks to the nearest `ends` within a group's node. Returns the interval, and the node below which it belongs.
fn widen_to_ends(
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

/// Returns the certainty loss of an extent as released within a group's node.
fn loss(hierarchy: &Hierarchy, within: NodeId, extent: &Extent, ends: &[Code]) -> f64 {
    match (extent, hierarchy.domain()) {
        (&Extent::Node(node), _) => hierarchy.node(node).loss,
        (Extent::Any, _) => loss::SUPPRESSED,
        (Extent::Ranks(ranks), Some(domain)) if (*ranks.end() as usize) < domain.positions.len() => {
            match domain.points {
                Some(_) => domain.loss(&widen_to_ends(hierarchy, within, ranks, ends).1),
                None => domain.loss_between(ranks),
            }
        }
        // A single value, or NULL.
        (Extent::Ranks(_), _) => loss::SINGLE,
    }
}

/// Returns the released form of an extent within a group's node.
fn released(
    hierarchy: &mut Hierarchy,
    within: NodeId,
    extent: Extent,
    ends: &[Code],
    known: &mut IntervalsByCodes,
) -> Result<Extent, Error> {
    let ranks = match extent {
        Extent::Node(_) => return Ok(extent),
        Extent::Any => return Ok(Extent::Node(TOP)),
        Extent::Ranks(ref ranks) => ranks,
    };
    let Some(domain) = hierarchy.domain() else {
        return Ok(Extent::Node(Hierarchy::disclosed_node(*ranks.start())));
    };
    let values = domain.positions.len() as Code;
    if *ranks.start() >= values {
        return hierarchy.null().map(Extent::Node).ok_or(Error::Internal("a value without a node"));
    }
    if domain.points.is_none() {
        return Ok(extent);
    }
    let (below, codes) = widen_to_ends(hierarchy, within, ranks, ends);
    if hierarchy.node(below).codes == codes {
        return Ok(Extent::Node(below));
    }
    let between = (codes.start, codes.end);
    hierarchy.find_or_add_interval(below, codes, between, known).map(Extent::Node)
}
