//! Codes whose characters add detail from left to right (postcodes, ICD, phone numbers): 47906 -> 4790* -> 479** ->
//! top.
//!
//! A label has the first characters of the code and a star for each other character. So codes of different lengths
//! part just below the top. A code with no more characters than a level keeps is its own leaf.

/// Largest number of characters of a code without given lengths, whose labels together have the square of this number.
/// A larger one allows more memory and time per code; a smaller one refuses more texts.
pub const MAX_CHARACTERS: usize = 10_000;

/// Returns the label of a code at a level; level 1 is the coarsest, just below the top. `lengths` are the numbers of
/// kept characters, ascending; None keeps every number. Returns None below the leaf of the code.
pub fn label(code: &str, lengths: Option<&[usize]>, level: usize) -> Option<String> {
    let characters = code.chars().count();
    let kept = |level: usize| match lengths {
        Some(lengths) => lengths.get(level - 1).copied(),
        // An empty code has one level, its leaf.
        None => (level <= characters.max(1)).then_some(level),
    };
    // The level above already kept the whole code.
    if level > 1 && kept(level - 1)? >= characters {
        return None;
    }
    let kept = kept(level)?;
    Some(code.chars().take(kept).chain((kept..characters).map(|_| '*')).collect())
}

/// Returns whether the leaf of a code shows all of its characters.
pub fn is_whole(code: &str, lengths: Option<&[usize]>) -> bool {
    lengths.and_then(|lengths| lengths.last()).is_none_or(|&longest| code.chars().count() <= longest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(code: &str, lengths: Option<&[usize]>) -> Vec<String> {
        (1..).map_while(|level| label(code, lengths, level)).collect()
    }

    #[test]
    fn a_postcode() {
        assert_eq!(path("47906", None), ["4****", "47***", "479**", "4790*", "47906"]);
        assert_eq!(path("47906", Some(&[3, 4, 5])), ["479**", "4790*", "47906"]);
        assert_eq!(path("47906", Some(&[3, 7])), ["479**", "47906"]);
        assert_eq!(path("47906", Some(&[3])), ["479**"]);
        assert_eq!(path("12", Some(&[2, 3])), ["12"]);
        assert_eq!(path("äöü", Some(&[1])), ["ä**"]);
        for lengths in [None, Some(&[3][..])] {
            assert_eq!(path("", lengths), [""]);
        }
    }

    #[test]
    fn a_whole_code() {
        for (code, lengths, whole) in [
            ("abc", None, true),
            ("abc", Some(&[1, 3][..]), true),
            ("abcd", Some(&[1, 3]), false),
            ("äöü", Some(&[3]), true),
        ] {
            assert_eq!(is_whole(code, lengths), whole, "{code}");
        }
    }

    proptest! {
        /// The paths make a tree: no path ends where another one goes on. After two paths have parted they share no
        /// label, even if codes contain stars.
        #[test]
        fn ways_part_for_good(a in "[ab*]{0,5}", b in "[ab*]{0,5}", lengths in prop::collection::btree_set(1..7usize, 1..4)) {
            let lengths: Vec<usize> = lengths.into_iter().collect();
            for lengths in [None, Some(&lengths[..])] {
                let (a, b) = (path(&a, lengths), path(&b, lengths));
                prop_assert!(!a.is_empty());
                let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
                prop_assert!(a == b || common < a.len().min(b.len()));
                for (i, a) in a.iter().enumerate().skip(common) {
                    prop_assert!(!b.iter().skip(common).any(|b| a == b), "{a} at {i}");
                }
            }
        }
    }
}
