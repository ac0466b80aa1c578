use super::*;

fn statement(name: &str, parameters: &[usize]) -> Statement {
    Statement {
        name: name.to_owned(),
        kind: StatementKind::Select,
        texts: vec![Text(vec![String::new(); parameters.len() + 1])],
        parameters: parameters.iter().map(|number| Parameter::Variable(*number)).collect(),
        prepared: true,
        rows_due: RowsDue::Any,
        reads: vec![],
        row_read: RowRead::First,
    }
}

fn execute(statement: usize) -> Step {
    Step::Execute { statement, text: None }
}

fn set(variable: usize, value: Expression) -> Step {
    Step::Set { variable, value }
}

fn transaction(name: &str, weight: u32, steps: Vec<Step>) -> Transaction {
    Transaction { name: name.to_owned(), weight, steps }
}

fn program(transactions: Vec<Transaction>, variables: usize) -> Program {
    let variable = |number| Variable { name: format!("v{number}"), initial: None };
    Program::new(Parts {
        statements: (0..4).map(|number| statement(&format!("s{number}"), &[])).collect(),
        transactions,
        variables: (0..variables).map(variable).collect(),
        sources: vec![Source::Between { low: 1, high: 9 }],
    })
}

/// The statements of the next transaction.
fn next(run: &mut Run) -> Vec<usize> {
    std::iter::from_fn(|| match run.advance() {
        Next::Execute { statement, .. } => Some(statement),
        Next::Ended => None,
        other => panic!("{other:?}"),
    })
    .collect()
}

#[test]
fn steps_repeat_within_repetitions_and_branches() {
    let odd = Expression::call(Function::BitAnd, [Expression::Variable(0), Expression::integer(1)]);
    let count = Expression::call(Function::Add, [Expression::Variable(0), Expression::integer(1)]);
    let inner = Step::Repeat { times: 2, steps: vec![execute(1)] };
    let branch = Step::If { branches: vec![(odd, vec![execute(2)])], otherwise: vec![execute(3)] };
    let steps = vec![
        set(0, Expression::integer(0)),
        Step::Repeat { times: 3, steps: vec![inner, set(0, count), branch] },
        Step::Repeat { times: 0, steps: vec![execute(0)] },
        execute(0),
    ];
    let mut run = Run::new(Arc::new(program(vec![transaction("t", 1, steps)], 1)), 1, 0, 1);
    for _ in 0..2 {
        assert_eq!(next(&mut run), [1, 1, 2, 1, 1, 3, 1, 1, 2, 0]);
    }
}

#[test]
fn transactions_come_by_their_weights() {
    let one = |number: usize, weight| transaction("t", weight, vec![execute(number)]);
    let program = Arc::new(program(vec![one(0, 1), one(1, 3), one(2, 6)], 0));
    let mut run = Run::new(program, 1, 0, 1);
    let mut counts = [0.0_f64; 3];
    for _ in 0..20_000 {
        let statements = next(&mut run);
        assert_eq!(statements, [run.transaction()]);
        counts[run.transaction()] += 1.0 / 20_000.0;
    }
    for (share, expected) in counts.into_iter().zip([0.1, 0.3, 0.6]) {
        assert!((share - expected).abs() < 0.02, "{share} is not {expected}");
    }
}

#[test]
fn a_pause_at_the_end_comes_after_the_transaction() {
    let think = |ms| Step::Think { time: Expression::integer(ms), unit: Duration::from_millis(1) };
    let steps = vec![think(5), execute(0), think(7)];
    let mut run = Run::new(Arc::new(program(vec![transaction("t", 1, steps)], 0)), 1, 0, 1);
    assert_eq!(run.advance(), Next::Think(Duration::from_millis(5)));
    assert!(matches!(run.advance(), Next::Execute { .. }));
    assert_eq!(run.take_rest(), None);
    assert_eq!(run.advance(), Next::Ended);
    assert_eq!(run.take_rest(), Some(Duration::from_millis(7)));
}

#[test]
fn draws_in_a_row_are_the_same_as_one_by_one() {
    let draw = |variable| set(variable, Expression::Source(0));
    let row = vec![draw(0), draw(1), draw(2), execute(0)];
    // Something stands between these.
    let apart =
        vec![draw(0), set(3, Expression::integer(1)), draw(1), execute(1), draw(2), execute(0)];
    let values = |steps| {
        let mut run = Run::new(Arc::new(program(vec![transaction("t", 1, steps)], 4)), 7, 0, 1);
        next(&mut run);
        [0, 1, 2].map(|variable| run.integer(variable))
    };
    assert_eq!(values(row), values(apart));
}

#[test]
fn what_variables_hold_is_known_only_where_nothing_else_can_be_in_them() {
    let integer = Expression::integer;
    let half =
        Expression::call(Function::Divide, [Expression::Variable(0), Expression::double(2.0)]);
    let mut parts = Parts {
        statements: vec![statement("s", &[0, 1, 2, 3, 4])],
        transactions: vec![transaction(
            "t",
            1,
            vec![
                set(0, Expression::Source(0)),
                set(1, half),
                // Only where the branch is taken.
                Step::If {
                    branches: vec![(integer(1), vec![set(2, integer(1))])],
                    otherwise: vec![],
                },
                Step::If {
                    branches: vec![(integer(1), vec![set(3, integer(1))])],
                    otherwise: vec![set(3, integer(2))],
                },
                execute(0),
                set(4, integer(1)),
            ],
        )],
        variables: vec![Variable::default(); 5],
        sources: vec![Source::Between { low: 1, high: 9 }],
    };
    let types = |parts: &Parts| {
        let program = Program::new(parts.clone());
        (0..5).map(|variable| program.type_of(variable)).collect::<Vec<_>>()
    };
    use ValueType::{Double, Integer, Text};
    assert_eq!(types(&parts), [Integer, Double, Text, Integer, Text]);
    parts.variables[4].initial = Some(Initial::Integer(0));
    assert_eq!(types(&parts), [Integer, Double, Text, Integer, Integer]);
    // Another transaction puts a value of another type into it.
    parts.transactions.push(transaction("u", 1, vec![set(3, Expression::double(1.0))]));
    assert_eq!(types(&parts), [Integer, Double, Text, Text, Integer]);
}

#[test]
fn an_abandoned_transaction_begins_again_at_its_first_step() {
    let steps = vec![execute(0), execute(1), execute(2)];
    let mut run = Run::new(Arc::new(program(vec![transaction("t", 1, steps)], 0)), 1, 0, 1);
    run.advance();
    run.advance();
    run.restart();
    assert_eq!(next(&mut run), [0, 1, 2]);
}

#[test]
fn a_transaction_that_is_done_again_has_the_same_values() {
    let draw = || set(0, Expression::Source(0));
    let steps = vec![draw(), execute(0), draw(), execute(1)];
    let program = program(vec![transaction("t", 1, steps.clone()), transaction("u", 1, steps)], 1);
    let mut run = Run::new(Arc::new(program.retrying(&[true, true])), 1, 0, 1);
    let values = |run: &mut Run| {
        let mut values = Vec::new();
        while let Next::Execute { .. } = run.advance() {
            values.push(run.integer(0));
        }
        (run.transaction(), values)
    };
    for _ in 0..50 {
        // Ended after its first statement, and after all of them.
        assert!(matches!(run.advance(), Next::Execute { .. }));
        let first = run.integer(0);
        assert!(run.can_retry());
        run.again();
        assert!(run.comes_again());
        let whole = values(&mut run);
        assert_eq!((whole.1[0], whole.1.len(), run.comes_again()), (first, 2, false));
        run.again();
        assert_eq!(values(&mut run), whole);
    }
    // One that is abandoned does not come again.
    run.again();
    run.restart();
    assert!(!run.comes_again());
}
