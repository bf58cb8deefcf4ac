//! A release as one page for people: what was asked for and found, what each column is released as ([`column`]), how large groups
//! are, what is lost and risked ([`facts`]), drawn ([`figures`]), said in short ([`in_short`]) and written as HTML that stands on its own ([`page`]).

mod column;
mod facts;
mod figures;
mod in_short;
mod page;

use crate::postgres::error::Result;
use crate::postgres::operation::Operation;
use crate::terms::words::Audience;
use facts::Facts;

/// The page of a release, for an audience; the release may be told to be a share of a population.
pub fn report(release: &str, audience: Audience, share: Option<f64>) -> Result<String> {
    let _operation = Operation::begin()?;
    page::page(&Facts::of(release, audience, share)?)
}
