//! A throw-away PostgreSQL on a free port: Debian's own, with an empty cluster in a temporary
//! folder.

use crate::{process::PATIENCE, skip::missing};
use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A running server. Dropping it kills it and removes its files.
#[derive(Debug)]
pub struct Postgres {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
    settings: Vec<String>,
    server: Option<Child>,
}

impl Postgres {
    /// Starts a server; `None` where PostgreSQL is not installed, after noting that a test is skipped.
    pub fn start() -> Option<Self> {
        Self::with(&[])
    }

    /// Starts a server with these settings, as `name=value`; `None` where PostgreSQL is not installed, after
    /// noting that a test is skipped.
    pub fn with(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            missing("postgresql", "apt-get install postgresql");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        give_to_postgres(folder.path());
        let mut server = Self {
            folder,
            programs,
            port,
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            server: None,
        };
        let made = server
            .command("initdb")
            .args([
                "--auth=trust",
                "--username=monju",
                "--no-sync",
                "--no-locale",
            ])
            .arg("--encoding=UTF8")
            .arg(server.data())
            .stdout(Stdio::null())
            .status()
            .expect("initdb starts");
        assert!(made.success(), "initdb: {made}");
        server.resume();
        Some(server)
    }

    /// Returns its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns its URL.
    pub fn url(&self) -> String {
        format!("postgres://monju@127.0.0.1:{}/postgres", self.port)
    }

    /// Makes an empty database and returns its URL.
    pub fn database(&self, name: &str) -> String {
        let made = self
            .command("createdb")
            .args(["--host=127.0.0.1", "--username=monju", "--port"])
            .args([&self.port.to_string(), name])
            .status()
            .expect("createdb starts");
        assert!(made.success(), "createdb: {made}");
        format!("postgres://monju@127.0.0.1:{}/{name}", self.port)
    }

    /// Returns the server's answer to a statement, without headings: a line a row, fields separated by `|`.
    pub fn ask(&self, statement: &str) -> String {
        let output = self
            .command("psql")
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--dbname", &self.url(), "--command", statement])
            .output()
            .expect("psql starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "psql: {errors}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Ends the server at once, as a crash would.
    pub fn kill(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
        // The children of a killed server end by themselves; until then the port and the
        // folder are theirs.
        let _ = fs::remove_file(self.data().join("postmaster.pid"));
    }

    /// Starts the server again on the same port.
    pub fn resume(&mut self) {
        let port = self.port.to_string();
        let begun = Instant::now();
        loop {
            let server = self
                .command("postgres")
                .arg("-D")
                .arg(self.data())
                .args(["-p", &port, "-c", "listen_addresses=127.0.0.1"])
                .args(["-c", "unix_socket_directories=", "-c", "fsync=off"])
                .args(self.settings.iter().flat_map(|setting| ["-c", setting]))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("postgres starts");
            self.server = Some(server);
            while begun.elapsed() < PATIENCE {
                let ready = self
                    .command("pg_isready")
                    .args(["--quiet", "--host=127.0.0.1", "--port", &port])
                    .status()
                    .expect("pg_isready starts");
                if ready.success() {
                    return;
                }
                let server = self.server.as_mut().expect("started");
                if server.try_wait().expect("a child").is_some() {
                    break;
                }
                thread::sleep(Duration::from_millis(50));
            }
            // The memory of a killed server is in use until its last child has ended.
            assert!(begun.elapsed() < PATIENCE, "postgres does not start");
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A program of PostgreSQL, as a user that it accepts.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(self.folder.path());
        as_postgres(&mut command);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the folder of Debian's newest PostgreSQL.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    folders
        .filter(|folder| folder.join("initdb").is_file())
        .max_by_key(|folder| {
            let version = folder.parent()?.file_name()?.to_str()?;
            version.parse::<u32>().ok()
        })
}

/// PostgreSQL refuses to run as root; its package has made a user for it.
#[cfg(unix)]
fn postgres_user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let user = users.lines().find(|line| line.starts_with("postgres:"))?;
    let mut fields = user.split(':').skip(2);
    let ids = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    is_root.then_some(ids)
}

#[cfg(unix)]
pub(crate) fn as_postgres(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    if let Some((user, group)) = postgres_user() {
        command.uid(user).gid(group);
    }
}

#[cfg(not(unix))]
pub(crate) fn as_postgres(_: &mut Command) {}

#[cfg(unix)]
pub(crate) fn give_to_postgres(folder: &Path) {
    if let Some((user, group)) = postgres_user() {
        std::os::unix::fs::chown(folder, Some(user), Some(group)).expect("root may");
    }
}

#[cfg(not(unix))]
pub(crate) fn give_to_postgres(_: &Path) {}
