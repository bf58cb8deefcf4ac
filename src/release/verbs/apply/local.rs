//! Other rows under the groups of a release by local recoding. Where a row belongs follows from its values on all
//! masked columns together: it goes down the divisions of the release's steps, and is released as the last group on its
//! way that has a place for it.
//!
//! Rows are joined to what they become in three steps, each by whole numbers or texts that can be hashed: a value's
//! number, the group of a combination of numbers, and what the group shows.

use super::{columns, ways_up, Made, Place, Shows};
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::sql::quote;
use crate::read::source::Source;
use crate::read::table::{Column, Table};
use crate::release::store::manifest::Existing;
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{Mask, Parameters};
use crate::release::store::shown::MaskedAs;
use crate::release::trace::groups::{by_label, label_of, Called, Division, Groups};
use crate::release::trace::load;
use crate::release::trace::tree::Tree;
use hashbrown::HashMap;
use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::Datum;
use topdown::progress::room;
use topdown::table::{compress, Compressed, Store};
use topdown::Code;

/// Writes the rows of a source, as they are read, under the groups of a release; how many.
pub fn apply(
    existing: &Existing,
    mut trees: HashMap<String, Tree>,
    (source, masked): (&Source, &[usize]),
    view: &Source,
    place: &Place,
    mut table: Table,
) -> Result<i64> {
    let parameters = existing.parameters()?;
    let mut steps = load::steps(existing, existing.version)?;
    load::groups(existing, existing.version, &mut steps)?;
    let groups = Groups::of(parameters, &trees, &steps)?;
    drop(steps);
    let (mut kinds, mut codes) = (Vec::new(), Vec::new());
    for (mask, &column) in parameters.columns.iter().zip(masked) {
        let tree = trees
            .remove(&mask.name)
            .ok_or_else(|| SqlError::state(format!("the tree of column \"{}\" is gone", mask.name)))?;
        let column = table.column_mut(column)?;
        let null = column.distinct() as Code;
        room::<u8>(2 * column.codes.held())?;
        let mut numbered = column.codes.clone();
        numbered.renumber(&(0..null).collect::<Vec<Code>>(), null)?;
        codes.push(numbered);
        kinds.push(Kind::new(mask, parameters, tree, column)?);
    }
    let cardinalities: Vec<usize> = kinds.iter().map(|kind| kind.texts.len() + 1).collect();
    let combinations = compress(&codes.iter().collect::<Vec<&Store>>(), &cardinalities, table.rows, None)?;
    drop((codes, table));
    let placing = Placing { groups: &groups, kinds: &kinds };
    let distinct = combinations.weights.len();
    room::<(i32, i32)>(distinct * (kinds.len() + 1))?;
    let mut shown = Vec::new();
    let mut numbers: HashMap<Called, i32> = HashMap::new();
    let mut of_combination: Vec<Option<i32>> = Vec::with_capacity(distinct);
    for combination in polled(0..distinct) {
        let called = placing.place(|a| combinations.columns[a].get(combination))?;
        of_combination.push(called.map(|called| {
            *numbers.entry(called.clone()).or_insert_with(|| {
                shown.push(called);
                shown.len() as i32
            })
        }));
    }
    // What has no place at all is released as the tops, which stand over NULLs, too.
    shown.push(kinds.iter().map(|kind| label_of(&kind.tree, kind.mask, 0)).collect());
    let columns = columns(source, view, parameters);
    let table = super::make(place, &columns)?;
    let mut joins = Joins::default();
    joins.values(source, &kinds)?;
    joins.combinations(&combinations, of_combination);
    let filled = joins.shown(&columns, &kinds, &shown)?;
    super::fill(&table, source, (&filled, &joins.joins), &joins.args)
}

/// A masked column: how a value finds its way down.
struct Kind<'p> {
    mask: &'p Mask,
    tree: Tree,
    /// The values' texts.
    texts: Vec<String>,
    way: Way,
    /// The nodes as the view shows those of the cut, and as all are shown.
    shown: [Nodes; 2],
}

/// How a value finds its way down.
enum Way {
    /// By what stands above it, from the top; at last, above NULL.
    Labels(Vec<Vec<Option<String>>>),
    /// By where it lies; none for one beyond the column's bounds.
    Line { ty: Type, values: Vec<Option<Datum>> },
}

impl<'p> Kind<'p> {
    fn new(mask: &'p Mask, parameters: &Parameters, tree: Tree, column: &mut Column) -> Result<Kind<'p>> {
        let (ty, values) = (column.ty, column.datums());
        room::<(String, [Option<String>; 4])>(values.len())?;
        let texts: Vec<String> = polled(&values).map(|&value| ty.text(value)).collect();
        let by = parameters.arguments.masking.iter().find(|by| by.column_name() == mask.name);
        let suppressed = parameters.arguments.suppressed.as_deref().unwrap_or("*");
        let any = || mask.nulls.then(|| Some("*".to_string()));
        let way = match (mask.masked, by) {
            (MaskedAs::Intervals, _) => Way::Line { ty, values: within(&tree, ty, values)? },
            (MaskedAs::Suppression, _) => {
                let values = texts.iter().map(|text| Some(text.clone())).chain([None]);
                Way::Labels(values.map(|value| vec![Some("*".into()), value]).collect())
            }
            (MaskedAs::Taxonomy, by) => {
                let mut ways: Vec<Vec<Option<String>>> = match by.filter(|by| by.is_by_rule()) {
                    Some(by) => {
                        // A rule's top is called what suppressed values are.
                        let named = |mut way: Vec<String>| {
                            if let Some(top) = way.last_mut() {
                                *top = suppressed.to_string();
                            }
                            any().into_iter().chain(way.into_iter().rev().map(Some)).collect()
                        };
                        ways_up(by, column)?.into_iter().map(named).collect()
                    }
                    None => {
                        let leaves = tree.leaves();
                        let way = |text: &String| match leaves.get(text.as_str()) {
                            Some(&leaf) => {
                                let nodes = tree.way_down(leaf).into_iter();
                                nodes.map(|node| label_of(&tree, mask, node)).collect()
                            }
                            None => Vec::new(),
                        };
                        polled(&texts).map(way).collect()
                    }
                };
                ways.push(any().into_iter().chain([None]).collect());
                Way::Labels(ways)
            }
        };
        let form = parameters.form(mask);
        let all = (0..tree.labels.len()).collect();
        let shown = [
            tree.nodes(&tree.released(), &HashMap::new()).in_form(form)?,
            tree.nodes(&all, &HashMap::new()).in_form(form)?,
        ];
        Ok(Kind { mask, tree, texts, way, shown })
    }

    /// What the column's own top is called.
    fn top(&self) -> Option<String> {
        let top = self.tree.of_unknown(self.mask.masked);
        label_of(&self.tree, self.mask, top)
    }

    /// What a node is shown as, by what of it a column shows.
    fn shown(&self, node: usize, shows: Shows) -> Option<String> {
        match shows {
            Shows::Lower => self.tree.lower[node].clone(),
            Shows::Upper => self.tree.upper[node].clone(),
            Shows::Node => {
                let shown = self.shown.iter().find_map(|nodes| nodes.shown(node));
                shown.map(String::from)
            }
        }
    }
}

/// The values that lie within the bounds of a column of intervals: those of its own top.
fn within(tree: &Tree, ty: Type, values: Vec<Datum>) -> Result<Vec<Option<Datum>>> {
    let top = tree.own_top().filter(|_| tree.has_null()).unwrap_or(0);
    let bound = |text: &Option<String>| {
        let unreadable = |fault: String| {
            let column = &tree.attribute;
            SqlError::state(format!("an end of column \"{column}\" cannot be read")).detail(fault)
        };
        text.as_ref().map(|text| ty.parse(text).map_err(unreadable)).transpose()
    };
    let (lower, upper) = (bound(&tree.lower[top])?, bound(&tree.upper[top])?);
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
    kinds: &'a [Kind<'a>],
}

impl Placing<'_> {
    /// What some values on the masked columns are released as; none, where the release has no place for them at all.
    fn place(&self, code: impl Fn(usize) -> Code) -> Result<Option<Called>> {
        let codes: Vec<usize> = (0..self.kinds.len()).map(|a| code(a) as usize).collect();
        // How far down each column is.
        let begins = |group: usize| {
            let called = &self.groups.group(group).called;
            let depth = |(a, kind): (usize, &Kind)| match &kind.way {
                Way::Labels(ways) => ways[codes[a]].iter().position(|label| *label == called[a]).or(
                    // What has no place stays at the top.
                    (called[a] == kind.top() || called[a].as_deref() == Some("*")).then_some(usize::MAX - 1),
                ),
                Way::Line { values, .. } => (called[a].is_some() || codes[a] == values.len()).then_some(0),
            };
            self.kinds.iter().enumerate().map(depth).collect::<Option<Vec<usize>>>()
        };
        let root = self.groups.roots().find_map(|root| Some((root, begins(root)?)));
        let Some((mut group, mut depths)) = root else { return Ok(self.coarsest(&codes)) };
        while let Some(division) = &self.groups.group(group).division {
            let a = division.column;
            let Some((part, deeper)) = self.part(division, codes[a], depths[a])? else { break };
            group = part;
            depths[a] += usize::from(deeper);
        }
        Ok(Some(self.groups.group(group).called.clone()))
    }

    /// What they are released as where no step was of their group: as the coarsest that is allowed.
    fn coarsest(&self, codes: &[usize]) -> Option<Called> {
        let coarsest = |(kind, &code): (&Kind, &usize)| {
            let label = |&node: &usize| label_of(&kind.tree, kind.mask, node);
            let mut labels = kind.tree.coarsest().iter().map(label);
            match &kind.way {
                Way::Labels(ways) => labels.find(|label| ways[code].contains(label)),
                Way::Line { values, .. } => labels.find(|label| label.is_none() == (code == values.len())),
            }
            .or_else(|| (kind.tree.coarsest() == [0]).then(|| label_of(&kind.tree, kind.mask, 0)))
        };
        self.kinds.iter().zip(codes).map(coarsest).collect()
    }

    /// The part of a division that a value falls to, and whether it is a step down its own way.
    fn part(&self, division: &Division, code: usize, depth: usize) -> Result<Option<(usize, bool)>> {
        let kind = &self.kinds[division.column];
        let called = |label: Option<&str>| {
            let part = division.parts.iter().find(|(other, _)| other.as_deref() == label);
            part.map(|(_, part)| *part)
        };
        match &kind.way {
            Way::Labels(ways) => {
                let next = ways[code].get(depth.saturating_add(1));
                let down = next.and_then(|next| called(next.as_deref())).map(|part| (part, true));
                let stays = || called(Some("*")).filter(|_| kind.mask.masked == MaskedAs::Suppression);
                Ok(down.or_else(|| stays().map(|part| (part, false))))
            }
            Way::Line { ty, values } => {
                let Some(&value) = values.get(code) else {
                    return Ok(called(None).map(|part| (part, false)));
                };
                let Some(split) = &division.split else {
                    let own = division.parts.iter().find(|(label, _)| label.is_some());
                    return Ok(own.map(|(_, part)| (*part, false)));
                };
                let unreadable = |fault: String| {
                    let column = &kind.mask.name;
                    SqlError::state(format!("an end of column \"{column}\" cannot be read")).detail(fault)
                };
                let split = ty.parse(split).map_err(unreadable)?;
                let Some(compare) = ty.comparator() else { return Ok(None) };
                let Some(value) = value else { return Ok(None) };
                let half = usize::from(compare(split, value).is_le());
                Ok(division.parts.get(half).map(|(_, part)| (*part, false)))
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
    fn values(&mut self, source: &Source, kinds: &[Kind]) -> Result<()> {
        for (a, kind) in kinds.iter().enumerate() {
            let column = source.column(&kind.mask.name)?;
            let value = format!("s.{}", quote(&kind.mask.name));
            let text = source.type_of(column).sql_text(&value);
            let values = self.arg(kind.texts.clone(), "text");
            self.joins.push(format!(
                "LEFT JOIN ROWS FROM ({values}) WITH ORDINALITY AS m{a} (value, number) ON m{a}.value = {text}"
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
    fn shown(&mut self, columns: &[Made], kinds: &[Kind], groups: &[Called]) -> Result<Vec<String>> {
        let nodes_of: Vec<_> = kinds.iter().map(|kind| by_label(&kind.tree, kind.mask)).collect();
        let (mut filled, mut arrays, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (place, column) in columns.iter().enumerate() {
            let Some((a, shows)) = column.of else {
                filled.push(format!("s.{}", quote(&column.name)));
                continue;
            };
            let text = |called: &Called| {
                let gone = || {
                    let column = &kinds[a].mask.name;
                    SqlError::state(format!(
                        "a group of the release is not in the tree of column \"{column}\""
                    ))
                };
                let node = nodes_of[a].get(&called[a].as_deref()).ok_or_else(gone)?;
                Ok(kinds[a].shown(*node, shows))
            };
            let texts = polled(groups).map(text).collect::<Result<Vec<Option<String>>>>()?;
            arrays.push(self.arg(texts, "text"));
            names.push(format!("o{place}"));
            filled.push(format!("(o.o{place})::{}", column.declaration));
        }
        names.push("number".into());
        self.joins.push(format!(
            "JOIN ROWS FROM ({}) WITH ORDINALITY AS o ({}) ON o.number = COALESCE(c.grp, {})",
            arrays.join(", "),
            names.join(", "),
            groups.len()
        ));
        Ok(filled)
    }
}
