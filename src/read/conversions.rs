//! What a view converts as settings say. A view is read under settings of ours ([`operation`]), so that every session reads the
//! same; a conversion that says nothing of a format or a time zone may then be another one than in the session of its owner.

use crate::postgres::error::{tell, Result};
use crate::postgres::operation;
use crate::postgres::sql::{self, Values};
use pgrx::pg_sys::{self, Oid};
use pgrx::spi::SpiHeapTupleData;
use std::collections::BTreeSet;

/// The types that a view and those that it reads convert from text or print, as their stored queries have it; and time with a zone for
/// functions whose result the time zone decides.
///
/// PostgreSQL converts by the types' input and output functions where a query says so, in functions that take any type (of these it is
/// not looked at what they are called with: every type in the query may be), in XML and JSON, and where rows of named columns are made.
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
    functions(tree, oid, result) AS (
      SELECT tree, m[1]::pg_catalog.oid, m[2]::pg_catalog.oid
      FROM queries, pg_catalog.regexp_matches(tree, ':(?:op)?funcid (\\d+) :(?:func|op)resulttype (\\d+)', 'g') m),
    stable(tree, oid, result, takes_any, makes_any, of_zone) AS (
      SELECT f.tree, f.oid, f.result, p.proargtypes::pg_catalog.oid[] && a.types, p.prorettype = ANY (a.types) OR p.proargtypes::pg_catalog.oid[] && '{2275}',
             p.prorettype IN (1184, 1266) OR p.proargtypes::pg_catalog.oid[] && '{1184,1266}' OR p.proname ~ '_tz$'
      FROM functions f JOIN pg_catalog.pg_proc p ON p.oid = f.oid,
           (SELECT pg_catalog.array_agg(oid) FROM pg_catalog.pg_type WHERE typtype = 'p' AND typname ~ '^(any|record)') a (types)
      WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.provolatile = 's' AND p.pronargs > 0),
    conversions(printed, type) AS (
      SELECT false, m[1]::pg_catalog.oid
      FROM queries, pg_catalog.regexp_matches(tree, ':resulttype (\\d+) :resultcollid', 'g') m
      UNION
      SELECT true, m[1]::pg_catalog.oid
      FROM queries, pg_catalog.regexp_matches(tree, '\\{COERCEVIAIO :arg \\{[A-Z]+ [^{}]*:(?:var|const|param|funcresult|opresult|result|case|coalesce|minmax|agg|win|row_|array_)type(?:id)? (\\d+)', 'g') m
      UNION
      SELECT true, m[1]::pg_catalog.oid
      FROM queries q, pg_catalog.regexp_matches(tree, ':(?:var|const|param|funcresult|opresult|agg)type (\\d+)', 'g') m
      WHERE tree ~ '\\{(XMLEXPR|JSONCONSTRUCTOREXPR|ROW(EXPR)?) ' OR EXISTS (SELECT FROM stable s WHERE s.tree = q.tree AND s.takes_any)
      UNION
      SELECT false, s.result FROM stable s WHERE s.makes_any
      UNION
      SELECT false, t::pg_catalog.oid
      FROM queries, pg_catalog.regexp_matches(tree, ':(?:func)?coltypes \\(o ([0-9 ]+)\\)', 'g') m, pg_catalog.string_to_table(pg_catalog.btrim(m[1]), ' ') t
      UNION
      SELECT false, 1266 FROM stable WHERE of_zone
      UNION
      SELECT false, 1266 FROM queries WHERE tree ~ '\\{SQLVALUEFUNCTION :op [0125678] ')
    SELECT printed, type FROM conversions";

/// Types with those that they consist of. (In a query of its own: together, the planner expects so many rows that it has hundreds of
/// megabytes for them.)
const PARTS: &str = "
    WITH RECURSIVE parts(printed, type) AS (
      SELECT * FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.bool[]), pg_catalog.unnest($2::pg_catalog.oid[])) t
      UNION
      SELECT p.printed, part.type FROM parts p JOIN pg_catalog.pg_type t ON t.oid = p.type, LATERAL (
        SELECT t.typelem WHERE t.typlen = -1 AND t.typelem <> 0
        UNION ALL SELECT t.typbasetype WHERE t.typbasetype <> 0
        UNION ALL SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid)
        UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) part (type))
    SELECT printed, type FROM parts";

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

fn conversion(row: &SpiHeapTupleData) -> Result<(bool, Oid)> {
    Ok((row.not_null(1)?, row.not_null(2)?))
}

/// Says which settings a view is read under that the session has set otherwise, and on which it depends: once in an operation.
pub fn tell_of_other_settings(view: Oid, name: &str) -> Result<()> {
    let others = operation::other_settings_of(view);
    if others.is_empty() {
        return Ok(());
    }
    let (printed, types): (Vec<bool>, Vec<Oid>) =
        sql::rows(CONVERSIONS, &[view.into()], conversion)?.into_iter().unzip();
    let parts = sql::rows(PARTS, &[printed.into(), types.into()], conversion)?;
    let depends: BTreeSet<&str> =
        parts.into_iter().flat_map(|(printed, ty)| settings(printed, ty).iter().copied()).collect();
    let others = others.iter().filter(|other| depends.contains(other.name));
    let others: Vec<String> = others
        .map(|other| format!("{} = \"{}\", not \"{}\"", other.name, other.fixed, other.value))
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    tell(
        format!("view \"{name}\" is read with {}", others.join("; ")),
        "It converts values as these settings say, and may show others in this session. Have it name the format or the time zone, as to_date(born, 'DD.MM.YYYY') and seen AT TIME ZONE 'Asia/Tokyo' do.",
    );
    Ok(())
}
