//! Hostile processes of the account that private servers run as, and what weighin does as root
//! meanwhile: nothing outside of the sandbox may be made, overwritten, given away or removed.

use crate::support::own_process;
use crate::support::start_sandbox;
use host::local::os;
use host::local::sandbox::SandboxOptions;
use host::{PrivateServer, ServerAct};
use model::FailureKind;
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Where the helpers find what they are to attack.
const PLACE: &str = "WEIGHIN_TEST_PLACE";
/// What is in the files that nobody may touch.
const CANARY: &str = "root's";
/// Files of a data directory that is filled: of a template that is copied.
const DATA: [&str; 12] = [
    "aria_log.00000001", "aria_log_control", "ib_buffer_pool", "ib_logfile0", "ibdata1", "mysql",
    "mysql_upgrade_info", "performance_schema", "sys", "undo001", "undo002", "undo003",
];
/// Files that weighin or the server makes later.
const LATER: [&str; 7] = [
    "ib_buffer_pool", "init.sql", "password", "server.log", "server.pid", "weighin-sandbox",
    "redis.conf",
];

/// A place with a directory for sandboxes and files of root's beside it.
struct Place {
    directory: tempfile::TempDir,
    account: u32,
}

impl Place {
    /// `None` unless this is root, on a machine with the account of MariaDB's packages.
    #[allow(
        clippy::print_stderr,
        reason = "a test that passes without a word seems to have been made"
    )]
    fn make() -> Option<Self> {
        let id = Command::new("id").args(["-u", "mysql"]).output().unwrap();
        let account = String::from_utf8(id.stdout).unwrap().trim().parse().ok();
        let Some(account) = account.filter(|_| os::is_root()) else {
            eprintln!("not tested: this needs root and the account mysql");
            return None;
        };
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let place = Self { directory, account };
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(place.sandboxes()).unwrap();
        // Root's directory, which all may enter and none may change.
        fs::create_dir(place.path().join("root")).unwrap();
        for (name, mode) in [("canary", 0o600), ("readable", 0o644)] {
            let canary = place.path().join("root").join(name);
            fs::write(&canary, CANARY).unwrap();
            fs::set_permissions(&canary, Permissions::from_mode(mode)).unwrap();
        }
        Some(place)
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn sandboxes(&self) -> PathBuf {
        self.path().join("sandboxes")
    }

    /// Runs a test of this module as a process of its own; `user` from its first instruction.
    fn helper(&self, name: &str, user: Option<u32>) -> Child {
        own_process(&format!("sandbox_attacked::{name}"), self.path(), user)
            .env(PLACE, self.path())
            .spawn()
            .unwrap()
    }

    /// Makes sure that nothing of root's was touched.
    fn is_untouched(&self) {
        let root = self.path().join("root");
        let names: BTreeSet<_> =
            fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["canary", "readable"].map(Into::into).into(), "of root's directory");
        for (name, mode) in [("canary", 0o600), ("readable", 0o644), ("", 0o755)] {
            let facts = root.join(name).symlink_metadata().unwrap();
            assert_eq!((facts.uid(), facts.gid()), (0, 0), "owner of {name:?}");
            assert_eq!(facts.mode() & 0o7777, mode, "mode of {name:?}");
            if facts.is_file() {
                assert_eq!(fs::read_to_string(root.join(name)).unwrap(), CANARY, "{name}");
            }
        }
    }
}

/// Not a test: what a hostile process does until its input ends. Each sandbox is attacked in another
/// way, because an attack that keeps the server from starting is in the way of another. Says when it has
/// been in three directories of sandboxes and made some links there: otherwise it has shown nothing.
#[test]
#[ignore = "run by other tests as a process of its own"]
#[allow(clippy::print_stdout, reason = "for the test that runs it")]
fn attacker() {
    let Some(place) = std::env::var_os(PLACE).map(PathBuf::from) else { return };
    let ended = thread::spawn(|| std::io::stdin().read_line(&mut String::new()));
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let test_file = format!("{}.lower-test", host.trim());
    let [canary, absent, root] = ["canary", "absent", ""].map(|name| place.join("root").join(name));
    let (mut sandboxes, mut entered, mut made) = (Vec::new(), BTreeSet::new(), 0_u64);
    let mut has_told = false;
    let mut plant = |directory: PathBuf, name: &str, aim: &Path| {
        let planted = symlink(aim, directory.join(name)).or_else(|_| {
            // In place of what is there.
            let aside = directory.join(".aside");
            symlink(aim, &aside)?;
            fs::rename(&aside, directory.join(name))
        });
        if planted.is_ok() {
            made += 1;
            entered.insert(directory);
        }
        if !has_told && entered.len() >= 3 && made > 20 {
            println!("\nattacked");
            has_told = true;
        }
    };
    println!("\nattacking");
    while !ended.is_finished() {
        for sandbox in fs::read_dir(place.join("sandboxes")).unwrap().flatten() {
            let sandbox = sandbox.path();
            let number =
                sandboxes.iter().position(|known| *known == sandbox).unwrap_or_else(|| {
                    sandboxes.push(sandbox.clone());
                    sandboxes.len() - 1
                });
            let data = || sandbox.join("data");
            match number % 3 {
                // What the initialiser writes last.
                0 => plant(data(), "mysql_upgrade_info", &canary),
                // What is copied.
                1 => DATA.iter().for_each(|name| plant(data(), name, &canary)),
                _ => {
                    plant(data(), &test_file, &absent);
                    for name in LATER {
                        plant(data(), name, &canary);
                        plant(sandbox.join("run"), name, &absent);
                        plant(sandbox.join("tmp"), name, &root);
                        plant(sandbox.clone(), name, &canary);
                    }
                }
            }
        }
    }
}

/// Not a test: what weighin does with a sandbox, from its first start with an empty cache to its
/// end. What is in its directories is an enemy's, so that the server may well fail.
#[test]
#[ignore = "run by other tests as a process of its own"]
#[allow(clippy::print_stdout, reason = "for the test that runs it")]
fn victim() {
    let Some(place) = std::env::var_os(PLACE).map(PathBuf::from) else { return };
    let mut started = 0;
    for _ in 0..3 {
        if let Ok(mut sandbox) = start_sandbox(options(&place.join("sandboxes"))) {
            started += 1;
            let _ = sandbox.stop();
            let _ = sandbox.act(ServerAct::ForgetCache);
            let _ = sandbox.start_again();
        }
    }
    println!("\nstarted {started}");
}

fn options(directory: &Path) -> SandboxOptions {
    SandboxOptions {
        name: "attacked".to_owned(),
        directory: Some(directory.to_owned()),
        ..SandboxOptions::default()
    }
}

/// The line of a helper's output that begins so, without that beginning.
fn line(output: &mut impl BufRead, start: &str) -> String {
    output
        .lines()
        .map_while(Result::ok)
        .find_map(|l| l.strip_prefix(start).map(str::to_owned))
        .unwrap()
}

#[test]
fn a_process_of_the_servers_account_can_touch_nothing_of_roots() {
    let Some(place) = Place::make() else { return };
    let mut attacker = place.helper("attacker", Some(place.account));
    let mut said = BufReader::new(attacker.stdout.take().unwrap());
    line(&mut said, "attacking");
    let attacked = thread::spawn(move || {
        line(&mut said, "attacked");
        // Kept open, or the attacker could not report its own end.
        said
    });
    // On a busy machine the attacker may get no processor as long as one victim has its.
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        let victim = place.helper("victim", None).wait_with_output().unwrap();
        assert!(victim.status.success());
        if attacked.is_finished() {
            break;
        }
        assert!(Instant::now() < deadline, "nothing was attacked");
    }
    drop(attacker.stdin.take());
    let _said = attacked.join().unwrap();
    assert!(attacker.wait().unwrap().success());
    place.is_untouched();
    let mut left = fs::read_dir(place.sandboxes()).unwrap();
    assert!(left.next().is_none(), "a sandbox stayed behind");
}

/// Has the server's account do something in a shell.
fn as_account(place: &Place, script: &str, directory: &Path) {
    let status = Command::new("sh")
        .args(["-ec", script, "sh"])
        .arg(place.path().join("root"))
        .current_dir(directory)
        .uid(place.account)
        .gid(place.account)
        .status();
    assert!(status.unwrap().success(), "{script}");
}

#[test]
fn links_planted_while_a_server_is_stopped_are_not_followed_when_it_starts() {
    let Some(place) = Place::make() else { return };
    let mut sandbox = start_sandbox(options(&place.sandboxes())).unwrap();
    let data = sandbox.data_directory().to_owned();
    sandbox.stop().unwrap();
    // The server's first act is to make and remove a file of this name, whoever it is then.
    as_account(&place, r#"ln -s "$1/absent" "$(uname -n).lower-test""#, &data);
    as_account(&place, r#"rm -f ib_buffer_pool; ln -s "$1/canary" ib_buffer_pool"#, &data);
    as_account(&place, r#"ln -s "$1/canary" init.sql; ln -s "$1/absent" x"#, &data.join("../run"));
    sandbox.act(ServerAct::ForgetCache).unwrap();
    assert!(data.join("ib_buffer_pool").symlink_metadata().is_err());
    sandbox.start_again().unwrap();
    place.is_untouched();
    // Not even for a moment is it root's.
    let status = fs::read_to_string(format!("/proc/{}/status", sandbox.pid())).unwrap();
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
    let account = place.account.to_string();
    assert!(ids.split_whitespace().all(|id| id == account), "{ids}");
    drop(sandbox);
    place.is_untouched();
    assert_eq!(fs::read_dir(place.sandboxes()).unwrap().count(), 0);
}

#[test]
fn what_weighin_keeps_in_a_sandbox_is_out_of_the_servers_reach() {
    let Some(place) = Place::make() else { return };
    let sandbox = start_sandbox(options(&place.sandboxes())).unwrap();
    let root = sandbox.data_directory().parent().unwrap();
    for (name, mode) in [("weighin-sandbox", 0o600), ("password", 0o600), ("server.log", 0o600)] {
        let facts = root.join(name).symlink_metadata().unwrap();
        assert_eq!((facts.uid(), facts.mode() & 0o7777), (0, mode), "{name}");
    }
    assert!(!root.join("init.sql").exists());
    let script = "for f in password server.log weighin-sandbox; do \
                  ! cat ../$f && ! mv ../$f . && ! rm -f ../$f && ! ln -sf /etc/shadow ../$f; done \
                  2>/dev/null; ! mv ../data ../else 2>/dev/null; ! mkdir ../new 2>/dev/null";
    as_account(&place, script, sandbox.data_directory());
}

#[test]
fn a_directory_in_the_hand_of_others_is_refused_with_the_remedy() {
    let Some(place) = Place::make() else { return };
    let refused = |directory: &Path, words: &str| {
        let failure = start_sandbox(options(directory)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotPermitted);
        assert!(failure.message.contains(words), "{failure}");
        assert!(failure.remedy.contains("chown"), "{failure}");
        assert_eq!(fs::read_dir(directory).unwrap().count(), 0);
    };
    chown(place.sandboxes(), Some(place.account), None).unwrap();
    refused(&place.sandboxes(), &format!("belongs to user {}", place.account));
    let below = place.sandboxes().join("below");
    fs::create_dir(&below).unwrap();
    let failure = start_sandbox(options(&below)).unwrap_err();
    assert!(failure.message.contains("sandboxes belongs to user"), "{failure}");
    fs::remove_dir(&below).unwrap();
    chown(place.sandboxes(), Some(0), None).unwrap();
    fs::set_permissions(place.sandboxes(), Permissions::from_mode(0o777)).unwrap();
    refused(&place.sandboxes(), "can be written by others (mode 0777)");
    fs::set_permissions(place.sandboxes(), Permissions::from_mode(0o1777)).unwrap();
    drop(start_sandbox(options(&place.sandboxes())).unwrap());
}

/// Sandboxes of the dead are removed by root, and their markers name who is dead.
#[test]
fn a_planted_sandbox_has_nothing_removed() {
    let Some(place) = Place::make() else { return };
    fs::set_permissions(place.sandboxes(), Permissions::from_mode(0o1777)).unwrap();
    let script = r#"for name in weighin-0a weighin-0b; do mkdir $name; done
                    ln -s "$1" weighin-0c; ln -s weighin-0d/x weighin-0e
                    echo "1 1 earlier-boot pid:[1] $(uname -n)" >weighin-0a/weighin-sandbox
                    ln -s ../weighin-0a/weighin-sandbox weighin-0b/weighin-sandbox"#;
    as_account(&place, script, &place.sandboxes());
    // One of root's that others may write in, and one whose marker is a link.
    for (name, mode) in [("weighin-1a", 0o777), ("weighin-1b", 0o755)] {
        let path = place.sandboxes().join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        symlink("../weighin-0a/weighin-sandbox", path.join("weighin-sandbox")).unwrap();
    }
    let names = || {
        let entries = fs::read_dir(place.sandboxes()).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<BTreeSet<_>>()
    };
    let before = names();
    drop(start_sandbox(options(&place.sandboxes())).unwrap());
    assert_eq!(names(), before);
    // Nor is it waited for.
    assert_eq!(host::remove_left(Some(&place.sandboxes())).unwrap(), 0);
    assert_eq!(names(), before);
    place.is_untouched();
}
