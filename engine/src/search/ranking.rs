//! The living candidates by score, so that a step looks only at candidates whose scores it has changed.
//!
//! A score depends on the candidate's gain, and on how much it worsens the measures of the table. Most steps of a long
//! search worsen no measure, so the other candidates keep their scores. If a measure gets worse, all are ranked again.

use super::candidates::{Candidate, Candidates};
use crate::progress::check_memory;
use crate::{pace, Code, Error};
use std::collections::{BTreeMap, BTreeSet};

/// A candidate's place in the order that breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    attribute: usize,
    first: Code,
    /// Number of the candidate.
    id: usize,
}

#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// Measures of the table at the last ranking.
    current: Option<Vec<f64>>,
    /// Candidates by the bits of their scores, which have the order of the scores because no score is negative.
    by_score: BTreeMap<u64, BTreeSet<Place>>,
    /// The score of each ranked candidate.
    scores: Vec<Option<u64>>,
}

impl Ranking {
    /// Ranks the changed candidates again, or all if the measures of the table have changed. `score` returns None for a
    /// candidate that must not be performed.
    pub fn update(
        &mut self,
        candidates: &mut Candidates,
        current: &[f64],
        score: impl Fn(&Candidate) -> Option<f64>,
    ) -> Result<(), Error> {
        let changed = candidates.take_changed();
        let ids: Vec<usize> = match &self.current {
            Some(before) if before == current => changed,
            _ => {
                check_memory::<(u64, Place, usize)>(candidates.len())?;
                self.by_score.clear();
                self.scores.clear();
                self.current = Some(current.to_vec());
                candidates.in_order().map(|(id, _)| id).collect()
            }
        };
        check_memory::<(u64, Place)>(ids.len())?;
        self.scores.resize(candidates.len(), None);
        for id in ids {
            let candidate = candidates.get(id);
            pace::tick(1 + candidate.after.len())?;
            let place = Place { attribute: candidate.attribute, first: candidate.first, id };
            if let Some(before) = self.scores[id].take() {
                if let Some(places) = self.by_score.get_mut(&before) {
                    places.remove(&place);
                    if places.is_empty() {
                        self.by_score.remove(&before);
                    }
                }
            }
            if let Some(score) = candidate.alive.then(|| score(candidate)).flatten() {
                // NaN and negative zero become zero.
                let score = (score.max(0.0) + 0.0).to_bits();
                self.scores[id] = Some(score);
                self.by_score.entry(score).or_default().insert(place);
            }
        }
        Ok(())
    }

    /// Returns the first candidate, in the order that breaks ties, whose score is not worse than the best by more than
    /// rounding. `lower_bound` returns the score of a candidate with its gain lowered by the rounding error.
    pub fn best(&self, lower_bound: impl Fn(usize) -> f64) -> Option<usize> {
        let mut firsts =
            self.by_score.iter().rev().filter_map(|(&score, places)| Some((score, *places.first()?)));
        let (_, first) = firsts.next()?;
        let least = lower_bound(first.id);
        let near = firsts.take_while(|&(score, _)| f64::from_bits(score) >= least).map(|(_, place)| place);
        Some(near.fold(first, Place::min).id)
    }
}
