//! A replay as tables.

use crate::text_table::{Align, align, centipawns};
use monju_coordinator::replay::{Diversity, MOST_COUNTED, ReplayReport};
use std::fmt::Write;

pub(super) fn render(report: &ReplayReport) -> String {
    let mut text = String::new();
    let rules = list(&report.recorded_rules);
    let _ = writeln!(
        text,
        "ballots   {}, decided by votes {}; recorded rules: {rules}",
        report.ballots, report.voted
    );
    let rule = report.rule.as_deref().unwrap_or("as recorded");
    let _ = writeln!(
        text,
        "rule      {rule}: {} decisions change ({}); ties and grounds: {}",
        report.changes.len(),
        percent(report.changes.len() as u64, report.voted),
        list(&report.grounds)
    );
    if report.voted == 0 {
        return text;
    }
    would_change(&mut text, report);
    members(&mut text, report);
    agreement(&mut text, report);
    diversity(&mut text, &report.diversity);
    text
}

fn would_change(text: &mut String, report: &ReplayReport) {
    text.push_str("\nDecisions that each rule would change\n");
    let rows: Vec<Vec<String>> = report
        .would_change
        .iter()
        .map(|(rule, count)| {
            vec![
                rule.clone(),
                count.to_string(),
                percent(*count, report.voted),
            ]
        })
        .collect();
    align(text, &[Align::Left, Align::Right, Align::Right], &rows);
}

fn members(text: &mut String, report: &ReplayReport) {
    text.push_str("\nHow often each member was followed\n");
    let headings = [
        "",
        "member",
        "engine",
        "σ",
        "votes",
        "as recorded",
        "under the rule",
    ];
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    for (index, member) in report.members.iter().enumerate() {
        rows.push(vec![
            (index + 1).to_string(),
            member.player.clone(),
            match member.evaluator.as_str() {
                "" => member.engine.clone(),
                evaluator => format!("{}/{evaluator}", member.engine),
            },
            centipawns(member.sigma),
            member.votes.to_string(),
            percent(member.followed_as_recorded, member.votes),
            percent(member.followed, member.votes),
        ]);
    }
    use Align::{Left, Right};
    align(
        text,
        &[Right, Left, Left, Right, Right, Right, Right],
        &rows,
    );
}

fn agreement(text: &mut String, report: &ReplayReport) {
    text.push_str("\nAgreement of the members, in per cent of their common ballots\n");
    let count = report.members.len();
    let mut heading = vec![String::new(), String::new()];
    heading.extend((1..=count).map(|number| number.to_string()));
    let mut rows = vec![heading];
    for (index, member) in report.members.iter().enumerate() {
        let mut row = vec![(index + 1).to_string(), member.player.clone()];
        row.extend(report.agreement[index].iter().map(|share| match share {
            Some(share) => format!("{:.1}", share * 100.0),
            None => "-".to_owned(),
        }));
        rows.push(row);
    }
    let mut sides = vec![Align::Right, Align::Left];
    sides.resize(count + 2, Align::Right);
    align(text, &sides, &rows);
}

/// Writes table 1 of Ito et al. (2011): ballots by the number of different moves.
fn diversity(text: &mut String, rows_of: &[Diversity]) {
    if rows_of.is_empty() {
        return;
    }
    text.push_str("\nBallots by the number of different moves (table 1 of Ito et al. (2011))\n");
    let mut heading = vec!["σ".to_owned(), "players".to_owned()];
    heading.extend((1..MOST_COUNTED).map(|number| number.to_string()));
    heading.push(format!("{MOST_COUNTED}+"));
    heading.extend(["sum".to_owned(), "mean".to_owned()]);
    let mut sides = vec![Align::Left];
    sides.resize(heading.len(), Align::Right);
    let mut rows = vec![heading];
    for row in rows_of {
        let mut cells = vec![
            row.sigma.map_or("all".to_owned(), centipawns),
            format!("{:.1}", row.players),
        ];
        cells.extend(row.ballots.iter().map(u64::to_string));
        cells.push(row.ballots.iter().sum::<u64>().to_string());
        cells.push(format!("{:.2}", row.mean));
        rows.push(cells);
    }
    align(text, &sides, &rows);
}

fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        whole => format!("{:.1} %", part as f64 / whole as f64 * 100.0),
    }
}

fn list(counts: &std::collections::BTreeMap<String, u64>) -> String {
    let items = counts.iter().map(|(name, count)| format!("{name} {count}"));
    items.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_coordinator::{record::read::Log, replay::Replay, voting::Rule};
    use monju_proto::v1::Ballot;
    use std::path::Path;

    fn ballots() -> Vec<Ballot> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../tests/data/replay/three-ballots.jsonl");
        Log::read([path.as_path()]).expect("a log").ballots
    }

    #[test]
    fn the_tables() {
        let replay = Replay {
            rule: Some(Rule::Optimistic),
            ..Replay::default()
        };
        let expected = "\
ballots   3, decided by votes 2; recorded rules: majority 3
rule      optimistic: 1 decisions change (50.0 %); ties and grounds: none 2

Decisions that each rule would change
alternate                 0   0.0 %
careful                   0   0.0 %
hand-over                 0   0.0 %
majority                  0   0.0 %
majority-then-optimistic  0   0.0 %
mean-score                1  50.0 %
optimistic                1  50.0 %
pessimistic               0   0.0 %
primary-unless-outvoted   0   0.0 %
ranked                    0   0.0 %
single                    0   0.0 %
weighted                  0   0.0 %

How often each member was followed
   member  engine           σ  votes  as recorded  under the rule
1  a       monju/material  25      2      100.0 %          50.0 %
2  b       monju/material  25      2       50.0 %         100.0 %
3  c       monju/material  50      2      100.0 %          50.0 %

Agreement of the members, in per cent of their common ballots
          1      2      3
1  a  100.0   50.0  100.0
2  b   50.0  100.0   50.0
3  c  100.0   50.0  100.0

Ballots by the number of different moves (table 1 of Ito et al. (2011))
σ    players  1  2  3  4  5  6  7  8  9  10+  sum  mean
all      3.0  1  1  0  0  0  0  0  0  0    0    2  1.50
25       2.0  1  1  0  0  0  0  0  0  0    0    2  1.50
";
        assert_eq!(render(&replay.run(&ballots())), expected);
    }

    #[test]
    fn the_json_has_the_keys_of_the_report() {
        let report = Replay::default().run(&ballots());
        let value = serde_json::to_value(&report).expect("JSON");
        assert_eq!(value["rule"], serde_json::Value::Null);
        assert_eq!(value["members"][1]["player"], "b");
        assert_eq!(value["agreement"][0][1], 0.5);
        assert_eq!(value["diversity"][0]["ballots"][1], 1);
        assert_eq!(value["would_change"]["optimistic"], 1);
    }
}
