//! Sessions whose statements are sent without waiting.

use super::peer::{Said, Talk};
use super::{failed, script};
use engine::{Event, Session};
use model::ErrorClass;

const TRANSFER: &str = "\\set id 5\n\\startpipeline\nBEGIN;\nUPDATE t SET v = v - 1 WHERE id = :id;\n\
                        SELECT v FROM t WHERE id = :id;\nCOMMIT;\n\\endpipeline\n";

/// Messages that the session has said since, by their types.
fn said(talk: &mut Talk) -> String {
    let said = std::mem::take(&mut talk.said);
    let (mut types, mut rest) = (String::new(), said.as_slice());
    while let [tag, a, b, c, d, ..] = *rest {
        types.push(char::from(tag));
        rest = &rest[1 + i32::from_be_bytes([a, b, c, d]) as usize..];
    }
    types
}

fn talk(text: &str, piece: usize) -> Talk {
    let mut talk = Talk::new(script(text, true), piece);
    talk.said.clear();
    talk
}

#[test]
fn one_sync_ends_all_statements_and_each_is_answered_by_name_however_bytes_come() {
    for piece in [1, 7, 4096] {
        let mut talk = talk(TRANSFER, piece);
        for _ in 0..3 {
            talk.peer.script.extend([None, None, Some(Said::Rows(vec![Some("1"), Some("2")]))]);
            assert!(matches!(talk.operation().unwrap(), Event::Done));
            assert_eq!(said(&mut talk), "BEBEBEBES");
            let answered = talk.answered();
            assert_eq!(answered, [(0, false, 0), (1, false, 1), (2, false, 2), (3, false, 0)]);
        }
        assert_eq!(talk.tally.kinds[..7], [3, 0, 3, 0, 3, 3, 0]);
        assert_eq!(talk.peer.executed.len(), 12);
        assert_eq!(talk.peer.executed[1], "UPDATE t SET v = v - 1 WHERE id = $1");
    }
}

#[test]
fn after_a_refusal_the_server_passes_over_the_rest_and_what_is_open_is_rolled_back() {
    let refusal = |fatal| Some(Said::Refusal { state: "40001", fatal });
    for piece in [1, 5, 4096] {
        let mut talk = talk(TRANSFER, piece);
        talk.peer.script.extend([None, refusal(false)]);
        let error = failed(talk.operation().unwrap());
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::Conflict, "40001"));
        assert_eq!(talk.session.refused_statement(), Some(1));
        // The rest was sent, and not carried out.
        assert_eq!(said(&mut talk), "BEBEBEBESQ");
        assert_eq!(talk.peer.executed[1..], ["UPDATE t SET v = v - 1 WHERE id = $1", "ROLLBACK"]);
        assert_eq!(talk.answered(), [(0, false, 0), (1, true, 0)]);
        assert_eq!(talk.tally.kinds[..7], [0, 0, 1, 0, 1, 0, 1]);
        assert!(matches!(talk.operation().unwrap(), Event::Done));
    }
    // Where no BEGIN stands in it the server has rolled back itself.
    let text = "\\startpipeline\nUPDATE t SET v = 1;\nUPDATE t SET v = 2;\n\\endpipeline\n";
    let mut own = talk(text, 3);
    own.peer.script.extend([None, refusal(false)]);
    assert_eq!(failed(own.operation().unwrap()).class, ErrorClass::Conflict);
    assert_eq!(own.session.refused_statement(), Some(1));
    assert_eq!(own.peer.executed, ["UPDATE t SET v = 1", "UPDATE t SET v = 2"]);
    // After the last word of a server there is no connection.
    let mut last = talk(TRANSFER, 64);
    last.peer.script.extend([None, Some(Said::Refusal { state: "57P01", fatal: true })]);
    assert_eq!(failed(last.operation().unwrap()).class, ErrorClass::Connection);
    assert_eq!(said(&mut last), "BEBEBEBES");
}

/// A constraint that is checked at the end, for example.
#[test]
fn a_commit_that_is_refused_is_blamed_on_the_last_statement() {
    let mut talk = talk("\\startpipeline\nUPDATE t SET v = 1;\n\\endpipeline\nSELECT 1;", 9);
    talk.peer.refuses_at_sync = Some("23503");
    let error = failed(talk.operation().unwrap());
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::Constraint, "23503"));
    assert_eq!((talk.session.refused_statement(), talk.answered()), (Some(0), vec![(0, false, 1)]));
    assert_eq!(talk.peer.executed, ["UPDATE t SET v = 1"]);
}

#[test]
fn a_pause_in_a_pipeline_holds_what_stands_before_it() {
    let text = "\\startpipeline\nSELECT 1;\n\\sleep 2 ms\nSELECT 2;\n\\endpipeline\nSELECT 3;";
    let mut talk = talk(text, 11);
    for _ in 0..2 {
        assert!(matches!(talk.operation().unwrap(), Event::Pause(_)));
        assert_eq!(said(&mut talk), "");
        assert!(matches!(talk.resume().unwrap(), Event::Done));
        assert_eq!(said(&mut talk), "BEBESBES");
        assert_eq!(
            talk.peer.executed.drain(..).collect::<Vec<_>>(),
            ["SELECT 1", "SELECT 2", "SELECT 3"]
        );
    }
}

#[test]
fn a_value_that_cannot_be_computed_leaves_the_pipeline_unsent() {
    let text =
        "\\startpipeline\nBEGIN;\n\\set x :client_id / 0\nSELECT :x;\nCOMMIT;\n\\endpipeline";
    let mut talk = talk(text, 64);
    let error = failed(talk.operation().unwrap());
    assert_eq!((error.class, talk.session.refused_statement()), (ErrorClass::Statement, None));
    assert_eq!((said(&mut talk), talk.peer.executed.len()), (String::new(), 0));
}

/// A text that cannot be prepared travels in a pipeline too, with a statement of its own.
#[test]
fn a_statement_whose_words_change_is_sent_as_it_is() {
    let text = "\\set n random(7, 7) + :client_id\n\\startpipeline\nSELECT v FROM t_:n WHERE a = :n;\n\
                SELECT 1;\n\\endpipeline";
    let mut talk = talk(text, 64);
    talk.peer.script.push_back(Some(Said::Rows(vec![None])));
    assert!(matches!(talk.operation().unwrap(), Event::Done));
    assert_eq!(said(&mut talk), "PBEBES");
    assert_eq!(talk.peer.executed, ["SELECT v FROM t_7 WHERE a = 7", "SELECT 1"]);
    assert_eq!(talk.answered(), [(0, false, 1), (1, false, 100)]);
}

#[test]
fn answers_that_nobody_asked_for_end_the_session() {
    let mut talk = talk("\\startpipeline\nSELECT 1;\n\\endpipeline", 64);
    talk.peer.says_twice = true;
    assert!(talk.operation().is_err());
}
