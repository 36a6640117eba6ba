//! Samples of late moves: their features, and the results of their searches.

use super::{order_sample::OrderSample, weights::MoveJudgement};

/// A sample of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchSample {
    /// A late move.
    Late(MoveSample),
    /// A node that a move has cut.
    Order(Box<OrderSample>),
}

/// A late move with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveSample {
    /// Features that are present.
    pub features: Vec<u16>,
    /// Results of its searches.
    pub outcome: SampleOutcome,
}

/// Results of the searches of a sampled move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleOutcome {
    /// Of a late move.
    Reduction {
        /// The search that was reduced by one ply more than usual beat alpha.
        reduced_beats: bool,
        /// The search that was not reduced beat alpha.
        full_beats: bool,
    },
    /// Of a move near the margin of futility pruning.
    Margin {
        /// Hope of the move above alpha, in centipawns; it is pruned where that is not positive.
        surplus: i32,
        /// The search of one ply less than the node beat alpha.
        beats: bool,
    },
}

/// Takes samples while a search runs. What it takes depends on the search alone.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    judgement: MoveJudgement,
    /// Mean number of moves, or nodes, of which one is taken.
    every: u32,
    /// Moves, or nodes, to leave out before the next sample.
    left: u32,
    /// State of the generator that spreads the samples.
    random: u64,
    /// A sample is being searched.
    is_busy: bool,
    samples: Vec<SearchSample>,
}

impl Sampler {
    pub fn new(judgement: MoveJudgement, every: u32) -> Self {
        Self {
            judgement,
            every: every.max(1),
            left: 0,
            random: 1,
            is_busy: false,
            samples: Vec::new(),
        }
    }

    /// Tells whether it samples moves for this judgement.
    pub fn samples(&self, judgement: MoveJudgement) -> bool {
        self.judgement == judgement
    }

    /// Begins a search.
    pub fn begin(&mut self, key: u64) {
        self.random = key | 1;
        self.draw();
        self.is_busy = false;
    }

    /// Returns the samples since the last call.
    pub fn take(&mut self) -> Vec<SearchSample> {
        std::mem::take(&mut self.samples)
    }

    /// Counts a move; returns true when it is to be sampled. No other is due before [`Sampler::end`].
    pub(in crate::search) fn begin_sample(&mut self) -> bool {
        if self.is_busy {
            return false;
        }
        self.is_busy = self.is_due();
        self.is_busy
    }

    /// Counts a move or a node; returns true when it is to be sampled.
    pub(in crate::search) fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.draw();
        true
    }

    /// Keeps a sample.
    pub(in crate::search) fn keep(&mut self, sample: SearchSample) {
        self.samples.push(sample);
    }

    /// Ends the searches of a sample, which keep it unless they were broken off.
    pub(in crate::search) fn end(&mut self, sample: Option<SearchSample>) {
        self.is_busy = false;
        self.samples.extend(sample);
    }

    /// Draws the number of moves or nodes before the next sample by a multiplicative congruential generator, whose
    /// upper bits are used.
    fn draw(&mut self) {
        self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d);
        self.left = ((self.random >> 32) % u64::from(2 * self.every - 1)) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_taken_as_often_as_asked_and_one_at_a_time() {
        let mut sampler = Sampler::new(MoveJudgement::Reductions, 50);
        sampler.begin(77);
        let taken = (0..100_000).filter(|_| {
            let is_taken = sampler.begin_sample();
            if is_taken {
                sampler.end(None);
            }
            is_taken
        });
        let taken = taken.count();
        assert!((1_700..2_300).contains(&taken), "{taken}");
        while !sampler.begin_sample() {}
        assert!((0..1_000).all(|_| !sampler.begin_sample()));
    }
}
