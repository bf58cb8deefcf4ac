//! Converts nested JSON (`{"ANY": {"Secondary": ["9th", "10th"], "University": [...]}}`) to edges.
//!
//! The keys of an object are inner nodes. The members of an array are leaves or further objects. A label with nothing
//! below it is a leaf, however it is written.

use super::{Edge, Edges};
use crate::{pace, Error};
use serde_json::Value;
use std::fmt::{self, Write};

/// Maximum nesting depth of objects and arrays. A taxonomy needs a few; much deeper input would overflow the stack.
const DEEPEST: usize = 100;

/// Number of characters of a value that an error message shows.
const SHOWN: usize = 60;

/// Returns the edges of a nested taxonomy, or a message why it is not one. An error comes from the observer.
pub fn edges_from_nested(tree: &Value) -> Result<Result<Edges, String>, Error> {
    if !tree.is_object() {
        let expected = "an object with the root as its only key is expected";
        return Ok(Err(format!("{expected}, not {}", clipped(tree))));
    }
    let mut edges = Edges::default();
    match add_edges(&mut edges, tree, None, 1) {
        Ok(()) => Ok(Ok(edges)),
        Err(Failure::Fault(fault)) => Ok(Err(fault)),
        Err(Failure::Ended(error)) => Err(error),
    }
}

enum Failure {
    Fault(String),
    Ended(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Ended(error)
    }
}

/// Adds the edges below a label.
fn add_edges(edges: &mut Edges, tree: &Value, parent: Option<&str>, depth: usize) -> Result<(), Failure> {
    pace::tick(1)?;
    if depth > DEEPEST && (tree.is_array() || tree.is_object()) {
        let fault = format!("objects and arrays are nested more than {DEEPEST} levels deep");
        return Err(Failure::Fault(fault));
    }
    match tree {
        Value::Null => {}
        Value::String(label) => edges.push(Edge::new(label, parent)),
        Value::Bool(label) => edges.push(Edge::new(&label.to_string(), parent)),
        Value::Number(label) => edges.push(Edge::new(&label.to_string(), parent)),
        Value::Array(members) => {
            for member in members {
                if matches!(member, Value::Null | Value::Array(_)) {
                    return Err(Failure::Fault(format!("{} is not a label", clipped(member))));
                }
                add_edges(edges, member, parent, depth + 1)?;
            }
        }
        Value::Object(members) => {
            for (label, below) in members {
                edges.push(Edge::new(label, parent));
                add_edges(edges, below, Some(label), depth + 1)?;
            }
        }
    }
    Ok(())
}

/// Returns the beginning of a value as JSON. Stops writing after [`SHOWN`] characters.
fn clipped(value: &Value) -> String {
    struct Clip {
        text: String,
        room: usize,
    }
    impl Write for Clip {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for character in text.chars() {
                self.room = self.room.checked_sub(1).ok_or(fmt::Error)?;
                self.text.push(character);
            }
            Ok(())
        }
    }
    let mut clip = Clip { text: String::new(), room: SHOWN };
    let whole = write!(clip, "{value}").is_ok();
    clip.text + if whole { "" } else { "…" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::{Defect, Taxonomy};
    use serde_json::json;

    fn edges_from_nested(tree: &Value) -> Result<Edges, String> {
        super::edges_from_nested(tree).unwrap()
    }

    fn tree(value: Value) -> Result<Taxonomy, Vec<Defect>> {
        Taxonomy::from_edges(&edges_from_nested(&value).unwrap()).unwrap()
    }

    #[test]
    fn leaves_however_they_are_written() {
        let t =
            tree(json!({"ANY": {"A": ["x", 7, {"B": ["y", true]}], "C": null, "D": {}, "E": "z"}})).unwrap();
        assert_eq!(t.leaves(), 7);
        for leaf in ["x", "7", "y", "true", "C", "D", "z"] {
            assert!(t.find(leaf).unwrap().children.is_empty(), "{leaf}");
        }
    }

    #[test]
    fn invalid_trees_are_refused() {
        assert!(edges_from_nested(&json!(["a"])).is_err());
        assert!(edges_from_nested(&json!({"a": [["b"]]})).is_err());
        assert!(edges_from_nested(&json!({"a": [null]})).is_err());
        assert_eq!(tree(json!({})), Err(vec![Defect::Empty]));
        assert_eq!(tree(json!({"a": ["x"], "b": ["y"]})).unwrap_err().len(), 2);
        assert_eq!(tree(json!({"r": {"a": ["x"], "b": ["x"]}})), Err(vec![Defect::TwoParents("x".into())]));
    }
    /// A number keeps its digits as a label, and is not rounded to a float. The parser only adds the sign of an
    /// exponent.
    #[test]
    fn numbers_keep_their_text() {
        let text = r#"{"ANY": [0.10, 1.00, 1e400, 12345678901234567890123, {"-0.0": [-0]}]}"#;
        let edges = edges_from_nested(&serde_json::from_str(text).unwrap()).unwrap();
        let labels: Vec<&str> = edges.iter().filter_map(|edge| edge.child).collect();
        assert_eq!(labels, ["ANY", "0.10", "1.00", "1e+400", "12345678901234567890123", "-0.0", "-0"]);
    }

    #[test]
    fn depth_is_limited() {
        let nested = |levels: usize, leaf: Value| (0..levels).fold(leaf, |below, _| json!({ "a": below }));
        assert!(edges_from_nested(&nested(DEEPEST, json!("leaf"))).is_ok());
        // An array also counts as a level.
        for deeper in [nested(DEEPEST + 1, json!("leaf")), nested(DEEPEST, json!([])), nested(500, json!({}))]
        {
            let fault = edges_from_nested(&deeper).unwrap_err();
            assert_eq!(fault, "objects and arrays are nested more than 100 levels deep");
        }
    }

    #[test]
    fn long_values_are_clipped() {
        let (long, shown) = ("ä".repeat(1000), "ä".repeat(SHOWN - 2));
        let fault = edges_from_nested(&json!({"a": [[long]]})).unwrap_err();
        assert_eq!(fault, format!("[\"{shown}… is not a label"));
        let fault = edges_from_nested(&json!([long])).unwrap_err();
        assert!(fault.ends_with(&format!("not [\"{shown}…")), "{fault}");
        let fault = edges_from_nested(&json!({"a": [["b"]]})).unwrap_err();
        assert_eq!(fault, "[\"b\"] is not a label");
        let fits = json!("x".repeat(SHOWN - 2));
        assert_eq!(clipped(&fits), fits.to_string());
    }
}
