//! Codes of a column in memory or, past the memory budget, on a tape (TDS section 5.5 also plans for tables larger than
//! memory).
//!
//! A tape belongs to the caller, for example as a file, and is never rewritten: renumbering applies a map to the codes
//! that are read. All functions read a column from its first row to its last, a stretch at a time, because the tape was
//! written in this order. Only the thread that polls reads it.

use super::{Codes, NONE};
use crate::progress::check_memory;
use crate::{pace, Code, Error};
use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::rc::Rc;

/// Bytes outside memory.
pub trait Tape: Debug {
    /// Fills `bytes` from byte `at` on.
    fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), Error>;
}

/// Column of codes in memory or on a tape.
#[derive(Debug, Clone)]
pub enum Store {
    /// Codes in memory.
    Memory(Codes),
    /// Codes on a tape.
    Tape(TapeColumn),
}

/// Column of codes on a tape.
#[derive(Debug, Clone)]
pub struct TapeColumn {
    tape: Rc<dyn Tape>,
    /// Stretches of the column, in the order of their rows.
    runs: Vec<Run>,
    rows: usize,
    /// Present code of each code on the tape; none: the same.
    map: Option<Rc<Vec<Code>>>,
    /// Present code of [`NONE`] on the tape.
    null_code: Code,
    /// Number of bytes per code in memory.
    width: usize,
}

/// Stretch of codes: its first row, the place of its first byte, and the number of bytes per code.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: usize,
    at: u64,
    width: usize,
}

impl TapeColumn {
    /// Makes an empty column.
    pub fn new(tape: Rc<dyn Tape>) -> TapeColumn {
        TapeColumn { tape, runs: Vec::new(), rows: 0, map: None, null_code: NONE, width: 1 }
    }

    /// Appends codes that lie on the tape from byte `at` on, side by side, as [`Codes::write_into_records`] writes
    /// them.
    pub fn add(&mut self, codes: &Codes, at: u64) {
        debug_assert!(self.map.is_none(), "codes are numbered anew when all are there");
        self.runs.push(Run { first: self.rows, at, width: codes.width() });
        self.rows += codes.len();
        self.width = self.width.max(codes.width());
    }

    /// Calls `each` with the codes of a stretch of rows.
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
                each(match Codes::read_from_record(&bytes, at, width) {
                    NONE => self.null_code,
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
    /// Returns the number of codes.
    pub fn len(&self) -> usize {
        match self {
            Store::Memory(codes) => codes.len(),
            Store::Tape(taped) => taped.rows,
        }
    }

    /// Returns whether the column has no codes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of bytes per code in memory.
    pub fn width(&self) -> usize {
        match self {
            Store::Memory(codes) => codes.width(),
            Store::Tape(taped) => taped.width,
        }
    }

    /// Returns the number of bytes that the codes take in memory.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Store::Memory(codes) => codes.capacity() * codes.width(),
            Store::Tape(_) => 0,
        }
    }

    /// Returns the codes, if they are in memory.
    pub fn in_memory(&self) -> Option<&Codes> {
        match self {
            Store::Memory(codes) => Some(codes),
            Store::Tape(_) => None,
        }
    }

    /// Returns the codes of a stretch of rows, as a column and a range in it: the column itself or `buffer`.
    pub fn view<'b>(
        &'b self,
        rows: Range<usize>,
        buffer: &'b mut Codes,
    ) -> Result<(&'b Codes, Range<usize>), Error> {
        match self {
            Store::Memory(codes) => Ok((codes, rows)),
            Store::Tape(taped) => {
                *buffer = Codes::with_width(taped.width, rows.len())?;
                taped.read(rows, |code| buffer.push(code))?;
                Ok((buffer, 0..buffer.len()))
            }
        }
    }

    /// Copies the codes of a stretch of rows into a buffer.
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

    /// Loads all codes into memory.
    pub fn load(&self) -> Result<Cow<'_, Codes>, Error> {
        let taped = match self {
            Store::Memory(codes) => return Ok(Cow::Borrowed(codes)),
            Store::Tape(taped) => taped,
        };
        let mut codes = Codes::with_width(taped.width, taped.rows)?;
        for rows in pace::ranges(0..taped.rows) {
            taped.read(rows?, |code| codes.push(code))?;
        }
        Ok(Cow::Owned(codes))
    }

    /// Loads the codes of some rows, which must ascend.
    pub fn pick(&self, rows: impl ExactSizeIterator<Item = usize>) -> Result<Codes, Error> {
        let mut picked = Codes::with_width(self.width(), rows.len())?;
        let (mut rows, mut buffer) = (rows.peekable(), Codes::default());
        for stretch in pace::ranges(0..self.len()) {
            let stretch = stretch?;
            if rows.peek().is_none_or(|&row| row >= stretch.end) {
                continue;
            }
            let (codes, at) = self.view(stretch.clone(), &mut buffer)?;
            let here = std::iter::from_fn(|| rows.next_if(|&row| row < stretch.end));
            picked.pick(codes, here.map(|row| at.start + row - stretch.start));
        }
        Ok(picked)
    }

    /// Replaces each code by its entry in `map`, perhaps [`NONE`], and each [`NONE`] by `none`.
    pub fn renumber(&mut self, map: &[Code], none: Code) -> Result<(), Error> {
        let new_code = |code| if code == NONE { none } else { map[code as usize] };
        let mut greatest = if none == NONE { 0 } else { none };
        pace::each(map, |&code| greatest = greatest.max(if code == NONE { 0 } else { code }))?;
        match self {
            Store::Memory(codes) => {
                while !codes.can_hold(greatest) {
                    check_memory::<u8>(2 * codes.width() * codes.len())?;
                    codes.widen();
                }
                for rows in pace::ranges(0..codes.len()) {
                    codes.rewrite(rows?, new_code);
                }
            }
            Store::Tape(taped) => {
                let mapped = match &taped.map {
                    None => pace::collect(map.iter().copied())?,
                    Some(before) => pace::collect(before.iter().map(|&code| new_code(code)))?,
                };
                taped.map = Some(Rc::new(mapped));
                // Without NULLs, no row has this code, and `map` may not have it.
                taped.null_code = map.get(taped.null_code as usize).copied().unwrap_or(none);
                taped.width = Codes::bytes_below(greatest as usize + 1);
            }
        }
        Ok(())
    }

    /// Writes a stretch of the codes into records, as [`Codes::write_into_records`] does.
    pub fn put(&self, rows: Range<usize>, records: &mut [u8], width: usize, at: usize) -> Result<(), Error> {
        let mut buffer = Codes::default();
        let (codes, run) = self.view(rows, &mut buffer)?;
        codes.write_into_records(run, records, width, at);
        Ok(())
    }
}
