//! How many classes of a sample that are of one person are of one person in the population, too, estimated from the sizes of the
//! sample's classes and the share of the population that it is.
//!
//! Two estimators, and the rule by Dankar, El Emam, Neisa and Roffey (BMC Medical Informatics and Decision Making 2012) which
//! of them to take: of samples of no more than a tenth that by Pitman's model (Hoshino 2001), where it converges; else
//! Zayatz's (1991). (For larger samples the rule takes the smaller one of Zayatz's and of that by slide negative
//! binomials; Zayatz's alone is the safe side.)

use crate::{pace, Error};

/// Who estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// Pitman's sampling formula with two parameters, which are the most likely ones.
    Pitman,
    /// The classes of the population are as large as those of the sample.
    Zayatz,
}

/// What was estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniques {
    /// By whom; none where the sample has no class of one.
    pub estimator: Option<Estimator>,
    /// How many of the population are alone.
    pub in_population: f64,
    /// The chance that who is alone in the sample is alone in the population.
    pub chance: f64,
}

/// Of samples of so much of the population Pitman's model is taken.
const SMALL: f64 = 0.1;

/// Larger populations are taken for this one: the chances stay, but the numbers would overflow.
const LARGEST: f64 = 1e300;

/// Estimates how many of a population are alone, of which a sample has classes of some sizes, and which has so many persons as
/// make the sample this `share` of it.
pub fn uniques(sizes: &[u64], share: f64) -> Result<Uniques, Error> {
    let sample = Sample::of(sizes, share)?;
    if sample.alone() == 0.0 {
        return Ok(Uniques { estimator: None, in_population: 0.0, chance: 0.0 });
    }
    let pitman = if share <= SMALL { sample.pitman()? } else { None };
    let (estimator, in_population) = match pitman {
        Some(alone) => (Estimator::Pitman, alone),
        None => (Estimator::Zayatz, sample.zayatz()?),
    };
    // Each of those is in the sample with the same chance.
    let chance = (in_population * share / sample.alone()).clamp(0.0, 1.0);
    Ok(Uniques { estimator: Some(estimator), in_population, chance })
}

/// A sample: how many classes there are of each size.
struct Sample {
    /// Sizes, ascending, and how many classes are of each.
    sizes: Vec<(u64, u64)>,
    /// Its persons.
    persons: f64,
    classes: f64,
    /// Those of the population.
    population: f64,
}

impl Sample {
    fn of(sizes: &[u64], share: f64) -> Result<Sample, Error> {
        let mut sorted = pace::collect(sizes.iter().copied().filter(|&size| size > 0))?;
        pace::sort_by(&mut sorted, Ord::cmp)?;
        let mut sizes: Vec<(u64, u64)> = Vec::new();
        let mut persons = 0;
        for &size in &sorted {
            pace::tick(1)?;
            persons += size;
            match sizes.last_mut() {
                Some((last, classes)) if *last == size => *classes += 1,
                _ => sizes.push((size, 1)),
            }
        }
        let persons = persons as f64;
        let population = (persons / share).round().min(LARGEST);
        Ok(Sample { sizes, persons, classes: sorted.len() as f64, population })
    }

    /// How many are alone.
    fn alone(&self) -> f64 {
        self.sizes.first().filter(|(size, _)| *size == 1).map_or(0.0, |(_, classes)| *classes as f64)
    }

    /// Zayatz: of classes of the population that are as large as those of the sample, drawn without replacement, those of which
    /// one person was drawn are of one person with this share.
    fn zayatz(&self) -> Result<f64, Error> {
        let (n, all) = (self.persons, self.population);
        let share = n / all;
        // The chance that one of a class of i is drawn: i n/N times that none of the i - 1 others is.
        let (mut none, mut others, mut drawn) = (1.0, 0, 0.0);
        for &(size, classes) in &self.sizes {
            while others + 1 < size && none > 0.0 {
                pace::tick(1)?;
                let left = others as f64;
                none *= ((all - n - left) / (all - 1.0 - left)).max(0.0);
                others += 1;
            }
            drawn += classes as f64 / self.classes * size as f64 * share * none;
        }
        let alone = self.alone() / self.classes * share / drawn;
        Ok(self.alone() * alone / share)
    }

    /// Pitman: the expected number of classes of one among N is G(t + 1) / G(t + a) N^a, where t and a are those under which
    /// the sample is most likely. None where that is not inside their range.
    fn pitman(&self) -> Result<Option<f64>, Error> {
        const NEAR: f64 = 1e-6;
        if self.classes < 2.0 || self.classes == self.persons {
            return Ok(None);
        }
        // The likelihood has one top along a, each with its best t.
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (NEAR / 2.0, 1.0 - NEAR / 2.0);
        let mut tried = [high - golden * (high - low), low + golden * (high - low)];
        let mut likely = [self.likelihood(tried[0])?.1, self.likelihood(tried[1])?.1];
        while high - low > NEAR / 4.0 {
            if likely[0] < likely[1] {
                low = tried[0];
                (tried[0], likely[0]) = (tried[1], likely[1]);
                tried[1] = low + golden * (high - low);
                likely[1] = self.likelihood(tried[1])?.1;
            } else {
                high = tried[1];
                (tried[1], likely[1]) = (tried[0], likely[0]);
                tried[0] = high - golden * (high - low);
                likely[0] = self.likelihood(tried[0])?.1;
            }
        }
        let a = (low + high) / 2.0;
        let (t, likely) = self.likelihood(a)?;
        let alone = (ln_gamma(t + 1.0) - ln_gamma(t + a) + a * self.population.ln()).exp();
        let is_inside = a > NEAR && a < 1.0 - NEAR && t < MOST && likely.is_finite();
        Ok(Some(alone).filter(|alone| is_inside && *alone > 0.0 && *alone <= self.population))
    }

    /// The best t for an a, and the logarithm of how likely the sample is by both.
    fn likelihood(&self, a: f64) -> Result<(f64, f64), Error> {
        let (n, u) = (self.persons, self.classes);
        // Falls from above 0 to below it, once.
        let slope =
            |t: f64| (digamma(t / a + u) - digamma(t / a + 1.0)) / a - (digamma(t + n) - digamma(t + 1.0));
        let (mut low, mut high) = (1e-9f64.ln(), (MOST + a).ln());
        for _ in 0..80 {
            pace::tick(1)?;
            let middle = (low + high) / 2.0;
            if slope(middle.exp() - a) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let t = ((low + high) / 2.0).exp() - a;
        let mut likely = (u - 1.0) * a.ln() + ln_gamma(t / a + u) - ln_gamma(t / a + 1.0) - ln_gamma(t + n)
            + ln_gamma(t + 1.0);
        let one = ln_gamma(1.0 - a);
        pace::each(&self.sizes, |&(size, classes)| {
            likely += classes as f64 * (ln_gamma(size as f64 - a) - one);
        })?;
        Ok((t, likely))
    }
}

/// A t that is larger is none.
const MOST: f64 = 1e12;

/// From here on the series are exact to a double's last digits.
const FAR: f64 = 12.0;

/// The logarithm of the gamma function of what is above 0 (Stirling's series; Abramowitz, Stegun 6.1.41).
fn ln_gamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < FAR {
        below += x.ln();
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - below
}

/// Its derivative (Abramowitz, Stegun 6.3.18).
fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < FAR {
        below += 1.0 / x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    x.ln()
        - 0.5 / x
        - r * (1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0 - r * (1.0 / 240.0 - r / 132.0))))
        - below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_and_its_derivative_are_known() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a} is not {b}");
        close(ln_gamma(1.0), 0.0);
        close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        close(ln_gamma(11.0), 3_628_800f64.ln());
        close(ln_gamma(171.0), (1..=170).map(|i| f64::from(i).ln()).sum());
        // -0.5772... (Euler), and -0.5772... - 2 ln 2.
        close(digamma(1.0), -0.577_215_664_901_532_9);
        close(digamma(0.5), -1.963_510_026_021_423_5);
        close(digamma(101.0), (1..=100).map(|i| 1.0 / f64::from(i)).sum::<f64>() - 0.577_215_664_901_532_9);
    }

    #[test]
    fn populations_beyond_all_numbers() {
        for share in [1e-310, 0.0] {
            let found = uniques(&[1, 1, 1, 2, 5], share).unwrap();
            assert!((0.0..=1.0).contains(&found.chance), "{found:?}");
        }
    }

    /// Classes of a population drawn by Pitman's own process: the next person is in a class of i with a chance of
    /// (i - a) / (t + n), and else in a new one.
    fn drawn(persons: u64, t: f64, a: f64, random: &mut u64) -> Vec<u64> {
        let mut next = || {
            *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*random >> 11) as f64 / (1u64 << 53) as f64
        };
        // A person of a class of i stands for 1 each; with (i - a) / i it is taken, so that the class counts i - a.
        let (mut of_person, mut sizes): (Vec<usize>, Vec<u64>) = (Vec::new(), Vec::new());
        for n in 0..persons {
            let new = (t + a * sizes.len() as f64) / (t + n as f64);
            let class = if next() < new {
                sizes.push(0);
                sizes.len() - 1
            } else {
                loop {
                    let class = of_person[(next() * n as f64) as usize];
                    if next() * sizes[class] as f64 >= a {
                        break class;
                    }
                }
            };
            sizes[class] += 1;
            of_person.push(class);
        }
        sizes
    }

    /// A sample of so many persons of a population, without replacement: the sizes of its classes.
    fn sampled(population: &[u64], persons: usize, random: &mut u64) -> Vec<u64> {
        let mut of_person: Vec<usize> =
            population.iter().enumerate().flat_map(|(class, &n)| vec![class; n as usize]).collect();
        let mut sizes = vec![0; population.len()];
        for taken in 0..persons {
            *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = taken + (*random >> 33) as usize % (of_person.len() - taken);
            of_person.swap(taken, at);
            sizes[of_person[taken]] += 1;
        }
        sizes.retain(|&n| n > 0);
        sizes
    }

    fn alone(sizes: &[u64]) -> f64 {
        sizes.iter().filter(|&&n| n == 1).count() as f64
    }

    #[test]
    fn small_samples_are_estimated_by_pitmans_model() {
        let mut random = 7;
        for (t, a) in [(50.0, 0.4), (200.0, 0.6), (10.0, 0.75)] {
            let population = drawn(40_000, t, a, &mut random);
            let sample = sampled(&population, 4_000, &mut random);
            let estimated = uniques(&sample, 0.1).unwrap();
            let is = alone(&population);
            assert_eq!(estimated.estimator, Some(Estimator::Pitman));
            assert!((estimated.in_population / is - 1.0).abs() < 0.15, "{estimated:?}, not {is} by {t}, {a}");
            assert!((estimated.chance - is * 0.1 / alone(&sample)).abs() < 0.1);
        }
    }

    /// By brute force: every sample of two of five persons in classes of 1, 1 and 3.
    #[test]
    fn zayatz_is_the_share_of_all_samples() {
        // Of classes of the sizes of the sample, 1, 1 and 3: 2/3 of them are of one, 1/3 of three. One of a class of one is drawn in
        // 4 of 10 samples of 2 of 5; one of three in 6.
        let sample = Sample::of(&[1, 1, 3], 1.0).unwrap();
        let sample = Sample { population: 5.0, persons: 2.0, ..sample };
        let (one, three) = (2.0 / 3.0 * 0.4, 1.0 / 3.0 * 0.6);
        let expected = 2.0 * one / (one + three) / 0.4;
        assert!((sample.zayatz().unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn large_samples_are_estimated_by_zayatz() {
        let mut random = 11;
        let population = drawn(20_000, 100.0, 0.5, &mut random);
        for (persons, share) in [(10_000, 0.5), (16_000, 0.8)] {
            let sample = sampled(&population, persons, &mut random);
            let estimated = uniques(&sample, share).unwrap();
            let is = alone(&population);
            assert_eq!(estimated.estimator, Some(Estimator::Zayatz));
            // On the safe side.
            assert!(
                estimated.in_population > 0.8 * is && estimated.in_population < 2.5 * is,
                "{estimated:?}, not {is}"
            );
        }
        // All of it.
        let all = uniques(&population, 1.0).unwrap();
        assert!((all.in_population - alone(&population)).abs() < 1e-6 && (all.chance - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nobody_and_everybody_alone() {
        let none = Uniques { estimator: None, in_population: 0.0, chance: 0.0 };
        assert_eq!(uniques(&[2, 3], 0.1).unwrap(), none);
        assert_eq!(uniques(&[], 0.1).unwrap(), none);
        // Nothing says that anybody is like another.
        let all = uniques(&[1; 50], 0.05).unwrap();
        assert_eq!((all.estimator, all.chance), (Some(Estimator::Zayatz), 1.0));
        assert!((all.in_population - 1000.0).abs() < 1e-6);
        let single = uniques(&[1], 0.5).unwrap();
        assert!(single.in_population.is_finite() && single.chance <= 1.0);
    }
}
