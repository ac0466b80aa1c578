//! Files that are no study files.

use study::{StudyError, load};

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in:\n{message}");
    }
}

#[test]
fn files_that_are_no_study_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |name: &str, bytes: Option<&[u8]>| {
        let path = dir.path().join(name);
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).unwrap();
        }
        load(&path).expect_err(name)
    };
    assert!(matches!(refused("empty", Some(b"")), StudyError::Empty { .. }));
    assert!(matches!(refused("comment", Some(b"# only\n\n")), StudyError::Empty { .. }));
    assert!(matches!(
        refused("binary", Some(b"[study]\xff\0")),
        StudyError::NotText { offset: 7, .. }
    ));
    assert!(matches!(refused("nul", Some(b"\0\0\0\0")), StudyError::Invalid { .. }));
    let large = vec![b'#'; (1 << 20) + 1];
    assert!(matches!(refused("large", Some(&large)), StudyError::TooLarge { .. }));
    assert_says(&refused("missing", None).to_string(), &["missing", "`weighin init`"]);
    let directory = load(dir.path()).expect_err("a directory is no study file").to_string();
    assert_says(&directory, &["directory", "name the study file"]);
}
