//! Publishing a version: cut, taxonomy, steps and manifest are written, and the view is swapped.

use super::columns::Output;
use super::grants;
use super::schema::{version_table, Home};
use crate::error::Result;
use crate::request::Request;
use crate::search::Found;
use crate::sql::{self, qualified, quote, quoted_list};
use pgrx::pg_sys;
use pgrx::JsonB;
use topdown::refine::NodeId;

/// Writes what belongs to the version beside its rows.
pub fn tables(home: &Home, request: &Request, found: &Found, privacy: &[serde_json::Value]) -> Result<()> {
    sql::run(&format!("DELETE FROM {}", home.object("cut")), &[])?;
    for (attribute, masked) in request.masked.iter().enumerate() {
        let name = &request.source.columns[masked.column].name;
        let nodes = Nodes::of(found, attribute, &request.suppressed);
        let mut in_cut: Vec<usize> = (0..nodes.labels.len()).filter(|&n| nodes.in_cut[n]).collect();
        // Intervals from the left, whenever they were split off.
        in_cut.sort_by_key(|&n| nodes.places[n]);
        let pick = |column: &[Option<String>]| in_cut.iter().map(|&n| column[n].clone()).collect::<Vec<_>>();
        sql::run(
            &format!(
                "INSERT INTO {} SELECT $1, $2, node, lower, upper, records
                 FROM ROWS FROM (pg_catalog.unnest($3::text[]), pg_catalog.unnest($4::text[]),
                                 pg_catalog.unnest($5::text[]), pg_catalog.unnest($6::bigint[]))
                      AS t (node, lower, upper, records)",
                home.object("cut")
            ),
            &[
                home.version.into(),
                name.as_str().into(),
                pick(&nodes.labels).into(),
                pick(&nodes.lower).into(),
                pick(&nodes.upper).into(),
                in_cut.iter().map(|&n| nodes.records[n]).collect::<Vec<i64>>().into(),
            ],
        )?;
        sql::run(
            &format!(
                "INSERT INTO {} SELECT $1, $2, node, parent, lower, upper, depth, in_cut
                 FROM ROWS FROM (pg_catalog.unnest($3::text[]), pg_catalog.unnest($4::text[]),
                                 pg_catalog.unnest($5::text[]), pg_catalog.unnest($6::text[]),
                                 pg_catalog.unnest($7::int[]), pg_catalog.unnest($8::boolean[]))
                      AS t (node, parent, lower, upper, depth, in_cut)",
                home.object("taxonomy")
            ),
            &[
                home.version.into(),
                name.as_str().into(),
                nodes.labels.into(),
                nodes.parents.into(),
                nodes.lower.into(),
                nodes.upper.into(),
                nodes.depths.into(),
                nodes.in_cut.into(),
            ],
        )?;
    }
    steps(home, request, found)?;
    sql::run(
        &format!("INSERT INTO {} VALUES ($1, pg_catalog.now(), $2, $3, $4, $5, $6)", home.object("manifest")),
        &[
            home.version.into(),
            home.source.as_str().into(),
            JsonB(request.parameters.clone()).into(),
            (found.table.rows as i64).into(),
            JsonB(privacy.to_vec().into()).into(),
            env!("CARGO_PKG_VERSION").into(),
        ],
    )?;
    Ok(())
}

fn steps(home: &Home, request: &Request, found: &Found) -> Result<()> {
    let insert =
        format!("INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", home.object("steps"));
    for (number, step) in (1i32..).zip(&found.outcome.steps) {
        let (node, children) = found.step_labels(step);
        let name = &request.source.columns[request.masked[step.attribute].column].name;
        sql::run(
            &insert,
            &[
                home.version.into(),
                number.into(),
                name.as_str().into(),
                node.into(),
                children.into(),
                (step.records as i64).into(),
                step.info_gain.into(),
                step.privacy_loss.into(),
                step.score.into(),
                step.achieved.clone().into(),
            ],
        )?;
    }
    Ok(())
}

/// The nodes of a masked column, as the tables show them.
struct Nodes {
    labels: Vec<Option<String>>,
    parents: Vec<Option<String>>,
    lower: Vec<Option<String>>,
    upper: Vec<Option<String>>,
    depths: Vec<i32>,
    in_cut: Vec<bool>,
    /// The first code under each node.
    places: Vec<u32>,
    /// Rows released as the node.
    records: Vec<i64>,
}

impl Nodes {
    fn of(found: &Found, attribute: usize, any: &str) -> Nodes {
        let hierarchy = &found.outcome.hierarchies[attribute];
        let cut = &found.outcome.cuts[attribute];
        let count = hierarchy.nodes().len();
        let labels: Vec<_> = (0..count as NodeId).map(|n| found.label(attribute, n, any)).collect();
        let (lower, upper) =
            (0..count as NodeId).map(|n| found.labels[attribute].bounds(hierarchy, n)).unzip();
        let mut depths: Vec<i32> = Vec::with_capacity(count);
        for node in hierarchy.nodes() {
            // A node comes after the one above it.
            depths.push(node.parent.map_or(0, |parent| depths[parent as usize] + 1));
        }
        let mut records = vec![0; count];
        for &code in found.codes(attribute) {
            records[cut.released(code) as usize] += 1;
        }
        Nodes {
            parents: (hierarchy.nodes().iter())
                .map(|node| node.parent.and_then(|parent| labels[parent as usize].clone()))
                .collect(),
            places: hierarchy.nodes().iter().map(|node| node.codes.start).collect(),
            in_cut: (0..count as NodeId).map(|n| cut.contains(n)).collect(),
            labels,
            lower,
            upper,
            depths,
            records,
        }
    }
}

/// Swaps the view to the new version and drops older versions that nobody is reading.
pub fn view(home: &Home, outputs: &[Output]) -> Result<()> {
    let view = home.object(&home.view);
    let is_new = exists(&view)?.is_none();
    let columns = quoted_list(outputs.iter().filter(|o| o.public).map(|o| o.name.as_str()));
    sql::run(
        &format!("CREATE OR REPLACE VIEW {view} AS SELECT {columns} FROM {}", home.version_table()),
        &[],
    )?;
    if is_new {
        grants::strip_table(&home.release, &home.view)?;
        if let Some(existing) = &home.existing {
            sql::run(&format!("ALTER VIEW {view} OWNER TO {}", quote(&existing.owner)), &[])?;
        }
    }
    for version in 1..home.version {
        let table = qualified(&home.release, &version_table(&home.view, version));
        let Some(oid) = exists(&table)? else { continue };
        // SAFETY: a lock on a relation that exists, released at the transaction's end; false where
        // it is not free at once.
        let free = unsafe { pg_sys::ConditionalLockRelationOid(oid, pg_sys::AccessExclusiveLock as i32) };
        if free {
            sql::run(&format!("DROP TABLE {table}"), &[])?;
        }
    }
    Ok(())
}

fn exists(relation: &str) -> Result<Option<pg_sys::Oid>> {
    let found = sql::rows("SELECT pg_catalog.to_regclass($1)::oid", &[relation.into()], |row| {
        row.get::<pg_sys::Oid>(1)
    })?;
    Ok(found.into_iter().next().flatten())
}
