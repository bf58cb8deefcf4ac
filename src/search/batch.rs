//! Batches: of the rows that came since the version before and of those that left, only so many change a release that each
//! group of them keeps every model by itself. Whoever reads both versions then learns of a group of newcomers, and of none alone.
//!
//! Rows that came wait until enough others of their group have come; rows that left stay until enough others of theirs have left.
//! Groups are those of the version before: its steps are performed again on all rows, also on those that came ([`regrouped`]). What
//! is refined no further than that later has groups that are made of whole ones of these, so that what holds of each holds of it.
//!
//! Clusters have no steps: rows that came are assigned to those that there are ([`assigned`]).
//!
//! [`regrouped`]: super::regrouped
//! [`assigned`]: super::assigned

use super::rows::{Batch, GroupsOfBefore, Rows};
use super::seen::Looks;
use super::withheld::Held;
use super::{assigned, engine_models, regrouped, sensitive_columns};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::identity::{are_printed_otherwise, no_memory, Compared};
use crate::read::order::{told_apart, Counted};
use crate::read::table::{ReleasedBefore, Table};
use crate::terms::arguments::Arguments;
use crate::terms::request::Request;
use crate::terms::words::ApartBy;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use topdown::measure::{self, BrokenGroup, Released};
use topdown::privacy::PrivacyModel;
use topdown::progress::check_memory;
use topdown::table::Store;
use topdown::CodedColumn;

/// By local recoding, a search leaves groups, and clusters, of so many times the rows that the models ask for. Of smaller ones
/// hardly a part could come or leave by itself. On Adult (42,000 rows, nine columns, k = 50, 1 % exchanged before each of 30 refreshes) 2 % of the rows wait
/// in the end, and 16 % and ever more without room; the certainty loss is .44, and .20 without. (Of 12 times the rows 3 % wait, at
/// .40, and of 8 times 5 %, at .37; by one cut 2 %, at .60.)
///
/// Clusters have hardly more rows than that. Of 16 times the rows up to 3.5 % wait.
pub fn room_of_groups(arguments: &Arguments) -> u64 {
    match arguments.clusters() {
        true => 20,
        false => 16,
    }
}

/// Of each record how many of its rows are in both, came since, and have left.
struct Parts {
    stayed: Vec<u32>,
    came: Vec<u32>,
    left: Vec<u32>,
    /// The records of which any came or left.
    changed: Vec<u32>,
}

/// Of each record how many of its rows come to the next version, stay in it, and leave it.
struct Settled<'a> {
    before: &'a Parts,
    /// How many rows come not yet, because they have no place.
    without_place: usize,
    comes: Vec<u32>,
    stays: Vec<u32>,
    goes: Vec<u32>,
}

/// Has the rows of a source be those of the next version.
pub(super) fn hold(batch: &Batch, request: &Request, rows: &mut Rows) -> Result<Held> {
    rows.table.load()?;
    let is_empty = rows.table.rows == 0;
    let parts = Parts::of(&mut rows.table, batch)?;
    let copy = Rows { left: None, ..rows.copy()? };
    let before = match &batch.groups {
        GroupsOfBefore::BySteps(previous) => {
            let mut before = regrouped::released_before(previous, request, copy, true)?;
            // The last tells which records were there.
            before.pop();
            before
        }
        GroupsOfBefore::Clusters(assigned) => {
            assigned::released_before(assigned, request, copy, identities(&rows.table)?)?
        }
    };
    let groups = Groups::new(request, &rows.table, &before, &parts)?;
    let settled = parts.settle(&groups, batch.erase)?;
    let held = settled.held(identities(&rows.table)?)?;
    let rest: Vec<u32> =
        settled.stays.iter().zip(&settled.comes).map(|(stays, comes)| stays + comes).collect();
    if rest.iter().all(|&rows| rows == 0) {
        return Err(no_rows(is_empty));
    }
    match &batch.groups {
        GroupsOfBefore::BySteps(_) => rows.table.reweigh(rest)?,
        GroupsOfBefore::Clusters(assigned) => {
            rows.table.before = before;
            rows.table.reweigh(rest)?;
            assigned::keep_nulls(assigned, request, &mut rows.table)?;
        }
    }
    Ok(held)
}

/// Nothing could stay beside what goes.
fn no_rows(is_empty: bool) -> SqlError {
    let fault = SqlError::state("no row would be left in the next version");
    match is_empty {
        true => fault
            .detail("The source has no rows that may be released. The current version stays, with all its rows.")
            .hint("Refresh again when it has, or drop the release."),
        false => fault
            .detail("Where changes are batched, what stays and what goes each keeps every model. No group can be divided so. The current version stays, with all its rows.")
            .hint("release_alter(..., changes => 'any', allow_weaker => true) takes the rows as they are now, if these keep the models. Or drop the release."),
    }
}

/// What each record is.
fn identities(table: &Table) -> Result<&[i64]> {
    let identities = table.identities.as_ref().map(|identities| &identities.of_records[..]);
    identities.ok_or_else(no_memory)
}

impl Parts {
    /// Of a source as it is; what left is added to it, as the version before has it.
    fn of(table: &mut Table, batch: &Batch) -> Result<Parts> {
        let now = identities(table)?;
        let Compared { stayed, came, left } = Compared::of(table, now, || batch.version.rows())?;
        let left = left.rest();
        check_memory::<u32>(now.len() + left.len())?;
        let mut parts = Parts { left: vec![0; stayed.len()], stayed, came, changed: Vec::new() };
        if !left.is_empty() {
            table.append(&batch.read(&left)?)?;
        }
        parts.stayed.resize(table.records, 0);
        parts.came.resize(table.records, 0);
        parts.left.resize(table.records, 1);
        let records = polled(0..table.records as u32);
        parts.changed = records.filter(|&record| parts.has_changed(record)).collect();
        Ok(parts)
    }

    fn has_changed(&self, record: u32) -> bool {
        self.came[record as usize] > 0 || self.left[record as usize] > 0
    }

    /// Lets rows come and go so that what comes, what goes and what stays keeps every model, and so does what readers see of each
    /// ([`super::seen`]). Rows of a group that would come or go as too few do not. Where too few would stay, some of those that
    /// left stay, too.
    ///
    /// To `erase` is the other way about: what left goes, and where too few would go, some of those that stayed go, too, and
    /// wait. Nothing comes meanwhile: it might be equal to what goes.
    fn settle(&self, groups: &Groups, erase: bool) -> Result<Settled<'_>> {
        let records = groups.table.records;
        check_memory::<[u32; 4]>(records)?;
        let erase = erase && self.left.iter().any(|&rows| rows > 0);
        let (mut comes, mut without_place) = (self.came.clone(), 0);
        // What has no place in the hierarchies and groups of before waits for one.
        for column in groups.masked {
            let codes = column.codes.load()?;
            let other = column.numbers as u32 - 1;
            polled(&self.changed)
                .filter(|&&record| codes.get(record as usize) == other)
                .for_each(|&record| without_place += std::mem::take(&mut comes[record as usize]) as usize);
        }
        if erase {
            comes.fill(0);
        }
        let waits = self.came.iter().zip(&comes).map(|(came, comes)| came - comes).collect();
        let (stays, goes) = (self.stayed.clone(), self.left.clone());
        let random = StdRng::from_os_rng();
        let mut settling = Settling { groups, comes, waits, stays, goes, erase, step: 0, random };
        // What readers see is looked at when nothing else is left to move: what will not go makes nothing that comes less seen.
        while settling.by_rows()? || settling.by_looks()? {}
        let Settling { comes, stays, goes, .. } = settling;
        Ok(Settled { before: self, without_place, comes, stays, goes })
    }
}

/// Rows on their way to the next version, or not.
struct Settling<'a> {
    groups: &'a Groups<'a>,
    comes: Vec<u32>,
    waits: Vec<u32>,
    stays: Vec<u32>,
    goes: Vec<u32>,
    erase: bool,
    /// How many rows of a group are moved at a time where too few are left: more and more.
    step: u32,
    random: StdRng,
}

impl Settling<'_> {
    /// Has what comes, goes and stays keep the models; whether anything was moved.
    fn by_rows(&mut self) -> Result<bool> {
        let Settling { groups, comes, waits, stays, goes, erase, step, random } = self;
        *step += *step / 4 + 1;
        groups.each(|GroupsOf { all, changed }, model| {
            let mut moved = false;
            for group in groups.broken(changed, model, comes)? {
                moved |= moves(group, comes, waits, u32::MAX, random);
            }
            let (from, of, to) = match *erase {
                true => (&mut *stays, all, &mut *goes),
                false => (&mut *goes, changed, &mut *stays),
            };
            for group in groups.broken(of, model, from)? {
                moved |= moves(group, from, to, u32::MAX, random);
            }
            for group in groups.broken(all, model, to)? {
                let most = group.missing_rows.max(*step);
                moved |= moves(group, from, to, most, random);
            }
            Ok(moved)
        })
    }

    /// The same of what readers see of it.
    fn by_looks(&mut self) -> Result<bool> {
        let Settling { groups, comes, waits, stays, goes, step, random, .. } = self;
        groups.each(|GroupsOf { all, changed }, model| {
            let mut moved = false;
            for looks in &groups.looks {
                // Nothing comes where rows are erased, and what is seen is what happens: below, only what left goes.
                let Some(seen) = looks.seen(comes, goes, stays)? else { continue };
                for group in groups.broken(changed, model, &seen.come)? {
                    moved |= looks.moves(group, &seen.come, (comes, waits), random)?;
                }
                for group in groups.broken(changed, model, &seen.go)? {
                    moved |= looks.moves(group, &seen.go, (goes, stays), random)?;
                }
                for group in groups.broken(all, model, &seen.stay)? {
                    let most = group.missing_rows.max(*step);
                    moved |= moves(group.clone(), goes, stays, most, random)
                        || moves(group, comes, waits, most, random);
                }
            }
            Ok(moved)
        })
    }
}

/// Moves at most so many rows of a group, drawn at random; whether there were any.
fn moves(mut group: BrokenGroup, from: &mut [u32], to: &mut [u32], most: u32, random: &mut StdRng) -> bool {
    let mut left = most;
    group.records.shuffle(random);
    for record in polled(group.records) {
        let (from, to) = (&mut from[record as usize], &mut to[record as usize]);
        let rows = left.min(*from);
        *from -= rows;
        *to += rows;
        left -= rows;
    }
    left < most
}

impl Settled<'_> {
    /// What comes not yet, and what goes not yet.
    fn held(&self, identities: &[i64]) -> Result<Held> {
        let Settled { before, comes, stays, goes, .. } = self;
        let mut held = Held { without_place: self.without_place, ..Held::default() };
        for (record, &row) in polled(identities.iter().enumerate()) {
            let of = |rows: u32| std::iter::repeat_n(row, rows as usize);
            let without = before.stayed[record].saturating_sub(stays[record]);
            held.waiting.extend(of(before.came[record] - comes[record] + without));
            held.lingering.extend(of(before.left[record].saturating_sub(goes[record])));
        }
        Ok(held)
    }
}

/// The groups of the version before, and what models count in them.
struct Groups<'a> {
    table: &'a Table,
    masked: &'a [ReleasedBefore],
    /// By what is shown, and by how it is printed where that may be another.
    looks: Vec<Looks>,
    models: Vec<PrivacyModel>,
    looked_at: Vec<LookedAt>,
    sensitive: Vec<Counted>,
    persons: Vec<Store>,
    same: Vec<u32>,
    parts: &'a Parts,
    /// Where all models look at the same groups, these are made once.
    made: Option<GroupsOf>,
}

/// The groups of all records, and those of the records of which any came or left.
struct GroupsOf {
    all: measure::MemberGroups,
    changed: measure::MemberGroups,
}

/// Groups by some of the columns of before, and the models that look at them, which tell persons apart alike.
struct LookedAt {
    columns: Vec<usize>,
    person: Option<usize>,
    models: Vec<usize>,
}

impl<'a> Groups<'a> {
    fn new(
        request: &Request,
        table: &'a Table,
        masked: &'a [ReleasedBefore],
        parts: &'a Parts,
    ) -> Result<Groups<'a>> {
        let sensitive = request.sensitive.iter().map(|&column| Counted::new(table.column(column)?));
        let sensitive: Vec<Counted> = sensitive.collect::<Result<_>>()?;
        let persons = request.persons.iter().map(|&column| {
            let mut column = table.column(column)?.clone();
            Ok(told_apart(&mut column)?.0)
        });
        let changed = (identities(table)?, &parts.changed[..]);
        let as_they_are =
            request.as_they_are().map(|place| table.column(place)).collect::<Result<Vec<_>>>()?;
        let is_printed = as_they_are.iter().any(|column| are_printed_otherwise(column.ty));
        let by = [Some(ApartBy::Shown), is_printed.then_some(ApartBy::Printed)].into_iter().flatten();
        let looks = by.map(|by| Looks::new(request, table, masked, changed, by));
        let widest = masked.iter().map(|column| column.numbers).max().unwrap_or_default();
        check_memory::<u32>(widest)?;
        let named = sensitive_columns(request, (&sensitive, table), &[], false);
        let models = engine_models(request, &request.arguments.privacy, &named)?;
        let mut groups = Groups {
            table,
            masked,
            looks: looks.collect::<Result<_>>()?,
            looked_at: looked_at(request, &models, masked)?,
            models,
            sensitive,
            persons: persons.collect::<Result<_>>()?,
            same: (0..widest as u32).collect(),
            parts,
            made: None,
        };
        if let [looked_at] = &groups.looked_at[..] {
            groups.made = Some(groups.of(looked_at)?);
        }
        Ok(groups)
    }

    /// Looks at the groups of each model; whether that was true of any.
    fn each(&self, mut look: impl FnMut(&GroupsOf, usize) -> Result<bool>) -> Result<bool> {
        let mut any = false;
        for looked_at in polled(&self.looked_at) {
            let of = match &self.made {
                Some(made) => made,
                None => &self.of(looked_at)?,
            };
            for &model in &looked_at.models {
                any |= look(of, model)?;
            }
        }
        Ok(any)
    }

    /// The groups that models look at.
    fn of(&self, LookedAt { columns, person, .. }: &LookedAt) -> Result<GroupsOf> {
        let columns = columns.iter().map(|&at| {
            let ReleasedBefore { codes, numbers, .. } = &self.masked[at];
            Released { codes, number_of_code: &self.same[..*numbers], number_count: *numbers }
        });
        let persons = person.map(|at| &self.persons[at]);
        let all = measure::MemberGroups::build(&columns.collect::<Vec<_>>(), self.table.records, persons)?;
        let changed = all.filter_records(|record| self.parts.has_changed(record))?;
        Ok(GroupsOf { all, changed })
    }

    /// Those that break a model with so many rows of each record.
    fn broken(
        &self,
        groups: &measure::MemberGroups,
        model: usize,
        weights: &[u32],
    ) -> Result<Vec<BrokenGroup>> {
        let model = &self.models[model];
        let sensitive = model.sensitive().map(|at| &self.sensitive[at]);
        let sensitive =
            sensitive.map(|counted| CodedColumn { codes: &counted.codes, cardinality: counted.cardinality });
        Ok(groups.find_broken(model, sensitive, weights)?)
    }
}

/// Which groups models look at: those by their own columns. By local recoding and of clusters those by all columns, as the search does:
/// only of these are the groups of a version made, whatever its regions are divided by.
fn looked_at(request: &Request, models: &[PrivacyModel], masked: &[ReleasedBefore]) -> Result<Vec<LookedAt>> {
    let place = |attribute: usize| {
        let name = request.name(attribute);
        let place = masked.iter().position(|column| column.name == name);
        place.ok_or_else(|| SqlError::internal("a column that was not masked before"))
    };
    let mut all: Vec<LookedAt> = Vec::new();
    for (at, model) in models.iter().enumerate() {
        let sets = match request.arguments.is_by_group() {
            true => vec![(0..request.masked.len()).collect()],
            false => model.column_sets().collect(),
        };
        for set in polled(sets) {
            let columns = set.into_iter().map(place).collect::<Result<Vec<usize>>>()?;
            let person = model.person();
            match all.iter_mut().find(|other| (&other.columns, other.person) == (&columns, person)) {
                Some(other) => other.models.push(at),
                None => all.push(LookedAt { columns, person, models: vec![at] }),
            }
        }
    }
    Ok(all)
}
