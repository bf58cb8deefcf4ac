//! Law: counts of a column's values by sensitive values take memory by the rows of the table.

use engine_tests::small::{problem, stores, Column};
use peak_alloc::PeakAlloc;
use std::rc::Rc;
use topdown::privacy::{Diversity, PrivacyModel};
use topdown::progress::{ObserverScope, Progress};
use topdown::refine::Hierarchy;
use topdown::{search, Code, CodedColumn, Error, Outcome, Problem, Recoding};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

const BUDGET: usize = 32 << 20;

/// Observer that refuses memory beyond the budget, and cancels work that holds more.
struct Budget;

impl Progress for Budget {
    fn poll(&self) -> Result<(), Error> {
        match ALLOCATED.current_usage() > BUDGET {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }
    fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
        |bytes| {
            let needed = ALLOCATED.current_usage().saturating_add(bytes);
            match needed > BUDGET {
                true => Err(Error::Memory { needed, budget: BUDGET }),
                false => Ok(()),
            }
        }
    }
}

/// Numbers of masked and of sensitive values: 100 million counts, of a table with two rows per masked value.
const VALUES: usize = 10_000;
const SENSITIVE: usize = 10_007;

/// Discloses some values of one column, beside the sensitive column and persons with two rows each.
fn release(model: PrivacyModel, recoding: Recoding) -> Result<Outcome, Error> {
    let rows = 0..2 * VALUES;
    let column = Column {
        codes: rows.clone().map(|row| (row % VALUES) as Code).collect(),
        hierarchy: Hierarchy::by_suppression(VALUES, false).unwrap(),
    };
    let sensitive = rows.clone().map(|row| (row % SENSITIVE) as Code).collect();
    let persons = rows.map(|row| (row / 2) as Code).collect();
    let (columns, stores) = (std::slice::from_ref(&column), stores(std::slice::from_ref(&column)));
    search(Problem {
        sensitive: vec![CodedColumn { codes: &sensitive, cardinality: SENSITIVE }],
        persons: vec![CodedColumn { codes: &persons, cardinality: VALUES }],
        models: vec![model],
        recoding,
        max_steps: Some(1),
        ..problem(columns, &stores, 1)
    })
}

#[test]
fn memory_of_counts_is_bounded_by_the_rows() {
    let diversity = || PrivacyModel::l_diversity(vec![0], 0, Diversity::Distinct { l: 2.0 });
    for recoding in [Recoding::Global, Recoding::Local] {
        for model in [diversity(), diversity().counting_persons(0)] {
            ALLOCATED.reset_peak_usage();
            let outcome = {
                let _watched = ObserverScope::observe_with(Rc::new(Budget));
                release(model, recoding).unwrap()
            };
            assert_eq!(outcome.steps.len(), 1);
            assert!(ALLOCATED.peak_usage() < BUDGET, "{recoding:?}: {}", ALLOCATED.peak_usage());
        }
    }
}
