//! Texts that can be read in more than one way, and texts that can be read alike: days whose month nobody can tell from the day,
//! and values that are one value in another writing.

/// Both days that a text may be, if it may be two, without a time.
pub fn two_days(text: &str) -> Option<[String; 2]> {
    let day = text.trim().split([' ', 'T']).next()?;
    let [a, b, year] = day.split(['.', '/', '-']).collect::<Vec<_>>()[..] else { return None };
    let within_a_year =
        |part: &str| part.len() <= 2 && part.parse().is_ok_and(|number: u32| (1..=12).contains(&number));
    if !within_a_year(a) || !within_a_year(b) || a.trim_start_matches('0') == b.trim_start_matches('0') {
        return None;
    }
    // As PostgreSQL completes years.
    let year = match (year.len(), year.parse::<u32>().ok()?) {
        (1..=2, year @ 0..70) => year + 2000,
        (1..=2, year) => year + 1900,
        (_, year) => year,
    };
    Some([(a, b), (b, a)].map(|(month, day)| format!("{year:04}-{month:0>2}-{day:0>2}")))
}

/// What is the same of texts that are one value in several writings: without letter case, characters that do not show and blanks
/// at the ends; numbers without zeros that say nothing; days by their parts.
pub fn in_one_writing(text: &str) -> String {
    let shown: String = text.chars().filter(|&c| !is_unseen(c)).collect();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if let [a, b, c] = shown.split(['.', '/', '-']).collect::<Vec<_>>()[..] {
        let mut parts = [a, b, c];
        let is_number =
            |part: &str| !part.is_empty() && part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit());
        if parts.iter().all(|part| is_number(part)) && parts.iter().any(|part| part.len() == 4) {
            parts = parts.map(|part| part.trim_start_matches('0'));
            parts.sort_unstable();
            return format!("day {}", parts.join("-"));
        }
    }
    let number = shown.replacen(',', ".", 1);
    let (sign, digits) = number.strip_prefix('-').map_or(("", &*number), |digits| ("-", digits));
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
        && digits.matches('.').count() <= 1;
    if !is_number {
        return shown;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    format!("number {sign}{}.{}", whole.trim_start_matches('0'), fraction.trim_end_matches('0'))
}

/// Whether a character does not show, and is no blank either.
fn is_unseen(c: char) -> bool {
    c.is_control() && !c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Longer texts name no category that somebody writes in two ways.
const LONGEST: usize = 1000;

/// Two of some texts that differ in nothing that shows: blanks, line ends, letter case and characters that do not show.
pub fn alike<S: AsRef<str>>(texts: &[S]) -> Option<(&str, &str)> {
    let same = |text: &str| {
        let shown: String = text.chars().filter(|&c| !is_unseen(c)).collect();
        shown.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let texts = texts.iter().map(|text| text.as_ref()).filter(|text| text.len() <= LONGEST);
    let mut sorted: Vec<(String, &str)> = texts.map(|text| (same(text), text)).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_may_be_two() {
        let two = |first: &str, second: &str| Some([first.to_string(), second.to_string()]);
        assert_eq!(two_days("01.02.1940"), two("1940-01-02", "1940-02-01"));
        assert_eq!(two_days("3/2/70 12:00"), two("1970-03-02", "1970-02-03"));
        assert_eq!(two_days("03-02-05"), two("2005-03-02", "2005-02-03"));
        for one in ["2020-02-01", "31.12.2025", "13/1/2020", "2.2.2020", "Feb 1 2020", "infinity", "", "1.2"]
        {
            assert_eq!(two_days(one), None, "{one}");
        }
    }

    #[test]
    fn values_in_one_writing() {
        for (one, other) in [
            ("20.0", "20"),
            ("01", "1"),
            ("1,50", "1.5"),
            ("-2.0", "-2"),
            ("2020-01-01", "01.01.2020"),
            ("1/31/2020", "2020-01-31"),
            ("english\r", "English"),
            ("eng\u{200b}lish\u{a0}", "english"),
        ] {
            assert_eq!(in_one_writing(one), in_one_writing(other));
        }
        for (one, other) in
            [("20", "2"), ("1.5", "15"), ("a", "b"), ("-1", "1"), ("2020-01-02", "2020-01-03")]
        {
            assert_ne!(in_one_writing(one), in_one_writing(other));
        }
        assert_eq!(alike(&["a", "b ", "c", "B"]), Some(("B", "b ")));
        assert_eq!(alike(&["20", "20.0", "a"]), None);
    }
}
