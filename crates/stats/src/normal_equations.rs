//! Least squares with up to three parameters.

/// The normal equations, with columns scaled to length 1.
pub(crate) struct Normal {
    lengths: [f64; 3],
    /// Products of the columns with one another, and in the last place with what is fitted.
    products: [[f64; 4]; 3],
}

impl Normal {
    /// Of rows of three factors and what they should give together.
    pub(crate) fn from_rows(rows: impl Iterator<Item = [f64; 4]>) -> Self {
        let mut products = [[0.0; 4]; 3];
        for row in rows {
            for i in 0..3 {
                for j in i..4 {
                    products[i][j] += row[i] * row[j];
                }
            }
        }
        Self::from_products(products)
    }

    /// Of the sums of those products.
    pub(crate) fn from_products(mut products: [[f64; 4]; 3]) -> Self {
        let lengths = [0, 1, 2].map(|i| products[i][i].sqrt());
        for i in 0..3 {
            for j in i..3 {
                products[i][j] /= lengths[i] * lengths[j];
                products[j][i] = products[i][j];
            }
            products[i][3] /= lengths[i];
        }
        Self { lengths, products }
    }

    /// The solution in the `free` columns, the others being 0: by elimination with pivots.
    pub(crate) fn solve<const SIZE: usize>(&self, free: [usize; SIZE]) -> Option<[f64; 3]> {
        let mut system = [[0.0; 4]; 3];
        for (i, &row) in free.iter().enumerate() {
            for (j, &column) in free.iter().enumerate() {
                system[i][j] = self.products[row][column];
            }
            system[i][3] = self.products[row][3];
        }
        for i in 0..SIZE {
            let pivot =
                (i..SIZE).max_by(|&a, &b| system[a][i].abs().total_cmp(&system[b][i].abs()))?;
            system.swap(i, pivot);
            if system[i][i].abs() < f64::EPSILON {
                return None;
            }
            for j in i + 1..SIZE {
                let factor = system[j][i] / system[i][i];
                let pivot = system[i];
                for (entry, above) in system[j].iter_mut().zip(pivot).skip(i) {
                    *entry -= factor * above;
                }
            }
        }
        let mut scaled = [0.0; 3];
        for i in (0..SIZE).rev() {
            let known: f64 = (i + 1..SIZE).map(|j| system[i][j] * scaled[j]).sum();
            scaled[i] = (system[i][3] - known) / system[i][i];
        }
        let mut solution = [0.0; 3];
        for (i, &column) in free.iter().enumerate() {
            solution[column] = scaled[i] / self.lengths[column];
        }
        solution.iter().all(|part| part.is_finite()).then_some(solution)
    }
}
