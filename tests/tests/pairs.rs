//! Features two at a time: each by itself is tested elsewhere, what is missed is one beside another. Of every pair a release is made and
//! altered as both ask for, and after each version what holds of any release is asked: its models by plain SQL and by itself, the
//! floor, who may read what, what was asked for, the nodes of the cut, and the law of withheld rows.
//!
//! A tenth of the pairs are tried, all with LONG=1. `PAIRS_MINUTES` goes on with other rows for so long; `PAIRS_SEED` is the first.

use client_tests::withheld::shown_of_withheld;
use client_tests::{connect, is_long, number, rows, run, Database};
use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Columns that are masked.
const MASKED: &str = "{code,born,age,price,city}";
const K: i64 = 3;

/// One feature: what it adds to a source, a session and a first call, and the calls that come after that.
#[derive(Default)]
struct Feature {
    name: &'static str,
    /// Of the source and the session, before the first call.
    before: &'static str,
    /// The masking of a column.
    masking: Option<(&'static str, &'static str)>,
    /// A further argument of the first call.
    argument: Option<(&'static str, &'static str)>,
    /// A further model.
    model: &'static str,
    /// Persons are counted.
    persons: bool,
    /// Calls, and changes of the source between them. What is refused there is undone.
    after: &'static [&'static str],
    /// The keys of `parameters` that these calls change.
    changes: &'static [&'static str],
}

fn features() -> Vec<Feature> {
    let of = |name| Feature { name, ..Feature::default() };
    vec![
        Feature { argument: Some(("withhold", "0.1")), ..of("withheld") },
        Feature {
            masking: Some(("city", "by_taxonomy('city', 'cities')")),
            argument: Some(("withhold", "0.1")),
            after: &[
                "INSERT INTO t SELECT 9000 + i, 'Z1', date '1999-01-01', 30, 5, 'nowhere', 9000 + i, 'k1', 'i1' FROM generate_series(1, 3) i",
                "SELECT release_refresh('rel', unknown => 'withhold')",
            ],
            ..of("unplaced")
        },
        Feature {
            masking: Some(("city", "by_taxonomy('city', 'cities')")),
            argument: Some(("recoding", "'local'")),
            after: &[
                "INSERT INTO t SELECT 9000 + i, 'Z1', date '1999-01-01', 30, 5, 'nowhere', 9000 + i, 'k1', 'i1' FROM generate_series(1, 2) i",
                "SELECT release_refresh('rel', unknown => 'withhold')",
            ],
            ..of("unplaced, by groups")
        },
        Feature { before: "SET pg_topdown.scan = counts", ..of("counts") },
        Feature {
            before: "UPDATE t SET age = NULL WHERE id % 7 = 0; UPDATE t SET code = NULL, born = NULL WHERE id % 11 = 0",
            ..of("NULLs")
        },
        Feature { masking: Some(("code", "by_prefix('code')")), ..of("a rule") },
        Feature { masking: Some(("born", "by_calendar('born', '{year,month,week,day}')")), ..of("weeks") },
        Feature { persons: true, ..of("persons") },
        Feature { argument: Some(("recoding", "'local'")), ..of("local") },
        Feature { after: &["SELECT release_rewind('rel', 2)"], ..of("rewound") },
        Feature {
            after: &["SELECT release_alter('rel', score => 'tdr')"],
            changes: &["score"],
            ..of("altered score")
        },
        Feature {
            after: &["SELECT release_alter('rel', masking => by_prefix('code', '{1}'))"],
            changes: &["masking"],
            ..of("altered masking")
        },
        Feature {
            after: &["SELECT release_alter('rel', masking => by_suppression('age'), max_steps => 6)"],
            changes: &["masking", "max_steps"],
            ..of("fewer steps")
        },
        Feature {
            after: &["DROP VIEW rel.t", "SELECT release_refresh('rel')"],
            ..of("a view made again")
        },
        Feature {
            before: "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC; ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO PUBLIC",
            ..of("default privileges")
        },
        Feature { before: "SET pg_topdown.min_k = 7", ..of("the floor") },
        Feature {
            before: "UPDATE t SET price = price::numeric(12, 3) WHERE id % 2 = 0",
            masking: Some(("price", "by_suppression('price')")),
            ..of("equal texts")
        },
        Feature { model: "l_diversity('{code,born,age,price,city}', 'illness', 2)", ..of("diversity") },
        Feature { model: "t_closeness('{city}', 'illness', 0.5)", ..of("closeness") },
        Feature { model: "confidence_bound('{city,age}', 'class', NULL, 0.95)", ..of("a template") },
        Feature { model: "lkc_privacy('{code,born,age,price,city}', 2, 6, 'illness', NULL, 0.95)", ..of("bounded knowledge") },
        Feature { model: "k_map('{code,born,age,price,city}', 6, 't')", ..of("a population") },
        Feature { argument: Some(("intervals", "'bounds'")), ..of("bounds") },
        Feature { argument: Some(("class", "'class'")), ..of("a class") },
        Feature { argument: Some(("means", "'{age,born}'")), ..of("means") },
        Feature { argument: Some(("counts", "true")), ..of("finer counts") },
        Feature { argument: Some(("tell_error", "true")), ..of("errors told") },
        Feature {
            masking: Some(("pay", "microaggregated('pay', 3)")),
            after: &["SELECT release_alter('rel', masking => rounded('pay', '20'), allow_weaker => true)"],
            changes: &["masking"],
            ..of("kept numbers")
        },
        Feature {
            after: &["SELECT release_grant('rel', 'pairs_reader')", "SELECT release_refresh('rel', 'search')"],
            ..of("granted")
        },
        Feature {
            after: &[
                "DELETE FROM t WHERE id % 9 = 0; INSERT INTO t SELECT id + 5000, code, born, age, price, city, person + 5000, class, illness FROM t WHERE id % 13 = 1 AND id < 5000",
                "SELECT release_refresh('rel')",
            ],
            ..of("rows that come and go")
        },
        Feature {
            argument: Some(("changes", "'batched'")),
            after: &[
                "DELETE FROM t WHERE id % 8 = 0; INSERT INTO t SELECT id + 6000, code, born, age, price, city, person + 6000, class, illness, pay FROM t WHERE id % 12 = 1 AND id < 5000",
                "SELECT release_refresh('rel')",
                "DELETE FROM t WHERE id % 15 = 0",
                "SELECT release_refresh('rel', erase => true)",
            ],
            ..of("in batches")
        },
        Feature {
            after: &["SELECT kmember_anonymize('t', 'rel', '{code,born,age,price,city}', 3, keep => '{id,pay}', allow_weaker => true)"],
            changes: &["verb", "changes", "recoding", "masking", "privacy", "class", "keep", "counts", "tell_error", "score", "split", "withhold", "max_steps", "intervals"],
            ..of("clustered")
        },
    ]
}

/// A source of few common rows and some of their own.
fn source(seed: i64) -> String {
    format!(
        "CREATE TABLE t AS SELECT i AS id, chr(65 + n % 3) || n % 2 || CASE WHEN rare THEN i % 10 ELSE 0 END AS code,
           date '1960-01-01' + CASE WHEN rare THEN i * 37 ELSE n % 9 * 400 END AS born,
           (20 + CASE WHEN rare THEN i % 60 ELSE n % 6 * 5 END)::int AS age,
           CASE WHEN rare THEN i ELSE n % 4 END::numeric / 2 AS price,
           (ARRAY['a', 'b', 'c', 'd', 'e'])[1 + n % 5] AS city, i / 2 AS person, 'k' || n % 2 AS class, 'i' || m % 4 AS illness, m % 101 AS pay
         FROM (SELECT i, abs(hashint4(i + {seed} * 1000)) AS n, abs(hashint4(i * 7 + {seed})) AS m,
                      abs(hashint4(i * 3 + {seed})) % 17 = 0 AS rare FROM generate_series(1, 240) i) g;
         CREATE TABLE cities (child text, parent text);
         INSERT INTO cities VALUES ('a', 'north'), ('b', 'north'), ('c', 'south'), ('d', 'south'), ('e', 'south'), ('north', 'all'), ('south', 'all')"
    )
}

/// A release of two features.
struct Pair<'a> {
    both: [&'a Feature; 2],
    said: String,
    /// The source's rows that some version left out.
    out: BTreeSet<String>,
    /// Whether the release was granted.
    granted: bool,
}

/// How many versions were made, how many of them withheld rows, how many were made in batches, and how many calls were refused.
#[derive(Debug, Default)]
struct Seen {
    versions: usize,
    withheld: usize,
    batched: usize,
    refused: usize,
}

impl Pair<'_> {
    fn call(&self) -> String {
        let person = if self.both.iter().any(|feature| feature.persons) { ", 'person'" } else { "" };
        let mut models = vec![format!("k_anonymity('{MASKED}', {K}{person})")];
        models.extend(
            self.both.iter().map(|feature| feature.model).filter(|model| !model.is_empty()).map(String::from),
        );
        let mut masking = vec![("code", "by_suppression('code')")];
        for (column, by) in self.both.iter().filter_map(|feature| feature.masking) {
            masking.retain(|(other, _)| *other != column);
            masking.push((column, by));
        }
        let masking: Vec<&str> = masking.into_iter().map(|(_, by)| by).collect();
        let arguments: BTreeSet<String> = self
            .both
            .iter()
            .filter_map(|feature| feature.argument)
            .map(|(name, value)| format!(", {name} => {value}"))
            .collect();
        format!(
            "SELECT tds_anonymize('t', 'rel', ARRAY[{}], masking => ARRAY[{}], keep => '{{id,pay}}'{})",
            models.join(", "),
            masking.join(", "),
            arguments.into_iter().collect::<String>()
        )
    }

    /// Whether a call succeeds; what is refused is undone.
    fn perform(&mut self, db: &mut Database, statement: &str, seen: &mut Seen) -> bool {
        let _ = writeln!(self.said, "{statement};");
        run(db, "SAVEPOINT call");
        let Err(error) = db.batch_execute(statement) else { return true };
        let code = error.as_db_error().map(|error| error.code().code().to_string()).unwrap_or_default();
        assert!(["55000", "22023", "22000", "0A000"].contains(&code.as_str()), "{error:?}\n{}", self.said);
        let _ = writeln!(self.said, "-- {code}: {error}");
        run(db, "ROLLBACK TO SAVEPOINT call");
        seen.refused += 1;
        false
    }

    /// What holds of any version. `is_same`: the source is as it was when the version's rows were read.
    fn check(&mut self, db: &mut Database, verb: &str, is_same: bool, seen: &mut Seen) {
        let said = self.said.clone();
        seen.versions += 1;
        // The models: by the release itself, and k over all masked columns by plain SQL.
        let broken = rows(db, "SELECT * FROM release_verify('rel') v WHERE NOT holds");
        assert!(broken.is_empty(), "{broken:?}\n{said}");
        let floor = number(db, "SELECT current_setting('pg_topdown.min_k')::int");
        let least = number(db, "SELECT min(n) FROM (SELECT count(*) AS n FROM rel.t GROUP BY (SELECT array_agg(e ORDER BY e.key)::text
            FROM jsonb_each(to_jsonb(t) - '{id,pay,class,illness}'::text[]) e)) g");
        assert!(least >= K.max(floor), "{least} rows in a group\n{said}");
        // The cut: each column's rows, and no node of rows that are not there. (A replay keeps those whose rows have gone since.)
        let rows_released = number(db, "SELECT count(*) FROM rel.t");
        let sums = rows(db, &format!("SELECT attribute, sum(records) FROM rel.cut GROUP BY 1 HAVING sum(records) <> {rows_released}"));
        assert!(sums.is_empty(), "{sums:?} of {rows_released}\n{said}");
        let empty = rows(
            db,
            "SELECT * FROM rel.cut c WHERE records = 0 AND attribute IN ('code', 'born', 'age', 'price')
             AND NOT EXISTS (SELECT FROM rel_private.cuts o WHERE o.attribute = c.attribute AND o.node = c.node AND o.records > 0)",
        );
        assert!(empty.is_empty(), "{empty:?}\n{said}");
        // The report, for both.
        run(db, "SELECT release_report('rel', 'owner'), release_report('rel', 'recipient')");
        // Rights: nobody's, but what was granted.
        let may = |role: &str| {
            format!(
                "SELECT c.relname FROM pg_class c WHERE c.relnamespace IN ('rel'::regnamespace, 'rel_private'::regnamespace) AND c.relkind IN ('r', 'v', 'm', 'p')
                   AND (has_table_privilege('{role}', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')
                        OR has_any_column_privilege('{role}', c.oid, 'SELECT')) ORDER BY 1"
            )
        };
        assert_eq!(rows(db, &may("pairs_nobody")), Vec::<String>::new(), "{said}");
        let read = rows(db, &may("pairs_reader"));
        // The last is the view of the counts, where there is one.
        let mut granted = vec!["(about)", "(cut)", "(t)", "(counts)"];
        granted.retain(|object| {
            *object != "(counts)"
                || !rows(db, "SELECT 1 WHERE to_regclass('rel.counts') IS NOT NULL").is_empty()
        });
        granted.sort_unstable();
        assert_eq!(read, if self.granted { &granted[..] } else { &[] }, "{said}");
        // In batches what comes, leaves and stays keeps every model, and no row is lost.
        let held = "SELECT (parameters #>> '{held,waiting}')::bigint - (parameters #>> '{held,lingering}')::bigint
            + (parameters ->> 'withheld')::bigint FROM rel_private.manifest WHERE current AND parameters ->> 'changes' = 'batched'";
        if !rows(db, held).is_empty() {
            let broken = rows(db, "SELECT * FROM release_changes('rel') WHERE NOT holds");
            assert!(broken.is_empty(), "{broken:?}\n{said}");
            let balance = number(db, &format!("SELECT ({held}) - (SELECT count(*) FROM t)")) + rows_released;
            assert!(balance == 0 || !is_same, "{balance} rows more than there are\n{said}");
            seen.batched += 1;
            return;
        }
        // What was left out stays out, and shows by its number alone.
        if !is_same {
            return;
        }
        let released: BTreeSet<String> = rows(db, "SELECT id::text FROM rel.t").into_iter().collect();
        let back: Vec<&String> = self.out.intersection(&released).collect();
        assert!(back.is_empty(), "withheld rows are back: {back:?}\n{said}");
        let all: BTreeSet<String> = rows(db, "SELECT id::text FROM t").into_iter().collect();
        self.out.extend(all.difference(&released).cloned());
        if all.len() > released.len() {
            seen.withheld += 1;
            if let Some((gone, new)) = shown_of_withheld(db, verb, &said) {
                panic!("withheld rows show\n- {gone:#?}\n+ {new:#?}\n{said}");
            }
        }
    }

    /// What was asked for, key by key.
    fn asked(&self, db: &mut Database, but: &[&str]) -> Vec<String> {
        let keys = [
            "verb",
            "recoding",
            "masking",
            "privacy",
            "class",
            "keep",
            "means",
            "changes",
            "counts",
            "tell_error",
            "score",
            "split",
            "withhold",
            "max_steps",
            "intervals",
            "endpoints",
            "suppressed",
            "view",
        ];
        let list: Vec<String> =
            keys.iter().filter(|key| !but.contains(key)).map(|key| format!("'{key}'")).collect();
        let query = format!(
            "SELECT k, m.parameters -> k FROM rel_private.manifest m, unnest(ARRAY[{}]) k WHERE m.current ORDER BY 1",
            list.join(", ")
        );
        rows(db, &query)
    }

    fn all(&mut self, db: &mut Database, seed: i64, seen: &mut Seen) {
        run(db, &format!("BEGIN; {}", source(seed)));
        for before in self.both.map(|feature| feature.before).into_iter().filter(|before| !before.is_empty())
        {
            let _ = writeln!(self.said, "{before};");
            run(db, before);
        }
        let call = self.call();
        let mut is_same = true;
        if self.perform(db, &call, seen) {
            self.check(db, "release_refresh('rel', 'search')", is_same, seen);
            let both = self.both;
            let again = Feature { after: &["SELECT release_refresh('rel', 'search')"], ..Feature::default() };
            for feature in both.into_iter().chain([&again]) {
                for &statement in feature.after {
                    let asked = self.asked(db, feature.changes);
                    if !self.perform(db, statement, seen) {
                        continue;
                    }
                    self.granted |= statement.contains("release_grant");
                    if !statement.starts_with("SELECT") || statement.contains("release_grant") {
                        is_same &= statement.starts_with("SELECT") || statement.starts_with("DROP VIEW");
                        continue;
                    }
                    assert_eq!(self.asked(db, feature.changes), asked, "{}", self.said);
                    let is_search = ["alter", "'search'"].iter().any(|word| statement.contains(word));
                    is_same |= !statement.contains("rewind");
                    let verb =
                        if is_search { "release_refresh('rel', 'search')" } else { "release_refresh('rel')" };
                    self.check(db, verb, is_same, seen);
                }
            }
        }
        run(db, "ROLLBACK; RESET ALL; SET client_min_messages TO error");
    }
}

#[test]
fn of_any_two_features_all_promises_hold() {
    let read = |name: &str| env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let minutes = Duration::from_secs(60 * read("PAIRS_MINUTES").unwrap_or(0));
    let mut seed = read("PAIRS_SEED").unwrap_or(1) as i64;
    let mut db = connect();
    run(
        &mut db,
        "SET client_min_messages TO error;
         DO $$ BEGIN CREATE ROLE pairs_nobody; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         DO $$ BEGIN CREATE ROLE pairs_reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    );
    let features = features();
    let of = if is_long() { 1 } else { 10 };
    let (start, mut seen, mut tried) = (Instant::now(), Seen::default(), 0);
    loop {
        for (i, one) in features.iter().enumerate() {
            // Each feature meets a tenth of the others.
            for other in features[i + 1..].iter().step_by(of) {
                tried += 1;
                let said = format!("-- {} and {}, PAIRS_SEED={seed}\n", one.name, other.name);
                Pair { both: [one, other], said, out: BTreeSet::new(), granted: false }
                    .all(&mut db, seed, &mut seen);
            }
        }
        seed += 1;
        if start.elapsed() >= minutes {
            break;
        }
    }
    println!("{seen:?}");
    // Promises that are hardly ever asked for say nothing.
    assert!(seen.versions > 2 * tried && seen.withheld * 10 > seen.versions, "{seen:?}");
    assert!(seen.batched * of > features.len(), "{seen:?}");
    run(&mut db, "DROP ROLE pairs_nobody, pairs_reader");
}
