//! Checks that a problem is sound. A search of an unsound one could return a release that breaks its models, so it is
//! refused before anything is counted.

use super::problem::{Problem, Recoding};
use crate::privacy::PrivacyModel;
use crate::{pace, Error};
use itertools::Itertools;

impl Problem<'_> {
    /// Returns [`Error::Unsound`] for a problem whose models a search may break. A problem may have no models: then the
    /// steps of an earlier search are performed again without a test.
    pub(super) fn check(&self) -> Result<(), Error> {
        let models = || self.models.iter();
        let persons = || models().filter_map(|model| model.person());
        let populations = || models().filter_map(|model| model.population());
        let counts_population = populations().next().is_some();
        let is_withholding = self.withhold.is_some();
        let is_clustered = self.recoding == Recoding::Clustered;
        let is_local = self.recoding != Recoding::Global;
        // Clusters may be released alike, and local groups may be alike on some of their columns.
        let may_be_united = |model: &PrivacyModel| {
            is_clustered || model.column_sets().any(|set| set.len() < self.attributes.len())
        };
        let faults = [
            (
                models().any(|model| !self.has_columns_of(model)),
                "a model names a column or a population that is not there",
            ),
            (is_clustered && self.weights.is_some(), "records of several rows are clustered"),
            (self.has_records_without_rows()?, "a record stands for no row"),
            (is_withholding && is_local, "rows are withheld where groups are refined one at a time"),
            (
                is_withholding && models().any(|model| !model.allows_withholding()),
                "rows are withheld for a model that a union of groups may break",
            ),
            (
                is_withholding && !models().flat_map(|model| model.column_sets()).all_equal(),
                "rows are withheld by several sets of columns",
            ),
            (is_local && self.min_size_factor == 0, "groups are of no rows"),
            (
                is_local && models().any(|model| model.counts_persons_per_value() && may_be_united(model)),
                "shares of persons in unions of groups",
            ),
            (
                is_clustered && counts_population,
                "a population in clusters, which none of its rows is known to be in",
            ),
            // Local groups are counted in one partition, which counts the persons of one column, or one population.
            (is_local && !persons().all_equal(), "groups count the persons of several columns"),
            (
                is_local && (!populations().all_equal() || counts_population && persons().next().is_some()),
                "a population beside persons, or beside another",
            ),
        ];
        match faults.into_iter().find(|(is_unsound, _)| *is_unsound) {
            Some((_, fault)) => Err(Error::Unsound(fault)),
            None => Ok(()),
        }
    }

    fn has_columns_of(&self, model: &PrivacyModel) -> bool {
        let is_in = |index: Option<usize>, count: usize| index.is_none_or(|index| index < count);
        model.attributes().iter().all(|&a| a < self.attributes.len())
            && is_in(model.sensitive(), self.sensitive.len())
            && is_in(model.person(), self.persons.len())
            && is_in(model.population(), self.populations.len())
    }

    fn has_records_without_rows(&self) -> Result<bool, Error> {
        let mut least = 1;
        if let Some(weights) = self.weights {
            pace::each(0..weights.len(), |record| least = least.min(weights.get(record)))?;
        }
        Ok(least == 0)
    }
}
