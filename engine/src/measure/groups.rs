//! What a privacy model measures of any groups of a table, whatever made them.

use super::information::{each_class, weight, Released};
use crate::privacy::{GroupCounts, PrivacyModel};
use crate::progress::room;
use crate::table::{Codes, Store};
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

/// Measures a model of the groups of records that are alike on some columns.
pub fn measured(model: &dyn PrivacyModel, columns: &[Released], counted: Counted) -> Result<Measured, Error> {
    room::<(u64, u32, Code)>(counted.records)?;
    let mut members: Vec<(u64, Code, u32)> = Vec::with_capacity(counted.records);
    let mut buffer = Vec::new();
    each_class(columns, counted.records, |rows, classes| {
        let persons = match counted.persons {
            Some(persons) => Some(persons.fetch(rows.clone(), &mut buffer)?),
            None => None,
        };
        let each = rows.zip(classes).enumerate();
        let each = each.filter(|(_, (record, _))| counted.counts.is_none_or(|counts| counts[*record]));
        members.extend(
            each.map(|(at, (record, &class))| {
                (class, persons.map_or(0, |persons| persons[at]), record as u32)
            }),
        );
        Ok(())
    })?;
    // Records of a group lie together, and of these the same person's.
    pace::sort_by(&mut members, |a, b| a.cmp(b))?;
    let sensitive = counted.sensitive.map(|(codes, _)| codes.load()).transpose()?;
    let values = counted.sensitive.map_or(0, |(_, cardinality)| cardinality);
    room::<u32>(values)?;
    let mut counts = vec![0; values];
    let mut measures = vec![0.0; model.requirements()];
    let direction = model.direction();
    let mut all = Measured { achieved: direction.best(), groups: 0, broken_groups: 0, broken_rows: 0 };
    for group in members.chunk_by(|a, b| a.0 == b.0) {
        pace::tick(group.len())?;
        let mut records = 0;
        for &(.., record) in group {
            let rows = weight(counted.weights, record as usize) as u32;
            records += rows;
            if let Some(codes) = &sensitive {
                counts[codes.get(record as usize) as usize] += rows;
            }
        }
        let persons = group.chunk_by(|a, b| a.1 == b.1).count() as u32;
        model.measure(GroupCounts { records, persons, sensitive: &counts }, &mut measures)?;
        all.groups += 1;
        if !measures.iter().all(|&measure| model.holds(measure)) {
            all.broken_groups += 1;
            all.broken_rows += u64::from(records);
        }
        for &measure in &measures {
            all.achieved = direction.worse(all.achieved, measure);
        }
        if let Some(codes) = &sensitive {
            group.iter().for_each(|&(.., record)| counts[codes.get(record as usize) as usize] = 0);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Diversity, KAnonymity, LDiversity};

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
                measured(model, columns, counted).unwrap();
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
        // Twice as many rows of each are no more persons.
        let weights = Codes::from_iter([2; 7]);
        let counted = Counted { weights: Some(&weights), persons: Some(&persons), ..counted };
        assert_eq!(of(&KAnonymity::new(vec![0], 3), &columns, counted), (2.0, 4, 2, 4));
        assert_eq!(of(&KAnonymity::new(vec![0], 2).of_persons(0), &columns, counted), (1.0, 4, 2, 4));
    }
}
