//! The files of a log: one that grows for ever, or a series of files of a limited size.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    mem,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};
use tokio::time::Instant;
use tracing::warn;

/// The limits of the files of a log; by default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Size in bytes after which the file gets the time as the end of its name, and another one is begun.
    pub bytes: Option<u64>,
    /// Days after which files that were put aside are deleted.
    pub days: Option<u32>,
}

/// The file that lines are appended to. Whatever fails when files are changed, each line is in one of them. Where the
/// file has been moved or removed, the next line begins another one.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    path: PathBuf,
    rotation: Rotation,
    /// The last change of files failed, which has been said.
    is_stuck: bool,
    /// The clock when the log was opened, or when files were changed last.
    clock: TimeReading,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A moment by the system's clock and by one that nobody sets.
#[derive(Clone, Copy, Debug)]
struct TimeReading {
    time: SystemTime,
    at: Instant,
}

impl TimeReading {
    fn now() -> Self {
        Self {
            time: SystemTime::now(),
            at: Instant::now(),
        }
    }

    /// Returns how far the clock was set since then, or how long the machine has slept.
    fn apart(&self, later: &Self) -> Duration {
        let expected = self.time + later.at.duration_since(self.at);
        let apart = later.time.duration_since(expected);
        apart.unwrap_or_else(|error| error.duration())
    }
}

impl LogFile {
    /// Opens a log for appending, creating it if necessary.
    ///
    /// # Errors
    /// The file cannot be opened, or a line that a crash has cut short cannot be ended.
    pub fn open(path: &Path, rotation: Rotation) -> io::Result<Self> {
        Ok(Self {
            file: open(path)?,
            path: path.to_owned(),
            rotation,
            is_stuck: false,
            clock: TimeReading::now(),
        })
    }

    /// Appends text in one write, and puts the file aside if it is too large then.
    ///
    /// # Errors
    /// The text cannot be written, or not as a whole.
    pub fn append(&mut self, text: &str) -> io::Result<()> {
        let found = self.find();
        self.file.write_all(text.as_bytes())?;
        match found.and_then(|()| self.change_files()) {
            Ok(()) => self.is_stuck = false,
            Err(error) if !self.is_stuck => {
                self.is_stuck = true;
                let path = self.path.display();
                warn!(%path, %error, "no other file can be begun for the log, and this one grows on");
            }
            Err(_) => {}
        }
        Ok(())
    }

    /// Opens the log again if its path leads to another file, because somebody has moved or removed this one: another
    /// process that writes to the log, for example.
    fn find(&mut self) -> io::Result<()> {
        let is_there = match fs::metadata(&self.path) {
            Ok(there) => is_same_file(&there, &self.file.metadata()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        if !is_there {
            self.file = open(&self.path)?;
        }
        Ok(())
    }

    /// Begins another file if this one is larger than the limit.
    fn change_files(&mut self) -> io::Result<()> {
        let Some(limit) = self.rotation.bytes else {
            return Ok(());
        };
        if self.file.metadata()?.len() <= limit {
            return Ok(());
        }
        let clock = TimeReading::now();
        put_aside(&self.path, clock.time)?;
        self.file = open(&self.path)?;
        let before = mem::replace(&mut self.clock, clock);
        if let Some(days) = self.rotation.days {
            let age = DAY * days;
            // Of a clock that is wrong by less, files are at least half as old.
            match before.apart(&clock) <= age / 2 {
                true => delete_old(&self.path, clock.time, age),
                false => warn!(
                    "the clock was set, or the machine slept for long: old logs are not deleted this time"
                ),
            }
        }
        Ok(())
    }
}

/// Opens a file for appending, and ends a line that a crash has cut short.
fn open(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .open(path)?;
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

/// Tells whether both are of one file, where the system says so.
#[cfg(unix)]
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Another file is taken for this one if it is not smaller.
#[cfg(not(unix))]
fn is_same_file(there: &Metadata, ours: &Metadata) -> bool {
    there.len() >= ours.len()
}

/// Renames a log to one with the time as the end of its name, which no file has.
fn put_aside(path: &Path, now: SystemTime) -> io::Result<()> {
    let moment = OffsetDateTime::from(now);
    let time = format!(
        "{:04}{:02}{:02}T{:02}{:02}{:02}",
        moment.year(),
        u8::from(moment.month()),
        moment.day(),
        moment.hour(),
        moment.minute(),
        moment.second()
    );
    for again in 0..u32::MAX {
        let end = match again {
            0 => time.clone(),
            again => format!("{time}.{again}"),
        };
        let name = with_end(path, &end);
        // The new file keeps the name from other processes until the old one takes its place.
        match File::create_new(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => drop(made?),
        }
        return fs::rename(path, &name).inspect_err(|_| {
            let _ = fs::remove_file(&name);
        });
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Seconds from 1970 to 2020. No log is older: a clock that says so had not been set.
const FIRST_LOGS: Duration = Duration::from_secs(1_577_836_800);

/// Deletes the files that were put aside longer ago than `age`.
fn delete_old(path: &Path, now: SystemTime, age: Duration) {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    let name = path.file_name().unwrap_or_default();
    for entry in entries.flatten() {
        let moment = moment_of(name, &entry.file_name());
        let since = moment
            .filter(|moment| *moment >= SystemTime::UNIX_EPOCH + FIRST_LOGS)
            .and_then(|moment| now.duration_since(moment).ok());
        if since.is_some_and(|since| since > age)
            && let Err(error) = fs::remove_file(entry.path())
            && error.kind() != io::ErrorKind::NotFound
        {
            let path = entry.path();
            warn!(path = %path.display(), %error, "an old log cannot be deleted");
        }
    }
}

/// Returns the moment at which a file was put aside from the log `log`, if it was.
fn moment_of(log: &OsStr, file: &OsStr) -> Option<SystemTime> {
    let end = file.to_str()?.strip_prefix(log.to_str()?)?;
    let mut parts = end.strip_prefix('.')?.split('.');
    let (day, time) = parts.next()?.split_once('T')?;
    let is_number =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    let again = parts.next();
    if !is_number(day, 8)
        || !is_number(time, 6)
        || again.is_some_and(|again| again.parse::<u32>().is_err())
        || parts.next().is_some()
    {
        return None;
    }
    let month = Month::try_from(day[4..6].parse::<u8>().ok()?).ok()?;
    let date = Date::from_calendar_date(day[..4].parse().ok()?, month, day[6..].parse().ok()?);
    let clock = Time::from_hms(
        time[..2].parse().ok()?,
        time[2..4].parse().ok()?,
        time[4..].parse().ok()?,
    );
    let moment = PrimitiveDateTime::new(date.ok()?, clock.ok()?);
    Some(moment.assume_utc().into())
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".");
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_is_noticed() {
        let opened = TimeReading::now();
        let years = DAY * 365 * 80;
        for (passed, shown, apart) in [
            (DAY, DAY, Duration::ZERO),
            (DAY, DAY * 3, DAY * 2),
            (DAY * 3, DAY, DAY * 2),
            (Duration::ZERO, years, years),
        ] {
            let later = TimeReading {
                time: opened.time + shown,
                at: opened.at + passed,
            };
            assert_eq!(opened.apart(&later), apart);
        }
    }

    #[test]
    fn nothing_is_deleted_when_the_clock_was_set() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.log");
        let old = folder.path().join("a.log.20210101T000000");
        fs::write(&old, "").expect("a file");
        let rotation = Rotation {
            bytes: Some(1),
            days: Some(30),
        };
        let mut log = LogFile::open(&path, rotation).expect("a log");
        log.clock.time -= DAY * 16;
        for is_there in [true, false] {
            fs::write(&path, "two").expect("written");
            log.change_files().expect("changed");
            assert_eq!(old.exists(), is_there);
        }
    }
}
