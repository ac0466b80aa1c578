use crate::runner::told;
use anyhow::bail;
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{PasswordSource, System};
use std::path::PathBuf;

/// Starts a private server with settings that differ from its defaults; it is gone when it is
/// dropped. With it comes the file that holds its password.
pub(crate) fn start(
    system: System,
    settings: &[(&str, &str)],
) -> anyhow::Result<(Sandbox, PathBuf)> {
    let settings = settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    system::register([&mysql::SYSTEM, &postgres::SYSTEM, &redis::SYSTEM]);
    let sandbox = Sandbox::start(SandboxOptions {
        system,
        name: "bench".to_owned(),
        settings: settings.collect(),
        ..SandboxOptions::default()
    })
    .map_err(told)?;
    let PasswordSource::File(password_file) = sandbox.address().password.clone() else {
        bail!("the private server's password is in no file");
    };
    Ok((sandbox, password_file))
}
