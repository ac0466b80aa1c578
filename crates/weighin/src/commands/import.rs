mod said;

use super::run::files_of;
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::ImportArguments;
use crate::exit::CliError;
use crate::messages::{shown, tell};
use crate::progress::Progress;
use crate::signals::Unfinished;
use crate::stores;
use campaign::Step;
use import::Suggestion;
use import::{
    FORMATS, Format, Layout, LayoutQuestion, Naming, Parsed, PatternError, Problem, Source,
};
use model::{Dataset, HostFacts, RunInfo, UnixMillis};
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use store::{Store, StoreError};

/// The kind that stands for any format.
const AUTO: &str = "auto";
/// Deepest directory below one that was named: a link that leads back up ends here.
const DEEPEST: usize = 16;

/// A file to read.
struct Found {
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
    let mut files = Vec::new();
    for path in &arguments.paths {
        collect(path, 0, &mut files)?;
    }
    read_once(&mut files);
    let (mut parsed, strangers) = read(&files, format)?;
    let (understood, unfit) =
        import::name_trials(&mut parsed, &naming).map_err(|question| asked(&question))?;
    if arguments.dry_run {
        said::left_out(&strangers, format, arguments.verbose);
        print(&said::understood(&understood, true))?;
        return Ok(Exit::Done);
    }
    let name = arguments.name.clone().unwrap_or_else(|| name_of(&arguments.paths));
    let (dataset, mut problems) = import::assemble(&name, this_run(), parsed);
    problems.extend(unfit);
    problems.extend(strangers.iter().filter(|file| file.named).map(|file| Problem {
        file: file.path.display().to_string(),
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

/// Reads all files. Gives what they hold, and those that are not of the format.
fn read<'a>(
    files: &'a [Found],
    format: Option<&'static dyn Format>,
) -> Result<(Vec<Parsed>, Vec<&'a Found>), CliError> {
    let (mut parsed, mut strangers) = (Vec::new(), Vec::new());
    let progress = Progress::start("files");
    let of = files.len() as u64;
    for (done, file) in (0..).zip(files) {
        progress.show(Step { done, of });
        match parse(format, file)? {
            Some(one) => parsed.push(one),
            None => strangers.push(file),
        }
    }
    progress.finish();
    Ok((parsed, strangers))
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
    let ways = question.suggestions.iter().map(|Suggestion { meaning, pattern }| {
        format!("if {meaning}: --layout {}", quoted(pattern))
    });
    let ways: Vec<String> = ways.collect();
    let help = match ways.is_empty() {
        true => "say with --layout what the parts of the paths are".to_owned(),
        false => ways.join("\n"),
    };
    CliError::usage(question.message.clone(), help)
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

/// The file, or all files in the directory and below, in order of name; hidden ones only if named.
fn collect(path: &Path, depth: usize, files: &mut Vec<Found>) -> Result<(), CliError> {
    let unreadable = |error| CliError::file("read", path, error);
    let kind = fs::metadata(path).map_err(unreadable)?;
    if !kind.is_dir() {
        files.push(Found { path: path.to_owned(), named: depth == 0 });
        return Ok(());
    }
    if depth > DEEPEST {
        return Ok(());
    }
    let entries: Result<Vec<fs::DirEntry>, _> = fs::read_dir(path).map_err(unreadable)?.collect();
    let mut entries: Vec<PathBuf> =
        entries.map_err(unreadable)?.into_iter().map(|entry| entry.path()).collect();
    entries.sort_by_cached_key(|path| natural(path));
    for entry in entries {
        let hidden =
            entry.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        // A file that vanished, or a link to nowhere, is nothing that could be imported.
        if !hidden && entry.exists() {
            collect(&entry, depth + 1, files)?;
        }
    }
    Ok(())
}

/// What sorts names by the numbers in them: `run2` before `run10`.
fn natural(path: &Path) -> Vec<(String, u64)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut parts, mut rest) = (Vec::new(), name.as_str());
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, from) = rest.split_at(digits);
        let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        parts.push((text.to_owned(), from[..end].parse().unwrap_or(u64::MAX)));
        rest = &from[end..];
    }
    parts.push((name.clone(), 0));
    parts
}

/// Leaves out what was named a second time, or lies in a directory that was named as well.
fn read_once(files: &mut Vec<Found>) {
    let mut seen = HashSet::new();
    files.retain(|file| {
        let id = fs::metadata(&file.path).map(|file| (file.dev(), file.ino()));
        let first = id.map_or(true, |id| seen.insert(id));
        if !first {
            tell(&format!("{} is named twice and was read once", shown(&file.path)));
        }
        first
    });
}

/// What a file holds; `None` where it is not of the format that was asked for.
fn parse(format: Option<&'static dyn Format>, file: &Found) -> Result<Option<Parsed>, CliError> {
    let bytes = fs::read(&file.path).map_err(|e| CliError::file("read", &file.path, e))?;
    let text = String::from_utf8_lossy(&bytes);
    let recognised = || import::recognise(&text);
    let format = match format {
        // A file that was named is taken at the user's word.
        Some(format) if file.named || format.recognises(&text) => Some(format),
        Some(_) => None,
        None => recognised(),
    };
    let name = file.path.display().to_string();
    Ok(format.map(|format| format.parse(Source { file: &name, text: &text })))
}

/// The name of what is imported: that of the only file or directory.
fn name_of(paths: &[PathBuf]) -> String {
    let stem = match paths {
        [only] => only.file_stem().map(|stem| stem.to_string_lossy().into_owned()),
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
