//! Accounts that may not do all that a study needs.

use super::{Redis, study_of};
use crate::support::{Ran, Workplace};
use redis::protocol::Value;

/// A study of one server that runs already, by that user.
fn study(server: &Redis, user: &str, keys: &str) -> String {
    let target = format!("url = \"{}\"", server.url().replace("//", &format!("//{user}@")));
    let test = format!(
        "keys = 100\nvalue_size = 10\nclients = 2\n{keys}\n\
                        warmup = \"0s\"\nduration = \"300ms\""
    );
    study_of(&[("cache", &target)], &test)
}

fn run(place: &Workplace, command: &str) -> Ran {
    let mut run = place.command(&[command, "s.toml"]);
    // Whoever needs no password may give any.
    run.env("REDISCLI_AUTH", "any");
    Ran::of(run)
}

#[test]
fn what_an_account_may_not_do_is_said_before_a_run() {
    let place = Workplace::new();
    let server = Redis::start(&[("save", "")]);
    let may = |user: &str, rights: &[&str]| {
        let words = ["ACL", "SETUSER", user, "reset", "on", "nopass", "+@connection", "+info"];
        server.command(&[&words, rights].concat());
    };
    may("all", &["~weighin*", "+@read", "+@write", "+config|get"]);
    may("reader", &["~*", "+@read"]);
    may("others", &["~app:*", "+@read", "+@write"]);
    may("setter", &["~*", "+@read", "+set", "+unlink"]);
    may("keeper", &["~*", "+@read", "+set", "+hset"]);
    let refused = |user: &str, command: &str| {
        place.write("s.toml", study(&server, user, "ratio = \"1:1\""));
        let checked = run(&place, "check");
        assert_eq!(checked.code, Some(3), "{user}: {}", checked.out);
        for word in ["error    cache: ", "NOPERM", command, "ACL SETUSER"] {
            assert!(checked.out.contains(word), "no «{word}» for {user} in {}", checked.out);
        }
        assert_eq!(server.command(&["DBSIZE"]), Value::Integer(0), "{user} left something");
        run(&place, "run").refused(3, &["NOPERM"]);
    };
    refused("reader", "'set'");
    refused("others", "key");
    refused("setter", "'hset'");
    // All that is missing is said at once, as the command that adds it.
    place.write("s.toml", study(&server, "reader", "ratio = \"1:1\""));
    let checked = run(&place, "check").out;
    let words = ["the account reader lacks SET, HSET", "ACL SETUSER reader +set +hset"];
    assert!(words.iter().all(|word| checked.contains(word)), "{checked}");
    server.command(&["ACL", "SETUSER", "reader", "+set", "+hset"]);
    run(&place, "check").done();
    may("reader", &["~*", "+@read"]);
    place.write("s.toml", study(&server, "others", "ratio = \"1:1\""));
    let checked = run(&place, "check").out;
    assert!(checked.contains("ACL SETUSER others ~weighin*"), "{checked}");
    server.command(&["ACL", "SETUSER", "others", "~weighin*"]);
    run(&place, "check").done();
    for user in ["all", "keeper"] {
        place.write("s.toml", study(&server, user, "ratio = \"1:1\""));
        let checked = run(&place, "check").done();
        assert!(checked.contains("100 keys will be made"), "{checked}");
        assert_eq!(server.command(&["DBSIZE"]), Value::Integer(0));
    }

    // What a larger test leaves has to be removed for a smaller one.
    let fewer = "[[test]]\nname = \"fewer\"\nworkload = \"key_value\"\nkeys = 10\nclients = 1";
    let both = study(&server, "keeper", "ratio = \"1:1\"") + fewer;
    place.write("s.toml", &both);
    let checked = run(&place, "check");
    assert!(checked.out.contains("NOPERM") && checked.out.contains("'unlink'"), "{}", checked.out);
    run(&place, "run").refused(3, &["NOPERM", "'unlink'"]);
    place.write("s.toml", both.replace("keeper@", "all@"));
    run(&place, "check").done();
    assert_eq!(server.command(&["DBSIZE"]), Value::Integer(0));

    // Keys that are there can be read by one who may not write.
    server.weighin(&place, "prepare", &["--keys=100", "--value-size=10"]).done();
    place.write("s.toml", study(&server, "reader", "ratio = \"0:1\""));
    let checked = run(&place, "check").done();
    assert!(checked.contains("all keys are there"), "{checked}");
    run(&place, "run").done();
    place.write("s.toml", study(&server, "reader", "ratio = \"1:1\"\npreload = false"));
    let checked = run(&place, "check");
    assert!(checked.out.contains("'set'"), "{}", checked.out);
    run(&place, "run").refused(3, &["cannot run the load", "'set'"]);

    // That the mark may be changed is found out without writing it, which others would notice.
    let changes = || {
        let Value::Bytes(report) = server.command(&["INFO", "persistence"]) else { panic!() };
        let report = String::from_utf8(report).unwrap();
        let line = report.lines().find(|line| line.starts_with("rdb_changes_since_last_save:"));
        line.expect("the server counts changes").to_owned()
    };
    let before = changes();
    place.write("s.toml", study(&server, "all", "ratio = \"1:1\"").replace("= 100\n", "= 200\n"));
    run(&place, "check").done();
    assert_eq!(changes(), before, "a check changed something");
}
