use super::drivers::DriverName;
use super::generation::{Generation, Release};
use super::options::Options;
use super::shutdown::Shutdown;
use super::unsupported;
use super::words::{Action, Words};
use super::{policy, scripts, server, workload};
use crate::commands::print;
use crate::exit::CliError;
use engine::ErrorPolicy;
use model::bounds::{MAX_OPERATIONS, MAX_OPERATIONS_OF_CONNECTION};
use model::{ArrivalProcess, Arrivals, Endpoint, Failure, Oltp, OltpMix, ServerAddress};
use std::num::NonZeroU32;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use system::Login;
use system::client::SecretRules;

/// How long to wait for connections in generations that have no option for it.
const DEFAULT_CONNECT_LIMIT: Duration = Duration::from_secs(60);

/// Longest time of a run, in seconds: ten years. Scripts write a large number for a run that its
/// events end.
const MAX_SECONDS: u32 = 315_360_000;

/// Most reports in mid-run, as with the original.
const MAX_CHECKPOINTS: usize = 256;

/// How events arrive at a rate. The original ends when its queue of this length is full; here the
/// events that find no place in it are dropped.
pub(super) const ARRIVALS: Arrivals =
    Arrivals { process: ArrivalProcess::Poisson, max_waiting: 131_072 };

/// A command line, understood.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) generation: Generation,
    pub(super) action: Action,
    pub(super) driver: DriverName,
    /// The options that the output echoes.
    pub(super) options: Options,
    pub(super) workload: Oltp,
    /// Where the servers listen, at least one.
    pub(super) endpoints: Vec<Endpoint>,
    /// Whether to do without them.
    pub(super) dry_run: bool,
    pub(super) threads: u32,
    /// Threads that drive the connections; `None` to choose.
    pub(super) workers: Option<u32>,
    /// Load that does not count.
    pub(super) warmup: Duration,
    /// `None` for no limit.
    pub(super) time: Option<Duration>,
    /// `None` for no limit.
    pub(super) events: Option<u64>,
    /// Events per second that arrive whether or not a thread is free; `None` for as many as the
    /// threads can do.
    pub(super) rate: Option<u32>,
    /// How long to wait for connections before the run.
    pub(super) connect_limit: Duration,
    /// How long to wait for replies after the last event began, and whether the user said so.
    pub(super) shutdown: Shutdown,
    /// After how many events a thread makes a new connection; `None` for never.
    pub(super) reconnect_after: Option<NonZeroU32>,
    /// Which errors are survived.
    pub(super) policy: ErrorPolicy,
    pub(super) seed: Seed,
    /// Seconds between interim lines; 0 for none.
    pub(super) report_interval: u32,
    /// Seconds after which everything is reported and counted anew, in ascending order.
    pub(super) checkpoints: Vec<u32>,
    /// From 1 to 100; 0 for none.
    pub(super) percentile: u32,
    /// More percentiles, from 0 to 100.
    pub(super) more_percentiles: Vec<f64>,
    /// What the original would warn of.
    pub(super) warnings: Vec<String>,
    /// What is printed: figures from 3 on, warnings from 2 on.
    verbosity: u32,
}

/// Where the random numbers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seed {
    /// The same as ever.
    Fixed,
    /// The present time.
    Clock,
    /// This number, above 0.
    Given(u64),
}

impl Seed {
    /// The seed itself.
    pub(super) fn number(self) -> u64 {
        match self {
            Self::Fixed => 1,
            Self::Clock => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                // The lower bits are those that differ between two runs.
                now.as_nanos() as u64
            }
            Self::Given(seed) => seed,
        }
    }
}

impl Request {
    /// Understands a command line whose options have been checked.
    pub(super) fn new(
        words: &Words,
        options: &Options,
        generation: Generation,
    ) -> Result<Self, CliError> {
        let (test, command) = test_and_command(words, options)?;
        if generation.tests != Release::V04 {
            scripts::check(&test)?;
        }
        let mut warnings = Vec::new();
        let [threads, events, time, rate] = names_of_limits(options, generation, &mut warnings);
        let (workload, level) = workload::load(&test, options, generation, [threads, rate])?;
        let mut request = Self {
            generation,
            action: action(&command, generation)?,
            driver: DriverName::from_options(options),
            dry_run: options.flag("mysql-dry-run"),
            endpoints: server::endpoints(options)?,
            threads: level.clients,
            workers: None,
            warmup: Duration::from_secs(options.within("warmup-time", 0, MAX_SECONDS)?.into()),
            time: None,
            events: None,
            rate: level.rate,
            connect_limit: match options.within("thread-init-timeout", 0, 86_400)? {
                0 => DEFAULT_CONNECT_LIMIT,
                seconds => Duration::from_secs(seconds.into()),
            },
            shutdown: Shutdown::PATIENT,
            reconnect_after: reconnect_after(options)?,
            policy: policy::policy(options, generation)?,
            seed: seed(options, generation)?,
            report_interval: options.within("report-interval", 0, 86_400)?,
            checkpoints: checkpoints(options)?,
            percentile: options.within("percentile", lowest_percentile(generation), 100)?,
            more_percentiles: percentiles(options)?,
            warnings,
            verbosity: options.within("verbosity", 0, 5)?,
            options: options.clone(),
            workload,
        };
        request.read_limits(options, events, time)?;
        if request.driver == DriverName::Pgsql {
            // The options of engines have defaults, and these servers have none.
            request.workload.schema.engine = None;
        }
        let workers = options.within("weighin-workers", 0, 1024)?;
        request.workers = (workers > 0).then_some(workers);
        if request.workload.mix == OltpMix::BulkInsert {
            request.workload.tables = request.threads;
            if request.rate.is_some() && request.action == Action::Run {
                return Err(unsupported(
                    "a rate for bulk_insert",
                    "leave it out; the events of bulk_insert are rows, and nearly all of them wait in \
                     the client for a statement that is full",
                ));
            }
        }
        let reads_one =
            matches!(request.workload.mix, OltpMix::RandomPoints | OltpMix::RandomRanges);
        if reads_one
            && options.number("tables") > 1
            && matches!(request.action, Action::Prepare | Action::Cleanup)
        {
            return Err(CliError::usage(
                format!(
                    "{test} has one table, and --tables={} asks for more",
                    options.text("tables")
                ),
                "leave --tables out, or prepare the tables with another test, such as oltp_read_only",
            ));
        }
        if request.dry_run && request.action != Action::Run {
            return Err(unsupported(
                &format!("--mysql-dry-run with the command {command}"),
                "it measures what the client alone can do: give it with the command run",
            ));
        }
        if options.flag("histogram") && request.percentile == 0 {
            return Err(CliError::usage(
                "--histogram does not work with --percentile=0",
                "leave --percentile out",
            ));
        }
        Ok(request)
    }

    /// The servers, in the order in which connections are dealt to them.
    pub(super) fn servers(&self) -> impl Iterator<Item = ServerAddress> + '_ {
        self.endpoints.iter().map(|endpoint| server::address(&self.options, endpoint.clone()))
    }

    /// The one that tables are made on.
    pub(super) fn server(&self) -> ServerAddress {
        server::address(&self.options, self.endpoints[0].clone())
    }

    /// How to log in to a server: the options name its password.
    pub(super) fn login(&self, address: &ServerAddress) -> Result<Login, Failure> {
        let rules = SecretRules::command_line(self.options.flag("weighin-allow-cleartext"));
        system::log_in(self.driver.system(), address, &rules)
    }

    /// Prints what runs print, unless less is asked for.
    pub(super) fn say(&self, text: &str) -> Result<(), CliError> {
        if self.verbosity < 3 { Ok(()) } else { print(text) }
    }

    /// Prints a warning, unless less is asked for.
    pub(super) fn warn(&self, line: &str) -> Result<(), CliError> {
        if self.verbosity < 2 { Ok(()) } else { print(&format!("WARNING: {line}\n")) }
    }

    fn read_limits(&mut self, options: &Options, events: &str, time: &str) -> Result<(), CliError> {
        self.events = Some(options.up_to(events, MAX_OPERATIONS)?).filter(|events| *events > 0);
        let seconds = Some(options.within(time, 0, MAX_SECONDS)?).filter(|seconds| *seconds > 0);
        self.time = seconds.map(|seconds| Duration::from_secs(seconds.into()));
        self.shutdown = Shutdown::from_options(options, self.time)?;
        if self.time.is_none() && self.events.is_none() && self.action == Action::Run {
            self.warnings.push(
                match self.generation.is_recent() {
                    true => "Both event and time limits are disabled, running an endless test",
                    // The original's own text has the word twice.
                    false => "WARNING: Both max-requests and max-time are 0, running endless test",
                }
                .to_owned(),
            );
        }
        Ok(())
    }
}

/// The options for threads, events, time and events per second. In generation 1.0 each has an old name
/// as well, of which it warns.
fn names_of_limits(
    options: &Options,
    generation: Generation,
    warnings: &mut Vec<String>,
) -> [&'static str; 4] {
    let older = ["num-threads", "max-requests", "max-time", "tx-rate"];
    if !generation.is_recent() {
        return older;
    }
    let mut names = ["threads", "events", "time", "rate"];
    if generation.program > Release::V10 {
        return names;
    }
    for ((name, old), unset) in names.iter_mut().zip(older).zip([1, 0, 0, 0]) {
        if options.number(old) > unset {
            warnings.push(format!("--{old} is deprecated, use --{name} instead"));
            *name = old;
        }
    }
    names
}

fn test_and_command(words: &Words, options: &Options) -> Result<(String, String), CliError> {
    let missing = |what: &str| {
        CliError::usage(
            format!("the command line has no {what}"),
            "it goes like this: weighin sysbench oltp_read_write --mysql-db=sbtest run",
        )
    };
    let mut rest = words.positional.iter();
    let test = match options.text("test") {
        "" => rest.next().ok_or_else(|| missing("test"))?.clone(),
        test => test.to_owned(),
    };
    let command = rest.next().ok_or_else(|| missing("command (prepare, run or cleanup)"))?;
    match rest.next() {
        Some(more) => Err(words.value_apart(None).unwrap_or_else(|| {
            CliError::usage(
                format!("the argument {more} is one too many"),
                "give one test and one command; options start with --",
            )
        })),
        None => Ok((test, command.clone())),
    }
}

fn action(command: &str, generation: Generation) -> Result<Action, CliError> {
    match command {
        "prepare" => Ok(Action::Prepare),
        "run" => Ok(Action::Run),
        "cleanup" => Ok(Action::Cleanup),
        "prewarm" if generation.tests >= Release::V10 => Ok(Action::Prewarm),
        "warmup" if generation.tests == Release::V11 => Ok(Action::Prewarm),
        other => Err(unsupported(
            &format!("the command {other}"),
            "give prepare, run, cleanup, prewarm (1.0), warmup (1.1), help or version",
        )),
    }
}

fn seed(options: &Options, generation: Generation) -> Result<Seed, CliError> {
    let [init, seed] = match generation.program {
        Release::V04 => ["init-rng", "seed-rng"],
        _ => ["rand-init", "rand-seed"],
    };
    match (options.flag(init), options.number(seed)) {
        (true, 1..) => Err(CliError::usage(
            format!("--{init} and --{seed} exclude each other"),
            "leave one of them out",
        )),
        (_, given @ 1..) => Ok(Seed::Given(given)),
        (false, 0) if !generation.is_recent() => Ok(Seed::Fixed),
        _ => Ok(Seed::Clock),
    }
}

fn percentiles(options: &Options) -> Result<Vec<f64>, CliError> {
    let percentile = |text: &&str| match text.parse::<f64>() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err(CliError::usage(
            format!("--weighin-percentiles: {text} is not a percentile"),
            "give numbers from 0 to 100, such as 50,95,99.9",
        )),
    };
    options.list("weighin-percentiles").iter().map(percentile).collect()
}

/// 1.1 names the events of a connection, 0 for any number; 0.4 whether each has one of its own.
fn reconnect_after(options: &Options) -> Result<Option<NonZeroU32>, CliError> {
    let events = match options.text("oltp-reconnect-mode") {
        "" | "session" => options.within("reconnect", 0, MAX_OPERATIONS_OF_CONNECTION)?,
        "transaction" => 1,
        mode @ ("query" | "random") => {
            return Err(unsupported(
                &format!("--oltp-reconnect-mode={mode}"),
                "give session, or transaction: a connection for each event",
            ));
        }
        other => {
            return Err(CliError::usage(
                format!("--oltp-reconnect-mode={other} is no mode"),
                "give session or transaction",
            ));
        }
    };
    Ok(NonZeroU32::new(events))
}

/// Seconds after which reports are due, in ascending order.
fn checkpoints(options: &Options) -> Result<Vec<u32>, CliError> {
    let list = options.list("report-checkpoints");
    if list.len() > MAX_CHECKPOINTS {
        return Err(CliError::usage(
            format!("--report-checkpoints has {} of them", list.len()),
            format!("give at most {MAX_CHECKPOINTS}"),
        ));
    }
    let second = |text: &&str| match text.parse::<u32>() {
        Ok(second) if second <= MAX_SECONDS => Ok(second),
        _ => Err(CliError::usage(
            format!("--report-checkpoints: {text} is not a number of seconds"),
            "give the seconds after which to report, such as 60,120",
        )),
    };
    let mut seconds = list.iter().map(second).collect::<Result<Vec<_>, _>>()?;
    seconds.sort_unstable();
    Ok(seconds)
}

/// Generation 1.0 takes 0 for none.
fn lowest_percentile(generation: Generation) -> u32 {
    u32::from(!generation.is_recent())
}
