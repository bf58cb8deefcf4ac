//! The rows of a population in the groups of a relation: as they are, or as what is published would show them.

use crate::postgres::error::Result;
use crate::postgres::sql::{quote, quoted_list};
use crate::read::plan::Leaf;
use crate::read::source::Source;
use crate::terms::privacy_model::groups::keys;
use pgrx::datum::DatumWithOid;

/// The rows of a population, by what they are in a relation.
pub struct Others {
    source: Source,
    /// A query for the keys k1, k2, ... of its groups, and the rows n of each.
    pub query: String,
    /// The parameters that it is bound to.
    pub args: Vec<DatumWithOid<'static>>,
}

impl Others {
    /// A population as it is, by some of its columns.
    pub fn as_they_are(source: Source, columns: &[String]) -> Result<Others> {
        let keys = keys(&source, columns)?;
        let named: Vec<String> = keys.iter().zip(1..).map(|(key, i)| format!("{key} AS k{i}")).collect();
        let query = format!(
            "SELECT {}, pg_catalog.count(*) AS n FROM {} GROUP BY {}",
            named.join(", "),
            source.qualified(),
            keys.join(", ")
        );
        Ok(Others { source, query, args: Vec::new() })
    }

    /// A population whose rows s on some columns are shown as `filled` says, by what is joined to them; of rows for which one of
    /// the conditions does not hold nothing is shown.
    pub fn as_shown(
        source: Source,
        columns: &[usize],
        (filled, joins, conditions): (&[String], &[String], &[String]),
        args: Vec<DatumWithOid<'static>>,
    ) -> Others {
        let named: Vec<String> =
            filled.iter().zip(1..).map(|(shown, i)| format!("({shown}) AS k{i}")).collect();
        let keys: Vec<String> = (1..=filled.len()).map(|i| format!("o.k{i}")).collect();
        let is_taken = |name: &String| source.columns.iter().any(|column| column.name == *name);
        let mut rows = "n".to_string();
        while is_taken(&rows) {
            rows.push('_');
        }
        let rows = quote(&rows);
        // Equal rows are shown alike, if they are printed alike: of two equal values each may be a leaf.
        let list = quoted_list(columns.iter().map(|&column| source.columns[column].name.as_str()));
        let has_order = columns.iter().all(|&column| source.type_of(column).comparator().is_some());
        let looks = columns.iter().filter_map(|&column| {
            let ty = source.type_of(column);
            ty.look(&quote(&source.columns[column].name)).filter(|_| !ty.is_equal_by_bytes())
        });
        let folded_by = std::iter::once(list.clone()).chain(looks).collect::<Vec<String>>().join(", ");
        let from = match has_order {
            true => format!(
                "(SELECT {list}, pg_catalog.count(*) AS {rows} FROM {} GROUP BY {folded_by})",
                source.qualified()
            ),
            false => format!("(SELECT {list}, 1::bigint AS {rows} FROM {})", source.qualified()),
        };
        let conditions = match conditions {
            [] => String::new(),
            conditions => format!("WHERE {}", conditions.join(" AND ")),
        };
        // Grouped apart: else PostgreSQL looks for each two keys whether one of the joins makes them equal, and cannot be cancelled
        // meanwhile.
        let keys = keys.join(", ");
        let query = format!(
            "SELECT {keys}, pg_catalog.sum(o.n)::bigint AS n
             FROM (SELECT {}, s.{rows} AS n FROM {from} s {} {conditions} OFFSET 0) o GROUP BY {keys}",
            named.join(", "),
            joins.join(" "),
        );
        Others { source, query, args }
    }

    /// The relation that it reads.
    pub fn relation(&self) -> Leaf {
        Leaf { oid: self.source.oid, qualified: self.source.qualified() }
    }
}
