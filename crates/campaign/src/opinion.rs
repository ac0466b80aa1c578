//! The second opinion on a trial: sysbench runs the same load on the same tables.

use crate::Login;
use crate::trial::Stand;
use engine::Stop;
use model::{
    Failure, FailureKind, Oltp, OpinionEnd, OpinionFigures, Place, SecondOpinion, Study, Target,
    Test, Tls, Trial, Turn,
};
use peer::sysbench::{Address, Load, Server, Sysbench, unsupported};
use target::client::Connection;

/// The tool that gives second opinions, where the study asks for them.
///
/// # Errors
/// `MissingProgram` when it is not installed; `NotPermitted` when it cannot run a test of the
/// study, or not on this target.
pub(crate) fn tool(study: &Study, target: &Target) -> Result<Option<Sysbench>, Failure> {
    let mut asking = study.tests.iter().filter(|test| test.second_opinion).peekable();
    if asking.peek().is_none() {
        return Ok(None);
    }
    let sysbench = Sysbench::find()?;
    for test in asking {
        if let Some(reason) = unsupported(test.workload.oltp()?) {
            return Err(cannot(&sysbench, &format!("the test {}: {reason}", test.name)));
        }
    }
    match &target.place {
        Place::Server(address) if address.tls != Tls::Off => {
            Err(cannot(&sysbench, "this target: it encrypts only with certificates of its own"))
        }
        _ => Ok(Some(sysbench)),
    }
}

fn cannot(sysbench: &Sysbench, what: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("{} cannot give a second opinion on {what}", sysbench.name()),
        "set second_opinion = false in the test",
    )
}

/// Runs the trial's load with the other tool, from the same starting state; `None` when asked to
/// stop. A tool that fails takes nothing from the trial: its failure is the opinion.
pub(crate) fn ask(
    sysbench: &Sysbench,
    stand: &mut Stand,
    (trial, test): (&Trial, &Test),
    turn: Turn,
    stop: &Stop,
) -> Option<SecondOpinion> {
    let load =
        test.workload.oltp().and_then(|oltp| load(sysbench, stand, (trial, test), oltp, stop));
    let end = match load {
        Ok(load) => OpinionEnd::Measured(figures(&load?)),
        Err(failure) => OpinionEnd::Failed(failure),
    };
    Some(SecondOpinion { tool: sysbench.name(), turn, end })
}

fn load(
    sysbench: &Sysbench,
    stand: &mut Stand,
    (trial, test): (&Trial, &Test),
    oltp: &Oltp,
    stop: &Stop,
) -> Result<Option<Load>, Failure> {
    let mut control = stand.deployment.ready(test.cache)?;
    let server = server(stand.deployment.login(), control.sql()?)?;
    drop(control);
    let level = (trial.key.level.clients, trial.key.level.rate);
    let run = |duration, seed| {
        sysbench.load(&server, oltp, level, duration, Some(seed), &|| stop.is_requested())
    };
    // Zero would make it take the clock.
    let seed = (trial.seed >> 33) as u32 | 1;
    // Version 1.0 knows no warm-up: a load whose figures nobody looks at.
    if !test.warmup.is_zero() && run(test.warmup, seed ^ 2)?.is_none() {
        return Ok(None);
    }
    let load = run(test.duration, seed)?;
    // As after a trial: what matters will show when the server is needed next.
    let _ = stand.deployment.rest();
    Ok(load)
}

fn server(login: &Login, control: &Connection) -> Result<Server, Failure> {
    let credentials = login.credentials();
    Ok(Server {
        address: match login.load_address(control)? {
            engine::Address::Tcp(address) => Address::Tcp(address),
            engine::Address::Unix(path) => Address::Socket(path),
        },
        user: credentials.user.clone(),
        password: credentials.password().bytes().to_vec(),
        database: login.address().database.clone(),
    })
}

fn figures(load: &Load) -> OpinionFigures {
    let Load { result, usage, .. } = load;
    OpinionFigures {
        transactions: result.transactions,
        queries: result.queries.total,
        errors: result.errors,
        elapsed: result.elapsed,
        transactions_per_second: result.transactions_per_second,
        latency_mean_ms: result.latency_mean_ms,
        latency_p95_ms: result.percentile.map(|percentile| percentile.ms),
        cpu_seconds: usage.cpu().as_secs_f64(),
        peak_rss_bytes: usage.peak_rss_bytes,
    }
}
