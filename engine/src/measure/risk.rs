//! The risk of being found again, for three attackers (El Emam's models), from a release alone.
//!
//! Who is in a class of f persons is found with a chance of 1/f. The prosecutor looks for somebody
//! known to be in the release, the journalist for anybody who can be found in a register of the
//! population: who is of the F that a class matches there is found with a chance of 1/F. Without that register the release
//! stands for it, which is the safe side. The marketer looks for everybody, in the register if there is one, and succeeds with
//! the mean chance of all rows: classes/rows, where each is somebody else's and there is none.

use super::{rows, EquivalenceClass};
use crate::{pace, Error};

/// Who looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attacker {
    /// For somebody known to be there.
    Prosecutor,
    /// For anybody at all.
    Journalist,
    /// For as many as possible.
    Marketer,
    /// For nobody but who is alone in the population.
    Unique,
}

/// How likely an attacker is to succeed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Risk {
    /// Who.
    pub attacker: Attacker,
    /// The share of rows whose risk is above the threshold.
    pub records_at_risk: f64,
    /// The highest risk of any row.
    pub highest: f64,
    /// The mean risk of all rows.
    pub average: f64,
}

/// The risks for the first three. `population` says how many of it each class matches, which are at least the persons of the class.
pub fn risk(
    classes: &[EquivalenceClass],
    population: Option<&[f64]>,
    threshold: f64,
) -> Result<[Risk; 3], Error> {
    let by_release = found(classes, threshold, Attacker::Prosecutor, |_, class| class.persons as f64)?;
    let by_register = found(classes, threshold, Attacker::Journalist, |number, class| {
        let matched = population.and_then(|matched| matched.get(number)).copied().unwrap_or_default();
        matched.max(class.persons as f64)
    })?;
    let average = by_register.average;
    let marketer = Risk {
        attacker: Attacker::Marketer,
        records_at_risk: f64::from(u8::from(average > threshold)),
        highest: average,
        average,
    };
    Ok([by_release, by_register, marketer])
}

/// The risk of being alone in the population, where each class is of one person of it with some chance.
pub fn unique(classes: &[EquivalenceClass], chance: &[f64], threshold: f64) -> Result<Risk, Error> {
    let chance = |number: usize| chance.get(number).copied().unwrap_or_default();
    found(classes, threshold, Attacker::Unique, |number, _| 1.0 / chance(number))
}

/// Who is found that is one of as many as each class is taken for.
fn found(
    classes: &[EquivalenceClass],
    threshold: f64,
    attacker: Attacker,
    among: impl Fn(usize, &EquivalenceClass) -> f64,
) -> Result<Risk, Error> {
    let all = rows(classes)?.max(1.0);
    let (mut exposed, mut highest, mut found) = (0, 0.0, 0.0);
    pace::each(classes.iter().enumerate(), |(number, class)| {
        let among = among(number, class);
        let of_class = 1.0 / among;
        highest = f64::max(highest, of_class);
        found += class.rows as f64 / among;
        exposed += if of_class > threshold { class.rows } else { 0 };
    })?;
    Ok(Risk { attacker, records_at_risk: exposed as f64 / all, highest, average: found / all })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three classes of 1, 2 and 5 rows, which match 1, 10 and 4 of a population: 4 are fewer than the class has.
    #[test]
    fn a_register_of_the_population() {
        let class = |rows| EquivalenceClass { rows, persons: rows, losses: Vec::new() };
        let classes = [class(1), class(2), class(5)];
        let [prosecutor, journalist, marketer] = risk(&classes, Some(&[1.0, 10.0, 4.0]), 0.15).unwrap();
        assert_eq!(
            (prosecutor.records_at_risk, prosecutor.highest, prosecutor.average),
            (1.0, 1.0, 3.0 / 8.0)
        );
        assert_eq!((journalist.records_at_risk, journalist.highest), (6.0 / 8.0, 1.0));
        let average = (1.0 + 2.0 / 10.0 + 5.0 / 5.0) / 8.0;
        assert!((journalist.average - average).abs() < 1e-12 && marketer.average == journalist.average);
        let alone = unique(&classes, &[0.3, 0.0, 0.0], 0.2).unwrap();
        assert_eq!(alone.records_at_risk, 1.0 / 8.0);
        assert!((alone.highest - 0.3).abs() < 1e-12);
        assert!((alone.average - 0.3 / 8.0).abs() < 1e-12);
    }
}
