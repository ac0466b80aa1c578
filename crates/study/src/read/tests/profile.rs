//! The key `load_profile`: rates that follow one another within a trial.

use crate::keys::{LoadProfileKey, ServerKeys, StageTable};
use crate::problem::names::nearest;
use crate::problem::{Place, Problems};
use crate::read::script_file;
use crate::read::tests::table::{STEADY_WITHIN, TestTable};
use crate::text::duration::parse_duration;
use model::bounds::MAX_RATE;
use model::{LoadProfile, ProfileStage};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// No profile lasts longer.
const LONGEST: Duration = Duration::from_secs(7 * 86_400);

/// Keys that cannot stand beside it, and why.
const ELSEWHERE: [(&str, &str); 9] = [
    ("rate", "its stages have the rates"),
    ("duration", "it is measured as long as its stages last"),
    ("transactions", "it is measured as long as its stages last"),
    ("operations", "it is measured as long as its stages last"),
    ("slo", "a search varies the rate itself"),
    ("cpu_limit", "a search varies the rate itself"),
    ("replica_lag", "a search varies the rate itself"),
    (STEADY_WITHIN, "under a rate that changes nothing is level"),
    ("cross_check", "other tools keep no schedule"),
];

/// The profile of a test that has one.
pub(crate) fn profile(
    server: &ServerKeys,
    table: &TestTable,
    problems: &mut Problems,
) -> Option<LoadProfile> {
    let written = server.load_profile.as_ref()?;
    for (other, why) in ELSEWHERE {
        if let Some((other, at)) = table.given(other, problems) {
            let key = problems.key("load_profile");
            problems
                .add(at, format!("{other} cannot stand beside {key}: {why}"))
                .help("leave out either; two tests can have one each");
        }
    }
    let at = written.span();
    let stages = match written.get_ref() {
        LoadProfileKey::Stages(stages) => {
            let stages = (1..).zip(stages).map(|numbered| stage(numbered, &at, problems));
            stages.collect::<Option<Vec<_>>>()?
        }
        LoadProfileKey::File(name) => match recorded(name, problems) {
            Ok(stages) => stages,
            Err(reason) => {
                problems
                    .add(at, format!("the load profile of {name} cannot be read: {reason}"))
                    .help(
                        "the file is CSV with a line `seconds,rate` and then two numbers a line; its \
                         path is relative to the study file",
                    );
                return None;
            }
        },
    };
    checked(LoadProfile { stages }, at, problems)
}

/// The keys of a stage, each of the type that it takes.
fn stage_table(table: &toml::Table, mut trouble: impl FnMut(String, &str)) -> Option<StageTable> {
    const KEYS: [&str; 3] = ["rate", "hold", "ramp"];
    const STAGE: &str = "a stage is such as { rate = 500, hold = \"60s\" }, and may have a `ramp`";
    let unknown = table.keys().filter(|key| !KEYS.contains(&key.as_str()));
    let mut is_sound = true;
    for key in unknown {
        let near = nearest(key, KEYS);
        let hint = near.map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        trouble(format!("unknown key `{key}`{hint}"), STAGE);
        is_sound = false;
    }
    let mut text = |key: &str| match table.get(key) {
        Some(toml::Value::String(text)) => Some(text.clone()),
        Some(other) => {
            trouble(format!("`{key}` must be a time such as \"60s\", not {other}"), STAGE);
            is_sound = false;
            None
        }
        None => None,
    };
    let (hold, ramp) = (text("hold"), text("ramp"));
    let rate = table.get("rate").and_then(toml::Value::as_integer);
    if let Some(other) = table.get("rate").filter(|_| rate.is_none()) {
        let what = format!("`rate` must be a whole number from 0 to {MAX_RATE}, not {other}");
        trouble(what, "it is what is offered per second");
        is_sound = false;
    }
    for key in ["rate", "hold"].into_iter().filter(|key| !table.contains_key(*key)) {
        trouble(format!("it has no `{key}`"), STAGE);
    }
    Some(StageTable { rate: rate?, hold: hold?, ramp }).filter(|_| is_sound)
}

fn stage(
    (number, table): (usize, &toml::Table),
    at: &Place,
    problems: &mut Problems,
) -> Option<ProfileStage> {
    let mut trouble = |what: String, help: &str| {
        problems.add(at.clone(), format!("stage {number} of the load profile: {what}")).help(help);
    };
    let table = stage_table(table, &mut trouble)?;
    let mut seconds = |key: &str, written: &str| match parse_duration(written) {
        Ok(length) if length.subsec_nanos() == 0 => Some(length),
        Ok(_) => {
            let help = "what is served is known second by second";
            trouble(format!("`{key}` must be a number of whole seconds"), help);
            None
        }
        Err(reason) => {
            trouble(format!("`{key}`: {reason}"), "write a time such as 60s");
            None
        }
    };
    let hold = seconds("hold", &table.hold);
    let ramp = table.ramp.as_deref().map_or(Some(Duration::ZERO), |ramp| seconds("ramp", ramp));
    let rate = u32::try_from(table.rate).ok().filter(|rate| *rate <= MAX_RATE);
    if rate.is_none() {
        let what = format!("`rate` must be from 0 to {MAX_RATE}, not {}", table.rate);
        trouble(what, "it is what is offered per second");
    }
    if hold.is_some_and(|hold| hold < SECOND) {
        let help = "a rate that goes on changing is the `ramp` of the next stage";
        trouble("`hold` must be at least a second".to_owned(), help);
    }
    Some(ProfileStage { rate: rate?.into(), ramp: ramp?, hold: hold? })
}

/// The stages of a recorded curve.
fn recorded(name: &str, problems: &Problems) -> Result<Vec<ProfileStage>, String> {
    let text = script_file::text(name, problems).map_err(|error| error.to_string())?;
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let columns = |line: &str| line.split(',').map(|one| one.trim().to_owned()).collect::<Vec<_>>();
    if lines.next().is_none_or(|(_, line)| columns(line) != ["seconds", "rate"]) {
        return Err("its first line is not `seconds,rate`".to_owned());
    }
    let mut points: Vec<(u64, f64)> = Vec::new();
    for (number, line) in lines {
        let wrong = |what: &str| format!("line {number}: {what}");
        let [seconds, rate] = columns(line).try_into().map_err(|_| wrong("not two numbers"))?;
        let seconds: u64 =
            seconds.parse().map_err(|_| wrong("the time is no number of whole seconds"))?;
        let rate: f64 = rate.parse().map_err(|_| wrong("the rate is no number"))?;
        if !(0.0..=f64::from(MAX_RATE)).contains(&rate) {
            return Err(wrong(&format!("the rate is not from 0 to {MAX_RATE}")));
        }
        if points.last().is_some_and(|(before, _)| seconds <= *before) {
            return Err(wrong("its time is not after that of the line before"));
        }
        points.push((seconds, rate));
        if points.len() > LoadProfile::MAX_STAGES + 1 {
            return Err(format!("it has more than {} rates", LoadProfile::MAX_STAGES));
        }
    }
    if points.len() < 2 {
        return Err("it has no rate with an end: it takes two lines of numbers".to_owned());
    }
    let stage = |pair: &[(u64, f64)]| ProfileStage {
        rate: pair[0].1,
        ramp: Duration::ZERO,
        hold: Duration::from_secs(pair[1].0.saturating_sub(pair[0].0)),
    };
    Ok(points.windows(2).map(stage).collect())
}

fn checked(profile: LoadProfile, at: Place, problems: &mut Problems) -> Option<LoadProfile> {
    let trouble = if profile.stages.is_empty() {
        "has no stage"
    } else if profile.stages.len() > LoadProfile::MAX_STAGES {
        "has more than 1,000 stages"
    } else if profile
        .stages
        .iter()
        .try_fold(Duration::ZERO, |sum, stage| {
            sum.checked_add(stage.ramp)?.checked_add(stage.hold).filter(|sum| *sum <= LONGEST)
        })
        .is_none()
    {
        "lasts more than seven days"
    } else if profile.mean_rate() < 1.0 {
        "offers less than one operation a second on average"
    } else {
        return Some(profile);
    };
    let key = problems.key("load_profile");
    problems
        .add(at, format!("{key} {trouble}"))
        .help("give it stages such as { rate = 500, hold = \"60s\" }");
    None
}
