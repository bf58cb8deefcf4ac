//! Whatever a user can make large (values, nodes, levels, columns, models, texts), every function of the extension ends soon after
//! `statement_timeout` says so. Each is called over each; its arguments go by their names, so a function that is added later is
//! called, too, or the test says what it lacks.
//!
//! Work is counted, not time, as in `cancel.rs`: the processor's ticks of the backend, which works with one thread.

use client_tests::{connect, rows, Database};
use std::fs;

/// When a call is to end, in milliseconds.
const TIMEOUT: u64 = 300;

/// A hundredth of a second of one processor (Linux, USER_HZ). A call may work for the time that it has, and then for a fifth of a
/// second.
const MOST: u64 = TIMEOUT / 10 + 20;

/// What the backend of a session has worked so far.
fn ticks(pid: i32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the server runs on this machine");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a line").split_whitespace().collect();
    fields[11..13].iter().map(|field| field.parse::<u64>().expect("a number")).sum()
}

/// Something that is large.
struct Dimension {
    name: &'static str,
    /// Makes a table `big` with columns v and s, and a taxonomy `tree` of v.
    prepare: &'static str,
    /// The columns that models and queries go over.
    columns: &'static str,
    masking: &'static str,
    privacy: &'static str,
    /// Sensitive values that are named.
    values: &'static str,
    /// Further arguments of the release that exists.
    release: &'static str,
}

const SMALL_TREE: &str = "CREATE TABLE tree AS SELECT DISTINCT v AS child, 'top' AS parent FROM big;";

const DIMENSIONS: [Dimension; 7] = [
    Dimension {
        name: "values",
        // Rare and frequent ones by turns.
        prepare: "CREATE TABLE big AS SELECT 'c' || lpad(i::text, 7, '0') AS v, (i % 2)::text AS s
                  FROM generate_series(1, 60000) i, generate_series(1, CASE WHEN i % 2 = 0 THEN 6 ELSE 1 END);",
        columns: "ARRAY['v']",
        masking: "by_suppression('v')",
        privacy: "k_anonymity('{v}', 5)",
        values: "ARRAY['0']",
        release: "recoding => 'local', counts => true",
    },
    Dimension {
        name: "numbers",
        prepare: "CREATE TABLE big AS SELECT (i * 7919::bigint % 80021)::int AS v, (i % 7)::text AS s FROM generate_series(1, 80000) i;",
        columns: "ARRAY['v']",
        masking: "by_intervals('v')",
        privacy: "ARRAY[k_anonymity('{v}', 2), l_diversity('{v}', 's', 2)]",
        values: "ARRAY['0']",
        release: "recoding => 'local', counts => true",
    },
    Dimension {
        name: "levels",
        prepare: "CREATE TABLE big AS SELECT 'm' || i % 5 AS v, (i % 2)::text AS s FROM generate_series(1, 50) i;
                  CREATE TABLE tree AS SELECT 'n' || i AS child, CASE WHEN i < 30000 THEN 'n' || (i + 1) END AS parent FROM generate_series(1, 30000) i;
                  INSERT INTO tree SELECT 'm' || i, 'n1' FROM generate_series(0, 4) i;",
        columns: "ARRAY['v']",
        masking: "by_taxonomy('v', 'tree')",
        privacy: "k_anonymity('{v}', 2)",
        values: "ARRAY['0']",
        release: "counts => true",
    },
    Dimension {
        name: "nodes",
        prepare: "CREATE TABLE big AS SELECT 'leaf' || i AS v, (i % 3)::text AS s FROM generate_series(1, 60000) i;
                  CREATE TABLE tree AS SELECT 'leaf' || i AS child, 'in' || i / 3 AS parent FROM generate_series(1, 60000) i
                    UNION ALL SELECT 'in' || i, 'top' FROM generate_series(0, 20000) i;",
        columns: "ARRAY['v']",
        masking: "by_taxonomy('v', 'tree')",
        privacy: "k_anonymity('{v}', 3)",
        values: "ARRAY['0']",
        release: "counts => true",
    },
    Dimension {
        name: "columns",
        prepare: "DO $$ BEGIN EXECUTE 'CREATE TABLE big AS SELECT ''a'' || i % 3 AS v, (i % 2)::text AS s, ' ||
                    (SELECT string_agg(format('(i * %s %% 7)::text AS c%s', j, j), ', ') FROM generate_series(1, 250) j) || ' FROM generate_series(1, 400) i'; END $$;",
        columns: "(SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = 'big'::regclass AND attnum > 2)",
        masking: "by_suppression('v')",
        privacy: "k_anonymity((SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = 'big'::regclass AND attnum > 2), 2)",
        values: "ARRAY['0']",
        release: "keep => '{s}'",
    },
    Dimension {
        name: "models",
        prepare: "CREATE TABLE big AS SELECT 'a' || i % 50 AS v, (i % 300)::text AS s, (i % 11)::text AS w FROM generate_series(1, 6000) i;",
        columns: "ARRAY['v', 'w']",
        masking: "by_suppression('v')",
        privacy: "ARRAY(SELECT confidence_bound(CASE WHEN i % 2 = 0 THEN '{v}' ELSE '{v,w}' END::text[], 's', ARRAY[(i % 300)::text], 0.9) FROM generate_series(1, 3000) i)",
        values: "ARRAY(SELECT i::text FROM generate_series(1, 50000) i)",
        release: "keep => '{}'",
    },
    Dimension {
        name: "texts",
        prepare: "CREATE TABLE big AS SELECT 'a' || i % 3 || repeat(chr(97 + i % 10), 200000) AS v, repeat(chr(97 + i % 4), 200000) AS s FROM generate_series(1, 60) i;",
        columns: "ARRAY['v']",
        masking: "by_suppression('v')",
        privacy: "ARRAY[k_anonymity('{v}', 2), confidence_bound('{v}', 's', ARRAY[repeat('a', 200000)], 0.9)]",
        values: "ARRAY(SELECT repeat('z', 20000) || i FROM generate_series(1, 500) i)",
        release: "counts => true",
    },
];

/// A function's arguments that have to be given, by name and type; what has no default.
struct Function {
    name: String,
    arguments: Vec<(String, String)>,
}

fn functions(db: &mut Database) -> Vec<Function> {
    let query = "SELECT p.proname::text, p.proargnames[1 : p.pronargs - p.pronargdefaults],
                        ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, n) WHERE n <= p.pronargs - p.pronargdefaults ORDER BY n)
                 FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
                 JOIN pg_extension e ON e.oid = d.refobjid WHERE extname = 'pg_topdown' ORDER BY 1";
    let rows = db.query(query, &[]).unwrap();
    let of = |row: &postgres::Row| {
        let (names, types): (Option<Vec<String>>, Vec<String>) = (row.get(1), row.get(2));
        Function { name: row.get(0), arguments: names.unwrap_or_default().into_iter().zip(types).collect() }
    };
    rows.iter().map(of).filter(|function| !is_of_types(&function.name)).collect()
}

/// Input and output of types, and casts to arrays, are called wherever a model or a masking is.
fn is_of_types(name: &str) -> bool {
    name.ends_with("_in") || name.ends_with("_out") || ["maskings", "privacy_models"].contains(&name)
}

impl Function {
    /// The call over a dimension; none if an argument is not known.
    fn call(&self, dimension: &Dimension) -> Option<String> {
        let makes = self.name.ends_with("_anonymize");
        let value = |name: &str, ty: &str| {
            Some(match (name, ty) {
                ("release", _) if makes => "'made'",
                ("release", _) => "'r'",
                ("source" | "population", _) => "'big'",
                ("privacy", _) => dimension.privacy,
                ("masking", _) => dimension.masking,
                ("templates", _) => "confidence_bound('{v}', 's', NULL, 0.9)",
                ("quasi_identifier" | "inference_channel" | "columns" | "known", _) => dimension.columns,
                ("sensitive_values", _) => dimension.values,
                ("sensitive", _) => "'s'",
                ("column_name", _) => "'v'",
                ("taxonomy", "jsonb") => {
                    "(SELECT jsonb_build_object('top', jsonb_agg(DISTINCT child)) FROM tree)"
                }
                ("taxonomy", _) => "'tree'",
                ("levels", _) => "'levels'",
                ("grantee", _) => "'pg_monitor'",
                ("k" | "l" | "beta" | "m" | "weight", _) => "2",
                ("t" | "max_confidence", _) => "0.9",
                ("depth" | "version" | "step", "integer") => "1",
                ("step", _) => "'10'",
                ("upper", _) => "'5'",
                ("ks", _) => "'{2,5,10}'",
                ("method", _) => "'iotf'",
                ("target", _) => "'applied'",
                ("query", _) => "'SELECT count(*) FROM big'",
                ("labels", _) => "'labels'",
                _ => return None,
            })
        };
        let arguments =
            self.arguments.iter().map(|(name, ty)| Some(format!("{name} => {}", value(name, ty)?)));
        Some(format!("{}({})", self.name, arguments.collect::<Option<Vec<String>>>()?.join(", ")))
    }
}

#[test]
fn every_function_ends_soon_after_the_timeout() {
    let only = std::env::var("DIMENSION").unwrap_or_default();
    let (mut slow, mut unknown, mut canceled) = (Vec::new(), Vec::new(), 0);
    for dimension in DIMENSIONS.iter().filter(|dimension| dimension.name.contains(&only)) {
        let mut db = connect();
        db.batch_execute(&format!("SET client_min_messages = error; {}", dimension.prepare)).unwrap();
        if rows(&mut db, "SELECT to_regclass('tree')::text").iter().all(|name| name != "tree") {
            db.batch_execute(SMALL_TREE).unwrap();
        }
        db.batch_execute(
            "CREATE TABLE levels AS SELECT v AS child, left(v::text, 2) AS parent, 'top' AS root FROM big;
             CREATE TABLE labels AS SELECT 'big' AS relation; SET pg_topdown.threads = 1",
        )
        .unwrap();
        let (privacy, masking, more) = (dimension.privacy, dimension.masking, dimension.release);
        let made = format!("SELECT tds_anonymize('big', 'r', {privacy}, masking => {masking}, {more})");
        db.batch_execute(&made).unwrap_or_else(|error| panic!("{}: {error}", dimension.name));
        let pid: i32 = db.query_one("SELECT pg_backend_pid()", &[]).unwrap().get(0);
        for function in functions(&mut db) {
            let Some(call) = function.call(dimension) else {
                unknown.push(format!("{}: {:?}", function.name, function.arguments));
                continue;
            };
            // What a procedure does is committed.
            db.batch_execute(&format!("BEGIN; SET LOCAL statement_timeout = {TIMEOUT}")).unwrap();
            let before = ticks(pid);
            let result = db.batch_execute(&format!("SELECT count(*) FROM {call}"));
            let work = ticks(pid) - before;
            db.batch_execute("ROLLBACK").unwrap();
            let code =
                result.err().map(|error| error.code().map_or(error.to_string(), |code| code.code().into()));
            canceled += usize::from(code.as_deref() == Some("57014"));
            println!(
                "{:<8} {:<22} {:>5} ticks {}",
                dimension.name,
                function.name,
                work,
                code.as_deref().unwrap_or("ok")
            );
            if work > MOST {
                slow.push(format!("{} of many {}: {work} ticks, {code:?}", function.name, dimension.name));
            }
        }
    }
    unknown.sort();
    unknown.dedup();
    assert!(unknown.is_empty(), "functions whose arguments this test does not know: {unknown:#?}");
    assert!(slow.is_empty(), "of at most {MOST} ticks:\n{}", slow.join("\n"));
    assert!(!only.is_empty() || canceled > 20, "only {canceled} calls were long enough to be canceled");
}
