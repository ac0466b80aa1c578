//! Who is connected, and who has to make room where there are too many.
//!
//! Whoever is being answered keeps its connection. All others can be closed: those that have sent no
//! request yet, or not all of one, those without the token, and those that wait between two requests. So
//! connections that say nothing keep nobody out, however many they are.

use axum::body::Body;
use hyper::Response;
use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::Notify;

/// Connections at a time.
pub(crate) const MOST_PLACES: usize = 512;
/// Connections from one address that are not being answered.
const MOST_IDLE_OF_ONE: usize = MOST_PLACES / 2;

/// All connections.
#[derive(Default)]
pub(crate) struct Places {
    taken: Mutex<Taken>,
    /// Told of each one that has ended, or can be closed from now on.
    freed: Notify,
}

#[derive(Default)]
struct Taken {
    /// By their numbers.
    visits: BTreeMap<u64, Visit>,
    /// Counts arrivals and ends of answers: what came earlier has the lower number.
    turn: u64,
}

struct Visit {
    network: IpAddr,
    /// Since which turn it is not being answered.
    idle_since: Option<u64>,
    leave: Arc<Notify>,
}

/// A connection's place, until it is dropped.
pub(crate) struct Place {
    all: Arc<Places>,
    number: u64,
    leave: Arc<Notify>,
}

/// A connection that is being answered, until this is dropped.
struct Answering(Arc<Place>);

impl Places {
    /// A place for a connection from that address, as soon as there is one.
    pub(crate) async fn enter(self: &Arc<Self>, address: IpAddr) -> Place {
        loop {
            let freed = self.freed.notified();
            if let Some(place) = self.try_enter(address) {
                return place;
            }
            freed.await;
        }
    }

    /// `None` where all places are taken by connections that are being answered.
    fn try_enter(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let network = network(address);
        let mut taken = self.taken();
        if taken.idle_of(network) >= MOST_IDLE_OF_ONE {
            taken.close_longest_idle(network);
        }
        if taken.visits.len() >= MOST_PLACES {
            let crowd = taken.largest_crowd()?;
            taken.close_longest_idle(crowd);
        }
        taken.turn += 1;
        let (number, leave) = (taken.turn, Arc::new(Notify::new()));
        let visit = Visit { network, idle_since: Some(number), leave: Arc::clone(&leave) };
        taken.visits.insert(number, visit);
        Some(Place { all: Arc::clone(self), number, leave })
    }

    /// Waits until nobody is connected.
    pub(crate) async fn are_empty(&self) {
        loop {
            let freed = self.freed.notified();
            if self.taken().visits.is_empty() {
                return;
            }
            freed.await;
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn idle_of(&self, network: IpAddr) -> usize {
        let of_it = |visit: &&Visit| visit.network == network && visit.idle_since.is_some();
        self.visits.values().filter(of_it).count()
    }

    /// Whose connections that are not being answered are the most; of equals those that came first.
    fn largest_crowd(&self) -> Option<IpAddr> {
        let mut crowds: HashMap<IpAddr, (usize, std::cmp::Reverse<u64>)> = HashMap::new();
        for visit in self.visits.values() {
            let Some(since) = visit.idle_since else { continue };
            let since = std::cmp::Reverse(since);
            let crowd = crowds.entry(visit.network).or_insert((0, since));
            *crowd = (crowd.0 + 1, crowd.1.max(since));
        }
        crowds.into_iter().max_by_key(|(_, crowd)| *crowd).map(|(network, _)| network)
    }

    fn close_longest_idle(&mut self, network: IpAddr) {
        let of_it = self.visits.iter().filter(|(_, visit)| visit.network == network);
        let idle = of_it.filter_map(|(number, visit)| Some((visit.idle_since?, *number)));
        if let Some(visit) = idle.min().and_then(|(_, number)| self.visits.remove(&number)) {
            visit.leave.notify_one();
        }
    }
}

impl Place {
    /// Waits until another connection gets the place of this one.
    pub(crate) async fn is_lost(&self) {
        self.leave.notified().await;
    }

    /// Keeps the place for as long as an answer takes, to the end of what it sends.
    pub(crate) async fn answering(
        self: &Arc<Self>,
        answer: impl Future<Output = Response<Body>>,
    ) -> Response<Body> {
        self.set_idle(false);
        let answering = Answering(Arc::clone(self));
        answer.await.map(|body| Body::new(Kept { body, _answering: answering }))
    }

    fn set_idle(&self, is_idle: bool) {
        let mut taken = self.all.taken();
        taken.turn += 1;
        let turn = taken.turn;
        if let Some(visit) = taken.visits.get_mut(&self.number) {
            visit.idle_since = is_idle.then_some(turn);
        }
        drop(taken);
        if is_idle {
            self.all.freed.notify_waiters();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // It may have been given away.
        self.all.taken().visits.remove(&self.number);
        self.all.freed.notify_waiters();
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.set_idle(true);
    }
}

/// What is sent in an answer.
struct Kept {
    body: Body,
    _answering: Answering,
}

impl HttpBody for Kept {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// What one visitor is likely to have all of: an address, and of IPv6 a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        [127, 0, 0, last].into()
    }

    fn is_kept(place: &Place) -> bool {
        place.all.taken().visits.contains_key(&place.number)
    }

    #[test]
    fn who_says_nothing_makes_room_and_who_is_answered_stays() {
        let places = Arc::new(Places::default());
        let enter = |last| Arc::new(places.try_enter(address(last)).expect("room"));
        let answered = enter(1);
        answered.set_idle(false);
        let other = enter(2);
        let silent: Vec<_> = (0..2000).map(|_| enter(1)).collect();
        assert_eq!(places.taken().idle_of(address(1)), MOST_IDLE_OF_ONE);
        // Its address has the fewest.
        assert!(is_kept(&answered) && is_kept(&other));
        let (early, late) = silent.split_at(2000 - MOST_IDLE_OF_ONE);
        assert!(!early.iter().any(|place| is_kept(place)));
        assert!(late.iter().all(|place| is_kept(place)));
        // From many addresses, the longest idle goes first.
        let many: Vec<_> = (0..1000).map(|n| enter(3 + (n % 250) as u8)).collect();
        assert!(places.taken().visits.len() <= MOST_PLACES);
        assert!(is_kept(&answered) && is_kept(many.last().expect("many")));
        // Whoever has been answered is the last to go.
        answered.set_idle(true);
        let _more: Vec<_> = (0..100).map(|n| enter(3 + n)).collect();
        assert!(is_kept(&answered));
    }

    #[test]
    fn where_all_are_answered_the_next_one_waits() {
        let places = Arc::new(Places::default());
        let answered: Vec<_> = (0..MOST_PLACES)
            .map(|_| {
                let place = places.try_enter(address(1)).expect("room");
                place.set_idle(false);
                place
            })
            .collect();
        assert!(places.try_enter(address(2)).is_none());
        answered[7].set_idle(true);
        assert!(places.try_enter(address(2)).is_some());
        assert!(!is_kept(&answered[7]) && is_kept(&answered[8]));
        drop(answered);
        assert!(places.taken().visits.is_empty());
    }

    #[test]
    fn networks_of_one_visitor_are_one() {
        let of = |text: &str| network(text.parse().expect("an address"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.2"), of("10.0.0.1"));
    }
}
