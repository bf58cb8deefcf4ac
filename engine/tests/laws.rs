//! The engine's tests, in one program. Tests that measure memory are programs of their own.
//! `make test` runs each module separately.

use engine_tests::{small, tape, work};

mod reference;

mod counts;
mod counts_by_name;
mod differential;
mod inference;
mod kept;
mod keys;
mod kmember_blocks;
mod kmember_reference;
mod linear;
mod monotone;
mod on_tape;
mod optimum;
mod papers;
mod papers_pda;
mod partition;
mod polls;
mod reference_papers;
mod store;
mod unsound;
