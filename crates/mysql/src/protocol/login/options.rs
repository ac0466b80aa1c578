/// Who logs in, and how.
#[derive(Clone, Default)]
pub struct LoginOptions {
    /// Account name.
    pub user: String,
    /// Password; empty for none.
    pub password: Vec<u8>,
    /// Schema to start in.
    pub database: Option<String>,
    /// Ask for TLS, and refuse to go on without.
    pub tls: bool,
    /// The transport is a Unix socket: nobody can listen, even without TLS.
    pub local_transport: bool,
    /// Compress what travels after the login, and refuse to go on without.
    pub compression: bool,
    /// Let the server ask for local files (`LOAD DATA LOCAL`).
    pub local_infile: bool,
    /// Which RSA key may encrypt the password where neither TLS nor a Unix socket protects it.
    pub server_key: ServerKey,
    /// The server may be given the password as it is, or encrypted with a key that it sends itself.
    /// Otherwise a login that takes this is refused.
    pub may_reveal: bool,
}

/// Which RSA key the password may be encrypted with for `caching_sha2_password` and
/// `sha256_password` on a connection that is not encrypted. Whoever has made the key reads the
/// password.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServerKey {
    /// None: such a login is refused.
    #[default]
    Refuse,
    /// Whichever key the server sends.
    Request,
    /// This one, as PEM.
    Pinned(Vec<u8>),
}

impl std::fmt::Debug for LoginOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoginOptions")
            .field("user", &self.user)
            .field("password", &"***")
            .field("database", &self.database)
            .field("tls", &self.tls)
            .field("local_transport", &self.local_transport)
            .field("compression", &self.compression)
            .field("local_infile", &self.local_infile)
            .field("server_key", &self.server_key)
            .field("may_reveal", &self.may_reveal)
            .finish()
    }
}
