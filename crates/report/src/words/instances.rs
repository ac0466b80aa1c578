//! Instances of provisioned targets, and what they cost.

use crate::numbers::{counted, list, money};
use model::{Dataset, Instance, InstancePer, Price, Target, UnixMillis};
use std::collections::BTreeMap;

/// When an instance was seen last whose end was not: what it is paid for since is not known.
pub(crate) fn last_seen(dataset: &Dataset, instance: &Instance) -> UnixMillis {
    let of_it = dataset
        .trials
        .iter()
        .filter(|trial| dataset.instance_of(trial).is_some_and(|of| of.number == instance.number));
    let last = of_it.map(|trial| trial.finished_at).max();
    last.max(instance.up_at).unwrap_or(instance.began_at)
}

/// What an instance cost by the hour of the price of its target or machine, and in which currency.
pub(crate) fn cost<'a>(dataset: &'a Dataset, instance: &Instance) -> Option<(f64, &'a str)> {
    let target = dataset.study.targets.iter().find(|target| target.name == instance.target);
    let price = match target {
        Some(target) => target.price.as_ref()?,
        None => dataset.study.host_instance(&instance.target)?.price.as_ref()?,
    };
    let hourly = price.fixed_monthly(None)? / Price::MONTH_HOURS;
    let hours = instance.paid_for(last_seen(dataset, instance)).as_secs_f64() / 3600.0;
    Some((hourly * hours, &price.currency))
}

/// What instances mean for what was found, and the bill of the study; nothing where no target comes
/// and goes.
pub(crate) fn sentences(dataset: &Dataset) -> Vec<String> {
    let mut said: Vec<String> =
        dataset.study.targets.iter().filter_map(|t| meant(dataset, t)).collect();
    if dataset.study.aa_control.is_some() && !said.is_empty() {
        said.push(
            "The A/A control ran on the instance of the first target: the noise floor holds nothing of \
             how instances differ."
                .to_owned(),
        );
    }
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for (amount, currency) in dataset.instances.iter().filter_map(|one| cost(dataset, one)) {
        *sums.entry(currency).or_default() += amount;
    }
    if sums.is_empty() {
        return said;
    }
    let sums: Vec<String> =
        sums.iter().map(|(currency, sum)| format!("{} {currency}", money(*sum))).collect();
    let unseen = dataset.instances.iter().filter(|one| one.down_at.is_none()).count();
    let about = if unseen > 0 { "at least" } else { "about" };
    said.push(format!(
        "From the begin of `up` to the end of `down` they cost {about} {}, by the hour of their prices.",
        list(&sums)
    ));
    if unseen > 0 {
        said.push(format!(
            "Of {} the end was not seen: look whether they are gone.",
            counted(unseen, "instance")
        ));
    }
    said
}

/// For what the figures of a target hold.
fn meant(dataset: &Dataset, target: &Target) -> Option<String> {
    let spec = target.instance()?;
    let name = &target.name;
    let used = dataset.instances.iter().filter(|one| {
        one.target == *name
            && dataset.trials.iter().any(|trial| {
                trial.outcome().is_some()
                    && dataset.instance_of(trial).is_some_and(|of| of.number == one.number)
            })
    });
    Some(match (used.count(), spec.per) {
        (0, _) => format!("{name} did not come up."),
        (1, _) => format!(
            "{name} was measured on one instance: what was found holds for this instance, and others of \
             its type may differ."
        ),
        (many, InstancePer::Repeat) => format!(
            "{name} was measured on another instance in each repeat, {many} in all: how instances of its \
             type differ is part of the scatter of its repeats, and of every interval."
        ),
        (many, InstancePer::Study) => format!(
            "{name} was measured on {many} instances, one after another, since the run was interrupted: \
             their difference, if there is one, is in the scatter of its repeats."
        ),
    })
}
