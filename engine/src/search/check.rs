//! Checks that a problem is sound. A search of an unsound one could return a release that breaks its models, so it is
//! refused before anything is counted.

use super::problem::{Problem, Recoding};
use crate::privacy::PrivacyModel;
use crate::{pace, Error};
use std::collections::BTreeSet;

impl Problem<'_> {
    /// Returns [`Error::Unsound`] for a problem whose models a search may break.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_references()?;
        self.check_weights()?;
        if self.withhold.is_some() {
            self.check_withholding()?;
        }
        match self.recoding {
            Recoding::Global => Ok(()),
            Recoding::Local | Recoding::Clustered => self.check_local_recoding(),
        }
    }

    /// Checks that the columns and populations that the models name exist. A problem may have no models: then the steps
    /// of an earlier search are performed again without a test.
    fn check_references(&self) -> Result<(), Error> {
        let is_in = |place: Option<usize>, count: usize| place.is_none_or(|place| place < count);
        for model in &self.models {
            pace::tick(model.attributes().len())?;
            let are_there = model.attributes().iter().all(|&a| a < self.attributes.len())
                && is_in(model.sensitive(), self.sensitive.len())
                && is_in(model.person(), self.persons.len())
                && is_in(model.population(), self.populations.len());
            if !are_there {
                return Err(Error::Unsound("a model names a column or a population that is not there"));
            }
        }
        Ok(())
    }

    /// Checks that every record stands for at least one row, and that records to be clustered have no weights.
    fn check_weights(&self) -> Result<(), Error> {
        let Some(weights) = self.weights else { return Ok(()) };
        if self.recoding == Recoding::Clustered {
            return Err(Error::Unsound("records of several rows are clustered"));
        }
        let mut least = 1;
        pace::each(0..weights.len(), |record| least = least.min(weights.get(record)))?;
        match least {
            0 => Err(Error::Unsound("a record stands for no row")),
            _ => Ok(()),
        }
    }

    /// Checks that all models group by the same set of columns, and that a union of two sets of rows keeps each model
    /// that both sets keep.
    fn check_withholding(&self) -> Result<(), Error> {
        if self.recoding != Recoding::Global {
            return Err(Error::Unsound("rows are withheld where groups are refined one at a time"));
        }
        let mut sets = BTreeSet::new();
        for model in &self.models {
            if !model.allows_withholding() {
                return Err(Error::Unsound("rows are withheld for a model that a union of groups may break"));
            }
            for set in model.column_sets().take(2) {
                pace::tick(set.len())?;
                sets.insert(set);
            }
        }
        match sets.len() > 1 {
            true => Err(Error::Unsound("rows are withheld by several sets of columns")),
            false => Ok(()),
        }
    }

    /// Checks the assumptions of local recoding. Its groups are counted in one partition, so the models may count the
    /// persons of one column, or one population. Clusters may be released alike, and groups may be alike on some of
    /// their columns. So models that a union of groups may break are refused for clusters, and for groups unless they
    /// are over all columns.
    fn check_local_recoding(&self) -> Result<(), Error> {
        if self.min_size_factor == 0 {
            return Err(Error::Unsound("groups are of no rows"));
        }
        let is_clustered = self.recoding == Recoding::Clustered;
        let is_of_all =
            |model: &PrivacyModel| model.column_sets().all(|set| set.len() == self.attributes.len());
        let mut persons = BTreeSet::new();
        let mut populations = BTreeSet::new();
        for model in &self.models {
            pace::tick(1)?;
            persons.extend(model.person());
            populations.extend(model.population());
            if model.counts_persons_per_value() && (is_clustered || !is_of_all(model)) {
                return Err(Error::Unsound("shares of persons in unions of groups"));
            }
            if model.population().is_some() && is_clustered {
                return Err(Error::Unsound(
                    "a population in clusters, which none of its rows is known to be in",
                ));
            }
        }
        if persons.len() > 1 {
            return Err(Error::Unsound("groups count the persons of several columns"));
        }
        if populations.len() > 1 || !populations.is_empty() && !persons.is_empty() {
            return Err(Error::Unsound("a population beside persons, or beside another"));
        }
        Ok(())
    }
}
