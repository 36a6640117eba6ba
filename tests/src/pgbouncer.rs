//! A throw-away PgBouncer in transaction mode before a [`Postgres`], on a free port.

use crate::{
    postgres::{Postgres, as_postgres, give_to_postgres},
    process::PATIENCE,
    skip::missing,
};
use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Place of Debian's program.
const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// A running pooler. Dropping it ends it and removes its files.
#[derive(Debug)]
pub struct PgBouncer {
    port: u16,
    pooler: Child,
    _folder: tempfile::TempDir,
}

impl PgBouncer {
    /// Starts a pooler with so many connections of the server and so many of clients; `None` where PgBouncer is not
    /// installed, after noting that a test is skipped.
    pub fn start(postgres: &Postgres, (servers, clients): (u32, u32)) -> Option<Self> {
        if !Path::new(PROGRAM).is_file() {
            missing("pgbouncer", "apt-get install pgbouncer");
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::write(&file, text).expect("a writable folder");
            file
        };
        let users = write("users.txt", "\"monju\" \"\"\n");
        let settings = format!(
            "[databases]\n\
             * = host=127.0.0.1 port={}\n\
             [pgbouncer]\n\
             listen_addr = 127.0.0.1\n\
             listen_port = {port}\n\
             unix_socket_dir =\n\
             auth_type = trust\n\
             auth_file = {}\n\
             pool_mode = transaction\n\
             default_pool_size = {servers}\n\
             max_client_conn = {clients}\n\
             ignore_startup_parameters = extra_float_digits\n",
            postgres.port(),
            users.display()
        );
        let settings = write("pgbouncer.ini", &settings);
        give_to_postgres(folder.path());
        let mut command = Command::new(PROGRAM);
        command
            .arg(&settings)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        as_postgres(&mut command);
        let pooler = command.spawn().expect("pgbouncer starts");
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < PATIENCE, "pgbouncer does not start");
            thread::sleep(Duration::from_millis(20));
        }
        Some(Self {
            port,
            pooler,
            _folder: folder,
        })
    }

    /// Returns the URL of the server's database behind the pooler.
    pub fn url(&self) -> String {
        format!("postgres://monju@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.pooler.kill();
        let _ = self.pooler.wait();
    }
}
