//! The means that a release shows beside masked columns: of the source's values in each class of rows that all masked
//! columns show alike. In a class that holds a NULL, or what is no number, there is none, so that no mean is of fewer
//! rows than its class has.

use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::line::Line;
use crate::postgres::progress::{polled, polling, stretches};
use crate::postgres::sql;
use crate::read::order::histogram;
use crate::read::table::Table;
use crate::release::store::nodes::Nodes;
use crate::search::result::GeneralizedColumn;
use crate::search::SearchResult;
use crate::terms::request::Request;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::measure::{self, DecimalColumn, HolderCounter, RecordClasses, Released, RequiredSize};
use topdown::progress::check_memory;
use topdown::table::{Codes, Store};
use topdown::Code;

/// The means of a version.
pub struct Means {
    classes: RecordClasses,
    /// Of each column that has them, those of the classes, by the name of the column that shows them.
    columns: HashMap<String, Vec<Option<Datum>>>,
    /// The masked columns whose means tell more than that of their rows.
    pub telling: Vec<TellingMeans>,
}

/// Means that tell more than that of their rows.
pub struct TellingMeans {
    /// The column that they are of.
    pub column: String,
    /// In how many classes, or runs of one, they tell how many rows hold which of two values, fewer of one than are asked for.
    pub counts: usize,
    /// In how many they nearly tell the value of one row, which is more than [`DOMINANT`] of the sum.
    pub dominated: usize,
    /// In how many others they nearly tell it to somebody who knows the second greatest: what is left of the sum beside both is less
    /// than [`LEFT`] of the greatest.
    pub dominated_by_two: usize,
    /// Of how many.
    pub all: usize,
}

/// Which share of a sum tells the value that has it (the dominance rule of magnitude tables).
pub const DOMINANT: f64 = 0.9;

/// Beside which share of the greatest value the rest of a sum, without the two greatest, hides nothing (the p-percent rule of
/// magnitude tables, for a coalition of two).
pub const LEFT: f64 = 0.1;

/// How a sum is distributed over its rows, or the persons whose they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dominance {
    None,
    /// Beside two rows, or persons, less than [`LEFT`] of the greatest is left.
    Two,
    /// One is more than [`DOMINANT`] of it.
    One,
}

/// The sum of some sizes, and the two greatest.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    sum: f64,
    greatest: f64,
    second: f64,
}

impl Sizes {
    /// Takes so many rows of one size in.
    pub fn add(&mut self, size: f64, rows: u64) {
        if rows == 0 {
            return;
        }
        self.sum += size * rows as f64;
        if size > self.greatest {
            let second = if rows > 1 { size } else { self.greatest };
            (self.greatest, self.second) = (size, second);
        } else {
            self.second = self.second.max(size);
        }
    }

    pub fn dominance(&self) -> Dominance {
        let Sizes { sum, greatest, second } = *self;
        if greatest > DOMINANT * sum {
            Dominance::One
        } else if sum - greatest - second < LEFT * greatest {
            Dominance::Two
        } else {
            Dominance::None
        }
    }
}

/// Of whole numbers a mean has so many decimals; of other numbers as many more than these, up to a limit.
pub const MORE: usize = 2;
const MOST: usize = 15;
/// The decimals of a second.
const MICROSECONDS: usize = 6;

/// The classes of what was found: rows that the view shows alike on all masked columns.
pub fn classes(request: &Request, found: &SearchResult, nodes: &[Nodes]) -> Result<RecordClasses> {
    let columns = found.columns.iter().zip(nodes);
    let numbers: Vec<Vec<u32>> = columns.map(|(c, nodes)| as_shown(c, nodes, request.any())).collect();
    let released: Vec<Released> = (found.columns.iter().enumerate())
        .map(|(a, column)| {
            Ok(Released {
                codes: found.keys(a)?,
                number_of_code: &numbers[a],
                number_count: column.cut.len(),
            })
        })
        .collect::<Result<_>>()?;
    Ok(RecordClasses::build(&released, found.table.records)?)
}

impl Means {
    /// Of what was found for a request, and its classes.
    pub fn of(request: &Request, found: &SearchResult, classes: RecordClasses) -> Result<Means> {
        let (mut columns, mut telling) = (HashMap::new(), Vec::new());
        let least = found.least(request)?;
        for (a, codes) in found.as_read.iter().enumerate() {
            let Some(codes) = codes.as_ref().filter(|_| request.shows_means(a)) else { continue };
            let column = found.table.column(request.masked[a].column)?;
            let values = column.datums();
            let means = of_column(&classes, codes, found.table.weights(), (column.ty, &values), false)?;
            let of_values = (&classes, codes, found.table.weights());
            telling.extend(TellingMeans::of(
                request.name(a),
                &means,
                of_values,
                (column.ty, &values),
                &least,
            )?);
            columns.insert(mean_column(request.name(a)), means);
        }
        Ok(Means { classes, columns, telling })
    }

    /// Of a version that is made of the means of another: of the classes that are released, a mean of those of their rows.
    /// `columns` names the columns of means, and says where each stands in the table.
    pub fn of_means(released: &[Released], table: &Table, columns: Vec<(String, usize)>) -> Result<Means> {
        let classes =
            if columns.is_empty() { no_classes() } else { RecordClasses::build(released, table.records)? };
        let means = |(name, place): (String, usize)| {
            let column = table.column(place)?;
            let values = column.datums();
            let means = of_column(&classes, &column.codes, table.weights(), (column.ty, &values), true)?;
            Ok((name, means))
        };
        let columns = columns.into_iter().map(means).collect::<Result<_>>()?;
        Ok(Means { classes, columns, telling: Vec::new() })
    }

    /// The columns of means, and of how many rows each has none, by its name.
    pub fn lacking(&self, weights: Option<&Codes>) -> Result<Vec<(&str, u64)>> {
        let rows = histogram(&self.classes.of_records, weights, self.classes.count)?;
        let lacking = |means: &Vec<Option<Datum>>| {
            polled(means.iter().zip(&rows))
                .filter(|(mean, _)| mean.is_none())
                .map(|(_, &rows)| rows)
                .sum::<u64>()
        };
        let mut all: Vec<(&str, u64)> =
            self.columns.iter().map(|(name, means)| (name.as_str(), lacking(means))).collect();
        all.sort_unstable();
        Ok(all)
    }

    /// The class of each record, and what each class has in a column of means; none for other columns.
    pub fn of_column(&self, name: &str) -> Option<(&Store, &[Option<Datum>])> {
        self.columns.get(name).map(|means| (&self.classes.of_records, &means[..]))
    }
}

/// Those of no records.
pub fn no_classes() -> RecordClasses {
    RecordClasses { of_records: Store::default(), count: 0 }
}

/// Where the view shows the means of a masked column.
pub fn mean_column(name: &str) -> String {
    sql::suffixed(name, "_mean")
}

/// What each key is released as, by numbers that are the same where the view shows the same.
fn as_shown(column: &GeneralizedColumn, nodes: &Nodes, any: &str) -> Vec<u32> {
    let mut first: HashMap<Option<String>, u32> = HashMap::new();
    let cut = (0..).zip(nodes.of_cut(column, any));
    let alike: Vec<u32> = cut.map(|(number, shown)| *first.entry(shown).or_insert(number)).collect();
    polled(column.numbers()).map(|number| alike[number as usize]).collect()
}

/// The mean of a masked column's values in each class; of values that are means it has the decimals that these have.
fn of_column(
    classes: &RecordClasses,
    codes: &Store,
    weights: Option<&Codes>,
    (ty, values): (Type, &[Datum]),
    are_means: bool,
) -> Result<Vec<Option<Datum>>> {
    let no_mean = || SqlError::internal("a column of no means");
    let mean = ty.mean().ok_or_else(no_mean)?;
    let digits = |decimals: usize| match are_means {
        true => digits_of_means(ty, decimals.max(MORE), 0),
        false => digits_of_means(ty, decimals, MORE),
    };
    of_classes(classes, codes, weights, (ty, values), (mean, &digits))
}

impl TellingMeans {
    /// Of a column's `means` of values in classes; none where no mean tells of too few rows or persons, or nearly tells what one of them has.
    pub fn of(
        name: &str,
        means: &[Option<Datum>],
        (classes, codes, weights): (&RecordClasses, &Store, Option<&Codes>),
        (ty, values): (Type, &[Datum]),
        least: &[RequiredSize],
    ) -> Result<Option<TellingMeans>> {
        // Where there is no mean, it tells nothing.
        let same = equal_values(ty, values)?;
        let counts = few_of_two_values(classes, (codes, &same), weights, least)?;
        let counts =
            polled(counts.iter().zip(means)).filter(|(&tells, mean)| tells && mean.is_some()).count();
        let dominances = match ty.is_number() {
            true => dominances(classes, codes, weights, (ty, values), least)?,
            false => Vec::new(),
        };
        let shown = |is: Dominance| {
            polled(dominances.iter().zip(means)).filter(|(&of, mean)| of == is && mean.is_some()).count()
        };
        let (dominated, dominated_by_two) = (shown(Dominance::One), shown(Dominance::Two));
        let is_any = counts + dominated + dominated_by_two > 0;
        let (column, all) = (name.into(), classes.count);
        Ok(is_any.then_some(TellingMeans { column, counts, dominated, dominated_by_two, all }))
    }
}

/// In which classes the values of one or two rows are nearly the sum of all, or those of one or two persons, where these are counted.
fn dominances(
    classes: &RecordClasses,
    codes: &Store,
    weights: Option<&Codes>,
    (ty, values): (Type, &[Datum]),
    least: &[RequiredSize],
) -> Result<Vec<Dominance>> {
    check_memory::<f64>(values.len())?;
    let size = |&value: &Datum| ty.position(value).filter(|_| ty.is_finite(value)).map_or(0.0, f64::abs);
    let sizes: Vec<f64> = polled(values).map(size).collect();
    let mut worst = vec![Dominance::None; classes.count];
    for persons in std::iter::once(None).chain(least.iter().filter_map(|least| least.persons.map(Some))) {
        check_memory::<(Sizes, Dominance)>(classes.count)?;
        let mut all = vec![Sizes::default(); classes.count];
        let mut of_persons: HashMap<(Code, Code), f64> = HashMap::new();
        let [mut of_codes, mut of_classes, mut whose] = [(); 3].map(|()| Vec::new());
        for records in stretches(codes.len()) {
            let codes = codes.fetch(records.clone(), &mut of_codes)?;
            let classes = classes.of_records.fetch(records.clone(), &mut of_classes)?;
            let whose =
                persons.map(|persons| persons.codes.fetch(records.clone(), &mut whose)).transpose()?;
            // It may grow to twice of what it holds.
            check_memory::<[u64; 2]>(2 * of_persons.len())?;
            for (at, record) in records.enumerate() {
                let size = sizes.get(codes[at] as usize).copied().unwrap_or_default();
                let rows = weights.map_or(1, |weights| weights.get(record).into());
                match whose {
                    None => all[classes[at] as usize].add(size, rows),
                    Some(whose) => {
                        *of_persons.entry((classes[at], whose[at])).or_default() += size * rows as f64
                    }
                }
            }
        }
        polled(of_persons).for_each(|((class, _), size)| all[class as usize].add(size, 1));
        polled(worst.iter_mut().zip(&all)).for_each(|(worst, sizes)| *worst = sizes.dominance().max(*worst));
    }
    Ok(worst)
}

/// Which classes hold just two values, one of which too few rows or persons have: their mean tells how many.
fn few_of_two_values(
    classes: &RecordClasses,
    (codes, same): (&Store, &[Code]),
    weights: Option<&Codes>,
    least: &[RequiredSize],
) -> Result<Vec<bool>> {
    /// The values of a class, until there are three.
    #[derive(Clone, Copy)]
    enum Values {
        None,
        One(Code),
        Two(Code, Code),
        More,
    }
    let same = |code: Code| same.get(code as usize).copied().unwrap_or(code);
    check_memory::<Values>(classes.count)?;
    let mut all = vec![Values::None; classes.count];
    let (mut of_codes, mut of_classes) = (Vec::new(), Vec::new());
    let mut each = |see: &mut dyn FnMut(Code, usize)| -> Result<()> {
        for records in stretches(codes.len()) {
            let codes = codes.fetch(records.clone(), &mut of_codes)?;
            let classes = classes.of_records.fetch(records, &mut of_classes)?;
            codes.iter().zip(classes).for_each(|(&code, &class)| see(same(code), class as usize));
        }
        Ok(())
    };
    each(&mut |code, class| {
        all[class] = match all[class] {
            Values::None => Values::One(code),
            Values::One(one) if one != code => Values::Two(one, code),
            Values::Two(one, other) if one != code && other != code => Values::More,
            values => values,
        }
    })?;
    // The rows of either value by a code of their own, and all others.
    let others = 2 * classes.count as Code;
    check_memory::<Code>(codes.len())?;
    let mut of_values = Vec::with_capacity(codes.len());
    each(&mut |code, class| {
        of_values.push(match all[class] {
            Values::Two(one, _) => 2 * class as Code + Code::from(code != one),
            _ => others,
        })
    })?;
    let mut holders = HolderCounter::new(&of_values.into(), others as usize + 1, weights, least)?;
    check_memory::<bool>(classes.count)?;
    let tells = |(class, values): (Code, &Values)| -> Result<bool> {
        if !matches!(values, Values::Two(..)) {
            return Ok(false);
        }
        let mut are_enough = |value: Code| holders.suffices([value], 1);
        Ok(!are_enough(2 * class)? || !are_enough(2 * class + 1)?)
    };
    polled((0..).zip(&all)).map(tells).collect()
}

/// For each value the first code that is equal to it: 1.0 and 1.00 are one number. None where all differ.
fn equal_values(ty: Type, values: &[Datum]) -> Result<Vec<Code>> {
    let Some(compare) = ty.comparator().filter(|_| !ty.is_equal_by_bytes()) else { return Ok(Vec::new()) };
    check_memory::<[Code; 2]>(values.len())?;
    let mut order: Vec<Code> = polled(0..values.len() as Code).collect();
    order
        .sort_by(polling(|&one: &Code, &other: &Code| compare(values[one as usize], values[other as usize])));
    let mut same = order.clone();
    for equal in order.chunk_by(|&one, &other| compare(values[one as usize], values[other as usize]).is_eq())
    {
        polled(equal).for_each(|&code| same[code as usize] = equal[0]);
    }
    Ok(same)
}

/// The decimals of a mean of values of a type that have so many, and as many more.
pub fn digits_of_means(ty: Type, decimals: usize, further: usize) -> usize {
    match ty.line() {
        // To the day, or as exact as the type is: a coarser one could lie beyond its values.
        Some(Line::Date) => 0,
        Some(Line::Time | Line::Timestamp | Line::TimestampTz) => MICROSECONDS,
        _ => more(decimals, further),
    }
}

/// So many decimals, and as many more, up to a limit: not fewer, else a mean could lie beyond its values.
pub fn more(decimals: usize, further: usize) -> usize {
    (decimals + further).min(MOST).max(decimals)
}

/// The mean of a column's values in each class as a value of a type, with as many digits as that has for values of so many
/// decimals.
pub fn of_classes(
    classes: &RecordClasses,
    codes: &Store,
    weights: Option<&Codes>,
    (ty, values): (Type, &[Datum]),
    (mean, digits): (Type, &dyn Fn(usize) -> usize),
) -> Result<Vec<Option<Datum>>> {
    let line = ty.line();
    let is_moment = matches!(line, Some(Line::Date | Line::Time | Line::Timestamp | Line::TimestampTz));
    check_memory::<(u128, u128)>(2 * values.len())?;
    // Of moments days, or seconds; what is infinite is no number.
    let written = polled(values).map(|&value| match line {
        Some(Line::Date) if ty.is_finite(value) => (value.value() as i32).to_string(),
        _ if is_moment && ty.is_finite(value) => format!("{}e-6", value.value() as i64),
        _ => ty.output(value),
    });
    let values = DecimalColumn::new(written)?;
    let digits = digits(values.decimals);
    check_memory::<(Option<String>, Option<Datum>)>(classes.count)?;
    let means = measure::compute_means(classes, codes, weights, &values, digits)?;
    let unreadable = || SqlError::internal("a mean cannot be read");
    let of_unit = 10i64.pow((MICROSECONDS as u32).saturating_sub(digits as u32));
    let moment = |mean: &String| {
        let units: i64 = mean.replace('.', "").parse().map_err(|_| unreadable())?;
        Ok(if line == Some(Line::Date) { Datum::from(units as i32) } else { Datum::from(units * of_unit) })
    };
    if is_moment {
        return polled(&means).map(|mean| mean.as_ref().map(moment).transpose()).collect();
    }
    let texts = polled(&means).flatten().map(String::as_str);
    let read = mean.parse_all(texts).map_err(|(_, fault)| unreadable().detail(fault))?;
    let mut read = read.into_iter();
    Ok(polled(&means).map(|mean| mean.as_ref().and_then(|_| read.next())).collect())
}
