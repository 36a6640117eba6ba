//! The states of logged searches.

use crate::searches::{LoggedGame, LoggedSearch};
use monju_engine::{
    judge::{
        AgreementTracker, Difficulty, Observation, SearchJudge, SearchProgress, StabilityTracker,
        TeamProgress, TimeStage,
    },
    rules::{Game, Move},
    search::Iteration,
};
use std::time::Duration;

/// Longest times that a logged search stands for, as divisors of its own in tenths.
const CUTS: [u64; 6] = [10, 14, 20, 28, 40, 80];

/// One iteration of a search with a longest time, or of one of the searches of a team.
#[derive(Clone, Debug)]
pub(super) struct SearchState<const N: usize> {
    /// Features that are present.
    pub features: [u16; N],
    /// The best move does not change any more.
    pub is_high: bool,
    /// The best move is that of the whole search.
    pub is_right: bool,
    /// Part of the longest time that has passed.
    pub share: f32,
    /// Part of the longest time up to the end of the next iteration.
    pub next: f32,
    /// Difficulty by the judge that is made by hand.
    pub difficulty: f32,
    /// It is the first of its search.
    pub begins: bool,
}

/// Returns the states of all searches of a game; `cuts` of each longest time, or the whole one alone.
pub(super) fn states_of(
    game: &LoggedGame,
    with_cuts: bool,
) -> Vec<SearchState<{ SearchProgress::FEATURES }>> {
    let cuts = if with_cuts { &CUTS[..] } else { &CUTS[..1] };
    let mut states = Vec::new();
    let mut before = Game::from_parts::<String>(game.game.start(), &[]).ok();
    let mut played = 0;
    for search in &game.searches {
        if let Some(position) = &mut before {
            for &mv in &game.game.moves()[played.min(search.ply)..search.ply] {
                // The game was checked when it was read.
                let _ = position.play(mv);
            }
            played = search.ply;
            for cut in cuts {
                // Of a shorter search only the end of its last iteration is known.
                let ended = (*cut == CUTS[0]).then_some(search.mv);
                add_states(
                    position,
                    search,
                    (search.nodes * 10 / cut, ended),
                    &mut states,
                );
            }
        }
    }
    states
}

fn add_states(
    game: &Game,
    search: &LoggedSearch,
    (longest, ended): (u64, Option<Move>),
    states: &mut Vec<SearchState<{ SearchProgress::FEATURES }>>,
) {
    let iterations: Vec<_> = (search.iterations.iter())
        .take_while(|iteration| iteration.nodes <= longest)
        .collect();
    let (mut judge, mut tracker) = (SearchJudge::new(game), StabilityTracker::default());
    let moments = iterations.iter().map(|iteration| IterationEnd {
        nodes: iteration.nodes,
        mv: iteration.best_move(),
        progress: judge.observe(iteration),
        difficulty: tracker.observe(iteration).difficulty() as f32,
    });
    let moments: Vec<_> = moments.collect();
    add_moments(&moments, (longest, ended), SearchProgress::features, states);
}

/// Returns the states of all moves of a team in a game; `cuts` of each longest time, or the whole one alone.
pub(super) fn team_states_of(
    game: &LoggedGame,
    with_cuts: bool,
) -> Vec<SearchState<{ TeamProgress::FEATURES }>> {
    let cuts = if with_cuts { &CUTS[..] } else { &CUTS[..1] };
    let mut states = Vec::new();
    let of_one_move = (game.searches).chunk_by(|one, other| one.ply == other.ply);
    for searches in of_one_move.filter(|searches| searches.len() > 1) {
        let longest = searches.iter().map(|search| search.nodes).max();
        for cut in cuts {
            let longest = longest.unwrap_or(0) * 10 / cut;
            add_team_states(searches, (longest, *cut == CUTS[0]), &mut states);
        }
    }
    states
}

fn add_team_states(
    searches: &[LoggedSearch],
    (longest, is_whole): (u64, bool),
    states: &mut Vec<SearchState<{ TeamProgress::FEATURES }>>,
) {
    // The players search side by side, a node at a time.
    let mut events: Vec<(usize, &Iteration)> = (searches.iter().enumerate())
        .flat_map(|(player, search)| search.iterations.iter().map(move |one| (player, one)))
        .filter(|(_, iteration)| iteration.nodes <= longest)
        .collect();
    events.sort_by_key(|&(player, iteration)| (iteration.nodes, player));
    let mut last: Vec<Option<(Move, String, &Iteration)>> = vec![None; searches.len()];
    let mut tracker = AgreementTracker::default();
    let mut leader = None;
    let mut moments = Vec::new();
    for (player, iteration) in events {
        let mv = iteration.best_move();
        last[player] = Some((mv, mv.to_string(), iteration));
        let Some((mv, name)) = leading(&last, leader) else {
            continue;
        };
        leader = Some(mv);
        let observations: Vec<_> = (last.iter())
            .map(|seen| {
                seen.as_ref().map(|(_, name, iteration)| Observation {
                    mv: name,
                    depth: iteration.depth,
                    score: Some(iteration.score),
                })
            })
            .collect();
        let agreement = tracker.observe(name, &observations, 0);
        // The parts of a normal move's time that the time policy `agreement` gives them.
        let difficulty = match agreement.difficulty() {
            Difficulty::Easy => 0.4,
            Difficulty::Normal => 1.0,
            Difficulty::Difficult => 3.0,
        };
        moments.push(IterationEnd {
            nodes: iteration.nodes,
            mv,
            progress: TeamProgress::from(&agreement),
            difficulty,
        });
    }
    let ends = searches.iter().map(|search| {
        let last = search.iterations.last()?;
        Some((search.mv, search.mv.to_string(), last))
    });
    let ends: Vec<_> = ends.collect();
    let ended = leading(&ends, leader).filter(|_| is_whole);
    let ended = (longest, ended.map(|(mv, _)| mv));
    add_moments(&moments, ended, TeamProgress::features, states);
}

/// Returns the move with most players, the last leader of equals if it is among them, else that of the first player.
fn leading<'a>(
    last: &'a [Option<(Move, String, &Iteration)>],
    leader: Option<Move>,
) -> Option<(Move, &'a str)> {
    let named = || {
        last.iter()
            .flatten()
            .map(|(mv, name, _)| (*mv, name.as_str()))
    };
    let count = |mv| named().filter(|(other, _)| *other == mv).count();
    // The last of equals is the greatest.
    (named().rev()).max_by_key(|&(mv, _)| (count(mv), Some(mv) == leader))
}

/// The end of an iteration.
struct IterationEnd<T> {
    nodes: u64,
    /// The move that would be played now.
    mv: Move,
    progress: T,
    /// Difficulty by the judge that is made by hand.
    difficulty: f32,
}

/// Adds the states of a search of `longest` nodes, with the move that it ended with, where that is known: an
/// iteration that was broken off may have changed it.
fn add_moments<T, const N: usize>(
    moments: &[IterationEnd<T>],
    (longest, ended): (u64, Option<Move>),
    features: impl Fn(&T, TimeStage) -> [u16; N],
    states: &mut Vec<SearchState<N>>,
) {
    // A search without a choice tells nothing.
    let [_, .., last] = moments else { return };
    let right = ended.unwrap_or(last.mv);
    let settled = moments.iter().rposition(|moment| moment.mv != right);
    let settled = settled.map_or(0, |last_wrong| last_wrong + 1);
    let time = Duration::from_micros;
    for (index, moment) in moments.iter().enumerate() {
        let next = moments.get(index + 1).map_or(longest, |next| next.nodes);
        states.push(SearchState {
            features: features(
                &moment.progress,
                TimeStage::of(time(moment.nodes), time(longest)),
            ),
            is_high: index >= settled,
            is_right: moment.mv == right,
            share: moment.nodes as f32 / longest as f32,
            next: (next - moment.nodes) as f32 / longest as f32,
            difficulty: moment.difficulty,
            begins: index == 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::searches::read_logs;
    use monju_engine::judge::Agreement;

    #[test]
    fn states_before_the_last_change_are_low() {
        let log = "game startpos moves 7g7f 3c3d\n\
                   search 1 1000 3c3d 1,10,0,900,8c8d 2,100,5,500,3c3d 3,200,5,500,8c8d 4,400,9,800,3c3d 5,700,9,900,3c3d\n\
                   end\n";
        let games = read_logs(log).expect("a log");
        let whole = states_of(&games[0], false);
        let high: Vec<bool> = whole.iter().map(|state| state.is_high).collect();
        assert_eq!(high, [false, false, false, true, true]);
        let right: Vec<bool> = whole.iter().map(|state| state.is_right).collect();
        assert_eq!(right, [false, true, false, true, true]);
        let next: Vec<f32> = whole.iter().map(|state| state.next).collect();
        for (next, expected) in next.iter().zip([0.09, 0.1, 0.2, 0.3, 0.3]) {
            assert!((next - expected).abs() < 1e-6, "{next}");
        }
        // With a longest time of 500 nodes the last iteration is not seen; with 125 the right move is another.
        let cut = states_of(&games[0], true);
        assert_eq!(cut.iter().filter(|state| state.begins).count(), 6);
        assert_eq!(cut.len(), 5 + 5 + 4 + 3 + 3 + 2);
        assert!(cut[cut.len() - 1].is_high && !cut[cut.len() - 2].is_high);
    }

    #[test]
    fn the_right_move_is_that_with_which_the_search_ended() {
        // An iteration that was broken off changed the move; of a search of half the nodes only whole ones are known.
        let log = "game startpos moves 7g7f 8c8d\n\
                   search 1 1000 8c8d 1,10,0,900,8c8d 2,90,5,500,8c8d 3,400,9,900,3c3d\n\
                   search 1 1000 8c8d 1,20,0,900,8c8d 2,95,5,500,8c8d 3,450,9,900,3c3d\n\
                   end\n";
        let games = read_logs(log).expect("a log");
        let of = |states: &[SearchState<{ SearchProgress::FEATURES }>]| -> Vec<(bool, bool)> {
            states
                .iter()
                .map(|state| (state.is_right, state.is_high))
                .collect()
        };
        let whole = states_of(&games[0], false);
        assert_eq!(
            of(&whole[..3]),
            [(true, false), (true, false), (false, false)]
        );
        let cut = states_of(&games[0], true);
        assert_eq!(
            of(&cut[3..6]),
            [(false, false), (false, false), (true, true)]
        );
        let team = team_states_of(&games[0], false);
        assert!(team.iter().all(|state| !state.is_high));
        assert!(team[0].is_right && !team[team.len() - 1].is_right);
    }

    #[test]
    fn a_team_has_a_state_for_every_iteration_of_its_players() {
        let log = "game startpos moves 7g7f 3c3d\n\
                   search 1 1000 3c3d 1,10,0,900,8c8d 2,100,5,500,3c3d 3,600,5,500,3c3d\n\
                   search 1 1000 3c3d 1,12,0,900,8c8d 2,300,5,500,3c3d\n\
                   search 1 1000 8c8d 1,11,0,900,4a3b 2,200,5,500,8c8d 3,700,5,500,8c8d\n\
                   end\n";
        let games = read_logs(log).expect("a log");
        let states = team_states_of(&games[0], false);
        // 8c8d leads, first alone, then by two players; at 100 nodes it is equal with 3c3d, which leads from 300 on,
        // once the second player has come to it.
        let right: Vec<bool> = states.iter().map(|state| state.is_right).collect();
        assert_eq!(right, [false, false, false, false, false, true, true, true]);
        let high: Vec<bool> = states.iter().map(|state| state.is_high).collect();
        assert_eq!(high, right);
        let shares: Vec<f32> = states.iter().map(|state| state.share).collect();
        for (share, nodes) in shares.iter().zip([10, 11, 12, 100, 200, 300, 600, 700]) {
            assert!((share - nodes as f32 / 1_000.0).abs() < 1e-6, "{share}");
        }
        assert!(states[0].begins && !states[1].begins);
        // At the end the second move leads by two votes of three, since 300 nodes, when the median was at depth 2.
        let agreement = Agreement {
            agreement: 2.0 / 3.0,
            lead: 1.0 / 3.0,
            moves: 2,
            depth: 3,
            changes: 1,
            stable_iterations: 1,
            score_drop: -3,
        };
        let stage = TimeStage::of(Duration::from_micros(700), Duration::from_micros(1_000));
        let expected = TeamProgress::from(&agreement).features(stage);
        assert_eq!(states[7].features, expected);
        assert_eq!(states[7].difficulty, 3.0);
        assert!(
            states_of(&games[0], false)
                .iter()
                .filter(|state| state.begins)
                .count()
                == 3
        );
        let single =
            read_logs("game startpos moves 7g7f\nsearch 0 9 7g7f 1,2,0,-,7g7f 2,5,0,-,7g7f\nend\n");
        assert!(team_states_of(&single.expect("a log")[0], true).is_empty());
    }
}
