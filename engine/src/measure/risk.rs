//! The risk of being found again, for three attackers (El Emam's models), from a release alone.
//!
//! Who is in a class of f persons is found with a chance of 1/f. The prosecutor looks for somebody
//! known to be in the release, the journalist for anybody who can be found in a register of the
//! population; without that register the release stands for it, which is the safe side. The
//! marketer looks for everybody and succeeds with the mean chance of all rows: classes/rows, where each is somebody else's.

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

/// The risks for all three.
pub fn risk(classes: &[EquivalenceClass], threshold: f64) -> Result<[Risk; 3], Error> {
    let all = rows(classes)?.max(1.0);
    let (mut exposed, mut highest, mut found) = (0, 0.0, 0.0);
    pace::each(classes, |class| {
        let of_class = 1.0 / class.persons as f64;
        highest = f64::max(highest, of_class);
        found += class.rows as f64 / class.persons as f64;
        exposed += if of_class > threshold { class.rows } else { 0 };
    })?;
    let records_at_risk = exposed as f64 / all;
    let average = found / all;
    let single = |attacker| Risk { attacker, records_at_risk, highest, average };
    let marketer = Risk {
        attacker: Attacker::Marketer,
        records_at_risk: f64::from(u8::from(average > threshold)),
        highest: average,
        average,
    };
    Ok([single(Attacker::Prosecutor), single(Attacker::Journalist), marketer])
}
