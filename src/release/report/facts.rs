//! What a report tells of a release: counted from what is published and, for the owner, from the steps, the
//! versions and the source.
//!
//! A recipient is told nothing that the view, the cut and `about` do not show: neither the nodes above the cut
//! nor measures, risks, steps, versions or anything of the source.

use super::column::{in_words, told_of_each, Column};
use crate::postgres::error::{number, some_of, Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, first, quote, Values};
use crate::postgres::subtransaction::answer;
use crate::postgres::text::{clipped, clipped_to};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::measure::drift::{self, Drift};
use crate::release::measure::measures::{self, Release};
use crate::release::measure::verify::{recount, Verdict};
use crate::release::store::comments::kept_as;
use crate::release::store::means::mean_column;
use crate::release::store::tables::COUNTS;
use crate::release::trace::tree;
use crate::release::trace::Version;
use crate::terms::arguments::Arguments;
use crate::terms::calls::word;
use crate::terms::privacy_model::groups::key;
use crate::terms::privacy_model::privacy_model;
use crate::terms::words::{Audience, Changes, Recoding, Verb};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use topdown::measure::EquivalenceClass;

/// Columns that are told of one by one; steps and versions, too.
pub const COLUMNS: usize = 60;

/// Classes that are told apart; what is left are the others.
pub const CLASSES: usize = 5;

/// A release, as a report tells of it.
pub struct Facts {
    pub release: String,
    pub view: String,
    pub rows: i64,
    pub version: i32,
    pub made: String,
    /// Whether a rewind has made it.
    pub is_rewound: bool,
    /// How many rows are withheld; of batches only the owner learns it, because the number follows single rows.
    pub withheld: Option<i64>,
    /// Whether rare rows may be withheld.
    pub may_withhold: bool,
    pub class: Option<String>,
    /// Whether a value is released alike in all rows, in words.
    pub recoding: String,
    /// Whether changes are batched.
    pub is_batched: bool,
    /// The classes that are told apart, the most frequent first.
    pub classes: Vec<Option<String>>,
    /// What was asked for, in words; for the owner with what was found.
    pub models: Vec<(String, Option<Verdict>)>,
    /// What each of them promises.
    pub promises: Vec<String>,
    /// Whether groups of rows show a value in several ways, and of which columns they do not.
    pub overlaps: bool,
    pub alike: Vec<String>,
    /// The columns of means, and in which share of the rows each has one.
    pub means: Vec<(String, f64)>,
    /// The columns of which there are counts.
    pub counts: Vec<String>,
    /// How far off counts by two columns are, and averages, where recipients are told.
    pub off: [Option<f64>; 2],
    pub columns: Vec<Column>,
    /// Columns of which only that is told.
    pub more_columns: usize,
    pub kept: Vec<KeptColumn>,
    /// How many groups there are of a size, the smallest first.
    pub sizes: Vec<(u64, u64)>,
    /// The largest size that a model asks of groups, as far as no group is smaller: one of some columns only says nothing of
    /// groups by all of them.
    pub k: Option<u64>,
    /// What is counted in a group: rows, or persons.
    pub counted: &'static str,
    pub owner: Option<Owner>,
}

/// A column that is kept.
pub struct KeptColumn {
    pub name: String,
    /// What its values are, where they are not quite the source's.
    pub masked: Option<&'static str>,
    pub distinct: i64,
    /// How many rows hold a value that no other row holds.
    pub single: i64,
}

/// What only the owner is told.
pub struct Owner {
    pub source: String,
    /// Who may read the view beside the owner.
    pub readers: Vec<String>,
    /// How it was searched, as the arguments of its verb.
    pub searched: String,
    /// How many persons there are, where these are counted.
    pub persons: Option<i64>,
    pub measures: Vec<(String, f64)>,
    pub risks: Vec<(String, f64, f64, f64)>,
    pub steps: Vec<Step>,
    pub more_steps: usize,
    pub drift: Vec<Drift>,
}

/// A step of the search.
pub struct Step {
    pub number: i32,
    pub attribute: String,
    pub node: Option<String>,
    pub rows: i64,
    pub info_gain: f64,
    pub score: f64,
    /// The first model's measure after it.
    pub achieved: Option<f64>,
}

impl Facts {
    /// Those of a release, for an audience.
    pub fn of(name: &str, audience: Audience, share: Option<f64>) -> Result<Facts> {
        let release = Release::open(name)?;
        let owners = audience == Audience::Owner;
        let Release { existing, parameters, view, .. } = &release;
        let arguments = &parameters.arguments;
        let about = Source::in_schema(existing.schema, "about")?;
        let query = format!(
            "SELECT pg_catalog.to_char(created_at, 'YYYY-MM-DD HH24:MI TZ'), rows FROM {}",
            about.qualified()
        );
        let about =
            look_at(&about, &query, &[], |row| Ok((row.written::<String>(1)?, row.written::<i64>(2)?)))?;
        let about = about.into_iter().next();
        let (made, rows) = about.ok_or_else(|| {
            SqlError::state("the release says nothing about itself").detail("Its view about has no row.")
        })?;
        let verdicts = if owners {
            let version = Version::of(existing, existing.version)?;
            recount(view, Some(&release.version_table()?), Some(&version), parameters)?
                .into_iter()
                .map(Some)
                .collect()
        } else {
            arguments.privacy.iter().map(|_| None).collect::<Vec<_>>()
        };
        let classes = match &arguments.class {
            Some(class) => most_frequent(view, class)?,
            None => Vec::new(),
        };
        // Clusters are released as what holds their values, which is no tree.
        let mut trees = match owners && !arguments.clusters() {
            true => tree::of(existing, existing.version)?,
            false => HashMap::new(),
        };
        let source = if owners { answer(|| existing.open_source()).ok() } else { None };
        let told = &parameters.columns[..parameters.columns.len().min(COLUMNS)];
        let most = told_of_each(told.len());
        let columns = told.iter().map(|mask| {
            let shown = (&classes[..], trees.remove(&mask.name));
            Column::new(mask, &release, shown, (audience, source.as_ref()), most)
        });
        let columns = columns.collect::<Result<Vec<Column>>>()?;
        let groups = release.equivalence_classes()?;
        // Of how many persons a group is, a recipient cannot count.
        let (counted, size): (_, fn(&EquivalenceClass) -> u64) = match release.person()? {
            Some(_) if owners => ("persons", |group| group.persons),
            _ => ("rows", |group| group.rows),
        };
        let mut sizes = BTreeMap::new();
        polled(&groups).for_each(|group| *sizes.entry(size(group)).or_default() += 1);
        let least = sizes.keys().next().copied().unwrap_or_default();
        let asked = arguments.privacy.iter().filter_map(|model| match model {
            privacy_model::KAnonymity(model) => u64::try_from(model.k).ok(),
            _ => None,
        });
        let k = asked.filter(|&k| k <= least).max();
        let is_batched = arguments.changes == Changes::Batched;
        let owner = if owners { Some(Owner::new(&release, share)?) } else { None };
        Ok(Facts {
            release: name.to_string(),
            view: view.qualified(),
            rows,
            version: existing.version,
            made,
            is_rewound: parameters.is_rewound(),
            withheld: Some(parameters.withheld).filter(|_| owners || !is_batched),
            may_withhold: arguments.withhold > 0.0,
            class: arguments.class.clone(),
            recoding: recoding(arguments),
            is_batched,
            classes,
            promises: arguments
                .privacy
                .iter()
                .map(|model| clipped_to(&model.promise(), 400).into_owned())
                .collect(),
            overlaps: arguments.is_by_group(),
            alike: arguments.show.clone(),
            means: means(&release)?,
            counts: counts(&release)?,
            off: ["/count/2", "/avg/2"].map(|of| parameters.query_error.as_ref()?.pointer(of)?.as_f64()),
            models: arguments.privacy.iter().map(|model| in_words(&model.to_json())).zip(verdicts).collect(),
            more_columns: parameters.columns.len() - columns.len(),
            columns,
            kept: kept(&release)?,
            sizes: sizes.into_iter().collect(),
            k,
            counted,
            owner,
        })
    }
}

/// Whether a value is released alike in all rows, and what that does to counts.
fn recoding(arguments: &Arguments) -> String {
    let Some(how) = (match (arguments.clustering(), arguments.recoding) {
        (Some(_), _) => Some("clusters of rows, each released by itself"),
        (None, Recoding::Local) => Some("local: each group of rows is released by itself"),
        _ => None,
    }) else {
        return "global: a value of a column is released alike in all rows".into();
    };
    let alike = match &arguments.show[..] {
        [] => String::new(),
        shown => format!("; those of {} do not", some_of(shown)),
    };
    format!("{how}. Values of a column may overlap, and counts by them are no histogram{alike}")
}

/// How a release was searched.
fn searched(arguments: &Arguments) -> String {
    let Arguments { verb, score, split, withhold, endpoints, max_steps, .. } = arguments;
    let mut words = vec![word(verb)];
    if *verb != Verb::KMember {
        words.push(format!("score {}", word(score)));
        words.push(format!("split {}", word(split)));
    }
    words.push(format!("endpoints {}", word(endpoints)));
    words.extend((*withhold > 0.0).then(|| format!("withhold {}", number(*withhold))));
    words.extend(max_steps.map(|steps| format!("max_steps {steps}")));
    words.join(", ")
}

/// The most frequent values of a column, as texts; none for NULL.
fn most_frequent(view: &Source, column: &str) -> Result<Vec<Option<String>>> {
    let (key, text) = (key(view, column)?, view.type_of(view.column(column)?).sql_text(&quote(column)));
    let query = format!(
        "SELECT pg_catalog.min({text}) FROM {} GROUP BY {key} ORDER BY pg_catalog.count(*) DESC, 1 LIMIT {CLASSES}",
        view.qualified()
    );
    look_at(view, &query, &[], first)
}

/// The columns that are kept.
fn kept(release: &Release) -> Result<Vec<KeptColumn>> {
    let Release { parameters, view, .. } = release;
    let is_kept = |name: &&String| {
        parameters.mask(name).is_none() && parameters.end(name).is_none() && !parameters.is_mean(name)
    };
    let names: Vec<&String> = view.columns.iter().map(|column| &column.name).filter(is_kept).collect();
    let one = |&name: &&String| {
        let query = format!(
            "SELECT pg_catalog.count(*), pg_catalog.count(*) FILTER (WHERE g.n = 1)
             FROM (SELECT pg_catalog.count(*) AS n FROM {} GROUP BY {}) g",
            view.qualified(),
            key(view, name)?
        );
        let counted = look_at(view, &query, &[], |row| Ok((row.written::<i64>(1)?, row.written::<i64>(2)?)))?;
        let counted = counted.first().copied();
        let (distinct, single) = counted.ok_or_else(|| SqlError::internal("values were not counted"))?;
        Ok(KeptColumn { name: name.clone(), masked: kept_as(parameters, name), distinct, single })
    };
    names.iter().take(COLUMNS).map(one).collect()
}

impl Owner {
    fn new(release: &Release, share: Option<f64>) -> Result<Owner> {
        let Release { existing, .. } = release;
        let steps = Source::in_schema(existing.private, "steps")?;
        let query = format!(
            "SELECT step, attribute, node, records, info_gain, score, achieved[1] FROM {} WHERE version = $1 ORDER BY step",
            steps.qualified()
        );
        let steps = look_at(&steps, &query, &[existing.version.into()], |row| {
            Ok(Step {
                number: row.written::<i32>(1)?,
                attribute: row.written::<String>(2)?,
                node: row.nullable::<String>(3)?.map(|node| clipped(&node).into_owned()),
                rows: row.written::<i64>(4)?,
                info_gain: row.written::<f64>(5)?,
                score: row.written::<f64>(6)?,
                achieved: row.nullable::<f64>(7)?,
            })
        })?;
        Ok(Owner {
            source: existing.source.clone(),
            readers: readers(&release.view)?,
            searched: searched(&release.parameters.arguments),
            persons: release.persons()?,
            measures: measures::of(release)?,
            risks: release.risks_of_all(RISKY, share)?,
            more_steps: steps.len().saturating_sub(COLUMNS),
            steps,
            drift: drift::of(existing)?,
        })
    }
}

/// The columns of means, and in which share of the rows each has one.
fn means(release: &Release) -> Result<Vec<(String, f64)>> {
    let view = &release.view;
    let share = |name: &String| {
        let name = mean_column(name);
        let query = format!(
            "SELECT COALESCE(pg_catalog.count({})::float8 / NULLIF(pg_catalog.count(*), 0), 1) FROM {}",
            quote(&name),
            view.qualified()
        );
        let share = look_at(view, &query, &[], |row| row.written::<f64>(1))?.first().copied();
        Ok((name, share.ok_or_else(|| SqlError::internal("means were not counted"))?))
    };
    release.parameters.arguments.means.iter().map(share).collect()
}

/// The columns of which the view of counts tells more than how many rows there are.
fn counts(release: &Release) -> Result<Vec<String>> {
    let view = sql::relation_in(release.existing.schema, COUNTS);
    if !view.map_or(Ok(false), sql::may_read)? {
        return Ok(Vec::new());
    }
    let view = Source::in_schema(release.existing.schema, COUNTS)?;
    let query = format!(
        "SELECT attribute FROM {} GROUP BY attribute HAVING pg_catalog.count(*) > 1 ORDER BY attribute",
        view.qualified()
    );
    look_at(&view, &query, &[], |row| row.written(1))
}

/// The roles that were granted the view, everybody first.
fn readers(view: &Source) -> Result<Vec<String>> {
    let query = "SELECT CASE a.grantee WHEN 0 THEN 'everybody' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END
                 FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
                 WHERE c.oid = $1 AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner GROUP BY a.grantee ORDER BY a.grantee <> 0, 1";
    sql::rows(query, &[view.oid.into()], |row| row.not_null(1))
}

/// Who is found with a greater probability is at risk: as release_risk() has it by default.
pub const RISKY: f64 = 0.2;
