//! The masked columns as a search has left them, their values as nodes.
//!
//! By global recoding a value's code tells its node. By local recoding a row's key is the number of its group, on all
//! columns alike; where groups are clustered, and in a clustering, that of its cluster.

use super::input::Input;
use super::result::GeneralizedColumn;
use crate::postgres::error::Result;
use crate::postgres::progress::{polled, polling};
use crate::terms::labels::Bound;
use crate::terms::request::Request;
use hashbrown::HashSet;
use topdown::cluster::Extent;
use topdown::progress::check_memory;
use topdown::refine::{Hierarchy, NodeId};
use topdown::search::Clusters;
use topdown::table::Store;
use topdown::trace::Cut;
use topdown::{Code, Outcome};

impl Input {
    /// Each masked column, and by local recoding the group of each record; the labels are taken.
    pub(super) fn generalized(
        &mut self,
        request: &Request,
        outcome: Outcome,
    ) -> Result<(Vec<GeneralizedColumn>, Option<Store>)> {
        let Outcome { hierarchies, cuts, regions, clusters, .. } = outcome;
        match (regions, clusters) {
            (None, None) => Ok((self.by_code(request, hierarchies, cuts)?, None)),
            (_, Some(Clusters { extents, of_records })) => {
                let columns =
                    self.by_group(request, hierarchies, extents.len(), |group, a| extents[group][a].clone())?;
                Ok((columns, Some(Store::Memory(of_records))))
            }
            (Some(regions), None) => {
                let codes: Vec<&Store> = (request.masked.iter())
                    .map(|masked| Ok(&self.table.column(masked.column)?.codes))
                    .collect::<Result<_>>()?;
                let groups = regions.leaf_of_rows(&codes, self.table.records)?;
                let leaves: Vec<&[NodeId]> =
                    polled(regions.leaves()).map(|leaf| &regions.region(leaf).nodes[..]).collect();
                let columns = self
                    .by_group(request, hierarchies, leaves.len(), |leaf, a| Extent::Node(leaves[leaf][a]))?;
                Ok((columns, Some(Store::Memory(groups))))
            }
        }
    }

    fn by_code(
        &mut self,
        request: &Request,
        hierarchies: Vec<Hierarchy>,
        cuts: Vec<Cut>,
    ) -> Result<Vec<GeneralizedColumn>> {
        let codes: usize = hierarchies.iter().map(Hierarchy::codes).sum();
        check_memory::<Extent>(codes)?;
        let labels = std::mem::take(&mut self.labels);
        let columns = (request.masked.iter().zip(labels)).zip(hierarchies.into_iter().zip(cuts));
        Ok(columns
            .map(|((masked, labels), (hierarchy, cut))| GeneralizedColumn {
                column: masked.column,
                cut: cut.nodes().map(Extent::Node).collect(),
                released: (0..hierarchy.codes() as Code)
                    .map(|code| Extent::Node(cut.node_for(code)))
                    .collect(),
                bound: Bound { hierarchy, labels },
            })
            .collect())
    }

    /// By what each of some groups is released as on each column.
    fn by_group(
        &mut self,
        request: &Request,
        hierarchies: Vec<Hierarchy>,
        groups: usize,
        extent: impl Fn(usize, usize) -> Extent,
    ) -> Result<Vec<GeneralizedColumn>> {
        check_memory::<(Extent, &Extent)>(groups * request.masked.len())?;
        let labels = std::mem::take(&mut self.labels);
        let columns = request.masked.iter().zip(labels).zip(hierarchies).enumerate();
        let columns = columns.map(|(a, ((masked, labels), hierarchy))| {
            let released: Vec<Extent> = polled(0..groups).map(|group| extent(group, a)).collect();
            let distinct: HashSet<&Extent> = polled(&released).collect();
            let mut cut: Vec<Extent> = polled(distinct).cloned().collect();
            // Nodes in their order, then what is none.
            let key = |extent: &Extent| match extent {
                Extent::Node(node) => (*node, 0, 0),
                Extent::Ranks(ranks) => (NodeId::MAX, *ranks.start(), *ranks.end()),
                Extent::Any => (NodeId::MAX, Code::MAX, Code::MAX),
            };
            cut.sort_unstable_by(polling(|one, other| key(one).cmp(&key(other))));
            GeneralizedColumn { column: masked.column, bound: Bound { hierarchy, labels }, cut, released }
        });
        Ok(columns.collect())
    }
}
