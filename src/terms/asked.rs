//! The queries by which it is measured how far off a release's answers are: random ones, or those that an owner gives as
//! JSON. What they ask of which column is checked where the columns are bound.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::stored::from_json;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Which queries are asked.
#[derive(Debug)]
pub enum Ask {
    /// Up to so many, drawn by a seed.
    Random { count: usize, seed: u64 },
    /// These.
    Given(Vec<AskedQuery>),
}

/// How many queries release_suggest draws, and by which seed; and who asks for no others.
pub const QUERIES: usize = 400;
pub const SEED: u64 = 1;

impl Ask {
    /// By what versions are measured that tell of their errors.
    pub const TOLD: Ask = Ask::Random { count: QUERIES, seed: SEED };

    /// So many at most.
    const MOST: usize = 10_000;

    /// Random ones.
    pub fn random(count: i32, seed: i32) -> Result<Ask> {
        match usize::try_from(count) {
            Ok(count @ 1..=Ask::MOST) => Ok(Ask::Random { count, seed: i64::from(seed) as u64 }),
            _ => Err(SqlError::parameter(format!("count must be between 1 and {}, not {count}", Ask::MOST))
                .detail("It says how many queries are drawn: a third each over one, two and three columns.")),
        }
    }

    /// Those of a JSON array.
    pub fn given(queries: &JsonText) -> Result<Ask> {
        let example = |error: SqlError| error.hint(EXAMPLE);
        let unreadable =
            |fault| SqlError::parameter("argument \"queries\" is no array of queries").detail(fault);
        let queries: Vec<AskedQuery> =
            from_json(queries.0.as_bytes()).map_err(unreadable).map_err(example)?;
        if queries.is_empty() || queries.len() > Ask::MOST {
            return Err(example(
                SqlError::parameter(format!("argument \"queries\" must hold 1 to {} queries", Ask::MOST))
                    .detail(format!("It holds {}.", queries.len())),
            ));
        }
        for (number, query) in (1..).zip(&queries) {
            if query.within.is_empty() {
                return Err(query.fault(number, "\"where\" names no column.").hint(EXAMPLE));
            }
        }
        Ok(Ask::Given(queries))
    }
}

/// Queries, as SQL writes them.
pub const EXAMPLE: &str =
    r#"For example queries => '[{"where": {"age": "[30,40)", "sex": ["Female"]}, "of": "income"}]'."#;

/// A query, as it is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with \"where\"")]
pub struct AskedQuery {
    /// Of each column a range, or values.
    #[serde(rename = "where")]
    pub within: Map<String, Value>,
    /// The number whose sum and mean it asks for.
    #[serde(default)]
    pub of: Option<String>,
}

impl AskedQuery {
    /// What is wrong with the query of a number, the first being 1.
    pub fn fault(&self, number: usize, why: impl AsRef<str>) -> SqlError {
        SqlError::parameter(format!("query {number} cannot be asked")).detail(why.as_ref())
    }
}

/// An end of a range, none where it is open; and whether it belongs to the range.
pub type RangeEnd<'t> = (Option<&'t str>, bool);

/// The ends of a range that is written as PostgreSQL writes one.
pub fn range(text: &str) -> Option<(RangeEnd<'_>, RangeEnd<'_>)> {
    let (opens, closes) = (text.starts_with('['), text.ends_with(']'));
    let within = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    // No number, date or time has a comma in it.
    let (from, to) = within.split_once(',').filter(|(_, to)| !to.contains(','))?;
    Some(((end(from), opens), (end(to), closes)))
}

fn end(text: &str) -> Option<&str> {
    let text = text.trim();
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    (!bare.is_empty()).then_some(bare)
}
