//! Which secrets may leave this machine, to whom.

use model::{
    Broker, BrokerAddress, Endpoint, Failure, FailureKind, PasswordSource, Place, ServerAddress,
    ServerKey, ServerSpec, Study, System, Target, Tls,
};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use system::System as _;
use system::client::{Consent, LoginEnvironment, SecretRules, resolve_token, wanted_secrets};
use tempfile::TempDir;

/// A directory with a study file in it.
fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("study.toml");
    fs::write(&file, "").unwrap();
    (directory, file)
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn tcp(host: &str, port: u16) -> Endpoint {
    Endpoint::Tcp { host: host.to_owned(), port }
}

fn address(endpoint: Endpoint, password: PasswordSource) -> ServerAddress {
    ServerAddress {
        endpoint,
        user: Some("bench".into()),
        database: "0".into(),
        password,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::Refuse,
        auth: model::AuthMethods::default(),
    }
}

fn variables(name: &str) -> Option<OsString> {
    match name {
        "AWS_SECRET_ACCESS_KEY" | "REDISCLI_AUTH" => Some("hunter2".into()),
        "LINES" => Some("one\ntwo".into()),
        _ => None,
    }
}

fn of_study(rules: &SecretRules, password: PasswordSource) -> Result<Vec<u8>, Failure> {
    let environment = LoginEnvironment { variable: &variables, option_files: Some(vec![]), rules };
    let address = address(tcp("127.0.0.1", 3306), password);
    let login = mysql::SYSTEM.log_in(&address, &environment)?;
    Ok(login.credentials().password().bytes().to_vec())
}

fn refused(found: &Result<Vec<u8>, Failure>, words: &str) {
    let failure = found.as_ref().unwrap_err();
    assert!(failure.to_string().contains(words), "{failure}");
    assert!(!format!("{failure:?}").contains("hunter2"), "{failure:?}");
}

#[test]
fn a_file_of_the_studys_own_takes_no_word() {
    let (directory, study) = place();
    let rules = SecretRules::study(&study, &[], false);
    for name in ["pw", "secrets/deep/pw"] {
        let path = directory.path().join(name);
        write(&path, b"hunter2\n");
        assert_eq!(of_study(&rules, PasswordSource::File(path)).unwrap(), b"hunter2", "{name}");
    }
}

/// Wherever weighin is called: a path of a study is relative to its file.
#[test]
fn a_relative_path_begins_at_the_study() {
    let (directory, study) = place();
    write(&directory.path().join("below/pw"), b"hunter2\n");
    let beside = directory.path().join("below");
    let study = beside.join(study.file_name().unwrap());
    fs::write(&study, "").unwrap();
    let own = PasswordSource::File("pw".into());
    assert_eq!(of_study(&SecretRules::study(&study, &[], false), own.clone()).unwrap(), b"hunter2");
    // Outside of its directory it takes a word, which is what the study writes.
    write(&directory.path().join("other"), b"hunter2");
    let outside = PasswordSource::File("../other".into());
    refused(&of_study(&SecretRules::study(&study, &[], false), outside.clone()), "does not allow");
    let rules = SecretRules::study(&study, &["../other".to_owned()], false);
    assert_eq!(of_study(&rules, outside).unwrap(), b"hunter2");
    // What the command line names begins where that is typed.
    let failure = of_study(&SecretRules::command_line(false), own).unwrap_err();
    assert!(failure.message.contains("the password file pw"), "{failure}");
    let lacking = PasswordSource::File("none".into());
    let failure = of_study(&SecretRules::study(&study, &["none".to_owned()], false), lacking);
    let place = beside.join("none").display().to_string();
    assert!(failure.unwrap_err().message.contains(&place));
    // So do those of certificates and keys.
    let rules = &SecretRules::study(&study, &[], false);
    let environment = LoginEnvironment { variable: &variables, option_files: Some(vec![]), rules };
    let plain = address(tcp("127.0.0.1", 3306), PasswordSource::File("pw".into()));
    let tls = ServerAddress { tls: Tls::Verified(Some("none.pem".into())), ..plain.clone() };
    let key = ServerAddress { server_key: ServerKey::Pinned("none.pem".into()), ..plain };
    let place = beside.join("none.pem").display().to_string();
    for address in [tls, key] {
        let failure = mysql::SYSTEM.log_in(&address, &environment).unwrap_err();
        assert!(failure.message.contains(&place), "{failure}");
    }
}

#[test]
fn what_is_not_the_studys_own_takes_a_word_of_the_command_line() {
    let (directory, study) = place();
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = elsewhere.path().join("id_ed25519");
    let at = |name: &str| directory.path().join(name);
    write(&outside, b"hunter2");
    write(&at(".ssh/key"), b"hunter2");
    write(&at(".hidden"), b"hunter2");
    write(&at("real/pw"), b"hunter2");
    symlink(&outside, at("link")).unwrap();
    symlink(elsewhere.path(), at("linked")).unwrap();
    fs::hard_link(&outside, at("hard")).unwrap();
    let up = at("real/../../").join(elsewhere.path().file_name().unwrap()).join("id_ed25519");
    for path in [
        outside.clone(),
        at(".ssh/key"),
        at(".hidden"),
        at("link"),
        at("linked/id_ed25519"),
        at("hard"),
        at("real/../real/pw"),
        up,
    ] {
        let source = PasswordSource::File(path.clone());
        let found = of_study(&SecretRules::study(&study, &[], false), source.clone());
        refused(&found, "the command line does not allow");
        let allow = found.unwrap_err().remedy;
        assert!(allow.contains(&format!("--allow-secret {}", path.display())), "{allow}");
        // Exactly as the study writes it, and nothing like it.
        let similar =
            [path.parent().unwrap().display().to_string(), format!("{} ", path.display())];
        assert!(of_study(&SecretRules::study(&study, &similar, false), source.clone()).is_err());
        let allowed = [path.display().to_string()];
        let found = of_study(&SecretRules::study(&study, &allowed, false), source);
        assert_eq!(found.unwrap(), b"hunter2", "{}", path.display());
    }
}

#[test]
fn a_file_of_another_account_beside_a_study_is_not_its_own() {
    let (directory, study) = place();
    if fs::metadata(&study).unwrap().uid() != 0 {
        return;
    }
    let path = directory.path().join("pw");
    write(&path, b"hunter2");
    // A study that another account left in a directory of root's.
    std::os::unix::fs::chown(&study, Some(12345), None).unwrap();
    let rules = SecretRules::study(&study, &[], false);
    refused(&of_study(&rules, PasswordSource::File(path)), "does not allow");
}

#[test]
fn variables_take_a_word_whatever_their_names() {
    let (_directory, study) = place();
    let source = || PasswordSource::Environment("AWS_SECRET_ACCESS_KEY".into());
    refused(&of_study(&SecretRules::study(&study, &[], true), source()), "does not allow");
    refused(&of_study(&SecretRules::default(), source()), "does not allow");
    let allowed = ["AWS_SECRET_ACCESS_KEY".to_owned()];
    let found = of_study(&SecretRules::study(&study, &allowed, false), source());
    assert_eq!(found.unwrap(), b"hunter2");
    assert_eq!(of_study(&SecretRules::command_line(false), source()).unwrap(), b"hunter2");
}

#[test]
fn what_the_kernel_makes_up_is_no_secret_however_it_is_reached() {
    let (directory, study) = place();
    let link = directory.path().join("environment");
    symlink("/proc/self/environ", &link).unwrap();
    let open = fs::File::open("/proc/self/environ").unwrap();
    let by_descriptor = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
    let mut paths: Vec<PathBuf> = [
        "/proc/self/environ",
        "/proc/self/root/proc/self/environ",
        "/proc/thread-self/environ",
        "/proc/sys/kernel/random/boot_id",
        "/sys/kernel/profiling",
        &by_descriptor,
    ]
    .map(PathBuf::from)
    .into();
    paths.push(link);
    for path in paths {
        // Also where the command line allows it, or names it.
        let allowed = [path.display().to_string()];
        for rules in [SecretRules::study(&study, &allowed, true), SecretRules::command_line(true)] {
            let found = of_study(&rules, PasswordSource::File(path.clone()));
            assert!(found.is_err(), "{}", path.display());
        }
    }
    // Its mode is private, so that nothing but its file system tells.
    let environment = PasswordSource::File("/proc/self/environ".into());
    refused(&of_study(&SecretRules::command_line(true), environment), "the kernel makes it up");
}

#[test]
fn a_secret_is_one_line_of_text() {
    let (directory, study) = place();
    let rules = SecretRules::study(&study, &["LINES".to_owned()], false);
    let path = directory.path().join("pw");
    for (content, why) in [
        (&b"a\nb"[..], "several lines"),
        (b"a\n\n", "several lines"),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----\r\nb3Bl\r\n", "several lines"),
        (b"PATH=/bin\0HOME=/root\0", "zero byte"),
        (&[b'x'; 1025], "longer than 1 KiB"),
    ] {
        write(&path, content);
        refused(&of_study(&rules, PasswordSource::File(path.clone())), why);
    }
    write(&path, &[b'x'; 1024]);
    assert_eq!(of_study(&rules, PasswordSource::File(path)).unwrap().len(), 1024);
    refused(&of_study(&rules, PasswordSource::Environment("LINES".into())), "several lines");
}

#[test]
fn the_password_of_an_option_file_goes_to_the_server_that_it_names() {
    let (directory, study) = place();
    let options = directory.path().join("my.cnf");
    let found = |content: &str, endpoint: Endpoint, allowed: &[String]| {
        write(&options, content.as_bytes());
        let rules = &SecretRules::study(&study, allowed, false);
        let option_files = Some(vec![options.clone()]);
        let environment = LoginEnvironment { variable: &variables, option_files, rules };
        let address = address(endpoint, PasswordSource::OptionFile);
        mysql::SYSTEM.log_in(&address, &environment).map(drop)
    };
    let socket = || Endpoint::Socket("/run/db.sock".into());
    let password = "[client]\npassword=hunter2\n";
    for (more, endpoint, goes) in [
        ("", tcp("127.0.0.1", 3306), false),
        ("", socket(), false),
        ("host=db", tcp("db", 3306), true),
        ("host=DB", tcp("db", 3306), true),
        ("host=db", tcp("evil", 3306), false),
        ("host=db", tcp("db", 3307), false),
        ("host=db\nport=3307", tcp("db", 3307), true),
        ("host=db\nport=3307", tcp("db", 3306), false),
        ("host=db\nport=x", tcp("db", 3306), false),
        ("socket=/run/db.sock", socket(), true),
        ("host=localhost\nsocket=/run/db.sock", socket(), true),
        ("host=db\nsocket=/run/db.sock", socket(), false),
        ("socket=/run/other.sock", socket(), false),
        ("port=3306", tcp("127.0.0.1", 3306), false),
    ] {
        let content = format!("{password}{more}\n");
        let found_there = found(&content, endpoint.clone(), &[]);
        assert_eq!(found_there.is_ok(), goes, "{more}: {endpoint}");
        let allowed = [options.display().to_string()];
        assert!(found(&content, endpoint, &allowed).is_ok());
    }
    // One without a password is no secret.
    assert!(found("[client]\nuser=me\n", tcp("evil", 3306), &[]).is_ok());
}

#[test]
fn a_password_goes_as_it_is_only_to_a_server_that_is_verified() {
    let (_directory, study) = place();
    let strict = SecretRules::study(&study, &[], false);
    let of = |endpoint: Endpoint, tls: Tls, server_key: ServerKey| ServerAddress {
        tls,
        server_key,
        ..address(endpoint, PasswordSource::OptionFile)
    };
    for (endpoint, tls, goes) in [
        (tcp("db", 1), Tls::Off, false),
        (tcp("db", 1), Tls::Unverified, false),
        (tcp("127.0.0.1.nip.io", 1), Tls::Unverified, false),
        (tcp("127.1", 1), Tls::Off, false),
        (tcp("10.0.0.7", 1), Tls::Unverified, false),
        (tcp("db", 1), Tls::Verified(None), true),
        (tcp("db", 1), Tls::Pinned("certificate".into()), true),
        (tcp("localhost", 1), Tls::Off, true),
        (tcp("127.0.0.1", 1), Tls::Unverified, true),
        (tcp("::1", 1), Tls::Off, true),
        (tcp("::ffff:127.0.0.1", 1), Tls::Off, true),
        (Endpoint::Socket("/run/db.sock".into()), Tls::Off, true),
        (Endpoint::NotUp, Tls::Off, false),
    ] {
        for key in [ServerKey::Refuse, ServerKey::Request, ServerKey::Pinned("/k.pem".into())] {
            let address = of(endpoint.clone(), tls.clone(), key.clone());
            assert_eq!(strict.may_reveal(&address), goes, "{endpoint} {tls:?} {key:?}");
            assert!(SecretRules::study(&study, &[], true).may_reveal(&address));
        }
    }
    // Who asks for a key on the command line has said so of this connection.
    let asked = of(tcp("db", 1), Tls::Off, ServerKey::Request);
    assert!(SecretRules::command_line(false).may_reveal(&asked));
    let asked = ServerAddress { tls: Tls::Unverified, ..asked };
    assert!(!SecretRules::command_line(false).may_reveal(&asked));
}

#[test]
fn redis_gets_no_password_over_a_network_that_others_can_read() {
    for (tls, allow, goes) in [
        (Tls::Off, false, false),
        (Tls::Unverified, false, false),
        (Tls::Off, true, true),
        (Tls::Verified(None), false, true),
    ] {
        let rules = &SecretRules::command_line(allow);
        let environment =
            LoginEnvironment { variable: &variables, option_files: Some(vec![]), rules };
        let address = address(tcp("cache.internal", 6379), PasswordSource::OptionFile);
        let found = redis::SYSTEM.log_in(&ServerAddress { tls, ..address }, &environment);
        assert_eq!(found.is_ok(), goes, "{found:?}");
        if let Err(failure) = found {
            assert!(failure.remedy.contains("--allow-cleartext"), "{failure:?}");
        }
    }
}

#[test]
fn the_token_of_a_broker_takes_a_word_too() {
    let (_directory, study) = place();
    let address = BrokerAddress {
        tls: true,
        host: "evil.example".into(),
        port: 4222,
        fleet: "default".into(),
    };
    let token = PasswordSource::Environment("AWS_SECRET_ACCESS_KEY".into());
    let (proof, agents) = (model::BrokerProof::Token, std::collections::BTreeMap::new());
    let broker = Broker { address, token, proof, agents, ca: None };
    let rules = &SecretRules::study(&study, &[], true);
    let environment = LoginEnvironment { variable: &variables, option_files: Some(vec![]), rules };
    let failure = resolve_token(&broker, &environment).unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotPermitted);
    assert!(failure.message.contains("evil.example"), "{failure}");
}

#[test]
fn all_that_a_study_wants_is_listed_once_with_where_it_would_go() {
    system::register([&mysql::SYSTEM, &redis::SYSTEM]);
    let (directory, file) = place();
    write(&directory.path().join("pw"), b"hunter2");
    let target = |name: &str, system, host: &str, password| Target {
        name: name.into(),
        system,
        place: Place::Server(ServerSpec::new(address(tcp(host, 1), password))),
        price: None,
        labels: Default::default(),
        path: None,
        load_hosts: None,
    };
    let aws = || PasswordSource::Environment("AWS_SECRET_ACCESS_KEY".into());
    let own = PasswordSource::File(directory.path().join("pw"));
    let study = Study {
        targets: vec![
            target("a", System::Mysql, "one", aws()),
            target("b", System::Mysql, "two", aws()),
            target("c", System::Mysql, "three", own),
            target("d", System::Redis, "four", PasswordSource::OptionFile),
            target("e", System::Mysql, "five", PasswordSource::File("/a b".into())),
            target("f", System::Mysql, "six", PasswordSource::OptionFile),
        ],
        ..test_support::study(&["a"], &[1], 1)
    };
    let rules = &SecretRules::study(&file, &["REDISCLI_AUTH".to_owned()], false);
    let environment = LoginEnvironment { variable: &variables, option_files: Some(vec![]), rules };
    let wanted = wanted_secrets(&study, &environment);
    let told: Vec<_> = wanted.iter().map(|one| (one.servers.join(" "), &one.consent)).collect();
    let lacking = |option: &str| Consent::Lacking(option.to_owned());
    assert_eq!(
        told,
        [
            ("a at one:1 b at two:1".to_owned(), &lacking("--allow-secret AWS_SECRET_ACCESS_KEY")),
            ("c at three:1".to_owned(), &Consent::OwnFile),
            ("d at four:1".to_owned(), &Consent::CommandLine),
            ("e at five:1".to_owned(), &lacking("--allow-secret '/a b'")),
        ]
    );
    assert!(wanted[0].what.contains("AWS_SECRET_ACCESS_KEY"));
}
