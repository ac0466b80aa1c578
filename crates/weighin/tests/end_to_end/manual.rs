//! Completions of shells, and manual pages.

use crate::support::{Ran, Workplace};
use std::process::Command;

#[test]
fn shells_take_their_completions() {
    let place = Workplace::new();
    let of = |shell: &str| place.weighin(&["completions", shell]).done();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = of(shell);
        assert!(script.contains("retry-failed") && script.contains("on-finish"), "{shell}");
        assert!(!script.contains("load-generator-part"), "hidden commands stay hidden");
    }
    place.write("weighin.bash", of("bash"));
    let mut bash = place.surround(Command::new("bash"));
    let line = "source ./weighin.bash; COMP_WORDS=(weighin run --re); COMP_CWORD=2; \
                _weighin weighin --re run; echo ${COMPREPLY[@]}";
    bash.args(["--noprofile", "--norc", "-c", line]);
    assert_eq!(Ran::of(bash).done(), "--resume --retry-failed --read-limit --read-time\n");
    place.weighin(&["completions", "dosbox"]).refused(2, &["possible values", "zsh"]);
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Workplace::new();
    let whole = place.weighin(&["man"]).done();
    assert!(whole.starts_with(".") && whole.contains(".TH weighin 1"), "{whole}");
    let run = place.weighin(&["man", "run"]).done();
    assert!(run.contains(".TH weighin-run 1") && run.contains("on\\-finish"), "{run}");
    for (name, page) in [("", &whole), ("run", &run)] {
        assert!(!page.contains('\u{1b}'), "{name}");
    }
    place.weighin(&["man", "walk"]).refused(2, &["no command `walk`", "run, "]);
}
