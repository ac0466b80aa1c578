//! Directories in commands that a message proposes.

use model::text::shell_word;
use std::path::{Component, Path};

/// Top directories below which nothing is a tree of its own that an administrator may change.
const OF_SYSTEM: [&str; 14] = [
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "lost+found", "proc", "run",
    "sbin", "sys", "usr",
];
/// Directories of `/var` in which every name is a tree of its own.
const OF_VAR: [&str; 4] = ["cache", "lib", "opt", "tmp"];
/// What is in `/usr/local` of every system.
const OF_LOCAL: [&str; 10] =
    ["bin", "etc", "games", "include", "lib", "libexec", "man", "sbin", "share", "src"];

/// A directory as a word of a shell, for a command that changes or removes it with all that is in it;
/// `None` where that would meet more than one program or one user's data: the root, directories of the
/// system, homes, and what holds such things of several. Every message that proposes such a command
/// asks here.
pub(super) fn own_tree(directory: &Path) -> Option<String> {
    // Where it leads counts: a link, or `..`, may lead to the root.
    let real = std::fs::canonicalize(directory).ok()?;
    is_own_tree(&real).then(|| shell_word(&real.to_string_lossy()).into_owned())
}

/// Of a path without links.
fn is_own_tree(path: &Path) -> bool {
    let is_plain = path.to_str().is_some_and(|text| !text.contains(char::is_control));
    let names: Option<Vec<&str>> = path
        .components()
        .skip(1)
        .map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let Some(names) = names.filter(|_| is_plain && path.is_absolute()) else { return false };
    match names.as_slice() {
        // The root and what is in it, homes, and what others are in.
        [] | [_] | ["home" | "var", _] => false,
        ["var", above, ..] => OF_VAR.contains(above),
        ["usr", "local", name] => !OF_LOCAL.contains(name),
        ["usr", "local", name, ..] => *name == "src" || !OF_LOCAL.contains(name),
        [top, ..] => !OF_SYSTEM.contains(top),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_command_names_more_than_one_tree() {
        let whole = "/ /usr /etc /var /home /opt /root /srv /mnt /tmp /bin /lib64 /boot /dev /proc \
                     /sys /run /data /home/me /usr/local /usr/local/bin /usr/local/lib \
                     /usr/local/lib/x /usr/local/src /usr/bin /usr/lib/mysql /usr/share/x/y \
                     /etc/mysql /var/lib /var/log /var/log/mysql /var/spool/x /var/tmp /run/mysqld \
                     /dev/shm/x /proc/1/root/opt/x relative /opt/x\u{7}";
        for whole in whole.split(' ') {
            assert!(!is_own_tree(Path::new(whole)), "{whole}");
        }
        let own = "/opt/mariadb-11.4 /srv/db/mysql /home/me/mariadb /root/mariadb /tmp/x \
                   /usr/local/mysql /usr/local/mysql/bin /usr/local/src/mysql /var/lib/mysql \
                   /var/tmp/x /data/db";
        for own in own.split(' ') {
            assert!(is_own_tree(Path::new(own)), "{own}");
        }
    }

    #[test]
    fn where_a_path_leads_counts_and_it_is_one_word() {
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("link");
        symlink("/", &link).unwrap();
        for path in [link.join("usr"), link, directory.path().join("../..")] {
            assert_eq!(own_tree(&path), None, "{}", path.display());
        }
        assert_eq!(own_tree(Path::new("/no/such/directory")), None);
        let odd = directory.path().join("a b; rm -rf $HOME");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(own_tree(&odd).unwrap(), format!("'{}'", odd.display()));
    }
}
