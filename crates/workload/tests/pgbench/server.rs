//! A PostgreSQL of the test's own, without a port, and pgbench.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PROGRAMS: &str = "/usr/lib/postgresql/15/bin";
/// The account `nobody`, as which a server runs where the test is root.
const NOBODY: u32 = 65_534;

/// Says that something cannot be tested here.
pub fn not_tested(why: &str) {
    eprintln!("not tested: {why}");
}

pub struct Postgres {
    directory: TempDir,
    server: Child,
}

impl Postgres {
    /// Absent, and said so, where the programs are.
    pub fn start() -> Option<Self> {
        if !Path::new(PROGRAMS).join("pgbench").exists() {
            not_tested("pgbench 15 is not installed");
            return None;
        }
        let directory = test_support::shared_directory();
        let path = directory.path();
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let data = path.join("data");
        let made = program("initdb", path)
            .args(["--auth=trust", "--username=weighin", "--no-sync", "--encoding=UTF8", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let log = fs::File::create(path.join("log")).unwrap();
        let server = program("postgres", path)
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-k"])
            .arg(path)
            .arg("-D")
            .arg(&data)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut postgres = Self { directory, server };
        postgres.wait();
        Some(postgres)
    }

    fn wait(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.psql("SELECT 1").status.success() {
            let log = fs::read_to_string(self.directory.path().join("log")).unwrap();
            assert!(self.server.try_wait().unwrap().is_none(), "{log}");
            assert!(Instant::now() < deadline, "{log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn psql(&self, sql: &str) -> Output {
        program("psql", self.directory.path())
            .args(["-X", "-A", "-t", "-U", "weighin", "-d", "postgres", "-c", sql, "-h"])
            .arg(self.directory.path())
            .output()
            .unwrap()
    }

    /// pgbench with these options.
    pub fn pgbench(&self, options: &[&str]) -> Output {
        program("pgbench", self.directory.path())
            .args(["--no-vacuum", "-U", "weighin", "-h"])
            .arg(self.directory.path())
            .args(options)
            .arg("postgres")
            .output()
            .unwrap()
    }

    /// Runs a script with these options, one client's transactions.
    pub fn run(&self, script: &str, options: &[&str]) -> Output {
        let file = self.file(script);
        let options = [&["-f", file.to_str().unwrap()], options].concat();
        let output = self.pgbench(&options);
        fs::remove_file(&file).unwrap();
        output
    }

    fn file(&self, script: &str) -> PathBuf {
        let thread = format!("{:?}", std::thread::current().id());
        let name: String = thread.chars().filter(char::is_ascii_digit).collect();
        let file = self.directory.path().join(format!("{name}.sql"));
        fs::write(&file, script).unwrap();
        file
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let id = self.server.id().to_string();
        let _ = Command::new("kill").args(["-QUIT", &id]).status();
        let _ = self.server.wait();
    }
}

/// A program of PostgreSQL, run by an account that a server may have.
fn program(name: &str, directory: &Path) -> Command {
    let program = Path::new(PROGRAMS).join(name);
    let mut command = match fs::metadata("/proc/self").unwrap().uid() {
        0 => {
            let mut command = Command::new("setpriv");
            let nobody = NOBODY.to_string();
            command.args(["--reuid", &nobody, "--regid", &nobody, "--clear-groups"]).arg(program);
            command
        }
        _ => Command::new(program),
    };
    command.current_dir(directory).stdin(Stdio::null()).env("LC_ALL", "C");
    command
}
