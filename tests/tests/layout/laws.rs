//! The laws of imports: none runs up or sideways, none comes back in a circle.

use super::imports::Import;
use super::tree::Tree;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Above all floors: it may import everything, and nothing may import it.
const LIB: &str = "lib.rs";

/// What is against the order of the floors, which come from the top down, of a house: all of src/, or one of its folders.
pub fn runs_up(tree: &Tree, imports: &[Import], house: &str, floors: &[&[&str]]) -> Vec<String> {
    fn room_of<'f>(file: &'f str, house: &str) -> Option<&'f str> {
        file.strip_prefix(house).map(room)
    }
    let room = |file| room_of(file, house);
    let floor = |room: &str| floors.iter().position(|rooms| rooms.contains(&room));
    let mut faults: Vec<String> = (tree.files.keys())
        .filter(|file| *file != LIB && room(file).is_some_and(|room| floor(room).is_none()))
        .map(|file| format!("{file} is in no room"))
        .collect();
    for import in imports.iter().filter(|import| import.from != LIB) {
        let Import { from, to, text } = import;
        let (Some(one), Some(other)) = (room(from), room(to)) else { continue };
        let way = match (floor(one), floor(other)) {
            _ if one == other => continue,
            _ if to == LIB => "up",
            (Some(a), Some(b)) if a > b => "up",
            (Some(a), Some(b)) if a == b => "sideways",
            _ => continue,
        };
        faults.push(format!("{from} -> {to} runs {way}: {text}"));
    }
    faults
}

/// The room that a file is in: its directory in the house, or the file that a room may be.
fn room(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// Whether a file belongs to the module that another one opens: what it takes from there is its own.
fn is_part_of(file: &str, module: &str) -> bool {
    let within = module.strip_suffix("/mod.rs").or(module.strip_suffix(".rs"));
    within.and_then(|within| file.strip_prefix(within)).is_some_and(|rest| rest.starts_with('/'))
}

/// The shortest circle of each file that is in one; a file that is in a circle already told is not told again.
pub fn circles(imports: &[Import]) -> Vec<String> {
    let mut next: BTreeMap<&str, Vec<&Import>> = BTreeMap::new();
    for import in imports.iter().filter(|import| !is_part_of(&import.from, &import.to)) {
        next.entry(&import.from).or_default().push(import);
    }
    let mut told = BTreeSet::new();
    let mut faults = Vec::new();
    for &start in next.keys() {
        if told.contains(start) {
            continue;
        }
        if let Some(circle) = way_back(&next, start) {
            told.extend(circle.iter().map(|import| import.from.as_str()));
            let steps = circle.iter().map(|import| format!(" -> {} ({})", import.to, import.text));
            faults.push(format!("{start}{}", steps.collect::<String>()));
        }
    }
    faults
}

/// The shortest way from a file back to it.
fn way_back<'i>(next: &BTreeMap<&str, Vec<&'i Import>>, start: &str) -> Option<Vec<&'i Import>> {
    let mut reached: BTreeMap<&str, &Import> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for import in next.get(file).into_iter().flatten() {
            if reached.contains_key(import.to.as_str()) {
                continue;
            }
            reached.insert(&import.to, import);
            queue.push_back(&import.to);
        }
    }
    let mut way = vec![*reached.get(start)?];
    while way[way.len() - 1].from != start {
        way.push(reached[way[way.len() - 1].from.as_str()]);
    }
    way.reverse();
    Some(way)
}
