//! Option files of MariaDB and MySQL (`my.cnf`), as far as a login needs them.

use settings::{OptionLine, option_lines};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use system::client::{Unreadable, read_options};

/// Groups that every client program reads.
const GROUPS: [&str; 3] = ["client", "client-server", "client-mariadb"];

/// What option files say about a login.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientOptions {
    pub(super) user: Option<String>,
    /// The password, and the file it stands in.
    pub(super) password: Option<(Vec<u8>, PathBuf)>,
    /// Files that every account may write.
    pub(super) ignored: Vec<PathBuf>,
    /// Whether whichever RSA key the server sends may encrypt the password.
    pub(super) requests_key: bool,
    /// File of the RSA key that may.
    pub(super) key: Option<PathBuf>,
    /// The server that the login is for, where they name it.
    pub(super) host: Option<String>,
    /// Its port, where they name one; `None` inside of what is none.
    pub(super) port: Option<Option<u16>>,
    /// Its socket.
    pub(super) socket: Option<PathBuf>,
}

/// Reads option files; what a later one says wins. Files that do not exist are skipped, and those
/// that every account may write are ignored, as the servers' own clients do.
///
/// # Errors
/// The file that could not be read, and why.
pub(super) fn read_all(paths: &[PathBuf]) -> Result<ClientOptions, (PathBuf, Unreadable)> {
    let mut options = ClientOptions::default();
    for path in paths {
        match read_options(path) {
            Ok(Some(content)) => options.add(&content, path),
            Ok(None) => options.ignored.push(path.clone()),
            Err(Unreadable::Failed(error))
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            Err(error) => return Err((path.clone(), error)),
        }
    }
    Ok(options)
}

impl ClientOptions {
    pub(crate) fn add(&mut self, content: &[u8], path: &Path) {
        // Directives such as `!includedir` name files that hold server settings as a rule; following
        // them is left to the server's own programs.
        for (_, line) in option_lines(content) {
            if let OptionLine::Option { group, name, value } = line
                && GROUPS.contains(&group.as_str())
            {
                self.set(&name, value, path);
            }
        }
    }

    fn set(&mut self, name: &str, value: Option<Vec<u8>>, path: &Path) {
        // `loose` is for programs that do not know the option.
        match (name.strip_prefix("loose_").unwrap_or(name), value) {
            ("user", Some(value)) => self.user = Some(String::from_utf8_lossy(&value).into_owned()),
            ("password", Some(value)) => self.password = Some((value, path.to_path_buf())),
            ("host", Some(value)) => self.host = Some(String::from_utf8_lossy(&value).into_owned()),
            ("port", Some(value)) => {
                self.port = Some(String::from_utf8_lossy(&value).trim().parse().ok());
            }
            ("socket", Some(value)) => self.socket = Some(PathBuf::from(OsString::from_vec(value))),
            ("get_server_public_key", value) => {
                let value = value.unwrap_or_else(|| b"1".to_vec()).to_ascii_lowercase();
                self.requests_key = matches!(&value[..], b"1" | b"on" | b"true");
            }
            ("skip_get_server_public_key", None) => self.requests_key = false,
            ("server_public_key_path", Some(value)) => {
                self.key = Some(PathBuf::from(OsString::from_vec(value)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(content: &str) -> (Option<String>, Option<String>) {
        let mut options = ClientOptions::default();
        options.add(content.as_bytes(), Path::new("my.cnf"));
        let password = options.password.map(|(bytes, _)| String::from_utf8(bytes).unwrap());
        (options.user, password)
    }

    #[test]
    fn the_servers_key_is_said_as_to_mysqls_own_client() {
        let said = |lines: &str| {
            let mut options = ClientOptions::default();
            options.add(format!("[client]\n{lines}\n").as_bytes(), Path::new("my.cnf"));
            (options.requests_key, options.key)
        };
        for on in [
            "get-server-public-key",
            "get_server_public_key=1",
            "loose-get-server-public-key = ON # yes",
            "get-server-public-key=0\nget-server-public-key = true",
        ] {
            assert_eq!(said(on), (true, None), "{on}");
        }
        for off in
            ["", "get-server-public-key=0", "get-server-public-key\nskip-get-server-public-key"]
        {
            assert_eq!(said(off), (false, None), "{off}");
        }
        let (_, key) = said("server-public-key-path = '/etc/my key.pem'");
        assert_eq!(key, Some(PathBuf::from("/etc/my key.pem")));
    }

    fn password(line: &str) -> Option<String> {
        parse(&format!("[client]\n{line}\n")).1
    }

    #[test]
    fn only_the_clients_groups_count() {
        let file = "user=none\n[mysqld]\nuser=mysql\npassword=server\n[client]\nuser = me\n\
                    [mysqldump]\nuser=dump\n[client-mariadb]\npassword=mine\n";
        assert_eq!(parse(file), (Some("me".into()), Some("mine".into())));
    }

    #[test]
    fn comments_blank_lines_and_directives_are_skipped() {
        let file = "# [client]\n; user=x\n!includedir /etc/mysql/conf.d/\n!include\n\n \
                    [client] # ours\r\n  user=me   # and not you\r\n";
        assert_eq!(parse(file), (Some("me".into()), None));
    }

    #[test]
    fn quotes_protect_what_would_be_a_comment() {
        assert_eq!(password("password=a#b").as_deref(), Some("a"));
        assert_eq!(password("password=\"a#b\" # why").as_deref(), Some("a#b"));
        assert_eq!(password("password='it\\'s # fine'").as_deref(), Some("it's # fine"));
        assert_eq!(password("password=\" spaces \"").as_deref(), Some(" spaces "));
        assert_eq!(password("password=don't").as_deref(), Some("don't"));
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(password(r#"password="a\\b\s\"c""#).as_deref(), Some(r#"a\b "c"#));
        assert_eq!(password(r"password=a\tb\xc\").as_deref(), Some("a\tb\\xc\\"));
    }

    #[test]
    fn a_password_may_hold_an_equals_sign_and_may_be_empty() {
        assert_eq!(password("password=a=b").as_deref(), Some("a=b"));
        assert_eq!(password("password=").as_deref(), Some(""));
        // Without a value the option asks the client to prompt for one.
        assert_eq!(password("password"), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let (path, error) = read_all(&[directory.path().to_path_buf()]).unwrap_err();
        assert_eq!(path, directory.path());
        let Unreadable::Failed(error) = error else { panic!("{error:?}") };
        assert_eq!(error.kind(), ErrorKind::IsADirectory);
    }
}
