//! Provisioned targets: `up` starts a real server, and `down` ends it.

use crate::support::{Started, Workplace, wait_for};
use model::{FailureKind, Instance, TrialEnd};
use std::fs;
use std::path::Path;
use test_support::write_program;

/// Starts a Redis server of its own for a target, on the port that is its argument, and says where it
/// is, among things that are nobody's business.
const UP: &str = r#"#!/bin/sh
echo "up $WEIGHIN_TARGET $WEIGHIN_REPEAT $SECOND" >> marks
[ "$1" = broken ] && { echo "no such type"; echo "no quota" >&2; exit 3; }
dir=$PWD/server-$WEIGHIN_TARGET
mkdir -p "$dir"
printf 'coming \033[2Jup\n' >&2
redis-server --port "$1" --bind 127.0.0.1 --save '' --daemonize yes --dir "$dir" \
    --pidfile "$dir/pid" >/dev/null
until redis-cli -p "$1" ping 2>/dev/null | grep -q PONG; do sleep 0.02; done
cat <<END
{
  "url": { "sensitive": false, "type": "string", "value": "redis://127.0.0.1:$1" },
  "labels": { "sensitive": false, "value": { "zone": "a-1", "number": 7 } },
  "admin_password": { "sensitive": true, "type": "string", "value": "hunter2" }
}
END
"#;
/// Does no harm where nothing is up: the server removes the file with its number when it ends.
const DOWN: &str = r#"#!/bin/sh
echo "down $WEIGHIN_TARGET $WEIGHIN_REPEAT" >> marks
dir=$PWD/server-$WEIGHIN_TARGET
[ -e "$dir/pid" ] || exit 0
pid=$(cat "$dir/pid")
kill "$pid"
while [ -e "/proc/$pid/exe" ]; do sleep 0.02; done
echo "gone"
"#;

fn script(place: &Workplace, name: &str, text: &str) {
    write_program(&place.path(name), text);
}

/// A provisioned target, with these further keys of its instance.
fn target(name: &str, argument: &str, keys: &str) -> String {
    format!(
        "[[target]]\nname = \"{name}\"\nkind = \"redis\"\n\
         price = {{ items = [{{ name = \"hours\", amount = 3600, per = \"hour\" }}], currency = \"EUR\" }}\n\
         [target.instance]\nup = [\"./up.sh\", \"{argument}\"]\ndown = [\"./down.sh\"]\n\
         trusted = true\n{keys}\n"
    )
}

fn study(place: &Workplace, repeats: u32, duration: &str, targets: &str) {
    script(place, "up.sh", UP);
    script(place, "down.sh", DOWN);
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"come-and-go\"\nrepeats = {repeats}\n{targets}\n\
             [[test]]\nworkload = \"key_value\"\nkeys = 1000\nclients = 2\nwarmup = \"300ms\"\n\
             duration = \"{duration}\"\n"
        ),
    );
}

fn marks(place: &Workplace) -> Vec<String> {
    let marks = fs::read_to_string(place.path("marks")).unwrap_or_default();
    marks.lines().map(|line| line.trim_end().to_owned()).collect()
}

fn is_up(place: &Workplace, target: &str) -> bool {
    let pid = fs::read_to_string(place.path(&format!("server-{target}/pid")));
    pid.is_ok_and(|pid| Path::new("/proc").join(pid.trim()).join("exe").exists())
}

#[test]
fn each_repeat_has_an_instance_of_its_own_and_one_that_fails_fails_its_trials() {
    let place = Workplace::new();
    let (one, shared) =
        (test_support::free_port().to_string(), test_support::free_port().to_string());
    let targets = target("one", &one, "per = \"repeat\"\nenvironment = [\"SECOND\"]")
        + &target("two", "broken", "")
        + &target("three", &shared, "");
    study(&place, 2, "1s", &targets);
    let planned = place.weighin(&["plan", "study.toml"]).done();
    assert!(planned.contains("one: comes up with ./up.sh"), "{planned}");
    assert!(planned.contains("At their prices the targets cost about"), "{planned}");
    let refused = place.weighin(&["check", "study.toml", "--up"]);
    assert!(refused.out.contains("SECOND, which is not set"), "{refused:?}");
    let _ = fs::remove_file(place.path("marks"));

    let mut command = place.command(&["run", "study.toml"]);
    command.env("SECOND", "passed-on");
    let ran = crate::support::Ran::of(command);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("one: | coming \\x1b[2Jup"), "{}", ran.err);
    assert!(ran.err.contains("two: | no quota") && ran.err.contains("one: | gone"), "{}", ran.err);
    assert!(!is_up(&place, "one") && !is_up(&place, "three"));
    let mut done = marks(&place);
    done.sort();
    let expected = [
        "down one 1", "down one 2", "down three 1", "down two 1", "up one 1 passed-on",
        "up one 2 passed-on", "up three 1", "up two 1",
    ];
    assert_eq!(done, expected);

    let dataset = place.store().dataset().unwrap();
    let of = |name: &str| -> Vec<&Instance> {
        dataset.instances.iter().filter(|one| one.target == name).collect()
    };
    assert_eq!((of("one").len(), of("two").len(), of("three").len()), (2, 1, 1));
    for instance in of("one") {
        assert_eq!(instance.endpoint.as_deref(), Some(format!("127.0.0.1:{one}").as_str()));
        assert_eq!(instance.labels["zone"], "a-1");
        assert!(instance.up_at.is_some() && instance.down_at > instance.up_at, "{instance:?}");
    }
    assert_eq!(of("two")[0].trouble.as_deref(), Some("`up` ended with exit code 3"));
    for trial in &dataset.trials {
        let ran_on = dataset.instance_of(trial).unwrap();
        assert_eq!(ran_on.target, trial.key.target);
        match &trial.end {
            TrialEnd::Failed(failure) => {
                assert_eq!((trial.key.target.as_str(), failure.kind), ("two", FailureKind::NotUp));
            }
            TrialEnd::Completed(_) => assert_ne!(trial.key.target, "two"),
        }
        if trial.key.target == "one" {
            assert_eq!(ran_on.number, of("one")[trial.key.repeat as usize - 1].number);
        }
    }
    let page = fs::read_to_string(&place.files(".html")[0]).unwrap();
    for words in [
        "one was measured on another instance in each repeat, 2 in all",
        "three was measured on one instance",
        "two did not come up",
        "they cost about",
        "zone = a-1",
    ] {
        assert!(page.contains(words), "no «{words}» in the report");
    }
    let results = fs::read(&place.files(".weighin")[0]).unwrap();
    for kept in [page.as_bytes(), &results, ran.err.as_bytes()] {
        assert!(!kept.windows(7).any(|bytes| bytes == b"hunter2"));
    }
}

#[test]
fn what_is_up_goes_down_however_weighin_ends_and_resuming_brings_it_up_again() {
    let place = Workplace::new();
    study(&place, 2, "8s", &target("one", &test_support::free_port().to_string(), ""));
    let begin = |arguments: &[&str]| {
        let run = Started::new(place.command(arguments));
        run.wait_for_load();
        assert!(is_up(&place, "one"));
        run
    };
    let run = begin(&["run", "study.toml", "--store", "kept.weighin"]);
    run.kill();
    wait_for("the end of what was up", || !is_up(&place, "one"));

    let resume = ["run", "study.toml", "--store", "kept.weighin", "--resume"];
    let mut run = begin(&resume);
    run.wait_for_line("[1/2]");
    run.signal("INT");
    let ended = run.end();
    assert_eq!(ended.code, Some(130), "{ended:?}");
    // By then, and not some time later.
    assert!(!is_up(&place, "one"));
    assert!(ended.err.contains("one: is down"), "{}", ended.err);
    let store = store::Store::open(&place.path("kept.weighin")).unwrap();
    let seen = store.dataset().unwrap().instances;
    assert_eq!(seen.iter().map(|one| one.down_at.is_some()).collect::<Vec<_>>(), [false, true]);
    assert_eq!(marks(&place).len(), 4, "{:?}", marks(&place));
}

#[test]
fn a_check_brings_nothing_up_unless_it_is_asked_to() {
    let place = Workplace::new();
    study(&place, 1, "1s", &target("one", &test_support::free_port().to_string(), ""));
    let checked = place.weighin(&["check", "study.toml"]).done();
    assert!(checked.contains("not looked at: it comes up with ./up.sh"), "{checked}");
    assert_eq!(marks(&place), [""; 0]);
    let checked = place.weighin(&["check", "study.toml", "--up"]).done();
    assert!(checked.contains("one: Redis"), "{checked}");
    assert_eq!(marks(&place), ["up one 1", "down one 1"]);
    assert!(!is_up(&place, "one"));

    // What `up` says may be wrong: a password in the URL is repeated nowhere.
    for (output, words) in [
        ("{\"url\": \"redis://:hunter2@127.0.0.1\"}", "the URL holds a password"),
        ("not json hunter2", "no JSON object on standard output"),
        ("{}", "it says no `url`"),
        ("{\"url\": {\"value\": \"redis://hunter2\", \"sensitive\": true}}", "is sensitive"),
        ("{\"url\": \"redis://h\", \"labels\": {\"password\": \"hunter2\"}}", "contain a secret"),
    ] {
        script(&place, "up.sh", &format!("#!/bin/sh\nprintf '%s' '{output}'\n"));
        let checked = place.weighin(&["check", "study.toml", "--up"]);
        assert!(checked.out.contains(words), "{output}: {checked:?}");
        assert!(!format!("{}{}", checked.out, checked.err).contains("hunter2"), "{checked:?}");
    }
}

#[test]
fn down_is_run_where_weighin_and_its_keeper_are_killed() {
    let place = Workplace::new();
    let port = test_support::free_port().to_string();
    study(&place, 1, "60s", &target("one", &port, ""));
    let mut run = place.start(&["run", "study.toml"]);
    run.wait_for_line("one: is up at");
    let keeper = format!("{} ", host::KEEPER_COMMAND);
    let keepers = crate::support::processes_with(&keeper).into_iter().map(|(pid, _)| pid);
    let is_own = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name.split_whitespace().nth(1) == Some(&run.pid().to_string())
    };
    let own: Vec<u32> = keepers.filter(is_own).collect();
    assert_eq!(own.len(), 1, "{own:?}");
    host::local::os::kill(own[0]).unwrap();
    run.kill();
    wait_for("down", || marks(&place).contains(&"down one 1".to_owned()) && !is_up(&place, "one"));
    assert_eq!(marks(&place).iter().filter(|mark| mark.starts_with("down")).count(), 1);
}
