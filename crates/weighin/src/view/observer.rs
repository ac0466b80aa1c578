//! What a view makes of the news of a run.

use super::View;
use super::state::{End, HostNow};
use crate::progress::{News, Observer, Standing, activity, diagnostic_line, learned, outcome};
use campaign::{Event, OnSample};
use model::{TrialEnd, TrialRecord};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

impl Observer for Rc<View> {
    fn note(&mut self, news: &News<'_>, standing: &Standing) {
        match news {
            News::Event(event) => self.event(event, standing),
            News::Planned { .. } => {
                let total = standing.total;
                self.update(move |state| state.planned(total));
            }
            News::Paused(since) => {
                let since = *since;
                self.update(move |state| state.paused(since));
            }
            News::Judged(judgement) => {
                let (validities, sentences) =
                    (judgement.validities.clone(), judgement.sentences.clone());
                self.update(move |state| state.judged(&validities, sentences));
            }
        }
    }

    fn on_sample(&self) -> Option<OnSample> {
        let update = self.updater();
        Some(OnSample(Arc::new(move |sample| {
            let host = HostNow::from_sample(sample);
            update(Box::new(|state| state.sampled(host)));
        })))
    }
}

impl View {
    fn event(&self, event: &Event<'_>, standing: &Standing) {
        if let Some((target, Some(what))) = activity(event, standing) {
            let what = format!("{target}: {what}");
            self.update(move |state| state.doing(&what));
        }
        match event {
            Event::Found { diagnostic } if diagnostic.severity == system::Severity::Warning => {
                let warning = diagnostic_line(diagnostic);
                self.update(move |state| state.warned(&warning));
            }
            Event::TrialStarted { trial, skip } => {
                let (trial, skip, left) = ((*trial).clone(), (*skip).clone(), standing.left);
                self.update(move |state| state.trial_started(&trial, skip, left));
            }
            Event::Searching { trial, progress } => {
                let (position, learned) = (trial.position, learned(progress, standing.counted));
                self.update(move |state| state.searched(position, &learned));
            }
            Event::Interval { trial, interval } => {
                let (interval, now) = ((*interval).clone(), Instant::now());
                let position = trial.position;
                self.update(move |state| state.second(position, &interval, now));
            }
            Event::TrialEnded { record, .. } => self.ended(record, standing),
            _ => {}
        }
    }

    fn ended(&self, record: &TrialRecord, standing: &Standing) {
        let end = match &record.end {
            TrialEnd::Completed(_) => End::Completed(None),
            TrialEnd::Failed(failure) if failure.is_not_offered() => End::NotOffered,
            TrialEnd::Failed(_) => End::Failed,
        };
        let (position, name, left) = (record.position, record.key.to_string(), standing.left);
        let figures = outcome(record, standing.counted);
        self.update(move |state| state.trial_ended(position, &name, &figures, end, left));
    }
}
