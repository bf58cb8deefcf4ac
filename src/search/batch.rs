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
use crate::read::order::{told_apart, Counted};
use crate::read::table::{ReleasedBefore, Table};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use hashbrown::HashMap;
use topdown::measure::{self, in_broken_groups, Released};
use topdown::progress::room;
use topdown::table::{Codes, Store};

/// Of each record how many of its rows are in both, came since, and have left.
struct Parts {
    stayed: Vec<u32>,
    came: Vec<u32>,
    left: Vec<u32>,
}

/// Has the rows of a source be those of the next version.
pub(super) fn hold(batch: &Batch, request: &Request, rows: &mut Rows) -> Result<Held> {
    rows.table.load()?;
    let mut parts = Parts::of(&mut rows.table, &batch.rows)?;
    let copy = Rows { left: None, ..rows.copy()? };
    let before = released_before(&batch.previous, request, copy, (true, false))?;
    let held = parts.hold(request, rows, &before)?;
    let rest: Vec<u32> = (parts.stayed.iter().zip(&parts.came).zip(&parts.left))
        .map(|((stayed, came), left)| stayed + came + left)
        .collect();
    rows.table.reweigh(rest)?;
    Ok(held)
}

impl Parts {
    /// Of a source as it is; what left is added to it, as the version before has it.
    fn of(table: &mut Table, before: &Table) -> Result<Parts> {
        let identities = |table: &Table| -> Result<Vec<i64>> {
            let identities = table.identities.as_ref().map(|identities| identities.of_records.clone());
            identities.ok_or_else(|| {
                SqlError::limit("there is no memory to tell rows apart").hint("Raise pg_topdown.max_memory.")
            })
        };
        let (now, then) = (identities(table)?, identities(before)?);
        room::<(i64, u32, [u32; 3])>(2 * (now.len() + then.len()))?;
        let mut there: HashMap<i64, u32> = HashMap::with_capacity(then.len());
        polled(&then).for_each(|&row| *there.entry(row).or_default() += 1);
        let mut parts = Parts { stayed: Vec::new(), came: Vec::new(), left: Vec::new() };
        for (record, row) in polled(now.iter().enumerate()) {
            let rows = table.rows_of(record) as u32;
            let before = there.get_mut(row);
            let stayed = before.as_ref().map_or(0, |before| rows.min(**before));
            if let Some(before) = before {
                *before -= stayed;
            }
            parts.stayed.push(stayed);
            parts.came.push(rows - stayed);
            parts.left.push(0);
        }
        let mut gone = Vec::new();
        for (record, row) in polled(then.iter().enumerate()) {
            if let Some(before) = there.get_mut(row).filter(|before| **before > 0) {
                *before -= 1;
                gone.push(record);
            }
        }
        table.append(before, &gone)?;
        parts.stayed.resize(table.records, 0);
        parts.came.resize(table.records, 0);
        parts.left.resize(table.records, 1);
        Ok(parts)
    }

    /// Takes what has to wait out of what came, and leaves what has to stay in what left; the rest of that goes.
    fn hold(&mut self, request: &Request, rows: &Rows, before: &[ReleasedBefore]) -> Result<Held> {
        let table = &rows.table;
        let identities = table.identities.as_ref().map(|identities| &identities.of_records);
        let identities = identities.ok_or_else(|| SqlError::internal("rows that are not told apart"))?;
        let groups = Groups::new(request, table, before)?;
        let mut admitted: Vec<bool> = self.came.iter().map(|&rows| rows > 0).collect();
        let mut goes: Vec<bool> = self.left.iter().map(|&rows| rows > 0).collect();
        // What has no place in the hierarchies and groups of before waits for one.
        for column in &before[..before.len() - 1] {
            let codes = column.codes.load()?;
            let other = column.numbers as u32 - 1;
            polled(0..table.records).filter(|&r| codes.get(r) == other).for_each(|r| admitted[r] = false);
        }
        let weights = |of: &[u32], counts: &[bool]| -> Codes {
            of.iter().zip(counts).map(|(&rows, &counts)| if counts { rows } else { 0 }).collect()
        };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for model in polled(&request.arguments.privacy) {
                let mut flip = |flags: &mut Vec<bool>, broken: Vec<bool>| {
                    for (flag, _) in flags.iter_mut().zip(broken).filter(|(flag, broken)| **flag && *broken) {
                        *flag = false;
                        changed = true;
                    }
                };
                let broken = groups.broken(model, &weights(&self.came, &admitted), &admitted)?;
                flip(&mut admitted, broken);
                let broken = groups.broken(model, &weights(&self.left, &goes), &goes)?;
                flip(&mut goes, broken);
                // Of what is in both versions, too: where that breaks a model, nothing of its group goes.
                let in_both: Vec<u32> = (self.stayed.iter().zip(&self.left).zip(&goes))
                    .map(|((stayed, left), goes)| stayed + if *goes { 0 } else { *left })
                    .collect();
                let were_there: Vec<bool> =
                    self.stayed.iter().zip(&self.left).map(|(stayed, left)| stayed + left > 0).collect();
                let broken = groups.broken(model, &in_both.into_iter().collect(), &were_there)?;
                flip(&mut goes, broken);
            }
        }
        let mut held = Held::default();
        for record in polled(0..table.records) {
            let (waits, stays) = (!admitted[record], !goes[record]);
            let of = |rows: u32| std::iter::repeat_n(identities[record], rows as usize);
            if waits {
                held.waiting.extend(of(std::mem::take(&mut self.came[record])));
            }
            match stays {
                true => held.lingering.extend(of(self.left[record])),
                false => self.left[record] = 0,
            }
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

    /// Which records are in groups of some rows that break a model. Shares are compared with those of all rows.
    fn broken(&self, model: &privacy_model, weights: &Codes, counts: &[bool]) -> Result<Vec<bool>> {
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
            weights: Some(weights),
            sensitive: sensitive.map(|counted| (&counted.codes, counted.cardinality)),
            persons: engine.person().map(|at| &self.persons[at]),
            counts: Some(counts),
        };
        Ok(in_broken_groups(&*engine, &columns, counted)?)
    }
}
