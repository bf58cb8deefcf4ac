//! Rules, laid over a column's values: by_prefix, by_calendar and by_network.
//!
//! A rule calls what stands above each value by name, and the engine lays these names over each other
//! ([`topdown::taxonomy::rule`]). So there is no value without a place, today's or one of a later refresh.
//! The top says nothing, and is called what suppressed values are.

use super::{refuse_label, Binding};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::table::Column;
use crate::terms::labels::{Bound, Labels, TreeEnds, TreeLabels};
use topdown::progress::check_memory;
use topdown::refine::Hierarchy;
use topdown::taxonomy::Taxonomy;
use topdown::Code;

/// Lays a rule over a column. `order` are its values' codes in the order in which siblings shall stand, and
/// `label(code, level)` is what a value is called at a level below the top; `is_whole(code)` says whether its leaf
/// leaves nothing of it out. `ends` are those of nodes.
pub fn bind_rule(
    name: &str,
    order: &[Code],
    label: impl Fn(usize, usize) -> Option<String>,
    is_whole: impl Fn(usize) -> bool,
    ends: TreeEnds,
    column: &mut Column,
    how: &Binding,
) -> Result<Bound> {
    check_memory::<Code>(order.len())?;
    let top = how.suppressed.unwrap_or("*");
    let (taxonomy, leaves) =
        Taxonomy::by_rule(top, order.len(), |place, level| label(order[place] as usize, level))?;
    let below = polled(taxonomy.labels().skip(1));
    refuse_label(name, how, below)?;
    check_memory::<bool>(taxonomy.leaves())?;
    let mut codes = vec![0; order.len()];
    let mut truncated = vec![false; taxonomy.leaves()];
    for (&value, leaf) in order.iter().zip(leaves) {
        codes[value as usize] = leaf;
        truncated[leaf as usize] |= !is_whole(value as usize);
    }
    // Without a value the tree is its top, and that no value's leaf.
    column.renumber(&codes, taxonomy.leaves() as Code)?;
    let hierarchy = Hierarchy::by_taxonomy(&taxonomy, column.nulls)?;
    Ok(Bound { hierarchy, labels: Labels::Taxonomy(taxonomy, TreeLabels { truncated, ends }) })
}

/// The lengths that a rule keeps, ascending; none, where it was not told.
pub fn lengths(rule: &str, lengths: Option<&Vec<i32>>, most: i32) -> Result<Option<Vec<i32>>> {
    let Some(lengths) = lengths else { return Ok(None) };
    let fault = |what: String| {
        Err(SqlError::parameter(format!("the lengths of {rule} {what}"))
            .hint("Give those that are kept, each once, or none at all."))
    };
    if lengths.is_empty() {
        return fault("are none".into());
    }
    if let Some(length) = lengths.iter().find(|&&length| !(1..=most).contains(&length)) {
        let range = if most == i32::MAX { "at least 1".into() } else { format!("1 to {most}") };
        return fault(format!("are {range}, not {length}"));
    }
    let mut sorted = lengths.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return fault(format!("name {} twice", twice[0]));
    }
    Ok(Some(sorted))
}
