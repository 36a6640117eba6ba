/// Work in plain code that is compiled for each instruction set. All versions give the same bits,
/// because operations are neither contracted nor reordered.
pub trait Vectorised {
    /// Result of the work.
    type Output;

    /// Does the work. The function and those that it calls in loops must be `#[inline(always)]`.
    fn run(self) -> Self::Output;
}
