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

impl Score {
    /// The score of a refinement, of the gain and the loss that it weighs.
    pub fn of(self, gain: f64, loss: f64) -> f64 {
        match self {
            Score::Tds if loss != 0.0 => gain / loss,
            Score::Tds | Score::InfoGain => gain,
            Score::Tdr | Score::Conditional => gain / (loss + 1.0),
        }
    }
}
