//! What no test can pass: the most that is found by any that errs no more often than it may.

/// Steps of the search for multipliers, and how far the first one goes.
const STEPS: u32 = 400;
const FIRST_STEP: f64 = 0.7;

/// What a decision may cost at most, or has to find at least, as a share of cases.
#[derive(Clone, Copy)]
pub enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// A problem of choosing, case by case, what to call different: most is to be found within limits.
pub trait Problem {
    /// Cases that are drawn from what they have to be found in.
    fn cases(&self) -> usize;
    fn limits(&self) -> &[Limit];
    /// Writes how much of each limit the best decision on a case takes if every limit has that price, and
    /// returns what it finds.
    fn decide(&self, case: usize, prices: &[f64], takes: &mut [f64]) -> f64;
}

/// An upper bound of what can be found within all limits, in percent: for any prices what is found, less
/// what exceeds the limits at their prices, is no less than that by duality (E. L. Lehmann and J. P. Romano,
/// *Testing Statistical Hypotheses*, 2005, 3.6). The lowest one over the prices is looked for in one half
/// of the cases and taken from the other.
pub fn bound(problem: &impl Problem) -> f64 {
    let half = problem.cases() / 2;
    let limits = problem.limits();
    let mut prices: Vec<f64> = limits
        .iter()
        .map(|limit| match limit {
            Limit::AtMost(_) => 1.0,
            Limit::AtLeast(_) => 0.01,
        })
        .collect();
    let mut lowest = (f64::INFINITY, prices.clone());
    for step in 0..STEPS {
        let (value, takes) = dual(problem, 0..half, &prices);
        if value < lowest.0 {
            lowest = (value, prices.clone());
        }
        let far = FIRST_STEP / (1.0 + f64::from(step) / 20.0);
        for ((price, limit), take) in prices.iter_mut().zip(limits).zip(&takes) {
            let excess = match limit {
                Limit::AtMost(most) => take / most - 1.0,
                Limit::AtLeast(least) => 1.0 - take / least,
            };
            *price = (*price * (far * excess.clamp(-3.0, 3.0)).exp()).clamp(1e-9, 1e9);
        }
    }
    100.0 * dual(problem, half..problem.cases(), &lowest.1).0
}

/// What is found less the price of what exceeds the limits, and what each of these is taken.
fn dual(problem: &impl Problem, cases: std::ops::Range<usize>, prices: &[f64]) -> (f64, Vec<f64>) {
    let count = cases.len() as f64;
    let mut sums = vec![0.0; prices.len()];
    let mut takes = vec![0.0; prices.len()];
    let mut found = 0.0;
    for case in cases {
        found += problem.decide(case, prices, &mut takes) / count;
        sums.iter_mut().zip(&takes).for_each(|(sum, take)| *sum += take / count);
    }
    let limited = prices.iter().zip(&sums).zip(problem.limits());
    let price = limited.map(|((price, sum), limit)| match limit {
        Limit::AtMost(most) => price * (most - sum),
        Limit::AtLeast(least) => price * (sum - least),
    });
    (found + price.sum::<f64>(), sums)
}
