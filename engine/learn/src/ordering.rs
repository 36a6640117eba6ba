//! The order of moves (Shimoyama, section 5), learned from nodes of searches that a move has cut.
//!
//! The paper minimises J = Σ T(ξ(p_m) − ξ(p_0)) over all nodes, where p_0 is the move that cut, ξ a sum of weights, and
//! T a sigmoid; so J counts the moves that come too early. Three things differ here. ξ begins with the score of
//! today's order, which has a learned factor, so that the weights add to it. The moves after the one that cut count,
//! too: with those before it alone, every node would say that today's order is wrong. And the steps are those of Adam.

mod measure;
mod nodes;
mod run;
mod trainer;

pub use measure::StageOrder;
pub use run::{OrderingRun, OrderingRunError, OrderingSummary};
