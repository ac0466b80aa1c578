//! The studies that documents show are valid: each TOML block, completed by what it leaves out.

use std::path::{Path, PathBuf};
use study::load;

const STUDY: &str = "[study]\nname = \"shown\"\n";

/// A target and a test that go together, for blocks that lack one of the two.
struct Rest {
    target: &'static str,
    test: &'static str,
}

const SERVER: Rest = Rest {
    target: "[[target]]\nname = \"shown\"\nsandbox = { trusted = true }\n\
             [[target]]\nname = \"other\"\nsandbox = { trusted = true }\n",
    test: "[[test]]\nworkload = \"oltp_read_write\"\nclients = 8\n",
};
const ELSEWHERE: Rest = Rest {
    target: "[[target]]\nname = \"shown\"\nurl = \"mysql://shown.internal/sbtest\"\n",
    test: SERVER.test,
};
/// On machines that share nothing.
const SIDE_BY_SIDE: Rest = Rest {
    target: "[[host]]\nname = \"node1\"\nssh = \"root@node1.internal\"\n\
             [[host]]\nname = \"node2\"\nssh = \"root@node2.internal\"\n\
             [[target]]\nname = \"shown\"\nkind = \"storage\"\nvolumes = [\"/mnt/shown\"]\nhost = \"node1\"\n\
             [[target]]\nname = \"other\"\nkind = \"storage\"\nvolumes = [\"/mnt/shown\"]\nhost = \"node2\"\n",
    test: STORAGE.test,
};
const NODES: &str = "[[host]]\nname = \"node1\"\nssh = \"root@node1.internal\"\n\
                     [[host]]\nname = \"node2\"\nssh = \"root@node2.internal\"\n\
                     [[host]]\nname = \"node3\"\nssh = \"root@node3.internal\"\n";
const FLEET: &str = "[fleet]\nnats = \"tls://broker.internal:4222\"\ntoken_file = \"token\"\n";
const KEYS: Rest = Rest {
    target: "[[target]]\nname = \"shown\"\nkind = \"redis\"\nsandbox = {}\n",
    test: "[[test]]\nworkload = \"key_value\"\nclients = 8\n",
};
const STORAGE: Rest = Rest {
    target: "[[target]]\nname = \"shown\"\nkind = \"storage\"\nvolumes = [\"/mnt/shown\"]\n",
    test: "[[test]]\nworkload = \"storage\"\npattern = \"t1 o1 b4k\"\nvms = 6\ndata = \"1GiB\"\n",
};
const GROUP: Rest = Rest {
    target: "[[target]]\nname = \"shown\"\nsandbox = { replicas = 1 }\n",
    test: SERVER.test,
};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    for directory in ["docs", "docs/studies"] {
        let entries = std::fs::read_dir(root.join(directory)).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    pages
}

fn blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap())
}

/// The files that a page shows: blocks of SQL, CSV and options with a name.
fn write_files(page: &str, directory: &Path) {
    for kind in ["sql", "csv", "ini"] {
        for block in page.split(&format!("\n```{kind} ")).skip(1) {
            let (name, text) = block.split_once('\n').unwrap();
            let path = directory.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text.split("```").next().unwrap()).unwrap();
        }
    }
}

/// The block as a whole study.
fn completed(block: &str) -> String {
    let has = |part: &str| block.lines().any(|line| line.trim_start().starts_with(part));
    let rest = if has("parallel = true") {
        SIDE_BY_SIDE
    } else if has("task = \"catch_up\"") || has("task = \"failover\"") || has("replica_lag") {
        GROUP
    } else if has("workload = \"storage\"") || has("kind = \"storage\"") {
        STORAGE
    } else if has("workload = \"key_value\"") || has("kind = \"redis\"") || has("background_work") {
        KEYS
    } else if has("[[load_host]]") || has("[target.restart]") {
        ELSEWHERE
    } else {
        SERVER
    };
    let first = block.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap();
    let mut whole = String::new();
    // Keys before any table are those of the study.
    if !has("[study]") {
        whole.push_str(STUDY);
    }
    if !first.starts_with('[') {
        whole.push_str(block);
        whole.push_str(rest.target);
        whole.push_str(rest.test);
        return whole;
    }
    if has("hosts = [\"node1\"") {
        whole.push_str(NODES);
    }
    if has("agent") && !has("[fleet]") {
        whole.push_str(FLEET);
    }
    if !has("[[target]]") && !has("[study]") {
        whole.push_str(rest.target);
    }
    if !has("[[test]]") && has("[[test.") {
        whole.push_str(rest.test);
    }
    whole.push_str(block);
    if !has("[[target]]") && has("[study]") {
        whole.push_str(rest.target);
    }
    if !has("[[test]]") && !has("[[test.") {
        whole.push_str(rest.test);
    }
    whole
}

#[test]
fn studies_in_documents_are_valid() {
    let mut wrong = Vec::new();
    let mut shown = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let place = tempfile::tempdir().unwrap();
        write_files(&page, place.path());
        for block in blocks(&page) {
            shown += 1;
            let file = place.path().join(path.file_name().unwrap()).with_extension("toml");
            std::fs::write(&file, completed(block)).unwrap();
            if let Err(error) = load(&file) {
                wrong.push(format!("{}: {error}\n", path.display()));
            }
        }
    }
    assert!(shown > 30, "only {shown} blocks were found");
    assert!(wrong.is_empty(), "{}", wrong.concat());
}
