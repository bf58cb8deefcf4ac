//! What is known of a column before anything is guessed: what its table declares of it, how many rows have each
//! value, how far its values reach, and what its texts look like.

use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, Values};
use crate::read::order::{histogram, told_apart};
use crate::read::source::Source;
use crate::read::table::Column;
use crate::terms::looks::{looks, spread, Looks};
use crate::terms::readings::alike;
use crate::terms::several::Several;
use pgrx::pg_sys;
use topdown::progress::check_memory;
use topdown::table::Store;

/// What the table says of a column.
#[derive(Debug, Clone, Default)]
pub struct Declared {
    /// Whether it is the primary key.
    pub is_primary: bool,
    /// Whether no two rows have the same value.
    pub is_unique: bool,
    /// The name of the table that it refers to.
    pub refers_to: Option<String>,
    /// Its security labels, of whatever provider.
    pub labels: Vec<String>,
}

impl Declared {
    /// Of all columns of a source, in order.
    pub fn all(source: &Source) -> Result<Vec<Declared>> {
        let mut all = vec![Declared::default(); source.columns.len()];
        let keys = sql::rows(
            "SELECT a.attname::text, pg_catalog.bool_or(i.indisprimary)
             FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
             WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1
             GROUP BY a.attname",
            &[source.oid.into()],
            |row| Ok((row.not_null::<String>(1)?, row.not_null::<bool>(2)?)),
        )?;
        for (name, is_primary) in keys {
            let column = &mut all[source.column(&name)?];
            (column.is_unique, column.is_primary) = (true, is_primary);
        }
        let references = sql::rows(
            "SELECT a.attname::text, c.relname::text
             FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.confrelid
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
             WHERE k.conrelid = $1 AND k.contype = 'f' AND pg_catalog.cardinality(k.conkey) = 1
             ORDER BY k.conname DESC",
            &[source.oid.into()],
            |row| Ok((row.not_null::<String>(1)?, row.not_null::<String>(2)?)),
        )?;
        for (name, table) in references {
            all[source.column(&name)?].refers_to = Some(table);
        }
        for (name, label) in source.labels()? {
            all[source.column(&name)?].labels.push(label);
        }
        Ok(all)
    }
}

/// Where the values of a type on a line lie.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub least: f64,
    pub greatest: f64,
    /// Whether all are whole numbers, whatever the type.
    pub is_whole: bool,
}

/// What was counted of a column, and what its values look like.
#[derive(Debug)]
pub struct Facts<'a> {
    pub name: &'a str,
    pub ty: Type,
    pub declared: Declared,
    pub rows: u64,
    pub nulls: u64,
    /// Distinct values, NULL not counted.
    pub distinct: u64,
    /// Rows with a value that no other row has, NULL not counted.
    pub single: u64,
    /// Rows in groups of fewer than k by this column alone, NULL being one group.
    pub below: u64,
    pub extent: Option<Extent>,
    pub looks: Option<Looks>,
    /// Two values that differ in nothing that shows, of not too many.
    pub alike: Option<(String, String)>,
    /// Whether a value reads like a suppressed one.
    pub holds_star: bool,
    /// Whether a value may hold several facts.
    pub several: Option<Several>,
}

impl<'a> Facts<'a> {
    /// Counts a column; and its codes without gaps, with how many there are.
    pub fn of(
        name: &'a str,
        declared: Declared,
        column: &mut Column,
        k: u64,
    ) -> Result<(Facts<'a>, (Store, usize))> {
        let named = Facts::named(name, declared, column)?;
        let (codes, cardinality) = told_apart(column)?;
        check_memory::<u64>(cardinality)?;
        let counts = histogram(&codes, None, cardinality)?;
        let values = cardinality - usize::from(column.nulls);
        let nulls = counts[values..].iter().sum();
        Ok((named.counted(&counts[..values], nulls, k), (codes, cardinality)))
    }

    /// A column whose values are in so many rows each, and NULL in so many.
    pub fn of_counts(
        name: &'a str,
        declared: Declared,
        column: &Column,
        (counts, nulls): (&[u64], u64),
        k: u64,
    ) -> Result<Facts<'a>> {
        Ok(Facts::named(name, declared, column)?.counted(counts, nulls, k))
    }

    /// What is known of a column before its rows are counted.
    fn named(name: &'a str, declared: Declared, column: &Column) -> Result<Facts<'a>> {
        let texts = column.texts_at(spread(column.distinct()));
        let (extent, looks) = (extent(column)?, looks(&texts));
        let is_text = column.ty.is_text();
        let alike = alike(&texts).filter(|_| is_text).map(|(one, other)| (one.into(), other.into()));
        Ok(Facts {
            name,
            ty: column.ty,
            declared,
            rows: 0,
            nulls: 0,
            distinct: 0,
            single: 0,
            below: 0,
            extent,
            looks,
            alike,
            holds_star: column.ty.is_text() && column.bytes().any(|text| *text == *b"*"),
            several: Several::find(column),
        })
    }

    /// Takes in how many rows each value has.
    fn counted(mut self, counts: &[u64], nulls: u64, k: u64) -> Facts<'a> {
        (self.nulls, self.distinct) = (nulls, counts.len() as u64);
        for n in polled(counts.iter().copied().chain((nulls > 0).then_some(nulls))) {
            self.rows += n;
            self.below += if n < k { n } else { 0 };
        }
        polled(counts).for_each(|&n| self.single += u64::from(n == 1));
        self
    }

    /// A share of all rows.
    pub fn share(&self, rows: u64) -> f64 {
        rows as f64 / (self.rows as f64).max(1.0)
    }

    /// Rows with a value.
    pub fn held(&self) -> u64 {
        self.rows - self.nulls
    }

    /// In how many rows a value is on average.
    pub fn rows_per_value(&self) -> f64 {
        self.held() as f64 / (self.distinct as f64).max(1.0)
    }
}

/// Where the values lie that are not infinite.
fn extent(column: &Column) -> Result<Option<Extent>> {
    if !column.ty.is_measurable() {
        return Ok(None);
    }
    check_memory::<pg_sys::Datum>(column.distinct())?;
    let mut extent: Option<Extent> = None;
    for value in polled(column.datums()) {
        let Some(position) = column.ty.position(value).filter(|position| position.is_finite()) else {
            continue;
        };
        let whole = position.fract() == 0.0;
        let so_far = extent.unwrap_or(Extent { least: position, greatest: position, is_whole: true });
        extent = Some(Extent {
            least: so_far.least.min(position),
            greatest: so_far.greatest.max(position),
            is_whole: so_far.is_whole && whole,
        });
    }
    Ok(extent)
}
