//! What texts look like: ways to reach somebody, addresses, dates, numbers, codes. Judged by some of them, spread
//! over all; of too few nothing is said.

use std::ops::RangeInclusive;
use topdown::taxonomy::rule::network::Address;

/// What texts look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    MailAddresses,
    PhoneNumbers,
    NetworkAddresses,
    Dates,
    Numbers,
    /// Codes of one length.
    Codes {
        characters: usize,
    },
    /// Codes of several lengths.
    UnevenCodes,
}

impl Looks {
    /// What direct way to somebody they are.
    pub fn contact(self) -> Option<&'static str> {
        match self {
            Looks::MailAddresses => Some("e-mail addresses"),
            Looks::PhoneNumbers => Some("phone numbers"),
            _ => None,
        }
    }

    /// As what they would better be released, and the type that they are cast to.
    pub fn better_cast(self) -> Option<(&'static str, &'static str)> {
        match self {
            Looks::Dates => Some(("dates", "date")),
            Looks::Numbers => Some(("numbers", "numeric")),
            Looks::NetworkAddresses => Some(("addresses", "inet")),
            _ => None,
        }
    }
}

/// So many texts say what they look like.
const LOOKED_AT: usize = 1000;

/// Fewer texts than these say nothing, and are disclosed as well one by one.
pub const FEWEST: usize = 10;

/// How long codes are.
const CODE_LENGTHS: RangeInclusive<usize> = 3..=24;

/// How long codes are that are not of one length.
const UNEVEN_LENGTHS: RangeInclusive<usize> = 1..=12;

/// The places of those that are looked at, of so many, spread over all.
pub fn spread(texts: usize) -> impl Iterator<Item = usize> {
    (0..texts).step_by(texts.div_ceil(LOOKED_AT).max(1))
}

/// What texts look like; none of the things that are known, or too few.
pub fn looks<S: AsRef<str>>(texts: &[S]) -> Option<Looks> {
    let texts: Vec<&str> = spread(texts.len()).map(|at| texts[at].as_ref().trim()).collect();
    if texts.len() < FEWEST {
        return None;
    }
    // In percent.
    let are = |share: usize, is: fn(&str) -> bool| {
        texts.iter().filter(|text| is(text)).count() * 100 >= texts.len() * share
    };
    let characters = texts[0].chars().count();
    let same = texts.iter().all(|text| text.chars().count() == characters);
    if are(90, is_mail_address) {
        Some(Looks::MailAddresses)
    } else if are(95, is_date) {
        Some(Looks::Dates)
    } else if are(90, is_phone_number) {
        Some(Looks::PhoneNumbers)
    } else if are(100, |text| Address::parse(text).is_some()) {
        Some(Looks::NetworkAddresses)
    } else if are(95, is_number) && (!same || texts.iter().any(|text| text.contains('.'))) {
        Some(Looks::Numbers)
    } else if same && CODE_LENGTHS.contains(&characters) && are(100, is_code) {
        Some(Looks::Codes { characters })
    } else if are(95, is_uneven_code) {
        Some(Looks::UnevenCodes)
    } else {
        None
    }
}

fn is_mail_address(text: &str) -> bool {
    let host = |(user, host): (&str, &str)| !user.is_empty() && host.contains('.') && !host.contains('@');
    !text.contains(char::is_whitespace) && text.split_once('@').is_some_and(host)
}

/// Digits with what people write between them, beginning as a number that is dialled does.
fn is_phone_number(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    text.starts_with(['+', '(', '0'])
        && (7..=15).contains(&digits)
        && text.chars().all(|c| c.is_ascii_digit() || "+-()/. ".contains(c))
}

/// A number that loses nothing when it is read as one: a zero in front belongs to a code.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let whole = digits.split(['.', 'e', 'E']).next().unwrap_or_default();
    let is_code = whole.len() > 1 && whole.starts_with('0');
    let all = digits.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    !is_code && digits.contains(|c: char| c.is_ascii_digit()) && all && text.parse::<f64>().is_ok()
}

/// A day as people write it, with or without a time behind: 2013-01-31, 31.1.2013, 1/31/2013, 31 Jan 2013.
fn is_date(text: &str) -> bool {
    let time = text.split_once([' ', 'T']).filter(|(_, time)| time.contains(':'));
    let day = time.map_or(text, |(day, _)| day);
    let parts: Vec<&str> = day.split(['-', '/', '.', ' ', ',']).filter(|part| !part.is_empty()).collect();
    let [a, b, c] = parts[..] else { return false };
    let number = |part: &str, within: RangeInclusive<u32>| {
        part.len() <= 4 && part.parse().is_ok_and(|number| within.contains(&number))
    };
    let year = |part: &str| part.len() == 4 && number(part, 1000..=2999);
    let month = |part: &str| number(part, 1..=12) || is_month(part);
    let day = |part: &str| part.len() <= 2 && number(part, 1..=31);
    let of_year = |a: &str, b: &str| month(a) && day(b) || day(a) && month(b);
    year(a) && of_year(b, c) || year(c) && of_year(a, b)
}

/// The name of a month in English, or how it begins.
fn is_month(text: &str) -> bool {
    let text = text.to_lowercase();
    text.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(&text))
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn is_code(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-./ ".contains(c))
}

/// A code without small letters.
fn is_uneven_code(text: &str) -> bool {
    UNEVEN_LENGTHS.contains(&text.chars().count())
        && is_code(text)
        && !text.contains(|c: char| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of twelve texts, made of a number.
    fn of(text: impl Fn(usize) -> String) -> Option<Looks> {
        looks(&(1..=12).map(text).collect::<Vec<String>>())
    }

    #[test]
    fn dates_numbers_and_codes() {
        assert_eq!(of(|i| format!("2013-{i:02}-28")), Some(Looks::Dates));
        assert_eq!(of(|i| format!("{i}/28/2013")), Some(Looks::Dates));
        assert_eq!(of(|i| format!("28.{i:02}.1987 12:30")), Some(Looks::Dates));
        assert_eq!(of(|i| format!("{i} Feb 1987")), Some(Looks::Dates));
        assert_eq!(of(|i| format!("{}.5", i)), Some(Looks::Numbers));
        assert_eq!(of(|i| format!("{}", i * 7)), Some(Looks::Numbers));
        assert_eq!(of(|i| format!("-{}e3", i)), Some(Looks::Numbers));
        assert_eq!(of(|i| format!("{}", 10115 + i)), Some(Looks::Codes { characters: 5 }));
        assert_eq!(of(|i| format!("E{i}.9")), Some(Looks::UnevenCodes));
        assert_eq!(of(|i| format!("192.168.0.{i}")), Some(Looks::NetworkAddresses));
    }

    #[test]
    fn ways_to_reach_somebody() {
        assert_eq!(of(|i| format!("user{i}@mail.example")), Some(Looks::MailAddresses));
        assert_eq!(of(|i| format!("+49 (0)30 4470{i:02}")), Some(Looks::PhoneNumbers));
    }

    #[test]
    fn what_looks_like_nothing() {
        assert_eq!(of(|i| format!("level {i}")), None);
        assert_eq!(of(|i| "abcdefghijkl"[..i].to_string()), None);
        // A zero in front is lost in a number.
        assert_eq!(of(|i| format!("0{}", i * 7)), Some(Looks::UnevenCodes));
        assert_eq!(looks(&["2013-01-01"; 3]), None);
        assert_eq!(looks::<&str>(&[]), None);
        assert!(!is_date("13/13/2013") && !is_date("1.2.3") && !is_date("2013-01") && !is_number("1-2-3."));
    }
}
