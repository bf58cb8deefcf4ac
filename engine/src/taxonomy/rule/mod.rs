//! Taxonomies by rule: a value itself determines the nodes above it.
//!
//! A rule gives the labels of the nodes above a value, level by level from just below the top down to the value's own
//! leaf: a code by its first characters ([`prefix`]), a moment by its year, month and day ([`calendar`]), an address
//! by its networks ([`network`]). So new values have their place, and no level is skipped if all values under a node
//! share one.
//!
//! [`Taxonomy::by_rule`] merges the paths of all values into a tree. Label and parent identify a node, because a
//! truncated value may read like another value (`47**`, if some codes contain stars). Such nodes lie on one path, so
//! no cut holds two.

pub mod calendar;
pub mod network;
pub mod prefix;

use super::{Taxonomy, Texts};
use crate::buckets::Buckets;
use crate::progress::with_capacity;
use crate::{pace, Code, Error};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Node, and the hash of its parent and label. The table grows without a poll, so it must not hash labels again.
type HashedNode = (u32, u32);

/// Spreads a 32-bit hash over 64 bits, because the table uses the first and the last bits.
fn spread_hash(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Taxonomy {
    /// Makes the tree of some values, and returns it with the leaf code of each value. `label(value, level)` returns
    /// the label of the value's node at a level, and None below its leaf. Level 1 is just below the top. Siblings are
    /// in order of first appearance.
    pub fn by_rule(
        top: &str,
        values: usize,
        label: impl Fn(usize, usize) -> Option<String>,
    ) -> Result<(Taxonomy, Vec<Code>), Error> {
        let (mut labels, mut parents) = (Texts::default(), vec![0]);
        labels.push(top);
        let mut leaves: Vec<u32> = with_capacity(values)?;
        let (hasher, mut known) = (DefaultHashBuilder::default(), HashTable::<HashedNode>::new());
        for value in 0..values {
            let mut node: u32 = 0;
            for level in 1.. {
                let Some(label) = label(value, level) else { break };
                // One unit to write the label, one to look it up, more if it is long.
                pace::tick(2 + label.len() / 16)?;
                let hash = hasher.hash_one((node, label.as_str())) as u32;
                let is_it = |&(other, known): &HashedNode| {
                    known == hash && parents[other as usize] == node && labels.get(other as usize) == label
                };
                node = match known.find(spread_hash(hash), is_it) {
                    Some(&(child, _)) => child,
                    None => {
                        let child = labels.push(&label) as u32;
                        parents.push(node);
                        known.insert_unique(spread_hash(hash), (child, hash), |&(_, hash)| spread_hash(hash));
                        child
                    }
                };
            }
            leaves.push(node);
        }
        drop(known);
        // Nodes are sorted into buckets by parent. The top is no child: its bucket is the last one.
        parents[0] = parents.len() as u32;
        let children = Buckets::sort(parents.len(), parents.len() + 1, |node| parents[node])?;
        let (tree, nodes) = Taxonomy::grow(&[0], &children, parents.len(), |node| labels.get(node as usize))?;
        let code = |leaf: u32| tree.nodes[nodes[leaf as usize]].leaves.start;
        let codes = pace::collect(leaves.into_iter().map(code))?;
        Ok((tree, codes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&[&str]]) -> (Taxonomy, Vec<Code>) {
        let label = |value: usize, level: usize| paths[value].get(level - 1).map(|l| l.to_string());
        Taxonomy::by_rule("*", paths.len(), label).unwrap()
    }

    #[test]
    fn labels_are_laid_over_each_other() {
        let (t, codes) = tree(&[&["b", "bc"], &["a"], &["b", "bd"], &["b", "bc"]]);
        let labels: Vec<&str> = t.labels().collect();
        assert_eq!(labels, ["*", "b", "bc", "bd", "a"]);
        assert_eq!((t.leaves(), t.root().leaves.clone(), codes), (3, 0..3, vec![0, 2, 1, 0]));
        assert_eq!(t.find("b").unwrap().leaves, 0..2);
        assert_eq!(t.nodes()[2].parent, Some(1));
    }

    #[test]
    fn a_label_may_stand_below_itself() {
        let (t, codes) = tree(&[&["4*", "4*"], &["4*", "47"], &["5*", "4*"]]);
        assert_eq!((t.nodes().len(), codes), (6, vec![0, 1, 2]));
        assert_eq!(t.find("4*").unwrap().children.len(), 2);
    }

    #[test]
    fn without_values_the_top_is_a_leaf() {
        let (t, codes) = tree(&[]);
        assert_eq!((t.leaves(), t.nodes().len(), codes.len()), (1, 1, 0));
    }
}
