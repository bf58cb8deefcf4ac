//! Measures and risks of a release, from what is published: the view's classes, and what the cut
//! and the taxonomy say about its values.
//!
//! A value's loss is its width by the column's (Campan, Cooper, Truta, Definition 7): of intervals
//! and of taxonomies of intervals by their ends, of other taxonomies by their leaves; anything
//! that is suppressed loses all. The manifest says how each column is masked and, for open ends,
//! the data's least and greatest value.

use super::manifest::{must_exist, Existing, Rights};
use super::parameters::{Mask, MaskedAs, Parameters};
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::progress::{polled, Interrupts, Watch};
use crate::postgres::sql::{first, quote, quoted_list};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::terms::privacy_model::groups::key;
use crate::terms::privacy_model::privacy_model;
use crate::terms::words::Intervals;
use hashbrown::HashMap;
use topdown::loss;
use topdown::measure::{self, Attacker, EquivalenceClass};
use topdown::progress::Reservation;

/// What is needed of a released value.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    /// Its width by the column's.
    loss: f64,
    /// The share of the leaves it stands for, 0 for a single one.
    penalty: f64,
    /// How far it is generalized up the tree's height; none where there is no tree.
    height: Option<f64>,
    suppressed: bool,
}

/// A row of the taxonomy.
#[derive(Debug)]
struct Node {
    label: Option<String>,
    parent: Option<String>,
    lower: Option<String>,
    upper: Option<String>,
    depth: i32,
    in_cut: bool,
}

/// A row of the cut: label, lower and upper end.
type CutRow = (Option<String>, Option<String>, Option<String>);

/// Where an end lies, of types whose values lie on a line.
fn position(ty: Option<Type>, text: Option<&str>) -> Option<f64> {
    ty?.parse(text?).ok().and_then(|value| ty?.position(value))
}

/// A release that is measured, all of it as at one moment.
struct Release {
    existing: Existing,
    parameters: Parameters,
    view: Source,
    _rights: Rights,
}

impl Release {
    fn open(name: &str) -> Result<Release> {
        let (existing, _rights) = must_exist(name, Mode::Read)?;
        let view = Source::in_schema(existing.schema, existing.view.as_str())?;
        Ok(Release { parameters: existing.parameters()?, existing, view, _rights })
    }

    /// The masked columns.
    fn masks(&self) -> &[Mask] {
        &self.parameters.columns
    }

    /// Each class: its rows, and of each masked column the value's text.
    fn classes(&self, memory: &mut Reservation) -> Result<Vec<(u64, Vec<Option<String>>)>> {
        let names = quoted_list(self.masks().iter().map(|m| m.name.as_str()));
        let text = |mask: &Mask| {
            let column = quote(&mask.name);
            if self.as_ranges(mask) {
                // A range is known by where it begins; its text is not that of the cut.
                format!(
                    "CASE WHEN {column} IS NOT NULL THEN COALESCE(pg_catalog.lower({column})::text, '') END"
                )
            } else {
                format!("{column}::text")
            }
        };
        let texts: Vec<String> = self.masks().iter().map(text).collect();
        let query = format!(
            "SELECT pg_catalog.count(*), {} FROM {} GROUP BY {names}",
            texts.join(", "),
            self.view.qualified()
        );
        look_at(&self.view, &query, &[], |row| {
            let values = (0..texts.len()).map(|i| Ok(row.get::<String>(i + 2)?));
            let values = values.collect::<Result<Vec<Option<String>>>>()?;
            memory.grow_by::<(EquivalenceClass, [Option<String>; 1])>(values.len().max(1))?;
            memory.grow(values.iter().flatten().map(String::capacity).sum())?;
            Ok((row.get::<i64>(1)?.unwrap_or_default() as u64, values))
        })
    }

    /// Whether a column's intervals are released as ranges.
    fn as_ranges(&self, mask: &Mask) -> bool {
        mask.masked == MaskedAs::Intervals && self.parameters.arguments.intervals == Intervals::Range
    }

    /// The suppressed values' label.
    fn any(&self) -> &str {
        self.parameters.arguments.suppressed.as_deref().unwrap_or("*")
    }

    /// What is needed of each released value of a column.
    fn values(&self, mask: &Mask, memory: &mut Reservation) -> Result<HashMap<Option<String>, Value>> {
        let values = match mask.masked {
            MaskedAs::Suppression => self.suppressed_values(mask),
            MaskedAs::Intervals => self.intervals(mask),
            MaskedAs::Taxonomy => self.nodes(mask),
        }?;
        memory.grow_by::<(Option<String>, Value, u8)>(values.capacity())?;
        memory.grow(values.keys().flatten().map(String::capacity).sum())?;
        Ok(values)
    }

    fn cut(&self, mask: &Mask) -> Result<Vec<CutRow>> {
        let cuts = Source::in_schema(self.existing.schema, "cuts")?;
        let cuts_of = "WHERE attribute = $1 AND version = $2";
        let query = format!("SELECT node, lower, upper FROM {} {cuts_of}", cuts.qualified());
        let args = [mask.name.as_str().into(), self.existing.version.into()];
        look_at(&cuts, &query, &args, |row| Ok((row.get(1)?, row.get(2)?, row.get(3)?)))
    }

    fn suppressed_values(&self, mask: &Mask) -> Result<HashMap<Option<String>, Value>> {
        let value = |label: Option<String>| {
            let suppressed = label.as_deref() == Some(self.any());
            let all = f64::from(u8::from(suppressed));
            (label, Value { loss: all, penalty: all, height: Some(all), suppressed })
        };
        Ok(self.cut(mask)?.into_iter().map(|(label, ..)| value(label)).collect())
    }

    fn intervals(&self, mask: &Mask) -> Result<HashMap<Option<String>, Value>> {
        let ty = Type::on_a_line(&mask.type_name);
        let at = |text: &Option<String>| position(ty, text.as_deref());
        let whole = at(&mask.lower).zip(at(&mask.upper));
        let value = |(label, lower, upper): CutRow| {
            let suppressed = label.as_deref() == Some(self.any()) && lower.is_none() && upper.is_none();
            let single = label.is_none() || lower.is_some() && lower == upper;
            let loss = match whole {
                _ if suppressed => loss::SUPPRESSED,
                _ if single => loss::SINGLE,
                // Of types that measure nothing, an interval may be anything.
                None => loss::SUPPRESSED,
                Some((least, greatest)) => loss::of_interval(at(&lower), at(&upper), least, greatest),
            };
            (label, Value { loss, penalty: loss, height: None, suppressed })
        };
        let cut = self.cut(mask)?;
        if !self.as_ranges(mask) {
            return Ok(cut.into_iter().map(value).collect());
        }
        // The top is released as (,), whatever its domain.
        let whole = cut.iter().filter(|(label, ..)| label.is_some()).count() == 1;
        let bound = ty.and_then(|ty| ty.range_bound());
        let bound = bound
            .ok_or_else(|| SqlError::state("a release's manifest tells of ranges of a type that has none"))?;
        let key = |row: &CutRow| match row {
            (None, ..) => None,
            (_, Some(lower), _) if !whole => bound.parse(lower).ok().map(|value| bound.text(value)),
            _ => Some(String::new()),
        };
        Ok(cut.into_iter().map(|row| (key(&row), value(row).1)).collect())
    }

    fn nodes(&self, mask: &Mask) -> Result<HashMap<Option<String>, Value>> {
        let taxonomy = Source::in_schema(self.existing.schema, "taxonomy")?;
        let query = format!(
            "SELECT node, parent, lower, upper, depth, in_cut FROM {} WHERE attribute = $1 AND version = $2 ORDER BY depth DESC",
            taxonomy.qualified()
        );
        let args = [mask.name.as_str().into(), self.existing.version.into()];
        let rows = look_at(&taxonomy, &query, &args, |row| {
            Ok(Node {
                label: row.get(1)?,
                parent: row.get(2)?,
                lower: row.get(3)?,
                upper: row.get(4)?,
                depth: row.get(5)?.unwrap_or_default(),
                in_cut: row.get(6)?.unwrap_or_default(),
            })
        })?;
        let ty = Type::on_a_line(&mask.type_name);
        let at = |text: &Option<String>| position(ty, text.as_deref());
        // From the leaves up: how many there are below a node, and how far below the lowest is. A
        // taxonomy may itself call a node what suppressed values are called, so depth tells them apart.
        let mut below: HashMap<(Option<&str>, i32), (u64, u32)> = HashMap::new();
        for Node { label, parent, depth, .. } in polled(&rows) {
            let (leaves, height) = *below.entry((label.as_deref(), *depth)).or_insert((1, 0));
            // NULL is no leaf of the column's tree.
            if label.is_some() && *depth > 0 {
                let above = below.entry((parent.as_deref(), depth - 1)).or_insert((0, 0));
                above.0 += leaves;
                above.1 = above.1.max(height + 1);
            }
        }
        // Over NULLs stands a node of our own.
        let top = rows.iter().find(|node| node.label.is_some() && node.depth == i32::from(mask.nulls));
        let Some(top) = top else { return Ok(HashMap::new()) };
        let (all, most) = below[&(top.label.as_deref(), top.depth)];
        let ends = |node: &Node| at(&node.lower).zip(at(&node.upper));
        let whole = ends(top).filter(|(lower, upper)| lower < upper);
        let value = |node: &Node| {
            let over_null = mask.nulls && node.depth == 0;
            let (leaves, height) = match &node.label {
                None => (1, 0),
                Some(label) => below[&(Some(label.as_str()), node.depth)],
            };
            let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
            let loss = match node.label {
                _ if over_null => loss::SUPPRESSED,
                None => loss::SINGLE,
                Some(_) => loss::of_node(ends(node), whole, leaves as usize, all as usize),
            };
            let penalty = if over_null {
                loss::SUPPRESSED
            } else if whole.is_some() || leaves <= 1 {
                loss
            } else {
                leaves as f64 / all as f64
            };
            let height = if over_null { 1.0 } else { share(f64::from(height), f64::from(most)) };
            Value { loss, penalty, height: Some(height), suppressed: over_null }
        };
        // Where two nodes are called the same, what is released counts; of two released, the top.
        let mut values: HashMap<Option<String>, Value> = HashMap::new();
        for node in polled(&rows).filter(|node| node.in_cut) {
            values.insert(node.label.clone(), value(node));
        }
        Ok(values)
    }
}

/// All measures of a release; those of a column are named `measure:column`.
pub fn measures(release: &str) -> Result<Vec<(String, f64)>> {
    let (release, watch) = (Release::open(release)?, Watch::new());
    let mut memory = Reservation::empty(&watch);
    let values =
        release.masks().iter().map(|m| release.values(m, &mut memory)).collect::<Result<Vec<_>>>()?;
    let classes = release.classes(&mut memory)?;
    let of = |column: usize, label: &Option<String>| values[column].get(label).copied().unwrap_or_default();
    let measured = |what: &dyn Fn(Value) -> f64| -> Vec<EquivalenceClass> {
        let class = |(rows, labels): &(u64, Vec<Option<String>>)| EquivalenceClass {
            rows: *rows,
            losses: labels.iter().enumerate().map(|(c, label)| what(of(c, label))).collect(),
        };
        polled(&classes).map(class).collect()
    };
    let losses = measured(&|v| v.loss);
    let mut all: Vec<(String, f64)> = Vec::new();
    let mut add = |name: &str, value: f64| all.push((name.to_string(), value));
    add("ntil", measure::ntil(&losses, None, &Interrupts)?);
    add("nil_1", measure::nil_1(&losses, &Interrupts)?);
    add("nil_inf", measure::nil_infinity(&losses, &Interrupts)?);
    add("discernibility", measure::discernibility(&losses, &Interrupts)?);
    add("average_class_size", measure::average_class_size(&losses, &Interrupts)?);
    if let Some(k) = smallest_k(&release.parameters) {
        add("avg", measure::navg(&losses, k, &Interrupts)?);
    }
    add("groups", losses.len() as f64);
    if let Some(smallest) = losses.iter().map(|class| class.rows).min() {
        add("smallest_group", smallest as f64);
    }
    let suppressed = measured(&|v| f64::from(u8::from(v.suppressed)));
    let cells = |class: &EquivalenceClass| class.rows as f64 * class.losses.iter().sum::<f64>();
    let cells = suppressed.iter().map(cells).fold(0.0, |sum, cells| sum + cells);
    add("suppressed_cells", cells);
    add("normalized_certainty_penalty", measure::ntil(&measured(&|v| v.penalty), None, &Interrupts)?);
    let trees: Vec<usize> =
        (0..release.masks().len()).filter(|&c| release.masks()[c].masked != MaskedAs::Intervals).collect();
    if !trees.is_empty() {
        let heights = measured(&|v| v.height.unwrap_or_default());
        let lost = |&column: &usize| Ok(measure::ntil(&heights, Some(column), &Interrupts)?);
        let lost = trees.iter().map(lost).sum::<Result<f64>>()?;
        add("precision", 1.0 - lost / trees.len() as f64);
    }
    let entropies: Vec<f64> = release.masks().iter().map(|m| m.non_uniform_entropy).collect();
    add("non_uniform_entropy", entropies.iter().sum::<f64>() / entropies.len().max(1) as f64);
    if let Some(divergence) = class_divergence(&release)? {
        add("class_kl_divergence", divergence);
    }
    for (column, mask) in release.masks().iter().enumerate() {
        add(&format!("ntil:{}", mask.name), measure::ntil(&losses, Some(column), &Interrupts)?);
        add(&format!("non_uniform_entropy:{}", mask.name), mask.non_uniform_entropy);
    }
    Ok(all)
}

/// The smallest k that the release was made for.
fn smallest_k(parameters: &Parameters) -> Option<f64> {
    let models = parameters.arguments.privacy.iter();
    models.filter(|m| matches!(m, privacy_model::KAnonymity(_))).map(|m| m.required()).reduce(f64::min)
}

/// The mean over the rows of KL(class in the row's group || class at all), in bits: how much the
/// released columns tell of the class.
fn class_divergence(release: &Release) -> Result<Option<f64>> {
    let Some(class) = &release.parameters.arguments.class else { return Ok(None) };
    let names = quoted_list(release.masks().iter().map(|m| m.name.as_str()));
    // By its text where its type has no order, as json.
    let class = key(&release.view, class)?;
    let query = format!(
        "SELECT COALESCE(pg_catalog.sum(c.m / c.n * pg_catalog.ln((c.m / c.g) / (c.w / c.n)) / pg_catalog.ln(2::float8)), 0)::float8
         FROM (SELECT pg_catalog.count(*)::float8 AS m,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {names})::float8 AS g,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {class})::float8 AS w,
                      pg_catalog.sum(pg_catalog.count(*)) OVER ()::float8 AS n
               FROM {} GROUP BY {names}, {class}) c",
        release.view.qualified()
    );
    Ok(look_at(&release.view, &query, &[], first)?.into_iter().next().flatten())
}

/// The risks of a release for three attackers.
pub fn risks(release: &str, threshold: f64) -> Result<Vec<(String, f64, f64, f64)>> {
    let (release, watch) = (Release::open(release)?, Watch::new());
    let mut memory = Reservation::empty(&watch);
    let classes: Vec<EquivalenceClass> = release
        .classes(&mut memory)?
        .into_iter()
        .map(|(rows, _)| EquivalenceClass { rows, losses: Vec::new() })
        .collect();
    let row = |risk: measure::Risk| {
        let attacker = match risk.attacker {
            Attacker::Prosecutor => "prosecutor",
            Attacker::Journalist => "journalist",
            Attacker::Marketer => "marketer",
        };
        (attacker.to_string(), risk.records_at_risk, risk.highest, risk.average)
    };
    Ok(measure::risk(&classes, threshold, &Interrupts)?.into_iter().map(row).collect())
}
