//! Where the figures of a run can be asked for.

use crate::arguments::MetricsArguments;
use crate::commands::serve::Visitors;
use crate::exit::CliError;
use crate::messages::tell;
use serve::FigureListener;

/// Listens there, where that is asked for.
///
/// # Errors
/// When the address cannot be had, or what it needs is missing.
pub(super) fn listen(arguments: &MetricsArguments) -> Result<Option<FigureListener>, CliError> {
    let Some(listen) = arguments.metrics else { return Ok(None) };
    let visitors = Visitors {
        listen,
        token_file: arguments.metrics_token_file.as_ref(),
        token_env: arguments.metrics_token_env.as_ref(),
        certificate: arguments.metrics_certificate.as_ref(),
        key: arguments.metrics_key.as_ref(),
        names: &arguments.metrics_names,
        prefix: "--metrics-",
    };
    let listener = FigureListener::bind(visitors.door()?)?;
    tell(&format!("the figures of this run are at {}", listener.url()));
    Ok(Some(listener))
}
