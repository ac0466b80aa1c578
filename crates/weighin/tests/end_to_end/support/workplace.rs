use super::{Started, TIMEOUT, command_lines_with, shared_directory, wait_for};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::Store;

/// A directory to work in, with a home and a place for private servers that nobody else has.
pub struct Workplace {
    directory: tempfile::TempDir,
    sandboxes: tempfile::TempDir,
}

impl Workplace {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), sandboxes: shared_directory() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Where private servers live.
    pub fn sandboxes(&self) -> &Path {
        self.sandboxes.path()
    }

    /// Writes a file that only its owner may read, as a password's has to be, and gives its name.
    pub fn write<'n>(&self, name: &'n str, content: impl AsRef<[u8]>) -> &'n str {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(self.path(name), content).unwrap();
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(self.path(name), private).unwrap();
        name
    }

    /// Makes a command run here.
    pub fn surround(&self, mut command: Command) -> Command {
        command
            .current_dir(self.directory.path())
            .env("HOME", self.directory.path())
            .env("WEIGHIN_SANDBOX_DIR", self.sandboxes.path());
        // Initialised data directories may come from where they are kept anyway.
        if let Some(home) = std::env::home_dir() {
            command.env("XDG_CACHE_HOME", home.join(".cache"));
        }
        command
    }

    /// The command line of somebody who trusts the studies here with the secrets that they name
    /// ([`Self::consent`]).
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.bare_command(arguments);
        command.args(self.consent(arguments));
        command
    }

    /// A command line as it is.
    pub fn bare_command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.surround(Command::new(env!("CARGO_BIN_EXE_weighin")));
        command.args(arguments);
        command
    }

    /// Options that allow the sources of passwords which the study of a command line names, where it
    /// is one that connects: servers of tests have their password in a directory of their own.
    pub fn consent<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Vec<String> {
        let words: Vec<_> = arguments.iter().map(|word| word.as_ref().to_string_lossy()).collect();
        let connects = ["run", "check", "hosts", "cleanup"];
        if !words.first().is_some_and(|command| connects.contains(&&**command)) {
            return Vec::new();
        }
        let Some(study) =
            words.iter().find(|word| word.ends_with(".toml") && !word.contains("://"))
        else {
            return Vec::new();
        };
        let path = self.path(study);
        // A pipe that nobody writes to is for weighin to wait at.
        let text = match path.is_file() {
            true => std::fs::read_to_string(path).unwrap_or_default(),
            false => String::new(),
        };
        let source = |line: &str| {
            let (key, value) = line.split_once('=')?;
            let is_source = ["password_file", "password_env", "token_file", "token_env"];
            is_source.contains(&key.trim()).then(|| value.trim().trim_matches('"').to_owned())
        };
        let mut sources: Vec<String> = text.lines().filter_map(source).collect();
        if text.contains("redis://") {
            sources.push("REDISCLI_AUTH".to_owned());
        }
        sources.dedup();
        sources.into_iter().flat_map(|source| ["--allow-secret".to_owned(), source]).collect()
    }

    /// Runs weighin to its end.
    pub fn weighin<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        Ran::of(self.command(arguments))
    }

    /// Starts weighin.
    pub fn start<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Started {
        Started::new(self.command(arguments))
    }

    /// The files here that end like that.
    pub fn files(&self, ending: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> =
            paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
        files.sort();
        files
    }

    /// The only results file, open for reading.
    pub fn store(&self) -> Store {
        let files = self.files(".weighin");
        assert_eq!(files.len(), 1, "{files:?}");
        Store::open(&files[0]).unwrap()
    }

    /// Waits until no process works on a private server here and all their directories are gone.
    pub fn assert_no_server_left(&self) {
        let place = self.sandboxes().to_str().unwrap();
        wait_for("the private servers' end", || {
            command_lines_with(place).is_empty()
                && std::fs::read_dir(place).unwrap().next().is_none()
        });
    }
}

/// What a run of weighin came to.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Runs a command to its end. Whatever it does, it must not panic.
    pub fn of(command: Command) -> Self {
        let output = assert_cmd::Command::from_std(command).timeout(TIMEOUT).output().unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let ran = Self {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        };
        assert!(!ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// Standard output of a run that did all it should.
    #[track_caller]
    pub fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
        self.out
    }

    /// The same, as JSON.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.done()).unwrap()
    }

    /// Asserts an exit code, and words that the message must have; that it fits on a screen; and
    /// that it says how to fix it.
    #[track_caller]
    pub fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "no «{word}» in: {}", self.err);
        }
        assert!(self.err.lines().count() <= 24, "more than a screen: {}", self.err);
    }
}
