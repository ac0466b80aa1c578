//! Made-up studies.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

pub struct Random(pub Xoshiro256PlusPlus);

impl Random {
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Student's t of three degrees of freedom, with variance 1.
    pub fn heavy(&mut self) -> f64 {
        let squares: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        self.normal() / squares.sqrt()
    }
}

/// How the trials of a study scatter.
#[derive(Clone, Copy)]
pub struct Shape {
    pub name: &'static str,
    pub repeats: usize,
    /// Typical standard deviation of the logarithm of a trial.
    pub scatter: f64,
    /// Standard deviation of the logarithm of the scatter from level to level.
    pub spread: f64,
    pub heavy: bool,
    /// The share of trials that a disturbance makes 26 % slower.
    pub bad: f64,
}

/// What is true.
#[derive(Clone, Copy, PartialEq)]
pub enum Truth {
    /// All targets are equal.
    Equal,
    /// The last target is better by that factor at every level.
    Better(f64),
    /// It is far better at the lower half of the levels, and equal at the others.
    Half,
    /// It is better by a tenth at the lower half, and worse by as much at the others.
    Crossing,
    /// It is better by a factor at so many of the highest levels, and equal at the others.
    Sparse(usize, f64),
    /// Level by level: equal, better by a tenth, by a quarter, and worse by a tenth.
    Mixed,
}

impl Truth {
    /// The logarithm of last ÷ any other.
    pub fn effect(self, level: usize, levels: usize) -> f64 {
        let low = level < levels / 2;
        match self {
            Self::Equal => 0.0,
            Self::Better(factor) => factor.ln(),
            Self::Half => {
                if low {
                    1.5_f64.ln()
                } else {
                    0.0
                }
            }
            Self::Sparse(few, factor) => {
                if level + few >= levels {
                    factor.ln()
                } else {
                    0.0
                }
            }
            Self::Mixed => [1.0_f64, 1.1, 1.25, 1.0 / 1.1][level % 4].ln(),
            Self::Crossing => {
                if low {
                    1.1_f64.ln()
                } else {
                    -1.1_f64.ln()
                }
            }
        }
    }
}

/// The logarithms of all trials, by target, level and repeat.
pub fn trials(
    random: &mut Random,
    shape: &Shape,
    truth: Truth,
    targets: usize,
    levels: usize,
) -> Vec<Vec<Vec<f64>>> {
    let scatter: Vec<f64> =
        (0..levels).map(|_| shape.scatter * (shape.spread * random.normal()).exp()).collect();
    let mut trial = |target: usize, level: usize| {
        let noise = if shape.heavy { random.heavy() } else { random.normal() };
        let is_bad = shape.bad > 0.0 && random.uniform() < shape.bad;
        let effect = if target + 1 == targets { truth.effect(level, levels) } else { 0.0 };
        effect + scatter[level] * noise - if is_bad { 0.3 } else { 0.0 }
    };
    let mut cell = |target: usize, level: usize| -> Vec<f64> {
        (0..shape.repeats).map(|_| trial(target, level)).collect()
    };
    let of_target =
        |target: usize| -> Vec<Vec<f64>> { (0..levels).map(|level| cell(target, level)).collect() };
    (0..targets).map(of_target).collect()
}
