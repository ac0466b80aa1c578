//! Writes a made-up report to standard output, to look at while working on its design:
//! `cargo run -p report --example sample -- [latencies|usual|hostile|huge|enormous|single|crossing|failures|acceptance|crowd] > sample.html`.

#[path = "../tests/support/mod.rs"]
mod support;

fn main() -> std::io::Result<()> {
    let dataset = match std::env::args().nth(1).as_deref() {
        Some("hostile") => support::hostile(),
        Some("huge") => support::huge(),
        Some("enormous") => support::enormous(),
        Some("single") => support::single(),
        Some("crossing") => support::crossing(),
        Some("failures") => support::failures(),
        Some("acceptance") => support::acceptance(),
        Some("crowd") => support::crowd(50),
        Some("usual") => support::usual(),
        _ => support::with_latencies(),
    };
    let analysis = support::analysis(&dataset);
    report::render(&analysis, report::Format::Html, &mut std::io::stdout().lock())
}
