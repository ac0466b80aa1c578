use super::hash::{fnv1a, murmur2, permute};
use super::{EvaluationError, Expression};
use crate::Stream;
use crate::program::source::Draws;
use crate::program::value::{Value, Variables};

/// Operators and functions of pgbench. `hash` is [`Self::HashMurmur2`]; where the seed of a hash or
/// permutation is left out, a reader of scripts puts the variable `default_seed` in its place; `a > b`
/// is `b < a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Not,
    Is,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Abs,
    Int,
    Double,
    Least,
    Greatest,
    Pi,
    Sqrt,
    Ln,
    Exp,
    Power,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    HashFnv1a,
    HashMurmur2,
    Permute,
}

impl Function {
    /// As scripts write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "#",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
            Self::Is => "IS",
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Abs => "abs",
            Self::Int => "int",
            Self::Double => "double",
            Self::Least => "least",
            Self::Greatest => "greatest",
            Self::Pi => "pi",
            Self::Sqrt => "sqrt",
            Self::Ln => "ln",
            Self::Exp => "exp",
            Self::Power => "power",
            Self::Random => "random",
            Self::RandomExponential => "random_exponential",
            Self::RandomGaussian => "random_gaussian",
            Self::RandomZipfian => "random_zipfian",
            Self::HashFnv1a => "hash_fnv1a",
            Self::HashMurmur2 => "hash_murmur2",
            Self::Permute => "permute",
        }
    }

    /// How many arguments it takes, at least and at most.
    pub fn arity(self) -> (usize, usize) {
        match self {
            Self::Pi => (0, 0),
            Self::Not | Self::Abs | Self::Int | Self::Double => (1, 1),
            Self::Sqrt | Self::Ln | Self::Exp => (1, 1),
            Self::Least | Self::Greatest => (1, usize::MAX),
            Self::RandomExponential | Self::RandomGaussian | Self::RandomZipfian => (3, 3),
            Self::Permute => (3, 3),
            _ => (2, 2),
        }
    }

    /// Whether its value is another one each time.
    pub(in crate::program) fn is_random(self) -> bool {
        use Function::{Random, RandomExponential, RandomGaussian, RandomZipfian};
        matches!(self, Random | RandomExponential | RandomGaussian | RandomZipfian)
    }

    /// Whether its values are true and false.
    pub(in crate::program) fn gives_boolean(self) -> bool {
        matches!(
            self,
            Self::And
                | Self::Or
                | Self::Not
                | Self::Is
                | Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessOrEqual
        )
    }

    pub(super) fn call(
        self,
        arguments: &[Expression],
        variables: &Variables,
        draws: &mut Draws,
    ) -> Result<Value, EvaluationError> {
        let (least, most) = self.arity();
        if arguments.len() < least || arguments.len() > most {
            return Err(EvaluationError::Arguments { name: self.name(), got: arguments.len() });
        }
        match self {
            Self::And | Self::Or => return self.decide(arguments, variables, draws),
            Self::Least | Self::Greatest => return self.extreme(arguments, variables, draws),
            _ => {}
        }
        let mut values = [Value::Null; 3];
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = argument.evaluate(variables, draws)?;
        }
        let values = &values[..arguments.len()];
        if values.contains(&Value::Null) && self != Self::Is {
            return Ok(Value::Null);
        }
        self.apply(values, &mut draws.stream)
    }

    /// The second argument matters only where the first has not decided.
    fn decide(
        self,
        arguments: &[Expression],
        variables: &Variables,
        draws: &mut Draws,
    ) -> Result<Value, EvaluationError> {
        let decides = self == Self::Or;
        match arguments[0].evaluate(variables, draws)? {
            Value::Null => Ok(Value::Null),
            first if boolean(first)? == decides => Ok(Value::Boolean(decides)),
            _ => match arguments[1].evaluate(variables, draws)? {
                Value::Null => Ok(Value::Null),
                second => boolean(second).map(Value::Boolean),
            },
        }
    }

    /// A double where one of them is.
    fn extreme(
        self,
        arguments: &[Expression],
        variables: &Variables,
        draws: &mut Draws,
    ) -> Result<Value, EvaluationError> {
        let (mut best, mut as_double, mut nothing) = (None, false, false);
        for argument in arguments {
            let value = argument.evaluate(variables, draws)?;
            if value == Value::Null {
                nothing = true;
                continue;
            }
            as_double |= matches!(value, Value::Double(_));
            let better = match best {
                None => true,
                Some(best) if self == Self::Least => less(value, best)?,
                Some(best) => less(best, value)?,
            };
            if better {
                best = Some(value);
            }
        }
        match best {
            Some(best) if !nothing => match as_double {
                true => double(best).map(Value::Double),
                false => integer(best).map(Value::Integer),
            },
            _ => Ok(Value::Null),
        }
    }

    fn apply(self, values: &[Value], stream: &mut Stream) -> Result<Value, EvaluationError> {
        use Value::{Boolean, Double, Integer};
        let first = values.first().copied().unwrap_or(Value::Null);
        let second = values.get(1).copied().unwrap_or(Value::Null);
        let third = values.get(2).copied().unwrap_or(Value::Null);
        Ok(match self {
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide | Self::Modulo => {
                self.compute(first, second)?
            }
            Self::BitAnd => Integer(integer(first)? & integer(second)?),
            Self::BitOr => Integer(integer(first)? | integer(second)?),
            Self::BitXor => Integer(integer(first)? ^ integer(second)?),
            Self::ShiftLeft => Integer(integer(first)?.wrapping_shl(integer(second)? as u32)),
            Self::ShiftRight => Integer(integer(first)?.wrapping_shr(integer(second)? as u32)),
            // Of those two, arguments are evaluated one by one.
            Self::And | Self::Or | Self::Least | Self::Greatest => first,
            Self::Not => Boolean(!boolean(first)?),
            Self::Is => Boolean(first == second),
            Self::Equal => Boolean(equal(first, second)?),
            Self::NotEqual => Boolean(!equal(first, second)?),
            Self::Less => Boolean(less(first, second)?),
            Self::LessOrEqual => Boolean(less(first, second)? || equal(first, second)?),
            Self::Abs => match first {
                Double(number) => Double(number.abs()),
                other => Integer(integer(other)?.wrapping_abs()),
            },
            Self::Int => Integer(integer(first)?),
            Self::Double => Double(double(first)?),
            Self::Pi => Double(std::f64::consts::PI),
            Self::Sqrt => Double(double(first)?.sqrt()),
            Self::Ln => Double(double(first)?.ln()),
            Self::Exp => Double(double(first)?.exp()),
            Self::Power => Double(double(first)?.powf(double(second)?)),
            Self::Random | Self::RandomExponential | Self::RandomGaussian | Self::RandomZipfian => {
                Integer(self.random(integer(first)?, integer(second)?, third, stream)?)
            }
            Self::HashFnv1a => Integer(fnv1a(integer(first)?, integer(second)?)),
            Self::HashMurmur2 => Integer(murmur2(integer(first)?, integer(second)?)),
            Self::Permute => {
                let size = integer(second)?;
                if size <= 0 {
                    let must = "a size greater than zero";
                    let (name, got) = (self.name(), size as f64);
                    return Err(EvaluationError::Parameter { name, must, got });
                }
                Integer(permute(integer(first)?, size, integer(third)?))
            }
        })
    }

    /// Doubles where one of them is, but for the rest of a division.
    fn compute(self, first: Value, second: Value) -> Result<Value, EvaluationError> {
        let doubles = matches!(first, Value::Double(_)) || matches!(second, Value::Double(_));
        if doubles && self != Self::Modulo {
            let (a, b) = (double(first)?, double(second)?);
            return Ok(Value::Double(match self {
                Self::Add => a + b,
                Self::Subtract => a - b,
                Self::Multiply => a * b,
                _ => a / b,
            }));
        }
        let (a, b) = (integer(first)?, integer(second)?);
        let result = match self {
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            _ if b == 0 => return Err(EvaluationError::DivisionByZero),
            Self::Divide => a.checked_div(b),
            _ => Some(a.wrapping_rem(b)),
        };
        result.map(Value::Integer).ok_or(EvaluationError::OutOfRange("a result"))
    }

    fn random(
        self,
        low: i64,
        high: i64,
        parameter: Value,
        stream: &mut Stream,
    ) -> Result<i64, EvaluationError> {
        let name = self.name();
        if low > high {
            return Err(EvaluationError::EmptyRange(name));
        }
        let width = high.checked_sub(low).and_then(|width| width.checked_add(1));
        let width = width.ok_or(EvaluationError::OutOfRange("a range"))?;
        if self == Self::Random {
            return Ok(low + stream.below(width as u64) as i64);
        }
        let parameter = double(parameter)?;
        let (permitted, must) = match self {
            Self::RandomGaussian => (parameter >= 2.0, "at least 2"),
            Self::RandomZipfian => ((1.001..=1000.0).contains(&parameter), "from 1.001 to 1000"),
            _ => (parameter > 0.0, "greater than zero"),
        };
        if !permitted {
            return Err(EvaluationError::Parameter { name, must, got: parameter });
        }
        let scaled = |share: f64| low + ((width as f64 * share) as i64).min(width - 1);
        Ok(match self {
            Self::RandomGaussian => scaled(gaussian(parameter, stream)),
            Self::RandomZipfian => low - 1 + zipfian(width, parameter, stream),
            _ => {
                let cut = (-parameter).exp();
                let uniform = 1.0 - stream.unit();
                scaled(-(cut + (1.0 - cut) * uniform).ln() / parameter)
            }
        })
    }
}

/// In [0, 1): normally distributed, cut off at `parameter` standard deviations from the middle.
fn gaussian(parameter: f64, stream: &mut Stream) -> f64 {
    loop {
        // By Box and Muller; 1 − u is never 0.
        let radius = (-2.0 * (1.0 - stream.unit()).ln()).sqrt();
        let normal = radius * (2.0 * std::f64::consts::PI * stream.unit()).sin();
        if (-parameter..parameter).contains(&normal) {
            return (normal + parameter) / (2.0 * parameter);
        }
    }
}

/// From 1 to `ranks`, by rejection: L. Devroye, "Non-Uniform Random Variate Generation", p. 551.
fn zipfian(ranks: i64, exponent: f64, stream: &mut Stream) -> i64 {
    if ranks <= 1 {
        return 1;
    }
    let b = 2.0_f64.powf(exponent - 1.0);
    loop {
        let (u, v) = (stream.unit(), stream.unit());
        let x = u.powf(-1.0 / (exponent - 1.0)).floor();
        let t = (1.0 + 1.0 / x).powf(exponent - 1.0);
        if v * x * (t - 1.0) / (b - 1.0) <= t / b && x <= ranks as f64 {
            return x as i64;
        }
    }
}

fn equal(first: Value, second: Value) -> Result<bool, EvaluationError> {
    match (first, second) {
        (Value::Double(_), _) | (_, Value::Double(_)) => Ok(double(first)? == double(second)?),
        _ => Ok(integer(first)? == integer(second)?),
    }
}

fn less(first: Value, second: Value) -> Result<bool, EvaluationError> {
    match (first, second) {
        (Value::Double(_), _) | (_, Value::Double(_)) => Ok(double(first)? < double(second)?),
        _ => Ok(integer(first)? < integer(second)?),
    }
}

fn type_name(value: Value) -> &'static str {
    match value {
        Value::Null => "NULL",
        Value::Boolean(_) => "a boolean",
        Value::Integer(_) => "an integer",
        Value::Double(_) => "a double",
        Value::Text(_) => "a text",
    }
}

pub(in crate::program) fn integer(value: Value) -> Result<i64, EvaluationError> {
    match value {
        Value::Integer(number) => Ok(number),
        Value::Double(number) => {
            let whole = number.round_ties_even();
            // The bounds are powers of two, and exact.
            let fits = (-(2.0_f64.powi(63))..2.0_f64.powi(63)).contains(&whole);
            if fits { Ok(whole as i64) } else { Err(EvaluationError::OutOfRange("a double")) }
        }
        other => Err(EvaluationError::Type(type_name(other), "an integer")),
    }
}

pub(super) fn double(value: Value) -> Result<f64, EvaluationError> {
    match value {
        Value::Double(number) => Ok(number),
        Value::Integer(number) => Ok(number as f64),
        other => Err(EvaluationError::Type(type_name(other), "a double")),
    }
}

fn boolean(value: Value) -> Result<bool, EvaluationError> {
    match value {
        Value::Boolean(is) => Ok(is),
        other => Err(EvaluationError::Type(type_name(other), "a boolean")),
    }
}

/// A text that was read from an answer stands for the number, or the truth, that it spells.
pub(super) fn coerce_text(value: Value, variables: &Variables) -> Result<Value, EvaluationError> {
    let Value::Text(holder) = value else { return Ok(value) };
    let text =
        std::str::from_utf8(variables.text(holder)).map_err(|_| EvaluationError::NoNumber)?;
    if text.eq_ignore_ascii_case("null") {
        return Ok(Value::Null);
    }
    for (word, is) in [("true", true), ("on", true), ("yes", true)].into_iter().chain([
        ("false", false),
        ("off", false),
        ("no", false),
    ]) {
        if text.eq_ignore_ascii_case(word) {
            return Ok(Value::Boolean(is));
        }
    }
    if let Ok(number) = text.trim().parse::<i64>() {
        return Ok(Value::Integer(number));
    }
    text.trim().parse().map(Value::Double).map_err(|_| EvaluationError::NoNumber)
}
