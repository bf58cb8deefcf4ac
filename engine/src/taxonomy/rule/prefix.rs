//! Codes that say more from left to right (postcodes, ICD, phone numbers): 47906 -> 4790* -> 479** -> top.
//!
//! As many characters as are kept are shown, and a star for each of the rest: so codes of different
//! lengths part just below the top. A code that is no longer than what is kept is its own leaf.

/// What a code is called at a level below the top, 1 being the coarsest. `lengths` are those kept,
/// ascending; none: every length.
pub fn label(code: &str, lengths: Option<&[usize]>, level: usize) -> Option<String> {
    let characters = code.chars().count();
    let kept = |level: usize| match lengths {
        Some(lengths) => lengths.get(level - 1).copied(),
        // Of an empty code there is nothing to keep, and that is its leaf.
        None => (level <= characters.max(1)).then_some(level),
    };
    // A level above it was whole already.
    if level > 1 && kept(level - 1)? >= characters {
        return None;
    }
    let kept = kept(level)?;
    Some(code.chars().take(kept).chain((kept..characters).map(|_| '*')).collect())
}

/// Whether the leaf of a code leaves none of its characters out.
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
        /// What makes a tree of codes: no code's way ends where another's goes on, and a label says where
        /// it stands, but for codes that have stars themselves; those are called alike only one above another.
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
