//! What readers see of rows that come and go. Rows that are shown alike are one and the same to them: a row that comes where
//! another goes is not seen, and neither is one whose values change within what is shown. So readers see fewer rows change than do:
//! one true newcomer, for example, beside many whose age changed within an interval.

use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::read::identity::{told_apart_by, Multiset, Numbers};
use crate::read::table::{Column, ReleasedBefore, Table};
use crate::terms::masking::masking;
use crate::terms::request::Request;
use crate::terms::words::ApartBy;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use topdown::measure::BrokenGroup;
use topdown::pace;
use topdown::progress::check_memory;
use topdown::table::Store;

/// What each record is shown as.
pub(super) struct Looks {
    /// Of those that have changed.
    of_records: Vec<i64>,
    /// The records by what they hold: of rows that are shown alike the same ones count as seen wherever they are compared.
    order: Vec<u32>,
}

/// Of each record how many of its rows readers see come, see go, and see stay.
pub(super) struct Seen {
    pub(super) come: Vec<u32>,
    pub(super) go: Vec<u32>,
    pub(super) stay: Vec<u32>,
}

impl Looks {
    /// Of a source and what left it: as the version before shows the masked columns, and this one the others, told apart `by` what is shown or
    /// printed. Rows of the records that have `changed` came or left; `identities` say what each record is.
    pub(super) fn new(
        request: &Request,
        table: &Table,
        masked: &[ReleasedBefore],
        (identities, changed): (&[i64], &[u32]),
        by: ApartBy,
    ) -> Result<Looks> {
        let masked = masked.iter().map(|column| Ok((&column.codes, (0..column.numbers as u64).collect())));
        let others = request.as_they_are().map(|place| {
            let column = table.column(place)?;
            Ok((&column.codes, shown(request, place, column, by)?))
        });
        let of_changed = masked.chain(others).map(|column: Result<(&Store, Vec<u64>)>| {
            let (codes, numbers) = column?;
            check_memory::<u8>(changed.len() * codes.width())?;
            Ok((Store::Memory(codes.pick(changed.iter().map(|&record| record as usize))?), numbers))
        });
        let (codes, numbers): (Vec<Store>, Vec<Vec<u64>>) =
            of_changed.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let of_changed = told_apart_by(changed.len(), codes.iter().zip(numbers).map(Ok))?;
        check_memory::<(i64, u32)>(table.records)?;
        let mut of_records = vec![0; table.records];
        changed.iter().zip(of_changed).for_each(|(&record, look)| of_records[record as usize] = look);
        let mut order = changed.to_vec();
        let identity = |record: u32| identities[record as usize];
        pace::sort_by(&mut order, |&one, &other| identity(one).cmp(&identity(other)))?;
        Ok(Looks { of_records, order })
    }

    /// What is seen where so many rows of each record come, go and stay; none where that is what happens.
    pub(super) fn seen(&self, come: &[u32], go: &[u32], stay: &[u32]) -> Result<Option<Seen>> {
        check_memory::<[u32; 3]>(come.len())?;
        let (come_seen, is_all) = self.without_alike(come, go)?;
        if is_all {
            return Ok(None);
        }
        let stay = stay.iter().zip(come).zip(&come_seen).map(|((stay, come), seen)| stay + come - seen);
        Ok(Some(Seen { stay: stay.collect(), go: self.without_alike(go, come)?.0, come: come_seen }))
    }

    /// So many rows of each record, but for those that are shown alike as some of the others; and whether these are all.
    fn without_alike(&self, rows: &[u32], others: &[u32]) -> Result<(Vec<u32>, bool)> {
        let look = |&record: &u32| (self.of_records[record as usize], others[record as usize]);
        let mut there = Multiset::counted(self.order.iter().map(look))?;
        let (mut rest, mut is_all) = (rows.to_vec(), true);
        for &record in polled(&self.order) {
            let record = record as usize;
            let alike = there.take(self.of_records[record], rows[record]);
            rest[record] -= alike;
            is_all &= alike == 0;
        }
        Ok((rest, is_all))
    }

    /// Moves as many rows of each look as are seen of it in a group, drawn at random; whether there were any.
    pub(super) fn moves(
        &self,
        mut group: BrokenGroup,
        seen: &[u32],
        (from, to): (&mut [u32], &mut [u32]),
        random: &mut StdRng,
    ) -> Result<bool> {
        let look = |&record: &u32| (self.of_records[record as usize], seen[record as usize]);
        let mut left = Multiset::counted(group.records.iter().map(look))?;
        group.records.shuffle(random);
        let mut moved = false;
        for record in polled(group.records) {
            let record = record as usize;
            let rows = left.take(self.of_records[record], from[record]);
            from[record] -= rows;
            to[record] += rows;
            moved |= rows > 0;
        }
        Ok(moved)
    }
}

/// A number for each value of a column that is not masked, as it is shown.
fn shown(request: &Request, place: usize, column: &Column, by: ApartBy) -> Result<Vec<u64>> {
    let mut numbers = Numbers::new(column.ty, by == ApartBy::Printed);
    let Some(masking::Rounded(step)) = request.kept_by.get(&place) else { return numbers.of_column(column) };
    let declaration = &request.source.columns[place].declaration;
    numbers.of(step.rounded((column.ty, declaration), column.datums())?)
}
