use super::*;
use crate::local::groups::lists;
use engine::storage::Processors as _;
use model::FailureKind;

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap().trim().to_owned()
}

/// The group that the tests run in, where control groups of a controller are usually mounted.
fn own_group(top: &str, controller: &str) -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap();
    let own = groups.lines().find_map(|line| {
        let (controllers, own) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|name| name == controller).then_some(own)
    })?;
    Some(PathBuf::from(format!("{top}{own}")))
}

/// Whether a group can be made within another, and that set in it.
fn can_be_set(within: &Path, file: &str, text: &str) -> bool {
    let group = within.join(format!("tried-by-weighin-{}", std::process::id()));
    if fs::create_dir(&group).is_err() {
        return false;
    }
    // In a directory that is no group there is no such file, and none is made.
    let opened = fs::File::options().write(true).open(group.join(file));
    let set = opened.and_then(|mut file| io::Write::write_all(&mut file, text.as_bytes()));
    fs::remove_dir(&group).unwrap();
    set.is_ok()
}

/// Whether this user surely can limit processor time here, by other means than what is tested.
fn is_possible() -> bool {
    let first =
        own_group("/sys/fs/cgroup/cpu", "cpu").zip(own_group("/sys/fs/cgroup/cpuacct", "cpuacct"));
    let second = own_group("/sys/fs/cgroup", "");
    first.is_some_and(|(cpu, account)| {
        can_be_set(&cpu, "cpu.cfs_quota_us", "10000")
            && can_be_set(&account, "cgroup.clone_children", "0")
    }) || second.is_some_and(|own| {
        lists(&own.join("cgroup.controllers"), "cpu") && can_be_set(&own, "cgroup.type", "threaded")
    })
}

/// A group on this machine; `None` where it permits none.
fn held(count: f64) -> Option<Processors> {
    let failure = match Processors::hold(count) {
        Ok(held) => return Some(held),
        Err(failure) => failure,
    };
    assert_eq!(failure.kind, FailureKind::NotPermitted, "{failure:?}");
    assert!(!is_possible(), "this user can: {failure:?}");
    eprintln!("not tested: {}", failure.message);
    None
}

/// Uses processor time until the group was throttled, which must happen soon: its share is so small that
/// also a busy machine gives a thread more at a time.
fn work_until_throttled(held: &Processors) -> u64 {
    let throttled = || {
        let text = fs::read_to_string(held.counters().0).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("nr_throttled ")).unwrap();
        line.parse::<u64>().unwrap()
    };
    let mut sum = 0_u64;
    for _ in 0..100_000 {
        (0..100_000).for_each(|i| sum = std::hint::black_box(sum.wrapping_mul(31) + i));
        if throttled() > 0 {
            break;
        }
    }
    throttled()
}

#[test]
fn threads_are_held_with_those_they_start_and_others_are_not() {
    let Some(held) = held(0.02) else { return };
    let group = held.group.directories()[0].clone();
    let listed = |group: &Path| read(&group.join(held.members)).lines().count();
    thread_scope(&held, || {
        assert_eq!(listed(&group), 1);
        std::thread::scope(|inner| {
            let child = inner.spawn(|| {
                assert_eq!(listed(&group), 2, "a thread of a member is a member");
                work_until_throttled(&held)
            });
            assert!(child.join().unwrap() > 0, "it could go on as it liked");
        });
    });
    let status = held.grouped(Command::new("cat").arg(group.join(held.members))).output().unwrap();
    assert_eq!(String::from_utf8(status.stdout).unwrap().lines().count(), 1);
    drop(held);
    assert!(!group.exists(), "{} is left", group.display());
}

/// Runs something in a thread of the group.
fn thread_scope(held: &Processors, work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            held.join().unwrap();
            work();
        });
        thread.join().unwrap();
    });
}

#[test]
fn version_1_has_a_quota_in_one_hierarchy_and_an_account_in_the_other() {
    let (cpu, account) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = Place::First { cpu: cpu.path().into(), account: account.path().into() };
    let held = Processors::in_place(&place, 1.5).unwrap();
    let group = held.group.directories()[0].clone();
    assert_eq!(read(&group.join("cpu.cfs_quota_us")), "150000");
    assert_eq!(read(&group.join("cpu.cfs_period_us")), "100000");
    held.join().unwrap();
    for directory in held.group.directories() {
        assert_eq!(read(&directory.join("tasks")), "0");
    }
    assert!(held.group.directories()[1].starts_with(account.path()));
    assert_eq!(held.counters().1, held.group.directories()[1].join("cpuacct.usage"));
}

#[test]
fn version_2_has_a_threaded_group_in_its_own_and_takes_back_what_it_passed_on() {
    let own = tempfile::tempdir().unwrap();
    let control = own.path().join("cgroup.subtree_control");
    fs::write(&control, "").unwrap();
    let place = Place::Second(own.path().into());
    let held = Processors::in_place(&place, 0.25).unwrap();
    let group = held.group.directories()[0].clone();
    assert_eq!(read(&group.join("cgroup.type")), "threaded");
    assert_eq!(read(&group.join("cpu.max")), "25000 100000");
    assert_eq!(read(&control), "+cpu");
    held.join().unwrap();
    assert_eq!(read(&group.join("cgroup.threads")), "0");
    // The kernel's files go with a group; these have to be removed first.
    fs::remove_dir_all(&group).unwrap();
    drop(held);
    assert_eq!(read(&control), "-cpu");

    fs::write(&control, "cpu memory").unwrap();
    drop(Processors::in_place(&place, 1.0).unwrap());
    assert_eq!(read(&control), "cpu memory", "what was passed on before stays");
}

#[test]
fn what_cannot_be_made_is_said_and_leaves_nothing() {
    let cpu = tempfile::tempdir().unwrap();
    let place =
        Place::First { cpu: cpu.path().into(), account: cpu.path().join("there is no such") };
    let error = Processors::in_place(&place, 1.0).unwrap_err();
    assert_eq!(fs::read_dir(cpu.path()).unwrap().count(), 0);
    let failure = place.refusal(&error);
    assert!(failure.message.contains("limit the virtual machines"), "{failure:?}");
    assert!(failure.remedy.contains("as root"), "{failure:?}");
}

/// Processors whose counters cannot be read.
#[derive(Debug)]
struct Uncounted;

impl engine::storage::Processors for Uncounted {
    fn count(&self) -> f64 {
        1.0
    }

    fn period(&self) -> Duration {
        Duration::from_millis(100)
    }

    fn join(&self) -> io::Result<()> {
        Ok(())
    }

    fn did(&self) -> io::Result<ProcessorCount> {
        Err(io::Error::other("cpu.stat has no nr_periods"))
    }
}

#[test]
fn counters_that_cannot_be_read_are_found_by_the_check_with_the_reason() {
    let failure = check_counted(&Uncounted).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotPermitted);
    assert!(failure.message.ends_with(": cpu.stat has no nr_periods"), "{failure}");
    assert!(failure.remedy.contains("leave `cpu_oversubscription` out"), "{failure}");
}
