//! The information loss measures of Campan, Cooper and Truta, section 3.

use super::{persons, EquivalenceClass};
use crate::{pace, Error};

/// A share of a whole that may be nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        part / whole
    } else {
        0.0
    }
}

/// Definition 8: the loss of all cells by their number; of one column if it is named.
pub fn ntil(classes: &[EquivalenceClass], column: Option<usize>) -> Result<f64, Error> {
    let (mut lost, mut cells) = (0.0, 0.0);
    for class in classes {
        let losses = match column {
            Some(column) => &class.losses[column..=column],
            None => &class.losses[..],
        };
        pace::tick(1 + losses.len())?;
        lost += class.rows as f64 * losses.iter().sum::<f64>();
        cells += (class.rows as usize * losses.len()) as f64;
    }
    Ok(share(lost, cells))
}

/// Definition 9: the average extent, every class counting once.
pub fn nil_1(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    let (mut lost, mut cells) = (0.0, 0);
    for class in classes {
        pace::tick(1 + class.losses.len())?;
        class.losses.iter().for_each(|loss| lost += loss);
        cells += class.losses.len();
    }
    Ok(share(lost, cells as f64))
}

/// Definition 10: the maximum extent of each column, averaged over the columns.
pub fn nil_infinity(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    let columns = classes.first().map_or(0, |class| class.losses.len());
    let mut sum = 0.0;
    for column in 0..columns {
        let mut most = 0.0;
        pace::each(classes, |class| most = f64::max(most, class.losses[column]))?;
        sum += most;
    }
    Ok(share(sum, columns as f64))
}

/// Definition 11: the sum of the squares of the classes' sizes.
pub fn discernibility(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    let mut sum = 0.0;
    pace::each(classes, |class| sum += class.persons as f64 * class.persons as f64)?;
    Ok(sum)
}

/// n/u: rows, or persons, by classes.
pub fn average_class_size(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    Ok(share(persons(classes)?, classes.len() as f64))
}

/// Definition 12: n/(u k).
pub fn navg(classes: &[EquivalenceClass], k: f64) -> Result<f64, Error> {
    Ok(average_class_size(classes)? / k)
}
