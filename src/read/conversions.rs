//! What a view converts as settings say. A view is read under settings of ours ([`operation`]), so that every session reads the
//! same; a conversion that says nothing of a format or a time zone may then be another one than in the session of its owner.

use crate::postgres::error::{tell, Result};
use crate::postgres::operation;
use crate::postgres::sql::{self, NotNull};
use crate::read::source::Source;
use pgrx::pg_sys::{self, Oid};
use std::collections::BTreeSet;

/// The conversions in a view and in those that it reads, as its stored queries have them: from and to text, where PostgreSQL
/// converts by the types' input and output functions; and functions of times with a zone whose result the settings decide.
const CONVERSIONS: &str = "
    WITH RECURSIVE views(oid) AS (
      SELECT $1
      UNION
      SELECT c.oid FROM views v
      JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid
      JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
                                 AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
      JOIN pg_catalog.pg_class c ON c.oid = d.refobjid AND c.relkind = 'v'),
    queries(tree) AS (
      SELECT r.ev_action::pg_catalog.text FROM views v JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid AND r.ev_type = '1'),
    conversions(printed, type) AS (
      SELECT false, m[1]::pg_catalog.oid
      FROM queries, pg_catalog.regexp_matches(tree, ':resulttype (\\d+) :resultcollid', 'g') m
      UNION
      SELECT true, m[1]::pg_catalog.oid
      FROM queries, pg_catalog.regexp_matches(tree, '\\{COERCEVIAIO :arg \\{[A-Z]+ [^{}]*:(?:var|const|param|funcresult|opresult|result|case|coalesce|minmax|agg|win)type (\\d+)', 'g') m
      UNION
      SELECT false, 1266
      FROM queries, pg_catalog.regexp_matches(tree, ':(?:op)?funcid (\\d+)', 'g') m
      JOIN pg_catalog.pg_proc p ON p.oid = m[1]::pg_catalog.oid
      WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.provolatile = 's' AND p.pronargs > 0
        AND (p.prorettype IN (1184, 1266) OR p.proargtypes::pg_catalog.oid[] && '{1184,1266}')
      UNION
      SELECT false, 1266 FROM queries WHERE tree ~ '\\{SQLVALUEFUNCTION :op [0125678] ')
    SELECT DISTINCT c.printed, CASE WHEN t.typlen = -1 AND t.typelem <> 0 THEN t.typelem ELSE t.oid END
    FROM conversions c JOIN pg_catalog.pg_type t ON t.oid = c.type";

/// The settings that a conversion depends on: of a text to a value of the type, or of a value that is `printed`.
fn settings(printed: bool, ty: Oid) -> &'static [&'static str] {
    match ty {
        pg_sys::DATEOID | pg_sys::TIMESTAMPOID => &["DateStyle"],
        pg_sys::TIMESTAMPTZOID => &["DateStyle", "TimeZone", "timezone_abbreviations"],
        pg_sys::TIMETZOID => &["TimeZone", "timezone_abbreviations"],
        pg_sys::INTERVALOID => &["IntervalStyle"],
        pg_sys::MONEYOID => &["lc_monetary"],
        pg_sys::XMLOID => &["xmloption"],
        pg_sys::FLOAT4OID | pg_sys::FLOAT8OID if printed => &["extra_float_digits"],
        pg_sys::BYTEAOID if printed => &["bytea_output"],
        _ => &[],
    }
}

/// Says which settings a view is read under that the session has set otherwise, and on which it depends: once in an operation.
pub fn tell_of_other_settings(view: &Source) -> Result<()> {
    let others = operation::other_settings_of(view.oid);
    if others.is_empty() {
        return Ok(());
    }
    let conversions = sql::rows(CONVERSIONS, &[view.oid.into()], |row| {
        Ok((row.not_null::<bool>(1)?, row.not_null::<Oid>(2)?))
    })?;
    let depends: BTreeSet<&str> =
        conversions.into_iter().flat_map(|(printed, ty)| settings(printed, ty).iter().copied()).collect();
    let others = others.iter().filter(|other| depends.contains(other.name));
    let others: Vec<String> = others
        .map(|other| format!("{} = \"{}\", not \"{}\"", other.name, other.fixed, other.value))
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    tell(
        format!("view \"{}\" is read with {}", view.name, others.join("; ")),
        "It converts values as these settings say, and may show others in this session. Have it name the format or the time zone, as to_date(born, 'DD.MM.YYYY') and seen AT TIME ZONE 'Asia/Tokyo' do.",
    );
    Ok(())
}
