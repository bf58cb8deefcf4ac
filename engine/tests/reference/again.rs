//! The steps of an earlier search performed again, on a table that may be another: in their order, each
//! that is still possible and after which all models hold. What would have become of a node that is not
//! there is left out with it, because nodes are known by what they stand for.

use super::search::evaluate;
use super::state::{covers, released_node, Node, State};
use super::{Candidate, Case, Masking};

/// A refinement, whatever table it was found for. A disclosure's children are the value, then `Node::Star`.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    pub attribute: usize,
    pub node: Node,
    pub children: Vec<Node>,
}

impl Refinement {
    /// What it would be; none where it is not possible.
    pub fn again(&self, case: &Case, state: &State) -> Option<Candidate> {
        let Refinement { attribute, node, children } = self;
        self.is_possible(case, state).then(|| evaluate(case, state, *attribute, node, children.clone()))
    }

    /// Is the node there, and of a disclosure a record that holds the value and does not show it?
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

/// Where it ends, and what became of each refinement: the step that it was, or none if it was left out.
pub fn perform_again(case: &Case, trace: &[Refinement]) -> (State, Vec<Option<Candidate>>) {
    let mut state = State::initial(case);
    let steps = trace.iter().map(|refinement| {
        let step = refinement.again(case, &state).filter(|step| step.valid)?;
        state = State::perform(case, &state, &step);
        Some(step)
    });
    let steps = steps.collect();
    (state, steps)
}

/// Where the refinements would end if no model had to hold.
pub fn structure(case: &Case, trace: &[Refinement]) -> State {
    trace.iter().fold(State::initial(case), |state, refinement| {
        let Refinement { attribute, node, children } = refinement;
        match refinement.is_possible(case, &state) {
            true => state.refine(*attribute, node, children),
            false => state,
        }
    })
}
