//! The information loss measures of Campan, Cooper and Truta, section 3.

use super::{rows, Class};

/// A share of a whole that may be nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        part / whole
    } else {
        0.0
    }
}

/// Definition 8: the loss of all cells by their number; of one column if it is named.
pub fn ntil(classes: &[Class], column: Option<usize>) -> f64 {
    let (mut lost, mut cells) = (0.0, 0.0);
    for class in classes {
        let losses = match column {
            Some(column) => &class.losses[column..=column],
            None => &class.losses[..],
        };
        lost += class.rows as f64 * losses.iter().sum::<f64>();
        cells += (class.rows as usize * losses.len()) as f64;
    }
    share(lost, cells)
}

/// Definition 9: the average extent, every class counting once.
pub fn nil_1(classes: &[Class]) -> f64 {
    let lost: f64 = classes.iter().flat_map(|class| &class.losses).sum();
    let cells: usize = classes.iter().map(|class| class.losses.len()).sum();
    share(lost, cells as f64)
}

/// Definition 10: the maximum extent of each column, averaged over the columns.
pub fn nil_infinity(classes: &[Class]) -> f64 {
    let columns = classes.first().map_or(0, |class| class.losses.len());
    let most = |column| classes.iter().map(|class| class.losses[column]).fold(0.0, f64::max);
    share((0..columns).map(most).sum(), columns as f64)
}

/// Definition 11: the sum of the squares of the classes' sizes.
pub fn discernibility(classes: &[Class]) -> f64 {
    classes.iter().map(|class| class.rows as f64 * class.rows as f64).sum()
}

/// n/u: rows by classes.
pub fn average_class_size(classes: &[Class]) -> f64 {
    share(rows(classes), classes.len() as f64)
}

/// Definition 12: n/(u k).
pub fn navg(classes: &[Class], k: f64) -> f64 {
    average_class_size(classes) / k
}
