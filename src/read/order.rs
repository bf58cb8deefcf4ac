//! Codes in the order of their values. The scan numbers values as they come; what is masked by intervals,
//! counted by a model or predicted is wanted in value order.

use super::table::Column;
use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::progress::{polled, polling, stretches};
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use topdown::progress::check_memory;
use topdown::table::{Codes, Store};
use topdown::Code;

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
    order.sort_by(polling(|&a: &Code, &b: &Code| {
        let (a, b) = (values[a as usize], values[b as usize]);
        compare(a, b).then_with(|| ty.text(a).cmp(&ty.text(b)))
    }));
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

/// What values are called whose leaves are none of some texts and that are equal to one of these, by code: of several the first.
pub fn called(column: &Column, leaf: impl Fn(String) -> String, texts: &[String]) -> HashMap<Code, String> {
    let known: HashSet<&str> = polled(texts).map(String::as_str).collect();
    let ty = column.ty;
    let others =
        polled(column.datums()).zip(0..).filter(|(value, _)| !known.contains(leaf(ty.text(*value)).as_str()));
    let (mut values, codes): (Vec<Datum>, Vec<Code>) = others.unzip();
    let Some(compare) = ty.comparator().filter(|_| !values.is_empty()) else { return HashMap::new() };
    // Of a taxonomy a leaf may be no value at all.
    let read: Vec<(Datum, &String)> = match ty.parse_all(texts.iter().map(String::as_str)) {
        Ok(values) => values.into_iter().zip(texts).collect(),
        Err(_) => polled(texts).filter_map(|text| Some((ty.parse(text).ok()?, text))).collect(),
    };
    values.extend(read.iter().map(|(value, _)| *value));
    let (distinct, mut ranks) = ranked(ty, &values, compare);
    let of_read = ranks.split_off(codes.len());
    let mut first: Vec<Option<&String>> = vec![None; distinct.len()];
    for (&rank, (_, text)) in polled(of_read.iter().zip(&read)) {
        let first = &mut first[rank as usize];
        *first = Some(first.map_or(*text, |first| first.min(text)));
    }
    let text = |(code, &rank): (Code, &Code)| Some((code, first[rank as usize]?.clone()));
    polled(codes.into_iter().zip(&ranks)).filter_map(text).collect()
}

/// A column that is counted as it is, the class or a sensitive one: equal values share a code,
/// codes are in value order and NULL is the last.
pub struct Counted {
    /// The values' type.
    pub ty: Type,
    /// Each record's code.
    pub codes: Store,
    /// The distinct values.
    pub values: Vec<Datum>,
    /// How many codes there are, NULL's included.
    pub cardinality: usize,
}

impl Counted {
    /// Puts a copy of a column's codes in value order.
    pub fn new(column: &Column) -> Result<Counted> {
        let bytes = column.codes.memory_bytes() + column.distinct() * size_of::<Datum>();
        check_memory::<u8>(bytes)?;
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
        codes.renumber(&ranks, values.len() as Code)?;
        let cardinality = values.len() + usize::from(column.nulls);
        Ok(Counted { ty, codes, values, cardinality })
    }

    /// The code of NULL, where some row holds it.
    pub fn null(&self) -> Option<Code> {
        (self.cardinality > self.values.len()).then_some(self.values.len() as Code)
    }

    /// How many rows hold each code, where records stand for some.
    pub fn histogram(&self, weights: Option<&Codes>) -> Result<Vec<u64>> {
        histogram(&self.codes, weights, self.cardinality)
    }
}

/// How many rows hold each code; `weights` says for how many each record stands (none: one each).
pub fn histogram(codes: &Store, weights: Option<&Codes>, cardinality: usize) -> Result<Vec<u64>> {
    let (mut counts, mut buffer) = (vec![0; cardinality], Vec::new());
    for rows in stretches(codes.len()) {
        let codes = codes.fetch(rows.clone(), &mut buffer)?;
        match weights {
            None => codes.iter().for_each(|&code| counts[code as usize] += 1),
            Some(weights) => rows
                .zip(codes)
                .for_each(|(record, &code)| counts[code as usize] += u64::from(weights.get(record))),
        }
    }
    Ok(counts)
}

/// A column's codes without gaps, NULL the last, and how many there are. Equal values share one: of most types
/// these are the same bytes, and need no order.
pub fn told_apart(column: &mut Column) -> Result<(Store, usize)> {
    if !column.ty.is_equal_by_bytes() {
        let Counted { codes, cardinality, .. } = Counted::new(column)?;
        check_memory::<u8>(codes.memory_bytes())?;
        return Ok((codes, cardinality));
    }
    let distinct = column.distinct();
    let mut codes = std::mem::take(&mut column.codes);
    let same: Vec<Code> = (0..distinct as Code).collect();
    codes.renumber(&same, distinct as Code)?;
    Ok((codes, distinct + usize::from(column.nulls)))
}
