//! Which make and version a server is.

use std::fmt;

/// Who makes a server: that decides how its data directory is made and which words it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Make {
    MariaDb,
    /// MySQL, and Percona's builds of it.
    MySql,
}

/// What a server says of itself with `--version`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) make: Make,
    /// Such as 8, 0 and 36.
    number: [u32; 3],
    /// Such as `10.11.6-MariaDB-0+deb12u1`.
    text: String,
}

impl Version {
    /// Reads a line such as `mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace().skip_while(|&word| word != "Ver").skip(1);
        let text = words.next()?.to_owned();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut parts = text[..end].split('.').map(|part| part.parse().ok());
        let number = [parts.next()??, parts.next()??, parts.next()??];
        let make = if text.contains("MariaDB") { Make::MariaDb } else { Make::MySql };
        Some(Self { make, number, text })
    }

    /// Such as `8.0.36`, and what its makers add.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is MariaDB of this version or a later one.
    pub(super) fn is_mariadb_from(&self, number: [u32; 3]) -> bool {
        self.make == Make::MariaDb && self.number >= number
    }

    /// Whether it is MySQL of this version or a later one.
    pub(super) fn is_mysql_from(&self, number: [u32; 3]) -> bool {
        self.make == Make::MySql && self.number >= number
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.make {
            Make::MariaDb => f.write_str(&self.text),
            Make::MySql => write!(f, "MySQL {}", self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_servers_print() {
        let line = "/usr/sbin/mariadbd  Ver 11.4.2-MariaDB-ubu2404 for debian-linux-gnu on x86_64";
        let version = Version::parse(line).unwrap();
        assert_eq!((version.make, version.number), (Make::MariaDb, [11, 4, 2]));
        assert_eq!(version.to_string(), "11.4.2-MariaDB-ubu2404");
        let line = "mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28)";
        let version = Version::parse(line).unwrap();
        assert_eq!((version.make, version.number), (Make::MySql, [8, 0, 36]));
        assert_eq!(version.to_string(), "MySQL 8.0.36-28");
        assert!(version.is_mysql_from([5, 7, 6]) && !version.is_mysql_from([8, 0, 37]));
        for other in ["Segmentation fault", "mysqld Ver x.y", "Ver 8.0", "Ver 99999999999.1.1"] {
            assert_eq!(Version::parse(other), None, "{other}");
        }
    }
}
