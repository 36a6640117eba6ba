//! `monju init`: the documented configuration, the experiment's template and the examples, from the binary.

use super::output::print;
use anyhow::{Context, bail};
use std::{
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::Write as _,
    path::PathBuf,
};

/// The path of a file below `configs/`, and its text.
macro_rules! text_of {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../../configs/", $path)))
    };
}

/// The files below `configs/` that users copy, with their paths there.
const FILES: [(&str, &str); 9] = [
    text_of!("monju.toml"),
    text_of!("three-noise-players.toml"),
    text_of!("heterogeneous.toml"),
    text_of!("cluster/coordinator.toml"),
    text_of!("cluster/worker-1.toml"),
    text_of!("cluster/worker-2.toml"),
    text_of!("cluster/worker-3.toml"),
    text_of!("experiments/template.toml"),
    text_of!("openings/records2016_24ply.sfen"),
];

/// The folder to write the files to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Init {
    /// It must hold none of the files yet.
    pub folder: PathBuf,
}

impl Init {
    /// Writes the files and says what to do with them.
    ///
    /// # Errors
    /// One of the files is there already, and nothing is written; or the folder cannot be written.
    pub fn run(&self) -> anyhow::Result<()> {
        let paths = FILES.map(|(path, _)| self.folder.join(path));
        if let Some(taken) = paths.iter().find(|path| fs::symlink_metadata(path).is_ok()) {
            bail!(
                "{} is there already, and nothing was written; name another folder",
                taken.display()
            );
        }
        let mut list = String::new();
        for (path, (_, text)) in paths.iter().zip(FILES) {
            let problem = || format!("cannot write {}", path.display());
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).with_context(problem)?;
            }
            // A file that has come meanwhile is not overwritten.
            let created = OpenOptions::new().write(true).create_new(true).open(path);
            let written = created.and_then(|mut file| file.write_all(text.as_bytes()));
            written.with_context(problem)?;
            let _ = writeln!(list, "{}", path.display());
        }
        let folder = self.folder.display();
        let _ = writeln!(
            list,
            "monju.toml documents every key of a team: change it, check it with \
             'monju doctor --config {folder}/monju.toml', and give it to the others by --config, or lay it \
             beside the binary"
        );
        print(&list)
    }
}
