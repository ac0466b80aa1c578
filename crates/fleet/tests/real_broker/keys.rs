//! Agents and leads with keys, and what others on the same broker can do to them.

use crate::support::{Nats, Raw};
use crate::{GENERATOR, Taken, ask, expect, named, said, started, taken};
use fleet::PublicKey;
use fleet::{AgentKeys, AgentOptions, Fleet, Stranger};
use model::{FailureKind, Stop};
use nkeys::KeyPair;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// What a broker must let an agent do, and no more.
fn rights_of_agent(pair: &KeyPair) -> String {
    let key = pair.public_key();
    format!(
        ", permissions: {{ publish: [ \"weighin.tests.here\", \"weighin.tests.from.{key}.>\" ], \
         subscribe: [ \"weighin.tests.call\", \"weighin.tests.to.{key}.>\" ] }}"
    )
}

const RIGHTS_OF_LEAD: &str = ", permissions: { publish: [ \"weighin.tests.call\", \
     \"weighin.tests.to.>\" ], subscribe: [ \"weighin.tests.here\", \"weighin.tests.from.>\" ] }";

fn pair() -> KeyPair {
    KeyPair::new_user()
}

fn agent(nats: &Nats, name: &str, own: &KeyPair, lead: &KeyPair) -> Receiver<String> {
    let leads = BTreeSet::from([PublicKey::parse(&lead.public_key()).unwrap()]);
    let options = AgentOptions {
        login: nats.login_with(own),
        name: name.to_owned(),
        labels: BTreeMap::new(),
        leads,
        generator: GENERATOR,
    };
    started(options)
}

fn lead(nats: &Nats, own: &KeyPair, agents: &[(&str, &KeyPair)]) -> Arc<Fleet> {
    let login = nats.login_with(own);
    let (address, source) = (login.address.clone(), Box::new(move || Ok(login.clone())));
    let keys = agents.iter().map(|(name, pair)| ((*name).to_owned(), pair.public_key()));
    let keys = AgentKeys::read(&keys.collect()).unwrap();
    Arc::new(Fleet::new(address, source, "me".to_owned(), BTreeSet::new(), Some(keys)))
}

#[test]
fn an_agent_and_a_lead_need_no_more_rights_than_the_broker_gives_them() {
    let (a, b, me) = (pair(), pair(), pair());
    let nats = Nats::start_with_users(&[
        (&a, &rights_of_agent(&a)),
        (&b, &rights_of_agent(&b)),
        (&me, RIGHTS_OF_LEAD),
    ]);
    let events = agent(&nats, "a", &a, &me);
    expect(&events, "registered");
    let mut link = taken(named(&lead(&nats, &me, &[("a", &a)]), "a").as_ref());
    expect(&events, "taken by me");
    let answer = ask(&mut link, "{\"question\":{\"processor_count\":[]}}");
    assert!(answer.contains("\"number\":1") && !answer.contains("does nothing else"), "{answer}");
    // Another agent hears nothing of it, and says nothing in its place.
    let (key, mut other) = (a.public_key(), Raw::connect_as(&nats, &b));
    for what in [
        "SUB > 1".to_owned(),
        "SUB weighin.tests.> 1".to_owned(),
        "SUB weighin.tests.here 1".to_owned(),
        format!("SUB weighin.tests.to.{key}.> 1"),
        format!("SUB weighin.tests.from.{key}.> 1"),
        "PUB weighin.tests.call 2\r\n{}".to_owned(),
        format!("PUB weighin.tests.from.{key}.claim.0 2\r\n{{}}"),
        format!("PUB weighin.tests.to.{key}.claim.0 2\r\n{{}}"),
    ] {
        assert!(other.is_refused(&what), "{what}");
    }
    assert!(!other.is_refused("SUB weighin.tests.call 1"));
    link.connection.end();
}

#[test]
fn a_broker_that_permits_too_little_is_named() {
    let (a, me) = (pair(), pair());
    let nats = Nats::start_with_users(&[(&a, RIGHTS_OF_LEAD), (&me, "")]);
    let events = agent(&nats, "a", &a, &me);
    let said = std::iter::repeat_with(|| events.recv().unwrap()).find(|said| said.contains("Err"));
    let said = said.unwrap();
    assert!(said.contains("does not permit") && said.contains("weighin.tests."), "{said}");
    // A key that the broker does not know, and a token where it wants keys.
    let stranger = lead(&nats, &pair(), &[]);
    let failure = stranger.agents(&Stop::default()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::AccessDenied);
    assert!(failure.message.contains("does not know the key U"), "{failure}");
    let with_token = Nats::start();
    let failure = lead(&with_token, &me, &[]).agents(&Stop::default()).unwrap_err();
    assert!(failure.message.contains("has no users with nkeys"), "{failure}");
}

#[test]
fn an_agent_that_takes_the_name_of_another_gets_no_load() {
    let (a, impostor, me) = (pair(), pair(), pair());
    let nats = Nats::start_with_users(&[(&a, ""), (&impostor, ""), (&me, "")]);
    let of_impostor = agent(&nats, "a", &impostor, &me);
    expect(&of_impostor, "registered");
    let fleet = lead(&nats, &me, &[("a", &a), ("*", &impostor)]);
    let failure = named(&fleet, "a").connect(&Stop::default()).err().unwrap();
    assert_eq!(failure.kind, FailureKind::AccessDenied, "{failure}");
    let words = format!("registered as a with the key {}", impostor.public_key());
    assert!(failure.message.contains(&words), "{failure}");
    let known = fleet.agents(&Stop::default()).unwrap();
    assert_eq!(known[0].stranger, Some(Stranger::Key(impostor.public_key())));
    // Nor does it keep the one from its work whose name it is.
    let events = agent(&nats, "a", &a, &me);
    expect(&events, "registered");
    let link = taken(named(&fleet, "a").as_ref());
    expect(&events, "taken by me");
    link.connection.end();
    assert!(of_impostor.try_recv().is_err(), "it was asked for nothing");
}

#[test]
fn a_lead_that_an_agent_was_not_told_gives_it_no_orders() {
    let (a, me, other) = (pair(), pair(), pair());
    let nats = Nats::start_with_users(&[(&a, ""), (&me, ""), (&other, "")]);
    let events = agent(&nats, "a", &a, &me);
    expect(&events, "registered");
    let fleet = lead(&nats, &other, &[("a", &a)]);
    let failure = named(&fleet, "a").connect(&Stop::default()).err().unwrap();
    assert!(failure.message.contains("the agent a does not answer this lead"), "{failure}");
    assert!(failure.remedy.contains(&format!("--lead {}", other.public_key())), "{failure}");
    let link = taken(named(&lead(&nats, &me, &[("a", &a)]), "a").as_ref());
    expect(&events, "taken by me");
    link.connection.end();
}

/// Everything that was said, as somebody hears it who may listen to all.
fn overheard(spy: &mut Raw, until: &str) -> Vec<(String, Vec<u8>)> {
    spy.publish("weighin.tests.end", until);
    let mut all = Vec::new();
    loop {
        match spy.next_message() {
            (subject, said) if subject == "weighin.tests.end" && said == until.as_bytes() => {
                return all;
            }
            message => all.push(message),
        }
    }
}

fn beat(link: &mut Taken, number: u64) -> String {
    writeln!(link.orders, "{{\"beat\":{number}}}").unwrap();
    link.orders.flush().unwrap();
    link.said.recv().unwrap()
}

#[test]
fn who_hears_everything_reads_no_login_and_changes_nothing_by_repeating_it() {
    const SECRET: &str = "s3cret-of-a-server";
    let (a, me, spying) = (pair(), pair(), pair());
    let nats = Nats::start_with_users(&[(&a, ""), (&me, ""), (&spying, "")]);
    let mut spy = Raw::connect_as(&nats, &spying);
    spy.subscribe(">");
    let events = agent(&nats, "a", &a, &me);
    expect(&events, "registered");
    let fleet = lead(&nats, &me, &[("a", &a)]);
    let mut link = taken(named(&fleet, "a").as_ref());
    expect(&events, "taken by me");
    // The agent has it: it says that it finds no such path.
    let order = format!("{{\"question\":{{\"free_space\":\"/{SECRET}\"}}}}");
    assert!(ask(&mut link, &order).contains("makes loads"));
    assert!(beat(&mut link, 1).contains("\"number\":1,"));
    let heard = overheard(&mut spy, "first");
    let in_session = heard.iter().filter(|(subject, _)| subject.contains(".session.")).count();
    assert!(in_session >= 4, "{in_session} messages of {}", heard.len());
    for (subject, payload) in &heard {
        let text = String::from_utf8_lossy(payload);
        assert!(!text.contains(SECRET) && !text.contains("beat"), "{subject}: {text}");
    }
    // All of it once more, and garbage, in mid-session.
    for (subject, payload) in &heard {
        spy.publish(subject, payload);
        spy.publish(subject, "garbage");
    }
    overheard(&mut spy, "second");
    for number in 2..10 {
        let answer = beat(&mut link, number);
        assert!(answer.contains(&format!("\"number\":{number},")), "{answer}");
    }
    link.connection.end();
    expect(&events, "free from me");
    // And when it is free: nobody takes it by a claim that somebody else has made.
    let claims =
        heard.iter().filter(|(subject, _)| subject.contains(".to.") && subject.contains(".claim."));
    assert_eq!(claims.clone().count(), 1);
    for (subject, payload) in &heard {
        spy.publish(subject, payload);
    }
    overheard(&mut spy, "third");
    let link = taken(named(&fleet, "a").as_ref());
    expect(&events, "taken by me");
    link.connection.end();

    // What an agent said once does not make it one that is there.
    let elsewhere = Nats::start_with_users(&[(&me, ""), (&spying, "")]);
    let mut spy = Raw::connect_as(&elsewhere, &spying);
    spy.subscribe("weighin.tests.call");
    let old: Vec<Vec<u8>> = heard
        .into_iter()
        .filter(|(subject, _)| subject == "weighin.tests.here")
        .map(|(_, payload)| payload)
        .collect();
    assert!(old.iter().any(|payload| said(payload)["call"].is_string()), "one that was called");
    let repeating = std::thread::spawn(move || {
        spy.next_message();
        old.iter().for_each(|payload| spy.publish("weighin.tests.here", payload));
        // Until the broker has all of it.
        assert!(!spy.is_refused("SUB weighin.tests.end 2"));
    });
    assert_eq!(lead(&elsewhere, &me, &[("a", &a)]).agents(&Stop::default()), Ok(Vec::new()));
    repeating.join().unwrap();
}
