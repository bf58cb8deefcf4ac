//! A release in short: sentences for people who decide on it, before any table. A recipient reads nothing here that the view,
//! the cut and `about` do not show.

use super::facts::Facts;
use crate::postgres::error::{percent, some_of};
use crate::release::measure::verify::Verdict;

/// A question, and its answer in sentences.
pub struct Answer {
    pub question: &'static str,
    pub sentences: Vec<String>,
}

/// The questions that everybody asks.
pub fn in_short(facts: &Facts) -> Vec<Answer> {
    let answer = |question, sentences| Answer { question, sentences };
    vec![
        answer("What is released?", released(facts)),
        answer("Who may read it?", readers(facts)),
        answer("What is guaranteed?", guaranteed(facts)),
        answer("What is not?", not_guaranteed(facts)),
        answer("How useful is it?", useful(facts)),
    ]
}

fn released(facts: &Facts) -> Vec<String> {
    let as_they_are = facts.kept.iter().filter(|kept| kept.masked.is_none()).count();
    // A rewind reads no source: its rows are older than it is.
    let when = match facts.is_rewound {
        true => format!(", made {} of rows that were read before", facts.made),
        false => format!(" as of {}", facts.made),
    };
    let mut sentences = vec![format!(
        "{}{when}: {} with {} and {}.",
        facts.view,
        several(facts.rows as usize, ["row", "rows"]),
        several(facts.columns.len() + facts.more_columns, ["masked column", "masked columns"]),
        several(as_they_are, ["column that is released unchanged", "columns that are released unchanged"]),
    )];
    let masked: Vec<&str> =
        facts.kept.iter().filter(|kept| kept.masked.is_some()).map(|kept| kept.name.as_str()).collect();
    if !masked.is_empty() {
        sentences.push(format!("{} are kept, but not as they are.", some_of(masked)));
    }
    let left_out = match facts.withheld {
        None => {
            facts.may_withhold.then(|| "Rows of the source may be left out, if they are rare".to_string())
        }
        Some(0) => None,
        Some(1) => Some("1 row of the source is left out, because it is rare".to_string()),
        Some(rows) => Some(format!("{rows} rows of the source are left out, because they are rare")),
    };
    sentences.extend(left_out.map(|left_out| format!("{left_out}: counts and averages miss them.")));
    if facts.is_batched {
        let lag = "Changes come in batches: rows may be gone from the source by now, and the newest may be missing.";
        sentences.push(lag.into());
    }
    sentences
}

fn readers(facts: &Facts) -> Vec<String> {
    let Some(owner) = &facts.owner else { return vec!["Those whom its owner lets.".into()] };
    vec![match &owner.readers[..] {
        [] => "Its owner alone.".into(),
        readers => format!("Its owner, and {}.", readers.join(", ")),
    }]
}

fn guaranteed(facts: &Facts) -> Vec<String> {
    let promise = |(promise, (_, verdict)): (&String, &(String, Option<Verdict>))| match verdict {
        Some(verdict) if !verdict.holds => {
            format!("{promise}: this does not hold of the rows that are published.")
        }
        _ => format!("{promise}."),
    };
    facts.promises.iter().zip(&facts.models).map(promise).collect()
}

fn not_guaranteed(facts: &Facts) -> Vec<String> {
    let mut sentences = vec!["What all rows of a group have in common is known of each of them.".to_string()];
    if facts.kept.iter().any(|kept| kept.masked.is_none()) {
        sentences.push(
            "Columns that are released unchanged are looked at by no model: who knows their values may find the row.".into(),
        );
    }
    if !facts.means.is_empty() {
        sentences.push(
            "Means tell the sum of a group: who knows all its values but one learns the last one, and nearly the greatest where it is most of the sum.".into(),
        );
    }
    sentences.push(
        "Who has other data about the same persons, or other versions of this release, may learn more."
            .into(),
    );
    sentences
}

fn useful(facts: &Facts) -> Vec<String> {
    let mut sentences = Vec::new();
    let groups: u64 = facts.sizes.iter().map(|(_, groups)| groups).sum();
    if groups > 0 {
        let told_apart = ["group that is told apart", "groups that are told apart"];
        sentences.push(format!("The rows are in {}.", several(groups as usize, told_apart)));
    }
    let latest = facts.owner.as_ref().and_then(|owner| owner.drift.last());
    if let Some(latest) = latest.filter(|latest| latest.certainty_loss.is_finite()) {
        sentences.push(format!(
            "On average a masked value has lost {} of what it told (0 % is the value itself, 100 % is nothing).",
            percent(latest.certainty_loss)
        ));
    }
    sentences.push(match (facts.overlaps, &facts.alike[..]) {
        (false, _) => "The same value is released alike everywhere: counts of released values are those of the rows that are released.".into(),
        (_, []) => "The same value may be released in several ways: do not count by it, as the columns' comments say.".into(),
        (_, alike) => format!(
            "Values of {} are released alike everywhere. Others may be released in several ways: do not count by them, as the columns' comments say.",
            some_of(alike)
        ),
    });
    let told = ["count", "average"].into_iter().zip(facts.off).filter_map(|(what, off)| Some((what, off?)));
    let off: Vec<String> = told.map(|(what, off)| format!("{what} by {}", percent(off))).collect();
    if !off.is_empty() {
        let spread = match &facts.counts[..] {
            [] => "evenly",
            _ => "as the view counts tells",
        };
        sentences.push(format!(
            "Half of the answers by random ranges of two columns are off by no more: {}. For that, rows are spread over what they show {spread}.",
            off.join(", ")
        ));
    }
    let of_rows = match (facts.overlaps, &facts.alike[..]) {
        (false, _) => "that are released".to_string(),
        (_, []) => "that show a value, and not of all that have it".to_string(),
        (_, alike) => {
            format!("that show a value, and of all that have it only by {}", some_of(alike))
        }
    };
    for (name, share) in &facts.means {
        let lacking = match *share {
            share if share < 1.0 => format!(" {} of the rows have one.", percent(share)),
            _ => String::new(),
        };
        sentences.push(match *share {
            share if share <= 0.0 => format!("{name} is empty: values are missing in every group."),
            _ => format!(
                "Averages of {name} by masked columns are those of the rows {of_rows}; by other columns they are estimates.{lacking}"
            ),
        });
    }
    if !facts.counts.is_empty() {
        sentences
            .push(format!("The view counts tells how many rows nodes of {} have.", some_of(&facts.counts)));
    }
    sentences
}

/// A number of things, of which one and several are called so.
fn several(count: usize, [one, several]: [&str; 2]) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
