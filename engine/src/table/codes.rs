//! A column of codes, each in as few bytes as the column needs.
//!
//! Most columns have less than 255 values. With one byte per row, a quarter of the bytes is read, moved and kept. Loops
//! over whole columns are written once for all widths ([`each_width`]), or fetch stretches of codes into a buffer in
//! the processor's cache ([`Codes::fetch`]). The greatest number of each width stands for [`NONE`].

use crate::progress::with_capacity;
use crate::{pace, Code, Error};
use std::ops::Range;

/// Code of no value. A change of width keeps it.
pub const NONE: Code = Code::MAX;

/// Column of codes.
#[derive(Debug, Clone)]
pub enum Codes {
    /// Codes below 255.
    One(Vec<u8>),
    /// Codes below 65,535.
    Two(Vec<u16>),
    /// All codes.
    Four(Vec<u32>),
}

/// Scratch arrays for a stretch of codes of each width.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    one: Vec<u8>,
    two: Vec<u16>,
    four: Vec<u32>,
}

/// Type that stores a code.
pub(crate) trait Width: Copy + Default {
    /// Converts a code that fits.
    fn from_code(code: Code) -> Self;
    /// Converts back to the code.
    fn to_code(self) -> Code;
    /// Converts back to a code that is not [`NONE`].
    fn index(self) -> usize;
    /// Writes the code to the first bytes, little-endian.
    fn write(self, bytes: &mut [u8]);
    /// Returns the scratch array of this width.
    fn spare(spare: &mut Spare) -> &mut Vec<Self>;
}

macro_rules! width {
    ($width:ty, $spare:ident) => {
        impl Width for $width {
            #[inline(always)]
            fn from_code(code: Code) -> Self {
                code as $width
            }
            #[inline(always)]
            fn to_code(self) -> Code {
                if self == <$width>::MAX {
                    NONE
                } else {
                    self.into()
                }
            }
            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }
            #[inline(always)]
            fn write(self, bytes: &mut [u8]) {
                bytes[..size_of::<$width>()].copy_from_slice(&self.to_le_bytes());
            }
            fn spare(spare: &mut Spare) -> &mut Vec<Self> {
                &mut spare.$spare
            }
        }
    };
}
width!(u8, one);
width!(u16, two);
width!(u32, four);

/// Runs `work` on the codes, whatever their width.
macro_rules! each_width {
    ($codes:expr, $column:ident => $work:expr) => {
        match $codes {
            $crate::table::Codes::One($column) => $work,
            $crate::table::Codes::Two($column) => $work,
            $crate::table::Codes::Four($column) => $work,
        }
    };
}
pub(crate) use each_width;

impl Default for Codes {
    fn default() -> Codes {
        Codes::One(Vec::new())
    }
}

impl Codes {
    /// Makes an empty column for codes below `cardinality`, with room for `room` codes.
    pub fn with_cardinality(cardinality: usize, room: usize) -> Result<Codes, Error> {
        Codes::with_width(Codes::bytes_below(cardinality), room)
    }

    /// Returns the number of bytes of a code below `cardinality`.
    pub fn bytes_below(cardinality: usize) -> usize {
        match cardinality {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        }
    }

    /// Makes an empty column for codes of `width` bytes, with room for `room` codes.
    pub(super) fn with_width(width: usize, room: usize) -> Result<Codes, Error> {
        Ok(match width {
            1 => Codes::One(with_capacity(room)?),
            2 => Codes::Two(with_capacity(room)?),
            _ => Codes::Four(with_capacity(room)?),
        })
    }

    /// Returns the number of bytes per code.
    pub fn width(&self) -> usize {
        match self {
            Codes::One(_) => 1,
            Codes::Two(_) => 2,
            Codes::Four(_) => 4,
        }
    }

    /// Returns the number of codes.
    pub fn len(&self) -> usize {
        each_width!(self, codes => codes.len())
    }

    /// Returns whether the column has no codes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of codes that fit without allocation.
    pub fn capacity(&self) -> usize {
        each_width!(self, codes => codes.capacity())
    }

    /// Removes all codes, and keeps the memory.
    pub fn clear(&mut self) {
        each_width!(self, codes => codes.clear());
    }

    /// Makes room for `more` codes, and no others.
    pub fn reserve_exact(&mut self, more: usize) {
        each_width!(self, codes => codes.reserve_exact(more));
    }

    /// Returns the code at a place.
    #[inline]
    pub fn get(&self, place: usize) -> Code {
        each_width!(self, codes => codes[place].to_code())
    }

    /// Returns whether a code fits without widening.
    #[inline(always)]
    pub fn can_hold(&self, code: Code) -> bool {
        match self {
            Codes::One(_) => code < u8::MAX.into() || code == NONE,
            Codes::Two(_) => code < u16::MAX.into() || code == NONE,
            Codes::Four(_) => true,
        }
    }

    /// Appends a code, which must fit.
    #[inline(always)]
    pub fn push(&mut self, code: Code) {
        debug_assert!(self.can_hold(code));
        each_width!(self, codes => codes.push(Width::from_code(code)));
    }

    /// Appends codes, all of which must fit.
    pub fn extend(&mut self, all: &[Code]) {
        fn extend<T: Width>(codes: &mut Vec<T>, all: &[Code]) {
            codes.extend(all.iter().map(|&code| T::from_code(code)));
        }
        each_width!(self, codes => extend(codes, all));
    }

    /// Appends the codes at some places of a column of the same width.
    pub(super) fn pick(&mut self, codes: &Codes, places: impl Iterator<Item = usize>) {
        match (self, codes) {
            (Codes::One(picked), Codes::One(codes)) => places.for_each(|place| picked.push(codes[place])),
            (Codes::Two(picked), Codes::Two(codes)) => places.for_each(|place| picked.push(codes[place])),
            (Codes::Four(picked), Codes::Four(codes)) => places.for_each(|place| picked.push(codes[place])),
            (picked, codes) => places.for_each(|place| picked.push(codes.get(place))),
        }
    }

    /// Keeps the codes whose entry in `stay` is true.
    pub fn retain_marked(&mut self, stay: &[bool]) -> Result<(), Error> {
        let mut kept = 0;
        for run in pace::ranges(0..stay.len()) {
            let run = run?;
            each_width!(self, codes => {
                for place in run {
                    codes[kept] = codes[place];
                    kept += usize::from(stay[place]);
                }
            });
        }
        each_width!(self, codes => {
            codes.truncate(kept);
            codes.shrink_to_fit();
        });
        Ok(())
    }

    /// Doubles the width of the codes, up to four bytes.
    pub fn widen(&mut self) {
        *self = match std::mem::take(self) {
            Codes::One(codes) => Codes::Two(wider(codes)),
            Codes::Two(codes) => Codes::Four(wider(codes)),
            codes => codes,
        };
    }

    /// Copies the column.
    pub fn copy(&self) -> Result<Codes, Error> {
        Ok(match self {
            Codes::One(codes) => Codes::One(pace::collect(codes.iter().copied())?),
            Codes::Two(codes) => Codes::Two(pace::collect(codes.iter().copied())?),
            Codes::Four(codes) => Codes::Four(pace::collect(codes.iter().copied())?),
        })
    }

    /// Rewrites a stretch of the codes by `with`, whose results must fit.
    pub fn rewrite(&mut self, run: Range<usize>, with: impl Fn(Code) -> Code) {
        each_width!(self, codes => {
            codes[run].iter_mut().for_each(|code| *code = Width::from_code(with(code.to_code())));
        });
    }

    /// Writes a stretch of the codes into records of `width` bytes, at byte `at` of each, little-endian.
    pub fn write_into_records(&self, run: Range<usize>, records: &mut [u8], width: usize, at: usize) {
        each_width!(self, codes => {
            for (record, code) in records.chunks_exact_mut(width).zip(&codes[run]) {
                code.write(&mut record[at..]);
            }
        });
    }

    /// Reads a code of `bytes` bytes that [`Codes::write_into_records`] wrote at byte `at`. A code of no bytes is
    /// [`NONE`].
    #[inline(always)]
    pub fn read_from_record(record: &[u8], at: usize, bytes: usize) -> Code {
        match bytes {
            0 => NONE,
            1 => record[at].to_code(),
            2 => u16::from_le_bytes([record[at], record[at + 1]]).to_code(),
            _ => u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]),
        }
    }

    /// Returns the sum of the codes.
    pub fn sum(&self) -> Result<usize, Error> {
        let mut sum = 0;
        pace::each(0..self.len(), |place| sum += self.get(place) as usize)?;
        Ok(sum)
    }

    /// Copies a stretch of the codes into a buffer.
    pub fn fetch<'b>(&self, run: Range<usize>, buffer: &'b mut Vec<Code>) -> &'b [Code] {
        buffer.clear();
        each_width!(self, codes => buffer.extend(codes[run].iter().map(|code| code.to_code())));
        buffer
    }
}

/// Converts codes to another width, with the same capacity.
fn wider<A: Width, B: Width>(codes: Vec<A>) -> Vec<B> {
    let mut wider = Vec::with_capacity(codes.capacity());
    wider.extend(codes.into_iter().map(|code| B::from_code(code.to_code())));
    wider
}

impl From<Vec<Code>> for Codes {
    fn from(codes: Vec<Code>) -> Codes {
        let most = codes.iter().filter(|&&code| code != NONE).max().map_or(0, |&code| code as usize + 1);
        match Codes::bytes_below(most) {
            1 => Codes::One(codes.into_iter().map(Width::from_code).collect()),
            2 => Codes::Two(codes.into_iter().map(Width::from_code).collect()),
            _ => Codes::Four(codes),
        }
    }
}

impl FromIterator<Code> for Codes {
    fn from_iter<I: IntoIterator<Item = Code>>(codes: I) -> Codes {
        codes.into_iter().collect::<Vec<Code>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_and_wide() {
        for most in [0, 1, 253, 254, 255, 256, 65_533, 65_534, 65_535, 65_536, NONE - 1] {
            let all = vec![0, most, NONE, most / 2];
            let codes = Codes::from(all.clone());
            assert_eq!(codes.len(), 4);
            let width = match most {
                0..255 => 1,
                255..65_535 => 2,
                _ => 4,
            };
            assert_eq!(codes.width(), width, "{most}");
            assert_eq!((0..4).map(|place| codes.get(place)).collect::<Vec<Code>>(), all);
            assert_eq!(codes.fetch(1..4, &mut Vec::new()), &all[1..]);
            let mut wider = Codes::with_width(codes.width(), 3).unwrap();
            [most / 2, most, NONE].into_iter().for_each(|code| wider.push(code));
            wider.widen();
            assert_eq!(wider.fetch(0..3, &mut Vec::new()), &[most / 2, most, NONE]);
            assert!(wider.width() == 4 || wider.width() == 2 * codes.width());
        }
    }

    #[test]
    fn some_are_kept() {
        for most in [3, 300, 70_000] {
            let all: Vec<Code> =
                (0..40_000).map(|place| if place % 7 == 0 { NONE } else { place % 3 * most / 3 }).collect();
            let stay: Vec<bool> = (0..all.len()).map(|place| place % 5 != 0).collect();
            let mut codes = Codes::from(all.clone());
            let width = codes.width();
            codes.retain_marked(&stay).unwrap();
            let kept: Vec<Code> =
                all.iter().zip(&stay).filter(|(_, stay)| **stay).map(|(&code, _)| code).collect();
            assert_eq!((codes.fetch(0..codes.len(), &mut Vec::new()), codes.width()), (&kept[..], width));
            codes.retain_marked(&vec![false; kept.len()]).unwrap();
            assert!(codes.is_empty());
        }
    }

    #[test]
    fn codes_that_fit() {
        let mut codes = Codes::default();
        assert!(codes.can_hold(254) && codes.can_hold(NONE) && !codes.can_hold(255));
        codes.push(254);
        codes.widen();
        assert!(codes.can_hold(65_534) && codes.can_hold(NONE) && !codes.can_hold(65_535));
        codes.widen();
        codes.push(NONE - 1);
        assert_eq!((codes.get(0), codes.get(1), codes.len()), (254, NONE - 1, 2));
        assert_eq!([255, 256, 65_535, 65_536].map(Codes::bytes_below), [1, 2, 2, 4]);
    }
}
