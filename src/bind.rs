//! Codes that were read get their order, their hierarchy and their labels.
//!
//! The scan numbers values as they come. Here each masked column's values are put into the order
//! that its hierarchy counts on (leaves of the taxonomy, ranks, texts), its codes are rewritten
//! in place, and what cannot be placed is an error that lists it.

mod taxonomy;

pub use taxonomy::{edges, place_values, tree};

use crate::api::masking::masking;
use crate::datum::Type;
use crate::endpoint::{self, Endpoints};
use crate::error::{clipped, clipped_to, some_of, Result, SqlError};
use crate::progress::{poll, polled, Interrupts, Ticker, Watch};
use crate::request::Request;
use crate::scan::{self, Table};
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use std::ops::RangeInclusive;
use topdown::refine::interval::Domain;
use topdown::refine::{Hierarchy, Meaning, NodeId};
use topdown::taxonomy::Taxonomy;
use topdown::{Code, Progress};

/// A masked column, ready for the search; its codes are in the table, in order.
#[derive(Debug)]
pub struct Bound {
    /// What its codes may be released as.
    pub hierarchy: Hierarchy,
    /// What its nodes are called.
    pub labels: Labels,
}

impl Bound {
    /// What is held, in bytes.
    fn memory(&self) -> usize {
        let labels = match &self.labels {
            Labels::Taxonomy(taxonomy) => {
                taxonomy.nodes().len() * 2 * size_of::<topdown::taxonomy::TaxonomyNode>()
            }
            Labels::Intervals { values, .. } => values.capacity() * size_of::<Datum>(),
            Labels::Values(texts) => texts.iter().map(|text| text.capacity() + size_of::<String>()).sum(),
        };
        labels + self.hierarchy.memory()
    }
}

/// What the nodes of a column's hierarchy are called.
#[derive(Debug)]
pub enum Labels {
    /// The taxonomy's labels.
    Taxonomy(Taxonomy),
    /// Intervals over the values, by rank.
    Intervals {
        /// The values' type.
        kind: Type,
        /// The distinct values, ascending.
        values: Vec<Datum>,
        /// The domain's lower bound.
        lower: Option<Datum>,
        /// The domain's upper bound.
        upper: Option<Datum>,
        /// Which ends are shown between two values.
        endpoints: Endpoints,
    },
    /// The values' texts.
    Values(Vec<String>),
}

impl Labels {
    /// A node's label, `any` for anything; none for NULL.
    pub fn label(&self, hierarchy: &Hierarchy, node: NodeId, any: &str) -> Option<String> {
        let node = hierarchy.node(node);
        match (&node.meaning, self) {
            (Meaning::Null, _) => None,
            (Meaning::Taxonomy(id), Labels::Taxonomy(taxonomy)) => Some(taxonomy.nodes()[*id].label.clone()),
            (Meaning::Value, Labels::Values(texts)) => Some(texts[node.codes.start as usize].clone()),
            (Meaning::Interval, Labels::Intervals { kind, values, upper, .. }) => {
                let (from, to) = self.ends(&node.codes);
                let text = |end: Option<Datum>| end.map(|d| kind.text(d)).unwrap_or_default();
                let closed = upper.is_some() && node.codes.end as usize == values.len();
                let (open, close) = (if from.is_some() { '[' } else { '(' }, if closed { ']' } else { ')' });
                Some(format!("{open}{},{}{close}", text(from), text(to)))
            }
            _ => Some(any.to_string()),
        }
    }

    /// The lower and upper end of a node that is an interval.
    pub fn bounds(&self, hierarchy: &Hierarchy, node: NodeId) -> (Option<String>, Option<String>) {
        let node = hierarchy.node(node);
        match (&node.meaning, self) {
            (Meaning::Taxonomy(id), Labels::Taxonomy(taxonomy)) => {
                let node = &taxonomy.nodes()[*id];
                (node.lower.clone(), node.upper.clone())
            }
            (Meaning::Interval, Labels::Intervals { kind, .. }) => {
                let (from, to) = self.ends(&node.codes);
                (from.map(|d| kind.text(d)), to.map(|d| kind.text(d)))
            }
            _ => (None, None),
        }
    }

    /// Both ends of an interval over some ranks; none where it is unbounded.
    pub fn ends(&self, codes: &std::ops::Range<Code>) -> (Option<Datum>, Option<Datum>) {
        let Labels::Intervals { kind, values, lower, upper, endpoints } = self else { return (None, None) };
        let end = |rank: Code| match rank as usize {
            0 => *lower,
            rank if rank >= values.len() => *upper,
            rank => Some(match endpoints {
                Endpoints::Values => values[rank],
                Endpoints::Rounded => endpoint::between(*kind, values[rank - 1], values[rank]),
            }),
        };
        (end(codes.start), end(codes.end))
    }
}

impl Labels {
    /// The ends of the closed interval that a cluster of some ranks is released as: of a single
    /// value that value, else its least and greatest, moved outwards where ends are rounded, short
    /// of the next values of the data and of the domain's bounds.
    pub fn around(&self, ranks: &RangeInclusive<Code>) -> Option<(Datum, Datum)> {
        let Labels::Intervals { kind, values, lower, upper, endpoints } = self else { return None };
        let (first, last) = (*ranks.start() as usize, *ranks.end() as usize);
        let (least, greatest) = (*values.get(first)?, *values.get(last)?);
        if first == last || *endpoints == Endpoints::Values {
            return Some((least, greatest));
        }
        let before = first.checked_sub(1).map(|rank| values[rank]);
        let after = values.get(last + 1).copied();
        let (from, to) = (endpoint::below(*kind, before, least), endpoint::above(*kind, greatest, after));
        let beyond = |end: Datum, bound: Option<Datum>, side: Ordering| {
            bound.filter(|&bound| kind.comparator().is_some_and(|compare| compare(end, bound) == side))
        };
        let from = beyond(from, *lower, Ordering::Less).unwrap_or(from);
        let to = beyond(to, *upper, Ordering::Greater).unwrap_or(to);
        Some((from, to))
    }
}

/// Binds every masked column of the request.
pub fn bind(request: &Request, table: &mut Table, watch: &Watch) -> Result<Vec<Bound>> {
    let bound = request
        .masked
        .iter()
        .map(|masked| {
            let name = &request.source.columns[masked.column].name;
            let suppressed = request.suppressed.as_deref();
            let column = table.column_mut(masked.column)?;
            match &masked.by {
                masking::ByTaxonomy { taxonomy, .. } => {
                    let tree = taxonomy::from_relation(taxonomy)?;
                    taxonomy::bind(name, taxonomy, tree, column, suppressed)
                }
                masking::ByTaxonomyTree { taxonomy, .. } => {
                    let tree = taxonomy::from_json(name, taxonomy)?;
                    taxonomy::bind(name, "the tree given", tree, column, suppressed)
                }
                masking::ByIntervals { lower, upper, .. } => {
                    intervals(name, column, lower.as_deref(), upper.as_deref(), request.endpoints)
                }
                masking::BySuppression { .. } => suppression(name, column, suppressed),
            }
        })
        .collect::<Result<Vec<Bound>>>()?;
    watch.allocate(bound.iter().map(Bound::memory).sum())?;
    Ok(bound)
}

/// Rewrites codes by a map; NULL becomes `null`.
fn recode(codes: &mut [Code], map: &[Code], null: Code) {
    for some in codes.chunks_mut(RECODED) {
        poll();
        for code in some {
            *code = if *code == scan::NULL { null } else { map[*code as usize] };
        }
    }
}

/// How many codes are rewritten between two polls.
const RECODED: usize = 1 << 20;

/// The distinct values in the type's order, and each code's rank. Equal values share a rank and are
/// shown as the one whose text comes first, wherever the rows lie.
pub fn ranked(
    kind: Type,
    values: &[Datum],
    compare: impl Fn(Datum, Datum) -> Ordering,
) -> (Vec<Datum>, Vec<Code>) {
    let mut order: Vec<Code> = (0..values.len() as Code).collect();
    let ticker = Ticker::default();
    order.sort_by(|&a, &b| {
        ticker.tick(1);
        let (a, b) = (values[a as usize], values[b as usize]);
        compare(a, b).then_with(|| kind.text(a).cmp(&kind.text(b)))
    });
    let mut distinct: Vec<Datum> = Vec::with_capacity(values.len());
    let mut ranks = vec![0; values.len()];
    for code in polled(order) {
        let value = values[code as usize];
        if distinct.last().is_none_or(|&last| compare(last, value) != Ordering::Equal) {
            distinct.push(value);
        }
        ranks[code as usize] = distinct.len() as Code - 1;
    }
    (distinct, ranks)
}

/// A column that is counted as it is, the class or a sensitive one: equal values share a code,
/// codes are in value order and NULL is the last.
#[derive(Debug)]
pub struct Counted {
    /// Each row's code.
    pub codes: Vec<Code>,
    /// The distinct values.
    pub values: Vec<Datum>,
    /// How many codes there are, NULL's included.
    pub cardinality: usize,
}

/// Puts a copy of a column's codes in value order.
pub fn count(column: &scan::Column) -> Counted {
    let all = column.datums();
    let (values, ranks) = match column.kind.comparator() {
        Some(compare) => ranked(column.kind, &all, compare),
        // Without an order it is the text that tells values apart, as in the recount.
        None => {
            let (mut values, mut codes) = (Vec::new(), hashbrown::HashMap::new());
            let code = |&value: &Datum| {
                *codes.entry(column.kind.text(value)).or_insert_with(|| {
                    values.push(value);
                    values.len() as Code - 1
                })
            };
            let ranks = polled(&all).map(code).collect();
            (values, ranks)
        }
    };
    let mut codes = column.codes.clone();
    recode(&mut codes, &ranks, values.len() as Code);
    Counted { codes, cardinality: values.len() + usize::from(column.nulls), values }
}

fn intervals(
    name: &str,
    column: &mut scan::Column,
    lower: Option<&str>,
    upper: Option<&str>,
    endpoints: Endpoints,
) -> Result<Bound> {
    let kind = column.kind;
    let Some(compare) = kind.comparator() else {
        return Err(SqlError::parameter(format!(
            "column \"{name}\" cannot be masked by intervals: type {} has no order",
            kind.name()
        ))
        .hint("Use by_taxonomy or by_suppression."));
    };
    let bound = |side: &str, text: Option<&str>| {
        text.map(|text| {
            kind.parse(text).map_err(|complaint| {
                let text = clipped(text);
                SqlError::parameter(format!("{side} bound \"{text}\" of column \"{name}\" cannot be read"))
                    .detail(clipped_to(&complaint, 200))
            })
        })
        .transpose()
    };
    let (lower, upper) = (bound("lower", lower)?, bound("upper", upper)?);
    if let (Some(lower), Some(upper)) = (lower, upper) {
        if compare(lower, upper) != Ordering::Less {
            return Err(SqlError::parameter(format!(
                "the lower bound of column \"{name}\" must be below the upper one"
            ))
            .detail(format!(
                "The bounds are {} and {}.",
                clipped(&kind.text(lower)),
                clipped(&kind.text(upper))
            )));
        }
    }
    let (values, ranks) = ranked(kind, &column.datums(), &compare);
    let outside: Vec<String> = polled(&values)
        .filter(|&&v| {
            lower.is_some_and(|l| compare(v, l) == Ordering::Less)
                || upper.is_some_and(|u| compare(v, u) == Ordering::Greater)
        })
        .map(|&v| kind.text(v))
        .collect();
    if !outside.is_empty() {
        return Err(SqlError::data(format!("column \"{name}\" has values outside its bounds"))
            .detail(format!("Outside are {}.", some_of(&outside)))
            .hint("Widen the bounds given to by_intervals."));
    }
    recode(&mut column.codes, &ranks, values.len() as Code);
    let place = |value: Datum| kind.position(value);
    // Of types that measure nothing, distances are counted in ranks.
    let positions: Vec<f64> = match polled(&values).map(|&v| place(v)).collect::<Option<Vec<f64>>>() {
        Some(positions) => positions,
        None => (0..values.len()).map(|rank| rank as f64).collect(),
    };
    let domain = Domain { positions, lower: lower.and_then(place), upper: upper.and_then(place) };
    Ok(Bound {
        hierarchy: Hierarchy::by_intervals(domain, column.nulls),
        labels: Labels::Intervals { kind, values, lower, upper, endpoints },
    })
}

fn suppression(name: &str, column: &mut scan::Column, suppressed: Option<&str>) -> Result<Bound> {
    let kind = column.kind.with_c_collation();
    let values = column.datums();
    let texts: Vec<String> = polled(&values).map(|&v| kind.text(v)).collect();
    refuse_label(name, suppressed, texts.iter().map(String::as_str))?;
    // In value order; values whose text is the same are released the same and share a code.
    let mut order: Vec<usize> = (0..values.len()).collect();
    let ticker = Ticker::default();
    let compare = kind.comparator();
    order.sort_by(|&a, &b| {
        ticker.tick(1);
        let by_value = compare.as_ref().map_or(Ordering::Equal, |compare| compare(values[a], values[b]));
        by_value.then_with(|| texts[a].cmp(&texts[b]))
    });
    let mut labels: Vec<String> = Vec::with_capacity(texts.len());
    let mut codes: hashbrown::HashMap<&str, Code> = hashbrown::HashMap::new();
    let mut map = vec![0; values.len()];
    for value in polled(order) {
        let text = texts[value].as_str();
        map[value] = *codes.entry(text).or_insert_with(|| {
            labels.push(text.to_string());
            labels.len() as Code - 1
        });
    }
    recode(&mut column.codes, &map, labels.len() as Code);
    let all = labels.len() + usize::from(column.nulls);
    let hierarchy = Hierarchy::by_suppression(all, column.nulls, &Interrupts)?;
    Ok(Bound { hierarchy, labels: Labels::Values(labels) })
}

/// A real value must not read like a suppressed one, where any is released.
fn refuse_label<'a>(
    name: &str,
    suppressed: Option<&str>,
    mut values: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let Some(suppressed) = suppressed.filter(|label| values.any(|value| value == *label)) else {
        return Ok(());
    };
    Err(SqlError::parameter(format!(
        "column \"{name}\" holds \"{suppressed}\", which is the label of suppressed values"
    ))
    .hint(
        "Choose another label with suppressed => '...', or release a view that writes the value differently.",
    ))
}
