//! One board of a runner, which plays one pair at a time.

use super::{
    dispatch::Dispatch,
    error::RunnerError,
    event::{RunnerEvent, StopLevel},
    games_under_way::GamesUnderWay,
    patience::patiently,
};
use crate::{
    contestant::BoardResources,
    game::{self, GamePlan},
    pairing::Pairing,
    record::{GameEnding, Incident, MatchSide},
    sampling,
    specification::Specification,
    statistics::{SprtVerdict, SprtWalk},
    store::{ATTEMPTS, GameUnderWay, Lease, PlayedPair, Store, StoreError},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{mpsc, watch},
    time,
};
use tracing::warn;

/// Pause after a failure: the first, which doubles with every further failure in a row, and the longest.
pub(super) const PAUSES: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));

/// Failures in a row, in more than one cell or in the only one, after which a board ends, and leaves the other pairs to
/// other runners. A single pair, or the engine of a single cell, may be at fault: its pairs are given up before.
const MOST_FAILURES: u32 = 2 * ATTEMPTS;

/// Pause after a game that a crash decided: an interrupt that ended the engine arrives in this time, and then
/// the pair is given back.
const SETTLE: Duration = Duration::from_secs(1);

/// The work that the boards of a runner share.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// The experiment.
    pub specification: Arc<Specification>,
    /// The store of its games.
    pub store: Arc<dyn Store>,
    /// Its pairs.
    pub dispatch: Arc<Dispatch>,
    /// The games that the runner is playing.
    pub games: GamesUnderWay,
    /// Name of the runner.
    pub runner: String,
    /// Time for which a lease lasts without a sign of life.
    pub term: Duration,
    /// The first pause after a failure, and the longest.
    pub pauses: (Duration, Duration),
    /// Incidents of every pair of each cell, which the machine makes and not the game.
    pub standing: Arc<[Vec<Incident>]>,
}

/// One board of a runner.
pub(super) struct BoardTask {
    work: Assignment,
    resources: BoardResources,
    pairing: Pairing,
    /// Progress of the stopping rule in each cell.
    walks: BTreeMap<usize, SprtWalk>,
    events: mpsc::UnboundedSender<RunnerEvent>,
}

/// End of a pair.
enum PairEnd {
    Played(Box<PlayedPair>),
    Failed(Incident),
    /// Another runner holds the pair by now, or has finished it.
    Lost,
    /// The runner is told to stop, and gives the pair back.
    Aborted,
}

/// Failures in a row on a board.
#[derive(Debug, Default)]
struct FailuresInARow {
    /// Number of the failures of players in this process, or that it started.
    count: u32,
    /// Indexes of their cells.
    cells: BTreeSet<usize>,
    /// Pause after the last failure, of any players.
    pause: Option<Duration>,
    /// Cells that failed while others were played: no pause mends them.
    broken: BTreeSet<usize>,
}

impl FailuresInARow {
    /// Adds a failure in a cell, and returns the pause after it. A coordinator elsewhere is out of reach for other
    /// runners, too, and may come back: its failures do not count.
    fn add(
        &mut self,
        cell: usize,
        is_remote: bool,
        (first, longest): (Duration, Duration),
    ) -> Duration {
        if !is_remote {
            self.count += 1;
            self.cells.insert(cell);
        }
        if self.broken.contains(&cell) {
            return first;
        }
        let pause = self.pause.map_or(first, |pause| (pause * 2).min(longest));
        *self.pause.insert(pause)
    }

    /// Ends the row with a pair that was played in a cell.
    fn end(&mut self, cell: usize) {
        let mut broken = mem::take(&mut self.broken);
        broken.append(&mut self.cells);
        broken.remove(&cell);
        *self = Self {
            broken,
            ..Self::default()
        };
    }

    /// Returns whether this machine is at fault, in an experiment of `cells` cells.
    fn is_too_long(&self, cells: usize) -> bool {
        self.count >= MOST_FAILURES && (self.cells.len() > 1 || cells == 1)
    }
}

impl BoardTask {
    /// A board without contestants.
    pub fn new(
        work: Assignment,
        resources: BoardResources,
        events: mpsc::UnboundedSender<RunnerEvent>,
    ) -> Self {
        Self {
            work,
            resources,
            pairing: Pairing::default(),
            walks: BTreeMap::new(),
            events,
        }
    }

    /// Plays until no pair is left, or until it is told to stop.
    ///
    /// # Errors
    /// The store refuses, or was away for too long, or pair after pair has failed here.
    pub async fn run(mut self, mut stop: watch::Receiver<StopLevel>) -> Result<(), RunnerError> {
        let outcome = self.play_all(&mut stop).await;
        self.pairing.clear().await;
        outcome
    }

    async fn play_all(&mut self, stop: &mut watch::Receiver<StopLevel>) -> Result<(), RunnerError> {
        let mut row = FailuresInARow::default();
        while *stop.borrow() == StopLevel::No {
            let Some(lease) = self.work.dispatch.next(stop, &self.events).await? else {
                return Ok(());
            };
            let outcome = self.play(&lease, stop).await;
            let failed = match &outcome {
                PairEnd::Failed(incident) => Some((incident.side, in_words(incident))),
                PairEnd::Played(_) => {
                    row.end(lease.cell);
                    None
                }
                PairEnd::Lost | PairEnd::Aborted => None,
            };
            let ending = *stop.borrow() != StopLevel::No;
            self.conclude(&lease, outcome, ending).await?;
            self.work.dispatch.note_end();
            let (Some((side, failure)), false) = (failed, ending) else {
                continue;
            };
            let cells = &self.work.specification.cells;
            let cell = &cells[lease.cell];
            let is_remote = cell.side(side).has_remote_members();
            let pause = row.add(lease.cell, is_remote, self.work.pauses);
            if row.is_too_long(cells.len()) {
                return Err(RunnerError::Failing {
                    failures: row.count,
                    last: format!("{failure} ({})", cell.label),
                });
            }
            tokio::select! {
                () = time::sleep(pause) => {}
                _ = stop.wait_for(|stop| *stop != StopLevel::No) => {}
            }
        }
        Ok(())
    }

    /// Plays a pair while it extends the lease.
    async fn play(&mut self, lease: &Lease, stop: &mut watch::Receiver<StopLevel>) -> PairEnd {
        let work = self.work.clone();
        let (game, told) = watch::channel(GameUnderWay::default());
        let _shown = work.games.show(&work.runner, lease, told.clone());
        let kept = async {
            let mut pause = work.term / 3;
            loop {
                time::sleep(pause).await;
                let game = told.borrow().clone();
                pause = match work.store.extend(lease, work.term, &game).await {
                    Ok(true) => work.term / 3,
                    Ok(false) => return,
                    // A store that is away cannot give the pair to another runner, but one that is full can.
                    Err(error) => {
                        warn!(%error, "a lease could not be extended");
                        work.term / 20
                    }
                };
            }
        };
        let mut told_to_stop = stop.clone();
        tokio::select! {
            outcome = self.play_pair(lease, &game, &mut told_to_stop) => outcome,
            () = kept => PairEnd::Lost,
            _ = stop.wait_for(|stop| *stop == StopLevel::Abort) => PairEnd::Aborted,
        }
    }

    async fn play_pair(
        &mut self,
        lease: &Lease,
        watch: &watch::Sender<GameUnderWay>,
        stop: &mut watch::Receiver<StopLevel>,
    ) -> PairEnd {
        let specification = Arc::clone(&self.work.specification);
        let cell = &specification.cells[lease.cell];
        let openings = specification.openings.lines();
        let number = specification.opening(cell, lease.pair);
        let pair_seed = sampling::pair_seed(specification.seed, &cell.label, lease.pair);
        let mut games = Vec::with_capacity(2);
        let mut incidents = self.work.standing[lease.cell].clone();
        for game in 0..2 {
            let arranged = self
                .pairing
                .arrange([&cell.first, &cell.second], &self.resources)
                .await;
            let sides = match arranged {
                Ok(sides) => sides,
                Err((side, error)) => {
                    return PairEnd::Failed(Incident {
                        game,
                        cause: error.cause(),
                        side,
                        detail: error.to_string(),
                        stall: None,
                    });
                }
            };
            let plan = GamePlan {
                id: &format!(
                    "{}/{}/{}/{game}",
                    specification.name, cell.label, lease.pair
                ),
                number: game,
                opening: &openings[number],
                seeds: [MatchSide::First, MatchSide::Second]
                    .map(|side| sampling::side_seed(pair_seed, game, side)),
                adjudication: cell.adjudication,
                ballots: specification.ballots,
                watch: Some(watch),
            };
            match game::play(&plan, sides).await {
                Ok((played, noted)) => {
                    if played.ending == GameEnding::Crash {
                        // The engine is started again for the next game.
                        self.pairing.clear().await;
                        if stops_soon(stop).await {
                            return PairEnd::Aborted;
                        }
                    }
                    games.push(played);
                    incidents.extend(noted);
                }
                Err(incident) => return PairEnd::Failed(incident),
            }
        }
        match games.try_into() {
            Ok(games) => PairEnd::Played(Box::new(PlayedPair { games, incidents })),
            Err(_) => unreachable!("two games were played"),
        }
    }

    /// Writes the end of a pair to the store. A failure does not count while the runner is `ending`, because
    /// an interrupt may have ended its engines as well.
    async fn conclude(
        &mut self,
        lease: &Lease,
        outcome: PairEnd,
        ending: bool,
    ) -> Result<(), StoreError> {
        let Assignment { store, runner, .. } = &self.work;
        let (cell, pair) = (lease.cell, lease.pair);
        match outcome {
            PairEnd::Played(played) => {
                let counted =
                    patiently(&self.events, || store.finish(lease, runner, &played)).await?;
                if counted {
                    let half_points = played.games.iter().map(|game| game.result.half_points());
                    let _ = self.events.send(RunnerEvent::Finished {
                        cell,
                        pair,
                        half_points: half_points.sum(),
                    });
                    self.close_if_decided(cell, pair).await?;
                } else {
                    let _ = self.events.send(RunnerEvent::Uncounted { cell, pair });
                }
            }
            PairEnd::Failed(incident) => {
                let counted = match ending {
                    true => {
                        patiently(&self.events, || store.give_back(lease)).await?;
                        "; it is given back"
                    }
                    false => {
                        patiently(&self.events, || store.fail(lease, runner, &incident)).await?;
                        ""
                    }
                };
                let _ = self.events.send(RunnerEvent::Failed {
                    cell,
                    pair,
                    reason: format!("{}{counted}", in_words(&incident)),
                });
                if !ending {
                    // A pair that is given up may have been the gap at which the rule stood.
                    self.close_if_decided(cell, pair).await?;
                }
                // Engines that failed are started again for the next pair.
                self.pairing.clear().await;
            }
            PairEnd::Lost => {
                let _ = self.events.send(RunnerEvent::Uncounted { cell, pair });
                self.pairing.clear().await;
            }
            PairEnd::Aborted => {
                if let Err(error) = store.give_back(lease).await {
                    warn!(%error, "a pair could not be given back; its lease will run out");
                }
            }
        }
        Ok(())
    }

    /// Closes a cell once its stopping rule has decided, after the end or a failure of a pair.
    async fn close_if_decided(&mut self, cell: usize, pair: u32) -> Result<(), StoreError> {
        let Assignment {
            store,
            specification,
            ..
        } = &self.work;
        let Some(sprt) = &specification.stop else {
            return Ok(());
        };
        let walk = self.walks.entry(cell).or_default();
        if pair < walk.next() {
            // It was passed over, because it had been given up.
            *walk = SprtWalk::default();
        }
        let from = walk.next();
        let outcomes = patiently(&self.events, || store.outcomes(cell, from)).await?;
        walk.advance(sprt, &outcomes);
        if walk.verdict() != SprtVerdict::Undecided {
            // Pairs that it passed over, because they had been given up, may have been played since.
            let outcomes = patiently(&self.events, || store.outcomes(cell, 0)).await?;
            *walk = SprtWalk::default();
            walk.advance(sprt, &outcomes);
        }
        if walk.verdict() != SprtVerdict::Undecided {
            patiently(&self.events, || store.close_cell(cell)).await?;
            let _ = self.events.send(RunnerEvent::Closed { cell });
        }
        Ok(())
    }
}

/// A failure in words.
fn in_words(incident: &Incident) -> String {
    let (cause, side) = (incident.cause.name(), incident.side.name());
    format!("{cause} of the {side} side: {}", incident.detail)
}

/// Returns whether the runner is told to stop, now or in the time in which an interrupt arrives that ended an engine.
async fn stops_soon(stop: &mut watch::Receiver<StopLevel>) -> bool {
    let told = stop.wait_for(|stop| *stop != StopLevel::No);
    matches!(time::timeout(SETTLE, told).await, Ok(Ok(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        record::{Cause, MatchOutcome},
        report::tests::game,
        runner::{
            LEASE,
            tests::{SMALL, specification_of},
        },
        store::{self, Address, IncidentRow, OpenMode},
    };
    use std::path::Path;

    /// A board of an experiment, and its store.
    async fn board(folder: &Path, text: &str) -> (BoardTask, Arc<dyn Store>) {
        let specification = specification_of(folder, text);
        let address = Address::Sqlite(folder.join("x.db"));
        let opening = OpenMode::PLAY;
        let store = store::open(&address, &specification.plan("build"), opening).await;
        let store = store.expect("a store");
        let work = Assignment {
            specification,
            store: Arc::clone(&store),
            dispatch: Arc::new(Dispatch::new(Arc::clone(&store), "r".to_owned(), LEASE)),
            games: GamesUnderWay::default(),
            runner: "r".to_owned(),
            term: LEASE,
            pauses: (Duration::ZERO, Duration::ZERO),
            standing: vec![Vec::new(); 2].into(),
        };
        let (events, _) = mpsc::unbounded_channel();
        let board = BoardTask::new(work, BoardResources::new(1), events);
        (board, store)
    }

    /// [`SMALL`] with more games, and a stopping rule.
    fn with_a_rule() -> String {
        SMALL.replace("games = 4", "games = 20")
            + "[stop]\nelo0 = 0\nelo1 = 400\nminimum_pairs = 2\nmodel = \"logistic\"\n"
    }

    /// How many pairs decide, if all are won.
    fn pairs_that_decide(specification: &Specification) -> u32 {
        let sprt = specification.stop.expect("a rule");
        let decides = |&count: &u32| {
            let mut walk = SprtWalk::default();
            let outcomes: Vec<_> = (0..count).map(|number| (number, Some(4))).collect();
            walk.advance(&sprt, &outcomes);
            walk.verdict() != SprtVerdict::Undecided
        };
        (1..20).find(decides).expect("a decision")
    }

    async fn leased(store: &dyn Store) -> Lease {
        let lease = store.lease("r", LEASE).await;
        lease.expect("asked").expect("a pair")
    }

    fn played(results: [MatchOutcome; 2]) -> PairEnd {
        PairEnd::Played(Box::new(PlayedPair {
            games: [0, 1].map(|number| game("startpos moves 7g7f", number, results[number])),
            incidents: Vec::new(),
        }))
    }

    /// A test that passed over a pair which had been given up does not decide without it once it is played.
    #[tokio::test]
    async fn a_cell_is_closed_by_all_pairs_that_are_there_by_then() {
        use MatchOutcome::{Loss, Win};
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut board, store) = board(folder.path(), &with_a_rule()).await;
        let decisive = pairs_that_decide(&board.work.specification);
        let lease = || leased(&*store);
        for _ in 0..3 {
            let lease = lease().await;
            assert_eq!(lease.pair, 0);
            store.fail(&lease, "r", &crash()).await.expect("written");
        }
        for _ in 1..decisive {
            let lease = lease().await;
            board
                .conclude(&lease, played([Win, Win]), false)
                .await
                .expect("written");
        }
        assert_eq!(store.retry_given_up().await.expect("freed"), 1);
        let again = lease().await;
        assert_eq!(again.pair, 0);
        let lost = PlayedPair {
            games: [0, 1].map(|number| game("startpos moves 7g7f", number, Loss)),
            incidents: Vec::new(),
        };
        assert!(store.finish(&again, "r", &lost).await.expect("written"));
        let lease = lease().await;
        board
            .conclude(&lease, played([Win, Win]), false)
            .await
            .expect("written");
        let standing = &store.standings().await.expect("standings")[0];
        assert!(!standing.closed, "a loss of both games is among them");
    }

    /// A rule that had stood at a pair under way was not asked again where that pair was given up.
    #[tokio::test]
    async fn a_pair_that_is_given_up_may_close_its_cell() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut board, store) = board(folder.path(), &with_a_rule()).await;
        let decisive = pairs_that_decide(&board.work.specification);
        let first = leased(&*store).await;
        for _ in 0..decisive {
            let lease = leased(&*store).await;
            let won = played([MatchOutcome::Win; 2]);
            (board.conclude(&lease, won, false).await).expect("written");
        }
        store.give_back(&first).await.expect("given back");
        for failures in 0..3 {
            let standing = &store.standings().await.expect("standings")[0];
            assert!(!standing.closed, "{failures} failures");
            let lease = leased(&*store).await;
            assert_eq!(lease.pair, first.pair);
            let failed = PairEnd::Failed(crash());
            (board.conclude(&lease, failed, false).await).expect("written");
        }
        let standing = &store.standings().await.expect("standings")[0];
        assert_eq!((standing.given_up, standing.closed), (1, true));
    }

    /// [`SMALL`] with a second side that does not start.
    fn without_an_engine() -> String {
        let engine = r#"{ name = "s", kind = "usi", go = ["nodes", "byoyomi", "infinite"], command = ["/no/such/engine"] }"#;
        SMALL.replace(r#"{ name = "s" }"#, engine)
    }

    /// A broken machine took every pair of the experiment three times, in seconds, and other runners had none left.
    #[tokio::test]
    async fn a_board_on_which_every_pair_fails_ends_and_leaves_the_others() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = without_an_engine().replace("games = 4", "games = 6");
        let one = text.replace("sigma = [50, 200]", "sigma = [50]");
        for (text, tries, pairs) in [
            // Another cell may have other engines.
            (text, 10, vec![(3, 0, 0), (0, 3, 0)]),
            (one, 6, vec![(2, 1, 0)]),
        ] {
            let folder = folder.path().join(pairs.len().to_string());
            std::fs::create_dir(&folder).expect("writable");
            let (board, store) = board(&folder, &text).await;
            let (_go_on, stop) = watch::channel(StopLevel::No);
            let ended = board.run(stop).await.expect_err("it does not play");
            let line = ended.to_string();
            let start = format!(
                "{tries} attempts in a row failed here, the last by a crash of the second side: "
            );
            assert!(line.starts_with(&start), "{line}");
            assert!(
                line.contains("/no/such/engine") && line.contains("(sigma="),
                "{line}"
            );
            let standings = store.standings().await.expect("standings");
            let left = standings
                .iter()
                .map(|cell| (cell.given_up, cell.open, cell.finished));
            assert_eq!(left.collect::<Vec<_>>(), pairs);
            let incidents = store.incidents(0).await.expect("incidents");
            let given_up = pairs[0].0 as usize;
            assert_eq!(incidents.len(), 3 * given_up, "each of them three times");
            let is_crash = |incident: &IncidentRow| incident.cause == Cause::Crash.name();
            assert!(incidents.iter().all(is_crash));
        }
    }

    #[test]
    fn failures_in_a_row_end_a_board_by_those_of_this_machine() {
        let mut row = FailuresInARow::default();
        let pauses = (Duration::from_secs(5), Duration::from_secs(60));
        let waits: Vec<_> = (0..6).map(|_| row.add(0, true, pauses).as_secs()).collect();
        assert_eq!(waits, [5, 10, 20, 40, 60, 60]);
        for _ in 0..6 {
            assert!(!row.is_too_long(1), "coordinators elsewhere failed");
            row.add(1, false, pauses);
        }
        assert!(row.is_too_long(1) && !row.is_too_long(2));
        row.add(1, true, pauses);
        row.add(0, false, pauses);
        assert!(row.is_too_long(2));
    }

    #[test]
    fn a_cell_that_fails_while_others_are_played_costs_short_pauses() {
        let mut row = FailuresInARow::default();
        let pauses = (Duration::from_secs(5), Duration::from_secs(60));
        let waits =
            |row: &mut FailuresInARow| [(); 3].map(|()| row.add(1, false, pauses).as_secs());
        assert_eq!(waits(&mut row), [5, 10, 20]);
        row.end(0);
        assert_eq!(waits(&mut row), [5, 5, 5]);
        assert_eq!(
            row.add(0, false, pauses).as_secs(),
            5,
            "the first of its cell"
        );
        assert_eq!(row.add(0, false, pauses).as_secs(), 10);
        row.end(1);
        assert_eq!(waits(&mut row), [5, 10, 20], "it can be played");
    }

    /// [`SMALL`] with a second side that ends at its first move, and loses by it.
    #[cfg(unix)]
    fn losing_by_a_crash(folder: &Path) -> String {
        let script = "while read -r word rest; do case $word in usi) echo usiok ;; isready) echo readyok ;; \
            go) exit 3 ;; esac; done";
        let file = folder.join("engine.sh");
        std::fs::write(&file, script).expect("writable");
        let engine = format!(
            "crash = \"loss\"\nplayer = [{{ name = \"s\", kind = \"usi\", go = [\"nodes\", \"byoyomi\", \"infinite\"], \
             command = [\"/bin/sh\", \"{}\"] }}]",
            file.display()
        );
        SMALL.replace(r#"player = [{ name = "s" }]"#, &engine)
    }

    /// An interrupt long after the crash gave the pair back, so that results with a crash were lost, and no others.
    #[cfg(unix)]
    #[tokio::test]
    async fn an_interrupt_gives_a_pair_back_at_its_crash_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut board, store) = board(folder.path(), &losing_by_a_crash(folder.path())).await;
        let (_told, mut stop) = watch::channel(StopLevel::Drain);
        let lease = store.lease("r", LEASE).await.expect("asked");
        let lease = lease.expect("a pair");
        let mut games = [0, 1].map(|number| game("startpos moves 7g7f", number, MatchOutcome::Win));
        games[0].ending = GameEnding::Crash;
        let outcome = PairEnd::Played(Box::new(PlayedPair {
            games,
            incidents: Vec::new(),
        }));
        board
            .conclude(&lease, outcome, true)
            .await
            .expect("written");
        let standing = store.standings().await.expect("standings").remove(0);
        assert_eq!((standing.finished, standing.open), (1, 1));

        // The interrupt may have ended the engine itself.
        let lease = store.lease("r", LEASE).await.expect("asked");
        let lease = lease.expect("a pair");
        let outcome = board.play(&lease, &mut stop).await;
        assert!(matches!(outcome, PairEnd::Aborted));
        board
            .conclude(&lease, outcome, true)
            .await
            .expect("written");
        let standing = store.standings().await.expect("standings").remove(0);
        assert_eq!(
            (standing.finished, standing.open, standing.given_up),
            (1, 1, 0)
        );
    }

    /// A runner that waited for a full server lost its finished pairs to the runners that took them meanwhile.
    #[tokio::test]
    async fn a_result_that_does_not_count_is_told() {
        use MatchOutcome::{Loss, Win};
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut board, store) = board(folder.path(), SMALL).await;
        let (events, mut told) = mpsc::unbounded_channel();
        board.events = events;
        let pair = |result: MatchOutcome| PlayedPair {
            games: [0, 1].map(|number| game("startpos moves 7g7f", number, result)),
            incidents: Vec::new(),
        };
        let lease = store.lease("other", LEASE).await.expect("asked");
        let others = lease.expect("a pair");
        store.give_back(&others).await.expect("given back");
        let lease = store.lease("r", LEASE).await.expect("asked");
        let own = lease.expect("the same pair");
        assert_eq!(own.pair, others.pair);
        // The first result counts, whoever has the pair by now.
        let late = store.finish(&others, "other", &pair(Win)).await;
        assert!(late.expect("written"));
        let outcome = PairEnd::Played(Box::new(pair(Loss)));
        board.conclude(&own, outcome, false).await.expect("written");
        let dropped = RunnerEvent::Uncounted { cell: 0, pair: 0 };
        assert_eq!(told.try_recv().ok(), Some(dropped));
        assert_eq!(store.outcomes(0, 0).await.expect("asked"), [(0, Some(4))]);
        assert_eq!(store.games(0).await.expect("games").len(), 2);
    }

    fn crash() -> Incident {
        Incident {
            game: 0,
            cause: Cause::Crash,
            side: MatchSide::First,
            detail: "killed".to_owned(),
            stall: None,
        }
    }

    #[tokio::test]
    async fn failures_count_until_a_pair_is_given_up_but_not_while_the_runner_ends() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut board, store) = board(folder.path(), SMALL).await;
        let lease = async || {
            let lease = store.lease("r", LEASE).await;
            lease.expect("asked").expect("a pair")
        };
        let failures = [
            (true, 0),
            (false, 0),
            (true, 1),
            (true, 1),
            (false, 1),
            (true, 2),
            (false, 2),
        ];
        for (ending, failures) in failures {
            let lease = lease().await;
            assert_eq!((lease.cell, lease.pair, lease.failures), (0, 0, failures));
            let outcome = PairEnd::Failed(crash());
            let concluded = board.conclude(&lease, outcome, ending).await;
            concluded.expect("written");
        }
        let given_up = async || store.standings().await.expect("standings")[0].given_up;
        assert_eq!(given_up().await, 1);
        assert_eq!(lease().await.pair, 1, "another one");

        assert_eq!(store.retry_given_up().await.expect("freed"), 1);
        assert_eq!(given_up().await, 0);
        let again = lease().await;
        assert_eq!((again.pair, again.failures), (0, 0));
        assert_eq!(store.retry_given_up().await.expect("freed"), 0);
    }
}
