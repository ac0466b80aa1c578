//! Frames as bytes for the terminal, on standard error.

use model::text;
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier};
use rustix::termios::tcgetwinsize;
use std::io::{self, IsTerminal, Write, stderr};

/// The size of a terminal that does not tell it.
const SIZE: Size = Size { width: 80, height: 24 };
/// What stands in the place of a character that would steer the terminal, should one get here.
const INSTEAD: &str = "?";

pub(super) fn is_terminal() -> bool {
    stderr().is_terminal()
}

/// Writes sequences of weighin's own.
pub(super) fn write(sequences: &[u8]) -> io::Result<()> {
    stderr().write_all(sequences)
}

/// What is to be written next.
#[derive(Default)]
pub(super) struct Stream(Vec<u8>);

/// The codes of a look.
fn style(cell: &Cell) -> String {
    let mut codes = "0".to_owned();
    let modifiers = [
        (Modifier::BOLD, ";1"),
        (Modifier::DIM, ";2"),
        (Modifier::UNDERLINED, ";4"),
        (Modifier::REVERSED, ";7"),
    ];
    for (modifier, code) in modifiers {
        if cell.modifier.contains(modifier) {
            codes += code;
        }
    }
    codes += match cell.fg {
        Color::Red => ";31",
        Color::Green => ";32",
        Color::Yellow => ";33",
        Color::Cyan => ";36",
        _ => "",
    };
    codes
}

impl Backend for Stream {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, cells: I) -> io::Result<()> {
        let (mut next, mut last) = (None, String::new());
        for (x, y, cell) in cells {
            if next != Some((x, y)) {
                write!(self.0, "\x1b[{};{}H", y.saturating_add(1), x.saturating_add(1))?;
            }
            let style = style(cell);
            if style != last {
                write!(self.0, "\x1b[{style}m")?;
                last = style;
            }
            // The last gate: whatever came through all others does not leave here.
            let symbol = cell.symbol();
            let symbol = if symbol.contains(text::deceives) { INSTEAD } else { symbol };
            self.0.extend_from_slice(symbol.as_bytes());
            next = x.checked_add(1).map(|x| (x, y));
        }
        self.0.extend_from_slice(b"\x1b[0m");
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.0.extend_from_slice(b"\x1b[?25l");
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.0.extend_from_slice(b"\x1b[?25h");
        Ok(())
    }

    /// It is nowhere: it is hidden, and is moved before anything is drawn.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let Position { x, y } = position.into();
        write!(self.0, "\x1b[{};{}H", y.saturating_add(1), x.saturating_add(1))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.0.extend_from_slice(b"\x1b[0m\x1b[2J");
        Ok(())
    }

    /// A view that fills the screen clears all of it.
    fn clear_region(&mut self, _: ClearType) -> io::Result<()> {
        self.clear()
    }

    fn size(&self) -> io::Result<Size> {
        let size = tcgetwinsize(stderr())?;
        Ok(match (size.ws_col, size.ws_row) {
            (0, _) | (_, 0) => SIZE,
            (width, height) => Size { width, height },
        })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        let frame = std::mem::take(&mut self.0);
        let mut out = stderr();
        out.write_all(&frame)?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_leaves_in_a_frame() {
        let mut stream = Stream::default();
        let mut cells = ["a", "\u{1b}", "\u{202e}", "é", "\u{9b}"].map(|symbol| {
            let mut cell = Cell::default();
            cell.set_symbol(symbol);
            cell
        });
        cells[3].set_fg(Color::Red);
        let all = (0..).zip(&cells).map(|(x, cell)| (x, 2, cell));
        stream.draw(all).unwrap();
        let written = String::from_utf8(stream.0).unwrap();
        assert_eq!(written, "\u{1b}[3;1H\u{1b}[0ma??\u{1b}[0;31mé\u{1b}[0m?\u{1b}[0m");
    }
}
