use crate::arguments::Transport;
use crate::runner::{Runner, told};
use anyhow::bail;
use host::Finished;
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{PasswordSource, ServerAddress, System};
use std::path::PathBuf;
use system::client::{Credentials, Secret};

/// A private server; it is gone when this is dropped.
#[derive(Debug)]
pub(crate) struct PrivateServer {
    pub(crate) sandbox: Sandbox,
    pub(crate) password_file: PathBuf,
}

impl PrivateServer {
    /// Starts one with settings that differ from its defaults.
    pub(crate) fn start(system: System, settings: &[(&str, &str)]) -> anyhow::Result<Self> {
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
        Ok(Self { sandbox, password_file })
    }

    pub(crate) fn address(&self) -> &ServerAddress {
        self.sandbox.address()
    }

    pub(crate) fn user(&self) -> String {
        self.address().user.clone().unwrap_or_default()
    }

    pub(crate) fn password(&self) -> Secret {
        Secret::new(self.sandbox.password().reveal())
    }

    pub(crate) fn credentials(&self) -> Credentials {
        Credentials::new(self.user(), self.password())
    }

    /// Its URL in weighin's words, with that scheme.
    pub(crate) fn url(&self, scheme: &str, transport: Transport) -> String {
        let (user, address) = (self.user(), self.address());
        let database = &address.database;
        match transport {
            Transport::Tcp => format!("{scheme}://{user}@{}/{database}", address.endpoint),
            Transport::Socket => {
                let socket = self.sandbox.socket().display();
                format!("{scheme}://{user}@/{database}?socket={socket}")
            }
        }
    }

    /// Runs `weighin COMMAND URL ARGUMENT…`.
    pub(crate) fn weighin(
        &self,
        runner: &Runner,
        command: &str,
        url: String,
        arguments: &[String],
    ) -> anyhow::Result<Finished> {
        let mut program = runner.weighin();
        program.arg(command).arg(url).arg("--password-file").arg(&self.password_file);
        runner.run(program.args(arguments))
    }
}

/// Settings as results name them.
pub(crate) fn named(settings: &[(&str, &str)]) -> String {
    let named: Vec<_> = settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    named.join(", ")
}
