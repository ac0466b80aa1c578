/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum EvaluationError {
    #[error("{0} is out of the range of integers")]
    OutOfRange(&'static str),
    #[error("division by zero")]
    DivisionByZero,
    #[error("{0} is not {1}")]
    Type(&'static str, &'static str),
    #[error("a variable holds a text that is no number")]
    NoNumber,
    #[error("{0} got an empty range")]
    EmptyRange(&'static str),
    #[error("the parameter of {name} must be {must}, not {got}")]
    Parameter { name: &'static str, must: &'static str, got: f64 },
    #[error("there is no row {row}: the values have {rows}, counted from 1")]
    NoRow { row: i64, rows: usize },
    #[error("{name} does not take {got} arguments")]
    Arguments { name: &'static str, got: usize },
}
