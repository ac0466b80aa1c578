//! What the clients of every built-in workload write, byte for byte, for seeds that are given: it never
//! changes, so that results of different versions can be compared.

use super::{END, OK, packets};
use crate::load::{MysqlWire, ProgramSession};
use crate::protocol::LoginOptions;
use engine::{Event, Session};
use model::{KeyDistribution, Oltp, OltpDialect, OltpMix, OltpTransaction, RequestTally};
use sql::Statements;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Each of them takes some 20 statements.
const OPERATIONS: usize = 12;

/// A server that accepts everybody, prepares everything, has one row for every question, and refuses
/// a statement now and then.
#[derive(Default)]
struct Peer {
    /// MySQL prepares no statement that begins or ends a transaction.
    is_mysql: bool,
    /// Refuses every so many statements, in turns with the one and the other error.
    refuses: Option<usize>,
    /// By number.
    prepared: HashMap<u32, String>,
    asked: usize,
    greeted: bool,
}

const DEADLOCK: &[u8] = b"\xff\xbd\x04#40001Deadlock found";
const DUPLICATE: &[u8] = b"\xff\x26\x04#23000Duplicate entry";
const NOT_PREPARED: &[u8] = b"\xff\x0f\x05#HY000This command is not supported";

fn greeting() -> Vec<u8> {
    // No TLS, no compression, no ends of rows without a packet of their own.
    let flags: u32 = (1 | 1 << 9 | 1 << 13 | 1 << 15 | 1 << 19) | 8;
    let mut out = b"\x0a5.5.5-10.11.6-MariaDB\0\x01\0\0\0abcdefgh\0".to_vec();
    out.extend_from_slice(&(flags as u16).to_le_bytes());
    out.extend_from_slice(&[45, 2, 0]);
    out.extend_from_slice(&((flags >> 16) as u16).to_le_bytes());
    out.extend_from_slice(&[21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out.extend_from_slice(b"ijklmnopqrst\0mysql_native_password\0");
    packets(0, &[&out])
}

impl Peer {
    /// What it answers to one command.
    fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        if !std::mem::replace(&mut self.greeted, true) {
            return packets(2, &[OK]);
        }
        let body = &request[4..];
        let sql = match body[0] {
            3 => String::from_utf8_lossy(&body[1..]).into_owned(),
            0x16 => return self.prepare(String::from_utf8_lossy(&body[1..]).into_owned()),
            0x17 => {
                let id = u32::from_le_bytes(body[1..5].try_into().unwrap());
                self.prepared[&id].clone()
            }
            other => panic!("command {other}"),
        };
        self.asked += 1;
        if let Some(turn) = self.refuses
            && self.asked.is_multiple_of(turn)
            && sql != "ROLLBACK"
        {
            let refusal = [DEADLOCK, DUPLICATE][self.asked / turn % 2];
            return packets(1, &[refusal]);
        }
        match sql.starts_with("SELECT") {
            true => packets(1, &[&[1], b"a definition", END, b"\x01x", END]),
            false => packets(1, &[OK]),
        }
    }

    fn prepare(&mut self, sql: String) -> Vec<u8> {
        if self.is_mysql && ["START TRANSACTION", "COMMIT"].contains(&sql.as_str()) {
            return packets(1, &[NOT_PREPARED]);
        }
        let id = self.prepared.len() as u32 + 1;
        let parameters = sql.matches('?').count();
        self.prepared.insert(id, sql);
        let mut head = vec![0];
        head.extend_from_slice(&id.to_le_bytes());
        head.extend_from_slice(&[0, 0]);
        head.extend_from_slice(&(parameters as u16).to_le_bytes());
        head.extend_from_slice(&[0, 0, 0]);
        let definitions: [&[u8]; 1] = [b"?"];
        let mut all: Vec<&[u8]> = vec![&head];
        if parameters > 0 {
            all.extend(definitions.iter().cycle().take(parameters));
            all.push(END);
        }
        packets(1, &all)
    }
}

/// FNV-1a.
struct Digest(u64);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Has a client log in, prepare, and work; adds what it writes, and what it makes of the answers.
fn converse(mut session: impl Session, mut peer: Peer, digest: &mut Digest) {
    let (mut out, mut tally) = (Vec::new(), RequestTally::default());
    session.open(&mut out);
    let mut input = greeting();
    let mut left = OPERATIONS;
    loop {
        let (consumed, event) = session.receive(&input, &mut out, &mut tally).unwrap();
        assert_eq!(consumed, input.len());
        if let Some(answered) = session.take_answered() {
            digest.add(&[u8::from(answered.refused)]);
        }
        let ended = match event {
            Event::More => false,
            Event::Ready | Event::Done => true,
            Event::Failed(error) => {
                digest.add(error.name().as_bytes());
                true
            }
            other => panic!("{other:?}"),
        };
        if ended {
            if left == 0 {
                break;
            }
            left -= 1;
            session.begin(&mut out);
        }
        digest.add(&out);
        input = peer.answer(&out);
        out.clear();
    }
    session.close(&mut out);
    digest.add(&out);
    digest.add(format!("{:?} {:?}", tally.kinds, tally.answers).as_bytes());
}

const DIALECTS: [OltpDialect; 3] =
    [OltpDialect::Sysbench10, OltpDialect::Sysbench05, OltpDialect::Sysbench04];

fn session(workload: &Oltp, seed: u64, client: u32) -> impl Session + use<> {
    let statements = Arc::new(Statements::new(workload::oltp::program(workload), seed, 4));
    let wire = MysqlWire::new(LoginOptions::default(), &statements);
    ProgramSession::<true>::new(wire, statements, client)
}

/// The digest of what clients write that run a workload in all the ways that do not change it.
fn digest(workload: &Oltp) -> u64 {
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    let clients = [(1, 0, None, false), (7, 3, None, true), (7, 1, Some(5), false)];
    for (prepared, tables) in [(true, 1), (true, 3), (false, 3)] {
        let workload = Oltp { prepared, tables, ..workload.clone() };
        for (seed, client, refuses, is_mysql) in clients {
            let peer = Peer { refuses, is_mysql, ..Peer::default() };
            converse(session(&workload, seed, client), peer, &mut digest);
        }
    }
    digest.0
}

/// Every workload that has a name, in the words of every generation; then what their options change.
fn digests() -> String {
    let mut text = String::new();
    for mix in OltpMix::REPEATABLE.into_iter().chain([OltpMix::BulkInsert]) {
        for dialect in DIALECTS {
            let workload = Oltp { dialect, ..Oltp::preset(mix) };
            let _ = writeln!(text, "{} {dialect:?} {:016x}", mix.name(), digest(&workload));
        }
    }
    for (name, workload) in variants() {
        for dialect in DIALECTS {
            let workload = Oltp { dialect, ..workload.clone() };
            let _ = writeln!(text, "{name} {dialect:?} {:016x}", digest(&workload));
        }
    }
    text
}

fn variants() -> Vec<(&'static str, Oltp)> {
    let preset = |mix| Oltp { table_size: 5_000, ..Oltp::preset(mix) };
    let with = |change: fn(&mut Oltp)| {
        let mut workload = preset(OltpMix::ReadWrite);
        change(&mut workload);
        workload
    };
    let all = OltpTransaction {
        explicit: true,
        point_selects: 2,
        pad_selects: 3,
        simple_ranges: 2,
        sum_ranges: 2,
        order_ranges: 1,
        distinct_ranges: 3,
        index_updates: 2,
        non_index_updates: 2,
        delete_inserts: 3,
        deletes: 2,
        inserts: 2,
        random_points: 2,
        random_ranges: 2,
        bulk_inserts: 0,
    };
    let mut everything = preset(OltpMix::ReadWrite);
    everything.transaction = all;
    let mut numbered = everything.clone();
    numbered.schema.auto_increment = false;
    let mut spread = everything.clone();
    (spread.points, spread.ranges, spread.delta, spread.range_size) = (3, 17, 9, 7);
    let mut variants = vec![
        ("everything", everything),
        ("numbered", numbered),
        ("spread", spread),
        ("named", with(|workload| workload.schema.single_table = Some("orders".to_owned()))),
        ("no transaction", with(|workload| workload.transaction.explicit = false)),
    ];
    variants.extend(KeyDistribution::ALL.into_iter().map(|distribution| {
        let name = match distribution {
            KeyDistribution::Uniform => "uniform",
            KeyDistribution::Gaussian => "gaussian",
            KeyDistribution::Special => "special",
            KeyDistribution::Pareto => "pareto",
            KeyDistribution::Zipfian => "zipfian",
        };
        (name, Oltp { distribution, ..preset(OltpMix::ReadWrite) })
    }));
    variants
}

#[test]
fn the_built_in_workloads_write_the_bytes_that_they_always_did() {
    let (now, always) = (digests(), include_str!("../wire.txt"));
    let changed: Vec<&str> = now
        .lines()
        .zip(always.lines())
        .filter(|(now, then)| now != then)
        .map(|pair| pair.0)
        .collect();
    assert!(changed.is_empty(), "changed:\n{}", changed.join("\n"));
    assert_eq!(now.lines().count(), always.lines().count(), "{now}");
}
