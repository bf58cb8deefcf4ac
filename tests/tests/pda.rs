//! PDA's experiments on real data: Table 3 for CRX, releases of CRX and Adult with the templates of
//! section 5, what has no solution, and templates together with TDS's anonymity requirement.
//!
//! Each release verifies, is recounted here on the source's own values, and is maximal: every
//! refinement of its cut that would separate classes is tried on all rows and must break a model.

use client_tests::{connect, load_adult, load_crx, load_taxonomies, Database};
use std::collections::{HashMap, HashSet};

/// What a release has to keep.
struct Model<'a> {
    columns: Vec<&'a str>,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// The smallest group.
    Anonymity(u64),
    /// The sensitive column, its values, and the largest confidence of each.
    Templates(&'a str, Vec<String>, f64),
}

impl Model<'_> {
    /// The call that makes it.
    fn sql(&self) -> String {
        let columns = array(&self.columns);
        match &self.kind {
            Kind::Anonymity(k) => format!("k_anonymity({columns}, {k})"),
            Kind::Templates(sensitive, values, bound) => {
                format!("confidence_bound({columns}, '{sensitive}', {}, {bound})", array(values))
            }
        }
    }
}

fn array<S: AsRef<str>>(texts: &[S]) -> String {
    let quoted: Vec<String> = texts.iter().map(|t| format!("'{}'", t.as_ref())).collect();
    format!("ARRAY[{}]::text[]", quoted.join(", "))
}

fn models_sql(models: &[Model]) -> String {
    let calls: Vec<String> = models.iter().map(Model::sql).collect();
    format!("ARRAY[{}]", calls.join(", "))
}

/// PDA section 5: of a column's values, the floor(50 %) least frequent; ties by value.
fn rare_values(db: &mut Database, table: &str, column: &str) -> Vec<String> {
    let query = format!(
        "SELECT {column} FROM (SELECT {column}, count(*) AS n FROM {table} GROUP BY 1) v
         ORDER BY n, {column} COLLATE \"C\" LIMIT (SELECT count(DISTINCT {column}) / 2 FROM {table})"
    );
    db.query(&query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
}

/// The templates <channel -> rare values, bound> of each sensitive column.
fn templates<'a>(
    db: &mut Database,
    table: &str,
    channel: &[&'a str],
    sensitive: &[&'a str],
    bound: f64,
) -> Vec<Model<'a>> {
    let of = |column: &&'a str| Model {
        columns: channel.to_vec(),
        kind: Kind::Templates(column, rare_values(db, table, column), bound),
    };
    sensitive.iter().map(of).collect()
}

/// Makes the release `r` anew by a call without its closing parenthesis.
fn release(db: &mut Database, call: &str) -> Result<(), postgres::Error> {
    db.batch_execute("DROP SCHEMA IF EXISTS r CASCADE").unwrap();
    db.batch_execute(call)
}

/// Texts as numbers.
#[derive(Default)]
struct Interned(HashMap<String, u32>);

impl Interned {
    fn id(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.0.get(text) {
            return id;
        }
        let id = self.0.len() as u32;
        self.0.insert(text.to_string(), id);
        id
    }
}

/// The distinct rows of a table over some columns, each with the number of rows it stands for.
struct Rows {
    columns: HashMap<String, Vec<String>>,
    weights: Vec<u64>,
}

fn rows(db: &mut Database, table: &str, names: &[&str]) -> Rows {
    let list: Vec<String> = names.iter().map(|n| format!("{n}::text")).collect();
    let found = db
        .query(
            &format!("SELECT {}, count(*) FROM {table} GROUP BY {}", list.join(", "), names.join(", ")),
            &[],
        )
        .unwrap();
    let column = |i: usize| found.iter().map(|row| row.get::<_, String>(i)).collect();
    Rows {
        columns: names.iter().enumerate().map(|(i, n)| (n.to_string(), column(i))).collect(),
        weights: found.iter().map(|row| row.get::<_, i64>(names.len()) as u64).collect(),
    }
}

/// A masked column: what each row is released as, and into which part each would fall if a node of
/// the cut were refined.
struct Masked {
    released: Vec<u32>,
    refinements: Vec<Refinement>,
}

struct Refinement {
    name: String,
    /// The node that is refined; `*` for a disclosure.
    node: u32,
    parts: Vec<u32>,
}

/// A node of the release's taxonomy table.
struct Node {
    parent: Option<String>,
    lower: Option<f64>,
    upper: Option<f64>,
    in_cut: bool,
}

fn masked(db: &mut Database, name: &str, values: &[String]) -> Masked {
    let query = "SELECT node, parent, lower, upper, in_cut FROM r.taxonomy WHERE attribute = $1";
    let nodes: HashMap<String, Node> = db
        .query(query, &[&name])
        .unwrap()
        .iter()
        .map(|row| {
            let number = |i| row.get::<_, Option<&str>>(i).map(|t| t.parse::<f64>().unwrap());
            let node = Node { parent: row.get(1), lower: number(2), upper: number(3), in_cut: row.get(4) };
            (row.get(0), node)
        })
        .collect();
    let suppression = nodes.contains_key("*");
    let intervals = nodes.keys().any(|label| label.contains(',') && label.starts_with(['[', '(']));
    // Each value's node in the cut, and the node below it on the way to the value.
    let place = |value: &str| {
        let mut at = if intervals { innermost(&nodes, value) } else { value.to_string() };
        let mut below = None;
        while !nodes[&at].in_cut {
            let parent =
                nodes[&at].parent.clone().unwrap_or_else(|| panic!("{name}: {value} is below no cut"));
            below = Some(std::mem::replace(&mut at, parent));
        }
        (at, below)
    };
    let mut places: HashMap<&str, (String, Option<String>)> = HashMap::new();
    for value in values {
        places.entry(value).or_insert_with(|| place(value));
    }
    let candidates: HashSet<&str> = places
        .values()
        .filter_map(|(at, below)| below.as_deref().map(|below| if suppression { below } else { at }))
        .collect();
    let mut texts = Interned::default();
    let mut candidates: Vec<&str> = candidates.into_iter().collect();
    candidates.sort_unstable();
    let refinements = candidates
        .into_iter()
        .map(|candidate| {
            let part: HashMap<&str, u32> = places
                .iter()
                .map(|(value, (at, below))| {
                    let below = below.as_deref().filter(|b| if suppression { *b } else { at } == candidate);
                    (*value, texts.id(below.unwrap_or(at)))
                })
                .collect();
            let node = texts.id(if suppression { "*" } else { candidate });
            let parts = values.iter().map(|value| part[value.as_str()]).collect();
            Refinement { name: candidate.to_string(), node, parts }
        })
        .collect();
    let released: HashMap<&str, u32> = places.iter().map(|(value, (at, _))| (*value, texts.id(at))).collect();
    Masked { released: values.iter().map(|value| released[value.as_str()]).collect(), refinements }
}

/// The lowest interval that holds a value.
fn innermost(nodes: &HashMap<String, Node>, value: &str) -> String {
    let value: f64 = value.parse().unwrap();
    let holds = |n: &Node| n.lower.is_none_or(|l| l <= value) && n.upper.is_none_or(|u| value < u);
    let lowest = |label: &str| !nodes.values().any(|n| n.parent.as_deref() == Some(label) && holds(n));
    nodes.iter().find(|(label, node)| holds(node) && lowest(label)).unwrap().0.clone()
}

/// Whether a model holds, given each row's group.
fn holds(model: &Model, rows: &Rows, groups: &[u64]) -> bool {
    let values: &[String] = match &model.kind {
        Kind::Anonymity(_) => &[],
        Kind::Templates(_, values, _) => values,
    };
    let place: HashMap<&str, usize> = values.iter().enumerate().map(|(i, v)| (v.as_str(), i + 1)).collect();
    let sensitive = match &model.kind {
        Kind::Anonymity(_) => None,
        Kind::Templates(column, ..) => Some(&rows.columns[*column]),
    };
    let width = values.len() + 1;
    let mut counts: Vec<u64> = vec![];
    let mut index: HashMap<u64, usize> = HashMap::new();
    for (row, &group) in groups.iter().enumerate() {
        let next = index.len();
        let at = *index.entry(group).or_insert(next) * width;
        counts.resize(counts.len().max(at + width), 0);
        counts[at] += rows.weights[row];
        if let Some(&value) = sensitive.and_then(|s| place.get(s[row].as_str())) {
            counts[at + value] += rows.weights[row];
        }
    }
    counts.chunks(width).all(|group| match &model.kind {
        Kind::Anonymity(k) => group[0] >= *k,
        Kind::Templates(_, _, bound) => group[1..].iter().all(|&n| n as f64 / group[0] as f64 <= *bound),
    })
}

/// The release `r` of a table verifies, holds when it is recounted here, and no refinement that
/// separates classes would; returns how many were refused.
fn check(db: &mut Database, table: &str, class: &str, models: &[Model]) -> usize {
    let verdicts =
        db.query("SELECT holds, achieved, required, model::text FROM release_verify('r')", &[]).unwrap();
    assert_eq!(verdicts.len(), models.len());
    for row in &verdicts {
        let (achieved, required): (f64, f64) = (row.get(1), row.get(2));
        assert!(row.get::<_, bool>(0), "{achieved} of {required}: {}", row.get::<_, &str>(3));
    }
    let mut attributes: Vec<&str> = models.iter().flat_map(|m| m.columns.iter().copied()).collect();
    attributes.sort_unstable();
    attributes.dedup();
    let mut names = attributes.clone();
    names.push(class);
    names.extend(models.iter().filter_map(|m| match m.kind {
        Kind::Templates(sensitive, ..) => Some(sensitive),
        Kind::Anonymity(_) => None,
    }));
    names.sort_unstable();
    names.dedup();
    let rows = rows(db, table, &names);
    let columns: HashMap<&str, Masked> =
        attributes.iter().map(|&a| (a, masked(db, a, &rows.columns[a]))).collect();
    // Each row's group in each model.
    let groups: Vec<Vec<u64>> = models
        .iter()
        .map(|model| {
            let mut groups: HashMap<Vec<u32>, u64> = HashMap::new();
            (0..rows.weights.len())
                .map(|row| {
                    let next = groups.len() as u64;
                    let released = model.columns.iter().map(|c| columns[c].released[row]).collect();
                    *groups.entry(released).or_insert(next)
                })
                .collect()
        })
        .collect();
    for (model, groups) in models.iter().zip(&groups) {
        assert!(holds(model, &rows, groups), "does not hold: {}", model.sql());
    }
    let classes = &rows.columns[class];
    let mut refused = 0;
    for (&name, column) in &columns {
        for Refinement { name: value, node, parts } in &column.refinements {
            let separated: HashSet<&String> =
                (0..classes.len()).filter(|&r| column.released[r] == *node).map(|r| &classes[r]).collect();
            if separated.len() < 2 {
                continue;
            }
            let still_holds = |(model, groups): (&Model, &Vec<u64>)| {
                let split = |(&group, &part): (&u64, &u32)| group << 32 | u64::from(part);
                let groups: Vec<u64> = groups.iter().zip(parts).map(split).collect();
                !model.columns.contains(&name) || holds(model, &rows, &groups)
            };
            assert!(!models.iter().zip(&groups).all(still_holds), "{name}: {value} could be refined");
            refused += 1;
        }
    }
    refused
}

const CRX_CHANNEL: [&str; 5] = ["a1", "a4", "a5", "a12", "a13"];
const CRX_TOP4: [&str; 4] = ["a9", "a10", "a7", "a6"];

/// Table 3, CRX (Top4): the number of inferences above a confidence.
#[test]
fn table_3_crx() {
    let mut db = connect();
    let Some(rows) = load_crx(&mut db) else { return };
    assert_eq!(rows, 653);
    let models = templates(&mut db, "crx", &CRX_CHANNEL, &CRX_TOP4, 0.5);
    for (above, inferences) in [(0.1, 40), (0.3, 27), (0.5, 15), (0.7, 8), (0.9, 6)] {
        let count = |model: &Model| -> i64 {
            let query = format!("SELECT count(*) FROM privacy_inferences('crx', {}, $1)", model.sql());
            db.query_one(&query, &[&above]).unwrap().get(0)
        };
        assert_eq!(models.iter().map(count).sum::<i64>(), inferences, "above {above}");
    }
    // The same groups as privacy_check's: it counts the ic, not the inferences.
    let query =
        format!("SELECT holds, groups, violating_groups FROM privacy_check('crx', {})", models_sql(&models));
    let by_hand = format!("SELECT count(*) FROM (SELECT FROM crx GROUP BY {}) g", CRX_CHANNEL.join(", "));
    let groups: i64 = db.query_one(&by_hand, &[]).unwrap().get(0);
    let found = db.query(&query, &[]).unwrap();
    assert!(found.iter().all(|row| row.get::<_, i64>(1) == groups));
    assert!(found.iter().any(|row| !row.get::<_, bool>(0) && row.get::<_, i64>(2) > 0));
}

#[test]
fn crx_releases_are_maximal() {
    let mut db = connect();
    if load_crx(&mut db).is_none() {
        return;
    }
    for top in 1..=4 {
        for bound in [0.5, 0.7, 0.9] {
            let models = templates(&mut db, "crx", &CRX_CHANNEL, &CRX_TOP4[..top], bound);
            let call = format!("SELECT pda_anonymize('crx', 'r', {}, 'class')", models_sql(&models));
            release(&mut db, &call).unwrap_or_else(|e| panic!("Top{top}, {bound}: {e}"));
            let refused = check(&mut db, "crx", "class", &models);
            // What has no inference above the bound is disclosed in full.
            let above: i64 = models
                .iter()
                .map(|model| {
                    let query =
                        format!("SELECT count(*) FROM privacy_inferences('crx', {}, $1)", model.sql());
                    db.query_one(&query, &[&bound]).unwrap().get::<_, i64>(0)
                })
                .sum();
            assert_eq!(refused > 0, above > 0, "Top{top}, {bound}");
        }
    }
}

/// PDA's order of Adult's attributes: M, Re, E, S; then the rest of Table 4.
const ADULT: [&str; 8] = [
    "marital_status",
    "relationship",
    "education",
    "sex",
    "native_country",
    "occupation",
    "race",
    "workclass",
];

/// The share of a sensitive column's most frequent rare value in the whole table: what the most
/// suppressed table has for its confidence (Lemma 3.3).
fn share(db: &mut Database, column: &str) -> f64 {
    let values = array(&rare_values(db, "adult", column));
    let query = format!(
        "SELECT count(*)::float8 / (SELECT count(*) FROM adult)::float8 FROM adult
         WHERE {column} = ANY ({values}) GROUP BY {column} ORDER BY 1 DESC LIMIT 1"
    );
    db.query_one(&query, &[]).unwrap().get(0)
}

#[test]
fn adult_top1_to_top4() {
    let mut db = connect();
    if load_adult(&mut db).is_none() {
        return;
    }
    let mut unsatisfiable = vec![];
    for top in 1..=4 {
        for percent in [10, 30, 50, 70, 90] {
            let bound = f64::from(percent) / 100.0;
            let (sensitive, channel) = ADULT.split_at(top);
            let models = templates(&mut db, "adult", channel, sensitive, bound);
            let call = format!("SELECT pda_anonymize('adult', 'r', {}, 'income')", models_sql(&models));
            match release(&mut db, &call) {
                Ok(()) => {
                    let refused = check(&mut db, "adult", "income", &models);
                    assert!(
                        refused > 0,
                        "Top{top}, {percent} %: nothing was left to disclose: this proves nothing"
                    );
                    assert!(sensitive.iter().all(|column| share(&mut db, column) <= bound));
                }
                Err(error) => {
                    let error = error.as_db_error().unwrap();
                    assert_eq!(error.code().code(), "55000", "Top{top}, {percent} %: {error}");
                    let broken = sensitive.iter().find(|column| share(&mut db, column) > bound).unwrap();
                    let share = share(&mut db, broken);
                    let detail = error.detail().unwrap();
                    for said in [format!("\"sensitive\":\"{broken}\""), share.to_string(), bound.to_string()]
                    {
                        assert!(detail.contains(&said), "Top{top}, {percent} %: no {said} in {detail}");
                    }
                    let schemas = db.query("SELECT FROM pg_namespace WHERE nspname = 'r'", &[]).unwrap();
                    assert!(schemas.is_empty(), "something was left behind");
                    unsatisfiable.push((top, percent, *broken, (share * 100.0).round()));
                }
            }
        }
    }
    // Unmarried is 10.6 % of all records and Female 32.5 %.
    let expected = [
        (2, 10, "relationship", 11.0),
        (3, 10, "relationship", 11.0),
        (4, 10, "relationship", 11.0),
        (4, 30, "sex", 32.0),
    ];
    assert_eq!(unsatisfiable, expected);
}

/// sex -> Female is about 32 % of all records: whatever the channel, 30 % cannot be kept.
#[test]
fn female_is_a_third_of_all() {
    let mut db = connect();
    if load_adult(&mut db).is_none() {
        return;
    }
    assert_eq!(rare_values(&mut db, "adult", "sex"), ["Female"]);
    for channel in ["race", "occupation"] {
        let models = templates(&mut db, "adult", &[channel], &["sex"], 0.3);
        let call = format!("SELECT pda_anonymize('adult', 'r', {}, 'income')", models_sql(&models));
        let error = release(&mut db, &call).unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "55000");
        let detail = error.detail().unwrap();
        assert!(["Female", "0.3249", "0.3,", channel].iter().all(|said| detail.contains(said)), "{detail}");
    }
    let models = templates(&mut db, "adult", &["race"], &["sex"], 0.33);
    release(&mut db, &format!("SELECT pda_anonymize('adult', 'r', {}, 'income')", models_sql(&models)))
        .unwrap();
    assert!(check(&mut db, "adult", "income", &models) > 0);
}

/// TDS section 6's requirement (the five best attributes, k) and PDA's templates in one call, over
/// intervals, taxonomies and suppression; marital_status and relationship are both masked by the
/// one and secrets of the other.
#[test]
fn anonymity_and_templates_in_one_search() {
    let mut db = connect();
    if load_adult(&mut db).is_none() || load_taxonomies(&mut db).is_none() {
        return;
    }
    let top5 = vec!["capital_gain", "age", "marital_status", "education_num", "relationship"];
    let masking = "ARRAY[by_taxonomy('marital_status', 'tax_marital_status'), by_taxonomy('relationship', \
        'tax_relationship'), by_taxonomy('occupation', 'tax_occupation'), by_taxonomy('workclass', 'tax_workclass')]";
    for (k, bound) in [(20, 0.5), (100, 0.3)] {
        let channel = ["native_country", "occupation", "race", "sex", "workclass"];
        let mut models = templates(&mut db, "adult", &channel, &["marital_status", "relationship"], bound);
        models.push(Model { columns: top5.clone(), kind: Kind::Anonymity(k) });
        let call = format!(
            "SELECT tds_anonymize('adult', 'r', {}, 'income', {masking}, score => 'tdr')",
            models_sql(&models)
        );
        release(&mut db, &call).unwrap_or_else(|e| panic!("{e}: {call}"));
        assert!(check(&mut db, "adult", "income", &models) > 0);
        // The secrets are kept beside what is shown, and not shown.
        let columns = |db: &mut Database, relation: &str| -> Vec<String> {
            let query =
                "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0";
            db.query(query, &[&relation]).unwrap().iter().map(|row| row.get(0)).collect()
        };
        for secret in ["marital_status_sensitive", "relationship_sensitive"] {
            assert!(columns(&mut db, "r.adult_v1").iter().any(|c| c == secret));
            assert!(!columns(&mut db, "r.adult").iter().any(|c| c == secret));
        }
        // Both kinds of steps were taken, and each is part of one search.
        let steps: i64 = db
            .query_one(
                "SELECT least(count(*) FILTER (WHERE attribute = ANY ($1)), count(*) FILTER (WHERE attribute <> ALL ($1)))
                 FROM r.steps WHERE cardinality(achieved) = 3",
                &[&top5],
            )
            .unwrap()
            .get(0);
        assert!(steps > 0);
    }
}
