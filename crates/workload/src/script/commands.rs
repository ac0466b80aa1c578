//! The commands that begin with a backslash.

use super::error::Problem;
use super::formula::Formula;
use super::line::Line;
use super::names::{Names, in_name, is_name};
use super::needed::Needed;
use crate::program::{Expression, Initial};
use std::time::Duration;

/// A command.
#[derive(Debug)]
pub(super) enum Command {
    Set {
        variable: usize,
        value: Expression,
    },
    Values {
        name: String,
        variable: usize,
        row: Option<Expression>,
        needed: Needed,
    },
    If(Expression),
    Elif(Expression),
    Else,
    Endif,
    Sleep {
        time: Expression,
        unit: Duration,
    },
    /// Variables read from the only row, or the last; their names begin with this.
    Read {
        only: bool,
        prefix: String,
    },
    StartPipeline,
    EndPipeline,
    /// A backslash and nothing else.
    Nothing,
}

const HELP: &str = "there are \\set, \\values, \\if, \\elif, \\else, \\endif, \\sleep, \\gset, \\aset, \
     \\startpipeline and \\endpipeline; for a backslash in a statement put it in quotes";

/// Reads what follows a backslash, and returns where its line ends.
pub(super) fn read(text: &str, at: usize, names: &mut Names) -> Result<(Command, usize), Problem> {
    let mut line = Line::new(text, at);
    let Some((at, word)) = line.word() else { return Ok((Command::Nothing, line.at())) };
    // It begins with the backslash.
    let at = at - 1;
    let command = match word.to_ascii_lowercase().as_str() {
        "set" => set(&mut line, names)?,
        "values" => values(&mut line, names)?,
        "if" => Command::If(Formula::whole_line(&mut line, names)?),
        "elif" => Command::Elif(Formula::whole_line(&mut line, names)?),
        "else" => Command::Else,
        "endif" => Command::Endif,
        "sleep" => sleep(&mut line, names)?,
        name @ ("gset" | "aset") => {
            let prefix = line.word().map_or("", |(_, prefix)| prefix);
            Command::Read { only: name == "gset", prefix: prefix.to_owned() }
        }
        "shell" | "setshell" => {
            let message = format!("weighin runs no programs from a script: \\{word} is refused");
            let help = "compute the value with \\set, or take it from a file with \\values";
            return Err(Problem::new(at, message, help));
        }
        "startpipeline" => Command::StartPipeline,
        "endpipeline" => Command::EndPipeline,
        _ => {
            let message = format!("there is no command \\{word}");
            return Err(Problem::new(at, message, HELP));
        }
    };
    line.end(word)?;
    Ok((command, line.at()))
}

fn set(line: &mut Line<'_>, names: &mut Names) -> Result<Command, Problem> {
    let name = variable_name(line, "\\set NAME EXPRESSION")?;
    let value = Formula::whole_line(line, names)?;
    Ok(Command::Set { variable: names.set(name, line.at()), value })
}

fn variable_name<'t>(line: &mut Line<'t>, form: &str) -> Result<&'t str, Problem> {
    match line.word() {
        Some((_, name)) if is_name(name) => Ok(name),
        Some((at, name)) => {
            let message = format!("a variable cannot be called {name}");
            let help = "a name has letters, digits and underscores, and begins with no digit";
            Err(Problem::new(at, message, help))
        }
        None => Err(Problem::new(line.at(), "the line ends too early", form.to_owned())),
    }
}

fn sleep(line: &mut Line<'_>, names: &mut Names) -> Result<Command, Problem> {
    const HELP: &str = "\\sleep NUMBER [us | ms | s]; the number may be a variable";
    let Some((at, word)) = line.word() else {
        return Err(Problem::new(line.at(), "the line ends too early", HELP));
    };
    let (time, attached) = match word.strip_prefix(':') {
        Some(name) if is_name(name) => (Expression::Variable(names.read(name, at)), ""),
        Some(_) => return Err(Problem::new(at, format!("{word} is no variable"), HELP)),
        None => {
            let unsigned = word.trim_start_matches(['+', '-']);
            let signs = word.len() - unsigned.len();
            let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
            let number = word[..signs + digits].parse();
            let (true, Ok(number)) = (signs < 2 && digits > 0, number) else {
                return Err(Problem::new(at, format!("{word} is no time to sleep"), HELP));
            };
            (Expression::integer(number), &unsigned[digits..])
        }
    };
    let (at, unit) = match attached {
        "" => line.word().unwrap_or((line.at(), "s")),
        unit => (at, unit),
    };
    let unit = match unit.to_ascii_lowercase().as_str() {
        "s" => Duration::from_secs(1),
        "ms" => Duration::from_millis(1),
        "us" => Duration::from_micros(1),
        _ => return Err(Problem::new(at, format!("{unit} is no unit of time"), HELP)),
    };
    Ok(Command::Sleep { time, unit })
}

const VALUES_HELP: &str =
    "\\values NAME FILE COLUMN, or \\values NAME = SELECT …; NAME[EXPRESSION] tells the row";

/// `\values NAME[ROW] FILE COLUMN` or `\values NAME[ROW] = QUERY`.
fn values(line: &mut Line<'_>, names: &mut Names) -> Result<Command, Problem> {
    line.skip_spaces();
    let at = line.at();
    let name = line.take_while(in_name);
    if !is_name(name) {
        return Err(Problem::new(at, "a variable's name is missing", VALUES_HELP));
    }
    // The row may depend on how many there are.
    let rows = format!("{name}_rows");
    names.give(&rows, Initial::Integer(0));
    let row = match line.byte() {
        Some(b'[') => {
            line.advance(1);
            Some(Formula::in_brackets(line, names)?)
        }
        _ => None,
    };
    line.skip_spaces();
    let needed = match line.byte() {
        Some(b'=') => {
            line.advance(1);
            Needed::Query { sql: query(line)? }
        }
        _ => column(line)?,
    };
    let variable = names.set(name, line.at());
    Ok(Command::Values { name: name.to_owned(), variable, row, needed })
}

/// The rest of a line, a statement.
fn query(line: &mut Line<'_>) -> Result<String, Problem> {
    line.skip_spaces();
    let from = line.at();
    let sql = line.take_rest();
    let sql = sql.trim_end().trim_end_matches(';').trim_end();
    match sql.is_empty() {
        true => Err(Problem::new(from, "a query is missing", VALUES_HELP)),
        false => Ok(sql.to_owned()),
    }
}

fn column(line: &mut Line<'_>) -> Result<Needed, Problem> {
    let (at, file) = file_word(line)?;
    let is_plain = |part: &str| !matches!(part, "" | "." | "..");
    if !file.split(['/', '\\']).all(is_plain) {
        let message = format!("the file {file} does not lie beside the script or below");
        return Err(Problem::new(at, message, "name it relative to the script, without .."));
    }
    let (_, column) = file_word(line)?;
    Ok(Needed::Column { file, column })
}

/// A word, or what stands between two `'`.
fn file_word(line: &mut Line<'_>) -> Result<(usize, String), Problem> {
    line.skip_spaces();
    let at = line.at();
    if line.byte() == Some(b'\'') {
        line.advance(1);
        let word = line.take_while(|byte| byte != b'\'');
        if line.byte() != Some(b'\'') {
            return Err(Problem::new(at, "this quote is never closed", "end it with '"));
        }
        line.advance(1);
        if !word.is_empty() {
            return Ok((at, word.to_owned()));
        }
    }
    match line.word() {
        Some((at, word)) => Ok((at, word.to_owned())),
        None => Err(Problem::new(line.at(), "the line ends too early", VALUES_HELP)),
    }
}
