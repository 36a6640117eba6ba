//! Learned time control (Shimoyama, section 6): the weights of the judge that ends a search.
//!
//! The states are the iterations of logged searches. A state is *low* before the last change of the best
//! move: to stop there is the worse fault. It is *high* from then on: to go on wastes the time up to the next
//! iteration. J = (1 − a) · L_L + a · L_H, with L_L = (N_H / N_L) · Σ_low T(f) and L_H = Σ_high U · T(−f); U is
//! that time over its mean. (As printed, U stands in the low sum, and N_N in place of N_L; the text, which
//! defines U by the time that a high state wastes, shows the misprints.) Departures from the paper: T is the
//! cross-entropy, Adam takes the steps, and the penalty is quadratic. One logged search is used with several
//! longest times, as in the paper.
//!
//! The searches of a team for one move are states at the end of every iteration of any player, as if all searched side
//! by side; the best move is then the one that most players name, the last leader of equals. A consultation breaks
//! ties in another way, and sees moves of unfinished iterations, too.

mod measure;
mod run;
mod states;
mod trainer;

pub use measure::{RightMoveShares, TIME_SHARES};
pub use run::{TimeControlRun, TimeControlRunError, TimeControlSummary};
pub use trainer::TimeControlTraining;
