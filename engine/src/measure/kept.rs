//! What columns that are released as they are tell beside the masked ones: which rows they single out, and which masked
//! values they give away.
//!
//! Rows are alike that are released alike on the masked columns (a class). Within a class a kept column tells rows apart,
//! and whoever is in fewer than k rows is at risk. Within the rows that are alike on all masked columns but one (a group of
//! classes) a kept column gives the value of that one away where all rows with its value have the same.
//!
//! So all is counted class by class. The codes of the rows are laid side by side in the order of their classes, once; then
//! each pair of a masked and a kept column is one pass over memory, with a slot for each kept value. Where there is not
//! memory enough for all columns at a time, some of them are laid.

mod classes;

use super::information::Released;
use crate::progress::table_bytes;
use crate::table::{compress, Codes, Store, NONE};
use crate::{Code, Error, Pace, Reservation};
use classes::Classes;
use hashbrown::HashSet;
use std::ops::Range;

/// A masked column.
#[derive(Debug, Clone, Copy)]
pub struct MaskedColumn<'a> {
    /// What is released of it.
    pub released: Released<'a>,
    /// What the source holds; none where that is not known.
    pub original: Option<&'a Store>,
    /// Of what is released, by number, whether it shows less than the source holds.
    pub shows_less: &'a [bool],
}

/// A column that is released as it is; [`NONE`] is a value.
#[derive(Debug, Clone, Copy)]
pub struct KeptColumn<'a> {
    /// Each record's code.
    pub codes: &'a Store,
    /// How many codes there are beside [`NONE`].
    pub cardinality: usize,
}

/// A table that is released.
#[derive(Debug, Clone)]
pub struct ReleasedTable<'a> {
    /// How many records.
    pub records: usize,
    /// For how many rows each stands; none: one each.
    pub weights: Option<&'a Codes>,
    /// Whose each record is, where groups are as large as they have persons.
    pub persons: Option<&'a Store>,
    /// The masked columns.
    pub masked: Vec<MaskedColumn<'a>>,
    /// The columns that are kept.
    pub kept: Vec<KeptColumn<'a>>,
}

/// What kept columns tell, in rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// All rows.
    pub rows: u64,
    /// In groups of fewer than k by the masked and all kept columns.
    pub at_risk: u64,
    /// By the masked columns and each kept one.
    pub with: Vec<u64>,
    /// By each kept column alone.
    pub alone: Vec<u64>,
    /// Of each masked column, those whose value what is released of the other masked ones gives away by itself.
    pub without: Vec<u64>,
    /// Those whose value all kept columns together give away.
    pub together: Vec<u64>,
    /// Of each masked column and each kept one; only counted where those together are more than asked for.
    pub determined: Vec<Vec<u64>>,
}

/// Counts what the kept columns of a table tell, with groups of `k` rows (or persons) as safe. Which single column gives a
/// masked one away is only counted where all together do so in more than `least` rows.
pub fn kept(table: &ReleasedTable, k: u64, least: u64, memory: &mut Reservation) -> Result<Told, Error> {
    let pace = Pace::new(memory.progress());
    let (masked, kept) = (table.masked.len(), table.kept.len());
    let rows = match table.weights {
        Some(weights) => weights.sum(&pace)? as u64,
        None => table.records as u64,
    };
    let mut told = Told {
        rows,
        with: vec![0; kept],
        alone: vec![0; kept],
        without: vec![0; masked],
        together: vec![0; masked],
        determined: vec![vec![0; kept]; masked],
        ..Told::default()
    };
    if kept == 0 {
        return Ok(told);
    }
    let mut held = Reservation::empty(memory.progress());
    let classes = Classes::of(table, &mut held, &pace)?;
    // All of them together are one more column, the first.
    let together = if kept > 1 { Some(together(table, &mut held, &pace)?) } else { None };
    let mut columns = Vec::new();
    columns.extend(together.as_ref().map(|(cardinality, codes)| (codes, *cardinality, None)));
    columns.extend((0..).zip(&table.kept).map(|(at, column)| (column.codes, column.cardinality, Some(at))));
    let counting = Counting { table, classes: &classes, columns: &columns, k, least, pace: &pace };
    counting.all(0..masked, 0..columns.len(), memory, &mut told)?;
    if together.is_none() {
        told.at_risk = told.with[0];
        told.together = told.determined.iter().map(|of| of[0]).collect();
    }
    Ok(told)
}

/// All kept columns as one, and how many codes it has.
fn together(table: &ReleasedTable, held: &mut Reservation, pace: &Pace) -> Result<(usize, Store), Error> {
    let mut own = Reservation::empty(held.progress());
    let (mut numbered, mut cardinalities) = (Vec::new(), Vec::new());
    for column in &table.kept {
        let mut codes = column.codes.clone();
        own.grow(codes.held())?;
        let same: Vec<Code> = pace.collect(0..column.cardinality as Code)?;
        codes.renumber(&same, column.cardinality as Code, &mut own)?;
        numbered.push(codes);
        cardinalities.push(column.cardinality + 1);
    }
    let all: Vec<&Store> = numbered.iter().collect();
    let folded = compress(&all, &cardinalities, table.records, None, &mut own)?;
    let cardinality = folded.weights.len();
    held.grow_by::<u32>(table.records)?;
    Ok((cardinality, Store::Memory(Codes::from(folded.ids))))
}

/// Where a code stands in a record, and how many bytes it takes.
type Place = (usize, usize);

/// Where nothing stands, which is one value.
const NOWHERE: Place = (0, 0);

/// A kept column, or all of them together: codes, how many, and which it is.
type Column<'a> = (&'a Store, usize, Option<usize>);

struct Counting<'a> {
    table: &'a ReleasedTable<'a>,
    classes: &'a Classes,
    columns: &'a [Column<'a>],
    k: u64,
    least: u64,
    pace: &'a Pace<'a>,
}

/// The codes of some columns, side by side, in the order of the classes.
struct Laid {
    bytes: Vec<u8>,
    width: usize,
    /// Where each class begins; the end behind them.
    starts: Vec<usize>,
    /// Where the codes of each column stand in a record, and how wide they are.
    masked: Vec<Place>,
    kept: Vec<Place>,
    weight: Place,
    person: Place,
}

impl Laid {
    fn class(&self, class: u32) -> impl Iterator<Item = &[u8]> {
        let records = self.starts[class as usize]..self.starts[class as usize + 1];
        self.bytes[records.start * self.width..records.end * self.width].chunks_exact(self.width)
    }

    fn rows(&self, record: &[u8]) -> u32 {
        match self.weight {
            (_, 0) => 1,
            (at, bytes) => Codes::read(record, at, bytes),
        }
    }
}

/// What is known of a kept value in the group that is being counted.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Which group that is, counted from 1.
    group: u32,
    /// The masked value that all rows so far have.
    value: Code,
    /// How many rows that is, or [`SEVERAL`].
    rows: u32,
}

/// The rows of a group have several masked values: more rows than there can be.
const SEVERAL: u32 = u32::MAX;

fn slot_of<T>(slots: &mut [T], code: Code, cardinality: usize) -> &mut T {
    &mut slots[if code == NONE { cardinality } else { code as usize }]
}

/// How large the groups are that hold each kept value: in rows and, where those are told apart, in persons.
struct Sizes {
    cardinality: usize,
    rows: Vec<u32>,
    persons: Option<Persons>,
    touched: Vec<Code>,
}

/// How many persons there are of each kept value, and which were seen with which.
struct Persons {
    counts: Vec<u32>,
    seen: HashSet<(Code, Code)>,
}

impl Sizes {
    fn new(cardinality: usize, persons: bool, held: &mut Reservation) -> Result<Sizes, Error> {
        held.grow_by::<[u32; 3]>(cardinality + 1)?;
        let none = vec![0; cardinality + 1];
        let persons = persons.then(|| Persons { counts: none.clone(), seen: HashSet::new() });
        Ok(Sizes { cardinality, rows: none, persons, touched: Vec::new() })
    }

    fn add(&mut self, code: Code, person: Code, rows: u32, held: &mut Reservation) -> Result<(), Error> {
        let count = slot_of(&mut self.rows, code, self.cardinality);
        if *count == 0 {
            self.touched.push(code);
        }
        *count += rows;
        if let Some(Persons { counts, seen }) = &mut self.persons {
            if seen.len() == seen.capacity() {
                held.grow(table_bytes::<(Code, Code)>(seen.len() + 1))?;
            }
            if seen.insert((code, person)) {
                *slot_of(counts, code, self.cardinality) += 1;
            }
        }
        Ok(())
    }

    /// The rows in groups of fewer than k; then there is none.
    fn below(&mut self, k: u64) -> u64 {
        let mut below = 0;
        for code in self.touched.drain(..) {
            let rows = std::mem::take(slot_of(&mut self.rows, code, self.cardinality));
            let size = match &mut self.persons {
                Some(persons) => std::mem::take(slot_of(&mut persons.counts, code, self.cardinality)),
                None => rows,
            };
            below += if u64::from(size) < k { u64::from(rows) } else { 0 };
        }
        if let Some(persons) = &mut self.persons {
            persons.seen.clear();
        }
        below
    }
}

impl<'s> Counting<'s> {
    /// Counts some masked beside some kept columns: as many at a time as memory is granted for.
    fn all(
        &self,
        masked: Range<usize>,
        kept: Range<usize>,
        memory: &mut Reservation,
        told: &mut Told,
    ) -> Result<(), Error> {
        let halves = |all: &Range<usize>| {
            let middle = all.start + all.len() / 2;
            [all.start..middle, middle..all.end]
        };
        let mut held = Reservation::empty(memory.progress());
        let counted = (self.lay(masked.clone(), kept.clone(), &mut held))
            .and_then(|laid| self.count(&laid, masked.clone(), kept.clone(), &mut held, told));
        drop(held);
        match counted {
            Ok(()) => Ok(()),
            Err(Error::Memory { .. }) if kept.len() > 1 => {
                halves(&kept).into_iter().try_for_each(|kept| self.all(masked.clone(), kept, memory, told))
            }
            Err(Error::Memory { .. }) if masked.len() > 1 => halves(&masked)
                .into_iter()
                .try_for_each(|masked| self.all(masked, kept.clone(), memory, told)),
            Err(error) => Err(error),
        }
    }

    /// Lays the codes of some columns side by side, in the order of the classes.
    fn lay(&self, masked: Range<usize>, kept: Range<usize>, held: &mut Reservation) -> Result<Laid, Error> {
        let Counting { table, classes, columns, pace, .. } = self;
        let (mut width, mut stores) = (0, Vec::new());
        let mut place = |store: Option<&'s Store>| {
            let at = (width, store.map_or(0, Store::width));
            width += at.1;
            stores.extend(store.map(|store| (store, at.0)));
            at
        };
        let at_masked = table.masked[masked].iter().map(|column| place(column.original)).collect();
        let at_kept = columns[kept].iter().map(|(codes, ..)| place(Some(codes))).collect();
        let person = place(table.persons);
        let weight = (width, table.weights.map_or(0, Codes::width));
        width += weight.1;

        held.grow(table.records.saturating_mul(width))?;
        held.grow_by::<usize>(2 * classes.records.len() + 1)?;
        let mut starts = vec![0; classes.records.len() + 1];
        for (class, &records) in classes.records.iter().enumerate() {
            starts[class + 1] = starts[class] + records as usize;
        }
        let mut next = pace.collect(starts.iter().copied())?;
        let mut bytes = vec![0; table.records * width];
        let (mut chunk, mut packed) = (Vec::new(), Vec::new());
        for rows in pace.ranges(0..table.records) {
            let rows = rows?;
            packed.clear();
            packed.resize(rows.len() * width, 0);
            stores.iter().try_for_each(|(store, at)| store.put(rows.clone(), &mut packed, width, *at))?;
            if let Some(weights) = table.weights {
                weights.put(rows.clone(), &mut packed, width, weight.0);
            }
            classes.fetch(table, rows, &mut chunk)?;
            for (numbers, record) in chunk.chunks_exact(classes.columns).zip(packed.chunks_exact(width)) {
                let Some(class) = classes.known(numbers) else { continue };
                let place = &mut next[class as usize];
                bytes[*place * width..][..width].copy_from_slice(record);
                *place += 1;
            }
        }
        Ok(Laid { bytes, width, starts, masked: at_masked, kept: at_kept, weight, person })
    }

    fn count(
        &self,
        laid: &Laid,
        masked: Range<usize>,
        kept: Range<usize>,
        held: &mut Reservation,
        told: &mut Told,
    ) -> Result<(), Error> {
        if masked.start == 0 {
            for (place, column) in kept.clone().enumerate() {
                self.at_risk(laid, place, self.columns[column], held, told)?;
            }
        }
        let widest = self.columns[kept.clone()].iter().map(|(_, cardinality, _)| cardinality + 1).max();
        held.grow_by::<Slot>(widest.unwrap_or_default())?;
        let mut slots = vec![Slot::default(); widest.unwrap_or_default()];
        let mut group = 0;
        for (at, attribute) in masked.enumerate() {
            if self.table.masked[attribute].original.is_none() {
                continue;
            }
            let order = self.classes.but(attribute, self.pace)?;
            if group > u32::MAX / 2 {
                slots.fill(Slot::default());
                group = 0;
            }
            if kept.start == 0 {
                let columns = ((attribute, laid.masked[at]), (NOWHERE, 0));
                told.without[attribute] = self.determined(laid, columns, &order, &mut slots, &mut group)?;
            }
            for (place, column) in kept.clone().enumerate() {
                let which = self.columns[column].2;
                // What one column gives away all of them do.
                if which.is_some() && self.columns.len() > 1 && told.together[attribute] <= self.least {
                    continue;
                }
                let columns = ((attribute, laid.masked[at]), (laid.kept[place], self.columns[column].1));
                let rows = self.determined(laid, columns, &order, &mut slots, &mut group)?;
                match which {
                    None => told.together[attribute] = rows,
                    Some(which) => told.determined[attribute][which] = rows,
                }
            }
        }
        Ok(())
    }

    /// Counts the rows whose masked value a kept column gives away. Groups are counted on, so that no slot of an earlier one
    /// is taken for one of now.
    fn determined(
        &self,
        laid: &Laid,
        ((attribute, masked), (kept, cardinality)): ((usize, Place), (Place, usize)),
        order: &[u32],
        slots: &mut [Slot],
        group: &mut u32,
    ) -> Result<u64, Error> {
        let shows_less = self.table.masked[attribute].shows_less;
        let (mut rows, mut before) = (0, None);
        for &class in order {
            if before.is_none_or(|before| !self.classes.are_alike_but(attribute, (before, class))) {
                *group += 1;
            }
            before = Some(class);
            self.pace.tick(self.classes.records[class as usize] as usize)?;
            let counts = shows_less[self.classes.numbers(class)[attribute] as usize];
            for record in laid.class(class) {
                let value = Codes::read(record, masked.0, masked.1);
                let slot = slot_of(slots, Codes::read(record, kept.0, kept.1), cardinality);
                if slot.group != *group {
                    *slot = Slot { group: *group, value, rows: 0 };
                }
                if slot.rows == SEVERAL {
                    continue;
                }
                if slot.value != value {
                    rows -= u64::from(slot.rows);
                    slot.rows = SEVERAL;
                } else if counts {
                    let more = laid.rows(record);
                    slot.rows += more;
                    rows += u64::from(more);
                }
            }
        }
        Ok(rows)
    }

    /// Counts the rows in groups of fewer than k by a kept column: within the classes and, by a single one, alone.
    fn at_risk(
        &self,
        laid: &Laid,
        place: usize,
        (_, cardinality, which): Column,
        held: &mut Reservation,
        told: &mut Told,
    ) -> Result<(), Error> {
        let ((at, bytes), (person_at, person_bytes)) = (laid.kept[place], laid.person);
        let mut sizes = Sizes::new(cardinality, self.table.persons.is_some(), held)?;
        let (mut within, classes) = (0, self.classes.records.len() as u32);
        for is_alone in [false, true].into_iter().take(if which.is_some() { 2 } else { 1 }) {
            for class in 0..classes {
                self.pace.tick(2 * self.classes.records[class as usize] as usize)?;
                for record in laid.class(class) {
                    let person = Codes::read(record, person_at, person_bytes);
                    sizes.add(Codes::read(record, at, bytes), person, laid.rows(record), held)?;
                }
                within += if is_alone { 0 } else { sizes.below(self.k) };
            }
        }
        match which {
            None => told.at_risk = within,
            Some(which) => (told.with[which], told.alone[which]) = (within, sizes.below(self.k)),
        }
        Ok(())
    }
}
