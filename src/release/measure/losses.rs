//! What the released values of a version lose, from what is kept of every version: its cut and its trees.
//!
//! A value's loss is its width by the column's (Campan, Cooper, Truta, Definition 7): of intervals
//! and of taxonomies of intervals by their ends, of whole numbers and days by how many values lie between
//! these, of other taxonomies by their leaves; anything that is suppressed loses all. The manifest says how each column is masked and, for open ends,
//! the data's least and greatest value.

use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, Ticker};
use crate::postgres::sql::Values;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::counted_before::names;
use crate::release::store::counts::{Count, Counts};
use crate::release::store::parameters::Mask;
use crate::release::store::shown::{MaskedAs, NodeForm};
use crate::release::trace::Version;
use crate::search::queries::StandsFor;
use crate::terms::labels::{is_closed, CHANGED_BY_HAND};
use hashbrown::HashMap;
use std::rc::Rc;
use topdown::loss;

/// What is needed of a released value.
#[derive(Debug, Clone, Copy, Default)]
pub struct Value {
    /// Its certainty loss, as the search counts it: its width by the column's, or its leaves by all.
    pub loss: f64,
    /// How far it is generalized up the tree's height; none where there is no tree.
    pub height: Option<f64>,
    /// Whether it says nothing at all.
    pub suppressed: bool,
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

/// A row of the cut.
#[derive(Debug)]
struct CutRow {
    label: Option<String>,
    lower: Option<String>,
    upper: Option<String>,
    records: i64,
}

/// Where an end lies, of types whose values lie on a line.
fn position(ty: Option<Type>, text: Option<&str>) -> Option<f64> {
    ty?.parse(text?).ok().and_then(|value| ty?.position(value))
}

impl Version<'_> {
    /// The suppressed values' label.
    fn any(&self) -> &str {
        self.parameters.arguments.suppressed.as_deref().unwrap_or("*")
    }

    /// What is needed of each released value of a column, by what the view shows.
    pub fn values(&self, mask: &Mask) -> Result<HashMap<Option<String>, Value>> {
        let cut = self.cut_values(mask)?;
        let values: HashMap<Option<String>, Value> =
            cut.into_iter().map(|(row, value)| (row.label, value)).collect();
        Ok(values)
    }

    /// The mean certainty loss of what is released, over all rows and masked columns.
    pub fn certainty_loss(&self) -> Result<f64> {
        let (mut lost, mut cells) = (0.0, 0.0);
        for mask in &self.parameters.columns {
            for (row, value) in self.cut_values(mask)? {
                lost += value.loss * row.records as f64;
                cells += row.records as f64;
            }
        }
        Ok(if cells > 0.0 { lost / cells } else { 0.0 })
    }

    /// The cut of a column.
    fn cut(&self, mask: &Mask) -> Result<Vec<CutRow>> {
        let cuts = Source::in_schema(self.private, "cuts")?;
        let cuts_of = "WHERE attribute = $1 AND version = $2";
        let query = format!("SELECT node, lower, upper, records FROM {} {cuts_of}", cuts.qualified());
        let args = [mask.name.as_str().into(), self.number.into()];
        look_at(&cuts, &query, &args, |row| {
            let records = row.written::<i64>(4)?;
            Ok(CutRow { label: row.nullable(1)?, lower: row.nullable(2)?, upper: row.nullable(3)?, records })
        })
    }

    /// The cut of a column, and what is needed of each of its values.
    fn cut_values(&self, mask: &Mask) -> Result<Vec<(CutRow, Value)>> {
        let cut = self.cut(mask)?;
        let nodes = match mask.masked {
            MaskedAs::Taxonomy => self.nodes(mask)?,
            _ => HashMap::new(),
        };
        // Whatever that is shown as, it is the only one.
        let over_null = mask.nulls && cut.len() == 1;
        let unknown =
            || SqlError::state("a value of the release's cut is not in its taxonomy").hint(CHANGED_BY_HAND);
        let value = |row: &CutRow| match mask.masked {
            MaskedAs::Taxonomy => nodes.get(&row.label).copied().ok_or_else(unknown),
            MaskedAs::Intervals => Ok(self.interval(mask, row, over_null)),
            MaskedAs::Suppression => {
                let suppressed = row.label.as_deref() == Some(self.any());
                let all = f64::from(u8::from(suppressed));
                Ok(Value { loss: all, height: Some(all), suppressed })
            }
        };
        polled(cut).map(|row| value(&row).map(|value| (row, value))).collect()
    }

    /// What each released value of a column stands for, by what the view shows.
    pub fn stands_for(&self, mask: &Mask) -> Result<HashMap<Option<String>, StandsFor>> {
        let cut = self.cut(mask)?;
        if mask.masked == MaskedAs::Taxonomy {
            let tree = self.tree(mask)?;
            return Ok(leaves(mask, &tree, |node| node.in_cut));
        }
        let is_any = |row: &CutRow| row.label.as_deref() == Some(self.any());
        let disclosed = polled(&cut).filter(|row| !is_any(row)).filter_map(|row| row.label.clone());
        let disclosed: Rc<Vec<String>> = Rc::new(disclosed.collect());
        let arguments = &self.parameters.arguments;
        let by_group = arguments.is_by_group();
        let stands_for = |row: &CutRow| match (mask.masked, &row.label) {
            (_, None) => StandsFor::Null,
            (MaskedAs::Intervals, _) => StandsFor::Interval {
                lower: row.lower.clone(),
                upper: row.upper.clone(),
                closed: self.is_closed(mask, row),
            },
            (_, Some(_)) if is_any(row) && by_group => StandsFor::Everything,
            (_, Some(_)) if is_any(row) => StandsFor::Others(disclosed.clone()),
            (_, Some(value)) => StandsFor::Value(value.clone()),
        };
        Ok(polled(&cut).map(|row| (row.label.clone(), stands_for(row))).collect())
    }

    fn interval(&self, mask: &Mask, row: &CutRow, over_null: bool) -> Value {
        let ty = Type::on_a_line(&mask.type_name);
        let at = |text: &Option<String>| position(ty, text.as_deref());
        let CutRow { label, lower, upper, .. } = row;
        let any = over_null || label.as_deref() == Some(self.any());
        let suppressed = any && lower.is_none() && upper.is_none();
        let single = label.is_none() || lower.is_some() && lower == upper;
        let loss = match at(&mask.lower).zip(at(&mask.upper)) {
            _ if suppressed => loss::SUPPRESSED,
            _ if single => loss::SINGLE,
            // Of types that measure nothing, an interval may be anything.
            None => loss::SUPPRESSED,
            Some(domain) => {
                let closed = self.is_closed(mask, row);
                ty.map_or(loss::SUPPRESSED, |ty| ty.loss_between((at(lower), at(upper)), closed, domain))
            }
        };
        Value { loss, height: None, suppressed }
    }

    /// Whether the upper end of an interval belongs to it. PostgreSQL shows a closed range of whole numbers or days as one
    /// that ends before the next of them.
    fn is_closed(&self, mask: &Mask, row: &CutRow) -> bool {
        let CutRow { label: Some(label), lower, upper, .. } = row else { return false };
        match (self.parameters.form(mask), upper) {
            (NodeForm::Range(_), Some(upper)) => !label.ends_with(&format!(",{upper})")),
            _ => is_closed(label, lower.as_deref(), upper.as_deref()),
        }
    }

    /// What finer nodes a column is counted by, and how many rows each has; nothing, where no counts are shown of it.
    pub fn counts(&self, mask: &Mask) -> Result<Vec<(StandsFor, f64)>> {
        let counts = match self.parameters.arguments.counts {
            true => Counts::read(self.private, self.number, &mask.name)?,
            false => Vec::new(),
        };
        let nodes = match mask.masked {
            MaskedAs::Taxonomy => leaves(mask, &self.tree(mask)?, |_| true),
            _ => HashMap::new(),
        };
        let one = |name: &str, (lower, upper): (Option<String>, Option<String>)| match mask.masked {
            _ if name == "NULL" && mask.nulls => StandsFor::Null,
            MaskedAs::Taxonomy => {
                nodes.get(&Some(name.to_string())).cloned().unwrap_or(StandsFor::Everything)
            }
            _ if name == self.any() => StandsFor::Everything,
            MaskedAs::Intervals => {
                let closed = is_closed(name, lower.as_deref(), upper.as_deref());
                StandsFor::Interval { lower, upper, closed }
            }
            MaskedAs::Suppression => StandsFor::Value(name.to_string()),
        };
        let is_name = |name: &str| match mask.masked {
            MaskedAs::Taxonomy => name == "NULL" || nodes.contains_key(&Some(name.to_string())),
            _ => !name.contains(" or "),
        };
        let stands_for = |Count { node: (label, ends), records, .. }: Count| {
            let Some(label) = label else { return (StandsFor::Null, records as f64) };
            let all = names(&label, &is_name).into_iter().map(|name| one(name, ends.clone()));
            (StandsFor::Several(all.collect()), records as f64)
        };
        Ok(polled(counts).map(stands_for).collect())
    }

    /// The tree of a column, the lowest nodes first.
    fn tree(&self, mask: &Mask) -> Result<Vec<Node>> {
        let taxonomy = Source::in_schema(self.private, "taxonomy")?;
        let query = format!(
            "SELECT node, parent, lower, upper, depth, in_cut FROM {} WHERE attribute = $1 AND version = $2 ORDER BY depth DESC",
            taxonomy.qualified()
        );
        let args = [mask.name.as_str().into(), self.number.into()];
        look_at(&taxonomy, &query, &args, |row| {
            Ok(Node {
                label: row.nullable(1)?,
                parent: row.nullable(2)?,
                lower: row.nullable(3)?,
                upper: row.nullable(4)?,
                depth: row.written(5)?,
                in_cut: row.written(6)?,
            })
        })
    }

    fn nodes(&self, mask: &Mask) -> Result<HashMap<Option<String>, Value>> {
        let rows = self.tree(mask)?;
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
        let Some(top) = top else {
            let released = polled(&rows).filter(|node| node.in_cut);
            return Ok(released.map(|node| (node.label.clone(), Value::default())).collect());
        };
        let (all, most) = below[&(top.label.as_deref(), top.depth)];
        let ends = |node: &Node| at(&node.lower).zip(at(&node.upper));
        let whole = ends(top).filter(|(lower, upper)| lower < upper);
        // A taxonomy may call a node so, too.
        let by = self.parameters.arguments.masking_of(&mask.name);
        let is_by_rule = by.is_some_and(|by| by.is_by_rule());
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
                Some(_) => loss::node_loss(ends(node), whole, leaves as usize, all as usize),
            };
            let height = if over_null { 1.0 } else { share(f64::from(height), f64::from(most)) };
            let suppressed = over_null || is_by_rule && node.label.as_deref() == Some(self.any());
            Value { loss, height: Some(height), suppressed }
        };
        // Where two nodes are called the same, what is released counts; of two released, the top.
        let mut values: HashMap<Option<String>, Value> = HashMap::new();
        for node in polled(&rows).filter(|node| node.in_cut) {
            values.insert(node.label.clone(), value(node));
        }
        Ok(values)
    }
}

/// The leaves that some nodes of a tree stand for, whose lowest nodes come first.
fn leaves(mask: &Mask, tree: &[Node], of: impl Fn(&Node) -> bool) -> HashMap<Option<String>, StandsFor> {
    // Depth tells apart what is called the same, as above.
    let mut below: HashMap<(&str, i32), Vec<usize>> = HashMap::new();
    for (at, node) in polled(tree).enumerate() {
        if let (Some(_), Some(parent)) = (&node.label, &node.parent) {
            below.entry((parent.as_str(), node.depth - 1)).or_default().push(at);
        }
    }
    // All leaves depth-first, of which each node has a range.
    let (mut texts, mut ranges) = (Vec::new(), vec![0..0; tree.len()]);
    let is_top = |&at: &usize| tree[at].depth == 0;
    let mut open: Vec<(usize, bool)> = (0..tree.len()).filter(is_top).map(|at| (at, false)).collect();
    let ticker = Ticker::default();
    while let Some((at, is_done)) = open.pop() {
        ticker.tick(1);
        let Some(label) = tree[at].label.as_deref() else { continue };
        if is_done {
            ranges[at].end = texts.len();
            continue;
        }
        ranges[at].start = texts.len();
        open.push((at, true));
        match below.get(&(label, tree[at].depth)) {
            None => texts.push(label.to_string()),
            Some(children) => open.extend(children.iter().map(|&child| (child, false))),
        }
    }
    let texts = Rc::new(texts);
    let stands_for = |(at, node): (usize, &Node)| match &node.label {
        None => StandsFor::Null,
        Some(_) if mask.nulls && node.depth == 0 => StandsFor::Everything,
        Some(_) => StandsFor::Leaves(texts.clone(), ranges[at].clone()),
    };
    let released = polled(tree).enumerate().filter(|(_, node)| of(node));
    released.map(|(at, node)| (node.label.clone(), stands_for((at, node)))).collect()
}
