//! Law: memory for counts of a column's values by sensitive values is asked for before it is allocated.

use engine_tests::small::{problem, stores, Column};
use peak_alloc::PeakAlloc;
use std::rc::Rc;
use topdown::privacy::{Diversity, KAnonymity, LDiversity, PrivacyModel};
use topdown::progress::{ObserverScope, Progress};
use topdown::refine::Hierarchy;
use topdown::table::Store;
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

/// Number of masked values, of sensitive values and of persons: 16 million cells, of a table with two rows a value.
const VALUES: usize = 4000;

/// Searches for a release of one column that is also the sensitive column.
fn release(
    column: &Column,
    persons: &Store,
    model: Box<dyn PrivacyModel>,
    recoding: Recoding,
) -> Result<Outcome, Error> {
    let (columns, stores) = (std::slice::from_ref(column), stores(std::slice::from_ref(column)));
    search(Problem {
        sensitive: vec![CodedColumn { codes: &stores[0], cardinality: VALUES }],
        persons: vec![CodedColumn { codes: persons, cardinality: VALUES }],
        models: vec![model],
        recoding,
        ..problem(columns, &stores, 1)
    })
}

#[test]
fn memory_of_cells_is_asked_for_before_it_is_taken() {
    let column = Column {
        codes: (0..2 * VALUES).map(|row| (row % VALUES) as Code).collect(),
        hierarchy: Hierarchy::by_suppression(VALUES, false).unwrap(),
    };
    let diversity = || LDiversity::new(vec![0], 0, Diversity::Distinct { l: 1.0 });
    for (number, recoding) in
        [(0, Recoding::Global), (1, Recoding::Global), (0, Recoding::Local), (1, Recoding::Local)]
    {
        let persons = Store::from_iter((0..2 * VALUES).map(|row| (row / 2) as Code));
        let model: Box<dyn PrivacyModel> = match number {
            0 => Box::new(diversity()),
            _ => Box::new(diversity().counting_persons(0)),
        };
        ALLOCATED.reset_peak_usage();
        let outcome = {
            let _watched = ObserverScope::observe_with(Rc::new(Budget));
            release(&column, &persons, model, recoding).map(|_| ())
        };
        let Err(Error::Memory { needed, .. }) = outcome else {
            panic!("{number}, {recoding:?}: {outcome:?}")
        };
        assert!(needed > 4 * VALUES * VALUES);
        assert!(ALLOCATED.peak_usage() < BUDGET, "{number}, {recoding:?}: {}", ALLOCATED.peak_usage());
    }
    // A model that needs no such counts fits into the budget.
    let persons = Store::from_iter(column.codes.iter().copied());
    let _watched = ObserverScope::observe_with(Rc::new(Budget));
    let k = Box::new(KAnonymity::new(vec![0], 2).counting_persons(0));
    release(&column, &persons, k, Recoding::Global).unwrap();
}
