//! Every function ends soon when it is cancelled, whatever is large: rows, values, nodes, levels, columns, persons, sensitive values
//! or texts of what it reads, or one of its arguments. A call ends by itself, or within two tenths of a second of work after the
//! timeout.

use client_tests::calls::{Call, CALLS};
use client_tests::work::{work, Ticks};
use client_tests::{connect, is_long, rows, run, Database};
use postgres::error::SqlState;

/// In milliseconds. A call may be in another phase at each.
const TIMEOUTS: [Ticks; 2] = [100, 400];

/// How much work there may be after it.
const LATE: Ticks = 20;

/// What the calls name, of so many rows: `city`, `age`, `kind`, `illness` and `note` as SQL of i.
fn people(rows: u32, columns: &str) -> String {
    format!("CREATE TABLE evil.people AS SELECT {columns} FROM generate_series(1, {rows}) i")
}

const FLAT: &str = "CREATE TABLE evil.tree AS SELECT DISTINCT city AS child, 'any' AS parent FROM evil.people;
    CREATE TABLE evil.levels AS SELECT DISTINCT city AS leaf, left(md5(city), 3) AS up, 'any' AS root FROM evil.people";

/// What is large, the tables, and how a release of them is made.
fn environments() -> Vec<(&'static str, String, &'static str)> {
    let release = "tds_anonymize('evil.people', 'rel', k_anonymity(ARRAY['city', 'age'], 3), masking => by_taxonomy('city', 'evil.tree'), keep => ARRAY['note', 'illness'], counts => true)";
    let suppressed = "tds_anonymize('evil.people', 'rel', k_anonymity(ARRAY['city', 'age'], 3), masking => by_suppression('city'), keep => ARRAY['note', 'illness'], counts => true)";
    let local = "tds_anonymize('evil.people', 'rel', k_anonymity(ARRAY['city', 'age'], 3), masking => by_suppression('city'), keep => ARRAY['note', 'illness'], recoding => 'local')";
    let by_turns = "'c' || CASE WHEN i % 4 > 0 THEN i % 9000 ELSE i + 9000 END AS city, i % 700 AS age, i AS kind, 'i' || i % 3 AS illness, i % 1000 AS note";
    let all = "'c' || i AS city, i % 50000 AS age, i AS kind, 'i' || i % 3 AS illness, i % 1000 AS note";
    let chain = "CREATE TABLE evil.tree AS SELECT 'n' || i AS child, 'n' || i - 1 AS parent FROM generate_series(1, 60000) i
        UNION ALL SELECT city, 'n' || age * 12 FROM evil.people; CREATE TABLE evil.levels AS SELECT city AS leaf, 'any' AS up, 'all' AS root FROM evil.people";
    let columns: Vec<String> = (1..=1200).map(|c| format!("i % {} AS c{c}", 2 + c % 7)).collect();
    let wide = format!(
        "'c' || i % 20 AS city, i % 5 AS age, i AS kind, 'i' || i % 3 AS illness, i % 10 AS note, {}",
        columns.join(", ")
    );
    vec![
        ("rows and values", format!("{}; {FLAT}", people(60_000, all)), release),
        ("suppressed values by turns", format!("{}; {FLAT}", people(100_000, by_turns)), suppressed),
        ("suppressed values of groups", format!("{}; {FLAT}", people(50_000, by_turns)), local),
        ("levels", format!("{}; {chain}", people(5_000, "'c' || i AS city, i AS age, i AS kind, 'i' || i % 3 AS illness, i % 1000 AS note")), release),
        ("persons", format!("{}; {FLAT}", people(30_000, "'c' || i % 10000 AS city, i / 3 AS age, i / 3 AS kind, 'i' || i % 3 AS illness, i / 2 AS note")), suppressed),
        ("sensitive values", format!("{}; {FLAT}", people(60_000, "'c' || i % 3000 AS city, i % 30 AS age, i AS kind, 'i' || i AS illness, i AS note")), suppressed),
        ("columns", format!("{}; {FLAT}", people(300, &wide)), release),
        ("texts", format!("{}; {FLAT}", people(60, "repeat(md5((i / 3)::text), 20000) AS city, i % 5 AS age, i AS kind, repeat(md5(i::text), 10000) AS illness, i % 10 AS note")), suppressed),
    ]
}

fn world(tables: &str, release: &str) -> Database {
    let mut db = connect();
    run(&mut db, "SET client_min_messages = error; SET pg_topdown.threads = 1; SET max_parallel_workers_per_gather = 0; CREATE SCHEMA evil");
    run(&mut db, tables);
    run(&mut db, &format!("ANALYZE; SELECT {release}"));
    db
}

/// What was tried, how often a call was cancelled, and what was too much work.
#[derive(Default)]
struct Report {
    calls: usize,
    cancelled: usize,
    late: Vec<String>,
}

/// Runs a statement again as long as it is cancelled: the timeout holds for it, too. Where the server is gone, what is called
/// next says so.
fn until_done(db: &mut Database, statement: &str) {
    while let Err(error) = db.batch_execute(statement) {
        if db.is_closed() {
            return;
        }
        assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{statement}: {error}");
    }
}

impl Report {
    fn call(&mut self, db: &mut Database, what: &str, call: &Call, sql: &str, timeout: Ticks) {
        let sql = sql.replace(":a", "1").replace(":c", "200000").replace("thirdparty", "pg_monitor");
        until_done(db, &format!("SET statement_timeout = {timeout}"));
        // What changes something is undone.
        let [begin, rollback] = if call.is_procedure() { ["", ""] } else { ["BEGIN", "ROLLBACK"] };
        until_done(db, begin);
        let (done, failed) = work(db, &sql);
        until_done(db, rollback);
        let failed = failed.unwrap_or_default();
        self.calls += 1;
        self.cancelled += usize::from(failed == "57014");
        let fault = failed.starts_with("XX") || failed.len() != 5 && !failed.is_empty();
        if done > timeout / 10 + LATE || fault {
            let sql: Vec<&str> = sql.split_whitespace().collect();
            self.late.push(format!(
                "{what}, {timeout} ms: {} ms of work, {failed}: {:.300}",
                done * 10,
                sql.join(" ")
            ));
        }
    }

    fn conclude(self, least: f64) {
        println!("{} calls, {} were cancelled", self.calls, self.cancelled);
        assert!(self.late.is_empty(), "{} of {}:\n{}", self.late.len(), self.calls, self.late.join("\n"));
        let share = self.cancelled as f64 / self.calls as f64;
        assert!(share > least, "only {share} of all calls were cancelled");
    }
}

#[test]
fn whatever_is_large_calls_end() {
    let only = std::env::var("LARGE").unwrap_or_default();
    let mut report = Report::default();
    for (turn, (what, tables, release)) in environments().into_iter().enumerate() {
        if !what.contains(&only) {
            continue;
        }
        let mut db = world(&tables, release);
        let calls = CALLS.iter().filter(|call| {
            call.arguments.iter().any(|(_, value)| value.contains("evil.") || *value == "'rel'")
                || call.is_procedure()
        });
        for (number, call) in calls.enumerate() {
            for timeout in TIMEOUTS {
                if is_long() || TIMEOUTS.get((number + turn) % (6 * TIMEOUTS.len())) == Some(&timeout) {
                    report.call(&mut db, what, call, &call.sql(), timeout);
                }
            }
        }
    }
    report.conclude(0.1);
}

/// SQL for a large argument of a type.
fn large(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "text" => "repeat('x, ', 5000000)",
        "text[]" => "(SELECT array_agg('c' || i) FROM generate_series(1, 200000) i)",
        "integer[]" | "bigint[]" => "(SELECT array_agg(i) FROM generate_series(1, 200000) i)",
        "double precision[]" | "numeric[]" => "(SELECT array_agg(i) FROM generate_series(1, 200000) i)",
        "privacy_model[]" => "(SELECT array_agg(public.k_anonymity(ARRAY(SELECT 'c' || c FROM generate_series(1, 74) c WHERE c < 60 OR (i >> c - 60) & 1 = 1), 2)) FROM generate_series(1, 4000) i)",
        "masking[]" => "(SELECT array_agg(public.by_prefix('c' || i)) FROM generate_series(1, 20000) i)",
        "jsonb" => r#"(SELECT jsonb_build_object('any', jsonb_agg('c' || i)) FROM generate_series(1, 300000) i)"#,
        "cstring" => "repeat('[', 10000000)::cstring",
        _ => return None,
    })
}

#[test]
fn whichever_argument_is_large_calls_end() {
    let (_, tables, release) = environments().swap_remove(6);
    let mut db = world(&tables.replace("(1, 300)", "(1, 60)"), release);
    let mut report = Report::default();
    let mut turn: usize = 0;
    for call in CALLS.iter().filter(|call| !call.is_procedure()) {
        let arguments = rows(&mut db, &format!(
            "SELECT coalesce(n.name, '') || ' ' || format_type(a.type, NULL) FROM pg_proc p, unnest(p.proargtypes::oid[]) WITH ORDINALITY a(type, at)
             LEFT JOIN LATERAL (SELECT p.proargnames[a.at] AS name) n ON true WHERE p.proname = '{}' AND p.pronamespace = 'public'::regnamespace", call.function));
        for argument in arguments {
            let argument = argument.trim_matches(['(', ')', '"']);
            let Some((name, ty)) = argument.split_once(' ') else { continue };
            let Some(large) = large(ty) else { continue };
            turn += 1;
            // Models of many sets of columns are compared with each other.
            if !is_long() && !turn.is_multiple_of(20) && ty != "privacy_model[]" {
                continue;
            }
            let given = call
                .arguments
                .iter()
                .filter(|(of, _)| *of != name && !(of.is_empty() && call.arguments.len() == 1));
            let given = given.map(|(name, value)| (*name, value.to_string()));
            let positional =
                call.arguments.iter().all(|(name, _)| name.is_empty()) && !call.arguments.is_empty();
            let name = if positional { "" } else { name };
            let sql = call.with(given.chain([(name, large.to_string())]));
            report.call(
                &mut db,
                &format!("a {ty} for {}", call.function),
                call,
                &sql,
                TIMEOUTS[turn / 20 % 2],
            );
        }
    }
    report.conclude(0.0);
}
