/// Appends a command: its name and arguments.
pub fn write_command(arguments: &[&[u8]], out: &mut Vec<u8>) {
    write_head(b'*', arguments.len(), out);
    arguments.iter().for_each(|argument| write_bulk(argument, out));
}

fn write_bulk(bytes: &[u8], out: &mut Vec<u8>) {
    write_head(b'$', bytes.len(), out);
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

#[inline]
fn write_head(kind: u8, number: usize, out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// A command whose first argument is a key that ends in a number of fixed width, encoded once and
/// then copied and patched.
#[derive(Clone, Debug)]
pub struct CommandTemplate {
    /// Up to the end of the key.
    head: Box<[u8]>,
    /// Where the digits begin.
    digits_at: usize,
    /// What follows the value, or the key where there is none.
    tail: Box<[u8]>,
}

impl CommandTemplate {
    /// The command `name prefix#### [value] [after …]`, with so many digits in place of `####`.
    /// `with_value` leaves room for a value that [`Self::write_with`] is given.
    pub fn new(name: &str, prefix: &str, digits: usize, with_value: bool, after: &[&str]) -> Self {
        let mut head = Vec::new();
        write_head(b'*', 2 + usize::from(with_value) + after.len(), &mut head);
        write_bulk(name.as_bytes(), &mut head);
        write_head(b'$', prefix.len() + digits, &mut head);
        head.extend_from_slice(prefix.as_bytes());
        let digits_at = head.len();
        head.resize(digits_at + digits, b'0');
        head.extend_from_slice(b"\r\n");
        let mut tail = Vec::new();
        after.iter().for_each(|argument| write_bulk(argument.as_bytes(), &mut tail));
        Self { head: head.into(), digits_at, tail: tail.into() }
    }

    /// Appends the command for the key of that number, of which the last digits are written.
    #[inline]
    pub fn write(&self, number: u32, out: &mut Vec<u8>) {
        self.write_head(number, out);
        out.extend_from_slice(&self.tail);
    }

    /// The same with a value.
    #[inline]
    pub fn write_with(&self, number: u32, value: &[u8], out: &mut Vec<u8>) {
        self.write_head(number, out);
        write_head(b'$', value.len(), out);
        out.extend_from_slice(value);
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.tail);
    }

    #[inline]
    fn write_head(&self, mut number: u32, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&self.head);
        // The line's end follows the digits.
        let end = out.len() - 2;
        for digit in out[start + self.digits_at..end].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_an_array_of_byte_strings() {
        let mut out = Vec::new();
        write_command(&[b"AUTH", b"", b"p\r\nw"], &mut out);
        assert_eq!(out, b"*3\r\n$4\r\nAUTH\r\n$0\r\n\r\n$4\r\np\r\nw\r\n");
    }

    #[test]
    fn templates_write_what_the_encoder_writes() {
        let get = CommandTemplate::new("GET", "k:", 6, false, &[]);
        let set = CommandTemplate::new("SET", "k:", 6, true, &["PX", "1500"]);
        let long = vec![b'x'; 1024];
        for (number, value) in [(0, &b""[..]), (42, b"v"), (999_999, &long)] {
            let key = format!("k:{number:06}");
            let (mut template, mut plain) = (Vec::new(), Vec::new());
            get.write(number, &mut template);
            set.write_with(number, value, &mut template);
            write_command(&[b"GET", key.as_bytes()], &mut plain);
            write_command(&[b"SET", key.as_bytes(), value, b"PX", b"1500"], &mut plain);
            assert_eq!(template, plain, "{number}");
        }
    }
}
