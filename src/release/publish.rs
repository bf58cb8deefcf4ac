//! Publishing a version: cut, taxonomy, steps and manifest are written, and the version becomes the current
//! one, by one row of the manifest. The views that show it are made with the first version.

use super::columns::Output;
use super::content::Content;
use super::home::Home;
use super::strip;
use super::tables::{current, CUTS, MANIFEST, SHOWN, TRACES, TREES, VERSIONS};
use crate::postgres::error::{number, warn, Result, SqlError};
use crate::postgres::sql::{self, quote, quoted_list};
use crate::postgres::text::array;
use crate::search::StepRow;
use pgrx::spi::quote_literal;
use pgrx::JsonB;

/// Writes what belongs to the version beside its rows, and makes it the current one.
pub fn tables(home: &Home, content: &Content, privacy: &[serde_json::Value]) -> Result<()> {
    for (position, nodes) in (1i32..).zip(&content.nodes) {
        let mut in_cut: Vec<usize> = (0..nodes.labels.len()).filter(|&n| nodes.in_cut[n]).collect();
        // Intervals from the left, whenever they were split off.
        in_cut.sort_by_key(|&n| nodes.order[n]);
        let pick = |column: &[Option<String>]| in_cut.iter().map(|&n| column[n].clone()).collect::<Vec<_>>();
        sql::run(
            &format!("INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7)", home.object(CUTS.name)),
            &[
                home.version.into(),
                position.into(),
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
    let manifest = home.object(MANIFEST.name);
    sql::run(&format!("UPDATE {manifest} SET current = false WHERE current"), &[])?;
    let written = sql::run(
        &format!("INSERT INTO {manifest} VALUES ($1, pg_catalog.now(), $2, $3, $4, $5, $6, true)"),
        &[
            home.version.into(),
            home.source.as_str().into(),
            JsonB(content.parameters.to_json()?).into(),
            (content.rows as i64).into(),
            JsonB(privacy.to_vec().into()).into(),
            env!("CARGO_PKG_VERSION").into(),
        ],
    )?;
    if written != 1 {
        return Err(SqlError::state("the manifest did not take the version")
            .detail("A trigger or a rule on it keeps rows from being written."));
    }
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

/// Makes the views that show the current version, whichever that is: with the first version, and anew where
/// the owner has dropped one.
pub fn views(home: &Home, columns: &[Output]) -> Result<()> {
    let [key, odd] = [0, 1].map(|place| quote(&columns[place].name));
    let current = current(&home.object(MANIFEST.name), &home.versions(), &key);
    let shown = quoted_list(columns.iter().filter(|o| o.public).map(|o| o.name.as_str()));
    let all = format!("SELECT {key}, {odd}, {shown} FROM {}", home.versions());
    view(home, VERSIONS.0, BARRIER, &all)?;
    let (versions, first) = (home.object(VERSIONS.0), first(home, &current, [&key, &odd]));
    let of_version = format!("SELECT {shown} FROM {versions} WHERE {first} AND {key} = {current}");
    if view(home, &home.view, "", &of_version)? && home.existing.is_some() {
        warn(
            format!("view {} was not there and is made anew", home.object(&home.view)),
            "Nobody but its owner may read it: what was granted on the one before is gone, or on a view of another name.",
        );
    }
    for (name, query, _) in SHOWN {
        let query = query
            .replace("{cuts}", &home.object(CUTS.name))
            .replace("{manifest}", &home.object(MANIFEST.name))
            .replace("{current}", &current);
        view(home, name, BARRIER, &query)?;
    }
    Ok(())
}

/// What is asked of a row before anything else is, because it costs nothing in the planner's eyes and stands first: is
/// it of the current version? Without that a reader could find out, by a subquery that is only run if some row
/// asks for it, which values another version holds where its table is not pruned: conditions that are
/// leakproof get through a barrier. Of two versions one is odd; where there are more (a tree counts its root), an array is asked that has one
/// element, at the current version's number, which takes longer.
fn first(home: &Home, current: &str, [key, odd]: [&str; 2]) -> String {
    let versions = quote_literal(home.versions());
    format!(
        "CASE WHEN (SELECT pg_catalog.count(*) <= 3 FROM pg_catalog.pg_partition_tree({versions}))
              THEN CASE WHEN (SELECT {current} % 2 = 1) THEN {odd} ELSE NOT {odd} END
              ELSE (SELECT pg_catalog.array_fill(true, ARRAY[1], ARRAY[COALESCE({current}, 0)]))[{key}] END"
    )
}

const BARRIER: &str = "WITH (security_barrier)";

/// Makes a view that is not there; whether it was not.
fn view(home: &Home, name: &str, options: &str, query: &str) -> Result<bool> {
    if sql::relation(&home.object(name))?.is_some() {
        return Ok(false);
    }
    sql::run(&format!("CREATE VIEW {} {options} AS {query}", home.object(name)), &[])?;
    strip::table(&home.release, name)?;
    Ok(true)
}
