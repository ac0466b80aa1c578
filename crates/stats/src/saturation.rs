//! A law of throughput that rises to a ceiling and stays there.

use crate::bootstrap::means;
use crate::highest::HighestThroughput;
use crate::interval::student;
use crate::lack_of_fit::lack_of_fit;
use crate::normal_equations::Normal;
use crate::{Estimate, Interval, IntervalMethod, USL_MIN_LEVELS};

/// Throughput against clients N as X(N) = λN ÷ (1 + (λN ÷ C)^p)^(1/p): between the two bounds of
/// operational analysis, λN for few clients and C for many (P. J. Denning and J. P. Buzen, *Computing
/// Surveys* 10, 1978), with how sharply it turns from one to the other. p = 1 is, but for one client,
/// G. M. Amdahl's law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saturation {
    /// λ, throughput of one client on its own; above 0.
    pub lambda: f64,
    /// C, the throughput that it does not pass; above 0.
    pub ceiling: f64,
    /// p, from 1 (gradual) to 64 (at once).
    pub sharpness: f64,
}

/// Such a law fitted to repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct SaturationFit {
    /// The law that fits the geometric means over the repeats.
    pub law: Saturation,
    /// λ.
    pub lambda: Estimate,
    /// C.
    pub ceiling: Estimate,
    /// The same with what a further trial would measure.
    pub highest: Option<HighestThroughput>,
    /// Measured ÷ fitted − 1 at each level, 0.05 being 5 % above the law.
    pub residuals: Vec<f64>,
    /// The p-value of the departures from it; small where scatter does not explain them.
    pub lack_of_fit: f64,
}

/// Ends of ln p.
const SHARPNESS: (f64, f64) = (0.0, 4.158_883_083_359_672);
/// Steps of the search in ln(C ÷ λ) and ln p, first and last.
const STEPS: (f64, f64) = (0.35, 1e-4);

/// Logarithms of clients and throughput.
type Points = [(f64, f64)];

/// What is searched for; λ follows from it.
#[derive(Clone, Copy)]
struct Form {
    /// ln(C ÷ λ), the logarithm of the number of clients at which both bounds meet.
    knee: f64,
    /// ln p.
    sharpness: f64,
}

impl Form {
    /// ln(X(N) ÷ λ), of ln N.
    fn log(self) -> impl Fn(f64) -> f64 {
        let p = self.sharpness.exp();
        move |clients: f64| {
            let beyond = p * (clients - self.knee);
            // ln(1 + e^x), without overflow.
            clients - (beyond.max(0.0) + (-beyond.abs()).exp().ln_1p()) / p
        }
    }

    /// The sum of squares around the best λ, and ln λ.
    fn squares(self, points: &Points, off: &mut Vec<f64>) -> (f64, f64) {
        let log = self.log();
        off.clear();
        off.extend(points.iter().map(|&(clients, throughput)| throughput - log(clients)));
        let lambda = off.iter().sum::<f64>() / off.len() as f64;
        (off.iter().map(|off| (off - lambda).powi(2)).sum(), lambda)
    }

    fn within(self) -> Self {
        Self { sharpness: self.sharpness.clamp(SHARPNESS.0, SHARPNESS.1), ..self }
    }

    fn law(self, lambda: f64) -> Saturation {
        Saturation {
            lambda: lambda.exp(),
            ceiling: (lambda + self.knee).exp(),
            sharpness: self.sharpness.exp(),
        }
    }
}

impl Saturation {
    /// The law that fits throughputs (above 0) at numbers of clients (1 and more) with the least squares
    /// of logarithms; `None` for fewer than three points or numbers out of range.
    ///
    /// ```
    /// let law = stats::Saturation { lambda: 50.0, ceiling: 800.0, sharpness: 3.0 };
    /// let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(|n| (n, law.throughput(n)));
    /// let found = stats::Saturation::fit(&points).expect("seven points");
    /// assert!((found.ceiling / 800.0 - 1.0).abs() < 1e-3 && (found.sharpness - 3.0).abs() < 0.01);
    /// ```
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let sane = |&(n, x): &(f64, f64)| n >= 1.0 && n.is_finite() && x > 0.0 && x.is_finite();
        if points.len() < 3 || !points.iter().all(sane) {
            return None;
        }
        let logs: Vec<(f64, f64)> = points.iter().map(|(n, x)| (n.ln(), x.ln())).collect();
        let (form, lambda) = search(&logs);
        Some(form.law(lambda))
    }

    /// Throughput at `clients`.
    pub fn throughput(&self, clients: f64) -> f64 {
        (self.lambda.ln() + self.form().log()(clients.ln())).exp()
    }

    fn form(&self) -> Form {
        Form { knee: (self.ceiling / self.lambda).ln(), sharpness: self.sharpness.ln() }
    }
}

/// From the best of a grid downhill, with steps that are halved where none leads down; with ln λ.
fn search(points: &Points) -> (Form, f64) {
    let mut off = Vec::with_capacity(points.len());
    let mut squares = |form: Form| form.squares(points, &mut off).0;
    let most = points.iter().map(|(clients, _)| *clients).fold(0.0, f64::max);
    let grid = (0..12).flat_map(|knee| {
        let knee = (most + 2.0) * f64::from(knee) / 11.0;
        (0..6).map(move |p| Form { knee, sharpness: SHARPNESS.1 * f64::from(p) / 5.0 })
    });
    let (mut least, mut best) = (f64::INFINITY, Form { knee: most, sharpness: SHARPNESS.0 });
    for form in grid {
        let found = squares(form);
        if found < least {
            (least, best) = (found, form);
        }
    }
    let mut step = STEPS.0;
    while step > STEPS.1 {
        let Form { knee, sharpness } = best;
        let around =
            [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step), (step, -step), (-step, step)];
        let next = around
            .map(|(k, p)| Form { knee: knee + k, sharpness: sharpness + p }.within())
            .map(|form| (squares(form), form))
            .into_iter()
            .min_by(|(a, _), (b, _)| a.total_cmp(b));
        match next.filter(|(found, _)| *found < least) {
            Some((found, form)) => (least, best) = (found, form),
            None => step /= 2.0,
        }
    }
    (best, best.squares(points, &mut off).1)
}

impl SaturationFit {
    /// Fits the law to repeats of throughput, each with one value for each of `clients`. `None` for fewer
    /// than two repeats or [`USL_MIN_LEVELS`], for values that are not above 0, and for a confidence
    /// outside (0, 1).
    ///
    /// The intervals are Student's over what each repeat gives by itself where the law is taken as linear
    /// around the fit.
    pub fn fit(clients: &[f64], repeats: &[Vec<f64>], confidence: f64) -> Option<Self> {
        if clients.len() < USL_MIN_LEVELS || repeats.len() < 2 {
            return None;
        }
        let logs: Vec<Vec<f64>> =
            repeats.iter().map(|row| row.iter().map(|value| value.ln()).collect()).collect();
        let means = means(&logs);
        let points: Vec<(f64, f64)> =
            clients.iter().zip(&means).map(|(&n, log)| (n, log.exp())).collect();
        let law = Saturation::fit(&points)?;
        let fitted: Vec<f64> = clients.iter().map(|&n| law.throughput(n).ln()).collect();
        let each: Vec<[f64; 2]> =
            logs.iter().map(|row| nearby(&law, clients, row)).collect::<Option<_>>()?;
        let estimate = |point: f64, of: fn(&[f64; 2]) -> f64| {
            let logs: Vec<f64> = each.iter().map(of).collect();
            let interval = student(&logs, confidence)
                .and_then(|at| Interval::from_logs(point, at, 0.0, IntervalMethod::StudentLog));
            Estimate { point, interval, n: repeats.len() }
        };
        let ceiling = estimate(law.ceiling, |[_, ceiling]| *ceiling);
        let ends = ceiling.interval.map(|interval| (interval.low, interval.high));
        Some(Self {
            law,
            lambda: estimate(law.lambda, |[lambda, _]| *lambda),
            ceiling,
            highest: ends
                .and_then(|ends| HighestThroughput::new(law.ceiling, ends, &logs, confidence)),
            residuals: means.iter().zip(&fitted).map(|(m, f)| (m - f).exp_m1()).collect(),
            lack_of_fit: lack_of_fit(&logs, &fitted, 3)?,
        })
    }
}

/// ln λ and ln C of a single repeat, by a step of Gauss and Newton from the law of all.
fn nearby(law: &Saturation, clients: &[f64], logs: &[f64]) -> Option<[f64; 2]> {
    const STEP: f64 = 1e-4;
    let Form { knee, sharpness } = law.form();
    let at = |knee: f64, sharpness: f64| Form { knee, sharpness }.log();
    let own = at(knee, sharpness);
    let (more, less) = (at(knee + STEP, sharpness), at(knee - STEP, sharpness));
    let (sharper, blunter) = (at(knee, sharpness + STEP), at(knee, sharpness - STEP));
    let rows = clients.iter().zip(logs).map(|(n, log)| {
        let n = n.ln();
        let by_knee = (more(n) - less(n)) / (2.0 * STEP);
        let by_sharpness = (sharper(n) - blunter(n)) / (2.0 * STEP);
        [1.0, by_knee, by_sharpness, log - law.lambda.ln() - own(n)]
    });
    let normal = Normal::from_rows(rows);
    // At an end of its range the sharpness is not fitted.
    let inside = SHARPNESS.0 + STEP < sharpness && sharpness < SHARPNESS.1 - STEP;
    let with_sharpness = if inside { normal.solve([0, 1, 2]) } else { None };
    let [lambda, knee, _] = with_sharpness.or_else(|| normal.solve([0, 1]))?;
    Some([law.lambda.ln() + lambda, law.ceiling.ln() + lambda + knee])
}
