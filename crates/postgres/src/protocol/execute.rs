//! Executions of prepared statements: what never changes of one is encoded once.

use super::command::{push_text, set_length, write_message, write_sync};

/// Types of parameters whose values travel in binary form, by the numbers that servers give them.
const INT2: u32 = 21;
const INT4: u32 = 23;
const INT8: u32 = 20;
const FLOAT8: u32 = 701;

/// The execution of a prepared statement, without its values.
#[derive(Clone, Debug)]
pub struct ExecuteTemplate {
    /// Bind up to its first value.
    head: Box<[u8]>,
    /// Where the form of the first value stands in it.
    formats: usize,
    /// What follows the last value: the rest of Bind, Execute and Sync.
    tail: Box<[u8]>,
    /// How long the rest of Bind is.
    tail_of_bind: usize,
    kinds: Box<[Kind]>,
}

/// How the values of a parameter travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int2,
    Int4,
    Int8,
    Float8,
    Text,
}

impl Kind {
    fn for_parameter(parameter: u32) -> Self {
        match parameter {
            INT2 => Self::Int2,
            INT4 => Self::Int4,
            INT8 => Self::Int8,
            FLOAT8 => Self::Float8,
            _ => Self::Text,
        }
    }
}

const TEXT: [u8; 2] = [0, 0];
const BINARY: [u8; 2] = [0, 1];

impl ExecuteTemplate {
    /// Of the statement of that name, whose parameters have these types.
    pub fn new(name: &str, parameters: &[u32]) -> Self {
        let kinds: Box<[Kind]> = parameters.iter().map(|one| Kind::for_parameter(*one)).collect();
        let mut head = vec![b'B', 0, 0, 0, 0];
        // The portal without a name.
        head.push(0);
        push_text(name.as_bytes(), &mut head);
        let count = (kinds.len() as u16).to_be_bytes();
        head.extend_from_slice(&count);
        let formats = head.len();
        kinds.iter().for_each(|_| head.extend_from_slice(&TEXT));
        head.extend_from_slice(&count);
        // All columns as text.
        let mut tail = vec![0; 2];
        let tail_of_bind = tail.len();
        write_execute(&mut tail);
        write_sync(&mut tail);
        Self { head: head.into(), formats, tail: tail.into(), tail_of_bind, kinds }
    }

    /// Begins an execution, to which as many values are given as there are parameters.
    #[inline]
    pub fn begin<'a>(&'a self, out: &'a mut Vec<u8>) -> Execution<'a> {
        let from = out.len();
        out.extend_from_slice(&self.head);
        Execution { template: self, out, from, next: 0 }
    }
}

/// An execution being put together.
pub struct Execution<'a> {
    template: &'a ExecuteTemplate,
    out: &'a mut Vec<u8>,
    from: usize,
    next: usize,
}

impl Execution<'_> {
    #[inline]
    fn kind(&mut self) -> Kind {
        let kind = self.template.kinds.get(self.next).copied().unwrap_or(Kind::Text);
        self.next += 1;
        kind
    }

    #[inline]
    fn binary(&mut self, value: &[u8]) {
        let at = self.from + self.template.formats + 2 * (self.next - 1);
        self.out[at..at + 2].copy_from_slice(&BINARY);
        self.text(value);
    }

    #[inline]
    fn text(&mut self, value: &[u8]) {
        self.out.extend_from_slice(&(value.len() as i32).to_be_bytes());
        self.out.extend_from_slice(value);
    }

    #[inline]
    pub fn null(&mut self) {
        self.kind();
        self.out.extend_from_slice(&(-1_i32).to_be_bytes());
    }

    /// A number, in the form that the parameter has. One that the parameter cannot hold travels as
    /// text, so that the server refuses it in its own words.
    #[inline]
    pub fn integer(&mut self, number: i64) {
        match (self.kind(), i32::try_from(number), i16::try_from(number)) {
            (Kind::Int4, Ok(number), _) => self.binary(&number.to_be_bytes()),
            (Kind::Int8, ..) => self.binary(&number.to_be_bytes()),
            (Kind::Int2, _, Ok(number)) => self.binary(&number.to_be_bytes()),
            (Kind::Float8, ..) => self.binary(&(number as f64).to_be_bytes()),
            _ => self.text(itoa::Buffer::new().format(number).as_bytes()),
        }
    }

    /// A number; `text` is it in words, for a parameter that takes no such numbers.
    #[inline]
    pub fn double(&mut self, number: f64, text: &[u8]) {
        match self.kind() {
            Kind::Float8 => self.binary(&number.to_be_bytes()),
            _ => self.text(text),
        }
    }

    #[inline]
    pub fn text_value(&mut self, value: &[u8]) {
        self.kind();
        self.text(value);
    }

    /// Room for a text of that length.
    #[inline]
    pub fn text_slot(&mut self, length: usize) -> &mut [u8] {
        self.kind();
        self.out.extend_from_slice(&(length as i32).to_be_bytes());
        let from = self.out.len();
        self.out.resize(from + length, 0);
        &mut self.out[from..]
    }

    /// Ends it: Bind, Execute and Sync are there.
    #[inline]
    pub fn end(self) {
        let bind = self.out.len() + self.template.tail_of_bind - self.from - 1;
        self.out.extend_from_slice(&self.template.tail);
        self.out[self.from + 1..self.from + 5].copy_from_slice(&(bind as i32).to_be_bytes());
    }
}

/// Executes the portal without a name.
fn write_execute(out: &mut Vec<u8>) {
    write_message(b'E', out, |out| {
        out.push(0);
        // As many rows as there are.
        out.extend_from_slice(&[0; 4]);
    });
}

/// The execution of a statement that is not prepared and has no parameters, whose text `write` appends,
/// without the Sync that would end it.
pub fn write_text_execution(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    write_message(b'P', out, |out| {
        // The statement without a name.
        out.push(0);
        write(out);
        out.extend_from_slice(&[0; 3]);
    });
    // Neither portal nor statement has a name; there are no values, and all columns come as text.
    write_message(b'B', out, |out| out.extend_from_slice(&[0; 8]));
    write_execute(out);
}

/// Bytes as a simple query, whose text `write` appends.
#[inline]
pub fn write_text_query<T>(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    out.push(b'Q');
    let from = out.len();
    out.extend_from_slice(&[0; 4]);
    let written = write(out);
    out.push(0);
    set_length(out, from);
    written
}
