//! What `release_measures` says of random releases is what their views say by the definitions (docs/concepts/measures.md), counted
//! here in the plainest way: cell by cell, group by group.

use crate::chance;

use chance::Chance;
use client_tests::{connect, is_long, run, Database};
use std::collections::{BTreeMap, BTreeSet};

/// A random tree over leaves: of each node its parent.
struct Tree {
    json: String,
    parent: BTreeMap<String, String>,
}

impl Tree {
    fn new(random: &mut Chance) -> Tree {
        let mut tree = Tree { json: String::new(), parent: BTreeMap::new() };
        let json = tree.grow(random, "all", 3);
        tree.json = format!("{{\"all\": {json}}}");
        tree
    }

    /// What lies below a node, of so many levels at most, in JSON.
    fn grow(&mut self, random: &mut Chance, node: &str, levels: usize) -> String {
        let children = 1 + random.below(3) + usize::from(node == "all");
        let below = (0..children).map(|child| {
            let name = if node == "all" { format!("n{child}") } else { format!("{node}{child}") };
            self.parent.insert(name.clone(), node.to_string());
            let json = if levels > 1 && random.below(3) > 0 {
                self.grow(random, &name, levels - 1)
            } else {
                "[]".into()
            };
            format!("\"{name}\": {json}")
        });
        format!("{{{}}}", below.collect::<Vec<_>>().join(", "))
    }

    fn children(&self, node: &str) -> Vec<&String> {
        self.parent.iter().filter(|(_, parent)| *parent == node).map(|(child, _)| child).collect()
    }

    fn leaves(&self, node: &str) -> Vec<String> {
        match self.children(node) {
            children if children.is_empty() => vec![node.to_string()],
            children => children.into_iter().flat_map(|child| self.leaves(child)).collect(),
        }
    }

    fn height(&self, node: &str) -> usize {
        self.children(node).into_iter().map(|child| self.height(child) + 1).max().unwrap_or(0)
    }
}

/// A row of the source.
#[derive(Clone)]
struct Original {
    age: Option<i64>,
    town: Option<String>,
    code: Option<String>,
    person: usize,
    class: String,
}

/// A row of the view: which row of the source it is, and what it shows of the three columns.
struct Shown {
    id: usize,
    cells: [Option<String>; 3],
}

const COLUMNS: [&str; 3] = ["age", "town", "code"];

struct Released {
    tree: Tree,
    source: Vec<Original>,
    rows: Vec<Shown>,
    /// The least and the greatest age that there may be.
    ages: (i64, i64),
    k: usize,
    of_persons: bool,
    has_class: bool,
    is_global: bool,
}

/// The ages that a label stands for.
fn ages(label: &str, (least, greatest): (i64, i64)) -> (i64, i64) {
    if label == "*" {
        return (least, greatest);
    }
    let Some((low, high)) = label.split_once(',') else {
        let age = label.parse().unwrap();
        return (age, age);
    };
    let low = low[1..].parse().unwrap_or(least);
    let end: Option<i64> = high[..high.len() - 1].parse().ok();
    (low, end.map_or(greatest, |end| if high.ends_with(')') { end - 1 } else { end }))
}

impl Released {
    /// The certainty loss of a cell.
    fn loss(&self, column: usize, cell: &Option<String>) -> f64 {
        let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
        match (column, cell.as_deref()) {
            (_, None) => 0.0,
            (_, Some("*")) => 1.0,
            (0, Some(label)) => {
                // A rounded end may lie beyond all ages.
                let ((low, high), (least, greatest)) = (ages(label, self.ages), self.ages);
                share((high.min(greatest) - low.max(least)) as f64, (greatest - least) as f64)
            }
            (1, Some(node)) => {
                let leaves = |node| self.tree.leaves(node).len() as f64 - 1.0;
                share(leaves(node), leaves("all"))
            }
            _ => 0.0,
        }
    }

    /// How high a cell's value is in its tree, by the height of all.
    fn height(&self, column: usize, cell: &Option<String>) -> f64 {
        match (column, cell.as_deref()) {
            (_, Some("*")) => 1.0,
            (1, Some(node)) => self.tree.height(node) as f64 / self.tree.height("all").max(1) as f64,
            _ => 0.0,
        }
    }

    /// Whether a row of the source may be meant by a cell.
    fn may_be(&self, column: usize, cell: &Option<String>, row: &Original) -> bool {
        let Some(cell) = cell else {
            return [row.age.is_none(), row.town.is_none(), row.code.is_none()][column];
        };
        match column {
            _ if cell == "*" => true,
            0 => row.age.is_some_and(|age| {
                let (low, high) = ages(cell, self.ages);
                (low..=high).contains(&age)
            }),
            1 => row.town.as_ref().is_some_and(|town| self.tree.leaves(cell).contains(town)),
            _ => row.code.as_ref() == Some(cell),
        }
    }

    fn value(&self, column: usize, row: &Original) -> Option<String> {
        [row.age.map(|age| age.to_string()), row.town.clone(), row.code.clone()][column].clone()
    }

    /// The share of the bits of a column that is lost, among the rows that are released.
    fn entropy(&self, column: usize) -> f64 {
        let released: Vec<&Original> = self.rows.iter().map(|row| &self.source[row.id]).collect();
        let (mut lost, mut all) = (0.0, 0.0);
        for (shown, row) in self.rows.iter().zip(&released) {
            let held =
                released.iter().filter(|other| self.value(column, other) == self.value(column, row)).count();
            let cell = &shown.cells[column];
            let within = match self.is_global {
                true => self.rows.iter().filter(|other| other.cells[column] == *cell).count(),
                false => released.iter().filter(|other| self.may_be(column, cell, other)).count(),
            };
            lost += (within as f64 / held as f64).log2();
            all += (released.len() as f64 / held as f64).log2();
        }
        if all > 0.0 {
            lost / all
        } else {
            0.0
        }
    }

    fn measures(&self) -> BTreeMap<String, f64> {
        let mut groups: BTreeMap<&[Option<String>; 3], Vec<usize>> = BTreeMap::new();
        self.rows.iter().for_each(|row| groups.entry(&row.cells).or_default().push(row.id));
        let size = |rows: &Vec<usize>| match self.of_persons {
            true => rows.iter().map(|&row| self.source[row].person).collect::<BTreeSet<_>>().len() as f64,
            false => rows.len() as f64,
        };
        let sizes: Vec<f64> = groups.values().map(size).collect();
        let (rows, number) = (self.rows.len() as f64, groups.len() as f64);
        let losses = |cells: &[Option<String>; 3]| [0, 1, 2].map(|column| self.loss(column, &cells[column]));
        let of_column =
            |column: usize| self.rows.iter().map(|row| losses(&row.cells)[column]).sum::<f64>() / rows;
        let mean = |of: &dyn Fn(usize) -> f64| (0..3).map(of).sum::<f64>() / 3.0;
        let ntil = mean(&of_column);
        let most = |column: usize| groups.keys().map(|cells| losses(cells)[column]).fold(0.0, f64::max);
        let heights =
            self.rows.iter().flat_map(|row| [1, 2].map(|column| self.height(column, &row.cells[column])));
        let stars =
            self.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.as_deref() == Some("*")).count();
        let mut measures = BTreeMap::from(
            [
                ("ntil", ntil),
                ("normalized_certainty_penalty", ntil),
                (
                    "nil_1",
                    groups.keys().map(|cells| losses(cells).iter().sum::<f64>() / 3.0).sum::<f64>() / number,
                ),
                ("nil_inf", mean(&most)),
                ("discernibility", sizes.iter().map(|size| size * size).sum()),
                ("average_class_size", sizes.iter().sum::<f64>() / number),
                ("avg", sizes.iter().sum::<f64>() / number / self.k as f64),
                ("groups", number),
                ("smallest_group", sizes.iter().copied().fold(f64::INFINITY, f64::min)),
                ("suppressed_cells", stars as f64),
                ("precision", 1.0 - heights.sum::<f64>() / rows / 2.0),
                ("non_uniform_entropy", mean(&|column| self.entropy(column))),
            ]
            .map(|(name, value)| (name.to_string(), value)),
        );
        for (column, name) in COLUMNS.iter().enumerate() {
            measures.insert(format!("ntil:{name}"), of_column(column));
            measures.insert(format!("non_uniform_entropy:{name}"), self.entropy(column));
        }
        if self.has_class {
            let class = |row: usize| &self.source[row].class;
            let of_class = |class: &String| {
                self.rows.iter().filter(|row| self.source[row.id].class == *class).count() as f64
            };
            let bits = groups.values().flat_map(|group| {
                group.iter().map(move |&row| {
                    let both = group.iter().filter(|&&other| class(other) == class(row)).count() as f64;
                    (both / group.len() as f64 / (of_class(class(row)) / rows)).log2()
                })
            });
            measures.insert("class_kl_divergence".into(), bits.sum::<f64>() / rows);
        }
        measures
    }
}

fn quoted(value: &Option<String>) -> String {
    value.as_ref().map_or("NULL".into(), |value| format!("'{value}'"))
}

/// Makes a random release, and reads what it shows. None where there is none with these arguments.
fn released(db: &mut Database, seed: u64) -> Option<Released> {
    let mut random = Chance(seed);
    let tree = Tree::new(&mut random);
    let leaves = tree.leaves("all");
    let nulls = random.below(3) * 12;
    let some = |random: &mut Chance| nulls == 0 || random.below(nulls) > 0;
    let codes = 2 + random.below(8);
    let source: Vec<Original> = (0..60 + random.below(120))
        .map(|row| Original {
            age: some(&mut random).then(|| 20 + random.below(1 + row % 60) as i64),
            town: some(&mut random).then(|| leaves[random.below(1 + row % leaves.len())].clone()),
            code: some(&mut random).then(|| format!("c{}", random.below(codes) * random.below(2))),
            person: row / (1 + random.below(3)),
            class: format!("y{}", random.below(3) * random.below(2)),
        })
        .collect();
    let rows = source.iter().enumerate().map(|(id, row)| {
        let age = row.age.map_or("NULL".into(), |age| age.to_string());
        format!(
            "({id}, {age}, {}, {}, {}, '{}')",
            quoted(&row.town),
            quoted(&row.code),
            row.person,
            row.class
        )
    });
    run(db, &format!("DROP TABLE IF EXISTS people; CREATE TABLE people (id int, age int, town text, code text, pid int, class text);
        INSERT INTO people VALUES {}", rows.collect::<Vec<_>>().join(", ")));
    let ways = ["global", "local", "clustered", "k-member"];
    let way = ways[random.below(ways.len())];
    let (k, has_bounds) = (2 + random.below(9), random.below(2) == 0);
    let (of_persons, has_class) =
        (way != "k-member" && random.below(3) == 0, way != "k-member" && random.below(2) == 0);
    let withholds = way == "global" && !of_persons && random.below(3) == 0;
    let bounds = if has_bounds { ", '0', '120'" } else { "" };
    let masking = format!(
        "ARRAY[by_intervals('age'{bounds}), by_taxonomy_tree('town', '{}'), by_suppression('code')]",
        tree.json
    );
    let names = "ARRAY['age', 'town', 'code']";
    let mut call = match way {
        "k-member" => {
            format!("kmember_anonymize('people', 'r', {names}, {k}, {masking}, keep => ARRAY['id']")
        }
        _ => {
            let person = if of_persons { ", person => 'pid'" } else { "" };
            format!("tds_anonymize('people', 'r', k_anonymity({names}, {k}{person}), masking => {masking}, recoding => '{way}', keep => ARRAY['id']")
        }
    };
    if has_class {
        call += ", class => 'class'";
    }
    if withholds {
        call += ", withhold => 0.1";
    }
    if random.below(2) == 0 {
        call += ", endpoints => 'values'";
    }
    if let Err(error) = db.batch_execute(&format!("SELECT {call})")) {
        assert_eq!(error.code().map(|code| code.code()), Some("55000"), "{call}): {error:?}");
        return None;
    }
    let found = db.query("SELECT id, age::text, town::text, code::text FROM r.people", &[]).unwrap();
    let rows = found.iter().map(|row| Shown {
        id: row.get::<_, i32>(0) as usize,
        cells: [1, 2, 3].map(|column| row.get(column)),
    });
    let rows: Vec<Shown> = rows.collect();
    let known = || source.iter().filter_map(|row| row.age);
    let ages = if has_bounds { (0, 120) } else { (known().min().unwrap(), known().max().unwrap()) };
    Some(Released { tree, rows, ages, k, of_persons, has_class, is_global: way == "global", source })
}

#[test]
fn measures_are_what_their_definitions_say() {
    let mut db = connect();
    run(&mut db, "SET client_min_messages = error");
    let first = std::env::var("MEASURES_SEED").ok().map(|seed| seed.parse().expect("MEASURES_SEED"));
    let seeds = first.map_or(if is_long() { 0..2000 } else { 0..40 }, |seed| seed..seed + 1);
    let (mut made, mut wrong) = (0, Vec::new());
    for seed in seeds.clone() {
        let Some(release) = released(&mut db, seed) else { continue };
        made += 1;
        let by_definition = release.measures();
        let told = db.query("SELECT measure, value FROM release_measures('r')", &[]).unwrap();
        let told: BTreeMap<String, f64> = told.iter().map(|row| (row.get(0), row.get(1))).collect();
        for measure in told.keys().chain(by_definition.keys()).collect::<BTreeSet<_>>() {
            let (told, is) = (told.get(measure), by_definition.get(measure));
            let same = told.zip(is).is_some_and(|(told, is)| (told - is).abs() <= 1e-9 * is.abs().max(1.0));
            if !same {
                wrong.push(format!("MEASURES_SEED={seed}: {measure} is told as {told:?}, and is {is:?}"));
            }
        }
        run(&mut db, "SELECT release_drop('r')");
    }
    assert!(wrong.is_empty(), "{} of {made} releases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(made > (seeds.end - seeds.start) / 2, "only {made} releases were made");
}
