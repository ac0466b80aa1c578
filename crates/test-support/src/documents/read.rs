//! Access to the parts of a JSON report.

use serde_json::Value;

/// An estimate of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    pub(super) point: f64,
    /// The ends of its interval and its confidence.
    pub(super) interval: Option<(f64, f64, f64)>,
    pub(super) n: u64,
}

impl Figure {
    /// `None` of what is no estimate.
    pub(super) fn from_json(value: &Value) -> Option<Self> {
        let interval = &value["interval"];
        let end = |name| interval[name].as_f64();
        let interval = end("low").zip(end("high")).zip(end("confidence"));
        Some(Self {
            point: value["point"].as_f64()?,
            interval: interval.map(|((low, high), confidence)| (low, high, confidence)),
            n: value["n"].as_u64()?,
        })
    }

    /// Where it may be: at its point, where nothing is known of how it scatters.
    pub(super) fn ends(&self) -> (f64, f64) {
        self.interval.map_or((self.point, self.point), |(low, high, _)| (low, high))
    }

    pub(super) fn reciprocal(self) -> Self {
        let interval = self.interval.map(|(low, high, at)| (high.recip(), low.recip(), at));
        Self { point: self.point.recip(), interval, ..self }
    }
}

/// The items of a list; none where there is no such list.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// A text; empty where there is none.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// A level in a few words.
pub(super) fn at(level: &Value) -> String {
    match (level["rate"].as_u64(), level["clients"].as_u64()) {
        (Some(rate), _) => format!("{rate}/s"),
        (None, clients) => format!("{}", clients.unwrap_or_default()),
    }
}

/// What a comparison says of two targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    CandidateBetter,
    BaselineBetter,
    Equivalent,
    Unresolved,
}

impl Said {
    pub(super) fn from_json(value: &Value) -> Self {
        match text(value, "verdict") {
            "candidate_better" => Self::CandidateBetter,
            "baseline_better" => Self::BaselineBetter,
            "equivalent" => Self::Equivalent,
            _ => Self::Unresolved,
        }
    }

    pub(super) fn is_decided(self) -> bool {
        matches!(self, Self::CandidateBetter | Self::BaselineBetter)
    }

    /// The same where baseline and candidate change places.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::CandidateBetter => Self::BaselineBetter,
            Self::BaselineBetter => Self::CandidateBetter,
            same => same,
        }
    }
}

/// Who is ahead by a comparison, and who is behind.
pub(super) fn winner(comparison: &Value) -> Option<(&str, &str)> {
    let (baseline, candidate) = (text(comparison, "baseline"), text(comparison, "candidate"));
    match Said::from_json(comparison) {
        Said::CandidateBetter => Some((candidate, baseline)),
        Said::BaselineBetter => Some((baseline, candidate)),
        Said::Equivalent | Said::Unresolved => None,
    }
}

/// Whether a comparison is of these two, in either order.
pub(super) fn is_of(comparison: &Value, (a, b): (&str, &str)) -> bool {
    let own = (text(comparison, "baseline"), text(comparison, "candidate"));
    own == (a, b) || own == (b, a)
}
