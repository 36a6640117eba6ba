//! `monju completions` and `monju manual`: what shells and `man` know of the command line, made from
//! the command line itself.

use anyhow::Context;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use monju_commands::output::print;
use std::{fs, path::Path};

pub const COMPLETIONS_HELP: &str = "\
Examples: monju completions bash > ~/.local/share/bash-completion/completions/monju
          monju completions zsh > ~/.zfunc/_monju
          monju completions fish > ~/.config/fish/completions/monju.fish";

pub const MANUAL_HELP: &str = "\
Example: monju manual ~/.local/share/man/man1, then man monju, man monju-experiment-run";

/// Prints the completions of a shell.
///
/// # Errors
/// Standard output cannot be written.
pub fn print_completions(mut command: Command, shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "monju", &mut script);
    print(&String::from_utf8(script).context("completions are not UTF-8")?)
}

/// Writes a manual page for the program and for each of its commands into `folder`.
///
/// # Errors
/// The folder cannot be made or written.
pub fn write_pages(command: Command, folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut command = command.disable_help_subcommand(true);
    // Names of pages and of the commands in them follow from the whole tree.
    command.build();
    write_page_of(&command, folder)
}

fn write_page_of(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let page = Man::new(command.clone());
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text).context("cannot make a page")?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
    for one in shown {
        write_page_of(one, folder)?;
    }
    Ok(())
}
