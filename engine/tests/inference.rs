//! An experiment: what does a release tell somebody who knows the search, and sees nothing but the release?
//!
//! The search is deterministic and goes as far as it can. So what it did not do could not be done, and of all tables that what is
//! shown leaves possible only some give this very release. In small worlds all tables are gone through and released, and
//! those of one release compared: what they have in common is known to its recipient (minimality attacks, Wong, Fu, Wang and Pei, VLDB
//! 2007; downcoding, Cohen, 2022).
//!
//! * `inference/world.rs`: what is public: columns, possible values, number of rows, models
//! * `inference/release.rs`: the release of a table as its recipient sees it
//! * `inference/attack.rs`: the tables that give a release, and what they have in common
//! * `inference/figures.rs`: in which share of releases something is told
//! * `inference/examples.rs`: an example for each way
//! * `inference/register.rs`: attackers who know all masked values of everybody, and look for a sensitive value
//!
//! `inference/figures.txt` is what was found, over the worlds of the first seed; the test fails where it is not found again. With
//! `INFERENCE_SEEDS=60` it prints the figures of so many seeds instead (docs/inference.md has some of them), and asserts what holds of
//! any number.

mod attack;
mod chance;
mod examples;
mod figures;
mod register;
mod release;
mod world;

use chance::Chance;
use figures::{figures, table, together, Setting};
use register::{found, Found, Promise};
use world::{Beside, Masked, Way};

/// The seeds of `figures.txt`.
const SEEDS: u64 = 1;

#[test]
fn what_releases_tell() {
    let seeds = std::env::var("INFERENCE_SEEDS").ok().map(|seeds| seeds.parse().expect("a number"));
    // With debug assertions one way takes as long as all of them without.
    let is_looked_at = |setting: &Setting| !cfg!(debug_assertions) || setting.way == Way::Local;
    let found = figures(seeds.unwrap_or(SEEDS), is_looked_at);

    for (setting, figures) in &found {
        let Setting { way, beside, k, masked } = *setting;
        let say = || format!("{setting:?}: {figures}");
        // "Neither none nor all of them": a node that all rows of a group have one child of is refined.
        if way == Way::Local && beside != Beside::Class {
            assert!(figures.always_differs(), "{}", say());
        }
        // Nobody is left with fewer than k rows, from k = 3 on, but where the class alone has chosen a split.
        if k > 2 && matches!(way, Way::Valid | Way::Local) || beside == Beside::Nothing {
            assert!(!figures.goes_below_k(), "{}", say());
        }
        // Where the rest is searched again, ends tell nothing of the rows that are withheld.
        let by_intervals = matches!(masked, Masked::Intervals | Masked::Bounded);
        if k > 2 && way == Way::Again && by_intervals {
            assert!(!figures.tells_of_withheld(), "{}", say());
        }
    }
    // Somebody is singled out in many releases a group at a time at k = 2, in hardly any at 3, in none at 4.
    let one = |way: Way, k: u64| {
        let of_both = together(&found, |setting| setting.way == way && setting.k == k);
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

/// A table is known up to the order of its rows: that the order tells nothing more is what makes the attack complete.
#[test]
fn the_order_of_rows_does_not_matter() {
    for seed in 0..3 {
        for way in [Way::Global, Way::Valid, Way::Local, Way::Clustered, Way::Withheld, Way::Again] {
            for beside in [Beside::Nothing, Beside::Class, Beside::Sensitive] {
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

/// Somebody who knows all masked values of everybody in the table learns more of the sensitive value than the models say of what is
/// shown. docs/inference.md has these figures.
#[test]
fn what_releases_tell_with_a_register() {
    let tables = std::env::var("INFERENCE_TABLES").ok().map(|tables| tables.parse().expect("a number"));
    for (promise, expected) in [
        (Promise::Confidence(0.5), Found { releases: 7, more_than_half: 1, certain: 0 }),
        (Promise::Diversity(2.0), Found { releases: 8, more_than_half: 2, certain: 0 }),
    ] {
        let found = found(promise, tables.unwrap_or(TABLES));
        println!("{promise:?}: {found:?}");
        assert!(tables.is_some() || found == expected, "{promise:?}: {found:?}");
    }
}

/// How many random tables are looked at; `INFERENCE_TABLES` takes more, and only prints what they tell.
const TABLES: u64 = 12;
