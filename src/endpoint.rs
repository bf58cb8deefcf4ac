//! Placeholder until engine module lands
use crate::datum::Type;
use pgrx::pg_sys::Datum;
/// Which ends of intervals are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoints {
    Rounded,
    Values,
}
pub fn between(_kind: Type, _below: Datum, value: Datum) -> Datum {
    value
}
pub fn below(_kind: Type, _previous: Option<Datum>, least: Datum) -> Datum {
    least
}
pub fn above(_kind: Type, greatest: Datum, _next: Option<Datum>) -> Datum {
    greatest
}
