//! Commands without parameters. Each writer appends one complete packet.

use super::frame::write_packet;

const COM_QUIT: u8 = 0x01;
const COM_QUERY: u8 = 0x03;
const COM_PING: u8 = 0x0E;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_CLOSE: u8 = 0x19;

/// Appends `COM_QUERY`. Returns the sequence number of the reply: 1, or more for a statement of
/// 16 MiB and more, which takes several frames. Give it to the reader then
/// ([`super::ResponseReader::expect_sequence`]).
pub fn write_query(sql: impl AsRef<[u8]>, out: &mut Vec<u8>) -> u8 {
    write_packet(0, &[COM_QUERY], sql.as_ref(), out)
}

/// Appends `COM_STMT_PREPARE`. Returns the sequence number of the reply, as [`write_query`] does.
pub fn write_prepare(sql: &str, out: &mut Vec<u8>) -> u8 {
    write_packet(0, &[COM_STMT_PREPARE], sql.as_bytes(), out)
}

/// Appends `COM_QUIT`, to which there is no reply: the server closes the connection.
pub fn write_quit(out: &mut Vec<u8>) {
    write_packet(0, &[COM_QUIT], &[], out);
}

/// Appends `COM_PING`; the reply is an OK packet.
pub fn write_ping(out: &mut Vec<u8>) {
    write_packet(0, &[COM_PING], &[], out);
}

/// Appends `COM_STMT_CLOSE`, to which there is no reply.
pub fn write_close_statement(id: u32, out: &mut Vec<u8>) {
    write_packet(0, &[COM_STMT_CLOSE], &id.to_le_bytes(), out);
}

/// Appends a piece of the file that the server asked for with [`super::Reply::LocalInfile`].
/// `sequence` is the one of the request, then what the previous piece returned. Empty pieces are
/// left out, because an empty packet means the end.
pub fn write_infile_chunk(sequence: u8, bytes: &[u8], out: &mut Vec<u8>) -> u8 {
    use super::frame::FULL;
    // Each frame is a packet of its own here: the server takes them as they come.
    bytes.chunks(FULL - 1).fold(sequence, |sequence, piece| write_packet(sequence, &[], piece, out))
}

/// Appends the end of a file. Returns the sequence number of the reply, which the reader must be
/// told ([`super::ResponseReader::expect_sequence`]).
pub fn write_infile_end(sequence: u8, out: &mut Vec<u8>) -> u8 {
    write_packet(sequence, &[], &[], out)
}
