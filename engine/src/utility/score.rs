//! The trade of gain against privacy loss that chooses the next refinement.

/// A score function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// IG/loss, and IG where loss = 0 (TDS section 4).
    Tds,
    /// IG/(loss + 1) (TDR section 3.2, PDA section 4.1).
    Tdr,
    /// IG alone (TDS Example 6, TDR section 3.3).
    InfoGain,
    /// G/(1 + relative loss): G is what the whole release tells more, given all that it tells already.
    Conditional,
}

/// Which gain a score is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GainTerm {
    /// InfoGain, or the fall of certainty loss, of the refined records.
    OfRecords,
    /// G: of the whole table, given the leaves, less what chance would tell.
    GivenLeaves,
}

/// Which privacy loss a score is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LossTerm {
    /// AnonyLoss: how much the measures worsen.
    Absolute,
    /// How much they worsen in proportion.
    Relative,
}

impl Score {
    /// The gain that the score is of, by global and by local recoding.
    pub(crate) fn gain_term(self) -> GainTerm {
        match self {
            Score::Tds | Score::Tdr | Score::InfoGain => GainTerm::OfRecords,
            Score::Conditional => GainTerm::GivenLeaves,
        }
    }

    /// The privacy loss that the score is of.
    pub(crate) fn loss_term(self) -> LossTerm {
        match self {
            Score::Tds | Score::Tdr | Score::InfoGain => LossTerm::Absolute,
            Score::Conditional => LossTerm::Relative,
        }
    }

    /// The score of a refinement, of the gain and the loss that it weighs.
    pub fn of(self, gain: f64, loss: f64) -> f64 {
        match self {
            Score::Tds if loss != 0.0 => gain / loss,
            Score::Tds | Score::InfoGain => gain,
            Score::Tdr | Score::Conditional => gain / (loss + 1.0),
        }
    }
}
