//! Scripts that a command line names by their paths. Weighin runs no Lua: it has the original's tests
//! built in, and so takes only scripts that say what those say.

use super::generation::script_name;
use super::script_path::ScriptPath;
use crate::exit::CliError;
use crate::messages::shown;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A line for each script of the original in its releases from 1.0.0 to 1.0.20, in the development after
/// that up to 1.1.0, and in 0.5: its name, and the [`digest`] of each version.
const KNOWN: &str = include_str!("known_scripts.txt");
/// Longest script that is looked at, in bytes; the original's have at most 16 KiB.
const MAX_LENGTH: u64 = 1 << 20;

/// Refuses a script that differs from the one of its name that the original comes with. A script that
/// is not there is none.
pub(super) fn check(test: &str) -> Result<(), CliError> {
    let name = script_name(test);
    if digests(name).is_none() {
        return Ok(());
    }
    let path = ScriptPath::of_environment();
    let Some(script) = found(test, &path) else { return Ok(()) };
    let text = check_file(&script, name)?;
    match shared(test, &script, &text, &path) {
        Some((module, file)) => check_file(&file, module).map(drop),
        None => Ok(()),
    }
}

/// What a script has in common with others: those of 1.0 `require` it, those of 0.5 take it from
/// their own directory where the command line names one. Where the original would not find it, it is
/// looked for beside the script.
fn shared(
    test: &str,
    script: &Path,
    text: &str,
    path: &ScriptPath,
) -> Option<(&'static str, PathBuf)> {
    let required = |module: &str| text.contains(&format!("require(\"{module}\")"));
    let module = ["oltp_common", "common"].into_iter().find(|module| required(module))?;
    let in_own_directory = module == "common" && test.contains('/');
    let found = if in_own_directory { None } else { path.find(module) };
    let beside = || script.with_file_name(format!("{module}.lua"));
    let file = found.or_else(|| Some(beside()).filter(|file| file.is_file()))?;
    Some((module, file))
}

/// The script that the original would take: the file itself, or else a module of that name. With or
/// without its ending, so that what is meant by either is found.
fn found(test: &str, path: &ScriptPath) -> Option<PathBuf> {
    let file = |name: &str| Some(PathBuf::from(name)).filter(|path| path.is_file());
    let module = || path.find(test.strip_suffix(".lua").unwrap_or(test));
    let with_ending = || file(&format!("{test}.lua")).filter(|_| test.contains('/'));
    file(test).or_else(module).or_else(with_ending)
}

/// Gives its text.
fn check_file(path: &Path, name: &str) -> Result<String, CliError> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_LENGTH).read_to_end(&mut text));
    read.map_err(|error| CliError::file("read", path, error))?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let digest = digest(&text);
    if digests(name).is_some_and(|mut known| known.any(|known| known == digest)) {
        return Ok(text);
    }
    Err(CliError::usage(
        format!(
            "{} differs from the {name}.lua that sysbench comes with; weighin has that one built in, \
             and does not run Lua",
            shown(path)
        ),
        "run the script with sysbench itself, or, for the test as it is built in, give the name of the \
         test alone and set LUA_PATH to another place than that of this file, or move it away",
    ))
}

/// The digests of a script that the original comes with.
fn digests(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    KNOWN.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(name)).then_some(words)
    })
}

/// The first eight bytes of the SHA-256 of a script, without comments that fill their lines and without the
/// space around lines: so the path in a script's first line does not matter.
fn digest(script: &str) -> String {
    let is_code = |line: &&str| {
        let is_comment = line.starts_with("--") && !line.starts_with("--[[");
        !line.is_empty() && !line.starts_with("#!") && !is_comment
    };
    let code: Vec<&str> = script.split('\n').map(str::trim).filter(is_code).collect();
    let hash = Sha256::digest(code.join("\n").as_bytes());
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
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
    fn what_scripts_share_is_taken_from_where_they_take_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let nowhere = ScriptPath::of_places(&[]);
        let elsewhere = ScriptPath::of_places(&[path("elsewhere/?.lua")]);
        std::fs::create_dir(path("elsewhere")).unwrap();
        for name in ["common.lua", "oltp_common.lua"] {
            std::fs::write(path(name), "").unwrap();
            std::fs::write(path("elsewhere").join(name), "").unwrap();
        }
        let script = path("x.lua");
        let taken = |test: &str, text: &str, places: &ScriptPath| {
            shared(test, &script, text, places).map(|(_, file)| file)
        };
        let recent = "require(\"oltp_common\")";
        assert_eq!(taken("x", recent, &elsewhere), Some(path("elsewhere/oltp_common.lua")));
        assert_eq!(taken("x", recent, &nowhere), Some(path("oltp_common.lua")));
        let legacy = "dofile(there .. \"common.lua\") or require(\"common\")";
        assert_eq!(taken("/a/x.lua", legacy, &elsewhere), Some(path("common.lua")));
        assert_eq!(taken("x.lua", legacy, &elsewhere), Some(path("elsewhere/common.lua")));
        assert_eq!(taken("x.lua", "function event() end", &elsewhere), None);
    }

    #[test]
    fn comments_and_space_do_not_matter_and_code_does() {
        let one = digest("#!/usr/bin/env sysbench\n-- what it is\n\nfunction a()\n   b()\nend\n");
        assert_eq!(one, digest("#!/usr/bin/sysbench\nfunction a()\n\tb()\r\nend"));
        assert_ne!(one, digest("function a()\n   c()\nend\n"));
        assert_ne!(digest("--[[\nx()\n]]"), digest("-- [[\nx()\n]]"));
    }
}
