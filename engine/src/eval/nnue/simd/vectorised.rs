/// Work in plain code that is worth compiling for the vectors of the processor. It gives the same
/// bits with all of them: nothing is contracted or put into another order.
pub(crate) trait Vectorised {
    /// What comes of it.
    type Output;

    /// Does it; `#[inline(always)]`, like all that it calls in loops.
    fn run(self) -> Self::Output;
}
