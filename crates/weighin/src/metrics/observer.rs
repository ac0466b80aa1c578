//! What the figures of a run make of its news.

use super::Metrics;
use super::state::Ended;
use crate::progress::{News, Observer, Standing};
use campaign::{Event, OnSample};
use std::sync::Arc;
use std::time::Instant;

impl Observer for Metrics {
    fn note(&mut self, news: &News<'_>, standing: &Standing) {
        let left = standing.left;
        match news {
            News::Event(Event::TrialStarted { trial, .. }) => {
                let trial = (*trial).clone();
                self.update(move |state| state.trial_started(&trial, left));
            }
            News::Event(Event::Interval { trial, interval }) => {
                let (interval, position) = ((*interval).clone(), trial.position);
                self.update(move |state| state.second(position, &interval));
            }
            News::Event(Event::TrialEnded { record, .. }) => {
                let ended = Ended::from_record(record);
                self.update(move |state| state.trial_ended(ended, left));
            }
            News::Event(_) => {}
            News::Planned { .. } => {
                let total = standing.total;
                self.update(move |state| state.planned(total));
            }
            News::Paused(since) => {
                let (since, now) = (*since, Instant::now());
                self.update(move |state| state.paused(since, now));
            }
            News::Judged(judgement) => {
                let (verdicts, severities) =
                    (judgement.verdicts.clone(), judgement.severities.clone());
                self.update(move |state| state.judged(verdicts, &severities));
            }
        }
    }

    fn on_sample(&self) -> Option<OnSample> {
        let update = self.updater();
        Some(OnSample(Arc::new(move |sample| {
            let sample = sample.clone();
            update(Box::new(|state| state.sampled(sample)));
        })))
    }
}
