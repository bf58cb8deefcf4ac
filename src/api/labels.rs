//! privacy_from_labels: what security labels already say of a source's columns, as models.

use crate::postgres::arguments::needed;
use crate::postgres::error::{or_raise, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::operation::Operation;
use crate::read::source::Source;
use crate::terms::privacy_model::{privacy_model, KAnonymity};
use pgrx::prelude::*;

/// The labels that make a column part of the quasi-identifier, whoever gives them.
const LABELS: [&str; 2] = ["QUASI IDENTIFIER", "INDIRECT IDENTIFIER"];

/// k-anonymity over the columns that a security label calls quasi-identifiers.
#[pg_extern(stable, parallel_unsafe)]
fn privacy_from_labels(source: Option<Regclass>, k: Option<i32>) -> Vec<privacy_model> {
    or_raise((|| {
        let (source, k) = (needed("source", source)?, needed("k", k)?);
        let _operation = Operation::begin()?;
        let source = Source::open(source)?;
        let is_one = |label: &str| LABELS.contains(&label.trim().to_uppercase().as_str());
        let labelled = source.labels()?.into_iter().filter(|(_, label)| is_one(label));
        let mut quasi_identifier: Vec<String> = labelled.map(|(name, _)| name).collect();
        // Several providers may say the same.
        quasi_identifier.dedup();
        if quasi_identifier.is_empty() {
            let name = &source.name;
            return Err(SqlError::state(format!("no column of \"{name}\" is labelled as a quasi-identifier"))
                .detail("Looked for are the security labels QUASI IDENTIFIER and INDIRECT IDENTIFIER, of any provider.")
                .hint(format!(
                    "SECURITY LABEL FOR <provider> ON COLUMN {}.<column> IS 'QUASI IDENTIFIER'; or name the columns: k_anonymity(ARRAY['<column>', ...], {k}).",
                    source.qualified()
                )));
        }
        let model: privacy_model = KAnonymity { quasi_identifier, k, person: None }.into();
        Ok(vec![model.checked()?])
    })())
}
