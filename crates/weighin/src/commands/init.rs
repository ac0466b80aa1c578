mod draft;

use super::{Outcome, print};
use crate::Exit;
use crate::arguments::InitArguments;
use crate::exit::CliError;
use crate::messages::shown;
use crate::output::{self, Replaces};
use model::System;
use model::system::UsualPassword;
use std::path::Path;
use study::{Drafted, Template};

/// The schema beside a study file.
const SCHEMA: &str = "study.schema.json";
/// Where packages have it, seen from the directory of the program.
const INSTALLED: &str = "../share/weighin/study.schema.json";

/// Writes a commented study file; never over another file.
pub(crate) fn init(arguments: &InitArguments) -> Outcome {
    if arguments.list {
        print(&templates())?;
        return Ok(Exit::Done);
    }
    let drafted = match &arguments.from_url {
        Some(url) => Some(draft::of_server(arguments, url)?),
        None => None,
    };
    if let Some(drafted) = &drafted {
        return write_draft(arguments, drafted);
    }
    let template = Template::from_name(&arguments.template).ok_or_else(|| {
        let names = Template::ALL.map(Template::name).join(", ");
        CliError::usage(
            format!("there is no template {}", arguments.template),
            format!("templates: {names}"),
        )
    })?;
    let to_output = arguments.path.as_os_str() == "-";
    if to_output && arguments.schema {
        return Err(CliError::usage(
            "--schema writes a file beside the study file, and - is none",
            "name the study file, or leave out --schema",
        ));
    }
    let beside = arguments.path.with_file_name(SCHEMA);
    let text = match arguments.schema {
        true => naming_schema(&format!("./{SCHEMA}"), study::template(template)),
        false => match installed_schema() {
            Some(url) => naming_schema(&url, study::template(template)),
            None => study::template(template).to_owned(),
        },
    };
    if to_output {
        print(&text)?;
        return Ok(Exit::Done);
    }
    output::check_absent(&arguments.path)?;
    let written = match arguments.schema {
        true => write_schema(&beside)?,
        false => String::new(),
    };
    write_new(&arguments.path, &text)?;
    let written = written + &write_files(template, &arguments.path)?;
    let path = shown(&arguments.path);
    print(&format!(
        "Wrote {path}{written}. Edit it, then:\n  weighin check {path}\n  weighin plan {path}\n  weighin run {path}\n"
    ))?;
    Ok(Exit::Done)
}

/// Writes a study that was drafted from a server, and says what it has.
fn write_draft(arguments: &InitArguments, drafted: &Drafted) -> Outcome {
    let text = drafted.study();
    if arguments.path.as_os_str() == "-" {
        print(&text)?;
        return Ok(Exit::Done);
    }
    write_new(&arguments.path, &text)?;
    let path = shown(&arguments.path);
    let (reading, all) = (drafted.reading(), drafted.drafts.len());
    let mut said = format!(
        "Wrote {path}: {all} statements drafted, of which {reading} only read; {} could not be, with the \
         reasons in the file.\n",
        drafted.refused.len()
    );
    if all > reading {
        said +=
            "Those that change data are comments: they need writes = true and --allow-writes.\n";
    }
    said += &match reading {
        0 => "No statement runs as the file is; read what it says.\n".to_owned(),
        _ => {
            let secret = allowed_secret(drafted);
            let usual = match secret.is_empty() {
                true => usual_secret(drafted),
                false => String::new(),
            };
            format!(
                "Read what was guessed, then:\n  weighin check {path}{secret}\n  weighin run {path}{secret}\n\
                 {usual}"
            )
        }
    };
    print(&said)?;
    Ok(Exit::Done)
}

/// The option by which the command line allows the secret that the draft names, if it names one.
fn allowed_secret(drafted: &Drafted) -> String {
    let names = ["password_file", "password_env"];
    let named = drafted.target.iter().find(|(key, _)| names.contains(&key.as_str()));
    let option = named.map(|(_, secret)| format!(" --allow-secret {}", shown(Path::new(secret))));
    option.unwrap_or_default()
}

/// What to add where the password came from where it usually is.
fn usual_secret(drafted: &Drafted) -> String {
    let url = drafted.target.iter().find(|(key, _)| key == "url").map(|(_, url)| url.as_str());
    let scheme = url.and_then(|url| url.split(':').next()).unwrap_or_default();
    let system = System::urls().find(|(facts, _)| facts.schemes.contains(&scheme));
    match system.map(|(facts, _)| facts.usual_password) {
        Some(UsualPassword::OptionFile(file)) => {
            format!("where the password is in {file}, with --allow-secret {file}\n")
        }
        _ => String::new(),
    }
}

/// Writes the files that a study names beside it; never over another file. Returns what to say of them.
fn write_files(template: Template, study: &Path) -> Result<String, CliError> {
    let mut said = String::new();
    for (name, text) in study::template_files(template) {
        let path = study.with_file_name(name);
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory).map_err(|error| {
                CliError::usage(
                    format!("cannot make the directory {}: {error}", shown(directory)),
                    "name a study file in a directory that you may write to",
                )
            })?;
        }
        write_new(&path, text)?;
        said += &format!(", {}", shown(&path));
    }
    Ok(said)
}

/// Writes the schema, unless it is there from before; never over another file. Returns what to say of it.
fn write_schema(path: &Path) -> Result<String, CliError> {
    let schema = super::schema::text();
    let is_like_it =
        |there: std::fs::Metadata| there.is_file() && there.len() == schema.len() as u64;
    let is_there = std::fs::metadata(path).is_ok_and(is_like_it)
        && std::fs::read_to_string(path).is_ok_and(|there| there == schema);
    if is_there {
        return Ok(format!(", which names the schema {}", shown(path)));
    }
    write_new(path, &schema)?;
    Ok(format!(" and {}", shown(path)))
}

/// All templates, a line each.
fn templates() -> String {
    let width = Template::ALL.map(|template| template.name().len()).into_iter().max().unwrap_or(0);
    let line =
        |template: Template| format!("{:width$}  {}\n", template.name(), template.description());
    Template::ALL.map(line).concat()
}

/// A study file whose first line names its schema, in the form that TOML editors look for.
fn naming_schema(schema: &str, text: &str) -> String {
    format!("#:schema {schema}\n\n{text}")
}

/// The schema that was installed with this program, as a URL; absent where there is none, or where its
/// path has more than a URL takes as it is.
fn installed_schema() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let path = program.parent()?.join(INSTALLED).canonicalize().ok()?;
    let path = path.to_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    path.chars().all(plain).then(|| format!("file://{path}"))
}

/// Writes a file that must not exist yet.
pub(super) fn write_new(path: &Path, text: &str) -> Result<(), CliError> {
    output::write(path, text.as_bytes(), Replaces::Nothing).map(drop)
}
