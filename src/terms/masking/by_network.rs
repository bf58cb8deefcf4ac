//! by_network: addresses are shown by the network that they are in.

use super::{masking, rule, Binding, Masking, UpperEnd};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::datum::Type;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{text, Text};
use crate::postgres::progress::polled;
use crate::read::order::in_order;
use crate::read::table::Column;
use crate::terms::labels::{Bound, TextEnds, TreeEnds};
use pgrx::pg_sys;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::progress::check_memory;
use topdown::taxonomy::rule::network::Address;

/// Shown by their networks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByNetwork {
    /// The masked column.
    pub column_name: String,
    /// The lengths of the networks that are shown; none: the usual ones.
    #[serde(default)]
    pub lengths: Option<Vec<i32>>,
}

/// The bits of an address of version 6.
const LONGEST: i32 = 128;

#[pg_extern(immutable, parallel_safe)]
fn by_network(column_name: Option<Text>, lengths: default!(Option<Elements<i32>>, "NULL")) -> masking {
    or_raise((|| {
        let lengths = lengths.map(|lengths| elements("lengths", Some(lengths))).transpose()?;
        masking::from(ByNetwork { column_name: needed("column_name", text(column_name))?, lengths }).checked()
    })())
}

impl Masking for ByNetwork {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn check(&self) -> Result<()> {
        rule::lengths("by_network", self.lengths.as_ref(), LONGEST).map(drop)
    }
    fn has_tree(&self) -> bool {
        true
    }
    fn is_by_rule(&self) -> bool {
        true
    }
    fn upper_end(&self, _: Option<Type>) -> Option<UpperEnd> {
        Some(UpperEnd::Included)
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let lengths = rule::lengths("by_network", self.lengths.as_ref(), LONGEST)?;
        let lengths: Option<Vec<u32>> = lengths.map(|all| all.into_iter().map(|n| n as u32).collect());
        let ty = column.ty;
        if ![pg_sys::INETOID, pg_sys::CIDROID].contains(&ty.oid) {
            let name = &self.column_name;
            return Err(SqlError::parameter(format!(
                "column \"{name}\" cannot be masked by network: its type is {}",
                ty.name()
            ))
            .hint("by_network takes inet and cidr: release a view that casts the column."));
        }
        let values = column.datums();
        check_memory::<(Address, usize)>(values.len())?;
        let address = |&value: &pg_sys::Datum| {
            let text = ty.output(value);
            Address::parse(&text).ok_or_else(|| SqlError::internal(format!("{text} is no address")))
        };
        let addresses = polled(&values).map(address).collect::<Result<Vec<Address>>>()?;
        let label = |code: usize, level: usize| addresses[code].label(lengths.as_deref(), level);
        let is_whole = |code: usize| addresses[code].is_whole(lengths.as_deref());
        let ends = TreeEnds::ByRule(ty, ends);
        rule::bind_rule(&self.column_name, &in_order(ty, &values), label, is_whole, ends, column, how)
    }
}

/// A network, which is the least value in it, and its last address, which is the greatest.
fn ends(_: Type, label: &str) -> TextEnds {
    let Some(address) = Address::parse(label) else { return (None, None) };
    (Some(label.to_string()), Some(address.last_address().to_string()))
}
