//! Privacy models over names become models over codes.

use crate::api::privacy_model::{privacy_model, DistanceKind, DiversityKind};
use crate::bind::Counted;
use crate::datum::Type;
use crate::error::{some_of, Result, SqlError};
use crate::request::Request;
use topdown::privacy::{
    ConfidenceBound, Distance, Diversity, KAnonymity, LDiversity, PrivacyModel, TCloseness,
};
use topdown::Code;

/// The request's models, over the places of its masked and its sensitive columns. In a release's
/// `first` call every sensitive value that is named must be there.
pub fn engine_models(
    request: &Request,
    sensitive: &[Counted],
    type_of: impl Fn(usize) -> Type,
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
                let values = values(name, named, &sensitive[place], type_of(column), first)?;
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
                Box::new(TCloseness::new(attributes, place, *t, distance, &whole))
            }
        })
    };
    request.models.iter().map(engine_model).collect()
}

/// The codes of sensitive values; all of the column's where none are named.
fn values(
    name: &str,
    named: Option<&[Option<String>]>,
    counted: &Counted,
    kind: Type,
    first: bool,
) -> Result<Vec<Option<Code>>> {
    let Some(named) = named else { return Ok((0..counted.cardinality as Code).map(Some).collect()) };
    let texts: Vec<String> = counted.values.iter().map(|&value| kind.text(value)).collect();
    let null = (counted.cardinality > texts.len()).then_some(texts.len() as Code);
    let code = |value: &Option<String>| match value {
        None => null,
        Some(value) => texts.iter().position(|text| text == value).map(|at| at as Code),
    };
    let codes: Vec<Option<Code>> = named.iter().map(code).collect();
    let unknown: Vec<&str> = (named.iter().zip(&codes))
        .filter(|(_, code)| code.is_none())
        .map(|(value, _)| value.as_deref().unwrap_or("NULL"))
        .collect();
    if first && !unknown.is_empty() {
        return Err(SqlError::parameter(format!("column \"{name}\" does not hold every sensitive value"))
            .detail(format!("Not there: {}.", some_of(&unknown)))
            .hint(format!("Near: {}.", some_of(near(unknown[0], &texts)))));
    }
    Ok(codes)
}

/// The values that read most like another.
fn near<'a>(wanted: &str, texts: &'a [String]) -> Vec<&'a str> {
    let mut near: Vec<&str> = texts.iter().map(String::as_str).collect();
    let distance = |text: &str| strsim::damerau_levenshtein(&text.to_lowercase(), &wanted.to_lowercase());
    near.sort_by_cached_key(|text| distance(text));
    near.truncate(3);
    near
}
