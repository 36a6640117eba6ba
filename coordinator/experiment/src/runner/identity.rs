//! Names of builds and runners.

use crate::hash::short_hash;
use monju_proto::build;
use std::{
    env, fs, process,
    time::{SystemTime, UNIX_EPOCH},
};

/// Version of monju with a hash of its executable, in which the commit's name does not count. Stores keep
/// builds apart, because another build may play other games; a commit that changes no code does not.
///
/// # Errors
/// The executable cannot be read.
pub fn build() -> std::io::Result<String> {
    let mut executable = fs::read(env::current_exe()?)?;
    blank(&mut executable, build::name().as_bytes());
    Ok(format!(
        "{} {}",
        env!("CARGO_PKG_VERSION"),
        short_hash([&executable[..]])
    ))
}

/// Overwrites every occurrence of a text, which is not empty, in `bytes`. Only where its first byte stands are the
/// others looked at: an executable has a hundred megabytes in the profile of tests, and every run reads it.
fn blank(bytes: &mut [u8], text: &[u8]) {
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|&byte| byte == text[0]) {
        let start = at + found;
        at = start + 1;
        if bytes[start..].starts_with(text) {
            at = start + text.len();
            bytes[start..at].fill(0);
        }
    }
}

/// A name that no other runner has, on this or another machine.
pub fn unique_name() -> String {
    // The variable may be that of the machine from which a job was sent.
    let told = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| env::var("HOSTNAME").ok());
    let told = told.or_else(|| env::var("COMPUTERNAME").ok());
    let host = told.map(|host| host.trim().to_owned());
    let host = host.filter(|host| !host.is_empty());
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let moment = since.map_or(0, |since| since.as_micros());
    format!(
        "{}-{}-{moment:x}",
        host.as_deref().unwrap_or("runner"),
        process::id()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_does_not_count() {
        let with = |commit: &str| {
            let mut bytes = format!("code {commit} data {commit}").into_bytes();
            blank(&mut bytes, commit.as_bytes());
            bytes
        };
        assert_eq!(with("0.1.0 (0123456789ab)"), with("0.1.0 (ba9876543210)"));
        assert_ne!(with("0.1.0 (0123456789ab)"), with("0.2.0 (0123456789ab) "));
    }
}
