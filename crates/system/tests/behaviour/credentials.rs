//! Who logs in with which password, and where that is found.

use model::{Endpoint, Failure, FailureKind, PasswordSource, ServerAddress, ServerKey, Tls};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use system::System;
use system::client::{Credentials, LoginEnvironment, SecretRules};

/// Who logs in to such a system.
fn who(
    system: &dyn System,
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> Result<Credentials, Failure> {
    system.log_in(address, environment).map(|login| login.credentials().clone())
}

fn resolve(
    address: &ServerAddress,
    environment: &LoginEnvironment<'_>,
) -> Result<Credentials, Failure> {
    who(&mysql::SYSTEM, address, environment)
}

fn address(user: Option<&str>, password: PasswordSource) -> ServerAddress {
    ServerAddress {
        endpoint: Endpoint::Tcp { host: "db".into(), port: 3306 },
        user: user.map(str::to_owned),
        database: "sbtest".into(),
        password,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::OptionFile,
        auth: model::AuthMethods::default(),
    }
}

fn variables(name: &str) -> Option<OsString> {
    match name {
        "DB_PASSWORD" => Some("s3cret".into()),
        "USER" => Some("me".into()),
        _ => None,
    }
}

/// Whose sources the command line names.
fn environment(option_files: Vec<PathBuf>) -> LoginEnvironment<'static> {
    static RULES: LazyLock<SecretRules> = LazyLock::new(|| SecretRules::command_line(true));
    LoginEnvironment { variable: &variables, option_files: Some(option_files), rules: &RULES }
}

#[test]
fn a_password_comes_from_the_environment() {
    let address = address(Some("bench"), PasswordSource::Environment("DB_PASSWORD".into()));
    let found = resolve(&address, &environment(vec![])).unwrap();
    assert_eq!((found.user.as_str(), found.password().bytes()), ("bench", &b"s3cret"[..]));
    assert!(found.origin().contains("DB_PASSWORD"), "{}", found.origin());
    assert!(!format!("{found:?}").contains("s3cret"));
}

#[test]
fn where_no_user_is_named_it_is_said_who_logs_in_and_how_to_name_one() {
    let directory = tempfile::tempdir().unwrap();
    let options = directory.path().join(".my.cnf");
    std::fs::write(&options, "[client]\nuser = ops\n").unwrap();
    set_mode(&options, 0o600);
    let said = |user: Option<&str>, files: Vec<PathBuf>| {
        let address = address(user, PasswordSource::OptionFile);
        let found = resolve(&address, &environment(files)).unwrap();
        let [said, of_another] = [model::System::Mysql, model::System::Postgres]
            .map(|system| found.assumed_user(system, &address));
        let refused = Failure::new(FailureKind::AccessDenied, "refused", "ask");
        let remedy = found.refused(refused, model::System::Postgres, &address).remedy;
        let named = of_another.map(|(_, named)| format!("{named}; or ask"));
        assert_eq!(remedy, named.unwrap_or("ask".to_owned()));
        said.map(|(message, named)| (message, named, remedy))
    };
    assert_eq!(said(Some("me"), vec![options.clone()]), None);
    for (files, who) in [
        (vec![], "weighin logs in as 'me', who runs weighin"),
        (vec![options], "weighin logs in as 'ops', whom an option file names"),
    ] {
        let (message, remedy, refused) = said(None, files).unwrap();
        assert_eq!(message, format!("no user is named in the URL, so {who}"));
        assert_eq!(remedy, "write mysql://USER@db:3306/sbtest");
        assert_eq!(refused, "write postgresql://USER@db:3306/sbtest; or ask");
    }
}

#[test]
fn a_variable_that_is_not_set_is_named_with_the_way_to_set_it() {
    for name in ["ELSEWHERE", "", "A=B"] {
        let address = address(Some("bench"), PasswordSource::Environment(name.into()));
        let failure = resolve(&address, &environment(vec![])).unwrap_err();
        assert_eq!(failure.kind, FailureKind::AccessDenied);
        assert!(failure.message.contains(name) && failure.message.contains("db:3306"));
    }
}

#[test]
fn a_password_file_gives_its_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("password");
    for (content, expected) in
        [("p w#d\r\n", "p w#d"), ("only\n", "only"), ("only", "only"), ("", "")]
    {
        std::fs::write(&path, content).unwrap();
        set_mode(&path, 0o600);
        let address = address(Some("bench"), PasswordSource::File(path.clone()));
        let found = resolve(&address, &environment(vec![])).unwrap();
        assert_eq!(found.password().bytes(), expected.as_bytes());
    }
    std::fs::remove_file(&path).unwrap();
    let address = address(Some("bench"), PasswordSource::File(path.clone()));
    let failure = resolve(&address, &environment(vec![])).unwrap_err();
    assert!(failure.message.contains(&path.display().to_string()), "{failure}");
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_file_that_others_may_read_is_refused_with_the_way_to_fix_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("password");
    std::fs::write(&path, "geheim").unwrap();
    set_mode(&path, 0o644);
    let address = address(Some("bench"), PasswordSource::File(path.clone()));
    for system in [&mysql::SYSTEM as &dyn System, &redis::SYSTEM] {
        let failure = who(system, &address, &environment(vec![])).unwrap_err();
        assert!(failure.message.contains("0644"), "{failure}");
        assert!(failure.remedy.contains("chmod 600"), "{failure:?}");
        assert!(!failure.message.contains("geheim"));
    }
}

#[test]
fn an_option_file_that_everybody_may_write_is_ignored_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(".my.cnf");
    std::fs::write(&path, "[client]\nuser=evil\npassword=planted\n").unwrap();
    set_mode(&path, 0o666);
    let address = address(None, PasswordSource::OptionFile);
    let found = resolve(&address, &environment(vec![path])).unwrap();
    assert_eq!((found.user.as_str(), found.password().bytes()), ("me", &b""[..]));
    assert!(found.origin().contains("is ignored"), "{}", found.origin());
}

#[test]
fn option_files_give_user_and_password_and_the_last_one_wins() {
    let directory = tempfile::tempdir().unwrap();
    let (system, own) = (directory.path().join("my.cnf"), directory.path().join(".my.cnf"));
    std::fs::write(&system, "[client]\nuser=all\npassword=first\n").unwrap();
    std::fs::write(&own, "[client]\npassword=\"second\"\n").unwrap();
    let missing = directory.path().join("missing");
    let address = address(None, PasswordSource::OptionFile);
    let found = resolve(&address, &environment(vec![system, missing, own])).unwrap();
    assert_eq!((found.user.as_str(), found.password().bytes()), ("all", &b"second"[..]));
    assert!(found.origin().contains(".my.cnf"));
}

#[test]
fn option_files_say_which_key_of_the_server_is_trusted() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("my.cnf");
    let asked = |server_key| ServerAddress {
        server_key,
        ..address(Some("bench"), PasswordSource::Environment("DB_PASSWORD".into()))
    };
    let said = |content: &str, server_key| {
        std::fs::write(&file, content).unwrap();
        mysql::client::resolve_server_key(&asked(server_key), &environment(vec![file.clone()]))
    };
    let (get, path) = ("get-server-public-key=1", "server-public-key-path=/k.pem");
    let pinned = ServerKey::Pinned("/k.pem".into());
    assert_eq!(said("[client]", ServerKey::OptionFile), ServerKey::Refuse);
    assert_eq!(said(&format!("[client]\n{get}"), ServerKey::OptionFile), ServerKey::Request);
    assert_eq!(said(&format!("[client]\n{path}\n{get}"), ServerKey::OptionFile), pinned);
    assert_eq!(said(&format!("[client]\n{get}"), ServerKey::Refuse), ServerKey::Refuse);
    assert_eq!(said(&format!("[mysqldump]\n{get}"), ServerKey::OptionFile), ServerKey::Refuse);
}

#[test]
fn without_any_source_the_systems_user_logs_in_without_password() {
    let address = address(None, PasswordSource::OptionFile);
    let found = resolve(&address, &environment(vec![])).unwrap();
    assert_eq!((found.user.as_str(), found.password().bytes()), ("me", &b""[..]));
}
