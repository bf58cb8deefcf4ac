//! The steps of an earlier search, replayed on the same or another table. In their order, each step is performed if
//! it is still possible and all models hold after it. The children of a step left out are not in the cut, so later
//! steps on them are not possible either.

use super::search::evaluate;
use super::state::{covers, released_node, Node, State};
use super::{Candidate, Case, Masking};

/// A refinement, independent of a table. The children of a disclosure are the value, then `Node::Star`.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    pub attribute: usize,
    pub node: Node,
    pub children: Vec<Node>,
}

impl Refinement {
    /// Evaluates the refinement in a state; None if it is not possible there.
    pub fn evaluate_in(&self, case: &Case, state: &State) -> Option<Candidate> {
        let Refinement { attribute, node, children } = self;
        self.is_possible(case, state).then(|| evaluate(case, state, *attribute, node, children.clone()))
    }

    /// Says whether the cut contains the node and, for a disclosure, whether some suppressed record holds the value.
    fn is_possible(&self, case: &Case, state: &State) -> bool {
        let Refinement { attribute, node, children } = self;
        let suppressed = |row: &usize| released_node(case, state, *attribute, *row) == Node::Star;
        let held = |row: usize| covers(case, *attribute, &children[0], case.rows[row].values[*attribute]);
        state.cuts[*attribute].contains(node)
            && case.attributes[*attribute].may_refine(node)
            && (!matches!(case.attributes[*attribute].masking, Masking::Suppression { .. })
                || (0..case.rows.len()).filter(suppressed).any(held))
    }
}

/// Replays a trace. Returns the final state and, for each refinement, its step; None if it was left out.
pub fn perform_again(case: &Case, trace: &[Refinement]) -> (State, Vec<Option<Candidate>>) {
    let mut state = State::initial(case);
    let steps = trace.iter().map(|refinement| {
        let step = refinement.evaluate_in(case, &state).filter(|step| step.valid)?;
        state = State::perform(case, &state, &step);
        Some(step)
    });
    let steps = steps.collect();
    (state, steps)
}

/// Returns the final state of a trace if no model had to hold.
pub fn final_state_without_models(case: &Case, trace: &[Refinement]) -> State {
    trace.iter().fold(State::initial(case), |state, refinement| {
        let Refinement { attribute, node, children } = refinement;
        match refinement.is_possible(case, &state) {
            true => state.refine(*attribute, node, children),
            false => state,
        }
    })
}
