//! Re-identification risk of a release for three attackers (El Emam's models), and the risk that a row's person is the
//! only one in the population ([`Attacker::Unique`]).
//!
//! * The prosecutor looks for one person known to be in the release. The risk of a row in a class of f persons is 1/f.
//! * The journalist looks for any one person in a register of the population. The risk of a row is 1/F if its class
//!   matches F persons of the register. Without a register F is f, which is the safe side.
//! * The marketer looks for everybody, in the register if there is one. The success rate is the mean of the
//!   journalist's risks: classes/rows if there is no register and each row is a different person's.

use super::{rows, EquivalenceClass};
use crate::{pace, Error};

/// A kind of attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attacker {
    /// Looks for one person known to be in the release.
    Prosecutor,
    /// Looks for any one person.
    Journalist,
    /// Looks for all persons.
    Marketer,
    /// Looks only for rows that match a single person of the population.
    Unique,
}

/// Risk from one attacker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Risk {
    /// The attacker.
    pub attacker: Attacker,
    /// Share of the rows whose risk is above the threshold.
    pub records_at_risk: f64,
    /// Highest risk of a row.
    pub highest: f64,
    /// Mean risk of all rows.
    pub average: f64,
}

/// Computes the risks from prosecutor, journalist and marketer. `population` has the number of persons of the
/// population that each class matches. It is raised to the persons of the class if it is smaller.
pub fn attacker_risks(
    classes: &[EquivalenceClass],
    population: Option<&[f64]>,
    threshold: f64,
) -> Result<[Risk; 3], Error> {
    let by_release = risk_among(classes, threshold, Attacker::Prosecutor, |_, class| class.persons as f64)?;
    let by_register = risk_among(classes, threshold, Attacker::Journalist, |number, class| {
        let matched = population.and_then(|matched| matched.get(number)).copied().unwrap_or_default();
        matched.max(class.persons as f64)
    })?;
    let average = by_register.average;
    let marketer = Risk {
        attacker: Attacker::Marketer,
        // Each row has the mean risk, so all of them are at risk or none.
        records_at_risk: f64::from(u8::from(average > threshold)),
        highest: average,
        average,
    };
    Ok([by_release, by_register, marketer])
}

/// Computes the risk of matching a single person of the population, with the probability `chance` for each class.
pub fn uniqueness_risk(classes: &[EquivalenceClass], chance: &[f64], threshold: f64) -> Result<Risk, Error> {
    let chance = |number: usize| chance.get(number).copied().unwrap_or(1.0);
    risk_among(classes, threshold, Attacker::Unique, |number, _| 1.0 / chance(number))
}

/// Computes an attacker's risks if a person in a class is one of `candidates` persons, who are equally likely.
fn risk_among(
    classes: &[EquivalenceClass],
    threshold: f64,
    attacker: Attacker,
    candidates: impl Fn(usize, &EquivalenceClass) -> f64,
) -> Result<Risk, Error> {
    let all_rows = rows(classes)?.max(1.0);
    let (mut rows_at_risk, mut highest, mut expected_matches) = (0, 0.0, 0.0);
    pace::each(classes.iter().enumerate(), |(number, class)| {
        let candidates = candidates(number, class);
        let risk = 1.0 / candidates;
        highest = f64::max(highest, risk);
        expected_matches += class.rows as f64 / candidates;
        rows_at_risk += if risk > threshold { class.rows } else { 0 };
    })?;
    let records_at_risk = rows_at_risk as f64 / all_rows;
    Ok(Risk { attacker, records_at_risk, highest, average: expected_matches / all_rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three classes of 1, 2 and 5 rows match 1, 10 and 4 persons of a population. The 4 is raised to 5.
    #[test]
    fn a_register_of_the_population() {
        let class = |rows| EquivalenceClass { rows, persons: rows, losses: Vec::new() };
        let classes = [class(1), class(2), class(5)];
        let [prosecutor, journalist, marketer] =
            attacker_risks(&classes, Some(&[1.0, 10.0, 4.0]), 0.15).unwrap();
        assert_eq!(
            (prosecutor.records_at_risk, prosecutor.highest, prosecutor.average),
            (1.0, 1.0, 3.0 / 8.0)
        );
        assert_eq!((journalist.records_at_risk, journalist.highest), (6.0 / 8.0, 1.0));
        let average = (1.0 + 2.0 / 10.0 + 5.0 / 5.0) / 8.0;
        assert!((journalist.average - average).abs() < 1e-12 && marketer.average == journalist.average);
        let alone = uniqueness_risk(&classes, &[0.3, 0.0, 0.0], 0.2).unwrap();
        assert_eq!(alone.records_at_risk, 1.0 / 8.0);
        assert!((alone.highest - 0.3).abs() < 1e-12);
        assert!((alone.average - 0.3 / 8.0).abs() < 1e-12);
    }
}
