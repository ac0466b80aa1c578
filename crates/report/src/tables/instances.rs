//! Instances of provisioned targets.

use super::{Table, TableCell, words};
use crate::numbers::{NOTHING, count, duration, money};
use crate::{view, words::instances};
use analyse::Analysis;

/// Every instance that was brought up, or was to be; `None` where no target is provisioned.
pub(crate) fn instances(analysis: &Analysis) -> Option<Table> {
    let dataset = analysis.dataset;
    if dataset.instances.is_empty() {
        return None;
    }
    let machines = !dataset.study.host_instances.is_empty();
    let mut table = Table::new([
        words(if machines { "target or machine" } else { "target" }),
        super::numbers("instance"),
        words("address"),
        words("labels"),
        super::numbers("trials"),
        words("came up in"),
        words("there for"),
        super::numbers("cost"),
        words("trouble"),
    ]);
    for one in &dataset.instances {
        let ran = dataset
            .trials
            .iter()
            .filter(|trial| dataset.instance_of(trial).is_some_and(|of| of.number == one.number));
        let labels: Vec<String> =
            one.labels.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.to_owned());
        let there = duration(one.paid_for(instances::last_seen(dataset, one)));
        let at_least = if one.down_at.is_none() { "at least " } else { "" };
        let cost = instances::cost(dataset, one)
            .map(|(amount, currency)| format!("{at_least}{} {currency}", money(amount)));
        table.push([
            TableCell::target(&one.target, view::series(analysis, &one.target)),
            TableCell::text(count(one.number.into())),
            match (&one.endpoint, &one.ssh) {
                (None, Some(ssh)) => TableCell::text(ssh),
                (endpoint, ssh) => TableCell::text(or_nothing(endpoint.clone()))
                    .with_note(ssh.as_deref().unwrap_or_default()),
            },
            TableCell::text(labels.join(", ")),
            TableCell::text(match dataset.study.host_instance(&one.target) {
                Some(_) => NOTHING.to_owned(),
                None => count(ran.count() as u64),
            }),
            TableCell::text(or_nothing(one.up_at.map(|at| duration(at.since(one.began_at))))),
            TableCell::text(format!("{at_least}{there}")),
            TableCell::text(or_nothing(cost)),
            TableCell::text(one.trouble.as_deref().unwrap_or_default()),
        ]);
    }
    Some(table.without_empty_columns())
}
