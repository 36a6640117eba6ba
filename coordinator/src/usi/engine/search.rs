//! One `go`, from its first moment to its one answer.

use super::{
    info,
    thread::{SearchThread, Setting, Task},
};
use crate::{
    clock,
    usi::{
        answer::Answer,
        output::Output,
        thinker::{Control, Hold, Question},
    },
};
use monju_engine::{Color, Control as Steering, Game, Limits, Outcome};
use monju_proto::v1;
use std::time::Duration;
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

/// A running search. Dropping it stops it.
pub struct Search {
    game: Game,
    limits: v1::Limits,
    hold: Hold,
    overhead: Duration,
    steering: Steering,
    outcome: oneshot::Receiver<Result<Outcome, String>>,
    controls: mpsc::UnboundedReceiver<Control>,
    output: Output,
}

impl Search {
    /// Starts to search. `overhead` is what is lost between the decision and the referee's clock.
    pub fn start(
        question: Question,
        overhead: Duration,
        setting: Setting,
        thread: &SearchThread,
        controls: mpsc::UnboundedReceiver<Control>,
        output: Output,
    ) -> Self {
        let hold = Hold::of(&question.go);
        let Question { game, go, asked } = question;
        let side = game.position().side_to_move();
        let steering = Steering::new();
        // Nothing limits a search while it ponders: the opponent's clock runs.
        let limits = match hold {
            Hold::UntilPonderHit => v1::Limits::default(),
            Hold::Free | Hold::UntilStop => go.limits,
        };
        let lines = output.clone();
        let outcome = thread.think(
            setting,
            Task {
                game: game.clone(),
                limits: Limits {
                    nodes: limits.nodes,
                    depth: limits.depth,
                    ..Limits::default()
                },
                deadline: deadline(&limits, side, overhead, asked),
                control: steering.clone(),
                progress: Box::new(move |line| show(&lines, line)),
            },
        );
        Self {
            game,
            limits: go.limits,
            hold,
            overhead,
            steering,
            outcome,
            controls,
            output,
        }
    }

    /// Waits for the end of the search, and until the answer may be said.
    pub async fn run(mut self) -> Answer {
        let outcome = loop {
            tokio::select! {
                biased;
                Some(control) = self.controls.recv() => self.obey(control),
                outcome = &mut self.outcome => break outcome,
            }
        };
        let answer = match outcome {
            Ok(Ok(outcome)) => {
                show(&self.output, &outcome.line);
                Answer::from_outcome(&outcome)
            }
            Ok(Err(reason)) => self.answer_anyhow(&reason),
            Err(_) => self.answer_anyhow("the search thread has ended; restart the engine"),
        };
        self.hold.over(&mut self.controls).await;
        answer
    }

    fn obey(&mut self, control: Control) {
        let pondering = self.hold == Hold::UntilPonderHit;
        self.hold.obey(control);
        match control {
            Control::Stop => self.steering.stop(),
            Control::PonderHit(clock) if pondering => self.hit(clock),
            Control::PonderHit(_) => {}
        }
    }

    /// The pondered move was played: from now on the limits hold.
    fn hit(&mut self, clock: Option<v1::Clock>) {
        let mut limits = self.limits;
        limits.ponder = false;
        limits.clock = clock.or(limits.clock);
        if limits == v1::Limits::default() {
            // The game goes on and nobody said how long: what was pondered must do.
            self.steering.stop();
            return;
        }
        let side = self.game.position().side_to_move();
        if let Some(nodes) = limits.nodes {
            self.steering.limit_nodes(nodes);
        }
        if let Some(depth) = limits.depth {
            self.steering.limit_depth(depth);
        }
        if let Some(deadline) = deadline(&limits, side, self.overhead, Instant::now()) {
            self.steering.stop_at(deadline);
        }
    }

    fn answer_anyhow(&self, reason: &str) -> Answer {
        self.output.error(&reason);
        Answer::any(&self.game)
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.steering.stop();
    }
}

fn deadline(
    limits: &v1::Limits,
    side: Color,
    overhead: Duration,
    since: Instant,
) -> Option<std::time::Instant> {
    clock::budget(limits, side, overhead).map(|budget| (since + budget).into_std())
}

fn show(output: &Output, line: &monju_engine::Line) {
    if let Some(text) = info::line_text(line) {
        output.say(text);
    }
}
