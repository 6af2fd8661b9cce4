//! Inputs that nobody would send by mistake: UCI, FEN, PGN, packed games and requests, mutated from good ones by a seeded
//! random source. A target must neither panic nor take long, whatever it is given, and what it accepts must be consistent.
//!
//! # Map
//!
//! * [`targets`]: what is fuzzed, one file each, with the good inputs that everything begins with.
//! * [`mutation`]: how an input becomes another one.
//! * [`run`]: a target for some time or some inputs; [`Finding`].
//!
//! # Invariants
//!
//! * FUZZ-1 One seed gives one row of inputs on every machine, so that a finding is repeated by its seed and number.
//! * FUZZ-2 An input that is accepted joins the ones that are mutated: what gets far leads further.
//!
//! # Deliberately absent
//!
//! Coverage as a guide: that needs a compiler's unstable part. That an input is accepted, and what by, is used in its place.

pub mod mutation;
pub mod targets;

use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use mutation::Mutator;

/// How long one input may take. Far more than any needs, since the machine may be busy.
pub const INPUT_SPAN_MAX: Duration = Duration::from_secs(5);
/// How many inputs are kept to be mutated.
const KEPT_MAX: usize = 2_000;

/// What a target made of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was refused, as most are.
    Refused,
    /// It was accepted, and looked at further.
    Accepted,
}

/// Something that is fuzzed.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Takes any bytes. Panics when something is wrong.
    pub check: fn(&[u8]) -> Verdict,
    /// The good inputs that everything begins with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Pieces that are put in here and there.
    pub words: &'static [&'static str],
}

/// An input that was not borne.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// Which one it was, from 0.
    pub number: u64,
    /// What went wrong.
    pub what: String,
}

/// When a run is over.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// After so long.
    Span(Duration),
    /// After so many inputs.
    Inputs(u64),
}

/// What a run without a finding has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// So many inputs, …
    pub inputs: u64,
    /// … of which so many were accepted.
    pub accepted: u64,
}

/// Runs one target.
///
/// # Errors
/// With the first finding.
pub fn run(target: &Target, seed: u64, extent: Extent) -> Result<Done, Finding> {
    let mut mutator = Mutator::new(seed, target.words);
    let mut kept = (target.seeds)();
    let (begun, mut done) = (Instant::now(), Done::default());
    let seeds = kept.clone();
    loop {
        let is_over = match extent {
            Extent::Span(span) => begun.elapsed() >= span,
            Extent::Inputs(inputs) => done.inputs >= inputs,
        };
        if is_over {
            return Ok(done);
        }
        // Good inputs first, as they are.
        let place = usize::try_from(done.inputs).unwrap_or(usize::MAX);
        let input = seeds.get(place).cloned().unwrap_or_else(|| mutator.next(&kept));
        let verdict = examine(target, &input, done.inputs)?;
        done.inputs += 1;
        if verdict == Verdict::Accepted {
            done.accepted += 1;
            if kept.len() < KEPT_MAX {
                kept.push(input);
            } else {
                let place = mutator.below(KEPT_MAX);
                kept[place] = input;
            }
        }
    }
}

fn examine(target: &Target, input: &[u8], number: u64) -> Result<Verdict, Finding> {
    let begun = Instant::now();
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    let finding = |what: String| Finding { input: input.to_vec(), number, what };
    match outcome {
        Err(cause) => {
            let text = cause.downcast_ref::<String>().cloned();
            let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(finding(text.unwrap_or_else(|| "a panic without words".to_owned())))
        }
        Ok(_) if begun.elapsed() > INPUT_SPAN_MAX => {
            Err(finding(format!("it took {:.1} s", begun.elapsed().as_secs_f64())))
        }
        Ok(verdict) => Ok(verdict),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROKEN: Target = Target {
        name: "broken",
        check: |input| {
            assert!(!input.windows(2).any(|pair| pair == b"ab"), "ab is not borne");
            Verdict::Refused
        },
        seeds: || vec![b"a".to_vec(), b"b".to_vec()],
        words: &[],
    };

    #[test]
    fn what_is_broken_is_found_and_found_again_by_its_seed() {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let found = run(&BROKEN, 7, Extent::Inputs(100_000));
        let again = run(&BROKEN, 7, Extent::Inputs(100_000));
        panic::set_hook(hook);
        let found = found.expect_err("two letters are soon together");
        assert_eq!(found.what, "ab is not borne");
        assert_eq!(again, Err(found));
    }
}
