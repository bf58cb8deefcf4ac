//! The tests of what in src/ needs no server, run where no symbol of one has to be found.

#[path = "../../src/postgres/text.rs"]
#[allow(dead_code)]
mod text;

#[path = "../../src/terms/looks.rs"]
#[allow(dead_code)]
mod looks;

#[path = "../../src/terms/names.rs"]
#[allow(dead_code)]
mod names;

#[path = "../../src/terms/sentences.rs"]
#[allow(dead_code)]
mod sentences;

#[path = "../../src/terms/readings.rs"]
#[allow(dead_code)]
mod readings;
