//! What is in a release's schema beside its view: the tables that all versions share, and those of the
//! versions.

use crate::postgres::error::Result;
use crate::postgres::heap::Declared;
use crate::postgres::sql;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::{self, Oid};

/// A table of a release beside those of its versions.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Declared],
}

/// What the next version is to know of those before.
pub const MANIFEST: &Table = &Table {
    name: "manifest",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("created_at", pg_sys::TIMESTAMPTZOID),
        ("source", pg_sys::TEXTOID),
        ("parameters", pg_sys::JSONBOID),
        ("rows", pg_sys::INT8OID),
        ("achieved", pg_sys::JSONBOID),
        ("extension_version", pg_sys::TEXTOID),
    ],
};

/// What is released, of the current version.
pub const CUT: &Table = &Table {
    name: "cut",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("attribute", pg_sys::TEXTOID),
        ("node", pg_sys::TEXTOID),
        ("lower", pg_sys::TEXTOID),
        ("upper", pg_sys::TEXTOID),
        ("records", pg_sys::INT8OID),
    ],
};

/// The trees, a row for each version and masked column. How many rows a table has everybody may read
/// in pg_stat_user_tables, and how many suppressed values and refused refinements there are is
/// nobody's business; so the view `taxonomy` unfolds them for the owner.
pub const TREES: &Table = &Table {
    name: "taxonomy_v0",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("attribute", pg_sys::TEXTOID),
        ("nodes", pg_sys::TEXTARRAYOID),
        ("parents", pg_sys::TEXTARRAYOID),
        ("lowers", pg_sys::TEXTARRAYOID),
        ("uppers", pg_sys::TEXTARRAYOID),
        ("depths", pg_sys::INT4ARRAYOID),
        ("in_cut", pg_sys::BOOLARRAYOID),
    ],
};

/// The steps, a row a version, for the same reason; arrays of arrays are kept as texts.
pub const TRACES: &Table = &Table {
    name: "steps_v0",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("steps", pg_sys::INT4ARRAYOID),
        ("attributes", pg_sys::TEXTARRAYOID),
        ("nodes", pg_sys::TEXTARRAYOID),
        ("children", pg_sys::TEXTARRAYOID),
        ("records", pg_sys::INT8ARRAYOID),
        ("info_gains", pg_sys::FLOAT8ARRAYOID),
        ("privacy_losses", pg_sys::FLOAT8ARRAYOID),
        ("scores", pg_sys::FLOAT8ARRAYOID),
        ("achieved", pg_sys::TEXTARRAYOID),
    ],
};

/// The tables of a release beside its versions.
pub const TABLES: [&Table; 4] = [CUT, TREES, TRACES, MANIFEST];

/// The views that unfold a table for the owner: name, table and query.
pub const UNFOLDED: [(&str, &Table, &str); 2] = [
    (
        "taxonomy",
        TREES,
        "SELECT t.version, t.attribute, n.node, n.parent, n.lower, n.upper, n.depth, n.in_cut
         FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.parents), pg_catalog.unnest(t.lowers),
              pg_catalog.unnest(t.uppers), pg_catalog.unnest(t.depths), pg_catalog.unnest(t.in_cut))
              AS n (node, parent, lower, upper, depth, in_cut)",
    ),
    (
        "steps",
        TRACES,
        "SELECT t.version, s.step, s.attribute, s.node, s.children::text[] AS children, s.records, s.info_gain,
                s.privacy_loss, s.score, s.achieved::float8[] AS achieved
         FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.steps), pg_catalog.unnest(t.attributes), pg_catalog.unnest(t.nodes),
              pg_catalog.unnest(t.children), pg_catalog.unnest(t.records), pg_catalog.unnest(t.info_gains),
              pg_catalog.unnest(t.privacy_losses), pg_catalog.unnest(t.scores), pg_catalog.unnest(t.achieved))
              AS s (step, attribute, node, children, records, info_gain, privacy_loss, score, achieved)",
    ),
];

/// Whether a release has an object of its own that is called so, or may have one.
pub fn is_taken(name: &str) -> bool {
    let looks_like_version = name
        .rsplit_once("_v")
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    TABLES.iter().any(|table| table.name == name)
        || UNFOLDED.iter().any(|(view, ..)| *view == name)
        || name == "manifest_pkey"
        || looks_like_version
}

/// The table behind a version; a long name is clipped so that its suffix fits.
pub fn version_table(view: &str, version: i32) -> String {
    sql::suffixed(view, &format!("_v{version}"))
}

/// The version tables of a release up to a version that are there, with their OIDs: what is in its
/// schema and bears the name of such a version's table.
pub fn version_tables(release: &str, view: &str, last: i32) -> Result<Vec<(String, Oid)>> {
    let tables = relations(release, "c.relkind = 'r' AND c.relname ~ '_v[0-9]+$'", vec![])?;
    let is_version = |name: &str| {
        let version = name.rsplit_once("_v").and_then(|(_, digits)| digits.parse().ok());
        version.is_some_and(|version: i32| version <= last && version_table(view, version) == name)
    };
    Ok(tables.into_iter().filter(|(name, _)| is_version(name)).collect())
}

/// The relations c in a release's schema n that an SQL condition holds for, by name; what it is bound to
/// begins with $2.
pub fn relations<'a>(
    release: &'a str,
    condition: &str,
    mut args: Vec<DatumWithOid<'a>>,
) -> Result<Vec<(String, Oid)>> {
    let query = format!(
        "SELECT c.relname::text, c.oid FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND {condition} ORDER BY c.relname"
    );
    args.insert(0, release.into());
    sql::rows(&query, &args, |row| {
        Ok((row.get::<String>(1)?.unwrap_or_default(), row.get(2)?.unwrap_or(pg_sys::InvalidOid)))
    })
}
