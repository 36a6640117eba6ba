//! Tests of the votes that count on a ballot, and of its decision.

use super::*;
use crate::voting::Rule;
use monju_engine::{Answer, Game};
use monju_proto::v1::{Arrival, Candidate, Decision, Line, PlayerInfo, ThinkResult, TieBreak};
use std::time::Duration;

fn header(primary: Option<&str>) -> BallotHeader {
    BallotHeader {
        id: 1,
        game_id: "game".to_owned(),
        seed: 1,
        rule: Rule::Majority,
        primary: primary.map(str::to_owned),
        lead: None,
        calibration: Default::default(),
    }
}

fn ballot_on(position: &str, names: &[&str], primary: Option<&str>) -> OpenBallot {
    let players = names.iter().map(|name| {
        let info = PlayerInfo {
            name: (*name).to_owned(),
            sigma: 50.0,
            ..PlayerInfo::default()
        };
        (info, 7)
    });
    let game = Game::from_usi(position).expect("a position");
    OpenBallot::new(header(primary), game, players)
}

fn ballot(names: &[&str]) -> OpenBallot {
    ballot_on("startpos", names, None)
}

fn line(pv: &[&str], depth: u32) -> Line {
    Line {
        r#move: pv[0].to_owned(),
        depth,
        pv: pv.iter().map(|mv| (*mv).to_owned()).collect(),
        ..Line::default()
    }
}

fn result(pv: &[&str], depth: u32) -> ThinkResult {
    ThinkResult {
        line: Some(line(pv, depth)),
        noise_seed: None,
    }
}

fn votes(ballot: &OpenBallot) -> Vec<(Arrival, bool, bool)> {
    ballot
        .close(Decision::default())
        .votes
        .iter()
        .map(|vote| (vote.arrival(), vote.legal, vote.counted))
        .collect()
}

fn decided(ballot: &OpenBallot) -> (String, String, TieBreak) {
    match ballot.decide() {
        BallotDecision::Decided {
            mv,
            ponder,
            tie_break,
        } => (mv, ponder, tie_break),
        BallotDecision::NoVotes => panic!("no votes"),
    }
}

const AT: Duration = Duration::from_millis(5);

#[test]
fn each_arrival_has_its_legality_and_count() {
    let mut ballot = ballot(&[
        "final", "streamed", "silent", "illegal", "resigned", "won", "dead",
    ]);
    ballot.result(0, result(&["7g7f"], 3), AT);
    ballot.progress(1, line(&["2g2f"], 2), AT);
    ballot.result(3, result(&["7g7e"], 3), AT);
    ballot.result(4, result(&["resign"], 3), AT);
    ballot.result(5, result(&["win"], 3), AT);
    ballot.fail(6, "worker gone".to_owned(), AT);
    assert_eq!(
        votes(&ballot),
        [
            (Arrival::Final, true, true),
            (Arrival::Provisional, true, true),
            (Arrival::Late, false, false),
            (Arrival::Illegal, false, false),
            (Arrival::Resigned, false, false),
            (Arrival::DeclaredWin, false, false),
            (Arrival::Failed, false, false),
        ]
    );
    assert!(!ballot.is_complete(), "two players may still vote");
    let record = ballot.standing();
    assert_eq!(record.votes[2].arrival(), Arrival::Unspecified);
    assert_eq!(record.votes[3].failure, "7g7e is not a legal move here");
    assert_eq!(record.tally.len(), 2);
}

#[test]
fn the_last_legal_line_of_a_failed_player_stands() {
    let mut ballot = ballot(&["a"]);
    ballot.progress(0, line(&["7g7f"], 2), AT);
    ballot.fail(0, "connection reset".to_owned(), AT);
    assert_eq!(votes(&ballot), [(Arrival::Failed, true, true)]);
    assert_eq!(decided(&ballot).0, "7g7f");
}

#[test]
fn an_illegal_line_never_replaces_a_legal_one_but_an_illegal_result_does() {
    let mut ballot = ballot(&["a"]);
    ballot.progress(0, line(&["7g7f"], 2), AT);
    ballot.progress(0, line(&["7g7e"], 3), AT);
    assert_eq!(votes(&ballot), [(Arrival::Provisional, true, true)]);
    ballot.result(0, result(&["7g7e"], 4), AT);
    assert_eq!(votes(&ballot), [(Arrival::Illegal, false, false)]);
    assert_eq!(ballot.decide(), BallotDecision::NoVotes);
}

#[test]
fn the_last_of_perpetual_checks_is_no_vote() {
    const CYCLE: &str = "3a4b 2d1c 4b3a 1c2d";
    let start = "sfen +R6nl/6s1k/p1n2s1s1/1g3Bp1p/2pPPNPp1/KPs2G2P/N3p4/1G4+r2/LL7 b BL2Pg5p 1 moves \
                 L*1c 1b1c B*3a 1c2d 3a4b+ 2d1c 4b3a 1c2d";
    let vote = |position: &str| {
        let mut ballot = ballot_on(position, &["a"], None);
        ballot.result(0, result(&["3a4b"], 4), AT);
        votes(&ballot)
    };
    let third = format!("{start} {CYCLE}");
    assert_eq!(vote(&third), [(Arrival::Final, true, true)]);
    let fourth = format!("{third} {CYCLE}");
    assert_eq!(vote(&fourth), [(Arrival::Illegal, false, false)]);
}

#[test]
fn lines_after_the_result_are_ignored() {
    let mut ballot = ballot(&["a"]);
    ballot.result(0, result(&["7g7f"], 3), AT);
    ballot.progress(0, line(&["2g2f"], 9), AT);
    ballot.fail(0, "late failure".to_owned(), AT);
    assert_eq!(votes(&ballot), [(Arrival::Final, true, true)]);
    assert_eq!(decided(&ballot).0, "7g7f");
}

#[test]
fn one_resignation_never_resigns_the_team() {
    let mut ballot = ballot(&["a", "b", "c"]);
    ballot.result(0, result(&["resign"], 3), AT);
    ballot.result(1, result(&["resign"], 3), AT);
    ballot.progress(2, line(&["7g7f"], 1), AT);
    assert_eq!(decided(&ballot).0, "7g7f");
}

#[test]
fn the_team_resigns_only_if_all_players_do() {
    let mut ballot = ballot(&["a", "b"]);
    ballot.result(0, result(&["resign"], 3), AT);
    ballot.fail(1, "gone".to_owned(), AT);
    assert_eq!(ballot.decide(), BallotDecision::NoVotes);

    let mut ballot = self::ballot(&["a", "b"]);
    ballot.result(0, result(&["resign"], 3), AT);
    ballot.result(1, result(&["resign"], 3), AT);
    assert_eq!(decided(&ballot).0, "resign");
}

#[test]
fn the_ponder_move_is_the_legal_reply_of_the_deepest_line() {
    let mut ballot = ballot(&["a", "b", "c", "d"]);
    ballot.result(0, result(&["7g7f", "3c3d"], 5), AT);
    ballot.result(1, result(&["7g7f", "8c8d"], 9), AT);
    ballot.result(2, result(&["7g7f", "8c8e"], 12), AT);
    ballot.result(3, result(&["2g2f", "4a3b"], 20), AT);
    assert_eq!(
        decided(&ballot),
        ("7g7f".to_owned(), "8c8d".to_owned(), TieBreak::None)
    );
}

#[test]
fn the_primary_decides_only_while_its_vote_counts() {
    let names = ["a", "b", "c"];
    let mut ballot = ballot_on("startpos", &names, Some("b"));
    ballot.result(0, result(&["7g7f"], 3), AT);
    ballot.result(2, result(&["5g5f"], 3), AT);
    assert_eq!(decided(&ballot).2, TieBreak::Random);
    ballot.result(1, result(&["2g2f"], 3), AT);
    assert_eq!(
        decided(&ballot),
        ("2g2f".to_owned(), String::new(), TieBreak::Primary)
    );
}

#[test]
fn ties_of_one_game_do_not_all_fall_the_same_way() {
    let mut winners = std::collections::BTreeSet::new();
    for history in ["", " 7g7f 3c3d", " 2g2f 8c8d", " 5g5f 5c5d", " 6g6f 4c4d"] {
        let position = format!("startpos moves{history}");
        let mut ballot = ballot_on(&position, &["a", "b"], None);
        ballot.result(0, result(&["9g9f"], 3), AT);
        ballot.result(1, result(&["1g1f"], 3), AT);
        winners.insert(decided(&ballot).0);
    }
    assert_eq!(winners.len(), 2);
}

#[test]
fn a_players_own_noise_seed_overrides_the_games() {
    let info = |noise_seed, sigma| PlayerInfo {
        noise_seed,
        sigma,
        ..PlayerInfo::default()
    };
    let players = [
        (info(None, 50.0), 7),
        (info(Some(9), 50.0), 7),
        (info(None, 0.0), 7),
    ];
    let ballot = OpenBallot::new(header(None), Game::startpos(), players);
    let seeds: Vec<Option<u64>> = ballot
        .standing()
        .votes
        .iter()
        .map(|vote| vote.noise_seed)
        .collect();
    assert_eq!(seeds, [Some(7), Some(9), None]);
}

#[test]
fn the_rules_decide_before_the_players() {
    let mated = Game::from_usi("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").expect("a position");
    assert_eq!(Answer::by_rules(&mated), Some(Answer::Resign));
    assert_eq!(Answer::by_rules(&Game::startpos()), None);
}

#[test]
fn a_search_with_virtual_players_has_a_vote_for_each() {
    let info = PlayerInfo {
        name: "v".to_owned(),
        sigma: 50.0,
        lanes: 3,
        ..PlayerInfo::default()
    };
    let single = PlayerInfo {
        name: "s".to_owned(),
        ..PlayerInfo::default()
    };
    let game = Game::startpos();
    let mut ballot = OpenBallot::new(header(None), game, [(info, 40), (single, 7)]);
    let candidate = |mv: &str| Candidate {
        r#move: mv.to_owned(),
        ..Candidate::default()
    };
    ballot.progress(0, line(&["2g2f", "3c3d"], 1), AT);
    ballot.result(1, result(&["2g2f"], 3), AT);
    assert_eq!(
        decided(&ballot).0,
        "2g2f",
        "the line of the search stands for all lanes"
    );
    assert!(!ballot.is_complete());
    let last = Line {
        lanes: ["7g7f", "2g2f", "7g7f"].map(candidate).to_vec(),
        nodes: 100,
        ..line(&["7g7f", "3c3d"], 2)
    };
    let last = ThinkResult {
        line: Some(last),
        noise_seed: Some(50),
    };
    ballot.result(0, last, AT);
    assert!(ballot.is_complete());
    let votes = ballot.close(Decision::default()).votes;
    let said: Vec<_> = votes
        .iter()
        .map(|vote| {
            let (info, line) = (vote.player.as_ref(), vote.line.as_ref());
            let (info, line) = (info.expect("a player"), line.expect("a line"));
            let seed = vote.noise_seed;
            (info.name.as_str(), line.pv.join(" "), line.nodes, seed)
        })
        .collect();
    assert_eq!(
        said,
        [
            ("v", "7g7f 3c3d".to_owned(), 100, Some(50)),
            ("v#2", "2g2f".to_owned(), 0, Some(51)),
            ("v#3", "7g7f 3c3d".to_owned(), 0, Some(52)),
            ("s", "2g2f".to_owned(), 0, None),
        ]
    );
    ballot.fail(0, "too late to matter".to_owned(), AT);
    assert!(ballot.is_complete());
}

#[test]
fn a_search_that_fails_fails_for_all_its_virtual_players() {
    let info = PlayerInfo {
        name: "v".to_owned(),
        lanes: 2,
        ..PlayerInfo::default()
    };
    let mut ballot = OpenBallot::new(header(None), Game::startpos(), [(info, 1)]);
    ballot.progress(0, line(&["2g2f"], 1), AT);
    ballot.fail(0, "gone".to_owned(), AT);
    assert_eq!(votes(&ballot), [(Arrival::Failed, true, true); 2]);
}

#[test]
fn a_player_that_is_called_back_counts_as_failed_until_it_votes() {
    let mut ballot = ballot(&["a", "b"]);
    ballot.progress(0, line(&["7g7f"], 2), AT);
    for player in [0, 1] {
        ballot.fail(player, "gone".to_owned(), AT);
        ballot.call_back(player);
    }
    assert!(ballot.is_deserted() && ballot.is_complete());
    // Still failed.
    ballot.fail(1, "refused".to_owned(), AT);
    assert_eq!(votes(&ballot)[1], (Arrival::Failed, false, false));
    assert_eq!(
        ballot.close(Decision::default()).votes[1].failure,
        "refused"
    );
    // Back.
    ballot.progress(0, line(&["2g2f"], 3), AT);
    assert!(!ballot.is_deserted() && !ballot.is_complete());
    assert_eq!(votes(&ballot)[0], (Arrival::Provisional, true, true));
    ballot.result(0, result(&["2g2f"], 9), AT);
    assert_eq!(votes(&ballot)[0], (Arrival::Final, true, true));
    // A player that was not called back stays failed.
    ballot.result(1, result(&["2g2f"], 9), AT);
    assert_eq!(votes(&ballot)[1], (Arrival::Failed, false, false));
}

#[test]
fn ranked_moves_that_the_position_lacks_are_left_out() {
    let mut ballot = ballot(&["one", "two"]);
    let ranked = |moves: &[&str]| {
        let candidate = |mv: &&str| Candidate {
            r#move: (*mv).to_owned(),
            ..Candidate::default()
        };
        Line {
            candidates: moves.iter().map(candidate).collect(),
            ..line(&["7g7f"], 1)
        }
    };
    ballot.progress(
        0,
        ranked(&["7g7f", "x", "", "7g7f", "2g2f"]),
        Duration::ZERO,
    );
    let last = ranked(&["7g7e", "win", "1a1b", "2g2f", "2g2f"]);
    let result = ThinkResult {
        line: Some(last),
        noise_seed: None,
    };
    ballot.result(1, result, Duration::ZERO);
    let standing = ballot.standing();
    let candidates = standing.votes.iter().map(|vote| {
        let line = vote.line.as_ref().expect("a line");
        let moves = line.candidates.iter().map(|it| it.r#move.as_str());
        moves.collect::<Vec<_>>()
    });
    let candidates: Vec<_> = candidates.collect();
    assert_eq!(candidates, [vec!["7g7f", "2g2f"], vec!["2g2f"]]);
    let moves = ranking::rank(&standing, 5)
        .into_iter()
        .map(|ranked| ranked.mv);
    assert_eq!(moves.collect::<Vec<_>>(), ["7g7f", "2g2f"]);
}
