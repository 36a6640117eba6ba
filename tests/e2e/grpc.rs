//! The standard services beside Monju's own: health and reflection, as `grpcurl` uses them.

use monju_tests::{alone, cluster::TestCluster, process::PATIENCE};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tonic::transport::Channel;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

#[test]
fn health_and_reflection_are_served() {
    let _alone = alone();
    let cluster = TestCluster::of_three_noise_players();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        for (url, service) in [
            (cluster.workers[0].url(), "monju.v1.Worker"),
            (cluster.coordinator.url(), "monju.v1.Coordinator"),
        ] {
            let channel = Channel::from_shared(url)
                .expect("a URL")
                .connect()
                .await
                .expect("a connection");
            for name in ["", service] {
                assert_serving(channel.clone(), name).await;
            }
            let services = services(channel).await;
            assert!(services.iter().any(|name| name == service), "{services:?}");
            let health = "grpc.health.v1.Health";
            assert!(services.iter().any(|name| name == health), "{services:?}");
        }
    });
}

async fn assert_serving(channel: Channel, service: &str) {
    let request = HealthCheckRequest {
        service: service.to_owned(),
    };
    // A service says so as soon as a vote is possible.
    let mut client = HealthClient::new(channel);
    let serving = async {
        loop {
            let response = client.check(request.clone()).await;
            let response =
                response.unwrap_or_else(|status| panic!("health of '{service}': {status}"));
            if response.into_inner().status() == ServingStatus::Serving {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    let served = timeout(PATIENCE, serving).await;
    assert!(served.is_ok(), "'{service}' does not serve");
}

/// The services that reflection lists.
async fn services(channel: Channel) -> Vec<String> {
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut responses = ServerReflectionClient::new(channel)
        .server_reflection_info(tokio_stream::once(request))
        .await
        .expect("reflection")
        .into_inner();
    let response = responses
        .message()
        .await
        .expect("an answer")
        .expect("an answer before the end");
    match response.message_response {
        Some(MessageResponse::ListServicesResponse(list)) => list
            .service
            .into_iter()
            .map(|service| service.name)
            .collect(),
        other => panic!("no list of services: {other:?}"),
    }
}
