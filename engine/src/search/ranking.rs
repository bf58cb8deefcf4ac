//! The living candidates by their scores, so that a step looks at those alone whose scores it has changed.
//!
//! A score follows from what the candidate gains and from how much it worsens the measures of the table. Most steps of a long search
//! worsen none of these, and leave all other candidates their scores. Where one is worse, all are ranked anew.

use super::candidates::{Candidate, Candidates};
use crate::progress::room;
use crate::{pace, Code, Error};
use std::collections::{BTreeMap, BTreeSet};

/// Where a candidate stands among those with its score, and which it is.
type Place = (usize, Code, usize);

#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// The measures of the table by which they were ranked.
    current: Option<Vec<f64>>,
    /// By score: these are never below zero, and so ordered as their bits are.
    by_score: BTreeMap<u64, BTreeSet<Place>>,
    /// The score of each candidate that stands here.
    scores: Vec<Option<u64>>,
}

impl Ranking {
    /// Takes in what has changed: some candidates, or the measures of the table and so all of them. `score` has no score for what
    /// is not to be performed.
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
                room::<(u64, Place, usize)>(candidates.len())?;
                self.by_score.clear();
                self.scores.clear();
                self.current = Some(current.to_vec());
                candidates.in_order().map(|(id, _)| id).collect()
            }
        };
        room::<(u64, Place)>(ids.len())?;
        self.scores.resize(candidates.len(), None);
        for id in ids {
            let candidate = candidates.get(id);
            pace::tick(1 + candidate.after.len())?;
            let place = (candidate.attribute, candidate.first, id);
            if let Some(before) = self.scores[id].take() {
                if let Some(places) = self.by_score.get_mut(&before) {
                    places.remove(&place);
                    if places.is_empty() {
                        self.by_score.remove(&before);
                    }
                }
            }
            if let Some(score) = candidate.alive.then(|| score(candidate)).flatten() {
                // What is no number is no score, and a zero has one form.
                let score = (score.max(0.0) + 0.0).to_bits();
                self.scores[id] = Some(score);
                self.by_score.entry(score).or_default().insert(place);
            }
        }
        Ok(())
    }

    /// The best, and the first of those that are not `surely` worse: rounding breaks no ties.
    pub fn best(&self, surely: impl Fn(usize) -> f64) -> Option<usize> {
        let mut firsts =
            self.by_score.iter().rev().filter_map(|(&score, places)| Some((score, *places.first()?)));
        let (_, first) = firsts.next()?;
        let least = surely(first.2);
        let near = firsts.take_while(|&(score, _)| f64::from_bits(score) >= least).map(|(_, place)| place);
        Some(near.fold(first, Place::min).2)
    }
}
