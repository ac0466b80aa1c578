//! Where the programs of a private server come from, and as whom they run.

use super::account::RunAs;
use super::answers;
use super::container::Container;
use super::home::Home;
use super::kind::KindFacts;
use super::trouble::run_trouble;
use crate::local::advice::own_tree;
use crate::local::command::search_path;
use files::Directory;
use model::{Failure, FailureKind, Software};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Where unpacked distributions have their programs: archives of the makers, packages of
/// distributions, built sources, and a directory with nothing else.
const IN_BASE: [&str; 9] =
    ["bin", "sbin", "libexec", "scripts", "usr/sbin", "usr/bin", "usr/libexec", "src", ""];

/// Programs of servers: those that are installed, those of an unpacked distribution that the study
/// names, or those of a container image.
///
/// Nobody vouches for what a study names. As root weighin runs it, and whatever initialises its
/// data, as an account without rights, and only where nobody but root could have changed it.
#[derive(Debug)]
pub struct Distribution {
    kind: &'static KindFacts,
    source: Source,
    run_as: RunAs,
    /// Where the server's directory will be made.
    parent: PathBuf,
    /// Whether none of its programs may be root.
    never_root: bool,
}

#[derive(Debug)]
enum Source {
    Installed,
    Base(PathBuf),
    Container(Container),
}

impl Distribution {
    /// Finds it, for a server whose directory will be made in `parent`.
    ///
    /// # Errors
    /// `MissingProgram` where there is no such directory, `NotPermitted` where others could change
    /// it, or no account is there to run it as.
    pub fn find(
        software: &Software,
        kind: &'static KindFacts,
        parent: &Path,
    ) -> Result<Self, Failure> {
        let found = |source, run_as| Self {
            kind,
            source,
            run_as,
            parent: parent.to_owned(),
            never_root: false,
        };
        match software {
            Software::Installed => {
                let run_as = match kind.runs_as_account {
                    true => RunAs::for_directory(kind.account, parent),
                    false => RunAs::own(),
                };
                Ok(found(Source::Installed, run_as))
            }
            Software::Base(base) => {
                let directory = Directory::open(base).map_err(|error| no_base(base, &error))?;
                let checked = directory.check_trusted_path().and_then(|()| directory.check_tree());
                checked.map_err(|error| base_in_other_hands(base, &error, kind))?;
                let base = directory.path().to_owned();
                let run_as = RunAs::without_rights(kind.account, &[parent, &base])?;
                Ok(found(Source::Base(base), run_as))
            }
            Software::Container(image) => {
                // Engines take what is behind it for another directory.
                if parent.as_os_str().as_encoded_bytes().contains(&b':') {
                    return Err(Failure::new(
                        FailureKind::NotPermitted,
                        format!(
                            "a container cannot be given {}, which has a colon in its name",
                            parent.display()
                        ),
                        "name another `directory` in the sandbox",
                    ));
                }
                let container = Container::find(image)?;
                let run_as = RunAs::without_rights(kind.account, &[parent])?;
                Ok(found(Source::Container(container), run_as))
            }
        }
    }

    /// The same for a server whose programs refuse to be root: what is installed, too, runs as an account
    /// without rights.
    ///
    /// # Errors
    /// `NotPermitted` where there is no such account, or it cannot reach the server's directory.
    pub fn never_root(self) -> Result<Self, Failure> {
        let run_as = match self.source {
            Source::Installed => RunAs::without_rights(self.kind.account, &[&self.parent])?,
            Source::Base(_) | Source::Container(_) => self.run_as,
        };
        Ok(Self { run_as, never_root: true, ..self })
    }

    /// Whether it makes initial data as another account than weighin's.
    pub(super) fn makes_data_as_other(&self) -> bool {
        match self.source {
            Source::Container(_) => true,
            Source::Base(_) => self.run_as.is_other(),
            Source::Installed => self.never_root && self.run_as.is_other(),
        }
    }

    pub(super) fn kind(&self) -> &'static KindFacts {
        self.kind
    }

    /// The directory of an unpacked distribution.
    pub fn base(&self) -> Option<&Path> {
        match &self.source {
            Source::Base(base) => Some(base),
            Source::Installed | Source::Container(_) => None,
        }
    }

    pub(super) fn container(&self) -> Option<&Container> {
        match &self.source {
            Source::Container(container) => Some(container),
            Source::Installed | Source::Base(_) => None,
        }
    }

    /// Whether its programs are what the machine's administrator has installed.
    pub fn is_installed(&self) -> bool {
        matches!(self.source, Source::Installed)
    }

    pub fn run_as(&self) -> &RunAs {
        &self.run_as
    }

    /// Finds the first of several programs. Installed ones are looked for in the places `first`, then
    /// along the `PATH`, then in the `usual` ones; in a container programs are known by their names
    /// alone.
    ///
    /// # Errors
    /// `MissingProgram`; `not_installed` says it of installed programs.
    pub fn find_program(
        &self,
        names: &[&str],
        first: &[PathBuf],
        usual: &[&str],
        not_installed: impl FnOnce() -> Failure,
    ) -> Result<PathBuf, Failure> {
        let places: Vec<PathBuf> = match &self.source {
            Source::Container(container) => return self.find_in_image(container, names),
            Source::Installed => first.iter().cloned().chain(search_path(usual)).collect(),
            Source::Base(base) => IN_BASE.iter().map(|place| base.join(place)).collect(),
        };
        let found = names
            .iter()
            .flat_map(|name| places.iter().map(move |place| place.join(name)))
            .find(|program| program.is_file());
        match (found, &self.source) {
            (Some(program), _) => self.checked(program),
            (None, Source::Base(base)) => {
                Err(no_server(&format!("{}, in its bin, sbin or elsewhere", base.display()), names))
            }
            (None, _) => Err(not_installed()),
        }
    }

    fn find_in_image(&self, container: &Container, names: &[&str]) -> Result<PathBuf, Failure> {
        /// What engines end with where the image has no such program.
        const NOT_FOUND: i32 = 127;
        /// What they end with where they cannot run a container.
        const NOT_RUN: [i32; 2] = [125, 126];
        for name in names {
            let program = Path::new(name);
            let output = container.answer(program, &self.run_as, &["--help"]);
            let output = output.map_err(|error| not_run(program, &error))?;
            match output.status.code() {
                Some(NOT_FOUND) => {}
                Some(code) if NOT_RUN.contains(&code) => {
                    return Err(run_trouble(program, &output, &self.kind.log_words));
                }
                // What it says to the question does not matter.
                _ => return Ok(program.to_owned()),
            }
        }
        Err(no_server(&format!("the image {}", container.image), names))
    }

    /// A command that runs a program of the distribution that makes the data in a home.
    pub fn command(&self, program: &Path, home: &Home) -> Command {
        if let Source::Container(container) = &self.source {
            return container.command(program, &self.run_as, home);
        }
        let mut command = self.unconfined(program);
        command.env("TMPDIR", home.temporary());
        command
    }

    /// A command that runs a program of the distribution outside of any container.
    fn unconfined(&self, program: &Path) -> Command {
        let mut command = crate::local::command::command(program);
        command.current_dir("/").stdin(Stdio::null());
        if !self.is_installed() || self.never_root {
            self.run_as.apply(&mut command);
        }
        command
    }

    /// A command that runs the server on a home, which is told by the caller as whom.
    pub(super) fn server_command(&self, program: &Path, home: &Home) -> Command {
        match &self.source {
            Source::Container(container) => container.command(program, &self.run_as, home),
            Source::Installed | Source::Base(_) => crate::local::command::command(program),
        }
    }

    /// Which program a server is, in words.
    pub(super) fn describe(&self, program: &Path) -> String {
        match &self.source {
            Source::Container(Container { image, id, .. }) => {
                format!("{} of the image {image} ({id})", program.display())
            }
            Source::Installed | Source::Base(_) => program.display().to_string(),
        }
    }

    /// A program that was found, where it really is.
    ///
    /// # Errors
    /// `NotPermitted` for a link that leads out of an unpacked distribution, to where others might
    /// change the program.
    fn checked(&self, program: PathBuf) -> Result<PathBuf, Failure> {
        let Some(base) = self.base() else { return Ok(program) };
        match program.canonicalize() {
            Ok(real) if real.starts_with(base) => Ok(program),
            Ok(real) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!(
                    "{} leads out of the distribution, to {}",
                    program.display(),
                    real.display()
                ),
                "name the directory that has the program itself",
            )),
            Err(error) => Err(no_base(&program, &error)),
        }
    }

    /// What a program of the distribution prints.
    ///
    /// # Errors
    /// `MissingProgram` with what it says where it does not run, such as a library that is missing.
    pub fn ask(&self, program: &Path, arguments: &[&str]) -> Result<String, Failure> {
        let output = self.answer(program, arguments).map_err(|error| not_run(program, &error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(run_trouble(program, &output, &self.kind.log_words))
    }

    /// What a program of the distribution does when it is asked something, which is done once.
    ///
    /// # Errors
    /// When it can't be run.
    pub fn answer(&self, program: &Path, arguments: &[&str]) -> io::Result<Output> {
        match &self.source {
            // An engine would have to be asked whether the image still is the same.
            Source::Container(container) => container.answer(program, &self.run_as, arguments),
            Source::Installed | Source::Base(_) => {
                answers::answer(program, self.unconfined(program).args(arguments))
            }
        }
    }
}

fn not_run(program: &Path, error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        format!("{} could not be run: {error}", program.display()),
        "see whether it is a program for this machine, and whether every account may run it",
    )
}

fn no_base(base: &Path, error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        format!("`base` names {}, which cannot be opened: {error}", base.display()),
        "name the directory into which the distribution was unpacked: the one above its bin",
    )
}

fn base_in_other_hands(base: &Path, error: &io::Error, kind: &KindFacts) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!(
            "no server is run from {}, where others could exchange its programs: {error}",
            base.display()
        ),
        match own_tree(base) {
            Some(base) => format!(
                "give the distribution to the account that runs weighin or to root, and take the \
                 right to write from others: chown -R root: {base} && chmod -R go-w {base}"
            ),
            None => format!(
                "unpack the distribution into a directory of its own, such as {}, as root or as the \
                 account that runs weighin",
                kind.base_example
            ),
        },
    )
}

/// That there is none of these programs at that place.
fn no_server(place: &str, names: &[&str]) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        format!("there is no {} in {place}", names.join(" or ")),
        "name the directory into which a distribution of this kind was unpacked, the one above its \
         bin, or an image of such a server",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::sandbox::recipe::tests::MADE_UP;

    #[test]
    fn a_container_gets_no_directory_that_its_engine_would_take_for_two() {
        let image = Software::Container("server:8.4".to_owned());
        let parent = Path::new("/etc:/var/tmp");
        let refused = Distribution::find(&image, &MADE_UP.facts, parent).unwrap_err();
        assert_eq!(refused.kind, FailureKind::NotPermitted);
        assert!(refused.message.contains("/etc:/var/tmp"), "{refused}");
    }
}
