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
