//! The bytes of commands.

use mysql::protocol::{
    ExecuteTemplate, ParamKind, write_close_statement, write_ping, write_prepare, write_query,
    write_quit,
};

fn written(write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = b"before".to_vec();
    write(&mut out);
    assert_eq!(&out[..6], b"before", "commands are appended");
    out.split_off(6)
}

#[test]
fn commands_are_one_frame_with_number_zero() {
    assert_eq!(written(|out| assert_eq!(write_query("DO 1", out), 1)), b"\x05\0\0\0\x03DO 1");
    assert_eq!(written(|out| assert_eq!(write_prepare("DO ?", out), 1)), b"\x05\0\0\0\x16DO ?");
    assert_eq!(written(write_quit), b"\x01\0\0\0\x01");
    assert_eq!(written(write_ping), b"\x01\0\0\0\x0E");
    assert_eq!(
        written(|out| write_close_statement(0x0102_0304, out)),
        b"\x05\0\0\0\x19\x04\x03\x02\x01"
    );
}

#[test]
fn a_long_statement_is_split_into_frames() {
    const FULL: usize = 0xFF_FFFF;
    for (length, frames) in [(FULL - 2, 1), (FULL - 1, 2), (FULL, 2), (2 * FULL - 1, 3)] {
        let sql = "x".repeat(length);
        let mut out = Vec::new();
        let reply = write_query(&sql, &mut out);
        assert_eq!(usize::from(reply), frames);
        let (mut at, mut payload, mut numbers) = (0, Vec::new(), Vec::new());
        while at < out.len() {
            let size = u32::from_le_bytes([out[at], out[at + 1], out[at + 2], 0]) as usize;
            numbers.push(usize::from(out[at + 3]));
            payload.extend_from_slice(&out[at + 4..at + 4 + size]);
            at += 4 + size;
        }
        assert_eq!(numbers, (0..frames).collect::<Vec<_>>());
        assert_eq!(payload[0], 3);
        assert_eq!(payload.len(), 1 + length);
    }
}

#[test]
fn the_first_execution_carries_the_types_and_later_ones_do_not() {
    let template = ExecuteTemplate::new(&[ParamKind::Int, ParamKind::Str(3), ParamKind::Int]);
    let head = b"\x17\x09\0\0\0\0\x01\0\0\0\0";
    let values = b"\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x03abc\x07\0\0\0\0\0\0\0";
    for (first, middle) in [(true, &b"\x01\x08\0\xFE\0\x08\0"[..]), (false, &b"\0"[..])] {
        let packet = written(|out| {
            let mut slots = template.write(9, first, out);
            slots.set_int(0, -2);
            slots.str_slot(1).copy_from_slice(b"abc");
            slots.set_int(2, 7);
        });
        let body = [&head[..], middle, values].concat();
        assert_eq!(packet[..4], [body.len() as u8, 0, 0, 0]);
        assert_eq!(packet[4..], body);
    }
}

#[test]
fn an_execution_without_parameters_has_no_null_bitmap() {
    let template = ExecuteTemplate::new(&[]);
    for first in [true, false] {
        let packet = written(|out| {
            template.write(1, first, out);
        });
        assert_eq!(packet, b"\x0A\0\0\0\x17\x01\0\0\0\0\x01\0\0\0");
    }
}

#[test]
fn strings_of_more_than_250_bytes_have_a_longer_length() {
    let template = ExecuteTemplate::new(&[ParamKind::Str(255)]);
    let packet = written(|out| template.write(1, false, out).str_slot(0).fill(b's'));
    assert_eq!(packet[16..19], [0xFC, 255, 0]);
    assert_eq!(packet[19..], [b's'; 255]);
}

#[test]
fn a_value_written_for_one_execution_does_not_show_in_the_next() {
    let template = ExecuteTemplate::new(&[ParamKind::Int]);
    let mut out = Vec::new();
    template.write(1, false, &mut out).set_int(0, -1);
    let start = out.len();
    template.write(1, false, &mut out);
    assert_eq!(out[start + 16..], [0; 8]);
}
