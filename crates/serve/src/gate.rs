//! What every request passes before it is answered: whom it is meant for, and who asks.

use crate::door::Door;
use crate::places::Place;
use crate::policy;
use crate::token::{SESSION, Token};
use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::header::{
    AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, HeaderValue, LOCATION, ORIGIN, SET_COOKIE,
    WWW_AUTHENTICATE,
};
use hyper::service::Service;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::service::TowerToHyperService;
use report::site;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// How long an answer may take to begin.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// Bytes of a form, and how long it may take to come.
const LARGEST_FORM: usize = 8 << 10;
const FORM_TIMEOUT: Duration = Duration::from_secs(10);

/// Stands before a router.
pub(crate) struct Gate {
    door: Door,
    /// What the cookie of a session is called: those of other ports of this machine come along.
    cookie: String,
    pages: TowerToHyperService<Router>,
}

impl Gate {
    pub(crate) fn new(door: Door, port: u16, pages: Router) -> Self {
        Self { door, cookie: format!("weighin-{port}"), pages: TowerToHyperService::new(pages) }
    }

    /// Who is not let in keeps no place for it.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        place: &Arc<Place>,
    ) -> Response<Body> {
        let mut response = match self.refusal(&request) {
            Some(refused) => refused,
            None => self.admitted(request, place).await,
        };
        policy::dress(&mut response);
        response
    }

    /// Where the request is not meant for this door, or made by a page of another site.
    fn refusal(&self, request: &Request<Incoming>) -> Option<Response<Body>> {
        if is_foreign(request.method(), request.headers()) {
            let help = "A page of another site may lead here, but not use what is here.";
            return Some(page(StatusCode::FORBIDDEN, site::message_page("Another site", help)));
        }
        let mut hosts = request.headers().get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
        let named = request.uri().authority().is_none_or(|named| self.door.is_for(named.as_str()));
        if hosts.next().is_none() && named && self.door.is_for(host) {
            return None;
        }
        let help = format!(
            "Open this page by the IP address of the machine, as localhost, or by a name that weighin \
             was given with {}.",
            self.door.name_option()
        );
        Some(page(StatusCode::MISDIRECTED_REQUEST, site::message_page("Another host", &help)))
    }

    async fn admitted(&self, request: Request<Incoming>, place: &Arc<Place>) -> Response<Body> {
        if let Some(token) = &self.door.token {
            if request.uri().path() == "/login" {
                return self.login(token, request).await;
            }
            if !self.knows(token, request.headers()) {
                return login_page(false);
            }
        }
        place.answering(self.answered(request)).await
    }

    async fn answered(&self, request: Request<Incoming>) -> Response<Body> {
        match timeout(ANSWER_TIMEOUT, self.pages.call(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(never)) => match never {},
            Err(_) => page(
                StatusCode::SERVICE_UNAVAILABLE,
                site::message_page("Not ready", "It takes longer than usual. Try again later."),
            ),
        }
    }

    /// Whether who asks knows the token, or gave it before.
    fn knows(&self, token: &Token, headers: &HeaderMap) -> bool {
        let bearer = headers.get(AUTHORIZATION).and_then(|given| {
            let (scheme, given) = given.as_bytes().split_at_checked(7)?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then(|| given.trim_ascii())
        });
        if let Some(given) = bearer {
            return token.is(given);
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut own = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| {
            let (name, value) = cookie.trim().split_once('=')?;
            (name == self.cookie).then_some(value)
        });
        own.next().is_some_and(|id| token.has_session(id.as_bytes(), Instant::now()))
    }

    async fn login(&self, token: &Token, request: Request<Incoming>) -> Response<Body> {
        if request.method() != Method::POST || !is_own(request.headers()) {
            return login_page(false);
        }
        let form = axum::body::to_bytes(Body::new(request.into_body()), LARGEST_FORM);
        let Ok(Ok(form)) = timeout(FORM_TIMEOUT, form).await else { return login_page(true) };
        let given =
            form.split(|&byte| byte == b'&').find_map(|field| field.strip_prefix(b"token="));
        // A plus is a space, which no token has.
        let given =
            percent_encoding::percent_decode(given.unwrap_or_default()).collect::<Vec<u8>>();
        let session = token.is(given.trim_ascii()).then(|| token.begin_session(Instant::now()));
        let Some(Some(id)) = session else { return login_page(true) };
        let secure = if self.door.tls.is_some() { "; Secure" } else { "" };
        let cookie = format!(
            "{}={id}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}{secure}",
            self.cookie,
            SESSION.as_secs()
        );
        let mut response = page(StatusCode::SEE_OTHER, String::new());
        let headers = response.headers_mut();
        headers.insert(LOCATION, HeaderValue::from_static("/"));
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            headers.insert(SET_COOKIE, cookie);
        }
        response
    }
}

/// Whether a page of another site has a browser ask, other than by leading its visitor here: it could
/// not read the answer, but make work. Programs that are no browsers do not say.
fn is_foreign(method: &Method, headers: &HeaderMap) -> bool {
    let is = |name, value: &str| headers.get(name).is_some_and(|given| given == value);
    let from_elsewhere = is("sec-fetch-site", "cross-site") || is("sec-fetch-site", "same-site");
    let leads_here = method == Method::GET
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document");
    from_elsewhere && !leads_here
}

/// Whether a form comes from a page of this place; programs that are no browsers do not say.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let Some(origin) = text(ORIGIN) else { return true };
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == text(HOST)
}

fn login_page(was_wrong: bool) -> Response<Body> {
    let mut response = page(StatusCode::UNAUTHORIZED, site::login_page(was_wrong));
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// An answer for people.
pub(crate) fn page(status: StatusCode, page: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(page.into());
    *response.status_mut() = status;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    response
}
