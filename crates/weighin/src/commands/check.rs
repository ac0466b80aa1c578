use super::{Outcome, print};
use crate::Exit;
use crate::arguments::StudyArguments;
use std::fmt::Write;

/// Reaches every target and says what would not work.
pub(crate) fn check(arguments: &StudyArguments) -> Outcome {
    let study = study::load(&arguments.study)?;
    let mut text = String::new();
    let mut trouble = 0;
    for target in &study.targets {
        match campaign::survey(&study, target) {
            Ok(found) => {
                let tables = match found.tables_to_make {
                    0 => "all tables are there".to_owned(),
                    1 => "1 table will be made".to_owned(),
                    n => format!("{n} tables will be made"),
                };
                let _ = writeln!(
                    text,
                    "ok       {}: {} {}; {tables}",
                    target.name, target.system, found.version
                );
            }
            Err(failure) => {
                trouble += 1;
                let _ = writeln!(text, "trouble  {}: {}", target.name, failure.message);
                if !failure.remedy.is_empty() {
                    let _ = writeln!(text, "         = help: {}", failure.remedy);
                }
            }
        }
    }
    let plan = study::expand(&study, study.seed);
    let _ = writeln!(
        text,
        "\n{} trials, about {}.",
        plan.trials().count(),
        report::numbers::duration(study::estimate(&plan, &study))
    );
    print(&text)?;
    Ok(if trouble == 0 { Exit::Done } else { Exit::Unavailable })
}
