use super::{Outcome, planned, print};
use crate::Exit;
use crate::arguments::CheckArguments;
use crate::progress::{LONGEST_VERSION, Progress};
use crate::signals;
use campaign::Hosts;
use model::text;
use std::fmt::Write;

/// Reaches every target and says what would not work.
pub(crate) fn check(arguments: &CheckArguments) -> Outcome {
    let study = study::scaled(&study::load(&arguments.study)?, arguments.scale);
    let stop = signals::stop();
    let (plan, total) = planned(&study)?;
    let mut text = String::new();
    let mut trouble = 0;
    let hosts = Hosts::default();
    for target in &study.targets {
        let progress = Progress::start("bytes checked");
        let found =
            campaign::survey(&study, target, &hosts, &arguments.erase, &stop, &mut |step| {
                progress.show(step);
            });
        progress.finish();
        match found {
            Ok(found) => {
                let noun = found.missing.noun;
                let data = match found.missing.count {
                    0 => format!("all {noun}s are there"),
                    1 => format!("1 {noun} will be made"),
                    n => format!("{} {noun}s will be made", report::numbers::count(n as u64)),
                };
                let _ = writeln!(
                    text,
                    "ok       {}: {} {}; {data}",
                    target.name,
                    target.system,
                    text::excerpt(&found.version, LONGEST_VERSION)
                );
            }
            Err(failure) if failure.is_stop() => return Err(failure.into()),
            Err(failure) => {
                trouble += 1;
                let _ = writeln!(
                    text,
                    "trouble  {}: {}",
                    target.name,
                    text::indented(&failure.message, "         ")
                );
                if !failure.remedy.is_empty() {
                    let _ = writeln!(text, "         = help: {}", failure.remedy);
                }
            }
        }
        for caution in campaign::cautions(target) {
            let _ = writeln!(text, "note     {}: {caution}", target.name);
        }
    }
    for command in campaign::commands(&study) {
        let _ = writeln!(text, "note     {command}");
    }
    let _ = writeln!(
        text,
        "\n{} trials, about {}.",
        plan.trials().count(),
        report::numbers::duration(total)
    );
    print(&text)?;
    Ok(if trouble == 0 { Exit::Done } else { Exit::Unavailable })
}
