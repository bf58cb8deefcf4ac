//! tds_tradeoff: the same search for several k, over a source that is read once.

use super::input::Input;
use super::read;
use super::rows::Exclusions;
use super::tried::{try_search, Tried};
use super::SearchMode;
use crate::postgres::activity::{self, Phase};
use crate::postgres::error::Result;
use crate::postgres::progress::poll;
use crate::terms::privacy_model::{privacy_model, KAnonymity, KMap, LkcPrivacy};
use crate::terms::request::Request;
use hashbrown::HashSet;

/// Searches once for each k, with that k in every k_anonymity, and lkc_privacy, among the models.
pub fn tradeoff(request: &Request, ks: &[i32]) -> Result<Vec<(i32, Tried)>> {
    let rows = read(request, Exclusions::default())?;
    if rows.left.is_some_and(|left| left > 0) {
        // Which rows are withheld, and so what the rest is bound to, depends on k.
        let one = |&k: &i32| {
            let input = Input::new(request, rows.copy()?)?;
            activity::enter(Phase::Searching);
            let models = asking(&request.arguments.privacy, k);
            let mut input = input.withhold(request, &models, &SearchMode::First)?;
            Ok((k, try_search(request, &mut input, &models, None)?))
        };
        return ks.iter().map(one).collect();
    }
    let mut input = Input::new(request, rows)?;
    activity::enter(Phase::Searching);
    let mut one = |&k: &i32| {
        let models = asking(&request.arguments.privacy, k);
        Ok((k, try_search(request, &mut input, &models, None)?))
    };
    ks.iter().map(&mut one).collect()
}

/// The models with another k; those that ask the same then are one.
fn asking(models: &[privacy_model], k: i32) -> Vec<privacy_model> {
    let mut seen = HashSet::new();
    let asking = |model: &privacy_model| match model {
        privacy_model::KAnonymity(model) => KAnonymity { k, ..model.clone() }.into(),
        privacy_model::KMap(model) => KMap { k, ..model.clone() }.into(),
        privacy_model::LkcPrivacy(model) => LkcPrivacy { k, ..model.clone() }.into(),
        other => other.clone(),
    };
    models
        .iter()
        .inspect(|_| poll())
        .map(asking)
        .filter(|model| seen.insert(model.normal().to_string()))
        .collect()
}
