//! Score of gain against privacy loss, which chooses the next refinement.

/// A score function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// IG/loss, and IG where loss = 0 (TDS section 4).
    Tds,
    /// IG/(loss + 1) (TDR section 3.2, PDA section 4.1).
    Tdr,
    /// IG alone (TDS Example 6, TDR section 3.3).
    InfoGain,
    /// G/(1 + relative loss). G is the information about the class that the refinement adds to the rest of the
    /// release.
    Conditional,
}

impl Score {
    /// Returns whether the score weighs G against the relative worsening of the measures. G is the information gain
    /// over the whole table given the leaves, less the gain expected by chance. The other scores weigh InfoGain (or the
    /// fall of certainty loss) of the refined records against the worsening itself.
    pub(crate) fn is_conditional(self) -> bool {
        match self {
            Score::Tds | Score::Tdr | Score::InfoGain => false,
            Score::Conditional => true,
        }
    }

    /// Returns the score of a refinement from its gain and its privacy loss.
    pub fn evaluate(self, gain: f64, loss: f64) -> f64 {
        match self {
            Score::Tds if loss != 0.0 => gain / loss,
            Score::Tds | Score::InfoGain => gain,
            Score::Tdr | Score::Conditional => gain / (loss + 1.0),
        }
    }
}
