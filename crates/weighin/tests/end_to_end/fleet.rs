//! Loads that agents make which register themselves: a real nats-server with TLS and a token, machines in
//! network namespaces of their own with monotonic clocks that are hours ahead, and a server in another,
//! with the broker beside it.

mod bars;
mod keys;
mod machines;

use self::machines::{Fleet, TOKEN};
use crate::far_volumes::assert_sampled;
use crate::load_hosts::assert_counted;
use crate::ssh::signal;
use crate::support::{Started, Workplace, processes_with, wait_for};
use model::{FailureKind, TrialEnd, TrialRecord};
use std::fs;
use std::time::{Duration, Instant};

#[test]
fn agents_that_have_registered_make_a_load_together() {
    let place = Workplace::new();
    let Some(mut fleet) = Fleet::start(&place) else { return };
    let hosts = "[[load_host]]\nname = \"first\"\nagent = \"a\"\n\
                 [[load_host]]\nname = \"west\"\nagents = 1\nlabels = { zone = \"w\" }\n";
    // Longer than an agent that is busy is waited for, and than who asks for it takes to begin.
    fleet.light_study(&place, hosts, 1, "40s");
    let planned = place.weighin(&["plan", "study.toml"]).done();
    let load_hosts = "first (the agent a) and west-1 (any agent with zone=w), by 2 load generators";
    assert!(planned.contains(load_hosts), "{planned}");
    place.weighin(&["hosts", "study.toml"]).refused(3, &["no agent has registered as a"]);

    for (name, ahead) in [("a", 86_400), ("b", 7_200), ("c", 0)] {
        let zone = if name == "b" { "zone=w" } else { "zone=e" };
        fleet.agent(&place, name, ahead, &["--label", zone]);
    }
    let mut said = String::new();
    wait_for("the agents", || {
        said = place.weighin(&["hosts", "study.toml"]).out;
        said.contains("3 agents registered with tls://") && said.contains("west-1: ")
    });
    assert!(said.contains("first: ") && said.contains("west-1: "), "{said}");
    assert!(said.contains("zone=e) is free") && said.contains("zone=w) "), "{said}");
    let checked = place.weighin(&["check", "study.toml"]).done();
    assert!(checked.contains("first makes load") && checked.contains("west-1 makes"), "{checked}");

    let password = fs::read_to_string(fleet.server.password_file()).unwrap();
    let run = place.start(&["run", "study.toml"]);
    wait_for("the load generators", || {
        ["a", "b"].iter().all(|name| fleet.generators(&place, name).len() == 1)
    });
    assert!(fleet.generators(&place, "c").is_empty(), "it was not asked for");
    assert_eq!(processes_with(password.trim()), []);
    assert_eq!(processes_with(TOKEN), []);
    let busy = ["the agent a makes load for weighin", &format!("process {}", run.pid())];
    wait_until_refused(&place, &busy);
    run.end().done();

    let dataset = place.store().dataset().unwrap();
    let trial = &dataset.trials[0];
    assert_counted(trial);
    let load = trial.load().unwrap();
    let shares: Vec<_> =
        load.generators.iter().map(|share| (share.host.as_deref(), share.clients)).collect();
    assert_eq!(shares, [(Some("first"), 3), (Some("west-1"), 2)]);
    assert_begun_together(trial);
    trial.sampling.load_hosts.iter().for_each(assert_sampled);
    let store = fs::read(&place.files(".weighin")[0]).unwrap();
    assert!(!store.windows(TOKEN.len()).any(|part| part == TOKEN.as_bytes()));

    let said = place.weighin(&["hosts", "--clean", "study.toml"]).done();
    assert!(said.contains("first: an agent that was installed there"), "{said}");
    // Other agents of this name would be other machines.
    let mut twin = Started::new(fleet.agent_command(&place, "a", 0, &[]));
    twin.wait_for_line("registered as a");
    wait_until_refused(&place, &["two agents have registered as a"]);
    twin.kill();
}

/// Waits until the hosts of a study are refused with these words: of an agent that is busy for a moment lead
/// and broker hear late.
fn wait_until_refused(place: &Workplace, words: &[&str]) {
    let mut ran = None;
    wait_for(words[0], || {
        let hosts = ran.insert(place.weighin(&["hosts", "study.toml"]));
        hosts.err.contains(words[0])
    });
    ran.unwrap().refused(3, words);
}

#[test]
fn a_broker_that_is_not_known_gives_no_orders() {
    let place = Workplace::new();
    let Some(fleet) = Fleet::start(&place) else { return };
    let agent = |change: &dyn Fn(String) -> String| {
        let address = change(fleet.address());
        place.weighin(&["agent", &address, "--token-file", "token", "--ca", "ca.pem"])
    };
    agent(&|address| address.replace("tls://", "nats://")).refused(2, &["as they are", "tls://"]);
    let words = ["certificate", "is not trusted", "--ca"];
    place.weighin(&["agent", &fleet.address(), "--token-file", "token"]).refused(3, &words);
    place.write("token", "another");
    agent(&|address| address).refused(3, &["does not know the token"]);
    fleet.study(&place, "[[load_host]]\nname = \"x\"\nagents = 1\n", 1, 1, "1s");
    place.weighin(&["hosts", "study.toml"]).refused(3, &["does not know the token"]);
    let checked = place.weighin(&["check", "study.toml"]);
    assert!(
        checked.code == Some(3) && checked.out.contains("does not know the token"),
        "{checked:?}"
    );
    let study = fs::read_to_string(place.path("study.toml")).unwrap();
    place.write("study.toml", study.replace("tls://", "nats://"));
    let refused = place.weighin(&["run", "study.toml"]);
    refused
        .refused(2, &["would send tokens and passwords over a network as they are", "127.0.0.1"]);
    // Of which no message says more than that it is readable.
    let open = place.write("open", TOKEN);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(place.path(open), mode).unwrap();
    let ran = place.weighin(&["agent", &fleet.address(), "--token-file", "open", "--ca", "ca.pem"]);
    ran.refused(3, &["chmod 600"]);
    assert!(!ran.err.contains(TOKEN));
    open_brokers_are_refused(&place);
}

/// A broker on this machine that asks nobody who he is.
fn open_brokers_are_refused(place: &Workplace) {
    let broker = machines::open_broker(place);
    let address = format!("nats://127.0.0.1:{}", broker.port);
    let ran = place.weighin(&["agent", &address, "--token-file", "token"]);
    ran.refused(3, &["asks nobody for a token", "authorization"]);
}

const TWO: &str = "[[load_host]]\nname = \"first\"\nagent = \"a\"\n\
                   [[load_host]]\nname = \"second\"\nagent = \"b\"\n";

#[test]
fn lost_agents_and_brokers_fail_their_trials_and_nothing_loads_on_without_a_lead() {
    let place = Workplace::new();
    let Some(mut fleet) = Fleet::start(&place) else { return };
    fleet.agent(&place, "a", 86_400, &[]);
    fleet.agent(&place, "b", 7_200, &[]);
    fleet.light_study(&place, TWO, 5, "60s");
    let run = place.start(&["run", "study.toml"]);
    let mut known: Vec<u32> = Vec::new();
    let generators = |fleet: &Fleet| -> Vec<u32> {
        ["a", "b"].iter().flat_map(|name| fleet.generators(&place, name)).collect()
    };
    let mut next = |fleet: &Fleet| {
        let mut made_by = Vec::new();
        wait_for("new load generators", || {
            made_by = generators(fleet);
            made_by.len() == 2 && made_by.iter().all(|pid| !known.contains(pid))
        });
        known.extend(&made_by);
        // Threads of a load that is under way, and not logging in.
        wait_for("the load", || {
            made_by.iter().all(|pid| {
                let tasks = fs::read_dir(format!("/proc/{pid}/task"));
                tasks.is_ok_and(|tasks| tasks.count() > 2)
            })
        });
        let before = fleet.server.counters()["Com_select"];
        wait_for("statements", || fleet.server.counters()["Com_select"] > before + 400);
        made_by
    };
    let over = |made_by: &[u32], what: &str| {
        wait_for(what, || {
            !made_by.iter().any(|pid| fs::exists(format!("/proc/{pid}/exe")).unwrap_or(false))
        });
    };

    let made_by = next(&fleet);
    signal(fleet.agents(&place, "a")[0], "KILL");
    over(&made_by, "the end after an agent was killed");
    fleet.agent_beside(&place, "a", "a", 86_400, &[]);
    // Nothing passes, and nobody is told: the machine that is cut off ends its part by itself.
    let made_by = next(&fleet);
    fleet.set_link("b", "down");
    over(&made_by, "the end after a machine was cut off");
    fleet.set_link("b", "up");
    // Its pipe to the generator stays open.
    let made_by = next(&fleet);
    let silent = fleet.agents(&place, "a")[0];
    signal(silent, "STOP");
    over(&made_by, "the end after an agent fell silent");
    signal(silent, "CONT");
    let made_by = next(&fleet);
    fleet.stop_broker();
    over(&made_by, "the end after the broker was killed");
    fleet.start_broker(&place);
    let made_by = next(&fleet);
    let agents = ["a", "b"].map(|name| fleet.agents(&place, name));
    run.kill();
    over(&made_by, "the end after the lead was killed");
    assert_eq!(["a", "b"].map(|name| fleet.agents(&place, name)), agents, "they wait for another");
    wait_for("agents that are free", || {
        let said = place.weighin(&["hosts", "study.toml"]).out;
        said.contains("a (") && said.matches("is free").count() == 2
    });

    let dataset = place.store().dataset().unwrap();
    let said: Vec<String> = dataset
        .trials
        .iter()
        .map(|trial| match &trial.end {
            TrialEnd::Failed(failure) if failure.kind == FailureKind::HostLost => {
                failure.message.clone()
            }
            end => panic!("{end:?}"),
        })
        .collect();
    let words = [
        "the agent on first was silent",
        "the agent on second was silent",
        "the agent on first was silent",
        &format!("the broker {} is gone", fleet.address()),
    ];
    assert_eq!(said.len(), words.len(), "{said:?}");
    for (said, words) in said.iter().zip(words) {
        assert!(said.contains(words), "no «{words}» in {said}");
    }
}

/// How long a broker is away at the most where a machine has time for it. A question may be without an answer
/// for 2.3 seconds, and lead and agents try again once a second.
const SOON: Duration = Duration::from_millis(300);

#[test]
fn a_broker_that_is_started_again_in_mid_trial_takes_nothing_from_it() {
    let place = Workplace::new();
    let Some(mut fleet) = Fleet::start(&place) else { return };
    fleet.agent(&place, "a", 86_400, &[]);
    fleet.agent(&place, "b", 7_200, &[]);
    fleet.light_study(&place, TWO, 1, "8s");
    // One that takes longer to come up than it is waited for is another test's.
    let mut is_soon_back = || {
        let run = place.start(&["run", "study.toml"]);
        wait_for("the load", || {
            let load_hosts = ["a", "b"].map(|name| fleet.generators(&place, name));
            load_hosts.iter().all(|made_by| made_by.len() == 1)
        });
        let mut longest = Duration::ZERO;
        for _ in 0..2 {
            std::thread::sleep(Duration::from_secs(2));
            let since = Instant::now();
            fleet.stop_broker();
            fleet.start_broker(&place);
            longest = longest.max(since.elapsed());
        }
        let ran = run.end();
        if ran.code == Some(1) && longest > SOON {
            place.files(".weighin").iter().for_each(|file| fs::remove_file(file).unwrap());
            return false;
        }
        ran.done();
        true
    };
    assert!((0..5).any(|_| is_soon_back()), "it takes longer than {SOON:?} here");
    let dataset = place.store().dataset().unwrap();
    let load = dataset.trials[0].load().unwrap_or_else(|| panic!("{:?}", dataset.trials[0].end));
    assert_eq!(load.generators.len(), 2);
    assert_counted(&dataset.trials[0]);
}

#[test]
fn the_server_counts_what_one_two_or_eight_agents_got_answers_to() {
    let place = Workplace::new();
    let Some(mut fleet) = Fleet::start(&place) else { return };
    for (number, ahead) in [0, 3_600, 36_000, 360_000].into_iter().enumerate() {
        let machine = format!("m{number}");
        fleet.agent(&place, &machine, ahead, &[]);
        fleet.agent_beside(&place, &machine, &format!("{machine}-too"), ahead, &[]);
    }
    for count in [1, 2, 8] {
        let hosts = format!("[[load_host]]\nname = \"any\"\nagents = {count}\n");
        // A part of the work for each, however long that takes it.
        fleet.study_of(&place, &hosts, "clients = 8\ntransactions = 4_000", 1);
        place.files(".weighin").iter().for_each(|file| fs::remove_file(file).unwrap());
        place.weighin(&["run", "study.toml"]).done();
        let dataset = place.store().dataset().unwrap();
        let trial = &dataset.trials[0];
        assert_counted(trial);
        let load = trial.load().unwrap();
        assert_eq!(load.generators.len(), count);
        assert!(load.generators.iter().all(|share| share.transactions > 0), "{load:?}");
        if count > 1 {
            assert_begun_together(trial);
        }
    }
}

/// That parts of a load whose clocks are hours apart began together, but for how long a machine is busy.
fn assert_begun_together(trial: &TrialRecord) {
    let spread = analyse::start_spread(trial.load().unwrap(), &trial.sampling).unwrap();
    assert!(spread.seconds + spread.uncertainty_seconds < 60.0, "{spread:?}");
}
