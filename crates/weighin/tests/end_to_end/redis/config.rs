//! The configuration file of another Redis server.

use crate::support::Workplace;

#[test]
fn a_private_server_gets_the_settings_of_a_real_configuration_file() {
    let place = Workplace::new();
    std::fs::create_dir_all(place.path("prod")).unwrap();
    place.write(
        "prod/redis.conf",
        "# production\nport 6380\nbind 10.0.0.1\ndir /var/lib/redis\nrequirepass topsecretword\n\
         maxmemory 100mb\nmaxmemory-policy allkeys-lru\nsave 3600 1\nsave 300 100\ninclude more.conf\n",
    );
    place.write("prod/more.conf", "appendonly yes\nappendfsync everysec\n");
    place.write(
        "keys.toml",
        "[study]\nname = \"keys\"\nrepeats = 1\n[[target]]\nname = \"cache\"\nkind = \"redis\"\n\
         sandbox = { config = \"prod/redis.conf\", settings = { maxmemory = \"200mb\" } }\n\
         [[test]]\nworkload = \"key_value\"\nkeys = 1000\nclients = 2\nwarmup = \"0s\"\noperations = 2_000\n",
    );
    let checked = place.weighin(&["check", "keys.toml"]).done();
    assert!(checked.contains("prod/redis.conf") && checked.contains("requirepass"), "{checked}");
    assert!(!checked.contains("topsecretword"), "{checked}");
    let ran = place.weighin(&["run", "keys.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let dataset = place.store().dataset().unwrap();
    let variable = |name: &str| dataset.targets[0].server.variables[name].clone();
    assert_eq!(variable("maxmemory-policy"), "allkeys-lru");
    assert_eq!(variable("maxmemory"), (200 << 20).to_string(), "the study wins");
    assert_eq!(variable("save"), "3600 1 300 100");
    assert_eq!(variable("appendonly"), "yes");
    let report = place.files("weighin")[0].to_str().unwrap().to_owned();
    let report = place.weighin(&["report", &report, "--format", "markdown"]).done();
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "");
    assert!(report.contains("dir = /var/lib/redis was left out"), "{report}");
    assert!(!report.contains("topsecretword"));
    place.write("prod/redis.conf", "include /etc/redis/redis.conf\n");
    place.weighin(&["check", "keys.toml"]).refused(2, &["/etc/redis/redis.conf", "beside it"]);
}
