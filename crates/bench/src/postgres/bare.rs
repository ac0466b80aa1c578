//! A client that does nothing but send and receive: what remains when all else of a load generator is taken
//! away.

use anyhow::{Context, ensure};
use postgres::protocol::{
    ExecuteTemplate, Login, LoginOptions, LoginStep, PrepareAnswer, PrepareReader, write_prepare,
    write_sync,
};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const SQL: &str = "SELECT abalance FROM pgbench_accounts WHERE aid = $1";
const STATEMENT: &str = "w0";
/// The type of accounts' numbers, as servers call it.
const INT4: u32 = 23;
/// How an answer ends: the server is ready for more, outside of a transaction.
const END: [u8; 6] = [b'Z', 0, 0, 0, 5, b'I'];
/// Rounds between two looks at the clock.
const ROUNDS: u32 = 16;

pub(super) struct Server {
    pub(super) port: u16,
    pub(super) user: String,
    pub(super) password: Vec<u8>,
    pub(super) database: String,
}

/// What it came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bare {
    pub(super) per_second: f64,
    /// Of the thread, for each transaction.
    pub(super) cpu_micros: f64,
    /// The part of it that is not in the kernel.
    pub(super) own_micros: f64,
}

pub(super) fn run(server: Server, clients: u32, duration: Duration) -> anyhow::Result<Bare> {
    let mut lines: Vec<TcpStream> =
        (0..clients).map(|_| connect(&server)).collect::<anyhow::Result<_>>()?;
    let mut request = Vec::new();
    let template = ExecuteTemplate::new(STATEMENT, &[INT4]);
    let mut execution = template.begin(&mut request);
    execution.integer(4711);
    execution.end();
    let mut answer = vec![0; 4096];
    let (before, started) = (cpu_time()?, Instant::now());
    let mut done = 0_u64;
    while started.elapsed() < duration {
        for _ in 0..ROUNDS {
            for line in &mut lines {
                line.write_all(&request)?;
            }
            for line in &mut lines {
                receive(line, &mut answer)?;
            }
            done += u64::from(clients);
        }
    }
    let (seconds, after) = (started.elapsed().as_secs_f64(), cpu_time()?);
    let each = |time: f64| time * 1e6 / done as f64;
    let (own, system) = (after.0 - before.0, after.1 - before.1);
    Ok(Bare {
        per_second: done as f64 / seconds,
        cpu_micros: each(own + system),
        own_micros: each(own),
    })
}

/// One answer, which comes in one piece as a rule.
fn receive(line: &mut TcpStream, answer: &mut [u8]) -> anyhow::Result<()> {
    let mut filled = 0;
    loop {
        let read = line.read(&mut answer[filled..])?;
        ensure!(read > 0, "the server closed the connection");
        filled += read;
        if answer[..filled].ends_with(&END) {
            return Ok(());
        }
        ensure!(filled < answer.len(), "the server answers more than it was asked");
    }
}

/// A connection on which the statement is prepared.
fn connect(server: &Server) -> anyhow::Result<TcpStream> {
    let mut line = TcpStream::connect(("127.0.0.1", server.port))?;
    line.set_nodelay(true)?;
    let options = LoginOptions {
        user: server.user.clone(),
        password: server.password.clone(),
        database: Some(server.database.clone()),
        application_name: "weighin bench",
        ..LoginOptions::default()
    };
    let (mut input, mut output, mut buffer) = (Vec::new(), Vec::new(), [0; 4096]);
    let mut login = Login::begin(options, &mut output);
    loop {
        line.write_all(&output)?;
        output.clear();
        match login.receive(&input, &mut output)? {
            LoginStep::Done { consumed, .. } => {
                input.drain(..consumed);
                break;
            }
            LoginStep::StartTls { .. } => anyhow::bail!("nobody asked for TLS"),
            LoginStep::NeedMore { consumed } => {
                input.drain(..consumed);
                if output.is_empty() {
                    let read = line.read(&mut buffer)?;
                    ensure!(read > 0, "the server closed the connection");
                    input.extend_from_slice(&buffer[..read]);
                }
            }
        }
    }
    write_prepare(STATEMENT, SQL, &mut output);
    write_sync(&mut output);
    line.write_all(&output)?;
    let mut reader = PrepareReader::default();
    loop {
        let (consumed, answer) = reader.receive(&input)?;
        input.drain(..consumed);
        match answer {
            Some(PrepareAnswer::Ready) => return Ok(line),
            Some(PrepareAnswer::Refused(error)) => anyhow::bail!("{error}"),
            Some(PrepareAnswer::Prepared(_)) => {}
            None => {
                let read = line.read(&mut buffer)?;
                ensure!(read > 0, "the server closed the connection");
                input.extend_from_slice(&buffer[..read]);
            }
        }
    }
}

/// Processor time of this thread in its own code and in the kernel, in seconds.
fn cpu_time() -> anyhow::Result<(f64, f64)> {
    /// Of user space, on every architecture.
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/thread-self/stat")?;
    // The name of the thread, which may hold anything, ends at the last bracket.
    let (_, fields) =
        text.rsplit_once(')').context("what the kernel says of a thread has no name")?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let mut next = || -> anyhow::Result<f64> {
        let field = fields.next().context("what the kernel says of a thread is too short")?;
        Ok(field.parse::<f64>()? / TICKS_PER_SECOND)
    };
    Ok((next()?, next()?))
}
