//! Law: every function returns the same for a column on a tape as for the same column in memory.

use crate::tape::lay_on_tape;
use proptest::collection::vec;
use proptest::prelude::*;
use topdown::table::{compress, Codes, Store, NONE};
use topdown::Code;

/// Draws codes of one, two or four bytes, some of them [`NONE`].
fn codes() -> impl Strategy<Value = Vec<Code>> {
    let below = prop_oneof![Just(3 as Code), Just(255), Just(256), Just(65_535), Just(65_536), Just(100_000)];
    below.prop_flat_map(|below| vec(prop_oneof![9 => 0..below, 1 => Just(NONE)], 1..200))
}

fn all(codes: &Codes) -> Vec<Code> {
    (0..codes.len()).map(|place| codes.get(place)).collect()
}

fn same(memory: &Store, tape: &Store, start: usize, end: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!((memory.len(), tape.in_memory().is_none(), tape.memory_bytes()), (tape.len(), true, 0));
    let (start, end) = (start % memory.len(), end % (memory.len() + 1));
    let run = start.min(end)..end.max(start);
    let (mut one, mut other) = (Vec::new(), Vec::new());
    prop_assert_eq!(
        memory.fetch(run.clone(), &mut one).unwrap(),
        tape.fetch(run.clone(), &mut other).unwrap()
    );
    let (mut one, mut other) = (Codes::default(), Codes::default());
    let (one, at) = memory.view(run.clone(), &mut one).unwrap();
    let one: Vec<Code> = at.map(|place| one.get(place)).collect();
    let (other, at) = tape.view(run.clone(), &mut other).unwrap();
    let other: Vec<Code> = at.map(|place| other.get(place)).collect();
    prop_assert_eq!(one, other);
    prop_assert_eq!(all(&memory.load().unwrap()), all(&tape.load().unwrap()));
    let picked = |store: &Store| all(&store.pick(run.clone().step_by(3)).unwrap());
    prop_assert_eq!(picked(memory), picked(tape));
    // Puts codes into records of six bytes, between other bytes.
    let (mut one, mut other) = (vec![7; run.len() * 6], vec![7; run.len() * 6]);
    memory.put(run.clone(), &mut one, 6, 1).unwrap();
    tape.put(run.clone(), &mut other, 6, 1).unwrap();
    let read = |store: &Store, records: &[u8]| -> Vec<Code> {
        records.chunks(6).map(|record| Codes::read_from_record(record, 1, store.width())).collect()
    };
    prop_assert_eq!(read(memory, &one), read(tape, &other));
    Ok(())
}

proptest! {
    #[test]
    fn on_a_tape_as_in_memory(codes in codes(), stretch in 1..50usize, start: usize, end: usize, shift in 0..7u32) {
        let (mut memory, mut tape) = (Store::from(codes.clone()), lay_on_tape(&codes, stretch));
        same(&memory, &tape, start, end)?;
        // Renumbers twice. The first time NONE becomes a value.
        let most = codes.iter().filter(|&&code| code != NONE).max().map_or(0, |&code| code + 1);
        let reversed: Vec<Code> = (0..most).map(|code| most - 1 - code).collect();
        let shifted: Vec<Code> = (0..=most).map(|code| code << shift).collect();
        for (map, none) in [(reversed, most), (shifted, NONE)] {
            memory.renumber(&map, none).unwrap();
            tape.renumber(&map, none).unwrap();
            same(&memory, &tape, start, end)?;
        }
        let expected = |code: Code| if code == NONE { most << shift } else { (most - 1 - code) << shift };
        let expected: Vec<Code> = codes.iter().map(|&code| expected(code)).collect();
        let mut buffer = Vec::new();
        prop_assert_eq!(tape.fetch(0..codes.len(), &mut buffer).unwrap(), &expected[..]);
    }

    #[test]
    fn folded_as_in_memory(rows in vec((0..3u32, 0..400u32), 1..300), stretch in 1..50usize) {
        let columns: [Vec<Code>; 2] = [rows.iter().map(|row| row.0).collect(), rows.iter().map(|row| row.1).collect()];
        let folded = |columns: [Store; 2]| {
            let columns = [&columns[0], &columns[1]];
            let folded = compress(&columns, &[3, 400], rows.len(), None).unwrap();
            (folded.columns.iter().map(all).collect::<Vec<_>>(), folded.weights, folded.ids)
        };
        let memory = columns.clone().map(Store::from);
        prop_assert_eq!(folded(memory), folded(columns.map(|codes| lay_on_tape(&codes, stretch))));
    }
}
