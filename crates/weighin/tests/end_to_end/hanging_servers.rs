//! Servers that stop to answer in mid-trial and stay so to the end, as under `kill -STOP`: runs of a
//! study, from the trial to what is left behind.

use crate::support::{Frozen, Ran, Server, Started, Workplace, shared_directory};
use host::local::os;
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{FailureKind, System, TrialEnd};
use std::time::{Duration, Instant};

/// How long a run may take whose server hangs from the third second on: the load's 15.5 s, the 30 s for which
/// answers are waited for, and as long for each further question to a server by URL.
const BOUND: Duration = Duration::from_secs(160);

/// A study of one trial on one target.
fn study(target: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"hang\"\nrepeats = 1\n[[target]]\nname = \"a\"\n{target}\n\
         [[test]]\n{test}\nclients = 10\nwarmup = \"500ms\"\nduration = \"15s\"\n"
    )
}

const SQL: &str = "workload = \"oltp_read_write\"\ntable_size = 1_000";
const KEYS: &str = "workload = \"key_value\"\nkeys = 1_000";

/// Runs the study `hang.toml`; its server, of which `find` gives the process, hangs from the middle of the
/// trial on, and goes on only after the run.
fn run_with_hanging(
    place: &Workplace,
    environment: &[(&str, &str)],
    find: impl FnOnce() -> u32,
) -> Ran {
    let mut command = place.command(&["run", "hang.toml"]);
    command.envs(environment.iter().copied());
    let run = Started::new(command);
    run.wait_for_load();
    // Into the measured phase.
    std::thread::sleep(Duration::from_secs(2));
    let frozen = Frozen::new(find());
    let began = Instant::now();
    let ran = run.end();
    assert!(began.elapsed() < BOUND, "{:?}: {}", began.elapsed(), ran.err);
    drop(frozen);
    ran
}

/// The only trial is no figure but a failure that says so, also in the report.
fn is_failed(place: &Workplace, ran: &Ran) {
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.out, ran.err);
    let trials = place.store().dataset().unwrap().trials;
    let [trial] = &trials[..] else { panic!("{} trials", trials.len()) };
    let TrialEnd::Failed(failure) = &trial.end else { panic!("{:?}", trial.end) };
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");
    assert!(failure.message.contains("nothing was answered"), "{failure}");
    assert!(!failure.remedy.is_empty(), "{failure}");
    let markdown = place.weighin(&["report", "hang.toml", "--format", "markdown"]);
    assert!(markdown.out.contains("nothing was answered"), "{}", markdown.out);
}

#[test]
fn a_server_by_url_that_hangs_to_the_end_fails_its_trial() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--table-size", "1000"]).done();
    let (url, password) = (server.url(), server.password_file());
    let target = format!("url = \"{url}\"\npassword_file = {password:?}");
    place.write("hang.toml", study(&target, SQL));
    let ran = run_with_hanging(&place, &[], || server.sandbox.pid());
    is_failed(&place, &ran);
}

#[test]
fn a_private_server_that_hangs_to_the_end_fails_its_trial_and_is_gone() {
    let place = Workplace::new();
    let target =
        "kind = \"mariadb\"\nsandbox = { settings = { innodb_buffer_pool_size = \"32M\" } }";
    place.write("hang.toml", study(target, SQL));
    let ran = run_with_hanging(&place, &[], || crate::server_trouble::server_of(place.sandboxes()));
    is_failed(&place, &ran);
    place.assert_no_server_left();
}

#[test]
fn a_server_of_redis_by_url_that_hangs_to_the_end_fails_its_trial() {
    let place = Workplace::new();
    let directory = shared_directory();
    weighin::systems::register();
    let server = Sandbox::start(SandboxOptions {
        system: System::Redis,
        name: "test".to_owned(),
        directory: Some(directory.path().to_owned()),
        ..SandboxOptions::default()
    })
    .unwrap();
    let target = format!("url = \"redis://127.0.0.1:{}\"", server.port());
    place.write("hang.toml", study(&target, KEYS));
    let password = [("REDISCLI_AUTH", server.password().reveal())];
    let ran = run_with_hanging(&place, &password, || server.pid());
    is_failed(&place, &ran);
}

#[test]
fn a_private_server_of_redis_that_hangs_to_the_end_fails_its_trial_and_is_gone() {
    let place = Workplace::new();
    let target = "kind = \"redis\"\nsandbox = { settings = { save = \"\" } }";
    place.write("hang.toml", study(target, KEYS));
    let ran = run_with_hanging(&place, &[], || {
        let homes = std::fs::read_dir(place.sandboxes()).unwrap().flatten();
        let mut servers =
            homes.flat_map(|home| os::processes_working_in(&home.path().join("data")));
        servers.next().unwrap()
    });
    is_failed(&place, &ran);
    place.assert_no_server_left();
}
