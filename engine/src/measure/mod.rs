//! Measures of a release: information loss, disclosure risk, and the counts beside it.
//!
//! An equivalence class is the rows that share all released values. If one person may have several rows, its size, and
//! so its risk, is counted in persons. Information loss needs only the loss of each released value ([`crate::loss`]).
//! [`non_uniform_entropy`] needs the rows of each value as well, [`class_information`] the class attribute of each row.

mod classes;
mod counts;
mod entropy;
mod groups;
mod information;
mod information_loss;
mod kept;
mod keys;
mod leave_one_out;
mod means;
mod queries;
mod risk;
mod uniques;

pub(crate) use classes::{each_record, record_rows};
pub use classes::{RecordClasses, Released};
pub use counts::{
    reveals_small_cell, CodeModel, CountedNode, CountedNodes, HolderCounter, RequiredSize, SmallParts,
};
pub use entropy::{entropy_after_joining, non_uniform_entropy};
pub use groups::{
    count_value_holders, measure_groups, BrokenGroup, Measured, MemberGroups, ModelRecords, ReleasedOfModel,
};
pub use information::class_information;
pub use information_loss::{average_class_size, discernibility, navg, nil_1, nil_infinity, ntil};
pub use kept::{
    combine_columns, measure_kept_risk, AttributeDisclosure, KeptRisk, MaskedColumn, ReleasedTable,
};
pub use keys::{find_keys, Key};
pub use leave_one_out::{count_leave_one_out, LeaveOneOut};
pub use means::{compute_means, DecimalColumn};
pub use queries::{
    Aggregate, Axis, ColumnPieces, Number, Piece, Predicate, Query, QueryError, QuerySource, ReleasedPieces,
    SourceColumn, SourceNumber, Workload,
};
pub use risk::{attacker_risks, uniqueness_risk, Attacker, Risk};
pub use uniques::{estimate_uniques, Estimator, Uniques};

use crate::{pace, Error};

/// An equivalence class.
#[derive(Debug, Clone, PartialEq)]
pub struct EquivalenceClass {
    /// Number of rows, at least one.
    pub rows: u64,
    /// Number of persons; equal to `rows` if each row is a different person's.
    pub persons: u64,
    /// Loss of the released value of each masked column.
    pub losses: Vec<f64>,
}

/// Counts all rows: n.
fn rows(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    let mut rows = 0;
    pace::each(classes, |class| rows += class.rows)?;
    Ok(rows as f64)
}

/// Counts n in persons. A person in two classes counts twice.
fn persons(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    let mut persons = 0;
    pace::each(classes, |class| persons += class.persons)?;
    Ok(persons as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes() -> Vec<EquivalenceClass> {
        // Three classes of 2, 3 and 5 rows on two columns.
        [(2, [0.0, 0.5]), (3, [1.0, 0.25]), (5, [0.2, 0.0])]
            .map(|(rows, losses)| EquivalenceClass { rows, persons: rows, losses: losses.to_vec() })
            .to_vec()
    }

    /// IL = 2 (0 + 0.5) + 3 (1 + 0.25) + 5 (0.2 + 0) = 1 + 3.75 + 1 = 5.75.
    #[test]
    fn definitions_7_to_12() {
        let close =
            |a: Result<f64, Error>, b: f64| assert!((a.clone().unwrap() - b).abs() < 1e-12, "{a:?} {b}");
        close(ntil(&classes(), None), 5.75 / 20.0);
        close(ntil(&classes(), Some(0)), (0.0 + 3.0 + 1.0) / 10.0);
        close(nil_1(&classes()), (0.5 + 1.25 + 0.2) / 6.0);
        close(nil_infinity(&classes()), (1.0 + 0.5) / 2.0);
        close(discernibility(&classes()), 4.0 + 9.0 + 25.0);
        close(average_class_size(&classes()), 10.0 / 3.0);
        close(navg(&classes(), 2.0), 10.0 / 6.0);
    }

    #[test]
    fn risks() {
        let r = attacker_risks(&classes(), None, 0.2).unwrap();
        assert_eq!(r[0].attacker, Attacker::Prosecutor);
        // 1/2 and 1/3 are above 0.2, 1/5 is not.
        assert_eq!((r[0].records_at_risk, r[0].highest), (0.5, 0.5));
        assert!((r[0].average - 0.3).abs() < 1e-12);
        assert_eq!((r[2].records_at_risk, r[2].highest), (1.0, r[2].average));
    }

    /// The same classes, of 1, 3 and 2 persons.
    #[test]
    fn risks_in_persons() {
        let mut classes = classes();
        classes.iter_mut().zip([1, 3, 2]).for_each(|(class, persons)| class.persons = persons);
        let r = attacker_risks(&classes, None, 0.4).unwrap();
        // The classes of one and of two persons have 2 and 5 of the 10 rows.
        assert_eq!((r[0].records_at_risk, r[0].highest), (0.7, 1.0));
        assert!((r[0].average - (2.0 + 3.0 / 3.0 + 5.0 / 2.0) / 10.0).abs() < 1e-12);
        assert_eq!(discernibility(&classes), Ok(1.0 + 9.0 + 4.0));
        assert_eq!(average_class_size(&classes), Ok(2.0));
        assert_eq!(navg(&classes, 2.0), Ok(1.0));
        assert_eq!(ntil(&classes, None), Ok(5.75 / 20.0));
    }

    #[test]
    fn nothing_is_no_loss() {
        assert_eq!(ntil(&[], None), Ok(0.0));
        assert_eq!((nil_1(&[]), nil_infinity(&[])), (Ok(0.0), Ok(0.0)));
        assert_eq!(average_class_size(&[]), Ok(0.0));
        assert_eq!(attacker_risks(&[], None, 0.2).unwrap()[0].highest, 0.0);
    }
}
