//! The call that makes a value or a release, as SQL that can be run as it stands.
//!
//! A value of the types `privacy_model` and `masking` is the call that made it, as JSON: the name of a constructor,
//! and its arguments by their names.

use super::arguments::Arguments;
use super::privacy_model::LkcPrivacy;
use super::words::{Endpoints, Recoding, Score, Split};
use pgrx::spi::quote_literal;
use serde::Serialize;
use serde_json::Value;

/// The call of `tds_anonymize` that has these arguments; the others are left to their defaults.
pub fn tds_anonymize(source: &str, release: &str, arguments: &Arguments) -> String {
    let Arguments { privacy, class, masking, keep, score, split, withhold, endpoints, recoding, .. } =
        arguments;
    let mut call = vec![
        quote_literal(source),
        quote_literal(release),
        array(LkcPrivacy::whole(privacy).iter().map(constructor)),
    ];
    let mut add = |name: &str, value: Option<String>| {
        call.extend(value.map(|value| format!("{name} => {value}")));
    };
    let texts = |texts: &[String]| (!texts.is_empty()).then(|| array(texts.iter().map(quote_literal)));
    add("class", class.as_ref().map(quote_literal));
    add("masking", (!masking.is_empty()).then(|| array(masking.iter().map(constructor))));
    add("keep", texts(keep));
    add("score", other_than(score, &Score::default()));
    add("split", other_than(split, &Split::default()));
    add("withhold", other_than(withhold, &0.0));
    add("endpoints", other_than(endpoints, &Endpoints::default()));
    add("recoding", other_than(recoding, &Recoding::default()));
    add("show", texts(&arguments.show));
    add("means", texts(&arguments.means));
    add("counts", other_than(&arguments.counts, &false));
    format!("SELECT tds_anonymize({})", call.join(", "))
}

/// An argument, unless it is the default.
fn other_than<T: PartialEq + Serialize>(value: &T, default: &T) -> Option<String> {
    (value != default).then(|| literal(&as_json(value)))
}

fn array(elements: impl Iterator<Item = String>) -> String {
    format!("ARRAY[{}]", elements.collect::<Vec<_>>().join(", "))
}

/// The call of a model's or a masking's constructor: its first argument by place, the others by name.
fn constructor(made: &impl Serialize) -> String {
    let value = as_json(made);
    let Some((name, Value::Object(arguments))) = value.as_object().and_then(|made| made.iter().next()) else {
        return quote_literal(value.to_string());
    };
    // One argument that may be NULL has no default.
    let is_given = |(name, value): &(&String, &Value)| !value.is_null() || *name == "sensitive_values";
    let given = arguments.iter().filter(is_given).enumerate();
    let argument = |(place, (argument, value)): (usize, (&String, &Value))| {
        let value = match argument.as_str() {
            "masking" => constructor(value),
            "taxonomy" if name == "by_taxonomy_tree" => quote_literal(value.to_string()),
            _ => literal(value),
        };
        if place == 0 {
            value
        } else {
            format!("{argument} => {value}")
        }
    };
    format!("{name}({})", given.map(argument).collect::<Vec<_>>().join(", "))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::String(text) => quote_literal(text),
        Value::Array(elements) => array(elements.iter().map(literal)),
        other => other.to_string(),
    }
}

/// A word as it is written.
pub fn word(word: &impl Serialize) -> String {
    as_json(word).as_str().map_or_else(String::new, String::from)
}

fn as_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("arguments are JSON")
}
