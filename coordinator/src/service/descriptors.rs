//! The file descriptors of a coordinator, whose list of workers may grow while it runs.

use crate::roster::{MOST_ENROLLED, Roster};
use monju_proto::serve::descriptors::{Count, Demand, Shares};
use std::sync::{Mutex, PoisonError};

/// File descriptors of the connection to a worker, with one that is being made anew.
const OF_A_WORKER: usize = 2;

/// The count of the descriptors.
#[derive(Debug)]
pub struct Descriptors {
    /// Those that the process needs beside those of its workers.
    others: usize,
    count: Mutex<Count>,
}

impl Descriptors {
    /// Nothing is counted yet.
    pub fn new(others: usize) -> Self {
        Self {
            others,
            count: Mutex::default(),
        }
    }

    /// Counts the descriptors for the workers that there are now, and lets as many enrol themselves as the rest is
    /// enough for.
    pub fn count(&self, roster: &Roster) -> Shares {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let shares = count.share(Demand {
            others: self.others + roster.lasting() * OF_A_WORKER,
            enrolled: MOST_ENROLLED,
            for_each: OF_A_WORKER,
        });
        roster.limit_enrolled(shares.enrolled);
        shares
    }
}
