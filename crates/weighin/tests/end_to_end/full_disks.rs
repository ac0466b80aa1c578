//! Disks that are full, of weighin and of its servers. The tests mount small file systems for
//! weighin alone, which only root may do.

use crate::support::{Server, Workplace, sandbox_study, server_study, with_mounts};

/// A file system of that size at a new directory here.
fn small_disk(place: &Workplace, name: &str, size: &str) -> String {
    let path = place.path(name);
    std::fs::create_dir(&path).unwrap();
    format!("mount -t tmpfs -o mode=755,size={size} small {}", path.display())
}

#[test]
fn results_that_do_not_fit() {
    let place = Workplace::new();
    let server = Server::start();
    let keys = format!("password_file = {:?}", server.password_file());
    // More trials than fit, so that some do.
    let study = server_study(&server.url(), 1, &keys).replace("repeats = 2", "repeats = 100");
    place.write("lone.toml", study);
    let mount = small_disk(&place, "disk", "400k");
    let arguments = ["run", "lone.toml", "--store", "disk/full.weighin"];
    let keep = "cp disk/full.weighin* .";
    let Some(ran) = with_mounts(&place, &mount, &arguments, keep) else { return };
    ran.refused(3, &["no space left", "disk/full.weighin", "--resume"]);

    // What was kept can be read, and gone on with.
    let kept = place.store().completed().len();
    assert!(kept > 0, "{}", ran.err);
    assert!(ran.err.contains(&format!("{kept} completed trials are safe")), "{}", ran.err);
}

#[test]
fn results_for_which_there_is_no_room_at_all() {
    let place = Workplace::new();
    place.write("duel.toml", sandbox_study(""));
    let mount = small_disk(&place, "disk", "8k");
    let arguments = ["run", "duel.toml", "--store", "disk/full.weighin"];
    let Some(ran) = with_mounts(&place, &mount, &arguments, "") else { return };
    ran.refused(3, &["no space left", "disk/full.weighin", "make room there"]);
    assert!(!ran.err.contains("--resume"), "nothing is there to go on with: {}", ran.err);
    place.assert_no_server_left();
}

#[test]
fn a_private_servers_disk_that_is_full() {
    let place = Workplace::new();
    let directory = format!("sandbox = {{ directory = {:?},", place.path("disk"));
    let study = sandbox_study("").replace("sandbox = {", &directory);
    // Too small for a data directory at all, and too small for the tables.
    for (size, rows, words) in [
        ("10m", "1_000", ["target one", "free space there, or name a directory on another disk"]),
        (
            "400m",
            "4_000_000",
            ["the disk of private servers on this machine has", "name a larger disk"],
        ),
    ] {
        let _ = std::fs::remove_dir(place.path("disk"));
        let mount = small_disk(&place, "disk", size);
        place.write("large.toml", study.replace("1_000", rows));
        let Some(ran) = with_mounts(&place, &mount, &["run", "large.toml"], "") else { return };
        ran.refused(3, &words);
        assert!(place.files(".weighin").is_empty());
    }
    place.assert_no_server_left();
}

/// A study of one private server on the directory `disk`, with a binary log, which takes more than the
/// tables that weighin knows of.
fn logging_study(place: &Workplace, rows: u32, test: &str) -> String {
    format!(
        "[study]\nname = \"small\"\nrepeats = 1\n[[target]]\nname = \"one\"\n[target.sandbox]\n\
         directory = {:?}\n\
         settings = {{ log_bin = \"binlog\", innodb_log_file_size = \"8M\" }}\n\
         [[test]]\nworkload = \"oltp_insert\"\ntables = 1\ntable_size = {rows}\nclients = 2\n{test}\n",
        place.path("disk")
    )
}

#[test]
fn a_private_servers_disk_that_gets_full_in_a_trial_is_said_with_the_way_on() {
    let place = Workplace::new();
    let fill = format!("cat /dev/zero >{}/filler", place.path("disk").display());
    // A load that ended before the disk is full would have nothing to say.
    let test = format!(
        "warmup = \"100ms\"\nduration = \"20s\"\n[[test.intervention]]\nat = \"500ms\"\n\
         name = \"filler\"\ncommand = [\"sh\", \"-c\", {fill:?}]\ntrusted = true"
    );
    place.write("small.toml", logging_study(&place, 1_000, &test));
    let mount = small_disk(&place, "disk", "190m");
    let arguments = ["run", "small.toml", "--log", "run.log"];
    let Some(ran) = with_mounts(&place, &mount, &arguments, "") else { return };
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let said = ["FAILED", "the disk of its data is full: ", "--retry-failed", "larger disk"];
    let told = format!("{}{}", ran.out, ran.err).replace("\n   ", "");
    for words in said {
        assert!(told.contains(words), "no «{words}» in {told}");
    }
    // A server that waits for room is waited for; one that found none for a table has failed at once.
    let log = std::fs::read_to_string(place.path("run.log")).unwrap();
    let waited = ran.err.lines().filter(|line| line.starts_with("waiting for "));
    waited.for_each(|line| assert!(log.contains(&format!("Z {line}")), "no «{line}» in {log}"));
    place.assert_no_server_left();
}

#[test]
fn a_private_servers_disk_that_gets_full_while_its_tables_are_made_is_said() {
    let place = Workplace::new();
    // By weighin's reckoning they fit: 95 MiB.
    place.write("small.toml", logging_study(&place, 400_000, "duration = \"1s\""));
    let mount = small_disk(&place, "disk", "190m");
    let Some(ran) = with_mounts(&place, &mount, &["run", "small.toml"], "") else { return };
    ran.refused(
        3,
        &[
            "target one",
            "cannot fill the table sbtest1",
            "the disk of its data is full: ",
            "free space there",
        ],
    );
    place.assert_no_server_left();
}
