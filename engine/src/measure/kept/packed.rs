//! The codes of some columns side by side, in the order of the classes: counts by class read memory in sequence.

use super::classes::ReleasedClasses;
use super::{KeptOrCombined, ReleasedTable};
use crate::progress::check_memory;
use crate::table::{Codes, Store, NONE};
use crate::{pace, Code, Error};
use std::ops::Range;
use std::slice::ChunksExact;

/// Offset of a code in a record, and its width, both in bytes.
pub(super) type Place = (usize, usize);

/// A packed kept column, or the combination of all.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptPlace {
    pub place: Place,
    pub cardinality: usize,
    /// Index of the column; None: the combination of all.
    pub which: Option<usize>,
}

/// Packed columns.
pub(super) struct PackedColumns {
    bytes: Vec<u8>,
    width: usize,
    /// First record of each class, and the end of the last.
    starts: Vec<usize>,
    /// Places of the masked columns' codes in a record.
    pub masked: Vec<Place>,
    /// Places of the kept columns' codes.
    pub kept: Vec<KeptPlace>,
    weight: Place,
    person: Place,
}

/// Size, in bytes, of a counter array that fits into the processor's cache. The codes of a column with larger arrays
/// are renumbered, which takes a pass.
const CACHED_BYTES: usize = 1 << 16;

impl PackedColumns {
    /// Packs a range of masked and some kept columns.
    pub fn pack(
        table: &ReleasedTable,
        classes: &ReleasedClasses,
        (masked, kept): (Range<usize>, &[KeptOrCombined]),
    ) -> Result<PackedColumns, Error> {
        let (mut width, mut stores): (usize, Vec<(&Store, usize)>) = (0, Vec::new());
        let mut place = |bytes: usize| {
            width += bytes;
            (width - bytes, bytes)
        };
        let mut put = |store: Option<&'_ Store>| place(store.map_or(0, Store::width));
        let places: Vec<Place> =
            table.masked[masked.clone()].iter().map(|column| put(column.original)).collect();
        let kept_places: Vec<KeptPlace> = (kept.iter())
            .map(|&(codes, cardinality, which)| KeptPlace { place: put(Some(codes)), cardinality, which })
            .collect();
        let person = put(table.persons);
        let weight = place(table.weights.map_or(0, Codes::width));
        for (column, place) in table.masked[masked].iter().zip(&places) {
            stores.extend(column.original.map(|store| (store, place.0)));
        }
        stores.extend(kept.iter().zip(&kept_places).map(|((codes, ..), kept)| (*codes, kept.place.0)));
        stores.extend(table.persons.map(|store| (store, person.0)));

        check_memory::<u8>(table.records.saturating_mul(width))?;
        check_memory::<usize>(2 * classes.records.len() + 1)?;
        let mut starts = vec![0; classes.records.len() + 1];
        for (class, &records) in classes.records.iter().enumerate() {
            starts[class + 1] = starts[class] + records as usize;
        }
        let mut next = pace::collect(starts.iter().copied())?;
        let mut bytes = vec![0; table.records * width];
        let (mut numbers, mut packed) = (Vec::new(), Vec::new());
        for rows in pace::ranges(0..table.records) {
            let rows = rows?;
            packed.clear();
            packed.resize(rows.len() * width, 0);
            stores.iter().try_for_each(|(store, at)| store.put(rows.clone(), &mut packed, width, *at))?;
            if let Some(weights) = table.weights {
                weights.write_into_records(rows.clone(), &mut packed, width, weight.0);
            }
            let numbers = classes.of_records.fetch(rows, &mut numbers);
            for (&class, record) in numbers.iter().zip(packed.chunks_exact(width)) {
                let place = &mut next[class as usize];
                bytes[*place * width..][..width].copy_from_slice(record);
                *place += 1;
            }
        }
        let mut packed =
            PackedColumns { bytes, width, starts, masked: places, kept: kept_places, weight, person };
        for place in 0..packed.kept.len() {
            let column = packed.kept[place];
            if column.cardinality * size_of::<Code>() > CACHED_BYTES {
                packed.renumber(&column)?;
            }
        }
        Ok(packed)
    }

    /// Numbers a column's codes by first appearance in the classes, so that the counters of a class lie close together.
    fn renumber(&mut self, column: &KeptPlace) -> Result<(), Error> {
        let (at, bytes) = column.place;
        check_memory::<Code>(column.cardinality)?;
        let (mut numbers, mut next) = (vec![NONE; column.cardinality], 0);
        pace::each(self.bytes.chunks_exact_mut(self.width), |record| {
            if let Some(number) = numbers.get_mut(Codes::read_from_record(record, at, bytes) as usize) {
                if *number == NONE {
                    *number = next;
                    next += 1;
                }
                record[at..at + bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
            }
        })
    }

    /// Returns the records of a class.
    pub fn class(&self, class: u32) -> ChunksExact<'_, u8> {
        let records = self.starts[class as usize]..self.starts[class as usize + 1];
        self.bytes[records.start * self.width..records.end * self.width].chunks_exact(self.width)
    }

    /// Returns the number of rows that a record stands for.
    pub fn rows(&self, record: &[u8]) -> u32 {
        match self.weight {
            (_, 0) => 1,
            (at, bytes) => Codes::read_from_record(record, at, bytes),
        }
    }

    /// Returns the person of a record.
    pub fn person(&self, record: &[u8]) -> Code {
        Codes::read_from_record(record, self.person.0, self.person.1)
    }
}

/// Returns the slot of a kept value; [`NONE`] has the last one.
pub(super) fn slot_mut<T>(slots: &mut [T], code: Code, cardinality: usize) -> &mut T {
    &mut slots[if code == NONE { cardinality } else { code as usize }]
}
