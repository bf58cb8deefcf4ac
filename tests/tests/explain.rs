//! What `release_explain` says of releases of the real Adult table, counted again with plain SQL from what was published and
//! the source: of every node that a model keeps from being refined the groups that the refinement would make, the smallest,
//! those below k and the rows in these. By local recoding that is said of the group that is nearest to being refined.

use client_tests::{connect, load_adult, load_taxonomies, rows, run, Database};

const QUASI_IDENTIFIER: [&str; 5] =
    ["capital_gain", "age", "marital_status", "education_num", "relationship"];
const TREES: [&str; 2] = ["marital_status", "relationship"];
const K: i64 = 50;

/// A release `r` of the table `people`, which is Adult with a number for each row.
fn setup(recoding: &str) -> Option<Database> {
    let mut db = connect();
    load_adult(&mut db)?;
    load_taxonomies(&mut db)?;
    run(&mut db, "CREATE TABLE people AS SELECT row_number() OVER () AS id, * FROM adult");
    run(&mut db, "CREATE TABLE under (attribute text, node text, child text, value text)");
    for column in TREES {
        // Of each node the values below, each with the child that it is under.
        run(
            &mut db,
            &format!(
                "INSERT INTO under WITH RECURSIVE below AS (
                   SELECT parent AS node, child, child AS value FROM tax_{column} WHERE parent IS NOT NULL
                   UNION ALL SELECT b.node, b.child, t.child FROM below b JOIN tax_{column} t ON t.parent = b.value)
                 SELECT '{column}', node, child, value FROM below"
            ),
        );
    }
    let columns = QUASI_IDENTIFIER.map(|column| format!("'{column}'")).join(", ");
    let trees = TREES.map(|column| format!("by_taxonomy('{column}', 'tax_{column}')")).join(", ");
    run(
        &mut db,
        &format!(
            "SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY[{columns}], {K}), 'income', ARRAY[{trees}], keep => '{{id}}',
                                  recoding => '{recoding}')"
        ),
    );
    Some(db)
}

/// A node that a model keeps from being refined.
struct Broken {
    attribute: String,
    node: String,
    reason: String,
    achieved: i64,
}

fn broken(db: &mut Database) -> Vec<Broken> {
    let query = "SELECT attribute, node, reason, achieved::int8 FROM release_explain('r') WHERE reason ~ 'would break k_anonymity'";
    let row = |row: postgres::Row| Broken {
        attribute: row.get(0),
        node: row.get(1),
        reason: row.get(2),
        achieved: row.get(3),
    };
    db.query(query, &[]).expect(query).into_iter().map(row).collect()
}

/// Of the groups that a refinement would make the least, those below k, all, and the rows in those below k.
type Counts = (i64, i64, i64, i64);

/// Counts what the refinement that is told of would make of the rows that are released as the node: together, or of
/// each group by itself.
fn counted(db: &mut Database, of: &Broken, each: bool) -> Vec<Counts> {
    let Broken { attribute, node, reason, .. } = of;
    let (_, told) = reason.split_once("split at ").unwrap_or_default();
    let part = match told.split_whitespace().next() {
        Some(at) => format!("s.{attribute} >= {at}"),
        None => {
            format!("(SELECT u.child FROM under u WHERE u.attribute = '{attribute}' AND u.node = $1 AND u.value = s.{attribute})")
        }
    };
    let groups = QUASI_IDENTIFIER.map(|column| format!("v.{column} AS group_{column}")).join(", ");
    let key = QUASI_IDENTIFIER.map(|column| format!("group_{column}")).join(", ");
    // Of groups of one class it is said that there is nothing to tell apart.
    let by = if each { format!("GROUP BY {key} HAVING min(one) <> max(other)") } else { String::new() };
    let query = format!(
        "SELECT min(n), count(*) FILTER (WHERE n < {K}), count(*), coalesce(sum(n) FILTER (WHERE n < {K}), 0)::int8
         FROM (SELECT {groups}, {part} AS part, count(*) AS n, min(s.income) AS one, max(s.income) AS other FROM r.people v JOIN people s USING (id)
               WHERE v.{attribute} = $1 GROUP BY {key}, part) g {by}"
    );
    let found = db.query(&query, &[node]).unwrap_or_else(|error| panic!("{query}: {error:?}"));
    found.into_iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect()
}

/// How the counts are told.
fn told((least, below, all, rows): Counts, made: &str) -> String {
    let (short, several) = (K - least, |n: i64| if n == 1 { "" } else { "s" });
    let [of_short, of_all, of_rows] = [short, all, rows].map(several);
    format!("{short} row{of_short} short in {below} of {all} {made}{of_all}, {rows} row{of_rows}")
}

#[test]
fn what_breaks_is_counted_again() {
    let Some(mut db) = setup("global") else { return };
    let broken = broken(&mut db);
    assert!(broken.len() >= 5, "{} nodes are kept from being refined", broken.len());
    for of in &broken {
        let counts = counted(&mut db, of, false);
        assert_eq!((counts.len(), counts[0].0), (1, of.achieved), "{}: {}", of.attribute, of.reason);
        assert!(of.reason.ends_with(&told(counts[0], "group")), "{:?}, not {}", counts[0], of.reason);
    }
}

#[test]
fn what_breaks_in_groups_is_counted_again() {
    let Some(mut db) = setup("local") else { return };
    let groups = |db: &mut Database, of: &Broken| {
        let query = format!(
            "SELECT count(DISTINCT ({})) FROM r.people WHERE {} = $1",
            QUASI_IDENTIFIER.join(", "),
            of.attribute
        );
        db.query_one(&query, &[&of.node]).expect("its groups").get::<_, i64>(0)
    };
    let broken = broken(&mut db);
    assert!(broken.len() >= 20, "{} nodes are kept from being refined", broken.len());
    let mut several = 0;
    for of in &broken {
        let all = groups(&mut db, of);
        several += usize::from(all > 1);
        let says = |text: String| of.reason.contains(&text);
        assert!(
            says(format!(" of {all} groups ")) || says(format!("all {all} groups ")) || all == 1,
            "{all}: {}",
            of.reason
        );
        let counts = counted(&mut db, of, true);
        // Each group has a point of its own where an interval would be split, and the one that is told of is the nearest's.
        let nearest = match of.reason.contains("split at ") {
            true => counts.iter().find(|counts| says(told(**counts, "part"))),
            false => counts.iter().filter(|(_, below, ..)| *below > 0).min_by_key(|(.., rows)| *rows),
        };
        let nearest = nearest.unwrap_or_else(|| panic!("no group is so: {}, {counts:?}", of.reason));
        // Of several that are as near any may be told of.
        let is = |counts: &&Counts| {
            counts.3 == nearest.3 && says(told(**counts, "part")) && counts.0 == of.achieved
        };
        assert!(counts.iter().any(|counts| is(&counts)), "{nearest:?}, not {}", of.reason);
    }
    assert!(several >= 5, "{several} nodes are released of several groups");
    assert_eq!(
        rows(&mut db, "SELECT count(*) FROM release_explain('r') WHERE reason ~ 'every model'"),
        ["(0)"]
    );
}
