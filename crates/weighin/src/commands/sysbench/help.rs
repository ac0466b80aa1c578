//! Help in the form of 1.0: sections, names and defaults are where its readers look for them; what an
//! option does is said in weighin's words, because weighin does it.

use super::builtin;
use super::catalog::{self, Kind, Section, Spec, Support};
use super::generation::{Generation, Release, script_name};
use super::words::Words;
use crate::exit::CliError;
use model::{OltpMix, text};
use std::fmt::Write;

/// What is said of an option that may be given and changes nothing.
const ONLY_DEFAULT: &str = "not supported: only this value may be given";

/// The options of the program.
pub(super) fn general(generation: Generation) -> String {
    let mut text = "Usage:\n  sysbench [options]... [testname] [command]\n\n\
                    Commands implemented by most tests: prepare run cleanup help\n\n"
        .to_owned();
    for (section, head) in [
        (Section::General, "General options:\n"),
        (Section::Random, "Pseudo-Random Numbers Generator options:\n"),
        (Section::Log, "Log options:\n"),
        (Section::Latency, ""),
        (Section::Database, "General database options:\n\n"),
        (
            Section::Mysql,
            "\nCompiled-in database drivers:\n  mysql - MariaDB and MySQL\n  pgsql - PostgreSQL\n\n\
             mysql options:\n",
        ),
        (Section::Pgsql, "pgsql options:\n"),
        (Section::Own, "Options of weighin:\n"),
    ] {
        let specs: Vec<Spec> =
            catalog::options(generation).filter(|spec| spec.section() == section).collect();
        if !specs.is_empty() {
            text.push_str(head);
            list(&specs, &mut text);
            text.push('\n');
        }
    }
    text.push_str("Compiled-in tests:\n");
    for test in builtin::TESTS {
        let _ = writeln!(text, "  {test} - run by the installed sysbench");
    }
    text.push_str("\nSee 'sysbench <testname> help' for a list of options for each test.\n\n");
    text
}

/// The options of the test that a command line names.
pub(super) fn of_test(generation: Generation, words: &Words) -> Result<String, CliError> {
    let named = words.value("test").or(words.positional.first().map(String::as_str));
    let Some(test) = named.filter(|test| *test != "help") else {
        return Ok(general(generation));
    };
    let file = text::line(test.rsplit('/').next().unwrap_or(test));
    let mix = OltpMix::from_name(script_name(test)).filter(|_| generation.tests >= Release::V10);
    if mix == Some(OltpMix::BulkInsert) {
        return Err(CliError::usage(
            format!("'{file}' test does not implement the 'help' command."),
            "it has no options of its own",
        ));
    }
    let is_its =
        |spec: &Spec| spec.section() == Section::Test && mix.is_none_or(|mix| spec.is_of(mix));
    let mut specs: Vec<Spec> = catalog::options(generation).filter(is_its).collect();
    specs.sort_by_key(|spec| spec.name);
    let mut text = format!("{}\n\n{file} options:\n", generation.banner());
    list(&specs, &mut text);
    text.push('\n');
    Ok(text)
}

fn list(specs: &[Spec], text: &mut String) {
    let width = specs.iter().map(|spec| head(spec).len()).max().unwrap_or(0);
    for spec in specs {
        let does = match spec.support {
            Support::Full => spec.help,
            Support::DefaultOnly => ONLY_DEFAULT,
        };
        let default =
            if spec.default.is_empty() { String::new() } else { format!(" [{}]", spec.default) };
        let _ = writeln!(text, "  {:width$} {does}{default}", head(spec));
    }
}

fn head(spec: &Spec) -> String {
    let value = match spec.kind {
        Kind::Number | Kind::Real => "=N",
        Kind::Flag => "[=on|off]",
        Kind::Text => "=STRING",
        Kind::List => "=[LIST,...]",
    };
    let name = if spec.of_script { spec.name.replace('-', "_") } else { spec.name.to_owned() };
    format!("--{name}{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> String {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        let words = Words::parse(&words).unwrap();
        of_test(Generation::from_words(&words).unwrap(), &words).unwrap()
    }

    /// The names and defaults in a section of help.
    fn options<'t>(text: &'t str, head: &str) -> Vec<(&'t str, Option<&'t str>)> {
        let lines = text.lines().skip_while(|line| *line != head).skip(1);
        let lines = lines.take_while(|line| line.starts_with("  --"));
        let option = |line: &'t str| {
            let default = line.rsplit_once(" [").and_then(|(_, rest)| rest.strip_suffix(']'));
            (line.split_whitespace().next().unwrap_or_default(), default)
        };
        lines.map(option).collect()
    }

    #[test]
    fn readers_find_options_and_defaults_where_the_original_has_them() {
        let text = general(Generation::V10);
        assert!(text.starts_with("Usage:\n  sysbench [options]... [testname] [command]\n"));
        let general = options(&text, "General options:");
        for option in [("--threads=N", Some("1")), ("--report-checkpoints=[LIST,...]", None)] {
            assert!(general.contains(&option), "{option:?}: {general:?}");
        }
        let random = options(&text, "Pseudo-Random Numbers Generator options:");
        assert!(random.contains(&("--rand-type=STRING", Some("special"))), "{random:?}");
        let driver = options(&text, "mysql options:");
        assert!(driver.contains(&("--mysql-port=[LIST,...]", Some("3306"))), "{driver:?}");
        assert!(!driver.iter().any(|(name, _)| name.contains("storage_engine")), "{driver:?}");
    }

    #[test]
    fn each_test_has_its_own_options() {
        let text = help(&["/usr/share/sysbench/oltp_read_write.lua", "help"]);
        assert!(text.starts_with("sysbench 1.0.20 "), "{text}");
        let of = options(&text, "oltp_read_write.lua options:");
        assert!(of.contains(&("--skip_trx[=on|off]", Some("off"))), "{of:?}");
        assert!(!of.iter().any(|(name, _)| name.starts_with("--random_points")), "{of:?}");
        let text = help(&["select_random_points", "help"]);
        let of = options(&text, "select_random_points options:");
        assert!(of.contains(&("--random_points=N", Some("10"))), "{of:?}");
        let text = help(&["--test=oltp", "help"]);
        let of = options(&text, "oltp options:");
        assert!(of.contains(&("--oltp-table-size=N", Some("10000"))), "{of:?}");
    }
}
