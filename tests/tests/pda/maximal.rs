//! That a release holds, and that it is maximal: every refinement of its cut that would separate classes is
//! tried on all rows, on the source's own values, and must break a model.

use client_tests::Database;
use std::collections::{HashMap, HashSet};

/// What a release has to keep.
pub struct Model<'a> {
    /// Over which columns.
    pub columns: Vec<&'a str>,
    /// Which model.
    pub kind: Kind<'a>,
}

/// Which model it is.
pub enum Kind<'a> {
    /// The smallest group.
    Anonymity(u64),
    /// The sensitive column, its values, and the largest confidence of each.
    Templates(&'a str, Vec<String>, f64),
}

impl Model<'_> {
    /// The call that makes it.
    pub fn sql(&self) -> String {
        let columns = array(&self.columns);
        match &self.kind {
            Kind::Anonymity(k) => format!("k_anonymity({columns}, {k})"),
            Kind::Templates(sensitive, values, bound) => {
                format!("confidence_bound({columns}, '{sensitive}', {}, {bound})", array(values))
            }
        }
    }
}

/// An SQL array of texts.
pub fn array<S: AsRef<str>>(texts: &[S]) -> String {
    let quoted: Vec<String> = texts.iter().map(|t| format!("'{}'", t.as_ref())).collect();
    format!("ARRAY[{}]::text[]", quoted.join(", "))
}

/// An SQL array of models.
pub fn models_sql(models: &[Model]) -> String {
    let calls: Vec<String> = models.iter().map(Model::sql).collect();
    format!("ARRAY[{}]", calls.join(", "))
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
    let query = "SELECT node, parent, lower, upper, in_cut FROM r_private.taxonomy WHERE attribute = $1";
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
pub fn check(db: &mut Database, table: &str, class: &str, models: &[Model]) -> usize {
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
