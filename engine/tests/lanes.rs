//! Consultation inside one search (Tohske, section 4): each lane is a player.

use monju_engine::{
    Control, Game, Limits, Line, Move, Player, PlayerSettings, SearchChoices, bench::MIDDLEGAME,
    eval::NoiseModel,
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

fn player(lanes: usize, sigma: f64, noise_model: NoiseModel, search: SearchChoices) -> Player {
    Player::new(PlayerSettings {
        sigma,
        noise_model,
        hash_mib: 1,
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

/// Holds each lane of a plain search against the player with its seed.
fn compare_with_players(noise_model: NoiseModel, games: &[Game]) {
    let lanes = 8;
    let plain = SearchChoices::plain();
    let mut vector = player(lanes, 50.0, noise_model, plain);
    let mut single = player(1, 50.0, noise_model, plain);
    let mut different = 0;
    for game in games {
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
}

#[test]
fn a_lane_of_the_plain_search_is_the_player_with_its_seed() {
    deep(|| {
        let games: Vec<Game> = positions().into_iter().step_by(4).collect();
        assert!(games.len() > 60, "{}", games.len());
        compare_with_players(NoiseModel::Position, &games);
    });
}

#[test]
fn a_lane_with_noise_at_the_leaves_is_the_player_with_its_seed() {
    deep(|| {
        let games: Vec<Game> = positions().into_iter().step_by(4).collect();
        compare_with_players(NoiseModel::Leaf, &games);
    });
}

#[test]
fn cuts_change_no_value() {
    deep(|| {
        let [mut minimax, mut cutting] = [SearchChoices::minimax(), SearchChoices::plain()]
            .map(|search| player(4, 50.0, NoiseModel::Position, search));
        // After many random moves, pawns can promote in too many orders for quiescence without cuts.
        let games = positions();
        let young = games.iter().filter(|game| game.moves().len() < 20);
        for game in young.step_by(4) {
            let reference = think(&mut minimax, 5, game, 2);
            let line = think(&mut cutting, 5, game, 2);
            let scores = |line: &Line| line.lanes.iter().map(|lane| lane.score).collect::<Vec<_>>();
            assert_eq!(scores(&line), scores(&reference), "{}", game.position());
            assert!(line.nodes < reference.nodes, "{}", game.position());
        }
    });
}

/// Returns the number of positions in which not all of the moves are the same.
fn disagreements(moves: &[Vec<Move>]) -> usize {
    let differ = |moves: &&Vec<Move>| moves.iter().any(|mv| *mv != moves[0]);
    moves.iter().filter(differ).count()
}

#[test]
fn lanes_disagree_nearly_as_often_as_separate_players() {
    deep(|| {
        // After random moves, as in the other tests, one move is often obvious.
        let openings = include_str!("../../configs/openings/records2016_24ply.sfen");
        let games: Vec<Game> = (openings.lines().filter(|line| line.starts_with("startpos")))
            .step_by(29)
            .map(|line| Game::from_usi(line).expect("a good opening"))
            .collect();
        assert!(games.len() >= 100, "{}", games.len());
        let lanes = 8;
        let (mut together, mut apart) = (Vec::new(), Vec::new());
        let new = |lanes| player(lanes, 50.0, NoiseModel::Position, SearchChoices::NONE);
        let (mut vector, mut single) = (new(lanes), new(1));
        for game in &games {
            let line = think(&mut vector, 30, game, 4);
            together.push(line.lanes.iter().map(|lane| lane.mv).collect());
            let mut alone = |lane| think(&mut single, 30 + lane, game, 4).pv[0];
            apart.push((0..lanes as u64).map(&mut alone).collect());
        }
        let (together, apart) = (disagreements(&together), disagreements(&apart));
        println!(
            "lanes {together}, separate players {apart} of {}",
            games.len()
        );
        assert!(
            10 * together >= 8 * apart,
            "lanes {together}, separate players {apart} of {}",
            games.len()
        );
    });
}

#[test]
fn the_leader_has_most_votes_and_a_line() {
    deep(|| {
        let mut vector = player(4, 50.0, NoiseModel::Position, SearchChoices::NONE);
        for sfen in &MIDDLEGAME[..6] {
            let game = Game::from_usi(sfen).expect("a good position");
            let line = think(&mut vector, 9, &game, 8);
            assert_eq!(line.lanes.len(), 4);
            for lane in &line.lanes {
                assert!(game.is_legal(lane.mv), "{} in {sfen}", lane.mv);
            }
            let votes = |mv| line.lanes.iter().filter(|lane| lane.mv == mv).count();
            let most = line.lanes.iter().map(|lane| votes(lane.mv)).max();
            assert_eq!(Some(votes(line.pv[0])), most);
            let mut after = game.clone();
            for mv in &line.pv {
                after.play(*mv).expect("a legal line");
            }
            assert!(line.pv.len() > 1, "{sfen}");
        }
    });
}

#[test]
fn lanes_without_noise_are_unanimous() {
    deep(|| {
        let mut vector = player(5, 0.0, NoiseModel::Position, SearchChoices::NONE);
        for game in positions().iter().step_by(5) {
            let line = think(&mut vector, 0, game, 6);
            assert!(line.lanes.iter().all(|lane| *lane == line.lanes[0]));
        }
    });
}

#[test]
fn several_lanes_refuse_several_threads() {
    let settings = PlayerSettings {
        lanes: 2,
        threads: 2,
        sigma: 50.0,
        ..PlayerSettings::default()
    };
    let error = Player::new(settings).expect_err("two of both");
    assert!(error.to_string().contains("threads = 1"), "{error}");
}
