//! The PostgreSQL protocol: what a server sends, from the first byte to the last row.

use super::{KIB, MIB};
use crate::Target;
use crate::input::{Cuts, Input, feed};
use crate::seeds::postgres as seeds;
use model::AuthMethods;
use postgres::protocol::{
    Answer, AnswerReader, Columns, Kept, Login, LoginOptions, LoginStep, PipedAnswer,
    PrepareAnswer, PrepareReader, TextAnswer, TextReader,
};

/// A login against a server that may send anything.
pub(super) const LOGIN: Target = Target {
    name: "postgres_login",
    mutations: 500,
    run: login,
    seeds: seeds::logins,
    longest: 4 * KIB,
    memory: 4 * MIB,
    dictionary: dictionary!(postgres_login),
};

/// Answers to statements.
pub(super) const ANSWERS: Target = Target {
    name: "postgres_answers",
    mutations: 3000,
    run: answers,
    seeds: seeds::answers,
    longest: 4 * KIB,
    memory: 2 * MIB,
    dictionary: dictionary!(postgres_answers),
};

/// What the client sends of itself, decided by a byte.
pub(super) fn options(flags: u8) -> LoginOptions {
    LoginOptions {
        user: "bench".into(),
        password: if flags & 1 != 0 { b"secret".to_vec() } else { Vec::new() },
        database: (flags & 4 != 0).then(|| "test".into()),
        tls: flags & 2 != 0,
        local_transport: flags & 8 != 0,
        may_reveal: flags & 16 != 0,
        auth: match flags & 64 {
            0 => AuthMethods::default(),
            _ => AuthMethods::parse("scram-sha-256").unwrap_or_default(),
        },
        read_only: flags & 32 != 0,
        application_name: "weighin",
        ..LoginOptions::default()
    }
}

/// Byte 0: options. Byte 1: how the stream is cut.
fn login(data: &[u8]) {
    let mut input = Input::new(data);
    let (flags, cuts) = (input.byte(), input.byte());
    let (options, stream) = (options(flags), input.rest());
    let whole = log_in(stream, &options, Cuts::new(0));
    assert_eq!(whole, log_in(stream, &options, Cuts::new(cuts)), "pieces change a login");
}

/// How much the client sent, and how the login ended.
fn log_in(stream: &[u8], options: &LoginOptions, cuts: Cuts) -> (usize, String) {
    let (mut sent, mut end) = (Vec::new(), String::new());
    let mut login = Login::begin(options.clone(), &mut sent);
    feed(stream, cuts, |piece| match login.receive(piece, &mut sent) {
        Ok(LoginStep::NeedMore { consumed }) => Some(consumed),
        Ok(LoginStep::StartTls { consumed }) => {
            login.bind(vec![7; 32]);
            login.tls_started(&mut sent);
            Some(consumed)
        }
        Ok(LoginStep::Done { session, .. }) => {
            end = format!("{session:?}");
            None
        }
        Err(error) => {
            end = format!("{error:?} {error}");
            None
        }
    });
    // Nobody can foresee the nonce, nor what is wrong with an answer to it.
    let end = if end.starts_with("NotProven") { "not proven".to_owned() } else { end };
    (sent.len(), end)
}

/// Byte 0: the reader. Byte 1: how the stream is cut.
fn answers(data: &[u8]) {
    let mut input = Input::new(data);
    let (flags, cuts) = (input.byte(), input.byte());
    let stream = input.rest();
    if flags & 2 != 0 {
        let whole = prepared(stream, Cuts::new(0));
        assert_eq!(whole, prepared(stream, Cuts::new(cuts)), "pieces matter");
        return;
    }
    if flags & 4 != 0 {
        let whole = piped(stream, Cuts::new(0));
        assert_eq!(whole, piped(stream, Cuts::new(cuts)), "pieces change a pipeline");
        return;
    }
    let keeps = flags & 1 != 0;
    let counted = count(stream, keeps, Cuts::new(0));
    assert_eq!(counted, count(stream, keeps, Cuts::new(cuts)), "pieces change answers");
    let read = read(stream, Cuts::new(0));
    assert_eq!(read, self::read(stream, Cuts::new(cuts)), "pieces change rows");
}

/// Every answer in words, with the row that was kept, and at the end the error if there is one.
fn count(stream: &[u8], keeps: bool, cuts: Cuts) -> Vec<String> {
    let (mut reader, mut columns) = (AnswerReader::default(), Columns::default());
    let (mut found, mut value) = (Vec::new(), Vec::new());
    let begin = |reader: &mut AnswerReader, number: usize| match number % 2 {
        _ if !keeps => {}
        0 => reader.keep_row(Kept::First),
        _ => reader.keep_row(Kept::Last),
    };
    begin(&mut reader, 0);
    feed(stream, cuts, |piece| match reader.receive(piece, Some(&mut columns)) {
        Ok((consumed, answer)) => {
            if let Some(answer) = answer {
                let first = reader.read(0, &mut value);
                let ends = matches!(answer, Answer::Failed(_, None));
                found.push(format!("{answer:?} {first:?} {value:?} {}", columns.len()));
                begin(&mut reader, found.len());
                if ends {
                    return None;
                }
            }
            Some(consumed)
        }
        Err(error) => {
            found.push(format!("{error:?} {error}"));
            None
        }
    });
    found
}

/// Every answer to statements that were sent together, in words.
fn piped(stream: &[u8], cuts: Cuts) -> Vec<String> {
    let (mut reader, mut found) = (AnswerReader::default(), Vec::new());
    feed(stream, cuts, |piece| match reader.receive_piped(piece) {
        Ok((consumed, answer)) => {
            let ends = matches!(answer, Some(PipedAnswer::Ended(Answer::Failed(_, None))));
            found.extend(answer.map(|answer| format!("{answer:?}")));
            (!ends).then_some(consumed)
        }
        Err(error) => {
            found.push(format!("{error:?} {error}"));
            None
        }
    });
    found
}

fn read(stream: &[u8], cuts: Cuts) -> Vec<String> {
    let (mut reader, mut found) = (TextReader::default(), Vec::new());
    feed(stream, cuts, |piece| match reader.receive(piece) {
        Ok((consumed, answer)) => {
            let goes_on = matches!(answer, None | Some(TextAnswer::CopyIn));
            if let Some(answer) = answer {
                if let TextAnswer::Done { rows, .. } = &answer {
                    assert!(rows.rows.iter().all(|row| row.len() == rows.columns.len()));
                }
                found.push(format!("{answer:?}"));
            }
            // A reader serves one query: the next one has a new reader.
            if !goes_on {
                reader = TextReader::default();
            }
            Some(consumed)
        }
        Err(error) => {
            found.push(format!("{error:?} {error}"));
            None
        }
    });
    found
}

fn prepared(stream: &[u8], cuts: Cuts) -> Vec<String> {
    let (mut reader, mut found) = (PrepareReader::default(), Vec::new());
    feed(stream, cuts, |piece| match reader.receive(piece) {
        Ok((consumed, answer)) => {
            found.extend(answer.iter().map(|answer| match answer {
                PrepareAnswer::Prepared(one) => format!("{one:?}"),
                other => format!("{other:?}"),
            }));
            Some(consumed)
        }
        Err(error) => {
            found.push(format!("{error:?} {error}"));
            None
        }
    });
    found
}
