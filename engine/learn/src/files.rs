//! Files of the learners: checked reading, atomic writing, and outputs that never replace inputs and are tried before
//! the work.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    string::FromUtf8Error,
};

/// Error of reading or writing a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The path leads to a folder, a pipe or a device, which might never end.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The file is not UTF-8.
    #[error("{} is not UTF-8 text", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: FromUtf8Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The file is to be written where nothing can be made.
    #[error(
        "cannot write {}: nothing can be made in {}; make that folder writable, or name a file in another one",
        path.display(),
        folder.display()
    )]
    NoPlace {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The file is to be written into a folder that is not there.
    #[error(
        "cannot write {}: there is no folder {}; make it, or name a file in another one",
        path.display(),
        folder.display()
    )]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The file to write is a folder, or is spelt as one.
    #[error("cannot write {}: that is a folder; name a file", .0.display())]
    Folder(PathBuf),
    /// The file to write is a pipe or a device, which the file would replace.
    #[error("cannot write {}: that is a pipe or a device; name a file", .0.display())]
    Device(PathBuf),
    /// An earlier run has left a checkpoint, and is not to be resumed.
    #[error("{} exists: continue with --resume, name another --output, or remove it", .0.display())]
    EarlierRun(PathBuf),
    /// Another run writes the file.
    #[error("another run writes {}; wait for its end, or name another file", .0.display())]
    Taken(PathBuf),
    /// An input is named twice.
    #[error("{} is named twice, and would count twice", .0.display())]
    Twice(PathBuf),
    /// An input is a copy of another one.
    #[error("{} holds the same as {}, and would count twice", path.display(), other.display())]
    Copied {
        /// The copy.
        path: PathBuf,
        /// The input before it.
        other: PathBuf,
    },
    /// An output is also an input.
    #[error(
        "{} would be written over {}, which is read; choose another --output",
        output.display(),
        input.display()
    )]
    OverInput {
        /// The file to write.
        output: PathBuf,
        /// The file to read.
        input: PathBuf,
    },
    /// Two outputs are the same file.
    #[error(
        "{} would be written over {}; choose another name for one of them",
        output.display(),
        other.display()
    )]
    OverOutput {
        /// One output.
        output: PathBuf,
        /// The other.
        other: PathBuf,
    },
}

/// Reads a whole file.
///
/// # Errors
/// It cannot be read, or is a folder, a pipe or a device.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    let cannot_read = |source| FileError::Read {
        path: path.to_owned(),
        source,
    };
    if !fs::metadata(path).map_err(cannot_read)?.is_file() {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    fs::read(path).map_err(cannot_read)
}

/// Reads a whole file as UTF-8.
///
/// # Errors
/// It cannot be read, as in [`read`], or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    String::from_utf8(read(path)?).map_err(|source| FileError::NotText {
        path: path.to_owned(),
        source,
    })
}

/// Opens or creates a file that grows, for this process alone; `None` while another one has it. It must be read through
/// this handle: where locks are mandatory, as on Windows, no other can.
///
/// # Errors
/// It cannot be opened.
pub fn open_alone(path: &Path) -> io::Result<Option<File>> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    // Some file systems have no locks; there the file stays unprotected.
    let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    Ok((!is_taken).then_some(file))
}

/// Keeps other runs off a file that is replaced again and again, until the handle is dropped: a file beside it, with
/// `.lock` behind its name, is open for this process alone.
///
/// # Errors
/// Another run has it, or the file beside it cannot be made.
pub fn lock(path: &Path) -> Result<File, FileError> {
    let beside = with_suffix(path, ".lock");
    match open_alone(&beside) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(FileError::Taken(path.to_owned())),
        Err(source) => Err(FileError::Write {
            path: beside,
            source,
        }),
    }
}

/// Reads an open file from its beginning.
///
/// # Errors
/// It cannot be read.
pub fn read_open(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Cuts an open file to a length, and goes to its end.
///
/// # Errors
/// It cannot be written.
pub fn cut(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length))?;
    Ok(())
}

/// Writes a file atomically: until the new content is safe on the disk, the name keeps the old one.
///
/// # Errors
/// It cannot be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let write = || {
        let folder = folder_of(path);
        let mut draft = draft_in(&folder, path)?;
        // The draft itself would put its name, which is nobody's concern, into the error.
        draft.as_file_mut().write_all(bytes)?;
        draft.as_file().sync_all()?;
        draft.persist(path).map_err(|error| error.error)?;
        sync_folder(&folder)
    };
    write().map_err(|source| FileError::Write {
        path: path.to_owned(),
        source,
    })
}

/// Creates the temporary file that becomes `path`, with the permissions of an ordinary new file.
///
/// # Errors
/// The folder takes no file; the error does not name the temporary one.
pub fn draft_in(folder: &Path, path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    // `tempfile_in` would put the name of the draft into the error, and give it narrower permissions.
    let create = |path: &Path| {
        fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
    };
    builder
        .prefix(&prefix)
        .suffix(".new")
        .make_in(folder, create)
}

/// Makes a rename within the folder durable, where the system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Refuses to begin anew where an earlier run has left a checkpoint, with which all that it has learned would be lost.
///
/// # Errors
/// The checkpoint is there.
pub fn check_new(checkpoint: &Path) -> Result<(), FileError> {
    match checkpoint.exists() {
        true => Err(FileError::EarlierRun(checkpoint.to_owned())),
        false => Ok(()),
    }
}

/// Appends a suffix to a file name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Checks before the work that all outputs can be written at its end: no output is an input or another output, none is
/// a folder, and beside each of them a file can be made.
///
/// # Errors
/// Two paths are the same file, or an output cannot be written.
pub fn check_outputs<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: &[PathBuf],
) -> Result<(), FileError> {
    check_distinct(inputs, outputs)?;
    outputs.iter().try_for_each(|output| check_writable(output))
}

/// Checks that [`write_atomically`] can write a file.
fn check_writable(path: &Path) -> Result<(), FileError> {
    let is_spelt_as_folder = (path.as_os_str().as_encoded_bytes().last())
        .is_some_and(|last| std::path::is_separator(char::from(*last)));
    if is_spelt_as_folder || path.is_dir() {
        return Err(FileError::Folder(path.to_owned()));
    }
    if path.exists() && !path.is_file() {
        return Err(FileError::Device(path.to_owned()));
    }
    let folder = folder_of(path);
    match draft_in(&folder, path) {
        Ok(_) => Ok(()),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Err(FileError::NoFolder {
            path: path.to_owned(),
            folder,
        }),
        Err(source) => Err(FileError::NoPlace {
            path: path.to_owned(),
            folder,
            source,
        }),
    }
}

/// Checks that all inputs are different files, however the paths are spelt.
///
/// # Errors
/// One is named twice.
pub fn check_named_once(inputs: &[PathBuf]) -> Result<(), FileError> {
    let mut seen = BTreeSet::new();
    match inputs.iter().find(|input| !seen.insert(resolved(input))) {
        Some(twice) => Err(FileError::Twice(twice.clone())),
        None => Ok(()),
    }
}

/// Checks that the last input that was read is no copy of one before it. `contents` are the lengths and hashes of the
/// inputs that were read so far, in their order.
///
/// # Errors
/// It is one.
pub(crate) fn check_not_copied(
    inputs: &[PathBuf],
    contents: &[(usize, u64)],
) -> Result<(), FileError> {
    let Some((last, earlier)) = contents.split_last() else {
        return Ok(());
    };
    // Nothing counts twice where there is nothing.
    match earlier.iter().position(|one| one == last && one.0 > 0) {
        Some(place) => Err(FileError::Copied {
            path: inputs[earlier.len()].clone(),
            other: inputs[place].clone(),
        }),
        None => Ok(()),
    }
}

/// Checks that no output is an input or another output, however the paths are spelt and through
/// whatever links they lead.
fn check_distinct<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: &[PathBuf],
) -> Result<(), FileError> {
    for input in inputs {
        let input_file = resolved(input);
        if let Some(output) = outputs.iter().find(|path| resolved(path) == input_file) {
            return Err(FileError::OverInput {
                output: output.clone(),
                input: input.to_owned(),
            });
        }
    }
    for (place, output) in outputs.iter().enumerate() {
        let file = resolved(output);
        if let Some(other) = outputs[..place].iter().find(|path| resolved(path) == file) {
            return Err(FileError::OverOutput {
                output: output.clone(),
                other: other.clone(),
            });
        }
    }
    Ok(())
}

/// Resolves links and dots of a path; the file itself need not exist.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| match path.file_name() {
        Some(name) => {
            fs::canonicalize(folder_of(path)).map_or(path.to_owned(), |folder| folder.join(name))
        }
        None => path.to_owned(),
    })
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_devices_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), Path::new("/dev/zero"), Path::new("/nosuch")] {
            assert!(read(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn writing_replaces_one_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("out"), b"old").unwrap();
        fs::write(at("out.new"), b"precious").unwrap();
        write_atomically(&at("out"), b"new").unwrap();
        assert_eq!(fs::read(at("out")).unwrap(), b"new");
        assert_eq!(fs::read(at("out.new")).unwrap(), b"precious");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(write_atomically(&at("missing/out"), b"new").is_err());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |name| fs::metadata(at(name)).unwrap().permissions().mode();
            assert_eq!(mode("out"), mode("out.new"));
        }
    }

    /// An epoch was trained before it turned out that its network could not be written.
    #[test]
    fn an_output_that_cannot_be_written_is_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), b"precious").unwrap();
        let refused = |path: PathBuf| {
            let error = check_outputs([], &[at("new"), path]).unwrap_err();
            let text = crate::error_chain(&error);
            assert!(!text.contains(".new"), "{text}");
            text
        };
        let text = refused(at("nodir/net"));
        let expected = format!(
            "cannot write {}: there is no folder {}; make it, or name a file in another one",
            at("nodir/net").display(),
            at("nodir").display()
        );
        assert_eq!(text, expected);
        for path in [folder.path().to_owned(), at("other/")] {
            assert!(refused(path).contains("a folder; name a file"));
        }
        #[cfg(unix)]
        assert!(refused(at("file/net")).contains("nothing can be made in"));
        #[cfg(unix)]
        assert!(refused("/dev/null".into()).contains("a device"));
        check_outputs([], &[at("new"), at("file")]).unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"precious");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let error = write_atomically(&at("nodir/net"), b"").unwrap_err();
        let text = crate::error_chain(&error);
        assert!(!text.contains(".new"), "{text}");
    }

    #[test]
    fn a_file_has_one_run_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.nnue");
        let first = lock(&path).unwrap();
        let error = lock(&path).unwrap_err().to_string();
        assert!(error.contains("another run writes") && error.contains("net.nnue;"));
        drop(first);
        lock(&path).unwrap();
    }

    #[test]
    fn an_output_is_never_an_input_however_it_is_spelt() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("in"), b"precious").unwrap();
        let check = |input: &Path, outputs: &[PathBuf]| check_distinct([input], outputs);
        let mut spellings = vec![at("in"), at("sub/../in"), at("./in")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("in"), at("link")).unwrap();
            spellings.push(at("link"));
        }
        for output in &spellings {
            let error = check(&at("in"), &[at("new"), output.clone()]).unwrap_err();
            assert!(error.to_string().contains("which is read"), "{error}");
            assert!(check(output, &[at("in")]).is_err(), "{}", output.display());
        }
        assert!(
            check(&at("in"), &[at("a"), at("sub/../a")]).is_err(),
            "two outputs"
        );
        check(&at("in"), &[at("new"), at("in.checkpoint"), at("sub/in")]).unwrap();
        check_named_once(&[at("in"), at("other")]).unwrap();
        let error = check_named_once(&[at("in"), at("sub/../in")]).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("is named twice, and would count twice")
        );
    }
}
