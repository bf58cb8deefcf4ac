//! Clusters inside the groups of local recoding: a group at a time down to those that cannot be divided any more, then
//! greedy k-member clustering over the records of a group, where a cluster grows until every model holds.
//!
//! A group that was divided on the way is clustered as a whole, too, unless it has too many records; it keeps these
//! clusters where they lose less than those of its parts. So nothing loses more than local recoding: a group that its
//! clusters do not better stays one. A cluster is released as each column's lowest common ancestor, or as the
//! interval from its least to its greatest value, within what its group was; where only some points may become ends, to
//! the nearest of these.

use super::goal::Models;
use super::{Local, RegionId, NO_END};
use crate::cluster::{divide, Extent, Goal, Made, Space, Task};
use crate::progress::room;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::outcome::Clusters;
use crate::search::problem::Problem;
use crate::table::{compress, Codes, Compressed, Store};
use crate::threads::share;
use crate::{pace, Code, Error};
use hashbrown::HashMap;

/// How much work clustering may be, in records by the records of their block: so a larger table has smaller blocks.
const WORK: usize = 1 << 29;

/// How many distinct records a block has at most, and for how many clusters at least it may have records.
const BLOCK: usize = 20_000;
const CLUSTERS: usize = 8;

/// The columns of a problem that clusters are made by.
pub(in crate::search) struct Columns<'a> {
    records: usize,
    masked: Vec<&'a Store>,
    sensitive: Vec<(&'a Store, usize)>,
    persons: Vec<(&'a Store, usize)>,
}

impl<'a> Columns<'a> {
    /// Every record must be one row.
    pub fn of(problem: &Problem<'a>) -> Result<Columns<'a>, Error> {
        if problem.weights.is_some() {
            return Err(Error::Internal("records of several rows cannot be clustered"));
        }
        Ok(Columns {
            records: problem.records,
            masked: problem.attributes.iter().map(|attribute| attribute.codes).collect(),
            sensitive: problem.sensitive.iter().map(|column| (column.codes, column.cardinality)).collect(),
            persons: problem.persons.iter().map(|column| (column.codes, column.cardinality)).collect(),
        })
    }
}

/// The distinct records, and where they lie in the tree of groups.
struct Placed {
    records: Compressed,
    /// All records, those of a group together.
    order: Vec<u32>,
    /// The stretch of each region.
    runs: Vec<(u32, u32)>,
}

/// Clusters of a region, and what they lose.
struct Found<C> {
    region: RegionId,
    clusters: Vec<Made<C>>,
    loss: f64,
}

impl Local {
    /// Clusters the records inside the groups.
    pub(in crate::search) fn cluster(&mut self, columns: &Columns) -> Result<Clusters, Error> {
        let masked = columns.masked.len();
        let index = &self.state.indexes[0];
        let mut counted: Vec<usize> =
            self.state.models.iter().filter_map(|model| model.model.sensitive()).collect();
        counted.sort_unstable();
        counted.dedup();
        let sensitive_of: Vec<Option<usize>> = (self.state.models.iter())
            .map(|model| model.model.sensitive().and_then(|s| counted.binary_search(&s).ok()))
            .collect();
        debug_assert_eq!(index.models.len(), sensitive_of.len());
        let person = self.state.models.iter().find_map(|model| model.model.person());
        let hierarchies = self.state.columns.iter().map(|column| &column.hierarchy);
        let cardinalities = hierarchies.clone().map(Hierarchy::codes);
        let beside = counted.iter().map(|&s| columns.sensitive[s]);
        let beside: Vec<(&Store, usize)> =
            beside.chain(person.map(|person| columns.persons[person])).collect();
        let all: Vec<&Store> = columns.masked.iter().copied().chain(beside.iter().map(|b| b.0)).collect();
        let cardinalities: Vec<usize> = cardinalities.chain(beside.iter().map(|b| b.1)).collect();
        let mut records = compress(&all, &cardinalities, columns.records, None)?;
        let mut beside_codes = records.columns.split_off(masked);
        let persons = person.and_then(|_| beside_codes.pop());
        let sensitive = beside_codes.into_iter().zip(cardinalities[masked..].iter().copied()).collect();
        let placed = self.place(records)?;
        let goal = Models::new((&self.state.models, &sensitive_of), sensitive, persons)?;
        let spaces = hierarchies.map(Space::of_hierarchy).collect::<Result<Vec<_>, _>>()?;
        let task = Task { spaces: &spaces, records: &placed.records, goal: &goal };
        let many = placed.records.weights.len().max(1);
        let least = CLUSTERS.saturating_mul(goal.rows() as usize).min(BLOCK);
        let found = self.find(&placed, &task, (WORK / many).clamp(least, BLOCK))?;
        let mut clusters = crate::cluster::Clusters::of(placed.records.weights.len())?;
        let mut regions = Vec::new();
        for Found { region, clusters: made, .. } in found {
            for cluster in made {
                regions.push(region);
                clusters.add(cluster)?;
            }
        }
        let of_records = clusters.of_rows(&placed.records.ids)?;
        let mut known = vec![HashMap::new(); masked];
        let extents = regions.into_iter().zip(clusters.extents);
        let extents = extents.map(|(region, extents)| self.released(region, extents, &mut known));
        Ok(Clusters { extents: extents.collect::<Result<_, _>>()?, of_records })
    }

    /// Brings the records of each region together.
    fn place(&self, mut records: Compressed) -> Result<Placed, Error> {
        let many = records.weights.len();
        let stores: Vec<Store> =
            std::mem::take(&mut records.columns).into_iter().map(Store::Memory).collect();
        let leaf_of = self.regions.leaf_of_rows(&stores.iter().collect::<Vec<_>>(), many)?;
        records.columns = stores
            .into_iter()
            .map(|store| store.load().map(|codes| codes.into_owned()))
            .collect::<Result<_, _>>()?;
        let mut number_of_leaf = vec![0; self.regions.count()];
        (0..).zip(self.regions.leaves()).for_each(|(number, leaf)| number_of_leaf[leaf as usize] = number);
        room::<[u32; 3]>(many + self.regions.count())?;
        let mut sizes = vec![0u32; self.regions.leaves().count()];
        pace::each(0..many, |record| sizes[leaf_of.get(record) as usize] += 1)?;
        // Down the tree, parts in their order, and up again.
        let mut runs = vec![(0, 0); self.regions.count()];
        let mut next = 0;
        let mut open: Vec<(RegionId, bool)> = self.regions.first().map(|root| (root, false)).collect();
        let mut starts = vec![0u32; sizes.len()];
        while let Some((region, is_done)) = open.pop() {
            pace::tick(1)?;
            let run = &mut runs[region as usize];
            if is_done {
                run.1 = next;
                continue;
            }
            *run = (next, next);
            let before = open.len();
            open.push((region, true));
            open.extend(self.regions.parts(region).map(|part| (part, false)));
            if open.len() == before + 1 {
                let leaf: usize = number_of_leaf[region as usize];
                starts[leaf] = next;
                next += sizes[leaf];
            }
        }
        let mut order = vec![0; many];
        pace::each(0..many, |record| {
            let at = &mut starts[leaf_of.get(record) as usize];
            order[*at as usize] = record as u32;
            *at += 1;
        })?;
        Ok(Placed { records, order, runs })
    }

    /// The clusters that lose least, of all regions.
    fn find<G: Goal + Sync>(
        &self,
        placed: &Placed,
        task: &Task<'_, G>,
        most: usize,
    ) -> Result<Vec<Found<G::Counted>>, Error>
    where
        G::Counted: Send,
    {
        let size = |region: RegionId| {
            let (start, end) = placed.runs[region as usize];
            (end - start) as usize
        };
        // The largest regions that are clustered as a whole.
        let mut open: Vec<RegionId> = self.regions.first().collect();
        let mut tops = Vec::new();
        while let Some(region) = open.pop() {
            pace::tick(1)?;
            let before = open.len();
            if size(region) > most {
                open.extend(self.regions.parts(region));
            }
            if open.len() == before && size(region) > 0 {
                tops.push(region);
            }
        }
        let found = share(tops, |region| self.find_below(region, placed, task, most))?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The clusters that lose least, of a region: its own, or those of its parts.
    fn find_below<G: Goal>(
        &self,
        top: RegionId,
        placed: &Placed,
        task: &Task<'_, G>,
        most: usize,
    ) -> Result<Vec<Found<G::Counted>>, Error> {
        let mut below = vec![top];
        let mut next = 0;
        while let Some(&region) = below.get(next) {
            pace::tick(1)?;
            below.extend(self.regions.parts(region));
            next += 1;
        }
        let mut best: HashMap<RegionId, Vec<Found<G::Counted>>> = HashMap::new();
        // Parts come after what they are parts of.
        for &region in below.iter().rev() {
            let (start, end) = placed.runs[region as usize];
            if start == end {
                continue;
            }
            let mut of_parts = Vec::new();
            for part in self.regions.parts(region) {
                of_parts.extend(best.remove(&part).into_iter().flatten());
            }
            let mut records = placed.order[start as usize..end as usize].to_vec();
            sort(&placed.records, &mut records)?;
            let own = self.own(region, records, task, (most, of_parts.is_empty()))?;
            let loss_of_parts: f64 = of_parts.iter().map(|found| found.loss).sum();
            let takes_own = of_parts.is_empty() || own.loss < loss_of_parts;
            best.insert(region, if takes_own { vec![own] } else { of_parts });
        }
        Ok(best.remove(&top).unwrap_or_default())
    }

    /// The clusters of a region by itself. A group that is not divided may stay one.
    fn own<G: Goal>(
        &self,
        region: RegionId,
        records: Vec<u32>,
        task: &Task<'_, G>,
        (most, is_group): (usize, bool),
    ) -> Result<Found<G::Counted>, Error> {
        let together = |records: &[u32]| {
            let weights = &task.records.weights;
            let members = records.iter().map(|&record| (record, weights[record as usize]));
            task.together(pace::collect(members)?)
        };
        let mut whole = None;
        if is_group {
            let clusters = vec![together(&records)?];
            let found = Found { region, loss: task.loss(&clusters[0]), clusters };
            if found.loss == 0.0 {
                return Ok(found);
            }
            whole = Some(found);
        }
        let (mut clusters, mut loss) = (Vec::new(), 0.0);
        let mut may = |part: &[u32]| task.holds(&together(part)?);
        for block in divide(task.spaces, task.records, records, (most, 1), &mut may)? {
            let is_small = block.len() <= most;
            let mut made =
                if is_small { task.clusters(pace::collect(block.iter().copied())?)? } else { Vec::new() };
            if made.is_empty() {
                made.push(together(&block)?);
            }
            loss += made.iter().map(|cluster| task.loss(cluster)).sum::<f64>();
            clusters.append(&mut made);
        }
        let found = Found { region, clusters, loss };
        Ok(whole.filter(|whole| whole.loss <= found.loss).unwrap_or(found))
    }

    /// What a cluster is released as: extents as they are, but for what a node of the hierarchy stands for.
    fn released(
        &mut self,
        region: RegionId,
        extents: Vec<Extent>,
        known: &mut [HashMap<(u32, u32), NodeId>],
    ) -> Result<Vec<Extent>, Error> {
        let nodes = &self.regions.region(region).nodes;
        let columns = extents.into_iter().zip(nodes.iter()).zip(&mut self.state.columns).zip(known);
        let columns = columns
            .map(|(((extent, &node), column), known)| released(&mut column.hierarchy, node, extent, known));
        columns.collect()
    }
}

/// What an extent is released as, within a node of a group.
fn released(
    hierarchy: &mut Hierarchy,
    within: NodeId,
    extent: Extent,
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
    // To where an interval may end.
    let below = if hierarchy.is_interval(within) { within } else { hierarchy.own_top() };
    let codes = hierarchy.node(below).codes.clone();
    let (mut from, mut to) = (*ranks.start(), *ranks.end() + 1);
    while from > codes.start && !domain.may_split(from) {
        pace::tick(1)?;
        from -= 1;
    }
    while to < codes.end && !domain.may_split(to) {
        pace::tick(1)?;
        to += 1;
    }
    if codes == (from..to) {
        return Ok(Extent::Node(below));
    }
    let end = |rank: Code, outer: Code| if rank == outer { NO_END } else { rank };
    hierarchy.interval_within(below, from..to, (end(from, 0), end(to, values)), known).map(Extent::Node)
}

/// Puts records in value order, column by column.
fn sort(records: &Compressed, order: &mut [u32]) -> Result<(), Error> {
    let key = |r: u32| records.columns.iter().map(move |column: &Codes| column.get(r as usize));
    pace::sort_by(order, |&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)))
}
