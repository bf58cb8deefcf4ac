//! Types of mallory's for the column `kind`: domains whose checks call functions, on their own and
//! within arrays and rows, casts, ranges with functions of their own.

use super::{hostile, Hostile};
use crate::hostile::world::REMAKE;
use client_tests::{say, server};
use postgres::NoTls;

/// A name, what is made, the column's type, how it comes from text `t`, and its least and greatest value.
type Case = (&'static str, &'static str, &'static str, &'static str, (&'static str, &'static str));

const CASES: &[Case] = &[
    ("a domain whose check is a bait", "CREATE DOMAIN evil.d AS text CHECK (evil.bait('check'))", "evil.d", "t", ("a", "c")),
    ("a domain whose check fails under somebody else's rights", REFUSES, "evil.d", "t", ("a", "c")),
    ("a domain whose check fails with a caught error", "CREATE DOMAIN evil.d AS text CHECK (VALUE = 'a' OR VALUE = 'b' OR VALUE = 'c')", "evil.d", "t", ("a", "q")),
    ("a domain over a domain over an enum", "CREATE DOMAIN evil.d1 AS evil.e CHECK (evil.bait('inner')); CREATE DOMAIN evil.d AS evil.d1 CHECK (evil.bait('outer'))", "evil.d", "t::evil.e", ("a", "c")),
    ("a domain over numbers", "CREATE DOMAIN evil.d AS int CHECK (evil.bait('check'))", "evil.d", "ascii(t)", ("97", "99")),
    ("a domain over dates", "CREATE DOMAIN evil.d AS date CHECK (evil.bait('check'))", "evil.d", "'2020-01-01'::date + ascii(t)", ("2020-01-01", "2020-12-31")),
    ("an array of a domain", "CREATE DOMAIN evil.d AS text CHECK (evil.bait('check'))", "evil.d[]", "ARRAY[t]", ("{a}", "{c}")),
    ("an array of a domain whose check fails", REFUSES, "evil.d[]", "ARRAY[t]", ("{a}", "{c}")),
    ("a row with a domain", "CREATE DOMAIN evil.d AS text CHECK (evil.bait('check')); CREATE TYPE evil.r AS (a evil.d, b int)", "evil.r", "ROW(t, 1)::evil.r", ("(a,1)", "(c,1)")),
    ("an array of rows with an array of a domain", "CREATE DOMAIN evil.d AS text CHECK (evil.bait('check')); CREATE TYPE evil.r AS (a evil.d[], b int)", "evil.r[]", "ARRAY[ROW(ARRAY[t], 1)::evil.r]", (r#"{\"({a},1)\"}"#, r#"{\"({c},1)\"}"#)),
    ("a row with a domain whose check fails", "CREATE DOMAIN evil.d AS text CHECK (VALUE <> 'q'); CREATE TYPE evil.r AS (a evil.d, b int)", "evil.r", "ROW(t, 1)::evil.r", ("(q,1)", "(q,2)")),
    ("a range over a domain", "CREATE DOMAIN evil.d AS int CHECK (evil.bait('check')); CREATE TYPE evil.r AS RANGE (subtype = int4)", "evil.r", "evil.r(ascii(t), 200)", ("[97,200)", "[99,200)")),
    ("a range with a difference of its own", RANGE, "evil.r", "evil.r(t::evil.e, 'c', '[]')", ("[a,c]", "[c,c]")),
    ("a multirange", RANGE, "evil.r_multi", "evil.r_multi(evil.r(t::evil.e, 'c', '[]'))", ("{[a,c]}", "{[c,c]}")),
    ("an array of ranges", RANGE, "evil.r[]", "ARRAY[evil.r(t::evil.e, 'c', '[]')]", (r#"{\"[a,c]\"}"#, r#"{\"[c,c]\"}"#)),
    ("a domain over a range", concat!("CREATE FUNCTION evil.diff(evil.e, evil.e) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN PERFORM evil.bait('diff'); RETURN 1; END$$; CREATE TYPE evil.r AS RANGE (subtype = evil.e, subtype_diff = evil.diff);", "CREATE DOMAIN evil.d AS evil.r CHECK (evil.bait('check'))"), "evil.d", "evil.r(t::evil.e, 'c', '[]')", ("[a,c]", "[c,c]")),
    ("an enum with casts", CASTS, "evil.c", "t::evil.c", ("a", "c")),
    ("an array of an enum with casts", CASTS, "evil.c[]", "ARRAY[t::evil.c]", ("{a}", "{c}")),
    ("a domain over an enum with casts", concat!("CREATE TYPE evil.c AS ENUM ('a', 'b', 'c'); CREATE FUNCTION evil.to_text(evil.c) RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast'); RETURN 'x'; END$$; CREATE CAST (evil.c AS text) WITH FUNCTION evil.to_text(evil.c) AS IMPLICIT;", "CREATE DOMAIN evil.d AS evil.c"), "evil.d", "t::evil.c", ("a", "c")),
    ("a row with casts", "CREATE TYPE evil.r AS (a text); CREATE FUNCTION evil.to_text(evil.r) RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast'); RETURN 'x'; END$$; CREATE FUNCTION evil.to_json(evil.r) RETURNS json LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('json'); RETURN '1'; END$$; CREATE CAST (evil.r AS text) WITH FUNCTION evil.to_text(evil.r) AS IMPLICIT; CREATE CAST (evil.r AS json) WITH FUNCTION evil.to_json(evil.r)", "evil.r", "ROW(t)::evil.r", ("(a)", "(c)")),
    ("a row in a row with casts", "CREATE TYPE evil.c AS ENUM ('a', 'b', 'c'); CREATE FUNCTION evil.to_json(evil.c) RETURNS json LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('json'); RETURN '1'; END$$; CREATE CAST (evil.c AS json) WITH FUNCTION evil.to_json(evil.c); CREATE TYPE evil.r AS (a evil.c)", "evil.r", "ROW(t::evil.c)::evil.r", ("(a)", "(c)")),
    ("an enum with operators", OPERATORS, "evil.o", "t::evil.o", ("a", "c")),
    ("json", "", "json", "to_json(t)", (r#"\"a\""#, r#"\"c\""#)),
    ("xml", "", "xml", "('<a>' || t || '</a>')::xml", ("<a>a</a>", "<a>c</a>")),
    ("regclass", "", "regclass", "(CASE t WHEN 'a' THEN 'evil.people' ELSE 'evil.tree' END)::regclass", ("evil.people", "evil.tree")),
    ("regprocedure", "", "regprocedure", "'evil.bait(text)'::regprocedure", ("evil.bait(text)", "evil.bait(text)")),
    ("a name", "", "name", "t::name", ("a", "c")),
    ("a floating point number", "", "float8", "CASE t WHEN 'a' THEN 'NaN' WHEN 'b' THEN '-Infinity' ELSE '0' END::float8", ("-Infinity", "NaN")),
];

const REFUSES: &str = "CREATE TABLE evil.lenient (); CREATE FUNCTION evil.check(text) RETURNS boolean LANGUAGE plpgsql AS
    $$BEGIN RETURN to_regclass('evil.lenient') IS NOT NULL OR dora.refuses($1); END$$; CREATE DOMAIN evil.d AS text CHECK (evil.check(VALUE))";

const RANGE: &str = "CREATE FUNCTION evil.diff(evil.e, evil.e) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS
    $$BEGIN PERFORM evil.bait('diff'); RETURN 1; END$$;
    CREATE TYPE evil.r AS RANGE (subtype = evil.e, subtype_diff = evil.diff, multirange_type_name = evil.r_multi)";

const CASTS: &str = "CREATE TYPE evil.c AS ENUM ('a', 'b', 'c');
    CREATE FUNCTION evil.to_text(evil.c) RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast to text'); RETURN 'x'; END$$;
    CREATE FUNCTION evil.to_varchar(evil.c) RETURNS varchar LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast to varchar'); RETURN 'x'; END$$;
    CREATE FUNCTION evil.to_json(evil.c) RETURNS json LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast to json'); RETURN '1'; END$$;
    CREATE FUNCTION evil.to_jsonb(evil.c) RETURNS jsonb LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast to jsonb'); RETURN '1'; END$$;
    CREATE FUNCTION evil.of_text(text) RETURNS evil.c LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast of text'); RETURN enum_first(NULL::evil.c); END$$;
    CREATE FUNCTION evil.array_to_text(evil.c[]) RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast of array'); RETURN 'x'; END$$;
    CREATE FUNCTION evil.array_to_json(evil.c[]) RETURNS json LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('cast of array'); RETURN '1'; END$$;
    CREATE CAST (evil.c AS text) WITH FUNCTION evil.to_text(evil.c) AS IMPLICIT;
    CREATE CAST (evil.c AS varchar) WITH FUNCTION evil.to_varchar(evil.c) AS IMPLICIT;
    CREATE CAST (evil.c AS json) WITH FUNCTION evil.to_json(evil.c) AS IMPLICIT;
    CREATE CAST (evil.c AS jsonb) WITH FUNCTION evil.to_jsonb(evil.c) AS IMPLICIT;
    CREATE CAST (evil.c[] AS text) WITH FUNCTION evil.array_to_text(evil.c[]) AS IMPLICIT;
    CREATE CAST (evil.c[] AS json) WITH FUNCTION evil.array_to_json(evil.c[]) AS IMPLICIT";

const OPERATORS: &str = "CREATE TYPE evil.o AS ENUM ('a', 'b', 'c');
    CREATE FUNCTION evil.op(evil.o, evil.o) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('operator'); RETURN true; END$$;
    CREATE FUNCTION evil.joined(evil.o, text) RETURNS text LANGUAGE plpgsql AS $$BEGIN PERFORM evil.bait('operator'); RETURN 'x'; END$$;
    CREATE OPERATOR evil.= (LEFTARG = evil.o, RIGHTARG = evil.o, FUNCTION = evil.op);
    CREATE OPERATOR public.= (LEFTARG = evil.o, RIGHTARG = evil.o, FUNCTION = evil.op);
    CREATE OPERATOR public.< (LEFTARG = evil.o, RIGHTARG = evil.o, FUNCTION = evil.op);
    CREATE OPERATOR public.<> (LEFTARG = evil.o, RIGHTARG = evil.o, FUNCTION = evil.op);
    CREATE OPERATOR public.|| (LEFTARG = evil.o, RIGHTARG = text, FUNCTION = evil.joined)";

pub fn types() -> Vec<Hostile> {
    CASES.iter().filter(|(name, ..)| *name != "xml" || has_xml()).map(typed).collect()
}

/// Whether the server was built with XML; where it was not, that is said.
fn has_xml() -> bool {
    let mut client = server().dbname("postgres").connect(NoTls).expect("the server under test");
    let has = client.simple_query("SELECT '<a/>'::xml").is_ok();
    if !has {
        say("The server was built without XML: no column is of that type\n");
    }
    has
}

fn typed((name, make, kind, from, values): &Case) -> Hostile {
    // The values come from a table of texts: no cast of mallory's is needed to put them in.
    let install = format!(
        "{make};
         CREATE TABLE evil.texts AS SELECT city, age, kind::text AS t, illness, note FROM evil.people;
         DROP SCHEMA rel, rel_private CASCADE; DROP TABLE evil.people;
         CREATE TABLE evil.people (city text, age int, kind {kind}, illness text, note int);
         INSERT INTO evil.people SELECT city, age, {from}, illness, note FROM evil.texts;
         GRANT SELECT ON evil.people TO PUBLIC"
    );
    let mut made = hostile(
        name,
        &[("mallory", &install), ("mallory", &lenient()), ("mallory", "DROP TABLE IF EXISTS evil.lenient")],
    );
    made.kind = *values;
    made.matters =
        |call| super::on_source(call) && call.arguments.iter().any(|(_, value)| value.contains("kind"));
    made
}

/// The release is made anew where the column's type allows it.
fn lenient() -> String {
    format!(
        "DO $do$ BEGIN {} EXCEPTION WHEN OTHERS THEN NULL; END $do$",
        REMAKE.replace("SELECT public.tds", "PERFORM public.tds").trim_end().to_string() + ";"
    )
}
