//! Errors and warnings that an engine tells as `info string`, where a GUI would show them to a person.

use monju_proto::text::excerpt;

/// Greatest number of errors that are kept, and of warnings: an engine may repeat them without end.
const MOST: usize = 8;

/// Longest text of a report, in characters.
const LONGEST: usize = 400;

/// Weight of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// The engine cannot do what it was told.
    Error,
    /// The engine doubts what it was told.
    Warning,
}

impl ReportKind {
    /// Returns the kind of an `info string`; `None` for one that is no report. Engines begin theirs with the word:
    /// `error: …`, `Error! : …`, `[WARNING] …`.
    fn of(remark: &str) -> Option<Self> {
        let mut words = remark.split(|c: char| !c.is_alphanumeric());
        let first = words.find(|word| !word.is_empty())?;
        match first.to_ascii_lowercase().as_str() {
            "error" | "fatal" => Some(Self::Error),
            "warning" => Some(Self::Warning),
            _ => None,
        }
    }
}

/// Error or warning of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineReport {
    /// Its weight.
    pub kind: ReportKind,
    /// The engine's own words, on one line.
    pub words: String,
}

/// What an engine has reported, each text once, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineReports(Vec<EngineReport>);

impl EngineReports {
    /// Takes in the text behind `info string`. Returns it if it is a report that was not heard before and is kept.
    pub fn hear(&mut self, remark: &str) -> Option<&EngineReport> {
        let kind = ReportKind::of(remark)?;
        let words = excerpt(remark.trim(), LONGEST);
        let mut same = self.0.iter().filter(|report| report.kind == kind);
        if same.clone().count() >= MOST || same.any(|report| report.words == words) {
            return None;
        }
        self.0.push(EngineReport { kind, words });
        self.0.last()
    }

    /// Returns all reports, in order.
    pub fn all(&self) -> &[EngineReport] {
        &self.0
    }

    /// Returns the words of what keeps an engine of this name from playing as it is told to, and of the rest. Monju
    /// plays on as another player after an error; other engines say so of what they do without, such as a book.
    pub fn weighed(&self, engine: Option<&str>) -> (Vec<String>, Vec<String>) {
        let (errors, warnings) = (self.errors(), self.warnings());
        match engine.is_some_and(|name| name.starts_with("Monju")) {
            true => (errors, warnings),
            false => (Vec::new(), [errors, warnings].concat()),
        }
    }

    /// Returns the words of every error.
    pub fn errors(&self) -> Vec<String> {
        self.words(ReportKind::Error)
    }

    /// Returns the words of every warning.
    pub fn warnings(&self) -> Vec<String> {
        self.words(ReportKind::Warning)
    }

    fn words(&self, kind: ReportKind) -> Vec<String> {
        let reports = self.0.iter().filter(|report| report.kind == kind);
        reports.map(|report| report.words.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_warnings_are_told_from_other_remarks() {
        for (remark, kind) in [
            (
                "error: cannot read the weights in \"/nope\"",
                ReportKind::Error,
            ),
            ("Error! : failed to read nn.bin", ReportKind::Error),
            ("ERROR", ReportKind::Error),
            ("[Error] no book", ReportKind::Error),
            ("Fatal error: no memory", ReportKind::Error),
            ("warning: no large pages", ReportKind::Warning),
            ("  (Warning) slow", ReportKind::Warning),
        ] {
            assert_eq!(ReportKind::of(remark), Some(kind), "{remark}");
        }
        for remark in [
            "",
            "--",
            "hello",
            "errors: 0",
            "no error",
            "errorless",
            "warnings off",
            "reading nn.bin, error rate 0.1",
            "no page: cannot serve on 127.0.0.1:1: error",
        ] {
            assert_eq!(ReportKind::of(remark), None, "{remark}");
        }
    }

    #[test]
    fn errors_of_other_engines_are_doubts() {
        let mut reports = EngineReports::default();
        reports.hear("error: no book");
        reports.hear("warning: slow");
        let (book, slow) = ("error: no book".to_owned(), "warning: slow".to_owned());
        let own = (vec![book.clone()], vec![slow.clone()]);
        assert_eq!(reports.weighed(Some("Monju player 0.1.0")), own);
        for name in [Some("Other"), None] {
            let other = (Vec::new(), vec![book.clone(), slow.clone()]);
            assert_eq!(reports.weighed(name), other);
        }
    }

    #[test]
    fn reports_are_few_short_and_different() {
        let mut reports = EngineReports::default();
        for number in 0..100 {
            reports.hear("warning: again");
            reports.hear(&format!("warning {number}: {}", "x".repeat(10_000)));
        }
        assert!(reports.hear("error: last").is_some());
        assert!(reports.hear("error: last").is_none());
        assert_eq!(reports.errors(), ["error: last"]);
        let warnings = reports.warnings();
        assert_eq!(warnings.len(), MOST);
        assert_eq!(warnings[0], "warning: again");
        assert!(
            warnings
                .iter()
                .all(|words| words.chars().count() <= LONGEST)
        );
        assert_eq!(reports.all().len(), MOST + 1);
    }
}
