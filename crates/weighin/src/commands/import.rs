mod gather;
mod said;

use super::run::files_of;
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{ImportArguments, MarkName};
use crate::exit::CliError;
use crate::messages::{shown, tell};
use crate::passing::Progress;
use crate::signals::Unfinished;
use crate::stores;
use import::Suggestion;
use import::{
    DecimalMark, FORMATS, Format, Layout, LayoutQuestion, Member, Naming, Parsed, PatternError,
    Problem, Source, TableOptions, UnpackLimits,
};
use model::{Dataset, HostFacts, OverBudget, ReadBudget, ReadLimit, RunInfo, UnixMillis, text};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Store, StoreError};
use system::Step;

/// The kind that stands for any format.
const AUTO: &str = "auto";

/// A file to read.
struct FileToRead {
    path: PathBuf,
    /// Whether the user named it, and not a directory that it is in.
    named: bool,
}

/// Makes a results file of what others measured.
pub(crate) fn import(arguments: &ImportArguments) -> Outcome {
    let format = format(&arguments.kind)?;
    let layouts = layouts(&arguments.layout)?;
    let naming = Naming {
        target: arguments.target.as_deref(),
        test: arguments.test.as_deref(),
        layouts: &layouts,
    };
    let (files, unseen) = gather::gather(&arguments.paths)?;
    let tables = tables(arguments)?;
    // What was read of all files together; time has each of its own.
    let all = ReadLimit { time: Duration::MAX, ..arguments.reading.limit() }.budget();
    let (mut parsed, strangers, unread) =
        read(&files, format, &tables, arguments.reading.limit(), &all)?;
    let (understood, unfit) =
        import::name_trials(&mut parsed, &naming).map_err(|question| asked(&question))?;
    parsed.iter().flat_map(|parsed| &parsed.notes).for_each(|note| {
        tell(&text::line(&note.to_string()));
    });
    if arguments.dry_run {
        let of_files = parsed.iter().flat_map(|parsed| &parsed.problems);
        let problems: Vec<Problem> =
            unseen.iter().chain(&unread).chain(of_files).chain(&unfit).cloned().collect();
        said::problems(&problems, arguments.verbose);
        said::left_out(&strangers, format, arguments.verbose);
        print(&said::understood(&understood, true))?;
        return Ok(Exit::Done);
    }
    let name = arguments.name.clone().unwrap_or_else(|| name_of(&arguments.paths));
    // By the names that trials have now.
    let assembly = parsed.iter().map(Parsed::memory_of_assembly).sum();
    all.charge(assembly).map_err(|over| {
        let files = counted(files.len(), "file");
        CliError::usage(
            format!("what {files} hold is too much for one run: {over}"),
            "or import fewer files at a time",
        )
    })?;
    let (dataset, mut problems) = import::assemble(&name, this_run(), parsed);
    problems.extend([unseen, unread, unfit].into_iter().flatten());
    problems.extend(strangers.iter().filter(|file| file.named).map(|file| Problem {
        file: file.name.clone(),
        line: 0,
        message: format!("this is not {}", said::what(format)),
    }));
    said::problems(&problems, arguments.verbose);
    said::left_out(&strangers, format, arguments.verbose);
    if dataset.study.targets.is_empty() {
        return Err(CliError::usage(
            format!("there is nothing to import in {}", counted(files.len(), "file")),
            "weighin import --help lists the kinds of files that can be read",
        ));
    }
    let results = match &arguments.out {
        Some(path) => path.clone(),
        None => stores::new_path(&dataset.study, Path::new("")),
    };
    keep(&dataset, &results)?;
    print(&said::understood(&understood, false))?;
    print(&format!(
        "Imported {} of {} under {} into {}\n",
        counted(dataset.trials.len(), "trial"),
        counted(dataset.study.targets.len(), "target"),
        counted(dataset.study.tests.len(), "test"),
        shown(&results),
    ))?;
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Failed })
}

/// A file, or a member of an archive, that is not of the format that was asked for.
struct Stranger {
    name: String,
    /// Whether the user named it, and not a directory or an archive that it is in.
    named: bool,
}

/// What came of reading files: what they hold, those that are not of the format, and those of
/// directories and archives that could not be read.
type Read = (Vec<Parsed>, Vec<Stranger>, Vec<Problem>);

/// How many times the limit of memory all members of an archive may take, which are unpacked one after the
/// other.
const UNPACKED: u64 = 4;

/// Reads all files.
fn read(
    files: &[FileToRead],
    format: Option<&'static dyn Format>,
    tables: &TableOptions,
    limit: ReadLimit,
    all: &ReadBudget,
) -> Result<Read, CliError> {
    let (mut parsed, mut strangers, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    let progress = Progress::start("files");
    let of = files.len() as u64;
    for (done, file) in (0..).zip(files) {
        progress.show(Step { done, of });
        let name = gather::name(&file.path);
        // Of an archive with all its members.
        let budget = &limit.budget();
        let bytes = match gather::read(file, budget) {
            Ok(bytes) => bytes,
            Err(error) if file.named => return Err(CliError::file("read", &file.path, error)),
            Err(error) => {
                let message = format!("cannot be read: {error}");
                unread.push(Problem { file: name, line: 0, message });
                continue;
            }
        };
        let (mut members, mut others, mut beyond) = (Vec::new(), Vec::new(), None);
        let mut take = |member: Member<'_>| {
            let (name, named) = (member.name.to_owned(), file.named && !member.unpacked);
            match parse(format, &member, named, tables, budget) {
                Content::Results(one) => match all.charge(one.memory()) {
                    Ok(()) => members.push((name, one)),
                    Err(over) => beyond = beyond.take().or(Some(too_many(file, &over))),
                },
                Content::Beyond(over) if named => {
                    let error = io::Error::other(over);
                    beyond = beyond.take().or(Some(CliError::file("read", &file.path, error)));
                }
                Content::Beyond(over) => {
                    let message = format!("cannot be read: {over}");
                    others.push(Problem { file: name, line: 0, message });
                }
                Content::Other => strangers.push(Stranger { name, named }),
                Content::Unread(message) => others.push(Problem { file: name, line: 0, message }),
            }
        };
        let limits = UnpackLimits {
            member_bytes: limit.bytes,
            total_bytes: limit.bytes.saturating_mul(UNPACKED),
            ..UnpackLimits::default()
        };
        unread.extend(import::unpack(&name, bytes, &limits, &mut take));
        if let Some(error) = beyond {
            return Err(error);
        }
        unread.append(&mut others);
        // Archives have their members in any order; repeats are counted in that of their names.
        members.sort_by_cached_key(|(name, _)| gather::natural(name));
        parsed.extend(members.into_iter().map(|(_, parsed)| parsed));
    }
    progress.finish();
    unread.extend(tables.unused().map(|column| {
        Problem {
            file: "--map".to_owned(),
            line: 0,
            message: match column {
                "*" => {
                    "no table that was read has columns named after targets or numbers of clients, \
                    for which `*` stands"
                        .to_owned()
                }
                _ => format!("no table that was read has the column `{column}`"),
            },
        }
    }));
    Ok((parsed, strangers, unread))
}

/// What there is to say where a file is one too many.
fn too_many(file: &FileToRead, over: &OverBudget) -> CliError {
    CliError::usage(
        format!("{} and the files before it hold too much: {over}", shown(&file.path)),
        "or import fewer files at a time",
    )
}

/// The patterns as the user gave them.
fn layouts(texts: &[String]) -> Result<Vec<Layout>, CliError> {
    let layout = |text: &String| {
        text.parse().map_err(|error: PatternError| {
            CliError::usage(
                error.to_string(),
                "names: {target}, {test}, {clients}, {rate}, {repeat}, {date}, {block}; {_} for \
                 what says nothing; any other name is a label of the target",
            )
        })
    };
    texts.iter().map(layout).collect()
}

/// What the paths do not say, with the patterns by which the user can.
fn asked(question: &LayoutQuestion) -> CliError {
    let ways = question.suggestions.iter().map(|Suggestion { meaning, pattern, more }| {
        let layouts: Vec<String> = std::iter::once(pattern)
            .chain(more)
            .map(|pattern| format!("--layout {}", quoted(pattern)))
            .collect();
        text::line(&format!("if {meaning}: {}", layouts.join(" "))).into_owned()
    });
    let ways: Vec<String> = ways.collect();
    let help = match ways.is_empty() {
        true => "say with --layout what the parts of the paths are".to_owned(),
        false => ways.join("\n"),
    };
    CliError::usage(text::line(&question.message), help)
}

/// A word as a shell reads it back.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The format of that name; `None` for any.
fn format(kind: &str) -> Result<Option<&'static dyn Format>, CliError> {
    if kind == AUTO {
        return Ok(None);
    }
    import::by_name(kind).map(Some).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
        CliError::usage(
            format!("unknown kind of file `{kind}`"),
            format!("kinds: {AUTO}, {}", known.join(", ")),
        )
    })
}

/// What a file holds.
enum Content {
    Results(Parsed),
    /// Results of another tool or form, which are not read, with what to do instead.
    Unread(String),
    /// Results that take more than they may.
    Beyond(OverBudget),
    /// Nothing of the format that was asked for.
    Other,
}

fn parse(
    format: Option<&'static dyn Format>,
    file: &Member<'_>,
    named: bool,
    tables: &TableOptions,
    budget: &ReadBudget,
) -> Content {
    let text = import::decode::text(&file.bytes);
    let known = match format {
        // A file that was named is taken at the user's word.
        Some(format) if named || format.recognises(&text) => Some(format),
        Some(_) => None,
        None => import::recognise(&text),
    };
    match known {
        Some(known) => {
            let source = Source { file: file.name, text: &text, budget };
            let taken = budget.used();
            let parsed = source.charge().map(|()| import::parse(known, source, tables));
            match parsed.and_then(|parsed| budget.verdict().map(|()| parsed)) {
                Ok(parsed) => {
                    // Its text is not kept, and what was read of it is charged for all files together.
                    budget.give_back(budget.used() - taken);
                    Content::Results(parsed)
                }
                Err(over) => Content::Beyond(over),
            }
        }
        // With one kind of file all others are passed over.
        None if format.is_some() => Content::Other,
        None => import::unread(&file.bytes, &text).map_or(Content::Other, Content::Unread),
    }
}

/// What the user says of tables.
fn tables(arguments: &ImportArguments) -> Result<TableOptions, CliError> {
    let decimal = arguments.decimal.map(|mark| match mark {
        MarkName::Point => DecimalMark::Point,
        MarkName::Comma => DecimalMark::Comma,
    });
    let mut tables = TableOptions::new(decimal, arguments.test.clone());
    for text in &arguments.map {
        tables.say(text).map_err(|error| {
            CliError::usage(
                error.to_string(),
                "roles: target, test, clients, queue_depth, rate, repeat, block, factor, note, failure, \
                 metric, - for nothing; figures: transactions_per_s, latency_p95:ms and others of \
                 docs/import.md",
            )
        })?;
    }
    Ok(tables)
}

/// The name of what is imported: that of the only file or directory.
fn name_of(paths: &[PathBuf]) -> String {
    let stem = match paths {
        [only] => only.file_name().map(|name| {
            let name = name.to_string_lossy();
            let plain = Path::new(import::without_container(&name));
            plain.file_stem().unwrap_or_default().to_string_lossy().into_owned()
        }),
        _ => None,
    };
    stem.unwrap_or_else(|| "imported".to_owned())
}

/// When and with what it is imported. The host has nothing to do with the results.
fn this_run() -> RunInfo {
    RunInfo {
        id: 1,
        // The store dates the run.
        started_at: UnixMillis(0),
        weighin_version: env!("CARGO_PKG_VERSION").to_owned(),
        host: HostFacts::default(),
        scale: 1.0,
        extensions: Vec::new(),
    }
}

fn keep(dataset: &Dataset, results: &Path) -> Result<(), CliError> {
    let (run, study) = (&dataset.run, &dataset.study);
    let version = &run.weighin_version;
    let mut store = Store::create(results, study, &dataset.plan, &run.host, version, run.scale)?;
    // Half of an import would pass for all of it, should a signal end it.
    let _unfinished = Unfinished::new(files_of(results));
    let mut write = || -> Result<(), StoreError> {
        dataset.targets.iter().try_for_each(|facts| store.record_target(facts))?;
        store.append_all(&dataset.trials)
    };
    let written = write();
    if written.is_err() {
        // Half of what was to be imported is not kept as if it were all of it.
        store.discard();
    }
    Ok(written?)
}

fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
