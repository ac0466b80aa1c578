//! What browsers may do with a page.

use axum::body::Body;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Response;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// Style sheets and scripts are those of weighin alone, known by their digests: whatever a name or a
/// message of a study smuggled into a page would stay text. Nothing is loaded from elsewhere.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let sources = |texts: &[String]| -> String {
        texts
            .iter()
            .map(|text| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(text))))
            .collect()
    };
    let policy = format!(
        "default-src 'none'; style-src{}; script-src{}; connect-src 'self'; img-src data:; form-action \
         'self'; base-uri 'none'; frame-ancestors 'none'",
        sources(&report::site::styles()),
        sources(&report::site::scripts()),
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// Tells browsers the rules.
pub(crate) fn dress(response: &mut Response<Body>) {
    let headers = response.headers_mut();
    let fixed = |name: &'static str| HeaderName::from_static(name);
    headers.insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // With no-referrer a browser sends the login form with the origin `null`.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let same_origin = HeaderValue::from_static("same-origin");
    headers.insert(fixed("cross-origin-resource-policy"), same_origin.clone());
    headers.insert(fixed("cross-origin-opener-policy"), same_origin);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_permits_what_pages_hold_and_nothing_else() {
        let policy = POLICY.to_str().unwrap();
        assert!(!["-inline", "-eval", "*"].iter().any(|loose| policy.contains(loose)), "{policy}");
        let mut report = Vec::new();
        let study = test_support::study(&["a", "b"], &[1, 2], 2);
        let plan = test_support::plan(&study, 0);
        let of = |trial: &model::Trial| {
            test_support::record(trial, test_support::load(trial.key.level.clients, 100.0))
        };
        let dataset = test_support::dataset(study, plan, of);
        report::render(&analyse::analyse(&dataset), report::Format::Html, &mut report).unwrap();
        let pages = [
            String::from_utf8(report).unwrap(),
            report::site::list_page("/", &[]),
            report::site::login_page(true),
        ];
        for page in pages {
            let mut rest = page.as_str();
            let mut found = 0;
            while let Some((tag, after)) = ["<style>", "<script>"]
                .iter()
                .filter_map(|tag| Some((*tag, rest.find(tag)?)))
                .min_by_key(|(_, at)| *at)
            {
                let end = tag.replace('<', "</");
                let (inner, after) = rest[after + tag.len()..].split_once(&end).unwrap();
                assert!(
                    policy.contains(&STANDARD.encode(Sha256::digest(inner))),
                    "{tag} of a page"
                );
                rest = after;
                found += 1;
            }
            assert!(found >= 2);
            for forbidden in
                [" style=", " onclick=", " onload=", "<script src", "<link rel=\"style"]
            {
                assert!(!page.contains(forbidden), "{forbidden}");
            }
        }
    }
}
