//! What a version shows of the kept columns that have a masking. Rounded and top-coded values are made of the column's
//! distinct values. The means of microaggregated columns are those of runs of records within the classes that the view
//! shows; all such columns share the runs (`topdown::numbers`), of as many rows as the most demanding one asks for.

use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, tell, Result, SqlError};
use crate::postgres::progress::{polled, stretches};
use crate::postgres::text::counted;
use crate::read::order::in_order;
use crate::read::table::Column;
use crate::release::store::means::{digits_of_means, more, of_classes, Dominance, Sizes, TellingMeans, MORE};
use crate::search::SearchResult;
use crate::terms::masking::{kept, masking, TopCoded};
use crate::terms::privacy_model::k_anonymity::largest;
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use topdown::measure::{RecordClasses, RequiredSize};
use topdown::numbers::{microaggregate, RankedColumn};
use topdown::progress::check_memory;
use topdown::table::{Codes, Store, NONE};
use topdown::{Code, CodedColumn};

/// The kept columns that are not shown as they are, by their places in the source.
#[derive(Default)]
pub struct KeptColumns {
    columns: HashMap<usize, KeptAs>,
    /// Those microaggregated whose means tell more than that of their rows.
    pub telling: Vec<TellingMeans>,
    /// Those top-coded whose top tells more than the mean of its rows.
    pub telling_tops: Vec<TellingTop>,
}

/// A top that tells more than the mean of its rows.
pub struct TellingTop {
    /// The column.
    pub column: String,
    /// How many rows it has.
    pub rows: u64,
    /// Whether it has just two values, fewer rows of one of them than are asked for: the mean tells how many.
    pub of_two_values: bool,
    /// How what its rows have above the least of them is distributed: where all else lies is nearly known.
    pub dominance: Dominance,
}

/// What is shown of one.
pub struct KeptAs {
    /// Each record's code; [`NONE`] for NULL.
    pub codes: Store,
    /// The values, by code.
    pub values: Vec<Datum>,
}

/// Whether some column of a request is microaggregated, for which its classes are needed.
pub fn needs_classes(request: &Request) -> bool {
    request.kept_by.values().any(|by| matches!(by, masking::Microaggregated(_)))
}

impl KeptColumns {
    /// Of what was found for a request.
    pub fn of(request: &Request, found: &SearchResult, classes: &RecordClasses) -> Result<KeptColumns> {
        let mut kept = KeptColumns::default();
        let mut microaggregated = Vec::new();
        for (&column, by) in &request.kept_by {
            let read = found.table.column(column)?;
            let declaration = &request.source.columns[column].declaration;
            let values = match by {
                masking::Rounded(by) => by.rounded((read.ty, declaration), read.datums())?,
                masking::TopCoded(by) => {
                    let k = largest(&request.arguments.privacy);
                    let (values, telling) = top_coded(by, (read, declaration), found.table.weights(), k)?;
                    kept.telling_tops.extend(telling);
                    values
                }
                masking::Microaggregated(by) => {
                    microaggregated.push((column, by.m));
                    continue;
                }
                _ => return Err(SqlError::internal("a kept column is masked by what is for others")),
            };
            check_memory::<u8>(read.codes.memory_bytes())?;
            let codes = read.codes.clone();
            kept.columns.insert(column, KeptAs::new(read.ty, codes, values.into_iter().map(Some))?);
        }
        if let Some(m) = microaggregated.iter().map(|(_, m)| *m).max() {
            let places: Vec<usize> = microaggregated.into_iter().map(|(column, _)| column).collect();
            kept.means_of_runs(request, found, classes, (&places, m as u64))?;
        }
        Ok(kept)
    }

    /// Takes the means of microaggregated columns in, in runs of at least `m` rows.
    fn means_of_runs(
        &mut self,
        request: &Request,
        found: &SearchResult,
        classes: &RecordClasses,
        (places, m): (&[usize], u64),
    ) -> Result<()> {
        let columns: Vec<&Column> =
            places.iter().map(|&column| found.table.column(column)).collect::<Result<_>>()?;
        let orders = columns.iter().map(|column| Order::of(column)).collect::<Result<Vec<Order>>>()?;
        let in_order = columns.iter().zip(&orders);
        let in_order = in_order.map(|(column, Order { places, positions })| RankedColumn {
            codes: &column.codes,
            ranks: places,
            positions,
        });
        let weights = found.table.weights();
        let runs = microaggregate(classes, &in_order.collect::<Vec<_>>(), weights, m)?;
        for (&place, column) in places.iter().zip(columns) {
            let (ty, values) = (column.ty, column.datums());
            let name = &request.source.columns[place].name;
            let mean = ty.mean().ok_or_else(|| SqlError::internal("a column of no means"))?;
            let digits = |decimals: usize| digits_of_means(ty, decimals, SUMS);
            let means = of_classes(&runs, &column.codes, weights, (ty, &values), (mean, &digits))?;
            let means = without_mean(means, (column, &values, weights), (&runs, classes), name)?;
            let of_values = (&runs, &column.codes, weights);
            let least = [RequiredSize { k: m, persons: None }];
            self.telling.extend(TellingMeans::of(name, &means, of_values, (ty, &values), &least)?);
            check_memory::<u8>(runs.of_records.memory_bytes())?;
            let shown = KeptAs::new(mean, runs.of_records.clone(), means.into_iter())?;
            self.columns.insert(place, shown);
        }
        Ok(())
    }

    /// What is shown of a column; none of one that is shown as it is.
    pub fn get(&self, column: usize) -> Option<&KeptAs> {
        self.columns.get(&column)
    }

    /// A column as it is shown, whether or not it has a masking.
    pub fn released<'a>(&'a self, column: usize, read: &'a Column) -> CodedColumn<'a> {
        match self.get(column) {
            Some(shown) => CodedColumn { codes: &shown.codes, cardinality: shown.values.len() },
            None => CodedColumn { codes: &read.codes, cardinality: read.distinct() },
        }
    }
}

impl KeptAs {
    /// Of codes that say what value a record has: the same value has one code.
    fn new(
        ty: Type,
        mut codes: Store,
        values: impl ExactSizeIterator<Item = Option<Datum>>,
    ) -> Result<KeptAs> {
        check_memory::<(Option<Vec<u8>>, Code, Datum)>(2 * values.len())?;
        let (mut numbers, mut distinct): (HashMap<Vec<u8>, Code>, _) = (HashMap::new(), Vec::new());
        let mut number = |value: Datum| {
            let written = match ty.by_value {
                true => value.value().to_ne_bytes().to_vec(),
                false => ty.output(value).into_bytes(),
            };
            *numbers.entry(written).or_insert_with(|| {
                distinct.push(value);
                distinct.len() as Code - 1
            })
        };
        let map: Vec<Code> = polled(values).map(|value| value.map_or(NONE, &mut number)).collect();
        codes.renumber(&map, NONE)?;
        Ok(KeptAs { codes, values: distinct })
    }
}

/// The values of a column, those above a bound as their mean. Infinity has no mean: it is shown where enough rows have it, and as
/// the mean of the others else. What is no number lies nowhere. Also whether the mean tells more than it should.
fn top_coded(
    by: &TopCoded,
    (column, declaration): (&Column, &str),
    weights: Option<&Codes>,
    k: u64,
) -> Result<(Vec<Datum>, Option<TellingTop>)> {
    let (name, ty) = (&by.column_name, column.ty);
    let mut values = column.datums();
    let compare = ty.comparator().ok_or_else(|| SqlError::internal("a top-coded column has no order"))?;
    let rows = rows_of_codes(column, weights)?;
    let is_infinity = |&code: &usize| ty.output(values[code]).eq_ignore_ascii_case("infinity");
    let infinity = (0..values.len()).filter(|&code| !ty.is_finite(values[code])).find(is_infinity);
    let infinity = infinity.filter(|&code| rows[code] < k && rows[code] > 0);
    let mut above: Vec<usize> = Vec::new();
    let mut of_them = 0;
    let upper = by.upper(ty)?;
    let descending = in_order(ty, &values).into_iter().rev().map(|code| code as usize);
    for code in polled(descending).filter(|&code| ty.is_finite(values[code])) {
        let goes_on = match (upper, above.last()) {
            (Some(upper), _) => compare(values[code], upper) == Ordering::Greater,
            (None, Some(&last)) => of_them < k || compare(values[code], values[last]) == Ordering::Equal,
            (None, None) => true,
        };
        if !goes_on {
            break;
        }
        of_them += rows[code];
        above.push(code);
    }
    if of_them < k && (of_them > 0 || infinity.is_some()) {
        let few = counted(of_them, "row");
        let (message, hint) = match &by.upper {
            Some(upper) => (
                format!(
                    "only {few} with a number above '{}' in column \"{name}\", which is top-coded",
                    clipped(upper)
                ),
                "Lower the bound, or leave it out: then it is the greatest above which enough rows lie.",
            ),
            None => (
                format!("only {few} with a number in column \"{name}\", which is top-coded"),
                "Leave the column out of keep.",
            ),
        };
        let detail = format!("Their mean has to be of {k} rows at least. Infinity is no number.");
        return Err(SqlError::state(message).detail(detail).hint(hint));
    }
    if above.is_empty() {
        if let Some(upper) = by.upper.as_ref().filter(|_| !values.is_empty()) {
            tell(
                format!(
                    "no row has a number above '{}': column \"{name}\" is released as it is",
                    clipped(upper)
                ),
                "Lower the bound, or leave it out: then it is the greatest above which enough rows lie.",
            );
        }
        return Ok((values, None));
    }
    if let ([_], None) = (&above[..], infinity) {
        tell(
            format!("all {of_them} rows above the bound of column \"{name}\" have the same number: it is released as it is"),
            "Name a bound below numbers of few rows.",
        );
    }
    let all: Vec<Datum> = above.iter().map(|&code| values[code]).collect();
    let unit = unit(ty, declaration)?;
    let telling = TellingTop::find(name, (ty, &all, unit), above.iter().map(|&code| rows[code]), k);
    let rows: Codes = above.iter().map(|&code| rows[code] as u32).collect();
    let one = RecordClasses { of_records: above.iter().map(|_| 0).collect(), count: 1 };
    let codes = (0..above.len() as Code).collect();
    let mean = of_classes(&one, &codes, Some(&rows), (ty, &all), (ty, &digits(ty, declaration)?))?;
    let mean = mean.into_iter().next().flatten();
    let mean = mean.ok_or_else(|| SqlError::internal("values without a mean"))?;
    polled(above.into_iter().chain(infinity)).for_each(|code| values[code] = mean);
    Ok((values, telling))
}

impl TellingTop {
    /// Looks at the values of a top, the greatest first, and how many rows have each; none if their mean tells no more than it
    /// should.
    fn find(
        name: &str,
        (ty, values, unit): (Type, &[Datum], f64),
        rows: impl Iterator<Item = u64> + Clone,
        k: u64,
    ) -> Option<TellingTop> {
        let (greatest, least) = (ty.position(*values.first()?)?, ty.position(*values.last()?)?);
        let (mut sizes, mut all) = (Sizes::default(), 0);
        for (&value, rows) in polled(values.iter().zip(rows.clone())) {
            sizes.add(ty.position(value).map_or(0.0, |position| position - least), rows);
            all += rows;
        }
        // The sum is known to a unit of the mean for each row.
        if unit * all as f64 > greatest - least {
            return None;
        }
        // 1.0 and 1.00 are one number.
        let is_greatest = |value: &Datum| ty.position(*value) == Some(greatest);
        let (first, others): (Vec<(&Datum, u64)>, Vec<_>) =
            polled(values.iter().zip(rows)).partition(|(value, _)| is_greatest(value));
        let is_least = |(value, _): &(&Datum, u64)| ty.position(**value) == Some(least);
        let of = |part: &[(&Datum, u64)]| part.iter().map(|(_, rows)| rows).sum::<u64>();
        let of_two_values =
            !others.is_empty() && others.iter().all(is_least) && of(&first).min(of(&others)) < k;
        let dominance = sizes.dominance();
        let tells = of_two_values || dominance != Dominance::None;
        tells.then(|| TellingTop { column: name.into(), rows: all, of_two_values, dominance })
    }
}

/// How many rows hold each value.
pub fn rows_of_codes(column: &Column, weights: Option<&Codes>) -> Result<Vec<u64>> {
    check_memory::<u64>(column.distinct())?;
    let mut rows = vec![0; column.distinct()];
    let mut buffer = Vec::new();
    for records in stretches(column.codes.len()) {
        for (record, &code) in records.clone().zip(column.codes.fetch(records, &mut buffer)?) {
            if let Some(rows) = rows.get_mut(code as usize) {
                *rows += weights.map_or(1, |weights| u64::from(weights.get(record)));
            }
        }
    }
    Ok(rows)
}

/// How many decimals a mean has that is a value of a column, for values that have so many.
fn digits(ty: Type, declaration: &str) -> Result<impl Fn(usize) -> usize> {
    let line = ty.line().ok_or_else(|| SqlError::internal("a column of no means"))?;
    let declared = kept::decimals(line, declaration);
    Ok(move |decimals: usize| declared.unwrap_or_else(|| more(decimals, MORE)))
}

/// What a mean of numbers that are declared so is rounded to; 0 where it has as many digits as it needs.
fn unit(ty: Type, declaration: &str) -> Result<f64> {
    let line = ty.line().ok_or_else(|| SqlError::internal("a column of no means"))?;
    let decimals = kept::decimals(line, declaration).filter(|_| ty.is_number());
    Ok(decimals.map_or(0.0, |decimals| 0.1f64.powi(decimals as i32)))
}

/// Decimals that means have more than the values, so that the sum of a run of a million rows stays what it is.
const SUMS: usize = 6;

/// What is shown of runs that have no mean: what is no number, where all rows of the run hold the same, else NULL. Says how many
/// numbers are lost by that, and in how many classes.
fn without_mean(
    mut means: Vec<Option<Datum>>,
    (column, values, weights): (&Column, &[Datum], Option<&Codes>),
    (runs, classes): (&RecordClasses, &RecordClasses),
    name: &str,
) -> Result<Vec<Option<Datum>>> {
    if means.iter().all(Option::is_some) {
        return Ok(means);
    }
    check_memory::<Option<Code>>(means.len())?;
    let mut held: Vec<Option<Code>> = vec![None; means.len()];
    let (mut lost, mut numbers, mut several) = (HashSet::new(), 0, HashSet::new());
    let (mut codes, mut of_runs, mut of_classes) = (Vec::new(), Vec::new(), Vec::new());
    for records in stretches(column.codes.len()) {
        let codes = column.codes.fetch(records.clone(), &mut codes)?;
        let runs = runs.of_records.fetch(records.clone(), &mut of_runs)?;
        let classes = classes.of_records.fetch(records.clone(), &mut of_classes)?;
        for (((&code, &run), class), record) in codes.iter().zip(runs).zip(classes).zip(records) {
            if means[run as usize].is_some() {
                continue;
            }
            if values.get(code as usize).is_some_and(|&value| column.ty.is_finite(value)) {
                lost.insert(*class);
                numbers += weights.map_or(1, |weights| u64::from(weights.get(record)));
            }
            match held[run as usize] {
                Some(other) if other != code => _ = several.insert(run as usize),
                _ => held[run as usize] = Some(code),
            }
        }
    }
    let shown = column.ty.mean().ok_or_else(|| SqlError::internal("a column of no means"))?;
    for (run, mean) in polled(means.iter_mut().enumerate()).filter(|(_, mean)| mean.is_none()) {
        let same = held[run].filter(|_| !several.contains(&run));
        let value = same.and_then(|code| values.get(code as usize));
        *mean = shown.value_of(value.map(|&value| column.ty.output(value)).as_deref())?;
    }
    if !lost.is_empty() {
        let classes = if lost.len() == 1 { "one class".into() } else { format!("{} classes", lost.len()) };
        tell(
            format!("microaggregated column \"{name}\" shows NULL for {numbers} of its numbers, in {classes}"),
            "There too few rows have no number, and others are shown like them. Sums over such a class are less than the source's, and averages may be off: release a view that has a number for these rows, coalesce(...), to keep them.",
        );
    }
    Ok(means)
}

/// The order of a column's values, as the engine takes it.
struct Order {
    places: Vec<u32>,
    positions: Vec<f64>,
}

impl Order {
    fn of(column: &Column) -> Result<Order> {
        let (ty, values) = (column.ty, column.datums());
        let compare = ty.comparator().ok_or_else(|| SqlError::internal("a column of means has no order"))?;
        check_memory::<(u32, u32, f64)>(values.len())?;
        let (numbers, others): (Vec<usize>, Vec<usize>) = (in_order(ty, &values).into_iter())
            .map(|code| code as usize)
            .partition(|&code| ty.is_finite(values[code]));
        let (mut places, mut positions) = (vec![0; values.len()], Vec::new());
        let mut before: Option<usize> = None;
        for code in polled(numbers) {
            let is_new = before.is_none_or(|before| compare(values[before], values[code]) != Ordering::Equal);
            if is_new {
                positions.push(ty.position(values[code]).unwrap_or_default());
            }
            places[code] = positions.len() as u32 - 1;
            before = Some(code);
        }
        others.into_iter().zip(positions.len() as u32..).for_each(|(code, place)| places[code] = place);
        Ok(Order { places, positions })
    }
}
