//! All targets.

/// The dictionary whose name these parts are.
macro_rules! dictionary {
    ($($part:ident)+) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"), "/dictionaries/", $(stringify!($part),)+ ".dict"
        ))
    };
}

mod command_line;
mod grammar;
mod import;
mod local;
mod mysql;
mod output;
mod own_data;
mod postgres;
mod prices;
mod redis;
mod script;
mod session;
mod settings;
mod store;
mod study;

use crate::Target;
use analyse::capacity::{Page, Question, answers};
use analyse::{TestAnalysis, analyse};
use model::Dataset;
use report::{Format, render, terminal_answers, terminal_rules, terminal_summary};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// All targets.
pub const TARGETS: &[Target] = &[
    mysql::LOGIN,
    mysql::REPLIES,
    mysql::COMPRESSED,
    session::MYSQL,
    postgres::LOGIN,
    postgres::ANSWERS,
    session::POSTGRES,
    redis::REPLIES,
    session::REDIS,
    import::CSV,
    import::SYSBENCH,
    import::FIO,
    import::MEMTIER,
    import::REDIS_BENCHMARK,
    import::DISKSPD,
    import::HLOG,
    import::PGBENCH,
    import::BENCHBASE,
    import::POSTGRESBENCH,
    import::CLICKBENCH,
    import::HAMMERDB,
    import::MYSQLSLAP,
    import::IOSTAT,
    import::SHOW,
    import::UNPACK,
    import::REPORT,
    import::PARTS,
    study::TEXT,
    study::KEYS,
    grammar::VALUES,
    grammar::URL,
    command_line::SYSBENCH,
    command_line::ARGUMENTS,
    local::KERNEL,
    local::TOOLS,
    local::FILES,
    local::CONTROL,
    script::SCRIPT,
    settings::SETTINGS,
    output::GATE,
    own_data::OWN_DATA,
    prices::PRICES,
    store::BYTES,
    store::CELLS,
    store::SCHEMA,
    store::PARTS,
];

/// The input as text, as the program reads files: what is no UTF-8 is replaced.
fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// Analyses a dataset, writes every kind of report, and holds each to what no text may break.
fn rendered(dataset: &Dataset) {
    let analysis = analyse(dataset);
    for format in [Format::Html, Format::Markdown, Format::Json, Format::Csv, Format::Hlog] {
        let mut out = Vec::new();
        if render(&analysis, format, &mut out).is_err() {
            panic!("{format:?}: only the writer can fail, and this one does not");
        }
        let Ok(text) = std::str::from_utf8(&out) else { panic!("{format:?} is not UTF-8") };
        match format {
            Format::Json => output::assert_json(text),
            Format::Html | Format::Markdown | Format::Csv | Format::Hlog => {
                output::assert_shown(text)
            }
        }
    }
    let question = Question {
        clients: Some(16),
        page: Some(Page { budget_ms: 100.0, queries: 5 }),
        ..Question::default()
    };
    let answers = answers(&analysis, &question);
    let tests: Vec<&TestAnalysis> = analysis.tests.iter().collect();
    for width in [40, 200] {
        output::assert_shown(&terminal_summary(&analysis, width, false));
        output::assert_shown(&terminal_rules(&tests, &analysis, width, false));
        output::assert_shown(&terminal_answers(&answers, &question, &analysis, (width, false)));
    }
}
