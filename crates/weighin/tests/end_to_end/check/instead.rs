//! A proxy before a server that asks it for a table of the test where weighin asks for what the server
//! tells of itself: so it tells what no server of the tests can be made to tell.

use crate::support::Server;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

/// The keys of a target with its URL leading over a proxy, which replaces a query by one of the same
/// length: the length of a packet is in its head.
pub fn asking_instead(
    server: &Server,
    keys: &str,
    asked: &'static str,
    given: &'static str,
) -> String {
    assert_eq!(asked.len(), given.len());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = listener.local_addr().unwrap().port();
    let port = server.sandbox.port();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = TcpStream::connect(("127.0.0.1", port)).unwrap();
            pass_on(client, server, asked.as_bytes(), given.as_bytes());
        }
    });
    let through = keys.replace(&format!("127.0.0.1:{port}/"), &format!("127.0.0.1:{proxy}/"));
    assert_ne!(keys, through);
    through
}

/// A client sends its next packet when it has the answer to the one before, so that a query is the end
/// of what was read.
fn pass_on(client: TcpStream, server: TcpStream, asked: &'static [u8], given: &'static [u8]) {
    let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || {
        let mut buffer = [0; 65_536];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let bytes = &mut buffer[..read];
            if bytes.ends_with(asked) {
                bytes[read - given.len()..].copy_from_slice(given);
            }
            if to.write_all(bytes).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
    thread::spawn(move || {
        let (mut server, mut client) = (server, client);
        let _ = std::io::copy(&mut server, &mut client);
        let _ = client.shutdown(Shutdown::Both);
    });
}

const VARIABLES: &str = "SHOW GLOBAL VARIABLES";
const TOLD: &str = "SELECT * FROM other.v";

/// A server whose variables are what a test says.
pub struct Told<'s> {
    server: &'s Server,
    /// The keys of a target: an account that may do everything, over the proxy.
    pub keys: String,
}

impl<'s> Told<'s> {
    /// Makes the table, in a database beside that of the load, and the account.
    pub fn from_server(server: &'s Server) -> Self {
        let (names, identified) = match server.query("SELECT VERSION()")[0].contains("MariaDB") {
            true => ("information_schema.GLOBAL_VARIABLES", ""),
            // A password that needs no encryption: there is none.
            false => (
                "performance_schema.global_variables",
                " IDENTIFIED WITH mysql_native_password BY ''",
            ),
        };
        for sql in [
            "CREATE DATABASE other",
            "CREATE TABLE other.v (Variable_name VARCHAR(64) PRIMARY KEY, Value TEXT)",
            &format!(
                "INSERT INTO other.v SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM {names}"
            ),
            &format!("CREATE USER told@'127.0.0.1'{identified}"),
            "GRANT ALL ON *.* TO told@'127.0.0.1'",
        ] {
            server.execute(sql);
        }
        let direct = super::url_of(server, "told");
        let keys = asking_instead(server, &direct, VARIABLES, TOLD);
        Self { server, keys }
    }

    /// Has it tell another value of a variable.
    pub fn tell(&self, name: &str, value: &str) {
        self.server.execute(&format!("REPLACE INTO other.v VALUES ('{name}', '{value}')"));
    }

    /// Has it tell the value that it has.
    pub fn tell_the_truth(&self, name: &str) {
        let value = self.server.query(&format!("SELECT @@GLOBAL.{name}"));
        self.tell(name, &value[0]);
    }
}
