//! Child processes whose output is read line by line.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use wait_timeout::ChildExt;

/// Longest wait of a test for something that ought to come at once: generous, for a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Names of the threads beside the first one that an answer passes through.
const SPEAKING_THREADS: [&str; 3] = ["tokio-rt-worker", "usi-input", "usi-output"];

/// A free port of this machine.
pub fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

/// A running process. Dropping it kills it; a test that fails shows its standard error.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, String)>,
    errors: Arc<Mutex<String>>,
    error_reader: Option<JoinHandle<()>>,
}

/// The remains of a process that ended on its own.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// Everything it wrote to standard output.
    pub output: String,
    /// Everything it wrote to standard error.
    pub errors: String,
}

impl Process {
    /// Starts a program with piped standard streams.
    pub fn start<S: AsRef<OsStr>>(program: &Path, arguments: &[S]) -> Self {
        let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
        let mut child = Command::new(program)
            .args(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let output = child.stdout.take().expect("a piped standard output");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    break;
                }
            }
        });
        let mut error_stream = BufReader::new(child.stderr.take().expect("a piped standard error"));
        let errors = Arc::new(Mutex::new(String::new()));
        let collected = Arc::clone(&errors);
        let error_reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = error_stream.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]);
                collected.lock().expect("no panic").push_str(&text);
            }
        });
        let words: Vec<_> = arguments
            .iter()
            .map(|word| word.to_string_lossy())
            .collect();
        Self {
            name: words.join(" "),
            input: child.stdin.take(),
            child,
            lines,
            errors,
            error_reader: Some(error_reader),
        }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the KiB of memory that the process holds beside mapped files; `None` where the system does
    /// not tell.
    pub fn memory_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }

    /// Returns the time for which each thread that an answer passes through was ready to run and waited for a core, in
    /// nanoseconds, by the number of the task; nothing where the system does not tell. Searches are none of them: they
    /// wait for cores all the time where there are more than cores, and no answer waits for them for long.
    pub fn times_without_core(&self) -> BTreeMap<u64, u64> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id()));
        let waited_ns = |task: std::fs::DirEntry| -> Option<(u64, u64)> {
            let number = task.file_name().to_str()?.parse().ok()?;
            let name = std::fs::read_to_string(task.path().join("comm")).ok()?;
            if number != u64::from(self.id()) && !SPEAKING_THREADS.contains(&name.trim_end()) {
                return None;
            }
            let times = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            let waited_ns = times.split_whitespace().nth(1)?.parse().ok()?;
            Some((number, waited_ns))
        };
        let tasks = tasks.into_iter().flatten().flatten();
        tasks.filter_map(waited_ns).collect()
    }

    /// Writes one line to its standard input; panics when it no longer reads.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("an open standard input");
        writeln!(input, "{line}")
            .and_then(|()| input.flush())
            .unwrap_or_else(|error| panic!("{} does not read '{line}': {error}", self.name));
    }

    /// Closes its standard input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Returns the next line of standard output with its time of arrival; `None` at the end of the output,
    /// or when nothing came by `deadline`.
    pub fn next_line(&self, deadline: Instant) -> Option<(Instant, String)> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).ok()
    }

    /// Reads until a line for which `wanted` holds; returns all lines read, that one last.
    /// Panics when it does not come.
    pub fn expect_line(&self, what: &str, wanted: impl Fn(&str) -> bool) -> Vec<(Instant, String)> {
        let deadline = Instant::now() + PATIENCE;
        let mut read = Vec::new();
        while let Some((arrived, line)) = self.next_line(deadline) {
            let found = wanted(&line);
            read.push((arrived, line));
            if found {
                return read;
            }
        }
        let lines: Vec<&str> = read.iter().map(|(_, line)| line.as_str()).collect();
        panic!("{}: no {what}, only: {lines:#?}", self.name);
    }

    /// Returns the text that it has written to standard error so far.
    pub fn errors(&self) -> String {
        self.errors.lock().expect("no panic").clone()
    }

    /// Returns true while it is running.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends it a signal.
    #[cfg(unix)]
    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_raw(self.id() as i32).expect("an id is not zero");
        rustix::process::kill_process(id, signal)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
    }

    /// Kills it as a power cut would (SIGKILL), and waits for its end.
    pub fn kill(&mut self) {
        // Killing a process that has ended is an error of no interest.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until it ends on its own; panics when it does not within `limit`.
    pub fn wait(mut self, limit: Duration) -> Ended {
        let deadline = Instant::now() + limit;
        let mut output = String::new();
        while let Some((_, line)) = self.next_line(deadline) {
            output.push_str(&line);
            output.push('\n');
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let status = self.child.wait_timeout(left).expect("a child to wait for");
        let Some(status) = status else {
            panic!("{} is still running after {limit:?}", self.name);
        };
        if let Some(reader) = self.error_reader.take() {
            reader.join().expect("no panic");
        }
        Ended {
            status,
            output,
            errors: self.errors(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            eprintln!("--- standard error of {}:\n{}", self.name, self.errors());
        }
    }
}

/// Returns the ids of all processes that descend from this one, as `/proc` shows them.
#[cfg(target_os = "linux")]
pub fn descendants_of(ancestor: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.parse::<u32>().ok());
        let stat = std::fs::read_to_string(entry.path().join("stat"));
        if let (Some(id), Ok(stat)) = (id, stat)
            // The name of the program stands in parentheses and may hold anything.
            && let Some((_, after_name)) = stat.rsplit_once(") ")
            && let Some(parent) = after_name.split(' ').nth(1)
        {
            parents.push((id, parent.parse::<u32>().expect("a process id")));
        }
    }
    let mut family: Vec<u32> = vec![ancestor];
    let mut index = 0;
    while let Some(member) = family.get(index).copied() {
        let children = parents.iter().filter(|(_, parent)| *parent == member);
        family.extend(children.map(|(id, _)| *id));
        index += 1;
    }
    family.split_off(1)
}
