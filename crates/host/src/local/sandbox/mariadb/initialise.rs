//! How a data directory is made.

use super::launch::{KIND, MariaDb, path_option};
use super::programs::{Initialiser, Programs};
use host::recipe::{Home, InitialData, file_trouble, run_initialiser};
use model::Failure;
use std::path::Path;

/// Initial size of the redo log. The server makes a new one of the size that its settings say when
/// it first starts, so a small one here only makes for a quicker copy.
const REDO_LOG: &str = "--innodb_log_file_size=4M";

/// Where MySQL keeps the name of a server that no other has.
const SERVER_ID_FILE: &str = "auto.cnf";

/// Fills a sandbox's empty data directory, and gives the sandbox to the server.
///
/// # Errors
/// When initialising fails, or the data can't be copied.
pub(super) fn fill_data_directory(home: &Home, launch: &MariaDb) -> Result<(), Failure> {
    let Programs { version, server, initialiser, .. } = &launch.programs;
    let mut made_by: Vec<&Path> = vec![server];
    match initialiser {
        Initialiser::Script(script) => made_by.push(script),
        Initialiser::Server => {}
        Initialiser::Statements(files) => made_by.extend(files.iter().map(AsRef::<Path>::as_ref)),
    }
    let data = InitialData {
        distribution: &launch.distribution,
        version: version.to_string(),
        made_by,
        options: launch.settings.initial_options(),
        name_file: SERVER_ID_FILE,
        make: &|home| initialise(home, launch),
    };
    data.fill(home)
}

fn initialise(home: &Home, launch: &MariaDb) -> Result<(), Failure> {
    let Programs { server, initialiser, .. } = &launch.programs;
    let program = match initialiser {
        Initialiser::Script(script) => script,
        Initialiser::Server | Initialiser::Statements(_) => server,
    };
    let mut command = launch.distribution.command(program, home);
    command.arg("--no-defaults");
    let mut statements = Vec::new();
    match initialiser {
        Initialiser::Script(_) => {
            command
                .args(launch.programs.base.iter().map(|base| path_option("--basedir=", base)))
                // Not --user: with it the program would also change the owners of files of the
                // installation.
                // The machine's root, or the server's account, may log in over the socket, and
                // nobody else.
                .arg("--auth-root-authentication-method=socket")
                .args(
                    launch
                        .distribution
                        .run_as()
                        .administrator()
                        .map(|user| format!("--auth-root-socket-user={user}")),
                )
                .args(["--skip-name-resolve", REDO_LOG]);
            if launch.programs.version.is_mariadb_from([10, 4, 0]) {
                command.arg("--skip-test-db");
            }
        }
        Initialiser::Server => {
            command.arg("--initialize-insecure").args(launch.distribution_options()).args(
                launch.distribution.run_as().user_option().map(|user| format!("--user={user}")),
            );
        }
        Initialiser::Statements(files) => {
            command.arg("--bootstrap").args(launch.distribution_options()).args(
                launch.distribution.run_as().user_option().map(|user| format!("--user={user}")),
            );
            statements.extend(b"CREATE DATABASE mysql;\nUSE mysql;\n");
            for file in files {
                let text = std::fs::read(file);
                statements
                    .extend(text.map_err(|error| file_trouble("the system tables", file, &error))?);
            }
        }
    }
    command.arg(path_option("--datadir=", &home.data())).args(launch.settings.initial_options());
    run_initialiser(command, &statements, &KIND.facts.log_words)
}
