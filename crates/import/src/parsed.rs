use model::{
    DiskRates, Figure, Latencies, Level, Sample, Sampling, ServerCounters, Target, Trial, TrialEnd,
    TrialRecord, UnixMillis,
};
use std::collections::{BTreeMap, HashSet};

/// What one file gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// Trials, in the order of the file. Several of one target, test and level are repeats.
    pub trials: Vec<ImportedTrial>,
    /// Prices of targets.
    pub prices: Vec<ImportedPrice>,
    /// Labels of targets.
    pub labels: Vec<Label>,
    /// What says something of the trials that it lies beside.
    pub beside: Vec<CompanionFile>,
    /// What was left out because it says nothing of its own.
    pub notes: Vec<Problem>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

impl Parsed {
    /// About how much memory it takes, in bytes.
    pub fn memory(&self) -> u64 {
        let texts =
            self.problems.iter().map(|one| size_of_val(one) + one.file.len() + one.message.len());
        let labels = self.labels.len() * (size_of::<Label>() + BYTES_OF_TEXT);
        let prices = self.prices.len() * (size_of::<ImportedPrice>() + BYTES_OF_TEXT);
        let fixed = texts.sum::<usize>() + labels + prices;
        let beside = self.beside.iter().map(|file| match &file.says {
            CompanionContent::Samples(samples) => samples.iter().map(bytes_of_sample).sum(),
            CompanionContent::Counters(_, counters) => counters.iter().count() * BYTES_OF_TEXT,
            CompanionContent::Variables(variables) => {
                variables.iter().map(|(name, value)| BYTES_OF_TEXT + name.len() + value.len()).sum()
            }
        });
        let trials = self.trials.iter().map(ImportedTrial::memory).sum::<u64>();
        (fixed + beside.sum::<usize>()) as u64 + trials
    }

    /// About how much memory it takes more to make a [`crate::assemble`]d dataset of it, in bytes: a
    /// record and a place in the plan for each trial, and a target for each label, price or trial that
    /// may be of another one.
    pub fn memory_of_assembly(&self) -> u64 {
        let bytes_of_trial = size_of::<TrialRecord>() + size_of::<Trial>() + TEXTS * BYTES_OF_TEXT;
        let mut targets: HashSet<&str> = self.trials.iter().map(|one| &one.target[..]).collect();
        targets.extend(self.labels.iter().map(|one| &one.target[..]));
        targets.extend(self.prices.iter().map(|one| &one.target[..]));
        // What is gathered from many files is moved once.
        let moved = size_of_val(&self.trials[..]);
        let bytes_of_target = size_of::<Target>() + 2 * BYTES_OF_TEXT;
        (self.trials.len() * bytes_of_trial + moved + targets.len() * bytes_of_target) as u64
    }

    /// Whether it gave nothing at all, not even what is wrong with it.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Names of target and test that a trial has in its record, in the plan, and in the three maps by which
/// copies and repeats are found.
const TEXTS: usize = 10;

/// Bytes of a short text with its place.
const BYTES_OF_TEXT: usize = 64;

fn bytes_of_sample(sample: &Sample) -> usize {
    size_of_val(sample) + sample.disks.len() * (size_of::<DiskRates>() + BYTES_OF_TEXT)
}

/// One trial that somebody else ran.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedTrial {
    /// The file that it was read from, as the user named it.
    pub file: String,
    /// Name of the target; empty until [`crate::name_trials`] where the source does not say it.
    pub target: String,
    /// Name of the test, likewise.
    pub test: String,
    /// The tool that printed it, where its file does not name target and test; else empty.
    pub tool: &'static str,
    /// What tells it from others of its file that are no repeats of it, such as the name of a job.
    pub part: String,
    /// What else the source says of its load, by which words of its path are recognised.
    pub said: Vec<(Knob, u64)>,
    /// What the source says of its load in words: trials that differ in it are no repeats of one
    /// another, whatever their paths say.
    pub load: Vec<(Aspect, String)>,
    /// What tells it from other repeats by its path; empty where nothing does.
    pub repeat: String,
    /// The number of the block that it was measured in, where the source says so: all targets once.
    pub block: Option<u32>,
    /// How hard; [`Level::NONE`] where the source does not say.
    pub level: Level,
    /// When it began, where the source says so with its time zone.
    pub started_at: Option<UnixMillis>,
    /// When it was over, likewise.
    pub finished_at: Option<UnixMillis>,
    /// [`TrialEnd::Failed`] where the source says so.
    pub end: TrialEnd,
    /// What was sampled beside it; empty where nothing is known.
    pub sampling: Sampling,
}

impl ImportedTrial {
    fn memory(&self) -> u64 {
        let own = size_of_val(self) + self.file.len() + BYTES_OF_TEXT;
        let TrialEnd::Completed(outcome) = &self.end else { return own as u64 };
        let of_figure = |figure: &Figure| {
            let note = figure.printed.as_ref().map_or(0, |printed| printed.note.len());
            size_of_val(figure) + BYTES_OF_TEXT + note
        };
        let figures = outcome.figures.iter().map(of_figure).sum::<usize>();
        let series =
            outcome.series.iter().map(|series| BYTES_OF_TEXT + size_of_val(&series.values[..]));
        let latencies = outcome.latencies.as_ref().map_or(0, Latencies::memory);
        (own + figures + series.sum::<usize>()) as u64 + latencies
    }

    /// Whether its path has yet to say what it is of.
    pub(crate) fn is_unnamed(&self) -> bool {
        !self.tool.is_empty() && self.target.is_empty()
    }
}

/// What tools print of the load that they made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Knob {
    /// What the level is: connections, or operations outstanding.
    Clients,
    /// Threads of the tool, where each has several clients.
    Threads,
    /// Clients of each thread.
    ClientsPerThread,
    /// Jobs or processes.
    Jobs,
    /// Operations outstanding of each job.
    Depth,
    /// Operations offered per second.
    Rate,
    /// Bytes of an operation.
    BlockSize,
    /// How much data there is, in the tool's own unit.
    Scale,
}

/// In what loads can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aspect {
    /// What is done: a script, a pattern of access.
    Work,
    /// Which statements there are in it.
    Statements,
    /// On how much data.
    Data,
    /// In pieces of which size.
    Size,
    /// How many at once, and how they are made.
    Clients,
}

/// What a file says of the trials that it lies beside.
#[derive(Clone, Debug, PartialEq)]
pub struct CompanionFile {
    /// The file, as the user named it.
    pub file: String,
    /// Its line where this begins, from 1.
    pub line: u32,
    /// What it says.
    pub says: CompanionContent,
}

/// What may lie beside results.
#[derive(Clone, Debug, PartialEq)]
pub enum CompanionContent {
    /// What host and disks did, in order of time.
    Samples(Vec<Sample>),
    /// The server's counters at a moment, with its uptime in seconds.
    Counters(u64, ServerCounters),
    /// The server's variables.
    Variables(BTreeMap<String, String>),
}

/// An amount that a target costs.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedPrice {
    /// Name of the target.
    pub target: String,
    /// What it is for, in the source's words: `monthly`, `volume_monthly`, `per_million_io`.
    pub item: String,
    /// How much.
    pub amount: f64,
    /// ISO 4217 code.
    pub currency: String,
    /// What the source adds to it; empty where nothing.
    pub note: String,
    /// The file that says so.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
}

/// A factor by which targets differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Name of the target.
    pub target: String,
    /// The factor: `tenancy`.
    pub name: String,
    /// What it is for this target: `shared`.
    pub value: String,
}

/// Something that could not be read. The rest of the file was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as the user named it.
    pub file: String,
    /// The line, from 1; 0 where it is about the whole file.
    pub line: u32,
    /// What is wrong, in a clause without a full stop.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}
