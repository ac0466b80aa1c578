//! What sampling costs the load that it watches: the same short study on one private server, sampled as often as
//! by default and ten times as often, in alternation with as rarely as a study may ask for.
//!
//! However rarely, a sample ends where measuring begins and where it ends. So processor time of either side is
//! read in the same way, and what differs is what happens in between.

use crate::arguments::Arguments;
use crate::markdown;
use crate::pair::{Pair, alternate};
use crate::reading::SampledRun;
use crate::runner::{Runner, Say};
use crate::short_study::{LEVELS, ShortStudy, Trials};
use std::fs;

/// How often samples are taken in the runs that stand first in their pairs: as by default, and more often, so that
/// a cost too small to be seen shows.
const OFTEN: [&str; 2] = ["1s", "100ms"];
/// As rarely as a study may ask for: never between the ends of the measured phase.
const RARELY: &str = "60s";

/// Runs all pairs; `say` is given the text as it comes about.
pub(crate) fn run(runner: &Runner, arguments: &Arguments, say: Say<'_>) -> anyhow::Result<()> {
    let study = ShortStudy::start()?;
    for every in OFTEN.into_iter().chain([RARELY]) {
        study.write(&name(every), &format!("sample_every = \"{every}\"\n"), arguments)?;
    }
    let run = |every| one(runner, &study, every);
    run(RARELY)?;
    say(&markdown::sampling_heading(RARELY))?;
    for often in OFTEN {
        let pairs: Vec<Pair<SampledRun>> =
            alternate(arguments.pairs, || run(often), || run(RARELY))?;
        say(&markdown::sampling(often, &LEVELS, &pairs))?;
    }
    Ok(())
}

fn name(every: &str) -> String {
    format!("every-{every}")
}

fn one(runner: &Runner, study: &ShortStudy, every: &str) -> anyhow::Result<SampledRun> {
    let results = study.directory().join("sampling.weighin");
    let _ = fs::remove_file(&results);
    let mut weighin = runner.weighin();
    weighin.arg("run").arg(study.directory().join(format!("{}.toml", name(every))));
    runner.run(weighin.arg("--store").arg(&results).arg("--plain"))?;
    let trials = Trials::read(runner, &results)?;
    let each = |seconds: Option<f64>, queries: Option<f64>| Some(seconds? * 1e6 / queries?);
    Ok(SampledRun {
        throughput: trials.medians(|trial| trial.throughput)?,
        client_us: trials.medians(|trial| each(trial.client_cpu_seconds, trial.queries))?,
        server_us: trials.medians(|trial| trial.server_cpu_per_op_us)?,
    })
}
