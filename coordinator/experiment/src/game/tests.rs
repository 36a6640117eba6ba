use super::*;
use crate::{
    contestant::{BoardResources, TurnAnswer},
    record::{Cause, GameEnding, MatchOutcome},
    specification::{Cell, Specification},
};
use monju_proto::v1::{Arrival, Ballot, Decision, Line, TieBreak, Vote};
use std::{path::Path, time::Duration};

/// Black's rook moves to and fro until the position has occurred four times.
const REPETITION: &str =
    "startpos moves 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b 2h3h 8b7b 3h2h 7b8b";
/// Black gives check with every move of such a cycle.
const PERPETUAL_CHECK: &str = "sfen lr2+R2G1/6g1k/p3ppppp/2p1b4/9/2P+b4P/P+p3PPP1/4G1SK1/LN3+p1NL b \
    2SNLgsn3p 1 moves 2a1a 1b2b 1a2a 2b1b 2a1a 1b2b 1a2a 2b1b 2a1a 1b2b 1a2a 2b1b";
/// The same cycle from White's first move of it: with 2a1a, Black would complete the fourth.
const CLOSING_CHECK: &str = "2a1a";
const BEFORE_THE_CLOSING_CHECK: &str = "sfen lr2+R3G/6g1k/p3ppppp/2p1b4/9/2P+b4P/P+p3PPP1/4G1SK1/LN3+p1NL w \
    2SNLgsn3p 2 moves 1b2b 1a2a 2b1b 2a1a 1b2b 1a2a 2b1b 2a1a 1b2b 1a2a 2b1b";
/// White may declare.
const DECLARABLE: &str = "sfen 4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1";

const FILE: &str = r#"
version = 1
name = "t"
games = 2
openings = "openings.sfen"
first = "one"
second = "other"
[ensemble.one]
hash_mib = 1
nodes = 50
player = [{ name = "n", sigma = 20 }]
[ensemble.other]
hash_mib = 1
nodes = 50
player = [{ name = "s" }]
"#;

/// The only cell of a file.
fn cell(text: &str) -> Cell {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("openings.sfen"), "startpos\n").expect("writable");
    let parsed = Specification::parse(text, &folder.path().join("t.toml"));
    let specification = parsed.unwrap_or_else(|error| panic!("{error}"));
    specification.cells.into_iter().next().expect("a cell")
}

fn plan<'a>(opening: &'a str, cell: &Cell) -> GamePlan<'a> {
    GamePlan {
        id: "t/all/0/0",
        number: 0,
        opening,
        seeds: [1, 2],
        adjudication: cell.adjudication,
        ballots: true,
        watch: None,
    }
}

async fn play_one(opening: &str, cell: &Cell) -> Result<Finished, Incident> {
    let resources = BoardResources::new(1);
    let mut sides = Vec::new();
    for ensemble in [&cell.first, &cell.second] {
        let side = Contestant::start(ensemble, &resources).await;
        sides.push(side.unwrap_or_else(|error| panic!("{error}")));
    }
    let [first, second] = &mut sides[..] else {
        panic!("two sides")
    };
    let finished = play(&plan(opening, cell), [first, second]).await;
    for side in sides {
        side.close().await;
    }
    finished
}

#[test]
fn the_adjudication_gives_the_result_of_repetitions() {
    let second = Some(MatchSide::Second);
    for (rule, repetition, perpetual_check) in [
        (
            "rules",
            Some((None, GameEnding::Repetition)),
            Some((second, GameEnding::PerpetualCheck)),
        ),
        (
            "draw",
            Some((None, GameEnding::Repetition)),
            Some((None, GameEnding::Repetition)),
        ),
        ("play-on", None, None),
    ] {
        let cell = cell(&format!("{FILE}[adjudication]\nrepetition = \"{rule}\"\n"));
        for (opening, expected) in [(REPETITION, repetition), (PERPETUAL_CHECK, perpetual_check)] {
            let plan = plan(opening, &cell);
            let ensembles = [cell.first.clone(), cell.second.clone()];
            let referee = Referee::new(&plan, &ensembles).expect("a game");
            assert_eq!(referee.by_rules(), expected, "{rule}: {opening}");
        }
    }
    // The maximum of plies ends every game.
    let cell = cell(&format!(
        "{FILE}[adjudication]\nrepetition = \"play-on\"\nmaximum_plies = 12\n"
    ));
    let plan = plan(REPETITION, &cell);
    let ensembles = [cell.first.clone(), cell.second.clone()];
    let referee = Referee::new(&plan, &ensembles).expect("a game");
    assert_eq!(referee.by_rules(), Some((None, GameEnding::MaximumPlies)));
}

/// A team does not count a vote for a move that loses by perpetual check, but a referee without another vote plays it.
#[test]
fn the_rules_of_repetition_apply_to_a_move_that_is_not_counted() {
    for (rule, expected) in [
        (
            "rules",
            Some((Some(MatchSide::Second), GameEnding::PerpetualCheck)),
        ),
        ("draw", Some((None, GameEnding::Repetition))),
        ("play-on", None),
    ] {
        let cell = cell(&format!("{FILE}[adjudication]\nrepetition = \"{rule}\"\n"));
        let plan = plan(BEFORE_THE_CLOSING_CHECK, &cell);
        let ensembles = [cell.first.clone(), cell.second.clone()];
        let mut referee = Referee::new(&plan, &ensembles).expect("a game");
        assert_eq!(referee.by_rules(), None, "{rule}: before the move");
        let vote = Vote {
            line: Some(Line {
                r#move: CLOSING_CHECK.to_owned(),
                ..Line::default()
            }),
            arrival: Arrival::Illegal.into(),
            ..Vote::default()
        };
        let no_votes = Decision {
            tie_break: TieBreak::Fallback.into(),
            ..Decision::default()
        };
        let answer = TurnAnswer {
            ballot: Ballot {
                votes: vec![vote],
                decision: Some(no_votes),
                ..Ballot::default()
            },
            elapsed: Duration::ZERO,
            stall: Duration::ZERO,
        };
        let heard = referee.hear(MatchSide::First, answer).expect("judged");
        assert_eq!(heard, None, "{rule}: the move is no end by itself");
        let played = referee.game().to_usi();
        assert_eq!(
            played,
            format!("{BEFORE_THE_CLOSING_CHECK} {CLOSING_CHECK}"),
            "{rule}"
        );
        assert_eq!(referee.by_rules(), expected, "{rule}: after the move");
    }
}

#[tokio::test]
async fn the_adjudication_gives_the_result_of_declarations() {
    for (rule, result, winner) in [
        ("win", MatchOutcome::Loss, "white"),
        ("draw", MatchOutcome::Draw, "draw"),
    ] {
        let cell = cell(&format!("{FILE}[adjudication]\ndeclaration = \"{rule}\"\n"));
        let (game, incidents) = play_one(DECLARABLE, &cell).await.expect("played");
        assert_eq!(
            (game.result, game.ending),
            (result, GameEnding::Declaration)
        );
        assert!(incidents.is_empty());
        let last = game.ballots.lines().last().expect("a result");
        assert!(last.contains(&format!("\"winner\":\"{winner}\"")), "{last}");
    }
}

/// [`FILE`] with a script as the first side's engine, which runs `answer` at every `go`.
#[cfg(unix)]
fn scripted(folder: &Path, answer: &str) -> String {
    let script = format!(
        "while read -r word rest; do case $word in\n\
         usi) echo 'id name script'; echo usiok ;;\n\
         isready) echo readyok ;;\n\
         go) {answer} ;;\n\
         quit) exit ;;\n\
         esac; done\n"
    );
    let file = folder.join("engine.sh");
    std::fs::write(&file, script).expect("writable");
    FILE.replace(
        r#"player = [{ name = "n", sigma = 20 }]"#,
        &format!(
            "player = [{{ name = \"x\", kind = \"usi\", command = [\"/bin/sh\", \"{}\"], \
             go = [\"nodes\", \"byoyomi\", \"infinite\"] }}]",
            file.display()
        ),
    )
}

#[cfg(unix)]
#[tokio::test]
async fn faults_are_recorded_by_cause_and_side() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lost = async |file: &str, ending, cause| {
        let (game, incidents) = play_one("startpos", &cell(file)).await.expect("played");
        assert_eq!((game.result, game.ending), (MatchOutcome::Loss, ending));
        let [incident] = &incidents[..] else {
            panic!("{incidents:?}")
        };
        assert_eq!((incident.cause, incident.side), (cause, MatchSide::First));
        incident.detail.clone()
    };
    let illegal = scripted(folder.path(), "echo bestmove 7g7e");
    let detail = lost(&illegal, GameEnding::IllegalMove, Cause::IllegalMove).await;
    assert!(detail.contains("x: "), "{detail}");

    // An engine that ends at its first move leaves no result.
    let dies = cell(&scripted(folder.path(), "exit 3"));
    let incident = play_one("startpos", &dies).await.expect_err("failed");
    assert_eq!(
        (incident.cause, incident.side),
        (Cause::Crash, MatchSide::First)
    );

    // Both engines ignore `stop`; the second one has named a move on the way.
    for thought in [":", "echo info depth 1 score cp 3 pv 7g7f"] {
        let timed = scripted(folder.path(), thought).replacen("nodes = 50", "time_ms = 100", 1);
        lost(&timed, GameEnding::TimeLoss, Cause::TimeLoss).await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn moves_are_noted_for_black_and_a_false_declaration_loses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answer = |mv| {
        format!(
            "if [ -z \"$moved\" ]; then moved=1; echo info depth 1 score cp 300 pv {mv}; \
             echo bestmove {mv}; else echo bestmove win; fi"
        )
    };
    let black = scripted(folder.path(), &answer("7g7f"));
    let (game, incidents) = play_one("startpos", &cell(&black)).await.expect("played");
    assert_eq!(
        (game.result, game.ending),
        (MatchOutcome::Loss, GameEnding::IllegalMove)
    );
    assert_eq!(incidents.len(), 1, "{incidents:?}");
    let scores: Vec<_> = game.notes.0.iter().map(|note| note.score).collect();
    assert!(
        matches!(scores[..], [Some(300), Some(_)]),
        "{scores:?} of {}",
        game.moves
    );

    let white = scripted(folder.path(), &answer("3c3d"))
        .replace("first = \"one\"", "first = \"other\"")
        .replace("second = \"other\"", "second = \"one\"");
    let (game, _) = play_one("startpos moves 7g7f", &cell(&white))
        .await
        .expect("played");
    assert_eq!(
        (game.result, game.ending),
        (MatchOutcome::Win, GameEnding::IllegalMove)
    );
    let first = game.notes.0.first().expect("a note");
    assert_eq!((first.score, game.notes.0.len()), (Some(-300), 2));
}

/// [`scripted`], driven by the referee with these keys instead of the limit of nodes.
#[cfg(unix)]
fn driven(folder: &Path, answer: &str, keys: &str) -> String {
    let text = scripted(folder, answer);
    let (before, rest) = text
        .split_once("hash_mib = 1\nnodes = 50\n")
        .expect("limits");
    let (_, after) = rest.split_once('\n').expect("the player");
    let command = folder.join("engine.sh").display().to_string();
    format!("{before}{keys}\nengine = {{ command = [\"/bin/sh\", \"{command}\"] }}\n{after}")
}

#[cfg(unix)]
#[tokio::test]
async fn an_engine_is_driven_with_its_clock() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let heard = folder.path().join("go.txt");
    let answer = format!(
        "echo $rest >> {}; if [ -z \"$moved\" ]; then moved=1; \
         echo info depth 3 score cp 40 nodes 77 pv 7g7f; echo bestmove 7g7f; \
         else echo bestmove resign; fi",
        heard.display()
    );
    let text = driven(
        folder.path(),
        &answer,
        "main_time_ms = 60000\nincrement_ms = 500",
    );
    let (game, incidents) = play_one("startpos", &cell(&text)).await.expect("played");
    assert_eq!(
        (game.result, game.ending),
        (MatchOutcome::Loss, GameEnding::Resignation)
    );
    assert!(incidents.is_empty(), "{incidents:?}");
    assert_eq!((game.effort[0].nodes, game.effort[0].moves), (77, 1));
    assert_eq!(game.notes.0[0].score, Some(40));
    let vote = game.ballots.lines().next().expect("a ballot");
    assert!(vote.contains("\"engine\":\"script\""), "{vote}");
    let heard = std::fs::read_to_string(heard).expect("the commands");
    let lines: Vec<&str> = heard.lines().collect();
    assert_eq!(lines[0], "btime 60000 wtime 0 binc 500 winc 0");
    let left: u64 = lines[1]
        .split_whitespace()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .expect("a time");
    assert!((59_000..=60_500).contains(&left), "{heard}");
}

#[cfg(unix)]
#[tokio::test]
async fn faults_of_a_driven_engine_end_the_game() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clock = "byoyomi_ms = 100\nmargin_ms = 50";
    // The referee looks at the clock first.
    let long = "byoyomi_ms = 60000";
    for (answer, keys, ending) in [
        ("echo bestmove 7g7e", long, GameEnding::IllegalMove),
        ("echo bestmove win", long, GameEnding::IllegalMove),
        ("sleep 0.4; echo bestmove 7g7f", clock, GameEnding::TimeLoss),
        (
            "sleep 0.4; echo bestmove 7g7f",
            "time_ms = 100\nmargin_ms = 50",
            GameEnding::TimeLoss,
        ),
        (":", clock, GameEnding::TimeLoss),
    ] {
        let text = driven(folder.path(), answer, keys);
        let (game, incidents) = play_one("startpos", &cell(&text)).await.expect("played");
        assert_eq!(
            (game.result, game.ending),
            (MatchOutcome::Loss, ending),
            "{answer}"
        );
        assert_eq!(incidents.len(), 1, "{incidents:?}");
        assert_eq!(incidents[0].side, MatchSide::First);
    }
    // A crash leaves no result.
    let text = driven(folder.path(), "exit 3", clock);
    let incident = play_one("startpos", &cell(&text))
        .await
        .expect_err("failed");
    assert_eq!(
        (incident.cause, incident.side),
        (Cause::Crash, MatchSide::First)
    );
    assert!(incident.detail.contains("exit status: 3"), "{incident:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn errors_that_monju_reports_as_an_engine_are_recorded_and_the_game_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answer = "echo info string no errors yet; echo info string warning: slow; \
        echo info string error: the coordinator is late; echo bestmove resign";
    let text = driven(folder.path(), answer, "byoyomi_ms = 60000");
    // Another engine may do without what it has not found.
    let (_, incidents) = play_one("startpos", &cell(&text)).await.expect("played");
    assert!(incidents.is_empty(), "{incidents:?}");
    let program = folder.path().join("engine.sh");
    let other = std::fs::read_to_string(&program).expect("a script");
    let own = other.replace("id name script", "id name Monju player");
    assert_ne!(own, other);
    std::fs::write(&program, own).expect("written");
    let (game, incidents) = play_one("startpos", &cell(&text)).await.expect("played");
    assert_eq!(game.ending, GameEnding::Resignation);
    let [incident] = &incidents[..] else {
        panic!("{incidents:?}")
    };
    assert_eq!(
        (incident.cause, incident.side, incident.detail.as_str()),
        (
            Cause::Reported,
            MatchSide::First,
            "error: the coordinator is late"
        )
    );
}

#[cfg(unix)]
#[tokio::test]
async fn the_go_of_a_driven_engine_follows_its_limits() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (keys, expected) in [
        ("nodes = 5\nbyoyomi_ms = 900", "nodes 5"),
        ("depth = 4\nnodes = 5", "depth 4 nodes 5"),
        ("time_ms = 700", "movetime 700"),
        ("byoyomi_ms = 900", "btime 0 wtime 0 byoyomi 900"),
    ] {
        let answer = "echo info string $rest; echo bestmove $(test \"$rest\" = \"EXPECTED\" && echo resign || echo 0000)";
        let text = driven(folder.path(), &answer.replace("EXPECTED", expected), keys);
        let (game, _) = play_one("startpos", &cell(&text)).await.expect("played");
        assert_eq!(game.ending, GameEnding::Resignation, "{keys}");
    }
}

#[cfg(unix)]
#[test]
fn a_loss_on_time_is_told_apart_where_the_machine_stalled_for_longer() {
    let ms = Duration::from_millis;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let engine = driven(folder.path(), ":", "byoyomi_ms = 100\nmargin_ms = 20");
    let team = FILE.replacen("nodes = 50", "time_ms = 100\nmargin_ms = 20", 1);
    let late_vote = Vote {
        arrival: Arrival::Late.into(),
        ..Vote::default()
    };
    let no_votes = Decision {
        tie_break: TieBreak::Fallback.into(),
        ..Decision::default()
    };
    let silent = Ballot {
        votes: vec![late_vote],
        decision: Some(no_votes),
        ..Ballot::default()
    };
    let ballot = Ballot::default();
    // Time of the move, longest stall meanwhile, and whether that was longer than the move was late.
    for (file, ballot, elapsed, stall, told_apart) in [
        (&engine, &ballot, 150, 0, false),
        (&engine, &ballot, 150, 30, false),
        (&engine, &ballot, 150, 31, true),
        // A team's decision has 100 ms more to be delivered.
        (&team, &ballot, 250, 30, false),
        (&team, &ballot, 250, 31, true),
        // A move that never came is late by the margin at least.
        (&team, &silent, 121, 20, false),
        (&team, &silent, 121, 21, true),
    ] {
        let cell = cell(file);
        let plan = plan("startpos", &cell);
        let ensembles = [cell.first.clone(), cell.second.clone()];
        let mut referee = Referee::new(&plan, &ensembles).expect("a game");
        let answer = TurnAnswer {
            ballot: ballot.clone(),
            elapsed: ms(elapsed),
            stall: ms(stall),
        };
        let end = referee.hear(MatchSide::First, answer);
        let end = end.expect("judged").expect("an end");
        let lost = (Some(MatchSide::Second), GameEnding::TimeLoss);
        assert_eq!(end, lost, "the score stays as the rules say");
        let (_, incidents) = referee.finish(end);
        let [incident] = &incidents[..] else {
            panic!("{incidents:?}")
        };
        assert_eq!(
            incident.stall,
            told_apart.then_some(ms(stall)),
            "{incident:?}"
        );
        let is_named = incident.detail.contains(&format!("stalled for {stall} ms"));
        assert_eq!(is_named, stall > 0, "{incident:?}");
    }
}

/// Two engines on a clock, of which the first ponders. The first runs `ponder` at `go ponder` and `hit` at `ponderhit`;
/// the second one runs `second` after three plies. What the first is told goes to `heard.txt`.
#[cfg(unix)]
fn pondering(folder: &Path, ponder: &str, hit: &str, second: &str) -> String {
    let engine = |name: &str, go: &str, others: &str| {
        let heard = folder.join(format!("{name}.txt"));
        let script = format!(
            "while read -r word rest; do echo $word $rest >> {}; case $word in\n\
             usi) echo 'id name script'; echo usiok ;;\n\
             isready) echo readyok ;;\n\
             position) set -- $rest; plies=$(($# > 2 ? $# - 2 : 0)) ;;\n\
             go) case $rest in ponder*) {go} ;; *) answer ;; esac ;;\n\
             {others}\n\
             quit) exit ;;\n\
             esac; done\n",
            heard.display()
        );
        let answers = match name {
            "heard" => {
                "0) echo bestmove 7g7f ponder 3c3d;; 2) echo info depth 5 nodes 9 score cp 7 pv 2g2f 4c4d; \
                 echo bestmove 2g2f ponder 4c4d;; *) echo bestmove resign;;"
            }
            _ => &format!("1) echo bestmove 3c3d;; *) {second};;"),
        };
        let file = folder.join(format!("{name}.sh"));
        let functions = format!("answer() {{ case $plies in {answers} esac; }}\n");
        std::fs::write(&file, functions + &script).expect("writable");
        file.display().to_string()
    };
    let stop = match hit {
        ":" => ":",
        _ => "echo bestmove 1g1f",
    };
    let others = format!("ponderhit) {hit} ;;\nstop) {stop} ;;");
    let (first, second) = (engine("heard", ponder, &others), engine("other", ":", ""));
    let clock = "main_time_ms = 60000\nincrement_ms = 500";
    format!(
        "version = 1\nname = \"t\"\ngames = 2\nopenings = \"openings.sfen\"\nfirst = \"one\"\nsecond = \"other\"\n\
         [ensemble.one]\n{clock}\nengine = {{ command = [\"/bin/sh\", \"{first}\"], ponder = true }}\n\
         [ensemble.other]\n{clock}\nengine = {{ command = [\"/bin/sh\", \"{second}\"] }}\n"
    )
}

/// What the first engine of [`pondering`] was told after `usinewgame`, without the times of clocks.
#[cfg(unix)]
fn told(folder: &Path) -> Vec<String> {
    let heard = std::fs::read_to_string(folder.join("heard.txt")).expect("the commands");
    let game = heard.lines().skip_while(|line| *line != "usinewgame");
    game.skip(1)
        .map(|line| match line.split_once(" btime ") {
            Some((go, _)) => go.to_owned(),
            None => line
                .replace("position startpos moves ", "")
                .replace("position ", ""),
        })
        .collect()
}

#[cfg(unix)]
#[tokio::test]
async fn an_engine_ponders_on_the_reply_that_it_expects() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = pondering(folder.path(), ":", "answer", "echo bestmove 8c8d");
    let (game, incidents) = play_one("startpos", &cell(&text)).await.expect("played");
    assert!(incidents.is_empty(), "{incidents:?}");
    assert_eq!(
        (game.moves.as_str(), game.ending),
        (
            "startpos moves 7g7f 3c3d 2g2f 8c8d",
            GameEnding::Resignation
        )
    );
    assert_eq!(
        told(folder.path()),
        [
            "startpos",
            "go",
            "7g7f 3c3d",
            "go ponder",
            "ponderhit",
            "7g7f 3c3d 2g2f 4c4d",
            "go ponder",
            "stop",
            "7g7f 3c3d 2g2f 8c8d",
            "go",
            "quit"
        ]
    );
    let heard = std::fs::read_to_string(folder.path().join("heard.txt")).expect("the commands");
    assert!(
        heard.contains("setoption name USI_Ponder value true"),
        "{heard}"
    );
    // What it says before a hit counts for its move.
    assert_eq!((game.effort[0].nodes, game.notes.0[2].score), (9, Some(7)));
}

#[cfg(unix)]
#[tokio::test]
async fn pondering_ends_with_the_game() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = pondering(folder.path(), ":", "answer", "echo bestmove resign");
    let (game, incidents) = play_one("startpos", &cell(&text)).await.expect("played");
    assert!(incidents.is_empty(), "{incidents:?}");
    assert_eq!(game.result, MatchOutcome::Win);
    let told = told(folder.path());
    assert_eq!(told[told.len() - 3..], ["go ponder", "stop", "quit"]);
}

#[cfg(unix)]
#[tokio::test]
async fn faults_while_pondering_are_the_engines_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // It answers at once, against the protocol, and ignores a stop that comes before the answer is read: its answer
    // waits for the hit, and is dropped without one.
    let text = pondering(folder.path(), "answer", ":", "echo bestmove 8c8d");
    let (game, incidents) = play_one("startpos", &cell(&text)).await.expect("played");
    assert!(incidents.is_empty(), "{incidents:?}");
    assert_eq!(game.moves, "startpos moves 7g7f 3c3d 2g2f 8c8d");

    // It ends while the other side thinks.
    let other = "sleep 0.2; echo bestmove 8c8d";
    let dies = pondering(folder.path(), "exit 3", ":", other);
    let incident = play_one("startpos", &cell(&dies))
        .await
        .expect_err("failed");
    assert_eq!(
        (incident.cause, incident.side),
        (Cause::Crash, MatchSide::First)
    );
}

#[cfg(unix)]
#[tokio::test]
async fn an_engine_that_is_gone_before_it_ponders_loses_on_its_own_turn() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // It reads nothing after its first move, so that `go ponder` fails.
    let gone = pondering(folder.path(), ":", ":", "echo bestmove 8c8d").replacen(
        "ponder = true",
        "ponder = true }\ncrash = \"loss\"\n#",
        1,
    );
    let script = folder.path().join("heard.sh");
    let text = std::fs::read_to_string(&script).expect("a script");
    let text = text.replace("*) answer ;;", "*) exec <&-; answer; exit 3 ;;");
    std::fs::write(&script, text).expect("written");
    let (game, incidents) = play_one("startpos", &cell(&gone)).await.expect("played");
    assert_eq!(
        (game.moves.as_str(), game.result, game.ending),
        (
            "startpos moves 7g7f 3c3d",
            MatchOutcome::Loss,
            GameEnding::Crash
        )
    );
    let [incident] = &incidents[..] else {
        panic!("{incidents:?}")
    };
    assert_eq!(
        (incident.cause, incident.side),
        (Cause::Crash, MatchSide::First)
    );
}
