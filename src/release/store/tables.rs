//! The two schemas of a release and what is in them. The schema of the release's name has the views that recipients may read,
//! and nothing else. The private schema has the tables that all versions share, those of the versions, and the owner's views.
//! What everybody can see in the catalogs of the private schema names neither the source nor a column that is not released.

use crate::postgres::error::Result;
use crate::postgres::heap::Declared;
use crate::postgres::sql::{self, Values};
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
        ("current", pg_sys::BOOLOID),
        ("refreshed_at", pg_sys::TIMESTAMPTZOID),
        ("failed_at", pg_sys::TIMESTAMPTZOID),
        ("error", pg_sys::TEXTOID),
    ],
};

/// What is released, a row for each version and masked column, in the columns' order.
pub const CUTS: &Table = &Table {
    name: "cuts_v0",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("position", pg_sys::INT4OID),
        ("attribute", pg_sys::TEXTOID),
        ("nodes", pg_sys::TEXTARRAYOID),
        ("lowers", pg_sys::TEXTARRAYOID),
        ("uppers", pg_sys::TEXTARRAYOID),
        ("records", pg_sys::INT8ARRAYOID),
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

/// The steps as they are shown, in chunks, for the same reason; arrays of arrays are kept as texts.
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
        ("groups", pg_sys::TEXTARRAYOID),
    ],
};

/// The same steps as they are followed and performed again, in the same chunks: steps and nodes by their numbers, from 0. A
/// node's is its place in the tree of its column; those of a group are in the order of the columns' names.
pub const REFINED: &Table = &Table {
    name: "refined_v0",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("steps", pg_sys::INT4ARRAYOID),
        ("nodes", pg_sys::INT4ARRAYOID),
        ("children", pg_sys::TEXTARRAYOID),
        ("from_steps", pg_sys::INT4ARRAYOID),
        ("from_nodes", pg_sys::INT4ARRAYOID),
        ("roots", pg_sys::TEXTARRAYOID),
    ],
};

/// What was ever released of the columns that are released as they are, by hashes: a row for each version and
/// column that brought something new.
pub const VALUES: &Table = &Table {
    name: "values_v0",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("attribute", pg_sys::TEXTOID),
        ("hashes", pg_sys::INT8ARRAYOID),
    ],
};

/// The combinations of source values, each as JSON, that a version was the first to withhold.
pub const WITHHELD: &Table = &Table {
    name: "withheld_v0",
    columns: &[("version", pg_sys::INT4OID), ("combinations", pg_sys::TEXTARRAYOID)],
};

/// The counts of single columns, a row for each version and masked column.
pub const COUNTED: &Table = &Table {
    name: "column_counts_v0",
    columns: &[
        ("version", pg_sys::INT4OID),
        ("position", pg_sys::INT4OID),
        ("attribute", pg_sys::TEXTOID),
        ("within", pg_sys::TEXTARRAYOID),
        ("nodes", pg_sys::TEXTARRAYOID),
        ("lowers", pg_sys::TEXTARRAYOID),
        ("uppers", pg_sys::TEXTARRAYOID),
        ("records", pg_sys::INT8ARRAYOID),
    ],
};

/// What the current version holds back where changes are batched, a row for what waits and one for what stays: what each row
/// is, and since which version.
pub const HELD: &Table = &Table {
    name: "held_v0",
    columns: &[
        ("part", pg_sys::TEXTOID),
        ("version", pg_sys::INT4OID),
        ("since", pg_sys::INT4ARRAYOID),
        ("rows", pg_sys::INT8ARRAYOID),
    ],
};

/// The key of the hashes that tell rows and values apart, in one row.
pub const KEY: &Table =
    &Table { name: "key_v0", columns: &[("first", pg_sys::INT8OID), ("second", pg_sys::INT8OID)] };

/// The tables of a release beside its versions.
pub const TABLES: [&Table; 10] =
    [CUTS, TREES, TRACES, REFINED, VALUES, WITHHELD, COUNTED, HELD, KEY, MANIFEST];

/// A view of the owner's that unfolds a table.
pub struct UnfoldedView {
    pub name: &'static str,
    pub table: &'static Table,
    /// Its query, over the table's qualified name.
    pub query: fn(&str) -> String,
    /// What it is.
    pub text: &'static str,
}

/// The views of the owner's.
pub const UNFOLDED: [UnfoldedView; 4] = [
    UnfoldedView {
        name: "cuts",
        table: CUTS,
        query: |table| {
            format!(
                "SELECT t.version, t.attribute, n.node, n.lower, n.upper, n.records
                 FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.lowers),
                      pg_catalog.unnest(t.uppers), pg_catalog.unnest(t.records))
                      WITH ORDINALITY AS n (node, lower, upper, records, place)
                 ORDER BY t.version, t.position, n.place"
            )
        },
        text: "the cuts of all versions; the owner's",
    },
    UnfoldedView {
        name: "taxonomy",
        table: TREES,
        query: |table| {
            format!(
                "SELECT t.version, t.attribute, n.node, n.parent, n.lower, n.upper, n.depth, n.in_cut
                 FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.parents),
                      pg_catalog.unnest(t.lowers), pg_catalog.unnest(t.uppers), pg_catalog.unnest(t.depths),
                      pg_catalog.unnest(t.in_cut)) AS n (node, parent, lower, upper, depth, in_cut)"
            )
        },
        text: "the trees that the masked columns were generalized along, of all versions; the owner's",
    },
    UnfoldedView {
        name: STEPS,
        table: TRACES,
        query: |table| steps_query(table, false),
        text: "the refinements that the search performed, of all versions; the owner's",
    },
    UnfoldedView {
        name: "withheld",
        table: WITHHELD,
        query: |table| {
            format!(
                "SELECT t.version, c.combination::jsonb AS combination
                 FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.combinations)) WITH ORDINALITY AS c (combination, place)
                 ORDER BY t.version, c.place"
            )
        },
        text: "the source values whose rows are withheld, and since which version; the owner's",
    },
];

/// The view of the steps.
pub const STEPS: &str = "steps";

/// The query of the view of the steps over the qualified name of their table. It has a column `groups` once a version was made
/// by local recoding.
pub fn steps_query(table: &str, has_groups: bool) -> String {
    let groups = if has_groups { ", s.grp::jsonb AS groups" } else { "" };
    format!(
        "SELECT t.version, s.step, s.attribute, s.node, s.children::text[] AS children, s.records, s.info_gain,
                s.privacy_loss, s.score, s.achieved::float8[] AS achieved{groups}
         FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.steps), pg_catalog.unnest(t.attributes), pg_catalog.unnest(t.nodes),
              pg_catalog.unnest(t.children), pg_catalog.unnest(t.records), pg_catalog.unnest(t.info_gains),
              pg_catalog.unnest(t.privacy_losses), pg_catalog.unnest(t.scores), pg_catalog.unnest(t.achieved), pg_catalog.unnest(t.groups))
              AS s (step, attribute, node, children, records, info_gain, privacy_loss, score, achieved, grp)"
    )
}

/// What the queries of these views are written with: qualified names, and the current version.
pub struct QueryNames {
    pub cuts: String,
    pub counted: String,
    pub manifest: String,
    pub current: String,
}

/// A view that recipients may read beside the release's own, of the current version only.
pub struct ShownView {
    pub name: &'static str,
    pub query: fn(&QueryNames) -> String,
    /// What it is, and what its columns are.
    pub text: &'static str,
    pub columns: &'static [(&'static str, &'static str)],
}

/// The view of the counts, which a release has where they were asked for.
pub const COUNTS: &str = "counts";

/// These views. They are security barriers, and `OFFSET 0` lets no condition in, leakproof or not: what a reader
/// adds to a query is asked of no row of another version.
pub const SHOWN: [ShownView; 3] = [
    ShownView {
        name: "cut",
        query: |QueryNames { current, cuts, .. }| {
            format!(
                "SELECT t.version, t.attribute, n.node, n.lower, n.upper, n.records
         FROM ONLY {cuts} t, ROWS FROM (pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.lowers), pg_catalog.unnest(t.uppers),
              pg_catalog.unnest(t.records)) WITH ORDINALITY AS n (node, lower, upper, records, place)
         WHERE t.version = {current} ORDER BY t.position, n.place OFFSET 0"
            )
        },
        text: "what the masked columns of the release show, and how many rows each value has",
        columns: &[
            ("version", "the current version of the release"),
            ("attribute", "a masked column of the view"),
            ("node", "what the view shows of it; NULL for NULL"),
            ("lower", "the lower end, which belongs to it; NULL where it is open or none"),
            ("upper", "the upper end, which belongs to it, except of intervals written with ')', of stretches of the calendar and of a single value with another lower end; NULL where it is open or none"),
            ("records", "how many rows show it"),
        ],
    },
    ShownView {
        name: "about",
        query: |QueryNames { counted, current, manifest, .. }| {
            format!(
                "SELECT (SELECT pg_catalog.left(n.nspname::text, -8) COLLATE \"default\"
                 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = a.tableoid) AS release,
                a.version, a.created_at, a.rows,
                CASE WHEN a.parameters ->> 'changes' = 'batched' THEN NULL ELSE (a.parameters ->> 'withheld')::bigint END AS withheld,
                a.parameters -> 'privacy' AS privacy, a.parameters ->> 'class' AS class,
                ARRAY(SELECT c.mask ->> 'name' FROM pg_catalog.jsonb_array_elements(a.parameters -> 'columns')
                      WITH ORDINALITY AS c (mask, place) ORDER BY c.place) AS masked,
                a.parameters ->> 'suppressed' AS suppressed, a.extension_version,
                CASE a.parameters ->> 'verb' WHEN 'kmember_anonymize' THEN 'k-member'
                     ELSE COALESCE(a.parameters ->> 'recoding', 'global') END AS recoding,
                ARRAY(SELECT m.name FROM pg_catalog.jsonb_array_elements_text(COALESCE(a.parameters -> 'means', '[]'::jsonb))
                      WITH ORDINALITY AS m (name, place) ORDER BY m.place) AS means,
                COALESCE((a.parameters ->> 'counts')::boolean, false)
                  AND EXISTS (SELECT FROM ONLY {counted} t WHERE t.version = {current}) AS counts,
                a.parameters -> 'query_error' AS query_error
         FROM ONLY {manifest} a WHERE a.version = {current} OFFSET 0"
            )
        },
        text: "the release's current version: when it was made, of how much, and what it keeps",
        columns: &[
            ("release", "the release: the name of its schema"),
            ("version", "its current version"),
            ("created_at", "when this version was made: its rows are those of then, but older after release_rewind(), which reads no source, and behind where changes come in batches"),
            ("rows", "how many rows the view has"),
            ("withheld", "how many rows of the source were left out; NULL where changes come in batches, because the number would follow single rows"),
            ("privacy", "the privacy models that the version keeps"),
            ("class", "the class that the search was for; NULL if none"),
            ("masked", "the masked columns of the view"),
            ("suppressed", "what the view shows for any value"),
            ("extension_version", "the version of pg_topdown that made it"),
            ("recoding", "global: a value is shown alike wherever it occurs; otherwise groups of rows show values that may overlap"),
            ("means", "the masked columns beside which the view shows means"),
            ("counts", "whether the view counts tells how many rows finer nodes of each masked column have"),
            ("query_error", "how far off answers are that the release gives, as medians by aggregate and number of columns: from those of the rows that it is made of, without what is withheld; NULL if not told"),
        ],
    },
    ShownView {
        name: COUNTS,
        query: |QueryNames { counted, current, .. }| {
            format!(
                "SELECT t.attribute, n.within, n.node, n.lower, n.upper, n.records,
                (n.records / pg_catalog.sum(n.records) OVER (PARTITION BY t.attribute, n.within))::float8 AS share
         FROM ONLY {counted} t, ROWS FROM (pg_catalog.unnest(t.within), pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.lowers),
              pg_catalog.unnest(t.uppers), pg_catalog.unnest(t.records)) WITH ORDINALITY AS n (within, node, lower, upper, records, place)
         WHERE t.version = {current} ORDER BY t.position, n.place OFFSET 0"
            )
        },
        text: "how many rows of the release each of the finest nodes of a masked column has that enough rows have, by the column alone",
        columns: &[
            ("attribute", "a masked column of the view"),
            ("within", "what the view shows of these rows, if it shows them alike; NULL where groups of rows show them as different values"),
            ("node", "a node, mostly finer than what the view shows; where groups of rows differ it may be coarser; beside nodes below it, what is left of it; several that are counted together joined by or; NULL for NULL"),
            ("lower", "the lower end, which belongs to it; NULL where it is open or none"),
            ("upper", "the upper end, which belongs to it, except of intervals written with ')', of stretches of the calendar and of a single value with another lower end; NULL where it is open or none"),
            ("records", "how many rows are of the node"),
            ("share", "their share of the rows that are within the same"),
        ],
    },
];

/// The end of a private schema's name.
pub const PRIVATE: &str = "_private";

/// The name of a release's private schema.
pub fn private_schema(release: &str) -> String {
    format!("{release}{PRIVATE}")
}

/// What recipients may read of a release: its view, and those that it has.
pub fn shown(schema: Oid, view: &str) -> impl Iterator<Item = &str> {
    let has_counts = sql::relation_in(schema, COUNTS).is_some();
    let others = SHOWN.iter().map(|shown| shown.name).filter(move |name| *name != COUNTS || has_counts);
    std::iter::once(view).chain(others)
}

/// Which version a statement shows, as SQL over the manifest and the table of all versions, in which `key`
/// tells them apart: the one that the manifest calls current. Everything that is shown asks this way, so
/// that one snapshot sees one version of it all. A statement that was planned just before a version came,
/// and begins to run just after, does not know the new version's table: it shows the version before.
pub fn current(manifest: &str, versions: &str, key: &str) -> String {
    format!(
        "(SELECT m.version
          FROM (SELECT version, rows FROM ONLY {manifest} ORDER BY current DESC, version DESC OFFSET 0) m
          WHERE m.rows = 0 OR (SELECT true FROM {versions} r WHERE r.{key} = m.version LIMIT 1) LIMIT 1)"
    )
}

/// Whether a name is that of one of the views beside a release's own.
pub fn is_reserved(view: &str) -> bool {
    SHOWN.iter().any(|shown| shown.name == view)
}

/// The table of all versions, which are its partitions.
pub const VERSIONS: &str = "rows_v0";

/// The table of a version.
pub fn version_table(version: i32) -> String {
    format!("rows_v{version}")
}

/// The version tables up to a version that are in a private schema, with their numbers and OIDs, the newest first.
pub fn version_tables(private: &str, last: i32) -> Result<Vec<(i32, String, Oid)>> {
    let tables = relations(private, "c.relkind = 'r' AND c.relname ~ '^rows_v[0-9]+$'", vec![])?;
    let version = |name: &str| {
        let version: i32 = name.rsplit_once("_v")?.1.parse().ok()?;
        (version <= last && version_table(version) == name).then_some(version)
    };
    let mut tables: Vec<(i32, String, Oid)> =
        tables.into_iter().filter_map(|(name, oid)| Some((version(&name)?, name, oid))).collect();
    tables.sort_unstable_by_key(|(version, ..)| std::cmp::Reverse(*version));
    Ok(tables)
}

/// The relations c in a schema n that an SQL condition holds for, by name; what it is bound to begins with $2.
pub fn relations<'a>(
    schema: &'a str,
    condition: &str,
    mut args: Vec<DatumWithOid<'a>>,
) -> Result<Vec<(String, Oid)>> {
    let query = format!(
        "SELECT c.relname::text, c.oid FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND {condition} ORDER BY c.relname"
    );
    args.insert(0, schema.into());
    sql::rows(query, &args, |row| Ok((row.not_null::<String>(1)?, row.not_null(2)?)))
}
