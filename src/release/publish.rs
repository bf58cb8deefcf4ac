//! Publishing a version: cut, taxonomy, steps and manifest are written, and the view is swapped.

use super::columns::Output;
use super::content::Content;
use super::home::Home;
use super::strip;
use super::tables::{version_tables, CUT, MANIFEST, TRACES, TREES};
use crate::postgres::error::{number, Result};
use crate::postgres::locks::{self, Mode};
use crate::postgres::sql::{self, qualified, quoted_list};
use crate::postgres::text::array;
use crate::search::StepRow;
use pgrx::pg_sys;
use pgrx::JsonB;

/// Writes what belongs to the version beside its rows.
pub fn tables(home: &Home, content: &Content, privacy: &[serde_json::Value]) -> Result<()> {
    sql::run(&format!("DELETE FROM {}", home.object(CUT.name)), &[])?;
    for nodes in &content.nodes {
        let mut in_cut: Vec<usize> = (0..nodes.labels.len()).filter(|&n| nodes.in_cut[n]).collect();
        // Intervals from the left, whenever they were split off.
        in_cut.sort_by_key(|&n| nodes.first_codes[n]);
        let pick = |column: &[Option<String>]| in_cut.iter().map(|&n| column[n].clone()).collect::<Vec<_>>();
        sql::run(
            &format!(
                "INSERT INTO {} SELECT $1, $2, node, lower, upper, records
                 FROM ROWS FROM (pg_catalog.unnest($3::text[]), pg_catalog.unnest($4::text[]),
                                 pg_catalog.unnest($5::text[]), pg_catalog.unnest($6::bigint[]))
                      AS t (node, lower, upper, records)",
                home.object(CUT.name)
            ),
            &[
                home.version.into(),
                nodes.attribute.as_str().into(),
                pick(&nodes.labels).into(),
                pick(&nodes.lower).into(),
                pick(&nodes.upper).into(),
                in_cut.iter().map(|&n| nodes.records[n]).collect::<Vec<i64>>().into(),
            ],
        )?;
        sql::run(
            &format!("INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", home.object(TREES.name)),
            &[
                home.version.into(),
                nodes.attribute.as_str().into(),
                nodes.labels.clone().into(),
                nodes.parents.clone().into(),
                nodes.lower.clone().into(),
                nodes.upper.clone().into(),
                nodes.depths.clone().into(),
                nodes.in_cut.clone().into(),
            ],
        )?;
    }
    steps(home, content)?;
    sql::run(
        &format!(
            "INSERT INTO {} VALUES ($1, pg_catalog.now(), $2, $3, $4, $5, $6)",
            home.object(MANIFEST.name)
        ),
        &[
            home.version.into(),
            home.source.as_str().into(),
            JsonB(content.parameters.clone()).into(),
            (content.rows as i64).into(),
            JsonB(privacy.to_vec().into()).into(),
            env!("CARGO_PKG_VERSION").into(),
        ],
    )?;
    Ok(())
}

fn steps(home: &Home, content: &Content) -> Result<()> {
    fn column<T>(content: &Content, value: impl Fn(&StepRow) -> T) -> Vec<T> {
        content.steps.iter().map(value).collect()
    }
    sql::run(
        &format!("INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", home.object(TRACES.name)),
        &[
            home.version.into(),
            column(content, |s| s.number).into(),
            column(content, |s| s.attribute.clone()).into(),
            column(content, |s| s.node.clone()).into(),
            column(content, |s| array(s.children.iter().map(|child| child.as_deref()))).into(),
            column(content, |s| s.records).into(),
            column(content, |s| s.info_gain).into(),
            column(content, |s| s.privacy_loss).into(),
            column(content, |s| s.score).into(),
            column(content, |s| {
                let achieved: Vec<String> = s.achieved.iter().map(|&measure| number(measure)).collect();
                array(achieved.iter().map(|measure| Some(measure.as_str())))
            })
            .into(),
        ],
    )?;
    Ok(())
}

/// Swaps the view to the new version and drops older versions that nobody is reading.
pub fn view(home: &Home, outputs: &[Output]) -> Result<()> {
    let view = home.object(&home.view);
    let is_new = sql::relation(&view)?.is_none();
    let columns = quoted_list(outputs.iter().filter(|o| o.public).map(|o| o.name.as_str()));
    sql::run(
        &format!("CREATE OR REPLACE VIEW {view} AS SELECT {columns} FROM {}", home.version_table()),
        &[],
    )?;
    if is_new {
        strip::table(&home.release, &home.view)?;
    }
    let new = home.table();
    for (table, oid) in version_tables(&home.release, &home.view, home.version)? {
        if table != new && is_free(oid)? {
            sql::run(&format!("DROP TABLE {}", qualified(&home.release, &table)), &[])?;
        }
    }
    Ok(())
}

/// Whether an old version can go: nobody reads it, and nothing was built on it. Else it stays until
/// the next time.
fn is_free(table: pg_sys::Oid) -> Result<bool> {
    // More than our own reference means a cursor of this session.
    if !locks::relation_at_once(table, Mode::Alone) || locks::is_in_use(table) {
        return Ok(false);
    }
    let built_on = sql::value(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_depend d, pg_catalog.pg_type t
                        WHERE t.typrelid = $1 AND d.deptype = 'n'
                          AND (d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = $1
                               OR d.refclassid = 'pg_catalog.pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray)))",
        &[table.into()],
    )?;
    Ok(built_on == Some(false))
}
