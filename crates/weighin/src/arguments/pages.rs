//! Where weighin can be asked over HTTP, and by whom.

use super::ReadArguments;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The directory with the results files (*.weighin); links are passed over
    #[arg(value_name = "DIRECTORY", default_value = ".")]
    pub(crate) directory: PathBuf,
    /// Where to listen: ADDRESS:PORT, or a port of the loopback address. Any other address than a
    /// loopback address needs a token and TLS
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8470", value_parser = listen)]
    pub(crate) listen: SocketAddr,
    /// File whose first line is the token that visitors must give
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Environment variable that holds the token
    #[arg(long, value_name = "NAME", conflicts_with = "token_file")]
    pub(crate) token_env: Option<String>,
    /// PEM file with the certificate for TLS
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) certificate: Option<PathBuf>,
    /// PEM file with its private key
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub(crate) key: Option<PathBuf>,
    /// Host name by which browsers ask for the pages, besides addresses and localhost; may be given
    /// again
    #[arg(long = "name", value_name = "HOST")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

/// Where the figures of a run can be asked for.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Options of metrics")]
pub(crate) struct MetricsArguments {
    /// Offer figures of the run to Prometheus and compatible collectors at
    /// http://ADDRESS:PORT/metrics while it goes on, or on a port of the loopback address. Any other
    /// address than a loopback address needs a token and TLS
    #[arg(long, value_name = "ADDRESS", value_parser = listen)]
    pub(crate) metrics: Option<SocketAddr>,
    /// File whose first line is the token that those who collect them must give
    #[arg(long, value_name = "FILE", requires = "metrics")]
    pub(crate) metrics_token_file: Option<PathBuf>,
    /// Environment variable that holds the token
    #[arg(long, value_name = "NAME", requires = "metrics", conflicts_with = "metrics_token_file")]
    pub(crate) metrics_token_env: Option<String>,
    /// PEM file with the certificate for TLS
    #[arg(long, value_name = "FILE", requires_all = ["metrics", "metrics_key"])]
    pub(crate) metrics_certificate: Option<PathBuf>,
    /// PEM file with its private key
    #[arg(long, value_name = "FILE", requires_all = ["metrics", "metrics_certificate"])]
    pub(crate) metrics_key: Option<PathBuf>,
    /// Host name by which they are asked for, besides addresses and localhost; may be given again
    #[arg(long = "metrics-name", value_name = "HOST", requires = "metrics")]
    pub(crate) metrics_names: Vec<String>,
}

/// An address with its port, or a port of this machine.
fn listen(text: &str) -> Result<SocketAddr, String> {
    let own = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    if let Ok(port) = text.parse() {
        return Ok(own(port));
    }
    if let Some(Ok(port)) = text.strip_prefix("localhost:").map(str::parse) {
        return Ok(own(port));
    }
    text.parse().map_err(|_| {
        "expected an address with a port, such as 127.0.0.1:8470 or [::1]:8470, or a port"
            .to_owned()
    })
}
