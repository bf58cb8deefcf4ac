//! A masked column of the current version as a rewind has it: which values its rows have, and what those become.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::order::histogram;
use crate::read::table::Column;
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{Mask, Parameters};
use crate::release::trace::tree::Tree;
use crate::terms::labels::CHANGED_BY_HAND;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::rc::Rc;
use topdown::measure::{self, Released};
use topdown::progress::check_memory;
use topdown::table::Store;
use topdown::Code;

/// A masked column of the current version, under an earlier cut.
pub struct Rewound {
    pub tree: Tree,
    pub cut: HashSet<usize>,
    /// Of each node of the tree the one of the cut above it.
    above: Vec<usize>,
    /// Each row's key: which of the values of now it has, NULL among them.
    pub keys: Rc<Store>,
    /// What each of those values is released as, as a node of the tree, and before.
    pub released: Vec<(usize, usize)>,
    /// How many rows have each.
    pub rows: Vec<u64>,
    /// The node of what is shown now.
    shown: HashMap<Option<String>, usize>,
}

impl Rewound {
    /// A column as it was, and the nodes as the new version has them.
    pub fn new(
        mask: &Mask,
        parameters: &Parameters,
        tree: Tree,
        cut: HashSet<usize>,
        column: &Column,
    ) -> Result<(Rewound, Nodes)> {
        let form = parameters.form(mask);
        let before = tree.nodes(&tree.released(), &HashMap::new()).in_form(form)?;
        let mut at: HashMap<Option<String>, usize> = HashMap::new();
        for node in polled(0..tree.labels.len()).filter(|&node| tree.in_cut[node]) {
            at.insert(before.shown(node).map(String::from), node);
        }
        let unknown = |shown: Option<&str>| {
            SqlError::state(format!(
                "column \"{}\" of the release shows what its cut does not have",
                mask.name
            ))
            .detail(format!("It is {}.", shown.unwrap_or("NULL")))
            .hint(CHANGED_BY_HAND)
        };
        let above = tree.above(&cut)?;
        let (values, null) = (column.datums(), column.distinct() as Code);
        let shown = polled(&values).map(|&value| Some(column.ty.output(value)));
        let released = shown.chain(column.nulls.then_some(None)).map(|shown| {
            let node = at.get(&shown).copied().ok_or_else(|| unknown(shown.as_deref()))?;
            Ok((above[node], node))
        });
        let released = released.collect::<Result<Vec<(usize, usize)>>>()?;
        check_memory::<u8>(column.codes.memory_bytes())?;
        let mut keys = column.codes.clone();
        let same: Vec<Code> = (0..null).collect();
        keys.renumber(&same, null)?;
        let rows = histogram(&keys, None, released.len())?;
        let rewound = Rewound { tree, cut, above, keys: Rc::new(keys), released, rows, shown: at };
        let nodes = rewound.tree.nodes(&rewound.cut, &rewound.records(|(now, _)| *now)).in_form(form)?;
        Ok((rewound, nodes))
    }

    /// What becomes of what is shown now; none, where nothing is shown so.
    pub fn node_of(&self, shown: Option<&str>) -> Option<usize> {
        let node = self.shown.get(&shown.map(String::from))?;
        Some(self.above[*node])
    }

    /// What each key becomes.
    pub fn values(&self, value: impl Fn(usize) -> Result<Option<Datum>>) -> Result<Vec<Option<Datum>>> {
        self.released.iter().map(|(node, _)| value(*node)).collect()
    }

    /// How many rows each node is released in.
    pub fn records(&self, of: impl Fn(&(usize, usize)) -> usize) -> HashMap<usize, i64> {
        let mut records = HashMap::new();
        for (released, &rows) in self.released.iter().zip(&self.rows) {
            *records.entry(of(released)).or_default() += rows as i64;
        }
        records
    }

    /// What each key becomes, by number.
    pub fn as_numbers(&self) -> Vec<u32> {
        self.released.iter().map(|(node, _)| *node as u32).collect()
    }

    /// The same by what is shown, and how many numbers there are: nodes of several groups may be shown alike.
    pub fn as_shown(&self, nodes: &Nodes) -> (Vec<u32>, usize) {
        let mut numbers: HashMap<Option<&str>, u32> = HashMap::new();
        let of_keys = polled(&self.released).map(|(node, _)| {
            let next = numbers.len() as u32;
            *numbers.entry(nodes.shown(*node)).or_insert(next)
        });
        (of_keys.collect(), numbers.len())
    }

    pub fn as_released<'a>(&'a self, numbers: &'a [u32]) -> Released<'a> {
        Released { codes: &self.keys, number_of_code: numbers, number_count: self.tree.labels.len() }
    }

    /// The non-uniform entropy under the earlier cut, from that of now.
    pub fn entropy(&self, now: f64) -> f64 {
        let rows = |of: fn(&(usize, usize)) -> usize| {
            self.records(of).into_values().map(|rows| rows as u64).collect()
        };
        measure::entropy_after_joining(now, rows(|(_, before)| *before), rows(|(after, _)| *after))
    }
}
