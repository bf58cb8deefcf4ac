//! A recipient's copy of a release as plain SQL: what the view, the cut and `about` show, as tables, for a
//! database that need not have the extension, the source, or anything else of ours.

use crate::postgres::datum::is_built_in;
use crate::postgres::error::Result;
use crate::postgres::operation::Operation;
use crate::postgres::sql::{self, qualified, quote, Values};
use crate::read::plan::look_at;
use crate::read::source::{Column, Source};
use crate::release::store::comments;
use crate::release::store::destination::plain;
use crate::release::store::manifest::must_be_readable;
use crate::release::store::tables::{shown, COUNTS};
use pgrx::pg_sys;

/// Rows that one statement inserts.
const ROWS: usize = 500;

/// The statements that make the copy, in a schema of the release's name.
pub fn export(release: &str) -> Result<Vec<String>> {
    let _operation = Operation::begin()?;
    let (existing, _rights) = must_be_readable(release)?;
    let mut statements = vec!["BEGIN;".to_string(), format!("CREATE SCHEMA {};", quote(release))];
    let of_schema = "SELECT pg_catalog.obj_description($1, 'pg_namespace')";
    statements.extend(comment("SCHEMA", &quote(release), sql::value(of_schema, &[existing.schema.into()])?));
    for name in shown(existing.schema, &existing.view) {
        // Who was let before there were counts reads these when the owner lets them again.
        let counts = sql::relation_in(existing.schema, name).filter(|_| name == COUNTS);
        if !counts.map_or(Ok(true), sql::may_read)? {
            continue;
        }
        let shown = Source::in_schema(existing.schema, name)?;
        table(release, &shown, &mut statements)?;
    }
    statements.push("COMMIT;".into());
    Ok(statements)
}

/// A view as a table.
fn table(release: &str, view: &Source, statements: &mut Vec<String>) -> Result<()> {
    let name = qualified(release, &view.name);
    let columns: Vec<String> =
        view.columns.iter().map(|column| format!("{} {}", quote(&column.name), elsewhere(column))).collect();
    statements.push(format!("CREATE TABLE {name} ({});", columns.join(", ")));
    statements.extend(comment("TABLE", &name, comment_on(view, 0)?));
    for (number, column) in (1..).zip(&view.columns) {
        let column = format!("{name}.{}", quote(&column.name));
        statements.extend(comment("COLUMN", &column, comment_on(view, number)?));
    }
    let values: Vec<String> = (0..view.columns.len())
        .map(|c| {
            let text = view.type_of(c).sql_text(&quote(&view.columns[c].name));
            format!("pg_catalog.quote_nullable({text})")
        })
        .collect();
    // Not a chain of ||, which goes a level deeper with each column.
    let row = format!("pg_catalog.array_to_string(ARRAY[{}]::text[], ', ')", values.join(", "));
    let query = format!("SELECT {row} FROM {}", view.qualified());
    let rows = look_at(view, &query, &[], |row| {
        let row: String = row.not_null(1)?;
        Ok(row)
    })?;
    for rows in rows.chunks(ROWS) {
        statements.push(format!("INSERT INTO {name} VALUES\n({});", rows.join("),\n(")));
    }
    Ok(())
}

/// The type of a column where only PostgreSQL's own types are known.
fn elsewhere(column: &Column) -> String {
    if is_built_in(column.type_oid)
        && (column.collation == pg_sys::InvalidOid || is_built_in(column.collation))
    {
        plain(&column.declaration)
    } else {
        "text".into()
    }
}

/// A COMMENT statement, where there is a comment.
fn comment(kind: &str, object: &str, text: Option<String>) -> Option<String> {
    text.map(|text| format!("{};", comments::statement(&format!("{kind} {object}"), &text)))
}

/// The comment on a view, or on one of its columns.
fn comment_on(view: &Source, column: i32) -> Result<Option<String>> {
    let query = "SELECT CASE WHEN $2 = 0 THEN pg_catalog.obj_description($1, 'pg_class')
                             ELSE pg_catalog.col_description($1, $2) END";
    sql::value(query, &[view.oid.into(), column.into()])
}
