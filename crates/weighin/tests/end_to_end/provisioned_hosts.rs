//! Machines that commands of the user provision for a study: one that makes load, and one that has
//! private servers. What comes is a sshd of the test in a network namespace.

use crate::load_hosts::{assert_counted, start};
use crate::servers_elsewhere::Far;
use crate::ssh::command;
use crate::support::{Ran, Started, Workplace, wait_for};
use std::fs;

/// The `instance` of a machine that is reached by `ssh TO`; the tables of a study have it.
fn instance(place: &Workplace, to: &str) -> String {
    let file = |name: &str| place.path(name).display().to_string();
    let (log, asked) = (file("log"), file("asked"));
    place.write(
        "up.sh",
        format!(
            "echo \"up $WEIGHIN_MACHINE\" >> {log}\necho \"$WEIGHIN_STUDY\" > {asked}\n\
             if [ -e {} ]; then echo no room here >&2; exit 3; fi\n\
             echo '{{\"ssh\": \"{to}\", \"labels\": {{\"zone\": \"z1\"}}, \"id\": 7}}'\n",
            file("full")
        ),
    );
    place.write("down.sh", format!("echo down >> {log}\n"));
    format!(
        "instance = {{ up = [\"sh\", \"{}\"], down = [\"sh\", \"{}\"], trusted = true }}\n",
        file("up.sh"),
        file("down.sh")
    )
}

fn log(place: &Workplace) -> String {
    fs::read_to_string(place.path("log")).unwrap_or_default().replace('\n', ", ")
}

#[test]
fn a_load_host_comes_for_the_study_and_goes_however_it_ends() {
    let place = Workplace::new();
    let Some((_makers, _server)) = start(&place, 1, "2s") else { return };
    let study = fs::read_to_string(place.path("study.toml")).unwrap();
    let own = "[[load_host]]\nname = \"a\"\nssh = \"a\"\n";
    assert!(study.contains(own));
    let comes = format!(
        "[[load_host]]\nname = \"worker\"\n\
         price = {{ items = [{{ name = \"machine\", amount = 3.6, per = \"hour\" }}], currency = \"EUR\" }}\n{}",
        instance(&place, "a")
    );
    place.write("study.toml", study.replace(own, &comes));
    let run = |words: &[&str]| Ran::of(command(&place, words));

    let planned = run(&["plan", "study.toml"]).done();
    assert!(planned.contains("worker: comes up with sh ") && planned.contains(" for the study"));
    assert!(planned.contains("At their prices the targets cost about"), "{planned}");
    assert!(planned.contains("comes from worker (comes with the study) and b, by"), "{planned}");
    let checked = run(&["check", "study.toml"]).done();
    assert!(checked.contains("worker is not looked at: it comes up with"), "{checked}");
    assert!(
        checked.contains("worker is started and removed by commands on this host"),
        "{checked}"
    );
    assert_eq!(log(&place), "");
    let checked = run(&["check", "--up", "study.toml"]).done();
    assert!(checked.contains("worker makes load"), "{checked}");
    assert_eq!(log(&place), "up worker, down, ");

    run(&["run", "study.toml"]).done();
    assert_eq!(log(&place), "up worker, down, up worker, down, ");
    let dataset = place.store().dataset().unwrap();
    assert_counted(&dataset.trials[0]);
    let shares = &dataset.trials[0].load().unwrap().generators;
    let hosts: Vec<_> = shares.iter().map(|share| share.host.as_deref()).collect();
    assert_eq!(hosts, [Some("worker"), Some("b")]);
    let [came] = dataset.instances.as_slice() else { panic!("{:?}", dataset.instances) };
    assert_eq!((came.target.as_str(), came.ssh.as_deref()), ("worker", Some("a")));
    assert!(came.up_at.is_some() && came.down_at >= came.up_at, "{came:?}");
    assert_eq!(came.labels["zone"], "z1");
    let results = place.files(".weighin")[0].display().to_string();
    let report = run(&["report", &results, "--format", "markdown"]).done();
    assert!(report.contains("## Instances") || report.contains("### Instances"), "{report}");
    assert!(report.contains("| worker |"), "{report}");
    assert!(report.contains("they cost about") && report.contains("EUR"), "{report}");
    let hosts = run(&["hosts", "study.toml"]).done();
    assert!(hosts.contains("worker: started for the study and removed after it"), "{hosts}");

    // Killed in the middle of its load.
    fs::remove_file(place.path("log")).unwrap();
    let killed = Started::new(command(&place, &["run", "study.toml", "--store", "killed.weighin"]));
    wait_for("the machine", || log(&place).starts_with("up worker"));
    killed.kill();
    wait_for("the end of the machine", || log(&place) == "up worker, down, ");

    // One that does not come, of which half may be there.
    fs::remove_file(place.path("log")).unwrap();
    place.write("full", "");
    let refused = run(&["run", "study.toml", "--store", "none.weighin"]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert!(refused.err.contains("no room here"), "{refused:?}");
    assert_eq!(log(&place), "up worker, down, ");
}

#[test]
fn private_servers_are_on_a_machine_that_comes_for_the_study() {
    let place = Workplace::new();
    let Some(far) = Far::start(&place) else { return };
    let host = format!("[[host]]\nname = \"vm\"\n{}", instance(&place, "far"));
    let target = far.target("").replace("ssh = \"far\"", "host = \"vm\"");
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"coming\"\nrepeats = 2\n{host}{target}\
             [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\nclients = 2\nrate = 400\n\
             warmup = \"300ms\"\nduration = \"1s\"\n"
        ),
    );
    let checked = Ran::of(command(&place, &["check", "study.toml"])).done();
    assert!(checked.contains("one: not looked at: it comes up with sh"), "{checked}");
    assert_eq!(log(&place), "");
    Ran::of(command(&place, &["run", "study.toml"])).done();
    assert_eq!(log(&place), "up vm, down, ");
    far.assert_nothing_left();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        assert_counted(trial);
        assert_eq!(trial.sampling.target_host.as_ref().unwrap().host, "vm");
    }
}
