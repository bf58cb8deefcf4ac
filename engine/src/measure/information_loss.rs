//! Information loss measures of Campan, Cooper and Truta, section 3.

use super::{persons, EquivalenceClass};
use crate::{pace, Error};

/// Divides a part by its whole; 0 if the whole is 0.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 {
        part / whole
    } else {
        0.0
    }
}

/// Computes NTIL (Definition 8): the mean loss of a cell, in all columns or in `column` alone.
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

/// Computes NIL1 (Definition 9): the mean loss of a cell if every class counts once.
pub fn nil_1(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    let (mut lost, mut cells) = (0.0, 0);
    for class in classes {
        pace::tick(1 + class.losses.len())?;
        class.losses.iter().for_each(|loss| lost += loss);
        cells += class.losses.len();
    }
    Ok(share(lost, cells as f64))
}

/// Computes NILinf (Definition 10): the largest loss in each column, averaged over the columns.
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

/// Computes the discernibility metric DM (Definition 11): the sum of the squared class sizes, in persons.
pub fn discernibility(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    let mut sum = 0.0;
    pace::each(classes, |class| sum += class.persons as f64 * class.persons as f64)?;
    Ok(sum)
}

/// Computes n/u: the mean class size, in persons.
pub fn average_class_size(classes: &[EquivalenceClass]) -> Result<f64, Error> {
    Ok(share(persons(classes)?, classes.len() as f64))
}

/// Computes AVG (Definition 12): n/(u k), in persons.
pub fn navg(classes: &[EquivalenceClass], k: f64) -> Result<f64, Error> {
    Ok(average_class_size(classes)? / k)
}
