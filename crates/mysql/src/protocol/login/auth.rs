use super::greeting::Greeting;
use super::options::{LoginOptions, ServerKey};
use super::server_key;
use crate::protocol::error::LoginError;
use mysql_common::auth::plugins::{
    AuthProc, ChallengeResponsePlugin, Context, Error as PluginError,
};
use mysql_common::packets::AuthPlugin;

const NATIVE: &str = "mysql_native_password";
const CACHING_SHA2: &str = "caching_sha2_password";
/// What `caching_sha2_password` and `sha256_password` send to ask for the server's RSA key. Any
/// other answer of theirs is longer, or empty.
const KEY_REQUESTS: [&[u8]; 2] = [&[2], &[1]];

/// The conversation between an account's authentication plugin and its other half here.
#[derive(Debug)]
pub(super) struct Authentication {
    plugin: String,
    process: AuthProc,
    challenge: Vec<u8>,
}

/// What the plugins of mysql_common ask about the connection.
struct Situation<'a> {
    options: &'a LoginOptions,
    challenge: &'a [u8],
}

impl Context for Situation<'_> {
    fn pass(&self) -> &[u8] {
        &self.options.password
    }

    fn is_ipc_transport(&self) -> bool {
        self.options.local_transport
    }

    fn is_tls_transport(&self) -> bool {
        self.options.tls
    }

    fn scramble(&self) -> &[u8] {
        self.challenge
    }

    fn server_key_pem(&self) -> Option<&[u8]> {
        match &self.options.server_key {
            ServerKey::Pinned(pem) => Some(pem),
            ServerKey::Refuse | ServerKey::Request => None,
        }
    }
}

impl Authentication {
    /// Begins with the server's default plugin if that is one whose first answer gives nothing
    /// away; otherwise with the native one, and the server asks for the account's own. Returns
    /// the first answer too, which is 32 bytes at most.
    pub(super) fn begin(
        greeting: &Greeting,
        options: &LoginOptions,
    ) -> Result<(Self, Vec<u8>), LoginError> {
        let plugin = match greeting.plugin.as_deref() {
            Some(CACHING_SHA2) => CACHING_SHA2,
            _ => NATIVE,
        };
        let mut begun = Self::new(plugin, &greeting.challenge, options)?;
        let answer = begun.run(&greeting.challenge, options)?.unwrap_or_default();
        Ok((begun, answer))
    }

    /// Name of the plugin.
    pub(super) fn plugin(&self) -> &str {
        &self.plugin
    }

    /// The server asks for another plugin.
    pub(super) fn switch(
        &mut self,
        plugin: &[u8],
        data: &[u8],
        options: &LoginOptions,
    ) -> Result<Option<Vec<u8>>, LoginError> {
        // Challenges of 20 bytes come with a zero byte at their end, those of ed25519 (32 bytes)
        // without.
        let challenge = match data {
            [challenge @ .., 0] if challenge.len() == 20 => challenge,
            other => other,
        };
        *self = Self::new(&String::from_utf8_lossy(plugin), challenge, options)?;
        self.run(challenge, options)
    }

    /// The server sends more data for the plugin.
    pub(super) fn go_on(
        &mut self,
        data: &[u8],
        options: &LoginOptions,
    ) -> Result<Option<Vec<u8>>, LoginError> {
        // One byte is a state of the conversation; whatever is longer can only be a key.
        if self.takes_keys() && data.len() > 1 {
            server_key::check(data, options.password.len())?;
        }
        self.run(data, options)
    }

    /// Whether the plugin encrypts the password with an RSA key on a connection that is not
    /// encrypted.
    fn takes_keys(&self) -> bool {
        matches!(self.process, AuthProc::CachingSha2Password(_) | AuthProc::Sha256Password(_))
    }

    /// Whether an answer is the password itself. Proofs of it have another form.
    fn is_password(&self, answer: Option<&[u8]>, options: &LoginOptions) -> bool {
        let is_clear = matches!(self.process, AuthProc::MysqlClearPassword(_));
        let ending_in_zero = |answer: &[u8]| answer.strip_suffix(&[0]) == Some(&options.password);
        is_clear || answer.is_some_and(ending_in_zero)
    }

    fn new(plugin: &str, challenge: &[u8], options: &LoginOptions) -> Result<Self, LoginError> {
        let unsupported = || LoginError::UnsupportedPlugin(plugin.to_owned());
        let known = AuthPlugin::from_bytes(plugin.as_bytes());
        match known {
            AuthPlugin::MysqlClearPassword if !options.tls => {
                return Err(LoginError::CleartextRefused);
            }
            AuthPlugin::MysqlOldPassword => return Err(LoginError::TooOld),
            _ => {}
        }
        let process = AuthProc::init(&known).map_err(|_| unsupported())?;
        Ok(Self { plugin: plugin.to_owned(), process, challenge: challenge.to_vec() })
    }

    fn run(&mut self, data: &[u8], options: &LoginOptions) -> Result<Option<Vec<u8>>, LoginError> {
        if let (true, ServerKey::Pinned(pem)) = (self.takes_keys(), &options.server_key) {
            server_key::check(pem, options.password.len())?;
        }
        let situation = Situation { options, challenge: &self.challenge };
        match self.process.run(situation, data) {
            Ok(response) => {
                let answer = response.data().map(<[u8]>::to_vec);
                let asks_for_key = self.takes_keys()
                    && answer.as_deref().is_some_and(|answer| KEY_REQUESTS.contains(&answer));
                // Nobody else listens on a Unix socket, so nobody else's key comes through it.
                let trusted = options.local_transport || options.server_key == ServerKey::Request;
                if asks_for_key && !trusted {
                    return Err(LoginError::KeyNotTrusted);
                }
                let reveals = asks_for_key || self.is_password(answer.as_deref(), options);
                if reveals && !options.may_reveal && !options.password.is_empty() {
                    return Err(LoginError::WouldReveal);
                }
                Ok(answer)
            }
            Err(PluginError::FeatureRequired(_)) => {
                Err(LoginError::UnsupportedPlugin(self.plugin.clone()))
            }
            Err(_) => Err(LoginError::BadChallenge(self.plugin.clone())),
        }
    }
}
