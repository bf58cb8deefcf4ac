//! From a checked request to clusters: scan, bind, greedy k-member clustering.
//!
//! A cluster is released by its extents, one a masked column; so the codes of the rows written are
//! numbers of clusters, the same for all masked columns (local recoding).

use super::input::Input;
use super::read;
use super::result::{GeneralizedColumn, SearchResult};
use super::room_of_groups;
use super::rows::Exclusions;
use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, polling};
use crate::postgres::text::counted;
use crate::terms::labels::Bound;
use crate::terms::request::Request;
use crate::terms::words::Changes;
use hashbrown::HashSet;
use std::time::Instant;
use topdown::cluster::{kmember, Extent, Generalizer};
use topdown::progress::check_memory;
use topdown::refine::{Hierarchy, TOP};
use topdown::table::{compress, Codes, Compressed, Store};
use topdown::Code;

/// Reads the source, but what earlier versions withheld, and clusters it.
pub fn run(request: &Request, exclusions: Exclusions, k: u32) -> Result<SearchResult> {
    let input = Input::new(request, read(request, exclusions)?)?;
    let Input { table, reading, withheld, hierarchies, labels, originals, as_read, scan, .. } = input;
    if (table.rows as u64) < u64::from(k) {
        return Err(SqlError::state("a privacy model does not hold even for the most general table")
            .detail(format!(
                "\"{}\" has {}, k is {k}.",
                request.source.name,
                counted(table.rows as u64, "row")
            ))
            .hint("Ask for less, or release a table with more rows."));
    }
    let bound = hierarchies.into_iter().zip(labels);
    let bound: Vec<Bound> = bound.map(|(hierarchy, labels)| Bound { hierarchy, labels }).collect();
    activity::enter(Phase::Clustering);
    let start = Instant::now();
    let codes: Vec<&Store> =
        request.masked.iter().map(|m| Ok(&table.column(m.column)?.codes)).collect::<Result<_>>()?;
    let cardinalities: Vec<usize> = bound.iter().map(|b| b.hierarchy.codes()).collect();
    let mut records = compress(&codes, &cardinalities, table.records, None)?;
    sort(&mut records);
    let spaces = bound
        .iter()
        .map(|bound| Ok(Generalizer::from_hierarchy(&bound.hierarchy)?))
        .collect::<Result<Vec<Generalizer>>>()?;
    let is_batched = request.arguments.changes == Changes::Batched;
    let fewest = match is_batched {
        true => u32::try_from((u64::from(k) * room_of_groups(&request.arguments)).min(table.rows as u64))
            .unwrap_or(u32::MAX),
        false => k,
    };
    let mut clusters = kmember(&spaces, &records, fewest, is_batched)?;
    if is_batched {
        // Rows are assigned to nodes.
        for extents in polled(&mut clusters.extents) {
            extents.iter_mut().zip(&bound).for_each(|(extent, bound)| as_node(extent, &bound.hierarchy));
        }
    }
    check_memory::<Extent>(2 * clusters.extents.len() * request.masked.len())?;
    check_memory::<Code>(table.records)?;
    let cluster_of = clusters.assign_rows(&records.ids)?;
    let columns = (request.masked.iter().zip(bound).enumerate())
        .map(|(a, (masked, bound))| {
            let released: Vec<Extent> = clusters.extents.iter().map(|extents| extents[a].clone()).collect();
            let distinct: HashSet<&Extent> = released.iter().collect();
            let cut = distinct.into_iter().cloned().collect();
            GeneralizedColumn { column: masked.column, bound, cut, released }
        })
        .collect();
    let (sensitive, steps, redundant) = (Vec::new(), Vec::new(), Vec::new());
    let search = start.elapsed().as_secs_f64();
    Ok(SearchResult {
        table,
        reading,
        columns,
        sensitive,
        persons: Vec::new(),
        originals,
        as_read,
        clusters: Some(Store::Memory(cluster_of)),
        steps,
        groups: Vec::new(),
        redundant,
        withheld,
        left_out: None,
        explained: Vec::new(),
        scan,
        search,
    })
}

/// What is a node of the hierarchy is that.
fn as_node(extent: &mut Extent, hierarchy: &Hierarchy) {
    let node = match extent {
        Extent::Any => Some(TOP),
        Extent::Ranks(ranks) => match hierarchy.domain() {
            None => Some(Hierarchy::disclosed_node(*ranks.start())),
            // NULL is beyond the last rank.
            Some(domain) => hierarchy.null().filter(|_| *ranks.start() as usize >= domain.positions.len()),
        },
        Extent::Node(_) => None,
    };
    if let Some(node) = node {
        *extent = Extent::Node(node);
    }
}

/// Puts the distinct records in value order, column by column.
fn sort(records: &mut Compressed) {
    let mut order: Vec<u32> = (0..records.weights.len() as u32).collect();
    let key = |r: u32| records.columns.iter().map(move |column| column.get(r as usize));
    order.sort_by(polling(|&a, &b| key(a).cmp(key(b))));
    let mut rank = vec![0; order.len()];
    (0u32..).zip(&order).for_each(|(new, &old)| rank[old as usize] = new);
    let sorted = |column: &Codes| order.iter().map(|&old| column.get(old as usize)).collect();
    records.columns = records.columns.iter().map(sorted).collect();
    records.weights = order.iter().map(|&old| records.weights[old as usize]).collect();
    records.ids.iter_mut().for_each(|id| *id = rank[*id as usize]);
}
