//! Programs that tests make.

use std::path::Path;
use std::process::Command;

/// Writes a program by another process: a child that another test forks meanwhile would have the file open
/// for writing, and nobody could run it (`ETXTBSY`).
///
/// # Panics
/// When it cannot be written.
pub fn write_program(path: &Path, text: &str) {
    let written = Command::new("/bin/sh")
        .args(["-ec", r#"printf %s "$2" >"$1"; chmod 755 "$1""#, "sh"])
        .arg(path)
        .arg(text)
        .status();
    assert!(written.expect("there is a shell").success(), "{} is not written", path.display());
}
