//! Everything, for programs.

use crate::trial_columns::{TrialRow, names, rows, values};
use crate::{GeneratorFigures, view, words};
use analyse::capacity::{Question, TestAnswers, answers};
use analyse::{
    Analysis, BreakEven, FactorEffect, Finding, ItemKind, MatrixTest, Summary, TestAnalysis,
};
use model::{
    AnswerBy, ClockReading, HostFacts, HostSampling, Mark, Money, NamedError, NamedResult,
    NetworkPath, Price, Proxy, ServerFacts, SettingDifference, TimeSeries, TrialRecord, Until,
    text,
};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

/// Raised when a field changes its meaning or goes away; new fields may come without.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    format_version: u32,
    study: StudyFacts<'a>,
    run: RunFacts<'a>,
    targets: Vec<TargetReport<'a>>,
    settings: &'a [SettingDifference],
    asked: Option<Asked>,
    summary: Option<&'a Summary>,
    matrix: &'a [MatrixTest],
    tests: Vec<TestReport<'a>>,
    factors: &'a [FactorEffect],
    break_evens: &'a [BreakEven],
    findings: Vec<FindingReport<'a>>,
    notes: Vec<NoteReport<'a>>,
    trials: Trials<'a>,
    load_generators: Vec<GeneratorReport>,
    target_hosts: Vec<TargetHostReport<'a>>,
    load_hosts: Vec<LoadHostReport<'a>>,
    instances: &'a [model::Instance],
    marks: Vec<MarkReport<'a>>,
    named: Vec<NamedReport<'a>>,
    series: Vec<SeriesReport<'a>>,
}

/// What the study asks about a load, and the answers.
#[derive(Serialize)]
struct Asked {
    question: Question,
    tests: Vec<TestAnswers>,
}

/// What was noted while the run was going on.
#[derive(Serialize)]
struct NoteReport<'a> {
    at_ms: u64,
    text: &'a str,
}

/// What happened during a trial.
#[derive(Serialize)]
struct MarkReport<'a> {
    position: u32,
    #[serde(flatten)]
    mark: &'a Mark,
}

/// What became of a transaction or a statement in the measured phase of a trial, by its name.
#[derive(Serialize)]
struct NamedReport<'a> {
    position: u32,
    of: ItemKind,
    name: &'a str,
    ok: u64,
    failed: u64,
    retries: u64,
    rows: u64,
    mean_ms: Option<f64>,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
    max_ms: Option<f64>,
    errors: &'a [NamedError],
}

/// What was measured at equal steps of a trial.
#[derive(Serialize)]
struct SeriesReport<'a> {
    position: u32,
    #[serde(flatten)]
    series: &'a TimeSeries,
}

/// What one of several load generators did in a trial, in the measured phase.
#[derive(Serialize)]
struct GeneratorReport {
    position: u32,
    generator: usize,
    #[serde(flatten)]
    figures: GeneratorFigures,
}

/// One object for each trial, made as it is written: all of them at once can be hundreds of MB.
struct Trials<'a>(&'a Analysis<'a>);

impl Serialize for Trials<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = names();
        serializer.collect_seq(rows(self.0).map(|row| Trial { names: &names, row }))
    }
}

struct Trial<'a> {
    names: &'a [String],
    row: TrialRow<'a>,
}

impl Serialize for Trial<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.names.iter().zip(values(&self.row)))
    }
}

/// What of a trial's target was seen on a host of its own.
#[derive(Serialize)]
struct TargetHostReport<'a> {
    position: u32,
    host: &'a str,
    samples: usize,
    clock_before: ClockReading,
    clock_after: ClockReading,
}

/// What was seen in a trial on another machine that made its load.
#[derive(Serialize)]
struct LoadHostReport<'a> {
    #[serde(flatten)]
    seen: TargetHostReport<'a>,
    facts: Option<&'a HostFacts>,
    /// Mean share of all its processors' time in use, 0 to 1, over all samples.
    busy: Option<f64>,
}

#[derive(Serialize)]
struct StudyFacts<'a> {
    name: &'a str,
    question: Option<&'a str>,
    answer_by: Option<AnswerBy>,
    repeats: u32,
    until: Option<Until>,
    /// What the run may take, and the amount of money that stands for.
    budget_seconds: Option<f64>,
    budget_money: Option<&'a Money>,
    seed: u64,
    confidence: f64,
    margin: f64,
    sample_every_seconds: f64,
    noise_floor: bool,
    source: &'a str,
}

#[derive(Serialize)]
struct RunFacts<'a> {
    id: i64,
    started_at_ms: u64,
    weighin_version: &'a str,
    scale: f64,
    host: &'a HostFacts,
}

#[derive(Serialize)]
struct TargetReport<'a> {
    name: &'a str,
    system: String,
    place: String,
    labels: &'a BTreeMap<String, String>,
    path: Option<TargetPath>,
    monthly_price: Option<f64>,
    currency: Option<&'a str>,
    price: Option<&'a Price>,
    server: Option<&'a ServerFacts>,
}

#[derive(Serialize)]
struct TestReport<'a> {
    workload: Option<&'a str>,
    choice_words: Option<String>,
    words: String,
    ranking_words: Option<String>,
    pair_words: Vec<String>,
    /// What decides each difference, and what ends the rise of each curve.
    why_words: Vec<String>,
    limits: Vec<String>,
    #[serde(flatten)]
    analysis: &'a TestAnalysis,
}

#[derive(Serialize)]
struct FindingReport<'a> {
    words: String,
    #[serde(flatten)]
    finding: &'a Finding,
}

/// Writes the report as one JSON document.
pub(crate) fn write(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(AT_ONCE, Gate(out));
    let mut document = Serializer::with_formatter(&mut out, Lines::default());
    report(analysis).serialize(&mut document)?;
    writeln!(out)?;
    out.flush()
}

/// Bytes that go through the gate at once, so that it takes no time for each name and comma.
const AT_ONCE: usize = 64 << 10;

const SEEN_AT_ONCE: usize = 256;

/// Escapes what deceives a reader ([`text::json`]) on its way out: the document as a whole can be
/// hundreds of MB. The serializer writes strings in pieces that end between characters, and what is
/// before the gate puts whole pieces together.
struct Gate<'a>(&'a mut dyn Write);

impl Write for Gate<'_> {
    fn write(&mut self, pieces: &[u8]) -> io::Result<usize> {
        // Most are plain, which shows sooner of many bytes at once.
        let is_plain = |part: &[u8]| {
            part.iter().fold(true, |all, &byte| all & matches!(byte, b' '..=b'~' | b'\n'))
        };
        if pieces.chunks(SEEN_AT_ONCE).all(is_plain) {
            self.0.write_all(pieces)?;
            return Ok(pieces.len());
        }
        let text = str::from_utf8(pieces).map_err(io::Error::other)?;
        self.0.write_all(text::json(text).as_bytes())?;
        Ok(pieces.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Lines and indents for the document and its lists, and one line for each of what is in them, such as a
/// trial or a finding: with a line for every figure the document would be twice as long.
#[derive(Default)]
struct Lines {
    depth: usize,
    /// Whether what was opened last has something in it.
    filled: bool,
}

/// Down to this depth each thing has a line.
const LINED: usize = 2;

impl Lines {
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.filled && self.depth < LINED {
            self.line(out)?;
        }
        out.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        match self.depth {
            ..=LINED => self.line(out),
            _ if first => Ok(()),
            _ => out.write_all(b" "),
        }
    }

    fn line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

/// What lies on the way of the loads on a target.
#[derive(Serialize)]
struct TargetPath {
    delay_ms: Option<f64>,
    proxy: Option<String>,
    tls: Option<bool>,
}

impl TargetPath {
    fn from_path(path: &NetworkPath) -> Self {
        Self {
            delay_ms: path.delay.map(|delay| delay.as_secs_f64() * 1e3),
            proxy: path.proxy.as_ref().map(Proxy::to_string),
            tls: path.tls,
        }
    }
}

fn report<'a>(analysis: &'a Analysis<'a>) -> Report<'a> {
    let dataset = analysis.dataset;
    let study = &dataset.study;
    Report {
        format: "weighin-report",
        format_version: VERSION,
        study: StudyFacts {
            name: &study.name,
            question: study.question.as_deref(),
            answer_by: study.answer_by,
            repeats: dataset.repeats(),
            until: study.until,
            budget_seconds: study.budget.as_ref().map(|budget| budget.time.as_secs_f64()),
            budget_money: study.budget.as_ref().and_then(|budget| budget.money.as_ref()),
            seed: study.seed,
            confidence: study.confidence,
            margin: study.margin,
            sample_every_seconds: study.sample_every.as_secs_f64(),
            noise_floor: study.aa_control.is_some(),
            source: &study.source,
        },
        run: RunFacts {
            id: dataset.run.id,
            started_at_ms: dataset.run.started_at.0,
            weighin_version: &dataset.run.weighin_version,
            scale: dataset.run.scale,
            host: &dataset.run.host,
        },
        targets: targets(analysis),
        settings: &analysis.settings,
        asked: Question::for_study(study)
            .map(|question| Asked { tests: answers(analysis, &question), question }),
        summary: analysis.summary.as_ref(),
        matrix: &analysis.matrix,
        tests: analysis.tests.iter().map(|test| test_report(analysis, test)).collect(),
        factors: &analysis.factors,
        break_evens: &analysis.break_evens,
        findings: analysis
            .findings
            .iter()
            .map(|finding| {
                let counted = view::counted_in(analysis, finding);
                FindingReport { words: words::sentence(finding, counted), finding }
            })
            .collect(),
        trials: Trials(analysis),
        notes: notes(analysis),
        load_generators: load_generators(analysis),
        target_hosts: target_hosts(analysis),
        load_hosts: load_hosts(analysis),
        instances: &analysis.dataset.instances,
        marks: marks(analysis),
        named: named(analysis),
        series: series(analysis),
    }
}

fn notes<'a>(analysis: &Analysis<'a>) -> Vec<NoteReport<'a>> {
    let notes = analysis.dataset.notes.iter();
    notes.map(|note| NoteReport { at_ms: note.at.0, text: &note.text }).collect()
}

/// Of trials of the user's own transactions, in the order of their scripts.
fn named<'a>(analysis: &Analysis<'a>) -> Vec<NamedReport<'a>> {
    let of_trial = |record: &'a TrialRecord| {
        let position = record.position;
        let load = record.load().into_iter();
        load.flat_map(move |load| {
            let transactions = load.by_transaction.iter().map(|one| (ItemKind::Transaction, one));
            let statements = load.by_statement.iter().map(|one| (ItemKind::Statement, one));
            transactions.chain(statements).map(move |(of, one)| NamedReport::new(position, of, one))
        })
    };
    analysis.dataset.trials.iter().flat_map(of_trial).collect()
}

impl<'a> NamedReport<'a> {
    fn new(position: u32, of: ItemKind, one: &'a NamedResult) -> Self {
        let percentile = |percent| one.latencies.percentile_ms(percent);
        Self {
            position,
            of,
            name: &one.name,
            ok: one.ok,
            failed: one.failed,
            retries: one.retries,
            rows: one.rows,
            mean_ms: one.latencies.mean_ms(),
            p50_ms: percentile(50.0),
            p95_ms: percentile(95.0),
            p99_ms: percentile(99.0),
            max_ms: one.latencies.max_ms(),
            errors: &one.errors,
        }
    }
}

fn series<'a>(analysis: &Analysis<'a>) -> Vec<SeriesReport<'a>> {
    let of_trial = |record: &'a TrialRecord| {
        let series = record.outcome().map_or(&[][..], |outcome| &outcome.series);
        series.iter().map(|series| SeriesReport { position: record.position, series })
    };
    analysis.dataset.trials.iter().flat_map(of_trial).collect()
}

impl<'a> TargetHostReport<'a> {
    fn from_sampling(position: u32, sampling: &'a HostSampling) -> Self {
        Self {
            position,
            host: &sampling.host,
            samples: sampling.samples.len(),
            clock_before: sampling.clock_before,
            clock_after: sampling.clock_after,
        }
    }
}

fn target_hosts<'a>(analysis: &Analysis<'a>) -> Vec<TargetHostReport<'a>> {
    let of_trial = |record: &'a TrialRecord| {
        let own = record.sampling.target_host.as_deref()?;
        Some(TargetHostReport::from_sampling(record.position, own))
    };
    analysis.dataset.trials.iter().filter_map(of_trial).collect()
}

fn load_hosts<'a>(analysis: &Analysis<'a>) -> Vec<LoadHostReport<'a>> {
    let of_trial = |record: &'a TrialRecord| {
        record.sampling.load_hosts.iter().map(|maker| {
            let busy: f64 = maker.samples.iter().map(|sample| sample.cpu.busy()).sum();
            LoadHostReport {
                seen: TargetHostReport::from_sampling(record.position, maker),
                facts: maker.facts.as_ref(),
                busy: (!maker.samples.is_empty()).then(|| busy / maker.samples.len() as f64),
            }
        })
    };
    analysis.dataset.trials.iter().flat_map(of_trial).collect()
}

fn marks<'a>(analysis: &Analysis<'a>) -> Vec<MarkReport<'a>> {
    let of_trial = |record: &'a TrialRecord| {
        let marks = record.outcome().map_or(&[][..], |outcome| &outcome.marks);
        marks.iter().map(|mark| MarkReport { position: record.position, mark })
    };
    analysis.dataset.trials.iter().flat_map(of_trial).collect()
}

fn load_generators(analysis: &Analysis) -> Vec<GeneratorReport> {
    let of_trial = |record: &TrialRecord| {
        let position = record.position;
        let shares = record.load().map(|load| load.generators.clone()).unwrap_or_default();
        shares.into_iter().enumerate().map(move |(place, share)| GeneratorReport {
            position,
            generator: place + 1,
            figures: GeneratorFigures::from_share(&share),
        })
    };
    analysis.dataset.trials.iter().flat_map(of_trial).collect()
}

fn targets<'a>(analysis: &'a Analysis<'a>) -> Vec<TargetReport<'a>> {
    let observed = |name: &str| {
        let mut facts = analysis.dataset.targets.iter();
        facts.find(|facts| facts.target == name).map(|facts| &facts.server)
    };
    let targets = analysis.dataset.study.targets.iter();
    targets
        .map(|target| TargetReport {
            name: &target.name,
            system: target.system.to_string(),
            place: words::place(&target.place),
            labels: &target.labels,
            path: target.path.as_ref().map(TargetPath::from_path),
            monthly_price: target.price.as_ref().and_then(|price| price.fixed_monthly(None)),
            currency: target.price.as_ref().map(|price| price.currency.as_str()),
            price: target.price.as_ref(),
            server: observed(&target.name),
        })
        .collect()
}

fn test_report<'a>(analysis: &'a Analysis<'a>, test: &'a TestAnalysis) -> TestReport<'a> {
    let studied = analysis.dataset.study.tests.iter().find(|studied| studied.name == test.test);
    let said = words::answer(analysis, test);
    TestReport {
        workload: studied.map(model::Test::what),
        choice_words: said.choice,
        words: said.headline,
        ranking_words: said.ranking,
        pair_words: said.conditions,
        why_words: words::why(analysis, test),
        limits: said.limits,
        analysis: test,
    }
}
