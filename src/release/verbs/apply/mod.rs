//! Other rows under a release's cut, a test set above all: each value becomes the node of the cut above it, and
//! a value that has no place there the top. The rows go into a table of the owner's; nothing of it is published.
//!
//! The rows are read twice: first for their distinct values, which are placed here, then by one INSERT ... SELECT
//! that joins what they become. What comes between the two has no place.

mod local;

use crate::postgres::citus;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::names::Regclass;
use crate::postgres::operation::Operation;
use crate::postgres::progress::{polled, stretches, Watch};
use crate::postgres::sql::{self, qualified, quote};
use crate::read::plan::on_source;
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::Column;
use crate::release::store::manifest::must_exist;
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{fingerprint, Mask, Parameters};
use crate::release::store::shown::{End, MaskedAs};
use crate::release::trace::tree::{self, Tree};
use crate::release::verbs::refresh::other_columns;
use crate::terms::labels::{is_closed, Labels};
use crate::terms::masking::{masking, Binding};
use crate::terms::words::{Endpoints, Recoding};
use hashbrown::HashMap;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Datum;
use pgrx::spi::{quote_literal, Spi};
use std::cmp::Ordering;
use topdown::progress::room;
use topdown::Code;

/// Writes the rows of a source, generalized by a release's current cut, into a new table; how many.
pub fn apply(release: &str, source: Regclass, target: &str) -> Result<i64> {
    let place = Place::of(target)?;
    let _operation = Operation::writing()?;
    let _watch = Watch::new();
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let parameters = existing.parameters()?;
    if let Some(kind) = parameters.arguments.clustering() {
        let message = format!("a {kind} release has no cut that other rows have a place in");
        return Err(SqlError::unsupported(message));
    }
    if parameters.arguments.recoding == Recoding::Local
        && parameters.columns.iter().any(|mask| parameters.begins_with(&mask.name))
    {
        let message = "a release by local recoding with show, or with coarsest() of intervals, is not applied to other rows";
        return Err(SqlError::unsupported(message));
    }
    let source = Source::open(source)?;
    let view = Source::in_schema(existing.schema, &existing.view)?;
    let mut trees = tree::of(&existing, existing.version)?;
    let masked: Vec<usize> =
        parameters.columns.iter().map(|mask| source.column(&mask.name)).collect::<Result<_>>()?;
    same_types(&source, &view, parameters, &masked)?;
    let mut table = scan::read(&source, &masked)?;
    if parameters.arguments.recoding == Recoding::Local {
        return local::apply(&existing, trees, (&source, &masked), &view, &place, table);
    }
    let mut placed = Vec::new();
    for (mask, &column) in parameters.columns.iter().zip(&masked) {
        let tree = trees
            .remove(&mask.name)
            .ok_or_else(|| SqlError::state(format!("the tree of column \"{}\" is gone", mask.name)))?;
        placed.push(ColumnMapping::new(mask, parameters, tree, table.column_mut(column)?)?);
    }
    drop(table);
    let columns = columns(&source, &view, parameters);
    write(&source, &place, &columns, &placed)
}

/// Where the table goes.
struct Place {
    schema: String,
    name: String,
}

impl Place {
    /// A name that may be qualified; else it is one of the schema in which the caller makes tables.
    fn of(target: &str) -> Result<Place> {
        let query =
            "SELECT i, pg_catalog.current_schema()::pg_catalog.text FROM pg_catalog.parse_ident($1) i";
        let read =
            |row: &pgrx::spi::SpiHeapTupleData| Ok((row.get::<Vec<String>>(1)?, row.get::<String>(2)?));
        let (mut names, here) = sql::rows(query, &[target.into()], read)?.pop().unwrap_or_default();
        let names = names.as_mut().map(std::mem::take).unwrap_or_default();
        let unknown = || {
            SqlError::parameter(format!("\"{target}\" is no name of a table"))
                .hint("Give a name, or a schema and a name: 'tests.adult'.")
        };
        match &names[..] {
            [name] => Ok(Place { schema: here.ok_or_else(unknown)?, name: name.clone() }),
            [schema, name] => Ok(Place { schema: schema.clone(), name: name.clone() }),
            _ => Err(unknown()),
        }
    }
}

/// The masked columns are of the types that they were, so that their values mean the same; others that the source
/// has are copied, and so are of the view's types.
fn same_types(source: &Source, view: &Source, parameters: &Parameters, masked: &[usize]) -> Result<()> {
    let before = |name: &str| parameters.source_columns.iter().find(|column| column.name == name);
    let mut faults = Vec::new();
    let now = fingerprint(source, masked);
    for column in now.iter().filter(|now| before(&now.name).is_some_and(|before| before != *now)) {
        faults.push(format!("\"{}\" is of another type", column.name));
    }
    let is_copied = |column: &&crate::read::source::Column| {
        let name = &column.name;
        parameters.mask(name).is_none() && parameters.end(name).is_none() && !parameters.is_mean(name)
    };
    for column in view.columns.iter().filter(is_copied) {
        let Some(place) = source.columns.iter().position(|other| other.name == column.name) else { continue };
        let copied = match parameters.arguments.masking_of(&column.name) {
            Some(masking::Microaggregated(_)) => source.type_of(place).mean().map(|mean| mean.oid),
            _ => Some(source.columns[place].type_oid),
        };
        if copied != Some(column.type_oid) {
            faults.push(format!("\"{}\" is of another type", column.name));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(other_columns(source, &faults)
        .hint("Give a table or a view whose columns have the same names and types."))
}

/// The values of a masked column that have a place, and the node that each is released as.
struct ColumnMapping<'p> {
    mask: &'p Mask,
    tree: Tree,
    /// The nodes as the view shows them.
    shown: Nodes,
    /// Their texts.
    values: Vec<String>,
    nodes: Vec<usize>,
}

impl<'p> ColumnMapping<'p> {
    fn new(
        mask: &'p Mask,
        parameters: &Parameters,
        tree: Tree,
        column: &mut Column,
    ) -> Result<ColumnMapping<'p>> {
        let datums = column.datums();
        room::<(String, usize, String)>(datums.len())?;
        let mut values = column.texts();
        let by = parameters.arguments.masking.iter().find(|by| by.column_name() == mask.name);
        let nodes: Vec<Option<usize>> = match (mask.masked, by) {
            (MaskedAs::Intervals, _) => between(&tree, column.ty, &datums)?,
            (_, Some(by)) if by.is_by_rule() => by_rule(&tree, by, column)?,
            _ => {
                let (leaves, cut) = (tree.leaves(), tree.released());
                polled(&values).map(|text| Some(tree.above(*leaves.get(text.as_str())?, &cut))).collect()
            }
        };
        let mut has_place = nodes.iter().map(Option::is_some);
        values.retain(|_| has_place.next().unwrap_or_default());
        let shown = tree.nodes(&tree.released(), &HashMap::new()).in_form(parameters.form(mask))?;
        Ok(ColumnMapping { mask, tree, shown, values, nodes: nodes.into_iter().flatten().collect() })
    }

    /// What a node is shown as, by what of it a column shows.
    fn shown(&self, node: usize, shows: ShownPart) -> Option<String> {
        let Tree { lower, upper, .. } = &self.tree;
        match shows {
            ShownPart::End(End::Lower) => lower[node].clone(),
            ShownPart::End(End::Upper) => upper[node].clone(),
            ShownPart::Node => self.shown.shown(node).map(String::from),
        }
    }

    /// An SQL expression for one column: the label of its value. `alias` is the join with the placed values.
    /// NULL, and values without a place, get constants.
    fn expression(&self, value: &str, alias: &str, number: usize, shows: ShownPart) -> String {
        let literal = |node| match self.shown(node, shows) {
            Some(text) => quote_literal(&text),
            None => "NULL".into(),
        };
        let (null, top) = (literal(self.tree.of_null()), literal(self.tree.of_unknown(self.mask.masked)));
        format!(
            "CASE WHEN pg_catalog.num_nulls({value}) = 1 THEN {null} WHEN {alias}.value IS NULL THEN {top} ELSE {alias}.c{number} END"
        )
    }
}

/// What of a node a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownPart {
    Node,
    End(End),
}

/// The intervals of the cut that values lie in.
fn between(tree: &Tree, ty: Type, values: &[Datum]) -> Result<Vec<Option<usize>>> {
    let Some(compare) = ty.comparator() else { return Err(SqlError::internal("intervals of no order")) };
    let end = |text: &Option<String>| tree.end(text.as_ref(), ty);
    let mut intervals = Vec::new();
    for node in tree.released() {
        if let Some(label) = &tree.labels[node] {
            let (lower, upper) = (&tree.lower[node], &tree.upper[node]);
            let closed = is_closed(label, lower.as_deref(), upper.as_deref());
            intervals.push((node, end(lower)?, end(upper)?, closed));
        }
    }
    let holds = |value: Datum, (_, lower, upper, closed): &(usize, Option<Datum>, Option<Datum>, bool)| {
        let beyond = if *closed { Ordering::Greater } else { Ordering::Equal };
        lower.is_none_or(|lower| compare(lower, value).is_le())
            && upper.is_none_or(|upper| compare(value, upper) < beyond)
    };
    let place =
        |&value: &Datum| intervals.iter().find(|interval| holds(value, interval)).map(|(node, ..)| *node);
    Ok(polled(values).map(place).collect())
}

/// The first node of the cut on the way up from each value, which its rule knows.
fn by_rule(tree: &Tree, by: &masking, column: &mut Column) -> Result<Vec<Option<usize>>> {
    let nodes = tree.by_name();
    let place = |path: &Vec<String>| {
        let nodes = (0..path.len()).rev().zip(path).map(|(depth, name)| nodes.get(&(name.as_str(), depth)));
        nodes.flatten().copied().find(|&node| tree.in_cut[node])
    };
    Ok(ways_up(by, column)?.iter().map(place).collect())
}

/// What a rule has above each value, from the value up.
fn ways_up(by: &masking, column: &mut Column) -> Result<Vec<Vec<String>>> {
    room::<u8>(column.codes.held())?;
    let (values, codes) = (column.distinct(), column.codes.clone());
    let (endpoints, leave_out) = (Endpoints::Values, false);
    let how = Binding { suppressed: None, is_local: false, endpoints, ends: false, leave_out };
    let bound = by.bind(column, &how)?;
    let Labels::Taxonomy(taxonomy, _) = &bound.labels else {
        return Err(SqlError::internal("a rule without a tree"));
    };
    let mut leaf_of = vec![None; values];
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for rows in stretches(codes.len()) {
        let now = column.codes.fetch(rows.clone(), &mut after)?;
        for (&code, &now) in codes.fetch(rows, &mut before)?.iter().zip(now) {
            if let Some(leaf) = leaf_of.get_mut(code as usize) {
                *leaf = Some(now);
            }
        }
    }
    let leaves: HashMap<Code, usize> = (taxonomy.nodes().iter().enumerate())
        .filter(|(_, node)| node.children.is_empty())
        .map(|(at, node)| (node.leaves.start, at))
        .collect();
    let path = |leaf: &Option<Code>| {
        let leaf = leaf.as_ref().and_then(|leaf| leaves.get(leaf)).copied();
        let path = std::iter::successors(leaf, |&node| taxonomy.nodes()[node].parent);
        let path: Vec<String> = path.map(|node| taxonomy.label(node).to_string()).collect();
        Ok(path)
    };
    polled(&leaf_of).map(path).collect()
}

/// A column of the table that is made.
struct TargetColumn {
    name: String,
    declaration: String,
    /// Which masked column's, and what of it; none for one that is copied.
    from_masked: Option<(usize, ShownPart)>,
}

/// The columns that the view shows and that the source has.
fn columns(source: &Source, view: &Source, parameters: &Parameters) -> Vec<TargetColumn> {
    let made = |column: &crate::read::source::Column| {
        let end = parameters.end(&column.name);
        let of = |(number, mask): (usize, &Mask)| match end {
            _ if column.name == mask.name => Some((number, ShownPart::Node)),
            Some((of, end)) if of.name == mask.name => Some((number, ShownPart::End(end))),
            _ => None,
        };
        let from_masked = parameters.columns.iter().enumerate().find_map(of);
        // Means are of the release's own rows.
        if from_masked.is_none()
            && (parameters.is_mean(&column.name)
                || parameters.mask(&column.name).is_some()
                || source.column(&column.name).is_err())
        {
            return None;
        }
        Some(TargetColumn { name: column.name.clone(), declaration: column.declaration.clone(), from_masked })
    };
    view.columns.iter().filter_map(made).collect()
}

/// Makes the table; its qualified name.
fn make(place: &Place, columns: &[TargetColumn]) -> Result<String> {
    let table = qualified(&place.schema, &place.name);
    let declared: Vec<String> =
        columns.iter().map(|column| format!("{} {}", quote(&column.name), column.declaration)).collect();
    sql::run(&format!("CREATE TABLE {table} ({})", declared.join(", ")), &[])?;
    Ok(table)
}

/// Inserts the rows of the source into the table; `joins` map values to labels.
fn fill(
    table: &str,
    source: &Source,
    (filled, joins): (&[String], &[String]),
    args: &[DatumWithOid],
) -> Result<i64> {
    let insert = format!(
        "INSERT INTO {table} SELECT {} FROM {} s {}",
        filled.join(", "),
        source.qualified(),
        joins.join(" ")
    );
    citus::read_to_write(source.oid, || {
        Spi::connect_mut(|_| sql::perform(on_source(source, &insert, &sql::types(args))?, args))
    })
    .map(|rows| rows as i64)
}

/// Makes the table and fills it.
fn write(source: &Source, place: &Place, columns: &[TargetColumn], placed: &[ColumnMapping]) -> Result<i64> {
    let table = make(place, columns)?;
    // Of each masked column its values, and for each column made of it what they become.
    let mut args: Vec<DatumWithOid> = Vec::new();
    let mut joins = Vec::new();
    for (number, placed) in placed.iter().enumerate() {
        args.push(placed.values.clone().into());
        let mut arrays = vec![format!("${}::text[]", args.len())];
        let mut names = vec!["value".to_string()];
        for (place, column) in columns.iter().enumerate() {
            let Some((_, shows)) = column.from_masked.filter(|(of, _)| *of == number) else { continue };
            let texts: Vec<Option<String>> =
                placed.nodes.iter().map(|&node| placed.shown(node, shows)).collect();
            args.push(texts.into());
            arrays.push(format!("${}::text[]", args.len()));
            names.push(format!("c{place}"));
        }
        let value = source.type_of(source.column(&placed.mask.name)?);
        let text = value.sql_text(&format!("s.{}", quote(&placed.mask.name)));
        joins.push(format!(
            "LEFT JOIN ROWS FROM ({}) AS m{number} ({}) ON m{number}.value = {text}",
            arrays.iter().map(|array| format!("pg_catalog.unnest({array})")).collect::<Vec<_>>().join(", "),
            names.join(", ")
        ));
    }
    let filled: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(place, column)| match column.from_masked {
            None => format!("s.{}", quote(&column.name)),
            Some((number, shows)) => {
                let value = format!("s.{}", quote(&placed[number].mask.name));
                let text = placed[number].expression(&value, &format!("m{number}"), place, shows);
                format!("({text})::{}", column.declaration)
            }
        })
        .collect();
    fill(&table, source, (&filled, &joins), &args)
}
