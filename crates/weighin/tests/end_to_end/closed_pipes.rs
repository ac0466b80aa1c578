//! Readers of weighin's output that have seen enough, as in `weighin plan study.toml | head`.

use crate::support::{Workplace, light_study};
use std::process::{Command, Stdio};

/// Runs weighin with its standard output, or both outputs, into a pipe that nobody reads.
fn unread(place: &Workplace, arguments: &[&str], both: bool) -> Option<i32> {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command: Command = place.command(arguments);
    command.stdin(Stdio::null());
    if both {
        command.stderr(writer.try_clone().unwrap());
    }
    command.stdout(writer).status().unwrap().code()
}

#[test]
fn nothing_is_lost_when_nobody_reads() {
    let place = Workplace::new();
    place.write("duel.toml", light_study("warmup = \"100ms\"\nduration = \"300ms\""));
    for both in [false, true] {
        assert_eq!(unread(&place, &["--help"], both), Some(0));
        assert_eq!(unread(&place, &["plan", "duel.toml"], both), Some(0));
        assert_eq!(unread(&place, &["plan", "nowhere.toml"], both), Some(2));
    }
    assert_eq!(unread(&place, &["run", "duel.toml"], true), Some(0));
    assert_eq!(place.store().completed().len(), 8);
    place.assert_no_server_left();
}
