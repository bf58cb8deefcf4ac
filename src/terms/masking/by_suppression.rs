//! by_suppression: a column is suppressed, and single values are disclosed out of `*` (TDR section 3.1.2,
//! PDA section 4).

use super::{masking, refuse_label, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::error::{or_raise, Result};
use crate::postgres::names::{text, Text};
use crate::postgres::progress::{polled, polling, Ticker};
use crate::read::table::Column;
use crate::terms::labels::{Bound, Labels};
use hashbrown::HashMap;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use topdown::progress::check_memory;
use topdown::refine::Hierarchy;
use topdown::Code;

/// Suppressed, single values disclosed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BySuppression {
    /// The masked column.
    pub column_name: String,
}

#[pg_extern(immutable, parallel_safe)]
fn by_suppression(column_name: Option<Text>) -> masking {
    or_raise(needed("column_name", text(column_name)).map(|column_name| BySuppression { column_name }.into()))
}

impl Masking for BySuppression {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let ty = column.ty.with_c_collation();
        let values = column.datums();
        check_memory::<(String, String, usize, usize, Code)>(values.len())?;
        let mut texts = column.texts();
        refuse_label(&self.column_name, how, texts.iter().map(String::as_str))?;
        // In value order; values whose text is the same are released the same and share a code.
        let mut order: Vec<usize> = (0..values.len()).collect();
        let ticker = Ticker::default();
        let compare = ty.comparator();
        order.sort_by(polling(|&a: &usize, &b: &usize| {
            let by_value = compare.as_ref().map_or(Ordering::Equal, |compare| compare(values[a], values[b]));
            by_value.then_with(|| texts[a].cmp(&texts[b]))
        }));
        // The first value of each text.
        let mut firsts: Vec<usize> = Vec::with_capacity(texts.len());
        let mut codes: HashMap<&str, Code> = HashMap::new();
        let mut map = vec![0; values.len()];
        for value in order {
            let text = texts[value].as_str();
            ticker.tick_bytes(text.len());
            map[value] = *codes.entry(text).or_insert_with(|| {
                firsts.push(value);
                firsts.len() as Code - 1
            });
        }
        drop(codes);
        let labels: Vec<String> = polled(firsts).map(|value| std::mem::take(&mut texts[value])).collect();
        column.renumber(&map, labels.len() as Code)?;
        let all = labels.len() + usize::from(column.nulls);
        let hierarchy = Hierarchy::by_suppression(all, column.nulls)?;
        Ok(Bound { hierarchy, labels: Labels::Values(labels) })
    }
}
