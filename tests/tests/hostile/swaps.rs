//! Relations that are swapped for something else while a call waits for their lock: mallory locks one,
//! somebody calls, mallory puts a view, a table of other types, or nothing in its place, and commits.

use super::run::{fault, told, Report, Runner};
use super::world::World;
use client_tests::calls::{Call, CALLS};
use client_tests::is_long;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// What is locked, and what mallory does then. `evil.bait` where the release's owner is all that may
/// run it; `evil.mild` where a SELECT on what the caller named would run it too.
const SWAPS: &[(&str, &str, &str)] = &[
    ("the manifest becomes a view", "rel_private.manifest", "ALTER TABLE rel_private.manifest RENAME TO was; CREATE VIEW rel_private.manifest AS SELECT * FROM rel_private.was WHERE evil.bait('view')"),
    ("the manifest becomes another table", "rel_private.manifest", "ALTER TABLE rel_private.manifest RENAME TO was; CREATE TABLE rel_private.manifest (version text, created_at int, source int[], parameters text, rows int, achieved int, extension_version int)"),
    ("the manifest gets other types", "rel_private.manifest", "DROP VIEW rel.about; ALTER TABLE rel_private.manifest ALTER source TYPE int USING 7, ALTER parameters TYPE int USING 7, ALTER created_at TYPE int USING 7"),
    ("the manifest gets an index and a column", "rel_private.manifest", "CREATE INDEX ON rel_private.manifest (version) WHERE evil.calm_bait('predicate'); ALTER TABLE rel_private.manifest ADD more int"),
    ("the manifest is gone", "rel_private.manifest", "DROP TABLE rel_private.manifest CASCADE"),
    ("the manifest is forged", "rel_private.manifest", "UPDATE rel_private.manifest SET version = 7, source = 'evil.tree', parameters = '{}'"),
    ("the manifest names another view", "rel_private.manifest", "CREATE VIEW rel.other AS SELECT * FROM rel_private.rows_v1 WHERE evil.bait('other'); UPDATE rel_private.manifest SET parameters = jsonb_set(parameters, '{view}', '\"other\"')"),
    ("the release is gone", "rel_private.manifest", "DROP SCHEMA rel, rel_private CASCADE"),
    ("the release is renamed, and another has its name", "rel_private.manifest", "ALTER SCHEMA rel RENAME TO made; ALTER SCHEMA rel_private RENAME TO made_private; CREATE SCHEMA rel; CREATE SCHEMA rel_private; CREATE TABLE rel_private.manifest (version int)"),
    ("the owner is renamed", "rel_private.manifest", "SELECT evil.renames()"),
    ("the view calls a bait", "rel.people", "CREATE OR REPLACE VIEW rel.people AS SELECT city, age, kind, illness, note FROM rel_private.rows_v1 WHERE evil.bait('view')"),
    ("the view becomes a table", "rel.people", "DROP VIEW rel.people; CREATE TABLE rel.people (city int, age int[], kind int, illness json, note text)"),
    ("the view's table becomes a view", "rel_private.rows_v1", "ALTER TABLE rel_private.rows_v1 RENAME TO was; CREATE VIEW rel_private.rows_v1 AS SELECT * FROM rel_private.was WHERE evil.bait('v1')"),
    ("the table of all versions becomes a view", "rel_private.rows_v0", "ALTER TABLE rel_private.rows_v0 RENAME TO was; CREATE VIEW rel_private.rows_v0 AS SELECT * FROM rel_private.was WHERE evil.bait('v0')"),
    ("the table of all versions gets a partition and a trigger", "rel_private.rows_v0", "CREATE TRIGGER t BEFORE INSERT ON rel_private.rows_v0 FOR EACH ROW EXECUTE FUNCTION evil.trap(); CREATE TABLE rel_private.other PARTITION OF rel_private.rows_v0 DEFAULT"),
    ("the version is detached", "rel_private.rows_v0", "ALTER TABLE rel_private.rows_v0 DETACH PARTITION rel_private.rows_v1"),
    ("the cuts become a view", "rel_private.cuts_v0", "ALTER TABLE rel_private.cuts_v0 RENAME TO was; CREATE VIEW rel_private.cuts_v0 AS SELECT * FROM rel_private.was WHERE evil.bait('cuts')"),
    ("the cuts call a bait", "rel_private.cuts_v0", "CREATE OR REPLACE VIEW rel_private.cuts AS SELECT version, attribute, nodes[1] AS node, lowers[1] AS lower, uppers[1] AS upper, records[1] AS records FROM rel_private.cuts_v0 WHERE evil.bait('cuts')"),
    ("the cuts get triggers", "rel_private.cuts_v0", "CREATE TRIGGER t BEFORE INSERT OR DELETE ON rel_private.cuts_v0 FOR EACH ROW EXECUTE FUNCTION evil.trap()"),
    ("the trees get other types", "rel_private.taxonomy_v0", "DROP VIEW rel_private.taxonomy; ALTER TABLE rel_private.taxonomy_v0 ALTER nodes TYPE int[] USING NULL, ALTER version TYPE text; CREATE VIEW rel_private.taxonomy AS SELECT evil.bait('taxonomy') AS version"),
    ("the source becomes a view", "evil.people", "ALTER TABLE evil.people RENAME TO was; CREATE VIEW evil.people AS SELECT * FROM evil.was WHERE evil.mild('source')"),
    ("the source gets other types", "evil.people", "ALTER TABLE evil.people ALTER age TYPE text, ALTER kind TYPE int USING 7, ALTER city TYPE int USING 7, ALTER note TYPE text"),
    ("the source gets a domain", "evil.people", "CREATE DOMAIN evil.d AS text CHECK (evil.bait('check')); ALTER TABLE evil.people ALTER kind TYPE evil.d"),
    ("the source gets policies", "evil.people", "CREATE POLICY p ON evil.people USING (evil.mild('policy')); ALTER TABLE evil.people ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
    ("the source loses columns", "evil.people", "ALTER TABLE evil.people DROP age CASCADE, DROP kind CASCADE"),
    ("the source is gone", "evil.people", "DROP TABLE evil.people CASCADE"),
    ("the taxonomy becomes a view", "evil.tree", "ALTER TABLE evil.tree RENAME TO was; CREATE VIEW evil.tree AS SELECT * FROM evil.was WHERE evil.mild('tree')"),
    ("the taxonomy gets other types", "evil.tree", "ALTER TABLE evil.tree ALTER child TYPE int USING 7, ALTER parent TYPE int[] USING NULL"),
    ("the taxonomy is gone", "evil.tree", "DROP TABLE evil.tree"),
];

/// Calls that look at what is locked.
fn concerned(call: &Call, locked: &str) -> bool {
    let names = |name: &str| call.arguments.iter().any(|(_, value)| value.contains(name));
    match locked.split_once('.') {
        Some(("rel" | "rel_private", _)) => call.function == "releases" || names("'rel'"),
        _ => names(&format!("'{locked}'")) && !call.function.starts_with("by_"),
    }
}

/// Every swap, while every eighteenth call that it concerns waits, all with LONG=1, of a superuser's and of another plain role's.
pub fn run(world: &World) -> Report {
    let mut runner = Runner::new(world, &[]).expect("nothing is installed");
    // One call of each function is enough: the swap is what differs.
    for (turn, (name, locked, swap)) in SWAPS.iter().enumerate() {
        let mut seen = Vec::new();
        for call in CALLS.iter().filter(|call| concerned(call, locked)) {
            if seen.contains(&call.function) {
                continue;
            }
            seen.push(call.function);
            if !is_long() && !(turn + seen.len()).is_multiple_of(18) {
                continue;
            }
            // Others may not work on the release at all.
            let callers: &[&str] = if locked.starts_with("rel") && call.function != "releases" {
                &["root"]
            } else {
                &["root", "reader"]
            };
            for caller in callers {
                case(&mut runner, name, locked, swap, call, caller);
            }
        }
    }
    runner.report
}

fn case(runner: &mut Runner, name: &str, locked: &str, swap: &str, call: &Call, caller: &str) {
    let sql = call.sql().replace(":a", "a").replace(":c", "c");
    let mut mallory = runner.environment.session("mallory");
    mallory.must(&format!(
        "BEGIN; CREATE FUNCTION evil.renames() RETURNS void LANGUAGE sql AS 'SELECT'; LOCK {locked} IN ACCESS EXCLUSIVE MODE"
    ));
    let (mut session, before) = runner.session(caller, "");
    let pid = session.pid;
    let renames = swap.contains("renames");
    let result = scope(|scope| {
        let call = scope.spawn(|| {
            let result = session.batch(&sql);
            (session, result)
        });
        let waits = format!("SELECT wait_event_type, state FROM pg_stat_activity WHERE pid = {pid}");
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) && !call.is_finished() {
            if runner.observer.row(&waits).is_ok_and(|row| row.first().is_some_and(|event| event == "Lock")) {
                break;
            }
            sleep(Duration::from_millis(1));
        }
        // A call that already has what is swapped beside the lock is a deadlock: one of both is told so.
        if let Err(error) = mallory.batch(swap) {
            let deadlock = error.as_db_error().is_some_and(|error| error.code().code() == "40P01");
            assert!(deadlock, "{swap}: {error:?}");
        }
        if renames {
            runner.observer.must("ALTER ROLE mallory RENAME TO renamed_mallory");
        }
        mallory.must("COMMIT");
        call.join().expect("the call does not panic")
    });
    let (mut session, result) = result;
    let mut faults: Vec<String> = result.as_ref().err().and_then(fault).into_iter().collect();
    faults.extend(super::run::changed(&mut session, &before, "afterwards"));
    faults.extend(told(&session.heard()));
    faults.extend(runner.held(&session));
    if renames {
        runner.observer.must("ALTER ROLE renamed_mallory RENAME TO mallory");
    }
    runner.compare(false, true, &mut faults);
    runner.report.cases += 1;
    runner.report.succeeded += usize::from(result.is_ok());
    if !faults.is_empty() {
        let sql: Vec<&str> = sql.split_whitespace().collect();
        let function = call.function;
        runner.report.failures.push(format!(
            "({name}, {function}, {caller}) waiting: {}\n    {}",
            sql.join(" "),
            faults.join("\n    ")
        ));
    }
    drop((session, mallory));
    runner.observer.must("DROP SCHEMA IF EXISTS made, made_private, rel, rel_private CASCADE");
    runner.restore();
}
