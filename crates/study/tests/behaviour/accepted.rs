//! What the keys of a study file turn into.

use model::{
    ArrivalProcess, CacheState, Endpoint, ErrorAction, KeyDistribution, KeyOrder, KeyValue, Level,
    OltpMix, PasswordSource, Place, PriceUnit, ServerKey, Study, System, Target, Tls, ValueSize,
    Workload,
};
use std::time::Duration;
use study::{
    Additions, Template, demo, estimate, expand, extend, json_schema, load, parse, scaled,
    template, template_files,
};

const EVERY_KEY: &str = r#"
[study]
name = "every_key-1"
question = "Which?"
answer_by = "cost"
repeats = 5
seed = 9
confidence = 0.9
margin = 0.01

[[target]]
name = "private"
kind = "mysql"
sandbox = { settings = { innodb-doublewrite = true, sync_binlog = 0, innodb_log_file_size = "2G", long_query_time = 0.5 }, restart = false, directory = "/data" }
price = { monthly = 23, currency = "EUR" }
labels = { tenancy = "shared" }

[[target]]
name = "remote"
url = "mysql://bench@db2:3307/sbtest"
password_file = "/run/pw"
tls = "verified"
tls_ca = "/etc/ca.pem"
server_public_key = "/etc/key.pem"

[[test]]
name = "t"
workload = "oltp_write_only"
tables = 2
table_size = 5
range_size = 7
distribution = "pareto"
clients = [2, 1]
warmup = "500ms"
duration = "1m30s"
cache = "cold"
cross_check = true
"#;

#[test]
fn a_report_answers_by_whatever_a_test_measures() {
    let by = |test: &str, by: &str| {
        let text = format!(
            "[study]\nname = \"s\"\nanswer_by = \"{by}\"\n[[target]]\nname = \"a\"\nsandbox = {{}}\n\
             [[test]]\n{test}\n"
        );
        parse(&text, "s.toml").map(|study| study.answer_by.unwrap().name())
    };
    let load = "workload = \"oltp_read_only\"\nclients = [1]";
    for known in ["server_cpu_per_op", "write_amplification", "server_memory", "latency_p99"] {
        assert_eq!(by(load, known).unwrap(), known);
    }
    for unknown in ["downtime", "elapsed", "unserved", "rows_returned"] {
        assert!(by(load, unknown).is_err(), "{unknown}");
    }
    let profile = "workload = \"oltp_read_only\"\n\
                   load_profile = [{ rate = 10, hold = \"5s\" }]";
    assert_eq!(by(profile, "unserved").unwrap(), "unserved");
}

#[test]
fn a_warm_up_lasts_a_time_or_until_the_load_is_steady() {
    let load = |keys: &str| {
        let text = format!(
            "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nsandbox = {{}}\n\
             [[test]]\nworkload = \"oltp_write_only\"\nclients = [1]\n{keys}\n"
        );
        let study = parse(&text, "s.toml").unwrap();
        let load = study.tests[0].load().unwrap();
        (load.warmup.as_secs(), load.steady_within.map(|within| within.as_secs()))
    };
    assert_eq!(load(""), (5, None));
    assert_eq!(load("warmup = \"7s\""), (7, None));
    assert_eq!(load("warmup = \"steady\""), (5, Some(600)));
    assert_eq!(load("warmup = \"steady\"\nsteady_within = \"2m\""), (5, Some(120)));
    assert_eq!(load("warmup = \"7s\"\nsteady_within = \"2m\""), (7, Some(120)));
}

#[test]
fn every_key_arrives() {
    let study = parse(EVERY_KEY, "s").unwrap();
    assert_eq!((study.repeats, study.seed, study.confidence, study.margin), (5, 9, 0.9, 0.01));
    assert_eq!((study.name.as_str(), study.question.as_deref()), ("every_key-1", Some("Which?")));
    assert!(study.asks_for_cost());
    let [private, remote] = study.targets.as_slice() else { panic!("two targets") };
    let Place::Sandbox(sandbox) = &private.place else { panic!("a sandbox") };
    let settings: Vec<_> = sandbox.settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(
        settings,
        [
            ("innodb_doublewrite", "ON"),
            ("innodb_log_file_size", "2G"),
            ("long_query_time", "0.5"),
            ("sync_binlog", "0")
        ]
    );
    assert!(!sandbox.restart);
    assert_eq!(sandbox.directory.as_deref(), Some("/data".as_ref()));
    assert_eq!(private.price, Some(model::Price::monthly(23.0, "EUR")));
    assert_eq!(private.labels["tenancy"], "shared");
    let Place::Server(spec) = &remote.place else { panic!("a server") };
    let address = &spec.address;
    assert_eq!(address.endpoint, Endpoint::Tcp { host: "db2".into(), port: 3307 });
    assert_eq!(address.password, PasswordSource::File("/run/pw".into()));
    assert_eq!(address.tls, Tls::Verified(Some("/etc/ca.pem".into())));
    assert_eq!(address.server_key, ServerKey::Pinned("/etc/key.pem".into()));
    let test = &study.tests[0];
    let oltp = test.load().unwrap().workload.oltp().unwrap();
    assert_eq!((oltp.mix, oltp.distribution), (OltpMix::WriteOnly, KeyDistribution::Pareto));
    assert_eq!((oltp.tables, oltp.table_size, oltp.range_size), (2, 5, 7));
    assert_eq!(
        (test.load().unwrap().warmup, test.load().unwrap().duration),
        (Duration::from_millis(500), Duration::from_secs(90))
    );
    assert_eq!(test.cache, CacheState::Cold);
    assert!(test.cross_check);
}

const KEYS: &str = r#"
[study]
name = "volumes"
[[target]]
name = "private"
kind = "valkey"
sandbox = { settings = { appendonly = true, appendfsync = "everysec", save = "" } }
[[target]]
name = "remote"
url = "redis://bench@cache/2"
[[test]]
workload = "key_value"
keys = 1_000_000
value_size = [100, 1000]
ratio = "1:10"
pipeline = 10
expiry = "60s"
preload = false
distribution = "sequential"
clients = 5
"#;

#[test]
fn key_value_tests_run_on_redis() {
    let study = parse(KEYS, "s").unwrap();
    let [private, remote] = study.targets.as_slice() else { panic!("two targets") };
    assert_eq!((private.system, remote.system), (System::Redis, System::Redis));
    let Place::Sandbox(sandbox) = &private.place else { panic!("a sandbox") };
    let settings: Vec<_> = sandbox.settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    assert_eq!(settings, [("appendfsync", "everysec"), ("appendonly", "ON"), ("save", "")]);
    let Place::Server(spec) = &remote.place else { panic!("a server") };
    let address = &spec.address;
    assert_eq!((address.user.as_deref(), address.database.as_str()), (Some("bench"), "2"));
    let test = &study.tests[0];
    assert_eq!(test.name, "key_value");
    let Workload::KeyValue(keys) = &test.load().unwrap().workload else { panic!("keys") };
    let expected = KeyValue {
        keys: 1_000_000,
        order: KeyOrder::Sequential,
        sets_to_gets: (1, 10),
        value_size: ValueSize::Between(100, 1000),
        pipeline: 10,
        expiry: Some(Duration::from_secs(60)),
        preload: false,
        ..KeyValue::default()
    };
    assert_eq!(*keys, expected);
}

#[test]
fn writing_keys_takes_its_time_again_whenever_they_are_others() {
    let time = |text: &str| {
        let study = parse(text, "s").unwrap();
        estimate(&expand(&study, study.seed), &study)
    };
    let one = KEYS.replace("preload = false", "preload = true");
    let once = time(&one) - time(KEYS);
    // 1,000,000 keys on two targets: about 5 s each, and 3 s for their values.
    assert!((10..20).contains(&once.as_secs()), "{once:?}");
    let second = one.split_once("[[test]]").unwrap().1.replace("1_000_000", "1_000_001");
    let several = format!("{one}[[test]]\nname = \"more\"{second}");
    assert!(time(&several) > 2 * time(&one) + 4 * once);
}

#[test]
fn rates_are_levels_of_an_open_loop() {
    let with = |keys: &str| {
        let text = format!(
            "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nsandbox = {{}}\n\
             [[test]]\nworkload = \"oltp_read_only\"\n{keys}"
        );
        parse(&text, "s").unwrap()
    };
    let level = Level::rate;
    let study = with("rate = [400, 100]");
    let test = &study.tests[0];
    assert_eq!(test.load().unwrap().levels, [level(64, 100), level(64, 400)]);
    assert_eq!(test.load().unwrap().arrivals.process, ArrivalProcess::Poisson);
    assert_eq!(test.load().unwrap().arrivals.max_waiting, 10_000);
    let seeds: Vec<u64> = expand(&study, 1).blocks[0].trials.iter().map(|t| t.seed).collect();
    assert_ne!(seeds[0], seeds[1], "each rate has arrivals of its own");

    let study = with("rate = 50\nclients = 8\narrivals = \"uniform\"\nmax_waiting = 20");
    let test = &study.tests[0];
    assert_eq!(test.load().unwrap().levels, [level(8, 50)]);
    assert_eq!(test.load().unwrap().arrivals.process, ArrivalProcess::Uniform);
    assert_eq!(test.load().unwrap().arrivals.max_waiting, 20);
}

#[test]
fn errors_are_answered_and_connections_kept_as_the_test_says() {
    let text = EVERY_KEY.replace("cross_check = true", "").replace(
        "cache = \"cold\"",
        "reconnect_after = 10\non_conflict = \"retry\"\non_lost_connection = \"stop\"\non_error = \"ignore\"",
    );
    let study = parse(&text, "s").unwrap();
    assert_eq!(study.tests[0].load().unwrap().reconnect_after, std::num::NonZeroU32::new(10));
    let policy = &study.tests[0].load().unwrap().policy;
    assert_eq!(policy.conflict, ErrorAction::Retry);
    assert_eq!(policy.connection, ErrorAction::Stop);
    assert_eq!(policy.other, ErrorAction::Ignore);
    assert_eq!(
        parse(EVERY_KEY, "s").unwrap().tests[0].load().unwrap().policy,
        model::ErrorPolicy::default()
    );
}

#[test]
fn the_demo_compares_two_sandboxes_in_about_four_minutes() {
    let study = parse(demo(), "demo").unwrap();
    let plan = expand(&study, study.seed);
    assert_eq!(plan.trials().count(), 36);
    let minutes = estimate(&plan, &study).as_secs_f64() / 60.0;
    assert!((3.0..4.5).contains(&minutes), "{minutes} minutes");
}

#[test]
fn a_cross_check_takes_every_trial_as_long_again() {
    let plain = parse(demo(), "demo").unwrap();
    let mut asking = plain.clone();
    asking.tests[0].cross_check = true;
    let plan = expand(&plain, plain.seed);
    let trials: Duration = plan.trials().map(|trial| trial.load_time).sum();
    assert!(estimate(&plan, &asking) >= estimate(&plan, &plain) + trials);
}

#[test]
fn templates_are_found_by_name_and_valid() {
    for kind in Template::ALL {
        assert_eq!(Template::from_name(kind.name()), Some(kind));
        let place = tempfile::tempdir().unwrap();
        for (name, text) in template_files(kind) {
            let path = place.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let path = place.path().join("study.toml");
        std::fs::write(&path, template(kind)).unwrap();
        load(&path).unwrap();
    }
}

#[test]
fn the_redis_template_is_eight_tests_on_four_set_ups_three_times() {
    let study = parse(template(Template::RedisVolumes), "s").unwrap();
    let plan = expand(&study, study.seed);
    assert_eq!(plan.trials().count(), 8 * 4 * 3);
    let monthly: Vec<f64> = study.targets.iter().map(fixed_per_month).collect();
    assert_eq!(monthly, [848.0, 873.0, 1496.0, 1557.0]);
}

/// What a target costs per month without any load.
fn fixed_per_month(target: &Target) -> f64 {
    let items = target.price.iter().flat_map(|price| &price.items);
    items.filter(|item| item.per == PriceUnit::Month).map(|item| item.amount).sum()
}

#[test]
fn the_templates_mention_every_key_that_there_is() {
    fn keys(schema: &serde_json::Value, found: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(|p| p.as_object()) {
            for (key, inner) in properties {
                found.push(key.clone());
                keys(inner, found);
                keys(inner.get("items").unwrap_or(&serde_json::Value::Null), found);
            }
        }
        for form in schema.get("oneOf").and_then(|forms| forms.as_array()).into_iter().flatten() {
            keys(form, found);
        }
    }
    let mut found = Vec::new();
    keys(&json_schema(), &mut found);
    assert!(found.len() > 90, "{found:?}");
    for key in found {
        assert!(Template::ALL.iter().any(|kind| template(*kind).contains(&key)), "{key}");
    }
}

#[test]
fn the_schema_knows_values_ranges_and_what_is_required() {
    let schema = json_schema();
    let forms = schema["properties"]["test"]["items"]["oneOf"].as_array().unwrap();
    let form = |title: &str| forms.iter().find(|form| form["title"] == title).unwrap();
    let load = form("oltp_... and select_...: load");
    let either = |keys: &[&str]| -> serde_json::Value {
        keys.iter().map(|key| serde_json::json!({ "required": [key] })).collect()
    };
    assert_eq!(load["required"], serde_json::json!(["workload"]));
    assert_eq!(load["anyOf"], either(&["clients", "rate", "load_profile"]));
    assert_eq!(load["additionalProperties"], false);
    assert_eq!(load["properties"]["workload"]["enum"][0], "oltp_read_write");
    assert_eq!(load["properties"]["task"]["const"], "load");
    assert_eq!(load["properties"]["tables"]["type"], "integer");
    let search = form("storage: search");
    assert_eq!(search["anyOf"], either(&["slo", "cpu_limit"]));
    assert_eq!(search["properties"]["workload"]["const"], "storage");
    assert_eq!(search["properties"]["vms"]["type"], "integer");
    for (form, key) in [(load, "vms"), (load, "keys"), (load, "slo"), (search, "rate")] {
        assert!(form["properties"].get(key).is_none(), "{key} in {form}");
    }
    assert_eq!(schema["required"], serde_json::json!(["study", "target", "test"]));
    let nulls = ["\"null\"", ":null"];
    let text = schema.to_string();
    assert!(!nulls.iter().any(|null| text.contains(null)), "TOML has no null: {schema}");
}

#[test]
fn scaling_multiplies_times_and_leaves_at_least_a_second() {
    let study = parse(EVERY_KEY, "s").unwrap();
    let times = |factor| {
        let test = &scaled(&study, factor).tests[0];
        (test.load().unwrap().warmup.as_millis(), test.load().unwrap().duration.as_millis())
    };
    assert_eq!(times(0.5), (500, 45_000));
    assert_eq!(times(0.001), (500, 1_000));
    assert_eq!(times(4.0), (2_000, 360_000));
    assert_eq!(times(f64::NAN), (500, 90_000));
    assert_eq!(times(-1.0), (500, 90_000));
}

#[test]
fn scaling_down_takes_fewer_rows_of_private_servers_and_leaves_others_theirs() {
    let rows = |target: &str, factor: f64| {
        let text = format!(
            "[study]\nname = \"s\"\n[[target]]\nname = \"t\"\n{target}\n[[test]]\n\
             workload = \"oltp_read_write\"\ntable_size = 2_000_000\nclients = 1\n\
             transactions = 50_000\n"
        );
        let study = scaled(&parse(&text, "s").unwrap(), factor);
        let load = study.tests[0].load().unwrap();
        (load.workload.oltp().unwrap().table_size, load.operations.unwrap())
    };
    assert_eq!(rows("sandbox = {}", 0.01), (20_000, 500));
    assert_eq!(rows("sandbox = {}", 0.00001), (1_000, 1));
    assert_eq!(rows("sandbox = {}", 2.0), (2_000_000, 100_000));
    assert_eq!(rows("url = \"mysql://bench@db/sbtest\"", 0.01), (2_000_000, 500));
}

#[test]
fn a_test_may_change_what_its_workload_holds() {
    let study = |keys: &str| {
        let text = format!(
            "[study]\nname = \"s\"\n[[target]]\nname = \"t\"\nsandbox = {{}}\n[[test]]\nclients = 1\n{keys}"
        );
        parse(&text, "s")
    };
    let oltp = |keys: &str| {
        study(keys).unwrap().tests.remove(0).load().unwrap().workload.oltp().unwrap().clone()
    };
    let changed = oltp(
        "workload = \"oltp_read_write\"\npoint_selects = 3\ndelete_inserts = 0\nskip_trx = true\nprepared = false",
    );
    let counts = (changed.transaction.reads(), changed.transaction.writes());
    assert_eq!((counts, changed.transaction.explicit, changed.prepared), ((7, 2), false, false));
    let points = oltp("workload = \"select_random_points\"\nrandom_points = 50");
    assert_eq!((points.points, points.transaction.reads()), (50, 1));
    for workload in ["oltp_insert", "oltp_delete", "oltp_update_index", "select_random_ranges"] {
        assert_eq!(oltp(&format!("workload = \"{workload}\"")).mix.name(), workload);
    }
    for refused in [
        "workload = \"bulk_insert\"",
        "workload = \"oltp_point_select\"\npoint_selects = 0",
        "workload = \"oltp_delete\"\nskip_trx = false",
        "workload = \"oltp_read_only\"\nsum_ranges = -1",
    ] {
        assert!(study(refused).is_err(), "{refused}");
    }
}

#[test]
fn a_bound_on_latency_searches_for_the_highest_rate_or_number_of_clients() {
    let targets: String =
        ["a", "b"].map(|name| format!("[[target]]\nname = \"{name}\"\nsandbox = {{}}\n")).concat();
    let with = |keys: &str| {
        let test = format!("[[test]]\nworkload = \"oltp_read_only\"\n{keys}\n");
        parse(&format!("[study]\nname = \"s\"\nrepeats = 2\n{targets}{test}"), "s.toml").unwrap()
    };
    let study = with("slo = \"p95 < 20ms\"");
    let test = &study.tests[0];
    assert_eq!(test.bound().unwrap().slo, Some("p95 < 20ms".parse().unwrap()));
    assert_eq!(test.load().unwrap().levels, [Level::searched(model::SearchOver::Rate, 64)]);
    assert!(test.is_open());
    assert_eq!(
        (test.load().unwrap().warmup.as_secs(), test.load().unwrap().duration.as_secs()),
        (1, 5)
    );
    let plan = expand(&study, 1);
    assert_eq!(plan.trials().count(), 4, "one trial for each target and repeat");
    assert!(plan.trials().all(|trial| trial.load_time.as_secs() > 6), "several steps");

    let study = with("slo = \"max <= 1s\"\nsearch = \"clients\"\nclients = 32\nduration = \"2s\"");
    assert_eq!(
        study.tests[0].load().unwrap().levels,
        [Level::searched(model::SearchOver::Clients, 32)]
    );
    assert!(!study.tests[0].is_open());
    with("slo = \"p99 < 5ms\"\nclients = 8\narrivals = \"uniform\"\nmax_waiting = 9");
}

#[test]
fn a_price_of_line_items_is_read_with_what_it_holds_for() {
    let price = r#"
[target.price]
currency = "USD"
date = "2012-11"
region = "us-east-1"
term = "on demand"
requests_per_io = 40
monthly = 36
items = [
    { name = "instance", amount = 0.9, per = "hour" },
    { name = "volume", amount = 0.1, per = "gb_month", quantity = 2000 },
    { name = "IOs", amount = 0.01, per = "million_ios" },
    { name = "support", amount = 20 },
]
"#;
    let text = format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nsandbox = {{}}\n{price}\
         [[test]]\nworkload = \"oltp_read_only\"\nclients = [1]\n"
    );
    let study = parse(&text, "s.toml").unwrap();
    let price = study.targets[0].price.as_ref().unwrap();
    let holds_for = [&price.date, &price.region, &price.term].map(Option::as_deref);
    assert_eq!(holds_for, [Some("2012-11"), Some("us-east-1"), Some("on demand")]);
    assert_eq!((price.requests_per_io, price.charges(PriceUnit::MillionIos)), (Some(40.0), true));
    let units: Vec<PriceUnit> = price.items.iter().map(|item| item.per).collect();
    let (month, hour) = (PriceUnit::Month, PriceUnit::Hour);
    assert_eq!(units, [month, hour, PriceUnit::GbMonth, PriceUnit::MillionIos, month]);
    assert_eq!(price.fixed_monthly(None), Some(36.0 + 657.0 + 200.0 + 20.0));
}

#[test]
fn a_plan_is_extended_by_its_own_rules() {
    let study = parse(EVERY_KEY, "study.toml").unwrap();
    let plan = expand(&study, study.seed);
    assert_eq!(extend(&study, &plan, &Additions::default()), []);
    let all = plan.trials().count();
    let first = plan.blocks[0].trials[0].key.clone();
    let anew = [first.clone()].into();
    let blocks = extend(&study, &plan, &Additions { repeats: 2, anew });
    let shape: Vec<_> = blocks.iter().map(|b| (b.number, b.extension, b.trials.len())).collect();
    let each = plan.blocks[0].trials.len();
    let repeats = study.repeats;
    assert_eq!(shape, [(1, 1, 1), (repeats + 1, 1, each), (repeats + 2, 1, each)]);
    // Positions go on, and the work is the one that each trial would have had from the beginning.
    let positions: Vec<u32> = blocks.iter().flat_map(|b| &b.trials).map(|t| t.position).collect();
    assert_eq!(positions, (all as u32 + 1..=all as u32 + 1 + 2 * each as u32).collect::<Vec<_>>());
    let longer = expand(&Study { repeats: repeats + 2, ..study.clone() }, study.seed);
    for trial in blocks.iter().flat_map(|block| &block.trials) {
        let planned = longer.trials().find(|other| other.key == trial.key).unwrap();
        assert_eq!((trial.seed, trial.load_time), (planned.seed, planned.load_time));
    }
    let mut extended = plan.clone();
    extended.blocks.extend(blocks);
    assert_eq!((extended.repeats(), extended.trials().count()), (repeats + 2, all + 2 * each));
    assert!(extended.trials().all(|trial| trial.position != plan.blocks[0].trials[0].position));
    // A second extension has an order of its own.
    let further = extend(&study, &extended, &Additions { repeats: 1, ..Additions::default() });
    assert_eq!((further[0].number, further[0].extension), (repeats + 3, 2));
}
