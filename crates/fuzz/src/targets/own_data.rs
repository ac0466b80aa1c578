//! What the data of a user's own is made from: scripts of statements, CSV files, option files.

use super::{KIB, MIB};
use crate::Target;
use settings::{MARIADB, REDIS};
use workload::data::{CsvReader, ScriptReader, ScriptSyntax, StatementFacts};
use workload::draft::{SlowLog, draft};

const SYNTAX: ScriptSyntax = ScriptSyntax {
    quotes: b"'\"`",
    name_quotes: b"`",
    backslash_in: b"'\"",
    hash_comments: true,
    dashes_need_space: true,
    nested_comments: true,
    executed_comments: &[b"!", b"M!"],
    dollar_quotes: true,
    delimiter_lines: true,
};

/// The same bytes as each of them.
pub(super) const OWN_DATA: Target = Target {
    name: "own_data",
    run: |data| {
        statements(data);
        rows(data);
        let _ = MARIADB.lines(data);
        let _ = REDIS.lines(data);
        if let Ok(text) = std::str::from_utf8(data) {
            let mut log = SlowLog::default();
            text.lines().for_each(|line| log.line(line));
            for statement in log.finish() {
                let _ = draft(&statement.text, &[]);
            }
        }
    },
    seeds: || {
        let texts = [
            "/*!50001 CREATE VIEW `v` AS SELECT 1 */;\nDELIMITER //\nCREATE TRIGGER t BEFORE INSERT ON \
             o FOR EACH ROW BEGIN SET @a = 'x;'; END//\nDELIMITER ;\nSELECT $b$ ; $b$ -- c\n# d\n",
            "id,\"na\"\"me\"\r\n1,\n\\N,\"a\nb\"\n",
            "[mysqld]\ninnodb-buffer-pool-size = 1G # much\n!includedir conf.d\nskip-name-resolve\n",
        ];
        texts.map(|text| text.as_bytes().to_vec()).into()
    },
    mutations: 300,
    longest: 8 * KIB,
    memory: 8 * MIB,
    words: &[
        "DELIMITER ",
        "/*!",
        "*/",
        "$$",
        "CREATE TABLE ",
        "`",
        "\"",
        "\\N",
        "!include ",
        "\n[",
    ],
};

fn statements(data: &[u8]) {
    let mut reader = ScriptReader::new(SYNTAX);
    let mut found = Vec::new();
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        if reader.line(line, &mut found).is_err() {
            return;
        }
    }
    found.extend(reader.end().ok().flatten());
    for statement in found {
        assert!(!statement.text.is_empty(), "a statement that is none");
        let _ = StatementFacts::of(&statement.text, &SYNTAX);
    }
}

fn rows(data: &[u8]) {
    let mut reader = CsvReader::default();
    for mut piece in data.chunks(7) {
        while let Ok(Some(row)) = reader.row(&mut piece) {
            assert_eq!(row.fields().count(), row.len());
        }
    }
    let _ = reader.end();
}
