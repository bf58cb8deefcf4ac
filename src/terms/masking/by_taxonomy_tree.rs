//! by_taxonomy_tree: a column is generalized along a taxonomy given in full, as nested JSON.

use super::taxonomy::{self, bind_taxonomy, tree};
use super::{masking, Binding, Masking, UpperEnd};
use crate::postgres::arguments::needed;
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped_to, or_raise, Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::names::{text, Text};
use crate::postgres::progress::{polled, Ticker};
use crate::postgres::text::depth;
use crate::read::table::Column;
use crate::terms::labels::Bound;
use pgrx::prelude::*;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::sync::Arc;
use topdown::taxonomy::edges_from_nested;

/// Generalized along a nested tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByTaxonomyTree {
    /// The masked column.
    pub column_name: String,
    /// The nested tree.
    #[serde(deserialize_with = "read_tree")]
    pub taxonomy: Arc<Value>,
}

/// Reads a tree, and keeps its numbers as the texts that are written: a number is a label, and its digits and exponent
/// would not outlast a manifest.
fn read_tree<'de, D: Deserializer<'de>>(reader: D) -> std::result::Result<Arc<Value>, D::Error> {
    Value::deserialize(reader).map(labels_as_texts)
}

fn labels_as_texts(mut tree: Value) -> Arc<Value> {
    let (ticker, mut open) = (Ticker::default(), vec![&mut tree]);
    while let Some(below) = open.pop() {
        ticker.tick(1);
        match below {
            Value::Number(label) => *below = Value::String(label.to_string()),
            Value::Array(members) => open.extend(members),
            Value::Object(members) => open.extend(members.values_mut()),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    Arc::new(tree)
}

#[pg_extern(immutable, parallel_safe)]
fn by_taxonomy_tree(column_name: Option<Text>, taxonomy: Option<JsonText>) -> masking {
    or_raise((|| {
        let column_name = needed("column_name", text(column_name))?;
        let taxonomy = needed("taxonomy", taxonomy)?;
        if depth(polled(taxonomy.0.bytes())) > DEEPEST_TREE {
            return Err(SqlError::limit(format!("a taxonomy in JSON is at most {DEEPEST_TREE} levels deep"))
                .hint("Store the taxonomy as a relation, and use by_taxonomy()."));
        }
        let taxonomy = taxonomy
            .parse()
            .map_err(|fault| SqlError::parameter("the taxonomy cannot be read").detail(fault))?;
        Ok(ByTaxonomyTree { column_name, taxonomy: labels_as_texts(taxonomy) }.into())
    })())
}

/// How deep a tree may nest: it is read back from within a masking and a manifest, by readers that
/// stop at 128.
const DEEPEST_TREE: usize = 100;

impl Masking for ByTaxonomyTree {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn has_tree(&self) -> bool {
        true
    }
    fn upper_end(&self, ty: Option<Type>) -> Option<UpperEnd> {
        taxonomy::upper_end(ty)
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let name = format!("of column \"{}\"", self.column_name);
        let edges = edges_from_nested(&self.taxonomy)?.map_err(|fault| {
            SqlError::taxonomy(format!("taxonomy {name} is no tree"))
                .detail(clipped_to(&fault, 200))
                .hint("Write it as {\"root\": {\"inner\": [\"leaf\", \"leaf\"]}}.")
        })?;
        let tree = tree(&name, &edges)?;
        drop(edges);
        bind_taxonomy(&self.column_name, "the tree given", tree, column, how)
    }
}
