//! Tests whether a bundle can be as it is written: its games by the rules, its pairs by its plans.

use super::{
    contradiction::{Contradiction, ContradictionKind},
    format::{Manifest, SealedCell, SealedGame},
};
use crate::{
    record::{GameEnding, MatchOutcome},
    specification::{Adjudication, Cell, DeclarationRule, RepetitionRule, Specification},
};
use monju_engine::{Color, Game, Repetition};
use std::collections::BTreeSet;

/// Returns the cells that only one of specification and manifest has.
pub(super) fn of_cells(specification: &Specification, manifest: &Manifest) -> Vec<Contradiction> {
    let planned: Vec<&str> = (specification.cells.iter())
        .map(|cell| &*cell.label)
        .collect();
    let sealed: Vec<&str> = manifest.cells.iter().map(|cell| &*cell.label).collect();
    let only = |these: &[&str], those: &[&str], what: &ContradictionKind| -> Vec<Contradiction> {
        let only = these.iter().filter(|label| !those.contains(label));
        only.map(|label| in_cell(label, what.clone())).collect()
    };
    [
        only(&sealed, &planned, &ContradictionKind::Cell),
        only(&planned, &sealed, &ContradictionKind::NoCell),
    ]
    .concat()
}

/// Returns the contradictions of all games, which are in order of pair and game within their cells.
pub(super) fn of_games(
    specification: &Specification,
    manifest: &Manifest,
    games: &[Vec<SealedGame>],
) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let count = games.iter().map(|games| games.len() as u64).sum();
    if count != manifest.games {
        found.push(Contradiction {
            place: super::GAMES.to_owned(),
            what: ContradictionKind::Count {
                found: count,
                counted: manifest.games,
            },
        });
    }
    let openings = specification.openings.lines().iter();
    let openings: Vec<String> = openings
        .map(|line| Game::from_usi(line).map_or(String::new(), |game| game.to_usi()))
        .collect();
    for ((cell, sealed), games) in specification.cells.iter().zip(&manifest.cells).zip(games) {
        let planned = planned_games(cell, manifest);
        let mut drawn = (usize::MAX, Vec::new());
        for pair in games.chunk_by(|one, other| one.pair == other.pair) {
            let number = pair[0].pair as usize;
            let round = number / openings.len();
            if drawn.0 != round {
                drawn = (round, specification.opening_order(cell, round));
            }
            let own = &openings[drawn.1[number % openings.len()]];
            of_pair(&mut found, (cell, sealed, planned), pair, (&openings, own));
        }
        found.extend(lost(cell, sealed, games).map(|what| in_cell(&cell.label, what)));
    }
    found
}

/// Tells of pairs that are not there though later ones of the plan are, and that are not to be played either: a store
/// makes the pairs of a cell without a gap.
fn lost(cell: &Cell, sealed: &SealedCell, games: &[SealedGame]) -> Option<ContradictionKind> {
    let played = games.iter().map(|game| game.pair);
    let known: BTreeSet<u32> = (played.chain(sealed.given_up.iter().copied()))
        .filter(|pair| *pair < cell.pairs)
        .collect();
    let missing = u64::from(*known.last()?) + 1 - known.len() as u64;
    let open = sealed.open;
    (missing > open).then_some(ContradictionKind::Lost { missing, open })
}

/// Games of a cell by the largest of all plans; `None` where a version has played that wrote no plans.
fn planned_games(cell: &Cell, manifest: &Manifest) -> Option<u64> {
    let known = manifest
        .plans
        .first()
        .is_some_and(|plan| plan.finished == 0);
    let planned = manifest.plans.iter().map(|plan| {
        let own = plan.games_in.get(&cell.label);
        own.copied().unwrap_or(plan.planned)
    });
    let most = planned.max()?.max(2 * u64::from(cell.pairs));
    known.then_some(most)
}

/// Adds the contradictions of the games of one pair.
fn of_pair(
    found: &mut Vec<Contradiction>,
    (cell, sealed, planned): (&Cell, &SealedCell, Option<u64>),
    games: &[SealedGame],
    (openings, own): (&[String], &str),
) {
    let Some(first) = games.first() else { return };
    let mut add = |what, game: Option<u32>| {
        let game = game.map_or(String::new(), |game| format!(", game {game}"));
        let place = format!("cell '{}', pair {}{game}", cell.label, first.pair);
        found.push(Contradiction { place, what });
    };
    for same in games.chunk_by(|one, other| one.game == other.game) {
        let number = same[0].game;
        if number > 1 {
            add(ContradictionKind::Number, Some(number));
        }
        if same.len() > 1 {
            add(ContradictionKind::Repeated(same.len()), Some(number));
        }
    }
    for number in 0..2 {
        if games.iter().all(|game| game.game != number) {
            add(ContradictionKind::Missing(number), None);
        }
    }
    if let Some(planned) = planned.filter(|planned| 2 * u64::from(first.pair) >= *planned) {
        add(ContradictionKind::Unplanned(planned), None);
    }
    if sealed.given_up.contains(&first.pair) {
        add(ContradictionKind::GivenUp, None);
    }
    let mut begun = Vec::new();
    for game in games {
        match of_game(game, cell.adjudication, (openings, own)) {
            Ok(opening) => begun.push(opening),
            Err(what) => add(what, Some(game.game)),
        }
    }
    if begun.windows(2).any(|two| two[0] != two[1]) {
        add(ContradictionKind::Openings, None);
    } else if begun.first().is_some_and(|opening| opening != own) {
        add(ContradictionKind::OtherOpening, None);
    }
}

/// Returns the opening of a game that can be.
fn of_game(
    game: &SealedGame,
    rules: Adjudication,
    (openings, own): (&[String], &str),
) -> Result<String, ContradictionKind> {
    let played = Game::from_usi(&game.position)?;
    let found = played.moves().len();
    if found != game.plies as usize || game.opening_plies > game.plies {
        return Err(ContradictionKind::Plies {
            counted: game.plies,
            found,
        });
    }
    let moves = &played.usi_moves()[..game.opening_plies as usize];
    let opening = Game::from_parts(played.start(), moves)?.to_usi();
    if opening != own && !openings.contains(&opening) {
        return Err(ContradictionKind::Opening);
    }
    match can_end(game, &played, rules) {
        true => Ok(opening),
        false => Err(ContradictionKind::Ending {
            ending: game.ending.clone(),
            result: game.result.clone(),
        }),
    }
}

/// Returns whether a game can have ended with its result for its reason.
fn can_end(game: &SealedGame, played: &Game, rules: Adjudication) -> bool {
    let Ok(outcome) = game.outcome() else {
        return false;
    };
    let first = match game.game {
        0 => Color::Black,
        _ => Color::White,
    };
    let winner = match outcome {
        MatchOutcome::Win => Some(first),
        MatchOutcome::Loss => Some(!first),
        MatchOutcome::Draw => None,
    };
    let mover = played.position().side_to_move();
    let repetition = played.repetition();
    let Ok(ending) = game.ending.parse() else {
        return false;
    };
    match ending {
        GameEnding::Mate => winner == Some(!mover) && played.legal_moves().is_empty(),
        GameEnding::Declaration => {
            let declared = match rules.declaration {
                DeclarationRule::Win => Some(mover),
                DeclarationRule::Draw => None,
            };
            winner == declared && played.can_declare_win()
        }
        GameEnding::Repetition => {
            let draws = match rules.repetition {
                RepetitionRule::Rules => repetition == Repetition::Draw,
                RepetitionRule::Draw => repetition != Repetition::None,
                RepetitionRule::PlayOn => false,
            };
            winner.is_none() && draws
        }
        GameEnding::PerpetualCheck => {
            let is_judged = rules.repetition == RepetitionRule::Rules;
            is_judged && winner.is_some_and(|it| repetition == Repetition::PerpetualCheckBy(!it))
        }
        GameEnding::MaximumPlies => winner.is_none() && game.plies >= rules.maximum_plies,
        GameEnding::Adjudication => {
            // Versions that wrote no scores had the rule, too.
            let notes = game.record().map(|record| record.notes).unwrap_or_default();
            winner.is_some() && (notes.0.is_empty() || notes.agreed_winner(&rules) == winner)
        }
        // The side to move has resigned, or its move has lost.
        GameEnding::Resignation
        | GameEnding::IllegalMove
        | GameEnding::TimeLoss
        | GameEnding::Crash => winner == Some(!mover),
    }
}

fn in_cell(label: &str, what: ContradictionKind) -> Contradiction {
    Contradiction {
        place: format!("cell '{label}'"),
        what,
    }
}
