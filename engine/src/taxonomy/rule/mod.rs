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

use super::{Taxonomy, TaxonomyNode, Texts};
use crate::progress::check_memory;
use crate::{pace, Code, Error};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Node, and the hash of its parent and label. When the table grows, without a poll, no label is hashed again.
type HashedNode = (u32, u32);

/// Spreads a 32-bit hash over 64 bits, because the table uses the first and the last bits.
fn spread_hash(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Node of the tree under construction.
struct PendingNode {
    parent: usize,
    children: Vec<usize>,
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
        check_memory::<usize>(values)?;
        let (mut labels, mut made) =
            (Texts::default(), vec![PendingNode { parent: 0, children: Vec::new() }]);
        labels.push(top);
        let mut leaves = Vec::with_capacity(values);
        let (hasher, mut known) = (DefaultHashBuilder::default(), HashTable::<HashedNode>::new());
        for value in 0..values {
            let mut node = 0;
            for level in 1.. {
                let Some(label) = label(value, level) else { break };
                // One unit to write the label, one to look it up, more if it is long.
                pace::tick(2 + label.len() / 16)?;
                let hash = hasher.hash_one((node, label.as_str())) as u32;
                let is_it = |&(other, known): &HashedNode| {
                    known == hash
                        && made[other as usize].parent == node
                        && labels.get(other as usize) == label
                };
                node = match known.find(spread_hash(hash), is_it) {
                    Some(&(child, _)) => child as usize,
                    None => {
                        let child = made.len();
                        made[node].children.push(child);
                        made.push(PendingNode { parent: node, children: Vec::new() });
                        labels.push(&label);
                        known.insert_unique(spread_hash(hash), (child as u32, hash), |&(_, hash)| {
                            spread_hash(hash)
                        });
                        child
                    }
                };
            }
            leaves.push(node);
        }
        drop(known);
        check_memory::<(usize, Option<usize>)>(2 * made.len())?;
        let (tree, numbers) = number_depth_first(made, &labels)?;
        check_memory::<Code>(values)?;
        let codes = pace::collect(leaves.into_iter().map(|leaf| tree.nodes[numbers[leaf]].leaves.start))?;
        Ok((tree, codes))
    }
}

/// Returns the tree with its nodes in depth-first order, and the new number of each node.
fn number_depth_first(mut made: Vec<PendingNode>, labels: &Texts) -> Result<(Taxonomy, Vec<usize>), Error> {
    let mut tree = Taxonomy::with_capacity(made.len())?;
    let mut numbers = vec![0; made.len()];
    let mut leaves: Code = 0;
    let mut open: Vec<(usize, Option<usize>)> = vec![(0, None)];
    while let Some((node, parent)) = open.pop() {
        pace::tick(1)?;
        let children = std::mem::take(&mut made[node].children);
        let id = tree.nodes.len();
        numbers[node] = id;
        let first = leaves;
        leaves += u32::from(children.is_empty());
        let below = Vec::with_capacity(children.len());
        let leaves = first..leaves;
        tree.push(TaxonomyNode { parent, children: below, leaves }, labels.get(node));
        if let Some(parent) = parent {
            tree.nodes[parent].children.push(id);
        }
        open.extend(children.into_iter().rev().map(|child| (child, Some(id))));
    }
    tree.set_leaf_ends()?;
    Ok((tree, numbers))
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
