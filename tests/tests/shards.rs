//! A source whose rows lie on other servers: three clusters, of which two hold partitions of a table of the first. The release
//! is what it would be on one, the rows stay where they are, and a server that goes leaves the version before as it was.

use client_tests::cluster::{wait_until, Cluster, Stop};
use client_tests::releases::{how, same};
use client_tests::wire::Wire;
use client_tests::{is_long, load_adult, load_taxonomies, number, rows, run, say, skip};
use postgres::error::SqlState;
use postgres::Client;
use std::thread;
use std::time::Instant;

/// A coordinator, two shards, and the wires to them: servers shard_1 and shard_2.
struct Shards {
    coordinator: Cluster,
    shards: Vec<Cluster>,
    wires: Vec<Wire>,
}

impl Shards {
    fn start() -> Option<Shards> {
        let start = || Cluster::start("shared_buffers = 256MB");
        let (coordinator, shards) = (start()?, vec![start()?, start()?]);
        let wires: Vec<Wire> = shards.iter().map(Wire::to).collect();
        let mut db = coordinator.session();
        if number(&mut db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") == 0 {
            skip("this PostgreSQL has no postgres_fdw");
            return None;
        }
        run(&mut db, "CREATE EXTENSION pg_topdown; CREATE EXTENSION postgres_fdw");
        for (number, wire) in (1..).zip(&wires) {
            let server = format!(
                "CREATE SERVER shard_{number} FOREIGN DATA WRAPPER postgres_fdw
                     OPTIONS (host '{}', dbname 'postgres', fetch_size '10000', async_capable 'true', batch_size '1000');
                 CREATE USER MAPPING FOR PUBLIC SERVER shard_{number} OPTIONS (user 'postgres')",
                wire.socket()
            );
            run(&mut db, &server);
        }
        Some(Shards { coordinator, shards, wires })
    }

    /// A table of the coordinator's in four partitions: one here, if `mixed`, the others on both shards in turn.
    fn partitioned(&self, name: &str, columns: &str, there: &str, key: &str, mixed: bool) {
        let mut db = self.coordinator.session();
        run(&mut db, &format!("CREATE TABLE {name} ({columns}) PARTITION BY HASH ({key})"));
        for part in 0..4 {
            let of =
                format!("{name}_{part} PARTITION OF {name} FOR VALUES WITH (MODULUS 4, REMAINDER {part})");
            if mixed && part == 3 {
                run(&mut db, &format!("CREATE TABLE {of}"));
                continue;
            }
            run(&mut self.shards[part % 2].session(), &format!("CREATE TABLE {name}_{part} ({there})"));
            run(&mut db, &format!("CREATE FOREIGN TABLE {of} SERVER shard_{}", 1 + part % 2));
        }
    }

    /// How many bytes came from the shards since this was asked last.
    fn bytes(&self) -> u64 {
        self.wires.iter().map(Wire::bytes).sum()
    }
}

/// The columns of a table, as DDL writes them.
fn columns(db: &mut Client, table: &str) -> String {
    let query = format!(
        "SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
         FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0"
    );
    db.query_one(&query, &[]).expect("columns").get(0)
}

/// What is asked of Adult: one quasi-identifier, several with a template, and rows that may be withheld; and how `auto` reads it. Of the
/// second three rows in four are combinations of their leaf.
const ADULT: [(&str, &str); 3] = [
    ("ARRAY[k_anonymity(ARRAY['age', 'sex', 'education', 'race'], 20)], class => 'income'", "counts"),
    ("ARRAY[k_anonymity(ARRAY['age', 'sex'], 50), k_anonymity(ARRAY['education', 'race'], 50),
           k_anonymity(ARRAY['age', 'workclass'], 30), k_anonymity(ARRAY['sex', 'race', 'workclass'], 40),
           k_anonymity(ARRAY['age', 'marital_status'], 50),
           confidence_bound(ARRAY['age', 'sex'], 'occupation', ARRAY['Exec-managerial'], 0.6)], class => 'income'", "rows"),
    ("ARRAY[k_anonymity(ARRAY['age', 'sex', 'race'], 20)], withhold => 0.02, keep => ARRAY['relationship']", "counts"),
];

#[test]
fn adult_is_released_as_on_one_server() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    if load_adult(&mut db).is_none() || load_taxonomies(&mut db).is_none() {
        return;
    }
    // Texts are compared otherwise on the shards, if there is any other collation.
    let other = "SELECT collname::text FROM pg_collation WHERE collname IN ('und-x-icu', 'C.utf8', 'POSIX')
                 ORDER BY collname = 'und-x-icu' DESC, collname LIMIT 1";
    let collation: String = shards.shards[0].session().query_one(other, &[]).expect("a collation").get(0);
    let here = columns(&mut db, "adult");
    let there = here.replace(" text", &format!(" text COLLATE \"{collation}\""));
    shards.partitioned("adult_everywhere", &here, &there, "fnlwgt", true);
    run(&mut db, "INSERT INTO adult_everywhere SELECT * FROM adult");
    run(&mut db, "ANALYZE adult_everywhere_0, adult_everywhere_1, adult_everywhere_2, adult_everywhere_3");
    let masking = "masking => ARRAY[by_taxonomy('education', 'tax_education')]";
    for (asked, best) in ADULT {
        let masking = if asked.contains("education") { format!(", {masking}") } else { String::new() };
        for scan in ["auto", if best == "rows" { "counts" } else { "rows" }] {
            run(&mut db, &format!("SELECT tds_anonymize('adult', 'one', {asked}{masking})"));
            assert_eq!(how(&mut db, "one"), "rows");
            run(&mut db, &format!("SET pg_topdown.scan = {scan}"));
            shards.bytes();
            let release =
                |what| format!("SELECT tds_anonymize('adult_everywhere', '{what}', {asked}{masking})");
            run(&mut db, &release("many"));
            let bytes = shards.bytes();
            say(&format!("adult, {scan}: {} bytes crossed\n", bytes));
            assert_eq!(how(&mut db, "many"), if scan == "auto" { best } else { scan });
            same(&mut db, "one", "many", ("adult", "adult_everywhere"));
            // Again by the steps of before.
            run(&mut db, "SELECT release_refresh('one'); SELECT release_refresh('many')");
            same(&mut db, "one", "many", ("adult", "adult_everywhere"));
            run(&mut db, "SELECT release_drop('one'), release_drop('many'); RESET pg_topdown.scan");
        }
    }
    // Every leaf that is elsewhere counts by itself.
    run(&mut db, &format!("SELECT tds_anonymize('adult_everywhere', 'many', {}, {masking})", ADULT[0].0));
    let remote = "SELECT l FROM many_private.manifest, jsonb_array_elements_text(parameters -> 'scan' -> 'plan') l WHERE l ~ 'Remote SQL'";
    let remote = rows(&mut db, remote);
    assert!(remote.len() == 3 && remote.iter().all(|line| line.contains("GROUP BY")), "{remote:?}");
}

/// Rows of `wide` that a shard makes by itself: any, but the same everywhere.
fn made_up(rows: usize, part: &str) -> String {
    format!(
        "SELECT i, 17 + abs(hashint4(i)) % 50, 's' || abs(hashint4(i + 1)) % 2, 'e' || abs(hashint4(i * 3)) % 8,
                abs(hashint4(i + 5)) % 5, 'r' || abs(hashint4(i + 2)) % 5, 'd' || abs(hashint4(i + 9)) % 4,
                'c' || abs(hashint4(i / 7)) % 2
         FROM generate_series(1, {rows}) i WHERE {part}"
    )
}

#[test]
fn rows_stay_where_they_are() {
    let rows = if is_long() { 1_000_000 } else { 300_000 };
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    let columns = "i int, age int, sex text, education text, hours int, race text, disease text, class text";
    run(
        &mut db,
        &format!("CREATE TABLE here ({columns}); INSERT INTO here {}; ANALYZE here", made_up(rows, "true")),
    );
    run(&mut db, &format!("CREATE TABLE elsewhere ({columns}) PARTITION BY RANGE (i)"));
    for part in 0..4 {
        let (from, to) = (part * rows / 4 + 1, (part + 1) * rows / 4 + 1);
        let table = format!("elsewhere_{part}");
        let rows = made_up(rows, &format!("i >= {from} AND i < {to}"));
        run(
            &mut shards.shards[part % 2].session(),
            &format!("CREATE TABLE {table} ({columns}); INSERT INTO {table} {rows}; ANALYZE {table}"),
        );
        run(
            &mut db,
            &format!(
                "CREATE FOREIGN TABLE {table} PARTITION OF elsewhere FOR VALUES FROM ({from}) TO ({to}) SERVER shard_{}",
                1 + part % 2
            ),
        );
    }
    run(&mut db, "ANALYZE elsewhere_0, elsewhere_1, elsewhere_2, elsewhere_3");
    let asked = [
        "ARRAY[k_anonymity(ARRAY['age', 'sex', 'race'], 50)], class => 'class'",
        "ARRAY[k_anonymity(ARRAY['age', 'sex'], 50), k_anonymity(ARRAY['education', 'sex'], 50),
               k_anonymity(ARRAY['hours', 'sex'], 30), k_anonymity(ARRAY['age', 'education'], 40),
               k_anonymity(ARRAY['hours', 'education'], 50), confidence_bound(ARRAY['age', 'sex'], 'disease', ARRAY['d1'], 0.5)]",
    ];
    // Of many combinations it is a million rows that are ten times as many bytes.
    for asked in &asked[..if is_long() { 2 } else { 1 }] {
        compare(&shards, &mut db, asked);
    }
}

/// Releases of the same rows from here, counted, from elsewhere, and from elsewhere row by row: they are the same, and
/// what crosses is counted. How long each takes is said, and decides nothing.
fn compare(shards: &Shards, db: &mut Client, asked: &str) {
    let calls = [("here", "one", "counts"), ("elsewhere", "many", "auto"), ("elsewhere", "plain", "rows")];
    let spent = calls.map(|(source, release, scan)| {
        run(db, &format!("SET pg_topdown.scan = {scan}"));
        shards.bytes();
        let start = Instant::now();
        run(db, &format!("SELECT tds_anonymize('{source}', '{release}', {asked})"));
        assert_eq!(how(db, release), if scan == "rows" { "rows" } else { "counts" });
        (start.elapsed().as_secs_f64(), shards.bytes())
    });
    let [(here, none), (elsewhere, counts), (plain, raw)] = spent;
    say(&format!(
        "counted here {here:.2} s; elsewhere {elsewhere:.2} s, {counts} bytes; row by row {plain:.2} s, {raw} bytes\n"
    ));
    same(db, "one", "many", ("here", "elsewhere"));
    same(db, "one", "plain", ("here", "elsewhere"));
    assert_eq!(none, 0);
    assert!(counts * 10 < raw, "{counts} of {raw} bytes");
    run(db, "SELECT release_drop('one'), release_drop('many'), release_drop('plain')");
}

#[test]
fn rows_that_hardly_repeat_are_read() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    let names: Vec<String> = (1..=15).map(|column| format!("c{column}")).collect();
    let columns = names.iter().map(|name| format!("{name} int")).collect::<Vec<_>>().join(", ");
    shards.partitioned("wide", &columns, &columns, "c1", false);
    let values =
        (1..=15).map(|column| format!("abs(hashint4(i * {column})) % 1000")).collect::<Vec<_>>().join(", ");
    run(&mut db, &format!("INSERT INTO wide SELECT {values} FROM generate_series(1, 20000) i"));
    let asked = names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    run(&mut db, &format!("SELECT tds_anonymize('wide', 'r', ARRAY[k_anonymity(ARRAY[{asked}], 5)])"));
    assert_eq!(how(&mut db, "r"), "rows");
    let reason = rows(&mut db, "SELECT parameters #>> '{scan,reason}' FROM r_private.manifest");
    assert_eq!(reason, ["(\"about 1.00 combinations a row, by a sample\")"]);
    // Even so the release is right, however it is read.
    run(&mut db, &format!("SET pg_topdown.scan = counts; SELECT tds_anonymize('wide', 's', ARRAY[k_anonymity(ARRAY[{asked}], 5)])"));
    assert_eq!(how(&mut db, "s"), "counts");
    same(&mut db, "r", "s", ("wide", "wide"));
}

/// People of both shards: numbers `from` to `to`.
fn more(db: &mut Client, table: &str, from: u32, to: u32) {
    run(
        db,
        &format!(
            "INSERT INTO {table} SELECT i, 20 + i % 40, 's' || i % 2 FROM generate_series({from}, {to}) i"
        ),
    );
}

const PEOPLE: &str = "id int, age int, sex text";
const RELEASE: &str = "SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5)])";

/// Each server counts at a moment of its own: what one does between belongs to the version or not, all of it, and what is
/// published is of one count.
#[test]
fn a_shard_that_changes_meanwhile() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    shards.partitioned("people", PEOPLE, PEOPLE, "id", false);
    more(&mut db, "people", 1, 4000);
    run(&mut db, "SET pg_topdown.scan = counts; BEGIN");
    // From here on this transaction sees shard_1 as it is now.
    let before = number(&mut db, "SELECT count(*) FROM people_0");
    for (shard, table) in [(0, "people_0"), (1, "people_1")] {
        more(&mut shards.shards[shard].session(), table, 10_001, 10_100);
    }
    run(&mut db, &format!("{RELEASE}; COMMIT"));
    assert_eq!(number(&mut db, "SELECT count(*) FROM people_0"), before + 100);
    for of in [
        "SELECT rows FROM r.about",
        "SELECT count(*) FROM r.people",
        "SELECT sum(records) FROM r.cut WHERE attribute = 'age'",
    ] {
        assert_eq!(number(&mut db, of), 4100, "{of}");
    }
    run(&mut db, "SELECT release_assert('r')");
    run(&mut db, "SELECT release_refresh('r')");
    assert_eq!(number(&mut db, "SELECT rows FROM r.about"), 4200);
}

/// What a server refuses is told as it comes: nothing is said of a search_path of ours.
#[test]
fn a_shard_that_refuses() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    shards.partitioned("people", PEOPLE, PEOPLE, "id", false);
    more(&mut db, "people", 1, 2000);
    let mut refused = |code: &str, message: &str| {
        let error =
            db.batch_execute(&format!("SET pg_topdown.scan = counts; {RELEASE}")).expect_err("it is refused");
        let said = error.as_db_error().expect("an error of the server's");
        assert!(
            said.code().code() == code && said.message().contains(message),
            "{code}, {message} in {said:?}"
        );
        assert_eq!(said.hint(), None);
    };
    let mut shard = shards.shards[1].session();
    run(&mut shard, "ALTER TABLE people_1 RENAME TO elsewhere");
    refused("42P01", "relation \"public.people_1\" does not exist");
    run(&mut shard, "ALTER TABLE elsewhere RENAME TO people_1; ALTER TABLE people_1 RENAME sex TO gender");
    refused("42703", "column \"sex\" does not exist");
    let mut other = shards.coordinator.session();
    run(&mut other, "DROP USER MAPPING FOR PUBLIC SERVER shard_2");
    refused("42704", "user mapping not found");
    // Nobody can keep out who writes on the servers themselves.
    let error = other
        .batch_execute(&format!("SET pg_topdown.lock_source = on; {RELEASE}"))
        .expect_err("not to be locked");
    assert!(format!("{error:?}").contains("0A000"), "{error:?}");
}

/// Where a column has another type there, the server may lack a function that tells its equal values apart: that is said, and the rows
/// are read, which gives what is there.
#[test]
fn a_column_of_another_type_there() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    let pairs = [
        ("numeric", "text", "scale(text) does not exist", "i % 7 || '.' || repeat('0', i % 3)"),
        ("double precision", "text", "float8send(text) does not exist", "(i % 7)::text"),
        ("text", "json", "operator does not exist: json = json", "(i % 7)::text::json"),
    ];
    for (here, there, says, value) in pairs {
        // Of both types: the leaves of shard_2 are as they are here.
        shards.partitioned(
            "visits",
            &format!("id int, age int, code {here}"),
            &format!("id int, age int, code {here}"),
            "id",
            true,
        );
        for leaf in ["visits_0", "visits_2"] {
            let other = format!("DROP TABLE {leaf}; CREATE TABLE {leaf} (id int, age int, code {there})");
            run(&mut shards.shards[0].session(), &other);
        }
        for (shard, leaf) in [(0, "visits_0"), (1, "visits_1"), (0, "visits_2")] {
            let of = if shard == 0 { value.to_string() } else { format!("({value})::text::{here}") };
            let rows =
                format!("INSERT INTO {leaf} SELECT i, 20 + i % 5, {of} FROM generate_series(1, 4000) i");
            run(&mut shards.shards[shard].session(), &rows);
        }
        run(&mut db, "CREATE TABLE plain AS SELECT * FROM visits");
        let call = |source: &str, release: &str| {
            format!("SELECT tds_anonymize('{source}', '{release}', k_anonymity('{{age}}', 5), keep => '{{code}}')")
        };
        run(&mut db, &call("visits", "many"));
        run(&mut db, &call("plain", "one"));
        assert_eq!([how(&mut db, "one"), how(&mut db, "many")], ["rows", "rows"], "{here}");
        let reason = rows(&mut db, "SELECT parameters #>> '{scan,reason}' FROM many_private.manifest");
        assert_eq!(
            reason,
            ["(\"server \"\"shard_1\"\" cannot count column \"\"code\"\" of public.visits_0\")"]
        );
        same(&mut db, "one", "many", ("plain", "visits"));
        let refused =
            db.batch_execute(&format!("SET pg_topdown.scan = counts; {}", call("visits", "counted")));
        let refused = refused.expect_err("it cannot be counted");
        let refused = refused.as_db_error().expect("an error of the server's").clone();
        assert_eq!(refused.code().code(), "42804", "{refused:?}");
        let detail = refused.detail().unwrap_or_default();
        assert!(detail.contains(says) && detail.contains(&format!("of type {here}")), "{refused:?}");
        assert!(refused.hint().is_some_and(|hint| hint.contains("pg_topdown.scan")), "{refused:?}");
        run(&mut db, "RESET pg_topdown.scan; SELECT release_drop('one'), release_drop('many'); DROP TABLE plain, visits");
        for (shard, leaf) in [(0, "visits_0"), (1, "visits_1"), (0, "visits_2")] {
            run(&mut shards.shards[shard].session(), &format!("DROP TABLE {leaf}"));
        }
    }
}

/// Whatever goes, and when: the error of postgres_fdw, and the version before is the current one.
#[test]
fn a_shard_that_goes() {
    let Some(mut shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    shards.partitioned("people", PEOPLE, PEOPLE, "id", true);
    more(&mut db, "people", 1, 40_000);
    run(&mut db, &format!("SET pg_topdown.scan = counts; {RELEASE}"));
    let before = rows(&mut db, "SELECT * FROM r.people ORDER BY 1, 2");
    let mut fails = |shards: &Shards, code: &str, message: &str| {
        let error = db.batch_execute("SELECT release_refresh('r')").expect_err("a server is not there");
        let said = error.as_db_error().expect("an error of the server's");
        assert!(
            said.code().code() == code && said.message().contains(message),
            "{code}, {message} in {said:?}"
        );
        // Which statement it was that failed.
        assert!(said.where_().is_some_and(|place| place.contains("people_1")), "{said:?}");
        let mut other = shards.coordinator.session();
        assert_eq!(rows(&mut other, "SELECT * FROM r.people ORDER BY 1, 2"), before);
        assert_eq!(number(&mut other, "SELECT max(version) FROM r_private.manifest"), 1);
        run(&mut other, "SELECT release_assert('r')");
        let _out = db.batch_execute("ROLLBACK");
    };
    // As counts come: so many bytes are the connection's own.
    shards.wires[1].bytes();
    shards.wires[1].breaks_after(Some(100));
    fails(&shards, "08006", "server closed the connection unexpectedly");
    shards.wires[1].breaks_after(None);
    // When all are counted, and the version is about to be written for good.
    let mut session = shards.coordinator.session();
    run(&mut session, "BEGIN; SELECT release_refresh('r')");
    shards.shards[1].stop(Stop::Immediate);
    assert!(session.batch_execute("COMMIT").is_err());
    // Before anything.
    fails(&shards, "08001", "could not connect to server \"shard_2\"");
    shards.shards[1].restart();
    run(&mut db, "SELECT release_refresh('r', 'search'); SELECT release_assert('r')");
    assert_eq!(number(&mut db, "SELECT max(version) FROM r_private.manifest"), 2);
}

/// A leaf's own policies and rights are not those of the table that it is a part of.
#[test]
fn leaves_have_their_own_rights() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    shards.partitioned("people", PEOPLE, PEOPLE, "id", true);
    more(&mut db, "people", 1, 2000);
    run(
        &mut db,
        "CREATE ROLE reader; GRANT SELECT ON people TO reader; GRANT CREATE ON DATABASE postgres TO reader;
         GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO reader",
    );
    run(&mut db, &format!("SET pg_topdown.scan = counts; SET ROLE reader; {RELEASE}; RESET ROLE"));
    assert_eq!(how(&mut db, "r"), "rows");
    let reason = "SELECT parameters #>> '{scan,reason}' FROM r_private.manifest WHERE current";
    assert_eq!(rows(&mut db, reason), ["(\"public.people_0 may not be read by itself\")"]);
    run(
        &mut db,
        "GRANT SELECT ON people_0, people_1, people_2, people_3 TO reader; SELECT release_refresh('r', 'search')",
    );
    assert_eq!(how(&mut db, "r"), "counts");
    // Through the table its leaf's policies do not count.
    run(&mut db, "ALTER TABLE people_3 ENABLE ROW LEVEL SECURITY; SELECT release_refresh('r', 'search')");
    assert_eq!(rows(&mut db, reason), ["(\"row-level security is enabled on public.people_3\")"]);
    assert_eq!(number(&mut db, "SELECT rows FROM r.about"), 2000);
    // Nor in its leaves those of the table.
    run(
        &mut db,
        "ALTER TABLE people_3 DISABLE ROW LEVEL SECURITY; ALTER TABLE people ENABLE ROW LEVEL SECURITY;
         CREATE POLICY part ON people USING (id <= 800);
         SET pg_topdown.allow_row_security = on; SELECT release_refresh('r', 'search')",
    );
    assert_eq!(rows(&mut db, reason), ["(\"row-level security is enabled on public.people\")"]);
    assert_eq!(number(&mut db, "SELECT count(*) FROM r.people"), 800);
}

/// What tells equal values apart that do not look alike is sent: they are counted where they lie, and released as of one server.
#[test]
fn equal_values_that_do_not_look_alike() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    let columns = "id int, age int, n numeric, f float8, r real, d interval, b bpchar, i inet";
    shards.partitioned("pairs", columns, columns, "id", false);
    run(
        &mut db,
        &format!(
            "CREATE TABLE one ({columns});
             INSERT INTO one SELECT i, 20 + i % 2, (ARRAY[1.0, 1.00, 2])[1 + i / 2 % 3], (ARRAY['0', '-0', 'NaN'])[1 + i / 3 % 3]::float8,
               (ARRAY['0', '-0', '1'])[1 + i / 5 % 3]::real, (ARRAY['1 day', '24:00', '1 mon'])[1 + i / 7 % 3]::interval,
               (ARRAY['a', 'a ', 'b'])[1 + i / 11 % 3]::bpchar, (ARRAY['10.0.0.1', '10.0.0.1/24'])[1 + i % 2]::inet FROM generate_series(1, 4000) i;
             INSERT INTO pairs TABLE one; ANALYZE pairs_0, pairs_1, pairs_2, pairs_3"
        ),
    );
    for table in ["one", "pairs"] {
        let kept = "keep => ARRAY['n', 'f', 'r', 'd', 'b', 'i']";
        run(
            &mut db,
            &format!("SELECT tds_anonymize('{table}', 'r_{table}', k_anonymity('{{age}}', 5), {kept})"),
        );
    }
    assert_eq!([how(&mut db, "r_one"), how(&mut db, "r_pairs")], ["rows", "counts"]);
    same(&mut db, "r_one", "r_pairs", ("one", "pairs"));
}

/// Rows of a leaf that comes while those of the others are counted would be missing: no version is made.
#[test]
fn a_leaf_that_comes_meanwhile() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    run(
        &mut db,
        &format!(
            "CREATE TABLE people ({PEOPLE}) PARTITION BY LIST (sex);
             CREATE FOREIGN TABLE people_0 PARTITION OF people FOR VALUES IN ('s0') SERVER shard_1;
             CREATE TABLE people_1 ({PEOPLE})"
        ),
    );
    let mut shard = shards.shards[0].session();
    run(&mut shard, &format!("CREATE TABLE people_0 ({PEOPLE}); INSERT INTO people_0 SELECT i, i % 40, 's0' FROM generate_series(1, 2000) i"));
    run(&mut shard, "BEGIN; LOCK TABLE people_0");
    thread::scope(|scope| {
        let call = scope.spawn(|| {
            let mut counting = shards.coordinator.session();
            let error = counting.batch_execute(&format!("SET pg_topdown.scan = counts; {RELEASE}"));
            error.expect_err("a leaf came").code().cloned()
        });
        let waits = "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted";
        wait_until("the shard is asked", || shard.query_one(waits, &[]).unwrap().get(0));
        run(&mut db, "ALTER TABLE people ATTACH PARTITION people_1 FOR VALUES IN ('s1')");
        run(&mut shard, "COMMIT");
        assert_eq!(call.join().unwrap(), Some(SqlState::T_R_SERIALIZATION_FAILURE));
    });
    run(&mut db, &format!("SET pg_topdown.scan = counts; {RELEASE}"));
    assert_eq!(how(&mut db, "r"), "counts");
}

/// What a server would not group by comes row by row, and that is said.
#[test]
fn what_a_server_does_not_count() {
    let Some(shards) = Shards::start() else { return };
    let mut db = shards.coordinator.session();
    // A domain is of the coordinator's, and nothing that another server is asked to compare.
    run(&mut db, "CREATE DOMAIN years AS int");
    shards.partitioned("people", "id int, age years, sex text", PEOPLE, "id", false);
    more(&mut db, "people", 1, 2000);
    run(&mut db, RELEASE);
    assert_eq!(how(&mut db, "r"), "rows");
    let reason = rows(&mut db, "SELECT parameters #>> '{scan,reason}' FROM r_private.manifest");
    assert_eq!(reason, ["(\"their server would not count the rows\")"]);
}
