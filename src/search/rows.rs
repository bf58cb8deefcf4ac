//! A source as it was read, before anything is laid over it: the place where withheld rows are taken out, whichever verb
//! asks and by whatever the columns are masked.

use super::trace::TraceTree;
use super::withheld::{self, Withheld};
use super::Trace;
use crate::postgres::activity::{self, Phase};
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::postgres::settings;
use crate::read::counted::{self, Reading};
use crate::read::excluded::{self, WithheldBefore};
use crate::read::identity::{no_memory, HashKey};
use crate::read::order::called;
use crate::read::scan;
use crate::read::table::{Identities, Table};
use crate::read::version_table::VersionTable;
use crate::read::writers::Writers;
use crate::terms::labels::LabelAndEnds;
use crate::terms::request::{Population, Request};
use crate::terms::words::Changes;
use hashbrown::{HashMap, HashSet};
use std::rc::Rc;
use std::time::Instant;
use topdown::table::Store;

/// The part of the budget that may be taken by what the rows are, until they are written.
const SHARE: usize = 8;

/// What is to be left out, whatever a search withholds.
#[derive(Default)]
pub struct Exclusions<'a> {
    /// What earlier versions withheld.
    pub before: Option<&'a WithheldBefore>,
    /// Whether rows without a place are left out and no error.
    pub unknown: bool,
    /// The version before, where its groups are to be compared with those that are searched for.
    pub previous: Option<Previous>,
    /// The key by which each row is told what it is, if a version is made of them: writers are kept out while they are read.
    pub hash_key: Option<HashKey>,
    /// The version before, where rows come and leave in batches.
    pub batch: Option<Batch>,
}

/// The version before, if a search made it: its request without the models, its steps, its groups where these are compared, and
/// the texts of columns whose equal values may print differently.
#[derive(Debug)]
pub struct Previous {
    pub request: Request,
    pub trace: Trace,
    pub published: Option<Published>,
    pub texts: HashMap<String, Vec<String>>,
}

/// The version before, as its rows were in the source, and how its groups are found again.
pub struct Batch {
    pub groups: GroupsOfBefore,
    pub version: Rc<VersionTable>,
    /// Where the source has the columns of the version's table.
    pub at: HashMap<usize, usize>,
    /// Whether what left goes at once.
    pub erase: bool,
}

impl Batch {
    /// Those of the version's rows that are some of these, so many times, as they were in the source.
    pub fn read(&self, rows: &[(i64, u32)]) -> Result<Table> {
        let places: Vec<usize> = self.at.keys().copied().collect();
        let table = self.version.read(&places, Some(rows))?;
        Ok(table.at(|place| self.at.get(&place).copied()))
    }
}

/// What a version of clusters shows of each of its rows.
pub struct Assigned {
    /// The trees of the masked columns, in the order of the request.
    pub trees: Rc<[TraceTree]>,
    /// What the rows are.
    pub rows: Vec<i64>,
    /// Of each masked column the place in its tree of what each of them is shown as.
    pub shown: Vec<Store>,
}

/// How the groups of the version before are found again.
pub enum GroupsOfBefore {
    /// Its steps lead to them.
    BySteps(Box<Previous>),
    /// They are clusters, and its table says which rows are in which.
    Clusters(Assigned),
}

/// The groups of a version by all its masked columns, as it was published.
#[derive(Debug, Default)]
pub struct Published {
    /// Of each column its place in a group, and the numbers of what is released of it.
    pub columns: HashMap<String, (usize, HashMap<LabelAndEnds, u32>)>,
    pub groups: HashSet<Vec<u32>>,
}

/// What becomes of rows that hold a value without a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WithoutPlace {
    /// They are an error.
    Refused,
    /// They are withheld, and so are all rows that are equal to them: so many at most.
    Withheld(usize),
    /// They are left out of what is compared, and their equals are not.
    LeftOut,
}

/// Whether there is memory to tell so many records apart. Where changes are batched there has to be: no refresh would know who came. No
/// other call is worth less without.
fn may_tell_apart(request: &Request, records: usize) -> Result<bool> {
    match records * size_of::<i64>() <= settings::max_memory() / SHARE {
        false if request.arguments.changes == Changes::Batched => Err(no_memory()),
        fits => Ok(fits),
    }
}

/// A source as it was read, without the rows that were withheld before: nothing is laid over it yet.
pub(super) struct Rows {
    pub(super) table: Table,
    pub(super) reading: Reading,
    pub(super) withheld: Withheld,
    /// How many rows a search may withhold still; none where the call has no share to name.
    pub(super) left: Option<usize>,
    pub(super) without_place: WithoutPlace,
    /// Seconds.
    pub(super) scan: f64,
}

impl Rows {
    /// Reads what a request asks for, and what is needed to tell which rows were withheld and released as what.
    pub(super) fn read(request: &Request, exclusions: &Exclusions) -> Result<Rows> {
        activity::enter(Phase::Reading);
        let start = Instant::now();
        let before = exclusions.before.filter(|before| !before.is_empty());
        let mut all = request.columns();
        if let Some(before) = before {
            all.extend(before.columns(&request.source)?);
        }
        all.extend(exclusions.previous.iter().flat_map(|previous| previous.request.columns()));
        all.sort_unstable();
        all.dedup();
        let writers = if exclusions.hash_key.is_some() { Writers::AsIsSet } else { Writers::GoOn };
        let (mut table, reading) = match request.arguments.clusters() {
            true => counted::every(&request.source, &all, writers, "a clustering asks for every row")?,
            false => counted::read(&request.source, &all, writers)?,
        };
        let hash_key = match exclusions.hash_key {
            Some(key) if may_tell_apart(request, table.records)? => Some(key),
            _ => None,
        };
        if let Some(key) = hash_key {
            let mut identities = Identities::of(key, &request.source, &table, &request.columns())?;
            for masked in &request.masked {
                identities.also(masked.by.content()?);
            }
            table.identities = Some(identities);
        }
        let most = withheld::most(request, table.rows);
        let mut withheld = Withheld::default();
        let without_place = match exclusions.unknown {
            true => withheld::most_without_place(request, table.rows),
            false => 0,
        };
        if before.is_some() || most.is_some_and(|most| most > 0) || without_place > 0 {
            // Rows are taken out of what is in memory.
            table.load()?;
        }
        if let Some(before) = before {
            let goes = before.held(&request.source, &table)?;
            withheld.take(request, &mut table, &goes)?;
            if let Some(most) = most.filter(|&most| withheld.rows > most) {
                return Err(withheld::too_many(withheld.rows, most, request.arguments.changes));
            }
        }
        let left = most.map(|most| most - withheld.rows);
        let without_place = match without_place.saturating_sub(withheld.rows) {
            0 => WithoutPlace::Refused,
            most => WithoutPlace::Withheld(most),
        };
        Ok(Rows { table, reading, withheld, left, without_place, scan: start.elapsed().as_secs_f64() })
    }

    /// Reads what a request asks for row by row, and leaves nothing out.
    pub(super) fn every(request: &Request, reason: &str) -> Result<Rows> {
        activity::enter(Phase::Reading);
        let start = Instant::now();
        let table = scan::read(&request.source, &request.columns())?;
        let (reading, withheld) = (Reading::of_rows(reason), Withheld::default());
        let (left, without_place) = (None, WithoutPlace::Refused);
        Ok(Rows { table, reading, withheld, left, without_place, scan: start.elapsed().as_secs_f64() })
    }

    /// Joins the populations that models count, by the columns that these ask of.
    pub(super) fn join(&mut self, request: &Request, hash_key: Option<HashKey>) -> Result<()> {
        let own: Vec<(usize, usize)> = (request.masked.iter())
            .filter(|masked| !masked.by.is_by_rule())
            .map(|masked| Ok((masked.column, self.table.column(masked.column)?.distinct())))
            .collect::<Result<_>>()?;
        for Population { source, columns, .. } in &request.populations {
            let places: Vec<usize> = columns.iter().map(|&(_, there)| there).collect();
            let (mut there, _) = counted::read(source, &places, Writers::GoOn)?;
            // Whether a release is as it was depends on them, too.
            if let Some((mut identities, key)) = self.table.identities.take().zip(hash_key) {
                if may_tell_apart(request, there.records)? {
                    identities.also(Identities::of(key, source, &there, &places)?.of_source as u64);
                    self.table.identities = Some(identities);
                }
            }
            self.table.join(&mut there, columns)?;
        }
        // A value of a population that is equal to one of the source and printed otherwise (2.0 and 2.00) is that value. A rule
        // goes by how a value is written.
        for (place, own) in own {
            let column = self.table.column_mut(place)?;
            if column.distinct() > own && !column.ty.is_equal_by_bytes() {
                let mut texts = column.texts();
                texts.truncate(own);
                let equal = called(column, |text| text, &texts);
                column.called.extend(equal.into_iter().filter(|&(code, _)| code as usize >= own));
            }
        }
        Ok(())
    }

    pub(super) fn copy(&self) -> Result<Rows> {
        let (reading, withheld) = (self.reading.clone(), self.withheld.clone());
        Ok(Rows { table: self.table.copy()?, reading, withheld, ..*self })
    }

    /// Some records, and those that are equal to them on the masked columns; and how many rows these are.
    pub(super) fn with_equals(&self, request: &Request, goes: Vec<bool>) -> Result<(Vec<bool>, usize)> {
        let masked: Vec<usize> = request.masked.iter().map(|masked| masked.column).collect();
        let goes = excluded::with_equals(&request.source, &self.table, &masked, goes)?;
        let rows =
            polled(0..goes.len()).filter(|&record| goes[record]).map(|record| self.table.rows_of(record));
        let rows = rows.sum();
        Ok((goes, rows))
    }

    /// Takes records out that no version before has withheld.
    pub(super) fn without(mut self, request: &Request, goes: &[bool]) -> Result<Rows> {
        let before = self.withheld.rows;
        self.withheld.take_and_remember(request, &mut self.table, goes)?;
        let newly = self.withheld.rows - before;
        self.left = self.left.map(|left| left.saturating_sub(newly));
        Ok(self)
    }
}
