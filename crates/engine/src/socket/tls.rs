use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// How to encrypt a connection once the session asks for it.
#[derive(Clone, Debug)]
pub struct TlsUpgrade {
    /// What to trust.
    pub config: Arc<ClientConfig>,
    /// Who the server should be.
    pub name: ServerName<'static>,
}

/// The encryption of one connection, between its socket and its session.
#[derive(Debug)]
pub(super) struct TlsLayer {
    connection: Box<ClientConnection>,
    /// Whether the server's certificate was handed out.
    is_shown: bool,
}

impl TlsLayer {
    pub(super) fn new(upgrade: &TlsUpgrade) -> Result<Self, rustls::Error> {
        let connection = ClientConnection::new(upgrade.config.clone(), upgrade.name.clone())?;
        Ok(Self { connection: Box::new(connection), is_shown: false })
    }

    /// The server's certificate, once, when the encryption is set up.
    #[inline]
    pub(super) fn new_certificate(&mut self) -> Option<&[u8]> {
        if self.is_shown || self.connection.is_handshaking() {
            return None;
        }
        self.is_shown = true;
        Some(self.connection.peer_certificates()?.first()?)
    }

    /// Takes what the socket gave and appends what it says in clear.
    pub(super) fn decrypt(&mut self, mut encrypted: &[u8], clear: &mut Vec<u8>) -> io::Result<()> {
        while !encrypted.is_empty() {
            self.connection.read_tls(&mut encrypted)?;
            let state = self.connection.process_new_packets().map_err(io::Error::other)?;
            let there = state.plaintext_bytes_to_read();
            let start = clear.len();
            clear.resize(start + there, 0);
            self.connection.reader().read_exact(&mut clear[start..])?;
        }
        Ok(())
    }

    /// Takes what the session says and appends what to send, handshake messages included.
    pub(super) fn encrypt(&mut self, clear: &[u8], encrypted: &mut Vec<u8>) -> io::Result<()> {
        self.connection.writer().write_all(clear)?;
        while self.connection.wants_write() {
            self.connection.write_tls(encrypted)?;
        }
        Ok(())
    }
}
