//! What the counts of the version before tell beside a version, if rows are the same in both: whoever has read both can subtract. Beside
//! each count of then that is what the view shows now, of the column, of another one, and of both together; beside the counts of now,
//! what was counted or shown then.

use crate::postgres::error::{warn_with_hint, Result};
use crate::postgres::progress::polled;
use crate::release::store::counted_before::CountedBefore;
use crate::release::store::counts::{Counts, Division};
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::rows_of_both::RowsOfBoth;
use crate::search::SearchResult;
use crate::terms::request::Request;
use topdown::measure::{RecordClasses, RequiredSize, SmallParts};
use topdown::progress::check_memory;
use topdown::Code;

/// A masked column in the version before.
struct ColumnBefore<'a> {
    name: &'a str,
    /// Its place in the table.
    column: usize,
    /// By its counts, if it had any, else as it was shown.
    counted: CountedBefore,
    has_counts: bool,
    /// As it was shown, if it had counts.
    shown: CountedBefore,
}

/// How the version before counted and showed the masked columns.
pub struct VersionBefore<'a> {
    version: i32,
    found: &'a SearchResult,
    columns: Vec<ColumnBefore<'a>>,
    rows: RowsOfBoth,
}

/// What helps against cuts that tell.
const HINT_OF_CUTS: &str = "Refresh by replay, which keeps the places. A version without counts in between changes nothing: whoever has read the counts keeps them.";

/// The counts of some columns, and how they divide the rows.
type Counted<'a> = Vec<(Counts, Division<'a>)>;

impl<'a> VersionBefore<'a> {
    /// Of what was found for a request that makes the next version.
    pub fn of(
        existing: &ExistingRelease,
        request: &'a Request,
        found: &'a SearchResult,
    ) -> Result<VersionBefore<'a>> {
        let columns = request.masked.iter().zip(&found.columns).enumerate().map(|(a, (masked, column))| {
            let (name, by) = (request.name(a), &masked.by);
            let counts = Counts::read(existing.private, existing.version, name)?;
            let has_counts = !counts.is_empty();
            let nodes = polled(counts).map(|count| count.node).collect();
            let counted = CountedBefore::of(existing, by, nodes, column)?;
            let shown = match has_counts {
                true => CountedBefore::of(existing, by, Vec::new(), column)?,
                false => CountedBefore::Not,
            };
            Ok(ColumnBefore { name, column: column.column, counted, has_counts, shown })
        });
        let columns = columns.collect::<Result<_>>()?;
        let rows = RowsOfBoth::of(existing, request, found)?;
        Ok(VersionBefore { version: existing.version, found, columns, rows })
    }

    /// The parts in which it counted a column, by code.
    pub fn parts(&self, column: usize) -> Option<&[Code]> {
        self.columns[column].counted.parts()
    }

    fn division(&self, column: usize, parts: Option<&[Code]>) -> Result<Option<Division<'a>>> {
        let Some(part_of) = parts else { return Ok(None) };
        check_memory::<Code>(part_of.len())?;
        let most = polled(part_of).max().map_or(0, |&most| most as usize + 1);
        let codes = &self.found.table.column(self.columns[column].column)?.codes;
        Ok(Some(Division { codes, part_of: part_of.to_vec(), parts: most }))
    }

    fn tell(
        &self,
        division: &RecordClasses,
        beside: &[&RecordClasses],
        least: &[RequiredSize],
    ) -> Result<bool> {
        self.rows.tell(division, beside, self.found, least, SmallParts::Neither)
    }

    /// The same of how one and the same column is divided now beside how it was: of the rows that are in both a part of now may have few.
    fn tell_of_itself(
        &self,
        now: &RecordClasses,
        then: &RecordClasses,
        least: &[RequiredSize],
    ) -> Result<bool> {
        self.rows.tell(now, &[then], self.found, least, SmallParts::Counted)
    }

    /// Whether counts of a column tell of few rows beside how it was counted before; that is said.
    pub fn tells_beside(&self, column: usize, counts: &Division, least: &[RequiredSize]) -> Result<bool> {
        let before = &self.columns[column];
        let tells = match self.division(column, before.counted.parts())? {
            None => matches!(before.counted, CountedBefore::Otherwise),
            Some(division) => self.tell_of_itself(&counts.classes()?, &division.classes()?, least)?,
        };
        if tells {
            self.leave_out(before.name, before.name);
        }
        Ok(tells)
    }

    /// Says what is shown now and tells of few rows beside the counts of then, and takes out the counts that do beside how another column
    /// was counted or shown then. Where a column is counted as before, and no row came, that was looked at within the version.
    pub fn look_beside(
        &self,
        shown: &[(&str, Division)],
        counts: &mut Counted,
        least: &[RequiredSize],
    ) -> Result<()> {
        for (a, before) in self.columns.iter().enumerate() {
            if before.has_counts && matches!(before.counted, CountedBefore::Otherwise) {
                self.warn_of_any_cut(before.name);
            }
            let Some(division) = self.division(a, before.counted.parts())? else { continue };
            let of_now = counts.iter().find(|(counts, _)| counts.attribute == before.name);
            if self.rows.are_all() && of_now.is_some_and(|(_, now)| now.divides_as(&division)) {
                continue;
            }
            let counted = division.classes()?;
            if before.has_counts {
                self.look_at_what_is_shown(a, &counted, shown, least)?;
            }
            self.leave_out_where(counts, before.name, |_, division| {
                self.tell(&division.classes()?, &[&counted], least)
            })?;
        }
        for (a, before) in self.columns.iter().enumerate() {
            let Some(division) = self.shown_before(a)? else { continue };
            let other = division.classes()?;
            self.leave_out_where(counts, before.name, |counted, counts| {
                let Some(itself) = self.shown_before(counted)? else { return Ok(false) };
                let is_as_before = shown[counted].1.divides_as(&itself) && shown[a].1.divides_as(&division);
                if self.rows.are_all() && is_as_before {
                    return Ok(false);
                }
                self.tell(&counts.classes()?, &[&itself.classes()?, &other], least)
            })?;
        }
        Ok(())
    }

    /// How a column was shown.
    fn shown_before(&self, column: usize) -> Result<Option<Division<'a>>> {
        let before = &self.columns[column];
        let shown = if before.has_counts { &before.shown } else { &before.counted };
        self.division(column, shown.parts())
    }

    /// Of a column that was counted so, beside what is shown of it, of each other column, and of both together.
    fn look_at_what_is_shown(
        &self,
        column: usize,
        counted: &RecordClasses,
        shown: &[(&str, Division)],
        least: &[RequiredSize],
    ) -> Result<()> {
        let name = self.columns[column].name;
        let itself = shown[column].1.classes()?;
        if self.tell_of_itself(&itself, counted, least)? {
            self.warn_of_cut(name, name);
        }
        for (other, shown) in shown.iter().filter(|(other, shown)| *other != name && shown.parts > 1) {
            let shown = shown.classes()?;
            if self.tell(counted, &[&shown], least)? || self.tell(counted, &[&itself, &shown], least)? {
                self.warn_of_cut(other, name);
            }
        }
        Ok(())
    }

    /// Takes out the counts of other columns of which that holds.
    fn leave_out_where(
        &self,
        all: &mut Counted,
        other: &str,
        tells: impl Fn(usize, &Division) -> Result<bool>,
    ) -> Result<()> {
        for (counts, division) in std::mem::take(all) {
            let column = self.columns.iter().position(|column| column.name == counts.attribute);
            let column = column.filter(|_| counts.attribute != other);
            if column.map(|column| tells(column, &division)).transpose()? == Some(true) {
                self.leave_out(&counts.attribute, other);
            } else {
                all.push((counts, division));
            }
        }
        Ok(())
    }

    /// Says that what is shown of a column tells of few rows beside the counts of a column, or of itself.
    fn warn_of_cut(&self, column: &str, counted: &str) {
        let before = self.version;
        let counts =
            if column == counted { "its counts".into() } else { format!("the counts of \"{counted}\"") };
        warn_with_hint(
            format!("what is shown of column \"{column}\" may tell of few rows beside {counts} in version {before}"),
            "The two divide the rows at different places. If rows are the same in both, whoever has read both can subtract, and what is left is fewer rows or persons than a count has to be of.",
            HINT_OF_CUTS,
        );
    }

    /// Says that what is shown cannot be compared with the counts of a column.
    fn warn_of_any_cut(&self, counted: &str) {
        warn_with_hint(
            format!(
                "what is shown may tell of few rows beside the counts of \"{counted}\" in version {}, of that column or of others",
                self.version
            ),
            "The column is masked in another way now, or its values are called otherwise, so that the two are not compared. If rows are the same in both, whoever has read both can subtract, and what is left may be fewer rows or persons than a count has to be of.",
            HINT_OF_CUTS,
        );
    }

    /// Says that a column has no counts because of how a column, or itself, was counted or shown.
    fn leave_out(&self, column: &str, counted: &str) {
        let of = if column == counted { String::new() } else { format!(" and its column \"{counted}\"") };
        warn_with_hint(
            format!(
                "no counts of column \"{column}\" are shown: beside version {}{of} they may tell of few rows",
                self.version
            ),
            "The two versions divide the rows at different places. If rows are the same in both, whoever has read both can subtract, and what is left is fewer rows or persons than a count has to be of.",
            "The next version can have counts again, made anew: compare them with those of earlier versions yourself.",
        );
    }
}
