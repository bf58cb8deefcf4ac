//! What a release is stored in: its manifest, its tables and views, who may read them, and how a version is written there.

pub mod alone;
pub mod columns;
pub mod comments;
pub mod content;
pub mod counted_before;
pub mod counts;
pub mod create;
pub mod destination;
pub mod functions;
pub mod grants;
pub mod held;
pub mod kept;
pub mod manifest;
pub mod means;
pub mod nodes;
pub mod parameters;
pub mod publish;
pub mod retire;
pub mod shown;
pub mod shuffle;
pub mod strip;
pub mod tables;
pub mod version_before;
pub mod version_table;
pub mod withheld;
pub mod write;
