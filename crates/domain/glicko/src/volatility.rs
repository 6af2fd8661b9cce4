//! Step 5 of Glicko-2: the new volatility, by the Illinois variant of regula falsi.

/// The system constant τ: how far a single period may move a volatility. Small values distrust improbable results.
pub const TAU: f64 = 0.5;

/// Steps of a search, of either kind, after which the best value so far is taken. The worst case of a wide grid of inputs
/// needs 20 (case D02); the cap turns "it always ended so far" into a promise.
pub const ITERATIONS_MAX: u32 = 100;

/// The two ends of the search lie closer than this when it stops, as the paper proposes.
const CONVERGENCE_TOLERANCE: f64 = 0.000_001;

/// What step 5 looks at; everything on the Glicko-2 scale (a deviation of 173.7178 is 1 there).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolatilityStep {
    /// The deviation φ before the period.
    pub phi: f64,
    /// The volatility σ before the period.
    pub sigma: f64,
    /// The estimated improvement Δ.
    pub delta: f64,
    /// The estimated variance v of the results.
    pub v: f64,
    /// The system constant τ, usually [`TAU`].
    pub tau: f64,
}

impl VolatilityStep {
    /// The new volatility σ′, unclamped.
    #[must_use]
    pub fn new_sigma(&self) -> f64 {
        let start = libm::log(self.sigma * self.sigma);
        let mut a = start;
        let (mut b, mut f_b) = self.other_end(start);
        let mut f_a = self.f(a, start);
        for _ in 0..ITERATIONS_MAX {
            if (b - a).abs() <= CONVERGENCE_TOLERANCE {
                break;
            }
            let c = a + (a - b) * f_a / (f_b - f_a);
            let f_c = self.f(c, start);
            if f_c * f_b <= 0.0 {
                a = b;
                f_a = f_b;
            } else {
                f_a /= 2.0;
            }
            b = c;
            f_b = f_c;
        }
        libm::exp(a / 2.0)
    }

    /// An end of the search on the other side of the root than `ln σ²`, with the value there. The comparison is strict: at
    /// equality (case D17) the logarithm of zero would be taken.
    fn other_end(&self, start: f64) -> (f64, f64) {
        let surplus = self.delta * self.delta - self.phi * self.phi - self.v;
        if surplus > 0.0 {
            let end = libm::log(surplus);
            return (end, self.f(end, start));
        }
        let mut end = start - self.tau;
        let mut f_end = self.f(end, start);
        for _ in 1..ITERATIONS_MAX {
            if f_end >= 0.0 {
                break;
            }
            end -= self.tau;
            f_end = self.f(end, start);
        }
        (end, f_end)
    }

    fn f(&self, x: f64, start: f64) -> f64 {
        let e_x = libm::exp(x);
        let spread = self.phi * self.phi + self.v + e_x;
        let pull = e_x * (self.delta * self.delta - spread) / (2.0 * spread * spread);
        pull - (x - start) / (self.tau * self.tau)
    }
}
