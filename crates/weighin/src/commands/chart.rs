use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{ChartArguments, ChartFormat, ThemeName};
use crate::exit::CliError;
use crate::messages::{self, print_made};
use crate::output::{self, Replaces};
use crate::raster;
use crate::stores;
use model::text;
use report::{ChartRequest, Theme, TrialChoice};

/// Draws one chart of a run into a file of its own.
pub(crate) fn chart(arguments: &ChartArguments) -> Outcome {
    let out = &arguments.out;
    let to_output = out.as_os_str() == "-";
    let format = format(arguments)?;
    check_choice(arguments)?;
    let results = stores::find(arguments.study.as_deref())?;
    let dataset = stores::dataset(&results, arguments.reading)?;
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
    let (analysis, budget) = stores::analysis(&results, &dataset, arguments.reading)?;
    let drawn = budget
        .bound(|| report::chart(&analysis, &request))
        .map_err(|over| stores::not_made("the chart", over))?
        .map_err(|error| CliError::usage(error.what, error.help))?;
    let image = match format {
        ChartFormat::Svg => drawn.into_bytes(),
        ChartFormat::Png => raster::png(&drawn, arguments.scale)?,
    };
    if to_output {
        match format {
            ChartFormat::Svg => print(&String::from_utf8_lossy(&image))?,
            ChartFormat::Png => print_made(&mut |out| out.write_all(&image))?,
        }
        return Ok(Exit::Done);
    }
    let replaces = if arguments.overwrite { Replaces::Anything } else { Replaces::Reports };
    let written = output::write(out, &image, replaces)?;
    print(&format!("Wrote {}\n", text::line(&written)))?;
    Ok(Exit::Done)
}

/// What the chart is written as: what was asked for, or what its file is called.
fn format(arguments: &ChartArguments) -> Result<ChartFormat, CliError> {
    let out = &arguments.out;
    let ends_in = |of: &str| out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(of));
    let by_name = match () {
        () if ends_in("svg") => Some(ChartFormat::Svg),
        () if ends_in("png") => Some(ChartFormat::Png),
        () if out.as_os_str() == "-" => Some(ChartFormat::Svg),
        () => None,
    };
    let format = arguments.format.or(by_name).ok_or_else(|| {
        CliError::usage(
            format!(
                "a chart is written as SVG or PNG, and {} does not end in .svg or .png",
                messages::shown(out)
            ),
            "name a file that does, or say --format svg or --format png",
        )
    })?;
    if format == ChartFormat::Svg && arguments.scale != 1 {
        return Err(CliError::usage(
            "--scale is of pixels, and an SVG has none",
            "leave it out, or write a PNG; --width says how wide an SVG is shown",
        ));
    }
    Ok(format)
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
