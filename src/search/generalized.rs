//! The masked columns as a search has left them, their values as nodes.
//!
//! By global recoding a value's code tells its node. By local recoding a row's key is the number of its group, on all
//! columns alike, as a clustering's is that of its cluster.

use super::input::Input;
use super::result::GeneralizedColumn;
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::terms::labels::Bound;
use crate::terms::request::Request;
use topdown::cluster::Extent;
use topdown::progress::room;
use topdown::refine::{Hierarchy, NodeId};
use topdown::table::Store;
use topdown::trace::Cut;
use topdown::{Code, Outcome, Regions};

impl Input {
    /// Each masked column, and by local recoding the group of each record; the labels are taken.
    pub(super) fn generalized(
        &mut self,
        request: &Request,
        outcome: Outcome,
    ) -> Result<(Vec<GeneralizedColumn>, Option<Store>)> {
        let Outcome { hierarchies, cuts, regions, .. } = outcome;
        match regions {
            None => Ok((self.by_code(request, hierarchies, cuts)?, None)),
            Some(regions) => {
                let codes: Vec<&Store> = (request.masked.iter())
                    .map(|masked| Ok(&self.table.column(masked.column)?.codes))
                    .collect::<Result<_>>()?;
                let groups = regions.leaf_of_rows(&codes, self.table.records)?;
                Ok((self.by_group(request, hierarchies, &regions)?, Some(Store::Memory(groups))))
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
        room::<Extent>(codes)?;
        let labels = std::mem::take(&mut self.labels);
        let columns = (request.masked.iter().zip(labels)).zip(hierarchies.into_iter().zip(cuts));
        Ok(columns
            .map(|((masked, labels), (hierarchy, cut))| GeneralizedColumn {
                column: masked.column,
                cut: cut.nodes().map(Extent::Node).collect(),
                released: (0..hierarchy.codes() as Code)
                    .map(|code| Extent::Node(cut.released(code)))
                    .collect(),
                bound: Bound { hierarchy, labels },
            })
            .collect())
    }

    fn by_group(
        &mut self,
        request: &Request,
        hierarchies: Vec<Hierarchy>,
        regions: &Regions,
    ) -> Result<Vec<GeneralizedColumn>> {
        let leaves: Vec<_> = polled(regions.leaves()).collect();
        room::<(Extent, NodeId)>(leaves.len() * request.masked.len())?;
        let labels = std::mem::take(&mut self.labels);
        let columns = request.masked.iter().zip(labels).zip(hierarchies).enumerate();
        let columns = columns.map(|(a, ((masked, labels), hierarchy))| {
            let nodes = || leaves.iter().map(|&leaf| regions.region(leaf).nodes[a]);
            let released: Vec<Extent> = polled(nodes()).map(Extent::Node).collect();
            let mut is_released = vec![false; hierarchy.nodes().len()];
            nodes().for_each(|node| is_released[node as usize] = true);
            let cut =
                (0..).zip(is_released).filter(|(_, is)| *is).map(|(node, _)| Extent::Node(node)).collect();
            GeneralizedColumn { column: masked.column, bound: Bound { hierarchy, labels }, cut, released }
        });
        Ok(columns.collect())
    }
}
