use super::*;

#[test]
fn figures_come_in_the_unit_of_their_metric() {
    assert_eq!(Metric::Elapsed.unit().factor_from("min"), Some(60.0));
    assert_eq!(Metric::LatencyP95.unit().factor_from("ms"), Some(1.0));
    assert_eq!(Metric::LatencyMean.unit().factor_from("us"), Some(1e-3));
    assert_eq!(Metric::LatencyMean.unit().factor_from(""), None, "a time needs a unit");
    assert_eq!(Metric::Throughput.unit().factor_from("ms"), None);
    for metric in Metric::ALL {
        assert_eq!(metric.unit().factor_from(metric.unit().text()), Some(1.0), "{metric:?}");
    }
}

#[test]
fn no_name_stands_for_two_metrics() {
    let names: Vec<&str> =
        Metric::ALL.iter().flat_map(|m| m.printed_names()).map(|known| known.name).collect();
    for (place, name) in names.iter().enumerate() {
        assert!(!names[place + 1..].contains(name), "{name}");
    }
    for metric in Metric::ALL {
        assert_eq!(Metric::from_name(&metric.name()), Some(*metric));
        assert_eq!(Metric::of_figure(metric.entry().id), Some(*metric));
    }
}

#[test]
fn names_in_json_and_csv_say_the_unit() {
    let names: Vec<String> = Metric::ALL.iter().map(|metric| metric.name()).collect();
    let expected = [
        "throughput",
        "elapsed_s",
        "elapsed_alone_s",
        "slowdown",
        "longest_blocked_ms",
        "unserved_s",
        "throughput_before",
        "throughput_during",
        "throughput_after",
        "throughput_kept",
        "latency_p99_before_ms",
        "latency_p99_during_ms",
        "latency_p99_after_ms",
        "downtime_s",
        "first_error_s",
        "first_accepted_s",
        "rate_back_s",
        "lost_writes",
        "unacknowledged_writes",
        "failed_writes",
        "latency_mean_ms",
        "latency_p50_ms",
        "latency_p95_ms",
        "latency_p99_ms",
        "rows_returned",
        "temporary_bytes",
        "data_growth_bytes",
        "catch_up_s",
        "lag_applied_s_per_s",
        "applied_per_s",
        "replica_cpu_percent",
        "backlog_transactions",
        "backlog_bytes",
        "backlog_time_s",
        "server_cpu_per_op_us",
        "server_system_cpu_per_op_us",
        "replicas_cpu_per_op_us",
        "host_cpu_per_op_us",
        "context_switches_per_op",
        "disk_reads_per_op",
        "disk_writes_per_op",
        "disk_read_per_op_bytes",
        "disk_written_per_op_bytes",
        "log_per_op_bytes",
        "cache_misses_per_op",
        "network_received_per_op_bytes",
        "network_sent_per_op_bytes",
        "round_trips_per_op",
        "path_cpu_per_op_us",
        "packets_received_per_op",
        "packets_sent_per_op",
        "server_memory_bytes",
        "space_per_row_bytes",
        "growth_per_million_writes_bytes",
        "write_amplification",
    ];
    assert_eq!(names, expected);
}
