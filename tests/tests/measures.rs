//! Every measure of random releases, recounted by its definition (docs/concepts/measures.md) from what the view shows, the source and
//! the taxonomy that was given; and all who tell a certainty loss tell the same.

use client_tests::{connect, Database};
use std::collections::{BTreeMap, HashMap};

/// Seeds of the random tables.
const SEEDS: u64 = 6;

const COLUMNS: [&str; 3] = ["age", "place", "word"];

/// An uneven tree: nodes with what is above them, how many leaves they have, and how high they are.
const TREE: [(&str, Option<&str>, f64, f64); 11] = [
    ("all", None, 6.0, 3.0),
    ("x", Some("all"), 4.0, 2.0),
    ("y", Some("all"), 1.0, 1.0),
    ("z", Some("all"), 1.0, 0.0),
    ("x1", Some("x"), 1.0, 0.0),
    ("x2", Some("x"), 1.0, 0.0),
    ("x3", Some("x"), 2.0, 1.0),
    ("x31", Some("x3"), 1.0, 0.0),
    ("x32", Some("x3"), 1.0, 0.0),
    ("y1", Some("y"), 1.0, 0.0),
    ("", None, 0.0, 0.0),
];

/// How a release is made; and whether a value is shown as the same node wherever it occurs.
const WAYS: [(&str, bool); 4] = [
    ("tds_anonymize('measured', 'r', k_anonymity('{age,place,word}', 3), class => 'class', masking => ARRAY[by_intervals('age'), by_taxonomy('place', 'tree')])", true),
    ("tds_anonymize('measured', 'r', k_anonymity('{age,place,word}', 3), masking => ARRAY[by_taxonomy('place', 'tree'), by_intervals('age', '0', '60')], withhold => 0.1)", true),
    ("tds_anonymize('measured', 'r', k_anonymity('{age,place,word}', 3), masking => ARRAY[by_taxonomy('place', 'tree')], recoding => 'local')", false),
    ("kmember_anonymize('measured', 'r', '{age,place,word}', 3, masking => ARRAY[by_taxonomy('place', 'tree')])", false),
];

/// A row as it is shown, or as it is: the masked columns and the class.
type Row = [Option<String>; 4];

fn rows(db: &mut Database, relation: &str) -> Vec<Row> {
    let query = format!("SELECT age::text, place, word, class FROM {relation}");
    let rows = db.query(&query, &[]).unwrap();
    rows.iter().map(|row| [0, 1, 2, 3].map(|column| row.get(column))).collect()
}

/// What a shown value loses, how high it is, and whether it says nothing.
#[derive(Clone, Copy)]
struct Loss {
    loss: f64,
    height: f64,
    suppressed: bool,
}

const ALL: Loss = Loss { loss: 1.0, height: 1.0, suppressed: true };

/// Of what each column shows, what that loses.
struct Losses {
    /// The ends of the intervals that are shown, the upper one behind the last value.
    intervals: HashMap<String, (Option<i32>, Option<i32>)>,
    domain: (i32, i32),
}

impl Losses {
    fn new(db: &mut Database, bounded: bool) -> Losses {
        let cut = db.query(
            "SELECT node, lower::int4, upper::int4 FROM r.cut WHERE attribute = 'age' AND node IS NOT NULL",
            &[],
        );
        let interval = |row: &postgres::Row| {
            let label: String = row.get(0);
            let upper: Option<i32> = row.get(2);
            // An end that belongs to the interval is its last value.
            let is_closed = !label.ends_with(')');
            (label, (row.get(1), upper.map(|upper| if is_closed { upper } else { upper - 1 })))
        };
        let ends = db.query_one("SELECT min(age), max(age) FROM measured", &[]).unwrap();
        let domain = if bounded { (0, 60) } else { (ends.get(0), ends.get(1)) };
        Losses { intervals: cut.unwrap().iter().map(interval).collect(), domain }
    }

    fn of(&self, column: usize, shown: &Option<String>) -> Loss {
        let nothing = Loss { loss: 0.0, height: 0.0, suppressed: false };
        match (column, shown.as_deref()) {
            (_, None) => nothing,
            (_, Some("*")) => ALL,
            (0, Some(label)) => {
                let (lower, upper) = self.intervals[label];
                let (least, greatest) = self.domain;
                let (from, to) = (lower.unwrap_or(least).max(least), upper.unwrap_or(greatest).min(greatest));
                Loss { loss: f64::from(to - from) / f64::from(greatest - least), ..nothing }
            }
            (1, Some(node)) => {
                let (_, _, leaves, height) =
                    TREE.iter().find(|(name, ..)| *name == node).expect("a node of the tree");
                Loss { loss: (leaves - 1.0) / 5.0, height: height / 3.0, suppressed: false }
            }
            (_, Some(_)) => nothing,
        }
    }
}

/// How many rows have each key.
fn histogram<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, f64> {
    let mut rows = BTreeMap::new();
    keys.for_each(|key| *rows.entry(key).or_insert(0.0) += 1.0);
    rows
}

/// The measures of what is shown.
fn recounted(shown: &[Row], losses: &Losses, classes: bool) -> HashMap<String, f64> {
    let groups = histogram(shown.iter().map(|row| &row[..3]));
    let (n, u) = (shown.len() as f64, groups.len() as f64);
    let of = |group: &[Option<String>], column: usize| losses.of(column, &group[column]);
    let mean = |column: usize, what: fn(Loss) -> f64| {
        groups.iter().map(|(group, rows)| rows * what(of(group, column))).sum::<f64>() / n
    };
    let over_columns = |of: &dyn Fn(usize) -> f64| (0..3).map(of).sum::<f64>() / 3.0;
    let most = |column: usize| groups.keys().map(|group| of(group, column).loss).fold(0.0, f64::max);
    let loss = |loss: Loss| loss.loss;
    let mut all = HashMap::from(
        [
            ("ntil", over_columns(&|column| mean(column, loss))),
            ("normalized_certainty_penalty", over_columns(&|column| mean(column, loss))),
            ("nil_1", over_columns(&|c| groups.keys().map(|group| of(group, c).loss).sum::<f64>() / u)),
            ("nil_inf", over_columns(&most)),
            ("discernibility", groups.values().map(|rows| rows * rows).sum()),
            ("average_class_size", n / u),
            ("avg", n / u / 3.0),
            ("groups", u),
            ("smallest_group", groups.values().copied().fold(f64::INFINITY, f64::min)),
            (
                "suppressed_cells",
                (0..3).map(|column| n * mean(column, |loss| f64::from(u8::from(loss.suppressed)))).sum(),
            ),
            ("precision", 1.0 - (mean(1, |loss| loss.height) + mean(2, |loss| loss.height)) / 2.0),
        ]
        .map(|(name, value)| (name.to_string(), value)),
    );
    for (column, name) in COLUMNS.iter().enumerate() {
        all.insert(format!("ntil:{name}"), mean(column, loss));
    }
    if classes {
        // The mean over the rows of KL(class in the row's group || class at all).
        let (cells, whole) = (histogram(shown.iter()), histogram(shown.iter().map(|row| &row[3])));
        let bits =
            |(row, rows): (&&Row, &f64)| rows * (rows / groups[&row[..3]] / (whole[&row[3]] / n)).log2();
        all.insert("class_kl_divergence".into(), cells.iter().map(bits).sum::<f64>() / n);
    }
    all
}

/// The bits that the values of columns lose where each is shown as one node: by the rows that show that node.
fn entropies(source: &[Row], shown_rows: &[Row]) -> [f64; 3] {
    [0, 1, 2].map(|column| {
        let n = source.len() as f64;
        let bits = |rows: &[Row]| {
            histogram(rows.iter().map(|row| &row[column])).values().map(|n| n * n.log2()).sum::<f64>()
        };
        let (held, shown) = (bits(source), bits(shown_rows));
        let whole = n * n.log2() - held;
        if whole > 0.0 {
            (shown - held) / whole
        } else {
            0.0
        }
    })
}

fn number(db: &mut Database, query: &str) -> f64 {
    db.query_one(query, &[]).unwrap_or_else(|error| panic!("{query}: {error}")).get(0)
}

#[test]
fn every_measure_is_what_its_definition_says() {
    let mut db = connect();
    db.batch_execute("SET client_min_messages = error; CREATE TABLE tree (child text, parent text)").unwrap();
    for (child, parent, ..) in TREE.iter().filter(|(child, ..)| !child.is_empty()) {
        db.execute("INSERT INTO tree VALUES ($1, $2)", &[child, parent]).unwrap();
    }
    for seed in 0..SEEDS {
        let nulls = if seed % 2 == 0 { "NULL" } else { "40" };
        db.batch_execute(&format!(
            "DROP TABLE IF EXISTS measured; CREATE TABLE measured AS
             SELECT CASE WHEN h[1] % 9 = 0 THEN {nulls} ELSE h[1] % 50 + 5 END AS age, (ARRAY['x1', 'x2', 'x31', 'x32', 'y1', 'z'])[1 + h[2] % 6 * (h[3] % 2)] AS place,
                    chr(97 + h[4] % 9 * (h[5] % 3) / 2) AS word, chr(65 + (h[1] + h[2] + h[6] % 2) % 3) AS class
             FROM generate_series(1, 90 + {seed} * 17) i,
                  LATERAL (SELECT array_agg(abs(hashint4extended(i, {seed} * 10 + j) % 1000)::int ORDER BY j) AS h FROM generate_series(1, 6) j) o"
        ))
        .unwrap();
        for (way, is_global) in WAYS {
            db.batch_execute(&format!("SELECT {way}")).unwrap_or_else(|error| panic!("{way}: {error}"));
            let shown = rows(&mut db, "r.measured");
            let losses = Losses::new(&mut db, way.contains("'60'"));
            let has_class = way.contains("class =>");
            let mut expected = recounted(&shown, &losses, has_class);
            let found = db.query("SELECT measure, value FROM release_measures('r')", &[]).unwrap();
            let mut found: HashMap<String, f64> = found.iter().map(|row| (row.get(0), row.get(1))).collect();
            let source = rows(&mut db, "measured");
            if is_global && source.len() == shown.len() {
                let entropies = entropies(&source, &shown);
                expected.insert("non_uniform_entropy".into(), entropies.iter().sum::<f64>() / 3.0);
                for (name, entropy) in COLUMNS.iter().zip(entropies) {
                    expected.insert(format!("non_uniform_entropy:{name}"), entropy);
                }
            } else {
                found.retain(|name, _| !name.starts_with("non_uniform_entropy"));
            }
            let certainty = expected["normalized_certainty_penalty"];
            for (name, value) in expected {
                let said = found.remove(&name).unwrap_or_else(|| panic!("{way}: no {name}"));
                let is_it = (said - value).abs() <= 1e-9 * value.abs().max(1.0);
                assert!(is_it, "seed {seed}, {way}: {name} is {said}, by its definition {value}");
            }
            assert_eq!(found, HashMap::new(), "{way}: measures that this test does not know");

            // Whoever tells a certainty loss tells this one.
            let is_it = |said: f64, whose: &str| {
                assert!((said - certainty).abs() < 1e-9, "{way}: {whose} says {said}, it is {certainty}");
            };
            is_it(number(&mut db, "SELECT certainty_loss FROM release_drift('r')"), "release_drift");
            const CALL: &str = "tds_anonymize('measured', 'r', ";
            if let Some(arguments) = way.strip_prefix(CALL) {
                let tradeoff =
                    format!("SELECT certainty_loss FROM tds_tradeoff('measured', '{{3}}', {arguments}");
                is_it(number(&mut db, &tradeoff), "tds_tradeoff");
            }
            // What is refused by max_loss is what has a greater one.
            db.batch_execute("INSERT INTO measured SELECT * FROM measured LIMIT 2").unwrap();
            db.batch_execute("BEGIN").unwrap();
            let refresh =
                |most: f64| format!("SELECT release_refresh('r', mode => 'search', max_loss => {most})");
            db.batch_execute(&refresh(1.0)).unwrap();
            let next =
                "SELECT value FROM release_measures('r') WHERE measure = 'normalized_certainty_penalty'";
            let next = number(&mut db, next);
            db.batch_execute("ROLLBACK").unwrap();
            if next > 1e-6 {
                let refused = db.batch_execute(&refresh(next - 1e-6)).expect_err("it loses more");
                assert_eq!(refused.code().map(|code| code.code()), Some("55000"), "{refused}");
            }
            db.batch_execute(&refresh((next + 1e-6).min(1.0))).unwrap();
            db.batch_execute("SELECT release_drop('r')").unwrap();
        }
    }
}
