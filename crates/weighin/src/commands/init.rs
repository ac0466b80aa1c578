use super::{Outcome, print};
use crate::Exit;
use crate::arguments::InitArguments;
use crate::exit::CliError;
use crate::messages::shown;
use crate::output::{self, Replaces};
use study::Template;

/// Writes a commented study file; never over another file.
pub(crate) fn init(arguments: &InitArguments) -> Outcome {
    let template = Template::from_name(&arguments.template).ok_or_else(|| {
        let names = Template::ALL.map(Template::name).join(", ");
        CliError::usage(
            format!("there is no template {}", arguments.template),
            format!("templates: {names}"),
        )
    })?;
    write_new(&arguments.path, study::template(template))?;
    let path = shown(&arguments.path);
    print(&format!(
        "Wrote {path}. Edit it, then:\n  weighin check {path}\n  weighin plan {path}\n  weighin run {path}\n"
    ))?;
    Ok(Exit::Done)
}

/// Writes a file that must not exist yet.
pub(super) fn write_new(path: &std::path::Path, text: &str) -> Result<(), CliError> {
    output::write(path, text.as_bytes(), Replaces::Nothing).map(drop)
}
