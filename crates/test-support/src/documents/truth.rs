//! What is true of a random study.

/// A seeded stream of random numbers (SplitMix64: G. L. Steele, D. Lea and C. H. Flood, *Fast
/// splittable pseudorandom number generators*, OOPSLA 2014).
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `end`, all equally likely.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Log-normal noise around 1.
    pub fn factor(&mut self, sigma: f64) -> f64 {
        let mut uniform = || ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let radius = (-2.0 * uniform().ln()).sqrt();
        (sigma * radius * (std::f64::consts::TAU * uniform()).cos()).exp()
    }
}

/// What is true of a study.
pub(super) struct Truth {
    pub(super) targets: Vec<String>,
    pub(super) levels: Vec<u32>,
    pub(super) repeats: u32,
    curve: Curve,
    /// Of each target at each level.
    effects: Vec<Vec<f64>>,
    /// How far a repeat is from that.
    pub(super) scatter: f64,
    /// Whether some trials are far off.
    has_outliers: bool,
    /// To how many digits figures are rounded, where they are.
    pub(super) digits: Option<i32>,
    /// One trial in so many is missing.
    pub(super) missing: Option<usize>,
    pub(super) is_priced: bool,
    pub(super) is_labelled: bool,
}

#[derive(Clone, Copy)]
enum Curve {
    Rises,
    Flat,
    /// To this many clients, and stays.
    Saturates(f64),
    /// The Universal Scalability Law with this contention and coherency.
    Law(f64, f64),
}

impl Truth {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let targets = draw.one_of(&[1, 2, 2, 2, 3, 3, 4, 4, 6, 8]);
        Self::for_targets((0..targets).map(|number| format!("t{number}")).collect(), draw)
    }

    /// Of these targets.
    pub(super) fn for_targets(targets: Vec<String>, draw: &mut Draw) -> Self {
        let levels: Vec<u32> = match draw.below(5) {
            0 => vec![8],
            1 => vec![1, 2, 4],
            2 => vec![2, 8, 32, 128],
            3 => (0..6).map(|power| 1 << power).collect(),
            _ => (0..8).map(|power| 1 << power).collect(),
        };
        let repeats = draw.one_of(&[1, 2, 2, 3, 3, 3, 4, 5, 6, 8]);
        let curve = match draw.below(4) {
            0 => Curve::Rises,
            1 => Curve::Flat,
            2 => Curve::Saturates(draw.one_of(&[2.0, 8.0, 16.0])),
            _ => Curve::Law(draw.one_of(&[0.02, 0.1, 0.4]), draw.one_of(&[0.0001, 0.003, 0.02])),
        };
        let effects = effects(draw, targets.len(), levels.len());
        Self {
            targets,
            levels,
            repeats,
            curve,
            effects,
            scatter: draw.one_of(&[0.0, 0.002, 0.01, 0.03, 0.05, 0.05, 0.1, 0.2]),
            has_outliers: draw.once_in(4),
            digits: draw.once_in(3).then(|| draw.one_of(&[1, 2, 3, 4])),
            missing: draw.once_in(3).then(|| draw.one_of(&[3, 6, 12])),
            is_priced: draw.once_in(2),
            is_labelled: draw.once_in(2),
        }
    }

    /// What a trial measures of a throughput.
    pub(super) fn throughput(&self, draw: &mut Draw, target: &str, clients: u32) -> f64 {
        let at = |place: Option<usize>| place.unwrap_or_default();
        let level = at(self.levels.iter().position(|level| *level == clients));
        let target = at(self.targets.iter().position(|name| name == target));
        let n = f64::from(clients);
        let base = match self.curve {
            Curve::Rises => 900.0 * n.powf(0.4),
            Curve::Flat => 3_000.0,
            Curve::Saturates(most) => 800.0 * n.min(most),
            Curve::Law(sigma, kappa) => {
                1_000.0 * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
            }
        };
        let outlier =
            if self.has_outliers && draw.once_in(15) { draw.one_of(&[0.3, 0.7]) } else { 1.0 };
        self.rounded(base * self.effects[target][level] * draw.factor(self.scatter) * outlier)
    }

    pub(super) fn rounded(&self, value: f64) -> f64 {
        let Some(digits) = self.digits else { return value };
        let unit = 10_f64.powi(value.log10().floor() as i32 + 1 - digits);
        (value / unit).round() * unit
    }

    pub(super) fn is_missing(&self, draw: &mut Draw) -> bool {
        self.missing.is_some_and(|one_in| draw.once_in(one_in))
    }
}

/// Of each target at each level: the same everywhere, or another at each.
fn effects(draw: &mut Draw, targets: usize, levels: usize) -> Vec<Vec<f64>> {
    let sizes = [1.0, 1.0, 1.0, 1.005, 1.02, 0.97, 1.05, 1.1, 0.9, 1.5];
    let of_target = |draw: &mut Draw| {
        let everywhere = draw.one_of(&sizes);
        let differs = draw.once_in(3);
        let mut at = |_| if differs { draw.one_of(&sizes) } else { everywhere };
        (0..levels).map(&mut at).collect()
    };
    (0..targets).map(|_| of_target(draw)).collect()
}
