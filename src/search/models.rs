//! Privacy models over names become models over codes.

use crate::api::privacy_model::{privacy_model, DistanceKind, DiversityKind};
use crate::bind::Counted;
use crate::datum::Type;
use crate::error::{clipped, clipped_to, some_of, Result, SqlError};
use crate::progress::{poll, polled, Interrupts};
use crate::request::Request;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use topdown::privacy::{
    ConfidenceBound, Distance, Diversity, KAnonymity, LDiversity, PrivacyModel, TCloseness,
};
use topdown::Code;

/// The request's models, over the places of its masked and its sensitive columns. In a release's
/// `first` call every sensitive value that is named must be there.
pub fn engine_models(
    request: &Request,
    sensitive: &[Counted],
    first: bool,
) -> Result<Vec<Box<dyn PrivacyModel>>> {
    let place = |name: &str| -> Result<(usize, usize)> {
        let column = request.source.column(name)?;
        let place = request.sensitive.binary_search(&column);
        Ok((column, place.map_err(|_| SqlError::internal("a sensitive column was not read"))?))
    };
    let engine_model = |model: &privacy_model| -> Result<Box<dyn PrivacyModel>> {
        let attributes = model
            .attributes()
            .iter()
            .map(|name| request.attribute(name).ok_or_else(|| SqlError::internal("an unmasked attribute")))
            .collect::<Result<Vec<usize>>>()?;
        Ok(match model {
            privacy_model::KAnonymity { k, .. } => Box::new(KAnonymity::new(attributes, *k as u64)),
            privacy_model::ConfidenceBound { sensitive: name, sensitive_values, max_confidence, .. } => {
                let (column, place) = place(name)?;
                let named = sensitive_values.as_deref();
                let values = values(name, named, &sensitive[place], request.source.kind(column), first)?;
                Box::new(ConfidenceBound::new(attributes, place, values, *max_confidence))
            }
            privacy_model::LDiversity { sensitive: name, l, kind, c, .. } => {
                let kind = match kind {
                    DiversityKind::Distinct => Diversity::Distinct { l: *l },
                    DiversityKind::Entropy => Diversity::Entropy { l: *l },
                    DiversityKind::Recursive => {
                        Diversity::Recursive { l: *l as usize, c: c.unwrap_or_default() }
                    }
                };
                Box::new(LDiversity::new(attributes, place(name)?.1, kind))
            }
            privacy_model::TCloseness { sensitive: name, t, distance, .. } => {
                let distance = match distance {
                    DistanceKind::Equal => Distance::Equal,
                    DistanceKind::Ordered => Distance::Ordered,
                };
                let place = place(name)?.1;
                let mut whole = vec![0u64; sensitive[place].cardinality];
                sensitive[place].codes.iter().for_each(|&code| whole[code as usize] += 1);
                Box::new(TCloseness::new(attributes, place, *t, distance, &whole, &Interrupts)?)
            }
        })
    };
    request.models.iter().inspect(|_| poll()).map(engine_model).collect()
}

/// The sensitive value that a requirement of a `confidence_bound` is about, as a message shows it.
pub fn sensitive_value(
    request: &Request,
    model: &privacy_model,
    requirement: usize,
    sensitive: &[Counted],
) -> Option<String> {
    let privacy_model::ConfidenceBound { sensitive: name, sensitive_values, .. } = model else { return None };
    let value = match sensitive_values {
        Some(values) => values.get(requirement)?.clone(),
        None => {
            let column = request.source.column(name).ok()?;
            let counted = &sensitive[request.sensitive.binary_search(&column).ok()?];
            let kind = request.source.kind(column);
            counted.values.get(requirement).map(|&value| kind.text(value))
        }
    };
    Some(quoted(value.as_deref()))
}

/// The codes of sensitive values; all of the column's where none are named. Values are compared in
/// the column's own type, in which 1.0 is 1.00.
fn values(
    name: &str,
    named: Option<&[Option<String>]>,
    counted: &Counted,
    kind: Type,
    first: bool,
) -> Result<Vec<Option<Code>>> {
    let Some(named) = named else { return Ok((0..counted.cardinality as Code).map(Some).collect()) };
    let null = (counted.cardinality > counted.values.len()).then_some(counted.values.len() as Code);
    let texts: Vec<&str> = named.iter().flatten().map(String::as_str).collect();
    let found: Vec<Option<Code>> = match kind.comparator().filter(|_| kind.is_readable()) {
        Some(compare) => {
            let wanted = kind.parse_all(texts.iter().copied()).map_err(|(at, complaint)| {
                let text = clipped(texts[at]);
                SqlError::parameter(format!("sensitive value \"{text}\" of column \"{name}\" cannot be read"))
                    .detail(clipped_to(&complaint, 200))
            })?;
            let find = |wanted: Datum| counted.values.binary_search_by(|&held| compare(held, wanted)).ok();
            polled(wanted).map(|wanted| find(wanted).map(|at| at as Code)).collect()
        }
        None => {
            let held = polled(&counted.values).map(|&value| kind.text(value));
            let held: HashMap<String, Code> = held.zip(0..).collect();
            polled(&texts).map(|&text| held.get(text).copied()).collect()
        }
    };
    let mut found = found.into_iter();
    let codes: Vec<Option<Code>> =
        named.iter().map(|value| value.as_ref().map_or(null, |_| found.next().flatten())).collect();
    let mut seen = HashSet::new();
    if let Some((_, twice)) =
        codes.iter().zip(named).find(|(code, _)| code.is_some_and(|code| !seen.insert(code)))
    {
        return Err(SqlError::parameter(format!("a sensitive value of column \"{name}\" is given twice"))
            .detail(format!("{} equals another of them.", quoted(twice.as_deref()))));
    }
    let unknown: Vec<Option<&str>> = (named.iter().zip(&codes))
        .filter(|(_, code)| code.is_none())
        .map(|(value, _)| value.as_deref())
        .collect();
    if first && !unknown.is_empty() {
        let listed: Vec<String> = unknown.iter().take(SHOWN).map(|value| quoted(*value)).collect();
        let more = unknown.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let error = SqlError::parameter(format!("column \"{name}\" does not hold every sensitive value"))
            .detail(format!("Not there: {}{more}.", listed.join(", ")));
        let held: Vec<String> =
            counted.values.iter().take(COMPARED).map(|&value| beginning(&kind.text(value))).collect();
        let mut close: Vec<&str> = Vec::new();
        for text in unknown.into_iter().take(SHOWN).flatten().flat_map(|unknown| near(unknown, &held)) {
            if !close.contains(&text) {
                close.push(text);
            }
        }
        return Err(if close.is_empty() { error } else { error.hint(format!("Near: {}.", some_of(close))) });
    }
    Ok(codes)
}

/// A sensitive value as a message shows it.
fn quoted(value: Option<&str>) -> String {
    value.map_or("NULL".into(), |value| format!("\"{}\"", clipped(value)))
}

/// How many unknown values a message lists.
const SHOWN: usize = 10;

/// How many values of the data, and how much of each, are compared with unknown ones: a hint is not
/// worth more.
const COMPARED: usize = 10_000;
const COMPARED_CHARACTERS: usize = 32;

fn beginning(text: &str) -> String {
    text.chars().take(COMPARED_CHARACTERS).collect()
}

/// The values that read most like another, if they read like it at all.
fn near<'a>(wanted: &str, held: &'a [String]) -> Vec<&'a str> {
    let wanted = beginning(wanted).to_lowercase();
    let distance = |text: &str| strsim::damerau_levenshtein(&text.to_lowercase(), &wanted);
    let mut near: Vec<(usize, &str)> = polled(held)
        .map(|text| (distance(text), text.as_str()))
        .filter(|(distance, text)| *distance < text.chars().count().max(wanted.chars().count()))
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, text)| text).collect()
}
