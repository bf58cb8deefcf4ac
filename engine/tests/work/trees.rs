//! Taxonomies from all their input forms, and hierarchies over numbers.

use super::{Case, SWEEP};
use serde_json::{json, Value};
use std::rc::Rc;
use topdown::refine::Hierarchy;
use topdown::taxonomy::numeric::{
    breakpoints, chu, equal_frequency, equal_width, han, iotf, otf, Numeric, Values, Widths,
};
use topdown::taxonomy::rule::prefix;
use topdown::taxonomy::{edges_from_levels, edges_from_nested, Edge, Edges, Taxonomy, WideHierarchy};

/// Returns a scattered number for `i`, the same one every time.
fn scattered(i: usize) -> usize {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 20
}

/// Builds edges of leaves below `inner` nodes below a root.
pub fn edges(leaves: usize, inner: usize) -> Edges {
    let mut edges: Edges = (0..inner).map(|i| (format!("inner {i}"), Some("root"))).collect();
    for i in 0..leaves {
        let (label, parent) = (format!("leaf {}", scattered(i)), format!("inner {}", i % inner));
        let lower = scattered(i).to_string();
        let edge = Edge { lower: Some(&lower), ..Edge::new(&label, Some(&parent)) };
        edges.push(edge);
    }
    edges
}

/// Builds edges of a tree in which each level has a leaf and an inner node.
pub fn caterpillar(leaves: usize) -> Edges {
    let mut edges = Edges::default();
    for i in 0..leaves {
        let (level, below) = (format!("level {i}"), format!("level {}", i + 1));
        edges.push(Edge::new(&format!("leaf {i}"), Some(&level)));
        if i + 1 < leaves {
            edges.push(Edge::new(&below, Some(&level)));
        }
    }
    edges
}

pub fn cases(many: usize) -> Vec<Case> {
    let mut cases = taxonomies(many);
    cases.extend(numbers(many));
    cases
}

fn taxonomies(many: usize) -> Vec<Case> {
    let from_edges = |name, least, edges: Edges| Case::new(name, least, move || Taxonomy::from_edges(&edges));
    let edge = |child: usize, parent: usize| (format!("{child}"), Some(format!("{parent}")));
    let wide = Taxonomy::from_edges(&edges(many, 1)).unwrap().unwrap();
    let flat = Rc::new(Taxonomy::from_edges(&edges(many, many / 3)).unwrap().unwrap());
    let (nullable, bounded, written) = (flat.clone(), flat.clone(), flat.clone());
    let rows: Vec<Vec<Option<String>>> = (0..many)
        .map(|i| [format!("{i}"), format!("in {}", i / 10), "root".into()].map(Some).to_vec())
        .collect();
    let leaves: Vec<Value> = (0..many).map(|i| json!(i)).collect();
    let members: serde_json::Map<String, Value> =
        (0..many).map(|i| (format!("{i}"), json!([format!("leaf {i}")]))).collect();
    let (array, object) = (json!({"root": leaves}), json!({"root": members}));
    let mut no_children = Edges::default();
    (0..many).for_each(|_| no_children.push(Edge::default()));
    vec![
        from_edges("one node above all leaves", 6 * SWEEP, edges(many, 1)),
        from_edges("many inner nodes", 6 * SWEEP, edges(many, many / 3)),
        from_edges("a chain", 6 * SWEEP, (0..many).map(|i| edge(i + 1, i)).collect()),
        from_edges("a cycle", 5 * SWEEP, (0..many).map(|i| edge(i, (i + 1) % many)).collect()),
        from_edges("many roots", 5 * SWEEP, (0..many).map(|i| edge(i, i + many)).collect()),
        from_edges("two parents each", 4 * SWEEP, (0..many * 2).map(|i| edge(i % many, i)).collect()),
        from_edges("no children", SWEEP, no_children),
        Case::new("edges_from_levels", 2 * SWEEP, move || edges_from_levels(&rows)),
        Case::new("Levels", 2 * SWEEP, move || WideHierarchy::new(written.clone())?.leaves()),
        Case::new("edges_from_nested, an array", SWEEP, move || edges_from_nested(&array)),
        Case::new("edges_from_nested, an object", 2 * SWEEP, move || edges_from_nested(&object)),
        Case::new("by_rule", 6 * SWEEP, move || {
            let code = |i: usize| format!("{:012}", scattered(i));
            Taxonomy::by_rule("*", many, |i, level| prefix::label(&code(i), Some(&[3, 6, 12]), level))
        }),
        Case::new("by_taxonomy, wide", SWEEP, move || Hierarchy::by_taxonomy(&wide, false)),
        Case::new("by_taxonomy", SWEEP, move || Hierarchy::by_taxonomy(&flat, false)),
        Case::new("by_taxonomy, between depths", 3 * SWEEP, move || {
            Hierarchy::by_taxonomy(&bounded, true)?.with_depth_limits(1, Some(1))
        }),
        Case::new("by_taxonomy with NULL", SWEEP, move || Hierarchy::by_taxonomy(&nullable, true)),
        Case::new("by_suppression", SWEEP, move || Hierarchy::by_suppression(many, true)),
    ]
}

fn numbers(many: usize) -> Vec<Case> {
    let mut positions: Vec<f64> = (0..many).map(|i| (scattered(i) % (1 << 40)) as f64).collect();
    positions.sort_by(f64::total_cmp);
    positions.dedup();
    let counts = (0..positions.len()).map(|i| 1 + scattered(i) as u64 % 10).collect();
    let most = positions[positions.len() - 1];
    let values = Rc::new(Values { positions, counts });
    let case = |name, least, run: fn(&Values) -> Result<_, _>| {
        let values = values.clone();
        Case::new(name, least, move || run(&values))
    };
    let points: Vec<Vec<f64>> =
        [1, 10].map(|step| (0..many).rev().step_by(step).map(|i| i as f64 * 1e6).collect()).to_vec();
    let (for_width, for_points) = (values.clone(), values.clone());
    vec![
        case("iotf", 3 * SWEEP, iotf),
        case("otf", 3 * SWEEP, otf),
        case("chu", 6 * SWEEP, |values| chu(values, 100)),
        case("han", 3 * SWEEP, |values| han(values, 4, 5)),
        case("equal_frequency", 5 * SWEEP, |values| equal_frequency(values, 3, 10)),
        Case::new("equal_width", 5 * SWEEP, move || {
            equal_width(&for_width, &Widths { lower: 0.0, upper: most, levels: 3, fan_out: 10 })
        }),
        Case::new("breakpoints", 5 * SWEEP, move || breakpoints(&for_points, &points)),
        Case::new("Numeric::new", 3 * SWEEP, move || {
            let runs = (0..many as u32 / 10).rev().map(|i| i * 10..i * 10 + 10);
            Numeric::new(many, runs)
        }),
    ]
}
