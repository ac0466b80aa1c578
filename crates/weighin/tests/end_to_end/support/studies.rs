use model::TrialRecord;

/// A study of two private servers, `one` and `two`, at 1 and 2 clients, twice: 8 trials. `keys`
/// are further lines of its test.
pub fn sandbox_study(keys: &str) -> String {
    format!(
        r#"
[study]
name = "duel"
question = "Which is faster?"
repeats = 2
seed = 5

[[target]]
name = "one"
sandbox = {{ settings = {{ innodb_flush_log_at_trx_commit = 0 }} }}

[[target]]
name = "two"
sandbox = {{ settings = {{ innodb_flush_log_at_trx_commit = 2, sort_buffer_size = "1M" }} }}

[[test]]
name = "oltp"
workload = "oltp_read_write"
table_size = 1_000
clients = [1, 2]
{keys}
"#
    )
}

/// A study of one server that runs already; `keys` are further lines of its target.
pub fn server_study(url: &str, clients: u32, keys: &str) -> String {
    format!(
        r#"
[study]
name = "lone"
repeats = 2

[[target]]
name = "server"
url = "{url}"
{keys}

[[test]]
workload = "oltp_point_select"
table_size = 1_000
clients = {clients}
warmup = "100ms"
duration = "200ms"
"#
    )
}

/// [`sandbox_study`] at 50 and 100 transactions a second: a load as fast as it can be takes the processors
/// from all tests beside it.
pub fn restarting_study(keys: &str) -> String {
    sandbox_study(keys).replace("clients = [1, 2]", "rate = [50, 100]")
}

/// [`restarting_study`] on servers that stay up between trials, for tests of anything but what is
/// measured: starts of servers take processors too.
pub fn light_study(keys: &str) -> String {
    restarting_study(keys).replace("sandbox = {", "sandbox = { restart = false,")
}

/// That a load of point selects on 50,000 rows, some 700 pages, found none of them in memory: each
/// of its first hundreds reads most likely a page of its own. Held to the half of that, and to no
/// more than 1 MiB: how much a load gets done in its time is another matter.
pub fn assert_read_cold(trial: &TrialRecord) {
    let read = trial.sampling.account.server_read_bytes.unwrap();
    let transactions = trial.load().unwrap().measure.transactions;
    let half_of_pages = transactions * (16 << 10) / 2;
    assert!(read > half_of_pages.min(1 << 20), "{read} bytes for {transactions} transactions");
}
