//! The measures of the privacy models (docs/reference/models.md).

use super::state::{released_node, Node, State};
use super::{Case, Distance, Diversity, Model, TOLERANCE};
use std::collections::BTreeSet;

/// Groups rows by their released nodes on some attributes. No group is empty.
pub fn groups(case: &Case, state: &State, attributes: &[usize], rows: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Vec<Node>, Vec<usize>)> = Vec::new();
    for &row in rows {
        let released: Vec<Node> =
            attributes.iter().map(|attribute| released_node(case, state, *attribute, row)).collect();
        match groups.iter_mut().find(|(key, _)| *key == released) {
            Some((_, members)) => members.push(row),
            None => groups.push((released, vec![row])),
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

/// Returns the rows that are released. If rows may be withheld, these are the rows of the groups that keep every
/// model, and all models must be over the same attributes.
pub fn released_rows(case: &Case, state: &State) -> Vec<usize> {
    let rows: Vec<usize> = (0..case.rows.len()).collect();
    if case.withhold.is_none() {
        return rows;
    }
    let attributes = case.models[0].attributes();
    assert!(case.models.iter().all(|model| model.attributes() == attributes), "several sets of attributes");
    let keeps = |model: &Model, group: &Vec<usize>| {
        measure_groups(case, model, std::slice::from_ref(group))
            .into_iter()
            .all(|measure| holds(model, measure))
    };
    let mut groups = groups(case, state, attributes, &rows);
    groups.retain(|group| case.models.iter().all(|model| keeps(model, group)));
    let mut released: Vec<usize> = groups.into_iter().flatten().collect();
    released.sort_unstable();
    released
}

pub fn withheld(case: &Case, state: &State) -> Vec<bool> {
    let released = released_rows(case, state);
    (0..case.rows.len()).map(|row| !released.contains(&row)).collect()
}

/// Measures each requirement of a model: one, but a confidence bound has one for each sensitive value. The model
/// need not be one of the case's.
pub fn measures(case: &Case, state: &State, model: &Model) -> Vec<f64> {
    let all: Vec<usize> = (0..case.attributes.len()).collect();
    let sets = if case.shown_alone { vec![all] } else { model.sets() };
    let rows = released_rows(case, state);
    let groups: Vec<Vec<usize>> = sets.iter().flat_map(|set| groups(case, state, set, &rows)).collect();
    measure_state_groups(case, state, model, &groups)
}

/// Measures each requirement of a model in some of a state's groups.
pub fn measure_state_groups(case: &Case, state: &State, model: &Model, groups: &[Vec<usize>]) -> Vec<f64> {
    match model {
        // By released values; with `shown_alone`, `measure_groups` matches a record by its row.
        Model::KMap { quasi_identifier, population, .. } if !case.shown_alone => {
            let rows = groups.concat();
            vec![fewest_matched(case, state, (quasi_identifier, &rows), population)]
        }
        model => measure_groups(case, model, groups),
    }
}

/// Returns the least number, over some rows, of population records that would be released as the row is.
fn fewest_matched(
    case: &Case,
    state: &State,
    (attributes, rows): (&[usize], &[usize]),
    population: &[Vec<usize>],
) -> f64 {
    let released = |row: &dyn Fn(usize) -> usize| -> Vec<Node> {
        attributes.iter().map(|&attribute| released_node(case, state, attribute, row(attribute))).collect()
    };
    let others: Vec<Vec<Node>> =
        population.iter().map(|from| released(&|attribute| from[attribute] % case.rows.len())).collect();
    let matched = |row: usize| others.iter().filter(|other| **other == released(&|_| row)).count() as f64;
    rows.iter().map(|row| matched(*row)).fold(f64::INFINITY, f64::min)
}

/// Measures each requirement of a model in any groups of rows.
pub fn measure_groups(case: &Case, model: &Model, groups: &[Vec<usize>]) -> Vec<f64> {
    let table: Vec<usize> = (0..case.rows.len()).collect();
    let smallest = |measure: &dyn Fn(&[usize]) -> f64| {
        groups.iter().map(|group| measure(group)).fold(f64::INFINITY, f64::min)
    };
    let largest = |measure: &dyn Fn(&[usize]) -> f64| {
        groups.iter().map(|group| measure(group)).fold(f64::NEG_INFINITY, f64::max)
    };
    let by = model.share_person();
    match model.unwrapped() {
        Model::KAnonymity { person: None, .. } => vec![smallest(&|group| group.len() as f64)],
        Model::KAnonymity { person: Some(person), .. } => {
            vec![smallest(&|group| {
                let persons: BTreeSet<Option<u32>> =
                    group.iter().map(|row| case.rows[*row].persons[*person]).collect();
                persons.len() as f64
            })]
        }
        Model::ConfidenceBound { sensitive, values, .. } => values
            .iter()
            .map(|value| largest(&|group| confidence(case, *sensitive, *value, group, by)))
            .collect(),
        Model::LDiversity { sensitive, kind, .. } => vec![match kind {
            Diversity::Distinct { .. } => {
                smallest(&|group| falling_counts(case, *sensitive, group, by).len() as f64)
            }
            Diversity::Entropy { .. } => smallest(&|group| exp_entropy(case, *sensitive, group, by)),
            Diversity::Recursive { l, .. } => largest(&|group| recursive(case, *sensitive, *l, group, by)),
        }],
        Model::TCloseness { sensitive, distance, .. } => {
            vec![largest(&|group| {
                let held = |rows: &[usize]| falling_counts(case, *sensitive, rows, by).iter().sum::<usize>();
                let difference: Vec<f64> = shares(case, *sensitive, group, by, held(group))
                    .iter()
                    .zip(shares(case, *sensitive, &table, by, held(&table)))
                    .map(|(group, table)| group - table)
                    .collect();
                match distance {
                    Distance::Equal => difference.iter().map(|d| d.abs()).sum::<f64>() / 2.0,
                    Distance::Ordered => earth_moved(&difference),
                }
            })]
        }
        Model::BetaLikeness { sensitive, .. } => {
            vec![largest(&|group| {
                shares(case, *sensitive, group, by, size(case, group, by))
                    .iter()
                    .zip(shares(case, *sensitive, &table, by, size(case, &table, by)))
                    .map(|(group, table)| (group - table) / table)
                    .fold(f64::NEG_INFINITY, f64::max)
            })]
        }
        // Each record of the population is a copy of a row, and counts in its group.
        Model::KMap { population, .. } => {
            let row = |from: &Vec<usize>| {
                assert!(from.iter().all(|row| *row == from[0]), "a combination that no row has");
                from[0] % case.rows.len()
            };
            let matched =
                |group: &[usize]| population.iter().filter(|from| group.contains(&row(from))).count();
            vec![smallest(&|group| matched(group) as f64)]
        }
        Model::BoundedKnowledge { .. } | Model::SharesOfPersons { .. } => unreachable!("a bare model"),
    }
}

pub fn more_is_better(model: &Model) -> bool {
    match model.unwrapped() {
        Model::KAnonymity { .. } | Model::KMap { .. } => true,
        Model::LDiversity { kind, .. } => !matches!(kind, Diversity::Recursive { .. }),
        Model::ConfidenceBound { .. } | Model::TCloseness { .. } | Model::BetaLikeness { .. } => false,
        Model::BoundedKnowledge { .. } | Model::SharesOfPersons { .. } => unreachable!("a bare model"),
    }
}

/// Returns each model's measure, the worst of its requirements.
pub fn achieved(case: &Case, state: &State) -> Vec<f64> {
    let worst = |model| measures(case, state, model).into_iter().fold(f64::NEG_INFINITY, f64::max);
    // Only a confidence bound has several requirements, and its worst measure is the largest.
    case.models.iter().map(worst).collect()
}

pub fn holds(model: &Model, achieved: f64) -> bool {
    match model.unwrapped() {
        Model::KAnonymity { k, .. } | Model::KMap { k, .. } => achieved >= *k as f64,
        Model::ConfidenceBound { max_confidence, .. } => achieved <= *max_confidence + TOLERANCE,
        Model::LDiversity { kind: Diversity::Distinct { l }, .. } => achieved >= *l,
        Model::LDiversity { kind: Diversity::Entropy { l }, .. } => achieved >= *l - TOLERANCE,
        Model::LDiversity { kind: Diversity::Recursive { c, .. }, .. } => achieved < *c,
        Model::TCloseness { t, .. } => achieved <= *t + TOLERANCE,
        Model::BetaLikeness { beta, .. } => achieved <= *beta + TOLERANCE,
        Model::BoundedKnowledge { .. } | Model::SharesOfPersons { .. } => unreachable!("a bare model"),
    }
}

/// Says whether all models hold, with no more rows withheld than allowed.
pub fn all_hold(case: &Case, state: &State) -> bool {
    let out = case.rows.len() - released_rows(case, state).len();
    if out > case.withhold.unwrap_or(0) {
        return false;
    }
    case.models.iter().zip(achieved(case, state)).all(|(model, achieved)| holds(model, achieved))
}

/// Returns how much each requirement of a model worsens from one state to the other. If rows may be withheld, an
/// improvement counts as 0.
pub fn worsening(case: &Case, model: &Model, before: &State, after: &State) -> Vec<f64> {
    let before = measures(case, before, model);
    let after = measures(case, after, model);
    before
        .into_iter()
        .zip(after)
        .map(|(before, after)| worse_by(model, before, after))
        .map(|worse| if case.withhold.is_some() { worse.max(0.0) } else { worse })
        .collect()
}

/// Returns how much worse `after` is than `before`; negative if it is better.
pub fn worse_by(model: &Model, before: f64, after: f64) -> f64 {
    match (before == after, more_is_better(model)) {
        (true, _) => 0.0, // also from Infinity to Infinity
        (false, true) => before - after,
        (false, false) => after - before,
    }
}

/// Returns each requirement's relative loss, the logarithm of the ratio of its measures; for t-closeness of
/// 1 - distance, for beta-likeness of the largest q/p. If rows may be withheld, a larger measure is no loss.
pub fn relative_losses(case: &Case, model: &Model, before: &State, after: &State) -> Vec<f64> {
    let (before, after) = (measures(case, before, model), measures(case, after, model));
    before
        .into_iter()
        .zip(after)
        .map(|(before, after)| match case.withhold.is_some() && after > before {
            true => 0.0,
            false => relative_loss(model, before, after),
        })
        .collect()
}

pub fn relative_loss(model: &Model, before: f64, after: f64) -> f64 {
    let in_proportion = |measure: f64| match model.unwrapped() {
        Model::TCloseness { .. } => 1.0 - measure,
        Model::BetaLikeness { .. } => 1.0 + measure,
        _ => measure,
    };
    match before == after {
        true => 0.0,
        false => (in_proportion(before) / in_proportion(after)).ln().abs(),
    }
}

/// Counts the rows of a group, or its persons.
fn size(case: &Case, group: &[usize], by: Option<usize>) -> usize {
    let Some(person) = by else { return group.len() };
    group.iter().map(|row| case.rows[*row].persons[person]).collect::<BTreeSet<Option<u32>>>().len()
}

/// Returns the share of the group's rows, or persons, with the value.
fn confidence(case: &Case, sensitive: usize, value: Option<u32>, group: &[usize], by: Option<usize>) -> f64 {
    count(case, sensitive, value, group, by) as f64 / size(case, group, by) as f64
}

fn count(case: &Case, sensitive: usize, value: Option<u32>, group: &[usize], by: Option<usize>) -> usize {
    let holds = |row: &usize| case.rows[*row].sensitive[sensitive] == value;
    size(case, &group.iter().copied().filter(holds).collect::<Vec<usize>>(), by)
}

/// Counts each sensitive value that occurs in the group, most frequent first.
fn falling_counts(case: &Case, sensitive: usize, group: &[usize], by: Option<usize>) -> Vec<usize> {
    let mut counts: Vec<usize> = case
        .sensitive_values(sensitive)
        .into_iter()
        .map(|value| count(case, sensitive, value, group, by))
        .filter(|count| *count > 0)
        .collect();
    counts.sort_by(|a, b| b.cmp(a));
    counts
}

/// Returns exp(H), where H is the entropy of the sensitive values in the group by natural logarithms.
fn exp_entropy(case: &Case, sensitive: usize, group: &[usize], by: Option<usize>) -> f64 {
    let counts = falling_counts(case, sensitive, group, by);
    let all: usize = counts.iter().sum();
    let share = |count: usize| count as f64 / all as f64;
    let entropy: f64 = counts.into_iter().map(|n| -share(n) * share(n).ln()).sum();
    entropy.exp()
}

/// Returns r1/(r_l+...+r_m), Infinity if the group has fewer than l values.
fn recursive(case: &Case, sensitive: usize, l: usize, group: &[usize], by: Option<usize>) -> f64 {
    let counts = falling_counts(case, sensitive, group, by);
    if counts.len() < l {
        return f64::INFINITY;
    }
    counts[0] as f64 / counts[l - 1..].iter().sum::<usize>() as f64
}

/// Returns the count in the group, divided by `of`, of each sensitive value of the table, in value order.
fn shares(case: &Case, sensitive: usize, group: &[usize], by: Option<usize>, of: usize) -> Vec<f64> {
    case.sensitive_values(sensitive)
        .into_iter()
        .map(|value| count(case, sensitive, value, group, by) as f64 / of as f64)
        .collect()
}

/// Returns the earth mover's distance over ranks: the sum of the shares carried from each value to the next, each
/// step counting 1/(m-1).
fn earth_moved(difference: &[f64]) -> f64 {
    if difference.len() == 1 {
        return 0.0;
    }
    let carried = |upto: usize| difference[..=upto].iter().sum::<f64>().abs();
    (0..difference.len() - 1).map(carried).sum::<f64>() / (difference.len() - 1) as f64
}
