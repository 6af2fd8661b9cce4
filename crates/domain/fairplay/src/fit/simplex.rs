//! The downhill simplex method [Nelder & Mead 1965]: no derivatives, no randomness, the same bits on every machine.

/// Evaluations of the function at most.
const EVALUATIONS_MAX: usize = 3_000;
/// The search ends when the simplex's values differ by less.
const TOLERANCE: f64 = 1e-9;

/// The point near `start` where `function` is least; `steps` is how far the first simplex reaches.
pub fn minimise<const N: usize>(
    start: [f64; N],
    steps: [f64; N],
    function: impl Fn(&[f64; N]) -> f64,
) -> [f64; N] {
    let mut simplex: Vec<([f64; N], f64)> = vec![(start, function(&start))];
    for (index, step) in steps.iter().enumerate() {
        let mut corner = start;
        corner[index] += step;
        simplex.push((corner, function(&corner)));
    }
    let mut evaluations = simplex.len();
    while evaluations < EVALUATIONS_MAX {
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, worst) = (simplex[0].1, simplex[N].1);
        if worst - best < TOLERANCE * (1.0 + best.abs()) {
            break;
        }
        evaluations += step(&mut simplex, &function);
    }
    simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
    simplex[0].0
}

/// One move of a sorted simplex; answers how often the function was asked.
fn step<const N: usize>(simplex: &mut [([f64; N], f64)], function: &impl Fn(&[f64; N]) -> f64) -> usize {
    let number = crate::accuracy::count(N);
    let centre: [f64; N] =
        std::array::from_fn(|axis| simplex[..N].iter().map(|corner| corner.0[axis]).sum::<f64>() / number);
    let worst = simplex[N];
    let at = |factor: f64| {
        let point = std::array::from_fn(|axis| centre[axis] + factor * (worst.0[axis] - centre[axis]));
        (point, function(&point))
    };
    let reflected = at(-1.0);
    if reflected.1 < simplex[0].1 {
        let expanded = at(-2.0);
        simplex[N] = if expanded.1 < reflected.1 { expanded } else { reflected };
        return 2;
    }
    if reflected.1 < simplex[N - 1].1 {
        simplex[N] = reflected;
        return 1;
    }
    let contracted = if reflected.1 < worst.1 { at(-0.5) } else { at(0.5) };
    if contracted.1 < worst.1.min(reflected.1) {
        simplex[N] = contracted;
        return 2;
    }
    let best = simplex[0].0;
    for corner in simplex.iter_mut().skip(1) {
        let point = std::array::from_fn(|axis| f64::midpoint(best[axis], corner.0[axis]));
        *corner = (point, function(&point));
    }
    2 + N
}
