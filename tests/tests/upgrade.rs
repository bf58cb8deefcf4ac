//! ALTER EXTENSION UPDATE from every version before: what it makes is what CREATE EXTENSION makes, object by object; rights
//! that were given are kept. 1.0.0 is the first version that there is a way from. So beside the versions of `RELEASED` there is
//! always one that never was: some functions of it have an argument less, and its update makes them anew, as the next version's
//! will. What carries their rights over is in tests/upgrade, to be copied.
//!
//! And what versions before 1.0.0 made is no release: it says of itself that it has to be made anew.
//!
//! The SQL of the versions before is not installed by `make install`: their functions have fewer arguments than the library's by
//! now. The test lays it into the private installation that it runs on. As only ever arguments were added at the end, such a
//! function fails with an error until it is updated, and does nothing else.

use client_tests::cluster::{as_server, bindir};
use client_tests::{rows, run, server, skip, Database};
use postgres::error::DbError;
use postgres::{Client, NoTls};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// This version.
const NOW: &str = env!("CARGO_PKG_VERSION");

/// The versions before from which an update leads here, each with a function whose arguments have changed since. Their scripts
/// are `sql/pg_topdown--<version>.sql` and `sql/pg_topdown--<version>--<next>.sql`.
const RELEASED: [(&str, &str); 0] = [];

/// The version that never was, and the routines that have an argument less there, by the types of those they have.
const MADE_UP: &str = "made.up";
const CHANGED: [(&str, &str); 3] = [
    ("k_anonymity", "text[], integer"),
    (
        "release_alter",
        "name, regclass, privacy_model[], masking[], text, integer, double precision, text, boolean, text[], text, text[], text,
         text, text, text, text[], text[], boolean, boolean",
    ),
    ("release_refresh_all", ""),
];

/// All of them.
fn before() -> Vec<(&'static str, &'static str)> {
    let made_up = CHANGED.map(|(name, _)| (MADE_UP, name));
    RELEASED.into_iter().chain(made_up).collect()
}

/// The statement of a script that makes a routine, and the last of its arguments.
fn made_by<'a>(script: &'a str, name: &str) -> (&'a str, &'a str) {
    let made = script.split("\n\n").find_map(|piece| {
        let from = piece
            .find(&format!("CREATE FUNCTION \"{name}\"("))
            .or(piece.find(&format!("CREATE PROCEDURE \"{name}\"(")));
        from.map(|from| &piece[from..])
    });
    let made = made.unwrap_or_else(|| panic!("{name} is made by the script"));
    let arguments = &made[made.find('(').unwrap_or_default() + 1..made.find("\n)").expect("arguments")];
    let last = arguments.rfind(",\n").unwrap_or(0);
    (made, &arguments[last..])
}

/// The scripts of the version that never was: its own, and that of the update.
fn made_up() -> [(String, String); 2] {
    let sql = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../sql/pg_topdown--{NOW}.sql"));
    let now = fs::read_to_string(&sql).unwrap_or_else(|error| panic!("{}: {error}", sql.display()));
    let mut before = now.clone();
    let mut update = include_str!("../upgrade/remember_rights.sql").to_string();
    for (name, arguments) in CHANGED {
        let (made, last) = made_by(&now, name);
        let fewer = made.replacen(last, "", 1);
        assert_ne!(made, fewer);
        before = before.replacen(made, &fewer, 1);
        let comment = now
            .lines()
            .find(|line| line.starts_with("COMMENT ON ") && line.contains(&format!(" {name} IS ")));
        let comment = comment.unwrap_or_else(|| panic!("{name} has a comment"));
        update += &format!("\n{made}\nDROP ROUTINE {name}({arguments});\n{comment}\n");
    }
    update += include_str!("../upgrade/carry_rights.sql");
    [(format!("pg_topdown--{MADE_UP}.sql"), before), (format!("pg_topdown--{MADE_UP}--{NOW}.sql"), update)]
}

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
        let extensions = PathBuf::from(String::from_utf8_lossy(&found.stdout).trim()).join("extension");
        let released = RELEASED.iter().map(|(version, _)| {
            let name = format!("pg_topdown--{version}.sql");
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql").join(&name);
            (name, fs::read_to_string(&from).unwrap_or_else(|error| panic!("{}: {error}", from.display())))
        });
        let install = |(name, script): (String, String)| {
            let to = extensions.join(name);
            fs::write(&to, script).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
            to
        };
        Some(Installed { files: released.chain(made_up()).map(install).collect(), _only })
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
    let of_functions =
        dumped.lines().filter(|line| line.contains(" ON FUNCTION ") || line.contains(" ON PROCEDURE "));
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
    let mut tried: Vec<&str> = before().into_iter().map(|(version, _)| version).collect();
    tried.dedup();
    for version in tried {
        let (mut fresh, mut db) = (Database::empty(), Database::empty());
        run(&mut fresh, "CREATE EXTENSION pg_topdown");
        let make = format!("DROP ROLE IF EXISTS old_reader; CREATE ROLE old_reader; CREATE EXTENSION pg_topdown VERSION '{version}'");
        run(&mut db, &make);
        assert_ne!(objects(&mut db), objects(&mut fresh), "{version}");
        run(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
        let version_now = "SELECT extversion FROM pg_extension WHERE extname = 'pg_topdown'";
        assert_eq!(rows(&mut db, version_now), [format!("({NOW})")]);
        let (updated, new) = (objects(&mut db), objects(&mut fresh));
        for (updated, new) in updated.iter().zip(&new) {
            assert_eq!(updated, new, "{version}");
        }
        assert_eq!(updated.len(), new.len());
        assert!(new.len() > 50, "{new:?}");
        drop(db);
        run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE old_reader");
    }
}

/// Before the update what has fewer arguments does nothing by mistake; what depends on it keeps the update from anything at
/// all; what was given and taken stays so; and what was stored is read as it was.
#[test]
fn an_update_keeps_what_was_given_and_stored() {
    let Some(_installed) = Installed::new() else { return };
    let (mut fresh, mut db) = (Database::empty(), Database::empty());
    run(&mut fresh, "CREATE EXTENSION pg_topdown");
    run(
        &mut db,
        &format!(
            "DROP ROLE IF EXISTS altering; CREATE ROLE altering; CREATE EXTENSION pg_topdown VERSION '{MADE_UP}';
             CREATE TABLE people AS SELECT i % 5 AS age, i % 2 AS ill, i % 3 AS class FROM generate_series(1, 60) i;
             SELECT tds_anonymize('people', 'r', '{{\"k_anonymity\":{{\"quasi_identifier\":[\"age\"],\"k\":5}}}}'::privacy_model, 'class');
             CREATE TABLE held AS SELECT '{{\"k_anonymity\":{{\"quasi_identifier\":[\"age\"],\"k\":5}}}}'::privacy_model AS model"
        ),
    );
    for call in
        ["SELECT k_anonymity(ARRAY['age'], 5)", "SELECT release_alter('r')", "CALL release_refresh_all()"]
    {
        assert_eq!(error(&mut db, call).code().code(), "XX000", "{call}");
    }
    assert_eq!(rows(&mut db, "SELECT max(version) FROM r_private.manifest"), ["(1)"]);

    run(&mut db, "CREATE FUNCTION altered() RETURNS jsonb BEGIN ATOMIC SELECT release_alter('r'); END");
    let kept = error(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
    assert_eq!(kept.code().code(), "2BP01", "{kept:?}");
    assert!(kept.detail().is_some_and(|detail| detail.contains("altered()")), "{kept:?}");
    assert_eq!(
        rows(&mut db, "SELECT extversion FROM pg_extension WHERE extname = 'pg_topdown'"),
        [format!("({MADE_UP})")]
    );

    run(
        &mut db,
        "DROP FUNCTION altered; GRANT EXECUTE ON FUNCTION release_alter TO altering WITH GRANT OPTION;
         REVOKE EXECUTE ON FUNCTION release_alter FROM pg_database_owner;
         GRANT EXECUTE ON PROCEDURE release_refresh_all TO altering; GRANT EXECUTE ON FUNCTION release_drop TO altering;
         REVOKE EXECUTE ON FUNCTION k_anonymity FROM PUBLIC; GRANT EXECUTE ON FUNCTION k_anonymity TO altering",
    );
    let granted = grants(&mut db);
    assert_eq!(granted.len(), 6, "{granted:?}");
    run(&mut db, "ALTER EXTENSION pg_topdown UPDATE");
    let may = "SELECT has_function_privilege('altering', 'release_alter'::regproc, 'EXECUTE WITH GRANT OPTION'),
                      has_function_privilege('public', 'release_alter'::regproc, 'EXECUTE'),
                      has_function_privilege('pg_database_owner', 'release_alter'::regproc, 'EXECUTE'),
                      has_function_privilege('altering', 'k_anonymity'::regproc, 'EXECUTE'),
                      has_function_privilege('public', 'k_anonymity'::regproc, 'EXECUTE'),
                      has_function_privilege('altering', 'release_refresh_all(text)'::regprocedure, 'EXECUTE'),
                      has_function_privilege('public', 'release_refresh_all(text)'::regprocedure, 'EXECUTE')";
    assert_eq!(rows(&mut db, may), ["(t,f,f,t,f,t,f)"]);
    // And a dump has them.
    assert_eq!(grants(&mut db), granted);
    // Nor does what the catalog takes for the extension's own hold the role; PostgreSQL keeps such dependencies from 17 on.
    assert_eq!(
        rows(
            &mut db,
            "SELECT count(*) FROM pg_shdepend WHERE deptype = 'i' AND refobjid = 'altering'::regrole"
        ),
        ["(0)"]
    );
    // Values and releases of before are read and go on.
    assert_eq!(
        rows(&mut db, "SELECT model::text FROM held"),
        rows(&mut db, "SELECT k_anonymity(ARRAY['age'], 5)::text")
    );
    run(&mut db, "SELECT privacy_check('people', model) FROM held; SELECT release_alter('r')");
    run(&mut db, "CALL release_refresh_all()");
    run(
        &mut db,
        "SELECT release_verify('r'); SELECT release_drop('r'); DROP TABLE held;
         REVOKE EXECUTE ON FUNCTION release_alter, k_anonymity, release_drop FROM altering;
         REVOKE EXECUTE ON PROCEDURE release_refresh_all FROM altering;
         GRANT EXECUTE ON FUNCTION k_anonymity TO PUBLIC;
         GRANT EXECUTE ON FUNCTION release_alter TO pg_database_owner WITH GRANT OPTION",
    );
    assert_eq!(objects(&mut db), objects(&mut fresh));
    drop(db);
    run(&mut server().dbname("postgres").connect(NoTls).expect("a session"), "DROP ROLE altering");
}

/// What a dump calls a routine.
fn kind(name: &str) -> &'static str {
    if name == "release_refresh_all" {
        "PROCEDURE"
    } else {
        "FUNCTION"
    }
}

/// What new functions would be given is not given to those that take another's place; and names of any kind do.
#[test]
fn rights_are_those_of_before_whatever_new_functions_are_given() {
    let Some(_installed) = Installed::new() else { return };
    for (version, changed) in before() {
        let mut db = Database::empty();
        run(
            &mut db,
            &format!(
                r#"DROP ROLE IF EXISTS "odd $ ' reader"; CREATE ROLE "odd $ ' reader"; CREATE SCHEMA "we$ird"; CREATE EXTENSION pg_topdown VERSION '{version}' SCHEMA "we$ird";
                        GRANT EXECUTE ON ROUTINE "we$ird".{changed} TO "odd $ ' reader" WITH GRANT OPTION;
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
            [format!(
                r#"GRANT ALL ON {} "we$ird".{changed}  TO "odd $ ' reader" WITH GRANT OPTION;"#,
                kind(changed)
            )]
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
    for (version, _) in before() {
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

/// What a version before 1.0.0 made can be read, as before; everything else says that it is to be made anew, and that can be done.
#[test]
fn what_was_made_before_1_0_0_is_made_anew() {
    let mut db = client_tests::connect();
    run(
        &mut db,
        "CREATE TABLE people AS SELECT i % 5 AS age FROM generate_series(1, 50) i;
         CREATE SCHEMA old; CREATE TABLE old.manifest (version int NOT NULL, created_at timestamptz, source text, parameters jsonb, rows bigint,
                                                       achieved jsonb, extension_version text, current boolean);
         INSERT INTO old.manifest VALUES (1, now(), 'public.people', '{\"view\": \"people\", \"format\": 3}', 50, '[]', '0.3.0', true);
         CREATE TABLE old.people_v0 (version int, age text) PARTITION BY LIST (version);
         CREATE TABLE old.people_v1 PARTITION OF old.people_v0 FOR VALUES IN (1); INSERT INTO old.people_v0 SELECT 1, '*' FROM people;
         CREATE VIEW old.people AS SELECT age FROM old.people_v0 WHERE version = (SELECT version FROM old.manifest WHERE current);
         CREATE VIEW old.about AS SELECT version, rows FROM old.manifest WHERE current;
         CREATE VIEW old.cut AS SELECT 1 AS version, 'age' AS attribute, '*' AS node",
    );
    let calls = [
        "SELECT release_verify('old')",
        "SELECT release_assert('old')",
        "SELECT release_refresh('old')",
        "SELECT release_alter('old')",
        "SELECT release_measures('old')",
        "SELECT release_risk('old')",
        "SELECT release_drift('old')",
        "SELECT release_report('old')",
        "SELECT release_drop('old')",
        "SELECT release_rewind('old', 0)",
        "SELECT release_grant('old', 'public')",
        "SELECT release_export('old')",
        "SELECT tds_anonymize('people', 'old', k_anonymity(ARRAY['age'], 5))",
        "SELECT kmember_anonymize('people', 'old', ARRAY['age'], 5)",
    ];
    for call in calls {
        let refused = error(&mut db, call);
        assert_eq!(refused.code().code(), "55000", "{call}: {refused:?}");
        assert_eq!(
            refused.message(),
            "release \"old\" was made by a version of pg_topdown before 1.0.0",
            "{call}"
        );
        let hint = Some("Drop it and make it anew: DROP SCHEMA \"old\" CASCADE.");
        assert_eq!(refused.hint().map(|hint| hint.replace(" old ", " \"old\" ")).as_deref(), hint, "{call}");
    }
    assert!(rows(&mut db, "SELECT * FROM releases()").is_empty());
    run(&mut db, "CALL release_refresh_all()");
    assert_eq!(rows(&mut db, "SELECT count(*) FROM old.people"), ["(50)"]);
    run(
        &mut db,
        "DROP SCHEMA old CASCADE; SELECT tds_anonymize('people', 'old', k_anonymity(ARRAY['age'], 5));
                  SELECT release_assert('old'); SELECT release_drop('old')",
    );
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
