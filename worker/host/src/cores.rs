//! The cores on which a player thinks.

/// Cores of this machine on which a player is kept, so that nothing else that is kept on other cores takes time from
/// it; without any, the system chooses. Only Linux keeps threads and processes on cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreSet(Vec<usize>);

impl CoreSet {
    /// The cores with these numbers.
    pub fn new(cores: Vec<usize>) -> Self {
        Self(cores)
    }

    /// Returns the cores on which this process may run; none where that is unknown.
    pub fn available() -> Self {
        #[cfg(target_os = "linux")]
        if let Ok(set) = rustix::thread::sched_getaffinity(None) {
            let all = 0..rustix::thread::CpuSet::MAX_CPU;
            return Self(all.filter(|&core| set.is_set(core)).collect());
        }
        Self::default()
    }

    /// Returns the numbers of the cores.
    pub fn numbers(&self) -> &[usize] {
        &self.0
    }

    /// Takes the first `count` cores away and returns them; all that are left, if there are fewer.
    pub fn take(&mut self, count: usize) -> Self {
        let rest = self.0.split_off(count.min(self.0.len()));
        Self(std::mem::replace(&mut self.0, rest))
    }

    /// Keeps the current thread, and the threads that it starts from now on, on these cores.
    pub fn keep_thread(&self) {
        self.keep(None);
    }

    /// Keeps a process that has just been started on these cores.
    pub fn keep_process(&self, id: Option<u32>) {
        if let Some(id) = id {
            self.keep(Some(id));
        }
    }

    #[cfg(target_os = "linux")]
    fn keep(&self, process: Option<u32>) {
        if self.0.is_empty() {
            return;
        }
        let mut set = rustix::thread::CpuSet::new();
        for &core in &self.0 {
            set.set(core);
        }
        let process = process
            .and_then(|id| i32::try_from(id).ok())
            .and_then(rustix::process::Pid::from_raw);
        if let Err(error) = rustix::thread::sched_setaffinity(process, &set) {
            tracing::warn!(%error, cores = ?self.0, "a thread is not kept on its cores");
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn keep(&self, _: Option<u32>) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_thread_and_those_that_it_starts_stay_on_their_cores() {
        let all = CoreSet::available();
        let one = all.clone().take(1);
        let kept = one.clone();
        let seen = thread::spawn(move || {
            kept.keep_thread();
            let inner = thread::spawn(CoreSet::available);
            [CoreSet::available(), inner.join().expect("it ends")]
        });
        let seen = seen.join().expect("it ends");
        assert_eq!(seen, [one.clone(), one]);
        assert_eq!(CoreSet::available(), all, "other threads are free");
    }

    #[test]
    fn cores_are_dealt_out_as_far_as_they_go() {
        let mut cores = CoreSet::new(vec![4, 6, 7]);
        assert_eq!(cores.take(2).numbers(), [4, 6]);
        assert_eq!(cores.take(2).numbers(), [7]);
        assert_eq!(cores.take(1).numbers(), [] as [usize; 0]);
    }
}
