//! Ratios of made-up trials as `analyse` makes them.

use stats::{ByTarget, LastingApart, OfTargets, Part, Persistence, Ratio, Sample};

/// Logarithms, by target, level and repeat.
pub type Trials = Vec<Vec<Vec<f64>>>;

/// What a block has of both targets of a pair, by block.
type Blocks = Vec<(u32, f64, f64)>;

/// How all cells scatter.
fn of_cells(trials: &Trials) -> Option<ByTarget> {
    let cells = trials.iter().enumerate();
    let samples: Vec<OfTargets> = cells
        .flat_map(|(target, cells)| cells.iter().map(move |cell| ([target; 2], cell.clone())))
        .collect();
    ByTarget::from_samples(&samples)
}

/// The ratio of each pair of targets at each level, as a part of the mean over all levels.
pub fn parts(trials: &Trials, pairs: &[(usize, usize)]) -> Vec<Vec<Part>> {
    let cells = of_cells(trials);
    let explained = |target: usize, level: usize| {
        let values = &trials[target][level];
        match &cells {
            Some(cells) => cells.target(target).explained(values),
            None => values.iter().copied().map(Some).collect(),
        }
    };
    let explained: Vec<Vec<Vec<Option<f64>>>> = (0..trials.len())
        .map(|target| (0..trials[target].len()).map(|level| explained(target, level)).collect())
        .collect();
    let in_blocks = |(a, b): (usize, usize), level: usize| -> Blocks {
        let both = explained[a][level].iter().zip(&explained[b][level]);
        (0..).zip(both).filter_map(|(block, (a, b))| Some((block, (*a)?, (*b)?))).collect()
    };
    let levels = trials[0].len();
    let all: Vec<Vec<Blocks>> = pairs
        .iter()
        .map(|&pair| (0..levels).map(|level| in_blocks(pair, level)).collect())
        .collect();
    let each =
        || pairs.iter().zip(&all).flat_map(|(pair, all)| all.iter().map(move |one| (pair, one)));
    let samples: Vec<OfTargets> = each()
        .map(|(&(a, b), one)| ([a, b], one.iter().map(|(_, a, b)| b - a).collect()))
        .collect();
    let partners = each().map(|(&(a, b), one)| {
        ([a, b], one.iter().map(|(_, a, b)| (*a, *b)).collect::<Vec<(f64, f64)>>())
    });
    let ratios =
        ByTarget::from_samples(&samples).unwrap_or_else(ByTarget::alone).with_pairs(partners);
    let part = |(a, b): (usize, usize), level: usize, one: &Blocks| {
        let both: Vec<(f64, f64)> = one.iter().map(|(_, a, b)| (1.0, (b - a).exp())).collect();
        let ratio = Ratio::paired(&both, 0.0, Some(ratios.pair([a, b]))).expect("numbers");
        let near = |target: usize| match &cells {
            Some(cells) => cells.target(target).are_near(&trials[target][level]),
            None => vec![true; trials[target][level].len()],
        };
        let (of_a, of_b) = (near(a), near(b));
        let is_near = |block: u32| of_a[block as usize] && of_b[block as usize];
        let left: Vec<f64> =
            one.iter().filter(|(block, ..)| is_near(*block)).map(|(_, a, b)| b - a).collect();
        let without = left.iter().sum::<f64>() / left.len() as f64;
        let all_near = of_a.iter().chain(&of_b).all(|near| *near);
        let moved = if all_near || left.is_empty() { 0.0 } else { ratio.point.ln() - without };
        let blocks = one.iter().map(|(block, ..)| *block).collect();
        let other = |target: usize| {
            let cells = cells.as_ref()?;
            cells.target(target).other_reading(&trials[target][level])
        };
        let readings = Part::readings(ratio.point.ln(), other(a), other(b));
        Part { ratio, blocks, weight: (levels as f64).recip(), moved, readings }
    };
    let of_pair = |(levels, &pair): (&Vec<Blocks>, &(usize, usize))| {
        levels.iter().enumerate().map(|(level, one)| part(pair, level, one)).collect()
    };
    all.iter().zip(pairs).map(of_pair).collect()
}

/// The ratio of each pair of targets at each level where repeats make no pairs.
pub fn apart(trials: &Trials, pairs: &[(usize, usize)]) -> Vec<Vec<Ratio>> {
    let cells = of_cells(trials);
    let moved = |(target, cells_of): (usize, &Vec<Vec<f64>>)| {
        let moved = |cell: &Vec<f64>| match &cells {
            Some(cells) => cells.target(target).moved_in(cell),
            None => cell.clone(),
        };
        Persistence::from_levels(&cells_of.iter().map(moved).collect::<Vec<_>>())
    };
    let persistence: Vec<Persistence> = trials.iter().enumerate().map(moved).collect();
    let sample = |logs: &[f64]| {
        Sample::new(logs.iter().map(|log| log.exp()).collect()).expect("there are values")
    };
    let of_pair = |&(a, b): &(usize, usize)| {
        let lasting = LastingApart::between(&persistence[a], &persistence[b]);
        let scatter = cells.as_ref().map(|cells| (cells.target(a), cells.target(b)));
        let levels = trials[a].iter().zip(&trials[b]);
        let ratio = |(base, other): (&Vec<f64>, &Vec<f64>)| {
            Ratio::unpaired(&sample(base), &sample(other), scatter, Some(&lasting))
        };
        levels.map(ratio).map(|ratio| ratio.expect("numbers")).collect()
    };
    pairs.iter().map(of_pair).collect()
}

/// The means over all levels in each block as an unpaired ratio, as two runs are compared.
pub fn mean_apart(trials: &Trials) -> Ratio {
    let [first, second] = [0, 1].map(|target| Persistence::from_levels(&trials[target]).of_means());
    let mean = |target: usize| {
        let levels = &trials[target];
        let at = |block: usize| levels.iter().map(|cell| cell[block]).sum::<f64>();
        let means = (0..levels[0].len()).map(|block| (at(block) / levels.len() as f64).exp());
        Sample::new(means.collect()).expect("there are values")
    };
    let lasting = LastingApart::between(&first, &second);
    Ratio::unpaired(&mean(0), &mean(1), None, Some(&lasting)).expect("numbers")
}
