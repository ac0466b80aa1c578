//! The generator's side.

use super::wire::{Answer, Assignment, Instruction};
use engine::{Account, Nanos, PartProgress, PartRun, Stop};
use host::this_machine;
use model::{Failure, FailureKind};
use std::io::{BufRead, Write};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use system::load::PreparedLoad;

/// How long a lead may be silent that sends beats.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(3);

/// Does what a lead says, which writes to `instructions` and reads `answers`: one part of one load. Ends
/// when that is done, or when the lead is gone.
///
/// # Errors
/// When the instructions are not those of a lead of this version.
pub fn generate(
    instructions: impl BufRead + Send + 'static,
    answers: &mut impl Write,
) -> Result<(), Failure> {
    serve(instructions, answers, &|_| Ok(()))
}

/// The same for a lead on another machine: refuses loads that take more of this one than connections to
/// servers over a network.
///
/// # Errors
/// As [`generate`].
pub fn generate_remotely(
    instructions: impl BufRead + Send + 'static,
    answers: &mut impl Write,
) -> Result<(), Failure> {
    serve(instructions, answers, &PreparedLoad::check_remote)
}

fn serve(
    mut instructions: impl BufRead + Send + 'static,
    answers: &mut impl Write,
    check: &dyn Fn(&PreparedLoad) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut line = String::new();
    let read = instructions.read_line(&mut line).map(|_| serde_json::from_str(&line));
    let Ok(Ok(Instruction::<PreparedLoad>::Prepare(mut assignment))) = read else {
        return Err(Failure::new(
            FailureKind::Other,
            "a load generator is started by weighin itself, which tells it what to do",
            "run a load with weighin load --load-generators 2, or a study with load_generators = 2",
        ));
    };
    let (stop, start) = (Stop::default(), Arc::new(OnceLock::new()));
    let (leads_stop, leads_start) = (stop.clone(), Arc::clone(&start));
    let enough = assignment.load.runner().timing().enough.cloned().unwrap_or_default();
    // Not waited for: where the lead lives on, it ends with this process.
    std::thread::spawn(move || follow(instructions, &leads_start, &enough, &leads_stop));
    let mut answer = |answer: &Answer| {
        // Nobody is left who could want an answer that cannot be written.
        if write(answers, answer).is_err() {
            stop.request();
        }
    };
    let done = check(&assignment.load).and_then(|()| {
        let part = assignment.part;
        assignment.load.settle(this_machine().as_ref(), part)
    });
    match done.and_then(|()| run(&assignment, &start, &stop, &mut answer)) {
        Ok(account) => answer(&Answer::Done(Box::new(account))),
        Err(failure) if failure.is_stop() => {}
        Err(failure) => answer(&Answer::Failed(failure)),
    }
    Ok(())
}

/// Hears when to start and when enough was measured; asks to stop when the lead is gone, or silent where
/// it was not before.
fn follow(
    instructions: impl BufRead + Send + 'static,
    start: &OnceLock<Nanos>,
    enough: &Stop,
    stop: &Stop,
) {
    let (heard, hears) = channel();
    std::thread::spawn(move || {
        for line in instructions.lines().map_while(Result::ok) {
            if heard.send(serde_json::from_str::<Instruction<PreparedLoad>>(&line)).is_err() {
                return;
            }
        }
    });
    let mut limit = Duration::MAX;
    while let Ok(instruction) = hears.recv_timeout(limit) {
        match instruction {
            Ok(Instruction::Start(at)) => drop(start.get_or_init(|| at)),
            Ok(Instruction::Enough) => enough.request(),
            Ok(Instruction::Beat) => limit = SILENCE_TIMEOUT,
            Ok(Instruction::Prepare(_)) | Err(_) => {}
        }
    }
    stop.request();
}

fn write(answers: &mut impl Write, answer: &Answer) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    answers.write_all(&line)?;
    answers.flush()
}

/// Runs the part.
fn run(
    assignment: &Assignment<PreparedLoad>,
    start: &OnceLock<Nanos>,
    stop: &Stop,
    answer: &mut dyn FnMut(&Answer),
) -> Result<Account, Failure> {
    let Assignment { part, load } = assignment;
    let start = &mut || start.get().copied();
    let progress = &mut |progress| {
        answer(&match progress {
            PartProgress::Ready => Answer::Ready,
            PartProgress::Interval(ended) => Answer::Interval(ended),
            // The lead knows when that is.
            PartProgress::Waiting => return,
        });
    };
    let account = load.runner().run_part(&mut PartRun { part: *part, stop, start, progress });
    account.map_err(|error| load.failure(&error))
}
