//! What a user should know before a study runs, although nothing is wrong.

use model::{
    CacheState, ControlAct, Endpoint, Place, RestartWay, SandboxSpec, ServerAddress, Software,
    Study, System, Target, Tls, Transactions, VersionSetting,
};
use settings::Verdict;
use std::collections::BTreeSet;
use system::Diagnostics;
use system::client::{SecretRules, is_loopback};

/// What is risky about a study as it is written, and as the command line lets it be.
pub(crate) fn find(study: &Study, secrets: &SecretRules, found: &mut Diagnostics) {
    for target in &study.targets {
        found.for_target(Some(&target.name));
        risks(target, found);
        config(target, found);
        if let Place::Server(spec) = &target.place {
            revealed(target.system, &spec.address, secrets, found);
        }
    }
    found.for_target(None);
    commands(study, found);
    unlike_load_hosts(study, found);
    unlike_encryption(study, found);
}

/// What a private server will not get of the option file that the study names.
fn config(target: &Target, found: &mut Diagnostics) {
    let Place::Sandbox(SandboxSpec { config: Some(config), .. }) = &target.place else { return };
    let changes = config.changes.iter().map(|change| match &change.instead {
        Some(instead) => format!("{} = {} becomes {instead}", change.name, change.value),
        None => format!("{} = {} is left out", change.name, change.value),
    });
    let of_version = config.of_versions.iter().map(|one| {
        let VersionSetting { group, version, name, value } = one;
        format!("[{group}] {name} = {value} is for servers of version {version} alone")
    });
    let changes: Vec<String> = changes.chain(of_version).collect();
    if !changes.is_empty() {
        found.note(
            format!("{} is of another machine: {}", config.file, changes.join("; ")),
            "what matters of it can be set by `settings`",
        );
    }
}

/// That the load on one target is encrypted and that on another is not, because of where they are.
fn unlike_encryption(study: &Study, found: &mut Diagnostics) {
    let is_encrypted = |target: &Target| match &target.place {
        Place::Sandbox(spec) => Some(spec.host.is_some()),
        Place::Server(spec) => Some(spec.address.tls.is_certain()),
        Place::Storage(_) | Place::Imported => None,
    };
    let of = |wanted| study.targets.iter().find(|target| is_encrypted(target) == Some(wanted));
    let (Some(encrypted), Some(plain)) = (of(true), of(false)) else { return };
    if study.targets.iter().any(|t| matches!(&t.place, Place::Sandbox(spec) if spec.host.is_some()))
    {
        found.warn(
            format!(
                "the load on {} is encrypted and that on {} is not, so that the comparison is of that \
                 as well",
                encrypted.name, plain.name
            ),
            "compare private servers of other machines with each other, or with servers at a url that \
             has tls = \"unverified\" or \"verified\"",
        );
    }
}

/// That more machines make the load on one target than on another, so that the comparison is of these
/// as well.
fn unlike_load_hosts(study: &Study, found: &mut Diagnostics) {
    for test in &study.tests {
        let Some(load) = test.load() else { continue };
        let count = |target: &Target| load.load_hosts(target).len();
        let most = study.targets.iter().max_by_key(|target| count(target));
        let fewest = study.targets.iter().min_by_key(|target| count(target));
        let Some((most, fewest)) = most.zip(fewest) else { continue };
        if count(most) != count(fewest) {
            let by = |target: &Target| match count(target) {
                0 => format!("that of {} by the machine that weighin runs on", target.name),
                1 => format!("that of {} by one machine", target.name),
                several => format!("that of {} by {several} machines", target.name),
            };
            found.warn(
                format!(
                    "the load of {} is not made alike: {}, {}",
                    test.name,
                    by(most),
                    by(fewest)
                ),
                "name as many load_hosts for each target, or ask for fewer in the test: load_hosts = 1",
            );
        }
    }
}

/// Programs that the study names, settings that it says are trusted, and a password that crosses a
/// network as it is.
fn risks(target: &Target, found: &mut Diagnostics) {
    match &target.place {
        Place::Sandbox(spec) => {
            if let Some(host) = &spec.host {
                found.note(
                    format!(
                        "its private server on {} is reached over TLS, which takes processor time of \
                         server and clients",
                        host.name
                    ),
                    "",
                );
            }
            if let Some(programs) = named_programs(spec) {
                found.note(programs, "");
            }
            if let Some(trusted) = trusted(spec, target.system) {
                found.warn(trusted, "");
            }
        }
        Place::Server(spec) => clear_text(target.system, &spec.address, found),
        Place::Storage(_) | Place::Imported => {}
    }
}

/// That a private server is another than the installed one.
pub fn named_programs(spec: &SandboxSpec) -> Option<String> {
    let server = match &spec.software {
        Software::Installed => return None,
        Software::Base(base) => format!("runs the server in {}", base.display()),
        Software::Container(image) => {
            format!("runs the server of the image {image} in a container without a network")
        }
    };
    Some(format!("{server}; for root it runs as an account without rights"))
}

fn trusted(spec: &SandboxSpec, system: System) -> Option<String> {
    if !spec.trusted {
        return None;
    }
    let of_replicas = spec.replica_settings();
    let settings = spec.settings.iter().chain(&of_replicas);
    let known = system.facts().settings;
    let trusted = settings.filter_map(|(name, value)| match known.judge(name, value) {
        Verdict::NeedsTrust(harm) => Some(format!("{name} ({harm})")),
        Verdict::Allowed | Verdict::Decided(_) => None,
    });
    let trusted: BTreeSet<String> = trusted.collect();
    let trusted: Vec<String> = trusted.into_iter().collect();
    let named = match trusted.as_slice() {
        [] => "none of its settings needs that, statements of the study may".to_owned(),
        some => some.join(", "),
    };
    Some(format!("the study says that this private server is trusted: {named}"))
}

const TRUSTED: &str = "on this host, which the study says is trusted";

/// The commands that a study runs.
fn commands(study: &Study, found: &mut Diagnostics) {
    for test in &study.tests {
        for (_, words) in test.commands() {
            let (test, words) = (&test.name, words.join(" "));
            found.warn(format!("the test {test} runs a command {TRUSTED}: {words}"), "");
        }
    }
    let of_targets =
        study.targets.iter().filter_map(|target| Some((&target.name, target.instance()?)));
    let of_hosts = study.host_instances.iter().map(|host| (&host.name, &host.spec));
    for (name, spec) in of_targets.chain(of_hosts) {
        let (up, down) = (spec.up.join(" "), spec.down.join(" "));
        found
            .warn(format!("{name} is started and removed by commands {TRUSTED}: {up}; {down}"), "");
    }
    for command in commands_at_targets(study) {
        found.warn(command, "");
    }
    if changes_what_is_there(study) {
        return;
    }
    for target in study.targets.iter().filter(|target| target.undo().is_some()) {
        found.note(
            format!("the `undo` of {} is not run", target.name),
            "it is for tests that change data which is there already and `restore` it",
        );
    }
}

/// What a study has run at servers that run already: what stops and starts them for cold tests, and what
/// controls their replicas; each begins with the name of its target and may hold any character.
pub fn commands_at_targets(study: &Study) -> Vec<String> {
    let is_cold = study.tests.iter().any(|test| test.cache == CacheState::Cold);
    let mut told = Vec::new();
    for target in &study.targets {
        let name = &target.name;
        if let Some(restart) = target.restart().filter(|_| is_cold) {
            let (stop, start) = (restart.way.stop().join(" "), restart.way.start().join(" "));
            told.push(match &restart.way {
                RestartWay::Unit(unit) => {
                    let trusted = match restart.trusted {
                        true => ", which the study says is trusted, its server or not",
                        false => "",
                    };
                    format!(
                        "{name}: cold tests stop the unit {unit} of its machine and start it again\
                         {trusted}"
                    )
                }
                RestartWay::Commands { .. } => format!(
                    "{name}: cold tests stop it and start it again by commands on its machine, which the \
                     study says are trusted: {stop}; {start}"
                ),
            });
        }
        if let Some(undo) = target.undo().filter(|_| changes_what_is_there(study)) {
            let place = match target.ssh_host() {
                Some(host) => format!("on {}, which the study says is trusted", host.name),
                None => TRUSTED.to_owned(),
            };
            let words = undo.command.join(" ");
            told.push(format!(
                "{name}: what trials change of its data is undone by a command {place}: {words}"
            ));
        }
        for words in control_commands(target) {
            let words = words.join(" ");
            told.push(format!(
                "{name}: its replicas are controlled by a command {TRUSTED}: {words}"
            ));
        }
    }
    told
}

/// Whether a test changes data that weighin did not make, and wants that undone.
fn changes_what_is_there(study: &Study) -> bool {
    let mut own = study.tests.iter().filter_map(|test| test.data()?.transactions());
    own.any(Transactions::undo_what_is_there)
}

/// The commands of the user that control a target's replicas.
pub(crate) fn control_commands(target: &Target) -> impl Iterator<Item = &Vec<String>> {
    let control = match &target.place {
        Place::Server(spec) => Some(&spec.control),
        _ => None,
    };
    let acts = control.into_iter().flat_map(|c| c.stop_applier.iter().chain(&c.start_applier));
    acts.filter_map(|act| match act {
        ControlAct::Command(words) => Some(words),
        ControlAct::Statement(_) => None,
    })
}

/// That the command line lets a server that is not verified have its password as it is.
fn revealed(
    system: System,
    address: &ServerAddress,
    secrets: &SecretRules,
    found: &mut Diagnostics,
) {
    let by_right = SecretRules::default().may_reveal(address);
    // That of a system whose logins hide nothing is told by `clear_text`.
    let is_told = reveals_password(system) && address.tls == Tls::Off;
    if secrets.may_reveal(address) && !by_right && !is_told {
        found.warn(
            format!(
                "{} is not verified, and --allow-cleartext lets it have the password as it is, if its \
                 login takes that",
                address.endpoint
            ),
            "set tls = \"verified\"",
        );
    }
}

fn reveals_password(system: System) -> bool {
    system.facts().url.as_ref().is_some_and(|url| url.reveals_password)
}

/// Some systems have no login that hides the password: without TLS it is on the wire as it is. That this
/// takes `--allow-cleartext` is told by the login.
fn clear_text(system: System, address: &ServerAddress, found: &mut Diagnostics) {
    if !reveals_password(system) {
        return;
    }
    let variable = system.password_variable();
    let is_local =
        !matches!(address.endpoint, Endpoint::Tcp { .. }) || is_loopback(&address.endpoint);
    let named = match &address.password {
        usual if usual.is_usual() => variable.is_some_and(|name| std::env::var_os(name).is_some()),
        _ => true,
    };
    if named && !is_local && address.tls == Tls::Off {
        let endpoint = &address.endpoint;
        found.warn(
            format!("the password crosses the network to {endpoint} unencrypted"),
            "set tls = \"verified\"",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{PasswordSource, ServerKey, ServerSpec};

    fn cautions(target: &Target) -> Vec<String> {
        let mut found = Diagnostics::default();
        risks(target, &mut found);
        found.into_sorted().into_iter().map(|one| one.message).collect()
    }

    fn target(system: System, place: Place) -> Target {
        Target {
            name: "t".into(),
            system,
            place,
            price: None,
            labels: Default::default(),
            path: None,
            load_hosts: None,
        }
    }

    #[test]
    fn trusted_settings_are_named() {
        let spec = |trusted| SandboxSpec {
            settings: [("loadmodule", "/x.so"), ("save", "")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            trusted,
            ..SandboxSpec::default()
        };
        let told = cautions(&target(System::Redis, Place::Sandbox(spec(true))));
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("loadmodule") && !told[0].contains("save"), "{told:?}");
        assert!(cautions(&target(System::Redis, Place::Sandbox(spec(false)))).is_empty());
    }

    #[test]
    fn programs_that_the_study_names_are_told() {
        for (software, told) in [
            (Software::Base("/opt/x".into()), "/opt/x"),
            (Software::Container("mysql:8.4".into()), "mysql:8.4"),
        ] {
            let spec = SandboxSpec { software, ..SandboxSpec::default() };
            let all = cautions(&target(System::Mysql, Place::Sandbox(spec)));
            assert!(all.len() == 1 && all[0].contains(told), "{all:?}");
        }
    }

    #[test]
    fn what_the_command_line_lets_a_server_have_is_told() {
        let told = |host: &str, tls, allow| {
            let endpoint = Endpoint::Tcp { host: host.into(), port: 3306 };
            let address = ServerAddress {
                endpoint,
                user: None,
                database: "d".into(),
                password: PasswordSource::OptionFile,
                tls,
                compression: false,
                server_key: ServerKey::Request,
                auth: model::AuthMethods::default(),
            };
            let mut found = Diagnostics::default();
            let rules = SecretRules::study("study.toml".as_ref(), &[], allow);
            revealed(System::Mysql, &address, &rules, &mut found);
            found.into_sorted().len()
        };
        assert_eq!(told("db.internal", Tls::Unverified, true), 1);
        assert_eq!(told("db.internal", Tls::Off, true), 1);
        assert_eq!(told("db.internal", Tls::Off, false), 0);
        assert_eq!(told("db.internal", Tls::Verified(None), true), 0);
        assert_eq!(told("127.0.0.1", Tls::Unverified, true), 0);
    }

    #[test]
    fn a_password_that_crosses_a_network_in_clear_is_told() {
        let cautions = |host: &str, tls, system| {
            let endpoint = Endpoint::Tcp { host: host.into(), port: 6379 };
            let password = PasswordSource::Environment("CACHE_PASSWORD".into());
            let (user, database) = (None, "0".into());
            let server_key = ServerKey::default();
            let address = ServerAddress {
                endpoint,
                user,
                database,
                password,
                tls,
                compression: false,
                server_key,
                auth: model::AuthMethods::default(),
            };
            cautions(&target(system, Place::Server(ServerSpec::new(address)))).len()
        };
        assert_eq!(cautions("cache.internal", Tls::Off, System::Redis), 1);
        assert_eq!(cautions("10.0.0.7", Tls::Off, System::Redis), 1);
        assert_eq!(cautions("127.0.0.1", Tls::Off, System::Redis), 0);
        assert_eq!(cautions("localhost", Tls::Off, System::Redis), 0);
        assert_eq!(cautions("cache.internal", Tls::Verified(None), System::Redis), 0);
        assert_eq!(cautions("db.internal", Tls::Off, System::Mysql), 0);
    }
}
