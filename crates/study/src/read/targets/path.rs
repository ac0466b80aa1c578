//! What lies on the way of the loads on a target: its `path`.

use crate::keys::{PathTable, TargetTable};
use crate::problem::{Place, Problems};
use crate::text::url::host_and_port;
use model::{
    Endpoint, NetworkPath, Place as Where, Proxy, ProxyProgram, SandboxSpec, ServerAddress,
    Software, Target, Tls,
};
use std::time::Duration;
use toml::Spanned;

/// The path of a target, where it has one.
pub(crate) fn path(table: &mut TargetTable, problems: &mut Problems) -> Option<NetworkPath> {
    let written = table.path.take()?;
    let at = written.span();
    let PathTable { delay, proxy, tls } = written.into_inner();
    if delay.place().is_none() && proxy.is_none() && tls.is_none() {
        problems
            .add(at, "this `path` says nothing of the way")
            .help("write path = { delay = \"1ms\" } or path = { tls = true }");
        return None;
    }
    Some(NetworkPath {
        delay: delay.value("delay", problems).filter(|length| {
            let is_possible =
                (Duration::from_nanos(1)..=NetworkPath::LONGEST_DELAY).contains(length);
            if let (false, Some(at)) = (is_possible, delay.place()) {
                problems.add(at, "`delay` must be above 0 and at most 2 s").help(
                    "a server in another zone is 1ms away, one on another continent 100ms; leave \
                           it out for no delay",
                );
            }
            is_possible
        }),
        proxy: proxy.and_then(|proxy| proxy_at(&proxy, table, problems)),
        tls: tls.map(Spanned::into_inner),
    })
}

/// Where what is before a server listens, or which program is started before a private one.
fn proxy_at(
    written: &Spanned<String>,
    table: &TargetTable,
    problems: &mut Problems,
) -> Option<Proxy> {
    let text = written.get_ref();
    let program = ProxyProgram::ALL.into_iter().find(|program| program.key() == text);
    match (&table.sandbox, program) {
        (Some(_), Some(program)) => return Some(Proxy::Private(program)),
        (Some(sandbox), None) => {
            problems
                .add(
                    written.span(),
                    "a proxy that runs already belongs to a url: it cannot know a private server's port",
                )
                .other(sandbox.span(), "the sandbox")
                .help("have weighin start one: path = { proxy = \"haproxy\" }");
            return None;
        }
        (None, Some(_)) => {
            problems
                .add(written.span(), "weighin starts a proxy before a private server alone")
                .help(
                    "write where yours listens, like proxy = \"127.0.0.1:6432\", or use a sandbox",
                );
            return None;
        }
        (None, None) => {}
    }
    let has_port = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    match host_and_port(text, 0) {
        Ok(endpoint) if has_port => Some(Proxy::Running(endpoint)),
        _ => {
            problems
                .add(written.span(), "`proxy` is a host and a port")
                .help("write it like proxy = \"127.0.0.1:6432\"");
            None
        }
    }
}

/// The same of a target that has no way.
pub(super) fn refuse(table: &TargetTable, problems: &mut Problems) {
    if let Some(path) = &table.path {
        problems
            .add(path.span(), "`path` belongs to a server, and this target has volumes")
            .help("remove it");
    }
}

/// Whether the login to a server that runs already is encrypted, by its path where that says so.
pub(super) fn of_address(
    address: ServerAddress,
    table: &TargetTable,
    path: Option<&NetworkPath>,
    problems: &mut Problems,
) -> ServerAddress {
    let Some(wanted) = path.and_then(|path| path.tls) else { return address };
    if let (Some(tls), true) = (&table.tls, (address.tls != Tls::Off) != wanted) {
        problems
            .add(tls.span(), format!("`tls` says otherwise than path = {{ tls = {wanted} }}"))
            .help("leave out one of them");
    }
    let tls = match (wanted, address.tls) {
        (true, Tls::Off) => Tls::Verified(None),
        (true, tls) => tls,
        (false, _) => Tls::Off,
    };
    ServerAddress { tls, ..address }
}

/// Makes labels of what targets have on their ways, so that it is a factor like any other, and notes
/// ways that cannot be.
pub(crate) fn label(targets: &mut [(Target, Place)], problems: &mut Problems) {
    targets.iter().for_each(|(target, at)| check(target, at, problems));
    let container = targets.iter().find(|(target, _)| in_container(target).is_some());
    let delayed = targets
        .iter()
        .find(|(target, _)| target.delay().is_some() && matches!(target.place, Where::Sandbox(_)));
    if let (Some((_, container)), Some((target, at))) = (container, delayed) {
        problems
            .add(
                at.clone(),
                format!(
                    "a delay needs TCP, and the private server of `{}` is reached over its socket, as \
                     one in a container is",
                    target.name
                ),
            )
            .other(container.clone(), "the container")
            .help("run the servers of unpacked distributions instead: sandbox = { base = \"/opt/...\" }");
    }
    let delay = |target: &Target| match target.delay() {
        Some(delay) => format!("{} ms added", delay.as_secs_f64() * 1e3),
        None => "no delay added".to_owned(),
    };
    if targets.iter().any(|(target, _)| target.delay().is_some()) {
        add(targets, NetworkPath::DELAY, delay);
    }
    let proxy = |target: &Target| target.path.as_ref().and_then(|path| path.proxy.clone());
    if targets.iter().any(|(target, _)| proxy(target).is_some()) {
        let way = |target: &Target| match proxy(target) {
            Some(proxy) => format!("through {proxy}"),
            None => "directly".to_owned(),
        };
        add(targets, NetworkPath::PROXY, way);
    }
    if targets.iter().any(|(target, _)| target.path.as_ref().is_some_and(|path| path.tls.is_some()))
    {
        let word = |target: &Target| if is_encrypted(target) { "with TLS" } else { "without TLS" };
        add(targets, NetworkPath::TLS, |target| word(target).to_owned());
    }
}

/// Adds a label to all targets, unless the user has one of that name.
fn add(targets: &mut [(Target, Place)], label: &str, value: impl Fn(&Target) -> String) {
    if targets.iter().any(|(target, _)| target.labels.contains_key(label)) {
        return;
    }
    for (target, _) in targets {
        target.labels.insert(label.to_owned(), value(target));
    }
}

fn is_encrypted(target: &Target) -> bool {
    match &target.place {
        Where::Server(spec) => spec.address.tls != Tls::Off,
        Where::Sandbox(spec) => {
            spec.host.is_some() || target.path.as_ref().is_some_and(|path| path.tls == Some(true))
        }
        Where::Storage(_) | Where::Imported => false,
    }
}

fn in_container(target: &Target) -> Option<&SandboxSpec> {
    match &target.place {
        Where::Sandbox(spec) if matches!(spec.software, Software::Container(_)) => Some(spec),
        _ => None,
    }
}

/// Notes what keeps a program from being started before a private server.
fn check_private(
    target: &Target,
    spec: &SandboxSpec,
    program: ProxyProgram,
    at: &Place,
    problems: &mut Problems,
) {
    let (name, server) = (program.name(), &target.name);
    let is_pooler = program != ProxyProgram::HaProxy;
    let (why, help) = if is_pooler && target.system.facts().pooler != Some(program) {
        (format!("{name} does not speak the protocol of `{server}`"), "write proxy = \"haproxy\"")
    } else if spec.host.is_some() {
        (
            format!("{name} runs on this machine, and the private server of `{server}` on another"),
            "start both there yourself, and name them: url = ..., path = { proxy = ... }",
        )
    } else if in_container(target).is_some() {
        (
            format!(
                "{name} takes TCP, and the private server of `{server}`, in a container, a socket"
            ),
            "run the servers of unpacked distributions instead: sandbox = { base = \"/opt/...\" }",
        )
    } else if is_pooler && target.path.as_ref().is_some_and(|path| path.tls == Some(true)) {
        (
            format!("the {name} that weighin starts before `{server}` does not encrypt"),
            "leave tls out, or write proxy = \"haproxy\", which passes on what is encrypted",
        )
    } else {
        return;
    };
    problems.add(at.clone(), why).help(help);
}

fn check(target: &Target, at: &Place, problems: &mut Problems) {
    let Some(path) = &target.path else { return };
    match &target.place {
        Where::Server(spec) => {
            let is_socket = matches!(spec.address.endpoint, Endpoint::Socket(_));
            if path.delay.is_some() && path.proxy.is_none() && is_socket {
                problems
                    .add(
                        at.clone(),
                        format!("a delay needs TCP, and the url of `{}` is a socket", target.name),
                    )
                    .help(format!(
                        "write the server's address: url = \"{}\"",
                        target.system.url_example()
                    ));
            }
        }
        Where::Sandbox(spec) => {
            if spec.host.is_some() && path.tls == Some(false) {
                problems
                    .add(
                        at.clone(),
                        format!(
                            "the private server of `{}` is on another machine, where its password \
                             crosses a network: that takes TLS",
                            target.name
                        ),
                    )
                    .help("leave tls out of its path, or compare TLS on private servers of this machine");
            }
            if let Some(Proxy::Private(program)) = path.proxy {
                check_private(target, spec, program, at, problems);
            }
            if path.tls == Some(true) && in_container(target).is_some() {
                problems
                    .add(
                        at.clone(),
                        format!(
                            "the private server of `{}` is in a container and reached over its socket, \
                             where there is nothing to encrypt",
                            target.name
                        ),
                    )
                    .help("run the server of an unpacked distribution: sandbox = { base = \"/opt/...\" }");
            }
        }
        Where::Storage(_) | Where::Imported => {}
    }
}
