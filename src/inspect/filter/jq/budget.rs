//! What one run of an expression may take.

use std::cell::Cell;

use jaq_core::Lut;
use jaq_core::data::{DataT, HasLut};
use jaq_json::Val;

/// Steps of one run: terms evaluated, elements made.
const STEPS: u32 = 250_000;
/// Bytes of stack that a run goes down before it is stopped.
const STACK: usize = 64 << 20;

/// Expressions whose steps are counted.
pub struct Bounded;

impl DataT for Bounded {
    type V<'a> = Val;
    type Data<'a> = &'a Budget<'a>;
}

/// What is left for one run.
///
/// The evaluator looks its terms up one by one, and nothing else stops it. So the look-up counts, and once the budget
/// is spent answers from a table in which every term is an error, until the run has come to its end.
pub struct Budget<'a> {
    lut: &'a Lut<Bounded>,
    halted: &'a Lut<Bounded>,
    steps: Cell<u32>,
    /// Where the stack stood when the run began.
    stack: usize,
}

impl<'a> Budget<'a> {
    /// For one run of `lut`, which goes on in `halted` when it is spent.
    pub fn new(lut: &'a Lut<Bounded>, halted: &'a Lut<Bounded>) -> Self {
        Self {
            lut,
            halted,
            steps: Cell::new(STEPS),
            stack: stack(),
        }
    }

    /// Takes one step; false when none is left.
    pub fn step(&self) -> bool {
        let left = self.steps.get().saturating_sub(1);
        let is_within = stack().abs_diff(self.stack) < STACK;
        self.steps.set(if is_within { left } else { 0 });
        is_within && left > 0
    }

    /// Whether the run was stopped.
    pub fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }
}

impl<'a> HasLut<'a, Bounded> for &'a Budget<'a> {
    fn lut(&self) -> &'a Lut<Bounded> {
        if self.step() { self.lut } else { self.halted }
    }
}

/// About where the stack stands.
fn stack() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}
