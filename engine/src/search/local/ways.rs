//! The three ways to refine a node of one group: which parts it would make, whether they keep the models, and what
//! stays unknown of their records.

use super::trial::{measure, Way, Whole};
use super::Local;
use crate::partition::Tally;
use crate::privacy::GroupCounts;
use crate::refine::interval::Domain;
use crate::refine::NodeId;
use crate::search::leaves::unknown;
use crate::search::parts::{holds_for, Counts};
use crate::search::state::{Index, Model, State};
use crate::utility::{n_log_n, NOISE};
use crate::{loss, Code, Error, Pace};
use std::ops::Range;

/// A refinement that keeps the models.
pub(super) struct Tried {
    pub way: Way,
    /// What stays unknown of the classes of the parts' records, or what these lose, together.
    pub unknown: f64,
    /// How many parts hold records.
    pub parts: usize,
    /// The worst of each requirement's measures of them.
    pub after: Vec<f64>,
}

/// The parts of a group, as they are measured one after the other.
struct Parts<'p> {
    models: &'p [Model],
    pace: &'p Pace<'p>,
    /// Where the class stands among what is counted; none without.
    class: Option<usize>,
    /// The worst so far.
    after: Vec<f64>,
    number: usize,
    /// What is unknown, or lost, of their records together.
    unknown: f64,
}

impl Parts<'_> {
    /// Takes one more, of which the counts and what each record would lose are given; whether it keeps the models.
    fn take<'g>(
        &mut self,
        groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
        (records, loss): (u32, f64),
        classes: impl Fn(usize) -> &'g [u32],
    ) -> Result<bool, Error> {
        self.number += 1;
        self.unknown += match self.class {
            Some(class) => unknown(classes(class), records, self.pace)?,
            None => f64::from(records) * loss,
        };
        measure(self.models, groups, &mut self.after, self.pace)
    }

    /// Takes one more, which a tally has counted.
    fn take_arm(&mut self, index: &Index, tally: &Tally, arm: u32, loss: f64) -> Result<bool, Error> {
        let records = tally.records[arm as usize];
        self.take(index.groups(tally, arm), (records, loss), |class| tally.values(class, arm))
    }

    /// The parts of a refinement.
    fn tried(self, way: Way) -> Tried {
        Tried { way, unknown: self.unknown, parts: self.number, after: self.after }
    }
}

impl Local<'_> {
    /// A refinement of a group in some way; none, if a part would not keep the models.
    pub(super) fn try_way(
        &mut self,
        whole: &Whole,
        attribute: usize,
        way: Way,
    ) -> Result<Option<Tried>, Error> {
        self.aim(whole.group, attribute, &way)?;
        let after = self.state.unmeasured()?;
        let State { models, pace, columns, indexes, tallies, leaves, .. } = &mut self.state;
        let (index, tally, column) = (&indexes[0], &mut tallies.mine[0], &columns[attribute]);
        let node = column.hierarchy.node(index.partition.node(whole.group, attribute));
        index.partition.tally(whole.group, attribute, Some(&column.slots), tally, pace)?;
        let class = leaves.as_ref().map(|leaves| leaves.class);
        let mut parts = Parts { models, pace, class, after, number: 0, unknown: 0.0 };
        let mut touched = pace.collect(tally.touched.iter().copied())?;
        pace.sort_by(&mut touched, Ord::cmp)?;
        for arm in touched {
            let loss = match (&way, column.hierarchy.domain()) {
                (Way::Specialize, _) => column.hierarchy.node(node.children[arm as usize]).loss,
                (Way::Split(at), Some(domain)) if arm == 0 => domain.loss(&(node.codes.start..*at)),
                (Way::Split(at), Some(domain)) => domain.loss(&(*at..node.codes.end)),
                (Way::Disclose(codes), _) if arm as usize == codes.len() => loss::SUPPRESSED,
                _ => loss::SINGLE,
            };
            if !parts.take_arm(index, tally, arm, loss)? {
                return Ok(None);
            }
        }
        Ok(Some(parts.tried(way)))
    }

    /// The most frequent values out of `*`.
    pub(super) fn disclose(&mut self, whole: &Whole, attribute: usize) -> Result<Option<Tried>, Error> {
        let mut codes = self.frequent(whole, attribute)?;
        while !codes.is_empty() {
            let way = Way::Disclose(self.state.pace.collect(codes.iter().copied())?);
            if let Some(tried) = self.try_way(whole, attribute, way)? {
                return Ok(Some(tried));
            }
            // Each value keeps the models by itself: what stays in `*` does not, and takes one more.
            codes.pop();
        }
        Ok(None)
    }

    /// The values in `*` whose records keep the models by themselves, the most frequent first.
    fn frequent(&mut self, whole: &Whole, attribute: usize) -> Result<Vec<Code>, Error> {
        let State { models, pace, indexes, tallies, .. } = &mut self.state;
        let (index, tally) = (&indexes[0], &mut tallies.mine[0]);
        index.partition.tally(whole.group, attribute, None, tally, pace)?;
        let mut frequent: Vec<(u32, Code)> = Vec::new();
        for &code in &tally.touched {
            if holds_for(models, index.groups(tally, code), pace)? {
                frequent.push((tally.records[code as usize], code));
            }
        }
        pace.sort_by(&mut frequent, |one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)))?;
        pace.collect(frequent.into_iter().map(|(_, code)| code))
    }

    /// Into two intervals, at the best of the points at which both keep the models.
    pub(super) fn split(
        &mut self,
        whole: &Whole,
        attribute: usize,
        node: NodeId,
    ) -> Result<Option<Tried>, Error> {
        let codes = self.state.columns[attribute].hierarchy.node(node).codes.clone();
        let unmeasured = self.state.unmeasured()?;
        let Local { state, order, .. } = self;
        let State { models, pace, columns, indexes, tallies, leaves, .. } = state;
        let (index, tally) = (&indexes[0], &mut tallies.mine[0]);
        let (group, partition) = (whole.group, &index.partition);
        let Some(domain) = columns[attribute].hierarchy.domain() else { return Ok(None) };
        partition.count_codes(group, attribute, codes.clone(), order, pace)?;
        if order.codes.len() < 2 {
            return Ok(None);
        }
        let mut sensitive: Vec<usize> = index.sensitive.iter().flatten().copied().collect();
        let class = leaves.as_ref().map(|leaves| leaves.class);
        sensitive.extend(class);
        sensitive.sort_unstable();
        sensitive.dedup();
        if !sensitive.is_empty() {
            partition.order_records(group, attribute, codes.clone(), order, pace)?;
        }
        partition.count_ends(group, attribute, order, pace)?;
        partition.tally_all(group, tally, pace)?;
        let all = Counts::whole(tally, pace)?;
        let mut classes = class.map(|class| Classes::of(all.of_values(class)));
        let (mut left, mut right) = (Counts::none_of(&all, pace)?, all);
        let mut records = order.records.iter().copied().peekable();
        let (mut best, mut at_hand): (Option<Split>, Vec<f64>) = (None, Vec::new());
        for (number, held) in order.codes.windows(2).enumerate() {
            pace.tick(1)?;
            let [(before, rows), (code, _)] = *held else { continue };
            left.take(&mut right, rows, order.persons.get(number).copied().unwrap_or_default());
            while let Some(record) =
                records.next_if(|&r| !sensitive.is_empty() && partition.code(r, attribute) == before)
            {
                pace.tick(sensitive.len())?;
                left.take_values(&mut right, partition, record, &sensitive);
                if let (Some(classes), Some(class)) = (&mut classes, class) {
                    classes.take(partition.sensitive(record, class), partition.weight(record));
                }
            }
            let Some(points) = points(domain, before + 1..code + 1, classes.is_none(), pace)? else {
                continue;
            };
            at_hand.clone_from(&unmeasured);
            let mut valid = true;
            for half in [&left, &right] {
                valid = valid && measure(models, index.groups_of(half), &mut at_hand, pace)?;
            }
            if !valid {
                continue;
            }
            for at in points {
                let unknown = match &mut classes {
                    Some(classes) => classes.unknown(left.records, right.records),
                    None => {
                        f64::from(left.records) * domain.loss(&(codes.start..at))
                            + f64::from(right.records) * domain.loss(&(at..codes.end))
                    }
                };
                // Better by more than rounding, so that of equal splits the lowest is taken.
                let noise = NOISE * f64::from(whole.records);
                if best.as_ref().is_none_or(|best| unknown < best.unknown - noise) {
                    best = Some(Split { at, unknown, after: at_hand.clone() });
                }
            }
        }
        let tried = |Split { at, unknown, after }| Tried { way: Way::Split(at), unknown, parts: 2, after };
        Ok(best.map(tried))
    }
}

/// The best split so far.
struct Split {
    at: Code,
    unknown: f64,
    after: Vec<f64>,
}

/// Of the points between two values the one that is to be tried, if one may become an end: all separate the same
/// records. Where the halves' widths matter, which are longer the shorter the other is, it is one of the outermost.
fn points(
    domain: &Domain,
    between: Range<Code>,
    by_width: bool,
    pace: &Pace,
) -> Result<Option<impl Iterator<Item = Code>>, Error> {
    pace.tick(between.len())?;
    let mut allowed = between.filter(|&at| domain.may_split(at));
    let first = allowed.next();
    let last = if by_width { allowed.next_back() } else { None };
    Ok(first.map(|first| std::iter::once(first).chain(last)))
}

/// The classes of the records on both sides of a split that moves upwards.
struct Classes {
    left: Vec<u32>,
    right: Vec<u32>,
    /// The sums of n log2 n over the classes.
    left_sum: f64,
    right_sum: f64,
    /// What is to be taken over, by class.
    coming: Vec<u32>,
    touched: Vec<Code>,
}

impl Classes {
    /// All are on the right.
    fn of(all: &[u32]) -> Classes {
        let right_sum = all.iter().map(|&n| n_log_n(u64::from(n))).sum();
        let none = vec![0; all.len()];
        Classes {
            left: none.clone(),
            right: all.to_vec(),
            left_sum: 0.0,
            right_sum,
            coming: none,
            touched: Vec::new(),
        }
    }

    fn take(&mut self, class: Code, rows: u32) {
        if self.coming[class as usize] == 0 {
            self.touched.push(class);
        }
        self.coming[class as usize] += rows;
    }

    /// What stays unknown of the classes on both sides, which have so many records.
    fn unknown(&mut self, left: u32, right: u32) -> f64 {
        for class in self.touched.drain(..).map(|class| class as usize) {
            let n = std::mem::take(&mut self.coming[class]);
            self.left_sum -= n_log_n(u64::from(self.left[class]));
            self.right_sum -= n_log_n(u64::from(self.right[class]));
            self.left[class] += n;
            self.right[class] -= n;
            self.left_sum += n_log_n(u64::from(self.left[class]));
            self.right_sum += n_log_n(u64::from(self.right[class]));
        }
        n_log_n(u64::from(left)) - self.left_sum + n_log_n(u64::from(right)) - self.right_sum
    }
}
