//! What is asked of two runs, or of many.

use super::ReadArguments;
use super::bounds::between;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What a comparison, a gate or a history is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunsFormatName {
    Terminal,
    Markdown,
    Html,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct RunsOutput {
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = RunsFormatName::Terminal)]
    pub(crate) format: RunsFormatName,
    /// Where to write it; standard output when left out. An earlier report is replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Where else runs of the study are.
#[derive(Debug, Args)]
pub(crate) struct EarlierArguments {
    /// A directory with results files of earlier runs of the study, which tell how much runs of the same
    /// differ: a difference has to be more than that. Links are passed over
    #[arg(long, value_name = "DIR")]
    pub(crate) history: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The older run: a results file (*.weighin), or a study file (its latest run)
    pub(crate) old: PathBuf,
    /// The newer run
    pub(crate) new: PathBuf,
    #[command(flatten)]
    pub(crate) earlier: EarlierArguments,
    #[command(flatten)]
    pub(crate) output: RunsOutput,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GateArguments {
    /// The run to hold against: a results file (*.weighin), or a study file (its latest run)
    pub(crate) baseline: PathBuf,
    /// The run that may not be worse
    pub(crate) new: PathBuf,
    /// How much throughput may fall, or a time grow, such as 5%
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    pub(crate) max_regression: f64,
    /// The metric to hold, such as latency_p95_ms, in place of the one that decides each test
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Hold each level by itself; otherwise a level counts alone only where it is surely worse
    #[arg(long)]
    pub(crate) each_level: bool,
    /// Also write the answer as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also write the answer as OpenMetrics text
    #[arg(long, value_name = "FILE")]
    pub(crate) openmetrics: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) earlier: EarlierArguments,
    #[command(flatten)]
    pub(crate) output: RunsOutput,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArguments {
    /// A directory with the results files (*.weighin) of the runs; links are passed over
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
    #[command(flatten)]
    pub(crate) output: RunsOutput,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

/// A share of 1 from percent.
fn share(text: &str) -> Result<f64, String> {
    let needed = "expected percent from 0.01% to 90%, such as 5%";
    let percent = text.trim().strip_suffix('%').ok_or(needed)?;
    Ok(between(0.01..=90.0, needed)(percent.trim())? / 100.0)
}
