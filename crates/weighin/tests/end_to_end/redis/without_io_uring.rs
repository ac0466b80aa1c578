//! A host that does not permit io_uring.

use super::Redis;
use crate::support::{Workplace, adds_up, whole, without_io_uring};

#[test]
fn a_load_goes_by_readiness_and_counts_what_the_server_counts() {
    let place = Workplace::new();
    let server = Redis::start(&[("save", "")]);
    server.weighin(&place, "prepare", &["--keys=1000", "--value-size=100"]).done();
    let arguments = ["--keys=1000", "--value-size=100", "--clients=16", "--pipeline=10"];
    let before = server.calls();
    let Some(ran) = without_io_uring(|| server.load(&place, &arguments)) else { return };
    let (json, after) = (ran.json(), server.calls());
    assert_eq!(json["client_io"], "epoll", "{json:#}");
    adds_up(&json);
    for name in ["get", "set"] {
        let grown = after[name] - before[name];
        assert_eq!(whole(&json, &format!("/requests/{name}/weighin")), grown);
        assert!(grown > 0);
    }
}
