//! Rows that are left out of a release: those that an earlier version withheld, those that hold a value without a place,
//! where a refresh is asked to leave them out, and those that a search withholds.
//!
//! A withheld row stays withheld. Otherwise the difference of two versions would show a few rows as new, fewer
//! than any model allows. So the withheld combinations of masked values are stored, and rows with them are
//! skipped when the source is read ([`crate::read::excluded`]).
//!
//! All three are taken out of the rows as they were read. What is laid over the rest is made of the rest alone: nothing
//! that a release shows depends on rows that are left out, but how many they are.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::text::counted;
use crate::read::excluded::Combination;
use crate::read::order::Counted;
use crate::read::table::{in_memory, Table};
use crate::terms::arguments::Arguments;
use crate::terms::request::Request;
use crate::terms::words::Changes;
use hashbrown::HashSet;
use std::collections::BTreeMap;
use topdown::Code;

/// What waits, and what stays though it left, by what the rows are: equal ones as often as they are.
#[derive(Debug, Clone, Default)]
pub struct Held {
    pub waiting: Vec<i64>,
    pub lingering: Vec<i64>,
    /// How many of those that wait do so for a place.
    pub without_place: usize,
}

/// What was left out.
#[derive(Debug, Clone, Default)]
pub struct Withheld {
    /// How many rows.
    pub rows: usize,
    /// What those hold on the masked columns that no version before has withheld, each combination once.
    pub combinations: Vec<Combination>,
    /// The rows that wait, and those that stay though they left.
    pub held: Held,
    /// How many rows are of each class; none for NULL.
    pub classes: BTreeMap<Option<String>, u64>,
    /// How many of the rows had no place, and in which columns.
    pub without_place: Option<(usize, Vec<String>)>,
}

/// How many of so many rows may be left out: not all of them. None where a call has no share to name.
pub fn most(request: &Request, rows: usize) -> Option<usize> {
    request.arguments.may_withhold().then(|| of_share(request.arguments.withhold, rows))
}

/// The same of rows without a place, where these may be left out.
pub fn most_without_place(request: &Request, rows: usize) -> usize {
    of_share(share_without_place(&request.arguments), rows)
}

/// A share of so many rows, but not all of them.
fn of_share(share: f64, rows: usize) -> usize {
    // Tolerance: a share such as 0.29 as a binary fraction may give slightly less than a whole number of rows.
    let most = (share * rows as f64 + 1e-6).floor() as usize;
    most.min(rows.saturating_sub(1))
}

/// The share of rows without a place that may be left out where a release can have no share to withhold.
const WITHOUT_PLACE: f64 = 0.01;

/// How large a share of the rows may be left out of a refresh that leaves out those without a place, what was left out before
/// included: the release's own, if it can have one.
pub fn share_without_place(arguments: &Arguments) -> f64 {
    match arguments.may_withhold() {
        true => arguments.withhold,
        false => WITHOUT_PLACE,
    }
}

/// The rows that hold what was withheld before are more than the `most` that may be left out.
pub fn too_many(rows: usize, most: usize, changes: Changes) -> SqlError {
    SqlError::state("more rows were withheld by earlier versions than may be")
        .detail(format!(
            "What was withheld before is in {}, and {most} may be left out.",
            counted(rows as u64, "row")
        ))
        .hint(match changes {
            Changes::Any => "What was withheld once stays withheld: raise withhold, or make a release of another name.",
            Changes::Batched => "What was withheld once stays withheld: release_alter(..., withhold => ..., changes => 'any', allow_weaker => true), and then changes => 'batched' again. Or make a release of another name.",
        })
}

impl Withheld {
    /// Takes records out of a table that nothing was laid over yet.
    pub fn take(&mut self, request: &Request, table: &mut Table, goes: &[bool]) -> Result<()> {
        if !goes.contains(&true) {
            return Ok(());
        }
        self.count(request, table, goes)?;
        let stay: Vec<bool> = goes.iter().map(|goes| !goes).collect();
        table.keep(&stay)
    }

    /// The same of records that are to be remembered.
    pub fn take_and_remember(&mut self, request: &Request, table: &mut Table, goes: &[bool]) -> Result<()> {
        self.remember(request, table, goes)?;
        self.take(request, table, goes)
    }

    fn count(&mut self, request: &Request, table: &Table, goes: &[bool]) -> Result<()> {
        let class = request.class.map(|class| Counted::new(table.column(class)?)).transpose()?;
        let class =
            class.as_ref().map(|class| Ok::<_, SqlError>((class, in_memory(&class.codes)?))).transpose()?;
        for record in polled(0..goes.len()).filter(|&record| goes[record]) {
            let rows = table.rows_of(record);
            self.rows += rows;
            if let Some((class, codes)) = class {
                let value = class.values.get(codes.get(record) as usize);
                *self.classes.entry(value.map(|&value| class.ty.text(value))).or_default() += rows as u64;
            }
        }
        Ok(())
    }

    fn remember(&mut self, request: &Request, table: &Table, goes: &[bool]) -> Result<()> {
        let mut columns = Vec::new();
        for (a, masked) in request.masked.iter().enumerate() {
            let column = table.column(masked.column)?;
            columns.push((
                request.name(a).to_string(),
                column.ty,
                column.datums(),
                in_memory(&column.codes)?,
            ));
        }
        let mut seen = HashSet::new();
        for record in polled(0..goes.len()).filter(|&record| goes[record]) {
            let combination: Vec<Code> = columns.iter().map(|(.., codes)| codes.get(record)).collect();
            if seen.insert(combination.clone()) {
                let values = columns.iter().zip(combination).map(|((name, ty, values, _), code)| {
                    (name.clone(), values.get(code as usize).map(|&value| ty.output(value)))
                });
                self.combinations.push(values.collect());
            }
        }
        Ok(())
    }
}
