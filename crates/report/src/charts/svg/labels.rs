//! Direct labels that don't cover one another.

/// Moves positions apart until neighbours are `gap` apart, keeping their order, within
/// `low..=high` as far as they fit, and moving them as little as a single pass each way allows.
pub(super) fn spread(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let mut placed = wanted.to_vec();
    let mut floor = low;
    for &i in &order {
        placed[i] = placed[i].max(floor);
        floor = placed[i] + gap;
    }
    let mut ceiling = high;
    for &i in order.iter().rev() {
        placed[i] = placed[i].min(ceiling);
        ceiling = placed[i] - gap;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_have_room_stay() {
        assert_eq!(spread(&[80.0, 20.0], 14.0, (0.0, 100.0)), [80.0, 20.0]);
    }

    #[test]
    fn labels_that_collide_move_apart_and_stay_inside() {
        let placed = spread(&[95.0, 96.0, 97.0], 14.0, (0.0, 100.0));
        assert_eq!(placed, [72.0, 86.0, 100.0]);
    }
}
