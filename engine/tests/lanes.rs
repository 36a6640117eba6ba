//! Consultation inside one search (paper 000, section 4): each lane is a player.

use monju_engine::{
    Control, Game, Limits, Line, Player, PlayerSettings, SearchChoices, SearchOptions,
    bench::MIDDLEGAME,
};

/// Runs work on a thread with enough stack for a search.
fn deep(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(work)
        .expect("a thread")
        .join()
        .expect("no panic");
}

/// Creates a player. For a comparison of both kinds of table, `hash_mib` must be so large that no
/// entry is replaced.
fn player(lanes: usize, sigma: f64, hash_mib: usize, search: SearchChoices) -> Player {
    with_threads(lanes, sigma, hash_mib, search, 1)
}

fn with_threads(
    lanes: usize,
    sigma: f64,
    hash_mib: usize,
    search: SearchChoices,
    threads: usize,
) -> Player {
    Player::new(PlayerSettings {
        sigma,
        hash_mib,
        threads,
        lanes,
        search,
        ..PlayerSettings::default()
    })
    .expect("good settings")
}

fn think(player: &mut Player, seed: u64, game: &Game, depth: u32) -> Line {
    player.new_game(seed);
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    player
        .think(game, &limits, &Control::new(), &mut |_| ())
        .line
}

/// Returns positions of all phases: middlegames, and positions after random moves from there.
fn positions() -> Vec<Game> {
    let mut games = Vec::new();
    let mut state = 1u64;
    for sfen in MIDDLEGAME {
        let mut game = Game::from_usi(sfen).expect("a good position");
        for ply in 0..60 {
            let moves = game.legal_moves();
            if moves.is_empty() {
                break;
            }
            if ply % 5 == 0 {
                games.push(game.clone());
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            game.play(moves[(state >> 33) as usize % moves.len()])
                .expect("a legal move");
        }
    }
    games
}

#[test]
fn a_lane_of_the_plain_search_is_the_player_with_its_seed() {
    deep(|| {
        let lanes = 8;
        let plain = SearchChoices::plain();
        let mut vector = player(lanes, 50.0, 1, plain);
        let mut single = player(1, 50.0, 1, plain);
        let mut different = 0;
        let games = positions();
        assert!(games.len() > 250, "{}", games.len());
        for game in &games {
            let line = think(&mut vector, 70, game, 2);
            assert_eq!(line.lanes.len(), lanes);
            for (lane, opinion) in line.lanes.iter().enumerate() {
                let alone = think(&mut single, 70 + lane as u64, game, 2);
                assert_eq!(
                    opinion.score,
                    alone.score,
                    "lane {lane} of {}",
                    game.position()
                );
            }
            let first = line.lanes[0].mv;
            different += usize::from(line.lanes.iter().any(|lane| lane.mv != first));
        }
        assert!(
            different * 4 > games.len(),
            "the lanes agree too often: {different}"
        );
    });
}

#[test]
fn cuts_change_no_value() {
    deep(|| {
        let [mut minimax, mut cutting] = [SearchChoices::minimax(), SearchChoices::plain()]
            .map(|search| player(4, 50.0, 1, search));
        // After many random moves, pawns can promote in too many orders for quiescence without cuts.
        let games = positions();
        let young = games.iter().filter(|game| game.moves().len() < 20);
        for game in young.step_by(2) {
            let reference = think(&mut minimax, 5, game, 2);
            let line = think(&mut cutting, 5, game, 2);
            let scores = |line: &Line| line.lanes.iter().map(|lane| lane.score).collect::<Vec<_>>();
            assert_eq!(scores(&line), scores(&reference), "{}", game.position());
            assert!(line.nodes < reference.nodes, "{}", game.position());
        }
    });
}

#[test]
fn lanes_without_noise_search_the_tree_of_one_player() {
    deep(|| {
        let mut vector = player(5, 0.0, 64, SearchChoices::NONE);
        // The windows of lanes are twice as wide.
        let options = SearchOptions::of(vector.settings().evaluator.kind());
        let wide = format!("root_window={}", 2 * options.root_window);
        let mut single = player(1, 0.0, 64, wide.parse().expect("a search option"));
        for game in positions().iter().step_by(5) {
            let one = think(&mut single, 0, game, 7);
            let many = think(&mut vector, 0, game, 7);
            assert_eq!(many.nodes, one.nodes, "{}", game.position());
            assert_eq!((many.score, &many.pv), (one.score, &one.pv));
            assert!(many.lanes.iter().all(|lane| lane.mv == one.pv[0]));
        }
    });
}

#[test]
fn lanes_and_threads_work_together() {
    deep(|| {
        let mut vector = with_threads(4, 50.0, 16, SearchChoices::NONE, 3);
        for sfen in &MIDDLEGAME[..6] {
            let game = Game::from_usi(sfen).expect("a good position");
            let line = think(&mut vector, 9, &game, 9);
            assert_eq!(line.lanes.len(), 4);
            for lane in &line.lanes {
                assert!(game.is_legal(lane.mv), "{} in {sfen}", lane.mv);
            }
            let votes = |mv| line.lanes.iter().filter(|lane| lane.mv == mv).count();
            let most = line.lanes.iter().map(|lane| votes(lane.mv)).max();
            assert_eq!(Some(votes(line.pv[0])), most);
        }
    });
}
