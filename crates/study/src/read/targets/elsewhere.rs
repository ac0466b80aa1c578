//! Private servers on another machine.

use crate::keys::SandboxTable;
use crate::problem::Problems;
use model::SshHost;
use std::net::IpAddr;

/// On which address of its machine a private server is to listen; `None` where the study does not say.
/// Notes what is not possible there.
pub(crate) fn listen(
    table: &SandboxTable,
    host: Option<&SshHost>,
    problems: &mut Problems,
) -> Option<String> {
    if host.is_some() {
        if let Some(image) = &table.container {
            problems
                .add(image.span(), "a container has no network, and other machines do not reach it")
                .help("use `base`, or the server that is installed there");
        }
        if let Some(at) = table.replicas.place() {
            problems
                .add(at, "a private server on another machine has no `replicas`")
                .help("leave `ssh` and `host` out: private groups are on the machine that weighin runs on");
        }
    }
    let written = table.listen.as_ref()?;
    if host.is_none() {
        problems
            .add(written.span(), "`listen` is of a server on another machine: here it is loopback")
            .help("remove it, or add ssh = \"user@host\" to the target");
    }
    match written.get_ref().parse::<IpAddr>() {
        Ok(address) if !address.is_unspecified() && !address.is_multicast() => {
            Some(address.to_string())
        }
        Ok(_) | Err(_) => {
            problems
                .add(written.span(), "`listen` must be one address of that machine")
                .help("write it like listen = \"10.0.1.12\"");
            None
        }
    }
}
