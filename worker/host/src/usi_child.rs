//! The one client of USI engines: a child process with its handshake, its searches, and its end.

use crate::{
    declared::DeclaredOptions, guarded_process::GuardedProcess, info::EngineAnswer,
    options::OptionValue, reports::EngineReports, spec::UsiSpec,
};
use monju_proto::text::{self, plain};
use std::{
    future::poll_fn,
    io,
    path::PathBuf,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader},
    process::{ChildStdin, ChildStdout},
    task::{JoinHandle, yield_now},
    time::timeout,
};

/// Longest time from the start of an engine to `usiok`.
const USI_PATIENCE: Duration = Duration::from_secs(30);

/// Longest time from the first `isready` to `readyok`, in which an engine loads its evaluation, or builds it for a GPU.
const LOADING_PATIENCE: Duration = Duration::from_secs(600);

/// Longest time from a later `isready` to `readyok`, at which an engine may clear large tables.
const READY_PATIENCE: Duration = Duration::from_secs(120);

/// The same where a game waits.
const READY_AGAIN_PATIENCE: Duration = Duration::from_secs(20);

/// Longest time that an engine may leave its input unread.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);

/// Longest time from `quit`, or from the end of its output, to the end of an engine.
const QUIT_PATIENCE: Duration = Duration::from_secs(1);

/// Longest wait for the last lines of an engine that has ended.
const ERRORS_PATIENCE: Duration = Duration::from_millis(200);

/// Greatest number of lines that are read before a search, from an engine that never ceases to talk.
const MOST_WAITING_LINES: usize = 1_000;

/// Longest line that is kept; the rest of a longer one is dropped.
const MAX_LINE_BYTES: usize = 64 << 10;

/// Reason why an engine cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The program could not be started.
    #[error("cannot start {}: {source}", .program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The process ended by itself.
    #[error("the engine ended ({0})")]
    Ended(String),
    /// The handshake was not answered.
    #[error("the engine did not say {expected} within {} s", .patience.as_secs())]
    Silent {
        /// The missing word.
        expected: &'static str,
        /// The time that it was waited for.
        patience: Duration,
    },
    /// The process does not read its input.
    #[error("the engine did not read its input for {} s", WRITE_PATIENCE.as_secs())]
    Deaf,
    /// `stop` was not obeyed.
    #[error("the engine named no move within {} s of stop, and was killed", .0.as_secs())]
    IgnoredStop(Duration),
    /// A `bestmove` without a move.
    #[error("the engine said bestmove without a move")]
    NoMove,
    /// A `go` while another one was unanswered.
    #[error("the engine still owed a bestmove, and was killed")]
    Owing,
}

impl ChildError {
    /// Names the folder of an engine that has ended while it loaded its files: GUIs run engines in their own folders.
    fn in_folder_of(self, spec: &UsiSpec) -> Self {
        match (self, &spec.directory) {
            (Self::Ended(how), None) if spec.program.components().count() > 1 => Self::Ended(
                format!("{how}; it ran in the folder of this program, not in its own"),
            ),
            (error, _) => error,
        }
    }
}

/// A line of an engine after its handshake.
#[derive(Debug, PartialEq, Eq)]
pub enum UsiMessage {
    /// The text behind `info`.
    Info(String),
    /// The answer to the one `go` that was unanswered.
    BestMove(EngineAnswer),
    /// `readyok`
    ReadyOk,
    /// Any other line, without a meaning here.
    Other,
}

/// A USI engine that has finished its handshake. Dropping it kills the process.
#[derive(Debug)]
pub struct UsiChild {
    process: GuardedProcess,
    input: ChildStdin,
    output: Lines<ChildStdout>,
    /// Unanswered `go` commands. USI has no request ids, so there must be none before the next `go`.
    owed: u32,
    player: String,
    engine: Option<String>,
    declared: DeclaredOptions,
    /// Task that reads its standard error.
    errors: Option<JoinHandle<()>>,
    /// The last line there.
    complaint: Arc<Mutex<String>>,
    /// The last `info string`.
    remark: String,
    /// Errors and warnings that it has told by `info string`.
    reports: EngineReports,
    /// A stream of it was closed: what is written to it now may be lost without an error.
    has_ended: bool,
}

impl UsiChild {
    /// Starts an engine, sets its options, and waits until it is ready. `player` names it in the log, to which
    /// its standard error goes line by line.
    ///
    /// # Errors
    /// It cannot be started, or does not speak USI.
    pub async fn start(player: String, spec: UsiSpec) -> Result<Self, ChildError> {
        let mut process = GuardedProcess::spawn(&spec).map_err(|source| ChildError::Spawn {
            program: spec.program.clone(),
            source,
        })?;
        let missing = || ChildError::Ended("it has no standard streams".to_owned());
        let (input, output, errors) = process.take_streams().ok_or_else(missing)?;
        let (output, errors) = (Lines::new(output), Lines::new(errors));
        let complaint = Arc::<Mutex<String>>::default();
        let errors = log_errors(player.clone(), errors, Arc::clone(&complaint));
        let errors = Some(tokio::spawn(errors));
        let mut child = Self {
            errors,
            complaint,
            remark: String::new(),
            reports: EngineReports::default(),
            has_ended: false,
            process,
            input,
            output,
            owed: 0,
            player,
            engine: None,
            declared: DeclaredOptions::default(),
        };
        let loaded = child.load(&spec).await;
        loaded.map_err(|error| error.in_folder_of(&spec))?;
        Ok(child)
    }

    /// Returns the engine's name for itself.
    pub fn engine(&self) -> Option<&str> {
        self.engine.as_deref()
    }

    /// Returns the options that the engine has declared.
    pub fn declared(&self) -> &DeclaredOptions {
        &self.declared
    }

    /// Returns the errors and warnings that the engine has told by `info string` since its start, or since the last
    /// [`UsiChild::take_reports`]. An engine that cannot do what it was told says so there, and plays all the same.
    pub fn reports(&self) -> &EngineReports {
        &self.reports
    }

    /// Returns the reports, and forgets them: the same words are heard anew.
    pub fn take_reports(&mut self) -> EngineReports {
        std::mem::take(&mut self.reports)
    }

    /// Sends `isready` and waits for `readyok`. No search may be running.
    ///
    /// # Errors
    /// The engine has ended, or does not answer.
    pub async fn ready(&mut self) -> Result<(), ChildError> {
        self.ready_within(READY_PATIENCE).await
    }

    /// As [`UsiChild::ready`], for an engine that has been ready before and begins another game.
    ///
    /// # Errors
    /// As those of [`UsiChild::ready`].
    pub async fn ready_again(&mut self) -> Result<(), ChildError> {
        self.ready_within(READY_AGAIN_PATIENCE).await
    }

    async fn ready_within(&mut self, patience: Duration) -> Result<(), ChildError> {
        self.send("isready").await?;
        let answered = async {
            while self.next().await? != UsiMessage::ReadyOk {}
            Ok(())
        };
        timeout(patience, answered)
            .await
            .unwrap_or(Err(ChildError::Silent {
                expected: "readyok",
                patience,
            }))
    }

    /// Sends `usinewgame`.
    ///
    /// # Errors
    /// The engine has ended, or does not read.
    pub async fn new_game(&mut self) -> Result<(), ChildError> {
        self.send("usinewgame").await
    }

    /// Sets an option.
    ///
    /// # Errors
    /// The engine has ended, or does not read.
    pub async fn set_option(&mut self, name: &str, value: &OptionValue) -> Result<(), ChildError> {
        self.send(&self.declared.set_option(name, value)).await
    }

    /// Sends `gameover` with `win`, `lose` or `draw`.
    ///
    /// # Errors
    /// The engine has ended, or does not read.
    pub async fn game_over(&mut self, result: &str) -> Result<(), ChildError> {
        self.send(&format!("gameover {result}")).await
    }

    /// Starts a search by a `position` and a `go` command, both as whole lines.
    ///
    /// # Errors
    /// The engine has ended, does not read, or has not answered the last `go`.
    pub async fn go(&mut self, position: &str, go: &str) -> Result<(), ChildError> {
        if self.owed > 0 {
            return Err(ChildError::Owing);
        }
        self.hear_waiting_lines().await?;
        self.send(position).await?;
        self.send(go).await?;
        self.owed += 1;
        Ok(())
    }

    /// Reads what the engine has said without being asked, so that no `bestmove` of it is taken for the next answer.
    async fn hear_waiting_lines(&mut self) -> Result<(), ChildError> {
        for _ in 0..MOST_WAITING_LINES {
            // The system tells of what has come while others run.
            yield_now().await;
            let mut next = pin!(self.next());
            match poll_fn(|context| Poll::Ready(next.as_mut().poll(context))).await {
                Poll::Ready(line) => drop(line?),
                Poll::Pending => break,
            }
        }
        Ok(())
    }

    /// Sends `stop`.
    ///
    /// # Errors
    /// The engine has ended, or does not read.
    pub async fn stop(&mut self) -> Result<(), ChildError> {
        self.send("stop").await
    }

    /// Sends `ponderhit`.
    ///
    /// # Errors
    /// The engine has ended, or does not read.
    pub async fn ponder_hit(&mut self) -> Result<(), ChildError> {
        self.send("ponderhit").await
    }

    /// Sends `ponderhit` with a clock such as `btime 1000 wtime 1000`, to an engine that knows it.
    ///
    /// # Errors
    /// The engine has ended, or does not read.
    pub async fn ponder_hit_with(&mut self, clock: &str) -> Result<(), ChildError> {
        self.send(&format!("ponderhit {clock}")).await
    }

    /// Waits for the next line. Safe to drop and call again.
    ///
    /// # Errors
    /// The engine has ended, or named no move.
    pub async fn next(&mut self) -> Result<UsiMessage, ChildError> {
        let Some(line) = self.next_line().await? else {
            return Err(self.ended().await);
        };
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        match word {
            "info" => Ok(UsiMessage::Info(rest.to_owned())),
            "readyok" => Ok(UsiMessage::ReadyOk),
            "bestmove" if self.owed == 0 => {
                tracing::warn!(player = self.player, line, "a bestmove without a go");
                Ok(UsiMessage::Other)
            }
            "bestmove" => {
                self.owed -= 1;
                let best = EngineAnswer::parse(rest).ok_or(ChildError::NoMove)?;
                Ok(UsiMessage::BestMove(best))
            }
            _ => Ok(UsiMessage::Other),
        }
    }

    /// Sends `quit`, and kills an engine that does not end soon after.
    pub async fn quit(mut self) {
        if self.send("quit").await.is_ok()
            && timeout(QUIT_PATIENCE, self.process.wait()).await.is_ok()
        {
            return;
        }
        self.kill().await;
    }

    /// Kills the engine, which can only be dropped then. One that hangs in the system itself is not waited for.
    pub async fn kill(&mut self) {
        match timeout(QUIT_PATIENCE, self.process.kill()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(player = self.player, %error, "cannot kill the engine");
            }
            Err(_) => tracing::warn!(
                player = self.player,
                "the engine was killed and does not end"
            ),
        }
    }

    async fn load(&mut self, spec: &UsiSpec) -> Result<(), ChildError> {
        self.introduce(spec).await?;
        self.ready_within(LOADING_PATIENCE).await
    }

    /// `usi` to `usiok`, then the options.
    async fn introduce(&mut self, spec: &UsiSpec) -> Result<(), ChildError> {
        self.send("usi").await?;
        let introduction = async {
            loop {
                let Some(line) = self.next_line().await? else {
                    return Err(self.ended().await);
                };
                if line == "usiok" {
                    return Ok(());
                } else if let Some(name) = line.strip_prefix("id name ") {
                    self.engine = Some(excerpt(name.trim()));
                } else if let Some(option) = line.strip_prefix("option name ") {
                    self.declared.hear(option);
                }
            }
        };
        timeout(USI_PATIENCE, introduction)
            .await
            .unwrap_or(Err(ChildError::Silent {
                expected: "usiok",
                patience: USI_PATIENCE,
            }))?;
        for doubt in self.declared.doubts(&spec.options) {
            tracing::warn!(
                player = self.player,
                doubt,
                "the option is set all the same"
            );
        }
        for (name, value) in &spec.options.0 {
            self.send(&self.declared.set_option(name, value)).await?;
        }
        Ok(())
    }

    async fn send(&mut self, line: &str) -> Result<(), ChildError> {
        if self.has_ended {
            return Err(self.ended().await);
        }
        tracing::trace!(player = self.player, line, "to the engine");
        let text = format!("{line}\n");
        match timeout(WRITE_PATIENCE, self.input.write_all(text.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.ended().await),
            Err(_) => Err(ChildError::Deaf),
        }
    }

    async fn next_line(&mut self) -> Result<Option<String>, ChildError> {
        match self.output.next().await {
            Ok(line) => {
                tracing::trace!(player = self.player, line, "from the engine");
                if let Some(remark) =
                    (line.as_deref()).and_then(|line| line.strip_prefix("info string "))
                {
                    self.remark = excerpt(remark);
                    if let Some(report) = self.reports.hear(remark) {
                        let words = &report.words;
                        tracing::warn!(player = self.player, words, "the engine reports trouble");
                    }
                }
                Ok(line)
            }
            Err(error) => Err(ChildError::Ended(error.to_string())),
        }
    }

    /// Describes the end of the process, one of whose streams is closed.
    async fn ended(&mut self) -> ChildError {
        self.has_ended = true;
        let how = match timeout(QUIT_PATIENCE, self.process.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it closed its streams and ran on, and was killed".to_owned(),
        };
        // Its last lines may not have been read yet.
        let rest = async { while let Ok(Some(_)) = self.next_line().await {} };
        let _ = timeout(ERRORS_PATIENCE, rest).await;
        if let Some(errors) = self.errors.take() {
            let _ = timeout(ERRORS_PATIENCE, errors).await;
        }
        let complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let words = match complaint.as_str() {
            "" => self.remark.as_str(),
            complaint => complaint,
        };
        ChildError::Ended(match words {
            "" => how,
            words => format!("{how}; it said: {words}"),
        })
    }
}

/// Returns the part of a line that fits into another one.
fn excerpt(line: &str) -> String {
    const LONGEST: usize = 160;
    text::excerpt(line, LONGEST)
}

async fn log_errors<R: AsyncRead + Unpin>(
    player: String,
    mut errors: Lines<R>,
    last: Arc<Mutex<String>>,
) {
    while let Ok(Some(line)) = errors.next().await {
        if !line.is_empty() {
            tracing::info!(player, line, "the engine wrote to standard error");
            *last.lock().unwrap_or_else(PoisonError::into_inner) = excerpt(&line);
        }
    }
}

/// Reader of lines of any length, encoding and ending. `AsyncBufReadExt::lines` stops at invalid UTF-8,
/// which engines that write Shift_JIS produce, and keeps a line of any length.
#[derive(Debug)]
struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(reader: R) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
        }
    }

    /// Reads the next line without surrounding white space; `None` at the end. Safe to drop and call again.
    async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok((!self.line.is_empty()).then(|| self.take()));
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            let room = MAX_LINE_BYTES - self.line.len();
            self.line.extend_from_slice(&chunk[..taken.min(room)]);
            self.reader.consume(taken);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> String {
        let line = std::mem::take(&mut self.line);
        // What an engine says reaches terminals and GUIs.
        plain(String::from_utf8_lossy(&line).trim()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_of_any_kind_are_read() {
        let mut bytes = b"usiok\r\n\xff\xfeid\x1b[2J\n\n".to_vec();
        bytes.extend(vec![b'x'; MAX_LINE_BYTES + 5]);
        bytes.extend(b"\n  last");
        let mut lines = Lines::new(bytes.as_slice());
        let mut next = async || lines.next().await.expect("no error");
        assert_eq!(next().await.as_deref(), Some("usiok"));
        assert_eq!(next().await.as_deref(), Some("\u{fffd}\u{fffd}id [2J"));
        assert_eq!(next().await.as_deref(), Some(""));
        assert_eq!(next().await.map(|line| line.len()), Some(MAX_LINE_BYTES));
        assert_eq!(next().await.as_deref(), Some("last"));
        assert_eq!(next().await, None);
    }

    /// A script as an engine.
    #[cfg(target_os = "linux")]
    fn script(text: &str) -> UsiSpec {
        UsiSpec {
            arguments: vec!["-c".into(), text.into()],
            ..UsiSpec::of_program("/bin/sh")
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_an_engine_reports_before_it_is_ready_is_kept() {
        let text = "while read -r line; do case \"$line\" in \
            usi) echo info string reading nn.bin; echo info string warning: no large pages; echo usiok ;; \
            setoption*) echo info string error: no such file ;; \
            isready) echo info string Error! : no network; echo readyok ;; quit) exit ;; esac; done";
        let mut spec = script(text);
        let value = OptionValue::Text("/nope".to_owned());
        spec.options.0.push(("EvalFile".to_owned(), value));
        let started = UsiChild::start("n".to_owned(), spec).await;
        let mut child = started.expect("it is ready");
        let reports = child.take_reports();
        assert_eq!(
            reports.errors(),
            ["error: no such file", "Error! : no network"]
        );
        assert_eq!(reports.warnings(), ["warning: no large pages"]);
        child.ready().await.expect("ready again");
        assert_eq!(child.reports().errors(), ["Error! : no network"]);
        child.quit().await;
    }

    /// In a match, a move that an engine named without being asked was played as its next one.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_bestmove_without_a_go_is_no_answer() {
        let text = "while read -r line; do case \"$line\" in usi) echo usiok ;; isready) echo readyok ;; \
            go*) echo bestmove 7g7f; echo bestmove 2g2f; touch \"$0\" ;; quit) exit ;; esac; done";
        let folder = tempfile::tempdir().expect("a folder");
        let (mut spec, said) = (script(text), folder.path().join("said"));
        spec.arguments.push(said.display().to_string());
        let started = UsiChild::start("n".to_owned(), spec).await;
        let mut child = started.expect("it is ready");
        for _ in 0..2 {
            child.go("position startpos", "go").await.expect("it reads");
            loop {
                if let UsiMessage::BestMove(best) = child.next().await.expect("it runs") {
                    assert_eq!(best.mv, "7g7f");
                    break;
                }
            }
            // The second line has come when the file is there.
            let mut waited = tokio::time::interval(Duration::from_millis(5));
            while !said.exists() {
                waited.tick().await;
            }
            std::fs::remove_file(&said).expect("removed");
        }
        child.quit().await;
    }

    /// A name of 5,000 characters took all players of its worker from the team.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_long_name_is_cut() {
        let text = "while read -r line; do case \"$line\" in usi) printf 'id name %05000d\\nusiok\\n' 0 ;; \
            isready) echo readyok ;; quit) exit ;; esac; done";
        let started = UsiChild::start("n".to_owned(), script(text)).await;
        let child = started.expect("it is ready");
        assert_eq!(child.engine(), Some(&*"0".repeat(160)));
        child.quit().await;
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn an_engine_that_ends_is_quoted() {
        for (text, expected) in [
            ("exit 3", "the engine ended (exit status: 3)"),
            (
                "echo info string no file nn.bin; exit 3",
                "the engine ended (exit status: 3; it said: no file nn.bin)",
            ),
            (
                "echo info string hello; echo no memory >&2; exit 3",
                "the engine ended (exit status: 3; it said: no memory)",
            ),
        ] {
            let started = UsiChild::start("n".to_owned(), script(text)).await;
            let error = started.expect_err("it ends").to_string();
            let folder = "; it ran in the folder of this program, not in its own)";
            assert_eq!(error, expected.replace(')', folder));
        }
    }
}
