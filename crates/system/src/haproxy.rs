//! HAProxy before a private server of any kind.

use host::recipe::{
    Distribution, Home, KindFacts, LogWords, PrivateServerKind, Recipe, RecipeOrder, ServerProgram,
};
use model::{Failure, FailureKind, ProxyProgram, System};
use std::net::SocketAddr;
use std::process::Command;

const PROGRAM: &str = "haproxy";
const USUAL_PLACES: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/usr/bin"];
const CONFIGURATION: &str = "haproxy.cfg";

/// HAProxy, which forwards TCP connections, each by one of its own, and no timeout ends them.
pub(crate) static KIND: PrivateServerKind = PrivateServerKind {
    facts: KindFacts {
        system: System::Unknown,
        proxy: Some(ProxyProgram::HaProxy),
        login: (None, ""),
        replication_user: None,
        account: PROGRAM,
        runs_as_account: true,
        program_prefixes: &[PROGRAM],
        log_words: LogWords { disk_full: &[], unknown_setting: &[], error: &["[ALERT]"] },
        setting_example: "maxconn",
        base_example: "/opt/haproxy",
    },
    recipe: |order, distribution| Ok(Box::new(HaProxy::new(order, distribution)?)),
};

#[derive(Debug)]
struct HaProxy {
    program: ServerProgram,
    server: SocketAddr,
}

impl HaProxy {
    fn new(order: RecipeOrder, distribution: Distribution) -> Result<Self, Failure> {
        let RecipeOrder { target, forwards_to, .. } = order;
        let distribution = distribution.never_root()?;
        let path = distribution.find_program(&[PROGRAM], &[], &USUAL_PLACES, not_installed)?;
        let server = forwards_to.ok_or_else(not_installed)?;
        Ok(Self { program: ServerProgram { target, distribution, path }, server })
    }
}

impl Recipe for HaProxy {
    fn program(&self) -> &ServerProgram {
        &self.program
    }

    fn prepare(
        &self,
        home: &Home,
        _password: &str,
        _replicas: Option<&str>,
    ) -> Result<(), Failure> {
        home.hand_over(self.program.run_as())
    }

    /// Where its configuration cannot be written, it does not start, and says so.
    fn command(&self, home: &Home, listen: SocketAddr) -> Command {
        let text = format!(
            "defaults\n  mode tcp\n  timeout connect 10s\n  timeout client 0\n  timeout server 0\n\
             listen weighin\n  bind {listen}\n  bind {} mode 600\n  server private {}\n",
            quoted(&format!("unix@{}", home.socket().display())),
            self.server,
        );
        let _ = home.remove(CONFIGURATION);
        let written = home.write(CONFIGURATION, &text);
        let _ = written.and_then(|file| self.program.run_as().give_file(&file));
        let mut command = self.program.command(home);
        // In the foreground, and without a word about timeouts.
        command.args(["-db", "-q", "-f"]).arg(home.path_of(CONFIGURATION));
        command
    }

    fn slow_end_remedy(&self) -> &'static str {
        ""
    }
}

/// A word of its configuration, in which paths may have blanks and quotes.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn not_installed() -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        "HAProxy is not installed, in /usr/sbin, on PATH or elsewhere",
        "install it, such as the Debian package haproxy, or leave out `proxy`",
    )
}
