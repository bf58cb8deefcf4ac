//! `masking`: how a column is masked. A value is the call that made it, as JSON.

use super::needed;
use super::privacy_model::parse;
use crate::error::{or_raise, SqlError};
use crate::names::{relation_name, JsonText, Regclass};
use crate::progress::polled;
use pgrx::prelude::*;
use pgrx::{InOutFuncs, StringInfo};
use serde::{Deserialize, Serialize};
use std::ffi::CStr;

/// The SQL type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, PostgresType)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[inoutfuncs]
#[allow(non_camel_case_types, clippy::enum_variant_names)]
pub enum masking {
    /// Generalized along a taxonomy that is a relation.
    ByTaxonomy {
        /// The masked column.
        column_name: String,
        /// The relation, qualified and quoted.
        taxonomy: String,
    },
    /// Generalized along a taxonomy given in full.
    ByTaxonomyTree {
        /// The masked column.
        column_name: String,
        /// The nested tree.
        taxonomy: serde_json::Value,
    },
    /// Generalized to intervals.
    ByIntervals {
        /// The masked column.
        column_name: String,
        /// The domain's lower bound.
        #[serde(default)]
        lower: Option<String>,
        /// The domain's upper bound.
        #[serde(default)]
        upper: Option<String>,
    },
    /// Suppressed, single values disclosed.
    BySuppression {
        /// The masked column.
        column_name: String,
    },
}

impl masking {
    /// The masked column.
    pub fn column_name(&self) -> &str {
        match self {
            masking::ByTaxonomy { column_name, .. }
            | masking::ByTaxonomyTree { column_name, .. }
            | masking::ByIntervals { column_name, .. }
            | masking::BySuppression { column_name } => column_name,
        }
    }
}

impl InOutFuncs for masking {
    fn input(input: &CStr) -> Self {
        or_raise(parse(input, "masking"))
    }
    fn output(&self, buffer: &mut StringInfo) {
        buffer.push_str(&serde_json::to_value(self).unwrap_or_default().to_string());
    }
}

/// Masks a column along a taxonomy: a relation of children and parents.
#[pg_extern(stable, parallel_safe)]
fn by_taxonomy(column_name: Option<String>, taxonomy: Option<Regclass>) -> masking {
    or_raise((|| {
        let relation = needed("taxonomy", taxonomy)?;
        let taxonomy = relation_name(relation).ok_or_else(|| SqlError::no_oid(relation.0))?;
        Ok(masking::ByTaxonomy { column_name: needed("column_name", column_name)?, taxonomy })
    })())
}

/// Masks a column along a taxonomy: nested JSON.
#[pg_extern(immutable, parallel_safe)]
fn by_taxonomy_tree(column_name: Option<String>, taxonomy: Option<JsonText>) -> masking {
    or_raise((|| {
        let column_name = needed("column_name", column_name)?;
        let taxonomy = needed("taxonomy", taxonomy)?;
        if depth(&taxonomy.0) > DEEPEST_TREE {
            return Err(SqlError::limit(format!("a taxonomy in JSON is at most {DEEPEST_TREE} levels deep"))
                .hint("Store the taxonomy as a relation, and use by_taxonomy()."));
        }
        let taxonomy = taxonomy
            .parse()
            .map_err(|fault| SqlError::parameter("the taxonomy cannot be read").detail(fault))?;
        Ok(masking::ByTaxonomyTree { column_name, taxonomy })
    })())
}

/// How deep a tree may nest: it is read back from within a masking and a manifest, by readers that
/// stop at 128.
const DEEPEST_TREE: usize = 100;

/// How deep a JSON text nests.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0usize, 0, false, false);
    for byte in polled(json.bytes()) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Masks a continuous column by intervals that are split during the search.
#[pg_extern(immutable, parallel_safe)]
fn by_intervals(
    column_name: Option<String>,
    lower: default!(Option<String>, "NULL"),
    upper: default!(Option<String>, "NULL"),
) -> masking {
    or_raise(needed("column_name", column_name).map(|column_name| masking::ByIntervals {
        column_name,
        lower,
        upper,
    }))
}

/// Masks a column by suppression: single values are disclosed out of `*`.
#[pg_extern(immutable, parallel_safe)]
fn by_suppression(column_name: Option<String>) -> masking {
    or_raise(needed("column_name", column_name).map(|column_name| masking::BySuppression { column_name }))
}
