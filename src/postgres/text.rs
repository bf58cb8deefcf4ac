//! Texts in messages and statements, as far as no server is needed to make them: this file imports
//! nothing of the crate's, so that its tests run without one (tests/tests/texts.rs).

use std::borrow::Cow;
use std::fmt::Write;

/// A number as PostgreSQL writes it.
pub fn number(value: f64) -> String {
    if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.into()
    } else {
        value.to_string()
    }
}

/// The same, of three digits.
pub fn brief(value: f64) -> String {
    number(format!("{value:.2e}").parse().unwrap_or(value))
}

/// A share, as people say it.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        0.05.. => format!("{percent:.1} %"),
        _ => "less than 0.1 %".into(),
    }
}

/// So many of something.
pub fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A text as messages show it: a value may be as long as it likes, a message may not.
pub fn clipped(text: &str) -> Cow<'_, str> {
    let text = clipped_to(text, SHOWN_CHARACTERS);
    match text.contains(is_hidden) {
        true => Cow::Owned(text.chars().map(shown).collect()),
        false => text,
    }
}

/// Whether a character cannot be told from others, or from none, where it is printed.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || c.is_whitespace() && c != ' '
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A character as messages show it.
fn shown(c: char) -> String {
    match c {
        '\n' | '\r' | '\t' => c.escape_default().to_string(),
        _ if is_hidden(c) => format!("\\u{:04X}", u32::from(c)),
        _ => c.to_string(),
    }
}

/// A text as messages show it that are about nothing else.
pub fn clipped_to(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// How much of a value a message shows.
const SHOWN_CHARACTERS: usize = 60;

/// Up to ten of some things, quoted, and how many more there are.
pub fn some_of<S: AsRef<str>>(things: impl IntoIterator<Item = S>) -> String {
    let mut things = things.into_iter();
    let mut text = String::new();
    for thing in things.by_ref().take(10) {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = write!(text, "{separator}\"{}\"", clipped(thing.as_ref()));
    }
    let more = things.count();
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// An array as PostgreSQL writes it.
pub fn array<'a>(elements: impl Iterator<Item = Option<&'a str>>) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let elements: Vec<String> = elements.map(|text| text.map_or("NULL".into(), quoted)).collect();
    format!("{{{}}}", elements.join(","))
}

/// A name with a suffix; a name that is too long for so many `bytes` is clipped so that its suffix fits.
pub fn suffixed(name: &str, suffix: &str, bytes: usize) -> String {
    let mut end = name.len().min(bytes - suffix.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{suffix}", &name[..end])
}

/// A statement with a comment behind it, in so many `bytes`: it is the statement that is clipped where they do not
/// hold both, between characters of UTF-8.
pub fn commented(statement: &[u8], comment: &str, bytes: usize) -> Vec<u8> {
    let room = bytes.saturating_sub(comment.len() + 1);
    let (mut end, mut separator) = (statement.len(), " ");
    if end > room {
        separator = "... ";
        end = room.saturating_sub(separator.len() - 1);
        // A byte that goes on with a character is none to begin what is left out with.
        while end > 0 && statement[end] & 0xC0 == 0x80 {
            end -= 1;
        }
    }
    if end == 0 {
        separator = "";
    }
    [&statement[..end], separator.as_bytes(), comment.as_bytes()].concat()
}

/// How deep a JSON text nests.
pub fn depth(json: impl Iterator<Item = u8>) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0usize, 0, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// How much of a text is compared with others.
const COMPARED_CHARACTERS: usize = 32;

/// As much of a text.
pub fn beginning(text: &str) -> &str {
    text.char_indices().nth(COMPARED_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

/// The text that is another one but for a slip or two, if there is one.
pub fn a_slip_from<'a>(wanted: &str, held: impl Iterator<Item = &'a String>) -> Option<&'a str> {
    let wanted = beginning(wanted).to_lowercase();
    // None in a name of one or two letters.
    let allowed = (wanted.chars().count() + 1) / 4;
    let distance = |text: &str| strsim::damerau_levenshtein(&text.to_lowercase(), &wanted);
    let near = held.map(|text| (distance(text), text.as_str())).filter(|(distance, _)| *distance <= allowed);
    near.min().map(|(_, text)| text)
}

/// The texts that read most like another, three at most, if they read like it at all.
pub fn near<'a>(wanted: &str, held: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let wanted = beginning(wanted).to_lowercase();
    let distance = |text: &str| strsim::damerau_levenshtein(&text.to_lowercase(), &wanted);
    let mut near: Vec<(usize, &str)> = held
        .map(|text| (distance(text), text.as_str()))
        .filter(|(distance, text)| *distance < text.chars().count().max(wanted.chars().count()))
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, text)| text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips() {
        let held = ["age", "sex", "education", "Bachelor"].map(String::from);
        let slip = |wanted| a_slip_from(wanted, held.iter());
        assert_eq!(
            [slip("Age"), slip("aeg"), slip("eduction")],
            [Some("age"), Some("age"), Some("education")]
        );
        assert_eq!(
            [slip("Bachelors"), slip("Doctor"), slip("x"), slip("")],
            [Some("Bachelor"), None, None, None]
        );
    }

    #[test]
    fn numbers_as_postgresql_writes_them() {
        let shown = [0.5, 3.0, -0.25, 1e-9, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(number);
        assert_eq!(shown, ["0.5", "3", "-0.25", "0.000000001", "Infinity", "-Infinity", "NaN"]);
    }

    #[test]
    fn what_does_not_show_is_escaped() {
        let shown =
            ["english\u{a0}", "english\r", "eng\u{200b}lish", "two words ", "\u{202e}x", "ä"].map(clipped);
        assert_eq!(shown, ["english\\u00A0", "english\\r", "eng\\u200Blish", "two words ", "\\u202Ex", "ä"]);
    }

    #[test]
    fn long_values_are_clipped_between_characters() {
        assert_eq!(clipped_to("äöü", 3), "äöü");
        assert_eq!(clipped_to("äöü", 2), "äö...");
        assert_eq!(clipped_to("", 0), "");
        assert_eq!(clipped(&"x".repeat(100)).len(), 63);
    }

    #[test]
    fn ten_things_and_how_many_more() {
        assert_eq!(some_of(["a", "b\"c"]), "\"a\", \"b\"c\"");
        assert_eq!(some_of(vec!["x"; 10]).matches('x').count(), 10);
        assert!(some_of(vec!["x"; 13]).ends_with("\"x\" and 3 more"));
        assert_eq!(some_of::<&str>([]), "");
    }

    #[test]
    fn arrays_quote_what_is_special() {
        let elements = [Some("a,b"), None, Some("NULL"), Some("q\"\\"), Some("")];
        assert_eq!(array(elements.into_iter()), r#"{"a,b",NULL,"NULL","q\"\\",""}"#);
        assert_eq!(array(std::iter::empty()), "{}");
    }

    #[test]
    fn a_suffix_always_fits() {
        assert_eq!(suffixed("people", "_v1", 63), "people_v1");
        assert_eq!(suffixed(&"x".repeat(63), "_v12", 63), format!("{}_v12", "x".repeat(59)));
        // Not within a character: 31 of two bytes are 62.
        let name = suffixed(&"ä".repeat(31), "_v1", 63);
        assert_eq!((name.len(), name.ends_with("_v1")), (63, true));
        assert_eq!(suffixed(&"ä".repeat(31), "_v12", 63).len(), 62);
    }

    #[test]
    fn a_comment_always_fits() {
        let with_comment = |statement: &str, bytes| {
            String::from_utf8(commented(statement.as_bytes(), "/* here */", bytes)).unwrap()
        };
        assert_eq!(with_comment("SELECT 1", 100), "SELECT 1 /* here */");
        assert_eq!(with_comment("SELECT 1", 19), "SELECT 1 /* here */");
        assert_eq!(with_comment("SELECT 1", 18), "SELE... /* here */");
        assert_eq!(with_comment("SÄÄÄÄÄÄÄÄ", 19), "SÄÄ... /* here */");
        assert_eq!(with_comment("SÄÄÄÄÄÄÄÄ", 18), "SÄ... /* here */");
        for bytes in 11..40 {
            assert!(with_comment(&"ä€𝄞x".repeat(10), bytes).len() <= bytes);
        }
        // However little there is, and of nothing too.
        assert_eq!(with_comment("SELECT 1", 5), "/* here */");
        assert_eq!(with_comment("", 100), "/* here */");
        // A text that was clipped within a character before.
        let clipped = commented(&"ä".repeat(30).as_bytes()[..59], "/* here */", 59);
        assert!(String::from_utf8(clipped).unwrap().ends_with("ä... /* here */"));
    }

    #[test]
    fn only_brackets_outside_of_texts_nest() {
        let deep = |json: &str| depth(json.bytes());
        assert_eq!(["1", "[]", r#"{"a": [1, {}]}"#, "[[], [[]]]"].map(deep), [0, 1, 3, 3]);
        assert_eq!(deep(r#"{"[[[[": "{\"{["}"#), 1);
        assert_eq!(deep(r#"["\\", ["x"]]"#), 2);
        assert_eq!(deep("]]]["), 1);
    }

    #[test]
    fn what_reads_alike_is_near() {
        let held: Vec<String> =
            ["Never-married", "Divorced", "Widowed", "never maried"].map(String::from).into();
        assert_eq!(near("never-maried", held.iter())[..2], ["Never-married", "never maried"]);
        assert_eq!(near("DIVORCED", held.iter())[0], "Divorced");
        assert!(near("zzz", ["aaa".to_string()].iter()).is_empty());
        assert!(near("", held.iter()).is_empty());
        // However long the texts are: what follows is not looked at.
        let long = "x".repeat(1_000_000);
        assert_eq!(near(&long, [beginning(&long).to_string()].iter()).len(), 1);
        assert_eq!(beginning(&"ä".repeat(40)).chars().count(), 32);
    }
}
