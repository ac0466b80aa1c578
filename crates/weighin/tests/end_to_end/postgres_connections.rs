//! What libpq takes from URLs, variables and files of services and passwords, weighin takes too, and lets
//! itself be refused by the same servers.

use crate::postgres::Server;
use crate::support::{Ran, Workplace, certificates, wait_for};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::process::Command;

/// Who is let in encrypted alone, in the clear alone, and either way.
const HBA: &str = "\
local all all scram-sha-256
host all weighin 127.0.0.1/32 scram-sha-256
hostssl all tls 127.0.0.1/32 scram-sha-256
hostnossl all clear 127.0.0.1/32 scram-sha-256
host all either 127.0.0.1/32 scram-sha-256
hostnossl all cleartext 127.0.0.1/32 password
hostssl all cleartext 127.0.0.1/32 password
hostssl all hashed 127.0.0.1/32 md5
host all trusted 127.0.0.1/32 trust
";

/// The password of all.
const PASSWORD: &str = "it's a \\ se:cret";

/// One connection: a URL and variables, and whether a server lets it in.
struct Setting<'a> {
    url: &'a str,
    variables: &'a [(&'a str, &'a str)],
    is_let_in: bool,
}

const fn yes<'a>(url: &'a str, variables: &'a [(&'a str, &'a str)]) -> Setting<'a> {
    Setting { url, variables, is_let_in: true }
}

const fn no<'a>(url: &'a str, variables: &'a [(&'a str, &'a str)]) -> Setting<'a> {
    Setting { url, variables, is_let_in: false }
}

const KNOWN: (&str, &str) = ("PGPASSWORD", PASSWORD);
const FILE: (&str, &str) = ("PGPASSFILE", "{home}/passwords");
const SERVICES: (&str, &str) = ("PGSERVICEFILE", "{home}/services");

/// `{port}` is the server's, `{ca}` the authority that signed its certificate for `localhost`, `{other}` an
/// authority that did not, `{home}` the directory of the files.
const SETTINGS: &[Setting<'_>] = &[
    yes("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=require", &[KNOWN]),
    no("postgresql://clear@127.0.0.1:{port}/sbtest?sslmode=require", &[KNOWN]),
    no("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=require", &[("PGPASSWORD", "other")]),
    no("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=disable", &[KNOWN]),
    yes("postgresql://clear@127.0.0.1:{port}/sbtest?sslmode=disable", &[KNOWN]),
    yes("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=allow", &[KNOWN]),
    yes("postgresql://clear@127.0.0.1:{port}/sbtest?sslmode=allow", &[KNOWN]),
    yes("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=prefer", &[KNOWN]),
    yes("postgresql://clear@127.0.0.1:{port}/sbtest?sslmode=prefer", &[KNOWN]),
    no("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=prefer", &[("PGPASSWORD", "other")]),
    // An authority that is named is asked, whatever the word.
    no("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=prefer&sslrootcert={other}", &[KNOWN]),
    yes("postgresql://either@127.0.0.1:{port}/sbtest?sslmode=prefer&sslrootcert={other}", &[KNOWN]),
    no("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=require&sslrootcert={other}", &[KNOWN]),
    yes("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=require&sslrootcert={ca}", &[KNOWN]),
    // The certificate is for another name.
    yes("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=verify-ca&sslrootcert={ca}", &[KNOWN]),
    no("postgresql://tls@127.0.0.1:{port}/sbtest?sslmode=verify-full&sslrootcert={ca}", &[KNOWN]),
    yes("postgresql://tls@localhost:{port}/sbtest?sslmode=verify-full&sslrootcert={ca}", &[KNOWN]),
    no(
        "postgresql://tls@localhost:{port}/sbtest?sslmode=verify-full&sslrootcert={other}",
        &[KNOWN],
    ),
    no("postgresql://tls@localhost:{port}/sbtest?sslmode=verify-ca", &[KNOWN]),
    no(
        "postgresql://tls@localhost:{port}/sbtest?sslmode=verify-ca&sslrootcert={home}/none",
        &[KNOWN],
    ),
    no("postgresql://tls@localhost:{port}/sbtest?sslmode=on", &[KNOWN]),
    // Variables say what the URL does not.
    yes("postgresql://tls@127.0.0.1:{port}/sbtest", &[KNOWN, ("PGSSLMODE", "require")]),
    no("postgresql://clear@127.0.0.1:{port}/sbtest", &[KNOWN, ("PGSSLMODE", "require")]),
    yes(
        "postgresql://clear@127.0.0.1:{port}/sbtest?sslmode=disable",
        &[KNOWN, ("PGSSLMODE", "require")],
    ),
    no(
        "postgresql://tls@localhost:{port}/sbtest",
        &[KNOWN, ("PGSSLMODE", "verify-full"), ("PGSSLROOTCERT", "{other}")],
    ),
    yes(
        "postgresql://tls@localhost:{port}/sbtest",
        &[KNOWN, ("PGSSLMODE", "verify-full"), ("PGSSLROOTCERT", "{ca}")],
    ),
    yes(
        "postgresql://clear@127.0.0.1:{port}/sbtest",
        &[KNOWN, ("PGSSLMODE", "disable"), ("PGSSLROOTCERT", "{ca}")],
    ),
    no("postgresql://clear@127.0.0.1:{port}/sbtest", &[KNOWN, ("PGSSLMODE", "on")]),
    yes(
        "postgresql:///sbtest",
        &[KNOWN, ("PGHOST", "127.0.0.1"), ("PGPORT", "{port}"), ("PGUSER", "either")],
    ),
    yes("postgresql://either@127.0.0.1", &[KNOWN, ("PGPORT", "{port}"), ("PGDATABASE", "sbtest")]),
    yes("postgresql://either@/sbtest", &[KNOWN, ("PGHOSTADDR", "127.0.0.1"), ("PGPORT", "{port}")]),
    yes("postgresql:///sbtest?host=127.0.0.1&port={port}&user=either", &[KNOWN]),
    yes("postgresql://either@127.0.0.1/sbtest?port={port}", &[KNOWN, ("PGHOST", "192.0.2.1")]),
    // A database of the user's name.
    yes("postgresql://either@127.0.0.1:{port}", &[KNOWN]),
    no("postgresql://tls@127.0.0.1:{port}/?sslmode=require", &[KNOWN]),
    yes("postgresql:///sbtest?host={home}&port={port}&user=either&sslmode=require", &[KNOWN]),
    // Passwords in a file, by host, port, database and user; what others may read is not used.
    yes("postgresql://either@127.0.0.1:{port}/sbtest", &[FILE]),
    no("postgresql://clear@127.0.0.1:{port}/sbtest", &[FILE]),
    no("postgresql://either@localhost:{port}/sbtest", &[FILE]),
    no("postgresql://either@127.0.0.1:{port}/sbtest", &[("PGPASSFILE", "{home}/exposed")]),
    no("postgresql://either@127.0.0.1:{port}/sbtest", &[("PGPASSFILE", "{home}/none")]),
    // Services.
    yes("postgresql:///?service=whole", &[SERVICES]),
    yes("postgresql://", &[SERVICES, ("PGSERVICE", "whole")]),
    yes(
        "postgresql:///?service=whole",
        &[SERVICES, ("PGHOST", "192.0.2.1"), ("PGPORT", "1"), ("PGUSER", "x")],
    ),
    yes("postgresql:///?service=whole", &[("PGSYSCONFDIR", "{home}/system")]),
    no("postgresql:///?service=whole", &[("PGSYSCONFDIR", "{home}")]),
    no("postgresql:///?service=absent", &[SERVICES]),
    no("postgresql:///?service=whole", &[("PGSERVICEFILE", "{home}/none")]),
    no("postgresql:///?service=encrypted", &[SERVICES]),
    yes("postgresql:///?service=encrypted", &[SERVICES, KNOWN]),
    yes("postgresql://either@/?service=encrypted", &[SERVICES, FILE]),
    no("postgresql://clear@/?service=encrypted", &[SERVICES, KNOWN]),
    yes("postgresql://clear@/?service=encrypted&sslmode=disable", &[SERVICES, KNOWN]),
    no("postgresql:///?service=nested", &[SERVICES]),
    no("postgresql:///?service=broken", &[SERVICES]),
];

const SERVICE_FILE: &str = "\
# services of the tests
[other]
host=192.0.2.1

[whole]
host=127.0.0.1
port={port}
port=1
user=either
dbname=sbtest
password={password}

[encrypted]
host=127.0.0.1
port={port}
user=tls
dbname=sbtest
sslmode=require
connect_timeout=20

[strict]
host=127.0.0.1
port={port}
user=either
dbname=sbtest
require_auth=md5
[nested]
service=whole
[broken]
host = 127.0.0.1
";

/// A server with these accounts and a certificate, and files for its clients.
struct Scene {
    server: Server,
    place: Workplace,
    certificates: tempfile::TempDir,
    others: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let (server, place) = (Server::start(&[]), Workplace::new());
        let (own, others) = (certificates(), certificates());
        let quoted = PASSWORD.replace('\'', "''");
        for user in ["tls", "clear", "either", "cleartext", "trusted"] {
            server.ask(&format!("CREATE ROLE {user} LOGIN PASSWORD '{quoted}'"));
        }
        server.ask(&format!(
            "SET password_encryption = 'md5'; CREATE ROLE hashed LOGIN PASSWORD '{quoted}'"
        ));
        server.ask("CREATE DATABASE either");
        let data = std::path::PathBuf::from(server.ask("SHOW data_directory"));
        std::fs::write(server.ask("SHOW hba_file"), HBA).unwrap();
        let owner = std::fs::metadata(&data).unwrap();
        for file in ["server.pem", "server.key"] {
            let copy = data.join(file);
            std::fs::copy(own.path().join(file), &copy).unwrap();
            chown(&copy, Some(owner.uid()), Some(owner.gid())).unwrap();
            std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o600)).unwrap();
        }
        for (name, value) in
            [("ssl_cert_file", "server.pem"), ("ssl_key_file", "server.key"), ("ssl", "on")]
        {
            server.ask(&format!("ALTER SYSTEM SET {name} = '{value}'"));
        }
        server.ask("SELECT pg_reload_conf()");
        wait_for("encryption", || server.ask("SHOW ssl") == "on");
        let scene = Self { server, place, certificates: own, others };
        let escaped = PASSWORD.replace('\\', "\\\\").replace(':', "\\:");
        let line = format!("127.0.0.1:{}:*:either:{escaped}\n", scene.server.sandbox.port());
        scene.place.write("passwords", &line);
        scene.place.write("exposed", &line);
        let exposed = PermissionsExt::from_mode(0o644);
        std::fs::set_permissions(scene.place.path("exposed"), exposed).unwrap();
        let services = scene.filled(SERVICE_FILE).replace("{password}", PASSWORD);
        scene.place.write("services", &services);
        std::fs::create_dir(scene.place.path("system")).unwrap();
        scene.place.write("system/pg_service.conf", &services);
        scene.place.write("one.sql", "SELECT 1;\n");
        scene
    }

    fn filled(&self, text: &str) -> String {
        let path =
            |directory: &tempfile::TempDir| directory.path().join("ca.pem").display().to_string();
        // The socket's directory is that of the server's own.
        let socket = self.server.sandbox.socket().parent().unwrap().display().to_string();
        text.replace("host={home}", &format!("host={socket}"))
            .replace("{port}", &self.server.sandbox.port().to_string())
            .replace("{ca}", &path(&self.certificates))
            .replace("{other}", &path(&self.others))
            .replace("{home}", self.place.path("").display().to_string().trim_end_matches('/'))
    }

    /// Without what the tests themselves have been started with.
    fn surround(&self, mut command: Command, variables: &[(&str, &str)]) -> Command {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        command.env("PGPASSFILE", "/nonexistent");
        for (name, value) in variables {
            command.env(name, self.filled(value));
        }
        command
    }

    fn psql(&self, url: &str, variables: &[(&str, &str)]) -> Ran {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-w", "-c", "SELECT 1", &self.filled(url)]);
        Ran::of(self.surround(psql, variables))
    }

    fn weighin(&self, url: &str, variables: &[(&str, &str)]) -> Ran {
        let url = self.filled(url);
        let work = ["--script=one.sql", "--clients=1", "--transactions=3", "--warmup=0s"];
        let command = self.place.command(&[&["load", &url], &work[..]].concat());
        Ran::of(self.surround(command, variables))
    }
}

#[test]
fn every_setting_is_let_in_or_refused_as_psql_is() {
    let scene = Scene::new();
    let mut differ = Vec::new();
    for Setting { url, variables, is_let_in } in SETTINGS {
        let (theirs, ours) = (scene.psql(url, variables), scene.weighin(url, variables));
        if [theirs.code == Some(0), ours.code == Some(0)] != [*is_let_in; 2] {
            differ.push(format!("{url} {variables:?}\npsql: {theirs:?}\nweighin: {ours:?}"));
        }
        let said = ours.out + &ours.err;
        assert!(!said.contains(PASSWORD) && !said.contains("se:cret"), "{url}: {said}");
    }
    assert!(differ.is_empty(), "{} of {}:\n{}", differ.len(), SETTINGS.len(), differ.join("\n\n"));
}

/// The methods by which a server asks, as libpq 16 documents `require_auth`: psql of Debian does not know it
/// yet.
#[test]
fn a_server_may_ask_by_the_methods_that_are_required_alone() {
    let scene = Scene::new();
    // Who asks for what the server asks of them, and lists that allow it or not.
    let scram = ("either", "sslmode=disable", "asks for authentication by SCRAM-SHA-256");
    let md5 = ("hashed", "sslmode=verify-full&sslrootcert={ca}", "hashed with MD5");
    let cleartext = ("cleartext", "sslmode=verify-full&sslrootcert={ca}", "as it is");
    let trust = ("trusted", "sslmode=disable", "without asking");
    for ((user, query, asks), allowing, refusing) in [
        (scram, ["scram-sha-256", "md5,scram-sha-256", "!none"], ["md5", "!scram-sha-256", "none"]),
        (md5, ["md5", "password,md5", "!password"], ["scram-sha-256", "!md5,!password", "none"]),
        (
            cleartext,
            ["password", "none,password", "!md5"],
            ["scram-sha-256", "!password", "md5,none"],
        ),
        (
            trust,
            ["none", "none,scram-sha-256", "!password"],
            ["scram-sha-256", "!none", "!md5,!none"],
        ),
    ] {
        let url = format!("postgresql://{user}@localhost:{{port}}/sbtest?{query}");
        for list in allowing {
            scene.weighin(&format!("{url}&require_auth={list}"), &[KNOWN]).done();
            scene.weighin(&url, &[KNOWN, ("PGREQUIREAUTH", list)]).done();
        }
        for list in refusing {
            let ran = scene.weighin(&format!("{url}&require_auth={list}"), &[KNOWN]);
            ran.refused(3, &[asks, "require_auth"]);
        }
        let ran = scene.weighin(&url, &[KNOWN, ("PGREQUIREAUTH", refusing[0])]);
        ran.refused(3, &[asks, "require_auth"]);
    }
    scene.weighin("postgresql:///?service=strict", &[SERVICES, KNOWN]).refused(3, &["SCRAM"]);
    let own = "postgresql:///?service=strict&require_auth=scram-sha-256";
    scene.weighin(own, &[SERVICES, KNOWN]).done();
    let wrong = "postgresql://either@127.0.0.1:{port}/sbtest";
    for list in ["scram", "md5,!none", "md5,md5"] {
        scene.weighin(wrong, &[KNOWN, ("PGREQUIREAUTH", list)]).refused(2, &["require_auth"]);
    }
}

/// Where libpq would be less careful with a password than weighin is.
#[test]
fn a_password_goes_neither_in_the_clear_nor_to_another_host() {
    let scene = Scene::new();
    let own = "postgresql://cleartext@127.0.0.1:{port}/sbtest?sslmode=disable";
    scene.psql(own, &[KNOWN]).done();
    scene.weighin(own, &[KNOWN]).refused(3, &["as it is", "without TLS"]);
    // Of a service whose host the URL replaces.
    let elsewhere = "postgresql://localhost/?service=whole";
    scene.psql(elsewhere, &[SERVICES]).done();
    scene.weighin(elsewhere, &[SERVICES]).refused(2, &["service whole", "its own host"]);
    // A study says itself what it needs.
    scene.place.write(
        "study.toml",
        scene.filled(
            "[study]\nname = \"s\"\nrepeats = 1\n\
             [[target]]\nname = \"pg\"\nurl = \"postgresql:///?service=whole\"\n\
             tls = \"verified\"\ntls_ca = \"{other}\"\n\
             [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 100\nclients = [1]\n\
             warmup = \"0s\"\nduration = \"1s\"\n",
        ),
    );
    let mut check = scene.place.command(&["check", "study.toml"]);
    check.env("PGSSLMODE", "disable");
    let found = Ran::of(scene.surround(check, &[SERVICES, ("PGSSLMODE", "disable")]));
    let said = found.out.clone() + &found.err;
    assert!(found.code != Some(0) && said.contains("certificate"), "{said}");
}
