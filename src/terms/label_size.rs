//! Whether what a release keeps of its columns' labels fits: a version keeps the tree of a column in one row, each node with the label
//! above it, and a step names what became of its node in one row, and no row of PostgreSQL's may be larger than 1 GB before parts of it are stored elsewhere. That
//! can be told before a search, and no sooner: as soon as there are labels. (Ends of intervals are made by the search.)

use super::labels::Labels;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use pgrx::pg_sys;

/// The most that PostgreSQL allocates, and so forms a row in: MaxAllocSize.
const ROW: usize = 0x3fff_ffff;

/// What an element of an array takes beside its text, at most.
const ELEMENT: usize = 8;

/// A label among the children of a step, which are written as an array in a text: quoted.
fn quoted(label: &str) -> usize {
    label.len() + label.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count() + ELEMENT
}

/// How much the rows of a column's tree and of the steps take of its labels.
fn taken(labels: &Labels) -> (usize, usize) {
    let mut tree = 0;
    let mut steps = 0;
    match labels {
        Labels::Values(texts) => {
            for text in polled(texts) {
                tree += text.len() + 2 * ELEMENT;
                steps += quoted(text);
            }
        }
        Labels::Taxonomy(taxonomy, _) => {
            let nodes = taxonomy.nodes();
            let mut refined = vec![false; nodes.len()];
            for (id, node) in polled(nodes).enumerate() {
                let above = node.parent.map_or(0, |parent| taxonomy.label(parent).len());
                let ends = taxonomy.ends(id).into_iter().flatten().map(str::len).sum::<usize>();
                tree += taxonomy.label(id).len() + above + ends + 4 * ELEMENT;
                steps += quoted(taxonomy.label(id));
                // What is refined is named once, whatever it becomes.
                if let Some(parent) =
                    node.parent.filter(|&parent| !std::mem::replace(&mut refined[parent], true))
                {
                    steps += taxonomy.label(parent).len() + ELEMENT;
                }
            }
        }
        Labels::Intervals(_) => {}
    }
    (tree, steps)
}

/// Refuses columns, each with its name, whose labels a release could not keep.
pub fn must_fit<'a>(columns: impl Iterator<Item = (&'a str, &'a Labels)>) -> Result<()> {
    let (mut all, mut largest) = (0, ("", 0));
    for (name, labels) in columns {
        let (tree, steps) = taken(labels);
        if tree > ROW {
            return Err(too_long(
                name,
                format!("Its hierarchy takes {tree} bytes, each label with the one above it"),
            ));
        }
        all += steps;
        if steps > largest.1 {
            largest = (name, steps);
        }
    }
    if all > ROW {
        return Err(too_long(
            largest.0,
            format!("The steps of the release take up to {all} bytes, {} of them for that column", largest.1),
        ));
    }
    Ok(())
}

/// What a row takes beside its values, without the bits for NULLs.
const HEADER: usize = 24;

/// The most that a row may take on a page: MaxHeapTupleSize.
const PAGE: usize = pg_sys::BLCKSZ as usize - 32;

/// What a value takes in its row that is stored elsewhere.
const ELSEWHERE: usize = 18;

/// Refuses columns whose most general row, which a search begins with, does not fit on a page, given what each is called there.
pub fn row_must_fit(tops: impl Iterator<Item = Option<String>>) -> Result<()> {
    let (mut columns, mut taken) = (0, HEADER);
    for top in tops {
        columns += 1;
        taken += top.map_or(0, |top| (top.len() + 1).min(ELSEWHERE));
    }
    taken += columns / 8;
    if taken <= PAGE {
        return Ok(());
    }
    Err(SqlError::limit("a row of the release does not fit on a page")
        .detail(format!(
            "With all {columns} columns that are masked by labels at their most general value it takes {taken} bytes, and may take {PAGE}."
        ))
        .hint("Choose a shorter label with suppressed => '...', or mask fewer columns."))
}

fn too_long(column: &str, takes: String) -> SqlError {
    SqlError::limit(format!("the labels of column \"{column}\" are too long to be kept"))
        .detail(format!("{takes}; PostgreSQL forms no row of more than {ROW}."))
        .hint("Release a view that shows shorter values, or fewer of them: left(...), md5(...). In a taxonomy, give what stands above values short labels.")
}
