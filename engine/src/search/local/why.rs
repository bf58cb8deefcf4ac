//! Explains why a release by local recoding is no more specific: for each released node, the reasons that kept its
//! groups from being refined.
//!
//! The caller has performed the steps again. Each resulting group is evaluated on every column, as in the search. A
//! group that could be refined is [`Reason::Open`]: the search was stopped before. If a model would break, the
//! shortfall is reported for one refinement: the children of a node of a tree, the most even split of an interval, or
//! the disclosure of the most frequent value in `*`. The groups of one node with the same reason are counted, and the
//! one nearest to being refined is reported.

use super::refinements::allowed_points;
use super::trial::{MeasuredGroup, Trial};
use super::Local;
use crate::partition::GroupId;
use crate::refine::NodeId;
use crate::search::column::Column;
use crate::search::explain::{Explained, Reason, Shortfalls};
use crate::search::recorded::Refinement;
use crate::search::state::State;
use crate::{pace, Code, Error};
use hashbrown::hash_map::Entry;
use hashbrown::HashMap;

/// The most even split of a group's interval.
enum EvenSplit {
    At(Code),
    /// All rows of the group have one value.
    OneValue,
    /// No point that may become an end lies between the group's values.
    NoPoint,
}

impl Local {
    /// Returns an entry for each node that groups are released as, and each reason, by column, node and reason.
    pub(in crate::search) fn explain(&mut self) -> Result<Vec<Explained>, Error> {
        self.enlarge_groups();
        let mut found: HashMap<(usize, NodeId, u8), Explained> = HashMap::new();
        for group in 0..self.region_of_group.len() as GroupId {
            let whole = self.measure_group(group)?;
            for attribute in (0..self.state.columns.len()).filter(|_| whole.counts.records > 0) {
                pace::tick(1)?;
                let explained = self.find_reason(&whole, attribute)?;
                match found.entry((attribute, explained.node, rank(&explained.reason))) {
                    Entry::Occupied(mut known) => {
                        let known = known.get_mut();
                        let groups = known.groups.map(|groups| groups + 1);
                        if is_nearer(&explained.reason, &known.reason) {
                            *known = explained;
                        }
                        known.groups = groups;
                    }
                    Entry::Vacant(new) => {
                        new.insert(explained);
                    }
                }
            }
        }
        let mut keys = pace::collect(found.keys().copied())?;
        pace::sort_by(&mut keys, Ord::cmp)?;
        pace::collect(keys.iter().filter_map(|key| found.remove(key)))
    }

    /// Finds the reason why a group is not refined on a column.
    fn find_reason(&mut self, whole: &MeasuredGroup, attribute: usize) -> Result<Explained, Error> {
        let node = self.node(whole.group, attribute);
        let &Column { ref hierarchy, shown, .. } = &self.state.columns[attribute];
        let (is_suppression, is_interval) = (hierarchy.is_suppression(), hierarchy.is_interval(node));
        let explained =
            |refinement, reason| Ok(Explained { attribute, node, refinement, reason, groups: Some(1) });
        let stays = |reason| explained(None, reason);
        if hierarchy.is_leaf(node) {
            return stays(Reason::Leaf);
        }
        if shown {
            return stays(Reason::Shown);
        }
        if !hierarchy.may_refine(node) {
            return stays(Reason::Finest);
        }
        if !whole.beneficial {
            return stays(Reason::OneClass);
        }
        let Some(Trial { refinement, whole_gain: gain, .. }) = self.try_column(whole, attribute)? else {
            let refinement = if is_suppression {
                self.most_frequent(whole, attribute)?
            } else if is_interval {
                match self.most_even_split(whole, attribute, node)? {
                    EvenSplit::At(at) => Refinement::split(at),
                    EvenSplit::OneValue => return stays(Reason::Leaf),
                    EvenSplit::NoPoint => return stays(Reason::NoPoint),
                }
            } else {
                Refinement::Specialize
            };
            let reason = self.shortfall(whole, attribute, &refinement)?;
            return explained(Some(refinement), reason);
        };
        explained(Some(refinement), if gain < 0.0 { Reason::BelowChance { gain } } else { Reason::Open })
    }

    /// Finds the allowed point of an interval that splits the group's rows most evenly.
    fn most_even_split(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        node: NodeId,
    ) -> Result<EvenSplit, Error> {
        let Local { state, order, .. } = self;
        let State { columns, partitions, .. } = state;
        let hierarchy = &columns[attribute].hierarchy;
        let codes = hierarchy.node(node).codes.clone();
        partitions[0].count_codes((whole.group, attribute), codes, &[], order)?;
        order.codes.retain(|(_, rows)| *rows > 0);
        if order.codes.len() < 2 {
            return Ok(EvenSplit::OneValue);
        }
        let Some(domain) = hierarchy.domain() else { return Ok(EvenSplit::NoPoint) };
        let (mut left, mut best) = (0, None);
        for neighbors in order.codes.windows(2) {
            pace::tick(1)?;
            let [(before, rows), (code, _)] = *neighbors else { continue };
            left += u64::from(rows);
            let apart = u64::from(whole.counts.records).abs_diff(2 * left);
            let first = allowed_points(domain, before + 1..code + 1)?.and_then(|mut points| points.next());
            let Some(at) = first else { continue };
            if best.is_none_or(|(least, _)| apart < least) {
                best = Some((apart, at));
            }
        }
        Ok(best.map_or(EvenSplit::NoPoint, |(_, at)| EvenSplit::At(at)))
    }

    /// Returns the disclosure of the most frequent value in a group's `*`.
    fn most_frequent(&mut self, whole: &MeasuredGroup, attribute: usize) -> Result<Refinement, Error> {
        self.count_values(whole.group, attribute)?;
        let tally = &self.state.tallies[0];
        let mut most: Option<(u32, Code)> = None;
        pace::each(&tally.touched, |&code| {
            let rows = tally.records[code as usize];
            if most.is_none_or(|(more, first)| rows > more || rows == more && code < first) {
                most = Some((rows, code));
            }
        })?;
        Ok(Refinement::Disclose { codes: most.map(|(_, code)| code).into_iter().collect() })
    }

    /// Explains an invalid refinement: counts by how far its parts break the models, or are too small.
    fn shortfall(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        refinement: &Refinement,
    ) -> Result<Reason, Error> {
        self.count(whole.group, attribute, refinement)?;
        let State { models, partitions, tallies, .. } = &mut self.state;
        let (partition, tally) = (&partitions[0], &mut tallies[0]);
        let mut shortfalls = Shortfalls::new(models, None);
        shortfalls.add_children(partition, tally)?;
        let rows = tally.touched.iter().map(|&part| u64::from(tally.records[part as usize]));
        Ok(match (shortfalls.worst(), rows.filter(|&rows| rows > 0).min()) {
            (Some(shortfall), _) => Reason::Breaks(shortfall),
            (None, Some(rows)) if rows < self.min_group_size => {
                Reason::FewRows { rows, least: self.min_group_size }
            }
            (None, _) => Reason::Open,
        })
    }
}

/// Returns the position of a reason in the order of the answer.
fn rank(reason: &Reason) -> u8 {
    match reason {
        Reason::Open => 0,
        Reason::Breaks(_) => 1,
        Reason::FewRows { .. } => 2,
        Reason::BelowChance { .. } => 3,
        Reason::OneClass => 4,
        Reason::NoPoint => 5,
        Reason::Leaf => 6,
        Reason::Finest => 7,
        Reason::Shown => 8,
        Reason::Unused => 9,
    }
}

/// Returns whether one group is nearer to being refined than another with the same kind of reason.
fn is_nearer(one: &Reason, other: &Reason) -> bool {
    match (one, other) {
        (Reason::Breaks(one), Reason::Breaks(other)) => one.rows < other.rows,
        (Reason::FewRows { rows: one, .. }, Reason::FewRows { rows: other, .. }) => one > other,
        (Reason::BelowChance { gain: one }, Reason::BelowChance { gain: other }) => one > other,
        _ => false,
    }
}
