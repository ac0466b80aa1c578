//! What a finding is about, how much it matters, and how far a trial may be trusted.

use crate::Evidence;
use model::Level;
use serde::Serialize;

/// Something that a reader should know, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub severity: Severity,
    pub subject: Subject,
    /// What was found, with the figures.
    pub evidence: Evidence,
}

impl Finding {
    /// A finding as severe as its kind says.
    pub fn new(subject: Subject, evidence: impl Into<Evidence>) -> Self {
        let evidence = evidence.into();
        Self { severity: evidence.severity(), subject, evidence }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A conclusion cannot be relied on: a void trial, an answer that cannot be given.
    Severe,
    /// Read the numbers with care.
    Warning,
    /// A result.
    Notice,
    /// A check that passed.
    Passed,
}

/// What a finding is about; absent parts mean "all of them".
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Subject {
    pub test: Option<String>,
    pub target: Option<String>,
    pub level: Option<Level>,
    pub repeat: Option<u32>,
}

impl Subject {
    pub fn test(test: &str) -> Self {
        Self { test: Some(test.to_owned()), ..Self::default() }
    }

    pub fn target(target: &str) -> Self {
        Self { target: Some(target.to_owned()), ..Self::default() }
    }

    /// This subject, of one target.
    pub fn on(self, target: &str) -> Self {
        Self { target: Some(target.to_owned()), ..self }
    }

    /// This subject, at one level.
    pub fn at(self, level: Level) -> Self {
        Self { level: Some(level), ..self }
    }
}

/// How far a trial may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Validity {
    /// Every check passed.
    Valid,
    /// A check found something wrong; the trial still counts, and the report says so.
    Suspect,
    /// No conclusion may rest on it.
    Void,
}
