//! Rates that change within a trial, from the study file to the report.

use crate::support::{Server, Workplace};

/// A study whose rate rises in its fifth second, with this in place of the stages.
fn study(server: &Server, profile: &str, more: &str) -> String {
    format!(
        "[study]\nname = \"steps\"\nrepeats = 1\n\
         [[target]]\nname = \"db\"\nurl = \"{}\"\npassword_file = \"{}\"\n\
         [[test]]\nname = \"selects\"\nworkload = \"oltp_point_select\"\ntable_size = 1_000\n\
         clients = 8\nwarmup = \"1s\"\nload_profile = {profile}\n{more}",
        server.url(),
        server.password_file().display()
    )
}

#[test]
fn a_server_that_stands_still_serves_a_new_rate_late() {
    let place = Workplace::new();
    let server = Server::start();
    let pid = server.sandbox.pid();
    let profile = "[{ rate = 100, hold = \"4s\" }, { rate = 300, hold = \"12s\" }]";
    let stop = format!(
        "[[test.intervention]]\nat = \"4s\"\ntrusted = true\n\
         command = [\"sh\", \"-c\", \"kill -STOP {pid}; sleep 3; kill -CONT {pid}\"]\n"
    );
    place.write("study.toml", study(&server, profile, &stop));
    place.weighin(&["run", "study.toml"]).done();
    let record = place.store().dataset().unwrap().trials.remove(0);
    let load = record.load().unwrap();
    let open = load.open.as_ref().unwrap();
    assert_eq!((open.rate, open.course.len()), (250.0, 3), "with the warm-up");
    let [first, second] = load.stretches().try_into().unwrap();
    assert_eq!((first.offered, second.offered), (100.0, 300.0));
    assert_eq!((first.length.as_secs(), second.length.as_secs()), (4, 12));
    // How many arrive is a matter of chance: of 4,000 one standard deviation is 63.
    assert!(open.scheduled.abs_diff(4_000) < 320, "{}", open.scheduled);
    let after = second.served_after.map_or(12.0, |after| after.as_secs_f64());
    assert!(after >= 3.0, "{second:?}");

    let report = place.weighin(&["report", "study.toml", "--format", "json"]).json();
    let profile = report["tests"][0]["profile"].as_array().unwrap();
    assert_eq!(profile.len(), 2);
    assert_eq!(profile[1]["to_rate"], 300.0);
    let found = report["findings"].as_array().unwrap();
    let found = found.iter().find(|one| one["evidence"]["kind"] == "rate_not_served");
    let found = &found.expect("a finding")["evidence"];
    assert_eq!((&found["rate"], &found["before"]), (&300.0.into(), &100.0.into()));
    let text =
        place.weighin(&["report", "study.toml", "--format", "markdown", "--out", "-"]).done();
    assert!(text.contains("The load over time"), "{text}");

    // Each rate is answered by the stage that offered it.
    let asked = |rate: &str| {
        let all = ["advise", "study.toml", "--rate", rate, "--json"];
        place.weighin(&all).json()["tests"][0]["targets"][0]["parts"][0].clone()
    };
    let known = asked("300");
    let stage = &known["grounds"][0]["stage"];
    assert_eq!((&stage["rate"], &stage["from_seconds"]), (&300.0.into(), &4.0.into()), "{known}");
    let is_served = second.served_after.is_some();
    assert_eq!(known["answer"], if is_served { "yes_measured_once" } else { "no_measured_once" });
    assert_eq!(asked("100")["grounds"][0]["stage"]["from_seconds"], 0.0);
    assert_eq!(asked("250")["grounds"].as_array().unwrap().len(), 2, "no stage offered the mean");
    let said = place.weighin(&["advise", "study.toml", "--rate", "300"]).done();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("in the stage at 300/s, from 4 s on for 12 s"), "{said}");
}

#[test]
fn a_recorded_curve_is_a_file_and_what_is_wrong_with_it_is_said() {
    let place = Workplace::new();
    let server = Server::start();
    let text = study(&server, "\"curve.csv\"", "");
    place.write("study.toml", &text);
    for (curve, said) in [
        ("time,rate\n0,1\n", "its first line is not `seconds,rate`"),
        ("seconds,rate\n0,100\n0,200\n", "line 3: its time is not after that of the line before"),
        ("seconds,rate\n0,100\n1,x\n", "line 3: the rate is no number"),
        ("seconds,rate\n0,100\n", "it has no rate with an end"),
    ] {
        place.write("curve.csv", curve);
        place.weighin(&["run", "study.toml"]).refused(2, &[said]);
    }
    place.write("curve.csv", "\u{feff}seconds,rate\n0,50\n2,0\n4,150.5\n6,0\n");
    place.weighin(&["run", "study.toml"]).done();
    let record = place.store().dataset().unwrap().trials.remove(0);
    let stretches = record.load().unwrap().stretches();
    let offered: Vec<f64> = stretches.iter().map(|stretch| stretch.offered).collect();
    assert_eq!(offered, [50.0, 0.0, 150.5]);
    assert_eq!(record.key.level.rate, Some(67));

    place.write("study.toml", text.replace("clients = 8", "clients = 8\nrate = 100"));
    place.weighin(&["run", "study.toml"]).refused(2, &["cannot stand beside `load_profile`"]);
}

#[test]
fn a_load_by_hand_lasts_as_long_as_its_stages() {
    let place = Workplace::new();
    let server = Server::start();
    place.write("one.sql", "SELECT 1;\n");
    place.write("curve.csv", "seconds,rate\n0,50\n2,150\n4,0\n");
    for profile in ["[{ rate = 50, hold = \"2s\" }, { rate = 150, hold = \"2s\" }]", "curve.csv"] {
        let load = ["--script", "one.sql", "--clients", "4", "--load-profile", profile, "--json"];
        let json = server.weighin(&place, "load", &load).json();
        assert_eq!(json["clients"], 4);
        assert_eq!(json["open_loop"]["rate"], 100.0);
        // How many arrive is a matter of chance: of 400 one standard deviation is 20.
        let scheduled = json["open_loop"]["scheduled"].as_u64().unwrap();
        assert!(scheduled.abs_diff(400) < 120, "{scheduled}");
    }
    let load = ["--script", "one.sql", "--load-profile", "curve.csv", "--duration", "5s"];
    server.weighin(&place, "load", &load).refused(2, &["cannot stand beside --load-profile"]);
}
