//! Reading somebody's relation: what it is ([`source`]), whether it is still that of a name ([`named`]), what of it settings decide ([`conversions`]), that a statement reads just that and all of its
//! rows ([`plan`]), its rows as codes ([`scan`], [`table`]), or counted where they lie ([`counted`]), and codes in the order of
//! their values ([`order`]); leaving out rows that were withheld before ([`excluded`]); telling rows apart by what they hold ([`identity`]), also those of a version's table ([`version_table`]); and keeping others from writing to it meanwhile ([`writers`]).

pub mod conversions;
pub mod counted;
pub mod excluded;
pub mod identity;
pub mod named;
pub mod order;
pub mod plan;
pub mod scan;
pub mod source;
pub mod spool;
pub mod table;
pub mod version_table;
pub mod writers;
