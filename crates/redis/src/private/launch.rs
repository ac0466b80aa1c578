//! Everything that starting a private Redis server takes.

use super::configuration::Configuration;
use super::facts::FACTS;
use host::recipe::{
    CERTIFICATE, Distribution, Home, KEY, PrivateServerKind, Recipe, RecipeOrder, ServerProgram,
    file_trouble,
};
use model::{Failure, FailureKind};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::process::Command;

/// Servers of this kind, the first that is installed is taken.
const PROGRAMS: [&str; 3] = ["redis-server", "valkey-server", "keydb-server"];
/// Where they may be, besides `PATH`.
const USUAL_PLACES: [&str; 3] = ["/usr/bin", "/usr/local/bin", "/opt/redis/bin"];
/// The file of its configuration.
const CONFIGURATION: &str = "redis.conf";

/// Redis, Valkey and KeyDB.
pub static KIND: PrivateServerKind = PrivateServerKind {
    facts: FACTS,
    recipe: |order, distribution| Ok(Box::new(Redis::new(order, distribution)?)),
};

/// How a target's Redis server is started. Installed ones run as the user that runs weighin.
#[derive(Debug)]
struct Redis {
    program: ServerProgram,
    configuration: Configuration,
}

impl Redis {
    /// Finds the program, that of the name if one is given, and checks the settings.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there or does not run, `SandboxStart` that names a setting.
    fn new(order: RecipeOrder, distribution: Distribution) -> Result<Self, Failure> {
        let RecipeOrder { target, settings, trusted, program: named, .. } = order;
        let configuration = Configuration::new(&target, settings, trusted)?;
        let wanted = named.as_deref().map_or(PROGRAMS.to_vec(), |name| vec![name]);
        let path =
            distribution.find_program(&wanted, &[], &USUAL_PLACES, || not_installed(&wanted))?;
        if !distribution.is_installed() {
            distribution.ask(&path, &["--version"])?;
        }
        Ok(Self { program: ServerProgram { target, distribution, path }, configuration })
    }
}

fn not_installed(wanted: &[&str]) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        match wanted {
            [only] => format!("{only} is not installed, on PATH or elsewhere"),
            several => {
                format!("none of {} is installed, on PATH or elsewhere", several.join(", "))
            }
        },
        "install it, such as the Debian package redis-server, or name an unpacked distribution: \
         sandbox = { base = \"/opt/valkey-8\" }",
    )
}

impl Recipe for Redis {
    fn program(&self) -> &ServerProgram {
        &self.program
    }

    fn prepare(&self, home: &Home, password: &str, _: Option<&str>) -> Result<(), Failure> {
        // A file, because anybody may read the arguments of a process.
        home.write(CONFIGURATION, &self.configuration.text(home, password))
            .and_then(|file| self.program.run_as().give_file(&file))
            .map_err(|error| file_trouble("the configuration", &home.run(), &error))?;
        home.hand_over(self.program.run_as())
    }

    fn command(&self, home: &Home, listen: SocketAddr) -> Command {
        let mut command = self.program.command(home);
        command
            .arg(home.path_of(CONFIGURATION))
            .args(["--bind", &listen.ip().to_string()])
            // Encrypted alone, where others reach it.
            .args([if home.has(CERTIFICATE) { "--tls-port" } else { "--port" }])
            .arg(listen.port().to_string());
        if home.has(CERTIFICATE) {
            command
                .args(["--port", "0", "--tls-auth-clients", "no", "--tls-cert-file"])
                .arg(home.path_of(CERTIFICATE))
                .arg("--tls-key-file")
                .arg(home.path_of(KEY));
        }
        command
    }

    /// The server answers while it still loads its data, and says so.
    fn is_ready(&self, stream: &mut UnixStream, home: &Home) -> io::Result<bool> {
        let password = home.read_password()?;
        stream.write_all(format!("AUTH {password}\r\nPING\r\n").as_bytes())?;
        let mut answer = Vec::new();
        let mut piece = [0; 256];
        while answer.iter().filter(|&&byte| byte == b'\n').count() < 2 {
            match stream.read(&mut piece)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                length => answer.extend_from_slice(&piece[..length]),
            }
        }
        Ok(answer.ends_with(b"+PONG\r\n"))
    }

    fn slow_end_remedy(&self) -> &'static str {
        "a server with save points writes all its data when it ends: save = \"\" leaves that out"
    }
}
