//! Targets without a server: the keys `volumes` and `erase`.

use crate::keys::target::{LOGIN_KEYS, REPLICA_KEYS};
use crate::keys::{Maybe, TargetTable};
use crate::problem::{Place, Places, Problems};
use model::{StoragePlace, VolumePlace};
use std::path::PathBuf;
use toml::Spanned;

/// The volumes of a target of the kind `storage`, which is `at` a place, and its keys at theirs.
pub(crate) fn volumes(
    table: &TargetTable,
    at: Place,
    places: &Places,
    problems: &mut Problems,
) -> Option<StoragePlace> {
    refuse_server_keys(places, problems);
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
            problems.add(path.span(), "this volume is listed twice").help("name it once");
        }
        volumes.push(VolumePlace { path: path.into_inner(), erase: false });
    }
    let volumes_key = problems.key("volumes");
    for path in paths("erase", &table.erase, problems) {
        match volumes.iter_mut().find(|volume| volume.path == *path.get_ref()) {
            Some(volume) => volume.erase = true,
            None => {
                problems.add(path.span(), "this is not one of the target's volumes").help(format!(
                    "name one of {volumes_key}, exactly as written there, or remove it"
                ));
            }
        }
    }
    Some(StoragePlace { volumes, hosts: Vec::new() })
}

/// Notes keys that say nothing of a target with a server.
pub(crate) fn refuse_storage_keys(places: &Places, problems: &mut Problems) {
    for (key, at) in places.written_among(&["volumes", "erase", "hosts"]) {
        let key = problems.key(key);
        problems
            .add(at, format!("{key} belongs to targets of the kind storage"))
            .help(format!("leave {key} out, or name volumes"));
    }
}

fn refuse_server_keys(places: &Places, problems: &mut Problems) {
    let servers = places
        .written_among(&["sandbox", "url"])
        .into_iter()
        .chain(places.written_among(&REPLICA_KEYS));
    for (key, at) in servers.chain(places.written_among(&LOGIN_KEYS)) {
        let key = problems.key(key);
        problems
            .add(at, format!("{key} applies to servers, and a target of the kind storage has none"))
            .help(format!("leave {key} out, or choose another kind"));
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
                .add(
                    text.span(),
                    format!("{} must be absolute paths, such as \"/mnt/a\"", problems.key(key)),
                )
                .help("begin the path with /");
            continue;
        }
        paths.push(Spanned::new(text.span(), PathBuf::from(text.get_ref())));
    }
    paths
}
