//! The counts of single columns, finer than the cut, as a release keeps them, and how a column divides the rows.

use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, Values};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::destination::Destination;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::nodes::Nodes;
use crate::release::store::tables::COUNTED;
use crate::search::result::GeneralizedColumn;
use crate::terms::arguments::Arguments;
use crate::terms::labels::{LabelAndEnds, NULL};
use crate::terms::privacy_model::privacy_model;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Oid;
use topdown::measure::RecordClasses;
use topdown::progress::check_memory;
use topdown::refine::NodeId;
use topdown::table::Store;
use topdown::Code;

/// The counts of a column.
#[derive(Debug, Default)]
pub struct Counts {
    pub attribute: String,
    pub rows: Vec<Count>,
}

/// How many rows are of a node.
#[derive(Debug)]
pub struct Count {
    /// What the view shows of them: none for NULL, and by local recoding, where they are shown as several things.
    pub within: Option<String>,
    /// What the node is called, and the ends of an interval.
    pub node: LabelAndEnds,
    pub records: i64,
    /// Whether it is of several nodes; not known of what was read.
    pub of_several: bool,
}

/// How a column divides the rows: into parts of its codes. NULL, if it has no code, is the last.
pub struct Division<'a> {
    pub codes: &'a Store,
    pub part_of: Vec<Code>,
    pub parts: usize,
}

impl Division<'_> {
    /// The part of each row. Made where it is looked at: all columns together would take as much as the table does.
    pub fn classes(&self) -> Result<RecordClasses> {
        check_memory::<u8>(self.codes.memory_bytes())?;
        let mut of_records = self.codes.clone();
        of_records.renumber(&self.part_of, self.parts.saturating_sub(1) as Code)?;
        Ok(RecordClasses { of_records, count: self.parts })
    }

    /// Whether another one of the same codes has the same parts, however it numbers them.
    pub fn divides_as(&self, other: &Division) -> bool {
        let (mut there, mut back) = (HashMap::new(), HashMap::new());
        polled(self.part_of.iter().zip(&other.part_of)).all(|(&one, &other)| {
            *there.entry(one).or_insert(other) == other && *back.entry(other).or_insert(one) == one
        })
    }
}

impl Counts {
    /// What two nodes within one are called, of which readers could not tell which has how many rows.
    pub fn called_alike(&self) -> Option<&str> {
        let mut seen: HashSet<(&Option<String>, &LabelAndEnds)> = HashSet::new();
        let twice = polled(&self.rows).find(|count| !seen.insert((&count.within, &count.node)));
        twice.map(|count| count.node.0.as_deref().unwrap_or(NULL))
    }

    /// What a count of several nodes is called, if a value or another node is called so: readers would look for it there.
    pub fn called_as_a_value(&self, column: &GeneralizedColumn, any: &str) -> Option<&str> {
        let of_several = polled(&self.rows).filter(|count| count.of_several);
        let mut of_several: HashSet<&str> = of_several.filter_map(|count| count.node.0.as_deref()).collect();
        let nodes = if of_several.is_empty() { 0 } else { column.bound.hierarchy.nodes().len() };
        let labels = polled(0..nodes).map(|node| column.bound.node_label(node as NodeId, any));
        let labels: Vec<Option<String>> = labels.collect();
        // What NULLs are called among others that are counted with them.
        of_several.extend(labels.contains(&None).then_some(NULL));
        labels.into_iter().flatten().find_map(|label| of_several.get(label.as_str()).copied())
    }

    /// Of the current version, for one that shows its nodes coarser: `above` tells what is shown of those that were shown.
    pub fn rewound(
        existing: &ExistingRelease,
        attributes: &[String],
        above: impl Fn(usize, Option<&str>) -> Option<Option<String>>,
        nodes: &[Nodes],
    ) -> Result<Vec<Counts>> {
        let mut all = Vec::new();
        for (column, attribute) in attributes.iter().enumerate() {
            let mut rows = Counts::read(existing.private, existing.version, attribute)?;
            // What the cut does not have somebody has written there.
            rows.retain_mut(|count| {
                let within = above(column, count.within.as_deref());
                within.map(|within| count.within = within).is_some()
            });
            // What was shown of too few rows had no counts, and those of what is shown with it now would tell how many they were.
            let mut uncounted: HashMap<Option<String>, i64> = HashMap::new();
            for node in polled(nodes[column].cut()) {
                let shown = nodes[column].shown(node).map(String::from);
                *uncounted.entry(shown).or_default() += nodes[column].records[node];
            }
            for count in polled(&rows) {
                *uncounted.entry(count.within.clone()).or_default() -= count.records;
            }
            rows.retain(|count| uncounted.get(&count.within) == Some(&0));
            all.push(Counts { attribute: attribute.clone(), rows });
        }
        all.retain(|counts| !counts.rows.is_empty() && counts.called_alike().is_none());
        Ok(all)
    }

    /// Those of a column in a version, from the left.
    pub fn read(schema: Oid, version: i32, attribute: &str) -> Result<Vec<Count>> {
        if sql::relation_in(schema, COUNTED.name).is_none() {
            return Ok(Vec::new());
        }
        let table = Source::in_schema(schema, COUNTED.name)?;
        let query = format!(
            "SELECT n.within, n.node, n.lower, n.upper, n.records
             FROM ONLY {} t, ROWS FROM (pg_catalog.unnest(t.within), pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.lowers),
                  pg_catalog.unnest(t.uppers), pg_catalog.unnest(t.records)) WITH ORDINALITY AS n (within, node, lower, upper, records, place)
             WHERE t.attribute = $1 AND t.version = $2 ORDER BY n.place",
            table.qualified()
        );
        look_at(&table, &query, &[attribute.into(), version.into()], |row| {
            let node = (row.nullable(2)?, (row.nullable(3)?, row.nullable(4)?));
            Ok(Count { within: row.nullable(1)?, node, records: row.written(5)?, of_several: false })
        })
    }

    /// Writes those of a version.
    pub fn write(destination: &Destination, counts: &[Counts]) -> Result<()> {
        for (position, Counts { attribute, rows }) in (1i32..).zip(counts) {
            let texts = |text: &dyn Fn(&Count) -> Option<String>| sql::array(polled(rows).map(text));
            sql::run(
                &format!(
                    "INSERT INTO {} VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                    destination.object(COUNTED.name)
                ),
                &[
                    destination.version.into(),
                    position.into(),
                    attribute.as_str().into(),
                    texts(&|count| count.within.clone()),
                    texts(&|count| count.node.0.clone()),
                    texts(&|count| count.node.1 .0.clone()),
                    texts(&|count| count.node.1 .1.clone()),
                    sql::array(polled(rows).map(|count| Some(count.records))),
                ],
            )?;
        }
        Ok(())
    }
}

/// Whether a column has no counts because of a model. What infers a sensitive value is told no finer than the search disclosed it.
/// A value that has rows enough and is suppressed all the same breaks a model where it is: by groups that are refined one at a time and
/// clusters, counts less what is shown tell how many of its rows these are; of a population everybody knows how many have it.
pub fn is_uncounted(arguments: &Arguments, name: &str) -> bool {
    arguments.privacy.iter().any(|model| match model {
        _ if arguments.is_by_group() => model.sensitive().is_some() || model.population().is_some(),
        privacy_model::ConfidenceBound(_) | privacy_model::KMap(_) => {
            model.attributes().iter().any(|column| column == name)
        }
        _ => false,
    })
}
