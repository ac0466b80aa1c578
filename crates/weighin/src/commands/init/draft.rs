//! A study that is drafted from a server that runs.

use crate::arguments::InitArguments;
use crate::commands::targets;
use crate::exit::CliError;
use crate::messages::shown;
use crate::signals;
use compression::{Contents, ContentsError};
use model::{OutlineStatement, Place};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use study::{CommandLine, Drafted};
use system::client::SecretRules;
use workload::draft::{LoggedStatements, StatementLog, by_key, draft};

/// Statements that become transactions.
const MOST: usize = 30;
/// Bytes of a log that are read, and of one of its lines.
const LONGEST_LOG: u64 = 4 << 30;
const LONGEST_LINE: u64 = 1 << 20;

/// The path of a file as a study has it, whose paths begin where it is, and those of the command line here.
fn from_study(study: &Path, path: &str) -> String {
    let is_here = study.as_os_str() != "-" && study.parent() == Some(Path::new(""));
    let whole = std::path::absolute(path).ok().and_then(|whole| whole.to_str().map(str::to_owned));
    whole.filter(|_| !is_here).unwrap_or_else(|| path.to_owned())
}

/// Drafts a study from what a server holds and is asked.
pub(super) fn of_server(arguments: &InitArguments, url: &str) -> Result<Drafted, CliError> {
    let mut line = CommandLine::new(crate::arguments::option);
    let mut target = vec![("url".to_owned(), url.to_owned())];
    for (key, given) in [
        ("password_env", &arguments.password_env),
        ("password_file", &arguments.password_file),
        ("tls", &arguments.tls),
        ("tls_ca", &arguments.tls_ca),
    ] {
        let given = given.as_deref();
        let given = match key {
            "password_file" | "tls_ca" => given.map(|path| from_study(&arguments.path, path)),
            _ => given.map(str::to_owned),
        };
        target.extend(given.map(|text| (key.to_owned(), text)));
    }
    line.target("name", "server");
    target.iter().for_each(|(key, text)| line.target(key, text));
    let server = line.read_target()?;
    let rules = SecretRules::command_line(false);
    let Place::Server(_) = &server.place else { return Err(server.out_of_reach().into()) };
    let mut outliner = system::outline(&targets::login(&server, &rules)?)?;
    let syntax = outliner.syntax();
    let log = arguments.slow_log.as_deref().map(|path| logged(path, outliner.log())).transpose()?;
    let mut outline = outliner.outline(log.is_none())?;
    let (mut source, mut statements) = match (&arguments.slow_log, log) {
        (Some(path), Some(log)) => {
            if log.is_cut {
                outline
                    .notes
                    .push("the log has more different statements than are kept".to_owned());
            }
            (format!("the log {}", shown(path)), log.statements)
        }
        _ => {
            let source = "the server's statistics of statements, since they were last reset";
            (source.to_owned(), std::mem::take(&mut outline.statements))
        }
    };
    statements.retain(|statement| !is_of_server(&statement.text));
    if statements.is_empty() {
        let by_key = outline.tables.iter().filter_map(|table| by_key(table, &syntax));
        statements =
            by_key.map(|text| OutlineStatement { text, ..OutlineStatement::default() }).collect();
        "no application: what is asked of this server is not known, so each table is read by its key"
            .clone_into(&mut source);
    }
    if let Some(more) = statements.len().checked_sub(MOST).filter(|more| *more > 0) {
        outline.notes.push(format!("{more} more statements took less time, and are left out"));
    }
    let mut drafted = Drafted { target, source, outline, ..Drafted::default() };
    for statement in statements.into_iter().take(MOST) {
        if signals::stop().is_requested() {
            return Err(model::Failure::stopped().into());
        }
        let OutlineStatement { text, count, guesses } = statement;
        match draft(&text, &drafted.outline.tables, &syntax) {
            Err(why) => drafted.refused.push((text, count, why)),
            Ok(mut found) => match outliner.refuses(&found.marked)? {
                Some(why) => drafted.refused.push((text, count, why)),
                None => {
                    found.guesses.extend(guesses);
                    drafted.drafts.push((found, count));
                }
            },
        }
    }
    Ok(drafted)
}

/// Whether a statement sets or asks something of the server, as clients and weighin itself do.
fn is_of_server(statement: &str) -> bool {
    let text = statement.to_ascii_lowercase();
    // What weighin itself has prepared for an earlier draft.
    if text.contains("weighin_draft") {
        return true;
    }
    ["set ", "show ", "use ", "select @@", "begin", "start transaction", "commit", "rollback"]
        .iter()
        .any(|begin| text.starts_with(begin))
}

/// The statements of a log, which may be compressed, as those are that were rotated.
fn logged(path: &Path, mut log: Box<dyn StatementLog>) -> Result<LoggedStatements, CliError> {
    let wanted = log.wanted();
    let refuse = |why: String| {
        CliError::usage(format!("{} cannot be read: {why}", shown(path)), format!("name {wanted}"))
    };
    let not_had = |error: ContentsError| {
        CliError::usage(format!("{} {error}", shown(path)), error.help().to_owned())
    };
    let too_long = || refuse(format!("it is no file of at most {} GiB", LONGEST_LOG >> 30));
    let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
    let facts = file.metadata().map_err(|error| refuse(error.to_string()))?;
    // Of another kind, it might never end.
    if !facts.is_file() || facts.len() > LONGEST_LOG {
        return Err(too_long());
    }
    let mut contents =
        Contents::open(&path.display().to_string(), file.take(LONGEST_LOG)).map_err(not_had)?;
    let (mut line, mut bytes) = (Vec::new(), 0);
    while contents.line(LONGEST_LINE, &mut line).map_err(not_had)? {
        bytes += line.len() as u64;
        if bytes > LONGEST_LOG {
            return Err(too_long());
        }
        log.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    let found = log.finish();
    match found.statements.is_empty() {
        true => Err(refuse("no statement is in it".to_owned())),
        false => Ok(found),
    }
}
