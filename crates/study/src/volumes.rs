//! Targets without a server: the keys `volumes` and `erase`.

use crate::problem::{Place, Problems};
use crate::wire::{Maybe, TargetTable};
use model::{StoragePlace, VolumePlace};
use std::path::PathBuf;
use toml::Spanned;

/// The volumes of a target of the kind `storage`. `at` is the target.
pub(crate) fn volumes(
    table: &TargetTable,
    at: Place,
    problems: &mut Problems,
) -> Option<StoragePlace> {
    refuse_server_keys(table, problems);
    let Some(written) = &table.volumes else {
        let help = "add a line like volumes = [\"/mnt/a\"]";
        problems.missing(at, "this target has no volumes", help);
        return None;
    };
    if written.get_ref().is_empty() {
        problems.add(written.span(), "`volumes` is empty").help("name one path at least");
    }
    let mut volumes: Vec<VolumePlace> = Vec::new();
    for path in paths("volumes", &table.volumes, problems) {
        if volumes.iter().any(|volume| volume.path == *path.get_ref()) {
            problems.add(path.span(), "this volume stands here twice").help("name it once");
        }
        volumes.push(VolumePlace { path: path.into_inner(), erase: false });
    }
    for path in paths("erase", &table.erase, problems) {
        match volumes.iter_mut().find(|volume| volume.path == *path.get_ref()) {
            Some(volume) => volume.erase = true,
            None => {
                problems
                    .add(path.span(), "what may be erased is none of the target's volumes")
                    .help("name one of `volumes`, letter for letter, or remove it");
            }
        }
    }
    Some(StoragePlace { volumes })
}

/// Notes keys that say nothing of a target with a server.
pub(crate) fn refuse_storage_keys(table: &TargetTable, problems: &mut Problems) {
    for (key, value) in [("volumes", &table.volumes), ("erase", &table.erase)] {
        if let Some(value) = value {
            problems
                .add(value.span(), format!("`{key}` belongs to targets of the kind storage"))
                .help(format!("set kind = \"storage\", or remove `{key}`"));
        }
    }
}

fn refuse_server_keys(table: &TargetTable, problems: &mut Problems) {
    let keys = [
        ("sandbox", table.sandbox.as_ref().map(Spanned::span)),
        ("url", table.url.as_ref().map(Spanned::span)),
        ("password_env", table.password_env.as_ref().map(Spanned::span)),
        ("password_file", table.password_file.as_ref().map(Spanned::span)),
        ("tls", table.tls.as_ref().map(Spanned::span)),
        ("tls_ca", table.tls_ca.as_ref().map(Spanned::span)),
        ("server_public_key", table.server_public_key.as_ref().map(Spanned::span)),
        ("get_server_public_key", table.get_server_public_key.as_ref().map(Spanned::span)),
    ];
    for (key, at) in keys {
        let Some(at) = at else { continue };
        problems
            .add(at, format!("`{key}` is of servers, and a target of the kind storage has none"))
            .help(format!("remove `{key}`, or choose another kind"));
    }
}

fn paths(
    key: &str,
    written: &Maybe<Vec<Spanned<String>>>,
    problems: &mut Problems,
) -> Vec<Spanned<PathBuf>> {
    let texts = written.iter().flat_map(|list| list.get_ref());
    let mut paths = Vec::new();
    for text in texts {
        // The results name the volumes, wherever weighin was started.
        if !text.get_ref().starts_with('/') || text.get_ref().contains('\0') {
            problems
                .add(text.span(), format!("`{key}` must be whole paths, such as \"/mnt/a\""))
                .help("begin the path with /");
            continue;
        }
        paths.push(Spanned::new(text.span(), PathBuf::from(text.get_ref())));
    }
    paths
}
