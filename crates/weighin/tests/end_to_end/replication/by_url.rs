//! Groups that run already.

use crate::support::{Server, Workplace, wait_for};
use host::GroupMember;

/// A primary and a replica that weighin knows only by their URLs. Both know an account by the name of
/// `bench`.
pub struct Pair {
    pub primary: Server,
    pub replica: Server,
}

impl Pair {
    /// Of MariaDB, by global transaction ids.
    pub fn start() -> Self {
        let member = |number| Some(GroupMember { number, semi_sync: false });
        let servers = [Server::start_as(&[], member(1)), Server::start_as(&[], member(2))];
        Self::replicating(servers, |_| "MASTER_USE_GTID = slave_pos".to_owned())
    }

    /// Of two servers that can be in a group; says where in the log of the first the second begins.
    pub fn replicating([primary, replica]: [Server; 2], from: impl Fn(&Server) -> String) -> Self {
        for server in [&primary, &replica] {
            let mut connection = server.connect();
            for sql in [
                "SET SESSION sql_log_bin = 0",
                "CREATE USER bench@'127.0.0.1' IDENTIFIED BY 'secret'",
                "GRANT ALL ON *.* TO bench@'127.0.0.1'",
            ] {
                connection.execute(sql).unwrap();
            }
        }
        let port = primary.sandbox.port();
        replica.execute(&format!(
            "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {port}, \
             MASTER_USER = 'bench', MASTER_PASSWORD = 'secret', {}",
            from(&primary)
        ));
        replica.execute("START SLAVE");
        Self { primary, replica }
    }

    fn study(&self, place: &Workplace, test: &str) -> String {
        self.study_with(place, 1, "", test)
    }

    /// With further lines of its target.
    pub fn study_with(
        &self,
        place: &Workplace,
        repeats: usize,
        target: &str,
        test: &str,
    ) -> String {
        let password = place.path(place.write("pw", "secret\n"));
        format!(
            "[study]\nname = \"pair\"\nrepeats = {repeats}\n[[target]]\nname = \"pair\"\n\
             url = \"{}\"\nreplicas = [\"{}\"]\npassword_file = \"{}\"\n{target}[[test]]\n{test}\n",
            self.primary.url_of("bench", "sbtest"),
            self.replica.url_of("bench", "sbtest"),
            password.display(),
        )
    }
}

const LOAD: &str = "workload = \"oltp_write_only\"\ntable_size = 100\nclients = 1\n\
                    warmup = \"50ms\"\nduration = \"200ms\"";

#[test]
fn a_group_that_runs_already_is_used_as_it_is_and_a_broken_one_refused() {
    let pair = Pair::start();
    let place = Workplace::new();
    place.write("pair.toml", pair.study(&place, LOAD));
    place.weighin(&["run", "pair.toml", "--store", "kept.weighin"]).done();
    assert_eq!(pair.replica.query("SELECT COUNT(*) FROM sbtest1"), ["100"]);

    // A row that is there already stops the applier.
    pair.replica.execute("INSERT INTO sbtest1 VALUES (100000, 1, 'c', 'pad')");
    pair.primary.execute("INSERT INTO sbtest1 VALUES (100000, 1, 'c', 'pad')");
    wait_for("the applier to stop", || {
        pair.replica.query("SHOW ALL SLAVES STATUS").join("").contains("Duplicate entry")
    });
    let broken = place.weighin(&["run", "pair.toml"]);
    broken.refused(3, &["replication to pair, replica 1 is broken", "Duplicate entry"]);

    pair.replica.execute("STOP SLAVE");
    pair.replica.execute("RESET SLAVE ALL");
    let alone = place.weighin(&["run", "pair.toml"]);
    alone.refused(3, &["pair, replica 1 replicates from no server", "`replicas`"]);
}
