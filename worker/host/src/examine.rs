//! Trials of a foreign engine: the forms of `go` that it survives.

use crate::{
    declared::DeclaredOptions,
    go::GoForm,
    spec::UsiSpec,
    usi_child::{ChildError, UsiChild, UsiMessage},
    usi_player::STOP_GRACE,
};
use monju_engine::{Game, MoveError};
use monju_proto::{convert::milliseconds, v1};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Longest wait for an answer that should come within half a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time after which a search without an end of its own is stopped, or gets its ponder hit.
const MEANWHILE: Duration = Duration::from_millis(300);

/// Wait for the end of an engine that names a move and aborts then.
const AFTERMATH: Duration = Duration::from_millis(100);

/// Words by which engines name options on which the rules of the game depend, in lower case.
const RULE_WORDS: [&str; 6] = [
    "enteringking",
    "entering_king",
    "maxmoves",
    "max_moves",
    "drawply",
    "draw_ply",
];

/// Tries every form of `go` with a process of its own, and starts another one after each form that the
/// engine does not survive.
///
/// # Errors
/// The engine cannot be started.
pub async fn examine(player: &str, spec: &UsiSpec) -> Result<v1::ExamineResponse, ChildError> {
    let mut child = UsiChild::start(player.to_owned(), spec.clone()).await?;
    let (errors, warnings) = child.take_reports().weighed(child.engine());
    let declared = child.declared().clone();
    let mut child = Some(child);
    let mut trials = Vec::new();
    for &form in GoForm::ALL {
        let mut current = match child.take() {
            Some(child) => child,
            None => UsiChild::start(player.to_owned(), spec.clone()).await?,
        };
        let began = Instant::now();
        let outcome = try_form(&mut current, form).await;
        trials.push(v1::FormTrial {
            form: form.name().to_owned(),
            configured: spec.go.contains(&form),
            survived: outcome.is_ok(),
            failure: match &outcome {
                Ok(()) => String::new(),
                Err(failure) => failure.to_string(),
            },
            answer_ms: milliseconds(began.elapsed()),
        });
        match outcome {
            Ok(()) => child = Some(current),
            Err(_) => current.kill().await,
        }
    }
    if let Some(child) = child {
        child.quit().await;
    }
    Ok(v1::ExamineResponse {
        trials,
        rule_options: rule_options(&declared, spec),
        doubts: declared.doubts(&spec.options),
        errors,
        warnings,
    })
}

/// Reason why an engine does not take a form of `go`.
#[derive(Debug, thiserror::Error)]
enum TrialFailure {
    #[error(transparent)]
    Engine(#[from] ChildError),
    #[error("it named a move before {0}")]
    TooEarly(&'static str),
    #[error("no move within {} s", .0.as_secs())]
    Silent(Duration),
    #[error("it named {0} in place of the only move to choose from")]
    NotAsked(String),
    #[error("it named no legal move: {0}")]
    Illegal(#[from] MoveError),
}

/// Sends one `go`, and the command that must follow it.
async fn try_form(child: &mut UsiChild, form: GoForm) -> Result<(), TrialFailure> {
    let (command, then) = match form {
        GoForm::Nodes => ("go nodes 2000", None),
        GoForm::Depth => ("go depth 2", None),
        GoForm::Movetime => ("go movetime 300", None),
        GoForm::Byoyomi => ("go btime 0 wtime 0 byoyomi 500", None),
        GoForm::Clock => ("go btime 10000 wtime 10000", None),
        GoForm::Increment => ("go btime 1000 wtime 1000 binc 300 winc 300", None),
        GoForm::Infinite => ("go infinite", Some("stop")),
        GoForm::Ponder => ("go ponder btime 0 wtime 0 byoyomi 500", Some("ponderhit")),
        GoForm::Searchmoves => ("go btime 0 wtime 0 byoyomi 500 searchmoves 9g9f", None),
    };
    child.new_game().await?;
    child.go("position startpos", command).await?;
    if let Some(then) = then {
        match timeout(MEANWHILE, answer(child)).await {
            Ok(Ok(_)) => return Err(TrialFailure::TooEarly(then)),
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => {}
        }
        let steered = match form {
            GoForm::Ponder => child.ponder_hit().await,
            _ => child.stop().await,
        };
        steered?;
    }
    // In a game, an engine that goes on longer after `stop` is killed.
    let patience = match form {
        GoForm::Infinite => STOP_GRACE,
        _ => PATIENCE,
    };
    let answered = timeout(patience, answer(child)).await;
    let mv = answered.map_err(|_| TrialFailure::Silent(patience))??;
    Game::startpos().parse_move(&mv)?;
    if form == GoForm::Searchmoves && mv != "9g9f" {
        return Err(TrialFailure::NotAsked(mv));
    }
    // An engine that is still alive is silent now.
    match timeout(AFTERMATH, answer(child)).await {
        Ok(Err(error)) => Err(error.into()),
        Ok(Ok(_)) | Err(_) => Ok(()),
    }
}

async fn answer(child: &mut UsiChild) -> Result<String, ChildError> {
    loop {
        if let UsiMessage::BestMove(best) = child.next().await? {
            return Ok(best.mv);
        }
    }
}

/// Returns the engine's options about rules, with the configured values or else its defaults.
fn rule_options(declared: &DeclaredOptions, spec: &UsiSpec) -> Vec<v1::Setting> {
    let mut options = Vec::new();
    for (name, declaration) in declared.iter() {
        let plain = name.to_lowercase();
        if !RULE_WORDS.iter().any(|word| plain.contains(word)) {
            continue;
        }
        let configured = spec.options.0.iter().find(|(option, _)| option == name);
        let default = || {
            let mut words = declaration.split_whitespace();
            words.find(|word| *word == "default");
            words.next().unwrap_or_default().to_owned()
        };
        options.push(v1::Setting {
            name: name.to_owned(),
            value: configured.map_or_else(default, |(_, value)| value.to_string()),
        });
    }
    options
}
