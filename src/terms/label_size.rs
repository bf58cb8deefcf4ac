//! Whether what a release keeps of its columns' labels fits: a version keeps the tree of a column in one row, each node with the label
//! above it, and no row of PostgreSQL's may be larger than 1 GB before parts of it are stored elsewhere. That
//! can be told before a search, and no sooner: as soon as there are labels. (Ends of intervals are made by the search.)

use super::labels::Labels;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, polled_by_length};
use crate::read::table::Table;
use pgrx::pg_sys;
use topdown::taxonomy::TaxonomyNode;

/// The most that PostgreSQL allocates, and so forms a row in: MaxAllocSize.
const ROW: usize = 0x3fff_ffff;

/// What an element of an array takes beside its text, at most.
const ELEMENT: usize = 8;

/// A label, as it is written among others in a text: quoted.
fn quoted(label: &str) -> usize {
    label.len() + label.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count() + ELEMENT
}

/// How much the row of a column's tree takes of its labels, and that of a step that has all of them.
fn taken(labels: &Labels) -> usize {
    match labels {
        Labels::Values(texts) => polled_by_length(texts).map(|text| quoted(text) + ELEMENT).sum(),
        Labels::Taxonomy(taxonomy, tree) => {
            let node = |(id, node): (usize, &TaxonomyNode)| {
                let above = node.parent.map_or(0, |parent| taxonomy.label(parent).len());
                let (lower, upper) = tree.ends.of(taxonomy, id);
                let ends: usize = [lower, upper].into_iter().flatten().map(|end| end.len()).sum();
                quoted(taxonomy.label(id)) + above + ends + 3 * ELEMENT
            };
            polled(taxonomy.nodes()).enumerate().map(node).sum()
        }
        Labels::Intervals(_) => 0,
    }
}

/// Refuses columns, each with its name, whose labels a release could not keep.
pub fn must_fit<'a>(mut columns: impl Iterator<Item = (&'a str, &'a Labels)>) -> Result<()> {
    columns.try_for_each(|(name, labels)| match taken(labels) {
        0..=ROW => Ok(()),
        taken => Err(SqlError::limit(format!("the labels of column \"{name}\" are too long to be kept"))
            .detail(format!(
                "Its hierarchy takes {taken} bytes, each label with the one above it; PostgreSQL forms no row of more than {ROW}."
            ))
            .hint("Release a view that shows shorter values, or fewer of them: left(...), md5(...). In a taxonomy, give what stands above values short labels.")),
    })
}

/// What a row takes beside its values, without the bits for NULLs.
const HEADER: usize = 24;

/// The most that a row may take on a page: MaxHeapTupleSize.
const PAGE: usize = pg_sys::BLCKSZ as usize - 32;

/// What a value takes in its row that is stored elsewhere.
const ELSEWHERE: usize = 18;

/// Refuses columns of which a row cannot fit on a page: given what the most general row, which a search begins with, is called, and the
/// places of the columns that are released as they are.
pub fn row_must_fit(
    tops: impl Iterator<Item = Option<String>>,
    table: &Table,
    as_they_are: &[usize],
) -> Result<()> {
    let (mut masked, mut taken) = (0, HEADER);
    for top in tops {
        masked += 1;
        taken += top.map_or(0, |top| (top.len() + 1).min(ELSEWHERE));
    }
    let others = as_they_are.len();
    taken += (masked + others) / 8;
    let most: usize =
        as_they_are.iter().map(|&place| Ok(table.column(place)?.ty.most_on_page())).sum::<Result<_>>()?;
    if taken + most <= PAGE {
        return Ok(());
    }
    taken += table.widest_on_page(as_they_are)?;
    if taken <= PAGE {
        return Ok(());
    }
    Err(SqlError::limit("a row of the release does not fit on a page")
        .detail(format!(
            "It takes {taken} bytes, with {masked} columns by labels at their most general value and {others} as they are, and may take {PAGE}."
        ))
        .hint("Choose a shorter label with suppressed => '...', or mask and keep fewer columns."))
}
