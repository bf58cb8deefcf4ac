//! Average inferences from releases over many worlds. All worlds have the same weight; in a world, each table has the
//! weight of its probability if rows are drawn independently.

use super::attack::{infer, releases, Inferences};
use super::chance::Chance;
use super::world::{Masked, Unmasked, Way, World};
use std::fmt;
use std::sync::Mutex;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    pub way: Way,
    pub beside: Unmasked,
    pub k: u64,
    pub masked: Masked,
}

const WAYS: [Way; 6] = [Way::Global, Way::Valid, Way::Local, Way::Clustered, Way::Withheld, Way::Again];
const BESIDE: [Unmasked; 3] = [Unmasked::Nothing, Unmasked::Class, Unmasked::Sensitive];
const KS: [u64; 3] = [2, 3, 4];
const MASKED: [Masked; 5] =
    [Masked::Taxonomy, Masked::Suppression, Masked::Intervals, Masked::Bounded, Masked::Mixed];

fn settings() -> Vec<Setting> {
    let mut all = Vec::new();
    for way in WAYS {
        for beside in BESIDE {
            for k in KS {
                all.extend(MASKED.map(|masked| Setting { way, beside, k, masked }));
            }
        }
    }
    all
}

impl Setting {
    fn worlds(self, seeds: u64) -> impl Iterator<Item = World> {
        let Setting { way, beside, k, masked } = self;
        (0..seeds).map(move |seed| Chance(seed).world(masked, way, beside, k))
    }
}

/// Shares of the releases with each kind of inference.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    worlds: f64,
    releases: usize,
    /// Sums over the worlds for the fields of [`Told`], from `one` to `all_differ`.
    shares: [f64; 7],
    withheld: [f64; 3],
    left: f64,
    least: f64,
}

impl Figures {
    pub const COLUMNS: &str =
        "releases    one  known  whole closer below k differ    left   least  withheld known value";

    fn from_world(world: &World) -> Figures {
        let releases = releases(world);
        let all: u64 = releases.values().map(|consistent| consistent.orders).sum();
        let mut figures =
            Figures { worlds: 1.0, releases: releases.len(), least: f64::INFINITY, ..Figures::default() };
        for (release, consistent) in &releases {
            let weight = consistent.orders as f64 / all as f64;
            let told = infer(world, release, consistent);
            let Inferences { one, known, whole, closer, below_k, differ, all_differ, .. } = told;
            add(&mut figures.shares, [one, known, whole, closer, below_k, differ, all_differ], weight);
            let withheld = [release.withheld > 0, told.withheld_known, told.withheld_value];
            add(&mut figures.withheld, withheld, weight);
            figures.left += told.left * weight;
            figures.least = figures.least.min(told.left);
        }
        figures
    }

    pub fn merge(mut self, other: &Figures) -> Figures {
        if self.worlds == 0.0 {
            return other.clone();
        }
        self.worlds += other.worlds;
        self.releases += other.releases;
        self.shares.iter_mut().zip(other.shares).for_each(|(sum, more)| *sum += more);
        self.withheld.iter_mut().zip(other.withheld).for_each(|(sum, more)| *sum += more);
        self.left += other.left;
        self.least = self.least.min(other.least);
        self
    }

    /// Returns the share of the releases that single somebody out.
    pub fn one(&self) -> f64 {
        self.shares[0] / self.worlds
    }

    /// Says whether any release leaves an attacker fewer than k rows.
    pub fn goes_below_k(&self) -> bool {
        self.shares[4] > 0.0
    }

    /// Says whether any release discloses a value of a withheld row.
    pub fn discloses_withheld_value(&self) -> bool {
        self.withheld[2] > 0.0
    }

    /// Says whether [`Told::all_differ`] holds for all releases.
    pub fn always_differs(&self) -> bool {
        self.shares[6] > self.worlds * (1.0 - 1e-9)
    }
}

fn add<const N: usize>(sums: &mut [f64; N], which: [bool; N], weight: f64) {
    sums.iter_mut().zip(which).filter(|(_, is)| *is).for_each(|(sum, _)| *sum += weight);
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let percent = |share: f64| 100.0 * share / self.worlds;
        write!(f, "{:>8}", self.releases)?;
        self.shares[..6].iter().try_for_each(|&share| write!(f, " {:>6.2}", percent(share)))?;
        write!(f, " {:>7.2} {:>7.3}", percent(self.left), 100.0 * self.least)?;
        if self.withheld[0] > 0.0 {
            let of_withheld = |share: f64| 100.0 * share / self.withheld[0];
            let [withheld, known, value] = self.withheld;
            write!(
                f,
                "  {:>8.2} {:>5.1} {:>5.1}",
                percent(withheld),
                of_withheld(known),
                of_withheld(value)
            )?;
        }
        Ok(())
    }
}

/// Returns the figures of the chosen settings, over the worlds of `seeds` seeds each.
pub fn figures(seeds: u64, is_looked_at: impl Fn(&Setting) -> bool) -> Vec<(Setting, Figures)> {
    let settings: Vec<Setting> = settings().into_iter().filter(is_looked_at).collect();
    let next = Mutex::new(0..settings.len());
    let all = Mutex::new(vec![Figures::default(); settings.len()]);
    let work = || loop {
        let Some(at) = next.lock().unwrap().next() else { break };
        let worlds = settings[at].worlds(seeds);
        let sum = worlds.fold(Figures::default(), |sum, world| sum.merge(&Figures::from_world(&world)));
        all.lock().unwrap()[at] = sum;
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    settings.into_iter().zip(all.into_inner().unwrap()).collect()
}

/// Adds up the figures of some settings; None if none is chosen.
pub fn sum_figures(found: &[(Setting, Figures)], is: impl Fn(&Setting) -> bool) -> Option<Figures> {
    let of = found.iter().filter(|(setting, _)| is(setting)).map(|(_, figures)| figures);
    of.fold(None, |sum: Option<Figures>, figures| Some(sum.unwrap_or_default().merge(figures)))
}

/// Formats the figures by way, k and column beside, then by way, k and masking: in percent of the releases, `left` and
/// `least` of the possible tables, the last two of the releases that withhold rows.
pub fn table(found: &[(Setting, Figures)]) -> String {
    let mut lines = vec![format!("{:<24}{}", "", Figures::COLUMNS)];
    let mut line = |way: Way, k: u64, by: String, is: &dyn Fn(&Setting) -> bool| {
        let of_both = |setting: &Setting| setting.way == way && setting.k == k && is(setting);
        let sum = sum_figures(found, of_both);
        lines.extend(sum.map(|sum| format!("{:<24}{sum}", format!("{way:?} {k} {by}"))));
    };
    for way in WAYS {
        for k in KS {
            for beside in BESIDE {
                line(way, k, format!("{beside:?}"), &|setting| setting.beside == beside);
            }
        }
    }
    for way in WAYS {
        for k in KS {
            for masked in MASKED {
                line(way, k, format!("{masked:?}"), &|setting| setting.masked == masked);
            }
        }
    }
    lines.join("\n") + "\n"
}
