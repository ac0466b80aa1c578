//! Expressions as pgbench writes them.

use super::error::Problem;
use super::line::Line;
use super::names::{Names, begins_name, in_name};
use crate::program::{Expression, Function, Value};

/// How deep expressions may be nested. Each level takes a little of the stack, here and wherever an
/// expression is gone through.
const DEEPEST: usize = 100;

/// Strength of operators, the weakest first. `NOT` stands between `AND` and `IS`, signs above all.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const IS: u8 = 4;
const COMPARISON: u8 = 5;
const BITS: u8 = 6;
const SUM: u8 = 7;
const PRODUCT: u8 = 8;
const SIGN: u8 = 9;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'t> {
    Integer(i64),
    /// 2⁶³, which only a minus makes an integer.
    TooLargeByOne,
    Double(f64),
    Variable(&'t str),
    /// A function or a keyword.
    Name(&'t str),
    Sign(&'static str),
    End,
}

/// An expression and how deep it is.
type Tree = (Expression, usize);

pub(super) struct Formula<'l, 't> {
    line: &'l mut Line<'t>,
    names: &'l mut Names,
    token: Token<'t>,
    /// Where it begins.
    at: usize,
    depth: usize,
}

const SIGNS: [&str; 22] = [
    "<<", ">>", "<=", ">=", "<>", "!=", "+", "-", "*", "/", "%", "&", "|", "#", "~", "<", ">", "=",
    "(", ")", ",", "]",
];

impl<'l, 't> Formula<'l, 't> {
    /// Reads the rest of a line as one expression.
    pub(super) fn whole_line(
        line: &'l mut Line<'t>,
        names: &'l mut Names,
    ) -> Result<Expression, Problem> {
        let mut formula = Self::begin(line, names)?;
        let (expression, _) = formula.expression(OR)?;
        match formula.token {
            Token::End => Ok(expression),
            _ => Err(formula.unexpected("an operator, or the end of the line")),
        }
    }

    /// Reads an expression up to a closing bracket, which is taken away with it.
    pub(super) fn in_brackets(
        line: &'l mut Line<'t>,
        names: &'l mut Names,
    ) -> Result<Expression, Problem> {
        let mut formula = Self::begin(line, names)?;
        let (expression, _) = formula.expression(OR)?;
        // What follows the bracket is no part of an expression.
        match formula.token {
            Token::Sign("]") => Ok(expression),
            _ => Err(formula.unexpected("an operator or ]")),
        }
    }

    fn begin(line: &'l mut Line<'t>, names: &'l mut Names) -> Result<Self, Problem> {
        let at = line.at();
        let mut formula = Self { line, names, token: Token::End, at, depth: 0 };
        formula.next()?;
        Ok(formula)
    }

    /// Goes on to the next token and returns the one before it.
    fn next(&mut self) -> Result<Token<'t>, Problem> {
        let before = self.token;
        self.line.skip_spaces();
        self.at = self.line.at();
        self.token = match self.line.byte() {
            None => Token::End,
            Some(b':') => {
                self.line.advance(1);
                match self.line.take_while(in_name) {
                    "" => return Err(self.problem(":", "write the name of a variable after it")),
                    name => Token::Variable(name),
                }
            }
            Some(byte) if byte.is_ascii_digit() || byte == b'.' => self.number()?,
            Some(byte) if begins_name(byte) => Token::Name(self.line.take_while(in_name)),
            Some(_) => {
                let rest = self.line.rest();
                let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
                    let character: String = rest.chars().take(1).collect();
                    return Err(self.problem(&character, "expressions have no such character"));
                };
                self.line.advance(sign.len());
                Token::Sign(sign)
            }
        };
        Ok(before)
    }

    fn problem(&self, what: &str, help: &str) -> Problem {
        Problem::new(self.at, format!("{what} cannot stand here"), help)
    }

    fn unexpected(&self, expected: &str) -> Problem {
        let what = match self.token {
            Token::End => {
                return Problem::new(
                    self.at,
                    "the line ends too early",
                    format!("expected: {expected}"),
                );
            }
            Token::Sign(sign) => sign.to_owned(),
            Token::Name(name) => name.to_owned(),
            Token::Variable(name) => format!(":{name}"),
            Token::Integer(_) | Token::TooLargeByOne | Token::Double(_) => "a number".to_owned(),
        };
        self.problem(&what, &format!("expected: {expected}"))
    }

    fn number(&mut self) -> Result<Token<'t>, Problem> {
        let rest = self.line.rest();
        let bytes = rest.as_bytes();
        let digits = |from: usize| {
            let more = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit());
            from + more.count()
        };
        let whole = digits(0);
        let mut end = whole;
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if end == 1 && whole == 0 {
            return Err(self.problem(".", "write a number with digits, such as 0.5"));
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let signed = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = end + 1 + signed;
            if digits(exponent.min(bytes.len())) > exponent {
                end = digits(exponent);
            }
        }
        self.line.advance(end);
        let text = &rest[..end];
        if end > whole {
            let number: f64 = text.parse().unwrap_or(f64::INFINITY);
            return match number.is_finite() {
                true => Ok(Token::Double(number)),
                false => Err(self.problem("a number so large", "doubles end at 1.7e308")),
            };
        }
        match text.parse::<u64>().map(i64::try_from) {
            Ok(Ok(number)) => Ok(Token::Integer(number)),
            Ok(Err(_)) if text.trim_start_matches('0') == "9223372036854775808" => {
                Ok(Token::TooLargeByOne)
            }
            _ => Err(self.problem("a number so large", LARGEST)),
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Name(name) if name.eq_ignore_ascii_case(word))
    }

    fn take_word(&mut self, word: &str) -> Result<bool, Problem> {
        let is = self.is_word(word);
        if is {
            self.next()?;
        }
        Ok(is)
    }

    fn expect_word(&mut self, word: &str) -> Result<(), Problem> {
        match self.take_word(word)? {
            true => Ok(()),
            false => Err(self.unexpected(word)),
        }
    }

    fn take_sign(&mut self, sign: &str) -> Result<bool, Problem> {
        let is = self.token_is(sign);
        if is {
            self.next()?;
        }
        Ok(is)
    }

    fn token_is(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(one) if one == sign)
    }

    /// An expression of operators of at least that strength.
    fn expression(&mut self, least: u8) -> Result<Tree, Problem> {
        self.depth += 1;
        self.bounded(self.depth)?;
        let mut left = self.operand()?;
        loop {
            if IS >= least && ["is", "isnull", "notnull"].iter().any(|word| self.is_word(word)) {
                left = self.is(left)?;
                continue;
            }
            let Some((strength, function, swapped)) = self.operator() else { break };
            if strength < least {
                break;
            }
            let at = self.at;
            self.next()?;
            let right = self.expression(strength + 1)?;
            if strength == COMPARISON && self.operator().is_some_and(|next| next.0 == COMPARISON) {
                return Err(self.problem("a second comparison", "put one of them in parentheses"));
            }
            let depth = self.deeper(left.1.max(right.1), at)?;
            let arguments = if swapped { [right.0, left.0] } else { [left.0, right.0] };
            left = (Expression::call(function, arguments), depth);
        }
        self.depth -= 1;
        Ok(left)
    }

    /// The operator that stands here: its strength, its function, and whether its operands change places.
    fn operator(&self) -> Option<(u8, Function, bool)> {
        use Function as F;
        let (strength, function) = match self.token {
            Token::Sign(sign) => match sign {
                "+" => (SUM, F::Add),
                "-" => (SUM, F::Subtract),
                "*" => (PRODUCT, F::Multiply),
                "/" => (PRODUCT, F::Divide),
                "%" => (PRODUCT, F::Modulo),
                "&" => (BITS, F::BitAnd),
                "|" => (BITS, F::BitOr),
                "#" => (BITS, F::BitXor),
                "<<" => (BITS, F::ShiftLeft),
                ">>" => (BITS, F::ShiftRight),
                "=" => (COMPARISON, F::Equal),
                "<>" | "!=" => (COMPARISON, F::NotEqual),
                "<" | ">" => (COMPARISON, F::Less),
                "<=" | ">=" => (COMPARISON, F::LessOrEqual),
                _ => return None,
            },
            Token::Name(_) if self.is_word("or") => (OR, F::Or),
            Token::Name(_) if self.is_word("and") => (AND, F::And),
            _ => return None,
        };
        Some((strength, function, matches!(self.token, Token::Sign(">" | ">="))))
    }

    /// `IS`, `ISNULL` or `NOTNULL`, and what follows.
    fn is(&mut self, left: Tree) -> Result<Tree, Problem> {
        let (negated, value) = if self.take_word("isnull")? {
            (false, Value::Null)
        } else if self.take_word("notnull")? {
            (true, Value::Null)
        } else {
            self.expect_word("IS")?;
            let negated = self.take_word("not")?;
            let Some(value) = self.constant_word() else {
                return Err(self.unexpected("NULL, TRUE, FALSE or NOT"));
            };
            self.next()?;
            (negated, value)
        };
        let mut depth = self.deeper(left.1, self.at)?;
        let mut is = Expression::call(Function::Is, [left.0, Expression::Constant(value)]);
        if negated {
            is = Expression::call(Function::Not, [is]);
            depth = self.deeper(depth, self.at)?;
        }
        Ok((is, depth))
    }

    fn constant_word(&self) -> Option<Value> {
        let Token::Name(name) = self.token else { return None };
        let words = [
            ("null", Value::Null),
            ("true", Value::Boolean(true)),
            ("false", Value::Boolean(false)),
        ];
        words.into_iter().find(|(word, _)| name.eq_ignore_ascii_case(word)).map(|(_, value)| value)
    }

    fn operand(&mut self) -> Result<Tree, Problem> {
        if let Some(value) = self.constant_word() {
            self.next()?;
            return Ok((Expression::Constant(value), 1));
        }
        let at = self.at;
        match self.token {
            Token::Integer(number) => {
                self.next()?;
                Ok((Expression::integer(number), 1))
            }
            Token::TooLargeByOne => Err(self.problem("a number so large", LARGEST)),
            Token::Double(number) => {
                self.next()?;
                Ok((Expression::double(number), 1))
            }
            Token::Variable(name) => {
                self.next()?;
                Ok((Expression::Variable(self.names.read(name, at)), 1))
            }
            Token::Sign("(") => {
                self.next()?;
                let inner = self.expression(OR)?;
                match self.take_sign(")")? {
                    true => Ok(inner),
                    false => Err(self.unexpected("an operator or )")),
                }
            }
            Token::Sign(sign @ ("+" | "-" | "~")) => {
                self.next()?;
                self.signed(sign, at)
            }
            Token::Name(name) if name.eq_ignore_ascii_case("not") => {
                self.next()?;
                let (inner, depth) = self.expression(NOT)?;
                Ok((Expression::call(Function::Not, [inner]), self.deeper(depth, at)?))
            }
            Token::Name(name) if name.eq_ignore_ascii_case("case") => {
                self.next()?;
                self.case(at)
            }
            Token::Name(name) => {
                self.next()?;
                self.call(name, at)
            }
            _ => Err(self.unexpected("a number, a variable as in :name, a function, CASE or (")),
        }
    }

    /// What follows a sign.
    fn signed(&mut self, sign: &str, at: usize) -> Result<Tree, Problem> {
        if sign == "-" && self.token == Token::TooLargeByOne {
            self.next()?;
            return Ok((Expression::integer(i64::MIN), 1));
        }
        let (inner, depth) = self.expression(SIGN)?;
        let (function, zero) = match sign {
            "+" => return Ok((inner, depth)),
            "-" => (Function::Subtract, 0),
            _ => (Function::BitXor, -1),
        };
        let depth = self.deeper(depth, at)?;
        Ok((Expression::call(function, [Expression::integer(zero), inner]), depth))
    }

    fn case(&mut self, at: usize) -> Result<Tree, Problem> {
        let (mut branches, mut otherwise, mut deepest) = (Vec::new(), None, 0);
        self.expect_word("WHEN")?;
        loop {
            let condition = self.expression(OR)?;
            self.expect_word("THEN")?;
            let value = self.expression(OR)?;
            deepest = deepest.max(condition.1).max(value.1);
            branches.push((condition.0, value.0));
            if !self.take_word("when")? {
                break;
            }
        }
        if self.take_word("else")? {
            let value = self.expression(OR)?;
            deepest = deepest.max(value.1);
            otherwise = Some(Box::new(value.0));
        }
        match self.take_word("end")? {
            true => Ok((Expression::Case { branches, otherwise }, self.deeper(deepest, at)?)),
            false => Err(self.unexpected("WHEN, ELSE or END")),
        }
    }

    fn call(&mut self, name: &'t str, at: usize) -> Result<Tree, Problem> {
        if !self.token_is("(") {
            let found = function(name).is_some();
            let help = match found {
                true => format!("a function has its arguments in parentheses: {name}(…)"),
                false => format!("write :{name} for the variable"),
            };
            return Err(Problem::new(at, format!("{name} cannot stand here"), help));
        }
        let Some((function, least, most)) = function(name) else {
            let message = format!("there is no function {name}");
            return Err(Problem::new(at, message, format!("there are {}", function_names())));
        };
        self.next()?;
        let (mut arguments, mut deepest) = (Vec::new(), 0);
        if !self.take_sign(")")? {
            loop {
                let (argument, depth) = self.expression(OR)?;
                arguments.push(argument);
                deepest = deepest.max(depth);
                if self.take_sign(")")? {
                    break;
                }
                if !self.take_sign(",")? {
                    return Err(self.unexpected("an operator, a comma or )"));
                }
            }
        }
        if !(least..=most).contains(&arguments.len()) {
            let wanted = match (least, most) {
                (0, _) => "none".to_owned(),
                (least, usize::MAX) => format!("{least} or more"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} or {most}"),
            };
            let message = format!("{name} has {} arguments", arguments.len());
            return Err(Problem::new(at, message, format!("it takes {wanted}")));
        }
        let depth = self.deeper(deepest, at)?;
        if arguments.len() < function.arity().0 {
            // The seed of a hash or a permutation.
            arguments.push(Expression::Variable(self.names.read("default_seed", at)));
        }
        match name.eq_ignore_ascii_case("debug") {
            // There is nothing that a client could print to.
            true => Ok((arguments.swap_remove(0), deepest)),
            false => Ok((Expression::call(function, arguments), depth)),
        }
    }

    fn deeper(&self, depth: usize, at: usize) -> Result<usize, Problem> {
        match depth < DEEPEST {
            true => Ok(depth + 1),
            false => Err(too_deep(at)),
        }
    }

    fn bounded(&self, depth: usize) -> Result<(), Problem> {
        if depth > DEEPEST { Err(too_deep(self.at)) } else { Ok(()) }
    }
}

const LARGEST: &str = "integers end at 9223372036854775807; write a double, such as 1e19";

fn too_deep(at: usize) -> Problem {
    let message = format!("the expression is nested more than {DEEPEST} deep");
    Problem::new(at, message, "divide it over several \\set")
}

/// Functions by name, with the least and the largest number of their arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 21] = {
    use Function as F;
    const ANY: usize = usize::MAX;
    [
        ("abs", F::Abs, 1, 1),
        // The value itself: see `Formula::call`.
        ("debug", F::Double, 1, 1),
        ("double", F::Double, 1, 1),
        ("exp", F::Exp, 1, 1),
        ("greatest", F::Greatest, 1, ANY),
        ("hash", F::HashMurmur2, 1, 2),
        ("hash_fnv1a", F::HashFnv1a, 1, 2),
        ("hash_murmur2", F::HashMurmur2, 1, 2),
        ("int", F::Int, 1, 1),
        ("least", F::Least, 1, ANY),
        ("ln", F::Ln, 1, 1),
        ("mod", F::Modulo, 2, 2),
        ("permute", F::Permute, 2, 3),
        ("pi", F::Pi, 0, 0),
        ("pow", F::Power, 2, 2),
        ("power", F::Power, 2, 2),
        ("random", F::Random, 2, 2),
        ("random_exponential", F::RandomExponential, 3, 3),
        ("random_gaussian", F::RandomGaussian, 3, 3),
        ("random_zipfian", F::RandomZipfian, 3, 3),
        ("sqrt", F::Sqrt, 1, 1),
    ]
};

fn function(name: &str) -> Option<(Function, usize, usize)> {
    let found = FUNCTIONS.iter().find(|function| function.0.eq_ignore_ascii_case(name))?;
    Some((found.1, found.2, found.3))
}

fn function_names() -> String {
    FUNCTIONS.map(|function| function.0).join(", ")
}
