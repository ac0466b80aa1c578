//! What a client sends.

/// The version of the protocol, 3.0, which every server speaks.
const VERSION: i32 = 3 << 16;
const SSL_REQUEST: i32 = 80_877_103;
const CANCEL_REQUEST: i32 = 80_877_102;

/// Appends a message of that type; `body` appends what is in it.
pub(super) fn write_message(tag: u8, out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    write_counted(out, body);
}

/// Appends a message whose type is not said: those before the login.
pub(super) fn write_counted(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let from = out.len();
    out.extend_from_slice(&[0; 4]);
    body(out);
    set_length(out, from);
}

/// Writes how long what begins at that place has become.
#[inline]
pub(super) fn set_length(out: &mut [u8], from: usize) {
    let length = (out.len() - from) as i32;
    out[from..from + 4].copy_from_slice(&length.to_be_bytes());
}

/// Appends a string with the zero byte behind it. A string ends at the first that it has itself.
pub(super) fn push_text(text: &[u8], out: &mut Vec<u8>) {
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    out.extend_from_slice(&text[..end]);
    out.push(0);
}

/// Asks whether the server encrypts connections.
pub fn write_ssl_request(out: &mut Vec<u8>) {
    write_counted(out, |out| out.extend_from_slice(&SSL_REQUEST.to_be_bytes()));
}

/// Asks to end what the connection of that key has the server do; sent on a connection of its own.
pub fn write_cancel_request(key: BackendKey, out: &mut Vec<u8>) {
    write_counted(out, |out| {
        out.extend_from_slice(&CANCEL_REQUEST.to_be_bytes());
        out.extend_from_slice(&key.process.to_be_bytes());
        out.extend_from_slice(&key.secret.to_be_bytes());
    });
}

/// By what a connection is told to the server in a request to cancel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackendKey {
    /// The number of the server's process.
    pub process: u32,
    pub(super) secret: u32,
}

/// Begins a session with these parameters.
pub(super) fn write_startup(parameters: &[(&str, &str)], out: &mut Vec<u8>) {
    write_counted(out, |out| {
        out.extend_from_slice(&VERSION.to_be_bytes());
        for (name, value) in parameters {
            push_text(name.as_bytes(), out);
            push_text(value.as_bytes(), out);
        }
        out.push(0);
    });
}

/// Runs a text of one statement or several by the simple protocol.
#[inline]
pub fn write_query(sql: &[u8], out: &mut Vec<u8>) {
    write_message(b'Q', out, |out| push_text(sql, out));
}

/// Prepares a statement under that name, and asks what its parameters and columns are. The server
/// answers when it is asked to with [`write_sync`], after any number of these.
pub fn write_prepare(name: &str, sql: &str, out: &mut Vec<u8>) {
    write_message(b'P', out, |out| {
        push_text(name.as_bytes(), out);
        push_text(sql.as_bytes(), out);
        // The server finds out the types of all parameters.
        out.extend_from_slice(&[0; 2]);
    });
    write_describe(name, out);
}

/// Has the server describe a statement that was prepared under that name.
pub fn write_describe(name: &str, out: &mut Vec<u8>) {
    write_message(b'D', out, |out| {
        out.push(b'S');
        push_text(name.as_bytes(), out);
    });
}

/// Ends what came before, and has the server say that it is ready for more.
pub fn write_sync(out: &mut Vec<u8>) {
    write_message(b'S', out, |_| {});
}

/// What [`write_sync`] appends.
const SYNC: [u8; 5] = [b'S', 0, 0, 0, 4];

/// Takes a [`write_sync`] back that was appended last.
pub(crate) fn take_back_sync(out: &mut Vec<u8>) {
    if out.ends_with(&SYNC) {
        out.truncate(out.len() - SYNC.len());
    }
}

/// A piece of the data of a COPY.
pub fn write_copy_data(data: &[u8], out: &mut Vec<u8>) {
    write_message(b'd', out, |out| out.extend_from_slice(data));
}

pub fn write_copy_done(out: &mut Vec<u8>) {
    write_message(b'c', out, |_| {});
}

/// Gives up a COPY for that reason.
pub fn write_copy_fail(reason: &str, out: &mut Vec<u8>) {
    write_message(b'f', out, |out| push_text(reason.as_bytes(), out));
}

/// Says goodbye.
pub fn write_terminate(out: &mut Vec<u8>) {
    write_message(b'X', out, |_| {});
}
