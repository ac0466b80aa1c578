//! The pages of `docs/reference`, from what the program itself goes by.

use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{Arguments, ReferenceArguments, ReferencePage};
use clap::{Arg, Command, CommandFactory};
use std::fmt::Write;

const HEAD: &str = "# Reference of commands

Every command and option, made by `make reference` from what the program itself parses command lines by. \
`weighin COMMAND --help` prints the same, `weighin man COMMAND` as a manual page. The keys of study files are in \
[their own reference](study.md).
";

/// Prints a page of the reference as Markdown.
pub(crate) fn reference(arguments: &ReferenceArguments) -> Outcome {
    let page = match arguments.page {
        ReferencePage::Study => study::reference(),
        ReferencePage::Commands => commands(),
    };
    print(&page)?;
    Ok(Exit::Done)
}

/// The reference of commands.
fn commands() -> String {
    let mut whole = Arguments::command();
    // Wide enough that nothing is broken into lines.
    whole = whole.term_width(10_000);
    whole.build();
    let shown: Vec<Command> =
        whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let mut page = HEAD.to_owned();
    page.push_str("\n| Command | What it does |\n|---|---|\n");
    for command in shown.iter().filter(|command| command.get_name() != "help") {
        let (name, about) = (command.get_name(), about(command));
        let _ =
            writeln!(page, "| [`{name}`](#weighin-{name}) | {} |", study::markdown_cell(&about));
    }
    if let Some(after) = whole.get_after_help() {
        let _ = write!(page, "\n{}\n", prose(&after.to_string()));
    }
    for command in shown {
        if command.get_name() != "help" {
            section(command, &mut page);
        }
    }
    page
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

fn section(mut command: Command, page: &mut String) {
    let usage = command.render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let _ = write!(page, "\n## weighin {}\n\n", command.get_name());
    let about = command.get_long_about().map_or_else(|| about(&command), ToString::to_string);
    let _ = write!(page, "{}.\n\n```text\n{usage}\n```\n", prose(&about));
    let mut headings: Vec<String> = Vec::new();
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| {
            !argument.is_hide_set() && !matches!(argument.get_id().as_str(), "help" | "version")
        })
        .collect();
    for argument in &arguments {
        let heading = heading(argument);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for under in &headings {
        let _ = write!(page, "\n| {under} | What it is | Values | Default |\n|---|---|---|---|\n");
        for argument in arguments.iter().filter(|argument| heading(argument) == *under) {
            let _ = writeln!(page, "| {} |", row(argument).join(" | "));
        }
    }
    if let Some(after) = command.get_after_help() {
        let _ = write!(page, "\n```text\n{}\n```\n", after.to_string().trim_matches('\n'));
    }
}

fn heading(argument: &Arg) -> String {
    let own = argument.get_help_heading().map(str::to_owned);
    own.unwrap_or_else(|| if argument.is_positional() { "Argument" } else { "Option" }.to_owned())
}

fn row(argument: &Arg) -> [String; 4] {
    let help = argument.get_long_help().or(argument.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let possible = argument.get_possible_values();
    let values: Vec<String> = possible
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => {
                format!("`{}` ({})", value.get_name(), study::markdown_cell(&help.to_string()))
            }
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    let takes_value = argument.get_action().takes_values();
    let default: Vec<String> = argument
        .get_default_values()
        .iter()
        .filter(|_| takes_value)
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    let default = match (default.is_empty(), argument.is_required_set()) {
        (false, _) => default.join(" "),
        (true, true) => "required".to_owned(),
        (true, false) => String::new(),
    };
    let name = argument.to_string().replace('|', "\\|");
    [format!("`{name}`"), study::markdown_cell(&help), values.join(", "), default]
}

/// A text without line breaks.
fn prose(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_option_is_there_and_rows_have_four_cells() {
        let page = commands();
        let mut whole = Arguments::command();
        whole.build();
        for command in whole.get_subcommands().filter(|command| !command.is_hide_set()) {
            if command.get_name() == "help" {
                continue;
            }
            let start = format!("\n## weighin {}\n", command.get_name());
            let section = page.split(&start).nth(1).unwrap_or_else(|| panic!("no{start}"));
            let section = section.split("\n## ").next().unwrap();
            for option in command.get_opts().filter(|option| !option.is_hide_set()) {
                let long = format!("| `--{}", option.get_long().unwrap());
                assert!(section.contains(&long), "{long} of {}", command.get_name());
            }
        }
        let hidden = campaign::GENERATOR_COMMAND;
        assert!(!page.contains(&format!("## weighin {hidden}")), "{hidden} is hidden");
        for line in page.lines().filter(|line| line.starts_with("| ")) {
            let cells = line.replace("\\|", "").matches('|').count();
            assert!([3, 5].contains(&cells), "{line}");
        }
    }
}
