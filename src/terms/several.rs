//! Values that hold several facts: documents, lists, rows, and texts of several words. A group may be as large as it should be by
//! such a value, and the value still tells a name or an illness that nobody meant to release.

use super::sentences::holds_several;
use crate::postgres::datum::Composed;
use crate::postgres::sql::quote;
use crate::read::table::Column;

/// Why values hold several facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Several {
    /// They are of a type that is made for it.
    Type(Composed),
    /// So many of the distinct values are texts of several words, or documents.
    Texts(usize),
}

impl Several {
    /// Looks at the type of a column and, if that is text, at all its distinct values.
    pub fn find(column: &Column) -> Option<Several> {
        if let Some(composed) = column.ty.composed() {
            return Some(Several::Type(composed));
        }
        if !column.ty.is_text() && !column.ty.is_called("citext") {
            return None;
        }
        let texts = column.bytes().filter(|text| holds_several(&String::from_utf8_lossy(text))).count();
        (texts > 0).then_some(Several::Texts(texts))
    }

    /// What to release in place of a column.
    pub fn way_out(self, name: &str) -> String {
        let column = quote(name);
        let part = match self {
            Several::Type(Composed::Json) => Some(format!("{column} ->> 'key' AS key")),
            Several::Type(Composed::Hstore) => Some(format!("{column} -> 'key' AS key")),
            Several::Type(Composed::Array) => Some(format!("{column}[1] AS first")),
            Several::Type(Composed::Row) => Some(format!("({column}).field")),
            Several::Type(Composed::Xml | Composed::Words) | Several::Texts(_) => None,
        };
        let example = part.map(|part| format!(", as {part}")).unwrap_or_default();
        format!("release a view that has only the facts that are meant{example}")
    }
}
