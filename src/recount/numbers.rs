//! The numbers that a release shows beside its view in plain SQL, over what was written: how many rows show each value of a
//! masked column, as the cut says it, and whether the finer counts add up to these and are of enough rows and persons.

use super::are_few_of_many;
use crate::postgres::error::{clipped, Result};
use crate::postgres::operation::Operation;
use crate::postgres::progress::polled;
use crate::postgres::sql::{quote, Values};
use crate::read::plan::look_at;
use crate::read::source::Source;
use hashbrown::{HashMap, HashSet};

/// A row of the cut or of the counts: what the view shows of some rows, and how many these are.
#[derive(Debug)]
pub struct ShownNumber {
    /// What the view shows of them; none for NULL, or where they are shown as several values.
    pub shown: Option<String>,
    /// How many.
    pub records: i64,
}

/// How many rows a count has to be of, and how many persons by each of some columns of the relation.
#[derive(Debug)]
pub struct Enough {
    pub rows: i64,
    pub persons: Vec<(i64, String)>,
}

/// The rows and the persons that show a value.
#[derive(Debug, Clone, Default)]
struct Holders {
    rows: i64,
    persons: Vec<i64>,
}

/// Who shows each value of a column; without a column, all of them under no value.
fn holders(
    relation: &Source,
    column: Option<&str>,
    persons: &[&str],
) -> Result<HashMap<Option<String>, Holders>> {
    let shown = match column {
        Some(name) => relation.type_of(relation.column(name)?).sql_text(&quote(name)),
        None => "NULL::text".into(),
    };
    let named: Vec<String> = column.map(String::from).into_iter().collect();
    let _gathering = (!named.is_empty() && are_few_of_many(relation, &named)?).then(Operation::gathering);
    // NULL is one person.
    let persons = persons.iter().map(|person| {
        let person = quote(person);
        format!("pg_catalog.count(DISTINCT {person}) + pg_catalog.max(pg_catalog.num_nulls({person}))")
    });
    let persons = persons.collect::<Vec<String>>().join(", ");
    let query = format!(
        "SELECT {shown}, pg_catalog.count(*), ARRAY[{persons}]::bigint[] FROM {} GROUP BY 1",
        relation.qualified()
    );
    let holders = look_at(relation, &query, &[], |row| {
        Ok((row.nullable::<String>(1)?, Holders { rows: row.not_null(2)?, persons: row.written(3)? }))
    })?;
    Ok(holders.into_iter().collect())
}

/// The rows by what is shown, in the order of the first of each.
fn by_shown(numbers: &[ShownNumber]) -> Vec<(&Option<String>, i64)> {
    let mut place: HashMap<&Option<String>, usize> = HashMap::new();
    let mut sums: Vec<(&Option<String>, i64)> = Vec::new();
    for ShownNumber { shown, records } in polled(numbers) {
        let at = *place.entry(shown).or_insert(sums.len());
        match sums.get_mut(at) {
            Some((_, sum)) => *sum = sum.saturating_add(*records),
            None => sums.push((shown, *records)),
        }
    }
    sums
}

fn value(shown: &Option<String>) -> String {
    shown.as_deref().map_or("NULL".into(), |shown| format!("\"{}\"", clipped(shown)))
}

/// What is wrong with the cut of a column: that it does not say of each value how many rows show it.
pub fn fault_of_cut(relation: &Source, column: &str, cut: &[ShownNumber]) -> Result<Option<String>> {
    let holders = holders(relation, Some(column), &[])?;
    let told = by_shown(cut);
    let other = polled(&told).find_map(|&(shown, told)| {
        let rows = holders.get(shown).map_or(0, |holders| holders.rows);
        (rows != told)
            .then(|| format!("{told} rows are told to show {} in \"{column}\", {rows} do", value(shown)))
    });
    let told: HashSet<&Option<String>> = polled(&told).map(|(shown, _)| *shown).collect();
    let untold = polled(holders.keys()).find(|shown| !told.contains(shown));
    Ok(other.or_else(|| untold.map(|shown| format!("the cut of \"{column}\" lacks {}", value(shown)))))
}

/// What is wrong with the counts of a column: that one is of too few rows, that they do not add up to the rows that show the value
/// which they are within, or that these are of too few persons. Where counts are of the `whole` column, they add up to all rows.
pub fn fault_of_counts(
    relation: &Source,
    column: &str,
    counts: &[ShownNumber],
    whole: bool,
    enough: &Enough,
) -> Result<Option<String>> {
    if let Some(few) = polled(counts).find(|count| count.records < enough.rows) {
        return Ok(Some(format!(
            "a count of \"{column}\" is of {} rows, and has to be of {}",
            few.records, enough.rows
        )));
    }
    let persons: Vec<&str> = enough.persons.iter().map(|(_, person)| person.as_str()).collect();
    let holders = holders(relation, (!whole).then_some(column), &persons)?;
    for (shown, told) in polled(by_shown(counts)) {
        let of = holders.get(shown).cloned().unwrap_or_default();
        if of.rows != told {
            let within = if whole { "in all".into() } else { format!("within {}", value(shown)) };
            return Ok(Some(format!(
                "the counts of \"{column}\" {within} are of {told} rows, and there are {}",
                of.rows
            )));
        }
        let few = of.persons.iter().zip(&enough.persons).find(|(persons, (least, _))| *persons < least);
        if let Some((persons, (least, _))) = few {
            return Ok(Some(format!(
                "a count of \"{column}\" is of {persons} persons, and has to be of {least}"
            )));
        }
    }
    Ok(None)
}
