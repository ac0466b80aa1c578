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
pub(super) struct TlsLayer(Box<ClientConnection>);

impl TlsLayer {
    pub(super) fn new(upgrade: &TlsUpgrade) -> Result<Self, rustls::Error> {
        let connection = ClientConnection::new(upgrade.config.clone(), upgrade.name.clone())?;
        Ok(Self(Box::new(connection)))
    }

    /// Takes what the socket gave and appends what it says in clear.
    pub(super) fn decrypt(&mut self, mut encrypted: &[u8], clear: &mut Vec<u8>) -> io::Result<()> {
        while !encrypted.is_empty() {
            self.0.read_tls(&mut encrypted)?;
            let state = self.0.process_new_packets().map_err(io::Error::other)?;
            let there = state.plaintext_bytes_to_read();
            let start = clear.len();
            clear.resize(start + there, 0);
            self.0.reader().read_exact(&mut clear[start..])?;
        }
        Ok(())
    }

    /// Takes what the session says and appends what to send, handshake messages included.
    pub(super) fn encrypt(&mut self, clear: &[u8], encrypted: &mut Vec<u8>) -> io::Result<()> {
        self.0.writer().write_all(clear)?;
        while self.0.wants_write() {
            self.0.write_tls(encrypted)?;
        }
        Ok(())
    }
}
