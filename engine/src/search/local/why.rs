//! Why a release by local recoding is no more specific: for each node that groups are released as, what kept these from
//! being refined there.
//!
//! The steps are performed again, and each group that they leave is looked at once more on every column, as the search
//! looks at it. One that could be refined stays because somebody stopped the search. Where a model would break, it is
//! told how far off that is: of a node of a tree with its children, of an interval split where its rows are halved best, of a
//! `*` with its most frequent value disclosed. Groups that are released as one node and stay for one reason are counted, and
//! that is told which is nearest to being refined.

use super::refinements::points;
use super::trial::{Weighed, WholeGroup};
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

impl Local {
    /// Why the groups are not refined further: each node that some are released as, with each reason that there is.
    pub(in crate::search) fn explain(&mut self) -> Result<Vec<Explained>, Error> {
        let mut found: HashMap<(usize, NodeId, u8), Explained> = HashMap::new();
        for group in 0..self.region_of_group.len() as GroupId {
            let (whole, beneficial) = self.whole(group)?;
            for attribute in (0..self.state.columns.len()).filter(|_| whole.records > 0) {
                pace::tick(1)?;
                let explained = self.why(&whole, beneficial, attribute)?;
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

    /// Why a group is not refined on a column.
    fn why(&mut self, whole: &WholeGroup, beneficial: bool, attribute: usize) -> Result<Explained, Error> {
        let node = self.state.indexes[0].partition.node(whole.group, attribute);
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
        if !beneficial {
            return stays(Reason::OneClass);
        }
        let Some(Weighed { trial, whole_gain: gain, .. }) = self.try_column(whole, attribute, node)? else {
            let refinement = if is_suppression {
                self.most_frequent(whole, attribute)?
            } else if is_interval {
                match self.middle(whole, attribute, node)? {
                    Ok(at) => Refinement::split(at),
                    Err(reason) => return stays(reason),
                }
            } else {
                Refinement::Specialize
            };
            let reason = self.shortfall(whole, attribute, &refinement)?;
            return explained(Some(refinement), reason);
        };
        explained(
            Some(trial.refinement),
            if gain < 0.0 { Reason::TellsNothing { gain } } else { Reason::Open },
        )
    }

    /// The allowed end that splits the rows of an interval most evenly; or the reason why there is none.
    fn middle(
        &mut self,
        whole: &WholeGroup,
        attribute: usize,
        node: NodeId,
    ) -> Result<Result<Code, Reason>, Error> {
        let Local { state, order, .. } = self;
        let State { columns, indexes, .. } = state;
        let hierarchy = &columns[attribute].hierarchy;
        let codes = hierarchy.node(node).codes.clone();
        indexes[0].partition.count_codes((whole.group, attribute), codes, &[], order)?;
        order.codes.retain(|(_, rows)| *rows > 0);
        if order.codes.len() < 2 {
            return Ok(Err(Reason::Leaf));
        }
        let Some(domain) = hierarchy.domain() else { return Ok(Err(Reason::NoPoint)) };
        let (mut left, mut best) = (0, None);
        for held in order.codes.windows(2) {
            pace::tick(1)?;
            let [(before, rows), (code, _)] = *held else { continue };
            left += rows;
            let apart = whole.records.abs_diff(2 * left);
            let first = points(domain, before + 1..code + 1)?.and_then(|mut points| points.next());
            let Some(at) = first else { continue };
            if best.is_none_or(|(least, _)| apart < least) {
                best = Some((apart, at));
            }
        }
        Ok(best.map(|(_, at)| at).ok_or(Reason::NoPoint))
    }

    /// The value in `*` that most rows of a group hold.
    fn most_frequent(&mut self, whole: &WholeGroup, attribute: usize) -> Result<Refinement, Error> {
        let State { indexes, tallies, .. } = &mut self.state;
        let tally = &mut tallies[0];
        indexes[0].partition.tally(whole.group, attribute, None, tally)?;
        let mut most: Option<(u32, Code)> = None;
        pace::each(&tally.touched, |&code| {
            let rows = tally.records[code as usize];
            if most.is_none_or(|(more, first)| rows > more || rows == more && code < first) {
                most = Some((rows, code));
            }
        })?;
        Ok(Refinement::Disclose { codes: most.map(|(_, code)| code).into_iter().collect() })
    }

    /// What a refinement that a model stands against would break.
    fn shortfall(
        &mut self,
        whole: &WholeGroup,
        attribute: usize,
        refinement: &Refinement,
    ) -> Result<Reason, Error> {
        self.assign_parts(whole.group, attribute, refinement)?;
        let State { models, columns, indexes, tallies, .. } = &mut self.state;
        let (index, tally) = (&indexes[0], &mut tallies[0]);
        index.partition.tally(whole.group, attribute, Some(&columns[attribute].part_of_code), tally)?;
        let mut shortfalls = Shortfalls::none(models, None);
        for &part in &tally.touched {
            shortfalls.add(index.groups(tally, part), u64::from(tally.records[part as usize]))?;
        }
        Ok(shortfalls.worst().map_or(Reason::Open, Reason::Breaks))
    }
}

/// The order in which reasons are told.
fn rank(reason: &Reason) -> u8 {
    match reason {
        Reason::Open => 0,
        Reason::Breaks(_) => 1,
        Reason::TellsNothing { .. } => 2,
        Reason::OneClass => 3,
        Reason::NoPoint => 4,
        Reason::Leaf => 5,
        Reason::Finest => 6,
        Reason::Shown => 7,
        Reason::Unused => 8,
    }
}

/// Whether a group that stays for a reason is nearer to being refined than another that stays for the same.
fn is_nearer(one: &Reason, other: &Reason) -> bool {
    match (one, other) {
        (Reason::Breaks(one), Reason::Breaks(other)) => one.rows < other.rows,
        (Reason::TellsNothing { gain: one }, Reason::TellsNothing { gain: other }) => one > other,
        _ => false,
    }
}
