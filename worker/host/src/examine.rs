//! What a foreign engine can do, found out by trying: which forms of `go` it survives.

use crate::{
    declared::Declared,
    go::GoForm,
    limits::milliseconds,
    spec::UsiSpec,
    usi_child::{ChildError, Said, UsiChild},
};
use monju_engine::Game;
use monju_proto::v1;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long an engine may take for an answer that should come at once or within half a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// When a search without an end of its own is stopped, or its ponder hit comes.
const MEANWHILE: Duration = Duration::from_millis(300);

/// An engine that aborts may name a move first.
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

/// Tries every form of `go` with a process of its own, beside the player's, and starts another one
/// after each that does not survive.
///
/// # Errors
/// The engine cannot be started.
pub async fn examine(player: &str, spec: &UsiSpec) -> Result<v1::ExamineResponse, ChildError> {
    let child = UsiChild::start(player.to_owned(), spec.clone()).await?;
    let declared = child.declared().clone();
    let mut child = Some(child);
    let mut trials = Vec::new();
    for form in GoForm::ALL {
        let mut current = match child.take() {
            Some(child) => child,
            None => UsiChild::start(player.to_owned(), spec.clone()).await?,
        };
        let began = Instant::now();
        let outcome = attempt(&mut current, form).await;
        trials.push(v1::FormTrial {
            form: form.name().to_owned(),
            configured: spec.go.contains(&form),
            survived: outcome.is_ok(),
            failure: outcome.as_ref().err().cloned().unwrap_or_default(),
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
    })
}

/// One `go`, and what must follow it.
async fn attempt(child: &mut UsiChild, form: GoForm) -> Result<(), String> {
    let (command, then) = match form {
        GoForm::Nodes => ("go nodes 2000", None),
        GoForm::Depth => ("go depth 2", None),
        GoForm::Movetime => ("go movetime 300", None),
        GoForm::Byoyomi => ("go btime 0 wtime 0 byoyomi 500", None),
        GoForm::Clock => ("go btime 10000 wtime 10000", None),
        GoForm::Increment => ("go btime 1000 wtime 1000 binc 300 winc 300", None),
        GoForm::Infinite => ("go infinite", Some("stop")),
        GoForm::Ponder => ("go ponder btime 0 wtime 0 byoyomi 500", Some("ponderhit")),
    };
    let failed = |error: ChildError| error.to_string();
    child.new_game().await.map_err(failed)?;
    child
        .go("position startpos", command)
        .await
        .map_err(failed)?;
    if let Some(then) = then {
        match timeout(MEANWHILE, answer(child)).await {
            Ok(Ok(_)) => return Err(format!("it named a move before {then}")),
            Ok(Err(error)) => return Err(failed(error)),
            Err(_) => {}
        }
        let said = match form {
            GoForm::Ponder => child.ponder_hit().await,
            _ => child.stop().await,
        };
        said.map_err(failed)?;
    }
    let mv = match timeout(PATIENCE, answer(child)).await {
        Ok(answer) => answer.map_err(failed)?,
        Err(_) => return Err(format!("no move within {} s", PATIENCE.as_secs())),
    };
    if let Err(error) = Game::startpos().parse_move(&mv) {
        return Err(format!("it named no legal move: {error}"));
    }
    // Silence is life: nothing is asked of it now.
    match timeout(AFTERMATH, answer(child)).await {
        Ok(Err(error)) => Err(failed(error)),
        Ok(Ok(_)) | Err(_) => Ok(()),
    }
}

async fn answer(child: &mut UsiChild) -> Result<String, ChildError> {
    loop {
        if let Said::BestMove(best) = child.next().await? {
            return Ok(best.mv);
        }
    }
}

/// The engine's options about rules, with the configured value, or else its default.
fn rule_options(declared: &Declared, spec: &UsiSpec) -> Vec<v1::Setting> {
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
