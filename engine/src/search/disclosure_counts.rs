//! Counts of groups, kept from step to step of a replay that discloses many values of a column ([`GroupCountCache`]).

use super::counting::GroupOnColumn;
use super::group_count_cache::GroupCountCache;
use super::measures::CurrentMeasures;
use super::model_partition::ModelPartition;
use super::state::{DisclosedGroup, NewGroups, State};
use crate::partition::{IsTracked, Tally};
use crate::refine::TOP;
use crate::{pace, Code, Error};
use hashbrown::HashMap;

/// A value, and the number of records of a group that hold it.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub value: Code,
    pub records: usize,
}

#[derive(Default)]
pub(super) struct DisclosureCounts {
    /// Counts by value.
    kept: HashMap<GroupOnColumn, GroupCountCache>,
    /// Partitions that had a group with too many distinct counts.
    given_up: Vec<usize>,
}

impl DisclosureCounts {
    /// Returns whether counts of a partition may be kept.
    pub fn may_keep(&self, state: &State, number: usize) -> bool {
        state.withheld.is_none() && !state.counts_leaves(number) && !self.given_up.contains(&number)
    }

    /// Worsens the measures `after` by those of the two parts that disclosing a value would make of a group. Uses the
    /// kept counts of the group; counts it first if that pays. Returns false if the caller has to count the group.
    pub fn worsen(
        &mut self,
        count: GroupOnColumn,
        partition: &mut ModelPartition,
        tally: &mut Tally,
        Held { value, records }: Held,
        baseline: CurrentMeasures,
        after: &mut [f64],
    ) -> Result<bool, Error> {
        let GroupOnColumn { partition_number, group, place } = count;
        if !self.kept.contains_key(&count) {
            if self.given_up.contains(&partition_number)
                || !GroupCountCache::is_worthwhile(records, partition.size(group))
            {
                return Ok(false);
            }
            partition.restore_person_order(group)?;
            partition.count_children(group, place, None, tally)?;
            match GroupCountCache::new(partition, (group, place), None, tally)? {
                Some(counts) => _ = self.kept.insert(count, counts),
                None => {
                    self.given_up.push(partition_number);
                    self.kept.retain(|key, _| key.partition_number != partition_number);
                    return Ok(false);
                }
            }
        }
        self.kept
            .get(&count)
            .map_or(Ok(false), |counts| counts.worsen_by_disclosure(partition, baseline, value, after))
    }

    /// Subtracts the records that a disclosure took from groups from the kept counts of these. Drops counts that are of
    /// no further use: of groups that were divided in another way or lost much, and of columns where `live` is false
    /// for `*`.
    pub fn update_after_step(
        &mut self,
        state: &mut State,
        divided: Vec<NewGroups>,
        is_disclosure: bool,
        live: IsTracked,
    ) -> Result<(), Error> {
        if self.kept.is_empty() {
            return Ok(());
        }
        for divided in divided {
            let partition_number = divided.partition_number;
            let partition = &mut state.partitions[partition_number];
            let tally = &mut state.tallies[partition_number];
            let places = partition.attributes().len();
            if !is_disclosure {
                let on_columns = divided
                    .groups
                    .iter()
                    .flat_map(|&(group, _)| (0..places).map(move |place| (group, place)));
                pace::each(on_columns, |(group, place)| {
                    self.kept.remove(&GroupOnColumn { partition_number, group, place });
                })?;
                continue;
            }
            for DisclosedGroup { rest, group } in divided.disclosed() {
                pace::tick(places)?;
                for place in 0..places {
                    let key = GroupOnColumn { partition_number, group: rest.unwrap_or(group), place };
                    let Some(mut counts) = self.kept.remove(&key) else { continue };
                    let pays =
                        |rest| GroupCountCache::is_worthwhile(partition.size(group), partition.size(rest));
                    if rest.is_some_and(pays) && live(partition.attributes()[place], TOP) {
                        partition.restore_person_order(group)?;
                        counts.remove(partition, (group, place), None, tally)?;
                        self.kept.insert(key, counts);
                    }
                }
            }
        }
        Ok(())
    }
}
