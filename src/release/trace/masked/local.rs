//! Other rows under the groups of a release by local recoding. Where a row belongs follows from its values on all
//! masked columns together: it goes down the divisions of the release's steps, and is released as the last group on its
//! way that has a place for it.
//!
//! Rows are joined to what they become in three steps, each by whole numbers or texts that can be hashed: a value's
//! number, the group of a combination of numbers, and what the group shows.

use super::{names_in, ways_up, MaskedRows, ShownPart, TargetColumn, Unknown};
use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::progress::{polled, Ticker};
use crate::postgres::sql::quote;
use crate::read::source::Source;
use crate::read::table::{Column, Table};
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{Mask, Parameters};
use crate::release::store::shown::{End, MaskedAs};
use crate::release::trace::groups::{no_tree, Division, Groups};
use crate::release::trace::load;
use crate::release::trace::tree::Tree;
use crate::release::trace::Version;
use hashbrown::HashMap;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Datum;
use topdown::progress::check_memory;
use topdown::table::{compress, Compressed, Store};
use topdown::Code;

/// Rows of a source, as they were read, as a version's groups show them.
pub fn rows(
    version: &Version,
    mut trees: HashMap<String, Tree>,
    (source, masked): (&Source, &[(usize, usize)]),
    columns: &[TargetColumn],
    (mut table, unknown): (Table, Unknown),
) -> Result<MaskedRows> {
    let parameters = version.parameters;
    let steps = load::steps(version, &trees, &parameters.names())?;
    let groups = Groups::of(parameters, &trees, &steps)?;
    drop(steps);
    let (mut kinds, mut codes) = (Vec::new(), Vec::new());
    for &(mask, column) in masked {
        let mask = &parameters.columns[mask];
        let tree = trees.remove(&mask.name).ok_or_else(|| no_tree(&mask.name))?;
        let column = table.column_mut(column)?;
        let null = column.distinct() as Code;
        check_memory::<u8>(2 * column.codes.memory_bytes())?;
        let mut numbered = column.codes.clone();
        numbered.renumber(&(0..null).collect::<Vec<Code>>(), null)?;
        codes.push(numbered);
        kinds.push(MaskedColumn::new(mask, parameters, tree, column)?);
    }
    let cardinalities: Vec<usize> = kinds.iter().map(|kind| kind.texts.len() + 1).collect();
    let combinations = compress(&codes.iter().collect::<Vec<&Store>>(), &cardinalities, table.rows, None)?;
    drop((codes, table));
    let placing = Placing { groups: &groups, kinds: &kinds, ticker: Ticker::default() };
    let distinct = combinations.weights.len();
    check_memory::<(i32, i32)>(distinct * (kinds.len() + 1))?;
    let mut shown = Vec::new();
    let mut numbers: HashMap<Vec<usize>, i32> = HashMap::new();
    let mut of_combination: Vec<Option<i32>> = Vec::with_capacity(distinct);
    for combination in polled(0..distinct) {
        let code = |a: usize| combinations.columns[a].get(combination);
        let is_placed = unknown == Unknown::AtTheTop || placing.knows(code);
        let nodes = if is_placed { placing.place(code)? } else { None };
        of_combination.push(nodes.map(|nodes| {
            *numbers.entry(nodes.clone()).or_insert_with(|| {
                shown.push(nodes);
                shown.len() as i32
            })
        }));
    }
    // What has no place at all is released as the tops, which stand over NULLs, too.
    shown.push(vec![0; kinds.len()]);
    let mut joins = Joins::default();
    joins.values(source, &kinds)?;
    joins.combinations(&combinations, of_combination);
    let filled = joins.shown(columns, &kinds, &shown);
    let conditions = match unknown {
        Unknown::AtTheTop => Vec::new(),
        // IS NOT NULL would make the planner join in another order: combinations by some of their numbers.
        Unknown::LeftOut => vec!["pg_catalog.num_nulls(c.grp) = 0".to_string()],
    };
    Ok(MaskedRows { filled, joins: joins.joins, conditions, args: joins.args })
}

/// A masked column: how a value finds its way down.
struct MaskedColumn<'p> {
    mask: &'p Mask,
    tree: Tree,
    /// The values' texts.
    texts: Vec<String>,
    path: Path,
    /// The nodes as the view shows those of the cut, and as all are shown.
    shown: [Nodes; 2],
}

/// How a value finds its way down.
enum Path {
    /// By the nodes above it, from the top, as far as the tree has it; at last, those of NULL.
    Nodes(Vec<Vec<usize>>),
    /// By where it lies; none for one beyond the column's bounds.
    Line { ty: Type, values: Vec<Option<Datum>> },
}

impl<'p> MaskedColumn<'p> {
    fn new(
        mask: &'p Mask,
        parameters: &Parameters,
        tree: Tree,
        column: &mut Column,
    ) -> Result<MaskedColumn<'p>> {
        let (ty, values) = (column.ty, column.datums());
        check_memory::<(String, [Option<String>; 4])>(values.len())?;
        let texts = column.texts();
        let by = parameters.arguments.masking.iter().find(|by| by.column_name() == mask.name);
        let path = match (mask.masked, by) {
            (MaskedAs::Intervals, _) => Path::Line { ty, values: within(&tree, ty, values)? },
            (MaskedAs::Suppression, _) => {
                let values = tree.by_parent();
                let way =
                    |label: Option<&str>| [0].into_iter().chain(values.get(&(0, label)).copied()).collect();
                let names = names_in(&tree, column);
                let ways = names.iter().map(|text| way(Some(text.as_str())));
                Path::Nodes(polled(ways).chain([way(None)]).collect())
            }
            (MaskedAs::Taxonomy, by) => {
                let mut ways: Vec<Vec<usize>> = match by.filter(|by| by.is_by_rule()) {
                    Some(by) => {
                        let (nodes, top) = (tree.by_name(), tree.way_down(tree.own_top_or_top()));
                        let way = |path: Vec<String>| {
                            // The top is called otherwise in a release.
                            let below = path.iter().rev().zip(0..).skip(1);
                            let below = below.map_while(|(name, depth)| nodes.get(&(name.as_str(), depth)));
                            top.iter().chain(below).copied().collect()
                        };
                        polled(ways_up(by, column)?).map(way).collect()
                    }
                    None => {
                        let leaves = tree.leaves();
                        let way = |text: &String| leaves.get(text.as_str()).map(|&leaf| tree.way_down(leaf));
                        polled(&names_in(&tree, column)).map(|text| way(text).unwrap_or_default()).collect()
                    }
                };
                ways.push(tree.null().map_or(Vec::new(), |null| tree.way_down(null)));
                Path::Nodes(ways)
            }
        };
        let form = parameters.form(mask);
        let all = (0..tree.labels.len()).collect();
        let shown = [
            tree.nodes(&tree.released(), &HashMap::new()).in_form(form)?,
            tree.nodes(&all, &HashMap::new()).in_form(form)?,
        ];
        Ok(MaskedColumn { mask, tree, texts, path, shown })
    }

    /// The column's own top.
    fn top(&self) -> usize {
        self.tree.of_unknown(self.mask.masked)
    }

    /// What a node is shown as, by what of it a column shows.
    fn shown(&self, node: usize, shows: ShownPart) -> Option<String> {
        match shows {
            ShownPart::End(End::Lower) => self.tree.lower[node].clone(),
            ShownPart::End(End::Upper) => self.tree.upper[node].clone(),
            ShownPart::Node => {
                let shown = self.shown.iter().find_map(|nodes| nodes.shown(node));
                shown.map(String::from)
            }
        }
    }
}

/// The values that lie within the bounds of a column of intervals: those of its own top.
fn within(tree: &Tree, ty: Type, values: Vec<Datum>) -> Result<Vec<Option<Datum>>> {
    let top = tree.own_top_or_top();
    let (lower, upper) = (tree.end(tree.lower[top].as_ref(), ty)?, tree.end(tree.upper[top].as_ref(), ty)?);
    let Some(compare) = ty.comparator() else { return Ok(values.into_iter().map(Some).collect()) };
    let is_within = |value: &Datum| {
        lower.is_none_or(|lower| compare(lower, *value).is_le())
            && upper.is_none_or(|upper| compare(*value, upper).is_le())
    };
    Ok(polled(values).map(|value| Some(value).filter(is_within)).collect())
}

/// Finds the groups that rows belong to.
struct Placing<'a> {
    groups: &'a Groups,
    kinds: &'a [MaskedColumn<'a>],
    /// A way down may be long.
    ticker: Ticker,
}

impl Placing<'_> {
    /// Whether the release has a place for each of some values on the masked columns.
    fn knows(&self, code: impl Fn(usize) -> Code) -> bool {
        self.kinds.iter().enumerate().all(|(a, kind)| {
            let code = code(a) as usize;
            match &kind.path {
                _ if code == kind.texts.len() => kind.tree.has_null(),
                Path::Nodes(ways) => !ways[code].is_empty(),
                Path::Line { values, .. } => values[code].is_some(),
            }
        })
    }

    /// What some values on the masked columns are released as; none, where the release has no place for them at all.
    fn place(&self, code: impl Fn(usize) -> Code) -> Result<Option<Vec<usize>>> {
        let codes: Vec<usize> = (0..self.kinds.len()).map(|a| code(a) as usize).collect();
        // How far down each column is.
        let begins = |group: usize| {
            let nodes = &self.groups.group(group).nodes;
            self.ticker.tick(1);
            let depth = |(a, kind): (usize, &MaskedColumn)| match &kind.path {
                Path::Nodes(ways) => ways[codes[a]].iter().position(|&node| node == nodes[a]).or(
                    // What has no place stays at the top.
                    [0, kind.top()].contains(&nodes[a]).then_some(usize::MAX - 1),
                ),
                Path::Line { values, .. } => {
                    let is_null = kind.tree.labels[nodes[a]].is_none();
                    (!is_null || codes[a] == values.len()).then_some(0)
                }
            };
            self.kinds.iter().enumerate().map(depth).collect::<Option<Vec<usize>>>()
        };
        let root = self.groups.roots().find_map(|root| Some((root, begins(root)?)));
        let Some((mut group, mut depths)) = root else { return Ok(self.coarsest(&codes)) };
        while let Some(division) = &self.groups.group(group).division {
            self.ticker.tick(1);
            let a = division.column;
            let own = self.groups.group(group).nodes[a];
            let Some((part, depth)) = self.part((own, division), codes[a], depths[a])? else { break };
            (group, depths[a]) = (part, depth);
        }
        Ok(Some(self.groups.group(group).nodes.clone()))
    }

    /// For values whose root group no step refined: their nodes in the coarsest cut that is allowed.
    fn coarsest(&self, codes: &[usize]) -> Option<Vec<usize>> {
        let coarsest = |(kind, &code): (&MaskedColumn, &usize)| {
            let mut nodes = kind.tree.coarsest().iter().copied();
            match &kind.path {
                Path::Nodes(ways) => nodes.find(|node| ways[code].contains(node)),
                Path::Line { values, .. } => {
                    nodes.find(|&node| kind.tree.labels[node].is_none() == (code == values.len()))
                }
            }
            .or_else(|| (kind.tree.coarsest() == [0]).then_some(0))
        };
        self.kinds.iter().zip(codes).map(coarsest).collect()
    }

    /// The part of a division of a node that a value falls into, and how far down its path that is.
    fn part(
        &self,
        (own, division): (usize, &Division),
        code: usize,
        depth: usize,
    ) -> Result<Option<(usize, usize)>> {
        let kind = &self.kinds[division.column];
        let (tree, parts) = (&kind.tree, &division.parts);
        let of = |node: usize| division.part(node);
        match &kind.path {
            Path::Nodes(ways) => {
                let below = ways[code].iter().enumerate().skip(depth.saturating_add(1));
                let below = below.inspect(|_| self.ticker.tick(1));
                let down = below.filter_map(|(depth, &node)| Some((of(node)?, depth))).next();
                // What none of the parts is for belongs to the one that stays at the node, if there is one.
                Ok(down.or_else(|| of(own).map(|part| (part, depth))))
            }
            Path::Line { ty, values } => {
                let null = parts.iter().find(|(node, _)| tree.labels[*node].is_none());
                // NULLs may be beside an interval, at what is over both.
                let rest = of(own);
                let Some(&value) = values.get(code) else {
                    return Ok(null.map(|(_, part)| *part).or(rest).map(|part| (part, depth)));
                };
                if null.is_some() {
                    let own = parts.iter().find(|(node, _)| tree.labels[*node].is_some());
                    return Ok(own.map(|(_, part)| (*part, depth)));
                }
                let (Some(value), Some(compare)) = (value, ty.comparator()) else { return Ok(None) };
                if rest.is_some() || parts.len() == 1 {
                    let last = &tree.upper[tree.own_top_or_top()];
                    for &(node, part) in parts.iter().filter(|(node, _)| *node != own) {
                        self.ticker.tick(1);
                        let lower = tree.end(tree.lower[node].as_ref(), *ty)?;
                        let upper = tree.end(
                            Some(&tree.upper[node]).filter(|end| *end != last).and_then(Option::as_ref),
                            *ty,
                        )?;
                        let is_within = lower.is_none_or(|lower| compare(lower, value).is_le())
                            && upper.is_none_or(|upper| compare(value, upper).is_lt());
                        if is_within {
                            return Ok(Some((part, depth)));
                        }
                    }
                    return Ok(rest.map(|rest| (rest, depth)));
                }
                let split = parts.get(1).and_then(|(right, _)| tree.lower[*right].as_ref());
                let Some(split) = tree.end(split, *ty)? else { return Ok(None) };
                let half = usize::from(compare(split, value).is_le());
                Ok(parts.get(half).map(|(_, part)| (*part, depth)))
            }
        }
    }
}

/// What rows are joined to.
#[derive(Default)]
struct Joins {
    joins: Vec<String>,
    args: Vec<DatumWithOid<'static>>,
    /// Of each masked column the number of a row's value, as SQL.
    numbers: Vec<String>,
}

impl Joins {
    fn arg(&mut self, arg: impl Into<DatumWithOid<'static>>, ty: &str) -> String {
        self.args.push(arg.into());
        format!("pg_catalog.unnest(${}::pg_catalog.{ty}[])", self.args.len())
    }

    /// The values of each column, by their texts.
    fn values(&mut self, source: &Source, kinds: &[MaskedColumn]) -> Result<()> {
        for (a, kind) in kinds.iter().enumerate() {
            let column = source.column(&kind.mask.name)?;
            let value = format!("s.{}", quote(&kind.mask.name));
            let text = source.type_of(column).sql_text(&value);
            let values = self.arg(kind.texts.clone(), "text");
            self.joins.push(format!(
                "LEFT JOIN ROWS FROM ({values}) WITH ORDINALITY AS m{a} (value, number) ON m{a}.value = {text} COLLATE pg_catalog.\"C\""
            ));
            let null = kind.texts.len();
            self.numbers.push(format!(
                "CASE WHEN pg_catalog.num_nulls({value}) = 1 THEN {null} ELSE m{a}.number - 1 END"
            ));
        }
        Ok(())
    }

    /// The groups of combinations, by the numbers of their values.
    fn combinations(&mut self, combinations: &Compressed, groups: Vec<Option<i32>>) {
        let mut arrays = Vec::new();
        for column in &combinations.columns {
            let numbers: Vec<i32> = polled(0..column.len()).map(|at| column.get(at) as i32).collect();
            arrays.push(self.arg(numbers, "int4"));
        }
        arrays.push(self.arg(groups, "int4"));
        let names: Vec<String> = (0..self.numbers.len()).map(|a| format!("c{a}")).collect();
        let same: Vec<String> =
            self.numbers.iter().zip(&names).map(|(number, name)| format!("c.{name} = {number}")).collect();
        self.joins.push(format!(
            "LEFT JOIN ROWS FROM ({}) AS c ({}, grp) ON {}",
            arrays.join(", "),
            names.join(", "),
            same.join(" AND ")
        ));
    }

    /// What the groups show; the last is of rows that have none. The columns of the table.
    fn shown(
        &mut self,
        columns: &[TargetColumn],
        kinds: &[MaskedColumn],
        groups: &[Vec<usize>],
    ) -> Vec<String> {
        let (mut filled, mut arrays, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (place, column) in columns.iter().enumerate() {
            let Some((a, shows)) = column.from_masked else {
                filled.push(format!("s.{}", quote(&column.name)));
                continue;
            };
            let texts: Vec<Option<String>> =
                polled(groups).map(|nodes| kinds[a].shown(nodes[a], shows)).collect();
            arrays.push(self.arg(texts, "text"));
            names.push(format!("o{place}"));
            filled.push(format!("(o.o{place})::{}", column.declaration));
        }
        if arrays.is_empty() {
            return filled;
        }
        names.push("number".into());
        self.joins.push(format!(
            "JOIN ROWS FROM ({}) WITH ORDINALITY AS o ({}) ON o.number = COALESCE(c.grp, {})",
            arrays.join(", "),
            names.join(", "),
            groups.len()
        ));
        filled
    }
}
