//! Transactions of the user's own that other machines run: their scripts, the values that these pick from,
//! and figures by name that come together again.

use crate::load_hosts::{LOAD_HOSTS, LoadHost, assert_counted};
use crate::postgres;
use crate::ssh::command;
use crate::support::{Ran, Server, Workplace, not_tested};
use host::local::sandbox::Sandbox;
use host::{PrivateServer, ServerAct};
use model::Endpoint;

/// Picks from a file and from a query, and notes what was picked and by whom.
const VISIT: &str = "\\values customer customers.csv id\n\
     \\values shop = SELECT id FROM shops WHERE id > 5\n\
     SELECT city FROM shops WHERE id = :shop;\n\
     -- name: note\n\
     INSERT INTO visits (client, customer, shop) VALUES (:client_id, :customer, :shop);\n";
const LOOK: &str = "\\set shop random(1, :shops)\nSELECT city FROM shops WHERE id = :shop;\n";
const SCHEMA: &str = "CREATE TABLE shops (id INT PRIMARY KEY, city VARCHAR(30));\n\
     CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(30));\n\
     CREATE TABLE visits (client INT, customer INT, shop INT);\n";

/// Moves a server into a network of its own, which two machines reach; `None` where this user may not.
fn apart(place: &Workplace, sandbox: &mut Sandbox) -> Option<(Vec<LoadHost>, String)> {
    if let Err(failure) = sandbox.act(ServerAct::MoveApart) {
        not_tested(&failure.to_string());
        return None;
    }
    let Endpoint::Tcp { host, port } = sandbox.address().endpoint.clone() else {
        panic!("a server with a network listens on it")
    };
    let at = (host.as_str(), sandbox.pid());
    let load_hosts = LOAD_HOSTS.iter().enumerate();
    let load_hosts = load_hosts
        .map(|(number, load_host)| LoadHost::start(place, number, *load_host, at))
        .collect();
    Some((load_hosts, format!("{host}:{port}")))
}

fn run(place: &Workplace, scheme: &str, address: &str, password: &str) {
    // Every seventh number, so that few others would do.
    let ids = (1..=4_000).map(|number| format!("{},c\n", number * 7));
    place.write("customers.csv", format!("id,name\n{}", ids.collect::<String>()));
    place.write("visit.sql", VISIT);
    place.write("look.sql", LOOK);
    place.write("schema.sql", SCHEMA);
    let study = format!(
        r#"[study]
name = "elsewhere"
repeats = 1
[[load_host]]
name = "a"
ssh = "a"
[[load_host]]
name = "b"
ssh = "b"
[[target]]
name = "one"
url = "{scheme}://weighin@{address}/sbtest"
password_env = "SECRET"
[[test]]
workload = "transactions"
set = {{ shops = 20 }}
setup = "schema.sql"
load = [
    {{ table = "customers", file = "customers.csv" }},
    {{ table = "shops", rows = 20, columns = {{ id = "sequence", city = {{ text = [5, 20] }} }} }},
]
writes = true
clients = 5
rate = 400
warmup = "300ms"
duration = "5s"
[[test.transaction]]
script = "visit.sql"
weight = 3
[[test.transaction]]
script = "look.sql"
[[test.invariant]]
name = "customers are those of the file"
sql = "SELECT COUNT(*) FROM visits WHERE customer NOT IN (SELECT id FROM customers)"
gives = 0
[[test.invariant]]
name = "shops are those of the query"
sql = "SELECT COUNT(DISTINCT shop) FROM visits WHERE shop > 5"
gives = 15
[[test.invariant]]
name = "clients of all machines have numbers of their own"
sql = "SELECT COUNT(DISTINCT client) FROM visits WHERE client BETWEEN 0 AND 4"
gives = 5
"#
    );
    place.write("elsewhere.toml", study);
    let with = |arguments: &[&str]| {
        let mut command = command(place, arguments);
        command.env("SECRET", password);
        Ran::of(command)
    };
    with(&["check", "elsewhere.toml", "--allow-writes"]).done();
    with(&["run", "elsewhere.toml", "--allow-writes"]).done();
    let dataset = place.store().dataset().unwrap();
    let trial = &dataset.trials[0];
    let data = trial.outcome().unwrap().data.as_ref().unwrap();
    assert_eq!((data.checked, data.broken.len()), (3, 0), "{data:?}");
    let load = trial.load().unwrap();
    let mut machines: Vec<_> =
        load.generators.iter().map(|one| (one.host.as_deref().unwrap(), one.clients)).collect();
    machines.sort_unstable();
    assert_eq!(machines, [("a", 3), ("b", 2)]);
    assert_counted(trial);
    // What each machine kept by name is the whole, once.
    let all: u64 = load.by_transaction.iter().map(|one| one.ok).sum();
    assert_eq!(all, load.measure.transactions);
    let statements: u64 = load.by_statement.iter().map(|one| one.ok).sum();
    assert_eq!(statements, load.measure.queries);
    let of = |name: &str| load.by_statement.iter().find(|one| one.name == name).unwrap();
    let visits = load.by_transaction.iter().find(|one| one.name == "visit").unwrap();
    assert!(visits.ok > 300, "{visits:?}");
    // At either end of the window a transaction of each client may be in it in part.
    for (name, expected) in [("note", visits.ok), ("SELECT shops", all)] {
        let one = of(name);
        assert!(one.ok.abs_diff(expected) <= 5, "{expected} {one:?}");
        assert_eq!(one.rows, one.ok, "{name}");
        assert!(one.latencies.count() >= one.ok, "{one:?}");
    }
}

#[test]
fn scripts_and_their_values_reach_the_machines_that_load_mariadb() {
    let (place, mut server) = (Workplace::new(), Server::start());
    let password = server.password().to_owned();
    let Some((_makers, address)) = apart(&place, &mut server.sandbox) else { return };
    run(&place, "mysql", &address, &password);
}

#[test]
fn scripts_and_their_values_reach_the_machines_that_load_postgresql() {
    // What the server does by itself is counted too.
    let (place, mut server) = (Workplace::new(), postgres::Server::start(&[("autovacuum", "off")]));
    let password = server.sandbox.password().reveal().to_owned();
    let Some((_makers, address)) = apart(&place, &mut server.sandbox) else { return };
    run(&place, "postgresql", &address, &password);
}
