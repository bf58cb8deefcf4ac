//! The columns of a version: which there are, of which type, and how a row's code becomes a value.
//!
//! A version's table is a partition of the table of all versions, and has just its columns, in its order:
//! the version's number first, so that a reader's filter on it looks no further than that; then what the view
//! shows; then what is hidden, which may differ between versions and is NULL where a version has none. A hidden column has a
//! neutral name, because everybody can read the catalogs; the manifest says what it holds. All columns are of base types: a
//! domain could refuse what is there when a dump is restored.

use crate::postgres::datum::{text_datum, Type};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::source::Source;
use crate::release::store::kept::KeptColumns;
use crate::release::store::means::{mean_column, Means};
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::Holds;
use crate::release::store::shown::End;
use crate::search::SearchResult;
use crate::terms::labels::Labels;
use crate::terms::masking::masking;
use crate::terms::privacy_model::k_anonymity::{self, smallest_class};
use crate::terms::request::Request;
use crate::terms::words::{Changes, Intervals};
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::{self, Datum};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use topdown::cluster::Extent;
use topdown::table::Store;

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
    filling: Filling,
    /// The column of the source that its values come from.
    pub column: usize,
}

impl Output {
    /// The name of a column that is shown as it is, and its place in the source.
    pub fn original(&self) -> Option<(&str, usize)> {
        matches!(self.filling, Filling::Original).then_some((self.name.as_str(), self.column))
    }

    /// What it holds, if the view does not show it and the manifest has to tell.
    pub fn holds(&self) -> Option<Holds> {
        match self.filling {
            Filling::Sensitive(_) => Some(Holds::Sensitive),
            Filling::Person(_) => Some(Holds::Person),
            Filling::Source(_) => Some(Holds::Source),
            _ => None,
        }
    }

    /// What all rows of a version have in the column of its number.
    pub fn of_version(&self, version: i32) -> Option<Fill<'static>> {
        let is_key = matches!(self.filling, Filling::Version);
        is_key.then(|| Fill::Same(Some(Datum::from(version))))
    }
}

#[derive(Debug, Clone, Copy)]
enum Filling {
    /// A masked column's labels; which attribute.
    Label(usize),
    /// The lower ends of what it is released as.
    Lower(usize),
    /// The upper ends.
    Upper(usize),
    /// The means of its values.
    Mean,
    /// Its intervals as they are shown in another form: as padded labels, or as ranges.
    ColumnNodes(usize),
    /// Released as it is.
    Original,
    /// Released as its masking of kept columns has it.
    Kept,
    /// The original values of a sensitive column that is also masked; which sensitive column.
    Sensitive(usize),
    /// Pseudonyms of persons; by which column.
    Person(usize),
    /// What each row is, by which the rows of versions are compared.
    Row,
    /// The source's values of a column that is shown otherwise, for when its rows have left the source; which masked column.
    Source(Option<usize>),
    /// The number of the version.
    Version,
    /// NULL: hidden, and of other versions.
    Nothing,
}

/// The columns of a version: of its number, and of the release in the source's order.
pub fn plan(request: &Request) -> Result<Vec<Output>> {
    classes_are_bounded(request)?;
    let attributes: HashMap<usize, usize> =
        request.masked.iter().enumerate().map(|(attribute, masked)| (masked.column, attribute)).collect();
    let mut outputs = Vec::new();
    for column in request.columns() {
        let source = &request.source.columns[column];
        let name = &source.name;
        let (stored_type, stored) = source.stored_as();
        let mut output = |name: String, declaration: String, type_oid: pg_sys::Oid, filling: Filling| {
            let public = !matches!(filling, Filling::Sensitive(_) | Filling::Person(_));
            outputs.push(Output { name, declaration, type_oid, public, filling, column });
        };
        if let Ok(person) = request.persons.binary_search(&column) {
            output(String::new(), "integer".into(), pg_sys::INT4OID, Filling::Person(person));
            continue;
        }
        let Some(&attribute) = attributes.get(&column) else {
            let (filling, mean) = match request.kept_by.get(&column) {
                None => (Filling::Original, None),
                // A mean of whole numbers is none.
                Some(masking::Microaggregated(_)) => (Filling::Kept, request.source.type_of(column).mean()),
                Some(_) => (Filling::Kept, None),
            };
            match mean {
                Some(mean) => output(name.clone(), mean.name(), mean.oid, filling),
                None => output(name.clone(), stored, stored_type, filling),
            }
            continue;
        };
        let text = pg_sys::TEXTOID;
        let ty = request.source.type_of(column);
        let by_intervals = request.masked[attribute].by.is_by_intervals();
        match request.arguments.intervals {
            Intervals::Range if by_intervals => {
                let range = ty.range().ok_or_else(|| {
                    SqlError::unsupported(format!(
                        "intervals of column \"{name}\" cannot be ranges: type {} has no range type",
                        ty.name()
                    ))
                    .hint("Use intervals => 'label' or 'bounds'.")
                })?;
                output(name.clone(), range.name(), range.oid, Filling::ColumnNodes(attribute));
            }
            Intervals::Padded if by_intervals => {
                if !ty.is_measurable() {
                    return Err(SqlError::unsupported(format!(
                        "intervals of column \"{name}\" cannot be padded: type {} is no number, date or time",
                        ty.name()
                    ))
                    .hint("Use intervals => 'label' or 'bounds'."));
                }
                output(name.clone(), "text".into(), text, Filling::ColumnNodes(attribute));
            }
            _ => output(name.clone(), "text".into(), text, Filling::Label(attribute)),
        }
        if request.arguments.upper_end(&request.masked[attribute].by, Some(ty)).is_some() {
            output(End::Lower.column(name), ty.name(), ty.oid, Filling::Lower(attribute));
            output(End::Upper.column(name), ty.name(), ty.oid, Filling::Upper(attribute));
        }
        if let Some(mean) = ty.mean().filter(|_| request.shows_means(attribute)) {
            output(mean_column(name), mean.name(), mean.oid, Filling::Mean);
        }
        if let Ok(sensitive) = request.sensitive.binary_search(&column) {
            output(String::new(), stored, stored_type, Filling::Sensitive(sensitive));
        }
    }
    if request.arguments.changes == Changes::Batched {
        let shown: HashSet<usize> =
            outputs.iter().filter(|output| output.original().is_some()).map(|output| output.column).collect();
        for column in request.columns().into_iter().filter(|column| !shown.contains(column)) {
            let (type_oid, declaration) = request.source.columns[column].stored_as();
            outputs.push(Output {
                name: String::new(),
                declaration,
                type_oid,
                public: false,
                filling: Filling::Source(attributes.get(&column).copied()),
                column,
            });
        }
    }
    if let Some(name) = twice(&outputs) {
        return Err(SqlError::column_name(format!("two columns of the release would be called \"{name}\""))
            .hint("Release a view of the source in which the columns have other names."));
    }
    for at in 0..outputs.len() {
        if outputs[at].holds().is_some() {
            outputs[at].name = hidden_name(|name| outputs.iter().any(|output| output.name == name));
        }
    }
    let (row, key) = (free("row", &outputs), key(&outputs));
    // In front, where it is found without what is beside it.
    let row = Output {
        name: row,
        declaration: "bigint".into(),
        type_oid: pg_sys::INT8OID,
        public: false,
        filling: Filling::Row,
        column: 0,
    };
    outputs.splice(0..0, [version_column(key), row]);
    must_fit(outputs.len())?;
    Ok(outputs)
}

/// The ends of what a masked column is released as, as values of its type.
fn ends(
    request: &Request,
    found: &SearchResult,
    attribute: usize,
    extent: &Extent,
) -> Result<(Option<Datum>, Option<Datum>)> {
    let bound = &found.columns[attribute].bound;
    if matches!(bound.labels, Labels::Intervals(_)) {
        return Ok(bound.bounds(extent));
    }
    let ty = request.source.type_of(request.masked[attribute].column);
    let value = |end: Option<String>| ty.value_of(end.as_deref());
    let (lower, upper) = bound.ends(extent);
    Ok((value(lower)?, value(upper)?))
}

/// A mean of a class, or of m rows of one, needs classes of several rows, or of m.
fn classes_are_bounded(request: &Request) -> Result<()> {
    let arguments = &request.arguments;
    let columns: Vec<String> =
        request.masked.iter().enumerate().map(|(a, _)| request.name(a).into()).collect();
    let least = smallest_class(&arguments.privacy, &columns, arguments.recoding.is_by_group());
    let unbounded = |what: String, detail: &str, k: i32| {
        Err(SqlError::parameter(what)
            .detail(detail)
            .hint(format!("Add {}.", k_anonymity::call(&columns, k, None))))
    };
    if !arguments.means.is_empty() && least < 2 {
        return unbounded(
            "means are shown of classes, and no model bounds their size".into(),
            "A class is the rows that are alike on all masked columns; the mean of a class of one row is its value.",
            5,
        );
    }
    for by in request.kept_by.values() {
        let masking::Microaggregated(by) = by else { continue };
        if least < by.m {
            return unbounded(
                format!(
                    "column \"{}\" cannot be microaggregated by {} rows: no model asks for so many in each class",
                    by.column_name, by.m
                ),
                "A class is the rows that are alike on all masked columns; means are of rows of one class.",
                by.m,
            );
        }
    }
    Ok(())
}

/// The hidden column of a version that tells what each row is.
pub fn row_column(columns: &[Output]) -> Option<&str> {
    columns.iter().find(|output| matches!(output.filling, Filling::Row)).map(|output| output.name.as_str())
}

/// A name for a hidden column that is not taken.
fn hidden_name(is_taken: impl Fn(&str) -> bool) -> String {
    let names = (1..).map(|number| format!("hidden_{number}"));
    names.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
}

/// A name that no column has.
fn free(name: &str, outputs: &[Output]) -> String {
    let mut name = name.to_string();
    while outputs.iter().any(|output| output.name == name) {
        name.push('_');
    }
    name
}

/// A table has only so many columns.
fn must_fit(columns: usize) -> Result<()> {
    let most = pg_sys::MaxHeapAttributeNumber;
    if columns <= most as usize {
        return Ok(());
    }
    Err(SqlError::limit("the release would have too many columns")
        .detail(format!("Its table has {columns} columns, the version's number and what is kept for the recount included, and may have {most}."))
        .hint("Leave columns out of keep, or show intervals in one column: intervals => 'label' or 'range'."))
}

/// What the column is called that tells versions apart: no column of the view's.
fn key(outputs: &[Output]) -> String {
    let mut key = "version".to_string();
    while outputs.iter().any(|output| output.public && output.name == key) {
        key.push('_');
    }
    key
}

fn version_column(name: String) -> Output {
    let (declaration, type_oid) = ("integer NOT NULL".to_string(), pg_sys::INT4OID);
    Output { name, declaration, type_oid, public: false, filling: Filling::Version, column: 0 }
}

/// The same columns as the table of all versions has them, those that it does not have last, and how many
/// those are. The first is the key, whatever it is called by now. A hidden column takes the place of any hidden one of its type.
pub fn fit(mut planned: Vec<Output>, versions: &Source) -> Result<(Vec<Output>, usize)> {
    planned.retain(|output| !matches!(output.filling, Filling::Version));
    let (mut hidden, mut planned): (Vec<Output>, Vec<Output>) =
        planned.into_iter().partition(|output| output.holds().is_some());
    let mut fitted: Vec<Output> = Vec::new();
    for column in &versions.columns {
        let same = |o: &Output| o.name == column.name && o.type_oid == column.type_oid;
        let alike = |o: &Output| o.type_oid == column.type_oid && o.declaration == column.declaration;
        let shown = planned.iter().position(same);
        let name = column.name.clone();
        fitted.push(match (shown, hidden.iter().position(alike)) {
            _ if fitted.is_empty() => version_column(name),
            (Some(place), _) => planned.remove(place),
            (None, Some(place)) => Output { name, ..hidden.remove(place) },
            (None, None) => Output {
                name,
                declaration: column.declaration.clone(),
                type_oid: column.type_oid,
                public: false,
                filling: Filling::Nothing,
                column: 0,
            },
        });
    }
    let more = planned.len() + hidden.len();
    fitted.append(&mut planned);
    for output in hidden {
        let name = hidden_name(|name| {
            fitted.iter().any(|other| other.name == name) || versions.columns.iter().any(|c| c.name == name)
        });
        fitted.push(Output { name, ..output });
    }
    must_fit(fitted.len())?;
    Ok((fitted, more))
}

/// A name that two columns have.
fn twice(outputs: &[Output]) -> Option<&str> {
    let mut names = HashSet::new();
    let named = outputs.iter().filter(|output| output.holds().is_none());
    named.map(|output| output.name.as_str()).find(|name| !names.insert(*name))
}

/// A pseudonym for each of some persons, drawn anew for every version: no two can be joined by them.
pub fn pseudonyms(persons: usize) -> Vec<Option<Datum>> {
    let mut drawn: Vec<u32> = (0..persons as u32).collect();
    drawn.shuffle(&mut StdRng::from_os_rng());
    // As many numbers as an integer has, which are below zero from the middle on.
    polled(drawn).map(|pseudonym| Some(Datum::from(pseudonym as i32))).collect()
}

/// How the rows of one column get their values.
#[derive(Debug)]
pub enum Fill<'a> {
    /// All have the same one; none: NULL.
    Same(Option<Datum>),
    /// By each record's key. None is NULL, which may also be the key behind them, or none at all.
    ByKey(&'a Store, Vec<Option<Datum>>),
    /// Each record has a whole number of its own.
    Numbers(&'a [i64]),
}

/// What a version's table is filled with.
#[derive(Debug, Clone, Copy)]
pub struct Filled<'a> {
    pub columns: &'a [Output],
    pub fills: &'a [Fill<'a>],
}

impl<'a> Filled<'a> {
    /// The column of a name, if it is of that type.
    pub fn column(&self, name: &str, ty: pg_sys::Oid) -> Option<&'a Fill<'a>> {
        let is_it = |output: &Output| output.name == name && output.type_oid == ty;
        self.columns.iter().zip(self.fills).find(|(output, _)| is_it(output)).map(|(_, fill)| fill)
    }
}

impl<'a> Fill<'a> {
    /// A column of means; none for others.
    pub fn of_means(means: &'a Means, column: &str) -> Option<Fill<'a>> {
        let (classes, values) = means.of_column(column)?;
        Some(Fill::ByKey(classes, values.to_vec()))
    }
}

/// The fill of each column; labels are made once for whatever is released.
pub fn fills<'a>(
    outputs: &[Output],
    request: &Request,
    found: &'a SearchResult,
    (nodes, means, kept): (&[Nodes], &'a Means, &'a KeptColumns),
    version: i32,
) -> Result<Vec<Fill<'a>>> {
    let original = |keys, values: &[Datum]| Fill::ByKey(keys, values.iter().copied().map(Some).collect());
    let fill = |output: &Output| {
        if let Some(fill) = output.of_version(version) {
            return Ok(fill);
        }
        let masked = |a: usize, value: &dyn Fn(&Extent) -> Result<Option<Datum>>| {
            Ok(Fill::ByKey(found.keys(a)?, by_extent(&found.columns[a].released, value)?))
        };
        match output.filling {
            Filling::Original => {
                let column = found.table.column(output.column)?;
                Ok(original(&column.codes, &column.datums()))
            }
            Filling::Kept => {
                let shown = kept.get(output.column);
                let shown = shown.ok_or_else(|| SqlError::internal("a kept column without its values"))?;
                Ok(original(&shown.codes, &shown.values))
            }
            Filling::Sensitive(s) => Ok(original(&found.sensitive[s].codes, &found.sensitive[s].values)),
            Filling::Label(a) => masked(a, &|extent| {
                let label = found.columns[a].bound.label(extent, request.any());
                label.map(|label| text_datum(&label)).transpose()
            }),
            Filling::Lower(a) => masked(a, &|extent| Ok(ends(request, found, a, extent)?.0)),
            Filling::Mean => Fill::of_means(means, &output.name)
                .ok_or_else(|| SqlError::internal("a column without its means")),
            Filling::Upper(a) => masked(a, &|extent| {
                let upper = ends(request, found, a, extent)?.1;
                let ty = request.source.type_of(output.column);
                // An interval of a cluster may end with its greatest value; of whole numbers and days it is shown to end before
                // the next, as others do.
                let is_closed =
                    request.arguments.clusters() && found.columns[a].bound.is_closed_interval(extent);
                Ok(upper.and_then(|upper| if is_closed { ty.after(upper) } else { Some(upper) }))
            }),
            Filling::ColumnNodes(a) => {
                let ty = Type::new(output.type_oid, pg_sys::InvalidOid);
                let texts = nodes[a].of_cut(&found.columns[a], request.any());
                let shown: HashMap<&Extent, &Option<String>> =
                    found.columns[a].cut.iter().zip(&texts).collect();
                masked(a, &|extent| ty.value_of(shown[extent].as_deref()))
            }
            Filling::Person(person) => {
                let (codes, persons) = &found.persons[person];
                Ok(Fill::ByKey(codes, pseudonyms(*persons)))
            }
            Filling::Row => Ok(match &found.table.identities {
                Some(identities) => Fill::Numbers(&identities.of_records),
                None => Fill::Same(None),
            }),
            Filling::Source(attribute) => {
                let column = found.table.column(output.column)?;
                let codes = match attribute {
                    Some(a) => found.as_read[a].as_ref(),
                    None => Some(&column.codes),
                };
                let codes = codes.ok_or_else(|| SqlError::internal("a column without its values"))?;
                Ok(original(codes, &column.datums()))
            }
            Filling::Version | Filling::Nothing => Ok(Fill::Same(None)),
        }
    };
    outputs.iter().map(fill).collect()
}

/// Each key's value, made from what it is released as.
fn by_extent(
    released: &[Extent],
    value: impl Fn(&Extent) -> Result<Option<Datum>>,
) -> Result<Vec<Option<Datum>>> {
    let mut made: HashMap<&Extent, Option<Datum>> = HashMap::new();
    polled(released)
        .map(|extent| match made.get(extent) {
            Some(&value) => Ok(value),
            None => {
                let value = value(extent)?;
                made.insert(extent, value);
                Ok(value)
            }
        })
        .collect()
}
