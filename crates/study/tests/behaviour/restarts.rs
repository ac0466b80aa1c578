//! Servers that weighin may restart: `restart`.

use model::{RestartSpec, RestartWay, Study};
use std::time::Duration;

fn study(target: &str) -> Result<Study, String> {
    let text = format!(
        "[study]\nname = \"cold\"\n[[target]]\nname = \"one\"\n{target}\n\
         [[test]]\nworkload = \"oltp_point_select\"\nclients = 1\n"
    );
    study::parse(&text, "cold.toml").map_err(|error| error.to_string())
}

const FAR: &str = "url = \"mysql://u@db/sbtest\"\nssh = \"root@db\"\n";

#[test]
fn a_restart_is_a_unit_or_two_commands() {
    let read = study(&format!("{FAR}restart = {{ unit = \"mariadb@1.service\" }}")).unwrap();
    let unit = RestartWay::Unit("mariadb@1.service".into());
    let expected = RestartSpec { way: unit, time_limit: Duration::from_secs(300), trusted: false };
    assert_eq!(read.targets[0].restart(), Some(&expected));
    let words = expected.way.stop();
    assert_eq!(words.first().map(String::as_str), Some("systemctl"));
    assert_eq!(words.last().map(String::as_str), Some("mariadb@1.service"));
    assert_ne!(expected.way.start(), words);

    let commands = "restart = { stop = [\"a\", \"b\"], start = [\"c\"], time_limit = \"20m\", trusted = true }";
    let read = study(&format!("{FAR}{commands}")).unwrap();
    let restart = read.targets[0].restart().unwrap();
    assert_eq!(
        (restart.way.stop(), restart.way.start()),
        (vec!["a".into(), "b".into()], vec!["c".into()])
    );
    assert_eq!(restart.time_limit, Duration::from_secs(1200));
    for here in ["mysql://u@localhost/d", "mysql://u@127.0.0.1/d", "mysql://u@/d?socket=/run/s"] {
        study(&format!("url = \"{here}\"\n{commands}")).unwrap();
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_round_it() {
    let unit = "restart = { unit = \"mariadb\" }";
    for (target, words) in [
        (format!("sandbox = {{}}\n{unit}"), "`restart` belongs to a url"),
        (format!("{FAR}replicas = [\"mysql://u@db2/sbtest\"]\n{unit}"), "is not restarted"),
        (format!("{FAR}restart = {{}}"), "either a `unit` or the commands"),
        (format!("{FAR}restart = {{ stop = [\"a\"] }}"), "either a `unit` or the commands"),
        (
            format!("{FAR}restart = {{ unit = \"a\", stop = [\"a\"], start = [\"b\"] }}"),
            "either a `unit` or the commands",
        ),
        (
            format!("{FAR}restart = {{ stop = [\"a\"], start = [\"b\"] }}"),
            "this `stop` would run on the server's machine",
        ),
        (format!("{FAR}restart = {{ unit = \"--now\" }}"), "must be the name of a unit"),
        (format!("{FAR}restart = {{ unit = \"a b\" }}"), "must be the name of a unit"),
        (format!("{FAR}restart = {{ unit = \"a\", time_limit = \"0s\" }}"), "`time_limit`"),
    ] {
        let said = study(&target).unwrap_err();
        assert!(said.contains(words) && said.contains("cold.toml:"), "no «{words}» in:\n{said}");
    }
}
