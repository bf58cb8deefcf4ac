//! Nested JSON (`{"ANY": {"Secondary": ["9th", "10th"], "University": [...]}}`) to edges.
//!
//! An object's keys are inner nodes, an array's members are leaves or further objects; what has
//! nothing below it is a leaf, however it is written.

use super::Edge;
use serde_json::Value;

/// The edges of a nested taxonomy, or what cannot be read as one.
pub fn edges_from_nested(tree: &Value) -> Result<Vec<Edge>, String> {
    let mut edges = Vec::new();
    match tree {
        Value::Object(_) => walk(tree, None, &mut edges)?,
        other => return Err(format!("an object with the root as its only key is expected, not {other}")),
    }
    Ok(edges)
}

fn walk(tree: &Value, parent: Option<&str>, edges: &mut Vec<Edge>) -> Result<(), String> {
    let mut leaf = |label: String| edges.push(Edge::new(label, parent.map(String::from)));
    match tree {
        Value::Null => {}
        Value::String(label) => leaf(label.clone()),
        Value::Bool(label) => leaf(label.to_string()),
        Value::Number(label) => leaf(label.to_string()),
        Value::Array(members) => {
            for member in members {
                if matches!(member, Value::Null | Value::Array(_)) {
                    return Err(format!("{member} is not a label"));
                }
                walk(member, parent, edges)?;
            }
        }
        Value::Object(members) => {
            for (label, below) in members {
                edges.push(Edge::new(label.as_str(), parent.map(String::from)));
                walk(below, Some(label), edges)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::{Problem, Taxonomy};
    use serde_json::json;

    fn tree(value: Value) -> Result<Taxonomy, Vec<Problem>> {
        Taxonomy::from_edges(&edges_from_nested(&value).unwrap())
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
    fn what_is_no_tree() {
        assert!(edges_from_nested(&json!(["a"])).is_err());
        assert!(edges_from_nested(&json!({"a": [["b"]]})).is_err());
        assert!(edges_from_nested(&json!({"a": [null]})).is_err());
        assert_eq!(tree(json!({})), Err(vec![Problem::Empty]));
        assert_eq!(tree(json!({"a": ["x"], "b": ["y"]})).unwrap_err().len(), 2);
        assert_eq!(tree(json!({"r": {"a": ["x"], "b": ["x"]}})), Err(vec![Problem::TwoParents("x".into())]));
    }
}
