//! The columns of a version: which there are, of which type, and how a row's code becomes a value.

use super::manifest::Existing;
use crate::bind::Labels;
use crate::cluster::Clustered;
use crate::datum::text_datum;
use crate::error::{Result, SqlError};
use crate::request::{Intervals, Request};
use crate::search::Found;
use crate::source::Source;
use crate::sql;
use pgrx::pg_sys::{self, Datum};
use topdown::cluster::Extent;
use topdown::refine::{Meaning, NodeId, TOP};
use topdown::Code;

/// A column of the version table and the view.
#[derive(Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its type as DDL writes it.
    pub declaration: String,
    /// Its type, perhaps a domain.
    pub type_oid: pg_sys::Oid,
    /// Whether the view shows it.
    pub public: bool,
    kind: Kind,
    /// The column of the source that its values come from.
    column: usize,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A masked column's labels; which attribute.
    Label(usize),
    /// The lower ends of its intervals.
    Lower(usize),
    /// The upper ends of its intervals.
    Upper(usize),
    /// Its intervals as ranges.
    Range(usize),
    /// Released as it is.
    Original,
    /// The original values of a sensitive column that is also masked; which sensitive column.
    Sensitive(usize),
}

/// The columns of a release, in the source's order.
pub fn plan(request: &Request) -> Result<Vec<Output>> {
    let mut outputs = Vec::new();
    for column in request.columns() {
        let source = &request.source.columns[column];
        let name = &source.name;
        let Some(attribute) = request.masked.iter().position(|m| m.column == column) else {
            let declaration = source.declaration.clone();
            outputs.push(Output {
                name: name.clone(),
                declaration,
                type_oid: source.type_oid,
                public: true,
                kind: Kind::Original,
                column,
            });
            continue;
        };
        let mut output = |name: String, declaration: String, type_oid: pg_sys::Oid, kind: Kind| {
            let public = !matches!(kind, Kind::Sensitive(_));
            outputs.push(Output { name, declaration, type_oid, public, kind, column });
        };
        let text = pg_sys::TEXTOID;
        let kind = request.source.kind(column);
        let continuous =
            matches!(request.masked[attribute].by, crate::api::masking::masking::ByIntervals { .. });
        match request.intervals {
            Intervals::Range if continuous => {
                let range = kind.range().ok_or_else(|| {
                    SqlError::unsupported(format!(
                        "intervals of column \"{name}\" cannot be ranges: type {} has no range type",
                        kind.name()
                    ))
                    .hint("Use intervals => 'label' or 'bounds'.")
                })?;
                output(name.clone(), range.name(), range.oid, Kind::Range(attribute));
            }
            Intervals::Bounds if continuous => {
                output(name.clone(), "text".into(), text, Kind::Label(attribute));
                output(sql::suffixed(name, "_lo"), kind.name(), kind.oid, Kind::Lower(attribute));
                output(sql::suffixed(name, "_hi"), kind.name(), kind.oid, Kind::Upper(attribute));
            }
            _ => output(name.clone(), "text".into(), text, Kind::Label(attribute)),
        }
        if let Ok(sensitive) = request.sensitive.binary_search(&column) {
            let declaration = source.declaration.clone();
            output(sensitive_copy(name), declaration, source.type_oid, Kind::Sensitive(sensitive));
        }
    }
    for (i, output) in outputs.iter().enumerate() {
        if outputs[..i].iter().any(|earlier| earlier.name == output.name) {
            return Err(SqlError::column_name(format!(
                "two columns of the release would be called \"{}\"",
                output.name
            ))
            .hint("Release a view of the source in which the columns have other names."));
        }
    }
    Ok(outputs)
}

/// Where the version table keeps the original values of a sensitive column that is also masked, for
/// the recount; the view never shows it.
pub fn sensitive_copy(name: &str) -> String {
    sql::suffixed(name, "_sensitive")
}

/// A further version must have the columns of the earlier ones: readers rely on the view.
pub fn compare(existing: &Existing, planned: &[Output], release: &str) -> Result<()> {
    let view = Source::named(&sql::qualified(release, &existing.view));
    let shown = |name: &str, declaration: &str| {
        format!("{name} {}", declaration.replace(" COLLATE pg_catalog.\"default\"", ""))
    };
    let of_view: Vec<String> =
        view.iter().flat_map(|v| &v.columns).map(|c| shown(&c.name, &c.declaration)).collect();
    let planned: Vec<String> =
        planned.iter().filter(|c| c.public).map(|c| shown(&c.name, &c.declaration)).collect();
    if of_view.is_empty() || of_view == planned {
        return Ok(());
    }
    let missing: Vec<&String> = of_view.iter().filter(|c| !planned.contains(c)).collect();
    let new: Vec<&String> = planned.iter().filter(|c| !of_view.contains(c)).collect();
    let mut differences = Vec::new();
    if !missing.is_empty() {
        differences.push(format!("no longer there: {}", crate::error::some_of(missing)));
    }
    if !new.is_empty() {
        differences.push(format!("new: {}", crate::error::some_of(new)));
    }
    if differences.is_empty() {
        differences.push("their order".into());
    }
    Err(SqlError::state(format!("release \"{release}\" has other columns"))
        .detail(format!("Of the columns differ: {}.", differences.join("; ")))
        .hint("Keep the view's columns as they are, or choose another name for the release."))
}

/// How the rows' codes of one column become values.
#[derive(Debug)]
pub struct Fill<'a> {
    /// Each row's code.
    pub codes: &'a [Code],
    /// Each code's value; none for NULL, and for codes beyond the end.
    pub values: Vec<Option<Datum>>,
}

/// The fill of each column; labels are made once a node.
pub fn fills<'a>(outputs: &[Output], request: &Request, found: &'a Found) -> Result<Vec<Fill<'a>>> {
    outputs
        .iter()
        .map(|output| {
            let column = found.table.column(output.column)?;
            let original = |values: &[Datum]| values.iter().copied().map(Some).collect();
            let (codes, values) = match output.kind {
                Kind::Original => (&column.codes, original(&column.datums())),
                Kind::Sensitive(s) => (&found.sensitive[s].codes, original(&found.sensitive[s].values)),
                Kind::Label(a) => (
                    &column.codes,
                    by_node(found, a, |node| {
                        found.label(a, node, request.any()).map(|label| text_datum(&label)).transpose()
                    })?,
                ),
                Kind::Lower(a) => (&column.codes, by_node(found, a, |node| Ok(ends(found, a, node).0))?),
                Kind::Upper(a) => (&column.codes, by_node(found, a, |node| Ok(ends(found, a, node).1))?),
                Kind::Range(a) => (&column.codes, by_node(found, a, |node| range(request, found, a, node))?),
            };
            Ok(Fill { codes, values })
        })
        .collect()
}

/// The fill of each column of a clustering: a masked column's codes are those of the clusters.
pub fn cluster_fills<'a>(
    outputs: &[Output],
    request: &Request,
    clustered: &'a Clustered,
) -> Result<Vec<Fill<'a>>> {
    let fill = |output: &Output| match output.kind {
        Kind::Label(a) => {
            let label = |extents: &Vec<Extent>| {
                let label = clustered.label(a, &extents[a], request.any());
                label.map(|label| text_datum(&label)).transpose()
            };
            let values = clustered.extents.iter().map(label).collect::<Result<_>>()?;
            Ok(Fill { codes: &clustered.cluster_of, values })
        }
        Kind::Original => {
            let column = clustered.table.column(output.column)?;
            Ok(Fill { codes: &column.codes, values: column.datums().into_iter().map(Some).collect() })
        }
        _ => Err(SqlError::internal("a column that a clustering does not have")),
    };
    outputs.iter().map(fill).collect()
}

/// Each code's value, made from the node it is released as.
fn by_node(
    found: &Found,
    attribute: usize,
    value: impl Fn(NodeId) -> Result<Option<Datum>>,
) -> Result<Vec<Option<Datum>>> {
    let hierarchy = &found.outcome.hierarchies[attribute];
    let cut = &found.outcome.cuts[attribute];
    let mut made: Vec<Option<Option<Datum>>> = vec![None; hierarchy.nodes().len()];
    (0..hierarchy.codes() as Code)
        .map(|code| {
            let node = cut.released(code);
            if let Some(made) = made[node as usize] {
                return Ok(made);
            }
            let value = value(node)?;
            made[node as usize] = Some(value);
            Ok(value)
        })
        .collect()
}

/// The ends of a node that is an interval.
fn ends(found: &Found, attribute: usize, node: NodeId) -> (Option<Datum>, Option<Datum>) {
    let node = found.outcome.hierarchies[attribute].node(node);
    match node.meaning {
        Meaning::Interval => found.labels[attribute].ends(&node.codes),
        _ => (None, None),
    }
}

/// A node as a range: the top, and `*` over NULLs, is unbounded.
fn range(request: &Request, found: &Found, attribute: usize, id: NodeId) -> Result<Option<Datum>> {
    let node = found.outcome.hierarchies[attribute].node(id);
    let Labels::Intervals { kind, values, upper, .. } = &found.labels[attribute] else {
        return Err(SqlError::internal("a range of no interval"));
    };
    if node.meaning == Meaning::Null {
        return Ok(None);
    }
    let whole = node.codes.start == 0 && node.codes.end as usize >= values.len();
    let text = if id == TOP || whole {
        "(,)".to_string()
    } else {
        let (from, to) = ends(found, attribute, id);
        let quoted = |end: Option<Datum>| end.map(|d| format!("\"{}\"", kind.text(d))).unwrap_or_default();
        let closed = upper.is_some() && node.codes.end as usize == values.len();
        format!("[{},{}{}", quoted(from), quoted(to), if closed { ']' } else { ')' })
    };
    let range = kind.range().ok_or_else(|| SqlError::internal("no range type"))?;
    range.parse(&text).map(Some).map_err(|complaint| {
        let name = &request.source.columns[found.attributes[attribute]].name;
        SqlError::data(format!("an interval of column \"{name}\" cannot be a range"))
            .detail(format!("{text} is no {}: {complaint}.", range.name()))
            .hint("Use intervals => 'label' or 'bounds'.")
    })
}
