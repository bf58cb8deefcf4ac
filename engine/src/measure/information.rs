//! Class information: the share of the class's entropy that the released columns explain. It is the mutual information
//! of a row's class and its equivalence class, divided by the entropy of the class.
//!
//! The number of an equivalence class has a digit for each column: the number of the released value. Class numbers that
//! would overflow are renumbered on the way. Records are read in chunks, so only classes are held in memory.

use crate::table::{Codes, Store};
use crate::utility::{n_log_n, positive_gain};
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::ops::Range;

/// A released column.
#[derive(Debug, Clone, Copy)]
pub struct Released<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// Number of the released value of each code.
    pub number_of_code: &'a [u32],
    /// Upper bound of these numbers, exclusive and at most 2^32.
    pub number_count: usize,
}

/// Numbers the equivalence class of each record, and passes the numbers to `show` in order, chunk by chunk.
pub(super) fn number_classes(
    columns: &[Released],
    rows: usize,
    mut show: impl FnMut(Range<usize>, &[u64]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut so_far = 1u64;
    // Where the class numbers would overflow, they are renumbered by a map before the column's digit is added.
    let columns = columns.iter().filter(|column| column.number_count > 1).map(|column| {
        let digits = column.number_count as u64;
        let anew = so_far.checked_mul(digits).is_none().then(HashMap::new);
        so_far = if anew.is_some() { rows as u64 } else { so_far }.saturating_mul(digits);
        (column, anew)
    });
    let mut columns: Vec<(&Released, Option<HashMap<u64, u64>>)> = columns.collect();
    let (mut classes, mut buffer) = (Vec::new(), Vec::new());
    for rows in pace::ranges(0..rows) {
        let rows = rows?;
        classes.clear();
        classes.resize(rows.len(), 0);
        for (column, anew) in &mut columns {
            pace::tick(rows.len())?;
            if let Some(numbers) = anew {
                for class in &mut classes {
                    if !numbers.contains_key(class) {
                        numbers.insert(*class, numbers.len() as u64);
                    }
                    *class = numbers[class];
                }
            }
            let codes = column.codes.fetch(rows.clone(), &mut buffer)?;
            for (class, &code) in classes.iter_mut().zip(codes) {
                *class =
                    *class * column.number_count as u64 + u64::from(column.number_of_code[code as usize]);
            }
        }
        show(rows, &classes)?;
    }
    Ok(())
}

/// Counts the rows in each equivalence class, or its persons if the person of each record is given. The order is
/// arbitrary. `weights` has the rows that each record stands for (None: one each).
pub fn class_sizes(
    columns: &[Released],
    rows: usize,
    weights: Option<&Codes>,
    persons: Option<&Store>,
) -> Result<Vec<u64>, Error> {
    let mut sizes: HashMap<u64, u64> = HashMap::new();
    let (mut seen, mut buffer): (HashSet<(u64, Code)>, _) = (HashSet::new(), Vec::new());
    number_classes(columns, rows, |rows, classes| {
        let Some(persons) = persons else {
            rows.zip(classes).for_each(|(record, class)| {
                *sizes.entry(*class).or_default() += record_rows(weights, record);
            });
            return Ok(());
        };
        let persons = persons.fetch(rows, &mut buffer)?;
        for (&class, &person) in classes.iter().zip(persons) {
            *sizes.entry(class).or_default() += u64::from(seen.insert((class, person)));
        }
        Ok(())
    })?;
    pace::collect(sizes.into_values())
}

/// Counts the rows in classes of fewer than `least` rows, or of fewer than `least` values of `counted` if given.
pub fn rows_in_small_classes(
    columns: &[Released],
    records: usize,
    weights: Option<&Codes>,
    counted: Option<&Store>,
    least: u64,
) -> Result<u64, Error> {
    let (mut rows_of, mut values_of) = (HashMap::<u64, u64>::new(), HashMap::<u64, u64>::new());
    let (mut seen, mut buffer): (HashSet<(u64, Code)>, _) = (HashSet::new(), Vec::new());
    number_classes(columns, records, |rows, classes| {
        if let Some(counted) = counted {
            let values = counted.fetch(rows.clone(), &mut buffer)?;
            for (&class, &value) in classes.iter().zip(values) {
                *values_of.entry(class).or_default() += u64::from(seen.insert((class, value)));
            }
        }
        for (record, &class) in rows.zip(classes) {
            *rows_of.entry(class).or_default() += record_rows(weights, record);
        }
        Ok(())
    })?;
    let sizes = if counted.is_some() { &values_of } else { &rows_of };
    let mut small = 0;
    pace::each(&rows_of, |(class, rows)| small += if sizes[class] < least { *rows } else { 0 })?;
    Ok(small)
}

/// Returns the number of rows that a record stands for.
pub(super) fn record_rows(weights: Option<&Codes>, record: usize) -> u64 {
    weights.map_or(1, |weights| weights.get(record).into())
}

/// Computes the share of the class's entropy that the columns explain, from 0 to 1; 0 if the entropy is 0. `weights` is
/// as for [`class_sizes`].
pub fn class_information(columns: &[Released], class: &Store, weights: Option<&Codes>) -> Result<f64, Error> {
    let mut buffer = Vec::new();
    let mut joint: HashMap<(u64, Code), u64> = HashMap::new();
    number_classes(columns, class.len(), |rows, groups| {
        let class = class.fetch(rows.clone(), &mut buffer)?;
        for (record, (&group, &class)) in rows.zip(groups.iter().zip(class)) {
            *joint.entry((group, class)).or_default() += record_rows(weights, record);
        }
        Ok(())
    })?;
    let (mut by_group, mut by_class) = (HashMap::<u64, u64>::new(), HashMap::<Code, u64>::new());
    let mut all_rows = 0;
    for (&(group, class), &rows) in &joint {
        pace::tick(1)?;
        all_rows += rows;
        *by_group.entry(group).or_default() += rows;
        *by_class.entry(class).or_default() += rows;
    }
    // A fixed order, because the last digit of a sum depends on it.
    let sum = |rows: &mut dyn Iterator<Item = u64>| {
        let mut rows: Vec<u64> = pace::collect(rows)?;
        rows.sort_unstable();
        let mut sum = 0.0;
        pace::each(rows, |n| sum += n_log_n(n))?;
        Ok::<f64, Error>(sum)
    };
    let (within, groups) = (sum(&mut joint.values().copied())?, sum(&mut by_group.values().copied())?);
    let (classes, all) = (sum(&mut by_class.values().copied())?, n_log_n(all_rows));
    // Bits of the class over all rows, and the bits left within the groups.
    let (entropy, left) = (all - classes, groups - within);
    Ok(if entropy > 0.0 { (1.0 - positive_gain(left / entropy)).clamp(0.0, 1.0) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained_share(columns: &[(&[Code], &[u32], usize)], class: &[Code]) -> f64 {
        let columns: Vec<(Store, &[u32], usize)> = columns
            .iter()
            .map(|&(codes, as_number, numbers)| (Store::from(codes.to_vec()), as_number, numbers))
            .collect();
        let columns: Vec<Released> = columns
            .iter()
            .map(|&(ref codes, as_number, numbers)| Released {
                codes,
                number_of_code: as_number,
                number_count: numbers,
            })
            .collect();
        class_information(&columns, &class.to_vec().into(), None).unwrap()
    }

    #[test]
    fn sizes_of_classes() {
        // Two columns make three classes, of 3, 1 and 1 rows. Two rows of the first are one person's.
        let (a, b) = (Store::from_iter([0, 0, 1, 2, 0]), Store::from_iter([0, 0, 1, 0, 0]));
        let released =
            |codes, as_number, numbers| Released { codes, number_of_code: as_number, number_count: numbers };
        let columns = [released(&a, &[0, 0, 1], 2), released(&b, &[0, 1], 2)];
        let sizes = |persons: Option<&Store>| {
            let mut sizes = class_sizes(&columns, 5, None, persons).unwrap();
            sizes.sort_unstable();
            sizes
        };
        assert_eq!(sizes(None), [1, 1, 3]);
        assert_eq!(sizes(Some(&Store::from_iter([4, 4, 4, 4, 9]))), [1, 1, 2]);
    }

    #[test]
    fn all_or_nothing() {
        let class = [0, 0, 1, 1];
        assert_eq!(explained_share(&[(&[0, 0, 1, 1], &[0, 1], 2)], &class), 1.0);
        assert_eq!(explained_share(&[(&[0, 1, 0, 1], &[0, 1], 2)], &class), 0.0);
        assert_eq!(explained_share(&[(&[0, 0, 1, 1], &[0, 0], 1)], &class), 0.0);
        assert_eq!(explained_share(&[(&[0, 1, 2, 3], &[0, 1, 2, 3], 4)], &[7, 7, 7, 7]), 0.0);
        assert_eq!(explained_share(&[], &[]), 0.0);
    }

    /// The group {0, 0, 1} leaves 3 h(1/3) of 4 bits, the group {1} none.
    #[test]
    fn by_hand() {
        let left = (3.0 * 3f64.log2() - 2.0) / 4.0;
        assert!(
            (explained_share(&[(&[0, 0, 0, 1], &[0, 1], 2)], &[0, 0, 1, 1]) - (1.0 - left)).abs() < 1e-12
        );
    }

    /// A record with a weight counts as its rows do.
    #[test]
    fn weights_are_rows() {
        let released = |codes, as_number| Released { codes, number_of_code: as_number, number_count: 2 };
        let (codes, rows) = (Store::from_iter([0, 1, 1]), Store::from_iter([0, 0, 1, 1, 1, 1]));
        let (class, classes) = (Store::from_iter([0, 0, 1]), Store::from_iter([0, 0, 0, 1, 1, 1]));
        let weights = Codes::from_iter([2, 1, 3]);
        let (records, rows) = ([released(&codes, &[0, 1])], [released(&rows, &[0, 1])]);
        let told = class_information(&records, &class, Some(&weights));
        assert_eq!(told, class_information(&rows, &classes, None));
        assert!(told.unwrap() > 0.0);
        for (least, small) in [(2, 0), (3, 2), (4, 2), (5, 6)] {
            let rows = rows_in_small_classes(&records, 3, Some(&weights), None, least);
            assert_eq!(rows, Ok(small));
        }
        // The first class holds one value of another column, the second two.
        let other = Store::from_iter([7, 7, 8]);
        let rows = rows_in_small_classes(&records, 3, Some(&weights), Some(&other), 2);
        assert_eq!(rows, Ok(2));
        let mut sizes = class_sizes(&records, 3, Some(&weights), None).unwrap();
        sizes.sort_unstable();
        assert_eq!(sizes, [2, 4]);
    }

    /// Renumbering of classes does not change the class information.
    #[test]
    fn large_numbers() {
        let class: Vec<Code> = (0..1000).map(|row| row % 7).collect();
        let codes: Vec<Code> = (0..1000).collect();
        let as_number: Vec<u32> = (0..1000).map(|row| row % 35).collect();
        let few: &[u32] = &(0..1000).map(|row| row % 5).collect::<Vec<u32>>();
        let few_more: &[u32] = &(0..1000).map(|row| row / 5 % 7).collect::<Vec<u32>>();
        let one = explained_share(&[(&codes, &as_number, 35)], &class);
        assert_eq!(one, 1.0);
        let many: [(&[Code], &[u32], usize); 3] =
            [(&codes, few, 1 << 32), (&codes, few, 1 << 32), (&codes, few_more, 1 << 32)];
        let (many, plain) = (
            explained_share(&many, &class),
            explained_share(&[(&codes, few, 5), (&codes, few_more, 7)], &class),
        );
        assert_eq!(many, plain);
    }
}
