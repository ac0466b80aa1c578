use crate::keys::Setting;
use crate::problem::Problems;
use model::System;
use settings::{Verdict, is_name};
use std::collections::BTreeMap;
use toml::Spanned;

/// Turns the settings of a sandbox into texts, by name as that kind of server spells it; notes those
/// that cannot be set, and without trust those that could harm the host. Names may be abbreviated
/// here: only the server knows what it takes them for, so they are looked at again when it starts.
pub(crate) fn settings(
    wire: BTreeMap<Spanned<String>, Spanned<Setting>>,
    system: System,
    trusted: bool,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let known = system.facts().settings;
    let mut places = BTreeMap::new();
    let mut settings = BTreeMap::new();
    for (key, value) in wire {
        let at = key.span();
        let written = key.into_inner();
        let name = known.normal_name(written.trim_start_matches("--"));
        if !is_name(&name) {
            problems
                .add(at, format!("`{written}` is not the name of a server setting"))
                .help("write the name as in the server's option file, without --");
            continue;
        }
        let text = match value.get_ref() {
            Setting::Flag(on) => (if *on { "ON" } else { "OFF" }).to_string(),
            Setting::Whole(number) => number.to_string(),
            Setting::Real(number) => number.to_string(),
            Setting::Text(text) => text.clone(),
        };
        match known.judge(&name, &text) {
            Verdict::Allowed => {}
            Verdict::Decided(reason) => {
                let message = format!("`{written}` cannot be set for a sandbox: {reason}");
                let problem = problems.add(at, message);
                if known.is_secret(&name) {
                    problem.secret();
                }
                continue;
            }
            Verdict::NeedsTrust(_) if trusted => {}
            Verdict::NeedsTrust(harm) => {
                problems.add(at, format!("`{written}` needs trust: {harm}")).help(
                    "remove it, or if you know what it does to this host, write trusted = true \
                     next to `settings`",
                );
                continue;
            }
        }
        if text.contains(char::is_control) {
            // A line break would begin another setting in the option file.
            problems.add(value.span(), format!("`{written}` holds a control character"));
            continue;
        }
        match places.insert(name.clone(), at.clone()) {
            Some(first) => {
                problems
                    .add(at, format!("`{written}` is set twice"))
                    .other(first, "the same setting, spelt differently");
            }
            None => {
                settings.insert(name, text);
            }
        }
    }
    settings
}
