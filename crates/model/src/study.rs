use crate::{
    AnswerAt, AnswerBy, Broker, HostInstance, Level, LevelUnit, Place, Plan, RemoteHost, Target,
    Task, Test, Trial,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// What the user asked for: a validated study file.
///
/// Built only by the `study` crate, which guarantees: at least one target and one test, names
/// unique, `repeats` ≥ 1, every level ≥ 1 client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Short name, used for file names: letters, digits, `-` and `_`.
    pub name: String,
    /// The question the study is to answer, in the user's words.
    pub question: Option<String>,
    /// By what the report says which target is best, where that is not for each test to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_by: Option<AnswerBy>,
    /// The load for which the report says which targets are sufficient, and the cheapest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_at: Option<AnswerAt>,
    /// How many times every cell is measured; with `until` at most.
    pub repeats: u32,
    /// Whether repeats end where all is resolved, and what must be there before.
    pub until: Option<Until>,
    /// What the run may take, where that ends repeats too; only with `until`.
    #[serde(default)]
    pub budget: Option<Budget>,
    /// Seeds the order of trials and every random stream of every workload.
    pub seed: u64,
    /// Confidence of every interval, in (0, 1); 0.95 unless the study says otherwise.
    pub confidence: f64,
    /// Relative difference below which two targets count as the same; 0.03 is 3 %.
    pub margin: f64,
    /// Time between two samples of host and server while a trial runs, from 100 ms to a minute;
    /// [`Study::SAMPLE_EVERY`] unless the study says otherwise.
    pub sample_every: Duration,
    /// Whether the targets run their trials side by side: within a block all of them at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
    /// Whether, of the targets of a block, one test and level, all are up and their loads take turns in
    /// slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Slices>,
    /// Whether the targets of a block, one test and level are loaded at once on this machine, each with
    /// as many of its processors as the others and no others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub duet: bool,
    /// The candidates, in the order of the file.
    pub targets: Vec<Target>,
    /// The first target a second time, where the study asks for the noise floor: what its tests
    /// tell apart from the first is noise. It is no candidate.
    pub aa_control: Option<Target>,
    /// What is run on every target, in the order of the file.
    pub tests: Vec<Test>,
    /// Where agents register, where some of the loads are made by such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<Broker>,
    /// What brings up the machines that are provisioned for the study.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host_instances: Vec<HostInstance>,
    /// The study file itself, byte for byte.
    pub source: String,
    /// Files that it names and that were read with it, whose contents go to its servers or into its results.
    /// No record has them.
    #[serde(skip)]
    pub files: Vec<StudyFile>,
}

/// A file that a study names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyFile {
    /// As the study names it.
    pub name: String,
    pub path: PathBuf,
}

/// Repeats go on for what is not resolved: after each block the comparisons that are decided are
/// left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Until {
    /// Repeats of every cell before the first look, at least 2 and no more than all.
    pub min: u32,
}

/// Loads that take turns: each is measured in slices between those of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slices {
    /// How long a slice is at most.
    pub length: Duration,
    /// How long a load runs at the beginning of each before it is measured.
    pub settling: Duration,
}

impl Slices {
    /// How many slices a measured phase of that length has, and how long each is: as many as of each
    /// two the second can be in reverse order, so an even number.
    ///
    /// ```
    /// use std::time::Duration;
    /// let slices = model::Slices { length: Duration::from_secs(10), settling: Duration::ZERO };
    /// let cut = |seconds| slices.cut(Duration::from_secs(seconds));
    /// assert_eq!(cut(60), (6, Duration::from_secs(10)));
    /// assert_eq!(cut(61), (8, Duration::from_millis(7_625)));
    /// assert_eq!(cut(5), (2, Duration::from_millis(2_500)));
    /// ```
    pub fn cut(&self, phase: Duration) -> (u32, Duration) {
        let pairs = phase.as_nanos().div_ceil(2 * self.length.as_nanos().max(1)).max(1);
        let slices = 2 * u32::try_from(pairs).unwrap_or(u32::MAX / 2);
        (slices, phase / slices)
    }
}

/// What a run may take: its trials with what goes before each, and what goes before the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    pub time: Duration,
    /// The same in money, where the study has it so: all targets are paid for as long as the run takes.
    pub money: Option<Money>,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Money {
    pub amount: f64,
    /// ISO 4217 code.
    pub currency: String,
}

impl Study {
    /// The confidence of intervals where a study does not say.
    pub const CONFIDENCE: f64 = 0.95;
    /// The margin where a study does not say.
    pub const MARGIN: f64 = 0.03;
    /// Time between two samples where a study does not say.
    pub const SAMPLE_EVERY: Duration = Duration::from_secs(1);

    /// Whether the report answers by what transactions cost: where the study says so, or asks for it in
    /// so many words and gives prices.
    pub fn asks_for_cost(&self) -> bool {
        let is_priced = || self.targets.iter().any(|target| target.price.is_some());
        match self.answer_by {
            Some(by) => by == AnswerBy::Cost,
            None => self.question.as_deref().is_some_and(asks_for_money) && is_priced(),
        }
    }

    /// The test of that name.
    pub fn test(&self, name: &str) -> Option<&Test> {
        self.tests.iter().find(|test| test.name == name)
    }

    /// All that trials run on: the targets in the order of the file, then the A/A control.
    pub fn measured(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().chain(&self.aa_control)
    }

    /// Where the server of a target or of the A/A control is among [`Self::measured`], by name: an A/A control of
    /// a server that runs already is that server, an A/A control of a private one has its own.
    pub fn server_of(&self, name: &str) -> Option<usize> {
        let place = self.measured().position(|target| target.name == name)?;
        let shared = place == self.targets.len() && !self.aa_control_is_private();
        Some(if shared { 0 } else { place })
    }

    /// Whether trials of several targets are under way at once.
    pub fn runs_together(&self) -> bool {
        self.parallel || self.duet || self.slices.is_some()
    }

    /// Trials of a block in the order in which they run, in groups that are under way at once: each by
    /// itself, or of a study whose targets run side by side or take turns those of one test and level,
    /// which follow each other. The A/A control runs by itself, but with the others where targets share
    /// this machine and it has a server of its own.
    pub fn rounds<'t>(&self, trials: &[&'t Trial]) -> Vec<Vec<&'t Trial>> {
        let control = self.aa_control.as_ref().filter(|_| !self.aa_control_joins());
        let is_control = |trial: &Trial| control.is_some_and(|c| c.name == trial.key.target);
        let cell = |trial: &Trial| (trial.key.test.clone(), trial.key.level, trial.key.repeat);
        let mut rounds: Vec<Vec<&Trial>> = Vec::new();
        let mut all = trials;
        while let Some(first) = all.first() {
            let alike = all.iter().take_while(|trial| cell(trial) == cell(first)).count();
            let count = if self.runs_together() { alike } else { 1 };
            let (group, rest) = all.split_at(count);
            all = rest;
            let control = group.iter().position(|trial| is_control(trial));
            let alone = control.and_then(|place| group.get(place)).map(|trial| vec![*trial]);
            let others: Vec<&Trial> =
                group.iter().copied().filter(|trial| !is_control(trial)).collect();
            // First or last, as it falls in the order.
            let is_early = control.is_some_and(|place| place * 2 < count);
            let (before, after) = if is_early { (alone, None) } else { (None, alone) };
            rounds.extend(before);
            rounds.extend((!others.is_empty()).then_some(others));
            rounds.extend(after);
        }
        rounds
    }

    /// The machines that make loads in place of the one that weighin runs on: each for every test and
    /// target that it makes a load for.
    pub fn load_hosts(&self) -> impl Iterator<Item = &RemoteHost> {
        let loads = self.tests.iter().filter_map(Test::load);
        loads.flat_map(|load| self.measured().flat_map(|target| load.load_hosts(target)))
    }

    /// What brings the machine of that name up, where it is provisioned.
    pub fn host_instance(&self, name: &str) -> Option<&HostInstance> {
        self.host_instances.iter().find(|instance| instance.name == name)
    }

    /// Whether anything is provisioned for the study.
    pub fn has_instances(&self) -> bool {
        !self.host_instances.is_empty() || self.targets.iter().any(|t| t.instance().is_some())
    }

    /// Whether the A/A control has a server of its own, which weighin starts.
    pub fn aa_control_is_private(&self) -> bool {
        self.aa_control
            .as_ref()
            .is_some_and(|aa_control| matches!(aa_control.place, Place::Sandbox(_)))
    }

    /// Whether the A/A control is loaded in turns with the targets, or at once with them on this machine.
    pub fn aa_control_joins(&self) -> bool {
        (self.slices.is_some() || self.duet) && self.aa_control_is_private()
    }

    /// Every target with a server of its own.
    pub fn servers(&self) -> impl Iterator<Item = &Target> {
        self.targets.iter().chain(self.aa_control.as_ref().filter(|_| self.aa_control_is_private()))
    }
    /// Whether a test places its levels itself.
    pub fn places_levels(&self) -> bool {
        self.tests.iter().any(|test| test.placement().is_some())
    }

    /// Takes over the levels that a plan has of tests that place their levels themselves.
    pub fn take_levels(&mut self, plan: &Plan) {
        for test in &mut self.tests {
            let Task::Load(load) = &mut test.task else { continue };
            let Some(placement) = load.placement else { continue };
            let unit = load.levels.first().map_or(LevelUnit::Clients, |level| level.unit);
            let own = plan.all_trials().filter(|trial| trial.key.test == test.name);
            let own = own.map(|trial| trial.key.level);
            let own = own.filter(|level| placement.holds(*level, unit));
            let all: BTreeSet<Level> = load.levels.iter().copied().chain(own).collect();
            load.levels = all.into_iter().collect();
        }
    }
}

/// Whether a question is about money: who is cheaper, or what transactions cost. What a setting costs is
/// mostly time.
fn asks_for_money(question: &str) -> bool {
    const CHEAP: [&str; 3] = ["cheap", "cheaper", "cheapest"];
    const COST: [&str; 2] = ["cost", "costs"];
    const WORK: [&str; 8] = [
        "transaction", "transactions", "query", "queries", "operation", "operations", "request",
        "requests",
    ];
    let words = question.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let words: Vec<String> = words.collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    has(&CHEAP) || has(&COST) && has(&WORK)
}
