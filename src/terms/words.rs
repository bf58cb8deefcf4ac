//! Arguments that are one of a few words (docs/reference/functions.md).

use crate::postgres::arguments::Word;
use serde::{Deserialize, Serialize};
use topdown::utility;

/// Who asks: masked columns without a masking of their own are treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Verb {
    /// tds_anonymize, tds_steps: continuous columns by intervals, others by suppression.
    #[default]
    #[serde(rename = "tds_anonymize")]
    Tds,
    /// pda_anonymize: all by suppression.
    #[serde(rename = "pda_anonymize")]
    Pda,
    /// kmember_anonymize: as tds_anonymize.
    #[serde(rename = "kmember_anonymize")]
    KMember,
}

/// How refinements are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    #[default]
    Tds,
    Tdr,
    InfoGain,
    Conditional,
}

impl Word for Score {
    const WHAT: &'static str = "score";
    const WORDS: &'static str = "The scores are tds, tdr, info_gain and conditional.";
}

impl Score {
    /// The engine's.
    pub fn engine(self) -> utility::Score {
        match self {
            Score::Tds => utility::Score::Tds,
            Score::Tdr => utility::Score::Tdr,
            Score::InfoGain => utility::Score::InfoGain,
            Score::Conditional => utility::Score::Conditional,
        }
    }
}

/// How intervals are released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intervals {
    #[default]
    Label,
    /// As labels of one width.
    Padded,
    Bounds,
    Range,
}

impl Word for Intervals {
    const WHAT: &'static str = "form of intervals";
    const WORDS: &'static str = "Intervals are released as label, padded, bounds or range.";
}

/// Where intervals are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// Where the gain is largest, as in the papers.
    #[default]
    Optimal,
    /// Where it is largest among the valid splits.
    Valid,
    /// Of the valid splits, where the rows are divided most evenly.
    Median,
}

impl Word for Split {
    const WHAT: &'static str = "split";
    const WORDS: &'static str = "Intervals are split as optimal, valid or median.";
}

impl Split {
    /// The engine's.
    pub fn engine(self) -> topdown::refine::interval::SplitRule {
        match self {
            Split::Optimal => topdown::refine::interval::SplitRule::Optimal,
            Split::Valid => topdown::refine::interval::SplitRule::Valid,
            Split::Median => topdown::refine::interval::SplitRule::Median,
        }
    }
}

/// Which ends of intervals are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoints {
    /// The roundest between two values.
    #[default]
    Rounded,
    /// Values of the data, as in the papers.
    Values,
}

impl Word for Endpoints {
    const WHAT: &'static str = "ends of intervals";
    const WORDS: &'static str = "The ends of intervals are rounded or values.";
}

/// Whether a value is released alike wherever it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recoding {
    /// One cut a column, as in the papers.
    #[default]
    Global,
    /// A refinement is performed on one group of rows at a time.
    Local,
    /// The same; then the rows of each group are clustered.
    Clustered,
}

impl Word for Recoding {
    const WHAT: &'static str = "recoding";
    const WORDS: &'static str = "Recoding is global, local or clustered.";
}

impl Recoding {
    /// The engine's.
    pub fn engine(self) -> topdown::Recoding {
        match self {
            Recoding::Global => topdown::Recoding::Global,
            Recoding::Local => topdown::Recoding::Local,
            Recoding::Clustered => topdown::Recoding::Clustered,
        }
    }

    /// Whether a refinement is performed on one group of rows, not wherever a value occurs.
    pub fn is_by_group(self) -> bool {
        self != Recoding::Global
    }

    /// The word, as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Recoding::Global => "global",
            Recoding::Local => "local",
            Recoding::Clustered => "clustered",
        }
    }
}

/// How a release is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refresh {
    /// The steps of the last search or rewind are performed again.
    #[default]
    Replay,
    /// By a new search.
    Search,
    /// By a replay, or by a new search where that would lose more than the current version by more than a tenth of it.
    Auto,
}

impl Word for Refresh {
    const WHAT: &'static str = "mode";
    const WORDS: &'static str = "The modes are replay, search and auto.";
}

/// What two versions that follow each other may tell of who came and left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changes {
    /// Anything.
    #[default]
    Any,
    /// No more than that some of a group did: enough for the models.
    Batched,
}

impl Changes {
    pub fn is_any(&self) -> bool {
        *self == Changes::Any
    }
}

impl Word for Changes {
    const WHAT: &'static str = "kind of changes";
    const WORDS: &'static str = "Changes are any or batched.";
}

/// What tells the rows of two versions apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApartBy {
    /// What they hold in the source.
    Source,
    /// What readers are shown of them: values are equal as SQL has it.
    Shown,
    /// The same, and how it is printed.
    Printed,
}

impl Word for ApartBy {
    const WHAT: &'static str = "comparison";
    const WORDS: &'static str =
        "Rows are compared by what they hold, by what is shown of them, or by how that is printed: source, shown or printed.";
}

/// Whom a report is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// All that is known.
    Owner,
    /// What a recipient may see.
    Recipient,
}

impl Word for Audience {
    const WHAT: &'static str = "audience";
    const WORDS: &'static str = "A report is for the owner or for a recipient: owner or recipient.";
}

/// What becomes of rows that hold a value without a place in its taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    /// They are an error.
    #[default]
    Error,
    /// They are left out, within the share that the release may withhold.
    Withhold,
}

impl Word for Unknown {
    const WHAT: &'static str = "treatment of unknown values";
    const WORDS: &'static str = "Unknown values are an error, or their rows are withheld: error or withhold.";
}
