//! Measures of a privacy model over groups of a table's records, however these were formed.

use super::classes::{record_rows, Member, RecordClasses, Released};
use crate::buckets::Buckets;
use crate::privacy::{GroupCounts, PrivacyModel};
use crate::progress::{filled, reserve};
use crate::table::{compress, CodedColumn, Codes, Store};
use crate::{pace, Error};

/// Measures of a model over some groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Worst measure of a group.
    pub achieved: f64,
    /// Number of groups.
    pub groups: u64,
    /// Number of groups that break the model.
    pub broken_groups: u64,
    /// Number of rows in those groups. Under bounded knowledge, a row counts once for each set of columns.
    pub broken_rows: u64,
}

/// Records of a table, and the columns that models count.
#[derive(Debug, Clone, Copy)]
pub struct ModelRecords<'a> {
    /// Number of records.
    pub records: usize,
    /// The sensitive column, if the model has one.
    pub sensitive: Option<CodedColumn<'a>>,
    /// Person of each record, if the model counts persons.
    pub persons: Option<&'a Store>,
    /// A further released column that every grouping includes.
    pub always_grouped_by: Option<Released<'a>>,
}

/// Released columns of each of a model's columns, in order: one, or several if several releases are combined.
pub type ReleasedOfModel<'a> = [Vec<Released<'a>>];

/// Measures a model over the groups of records that are released alike on its columns, in each of several parts of the
/// rows (None for a part without rows). `parts` has the rows that each record stands for in a part (None: one each).
pub fn measure_groups(
    model: &PrivacyModel,
    columns: &ReleasedOfModel,
    counted: ModelRecords,
    parts: &[Option<&Codes>],
) -> Result<Vec<Option<Measured>>, Error> {
    let direction = model.direction();
    let nothing = Measured { achieved: direction.best(), groups: 0, broken_groups: 0, broken_rows: 0 };
    let mut measured = vec![nothing; parts.len()];
    for column_set in model.column_sets() {
        let is_in_set = |attribute: &usize| column_set.binary_search(attribute).is_ok();
        let columns = model.attributes().iter().zip(columns).filter(|(attribute, _)| is_in_set(attribute));
        let columns = columns.flat_map(|(_, released)| released).copied();
        let columns: Vec<Released> = columns.chain(counted.always_grouped_by).collect();
        let groups = MemberGroups::build(&columns, counted.records, counted.persons)?;
        for (measured, weights) in measured.iter_mut().zip(parts) {
            let rows_of = |record: u32| record_rows(*weights, record as usize) as u32;
            groups.for_each_measured(model, counted.sensitive, rows_of, |group| {
                measured.groups += 1;
                if !group.holds {
                    measured.broken_groups += 1;
                    measured.broken_rows += u64::from(group.rows);
                }
                for &measure in group.measures {
                    measured.achieved = direction.worse(measured.achieved, measure);
                }
            })?;
        }
    }
    Ok(measured.into_iter().map(|measured| (measured.groups > 0).then_some(measured)).collect())
}

/// A group that breaks a model.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenGroup {
    /// Its records, including those that stand for no row.
    pub records: Vec<u32>,
    /// Rows that must at least be added before the group can hold.
    pub missing_rows: u32,
}

/// Records in the order of their groups, and by person within a group.
#[derive(Debug)]
pub struct MemberGroups {
    members: Vec<Member>,
    /// Where each group begins, and the end of the last.
    starts: Vec<u32>,
}

/// A group, and a model's measures of it.
struct MeasuredGroup<'a> {
    members: &'a [Member],
    rows: u32,
    measures: &'a [f64],
    holds: bool,
}

impl MemberGroups {
    /// Groups the records that are released alike on some columns. `persons` has the person of each record.
    pub fn build(
        columns: &[Released],
        records: usize,
        persons: Option<&Store>,
    ) -> Result<MemberGroups, Error> {
        let classes = RecordClasses::build(columns, records)?;
        if let Some(persons) = persons {
            let (members, starts) = classes.sort_by_person(persons)?;
            return Ok(MemberGroups { members, starts });
        }
        let Buckets { items, starts } = classes.sort_records()?;
        let members = pace::collect(items.into_iter().map(|record| Member { person: 0, record }))?;
        Ok(MemberGroups { members, starts })
    }

    fn iter(&self) -> impl Iterator<Item = &[Member]> {
        self.starts.windows(2).map(|group| &self.members[group[0] as usize..group[1] as usize])
    }

    /// Keeps only some of the records, and the groups that have any of them.
    pub fn filter_records(&self, is_kept: impl Fn(u32) -> bool) -> Result<MemberGroups, Error> {
        let (mut members, mut starts): (Vec<Member>, Vec<u32>) = (Vec::new(), vec![0]);
        for group in self.iter() {
            pace::tick(group.len())?;
            let before = members.len();
            for &member in group.iter().filter(|member| is_kept(member.record)) {
                reserve(&mut members, 1)?;
                members.push(member);
            }
            if members.len() > before {
                reserve(&mut starts, 1)?;
                starts.push(members.len() as u32);
            }
        }
        Ok(MemberGroups { members, starts })
    }

    /// Returns the groups that have rows and break a model. `sensitive` is the model's sensitive column, if it has one.
    /// `weights` has the rows that each record stands for.
    pub fn find_broken(
        &self,
        model: &PrivacyModel,
        sensitive: Option<CodedColumn>,
        weights: &[u32],
    ) -> Result<Vec<BrokenGroup>, Error> {
        let min_size = u32::try_from(model.min_group_size()).unwrap_or(u32::MAX);
        let mut broken = Vec::new();
        let rows_of = |record: u32| weights[record as usize];
        self.for_each_measured(model, sensitive, rows_of, |group| {
            if !group.holds {
                let records = group.members.iter().map(|member| member.record).collect();
                broken.push(BrokenGroup { records, missing_rows: min_size.saturating_sub(group.rows) });
            }
        })?;
        Ok(broken)
    }

    /// Measures each group that has rows, and passes it to `visit`. A record without rows is a member but not counted.
    fn for_each_measured(
        &self,
        model: &PrivacyModel,
        sensitive: Option<CodedColumn>,
        rows_of: impl Fn(u32) -> u32,
        mut visit: impl FnMut(MeasuredGroup),
    ) -> Result<(), Error> {
        let codes = sensitive.map(|column| column.codes.load()).transpose()?;
        let mut counts = filled(0, sensitive.map_or(0, |column| column.cardinality))?;
        let mut measures = vec![0.0; model.requirements()];
        for members in self.iter() {
            pace::tick(members.len())?;
            let rows = members.iter().map(|member| rows_of(member.record)).sum();
            if rows == 0 {
                continue;
            }
            if let Some(codes) = &codes {
                match model.counts_persons_per_value() {
                    true => count_persons_of_values(members, codes, &rows_of, &mut counts)?,
                    false => members.iter().for_each(|&Member { record, .. }| {
                        counts[codes.get(record as usize) as usize] += rows_of(record);
                    }),
                }
            }
            let has_rows = |person: &&[Member]| person.iter().any(|member| rows_of(member.record) > 0);
            let persons = by_person(members).filter(has_rows).count() as u32;
            model.measure(GroupCounts { records: rows, persons, counts: &counts }, &mut measures)?;
            let holds = measures.iter().all(|&measure| model.holds(measure));
            visit(MeasuredGroup { members, rows, measures: &measures, holds });
            if let Some(codes) = &codes {
                members.iter().for_each(|member| counts[codes.get(member.record as usize) as usize] = 0);
            }
        }
        Ok(())
    }
}

/// Returns the members of each person.
fn by_person(members: &[Member]) -> impl Iterator<Item = &[Member]> {
    members.chunk_by(|one, next| one.person == next.person)
}

/// Adds to the count of each value the persons of a group who have a row with it.
fn count_persons_of_values(
    members: &[Member],
    codes: &Codes,
    rows_of: impl Fn(u32) -> u32,
    counts: &mut [u32],
) -> Result<(), Error> {
    for person in by_person(members) {
        let with_rows = person.iter().filter(|member| rows_of(member.record) > 0);
        let mut values = pace::collect(with_rows.map(|member| codes.get(member.record as usize)))?;
        pace::sort_by(&mut values, Ord::cmp)?;
        values.dedup();
        values.into_iter().for_each(|value| counts[value as usize] += 1);
    }
    Ok(())
}

/// Counts all persons, and the persons that hold each value of a column.
pub fn count_value_holders(values: CodedColumn, persons: CodedColumn) -> Result<(u64, Vec<u64>), Error> {
    let mut holders = filled(0, values.cardinality)?;
    let (records, cardinalities) = (values.codes.len(), [values.cardinality, persons.cardinality]);
    let pairs = compress(&[values.codes, persons.codes], &cardinalities, records, None)?;
    let values = &pairs.columns[0];
    pace::each(0..values.len(), |pair| holders[values.get(pair) as usize] += 1)?;
    let all = compress(&[persons.codes], &[persons.cardinality], records, None)?;
    Ok((all.weights.len() as u64, holders))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Diversity;

    #[test]
    fn groups_of_two_releases() {
        // Two releases of seven rows, with groups of three or four each. Combined, they make groups of 3, 1, 2 and 1.
        let (before, now) =
            (Store::from_iter([0, 0, 0, 0, 1, 1, 1]), Store::from_iter([0, 0, 0, 1, 1, 1, 0]));
        let columns =
            [&before, &now].map(|codes| Released { codes, number_of_code: &[0, 1], number_count: 2 });
        let values = Store::from_iter([0, 1, 1, 0, 2, 2, 0]);
        let persons = Store::from_iter([5, 5, 6, 7, 8, 9, 9]);
        let counted = ModelRecords {
            records: 7,
            sensitive: Some(CodedColumn { codes: &values, cardinality: 3 }),
            persons: None,
            always_grouped_by: None,
        };
        let weighed = |model: &PrivacyModel, columns: &[Released], counted, weights: Option<&Codes>| {
            let Measured { achieved, groups, broken_groups, broken_rows } =
                measure_groups(model, &[columns.to_vec()], counted, &[weights]).unwrap()[0].unwrap();
            (achieved, groups, broken_groups, broken_rows)
        };
        let of = |model: &PrivacyModel, columns: &[Released], counted| weighed(model, columns, counted, None);
        let k = PrivacyModel::k_anonymity(vec![0], 3);
        assert_eq!(of(&k, &columns[..1], counted), (3.0, 2, 0, 0));
        let some = Codes::from_iter([1, 1, 0, 0, 1, 1, 1]);
        assert_eq!(weighed(&k, &columns[..1], counted, Some(&some)), (2.0, 2, 1, 2));
        assert_eq!(of(&k, &columns, counted), (1.0, 4, 3, 4));
        let two = PrivacyModel::l_diversity(vec![0], 0, Diversity::Distinct { l: 2.0 });
        assert_eq!(of(&two, &columns[1..], counted), (2.0, 2, 0, 0));
        assert_eq!(of(&two, &columns, counted), (1.0, 4, 3, 4));
        let broken = |weights: &[u32]| {
            let groups = MemberGroups::build(&columns, 7, None).unwrap();
            let groups = groups.find_broken(&PrivacyModel::k_anonymity(vec![0], 3), None, weights).unwrap();
            let parts = |group: BrokenGroup| (group.records, group.missing_rows);
            groups.into_iter().map(parts).collect::<Vec<_>>()
        };
        assert_eq!(broken(&[1; 7]), [(vec![3], 2), (vec![4, 5], 1), (vec![6], 2)]);
        // Records that stand for no row make no group, and remain members of theirs.
        let weights = [1, 1, 0, 0, 2, 1, 0];
        assert_eq!(broken(&weights), [(vec![0, 1, 2], 1)]);
        let weights = Codes::from_iter(weights);
        // Some of the records are in fewer groups.
        let some = MemberGroups::build(&columns, 7, None)
            .unwrap()
            .filter_records(|record| [1, 2, 6].contains(&record))
            .unwrap();
        let some = some.find_broken(&k, None, &[1; 7]).unwrap();
        let records: Vec<&[u32]> = some.iter().map(|group| &group.records[..]).collect();
        assert_eq!(records, [&[1, 2][..], &[6]]);
        let of_persons = ModelRecords { persons: Some(&persons), ..counted };
        let one = PrivacyModel::k_anonymity(vec![0], 1).counting_persons(0);
        assert_eq!(weighed(&one, &columns, of_persons, Some(&weights)), (1.0, 2, 0, 0));
        // Parts are measured separately. A part without rows has no measure.
        let none = Codes::from_iter([0; 7]);
        let parts =
            measure_groups(&one, &[columns.to_vec()], of_persons, &[None, Some(&none), Some(&weights)])
                .unwrap();
        assert_eq!(
            parts.iter().map(|part| part.map(|part| part.groups)).collect::<Vec<_>>(),
            [Some(4), None, Some(2)]
        );
        // Twice the rows are no more persons.
        let weights = Codes::from_iter([2; 7]);
        let twice = |model: &PrivacyModel| weighed(model, &columns, of_persons, Some(&weights));
        assert_eq!(twice(&PrivacyModel::k_anonymity(vec![0], 3)), (2.0, 4, 2, 4));
        assert_eq!(twice(&PrivacyModel::k_anonymity(vec![0], 2).counting_persons(0)), (1.0, 4, 2, 4));
    }

    #[test]
    fn persons_count_for_each_of_their_values() {
        let (values, persons) = (Store::from_iter([0, 1, 0, 0, 2, 0]), Store::from_iter([1, 1, 1, 0, 0, 2]));
        let [all_values, all_persons] =
            [&values, &persons].map(|codes| CodedColumn { codes, cardinality: 3 });
        assert_eq!(count_value_holders(all_values, all_persons).unwrap(), (3, vec![3, 1, 1]));
        // Two groups of three rows: person 1 with two values; person 0 with two, and person 2.
        let group = Store::from_iter([0, 0, 0, 1, 1, 1]);
        let released = [vec![Released { codes: &group, number_of_code: &[0, 1], number_count: 2 }]];
        let counted = ModelRecords {
            records: 6,
            sensitive: Some(CodedColumn { codes: &values, cardinality: 3 }),
            persons: Some(&persons),
            always_grouped_by: None,
        };
        let achieved = |model: &PrivacyModel| {
            measure_groups(model, &released, counted, &[None]).unwrap()[0].unwrap().achieved
        };
        let of_rows = PrivacyModel::confidence_bound(vec![0], 0, vec![Some(0), Some(1)], 1.0);
        assert_eq!(achieved(&of_rows), 2.0 / 3.0);
        let one = PrivacyModel::confidence_bound(vec![0], 0, vec![Some(2)], 1.0).counting_persons(0);
        assert_eq!(achieved(&one), 0.5);
        assert_eq!(achieved(&of_rows.counting_persons(0)), 1.0);
    }
}
