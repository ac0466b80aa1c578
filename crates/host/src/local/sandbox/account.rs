//! Who a private server runs as.

use crate::local::os;
use files::Directory;
use model::{Failure, FailureKind};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, fchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The account without rights that every machine has.
const NOBODY: &str = "nobody";

/// An account of this machine that is not weighin's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Account {
    uid: u32,
    gid: u32,
}

/// Who a private server runs as.
///
/// An ordinary user's servers run as that user. Root's run as the packages' own account, as
/// installed servers do, unless that account can't reach the directory (one below `/root`, say);
/// then, and where there is no such account, they run as root.
///
/// Other processes of that account may be hostile: an installed server that somebody broke into
/// runs as it, too. What is given to the account is never written, followed or read by path again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunAs {
    account: Option<Account>,
    /// What that account is called.
    name: &'static str,
    is_root: bool,
}

impl RunAs {
    /// The user that runs weighin.
    pub(super) fn own() -> Self {
        Self { account: None, name: "", is_root: os::is_root() }
    }

    /// For programs that only the study vouches for, or that refuse to be root: root runs them as an
    /// account without rights, that of their packages (`own`) or nobody, which must reach these directories.
    ///
    /// # Errors
    /// `NotPermitted` where there is no such account.
    pub(super) fn without_rights(
        own: &'static str,
        directories: &[&Path],
    ) -> Result<Self, Failure> {
        if !os::is_root() {
            return Ok(Self::own());
        }
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let mut closed = None;
        for name in [own, NOBODY] {
            let Some(account) = find(&passwd, name) else { continue };
            match directories.iter().find(|directory| !account.reaches(directory)) {
                None => return Ok(Self { account: Some(account), name, is_root: true }),
                Some(directory) => closed = Some((name, directory)),
            }
        }
        let message = match closed {
            Some((name, directory)) => format!(
                "the account {name}, as which root runs this server, cannot reach {}",
                directory.display()
            ),
            None => {
                format!("there is no account {own} or {NOBODY} as which root could run this server")
            }
        };
        let remedy = "move it to where every account may pass through, such as /opt, or run weighin \
                      as an ordinary user";
        Err(Failure::new(FailureKind::NotPermitted, message, remedy))
    }

    /// Decides for an installed server of such an account, whose directory will be made in `parent`.
    pub(super) fn for_directory(own: &'static str, parent: &Path) -> Self {
        let is_root = os::is_root();
        let account = is_root
            .then(|| find(&fs::read_to_string("/etc/passwd").unwrap_or_default(), own))
            .flatten()
            .filter(|account| account.reaches(parent));
        Self { account, name: own, is_root }
    }

    /// Has a command run as the server's account from its first instruction.
    ///
    /// A server that changes its user by itself does so later: until then it works in its data directory
    /// as root, and follows the links that its account has put there.
    pub(super) fn apply(&self, command: &mut Command) {
        if let Some(account) = &self.account {
            os::allow_many_files();
            // The standard library clears supplementary groups with it.
            command.gid(account.gid).uid(account.uid);
        }
    }

    /// Has `nsenter` do the same, once it is where only root may go.
    pub(super) fn apply_by_options(&self, nsenter: &mut Command) {
        if let Some(account) = &self.account {
            os::allow_many_files();
            nsenter.arg(format!("--setgid={}", account.gid));
            nsenter.arg(format!("--setuid={}", account.uid));
        }
    }

    /// The user that a server is told to run as which refuses to be root without that; `None` where it
    /// is not root.
    pub fn user_option(&self) -> Option<&'static str> {
        (self.account.is_none() && self.is_root).then_some("root")
    }

    /// The account of the operating system that may log in to the server as its administrator.
    pub fn administrator(&self) -> Option<&'static str> {
        self.account.is_some().then_some(self.name)
    }

    /// The numbers of user and group, as container engines take them.
    pub(super) fn numbers(&self) -> String {
        match &self.account {
            Some(account) => format!("{}:{}", account.uid, account.gid),
            None => os::own_numbers(),
        }
    }

    /// A list of accounts, as `/etc/passwd` has it, with the server's and root's.
    pub(super) fn account_list(&self) -> String {
        let line = |name, numbers: &str| format!("{name}:x:{numbers}::/:/bin/false\n");
        match (&self.account, self.is_root) {
            (Some(_), _) => line("root", "0:0") + &line(self.name, &self.numbers()),
            (None, true) => line("root", &self.numbers()),
            (None, false) => line("root", "0:0") + &line("weighin", &self.numbers()),
        }
    }

    /// Whether the server runs as another user than weighin.
    pub(super) fn is_other(&self) -> bool {
        self.account.is_some()
    }

    /// Gives a directory, with all that is in it, to the server; the account must not be able to
    /// enter it before, see [`Directory::give_all`].
    ///
    /// # Errors
    /// When ownership can't be changed.
    pub(super) fn give(&self, directory: &Directory) -> io::Result<()> {
        let Some(account) = &self.account else { return Ok(()) };
        directory.give_all(account.uid, account.gid)
    }

    /// Gives an open file to the server.
    ///
    /// # Errors
    /// When ownership can't be changed.
    pub fn give_file(&self, file: &File) -> io::Result<()> {
        let Some(account) = &self.account else { return Ok(()) };
        fchown(file, Some(account.uid), Some(account.gid))
    }
}

impl Account {
    /// Whether the account may pass through a directory and all directories above it.
    fn reaches(&self, directory: &Path) -> bool {
        let Ok(directory) = directory.canonicalize() else { return false };
        directory.ancestors().all(|path| {
            path.metadata().is_ok_and(|facts| {
                let pass = if facts.uid() == self.uid {
                    0o100
                } else if facts.gid() == self.gid {
                    0o010
                } else {
                    0o001
                };
                facts.mode() & pass != 0
            })
        })
    }
}

/// An account in the text of `/etc/passwd`.
pub(super) fn find(passwd: &str, name: &str) -> Option<Account> {
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut numbers = line.split(':').skip(2).map(|field| field.parse().ok());
    Some(Account { uid: numbers.next()??, gid: numbers.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn accounts_are_found_by_their_whole_name() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\nmysql2:x:9:9::/:/bin/false\n\
                      mysql:x:102:105:MySQL Server,,,:/nonexistent:/bin/false\n";
        assert_eq!(find(passwd, "mysql"), Some(Account { uid: 102, gid: 105 }));
        assert_eq!(find(passwd, "nobody"), None);
        assert_eq!(find("mysql:x:many:105::/:/bin/false", "mysql"), None);
    }

    #[test]
    fn the_list_of_accounts_has_the_one_that_the_server_runs_as() {
        let account = Account { uid: 105, gid: 109 };
        let other = RunAs { account: Some(account.clone()), name: "postgres", is_root: true };
        let list = other.account_list();
        assert_eq!(list, "root:x:0:0::/:/bin/false\npostgres:x:105:109::/:/bin/false\n");
        assert_eq!(find(&list, "postgres"), Some(account));
        // A user has one name.
        let own = RunAs::own();
        let ids: Vec<String> = own
            .account_list()
            .lines()
            .map(|line| line.split(':').skip(2).take(2).collect::<Vec<_>>().join(":"))
            .collect();
        assert!(ids.contains(&own.numbers()), "{ids:?}");
        assert_eq!(ids.iter().filter(|ids| ids.starts_with("0:")).count(), 1);
    }

    #[test]
    fn a_closed_directory_is_out_of_reach() {
        // An id that owns nothing here.
        let stranger = Account { uid: 3_999_999_999, gid: 3_999_999_999 };
        let open = Path::new("/var/tmp");
        assert!(stranger.reaches(open));
        let closed = tempfile::tempdir_in(open).unwrap();
        fs::set_permissions(closed.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(!stranger.reaches(closed.path()));
        assert!(!stranger.reaches(&closed.path().join("missing")));
    }
}
