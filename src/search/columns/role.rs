//! What part a column seems to play in a release, with the reason: a rule of thumb a line, the surest first. What
//! somebody has labelled is never guessed at; then comes what the table declares, then what was counted, and what a
//! column is called comes last. What no rule knows is part of the quasi-identifier, which is the safe side.

use super::facts::Facts;
use crate::postgres::error::{clipped, percent};
use crate::postgres::line::Line;
use crate::postgres::sql;
use crate::terms::looks::Looks;
use crate::terms::names;
use pgrx::pg_sys;
use pgrx::spi::quote_literal;

/// The part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It identifies rows: no release has it.
    Identifier,
    /// It says whose a row is, of persons with several rows.
    Person,
    /// Somebody may know it.
    QuasiIdentifier,
    /// None of these: it tells nothing, or is what is to be protected.
    Other,
}

impl Role {
    /// As SQL has it.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::Person => "person",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Other => "other",
        }
    }
}

/// The security labels that say a role, whoever gives them, the strictest role first.
const LABELS: [(&str, Role); 9] = [
    ("IDENTIFIER", Role::Identifier),
    ("DIRECT IDENTIFIER", Role::Identifier),
    ("PERSON", Role::Person),
    ("QUASI IDENTIFIER", Role::QuasiIdentifier),
    ("INDIRECT IDENTIFIER", Role::QuasiIdentifier),
    ("SENSITIVE", Role::Other),
    ("SENSITIVE ATTRIBUTE", Role::Other),
    ("NOT SENSITIVE", Role::Other),
    ("INSENSITIVE", Role::Other),
];

/// Fewer rows than these do not say that values are single.
const FEWEST_ROWS: u64 = 20;

/// Fewer values than these are no persons' keys.
const FEWEST_PERSONS: u64 = 5;

/// The part of a column, and why.
pub fn role(of: &Facts, k: u64) -> (Role, String) {
    labelled(of)
        .or_else(|| declared(of))
        .or_else(|| empty(of))
        .or_else(|| named(of))
        .or_else(|| single(of))
        .or_else(|| person(of))
        .or_else(|| sensitive(of))
        .unwrap_or_else(|| (Role::QuasiIdentifier, known(of, k)))
}

/// Whether a column that is released as it is says who somebody is, or whose a row is, and why. (How many rows its values single
/// out is counted elsewhere.)
pub fn tells_who(of: &Facts) -> Option<(Role, String)> {
    let guess =
        labelled(of).or_else(|| empty(of)).or_else(|| named(of)).or_else(|| person(of)).or_else(|| key(of));
    guess.filter(|(role, _)| matches!(role, Role::Identifier | Role::Person))
}

fn labelled(of: &Facts) -> Option<(Role, String)> {
    let has = |label: &str| of.declared.labels.iter().any(|given| given.trim().to_uppercase() == label);
    let (label, role) = LABELS.into_iter().find(|(label, _)| has(label))?;
    Some((role, format!("Its security label says {label}.")))
}

fn declared(of: &Facts) -> Option<(Role, String)> {
    let why = match of.declared.is_primary {
        true => "It is the primary key: leave it out of the release.",
        false if of.declared.is_unique => {
            "A unique index keeps its values apart: leave it out of the release."
        }
        false => return None,
    };
    Some((Role::Identifier, why.into()))
}

fn empty(of: &Facts) -> Option<(Role, String)> {
    let why = match of.distinct {
        0 if of.rows == 0 => "The table has no rows.",
        0 => "It holds nothing but NULL.",
        1 if of.nulls == 0 => "Every row has the same value.",
        _ => return None,
    };
    Some((Role::Other, why.into()))
}

/// What says who somebody is.
fn named(of: &Facts) -> Option<(Role, String)> {
    let what = match of.looks.and_then(Looks::contact) {
        Some(contact) => format!("Its values look like {contact}: "),
        None if names::is_identity(of.name) && of.ty.is_text() => {
            "By its name it says who somebody is: ".into()
        }
        None => return None,
    };
    Some((Role::Identifier, format!("{what}leave it out of the release.")))
}

/// Nearly every value is of one row.
fn single(of: &Facts) -> Option<(Role, String)> {
    let nearly_all = of.held() >= FEWEST_ROWS && of.single * 10 >= of.held() * 9;
    let why = match percent(share(of.single, of.held())) {
        _ if of.single == of.rows => "Every row has a value of its own".into(),
        most => format!("{most} of its values are of one row alone"),
    };
    let why = format!("{why}: leave it out of the release.");
    (nearly_all && tells_things_apart(of)).then_some((Role::Identifier, why))
}

/// Whether values are there to tell one thing from another: a measure of anything is single as well, where it is fine
/// enough.
fn tells_things_apart(of: &Facts) -> bool {
    let measured =
        matches!(of.looks, Some(Looks::Dates { .. } | Looks::Numbers(_) | Looks::NetworkAddresses));
    let address = [pg_sys::INETOID, pg_sys::CIDROID].contains(&of.ty.oid);
    if names::is_code_of_a_place(of.name) || address {
        return false;
    }
    match (of.ty.line(), of.extent) {
        (None, _) => !measured || names::is_key(of.name),
        (Some(line), Some(extent)) if is_number(line) && extent.is_whole => {
            // Numbered one after the other, or with as many digits each.
            let dense = extent.greatest - extent.least < 2.0 * of.distinct as f64;
            let long = extent.least >= 1e5 && extent.least.log10().floor() == extent.greatest.log10().floor();
            names::is_key(of.name) || dense || long
        }
        _ => false,
    }
}

fn is_number(line: Line) -> bool {
    use Line::{Float4, Float8, Int2, Int4, Int8, Numeric};
    matches!(line, Int2 | Int4 | Int8 | Float4 | Float8 | Numeric)
}

/// A key of persons, each with some rows.
fn person(of: &Facts) -> Option<(Role, String)> {
    let several = of.rows_per_value() >= 1.05;
    let singles_out = of.share(of.below) >= 0.5 && of.nulls * 20 <= of.rows;
    let counts =
        format!("k_anonymity(..., person => {}) counts persons instead of rows", quote_literal(of.name));
    let often = format!("each value is in {:.1} rows on average", of.rows_per_value());
    if let Some(table) = &of.declared.refers_to {
        let persons = names::is_of_persons(table) || names::is_key_of_persons(of.name);
        let why = format!("It refers to table \"{}\", and {often}: {counts}.", clipped(table));
        return (persons || several && singles_out).then_some((Role::Person, why));
    }
    // Of so few values that it is something else of theirs.
    let many = of.distinct * 100 >= of.held() && of.held() >= FEWEST_ROWS && of.distinct >= FEWEST_PERSONS;
    let by_name = names::is_key_of_persons(of.name) && many;
    let is_key = singles_out && names::is_key(of.name) || many && names::is_bare_key(of.name);
    let by_values = is_key && tells_things_apart(of) || singles_out && is_token(of);
    let said = if by_name { "By its name it says whose a row is" } else { "It looks like a key" };
    let condition = if by_name { "" } else { "if it says whose a row is, " };
    let why = format!("{said}, and {often}: {condition}{counts}.");
    (several && (by_name || by_values)).then_some((Role::Person, why))
}

/// A key of persons, however many rows each has; or of anything else that has several: a household, a firm, a device.
fn key(of: &Facts) -> Option<(Role, String)> {
    let is_of_persons = names::is_key_of_persons(of.name);
    let is_uuid = of.ty.oid == pg_sys::UUIDOID;
    let is_enough = match is_of_persons || names::is_bare_key(of.name) {
        true => of.distinct >= FEWEST_ROWS,
        false => {
            of.distinct * 100 >= of.held() && of.held() >= FEWEST_ROWS && (is_uuid || names::is_key(of.name))
        }
    };
    let is_key = is_enough && of.rows_per_value() >= 1.05 && (is_of_persons || tells_things_apart(of));
    let why = format!(
        "By its {} it tells one thing from another, and each value is in {:.1} rows on average: if that is a person, or few, leave it out of keep, and k_anonymity(..., person => {}) counts these instead of rows.",
        if is_uuid { "type" } else { "name" },
        of.rows_per_value(),
        quote_literal(of.name)
    );
    is_key.then_some((Role::Person, why))
}

/// Whether values are made up by a machine.
fn is_token(of: &Facts) -> bool {
    of.ty.oid == pg_sys::UUIDOID || matches!(of.looks, Some(Looks::Codes { characters: 8.. }))
}

/// What is to be protected, unless it singles rows out.
fn sensitive(of: &Facts) -> Option<(Role, String)> {
    let why = "By its name it is what is to be protected: name it in l_diversity, or mask it if somebody can know it.";
    (names::is_sensitive(of.name) && of.share(of.below) < 0.05).then(|| (Role::Other, why.into()))
}

/// What a column of the quasi-identifier singles out.
fn known(of: &Facts, k: u64) -> String {
    if of.holds_star {
        return "It holds \"*\", the label of suppressed values: call with another label, as suppressed => '?'.".into();
    }
    let column = sql::quote(of.name);
    let column = if of.ty.line().is_some() { format!("{column}::text") } else { column };
    if let Some((what, cast)) = of.looks.and_then(|looks| looks.better_cast(&column)) {
        return format!(
            "Its texts look like {what}: release a view that casts them, as {cast}, which can be masked better."
        );
    }
    if let Some((one, other)) = &of.alike {
        return format!(
            "It holds \"{}\" and \"{}\", which differ by blanks, line ends or case: release a view that writes them alike.",
            clipped(one),
            clipped(other)
        );
    }
    if let Some(several) = of.several {
        return format!("A value may hold several facts: {}.", several.way_out(of.name));
    }
    match of.below {
        0 => format!("By itself it leaves no row in a group of fewer than {k}, with others it may."),
        below => format!(
            "By itself it leaves {} of the rows in groups of fewer than {k}.",
            percent(of.share(below))
        ),
    }
}

fn share(part: u64, of: u64) -> f64 {
    part as f64 / (of as f64).max(1.0)
}
