//! What a learner writes, and that it is nothing of what it reads.

use anyhow::{Context, bail};
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// A path with an ending after its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Where a file is first written, before it takes its name.
fn draft(path: &Path) -> PathBuf {
    beside(path, ".new")
}

/// Writes a file that is there as a whole or not at all, whatever happens meanwhile: until the new
/// one is safe on the disk, the name stays with the old one.
///
/// # Errors
/// It cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let draft = draft(path);
    let write = || {
        let mut file = File::create(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Removes a file, if it is there.
///
/// # Errors
/// It is there and stays.
pub fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.with_context(|| format!("cannot remove {}", path.display())),
    }
}

/// Refuses to write over what is read, or over another output, before anything is written. Paths
/// that are spelt otherwise or lead through links are known for what they are.
///
/// # Errors
/// Two are the same file.
pub fn keep_apart<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: &[PathBuf],
) -> anyhow::Result<()> {
    let written = |path: &PathBuf| [real(path), real(&draft(path))];
    for input in inputs {
        let input_file = real(input);
        if let Some(output) = outputs
            .iter()
            .find(|path| written(path).contains(&input_file))
        {
            bail!(
                "{} would be written over {}, which is read; choose another --output",
                output.display(),
                input.display()
            );
        }
    }
    for (place, output) in outputs.iter().enumerate() {
        let file = real(output);
        if let Some(other) = outputs[..place]
            .iter()
            .find(|path| written(path).contains(&file))
        {
            bail!(
                "{} would be written over {}; choose another name for one of them",
                output.display(),
                other.display()
            );
        }
    }
    Ok(())
}

/// Where a path leads to, whether there is a file or not.
fn real(path: &Path) -> PathBuf {
    let folder = |path: &Path| match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    fs::canonicalize(path).unwrap_or_else(|_| match path.file_name() {
        Some(name) => {
            fs::canonicalize(folder(path)).map_or(path.to_owned(), |folder| folder.join(name))
        }
        None => path.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_never_an_input_however_it_is_spelt() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("in"), b"precious").unwrap();
        fs::write(at("other.new"), b"precious").unwrap();
        let apart = |input: &Path, outputs: &[PathBuf]| keep_apart([input], outputs);
        let mut spellings = vec![at("in"), at("sub/../in"), at("./in")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("in"), at("link")).unwrap();
            spellings.push(at("link"));
        }
        for output in &spellings {
            let error = apart(&at("in"), &[at("new"), output.clone()]).unwrap_err();
            assert!(error.to_string().contains("which is read"), "{error}");
            assert!(apart(output, &[at("in")]).is_err(), "{}", output.display());
        }
        assert!(
            apart(&at("other.new"), &[at("other")]).is_err(),
            "its draft"
        );
        assert!(
            apart(&at("in"), &[at("a"), at("sub/../a")]).is_err(),
            "two outputs"
        );
        apart(&at("in"), &[at("new"), at("in.checkpoint"), at("sub/in")]).unwrap();
    }
}
