//! Scripts that a command line names by their paths. Weighin runs no Lua: it has the original's tests
//! built in, and so takes only scripts that say what those say.

use super::generation::script_name;
use super::known_scripts::KNOWN;
use crate::exit::CliError;
use crate::messages::shown;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longest script that is looked at, in bytes; the original's have at most 16 KiB.
const MAX_LENGTH: u64 = 1 << 20;

/// What the scripts have in common, in a file next to them.
const SHARED: [&str; 2] = ["oltp_common", "common"];

/// Refuses a script that differs from the one of its name that the original comes with. A script that
/// is not there is none.
pub(super) fn check(test: &str) -> Result<(), CliError> {
    let name = script_name(test);
    if !KNOWN.iter().any(|(known, _)| *known == name) {
        return Ok(());
    }
    let Some(path) = found(test) else { return Ok(()) };
    check_file(&path, name)?;
    for shared in SHARED {
        let beside = path.with_file_name(format!("{shared}.lua"));
        if beside.is_file() {
            check_file(&beside, shared)?;
        }
    }
    Ok(())
}

/// The script that the original would take: the file itself, or with its ending.
fn found(test: &str) -> Option<PathBuf> {
    let with_ending = format!("{test}.lua");
    [test, &with_ending].into_iter().map(PathBuf::from).find(|path| path.is_file())
}

fn check_file(path: &Path, name: &str) -> Result<(), CliError> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_LENGTH).read_to_end(&mut text));
    read.map_err(|error| CliError::file("read", path, error))?;
    let digest = digest(&String::from_utf8_lossy(&text));
    if KNOWN.iter().any(|(known, digests)| *known == name && digests.contains(&digest)) {
        return Ok(());
    }
    Err(CliError::usage(
        format!(
            "{} differs from the {name}.lua that sysbench comes with; weighin has that one built in, \
             and does not run Lua",
            shown(path)
        ),
        format!(
            "run the script with sysbench itself, or, for the test as it is built in, give its name \
             alone ({name}) in a directory without such a file"
        ),
    ))
}

/// The first eight bytes of the SHA-256 of a script, without comments that fill their lines and
/// without the space around lines: so the path in a script's first line does not matter.
fn digest(script: &str) -> u64 {
    let is_code = |line: &&str| {
        let is_comment = line.starts_with("--") && !line.starts_with("--[[");
        !line.is_empty() && !line.starts_with("#!") && !is_comment
    };
    let code: Vec<&str> = script.split('\n').map(str::trim).filter(is_code).collect();
    let hash = Sha256::digest(code.join("\n").as_bytes());
    hash.iter().take(8).fold(0, |digest, byte| digest << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_script_is_refused_and_a_moved_one_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).display().to_string();
        let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
        assert!(check(&path("oltp_read_write.lua")).is_ok(), "none is there");
        write("oltp_read_write.lua", "function event()\n  con:query('SELECT 1')\nend\n");
        for name in ["oltp_read_write.lua", "oltp_read_write"] {
            let error = check(&path(name)).unwrap_err();
            assert!(error.message().contains("oltp_read_write.lua differs"), "{}", error.message());
        }
        write("mine.lua", "anything");
        assert!(check(&path("mine.lua")).is_ok(), "not taken for one that is built in");
    }

    #[test]
    fn comments_and_space_do_not_matter_and_code_does() {
        let one = digest("#!/usr/bin/env sysbench\n-- what it is\n\nfunction a()\n   b()\nend\n");
        assert_eq!(one, digest("#!/usr/bin/sysbench\nfunction a()\n\tb()\r\nend"));
        assert_ne!(one, digest("function a()\n   c()\nend\n"));
        assert_ne!(digest("--[[\nx()\n]]"), digest("-- [[\nx()\n]]"));
    }
}
