//! Replicas of a target: private ones, and such that run already.

use crate::keys::{ControlActKey, Maybe, ReplicationTable, SandboxTable};
use crate::problem::{Place, Problems};
use crate::read::settings::settings;
use crate::text::url::read_url;
use model::system::Feature;
use model::{
    ControlAct, PrivateReplication, ReplicationControl, ServerAddress, ServerSpec, System, Tls,
};
use toml::Spanned;

/// What a sandbox says of replicas; takes it out of the table.
pub(crate) fn private(
    table: &mut SandboxTable,
    system: System,
    trusted: bool,
    problems: &mut Problems,
) -> Option<PrivateReplication> {
    let replicas = std::mem::take(&mut table.replicas);
    let Some(at) = replicas.place() else {
        let semi_sync = table.semi_sync.place().map(|at| ("semi_sync", at));
        let own = table.replica_settings.as_ref().map(|key| ("replica_settings", key.span()));
        for (key, at) in semi_sync.into_iter().chain(own) {
            problems
                .add(at, format!("`{key}` applies only with `replicas`"))
                .help("add a key like replicas = 1, or leave it out");
        }
        return None;
    };
    if refuse_system(at, system, problems) {
        return None;
    }
    for name in table.settings.keys() {
        refuse_decided(name, system, problems);
    }
    let own = table.replica_settings.take().map(Spanned::into_inner).unwrap_or_default();
    for name in own.keys() {
        refuse_decided(name, system, problems);
    }
    Some(PrivateReplication {
        replicas: replicas.value("replicas", problems)?,
        semi_sync: table.semi_sync.value(),
        settings: settings(own, system, trusted, problems),
    })
}

fn refuse_decided(name: &Spanned<String>, system: System, problems: &mut Problems) {
    let written = name.get_ref();
    let facts = system.facts();
    if facts.group_settings.contains(&facts.settings.normal_name(written).as_str()) {
        problems
            .add(name.span(), format!("`{written}` cannot be set for a server with replicas"))
            .help("leave it out: weighin sets up the logs of a group and who is who in it");
    }
}

/// Notes replicas of a kind of target that has none; whether it did.
fn refuse_system(at: Place, system: System, problems: &mut Problems) -> bool {
    if system.has(Feature::Groups) {
        return false;
    }
    problems.add(at, format!("weighin knows no replicas of targets of the kind {system}")).help(
        format!("leave `replicas` out: {} servers may have some", Feature::Groups.products()),
    );
    true
}

/// A server that runs already, with the replicas that it is said to have. They are logged in to as it
/// is.
pub(crate) fn servers(
    system: System,
    address: ServerAddress,
    replicas: &Maybe<Vec<Spanned<String>>>,
    control: Maybe<ReplicationTable>,
    problems: &mut Problems,
) -> Option<ServerSpec> {
    let Some(written) = replicas else {
        if let Some(control) = control {
            problems
                .add(control.span(), "`replication` applies only with `replicas`")
                .help(format!("add a line like replicas = [\"{}\"]", system.url_example()));
        }
        return Some(ServerSpec::new(address));
    };
    if refuse_system(written.span(), system, problems) {
        return None;
    }
    if written.get_ref().is_empty() {
        problems.add(written.span(), "`replicas` is empty").help("name one, or leave it out");
    }
    let replicas: Vec<ServerAddress> = written
        .get_ref()
        .iter()
        .filter_map(|url| replica(url, system, &address, problems))
        .collect();
    let mut all = vec![&address.endpoint];
    for (replica, written) in replicas.iter().zip(written.get_ref()) {
        if all.contains(&&replica.endpoint) {
            problems
                .add(written.span(), "this server is in the group twice")
                .help("every member of a group is a server of its own");
        }
        all.push(&replica.endpoint);
    }
    let control = control.map(|table| control_of(table.into_inner(), problems));
    Some(ServerSpec { replicas, control: control.unwrap_or_default(), ..ServerSpec::new(address) })
}

/// One replica. What its URL does not say is as with the primary.
fn replica(
    url: &Spanned<String>,
    system: System,
    primary: &ServerAddress,
    problems: &mut Problems,
) -> Option<ServerAddress> {
    match read_url(url.get_ref(), primary.tls != Tls::Off) {
        Ok((found, address)) if found == system => {
            if address.database != primary.database {
                problems
                    .add(url.span(), "a replica has the database of its primary")
                    .help(format!("write /{} at the end", primary.database));
            }
            Some(ServerAddress {
                tls: if address.tls == Tls::Off { primary.tls.clone() } else { address.tls },
                endpoint: address.endpoint,
                user: address.user.or_else(|| primary.user.clone()),
                password: address.password.or(primary.password.clone()),
                auth: if address.auth.are_all() { primary.auth } else { address.auth },
                ..primary.clone()
            })
        }
        Ok(_) => {
            let described = system.facts().described;
            problems.add(url.span(), format!("this is not the URL of a {described} server"));
            None
        }
        Err(error) => {
            error.note(url.span(), problems);
            None
        }
    }
}

fn control_of(table: ReplicationTable, problems: &mut Problems) -> ReplicationControl {
    let trusted = table.trusted.value();
    let mut act = |key: &str, written: Maybe<ControlActKey>| {
        let written = written?;
        let at = written.span();
        let (act, is_empty) = match written.into_inner() {
            ControlActKey::Statement(sql) => {
                let is_empty = sql.trim().is_empty();
                (ControlAct::Statement(sql), is_empty)
            }
            ControlActKey::Command(words) => {
                let is_empty = words.first().is_none_or(String::is_empty);
                (ControlAct::Command(words), is_empty)
            }
        };
        if is_empty {
            problems
                .add(at, format!("`{key}` is empty"))
                .help("write a statement, or a program with its arguments as a list");
        } else if matches!(act, ControlAct::Command(_)) && !trusted {
            problems.add(at, format!("`{key}` runs a program on this host")).help(
                "if you know what it does, write trusted = true next to it, or use a statement",
            );
        }
        Some(act)
    };
    ReplicationControl {
        stop_applier: act("stop_applier", table.stop_applier),
        start_applier: act("start_applier", table.start_applier),
    }
}
