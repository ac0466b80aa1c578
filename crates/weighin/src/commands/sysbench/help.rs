use super::catalog::{self, Kind, Spec, Support};
use super::generation::{Generation, script_name};
use super::words::Words;
use std::fmt::Write;

/// The options that are there, and those that are known and not there.
pub(super) fn text(generation: Generation, words: &Words) -> String {
    let mut text = format!("{}\n\n", generation.banner());
    let test = words.value("test").or(words.positional.first().map(String::as_str));
    match test.filter(|test| *test != "help").map(script_name) {
        Some(test) => {
            let _ = writeln!(text, "{test} options:");
        }
        None => {
            text.push_str(
                "Usage:\n  weighin sysbench [options]... [testname] [command]\n\n\
                 Commands: prepare run cleanup help\n\nOptions:\n",
            );
        }
    }
    let mut specs: Vec<Spec> = catalog::options(generation).collect();
    specs.sort_by_key(|spec| spec.name);
    let width = specs.iter().map(|spec| head(spec).len()).max().unwrap_or(0);
    for spec in specs.iter().filter(|spec| spec.support == Support::Full) {
        let default =
            if spec.default.is_empty() { String::new() } else { format!(" [{}]", spec.default) };
        let _ = writeln!(text, "  {:width$} {}{default}", head(spec), spec.help);
    }
    let missing: Vec<String> = specs
        .iter()
        .filter(|spec| spec.support == Support::DefaultOnly)
        .map(|spec| format!("--{}", spec.name))
        .collect();
    let _ = writeln!(text, "\nKnown, but only with their defaults:\n  {}\n", missing.join(" "));
    text
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
