//! What is drawn in a file of its own.

use super::ReadArguments;
use super::bounds::whole;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::LazyLock;

/// Widths of a drawing, in pixels.
const WIDTHS: std::ops::RangeInclusive<u32> = 200..=8000;
/// Pixels of an image for one of a drawing, in each direction.
const SCALES: std::ops::RangeInclusive<u32> = 1..=4;

static KINDS: LazyLock<String> = LazyLock::new(|| {
    let line = |(name, what): &(&str, &str)| format!("  {name:<12} {what}\n");
    let lines: String = report::CHART_KINDS.iter().map(line).collect();
    format!(
        "Charts:\n{lines}  METRIC       any metric that the report has a chart of, by its name there, such as \
         catch_up_s\n\nOf `heatmap` and `trial`, what is left out of --target, --level and --repeat is \
         chosen:\nthe level and the target of the recommendation, and the repeat in the middle."
    )
});

#[derive(Debug, Args)]
#[command(after_help = KINDS.as_str())]
pub(crate) struct ChartArguments {
    /// A study file (its latest run) or a results file (*.weighin); the only results file here
    /// when left out
    pub(crate) study: Option<PathBuf>,
    /// Which chart, as listed below
    #[arg(long, value_name = "CHART", default_value = "throughput")]
    pub(crate) chart: String,
    /// Of which test; the first one when left out
    #[arg(long)]
    pub(crate) test: Option<String>,
    /// Of which target the trial is
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// At which level the trial is: the number of clients, the queue depth or the rate
    #[arg(long)]
    pub(crate) level: Option<u32>,
    /// Which repeat the trial is
    #[arg(long)]
    pub(crate) repeat: Option<u32>,
    /// Where to write it: a file that ends in .svg or .png, or `-` for standard output. An earlier
    /// chart is replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What it is written as; by default what the name of the file ends in, and SVG on standard
    /// output
    #[arg(long, value_enum)]
    pub(crate) format: Option<ChartFormat>,
    /// Colours for a light background or a dark one
    #[arg(long, value_enum, default_value_t = ThemeName::Light)]
    pub(crate) theme: ThemeName,
    /// Width in pixels; the height follows from it
    #[arg(long, default_value_t = 1280, value_parser = whole(WIDTHS))]
    pub(crate) width: u32,
    /// So many pixels of a PNG in place of one, in each direction, for sharp slides and prints
    #[arg(long, default_value_t = 1, value_parser = whole(SCALES))]
    pub(crate) scale: u32,
    /// Also replace a file that is neither a chart nor a report of weighin's; never results files
    /// and databases
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeName {
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChartFormat {
    /// Lines and words, sharp at every size
    Svg,
    /// Pixels; words are drawn with the fonts of this machine
    Png,
}
