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

/// Gain that a score uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GainTerm {
    /// InfoGain, or the fall of certainty loss, of the refined records.
    RefinedRecords,
    /// G: information gain over the whole table, given the leaves, less the gain expected by chance.
    GivenLeaves,
}

/// Privacy loss that a score uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LossTerm {
    /// AnonyLoss: mean worsening of the measures.
    Absolute,
    /// Mean relative worsening of the measures.
    Relative,
}

impl Score {
    pub(crate) fn gain_term(self) -> GainTerm {
        match self {
            Score::Tds | Score::Tdr | Score::InfoGain => GainTerm::RefinedRecords,
            Score::Conditional => GainTerm::GivenLeaves,
        }
    }

    pub(crate) fn loss_term(self) -> LossTerm {
        match self {
            Score::Tds | Score::Tdr | Score::InfoGain => LossTerm::Absolute,
            Score::Conditional => LossTerm::Relative,
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
