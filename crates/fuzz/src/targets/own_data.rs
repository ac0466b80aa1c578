//! What the data of a user's own is made from: scripts of statements, CSV files, option files.

use super::{KIB, MIB};
use crate::Target;
use model::{OutlineColumn, OutlineTable, SqlSyntax, System};
use settings::{MARIADB, REDIS};
use workload::data::{CsvReader, ScriptReader, ScriptSyntax, StatementFacts};
use workload::draft::{draft, without_values};

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
    backslash_lines: true,
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
            drafts(text);
        }
    },
    seeds: || {
        let texts = [
            "/*!50001 CREATE VIEW `v` AS SELECT 1 */;\nDELIMITER //\nCREATE TRIGGER t BEFORE INSERT ON \
             o FOR EACH ROW BEGIN SET @a = 'x;'; END//\nDELIMITER ;\nSELECT $b$ ; $b$ -- c\n# d\n",
            "id,\"na\"\"me\"\r\n1,\n\\N,\"a\nb\"\n",
            "\\restrict x\nCOPY public.t (a, \"b\") FROM stdin;\n1\t\\N\na\\tb\t\\x41\\101\\\\\n\\.\nSELECT 1;\n",
            "# Query_time: 0.5\nSET timestamp=1;\nSELECT `a` FROM t -- x\nWHERE id IN (1, 2) AND b = 'x''y' LIMIT 2, 5;\n",
            "x LOG:  duration: 0.5 ms  execute S_1: SELECT \"a\"::int FROM t\n\tWHERE id BETWEEN $1 AND $2 AND b = $x$;$x$\n\
             x LOG:  statement: INSERT INTO t (id, b) VALUES (1, E'\\'')\n",
            "2026-01-01 0,a,b,1,c,s,3,SELECT,2026-01-01 0,3/1,0,LOG,00000,\"duration: 0.5 ms  statement: SELECT \
             a FROM t\nWHERE id = ANY(ARRAY[1, 2]::int[])\",,,,,,,,,p,b,,0\n\
             {\"error_severity\":\"LOG\",\"message\":\"duration: 1 ms  statement: WITH x AS (SELECT a FROM t)\\n\
             SELECT * FROM x JOIN t u ON u.id = 5\"}\n",
            "WITH RECURSIVE x (n) AS MATERIALIZED (DELETE FROM t WHERE id <> ALL(?::a.b[]) RETURNING a), y AS \
             (SELECT 1) INSERT INTO t (id, a) VALUES (?, ?) RETURNING id, a",
            "[mysqld]\ninnodb-buffer-pool-size = 1G # much\n!includedir conf.d\nskip-name-resolve\n",
        ];
        texts.map(|text| text.as_bytes().to_vec()).into()
    },
    mutations: 300,
    longest: 8 * KIB,
    memory: 8 * MIB,
    dictionary: dictionary!(own_data),
};

/// The text as the logs of both kinds of servers, and as a statement that one has kept.
fn drafts(text: &str) {
    let column = |name: &str, range| OutlineColumn {
        name: name.to_owned(),
        is_integer: true,
        is_unique: name == "id",
        range,
    };
    let columns = vec![column("id", Some((1, 9))), column("a", None), column("b", None)];
    let tables = [OutlineTable { name: "t".to_owned(), rows: 9, columns }];
    let logged = [
        (System::Mysql, mysql::fuzzing::log(text).statements),
        (System::Postgres, postgres::fuzzing::log(text).statements),
    ];
    for (system, statements) in logged {
        let syntax = system.facts().sql.copied().unwrap_or(SqlSyntax::STANDARD);
        let texts = statements.into_iter().map(|one| one.text);
        for one in texts.chain([text.to_owned(), without_values(text, &syntax)]) {
            let Ok(drafted) = draft(&one, &tables, &syntax) else { continue };
            // A server that prepares it must not run anything that follows.
            assert!(!drafted.marked.contains(';'), "{}", drafted.marked);
        }
    }
}

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
        let _ = StatementFacts::from_text(&statement.text, &SYNTAX);
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
