//! Data directories made once and copied after that.

use super::distribution::Distribution;
use super::home::Home;
use super::identity::Identity;
use super::kind::LogWords;
use super::left::guard;
use super::trouble::{file_trouble, log_trouble};
use crate::local::child;
use crate::local::os;
use crate::question::Ended;
use crate::waiting::Waiting;
use files::Directory;
use model::Failure;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the data directory of a server is before its first start.
pub struct InitialData<'a> {
    pub distribution: &'a Distribution,
    /// Begins the names of templates.
    pub version: String,
    /// Files that make it: of another file it may be another.
    pub made_by: Vec<&'a Path>,
    /// Options that make it differ.
    pub options: Vec<String>,
    /// A file in it that each server makes anew, to be told from others: no copy has it.
    pub name_file: &'a str,
    /// Makes it in a home: as this account, which alone may enter it yet, or as the server's, whose it is
    /// already.
    pub make: &'a dyn Fn(&Home) -> Result<(), Failure>,
}

/// What the programs of unpacked distributions have made, by the directory that it is in and the name
/// of a template. [`forget_kept`] removes it, and the guardian of each when this process is killed.
static MADE: Mutex<BTreeMap<(PathBuf, String), Made>> = Mutex::new(BTreeMap::new());

/// A copy of what was made first; `None` until then. Others wait for it, and not for that of another
/// distribution.
type Made = Arc<Mutex<Option<Home>>>;

/// The most bytes of one that are copied: several times what servers make. Processes of the account that
/// makes it may write to it meanwhile.
const MOST_COPIED: u64 = 2 << 30;

/// How long making a data directory may take: seconds on most disks.
const INITIALISE_LIMIT: Duration = Duration::from_secs(300);

impl InitialData<'_> {
    /// Fills a sandbox's empty data directory, and gives the sandbox to the server: from the cache, or
    /// else by initialising it, and then keeps a copy in the cache for the next time.
    ///
    /// What is made as an account without rights, by a distribution that only the study vouches for or by
    /// programs that refuse to be root, goes into no cache: only those get it that the same distribution runs in this process.
    ///
    /// # Errors
    /// When initialising fails, or the data can't be copied.
    pub fn fill(&self, home: &Home) -> Result<(), Failure> {
        let run_as = self.distribution.run_as();
        if self.distribution.makes_data_as_other() {
            return self.fill_as_others(home);
        }
        let trouble = |error| file_trouble("a copy", &home.data(), &error);
        let data = home.open_data().map_err(trouble)?;
        // A cache that can't be used, or into which others could put data of theirs, costs time and
        // nothing else.
        let cache =
            cache_directory().and_then(|path| Directory::open_or_create_trusted(&path).ok());
        let key = self.key().map_err(trouble)?;
        if let Some(template) = cache.as_ref().and_then(|cache| template(cache, &key)) {
            template.copy_into(&data).map_err(trouble)?;
            return home.hand_over(run_as);
        }
        (self.make)(home)?;
        self.forget_name(&data).map_err(trouble)?;
        if let Some(cache) = cache {
            let _ = keep(&data, &cache, &key);
        }
        home.hand_over(run_as)
    }

    /// Fills the data directory as that of the first one of this distribution was, and keeps what the first
    /// one made, as long as this process lives: making one may take seconds of a processor.
    fn fill_as_others(&self, home: &Home) -> Result<(), Failure> {
        let run_as = self.distribution.run_as();
        let trouble = |error| file_trouble("a copy", &home.data(), &error);
        let parent = home.root().parent().unwrap_or(Path::new("/"));
        let key = (parent.to_owned(), self.key().map_err(trouble)?);
        let made =
            MADE.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        // Where somebody has removed it, it is made again.
        if let Some(made) = made.as_ref().and_then(|made| made.open_data().ok()) {
            home.open_data().and_then(|data| made.copy_into(&data)).map_err(trouble)?;
            return home.hand_over(run_as);
        }
        home.hand_over(run_as)?;
        (self.make)(home)?;
        // Without room for a copy, or where it may not be made, the next one takes as long as this one.
        *made = self.kept_copy(home, parent).ok();
        Ok(())
    }

    fn kept_copy(&self, home: &Home, parent: &Path) -> Result<Home, Failure> {
        let kept = Home::make(parent, None, None)?;
        let copied = home.open_data().and_then(|data| {
            let copy = kept.open_data()?;
            data.copy_at_most(&copy, MOST_COPIED)?;
            self.forget_name(&copy)
        });
        copied.map_err(|error| file_trouble("a copy", &home.data(), &error))?;
        Ok(kept)
    }

    fn forget_name(&self, data: &Directory) -> io::Result<()> {
        match data.remove_file(self.name_file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The name of a template: whatever makes initialised data differ. Programs are those files, as they
    /// are now: a build may have the path and the version of another.
    ///
    /// # Errors
    /// When a program is not there.
    fn key(&self) -> io::Result<String> {
        let mut digest = Sha256::new();
        let mut add = |part: &[u8]| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        match self.distribution.container() {
            Some(container) => add(container.id.as_bytes()),
            None => {
                for file in &self.made_by {
                    add(&Identity::for_file(file)?.bytes());
                }
            }
        }
        if let Some(administrator) = self.distribution.run_as().administrator() {
            add(administrator.as_bytes());
        }
        self.options.iter().for_each(|option| add(option.as_bytes()));
        let digest: String = digest.finalize()[..16].iter().map(|b| format!("{b:02x}")).collect();
        let key = format!("{}-weighin-{}-{digest}", self.version, env!("CARGO_PKG_VERSION"));
        Ok(key.replace(|c: char| !c.is_ascii_alphanumeric() && !".-+".contains(c), "_"))
    }
}

/// Removes what is kept for further private servers of this process: to be called before it ends, as the
/// guardians that do so otherwise are killed with the first process of a container.
pub fn forget_kept() {
    MADE.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// The template of that name; `None` where there is none that only this account and root can have
/// made.
fn template(cache: &Directory, key: &str) -> Option<Directory> {
    let template = cache.directory(key).ok()?;
    template.facts().ok()?.check_trusted(template.path()).ok()?;
    Some(template)
}

/// Where templates are kept: `$XDG_CACHE_HOME/weighin`, else `/var/cache/weighin` for root and
/// `~/.cache/weighin` for others; `None` when none of these is named.
fn cache_directory() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let base = variable("XDG_CACHE_HOME").or_else(|| {
        if os::is_root() {
            Some(PathBuf::from("/var/cache"))
        } else {
            variable("HOME").map(|home| home.join(".cache"))
        }
    })?;
    Some(base.join("weighin"))
}

/// Runs a program that makes a data directory, with that on its standard input.
///
/// # Errors
/// When it cannot be run, fails or takes too long: with the telling lines of what it says.
pub fn run_initialiser(
    mut command: Command,
    input: &[u8],
    words: &LogWords,
) -> Result<(), Failure> {
    let name = Path::new(command.get_program()).display().to_string();
    let never = || false;
    let _waiting = Waiting::for_the(format!("{name} to make a data directory"));
    let ended = child::run(&mut command, input, INITIALISE_LIMIT, &never)
        .map_err(|error| log_trouble(&format!("{name} could not be run: {error}"), "", words))?;
    let output = match ended {
        Ended::Finished(output) => output,
        Ended::TimedOut | Ended::Stopped => {
            let seconds = INITIALISE_LIMIT.as_secs();
            return Err(log_trouble(&format!("{name} took more than {seconds} s"), "", words));
        }
    };
    if output.status.success() {
        return Ok(());
    }
    Err(log_trouble(
        &format!("{name} could not make a data directory ({})", output.status),
        &[output.stdout, output.stderr].concat(),
        words,
    ))
}

/// Puts a copy of an initialised data directory into the cache, whole or not at all.
fn keep(data: &Directory, cache: &Directory, key: &str) -> io::Result<()> {
    // On the cache's own file system, so that the last step is a rename.
    let staging = format!(".staging-{}", os::random_hex(6)?);
    // Removes it when this is done, and when weighin is killed before that.
    let mut guardian = guard(&cache.path().join(&staging))?;
    let staging = cache.create_directory(&staging, 0o700)?;
    guardian.say_made(&staging)?;
    let copy = staging.create_directory("data", 0o700)?;
    data.copy_into(&copy)?;
    // After a power failure the rename must not be there without the data.
    os::sync_filesystem(&copy)?;
    // Fails when another weighin was quicker, and its template is as good.
    staging.rename_new("data", cache, key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_first_template_stays_and_no_half_one_is_left() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join("data")).unwrap();
        let data = Directory::open(&parent.path().join("data")).unwrap();
        let cache = Directory::open_or_create_trusted(&parent.path().join("a/cache")).unwrap();
        fs::write(data.path().join("ibdata1"), "first").unwrap();
        keep(&data, &cache, "10.11").unwrap();
        fs::write(data.path().join("ibdata1"), "second").unwrap();
        assert!(keep(&data, &cache, "10.11").is_err());
        let template = template(&cache, "10.11").unwrap();
        assert_eq!(fs::read(template.path().join("ibdata1")).unwrap(), b"first");
        assert_eq!(cache.names().unwrap(), ["10.11"]);
    }

    #[test]
    fn a_template_that_others_can_change_is_no_template() {
        let parent = tempfile::tempdir().unwrap();
        let cache = Directory::open(parent.path()).unwrap();
        fs::create_dir(parent.path().join("real")).unwrap();
        assert!(template(&cache, "real").is_some());
        symlink("real", parent.path().join("link")).unwrap();
        assert!(template(&cache, "link").is_none());
        fs::set_permissions(parent.path().join("real"), Permissions::from_mode(0o777)).unwrap();
        assert!(template(&cache, "real").is_none());
    }
}
