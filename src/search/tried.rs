//! What a search would release, told by its figures alone: it is searched, and nothing is written.

use super::input::{copies, Input};
use super::penalty::certainty_loss;
use super::queries::Queries;
use super::result::GeneralizedColumn;
use super::{run_engine, Performed, SearchMode};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::terms::asked::{QUERIES, SEED};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use topdown::measure::{class_information, RecordClasses, Released};
use topdown::table::Store;

/// Queries that a search is measured by. What was chosen by some would look better by them than it is.
pub(super) struct Drawn {
    /// Those whose error is told.
    told: Queries,
    /// Those by which it is chosen: more, so that it is less by chance.
    choosing: Queries,
}

impl Drawn {
    pub(super) fn of(request: &Request, input: &Input) -> Result<Drawn> {
        let draw = |count, seed| Queries::draw(request, input, count, seed);
        Ok(Drawn { told: draw(QUERIES, SEED)?, choosing: draw(4 * QUERIES, SEED + 1)? })
    }
}

/// What a search would release.
#[derive(Debug)]
pub struct Tried {
    pub steps: i32,
    /// How many of them refine each masked column.
    pub refined: Vec<usize>,
    /// By all masked columns together.
    pub groups: i64,
    /// In rows, or in the persons that a model counts; none where there are no rows.
    pub smallest_group: Option<i64>,
    /// The mean certainty penalty of all cells.
    pub certainty_loss: f64,
    /// The median error of the queries' counts; none where there are none.
    pub query_error: Option<f64>,
    /// That of the queries by which it is chosen.
    pub choosing_error: Option<f64>,
    /// The share of the class's entropy that the masked columns tell; none without a class.
    pub class_information: Option<f64>,
    /// Rows that are left out.
    pub withheld: i64,
}

impl Tried {
    /// Whether another search would release the same, in whichever steps: all its figures are the same.
    pub fn is_same_release(&self, other: &Tried) -> bool {
        let figures = |tried: &Tried| {
            let Tried { groups, smallest_group, certainty_loss, query_error, withheld, .. } = *tried;
            (groups, smallest_group, certainty_loss, query_error, tried.choosing_error, withheld)
        };
        figures(self) == figures(other)
    }
}

/// Searches; the input stays for the next one.
pub(super) fn try_search(
    request: &Request,
    input: &mut Input,
    models: &[privacy_model],
    drawn: Option<&Drawn>,
) -> Result<Tried> {
    let hierarchies = copies(&input.hierarchies)?;
    let Performed { outcome, .. } =
        run_engine(request, models, &SearchMode::First, input, hierarchies, None)?;
    let steps = outcome.steps.len() as i32;
    let mut refined = vec![0; request.masked.len()];
    polled(&outcome.steps).for_each(|step| refined[step.attribute] += 1);
    let (columns, groups) = input.generalized(request, outcome)?;
    let tried = measured(request, input, (&columns, groups.as_ref()), models, drawn)?;
    input.labels = columns.into_iter().map(|column| column.bound.labels).collect();
    Ok(Tried { steps, refined, ..tried })
}

/// What is released by a cut of every column, or by the groups of the rows.
fn measured(
    request: &Request,
    input: &Input,
    (columns, groups): (&[GeneralizedColumn], Option<&Store>),
    models: &[privacy_model],
    drawn: Option<&Drawn>,
) -> Result<Tried> {
    let numbers = |column: &GeneralizedColumn| match groups {
        Some(_) => column.numbers_as_shown(request),
        None => column.numbers(),
    };
    let numbers: Vec<Vec<u32>> = columns.iter().map(numbers).collect();
    let weights = input.table.weights();
    let keys = |attribute: usize| match groups {
        Some(groups) => Ok(groups),
        None => Ok(&input.table.column(columns[attribute].column)?.codes),
    };
    let mut released = Vec::new();
    for (attribute, (column, numbers)) in columns.iter().zip(&numbers).enumerate() {
        released.push(Released {
            codes: keys(attribute)?,
            number_of_code: numbers,
            number_count: column.cut.len(),
        });
    }
    let person = models.iter().find_map(|model| request.person(model.person()?));
    let persons = person.map(|person| &input.persons[person].0);
    let classes = RecordClasses::build(&released, input.table.records)?;
    let sizes = match persons {
        Some(persons) => classes.distinct_codes(persons)?,
        None => classes.rows(weights)?,
    };
    let class = input.class.as_ref();
    let class = class.map(|class| class_information(&classes, &class.codes, weights));
    let error = |queries: &Queries| queries.error(input, columns, (&classes, &released), groups.is_some());
    let told = drawn.map(|drawn| error(&drawn.told)).transpose()?.flatten();
    let choosing = drawn.map(|drawn| error(&drawn.choosing)).transpose()?.flatten();
    Ok(Tried {
        steps: 0,
        refined: Vec::new(),
        groups: sizes.len() as i64,
        smallest_group: sizes.iter().min().map(|&size| size as i64),
        certainty_loss: certainty_loss(request, columns, (&input.table, keys))?,
        query_error: told,
        choosing_error: choosing,
        class_information: class.transpose().map_err(SqlError::from)?,
        withheld: input.withheld.rows as i64,
    })
}
