//! States of a server in which it takes no writes, whoever asks.

use super::Server;
use model::{Failure, FailureKind, Needs};
use system::DataPlan;
use system::Diagnostics;

pub(super) fn check(server: &Server<'_>, needs: &Needs, plan: &DataPlan, found: &mut Diagnostics) {
    let refuse =
        |message: String, remedy: &str| Failure::new(FailureKind::NotPermitted, message, remedy);
    let endpoint = server.control.endpoint();
    let writes = needs.writes() || plan.to_make() > 0;
    // Where the server as a whole is read-only it has said so already.
    if writes && server.is_on("innodb_read_only") && !server.is_on("read_only") {
        found.error(refuse(
            format!("InnoDB takes no writes at {endpoint} (innodb_read_only)"),
            "name the server that takes writes, in a cluster of Aurora the writer's endpoint",
        ));
    }
    let recovery = server.number("innodb_force_recovery").unwrap_or(0);
    if recovery > 0 {
        found.error(refuse(
            format!("the server at {endpoint} runs with innodb_force_recovery = {recovery}"),
            "repair the server and start it without: it is for rescuing data",
        ));
    }
    if server.is_on("wsrep_on") && server.text("wsrep_provider") != "none" {
        found.warn(
            "the server is a node of a Galera cluster: every write waits for the other nodes, \
             which take part in what is measured",
            "name a server of its own, unless the study is about the cluster",
        );
    }
}
