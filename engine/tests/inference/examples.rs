//! An example of each kind of inference from a release.

use super::attack::{infer, releases, Inferences};
use super::release::Shown::{self, Interval, Star};
use super::world::{Masking, Row, Unmasked, Way, World};
use topdown::taxonomy::Taxonomy;
use topdown::utility::Score;

fn world(columns: Vec<Masking>, (rows, k): (usize, u64), way: Way, beside: Unmasked) -> World {
    World { columns, beside, rows, k, score: Score::Tdr, way }
}

fn two_values() -> Masking {
    let edges = ["a", "b"].map(|leaf| (leaf, Some("any"))).into_iter().collect();
    Masking::Taxonomy(Taxonomy::from_edges(&edges).unwrap().unwrap())
}

fn numbers<const N: usize>(grid: [i64; N]) -> Masking {
    Masking::Intervals { grid: grid.into(), bounds: None }
}

/// Returns the number of tables with the release of this table, the distinct shown values of its groups, and the
/// inferences from it.
fn attack_one_release(world: &World, table: &[Row]) -> (usize, Vec<Vec<Shown>>, Inferences) {
    let release = world.release(table).expect("the models hold").release;
    let all = releases(world);
    let consistent = &all[&release];
    let mut nodes: Vec<Vec<Shown>> = release.groups.keys().map(|(nodes, _)| nodes.clone()).collect();
    nodes.dedup();
    (consistent.tables(), nodes, infer(world, &release, consistent))
}

/// If both rows under a node were equal, the search would have refined it. So at k = 2 there is one of each value.
#[test]
fn two_rows_that_are_not_alike() {
    for way in [Way::Global, Way::Local] {
        let (tables, _, told) =
            attack_one_release(&world(vec![two_values()], (2, 2), way, Unmasked::Nothing), &[0, 1]);
        assert_eq!(tables, 1);
        assert!(told.one && told.known && told.whole && told.differ, "{told:?}");
    }
}

/// At k = 3 both values occur as well, but neither is known to occur once.
#[test]
fn three_rows_that_are_not_alike() {
    for way in [Way::Global, Way::Local] {
        let (tables, _, told) =
            attack_one_release(&world(vec![two_values()], (3, 3), way, Unmasked::Nothing), &[0, 1, 1]);
        assert_eq!(tables, 2);
        assert!(!told.one && told.known && !told.whole && told.differ, "{told:?}");
    }
}

/// With few possible values, `*` can hold at most k - 1 rows of each. Here it is full, so all its rows are known.
#[test]
fn a_star_that_is_full() {
    for way in [Way::Global, Way::Local] {
        let world = world(vec![Masking::Suppression(4)], (9, 3), way, Unmasked::Nothing);
        let (tables, nodes, told) = attack_one_release(&world, &[0, 0, 1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(nodes, [[Shown::Value(2)], [Star]]);
        assert_eq!(tables, 1);
        assert!(told.whole && !told.one, "{told:?}");
    }
}

/// With local recoding k = 3 does not always help: the groups in which a value is disclosed may determine every row
/// that stays in `*`.
#[test]
fn disclosed_here_and_not_there() {
    let columns = vec![Masking::Suppression(2), Masking::Suppression(3)];
    let world = World { score: Score::Conditional, ..world(columns, (9, 3), Way::Local, Unmasked::Nothing) };
    let (tables, nodes, told) = attack_one_release(&world, &[0, 0, 0, 1, 1, 2, 2, 4, 5]);
    let [zero, one, two] = [0, 1, 2].map(Shown::Value);
    assert_eq!(nodes, [vec![zero.clone(), zero], vec![Star, one], vec![Star, two]]);
    assert_eq!(tables, 1);
    assert!(told.one && told.whole, "{told:?}");
}

/// The best split by class lies where the class changes, so the one row of another class in the right half is next to
/// it. A person with 63 can then have only three of the four rows. With valid splits the best one may not be valid.
#[test]
fn a_class_tells_where_it_was_split() {
    let table = [0, 0, 0, 0, 3, 4, 4, 4];
    for (way, below_k) in [(Way::Global, true), (Way::Valid, false)] {
        let world = world(vec![numbers([14, 35, 63])], (8, 4), way, Unmasked::Class);
        let (_, nodes, told) = attack_one_release(&world, &table);
        assert_eq!(nodes, [[Interval(None, Some(20))], [Interval(Some(20), None)]]);
        assert_eq!(told.below_k, below_k, "{told:?}");
    }
}

/// An end that is not round shows that no rounder number lies between its neighbors: an end of 37 means that 36 and 37
/// occur, for any k.
#[test]
fn an_end_that_is_not_round() {
    for way in [Way::Global, Way::Valid, Way::Local] {
        let world = world(vec![numbers([20, 36, 37, 55])], (8, 4), way, Unmasked::Nothing);
        let (_, nodes, told) = attack_one_release(&world, &[0, 0, 0, 1, 2, 3, 3, 3]);
        assert_eq!(nodes, [[Interval(None, Some(37))], [Interval(Some(37), None)]]);
        assert!(told.known && !told.one, "{told:?}");
    }
}

/// Withheld rows can be inferred from the ends that the search made for them, but not if the rest is searched again.
#[test]
fn ends_that_were_made_for_rows_that_are_gone() {
    for (way, value) in [(Way::Withheld, true), (Way::Again, false)] {
        let world = world(vec![numbers([14, 35, 38, 63])], (8, 4), way, Unmasked::Nothing);
        let (_, _, told) = attack_one_release(&world, &[1, 2, 2, 2, 2, 2, 2, 3]);
        assert_eq!(told.withheld_value, value, "{told:?}");
    }
}
