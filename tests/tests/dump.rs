//! A release goes where PostgreSQL's own tools take it: pg_dump of the database and of its two schemas alone, and a
//! recipient's copy by `release_export`, which needs nothing of ours at the other end.

use client_tests::cluster::Cluster;
use client_tests::people::{more_people, people, release_of_people};
use client_tests::{rows, run};
use postgres::Client;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const SHOWN: &[&str] = &["cut", "about"];
/// What its owner reads beside that, in the private schema.
const OWNED: &[&str] = &["cuts", "taxonomy", "steps", "manifest", "key_v0"];

/// The private schema of a release, as SQL writes it.
fn private(release: &str) -> String {
    match release.strip_suffix('"') {
        Some(quoted) => format!("{quoted}_private\""),
        None => format!("{release}_private"),
    }
}

/// What a release shows, by its view and by those beside it, and what its owner reads of it.
fn contents(db: &mut Client, release: &str, view: &str, owned: &[&str]) -> Vec<Vec<String>> {
    let shown = std::iter::once(&view).chain(SHOWN).map(|name| format!("{release}.{name}"));
    let owned = owned.iter().map(|name| format!("{}.{name}", private(release)));
    let all: Vec<Vec<String>> = shown
        .chain(owned)
        .map(|name| rows(db, &format!("SELECT * FROM {name} t ORDER BY t::text COLLATE \"C\"")))
        .collect();
    assert!(all.iter().all(|rows| !rows.is_empty()), "{all:?}");
    all
}

/// The comments on a release and on what its recipients see.
fn comments(db: &mut Client, release: &str, view: &str) -> Vec<String> {
    let found = rows(
        db,
        &format!(
            "SELECT c.relname, d.objsubid, d.description FROM pg_description d
             LEFT JOIN pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_class'::regclass
             WHERE d.objoid IN (to_regnamespace('{release}'), to_regclass('{release}.{view}'),
                                to_regclass('{release}.cut'), to_regclass('{release}.about')) ORDER BY 1, 2"
        ),
    );
    assert!(found.len() > 5, "{found:?}");
    found
}

/// pg_dump's output in a file.
fn dump(cluster: &Cluster, file: &str, args: &[&str]) -> String {
    let path = cluster.path(file).display().to_string();
    cluster.succeeds("pg_dump", &[args, &["-f", &path]].concat());
    path
}

/// Runs a file of statements as a role, all of which have to succeed.
fn restore(cluster: &Cluster, file: &str, database: &str, role: &str) {
    cluster.succeeds("psql", &["-qX", "-v", "ON_ERROR_STOP=1", "-U", role, "-f", file, database]);
}

/// What a release must still be able to do.
fn goes_on(db: &mut Client, version: i32) {
    run(db, "SET client_min_messages = error; SELECT release_assert('r')");
    assert_eq!(rows(db, "SELECT holds FROM release_verify('r')"), ["(t)"]);
    assert!(rows(db, "SELECT * FROM release_measures('r')").len() > 10);
    assert_eq!(rows(db, "SELECT * FROM release_drift('r')").len() as i32, version);
    for (number, verb) in
        (version + 1..).zip(["refresh('r', 'search')", "refresh('r', 'search')", "rewind('r', 1)"])
    {
        run(db, &format!("SELECT release_{verb}; SELECT release_assert('r')"));
        assert_eq!(rows(db, "SELECT version FROM r.about"), [format!("({number})")], "{verb}");
        let counted = "SELECT FROM r.about WHERE rows = (SELECT count(*) FROM r.people)";
        assert_eq!(rows(db, counted).len(), 1, "{verb}");
    }
}

#[test]
fn a_whole_database() {
    let Some(cluster) = Cluster::start("") else { return };
    let mut db = cluster.session();
    people(&mut db, 1000);
    run(&mut db, "SET ROLE owner; SET client_min_messages = error");
    run(&mut db, &release_of_people("r", 10));
    run(&mut db, "SELECT release_grant('r', 'reader')");
    more_people(&mut db, 1001, 1300);
    run(&mut db, "SELECT release_refresh('r'); RESET ROLE");
    let before = contents(&mut db, "r", "people", OWNED);
    let kept = "SELECT version, count(*) FROM r_private.rows_v0 GROUP BY 1 ORDER BY 1";
    assert_eq!(rows(&mut db, kept), ["(1,1000)", "(2,1300)"]);
    let comments_before = comments(&mut db, "r", "people");

    // Into another cluster, by its superuser.
    let Some(elsewhere) = Cluster::start("") else { return };
    let file = dump(&cluster, "all.sql", &["postgres"]);
    run(&mut elsewhere.session(), "CREATE ROLE owner LOGIN; CREATE ROLE reader LOGIN");
    restore(&elsewhere, &file, "postgres", "postgres");
    // Into another database, by the owner, who may not make the extension, nor say anything of it.
    run(&mut db, "CREATE DATABASE other OWNER owner TEMPLATE template0");
    run(&mut cluster.session_in("other", "postgres"), "CREATE EXTENSION pg_topdown; ALTER SCHEMA public OWNER TO owner; GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO owner");
    let output = cluster.run("psql", &["-qX", "-U", "owner", "-f", &file, "other"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = said.lines().filter(|line| line.contains("ERROR")).collect();
    let of_the_extension =
        ["must be owner of extension", "permission denied for function", "must be owner of function"];
    assert!(errors.iter().all(|line| of_the_extension.iter().any(|of| line.contains(of))), "{errors:#?}");

    for (cluster, database) in [(&elsewhere, "postgres"), (&cluster, "other")] {
        let mut owner = cluster.session_in(database, "owner");
        assert_eq!(contents(&mut owner, "r", "people", OWNED), before, "{database}");
        assert_eq!(rows(&mut owner, kept), ["(1,1000)", "(2,1300)"]);
        assert_eq!(comments(&mut owner, "r", "people"), comments_before);
        let mut reader = cluster.session_in(database, "reader");
        assert_eq!(contents(&mut reader, "r", "people", &[]), before[..3]);
        goes_on(&mut owner, 2);
    }
    // As if nothing had been there before.
    run(&mut db, "SET ROLE owner; DROP SCHEMA r, r_private CASCADE");
    run(&mut db, &release_of_people("r", 10));
    assert_eq!(rows(&mut db, "SELECT version FROM r_private.manifest"), ["(1)"]);
}

/// A source and a release with everything that is easily lost on the way.
const ODD: &str = r#"
    CREATE TYPE mood AS ENUM ('so so', 'it''s "fine"', 'a\b');
    CREATE DOMAIN positive AS numeric(6, 2) CHECK (VALUE > 0);
    CREATE TABLE "Odd ""one""" ("Age in 'years'" int, "a b" text, "json" jsonb, old_json json, texts text[], numbers int[],
        moods mood, amount positive, at timestamptz, day date, took interval, bits bytea, real real, "select" text, flag boolean);
    INSERT INTO "Odd ""one""" SELECT CASE WHEN i % 11 > 0 THEN i % 50 END,
        (ARRAY['it''s', 'say "so"', 'back\slash', E'new\nline', E'tab\t', 'ünï', '', '{a,b}', '(1)', NULL])[1 + i % 10],
        jsonb_build_object('k', i % 3, 'text', E'line\n"quoted" \\ ''single'''), '{"a":  [1, null]}', ARRAY['a,b', NULL, '"', '\', E'\n'],
        ARRAY[1, NULL, i % 5], (ARRAY['so so', 'it''s "fine"', 'a\b', NULL])[1 + i % 4]::mood, 1 + i % 7 * 0.25,
        timestamptz '2020-02-29 12:34:56.789+02' + i % 3 * interval '1 day', date '1999-12-31' + i % 2, interval '1 mon 2 days 03:04:05.6',
        '\x00ff27'::bytea, 0.1::real, CASE i % 3 WHEN 0 THEN 'x' WHEN 1 THEN NULL ELSE '\N' END, CASE i % 3 WHEN 0 THEN true WHEN 1 THEN false END
      FROM generate_series(1, 600) i;
    SELECT tds_anonymize('"Odd ""one"""', 'R el"ease', ARRAY[k_anonymity(ARRAY['Age in ''years''', 'a b'], 5)], class => 'select',
        keep => ARRAY['json', 'old_json', 'texts', 'numbers', 'moods', 'amount', 'at', 'day', 'took', 'bits', 'real', 'flag'], suppressed => '''*''\');
    SELECT release_grant('R el"ease', 'reader')"#;
const ODD_RELEASE: &str = "\"R el\"\"ease\"";
const ODD_VIEW: &str = "\"Odd \"\"one\"\"\"";

#[test]
fn without_the_extension() {
    let Some(cluster) = Cluster::start("") else { return };
    let mut db = cluster.session();
    people(&mut db, 0);
    run(&mut db, &format!("SET ROLE owner; SET client_min_messages = error; {ODD}; RESET ROLE"));
    let before = contents(&mut db, ODD_RELEASE, ODD_VIEW, OWNED);
    let comments_before = comments(&mut db, ODD_RELEASE, ODD_VIEW);

    // The schemas alone; the types that its columns are of are the owner's to bring along.
    let private = private(ODD_RELEASE);
    let file = dump(&cluster, "schema.sql", &["-n", ODD_RELEASE, "-n", &private, "postgres"]);
    run(&mut db, "CREATE DATABASE plain TEMPLATE template0");
    run(&mut db, "CREATE DATABASE theirs TEMPLATE template0");
    run(&mut db, "CREATE ROLE stranger LOGIN; GRANT CREATE ON DATABASE theirs TO stranger");
    let mut plain = cluster.session_in("plain", "postgres");
    run(&mut plain, ODD.split("CREATE TABLE").next().unwrap());
    restore(&cluster, &file, "plain", "postgres");
    assert_eq!(contents(&mut plain, ODD_RELEASE, ODD_VIEW, OWNED), before);
    assert_eq!(comments(&mut plain, ODD_RELEASE, ODD_VIEW), comments_before);

    // A recipient's copy, made by a recipient, run by somebody who has nothing of all that.
    let query = "SELECT release_export('R el\"ease')";
    let statements = cluster.succeeds("psql", &["-qXAt", "-U", "reader", "-c", query, "postgres"]);
    assert_eq!(statements, cluster.succeeds("psql", &["-qXAt", "-U", "owner", "-c", query, "postgres"]));
    let file = cluster.path("export.sql").display().to_string();
    fs::write(&file, statements).unwrap();
    restore(&cluster, &file, "theirs", "stranger");
    let mut theirs = cluster.session_in("theirs", "stranger");
    let mut reader = cluster.session_in("postgres", "reader");
    let seen = contents(&mut reader, ODD_RELEASE, ODD_VIEW, &[]);
    assert_eq!(seen, before[..3]);
    assert_eq!(contents(&mut theirs, ODD_RELEASE, ODD_VIEW, &[]), seen);
    assert_eq!(comments(&mut theirs, ODD_RELEASE, ODD_VIEW), comments_before);
    // NULL is not an empty text, and PostgreSQL's own types are what they were.
    let nulls = format!("SELECT count(*) FILTER (WHERE \"a b\" IS NULL), count(*) FILTER (WHERE \"a b\" = ''), count(*) FILTER (WHERE \"select\" IS NULL) FROM {ODD_RELEASE}.{ODD_VIEW}");
    assert_eq!(rows(&mut theirs, &nulls), rows(&mut reader, &nulls));
    let types = format!("SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = '{ODD_RELEASE}.{ODD_VIEW}'::regclass AND attnum > 0 AND attname NOT IN ('moods', 'amount') ORDER BY attnum");
    assert_eq!(rows(&mut theirs, &types), rows(&mut reader, &types));
}

/// A dump has one version, whole: with a refresh that has not committed, and with refreshes coming and going.
#[test]
fn while_it_is_refreshed() {
    let Some(cluster) = Cluster::start("") else { return };
    let mut db = cluster.session();
    people(&mut db, 1000);
    run(&mut db, &format!("SET ROLE owner; SET client_min_messages = error; {}", release_of_people("r", 10)));
    let whole = |file: &str, database: &str| {
        run(&mut cluster.session(), &format!("CREATE DATABASE {database} TEMPLATE template0"));
        restore(&cluster, file, database, "postgres");
        let mut restored = cluster.session_in(database, "postgres");
        let row = restored.query_one(
            "SELECT a.version, a.rows, (SELECT count(*) FROM r.people), (SELECT min(version) FROM r.cut), (SELECT max(version) FROM r_private.manifest),
                    (SELECT sum(records)::bigint FROM r.cut WHERE attribute = 'age') FROM r.about a", &[]).unwrap();
        let (version, rows): (i32, i64) = (row.get(0), row.get(1));
        assert_eq!((row.get(2), row.get(3), row.get(4), row.get(5)), (rows, version, version, rows));
        (version, rows)
    };
    more_people(&mut db, 1001, 1100);
    run(&mut db, "BEGIN; SELECT release_refresh('r')");
    let file =
        dump(&cluster, "open.sql", &["-n", "r", "-n", "r_private", "--lock-wait-timeout=10s", "postgres"]);
    run(&mut db, "COMMIT");
    assert_eq!(whole(&file, "before"), (1, 1000));

    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let refreshing = scope.spawn(|| {
            let mut db = cluster.session();
            run(&mut db, "SET ROLE owner; SET client_min_messages = error");
            let mut people = 1100;
            while !done.load(Ordering::Relaxed) {
                more_people(&mut db, people + 1, people + 10);
                people += 10;
                run(&mut db, "SELECT release_refresh('r')");
            }
            people
        });
        let mut dumps = 0;
        let mut last = 2;
        while dumps < 5 && !refreshing.is_finished() {
            let file = cluster.path(&format!("{dumps}.sql")).display().to_string();
            let output = cluster.run("pg_dump", &["-n", "r", "-n", "r_private", "-f", &file, "postgres"]);
            if !output.status.success() {
                // An old version may go between pg_dump's list of tables and its locks, as any table may.
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(said.contains("does not exist") && said.contains("rows_v"), "{said}");
                continue;
            }
            let (version, _) = whole(&file, &format!("dump{dumps}"));
            assert!(version >= last, "{version} after {last}");
            last = version;
            dumps += 1;
        }
        done.store(true, Ordering::Relaxed);
        assert!(refreshing.join().unwrap() > 1100 && last > 2);
    });
}

/// Domains that refuse NULL or what they once took, alone and within arrays and composites, and types that look like texts.
const TYPES: &str = "
    CREATE DOMAIN years AS int NOT NULL CHECK (VALUE < 150);
    CREATE DOMAIN code AS text NOT NULL CHECK (VALUE <> 'zz');
    CREATE DOMAIN tags AS code[] NOT NULL CHECK (cardinality(VALUE) < 4);
    CREATE TYPE pair AS (a code, b years);
    CREATE DOMAIN whole_pair AS pair NOT NULL CHECK ((VALUE).b < 9);
    CREATE TYPE mood AS ENUM ('low', 'it''s \"fine\"');
    CREATE DOMAIN kept_mood AS mood NOT NULL;";
const DOMAINS: &str = "
    CREATE TABLE guests (id years, age years, zip code, ward code, tags tags, both_ whole_pair, pairs pair[], mood kept_mood, mail MAIL NOT NULL);
    INSERT INTO guests SELECT i % 149, 20 + i % 40, 'z' || i % 8, (ARRAY['a', 'b', 'c'])[1 + i * 7 / 3 % 3], ARRAY['x', 'y' || i % 2]::tags,
        ROW('p', i % 5)::pair, ARRAY[ROW('p', 1)::pair, NULL], (ARRAY['low', 'it''s \"fine\"'])[1 + i % 2]::mood, 'a@b' || i % 3
      FROM generate_series(1, 600) i;
    SET pg_topdown.keep_versions = 9;
    SELECT tds_anonymize('guests', 'g', k_anonymity(ARRAY['age', 'zip'], 5), class => 'ward', masking => by_intervals('age', '0', '149'),
        keep => ARRAY['tags', 'both_', 'pairs', 'mood', 'mail']);
    SELECT release_alter('g', privacy => ARRAY[k_anonymity(ARRAY['age', 'zip'], 5), l_diversity(ARRAY['age'], 'zip', 2), k_anonymity(ARRAY['age'], 3, 'id')]);
    SELECT release_alter('g', privacy => k_anonymity(ARRAY['age', 'zip'], 5), allow_weaker => true, changes => 'CHANGES')";

/// Releases over such types, of which one version alone needs hidden columns, are restored with all their versions, verify and go on.
#[test]
fn over_domains() {
    let Some(cluster) = Cluster::start("") else { return };
    let Some(elsewhere) = Cluster::start("") else { return };
    // A text without case, where the server has it.
    let has_citext =
        !rows(&mut cluster.session(), "SELECT FROM pg_available_extensions WHERE name = 'citext'").is_empty();
    let (citext, mail) = if has_citext { ("CREATE EXTENSION citext;", "citext") } else { ("", "text") };
    for changes in ["any", "batched"] {
        let name = format!("domains_{changes}");
        run(&mut cluster.session(), &format!("CREATE DATABASE {name} TEMPLATE template0"));
        let mut db = cluster.session_in(&name, "postgres");
        run(
            &mut db,
            &format!("SET client_min_messages = error; CREATE EXTENSION pg_topdown; {citext} {TYPES}"),
        );
        run(&mut db, &DOMAINS.replace("MAIL", mail).replace("CHANGES", changes));
        let hidden = "SELECT count(*) FILTER (WHERE a.attname LIKE 'hidden%') > 0,
                             count(*) FILTER (WHERE t.typtype = 'd') FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                      WHERE attrelid = 'g_private.rows_v0'::regclass AND attnum > 0";
        assert_eq!(rows(&mut db, hidden), ["(t,0)"], "{changes}");
        let kept = "SELECT t.*::text FROM g_private.rows_v0 t ORDER BY t::text COLLATE \"C\"";
        let of_versions = "SELECT version, count(*) FROM g_private.rows_v0 GROUP BY 1 ORDER BY 1";
        let (kept_before, seen) = (rows(&mut db, kept), contents(&mut db, "g", "guests", OWNED));
        assert_eq!(rows(&mut db, of_versions).len(), 3, "{changes}");

        // From now on the domains take nothing of what is there.
        run(&mut db, "ALTER DOMAIN code ADD CONSTRAINT later CHECK (VALUE = 'q') NOT VALID; ALTER DOMAIN years ADD CONSTRAINT later CHECK (VALUE < 0) NOT VALID;
                      ALTER DOMAIN whole_pair ADD CONSTRAINT later CHECK ((VALUE).b = 100) NOT VALID");
        let file = dump(&cluster, &format!("{name}.sql"), &[&name]);
        run(&mut elsewhere.session(), &format!("CREATE DATABASE {name} TEMPLATE template0"));
        restore(&elsewhere, &file, &name, "postgres");
        let mut restored = elsewhere.session_in(&name, "postgres");
        assert_eq!(rows(&mut restored, kept), kept_before, "{changes}");
        assert_eq!(contents(&mut restored, "g", "guests", OWNED), seen, "{changes}");
        run(
            &mut restored,
            "SET client_min_messages = error; SELECT release_assert('g'); SELECT release_drift('g')",
        );
        run(&mut restored, "SELECT release_refresh('g', mode => 'replay'); SELECT release_assert('g')");
        // The key came along: the same rows make no version.
        assert_eq!(rows(&mut restored, "SELECT version FROM g.about"), ["(3)"], "{changes}");
        run(
            &mut restored,
            &format!(
                "ALTER DOMAIN code DROP CONSTRAINT later; ALTER DOMAIN years DROP CONSTRAINT later;
                 ALTER DOMAIN whole_pair DROP CONSTRAINT later; DELETE FROM guests WHERE age = 20;
                 SELECT release_refresh('g', erase => {}); SELECT release_assert('g'); SELECT release_changes('g')",
                changes == "batched"
            ),
        );
        assert_eq!(rows(&mut restored, "SELECT version FROM g.about"), ["(4)"], "{changes}");

        // The two schemas alone, where the domains were never so lenient.
        let file = dump(&cluster, &format!("{name}_alone.sql"), &["-n", "g", "-n", "g_private", &name]);
        run(&mut elsewhere.session(), &format!("CREATE DATABASE {name}_alone TEMPLATE template0"));
        let mut alone = elsewhere.session_in(&format!("{name}_alone"), "postgres");
        let strict = TYPES
            .replace("VALUE < 150", "VALUE IS NULL")
            .replace("cardinality(VALUE) < 4", "cardinality(VALUE) = 9");
        let strict = strict
            .replace("(VALUE).b < 9", "(VALUE).b = 9")
            .replace("pair AS (a code, b years)", "pair AS (a text, b int)");
        run(&mut alone, &format!("CREATE EXTENSION pg_topdown; {citext} {strict}"));
        restore(&elsewhere, &file, &format!("{name}_alone"), "postgres");
        assert_eq!(contents(&mut alone, "g", "guests", OWNED), seen, "{changes}");
        run(&mut alone, "SELECT release_assert('g')");
    }
}
