//! What `weighin import` is given.

use super::ReadArguments;
use clap::Args;
use std::path::PathBuf;
use std::sync::LazyLock;

const LAYOUTS: &str = "
Files may be packed: .gz, .zst, .bz2 and .xz; what is in a .tar, .zip or .xlsx counts as in a directory.

Layouts:
  {target}, {test}, {clients}, {rate}  what they say
  {repeat}, {date}                     results that differ in them alone are repeats
  {block}                              number of the block in which all targets took turns
  {_}                                  says nothing
  any other name                       a label of the target; labels make targets
  {{ and }}                            braces
A layout is held against the end of a path: as many directories as it has itself, and the name.
";

/// The kinds of files that can be imported.
static IMPORT_KINDS: LazyLock<String> = LazyLock::new(|| {
    let kinds = ::import::FORMATS.iter();
    let kinds = kinds.map(|format| format!("  {:<10}  {}\n", format.name(), format.description()));
    format!("Kinds:\n{}{LAYOUTS}", kinds.collect::<String>())
});

#[derive(Debug, Args)]
#[command(after_help = IMPORT_KINDS.as_str())]
pub(crate) struct ImportArguments {
    /// What kind of files, as listed below; `auto` detects it
    pub(crate) kind: String,
    /// Files, or directories with everything below them
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) paths: Vec<PathBuf>,
    /// Where to keep the results; NAME.TIME.weighin in this directory when left out
    #[arg(long, value_name = "RESULTS")]
    pub(crate) out: Option<PathBuf>,
    /// Name of the study; that of the file or directory when left out
    #[arg(long, value_name = "STUDY")]
    pub(crate) name: Option<String>,
    /// The target of files that do not name it
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// The test of files that do not name it
    #[arg(long)]
    pub(crate) test: Option<String>,
    /// What the parts of paths are, such as '{kernel}-{test}/{config}/thr{clients}/res.txt';
    /// may be given again for files of another layout; inferred when left out
    #[arg(long, value_name = "PATTERN")]
    pub(crate) layout: Vec<String>,
    /// What a column of a table is, such as 'Tx/sec=transactions_per_s', 'p95=latency_p95:ms',
    /// 'Box=target' or 'Rank=-'; '*=transactions_per_s' for columns named after targets or numbers of
    /// clients; may be given again
    #[arg(long, value_name = "COLUMN=ROLE")]
    pub(crate) map: Vec<String>,
    /// The decimal mark of tables whose numbers can be read in two ways, such as 1.234
    #[arg(long, value_enum, value_name = "MARK")]
    pub(crate) decimal: Option<MarkName>,
    /// Only show what is understood of the paths
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Name each file that is left out, and not only how many
    #[arg(long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

/// A decimal mark.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum MarkName {
    Point,
    Comma,
}
