//! The gain of a refinement: information with a class, certainty without.

use super::measures::{groups, released_rows};
use super::state::{released_node, Node, State};
use super::{Case, Masking, Value, NOISE};

/// Returns the gain of a refinement. `rows` are R_v, `before` and `after` the states around it.
pub fn gain(case: &Case, attribute: usize, rows: &[usize], before: &State, after: &State) -> f64 {
    without_noise(if rows.is_empty() {
        0.0
    } else if case.has_class {
        information_gain(case, &partition(case, after, attribute, rows))
    } else {
        let loss = |state, row| certainty_loss(case, attribute, &released_node(case, state, attribute, row));
        rows.iter().map(|row| loss(before, *row) - loss(after, *row)).sum::<f64>() / rows.len() as f64
    })
}

/// Returns the gain over the whole table. With a class: the fall of its entropy given the released values of all
/// columns (in the released rows), less the fall that new leaves cause by chance. Without a class: the fall of the
/// mean certainty loss.
pub fn conditional_gain(case: &Case, attribute: usize, before: &State, after: &State) -> f64 {
    let rows: Vec<usize> = (0..case.rows.len()).collect();
    if !case.has_class {
        return gain(case, attribute, &rows, before, after);
    }
    let all: Vec<usize> = (0..case.attributes.len()).collect();
    let records = rows.len() as f64;
    let unknown = |leaves: &[Vec<usize>]| {
        leaves.iter().map(|leaf| leaf.len() as f64 / records * entropy(case, leaf)).sum::<f64>()
    };
    let released = released_rows(case, before);
    let (before, after) = (groups(case, before, &all, &released), groups(case, after, &all, &released));
    let more = (after.len() - before.len()) as f64;
    let by_chance = more * (classes(case, &rows).len() as f64 - 1.0) / (2.0 * records * 2f64.ln());
    without_noise(unknown(&before) - unknown(&after) - by_chance)
}

/// Returns 0 for a number within [`NOISE`] of 0.
pub fn without_noise(number: f64) -> f64 {
    if number.abs() < NOISE {
        0.0
    } else {
        number
    }
}

/// Groups rows by their released node on one attribute.
fn partition(case: &Case, state: &State, attribute: usize, rows: &[usize]) -> Vec<Vec<usize>> {
    let mut parts: Vec<(Node, Vec<usize>)> = Vec::new();
    for row in rows {
        let node = released_node(case, state, attribute, *row);
        match parts.iter_mut().find(|(key, _)| *key == node) {
            Some((_, part)) => part.push(*row),
            None => parts.push((node, vec![*row])),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Returns I(R_v) less the mean of the parts' I(R_c), in bits.
pub fn information_gain(case: &Case, parts: &[Vec<usize>]) -> f64 {
    let all = parts.concat();
    let share = |part: &Vec<usize>| part.len() as f64 / all.len() as f64;
    entropy(case, &all) - parts.iter().map(|part| share(part) * entropy(case, part)).sum::<f64>()
}

/// Returns I(R_x), the entropy of the classes in bits.
pub fn entropy(case: &Case, rows: &[usize]) -> f64 {
    classes(case, rows)
        .into_iter()
        .map(|class| {
            let with_class = rows.iter().filter(|row| case.rows[**row].class == class).count();
            let share = with_class as f64 / rows.len() as f64;
            -share * share.log2()
        })
        .sum()
}

/// Returns the distinct classes of the rows, with NULL as one of them.
pub fn classes(case: &Case, rows: &[usize]) -> Vec<Option<u32>> {
    let mut classes: Vec<Option<u32>> = rows.iter().map(|row| case.rows[*row].class).collect();
    classes.sort();
    classes.dedup();
    classes
}

/// Returns the certainty lost by releasing a value as this node, 0 to 1.
pub fn certainty_loss(case: &Case, attribute: usize, node: &Node) -> f64 {
    match (&case.attributes[attribute].masking, node) {
        (_, Node::Star) => 1.0,
        (_, Node::Null | Node::Value(_)) => 0.0,
        (Masking::Taxonomy(tree), Node::Taxonomy(node)) => match tree.leaves().len() {
            1 => 0.0,
            all => (tree.leaves_under(*node) - 1) as f64 / (all - 1) as f64,
        },
        (Masking::Interval { lower, upper, whole, .. }, Node::Interval { from, to }) => {
            let values = numbers(case, attribute);
            let Some(least) = lower.or(values.first().copied()) else { return 0.0 };
            let Some(greatest) = upper.or(values.last().copied()) else { return 0.0 };
            if greatest == least {
                return 0.0;
            }
            // An end between values counts as the next value, and as open above the last one. In a replay the
            // split was found for other records.
            let next = |end: Option<f64>| end.and_then(|end| values.iter().copied().find(|v| *v >= end));
            let from = next(*from).filter(|from| Some(from) > values.first());
            let (from, to) = (from.unwrap_or(least), next(*to));
            if *whole {
                let all = (0..).map(|n| least + f64::from(n)).take_while(|value| *value <= greatest);
                let within = all.clone().filter(|value| from <= *value && to.is_none_or(|to| *value < to));
                return within.count().saturating_sub(1) as f64 / (all.count() - 1) as f64;
            }
            (to.unwrap_or(greatest) - from) / (greatest - least)
        }
        (masking, node) => panic!("{node:?} under {masking:?}"),
    }
}

fn numbers(case: &Case, attribute: usize) -> Vec<f64> {
    distinct_numbers(case, attribute, &(0..case.rows.len()).collect::<Vec<_>>())
}

/// Returns the distinct values of some rows in a column masked by intervals, rising, without NULL.
pub fn distinct_numbers(case: &Case, attribute: usize, rows: &[usize]) -> Vec<f64> {
    let number = |row: &usize| match case.rows[*row].values[attribute] {
        Value::Number(number) => Some(number),
        _ => None,
    };
    let mut numbers: Vec<f64> = rows.iter().filter_map(number).collect();
    numbers.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    numbers.dedup();
    numbers
}
