//! Whether the interventions of a test were carried out.

use super::CheckResult;
use crate::ServerEvent;
use crate::cell::events::{kind_of, would_show};
use findings::{
    InterventionCutOff, InterventionFailed, InterventionNotBegun, Validity, WorkNotSeen,
};
use model::{ActResult, Mark, Test, TrialRecord};

/// An intervention that failed, never began or led to nothing makes its trial suspect: it is not what the test
/// asks for. Of a server that agreed and whose counters show nothing of the kind, nothing is known.
/// One that was cut off is told, and takes nothing from what was measured.
pub(super) fn results(
    test: Option<&Test>,
    record: &TrialRecord,
    events: &[ServerEvent],
) -> Vec<CheckResult> {
    let never = test.map_or(&[][..], Test::interventions).iter().filter(|asked| {
        let began = record.interventions().any(|mark| mark.name == asked.name);
        !began
    });
    let never = never.map(|asked| {
        let (intervention, at) = (asked.name.clone(), asked.at);
        CheckResult::suspect(InterventionNotBegun { intervention, at })
    });
    let begun = record.interventions().filter_map(|mark| result(record, mark, events));
    never.chain(begun).collect()
}

fn result(record: &TrialRecord, mark: &Mark, events: &[ServerEvent]) -> Option<CheckResult> {
    let intervention = mark.name.clone();
    match mark.result? {
        ActResult::Failed => {
            let message = mark.note.clone().unwrap_or_default();
            Some(CheckResult::suspect(InterventionFailed { intervention, message }))
        }
        ActResult::CutOff => {
            let seconds = mark.until_seconds.map_or(0.0, |until| until - mark.at_seconds);
            let goes_on = mark.work.is_some();
            Some(CheckResult::valid(InterventionCutOff { intervention, goes_on, seconds }))
        }
        ActResult::Done => {
            let work = mark.work?;
            let kind = kind_of(work);
            let is_it = |event: &ServerEvent| {
                event.kind == kind && event.intervention.as_ref() == Some(&mark.name)
            };
            if events.iter().any(is_it) {
                return None;
            }
            let would_show = would_show(&record.sampling, kind);
            let validity = if would_show { Validity::Suspect } else { Validity::Valid };
            let answer = mark.note.clone();
            let evidence = WorkNotSeen { intervention, work, answer, would_show };
            Some(CheckResult::new(validity, evidence))
        }
    }
}
