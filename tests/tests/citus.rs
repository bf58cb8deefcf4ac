//! A source that Citus distributes: it is seen to be one, and counted on its shards; the release is what it is of a plain table, and
//! nothing of it lies elsewhere. Who is kept out meanwhile is in `citus_writers.rs`.
//!
//! Run on a real cluster where `PG_TOPDOWN_CITUS` names a coordinator, and else on a MOCK, which is said (`tests/src/citus.rs`). Both run
//! the same script; what only a real one can tell is asked of that alone.

use client_tests::citus::{release, releaser, scan, visits, Citus, ROWS};
use client_tests::cluster::wait_until;
use client_tests::releases::{how, same};
use client_tests::{number, rows, run};
use postgres::Client;

/// How many objects of a release are Citus', or were passed on to other nodes.
fn elsewhere(db: &mut Client, release: &str) -> i64 {
    number(
        db,
        &format!(
            "WITH of_release AS (SELECT oid FROM pg_namespace WHERE nspname IN ('{release}', '{release}_private'))
             SELECT (SELECT count(*) FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
                     WHERE c.relnamespace IN (SELECT oid FROM of_release))
                  + (SELECT count(*) FROM pg_dist_object o WHERE o.objid IN (SELECT oid FROM of_release)
                        OR o.objid IN (SELECT c.oid FROM pg_class c WHERE c.relnamespace IN (SELECT oid FROM of_release)))"
        ),
    )
}

#[test]
fn a_distributed_table_is_counted_where_it_lies() {
    let Some(citus) = Citus::start("counted") else { return };
    let mut db = citus.session();
    visits(&mut db);
    let asked = ", class => 'note', keep => ARRAY['ward']";
    // Whatever the session has set: one task stands for all.
    run(&mut db, "SET citus.explain_all_tasks = on; SET citus.explain_distributed_queries = off");
    run(&mut db, &release("plain", "pgtd_counted_1", asked));
    run(&mut db, &release("visits", "pgtd_counted_2", asked));
    citus.say(&format!("visits: {}\n", scan(&mut db, "pgtd_counted_2", "reason")));
    // Of 40,000 rows here nobody knows how many there are, nor whether they repeat; shards are asked.
    assert_eq!([how(&mut db, "pgtd_counted_1"), how(&mut db, "pgtd_counted_2")], ["rows", "counts"]);
    let reason = scan(&mut db, "pgtd_counted_2", "reason");
    let told = "combinations a row, by a sample; a distributed table of Citus in 4 shards by \"patient\"";
    assert!(reason.ends_with(told), "{reason}");
    let plan = scan(&mut db, "pgtd_counted_2", "plan");
    assert!(plan.contains("count(*)"), "{plan}");
    if !citus.is_mock() {
        assert!(plan.contains("Citus") && plan.matches("GROUP BY").count() == 1, "{plan}");
    }
    // The same steps, cut and rows; and the column of the shards is nobody's to see.
    same(&mut db, "pgtd_counted_1", "pgtd_counted_2", ("plain", "visits"));
    let shown = rows(
        &mut db,
        "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute
                               WHERE attrelid = 'pgtd_counted_2.visits'::regclass AND attnum > 0",
    );
    assert_eq!(shown, ["(\"age sex ward note\")"]);
    // Again by its steps, when rows have come and gone.
    for table in ["plain", "visits"] {
        run(&mut db, &format!("DELETE FROM {table} WHERE patient % 5 = 0; INSERT INTO {table} VALUES (-1, 20, 'F', 1, 'note 1')"));
    }
    run(&mut db, "SELECT release_refresh('pgtd_counted_1'); SELECT release_refresh('pgtd_counted_2')");
    same(&mut db, "pgtd_counted_1", "pgtd_counted_2", ("plain", "visits"));
    run(&mut db, "SELECT release_assert('pgtd_counted_2')");
    assert_eq!(number(&mut db, "SELECT version FROM pgtd_counted_2.about"), 2);
    // By a search, with rows withheld; and from scratch with other models, as rows.
    for (scan, asked) in
        [("counts", ", withhold => 0.05, keep => ARRAY['ward']"), ("rows", ", recoding => 'local'")]
    {
        run(&mut db, "SELECT release_drop('pgtd_counted_1'), release_drop('pgtd_counted_2')");
        run(&mut db, &release("plain", "pgtd_counted_1", asked));
        run(&mut db, &format!("SET pg_topdown.scan = {scan}"));
        run(&mut db, &release("visits", "pgtd_counted_2", asked));
        assert_eq!(how(&mut db, "pgtd_counted_2"), scan);
        same(&mut db, "pgtd_counted_1", "pgtd_counted_2", ("plain", "visits"));
        run(&mut db, "RESET pg_topdown.scan");
    }
    run(&mut db, "SELECT release_drop('pgtd_counted_1'), release_drop('pgtd_counted_2')");
    assert_eq!(
        number(
            &mut db,
            "SELECT count(*) FROM pg_namespace WHERE nspname IN ('pgtd_counted_2', 'pgtd_counted_2_private')"
        ),
        0
    );
}

/// What is sent: a count and a sample say whether to count; reads of other tables of Citus' are as ever.
#[test]
fn what_is_worth_counting() {
    let Some(citus) = Citus::start("worth") else { return };
    let mut db = citus.session();
    // Three in ten of the rows are combinations, each shard by itself, of which all cross; over the whole table it is one in ten.
    run(
        &mut db,
        "CREATE TABLE quarter (patient int, code int);
         INSERT INTO quarter SELECT i, abs(hashint4(i)) % 3000 FROM generate_series(1, 40000) i;
         CREATE TABLE most AS SELECT patient, patient * 7 AS code FROM quarter;
         CREATE TABLE everywhere AS SELECT patient, code % 10 AS code FROM quarter;
         CREATE TABLE together AS TABLE everywhere;
         CREATE TABLE each AS SELECT patient, patient % 10000 AS code FROM quarter;
         SELECT create_distributed_table('quarter', 'patient', shard_count => 4), create_distributed_table('most', 'patient', shard_count => 4), create_distributed_table('each', 'patient', shard_count => 4),
                create_distributed_table('together', NULL), create_reference_table('everywhere')",
    );
    let cases = [
        ("quarter", "counts", "about 0.29 combinations a row"),
        ("most", "rows", "about 1.00 combinations a row, by a sample; a distributed table of Citus in 4 shards by \"patient\""),
        ("each", "rows", "about 0.68 combinations a row"),
        ("together", "counts", "about 0.00 combinations a row, by a sample; a distributed table of Citus in one shard"),
        ("everywhere", "rows", "it is small, or was never analyzed"),
    ];
    for (table, read, reason) in cases {
        run(
            &mut db,
            &format!(
                "SELECT tds_anonymize('{table}', 'pgtd_worth_{table}', ARRAY[k_anonymity(ARRAY['code'], 2)])"
            ),
        );
        let release = format!("pgtd_worth_{table}");
        assert_eq!(how(&mut db, &release), read, "{table}");
        let told = scan(&mut db, &release, "reason");
        assert!(told.starts_with(reason), "{table}: {told}");
        // Only the table with several shards has its writers kept out, and what was sent is told of all that is elsewhere.
        let shards = ["quarter", "most", "each"].contains(&table);
        assert_eq!(scan(&mut db, &release, "locked") == "true", shards, "{table}");
        assert_eq!(scan(&mut db, &release, "plan").is_empty(), table == "everywhere", "{table}");
    }
    run(&mut db, "SET pg_topdown.scan = rows");
    run(&mut db, "SELECT release_refresh('pgtd_worth_quarter', 'search')");
    assert!(scan(&mut db, "pgtd_worth_quarter", "reason")
        .starts_with("pg_topdown.scan is rows; a distributed table"));
    // A view over it is counted where shards can do that by themselves, which a mock cannot tell.
    run(
        &mut db,
        "RESET pg_topdown.scan; CREATE VIEW seen AS SELECT code FROM quarter;
         CREATE VIEW joined AS SELECT q.code FROM quarter q JOIN most m USING (patient);
         CREATE VIEW grouped AS SELECT code, count(*) AS n FROM quarter GROUP BY code",
    );
    for (view, share) in [("seen", "about 0.2"), ("joined", "about 0.2"), ("grouped", "")] {
        let call = format!(
            "SELECT tds_anonymize('{view}', 'pgtd_worth_{view}', ARRAY[k_anonymity(ARRAY['code'], 2)])"
        );
        run(&mut db, &call);
        let reason = scan(&mut db, &format!("pgtd_worth_{view}"), "reason");
        let told = if citus.is_mock() || share.is_empty() {
            "it is a view that shards cannot count by themselves"
        } else {
            share
        };
        assert!(reason.starts_with(told), "{view}: {reason}");
        let rows_of = |of: &str| format!("SELECT count(*) FROM {of}");
        let (there, here) = (rows_of(view), rows_of(&format!("pgtd_worth_{view}.{view}")));
        assert_eq!(number(&mut db, &there), number(&mut db, &here), "{view}");
    }
    // What reads a source and makes no release reads it as ever.
    let broken =
        "SELECT violating_groups FROM privacy_check('quarter', ARRAY[k_anonymity(ARRAY['code'], 2)])";
    assert_eq!(
        number(&mut db, broken),
        number(
            &mut db,
            "SELECT count(*) FROM (SELECT code FROM quarter GROUP BY code HAVING count(*) < 2) g"
        )
    );
}

/// Equal values that do not look alike are told apart on the shards, whatever their type; what cannot be compared is read row by row, which is said.
#[test]
fn equal_values_that_do_not_look_alike() {
    let Some(citus) = Citus::start("looks") else { return };
    let (mut db, told) = citus.session_as(None);
    let has_citext =
        number(&mut db, "SELECT count(*) FROM pg_available_extensions WHERE name = 'citext'") == 1;
    let pairs = [
        ("numeric", "1.0", "1.00", "NaN"),
        ("float8", "0", "-0", "NaN"),
        ("float4", "0", "-0", "1.5"),
        ("interval", "1 day", "24:00", "1 mon"),
        ("bpchar", "a", "a ", "b"),
        ("mood", "sad", "sad", "glad"),
        ("inet", "10.0.0.1", "10.0.0.1/32", "10.0.0.1/24"),
        ("jsonb", "1.0", "1.00", "[]"),
        ("numeric[]", "{1.0}", "{1.00}", "{}"),
        ("numrange", "[1.0,2]", "[1.00,2]", "empty"),
        ("citext", "abc", "ABC", "b"),
    ];
    let pairs = &pairs[..pairs.len() - usize::from(!has_citext)];
    // One by one: Citus passes each on.
    run(&mut db, "CREATE TYPE mood AS ENUM ('sad', 'glad')");
    if has_citext {
        run(&mut db, "CREATE EXTENSION IF NOT EXISTS citext SCHEMA pgtd_looks");
    }
    let declared: Vec<String> = pairs.iter().enumerate().map(|(n, (of, ..))| format!("c{n} {of}")).collect();
    let values: Vec<String> = (0..)
        .zip(pairs)
        .map(|(n, (of, one, other, third))| {
            format!("(ARRAY['{one}', '{other}', '{third}', NULL])[1 + i / {} % 4]::{of}", 2 + n % 3)
        })
        .collect();
    let (columns, values) = (declared.join(", "), values.join(", "));
    run(
        &mut db,
        &format!(
            "CREATE TABLE plain (patient int, age int, {columns}, note json);
                  INSERT INTO plain SELECT i, 20 + i % 2, {values}, '1' FROM generate_series(1, {ROWS}) i"
        ),
    );
    run(&mut db, &format!("CREATE TABLE visits (patient int, age int, {columns}, note json)"));
    run(&mut db, "SELECT create_distributed_table('visits', 'patient', shard_count => 4)");
    run(&mut db, "INSERT INTO visits SELECT * FROM plain");
    let call = |source: &str, kept: &str| {
        format!("SELECT tds_anonymize('{source}', 'pgtd_looks_{source}', k_anonymity('{{age}}', 20), keep => ARRAY[{kept}])")
    };
    let all: Vec<String> = (0..pairs.len()).map(|n| format!("'c{n}'")).collect();
    let mut lists = all.clone();
    lists.push(all.join(", "));
    for kept in &lists {
        for source in ["plain", "visits"] {
            run(&mut db, &call(source, kept));
        }
        assert_eq!(
            [how(&mut db, "pgtd_looks_plain"), how(&mut db, "pgtd_looks_visits")],
            ["rows", "counts"],
            "{kept}"
        );
        same(&mut db, "pgtd_looks_plain", "pgtd_looks_visits", ("plain", "visits"));
        run(&mut db, "SELECT release_drop('pgtd_looks_plain'), release_drop('pgtd_looks_visits')");
    }
    told.lock().expect("nobody panics here").clear();
    run(&mut db, &call("visits", "'note'"));
    assert_eq!(how(&mut db, "pgtd_looks_visits"), "rows");
    let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
    let said = "NOTICE: all rows of \"visits\" cross the wire: values of column \"note\" (type json) cannot be compared";
    assert!(lines.iter().any(|line| line.starts_with(said)), "{lines:?}");
    run(&mut db, "SELECT release_drop('pgtd_looks_visits')");
}

#[test]
fn nothing_of_a_release_lies_elsewhere() {
    let Some(citus) = Citus::start("local") else { return };
    let mut db = citus.session();
    visits(&mut db);
    // Whatever the session has set.
    run(
        &mut db,
        "SET citus.enable_ddl_propagation = on; SET citus.use_citus_managed_tables = on; SET citus.enable_schema_based_sharding = on",
    );
    run(&mut db, &release("visits", "pgtd_local_r", ""));
    run(&mut db, "SELECT release_refresh('pgtd_local_r'); SELECT release_rewind('pgtd_local_r', 1)");
    assert_eq!(elsewhere(&mut db, "pgtd_local_r"), 0);
    let set = "SELECT current_setting('citus.enable_ddl_propagation') || current_setting('citus.use_citus_managed_tables')";
    assert_eq!(rows(&mut db, set), ["(onon)"]);
    run(&mut db, "SELECT release_drop('pgtd_local_r')");
    // What does lie elsewhere is seen to: else the above would say nothing.
    run(&mut db, "SET citus.enable_schema_based_sharding = off; SET citus.use_citus_managed_tables = off; CREATE SCHEMA pgtd_local_s");
    assert!(elsewhere(&mut db, "pgtd_local_s") > 0);
    // An error leaves nothing either: not the schema, not the lock.
    let failed = db.batch_execute(
        "SELECT tds_anonymize('visits', 'pgtd_local_f', ARRAY[k_anonymity(ARRAY['age'], 100000)])",
    );
    assert_eq!(failed.expect_err("more than there are").code().map(|code| code.code()), Some("55000"));
    assert_eq!(
        number(
            &mut db,
            "SELECT count(*) FROM pg_namespace WHERE nspname IN ('pgtd_local_f', 'pgtd_local_f_private')"
        ),
        0
    );
    run(&mut citus.session(), "SET lock_timeout = '2s'; INSERT INTO visits SELECT * FROM visits LIMIT 1");
}

/// A release whose schema Citus has taken is not what its readers see.
#[test]
fn a_release_that_is_distributed() {
    let Some(citus) = Citus::start("taken") else { return };
    let mut db = citus.session();
    visits(&mut db);
    run(&mut db, &release("plain", "pgtd_taken_r", ""));
    let (take, give_back) = match citus.is_mock() {
        true => (
            "INSERT INTO pg_dist_partition VALUES ('pgtd_taken_r_private.rows_v0', 'n', NULL, 7, 's')",
            "DELETE FROM pg_dist_partition WHERE logicalrelid = 'pgtd_taken_r_private.rows_v0'::regclass",
        ),
        false => (
            "SELECT citus_schema_distribute('pgtd_taken_r_private')",
            "SELECT citus_schema_undistribute('pgtd_taken_r_private')",
        ),
    };
    run(&mut db, take);
    for call in [
        "release_refresh('pgtd_taken_r')",
        "release_rewind('pgtd_taken_r', 1)",
        "release_drop('pgtd_taken_r')",
    ] {
        let refused = db.batch_execute(&format!("SELECT {call}")).expect_err("it is elsewhere");
        let refused = refused.as_db_error().expect("an error of the server's").clone();
        assert_eq!(refused.code().code(), "55000", "{call}: {refused:?}");
        assert!(refused
            .hint()
            .is_some_and(|hint| hint.contains("citus_schema_undistribute('pgtd_taken_r_private')")));
    }
    run(&mut db, give_back);
    run(&mut db, "SELECT release_refresh('pgtd_taken_r', 'search'); SELECT release_assert('pgtd_taken_r')");
    assert_eq!(number(&mut db, "SELECT count(*) FROM pgtd_taken_r.plain"), ROWS);
    run(&mut db, "SELECT release_drop('pgtd_taken_r')");
}

/// Of a column that nobody has named nothing is read, whatever it is called: no cast of its type is called, on any node.
#[test]
fn a_column_that_nobody_named_is_not_read() {
    let Some(citus) = Citus::start("named") else { return };
    let mut db = citus.session();
    for statement in [
        "CREATE TYPE who AS ENUM ('p1', 'p2', 'p3')",
        "CREATE FUNCTION told(who) RETURNS text LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'it is read'; END$$",
        "CREATE CAST (who AS text) WITH FUNCTION told(who)",
        "CREATE TABLE stays (id int, patient_id who, age int, sex text)",
        "SELECT create_distributed_table('stays', 'id', shard_count => 4)",
        "INSERT INTO stays SELECT i, (ARRAY['p1', 'p2', 'p3'])[1 + i % 3]::who, 20 + abs(hashint4(i)) % 60,
            (ARRAY['F', 'M'])[1 + abs(hashint4(i + 1)) % 2] FROM generate_series(1, 4000) i",
    ] {
        run(&mut db, statement);
    }
    run(&mut db, &release("stays", "pgtd_named_r", ""));
    run(&mut db, "SELECT release_drop('pgtd_named_r')");
}

/// Citus reads shards with the rights of whoever asks, below views, too: there a policy hides rows that PostgreSQL would show.
#[test]
fn rows_that_policies_hide() {
    let Some(citus) = Citus::start("policies") else { return };
    let mut db = citus.session();
    visits(&mut db);
    for statement in [
        "ALTER TABLE plain ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE visits ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY wards ON plain USING (ward < 2)",
        "CREATE POLICY wards ON visits USING (ward < 2)",
        "CREATE VIEW plain_view AS SELECT * FROM plain",
        "CREATE VIEW visits_view AS SELECT * FROM visits",
        "CREATE VIEW above AS SELECT * FROM visits_view WHERE age > 0",
    ] {
        run(&mut db, statement);
    }
    let rights = "SELECT ON plain, visits, plain_view, visits_view, above";
    releaser(&mut db, "pgtd_asks", "LOGIN", "pgtd_policies", rights);
    let (mut asks, _) = citus.session_as(Some("pgtd_asks"));
    if !citus.is_mock() {
        // Where only a shard has them, of which the coordinator knows nothing, it is the node that refuses: row_security is off there.
        run(&mut db, "ALTER TABLE visits DISABLE ROW LEVEL SECURITY");
        let shard = "SELECT shard_name(logicalrelid, shardid) FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
                     WHERE logicalrelid = 'visits'::regclass AND groupid = (SELECT min(groupid) FROM pg_dist_node WHERE groupid > 0 AND isactive AND hasmetadata)";
        let shard: String =
            db.query_one(&format!("{shard} ORDER BY 1 LIMIT 1"), &[]).expect("a shard").get(0);
        let mut node = citus.session_on_node();
        run(&mut node, &format!("ALTER TABLE {shard} ENABLE ROW LEVEL SECURITY"));
        for source in ["visits", "visits_view", "above"] {
            let refused =
                asks.batch_execute(&release(source, "pgtd_policies_r", "")).expect_err("hidden rows");
            let refused = refused.as_db_error().expect("an error of the server's").clone();
            assert_eq!(refused.code().code(), "42501", "{source}: {refused:?}");
            // Which node says so.
            assert!(
                refused.where_().is_some_and(|place| place.contains("while executing command on")),
                "{refused:?}"
            );
        }
        run(&mut node, &format!("ALTER TABLE {shard} DISABLE ROW LEVEL SECURITY"));
        run(&mut db, "ALTER TABLE visits ENABLE ROW LEVEL SECURITY");
    }
    for source in ["visits", "visits_view", "above"] {
        for call in [
            release(source, "pgtd_policies_r", ""),
            format!("SELECT * FROM privacy_check('{source}', k_anonymity('{{age}}', 2))"),
            format!("SELECT * FROM privacy_keys('{source}', '{{age,sex}}')"),
        ] {
            let refused = asks.batch_execute(&call).expect_err("hidden rows");
            let refused = refused.as_db_error().expect("an error of the server's").clone();
            assert_eq!(refused.code().code(), "0A000", "{call}: {refused:?}");
            let told = format!("row-level security hides rows of \"{source}\" from \"pgtd_asks\"");
            assert_eq!(refused.message(), told, "{call}");
        }
    }
    // On one server a view shows what its owner sees, and the owner sees all.
    run(&mut asks, &release("plain_view", "pgtd_policies_r", ""));
    assert_eq!(number(&mut asks, "SELECT count(*) FROM pgtd_policies_r.plain_view"), ROWS);
    run(&mut asks, "SET pg_topdown.allow_row_security = on");
    run(&mut asks, &release("visits_view", "pgtd_policies_s", ""));
    let seen = number(&mut asks, "SELECT count(*) FROM visits_view");
    assert_eq!(number(&mut asks, "SELECT count(*) FROM pgtd_policies_s.visits_view"), seen);
    assert!(citus.is_mock() || seen < ROWS, "Citus hides rows: {seen}");
    run(
        &mut db,
        "DROP SCHEMA pgtd_policies_r, pgtd_policies_r_private CASCADE; DROP SCHEMA pgtd_policies_s, pgtd_policies_s_private CASCADE; DROP OWNED BY pgtd_asks; DROP ROLE pgtd_asks",
    );
}

/// Nodes read with the settings of the call; and what was set for that is undone.
#[test]
fn nodes_read_with_the_settings_here() {
    let Some(citus) = Citus::start("settings") else { return };
    let mut db = citus.session();
    visits(&mut db);
    // In Tokyo it is tomorrow already.
    run(
        &mut db,
        "CREATE VIEW days AS SELECT age, to_char(timestamptz '2020-01-01 20:00+00' + age * interval '1 day', 'YYYY-MM-DD') AS day FROM visits;
         CREATE VIEW plain_days AS SELECT age, to_char(timestamptz '2020-01-01 20:00+00' + age * interval '1 day', 'YYYY-MM-DD') AS day FROM plain;
         SET TimeZone = 'Asia/Tokyo'; BEGIN",
    );
    for source in ["days", "plain_days"] {
        let call = format!("SELECT tds_anonymize('{source}', 'pgtd_settings_{source}', k_anonymity('{{age}}', 20), keep => '{{day}}')");
        run(&mut db, &call);
    }
    let of = |source: &str| {
        format!("SELECT day, age, count(*) FROM pgtd_settings_{source}.{source} GROUP BY 1, 2 ORDER BY 1, 2")
    };
    assert_eq!(rows(&mut db, &of("days")), rows(&mut db, &of("plain_days")));
    // What is read to be written here, too.
    for source in ["days", "plain_days"] {
        let call = format!(
            "SELECT release_apply('pgtd_settings_{source}', '{source}', 'pgtd_settings.applied_{source}')"
        );
        run(&mut db, &call);
    }
    let of_days = |source: &str| format!("SELECT day, count(*) FROM applied_{source} GROUP BY 1 ORDER BY 1");
    assert_eq!(rows(&mut db, &of_days("days")), rows(&mut db, &of_days("plain_days")));
    assert_eq!(rows(&mut db, "SELECT current_setting('TimeZone')"), ["(Asia/Tokyo)"]);
    assert_eq!(rows(&mut db, "SELECT current_setting('row_security')"), ["(on)"]);
    let shown = "SELECT count(DISTINCT day) FROM days WHERE day = to_char(timestamptz '2020-01-01 20:00+00' + age * interval '1 day', 'YYYY-MM-DD')";
    let days = number(&mut db, shown);
    run(&mut db, "COMMIT");
    assert_eq!(number(&mut db, shown), days, "what a node sees is as before");
    // Also where what is read is written to files, which outlive that.
    for source in ["visits", "plain"] {
        let numbers = "patient % 500 AS a, patient % 499 AS b, patient % 300 AS c, patient / 500 AS d";
        run(
            &mut db,
            &format!("CREATE VIEW {source}_wide AS SELECT age, sex, ward, note, {numbers} FROM {source}"),
        );
    }
    run(&mut db, "SET pg_topdown.max_memory = '2MB'; SET temp_file_limit = 0");
    let call = |source: &str| {
        let keep = ", keep => ARRAY['ward', 'note', 'a', 'b', 'c', 'd']";
        release(&format!("{source}_wide"), &format!("pgtd_settings_{source}"), keep)
    };
    let full = db.batch_execute(&call("visits")).expect_err("a file");
    assert_eq!(full.code().map(|code| code.code()), Some("53400"), "{full:?}");
    run(&mut db, "RESET temp_file_limit");
    run(&mut db, &call("visits"));
    run(&mut db, &call("plain"));
    same(&mut db, "pgtd_settings_plain", "pgtd_settings_visits", ("plain_wide", "visits_wide"));
}

/// What is read to be written here is read with the settings of the call, too: by a role that has a TimeZone of its own on the nodes, which
/// they have again as soon as all is read. (A mock has no nodes.)
#[test]
fn what_is_applied_is_read_with_the_settings_here() {
    let Some(citus) = Citus::start("applied") else { return };
    let mut db = citus.session();
    visits(&mut db);
    let day = "to_char(timestamptz '2020-01-01 20:00+00' + age * interval '1 day', 'YYYY-MM-DD') AS day";
    run(&mut db, &format!("CREATE VIEW days AS SELECT age, {day} FROM visits"));
    run(&mut db, &format!("CREATE VIEW plain_days AS SELECT age, {day} FROM plain"));
    releaser(&mut db, "pgtd_tokyo", "LOGIN", "pgtd_applied", "SELECT ON visits, plain, days, plain_days");
    run(&mut db, "GRANT CREATE ON SCHEMA pgtd_applied TO pgtd_tokyo");
    run(&mut db, "ALTER ROLE pgtd_tokyo SET TimeZone = 'Asia/Tokyo'");
    let (mut tokyo, _) = citus.session_as(Some("pgtd_tokyo"));
    let first = |db: &mut Client| rows(db, "SELECT min(day) FROM days");
    run(&mut tokyo, "SET TimeZone = 'UTC'");
    let there = first(&mut tokyo);
    assert_eq!(there, [if citus.is_mock() { "(2020-01-21)" } else { "(2020-01-22)" }], "what nodes see");
    run(&mut tokyo, "SET citus.enable_ddl_propagation = off; BEGIN");
    for source in ["days", "plain_days"] {
        let call = format!(
            "SELECT tds_anonymize('{source}', 'pgtd_applied_{source}', k_anonymity('{{age}}', 20), keep => '{{day}}');
             SELECT release_apply('pgtd_applied_{source}', '{source}', 'pgtd_applied.applied_{source}')"
        );
        run(&mut tokyo, &call);
    }
    assert_eq!(first(&mut tokyo), there, "what nodes see is as before");
    let of = |source: &str| format!("SELECT day, count(*) FROM applied_{source} GROUP BY 1 ORDER BY 1");
    assert_eq!(rows(&mut tokyo, &of("days")), rows(&mut tokyo, &of("plain_days")));
    run(&mut tokyo, "COMMIT");
    run(
        &mut db,
        "DROP SCHEMA pgtd_applied_days, pgtd_applied_days_private CASCADE; DROP SCHEMA pgtd_applied_plain_days, pgtd_applied_plain_days_private CASCADE; DROP OWNED BY pgtd_tokyo; DROP ROLE pgtd_tokyo",
    );
}

/// The releases of the next test.
const LOST: [&str; 4] = ["a", "b", "c", "d"];

/// And their versions.
fn versions(db: &mut Client) -> [i64; 4] {
    LOST.map(|name| number(db, &format!("SELECT version FROM pgtd_lost_{name}.about")))
}

/// A connection that is lost in the middle ends the transaction: that is an error, whatever the call was at, and nothing of it stays. The
/// session goes on. Only a real cluster has connections.
#[test]
fn a_connection_that_is_lost() {
    let Some(citus) = Citus::start("lost") else { return };
    if citus.is_mock() {
        return citus.say("lost: not asked, a mock has no connections\n");
    }
    let mut db = citus.session();
    visits(&mut db);
    let slow = "SELECT age, sex FROM {} WHERE patient % 40 > 0 OR pg_sleep(0.004) IS NOT NULL";
    for source in ["visits", "plain"] {
        run(&mut db, &format!("CREATE VIEW slow_{source} AS {}", slow.replace("{}", source)));
    }
    let rights = "SELECT, TRUNCATE ON visits, plain, slow_visits, slow_plain";
    releaser(&mut db, "pgtd_alone", "LOGIN", "pgtd_lost", rights);
    // Those of a role of its own: other tests have theirs.
    let (mut alone, told) = citus.session_as(Some("pgtd_alone"));
    for (source, name) in [("visits", "a"), ("slow_visits", "b"), ("slow_plain", "c"), ("plain", "d")] {
        run(&mut alone, &release(source, &format!("pgtd_lost_{name}"), ""));
    }
    let mut node = citus.session_on_node();
    let theirs = "FROM pg_stat_activity WHERE usename = 'pgtd_alone'";
    let pid = number(&mut alone, "SELECT pg_backend_pid()");
    let reads_there = format!("SELECT count(*) {theirs} AND state = 'active' AND query ~ 'pg_sleep'");
    let reads_here =
        format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid} AND wait_event = 'PgSleep'");
    let all = "CALL release_refresh_all('search')";
    // What is read last is a view here: of a connection that is lost meanwhile only the COMMIT fails. Of a call that refreshes
    // all only the release fails that was read over it.
    let one_by_one = "BEGIN; SELECT release_refresh('pgtd_lost_a', 'search'), release_refresh('pgtd_lost_c', 'search'); COMMIT";
    // While shards are read, and while something else is.
    for (here, calls, fails) in [(false, all, &["b"][..]), (true, one_by_one, &["a", "b", "c", "d"])] {
        let before = versions(&mut db);
        told.lock().expect("nobody panics here").clear();
        let call = std::thread::spawn(move || {
            let done = alone.batch_execute(calls);
            (alone, done)
        });
        wait_until("the call reads", || match here {
            true => number(&mut db, &reads_here) > 0,
            false => number(&mut node, &reads_there) > 0,
        });
        number(&mut node, &format!("SELECT count(pg_terminate_backend(pid)) {theirs}"));
        let (same, done) = call.join().expect("the call has ended");
        alone = same;
        let lost = done.expect_err("a connection was lost");
        let lost = lost.as_db_error().expect("an error of the server's").clone();
        citus.say(&format!("lost: {} {}, {:?}\n", lost.code().code(), lost.message(), lost.hint()));
        let codes = if calls == all { &["55000"][..] } else { &["XX000", "08006"] };
        assert!(codes.contains(&lost.code().code()), "{lost:?}");
        let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
        let says =
            |text: &str| text.contains("lost its connection") || text.contains("was lost in the middle");
        assert!(lost.hint().is_some_and(says) || lines.iter().any(|line| says(line)), "{lost:?} {lines:?}");
        run(&mut alone, "ROLLBACK");
        // It is in no transaction.
        assert_eq!(rows(&mut alone, "SELECT pg_current_xact_id_if_assigned() IS NULL"), ["(t)"]);
        for ((name, before), after) in LOST.iter().zip(before).zip(versions(&mut db)) {
            assert_eq!(after, before + i64::from(!fails.contains(name)), "{name}");
        }
    }
    let before = versions(&mut db);
    run(&mut alone, "CALL release_refresh_all('search')");
    assert_eq!(versions(&mut db), before.map(|version| version + 1));
    for name in LOST {
        run(&mut db, &format!("DROP SCHEMA pgtd_lost_{name}, pgtd_lost_{name}_private CASCADE"));
    }
    run(&mut db, "DROP OWNED BY pgtd_alone; DROP ROLE pgtd_alone");
}
