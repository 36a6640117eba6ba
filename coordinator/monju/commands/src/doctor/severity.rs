//! Numbers of findings.

use monju_coordinator::doctor::{Finding, Severity};

/// Counts the findings of one severity.
pub fn count(findings: &[Finding], severity: Severity) -> usize {
    let matching = findings
        .iter()
        .filter(|finding| finding.severity == severity);
    matching.count()
}
