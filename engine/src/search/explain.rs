//! Why a release is no more specific: for each node of the cut, what kept it from being refined further.
//!
//! The steps are performed again with all records carried along, and then the search surveys what it could do next, as it
//! does before its first step. So what is told is what the search itself sees: a node whose candidate lives could be
//! refined, and stays because somebody stopped the search; one whose candidate has died would break a model. How far
//! off that is no search counts, because it drops a candidate at the first group that breaks it: so the groups that
//! the refinement would make are counted once more, all of them, and of the models that they break the one is told of that
//! breaks in most rows.

use super::parts::has_rows;
use super::recorded::Refinement;
use super::state::{Model, State};
use super::Search;
use crate::privacy::GroupCounts;
use crate::progress::room;
use crate::refine::interval::SplitChooser;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::utility::BestSplit;
use crate::{pace, Code, Error};

/// A node of a cut, and why it stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The column.
    pub attribute: usize,
    /// The node.
    pub node: NodeId,
    /// How it would be refined: an interval at its best point (by local recoding, where a model would break, at
    /// the point that halves its rows best), `*` by the value that the reason is about (by local recoding, with
    /// those that would be disclosed at once with it). None if it cannot be refined.
    pub refinement: Option<Refinement>,
    /// Why it is not: by local recoding, of the group that is nearest to being refined, of several the first.
    pub reason: Reason,
    /// By local recoding, how many groups that is the reason of.
    pub groups: Option<u64>,
}

/// Why a node of a cut was not refined further.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// No row is released as it.
    Unused,
    /// Nothing is more specific: a leaf, a single value, one that was disclosed.
    Leaf,
    /// It is as specific as is allowed.
    Finest,
    /// By local recoding, it is of a column that is shown: it would have to be refined in all groups at once.
    Shown,
    /// None of the points that may become ends lies between its values.
    NoPoint,
    /// All its rows are of one class.
    OneClass,
    /// A model would break.
    Breaks(Shortfall),
    /// It would tell nothing of the class that the rest of the release does not tell, in bits a row.
    TellsNothing {
        /// What it tells, less what it would tell by chance.
        gain: f64,
    },
    /// Nothing: the search would go on.
    Open,
}

impl Reason {
    /// How far off a refinement is, where a model would break.
    pub fn shortfall(&mut self) -> Option<&mut Shortfall> {
        match self {
            Reason::Breaks(shortfall) => Some(shortfall),
            _ => None,
        }
    }
}

/// How far a refinement is from what a model asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// The model that would break in most rows.
    pub model: usize,
    /// Its worst measure of the groups that there would be.
    pub achieved: f64,
    /// How many of these groups break it.
    pub broken: u64,
    /// How many there would be.
    pub groups: u64,
    /// The rows in those that break it: so many at least would have to be withheld.
    pub rows: u64,
    /// How many rows may be withheld still, where any may.
    pub left: Option<u64>,
}

impl Search {
    /// Why each node of the cuts is not refined further.
    pub(super) fn explain(&mut self) -> Result<Vec<Explained>, Error> {
        self.survey()?;
        let mut nodes = Vec::new();
        for attribute in 0..self.state.columns.len() {
            let cut = pace::collect(self.state.columns[attribute].cut.nodes())?;
            for node in cut {
                let (refinement, reason) = self.why(attribute, node)?;
                nodes.push(Explained { attribute, node, refinement, reason, groups: None });
            }
        }
        Ok(nodes)
    }

    /// Why a node of the cut is not refined, and how it would be.
    fn why(&mut self, attribute: usize, node: NodeId) -> Result<(Option<Refinement>, Reason), Error> {
        let State { columns, utility, .. } = &self.state;
        let column = &columns[attribute];
        let of_interval = column.hierarchy.is_interval(node);
        let records = match &column.suppressed {
            Some(_) if node != TOP => return Ok((None, Reason::Leaf)),
            Some(suppressed) => suppressed.clone(),
            None => column.histogram.counts(column.hierarchy.node(node).codes.clone())?,
        };
        if records.records() == 0 {
            return Ok((None, Reason::Unused));
        }
        if column.hierarchy.is_leaf(node) {
            return Ok((None, Reason::Leaf));
        }
        if !column.hierarchy.may_refine(node) {
            return Ok((None, Reason::Finest));
        }
        if !utility.beneficial(&records) {
            return Ok((None, Reason::OneClass));
        }
        if column.suppressed.is_some() {
            return self.why_suppressed(attribute);
        }
        let refinement =
            if of_interval { self.split_of(attribute, node)? } else { Some(Refinement::Specialize) };
        let Some(refinement) = refinement else { return Ok((None, Reason::NoPoint)) };
        let reason = match self.candidates.living(attribute, node) {
            Some(id) => self.of_living(id),
            None => self.of_dead(attribute, node, &refinement)?,
        };
        Ok((Some(refinement).filter(|_| reason != Reason::Unused), reason))
    }

    /// Where an interval would be split: where its candidate would, or at the best of all points.
    fn split_of(&self, attribute: usize, node: NodeId) -> Result<Option<Refinement>, Error> {
        let State { columns, utility, split, .. } = &self.state;
        let column = &columns[attribute];
        let refined = column.hierarchy.node(node);
        let chosen = self.candidates.living(attribute, node).and_then(|id| self.splits.chosen(id));
        let at = match (refined.children.get(1), column.hierarchy.domain()) {
            (Some(&right), _) => Some(column.hierarchy.node(right).codes.start),
            (None, Some(domain)) if chosen.is_none() => {
                let split = BestSplit { utility: *utility, histogram: &column.histogram, split: *split };
                split.choose(domain, refined.codes.clone())?
            }
            _ => chosen,
        };
        Ok(at.map(Refinement::split))
    }

    /// The reason for `*`: that of a living candidate, of one that may be performed if there is one. Without
    /// any, that of the most frequent value which some released row holds.
    fn why_suppressed(&mut self, attribute: usize) -> Result<(Option<Refinement>, Reason), Error> {
        let State { columns, .. } = &self.state;
        let column = &columns[attribute];
        room::<Code>(column.hierarchy.codes())?;
        let is_suppressed = |&code: &Code| {
            !column.cut.contains(Hierarchy::disclosed(code)) && column.histogram.records(code) > 0
        };
        let mut codes = pace::collect((0..column.hierarchy.codes() as Code).filter(is_suppressed))?;
        let of_most_rows =
            |a: &Code, b: &Code| (column.histogram.records(*b), *a).cmp(&(column.histogram.records(*a), *b));
        pace::sort_by(&mut codes, of_most_rows)?;
        let mut living: Option<(f64, usize, Code)> = None;
        for &code in &codes {
            pace::tick(1)?;
            let Some(id) = self.candidates.living(attribute, Hierarchy::disclosed(code)) else { continue };
            // What may be performed is told before what may not.
            let gain = self.gain_of(id).min(0.0);
            if living.is_none_or(|(most, ..)| gain > most) {
                living = Some((gain, id, code));
            }
        }
        if let Some((_, id, code)) = living {
            return Ok((Some(Refinement::disclose(code)), self.of_living(id)));
        }
        for code in codes {
            let refinement = Refinement::disclose(code);
            match self.of_dead(attribute, TOP, &refinement)? {
                Reason::Unused => {}
                reason => return Ok((Some(refinement), reason)),
            }
        }
        Ok((None, Reason::Unused))
    }

    /// What the score takes for the gain of a living candidate.
    fn gain_of(&self, id: usize) -> f64 {
        self.state.gain(self.candidates.get(id), self.candidates.gain(id))
    }

    fn of_living(&self, id: usize) -> Reason {
        match self.gain_of(id) {
            gain if gain < 0.0 => Reason::TellsNothing { gain },
            _ => Reason::Open,
        }
    }

    /// What a refinement that is no candidate would break.
    fn of_dead(&mut self, attribute: usize, node: NodeId, refinement: &Refinement) -> Result<Reason, Error> {
        let column = &mut self.state.columns[attribute];
        match refinement {
            Refinement::Specialize | Refinement::SplitOff { .. } => column.assign_parts(node)?,
            Refinement::Split { at, .. } => {
                let codes = column.hierarchy.node(node).codes.clone();
                column.assign_halves(&codes, *at)?;
            }
            Refinement::Disclose { codes } => {
                codes.iter().for_each(|&code| column.part_of_code[code as usize] = 1)
            }
        }
        let shortfall = self.shortfall(attribute, node)?;
        if let Refinement::Disclose { codes } = refinement {
            codes.iter().for_each(|&code| self.state.columns[attribute].part_of_code[code as usize] = 0);
        }
        // If no model breaks, no group was counted: all rows of the node are withheld.
        Ok(shortfall.map_or(Reason::Unused, Reason::Breaks))
    }

    /// Counts all groups that a refinement would make. The codes of its column are assigned to the parts.
    fn shortfall(&mut self, attribute: usize, node: NodeId) -> Result<Option<Shortfall>, Error> {
        let State { models, columns, indexes, tallies, withheld, .. } = &mut self.state;
        let left = withheld.as_ref().map(|withheld| withheld.left());
        let mut shortfalls = Shortfalls::none(models, left);
        for (index, tally) in indexes.iter().zip(tallies) {
            let Some(place) = index.partition.place(attribute) else { continue };
            for &group in index.partition.linked(place, node) {
                pace::tick(1)?;
                if index.partition.node(group, place) != node {
                    continue;
                }
                index.partition.tally(group, place, Some(&columns[attribute].part_of_code), tally)?;
                for &part in &tally.touched {
                    let records = u64::from(tally.records[part as usize]);
                    shortfalls.add(index.groups(tally, part), records)?;
                }
            }
        }
        Ok(shortfalls.worst())
    }
}

/// What each model lacks over the groups that a refinement would make.
pub(super) struct Shortfalls<'m> {
    models: &'m [Model],
    all: Vec<Shortfall>,
}

impl<'m> Shortfalls<'m> {
    /// Of no groups yet; `left` is how many rows may be withheld still.
    pub(super) fn none(models: &'m [Model], left: Option<u64>) -> Shortfalls<'m> {
        let nothing = |(model, of): (usize, &Model)| Shortfall {
            model,
            achieved: of.model.direction().best(),
            broken: 0,
            groups: 0,
            rows: 0,
            left,
        };
        Shortfalls { models, all: models.iter().enumerate().map(nothing).collect() }
    }

    /// A group, as each model counts it.
    pub(super) fn add<'g>(
        &mut self,
        groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
        records: u64,
    ) -> Result<(), Error> {
        for (m, counts) in groups.filter(has_rows) {
            let (of, shortfall) = (&self.models[m], &mut self.all[m]);
            if of.redundant.is_some() {
                continue;
            }
            let (mut few, mut many) = Default::default();
            let measures = of.measure(counts, &mut few, &mut many)?;
            let model = &of.model;
            let broken = !measures.iter().all(|&measure| model.holds(measure));
            shortfall.groups += 1;
            shortfall.broken += u64::from(broken);
            shortfall.rows += if broken { records } else { 0 };
            let direction = model.direction();
            shortfall.achieved = measures.iter().fold(shortfall.achieved, |a, &b| direction.worse(a, b));
        }
        Ok(())
    }

    /// That of the model that breaks in most rows, the first of several; none, if all hold.
    pub(super) fn worst(self) -> Option<Shortfall> {
        let broken = self.all.into_iter().filter(|shortfall| shortfall.broken > 0);
        broken.reduce(|worst, other| if other.rows > worst.rows { other } else { worst })
    }
}
