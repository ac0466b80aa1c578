//! Private servers.

use crate::keys::value::{applies_only_with, name};
use crate::keys::volume::{VolumeKey, VolumeTable};
use crate::keys::{Maybe, SandboxTable};
use crate::problem::Problems;
use crate::read::login::path;
use crate::read::settings::settings;
use crate::read::targets::volume::volume;
use crate::read::targets::{config, replication};
use model::system::Feature;
use model::{BuiltVolume, SandboxSpec, Software, SshHost, System};
use std::net::IpAddr;
use std::path::PathBuf;
use toml::Spanned;

/// On which address of its machine a private server is to listen; `None` where the study does not say.
/// Notes what is not possible there.
pub(super) fn listen(
    table: &SandboxTable,
    host: Option<&SshHost>,
    problems: &mut Problems,
) -> Option<String> {
    if host.is_some() {
        if let Some(image) = &table.container {
            problems
                .add(image.span(), "a container has no network, and other machines do not reach it")
                .help("use `base`, or the server that is installed there");
        }
        if let Some(at) = table.replicas.place() {
            problems
                .add(at, "a private server on another machine has no `replicas`")
                .help("leave `ssh` and `host` out: private groups are on the machine that weighin runs on");
        }
    }
    if let (Some(_), Some(data)) = (host, &table.data) {
        problems
            .add(
                data.span(),
                "a server on a copy of `data` keeps its accounts, and on another machine it would listen on a \
                 network",
            )
            .help("run weighin on that machine; or leave `data` out, and load a dump: setup = \"dump.sql\"");
    }
    let written = table.listen.as_ref()?;
    if host.is_none() {
        problems
            .add(written.span(), "`listen` is of a server on another machine: here it is loopback")
            .help("remove it, or add ssh = \"user@host\" to the target");
    }
    match written.get_ref().parse::<IpAddr>() {
        Ok(address) if !address.is_unspecified() && !address.is_multicast() => {
            Some(address.to_string())
        }
        Ok(_) | Err(_) => {
            problems
                .add(written.span(), "`listen` must be one address of that machine")
                .help("write it like listen = \"10.0.1.12\"");
            None
        }
    }
}

pub(super) fn sandbox(
    mut table: SandboxTable,
    system: System,
    problems: &mut Problems,
) -> SandboxSpec {
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
    let config = table.config.as_ref().and_then(|written| {
        let is_copy = table.data.is_some();
        config::read(written.get_ref(), written.span(), system, is_copy, problems)
    });
    let mut settings = settings(std::mem::take(&mut table.settings), system, trusted, problems);
    if let Some(config) = &config {
        config::add(config, &mut settings);
    }
    let (data, database) = data(&table, system, replication.is_some(), problems);
    SandboxSpec {
        data,
        database,
        settings,
        config: config.map(|config| config.config),
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

/// The data directory that the server gets a copy of, and the database in it.
fn data(
    table: &SandboxTable,
    system: System,
    is_group: bool,
    problems: &mut Problems,
) -> (Option<PathBuf>, Option<String>) {
    if let (Some(written), false) = (&table.data, system.has(Feature::DataDirectories)) {
        let products = Feature::DataDirectories.products();
        problems
            .add(written.span(), format!("`data` is a data directory of {products}"))
            .help("remove it: the server would run on data of its own; a test makes some by `setup` and `load`");
    }
    if let (Some(written), false) = (&table.data, table.trusted.value()) {
        problems
            .add(
                written.span(),
                "`data` needs trust: whoever may use this server reads what is in it",
            )
            .help("if a copy of it may be used, write trusted = true next to `data`");
    }
    if let (Some(written), true) = (&table.data, is_group) {
        problems
            .add(written.span(), "a private server with `replicas` has no `data` of its own")
            .help("leave either out");
    }
    if let (Some(written), None) = (&table.database, &table.data) {
        applies_only_with("database", written.span(), "data", "\"/backup/2026-11-20\"", problems);
    }
    let data = path("data", &table.data, problems);
    if let (Some(written), Some(relative)) =
        (&table.data, data.as_ref().filter(|path| !path.is_absolute()))
    {
        let message = format!("`data` must be an absolute path, not {}", relative.display());
        problems.add(written.span(), message);
    }
    let database = table
        .database
        .as_ref()
        .and_then(|written| name(written.get_ref(), written.span(), "database", problems));
    (data, database)
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
