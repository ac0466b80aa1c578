//! Which keys go together in a `[[test]]`: a form for each task and workload. A test is read, checked
//! and described by the form that it has.

use crate::keys::key::ABSENT;
use crate::keys::{
    CatchUpKeys, FailoverKeys, KeyValueKeys, LoadKeys, OltpKeys, SchemaChangeKeys, ServerKeys,
    StatementKeys, StorageKeys, TestKeys, TimedKeys, TransactionsKeys,
};
use model::{CatchUp, Failover, OltpMix, SchemaChange, Statement, Storage, Transactions, Workload};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::sync::{LazyLock, OnceLock};
use toml::de::DeTable;

/// What a test runs, as far as its keys depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Oltp(OltpMix),
    Transactions,
    KeyValue,
    Storage,
    Statement,
    SchemaChange,
    Failover,
    CatchUp,
}

/// Values that `task` takes.
pub(crate) const TASKS: [&str; 6] =
    ["load", "search", Statement::NAME, SchemaChange::TASK, Failover::NAME, CatchUp::NAME];

/// Keys of a search for the highest load, and of no load at given levels.
const OF_SEARCHES: [&str; 4] = ["slo", "search", "cpu_limit", "replica_lag"];
/// Keys of a load at given levels, and of no search.
const OF_LEVELS: [&str; 7] = [
    "rate", "load_profile", "cross_check", "intervention", "transactions", "operations",
    "time_limit",
];

/// Keys of loads that are measured for their own sake, and of none beside which something else runs.
const OF_MEASURED_LOADS: [&str; 9] = [
    "load_profile", "slo", "search", "replica_lag", "duration", "transactions", "time_limit",
    "cross_check", "intervention",
];

impl Form {
    /// One for each set of keys.
    pub const ALL: [Self; 8] = [
        Self::Oltp(OltpMix::ReadWrite),
        Self::Transactions,
        Self::KeyValue,
        Self::Storage,
        Self::Statement,
        Self::SchemaChange,
        Self::Failover,
        Self::CatchUp,
    ];

    /// That of a test as written; `None` where it names no workload that there is.
    pub fn of_test(test: &DeTable<'_>) -> Option<Self> {
        let text = |key: &str| test.get(key)?.get_ref().as_str();
        match text("task") {
            Some(Statement::NAME) => Some(Self::Statement),
            Some(SchemaChange::TASK) => Some(Self::SchemaChange),
            Some(Failover::NAME) => Some(Self::Failover),
            Some(CatchUp::NAME) => Some(Self::CatchUp),
            _ => Self::of_workload(text("workload")?),
        }
    }

    /// That of a load.
    pub fn of_workload(name: &str) -> Option<Self> {
        match name {
            Transactions::NAME => Some(Self::Transactions),
            Workload::KEY_VALUE => Some(Self::KeyValue),
            Storage::NAME => Some(Self::Storage),
            oltp => OltpMix::from_name(oltp).map(Self::Oltp),
        }
    }

    /// What messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oltp(mix) => mix.name(),
            Self::Transactions => Transactions::NAME,
            Self::KeyValue => Workload::KEY_VALUE,
            Self::Storage => Storage::NAME,
            Self::Statement => "the task statement",
            Self::SchemaChange => "the task schema_change",
            Self::Failover => "the task failover",
            Self::CatchUp => "the task catch_up",
        }
    }

    /// Whether its tests run a load for its own sake.
    pub fn is_of_load(self) -> bool {
        !matches!(self, Self::Statement | Self::SchemaChange | Self::Failover | Self::CatchUp)
    }

    /// What a user would choose another of for other keys.
    pub fn choice(self) -> &'static str {
        if self.is_of_load() { "workload" } else { "task" }
    }

    /// What messages call all tests with the same keys.
    pub fn family(self) -> &'static str {
        match self {
            Self::Oltp(_) => "oltp_... and select_...",
            Self::Transactions
            | Self::KeyValue
            | Self::Storage
            | Self::Statement
            | Self::SchemaChange
            | Self::Failover
            | Self::CatchUp => self.name(),
        }
    }

    /// The keys that it may have, each with its schema.
    pub fn keys(self) -> &'static Map<String, Value> {
        // Describing types takes longer than most commands: once for each form.
        static KEYS: [OnceLock<Map<String, Value>>; Form::ALL.len()] =
            [const { OnceLock::new() }; Form::ALL.len()];
        let place = match self {
            Self::Oltp(_) => 0,
            Self::KeyValue => 1,
            Self::Storage => 2,
            Self::Statement => 3,
            Self::SchemaChange => 4,
            Self::Failover => 5,
            Self::CatchUp => 6,
            Self::Transactions => 7,
        };
        KEYS[place].get_or_init(|| self.described())
    }

    fn described(self) -> Map<String, Value> {
        let mut keys = properties::<TestKeys>();
        if !matches!(self, Self::Failover | Self::CatchUp) {
            keys.extend(properties::<LoadKeys>());
        }
        if matches!(self, Self::Statement | Self::SchemaChange) {
            keys.extend(properties::<ServerKeys>());
            keys.extend(properties::<OltpKeys>());
            keys.retain(|key, _| !OF_MEASURED_LOADS.contains(&key.as_str()));
            keys.extend(properties::<TimedKeys>());
        }
        match self {
            Self::Oltp(_) => {
                keys.extend(properties::<ServerKeys>());
                keys.extend(properties::<OltpKeys>());
            }
            Self::Transactions => {
                keys.extend(properties::<ServerKeys>());
                keys.extend(properties::<TransactionsKeys>());
            }
            Self::KeyValue => {
                keys.extend(properties::<ServerKeys>());
                keys.extend(properties::<KeyValueKeys>());
            }
            Self::Storage => keys.extend(properties::<StorageKeys>()),
            Self::Statement => keys.extend(properties::<StatementKeys>()),
            Self::SchemaChange => keys.extend(properties::<SchemaChangeKeys>()),
            Self::Failover => keys.extend(properties::<FailoverKeys>()),
            Self::CatchUp => keys.extend(properties::<CatchUpKeys>()),
        }
        keys
    }

    /// The schemas of its tests: of loads at levels, and searching.
    fn schemas(self) -> Vec<Value> {
        let workload = match self {
            Self::Statement => {
                return vec![self.beside_schema(Statement::NAME, &["statements", "sql"])];
            }
            Self::SchemaChange => {
                return vec![self.beside_schema(SchemaChange::TASK, &["change", "sql"])];
            }
            Self::Failover => {
                return vec![self.task_schema(Failover::NAME, &["switch", "loss", "command"])];
            }
            Self::CatchUp => return vec![self.catch_up_schema()],
            Self::Oltp(_) => json!({ "enum": OltpMix::REPEATABLE.map(OltpMix::name) }),
            Self::Transactions | Self::KeyValue | Self::Storage => json!({ "const": self.name() }),
        };
        let (levels, bounds) = match self {
            Self::Oltp(_) => {
                (&["clients", "rate", "load_profile"][..], &["slo", "replica_lag"][..])
            }
            Self::Transactions | Self::KeyValue => {
                (&["clients", "rate", "load_profile"][..], &["slo"][..])
            }
            Self::Storage
            | Self::Statement
            | Self::SchemaChange
            | Self::Failover
            | Self::CatchUp => (&["pattern", "queue_depth", "rate"][..], &["slo", "cpu_limit"][..]),
        };
        let of = |task: &str, without: &[&str], either: &[&str]| {
            let mut keys = self.keys().clone();
            keys.retain(|key, _| !without.contains(&key.as_str()));
            narrow(&mut keys, "workload", &workload);
            narrow(&mut keys, "task", &json!({ "const": task }));
            let mut form = json!({
                "title": format!("{}: {task}", self.family()),
                "type": "object",
                "properties": keys,
                "required": ["workload"],
                "additionalProperties": false,
            });
            match either {
                [only] => form["required"] = json!(["workload", only]),
                several => {
                    let of = |key: &&str| json!({ "required": [key] });
                    form["anyOf"] = several.iter().map(of).collect();
                }
            }
            form
        };
        vec![of("load", &OF_SEARCHES, levels), of("search", &OF_LEVELS, bounds)]
    }

    /// That of statements, idle or beside a load.
    fn beside_schema(self, task: &str, either: &[&str]) -> Value {
        let mut schema = self.task_schema(task, either);
        if let Some(Value::Object(keys)) = schema.get_mut("properties") {
            let workload = json!({
                "enum": OltpMix::REPEATABLE.map(OltpMix::name),
                "description": "The load beside which it runs.",
                ABSENT: "the target is idle",
            });
            narrow(keys, "workload", &workload);
        }
        let of_loads = ["rate", "clients", "before", "after", "alone"];
        let needed = of_loads.map(|key| (key.to_owned(), json!(["workload"])));
        schema["dependentRequired"] = Value::Object(needed.into_iter().collect());
        schema
    }

    /// That of a task that is no load, which has at least one of these keys.
    fn task_schema(self, task: &str, either: &[&str]) -> Value {
        let mut keys = self.keys().clone();
        narrow(&mut keys, "task", &json!({ "const": task }));
        let either: Value = either.iter().map(|key| json!({ "required": [key] })).collect();
        json!({
            "title": self.name(),
            "type": "object",
            "properties": keys,
            "required": ["task"],
            "anyOf": either,
            "additionalProperties": false,
        })
    }

    fn catch_up_schema(self) -> Value {
        let mut keys = self.keys().clone();
        narrow(&mut keys, "task", &json!({ "const": CatchUp::NAME }));
        let names: Vec<&str> = replicated_workloads().map(OltpMix::name).collect();
        narrow(&mut keys, "workload", &json!({ "enum": names }));
        let both = |a: &str, b: &str| json!({ "required": [a, b] });
        json!({
            "title": self.name(),
            "type": "object",
            "properties": keys,
            "required": ["task"],
            "not": { "anyOf": [
                both("backlog_transactions", "backlog_time"),
                both("backlog_transactions", "backlog_bytes"),
                both("backlog_time", "backlog_bytes"),
            ] },
            "additionalProperties": false,
        })
    }
}

/// The keys that any test may have, each with its schema.
pub(crate) fn all_keys() -> &'static Map<String, Value> {
    static ALL: LazyLock<Map<String, Value>> =
        LazyLock::new(|| Form::ALL.into_iter().flat_map(|form| form.keys().clone()).collect());
    &ALL
}

/// What messages call the tests that have a key; empty where none has.
pub(crate) fn owners(key: &str) -> Vec<&'static str> {
    let has = |form: &Form| form.keys().contains_key(key);
    Form::ALL.into_iter().filter(has).map(Form::family).collect()
}

/// The schema of a `[[test]]`: exactly one of its forms.
pub(crate) fn schema() -> Value {
    json!({ "oneOf": Form::ALL.into_iter().flat_map(Form::schemas).collect::<Vec<_>>() })
}

/// Adds to what the schema says of a key.
fn narrow(keys: &mut Map<String, Value>, key: &str, to: &Value) {
    if let (Some(Value::Object(known)), Value::Object(to)) = (keys.get_mut(key), to) {
        known.extend(to.clone());
    }
}

/// The keys of a group, each with its schema.
pub(crate) fn properties<T: JsonSchema>() -> Map<String, Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    forbid_null(&mut schema);
    match schema.get_mut("properties").map(Value::take) {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    }
}

/// An optional key of a TOML file is absent, never null.
pub(crate) fn forbid_null(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(forbid_null),
        Value::Object(object) => {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    // What stands beside `anyOf` describes the key; it wins.
                    only.into_iter().for_each(|(key, value)| {
                        object.entry(key).or_insert(value);
                    });
                }
            }
            object.values_mut().for_each(forbid_null);
        }
        _ => {}
    }
}

/// Workloads that write.
pub(crate) fn replicated_workloads() -> impl Iterator<Item = OltpMix> {
    OltpMix::REPEATABLE.into_iter().filter(|mix| mix.transaction().writes() > 0)
}
