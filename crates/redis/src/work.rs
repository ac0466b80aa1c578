//! Background work that a server of Redis's kin is told to do.

use super::{Redis, info, value};
use crate::client::{RedisConnection, RedisError, refusal};
use model::{BackgroundWork, Failure, FailureKind};
use std::thread;
use std::time::{Duration, Instant};
use system::Login;
use system::{Acted, Perform, ServerKind};

/// How often the server is asked whether the work has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// One kind of work as the server has it: the command, and lines of its report on persistence.
struct Words {
    command: &'static str,
    /// 1 while it is under way.
    running: &'static str,
    /// 1 while it waits for other work.
    put_off: Option<&'static str>,
    /// How the last one ended.
    status: &'static str,
}

impl Words {
    fn for_work(work: BackgroundWork) -> Self {
        match work {
            BackgroundWork::Snapshot => Self {
                command: "BGSAVE",
                running: "rdb_bgsave_in_progress",
                put_off: None,
                status: "rdb_last_bgsave_status",
            },
            BackgroundWork::LogRewrite => Self {
                command: "BGREWRITEAOF",
                running: "aof_rewrite_in_progress",
                put_off: Some("aof_rewrite_scheduled"),
                status: "aof_last_bgrewrite_status",
            },
        }
    }
}

/// What has the server do it, and waits for its end, for `limit` at most. It has a connection of its
/// own, because the server may take long to answer: it forks first.
pub(super) fn perform(
    login: &Login,
    work: BackgroundWork,
    limit: Duration,
) -> Result<Perform, Failure> {
    let mut connection = Redis::connect(login)?;
    let stop = login.stop().clone();
    let words = Words::for_work(work);
    Ok(Box::new(move || {
        let told = Instant::now();
        let note = Some(tell(&mut connection, &words)?);
        let (mut waited, mut began) = (false, None);
        loop {
            let command = words.command;
            let report = info(&mut connection, "persistence").map_err(|error| {
                error.failure(&format!("the server was told {command}, and its end is not known"))
            })?;
            let is = |name: &str| value(&report, name) == Some("1");
            match (is(words.running), words.put_off.is_some_and(is)) {
                (true, _) if waited && began.is_none() => began = Some(Instant::now()),
                (true, _) => {}
                (false, true) => waited = true,
                (false, false) => {
                    return match value(&report, words.status) {
                        Some("ok") | None => Ok(Acted { began, note: note.clone() }),
                        Some(status) => Err(Failure::new(
                            FailureKind::Other,
                            format!("{command} failed on the server: {} is {status}", words.status),
                            "look into the server's log",
                        )),
                    };
                }
            }
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            if told.elapsed() >= limit {
                let seconds = limit.as_secs_f64();
                return Err(Failure::new(
                    FailureKind::TimedOut,
                    format!("{command} did not end within {seconds} s; the server goes on with it"),
                    "raise `timeout`",
                ));
            }
            thread::sleep(POLL_INTERVAL);
        }
    }))
}

/// Gives the command; what the server answers.
fn tell(connection: &mut RedisConnection, words: &Words) -> Result<String, Failure> {
    let command = words.command;
    match connection.command(&[command.as_bytes()]) {
        Ok(answer) => Ok(answer.text().unwrap_or_default()),
        Err(RedisError::Server(line)) => {
            let (kind, remedy) = refusal(&line);
            Err(Failure::new(kind, format!("the server refused {command}: {line}"), remedy))
        }
        Err(error) => Err(error.failure(&format!("no answer to {command}"))),
    }
}
