//! Whether the load generator was the bottleneck.

use super::{Group, Words};
use crate::numbers::{count, duration, figure, list, percents};
use analyse::{ClientBusy, ClientDelay, LoadHostBusy, MadeWithout, UnevenLoad, UnevenStart};

impl Words for ClientBusy {
    const HEADING: &'static str = "Busy load generator";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let lag = found.iter().map(|busy| busy.max_loop_lag).max().unwrap_or_default();
        let busiest = found.range(|busy| busy.busiest_worker);
        let of_allowed = found.range(|busy| busy.share_of_allowed);
        let (threads, all) = (percents(busiest), percents(of_allowed));
        // It was held up while it had processors to spare: something else kept it from running.
        if busiest.1 <= ClientBusy::BUSY && of_allowed.1 <= ClientBusy::BUSY {
            return format!(
                "the load generator was held up: a reply may have waited up to {} before it was read, \
                 although its busiest thread used only {threads} of a processor",
                duration(lag),
            );
        }
        format!(
            "the load generator may have been the bottleneck: its busiest thread used {threads} of a \
             processor, all its threads used {all} of the processors allowed to it, and a reply may \
             have waited up to {} before it was read",
            duration(lag),
        )
    }
}

impl Words for LoadHostBusy {
    const HEADING: &'static str = "Busy load host";
    const TOGETHER: bool = true;

    fn is_like(&self, other: &Self) -> bool {
        self.host == other.host
    }

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "the load host {} may have been the bottleneck: {} of its processors were in use",
            found.first.host,
            percents(found.range(|host| host.busy)),
        )
    }
}

impl Words for UnevenStart {
    const HEADING: &'static str = "Uneven start";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let most = found.most(|start| start.spread.seconds + start.spread.uncertainty_seconds);
        format!(
            "the load hosts may have begun up to {} ms apart, so for as long at either end the load was \
             lighter than the test specifies",
            figure(most * 1e3),
        )
    }
}

impl Words for MadeWithout {
    const HEADING: &'static str = "Absent load host";
    const TOGETHER: bool = true;

    fn is_like(&self, other: &Self) -> bool {
        self.hosts == other.hosts
    }

    fn say(found: &Group<'_, Self>) -> String {
        let hosts = &found.first.hosts;
        let were = if hosts.len() == 1 { "was" } else { "were" };
        format!(
            "the load was made without {}, which {were} not there; the other load hosts had all clients",
            list(hosts),
        )
    }
}

impl Words for ClientDelay {
    const HEADING: &'static str = "Client delay";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "client delay, the time from a reply to the next request, took {} of each cycle (up to \
             {} ms on average), so the load was lighter than the test specifies",
            percents(found.range(|delay| delay.share)),
            figure(found.most(|delay| delay.mean_ms)),
        )
    }
}

impl Words for UnevenLoad {
    const HEADING: &'static str = "Uneven load";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let share = percents(found.range(|load| load.transactions as f64 / load.fair));
        let Self { generator, generators, transactions, .. } = found.first;
        let (who, how_many) = if found.is_one() {
            let number = count(*transactions);
            (format!("load generator {generator} of {generators}"), format!(" ({number})"))
        } else {
            ("one of the load generators".to_owned(), String::new())
        };
        format!(
            "{who} completed {share} of its share of the {}{how_many}, so the load was uneven; the \
             test specifies clients that are all alike",
            found.counted.many,
        )
    }
}
