//! Releases of the real Adult table: they verify, are recounted here once more in another way, and
//! end maximal.
//!
//! Maximal is judged from what a release shows its owner (taxonomy and cut) and the source alone:
//! every refinement of a node in the cut is tried on all rows, and each that would separate
//! classes must break a model.

use client_tests::{connect, load_adult, load_taxonomies, Database};
use std::collections::{HashMap, HashSet};

const CATEGORICAL: [&str; 8] = [
    "education",
    "marital_status",
    "native_country",
    "occupation",
    "race",
    "relationship",
    "sex",
    "workclass",
];
const TOP5: [&str; 5] = ["capital_gain", "age", "marital_status", "education_num", "relationship"];
const ALL: [&str; 14] = [
    "capital_gain",
    "age",
    "marital_status",
    "education_num",
    "relationship",
    "hours_per_week",
    "sex",
    "education",
    "occupation",
    "workclass",
    "native_country",
    "race",
    "capital_loss",
    "fnlwgt",
];

type Requirement<'a> = (&'a [&'a str], i64);

fn setup() -> Option<Database> {
    let mut db = connect();
    load_adult(&mut db)?;
    load_taxonomies(&mut db)?;
    Some(db)
}

/// Makes the release `r` and returns its version.
fn release(db: &mut Database, requirements: &[Requirement], suppress: &[&str]) {
    let list = |names: &[&str]| names.iter().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(",");
    let models: Vec<String> =
        requirements.iter().map(|(qid, k)| format!("k_anonymity(ARRAY[{}], {k})", list(qid))).collect();
    let named: HashSet<&str> = requirements.iter().flat_map(|(qid, _)| qid.iter().copied()).collect();
    let masking: Vec<String> = CATEGORICAL
        .iter()
        .filter(|c| named.contains(*c) && !suppress.contains(c))
        .map(|c| format!("by_taxonomy('{c}', 'tax_{c}')"))
        .collect();
    let call = format!(
        "SELECT FROM tds_anonymize('adult', 'r', ARRAY[{}], class => 'income', masking => ARRAY[{}]::masking[])",
        models.join(", "),
        masking.join(", ")
    );
    db.batch_execute("DROP SCHEMA IF EXISTS r, r_private CASCADE").unwrap();
    db.batch_execute(&call).unwrap_or_else(|e| panic!("{call}: {e}"));
}

/// What a masked column's values become, and what they would become if a node were refined.
struct Column {
    released: Vec<u32>,
    /// For each refinable node of the cut, by the part that each row would fall into.
    refinements: Vec<(String, u32, Vec<u32>)>,
}

fn interned(texts: &mut HashMap<String, u32>, text: &str) -> u32 {
    let next = texts.len() as u32;
    *texts.entry(text.to_string()).or_insert(next)
}

/// A node of the release's taxonomy table.
struct Node {
    parent: Option<String>,
    lower: Option<f64>,
    upper: Option<f64>,
    in_cut: bool,
}

fn column(db: &mut Database, name: &str) -> Column {
    let mut nodes: HashMap<String, Node> = HashMap::new();
    for row in db
        .query(
            "SELECT node, parent, lower, upper, in_cut FROM r_private.taxonomy WHERE attribute = $1",
            &[&name],
        )
        .unwrap()
    {
        let number = |i| row.get::<_, Option<&str>>(i).map(|t| t.parse::<f64>().unwrap());
        let node = Node { parent: row.get(1), lower: number(2), upper: number(3), in_cut: row.get(4) };
        nodes.insert(row.get(0), node);
    }
    let values = db.query(&format!("SELECT {name}::text FROM adult ORDER BY ctid"), &[]).unwrap();
    // The path of each distinct value from its leaf to the root, leaf first.
    let mut paths: HashMap<String, Vec<String>> = HashMap::new();
    let suppressed = nodes.contains_key("*");
    let intervals = nodes.keys().any(|label| label.contains(',') && label.starts_with(['[', '(']));
    for row in &values {
        let value: &str = row.get(0);
        paths.entry(value.to_string()).or_insert_with(|| {
            let mut at = if intervals {
                let number: f64 = value.parse().unwrap();
                let holds =
                    |n: &Node| n.lower.is_none_or(|l| l <= number) && n.upper.is_none_or(|u| number < u);
                let innermost = |n: &str| {
                    !nodes.iter().any(|(_, other)| other.parent.as_deref() == Some(n) && holds(other))
                };
                nodes.iter().find(|(n, node)| holds(node) && innermost(n)).unwrap().0.clone()
            } else {
                value.to_string()
            };
            let mut path = vec![at.clone()];
            while let Some(parent) = nodes[&at].parent.clone() {
                path.push(parent.clone());
                at = parent;
            }
            path
        });
    }
    let mut texts = HashMap::new();
    let cut_of = |path: &[String]| {
        let at = path.iter().position(|n| nodes[n].in_cut).expect("a node in the cut");
        (path[at].clone(), at.checked_sub(1).map(|below| path[below].clone()))
    };
    let released: Vec<(String, Option<String>)> =
        values.iter().map(|row| cut_of(&paths[row.get::<_, &str>(0)])).collect();
    let refinable: Vec<String> = if suppressed {
        let hidden: HashSet<String> =
            released.iter().filter(|(n, _)| n == "*").filter_map(|(_, below)| below.clone()).collect();
        hidden.into_iter().collect()
    } else {
        let cut: HashSet<String> =
            released.iter().filter(|(_, below)| below.is_some()).map(|(n, _)| n.clone()).collect();
        cut.into_iter().collect()
    };
    let refinements = refinable
        .into_iter()
        .map(|node| {
            let part = |(at, below): &(String, Option<String>)| match below {
                Some(below) if suppressed && *below == node => below.clone(),
                Some(below) if !suppressed && *at == node => below.clone(),
                _ => at.clone(),
            };
            let refined = if suppressed { "*".to_string() } else { node.clone() };
            let parts = released.iter().map(|r| interned(&mut texts, &part(r))).collect();
            (node, interned(&mut texts, &refined), parts)
        })
        .collect();
    Column { released: released.iter().map(|(n, _)| interned(&mut texts, n)).collect(), refinements }
}

/// The size of the smallest group.
fn anonymity(columns: &[&[u32]]) -> i64 {
    let mut groups: HashMap<Vec<u32>, i64> = HashMap::new();
    for row in 0..columns[0].len() {
        *groups.entry(columns.iter().map(|c| c[row]).collect()).or_default() += 1;
    }
    groups.into_values().min().unwrap()
}

/// The release verifies, holds when recounted here, and no refinement of it would.
fn check(db: &mut Database, requirements: &[Requirement]) {
    for row in db.query("SELECT holds, achieved, required FROM release_verify('r')", &[]).unwrap() {
        assert!(row.get::<_, bool>(0), "achieved {:?} of {:?}", row.get::<_, f64>(1), row.get::<_, f64>(2));
    }
    let classes: Vec<String> = db
        .query("SELECT income FROM adult ORDER BY ctid", &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    let mut names: Vec<&str> = requirements.iter().flat_map(|(qid, _)| qid.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    let columns: HashMap<&str, Column> = names.iter().map(|&n| (n, column(db, n))).collect();
    let with = |qid: &[&str], refined: &str, parts: &[u32]| {
        let columns: Vec<&[u32]> =
            qid.iter().map(|&c| if c == refined { parts } else { &columns[c].released }).collect();
        anonymity(&columns)
    };
    for (qid, k) in requirements {
        let achieved = with(qid, "", &[]);
        assert!(achieved >= *k, "{qid:?}: {achieved} instead of {k}");
    }
    let mut refused = 0;
    for (&name, column) in &columns {
        for (node, refined, parts) in &column.refinements {
            let beneficial = (0..classes.len())
                .filter(|&row| column.released[row] == *refined)
                .map(|row| &classes[row])
                .collect::<HashSet<_>>()
                .len()
                > 1;
            let valid = || {
                let concerned = requirements.iter().filter(|(qid, _)| qid.contains(&name));
                concerned.into_iter().all(|(qid, k)| with(qid, name, parts) >= *k)
            };
            assert!(!beneficial || !valid(), "{name}: {node} could be refined");
            refused += usize::from(beneficial);
        }
    }
    assert!(refused > 0, "nothing was left to refine: this proves nothing");
}

#[test]
fn one_quasi_identifier() {
    let Some(mut db) = setup() else { return };
    for (width, k) in [(5, 5), (5, 100), (7, 20), (9, 50), (14, 1000)] {
        let qid = if width == 5 { &TOP5[..] } else { &ALL[..width] };
        release(&mut db, &[(qid, k)], &[]);
        check(&mut db, &[(qid, k)]);
    }
}

#[test]
fn five_overlapping_quasi_identifiers() {
    let Some(mut db) = setup() else { return };
    let requirements: [Requirement; 5] = [
        (&["age", "sex", "race"], 5),
        (&["age", "education_num", "hours_per_week"], 20),
        (&["marital_status", "relationship", "sex", "occupation"], 10),
        (&["workclass", "occupation", "native_country"], 50),
        (&["capital_gain", "capital_loss", "age"], 100),
    ];
    release(&mut db, &requirements, &[]);
    check(&mut db, &requirements);
}

/// TDR: taxonomies, intervals and suppression in one search.
#[test]
fn mixed_masking() {
    let Some(mut db) = setup() else { return };
    let requirements: [Requirement; 2] = [
        (&["age", "education", "occupation", "sex"], 25),
        (&["native_country", "marital_status", "race"], 40),
    ];
    release(&mut db, &requirements, &["occupation", "native_country", "race"]);
    check(&mut db, &requirements);
}

/// The anonymity of a release never rises along its steps, and every prefix is a release.
#[test]
fn anytime() {
    let Some(mut db) = setup() else { return };
    let call = |steps: &str| {
        format!(
            "SELECT attribute, node, achieved FROM tds_steps('adult', ARRAY[k_anonymity('{{age,sex,education_num}}', 10)],
             class => 'income', max_steps => {steps}) ORDER BY step"
        )
    };
    let rows = |db: &mut Database, steps: &str| -> Vec<(String, String, Vec<f64>)> {
        let rows = db.query(&call(steps), &[]).unwrap();
        rows.iter().map(|r| (r.get(0), r.get(1), r.get(2))).collect()
    };
    let all = rows(&mut db, "NULL");
    assert!(all.len() > 5);
    assert!(all.windows(2).all(|w| w[1].2[0] <= w[0].2[0]));
    for steps in [0, 1, 3, all.len() - 1] {
        assert_eq!(rows(&mut db, &steps.to_string()), all[..steps]);
    }
}
