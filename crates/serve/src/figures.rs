//! The figures of a run of this process, for programs that collect them.

use crate::door::Door;
use crate::exposition::TextFormat;
use crate::gate::page;
use crate::server::Server;
use crate::{give_way, no_thread};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};
use model::{Failure, Stop};
use report::site;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Gives all figures as they are now; `None` when there are no more.
pub type Answer = Arc<dyn Fn(TextFormat) -> Option<String> + Send + Sync>;

/// An address that is listened on, and answered at as soon as there is something to say.
pub struct FigureListener {
    server: Server,
    is_encrypted: bool,
}

/// Figures over HTTP until it is dropped.
pub struct Figures {
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl FigureListener {
    /// # Errors
    /// When the address cannot be listened on.
    pub fn bind(door: Door) -> Result<Self, Failure> {
        let is_encrypted = door.tls.is_some();
        Ok(Self { server: Server::bind(door)?, is_encrypted })
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Where it can be asked.
    pub fn url(&self) -> String {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        format!("{scheme}://{}/metrics", self.address())
    }

    /// Answers from here on, in a thread of its own at the lowest priority.
    ///
    /// # Errors
    /// When there can be no such thread.
    pub fn serve(self, answer: Answer) -> Result<Figures, Failure> {
        let stop = Stop::default();
        let ended = stop.clone();
        let serve = move || {
            give_way();
            // An address that was listened on before goes on being so.
            let _ = self.server.run(|_| router(answer), &ended);
        };
        let thread = thread::Builder::new().name("metrics".to_owned()).spawn(serve);
        Ok(Figures { stop, thread: Some(thread.map_err(|error| no_thread(&error))?) })
    }
}

impl Drop for Figures {
    fn drop(&mut self) {
        self.stop.request();
        if let Some(thread) = self.thread.take() {
            // If it panicked, the panic hook has said so.
            let _ = thread.join();
        }
    }
}

fn router(answer: Answer) -> Router {
    let place = "The figures of this run are at /metrics.";
    Router::new()
        .route(
            "/",
            get(move || async move { page(StatusCode::OK, site::notice_page("weighin", place)) }),
        )
        .route("/metrics", get(figures))
        .fallback(move || async move {
            page(StatusCode::NOT_FOUND, site::notice_page("Not found", place))
        })
        .with_state(answer)
}

async fn figures(State(answer): State<Answer>, headers: HeaderMap) -> Response<Body> {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let format = TextFormat::asked(&accepts.collect::<Vec<_>>().join(","));
    // Who makes the answer may take a moment; others are listened to meanwhile.
    let made = tokio::task::spawn_blocking(move || answer(format)).await;
    let Ok(Some(text)) = made else {
        let said = site::notice_page("Not ready", "The run has ended.");
        return page(StatusCode::SERVICE_UNAVAILABLE, said);
    };
    let mut response = Response::new(Body::from(text));
    let kind = HeaderValue::from_static(format.content_type());
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
