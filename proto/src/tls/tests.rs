//! Tests of folders and of the connections that they open.

use super::{folder::MemberFolder, live::INTERVAL, *};
use crate::certificates;
use std::fs;
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, HandshakeKind, ServerConnection, SideData,
    client::Resumption,
};
use tonic::transport::server::Connected;

#[test]
fn a_folder_that_is_none_is_told_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let missing = Tls::read(path).unwrap_err().to_string();
    assert!(missing.contains(AUTHORITY_FILE) && missing.contains("monju certificates"));
    for bytes in [&b"certificate"[..], &[0xff, 0xfe, 0x00]] {
        fs::write(path.join(AUTHORITY_FILE), bytes).unwrap();
        let wrong = Tls::read(path).unwrap_err().to_string();
        assert!(
            wrong.contains("not a PEM file") && !wrong.contains('\n'),
            "{wrong}"
        );
    }
}

#[test]
fn a_folder_of_another_role_is_refused_with_the_one_to_use() {
    let parent = tempfile::tempdir().unwrap();
    let team = parent.path().join("team");
    certificates::create_by_role(&team, None).unwrap();
    let read = |name: &str| Tls::read(&team.join(name)).unwrap();
    read("worker").need(Role::Worker, "serve").unwrap();
    let refused = read("gui").need(Role::Worker, "serve as a worker");
    let refused = refused.unwrap_err().to_string();
    for words in [
        "team/gui has",
        "role gui",
        "may not serve as a worker",
        "team/worker",
    ] {
        assert!(refused.contains(words), "{refused}");
    }
    // Members without roles may do everything.
    let shared = parent.path().join("shared");
    certificates::create(&shared, None).unwrap();
    Tls::read(&shared)
        .unwrap()
        .need(Role::Coordinator, "serve")
        .unwrap();
}

/// Lets one end read all that the other has to say.
fn carry<A: SideData, B: SideData>(from: &mut ConnectionCommon<A>, to: &mut ConnectionCommon<B>) {
    let mut wire = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut wire).unwrap();
    }
    let mut read = wire.as_slice();
    while !read.is_empty() {
        to.read_tls(&mut read).unwrap();
        to.process_new_packets().unwrap();
    }
}

/// The days of a certificate count at every connection.
#[test]
fn a_member_shows_its_certificate_at_every_connection() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("team");
    certificates::create(&folder, None).unwrap();
    let member = MemberFolder::read(&folder).unwrap();
    // A thief's client takes sessions up again.
    let mut client = ClientConfig::clone(&member.client);
    client.resumption = Resumption::default();
    let client = Arc::new(client);
    for _ in 0..3 {
        let name = ServerName::try_from(MEMBER).unwrap();
        let mut near = ClientConnection::new(Arc::clone(&client), name).unwrap();
        let mut far = ServerConnection::new(Arc::clone(&member.server)).unwrap();
        for _ in 0..4 {
            carry(&mut near, &mut far);
            carry(&mut far, &mut near);
        }
        assert!(!near.is_handshaking() && !far.is_handshaking());
        assert_eq!(far.handshake_kind(), Some(HandshakeKind::Full));
    }
}

#[test]
fn the_key_is_never_shown() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("team");
    certificates::create(&folder, None).unwrap();
    let tls = Tls::read(&folder).unwrap();
    assert_eq!(format!("{tls:?}"), "Tls { .. }");
}

#[test]
fn a_list_of_revoked_certificates_is_read_and_its_wrong_lines_are_named() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("team");
    certificates::create(&folder, None).unwrap();
    let list = folder.join(REVOKED_FILE);
    fs::write(&list, "# nobody\n\n0aff # pc5\n0B\n").unwrap();
    let tls = Tls::read(&folder).unwrap();
    assert_eq!(tls.live.check(&[0x0a, 0xff]), Err(Revoked));
    assert_eq!(tls.live.check(&[0x0b]), Err(Revoked));
    assert_eq!(tls.live.check(&[0xff]), Ok(()));
    for line in ["0af", "pc5", "\u{30c}0a", &"0a".repeat(21)] {
        fs::write(&list, format!("0b\n{line}\n")).unwrap();
        let told = Tls::read(&folder).unwrap_err().to_string();
        assert!(told.contains("revoked.txt:2: no serial number"), "{told}");
    }
}

/// Both ends of a connection between two members, or the reason of the end that refused it.
async fn connected(
    server: &Tls,
    client: &Tls,
) -> io::Result<(
    MemberStream<server::TlsStream<TcpStream>>,
    MemberStream<client::TlsStream<TcpStream>>,
)> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let uri: Uri = format!("http://{}", listener.local_addr()?)
        .parse()
        .expect("a URI");
    let accepted = async { server.accept(listener.accept().await?.0).await };
    let (accepted, connected) = tokio::join!(accepted, client.connect(&uri, INTERVAL));
    Ok((accepted?, connected?))
}

/// A team by roles with a second GUI.
fn team_with_a_guest() -> tempfile::TempDir {
    let parent = tempfile::tempdir().unwrap();
    certificates::create_by_role(parent.path(), None).unwrap();
    certificates::add(parent.path(), "gui-guest", None).unwrap();
    parent
}

async fn assert_refused(server: &Tls, client: &Tls) {
    let refused = connected(server, client).await.err().expect("revoked");
    assert!(refused.to_string().contains("is revoked"), "{refused}");
}

#[tokio::test]
async fn a_revoked_member_loses_its_connection_and_gets_no_other() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let parent = team_with_a_guest();
    let path = |name: &str| parent.path().join(name);
    let read = |name: &str| Tls::read(&path(name)).unwrap();
    let coordinator = read("coordinator");
    let (gui, guest) = (read("gui"), read("gui-guest"));
    let (mut near, mut far) = connected(&coordinator, &guest).await.expect("a member");
    assert_eq!(near.connect_info().role, Role::Gui);
    far.write_all(b"hello").await.unwrap();
    far.flush().await.unwrap();
    near.read_exact(&mut [0; 5]).await.unwrap();
    certificates::revoke(parent.path(), "gui-guest").unwrap();
    changed(&coordinator, 1).await;
    let ended = near.read(&mut [0; 5]).await.unwrap_err();
    assert_eq!(ended.kind(), io::ErrorKind::PermissionDenied, "{ended}");
    assert_eq!(near.connect_info().check(), Err(Revoked));
    assert_refused(&coordinator, &guest).await;
    connected(&coordinator, &gui).await.expect("still a member");
    // Its new certificate is let in.
    certificates::renew(parent.path(), "gui-guest", None).unwrap();
    let guest = read("gui-guest");
    connected(&coordinator, &guest)
        .await
        .expect("a member again");
}

/// A broken file of our own kept the list of before in force.
#[tokio::test]
async fn a_revocation_counts_whatever_is_wrong_with_our_own_files() {
    let parent = team_with_a_guest();
    let path = |name: &str| parent.path().join(name);
    let read = |name: &str| Tls::read(&path(name)).unwrap();
    let (coordinator, gui, guest) = (read("coordinator"), read("gui"), read("gui-guest"));
    let key = path("coordinator").join("member.key");
    let whole = std::fs::read_to_string(&key).unwrap();
    std::fs::write(&key, "half of a copy").unwrap();
    certificates::revoke(parent.path(), "gui-guest").unwrap();
    changed(&coordinator, 1).await;
    assert_refused(&coordinator, &guest).await;
    connected(&coordinator, &gui).await.expect("still a member");
    // A list that is away with the whole folder stays in force, and so it does when the folder is back.
    let away = path("away");
    std::fs::rename(path("coordinator"), &away).unwrap();
    tokio::time::sleep(2 * INTERVAL).await;
    assert_refused(&coordinator, &guest).await;
    std::fs::write(away.join("member.key"), whole).unwrap();
    std::fs::rename(&away, path("coordinator")).unwrap();
    // Only a look at the folder that is back finds one more revocation.
    certificates::revoke(parent.path(), "gui").unwrap();
    changed(&coordinator, 2).await;
    assert_refused(&coordinator, &gui).await;
    assert_refused(&coordinator, &guest).await;
}

/// Waits until a folder has changed so many times.
async fn changed(member: &Tls, times: u64) {
    let waited = async {
        while member.live.changes() < times {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), waited).await;
    waited.expect("a change");
}

#[tokio::test]
async fn roles_open_the_connections_that_they_need_alone() {
    let parent = tempfile::tempdir().unwrap();
    certificates::create_by_role(parent.path(), None).unwrap();
    let read = |role: Role| Tls::read(&parent.path().join(role.to_string())).unwrap();
    let mut open = Vec::new();
    for client in Role::ALL {
        for server in Role::ALL {
            let (client_end, server_end) = (read(client), read(server));
            let connection = connected(&server_end, &client_end).await;
            let Ok((near, mut far)) = connection else {
                continue;
            };
            // A client learns of a refusal with its first bytes.
            let spoken = tokio::io::AsyncWriteExt::write_all(&mut far, b"?").await;
            assert!(spoken.is_ok() && near.connect_info().role == client);
            open.push(format!("{client}-{server}"));
        }
    }
    assert_eq!(
        open,
        [
            "worker-coordinator",
            "coordinator-worker",
            "coordinator-coordinator",
            "gui-coordinator",
            "observer-coordinator",
        ]
    );
}
