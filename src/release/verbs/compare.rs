//! release_compare: one query, on the source and on the release.
//!
//! The query stands in parentheses below a WITH, in which `{release}` is the source, or the view. It has the view's columns
//! both times: of the source each masked column holds the value in the form in which the view shows one. So one text can be
//! asked of both, and what both show alike has the same key.
//!
//! It is the SQL of whoever calls, who has the rights of the release's owner, and is run with these and no others. It is one
//! SELECT, nothing can be written by it, nor by functions that it calls, and no setting that it changes stays.

use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, Result, SqlError};
use crate::postgres::line::Line;
use crate::postgres::locks::Mode;
use crate::postgres::names::JsonText;
use crate::postgres::operation::{self, Operation};
use crate::postgres::progress::{polled, Watch};
use crate::postgres::sql::{self, quote, NotNull};
use crate::read::plan::{columns_of, look_at};
use crate::read::source::Source;
use crate::release::store::columns::{self, Output};
use crate::release::store::manifest::must_exist;
use crate::release::verbs::refresh::request_as_before;
use crate::terms::masking::UpperEnd;
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys;
use topdown::progress::room;

/// What a query gives for a key.
#[derive(Debug)]
pub struct Compared {
    pub key: JsonText,
    /// By the source; none where it does not have the key, or NULL.
    pub original: Option<f64>,
    /// By the release.
    pub released: Option<f64>,
}

impl Compared {
    /// The difference, by what the source gives; none where that is 0.
    pub fn error(&self) -> Option<f64> {
        let (original, released) = self.original.zip(self.released)?;
        (original != 0.0).then(|| ((released - original) / original).abs())
    }
}

/// What stands for the relation in a query, and for the weight of its rows.
const RELATION: &str = "{release}";
const WEIGHT: &str = "{n}";

/// What the relation is called in the statement.
const NAME: &str = "pg_topdown_release";

const EXAMPLE: &str = "For example 'SELECT sex, count(*) FROM {release} GROUP BY sex'.";

/// Runs a query on the source of a release, and on the release.
pub fn compare(release: &str, query: &str) -> Result<Vec<Compared>> {
    let caller = operation::acting();
    let _operation = Operation::begin()?;
    let _watch = Watch::new();
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let request = request_as_before(release, &existing, caller)?;
    let view = Source::in_schema(existing.schema, &existing.view)?;
    let query = Query::new(query, &request, &view)?;
    let _reading = Operation::reading_only();
    let original = query.answers(&request.source, &query.of_source, "source")?;
    let released = query.answers(&view, &query.of_view, "release")?;
    let mut by_key: HashMap<&str, usize> = HashMap::new();
    room::<(Compared, &str, usize)>(original.len() + released.len())?;
    let mut compared: Vec<Compared> = Vec::with_capacity(original.len());
    for (at, (key, number)) in polled(&original).enumerate() {
        by_key.insert(key, at);
        compared.push(Compared { key: JsonText(key.clone()), original: *number, released: None });
    }
    for (key, number) in polled(&released) {
        match by_key.get(key.as_str()) {
            Some(&at) => compared[at].released = *number,
            None => compared.push(Compared { key: JsonText(key.clone()), original: None, released: *number }),
        }
    }
    Ok(compared)
}

/// A query that can be asked of both.
struct Query {
    text: String,
    /// What is selected of the source, and of the view.
    of_source: String,
    of_view: String,
}

impl Query {
    fn new(text: &str, request: &Request, view: &Source) -> Result<Query> {
        if !text.contains(RELATION) {
            return Err(SqlError::parameter(format!("the query does not say {RELATION}"))
                .detail("It stands in the query where the relation would, which once is the source and once the release.")
                .hint(EXAMPLE));
        }
        let mut weight = "n".to_string();
        while view.columns.iter().any(|column| column.name == weight) {
            weight.push('_');
        }
        let planned = columns::plan(request)?;
        let public = planned.iter().filter(|output| output.public);
        let public: Vec<&Output> = public.filter(|o| view.columns.iter().any(|c| c.name == o.name)).collect();
        let spread = shares(text, &public, &request.source);
        let of_source = public.iter().filter_map(|output| {
            Some(format!("{} AS {}", output.ungeneralized(request)?, quote(&output.name)))
        });
        let of_source: Vec<String> =
            of_source.chain([format!("1::pg_catalog.numeric AS {}", quote(&weight))]).collect();
        let of_view = view.columns.iter().map(|column| quote(&column.name));
        let of_view: Vec<String> = of_view.chain([format!("{spread} AS {}", quote(&weight))]).collect();
        let text = text.replace(RELATION, NAME).replace(WEIGHT, &quote(&weight));
        if !sql::is_one_select(&text)? {
            return Err(SqlError::parameter("the query is not one SELECT")
                .detail("It may neither write nor define anything, and there may be no other behind it.")
                .hint(EXAMPLE));
        }
        Ok(Query { text, of_source: of_source.join(", "), of_view: of_view.join(", ") })
    }

    /// What it gives of a relation, of which something is selected: keys, as text, and numbers.
    fn answers(&self, relation: &Source, selected: &str, which: &str) -> Result<Vec<(String, Option<f64>)>> {
        let with =
            format!("WITH {NAME} AS NOT MATERIALIZED (SELECT {selected} FROM {})", relation.qualified());
        // On lines of its own: it may end with a comment.
        let query = format!("(\n{}\n)", self.text);
        let columns = columns_of(relation, &format!("{with} SELECT * FROM {query} q"))?;
        let Some(((last, ty), key)) = columns.split_last() else {
            return Err(SqlError::parameter("the query has no column").hint(EXAMPLE));
        };
        let ty = Type::new(*ty, pg_sys::InvalidOid);
        if !ty.is_number() {
            return Err(SqlError::parameter("the last column of the query is no number")
                .detail(format!("\"{}\" is of type {}.", clipped(last), ty.name()))
                .hint(EXAMPLE));
        }
        if let Some(at) = (1..key.len()).find(|&at| key[..at].iter().any(|(name, _)| *name == key[at].0)) {
            return Err(SqlError::parameter(format!(
                "two columns of the query are called \"{}\"",
                clipped(&key[at].0)
            ))
            .hint("Give them names: SELECT age / 10 AS decade, ..."));
        }
        let names: Vec<String> = (1..=columns.len()).map(|number| format!("c{number}")).collect();
        let named =
            key.iter().zip(&names).map(|((name, _), column)| format!("q.{column} AS {}", quote(name)));
        let named: Vec<String> = named.collect();
        let of_key = match named.is_empty() {
            true => "'{}'::pg_catalog.jsonb".to_string(),
            false => format!("(SELECT pg_catalog.to_jsonb(k) FROM (SELECT {}) k)", named.join(", ")),
        };
        let statement = format!(
            "{with} SELECT {of_key}::pg_catalog.text, q.c{}::pg_catalog.float8 FROM {query} q ({})",
            columns.len(),
            names.join(", ")
        );
        let answers =
            look_at(relation, &statement, &[], |row| Ok((row.not_null::<String>(1)?, row.get::<f64>(2)?)))?;
        room::<(&str, usize)>(2 * answers.len())?;
        let mut seen: HashSet<&str> = HashSet::new();
        if let Some((twice, _)) = polled(&answers).find(|(key, _)| !seen.insert(key)) {
            return Err(SqlError::parameter(format!("the query gives a key of the {which} twice"))
                .detail(format!("It is {}.", clipped(twice)))
                .hint("GROUP BY all columns but the last, which is the number."));
        }
        drop(seen);
        Ok(answers)
    }
}

/// How much of a row of the view one of the values counts that it is spread over: of each column of whole numbers or days that the
/// query asks of by both its ends. As SQL writes it.
fn shares(text: &str, public: &[&Output], source: &Source) -> String {
    let mut share = "1::pg_catalog.numeric".to_string();
    for of_lower in public {
        let Some(attribute) = of_lower.whole_lower(source) else { continue };
        let upper = public.iter().find_map(|output| {
            output.upper().filter(|&(of, _)| of == attribute).map(|(_, upper)| (output, upper))
        });
        let Some((upper, end)) = upper else { continue };
        if names(text, &of_lower.name) && names(text, &upper.name) {
            let (lower, upper) = (quote(&of_lower.name), quote(&upper.name));
            // NULL where an end is open: nobody knows over how many values such a row is spread.
            let width = match source.type_of(of_lower.column).line() {
                Some(Line::Date) => format!(
                    "CASE WHEN pg_catalog.isfinite({lower}) AND pg_catalog.isfinite({upper}) THEN {upper} - {lower} END"
                ),
                _ => format!("{upper}::pg_catalog.numeric - {lower}"),
            };
            let last = i32::from(end == UpperEnd::Included);
            share.push_str(&format!(
                " / CASE {upper} WHEN {lower} THEN 1 ELSE NULLIF(GREATEST({width} + {last}, 0), 0) END"
            ));
        }
    }
    share
}

/// Whether a query names a column: as a word, in whatever case.
fn names(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let found = polled(text.match_indices(&name)).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    });
    found
}
