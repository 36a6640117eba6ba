//! The file of an SQLite store: where it lies, and how it is opened.

use super::{error::StoreError, fault::DatabaseFault, plan::OpenMode};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// How an SQLite file is opened.
#[derive(Debug)]
pub(super) struct SqliteFile {
    /// The URL by which it is opened.
    pub url: String,
    /// It is read as it stands, without a look at what others write meanwhile.
    pub is_frozen: bool,
}

impl SqliteFile {
    /// Finds out how a file is opened. To play, its folder is made where it is missing.
    ///
    /// # Errors
    /// There is no file to look at, its folder cannot be made, or it lies where SQLite would damage it.
    pub fn of(file: &Path, mode: OpenMode) -> Result<Self, StoreError> {
        if let OpenMode::Play(_) = mode {
            let folder = folder_of(file);
            let fault = |source| {
                let folder = folder.to_owned();
                DatabaseFault::Folder { folder, source }
            };
            fs::create_dir_all(folder).map_err(fault)?;
        }
        let real = real(file);
        let folder = folder_of(&real);
        // Looking never creates the file, even if it disappears after this check.
        let (access, is_frozen) = match mode {
            OpenMode::Look if !file.exists() => return Err(StoreError::Absent(file.to_owned())),
            OpenMode::Look if is_read_alone(&real) => ("ro&immutable=1", true),
            OpenMode::Look => ("rw", false),
            OpenMode::Play(_) => match network_kind(folder) {
                Some(kind) => {
                    let file = file.to_owned();
                    return Err(DatabaseFault::Network { file, kind }.into());
                }
                None => ("rwc", false),
            },
        };
        let mut path = String::new();
        // Letters in place of others would be those of another file.
        let Some(text) = real.to_str() else {
            return Err(DatabaseFault::Path(real).into());
        };
        for letter in text.chars() {
            match letter {
                '%' | '?' | '#' => path.push_str(&format!("%{:02X}", u32::from(letter))),
                letter => path.push(letter),
            }
        }
        Ok(Self {
            url: format!("sqlite:{path}?mode={access}"),
            is_frozen,
        })
    }
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the file that a path means, without links, `..` behind links and doubled slashes, which a URL would read in
/// its own way.
fn real(file: &Path) -> PathBuf {
    let in_folder = || Some(folder_of(file).canonicalize().ok()?.join(file.file_name()?));
    let real = file.canonicalize().ok().or_else(in_folder);
    // Windows puts a prefix before such paths that no URL may have; a path that is no text stays as it was given.
    let real = real.filter(|real| cfg!(unix) && real.to_str().is_some());
    real.unwrap_or_else(|| file.to_owned())
}

/// Tells whether a file that nobody writes can only be read: SQLite wants to make files beside it otherwise.
fn is_read_alone(file: &Path) -> bool {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    !can_write(folder_of(file)) && !Path::new(&log).exists()
}

#[cfg(unix)]
fn can_write(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn can_write(_folder: &Path) -> bool {
    true
}

/// Returns the kind of the network file system that a folder lies on; `None` for a disk of this machine. The log of
/// SQLite is shared through memory, which two machines do not have in common.
#[cfg(target_os = "linux")]
fn network_kind(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    network_name(kind as u32)
}

#[cfg(not(target_os = "linux"))]
fn network_kind(_folder: &Path) -> Option<&'static str> {
    None
}

/// Returns the name of a network file system by its number in Linux.
#[cfg(target_os = "linux")]
fn network_name(number: u32) -> Option<&'static str> {
    Some(match number {
        0x6969 => "NFS",
        0xff53_4d42 | 0xfe53_4d42 | 0x517b => "SMB",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x00c3_6400 => "Ceph",
        0x1983_0326 => "BeeGFS",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0xaad7_aaea => "PanFS",
        0x0116_1970 => "GFS2",
        0x7461_636f => "OCFS2",
        _ => return None,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_and_the_disk_of_tests_is_none() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        // ext4 and tmpfs.
        assert_eq!([0xef53, 0x0102_1994].map(network_name), [None, None]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("x.db");
        SqliteFile::of(&file, OpenMode::PLAY).expect("a disk of this machine");
    }

    #[test]
    fn a_path_through_a_link_names_the_file_that_the_system_means() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("a path");
        fs::create_dir_all(root.join("far/sub")).expect("folders");
        fs::create_dir(root.join("near")).expect("a folder");
        let link = |to: &str, from: &str| {
            std::os::unix::fs::symlink(root.join(to), root.join(from)).expect("a link");
        };
        link("far/sub", "near/link");
        link("far/x#.db", "near/y.db");
        let meant = |file: &str| format!("sqlite:{}/{file}?mode=rwc", root.display());
        let of = |path: PathBuf| SqliteFile::of(&path, OpenMode::PLAY).expect("a path").url;
        assert_eq!(of(root.join("near/link/../x#.db")), meant("far/x%23.db"));
        let doubled = PathBuf::from(format!("/{}/x.db", root.display()));
        assert_eq!(of(doubled), meant("x.db"));
        // A link to a file that is there.
        fs::write(root.join("far/x#.db"), "").expect("written");
        assert_eq!(of(root.join("near/y.db")), meant("far/x%23.db"));
    }
}
