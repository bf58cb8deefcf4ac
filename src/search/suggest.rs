//! release_suggest: the ways there are to search are tried on one reading of the source, and ranked by how far off
//! counts are over what each would release.
//!
//! The ways are tried in the order of what they mostly take, so that what the statement has no time for is what takes longest.
//! Then the best global and local way, and all with clusters, are tried with weights: one column after the other counts less, and stays
//! so if that lowers how far off counts are, times what is lost. Which weights these are is chosen by other queries than those whose errors are told.

use super::input::Input;
use super::rows::{Exclusions, Rows};
use super::tried::{try_search, Drawn, Tried};
use super::withheld::most;
use super::{read, SearchMode};
use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{tell, Result};
use crate::postgres::progress::Deadline;
use crate::postgres::subtransaction::attempt;
use crate::read::source::Source;
use crate::terms::arguments::Arguments;
use crate::terms::calls::word;
use crate::terms::masking::{masking, Weighted};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::{Call, Masked, Request};
use crate::terms::words::{Recoding, Score, Split};
use std::cmp::Reverse;
use std::time::Instant;

/// Counts that are off by so little more are as good: relatively, and absolutely.
const AS_GOOD: (f64, f64) = (0.05, 0.005);

/// How much a column counts that counts less.
const LESS: f64 = 0.25;

/// So many columns of a way are tried with it, those first that are refined most often: the others take little from them.
const fn columns_weighed(recoding: Recoding) -> usize {
    match recoding {
        Recoding::Global | Recoding::Local => 8,
        // A clustering takes longer than other searches.
        Recoding::Clustered => 4,
    }
}

/// A way to search, and what came of it.
#[derive(Debug)]
pub struct Suggestion {
    /// The arguments of the call.
    pub arguments: Arguments,
    pub tried: Tried,
    /// For the search.
    pub seconds: f64,
}

impl Suggestion {
    /// How far off counts are, times what is lost.
    fn cost(&self) -> f64 {
        self.tried.choosing_error.unwrap_or(0.0) * self.tried.certainty_loss
    }
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
    /// Those of the call, and this way.
    fn arguments(&self, arguments: &Arguments, max_withhold: f64) -> Arguments {
        let Way { recoding, score, split, .. } = *self;
        let withhold = if self.withholds { max_withhold } else { 0.0 };
        Arguments { recoding, score, split, withhold, ..arguments.clone() }
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
    let by = |way: &Way| way.arguments(&call.arguments, max_withhold);
    let mut first = Request::new(Call { arguments: by(&WAYS[0]), ..call.clone() })?;
    floor(&mut first)?;
    let Request { source, arguments: Arguments { privacy: models, .. }, masked, .. } = first;
    let asks = Asks { call, source, models };
    // What is wrong with another is its way: what all have in common is checked.
    let request = |way| asks.request(by(way)).ok().map(|request| (way, request));
    let requests: Vec<(&Way, Request)> = WAYS.iter().filter(asked).filter_map(request).collect();
    // Clusters need every row, and are tried last.
    let Some((_, last)) = requests.last() else { return Ok(Vec::new()) };
    let mut rows = read(last, Exclusions::default())?;
    rows.left = None;
    let deadline = Deadline::of_statement();
    let mut trials = Trials { asks: &asks, rows, bound: None, drawn: None };
    let (mut tried, mut left_out) = (Vec::new(), Vec::new());
    for (way, request) in &requests {
        if deadline.has_passed() {
            left_out.push(format!("{}: statement_timeout leaves no time for it", way.name()));
            continue;
        }
        match attempt(|| trials.one(request)) {
            Ok(one) => tried.push(one),
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
    let mut ranked = ranking(tried);
    // Which split suits clusters is known only with the weights.
    let is_best = |at: usize, recoding| {
        recoding == Recoding::Clustered || ranked[..at].iter().all(|one| one.arguments.recoding != recoding)
    };
    let best = ranked.iter().enumerate().filter(|(at, one)| is_best(*at, one.arguments.recoding));
    let weighed: Vec<Suggestion> = best.filter_map(|(_, best)| trials.weighed(best, &masked)).collect();
    drop(deadline);
    if !left_out.is_empty() {
        tell(format!("{} of {} ways were left out", left_out.len(), requests.len()), left_out.join("; "));
    }
    ranked.extend(weighed);
    Ok(ranking(ranked))
}

/// By how far off counts are; of those that are about as good the one that loses least comes first. Of several ways to the same
/// release the one that was tried first is told.
fn ranking(all: Vec<Suggestion>) -> Vec<Suggestion> {
    let error = |one: &Suggestion| one.tried.query_error.unwrap_or(0.0);
    let mut tried: Vec<Suggestion> = Vec::with_capacity(all.len());
    for one in all {
        if !tried.iter().any(|other| other.tried.is_same_release(&one.tried)) {
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

/// What is asked for, in whichever way.
struct Asks<'a> {
    call: &'a Call,
    source: Source,
    /// With those that every release has to keep.
    models: Vec<privacy_model>,
}

impl Asks<'_> {
    fn request(&self, arguments: Arguments) -> Result<Request> {
        let mut request = Request::over(self.source.clone(), Call { arguments, ..self.call.clone() })?;
        request.arguments.privacy = self.models.clone();
        Ok(request)
    }
}

/// What the trials share.
struct Trials<'a> {
    asks: &'a Asks<'a>,
    rows: Rows,
    /// What was bound last, and whether for groups that are refined one at a time.
    bound: Option<(bool, Input)>,
    drawn: Option<Drawn>,
}

impl Trials<'_> {
    /// What comes of a request, and the seconds that its search takes.
    fn one(&mut self, request: &Request) -> Result<Suggestion> {
        let models = &request.arguments.privacy;
        let (tried, start);
        if request.arguments.withhold > 0.0 {
            let rows = Rows { left: most(request, self.rows.table.rows), ..self.rows.copy()? };
            let input = Input::new(request, rows)?;
            activity::enter(Phase::Searching);
            start = Instant::now();
            let mut input = input.withhold(request, models, &SearchMode::First)?;
            tried = try_search(request, &mut input, models, self.drawn.as_ref())?;
        } else {
            let by_group = request.arguments.recoding.is_by_group();
            let input = match self.bound.take().filter(|(bound, _)| *bound == by_group) {
                Some((_, input)) => input,
                None => Input::new(request, self.rows.copy()?)?,
            };
            let (_, input) = self.bound.insert((by_group, input));
            if self.drawn.is_none() {
                self.drawn = Some(Drawn::of(request, input)?);
            }
            activity::enter(Phase::Searching);
            start = Instant::now();
            tried = try_search(request, input, models, self.drawn.as_ref())?;
        }
        let privacy = self.asks.call.arguments.privacy.clone();
        let arguments = Arguments { privacy, ..request.arguments.clone() };
        Ok(Suggestion { arguments, tried, seconds: start.elapsed().as_secs_f64() })
    }

    /// The same way, but for columns that count less, where that costs less by more than chance; none where none does. What the
    /// caller has weighted stays as it is. A search that fails, as where the time of the statement is over, is the last one.
    fn weighed(&mut self, first: &Suggestion, masked: &[Masked]) -> Option<Suggestion> {
        let mut columns: Vec<(usize, &masking)> =
            first.tried.refined.iter().copied().zip(masked.iter().map(|masked| &masked.by)).collect();
        columns.retain(|(refined, by)| *refined > 0 && by.demands().weight.is_none());
        columns.sort_by_key(|(refined, _)| Reverse(*refined));
        let mut best: Option<Suggestion> = None;
        for (_, by) in columns.into_iter().take(columns_weighed(first.arguments.recoding)) {
            let before = best.as_ref().unwrap_or(first);
            if before.cost() == 0.0 {
                break;
            }
            let mut arguments = before.arguments.clone();
            arguments.masking.retain(|other| other.column_name() != by.column_name());
            arguments.masking.push(Weighted { masking: Box::new(by.clone()), weight: LESS }.into());
            let Ok(one) = attempt(|| self.one(&self.asks.request(arguments)?)) else {
                self.bound = None;
                break;
            };
            if one.cost() < before.cost() * (1.0 - AS_GOOD.0) {
                best = Some(one);
            }
        }
        best
    }
}
