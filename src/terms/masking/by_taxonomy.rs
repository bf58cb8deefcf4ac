//! by_taxonomy: a column is generalized along a taxonomy that is a relation.

use super::taxonomy::{self, lay};
use super::{masking, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{relation_name, Regclass};
use crate::read::source::Source;
use crate::read::table::Column;
use crate::terms::labels::Bound;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

/// Generalized along a relation of children and parents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByTaxonomy {
    /// The masked column.
    pub column_name: String,
    /// The relation, qualified and quoted.
    pub taxonomy: String,
}

#[pg_extern(stable, parallel_safe)]
fn by_taxonomy(column_name: Option<String>, taxonomy: Option<Regclass>) -> masking {
    or_raise((|| {
        let relation = needed("taxonomy", taxonomy)?;
        let taxonomy = relation_name(relation).ok_or_else(|| SqlError::no_oid(relation.0))?;
        Ok(ByTaxonomy { column_name: needed("column_name", column_name)?, taxonomy }.into())
    })())
}

impl Masking for ByTaxonomy {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn has_tree(&self) -> bool {
        true
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let tree = {
            let edges = taxonomy::edges(&Source::named(&self.taxonomy)?)?;
            taxonomy::tree(&self.taxonomy, &edges)?
        };
        lay(&self.column_name, &self.taxonomy, tree, column, how)
    }
}
