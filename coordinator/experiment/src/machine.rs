//! Description of this machine.

use monju_engine::counted;
use std::{env::consts, fs, thread};

/// Returns the number of cores, the processor and the operating system, in words.
pub fn machine() -> String {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map(|(_, model)| model.trim().to_owned());
    let model = model.unwrap_or_else(|| consts::ARCH.to_owned());
    format!("{}, {model}, {}", counted(cores, "core"), consts::OS)
}
