//! Shares of the leaves in the conditional gains of the candidates.
//!
//! A step divides some leaves. The shares of these are subtracted, those of their parts are added, and nothing else
//! changes.

use super::candidates::Candidates;
use super::column::Column;
use super::counts::Counts;
use super::leaves::Leaves;
use super::model_partition::ModelPartition;
use crate::partition::{GroupId, Tally};
use crate::refine::{Hierarchy, TOP};
use crate::{pace, Error};

/// Share of a leaf in the gain of a candidate.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// Number of the candidate.
    id: u32,
    /// In bits times rows.
    bits: f64,
}

#[derive(Default)]
pub(super) struct LeafShares {
    /// For each leaf and each column's place, the shares in the candidates on the column.
    by_group: Vec<Vec<Share>>,
}

impl LeafShares {
    /// Replaces the shares of a leaf in the candidates on the column at `place`. The tally must be that of the leaf on
    /// this column.
    pub fn replace_shares(
        &mut self,
        (leaves, partition, tally): (&Leaves, &ModelPartition, &mut Tally),
        (group, place): (GroupId, usize),
        column: &Column,
        candidates: &mut Candidates,
    ) -> Result<(), Error> {
        let width = partition.attributes().len();
        let attribute = partition.attributes()[place];
        let groups = partition.group_count() * width;
        if groups > self.by_group.len() {
            self.by_group.resize(groups, Vec::new());
        }
        let shares = &mut self.by_group[group as usize * width + place];
        let before = std::mem::take(shares);
        pace::each(&before, |&Share { id, bits }| candidates.get_mut(id as usize).leaf_gain.subtract(bits))?;
        let mut now: Vec<Share> = Vec::new();
        let node = partition.node(group, place);
        if column.hierarchy.is_suppression() {
            if node != TOP {
                return Ok(());
            }
            now.reserve_exact(tally.touched.len());
            let whole = Counts::whole(tally)?;
            let classes = whole.value_counts(leaves.class);
            tally.each_child(|child| {
                if let Some(id) = candidates.living(attribute, Hierarchy::disclosed_node(child.number())) {
                    let bits = leaves.leaf_gain_of_disclosure(whole.records, classes, child)?;
                    now.push(Share { id: id as u32, bits });
                }
                Ok(())
            })?;
            now.shrink_to_fit();
        } else if let Some(id) = candidates.living(attribute, node) {
            // An interval without children will have two.
            let children = column.hierarchy.node(node).children.len().max(2);
            now = vec![Share { id: id as u32, bits: leaves.leaf_gain_of_split(tally, children)? }];
        }
        pace::each(&now, |&Share { id, bits }| candidates.get_mut(id as usize).leaf_gain.add(bits))?;
        self.by_group[group as usize * width + place] = now;
        Ok(())
    }
}
