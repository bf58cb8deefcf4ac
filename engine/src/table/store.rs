//! Where the codes of a column lie that was read: in memory or, past the memory budget, on a tape (TDS section 5.5
//! plans for tables larger than memory alike).
//!
//! A tape is the caller's, a file say, and what lies on it stays as it was written: where codes are numbered anew,
//! a map is applied to what is read. Everything here goes through a column from its first row to its last, a
//! stretch at a time, so that a tape is read as it was written; and only the thread that polls reads it.

use super::{Codes, NONE};
use crate::progress::room;
use crate::{pace, Code, Error};
use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::rc::Rc;

/// Bytes that lie outside memory.
pub trait Tape: Debug {
    /// Reads bytes, from a place on.
    fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), Error>;
}

/// A column of codes, wherever they lie.
#[derive(Debug, Clone)]
pub enum Store {
    /// In memory.
    Memory(Codes),
    /// On a tape.
    Tape(TapeColumn),
}

/// A column of codes on a tape.
#[derive(Debug, Clone)]
pub struct TapeColumn {
    tape: Rc<dyn Tape>,
    /// The stretches that were laid one after the other.
    runs: Vec<Run>,
    rows: usize,
    /// What each code is by now; none: itself.
    map: Option<Rc<Vec<Code>>>,
    /// What no value is by now.
    none: Code,
    /// How many bytes the greatest code takes.
    width: usize,
}

/// A stretch of codes: where its first byte lies, and how many bytes each takes.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: usize,
    at: u64,
    width: usize,
}

impl TapeColumn {
    /// Nothing yet.
    pub fn new(tape: Rc<dyn Tape>) -> TapeColumn {
        TapeColumn { tape, runs: Vec::new(), rows: 0, map: None, none: NONE, width: 1 }
    }

    /// Says that the next codes lie at a place of the tape, side by side, as [`Codes::put`] writes them.
    pub fn add(&mut self, codes: &Codes, at: u64) {
        debug_assert!(self.map.is_none(), "codes are numbered anew when all are there");
        self.runs.push(Run { first: self.rows, at, width: codes.width() });
        self.rows += codes.len();
        self.width = self.width.max(codes.width());
    }

    /// Reads a stretch of the codes.
    fn read(&self, rows: Range<usize>, mut each: impl FnMut(Code)) -> Result<(), Error> {
        let mut next = rows.start;
        let mut run = self.runs.partition_point(|run| run.first <= next).saturating_sub(1);
        let mut bytes = Vec::new();
        while next < rows.end {
            let Run { first, at, width } = self.runs[run];
            run += 1;
            let end = self.runs.get(run).map_or(self.rows, |run| run.first).min(rows.end);
            bytes.resize((end - next) * width, 0);
            self.tape.read(at + ((next - first) * width) as u64, &mut bytes)?;
            for at in (0..bytes.len()).step_by(width) {
                each(match Codes::read(&bytes, at, width) {
                    NONE => self.none,
                    code => self.map.as_ref().map_or(code, |map| map[code as usize]),
                });
            }
            next = end;
        }
        Ok(())
    }
}

impl Default for Store {
    fn default() -> Store {
        Store::Memory(Codes::default())
    }
}

impl<T: Into<Codes>> From<T> for Store {
    fn from(codes: T) -> Store {
        Store::Memory(codes.into())
    }
}

impl FromIterator<Code> for Store {
    fn from_iter<I: IntoIterator<Item = Code>>(codes: I) -> Store {
        Store::Memory(codes.into_iter().collect())
    }
}

impl Store {
    /// How many codes there are.
    pub fn len(&self) -> usize {
        match self {
            Store::Memory(codes) => codes.len(),
            Store::Tape(taped) => taped.rows,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes each takes in memory.
    pub fn width(&self) -> usize {
        match self {
            Store::Memory(codes) => codes.width(),
            Store::Tape(taped) => taped.width,
        }
    }

    /// How many bytes of memory the codes take.
    pub fn held(&self) -> usize {
        match self {
            Store::Memory(codes) => codes.capacity() * codes.width(),
            Store::Tape(_) => 0,
        }
    }

    /// The codes, if they lie in memory.
    pub fn in_memory(&self) -> Option<&Codes> {
        match self {
            Store::Memory(codes) => Some(codes),
            Store::Tape(_) => None,
        }
    }

    /// The codes themselves, if they lie in memory.
    pub fn into_memory(self) -> Option<Codes> {
        match self {
            Store::Memory(codes) => Some(codes),
            Store::Tape(_) => None,
        }
    }

    /// A stretch of the codes: where it lies, in the column or in a buffer.
    pub fn at_hand<'b>(
        &'b self,
        rows: Range<usize>,
        buffer: &'b mut Codes,
    ) -> Result<(&'b Codes, Range<usize>), Error> {
        match self {
            Store::Memory(codes) => Ok((codes, rows)),
            Store::Tape(taped) => {
                *buffer = Codes::of_width(taped.width, rows.len());
                taped.read(rows, |code| buffer.push(code))?;
                Ok((buffer, 0..buffer.len()))
            }
        }
    }

    /// A stretch of the codes, in a buffer.
    pub fn fetch<'b>(&self, rows: Range<usize>, buffer: &'b mut Vec<Code>) -> Result<&'b [Code], Error> {
        match self {
            Store::Memory(codes) => return Ok(codes.fetch(rows, buffer)),
            Store::Tape(taped) => {
                buffer.clear();
                taped.read(rows, |code| buffer.push(code))?;
            }
        }
        Ok(buffer)
    }

    /// All codes, in memory.
    pub fn load(&self) -> Result<Cow<'_, Codes>, Error> {
        let taped = match self {
            Store::Memory(codes) => return Ok(Cow::Borrowed(codes)),
            Store::Tape(taped) => taped,
        };
        room::<u8>(taped.rows * taped.width)?;
        let mut codes = Codes::of_width(taped.width, taped.rows);
        for rows in pace::ranges(0..taped.rows) {
            taped.read(rows?, |code| codes.push(code))?;
        }
        Ok(Cow::Owned(codes))
    }

    /// The codes of some rows, which ascend.
    pub fn pick(&self, rows: impl ExactSizeIterator<Item = usize>) -> Result<Codes, Error> {
        let mut picked = Codes::of_width(self.width(), rows.len());
        let (mut rows, mut buffer) = (rows.peekable(), Codes::default());
        for stretch in pace::ranges(0..self.len()) {
            let stretch = stretch?;
            if rows.peek().is_none_or(|&row| row >= stretch.end) {
                continue;
            }
            let (codes, at) = self.at_hand(stretch.clone(), &mut buffer)?;
            let here = std::iter::from_fn(|| rows.next_if(|&row| row < stretch.end));
            picked.pick(codes, here.map(|row| at.start + row - stretch.start));
        }
        Ok(picked)
    }

    /// Numbers the codes anew: each is what `map` says, perhaps [`NONE`], and what is no value `none`.
    pub fn renumber(&mut self, map: &[Code], none: Code) -> Result<(), Error> {
        let of = |code| if code == NONE { none } else { map[code as usize] };
        let mut greatest = if none == NONE { 0 } else { none };
        pace::each(map, |&code| greatest = greatest.max(if code == NONE { 0 } else { code }))?;
        match self {
            Store::Memory(codes) => {
                while !codes.takes(greatest) {
                    room::<u8>(2 * codes.width() * codes.len())?;
                    codes.widen();
                }
                for rows in pace::ranges(0..codes.len()) {
                    codes.rewrite(rows?, of);
                }
            }
            Store::Tape(taped) => {
                room::<Code>(map.len())?;
                let mapped = match &taped.map {
                    None => pace::collect(map.iter().copied())?,
                    Some(before) => pace::collect(before.iter().map(|&code| of(code)))?,
                };
                taped.map = Some(Rc::new(mapped));
                // Without a NULL it may be a code that no row has, and so none of the map's.
                let of_none = map.get(taped.none as usize).copied();
                taped.none = of_none.unwrap_or(none);
                taped.width = Codes::bytes_below(greatest as usize + 1);
            }
        }
        Ok(())
    }

    /// Writes a stretch of the codes into records of `width` bytes, each at the place `at`, the lowest byte first.
    pub fn put(&self, rows: Range<usize>, records: &mut [u8], width: usize, at: usize) -> Result<(), Error> {
        let mut buffer = Codes::default();
        let (codes, run) = self.at_hand(rows, &mut buffer)?;
        codes.put(run, records, width, at);
        Ok(())
    }
}
