use clap::Args;

/// What of this machine's secrets a study may have sent.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SecretArguments {
    /// A source of a password or token that the study names and may use: a variable, a file, or an
    /// option file, as `weighin plan` shows it; can be given again
    #[arg(long, value_name = "SOURCE")]
    pub(crate) allow_secret: Vec<String>,
    #[command(flatten)]
    pub(crate) cleartext: CleartextArguments,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct CleartextArguments {
    /// Also send a password as it is to a server whose certificate is not checked, where its login
    /// takes that; whoever answers there or is in between could read it
    #[arg(long)]
    pub(crate) allow_cleartext: bool,
}
