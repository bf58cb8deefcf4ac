//! Complementary suppression: merges counts from which a reader could infer a small cell, of 1 to k - 1 rows.

use super::{
    children_or_values, merge_all, sort_uncopied, CodeModels, CountedNode, CountedNodes, HolderCounter,
};
use crate::measure::information::{record_rows, Released};
use crate::progress::{check_memory, check_table_memory};
use crate::refine::NodeId;
use crate::refine::TOP;
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::cell::Cell;
use std::ops::Range;

/// Last round in which a count is merged with only one other; each later round doubles this number. A smaller value
/// makes coarser counts. A larger one takes longer, because each round looks at all counts.
const LAST_SINGLE_ROUND: u32 = 8;

impl CountedNodes<'_> {
    /// Merges counts until none reveals that a node has 1 to k - 1 rows of a shown value. `shown` numbers the shown
    /// values, and `stands_for` has the codes for which each may stand.
    pub fn merge_until_safe(
        &mut self,
        shown: Released,
        stands_for: &[Vec<Range<Code>>],
        (codes, weights): (&Store, Option<&Codes>),
        (k, holders): (u64, &mut HolderCounter),
    ) -> Result<(), Error> {
        let held = count_shown_cells(shown, codes, weights)?;
        self.merge_while(&held, holders, |counts| counts.small_cells(&held, stands_for, k))
    }

    /// Merges counts until the models hold for the rows of each.
    pub fn merge_until_models_hold(
        &mut self,
        models: &CodeModels,
        holders: &mut HolderCounter,
    ) -> Result<(), Error> {
        let mut held = Vec::new();
        for code in self.nodes.iter().flat_map(|count| &count.codes).cloned().flatten() {
            pace::tick(1)?;
            let rows = holders.rows[code as usize];
            held.extend((rows > 0).then_some(HeldCell { shown: 0, code_or_count: code, rows }));
        }
        self.merge_while(&held, holders, |counts| counts.counts_breaking_models(models))
    }

    /// Returns the counts for which a model does not hold. A single count has all rows, which everybody can count.
    fn counts_breaking_models(&self, models: &CodeModels) -> Result<Vec<usize>, Error> {
        let mut broken = Vec::new();
        for (place, count) in self.nodes.iter().enumerate().filter(|_| self.nodes.len() > 1) {
            if !models.hold(&count.codes)? {
                broken.push(place);
            }
        }
        Ok(broken)
    }

    fn merge_while(
        &mut self,
        held: &[HeldCell],
        holders: &mut HolderCounter,
        mut to_join: impl FnMut(&Self) -> Result<Vec<usize>, Error>,
    ) -> Result<(), Error> {
        for round in 0u32.. {
            let joined = to_join(self)?;
            if joined.is_empty() {
                break;
            }
            // Later rounds merge more counts at once, because each round looks at all counts.
            let others = 1 << round.saturating_sub(LAST_SINGLE_ROUND).min(31);
            let (mut named, mut grown) = (self.index_by_node()?, HashSet::new());
            for count in joined {
                // A count that has grown in this round is examined again in the next one.
                if !self.nodes[count].codes.is_empty() && !grown.contains(&count) {
                    grown.extend(self.merge_with_others(count, others, &mut named)?);
                }
            }
            self.nodes.retain(|count| !count.codes.is_empty());
            self.nodes.iter_mut().try_for_each(CountedNode::sort_ranges)?;
            self.merge_misnamed(held)?;
        }
        self.verify_by_names(holders)
    }

    /// Merges the counts that have codes of one part, which the version before counted together.
    pub(super) fn merge_by_parts(
        &mut self,
        before: &[Code],
        holders: &mut HolderCounter,
    ) -> Result<(), Error> {
        let mut held = Vec::new();
        let mut count_of: HashMap<Code, usize> = HashMap::new();
        let mut apart: Vec<(usize, usize)> = Vec::new();
        for (place, count) in self.nodes.iter().enumerate() {
            for code in count.codes.iter().cloned().flatten() {
                pace::tick(1)?;
                let (shown, rows) = (before[code as usize], holders.rows[code as usize]);
                if rows > 0 {
                    held.push(HeldCell { shown, code_or_count: code, rows });
                    let other = *count_of.entry(shown).or_insert(place);
                    apart.extend(Some((other, place)).filter(|_| other != place));
                }
            }
        }
        // The count that each was merged into.
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
        self.merge_misnamed(&held)?;
        self.verify_by_names(holders)
    }

    /// Merges counts until a reader finds each code in the count of its rows. Renamed counts may cover codes of others.
    fn merge_misnamed(&mut self, held: &[HeldCell]) -> Result<(), Error> {
        loop {
            let ((first, by_name), by_code) = (self.counts_by_name()?, self.counts_by_code()?);
            let mut misnamed: Vec<(usize, Option<usize>)> = Vec::new();
            pace::each(held, |cell| {
                let name =
                    cell.code_or_count.checked_sub(first).and_then(|place| *by_name.get(place as usize)?);
                let of = by_code[cell.code_or_count as usize];
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
                    // No name leads to the code: the count takes the name of the node above.
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

    /// Returns the index of the count of each code.
    fn counts_by_code(&self) -> Result<Vec<Option<usize>>, Error> {
        check_memory::<Option<usize>>(self.hierarchy.codes())?;
        let mut of_codes = vec![None; self.hierarchy.codes()];
        for (place, count) in self.nodes.iter().enumerate() {
            pace::each(count.codes.iter().cloned().flatten(), |code| of_codes[code as usize] = Some(place))?;
        }
        Ok(of_codes)
    }

    /// Merges two counts, if neither is merged yet, and names the result by the lowest common ancestor.
    fn merge(&mut self, into: usize, other: usize) -> Result<(), Error> {
        if into == other || self.nodes[into].codes.is_empty() || self.nodes[other].codes.is_empty() {
            return Ok(());
        }
        let gone = |node| CountedNode { node, merged_nodes: Vec::new(), codes: Vec::new(), rows: 0 };
        // An interval with NULLs keeps both names.
        let (one, null) = (self.nodes[into].node, self.nodes[other].node);
        if self.hierarchy.is_interval(one) && Some(null) == self.hierarchy.null() {
            let null = std::mem::replace(&mut self.nodes[other], gone(null));
            self.nodes[into].merged_nodes.push(null.node);
            self.nodes[into].absorb(null)?;
            return self.nodes[into].sort_ranges();
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
        other.merged_nodes.push(other.node);
        self.nodes[into].absorb(other)?;
        self.nodes[into].sort_ranges()?;
        self.rename(into, node)
    }

    /// Names a count by a node above, and drops the further names at or below that.
    fn rename(&mut self, count: usize, node: NodeId) -> Result<(), Error> {
        let mut with = Vec::new();
        for other in std::mem::take(&mut self.nodes[count].merged_nodes) {
            with.extend(self.child_above(node, other)?.is_none().then_some(other));
        }
        (self.nodes[count].node, self.nodes[count].merged_nodes) = (node, with);
        Ok(())
    }

    /// Returns the counts from which a reader could infer a small cell: of one shown value, or of all shown values
    /// together that may stand for codes of other counts.
    fn small_cells(
        &self,
        held: &[HeldCell],
        stands_for: &[Vec<Range<Code>>],
        k: u64,
    ) -> Result<Vec<usize>, Error> {
        // A single count has all rows, which everybody can count.
        if self.nodes.len() < 2 {
            return Ok(Vec::new());
        }
        let place_of = self.counts_by_code()?;
        let mut rows: HashMap<(Code, usize), u64> = HashMap::new();
        for cell in held {
            pace::tick(1)?;
            let place =
                place_of[cell.code_or_count as usize].ok_or(Error::Internal("rows are in no count"))?;
            *rows.entry((cell.shown, place)).or_default() += cell.rows;
        }
        let cell =
            |((shown, of), rows): ((Code, usize), u64)| HeldCell { shown, code_or_count: of as Code, rows };
        let mut cells = pace::collect(rows.into_iter().map(cell))?;
        pace::sort_by(&mut cells, |one, other| {
            (one.shown, one.code_or_count).cmp(&(other.shown, other.code_or_count))
        })?;
        let of_shown: Vec<&[HeldCell]> = cells.chunk_by(|one, next| one.shown == next.shown).collect();
        // A shown value within a single count has no rows of other counts to exchange.
        let is_wide = |cells: &&[HeldCell]| {
            !lies_within(
                &stands_for[cells[0].shown as usize],
                &self.nodes[cells[0].code_or_count as usize].codes,
            )
        };
        let wide = pace::collect(of_shown.iter().copied().filter(is_wide))?;
        let mut exchange = ShownByCode::new(self.hierarchy.codes(), wide)?;
        for place in 0..exchange.shown.len() {
            let shown = exchange.shown[place][0].shown as usize;
            stands_for[shown].iter().try_for_each(|codes| exchange.add(codes, place))?;
        }
        let may_be = |shown: Code, count: &CountedNode| overlap(&stands_for[shown as usize], &count.codes);
        let mut elsewhere: Vec<u64> = self.nodes.iter().map(|count| count.rows).collect();
        let mut tells = vec![false; self.nodes.len()];
        for cell in of_shown.iter().copied().flatten() {
            let place = cell.code_or_count as usize;
            if lies_within(&stands_for[cell.shown as usize], &self.nodes[place].codes) {
                elsewhere[place] -= cell.rows;
            } else if cell.rows < k && !tells[place] {
                tells[place] = !self.is_exchangeable(cell, &exchange, may_be)?;
            }
        }
        let is_few = |&place: &usize| tells[place] || (1..k).contains(&elsewhere[place]);
        Ok((0..self.nodes.len()).filter(is_few).collect())
    }

    /// Returns true if a cell may be empty: rows of other shown values and counts can be exchanged for all of its rows.
    /// This is sufficient but not necessary, because only exchanges between two values and two counts are tried.
    fn is_exchangeable(
        &self,
        cell: &HeldCell,
        exchange: &ShownByCode,
        may_be: impl Fn(Code, &CountedNode) -> bool,
    ) -> Result<bool, Error> {
        let (mut exchanged, mut seen, mut visited) = (0, HashSet::new(), HashSet::new());
        let is_for = |other: &&HeldCell| {
            other.code_or_count != cell.code_or_count
                && may_be(cell.shown, &self.nodes[other.code_or_count as usize])
        };
        for code in self.nodes[cell.code_or_count as usize].codes.iter().cloned().flatten() {
            // The stretches above a visited one are visited.
            for stretch in exchange.stretches(code).take_while(|&stretch| visited.insert(stretch)) {
                pace::tick(1)?;
                for &other in &exchange.shown_at_stretch[stretch] {
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

    /// Merges a count with at most `some` others: an interval with its smaller neighbors, any other count with the rest
    /// of the nearest node at or above its own, or with all counts below the smallest other children of that node.
    /// Returns the index of the merged count, whose ranges are put in order later.
    fn merge_with_others(
        &mut self,
        count: usize,
        some: usize,
        named: &mut CountsByNode,
    ) -> Result<Option<usize>, Error> {
        let mut node = self.nodes[count].node;
        let mut others = match self.hierarchy.is_interval(node) {
            true => self.neighboring_intervals(count, some)?,
            false => Vec::new(),
        };
        while others.is_empty() {
            others.extend(self.counts_named_by(node, named).filter(|&other| other != count));
            if others.is_empty() {
                let smallest = self.counts_below_children(node, count, named)?.into_iter().take(some);
                others.extend(smallest.flat_map(|(.., others)| others));
            }
            match self.hierarchy.node(node).parent {
                Some(parent) if others.is_empty() => node = parent,
                _ => break,
            }
        }
        // Other merges of this round may have left no other count.
        let Some(&into) = others.first() else { return Ok(None) };
        let has_its_name = self.nodes[into].node == node;
        let gone = || CountedNode { node, merged_nodes: Vec::new(), codes: Vec::new(), rows: 0 };
        let mut all = Vec::with_capacity(others.len() + 1);
        for place in std::iter::once(count).chain(others) {
            pace::tick(1)?;
            all.push(std::mem::replace(&mut self.nodes[place], gone()));
        }
        self.nodes[into] = merge_all(all)?;
        if !has_its_name {
            named.entry(node).or_default().push(into);
        }
        // The name of the node covers the nodes below it.
        self.rename(into, node)?;
        Ok(Some(into))
    }

    /// Returns at most `some` intervals beside a count, each time the smaller of the next ones on both sides.
    fn neighboring_intervals(&self, count: usize, some: usize) -> Result<Vec<usize>, Error> {
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

    /// Returns the counts below each child of a node, without the count `but`, by ascending rows.
    fn counts_below_children(
        &self,
        node: NodeId,
        but: usize,
        named: &CountsByNode,
    ) -> Result<Vec<ChildCounts>, Error> {
        let mut of_children = Vec::new();
        for child in children_or_values(self.hierarchy, node) {
            let (mut counts, mut open, mut rows) = (Vec::new(), vec![child], 0);
            while let Some(node) = open.pop() {
                pace::tick(1)?;
                for other in self.counts_named_by(node, named).filter(|&other| other != but) {
                    rows += self.nodes[other].rows;
                    counts.push(other);
                }
                open.extend(children_or_values(self.hierarchy, node));
            }
            if !counts.is_empty() {
                counts.sort_unstable();
                of_children.push((rows, child, counts));
            }
        }
        sort_uncopied(of_children, |&(rows, child, _)| (rows, child))
    }

    /// Returns the counts that a node still names.
    fn counts_named_by<'n>(
        &'n self,
        node: NodeId,
        named: &'n CountsByNode,
    ) -> impl Iterator<Item = usize> + 'n {
        let places = named.get(&node).into_iter().flatten().copied();
        places.filter(move |&place| self.nodes[place].node == node && !self.nodes[place].codes.is_empty())
    }

    /// Indexes the counts by node.
    fn index_by_node(&self) -> Result<CountsByNode, Error> {
        check_table_memory::<(NodeId, Vec<usize>)>(self.nodes.len())?;
        let mut named = CountsByNode::new();
        pace::each(self.nodes.iter().enumerate(), |(place, count)| {
            named.entry(count.node).or_default().push(place);
        })?;
        Ok(named)
    }

    /// Returns the child of `node` at or above `other`: None if `other` is elsewhere, `Some(None)` if it is `node`.
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

/// Indexes of counts by node.
type CountsByNode = HashMap<NodeId, Vec<usize>>;

/// Rows of the counts below a child; the child; the indexes of these counts.
type ChildCounts = (u64, NodeId, Vec<usize>);

/// A cell: the rows with a shown value (or a part, in `merge_by_parts`) and a code or count (`of`).
#[derive(Debug, Clone, Copy)]
struct HeldCell {
    shown: Code,
    code_or_count: Code,
    rows: u64,
}

/// Index of the shown values that may stand for a code: a segment tree over the codes. Each shown value is stored at
/// the few stretches that make up its codes.
struct ShownByCode<'c> {
    /// Cells of each shown value.
    shown: Vec<&'c [HeldCell]>,
    codes: usize,
    /// Shown values stored at each stretch, as indexes into `shown`. Stretch 1 is all codes, stretch s is the stretches
    /// 2 s and 2 s + 1, and the last ones are single codes.
    shown_at_stretch: Vec<Vec<u32>>,
}

impl<'c> ShownByCode<'c> {
    fn new(codes: usize, shown: Vec<&'c [HeldCell]>) -> Result<ShownByCode<'c>, Error> {
        let codes = codes.next_power_of_two();
        check_memory::<Vec<u32>>(2 * codes)?;
        let of_stretch = pace::collect((0..2 * codes).map(|_| Vec::new()))?;
        Ok(ShownByCode { shown, codes, shown_at_stretch: of_stretch })
    }

    /// Stores a shown value at the stretches of codes for which it may stand.
    fn add(&mut self, codes: &Range<Code>, place: usize) -> Result<(), Error> {
        let (mut from, mut to) = (codes.start as usize + self.codes, codes.end as usize + self.codes);
        while from < to {
            pace::tick(1)?;
            if from % 2 == 1 {
                self.shown_at_stretch[from].push(place as u32);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                self.shown_at_stretch[to].push(place as u32);
            }
            (from, to) = (from / 2, to / 2);
        }
        Ok(())
    }

    /// Returns the stretches that contain a code, the smallest first.
    fn stretches(&self, code: Code) -> impl Iterator<Item = usize> + use<> {
        std::iter::successors(Some(code as usize + self.codes), |stretch| {
            Some(stretch / 2).filter(|&up| up > 0)
        })
    }
}

/// Counts the rows of each pair of a shown value and a code, sorted by both.
fn count_shown_cells(
    shown: Released,
    codes: &Store,
    weights: Option<&Codes>,
) -> Result<Vec<HeldCell>, Error> {
    let mut rows: HashMap<(Code, Code), u64> = HashMap::new();
    let (mut keys, mut held) = (Vec::new(), Vec::new());
    for records in pace::ranges(0..codes.len()) {
        let records = records?;
        let keys = shown.codes.fetch(records.clone(), &mut keys)?;
        let held = codes.fetch(records.clone(), &mut held)?;
        for ((record, &key), &code) in records.zip(keys).zip(held) {
            *rows.entry((shown.number_of_code[key as usize], code)).or_default() +=
                record_rows(weights, record);
        }
    }
    let mut cells = pace::collect(rows.into_iter().map(|((shown, of), rows)| HeldCell {
        shown,
        code_or_count: of,
        rows,
    }))?;
    pace::sort_by(&mut cells, |one, other| {
        (one.shown, one.code_or_count).cmp(&(other.shown, other.code_or_count))
    })?;
    Ok(cells)
}

/// Returns true if some ranges have a code in common with others, which are ascending and disjoint.
fn overlap(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().any(|one| {
        let first = others.partition_point(|other| other.end <= one.start);
        others.get(first).is_some_and(|other| other.start < one.end)
    })
}

/// Returns true if each of some ranges lies within one of others, which are ascending and not adjacent.
fn lies_within(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().all(|one| {
        let first = others.partition_point(|other| other.end < one.end);
        others.get(first).is_some_and(|other| other.start <= one.start)
    })
}
