//! Where sandboxes are made unless a study says otherwise.

use crate::local::os;
use std::env;
use std::path::{Path, PathBuf};

/// The directory in which sandboxes are made: `$WEIGHIN_SANDBOX_DIR` if set, else the first of
/// `/var/tmp` and the directory for temporary files that is on a disk, else `/var/tmp`.
pub fn sandbox_directory() -> PathBuf {
    if let Some(directory) = env::var_os("WEIGHIN_SANDBOX_DIR").filter(|value| !value.is_empty()) {
        return directory.into();
    }
    let candidates = [PathBuf::from("/var/tmp"), env::temp_dir()];
    first_on_disk(&candidates).to_owned()
}

/// A database in memory would make commits cost nothing.
fn first_on_disk(candidates: &[PathBuf; 2]) -> &Path {
    candidates
        .iter()
        .find(|candidate| candidate.is_dir() && !os::is_in_memory(candidate))
        .unwrap_or(&candidates[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_that_are_missing_are_passed_over() {
        let here = tempfile::tempdir_in("/var/tmp").unwrap().keep();
        let missing = here.join("missing");
        let chosen = [missing.clone(), here.clone()];
        let on_disk = !os::is_in_memory(&here);
        assert_eq!(first_on_disk(&chosen) == here, on_disk);
        assert_eq!(first_on_disk(&[missing.clone(), missing.clone()]), missing);
        std::fs::remove_dir(here).unwrap();
    }
}
