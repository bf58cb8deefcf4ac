//! Random queries over the masked columns of a source, and how far off their counts are over a release.
//!
//! A column that is masked by intervals is asked for ranges of its values, any other for runs of leaves in the order of its
//! tree, or for values in that of their type.

use super::input::Input;
use super::result::GeneralizedColumn;
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::read::table::Table;
use crate::terms::labels::{Bound, Ends, IntervalLabels, Labels};
use crate::terms::request::Request;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::cluster::Extent;
use topdown::measure::{Axis, Released, Shown, Workload};
use topdown::refine::{Hierarchy, Meaning};
use topdown::table::Store;
use topdown::Code;

/// Queries, and the axis of each column that they ask for.
pub(super) struct Queries {
    workload: Workload,
    columns: Vec<Column>,
}

struct Column {
    axis: Axis,
    /// The place of each leaf or value by its text, where these are what is asked for: without some rows there are fewer.
    places: Option<HashMap<String, f64>>,
}

impl Queries {
    /// Draws so many queries over what is bound.
    pub fn draw(request: &Request, input: &Input, count: usize, seed: u64) -> Result<Queries> {
        let column = |(hierarchy, labels): (&Hierarchy, &Labels)| {
            if let Some(axis) = line(hierarchy, labels) {
                return Column { axis, places: None };
            }
            let texts = texts(hierarchy, labels);
            let positions: Vec<f64> = (0..texts.len()).map(|place| place as f64).collect();
            let places = texts.into_iter().zip(positions.iter().copied()).collect();
            Column { axis: Axis { positions, unit: 1.0 }, places: Some(places) }
        };
        let columns: Vec<Column> = input.hierarchies.iter().zip(&input.labels).map(column).collect();
        let Table { records, .. } = input.table;
        let asked: Vec<(&Store, &Axis)> = (request.masked.iter().zip(&columns))
            .map(|(masked, column)| Ok((&input.table.column(masked.column)?.codes, &column.axis)))
            .collect::<Result<_>>()?;
        let workload = Workload::draw(&asked, records, input.table.weights(), count, seed)?;
        Ok(Queries { workload, columns })
    }

    /// The median error over what is released; none where there is no query.
    pub fn error(
        &self,
        input: &Input,
        columns: &[GeneralizedColumn],
        released: &[Released],
        by_group: bool,
    ) -> Result<Option<f64>> {
        let shown =
            columns.iter().zip(&self.columns).map(|(released, column)| column.shown(released, by_group));
        let shown: Vec<(Released, Vec<Shown>)> = released.iter().copied().zip(shown).collect();
        let mut errors = self.workload.errors(&shown, input.table.records, input.table.weights())?;
        errors.sort_unstable_by(f64::total_cmp);
        Ok(errors.get(errors.len() / 2).copied())
    }
}

impl Column {
    /// What each released value of a column shows.
    fn shown(&self, released: &GeneralizedColumn, by_group: bool) -> Vec<Shown> {
        let GeneralizedColumn { bound, cut, .. } = released;
        let ends = self.axis.positions.first().zip(self.axis.positions.last());
        let whole = ends.map(|(&first, &last)| (first, last + self.axis.unit));
        match (&bound.labels, &self.places) {
            (Labels::Intervals(intervals), None) => {
                polled(cut).map(|extent| self.interval(bound, intervals, extent, whole)).collect()
            }
            (labels, places) => {
                let texts = texts(&bound.hierarchy, labels);
                let place = |code: Code| places.as_ref()?.get(texts.get(code as usize)?).copied();
                let places: Vec<Option<f64>> = (0..texts.len() as Code).map(place).collect();
                polled(cut).map(|extent| leaves(bound, cut, extent, (&places, whole), by_group)).collect()
            }
        }
    }

    /// Of an interval from one end to the other, open ones being those of the data.
    fn interval(
        &self,
        bound: &Bound,
        intervals: &IntervalLabels,
        extent: &Extent,
        whole: Option<(f64, f64)>,
    ) -> Shown {
        let position = |end: Option<Datum>| end.and_then(|end| intervals.ty.position(end));
        let (ends, closed) = match extent {
            Extent::Node(id) => {
                let node = bound.hierarchy.node(*id);
                match node.meaning {
                    Meaning::Null => return Shown::new(),
                    Meaning::Interval => {
                        let Ends { lower, upper, closed } = intervals.ends(*id, node);
                        ((lower, upper), closed)
                    }
                    _ => ((None, None), false),
                }
            }
            extent => (bound.bounds(extent), true),
        };
        let Some((least, end)) = whole else { return Shown::new() };
        let upper = position(ends.1).map(|upper| if closed { upper + self.axis.unit } else { upper });
        let from = position(ends.0).unwrap_or(least);
        vec![(from, upper.unwrap_or(end).max(from))]
    }
}

/// Of a node the leaves below it, one beside the other; of a `*` that values were disclosed out of the others.
fn leaves(
    bound: &Bound,
    cut: &[Extent],
    extent: &Extent,
    (places, whole): (&[Option<f64>], Option<(f64, f64)>),
    by_group: bool,
) -> Shown {
    let all = || whole.into_iter().collect();
    let codes = match extent {
        Extent::Any => return all(),
        Extent::Ranks(ranks) => *ranks.start()..*ranks.end() + 1,
        Extent::Node(id) => {
            let node = bound.hierarchy.node(*id);
            match node.meaning {
                Meaning::Null => return Shown::new(),
                Meaning::Any if by_group || !bound.hierarchy.is_suppression() => return all(),
                Meaning::Any => return others(bound, cut, places, whole),
                _ => node.codes.clone(),
            }
        }
    };
    let mut within = codes.filter_map(|code| places.get(code as usize).copied().flatten());
    let first = within.next();
    let last = within.next_back().or(first);
    first.zip(last).map(|(first, last)| (first, last + 1.0)).into_iter().collect()
}

/// What is left between disclosed values.
fn others(bound: &Bound, cut: &[Extent], places: &[Option<f64>], whole: Option<(f64, f64)>) -> Shown {
    let disclosed = |extent: &Extent| match extent {
        Extent::Node(id) if bound.hierarchy.node(*id).meaning == Meaning::Value => {
            places[bound.hierarchy.node(*id).codes.start as usize]
        }
        _ => None,
    };
    let mut disclosed: Vec<f64> = polled(cut).filter_map(disclosed).collect();
    disclosed.sort_unstable_by(f64::total_cmp);
    let Some((mut from, end)) = whole else { return Shown::new() };
    let mut spans = Shown::new();
    for place in disclosed.into_iter().chain([end]) {
        if place > from {
            spans.push((from, place));
        }
        from = place + 1.0;
    }
    spans
}

/// Where the values of intervals lie, if all lie somewhere.
fn line(hierarchy: &Hierarchy, labels: &Labels) -> Option<Axis> {
    let Labels::Intervals(intervals) = labels else { return None };
    let positions = &hierarchy.domain()?.positions;
    let lie = intervals.ty.is_measurable() && polled(positions).all(|position| position.is_finite());
    let unit = if intervals.ty.is_whole() { 1.0 } else { 0.0 };
    lie.then(|| Axis { positions: polled(positions).copied().collect(), unit })
}

/// What each leaf or value is called, NULL left out.
fn texts(hierarchy: &Hierarchy, labels: &Labels) -> Vec<String> {
    match labels {
        Labels::Values(texts) => polled(texts).cloned().collect(),
        Labels::Intervals(intervals) => {
            polled(&intervals.values).map(|&value| intervals.ty.text(value)).collect()
        }
        Labels::Taxonomy(taxonomy, _) => {
            let codes = hierarchy.node(hierarchy.own_top()).codes.clone();
            let mut texts = vec![String::new(); codes.len()];
            for (node, label) in polled(taxonomy.nodes().iter().zip(taxonomy.labels())) {
                if node.children.is_empty() {
                    texts[node.leaves.start as usize] = label.to_string();
                }
            }
            texts
        }
    }
}
