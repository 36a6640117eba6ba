//! Searches on several threads: legal moves, playable lines and true mates, whenever they stop.

use monju_engine::{
    Answer, Control, Game, Limits, Line, Player, PlayerError, PlayerSettings, Score, SearchChoices,
    bench::MIDDLEGAME,
};
use std::{
    thread,
    time::{Duration, Instant},
};

fn player(threads: usize) -> Player {
    let settings = PlayerSettings {
        hash_mib: 4,
        threads,
        ..PlayerSettings::default()
    };
    Player::new(settings).unwrap()
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

/// A linear congruential generator.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

/// Plays random moves; the game is not over.
fn random_game(random: &mut Lcg) -> Game {
    let mut game = Game::startpos();
    for _ in 0..random.below(120) {
        let moves = game.legal_moves();
        let mut next = game.clone();
        let mv = moves[random.below(moves.len())];
        next.play(mv).unwrap();
        if next.legal_moves().is_empty() {
            break;
        }
        game = next;
    }
    game
}

fn assert_playable(game: &Game, line: &Line) {
    let mut game = game.clone();
    for &mv in &line.pv {
        game.play(mv)
            .unwrap_or_else(|error| panic!("{error} in {line:?} of {}", game.position()));
    }
    if let Score::Mate(plies) = line.score {
        // The longest search, and the longest mate behind it.
        assert!(plies.unsigned_abs() <= 128 + 192, "{line:?}");
    }
}

/// Searches random positions with limits of every kind, and stops at random times.
fn stress(searches: usize, seed: u64) {
    let mut random = Lcg(seed);
    let mut players = [player(2), player(4)];
    for round in 0..searches {
        let game = random_game(&mut random);
        let player = &mut players[round % 2];
        let control = Control::new();
        let moment = Duration::from_micros(random.below(6000) as u64);
        let mut limits = Limits::default();
        let kind = random.below(4);
        match kind {
            0 => limits.nodes = Some(1 + random.below(8000) as u64),
            1 => limits.depth = Some(1 + random.below(6) as u32),
            2 => limits.time = Some(moment),
            _ => {}
        }
        let handle = control.clone();
        let stopper = (kind == 3).then(|| {
            thread::spawn(move || {
                thread::sleep(moment);
                handle.stop();
            })
        });
        let mut last = 0;
        let outcome = player.think(&game, &limits, &control, &mut |line| {
            assert_playable(&game, line);
            assert!(line.nodes >= last && !line.pv.is_empty());
            last = line.nodes;
        });
        if let Some(stopper) = stopper {
            stopper.join().unwrap();
        }
        let line = &outcome.line;
        assert_playable(&game, line);
        match outcome.answer {
            Answer::Move(mv) => {
                assert!(game.is_legal(mv));
                assert_eq!(line.pv.first(), Some(&mv));
            }
            Answer::Resign => assert!(game.legal_moves().is_empty()),
            Answer::Win => assert!(game.can_declare_win()),
        }
        assert!(line.nodes >= last);
        if let Some(limit) = limits.nodes {
            assert!(line.nodes <= limit + 4 * 512, "{} > {limit}", line.nodes);
        }
        if let Some(limit) = limits.depth {
            assert!(line.depth <= limit);
        }
    }
}

#[test]
fn answers_are_sound_whenever_a_search_stops() {
    // For more searches: MONJU_STRESS=5000 cargo test -p monju-engine --test threads
    let searches = std::env::var("MONJU_STRESS").ok();
    stress(
        searches.and_then(|text| text.parse().ok()).unwrap_or(150),
        11,
    );
}

#[test]
fn a_shared_tree_has_the_value_of_one_searched_alone() {
    // The value of this search is the minimax value, in whatever order the tree is searched.
    let search = format!("{},split_depth=2,split_patience=1", SearchChoices::plain());
    let [mut alone, mut two, mut four] = [1, 2, 4].map(|threads| {
        let settings = PlayerSettings {
            threads,
            search: search.parse().unwrap(),
            ..PlayerSettings::default()
        };
        Player::new(settings).unwrap()
    });
    for sfen in &MIDDLEGAME[..6] {
        let game = Game::from_usi(&format!("sfen {sfen}")).unwrap();
        let think = |player: &mut Player| {
            let outcome = player.think(&game, &depth(4), &Control::new(), &mut |_| ());
            outcome.line.score
        };
        let score = think(&mut alone);
        for _ in 0..3 {
            assert_eq!(
                (think(&mut two), think(&mut four)),
                (score, score),
                "{sfen}"
            );
        }
    }
}

#[test]
fn mates_are_found_and_carried_out() {
    // From games; the mates take 5 to 9 plies.
    let mates = [
        "6+B1l/1r4l2/l3G2k1/p1psP1pp1/1p6p/P1Ps5/1P4+s1P/1K1+p4+r/LNS6 w BP3g3n5p 158",
        "lr2n2nl/6kb1/2nsGg1g1/p1pp2ppp/1p3R3/P1PP3PP/1PN6/2GB3+sL/L1K6 b 2S2P3p 113",
        "+B4p1nl/4gk3/pB5p1/3Pp1P1P/PppngN1P1/1l3P3/9/1GK2SR2/LN6+r b G3S3Pl3p 103",
        "l2g1ksnl/2sr2P2/3pp+S1pp/9/1nP6/P2P1b2P/1B2P4/1P1KG1+p2/LNS4NL b RG3Pg3p 69",
        "l1+S4Rl/6k2/p1n1p1gpN/2p1g1p1p/Pp5N1/2PS1PP1P/1P1b1S3/7R1/LN5KL b 2Pb2gs3p 109",
        "l1+N2gknl/9/p5sp1/2p3p2/4Pp1Pp/P1P3P+B1/2+r5P/2g6/L2PK2+b+n w L2Pr2g3sn3p 124",
    ];
    for threads in [2, 4] {
        let mut player = player(threads);
        for sfen in mates {
            let game = Game::from_usi(sfen).unwrap();
            player.new_game(0);
            let line = player
                .think(&game, &depth(16), &Control::new(), &mut |_| ())
                .line;
            let Score::Mate(plies) = line.score else {
                panic!("{threads} threads: {line:?} of {sfen}");
            };
            assert_eq!(plies, line.pv.len() as i32, "{line:?} of {sfen}");
            let mut end = game;
            for mv in line.pv {
                end.play(mv).unwrap();
            }
            assert!(end.legal_moves().is_empty(), "{sfen}");
        }
    }
}

#[test]
fn the_number_of_threads_has_bounds() {
    for threads in [0, PlayerSettings::MAX_THREADS + 1] {
        let settings = PlayerSettings {
            threads,
            ..PlayerSettings::default()
        };
        let error = Player::new(settings).unwrap_err();
        assert!(matches!(error, PlayerError::Threads { given, .. } if given == threads));
    }
}

#[test]
fn a_deep_search_ends_on_every_thread_at_its_deadline() {
    let game = Game::startpos();
    let control = Control::new();
    let handle = control.clone();
    // The deadline is set once the search is deep, however slow the machine is.
    let mut set_deadline = |line: &Line| {
        if line.depth == 5 {
            handle.stop_at(Instant::now() + Duration::from_millis(100));
        }
    };
    let outcome = player(4).think(&game, &Limits::default(), &control, &mut set_deadline);
    assert!(matches!(outcome.answer, Answer::Move(_)));
    assert!(outcome.line.depth > 4);
}
