//! Sessions that run programs, with a server that is made up.

mod peer;
mod piping;

use super::wire::PostgresWire;
use super::{Duplicates, ProgramSession};
use crate::protocol::{AnswerReader, LoginOptions, ProtocolError};
use engine::{Event, OperationError, Session, SessionError, Unasked};
use model::{ErrorClass, KeyDistribution, Oltp, OltpMix, RequestTally};
use peer::{Said, Talk, message};
use sql::Statements;
use std::fmt::Write;
use std::sync::Arc;
use workload::oltp::{Wording, program_in};
use workload::program::Program;
use workload::script::{Options, Script, Syntax, parse};

const WORDING: Wording = Wording { begin: "BEGIN", omits_given_ids: true };

fn script(text: &str, prepared: bool) -> Program {
    let script = Script { text: text.to_owned(), weight: 1, ..Script::default() };
    let options = Options { prepared, syntax: Syntax::STANDARD, variables: Default::default() };
    Program::new(parse(&[script], &options).unwrap().without_values().unwrap())
}

fn failed(event: Event) -> OperationError {
    match event {
        Event::Failed(error) => *error,
        other => panic!("{other:?}"),
    }
}

const TRANSFER: &str = "\\set id 5\nBEGIN;\nSELECT v FROM t WHERE id = :id \\gset\n\
                        UPDATE t SET v = :v WHERE id = :id;\nCOMMIT;\n";

#[test]
fn values_are_read_from_answers_and_travel_in_the_next_statement_however_bytes_come() {
    for (prepared, piece) in [(true, 1), (true, 7), (true, 4096), (false, 1), (false, 4096)] {
        let mut talk = Talk::new(script(TRANSFER, prepared), piece);
        let read = Said::Rows(vec![Some("it's \\ 7")]);
        talk.peer.script.extend([None, Some(read)]);
        assert!(matches!(talk.operation().unwrap(), Event::Done));
        let update = match prepared {
            true => "UPDATE t SET v = $1 WHERE id = $2",
            false => "UPDATE t SET v =  E'it''s \\\\ 7' WHERE id = 5",
        };
        assert_eq!(talk.peer.executed[2], update);
        if prepared {
            let value = b"\0\0\0\x08it's \\ 7\0\0\0\x04\0\0\0\x05";
            assert!(talk.said.windows(value.len()).any(|bytes| bytes == value));
        }
        assert_eq!(talk.tally.kinds[..7], [1, 0, 1, 0, 1, 1, 0]);
    }
}

#[test]
fn an_answer_without_the_one_row_that_is_read_fails_the_transaction() {
    for rows in [vec![], vec![Some("1"), Some("2")]] {
        let mut talk = Talk::new(script(TRANSFER, true), 64);
        talk.peer.script.extend([None, Some(Said::Rows(rows))]);
        let error = failed(talk.operation().unwrap());
        assert_eq!((error.class, error.name().as_str()), (ErrorClass::Statement, "gset"));
        assert_eq!(talk.peer.executed.last().unwrap(), "ROLLBACK");
    }
    // NULL is a value.
    let mut talk = Talk::new(script(TRANSFER, true), 64);
    talk.peer.script.extend([None, Some(Said::Rows(vec![None]))]);
    assert!(matches!(talk.operation().unwrap(), Event::Done));
    assert!(talk.said.windows(8).any(|bytes| bytes == b"\xff\xff\xff\xff\0\0\0\x04"));
}

#[test]
fn a_refused_statement_is_rolled_back_where_a_transaction_is_open() {
    let refusal = |state| Some(Said::Refusal { state, fatal: false });
    for (state, class) in [
        ("40001", ErrorClass::Conflict),
        ("40P01", ErrorClass::Conflict),
        ("23505", ErrorClass::Conflict),
        ("53100", ErrorClass::Resource),
        ("25P02", ErrorClass::Other),
    ] {
        let mut talk = Talk::new(script(TRANSFER, true), 3);
        talk.peer.script.extend([None, refusal(state)]);
        let error = failed(talk.operation().unwrap());
        assert_eq!((error.class, error.code.as_str()), (class, state));
        assert_eq!(talk.peer.executed[1..], ["SELECT v FROM t WHERE id = $1", "ROLLBACK"]);
        // What was refused was answered too.
        assert_eq!(talk.tally.kinds[..7], [1, 0, 0, 0, 1, 0, 1]);
        talk.peer.script.extend([None, Some(Said::Rows(vec![Some("1")]))]);
        assert!(matches!(talk.operation().unwrap(), Event::Done));
    }
    // At the end nothing is open any more.
    let mut talk = Talk::new(script("BEGIN;\nCOMMIT;\n", true), 3);
    talk.peer.script.extend([None, refusal("40001")]);
    assert_eq!(failed(talk.operation().unwrap()).class, ErrorClass::Conflict);
    // Nor is anything outside of a transaction.
    let mut talk = Talk::new(script("UPDATE t SET v = 1;\n", true), 3);
    talk.peer.script.push_back(refusal("40001"));
    assert_eq!(failed(talk.operation().unwrap()).class, ErrorClass::Conflict);
    assert_eq!(talk.peer.executed, ["UPDATE t SET v = 1"]);
}

#[test]
fn after_the_last_word_of_a_server_nothing_is_sent() {
    let mut talk = Talk::new(script(TRANSFER, true), 5);
    talk.peer.script.extend([None, Some(Said::Refusal { state: "57P01", fatal: true })]);
    let error = failed(talk.operation().unwrap());
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::Connection, "57P01"));
    assert!(!talk.peer.executed.contains(&"ROLLBACK".to_owned()));

    let mut goodbye = Vec::new();
    message(b'E', b"SFATAL\0VFATAL\0C57P05\0Midle for too long\0\0", &mut goodbye);
    assert_eq!(talk.session.unasked(&goodbye).unwrap(), Unasked::Farewell);
    // Buffers end where they do.
    for end in 0..goodbye.len() {
        assert_eq!(talk.session.unasked(&goodbye[..end]).unwrap(), Unasked::Unfinished, "{end}");
    }
    let mut error = Vec::new();
    message(b'E', b"SERROR\0VERROR\0C57P05\0Mno\0\0", &mut error);
    assert_eq!(talk.session.unasked(&error).unwrap(), Unasked::Answer);
    assert!(talk.session.unasked(b"E\0\0\0\0").is_err());
}

#[test]
fn what_a_server_tells_by_itself_is_passed_over_however_it_is_cut() {
    let mut asides = Vec::new();
    message(b'N', b"SNOTICE\0VNOTICE\0C00000\0Mby the way\0\0", &mut asides);
    message(b'S', b"TimeZone\0UTC\0", &mut asides);
    message(b'A', b"\0\0\0\x07news\0\0", &mut asides);
    for piece in 1..=asides.len() {
        let mut talk = Talk::new(script(TRANSFER, true), 64);
        let mut shown = Vec::new();
        for bytes in asides.chunks(piece) {
            shown.extend_from_slice(bytes);
            while !shown.is_empty() {
                match talk.session.unasked(&shown).unwrap() {
                    Unasked::Notice(length) => drop(shown.drain(..length)),
                    Unasked::Unfinished => break,
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(shown.is_empty(), "{piece}");
        talk.peer.script.extend([None, Some(Said::Rows(vec![Some("1")]))]);
        assert!(matches!(talk.operation().unwrap(), Event::Done), "{piece}");
    }
    // An answer is known by its first byte.
    let mut talk = Talk::new(script(TRANSFER, true), 64);
    assert_eq!(talk.session.unasked(b"T").unwrap(), Unasked::Answer);
}

/// As little of a certificate as says what it is signed with: ECDSA with SHA-256.
const CERTIFICATE: &[u8] =
    &[0x30, 14, 0x30, 0, 0x30, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];

#[test]
fn a_login_over_tls_is_bound_to_the_certificate_that_the_server_has_shown() {
    for (shown, expected) in [(true, "SCRAM-SHA-256-PLUS"), (false, "SCRAM-SHA-256")] {
        let statements = Arc::new(Statements::new(script("SELECT 1;\n", true), 7, 1));
        let options = LoginOptions {
            user: "ann".to_owned(),
            password: b"secret".to_vec(),
            tls: true,
            ..LoginOptions::default()
        };
        let wire = PostgresWire::new(options, &statements, Duplicates::Conflict);
        let mut session = ProgramSession::<true>::new(wire, statements, 0);
        let (mut out, mut tally) = (Vec::new(), RequestTally::default());
        session.open(&mut out);
        let (_, event) = session.receive(b"S", &mut out, &mut tally).unwrap();
        assert!(matches!(event, Event::StartTls));
        session.tls_started(&mut out);
        if shown {
            session.peer_certificate(CERTIFICATE);
        }
        out.clear();
        let mut offer = Vec::new();
        let body = b"\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0";
        message(b'R', body, &mut offer);
        session.receive(&offer, &mut out, &mut tally).unwrap();
        // The answer begins with the name of what was chosen.
        let name = out[5..].split(|&byte| byte == 0).next().unwrap();
        assert_eq!(String::from_utf8_lossy(name), expected);
    }
}

#[test]
fn what_is_no_answer_ends_the_session() {
    for wrong in [
        &b"E\0\0\0\x03"[..],
        b"C\xff\xff\xff\xff",
        b"C\x7f\xff\xff\xff",
        b"Z\0\0\0\x05X",
        b"Z\0\0\0\x04",
        b"R\0\0\0\x08\0\0\0\0",
        b"G\0\0\0\x07\0\0\0",
        b"E\0\0\0\x09SERRO",
    ] {
        let answer = AnswerReader::default().receive(wrong, None);
        assert!(answer.is_err(), "{wrong:?}: {answer:?}");
    }
    let mut talk = Talk::new(script("SELECT 1 AS w \\gset\n", true), 64);
    // The column is called otherwise than when it was prepared.
    talk.peer.script.push_back(Some(Said::Rows(vec![Some("1")])));
    let ended = talk.operation();
    assert!(matches!(ended, Ok(Event::Done) | Err(SessionError::Protocol(_))), "{ended:?}");
}

#[test]
fn a_session_that_is_to_read_ends_when_the_server_lets_it_write() {
    let mut input = Vec::new();
    message(b'S', b"default_transaction_read_only\0off\0", &mut input);
    message(b'Z', b"I", &mut input);
    for part in 0..=input.len() {
        let mut reader = AnswerReader::new(true);
        let read = reader.receive(&input[..part], None).and_then(|(taken, answer)| match answer {
            None => reader.receive(&input[taken..], None),
            answer => Ok((taken, answer)),
        });
        assert_eq!(read, Err(ProtocolError::MayWrite), "{part}");
    }
    assert!(AnswerReader::new(true).receive_piped(&input).is_err());
    assert!(AnswerReader::default().receive(&input, None).is_ok());
    let other = b"S\0\0\0\x11TimeZone\0UTC\0Z\0\0\0\x05I";
    assert!(AnswerReader::new(true).receive(other, None).is_ok());
}

#[test]
fn integers_that_a_parameter_cannot_hold_travel_as_text() {
    let text = "\\set big 3000000000\nSELECT v FROM t WHERE id = :big;\n";
    let mut talk = Talk::new(script(text, true), 64);
    assert!(matches!(talk.operation().unwrap(), Event::Done));
    let value = b"\0\x01\0\0\0\x01\0\0\0\x0a3000000000\0\0";
    assert!(talk.said.windows(value.len()).any(|bytes| bytes == value));
}

/// FNV-1a of all that a client of a workload says.
fn digest(workload: &Oltp) -> u64 {
    let mut talk = Talk::new(program_in(workload, &WORDING), 1000);
    for _ in 0..12 {
        let event = talk.operation().unwrap();
        assert!(matches!(event, Event::Done), "{event:?}");
    }
    talk.said.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What the clients of every built-in workload write, byte for byte, never changes, so that results of
/// different versions can be compared.
#[test]
fn the_built_in_workloads_write_the_bytes_that_they_always_did() {
    let mut now = String::new();
    for mix in OltpMix::REPEATABLE.into_iter().chain([OltpMix::BulkInsert]) {
        for prepared in [true, false] {
            let workload = Oltp { prepared, tables: 3, ..Oltp::preset(mix) };
            let _ = writeln!(now, "{} {prepared} {:016x}", mix.name(), digest(&workload));
        }
    }
    for distribution in KeyDistribution::ALL {
        let workload = Oltp { distribution, ..Oltp::preset(OltpMix::ReadWrite) };
        let _ = writeln!(now, "{} {:016x}", distribution.name(), digest(&workload));
    }
    assert_eq!(now, include_str!("../wire.txt"));
}
