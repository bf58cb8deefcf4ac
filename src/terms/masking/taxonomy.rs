//! Taxonomies: read from a relation or from JSON, and laid over a column's values.
//!
//! A value is matched to a leaf by its text form, what a cast to text gives. Where that finds
//! nothing, what the type prints is tried, which differs for bool ('t'), inet (no /32) and
//! char(n) (blanks).

use super::{refuse_label, Binding, UpperEnd};
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped_to, some_of, Result, SqlError};
use crate::postgres::progress::{polled, polling};
use crate::postgres::sql::{self, Values};
use crate::postgres::text::{a_slip_from, beginning, clipped};
use crate::read::order::ranked;
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::read::table::Column;
use crate::terms::days::must_be_one_day;
use crate::terms::labels::{Bound, Labels, TreeEnds, TreeLabels};
use crate::terms::readings::in_one_writing;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::progress::check_memory;
use topdown::refine::Hierarchy;
use topdown::table::NONE;
use topdown::taxonomy::{Defect, Edge, Edges, Taxonomy, TaxonomyNode};
use topdown::Code;

/// The rows of a relation that is a taxonomy: columns child and parent, perhaps lower and upper.
pub fn edges(taxonomy: &Source) -> Result<Edges> {
    for needed in ["child", "parent"] {
        taxonomy
            .column(needed)
            .map_err(|fault| fault.hint("A taxonomy is a relation with columns child and parent."))?;
    }
    let text = |name: &str| match taxonomy.column(name) {
        Ok(column) => taxonomy.type_of(column).sql_text(&sql::quote(name)),
        Err(_) => "NULL::pg_catalog.text".to_string(),
    };
    let columns = ["child", "parent", "lower", "upper"].map(text).join(", ");
    let _snapshot = sql::Snapshot::fresh();
    let query = format!("SELECT {columns} FROM {}", taxonomy.qualified());
    let mut rows = Edges::default();
    look_at(taxonomy, &query, &[], |row| {
        let [child, parent, lower, upper]: [Option<String>; 4] =
            [row.nullable(1)?, row.nullable(2)?, row.nullable(3)?, row.nullable(4)?];
        let edge = Edge {
            child: child.as_deref(),
            parent: parent.as_deref(),
            lower: lower.as_deref(),
            upper: upper.as_deref(),
        };
        rows.push(edge);
        Ok(())
    })?;
    Ok(rows)
}

/// A row of an earlier taxonomy whose child stands elsewhere by now, or nowhere; and what that is below now. The root may have a row
/// of its own, or none.
pub fn moved<'a>(before: &'a Edges, now: &'a Edges) -> Result<Option<(Edge<'a>, Option<&'a str>)>> {
    check_memory::<[Option<&str>; 2]>(now.len())?;
    let parents: HashMap<Option<&str>, Option<&str>> =
        polled(now.iter()).map(|edge| (edge.child, edge.parent)).collect();
    let above = |child: Option<&str>| parents.get(&child).copied().flatten();
    let edge = polled(before.iter()).find(|edge| above(edge.child) != edge.parent);
    Ok(edge.map(|edge| (edge, above(edge.child))))
}

/// The tree of some edges, or an error that says what keeps them from being one.
pub fn tree(name: &str, edges: &Edges) -> Result<Taxonomy> {
    Taxonomy::from_edges(edges)?.map_err(|defects| {
        let labels: Vec<&str> = defects.iter().filter_map(Defect::label).collect();
        let mut what: Vec<&str> = defects.iter().map(Defect::describe).collect();
        what.dedup();
        let labels = if labels.is_empty() { String::new() } else { format!(": {}", some_of(labels)) };
        SqlError::taxonomy(format!("taxonomy {name} is no tree"))
            .detail(format!("{}{labels}.", what.join("; ")))
            .hint("A taxonomy has one root, and every other node one parent; taxonomy_check() lists what is wrong.")
    })
}

/// Where a column's values stand in a taxonomy.
#[derive(Debug, Default)]
pub struct Placed {
    /// Each value's leaf code.
    pub codes: Vec<Code>,
    /// Texts that are no label.
    pub missing: Vec<String>,
    /// Texts that are labels of inner nodes.
    pub inner: Vec<String>,
    /// The values that those are of.
    without: Vec<usize>,
}

impl Placed {
    /// Gives the values without a place the code of none.
    fn leave_out(&mut self) {
        self.missing.clear();
        self.inner.clear();
        self.without.iter().for_each(|&value| self.codes[value] = NONE);
    }
}

/// Looks up the leaf of every distinct value of a column. Of equal values with different texts (1.0
/// and 1.00) one that has no leaf of its own goes with the one whose text comes first, which is the
/// one that taxonomy_build() makes a leaf of.
pub fn place_values(taxonomy: &Taxonomy, column: &Column) -> Placed {
    let (ty, values) = (column.ty, column.datums());
    let canonical = ty.comparator().map(|compare| ranked(ty, &values, compare));
    let mut placed = Placed::default();
    for (code, &value) in polled(&values).enumerate() {
        let text = column.text(code as Code, value);
        let equal = || canonical.as_ref().map(|(distinct, ranks)| ty.text(distinct[ranks[code] as usize]));
        let node = taxonomy
            .find(&text)
            .or_else(|| taxonomy.find(&ty.output(value)))
            .or_else(|| taxonomy.find(&equal()?));
        let code = match node {
            Some(node) if node.children.is_empty() => node.leaves.start,
            Some(_) => {
                placed.inner.push(text);
                placed.without.push(code);
                0
            }
            None => {
                placed.missing.push(text);
                placed.without.push(code);
                0
            }
        };
        placed.codes.push(code);
    }
    placed.missing.sort_by(polling(Ord::cmp));
    placed.inner.sort_by(polling(Ord::cmp));
    placed
}

/// The HINT for values that are not in a taxonomy: of which leaf they are a slip.
fn way_to_place(taxonomy: &Taxonomy, missing: &[String]) -> String {
    let leaves = taxonomy.nodes().iter().zip(taxonomy.labels()).filter(|(node, _)| node.children.is_empty());
    let leaves: Vec<String> =
        polled(leaves.take(COMPARED)).map(|(_, leaf)| beginning(leaf).to_string()).collect();
    let written: HashMap<String, &String> =
        polled(&leaves).map(|leaf| (in_one_writing(leaf), leaf)).collect();
    let slip = |value: &String| {
        let same = written.get(&in_one_writing(beginning(value))).map(|leaf| leaf.as_str());
        let near = same.or_else(|| a_slip_from(value, polled(&leaves)))?;
        Some(format!("\"{}\" may be \"{}\"", clipped(value), clipped(near)))
    };
    let slips: Vec<String> = missing.iter().take(SHOWN).filter_map(slip).collect();
    if slips.is_empty() {
        return "Add them to the taxonomy as leaves.".into();
    }
    format!("{}. Put the spelling right, or add them to the taxonomy as leaves.", slips.join("; "))
}

/// How many values a hint goes into, and with how many leaves they are compared.
const SHOWN: usize = 3;
const COMPARED: usize = 10_000;

/// Lays a taxonomy over a column.
pub fn bind_taxonomy(
    name: &str,
    taxonomy_name: &str,
    taxonomy: Taxonomy,
    column: &mut Column,
    how: &Binding,
) -> Result<Bound> {
    let mut placed = place_values(&taxonomy, column);
    if how.leave_out {
        placed.leave_out();
    }
    if !placed.missing.is_empty() {
        return Err(SqlError::data(format!("column \"{name}\" has values without a place in its taxonomy"))
            .detail(format!("Not in {taxonomy_name}: {}.", some_of(&placed.missing)))
            .hint(way_to_place(&taxonomy, &placed.missing)));
    }
    if !placed.inner.is_empty() {
        return Err(SqlError::data(format!(
            "column \"{name}\" has values that are inner nodes of its taxonomy"
        ))
        .detail(format!("Inner nodes of {taxonomy_name}: {}.", some_of(&placed.inner)))
        .hint("Only leaves hold data: add a leaf below each of them."));
    }
    if column.nulls {
        // Inner nodes are told from what stands over NULLs by their depth, which the rows of groups do not show.
        let held = (taxonomy.nodes().iter().zip(taxonomy.labels()))
            .filter(|(node, _)| node.children.is_empty() || how.is_local && node.parent.is_some());
        refuse_label(name, how, held.map(|(_, label)| label))?;
    }
    column.renumber(&placed.codes, taxonomy.leaves() as Code)?;
    let hierarchy = Hierarchy::by_taxonomy(&taxonomy, column.nulls)?;
    let ends = match how.ends && column.ty.is_measurable() {
        true if taxonomy.has_ends() => {
            must_be_values(name, &taxonomy, column.ty)?;
            TreeEnds::Own
        }
        true => TreeEnds::ByLeaves(spans(&taxonomy, column.ty)?),
        false => TreeEnds::Own,
    };
    Ok(Bound { hierarchy, labels: Labels::Taxonomy(taxonomy, TreeLabels { truncated: Vec::new(), ends }) })
}

/// A taxonomy over numbers, dates or times has the least and the greatest value below each node.
pub fn upper_end(ty: Option<Type>) -> Option<UpperEnd> {
    ty.filter(Type::is_measurable).map(|_| UpperEnd::Included)
}

/// The least and the greatest leaf below each node, as values of a type. A leaf counts that is written as the type prints it:
/// what means another value tomorrow, or in another session, is none.
fn spans(taxonomy: &Taxonomy, ty: Type) -> Result<Vec<Option<[usize; 2]>>> {
    let Some(compare) = ty.comparator() else { return Err(SqlError::internal("numbers of no order")) };
    let nodes = taxonomy.nodes();
    check_memory::<(Option<[usize; 2]>, Option<Datum>)>(nodes.len())?;
    let value = |(node, label): (&TaxonomyNode, &str)| {
        let value = node.children.is_empty().then(|| ty.parse(label).ok()).flatten();
        value.filter(|&value| ty.text(value) == label)
    };
    let values: Vec<Option<Datum>> = polled(nodes.iter().zip(taxonomy.labels())).map(value).collect();
    let mut spans: Vec<Option<[usize; 2]>> =
        values.iter().enumerate().map(|(node, value)| value.map(|_| [node, node])).collect();
    let is_before = |a: usize, b: usize| match (values[a], values[b]) {
        (Some(a), Some(b)) => compare(a, b).is_lt(),
        _ => false,
    };
    // What is below a node comes after it.
    for node in polled((0..nodes.len()).rev()) {
        let (Some(parent), Some([least, greatest])) = (nodes[node].parent, spans[node]) else { continue };
        let [from, to] = spans[parent].unwrap_or([least, greatest]);
        let from = if is_before(least, from) { least } else { from };
        let to = if is_before(to, greatest) { greatest } else { to };
        spans[parent] = Some([from, to]);
    }
    Ok(spans)
}

/// Ends of a taxonomy's own that are shown as values of the column's type have to be such.
fn must_be_values(name: &str, taxonomy: &Taxonomy, ty: Type) -> Result<()> {
    const HINT: &str = "Put the taxonomy's lower and upper right, or use intervals => 'label'.";
    let compare = ty.comparator().ok_or_else(|| SqlError::internal("numbers of no order"))?;
    for node in polled(0..taxonomy.nodes().len()) {
        let ends = taxonomy.ends(node);
        must_be_one_day(ty, &format!("the taxonomy of column \"{name}\""), ends.into_iter().flatten())?;
        let value = |end: &str| {
            ty.parse(end).map_err(|fault| {
                SqlError::data(format!("an end in the taxonomy of column \"{name}\" is no {}", ty.name()))
                    .detail(clipped_to(&fault, 200))
                    .hint(HINT)
            })
        };
        let [lower, upper] = ends.map(|end| end.map(value).transpose());
        if let (Some(lower), Some(upper)) = (lower?, upper?) {
            if compare(lower, upper).is_gt() {
                return Err(SqlError::data(format!(
                    "a node in the taxonomy of column \"{name}\" ends before it begins"
                ))
                .detail(format!("\"{}\" has a lower end above its upper one.", clipped(taxonomy.label(node))))
                .hint(HINT));
            }
        }
    }
    Ok(())
}
