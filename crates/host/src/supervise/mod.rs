//! What ends whatever was started when nobody wants it any more, however weighin itself ends.
//!
//! A [`Guardian`] is for everything: two small processes, of which one may be killed as well. What has to go
//! on working for as long as it is wanted has a keeper besides: the process that runs the commands of
//! something the user provisions, and the one that holds a network's namespace.

mod guardian;
mod keeper;
mod network;
mod running;

pub(crate) use self::guardian::{Charge, Guardian, NAME, kill_servers};
pub(crate) use self::keeper::{Answer, Order};
pub use self::keeper::{KEEPER_COMMAND, keep};
pub use self::network::ADDRESSES;
pub(crate) use self::network::Network;
