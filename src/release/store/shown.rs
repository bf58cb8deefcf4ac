//! What the view shows for the nodes of a masked column that are released, as text: the cut joins the view on it.
//!
//! Mostly that is what a node is called. Intervals may be released as ranges, whose text is PostgreSQL's own, or as
//! labels of one width, so that their texts sort as the intervals do: the ends that are shown are filled up
//! with zeros to the longest of them, on the left, and on the right of a point; an open end is as many blanks. The
//! width depends on nothing that is not shown.

use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::sql::suffixed;
use crate::terms::labels::is_closed;
use crate::terms::words::Intervals;
use pgrx::pg_sys::{self, Oid};
use serde::{Deserialize, Serialize};

/// The kinds of masking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaskedAs {
    /// Along a taxonomy.
    Taxonomy,
    /// By intervals.
    Intervals,
    /// By suppression.
    Suppression,
}

impl MaskedAs {
    /// In a word.
    pub fn shown(self) -> &'static str {
        match self {
            MaskedAs::Taxonomy => "taxonomy",
            MaskedAs::Intervals => "intervals",
            MaskedAs::Suppression => "suppression",
        }
    }
}

/// An end of what a masked column is released as, where that is shown in a column of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Lower,
    Upper,
}

impl End {
    /// The column that shows it of a masked column.
    pub fn column(self, name: &str) -> String {
        suffixed(
            name,
            match self {
                End::Lower => "_lo",
                End::Upper => "_hi",
            },
        )
    }
}

/// How the nodes of a masked column are shown.
#[derive(Debug, Clone, Copy)]
pub enum NodeForm {
    /// By what they are called.
    Label,
    /// As intervals of one width.
    Padded,
    /// As ranges of a type.
    Range(Type),
}

/// The nodes of a masked column.
#[derive(Debug, Clone, Copy)]
pub struct ColumnNodes<'a> {
    /// The column.
    pub attribute: &'a str,
    /// Labels; none for NULL.
    pub labels: &'a [Option<String>],
    /// The lower ends of intervals.
    pub lower: &'a [Option<String>],
    /// The upper ends of intervals.
    pub upper: &'a [Option<String>],
    /// How far below the top.
    pub depths: &'a [i32],
}

impl NodeForm {
    /// Of a column of some type that is masked in some way, where intervals are asked for in a form.
    pub fn new(masked: MaskedAs, intervals: Intervals, ty: Option<Type>) -> NodeForm {
        match (masked, intervals, ty.and_then(|ty| ty.range())) {
            (MaskedAs::Intervals, Intervals::Padded, _) => NodeForm::Padded,
            (MaskedAs::Intervals, Intervals::Range, Some(range)) => NodeForm::Range(range),
            _ => NodeForm::Label,
        }
    }
}

impl ColumnNodes<'_> {
    /// What is shown of each node for which `released` is true, and of the top; none for NULL and for all others.
    pub fn texts(&self, form: NodeForm, released: impl Fn(usize) -> bool) -> Result<Vec<Option<String>>> {
        let all = 0..self.labels.len();
        let own = i32::from(self.labels.iter().any(Option::is_none));
        // The column's own, and what stands over that and NULLs.
        let is_top = |n: usize| self.depths[n] == 0 || self.depths[n] == own && self.labels[n].is_some();
        let is_shown = |n: usize| released(n) || is_top(n);
        match form {
            NodeForm::Label => Ok(all.map(|n| self.labels[n].clone().filter(|_| is_shown(n))).collect()),
            NodeForm::Range(range) => {
                let text = |n| if is_shown(n) { self.range(n, is_top(n), range) } else { Ok(None) };
                all.map(text).collect()
            }
            NodeForm::Padded => {
                let mut width = Width::default();
                for end in all.clone().filter(|&n| released(n)).flat_map(|n| [&self.lower[n], &self.upper[n]])
                {
                    let Some(end) = end else { continue };
                    width.take(&PaddedEnd::new(end).ok_or_else(|| self.no_width(end))?);
                }
                Ok(all.map(|n| self.padded(n, &width).filter(|_| is_shown(n))).collect())
            }
        }
    }

    /// A node as PostgreSQL shows it as a range; none for NULL.
    fn range(&self, node: usize, is_top: bool, range: Type) -> Result<Option<String>> {
        let Some(label) = &self.labels[node] else { return Ok(None) };
        let text = if is_top {
            WHOLE_RANGE.to_string()
        } else {
            let (lower, upper) = (self.lower[node].as_deref(), self.upper[node].as_deref());
            let is_closed = is_closed(label, lower, upper);
            // PostgreSQL writes a whole number or a day that belongs to a range as the next one, which does not.
            let is_last = is_closed && upper.is_some_and(|upper| LAST.contains(&(range.oid, upper)));
            range_text(lower, upper.filter(|_| !is_last), is_closed && !is_last)
        };
        let value = range.parse(&text).map_err(|complaint| {
            SqlError::data(format!("an interval of column \"{}\" cannot be a range", self.attribute))
                .detail(format!("{text} is no {}: {complaint}.", range.name()))
                .hint("Use intervals => 'label' or 'bounds'.")
        })?;
        Ok(Some(range.output(value)))
    }

    /// A node's label with its ends filled up; none for NULL. What has no end is called as it is. A single value is an
    /// interval, too, so that it sorts among the others.
    fn padded(&self, node: usize, width: &Width) -> Option<String> {
        let label = self.labels[node].as_deref()?;
        let (lower, upper) = (self.lower[node].as_deref(), self.upper[node].as_deref());
        if lower.is_none() && upper.is_none() {
            return Some(label.to_string());
        }
        let [from, to] = [lower, upper].map(|end| width.fill(end.and_then(PaddedEnd::new)));
        let open = if lower.is_some() { '[' } else { '(' };
        let close = if is_closed(label, lower, upper) { ']' } else { ')' };
        Some(format!("{open}{from},{to}{close}"))
    }

    fn no_width(&self, end: &str) -> SqlError {
        SqlError::unsupported(format!("the intervals of column \"{}\" cannot be padded", self.attribute))
            .detail(format!(
                "An interval ends at {end}: only numbers from 0 on, dates and times sort as their texts do."
            ))
            .hint("Use intervals => 'bounds': <column>_lo sorts as values do.")
    }
}

/// An end of an interval that sorts by its text, once that is filled up.
struct PaddedEnd<'e> {
    /// Digits, or a date or a time.
    head: &'e str,
    /// Digits behind a point.
    fraction: &'e str,
    /// A time zone, which is the same for all.
    tail: &'e str,
}

impl PaddedEnd<'_> {
    /// The parts of a text; none where it is of another kind: negative, with an exponent, infinite or before Christ.
    fn new(text: &str) -> Option<PaddedEnd<'_>> {
        let (rest, tail) = text.split_at(text.find('+').unwrap_or(text.len()));
        let (head, fraction) = rest.split_once('.').unwrap_or((rest, ""));
        let is_of = |text: &str, others: &str| text.chars().all(|c| c.is_ascii_digit() || others.contains(c));
        let begins = head.starts_with(|c: char| c.is_ascii_digit());
        (begins && is_of(head, "-: ") && is_of(fraction, "") && is_of(tail, "+:")).then_some(PaddedEnd {
            head,
            fraction,
            tail,
        })
    }
}

/// How wide the ends of intervals are.
#[derive(Debug, Default)]
struct Width {
    head: usize,
    fraction: usize,
    tail: usize,
}

impl Width {
    fn take(&mut self, end: &PaddedEnd) {
        self.head = self.head.max(end.head.len());
        self.fraction = self.fraction.max(end.fraction.len());
        self.tail = self.tail.max(end.tail.len());
    }

    fn fill(&self, end: Option<PaddedEnd>) -> String {
        let point = usize::from(self.fraction > 0);
        let Some(PaddedEnd { head, fraction, tail }) = end else {
            return " ".repeat(self.head + point + self.fraction + self.tail);
        };
        let point = if point > 0 { "." } else { "" };
        format!("{head:0>0$}{point}{fraction:0<1$}{tail}", self.head, self.fraction)
    }
}

/// The greatest values of what ranges are of that have a next one for each value: a range up to one of these is open.
const LAST: [(Oid, &str); 3] = [
    (pg_sys::INT4RANGEOID, "2147483647"),
    (pg_sys::INT8RANGEOID, "9223372036854775807"),
    (pg_sys::DATERANGEOID, "5874897-12-31"),
];

/// The range that holds everything.
const WHOLE_RANGE: &str = "(,)";

/// An interval as the text of a range.
fn range_text(lower: Option<&str>, upper: Option<&str>, closed: bool) -> String {
    let quoted = |end: Option<&str>| end.map(|end| format!("\"{end}\"")).unwrap_or_default();
    format!("[{},{}{}", quoted(lower), quoted(upper), if closed { ']' } else { ')' })
}
