//! The law of withheld rows, tried on random sources and random sequences of verbs: nothing that a recipient reads depends on
//! rows that were left out but how many they are, and a row that was left out once is in no later version.
//!
//! After each version the rows that it leaves out are deleted from the source, and it is made again, without any share to
//! withhold: what a recipient reads has to be the same. `LAW_SEQUENCES` says how many sequences are tried, `LAW_SEED` which
//! is the first.

use crate::chance;

use chance::Chance;
use client_tests::withheld::shown_of_withheld;
use client_tests::{connect, rows, run, Database};
use std::collections::BTreeSet;
use std::fmt::Write;

fn of<'a, T: ?Sized>(random: &mut Chance, all: &[&'a T]) -> &'a T {
    all[random.below(all.len())]
}

/// The columns that may be masked, and by what.
const COLUMNS: [(&str, &[&str]); 6] = [
    (
        "code",
        &[
            "by_prefix('code')",
            "by_prefix('code', '{2,4}')",
            "by_prefix('code', '{3}')",
            "by_suppression('code')",
        ],
    ),
    (
        "born",
        &[
            "by_calendar('born')",
            "by_calendar('born', '{decade,month}')",
            "by_calendar('born', '{year,month,week,day}')",
            "by_intervals('born')",
            "by_suppression('born')",
        ],
    ),
    ("host", &["by_network('host')", "by_network('host', '{16,24}')", "by_suppression('host')"]),
    (
        "age",
        &[
            "by_intervals('age')",
            "by_intervals('age', lower => '0', upper => '200')",
            "by_intervals('age', step => '10')",
            "by_suppression('age')",
        ],
    ),
    ("price", &["by_intervals('price')", "by_suppression('price')"]),
    (
        "city",
        &[
            r#"by_taxonomy_tree('city', '{"any": {"i": ["a", "b", "rare"], "n": ["c", "d", "e"]}}')"#,
            "by_suppression('city')",
        ],
    ),
];

/// A row that is common or, seldom, one of its own on most columns.
fn row(random: &mut Chance, id: usize) -> String {
    let rare = random.below(14) == 0;
    let mut pick = |few: usize, many: usize| if rare { random.below(many) } else { random.below(few) };
    let code = format!("{}{:03}", pick(2, 9) + 1, pick(6, 900));
    let born = format!("date '1950-01-01' + {}", pick(12, 20_000));
    let host = format!("10.{}.{}.{}", pick(2, 200), pick(2, 250), pick(3, 250));
    let (age, price) = (20 + pick(8, 90), pick(6, 500));
    let city = ["a", "b", "c", "d", "e", "rare"][pick(5, 6)];
    let null = |random: &mut Chance, value: String| match random.below(40) {
        0 => "NULL".to_string(),
        _ => value,
    };
    let (class, illness) = (random.below(2), random.below(4));
    format!(
        "({id}, {}, {}, {}, {}, {price}.{}, {}, 'k{class}', 'i{illness}')",
        null(random, format!("'{code}'")),
        null(random, born),
        null(random, format!("'{host}'")),
        null(random, age.to_string()),
        ["0", "50", "5"][random.below(3)],
        null(random, format!("'{city}'")),
    )
}

fn insert(db: &mut Database, random: &mut Chance, first: usize, count: usize) {
    let rows: Vec<String> = (first..first + count).map(|id| row(random, id)).collect();
    run(db, &format!("INSERT INTO t VALUES {}", rows.join(", ")));
}

/// A sequence of verbs on one release.
struct Sequence {
    random: Chance,
    columns: Vec<(&'static str, &'static [&'static str])>,
    said: String,
    /// The rows that some version left out.
    out: BTreeSet<String>,
    next: usize,
}

/// How a version was made, and so how it is made again.
#[derive(Clone, Copy, PartialEq)]
enum Made {
    Searched,
    Replayed,
    Clustered,
}

impl Sequence {
    fn quasi_identifier(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        format!("'{{{}}}'", names.join(","))
    }

    fn maskings(&mut self) -> String {
        let random = &mut self.random;
        let all: Vec<&str> = self.columns.iter().map(|(_, maskings)| of(random, maskings)).collect();
        format!("ARRAY[{}]", all.join(", "))
    }

    fn first(&mut self) -> String {
        let (columns, maskings) = (self.quasi_identifier(), self.maskings());
        let random = &mut self.random;
        let model = match random.below(3) {
            0 => format!(
                "ARRAY[k_anonymity({columns}, {}), l_diversity({columns}, 'illness', 2)]",
                2 + random.below(5)
            ),
            _ => format!("k_anonymity({columns}, {})", 2 + random.below(6)),
        };
        let keep = if model.contains("l_diversity") { "'{id}'" } else { "'{id,illness}'" };
        format!(
            "tds_anonymize('t', 'rel', {model}, class => {}, masking => {maskings}, keep => {keep}, score => '{}', split => '{}', withhold => 0.{:02})",
            of(random, &["NULL", "'class'"]),
            of(random, &["tds", "tdr", "info_gain", "conditional"]),
            of(random, &["optimal", "valid"]),
            1 + random.below(12),
        )
    }

    /// A further call, and how the version is made.
    fn further(&mut self) -> (String, Made) {
        let columns = self.quasi_identifier();
        let by = self.columns[self.random.below(self.columns.len())].1;
        let by = of(&mut self.random, by);
        let (k, steps) = (2 + self.random.below(6), self.random.below(8));
        match self.random.below(13) {
            0 | 1 => ("release_refresh('rel')".into(), Made::Replayed),
            2 => ("release_refresh('rel', unknown => 'withhold')".into(), Made::Replayed),
            3 => ("release_refresh('rel', 'search')".into(), Made::Searched),
            4 | 5 => (format!("release_alter('rel', masking => {by})"), Made::Searched),
            6 => ("release_alter('rel', score => 'tdr')".into(), Made::Searched),
            7 => ("release_alter('rel', withhold => 0.2)".into(), Made::Searched),
            8 => (format!("release_alter('rel', max_steps => {steps})"), Made::Searched),
            9 => {
                let privacy = format!("k_anonymity({columns}, {k})");
                (format!("release_alter('rel', privacy => {privacy}, allow_weaker => true)"), Made::Searched)
            }
            10 => {
                let call = format!("kmember_anonymize('t', 'rel', {columns}, {k}, keep => '{{id,illness}}', allow_weaker => true)");
                (call, Made::Clustered)
            }
            11 => {
                let call = format!("tds_anonymize('t', 'rel', k_anonymity({columns}, {k}), keep => '{{id,illness}}', recoding => 'local', allow_weaker => true)");
                (call, Made::Searched)
            }
            _ => (format!("release_rewind('rel', {})", self.random.below(3)), Made::Replayed),
        }
    }

    /// Changes the source, seldom.
    fn change(&mut self, db: &mut Database) -> bool {
        match self.random.below(6) {
            0 => {
                let count = 1 + self.random.below(12);
                insert(db, &mut self.random, self.next, count);
                self.next += count;
                let _ = writeln!(self.said, "-- {count} rows more");
                true
            }
            1 => {
                // Other digits of the same number.
                run(db, "UPDATE t SET price = price::numeric(12, 3)");
                let _ = writeln!(self.said, "-- UPDATE t SET price = price::numeric(12, 3);");
                true
            }
            2 => {
                let modulus = 3 + self.random.below(20);
                run(db, &format!("DELETE FROM t WHERE id % {modulus} = 0"));
                let _ = writeln!(self.said, "-- DELETE FROM t WHERE id % {modulus} = 0;");
                true
            }
            _ => false,
        }
    }

    /// The law of the version that was just made.
    fn check(&mut self, db: &mut Database, made: Made) {
        let seen = "SELECT id::text FROM rel.t";
        let released: BTreeSet<String> = rows(db, seen).into_iter().collect();
        let back: Vec<&String> = self.out.intersection(&released).collect();
        assert!(back.is_empty(), "withheld rows are back: {back:?}\n{}", self.said);
        let all: BTreeSet<String> = rows(db, "SELECT id::text FROM t").into_iter().collect();
        self.out.extend(all.difference(&released).cloned());
        let withheld = all.difference(&released).count();
        assert_eq!(rows(db, "SELECT withheld FROM rel.about"), [format!("({withheld})")], "{}", self.said);

        let verb = match made {
            Made::Searched => "release_refresh('rel', 'search')",
            Made::Replayed | Made::Clustered => "release_refresh('rel')",
        };
        if let Some((gone, new)) = shown_of_withheld(db, verb, &self.said) {
            panic!("{withheld} withheld rows show\n- {gone:#?}\n+ {new:#?}\n{}", self.said);
        }
    }
}

/// How many versions were made, how many of them withheld rows, and how many calls were refused.
#[derive(Default, Debug)]
struct Seen {
    versions: usize,
    withheld: usize,
    refused: usize,
}

fn sequence(db: &mut Database, seed: u64, seen: &mut Seen) {
    let mut random = Chance(seed);
    let mut columns = COLUMNS.to_vec();
    while columns.len() > 3 || columns.len() > 1 && random.below(3) == 0 {
        columns.remove(random.below(columns.len()));
    }
    run(
        db,
        "BEGIN; CREATE TABLE t (id int, code text, born date, host inet, age int, price numeric, city text, class text, illness text)",
    );
    let count = 40 + random.below(120);
    insert(db, &mut random, 0, count);
    let said = format!("-- LAW_SEED={seed}\n");
    let mut sequence = Sequence { random, columns, said, out: BTreeSet::new(), next: count };
    let first = sequence.first();
    let mut call = (first, Made::Searched);
    let mut is_there = false;
    // Whether the source is as it was when the current version's rows were read.
    let mut is_same = true;
    for _ in 0..2 + sequence.random.below(4) {
        run(db, "SAVEPOINT call");
        let _ = writeln!(sequence.said, "SELECT {};", call.0);
        let is_rewind = call.0.starts_with("release_rewind");
        match db.batch_execute(&format!("SELECT {}", call.0)) {
            Ok(()) => {
                is_there = true;
                is_same |= !is_rewind;
                seen.versions += 1;
                seen.withheld += usize::from(rows(db, "SELECT withheld > 0 FROM rel.about") == ["(t)"]);
                if is_same {
                    sequence.check(db, call.1);
                }
            }
            Err(error) => {
                let code = error.as_db_error().expect("an error of the server").code().code().to_string();
                let known = ["55000", "22023", "22000", "0A000"].contains(&code.as_str());
                assert!(known, "{error:?}\n{}", sequence.said);
                seen.refused += 1;
                run(db, "ROLLBACK TO SAVEPOINT call");
                let _ = writeln!(sequence.said, "-- {code}");
            }
        }
        if !is_there {
            break;
        }
        is_same &= !sequence.change(db);
        call = sequence.further();
    }
    run(db, "ROLLBACK");
}

#[test]
fn nothing_depends_on_withheld_rows_but_their_number() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("LAW_SEED", 1), number("LAW_SEQUENCES", 40));
    let mut db = connect();
    run(&mut db, "SET client_min_messages TO error");
    let mut seen = Seen::default();
    for seed in first..first + count {
        sequence(&mut db, seed, &mut seen);
    }
    println!("{count} sequences: {seen:?}");
    if count >= 40 {
        // A law that is hardly ever tried says nothing.
        assert!(seen.versions as u64 > 2 * count && seen.withheld * 3 > seen.versions, "{seen:?}");
    }
}
