//! Other rows as a version would show them: those of a table that a release is applied to, or of a population. Each value becomes
//! the node of the cut above it, and a value that has no place there the top, or its row is left out.
//!
//! The rows are read twice: first for their distinct values, which are placed here, then by a statement
//! that joins what they become. What comes between the two has no place.

mod local;

use super::groups::no_tree;
use super::tree::{self, Tree};
use super::Version;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, polling, stretches};
use crate::postgres::sql::quote;
use crate::read::order::called;
use crate::read::source::Source;
use crate::read::table::{Column, Table};
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{Mask, Parameters};
use crate::release::store::shown::{End, MaskedAs};
use crate::terms::labels::{is_closed, Labels};
use crate::terms::masking::{masking, Binding};
use crate::terms::words::{Endpoints, Recoding};
use hashbrown::HashMap;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Datum;
use pgrx::spi::quote_literal;
use std::cmp::Ordering;
use topdown::progress::check_memory;
use topdown::Code;

/// A column that is made of other rows.
pub struct TargetColumn {
    pub name: String,
    pub declaration: String,
    /// Which of the masked columns', and what of it; none for one that is copied.
    pub from_masked: Option<(usize, ShownPart)>,
}

/// What becomes of a row that holds a value without a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// It is shown as the top.
    AtTheTop,
    /// The row is left out.
    LeftOut,
}

/// What rows `s` of a source are shown as, as SQL: columns, which the joins make, and conditions on a row that is not left out.
#[derive(Default)]
pub struct MaskedRows {
    pub filled: Vec<String>,
    pub joins: Vec<String>,
    pub conditions: Vec<String>,
    pub args: Vec<DatumWithOid<'static>>,
}

impl MaskedRows {
    /// Rows of a source as a version shows them: `masked` are columns of the version, by their places, and where these are in the
    /// source, of which they were read into a `table`; of a release by local recoding all of them.
    pub fn of(
        version: &Version,
        (source, masked): (&Source, &[(usize, usize)]),
        columns: &[TargetColumn],
        mut table: Table,
        unknown: Unknown,
    ) -> Result<MaskedRows> {
        let parameters = version.parameters;
        let mut trees = tree::of_version(version)?;
        if parameters.arguments.recoding == Recoding::Local {
            return local::rows(version, trees, (source, masked), columns, (table, unknown));
        }
        let mut placed = Vec::new();
        for &(mask, column) in masked {
            let mask = &parameters.columns[mask];
            let tree = trees.remove(&mask.name).ok_or_else(|| no_tree(&mask.name))?;
            placed.push(ColumnMapping::new(mask, parameters, tree, table.column_mut(column)?)?);
        }
        drop(table);
        joined(source, columns, &placed, unknown)
    }
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
        check_memory::<(String, usize, String)>(datums.len())?;
        let mut values = column.texts();
        let by = parameters.arguments.masking.iter().find(|by| by.column_name() == mask.name);
        let nodes: Vec<Option<usize>> = match (mask.masked, by) {
            (MaskedAs::Intervals, _) => between(&tree, column.ty, &datums)?,
            (_, Some(by)) if by.is_by_rule() => by_rule(&tree, by, column)?,
            _ => {
                let (leaves, above) = (tree.leaves(), tree.above(&tree.released())?);
                let names = names_in(&tree, column);
                polled(&names).map(|text| Some(above[*leaves.get(text.as_str())?])).collect()
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

    /// An SQL condition: a row's value has a place. Of values that nobody held every one is suppressed.
    fn has_place(&self, value: &str, alias: &str) -> Option<String> {
        let is_suppressed = self.mask.masked == MaskedAs::Suppression;
        let known = (!is_suppressed).then(|| format!("{alias}.value IS NOT NULL"));
        let is_null = format!("pg_catalog.num_nulls({value}) = 1");
        match (known, self.tree.has_null()) {
            (Some(known), true) => Some(format!("({is_null} OR {known})")),
            (None, true) => None,
            (known, false) => Some(known.unwrap_or_else(|| format!("NOT {is_null}"))),
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
pub enum ShownPart {
    Node,
    End(End),
}

/// What values are called in a tree, by code: an equal value that is printed otherwise (2.0 and 2.00) is called as the leaf.
fn names_in(tree: &Tree, column: &mut Column) -> Vec<String> {
    if !column.ty.is_equal_by_bytes() {
        let leaves: Vec<String> = tree.leaves().into_keys().map(String::from).collect();
        column.called = called(column, |text| text, &leaves);
    }
    column.texts()
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
    // They are disjoint. One that is a single value comes after one that ends where it begins.
    intervals.sort_by(polling(|(_, one, _, one_closed), (_, other, _, other_closed)| {
        let by_lower = match (one, other) {
            (Some(one), Some(other)) => compare(*one, *other),
            (one, other) => one.is_some().cmp(&other.is_some()),
        };
        by_lower.then(bool::cmp(one_closed, other_closed))
    }));
    let place = |&value: &Datum| {
        let after = intervals
            .partition_point(|(_, lower, ..)| lower.is_none_or(|lower| compare(lower, value).is_le()));
        // Two may begin at one value, if one of them is that value alone.
        intervals[after.saturating_sub(2)..after].iter().find_map(|&(node, _, upper, closed)| {
            let beyond = if closed { Ordering::Greater } else { Ordering::Equal };
            upper.is_none_or(|upper| compare(value, upper) < beyond).then_some(node)
        })
    };
    Ok(polled(values).map(place).collect())
}

/// The first node of the cut on the way up from each value, which its rule knows.
fn by_rule(tree: &Tree, by: &masking, column: &mut Column) -> Result<Vec<Option<usize>>> {
    let nodes = tree.by_name();
    // A release calls the top otherwise than the rule, and has another one above it if there are NULLs.
    let tops = tree.way_down(tree.own_top_or_top());
    let place = |path: &Vec<String>| {
        let below = (1..path.len()).rev().zip(path);
        let below = below.filter_map(|(depth, name)| nodes.get(&(name.as_str(), depth)));
        below.chain(tops.iter().rev()).copied().find(|&node| tree.in_cut[node])
    };
    Ok(polled(&ways_up(by, column)?).map(place).collect())
}

/// What a rule has above each value, from the value up.
fn ways_up(by: &masking, column: &mut Column) -> Result<Vec<Vec<String>>> {
    check_memory::<u8>(column.codes.memory_bytes())?;
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

/// Of each masked column its values are joined, and what they become.
fn joined(
    source: &Source,
    columns: &[TargetColumn],
    placed: &[ColumnMapping],
    unknown: Unknown,
) -> Result<MaskedRows> {
    // Of each masked column its values, and for each column made of it what they become.
    let mut args: Vec<DatumWithOid> = Vec::new();
    let (mut joins, mut conditions) = (Vec::new(), Vec::new());
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
        conditions
            .extend(placed.has_place(&format!("s.{}", quote(&placed.mask.name)), &format!("m{number}")));
        joins.push(format!(
            "LEFT JOIN ROWS FROM ({}) AS m{number} ({}) ON m{number}.value = {text} COLLATE pg_catalog.\"C\"",
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
    let conditions = match unknown {
        Unknown::AtTheTop => Vec::new(),
        Unknown::LeftOut => conditions,
    };
    Ok(MaskedRows { filled, joins, conditions, args })
}
