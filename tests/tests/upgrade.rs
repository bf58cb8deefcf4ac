//! ALTER EXTENSION UPDATE from every version before: what it makes is what CREATE EXTENSION makes, object by object; rights
//! that were given are kept; and the releases that 0.1.0 made can be read, and say of themselves that they have to be made anew.
//!
//! The SQL of those versions (`sql/pg_topdown--0.1.0.sql` and so on) is not installed by `make install`: their functions have fewer
//! arguments than the library's by now. The test lays it into the private installation that it runs on. As only ever arguments were added at the
//! end, such a function fails with an error until it is updated, and does nothing else.

use client_tests::cluster::{as_server, bindir};
use client_tests::{rows, run, server, skip, Database};
use postgres::error::DbError;
use postgres::{Client, NoTls};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{mpsc, Mutex, MutexGuard, PoisonError};

const RELEASES: &str = include_str!("../upgrade/releases_of_0_1_0.sql");

/// The versions before, each with a function whose arguments have changed since.
const BEFORE: [(&str, &str); 2] = [("0.1.0", "k_anonymity"), ("0.2.0", "release_alter")];

/// The SQL of the versions before, where CREATE EXTENSION finds it.
struct Installed {
    files: Vec<PathBuf>,
    /// One test at a time.
    _only: MutexGuard<'static, ()>,
}

static INSTALLED: Mutex<()> = Mutex::new(());

impl Installed {
    fn new() -> Option<Installed> {
        let Some(bindir) = bindir() else {
            skip("no PG_TOPDOWN_BINDIR to install earlier versions into: run `make test`");
            return None;
        };
        let _only = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
        let found = Command::new(bindir.join("pg_config")).arg("--sharedir").output().expect("pg_config");
        let sharedir = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim());
        let install = |(version, _): &(&str, &str)| {
            let name = format!("pg_topdown--{version}.sql");
            let to = sharedir.join("extension").join(&name);
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql").join(name);
            fs::copy(&from, &to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
            to
        };
        Some(Installed { files: BEFORE.iter().map(install).collect(), _only })
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        for file in &self.files {
            fs::remove_file(file).expect("the SQL of the versions before was installed");
        }
    }
}

/// What belongs to the extension, each object with all that the catalogs say of it.
fn objects(db: &mut Client) -> Vec<String> {
    let members =
        "pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
                     AND d.deptype = 'e' AND e.extname = 'pg_topdown'";
    let mut all = rows(
        db,
        &format!(
            "SELECT p.oid::regprocedure, pg_get_functiondef(p.oid), obj_description(p.oid, 'pg_proc'),
                    ARRAY(SELECT a::text FROM unnest(COALESCE(p.proacl, acldefault('f', p.proowner))) a ORDER BY 1), p.proowner::regrole, p.procost, p.prorows
             FROM pg_proc p JOIN {members} ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid ORDER BY p.oid::regprocedure::text"
        ),
    );
    all.extend(rows(
        db,
        &format!(
            "SELECT t.oid::regtype, t.typlen, t.typbyval, t.typalign, t.typstorage, t.typcategory, t.typtype, t.typinput, t.typoutput,
                    t.typreceive, t.typsend, obj_description(t.oid, 'pg_type'), t.typacl
             FROM pg_type t JOIN {members} ON d.classid = 'pg_type'::regclass AND d.objid = t.oid ORDER BY t.oid::regtype::text"
        ),
    ));
    all.extend(rows(
        db,
        &format!(
            "SELECT c.castsource::regtype, c.casttarget::regtype, c.castfunc::regprocedure, c.castcontext, c.castmethod,
                    obj_description(c.oid, 'pg_cast')
             FROM pg_cast c JOIN {members} ON d.classid = 'pg_cast'::regclass AND d.objid = c.oid ORDER BY c.castsource::regtype::text"
        ),
    ));
    // What a dump takes for the extension's own, and so leaves out.
    all.extend(rows(
        db,
        &format!(
            "SELECT d.objid::regprocedure, ARRAY(SELECT a::text FROM unnest(i.initprivs) a ORDER BY 1)
             FROM pg_init_privs i JOIN {members} ON d.classid = 'pg_proc'::regclass AND (i.classoid, i.objoid) = (d.classid, d.objid)
             ORDER BY d.objid::regprocedure::text"
        ),
    ));
    all.extend(rows(
        db,
        &format!("SELECT d.classid::regclass, count(*) FROM {members} GROUP BY 1 ORDER BY d.classid::regclass::text"),
    ));
    all
}

/// Which rights a dump gives and takes, on functions of whatever arguments.
fn grants(db: &mut Client) -> Vec<String> {
    let name = rows(db, "SELECT current_database()").remove(0);
    let server = ["PGHOST", "PGPORT", "PGUSER"].map(|name| (name, std::env::var(name).unwrap_or_default()));
    let dumped = as_server("pg_dump", None)
        .envs(server.into_iter().filter(|(_, value)| !value.is_empty()))
        .args(["--schema-only", name.trim_matches(['(', ')'])])
        .output()
        .expect("pg_dump");
    assert!(dumped.status.success(), "{}", String::from_utf8_lossy(&dumped.stderr));
    let dumped = String::from_utf8_lossy(&dumped.stdout).into_owned();
    let of_functions = dumped.lines().filter(|line| line.contains(" ON FUNCTION "));
    let name_and_whom = |line: &str| {
        let (before, after) = line.split_once('(').expect("arguments");
        format!("{before} {}", after.rsplit_once(')').expect("arguments").1)
    };
    let mut all: Vec<String> = of_functions.map(name_and_whom).collect();
    all.sort();
    all
}

/// The error of what has to fail.
fn error(db: &mut Client, statement: &str) -> DbError {
    let failed = db.batch_execute(statement).err().unwrap_or_else(|| panic!("{statement} succeeds"));
    failed.as_db_error().unwrap_or_else(|| panic!("{statement}: {failed:?}")).clone()
}

#[test]
fn what_an_update_makes_is_what_a_new_extension_is() {
    let Some(_installed) = Installed::new() else { return };
    let (mut fresh, mut db) = (Database::empty(), Database::empty());
    run(&mut fresh, "CREATE EXTENSION pg_topdown");
    run(
        &mut db,
        "DROP ROLE IF EXISTS old_reader; CREATE ROLE old_reader; CREATE EXTENSION pg_topdown VERSION '0.1.0'",
    );
    run(&mut db, RELEASES);

    // Before the update nothing of ours does anything by mistake.
    let called = "SELECT tds_anonymize('people', 'early', ARRAY[k_anonymity(ARRAY['age'], 5)])";
    assert_eq!(error(&mut db, called).code().code(), "XX000");
    assert_eq!(rows(&mut db, "SELECT to_regnamespace('early')"), ["()"]);

    // What depends on a function that goes keeps the update from anything at all.
    run(&mut db, "CREATE VIEW uses AS SELECT k_anonymity(ARRAY['age'], 5) AS model");
    let kept = error(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
    assert_eq!(
        (kept.code().code(), kept.detail()),
        ("2BP01", Some("view uses depends on function k_anonymity(text[],integer)"))
    );
    assert_eq!(
        rows(&mut db, "SELECT extversion FROM pg_extension WHERE extname = 'pg_topdown'"),
        ["(0.1.0)"]
    );

    run(&mut db, "DROP VIEW uses; GRANT EXECUTE ON FUNCTION tds_anonymize TO old_reader WITH GRANT OPTION;
                  REVOKE EXECUTE ON FUNCTION k_anonymity FROM PUBLIC; GRANT EXECUTE ON FUNCTION k_anonymity TO old_reader;
                  GRANT EXECUTE ON FUNCTION release_drop TO old_reader");
    let granted = grants(&mut db);
    assert_eq!(granted.len(), 4, "{granted:?}");
    run(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
    let may =
        "SELECT has_function_privilege('old_reader', 'tds_anonymize'::regproc, 'EXECUTE WITH GRANT OPTION'),
                      has_function_privilege('old_reader', 'k_anonymity'::regproc, 'EXECUTE'),
                      has_function_privilege('public', 'k_anonymity'::regproc, 'EXECUTE')";
    assert_eq!(rows(&mut db, may), ["(t,t,f)"]);
    // And a dump has them.
    assert_eq!(grants(&mut db), granted);
    // Nor does what the catalog takes for the extension's own hold the role; PostgreSQL keeps such dependencies from 17 on.
    assert_eq!(
        rows(
            &mut db,
            "SELECT count(*) FROM pg_shdepend WHERE deptype = 'i' AND refobjid = 'old_reader'::regrole"
        ),
        ["(0)"]
    );
    run(&mut db, "REVOKE EXECUTE ON FUNCTION tds_anonymize FROM old_reader; REVOKE EXECUTE ON FUNCTION k_anonymity, release_drop FROM old_reader;
                  GRANT EXECUTE ON FUNCTION k_anonymity TO PUBLIC");
    let (updated, new) = (objects(&mut db), objects(&mut fresh));
    for (updated, new) in updated.iter().zip(&new) {
        assert_eq!(updated, new);
    }
    assert_eq!(updated.len(), new.len());
    assert!(new.len() > 50, "{new:?}");

    // Values that were stored are read as they were.
    assert_eq!(
        rows(&mut db, "SELECT model, models, by FROM held"),
        rows(&mut db, "SELECT k_anonymity(ARRAY['age'], 5), ARRAY[t_closeness(ARRAY['age'], 'illness', 0.3)], by_intervals('age')")
    );
    run(&mut db, "SELECT privacy_check('people', model) FROM held");
    drop(db);
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE old_reader");
}

/// From 0.2.0 on the database's owner has rights, too: what was taken from it stays taken.
#[test]
fn what_an_update_from_0_2_0_makes_is_what_a_new_extension_is() {
    let Some(_installed) = Installed::new() else { return };
    let (mut fresh, mut db) = (Database::empty(), Database::empty());
    run(&mut fresh, "CREATE EXTENSION pg_topdown");
    run(
        &mut db,
        "DROP ROLE IF EXISTS altering; CREATE ROLE altering; CREATE EXTENSION pg_topdown VERSION '0.2.0';
         CREATE TABLE people AS SELECT i % 5 AS age, i % 2 AS ill, i % 3 AS class FROM generate_series(1, 60) i",
    );
    // Before the update what has more arguments by now fails, and the rest works.
    let made =
        "pda_anonymize('people', 'r', ARRAY[confidence_bound(ARRAY['age'], 'ill', NULL, 0.9)], 'class')";
    let calls = [
        made,
        "release_alter('r')",
        "release_refresh('r')",
        "release_refresh_all()",
        "kmember_anonymize('people', 'clustered', ARRAY['age'], 5)",
    ];
    for call in calls {
        assert_eq!(error(&mut db, &format!("SELECT {call}")).code().code(), "XX000", "{call}");
    }
    run(&mut db, "SELECT count(*) FROM privacy_check('people', k_anonymity(ARRAY['age'], 5))");
    run(&mut db, "CREATE FUNCTION altered() RETURNS jsonb BEGIN ATOMIC SELECT release_alter('r'); END");
    let kept = error(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
    assert_eq!(kept.code().code(), "2BP01", "{kept:?}");
    assert!(kept.detail().is_some_and(|detail| detail.contains("altered()")), "{kept:?}");
    run(
        &mut db,
        "DROP FUNCTION altered; GRANT EXECUTE ON FUNCTION release_alter TO altering; REVOKE EXECUTE ON FUNCTION release_alter FROM pg_database_owner",
    );
    let granted = grants(&mut db);
    assert_eq!(granted.len(), 2, "{granted:?}");
    run(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
    assert_eq!(grants(&mut db), granted);
    let may = "SELECT has_function_privilege('altering', 'release_alter'::regproc, 'EXECUTE'), has_function_privilege('public', 'release_alter'::regproc, 'EXECUTE'),
                      has_function_privilege('pg_database_owner', 'release_alter'::regproc, 'EXECUTE')";
    assert_eq!(rows(&mut db, may), ["(t,f,f)"]);
    run(&mut db, &format!("SELECT {made}"));
    run(&mut db, "SELECT release_alter('r'); SELECT release_refresh('r'); SELECT release_verify('r'); SELECT release_drop('r');
                  REVOKE EXECUTE ON FUNCTION release_alter FROM altering; GRANT EXECUTE ON FUNCTION release_alter TO pg_database_owner WITH GRANT OPTION");
    assert_eq!(objects(&mut db), objects(&mut fresh));
    drop(db);
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE altering");
}

/// What new functions would be given is not given to those that take another's place; and names of any kind do.
#[test]
fn rights_are_those_of_before_whatever_new_functions_are_given() {
    let Some(_installed) = Installed::new() else { return };
    for (version, changed) in BEFORE {
        let mut db = Database::empty();
        run(
            &mut db,
            &format!(
                r#"DROP ROLE IF EXISTS "odd $ ' reader"; CREATE ROLE "odd $ ' reader"; CREATE SCHEMA "we$ird"; CREATE EXTENSION pg_topdown VERSION '{version}' SCHEMA "we$ird";
                        GRANT EXECUTE ON FUNCTION "we$ird".{changed} TO "odd $ ' reader" WITH GRANT OPTION;
                        ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO "odd $ ' reader";
                        SET search_path = public"#
            ),
        );
        let of = "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = '\"we$ird\"'::regnamespace";
        let old: Vec<String> =
            rows(&mut db, of).iter().map(|name| name.trim_matches(['(', ')']).into()).collect();
        let granted = grants(&mut db);
        assert_eq!(
            granted,
            [format!(r#"GRANT ALL ON FUNCTION "we$ird".{changed}  TO "odd $ ' reader" WITH GRANT OPTION;"#)]
        );
        run(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
        let replaced: Vec<String> = grants(&mut db)
            .into_iter()
            .filter(|grant| old.iter().any(|name| grant.contains(&format!("\"we$ird\".{name} "))))
            .collect();
        assert_eq!(replaced, granted);
        assert_eq!(rows(&mut db, "SELECT current_setting('search_path')"), ["(public)"]);
        run(
            &mut db,
            r#"DROP EXTENSION pg_topdown; DROP OWNED BY "odd $ ' reader"; DROP ROLE "odd $ ' reader""#,
        );
    }
}

/// Who owns the extension, but neither the database nor a superuser's rights, makes functions of our names members of it: what these may
/// be called by is not carried over to ours.
#[test]
fn rights_of_somebody_s_functions_are_not_carried_over() {
    let Some(_installed) = Installed::new() else { return };
    for (version, _) in BEFORE {
        let mut admin = Database::empty();
        run(&mut admin, "DROP ROLE IF EXISTS planting_creator; CREATE ROLE planting_creator LOGIN");
        let name = rows(&mut admin, "SELECT current_database()").remove(0);
        run(
            &mut admin,
            &format!("GRANT CREATE ON DATABASE {} TO planting_creator", name.trim_matches(['(', ')'])),
        );
        let mut creator = admin.session_as("planting_creator");
        run(
            &mut creator,
            &format!("CREATE SCHEMA cs; CREATE EXTENSION pg_topdown VERSION '{version}' SCHEMA cs; CREATE SCHEMA mine"),
        );
        let names = ["tds_anonymize", "release_refresh", "release_drop", "release_alter"];
        for name in names {
            run(&mut creator, &format!("CREATE FUNCTION mine.{name}(int) RETURNS int LANGUAGE sql AS 'SELECT 1'; ALTER EXTENSION pg_topdown ADD FUNCTION mine.{name}(int)"));
        }
        run(&mut creator, "REVOKE EXECUTE ON FUNCTION mine.release_drop(int) FROM PUBLIC");
        let rights = "SELECT p.oid::regprocedure, p.proacl FROM pg_proc p WHERE pronamespace = 'mine'::regnamespace ORDER BY p.proname";
        let mine = rows(&mut creator, rights);
        run(&mut creator, "ALTER EXTENSION pg_topdown UPDATE");
        assert_eq!(rows(&mut creator, rights), mine);
        for name in names {
            let may = format!("SELECT has_function_privilege(p.oid, 'EXECUTE') FROM pg_proc p WHERE pronamespace = 'cs'::regnamespace AND proname = '{name}'");
            // The version of before had its creator call nothing else than what PUBLIC may.
            assert_eq!(rows(&mut creator, &may), ["(f)"], "{name}");
        }
        drop(creator);
        run(
            &mut admin,
            "DROP EXTENSION pg_topdown; DROP OWNED BY planting_creator; DROP ROLE planting_creator",
        );
    }
}

#[test]
fn releases_of_0_1_0_are_read_and_made_anew() {
    let Some(_installed) = Installed::new() else { return };
    let mut db = Database::empty();
    run(&mut db, "DROP ROLE IF EXISTS old_reader_too; CREATE ROLE old_reader_too; CREATE EXTENSION pg_topdown VERSION '0.1.0'");
    run(&mut db, &RELEASES.replace("old_reader", "old_reader_too"));
    let told = {
        let (sender, receiver) = mpsc::channel();
        let name = rows(&mut db, "SELECT current_database()").remove(0);
        let mut config = server();
        config.dbname(name.trim_matches(['(', ')'])).notice_callback(move |notice| {
            let _read = sender.send((notice.message().to_string(), notice.hint().map(String::from)));
        });
        let mut session = config.connect(NoTls).expect("a session");
        run(&mut session, "ALTER EXTENSION pg_topdown UPDATE");
        drop(session);
        receiver.try_iter().collect::<Vec<_>>()
    };
    let releases = ["cluster_r", "pda_r", "tds_r"];
    assert_eq!(told.len(), releases.len(), "{told:?}");
    for ((message, hint), release) in told.iter().zip(releases) {
        assert_eq!(message, &format!("release \"{release}\" was made by pg_topdown 0.1.0"));
        assert!(
            hint.as_ref().is_some_and(|hint| hint.contains(&format!("DROP SCHEMA {release} CASCADE"))),
            "{hint:?}"
        );
    }

    // They are read as before, by whom they were granted to, and counted on by plain SQL.
    assert_eq!(rows(&mut db.session_as("postgres"), "SELECT count(*) FROM tds_r.people"), ["(120)"]);
    run(&mut db, "SET ROLE old_reader_too; SELECT FROM tds_r.people, tds_r.cut; RESET ROLE");
    assert_eq!(
        rows(&mut db, "SELECT holds FROM tds_r_private.manifest m, privacy_check('tds_r.people', ARRAY(SELECT p::text::privacy_model FROM jsonb_array_elements(m.parameters -> 'privacy') p)) WHERE m.version = 2"),
        ["(t)", "(t)"]
    );
    // Whatever works on a release says what is to be done.
    for call in [
        "release_verify('tds_r')",
        "release_refresh('tds_r')",
        "release_measures('pda_r')",
        "release_drop('cluster_r')",
        "release_rewind('tds_r', 0)",
        "release_grant('tds_r', 'old_reader_too')",
        "release_export('tds_r')",
        "tds_anonymize('people', 'tds_r', k_anonymity(ARRAY['age'], 5))",
    ] {
        let refused = error(&mut db, &format!("SELECT {call}"));
        assert_eq!(refused.code().code(), "42710", "{call}");
        assert!(refused.message().ends_with("was made by pg_topdown 0.1.0"), "{call}: {refused:?}");
        assert!(refused.hint().is_some_and(|hint| hint.contains("DROP SCHEMA")), "{call}: {refused:?}");
    }
    assert!(rows(&mut db, "SELECT * FROM releases()").is_empty());
    // And that can be done.
    run(&mut db, "SELECT tds_anonymize('people', 'anew', k_anonymity(ARRAY['age', 'sex', 'job'], 5), 'income', by_taxonomy('job', 'jobs'), ARRAY['ward']);
                  SELECT release_assert('anew'); DROP SCHEMA tds_r CASCADE; SELECT release_drop('anew')");
    drop(db);
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE old_reader_too");
}

#[test]
fn what_a_newer_version_wrote_is_not_guessed_at() {
    let mut db = client_tests::connect();
    run(&mut db, "CREATE TABLE t AS SELECT i % 5 AS a FROM generate_series(1, 50) i; SELECT tds_anonymize('t', 'r', k_anonymity(ARRAY['a'], 5));
                  UPDATE r_private.manifest SET parameters = parameters || pg_catalog.jsonb_build_object('format', (parameters ->> 'format')::int + 1)");
    for call in ["release_verify('r')", "release_refresh('r')", "release_measures('r')"] {
        let refused = error(&mut db, &format!("SELECT {call}"));
        assert_eq!(refused.code().code(), "55000", "{call}");
        assert!(refused.message().contains("newer version"), "{call}: {refused:?}");
        assert!(
            refused.hint().is_some_and(|hint| hint.contains("ALTER EXTENSION pg_topdown UPDATE")),
            "{call}: {refused:?}"
        );
    }
    run(&mut db, "SELECT count(*) FROM r.t; SELECT release_drop('r')");
    for (ty, text) in [
        ("privacy_model", r#"{"k_anonymity":{"quasi_identifier":["a"],"k":5,"of":"rows"}}"#),
        ("privacy_model", r#"{"delta_presence":{}}"#),
        ("masking", r#"{"by_noise":{}}"#),
    ] {
        let refused = error(&mut db, &format!("SELECT '{text}'::{ty}"));
        assert_eq!(refused.code().code(), "22P02", "{text}");
        assert!(refused.hint().is_some_and(|hint| hint.contains("newer version")), "{text}: {refused:?}");
    }
}

#[test]
fn a_database_s_owner_who_is_no_superuser_makes_it_and_uses_it() {
    let mut admin = Database::empty();
    run(&mut admin, "DROP ROLE IF EXISTS plain_owner; DROP ROLE IF EXISTS plain_analyst; CREATE ROLE plain_owner LOGIN; CREATE ROLE plain_analyst");
    let name = rows(&mut admin, "SELECT current_database()").remove(0);
    run(&mut admin, &format!("ALTER DATABASE {} OWNER TO plain_owner", name.trim_matches(['(', ')'])));
    let mut owner = admin.session_as("plain_owner");
    run(&mut owner, "CREATE SCHEMA mine; CREATE TABLE mine.t AS SELECT i % 5 AS a FROM generate_series(1, 50) i; CREATE SCHEMA topdown");
    // Whoever made it: who restores a dump is a superuser.
    let uses = "SET search_path = topdown, public; SELECT tds_anonymize('mine.t', 'r', k_anonymity(ARRAY['a'], 5)); SELECT release_drop('r');
                GRANT EXECUTE ON FUNCTION tds_anonymize TO plain_analyst";
    run(&mut admin, "CREATE EXTENSION pg_topdown SCHEMA topdown");
    run(&mut owner, uses);
    // No role is named that a dump would need where it is restored.
    let named = "SELECT DISTINCT a.grantee::regrole FROM pg_init_privs i, aclexplode(i.initprivs) a
                 WHERE i.classoid = 'pg_proc'::regclass AND i.objoid::regproc::text LIKE 'topdown.%' AND a.grantee <> a.grantor";
    run(&mut admin, "SET search_path = public");
    assert_eq!(rows(&mut admin, named), ["(pg_database_owner)"]);
    run(&mut admin, "DROP EXTENSION pg_topdown");
    run(&mut owner, "CREATE EXTENSION pg_topdown SCHEMA topdown");
    assert_eq!(rows(&mut admin, named), ["(pg_database_owner)"]);
    run(&mut owner, "SELECT tds_anonymize('mine.t', 'r', k_anonymity(ARRAY['a'], 5)); SELECT release_refresh('r');
                     SELECT release_grant('r', 'plain_analyst'); SELECT release_rewind('r', 0); SELECT release_assert('r');
                     GRANT EXECUTE ON FUNCTION tds_anonymize TO plain_analyst");
    // No right is gained: what the owner may not read, the extension does not read for it.
    run(&mut admin, "CREATE TABLE public.secret AS SELECT 1 AS a; REVOKE ALL ON public.secret FROM PUBLIC");
    assert_eq!(
        error(&mut owner, "SELECT privacy_check('public.secret', k_anonymity(ARRAY['a'], 5))").code().code(),
        "42501"
    );
    assert_eq!(error(&mut owner, "SET pg_topdown.min_k = 1").code().code(), "42501");
    run(&mut owner, "SELECT release_drop('r'); DROP EXTENSION pg_topdown");
    drop(owner);
    run(
        &mut admin,
        "REASSIGN OWNED BY plain_owner TO CURRENT_USER; DROP OWNED BY plain_owner, plain_analyst",
    );
    drop(admin);
    run(
        &mut server().dbname("postgres").connect(NoTls).expect("a session"),
        "DROP ROLE plain_owner; DROP ROLE plain_analyst",
    );
}
