//! Estimates of population uniques, which are persons alone in their class: from the class sizes of a sample, and the
//! share of the population that the sample is.
//!
//! The choice between two estimators follows Dankar, El Emam, Neisa and Roffey (BMC Medical Informatics and Decision
//! Making 2012). Samples of at most a tenth take Pitman's model (Hoshino 2001) if it converges. All others take
//! Zayatz's estimator (1991). (For larger samples their rule takes the smaller one of Zayatz's and the slide negative
//! binomial estimate; Zayatz's alone is the safe side.)

use crate::{pace, Error};

/// Estimator of population uniques.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// Pitman's sampling formula, with maximum likelihood estimates of its two parameters.
    Pitman,
    /// Assumes that the class sizes of the population are distributed as those of the sample.
    Zayatz,
}

/// Result of an estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniques {
    /// Estimator taken; None if the sample has no class of one person.
    pub estimator: Option<Estimator>,
    /// Number of persons that are unique in the population.
    pub in_population: f64,
    /// Probability that a person that is unique in the sample is unique in the population.
    pub chance: f64,
}

/// Largest sample, as a share of the population, for which Pitman's model is taken.
const MAX_PITMAN_SHARE: f64 = 0.1;

/// Largest population, in persons. Larger ones are cut to it, which leaves the chances but avoids overflow.
const MAX_POPULATION: f64 = 1e300;

/// Estimates the unique persons of a population from the class `sizes` of a sample that has a `share` of its persons.
pub fn estimate_uniques(sizes: &[u64], share: f64) -> Result<Uniques, Error> {
    let sample = Sample::new(sizes, share)?;
    if sample.count_uniques() == 0.0 {
        return Ok(Uniques { estimator: None, in_population: 0.0, chance: 0.0 });
    }
    let pitman = if share <= MAX_PITMAN_SHARE { sample.pitman()? } else { None };
    let (estimator, in_population) = match pitman {
        Some(unique) => (Estimator::Pitman, unique),
        None => (Estimator::Zayatz, sample.zayatz()?),
    };
    // A population unique is in the sample with the probability `share`.
    let chance = (in_population * share / sample.count_uniques()).clamp(0.0, 1.0);
    Ok(Uniques { estimator: Some(estimator), in_population, chance })
}

/// Class sizes of a sample.
struct Sample {
    /// Each size, ascending, and its number of classes.
    sizes: Vec<(u64, u64)>,
    /// Persons of the sample.
    persons: f64,
    classes: f64,
    /// Persons of the population.
    population: f64,
}

impl Sample {
    fn new(sizes: &[u64], share: f64) -> Result<Sample, Error> {
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
        let population = (persons / share).round().min(MAX_POPULATION);
        Ok(Sample { sizes, persons, classes: sorted.len() as f64, population })
    }

    /// Counts the classes of one person.
    fn count_uniques(&self) -> f64 {
        self.sizes.first().filter(|(size, _)| *size == 1).map_or(0.0, |(_, classes)| *classes as f64)
    }

    /// Estimates by Zayatz's method: if class sizes in the population are distributed as in the sample, and persons are
    /// drawn without replacement, Bayes' rule gives the share of sample uniques that are population uniques.
    fn zayatz(&self) -> Result<f64, Error> {
        let (n, all) = (self.persons, self.population);
        let share = n / all;
        // A class of i persons is a sample unique with the probability i n/N * P(none of its i - 1 others is drawn).
        let (mut no_other_drawn, mut others) = (1.0, 0);
        let mut sample_unique = 0.0;
        for &(size, classes) in &self.sizes {
            while others + 1 < size && no_other_drawn > 0.0 {
                pace::tick(1)?;
                let passed = others as f64;
                no_other_drawn *= ((all - n - passed) / (all - 1.0 - passed)).max(0.0);
                others += 1;
            }
            sample_unique += classes as f64 / self.classes * size as f64 * share * no_other_drawn;
        }
        let population_unique = self.count_uniques() / self.classes * share / sample_unique;
        Ok(self.count_uniques() * population_unique / share)
    }

    /// Estimates by Pitman's model, with the most likely parameters t and a. The expected number of unique persons
    /// among N is G(t + 1) / G(t + a) N^a, with the gamma function G. Returns None if a parameter is at the edge of its
    /// range, or if the estimate exceeds the population.
    fn pitman(&self) -> Result<Option<f64>, Error> {
        /// Smallest distance of a from 0 and 1. The search is four times as precise.
        const MARGIN: f64 = 1e-6;
        if self.classes < 2.0 || self.classes == self.persons {
            return Ok(None);
        }
        // Along a, each with its best t, the likelihood has a single maximum.
        let likelihood = |a: f64| self.log_likelihood(self.best_t(a)?, a);
        let a = find_maximum(MARGIN / 2.0, 1.0 - MARGIN / 2.0, MARGIN / 4.0, likelihood)?;
        let t = self.best_t(a)?;
        let unique = (ln_gamma(t + 1.0) - ln_gamma(t + a) + a * self.population.ln()).exp();
        let is_inside = a > MARGIN && a < 1.0 - MARGIN && t < MAX_T && self.log_likelihood(t, a)?.is_finite();
        Ok(Some(unique).filter(|unique| is_inside && *unique > 0.0 && *unique <= self.population))
    }

    /// Returns the most likely t for an a.
    fn best_t(&self, a: f64) -> Result<f64, Error> {
        let (n, u) = (self.persons, self.classes);
        // Derivative of the log-likelihood by t, which turns from positive to negative once.
        let slope =
            |t: f64| (digamma(t / a + u) - digamma(t / a + 1.0)) / a - (digamma(t + n) - digamma(t + 1.0));
        let (mut low, mut high) = (1e-9f64.ln(), (MAX_T + a).ln());
        for _ in 0..80 {
            pace::tick(1)?;
            let middle = (low + high) / 2.0;
            if slope(middle.exp() - a) > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(((low + high) / 2.0).exp() - a)
    }

    /// Returns the logarithm of the sample's probability, without terms that depend on neither t nor a.
    fn log_likelihood(&self, t: f64, a: f64) -> Result<f64, Error> {
        let (n, u) = (self.persons, self.classes);
        let mut likelihood =
            (u - 1.0) * a.ln() + ln_gamma(t / a + u) - ln_gamma(t / a + 1.0) - ln_gamma(t + n)
                + ln_gamma(t + 1.0);
        let of_one = ln_gamma(1.0 - a);
        pace::each(&self.sizes, |&(size, classes)| {
            likelihood += classes as f64 * (ln_gamma(size as f64 - a) - of_one);
        })?;
        Ok(likelihood)
    }
}

/// Finds the place of the maximum of a function between two ends by golden section search.
fn find_maximum(
    mut low: f64,
    mut high: f64,
    precision: f64,
    function: impl Fn(f64) -> Result<f64, Error>,
) -> Result<f64, Error> {
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let mut places = [high - golden * (high - low), low + golden * (high - low)];
    let mut values = [function(places[0])?, function(places[1])?];
    while high - low > precision {
        if values[0] < values[1] {
            low = places[0];
            (places[0], values[0]) = (places[1], values[1]);
            places[1] = low + golden * (high - low);
            values[1] = function(places[1])?;
        } else {
            high = places[1];
            (places[1], values[1]) = (places[0], values[0]);
            places[0] = high - golden * (high - low);
            values[0] = function(places[0])?;
        }
    }
    Ok((low + high) / 2.0)
}

/// Upper bound of t. The estimate fails if t reaches it.
const MAX_T: f64 = 1e12;

/// Smallest argument at which the series are exact to a double's last digits.
const SERIES_FROM: f64 = 12.0;

/// Computes the logarithm of the gamma function for x > 0 (Stirling's series; Abramowitz, Stegun 6.1.41).
fn ln_gamma(mut x: f64) -> f64 {
    // Gamma(x + 1) = x Gamma(x).
    let mut below = 0.0;
    while x < SERIES_FROM {
        below += x.ln();
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - below
}

/// Computes the derivative of [`ln_gamma`] (Abramowitz, Stegun 6.3.18).
fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < SERIES_FROM {
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
            let found = estimate_uniques(&[1, 1, 1, 2, 5], share).unwrap();
            assert!((0.0..=1.0).contains(&found.chance), "{found:?}");
        }
    }

    /// Draws classes by Pitman's process: a person joins a class of i with probability (i - a) / (t + n), or a new one.
    fn drawn(persons: u64, t: f64, a: f64, random: &mut u64) -> Vec<u64> {
        let mut next = || {
            *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*random >> 11) as f64 / (1u64 << 53) as f64
        };
        // A random person's class of i is accepted with probability (i - a) / i, so it has the weight i - a.
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

    /// Draws a sample of a population without replacement, and returns the sizes of its classes.
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
            let estimated = estimate_uniques(&sample, 0.1).unwrap();
            let is = alone(&population);
            assert_eq!(estimated.estimator, Some(Estimator::Pitman));
            assert!((estimated.in_population / is - 1.0).abs() < 0.15, "{estimated:?}, not {is} by {t}, {a}");
            assert!((estimated.chance - is * 0.1 / alone(&sample)).abs() < 0.1);
        }
    }

    /// Compares with all samples of two of five persons in classes of 1, 1 and 3.
    #[test]
    fn zayatz_is_the_share_of_all_samples() {
        // 2/3 of the classes are of one person, 1/3 of three. A sample of 2 of 5 contains the one person in 4 of 10
        // cases, and exactly one of the three in 6.
        let sample = Sample::new(&[1, 1, 3], 1.0).unwrap();
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
            let estimated = estimate_uniques(&sample, share).unwrap();
            let is = alone(&population);
            assert_eq!(estimated.estimator, Some(Estimator::Zayatz));
            // The estimate errs on the safe side.
            assert!(
                estimated.in_population > 0.8 * is && estimated.in_population < 2.5 * is,
                "{estimated:?}, not {is}"
            );
        }
        // The sample is the whole population.
        let all = estimate_uniques(&population, 1.0).unwrap();
        assert!((all.in_population - alone(&population)).abs() < 1e-6 && (all.chance - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nobody_and_everybody_alone() {
        let none = Uniques { estimator: None, in_population: 0.0, chance: 0.0 };
        assert_eq!(estimate_uniques(&[2, 3], 0.1).unwrap(), none);
        assert_eq!(estimate_uniques(&[], 0.1).unwrap(), none);
        // No two persons of the sample are alike.
        let all = estimate_uniques(&[1; 50], 0.05).unwrap();
        assert_eq!((all.estimator, all.chance), (Some(Estimator::Zayatz), 1.0));
        assert!((all.in_population - 1000.0).abs() < 1e-6);
        let single = estimate_uniques(&[1], 0.5).unwrap();
        assert!(single.in_population.is_finite() && single.chance <= 1.0);
    }
}
