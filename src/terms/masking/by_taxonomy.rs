//! by_taxonomy: a column is generalized along a taxonomy that is a relation.

use super::taxonomy::{self, lay};
use super::{masking, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{relation_name, Regclass};
use crate::postgres::progress::polled;
use crate::read::source::Source;
use crate::read::table::Column;
use crate::terms::labels::Bound;
use hashbrown::{HashMap, HashSet};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use topdown::taxonomy::{Edge, Edges, Taxonomy};

/// Generalized along a relation of children and parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByTaxonomy {
    /// The masked column.
    pub column_name: String,
    /// The relation, qualified and quoted.
    pub taxonomy: String,
    /// The tree that an earlier version had of it, where that is to be laid over the column.
    #[serde(skip)]
    pub before: Option<Arc<Edges>>,
}

#[pg_extern(stable, parallel_safe)]
fn by_taxonomy(column_name: Option<String>, taxonomy: Option<Regclass>) -> masking {
    or_raise((|| {
        let relation = needed("taxonomy", taxonomy)?;
        let taxonomy = relation_name(relation).ok_or_else(|| SqlError::no_oid(relation.0))?;
        Ok(ByTaxonomy { column_name: needed("column_name", column_name)?, taxonomy, before: None }.into())
    })())
}

impl Masking for ByTaxonomy {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn has_tree(&self) -> bool {
        true
    }
    fn before(&self) -> Option<&Edges> {
        self.before.as_deref()
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let tree = match (&self.before, self.now()) {
            (None, now) => now?,
            (Some(before), Ok(now)) => taxonomy::tree(&self.taxonomy, &with_new_leaves(before, &now))?,
            (_, Err(error)) if error.is_of_resources() => return Err(error),
            (Some(before), Err(_)) => taxonomy::tree(&self.taxonomy, before)?,
        };
        lay(&self.column_name, &self.taxonomy, tree, column, how)
    }
}

impl ByTaxonomy {
    /// The tree as the relation has it.
    fn now(&self) -> Result<Taxonomy> {
        let edges = taxonomy::edges(&Source::named(&self.taxonomy)?)?;
        taxonomy::tree(&self.taxonomy, &edges)
    }

    /// Whether something that an earlier version had is somewhere else by now.
    pub fn has_moved(&self, before: &Edges) -> Result<bool> {
        let now = taxonomy::edges(&Source::named(&self.taxonomy)?)?;
        let parents: HashMap<Option<&str>, Option<&str>> =
            polled(now.iter()).map(|edge| (edge.child, edge.parent)).collect();
        let has_moved = |edge: Edge| edge.parent.is_some() && parents.get(&edge.child) != Some(&edge.parent);
        Ok(polled(before.iter()).any(has_moved))
    }
}

/// A tree of before, and the leaves that have come since, directly below its root: so that their values have a place.
fn with_new_leaves(before: &Edges, now: &Taxonomy) -> Edges {
    let mut edges = before.clone();
    let known: HashSet<Option<&str>> = polled(before.iter()).map(|edge| edge.child).collect();
    let parent = before.iter().find(|edge| edge.parent.is_none()).and_then(|edge| edge.child);
    for (node, label) in polled(now.nodes().iter().zip(now.labels())) {
        let child = Some(label);
        if node.children.is_empty() && !known.contains(&child) {
            edges.push(Edge { child, parent, lower: None, upper: None });
        }
    }
    edges
}
