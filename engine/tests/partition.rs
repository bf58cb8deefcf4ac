//! A partition by itself, with little that is carried along.

use topdown::partition::{Arms, Partition, Records, Tally};
use topdown::refine::TOP;
use topdown::table::Codes;
use topdown::{Pace, Reservation, Unobserved};

/// The refined column is carried along even where nothing of it will be counted again: what is
/// disclosed next is looked for in it.
#[test]
fn disclosures_follow_each_other() {
    let codes = [0, 1, 2, 0, 1, 0, 3, 1, 0, 2];
    let column = Codes::from_iter(codes);
    let memory = &mut Reservation::unobserved();
    let records = Records {
        columns: vec![&column],
        cardinalities: vec![4],
        masked: 1,
        rows: codes.len(),
        weights: None,
    };
    let mut partition = Partition::new(vec![0], vec![], &records, memory).unwrap();
    let pace = Pace::new(&Unobserved);
    let mut tally = Tally::new(4, vec![], memory).unwrap();
    let mut rows = |partition: &Partition, group| {
        partition.tally_all(group, &mut tally, &pace).unwrap();
        tally.records[0]
    };
    let mut left = codes.len() as u32;
    for value in [1, 0, 3] {
        let held = codes.iter().filter(|&&code| code == value).count() as u32;
        let arms = Arms::Disclose(value, value + 1);
        let groups = partition.refine(0, TOP, arms, &|_, _| false, memory, &pace).unwrap();
        left -= held;
        let found: Vec<(u32, u32)> =
            groups.iter().map(|&(group, _)| (partition.node(group, 0), rows(&partition, group))).collect();
        assert_eq!(found, [(TOP, left), (value + 1, held)]);
        assert!(groups.iter().all(|&(_, split)| split));
    }
    // Nobody else holds what is left: the group is not split.
    let groups = partition.refine(0, TOP, Arms::Disclose(2, 3), &|_, _| false, memory, &pace).unwrap();
    assert_eq!(groups, [(0, false)]);
    assert_eq!((partition.node(0, 0), rows(&partition, 0)), (3, 2));
}
