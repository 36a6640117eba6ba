//! The crates of the workspace and their Rust files.

use monju_tests::data::repository;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A crate of the workspace.
pub struct Crate {
    /// Name of its package.
    pub name: String,
    /// Its folder, which may hold the folders of other crates.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: toml::Table,
    /// Its Rust files, without generated ones and those of crates in folders below.
    pub files: Vec<PathBuf>,
}

/// Returns all crates of the workspace, in the order of the manifest.
pub fn crates() -> Vec<Crate> {
    let root = manifest(repository());
    let members = root["workspace"]["members"].as_array().expect("members");
    let folders: Vec<PathBuf> = members
        .iter()
        .map(|member| repository().join(member.as_str().expect("a folder")))
        .collect();
    folders
        .iter()
        .map(|folder| {
            let manifest = manifest(folder);
            let name = manifest["package"]["name"].as_str().expect("a name");
            Crate {
                name: name.to_owned(),
                folder: folder.clone(),
                files: rust_files(folder, &folders),
                manifest,
            }
        })
        .collect()
}

/// Returns a file's path from the root of the repository.
pub fn shown(file: &Path) -> String {
    let path = file.strip_prefix(repository()).unwrap_or(file);
    path.display().to_string()
}

/// Returns the text of a file.
pub fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn manifest(folder: &Path) -> toml::Table {
    let file = folder.join("Cargo.toml");
    let parsed = read(&file).parse();
    parsed.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The Rust files below a folder, without those of the other crates, of builds and of generators.
fn rust_files(folder: &Path, crates: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", shown(folder)));
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_foreign = ["target", "generated"].contains(&name.as_ref())
            || name.starts_with('.')
            || crates.contains(&path);
        if path.is_dir() && !is_foreign {
            files.extend(rust_files(&path, crates));
        } else if name.ends_with(".rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
