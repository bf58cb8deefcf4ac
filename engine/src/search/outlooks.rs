//! What each refinement would withhold, and what would be the worst of the rest.
//!
//! Of each group it is kept, for each column and candidate on it, how many of its rows would be in parts that break a
//! model, and the worst measures of the parts that would not. That follows from the group's records alone and is
//! counted when the group is made, or loses records. After every step candidates are summed up from the groups that
//! hold their nodes. Where models are over one set of columns that is what they come to. Where there are several
//! sets, rows that go may take others with them: then it is tried out ([`State::prospect`]), unless nothing goes or too
//! much.

use super::column::Column;
use super::counting::Count;
use super::parts::{holds_for, take_worst, Counts, Measures};
use super::splits::Broken;
use super::state::{Index, Model, State};
use super::withholding::{Outlook, Prospect};
use super::Search;
use crate::partition::{GroupId, Tally};
use crate::privacy::GroupCounts;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{Error, Pace};

/// What is kept of a group, by one column.
#[derive(Debug, Clone, Default)]
struct OfGroup {
    /// In the order of the nodes.
    by_node: Vec<Outlook>,
    /// Of an interval whose points are candidates, how many rows a split at some of them would withhold.
    points: Vec<Broken>,
}

/// The outlooks of all groups, by partition, group and column's place.
#[derive(Debug, Default)]
pub(super) struct Outlooks {
    by_index: Vec<Vec<OfGroup>>,
    /// What each candidate comes to.
    sums: Vec<Sum>,
}

/// What the groups of a partition have of a candidate.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    rows: u64,
    /// The most, of all partitions.
    most: u64,
    shows: bool,
}

/// What a group is measured by.
struct Look<'l> {
    models: &'l [Model],
    index: &'l Index,
    unmeasured: &'l [f64],
    pace: &'l Pace,
}

impl Look<'_> {
    fn nothing(&self, node: NodeId) -> Result<Outlook, Error> {
        let worst = self.pace.collect(self.unmeasured.iter().copied())?;
        Ok(Outlook { node, rows: 0, worst, shows: false })
    }

    /// Takes a part into what is kept of its group; whether it would stay.
    fn take<'g>(
        &self,
        outlook: &mut Outlook,
        records: u32,
        groups: impl Iterator<Item = (usize, GroupCounts<'g>)> + Clone,
    ) -> Result<bool, Error> {
        let holds = holds_for(self.models, groups.clone(), self.pace)?;
        if holds {
            let measures = Measures { models: self.models, current: self.unmeasured };
            measures.take_worse(&mut outlook.worst, groups, self.pace)?;
        } else {
            outlook.rows += u64::from(records);
        }
        Ok(holds)
    }

    /// What a group would be divided into, as it was counted by children.
    fn by_children(&self, node: NodeId, tally: &Tally) -> Result<Outlook, Error> {
        let mut outlook = self.nothing(node)?;
        for &child in &tally.touched {
            let records = tally.records[child as usize];
            self.take(&mut outlook, records, self.index.groups(tally, child))?;
        }
        outlook.shows = !tally.touched.is_empty();
        Ok(outlook)
    }

    /// What a group in `*` would be divided into, as it was counted by codes.
    fn by_values(&self, tally: &Tally, is_live: impl Fn(NodeId) -> bool) -> Result<Vec<Outlook>, Error> {
        let whole = Counts::whole(tally, self.pace)?;
        let mut rest = whole.clone();
        let mut outlooks = Vec::with_capacity(tally.touched.len());
        let mut codes = self.pace.collect(tally.touched.iter().copied())?;
        self.pace.sort_by(&mut codes, Ord::cmp)?;
        for code in codes {
            let node = Hierarchy::disclosed(code);
            if !is_live(node) {
                continue;
            }
            let mut outlook = self.nothing(node)?;
            let records = tally.records[code as usize];
            outlook.shows = self.take(&mut outlook, records, self.index.groups(tally, code))?;
            rest.subtract(&whole, tally, code, self.pace)?;
            if rest.records > 0 {
                self.take(&mut outlook, rest.records, self.index.groups_of(&rest))?;
            }
            outlooks.push(outlook);
        }
        outlooks.shrink_to_fit();
        Ok(outlooks)
    }
}

impl Search<'_> {
    /// Keeps what a group that was just counted would become.
    pub(super) fn look_ahead(&mut self, count: Count, is_live: bool) -> Result<(), Error> {
        let Count { index, group, place } = count;
        let unmeasured = self.state.unmeasured()?;
        let Search { state, candidates, outlooks, .. } = self;
        let State { models, columns, indexes, tallies, pace, .. } = state;
        let (partition, tally) = (&indexes[index].partition, &tallies[index]);
        let width = partition.attributes().len();
        let all = &mut outlooks.by_index;
        all.resize_with(all.len().max(indexes.len()), Vec::new);
        let of_index = &mut all[index];
        let places = partition.groups() * width;
        if places > of_index.len() {
            of_index.resize(places, OfGroup::default());
        }
        let kept = &mut of_index[group as usize * width + place].by_node;
        kept.clear();
        if !is_live {
            return Ok(());
        }
        let look = Look { models, index: &indexes[index], unmeasured: &unmeasured, pace };
        let (attribute, node) = (partition.attributes()[place], partition.node(group, place));
        let is_suppression = columns[attribute].hierarchy.is_suppression();
        *kept = if is_suppression {
            look.by_values(tally, |node| candidates.living(attribute, node).is_some())?
        } else {
            vec![look.by_children(node, tally)?]
        };
        Ok(())
    }

    /// Keeps how many rows of a group splits of an interval would withhold.
    pub(super) fn keep_points(&mut self, Count { index, group, place }: Count, points: Vec<Broken>) {
        let width = self.state.indexes[index].partition.attributes().len();
        let kept = &mut self.outlooks.by_index[index][group as usize * width + place].points;
        *kept = points;
    }

    /// Sums up what each candidate comes to, and drops those that would withhold too many rows.
    pub(super) fn look_around(&mut self) -> Result<(), Error> {
        self.sum_up_points()?;
        self.split_elsewhere()?;
        while self.sum_up()? {
            self.split_elsewhere()?;
        }
        Ok(())
    }

    /// Sums up candidates; whether the point of any interval has to be another.
    fn sum_up(&mut self) -> Result<bool, Error> {
        self.sum_up_groups()?;
        let several = self.state.indexes.iter().filter(|index| !index.models.is_empty()).count() > 1;
        let mut again = false;
        for id in 0..self.candidates.len() {
            self.state.pace.tick(1)?;
            let Some((attribute, node)) = self.candidates.alive_at(id) else { continue };
            let Sum { most, shows, .. } = self.outlooks.sums[id];
            let left = self.state.withheld.as_ref().map_or(0, |withheld| withheld.left());
            let mut goes = most <= left && shows;
            let mut rows = most;
            if several && goes && most > 0 {
                match self.try_out(attribute, node)? {
                    Some(prospect) => {
                        goes = prospect.shows;
                        rows = prospect.rows;
                        *self.candidates.measures(id) = prospect.after;
                    }
                    None => goes = false,
                }
            }
            self.candidates.withhold(id, rows);
            if goes {
                continue;
            }
            if self.splits.has(id) {
                self.splits.rule_out(id);
                again = true;
            } else {
                self.candidates.drop(id);
            }
        }
        Ok(again)
    }

    /// What a candidate comes to where the rows that it would withhold may take others with them.
    fn try_out(&mut self, attribute: usize, node: NodeId) -> Result<Option<Prospect>, Error> {
        let Search { state, outlooks, .. } = self;
        let places: Vec<Option<(usize, usize)>> = (state.indexes.iter())
            .map(|Index { partition, .. }| Some((partition.place(attribute)?, partition.attributes().len())))
            .collect();
        let known = |index: usize, group: GroupId| {
            let (place, width) = places[index]?;
            let by_node = &outlooks.by_index[index].get(group as usize * width + place)?.by_node;
            let at = by_node.binary_search_by_key(&node, |outlook| outlook.node).ok()?;
            Some(&by_node[at])
        };
        let Column { hierarchy, slots, .. } = &mut state.columns[attribute];
        if !hierarchy.is_suppression() {
            let prospect = state.prospect(attribute, node, known)?;
            return Ok(prospect.map(|prospect| Prospect { shows: true, ..prospect }));
        }
        let code = hierarchy.node(node).codes.start as usize;
        slots[code] = 1;
        let prospect = state.prospect(attribute, TOP, known);
        state.columns[attribute].slots[code] = 0;
        prospect
    }

    /// Sums up what the groups would withhold, and takes their worst measures into the candidates'.
    fn sum_up_groups(&mut self) -> Result<(), Error> {
        let unmeasured = self.state.unmeasured()?;
        let Search { state, candidates, outlooks, .. } = self;
        let State { models, indexes, pace, .. } = state;
        let Outlooks { by_index, sums } = outlooks;
        sums.clear();
        sums.resize(candidates.len(), Sum::default());
        for id in 0..candidates.len() {
            pace.tick(1 + unmeasured.len())?;
            if candidates.alive_at(id).is_some() {
                candidates.measures(id).copy_from_slice(&unmeasured);
            }
        }
        for (index, of_index) in indexes.iter().zip(by_index) {
            let attributes = index.partition.attributes();
            for (at, OfGroup { by_node, .. }) in of_index.iter().enumerate() {
                pace.tick(1)?;
                let attribute = attributes[at % attributes.len()];
                for Outlook { node, rows, worst, shows } in by_node {
                    pace.tick(1 + worst.len())?;
                    let Some(id) = candidates.living(attribute, *node) else { continue };
                    sums[id].rows += rows;
                    sums[id].shows |= shows;
                    take_worst(models, candidates.measures(id), worst, pace)?;
                }
            }
            pace.each(&mut *sums, |sum| sum.most = sum.most.max(std::mem::take(&mut sum.rows)))?;
        }
        Ok(())
    }

    /// Rules out the points of intervals at which a split would withhold too many rows.
    fn sum_up_points(&mut self) -> Result<(), Error> {
        let Search { state, candidates, splits, outlooks, .. } = self;
        let State { indexes, withheld, pace, .. } = state;
        let left = withheld.as_ref().map_or(0, |withheld| withheld.left());
        for (index, of_index) in indexes.iter().zip(&outlooks.by_index) {
            let attributes = index.partition.attributes();
            let width = attributes.len();
            for (at, OfGroup { points, .. }) in of_index.iter().enumerate() {
                pace.tick(1 + points.len())?;
                let group = (at / width) as GroupId;
                let Some(id) =
                    candidates.living(attributes[at % width], index.partition.node(group, at % width))
                else {
                    continue;
                };
                splits.add(id, points);
            }
            splits.rule_out_above(left, pace)?;
        }
        Ok(())
    }
}
