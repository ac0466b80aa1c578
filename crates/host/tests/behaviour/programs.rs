//! Programs that are run to their end on this machine.

use host::{Ended, Host, Local, ProgramOrder};
use model::FailureKind;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn what_goes_to_a_file_of_results_comes_back() {
    let words = ["-c", "cat >\"$1\"; exit 3", "sh"].map(str::to_owned);
    let plain = ProgramOrder::new(Path::new("/bin/sh"), &words, LIMIT);
    let order = ProgramOrder { input: b"measured", result_option: Some(""), ..plain };
    let Ended::Finished(finished) = Local.run(&order, &|| false).unwrap() else { panic!() };
    assert_eq!((finished.result.as_str(), finished.status.code()), ("measured", Some(3)));
}

#[test]
fn a_program_that_cannot_be_run_is_named() {
    assert!(Local.find_program("sh").is_some_and(|path| path.ends_with("sh")));
    assert_eq!(Local.find_program("no-such-tool"), None);
    let order = ProgramOrder::new(Path::new("/no/such-tool"), &[], LIMIT);
    let failure = Local.run(&order, &|| false).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Other);
    assert!(failure.message.starts_with("such-tool could not be run: "), "{failure}");
}
