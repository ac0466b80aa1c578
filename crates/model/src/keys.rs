use serde::{Deserialize, Serialize};

/// How keys are drawn from a range; the names are those of sysbench.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyDistribution {
    /// Every key equally likely.
    Uniform,
    /// The mean of several uniform draws ([`KeyParameters::iterations`]).
    Gaussian,
    /// Most draws hit a small part in the middle of the range; the default of sysbench 1.0.
    #[default]
    Special,
    /// Pareto: low keys are the popular ones.
    Pareto,
    /// Zipfian: low keys are the popular ones.
    Zipfian,
}

impl KeyDistribution {
    /// All distributions, in the order in which help texts list them.
    pub const ALL: [Self; 5] =
        [Self::Uniform, Self::Gaussian, Self::Special, Self::Pareto, Self::Zipfian];

    /// The name that sysbench and study files give it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Gaussian => "gaussian",
            Self::Special => "special",
            Self::Pareto => "pareto",
            Self::Zipfian => "zipfian",
        }
    }

    /// The distribution of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|distribution| distribution.name() == name)
    }
}

/// The shape of the distributions; the defaults are those of sysbench.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyParameters {
    /// Uniform draws that make up one gaussian draw, at least 1 (`--rand-spec-iter`).
    pub iterations: u32,
    /// Share of the range that holds the popular keys of `special`, in percent, 1 to 100
    /// (`--rand-spec-pct`).
    pub popular_range: u32,
    /// Share of the draws that hit them, in percent, 0 to 99 (`--rand-spec-res`).
    pub popular_draws: u32,
    /// The h of `pareto`, between 0 and 1: with 0.2, a fifth of the keys gets four fifths of the
    /// draws (`--rand-pareto-h`).
    pub pareto_h: f64,
    /// Exponent of `zipfian`, at least 0 (`--rand-zipfian-exp`).
    pub zipfian_exponent: f64,
}

impl Default for KeyParameters {
    fn default() -> Self {
        Self {
            iterations: 12,
            popular_range: 1,
            popular_draws: 75,
            pareto_h: 0.2,
            zipfian_exponent: 0.8,
        }
    }
}
