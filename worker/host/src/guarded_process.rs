//! A child process that ends with this one, however this one ends.
//!
//! On Linux the child of the `monju` program is a [`guard`](crate::guard) that starts the engine, and kills all that
//! has come of it when this process is gone, for whatever reason: an engine that ignores the end of its input, in
//! mid-search, with the processes that it has started itself, in whatever sessions.
//!
//! On other Unix systems and in other programs the guard is one line of `sh`. It leads the process group of the child
//! and waits for the end of its own input, which comes when this process is gone. Then it kills its group.
//!
//! On Windows the child is put into a job object, which kills all that is in it when its only handle is closed: by this
//! process, or by the system when this process is gone.

#[cfg(target_os = "linux")]
use crate::guard;
use crate::spec::UsiSpec;
#[cfg(target_os = "linux")]
use rustix::process::kill_process;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    env,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// Waits for the end of its input, then kills its group and itself.
#[cfg(unix)]
const SHELL: &str = "read -r _; kill -9 -$$";

/// Folders of Debian's game engines, outside the `PATH` of root and of services.
const GAME_FOLDERS: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// A child process with its guard. Dropping it kills both, and what the child has started.
#[derive(Debug)]
pub struct GuardedProcess {
    child: Child,
    /// The child is the guard, and the engine its child.
    #[cfg(target_os = "linux")]
    is_guard: bool,
    /// `None` where there is no `sh`, and where the child is the guard.
    #[cfg(unix)]
    guard: Option<Child>,
    /// `None` once it has been killed, or where the system refuses one.
    #[cfg(windows)]
    job: Option<win32job::Job>,
}

impl GuardedProcess {
    /// Starts the program of a player.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn spawn(spec: &UsiSpec) -> io::Result<Self> {
        let program = locate(&spec.program, env::var_os("PATH").as_deref());
        #[cfg(target_os = "linux")]
        if guard::is_there() {
            return Self::under_guard(&program, spec);
        }
        let mut command = Command::new(program);
        command.args(&spec.arguments).kill_on_drop(true);
        connect(&mut command, spec);
        #[cfg(unix)]
        let guard = shell();
        // In a group of its own, an interrupt at the terminal does not reach it: monju ends its engines in good
        // order.
        #[cfg(unix)]
        command.process_group(guard.as_ref().and_then(group).unwrap_or(0));
        // CREATE_NO_WINDOW: a console engine under a GUI opens no window.
        #[cfg(windows)]
        command.creation_flags(0x0800_0000);
        let child = command.spawn()?;
        spec.cores.keep_process(child.id());
        Ok(Self {
            #[cfg(windows)]
            job: job_of(&child),
            child,
            #[cfg(target_os = "linux")]
            is_guard: false,
            #[cfg(unix)]
            guard,
        })
    }

    /// Starts a guard that starts the program. Killed before its time, it would let go of the engine: it is told to
    /// end.
    #[cfg(target_os = "linux")]
    fn under_guard(program: &Path, spec: &UsiSpec) -> io::Result<Self> {
        can_be_started(program, spec)?;
        let mut command = guard::command(program, spec);
        connect(&mut command, spec);
        Ok(Self {
            child: command.process_group(0).spawn()?,
            is_guard: true,
            guard: None,
        })
    }

    /// Takes the child's standard input, output and error; `None` the second time.
    pub fn take_streams(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        let child = &mut self.child;
        Some((
            child.stdin.take()?,
            child.stdout.take()?,
            child.stderr.take()?,
        ))
    }

    /// Waits for the end of the child.
    ///
    /// # Errors
    /// Those of the system.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Kills the child and all that it has started, and waits for the end of the child.
    ///
    /// # Errors
    /// Those of the system.
    pub async fn kill(&mut self) -> io::Result<()> {
        self.kill_group();
        #[cfg(target_os = "linux")]
        if self.is_guard {
            return self.child.wait().await.map(drop);
        }
        // A child that has been waited for is gone.
        match self.child.id() {
            Some(_) => self.child.kill().await,
            None => Ok(()),
        }
    }

    /// Kills the process group or the job: the program may be a script that runs another one. A guard is told to do so.
    fn kill_group(&mut self) {
        #[cfg(target_os = "linux")]
        if self.is_guard {
            let guard = group(&self.child).and_then(Pid::from_raw);
            // It may have ended by itself.
            let _ = guard.map(|guard| kill_process(guard, Signal::TERM));
            return;
        }

        #[cfg(windows)]
        drop(self.job.take());

        #[cfg(unix)]
        if let Some(leader) =
            group(self.guard.as_ref().unwrap_or(&self.child)).and_then(Pid::from_raw)
        {
            // It may have ended by itself.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Drop for GuardedProcess {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Connects a command to this process, in the folder and the environment of a player.
fn connect(command: &mut Command, spec: &UsiSpec) {
    // The password of an experiment's store is none of its business.
    command
        .env_remove("PGPASSWORD")
        .env_remove("PGPASSFILE")
        .envs(&spec.environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(directory) = &spec.directory {
        command.current_dir(directory);
    }
}

/// Checks that a program can be started, since only its guard hears of it if it cannot.
#[cfg(target_os = "linux")]
fn can_be_started(program: &Path, spec: &UsiSpec) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let check = |path: &Path| -> io::Result<()> {
        let metadata = path.metadata()?;
        match metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 {
            true => Ok(()),
            false => Err(rustix::io::Errno::ACCESS.into()),
        }
    };
    let files = files(program, spec);
    if let [only] = &files[..] {
        return check(only);
    }
    match files.iter().any(|file| check(file).is_ok()) {
        true => Ok(()),
        false => Err(rustix::io::Errno::NOENT.into()),
    }
}

/// Files that the system tries for a program, in their order.
fn files(program: &Path, spec: &UsiSpec) -> Vec<PathBuf> {
    if program.components().count() > 1 {
        let directory = spec.directory.as_deref().unwrap_or(Path::new(""));
        return vec![directory.join(program)];
    }
    let search_path = spec.environment.get("PATH").map(Into::into);
    let search_path = search_path.or(env::var_os("PATH")).unwrap_or_default();
    env::split_paths(&search_path)
        .map(|folder| folder.join(program))
        .collect()
}

/// Returns the file of a player's program, where it is found.
pub(crate) fn program_file(spec: &UsiSpec) -> Option<PathBuf> {
    let program = locate(&spec.program, env::var_os("PATH").as_deref());
    let mut files = files(&program, spec).into_iter();
    files.find(|file| file.is_file())
}

/// Starts the guard of other systems and programs. Its input, whose other end closes with this process, is inherited by
/// nobody else.
#[cfg(unix)]
fn shell() -> Option<Child> {
    let guard = Command::new("/bin/sh")
        .args(["-c", SHELL])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    guard
        .inspect_err(
            |error| tracing::warn!(%error, "no /bin/sh: an engine may outlive a killed monju"),
        )
        .ok()
}

/// Puts a child that has just been started into a job that ends with its handle.
#[cfg(windows)]
fn job_of(child: &Child) -> Option<win32job::Job> {
    let job = || -> Result<_, win32job::JobError> {
        let mut limits = win32job::ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = win32job::Job::create_with_limit_info(&limits)?;
        if let Some(handle) = child.raw_handle() {
            job.assign_process(handle as isize)?;
        }
        Ok(job)
    };
    job()
        .inspect_err(
            |error| tracing::warn!(%error, "no job object: an engine may outlive a killed monju"),
        )
        .ok()
}

/// Returns the process group that a running process leads.
#[cfg(unix)]
fn group(leader: &Child) -> Option<i32> {
    leader.id().and_then(|id| i32::try_from(id).ok())
}

/// Returns the program to start; a bare name that is not in `PATH` is looked up among the games.
fn locate(program: &Path, search_path: Option<&OsStr>) -> PathBuf {
    let in_path = search_path
        .iter()
        .flat_map(env::split_paths)
        .any(|folder| folder.join(program).is_file());
    if program.components().count() > 1 || in_path {
        return program.to_owned();
    }
    GAME_FOLDERS
        .iter()
        .map(|folder| Path::new(folder).join(program))
        .find(|path| path.is_file())
        .unwrap_or_else(|| program.to_owned())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::cores::CoreSet;
    use std::{fs, time::Duration};
    use tokio::{
        io::{AsyncBufReadExt, BufReader},
        time::{sleep, timeout},
    };

    /// Tells whether a process lives; one whose end was not collected is a zombie.
    fn lives(process: u32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    }

    async fn ends(process: u32) {
        let gone = async {
            while lives(process) {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(10), gone)
            .await
            .expect("it ends");
    }

    /// Starts a script, and returns the process whose number it writes first.
    async fn script(text: &str) -> (GuardedProcess, ChildStdin, u32) {
        let spec = UsiSpec {
            arguments: vec!["-c".into(), text.into()],
            ..UsiSpec::of_program("/bin/sh")
        };
        let mut process = GuardedProcess::spawn(&spec).expect("started");
        let (input, output, _) = process.take_streams().expect("its streams");
        let line = BufReader::new(output).lines().next_line().await;
        let number = line.expect("read").expect("a line").parse();
        (process, input, number.expect("a number"))
    }

    #[tokio::test]
    async fn what_a_child_has_started_ends_with_it() {
        let (mut process, _input, grandchild) = script("sleep 1000 & echo $!; wait").await;
        assert!(lives(grandchild));
        process.kill().await.expect("killed");
        ends(grandchild).await;
    }

    #[tokio::test]
    async fn a_child_that_ignores_the_end_of_its_input_ends_with_the_input_of_its_guard() {
        let (mut process, input, grandchild) =
            script("trap '' HUP INT TERM; sleep 1000 & echo $!; while :; do sleep 1000; done")
                .await;
        drop(input);
        let guard = process.guard.as_mut().expect("sh");
        // The system does this when a process is killed.
        drop(guard.stdin.take());
        ends(grandchild).await;
        let status = timeout(Duration::from_secs(10), process.wait()).await;
        let status = status.expect("it ends").expect("ended");
        assert!(!status.success(), "{status}");
    }

    #[tokio::test]
    async fn a_child_is_kept_on_its_cores() {
        let cores = CoreSet::available().take(1);
        let spec = UsiSpec {
            cores: cores.clone(),
            ..UsiSpec::of_program("cat")
        };
        let process = GuardedProcess::spawn(&spec).expect("started");
        let id = process.child.id().expect("it runs");
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("a process");
        let allowed = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
            .expect("its cores");
        assert_eq!(allowed.trim(), cores.numbers()[0].to_string());
    }

    #[tokio::test]
    async fn an_interrupt_at_the_terminal_does_not_reach_an_engine() {
        let mut process = GuardedProcess::spawn(&UsiSpec::of_program("cat")).expect("started");
        let group = |id: u32| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).expect("a process");
            // After the name in brackets: state, parent, group.
            let (_, fields) = stat.rsplit_once(')').expect("a name");
            fields
                .split_whitespace()
                .nth(2)
                .expect("a group")
                .to_owned()
        };
        let guard = process.guard.as_ref().and_then(Child::id).expect("sh");
        let child = process.child.id().expect("it runs");
        assert_eq!(group(child), guard.to_string(), "the group of its guard");
        // It ends when its input is closed.
        drop(process.take_streams());
        let status = process.wait().await.expect("ended");
        assert!(status.success(), "{status}");
    }
}
