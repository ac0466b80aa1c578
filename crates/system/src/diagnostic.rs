use model::{Failure, FailureKind, text};
use serde::Serialize;

/// What was found of a study before anything was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    pub severity: Severity,
    /// The target that it concerns; `None` of the study, of this machine or of several targets.
    pub target: Option<String>,
    /// The kind of an error.
    pub kind: Option<FailureKind>,
    /// What was found and where, in a sentence without a full stop. Never holds a secret.
    pub message: String,
    /// How to fix it, or the way round it; empty where there is nothing to do.
    pub remedy: String,
}

/// What it means for the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It cannot run.
    Error,
    /// It can run, and results may mislead, trials may fail, or others may be harmed.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// All that was found, most severe first once it is [finished](Self::into_sorted).
#[derive(Debug, Default)]
pub struct Diagnostics {
    /// The target that is being looked at.
    target: Option<String>,
    found: Vec<Diagnostic>,
    /// How many of them were told.
    told: usize,
}

impl Diagnostics {
    /// What is found from now on concerns that target, or none alone.
    pub fn for_target(&mut self, target: Option<&str>) {
        self.target = target.map(str::to_owned);
    }

    pub fn error(&mut self, failure: Failure) {
        let Failure { kind, message, remedy } = failure;
        self.push(Severity::Error, Some(kind), message, remedy);
    }

    /// Notes what failed and goes on; what succeeded is given back.
    ///
    /// # Errors
    /// [`Failure::stopped`] alone.
    pub fn keep<T>(&mut self, done: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match done {
            Ok(value) => Ok(Some(value)),
            Err(failure) if failure.is_stop() => Err(failure),
            Err(failure) => {
                self.error(failure);
                Ok(None)
            }
        }
    }

    pub fn warn(&mut self, message: impl Into<String>, remedy: impl Into<String>) {
        self.push(Severity::Warning, None, message.into(), remedy.into());
    }

    pub fn note(&mut self, message: impl Into<String>, remedy: impl Into<String>) {
        self.push(Severity::Note, None, message.into(), remedy.into());
    }

    /// The same thing is said once: several tests may have one and the same trouble.
    fn push(&mut self, severity: Severity, kind: Option<FailureKind>, said: String, fix: String) {
        let target = self.target.clone();
        let (message, remedy) =
            (text::message(&said).into_owned(), text::message(&fix).into_owned());
        let one = Diagnostic { severity, target, kind, message, remedy };
        if !self.found.contains(&one) {
            self.found.push(one);
        }
    }

    /// What was found since this was asked last.
    pub fn untold(&mut self) -> &[Diagnostic] {
        let from = std::mem::replace(&mut self.told, self.found.len());
        &self.found[from..]
    }

    /// Most severe first, and then in the order of the study.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|one| one.severity);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_severe_comes_first_and_nothing_twice() {
        let mut found = Diagnostics::default();
        found.note("a note", "");
        found.for_target(Some("one"));
        found.warn("a warning", "");
        for _ in 0..2 {
            let refused = Failure::new(FailureKind::AccessDenied, "an error", "fix it");
            assert_eq!(found.keep::<()>(Err(refused)), Ok(None));
        }
        assert!(found.keep::<()>(Err(Failure::stopped())).is_err());
        let found = found.into_sorted();
        let said: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said, ["an error", "a warning", "a note"]);
        assert_eq!(found[0].target.as_deref(), Some("one"));
    }
}
