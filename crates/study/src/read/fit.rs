//! Workloads and the servers that they are to run on.

use crate::problem::{Notation, Place, Problems};
use crate::read::data_file::BUILT_IN;
use crate::read::tests::table::{TaskTable, TestTable};
use model::system::Feature;
use model::{
    Act, Change, DataSource, FailoverCause, Query, Restore, Target, Task, Test, Transactions,
    Workload,
};
use workload::script::{self, PARTITIONS};

/// Notes a test whose workload the server of a target cannot run; every test runs on every target.
pub(crate) fn check(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    check_volumes(test, table, targets, problems);
    check_sql(test, table, targets, problems);
    check_writes(test, table, targets, problems);
    check_restore(test, table, targets, problems);
    check_partitions(test, table, targets, problems);
    check_acts(test, table, targets, problems);
    check_failover(test, table, targets, problems);
    check_replicas(test, table, targets, problems);
    check_path(test, table, targets, problems);
    let unsuitable = targets.iter().find(|(target, _)| !test.suits(target.system));
    let Some((target, place)) = unsuitable else { return };
    let server = target.system.facts().described;
    let kinds = test.feature().map(Feature::kinds).unwrap_or_default();
    problems
        .add(
            table.workload_place(),
            format!(
                "{} cannot run on the target `{}`, which is {server}",
                test.what(),
                target.name
            ),
        )
        .other(place.clone(), "the target")
        .help(format!(
            "{} runs on targets of the kind {kinds}; put the others into a study of their own",
            test.what()
        ));
}

/// Notes data that weighin neither makes nor has a copy of, and is to restore.
fn check_restore(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let own = test.workload().and_then(Workload::transactions).map(|own| &own.data);
    let Some(data) = own.filter(|data| data.is_as_found()) else { return };
    let is_without = |(target, _): &&(Target, Place)| {
        matches!(target.place, model::Place::Server(_)) && !target.can_undo()
    };
    let without = targets.iter().find(is_without);
    if let (None, Some(at)) = (without, table.place("undo")) {
        problems
            .add(
                at,
                "no target needs this `undo`: a private server gets a fresh copy of the data, and an \
                 `undo` of a target itself takes its place",
            )
            .help("leave it out");
        return;
    }
    let restored = data.restore != Restore::None && data.undo.is_empty();
    let Some(at) = table.place("restore").filter(|_| restored) else { return };
    if let Some((target, place)) = without {
        problems
            .add(
                at,
                format!(
                    "weighin cannot restore what is on `{}`: the test makes no data of its own",
                    target.name
                ),
            )
            .other(place.clone(), "the target")
            .help(
                "add undo = \"undo.sql\", which undoes what the scripts change; or a command to the target, \
                 undo = { command = [\"./restore.sh\"], trusted = true }; or setup = \"schema.sql\"; or write \
                 restore = \"none\"",
            );
    }
}

/// Notes partitions that a target cannot have.
fn check_partitions(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let own = test.workload().and_then(Workload::transactions);
    if !own.is_some_and(script::has_partitions) {
        return;
    }
    let without = |(target, _): &&(Target, Place)| !target.system.has(Feature::Partitions);
    let Some((target, place)) = targets.iter().find(without) else { return };
    problems
        .add(
            table.place("set").unwrap_or_else(|| table.workload_place()),
            format!(
                "`{PARTITIONS}` are for {}, and the target `{}` is {}",
                Feature::Partitions.products(),
                target.name,
                target.system.facts().described
            ),
        )
        .other(place.clone(), "the target")
        .help(format!("leave {PARTITIONS} out of `set`, or that target out of the study"));
}

/// Notes a test that needs replicas, and a target that has none.
fn check_replicas(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let alone = |(target, _): &&(Target, Place)| target.replicas() == 0;
    let Some((target, place)) = targets.iter().find(alone).filter(|_| test.needs_replicas()) else {
        return;
    };
    problems
        .add(
            table.workload_place(),
            format!("{} needs replicas, and the target `{}` has none", test.what(), target.name),
        )
        .other(place.clone(), "the target")
        .help(format!(
            "give it some: sandbox = {{ replicas = 1 }}, or replicas = [\"{}\"] beside its url; put \
             targets without replicas into a study of their own",
            target.system.url_example()
        ));
}

/// Notes a test that does not go the way of a target's loads.
fn check_path(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let Some((target, place)) = targets.iter().find(|(target, _)| target.path.is_some()) else {
        return;
    };
    let (at, message) = match &test.task {
        Task::Load(_) | Task::Search(_) if !test.cross_check => return,
        Task::Load(_) | Task::Search(_) => (
            table.place("cross_check").unwrap_or_else(|| table.workload_place()),
            "a cross-check goes directly to the server".to_owned(),
        ),
        _ => (table.workload_place(), format!("{} goes directly to the server", test.what())),
    };
    problems
        .add(at, format!("{message}, and the loads on `{}` have a path", target.name))
        .other(place.clone(), "the target")
        .help("put tests without a path into a study of their own, or leave the path out");
}

/// The interventions of a test, each with the place of its act; none where something is wrong with
/// one of them.
fn acts<'a>(test: &'a Test, table: &'a TestTable) -> Vec<(&'a Act, Place)> {
    let tables = match &table.task {
        TaskTable::Load(load) => load.keys.intervention.as_deref().unwrap_or_default(),
        TaskTable::Statement(..)
        | TaskTable::SchemaChange(..)
        | TaskTable::Failover(_)
        | TaskTable::CatchUp(_) => &[],
    };
    let places: Vec<Place> =
        tables.iter().filter_map(|table| table.get_ref().acts().next()).collect();
    let interventions = test.interventions();
    let all = if places.len() == interventions.len() { interventions } else { &[] };
    all.iter().map(|intervention| &intervention.act).zip(places).collect()
}

/// Notes an intervention that a target cannot be subjected to.
fn check_acts(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    for (act, at) in acts(test, table) {
        let unsuitable = targets.iter().find(|(target, _)| !act.suits(target.system));
        let Some((target, place)) = unsuitable else { continue };
        let (name, server) = (act.name(), target.system.facts().described);
        let message =
            format!("there is no {name} on the target `{}`, which is {server}", target.name);
        let possible = Act::suiting(target.system).join(", ");
        problems
            .add(at, message)
            .other(place.clone(), "the target")
            .help(format!("what can be done there: {possible}"));
    }
}

/// Notes a target whose primary weighin cannot take away as the test asks.
fn check_failover(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let Task::Failover(failover) = &test.task else { return };
    let (key, needs_replicas) = match &failover.cause {
        FailoverCause::Kill => ("loss", false),
        FailoverCause::Hang | FailoverCause::Network => ("loss", true),
        FailoverCause::Switchover => ("switch", true),
        FailoverCause::Command(_) => return,
    };
    let sql = |target: &Target| target.system.has(Feature::Groups);
    for (target, place) in targets.iter().filter(|(target, _)| sql(target)) {
        let is_private = matches!(target.place, model::Place::Sandbox(_));
        let (message, help) = if !is_private {
            (
                format!("`{key}` is for private servers, and `{}` is not weighin's", target.name),
                "let a program of yours do it: command = [\"./switch.sh\"] and trusted = true",
            )
        } else if needs_replicas && target.replicas() == 0 {
            (
                format!("`{}` has no replicas, so that nobody can take over", target.name),
                "write replicas = 1 in its sandbox",
            )
        } else {
            continue;
        };
        let at = table.place(key).unwrap_or_else(|| table.workload_place());
        problems.add(at, message).other(place.clone(), "the target").help(help);
        return;
    }
}

/// Notes SQL of the study's that would run on a private server, where it has the rights of the
/// server's administrator: it could read and write files, and load code.
fn check_sql(test: &Test, table: &TestTable, targets: &[(Target, Place)], problems: &mut Problems) {
    let own = match &test.task {
        Task::Statement(statement) => {
            let is_own = |query: &Query| match query {
                Query::Own(_) => true,
                Query::Change(change) => matches!(change.change, Change::Own { .. }),
                Query::BuiltIn(_) => false,
            };
            let own = statement.statements.iter().any(|timed| is_own(&timed.query));
            own.then(|| ("sql", table.place("sql").unwrap_or_default()))
        }
        Task::Failover(_) | Task::CatchUp(_) => None,
        Task::Load(_) | Task::Search(_) | Task::Imported(_) => {
            let own = test.workload().and_then(Workload::transactions);
            let theirs =
                own.filter(|own| !is_of_weighin(own) || table.place("invariant").is_some());
            let scripts = theirs.map(|_| ("transaction", table.workload_place()));
            let mut acts = acts(test, table).into_iter();
            let own = acts.find(|(act, _)| matches!(act, Act::Statement(_)));
            own.map(|(_, at)| (Act::STATEMENT, at)).or(scripts)
        }
    };
    let Some((key, at_sql)) = own else { return };
    let untrusted = targets
        .iter()
        .find(|(target, _)| matches!(&target.place, model::Place::Sandbox(spec) if !spec.trusted));
    let Some((target, at)) = untrusted else { return };
    problems
        .add(
            at_sql,
            format!(
                "`{key}` on the private server `{}` could read and write files of this host, and \
                 load code",
                target.name
            ),
        )
        .other(at.clone(), "the target")
        .help("read the SQL; if it is meant, add trusted = true to the sandbox of every target");
}

/// Whether all SQL of a workload but its invariants is weighin's own.
fn is_of_weighin(own: &Transactions) -> bool {
    let scripts = || own.transactions.iter().map(|one| one.script.origin.as_str());
    let loads = own.data.load.iter().filter_map(|source| match source {
        DataSource::Script(file) => Some(file),
        DataSource::Csv { .. } | DataSource::Rows(_) => None,
    });
    scripts().all(|origin| origin.starts_with(BUILT_IN))
        && own.data.setup.iter().chain(loads).all(|file| file.built_in.is_some())
}

/// Notes scripts that would change data of a server that is not weighin's, where the study does not say
/// that they may.
fn check_writes(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let own = test.workload().and_then(Workload::transactions);
    let Some(own) = own.filter(|own| own.change_data && !own.writes) else { return };
    let not_own = |(target, _): &&(Target, Place)| matches!(target.place, model::Place::Server(_));
    let Some((target, at)) = targets.iter().find(not_own) else { return };
    let help = match problems.notation {
        Notation::File => {
            "if its data may be changed, write writes = true in the test, and run it with \
                 --allow-writes"
        }
        Notation::Options(_) => "if its data may be changed, add --allow-writes",
    };
    let names: Vec<&str> = own.transactions.iter().map(|one| one.name.as_str()).collect();
    problems
        .add(
            table.workload_place(),
            format!(
                "the scripts ({}) may change data, and the server of `{}` is not weighin's",
                names.join(", "),
                target.name
            ),
        )
        .other(at.clone(), "the target")
        .help(help);
}

/// Notes a test that would leave a volume of a target without any load.
fn check_volumes(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let Some(storage) = test.storage() else { return };
    for (target, at) in targets {
        let model::Place::Storage(place) = &target.place else { continue };
        if let (false, Some(key)) = (place.hosts.is_empty(), table.place("cross_check"))
            && test.cross_check
        {
            problems
                .add(key, "a cross-check tool would run on another machine than the load")
                .other(at.clone(), "the target")
                .help("leave `cross_check` out");
            return;
        }
        let volumes = place.count();
        if (storage.vms as usize) < volumes {
            let notation = problems.notation;
            let setting = |vms: usize| notation.setting("vms", &vms.to_string());
            problems
                .add(
                    table.place("vms").unwrap_or_else(|| table.workload_place()),
                    format!(
                        "{} leaves some of {volumes} volumes idle",
                        setting(storage.vms as usize)
                    ),
                )
                .other(at.clone(), "the target")
                .help(format!("write {} or more, or name fewer volumes", setting(volumes)));
            return;
        }
        let generators = test.load().map_or(1, |load| load.generators(target));
        if !place.hosts.is_empty() && storage.vms < generators {
            let notation = problems.notation;
            let setting = notation.setting("vms", &generators.to_string());
            problems
                .add(
                    table.place("load_generators").unwrap_or_else(|| table.workload_place()),
                    format!(
                        "{} on each of {} hosts cannot share {} virtual machines",
                        counted(generators / place.hosts.len() as u32),
                        place.hosts.len(),
                        storage.vms
                    ),
                )
                .other(at.clone(), "the target")
                .help(format!("every generator needs one: write {setting}, or more"));
            return;
        }
    }
}

fn counted(generators: u32) -> String {
    format!("{generators} load generator{}", if generators == 1 { "" } else { "s" })
}
