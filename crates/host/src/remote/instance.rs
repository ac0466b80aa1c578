//! What commands of the user provision on another machine.

use super::channel::Channel;
use super::wire::{Commanded, Order};
use crate::question::{ANSWER_TIMEOUT, InstanceOrder, KeptInstance};
use model::{Failure, FailureKind, Stop};
use std::sync::Arc;
use std::time::Duration;

/// How long a command may take beyond its limit: it may first be told to end, and what follows waits
/// for that.
const END_TIMEOUT: Duration = Duration::from_secs(120);

/// A keeper there holds it, and takes it down when the agent is gone, however that ends.
#[derive(Debug)]
pub(super) struct RemoteInstance {
    channel: Arc<Channel>,
    number: u64,
    limit: Duration,
}

impl RemoteInstance {
    pub(super) fn keep(
        channel: &Arc<Channel>,
        order: InstanceOrder,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let limit = order.limit;
        let number = channel.begin(Order::KeepInstance(order), ANSWER_TIMEOUT, stop)?;
        Ok(Self { channel: Arc::clone(channel), number, limit })
    }

    fn command(
        &self,
        order: Order,
        limit: Duration,
        stop: &Stop,
        said: &mut dyn FnMut(&str),
    ) -> Result<String, Failure> {
        let (ended, lines): Commanded = self.channel.ask(order, limit + END_TIMEOUT, stop)?;
        lines.iter().for_each(|line| said(line));
        // As the channel does with other failures: its words are cut and made visible.
        ended.map_err(|failure| {
            let kind = if failure.is_stop() { FailureKind::Other } else { failure.kind };
            Failure::new(kind, failure.message, failure.remedy)
        })
    }
}

impl KeptInstance for RemoteInstance {
    fn up(&mut self, stop: &Stop, said: &mut dyn FnMut(&str)) -> Result<String, Failure> {
        self.command(Order::BringUp { instance: self.number }, self.limit, stop, said)
    }

    /// To its end, whatever else is to stop.
    fn down(&mut self, said: &mut dyn FnMut(&str)) -> Result<(), Failure> {
        let order = Order::TakeDown { instance: self.number };
        self.command(order, self.limit, &Stop::default(), said).map(drop)
    }
}

impl Drop for RemoteInstance {
    fn drop(&mut self) {
        self.channel.let_go(Order::LetGo { instance: self.number });
    }
}
