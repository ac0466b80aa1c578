use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{ChartArguments, ThemeName};
use crate::exit::CliError;
use crate::output::{self, Replaces};
use crate::stores;
use model::text;
use report::{ChartRequest, Theme, TrialChoice};

/// Draws one chart of a run into a file of its own.
pub(crate) fn chart(arguments: &ChartArguments) -> Outcome {
    let out = &arguments.out;
    let to_output = out.as_os_str() == "-";
    let is_svg = out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
    if !to_output && !is_svg {
        return Err(CliError::usage(
            format!("a chart is written as SVG, and {} does not end in .svg", out.display()),
            "name a file that ends in .svg",
        ));
    }
    check_choice(arguments)?;
    let results = stores::find(arguments.study.as_deref())?;
    let dataset = stores::open(&results)?.dataset()?;
    let request = ChartRequest {
        kind: arguments.chart.clone(),
        test: arguments.test.clone(),
        trial: TrialChoice {
            target: arguments.target.clone(),
            level: arguments.level,
            repeat: arguments.repeat,
        },
        theme: match arguments.theme {
            ThemeName::Light => Theme::Light,
            ThemeName::Dark => Theme::Dark,
        },
        width: arguments.width,
    };
    let drawn = report::chart(&analyse::analyse(&dataset), &request)
        .map_err(|error| CliError::usage(error.what, error.help))?;
    if to_output {
        print(&drawn)?;
        return Ok(Exit::Done);
    }
    let replaces = if arguments.overwrite { Replaces::Anything } else { Replaces::Reports };
    let written = output::write(out, drawn.as_bytes(), replaces)?;
    print(&format!("Wrote {}\n", text::line(&written)))?;
    Ok(Exit::Done)
}

/// Only charts of a trial can be told which one.
fn check_choice(arguments: &ChartArguments) -> Result<(), CliError> {
    let chosen = [
        ("--target", arguments.target.is_some()),
        ("--level", arguments.level.is_some()),
        ("--repeat", arguments.repeat.is_some()),
    ];
    let of_trial = report::CHARTS_OF_TRIALS.contains(&arguments.chart.as_str());
    match chosen.iter().find(|(_, is_chosen)| *is_chosen && !of_trial) {
        Some((option, _)) => Err(CliError::usage(
            format!("{option} chooses a trial, and `{}` is not of a single one", arguments.chart),
            format!("leave it out, or draw one of: {}", report::CHARTS_OF_TRIALS.join(", ")),
        )),
        None => Ok(()),
    }
}
