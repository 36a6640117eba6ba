//! Names of builds and runners.

use crate::hash::short_hash;
use std::{
    env, fs, process,
    time::{SystemTime, UNIX_EPOCH},
};

/// Version of monju with a hash of its executable. Stores keep builds apart, because another build may
/// play other games.
///
/// # Errors
/// The executable cannot be read.
pub fn build() -> std::io::Result<String> {
    let executable = fs::read(env::current_exe()?)?;
    Ok(format!(
        "{} {}",
        env!("CARGO_PKG_VERSION"),
        short_hash([&executable[..]])
    ))
}

/// A name that no other runner has, on this or another machine.
pub fn unique_name() -> String {
    let host = env::var("HOSTNAME").ok().or_else(|| {
        let name = fs::read_to_string("/etc/hostname").ok()?;
        Some(name.trim().to_owned())
    });
    let host = host.filter(|host| !host.is_empty());
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let moment = since.map_or(0, |since| since.as_micros());
    format!(
        "{}-{}-{moment:x}",
        host.as_deref().unwrap_or("runner"),
        process::id()
    )
}
