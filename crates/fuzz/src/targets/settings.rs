//! Settings of private servers.

use super::{KIB, MIB, text};
use crate::Target;
use settings::{MARIADB, Options, REDIS, Verdict, is_name, redis_line};

/// Names and values of settings, against the options of a server.
pub(super) const SETTINGS: Target = Target {
    name: "settings",
    run: settings,
    seeds: || {
        [
            "skip_grant_table=1",
            "loose-skip-log-bin=/x",
            "plugin_load=a.so",
            "log_bin",
            "dir=..",
            "loadmodule=x",
            "maxmemory=1mb",
            "maximum-innodb-buffer-pool-size=1G",
            "x=1\n  --x=# \n  -a, --ansi  Use\n  --skip-grant-tables Start\n",
        ]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
    },
    mutations: 500,
    longest: KIB,
    memory: MIB,
    dictionary: dictionary!(settings),
};

/// What a server shows of its options, in part.
const HELP: &str = "  --ansi\n  --datadir=name\n  --log-bin[=name]\n  --log-bin-index=name\n  \
    --plugin-load=name\n  --skip-grant-tables\n  --skip-networking\n  --innodb-doublewrite\n  \
    --secure-file-priv=name\n  --init-file=name\n";

/// A name, `=`, a value; then lines of a server's help, if there are any.
fn settings(data: &[u8]) {
    let text = text(data);
    let (setting, help) = text.split_once('\n').unwrap_or((&text, HELP));
    let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
    let _ = (is_name(name), REDIS.judge(name, value));
    if let Some(line) = redis_line(name, value) {
        // What is written means to the server what was judged.
        let again = line.strip_prefix(name).unwrap_or_default();
        assert_eq!(redis_line(name, again).as_ref(), Some(&line));
        let verdicts = [value, again].map(|value| REDIS.judge(name, value));
        assert_eq!(verdicts[0], verdicts[1], "{name} = {value}");
    }
    for known in [&MARIADB, &REDIS] {
        let normal = known.normal_name(name);
        assert_eq!(known.judge(name, value), known.judge(&normal, value));
        assert_eq!(known.is_secret(name), known.is_secret(&normal));
    }
    let options = Options::from_help(help);
    let Ok(found) = options.resolve(name) else { return };
    // A prefix never makes harmless what the server would then do.
    let whole = format!("{}{}", found.prefix, found.name);
    if MARIADB.judge(&found.name, value) != Verdict::Allowed {
        assert_ne!(MARIADB.judge(&whole, value), Verdict::Allowed, "{name} = {value}");
    }
    assert_eq!(options.resolve(&found.name).map(|again| again.name), Ok(found.name));
}
