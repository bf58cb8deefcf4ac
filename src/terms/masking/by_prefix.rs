//! by_prefix: codes that say more from left to right are shown by how they begin.

use super::{masking, rule, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{text, Text};
use crate::postgres::progress::{polled, polling};
use crate::read::table::Column;
use crate::terms::labels::{Bound, TreeEnds};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::progress::check_memory;
use topdown::taxonomy::rule::prefix;
use topdown::Code;

/// Shown by how its values begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByPrefix {
    /// The masked column.
    pub column_name: String,
    /// How many characters are kept; none: as many as there are.
    #[serde(default)]
    pub lengths: Option<Vec<i32>>,
}

#[pg_extern(immutable, parallel_safe)]
fn by_prefix(column_name: Option<Text>, lengths: default!(Option<Elements<i32>>, "NULL")) -> masking {
    or_raise((|| {
        let lengths = lengths.map(|lengths| elements("lengths", Some(lengths))).transpose()?;
        masking::from(ByPrefix { column_name: needed("column_name", text(column_name))?, lengths }).checked()
    })())
}

impl Masking for ByPrefix {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn check(&self) -> Result<()> {
        rule::lengths("by_prefix", self.lengths.as_ref(), i32::MAX).map(drop)
    }
    fn has_tree(&self) -> bool {
        true
    }
    fn is_by_rule(&self) -> bool {
        true
    }
    fn leaf(&self, text: String) -> String {
        let Some(&longest) = self.lengths.iter().flatten().max() else { return text };
        prefix::label(&text, Some(&[longest as usize]), 1).unwrap_or(text)
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let lengths = rule::lengths("by_prefix", self.lengths.as_ref(), i32::MAX)?;
        let lengths: Option<Vec<usize>> = lengths.map(|all| all.into_iter().map(|n| n as usize).collect());
        check_memory::<(String, Code)>(column.distinct())?;
        let texts = column.texts();
        let characters = |text: &String| text.chars().count();
        let longest = polled(&texts).map(characters).max().filter(|_| lengths.is_none()).unwrap_or(0);
        if longest > prefix::MAX_CHARACTERS {
            let name = &self.column_name;
            return Err(SqlError::parameter(format!(
                "column \"{name}\" holds a text of {longest} characters: without lengths by_prefix takes up to {}",
                prefix::MAX_CHARACTERS
            ))
            .hint("Give the lengths that are kept."));
        }
        let mut order: Vec<Code> = (0..texts.len() as Code).collect();
        order.sort_by(polling(|&a: &Code, &b: &Code| texts[a as usize].cmp(&texts[b as usize])));
        let label = |code: usize, level: usize| prefix::label(&texts[code], lengths.as_deref(), level);
        let is_whole = |code: usize| prefix::is_whole(&texts[code], lengths.as_deref());
        rule::bind_rule(&self.column_name, &order, label, is_whole, TreeEnds::Own, column, how)
    }
}
