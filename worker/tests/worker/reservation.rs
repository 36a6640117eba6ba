//! Two coordinators on one worker: a game owns its players.

use crate::support::{Think, endless, in_process, nodes};
use monju_proto::{
    reservation::Session,
    v1::{self, Purpose},
};
use std::time::Duration;
use tokio::time;
use tonic::Code;

/// Longest wait for an answer: generous, for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const NATIVE: &str = "[[player]]\nname = \"native\"\nevaluator = \"material\"\n";

fn go(limits: v1::Limits, claim: Option<v1::Claim>) -> v1::Go {
    v1::Go {
        player: "native".to_owned(),
        claim,
        ..crate::support::go(limits)
    }
}

#[tokio::test]
async fn a_game_keeps_its_players_and_takes_those_of_an_analysis() {
    let (_worker, mut client) = in_process(NATIVE).await;
    let [one, other] = ["the first GUI", "the second GUI"].map(Session::new);
    let long = Duration::from_secs(300);
    let mut look = Think::go(&client, go(endless(), None)).await;
    look.progress().await;
    let analysis = one.claim(Purpose::Analysis, long);
    let mut analysis = Think::go(&client, go(endless(), Some(analysis))).await;
    assert_eq!(look.failure().await.code(), Code::FailedPrecondition);
    analysis.progress().await;

    // The claim of a coordinator comes with its questions who is there.
    let game = Some(other.claim(Purpose::Game, long));
    let describe = v1::DescribeRequest {
        claim: game.clone(),
    };
    let described = client
        .describe(describe)
        .await
        .expect("described")
        .into_inner();
    assert!(
        described.held_by.contains("the second GUI"),
        "{described:?}"
    );
    let taken = analysis.failure().await;
    assert!(taken.message().contains("the second GUI"), "{taken}");

    for claim in [None, Some(one.claim(Purpose::Game, long))] {
        let refused = Think::go(&client, go(nodes(1_000), claim.clone()))
            .await
            .failure()
            .await;
        assert_eq!(refused.code(), Code::FailedPrecondition);
        assert!(refused.message().contains("the second GUI"), "{refused}");
        let request = v1::NewGameRequest {
            game_id: "look".to_owned(),
            claim,
            ..v1::NewGameRequest::default()
        };
        let refused = client.new_game(request).await.expect_err("held");
        assert_eq!(refused.code(), Code::FailedPrecondition);
    }
    let examine = v1::ExamineRequest {
        player: "native".to_owned(),
    };
    client.examine(examine).await.expect_err("held");
    let mut think = Think::go(&client, go(nodes(1_000), game)).await;
    assert!(!think.line().await.r#move.is_empty());
}

#[tokio::test]
async fn players_of_a_session_that_is_gone_are_free_again() {
    const LEASE: Duration = Duration::from_secs(240);
    let (_worker, mut client) = in_process(NATIVE).await;
    let gone = Session::new("a GUI").claim(Purpose::Game, LEASE);
    let describe = v1::DescribeRequest { claim: Some(gone) };
    client.describe(describe).await.expect("described");
    let request = v1::NewGameRequest {
        game_id: "game".to_owned(),
        ..v1::NewGameRequest::default()
    };
    let refused = client.new_game(request.clone()).await.expect_err("held");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert!(refused.message().contains("a GUI"), "{refused}");
    // The players have threads of their own, whose answers a clock that stands does not wait for.
    time::pause();
    time::advance(LEASE).await;
    time::resume();
    let free = time::timeout(PATIENCE, client.new_game(request)).await;
    free.expect("an answer").expect("free again");
}
