//! Few rows of a shown value are hidden: counts that tell that fewer than k are of a node are joined with others.

use super::{below, in_order, joined, CodeModels, CountedNode, CountedNodes, Holders};
use crate::measure::information::{weight, Released};
use crate::progress::{room, room_in_table};
use crate::refine::NodeId;
use crate::refine::TOP;
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::cell::Cell;
use std::ops::Range;

/// For so many rounds a count is joined with one other at a time.
const ROUNDS_BY_ONE: u32 = 8;

impl CountedNodes<'_> {
    /// Joins counts until none tells that some rows of a shown value, but fewer than k, are of a node.
    /// `shown` numbers what is shown, and `stands_for` says for which codes each may stand.
    pub fn hide_few(
        &mut self,
        shown: Released,
        stands_for: &[Vec<Range<Code>>],
        (codes, weights): (&Store, Option<&Codes>),
        (k, holders): (u64, &mut Holders),
    ) -> Result<(), Error> {
        let held = rows_by_both(shown, codes, weights)?;
        self.join_while(&held, holders, |counts| counts.few(&held, stands_for, k))
    }

    /// Joins counts until models hold for each.
    pub fn keep_models(&mut self, models: &CodeModels, holders: &mut Holders) -> Result<(), Error> {
        let mut held = Vec::new();
        for code in self.nodes.iter().flat_map(|count| &count.codes).cloned().flatten() {
            pace::tick(1)?;
            let rows = holders.rows[code as usize];
            held.extend((rows > 0).then_some(Held { shown: 0, of: code, rows }));
        }
        self.join_while(&held, holders, |counts| counts.broken(models))
    }

    /// The counts for which models do not hold. One alone counts what everybody can count.
    fn broken(&self, models: &CodeModels) -> Result<Vec<usize>, Error> {
        let mut broken = Vec::new();
        for (place, count) in self.nodes.iter().enumerate().filter(|_| self.nodes.len() > 1) {
            if !models.hold(&count.codes)? {
                broken.push(place);
            }
        }
        Ok(broken)
    }

    fn join_while(
        &mut self,
        held: &[Held],
        holders: &mut Holders,
        mut to_join: impl FnMut(&Self) -> Result<Vec<usize>, Error>,
    ) -> Result<(), Error> {
        for round in 0u32.. {
            let joined = to_join(self)?;
            if joined.is_empty() {
                break;
            }
            // What is not enough with one more each time is joined with twice as many: each round looks at all counts.
            let others = 1 << round.saturating_sub(ROUNDS_BY_ONE).min(31);
            let (mut named, mut grown) = (self.by_node()?, HashSet::new());
            for count in joined {
                // What was joined already is looked at again as it is then.
                if !self.nodes[count].codes.is_empty() && !grown.contains(&count) {
                    grown.extend(self.join(count, others, &mut named)?);
                }
            }
            self.nodes.retain(|count| !count.codes.is_empty());
            self.nodes.iter_mut().try_for_each(CountedNode::put_in_order)?;
            self.join_misnamed(held)?;
        }
        self.check(holders)
    }

    /// Joins the counts that have codes of one part, which the version before counted together.
    pub(super) fn keep_together(&mut self, before: &[Code], holders: &mut Holders) -> Result<(), Error> {
        let mut held = Vec::new();
        let mut count_of: HashMap<Code, usize> = HashMap::new();
        let mut apart: Vec<(usize, usize)> = Vec::new();
        for (place, count) in self.nodes.iter().enumerate() {
            for code in count.codes.iter().cloned().flatten() {
                pace::tick(1)?;
                let (shown, rows) = (before[code as usize], holders.rows[code as usize]);
                if rows > 0 {
                    held.push(Held { shown, of: code, rows });
                    let other = *count_of.entry(shown).or_insert(place);
                    apart.extend(Some((other, place)).filter(|_| other != place));
                }
            }
        }
        // Where each count has gone.
        let mut into: Vec<usize> = pace::collect(0..self.nodes.len())?;
        for (one, other) in apart {
            let [one, other] = [one, other].map(|mut count| {
                while into[count] != count {
                    into[count] = into[into[count]];
                    count = into[count];
                }
                count
            });
            pace::tick(1)?;
            let (first, last) = (one.min(other), one.max(other));
            self.merge(first, last)?;
            into[last] = first;
        }
        self.nodes.retain(|count| !count.codes.is_empty());
        self.join_misnamed(&held)?;
        self.check(holders)
    }

    /// Joins counts until a reader finds each code in the count that has its rows: joining has given counts other names.
    fn join_misnamed(&mut self, held: &[Held]) -> Result<(), Error> {
        loop {
            let ((first, by_name), by_code) = (self.counts_by_name()?, self.counts_by_code()?);
            let mut misnamed: Vec<(usize, Option<usize>)> = Vec::new();
            pace::each(held, |cell| {
                let name = cell.of.checked_sub(first).and_then(|place| *by_name.get(place as usize)?);
                let of = by_code[cell.of as usize];
                misnamed.extend(of.filter(|_| of != name).map(|of| (of, name)));
            })?;
            pace::sort_by(&mut misnamed, Ord::cmp)?;
            misnamed.dedup();
            if misnamed.is_empty() {
                return Ok(());
            }
            for (count, name) in misnamed {
                match name {
                    Some(other) => self.merge(count.min(other), count.max(other))?,
                    // No name is above the code: what is above the count becomes its name.
                    None if !self.nodes[count].codes.is_empty() => {
                        let above = self.hierarchy.node(self.nodes[count].node).parent.unwrap_or(TOP);
                        self.rename(count, above)?;
                    }
                    None => {}
                }
            }
            self.nodes.retain(|count| !count.codes.is_empty());
        }
    }

    /// For each code, the count that has its rows.
    fn counts_by_code(&self) -> Result<Vec<Option<usize>>, Error> {
        room::<Option<usize>>(self.hierarchy.codes())?;
        let mut of_codes = vec![None; self.hierarchy.codes()];
        for (place, count) in self.nodes.iter().enumerate() {
            pace::each(count.codes.iter().cloned().flatten(), |code| of_codes[code as usize] = Some(place))?;
        }
        Ok(of_codes)
    }

    /// Merges two counts, if both are left, and names them by the nearest node above both.
    fn merge(&mut self, into: usize, other: usize) -> Result<(), Error> {
        if into == other || self.nodes[into].codes.is_empty() || self.nodes[other].codes.is_empty() {
            return Ok(());
        }
        let gone = |node| CountedNode { node, with: Vec::new(), codes: Vec::new(), rows: 0 };
        // NULLs are counted with an interval by both names.
        let (one, null) = (self.nodes[into].node, self.nodes[other].node);
        if self.hierarchy.is_interval(one) && Some(null) == self.hierarchy.null() {
            let null = std::mem::replace(&mut self.nodes[other], gone(null));
            self.nodes[into].with.push(null.node);
            self.nodes[into].add(null)?;
            return self.nodes[into].put_in_order();
        }
        let mut above = HashSet::new();
        let mut at = Some(self.nodes[into].node);
        while let Some(node) = at {
            pace::tick(1)?;
            above.insert(node);
            at = self.hierarchy.node(node).parent;
        }
        let mut node = self.nodes[other].node;
        while !above.contains(&node) {
            pace::tick(1)?;
            node = self.hierarchy.node(node).parent.unwrap_or(TOP);
        }
        let mut other = std::mem::replace(&mut self.nodes[other], gone(node));
        other.with.push(other.node);
        self.nodes[into].add(other)?;
        self.nodes[into].put_in_order()?;
        self.rename(into, node)
    }

    /// Names a count by a node above, and drops the names below this.
    fn rename(&mut self, count: usize, node: NodeId) -> Result<(), Error> {
        let mut with = Vec::new();
        for other in std::mem::take(&mut self.nodes[count].with) {
            with.extend(self.child_above(node, other)?.is_none().then_some(other));
        }
        (self.nodes[count].node, self.nodes[count].with) = (node, with);
        Ok(())
    }

    /// Which counts tell that fewer than k rows of a shown value are of a node, or of all shown values together that may be of
    /// others.
    fn few(&self, held: &[Held], stands_for: &[Vec<Range<Code>>], k: u64) -> Result<Vec<usize>, Error> {
        // One alone counts all rows, which everybody can.
        if self.nodes.len() < 2 {
            return Ok(Vec::new());
        }
        let place_of = self.counts_by_code()?;
        let mut rows: HashMap<(Code, usize), u64> = HashMap::new();
        for cell in held {
            pace::tick(1)?;
            let place = place_of[cell.of as usize].ok_or(Error::Internal("rows are in no count"))?;
            *rows.entry((cell.shown, place)).or_default() += cell.rows;
        }
        let cell = |((shown, of), rows): ((Code, usize), u64)| Held { shown, of: of as Code, rows };
        let mut cells = pace::collect(rows.into_iter().map(cell))?;
        pace::sort_by(&mut cells, |one, other| (one.shown, one.of).cmp(&(other.shown, other.of)))?;
        let of_shown: Vec<&[Held]> = cells.chunk_by(|one, next| one.shown == next.shown).collect();
        // What stands for a single node has no rows of others to exchange.
        let is_wide = |cells: &&[Held]| {
            !lies_within(&stands_for[cells[0].shown as usize], &self.nodes[cells[0].of as usize].codes)
        };
        let wide = pace::collect(of_shown.iter().copied().filter(is_wide))?;
        let mut exchange = Exchange::new(self.hierarchy.codes(), wide)?;
        for place in 0..exchange.shown.len() {
            let shown = exchange.shown[place][0].shown as usize;
            stands_for[shown].iter().try_for_each(|codes| exchange.add(codes, place))?;
        }
        let may_be = |shown: Code, count: &CountedNode| overlap(&stands_for[shown as usize], &count.codes);
        let mut elsewhere: Vec<u64> = self.nodes.iter().map(|count| count.rows).collect();
        let mut tells = vec![false; self.nodes.len()];
        for cell in of_shown.iter().copied().flatten() {
            let place = cell.of as usize;
            if lies_within(&stands_for[cell.shown as usize], &self.nodes[place].codes) {
                elsewhere[place] -= cell.rows;
            } else if cell.rows < k && !tells[place] {
                tells[place] = !self.may_be_none(cell, &exchange, may_be)?;
            }
        }
        let is_few = |&place: &usize| tells[place] || (1..k).contains(&elsewhere[place]);
        Ok((0..self.nodes.len()).filter(is_few).collect())
    }

    /// Whether none of the rows of a shown value may be of a node: as many rows of others, which may be, may be exchanged for
    /// them.
    fn may_be_none(
        &self,
        cell: &Held,
        exchange: &Exchange,
        may_be: impl Fn(Code, &CountedNode) -> bool,
    ) -> Result<bool, Error> {
        let (mut exchanged, mut seen, mut visited) = (0, HashSet::new(), HashSet::new());
        let is_for =
            |other: &&Held| other.of != cell.of && may_be(cell.shown, &self.nodes[other.of as usize]);
        for code in self.nodes[cell.of as usize].codes.iter().cloned().flatten() {
            // Whatever is above a stretch that was visited was visited, too.
            for stretch in exchange.stretches(code).take_while(|&stretch| visited.insert(stretch)) {
                pace::tick(1)?;
                for &other in &exchange.of_stretch[stretch] {
                    let others = exchange.shown[other as usize];
                    if others[0].shown == cell.shown || !seen.insert(other) {
                        continue;
                    }
                    pace::tick(others.len())?;
                    exchanged += others.iter().filter(is_for).map(|other| other.rows).sum::<u64>();
                    if exchanged >= cell.rows {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Joins a count with some others, of which there may be fewer: an interval with the smaller ones beside it, any other with what
    /// is left of the node above, or with all below the smallest of its other children. Returns the place of all together, whose ranges
    /// of codes are put in order later.
    fn join(&mut self, count: usize, some: usize, named: &mut ByNode) -> Result<Option<usize>, Error> {
        let mut node = self.nodes[count].node;
        let mut others = match self.hierarchy.is_interval(node) {
            true => self.intervals_beside(count, some)?,
            false => Vec::new(),
        };
        while others.is_empty() {
            others.extend(self.named(node, named).filter(|&other| other != count));
            if others.is_empty() {
                let smallest = self.below_children(node, count, named)?.into_iter().take(some);
                others.extend(smallest.flat_map(|(.., others)| others));
            }
            match self.hierarchy.node(node).parent {
                Some(parent) if others.is_empty() => node = parent,
                _ => break,
            }
        }
        // What was joined meanwhile may have left it alone.
        let Some(&into) = others.first() else { return Ok(None) };
        let has_its_name = self.nodes[into].node == node;
        let gone = || CountedNode { node, with: Vec::new(), codes: Vec::new(), rows: 0 };
        let mut all = Vec::with_capacity(others.len() + 1);
        for place in std::iter::once(count).chain(others) {
            pace::tick(1)?;
            all.push(std::mem::replace(&mut self.nodes[place], gone()));
        }
        self.nodes[into] = joined(all)?;
        if !has_its_name {
            named.entry(node).or_default().push(into);
        }
        // What is below the node is called by it.
        self.rename(into, node)?;
        Ok(Some(into))
    }

    /// The intervals beside a count, the smaller one of both sides first.
    fn intervals_beside(&self, count: usize, some: usize) -> Result<Vec<usize>, Error> {
        let looked_at = Cell::new(0);
        let is_beside = |other: &usize| {
            looked_at.set(looked_at.get() + 1);
            let CountedNode { node, codes, .. } = &self.nodes[*other];
            !codes.is_empty() && self.hierarchy.is_interval(*node)
        };
        let mut before = (0..count).rev().filter(is_beside).peekable();
        let mut after = (count + 1..self.nodes.len()).filter(is_beside).peekable();
        let mut beside = Vec::new();
        while beside.len() < some {
            let rows = |other: &usize| self.nodes[*other].rows;
            let next = match (before.peek().map(rows), after.peek().map(rows)) {
                (Some(one), Some(other)) if one > other => after.next(),
                (Some(_), _) => before.next(),
                (None, _) => after.next(),
            };
            let Some(next) = next else { break };
            beside.push(next);
            pace::tick(looked_at.take())?;
        }
        Ok(beside)
    }

    /// The counts below each child of a node, but for one count, by how many rows they have together.
    fn below_children(&self, node: NodeId, but: usize, named: &ByNode) -> Result<Vec<OfChild>, Error> {
        let mut of_children = Vec::new();
        for child in below(self.hierarchy, node) {
            let (mut counts, mut open, mut rows) = (Vec::new(), vec![child], 0);
            while let Some(node) = open.pop() {
                pace::tick(1)?;
                for other in self.named(node, named).filter(|&other| other != but) {
                    rows += self.nodes[other].rows;
                    counts.push(other);
                }
                open.extend(below(self.hierarchy, node));
            }
            if !counts.is_empty() {
                counts.sort_unstable();
                of_children.push((rows, child, counts));
            }
        }
        in_order(of_children, |&(rows, child, _)| (rows, child))
    }

    /// The counts that a node has still.
    fn named<'n>(&'n self, node: NodeId, named: &'n ByNode) -> impl Iterator<Item = usize> + 'n {
        let places = named.get(&node).into_iter().flatten().copied();
        places.filter(move |&place| self.nodes[place].node == node && !self.nodes[place].codes.is_empty())
    }

    /// The places of counts by their nodes.
    fn by_node(&self) -> Result<ByNode, Error> {
        room_in_table::<(NodeId, Vec<usize>)>(self.nodes.len())?;
        let mut named = ByNode::new();
        pace::each(self.nodes.iter().enumerate(), |(place, count)| {
            named.entry(count.node).or_default().push(place);
        })?;
        Ok(named)
    }

    /// The child of a node that another is or is below, if it is below the node; none inside for the node itself.
    fn child_above(&self, node: NodeId, other: NodeId) -> Result<Option<Option<NodeId>>, Error> {
        let (mut child, mut at) = (None, other);
        while at != node {
            pace::tick(1)?;
            child = Some(at);
            match self.hierarchy.node(at).parent {
                Some(parent) => at = parent,
                None => return Ok(None),
            }
        }
        Ok(Some(child))
    }
}

/// The places of counts by their nodes.
type ByNode = HashMap<NodeId, Vec<usize>>;

/// The rows of the counts below a child of a node; the child; the places of these counts.
type OfChild = (u64, NodeId, Vec<usize>);

/// How many rows are shown as something, and are of a code, or counted as a node.
#[derive(Debug, Clone, Copy)]
struct Held {
    shown: Code,
    of: Code,
    rows: u64,
}

/// Finds the shown values that may stand for a code: a segment tree over the codes, in which each value is kept at the few
/// stretches of codes that make up what it stands for.
struct Exchange<'c> {
    /// The cells of each shown value.
    shown: Vec<&'c [Held]>,
    codes: usize,
    /// Of each stretch the shown values kept there, by their places in `shown`. Stretch 1 is all codes, those of stretch s are the
    /// stretches 2 s and 2 s + 1, and the last ones are single codes.
    of_stretch: Vec<Vec<u32>>,
}

impl<'c> Exchange<'c> {
    fn new(codes: usize, shown: Vec<&'c [Held]>) -> Result<Exchange<'c>, Error> {
        let codes = codes.next_power_of_two();
        room::<Vec<u32>>(2 * codes)?;
        let of_stretch = pace::collect((0..2 * codes).map(|_| Vec::new()))?;
        Ok(Exchange { shown, codes, of_stretch })
    }

    /// A shown value may stand for some codes.
    fn add(&mut self, codes: &Range<Code>, place: usize) -> Result<(), Error> {
        let (mut from, mut to) = (codes.start as usize + self.codes, codes.end as usize + self.codes);
        while from < to {
            pace::tick(1)?;
            if from % 2 == 1 {
                self.of_stretch[from].push(place as u32);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                self.of_stretch[to].push(place as u32);
            }
            (from, to) = (from / 2, to / 2);
        }
        Ok(())
    }

    /// The stretches that a code is in, the smallest first.
    fn stretches(&self, code: Code) -> impl Iterator<Item = usize> + use<> {
        std::iter::successors(Some(code as usize + self.codes), |stretch| {
            Some(stretch / 2).filter(|&up| up > 0)
        })
    }
}

/// By what is shown, then by code.
fn rows_by_both(shown: Released, codes: &Store, weights: Option<&Codes>) -> Result<Vec<Held>, Error> {
    let mut rows: HashMap<(Code, Code), u64> = HashMap::new();
    let (mut keys, mut held) = (Vec::new(), Vec::new());
    for records in pace::ranges(0..codes.len()) {
        let records = records?;
        let keys = shown.codes.fetch(records.clone(), &mut keys)?;
        let held = codes.fetch(records.clone(), &mut held)?;
        for ((record, &key), &code) in records.zip(keys).zip(held) {
            *rows.entry((shown.as_number[key as usize], code)).or_default() += weight(weights, record);
        }
    }
    let mut cells = pace::collect(rows.into_iter().map(|((shown, of), rows)| Held { shown, of, rows }))?;
    pace::sort_by(&mut cells, |one, other| (one.shown, one.of).cmp(&(other.shown, other.of)))?;
    Ok(cells)
}

/// Whether some ranges have a code in common with others, which are ascending and disjoint.
fn overlap(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().any(|one| {
        let first = others.partition_point(|other| other.end <= one.start);
        others.get(first).is_some_and(|other| other.start < one.end)
    })
}

/// Whether each of some ranges lies within one of others, which are ascending and do not touch each other.
fn lies_within(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().all(|one| {
        let first = others.partition_point(|other| other.end < one.end);
        others.get(first).is_some_and(|other| other.start <= one.start)
    })
}
