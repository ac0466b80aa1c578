mod check;
mod generators;
mod nature;
mod subject;

pub use check::{Check, Drifting, Held};
pub use generators::LopsidedLoad;
pub use subject::{Severity, Subject, Validity};

use crate::money::{BreakEven, CostGap, Step};
use crate::{
    Bend, Contradiction, Contrast, Crossover, DeviceBytes, EventCost, Evictions, Growth,
    LatencyGap, NoLaw, NoiseFloor, Promise, ScalingLaw, SearchOutcome, Source, Span,
    TriggerTrouble, Verdict, VmProcessors,
};
use model::{Bound, Direction, Failure, Level, Metric, SearchOver};
use serde::Serialize;
use stats::Estimate;
use std::time::Duration;

/// Something that a reader should know, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What it is about.
    pub subject: Subject,
    /// What was found, with the figures.
    pub evidence: Evidence,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Evidence {
    /// A trial failed.
    TrialFailed {
        /// Why.
        failure: Failure,
    },
    /// Trials of the plan have no record (the run was interrupted).
    TrialsMissing {
        /// How many.
        missing: usize,
        /// Of how many.
        planned: usize,
    },
    /// Fewer repeats than a distribution-free interval needs.
    FewRepeats {
        /// Repeats of the study.
        repeats: u32,
        /// Repeats that order statistics need at the study's confidence.
        needed: u32,
    },
    /// Check 1: clients ≠ throughput × (latency + turnaround) in a closed loop.
    LittlesLaw {
        /// Clients.
        clients: u32,
        /// Transactions per second.
        throughput: f64,
        /// Mean latency in milliseconds.
        latency_mean_ms: f64,
        /// Mean time that the client took from a reply to its next request, in milliseconds.
        turnaround_mean_ms: f64,
        /// throughput × (latency + turnaround): the clients that are accounted for.
        busy_clients: f64,
    },
    /// Check 2: a server counter differs from weighin's own count of statements.
    CounterMismatch {
        /// The server's name of the counter.
        counter: String,
        /// What the server counted over the load.
        server: i64,
        /// What weighin counted over the load.
        weighin: u64,
    },
    /// Check 2 could not be made.
    CountersUnavailable,
    /// Check 2 of loads on storage: block devices moved another number of bytes.
    DeviceBytes(DeviceBytes),
    /// Check 3: the client used too much of the processor time that it may use (method R38).
    ClientBusy {
        /// CPU time of the busiest worker over the length of the phase.
        busiest_worker: f64,
        /// Share of the processors allowed to the client that it used.
        share_of_allowed: f64,
        /// Longest time between two waits of an event loop.
        max_loop_lag: Duration,
    },
    /// Closed loop: the client took so long to its next requests that the load was lighter.
    RepliesNoticedLate {
        /// Share of the time of all clients that went by between a reply and the next request.
        share: f64,
        /// Mean time from a reply to the next request, in milliseconds.
        turnaround_mean_ms: f64,
    },
    /// Check 3: one of several load generators had much more or less than its share of the load.
    LoadLopsided(LopsidedLoad),
    /// Connections were lost in the course of a trial, and made anew.
    Outage {
        /// When the first connection was lost, counted from the start of the load.
        first_error: Duration,
        /// From then on until an operation succeeded again; absent where none did.
        downtime: Option<Duration>,
        /// From the first loss until throughput was back at 95 %; absent where it never was, or
        /// nothing is known of before.
        back_after: Option<Duration>,
        /// Operations that failed because of it.
        failed: u64,
    },
    /// Open loop: the server fell behind the offered rate (method R2).
    Overloaded {
        /// Operations per second that were offered.
        rate: f64,
        /// Operations per second that were answered within the measured phase.
        throughput: f64,
        /// Operations that were never begun, because too many waited already.
        dropped: u64,
    },
    /// The ledger of a trial does not balance: a defect of weighin.
    LedgerUnbalanced,
    /// Errors happened during a trial.
    Errors {
        /// Transactions that failed in the measured phase.
        failed: u64,
        /// Transactions that succeeded in it.
        succeeded: u64,
        /// The most frequent message.
        message: String,
        /// Its SQL state, or the word by which the server tells kinds of errors; may be empty.
        code: String,
    },
    /// The server removed keys to stay below its limit of memory.
    KeysEvicted(Evictions),
    /// The hypervisor took processor time from this host during a trial.
    Steal {
        /// Mean share of all processors' time, 0 to 1.
        share: f64,
    },
    /// Client and server shared the processors of one host, which were nearly all in use.
    HostSaturated {
        /// Mean share of all processors' time in use, 0 to 1.
        busy: f64,
    },
    /// Check 6: processes that are neither server nor client took processor time of their host.
    OtherProcesses {
        /// Mean share of all processors' time, 0 to 1.
        share: f64,
    },
    /// Check 6: a control group's limit of processor time held a process back.
    Throttled {
        /// Which.
        held: Held,
        /// Share of the periods of accounting in which it was, 0 to 1.
        share: f64,
    },
    /// Check 6: processors lowered their frequency because of heat.
    Overheated {
        /// How often, all of them together.
        events: u64,
    },
    /// Check 5: a cold trial found its data in memory.
    CacheNotCold {
        /// Bytes that the server's storage engine read from its files over the load.
        asked_bytes: u64,
        /// Bytes that came from storage for it.
        storage_bytes: u64,
    },
    /// Check 5: a warm trial of data that fits in the buffer pool waited for pages.
    CacheNotWarm {
        /// Pages that the server read into the buffer pool in the measured phase because a
        /// statement needed them.
        pages_read: u64,
        /// Statements acknowledged in that phase.
        statements: u64,
    },
    /// Check 8: answers lacked rows that the tables must have.
    RowsMissing {
        /// Answers that were checked, over the whole load.
        answers: u64,
        /// How many of them had too few rows.
        short: u64,
    },
    /// Check 8: the tables held after a run what they held before.
    TablesIntact {
        /// Rows of all tables.
        rows: u64,
        /// Whether that goes for their values too, because no test writes.
        with_values: bool,
    },
    /// Check 8: the tables held something else after a run, and no test explains it.
    TablesChanged {
        /// Rows of all tables before and after.
        rows: (u64, u64),
    },
    /// Check 8: tables that were made from one seed are not the same on all targets.
    TargetsHoldDifferentData {
        /// Rows of all tables by target.
        rows: Vec<(String, u64)>,
    },
    /// Check 4: the measured phase was no steady state.
    Drift {
        /// What changed.
        figure: Drifting,
        /// By how much over the whole phase, relative to the mean: −0.1 is a tenth less at the
        /// end than at the beginning. `n` is the number of intervals.
        change: Estimate,
    },
    /// Check 4 could not be made: the measured phase has too few intervals to show a trend.
    TooShortForTrend {
        /// Whole intervals that it has.
        intervals: usize,
        /// Others in which the server made a snapshot or rewrote its append-only file.
        left_out: usize,
        /// How many it takes.
        needed: usize,
    },
    /// Writes that the server had put off at both ends of the measured phase (method R11).
    WriteDebt {
        /// Bytes of dirty pages at its beginning and its end.
        dirty_bytes: (u64, u64),
        /// Bytes of pages that were written meanwhile.
        flushed_bytes: u64,
        /// Bytes of redo since the checkpoint at its beginning and its end, where the server
        /// tells.
        checkpoint_age: Option<(u64, u64)>,
        /// Bytes of redo that were written meanwhile.
        redo_bytes: Option<u64>,
        /// Whether more than a quarter of what the phase changed was left to be written later.
        growing: bool,
    },
    /// Figures that cannot all be true.
    Contradiction(Box<Contradiction>),
    /// Identities between figures were checked.
    ArithmeticChecked {
        /// Whose figures.
        source: Source,
        /// How many.
        checked: usize,
        /// How many of them do not hold.
        violated: usize,
    },
    /// All trials passed this check.
    CheckPassed {
        /// Which one.
        check: Check,
        /// Trials that it was made on.
        trials: usize,
    },
    /// Where a target's throughput is highest.
    Peak {
        /// Throughput there.
        throughput: Estimate,
        /// Whether the curve still rises at the highest level of the test.
        still_rising: bool,
        /// Levels above the highest with data, ascending: trials failed, are void or were not run.
        without_data: Vec<Level>,
    },
    /// Throughput falls after the peak.
    Decline {
        /// Where the peak is.
        peak: Level,
        /// Throughput at the subject's level over throughput at the peak.
        ratio: Estimate,
    },
    /// What can be said of two targets over all their common levels together.
    Overall {
        /// The target in the denominator.
        baseline: String,
        /// The target in the numerator.
        candidate: String,
        /// The levels that it rests on, in order.
        levels: Vec<Level>,
        /// Whether these are all levels of the test.
        all_levels: bool,
        /// Which figure.
        metric: Metric,
        /// candidate ÷ baseline of its geometric means over the levels.
        ratio: Estimate,
        /// What follows.
        verdict: Verdict,
        /// Further repeats that would probably resolve it, where it is not and their number can
        /// be said.
        further_repeats: Option<u32>,
        /// The noise floor (see [`NoiseFloor::factor`]) where a difference was found that does not
        /// clear it.
        below_noise_floor: Option<f64>,
        /// The study's margin, 0.03 being 3 %.
        margin: f64,
    },
    /// How throughput grows with clients.
    Growth {
        /// Each part of it that is resolved.
        growth: Growth,
        /// The study's margin, 0.03 being 3 %.
        margin: f64,
    },
    /// The Universal Scalability Law as fitted to a curve.
    ScalingLaw {
        /// The law.
        law: ScalingLaw,
        /// Where throughput measured highest.
        measured_peak: Level,
    },
    /// No law was fitted.
    NoScalingLaw {
        /// Why.
        why: NoLaw,
    },
    /// Where latency bends upwards, of tests that have no throughput.
    Bend(Bend),
    /// How far one target is behind another by a latency that was printed once.
    LatencyGap(LatencyGap),
    /// One target overtakes another.
    Crossover(Crossover),
    /// One target is better than another at the highest level that both have.
    AtHighestLevel {
        /// The better one.
        winner: String,
        /// The other one.
        loser: String,
        /// That level.
        level: Level,
        /// Throughput, winner ÷ loser.
        ratio: Estimate,
    },
    /// One target is nowhere behind another, and ahead somewhere.
    Dominates {
        /// The better one.
        winner: String,
        /// The other one.
        loser: String,
        /// Levels at which it is better, in order.
        better: Vec<Level>,
        /// Levels at which both are the same within the margin, in order.
        same: Vec<Level>,
    },
    /// One target is better than another at some levels.
    Better {
        /// The better one.
        winner: String,
        /// The other one.
        loser: String,
        /// These levels, in order; they need not be neighbours.
        levels: Vec<Level>,
        /// Which figure.
        metric: Metric,
        /// The smallest and the largest ratio by which it is better: winner ÷ loser where more is
        /// better, loser ÷ winner where less is.
        ratios: (Estimate, Estimate),
        /// The lowest and the highest end of the intervals at all these levels.
        bounds: (f64, f64),
    },
    /// Two targets are the same within the margin at some levels.
    Equivalent {
        /// One.
        a: String,
        /// The other.
        b: String,
        /// These levels, in order; they need not be neighbours.
        levels: Vec<Level>,
        /// Which figure.
        metric: Metric,
        /// The study's margin, 0.03 being 3 %.
        margin: f64,
    },
    /// A target was measured twice: what tells it from itself is noise.
    NoiseFloor(NoiseFloor),
    /// Two targets differ at some levels by less than one of them from itself.
    BelowNoiseFloor {
        /// One.
        a: String,
        /// The other.
        b: String,
        /// These levels, in order; they need not be neighbours.
        levels: Vec<Level>,
        /// Which figure.
        metric: Metric,
        /// The floor (see [`NoiseFloor::factor`]).
        factor: f64,
    },
    /// Two targets cannot be told apart at some levels.
    Unresolved {
        /// One.
        a: String,
        /// The other.
        b: String,
        /// These levels, in order; they need not be neighbours.
        levels: Vec<Level>,
        /// The fewest and the most further repeats that would probably resolve one of them;
        /// absent where that cannot be said of all.
        further_repeats: Option<(u32, u32)>,
    },
    /// Trials were measured elsewhere: the checks of weighin's own could not be made on them.
    ChecksNotMade {
        /// How many.
        trials: usize,
    },
    /// Check 7: another tool ran the same load, before or after the trials of a cell.
    SecondOpinion {
        /// The tool with its version.
        tool: String,
        /// Of what, where not of everything: the reads or the writes of a load on storage.
        part: Option<Direction>,
        /// Which figure.
        metric: Metric,
        /// Weighin's figure.
        weighin: Estimate,
        /// The other tool's figure.
        other: Estimate,
        /// weighin ÷ other, paired by repeat.
        ratio: Estimate,
        /// Whether the interval of the ratio holds 1 or lies within the margin; absent without an
        /// interval.
        agrees: Option<bool>,
        /// Of a latency: threads of the other tool, and the processors that they had to share, where
        /// these are fewer.
        crowded: Option<(u32, u32)>,
    },
    /// Another tool was to give a second opinion and failed.
    SecondOpinionFailed {
        /// The tool with its version.
        tool: String,
        /// Why, the first time.
        failure: Failure,
        /// How often in the cell.
        times: usize,
    },
    /// The highest load under which a target keeps a bound.
    HighestLoad {
        /// What the load must keep.
        #[serde(flatten)]
        bound: Bound,
        /// What was searched for.
        over: SearchOver,
        /// What was found.
        outcome: SearchOutcome,
    },
    /// What volumes can promise: a rate that they bore in every repeat under a bound.
    Promise(Promise),
    /// The processors that the virtual machines of a cell had among them.
    VmProcessors(VmProcessors),
    /// The highest loads of two targets under a bound.
    HighestLoads {
        /// What the load must keep.
        #[serde(flatten)]
        bound: Bound,
        /// What was searched for.
        over: SearchOver,
        /// The target in the denominator.
        baseline: String,
        /// The target in the numerator.
        candidate: String,
        /// candidate ÷ baseline.
        ratio: Estimate,
        /// What follows.
        verdict: Verdict,
        /// The study's margin, 0.03 being 3 %.
        margin: f64,
    },
    /// What background work of the server cost in the trials of a cell.
    Background(Box<EventCost>),
    /// A test's trigger led to nothing that was seen.
    TriggerWithoutEffect(TriggerTrouble),
    /// The dataset is large or small against the buffer pool (method R37).
    DatasetAgainstMemory {
        /// Data and index bytes of the test tables.
        dataset_bytes: u64,
        /// Bytes of the server's buffer pool.
        buffer_pool_bytes: u64,
    },
    /// Whom to take at which levels of a test.
    Advice {
        /// Along the levels, in order.
        spans: Vec<Span>,
    },
    /// What a label does where targets differ in it alone.
    Factor(Contrast),
    /// From which load on one target costs less than another.
    BreakEven(BreakEven),
    /// What a tenth more throughput costs, from one target of the front of prices to the next.
    NextTenth(Step),
    /// A target has a price and what it costs is not known.
    CostUnknown {
        /// What is missing.
        gap: CostGap,
    },
    /// Prices are in several currencies, and compared within each alone.
    CurrenciesDiffer {
        /// ISO 4217 codes in order.
        currencies: Vec<String>,
    },
}
