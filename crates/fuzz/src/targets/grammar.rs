//! Small grammars of study files and of the command line.

use super::{KIB, MIB, text};
use crate::Target;
use ::import::{as_printed, printed_number};
use study::{parse_duration, parse_pattern, parse_ratio, parse_size, parse_url};

/// Lengths of time, sizes, patterns, ratios, printed numbers.
pub(super) const VALUES: Target = Target {
    name: "values",
    mutations: 3000,
    run: values,
    seeds: || {
        [
            "500ms", "2.5s", "1m30s", "2h", "0.000000001s", "4KiB", "1.5 GB", "64k", "t1 o32 b16k",
            "redo log", "1:10", "0:1", "1-1024", "32", "1,234.56", "9.5e-3", "12.3%", "-0",
            "1e999",
        ]
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect()
    },
    longest: 256,
    memory: MIB,
    dictionary: dictionary!(values),
};

/// Addresses of servers.
pub(super) const URL: Target = Target {
    name: "url",
    mutations: 3000,
    run: url,
    seeds: || {
        [
            "mysql://bench@db2:3307/sbtest",
            "mariadb://u%40x@[::1]/db?socket=/run/my%20sql.sock",
            "redis://:6380/15",
            "redis://default@127.0.0.1",
            "mysql://localhost",
            "http://x/",
        ]
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect()
    },
    longest: KIB,
    memory: MIB,
    dictionary: dictionary!(url),
};

fn values(data: &[u8]) {
    let text = text(data);
    if let Ok(duration) = parse_duration(&text) {
        let again = format!("{}ms", duration.as_millis());
        let reread = parse_duration(&again).map(|again| again.as_millis());
        assert_eq!(reread, Ok(duration.as_millis()), "{text}");
    }
    if let Ok(bytes) = parse_size(&text) {
        assert_eq!(parse_size(&format!("{bytes}B")), Ok(bytes), "{text}");
    }
    if let Ok(pattern) = parse_pattern(&text) {
        assert!(pattern.threads > 0 && pattern.queue_depth >= pattern.threads && pattern.block > 0);
        let _ = pattern.storage();
    }
    if let Ok((sets, gets)) = parse_ratio(&text) {
        assert!(sets > 0 || gets > 0);
        assert_eq!(parse_ratio(&format!("{sets}:{gets}")), Ok((sets, gets)));
    }
    let _ = as_printed(&text);
    let _ = printed_number(&text);
}

fn url(data: &[u8]) {
    let text = text(data);
    match parse_url(&text) {
        Ok((_, address)) => drop(format!("{address:?}")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
