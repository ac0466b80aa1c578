//! What a campaign says while it runs, and why it ends early.

use crate::{LoadProgress, SearchProgress};
use engine::Stop;
use model::{Failure, Instance, Interval, Trial, TrialRecord};
use std::path::Path;
use std::time::Duration;
use store::{Store, StoreError};
use system::{Diagnostic, Prepared, Step};

/// What a campaign is doing.
#[derive(Debug)]
pub enum Event<'a> {
    /// An instance of a target comes or goes.
    Instance {
        /// Name of the target.
        target: &'a str,
        /// What is done with it.
        step: InstanceStep<'a>,
    },
    /// A target is being started or reached.
    BringingUp {
        /// Name of the target.
        target: &'a str,
    },
    /// What is on a volume is being read.
    Checking {
        /// Name of the target.
        target: &'a str,
        /// How many of the bytes that will be written.
        step: Step,
    },
    /// What is on a volume was read.
    Checked {
        /// Name of the target.
        target: &'a str,
        /// Of the volume.
        path: &'a Path,
        /// How much was looked at, and what was found.
        found: &'a str,
    },
    /// Something was found that the user should know.
    Found {
        /// What.
        diagnostic: &'a Diagnostic,
    },
    /// Tables are being made.
    Preparing {
        /// Name of the target.
        target: &'a str,
        /// How far.
        step: Step,
    },
    /// A target is there, with its tables.
    Ready {
        /// Name of the target.
        target: &'a str,
        /// The server's version.
        version: &'a str,
        /// What preparing found and did.
        prepared: &'a Prepared,
    },
    /// Trials of several targets are about to run at once.
    SideBySide {
        /// Which ones.
        trials: &'a [&'a Trial],
    },
    /// A trial begins.
    TrialStarted {
        /// Which one.
        trial: &'a Trial,
        /// Ends it early where it is requested: it counts as failed, and the next one follows.
        skip: &'a Stop,
    },
    /// A second of a trial has passed.
    Interval {
        /// Of which trial.
        trial: &'a Trial,
        /// What happened in it.
        interval: &'a Interval,
    },
    /// A trial waits for something that should have come by now.
    Waiting {
        /// Which one.
        trial: &'a Trial,
        /// For what.
        wait: Wait,
    },
    /// A trial that searches for the highest load has learned something.
    Searching {
        /// Which one.
        trial: &'a Trial,
        /// What it learned.
        progress: SearchProgress<'a>,
    },
    /// A trial is over and in the store.
    TrialEnded {
        /// What came of it.
        record: &'a TrialRecord,
        /// For what else is to be kept, or looked at, between two trials.
        store: &'a mut Store,
    },
}

/// What a trial may have to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Answers to operations under way when the time of its load is over, so long at most.
    Answers(Duration),
    /// The end of its servers, after it has failed.
    Release,
}

impl<'a> LoadProgress<'a> {
    /// As the progress of a trial.
    pub(crate) fn into_event(self, trial: &'a Trial) -> Event<'a> {
        match self {
            Self::Interval(interval) => Event::Interval { trial, interval },
            Self::Waiting(limit) => Event::Waiting { trial, wait: Wait::Answers(limit) },
        }
    }
}

/// What is done with an instance of a target.
#[derive(Clone, Copy, Debug)]
pub enum InstanceStep<'a> {
    /// This command brings it up.
    Up(&'a [String]),
    /// `up` or `down` says something.
    Said(&'a str),
    /// It is there.
    IsUp(&'a Instance),
    /// It did not come up, or is of no use: its trials fail.
    Failed(&'a Failure),
    /// This command takes it down.
    Down(&'a [String]),
    /// It is gone.
    IsDown,
    /// `down` failed: it may still be there.
    IsLeft(&'a Failure),
}

/// Why a campaign could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The study cannot run: all errors that were found before anything was made.
    #[error("the study cannot run")]
    Refused(Vec<Diagnostic>),
    /// A target cannot be used.
    #[error("target {target}: {failure}")]
    Target {
        /// Its name.
        target: String,
        /// Why not.
        failure: Failure,
    },
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Asked to stop.
    #[error("stopped")]
    Stopped,
}
