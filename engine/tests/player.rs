//! The player's public behaviour: determinism, limits, mates, repetition and declaration.

use monju_engine::{
    Answer, Control, EvaluatorKind, Game, GameRules, Limits, Model, Move, Outcome, Player,
    PlayerSettings, STACK_BYTES, Score, SearchChoices,
    eval::NoiseModel,
    mate::{Mate, MateSearch},
};
use std::{
    fs,
    num::NonZeroU32,
    path::Path,
    sync::mpsc::channel,
    thread,
    time::{Duration, Instant},
};

const MIDDLEGAME: &str = "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1";

fn player(sigma: f64, seed: u64) -> Player {
    let settings = PlayerSettings {
        sigma,
        hash_mib: 16,
        ..PlayerSettings::default()
    };
    let mut player = Player::new(settings).unwrap();
    player.new_game(seed);
    player
}

fn think(player: &mut Player, position: &str, limits: &Limits) -> Outcome {
    let game = Game::from_usi(position).unwrap();
    player.think(&game, limits, &Control::new(), &mut |_| ())
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

/// Returns the parts of an outcome that do not depend on time.
fn comparable(outcome: &Outcome) -> (Answer, Vec<String>, Score, u32, u64) {
    let line = &outcome.line;
    let pv = line.pv.iter().map(ToString::to_string).collect();
    (outcome.answer, pv, line.score, line.depth, line.nodes)
}

#[test]
fn equal_seeds_give_equal_searches_and_a_new_game_forgets() {
    let mut one = player(50.0, 7);
    let first = think(&mut one, MIDDLEGAME, &nodes(30_000));
    let second = think(&mut player(50.0, 7), MIDDLEGAME, &nodes(30_000));
    assert_eq!(comparable(&first), comparable(&second));
    one.new_game(7);
    let again = think(&mut one, MIDDLEGAME, &nodes(30_000));
    assert_eq!(comparable(&first), comparable(&again));
}

#[test]
fn a_search_of_the_same_question_goes_on_where_the_last_one_ended() {
    // One position tells little: the second half of a divided search has other histories.
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/openings/taya_36ply.sfen");
    let text = fs::read_to_string(path).expect("the openings");
    let (mut whole, mut divided) = (0, 0);
    let mut resuming = player(50.0, 7);
    for opening in text.lines().step_by(8) {
        whole += think(&mut player(50.0, 7), opening, &depth(10)).line.nodes;
        resuming.new_game(7);
        divided += think(&mut resuming, opening, &depth(9)).line.nodes;
        let game = Game::from_usi(opening).unwrap();
        let mut depths = Vec::new();
        let last = resuming.think(&game, &depth(10), &Control::new(), &mut |line| {
            depths.push(line.depth);
        });
        assert_eq!(depths[0], 9, "the old line comes at once");
        assert_eq!(last.line.depth, 10);
        divided += last.line.nodes;
    }
    assert!(divided < whole * 115 / 100, "{divided} in place of {whole}");

    // Fewer plies, other moves to choose from, more moves to rank and other positions are other questions.
    let game = Game::from_usi(MIDDLEGAME).unwrap();
    let begins_anew = |player: &mut Player, game: &Game, limits: &Limits| {
        let mut depths = Vec::new();
        player.think(game, limits, &Control::new(), &mut |line| {
            depths.push(line.depth)
        });
        depths[0] == 1
    };
    assert!(begins_anew(&mut resuming, &game, &depth(10)));
    let chosen = Limits {
        search_moves: vec![game.legal_moves()[0], game.legal_moves()[1]],
        ..depth(11)
    };
    assert!(begins_anew(&mut resuming, &game, &chosen));
    let ranking = |multi_pv, plies| Limits {
        multi_pv: Some(multi_pv),
        ..depth(plies)
    };
    assert!(begins_anew(&mut resuming, &game, &depth(6)));
    assert!(begins_anew(&mut resuming, &game, &ranking(3, 7)));
    assert!(!begins_anew(&mut resuming, &game, &ranking(3, 8)));
    assert!(begins_anew(&mut resuming, &game, &ranking(1, 9)));
    assert!(!begins_anew(&mut resuming, &game, &depth(10)));
    assert!(begins_anew(&mut resuming, &Game::startpos(), &depth(11)));
    assert!(!begins_anew(&mut resuming, &Game::startpos(), &depth(12)));
    resuming.new_game(7);
    assert!(begins_anew(&mut resuming, &Game::startpos(), &depth(12)));
}

/// Players share no state: in parallel they find the same as alone.
#[test]
fn players_of_one_process_do_not_disturb_each_other() {
    let settings = |evaluator, sigma| PlayerSettings {
        evaluator: Model::embedded(evaluator).unwrap(),
        sigma,
        hash_mib: 4,
        ..PlayerSettings::default()
    };
    let kinds = [
        settings(EvaluatorKind::Nnue, 0.0),
        settings(EvaluatorKind::Material, 40.0),
        settings(EvaluatorKind::Linear, 20.0),
        settings(EvaluatorKind::Nnue, 60.0),
    ];
    let play = |settings: &PlayerSettings| {
        let mut player = Player::new(settings.clone()).unwrap();
        player.new_game(3);
        ["startpos", MIDDLEGAME, "startpos moves 7g7f"].map(|position| {
            let outcome = think(&mut player, position, &nodes(30_000));
            comparable(&outcome)
        })
    };
    let alone = kinds.each_ref().map(play);
    let together = thread::scope(|scope| {
        let deep = |settings| {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            builder.spawn_scoped(scope, move || play(settings)).unwrap()
        };
        kinds
            .each_ref()
            .map(deep)
            .map(|player| player.join().unwrap())
    });
    assert_eq!(together, alone);
}

#[test]
fn noise_makes_players_differ() {
    let votes: std::collections::HashSet<String> = (0..12)
        .map(|seed| think(&mut player(100.0, seed), "startpos", &nodes(3_000)))
        .map(|outcome| outcome.line.pv[0].to_string())
        .collect();
    assert!(votes.len() >= 3, "{votes:?}");
}

#[test]
fn a_node_limit_is_exact() {
    let outcome = think(&mut player(0.0, 1), MIDDLEGAME, &nodes(12_345));
    assert_eq!(outcome.line.nodes, 12_345);
}

#[test]
fn even_one_node_gives_a_legal_move() {
    let outcome = think(&mut player(50.0, 1), MIDDLEGAME, &nodes(1));
    let Answer::Move(mv) = outcome.answer else {
        panic!("{:?}", outcome.answer);
    };
    assert!(Game::from_usi(MIDDLEGAME).unwrap().is_legal(mv));
}

#[test]
fn mates_are_found_with_their_length() {
    // A gold on either side of the king's head mates at once.
    let mate_in_one = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let outcome = think(&mut player(0.0, 1), mate_in_one, &depth(3));
    assert_eq!(outcome.line.score, Score::Mate(1));
    assert_eq!(outcome.line.pv[0].to_string(), "G*5b");

    let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    let outcome = think(&mut player(0.0, 1), mated, &depth(3));
    assert_eq!(outcome.answer, Answer::Resign);
    assert_eq!(outcome.line.score, Score::Mate(0));
}

/// Tells whether a mate is found after the player's move.
fn walks_into_a_mate(search: &str, position: &str) -> bool {
    let mut player = Player::new(PlayerSettings {
        evaluator: Model::embedded(EvaluatorKind::Nnue).unwrap(),
        hash_mib: 16,
        search: search.parse().unwrap(),
        ..PlayerSettings::default()
    })
    .unwrap();
    player.new_game(1);
    let Answer::Move(mv) = think(&mut player, position, &nodes(150_000)).answer else {
        panic!("no move");
    };
    let mut game = Game::from_usi(position).unwrap();
    game.play(mv).unwrap();
    let mut mates = MateSearch::new(1 << 16);
    let (mate, _) = mates.search(&mut game.position().clone(), 30_000, &mut |_| false);
    matches!(mate, Mate::In { .. })
}

#[test]
fn mate_defence_sees_a_long_mate_by_the_other_side() {
    // From a lost game: at depth 14 the search saw an advantage of 18 pawns, and was mated in 17.
    let position =
        "sfen 1nS1k1Gnl/4s2g1/3p3pp/2psppp2/1p7/2PP1PP1P/+BPS+n5/K1gL3+r1/8R w BGNL3Plp 120";
    assert!(!walks_into_a_mate("mate_defence=25", position));
    assert!(!walks_into_a_mate(
        "mate_defence=25,mate_replay=2",
        position
    ));
}

#[test]
fn searches_beside_the_tree_keep_the_limit_of_nodes_and_can_be_repeated() {
    for search in ["mate_defence=100,mate_replay=2", "danger=4000"] {
        keeps_the_limit_and_can_be_repeated(search);
    }
}

fn keeps_the_limit_and_can_be_repeated(search: &str) {
    for position in [
        "sfen 1nS1k1Gnl/4s2g1/3p3pp/2psppp2/1p7/2PP1PP1P/+BPS+n5/K1gL3+r1/8R w BGNL3Plp 120",
        MIDDLEGAME,
    ] {
        for limit in [100, 5_000, 20_000] {
            let outcomes = [(); 2].map(|()| {
                let settings = PlayerSettings {
                    hash_mib: 16,
                    search: search.parse().unwrap(),
                    ..PlayerSettings::default()
                };
                let mut player = Player::new(settings).unwrap();
                player.new_game(1);
                comparable(&think(&mut player, position, &nodes(limit)))
            });
            assert!(outcomes[0].4 <= limit, "{position}: {}", outcomes[0].4);
            assert_eq!(outcomes[0], outcomes[1], "{position}");
        }
    }
}

#[test]
fn every_principal_variation_is_playable() {
    let game = Game::from_usi(MIDDLEGAME).unwrap();
    let mut lines = Vec::new();
    player(30.0, 5).think(&game, &nodes(60_000), &Control::new(), &mut |line| {
        lines.push(line.clone());
    });
    assert!(lines.len() > 5);
    for line in lines {
        let mut game = game.clone();
        for mv in line.pv {
            game.play(mv).unwrap();
        }
    }
}

#[test]
fn a_search_without_limits_ends_when_it_is_stopped() {
    let control = Control::new();
    let handle = control.clone();
    let (started, begun) = channel();
    let search = thread::spawn(move || {
        let game = Game::from_usi(MIDDLEGAME).unwrap();
        let mut player = player(0.0, 1);
        player.think(&game, &Limits::default(), &control, &mut |_| {
            let _ = started.send(());
        })
    });
    begun.recv().unwrap();
    handle.stop();
    let outcome = search.join().unwrap();
    assert!(matches!(outcome.answer, Answer::Move(_)));
}

#[test]
fn a_ponder_hit_brings_limits_to_a_running_search() {
    let control = Control::new();
    let handle = control.clone();
    let search = thread::spawn(move || {
        let game = Game::startpos();
        player(0.0, 1).think(&game, &Limits::default(), &control, &mut |_| ())
    });
    handle.stop_at(Instant::now() + Duration::from_millis(20));
    search.join().unwrap();

    let control = Control::new();
    control.limit_nodes(5_000);
    let outcome =
        player(0.0, 1).think(&Game::startpos(), &Limits::default(), &control, &mut |_| ());
    assert_eq!(outcome.line.nodes, 5_000);
}

#[test]
fn a_repetition_that_loses_by_perpetual_check_is_avoided() {
    // Black is far behind and would accept a draw, but its checks lose at the fourth occurrence.
    let position = "sfen 4k4/9/9/9/3R5/9/9/9/4K4 b r2b4g4s 1 moves \
                    6e5e 5a6a 5e6e 6a5a 6e5e 5a6a 5e6e 6a5a";
    let outcome = think(&mut player(0.0, 1), position, &depth(6));
    assert_ne!(outcome.line.pv[0].to_string(), "6e5e");
}

#[test]
fn a_declaration_is_claimed() {
    let position = "2GK1+L3/2+P+S+R1G+N1/3+B1GG2/9/+r8/1+bs6/+p+p3+n3/2+n2k3/6+p2 b 2SN7P3l7p 375";
    let outcome = think(&mut player(0.0, 1), position, &depth(1));
    assert_eq!(outcome.answer, Answer::Win);
}

/// Pondering from the opponent's position prepares the replies, whichever is played.
#[test]
fn pondering_from_the_opponents_position_prepares_every_reply() {
    let game = Game::from_usi("startpos moves 7g7f 3c3d 2g2f 4c4d 4i5h").expect("a game");
    let (mut prepared, mut unprepared) = (0, 0);
    for after in replies(&game) {
        let to_depth = |ponders| {
            let mut player = material_player(SearchChoices::default());
            if ponders {
                player.ponder(&game, &nodes(400_000), &Control::new(), &mut |_| ());
            }
            let outcome = player.think(&after, &depth(7), &Control::new(), &mut |_| ());
            outcome.line.nodes
        };
        prepared += to_depth(true);
        unprepared += to_depth(false);
    }
    assert!(prepared < unprepared, "{prepared} nodes, else {unprepared}");
}

/// The table is filled with draws that are worth what they are to us, not to the opponent.
#[test]
fn pondering_from_the_opponents_position_counts_draws_as_our_searches_do() {
    let game = Game::from_usi("sfen 4k4/9/9/9/9/9/9/9/4K3R w - 100").expect("a game");
    let game = game.with_rules(GameRules {
        maximum_plies: NonZeroU32::new(100),
        draw_values: [-50, -70],
        ..GameRules::default()
    });
    let control = Control::new();
    let pondered = player(0.0, 1).ponder(&game, &depth(3), &control, &mut |_| ());
    assert_eq!(pondered.line.score, Score::Cp(50));
}

/// A table that was filled by other rules, or with draws that are worth what they are to the other side, is of no use.
#[test]
fn results_by_other_rules_are_forgotten() {
    let draws_that_neither_wants = GameRules {
        maximum_plies: NonZeroU32::new(8),
        draw_values: [-200, -200],
        ..GameRules::default()
    };
    let plies = |plies| GameRules {
        maximum_plies: NonZeroU32::new(plies),
        ..GameRules::default()
    };
    let kings = "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1";
    let mate = "sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1";
    for (first, by, second, rules, limit) in [
        (
            kings,
            draws_that_neither_wants,
            "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1 moves 5i5h",
            draws_that_neither_wants,
            depth(6),
        ),
        (mate, plies(2), mate, plies(3), depth(5)),
    ] {
        let think = |player: &mut Player, text, rules, limit: &Limits| {
            let game = Game::from_usi(text).expect("a game").with_rules(rules);
            comparable(&player.think(&game, limit, &Control::new(), &mut |_| ()))
        };
        let mut used = player(0.0, 1);
        think(&mut used, first, by, &nodes(20_000));
        let found = think(&mut used, second, rules, &limit);
        let fresh = think(&mut player(0.0, 1), second, rules, &limit);
        assert_eq!(found, fresh, "{second}");
    }
}

/// Without the transposition table, the ponder table alone names the move to begin with (Shimoyama, section 9):
/// some nodes then find what takes two plies otherwise.
#[test]
fn pondering_without_a_transposition_table_names_the_first_move_of_every_reply() {
    let game = Game::from_usi("startpos moves 7g7f 3c3d 2g2f 4c4d 4i5h").expect("a game");
    let (mut prepared, mut unprepared) = (0, 0);
    for after in replies(&game) {
        let found = |ponders, limit| {
            let mut player = material_player(SearchChoices::plain());
            if ponders {
                player.ponder(&game, &nodes(1_000_000), &Control::new(), &mut |_| ());
            }
            let outcome = player.think(&after, &limit, &Control::new(), &mut |_| ());
            outcome.line.pv[0]
        };
        let good = found(false, depth(2));
        prepared += usize::from(found(true, nodes(6)) == good);
        unprepared += usize::from(found(false, nodes(6)) == good);
    }
    assert!(
        prepared > unprepared,
        "{prepared} of the moves, else {unprepared}"
    );
}

/// Returns the game after some of the opponent's moves.
fn replies(game: &Game) -> impl Iterator<Item = Game> {
    let moves = game.legal_moves().into_iter().step_by(6);
    moves.map(|reply| {
        let mut after = game.clone();
        after.play(reply).expect("legal");
        after
    })
}

fn material_player(choices: SearchChoices) -> Player {
    let mut player = Player::new(PlayerSettings {
        evaluator: Model::material(),
        hash_mib: 4,
        search: choices,
        ..PlayerSettings::default()
    })
    .expect("a player");
    player.new_game(0);
    player
}

#[test]
fn noise_on_the_weights_is_a_function_of_the_seed() {
    let settings = PlayerSettings {
        sigma: 30.0,
        noise_model: NoiseModel::Weights,
        hash_mib: 16,
        ..PlayerSettings::default()
    };
    let think_with = |seed| {
        let mut player = Player::new(settings.clone()).unwrap();
        player.new_game(seed);
        comparable(&think(&mut player, MIDDLEGAME, &nodes(20_000)))
    };
    let one = think_with(1);
    assert_eq!(one, think_with(1));
    assert_ne!(one, think_with(2));
    assert_ne!(
        one,
        comparable(&think(&mut player(30.0, 1), MIDDLEGAME, &nodes(20_000)))
    );
    // The next game's seed replaces the noise instead of adding to it.
    let mut player = Player::new(settings.clone()).unwrap();
    player.new_game(2);
    think(&mut player, MIDDLEGAME, &nodes(1_000));
    player.new_game(1);
    assert_eq!(
        one,
        comparable(&think(&mut player, MIDDLEGAME, &nodes(20_000)))
    );
}

#[test]
fn multi_pv_ranks_several_moves() {
    let limits = |multi_pv| Limits {
        multi_pv,
        ..depth(6)
    };
    let alone = think(&mut player(0.0, 0), MIDDLEGAME, &limits(None));
    assert!(alone.line.candidates.is_empty());
    let outcome = think(&mut player(0.0, 0), MIDDLEGAME, &limits(Some(4)));
    let ranked = &outcome.line.candidates;
    assert_eq!(ranked.len(), 4);
    assert_eq!(outcome.answer, Answer::Move(ranked[0].mv));
    assert_eq!(outcome.line.score, ranked[0].score);
    let game = Game::from_usi(MIDDLEGAME).unwrap();
    for (index, candidate) in ranked.iter().enumerate() {
        assert!(game.is_legal(candidate.mv));
        let before = &ranked[..index];
        assert!(before.iter().all(|other| other.mv != candidate.mv));
    }
    let scores = ranked.iter().map(|ranked| ranked.score.to_centipawns());
    assert!(scores.is_sorted_by(|better, worse| better >= worse));
    assert_eq!(outcome.line.pv, ranked[0].pv);
    assert_eq!(outcome.line.ranked_depth, 6);
    for candidate in ranked {
        let mut played = game.clone();
        assert_eq!(candidate.pv.first(), Some(&candidate.mv));
        let plays = |mv: &Move| played.play(*mv).is_ok();
        assert!(candidate.pv.iter().all(plays), "{candidate:?}");
    }
    // With fewer legal moves, all are ranked.
    let few = Game::from_usi("4k4/9/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
    let mut asked = player(0.0, 0);
    let outcome = asked.think(&few, &limits(Some(50)), &Control::new(), &mut |_| ());
    assert_eq!(outcome.line.candidates.len(), few.legal_moves().len());
}

/// The time control counts iterations.
#[test]
fn an_iteration_ends_once_however_many_moves_are_ranked() {
    let game = Game::from_usi(MIDDLEGAME).unwrap();
    for multi_pv in [None, Some(3)] {
        let limits = Limits {
            multi_pv,
            ..depth(5)
        };
        let mut ended = Vec::new();
        player(0.0, 0).think(&game, &limits, &Control::new(), &mut |line| {
            if line.ends_iteration {
                ended.push(line.depth);
            }
        });
        assert_eq!(ended, [1, 2, 3, 4, 5], "{multi_pv:?}");
    }
}

#[test]
fn only_the_asked_moves_are_searched() {
    let game = Game::from_usi(MIDDLEGAME).unwrap();
    let best = think(&mut player(0.0, 0), MIDDLEGAME, &depth(6)).line.pv[0];
    let others: Vec<Move> = (game.legal_moves().into_iter())
        .filter(|&mv| mv != best)
        .take(3)
        .collect();
    let asked = |search_moves: &[Move], multi_pv| Limits {
        search_moves: search_moves.to_vec(),
        multi_pv,
        ..depth(6)
    };
    let outcome = think(&mut player(0.0, 0), MIDDLEGAME, &asked(&others, None));
    assert!(others.contains(&outcome.line.pv[0]), "{outcome:?}");
    let outcome = think(&mut player(0.0, 0), MIDDLEGAME, &asked(&others, Some(8)));
    assert_eq!(outcome.line.candidates.len(), 3);
    assert!((outcome.line.candidates.iter()).all(|ranked| others.contains(&ranked.mv)));
    // Without a legal move among them, all moves are searched.
    let illegal: Move = "5e5d".parse().unwrap();
    let outcome = think(&mut player(0.0, 0), MIDDLEGAME, &asked(&[illegal], None));
    assert_eq!(outcome.line.pv[0], best);
}

/// A declined promotion can be what avoids mate by a dropped pawn.
#[test]
fn a_declined_promotion_that_was_asked_for_is_searched() {
    let position = "startpos moves 7g7f 3c3d";
    let asked = |moves: &[&str], multi_pv| Limits {
        search_moves: moves.iter().map(|mv| mv.parse().unwrap()).collect(),
        multi_pv,
        ..depth(5)
    };
    let outcome = think(&mut player(0.0, 0), position, &asked(&["8h2b"], None));
    assert_eq!(outcome.line.pv[0].to_string(), "8h2b");
    assert_eq!((outcome.line.depth, outcome.line.pv.len() > 1), (5, true));
    let outcome = think(
        &mut player(0.0, 0),
        position,
        &asked(&["9g9f", "8h2b"], Some(2)),
    );
    let mut ranked: Vec<String> = (outcome.line.candidates.iter())
        .map(|ranked| ranked.mv.to_string())
        .collect();
    ranked.sort();
    assert_eq!(ranked, ["8h2b", "9g9f"]);
}

/// The mate search finds a nearer mate than the search that goes on.
#[test]
fn a_mate_that_is_found_at_the_root_is_not_given_up_for_a_longer_one() {
    let game = Game::from_usi(
        "startpos moves 7g7f 3c3d 6i7h 8c8d 2g2f 4a3b 8h2b+ 3a2b 2f2e 7a6b 3i4h 8d8e 7i8h 5a4a 3g3f B*5d \
        8h7g 5d3f 5i6i 2b3c 4i5h 3f5d 4h3g 4c4d 5g5f 7c7d 3g4f 5d4c B*6f 5c5d 5f5e 6b5c 5e5d 4c5d 2e2d \
        2c2d P*2e 5c6d 2e2d P*2g 2h4h 7d7e 4f5e 6d5e 6f5e S*6d 5e4f 7e7f 7g6f 8e8f 8g8f P*8h S*6e 5d6e \
        6f6e 8h8i+ 2d2c+ 3b2c B*4c 6a5b 4c2a+ 2c2b P*5c 2b2a 5c5b+ 8b5b 6e6d 8i8h 7h8h P*5g S*5c 5b2b \
        P*2c 5g5h+ 4h5h P*5g 4f5g N*7g 6i7i S*8i 8h8i 7g8i+ 7i6i 2b2c P*2d G*7i 6i5i B*1e 5i4i 4a3b \
        2d2c+ 3b2c R*2e 3c2d 5g2d G*5i 5h5i 1e5i+ 4i5i P*5h 5i4h R*3h 4h3h 2g2h+ 3h2h P*2g 2h3g 2a2b",
    )
    .unwrap();
    for multi_pv in [None, Some(2)] {
        let limits = Limits {
            multi_pv,
            ..nodes(40_000)
        };
        let mut mates = Vec::new();
        let outcome = player(0.0, 0).think(&game, &limits, &Control::new(), &mut |line| {
            mates.extend(match line.score {
                Score::Mate(plies) => Some(plies),
                Score::Cp(_) => None,
            });
        });
        assert!(mates.contains(&5), "{mates:?}");
        assert!(
            mates.is_sorted_by(|earlier, later| earlier >= later),
            "{mates:?}"
        );
        assert_eq!(outcome.line.pv.len(), 5);
    }
}

/// A move that mates ends the ranking only when every ranked move is decided.
#[test]
fn a_mate_leaves_the_other_moves_to_be_ranked() {
    let game = Game::from_usi("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
    let limits = Limits {
        multi_pv: Some(3),
        ..depth(5)
    };
    let outcome = player(0.0, 0).think(&game, &limits, &Control::new(), &mut |_| ());
    assert_eq!(outcome.line.score, Score::Mate(1));
    assert_eq!(outcome.line.candidates.len(), 3);
    assert_eq!(outcome.line.ranked_depth, 5);
}
