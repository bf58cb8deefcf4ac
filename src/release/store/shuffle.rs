//! Rows in random order, of any number: every order is as likely as every other. A record that stands for several rows is
//! as many of them.
//!
//! The keys of a row, and numbers of its own, are put side by side into a record first, so that of a row that lies anywhere all
//! are fetched at once. Where the records of all rows take more than their share of the memory budget, each is thrown into one of
//! several piles, drawn at random, which lie in temporary files; then the records of one pile after the other are
//! shuffled in memory (Rao 1961). Otherwise there is one pile.

use crate::postgres::error::Result;
use crate::postgres::progress::{polled, stretches};
use crate::postgres::settings;
use crate::postgres::temporary::Temporary;
use crate::release::store::columns::Fill;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use std::ops::Range;
use topdown::progress::check_memory;
use topdown::table::{Codes, Tape};

/// Where the keys, and numbers, of a row lie in its record.
#[derive(Debug, Clone)]
struct Places {
    /// How many bytes a record takes: one, where it has no keys.
    width: usize,
    /// Of each column, where its key begins and how many bytes it takes.
    keys: Vec<(usize, usize)>,
}

/// All rows, which are written a pile of them at a time.
pub struct Shuffle<'f> {
    fills: &'f [Fill<'f>],
    rows: usize,
    /// How many rows each record stands for; none: one each.
    weights: Option<&'f Codes>,
    places: Places,
    /// The records that were thrown into piles, and how many each has; none where there is one pile.
    thrown: Option<Vec<Pile>>,
}

/// A pile in a file, and how many records it has.
struct Pile {
    file: Temporary,
    rows: usize,
    /// What was not written yet.
    bytes: Vec<u8>,
}

/// The records of a pile, and a random order of them.
pub struct Records {
    bytes: Vec<u8>,
    width: usize,
    /// The order: of each row its record.
    pub order: Vec<u32>,
}

/// The part of the budget that is for the records of a pile.
const SHARE: usize = 4;

/// Rows whose keys are put side by side together: few, so that what is written to is at hand for the next column.
const BLOCK: usize = 1 << 8;

/// How many bytes a number takes: more than a key.
const NUMBER: usize = size_of::<i64>();

/// The most piles there are: each is a file, and has some bytes in memory until they are written out together.
const PILES: usize = 256;
const WRITTEN: usize = 1 << 13;

impl Places {
    /// Those of a record that is filled so.
    pub fn new(fills: &[Fill]) -> Places {
        let mut width = 0;
        let place = |fill: &Fill| {
            let bytes = match fill {
                Fill::Same(_) => 0,
                Fill::ByKey(keys, _) => keys.width(),
                Fill::Numbers(_) => NUMBER,
            };
            width += bytes;
            (width - bytes, bytes)
        };
        let keys = fills.iter().map(place).collect();
        Places { width: width.max(1), keys }
    }

    /// Puts the keys of some rows into their records.
    fn put(&self, fills: &[Fill], rows: Range<usize>, records: &mut [u8]) -> Result<()> {
        let (mut keyed, mut numbered) = (Vec::new(), Vec::new());
        for (fill, &(at, _)) in fills.iter().zip(&self.keys) {
            match fill {
                Fill::Same(_) => {}
                Fill::ByKey(keys, _) => keyed.push((*keys, at)),
                Fill::Numbers(numbers) => numbered.push((&numbers[rows.clone()], at)),
            }
        }
        let mut buffers = vec![Codes::default(); keyed.len()];
        let at_hand = (keyed.iter().zip(&mut buffers))
            .map(|((keys, at), buffer)| Ok((keys.view(rows.clone(), buffer)?, *at)))
            .collect::<Result<Vec<_>>>()?;
        for (number, block) in records.chunks_mut(BLOCK * self.width).enumerate() {
            for ((codes, run), at) in &at_hand {
                let first = run.start + number * BLOCK;
                codes.write_into_records(first..run.end.min(first + BLOCK), block, self.width, *at);
            }
            for (numbers, at) in &numbered {
                let records = block.chunks_exact_mut(self.width);
                for (record, own) in records.zip(&numbers[number * BLOCK..]) {
                    record[*at..at + NUMBER].copy_from_slice(&own.to_le_bytes());
                }
            }
        }
        Ok(())
    }
}

impl<'f> Shuffle<'f> {
    /// Throws the rows into piles, if there are too many for one.
    pub fn new(fills: &'f [Fill<'f>], rows: usize, weights: Option<&'f Codes>) -> Result<Shuffle<'f>> {
        let mut shuffle = Shuffle { fills, rows, weights, places: Places::new(fills), thrown: None };
        let share = settings::max_memory() / SHARE;
        if shuffle.bytes(shuffle.records(), rows) > share {
            let piles = shuffle.bytes(rows, rows).div_ceil(share).min(PILES);
            shuffle.thrown = Some(shuffle.throw(piles)?);
        }
        Ok(shuffle)
    }

    /// How many records there are.
    fn records(&self) -> usize {
        self.weights.map_or(self.rows, Codes::len)
    }

    /// How many bytes records take, and an order of rows.
    fn bytes(&self, records: usize, rows: usize) -> usize {
        records * self.places.width + rows * size_of::<u32>()
    }

    /// How many rows a record stands for.
    fn rows_of(&self, record: usize) -> u32 {
        self.weights.map_or(1, |weights| weights.get(record))
    }

    fn throw(&self, piles: usize) -> Result<Vec<Pile>> {
        let Places { width, .. } = self.places;
        check_memory::<u8>(piles * (WRITTEN + width))?;
        let pile = || Pile { file: Temporary::new(), rows: 0, bytes: Vec::with_capacity(WRITTEN + width) };
        let mut thrown: Vec<Pile> = std::iter::repeat_with(pile).take(piles).collect();
        let mut random = StdRng::from_os_rng();
        let mut records = Vec::new();
        for run in stretches(self.records()) {
            records.resize(run.len() * width, 0);
            self.places.put(self.fills, run.clone(), &mut records)?;
            for (number, record) in run.enumerate() {
                for _ in polled(0..self.rows_of(record)) {
                    let pile = &mut thrown[random.random_range(0..piles)];
                    pile.rows += 1;
                    pile.bytes.extend_from_slice(&records[number * width..][..width]);
                    if pile.bytes.len() >= WRITTEN {
                        pile.write();
                    }
                }
            }
        }
        thrown.iter_mut().for_each(Pile::write);
        Ok(thrown)
    }

    /// Where the keys of a column lie in a record, and how many bytes they take.
    pub fn place(&self, column: usize) -> (usize, usize) {
        self.places.keys[column]
    }

    /// How many piles there are.
    pub fn piles(&self) -> usize {
        self.thrown.as_ref().map_or(1, Vec::len)
    }

    /// A pile, by its number.
    pub fn pile(&self, number: usize) -> Result<Records> {
        let thrown = self.thrown.as_ref().map(|piles| &piles[number]);
        let (count, rows) = thrown.map_or((self.records(), self.rows), |pile| (pile.rows, pile.rows));
        let width = self.places.width;
        check_memory::<u8>(self.bytes(count, rows))?;
        let mut bytes = vec![0; count * width];
        for rows in stretches(count) {
            let records = &mut bytes[rows.start * width..rows.end * width];
            match thrown {
                Some(pile) => pile.file.read((rows.start * width) as u64, records)?,
                None => self.places.put(self.fills, rows, records)?,
            }
        }
        let mut order: Vec<u32> = Vec::with_capacity(rows);
        for record in polled(0..count) {
            // What was thrown is one record a row.
            let rows = if thrown.is_some() { 1 } else { self.rows_of(record) };
            order.extend(std::iter::repeat_n(record as u32, rows as usize));
        }
        order.shuffle(&mut StdRng::from_os_rng());
        Ok(Records { bytes, width, order })
    }
}

impl Pile {
    fn write(&mut self) {
        self.file.append(&self.bytes);
        self.bytes.clear();
    }
}

impl Records {
    /// The records of some rows, one after the other: fetched together, none waits for the one before.
    pub fn fetch(&self, rows: &[u32], fetched: &mut Fetched) {
        let Fetched { bytes, width } = fetched;
        *width = self.width;
        bytes.clear();
        for &row in rows {
            bytes.extend_from_slice(&self.bytes[row as usize * self.width..][..self.width]);
        }
    }
}

/// The records of some rows.
#[derive(Debug, Default)]
pub struct Fetched {
    bytes: Vec<u8>,
    width: usize,
}

impl Fetched {
    /// Their keys, or their numbers, that lie at a place in each, in so many bytes; the first key where they take none.
    pub fn keys(&self, (at, bytes): (usize, usize)) -> impl Iterator<Item = i64> + '_ {
        self.bytes.chunks_exact(self.width).map(move |record| match (bytes, record[at..].first_chunk()) {
            (0, _) => 0,
            (NUMBER, Some(number)) => i64::from_le_bytes(*number),
            _ => Codes::read_from_record(record, at, bytes).into(),
        })
    }
}
