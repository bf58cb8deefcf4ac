//! A case as distinct records with row counts, as from a source that is read as counts.

use super::adapter::{stored, Coded, Column};
use topdown::table::{compress, Store};

impl<'c> Coded<'c> {
    pub fn folded(self) -> Coded<'c> {
        let masked = self.columns.iter().map(|column| (&column.codes, column.hierarchy.codes()));
        let others = self.sensitive.iter().chain(&self.persons).chain(&self.class);
        let (columns, cardinalities): (Vec<&Store>, Vec<usize>) =
            masked.chain(others.map(|(codes, values)| (codes, *values))).unzip();
        let rows = self.case.rows.len();
        let folded = compress(&columns, &cardinalities, rows, None).unwrap();
        let mut codes = folded.columns.into_iter().map(|codes| stored(self.case, codes));
        let mut next = || codes.next().unwrap();
        let columns = self.columns.into_iter().map(|mut column: Column| {
            column.codes = next();
            column
        });
        let columns = columns.collect();
        let mut each =
            |others: Vec<(Store, usize)>| others.into_iter().map(|(_, values)| (next(), values)).collect();
        let (sensitive, persons) = (each(self.sensitive), each(self.persons));
        let class = self.class.map(|(_, values)| (next(), values));
        let weights = Some(folded.weights.into_iter().collect());
        Coded { columns, sensitive, persons, class, weights, ids: folded.ids, ..self }
    }
}
