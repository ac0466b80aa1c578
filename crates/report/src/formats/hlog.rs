//! The latencies of every trial as an interval log of HdrHistogram.

use analyse::{Analysis, Metric};
use model::{
    Level, LevelUnit, LoggedLatencies, Outcome, Phase, TrialKey, TrialRecord, UnitName, UnixMillis,
    text,
};
use std::io::{self, Write};

/// How the first line begins.
pub(crate) const MADE_BY: &str = "#[Logged by weighin ";
/// The second line, which readers of such logs go by.
pub(crate) const VERSION: &str = "#[Histogram log format version 1.3]";
const HEADING: &str =
    "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"";

/// Writes a line for each second of each trial, or for its measured phase as a whole where its
/// seconds were not kept, in order of time.
pub(crate) fn write(analysis: &Analysis, out: &mut dyn Write) -> io::Result<()> {
    let dataset = analysis.dataset;
    let mut trials: Vec<Logged> =
        dataset.trials.iter().filter_map(|t| logged(analysis, t)).collect();
    trials.sort_by_key(|trial| (trial.began_at, trial.record.position));
    let base = trials.iter().filter_map(|trial| trial.began_at).min();
    let base = base.unwrap_or(dataset.run.started_at);
    let seconds = base.0 as f64 / 1e3;
    let date = humantime::format_rfc3339_millis(std::time::UNIX_EPOCH + base.since(UnixMillis(0)));
    writeln!(out, "{MADE_BY}{}]", text::line(&dataset.run.weighin_version))?;
    writeln!(out, "{VERSION}")?;
    writeln!(out, "#[StartTime: {seconds:.3} (seconds since epoch), {date}]")?;
    writeln!(out, "#[BaseTime: {seconds:.3} (seconds since epoch)]")?;
    writeln!(out, "# Study {}, run {}", text::line(&dataset.study.name), dataset.run.id)?;
    writeln!(out, "# Values are in nanoseconds, Interval_Max is in milliseconds")?;
    writeln!(out, "{HEADING}")?;
    for trial in &trials {
        trial.write(base, out)?;
    }
    Ok(())
}

/// What a trial has to log.
struct Logged<'a> {
    record: &'a TrialRecord,
    outcome: &'a Outcome,
    /// `None` where a source does not say.
    began_at: Option<UnixMillis>,
    counted: UnitName,
}

fn logged<'a>(analysis: &Analysis, record: &'a TrialRecord) -> Option<Logged<'a>> {
    let outcome = record.outcome()?;
    outcome.latencies()?;
    let known = (record.started_at.0 > 0).then_some(record.started_at);
    let began_at = outcome.load.as_ref().and_then(|load| load.began_at).or(known);
    let test = analysis.tests.iter().find(|test| test.test == record.key.test);
    let counted = test.map_or(UnitName::TRANSACTION, crate::view::counted);
    Some(Logged { record, outcome, began_at, counted })
}

impl Logged<'_> {
    fn write(&self, base: UnixMillis, out: &mut dyn Write) -> io::Result<()> {
        let key = &self.record.key;
        let named = format!("{}, {}, {}", key.target, key.test, key.level);
        let named = text::line(&named);
        write!(out, "# Trial {}: {named}, repeat {}", self.record.position, key.repeat)?;
        let unknown = if self.began_at.is_some() { "" } else { "; when it began is not known" };
        writeln!(out, "{unknown}")?;
        let began = self.began_at.map_or(0.0, |at| at.since(base).as_secs_f64());
        let mut line = |kind: &str, start: f64, length: f64, values: LoggedLatencies| {
            if values.count == 0 {
                return Ok(());
            }
            let LoggedLatencies { max_ms, histogram, .. } = values;
            let tag = tag(key, kind);
            writeln!(out, "Tag={tag},{start:.3},{length:.3},{max_ms:.3},{histogram}")
        };
        let Some(load) = &self.outcome.load else {
            let elapsed = self.outcome.metric(Metric::Elapsed).map_or(0.0, |figure| figure.value);
            let latencies = self.outcome.latencies.as_ref();
            return latencies
                .map_or(Ok(()), |all| line(self.counted.many, began, elapsed, all.logged()));
        };
        let measured = load.intervals.iter().filter(|one| one.phase == Phase::Measure);
        let seconds: Vec<_> = measured.map(|one| (one, one.latencies.logged())).collect();
        let phase = began + load.warmup.elapsed.as_secs_f64();
        let length = load.measure.elapsed.as_secs_f64();
        for one in &load.by_statement {
            line(&one.name, phase, length, one.latencies.logged())?;
        }
        if seconds.iter().all(|(_, logged)| logged.count == 0) {
            return line(self.counted.many, phase, length, load.latencies.logged());
        }
        seconds.into_iter().try_for_each(|(one, logged)| {
            let start = began + one.start.as_secs_f64();
            line(self.counted.many, start, one.length.as_secs_f64(), logged)
        })
    }
}

/// What a line is of: target, test, level, repeat and kind of operation. A tag must hold no comma and
/// no space; they and whatever else is no plain character are percent-encoded.
fn tag(key: &TrialKey, kind: &str) -> String {
    let (target, test) = (encoded(&key.target), encoded(&key.test));
    format!("{target}/{test}/{}/repeat:{}/{}", level(key.level), key.repeat, encoded(kind))
}

fn level(level: Level) -> String {
    match (level.search, level.rate, level.clients) {
        (Some(over), _, _) => format!("search:{}", over.name()),
        (None, Some(rate), _) => format!("rate:{rate}"),
        (None, None, 0) => "level:none".to_owned(),
        (None, None, number) => match level.unit {
            LevelUnit::Clients => format!("clients:{number}"),
            LevelUnit::QueueDepth => format!("queue_depth:{number}"),
        },
    }
}

fn encoded(name: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+@()".contains(byte);
    let character = |byte: u8| match plain(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::SearchOver;

    #[test]
    fn tags_hold_nothing_that_parts_a_line() {
        let key = |target: &str, level| TrialKey {
            target: target.to_owned(),
            test: "read, write".to_owned(),
            level,
            repeat: 2,
        };
        let tag_of = |target, level| tag(&key(target, level), "new orders");
        assert_eq!(
            tag_of("a/b=c", Level::clients(64)),
            "a%2Fb%3Dc/read%2C%20write/clients:64/repeat:2/new%20orders"
        );
        assert!(tag_of("数\n", Level::rate(8, 500)).starts_with("%E6%95%B0%0A/"));
        for (level, expected) in [
            (Level::rate(8, 500), "/rate:500/"),
            (Level::NONE, "/level:none/"),
            (Level::queue_depth(32), "/queue_depth:32/"),
            (Level::searched(SearchOver::Rate, 8), "/search:rate/"),
        ] {
            assert!(tag_of("a", level).contains(expected), "{level}");
        }
    }
}
