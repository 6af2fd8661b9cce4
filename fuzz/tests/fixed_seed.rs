//! A short pass over every target with inputs that are the same each time.

use fuzz::{Extent, run, targets};

const INPUTS: u64 = 1_000;

#[test]
fn no_target_falls_over_the_same_thousand_inputs() {
    for target in targets::ALL {
        let done = run(&target, 1, Extent::Inputs(INPUTS)).unwrap_or_else(|finding| {
            panic!("{}: {} at {:?}", target.name, finding.what, String::from_utf8_lossy(&finding.input))
        });
        assert!(done.accepted >= 3, "{} accepted {} of {INPUTS}", target.name, done.accepted);
    }
}
