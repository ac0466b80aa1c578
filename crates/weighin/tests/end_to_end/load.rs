//! One load by hand: what it reports is what the server saw.

use crate::support::{COUNTERS, Server, Workplace, number, whole};
use serde_json::Value;

const TABLES: [&str; 4] = ["--tables", "2", "--table-size", "2000"];

/// Every field that programs may rely on.
const FIELDS: [&str; 16] = [
    "/transactions",
    "/queries",
    "/errors",
    "/elapsed_seconds",
    "/transactions_per_second",
    "/queries_per_second",
    "/latency_ms/min",
    "/latency_ms/mean",
    "/latency_ms/p50",
    "/latency_ms/p95",
    "/latency_ms/p99",
    "/latency_ms/p999",
    "/latency_ms/max",
    "/client_cpu_seconds",
    "/peak_rss_bytes",
    "/operations/ok",
];

fn prepared(place: &Workplace) -> Server {
    let server = Server::start();
    server.weighin(place, "prepare", &TABLES).done();
    server
}

/// Runs a workload over TCP and the socket, with one client and several, and compares what
/// weighin says with what the server's counters did meanwhile.
fn agrees_with_the_server(workload: &str) {
    let place = Workplace::new();
    let server = prepared(&place);
    for url in [server.url(), server.socket_url()] {
        for clients in ["1", "16"] {
            let mut arguments = vec!["--workload", workload, "--clients", clients, "--json"];
            arguments.extend(["--warmup", "200ms", "--duration", "2s"]);
            arguments.extend(TABLES);
            let before = server.counters();
            let json = server.weighin_at(&place, "load", &url, &arguments).json();
            let after = server.counters();
            for name in COUNTERS {
                let kind = name.strip_prefix("Com_").unwrap();
                let said = whole(&json, &format!("/requests/{kind}/weighin"));
                assert_eq!(after[name] - before[name], said, "{name}, {clients} clients, {url}");
                assert_eq!(whole(&json, &format!("/requests/{kind}/server")), said, "{name}");
            }
            makes_sense(&json, clients.parse().unwrap());
        }
    }
}

fn makes_sense(json: &Value, clients: u64) {
    for field in FIELDS {
        assert!(number(json, field) >= 0.0, "{field}");
    }
    assert_eq!(whole(json, "/clients"), clients);
    let (transactions, queries) = (number(json, "/transactions"), number(json, "/queries"));
    assert!(transactions > 0.0 && queries >= transactions, "{json:#}");
    let seconds = number(json, "/elapsed_seconds");
    assert!(seconds >= 2.0, "{json:#}");
    let rate = number(json, "/transactions_per_second");
    assert!((rate * seconds - transactions).abs() < 0.01 * transactions, "{json:#}");
    let latencies = FIELDS[6..13].iter().filter(|field| !field.ends_with("mean"));
    let latencies: Vec<f64> = latencies.map(|field| number(json, field)).collect();
    assert!(latencies.is_sorted() && latencies[0] > 0.0, "{latencies:?}");
    let operations = ["ok", "failed", "timed_out", "dropped"]
        .map(|end| whole(json, &format!("/operations/{end}")));
    assert_eq!(whole(json, "/operations/scheduled"), operations.iter().sum::<u64>());
    let (warm, counted) = (whole(json, "/warmup/transactions"), whole(json, "/transactions"));
    assert_eq!(whole(json, "/operations/ok"), warm + counted, "warm-up is counted apart");
    assert!(number(json, "/warmup/elapsed_seconds") >= 0.2, "{json:#}");
}

#[test]
fn oltp_read_write_agrees_with_the_server() {
    agrees_with_the_server("oltp_read_write");
}

#[test]
fn oltp_read_only_agrees_with_the_server() {
    agrees_with_the_server("oltp_read_only");
}

#[test]
fn oltp_write_only_agrees_with_the_server() {
    agrees_with_the_server("oltp_write_only");
}

#[test]
fn oltp_point_select_agrees_with_the_server() {
    agrees_with_the_server("oltp_point_select");
}

#[test]
fn a_number_of_events_is_kept_exactly() {
    let place = Workplace::new();
    let server = prepared(&place);
    for (events, clients) in [("1", "1"), ("3", "8"), ("500", "8")] {
        let mut arguments =
            vec!["--workload", "oltp_read_only", "--transactions", events, "--json"];
        arguments.extend(["--clients", clients]);
        arguments.extend(TABLES);
        let before = server.counters();
        let json = server.weighin(&place, "load", &arguments).json();
        let events: u64 = events.parse().unwrap();
        assert_eq!(whole(&json, "/transactions"), events);
        // BEGIN, 10 point selects, 4 range selects, COMMIT.
        assert_eq!(whole(&json, "/queries"), 16 * events);
        let after = server.counters();
        assert_eq!(after["Com_commit"] - before["Com_commit"], events);
        assert_eq!(after["Com_select"] - before["Com_select"], 14 * events);
    }
}

#[test]
fn one_seed_makes_one_stream_of_statements() {
    let place = Workplace::new();
    let server = Server::start();
    let checksum = |seed: &str, distribution: &str| {
        server.weighin(&place, "cleanup", &[]).done();
        let tables = ["--table-size", "500", "--distribution", distribution];
        server.weighin(&place, "prepare", &tables).done();
        let mut arguments = vec!["--workload", "oltp_write_only", "--transactions", "60", "--json"];
        arguments.extend(["--seed", seed]);
        arguments.extend(tables);
        let json = server.weighin(&place, "load", &arguments).json();
        assert_eq!(whole(&json, "/transactions"), 60);
        server.query("CHECKSUM TABLE sbtest1")
    };
    for distribution in ["uniform", "gaussian", "special", "pareto", "zipfian"] {
        let first = checksum("11", distribution);
        assert_eq!(first, checksum("11", distribution), "{distribution}");
        assert_ne!(first, checksum("12", distribution), "{distribution}");
    }
}

#[test]
fn people_get_a_summary_that_says_whether_the_server_agrees() {
    let place = Workplace::new();
    let server = prepared(&place);
    let mut arguments = vec!["--workload", "oltp_point_select", "--transactions", "1000"];
    arguments.extend(TABLES);
    let text = server.weighin(&place, "load", &arguments).done();
    for words in ["transactions", "1,000", "p95", "exactly 1,000 statements"] {
        assert!(text.contains(words), "no «{words}» in {text}");
    }
}

#[test]
fn statements_and_percentiles_are_there_when_asked_for() {
    let place = Workplace::new();
    let server = prepared(&place);
    for url in [server.url(), server.socket_url()] {
        let mut arguments = vec!["--workload", "oltp_read_write", "--transactions", "40", "--json"];
        arguments.extend(TABLES);
        let json = server.weighin_at(&place, "load", &url, &arguments).json();
        assert_eq!(json["statement_latencies"], serde_json::json!([]), "not asked for");
        arguments.extend(["--statements", "--percentiles", "90,99.99"]);
        let json = server.weighin_at(&place, "load", &url, &arguments).json();
        let count = |name: &str| {
            let all = json["statement_latencies"].as_array().unwrap();
            whole(all.iter().find(|one| one["statement"] == name).unwrap(), "/count")
        };
        let kinds = ["begin", "point_select", "distinct_range", "index_update", "delete", "commit"];
        assert_eq!(kinds.map(count), [40, 400, 40, 40, 40, 40]);
        assert_eq!(number(&json, "/latency_ms/percentiles/1/percentile"), 99.99);
        // One client: its transactions take as long as their statements and what lies between, which
        // is most of it where other processes have the processors, and may be all of one transaction.
        let together = |figure: &str| -> f64 {
            let all = json["statement_latencies"].as_array().unwrap().iter();
            all.map(|one| number(one, "/count") * number(one, figure)).sum()
        };
        let transactions = 40.0 * number(&json, "/latency_ms/mean");
        assert!(together("/latency_ms/mean") < 1.001 * transactions, "{json:#}");
        let usual = 40.0 * number(&json, "/latency_ms/p50");
        assert!(together("/latency_ms/p50") > 0.05 * usual, "{json:#}");
    }
}
