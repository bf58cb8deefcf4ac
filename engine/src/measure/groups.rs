//! What a privacy model measures of any groups of a table, whatever made them.

use super::information::{each_class, weight, Released};
use crate::privacy::{groupings, GroupCounts, PrivacyModel};
use crate::progress::room;
use crate::table::{compress, Codes, Store};
use crate::{pace, Code, Error};

/// What a model measures of some groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The worst group's measure.
    pub achieved: f64,
    /// How many groups there are.
    pub groups: u64,
    /// How many of them break the model.
    pub broken_groups: u64,
    /// How many rows are in those.
    pub broken_rows: u64,
}

/// The records of a table, as models count them.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// How many records.
    pub records: usize,
    /// For how many rows each stands; none: one each.
    pub weights: Option<&'a Codes>,
    /// The sensitive column's codes and how many there are, where the model has one.
    pub sensitive: Option<(&'a Store, usize)>,
    /// Whose each record is, where the model counts persons.
    pub persons: Option<&'a Store>,
    /// Which records count; none: all of them.
    pub counts: Option<&'a [bool]>,
}

/// What each of a model's columns is released as, in order: as one thing, or, where several releases are looked at together, in
/// each of these.
pub type OfModel<'a> = [Vec<Released<'a>>];

/// Measures a model of the groups of records that are alike on its columns.
pub fn measured(model: &dyn PrivacyModel, columns: &OfModel, counted: Counted) -> Result<Measured, Error> {
    let direction = model.direction();
    let mut all = Measured { achieved: direction.best(), groups: 0, broken_groups: 0, broken_rows: 0 };
    for grouping in groupings(model) {
        let of = model.attributes().iter().zip(columns).filter(|(a, _)| grouping.binary_search(a).is_ok());
        let columns: Vec<Released> = of.flat_map(|(_, released)| released).copied().collect();
        Groups::on(&columns, counted)?.each(model, counted, |group| {
            all.groups += 1;
            if !group.holds {
                all.broken_groups += 1;
                all.broken_rows += u64::from(group.rows);
            }
            for &measure in group.measures {
                all.achieved = direction.worse(all.achieved, measure);
            }
        })?;
    }
    Ok(all)
}

/// A group that breaks a model.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenGroup {
    /// Its records, also those that stand for no row.
    pub records: Vec<u32>,
    /// With fewer rows more than these it would break the model, too.
    pub lacks: u32,
}

/// A record of a group: the group's class, whose the record is, and which it is.
type Member = (u64, Code, u32);

/// Records, those of a group together, and of these the same person's.
#[derive(Debug)]
pub struct Groups {
    members: Vec<Member>,
}

/// A group, and what a model measures of it.
struct Group<'a> {
    members: &'a [Member],
    rows: u32,
    measures: &'a [f64],
    holds: bool,
}

impl Groups {
    /// The groups of records that are alike on some columns. Of `counted` the records that count, and whose each is.
    pub fn on(columns: &[Released], counted: Counted) -> Result<Groups, Error> {
        room::<Member>(counted.records)?;
        let mut members: Vec<Member> = Vec::with_capacity(counted.records);
        let mut buffer = Vec::new();
        each_class(columns, counted.records, |rows, classes| {
            let persons = match counted.persons {
                Some(persons) => Some(persons.fetch(rows.clone(), &mut buffer)?),
                None => None,
            };
            let each = rows.zip(classes).enumerate();
            let each = each.filter(|(_, (record, _))| counted.counts.is_none_or(|counts| counts[*record]));
            members.extend(each.map(|(at, (record, &class))| {
                (class, persons.map_or(0, |persons| persons[at]), record as u32)
            }));
            Ok(())
        })?;
        pace::sort_by(&mut members, |a, b| a.cmp(b))?;
        Ok(Groups { members })
    }

    /// Those that hold rows and break a model. Of `counted` for how many rows each record stands, and the sensitive values.
    pub fn broken(&self, model: &dyn PrivacyModel, counted: Counted) -> Result<Vec<BrokenGroup>, Error> {
        let fewest = u32::try_from(model.fewest_records()).unwrap_or(u32::MAX);
        let mut broken = Vec::new();
        self.each(model, counted, |group| {
            if group.rows > 0 && !group.holds {
                let records = group.members.iter().map(|&(.., record)| record).collect();
                broken.push(BrokenGroup { records, lacks: fewest.saturating_sub(group.rows) });
            }
        })?;
        Ok(broken)
    }

    /// Shows each group, as a model measures it. A record that stands for no row is a member, and counts for nothing.
    fn each(
        &self,
        model: &dyn PrivacyModel,
        counted: Counted,
        mut show: impl FnMut(Group),
    ) -> Result<(), Error> {
        let sensitive = counted.sensitive.map(|(codes, _)| codes.load()).transpose()?;
        let values = counted.sensitive.map_or(0, |(_, cardinality)| cardinality);
        room::<u32>(values)?;
        let mut counts = vec![0; values];
        let mut measures = vec![0.0; model.requirements()];
        let rows_of = |record: u32| weight(counted.weights, record as usize) as u32;
        for members in self.members.chunk_by(|a, b| a.0 == b.0) {
            pace::tick(members.len())?;
            let mut rows = 0;
            for &(.., record) in members {
                rows += rows_of(record);
                if let Some(codes) = sensitive.as_ref().filter(|_| !model.counts_holders()) {
                    counts[codes.get(record as usize) as usize] += rows_of(record);
                }
            }
            let of_persons = members.chunk_by(|a, b| a.1 == b.1);
            if let Some(codes) = sensitive.as_ref().filter(|_| model.counts_holders()) {
                for of_person in of_persons.clone() {
                    let rows = of_person.iter().filter(|&&(.., record)| rows_of(record) > 0);
                    let mut held = pace::collect(rows.map(|&(.., record)| codes.get(record as usize)))?;
                    pace::sort_by(&mut held, Ord::cmp)?;
                    held.dedup();
                    held.into_iter().for_each(|value| counts[value as usize] += 1);
                }
            }
            let is_there = |records: &&[Member]| records.iter().any(|&(.., record)| rows_of(record) > 0);
            let persons = of_persons.filter(is_there).count() as u32;
            model.measure(GroupCounts { records: rows, persons, sensitive: &counts }, &mut measures)?;
            let holds = measures.iter().all(|&measure| model.holds(measure));
            show(Group { members, rows, measures: &measures, holds });
            if let Some(codes) = &sensitive {
                members.iter().for_each(|&(.., record)| counts[codes.get(record as usize) as usize] = 0);
            }
        }
        Ok(())
    }
}

/// How many persons there are, and how many of them hold each value of a column.
pub fn holders(
    values: (&Store, usize),
    persons: (&Store, usize),
    records: usize,
) -> Result<(u64, Vec<u64>), Error> {
    room::<u64>(values.1)?;
    let mut counts = vec![0; values.1];
    let pairs = compress(&[values.0, persons.0], &[values.1, persons.1], records, None)?;
    let of_pairs = &pairs.columns[0];
    pace::each(0..of_pairs.len(), |pair| counts[of_pairs.get(pair) as usize] += 1)?;
    let all = compress(&[persons.0], &[persons.1], records, None)?;
    Ok((all.weights.len() as u64, counts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{ConfidenceBound, Diversity, KAnonymity, LDiversity};

    #[test]
    fn groups_of_two_releases() {
        // Two releases of seven rows, each of groups of three or four; together they make groups of 3, 1, 2 and 1.
        let (before, now) =
            (Store::from_iter([0, 0, 0, 0, 1, 1, 1]), Store::from_iter([0, 0, 0, 1, 1, 1, 0]));
        let columns = [&before, &now].map(|codes| Released { codes, as_number: &[0, 1], numbers: 2 });
        let values = Store::from_iter([0, 1, 1, 0, 2, 2, 0]);
        let persons = Store::from_iter([5, 5, 6, 7, 8, 9, 9]);
        let counted =
            Counted { records: 7, weights: None, sensitive: Some((&values, 3)), persons: None, counts: None };
        let of = |model: &dyn PrivacyModel, columns: &[Released], counted| {
            let Measured { achieved, groups, broken_groups, broken_rows } =
                measured(model, &[columns.to_vec()], counted).unwrap();
            (achieved, groups, broken_groups, broken_rows)
        };
        let k = KAnonymity::new(vec![0], 3);
        assert_eq!(of(&k, &columns[..1], counted), (3.0, 2, 0, 0));
        let some = Counted { counts: Some(&[true, true, false, false, true, true, true]), ..counted };
        assert_eq!(of(&k, &columns[..1], some), (2.0, 2, 1, 2));
        assert_eq!(of(&k, &columns, counted), (1.0, 4, 3, 4));
        let two = LDiversity::new(vec![0], 0, Diversity::Distinct { l: 2.0 });
        assert_eq!(of(&two, &columns[1..], counted), (2.0, 2, 0, 0));
        assert_eq!(of(&two, &columns, counted), (1.0, 4, 3, 4));
        let broken = |counted| {
            let groups = Groups::on(&columns, counted).unwrap();
            let groups = groups.broken(&KAnonymity::new(vec![0], 3), counted).unwrap();
            let parts = |group: BrokenGroup| (group.records, group.lacks);
            groups.into_iter().map(parts).collect::<Vec<_>>()
        };
        assert_eq!(broken(counted), [(vec![3], 2), (vec![6], 2), (vec![4, 5], 1)]);
        // What stands for no row makes no group, and goes with the one that it is in.
        let weights = Codes::from_iter([1, 1, 0, 0, 2, 1, 0]);
        let weighed = broken(Counted { weights: Some(&weights), ..counted });
        assert_eq!(weighed, [(vec![0, 1, 2], 1)]);
        let of_persons = Counted { weights: Some(&weights), persons: Some(&persons), ..counted };
        assert_eq!(of(&KAnonymity::new(vec![0], 1).of_persons(0), &columns, of_persons).0, 0.0);
        // Twice as many rows of each are no more persons.
        let weights = Codes::from_iter([2; 7]);
        let counted = Counted { weights: Some(&weights), persons: Some(&persons), ..counted };
        assert_eq!(of(&KAnonymity::new(vec![0], 3), &columns, counted), (2.0, 4, 2, 4));
        assert_eq!(of(&KAnonymity::new(vec![0], 2).of_persons(0), &columns, counted), (1.0, 4, 2, 4));
    }
    #[test]
    fn who_holds_several_values_counts_for_each() {
        let (values, persons) = (Store::from_iter([0, 1, 0, 0, 2, 0]), Store::from_iter([1, 1, 1, 0, 0, 2]));
        assert_eq!(holders((&values, 3), (&persons, 3), 6).unwrap(), (3, vec![3, 1, 1]));
        // Two groups of three rows: persons 1, who holds two values; and 0, who holds two, and 2.
        let group = Store::from_iter([0, 0, 0, 1, 1, 1]);
        let released = [vec![Released { codes: &group, as_number: &[0, 1], numbers: 2 }]];
        let counted = Counted {
            records: 6,
            weights: None,
            sensitive: Some((&values, 3)),
            persons: Some(&persons),
            counts: None,
        };
        let of_rows = ConfidenceBound::new(vec![0], 0, vec![Some(0), Some(1)], 1.0);
        assert_eq!(measured(&of_rows, &released, counted).unwrap().achieved, 2.0 / 3.0);
        let one = ConfidenceBound::new(vec![0], 0, vec![Some(2)], 1.0).of_persons(0);
        assert_eq!(measured(&one, &released, counted).unwrap().achieved, 0.5);
        assert_eq!(measured(&of_rows.of_persons(0), &released, counted).unwrap().achieved, 1.0);
    }
}
