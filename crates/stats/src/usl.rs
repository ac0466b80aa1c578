//! The Universal Scalability Law.

use crate::bootstrap::{Bootstrap, Each, TOGETHER, means};
use crate::highest::HighestThroughput;
use crate::interval::Bounds;
use crate::lack_of_fit::lack_of_fit;
use crate::normal_equations::Normal;
use crate::{Estimate, Interval, IntervalMethod};
use serde::Serialize;

/// Fewest levels that a fit takes.
pub const USL_MIN_LEVELS: usize = 6;

/// Throughput against clients N as X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) (N. J. Gunther,
/// *Guerrilla Capacity Planning*, 2007, chapter 6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usl {
    /// λ, throughput of one client; above 0.
    pub lambda: f64,
    /// σ, contention: the share of work that clients do one after another; 0 or more.
    pub sigma: f64,
    /// κ, coherency: what each pair of clients costs; 0 or more.
    pub kappa: f64,
}

/// A law fitted to repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct UslFit {
    /// The law that fits the geometric means over the repeats.
    pub law: Usl,
    /// Measured ÷ fitted − 1 at each level, 0.05 being 5 % above the law.
    pub residuals: Vec<f64>,
    /// The p-value of these departures; small where scatter does not explain them.
    pub lack_of_fit: f64,
    clients: Vec<f64>,
    /// Logarithms of throughput, repeat by repeat.
    logs: Vec<Vec<f64>>,
}

/// What is known of the parameters of a fitted law, if it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct UslParameters {
    /// λ.
    pub lambda: Estimate,
    /// σ.
    pub sigma: Estimate,
    /// κ.
    pub kappa: Estimate,
    /// Where throughput is highest by the law.
    pub peak: UslPeak,
    /// How high it is there; `None` where throughput grows for ever.
    pub highest: Option<HighestThroughput>,
}

/// The number of clients with the highest throughput by a law; an absent number is infinite:
/// throughput grows for ever, or may.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UslPeak {
    /// N*.
    pub clients: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// Confidence of that interval.
    pub confidence: f64,
}

impl Usl {
    /// The law that fits throughputs (above 0) at numbers of clients (1 and more) with the least
    /// squares of relative errors; `None` for fewer than three points or numbers out of range.
    ///
    /// N ÷ X(N) is linear in 1/λ, σ/λ and κ/λ. These are fitted under the condition that none is
    /// negative, each point weighted by the square of its fitted value, until that settles.
    ///
    /// ```
    /// // Amdahl's law (1967): where 5 % of the work is serial, 20 processors do 20 ÷ 1.95 × as much.
    /// let amdahl = |n: f64| (n, n / (1.0 + 0.05 * (n - 1.0)));
    /// let law = stats::Usl::fit(&[1.0, 2.0, 4.0, 8.0, 16.0].map(amdahl)).expect("five points");
    /// assert!((law.sigma - 0.05).abs() < 1e-6 && law.kappa.abs() < 1e-8);
    /// assert!((law.throughput(20.0) - 20.0 / 1.95).abs() < 1e-4);
    /// ```
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let times: Vec<f64> = points.iter().map(|&(n, x)| time(n, x)).collect::<Option<_>>()?;
        if points.len() < 3 {
            return None;
        }
        let clients = points.iter().map(|(n, _)| *n);
        let each: Vec<Each> = times.iter().map(|time| [*time; TOGETHER]).collect();
        let [law, ..] = Fitting::new(clients, &times).laws(&each);
        law
    }

    /// Throughput at `clients`.
    pub fn throughput(&self, clients: f64) -> f64 {
        let others = clients - 1.0;
        self.lambda * clients / (1.0 + self.sigma * others + self.kappa * clients * others)
    }

    /// N* = √((1 − σ) / κ), the number of clients with the highest throughput, at least 1;
    /// infinite where κ is 0 and throughput never falls.
    ///
    /// ```
    /// // √((1 − 0.04) ÷ 0.0006) = √1600
    /// let law = stats::Usl { lambda: 740.0, sigma: 0.04, kappa: 0.0006 };
    /// assert!((law.peak() - 40.0).abs() < 1e-9);
    /// ```
    pub fn peak(&self) -> f64 {
        if self.sigma >= 1.0 { 1.0 } else { ((1.0 - self.sigma) / self.kappa).sqrt().max(1.0) }
    }
}

impl Usl {
    /// The throughput that it comes to with any number of clients: that at N*, or the limit λ ÷ σ where κ
    /// is 0; infinite where both are.
    ///
    /// ```
    /// let amdahl = stats::Usl { lambda: 100.0, sigma: 0.05, kappa: 0.0 };
    /// assert_eq!(amdahl.highest(), 2_000.0);
    /// ```
    pub fn highest(&self) -> f64 {
        let peak = self.peak();
        if peak.is_finite() { self.throughput(peak) } else { self.lambda / self.sigma }
    }
}

impl UslFit {
    /// Fits the law to repeats of throughput, each with one value for each of `clients`. `None`
    /// for fewer than two repeats or [`USL_MIN_LEVELS`], without a level of one client, and
    /// for values that are not above 0.
    pub fn fit(clients: &[f64], repeats: &[Vec<f64>]) -> Option<Self> {
        if clients.len() < USL_MIN_LEVELS || !clients.contains(&1.0) {
            return None;
        }
        let logs: Vec<Vec<f64>> =
            repeats.iter().map(|row| row.iter().map(|value| value.ln()).collect()).collect();
        let measured = points(clients, &means(&logs));
        let law = Usl::fit(&measured)?;
        let fitted: Vec<f64> = clients.iter().map(|&n| law.throughput(n).ln()).collect();
        let lack_of_fit = lack_of_fit(&logs, &fitted, 3)?;
        let residuals = measured.iter().map(|&(n, x)| x / law.throughput(n) - 1.0).collect();
        Some(Self { law, residuals, lack_of_fit, clients: clients.to_vec(), logs })
    }

    /// The parameters with intervals from a bootstrap over the repeats, which takes a thousand fits. They
    /// say how well the parameters are known if the law holds; whether it does is seen in the residuals
    /// and their p-value. `None` for a confidence outside (0, 1).
    ///
    /// ```
    /// use stats::{Bootstrap, Usl, UslFit};
    /// let law = Usl { lambda: 740.0, sigma: 0.04, kappa: 0.0006 };
    /// let clients = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    /// let repeat: Vec<f64> = clients.iter().map(|&n| law.throughput(n)).collect();
    /// let fit = UslFit::fit(&clients, &[repeat.clone(), repeat]).expect("a fit");
    /// let peak = fit.parameters(0.95, &Bootstrap::new(1)).and_then(|found| found.peak.clients);
    /// assert!((peak.expect("a law with a peak") - 40.0).abs() < 1e-3);
    /// ```
    pub fn parameters(&self, confidence: f64, bootstrap: &Bootstrap) -> Option<UslParameters> {
        let law = self.law;
        let clients = self.clients.as_slice();
        // The weights settle at the same values from wherever they begin, and sooner from a law that is
        // near.
        let near: Vec<f64> = clients.iter().map(|&n| n / law.throughput(n)).collect();
        let mut fitting = Fitting::new(clients.iter().copied(), &near);
        let mut times = vec![[0.0; TOGETHER]; near.len()];
        let ends = bootstrap.ends_together(&self.logs, confidence, |drawn| {
            for ((times, logs), n) in times.iter_mut().zip(drawn).zip(clients) {
                *times = logs.map(|log| n / log.exp());
            }
            fitting.laws(&times).map(|drawn| {
                let drawn = drawn.unwrap_or(law);
                [drawn.lambda, drawn.sigma, drawn.kappa, drawn.peak(), drawn.highest()]
            })
        });
        let [lambda, sigma, kappa, peak, highest] = ends?;
        let estimate = |point, (low, high)| Estimate {
            point,
            interval: Interval::around(
                point,
                Bounds { low, high, confidence },
                IntervalMethod::Bootstrap,
            ),
            n: self.logs.len(),
        };
        let finite = |clients: f64| clients.is_finite().then_some(clients);
        Some(UslParameters {
            lambda: estimate(law.lambda, lambda),
            sigma: estimate(law.sigma, sigma),
            kappa: estimate(law.kappa, kappa),
            peak: UslPeak {
                clients: finite(law.peak()),
                low: finite(peak.0.min(law.peak())),
                high: finite(peak.1.max(law.peak())),
                confidence,
            },
            highest: HighestThroughput::new(law.highest(), highest, &self.logs, confidence),
        })
    }
}

fn points(clients: &[f64], logs: &[f64]) -> Vec<(f64, f64)> {
    clients.iter().zip(logs).map(|(&n, log)| (n, log.exp())).collect()
}

/// Most rounds of weighting; a handful settles.
const ROUNDS: usize = 8;
/// Relative change of the fitted values below which they have settled.
const SETTLED: f64 = 1e-6;

/// How long a client waits for an operation, N ÷ X(N); `None` for numbers out of range.
fn time(clients: f64, throughput: f64) -> Option<f64> {
    let is_sane =
        clients >= 1.0 && clients.is_finite() && throughput > 0.0 && throughput.is_finite();
    is_sane.then(|| clients / throughput)
}

/// What fits laws at the same numbers of clients again and again, several together.
struct Fitting<'a> {
    clients: Vec<Clients>,
    /// The times from which the weights begin.
    start: &'a [f64],
    fitted: Vec<Each>,
}

/// A number of clients, with what 1/λ, σ/λ and κ/λ are multiplied with.
struct Clients {
    number: f64,
    factors: [f64; 3],
}

/// A law on its way to weights that have settled.
#[derive(Clone, Copy, Default)]
struct Settling {
    law: Option<Usl>,
    /// 1/λ, σ/λ and κ/λ.
    parts: [f64; 3],
    is_over: bool,
}

impl<'a> Fitting<'a> {
    fn new(clients: impl Iterator<Item = f64>, start: &'a [f64]) -> Self {
        let clients =
            clients.map(|n| Clients { number: n, factors: [1.0, n - 1.0, n * (n - 1.0)] });
        Self { clients: clients.collect(), start, fitted: Vec::with_capacity(start.len()) }
    }

    /// The laws that fit these times, one for each number of clients; `None` where times are none.
    fn laws(&mut self, times: &[Each]) -> [Option<Usl>; TOGETHER] {
        self.fitted.clear();
        self.fitted.extend(self.start.iter().map(|time| [*time; TOGETHER]));
        let is_sane =
            |place: usize| times.iter().all(|times| times[place] > 0.0 && times[place].is_finite());
        let mut laws: [Settling; TOGETHER] = std::array::from_fn(|place| Settling {
            is_over: !is_sane(place),
            ..Settling::default()
        });
        for _ in 0..ROUNDS {
            if laws.iter().all(|law| law.is_over) {
                break;
            }
            let products = self.products(times);
            for (place, law) in laws.iter_mut().enumerate().filter(|(_, law)| !law.is_over) {
                let own = products.map(|row| row.map(|products| products[place]));
                let rows = self.clients.iter().zip(times).zip(&self.fitted);
                let rows = rows.map(|((clients, times), fitted)| {
                    let weight = 1.0 / fitted[place];
                    let [a, b, c] = clients.factors.map(|factor| factor * weight);
                    [a, b, c, times[place] * weight]
                });
                *law = match least_squares(&Normal::from_products(own), rows) {
                    Some(parts @ [a, b, c]) => Settling {
                        law: (a > 0.0).then(|| Usl { lambda: 1.0 / a, sigma: b / a, kappa: c / a }),
                        parts,
                        is_over: false,
                    },
                    None => Settling { is_over: true, ..Settling::default() },
                };
            }
            self.fit(&mut laws);
        }
        laws.map(|law| law.law)
    }

    /// The sums of products of what 1/λ, σ/λ and κ/λ are multiplied with, and of what that should give, each
    /// ÷ the fitted time.
    fn products(&self, times: &[Each]) -> [[Each; 4]; 3] {
        let mut products = [[[0.0; TOGETHER]; 4]; 3];
        for ((clients, times), fitted) in self.clients.iter().zip(times).zip(&self.fitted) {
            let weights = fitted.map(|fitted| 1.0 / fitted);
            let [a, b, c] = clients.factors.map(|factor| weights.map(|weight| factor * weight));
            let row = [a, b, c, std::array::from_fn(|place| times[place] * weights[place])];
            for i in 0..3 {
                for j in i..4 {
                    for (place, sum) in products[i][j].iter_mut().enumerate() {
                        *sum += row[i][place] * row[j][place];
                    }
                }
            }
        }
        products
    }

    /// Fits the times anew; laws by which they hardly change are over, and those by which any is none.
    fn fit(&mut self, laws: &mut [Settling; TOGETHER]) {
        let mut is_over = [true; TOGETHER];
        let mut is_none = [false; TOGETHER];
        for (Clients { number: n, factors }, fitted) in self.clients.iter().zip(&mut self.fitted) {
            let next = laws.each_ref().map(|law| {
                let [a, b, c] = law.parts;
                a + b * factors[1] + c * n * factors[1]
            });
            let changes: Each =
                std::array::from_fn(|place| (next[place] / fitted[place] - 1.0).abs());
            for (place, change) in changes.into_iter().enumerate() {
                is_over[place] &= change < SETTLED;
                is_none[place] |= next[place] <= 0.0;
            }
            *fitted = next;
        }
        for (place, law) in laws.iter_mut().enumerate() {
            law.is_over |= is_over[place] || is_none[place];
        }
    }
}

/// 1/λ, σ/λ and κ/λ, none of them negative, with the least squares of what these rows leave. The
/// best of the solutions in which some are held at 0; with three parameters all can be tried.
fn least_squares(
    normal: &Normal,
    rows: impl Iterator<Item = [f64; 4]> + Clone,
) -> Option<[f64; 3]> {
    let squares = |solution: &[f64; 3]| -> f64 {
        let fit = |row: &[f64; 4]| -> f64 { row.iter().zip(solution).map(|(a, b)| a * b).sum() };
        rows.clone().map(|row| (row[3] - fit(&row)).powi(2)).sum()
    };
    let feasible = |solution: &[f64; 3]| solution.iter().all(|part| *part >= 0.0);
    // Without a condition that binds, the full solution is the best of all.
    normal.solve([0, 1, 2]).filter(feasible).or_else(|| {
        let held = [normal.solve([0, 1]), normal.solve([0, 2]), normal.solve([0])];
        let candidates = held.into_iter().flatten().filter(feasible);
        let all = candidates.map(|solution| (squares(&solution), solution));
        all.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, best)| best)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVELS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

    fn curve(law: Usl) -> Vec<(f64, f64)> {
        LEVELS.iter().map(|&n| (n, law.throughput(n))).collect()
    }

    #[test]
    fn a_law_without_noise_is_found_again() {
        for (sigma, kappa) in [(0.03, 0.0005), (0.0, 0.001), (0.2, 0.0), (0.0, 0.0)] {
            let law = Usl { lambda: 740.0, sigma, kappa };
            let found = Usl::fit(&curve(law)).unwrap();
            assert!((found.lambda / 740.0 - 1.0).abs() < 1e-6, "{found:?}");
            assert!((found.sigma - sigma).abs() < 1e-6, "{found:?}");
            assert!((found.kappa - kappa).abs() < 1e-8, "{found:?}");
        }
    }

    #[test]
    fn the_peak_follows_from_the_parameters() {
        let law = Usl { lambda: 1.0, sigma: 0.04, kappa: 0.0006 };
        assert!((law.peak() - 40.0).abs() < 1e-9);
        assert!(law.throughput(40.0) > law.throughput(39.0));
        assert!(law.throughput(40.0) > law.throughput(41.0));
        assert_eq!(Usl { kappa: 0.0, ..law }.peak(), f64::INFINITY);
        assert_eq!(Usl { sigma: 1.5, ..law }.peak(), 1.0);
    }

    #[test]
    fn superlinear_growth_has_no_negative_parameters() {
        let points: Vec<(f64, f64)> = LEVELS.iter().map(|&n| (n, 100.0 * n.powf(1.1))).collect();
        let law = Usl::fit(&points).unwrap();
        assert!(law.sigma == 0.0 && law.kappa == 0.0 && law.lambda > 100.0, "{law:?}");
    }

    #[test]
    fn a_curve_that_is_no_such_law_shows_in_the_residuals() {
        let capped: Vec<f64> = LEVELS.iter().map(|&n| 100.0 * n.min(16.0)).collect();
        let fit = UslFit::fit(&LEVELS, &[capped.clone(), capped]).unwrap();
        let largest = fit.residuals.iter().map(|r| r.abs()).fold(0.0, f64::max);
        assert!(largest > 0.1, "{:?}", fit.residuals);
    }

    #[test]
    fn a_fit_needs_six_levels_one_of_them_a_single_client_and_two_repeats() {
        let row = |n: usize| LEVELS[..n].iter().map(|n| 100.0 * n).collect::<Vec<f64>>();
        let fit = |levels: &[f64], repeats: &[Vec<f64>]| UslFit::fit(levels, repeats).is_some();
        assert!(fit(&LEVELS[..6], &[row(6), row(6)]));
        assert!(!fit(&LEVELS[..5], &[row(5), row(5)]));
        assert!(!fit(&LEVELS[1..], &[row(6), row(6)]));
        assert!(!fit(&LEVELS[..6], &[row(6)]));
        assert!(Usl::fit(&[(1.0, 0.0), (2.0, 1.0), (4.0, 1.0)]).is_none());
    }
}
