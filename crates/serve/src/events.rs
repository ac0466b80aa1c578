//! Server-sent events: a page hears of what has changed for as long as it is open.

use crate::server::Ending;
use axum::body::Body;
use hyper::body::{Body as HttpBody, Bytes, Frame};
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::timeout;

/// Pages that hear of changes at a time.
pub(crate) const MOST_LISTENERS: usize = 256;
/// After so long without a change something is sent all the same, so that a connection that is gone is
/// noticed.
const BEAT: Duration = Duration::from_secs(15);
/// Browsers come again after so many milliseconds.
const RETRY: u32 = 3000;

/// What is sent to one page.
struct Events {
    frames: mpsc::Receiver<Bytes>,
    /// Its place among the listeners.
    _place: OwnedSemaphorePermit,
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.frames.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// Sends a part of a page now, and anew whenever it is another one after a change; `None` where too many
/// listen already. `part` gives none where there is no such page any more, which ends it.
pub(crate) fn events(
    listeners: &Arc<Semaphore>,
    mut changes: watch::Receiver<u64>,
    mut ending: Ending,
    part: impl Fn() -> Option<String> + Send + 'static,
) -> Option<Response<Body>> {
    let place = Arc::clone(listeners).try_acquire_owned().ok()?;
    let (sender, frames) = mpsc::channel(1);
    tokio::spawn(async move {
        let mut sent = None;
        loop {
            changes.mark_unchanged();
            let Some(now) = part() else { return };
            let frame = match sent.as_ref() == Some(&now) {
                // A comment, which no page sees.
                true => Bytes::from_static(b":\n\n"),
                false => Bytes::from(event(&now)),
            };
            sent = Some(now);
            tokio::select! {
                _ = ending.wait_for(|end| *end) => return,
                sent = sender.send(frame) => if sent.is_err() { return },
            }
            loop {
                tokio::select! {
                    _ = ending.wait_for(|end| *end) => return,
                    () = sender.closed() => return,
                    changed = timeout(BEAT, changes.changed()) => match changed {
                        Ok(Err(_)) => return,
                        // What changes while the part is made is a change of its own.
                        Ok(Ok(())) if part() == sent => {}
                        Ok(Ok(())) | Err(_) => break,
                    },
                }
            }
        }
    });
    let mut response = Response::new(Body::new(Events { frames, _place: place }));
    *response.status_mut() = StatusCode::OK;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // A proxy in between must not wait for more.
    let name = HeaderName::from_static("x-accel-buffering");
    headers.insert(name, HeaderValue::from_static("no"));
    Some(response)
}

/// The event that says so.
fn event(part: &str) -> String {
    let lines: String = part.split(['\n', '\r']).map(|line| format!("data: {line}\n")).collect();
    format!("retry: {RETRY}\n{lines}\n")
}

#[cfg(test)]
mod tests {
    use super::event;

    #[test]
    fn a_part_of_many_lines_is_one_event() {
        assert_eq!(
            event("a\nb\r\nid: 3"),
            "retry: 3000\ndata: a\ndata: b\ndata: \ndata: id: 3\n\n"
        );
    }
}
