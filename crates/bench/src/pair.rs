/// One run of each tool, under the same conditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<T> {
    pub(crate) weighin: T,
    pub(crate) other: T,
}

/// Runs both in alternation: weighin first in odd pairs, the other tool first in even ones.
pub(crate) fn alternate<T>(
    pairs: u32,
    mut weighin: impl FnMut() -> anyhow::Result<T>,
    mut other: impl FnMut() -> anyhow::Result<T>,
) -> anyhow::Result<Vec<Pair<T>>> {
    (1..=pairs)
        .map(|number| {
            if number.is_multiple_of(2) {
                let other = other()?;
                Ok(Pair { weighin: weighin()?, other })
            } else {
                let weighin = weighin()?;
                Ok(Pair { weighin, other: other()? })
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn who_goes_first_alternates() {
        let order = RefCell::new(String::new());
        let run = |name| {
            order.borrow_mut().push(name);
            Ok(name)
        };
        let pairs = alternate(4, || run('w'), || run('o')).unwrap();
        assert_eq!(*order.borrow(), "woowwoow");
        assert!(pairs.iter().all(|pair| (pair.weighin, pair.other) == ('w', 'o')));
    }

    #[test]
    fn a_failure_ends_the_comparison() {
        let failing = || anyhow::bail!("no");
        assert!(alternate(3, || Ok(1), failing).is_err());
    }
}
