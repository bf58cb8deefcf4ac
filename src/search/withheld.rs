//! Rows that are left out of a release: those that a search withholds, those of combinations of source values that
//! an earlier version withheld, and, where a refresh is asked to, those that hold a value without a place.
//!
//! What was withheld once stays withheld. Else the difference of two versions would be a few rows that are known to
//! be new, fewer than every model asks for. So the combinations of values on the masked columns are kept, by
//! their texts, and rows that hold one are left out before anything is counted.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::progress::stretches;
use crate::read::order::Counted;
use crate::read::table::Table;
use crate::terms::labels::Labels;
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use topdown::progress::Reservation;
use topdown::refine::Hierarchy;
use topdown::table::{Codes, Store, NONE};
use topdown::Code;

/// Source values on masked columns, by their names; none for NULL.
pub type Combination = BTreeMap<String, Option<String>>;

/// What is to be left out, whatever the search withholds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Leave<'a> {
    /// What earlier versions withheld.
    pub before: &'a [Combination],
    /// Whether rows without a place are left out and no error.
    pub unknown: bool,
}

/// What was left out.
#[derive(Debug, Default)]
pub struct Withheld {
    /// How many rows.
    pub rows: usize,
    /// What they hold on the masked columns, each combination once.
    pub combinations: Vec<Combination>,
    /// How many of them are of each class; none for NULL.
    pub classes: BTreeMap<Option<String>, u64>,
}

/// How many rows may be left out: not all of them.
pub fn most(request: &Request, rows: usize) -> usize {
    // A share that is meant to be of so many rows may be a little less, as a binary fraction.
    let share = (request.arguments.withhold * rows as f64 + 1e-6).floor() as usize;
    share.min(rows.saturating_sub(1))
}

impl Withheld {
    /// The rows that hold what was withheld before are more than the `most` that may still be left out.
    pub fn too_many(&self, rows: u64, most: u64) -> SqlError {
        let unplaced = match self.rows {
            0 => String::new(),
            rows => format!(" beside the {rows} whose values have no place"),
        };
        SqlError::state("more rows were withheld by earlier versions than may be")
            .detail(format!(
                "{rows} rows hold what was withheld before, and {most} may be left out{unplaced}."
            ))
            .hint("What was withheld once stays withheld: raise withhold, or make a release of another name.")
    }

    /// Takes in records that go: `text` says what one holds on each masked column.
    fn take(
        &mut self,
        request: &Request,
        goes: &[bool],
        codes: &[&Store],
        text: impl Fn(usize, Code) -> Option<String>,
        (class, weights): (Option<&Counted>, Option<&Codes>),
    ) -> Result<()> {
        let codes = codes.iter().map(|codes| in_memory(codes)).collect::<Result<Vec<&Codes>>>()?;
        let class = class.map(|class| Ok::<_, SqlError>((class, in_memory(&class.codes)?))).transpose()?;
        let mut seen = HashSet::new();
        for row in polled(0..goes.len()).filter(|&row| goes[row]) {
            let rows = weights.map_or(1, |weights| weights.get(row));
            self.rows += rows as usize;
            let combination: Vec<Code> = codes.iter().map(|codes| codes.get(row)).collect();
            if let Some((class, codes)) = class {
                let value = class.values.get(codes.get(row) as usize);
                *self.classes.entry(value.map(|&value| class.ty.text(value))).or_default() += u64::from(rows);
            }
            if seen.insert(combination.clone()) {
                let named = combination.iter().enumerate();
                let named = named.map(|(a, &code)| (request.name(a).to_string(), text(a, code)));
                self.combinations.push(named.collect());
            }
        }
        Ok(())
    }
}

/// Codes that were loaded, because rows might have to be left out.
fn in_memory(codes: &Store) -> Result<&Codes> {
    codes.in_memory().ok_or_else(|| SqlError::internal("rows are left out of what is in memory"))
}

/// Persons are counted by rows that lie together, and are not to be subtracted.
pub fn beside_persons() -> SqlError {
    SqlError::unsupported("rows cannot be withheld where persons are counted")
        .detail("Earlier versions of this release withheld rows, and what they held stays withheld.")
        .hint("Leave person out of k_anonymity, or make another release.")
}

/// Takes out the rows whose value on some masked column has no place there; `originals` are the masked columns' codes
/// before they got their places.
pub fn take_unplaced(
    request: &Request,
    table: &mut Table,
    originals: &[Store],
    class: &mut Option<Counted>,
    sensitive: &mut [Counted],
) -> Result<Withheld> {
    let mut withheld = Withheld::default();
    let mut goes = vec![false; table.records];
    let mut columns = Vec::new();
    for masked in &request.masked {
        let codes = in_memory(&table.column(masked.column)?.codes)?;
        let mut any = false;
        for row in polled(0..table.records).filter(|&row| codes.get(row) == NONE) {
            (goes[row], any) = (true, true);
        }
        if any {
            columns.push(format!("\"{}\"", request.source.columns[masked.column].name));
        }
    }
    if columns.is_empty() {
        return Ok(withheld);
    }
    let texts = request.masked.iter().map(|masked| {
        let column = table.column(masked.column)?;
        Ok((column.ty, column.datums()))
    });
    let texts = texts.collect::<Result<Vec<_>>>()?;
    let text = |a: usize, code: Code| {
        let (ty, values) = &texts[a];
        values.get(code as usize).map(|&value| ty.text(value))
    };
    let originals: Vec<&Store> = originals.iter().collect();
    withheld.take(request, &goes, &originals, text, (class.as_ref(), table.weights()))?;
    if withheld.rows > most(request, table.rows) {
        let (rows, columns) = (withheld.rows, columns.join(", "));
        return Err(SqlError::data(format!("{rows} rows have values without a place in {columns}")));
    }
    let stay: Vec<bool> = goes.iter().map(|goes| !goes).collect();
    keep(request, table, &stay, class, sensitive)?;
    Ok(withheld)
}

/// Keeps some records of what was read and bound.
pub fn keep(
    request: &Request,
    table: &mut Table,
    stay: &[bool],
    class: &mut Option<Counted>,
    sensitive: &mut [Counted],
) -> Result<()> {
    let masked: Vec<usize> = request.masked.iter().map(|masked| masked.column).collect();
    table.keep(stay, &masked)?;
    class.iter_mut().try_for_each(|class| class.keep(stay))?;
    sensitive.iter_mut().try_for_each(|sensitive| sensitive.keep(stay))
}

/// What the values of a column that is bound are called, by code; NULL's is none.
pub fn texts(hierarchy: &Hierarchy, labels: &Labels) -> Vec<Option<String>> {
    let mut texts = vec![None; hierarchy.codes()];
    match labels {
        Labels::Taxonomy(taxonomy) => {
            for node in polled(taxonomy.nodes()).filter(|node| node.children.is_empty()) {
                texts[node.leaves.start as usize] = Some(node.label.clone());
            }
        }
        Labels::Intervals(intervals) => {
            for (text, &value) in texts.iter_mut().zip(polled(&intervals.values)) {
                *text = Some(intervals.ty.text(value));
            }
        }
        Labels::Values(values) => {
            for (text, value) in texts.iter_mut().zip(polled(values)) {
                *text = Some(value.clone());
            }
        }
    }
    texts
}

/// Whether each record holds a combination that was withheld before; empty, if none does. What a combination says of
/// columns that are not masked any more does not matter.
pub fn before(
    request: &Request,
    table: &Table,
    texts: &[Vec<Option<String>>],
    combinations: &[Combination],
    memory: &mut Reservation,
) -> Result<Vec<bool>> {
    if combinations.is_empty() {
        return Ok(Vec::new());
    }
    let codes = (request.masked.iter()).map(|masked| in_memory(&table.column(masked.column)?.codes));
    let codes = codes.collect::<Result<Vec<&Codes>>>()?;
    let by_text: Vec<HashMap<&Option<String>, Code>> =
        texts.iter().map(|texts| polled(texts).zip(0..).collect()).collect();
    // By the masked columns that they tell of.
    let mut sets: BTreeMap<Vec<usize>, HashSet<Vec<Code>>> = BTreeMap::new();
    for combination in polled(combinations) {
        let told = |&a: &usize| combination.contains_key(request.name(a));
        let columns: Vec<usize> = (0..codes.len()).filter(told).collect();
        let code = |&a: &usize| by_text[a].get(&combination[request.name(a)]).copied();
        if let (false, Some(held)) = (columns.is_empty(), columns.iter().map(code).collect()) {
            memory.grow_by::<Code>(2 * columns.len())?;
            sets.entry(columns).or_default().insert(held);
        }
    }
    memory.grow_by::<bool>(table.records)?;
    let mut held = vec![false; table.records];
    for (columns, combinations) in &sets {
        let mut combination = vec![0; columns.len()];
        for rows in stretches(table.records) {
            for row in rows {
                combination.iter_mut().zip(columns).for_each(|(code, &a)| *code = codes[a].get(row));
                held[row] |= combinations.contains(&combination);
            }
        }
    }
    Ok(if held.contains(&true) { held } else { Vec::new() })
}

/// Takes out the rows that a search withheld.
pub fn take_out(
    request: &Request,
    table: &mut Table,
    goes: &[bool],
    texts: &[Vec<Option<String>>],
    (class, sensitive): (&mut Option<Counted>, &mut [Counted]),
    withheld: &mut Withheld,
) -> Result<()> {
    if !goes.contains(&true) {
        return Ok(());
    }
    let codes = (request.masked.iter()).map(|masked| Ok(&table.column(masked.column)?.codes));
    let codes = codes.collect::<Result<Vec<&Store>>>()?;
    let text = |a: usize, code: Code| texts[a].get(code as usize).cloned().flatten();
    withheld.take(request, goes, &codes, text, (class.as_ref(), table.weights()))?;
    let stay: Vec<bool> = goes.iter().map(|goes| !goes).collect();
    keep(request, table, &stay, class, sensitive)
}
