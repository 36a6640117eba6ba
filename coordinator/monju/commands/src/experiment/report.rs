//! `monju experiment report`: tables, figures and games.

use super::{
    drive::waiting,
    mismatch::mismatches,
    resume::{quoted, report_command, run_command},
};
use crate::{output::print, runtime};
use anyhow::Context;
use monju_experiment::{
    bundle::{self, Bundle},
    report::{self, Findings, Written},
    runner::open_patiently,
    specification::Specification,
    store::{self, Address, OpenMode, Store},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Arguments of `monju experiment report`.
#[derive(Clone, Debug)]
pub struct ReportCommand {
    /// The specification, or the folder of a bundle.
    pub file: PathBuf,
    /// The store; a bundle needs none.
    pub address: Address,
    /// Folder of the report; `None` prints Markdown.
    pub out: Option<PathBuf>,
    /// Folder of the games; `None` writes none.
    pub games: Option<PathBuf>,
    /// Writes one page that needs nothing else.
    pub html: bool,
    /// The machine, in words; `None` for the machines that the store knows.
    pub machine: Option<String>,
    /// Label of the cell with which the others are compared; `None` for the base of the file.
    pub base: Option<String>,
}

impl ReportCommand {
    /// Writes the report.
    ///
    /// # Errors
    /// The file is wrong, the store has no such experiment, or a file cannot be written.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let sealed = bundle::is_bundle(&self.file);
        let (specification, store, command) = if sealed {
            let (specification, bundle) = Bundle::read(&self.file)?;
            let store: Arc<dyn Store> = Arc::new(bundle);
            let folder = quoted(&self.file.display().to_string());
            let command = format!("monju experiment report {folder}");
            (specification, Some(store), command)
        } else {
            let specification = Specification::read(&self.file)?;
            let store = match specification.cells.is_empty() {
                true => None,
                false => {
                    let plan = specification.plan("");
                    Some(open_patiently(&self.address, &plan, OpenMode::Look, waiting).await?)
                }
            };
            let command = run_command(&self.file, &self.address);
            (specification, store, command)
        };
        let (specification, command) = match &self.base {
            None => (specification, command),
            Some(label) => (
                specification.with_base(label)?,
                match sealed {
                    true => format!("{command} --base {}", quoted(label)),
                    false => report_command(&self.file, &self.address, label),
                },
            ),
        };
        let findings = match store {
            None => Findings {
                specification: &specification,
                cells: Vec::new(),
                builds: Vec::new(),
                sources: BTreeMap::new(),
                plans: Vec::new(),
                machines: BTreeMap::new(),
                origins: BTreeMap::new(),
                absent: BTreeMap::new(),
            },
            Some(store) => {
                let gathered = store::closing(&*store, async {
                    for warning in mismatches(&specification, &*store).await? {
                        tell!("{warning}");
                    }
                    let broken = || match sealed {
                        true => format!("in {}", self.file.display()),
                        false => format!("in {}", self.address),
                    };
                    if let Some(folder) = &self.games {
                        let written = report::write_games(&specification, &*store, folder);
                        let Written {
                            counted,
                            without_say,
                        } = written.await.with_context(broken)?;
                        let folder = folder.display();
                        let counted = monju_engine::counted(counted, "game");
                        match without_say {
                            0 => tell!("{counted} below {folder}"),
                            others => tell!(
                                "{counted} below {folder}, and {others} that do not count, apart from them"
                            ),
                        }
                    }
                    (report::gather(&specification, &*store).await).with_context(broken)
                });
                gathered.await?
            }
        };
        let markdown = report::markdown(&findings, &command, self.machine.as_deref());
        let figures = report::figures(&findings);
        let page = (self.html).then(|| report::html(&specification.title, &markdown, &figures));
        let Some(folder) = &self.out else {
            return print(page.as_ref().unwrap_or(&markdown));
        };
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        match &page {
            Some(page) => write(folder, "report.html", page)?,
            None => warn_of_old_page(folder),
        }
        let mut markdown = markdown;
        for (name, _) in &figures {
            markdown.push_str(&format!("\n![{name}]({name})\n"));
        }
        write(folder, "report.md", &markdown)?;
        write(folder, "specification.toml", &findings.specification.text)?;
        if !findings.cells.is_empty() {
            write(folder, "report.csv", &report::csv(&findings)?)?;
            let json = serde_json::to_string_pretty(&report::json(&findings))?;
            write(folder, "report.json", format!("{json}\n"))?;
        }
        let mut missing = BTreeSet::new();
        for (name, svg) in &figures {
            write(folder, name, svg)?;
            write(folder, &name.replace(".svg", ".pdf"), report::pdf(svg))?;
            missing.extend(report::letters_without_pdf(svg));
        }
        if !missing.is_empty() {
            tell!(
                "warning: the PDF figures have ? in place of {}, which cannot be written there; the SVG figures have them",
                missing.into_iter().collect::<String>()
            );
        }
        Ok(())
    }
}

/// Warns of the page of an earlier report, beside which the other files are those of this one.
fn warn_of_old_page(folder: &Path) {
    let path = folder.join("report.html");
    if path.exists() {
        tell!(
            "warning: {} is not of this report; --html writes it anew",
            path.display()
        );
    }
}

fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> anyhow::Result<()> {
    let path = folder.join(name);
    fs::write(&path, contents).with_context(|| format!("cannot write {}", path.display()))
}
