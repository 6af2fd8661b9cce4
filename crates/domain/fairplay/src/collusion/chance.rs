//! How likely chance alone is, and how much of it is let through.

use crate::accuracy::count;

/// The probability that of `number` tries with chance `share` each at least `hits` succeed.
#[must_use]
pub fn at_least(hits: usize, number: usize, share: f64) -> f64 {
    if hits == 0 || share >= 1.0 {
        return 1.0;
    }
    if hits > number || share <= 0.0 {
        return 0.0;
    }
    let (log_hit, log_miss) = (libm::log(share), libm::log1p(-share));
    let log_of = |k: usize| log_choose(number, k) + count(k) * log_hit + count(number - k) * log_miss;
    (hits..=number).map(|k| libm::exp(log_of(k))).sum::<f64>().min(1.0)
}

fn log_choose(number: usize, hits: usize) -> f64 {
    let log_factorial = |n: usize| libm::lgamma(count(n) + 1.0);
    log_factorial(number) - log_factorial(hits) - log_factorial(number - hits)
}

/// The probability of a normal deviate of at least `z`.
#[must_use]
pub fn normal_tail(z: f64) -> f64 {
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// Which hypotheses are given up when at most `rate` of those given up may be true [Benjamini & Hochberg 1995].
#[must_use]
pub fn benjamini_hochberg(p_values: &[f64], rate: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let number = count(p_values.len());
    let passes = |(rank, index): (usize, &usize)| p_values[*index] <= rate * count(rank + 1) / number;
    let accepted = order.iter().enumerate().rposition(passes).map_or(0, |last| last + 1);
    let mut given_up = vec![false; p_values.len()];
    for index in &order[..accepted] {
        given_up[*index] = true;
    }
    given_up
}
