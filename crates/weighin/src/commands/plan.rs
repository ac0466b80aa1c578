mod others;

use super::{Outcome, at_most, planned, print, secrets, space};
use crate::Exit;
use crate::arguments::PlanArguments;
use model::{
    Act, AgentChoice, InstancePer, Level, LevelUnit, LoadHosts, Place, Plan, Price, RemoteHost,
    SearchOver, Study, Target, Test, Transport, Trial, text,
};
use report::numbers::{counted, duration, list, money};
use report::words::shared_processors;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Characters of a statement or a command that are shown.
const LONGEST_ACT: usize = 200;

/// Shows the trials in their order and how long they will take.
pub(crate) fn plan(arguments: &PlanArguments) -> Outcome {
    let loaded = study::load(&arguments.study)?;
    let study = study::scaled(&loaded, arguments.scale);
    let (plan, total) = planned(&study)?;
    let mut text = describe(&plan, &study, total);
    if let Some(more) = at_most(&study) {
        let _ = writeln!(text, "\n{more}");
    }
    text += &side_by_side(&study, &plan);
    text += &comings_and_goings(&study);
    text += &bill(&study, total);
    text += &programs(&study);
    let scaled = space::scaled(&loaded, &study, arguments.scale);
    for line in scaled.into_iter().chain(space::lines(&study)) {
        let _ = writeln!(text, "\n{line}");
    }
    text += &processors(&study);
    text += &interventions(&study);
    text += &commands(&study);
    text += &load_hosts(&study);
    text += &secrets::planned(&arguments.study, &study, &arguments.secrets);
    if arguments.commands {
        text += &others::commands(&study)?;
    }
    print(&text)?;
    Ok(Exit::Done)
}

/// Which trials run at once.
fn side_by_side(study: &Study, plan: &Plan) -> String {
    if !study.runs_together() {
        return String::new();
    }
    let rounds = plan
        .blocks
        .iter()
        .map(|block| study.rounds(&block.trials.iter().collect::<Vec<_>>()).len());
    let rounds = counted(rounds.sum(), "round");
    let control = study.aa_control.as_ref();
    let control = control.filter(|_| !study.aa_control_joins());
    let control =
        control.map_or(String::new(), |control| format!("; {} runs by itself", control.name));
    match study.slices {
        Some(slices) => format!(
            "\nTargets take turns: in each block all that have the same test and level are up, and \
             their loads alternate in slices of at most {}{control}. That makes {rounds}.\n",
            duration(slices.length)
        ),
        None if study.duet => format!(
            "\nTargets are loaded at once: in each block all that have the same test and level, each on \
             processors of its own, which they exchange about ten times a second{control}. That makes {rounds}.\n"
        ),
        None => format!(
            "\nTargets run side by side: in each block those of one test and level at \
             once{control}. That makes {rounds}.\n"
        ),
    }
}

/// The commands that bring targets up and take them down.
fn comings_and_goings(study: &Study) -> String {
    let mut told = String::new();
    let of_targets = study.targets.iter().filter_map(|t| Some((&t.name, t.instance()?)));
    let of_hosts = study.host_instances.iter().map(|host| (&host.name, &host.spec));
    for (name, spec) in of_targets.chain(of_hosts) {
        let shown = |words: &[String]| text::excerpt(&words.join(" "), LONGEST_ACT).to_string();
        let per = match spec.per {
            InstancePer::Study => "for the study",
            InstancePer::Repeat => "before each block, and another one for the next",
        };
        let (up, down) = (shown(&spec.up), shown(&spec.down));
        // Writing to a text does not fail.
        let _ = writeln!(
            told,
            "\n{name}: comes up with {up} {per}, and goes with {down}; {} at most for each.",
            duration(spec.time_limit)
        );
    }
    told
}

/// What the targets cost while the study runs, where they have prices by the hour.
fn bill(study: &Study, total: Duration) -> String {
    let hours = total.as_secs_f64() / 3600.0;
    let mut sums: BTreeMap<&str, (f64, Vec<String>)> = BTreeMap::new();
    let of_targets = study.targets.iter().map(|target| (&target.name, &target.price));
    let of_hosts = study.host_instances.iter().map(|host| (&host.name, &host.price));
    for (name, price) in of_targets.chain(of_hosts) {
        let Some(price) = price else { continue };
        let Some(monthly) = price.fixed_monthly(None) else { continue };
        let cost = monthly / Price::MONTH_HOURS * hours;
        let (sum, each) = sums.entry(&price.currency).or_default();
        *sum += cost;
        each.push(format!("{name} {}", money(cost)));
    }
    if sums.is_empty() {
        return String::new();
    }
    let sums: Vec<String> = sums
        .iter()
        .map(|(currency, (sum, each))| format!("{} {currency} ({})", money(*sum), each.join(", ")))
        .collect();
    let more = match study.has_instances() {
        true => ", the time that `up` and `down` take not counted",
        false => "",
    };
    format!("\nAt their prices the targets cost about {} in that time{more}.\n", sums.join(" and "))
}

/// What the levels' connections are called.
fn clients_heading(study: &Study) -> &'static str {
    let first = study.tests.iter().flat_map(Test::levels).next();
    first.map_or(LevelUnit::Clients, |level| level.unit).heading()
}

/// The servers that the study names in place of the installed ones.
fn programs(study: &Study) -> String {
    let mut text = String::new();
    for target in &study.targets {
        let Place::Sandbox(spec) = &target.place else { continue };
        if let Some(programs) = campaign::named_programs(spec) {
            let _ = writeln!(text, "\n{}: {}.", target.name, text::line(&programs));
        }
    }
    text
}

/// What is done to targets while they are measured.
fn interventions(study: &Study) -> String {
    let mut told = String::new();
    for test in &study.tests {
        for one in test.interventions() {
            let what = match &one.act {
                Act::BackgroundWork(work) => work.name().to_owned(),
                Act::Statement(sql) => format!("the statement {}", text::excerpt(sql, LONGEST_ACT)),
                Act::Command(words) => {
                    format!("the command {}", text::excerpt(&words.join(" "), LONGEST_ACT))
                }
            };
            let limit = one
                .timeout
                .map_or(String::new(), |limit| format!(", for {} at most", duration(limit)));
            let (name, at) = (&one.name, duration(one.at));
            let _ = writeln!(
                told,
                "\n{}: {name}, {at} into each measurement: {what}{limit}.",
                test.name
            );
        }
    }
    told
}

/// What the study has run beside that: what causes and ends failovers, what restarts servers and what
/// controls replicas.
fn commands(study: &Study) -> String {
    let mut told = String::new();
    for test in &study.tests {
        // Those of a load are its interventions.
        for (what, words) in test.commands().into_iter().filter(|_| test.load().is_none()) {
            let words = words.join(" ");
            let _ = writeln!(
                told,
                "\n{}: {what} is the command {}.",
                test.name,
                text::excerpt(&words, LONGEST_ACT)
            );
        }
    }
    for command in campaign::commands_at_targets(study) {
        let _ = writeln!(told, "\n{}.", text::excerpt(&command, 3 * LONGEST_ACT));
    }
    told
}

/// The machines that make loads in place of this one.
fn load_hosts(study: &Study) -> String {
    let mut told = String::new();
    for test in &study.tests {
        let Some(load) = test.load() else { continue };
        let has_hosts = |target: &Target| {
            matches!(&target.place, Place::Storage(_)) && !load.load_hosts(target).is_empty()
        };
        let of_each = matches!(load.load_hosts, LoadHosts::OfTarget(_))
            || study.targets.iter().any(has_hosts);
        // Where all have the same, what holds of the first holds of all.
        let targets = study.targets.iter().take(if of_each { usize::MAX } else { 1 });
        for target in targets.filter(|target| of_each || !load.load_hosts(target).is_empty()) {
            let hosts: Vec<String> = load.load_hosts(target).iter().map(load_host).collect();
            let from = match hosts.as_slice() {
                [] => "this machine".to_owned(),
                hosts => list(hosts),
            };
            let on = if of_each { format!(" on {}", target.name) } else { String::new() };
            let generators = counted(load.generators(target) as usize, "load generator");
            let _ =
                writeln!(told, "\n{}: the load{on} comes from {from}, by {generators}.", test.name);
        }
    }
    told
}

/// A machine that makes load, and how it is reached.
fn load_host(host: &RemoteHost) -> String {
    let name = text::line(&host.name);
    match &host.transport {
        Transport::Ssh(_) if host.comes_and_goes() => format!("{name} (comes with the study)"),
        Transport::Ssh(destination) if host.name == *destination => name.into_owned(),
        Transport::Ssh(destination) => format!("{name} (ssh {destination})"),
        Transport::Agent(AgentChoice::Named(agent)) if host.name == *agent => {
            format!("{name} (an agent)")
        }
        Transport::Agent(AgentChoice::Named(agent)) => format!("{name} (the agent {agent})"),
        Transport::Agent(AgentChoice::Any(labels)) => {
            let labels = labels.iter().map(|(key, value)| format!(" {key}={value}"));
            let labels = labels.collect::<Vec<_>>().join(",");
            let with = if labels.is_empty() { "" } else { " with" };
            format!("{name} (any agent{with}{})", text::line(&labels))
        }
    }
}

/// The processors that virtual machines are limited to, and whether this host has as many.
fn processors(study: &Study) -> String {
    let here = host::this_machine().processors() as usize;
    let is_here = |target: &Target| target.hosts().is_empty();
    let runs_here = study.targets.iter().any(is_here);
    let mut text = String::new();
    for test in &study.tests {
        let Some(storage) = test.storage() else { continue };
        let Some((shared, held)) = shared_processors(storage).zip(storage.oversubscription) else {
            continue;
        };
        // What other machines have, a check sees.
        let lacking = match !runs_here || held.fits(storage.vms, here) {
            true => String::new(),
            false => format!("; weighin may use {here} here, so it would not run on this host"),
        };
        let vms = counted(storage.vms as usize, "virtual machine");
        let _ = writeln!(text, "\n{}: {vms} {shared}{lacking}.", test.name);
    }
    text
}

fn describe(plan: &Plan, study: &Study, total: Duration) -> String {
    let clients_heading = clients_heading(study);
    let trials = plan.trials().count();
    let widest = |of: fn(&Trial) -> usize| plan.trials().map(of).max().unwrap_or(0);
    let target = widest(|trial| trial.key.target.chars().count()).max("target".len());
    let test = widest(|trial| trial.key.test.chars().count()).max("test".len());
    // Tests in closed loops need no column for rates.
    let rates = plan
        .trials()
        .any(|trial| trial.key.level.rate.is_some() || trial.key.level.search.is_some());
    let rate = |text: &str| if rates { format!("{text:>8}  ") } else { String::new() };
    let mut text = format!(
        "{} in {}, in the order of seed {}; about {} with set-up and restarts.\n",
        counted(trials, "trial"),
        counted(plan.blocks.len(), "block"),
        plan.seed,
        duration(total),
    );
    let width = clients_heading.len();
    for block in &plan.blocks {
        let _ = writeln!(text, "\nBlock {}", block.number);
        let _ = writeln!(
            text,
            "  {:>5}  {:<target$}  {:<test$}  {:>width$}  {}load",
            "",
            "target",
            "test",
            clients_heading,
            rate("rate"),
        );
        for trial in &block.trials {
            let _ = writeln!(
                text,
                "  {:>5}  {:<target$}  {:<test$}  {:>width$}  {}{}",
                trial.position,
                trial.key.target,
                trial.key.test,
                clients(trial.key.level),
                rate(&rate_of(trial.key.level)),
                load_time(trial, study),
            );
        }
    }
    text
}

/// The connections of a level; what a search varies is a question mark.
fn clients(level: Level) -> String {
    match level.search {
        Some(SearchOver::Clients) => format!("? ≤ {}", level.clients),
        _ if level == Level::NONE => "-".to_owned(),
        _ => level.clients.to_string(),
    }
}

fn rate_of(level: Level) -> String {
    match (level.rate, level.search) {
        (Some(rate), _) => format!("{rate}/s"),
        (None, Some(SearchOver::Rate)) => "?".to_owned(),
        (None, _) => "-".to_owned(),
    }
}

/// A search ends when it knows, and a fixed amount of work when it is done.
fn load_time(trial: &Trial, study: &Study) -> String {
    let level = trial.key.level;
    let test = study.test(&trial.key.test);
    let is_work = test.and_then(Test::load).is_some_and(|load| load.operations.is_some());
    let settles = test.and_then(Test::load).is_some_and(|load| load.steady_within.is_some());
    let about = match () {
        () if settles => "at least ",
        () if is_work || level.search.is_some() || level == Level::NONE => "about ",
        () => "",
    };
    format!("{about}{}", duration(trial.load_time))
}
