//! Texts that hold several facts: sentences, and documents that are written as text.

/// A text of so many words is more than the name of a category.
const WORDS: usize = 6;

/// So many of these have letters enough to be words: an address of a network card has six parts, and none.
const LONG_WORDS: usize = 4;

/// How many letters a long word has at least.
const LETTERS: usize = 3;

/// Whether a text is a document, or has several words.
pub fn holds_several(text: &str) -> bool {
    let text = text.trim();
    let is_within = |open, close| text.len() > 2 && text.starts_with(open) && text.ends_with(close);
    if is_within('{', '}') || is_within('[', ']') || is_within('<', '>') {
        return true;
    }
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let is_long = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS;
    words().take(WORDS).count() == WORDS && words().filter(is_long).take(LONG_WORDS).count() == LONG_WORDS
}

#[cfg(test)]
mod tests {
    use super::holds_several;

    #[test]
    fn texts_of_several_facts() {
        for text in [
            "Sister of Anna Muster, ward 3, HIV positive, call 555-1234.",
            r#"{"zip": 10115, "name": "N1"}"#,
            "<p><name>N1</name></p>",
            "[1, 2]",
            "Allergic to penicillin; mother diabetic; lives alone",
            "/home/muster/scans/anna_muster_1980_ward_3.pdf",
        ] {
            assert!(holds_several(text), "{text}");
        }
        for text in [
            "No findings.",
            "Married-civ-spouse",
            "Outlying-US(Guam-USVI-etc)",
            "2013-01-31 12:30:05.123",
            "08:00:2b:01:02:03",
            "550e8400-e29b-41d4-a716-446655440000",
            "192.168.100.128/25",
            "",
            "{}",
        ] {
            assert!(!holds_several(text), "{text}");
        }
    }
}
