//! Counts of a column by itself, finer than what a release shows of it: its finest nodes of which each is held by k rows,
//! and by k persons where these are counted.
//!
//! From a node that is shown down to its leaves, what few rows hold is joined with what is beside it: neighbouring
//! intervals are one interval, and children of a node are together what is left of that node beside its others. Where these are too few,
//! they are counted with the smallest other count, by both names; so are few NULLs. So each count is of k rows or more, the counts below a
//! node add up to its rows, and a value is counted by its own name, or by the nearest node above it that has a count
//! ([`CountedNodes::counts_by_name`]). What had enough by itself, and is counted with few others, has 2 k rows together with them: a reader
//! who knows this rule learns that the others are fewer than k, and no closer bound. If a node that is shown has fewer than k rows, nothing
//! is counted below it, and it has no count.
//!
//! Where every value is shown as the same node wherever it occurs (global recoding) no more follows. In each class of
//! rows the finer nodes of a column may be any of those below what the class shows, as long as they add up; so none of them can be known to
//! be held by some rows of a class, but fewer than k. Where classes show nodes that overlap (local recoding, clusters) it may follow: if 12 rows
//! are in their twenties, and 10 of them are shown as such, 2 of those that show a wider interval are. Such nodes are
//! joined with others until no less than k rows of a shown value, or possibly none, are of any node ([`CountedNodes::hide_few`]).

use super::information::{weight, Released};
use crate::progress::room;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::cmp::Reverse;
use std::ops::Range;

/// A count: of a node, or of what is left of it beside those below that are counted by themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedNode {
    /// The node; of an interval one that holds it.
    pub node: NodeId,
    /// Other nodes that are counted with it.
    pub with: Vec<NodeId>,
    /// The codes that are counted, ascending.
    pub codes: Vec<Range<Code>>,
    /// How many rows hold them.
    pub rows: u64,
}

impl CountedNode {
    fn first(&self) -> Code {
        self.codes[0].start
    }

    /// Adds the codes and rows of others. The ranges are sorted and merged once, however many others there are.
    fn join(&mut self, others: &[CountedNode]) -> Result<(), Error> {
        let ranges = self.codes.len() + others.iter().map(|other| other.codes.len()).sum::<usize>();
        room::<(Code, Code)>(ranges)?;
        let mut all: Vec<(Code, Code)> = Vec::with_capacity(ranges);
        for count in std::iter::once(&*self).chain(others) {
            pace::each(&count.codes, |codes| all.push((codes.start, codes.end)))?;
        }
        pace::sort_by(&mut all, Ord::cmp)?;
        self.rows += others.iter().map(|other| other.rows).sum::<u64>();
        self.codes.clear();
        pace::each(all, |(start, end)| match self.codes.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.codes.push(start..end),
        })
    }
}

/// How many rows, or persons by a column, a count has to be of.
#[derive(Debug, Clone, Copy)]
pub struct Least<'a> {
    /// So many.
    pub k: u64,
    /// Whose each record is, and how many persons there are; none, where rows are counted.
    pub persons: Option<(&'a Store, usize)>,
}

/// Who holds the codes of a column. Codes are added one by one until there are enough rows and persons.
pub struct Holders {
    rows: Vec<u64>,
    /// So many rows are enough.
    k: u64,
    added: u64,
    persons: Vec<Persons>,
    /// The rows, and of each of `persons` the persons, of the codes that were begun with.
    base: (u64, Vec<u64>),
}

/// The persons that hold each code.
struct Persons {
    k: u64,
    /// Where the persons of each code end, which begin where those before end.
    ends: Vec<usize>,
    persons: Vec<Code>,
    /// In which round each person was added last.
    added_in: Vec<u32>,
    round: u32,
    /// The round of the codes that this round is tried with; persons of that round are not added again.
    base: u32,
    added: u64,
}

impl Persons {
    fn new(codes: &Store, of_codes: usize, k: u64, (persons, count): (&Store, usize)) -> Result<Self, Error> {
        room::<[Code; 2]>(codes.len())?;
        room::<(usize, u32)>(of_codes.max(count))?;
        let (mut held, mut whose) = (Vec::new(), Vec::new());
        let mut pairs: Vec<(Code, Code)> = Vec::with_capacity(codes.len());
        for records in pace::ranges(0..codes.len()) {
            let records = records?;
            let held = codes.fetch(records.clone(), &mut held)?;
            let whose = persons.fetch(records, &mut whose)?;
            pairs.extend(held.iter().copied().zip(whose.iter().copied()));
        }
        pace::sort_by(&mut pairs, Ord::cmp)?;
        pairs.dedup();
        let end = |code: usize| pairs.partition_point(|&(held, _)| held as usize <= code);
        let ends = pace::collect((0..of_codes).map(end))?;
        let persons = pace::collect(pairs.iter().map(|&(_, person)| person))?;
        Ok(Persons { k, ends, persons, added_in: vec![0; count], round: 0, base: 0, added: 0 })
    }

    fn add(&mut self, code: Code) -> Result<(), Error> {
        let code = code as usize;
        let first = code.checked_sub(1).map_or(0, |before| self.ends[before]);
        let persons = &self.persons[first..self.ends[code]];
        pace::each(persons, |&person| {
            let last = &mut self.added_in[person as usize];
            if *last != self.round && *last != self.base {
                *last = self.round;
                self.added += 1;
            }
        })
    }
}

impl Holders {
    /// Of a column's codes, of which there are so many, by record.
    pub fn new(
        codes: &Store,
        of_codes: usize,
        weights: Option<&Codes>,
        least: &[Least],
    ) -> Result<Holders, Error> {
        room::<u64>(of_codes)?;
        let (mut rows, mut held) = (vec![0; of_codes], Vec::new());
        for records in pace::ranges(0..codes.len()) {
            let records = records?;
            for (record, &code) in records.clone().zip(codes.fetch(records, &mut held)?) {
                rows[code as usize] += weight(weights, record);
            }
        }
        let persons = least.iter().filter_map(|least| Some((least.k, least.persons?)));
        let persons = persons.map(|(k, persons)| Persons::new(codes, of_codes, k, persons));
        // Who asks for persons asks for as many rows, too.
        let k = least.iter().map(|least| least.k).max().unwrap_or(1);
        Ok(Holders { rows, k, added: 0, persons: persons.collect::<Result<_, _>>()?, base: (0, Vec::new()) })
    }

    fn clear(&mut self) {
        self.added = 0;
        for persons in &mut self.persons {
            persons.round += 1;
            (persons.base, persons.added) = (persons.round, 0);
        }
    }

    /// Adds some codes, which `hold_with` then counts with others.
    fn begin_with(&mut self, codes: &[Range<Code>]) -> Result<(), Error> {
        self.clear();
        self.add_all(codes)?;
        self.base = (self.added, self.persons.iter().map(|persons| persons.added).collect());
        Ok(())
    }

    /// Whether what was begun with and some other codes are so many times as many as are enough. It costs no more than the
    /// others are.
    fn hold_with(&mut self, codes: &[Range<Code>], times: u64) -> Result<bool, Error> {
        self.added = self.base.0;
        for (persons, &added) in self.persons.iter_mut().zip(&self.base.1) {
            (persons.round, persons.added) = (persons.round + 1, added);
        }
        self.add_all(codes)?;
        Ok(self.are_times(times))
    }

    fn add_all(&mut self, codes: &[Range<Code>]) -> Result<(), Error> {
        codes.iter().cloned().flatten().try_for_each(|code| self.add(code))
    }

    fn add(&mut self, code: Code) -> Result<(), Error> {
        pace::tick(1)?;
        self.added += self.rows[code as usize];
        self.persons.iter_mut().try_for_each(|persons| persons.add(code))
    }

    fn is_enough(&self) -> bool {
        self.are_times(1)
    }

    /// Whether there are so many times as many as are enough.
    fn are_times(&self, times: u64) -> bool {
        self.added >= times * self.k && self.persons.iter().all(|persons| persons.added >= times * persons.k)
    }

    /// Whether some codes alone are so many times as many as are enough.
    fn hold(&mut self, codes: &[Range<Code>], times: u64) -> Result<bool, Error> {
        self.clear();
        self.add_all(codes)?;
        Ok(self.are_times(times))
    }

    fn count(&mut self, node: NodeId, codes: Range<Code>) -> Result<CountedNode, Error> {
        let mut rows = 0;
        pace::each(&self.rows[codes.start as usize..codes.end as usize], |held| rows += held)?;
        Ok(CountedNode { node, with: Vec::new(), codes: vec![codes], rows })
    }
}

/// The finest counts of a column, or of a part of it.
pub struct CountedNodes<'a> {
    hierarchy: &'a Hierarchy,
    /// From the left.
    pub nodes: Vec<CountedNode>,
}

impl<'a> CountedNodes<'a> {
    /// The finest counts below a node, without the values that are `disclosed` out of it. None if all of it together is of too few
    /// rows or persons.
    pub fn below(
        hierarchy: &'a Hierarchy,
        top: NodeId,
        disclosed: impl Fn(NodeId) -> bool,
        holders: &mut Holders,
    ) -> Result<CountedNodes<'a>, Error> {
        // Each node before those below it.
        let (mut nodes, mut open) = (Vec::new(), vec![top]);
        while let Some(node) = open.pop() {
            pace::tick(1)?;
            nodes.push(node);
            if is_divided_by_children(hierarchy, node) {
                open.extend(below(hierarchy, node).filter(|&child| node != top || !disclosed(child)));
            }
        }
        room::<(NodeId, Vec<CountedNode>)>(nodes.len())?;
        let mut counts: HashMap<NodeId, Vec<CountedNode>> = HashMap::new();
        for &node in nodes.iter().rev() {
            let of_node = if is_divided_by_children(hierarchy, node) {
                let children = below(hierarchy, node).filter_map(|child| counts.remove(&child)).collect();
                match hierarchy.null() {
                    Some(_) if node == TOP => with_null(hierarchy, children, holders)?,
                    _ => join_few(node, children, holders)?,
                }
            } else if hierarchy.is_interval(node) && !hierarchy.is_bounded() {
                intervals(hierarchy, node, holders)?
            } else {
                vec![holders.count(node, hierarchy.node(node).codes.clone())?]
            };
            let mut of_rows = Vec::new();
            pace::each(of_node, |count| of_rows.extend((count.rows > 0).then_some(count)))?;
            counts.insert(node, of_rows);
        }
        let mut nodes = counts.remove(&top).unwrap_or_default();
        if is_one_of_few(&nodes, holders)? {
            nodes.clear();
        }
        let nodes = CountedNodes { hierarchy, nodes: in_order(nodes, CountedNode::first)? };
        nodes.check(holders)?;
        Ok(nodes)
    }

    /// For each code of some in order, from the first that is returned on, the count in which a reader looks for it: that of the nearest
    /// node, at or above the code, that a count names. Pieces of an interval are named by their ends.
    pub fn counts_by_name(&self) -> Result<(Code, Vec<Option<usize>>), Error> {
        let mut names: Vec<(Code, Reverse<Code>, NodeId, usize)> = Vec::new();
        for (count, counted) in self.nodes.iter().enumerate() {
            for &name in std::iter::once(&counted.node).chain(&counted.with) {
                pace::tick(1)?;
                let whole = &self.hierarchy.node(name).codes;
                let codes = match name == counted.node && self.hierarchy.is_interval(name) {
                    true => counted.first()..counted.codes[0].end.min(whole.end),
                    false => whole.clone(),
                };
                names.push((codes.start, Reverse(codes.end), name, count));
            }
        }
        // Each name before those below it. Of nodes over the same codes the lower one has the greater number.
        pace::sort_by(&mut names, Ord::cmp)?;
        let first = names.first().map_or(0, |&(start, ..)| start);
        let mut end = first;
        pace::each(&names, |&(_, Reverse(other), ..)| end = end.max(other))?;
        room::<Option<usize>>((end - first) as usize)?;
        let (mut open, mut left): (Vec<(Code, usize)>, _) = (Vec::new(), names.iter().peekable());
        let of_code = |code: Code| {
            while open.pop_if(|(end, _)| *end <= code).is_some() {}
            while let Some(&(_, Reverse(end), _, count)) = left.next_if(|(start, ..)| *start == code) {
                open.push((end, count));
            }
            open.last().map(|&(_, count)| count)
        };
        Ok((first, pace::collect((first..end).map(of_code))?))
    }

    /// Counts anew what each count tells, by the names that readers have: its rows, and whether they are enough.
    fn check(&self, holders: &mut Holders) -> Result<(), Error> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        let (first, by_name) = self.counts_by_name()?;
        for (place, count) in self.nodes.iter().enumerate() {
            let mut rows = 0;
            for code in count.codes.iter().cloned().flatten() {
                pace::tick(1)?;
                let held = holders.rows[code as usize];
                let name = code.checked_sub(first).and_then(|place| *by_name.get(place as usize)?);
                if held > 0 && name != Some(place) {
                    return Err(Error::Internal("a count is of rows that its name does not say"));
                }
                rows += held;
            }
            if rows != count.rows || !holders.hold(&count.codes, 1)? {
                return Err(Error::Internal("a count is not of the rows, or of fewer than it must be of"));
            }
        }
        Ok(())
    }

    /// Joins counts until none tells that some rows of a shown value, but fewer than k, are of a node. `shown` numbers what
    /// is shown, and `stands_for` says for which codes each may stand.
    pub fn hide_few(
        &mut self,
        shown: Released,
        stands_for: &[Vec<Range<Code>>],
        codes: &Store,
        weights: Option<&Codes>,
        (k, holders): (u64, &mut Holders),
    ) -> Result<(), Error> {
        let held = rows_by_both(shown, codes, weights)?;
        loop {
            let few = self.few(&held, stands_for, k)?;
            if few.is_empty() {
                return self.check(holders);
            }
            for count in few {
                // What was joined already is looked at again as it is then.
                if !self.nodes[count].codes.is_empty() {
                    self.join(count)?;
                }
            }
            self.nodes.retain(|count| !count.codes.is_empty());
            self.join_misnamed(&held)?;
        }
    }

    /// Joins counts until a reader finds each code in the count that has its rows: joining has given counts other names.
    fn join_misnamed(&mut self, held: &[Cell]) -> Result<(), Error> {
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
        if self.nodes[into].codes.is_empty() || self.nodes[other].codes.is_empty() {
            return Ok(());
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
        let gone = CountedNode { node, with: Vec::new(), codes: Vec::new(), rows: 0 };
        let mut other = std::mem::replace(&mut self.nodes[other], gone);
        self.nodes[into].with.append(&mut other.with);
        self.nodes[into].with.push(other.node);
        self.nodes[into].join(std::slice::from_ref(&other))?;
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
    fn few(&self, held: &[Cell], stands_for: &[Vec<Range<Code>>], k: u64) -> Result<Vec<usize>, Error> {
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
        let cell = |((shown, of), rows): ((Code, usize), u64)| Cell { shown, of: of as Code, rows };
        let mut cells = pace::collect(rows.into_iter().map(cell))?;
        pace::sort_by(&mut cells, |one, other| (one.shown, one.of).cmp(&(other.shown, other.of)))?;
        let of_shown: Vec<&[Cell]> = cells.chunk_by(|one, next| one.shown == next.shown).collect();
        // What stands for a single node has no rows of others to exchange.
        let is_wide = |cells: &&[Cell]| {
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
        cell: &Cell,
        exchange: &Exchange,
        may_be: impl Fn(Code, &CountedNode) -> bool,
    ) -> Result<bool, Error> {
        let (mut exchanged, mut seen, mut visited) = (0, HashSet::new(), HashSet::new());
        let is_for =
            |other: &&Cell| other.of != cell.of && may_be(cell.shown, &self.nodes[other.of as usize]);
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

    /// Joins a count with another: an interval with the smaller one beside it, any other with what is left of the node above,
    /// or with all below the smallest of its other children.
    fn join(&mut self, count: usize) -> Result<(), Error> {
        let is_left = |&other: &usize| other != count && !self.nodes[other].codes.is_empty();
        let mut node = self.nodes[count].node;
        let is_beside = |other: &usize| self.hierarchy.is_interval(self.nodes[*other].node);
        let mut others = Vec::new();
        if self.hierarchy.is_interval(node) {
            let skipped = std::cell::Cell::new(0);
            let is_left = |other: &usize| {
                skipped.set(skipped.get() + 1);
                is_left(other)
            };
            let before = (0..count).rev().filter(is_left).find(is_beside);
            let after = (count..self.nodes.len()).filter(is_left).find(is_beside);
            let beside = before.into_iter().chain(after);
            others.extend(beside.min_by_key(|&other| self.nodes[other].rows));
            pace::tick(skipped.get())?;
        }
        while others.is_empty() {
            pace::tick(self.nodes.len())?;
            // By the child that they are below; what is left of the node itself comes first.
            let mut below: HashMap<Option<NodeId>, Vec<usize>> = HashMap::new();
            for other in (0..self.nodes.len()).filter(is_left) {
                if let Some(child) = self.child_above(node, self.nodes[other].node)? {
                    below.entry(child).or_default().push(other);
                }
            }
            let rows = |others: &[usize]| others.iter().map(|&other| self.nodes[other].rows).sum::<u64>();
            let smallest =
                below.into_iter().min_by_key(|(child, others)| (child.is_some(), rows(others), *child));
            match (smallest, self.hierarchy.node(node).parent) {
                (Some((_, smallest)), _) => others = smallest,
                (None, Some(parent)) => node = parent,
                (None, None) => break,
            }
        }
        // What was joined meanwhile may have left it alone.
        let Some(&into) = others.first() else { return Ok(()) };
        let gone = || CountedNode { node, with: Vec::new(), codes: Vec::new(), rows: 0 };
        let one = std::mem::replace(&mut self.nodes[count], gone());
        let others = others.into_iter().map(|other| std::mem::replace(&mut self.nodes[other], gone()));
        self.nodes[into] = joined(&std::iter::once(one).chain(others).collect::<Vec<_>>())?;
        // What is below the node is called by it.
        self.rename(into, node)
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

/// How many rows are shown as something, and are of a code, or counted as a node.
#[derive(Debug, Clone, Copy)]
struct Cell {
    shown: Code,
    of: Code,
    rows: u64,
}

/// Finds the shown values that may stand for a code: a segment tree over the codes, in which each value is kept at the few
/// stretches of codes that make up what it stands for.
struct Exchange<'c> {
    /// The cells of each shown value.
    shown: Vec<&'c [Cell]>,
    codes: usize,
    /// Of each stretch the shown values kept there, by their places in `shown`. Stretch 1 is all codes, those of stretch s are the
    /// stretches 2 s and 2 s + 1, and the last ones are single codes.
    of_stretch: Vec<Vec<u32>>,
}

impl<'c> Exchange<'c> {
    fn new(codes: usize, shown: Vec<&'c [Cell]>) -> Result<Exchange<'c>, Error> {
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
fn rows_by_both(shown: Released, codes: &Store, weights: Option<&Codes>) -> Result<Vec<Cell>, Error> {
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
    let mut cells = pace::collect(rows.into_iter().map(|((shown, of), rows)| Cell { shown, of, rows }))?;
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

/// Whether what is below a node is its children: not of an interval, which is divided anew, nor where no more specific
/// node may be released.
fn is_divided_by_children(hierarchy: &Hierarchy, node: NodeId) -> bool {
    !hierarchy.is_leaf(node) && !hierarchy.is_interval(node) && hierarchy.may_refine(node)
}

/// The children of a node; values that are disclosed one by one are those of their `*`.
fn below(hierarchy: &Hierarchy, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let values =
        if node == TOP && hierarchy.is_suppression() { 1..hierarchy.nodes().len() as NodeId } else { 0..0 };
    hierarchy.node(node).children.iter().copied().chain(values)
}

/// The counts below a node: of each child that has enough those below it, and of the others together. These are called as their
/// node, or a single one as it is. Where they are not enough, the smallest counts are counted with them.
fn join_few(
    node: NodeId,
    children: Vec<Vec<CountedNode>>,
    holders: &mut Holders,
) -> Result<Vec<CountedNode>, Error> {
    let (mut few, mut counts) = (Vec::new(), Vec::new());
    for child in children {
        pace::tick(child.len())?;
        match is_one_of_few(&child, holders)? {
            true => few.extend(child),
            false => counts.extend(child),
        }
    }
    let mut rest = joined(&few)?;
    if few.is_empty() || few.len() > 1 && holders.hold(&rest.codes, 1)? {
        rest.node = node;
        counts.extend(Some(rest).filter(|rest| !rest.codes.is_empty()));
        return Ok(counts);
    }
    rest.node = if few.len() > 1 { node } else { rest.node };
    counts = in_order(counts, |count| (count.rows, count.first()))?;
    // The smallest that is enough with them, or as many of the smallest as are.
    let mut alone = None;
    holders.begin_with(&rest.codes)?;
    for (at, count) in counts.iter().enumerate() {
        if holders.hold_with(&count.codes, 2)? {
            alone = Some(at);
            break;
        }
    }
    let mut others = match alone {
        Some(at) => vec![counts.remove(at)],
        None => std::mem::take(&mut counts),
    };
    if alone.is_none() {
        let mut taken = 0;
        holders.begin_with(&rest.codes)?;
        while taken < others.len() && !holders.are_times(2) {
            holders.add_all(&others[taken].codes)?;
            taken += 1;
        }
        counts = others.split_off(taken);
    }
    rest.join(&others)?;
    // What is all below a node is that node.
    if counts.is_empty() {
        return Ok(vec![CountedNode { node, ..rest }]);
    }
    for other in others {
        rest.with.push(other.node);
        rest.with.extend(&other.with);
    }
    counts.push(rest);
    Ok(counts)
}

/// Sorts counts by a key.
fn in_order<K: Ord + Copy>(
    counts: Vec<CountedNode>,
    key: impl Fn(&CountedNode) -> K,
) -> Result<Vec<CountedNode>, Error> {
    let mut places = pace::collect(counts.iter().map(key).zip(0..))?;
    pace::sort_by(&mut places, Ord::cmp)?;
    let mut counts = pace::collect(counts.into_iter().map(Some))?;
    pace::collect(places.into_iter().filter_map(|(_, place): (K, usize)| counts[place].take()))
}

/// Whether there is one count, and it is of too few rows or persons.
fn is_one_of_few(counts: &[CountedNode], holders: &mut Holders) -> Result<bool, Error> {
    match counts {
        [only] => Ok(!holders.hold(&only.codes, 1)?),
        // Where there are several each is of enough.
        _ => Ok(false),
    }
}

/// The counts of NULLs and of the column's own top. Few NULLs are counted with the smallest count that has enough rows with
/// them, of intervals with two neighbours if none has; else all is one. So it is where few rows hold anything but NULL: the ends or the
/// name of a count of these would tell their values.
fn with_null(
    hierarchy: &Hierarchy,
    children: Vec<Vec<CountedNode>>,
    holders: &mut Holders,
) -> Result<Vec<CountedNode>, Error> {
    let (nulls, mut counts): (Vec<_>, Vec<_>) =
        children.into_iter().flatten().partition(|count| Some(count.node) == hierarchy.null());
    let Some(null) = nulls.into_iter().next() else { return Ok(counts) };
    let are_few = is_one_of_few(&counts, holders)?;
    if !are_few && holders.hold(&null.codes, 1)? {
        counts.push(null);
        return Ok(counts);
    }
    counts = in_order(counts, CountedNode::first)?;
    let with = |mut count: CountedNode| {
        count.with.push(null.node);
        count.join(std::slice::from_ref(&null)).map(|()| count)
    };
    let mut best: Option<(u64, usize, usize)> = None;
    let are_intervals = counts.iter().all(|count| hierarchy.is_interval(count.node));
    holders.begin_with(&null.codes)?;
    let most = if are_few { 0 } else { 1 + usize::from(are_intervals) };
    for neighbours in 1..=most {
        for from in 0..(counts.len() + 1).saturating_sub(neighbours) {
            let together = joined(&counts[from..from + neighbours])?;
            let is_smaller = best.is_none_or(|(least, ..)| together.rows < least);
            if is_smaller && holders.hold_with(&together.codes, 2)? {
                best = Some((together.rows, from, neighbours));
            }
        }
        if best.is_some() {
            break;
        }
    }
    let Some((_, from, neighbours)) = best else {
        let all = with(joined(&counts)?)?;
        return Ok(vec![CountedNode { node: TOP, with: Vec::new(), ..all }]);
    };
    let together = with(joined(&counts[from..from + neighbours])?)?;
    counts.splice(from..from + neighbours, [together]);
    Ok(counts)
}

/// Several counts as one, of the first's node.
fn joined(counts: &[CountedNode]) -> Result<CountedNode, Error> {
    let mut all = CountedNode { node: TOP, with: Vec::new(), codes: Vec::new(), rows: 0 };
    all.node = counts.first().map_or(TOP, |count| count.node);
    for count in counts {
        all.with.extend(&count.with);
    }
    all.join(counts)?;
    Ok(all)
}

/// As many intervals as can be had of an interval: from the left, each ends where it has enough.
fn intervals(hierarchy: &Hierarchy, node: NodeId, holders: &mut Holders) -> Result<Vec<CountedNode>, Error> {
    let all = hierarchy.node(node).codes.clone();
    let may_split = |at: Code| hierarchy.domain().is_some_and(|domain| domain.may_split(at));
    let mut ends = Vec::new();
    holders.clear();
    for code in all.clone() {
        holders.add(code)?;
        if holders.is_enough() && (code + 1 == all.end || may_split(code + 1)) {
            ends.push(code + 1);
            holders.clear();
        }
    }
    // What is left at the end belongs to the last.
    ends.pop();
    ends.push(all.end);
    let mut start = all.start;
    ends.into_iter()
        .map(|end| {
            let codes = std::mem::replace(&mut start, end)..end;
            holders.count(node, codes)
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a count may be of one range of codes")]
mod tests {
    use super::*;
    use crate::refine::interval::Domain;
    use crate::taxonomy::{Edges, Taxonomy};

    /// Two rows, or persons, are enough.
    fn below(hierarchy: &Hierarchy, rows: &[u64], persons: Option<&[Code]>) -> Vec<CountedNode> {
        let codes = (0..rows.len()).flat_map(|code| vec![code as Code; rows[code] as usize]);
        let codes = Store::from_iter(codes);
        let persons = persons.map(|persons| (Store::from_iter(persons.iter().copied()), 100));
        let persons = persons.as_ref().map(|(persons, count)| (persons, *count));
        let mut holders = Holders::new(&codes, rows.len(), None, &[Least { k: 2, persons }]).unwrap();
        CountedNodes::below(hierarchy, TOP, |_| false, &mut holders).unwrap().nodes
    }

    fn count(node: NodeId, codes: &[Range<Code>], rows: u64) -> CountedNode {
        CountedNode { node, with: Vec::new(), codes: codes.to_vec(), rows }
    }

    /// top (0) -> {a (1) -> {aa (2), ab (3), ac (4)}, b (5)}
    fn tree() -> Hierarchy {
        let edges = [("a", "top"), ("b", "top"), ("aa", "a"), ("ab", "a"), ("ac", "a")];
        let edges: Edges = edges.map(|(child, parent)| (child, Some(parent))).into_iter().collect();
        Hierarchy::by_taxonomy(&Taxonomy::from_edges(&edges).unwrap().unwrap(), false).unwrap()
    }

    fn interval(values: usize, points: Option<Vec<bool>>) -> Hierarchy {
        let positions = (0..values).map(|value| value as f64).collect();
        let domain = Domain { positions, lower: None, upper: None, points, whole: true };
        Hierarchy::by_intervals(domain, false)
    }

    #[test]
    fn of_a_tree() {
        let tree = tree();
        let (aa, ab, b) = (count(2, &[0..1], 3), count(3, &[1..2], 2), count(5, &[3..4], 2));
        assert_eq!(below(&tree, &[3, 2, 0, 2], None), [aa.clone(), ab, b.clone()]);
        // What few rows have stands together at the node above.
        assert_eq!(below(&tree, &[3, 1, 1, 2], None), [aa, count(1, &[1..3], 2), b.clone()]);
        // If it is too few, it is counted with the smallest beside it that has 2 k rows with it, by both names.
        let with = |node, with: &[NodeId], codes, rows| CountedNode {
            with: with.to_vec(),
            ..count(node, codes, rows)
        };
        let aa = count(2, &[0..1], 4);
        assert_eq!(below(&tree, &[4, 3, 1, 2], None), [aa, with(4, &[3], &[1..3], 4), b.clone()]);
        assert_eq!(
            below(&tree, &[3, 2, 1, 2], None),
            [with(4, &[2], &[0..1, 2..3], 4), count(3, &[1..2], 2), b]
        );
        assert_eq!(
            below(&tree, &[3, 2, 0, 1], None),
            [with(5, &[2], &[0..1, 3..4], 4), count(3, &[1..2], 2)]
        );
        assert_eq!(below(&tree, &[2, 2, 0, 1], None), [count(0, &[0..2, 3..4], 5)]);
        assert_eq!(below(&tree, &[1, 0, 0, 1], None), [count(0, &[0..1, 3..4], 2)]);
        // What is shown of few rows has no count.
        assert_eq!(below(&tree, &[1, 0, 0, 0], None), []);
        // Three rows of aa are one person's.
        let persons = below(&tree, &[3, 2, 0, 2], Some(&[7, 7, 7, 8, 9, 8, 9]));
        assert_eq!(persons, [count(1, &[0..2], 5), count(5, &[3..4], 2)]);
    }

    #[test]
    fn of_intervals() {
        let all = |rows: &[u64], points| below(&interval(rows.len(), points), rows, None);
        let two = [count(0, &[0..2], 2), count(0, &[2..3], 2)];
        assert_eq!(all(&[1, 1, 2], None), two);
        // What is left belongs to the last.
        assert_eq!(all(&[1, 1, 2, 1], None), [two[0].clone(), count(0, &[2..4], 3)]);
        let points = Some(vec![false, true, false, true]);
        assert_eq!(all(&[1, 1, 2, 5], points), [count(0, &[0..3], 4), count(0, &[3..4], 5)]);
    }

    /// Few NULLs are counted with the smallest interval that has 2 k rows with them, or with two neighbours.
    #[test]
    fn of_few_nulls() {
        let all = |rows: &[u64]| {
            let positions = (0..rows.len() - 1).map(|value| value as f64).collect();
            let domain = Domain { positions, lower: None, upper: None, points: None, whole: true };
            below(&Hierarchy::by_intervals(domain, true), rows, None)
        };
        // `*` is node 0, NULL 1, the interval 2.
        assert_eq!(all(&[2, 3, 2]), [count(2, &[0..1], 2), count(2, &[1..2], 3), count(1, &[2..3], 2)]);
        let with_null = |codes: &[Range<Code>], rows| CountedNode { with: vec![1], ..count(2, codes, rows) };
        assert_eq!(all(&[4, 3, 1]), [count(2, &[0..1], 4), with_null(&[1..3], 4)]);
        assert_eq!(all(&[2, 2, 3, 1]), [count(2, &[0..1], 2), count(2, &[1..2], 2), with_null(&[2..4], 4)]);
        assert_eq!(all(&[2, 2, 2, 1]), [with_null(&[0..2, 3..4], 5), count(2, &[2..3], 2)]);
        assert_eq!(all(&[2, 1]), [count(TOP, &[0..2], 3)]);
    }

    /// A value of few rows beside many NULLs is not counted by itself, in intervals or in a tree.
    #[test]
    fn of_few_beside_many_nulls() {
        let domain = |values: usize| {
            let positions = (0..values).map(|value| value as f64).collect();
            Domain { positions, lower: None, upper: None, points: None, whole: true }
        };
        let intervals = |values| Hierarchy::by_intervals(domain(values), true);
        assert_eq!(below(&intervals(1), &[1, 9], None), [count(TOP, &[0..2], 10)]);
        let edges = [("a", "top"), ("b", "top")];
        let edges: Edges = edges.map(|(child, parent)| (child, Some(parent))).into_iter().collect();
        let tree = Hierarchy::by_taxonomy(&Taxonomy::from_edges(&edges).unwrap().unwrap(), true).unwrap();
        assert_eq!(below(&tree, &[1, 0, 9], None), [count(TOP, &[0..1, 2..3], 10)]);
        assert_eq!(below(&tree, &[1, 1, 9], None), [count(2, &[0..2], 2), count(1, &[2..3], 9)]);
        // Four rows of one person beside NULLs of two.
        let persons: Vec<Code> = [vec![7; 4], vec![8, 9]].concat();
        assert_eq!(below(&intervals(2), &[2, 2, 2], Some(&persons)), [count(TOP, &[0..3], 6)]);
    }

    #[test]
    fn of_suppressed_values() {
        let hierarchy = Hierarchy::by_suppression(4, false).unwrap();
        let nodes = below(&hierarchy, &[4, 1, 1, 2], None);
        assert_eq!(nodes, [count(1, &[0..1], 4), count(TOP, &[1..3], 2), count(4, &[3..4], 2)]);
    }

    /// Four rows show one value and three another. One of these three is of the first code, which its count must not tell.
    #[test]
    fn few_rows_of_a_shown_value_are_hidden() {
        let hierarchy = interval(2, None);
        let shown = Store::from_iter([0, 0, 0, 0, 1, 1, 1]);
        let released = Released { codes: &shown, as_number: &[0, 1], numbers: 2 };
        let hidden = |codes: [Code; 7], stands_for: [Vec<Range<Code>>; 2]| {
            let codes = Store::from_iter(codes);
            let least = [Least { k: 2, persons: None }];
            let mut holders = Holders::new(&codes, 2, None, &least).unwrap();
            let mut counts = CountedNodes::below(&hierarchy, TOP, |_| false, &mut holders).unwrap();
            assert_eq!(counts.nodes.len(), 2);
            counts.hide_few(released, &stands_for, &codes, None, (2, &mut holders)).unwrap();
            counts.nodes
        };
        let all = vec![0..2];
        assert_eq!(hidden([0, 0, 0, 0, 0, 1, 1], [vec![0..1], all.clone()]), [count(0, &[0..2], 7)]);
        // Where the four may be of either and one is of the second, it may be exchanged.
        assert_eq!(hidden([0, 0, 0, 1, 0, 1, 1], [all.clone(), all]).len(), 2);
    }
}
