//! Tests of workers that come, go and come back.

use super::*;
use crate::testing::{Cable, FakeWorker, PlayerStep};
use monju_proto::certificates;
use monju_proto::tls::Tls;
use monju_proto::v1::DescribeRequest;
use tokio::{
    net::TcpListener,
    time::{Instant, sleep},
};

const PATIENCE: Duration = Duration::from_secs(2);

fn cabled(cable: &Cable) -> Roster {
    let link = Link::watch("http://cable".to_owned(), cable.channel(), PATIENCE);
    Roster::new(vec![link])
}

fn worker() -> FakeWorker {
    FakeWorker::named("desk").player("a", &[PlayerStep::Answer("7g7f")])
}

#[tokio::test(start_paused = true)]
async fn a_disconnected_worker_keeps_its_slots_and_comes_back() {
    let cable = Cable::default();
    cable.plug(worker());
    let roster = cabled(&cable);
    roster.settle(PATIENCE).await;
    assert!(roster.slots()[0].access.is_ok());

    cable.cut();
    sleep(Duration::from_secs(2)).await;
    let status = &roster.statuses()[0];
    assert!(!status.connected);
    assert_ne!(status.failure, "");
    assert_eq!(status.players[0].name, "a");
    assert!(roster.slots()[0].access.is_err());

    cable.plug(worker());
    sleep(Duration::from_secs(1)).await;
    assert!(roster.statuses()[0].connected);
    assert!(roster.slots()[0].access.is_ok());
}

#[tokio::test(start_paused = true)]
async fn settling_ends_after_its_patience() {
    let began = Instant::now();
    let roster = cabled(&Cable::default());
    roster.settle(PATIENCE).await;
    assert_eq!(began.elapsed(), PATIENCE);
    assert_eq!(roster.statuses()[0].failure, "refused");
    let prepared = roster.new_game("g", None, PATIENCE, Duration::ZERO).await;
    let problems = prepared.problems;
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].ends_with("is not connected: refused"),
        "{problems:?}"
    );
    assert_eq!(roster.slots().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn players_of_two_workers_are_told_apart() {
    let (one, _one) = FakeWorker::named("desk").player("a", &[]).link();
    let (two, _two) = FakeWorker::named("attic")
        .player("a", &[])
        .player("b", &[])
        .link();
    let roster = Roster::new(vec![one, two]);
    roster.settle(PATIENCE).await;
    let slots = roster.slots();
    let names: Vec<&str> = slots.iter().map(|slot| slot.info.name.as_str()).collect();
    assert_eq!(names, ["a@desk", "a@attic", "b"]);
    assert_ne!(slots[0].noise_seed(1), slots[1].noise_seed(1));
    assert_eq!(roster.statuses()[1].players.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_new_game_reaches_every_worker() {
    let worker = worker();
    let told = worker.told.clone();
    let (roster, _server) = worker.roster().await;
    let prepared = roster.new_game("g1", None, PATIENCE, Duration::ZERO).await;
    assert_eq!(prepared.problems, [""; 0]);
    assert_eq!(*told.lock().expect("told"), ["new game g1"]);
}

/// A machine that freezes during the handshake and is then switched off never answers.
#[tokio::test]
async fn a_handshake_that_never_ends_is_given_up() {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let folder = parent.path().join("tls");
    certificates::create(&folder, None).expect("certificates");
    let tls = Tls::read(&folder).expect("what was made");
    let frozen = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("https://{}", frozen.local_addr().expect("an address"));
    let channel = link::channel(&url, Some(&tls)).expect("an address");
    let mut client = door::worker_client(channel);
    let described = time::timeout(
        Duration::from_secs(20),
        client.describe(DescribeRequest::default()),
    );
    let refused = described.await.expect("an end");
    assert!(refused.is_err());
}

#[tokio::test]
async fn workers_of_the_list_come_and_go_and_those_that_stay_keep_their_connections() {
    let (fixed, _server) = worker().link();
    let roster = Roster::new(vec![fixed]);
    let url = |port: u16| format!("http://127.0.0.1:{port}");
    let addresses = |roster: &Roster| {
        let statuses = roster.statuses();
        Vec::from_iter(statuses.into_iter().map(|status| status.address))
    };
    roster.list(&[url(1), url(2)]).expect("addresses");
    let stays = Arc::clone(&roster.links()[2]);
    roster.list(&[url(2), url(3)]).expect("addresses");
    assert_eq!(addresses(&roster), ["in-process", &url(2), &url(3)]);
    assert!(Arc::ptr_eq(&stays, &roster.links()[1]));
    let wrong = roster.list(&[url(4), "pc1".to_owned()]);
    assert!(matches!(wrong, Err(AddressError::Form(_))));
    assert_eq!(addresses(&roster), ["in-process", &url(2), &url(3)]);
}

#[tokio::test(start_paused = true)]
async fn nobody_knows_how_many_workers_are_still_to_enrol() {
    let (link, _server) = FakeWorker::named("desk").player("a", &[]).link();
    let roster = Roster::new(vec![link]);
    roster.settle(Duration::from_secs(3)).await;
    assert!(roster.is_settled());
    roster.members.lock().expect("members")[0].origin = WorkerOrigin::Enrolled;
    assert!(!roster.is_settled(), "others may follow");
    roster.close_enrolment();
    assert!(roster.is_settled());
}

#[tokio::test(start_paused = true)]
async fn workers_enrol_themselves_once_and_are_forgotten_when_they_are_gone() {
    let roster = Roster::new(Vec::new());
    let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
    roster
        .list(&["http://127.0.0.1:2/".to_owned()])
        .expect("an address");
    for port in [3, 2, 3, 1] {
        roster.enrol(address(port)).expect("room");
    }
    let origins = |roster: &Roster| {
        let statuses = roster.statuses();
        Vec::from_iter((statuses.into_iter()).map(|status| (status.address, status.enrolled)))
    };
    let expected = [("2/", false), ("1", true), ("3", true)]
        .map(|(port, enrolled)| (format!("http://127.0.0.1:{port}"), enrolled));
    assert_eq!(origins(&roster), expected);
    roster
        .list(&["http://127.0.0.1:3".to_owned()])
        .expect("an address");
    assert_eq!(
        roster.statuses().len(),
        2,
        "one that is listed now is kept once"
    );
    let most = 20;
    roster.limit_enrolled(most.into());
    for number in 1..most {
        let address = SocketAddr::from(([127, 1, 0, number], 1));
        roster.enrol(address).expect("room");
    }
    assert_eq!(roster.enrol(address(9)), Err(EnrolError::Full(most.into())));
    sleep(FORGOTTEN_AFTER + Duration::from_secs(5)).await;
    roster.enrol(address(9)).expect("the others are gone");
    assert_eq!(roster.statuses().len(), 2);
    roster.limit_enrolled(1);
    assert_eq!(roster.enrol(address(10)), Err(EnrolError::Full(1)));
    roster.enrol(address(9)).expect("one that is there already");
}

#[tokio::test]
async fn a_closed_roster_knows_the_workers_of_its_list_alone() {
    let roster = Roster::new(Vec::new());
    roster
        .list(&["http://127.0.0.1:2".to_owned()])
        .expect("an address");
    roster.close_enrolment();
    let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
    roster.enrol(address(2)).expect("it is on the list");
    assert_eq!(roster.enrol(address(3)), Err(EnrolError::Closed));
    assert_eq!(roster.statuses().len(), 1);
}

#[tokio::test]
async fn one_address_has_places_for_some_workers_and_others_have_theirs() {
    let roster = Roster::new(Vec::new());
    let [crowded, other] = [[127, 0, 0, 1], [127, 0, 0, 2]].map(IpAddr::from);
    let first = 1_000;
    let most = u16::try_from(MOST_ENROLLED_AT_ADDRESS).expect("few");
    for port in first..first + most {
        roster.enrol((crowded, port).into()).expect("room");
    }
    let refused = roster.enrol((crowded, 1).into());
    assert_eq!(refused, Err(EnrolError::AddressFull(crowded)));
    roster.enrol((crowded, first).into()).expect("it is there");
    roster.enrol((other, 1).into()).expect("room");
    let six = |last| IpAddr::from([0, 0, 0, 0, 0, 0, 0, last]);
    roster.enrol((six(1), 1).into()).expect("room");
    assert_eq!(ip_of("https://[::1]:7411"), Some(six(1)));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_had_enrolled_itself_leaves_ballots_and_status_when_it_is_gone() {
    let cables = [Cable::default(), Cable::default()];
    let link = |cable: &Cable| {
        cable.plug(worker());
        Link::watch("http://cable".to_owned(), cable.channel(), PATIENCE)
    };
    let roster = Roster::new(vec![link(&cables[0])]);
    roster.present().push(RosterEntry {
        link: Arc::new(link(&cables[1])),
        origin: WorkerOrigin::Enrolled,
    });
    roster.settle(PATIENCE).await;
    cables.iter().for_each(Cable::cut);
    sleep(FORGOTTEN_AFTER / 2).await;
    assert_eq!(roster.slots().len(), 2, "it may come back");
    sleep(FORGOTTEN_AFTER).await;
    let players = roster.slots().into_iter().map(|slot| slot.info.name);
    assert_eq!(
        Vec::from_iter(players),
        ["a"],
        "a worker of the start stays"
    );
    let statuses = roster.statuses();
    assert_eq!((statuses.len(), statuses[0].enrolled), (1, false));
}

#[tokio::test(start_paused = true)]
async fn a_draining_worker_is_not_asked() {
    let cable = Cable::default();
    cable.plug(worker().draining());
    let roster = cabled(&cable);
    roster.settle(PATIENCE).await;
    let status = &roster.statuses()[0];
    assert!(status.draining && !status.connected);
    let access = &roster.slots()[0].access;
    assert!(matches!(access, Err(ReachError::Draining)), "{access:?}");
    cable.cut();
    cable.plug(worker());
    sleep(Duration::from_secs(3)).await;
    assert!(roster.statuses()[0].connected);
}

#[tokio::test(start_paused = true)]
async fn a_worker_with_too_many_votes_is_refused_by_name_unless_it_is_listed() {
    let many = || {
        (0..17).fold(FakeWorker::named("attic"), |worker, number| {
            let player = format!("p{number}");
            worker.player(&player, &[]).with_lanes(16)
        })
    };
    let cable = Cable::default();
    cable.plug(many());
    let (address, channel) = ("http://cable".to_owned(), cable.channel());
    let enrolled = Link::limited(address, channel, PATIENCE, door::MOST_VOTES_ENROLLED);
    let roster = Roster::new(vec![enrolled]);
    roster.settle(PATIENCE).await;
    assert!(roster.slots().is_empty());
    let status = &roster.statuses()[0];
    let words = "quarantined: 272 votes of worker attic, of at most 256";
    assert_eq!((status.connected, &*status.failure), (false, words));

    let roster = cabled(&cable);
    roster.settle(PATIENCE).await;
    assert_eq!(roster.slots().len(), 17);
}

#[tokio::test(start_paused = true)]
async fn workers_for_whose_votes_the_ballot_has_no_room_are_left_out() {
    let of_votes = |name: &str, players: usize| {
        let worker = (0..players).fold(FakeWorker::named(name), |worker, number| {
            let player = format!("{name}{number}");
            worker.player(&player, &[]).with_lanes(16)
        });
        worker.link()
    };
    let (links, _servers): (Vec<Link>, Vec<_>) =
        [of_votes("a", 200), of_votes("b", 57), of_votes("c", 56)]
            .into_iter()
            .unzip();
    let roster = Roster::new(links);
    roster.settle(PATIENCE).await;
    assert_eq!(roster.slots().len() * 16, door::MOST_VOTES);
    let statuses = roster.statuses();
    let connected = Vec::from_iter(statuses.iter().map(|status| status.connected));
    assert_eq!(connected, [true, false, true]);
    let words = "left out: with its 912 votes the ballot would have more than 4096";
    assert_eq!((&*statuses[1].name, &*statuses[1].failure), ("b", words));
    assert!(roster.slots().iter().all(|slot| slot.info.worker != "b"));
}

/// A worker that was listed by one of its addresses and enrolled itself from another had two votes.
#[tokio::test(start_paused = true)]
async fn a_worker_at_two_addresses_has_one_vote() {
    let desk = || FakeWorker::named("desk").player("a", &[]).with_instance(7);
    let old = || FakeWorker::named("old").player("b", &[]);
    let (links, _servers): (Vec<Link>, Vec<_>) = [desk(), old(), desk(), old()]
        .map(FakeWorker::link)
        .into_iter()
        .unzip();
    let roster = Roster::new(links);
    roster.settle(PATIENCE).await;
    let slots = roster.slots();
    let names = Vec::from_iter(slots.iter().map(|slot| &*slot.info.name));
    assert_eq!(names, ["a", "b@old", "b@old#2"]);
    let statuses = roster.statuses();
    assert!(statuses[0].connected);
    let failure = &statuses[2].failure;
    assert!(failure.contains("two votes"), "{failure}");
}
