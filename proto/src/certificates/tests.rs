//! Tests of making certificates.

use super::*;
use std::time::{Duration, UNIX_EPOCH};
use tls::Tls;

#[test]
fn certificates_are_made_once_and_can_be_read() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("team/tls");
    create(&folder, None).unwrap();
    Tls::read(&folder).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = fs::metadata(folder.join(tls::KEY_FILE)).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600);
    }
    let before = fs::read(folder.join(tls::KEY_FILE)).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = folder.join(tls::KEY_FILE);
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        let loose = Tls::read(&folder).unwrap_err().to_string();
        assert!(loose.contains("chmod 600"), "{loose}");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).unwrap();
        Tls::read(&folder).unwrap();
    }
    let again = create(&folder, None).unwrap_err().to_string();
    assert!(again.contains("is there already"), "{again}");
    assert_eq!(before, fs::read(folder.join(tls::KEY_FILE)).unwrap());
}

#[test]
fn every_role_has_a_folder_and_days_are_days() {
    let parent = tempfile::tempdir().unwrap();
    let day = "2999-12-31".parse().expect("a day");
    create_by_role(parent.path(), Some(day)).unwrap();
    for role in Role::ALL {
        Tls::read(&parent.path().join(role.to_string())).unwrap();
    }
    let again = create_by_role(parent.path(), None).unwrap_err().to_string();
    assert!(again.contains("is there already"), "{again}");
    create_by_role(&parent.path().join("old"), "2020-02-28".parse().ok()).unwrap();
    let old = Tls::read(&parent.path().join("old/gui"))
        .unwrap_err()
        .to_string();
    assert!(old.contains("expired on Feb 28"), "{old}");
    for text in [
        "",
        "2027",
        "2027-13-01",
        "2027-02-30",
        "2027-04-31",
        "31.12.2027",
        "2027-1-1-1",
    ] {
        assert_eq!(text.parse::<LastDay>(), Err(NotADay(text.to_owned())));
    }
    assert_eq!("2027-03-31".parse(), Ok(LastDay(2027, 3, 31)));
    // The first second after it.
    let end = UNIX_EPOCH + Duration::from_secs(86_400 * 366);
    for (now, is_over) in [(end - Duration::from_secs(1), false), (end, true)] {
        assert_eq!(LastDay(1971, 1, 1).is_over(now), is_over);
    }
}

#[test]
fn one_folder_holds_one_kind_of_team() {
    let parent = tempfile::tempdir().unwrap();
    let folder = |name: &str| parent.path().join(name);
    create_by_role(&folder("roles"), None).unwrap();
    let refused = create(&folder("roles"), None).unwrap_err().to_string();
    assert!(refused.contains("has roles"), "{refused}");
    assert!(!folder("roles-authority").exists() && !folder("roles/member.pem").exists());
    create(&folder("shared"), None).unwrap();
    let refused = create_by_role(&folder("shared"), None).unwrap_err();
    assert!(
        refused.to_string().contains("is there already"),
        "{refused}"
    );
    assert!(!folder("shared/authority").exists() && !folder("shared/gui").exists());
}

#[test]
fn certificates_out_of_their_time_and_keys_of_others_are_called_so() {
    let parent = tempfile::tempdir().unwrap();
    let folder = |name: &str| parent.path().join(name);
    for (name, years, words) in [
        (
            "old",
            ("2000-01-01", "2001-01-01"),
            "member.pem expired on Jan  1 23:59:59 2001",
        ),
        (
            "new",
            ("3000-01-01", "3001-01-01"),
            "member.pem is valid from Jan  1 00:00:00 3000",
        ),
    ] {
        let day = |text: &str| Some(text.parse().expect("a day"));
        create_between(&folder(name), (day(years.0), day(years.1))).unwrap();
        let told = Tls::read(&folder(name)).unwrap_err().to_string();
        assert!(told.contains(words) && !told.contains('\n'), "{told}");
    }
    for name in ["ours", "theirs"] {
        create(&folder(name), None).unwrap();
    }
    let [from, to] = ["theirs", "ours"].map(|name| folder(name).join(tls::KEY_FILE));
    fs::copy(from, to).unwrap();
    let told = Tls::read(&folder("ours")).unwrap_err().to_string();
    assert!(
        told.contains("member.key is not the key of member.pem"),
        "{told}"
    );
    fs::write(
        folder("theirs").join(tls::KEY_FILE),
        "-----BEGIN PRIVATE KEY-----",
    )
    .unwrap();
    let told = Tls::read(&folder("theirs")).unwrap_err().to_string();
    assert!(told.contains("not a PEM file with a private key"), "{told}");
    // An empty sequence.
    let empty = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    fs::write(folder("theirs").join(tls::CERTIFICATE_FILE), empty).unwrap();
    let told = Tls::read(&folder("theirs")).unwrap_err().to_string();
    assert!(
        told.contains("member.pem is not a PEM file with a certificate"),
        "{told}"
    );
}

#[test]
fn members_are_added_renewed_and_revoked_by_the_authorities_that_were_kept() {
    let parent = tempfile::tempdir().unwrap();
    let team = parent.path();
    create_by_role(team, None).unwrap();
    let serial_of = |name: &str| serial(&team.join(name)).unwrap();
    let list_of = |name: &str| fs::read_to_string(team.join(name).join(REVOKED_FILE)).unwrap();

    add(team, "worker-pc5", "2999-01-01".parse().ok()).unwrap();
    assert_eq!(
        Tls::read(&team.join("worker-pc5")).unwrap().role(),
        Role::Worker
    );
    let again = add(team, "worker-pc5", None).unwrap_err().to_string();
    assert!(again.contains("is there already"), "{again}");
    for name in ["", "pc5", "worker-", "worker-../gui", "member", "authority"] {
        let refused = add(team, name, None).unwrap_err();
        assert!(
            matches!(refused, CertificatesError::Name(_)),
            "{name}: {refused}"
        );
    }

    let before = serial_of("worker-pc5");
    revoke(team, "worker-pc5").unwrap();
    revoke(team, "worker-pc5").unwrap();
    assert_eq!(list_of("coordinator").lines().count(), 1, "once");
    assert_eq!(list_of("coordinator"), list_of("worker"));
    renew(team, "worker-pc5", None).unwrap();
    assert_ne!(serial_of("worker-pc5"), before);
    assert_eq!(list_of("worker-pc5"), list_of("worker"));
    Tls::read(&team.join("worker-pc5")).unwrap();
    // A certificate that was renewed before its revocation is revoked, too, and that of nobody else.
    let replaced = [serial_of("gui"), serial_of("observer")];
    renew(team, "gui", None).unwrap();
    renew(team, "observer", None).unwrap();
    revoke(team, "gui").unwrap();
    let list = list_of("coordinator");
    for (digits, is_listed) in [
        (&replaced[0], true),
        (&serial_of("gui"), true),
        (&replaced[1], false),
        (&before, true),
    ] {
        assert_eq!(list.contains(digits.as_str()), is_listed, "{list}");
    }
    let expected = "has no member worker-pc6, but coordinator, gui, observer, worker, worker-pc5";
    let renewed = renew(team, "worker-pc6", None).map(|_| ());
    for refused in [renewed, revoke(team, "worker-pc6")] {
        let unknown = refused.unwrap_err().to_string();
        assert!(unknown.ends_with(expected), "{unknown}");
    }
    let shared = revoke(team, SHARED).unwrap_err().to_string();
    assert!(shared.contains("has no member member, but "), "{shared}");
    let other = parent.path().join("other");
    create(&other, None).unwrap();
    let refused = revoke(parent.path(), "other").unwrap_err();
    assert!(matches!(refused, CertificatesError::Name(_)));
}

/// A renewed certificate was valid for ever, whatever day the team had been given.
#[test]
fn the_last_day_of_a_team_stays_unless_another_is_given() {
    let parent = tempfile::tempdir().unwrap();
    let team = parent.path();
    let [first, second] = ["2999-05-31", "2999-12-01"].map(|day| day.parse::<LastDay>().ok());
    create_by_role(team, first).unwrap();
    let day_of = |name: &str| files::last_day(&team.join(name));
    assert_eq!(add(team, "worker-pc5", None).unwrap(), first);
    assert_eq!(renew(team, "gui", second).unwrap(), second);
    assert_eq!(renew(team, "gui", None).unwrap(), second);
    assert_eq!(
        (day_of("worker-pc5"), day_of("gui"), day_of("worker")),
        (first, second, first)
    );
    assert_eq!(second.unwrap().to_string(), "2999-12-01");

    let shared = team.join("shared");
    create(&shared, None).unwrap();
    assert_eq!(renew(&shared, SHARED, None).unwrap(), None);
    assert_eq!(renew(&shared, SHARED, first).unwrap(), first);

    let old = team.join("old");
    create_by_role(&old, "2020-02-28".parse().ok()).unwrap();
    let over = renew(&old, "gui", None).unwrap_err().to_string();
    assert!(
        over.contains("ended with 2020-02-28; give a later day with --until"),
        "{over}"
    );
    renew(&old, "gui", first).unwrap();
}

/// The complaint was that a file of a team with roles is not there, and to name a folder that this program made.
#[test]
fn a_team_with_one_folder_says_so_when_a_member_is_to_be_added() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("team");
    create(&folder, None).unwrap();
    for refused in [
        add(&folder, "worker-pc1", None),
        renew(&folder, "worker-pc1", None),
        revoke(&folder, "worker-pc1").map(|()| None),
    ] {
        let told = refused.unwrap_err().to_string();
        assert!(told.contains("has one folder for all members"), "{told}");
        assert!(told.contains("--by-role"), "{told}");
    }
    // A folder of another kind is called another thing.
    let none = add(&parent.path().join("none"), "worker-pc1", None);
    assert!(matches!(none, Err(CertificatesError::Read { .. })));
}

#[test]
fn members_that_share_a_folder_get_another_certificate_and_the_old_one_is_revoked() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("team");
    create(&folder, None).unwrap();
    let kept = parent.path().join("team-authority/member.key");
    assert!(kept.is_file(), "the authority is not in what is copied");
    let first = serial(&folder).unwrap();
    let early = revoke(&folder, SHARED).unwrap_err();
    assert!(matches!(early, CertificatesError::NotReplaced));
    renew(&folder, SHARED, "2999-01-01".parse().ok()).unwrap();
    assert_ne!(serial(&folder).unwrap(), first);
    Tls::read(&folder).unwrap();
    assert!(
        !folder.join(REVOKED_FILE).exists(),
        "the old one stays valid"
    );
    revoke(&folder, SHARED).unwrap();
    let list = fs::read_to_string(folder.join(REVOKED_FILE)).unwrap();
    assert_eq!(list, format!("{first}\n"));
    Tls::read(&folder).unwrap();
    // A folder whose authority was thrown away stays as it is.
    fs::remove_file(kept).unwrap();
    let lost = renew(&folder, SHARED, None).unwrap_err().to_string();
    assert!(lost.contains("member.key"), "{lost}");
}
