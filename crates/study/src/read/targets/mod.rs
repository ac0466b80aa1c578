mod config;
pub(crate) mod path;
mod replication;
pub(crate) mod restart;
mod sandbox;
mod undo;
mod volume;
mod volumes;

use crate::keys::TargetTable;
use crate::keys::target::{LOGIN_KEYS, REPLICA_KEYS};
use crate::keys::value::{name, one_of};
use crate::problem::secret::is_secret_key;
use crate::problem::{Places, Problems};
use crate::read::hosts::{Hosts, instance};
use crate::read::login::login;
use crate::read::price;
use crate::text::url::read_url;
use model::system::listed;
use model::{Place, SandboxSpec, ServerAddress, ServerSpec, StoragePlace, System, Target, Tls};
use toml::Spanned;

/// Validates one `[[target]]`, whose keys are at these places. What it returns is a target only if no
/// problem was noted.
pub(crate) fn target(
    table: Spanned<TargetTable>,
    places: &Places,
    hosts: &Hosts,
    problems: &mut Problems,
) -> Option<Target> {
    let at = table.span();
    let mut table = table.into_inner();
    let name = match &table.name {
        Some(written) => name(written.get_ref(), written.span(), "target", problems),
        None => {
            problems.missing(at.clone(), "this target has no name", "add a line like name = \"a\"");
            None
        }
    };
    let kinds: Vec<_> = System::kinds().map(|(kind, system)| (kind.name, system)).collect();
    let kind = one_of("kind", &table.kind, &kinds, problems);
    let without_server = kind.filter(|kind| !kind.has_server());
    let host =
        without_server.is_none().then(|| hosts.machine_of_target(&table, problems)).flatten();
    let instance = instance::instance_of_target(&mut table, problems);
    let restart = restart::restart(&mut table, problems);
    let undo = undo::undo(&mut table, problems);
    if without_server.is_some() {
        path::refuse(&table, problems);
    }
    let path = path::path(&mut table, problems);
    let price = table.price.take().and_then(|price| price::price(price, problems));
    let labels = std::mem::take(&mut table.labels);
    if let Some(key) = labels.keys().find(|key| is_secret_key(key)) {
        problems
            .add(
                at.clone(),
                format!("the label `{key}` is shown in reports: it must not contain a secret"),
            )
            .help("remove it, or give it another name if it is not a secret")
            .secret();
    }
    if let Some(system) = without_server {
        let hosts = hosts.machines_of_volumes(&table, problems);
        let volumes = volumes::volumes(&table, at, places, problems)?;
        let place = Place::Storage(StoragePlace { hosts, ..volumes });
        return Some(Target {
            name: name?,
            system,
            place,
            price,
            labels,
            path: None,
            load_hosts: None,
        });
    }
    volumes::refuse_storage_keys(places, problems);
    let place = match (table.sandbox.take(), table.url.take()) {
        (Some(sandbox), Some(url)) => {
            problems
                .add(url.span(), "a target has either a url or a sandbox, and this has both")
                .other(sandbox.span(), "the sandbox")
                .help("remove one of them, or make two targets");
            None
        }
        (None, None) if instance.is_some() => Some((kind.unwrap_or_default(), {
            let (replicas, control) = (&table.replicas, table.replication.take());
            let address = login(&table, kind.unwrap_or_default(), problems)?;
            let system = kind.unwrap_or_default();
            let spec = replication::servers(system, address, replicas, control, problems)?;
            Place::Server(ServerSpec { host, instance, restart, undo, ..spec })
        })),
        (None, None) => {
            let urls: Vec<_> =
                System::urls().map(|(url, _)| format!("\"{}\"", url.short_example)).collect();
            let volumes = System::kinds().filter(|(_, system)| !system.has_server());
            let volumes: Vec<_> = volumes.map(|(kind, _)| format!("\"{}\"", kind.name)).collect();
            problems.missing(
                at,
                "this target has neither a sandbox nor a url",
                format!(
                    "add sandbox = {{}} for a private server, or url = {}, or kind = {} with volumes",
                    listed(urls.iter().map(String::as_str), "or"),
                    listed(volumes.iter().map(String::as_str), "or"),
                ),
            );
            None
        }
        (Some(wire), None) => {
            refuse_login(places, problems);
            refuse_replicas(places, problems);
            let system = kind.unwrap_or_default();
            let program = table.kind.as_ref().and_then(|kind| program(kind.get_ref()));
            let wire = wire.into_inner();
            let listen = sandbox::listen(&wire, host.as_ref(), problems);
            let sandbox = sandbox::sandbox(wire, system, problems);
            Some((system, Place::Sandbox(SandboxSpec { program, host, listen, ..sandbox })))
        }
        (None, Some(url)) => server(&url, &table, problems)
            .filter(|(system, _)| agree(*system, kind, &url, &table, problems))
            .and_then(|(system, address)| {
                let (replicas, control) = (&table.replicas, table.replication.take());
                let spec = replication::servers(system, address, replicas, control, problems)?;
                Some((system, Place::Server(ServerSpec { host, instance, restart, undo, ..spec })))
            }),
    };
    let (system, mut place) = place?;
    if let Place::Server(spec) = &mut place {
        let address = spec.address.clone();
        spec.address = path::of_address(address, &table, path.as_ref(), problems);
    }
    Some(Target { name: name?, system, place, price, labels, path, load_hosts: None })
}

/// The server program that a kind asks for, where it is not the usual one of its system.
fn program(kind: &str) -> Option<String> {
    let (kind, _) = System::kinds().find(|(known, _)| known.name == kind)?;
    kind.program.map(str::to_owned)
}

/// Whether the URL is of the kind that the target says it is; says so where it is not.
fn agree(
    system: System,
    kind: Option<System>,
    url: &Spanned<String>,
    table: &TargetTable,
    problems: &mut Problems,
) -> bool {
    let (Some(written), true) = (&table.kind, kind.is_some_and(|kind| kind != system)) else {
        return true;
    };
    problems
        .add(url.span(), format!("this is the URL of a {} server", system.facts().described))
        .other(written.span(), format!("the kind says {}", written.get_ref()))
        .help(
            "leave `kind` out, since the URL says it, or write the URL of the other kind of server",
        );
    false
}

/// Keys that speak of a login make no sense beside a sandbox.
fn refuse_login(places: &Places, problems: &mut Problems) {
    for (key, at) in places.written_among(&LOGIN_KEYS) {
        problems
            .add(at, format!("`{key}` belongs to a url, and this is a sandbox"))
            .help(format!("remove `{key}`: weighin makes the accounts of its sandboxes"));
    }
}

/// Those of a sandbox are private too.
fn refuse_replicas(places: &Places, problems: &mut Problems) {
    for (key, at) in places.written_among(&REPLICA_KEYS) {
        problems
            .add(at, format!("`{key}` belongs to a url, and this is a sandbox"))
            .help("write the number of private replicas in it: sandbox = { replicas = 1 }");
    }
}

fn server(
    url: &Spanned<String>,
    table: &TargetTable,
    problems: &mut Problems,
) -> Option<(System, ServerAddress)> {
    match read_url(url.get_ref(), table.tls.is_some()) {
        Ok((system, address)) => {
            let login = login(table, system, problems)?;
            if let (Some(key), true) = (&table.tls, address.tls != Tls::Off) {
                problems
                    .add(key.span(), "encryption is set twice: here and in the URL")
                    .other(url.span(), "the URL")
                    .help("leave out one of them");
            }
            let tls = if address.tls == Tls::Off { login.tls } else { address.tls };
            let ServerAddress { endpoint, user, database, password, auth, .. } = address;
            let password = login.password.clone().or(password);
            Some((system, ServerAddress { endpoint, user, database, password, tls, auth, ..login }))
        }
        Err(error) => {
            // What else is wrong with it is said as well.
            login(table, System::default(), problems);
            error.note(url.span(), problems);
            None
        }
    }
}
