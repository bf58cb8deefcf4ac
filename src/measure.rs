//! Measures and risks of a release, from what is published: the view's classes, and what the cut
//! and the taxonomy say about its values.
//!
//! A value's loss is its width by the column's (Campan, Cooper, Truta, Definition 7): of intervals
//! and of taxonomies of intervals by their ends, of other taxonomies by their leaves; anything
//! that is suppressed loses all. The manifest says how each column is masked and, for open ends,
//! the data's least and greatest value.

use crate::api::privacy_model::privacy_model;
use crate::datum::Type;
use crate::error::{Result, SqlError};
use crate::owner::AsOwner;
use crate::release::{must_exist, Existing, Mask, MaskedAs};
use crate::sql::{self, qualified, quote, quoted_list};
use hashbrown::HashMap;
use topdown::measure::{self, Attacker, Class};
use topdown::refine::interval::width_share;

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

/// A row of the cut: label, lower and upper end.
type CutRow = (Option<String>, Option<String>, Option<String>);

/// A release that is measured.
struct Release {
    name: String,
    existing: Existing,
    masks: Vec<Mask>,
    _owner: AsOwner,
}

impl Release {
    fn open(name: &str) -> Result<Release> {
        let (existing, _owner) = must_exist(name)?;
        let masks = serde_json::from_value(existing.parameters["columns"].clone())
            .map_err(|fault| SqlError::internal("the manifest cannot be read").detail(fault.to_string()))?;
        Ok(Release { name: name.into(), existing, masks, _owner })
    }

    fn view(&self) -> String {
        qualified(&self.name, &self.existing.view)
    }

    /// Each class: its rows, and of each masked column the value's text.
    fn classes(&self) -> Result<Vec<(u64, Vec<Option<String>>)>> {
        let names = quoted_list(self.masks.iter().map(|m| m.name.as_str()));
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
        let texts: Vec<String> = self.masks.iter().map(text).collect();
        let query =
            format!("SELECT pg_catalog.count(*), {} FROM {} GROUP BY {names}", texts.join(", "), self.view());
        sql::look(&query, &[], |row| {
            let values = (0..texts.len()).map(|i| row.get::<String>(i + 2));
            Ok((row.get::<i64>(1)?.unwrap_or_default() as u64, values.collect::<pgrx::spi::Result<_>>()?))
        })
    }

    /// Whether a column's intervals are released as ranges.
    fn as_ranges(&self, mask: &Mask) -> bool {
        mask.masked == MaskedAs::Intervals && self.existing.parameters["intervals"] == "range"
    }

    /// The suppressed values' label.
    fn any(&self) -> &str {
        self.existing.parameters["suppressed"].as_str().unwrap_or("*")
    }

    /// What is needed of each released value of a column.
    fn values(&self, mask: &Mask) -> Result<HashMap<Option<String>, Value>> {
        match mask.masked {
            MaskedAs::Suppression => self.suppressed_values(mask),
            MaskedAs::Intervals => self.intervals(mask),
            MaskedAs::Taxonomy => self.nodes(mask),
        }
    }

    fn cut(&self, mask: &Mask) -> Result<Vec<CutRow>> {
        let query =
            format!("SELECT node, lower, upper FROM {} WHERE attribute = $1", qualified(&self.name, "cut"));
        sql::look(&query, &[mask.name.as_str().into()], |row| Ok((row.get(1)?, row.get(2)?, row.get(3)?)))
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
        let kind = Type::named(&mask.type_name)?;
        let at = |text: &Option<String>| {
            text.as_ref().and_then(|t| kind.parse(t).ok()).and_then(|v| kind.position(v))
        };
        let whole = at(&mask.lower).zip(at(&mask.upper));
        let value = |(label, lower, upper): CutRow| {
            let suppressed = label.as_deref() == Some(self.any()) && lower.is_none() && upper.is_none();
            let single = label.is_none() || lower.is_some() && lower == upper;
            let loss = match whole {
                _ if suppressed => 1.0,
                _ if single => 0.0,
                // Of types that measure nothing, an interval may be anything.
                None => 1.0,
                Some((least, greatest)) => {
                    let (from, to) = (at(&lower).unwrap_or(least), at(&upper).unwrap_or(greatest));
                    width_share(from, to, least, greatest).clamp(0.0, 1.0)
                }
            };
            (label, Value { loss, penalty: loss, height: None, suppressed })
        };
        let cut = self.cut(mask)?;
        if !self.as_ranges(mask) {
            return Ok(cut.into_iter().map(value).collect());
        }
        // The top is released as (,), whatever its domain.
        let whole = cut.iter().filter(|(label, ..)| label.is_some()).count() == 1;
        let bound = kind.range_bound().ok_or_else(|| SqlError::internal("ranges of a type without"))?;
        let key = |row: &CutRow| match row {
            (None, ..) => None,
            (_, Some(lower), _) if !whole => bound.parse(lower).ok().map(|value| bound.text(value)),
            _ => Some(String::new()),
        };
        Ok(cut.into_iter().map(|row| (key(&row), value(row).1)).collect())
    }

    fn nodes(&self, mask: &Mask) -> Result<HashMap<Option<String>, Value>> {
        let query = format!(
            "SELECT node, parent, lower, upper, depth FROM {} WHERE attribute = $1 AND version = $2 ORDER BY depth DESC",
            qualified(&self.name, "taxonomy")
        );
        let args = [mask.name.as_str().into(), self.existing.version.into()];
        let rows = sql::look(&query, &args, |row| {
            Ok((
                row.get::<String>(1)?,
                row.get::<String>(2)?,
                row.get::<String>(3)?,
                row.get::<String>(4)?,
                row.get::<i32>(5)?.unwrap_or_default(),
            ))
        })?;
        let kind = Type::named(&mask.type_name)?;
        let at = |text: &Option<String>| {
            text.as_ref().and_then(|t| kind.parse(t).ok()).and_then(|v| kind.position(v))
        };
        // From the leaves up: how many there are below a node, and how far below the lowest is.
        let mut below: HashMap<(Option<&str>, i32), (u64, u32)> = HashMap::new();
        for (node, parent, _, _, depth) in &rows {
            let (leaves, height) = *below.entry((node.as_deref(), *depth)).or_insert((1, 0));
            // NULL is no leaf of the column's tree.
            if node.is_some() && *depth > 0 {
                let above = below.entry((parent.as_deref(), depth - 1)).or_insert((0, 0));
                above.0 += leaves;
                above.1 = above.1.max(height + 1);
            }
        }
        let top = rows.iter().rev().find(|(node, .., lower, _, _)| {
            node.is_some() && !(mask.nulls && node.as_deref() == Some(self.any()) && lower.is_none())
        });
        let Some((top, _, lower, upper, depth)) = top else { return Ok(HashMap::new()) };
        let (all, most) = below[&(top.as_deref(), *depth)];
        let whole = at(lower).zip(at(upper)).filter(|(lower, upper)| lower < upper);
        let value =
            |(node, _, lower, upper, depth): &(Option<String>, _, Option<String>, Option<String>, i32)| {
                let over_null = mask.nulls && *depth == 0;
                let (leaves, height) =
                    if node.is_none() { (1, 0) } else { below[&(node.as_deref(), *depth)] };
                let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
                let loss = match (whole, at(lower).zip(at(upper))) {
                    _ if over_null => 1.0,
                    _ if node.is_none() => 0.0,
                    (Some((least, greatest)), Some((from, to))) => width_share(from, to, least, greatest),
                    _ => share(leaves as f64 - 1.0, all as f64 - 1.0),
                };
                let penalty = if over_null {
                    1.0
                } else if whole.is_some() || leaves <= 1 {
                    loss
                } else {
                    leaves as f64 / all as f64
                };
                let height = if over_null { 1.0 } else { share(f64::from(height), f64::from(most)) };
                (node.clone(), Value { loss, penalty, height: Some(height), suppressed: over_null })
            };
        Ok(rows.iter().map(value).collect())
    }
}

/// All measures of a release; those of a column are named `measure:column`.
pub fn measures(release: &str) -> Result<Vec<(String, f64)>> {
    let release = Release::open(release)?;
    let values = release.masks.iter().map(|m| release.values(m)).collect::<Result<Vec<_>>>()?;
    let classes = release.classes()?;
    let of = |column: usize, label: &Option<String>| values[column].get(label).copied().unwrap_or_default();
    let measured = |what: &dyn Fn(Value) -> f64| -> Vec<Class> {
        let class = |(rows, labels): &(u64, Vec<Option<String>>)| Class {
            rows: *rows,
            losses: labels.iter().enumerate().map(|(c, label)| what(of(c, label))).collect(),
        };
        classes.iter().map(class).collect()
    };
    let losses = measured(&|v| v.loss);
    let mut all: Vec<(String, f64)> = Vec::new();
    let mut add = |name: &str, value: f64| all.push((name.to_string(), value));
    add("ntil", measure::ntil(&losses, None));
    add("nil_1", measure::nil_1(&losses));
    add("nil_inf", measure::nil_infinity(&losses));
    add("discernibility", measure::discernibility(&losses));
    add("average_class_size", measure::average_class_size(&losses));
    if let Some(k) = smallest_k(&release.existing)? {
        add("avg", measure::navg(&losses, k));
    }
    add("groups", losses.len() as f64);
    if let Some(smallest) = losses.iter().map(|class| class.rows).min() {
        add("smallest_group", smallest as f64);
    }
    let suppressed = measured(&|v| f64::from(u8::from(v.suppressed)));
    let cells: f64 = suppressed.iter().map(|c| c.rows as f64 * c.losses.iter().sum::<f64>()).sum();
    add("suppressed_cells", cells);
    add("normalized_certainty_penalty", measure::ntil(&measured(&|v| v.penalty), None));
    let trees: Vec<usize> =
        (0..release.masks.len()).filter(|&c| release.masks[c].masked != MaskedAs::Intervals).collect();
    if !trees.is_empty() {
        let heights = measured(&|v| v.height.unwrap_or_default());
        let lost: f64 = trees.iter().map(|&c| measure::ntil(&heights, Some(c))).sum();
        add("precision", 1.0 - lost / trees.len() as f64);
    }
    let entropies: Vec<f64> = release.masks.iter().map(|m| m.non_uniform_entropy).collect();
    add("non_uniform_entropy", entropies.iter().sum::<f64>() / entropies.len().max(1) as f64);
    if let Some(divergence) = class_divergence(&release)? {
        add("class_kl_divergence", divergence);
    }
    for (column, mask) in release.masks.iter().enumerate() {
        add(&format!("ntil:{}", mask.name), measure::ntil(&losses, Some(column)));
        add(&format!("non_uniform_entropy:{}", mask.name), mask.non_uniform_entropy);
    }
    Ok(all)
}

/// The smallest k that the release was made for.
fn smallest_k(existing: &Existing) -> Result<Option<f64>> {
    let models: Vec<privacy_model> = serde_json::from_value(existing.parameters["privacy"].clone())
        .map_err(|fault| SqlError::internal("the manifest cannot be read").detail(fault.to_string()))?;
    let ks = models.iter().filter(|m| matches!(m, privacy_model::KAnonymity { .. })).map(|m| m.required());
    Ok(ks.reduce(f64::min))
}

/// The mean over the rows of KL(class in the row's group || class at all), in bits: how much the
/// released columns tell of the class.
fn class_divergence(release: &Release) -> Result<Option<f64>> {
    let Some(class) = release.existing.parameters["class"].as_str() else { return Ok(None) };
    let (names, class) = (quoted_list(release.masks.iter().map(|m| m.name.as_str())), quote(class));
    let query = format!(
        "SELECT COALESCE(pg_catalog.sum(c.m / c.n * pg_catalog.ln((c.m / c.g) / (c.w / c.n)) / pg_catalog.ln(2::float8)), 0)::float8
         FROM (SELECT pg_catalog.count(*)::float8 AS m,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {names})::float8 AS g,
                      pg_catalog.sum(pg_catalog.count(*)) OVER (PARTITION BY {class})::float8 AS w,
                      pg_catalog.sum(pg_catalog.count(*)) OVER ()::float8 AS n
               FROM {} GROUP BY {names}, {class}) c",
        release.view()
    );
    Ok(sql::look(&query, &[], |row| row.get::<f64>(1))?.into_iter().next().flatten())
}

/// The risks of a release for three attackers.
pub fn risks(release: &str, threshold: f64) -> Result<Vec<(String, f64, f64, f64)>> {
    let release = Release::open(release)?;
    let classes: Vec<Class> =
        release.classes()?.into_iter().map(|(rows, _)| Class { rows, losses: Vec::new() }).collect();
    let row = |risk: measure::Risk| {
        let attacker = match risk.attacker {
            Attacker::Prosecutor => "prosecutor",
            Attacker::Journalist => "journalist",
            Attacker::Marketer => "marketer",
        };
        (attacker.to_string(), risk.records_at_risk, risk.highest, risk.average)
    };
    Ok(measure::risk(&classes, threshold).into_iter().map(row).collect())
}
