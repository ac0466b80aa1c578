mod elsewhere;
mod replication;
pub(crate) mod restart;
mod volume;
mod volumes;

use crate::keys::target::LOGIN_KEYS;
use crate::keys::target::REPLICA_KEYS;
use crate::keys::target::TLS_MODES;
use crate::keys::value::{name, one_of};
use crate::keys::volume::{VolumeKey, VolumeTable};
use crate::keys::{Maybe, SandboxTable, TargetTable};
use crate::problem::secret::is_secret_key;
use crate::problem::{Places, Problems};
use crate::read::hosts::Hosts;
use crate::read::hosts::instance;
use crate::read::price;
use crate::read::settings::settings;
use crate::read::targets::volume::volume;
use crate::text::url::parse_url;
use model::system::{Feature, listed};
use model::{
    BuiltVolume, Endpoint, PasswordSource, Place, SandboxSpec, ServerAddress, ServerKey,
    ServerSpec, Software, StoragePlace, System, Target, Tls,
};
use std::path::PathBuf;
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
    let host = without_server.is_none().then(|| hosts.of_target(&table, problems)).flatten();
    let instance = instance::of_target(&mut table, problems);
    let restart = restart::of_target(&mut table, problems);
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
        let hosts = hosts.of_volumes(&table, problems);
        let volumes = volumes::volumes(&table, at, places, problems)?;
        let place = Place::Storage(StoragePlace { hosts, ..volumes });
        return Some(Target { name: name?, system, place, price, labels, load_hosts: None });
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
            Place::Server(ServerSpec { host, instance, restart, ..spec })
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
            let listen = elsewhere::listen(&wire, host.as_ref(), problems);
            let sandbox = sandbox(wire, system, problems);
            Some((system, Place::Sandbox(SandboxSpec { program, host, listen, ..sandbox })))
        }
        (None, Some(url)) => server(&url, &table, problems)
            .filter(|(system, _)| agree(*system, kind, &url, &table, problems))
            .and_then(|(system, address)| {
                let (replicas, control) = (&table.replicas, table.replication.take());
                let spec = replication::servers(system, address, replicas, control, problems)?;
                Some((system, Place::Server(ServerSpec { host, instance, restart, ..spec })))
            }),
    };
    let (system, place) = place?;
    Some(Target { name: name?, system, place, price, labels, load_hosts: None })
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
    for (key, at) in places.of(&LOGIN_KEYS) {
        problems
            .add(at, format!("`{key}` belongs to a url, and this is a sandbox"))
            .help(format!("remove `{key}`: weighin makes the accounts of its sandboxes"));
    }
}

/// Those of a sandbox are private too.
fn refuse_replicas(places: &Places, problems: &mut Problems) {
    for (key, at) in places.of(&REPLICA_KEYS) {
        problems
            .add(at, format!("`{key}` belongs to a url, and this is a sandbox"))
            .help("write the number of private replicas in it: sandbox = { replicas = 1 }");
    }
}

fn sandbox(mut table: SandboxTable, system: System, problems: &mut Problems) -> SandboxSpec {
    let mut directory = path("directory", &table.directory, problems);
    let mut built = None;
    if let Some(written) = table.volume.take() {
        let at = written.span();
        match written.into_inner() {
            VolumeKey::Built(table) => built = volume(Spanned::new(at, *table), problems),
            VolumeKey::Directory(text) => {
                if let Some(other) = &table.directory {
                    problems
                        .add(other.span(), "`directory` and `volume` both say where the data are")
                        .other(at.clone(), "the volume")
                        .help("remove `directory`");
                }
                directory = path("volume", &Some(Spanned::new(at, text)), problems);
            }
        }
    }
    let software = software(&table.base, &table.container, problems);
    if let (Software::Container(_), Some(_), Some(image)) = (&software, &built, &table.container) {
        problems.add(image.span(), "a container has no volume that weighin builds").help(
            "name a directory on a volume of your own, or use `base` in place of `container`",
        );
    }
    let temporary = table.temporary_volume.take();
    if let (Software::Container(_), Some(_), Some(image)) =
        (&software, &temporary, &table.container)
    {
        problems
            .add(image.span(), "a container has no volume that weighin builds")
            .help("remove `temporary_volume`, or use `base` in place of `container`");
    }
    let temporary_volume = temporary.and_then(|table| for_temporary_files(table, system, problems));
    let trusted = table.trusted.value();
    let replication = replication::private(&mut table, system, trusted, problems);
    if let (Software::Container(_), Some(_), Some(image)) =
        (&software, &replication, &table.container)
    {
        problems
            .add(image.span(), "a container has no network, which replicas need")
            .help("use `base` in place of `container`");
    }
    SandboxSpec {
        settings: settings(table.settings, system, trusted, problems),
        trusted,
        restart: table.restart.value(),
        directory,
        software,
        program: None,
        volume: built,
        temporary_volume,
        replication,
        ..SandboxSpec::default()
    }
}

/// Where the programs come from; the usual place where that is wrong, which is noted.
fn software(base: &Maybe<String>, container: &Maybe<String>, problems: &mut Problems) -> Software {
    match (base, container) {
        (None, None) => Software::Installed,
        (Some(base), Some(container)) => {
            problems
                .add(container.span(), "`base` and `container` both say which server to run")
                .other(base.span(), "the unpacked distribution")
                .help("remove one of them, or make two targets");
            Software::Installed
        }
        (Some(written), None) => match path("base", base, problems) {
            Some(path) if !path.is_absolute() => {
                problems
                    .add(written.span(), "`base` must be an absolute path")
                    .help("name the directory above bin, such as base = \"/opt/NAME-VERSION\"");
                Software::Installed
            }
            path => path.map_or(Software::Installed, Software::Base),
        },
        (None, Some(image)) if is_image_name(image.get_ref()) => {
            Software::Container(image.get_ref().clone())
        }
        (None, Some(image)) => {
            problems
                .add(image.span(), "this is not the name of a container image")
                .help("write it as podman and docker do, such as container = \"NAME:VERSION\"");
            Software::Installed
        }
    }
}

/// Whether a text can be the name of an image, with a tag or a digest. It cannot be taken for an
/// option.
fn is_image_name(name: &str) -> bool {
    /// More than any registry allows.
    const LONGEST: usize = 512;
    name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:@".contains(c))
}

/// The volume for the temporary files of a server that has them.
fn for_temporary_files(
    table: Spanned<VolumeTable>,
    system: System,
    problems: &mut Problems,
) -> Option<BuiltVolume> {
    let at = table.span();
    if !system.has(Feature::TemporaryFiles) {
        let products = Feature::TemporaryFiles.products();
        let message =
            format!("`temporary_volume` is of {products}: other servers sort nothing on disk");
        problems.add(at.clone(), message).help("remove it");
    }
    let built = volume(table, problems)?;
    if !built.limits.is_none() {
        problems
            .add(at, "a `temporary_volume` has a size, and no limits")
            .help("remove the limits, or set them in `volume`, which holds temporary files too");
    }
    Some(built)
}

/// Where a secret comes from that a variable or a file holds; the option files where neither is named.
pub(crate) fn secret_source(
    what: &str,
    (env_key, variable): (&str, &Maybe<String>),
    (file_key, file): (&str, &Maybe<String>),
    problems: &mut Problems,
) -> Option<PasswordSource> {
    match (variable, file) {
        (Some(variable), Some(file)) => {
            let keys = [env_key, file_key].map(|key| problems.key(key));
            problems
                .add(file.span(), format!("the {what} has two sources"))
                .other(variable.span(), "the other one")
                .help(format!("keep either {}", keys.join(" or ")));
            None
        }
        (Some(variable), None) => {
            let name = variable.get_ref();
            let possible = !name.is_empty()
                && !name.starts_with(|c: char| c.is_ascii_digit())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !possible {
                let key = problems.key(env_key);
                let message = format!("{key} must be the name of an environment variable");
                problems
                    .add(variable.span(), message)
                    .help(format!("put the {what} into a variable, and the variable's name here"))
                    .secret(); // what stands there may be the secret itself
            }
            Some(PasswordSource::Environment(name.clone()))
        }
        (None, Some(_)) => path(file_key, file, problems).map(PasswordSource::File),
        (None, None) => Some(PasswordSource::OptionFile),
    }
}

fn server(
    url: &Spanned<String>,
    table: &TargetTable,
    problems: &mut Problems,
) -> Option<(System, ServerAddress)> {
    match parse_url(url.get_ref()) {
        Ok((system, address)) => {
            let login = login(table, system, problems)?;
            let ServerAddress { endpoint, user, database, .. } = address;
            Some((system, ServerAddress { endpoint, user, database, ..login }))
        }
        Err(error) => {
            // What else is wrong with it is said as well.
            login(table, System::default(), problems);
            error.note(url.span(), problems);
            None
        }
    }
}

/// How to log in to a server, wherever it is.
fn login(table: &TargetTable, system: System, problems: &mut Problems) -> Option<ServerAddress> {
    let password = secret_source(
        "password",
        ("password_env", &table.password_env),
        ("password_file", &table.password_file),
        problems,
    );
    let tls = tls(table, problems);
    let server_key = server_key(table, system, problems)?;
    let compression = compression(table, system, problems);
    Some(ServerAddress {
        endpoint: Endpoint::NotUp,
        user: None,
        database: String::new(),
        password: password?,
        tls: tls?,
        compression,
        server_key,
    })
}

fn compression(table: &TargetTable, system: System, problems: &mut Problems) -> bool {
    let Some(at) = table.compression.place() else { return false };
    if !system.has(Feature::Compression) {
        let key = problems.key("compression");
        problems
            .add(at, format!("only {} compress what travels", Feature::Compression.products()))
            .help(format!("leave out {key}"));
    }
    table.compression.value()
}

fn server_key(table: &TargetTable, system: System, problems: &mut Problems) -> Option<ServerKey> {
    let (file, any) = (&table.server_public_key, &table.get_server_public_key);
    let at = file.as_ref().map(Spanned::span).or(any.as_ref().map(Spanned::span));
    let keys = ["server_public_key", "get_server_public_key"].map(|key| problems.key(key));
    if let (Some(at), true) = (at, !system.has(Feature::PasswordKeys)) {
        problems
            .add(
                at,
                format!("only {} has public keys for passwords", Feature::PasswordKeys.products()),
            )
            .help(format!("leave out {}", keys.join(" and ")));
        return None;
    }
    match (file, any.as_ref().map(Spanned::get_ref)) {
        (Some(file), Some(true)) => {
            problems
                .add(file.span(), "one key is trusted, and any key is")
                .help(format!("keep either {}", keys.join(" or ")));
            None
        }
        (Some(_), _) => path("server_public_key", file, problems).map(ServerKey::Pinned),
        (None, Some(true)) => Some(ServerKey::Request),
        (None, Some(false)) => Some(ServerKey::Refuse),
        (None, None) => Some(ServerKey::OptionFile),
    }
}

fn tls(table: &TargetTable, problems: &mut Problems) -> Option<Tls> {
    let certificates = path("tls_ca", &table.tls_ca, problems);
    let mode = match &table.tls {
        Some(mode) => mode.get_ref().as_str(),
        None => "off",
    };
    if let (Some(file), true) = (&table.tls_ca, mode != "verified") {
        let notation = problems.notation;
        let key = notation.key("tls_ca");
        problems
            .add(file.span(), format!("{key} is used only to verify the server's certificate"))
            .help(format!("add {}, or leave {key} out", notation.setting("tls", "\"verified\"")));
    }
    let [off, unverified, verified] = TLS_MODES;
    let verified = (verified, Tls::Verified(certificates));
    let modes = [(off, Tls::Off), (unverified, Tls::Unverified), verified];
    match &table.tls {
        Some(_) => one_of("tls", &table.tls, &modes, problems),
        None => Some(Tls::Off),
    }
}

pub(crate) fn path(key: &str, value: &Maybe<String>, problems: &mut Problems) -> Option<PathBuf> {
    let value = value.as_ref()?;
    // A line break would begin another line of a server's configuration.
    if value.get_ref().is_empty() || value.get_ref().contains(char::is_control) {
        problems.add(value.span(), format!("{} must be a path", problems.key(key)));
        return None;
    }
    Some(PathBuf::from(value.get_ref()))
}
