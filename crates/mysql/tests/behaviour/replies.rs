//! Replies to commands, as servers of each dialect send them.

use crate::support::{MORE, definition, eof, err, lenenc, ok, packet, packet_from, stream};
use mysql::protocol::{
    Dialect, PrepareReader, Prepared, ProtocolError, Reply, ResponseReader, ServerError,
    TextReader, TextReply, TextRows,
};

const OLD: Dialect = Dialect { deprecate_eof: false, cache_metadata: false, compressed: false };
const NEW: Dialect = Dialect { deprecate_eof: true, cache_metadata: false, compressed: false };
const CACHING: Dialect = Dialect { deprecate_eof: true, cache_metadata: true, compressed: false };

/// A result set of `a` and `b` with those rows, in a dialect.
fn table(dialect: Dialect, status: u16, rows: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut packets = vec![if dialect.cache_metadata { vec![2, 1] } else { vec![2] }];
    packets.extend([definition("a"), definition("b")]);
    if !dialect.deprecate_eof {
        packets.push(eof(0));
    }
    packets.extend_from_slice(rows);
    packets.push(if dialect.deprecate_eof { ok(0xFE, 0, status) } else { eof(status) });
    packets
}

fn row(a: &str, b: Option<&str>) -> Vec<u8> {
    let b = b.map_or(vec![0xFB], |b| lenenc(b.as_bytes()));
    [lenenc(a.as_bytes()), b].concat()
}

/// All replies in a stream that arrives in one piece.
fn replies(dialect: Dialect, bytes: &[u8]) -> Vec<Reply> {
    let mut reader = ResponseReader::new(dialect);
    let (mut at, mut found) = (0, Vec::new());
    while at < bytes.len() {
        let (consumed, reply) = reader.receive(&bytes[at..]).unwrap();
        at += consumed;
        found.extend(reply);
    }
    found
}

fn one(dialect: Dialect, packets: &[Vec<u8>]) -> Reply {
    let mut found = replies(dialect, &stream(1, packets));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn an_ok_packet_tells_how_many_rows_changed() {
    let packets = [[&[0, 0xFC, 0x2C, 0x01, 0][..], &[2, 0, 0, 0], b"Rows matched: 300"].concat()];
    let expected = Reply::Ok { affected_rows: 300, more_results: false };
    assert_eq!(one(NEW, &packets), expected);
    assert_eq!(one(OLD, &packets), expected);
}

#[test]
fn rows_are_counted_in_every_dialect() {
    let rows = [row("", None), row("x", Some("y")), row("z", None)];
    for dialect in [OLD, NEW, CACHING] {
        let packets = table(dialect, 0, &rows);
        assert_eq!(one(dialect, &packets), Reply::Rows { rows: 3, more_results: false });
    }
}

#[test]
fn a_result_set_may_come_without_definitions() {
    let binary_row = vec![0, 0, 1, 2, 3, 4];
    let packets = [vec![2, 0], binary_row.clone(), binary_row, ok(0xFE, 0, 0)];
    assert_eq!(one(CACHING, &packets), Reply::Rows { rows: 2, more_results: false });
}

#[test]
fn an_error_keeps_its_code_state_and_message() {
    let expected =
        ServerError { code: 1213, sql_state: *b"40001", message: "Deadlock found".to_owned() };
    let error = err(1213, "40001", "Deadlock found");
    assert_eq!(one(NEW, std::slice::from_ref(&error)), Reply::Err(Box::new(expected.clone())));
    let mut in_rows = table(NEW, 0, &[row("x", None)]);
    *in_rows.last_mut().unwrap() = error;
    assert_eq!(one(NEW, &in_rows), Reply::Err(Box::new(expected)));
}

#[test]
fn several_results_of_one_command_follow_each_other() {
    for dialect in [OLD, NEW] {
        let mut packets = table(dialect, MORE, &[row("x", None)]);
        packets.push(ok(0, 5, MORE));
        packets.push(ok(0, 0, 0));
        let expected = [
            Reply::Rows { rows: 1, more_results: true },
            Reply::Ok { affected_rows: 5, more_results: true },
            Reply::Ok { affected_rows: 0, more_results: false },
        ];
        assert_eq!(replies(dialect, &stream(1, &packets)), expected);
    }
}

#[test]
fn the_next_command_begins_with_number_one_again() {
    let bytes = [stream(1, &[ok(0, 1, 0)]), stream(1, &table(NEW, 0, &[]))].concat();
    let expected = [
        Reply::Ok { affected_rows: 1, more_results: false },
        Reply::Rows { rows: 0, more_results: false },
    ];
    assert_eq!(replies(NEW, &bytes), expected);
}

#[test]
fn sequence_numbers_wrap_around() {
    let rows = vec![row("x", None); 700];
    let packets = table(NEW, 0, &rows);
    assert_eq!(one(NEW, &packets), Reply::Rows { rows: 700, more_results: false });
}

#[test]
fn a_packet_out_of_order_is_an_error() {
    let mut reader = ResponseReader::new(NEW);
    let stale = reader.receive(&packet(2, &ok(0, 0, 0)));
    assert_eq!(stale.unwrap_err(), ProtocolError::Sequence { expected: 1, got: 2 });
}

#[test]
fn an_error_may_come_out_of_order() {
    let mut reader = ResponseReader::new(NEW);
    let (_, reply) =
        reader.receive(&packet(0, &err(1927, "70100", "Connection was killed"))).unwrap();
    assert!(matches!(reply, Some(Reply::Err(error)) if error.code == 1927));
}

#[test]
fn a_row_of_20_mib_is_one_row_whatever_its_frames_start_with() {
    // The second frame starts with the byte that an error starts with.
    let value = vec![0xFF; 20 << 20];
    let long_row = [lenenc(&value), vec![0xFB]].concat();
    for dialect in [OLD, NEW] {
        let bytes = stream(1, &table(dialect, 0, &[long_row.clone(), row("x", None)]));
        assert_eq!(replies(dialect, &bytes), [Reply::Rows { rows: 2, more_results: false }]);
        let mut pieces = ResponseReader::new(dialect);
        let found: Vec<Reply> =
            bytes.chunks(100_003).filter_map(|piece| pieces.receive(piece).unwrap().1).collect();
        assert_eq!(found, [Reply::Rows { rows: 2, more_results: false }]);
        // No such row is the answer to anything that control work asks.
        let refused = TextReader::new(dialect, 1).receive(&bytes);
        assert!(matches!(refused, Err(ProtocolError::TooLong { .. })), "{refused:?}");
    }
}

#[test]
fn a_row_of_exactly_one_full_frame_ends_with_an_empty_one() {
    let value = vec![b'v'; 0xFF_FFFF - 4 - 1];
    let full_row = [lenenc(&value), vec![0xFB]].concat();
    assert_eq!(full_row.len(), 0xFF_FFFF);
    let bytes = stream(1, &table(NEW, 0, &[full_row]));
    assert_eq!(replies(NEW, &bytes), [Reply::Rows { rows: 1, more_results: false }]);
}

#[test]
fn a_request_for_a_file_names_it_and_the_number_to_answer_with() {
    let mut reader = ResponseReader::new(NEW);
    let (_, reply) = reader.receive(&packet(1, b"\xFBrows.tsv")).unwrap();
    assert_eq!(reply, Some(Reply::LocalInfile { filename: "rows.tsv".into(), sequence: 2 }));
    let mut answer = Vec::new();
    let next = mysql::protocol::write_infile_chunk(2, b"1\t2\n", &mut answer);
    let next = mysql::protocol::write_infile_chunk(next, b"", &mut answer);
    let next = mysql::protocol::write_infile_end(next, &mut answer);
    assert_eq!(answer, b"\x04\0\0\x021\t2\n\0\0\0\x03");
    reader.expect_sequence(next);
    let (_, reply) = reader.receive(&packet(4, &ok(0, 1, 0))).unwrap();
    assert_eq!(reply, Some(Reply::Ok { affected_rows: 1, more_results: false }));
}

#[test]
fn what_cannot_be_a_reply_is_an_error() {
    for (payload, dialect) in [
        (vec![], NEW),
        (vec![0xFE, 0, 0, 0, 0], NEW),
        (vec![0x00], NEW),
        (vec![0xFF, 1], NEW),
        (vec![0xFC, 1], NEW),
        (vec![2], CACHING),
        // No columns, written in the long form.
        (vec![0xFC, 0, 0], NEW),
    ] {
        let result = ResponseReader::new(dialect).receive(&packet(1, &payload));
        assert!(result.is_err(), "{payload:?} gave {result:?}");
        let result = TextReader::new(dialect, 1).receive(&packet(1, &payload));
        assert!(result.is_err(), "{payload:?} gave {result:?}");
    }
}

#[test]
fn text_rows_have_names_values_and_nulls() {
    for dialect in [OLD, NEW, CACHING] {
        let bytes = stream(1, &table(dialect, 0, &[row("x", None), row("", Some("yy"))]));
        let (consumed, reply) = TextReader::new(dialect, 1).receive(&bytes).unwrap();
        assert_eq!(consumed, bytes.len());
        let expected = TextRows {
            columns: vec!["a".into(), "b".into()],
            rows: vec![vec![Some(b"x".to_vec()), None], vec![Some(vec![]), Some(b"yy".to_vec())]],
        };
        assert_eq!(reply, Some(TextReply::Rows { rows: expected, more_results: false }));
    }
}

#[test]
fn a_text_row_with_too_few_values_is_an_error() {
    let bytes = stream(1, &table(NEW, 0, &[lenenc(b"only a")]));
    let result = TextReader::new(NEW, 1).receive(&bytes);
    assert_eq!(result.unwrap_err(), ProtocolError::Truncated("a row"));
}

fn prepared_packets(dialect: Dialect, params: u8, columns: u8) -> Vec<Vec<u8>> {
    let mut packets = vec![vec![0, 9, 0, 0, 0, columns, 0, params, 0, 0, 0, 0]];
    for definitions in [params, columns] {
        packets.extend((0..definitions).map(|_| definition("?")));
        if definitions > 0 && !dialect.deprecate_eof {
            packets.push(eof(0));
        }
    }
    packets
}

#[test]
fn a_prepared_statement_comes_with_definitions_that_are_skipped() {
    for dialect in [OLD, NEW, CACHING] {
        let mut reader = PrepareReader::new(dialect);
        for (params, columns) in [(2, 1), (0, 0), (3, 0), (0, 2)] {
            let bytes = stream(1, &prepared_packets(dialect, params, columns));
            let (consumed, reply) = reader.receive(&bytes).unwrap();
            assert_eq!(consumed, bytes.len());
            let expected =
                Prepared { id: 9, params: u16::from(params), columns: u16::from(columns) };
            assert_eq!(reply, Some(Ok(expected)));
        }
        let refused = packet(1, &err(1461, "42000", "too many"));
        let (_, reply) = reader.receive(&refused).unwrap();
        assert_eq!(reply.unwrap().unwrap_err().code, 1461);
    }
}

#[test]
fn columns_beyond_what_servers_have_are_refused() {
    for count in [4097_u64, u64::MAX] {
        let payload = [&[0xFE][..], &count.to_le_bytes()].concat();
        // A packet of nine bytes that begins with 0xFE is no end of rows here.
        let payload = if count == 4097 { vec![0xFC, 1, 16] } else { payload };
        let refused = TextReader::new(OLD, 1).receive(&packet(1, &payload));
        assert!(refused.is_err(), "{refused:?}");
        assert!(ResponseReader::new(OLD).receive(&packet(1, &payload)).is_err());
    }
}

#[test]
fn rows_without_end_are_refused_before_they_fill_the_memory() {
    // Values of no length, of one byte, and of many.
    for value in [&b""[..], b"x", &[b'x'; 1000]] {
        let mut reader = TextReader::new(NEW, 1);
        let columns: u8 = 200;
        let head = [vec![columns]].into_iter().chain((0..columns).map(|_| definition("c")));
        reader.receive(&stream(1, &head.collect::<Vec<_>>())).unwrap();
        let row = lenenc(value).repeat(columns.into());
        let mut sequence = 1 + 1 + columns;
        let refused = (0..1_000_000).find_map(|_| {
            let (bytes, next) = packet_from(sequence, &row);
            sequence = next;
            reader.receive(&bytes).err()
        });
        assert!(matches!(refused, Some(ProtocolError::TooMuch { .. })), "{refused:?}");
    }
}

#[test]
fn a_packet_without_end_is_refused_before_it_fills_the_memory() {
    let mut reader = TextReader::new(NEW, 1);
    reader.receive(&stream(1, &[vec![1], definition("c")])).unwrap();
    let frame = packet_from(3, &vec![1; 0xFF_FFFF]).0;
    let refused = reader.receive(&frame[..frame.len() - 4]).and_then(|_| {
        // The header of the frame after it.
        reader.receive(&[0xFF, 0xFF, 0xFF, 4])
    });
    assert!(matches!(refused, Err(ProtocolError::TooLong { .. })), "{refused:?}");
}
