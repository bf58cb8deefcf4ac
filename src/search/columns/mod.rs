//! privacy_columns: the columns of a source are read once, and of each it is told what it singles out, what part it
//! seems to play ([`role`]) and how it could be masked ([`masking`]). What is counted is exact, what is advised is a
//! guess: a source cannot say what somebody outside knows.

mod facts;
mod masking;
mod role;

use crate::postgres::activity::{self, Phase};
use crate::postgres::error::Result;
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::Column;
use facts::{Declared, Facts};
use role::Role;
use topdown::measure::count_leave_one_out;
use topdown::table::Store;

/// What is told of a column.
#[derive(Debug)]
pub struct ColumnRow {
    pub name: String,
    pub type_name: String,
    pub distinct: u64,
    pub nulls: u64,
    /// The share of rows in groups of fewer than k by this column alone.
    pub alone: f64,
    /// How much the share by all columns of the quasi-identifier falls without this one.
    pub adds: f64,
    pub role: &'static str,
    pub masking: String,
    pub reason: String,
}

/// A guess what somebody learns of a column that is released as it is, with the reason.
pub enum TellsWho {
    /// It says who somebody is.
    Identity(String),
    /// It says which rows are of one person, or of one thing.
    Key(String),
}

/// Guesses whether columns of a source that are released as they are say who somebody is, or whose a row is: the same guess that
/// [`columns`] makes.
pub struct Guesses<'a> {
    source: &'a Source,
    declared: Vec<Declared>,
    k: u64,
}

impl<'a> Guesses<'a> {
    pub fn new(source: &'a Source, k: u64) -> Result<Guesses<'a>> {
        Ok(Guesses { source, declared: Declared::all(source)?, k })
    }

    /// Guesses of one column, whose values are in so many rows each, and NULL in so many.
    pub fn guess(&self, place: usize, column: &Column, counts: (&[u64], u64)) -> Result<Option<TellsWho>> {
        let (name, declared) = (&self.source.columns[place].name, self.declared[place].clone());
        let facts = Facts::of_counts(name, declared, column, counts, self.k)?;
        Ok(role::tells_who(&facts).map(|(role, why)| match role {
            Role::Person => TellsWho::Key(why),
            _ => TellsWho::Identity(why),
        }))
    }
}

/// Looks at all columns of a source.
pub fn columns(source: &Source, k: u64) -> Result<Vec<ColumnRow>> {
    let declared = Declared::all(source)?;
    activity::enter(Phase::Reading);
    let places: Vec<usize> = (0..source.columns.len()).collect();
    let mut table = scan::read(source, &places)?;
    activity::enter(Phase::Binding);
    let (mut rows, mut numbered) = (Vec::new(), Vec::new());
    for (&place, declared) in places.iter().zip(declared) {
        let column = &source.columns[place];
        let (facts, codes) = Facts::of(&column.name, declared, table.column_mut(place)?, k)?;
        let (role, reason) = role::role(&facts, k);
        if role == Role::QuasiIdentifier {
            numbered.push((place, codes));
        }
        rows.push(ColumnRow {
            name: column.name.clone(),
            type_name: column.type_name.clone(),
            distinct: facts.distinct,
            nulls: facts.nulls,
            alone: facts.share(facts.below),
            adds: 0.0,
            role: role.name(),
            masking: masking::masking(&facts, role),
            reason,
        });
    }
    activity::enter(Phase::Searching);
    let (codes, cardinalities): (Vec<&Store>, Vec<usize>) =
        numbered.iter().map(|(_, (codes, cardinality))| (codes, *cardinality)).unzip();
    let counted = count_leave_one_out(&codes, &cardinalities, table.rows, k)?;
    for ((place, _), left) in numbered.iter().zip(counted.without) {
        rows[*place].adds = (counted.all - left) as f64 / (table.rows as f64).max(1.0);
    }
    Ok(rows)
}
