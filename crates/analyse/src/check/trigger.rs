//! Whether what a test has servers do in the middle of its trials was done.

use super::CheckResult;
use crate::events::{kind_of, would_show};
use crate::{ServerEvent, TriggerWithoutEffect, Validity};
use model::{Sampling, TriggerAnswer};

/// A trigger that led to nothing makes its trial suspect: it is not what the test asks for. Of a
/// server that agreed and whose counters show nothing of the kind, nothing is known.
pub(super) fn result(sampling: &Sampling, events: &[ServerEvent]) -> Option<CheckResult> {
    let triggered = sampling.triggered.as_ref()?;
    let accepted = matches!(triggered.answer, TriggerAnswer::Accepted(_));
    if accepted && events.iter().any(|event| event.triggered) {
        return None;
    }
    let would_show = would_show(sampling, kind_of(triggered.work));
    let trouble =
        TriggerWithoutEffect { work: triggered.work, answer: triggered.answer.clone(), would_show };
    let nothing_known = accepted && !would_show;
    let validity = if nothing_known { Validity::Valid } else { Validity::Suspect };
    Some(CheckResult::new(validity, trouble))
}
