//! Agents and leads with a real nats-server on this machine.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod keys;
mod support;

use fleet::{AgentEvent, AgentOptions, Fleet, wait_for_leads};
use host::{Connection, Heard, Hello, Link, Route};
use model::{AgentChoice, FailureKind, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use support::{Nats, Raw};

pub const GENERATOR: &str = "no-generator";

/// Starts an agent; what becomes of it.
fn agent(nats: &Nats, name: &str, labels: &[(&str, &str)]) -> Receiver<String> {
    let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let options = AgentOptions {
        login: nats.login(),
        name: name.to_owned(),
        labels: labels.collect(),
        leads: BTreeSet::new(),
        generator: GENERATOR,
    };
    started(options)
}

fn started(options: AgentOptions) -> Receiver<String> {
    let (told, events) = channel();
    thread::spawn(move || {
        let failed = wait_for_leads(&options, &mut |event| {
            let _ = told.send(match event {
                AgentEvent::NoBroker(_) => "no broker".to_owned(),
                AgentEvent::Registered { .. } => "registered".to_owned(),
                AgentEvent::Taken { lead } => format!("taken by {lead}"),
                AgentEvent::Free { lead } => format!("free from {lead}"),
            });
        });
        drop(told.send(format!("{failed:?}")));
    });
    events
}

fn expect(events: &Receiver<String>, words: &str) {
    let said = events.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(said.contains(words), "no «{words}» in {said}");
}

fn lead(nats: &Nats, name: &str) -> Arc<Fleet> {
    let login = nats.login();
    let address = login.address.clone();
    let source = Box::new(move || Ok(login.clone()));
    Arc::new(Fleet::new(
        address,
        source,
        name.to_owned(),
        BTreeSet::from(["named".to_owned()]),
        None,
    ))
}

fn named(fleet: &Arc<Fleet>, name: &str) -> Box<dyn Route> {
    fleet.route(format!("as-{name}"), AgentChoice::Named(name.to_owned()))
}

fn any(fleet: &Arc<Fleet>, host: &str, labels: &[(&str, &str)]) -> Box<dyn Route> {
    let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    fleet.route(host.to_owned(), AgentChoice::Any(labels.collect::<BTreeMap<_, _>>()))
}

/// What an agent would say of itself when it is called.
fn registration(name: &str, id: &str, version: &str, call: &[u8]) -> String {
    let call: serde_json::Value = serde_json::from_slice(call).unwrap();
    let nonce = &call["nonce"];
    let said = format!(
        "{{\"hello\":{{\"version\":\"{version}\",\"protocol\":1}},\"name\":\"{name}\",\"id\":\"{id}\",\
         \"labels\":{{}},\"processors\":1,\"lead\":null,\"call\":{nonce},\"challenge\":\"{id}\",\"count\":1}}"
    );
    serde_json::json!({ "said": said }).to_string()
}

/// The content of a message that may be signed.
fn said(payload: &[u8]) -> serde_json::Value {
    let envelope: serde_json::Value = serde_json::from_slice(payload).unwrap();
    serde_json::from_str(envelope["said"].as_str().unwrap()).unwrap()
}

/// A link of a lead's.
struct Taken {
    orders: Box<dyn Write + Send>,
    connection: Box<dyn Connection>,
    /// What the agent says, to its end.
    said: Receiver<String>,
}

fn taken(route: &dyn Route) -> Taken {
    let link = route.connect(&Stop::default()).unwrap_or_else(|failure| panic!("{failure}"));
    let Link { orders, answers, connection } = link;
    let (heard, said) = channel();
    answers.hear(1 << 20, move |line| match line {
        Heard::Line(line) => heard.send(String::from_utf8_lossy(line).into_owned()).is_ok(),
        Heard::End(_) => false,
    });
    Taken { orders, connection, said }
}

fn ask(link: &mut Taken, order: &str) -> String {
    writeln!(link.orders, "{{\"ask\":{{\"number\":1,\"order\":{order}}}}}").unwrap();
    link.orders.flush().unwrap();
    link.said.recv().unwrap()
}

#[test]
fn an_agent_does_nothing_but_make_loads() {
    let nats = Nats::start();
    let events = agent(&nats, "a", &[]);
    expect(&events, "registered");
    let mut link = taken(named(&lead(&nats, "me"), "a").as_ref());
    for order in [
        "{\"question\":{\"drop_caches\":[]}}",
        "{\"question\":{\"check_caches\":[]}}",
        "{\"question\":{\"disks\":[]}}",
        "{\"question\":{\"free_space\":\"/etc\"}}",
        "{\"question\":{\"find_program\":\"sh\"}}",
        "{\"start_weighin\":\"demo\"}",
        "{\"watch\":{\"server_pid\":1,\"temporary_space\":true,\"data\":null}}",
        "{\"watch\":{\"server_pid\":null,\"temporary_space\":false,\"data\":\"/etc\"}}",
    ] {
        let answer = ask(&mut link, order);
        assert!(answer.contains("makes loads, and does nothing else"), "{order}: {answer}");
    }
    for order in [
        "{\"question\":{\"processor_count\":[]}}",
        "{\"question\":{\"facts\":[]}}",
        "{\"question\":{\"check_connection\":\"127.0.0.1:1\"}}",
    ] {
        let answer = ask(&mut link, order);
        assert!(!answer.contains("does nothing else"), "{order}: {answer}");
    }
    link.connection.end();
}

#[test]
fn an_agent_has_one_lead_at_a_time_and_waits_again_when_that_is_gone() {
    let nats = Nats::start();
    let events = agent(&nats, "a", &[]);
    expect(&events, "registered");
    let (first, second) = (lead(&nats, "first"), lead(&nats, "second"));
    let Taken { mut orders, connection, said } = taken(named(&first, "a").as_ref());
    expect(&events, "taken by first");
    let (over, is_over) = channel::<()>();
    let beating = thread::spawn(move || {
        while is_over.recv_timeout(Duration::from_millis(500)) == Err(RecvTimeoutError::Timeout) {
            writeln!(orders, "{{\"beat\":1}}").unwrap();
            orders.flush().unwrap();
        }
    });
    let busy = named(&second, "a").connect(&Stop::default()).err().unwrap();
    assert_eq!(busy.kind, FailureKind::Unreachable);
    assert!(busy.message.contains("the agent a makes load for first"), "{busy}");
    let known = second.agents(&Stop::default()).unwrap();
    assert_eq!(known[0].lead.as_deref(), Some("first"));
    drop(over);
    beating.join().unwrap();
    connection.end();
    drop(said);
    expect(&events, "free from first");

    // A lead that says nothing is gone after three seconds.
    let began = Instant::now();
    let silent = taken(named(&second, "a").as_ref());
    expect(&events, "taken by second");
    expect(&events, "free from second");
    assert!(began.elapsed() > Duration::from_secs(2), "{:?}", began.elapsed());
    assert!(silent.said.recv().is_err(), "it is the end");
    let how = silent.connection.how_it_ended();
    assert!(how.contains("it heard nothing of its lead any more"), "{how}");
}

#[test]
fn load_hosts_get_agents_with_their_labels_that_no_other_has() {
    let nats = Nats::start();
    let agents = [("x", "w"), ("y", "e"), ("z", "w"), ("named", "w")];
    let all = agents.map(|(name, zone)| agent(&nats, name, &[("zone", zone)]));
    all.iter().for_each(|events| expect(events, "registered"));
    let fleet = lead(&nats, "me");
    let west = [any(&fleet, "w-1", &[("zone", "w")]), any(&fleet, "w-2", &[("zone", "w")])];
    let first = taken(west[0].as_ref());
    // Whoever of both answered in time.
    let deadline = Instant::now() + Duration::from_secs(60);
    let (said, other) = loop {
        assert!(Instant::now() < deadline, "no agent was taken");
        match [0, 2].map(|agent| all[agent].try_recv()) {
            [Ok(said), _] => break (said, &all[2]),
            [_, Ok(said)] => break (said, &all[0]),
            _ => thread::sleep(Duration::from_millis(5)),
        }
    };
    assert_eq!(said, "taken by me");
    let links = [first, taken(west[1].as_ref())];
    expect(other, "taken by me");
    let third = any(&fleet, "w-3", &[("zone", "w")]).connect(&Stop::default()).err().unwrap();
    assert!(third.message.contains("too few agents with zone=w"), "{third}");
    links.iter().for_each(|link| link.connection.end());
    expect(&all[0], "free");
    expect(&all[2], "free");
    // Each has the agent again that it had.
    let again = taken(west[1].as_ref());
    expect(other, "taken by me");
    again.connection.end();
}

#[test]
fn agents_of_other_versions_and_such_that_make_no_sense() {
    let nats = Nats::start();
    let mut raw = Raw::connect(&nats);
    raw.subscribe("weighin.tests.call");
    let id = "0123456789abcdef0123456789abcdef";
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let answering = thread::spawn(move || {
        while !over.load(Ordering::Relaxed) {
            let (_, call) = raw.next_message();
            raw.publish("weighin.tests.here", "{");
            raw.publish("weighin.tests.here", registration("bad", "*", "0.0.9", &call));
            raw.publish("weighin.tests.here", registration("old", id, "0.0.9", &call));
        }
    });
    let fleet = lead(&nats, "me");
    // A busy machine may answer later than agents are waited for.
    let deadline = Instant::now() + Duration::from_secs(60);
    let known = loop {
        let known = fleet.agents(&Stop::default()).unwrap();
        if !known.is_empty() || Instant::now() > deadline {
            break known;
        }
    };
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!(known[0].other_version.as_deref(), Some("0.0.9"));
    let refused = named(&fleet, "old").connect(&Stop::default()).err().unwrap();
    let own = Hello::own();
    for words in ["weighin 0.0.9 (protocol 1)", &format!("this is weighin {}", own.version)] {
        assert!(refused.message.contains(words), "no «{words}» in {refused}");
    }
    is_over.store(true, Ordering::Relaxed);
    drop(nats);
    let _ = answering.join();
}

#[test]
fn an_agent_refuses_a_lead_of_another_version_and_is_free_for_others() {
    let nats = Nats::start();
    let mut raw = Raw::connect(&nats);
    raw.subscribe("weighin.tests.>");
    let events = agent(&nats, "a", &[]);
    expect(&events, "registered");
    let (_, heard) = raw.next_message();
    let (id, challenge) = (said(&heard)["id"].clone(), said(&heard)["challenge"].clone());
    let (id, session) = (id.as_str().unwrap(), "0123456789abcdef0123456789abcdef");
    let claim = format!(
        "{{\"hello\":{{\"version\":\"0.0.9\",\"protocol\":1}},\"lead\":\"old\",\"session\":\"{session}\",\
         \"agent\":\"{id}\",\"agent_key\":null,\"challenge\":{challenge},\"share\":\"\"}}"
    );
    let claim = serde_json::json!({ "said": claim }).to_string();
    raw.publish(&format!("weighin.tests.to.{id}.claim.{id}"), claim);
    let refused = loop {
        let (subject, heard) = raw.next_message();
        if subject == format!("weighin.tests.from.{id}.claim.{session}") {
            break String::from_utf8(heard).unwrap();
        }
    };
    let own = Hello::own().version;
    assert!(refused.contains("other_version") && refused.contains(&own), "{refused}");
    let link = taken(named(&lead(&nats, "me"), "a").as_ref());
    expect(&events, "taken by me");
    link.connection.end();
}

#[test]
fn a_broker_that_comes_back_finds_its_agents_again() {
    let mut nats = Nats::start();
    let events = agent(&nats, "a", &[]);
    expect(&events, "registered");
    let fleet = lead(&nats, "me");
    let link = taken(named(&fleet, "a").as_ref());
    expect(&events, "taken by me");
    nats.stop();
    expect(&events, "no broker");
    expect(&events, "free from me");
    let why = link.connection.why_silent().unwrap();
    assert!(why.contains("the broker nats://127.0.0.1:") && why.contains("is gone"), "{why}");
    nats.start_again();
    expect(&events, "registered");
    let again = taken(named(&fleet, "a").as_ref());
    expect(&events, "taken by me");
    again.connection.end();
}

#[test]
fn a_broker_that_comes_back_without_a_token_is_not_listened_to() {
    const OPEN: &str = "asks nobody for a token or a key";
    let mut nats = Nats::start();
    let events = agent(&nats, "a", &[]);
    expect(&events, "registered");
    let fleet = lead(&nats, "me");
    let mut link = taken(named(&fleet, "a").as_ref());
    expect(&events, "taken by me");
    nats.stop();
    expect(&events, "no broker");
    expect(&events, "free from me");
    // The lead knows no more than that it hears nothing, or not even that.
    while !link.connection.why_silent().is_some_and(|why| why.contains("is gone")) {
        thread::sleep(Duration::from_millis(5));
    }
    writeln!(link.orders, "{{\"secret\":\"s3cret\"}}").unwrap();
    link.orders.flush().unwrap();
    nats.start_again_without_token();
    expect(&events, OPEN);
    // Nor does the lead take an agent there, whoever says that it is one.
    let mut raw = Raw::connect(&nats);
    raw.subscribe("weighin.tests.>");
    let id = "0123456789abcdef0123456789abcdef";
    let call = format!("{{\"nonce\":\"{id}\"}}");
    let own = env!("CARGO_PKG_VERSION");
    raw.publish("weighin.tests.here", registration("b", id, own, call.as_bytes()));
    let failure = named(&fleet, "b").connect(&Stop::default()).map(|_| ()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::AccessDenied, "{failure}");
    assert!(failure.message.contains(OPEN), "{failure}");
    assert!(fleet.agents(&Stop::default()).unwrap_err().message.contains(OPEN));
    let why = link.connection.why_silent().unwrap();
    assert!(why.contains(OPEN), "{why}");
    let heard = nats.heard_without_token();
    assert!(heard.contains("weighin.tests.here") && !heard.contains("s3cret"), "{heard}");
    // With one again, it is a broker as before, once the lead has connected to it.
    nats.stop();
    nats.start_again();
    let events = agent(&nats, "a", &[]);
    expect(&events, "registered");
    let deadline = Instant::now() + Duration::from_secs(60);
    let again = loop {
        match named(&fleet, "a").connect(&Stop::default()) {
            Ok(link) => break link,
            Err(failure) => assert!(Instant::now() < deadline, "{failure}"),
        }
        thread::sleep(Duration::from_millis(50));
    };
    expect(&events, "taken by me");
    again.connection.end();
}

#[test]
fn a_broker_that_is_started_again_costs_a_session_none_of_its_messages() {
    // On a busy machine a broker may take longer to start than an agent waits for its lead.
    assert!((0..5).any(|_| outlives_restarts()), "no session lasts");
}

/// Restarts a broker below a session, which loses nothing; `false` where it had ended before, because the
/// agent heard nothing of its lead for too long.
fn outlives_restarts() -> bool {
    const BEATS: u64 = 1_200;
    const RESTARTS: u64 = 5;
    let mut nats = Nats::start();
    let events = agent(&nats, "a", &[]);
    expect(&events, "registered");
    let mut link = taken(named(&lead(&nats, "me"), "a").as_ref());
    expect(&events, "taken by me");
    let beat = |link: &mut Taken, number: u64| {
        writeln!(link.orders, "{{\"beat\":{number}}}").unwrap();
        link.orders.flush().unwrap();
    };
    let sent = AtomicU64::new(0);
    thread::scope(|scope| {
        let (sent, nats) = (&sent, &mut nats);
        scope.spawn(move || {
            for restart in 1..=RESTARTS {
                while sent.load(Ordering::Relaxed) < BEATS * restart / (RESTARTS + 1) {
                    thread::sleep(Duration::from_millis(1));
                }
                nats.stop();
                nats.start_again();
            }
        });
        for number in 0..BEATS {
            beat(&mut link, number);
            sent.store(number, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(5));
        }
    });
    let mut answered = 0;
    for more in BEATS.. {
        let timeout = Duration::from_millis(100);
        while let Ok(answer) = link.said.recv_timeout(timeout) {
            assert!(answer.contains(&format!("\"number\":{answered},")), "{answered}: {answer}");
            answered += 1;
        }
        if answered >= BEATS {
            break;
        }
        let how = link.connection.how_it_ended();
        if how.contains("it heard nothing of its lead any more") {
            return false;
        }
        assert!(more < BEATS + 600, "{answered} answers, and {how}");
        // Only what follows shows that something is missing.
        beat(&mut link, more);
    }
    link.connection.end();
    expect(&events, "no broker");
    true
}
