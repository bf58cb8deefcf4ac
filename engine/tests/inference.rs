//! Experiment: how much a release discloses to an attacker with knowledge of the search and of nothing else.
//!
//! The search is deterministic and goes as far as it can. So only some of the tables that are possible by the released
//! values give this very release. In small worlds all possible tables are released, and the tables of each release are
//! compared. A recipient knows their common properties (minimality attacks, Wong, Fu, Wang and Pei, VLDB 2007;
//! downcoding, Cohen, 2022).
//!
//! * `inference/world.rs`: the public facts: columns, possible values, number of rows, models
//! * `inference/release.rs`: the release of a table as its recipient sees it
//! * `inference/attack.rs`: the tables with one release, and their common properties
//! * `inference/figures.rs`: the share of releases with each kind of inference
//! * `inference/examples.rs`: an example of each kind of inference
//! * `inference/register.rs`: attackers with all masked values of everybody, who look for a sensitive value
//!
//! `inference/figures.txt` has the figures of the worlds of the first seed; the test fails if they change. With
//! `INFERENCE_SEEDS=60` it prints the figures of 60 seeds instead (docs/inference.md has some of them), and asserts
//! only laws that hold for any number of seeds.

mod attack;
mod chance;
mod examples;
mod figures;
mod register;
mod release;
mod world;

use chance::Chance;
use figures::{figures, sum_figures, table, Setting};
use register::{attack_tables, RegisterFindings, SensitiveModel};
use world::{Masked, Unmasked, Way};

/// Number of seeds of `figures.txt`.
const SEEDS: u64 = 1;

#[test]
fn releases_disclose_what_figures_txt_says() {
    let seeds = std::env::var("INFERENCE_SEEDS").ok().map(|seeds| seeds.parse().expect("a number"));
    // Debug builds try one way only, which takes as long there as all ways in release builds.
    let is_looked_at = |setting: &Setting| !cfg!(debug_assertions) || setting.way == Way::Local;
    let found = figures(seeds.unwrap_or(SEEDS), is_looked_at);

    for (setting, figures) in &found {
        let Setting { way, beside, k, masked } = *setting;
        let say = || format!("{setting:?}: {figures}");
        // A node is refined if all rows of a group have one of its children, so rows of a group differ.
        if way == Way::Local && beside != Unmasked::Class {
            assert!(figures.always_differs(), "{}", say());
        }
        // An attacker is left with k rows or more: from k = 3 on with valid splits or local recoding, and always
        // without a column beside the masked ones.
        if k > 2 && matches!(way, Way::Valid | Way::Local) || beside == Unmasked::Nothing {
            assert!(!figures.goes_below_k(), "{}", say());
        }
        // If the remaining rows are searched again, ends of intervals disclose no value of a withheld row.
        let by_intervals = matches!(masked, Masked::Intervals | Masked::Bounded);
        if k > 2 && way == Way::Again && by_intervals {
            assert!(!figures.discloses_withheld_value(), "{}", say());
        }
    }
    // Local recoding singles somebody out in many releases at k = 2. At 3 hardly any release does, at 4 none.
    let one = |way: Way, k: u64| {
        let of_both = sum_figures(&found, |setting| setting.way == way && setting.k == k);
        of_both.map(|figures| figures.one())
    };
    assert!(one(Way::Local, 2) > Some(0.05), "{:?}", one(Way::Local, 2));
    for way in [Way::Global, Way::Valid, Way::Local, Way::Again] {
        assert!(one(way, 3) < Some(0.001), "{way:?}: {:?}", one(way, 3));
        assert!(one(way, 4).unwrap_or(0.0) == 0.0, "{way:?}: {:?}", one(way, 4));
    }

    let table = table(&found);
    match seeds {
        Some(seeds) => println!("{seeds} seeds\n{table}"),
        None => {
            let expected = include_str!("inference/figures.txt");
            let missing: Vec<&str> =
                table.lines().filter(|line| !expected.lines().any(|known| known == *line)).collect();
            assert!(missing.is_empty(), "not in inference/figures.txt:\n{}", missing.join("\n"));
            assert!(
                cfg!(debug_assertions) || table == expected,
                "inference/figures.txt has more lines:\n{table}"
            );
        }
    }
}

/// The release does not depend on the order of rows. So the attack may try a single order of each table.
#[test]
fn the_order_of_rows_does_not_matter() {
    for seed in 0..3 {
        for way in [Way::Global, Way::Valid, Way::Local, Way::Clustered, Way::Withheld, Way::Again] {
            for beside in [Unmasked::Nothing, Unmasked::Class, Unmasked::Sensitive] {
                let world = Chance(seed).world(Masked::Mixed, way, beside, 2);
                for mut table in world.tables().into_iter().step_by(7) {
                    let release = world.release(&table).map(|made| made.release);
                    table.reverse();
                    let half = table.len() / 2;
                    table.rotate_left(half);
                    assert_eq!(
                        release,
                        world.release(&table).map(|made| made.release),
                        "{world:?}: {table:?}"
                    );
                }
            }
        }
    }
}

/// An attacker with all masked values of everybody in the table learns more about the sensitive value than the models
/// allow by the released values. docs/inference.md has these figures.
#[test]
fn a_register_discloses_more_than_the_models_allow() {
    let tables = std::env::var("INFERENCE_TABLES").ok().map(|tables| tables.parse().expect("a number"));
    for (promise, expected) in [
        (SensitiveModel::Confidence(0.5), RegisterFindings { releases: 7, more_than_half: 1, certain: 0 }),
        (SensitiveModel::Diversity(2.0), RegisterFindings { releases: 8, more_than_half: 2, certain: 0 }),
    ] {
        let found = attack_tables(promise, tables.unwrap_or(TABLES));
        println!("{promise:?}: {found:?}");
        assert!(tables.is_some() || found == expected, "{promise:?}: {found:?}");
    }
}

/// Number of random tables. `INFERENCE_TABLES` takes more, and only prints the figures.
const TABLES: u64 = 12;
