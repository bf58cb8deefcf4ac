//! Batches: of the rows that came since the version before and of those that left, only so many change a release that each
//! group of them keeps every model by itself. Whoever reads both versions then learns of a group of newcomers, and of none alone.
//!
//! Rows that came wait until enough others of their group have come; rows that left stay until enough others of theirs have left.
//! Groups are those of the version before: its steps are performed again on all rows, also on those that came ([`regrouped`]). What
//! is refined no further than that later has groups that are made of whole ones of these, so that what holds of each holds of it.
//!
//! [`regrouped`]: super::regrouped

use super::regrouped::released_before;
use super::rows::{Batch, Rows};
use super::withheld::Held;
use super::{engine_model, sensitive_columns};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::identity::Multiset;
use crate::read::order::{told_apart, Counted};
use crate::read::table::{ReleasedBefore, Table};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use topdown::measure::{self, broken_groups, BrokenGroup, Released};
use topdown::progress::room;
use topdown::table::{Codes, Store};

/// Of each record how many of its rows are in both, came since, and have left.
struct Parts {
    stayed: Vec<u32>,
    came: Vec<u32>,
    left: Vec<u32>,
}

/// Of each record how many of its rows come to the next version, stay in it, and leave it.
struct Settled {
    before: Parts,
    comes: Vec<u32>,
    stays: Vec<u32>,
    goes: Vec<u32>,
}

/// Has the rows of a source be those of the next version.
pub(super) fn hold(batch: &Batch, request: &Request, rows: &mut Rows) -> Result<Held> {
    rows.table.load()?;
    let parts = Parts::of(&mut rows.table, batch)?;
    let copy = Rows { left: None, ..rows.copy()? };
    let before = released_before(&batch.previous, request, copy, true)?;
    let settled = parts.settle(&Groups::new(request, &rows.table, &before)?, batch.erase)?;
    let held = settled.held(identities(&rows.table)?)?;
    let rest = settled.stays.iter().zip(&settled.comes).map(|(stays, comes)| stays + comes);
    rows.table.reweigh(rest.collect())?;
    Ok(held)
}

/// What each record is.
fn identities(table: &Table) -> Result<&[i64]> {
    let identities = table.identities.as_ref().map(|identities| &identities.of_records[..]);
    identities.ok_or_else(|| {
        SqlError::limit("there is no memory to tell rows apart").hint("Raise pg_topdown.max_memory.")
    })
}

impl Parts {
    /// Of a source as it is; what left is added to it, as the version before has it.
    fn of(table: &mut Table, batch: &Batch) -> Result<Parts> {
        let now = identities(table)?;
        room::<[u32; 3]>(now.len() + batch.rows.len())?;
        let mut there = Multiset::of(&batch.rows)?;
        let mut parts = Parts { stayed: Vec::new(), came: Vec::new(), left: Vec::new() };
        for (record, &row) in polled(now.iter().enumerate()) {
            let rows = table.rows_of(record) as u32;
            let stayed = there.take(row, rows);
            parts.stayed.push(stayed);
            parts.came.push(rows - stayed);
            parts.left.push(0);
        }
        let rest = there.rest();
        if !rest.is_empty() {
            let before = (batch.read)(&rest)?;
            let is_gone = |(record, &row): (usize, &i64)| (there.take(row, 1) == 1).then_some(record);
            let gone: Vec<usize> =
                polled(identities(&before)?.iter().enumerate()).filter_map(is_gone).collect();
            table.append(&before, &gone)?;
        }
        parts.stayed.resize(table.records, 0);
        parts.came.resize(table.records, 0);
        parts.left.resize(table.records, 1);
        Ok(parts)
    }

    /// Lets rows come and go so that what comes, what goes and what stays keeps every model. Rows of a group that would come
    /// or go as too few do not. Where too few would stay, some of those that left stay, too.
    ///
    /// To `erase` is the other way about: what left goes, and where too few would go, some of those that stayed go, too, and
    /// wait. Nothing comes meanwhile: it might be equal to what goes.
    fn settle(self, groups: &Groups, erase: bool) -> Result<Settled> {
        let records = groups.table.records;
        room::<(bool, bool, [u32; 4])>(records)?;
        let erase = erase && self.left.iter().any(|&rows| rows > 0);
        let mut comes = if erase { vec![0; records] } else { self.came.clone() };
        // What has no place in the hierarchies and groups of before waits for one.
        for column in &groups.before[..groups.before.len() - 1] {
            let codes = column.codes.load()?;
            let other = column.numbers as u32 - 1;
            polled(0..records)
                .filter(|&record| codes.get(record) == other)
                .for_each(|record| comes[record] = 0);
        }
        let mut waits: Vec<u32> = self.came.iter().zip(&comes).map(|(came, comes)| came - comes).collect();
        let might_come: Vec<bool> = comes.iter().map(|&rows| rows > 0).collect();
        let were_there: Vec<bool> =
            self.stayed.iter().zip(&self.left).map(|(stayed, left)| stayed + left > 0).collect();
        let (mut stays, mut goes) = (self.stayed.clone(), self.left.clone());
        let mut random = StdRng::from_os_rng();
        let (mut step, mut moved) = (0, true);
        while std::mem::take(&mut moved) {
            step += step / 4 + 1;
            for model in polled(&groups.request.arguments.privacy) {
                for group in groups.broken(model, &comes, &might_come)? {
                    moved |= moves(group, &mut comes, &mut waits, u32::MAX, &mut random);
                }
                let (from, to) = if erase { (&mut stays, &mut goes) } else { (&mut goes, &mut stays) };
                for group in groups.broken(model, from, &were_there)? {
                    moved |= moves(group, from, to, u32::MAX, &mut random);
                }
                for group in groups.broken(model, to, &were_there)? {
                    let most = step.max(group.lacks);
                    moved |= moves(group, from, to, most, &mut random);
                }
            }
        }
        Ok(Settled { before: self, comes, stays, goes })
    }
}

/// Moves at most so many rows of a group, drawn at random; whether there were any.
fn moves(mut group: BrokenGroup, from: &mut [u32], to: &mut [u32], most: u32, random: &mut StdRng) -> bool {
    let mut left = most;
    group.records.shuffle(random);
    for record in polled(group.records) {
        let (from, to) = (&mut from[record as usize], &mut to[record as usize]);
        let rows = left.min(*from);
        *from -= rows;
        *to += rows;
        left -= rows;
    }
    left < most
}

impl Settled {
    /// What comes not yet, and what goes not yet.
    fn held(&self, identities: &[i64]) -> Result<Held> {
        let Settled { before, comes, stays, goes } = self;
        let mut held = Held::default();
        for (record, &row) in polled(identities.iter().enumerate()) {
            let of = |rows: u32| std::iter::repeat_n(row, rows as usize);
            let without = before.stayed[record].saturating_sub(stays[record]);
            held.waiting.extend(of(before.came[record] - comes[record] + without));
            held.lingering.extend(of(before.left[record].saturating_sub(goes[record])));
        }
        Ok(held)
    }
}

/// The groups of the version before, and what models count in them.
struct Groups<'a> {
    request: &'a Request,
    table: &'a Table,
    before: &'a [ReleasedBefore],
    sensitive: Vec<Counted>,
    persons: Vec<Store>,
    same: Vec<u32>,
}

impl<'a> Groups<'a> {
    fn new(request: &'a Request, table: &'a Table, before: &'a [ReleasedBefore]) -> Result<Groups<'a>> {
        let sensitive = request.sensitive.iter().map(|&column| Counted::new(table.column(column)?));
        let persons = request.persons.iter().map(|&column| {
            let mut column = table.column(column)?.clone();
            Ok(told_apart(&mut column)?.0)
        });
        let widest = before.iter().map(|column| column.numbers).max().unwrap_or_default();
        room::<u32>(widest)?;
        Ok(Groups {
            request,
            table,
            before,
            sensitive: sensitive.collect::<Result<_>>()?,
            persons: persons.collect::<Result<_>>()?,
            same: (0..widest as u32).collect(),
        })
    }

    /// The groups of some rows that break a model. Shares are compared with those of all rows.
    fn broken(&self, model: &privacy_model, weights: &[u32], counts: &[bool]) -> Result<Vec<BrokenGroup>> {
        let weights: Codes = weights.iter().copied().collect();
        let named = sensitive_columns(self.request, (&self.sensitive, self.table), &[], false);
        let engine = engine_model(self.request, model, &named)?;
        let mut columns = Vec::new();
        for &attribute in engine.attributes() {
            let name = self.request.name(attribute);
            let column = self.before.iter().find(|column| column.name == name);
            let column = column.ok_or_else(|| SqlError::internal("a column that was not masked before"))?;
            let as_number = &self.same[..column.numbers];
            columns.push(vec![Released { codes: &column.codes, as_number, numbers: column.numbers }]);
        }
        let sensitive = engine.sensitive().map(|at| &self.sensitive[at]);
        let counted = measure::Counted {
            records: self.table.records,
            weights: Some(&weights),
            sensitive: sensitive.map(|counted| (&counted.codes, counted.cardinality)),
            persons: engine.person().map(|at| &self.persons[at]),
            counts: Some(counts),
        };
        Ok(broken_groups(&*engine, &columns, counted)?)
    }
}
