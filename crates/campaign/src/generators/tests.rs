//! What a lead does for agents, with thousands that are made up: what they say is what a real load
//! generator said, ten seconds of it at once, so that no time passes but what the lead takes.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use super::wire::{Answer, Assignment, Instruction};
use super::{Generators, generate, lead};
use engine::{
    Address, ErrorPolicy, Limit, LoadSpec, Nanos, Progress, Schedule, peak_rss_bytes, process_cpu,
};
use host::{
    Connection, Host, Lines, Link, MeasuredPhase, Mouthpiece, Remote, Route, SamplerOptions, Scope,
    SpaceUsed, this_machine,
};
use model::{
    Endpoint, Failure, HostAccount, KeyValue, PackedLatencies, PasswordSource, ReadLimit, Sample,
    ServerAddress, ServerKey, Stop, System, Tls,
};
use redis::KeyValueClients;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use system::client::SecretRules;
use system::load::{PipedLogin, PreparedLoad, ServerLoad};

/// Seconds of load that each agent tells of.
const SECONDS: u64 = 10;
/// Bytes before the counters of a histogram in its encoding.
const HEAD_OF_HISTOGRAM: usize = 40;

/// Answers each command with the end of a list, as a server without a key would.
fn answer(connection: TcpStream) {
    let mut replies = connection.try_clone().unwrap();
    for line in BufReader::new(connection).split(b'\n').map_while(Result::ok) {
        if line.first() == Some(&b'*') && replies.write_all(b"$-1\r\n").is_err() {
            return;
        }
    }
}

/// A load of one client for each of so many agents, on a server at that port.
fn load(agents: u32, port: u16, length: Duration) -> PreparedLoad {
    server_load(agents, port, length).into()
}

/// The same as what it is.
fn server_load(agents: u32, port: u16, length: Duration) -> ServerLoad<KeyValueClients> {
    system::register([&redis::SYSTEM]);
    let endpoint = Endpoint::Tcp { host: "127.0.0.1".to_owned(), port };
    let address = ServerAddress {
        endpoint,
        user: None,
        database: "0".to_owned(),
        password: PasswordSource::OptionFile,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::default(),
        auth: model::AuthMethods::default(),
    };
    let login = PipedLogin(
        system::log_in(System::Redis, &address, &SecretRules::command_line(false)).unwrap(),
    );
    let spec = LoadSpec {
        addresses: vec![Address::Tcp(([127, 0, 0, 1], port).into())],
        delay: None,
        tls: None,
        clients: agents,
        workers: Some(1),
        io: None,
        schedule: Schedule { warmup: Duration::ZERO, limit: Limit::Window(length), turns: None },
        open: None,
        reconnect_after: None,
        policy: ErrorPolicy::default(),
        connect_limit: Duration::from_secs(60),
        drain_limit: Duration::from_secs(60),
        fails_unanswered: true,
        enough: Stop::default(),
    };
    let workload = KeyValue { sets_to_gets: (0, 1), ..KeyValue::default() };
    let clients = KeyValueClients { workload, seed: 1 };
    ServerLoad { spec, clients, login }
}

/// What a real generator says of a second of load: an interval, and its account.
fn said() -> (String, String) {
    let transactions = |done: &str| {
        let account: serde_json::Value = serde_json::from_str(done).unwrap();
        account["done"]["recorded"]["totals"][1]["transactions"].as_u64().unwrap()
    };
    // Of a second in which this machine did something else, nothing could be said.
    let said = (0..20).map(|_| said_once()).find(|(_, done)| transactions(done) > 0);
    said.expect("a load that is answered")
}

fn said_once() -> (String, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for connection in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer(connection));
        }
    });
    let load = load(1, port, Duration::from_millis(1_200));
    let (mut instructions, read) = io::pipe().map(|(read, write)| (write, read)).unwrap();
    let assignment = Assignment { part: engine::Part { index: 0, of: 1, beside: 1 }, load: &load };
    let tell = |instructions: &mut io::PipeWriter, instruction: &Instruction<&PreparedLoad>| {
        writeln!(instructions, "{}", serde_json::to_string(instruction).unwrap()).unwrap();
    };
    tell(&mut instructions, &Instruction::Prepare(Box::new(assignment)));
    tell(&mut instructions, &Instruction::Start(engine::Clock.now()));
    let mut answers = Vec::new();
    generate(BufReader::new(read), &mut answers).unwrap();
    let lines: Vec<&str> = std::str::from_utf8(&answers).unwrap().lines().collect();
    let find = |wanted: fn(&Answer) -> bool| {
        let is = |line: &&&str| wanted(&serde_json::from_str(line).unwrap());
        (*lines.iter().find(is).unwrap()).to_owned()
    };
    (
        find(|answer| matches!(answer, Answer::Interval(_))),
        find(|answer| matches!(answer, Answer::Done(_))),
    )
}

/// What all agents have in common.
#[derive(Debug)]
struct World {
    interval: String,
    done: String,
    /// Whether they say more than is true.
    lies: Lie,
    /// What they say, in the order in which they do.
    says: Sender<(Arc<Mouth>, String)>,
}

struct Mouth(Mouthpiece);

impl std::fmt::Debug for Mouth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mouth")
    }
}

/// An agent that is not there.
#[derive(Debug)]
struct MadeUp(Arc<World>);

impl Route for MadeUp {
    fn connect(&self, _: &Stop) -> Result<Link, Failure> {
        let (mouth, lines) = host::handed();
        let orders = Orders { world: Arc::clone(&self.0), mouth: Arc::new(Mouth(mouth)) };
        Ok(Link {
            orders: Box::new(orders),
            answers: Lines::Handed(lines),
            connection: Box::new(Nothing),
        })
    }

    fn remedy(&self) -> &'static str {
        ""
    }
}

struct Nothing;

impl Connection for Nothing {
    fn how_it_ended(&self) -> String {
        "ended".to_owned()
    }

    fn cut(&self) {}

    fn end(&self) {}
}

/// Hears the lead, and has it answered.
struct Orders {
    world: Arc<World>,
    mouth: Arc<Mouth>,
}

impl Orders {
    fn say(&self, text: String) {
        let _ = self.world.says.send((Arc::clone(&self.mouth), text));
    }

    /// What a process says, as its agent passes it on.
    fn process_says(&self, process: &serde_json::Value, line: &str) {
        // In pieces, as agents do it with what is long.
        for piece in format!("{line}\n").as_bytes().chunks(1 << 18) {
            let text = std::str::from_utf8(piece).unwrap();
            let said = serde_json::json!({ "said": { "process": process, "text": text } });
            self.say(said.to_string() + "\n");
        }
    }
}

impl Write for Orders {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let order: serde_json::Value = serde_json::from_slice(line)?;
        if let Some(number) = order.get("beat") {
            let clock = engine::Clock.now();
            self.say(format!(
                "{{\"beat\":{{\"number\":{number},\"clock\":{},\"unix_nanos\":0}}}}\n",
                clock.0
            ));
        } else if let Some(ask) = order.get("ask") {
            let order = &ask["order"];
            if let Some(sample) = order.get("sample") {
                let sample =
                    serde_json::json!({ "watch": sample["watch"], "sample": Sample::default() });
                let text = serde_json::json!({ "sample": sample }).to_string() + "\n";
                (0..SECONDS).for_each(|_| self.say(text.clone()));
                return Ok(line.len());
            }
            let result = if order.get("start_weighin").is_some() {
                serde_json::json!(7)
            } else if order.get("end_watch").is_some() {
                serde_json::json!([HostAccount::default(), SpaceUsed::default()])
            } else {
                serde_json::Value::Null
            };
            let answer = serde_json::json!({ "number": ask["number"], "result": { "Ok": result } });
            self.say(serde_json::json!({ "answer": answer }).to_string() + "\n");
        } else if let Some(tell) = order.get("tell") {
            let (process, text) = (&tell["process"], tell["text"].as_str().unwrap());
            if text.starts_with("{\"prepare\"") {
                self.process_says(process, "\"ready\"");
            } else if text.starts_with("{\"start\"") {
                let interval: serde_json::Value = serde_json::from_str(&self.world.interval)?;
                for second in 0..SECONDS {
                    let mut interval = interval.clone();
                    interval["interval"]["interval"]["start"]["secs"] = second.into();
                    self.process_says(process, &interval.to_string());
                }
                self.world.lies.told(&self.world.interval, |line| self.process_says(process, line));
                self.process_says(process, &self.world.done);
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a lead takes for so many agents.
struct Taken {
    /// Processor time until all are ready, in seconds: with 48 beats each, of a fleet’s first minute.
    start: f64,
    /// The same of all that they say in ten seconds of load, and of what they did.
    load: f64,
    transactions: u64,
}

/// What agents may say that are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    /// Intervals of so many bytes, in so many seconds.
    Intervals(usize, u64),
}

impl Lie {
    /// Bytes that agents may have the lead keep.
    fn kept(self) -> u64 {
        if self == Self::None { ReadLimit::BYTES } else { 8 << 20 }
    }

    fn told(self, interval: &str, say: impl Fn(&str)) {
        let Self::Intervals(bytes, seconds) = self else { return };
        let mut interval: serde_json::Value = serde_json::from_str(interval).unwrap();
        let contents = &mut interval["interval"]["interval"];
        let packed: PackedLatencies = serde_json::from_value(contents["latencies"].take()).unwrap();
        let mut packed = packed.as_bytes().to_vec();
        // Any number of times it may say that there is nothing in the next place. How long it is stands
        // behind the first word.
        packed.resize(bytes, 1);
        let length = u32::try_from(bytes - HEAD_OF_HISTOGRAM).unwrap();
        packed[4..8].copy_from_slice(&length.to_be_bytes());
        let packed = PackedLatencies::from_bytes(packed).unwrap();
        contents["latencies"] = serde_json::to_value(packed).unwrap();
        for second in SECONDS..SECONDS + seconds {
            interval["interval"]["interval"]["start"]["secs"] = second.into();
            say(&interval.to_string());
        }
    }
}

/// Leads so many.
fn lead(agents: u32) -> Taken {
    leading(agents, Lie::None).unwrap()
}

/// The same of agents that may say more than is true.
fn leading(agents: u32, lies: Lie) -> Result<Taken, Failure> {
    let (interval, done) = said();
    let account: serde_json::Value = serde_json::from_str(&done).unwrap();
    let of_one = account["done"]["recorded"]["totals"][1]["transactions"].as_u64().unwrap();
    assert!(of_one > 0, "{account}");
    let (says, hears): (_, Receiver<(Arc<Mouth>, String)>) = channel();
    let world = Arc::new(World { interval, done, lies, says });
    // As the thread does that hears the agents of a broker.
    let hearing = thread::spawn(move || {
        for (mouth, text) in hears {
            mouth.0.say(text.as_bytes(), usize::MAX);
        }
    });
    let stop = Stop::default();
    let before = process_cpu();
    let hosts: Vec<Arc<dyn Host>> = (0..agents)
        .map(|number| {
            let route = Box::new(MadeUp(Arc::clone(&world)));
            Arc::new(Remote::new(format!("agent-{number}"), route, &stop)) as Arc<dyn Host>
        })
        .collect();
    let mut watches: Vec<_> =
        hosts.iter().map(|host| host.watch(&Scope::default()).unwrap()).collect();
    let load = load(agents, 1, Duration::from_secs(SECONDS));
    let here = this_machine();
    let generators = Generators::start(here.as_ref(), &hosts, &load, agents, None).unwrap();
    let generators = generators.keeping(lies.kept());
    let ready = process_cpu();
    for watch in &mut watches {
        let measured = vec![MeasuredPhase::WHOLE];
        watch.sample(SamplerOptions::of_host(Duration::from_secs(1), Instant::now(), measured));
    }
    let mut seconds = 0;
    let result = generators.run(&stop, &mut |progress| {
        seconds += u64::from(matches!(progress, Progress::Interval(..)));
    });
    let result = result?;
    let watched: usize = watches.into_iter().map(|watch| watch.end().unwrap().samples.len()).sum();
    let over = process_cpu();
    assert_eq!(seconds, SECONDS, "each of all agents together");
    assert_eq!(watched as u64, u64::from(agents) * SECONDS);
    assert_eq!(result.generators.len(), agents as usize);
    assert_eq!(result.measure.transactions, u64::from(agents) * of_one);
    drop((hosts, world));
    hearing.join().unwrap();
    Ok(Taken {
        start: (ready - before).as_secs_f64(),
        load: (over - ready).as_secs_f64(),
        transactions: result.measure.transactions,
    })
}

#[test]
fn what_would_fill_the_memory_is_no_answer() {
    let (interval, done) = said();
    let load = load(1, 1, Duration::from_secs(SECONDS));
    let is_answer = |line: &str| Answer::read(line.as_bytes(), load.runner()).is_some();
    assert!(is_answer(&interval) && is_answer(&done) && is_answer("\"ready\""));
    assert!(!is_answer("nonsense"));
    let account: serde_json::Value = serde_json::from_str(&done).unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut account = account.clone();
        change(&mut account["done"]);
        is_answer(&account.to_string())
    };
    assert!(changed(&|_| ()));
    let latencies = &account["done"]["recorded"]["latencies"];
    let kinds = |count| {
        let kind = serde_json::json!({
            "latencies": latencies, "ok": 0, "failed": 0, "retries": 0, "rows": 0, "errors": [],
        });
        let kinds: Vec<_> = std::iter::repeat_n(kind, count).collect();
        changed(&|account| account["recorded"]["by_request"] = kinds.clone().into())
    };
    assert!(kinds(1_100) && !kinds(1_101));
    let errors = |count, length| {
        let error = serde_json::json!({
            "class": "other", "code": "", "sql_state": "", "message": "x".repeat(length), "count": 1,
            "remedy": "",
        });
        let errors: Vec<_> = std::iter::repeat_n(error, count).collect();
        changed(&|account| account["recorded"]["errors"] = errors.clone().into())
    };
    assert!(errors(101, 10) && !errors(102, 10) && !errors(1, 2_000));
    let io = serde_json::json!({ "bytes": 0, "latencies": latencies });
    let vm =
        serde_json::json!({ "number": 0, "volume": 4_000_000_000_u32, "reads": io, "writes": io });
    let fleet =
        serde_json::json!({ "queue_depth": 1, "vms": [vm], "held": { "secs": 0, "nanos": 0 } });
    assert!(!changed(&|account| account["fleet"] = fleet.clone()), "it is a load on a server");
}

#[test]
fn a_generator_has_time_for_the_end_of_its_connections() {
    let second = Duration::from_secs(1);
    let start = Nanos(0).plus(second);
    let too_silent = |limit, at: u32, unheard: u32| {
        let mut load = server_load(1, 1, 20 * second);
        (load.spec.schedule.limit, load.spec.drain_limit) = (limit, 30 * second);
        lead::too_silent(&load, start, start.plus(at * second), unheard * second)
    };
    let window = Limit::Window(20 * second);
    assert_eq!(too_silent(window, 15, 9), None);
    assert_eq!(too_silent(window, 15, 11), Some(10 * second));
    // 20 s and 30 s for the last replies, 30 s for goodbyes, and 10 s.
    assert_eq!(too_silent(window, 89, 70), None);
    assert_eq!(too_silent(window, 91, 72), Some(40 * second));
    let last_replies = Limit::LastReply { duration: Some(20 * second), events: None };
    assert_eq!(too_silent(last_replies, 15, 11), Some(10 * second));
    assert_eq!(too_silent(last_replies, 50, 39), None);
    assert_eq!(too_silent(last_replies, 80, 41), Some(40 * second));
    let work = Limit::LastReply { duration: None, events: Some(1_000) };
    assert_eq!(too_silent(work, 50, 39), None);
    assert_eq!(too_silent(work, 50, 41), Some(40 * second));
}

#[test]
fn what_hundreds_of_agents_say_is_put_together() {
    assert!(lead(300).transactions > 0);
}

/// Each line is a second of load by its looks, and no more of them are there than seconds may have passed.
#[test]
fn agents_that_say_too_much_are_given_up() {
    let led =
        |bytes, seconds| leading(2, Lie::Intervals(bytes, seconds)).map(|led| led.transactions);
    let failure = led(1 << 20, 9).unwrap_err();
    assert!(
        failure.message.contains("sent more than the account of any load takes"),
        "{failure:?}"
    );
}

#[test]
#[ignore = "it takes half a minute and an idle machine: make bench-fleet"]
fn what_a_lead_takes_grows_as_its_agents_do() {
    let mut of_each = Vec::new();
    for agents in [100, 1_000, 10_000] {
        let Taken { start, load, .. } = lead(agents);
        let [start, load] = [start, load].map(|seconds| seconds * 1e6 / f64::from(agents));
        println!(
            "{agents} agents: {start:.0} µs each to start, {:.0} µs each a second of load; {} MiB",
            load / SECONDS as f64,
            peak_rss_bytes() >> 20
        );
        of_each.push(start + load);
    }
    assert!(of_each[2] < 2.0 * of_each[1].min(of_each[0]), "{of_each:?} µs each");
}
