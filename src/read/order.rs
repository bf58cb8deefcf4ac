//! Codes in the order of their values. The scan numbers values as they come; what is masked by intervals,
//! counted by a model or predicted is wanted in value order.

use super::scan::{keep, Column, NULL};
use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::progress::{poll, polled, Ticker};
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use std::ops::Range;
use topdown::progress::Reservation;
use topdown::table::{Codes, NONE};
use topdown::{Code, Progress};

/// Rewrites codes by a map; NULL becomes `null`, and what has no place [`NONE`]. What more they take is held under `held`.
pub fn recode(codes: &mut Codes, map: &[Code], null: Code, held: &mut Reservation) -> Result<()> {
    let greatest = map.iter().copied().filter(|&code| code != NONE).fold(null, Code::max);
    while !codes.takes(greatest) {
        held.grow(2 * codes.width() * codes.len())?;
        codes.widen();
    }
    for rows in stretches(codes.len()) {
        codes.rewrite(rows, |code| if code == NULL { null } else { map[code as usize] });
    }
    Ok(())
}

/// The rows of a column, some at a time; between them is polled.
pub fn stretches(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(STRETCH).inspect(|_| poll()).map(move |first| first..rows.min(first + STRETCH))
}

/// How many rows are gone through between two polls.
const STRETCH: usize = 1 << 14;

/// The codes in the order of their values; where the type has none, as they are.
pub fn in_order(ty: Type, values: &[Datum]) -> Vec<Code> {
    match ty.comparator() {
        Some(compare) => sorted(ty, values, compare),
        None => (0..values.len() as Code).collect(),
    }
}

/// The codes in an order of their values, equal ones by their texts.
fn sorted(ty: Type, values: &[Datum], compare: impl Fn(Datum, Datum) -> Ordering) -> Vec<Code> {
    let mut order: Vec<Code> = (0..values.len() as Code).collect();
    let ticker = Ticker::default();
    order.sort_by(|&a, &b| {
        ticker.tick(1);
        let (a, b) = (values[a as usize], values[b as usize]);
        compare(a, b).then_with(|| ty.text(a).cmp(&ty.text(b)))
    });
    order
}

/// The distinct values in the type's order, and each code's rank. Equal values share a rank and are
/// shown as the one whose text comes first, wherever the rows lie.
pub fn ranked(
    ty: Type,
    values: &[Datum],
    compare: impl Fn(Datum, Datum) -> Ordering,
) -> (Vec<Datum>, Vec<Code>) {
    let order = sorted(ty, values, &compare);
    let mut distinct: Vec<Datum> = Vec::with_capacity(values.len());
    let mut ranks = vec![0; values.len()];
    for code in polled(order) {
        let value = values[code as usize];
        if distinct.last().is_none_or(|&last| compare(last, value) != Ordering::Equal) {
            distinct.push(value);
        }
        ranks[code as usize] = distinct.len() as Code - 1;
    }
    (distinct, ranks)
}

/// A column that is counted as it is, the class or a sensitive one: equal values share a code,
/// codes are in value order and NULL is the last.
pub struct Counted<'w> {
    /// The values' type.
    pub ty: Type,
    /// Each row's code.
    pub codes: Codes,
    /// The distinct values.
    pub values: Vec<Datum>,
    /// How many codes there are, NULL's included.
    pub cardinality: usize,
    /// The memory of all that.
    _held: Reservation<'w>,
}

impl<'w> Counted<'w> {
    /// Puts a copy of a column's codes in value order.
    pub fn new(column: &Column, watch: &'w dyn Progress) -> Result<Counted<'w>> {
        let bytes = column.codes.len() * column.codes.width() + column.distinct() * size_of::<Datum>();
        let mut held = Reservation::new(watch, bytes)?;
        let (ty, all) = (column.ty, column.datums());
        let (values, ranks) = match ty.comparator() {
            Some(compare) => ranked(ty, &all, compare),
            // Without an order it is the text that tells values apart, as in the recount.
            None => {
                let (mut values, mut codes) = (Vec::new(), HashMap::new());
                let code = |&value: &Datum| {
                    *codes.entry(ty.text(value)).or_insert_with(|| {
                        values.push(value);
                        values.len() as Code - 1
                    })
                };
                let ranks = polled(&all).map(code).collect();
                (values, ranks)
            }
        };
        let mut codes = column.codes.clone();
        recode(&mut codes, &ranks, values.len() as Code, &mut held)?;
        let cardinality = values.len() + usize::from(column.nulls);
        Ok(Counted { ty, codes, values, cardinality, _held: held })
    }

    /// The code of NULL, where some row holds it.
    pub fn null(&self) -> Option<Code> {
        (self.cardinality > self.values.len()).then_some(self.values.len() as Code)
    }

    /// Keeps some rows.
    pub fn keep(&mut self, stay: &[bool]) -> Result<()> {
        self._held.grow(self.codes.len() * self.codes.width())?;
        keep(&mut self.codes, stay);
        Ok(())
    }

    /// How many rows hold each code.
    pub fn histogram(&self) -> Vec<u64> {
        histogram(&self.codes, self.cardinality)
    }
}

/// How many rows hold each code.
pub fn histogram(codes: &Codes, cardinality: usize) -> Vec<u64> {
    let (mut counts, mut buffer) = (vec![0; cardinality], Vec::new());
    for rows in stretches(codes.len()) {
        codes.fetch(rows, &mut buffer).iter().for_each(|&code| counts[code as usize] += 1);
    }
    counts
}
