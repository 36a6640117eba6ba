//! `monju status`: the workers and players of a running coordinator.

use super::{
    output::{print, terminal_columns},
    text_table::{Align, align_within},
};
use crate::runtime;
use anyhow::Context;
use monju_proto::{
    client::reason,
    v1::{
        PlayerAttendance, PlayerInfo, RosterRequest, RosterResponse, WorkerStatus,
        coordinator_client::CoordinatorClient,
    },
};
use monju_team::team::{self, Choices, Team};
use serde_json::{Value, json};
use std::{
    fmt::Write,
    io::{self, IsTerminal},
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout};
use tonic::transport::Channel;

/// Time of a coordinator to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Time between two looks.
const INTERVAL: Duration = Duration::from_secs(1);

/// Clears a terminal and goes to its first line.
const CLEAR: &str = "\u{1b}[2J\u{1b}[H";

/// A look at a coordinator.
#[derive(Clone, Debug)]
pub struct Status {
    /// The coordinator.
    pub choices: Choices,
    /// Looks again every second.
    pub watch: bool,
    /// Prints JSON instead of a table.
    pub json: bool,
}

impl Status {
    /// Prints the state, once or until the process is told to end.
    ///
    /// # Errors
    /// The coordinator does not answer the first look.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on_unless_interrupted(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let mut team = team::assemble(&self.choices).await?;
        let outcome = self.look(&mut team).await;
        team.close().await;
        outcome
    }

    async fn look(&self, team: &mut Team) -> anyhow::Result<()> {
        let url = self.choices.coordinator.as_deref().unwrap_or_default();
        if self.watch {
            let client = team.client.clone();
            let ask = move || ask(client.clone());
            let is_screen = !self.json && io::stdout().is_terminal();
            return watch(ask, |seen| {
                if is_screen {
                    // Not through `print`, which lets no control character out.
                    std::print!("{CLEAR}");
                }
                print(&self.text(url, seen)?)
            })
            .await;
        }
        let roster = ask(team.client.clone()).await;
        let roster = roster.with_context(|| format!("the coordinator at {url} does not answer"))?;
        print(&self.text(url, LookOutcome::Roster(&roster))?)
    }

    fn text(&self, url: &str, seen: LookOutcome<'_>) -> anyhow::Result<String> {
        let object = || match seen {
            LookOutcome::Roster(roster) => as_json(url, roster),
            LookOutcome::NoAnswer { reason, silent_ms } => {
                let reason = reason.to_string();
                json!({ "coordinator": url, "no_answer": { "reason": reason, "silent_ms": silent_ms } })
            }
        };
        Ok(match (self.json, self.watch, seen) {
            (true, true, _) => serde_json::to_string(&object())? + "\n",
            (true, false, _) => serde_json::to_string_pretty(&object())? + "\n",
            (false, _, LookOutcome::Roster(roster)) => table(url, roster, terminal_columns()),
            (false, _, LookOutcome::NoAnswer { reason, silent_ms }) => {
                let age = age(silent_ms);
                format!("{url}: no answer, the last one came {age} ago: {reason}\n")
            }
        })
    }
}

/// The outcome of a look at a coordinator.
#[derive(Clone, Copy, Debug)]
enum LookOutcome<'a> {
    /// It has answered.
    Roster(&'a RosterResponse),
    /// It has not.
    NoAnswer {
        /// The reason.
        reason: &'a NoAnswer,
        /// Time since the last answer, or since the first look.
        silent_ms: u64,
    },
}

/// Reason for which a coordinator has not answered, as one line.
#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    /// The call has failed.
    #[error("{}", reason(.0))]
    Failed(Box<tonic::Status>),
    /// It says nothing.
    #[error("nothing within {} s", PATIENCE.as_secs())]
    Silent,
}

/// Asks a coordinator for its roster.
async fn ask(mut client: CoordinatorClient<Channel>) -> Result<RosterResponse, NoAnswer> {
    match timeout(PATIENCE, client.roster(RosterRequest {})).await {
        Ok(Ok(answer)) => Ok(answer.into_inner()),
        Ok(Err(status)) => Err(NoAnswer::Failed(Box::new(status))),
        Err(_) => Err(NoAnswer::Silent),
    }
}

/// Looks again and again, also while nothing answers: a coordinator may be started anew.
///
/// # Errors
/// The first that `show` returns.
async fn watch<F: Future<Output = Result<RosterResponse, NoAnswer>>>(
    ask: impl Fn() -> F,
    mut show: impl FnMut(LookOutcome<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut answered = Instant::now();
    loop {
        match ask().await {
            Ok(roster) => {
                answered = Instant::now();
                show(LookOutcome::Roster(&roster))?;
            }
            Err(reason) => {
                let silent = answered.elapsed().as_millis();
                show(LookOutcome::NoAnswer {
                    reason: &reason,
                    silent_ms: u64::try_from(silent).unwrap_or(u64::MAX),
                })?;
            }
        }
        sleep(INTERVAL).await;
    }
}

/// Returns what is known of a player and, by their names on ballots, of its virtual players. Where workers share a
/// name, their players are numbered in the same way: `name@worker#2`.
fn attendance_of<'a>(
    roster: &'a RosterResponse,
    info: &'a PlayerInfo,
) -> impl Iterator<Item = &'a PlayerAttendance> {
    let is_lane = |rest: &str| {
        let number = rest.strip_prefix('#').and_then(|rest| rest.parse().ok());
        number.is_some_and(|number| (2..=info.lanes).contains(&number))
    };
    (roster.attendance.iter()).filter(move |one| {
        let rest = one.player.strip_prefix(&info.name);
        rest.is_some_and(|rest| rest.is_empty() || is_lane(rest))
    })
}

/// Returns the roster as a table, for a terminal of so many columns if it is for one.
fn table(url: &str, roster: &RosterResponse, columns: Option<usize>) -> String {
    const HEADINGS: [&str; 7] = [
        "worker",
        "player",
        "round trip",
        "in time",
        "nodes/s",
        "build",
        "last failure",
    ];
    const SIDES: [Align; 7] = {
        use Align::{Left, Right};
        [Left, Left, Right, Right, Right, Left, Left]
    };
    // Another build is told below the table, too.
    const DISPENSABLE: [&str; 3] = ["build", "nodes/s", "round trip"];
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    for worker in &roster.workers {
        rows.push(worker_row(worker).to_vec());
        for player in &worker.players {
            let known: Vec<_> = attendance_of(roster, player).collect();
            rows.extend(known.iter().map(|one| player_row(one).to_vec()));
            if known.is_empty() {
                rows.push(vec![String::new(), player.name.clone()]);
            }
        }
    }
    let holder = match roster.held_by.as_str() {
        "" => "nobody through this coordinator",
        holder => holder,
    };
    let mut text = format!(
        "{url}, up {}, rule {}, held by {holder}\n\n",
        age(roster.up_ms),
        roster.rule
    );
    align_within(&mut text, &SIDES, &rows, &DISPENSABLE, columns);
    let count = |wanted: fn(&WorkerStatus) -> bool| {
        (roster.workers.iter())
            .filter(|worker| wanted(worker))
            .count()
    };
    let draining = count(|worker| worker.draining);
    let lost = count(|worker| !worker.connected && !worker.draining);
    let players: usize = (roster.workers.iter())
        .filter(|worker| worker.connected)
        .map(|worker| worker.players.len())
        .sum();
    let connected = count(|worker| worker.connected);
    let counted = |number: usize, noun: &str| match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    };
    let _ = write!(
        text,
        "\n{} connected with {}, {lost} lost",
        counted(connected, "worker"),
        counted(players, "player")
    );
    if draining > 0 {
        let _ = write!(text, ", {draining} draining");
    }
    text.push('\n');
    let loading = roster.workers.iter().flat_map(|worker| &worker.loading);
    let loading: Vec<&str> = loading.map(String::as_str).collect();
    if !loading.is_empty() {
        let _ = writeln!(text, "still loading: {}", loading.join(", "));
    }
    let other = roster
        .workers
        .iter()
        .filter(|worker| is_other_build(worker, roster));
    let other: Vec<&str> = other.map(|worker| worker.name.as_str()).collect();
    if !other.is_empty() {
        let build = &roster.build;
        let _ = writeln!(
            text,
            "another build than the coordinator's ({build}): {}",
            other.join(", ")
        );
    }
    text
}

fn is_other_build(worker: &WorkerStatus, roster: &RosterResponse) -> bool {
    !worker.build.is_empty() && worker.build != roster.build
}

fn worker_row(worker: &WorkerStatus) -> [String; 7] {
    let milliseconds = |microseconds: u64| format!("{:.1}", microseconds as f64 / 1_000.0);
    let round_trip = match (worker.connected, worker.round_trip_us) {
        (false, _) if worker.draining => "draining".to_owned(),
        (false, _) => "lost".to_owned(),
        (true, 0) => "-".to_owned(),
        (true, mean) => format!(
            "{} ± {} ms",
            milliseconds(mean),
            milliseconds(worker.jitter_us)
        ),
    };
    let failure = match (worker.connected, worker.last_failure.is_empty()) {
        (false, _) if worker.draining => String::new(),
        (false, _) => worker.failure.clone(),
        (true, true) => String::new(),
        (true, false) => ago(&worker.last_failure, worker.last_failure_ago_ms),
    };
    [
        worker.name.clone(),
        worker.address.clone(),
        round_trip,
        String::new(),
        String::new(),
        worker.build.clone(),
        failure,
    ]
}

fn player_row(player: &PlayerAttendance) -> [String; 7] {
    [
        String::new(),
        player.player.clone(),
        String::new(),
        format!("{}/{}", player.in_time, player.asked),
        match player.nodes_per_second {
            0 => "-".to_owned(),
            speed => format!("{}k", speed / 1_000),
        },
        String::new(),
        match player.last_failure.is_empty() {
            true => String::new(),
            false => ago(&player.last_failure, player.last_failure_ago_ms),
        },
    ]
}

fn ago(what: &str, ms: u64) -> String {
    format!("{} ago: {what}", age(ms))
}

/// Formats a time for people, in its two largest units.
fn age(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

fn as_json(url: &str, roster: &RosterResponse) -> Value {
    let failure = |text: &str, ago: u64| match text {
        "" => Value::Null,
        text => json!({ "reason": text, "ago_ms": ago }),
    };
    let player = |one: &PlayerAttendance| {
        json!({
            "name": one.player,
            "asked": one.asked,
            "in_time": one.in_time,
            "nodes_per_second": one.nodes_per_second,
            "last_failure": failure(&one.last_failure, one.last_failure_ago_ms),
        })
    };
    let worker = |worker: &WorkerStatus| {
        let players = worker.players.iter().map(|info| {
            let known: Vec<Value> = attendance_of(roster, info).map(player).collect();
            json!({ "name": info.name, "votes": known })
        });
        json!({
            "name": worker.name,
            "address": worker.address,
            "connected": worker.connected,
            "draining": worker.draining,
            "enrolled": worker.enrolled,
            "loading": worker.loading,
            "build": worker.build,
            "round_trip_us": worker.round_trip_us,
            "jitter_us": worker.jitter_us,
            "last_failure": failure(&worker.last_failure, worker.last_failure_ago_ms),
            "players": players.collect::<Vec<_>>(),
        })
    };
    json!({
        "coordinator": url,
        "build": roster.build,
        "up_ms": roster.up_ms,
        "rule": roster.rule,
        "held_by": match roster.held_by.as_str() { "" => Value::Null, holder => holder.into() },
        "workers": roster.workers.iter().map(worker).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn roster() -> RosterResponse {
        let player = |name: &str, lanes| PlayerInfo {
            name: name.to_owned(),
            lanes,
            ..PlayerInfo::default()
        };
        let desk = WorkerStatus {
            name: "desk".to_owned(),
            address: "https://10.0.0.1:7411".to_owned(),
            connected: true,
            players: vec![player("a", 2), player("b", 1)],
            build: "0.1.0 (new)".to_owned(),
            round_trip_us: 1_240,
            jitter_us: 310,
            last_failure: "refused".to_owned(),
            last_failure_ago_ms: 125_000,
            loading: vec!["b".to_owned()],
            ..WorkerStatus::default()
        };
        let attic = WorkerStatus {
            name: "attic".to_owned(),
            address: "https://10.0.0.2:7411".to_owned(),
            failure: "timed out".to_owned(),
            last_failure: "timed out".to_owned(),
            build: "0.1.0 (old)".to_owned(),
            ..WorkerStatus::default()
        };
        let votes = |name: &str, in_time: u32| PlayerAttendance {
            player: name.to_owned(),
            asked: 50,
            in_time,
            nodes_per_second: 412_345,
            ..PlayerAttendance::default()
        };
        RosterResponse {
            rule: "majority".to_owned(),
            workers: vec![desk, attic],
            up_ms: 3_725_000,
            build: "0.1.0 (new)".to_owned(),
            // The last is the player of another worker that has the name of the first.
            attendance: vec![votes("a", 49), votes("a#2", 50), votes("b#2", 50)],
            ..RosterResponse::default()
        }
    }

    #[test]
    fn the_table() {
        let expected = "\
http://c:1, up 1 h 2 min, rule majority, held by nobody through this coordinator

worker  player                   round trip  in time  nodes/s  build        last failure
desk    https://10.0.0.1:7411  1.2 ± 0.3 ms                    0.1.0 (new)  2 min 5 s ago: refused
        a                                      49/50     412k
        a#2                                    50/50     412k
        b
attic   https://10.0.0.2:7411          lost                    0.1.0 (old)  timed out

1 worker connected with 2 players, 1 lost
still loading: b
another build than the coordinator's (0.1.0 (new)): attic
";
        assert_eq!(table("http://c:1", &roster(), None), expected);
        // A terminal of 80 columns has no room for two of them.
        let narrow = table("http://c:1", &roster(), Some(80));
        let headings = narrow.lines().nth(2).expect("headings");
        let headings: Vec<&str> = headings.split_whitespace().collect();
        assert_eq!(
            headings.join(" "),
            "worker player round trip in time last failure"
        );
        assert!(narrow.ends_with("(0.1.0 (new)): attic\n"), "{narrow}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_goes_on_while_a_coordinator_is_started_anew() {
        let status = |json| Status {
            choices: Choices::default(),
            watch: true,
            json,
        };
        let refused = || Box::new(tonic::Status::unavailable("connection refused"));
        let asked = Cell::new(0);
        let ask = || {
            asked.set(asked.get() + 1);
            let answer = match asked.get() {
                2 | 3 => Err(NoAnswer::Failed(refused())),
                _ => Ok(roster()),
            };
            std::future::ready(answer)
        };
        let mut shown = Vec::new();
        let ended = watch(ask, |seen| {
            shown.push([false, true].map(|json| status(json).text("u", seen).expect("text")));
            match shown.len() {
                4 => Err(anyhow::anyhow!("closed")),
                _ => Ok(()),
            }
        });
        assert_eq!(ended.await.expect_err("an end").to_string(), "closed");
        assert_eq!(
            shown[2],
            [
                "u: no answer, the last one came 2 s ago: connection refused\n",
                "{\"coordinator\":\"u\",\"no_answer\":{\"reason\":\"connection refused\",\"silent_ms\":2000}}\n",
            ]
        );
        assert!(shown[3][0].contains("2 players, 1 lost"), "{shown:?}");
        assert_eq!(shown[0], shown[3]);
    }

    #[test]
    fn the_json_has_every_number() {
        let object = as_json("http://c:1", &roster());
        assert_eq!(object["held_by"], Value::Null);
        let desk = &object["workers"][0];
        assert_eq!(desk["round_trip_us"], 1_240);
        assert_eq!(desk["players"][0]["votes"][1]["in_time"], 50);
        assert_eq!(desk["players"][1]["votes"], json!([]));
        assert_eq!(desk["last_failure"]["ago_ms"], 125_000);
        assert_eq!(object["workers"][1]["connected"], false);
    }
}
