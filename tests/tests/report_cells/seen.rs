//! A recipient's page, written a second time from what a recipient may read: the view, `cut`, `about`, and comments.

use client_tests::number;
use postgres::Client;
use serde_json::Value;

/// The one value that a query gives.
pub fn one<T: for<'a> postgres::types::FromSql<'a>>(db: &mut Client, query: &str) -> T {
    db.query_one(query, &[]).unwrap_or_else(|error| panic!("{query}: {error:?}")).get(0)
}

/// A release as its recipient sees it.
pub struct Seen<'d> {
    pub db: &'d mut Client,
    release: String,
    /// The view, as SQL calls it.
    view: String,
    class: Option<String>,
    classes: Vec<String>,
    rows: i64,
}

impl<'d> Seen<'d> {
    pub fn new(db: &'d mut Client, release: &str) -> Seen<'d> {
        let view: String = one(
            db,
            &format!(
                "SELECT format('%I.%I', '{release}', relname) FROM pg_class
                 WHERE relnamespace = '{release}'::regnamespace AND relkind = 'v' AND relname NOT IN ('cut', 'about') AND has_table_privilege(oid, 'SELECT')"
            ),
        );
        let class: Option<String> = one(db, &format!("SELECT class FROM {release}.about"));
        let classes = class.as_ref().map_or(Vec::new(), |class| {
            let query =
                format!("SELECT {class}::text FROM {view} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 5");
            db.query(&query, &[]).expect("classes").iter().map(|row| row.get(0)).collect()
        });
        let rows = number(db, &format!("SELECT rows FROM {release}.about"));
        assert_eq!(number(db, &format!("SELECT count(*) FROM {view}")), rows);
        Seen { db, release: release.into(), view, class, classes, rows }
    }

    pub fn masked(&mut self) -> Vec<String> {
        one(self.db, &format!("SELECT masked FROM {}.about", self.release))
    }

    /// The page, as pieces: their tags and texts.
    pub fn page(&mut self) -> Vec<(String, String)> {
        let mut said = Said::default();
        self.head(&mut said);
        self.models(&mut said);
        self.sizes(&mut said);
        said.piece("h2", "Masked columns");
        said.piece("p", "What each column is released as, and in how many rows.");
        if self.class.is_some() {
            let classes: String = self.classes.iter().map(|class| format!(" | {class}")).collect();
            said.piece("p", format!("Classes:{classes} | others"));
        }
        for column in self.masked() {
            self.column(&column, &mut said);
        }
        self.kept(&mut said);
        said.0
    }

    fn head(&mut self, said: &mut Said) {
        let about = format!("{}.about", self.release);
        let text = |db: &mut Client, what: &str| one::<String>(db, &format!("SELECT {what} FROM {about}"));
        said.piece("h1", text(self.db, "'Release ' || release"));
        said.term("View", &self.view);
        let made =
            "version || ', of ' || to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC'";
        said.term("Version", text(self.db, made));
        let withheld =
            "rows || CASE WHEN withheld > 0 THEN ', ' || withheld || ' more are withheld' ELSE '' END";
        said.term("Rows", text(self.db, withheld));
        // The cut shows it: values of clusters lie within one another.
        let overlap = "Values of a column may overlap, and counts by them are no histogram";
        let recoding = match &*self.release {
            "clustered" => format!("clusters of rows, each released by itself. {overlap}"),
            "local" | "star_and_values" | "null_over_tops" => {
                format!("local: each group of rows is released by itself. {overlap}")
            }
            _ => "global: a value of a column is released alike in all rows".into(),
        };
        said.term("Recoding", recoding);
        if let Some(class) = &self.class {
            said.term("Made to predict", class);
        }
    }

    fn models(&mut self, said: &mut Said) {
        said.piece("h2", "Privacy");
        said.piece("p", "What was asked for.");
        said.piece("th", "Model");
        let models: Value = one(self.db, &format!("SELECT privacy FROM {}.about", self.release));
        for model in models.as_array().expect("models") {
            let (name, given) = model.as_object().and_then(|model| model.iter().next()).expect("a model");
            let given =
                given.as_object().expect("what is asked").iter().filter(|(_, value)| !value.is_null());
            let text = |value: &Value| match value {
                Value::String(text) => text.clone(),
                Value::Array(all) => {
                    all.iter().map(|one| one.as_str().expect("a name")).collect::<Vec<_>>().join(", ")
                }
                other => other.to_string(),
            };
            let given: Vec<String> = given.map(|(what, value)| format!("{what}: {}", text(value))).collect();
            said.piece("td", in_any_order(&format!("{name}({})", given.join("; "))));
        }
    }

    /// The sizes of the groups of rows that are alike on all masked columns, and of how many each is.
    pub fn groups(&mut self) -> Vec<(i64, i64)> {
        let masked = self.masked().join(", ");
        let query = format!("SELECT n, count(*) FROM (SELECT count(*) AS n FROM {} GROUP BY {masked}) g GROUP BY 1 ORDER BY 1", self.view);
        self.db.query(&query, &[]).expect("groups").iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    fn sizes(&mut self, said: &mut Said) {
        let sizes = self.groups();
        let (least, most) = (sizes[0].0, sizes[sizes.len() - 1].0);
        let groups: i64 = sizes.iter().map(|(_, groups)| groups).sum();
        let average = (self.rows as f64 / groups as f64 * 10.0).round() / 10.0;
        said.piece("h2", "Group sizes");
        said.piece("figcaption", format!("{groups} group{} of rows that are alike on all masked columns: the smallest has {least} rows, the largest {most}, on average {average}.", if groups == 1 { "" } else { "s" }));
    }

    fn column(&mut self, column: &str, said: &mut Said) {
        let (release, view) = (self.release.clone(), self.view.clone());
        said.piece("h3", column);
        let comment: String = one(self.db, &format!("SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = '{view}'::regclass AND attname = '{column}'"));
        // Behind it stands what to do where values overlap.
        let kind = match comment.split(';').next().unwrap_or_default() {
            "generalized along a taxonomy" => "taxonomy",
            "generalized to intervals" => "intervals",
            "suppressed, or disclosed" => "suppression",
            other => panic!("{other}"),
        };
        let tells = self.class.clone().map_or(String::new(), |class| {
            // What is known of the class together with the column, less what is known of each by itself.
            let entropy = |of: &str| format!("(SELECT sum(-n / {0}.0 * log(2.0, n / {0}.0)) FROM (SELECT count(*) AS n FROM {view} GROUP BY {of}) g)", self.rows);
            let bits: f64 = one(self.db, &format!("SELECT ({} + {} - {})::float8", entropy(column), entropy(&class), entropy(&format!("{column}, {class}"))));
            format!(" It tells {:.4} bits of the class.", bits.abs())
        });
        said.piece("p", format!("Masked by {kind}.{tells}"));
        let both_ends = intervals(self.db, &release, column).len();
        if both_ends > 1 {
            said.piece(
                "figcaption",
                format!("The {both_ends} intervals with both ends, as high as their rows are dense."),
            );
        }
        for head in ["Value", "rows", "share"].into_iter().map(String::from).chain(self.classes.clone()) {
            said.piece("th", head);
        }
        let nodes = self
            .db
            .query(&format!("SELECT node, records FROM {release}.cut WHERE attribute = '{column}'"), &[])
            .expect("a cut");
        for node in nodes {
            let (label, records): (Option<String>, i64) = (node.get(0), node.get(1));
            said.piece("td", label.clone().unwrap_or("NULL".into()));
            said.piece("td", records.to_string());
            let of_class: Vec<i64> = (self.classes.iter())
                .map(|class| {
                    let wanted = self.class.as_ref().expect("a class");
                    let counted = self.db.query_one(&format!("SELECT count(*) FROM {view} WHERE {column}::text IS NOT DISTINCT FROM $1 AND {wanted}::text = $2"), &[&label, class]);
                    counted.expect("a count").get(0)
                })
                .collect();
            let others = records - of_class.iter().sum::<i64>();
            let widths = of_class
                .iter()
                .chain([&others])
                .map(|&n| format!(" {:.2}%", 100.0 * n as f64 / self.rows as f64));
            said.piece("td", widths.collect::<String>());
            of_class.iter().for_each(|n| said.piece("td", n.to_string()));
        }
    }

    fn kept(&mut self, said: &mut Said) {
        let view = self.view.clone();
        let masked = self.masked();
        let columns = self.db.query(&format!("SELECT attname::text FROM pg_attribute WHERE attrelid = '{view}'::regclass AND attnum > 0 ORDER BY attnum"), &[]).expect("columns");
        let columns: Vec<String> = columns.iter().map(|row| row.get(0)).collect();
        let is_end = |name: &&String| {
            ["_lo", "_hi"]
                .iter()
                .any(|end| name.strip_suffix(end).is_some_and(|of| masked.iter().any(|m| m == of)))
        };
        let kept: Vec<&String> =
            columns.iter().filter(|name| !masked.contains(name)).filter(|name| !is_end(name)).collect();
        if kept.is_empty() {
            return;
        }
        said.piece("h2", "Columns released unchanged");
        said.piece(
            "p",
            "Who knows a value of such a column finds the rows that hold it: no model looks at that.",
        );
        ["Column", "values", "rows with a value of their own", ""]
            .into_iter()
            .for_each(|head| said.piece("th", head));
        for name in kept {
            let counted = self.db.query_one(&format!("SELECT count(*), count(*) FILTER (WHERE n = 1) FROM (SELECT count(*) AS n FROM {view} GROUP BY {name}) g"), &[]).expect("values");
            let (distinct, single): (i64, i64) = (counted.get(0), counted.get(1));
            let warning = if single * 2 > self.rows {
                "looks like an identifier: most rows have a value of their own"
            } else if distinct * 2 > (self.rows / 5).max(1) {
                "has nearly as many values as there may be persons: rows of one could be joined by it"
            } else {
                ""
            };
            [name.clone(), distinct.to_string(), single.to_string(), warning.into()]
                .into_iter()
                .for_each(|text| said.piece("td", text));
        }
    }
}

/// The intervals of numbers with both ends, and their rows.
pub fn intervals(db: &mut Client, release: &str, column: &str) -> Vec<(f64, f64, i64)> {
    let ends = db
        .query(&format!("SELECT lower, upper, records FROM {release}.cut WHERE attribute = '{column}'"), &[])
        .expect("ends");
    let end = |text: Option<String>| text?.parse::<f64>().ok();
    let both = ends.iter().filter_map(|row| Some((end(row.get(0))?, end(row.get(1))?, row.get(2))));
    both.filter(|(lower, upper, _)| lower < upper).collect()
}

/// What a page is to say.
#[derive(Default)]
struct Said(Vec<(String, String)>);

impl Said {
    fn piece(&mut self, tag: &str, text: impl Into<String>) {
        self.0.push((tag.into(), text.into()));
    }
    fn term(&mut self, term: &str, text: impl Into<String>) {
        self.piece("dt", term);
        self.piece("dd", text);
    }
}

/// A model in words, whatever the order of what it asks for.
pub fn in_any_order(model: &str) -> String {
    let (name, given) = model.split_once('(').unwrap_or_else(|| panic!("{model} is no model"));
    let mut given: Vec<&str> = given.trim_end_matches(')').split("; ").collect();
    given.sort_unstable();
    format!("{name}({})", given.join("; "))
}
