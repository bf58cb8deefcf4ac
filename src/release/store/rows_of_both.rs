//! What two versions tell together of the rows that are in both. Those that came since are in no count of then: beside them, few rows
//! that stayed would look like enough.

use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::postgres::subtransaction::attempt;
use crate::read::identity::Compared;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::parameters::{compared, fingerprint};
use crate::release::store::version_table;
use crate::search::SearchResult;
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use topdown::measure::{reveals_small_cell, RecordClasses, RequiredSize, SmallParts};
use topdown::progress::check_memory;
use topdown::table::{compress, Codes, Store};
use topdown::{Code, CodedColumn};

/// Which rows are in both versions: whoever knows them compares these alone.
pub enum RowsOfBoth {
    All,
    /// So many of these records.
    Some(Vec<(u32, u32)>),
    NotKnown,
}

impl RowsOfBoth {
    /// Of the current version, and what was found for the next one.
    pub fn of(existing: &ExistingRelease, request: &Request, found: &SearchResult) -> Result<RowsOfBoth> {
        let before = existing.parameters()?;
        let columns = fingerprint(&request.source, &request.columns());
        let (Some(row), Some(identities)) = (&before.row, &found.table.identities) else {
            return Ok(RowsOfBoth::NotKnown);
        };
        if before.compared() != compared(&columns) {
            return Ok(RowsOfBoth::NotKnown);
        }
        let between = || {
            let table = version_table::open(existing, existing.version, row)?;
            Compared::of(&found.table, &identities.of_records, || table.rows())
        };
        // Where what both versions tell of those who came cannot be told, that is said by itself.
        let Ok(Compared { stayed, came, .. }) = attempt(between) else { return Ok(RowsOfBoth::NotKnown) };
        if polled(&came).all(|&came| came == 0) {
            return Ok(RowsOfBoth::All);
        }
        check_memory::<(u32, u32)>(stayed.len())?;
        Ok(RowsOfBoth::Some(polled((0..).zip(stayed)).filter(|&(_, rows)| rows > 0).collect()))
    }

    /// Whether no row came.
    pub fn are_all(&self) -> bool {
        matches!(self, RowsOfBoth::All)
    }

    /// Whether what two versions tell of these rows is of few rows. Of those that are in both a part may be fewer than it has to be of.
    pub fn tell(
        &self,
        division: &RecordClasses,
        beside: &[&RecordClasses],
        found: &SearchResult,
        least: &[RequiredSize],
        few: SmallParts,
    ) -> Result<bool> {
        let of_both = match self {
            RowsOfBoth::All => {
                let weights = found.table.weights();
                return Ok(reveals_small_cell(division, beside, weights, least, SmallParts::Neither)?);
            }
            RowsOfBoth::NotKnown => return is_cut_through(division, beside),
            RowsOfBoth::Some(of_both) => of_both,
        };
        let pick = |store: &Store| -> Result<Store> {
            check_memory::<u8>(of_both.len() * store.width())?;
            Ok(Store::Memory(store.pick(of_both.iter().map(|&(record, _)| record as usize))?))
        };
        let classes = |classes: &RecordClasses| -> Result<RecordClasses> {
            Ok(RecordClasses { of_records: pick(&classes.of_records)?, count: classes.count })
        };
        let beside = beside.iter().map(|beside| classes(beside)).collect::<Result<Vec<RecordClasses>>>()?;
        let persons = least.iter().map(|least| least.persons.map(|persons| pick(persons.codes)).transpose());
        let persons: Vec<Option<Store>> = persons.collect::<Result<_>>()?;
        let least = least.iter().zip(&persons).map(|(least, of_both)| RequiredSize {
            k: least.k,
            persons: least.persons.zip(of_both.as_ref()).map(|(all, codes)| CodedColumn { codes, ..all }),
        });
        check_memory::<u32>(of_both.len())?;
        let rows: Codes = polled(of_both).map(|&(_, rows)| rows).collect();
        let (least, beside): (Vec<RequiredSize>, Vec<&RecordClasses>) =
            (least.collect(), beside.iter().collect());
        Ok(reveals_small_cell(&classes(division)?, &beside, Some(&rows), &least, few)?)
    }
}

/// Whether a part lies in several others, one of which lies in several parts: then the sizes may tell of some rows of both versions.
fn is_cut_through(division: &RecordClasses, beside: &[&RecordClasses]) -> Result<bool> {
    let records = division.of_records.len();
    let (stores, counts): (Vec<&Store>, Vec<usize>) =
        beside.iter().map(|classes| (&classes.of_records, classes.count)).unzip();
    let others = compress(&stores, &counts, records, None)?;
    let codes = division.of_records.load()?;
    let pairs: HashSet<(Code, u32)> = polled(0..records).map(|at| (codes.get(at), others.ids[at])).collect();
    let (mut of_parts, mut of_others) = (HashMap::new(), HashMap::new());
    polled(&pairs).for_each(|&(part, other)| {
        *of_parts.entry(part).or_insert(0) += 1;
        *of_others.entry(other).or_insert(0) += 1;
    });
    let mut pairs = polled(pairs);
    Ok(pairs.any(|(part, other)| of_parts[&part] > 1 && of_others[&other] > 1))
}
