//! Servers that lie, stall, send garbage or never end, against every command that connects: each
//! ends by itself or soon after one SIGTERM, takes little memory, and tells no secret.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

#[path = "../../../mysql/tests/support/mod.rs"]
mod packets;

mod between;
mod commands;
mod lies;
mod postgres;

use commands::{Command, judge};
use lies::{Lie, Server};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Commands that run at the same time: they wait, for the most part.
const AT_ONCE: usize = 12;

/// Runs every command against every lie, some at a time; all that went wrong, in words.
fn trouble(commands: &[Command], lies: &[Lie]) -> Vec<String> {
    let pairs: Vec<(&Command, &Lie)> =
        lies.iter().flat_map(|lie| commands.iter().map(move |command| (command, lie))).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((command, lie)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let server = Server::start(lie.script.clone());
                    if let Err(what) = judge(command, server.port(), lie.well_formed) {
                        let case = format!("{} against «{}»: {what}", command.name, lie.name);
                        wrong.lock().unwrap().push(case);
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap()
}

#[test]
fn no_lie_of_a_mysql_server_keeps_a_command_or_fills_its_memory() {
    let wrong = trouble(&commands::mysql(), &lies::mysql());
    assert!(wrong.is_empty(), "{} went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_lie_of_a_redis_server_keeps_a_command_or_fills_its_memory() {
    let wrong = trouble(&commands::redis(), &lies::redis());
    assert!(wrong.is_empty(), "{} went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_lie_of_a_postgres_server_keeps_a_command_or_fills_its_memory() {
    let wrong = trouble(&commands::postgres(), &postgres::lies());
    assert!(wrong.is_empty(), "{} went wrong:\n{}", wrong.len(), wrong.join("\n"));
}
