use engine::Stop;
use std::sync::LazyLock;

/// Long enough ago to be asked twice means business.
static STOP: LazyLock<Stop> = LazyLock::new(Stop::default);

/// What SIGINT and SIGTERM ask to stop. The second signal ends weighin at once; its sandboxes'
/// guardians clean up.
pub(crate) fn stop() -> Stop {
    // Only the first call can install the handler, and one is enough.
    let _ = ctrlc::set_handler(|| {
        if STOP.is_requested() {
            exit_now();
        }
        STOP.request();
    });
    STOP.clone()
}

#[expect(clippy::exit, reason = "the user asked twice; a handler has nowhere to return to")]
fn exit_now() {
    std::process::exit(crate::Exit::Interrupted as i32);
}
