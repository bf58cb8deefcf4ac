//! A tape for tests: bytes in memory.

#![allow(dead_code)] // each test binary uses a part of it

use std::rc::Rc;
use topdown::table::{Codes, Store, Tape, TapeColumn};
use topdown::{Code, Error};

#[derive(Debug)]
struct Bytes(Vec<u8>);

impl Tape for Bytes {
    fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), Error> {
        bytes.copy_from_slice(&self.0[at as usize..][..bytes.len()]);
        Ok(())
    }
}

/// Lays codes on a tape in runs of `stretch` rows, each in the least bytes a code and after a foreign byte.
pub fn lay_on_tape(codes: &[Code], stretch: usize) -> Store {
    let mut bytes = Vec::new();
    let runs: Vec<(Codes, u64)> = (codes.chunks(stretch.max(1)))
        .map(|run| {
            let run = Codes::from(run.to_vec());
            bytes.push(0x5a);
            let at = bytes.len();
            bytes.resize(at + run.len() * run.width(), 0);
            run.write_into_records(0..run.len(), &mut bytes[at..], run.width(), 0);
            (run, at as u64)
        })
        .collect();
    let mut taped = TapeColumn::new(Rc::new(Bytes(bytes)));
    runs.iter().for_each(|(run, at)| taped.add(run, *at));
    Store::Tape(taped)
}

pub fn on_tape(column: &Store, stretch: usize) -> Store {
    lay_on_tape(column.fetch(0..column.len(), &mut Vec::new()).unwrap(), stretch)
}
