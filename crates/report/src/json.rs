//! Everything, for programs.

use crate::trial_columns::{names, rows, values};
use crate::{GeneratorFigures, view, words};
use analyse::{
    Analysis, BreakEven, FactorEffect, Finding, SettingDifference, Summary, TestAnalysis,
};
use model::{HostFacts, Price, ServerFacts, TrialRecord, text};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{self, Write};

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
    summary: Option<&'a Summary>,
    tests: Vec<TestReport<'a>>,
    factors: &'a [FactorEffect],
    break_evens: &'a [BreakEven],
    findings: Vec<FindingReport<'a>>,
    trials: Vec<Map<String, Value>>,
    load_generators: Vec<GeneratorReport>,
}

/// What one of several load generators did in a trial, in the measured phase.
#[derive(Serialize)]
struct GeneratorReport {
    position: u32,
    generator: usize,
    #[serde(flatten)]
    figures: GeneratorFigures,
}

#[derive(Serialize)]
struct StudyFacts<'a> {
    name: &'a str,
    question: Option<&'a str>,
    repeats: u32,
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
    monthly_price: Option<f64>,
    currency: Option<&'a str>,
    price: Option<&'a Price>,
    server: Option<&'a ServerFacts>,
}

#[derive(Serialize)]
struct TestReport<'a> {
    workload: Option<&'a str>,
    words: String,
    ranking_words: Option<String>,
    pair_words: Vec<String>,
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
pub(crate) fn write(analysis: &Analysis, out: &mut impl Write) -> io::Result<()> {
    let document = serde_json::to_string_pretty(&report(analysis))?;
    writeln!(out, "{}", text::json(&document))
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
            repeats: study.repeats,
            seed: study.seed,
            confidence: study.confidence,
            margin: study.margin,
            sample_every_seconds: study.sample_every.as_secs_f64(),
            noise_floor: study.twin.is_some(),
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
        summary: analysis.summary.as_ref(),
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
        trials: rows(analysis)
            .iter()
            .map(|row| names().into_iter().zip(values(row)).collect())
            .collect(),
        load_generators: load_generators(analysis),
    }
}

fn load_generators(analysis: &Analysis) -> Vec<GeneratorReport> {
    let of_trial = |record: &TrialRecord| {
        let position = record.position;
        let shares = record.load().map(|load| load.generators.clone()).unwrap_or_default();
        shares.into_iter().enumerate().map(move |(place, share)| GeneratorReport {
            position,
            generator: place + 1,
            figures: GeneratorFigures::of(&share),
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
        words: said.headline,
        ranking_words: said.ranking,
        pair_words: said.conditions,
        limits: said.limits,
        analysis: test,
    }
}
