//! k-member clustering and numerical hierarchies at the size of Adult and beyond: what is published is
//! judged from the view and the source alone, the measures are computed here once more.

use client_tests::{connect, is_long, load_adult, Database};
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

const COLUMNS: [&str; 3] = ["age", "education_num", "hours_per_week"];
const K: i64 = 10;

/// A published value: the least and the greatest it may be.
type Interval = (i64, i64);

/// A group of the release: its interval on each column, and its rows.
type Group = ([Interval; 3], i64);

fn setup() -> Option<Database> {
    let mut db = connect();
    assert_eq!(load_adult(&mut db)?, 45_222);
    for column in COLUMNS {
        let build = format!(
            "CREATE TABLE tree_{column} AS SELECT * FROM taxonomy_build('adult', '{column}', 'iotf')"
        );
        db.batch_execute(&build).unwrap();
    }
    Some(db)
}

fn cluster(db: &mut Database, release: &str, masking: &[String]) {
    let start = Instant::now();
    let call = format!(
        "SELECT FROM kmember_anonymize('adult', '{release}', ARRAY['{}'], {K}, ARRAY[{}]::masking[], endpoints => 'values')",
        COLUMNS.join("','"),
        masking.join(",")
    );
    db.batch_execute(&call).unwrap();
    println!("{release}: {:?}", start.elapsed());
}

fn interval(label: &str) -> Interval {
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("published: {label}"));
    match label.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(ends) => {
            let (least, greatest) = ends.split_once(',').unwrap_or_else(|| panic!("published: {label}"));
            (number(least), number(greatest))
        }
        None => (number(label), number(label)),
    }
}

fn groups(db: &mut Database, release: &str) -> Vec<Group> {
    let names = COLUMNS.join(",");
    let rows =
        db.query(&format!("SELECT {names}, count(*) FROM {release}.adult GROUP BY {names}"), &[]).unwrap();
    rows.iter().map(|row| ([0, 1, 2].map(|c| interval(row.get(c))), row.get(3))).collect()
}

/// The values of a column of the source, and how many rows hold each.
fn values(db: &mut Database, column: usize) -> BTreeMap<i64, i64> {
    let column = COLUMNS[column];
    let rows = db.query(&format!("SELECT {column}::int8, count(*) FROM adult GROUP BY 1"), &[]).unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// The rows of each interval of a column.
fn published(groups: &[Group], column: usize) -> HashMap<Interval, i64> {
    let mut rows = HashMap::new();
    for (intervals, n) in groups {
        *rows.entry(intervals[column]).or_default() += n;
    }
    rows
}

fn measures(db: &mut Database, release: &str) -> HashMap<String, f64> {
    let rows = db.query("SELECT measure, value FROM release_measures($1::text::name)", &[&release]).unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Every group has k rows, and the source's values can be dealt out to the published intervals, each to
/// one that holds it: between any two values there are no more intervals than values (Hall's theorem).
fn check(db: &mut Database, release: &str, groups: &[Group]) {
    assert_eq!(groups.iter().map(|(_, n)| n).sum::<i64>(), 45_222);
    assert!(groups.iter().all(|(_, n)| *n >= K), "{release} has a group of fewer than {K} rows");
    for (column, name) in COLUMNS.iter().enumerate() {
        let (values, intervals) = (values(db, column), published(groups, column));
        for (least, greatest) in intervals.keys() {
            assert!(values.contains_key(least) && values.contains_key(greatest), "ends are values");
        }
        for &from in values.keys() {
            for &to in values.keys().filter(|&&to| to >= from) {
                let held: i64 = values.range(from..=to).map(|(_, n)| n).sum();
                let within =
                    intervals.iter().filter(|((least, greatest), _)| from <= *least && *greatest <= to);
                let needed: i64 = within.map(|(_, n)| n).sum();
                assert!(needed <= held, "{name}: {needed} in [{from},{to}], which holds {held}");
            }
        }
        let cut = db
            .query(
                &format!("SELECT lower::int8, upper::int8, records FROM {release}.cut WHERE attribute = $1"),
                &[name],
            )
            .unwrap();
        let cut: HashMap<Interval, i64> =
            cut.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect();
        assert_eq!(cut, intervals, "the cut of {name}");
    }
    let verified = db.query("SELECT holds FROM release_verify($1::text::name)", &[&release]).unwrap();
    assert!(!verified.is_empty() && verified.iter().all(|row| row.get(0)));
}

/// Definitions 7 to 12 and the entropy from the view and the source. A node of these hierarchies is the
/// interval of its label, so that with and without them a loss is width by width of all.
fn recomputed(db: &mut Database, groups: &[Group]) -> HashMap<String, f64> {
    let (u, n) = (groups.len() as f64, groups.iter().map(|(_, n)| *n as f64).sum::<f64>());
    let values: Vec<BTreeMap<i64, i64>> = (0..3).map(|column| values(db, column)).collect();
    let ends: Vec<Interval> =
        values.iter().map(|v| (*v.keys().min().unwrap(), *v.keys().max().unwrap())).collect();
    let loss = |column: usize, (least, greatest): Interval| {
        (greatest - least) as f64 / (ends[column].1 - ends[column].0) as f64
    };
    let losses = |(intervals, _): &Group| [0, 1, 2].map(|column| loss(column, intervals[column]));
    let sum = |of: &dyn Fn(&Group) -> f64| groups.iter().map(of).sum::<f64>();
    let ntil_of = |column: usize| sum(&|group| group.1 as f64 * losses(group)[column]) / n;
    let most = |column: usize| groups.iter().map(|group| losses(group)[column]).fold(0.0, f64::max);
    // Sum over the rows of log2(rows in the interval / rows with the value), by the same with all rows.
    let entropy = |column: usize| {
        let held: f64 = values[column].values().map(|&rows| rows as f64 * (rows as f64).log2()).sum();
        let of = |(least, greatest): Interval| {
            (values[column].range(least..=greatest).map(|(_, rows)| rows).sum::<i64>() as f64).log2()
        };
        let within = sum(&|group| group.1 as f64 * of(group.0[column]));
        (within - held) / (n * n.log2() - held)
    };
    let mean = |of: &dyn Fn(usize) -> f64| (of(0) + of(1) + of(2)) / 3.0;
    let mut all = HashMap::from(
        [
            ("ntil", mean(&ntil_of)),
            ("nil_1", sum(&|group| losses(group).iter().sum()) / (3.0 * u)),
            ("nil_inf", mean(&most)),
            ("discernibility", sum(&|group| (group.1 * group.1) as f64)),
            ("average_class_size", n / u),
            ("avg", n / (u * K as f64)),
            ("groups", u),
            ("smallest_group", groups.iter().map(|(_, n)| *n).min().unwrap() as f64),
            ("suppressed_cells", 0.0),
            ("normalized_certainty_penalty", mean(&ntil_of)),
            ("non_uniform_entropy", mean(&entropy)),
        ]
        .map(|(name, value)| (name.to_string(), value)),
    );
    for (column, name) in COLUMNS.iter().enumerate() {
        all.insert(format!("ntil:{name}"), ntil_of(column));
        all.insert(format!("non_uniform_entropy:{name}"), entropy(column));
    }
    all
}

/// 1 - the mean height of the published nodes, by their tree's height.
fn precision(db: &mut Database, release: &str, groups: &[Group]) -> f64 {
    let mut lost = 0.0;
    for (column, name) in COLUMNS.iter().enumerate() {
        let nodes = format!(
            "SELECT node, parent FROM {release}_private.taxonomy WHERE attribute = '{name}' ORDER BY depth DESC"
        );
        let mut heights: HashMap<Interval, u32> = HashMap::new();
        let mut tallest = 0;
        for row in db.query(&nodes, &[]).unwrap() {
            let height = *heights.entry(interval(row.get(0))).or_insert(0);
            match row.get::<_, Option<&str>>(1) {
                Some(parent) => {
                    let above = heights.entry(interval(parent)).or_insert(0);
                    *above = (*above).max(height + 1);
                }
                None => tallest = height,
            }
        }
        let published = published(groups, column);
        let height =
            |(node, rows): (&Interval, &i64)| *rows as f64 * f64::from(heights[node]) / f64::from(tallest);
        lost += published.iter().map(height).sum::<f64>() / 45_222.0;
    }
    1.0 - lost / 3.0
}

#[test]
fn adult_with_and_without_hierarchies() {
    let Some(mut db) = setup() else { return };
    let trees = COLUMNS.map(|column| format!("by_taxonomy('{column}', 'tree_{column}')"));
    let mut ntil = Vec::new();
    for (release, masking) in [("free", &[][..]), ("iotf", &trees[..])] {
        cluster(&mut db, release, masking);
        let groups = groups(&mut db, release);
        check(&mut db, release, &groups);
        let mut expected = recomputed(&mut db, &groups);
        if release == "iotf" {
            expected.insert("precision".to_string(), precision(&mut db, release, &groups));
        }
        let mut found = measures(&mut db, release);
        for (name, value) in expected {
            let released = found.remove(&name).unwrap_or_else(|| panic!("{release}: no {name}"));
            let close = (released - value).abs() <= 1e-9 * value.abs().max(1.0);
            assert!(close, "{release}: {name} is {released}, recomputed {value}");
            if name == "ntil" {
                ntil.push(value);
            }
        }
        assert_eq!(found, HashMap::new(), "{release}: measures that this test does not know");
        let at_risk = groups.iter().map(|(_, n)| *n).min().unwrap();
        let highest: f64 = db
            .query_one(
                "SELECT highest_risk FROM release_risk($1::text::name) WHERE attacker = 'prosecutor'",
                &[&release],
            )
            .unwrap()
            .get(0);
        assert!((highest - 1.0 / at_risk as f64).abs() < 1e-12);
    }
    assert!(ntil[0] < ntil[1], "free {}, iotf {}", ntil[0], ntil[1]);
}

/// The tree over all numbers from 1 on is one: a node's values are those between its ends, so the widths of its
/// children make up its own.
fn check_tree(db: &mut Database, many: i64, method: &str) {
    // Of given points a node is called by the piece of the domain, which the next begins at the end of.
    let label = if matches!(method, "equal_width" | "breakpoints") {
        "child !~ '^[[(].*[])]$'"
    } else {
        "child <> format('[%s,%s]', l, u)"
    };
    let faults: Vec<(String, i64)> = db
        .query(
            &"WITH node AS (SELECT child, parent, lower::int8 AS l, upper::int8 AS u FROM tree),
               below AS (SELECT parent, count(*) AS children, sum(u - l + 1) AS width, min(l) AS l, max(u) AS u FROM node GROUP BY 1)
             SELECT 'roots', count(*) FROM node WHERE parent IS NULL AND (l, u) = (1, {many})
             UNION ALL SELECT 'all roots', count(*) FROM node WHERE parent IS NULL
             UNION ALL SELECT 'leaves', count(*) FROM node WHERE l = u AND child = l::text
             UNION ALL SELECT 'labels given twice', count(*) - count(DISTINCT (l, u)) FROM node
             UNION ALL SELECT 'labels that are not their ends', count(*) FROM node WHERE l < u AND {label}
             UNION ALL SELECT 'nodes that are not their children',
               (SELECT count(*) FROM below b FULL JOIN (SELECT * FROM node WHERE l < u) n ON n.child = b.parent
                WHERE (b.parent IS NOT NULL OR b.children <> 1) AND (b.l, b.u, b.width) IS DISTINCT FROM (n.l, n.u, n.u - n.l + 1))
             UNION ALL SELECT 'only children', count(*) FROM below WHERE children = 1 AND parent IS NOT NULL
             UNION ALL SELECT 'neighbours that overlap', count(*) FROM
               (SELECT l <= lag(u) OVER (PARTITION BY parent ORDER BY l) AS overlap FROM node) o WHERE overlap"
                .replace("{label}", label)
                .replace("{many}", &many.to_string()),
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    let expected = [
        ("roots", 1),
        ("all roots", 1),
        ("leaves", many),
        ("labels given twice", 0),
        ("labels that are not their ends", 0),
        ("nodes that are not their children", 0),
        ("only children", 0),
        ("neighbours that overlap", 0),
    ];
    assert_eq!(faults, expected.map(|(fault, count)| (fault.to_string(), count)), "{method}");
}

/// A million with LONG=1.
#[test]
fn many_distinct_values() {
    let many: i64 = if is_long() { 1_000_000 } else { 50_000 };
    let mut db = connect();
    db.batch_execute(&format!(
        "CREATE TABLE many AS SELECT i AS v FROM generate_series(1, {many}) i ORDER BY hashint4(i);
         SET work_mem = '256MB'; SET client_min_messages = error",
    ))
    .unwrap();
    let breakpoints: Vec<String> = (1..100).map(|i| (i * many / 100).to_string()).collect();
    let breakpoints = format!("{{\"breakpoints\": [[{}], [{}]]}}", breakpoints.join(","), many / 2);
    for (method, options) in [
        ("iotf", "{}"),
        ("otf", "{}"),
        ("han", "{}"),
        ("chu", "{}"),
        ("equal_width", "{}"),
        ("equal_frequency", "{}"),
        ("breakpoints", &breakpoints),
    ] {
        let start = Instant::now();
        let build = format!(
            "CREATE TABLE tree AS SELECT * FROM taxonomy_build('many', 'v', '{method}', '{options}')"
        );
        db.batch_execute(&build).unwrap();
        println!("{method}: {:?}", start.elapsed());
        check_tree(&mut db, many, method);
        db.batch_execute("DROP TABLE tree").unwrap();
    }
}
