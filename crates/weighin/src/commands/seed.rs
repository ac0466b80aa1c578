//! `weighin seed`: the key of an agent or a lead.

use super::{Outcome, print};
use crate::Exit;
use crate::arguments::SeedArguments;
use crate::exit::CliError;
use fleet::{PublicKey, new_seed};
use model::{Failure, FailureKind};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use system::client::{LoginEnvironment, SecretRules, read_seed};

/// Makes the seed where there is none, and prints the public key.
pub(crate) fn seed(arguments: &SeedArguments) -> Outcome {
    let path = &arguments.file;
    let key = match make(path) {
        Ok(key) => key,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => read(path)?,
        Err(error) => {
            let failure = Failure::new(
                FailureKind::Other,
                format!("cannot make the seed file {}: {error}", path.display()),
                "name a file in a directory that this user may write to",
            );
            return Err(failure.into());
        }
    };
    print(&format!("{}\n", key))?;
    Ok(Exit::Done)
}

fn make(path: &Path) -> io::Result<PublicKey> {
    // Fails where anything has the name, a link too.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let (seed, key) = new_seed();
    let made = writeln!(file, "{seed}").and_then(|()| file.sync_all()).map(|()| key);
    // It is its own, and no seed.
    made.inspect_err(|_| drop(std::fs::remove_file(path)))
}

fn read(path: &Path) -> Result<PublicKey, CliError> {
    let named_here = SecretRules::command_line(false);
    let seed = read_seed(path, &LoginEnvironment::of_this_process(&named_here))?;
    let seed = String::from_utf8_lossy(seed.bytes()).into_owned();
    PublicKey::of_seed(&seed).map_err(|error| {
        let failure = Failure::new(
            FailureKind::AccessDenied,
            format!("the file {}: {error}", path.display()),
            "it stays as it is: name a file that is not there yet",
        );
        failure.into()
    })
}
