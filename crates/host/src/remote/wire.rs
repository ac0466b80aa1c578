//! What passes between weighin and its agent on another machine: a line of JSON each.

use crate::question::{
    AnyQuestion, InstanceOrder, MeasuredPhase, SandboxOptions, Scope, ServerAct, Share,
};
use engine::Nanos;
use model::{Failure, FailureKind, Sample, VolumeLayout, VolumePlace};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The form of these messages. An agent of another form or version is refused.
pub(super) const PROTOCOL: u32 = 5;
/// What the agent's first line begins with: a login shell may print something before it.
pub const HELLO: &str = "weighin-agent ";
/// Longest line, in bytes. A sample of a machine with hundreds of disks has 100 kB.
pub(super) const LONGEST_LINE: usize = 1 << 20;
/// Longest piece of a text, in bytes: JSON makes six of one at most.
const LONGEST_PIECE: usize = LONGEST_LINE / 8;

/// The agent's first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub version: String,
    pub protocol: u32,
}

impl Hello {
    pub fn own() -> Self {
        Self { version: env!("CARGO_PKG_VERSION").to_owned(), protocol: PROTOCOL }
    }

    /// Whether the agent that says so is one of this version.
    ///
    /// # Errors
    /// That it is not, with that remedy.
    pub fn check(&self, name: &str, remedy: &str) -> Result<(), Failure> {
        let own = Self::own();
        if *self == own {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::Other,
            format!(
                "the agent on {name} is weighin {} (protocol {}), and this is weighin {} (protocol {})",
                self.version, self.protocol, own.version, own.protocol
            ),
            remedy,
        ))
    }
}

/// Whether an agent is one of this version, by what follows [`HELLO`] in its first line.
///
/// # Errors
/// That it is not, with that remedy.
pub(super) fn check(hello: &str, name: &str, remedy: &str) -> Result<(), Failure> {
    match serde_json::from_str::<Hello>(hello) {
        Ok(said) => said.check(name, remedy),
        Err(_) => Err(Failure::new(
            FailureKind::Other,
            format!("what answers on {name} is no agent of weighin"),
            remedy,
        )),
    }
}

/// What the lead says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToAgent {
    /// To be answered at once with the time.
    Beat(u64),
    Ask {
        number: u64,
        order: Order,
    },
    /// Nobody waits for that answer any more: end what it takes.
    Cancel(u64),
    /// Some of what a process of weighin is told.
    Tell {
        process: u64,
        text: String,
    },
    /// From now on a process of weighin is told that line at each beat.
    TellAtBeats {
        process: u64,
        text: String,
    },
    /// It is told nothing more, and ends.
    Dismiss(u64),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    Question(AnyQuestion),
    /// Watches under the number of the order.
    Watch(Scope),
    Sample {
        watch: u64,
        options: Options,
    },
    EndWatch {
        watch: u64,
    },
    /// Starts weighin with that hidden command, under the number of the order.
    StartWeighin(String),
    /// Gets ready for something that is provisioned, under the number of the order.
    KeepInstance(InstanceOrder),
    BringUp {
        instance: u64,
    },
    TakeDown {
        instance: u64,
    },
    LetGo {
        instance: u64,
    },
    Server(ServerOrder),
    /// Holds a volume under the number of the order, or asks one that is held.
    Volume(VolumeOrder),
}

/// What the lead asks of private servers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ServerOrder {
    /// Starts one under the number of the order.
    Start(Box<SandboxOptions>),
    Act {
        server: u64,
        act: ServerAct,
    },
    LastWords {
        server: u64,
    },
    End {
        server: u64,
    },
}

/// What an agent is asked of volumes. Those that are held have the number of the order that began it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum VolumeOrder {
    Hold { path: PathBuf, block: u32 },
    CheckSame { held: u64 },
    CheckContents { held: u64, place: VolumePlace, consented: bool, layout: VolumeLayout },
    Space { held: u64 },
    Files { held: u64, share: Share },
    IsFilled { held: u64, share: Share },
    Fill { held: u64, share: Share, seed: u64, unit: Option<usize> },
    LetGo { held: u64 },
}

/// What an agent answers to an order.
pub(super) type Answered = Result<serde_json::Value, Failure>;

/// How a command of the user ended, with the lines that it said.
pub(super) type Commanded = (Result<String, Failure>, Vec<String>);

/// Of a sampler, without what is of the lead's machine.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Options {
    pub every: Duration,
    /// By the agent's clock.
    pub origin: Nanos,
    pub measured: Vec<MeasuredPhase>,
    pub server_pid: Option<u32>,
    pub replica_pids: Vec<u32>,
    /// Processes of weighin there.
    pub companions: Vec<u32>,
}

/// What the agent says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FromAgent {
    Beat {
        number: u64,
        clock: Nanos,
        unix_nanos: u64,
    },
    Answer {
        number: u64,
        result: Answered,
    },
    Sample {
        watch: u64,
        sample: Box<Sample>,
    },
    /// How far an order is that is being carried out.
    Progress {
        number: u64,
        done: u64,
        of: u64,
    },
    /// Some of what a process of weighin says.
    Said {
        process: u64,
        text: String,
    },
    /// It says nothing more, and how it ended.
    Ended {
        process: u64,
        how: String,
    },
}

/// A text in pieces of which none makes a line that is too long, or more than a broker passes on.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.len().min(LONGEST_PIECE);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, further) = rest.split_at(end);
        rest = further;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A message as it is sent.
pub(super) fn line(message: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}
