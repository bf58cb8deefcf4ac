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
    /// How `to_date` reads them, and how else it may; none where they are written as ISO 8601 has it, which a cast reads alike
    /// whatever the DateStyle is.
    Dates {
        template: Option<&'static str>,
        or: Option<&'static str>,
    },
    Numbers(Written),
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

    /// As what they would better be released, and SQL that makes that of a column.
    pub fn better_cast(self, column: &str) -> Option<(&'static str, String)> {
        Some(match self {
            Looks::Dates { template: None, .. } => ("dates", format!("{column}::date")),
            Looks::Dates { template: Some(template), .. } => {
                ("dates", format!("to_date({column}, '{template}')"))
            }
            Looks::Numbers(Written::Plain) => ("numbers", format!("{column}::numeric")),
            Looks::Numbers(Written::DecimalComma) => {
                ("numbers", format!("replace({column}, ',', '.')::numeric"))
            }
            Looks::Numbers(Written::PointsAndComma) => {
                ("numbers", format!("replace(replace({column}, '.', ''), ',', '.')::numeric"))
            }
            Looks::Numbers(Written::WithOthers) => {
                ("numbers", format!("regexp_replace({column}, '[^0-9.-]', '', 'g')::numeric"))
            }
            Looks::NetworkAddresses => ("addresses", format!("{column}::inet")),
            _ => return None,
        })
    }
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// As PostgreSQL reads them.
    Plain,
    /// With a comma before the fraction: 12,5.
    DecimalComma,
    /// With points between thousands and a comma before the fraction: 1.234,56.
    PointsAndComma,
    /// With commas between thousands, or a unit or a currency beside: 1,234; 40 kg; $12; 7%.
    WithOthers,
}

/// So many texts say what they look like.
const LOOKED_AT: usize = 1000;

/// Fewer texts than these say nothing, and are disclosed as well one by one.
pub const FEWEST: usize = 10;

/// So many characters of a text say what it looks like: nothing that is known is as long.
const BEGINNING: usize = 400;

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
    let texts: Vec<&str> = spread(texts.len()).map(|at| beginning(texts[at].as_ref().trim())).collect();
    if texts.len() < FEWEST {
        return None;
    }
    // In percent.
    let are = |share: usize, is: fn(&str) -> bool| {
        texts.iter().filter(|text| is(text)).count() * 100 >= texts.len() * share
    };
    let characters = texts[0].chars().count();
    let same = texts.iter().all(|text| text.chars().count() == characters);
    let number = written(&texts);
    if are(90, is_mail_address) {
        Some(Looks::MailAddresses)
    } else if are(95, is_date) {
        let mut fit = TEMPLATES.into_iter().filter(|template| {
            texts.iter().filter(|text| is_written_as(text, template)).count() * 100 >= texts.len() * 95
        });
        let (template, or) = (fit.next().unwrap_or("..."), fit.next());
        Some(Looks::Dates { template: Some(template).filter(|&template| template != ISO), or })
    } else if are(90, is_phone_number) {
        Some(Looks::PhoneNumbers)
    } else if are(100, |text| Address::parse(text).is_some()) {
        Some(Looks::NetworkAddresses)
    } else if are(95, is_number) && (!same || texts.iter().any(|text| text.contains('.'))) {
        Some(Looks::Numbers(Written::Plain))
    } else if let Some(written) = number {
        Some(Looks::Numbers(written))
    } else if same && CODE_LENGTHS.contains(&characters) && are(100, is_code) {
        Some(Looks::Codes { characters })
    } else if are(95, is_uneven_code) {
        Some(Looks::UnevenCodes)
    } else {
        None
    }
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(BEGINNING).map_or(text, |(end, _)| &text[..end])
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

/// How numbers are written that are not as PostgreSQL reads them; none where they are not numbers. What stands before and behind
/// them is the same for all.
fn written(texts: &[&str]) -> Option<Written> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (first, last) = texts[0].find(is_digit).zip(texts[0].rfind(is_digit))?;
    let before = texts[0][..first].trim_end_matches(['+', '-']);
    let behind = &texts[0][last + 1..];
    // A word in front of a number names it; a letter right behind it is a part of a code.
    let is_sign = |c: char| !c.is_alphanumeric() && !".,-/:".contains(c);
    let is_unit =
        |before: &str, behind: &str| before.chars().all(is_sign) && behind.chars().next().is_none_or(is_sign);
    if !is_unit(before, behind) || before.len().max(behind.len()) > LONGEST_UNIT {
        return None;
    }
    let numbers: Vec<&str> =
        texts.iter().filter_map(|text| text.strip_prefix(before)?.strip_suffix(behind)).collect();
    let are =
        |is: &dyn Fn(&str) -> bool| numbers.iter().filter(|text| is(text)).count() * 100 >= texts.len() * 95;
    let digits = |text: &str| !text.is_empty() && text.chars().all(is_digit);
    let unsigned = |text: &str| text.strip_prefix(['+', '-']).unwrap_or(text).to_string();
    // Digits in threes with something between, and perhaps a fraction.
    let in_threes = |text: &str, between: char, point: char| {
        let text = unsigned(text);
        let (whole, fraction) = text.split_once(point).unwrap_or((&text, "0"));
        let mut parts = whole.split(between);
        let first = parts.next().unwrap_or_default();
        digits(first)
            && first.len() <= 3
            && parts.all(|part| digits(part) && part.len() == 3)
            && digits(fraction)
    };
    let comma = |text: &str| {
        let text = unsigned(text);
        let (whole, fraction) = text.split_once(',').unwrap_or((&text, "0"));
        digits(whole) && digits(fraction) && is_number(whole)
    };
    if !before.is_empty() || !behind.is_empty() {
        let plain = |text: &str| is_number(text) || in_threes(text, ',', '.');
        return are(&plain).then_some(Written::WithOthers);
    }
    if !numbers.iter().any(|text| text.contains(',')) {
        return None;
    }
    if are(&|text| in_threes(text, ',', '.')) {
        Some(Written::WithOthers)
    } else if are(&comma) {
        Some(Written::DecimalComma)
    } else {
        are(&|text| in_threes(text, '.', ',')).then_some(Written::PointsAndComma)
    }
}

/// The most bytes of a unit or a currency.
const LONGEST_UNIT: usize = 8;

/// As ISO 8601 writes days.
const ISO: &str = "YYYY-MM-DD";

/// How days are written, as `to_date` calls it.
const TEMPLATES: [&str; 14] = [
    ISO,
    "YYYY/MM/DD",
    "YYYYMMDD",
    "DDMMYYYY",
    "MMDDYYYY",
    "DD.MM.YYYY",
    "MM.DD.YYYY",
    "MM/DD/YYYY",
    "DD/MM/YYYY",
    "MM-DD-YYYY",
    "DD-MM-YYYY",
    "DD Mon YYYY",
    "DD-Mon-YYYY",
    "DD-Mon-YY",
];

/// Whether a text is a day as a template has it, with or without a time behind.
fn is_written_as(text: &str, template: &str) -> bool {
    let day = without_time(text);
    let Some(between) = template.chars().find(|c| !c.is_alphabetic()) else {
        let part = |what: &str| template.find(what).map_or("", |at| &day[at..at + what.len()]);
        let digits = day.len() == 8 && day.chars().all(|c| c.is_ascii_digit());
        return digits && is_written_as(&["YYYY", "MM", "DD"].map(part).join("-"), ISO);
    };
    let number = |part: &str, within: RangeInclusive<u32>| {
        part.chars().all(|c| c.is_ascii_digit()) && part.parse().is_ok_and(|number| within.contains(&number))
    };
    let parts: Vec<&str> = day.split(between).collect();
    parts.len() == 3
        && template.split(between).zip(parts).all(|(what, part)| match what {
            "YYYY" => part.len() == 4 && number(part, 1000..=2999),
            "YY" => part.len() == 2 && number(part, 0..=99),
            "MM" => part.len() <= 2 && number(part, 1..=12),
            "DD" => part.len() <= 2 && number(part, 1..=31),
            _ => part.len() == 3 && is_month(part),
        })
}

/// A day without the time behind it.
fn without_time(text: &str) -> &str {
    let time = text.split_once([' ', 'T']).filter(|(_, time)| time.contains(':'));
    time.map_or(text, |(day, _)| day)
}

/// A day as people write it, with or without a time behind: 2013-01-31, 31.1.2013, 1/31/2013, 31 Jan 2013, 31-JAN-13, 20130131, 31012013.
fn is_date(text: &str) -> bool {
    let day = without_time(text);
    // Other numbers of eight digits are codes.
    let is_recent = |template: &str| {
        let century = template.find("YY").and_then(|at| day.get(at..at + 2));
        century.is_some_and(|century| ["18", "19", "20", "21"].contains(&century))
    };
    let dense = ["YYYYMMDD", "DDMMYYYY", "MMDDYYYY"];
    let is_dense = |template: &&str| is_recent(template) && is_written_as(text, template);
    if is_written_as(text, "DD-Mon-YY") || dense.iter().any(is_dense) {
        return true;
    }
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
        let dates = |template, or| Some(Looks::Dates { template, or });
        assert_eq!(of(|i| format!("2013-{i:02}-28")), dates(None, None));
        assert_eq!(of(|i| format!("{i}/28/2013")), dates(Some("MM/DD/YYYY"), None));
        assert_eq!(of(|i| format!("28/{i}/2013")), dates(Some("DD/MM/YYYY"), None));
        assert_eq!(of(|i| format!("{i}/1/2013")), dates(Some("MM/DD/YYYY"), Some("DD/MM/YYYY")));
        assert_eq!(of(|i| format!("28.{i:02}.1987 12:30")), dates(Some("DD.MM.YYYY"), None));
        assert_eq!(of(|i| format!("{i} Feb 1987")), dates(Some("DD Mon YYYY"), None));
        assert_eq!(of(|i| format!("{i:02}-FEB-87")), dates(Some("DD-Mon-YY"), None));
        assert_eq!(of(|i| format!("1987{i:02}28")), dates(Some("YYYYMMDD"), None));
        assert_eq!(of(|i| format!("28{i:02}1987")), dates(Some("DDMMYYYY"), None));
        assert_eq!(of(|i| format!("{i:02}011987")), dates(Some("DDMMYYYY"), Some("MMDDYYYY")));
        assert_eq!(of(|i| format!("{} February 1987", i)), dates(Some("..."), None));
        let numbers = |written| Some(Looks::Numbers(written));
        assert_eq!(of(|i| format!("{}.5", i)), numbers(Written::Plain));
        assert_eq!(of(|i| format!("{}", i * 7)), numbers(Written::Plain));
        assert_eq!(of(|i| format!("-{}e3", i)), numbers(Written::Plain));
        assert_eq!(of(|i| format!("{i},5")), numbers(Written::DecimalComma));
        assert_eq!(of(|i| format!("-{},{}", i % 3, 10 + i)), numbers(Written::DecimalComma));
        assert_eq!(of(|i| format!("{i}.234,56")), numbers(Written::PointsAndComma));
        assert_eq!(of(|i| format!("{i},234")), numbers(Written::WithOthers));
        assert_eq!(of(|i| format!("{i} EUR")), numbers(Written::WithOthers));
        assert_eq!(of(|i| format!("${i}")), numbers(Written::WithOthers));
        assert_eq!(of(|i| format!("{i},200.50 kg")), numbers(Written::WithOthers));
        assert_eq!(of(|i| format!("{i}%")), numbers(Written::WithOthers));
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
        assert_eq!(of(|i| format!("{i} of 12")), None);
        assert_eq!(of(|i| format!("{i}{}", ["a", "b"][i % 2])), None);
        assert_eq!(of(|i| format!("{i},a")), None);
        assert_eq!(of(|i| "abcdefghijkl"[..i].to_string()), None);
        // A zero in front is lost in a number.
        assert_eq!(of(|i| format!("0{}", i * 7)), Some(Looks::UnevenCodes));
        assert_eq!(looks(&["2013-01-01"; 3]), None);
        assert_eq!(looks::<&str>(&[]), None);
        assert!(!is_date("13/13/2013") && !is_date("1.2.3") && !is_date("2013-01") && !is_number("1-2-3."));
    }
}
