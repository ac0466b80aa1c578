//! A real server, and something between it and the clients of a load.

use host::local::sandbox::{Sandbox, SandboxOptions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Connections that come before those of the load: for control, and to sample counters.
const CONTROL: usize = 2;
/// What ends at once may take this long on a machine that is busy; it used to take a minute.
const SOON: Duration = Duration::from_secs(30);

/// What is done with a connection of a load instead of handing it through, with that greeting.
type Lie = Arc<dyn Fn(&mut TcpStream, &[u8]) -> std::io::Result<()> + Send + Sync>;

/// Hands connections to the server through, but those of the load.
fn between(server: u16, lie: Lie) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for (number, client) in listener.incoming().map_while(Result::ok).enumerate() {
            let lie = Arc::clone(&lie);
            std::thread::spawn(move || -> std::io::Result<()> {
                let mut client = client;
                let mut server = TcpStream::connect(("127.0.0.1", server))?;
                if number >= CONTROL {
                    let mut greeting = vec![0; 4096];
                    let length = server.read(&mut greeting)?;
                    return lie(&mut client, &greeting[..length]);
                }
                let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
                std::io::copy(&mut server, &mut client).map(drop)
            });
        }
    });
    port
}

fn garbage(client: &mut TcpStream, _greeting: &[u8]) -> std::io::Result<()> {
    while client.write(&[0; 65536])? > 0 {}
    Ok(())
}

#[test]
fn a_login_of_a_load_that_is_cut_off_ends_it_at_once() {
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(directory.path(), mode).unwrap();
    let options =
        SandboxOptions { directory: Some(directory.path().to_owned()), ..Default::default() };
    weighin::systems::register();
    let server = Sandbox::start(SandboxOptions { name: "real".to_owned(), ..options }).unwrap();
    let weighin = |port: u16, arguments: &[&str]| {
        let url = format!("mysql://weighin@127.0.0.1:{port}/sbtest");
        let began = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_weighin"))
            .args([&[arguments[0], &url, "--password-env", "REAL"], &arguments[1..]].concat())
            .env("REAL", server.password().reveal())
            .env("HOME", directory.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(began.elapsed() < SOON, "took {:?}: {err}", began.elapsed());
        (output.status.code(), err)
    };
    let made = weighin(server.port(), &["prepare", "--table-size", "100"]);
    assert_eq!(made.0, Some(0), "{}", made.1);

    let load = ["load", "--workload", "oltp_point_select", "--table-size", "100", "--clients", "3"];
    let load = [&load[..], &["--warmup", "0s", "--duration", "1s", "--io", "epoll"]].concat();
    let cut = |at: usize| -> Lie {
        // The bytes and the end arrive together: there is no second event.
        Arc::new(move |client, greeting| client.write_all(&greeting[..at.min(greeting.len())]))
    };
    let cases: Vec<(String, Lie)> = [0, 3, 4, 20, 60]
        .into_iter()
        .map(|at| (format!("after {at} bytes of the greeting"), cut(at)))
        .chain([("garbage without end".to_owned(), Arc::new(garbage) as Lie)])
        .collect();
    for (what, lie) in cases {
        let port = between(server.port(), lie);
        let (code, err) = weighin(port, &load);
        assert_eq!(code, Some(3), "{what}: {err}");
        assert!(err.contains(&port.to_string()), "{what}: {err}");
    }
}
