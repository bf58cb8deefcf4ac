//! Rewinding a release by local recoding: its rows are released as the groups that theirs were parts of after a step.
//! Which those are follows from all masked columns together, so that a row's key becomes the number of its
//! combination, on all columns alike.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::Parameters;
use crate::release::store::shown::MaskedAs;
use crate::release::trace::groups::{by_label, label_of, Called, Groups};
use crate::release::trace::rewound::Rewound;
use std::rc::Rc;
use topdown::progress::room;
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
    room::<(usize, usize, u64)>(distinct * columns.len())?;
    let nodes_of: Vec<_> =
        columns.iter().zip(masks).map(|(column, mask)| by_label(&column.tree, mask)).collect();
    let mut released: Vec<Vec<(usize, usize)>> = vec![Vec::with_capacity(distinct); columns.len()];
    for combination in polled(0..distinct) {
        let before: Vec<usize> = (columns.iter().zip(&combinations.columns))
            .map(|(column, keys)| column.released[keys.get(combination) as usize].1)
            .collect();
        let label = |(a, column): (usize, &Rewound)| label_of(&column.tree, &masks[a], before[a]);
        let called: Called = columns.iter().enumerate().map(label).collect();
        let group = groups.as_of(&called, step);
        for (a, label) in group.map_or(&called, |group| &groups.group(group).called).iter().enumerate() {
            let tree = &columns[a].tree;
            let gone = || {
                let column = &masks[a].name;
                SqlError::state(format!("a group of the release is not in the tree of column \"{column}\""))
            };
            let is_without_null =
                || tree.coarsest() != [0] || group.is_some_and(|group| groups.is_without_null(group, a));
            let own_top = tree.own_top().filter(|&top| tree.has_null() && tree.labels[top] == *label);
            let node = match own_top.filter(|_| masks[a].masked != MaskedAs::Suppression && is_without_null())
            {
                Some(own_top) => own_top,
                None => *nodes_of[a].get(&label.as_deref()).ok_or_else(gone)?,
            };
            released[a].push((node, before[a]));
        }
    }
    drop(nodes_of);
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
