//! Small linear systems: ridge and logistic regression by the normal equations.

/// Newton steps of a logistic regression; a handful are enough unless the classes separate, which the ridge prevents.
const NEWTON_STEPS: usize = 40;

/// One observation of a regression.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation<const N: usize> {
    /// The explaining variables; the first is 1.
    pub features: [f64; N],
    /// What is explained.
    pub value: f64,
}

/// The product of two vectors.
#[must_use]
pub fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The logistic curve.
#[must_use]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// Weights that minimise the squared error plus `penalty` times the squares of all weights but the first.
#[must_use]
pub fn ridge<const N: usize>(observations: &[Observation<N>], penalty: f64) -> [f64; N] {
    let mut system = System::new(penalty);
    for observation in observations {
        system.add(&observation.features, 1.0, observation.value);
    }
    system.solve()
}

/// Weights of a logistic regression with the same penalty; values are 0 or 1.
#[must_use]
pub fn logistic_ridge<const N: usize>(observations: &[Observation<N>], penalty: f64) -> [f64; N] {
    let mut weights = [0.0; N];
    for _ in 0..NEWTON_STEPS {
        let mut system = System::new(penalty);
        for Observation { features, value } in observations {
            let linear = dot(&weights, features);
            let expected = logistic(linear);
            let spread = (expected * (1.0 - expected)).max(1e-9);
            system.add(features, spread, linear + (value - expected) / spread);
        }
        weights = system.solve();
    }
    weights
}

struct System<const N: usize> {
    matrix: [[f64; N]; N],
    right: [f64; N],
}

impl<const N: usize> System<N> {
    fn new(penalty: f64) -> Self {
        let mut matrix = [[0.0; N]; N];
        for (index, row) in matrix.iter_mut().enumerate() {
            row[index] = if index == 0 { 1e-9 } else { penalty };
        }
        Self { matrix, right: [0.0; N] }
    }

    fn add(&mut self, features: &[f64; N], weight: f64, value: f64) {
        for (row, a) in features.iter().enumerate() {
            self.right[row] += weight * a * value;
            for (column, b) in features.iter().enumerate() {
                self.matrix[row][column] += weight * a * b;
            }
        }
    }

    /// Cholesky; the penalty makes the matrix positive definite.
    fn solve(&self) -> [f64; N] {
        let mut lower = [[0.0; N]; N];
        for row in 0..N {
            for column in 0..=row {
                let inner: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
                let rest = self.matrix[row][column] - inner;
                lower[row][column] =
                    if row == column { rest.max(1e-12).sqrt() } else { rest / lower[column][column] };
            }
        }
        let mut middle = [0.0; N];
        for row in 0..N {
            let inner: f64 = (0..row).map(|k| lower[row][k] * middle[k]).sum();
            middle[row] = (self.right[row] - inner) / lower[row][row];
        }
        let mut solution = [0.0; N];
        for row in (0..N).rev() {
            let inner: f64 = (row + 1..N).map(|k| lower[k][row] * solution[k]).sum();
            solution[row] = (middle[row] - inner) / lower[row][row];
        }
        solution
    }
}
