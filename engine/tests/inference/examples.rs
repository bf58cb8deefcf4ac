//! What can be told from a release, an example for each way.

use super::attack::{releases, told, Told};
use super::release::Shown::{self, Interval, Star};
use super::world::{Beside, Masking, Row, Way, World};
use topdown::taxonomy::Taxonomy;
use topdown::utility::Score;

fn world(columns: Vec<Masking>, (rows, k): (usize, u64), way: Way, beside: Beside) -> World {
    World { columns, beside, rows, k, score: Score::Tdr, way }
}

/// Two values under one node.
fn two_values() -> Masking {
    let edges = ["a", "b"].map(|leaf| (leaf, Some("any"))).into_iter().collect();
    Masking::Taxonomy(Taxonomy::from_edges(&edges).unwrap().unwrap())
}

fn numbers<const N: usize>(grid: [i64; N]) -> Masking {
    Masking::Intervals { grid: grid.into(), bounds: None }
}

/// How many tables give the release of this one, what is shown of its rows, each way once, and what it tells.
fn attacked(world: &World, table: &[Row]) -> (usize, Vec<Vec<Shown>>, Told) {
    let release = world.release(table).expect("the models hold").release;
    let all = releases(world);
    let consistent = &all[&release];
    let mut nodes: Vec<Vec<Shown>> = release.groups.keys().map(|(nodes, _)| nodes.clone()).collect();
    nodes.dedup();
    (consistent.tables(), nodes, told(world, &release, consistent))
}

/// Had two rows under a node been alike, the node would have been refined: at k = 2 there is one of each.
#[test]
fn two_rows_that_are_not_alike() {
    for way in [Way::Global, Way::Local] {
        let (tables, _, told) = attacked(&world(vec![two_values()], (2, 2), way, Beside::Nothing), &[0, 1]);
        assert_eq!(tables, 1);
        assert!(told.one && told.known && told.whole && told.differ, "{told:?}");
    }
}

/// At k = 3 both values are there as well, but not one of either for certain.
#[test]
fn three_rows_that_are_not_alike() {
    for way in [Way::Global, Way::Local] {
        let (tables, _, told) =
            attacked(&world(vec![two_values()], (3, 3), way, Beside::Nothing), &[0, 1, 1]);
        assert_eq!(tables, 2);
        assert!(!told.one && told.known && !told.whole && told.differ, "{told:?}");
    }
}

/// Where few values are possible, `*` can hold no more than k - 1 rows of each: here it is full.
#[test]
fn a_star_that_is_full() {
    for way in [Way::Global, Way::Local] {
        let world = world(vec![Masking::Suppression(4)], (9, 3), way, Beside::Nothing);
        let (tables, nodes, told) = attacked(&world, &[0, 0, 1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(nodes, [[Shown::Value(2)], [Star]]);
        assert_eq!(tables, 1);
        assert!(told.whole && !told.one, "{told:?}");
    }
}

/// Nor does k = 3 always help where rows are released a group at a time: which value was disclosed in which groups tells what
/// stays in `*`, to the row.
#[test]
fn disclosed_here_and_not_there() {
    let columns = vec![Masking::Suppression(2), Masking::Suppression(3)];
    let world = World { score: Score::Conditional, ..world(columns, (9, 3), Way::Local, Beside::Nothing) };
    let (tables, nodes, told) = attacked(&world, &[0, 0, 0, 1, 1, 2, 2, 4, 5]);
    let [zero, one, two] = [0, 1, 2].map(Shown::Value);
    assert_eq!(nodes, [vec![zero.clone(), zero], vec![Star, one], vec![Star, two]]);
    assert_eq!(tables, 1);
    assert!(told.one && told.whole, "{told:?}");
}

/// The best split by the class lies where the class changes: the one row of another class in the right half is next to it. So of
/// four rows somebody of 63 can be but three. Where the best of the valid splits is taken, it may have been another.
#[test]
fn a_class_tells_where_it_was_split() {
    let table = [0, 0, 0, 0, 3, 4, 4, 4];
    for (way, below_k) in [(Way::Global, true), (Way::Valid, false)] {
        let world = world(vec![numbers([14, 35, 63])], (8, 4), way, Beside::Class);
        let (_, nodes, told) = attacked(&world, &table);
        assert_eq!(nodes, [[Interval(None, Some(20))], [Interval(Some(20), None)]]);
        assert_eq!(told.below_k, below_k, "{told:?}");
    }
}

/// An end that is not round tells that no rounder number lies between the neighbours: 37 is the end between 36 and 37, whatever k.
#[test]
fn an_end_that_is_not_round() {
    for way in [Way::Global, Way::Valid, Way::Local] {
        let world = world(vec![numbers([20, 36, 37, 55])], (8, 4), way, Beside::Nothing);
        let (_, nodes, told) = attacked(&world, &[0, 0, 0, 1, 2, 3, 3, 3]);
        assert_eq!(nodes, [[Interval(None, Some(37))], [Interval(Some(37), None)]]);
        assert!(told.known && !told.one, "{told:?}");
    }
}

/// What is withheld shows in the ends that were made because of it; not where the rest is searched again.
#[test]
fn ends_that_were_made_for_rows_that_are_gone() {
    for (way, value) in [(Way::Withheld, true), (Way::Again, false)] {
        let world = world(vec![numbers([14, 35, 38, 63])], (8, 4), way, Beside::Nothing);
        let (_, _, told) = attacked(&world, &[1, 2, 2, 2, 2, 2, 2, 3]);
        assert_eq!(told.withheld_value, value, "{told:?}");
    }
}
