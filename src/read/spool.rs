//! The codes of the rows that have come so far, a column at a time: in memory while they take no more than a quarter
//! of the budget, and from then on in a temporary file, into which those in memory are written whenever they take
//! that much again.

use crate::postgres::progress::stretches;
use crate::postgres::settings;
use crate::postgres::temporary::Temporary;
use std::rc::Rc;
use topdown::table::{Codes, Store, TapeColumn};

/// Codes that come a row at a time.
pub struct Spool {
    /// Those in memory.
    pub columns: Vec<Codes>,
    /// Those before them, if any were written, and where.
    laid: Option<(Rc<Temporary>, Vec<TapeColumn>)>,
    /// How many bytes they may take in memory.
    share: usize,
}

impl Spool {
    /// Of no rows yet.
    pub fn new(columns: usize) -> Spool {
        Spool { columns: vec![Codes::default(); columns], laid: None, share: settings::max_memory() / SHARE }
    }

    /// How many more bytes they take with room for some more rows: writes them out where they take too much.
    pub fn room(&mut self, rows: usize) -> usize {
        let growing = |columns: &[Codes]| columns.iter().map(|codes| growth(codes, rows)).sum();
        let held: usize = self.columns.iter().map(held).sum();
        let more: usize = growing(&self.columns);
        if held + more <= self.share || self.columns.iter().all(Codes::is_empty) {
            return more;
        }
        self.write();
        growing(&self.columns)
    }

    /// Makes that room.
    pub fn grow(&mut self, rows: usize) {
        for codes in &mut self.columns {
            if growth(codes, rows) > 0 {
                codes.reserve_exact(codes.len().max(rows));
            }
        }
    }

    /// Writes the codes in memory out.
    fn write(&mut self) {
        let (file, laid) = self.laid.get_or_insert_with(|| {
            let file = Rc::new(Temporary::new());
            let laid = vec![TapeColumn::new(file.clone()); self.columns.len()];
            (file, laid)
        });
        let mut bytes = Vec::new();
        for (codes, laid) in self.columns.iter_mut().zip(laid) {
            let mut first = None;
            for rows in stretches(codes.len()) {
                bytes.resize(rows.len() * codes.width(), 0);
                codes.write_into_records(rows, &mut bytes, codes.width(), 0);
                let at = file.append(&bytes);
                first.get_or_insert(at);
            }
            if let Some(at) = first {
                laid.add(codes, at);
            }
            codes.clear();
        }
    }

    /// All of them, in memory or in the file.
    pub fn finish(mut self) -> Vec<Store> {
        if self.laid.is_some() {
            self.write();
        }
        match self.laid {
            None => self.columns.into_iter().map(Store::Memory).collect(),
            Some((_, laid)) => laid.into_iter().map(Store::Tape).collect(),
        }
    }
}

/// The part of the budget that is for the codes of what is read: the search has copies of some of them, and
/// as much again of its own.
const SHARE: usize = 4;

/// How many bytes codes take.
fn held(codes: &Codes) -> usize {
    codes.capacity() * codes.width()
}

/// How many more, where there is no room for some rows.
fn growth(codes: &Codes, rows: usize) -> usize {
    if codes.len() + rows > codes.capacity() {
        codes.len().max(rows) * codes.width()
    } else {
        0
    }
}
