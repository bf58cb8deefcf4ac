//! The life of a release: verify, grant, revoke, drop, and the list of all.

use crate::postgres::arguments::needed;
use crate::postgres::error::or_raise;
use crate::postgres::names::Name;
use crate::postgres::operation::Operation;
use crate::release::{self, Verdict};
use crate::terms::privacy_model::privacy_model;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::prelude::*;

/// Recounts every model of a release with plain SQL, on what is published.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn release_verify(
    release: Option<Name>,
) -> TableIterator<
    'static,
    (name!(model, privacy_model), name!(required, f64), name!(achieved, Option<f64>), name!(holds, bool)),
> {
    let verdicts =
        or_raise(needed("release", release).and_then(|release| release::verify_published(&release.0)));
    TableIterator::new(
        verdicts
            .into_iter()
            .map(|Verdict { model, required, achieved, holds }| (model, required, achieved, holds)),
    )
}

/// Recounts every model of a release, and fails if one does not hold.
#[pg_extern(volatile, parallel_unsafe)]
fn release_assert(release: Option<Name>) {
    or_raise(needed("release", release).and_then(|release| release::assert(&release.0)))
}

/// Lets a role read the view, the cut and `about` of a release.
#[pg_extern(volatile, parallel_unsafe)]
fn release_grant(release: Option<Name>, grantee: Option<Name>) {
    or_raise((|| release::grant(&needed("release", release)?.0, &needed("grantee", grantee)?.0))())
}

/// Takes back what release_grant gave.
#[pg_extern(volatile, parallel_unsafe)]
fn release_revoke(release: Option<Name>, grantee: Option<Name>) {
    or_raise((|| release::revoke(&needed("release", release)?.0, &needed("grantee", grantee)?.0))())
}

/// Drops a release and its schema.
#[pg_extern(volatile, parallel_unsafe)]
fn release_drop(release: Option<Name>) {
    or_raise(needed("release", release).and_then(|release| release::drop_release(&release.0)))
}

/// The releases of this database whose manifest the caller may read.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn releases() -> TableIterator<
    'static,
    (
        name!(release, Name),
        name!(source, String),
        name!(version, i32),
        name!(created_at, TimestampWithTimeZone),
        name!(rows, i64),
    ),
> {
    let all = or_raise((|| {
        let _operation = Operation::begin()?;
        let row = |(release, row): (String, release::Row)| {
            (Name(release), row.source, row.version, row.created_at, row.rows)
        };
        Ok(release::all()?.into_iter().map(row).collect::<Vec<_>>())
    })());
    TableIterator::new(all)
}
