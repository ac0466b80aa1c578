//! The keys of a study file's tests as options: what they mean and which values they may have, `study`
//! alone knows.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use study::{CommandLine, LoadKey, load_keys};

/// Keys that say which data a load needs.
const OF_DATA: [&str; 8] =
    ["tables", "table_size", "distribution", "built_in", "keys", "value_size", "vms", "data"];

/// Help for keys that mean something else, or have another default, where one load is run.
const OF_ONE_LOAD: [(&str, &str); 7] = [
    ("workload", "What is run; a volume has only storage"),
    (
        "clients",
        "Connections that each run one transaction, or operation of key_value, after another; 1 when \
         absent. Beside --rate the number of connections to choose from, and beside --slo those \
         or with --search=clients the most to try; 64, and 128, when absent",
    ),
    (
        "warmup",
        "How long to run load before measuring, such as 5s; 0s when absent. In each step of a search \
         1s when absent",
    ),
    (
        "duration",
        "How long to measure, such as 30s or 2m; 10s when absent. In each step of \
         a search 5s when absent",
    ),
    (
        "rate",
        "Transactions, or operations of key_value, offered per second, whether or not the server keeps \
         up. Latencies are response times then, counted from when each was due",
    ),
    (
        "search",
        "What is searched for under an --slo: the highest rate, or the highest number of clients, of \
         which --clients then is the most to try; rate when absent",
    ),
    (
        "pattern",
        "Threads, reads and writes that each keeps in flight, and size of blocks of each virtual \
         machine; or `redo log`: 4 KiB written one after another, each with an fdatasync before the \
         next; t1 o32 b4k when absent, unless --block is given",
    ),
];

/// Keys of a test that were given as options: of a load all of them, or those of its data.
#[derive(Debug)]
pub(crate) struct KeyOptions<const DATA_ONLY: bool>(Vec<(&'static str, String)>);

impl<const DATA_ONLY: bool> KeyOptions<DATA_ONLY> {
    fn keys() -> impl Iterator<Item = &'static LoadKey> {
        load_keys().iter().filter(|key| !DATA_ONLY || OF_DATA.contains(&key.name.as_str()))
    }

    /// Tells what was given.
    pub(crate) fn describe(&self, line: &mut CommandLine) {
        self.0.iter().for_each(|(key, text)| line.test(key, text));
    }
}

impl<const DATA_ONLY: bool> Args for KeyOptions<DATA_ONLY> {
    fn augment_args(command: Command) -> Command {
        Self::keys().fold(command, |command, key| command.arg(argument(key)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const DATA_ONLY: bool> FromArgMatches for KeyOptions<DATA_ONLY> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = Self::keys().filter_map(|key| {
            let text = matches.get_one::<String>(&key.name)?;
            Some((key.name.as_str(), text.clone()))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// What a key is called on the command line. The target is an argument without an option.
pub(crate) fn option(key: &str) -> String {
    match key {
        "url" | "volumes" => "URL".to_owned(),
        "transaction" => "--script".to_owned(),
        "weight" => "the weight behind @ of --script".to_owned(),
        "writes" => "--allow-writes".to_owned(),
        _ => format!("--{}", key.replace('_', "-")),
    }
}

fn argument(key: &'static LoadKey) -> Arg {
    let argument = Arg::new(key.name.as_str()).long(key.name.replace('_', "-")).help(help(key));
    let argument = match key.owner {
        Some(owner) => argument.help_heading(format!("Options of {owner}")),
        None => argument,
    };
    match key.is_flag {
        true => argument.num_args(0..=1).require_equals(true).default_missing_value("true"),
        false => argument.value_name(key.name.to_uppercase()).allow_negative_numbers(true),
    }
}

fn help(key: &LoadKey) -> String {
    let by_hand = OF_ONE_LOAD.iter().find(|(name, _)| *name == key.name);
    let mut text = by_hand.map_or(key.description.clone(), |(_, help)| (*help).to_owned());
    for other in load_keys() {
        text = text.replace(&format!("`{}`", other.name), &option(&other.name));
    }
    text.truncate(text.trim_end_matches('.').len());
    if !key.values.is_empty() {
        text += &format!(" [possible values: {}]", key.values.join(", "));
    }
    text
}
