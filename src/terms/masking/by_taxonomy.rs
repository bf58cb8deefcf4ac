//! by_taxonomy: a column is generalized along a taxonomy that is a relation.

use super::taxonomy::{self, bind_taxonomy};
use super::{masking, Binding, Masking, UpperEnd};
use crate::postgres::arguments::needed;
use crate::postgres::datum::Type;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{relation_name, text, Regclass, Text};
use crate::postgres::progress::polled;
use crate::read::identity;
use crate::read::named::NamedRelation;
use crate::read::table::Column;
use crate::terms::labels::Bound;
use hashbrown::HashSet;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use topdown::taxonomy::{Edge, Edges};

/// Generalized along a relation of children and parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByTaxonomy {
    /// The masked column.
    pub column_name: String,
    /// The relation.
    pub taxonomy: NamedRelation,
    /// The tree that an earlier version had of it, where that is to be laid over the column.
    #[serde(skip)]
    pub before: Option<Arc<Edges>>,
}

#[pg_extern(stable, parallel_safe)]
fn by_taxonomy(column_name: Option<Text>, taxonomy: Option<Regclass>) -> masking {
    or_raise((|| {
        let relation = needed("taxonomy", taxonomy)?;
        let taxonomy = relation_name(relation).ok_or_else(|| SqlError::no_oid(relation.0))?;
        Ok(ByTaxonomy {
            column_name: needed("column_name", text(column_name))?,
            taxonomy: taxonomy.into(),
            before: None,
        }
        .into())
    })())
}

impl Masking for ByTaxonomy {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn has_tree(&self) -> bool {
        true
    }
    fn upper_end(&self, ty: Option<Type>) -> Option<UpperEnd> {
        taxonomy::upper_end(ty)
    }
    fn content(&self) -> Result<u64> {
        let edges = self.edges()?;
        let of_edge = |Edge { child, parent, lower, upper }: Edge| {
            identity::hash(format!("{child:?} {parent:?} {lower:?} {upper:?}").as_bytes())
        };
        Ok(polled(edges.iter()).map(of_edge).fold(0, u64::wrapping_add))
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let tree = {
            let edges = match &self.before {
                Some(before) => before.clone(),
                None => Arc::new(self.edges()?),
            };
            taxonomy::tree(self.taxonomy.name(), &edges)?
        };
        bind_taxonomy(&self.column_name, self.taxonomy.name(), tree, column, how)
    }
}

impl ByTaxonomy {
    /// What the relation holds now.
    pub fn edges(&self) -> Result<Edges> {
        let relation = self.taxonomy.open("masking")?.ok_or_else(|| {
            SqlError::no_relation(format!("relation {} does not exist", self.taxonomy.name())).hint(format!(
                "The taxonomy of column \"{}\" is read from it. Make it again, or have the column masked by another: release_alter(..., masking => ...).",
                self.column_name
            ))
        })?;
        taxonomy::edges(&relation)
    }

    /// Whether the relation holds another tree than an earlier version had, what is below its leaves aside.
    pub fn has_changed(&self, before: &Edges) -> Result<bool> {
        let now = self.edges()?;
        let of_before: HashSet<(Option<&str>, Option<&str>)> =
            polled(before.iter()).map(|edge| (edge.child, edge.parent)).collect();
        let inner: HashSet<Option<&str>> = polled(before.iter()).map(|edge| edge.parent).collect();
        let is_new = |edge: Edge| {
            inner.contains(&edge.parent)
                && edge.parent.is_some()
                && !of_before.contains(&(edge.child, edge.parent))
        };
        Ok(taxonomy::moved(before, &now)?.is_some() || polled(now.iter()).any(is_new))
    }
}
