//! Rewinding a release by local recoding: its rows are released as the groups that theirs were parts of after a step.
//! Which those are follows from all masked columns together, so that a row's key becomes the number of its
//! combination, on all columns alike.

use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::Parameters;
use crate::release::trace::groups::Groups;
use crate::release::trace::rewound::Rewound;
use std::rc::Rc;
use topdown::progress::check_memory;
use topdown::table::{compress, Codes, Store};

/// Has the columns of the current version released as their groups were after a step, and says which nodes that makes.
pub fn regroup(
    columns: &mut [Rewound],
    groups: &Groups,
    step: i32,
    parameters: &Parameters,
    rows: usize,
) -> Result<Vec<Nodes>> {
    let masks = &parameters.columns;
    let keys: Vec<&Store> = columns.iter().map(|column| &*column.keys).collect();
    let kinds: Vec<usize> = columns.iter().map(|column| column.released.len()).collect();
    let combinations = compress(&keys, &kinds, rows, None)?;
    let distinct = combinations.weights.len();
    check_memory::<(usize, usize, u64)>(distinct * columns.len())?;
    let mut released: Vec<Vec<(usize, usize)>> = vec![Vec::with_capacity(distinct); columns.len()];
    let as_of = groups.as_of(step)?;
    for combination in polled(0..distinct) {
        let before: Vec<usize> = (columns.iter().zip(&combinations.columns))
            .map(|(column, keys)| column.released[keys.get(combination) as usize].1)
            .collect();
        let group = groups.leaf(&before).map_or(&before, |group| &groups.group(as_of[group]).nodes);
        for (a, (&now, &before)) in group.iter().zip(&before).enumerate() {
            // A column that is shown has one cut, whatever the group.
            let of_cut = columns[a].released[combinations.columns[a].get(combination) as usize].0;
            let is_shown = parameters.arguments.show.contains(&masks[a].name);
            released[a].push((if is_shown { of_cut } else { now }, before));
        }
    }
    let weights: Vec<u64> = combinations.weights.iter().map(|&rows| u64::from(rows)).collect();
    let keys = Rc::new(Store::Memory(Codes::from(combinations.ids)));
    let mut nodes = Vec::with_capacity(columns.len());
    for ((column, mask), released) in columns.iter_mut().zip(masks).zip(released) {
        column.cut = released.iter().map(|(now, _)| *now).collect();
        (column.keys, column.released, column.rows) = (keys.clone(), released, weights.clone());
        let mut of_column = column.tree.nodes(&column.cut, &column.records(|(now, _)| *now));
        // Intervals overlap: those below one another are not from the left, but the tree was written so.
        of_column.order = (0..of_column.labels.len()).collect();
        nodes.push(of_column.in_form(parameters.form(mask))?.joined());
    }
    Ok(nodes)
}
