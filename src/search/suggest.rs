//! release_suggest: the ways there are to search are tried on one reading of the source, and ranked by how far off
//! counts are over what each would release.
//!
//! The ways are tried in the order of what they mostly take, so that what the statement has no time for is what takes longest.

use super::input::Input;
use super::queries::Queries;
use super::rows::{Exclusions, Rows};
use super::tried::{try_search, Tried};
use super::withheld::most;
use super::{read, SearchMode};
use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{tell, Result};
use crate::postgres::progress::Deadline;
use crate::postgres::subtransaction::attempt;
use crate::terms::arguments::Arguments;
use crate::terms::asked::{QUERIES, SEED};
use crate::terms::calls::word;
use crate::terms::request::{Call, Request};
use crate::terms::words::{Recoding, Score, Split};
use std::time::Instant;

/// Counts that are off by so little more are as good: relatively, and absolutely.
const AS_GOOD: (f64, f64) = (0.05, 0.005);

/// A way to search, and what came of it.
#[derive(Debug)]
pub struct Suggestion {
    /// The arguments of the call.
    pub arguments: Arguments,
    pub tried: Tried,
    /// For the search.
    pub seconds: f64,
}

/// A way to search: how, whether with a class alone, and whether with rows withheld.
struct Way {
    recoding: Recoding,
    score: Score,
    split: Split,
    for_class: bool,
    withholds: bool,
}

/// As the papers have it first, then what takes longer.
const WAYS: [Way; 11] = {
    use Recoding::{Clustered, Global, Local};
    use Score::{Conditional, Tds};
    use Split::{Median, Optimal, Valid};
    const fn way(recoding: Recoding, score: Score, split: Split) -> Way {
        Way { recoding, score, split, for_class: matches!(score, Conditional), withholds: false }
    }
    [
        way(Global, Tds, Optimal),
        way(Global, Tds, Valid),
        way(Global, Tds, Median),
        way(Global, Conditional, Valid),
        way(Local, Tds, Valid),
        way(Local, Tds, Median),
        Way { withholds: true, ..way(Global, Tds, Valid) },
        Way { withholds: true, ..way(Global, Tds, Median) },
        Way { withholds: true, ..way(Global, Conditional, Valid) },
        way(Clustered, Tds, Valid),
        way(Clustered, Tds, Median),
    ]
};

impl Way {
    /// The call by this way.
    fn call(&self, call: &Call, max_withhold: f64) -> Call {
        let Way { recoding, score, split, .. } = *self;
        let withhold = if self.withholds { max_withhold } else { 0.0 };
        let arguments = Arguments { recoding, score, split, withhold, ..call.arguments.clone() };
        Call { arguments, ..call.clone() }
    }

    fn is_asked(&self, arguments: &Arguments, max_withhold: f64) -> bool {
        (arguments.class.is_some() || !self.for_class) && (max_withhold > 0.0 || !self.withholds)
    }

    fn name(&self) -> String {
        let Way { recoding, score, split, .. } = self;
        let withheld = if self.withholds { ", rows withheld" } else { "" };
        format!("{} ({}, {}{withheld})", recoding.word(), word(score), word(split))
    }
}

/// Tries the ways to search, the best first; `floor` adds what every release has to keep.
pub fn suggest(
    call: &Call,
    max_withhold: f64,
    floor: impl Fn(&mut Request) -> Result<()>,
) -> Result<Vec<Suggestion>> {
    let asked = |way: &&Way| way.is_asked(&call.arguments, max_withhold);
    let first = Request::new(WAYS[0].call(call, max_withhold))?;
    let source = first.source.clone();
    let mut models = first;
    floor(&mut models)?;
    let models = models.arguments.privacy;
    // What is wrong with another is its way: what all have in common is checked.
    let request = |way| {
        let mut request = Request::over(source.clone(), Way::call(way, call, max_withhold)).ok()?;
        request.arguments.privacy = models.clone();
        Some((way, request))
    };
    let requests: Vec<(&Way, Request)> = WAYS.iter().filter(asked).filter_map(request).collect();
    // Clusters need every row, and are tried last.
    let Some((_, last)) = requests.last() else { return Ok(Vec::new()) };
    let mut rows = read(last, Exclusions::default())?;
    rows.left = None;
    let deadline = Deadline::of_statement();
    let mut trials = Trials { rows, bound: None, queries: None };
    let (mut tried, mut left_out) = (Vec::new(), Vec::new());
    for (way, request) in &requests {
        if deadline.has_passed() {
            left_out.push(format!("{}: statement_timeout leaves no time for it", way.name()));
            continue;
        }
        match attempt(|| trials.one(way, request)) {
            Ok((one, seconds)) => {
                let arguments =
                    Arguments { privacy: call.arguments.privacy.clone(), ..request.arguments.clone() };
                tried.push(Suggestion { arguments, tried: one, seconds });
            }
            Err(fault) if tried.is_empty() && !deadline.has_passed() => return Err(fault),
            Err(_) if deadline.has_passed() => {
                left_out.push(format!("{}: statement_timeout leaves no time for it", way.name()));
            }
            Err(fault) => {
                trials.bound = None;
                left_out.push(format!("{}: {}", way.name(), fault.message()));
            }
        }
    }
    drop(deadline);
    if !left_out.is_empty() {
        tell(format!("{} of {} ways were left out", left_out.len(), requests.len()), left_out.join("; "));
    }
    Ok(ranked(tried))
}

/// By how far off counts are; of those that are about as good the one that loses least comes first. Of several ways to the same
/// release the one that was tried first is told.
fn ranked(all: Vec<Suggestion>) -> Vec<Suggestion> {
    let error = |one: &Suggestion| one.tried.query_error.unwrap_or(0.0);
    let mut tried: Vec<Suggestion> = Vec::with_capacity(all.len());
    for one in all {
        if !tried.iter().any(|other| other.tried == one.tried) {
            tried.push(one);
        }
    }
    tried.sort_by(|a, b| error(a).total_cmp(&error(b)));
    let mut ranked = Vec::with_capacity(tried.len());
    while let Some(first) = tried.first() {
        let as_good = error(first) + AS_GOOD.1.max(error(first) * AS_GOOD.0);
        let loss = |(_, one): &(usize, &Suggestion)| one.tried.certainty_loss;
        let alike = tried.iter().enumerate().take_while(|(_, one)| error(one) <= as_good);
        let best = alike.min_by(|a, b| loss(a).total_cmp(&loss(b))).map_or(0, |(at, _)| at);
        ranked.push(tried.remove(best));
    }
    ranked
}

/// What the trials share.
struct Trials {
    rows: Rows,
    /// What was bound last, and whether for groups that are refined one at a time.
    bound: Option<(bool, Input)>,
    queries: Option<Queries>,
}

impl Trials {
    /// What comes of a way, and the seconds that its search takes.
    fn one(&mut self, way: &Way, request: &Request) -> Result<(Tried, f64)> {
        let models = &request.arguments.privacy;
        if way.withholds {
            let rows = Rows { left: most(request, self.rows.table.rows), ..self.rows.copy()? };
            let input = Input::new(request, rows)?;
            activity::enter(Phase::Searching);
            let start = Instant::now();
            let mut input = input.withhold(request, models, &SearchMode::First)?;
            let tried = try_search(request, &mut input, models, self.queries.as_ref())?;
            return Ok((tried, start.elapsed().as_secs_f64()));
        }
        let by_group = way.recoding.is_by_group();
        let input = match self.bound.take().filter(|(bound, _)| *bound == by_group) {
            Some((_, input)) => input,
            None => Input::new(request, self.rows.copy()?)?,
        };
        let (_, input) = self.bound.insert((by_group, input));
        if self.queries.is_none() {
            self.queries = Some(Queries::draw(request, input, QUERIES, SEED)?);
        }
        activity::enter(Phase::Searching);
        let start = Instant::now();
        let tried = try_search(request, input, models, self.queries.as_ref())?;
        Ok((tried, start.elapsed().as_secs_f64()))
    }
}
