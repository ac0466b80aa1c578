use super::Function::*;
use super::*;
use crate::program::source::Draws;

fn value(expression: &Expression) -> Result<Value, EvaluationError> {
    let mut variables = Variables::new(3);
    variables.set_text(0, b"42");
    variables.set_text(1, b"abc");
    expression.evaluate(&variables, &mut Draws::new(&[], 1, 0, 1))
}

fn int(number: i64) -> Expression {
    Expression::integer(number)
}

fn double(number: f64) -> Expression {
    Expression::double(number)
}

fn constant(value: Value) -> Expression {
    Expression::Constant(value)
}

fn call<const N: usize>(
    function: Function,
    arguments: [Expression; N],
) -> Result<Value, EvaluationError> {
    value(&Expression::call(function, arguments))
}

#[test]
fn integers_overflow_into_errors_and_doubles_do_not() {
    use EvaluationError::{DivisionByZero, OutOfRange};
    let out = Err(OutOfRange("a result"));
    assert_eq!(call(Add, [int(i64::MAX), int(1)]), out);
    assert_eq!(call(Subtract, [int(i64::MIN), int(1)]), out);
    assert_eq!(call(Multiply, [int(1 << 40), int(1 << 40)]), out);
    assert_eq!(call(Divide, [int(i64::MIN), int(-1)]), out);
    assert_eq!(call(Modulo, [int(i64::MIN), int(-1)]), Ok(Value::Integer(0)));
    assert_eq!(call(Divide, [int(1), int(0)]), Err(DivisionByZero));
    assert_eq!(call(Divide, [int(-7), int(2)]), Ok(Value::Integer(-3)));
    assert_eq!(call(Modulo, [int(-7), int(2)]), Ok(Value::Integer(-1)));
    assert_eq!(call(Divide, [double(1.0), int(0)]), Ok(Value::Double(f64::INFINITY)));
    assert_eq!(call(Add, [int(1), double(0.5)]), Ok(Value::Double(1.5)));
    assert_eq!(call(Modulo, [double(7.5), int(3)]), Ok(Value::Integer(2)), "7.5 rounds to 8");
    assert_eq!(call(Int, [double(2.5)]), Ok(Value::Integer(2)), "halves go to the even number");
    assert_eq!(call(Int, [double(1e19)]), Err(OutOfRange("a double")));
}

#[test]
fn null_makes_null_but_where_it_is_asked_for_or_decided() {
    let null = || constant(Value::Null);
    let truth = |is| constant(Value::Boolean(is));
    assert_eq!(call(Add, [null(), int(1)]), Ok(Value::Null));
    assert_eq!(call(Is, [null(), null()]), Ok(Value::Boolean(true)));
    assert_eq!(call(Is, [int(0), null()]), Ok(Value::Boolean(false)));
    assert_eq!(call(And, [truth(false), null()]), Ok(Value::Boolean(false)));
    assert_eq!(call(And, [truth(true), null()]), Ok(Value::Null));
    assert_eq!(call(Or, [truth(true), int(1)]), Ok(Value::Boolean(true)), "not even looked at");
    assert_eq!(
        call(Or, [truth(false), int(1)]),
        Err(EvaluationError::Type("an integer", "a boolean"))
    );
    assert_eq!(call(Least, [int(3), null(), int(1)]), Ok(Value::Null));
    assert_eq!(call(Greatest, [int(3), double(2.5)]), Ok(Value::Double(3.0)));
}

#[test]
fn the_first_branch_that_holds_gives_the_value() {
    let less = |a, b| Expression::call(Less, [int(a), int(b)]);
    let case = |branches| Expression::Case { branches, otherwise: Some(Box::new(int(9))) };
    let branches = vec![(less(2, 1), int(1)), (int(-1), int(2)), (int(1), int(3))];
    assert_eq!(value(&case(branches)), Ok(Value::Integer(2)));
    assert_eq!(value(&case(vec![(int(0), int(1))])), Ok(Value::Integer(9)));
    assert_eq!(value(&Expression::Case { branches: vec![], otherwise: None }), Ok(Value::Null));
}

#[test]
fn a_text_that_was_read_is_the_number_that_it_spells() {
    assert_eq!(call(Add, [Expression::Variable(0), int(1)]), Ok(Value::Integer(43)));
    assert_eq!(call(Abs, [Expression::Variable(1)]), Err(EvaluationError::NoNumber));
}

#[test]
fn random_numbers_fill_their_range_and_refuse_what_makes_no_sense() {
    let variables = Variables::new(0);
    let mut draws = Draws::new(&[], 1, 0, 1);
    let mut shares = |function, parameter: Option<f64>| {
        let mut arguments = vec![int(1), int(10)];
        arguments.extend(parameter.map(double));
        let expression = Expression::call(function, arguments);
        let mut counts = [0.0; 10];
        for _ in 0..50_000 {
            let drawn = expression.evaluate(&variables, &mut draws).unwrap();
            let Value::Integer(number) = drawn else { panic!("{drawn:?}") };
            counts[number as usize - 1] += 1.0 / 50_000.0;
        }
        counts
    };
    let near = |got: f64, want: f64| assert!((got - want).abs() < 0.01, "{got} is not {want}");
    shares(Random, None).into_iter().for_each(|share| near(share, 0.1));
    let exponential = shares(RandomExponential, Some(2.0));
    // The documented share of the k-th of n numbers.
    let expected = |k: f64| {
        ((-2.0 * (k - 1.0) / 10.0_f64).exp() - (-2.0 * k / 10.0_f64).exp())
            / (1.0 - (-2.0_f64).exp())
    };
    (1..=10).for_each(|k| near(exponential[k - 1], expected(k as f64)));
    let gaussian = shares(RandomGaussian, Some(2.5));
    near(gaussian[4], gaussian[5]);
    // Half a standard deviation on one side: 0.1915 of a normal law, of 0.9876 within 2.5.
    near(gaussian[5], 0.1915 / 0.9876);
    let zipfian = shares(RandomZipfian, Some(1.5));
    let total: f64 = (1..=10).map(|k| f64::from(k).powf(-1.5)).sum();
    near(zipfian[0], 1.0 / total);
    near(zipfian[1], 2.0_f64.powf(-1.5) / total);

    assert_eq!(call(Random, [int(2), int(1)]), Err(EvaluationError::EmptyRange("random")));
    let wide = call(Random, [int(i64::MIN), int(i64::MAX)]);
    assert_eq!(wide, Err(EvaluationError::OutOfRange("a range")));
    for (function, parameter) in [
        (RandomGaussian, 1.9),
        (RandomExponential, 0.0),
        (RandomZipfian, 1.0),
        (RandomZipfian, 1001.0),
    ] {
        let refused = call(function, [int(1), int(2), double(parameter)]);
        assert!(matches!(refused, Err(EvaluationError::Parameter { .. })), "{refused:?}");
    }
}

/// The numbers are those that pgbench 15 gives.
#[test]
fn hashes_and_permutations_are_those_of_pgbench() {
    let number = |result| match result {
        Ok(Value::Integer(number)) => number,
        other => panic!("{other:?}"),
    };
    assert_eq!(number(call(HashFnv1a, [int(10), int(5432)])), -7_793_829_335_365_542_153);
    assert_eq!(number(call(HashMurmur2, [int(10), int(5432)])), -5_817_877_081_768_721_676);
    assert_eq!(number(call(HashMurmur2, [int(-7), int(-1)])), 4_241_394_635_328_546_854);
    assert_eq!(number(call(Permute, [int(0), int(1_000), int(5432)])), 609);
    assert_eq!(number(call(Permute, [int(7), int(1_000), int(5432)])), 770);
    let far = [int(123_456_789), int(10_000_000_000), int(-3)];
    assert_eq!(number(call(Permute, far)), 8_830_994_977);
    assert_eq!(number(call(ShiftLeft, [int(1), int(65)])), 2);
    assert_eq!(number(call(Abs, [int(i64::MIN)])), i64::MIN);
}

#[test]
fn a_permutation_has_every_number_once() {
    for size in [1, 2, 3, 7, 64, 100, 1_000] {
        let mut seen: Vec<i64> = (0..size)
            .map(|at| match call(Permute, [int(at), int(size), int(5432)]) {
                Ok(Value::Integer(number)) => number,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(size < 64 || !seen.is_sorted(), "it is shuffled");
        seen.sort_unstable();
        assert_eq!(seen, (0..size).collect::<Vec<_>>());
    }
    assert!(matches!(
        call(Permute, [int(1), int(0), int(1)]),
        Err(EvaluationError::Parameter { name: "permute", .. })
    ));
}
