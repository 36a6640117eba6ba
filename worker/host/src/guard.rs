//! The guard of an engine on Linux: this program, started again under another name.
//!
//! The guard starts the engine, and the system makes it the parent of everything whose own parent ends below it
//! (a *subreaper*). So nothing that an engine starts gets away, whatever sessions and groups it makes. The guard kills
//! all of it when the engine has ended, when it is told to, and when the process is gone that started the guard: the
//! system tells it, however that process ends.

use std::process::ExitCode;

/// Runs the guard if this process was started as one, and returns its status. A program whose `main` calls this first
/// has guards for its engines; those of others have a plainer one.
pub fn run_if_asked() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    {
        linux::run_if_asked()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{command, is_there};

#[cfg(target_os = "linux")]
mod linux {
    use crate::{cores::CoreSet, spec::UsiSpec};
    use rustix::{
        event::{PollFd, PollFlags, poll},
        process::{
            Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid,
            getrlimit, kill_process, pidfd_open, set_child_subreaper, setrlimit, wait,
        },
        stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
    };
    use std::{
        env,
        ffi::OsString,
        fs::{self, File},
        io,
        path::Path,
        process::{self, ExitCode},
        sync::atomic::{AtomicBool, Ordering},
        thread,
        time::Duration,
    };
    use tokio::{
        process::Command,
        runtime::Builder,
        signal::unix::{SignalKind, signal},
        sync::oneshot,
        time::sleep,
    };

    /// Name of the process.
    const NAME: &str = "monju-guard";

    /// This program, also when its file has been replaced.
    const PROGRAM: &str = "/proc/self/exe";

    /// Interval at which an old kernel is asked for the parent.
    const LOOK: Duration = Duration::from_millis(200);

    /// Time that killed processes get to end before their children are looked for.
    const PAUSE: Duration = Duration::from_millis(2);

    /// This program can be its own guard.
    static IS_THERE: AtomicBool = AtomicBool::new(false);

    pub fn is_there() -> bool {
        IS_THERE.load(Ordering::Relaxed)
    }

    pub fn run_if_asked() -> Option<ExitCode> {
        let mut arguments = env::args_os();
        if arguments.next().is_none_or(|name| name != NAME) {
            IS_THERE.store(true, Ordering::Relaxed);
            return None;
        }
        Some(run(arguments).unwrap_or_else(|error| {
            eprintln!("{NAME}: {error}");
            ExitCode::FAILURE
        }))
    }

    /// Returns the command that starts a guard which starts a program on these cores.
    pub fn command(program: &Path, spec: &UsiSpec) -> Command {
        let cores: Vec<String> = (spec.cores.numbers().iter())
            .map(ToString::to_string)
            .collect();
        let mut command = Command::new(PROGRAM);
        command
            .arg0(NAME)
            .arg(process::id().to_string())
            .arg(cores.join(","))
            .arg(program)
            .args(&spec.arguments);
        command
    }

    /// The request of another process: who it is, and what to start.
    struct LaunchRequest {
        parent: Pid,
        cores: CoreSet,
        program: OsString,
        arguments: Vec<OsString>,
    }

    impl LaunchRequest {
        fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
            let parent = arguments.next()?.to_str()?.parse().ok()?;
            let cores = arguments.next()?;
            let cores = cores.to_str()?.split(',').filter(|core| !core.is_empty());
            let cores = cores.map(|core| core.parse().ok());
            Some(Self {
                parent: Pid::from_raw(parent)?,
                cores: CoreSet::new(cores.collect::<Option<_>>()?),
                program: arguments.next()?,
                arguments: arguments.collect(),
            })
        }
    }

    fn run(arguments: impl Iterator<Item = OsString>) -> io::Result<ExitCode> {
        let request = LaunchRequest::read(arguments).ok_or_else(|| {
            io::Error::other("monju starts this for its engines, and nobody else")
        })?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let status = runtime.block_on(guard(request))?;
        Ok(match status {
            Some(status) => end_like(status),
            None => ExitCode::FAILURE,
        })
    }

    /// Starts the engine and guards it to its end. Returns its status if it has ended by itself.
    async fn guard(request: LaunchRequest) -> io::Result<Option<WaitStatus>> {
        set_child_subreaper(Some(getpid()))?;
        let mut ended = signal(SignalKind::child())?;
        let mut told = signal(SignalKind::terminate())?;
        let parent = end_of(request.parent);
        tokio::pin!(parent);
        request.cores.keep_thread();
        forgo_sparing();
        let started = process::Command::new(&request.program)
            .args(&request.arguments)
            .spawn();
        let engine = match started {
            Ok(engine) => Pid::from_child(&engine),
            Err(error) => {
                let program = request.program.display();
                return Err(io::Error::other(format!("cannot start {program}: {error}")));
            }
        };
        // The streams belong to the engine alone: their ends are its ends.
        let nothing = File::options().read(true).write(true).open("/dev/null")?;
        dup2_stdin(&nothing)?;
        dup2_stdout(&nothing)?;
        dup2_stderr(&nothing)?;
        let status = loop {
            tokio::select! {
                biased;
                () = &mut parent => break None,
                _ = told.recv() => break None,
                _ = ended.recv() => if let Some(status) = collect(engine) {
                    break Some(status);
                },
            }
        };
        end_all().await;
        Ok(status)
    }

    /// Makes the kernel kill the engine like any other program when memory runs out, where it spares the service that
    /// starts it: the engine may be what takes the memory, and nothing else is to be killed in its place. It inherits
    /// the adjustment of this process.
    fn forgo_sparing() {
        const ADJUSTMENT: &str = "/proc/self/oom_score_adj";
        let inherited = fs::read_to_string(ADJUSTMENT).unwrap_or_default();
        if is_spared(&inherited) {
            // The engine plays all the same where this is refused.
            let _ = fs::write(ADJUSTMENT, "0");
        }
    }

    /// Tells whether the kernel spares a process with this adjustment.
    fn is_spared(adjustment: &str) -> bool {
        (adjustment.trim().parse()).is_ok_and(|adjustment: i32| adjustment < 0)
    }

    /// Waits for the end of the process that has started this one.
    async fn end_of(parent: Pid) {
        let (told, ended) = oneshot::channel();
        if let Ok(handle) = pidfd_open(parent, PidfdFlags::empty()) {
            thread::spawn(move || {
                let mut events = [PollFd::new(&handle, PollFlags::IN)];
                while poll(&mut events, None).is_err() {}
                // The engine may have ended meanwhile.
                let _ = told.send(());
            });
            // One that had ended before has left this process to another parent.
            if getppid() == Some(parent) {
                let _ = ended.await;
            }
            return;
        }
        while getppid() == Some(parent) {
            sleep(LOOK).await;
        }
    }

    /// Takes note of all children that have ended. Returns the status of this one.
    fn collect(engine: Pid) -> Option<WaitStatus> {
        let mut found = None;
        while let Ok(Some((child, status))) = wait(WaitOptions::NOHANG) {
            if child == engine {
                found = Some(status);
            }
        }
        found
    }

    /// Kills all children until there are none: the children of a killed one are this process's next.
    async fn end_all() {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => continue,
                Ok(None) => {}
                Err(_) => return,
            }
            for child in children() {
                // It may have ended meanwhile, and is not forgotten before it was waited for.
                let _ = kill_process(child, Signal::KILL);
            }
            sleep(PAUSE).await;
        }
    }

    /// Returns the children of this process.
    fn children() -> Vec<Pid> {
        let own = getpid().as_raw_nonzero().to_string();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = processes.filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // After the name in brackets: state, parent.
            let (_, fields) = stat.rsplit_once(')')?;
            let parent = fields.split_whitespace().nth(1)?;
            (parent == own).then(|| Pid::from_raw(number)).flatten()
        });
        processes.collect()
    }

    /// Ends this process as the engine has ended.
    fn end_like(status: WaitStatus) -> ExitCode {
        let Some(number) = status.terminating_signal() else {
            let code = status
                .exit_status()
                .and_then(|code| u8::try_from(code).ok());
            return code.map_or(ExitCode::FAILURE, ExitCode::from);
        };
        // The engine's memory is worth a file, not this one's.
        let limit = Rlimit {
            current: Some(0),
            ..getrlimit(Resource::Core)
        };
        if let (Ok(()), Some(signal)) = (
            setrlimit(Resource::Core, limit),
            Signal::from_named_raw(number),
        ) {
            let _ = kill_process(getpid(), signal);
        }
        // As shells tell it.
        u8::try_from(128 + number).map_or(ExitCode::FAILURE, ExitCode::from)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn an_adjustment_below_zero_spares_a_process() {
            let spared = ["-500\n", "-1", "0\n", "200\n", "", "?"].map(is_spared);
            assert_eq!(spared, [true, true, false, false, false, false]);
        }
    }
}
