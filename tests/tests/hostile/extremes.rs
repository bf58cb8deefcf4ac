//! Arguments that are extreme: each argument of each call in turn is whatever its type can read of a
//! list of texts, most of which it cannot; models and maskings are extreme ones too.

use super::run::{changed, fault, told, Report, Runner};
use super::world::World;
use client_tests::calls::{Effect, CALLS};
use client_tests::is_long;

/// Anything, for any type.
const TEXTS: &[&str] = &[
    "NULL",
    "''",
    "'{}'",
    "'{NULL}'",
    "'{\"\"}'",
    "'{{a,b},{c,d}}'",
    "'[2:3]={city,age}'",
    "'-1'",
    "'0'",
    "'2147483647'",
    "'-2147483648'",
    "'NaN'",
    "'Infinity'",
    "'-1e308'",
    "'1e-320'",
    "'4294967295'",
    "'[]'",
    "'\"x\"'",
    "'null'",
    "'{city,city}'",
    "'{ctid,tableoid}'",
    "'pg_catalog.pg_class'",
    "'pg_catalog.pg_authid'",
    "'rel_private.manifest_pkey'",
    "'pg_toast.pg_toast_1255'",
    "'rel.people'",
    "'rel_private.manifest'",
    "'information_schema.columns'",
    "'pg_catalog'",
    "'pg_temp'",
    "'evil'",
    "'public'",
    "E'\\'; DROP SCHEMA evil; --'",
    "pg_catalog.repeat('x', 70000)",
    "E'\\u00e9\\u202e\\U0001F600'",
];

/// JSON, for jsonb and for the types that are JSON as text.
const JSON: &[&str] = &[
    r#"'{"breakpoints": [[]], "levels": 0, "fan_out": 1, "threshold": -1}'"#,
    r#"'{"levels": 1e400}'"#,
    r#"'{"levels": 2147483647, "fan_out": 2147483647}'"#,
    r#"'{"threshold": 1e-400, "lower": "NaN", "upper": "-Infinity"}'"#,
    r#"'{"breakpoints": [[1, "a", null, {}, 1e400]]}'"#,
    r#"'{"lower": {}, "upper": []}'"#,
    r#"'{"any": {"any": ["any", null, true, 1e400, {}]}}'"#,
    r#"'{"a": {}, "b": {}}'"#,
    r#"'{"k_anonymity": {"quasi_identifier": null, "k": 1e400}}'"#,
    r#"'{"by_taxonomy": {"column_name": "city", "taxonomy": 4294967295}}'"#,
    r#"'{"by_taxonomy": {"column_name": "city", "taxonomy": "pg_authid"}}'"#,
    r#"'{"by_taxonomy_tree": {"column_name": "city", "taxonomy": [[[]]]}}'"#,
    "(pg_catalog.repeat('[', 6000) || pg_catalog.repeat(']', 6000))::pg_catalog.jsonb",
    "(pg_catalog.repeat('{\"a\":', 6000) || '1' || pg_catalog.repeat('}', 6000))::pg_catalog.jsonb",
    "('{\"by_taxonomy_tree\": {\"column_name\": \"city\", \"taxonomy\": ' || pg_catalog.repeat('{\"a\":', 100000))::pg_catalog.text",
];

/// Models and maskings, for arguments that take them.
const MODELS: &[&str] = &[
    "ARRAY[public.k_anonymity(ARRAY['city'], 2147483647)]",
    "ARRAY[public.k_anonymity(ARRAY['kind', 'age', 'city', 'illness', 'note'], 1)]",
    "ARRAY[public.confidence_bound(ARRAY['city'], 'age', ARRAY['99999999999', 'x', '', NULL], 1)]",
    "ARRAY[public.confidence_bound(ARRAY['city'], 'kind', ARRAY['q'], 0)]",
    "ARRAY[public.confidence_bound(ARRAY['city'], 'illness', pg_catalog.array_fill('x'::text, ARRAY[5000]), 0.5)]",
    "ARRAY[public.l_diversity(ARRAY['city'], 'age', 1e300, 'entropy')]",
    "ARRAY[public.l_diversity(ARRAY['city'], 'age', 2, 'recursive', 1e-300)]",
    "ARRAY[public.t_closeness(ARRAY['city'], 'age', 0, 'ordered')]",
    r#"ARRAY['{"k_anonymity":{"quasi_identifier":["city"],"k":-5}}'::public.privacy_model]"#,
    "public.confidence_bound(ARRAY['city', 'age'], 'kind', ARRAY['q'], 'NaN')",
    "public.k_anonymity(ARRAY['city'], 2)",
    "ARRAY[public.by_taxonomy('city', 'evil.people')]",
    "ARRAY[public.by_taxonomy('city', 4294967295::pg_catalog.oid::pg_catalog.regclass)]",
    "ARRAY[public.by_intervals('age', '1e400', '-1')]",
    "ARRAY[public.by_intervals('age', 'x', NULL), public.by_intervals('age')]",
    "ARRAY[public.by_intervals('city', E'\\x01', pg_catalog.repeat('z', 100000))]",
    "ARRAY[public.by_intervals('kind', 'q', 'a')]",
    "ARRAY[public.by_taxonomy_tree('age', '{\"any\": {\"1\": [2, 3]}}')]",
    "ARRAY[public.by_suppression('ctid')]",
];

/// Every call with every argument replaced by every fortieth value, in turn; by everything with LONG=1.
pub fn run(world: &World) -> Report {
    let mut runner = Runner::new(world, &[]).expect("nothing is installed");
    let (mut session, mut state) = runner.session("root", "");
    let values = || TEXTS.iter().chain(JSON).chain(MODELS);
    let some = if is_long() { 1 } else { 40 };
    let mut turn = 0;
    for call in CALLS.iter().filter(|call| call.effect != Effect::Nothing || !call.arguments.is_empty()) {
        for replaced in 0..call.arguments.len() {
            let mut faults = Vec::new();
            turn += 1;
            for value in values().skip(turn % some).step_by(some) {
                let each = call.arguments.iter().enumerate();
                let arguments =
                    each.map(|(i, (name, own))| (*name, if i == replaced { value } else { own }.to_string()));
                let sql = call.with(arguments).replace(":a", "a").replace(":c", "c");
                // What commits is refused within a transaction.
                let begin = if call.is_procedure() { "" } else { "BEGIN; " };
                let result = session.batch(&format!("{begin}{sql}"));
                let end = session.batch("ROLLBACK");
                runner.report.cases += 1;
                runner.report.succeeded += usize::from(result.is_ok());
                let wrong = [result, end].into_iter().filter_map(|r| r.err().as_ref().and_then(fault));
                let wrong: Vec<String> = wrong.chain(told(&session.heard())).collect();
                if !wrong.is_empty() {
                    let sql: String =
                        sql.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(2000).collect();
                    faults.push(format!("{} in {sql}", wrong.join("; ")));
                    (session, state) = runner.session("root", "");
                }
            }
            faults.extend(changed(&mut session, &state, "afterwards"));
            faults.extend(runner.held(&session));
            runner.compare(false, false, &mut faults);
            if !faults.is_empty() {
                let (function, (argument, _)) = (call.function, call.arguments[replaced]);
                runner
                    .report
                    .failures
                    .push(format!("(extreme {argument}, {function}, root)\n    {}", faults.join("\n    ")));
                (session, state) = runner.session("root", "");
            }
        }
    }
    runner.report
}
