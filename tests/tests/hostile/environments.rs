//! The environments, by what is hostile in them.

mod commands;
mod manifests;
mod releases;
mod shadows;
mod sources;
mod types;

use super::run::Hostile;
use client_tests::calls::{Call, Effect};

/// An environment in which mallory, or somebody else, has done something.
fn hostile(name: &str, install: &[(&'static str, &str)]) -> Hostile {
    Hostile {
        name: name.into(),
        install: install.iter().map(|(who, sql)| (*who, sql.to_string())).collect(),
        session: "",
        kind: ("a", "c"),
        matters: |call| call.effect != Effect::Pure,
        alters: false,
        harmless: false,
    }
}

/// Whether a call works on the release `rel`, or lists it.
fn on_release(call: &Call) -> bool {
    call.function == "releases" || call.arguments.iter().any(|(_, value)| *value == "'rel'")
}

/// Whether a call reads the source or its taxonomies.
fn on_source(call: &Call) -> bool {
    call.effect != Effect::Pure && call.arguments.iter().any(|(_, value)| value.contains("'evil."))
}

/// Whether a call makes or drops something.
fn writes(call: &Call) -> bool {
    matches!(call.effect, Effect::Makes | Effect::Changes)
}

/// Nothing is hostile, and everything works: so that the other environments fail for what they are.
pub fn harmless() -> Vec<Hostile> {
    let matters = |_: &Call| true;
    vec![Hostile { harmless: true, matters, ..hostile("nothing hostile", &[]) }]
}

pub use commands::{event_triggers, privileges};
pub use manifests::forged;
pub use releases::releases;
pub use shadows::shadows;
pub use sources::sources;
pub use types::types;
