//! The relation that is released: what it is and which columns it has.

use crate::postgres::datum::{base_type, Type};
use crate::postgres::error::{utf8, Result, SqlError};
use crate::postgres::locks::{self, Mode};
use crate::postgres::names::Regclass;
use crate::postgres::operation;
use crate::postgres::progress::poll;
use crate::postgres::sql::{self, Values};
use crate::postgres::text::a_slip_from;
use crate::read::conversions;
use pgrx::pg_sys;

/// A table, partitioned table, foreign table, view or materialized view.
#[derive(Debug, Clone)]
pub struct Source {
    /// What it is, whatever it is called.
    pub oid: pg_sys::Oid,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its columns, in order; system and dropped ones are none.
    pub columns: Vec<Column>,
}

/// A column of a [`Source`].
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, perhaps a domain.
    pub type_oid: pg_sys::Oid,
    /// Its type modifier, -1 if it has none.
    type_modifier: i32,
    /// Its collation, InvalidOid if it has none.
    pub collation: pg_sys::Oid,
    /// Its type as DDL writes it.
    pub type_name: String,
    /// The same, collation included.
    pub declaration: String,
}

impl Column {
    /// Its type and declaration in a table that holds its values and checks nothing: a domain's base type.
    pub fn stored_as(&self) -> (pg_sys::Oid, String) {
        let (base, type_name) = base_type(self.type_oid, self.type_modifier);
        let collation = &self.declaration[self.type_name.len()..];
        (base, format!("{type_name}{collation}"))
    }
}

impl Source {
    /// Looks the relation up and locks it, so that its columns stay what they are until the end of
    /// the transaction. Who may read nothing of it may not lock it either; which columns may be
    /// read is checked when they are.
    pub fn open(relation: Regclass) -> Result<Source> {
        let (source, is_view) = Source::look_up(relation)?;
        if is_view {
            conversions::tell_of_other_settings(source.oid, &source.name)?;
        }
        Ok(source)
    }

    /// Whether it is a view, too.
    fn look_up(relation: Regclass) -> Result<(Source, bool)> {
        may_read(relation)?;
        locks::relation(relation.0, Mode::Read);
        let of = [relation.0.into()];
        let found = sql::rows(
            "SELECT n.nspname::text, c.relname::text, c.relkind::text
             FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE c.oid = $1",
            &of,
            |row| Ok((row.nullable::<String>(1)?, row.nullable::<String>(2)?, row.nullable::<String>(3)?)),
        )?;
        let Some((Some(schema), Some(name), Some(kind))) = found.into_iter().next() else {
            return Err(SqlError::no_oid(relation.0));
        };
        if !["r", "p", "f", "v", "m"].contains(&kind.as_str()) {
            return Err(no_source(&name));
        }
        let columns = sql::rows(
            "SELECT a.attname::text, a.atttypid, a.attcollation,
                    pg_catalog.format_type(a.atttypid, a.atttypmod) ||
                    COALESCE((SELECT ' COLLATE ' || pg_catalog.quote_ident(n.nspname) || '.' ||
                                     pg_catalog.quote_ident(k.collname)
                              FROM pg_catalog.pg_collation k
                              JOIN pg_catalog.pg_namespace n ON n.oid = k.collnamespace
                              WHERE k.oid = a.attcollation), ''),
                    pg_catalog.format_type(a.atttypid, a.atttypmod), a.atttypmod
             FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
            &of,
            |row| {
                Ok(Column {
                    name: row.not_null(1)?,
                    type_oid: row.not_null(2)?,
                    collation: row.not_null(3)?,
                    declaration: row.not_null(4)?,
                    type_name: row.not_null(5)?,
                    type_modifier: row.not_null(6)?,
                })
            },
        )?;
        Ok((Source { oid: relation.0, schema, name, columns }, kind == "v"))
    }

    /// Looks a relation of a release's schema up, which is read as it was made.
    pub fn in_schema(schema: pg_sys::Oid, name: &str) -> Result<Source> {
        match sql::relation_in(schema, name) {
            Some(oid) => Ok(Source::look_up(Regclass(oid))?.0),
            None => Err(SqlError::no_relation(format!("relation \"{name}\" of the release does not exist"))),
        }
    }

    /// Looks a relation up by its qualified, quoted name.
    pub fn named(relation: &str) -> Result<Source> {
        match sql::relation(relation)? {
            Some(oid) => Source::open(Regclass(oid)),
            None => Err(SqlError::no_relation(format!("relation {relation} does not exist"))),
        }
    }

    /// The type of a column.
    pub fn type_of(&self, column: usize) -> Type {
        let column = &self.columns[column];
        Type::new(column.type_oid, column.collation)
    }

    /// The qualified name.
    pub fn qualified(&self) -> String {
        sql::qualified(&self.schema, &self.name)
    }

    /// Some of its columns, by their places, as a list of names.
    pub fn list(&self, places: &[usize]) -> String {
        sql::quoted_list(places.iter().map(|&place| self.columns[place].name.as_str()))
    }

    /// About how many distinct values a column has in so many rows, by the statistics that the planner has of it; none
    /// where there are none that may be seen.
    pub fn distinct(&self, name: &str, rows: usize) -> Result<Option<usize>> {
        let query = "SELECT s.n_distinct::float8 FROM pg_catalog.pg_stats s
                     WHERE s.schemaname = $1 AND s.tablename = $2 AND s.attname = $3 ORDER BY s.inherited DESC LIMIT 1";
        let found = sql::values::<f64>(
            query,
            &[self.schema.as_str().into(), self.name.as_str().into(), name.into()],
        )?;
        // What grows with the rows is kept as a share, below zero.
        let distinct = |n: &f64| if *n < 0.0 { -n * rows as f64 } else { *n };
        Ok(found.first().map(distinct).map(|distinct| distinct.round() as usize))
    }

    /// The security labels of its columns, in their order.
    pub fn labels(&self) -> Result<Vec<(String, String)>> {
        sql::rows(
            "SELECT a.attname::text, l.label FROM pg_catalog.pg_seclabel l
             JOIN pg_catalog.pg_attribute a ON a.attrelid = l.objoid AND a.attnum = l.objsubid
             WHERE l.objoid = $1 AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped
             ORDER BY a.attnum, l.provider",
            &[self.oid.into()],
            |row| Ok((row.not_null::<String>(1)?, row.not_null::<String>(2)?)),
        )
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Result<usize> {
        utf8(name.to_string())?;
        self.columns.iter().position(|c| c.name == name).ok_or_else(|| {
            // There may be any number of unknown ones.
            poll();
            let near = a_slip_from(name, self.columns.iter().map(|c| &c.name));
            SqlError::no_column(&self.name, name, near)
        })
    }
}

/// Whether anything of a relation may be read, with the rights in force; what is no relation that has
/// rows to be read may not be locked either.
fn may_read(relation: Regclass) -> Result<()> {
    let refused = sql::rows(
        "SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table'
                               ELSE 'table' END, c.relname::text, c.relkind IN ('r', 'p', 'f', 'v', 'm'), c.oid::pg_catalog.regclass::text
         FROM pg_catalog.pg_class c
         WHERE c.oid = $1 AND NOT (c.relkind IN ('r', 'p', 'f', 'v', 'm') AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))",
        &[relation.0.into()],
        |row| {
            let text = |column| row.not_null::<String>(column);
            Ok((text(1)?, text(2)?, row.not_null::<bool>(3)?, text(4)?))
        },
    )?;
    match refused.into_iter().next() {
        Some((kind, name, true, qualified)) => {
            let me = operation::acting_role();
            Err(SqlError::privilege(format!("permission denied for {kind} {name}"))
                .hint(format!("Have its owner GRANT SELECT ON {qualified} TO {}.", sql::quote(&me))))
        }
        Some((_, name, ..)) => Err(no_source(&name)),
        None => Ok(()),
    }
}

fn no_source(name: &str) -> SqlError {
    SqlError::wrong_relation(format!("\"{name}\" is not a table, view, materialized view or foreign table"))
}
