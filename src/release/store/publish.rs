//! Publishing a version: cut, taxonomy, steps and manifest are written, and the version becomes the current
//! one, by one row of the manifest. The views that show it are made with the first version.

use crate::postgres::error::{number, warn, Result, SqlError, LONGEST_MESSAGE};
use crate::postgres::json::readable_jsonb;
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, quote};
use crate::postgres::text::{array, clipped_to};
use crate::read::source::Source;
use crate::release::store::columns::Output;
use crate::release::store::content::Content;
use crate::release::store::counts::Counts;
use crate::release::store::destination::Destination;
use crate::release::store::manifest::{longest_text, ExistingRelease};
use crate::release::store::nodes::Nodes;
use crate::release::store::tables::{
    current, steps_query, QueryNames, COUNTED, COUNTS, CUTS, MANIFEST, REFINED, SHOWN, STEPS, TRACES, TREES,
};
use crate::release::store::{strip, withheld};
use crate::search::StepRow;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Oid;
use pgrx::{IntoDatum, JsonB};

/// Writes what belongs to the version beside its rows.
pub fn tables(destination: &Destination, content: &Content) -> Result<()> {
    for (position, nodes) in (1i32..).zip(&content.nodes) {
        let in_cut = nodes.cut();
        let pick = |column: &[Option<String>]| sql::array(in_cut.iter().map(|&n| column[n].as_deref()));
        sql::run(
            &format!("INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7)", destination.object(CUTS.name)),
            &[
                destination.version.into(),
                position.into(),
                nodes.attribute.as_str().into(),
                sql::array(in_cut.iter().map(|&n| nodes.shown(n))),
                pick(&nodes.lower),
                pick(&nodes.upper),
                sql::array(in_cut.iter().map(|&n| Some(nodes.records[n]))),
            ],
        )?;
        // The tree from the left as well: an earlier cut of it is shown in that order.
        let all = nodes.left_to_right();
        let pick = |column: &[Option<String>]| sql::array(all.iter().map(|&n| column[n].as_deref()));
        let parent = |n: usize| nodes.labels[nodes.parents[n]?].as_deref();
        sql::run(
            &format!(
                "INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                destination.object(TREES.name)
            ),
            &[
                destination.version.into(),
                nodes.attribute.as_str().into(),
                pick(&nodes.labels),
                sql::array(all.iter().map(|&n| parent(n))),
                pick(&nodes.lower),
                pick(&nodes.upper),
                sql::array(all.iter().map(|&n| Some(nodes.depths[n]))),
                sql::array(all.iter().map(|&n| Some(nodes.in_cut[n]))),
            ],
        )?;
    }
    steps(destination, content)?;
    withheld::remember(destination, &content.withheld)?;
    Counts::write(destination, &content.counts)
}

/// Makes the version the current one.
pub fn manifest(destination: &Destination, content: &Content, privacy: &[serde_json::Value]) -> Result<()> {
    let manifest = destination.object(MANIFEST.name);
    sql::run(&format!("UPDATE {manifest} SET current = false WHERE current"), &[])?;
    let parameters = readable_jsonb(content.parameters.to_json()?, longest_text)?;
    let written = sql::run(
        &format!(
            "INSERT INTO {manifest} VALUES ($1, pg_catalog.now(), $2, $3, $4, $5, $6, true, CASE WHEN $7 THEN
             (SELECT m.refreshed_at FROM ONLY {manifest} m WHERE m.version = $8) ELSE pg_catalog.now() END)"
        ),
        &[
            destination.version.into(),
            destination.source.as_str().into(),
            parameters,
            (content.rows as i64).into(),
            JsonB(privacy.to_vec().into()).into(),
            env!("CARGO_PKG_VERSION").into(),
            content.parameters.is_rewound().into(),
            destination.existing.as_ref().map(|existing| existing.version).into(),
        ],
    )?;
    if written != 1 {
        return Err(SqlError::state("the manifest did not take the version")
            .detail("A trigger or a rule on it keeps rows from being written."));
    }
    Ok(())
}

/// Notes that the source was read and gives the current version once more.
pub fn unchanged(existing: &ExistingRelease) -> Result<()> {
    let manifest = Source::in_schema(existing.private, MANIFEST.name)?.qualified();
    let statement = format!(
        "UPDATE ONLY {manifest} SET refreshed_at = pg_catalog.now(), failed_at = NULL, error = NULL WHERE version = $1"
    );
    sql::run(&statement, &[existing.version.into()]).map(drop)
}

/// Notes that the next version could not be made; the next one that is clears it. If somebody is just writing the row, that is
/// somebody who makes a version, and nothing is waited for.
pub fn failed(existing: &ExistingRelease, error: &str) -> Result<()> {
    let manifest = Source::in_schema(existing.private, MANIFEST.name)?.qualified();
    let statement = format!(
        "UPDATE ONLY {manifest} SET failed_at = pg_catalog.clock_timestamp(), error = $1
         WHERE version = (SELECT m.version FROM ONLY {manifest} m WHERE m.current AND m.version = $2
                          FOR NO KEY UPDATE SKIP LOCKED)"
    );
    let error = clipped_to(error, LONGEST_MESSAGE);
    sql::run(&statement, &[error.as_ref().into(), existing.version.into()]).map(drop)
}

/// Writes the steps, in chunks: as they are shown, and as they are followed.
fn steps(destination: &Destination, content: &Content) -> Result<()> {
    fn column<'s, T: IntoDatum>(
        steps: &'s [StepRow],
        value: impl Fn(&'s StepRow) -> Option<T>,
    ) -> DatumWithOid<'static> {
        sql::array(steps.iter().map(value))
    }
    let places: Vec<Vec<usize>> = content.nodes.iter().map(Nodes::places).collect();
    let mut by_name: Vec<usize> = (0..content.nodes.len()).collect();
    by_name.sort_unstable_by_key(|&column| &content.nodes[column].attribute);
    let column_of = |step: &StepRow| {
        let column = content.nodes.iter().position(|nodes| nodes.attribute == step.attribute);
        column.ok_or_else(|| SqlError::internal("a step of a column that is not masked"))
    };
    let numbers = |numbers: Vec<usize>| {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        array(numbers.iter().map(|number| Some(number.as_str())))
    };
    let all = content.steps.rows();
    let columns = polled(all.iter()).map(column_of).collect::<Result<Vec<usize>>>()?;
    // A step's column, by its number.
    let at = |step: &StepRow| columns[step.number as usize - 1];
    let place = |step: &StepRow, node: usize| places[at(step)][node] as i32;
    let (mut count, mut bytes) = (1, 0);
    let is_of_chunk = |step: &StepRow, _: &StepRow| {
        bytes += step.bytes();
        let more = count < CHUNK && bytes < CHUNK_BYTES;
        (count, bytes) = if more { (count + 1, bytes) } else { (1, 0) };
        more
    };
    for steps in all.chunk_by(is_of_chunk) {
        sql::run(
            &format!(
                "INSERT INTO {} (version, steps, attributes, nodes, children, records, info_gains, privacy_losses, scores, achieved, groups)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
                destination.object(TRACES.name)
            ),
            &[
                destination.version.into(),
                column(steps, |s| Some(s.number)),
                column(steps, |s| Some(s.attribute.as_str())),
                column(steps, |s| s.node.as_deref()),
                column(steps, |s| Some(array(s.children.iter().map(|child| child.as_deref())))),
                column(steps, |s| Some(s.records)),
                column(steps, |s| Some(s.info_gain)),
                column(steps, |s| Some(s.privacy_loss)),
                column(steps, |s| Some(s.score)),
                column(steps, |s| {
                    let achieved: Vec<String> = s.achieved.iter().map(|&measure| number(measure)).collect();
                    Some(array(achieved.iter().map(|measure| Some(measure.as_str()))))
                }),
                column(steps, |s| s.group.as_deref()),
            ],
        )?;
        sql::run(
            &format!("INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7)", destination.object(REFINED.name)),
            &[
                destination.version.into(),
                column(steps, |s| Some(s.number - 1)),
                column(steps, |s| Some(place(s, s.refined.node))),
                column(steps, |s| {
                    let children = s.refined.children.iter();
                    Some(numbers(children.map(|&child| place(s, child) as usize).collect()))
                }),
                column(steps, |s| s.refined.from.map(|(from, _)| from as i32)),
                column(steps, |s| s.refined.from.map(|(from, node)| place(&all[from], node))),
                column(steps, |s| {
                    let root = &s.refined.root;
                    let of_columns = by_name.iter().map(|&column| places[column][root[column]]);
                    (!root.is_empty()).then(|| numbers(of_columns.collect()))
                }),
            ],
        )?;
    }
    if content.parameters.arguments.recoding.is_by_group() {
        show_groups(destination)?;
    }
    Ok(())
}

/// How many steps are a row, and how many bytes after which none is added: what each row holds stays below what it may hold.
const CHUNK: usize = 10_000;
const CHUNK_BYTES: usize = 1 << 26;

/// Has the view of the steps show of which group each is, which only steps of local recoding have.
fn show_groups(destination: &Destination) -> Result<()> {
    let steps = destination.object(STEPS);
    let Some(view) = sql::relation(&steps)? else { return Ok(()) };
    if !has_column(view, "groups")? {
        let query = steps_query(&destination.object(TRACES.name), true);
        sql::run(&format!("CREATE OR REPLACE VIEW {steps} AS {query}"), &[])?;
    }
    Ok(())
}

fn has_column(relation: Oid, name: &str) -> Result<bool> {
    let query =
        "SELECT true FROM pg_catalog.pg_attribute WHERE attrelid = $1 AND attname = $2 AND NOT attisdropped";
    Ok(sql::value::<bool>(query, &[relation.into(), name.into()])?.is_some())
}

/// Makes the views that show the current version, whichever that is: with the first version, and anew where
/// the owner has dropped one; that of the counts where they are asked for. Those that were made.
pub fn views<'a>(destination: &'a Destination, columns: &[Output], counts: bool) -> Result<Vec<&'a str>> {
    let (key, versions) = (quote(&columns[0].name), destination.versions());
    let current = current(&destination.object(MANIFEST.name), &versions, &key);
    // In the source's order, whichever the table of all versions has.
    let mut public: Vec<&Output> = columns.iter().filter(|output| output.public).collect();
    public.sort_by_key(|output| output.column);
    let shown: Vec<String> =
        public.iter().map(|output| guarded(&quote(&output.name), &key, &versions, &current)).collect();
    let shown = shown.join(", ");
    // The second item makes it a view that PostgreSQL refuses to write to, and costs nothing: it is planned away.
    let of_version = format!("SELECT {shown} FROM {versions}, (SELECT) AS read_only WHERE {key} = {current}");
    let mut made = Vec::new();
    if view(destination, &destination.view, "", &of_version)? {
        made.push(destination.view.as_str());
    }
    let names = QueryNames {
        cuts: destination.object(CUTS.name),
        counted: destination.object(COUNTED.name),
        manifest: destination.object(MANIFEST.name),
        current,
    };
    for shown in SHOWN.iter().filter(|shown| counts || shown.name != COUNTS) {
        if view(destination, shown.name, BARRIER, &(shown.query)(&names))? {
            made.push(shown.name);
        }
    }
    Ok(made)
}

/// A column as the view shows it: nothing in rows of another version than the current one. The view's filter leaves
/// these out, and mostly they are not even read; but a reader decides how a statement is planned, and no filter
/// is sure to be asked before what they add to it (docs/design/view.md). Nothing of the column's type it is, without a
/// cast: a cast to a domain runs its owner's checks as a statement is planned.
fn guarded(column: &str, key: &str, versions: &str, current: &str) -> String {
    format!("CASE WHEN {key} = {current} THEN {column} ELSE (NULL::{versions}).{column} END AS {column}")
}

const BARRIER: &str = "WITH (security_barrier)";

/// Makes a view that is not there; whether it was not.
fn view(destination: &Destination, name: &str, options: &str, query: &str) -> Result<bool> {
    // One that is not the owner's is in the way: 42P07.
    if destination.existing.as_ref().is_some_and(|existing| sql::relation_in(existing.schema, name).is_some())
    {
        return Ok(false);
    }
    sql::run(&format!("CREATE VIEW {} {options} AS {query}", destination.shown(name)), &[])?;
    strip::table(&destination.release, name)?;
    if destination.existing.is_some() {
        let view = destination.shown(name);
        match name {
            COUNTS => warn(
                format!("view {view} is new"),
                "Nobody but its owner may read it. release_grant() lets others, who may read the release, read it, too.",
            ),
            _ => warn(
                format!("view {view} was not there and is made anew"),
                "Nobody but its owner may read it: what was granted on the one before is gone, or on a view of another name.",
            ),
        }
    }
    Ok(true)
}
