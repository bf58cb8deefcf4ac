//! The tests that need a server, a client or the files of the project, in one program. `make test` runs each module by itself.

#[path = "../../engine/tests/inference/chance.rs"]
mod chance;

mod adult;
mod book;
mod cancel;
mod citus;
mod citus_writers;
mod crash;
mod documents;
mod dump;
mod explain;
mod hostile;
mod kmember;
mod large;
mod law;
mod layout;
mod levels;
mod licences;
mod measures;
mod memory;
mod pairs;
mod pda;
mod progress;
mod reference;
mod regrouped;
mod replication;
mod report;
mod report_cells;
mod schedule;
mod schema;
mod shards;
mod smoke;
mod soak;
mod standby;
mod texts;
mod upgrade;
