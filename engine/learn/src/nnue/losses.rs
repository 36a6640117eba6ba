//! Table and chart of the losses of a training.

use crate::chart::{self, ChartError, ChartSeries, Panel};

/// Losses of one epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpochLosses {
    /// Number of the epoch, counted from 1.
    pub number: u64,
    /// Mean loss on the training set during the epoch.
    pub training: f64,
    /// Mean loss on the validation set after the epoch.
    pub validation: f64,
}

const HEADER: &str = "# epoch\tloss\tloss on held-out games\n";

/// Formats one line an epoch, below a header.
pub(super) fn to_table(epochs: &[EpochLosses]) -> String {
    let rows = epochs.iter().map(|epoch| {
        let EpochLosses {
            number,
            training,
            validation,
        } = epoch;
        format!("{number}\t{training}\t{validation}\n")
    });
    std::iter::once(HEADER.to_owned()).chain(rows).collect()
}

/// Parses the table of [`to_table`].
///
/// # Errors
/// A line has other fields than three numbers.
pub(super) fn from_table(text: &str) -> Result<Vec<EpochLosses>, csv::Error> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(b'\t')
        .comment(Some(b'#'))
        .has_headers(false)
        .from_reader(text.as_bytes());
    let rows = reader.deserialize::<(u64, f64, f64)>();
    let epochs = rows.map(|row| {
        row.map(|(number, training, validation)| EpochLosses {
            number,
            training,
            validation,
        })
    });
    epochs.collect()
}

/// Draws the losses as an SVG.
///
/// # Errors
/// The drawing library refuses.
pub(super) fn to_svg(epochs: &[EpochLosses]) -> Result<String, ChartError> {
    let curve = |label, color, loss: fn(&EpochLosses) -> f64| ChartSeries {
        label: Some(label),
        color,
        points: epochs
            .iter()
            .map(|epoch| (epoch.number, loss(epoch)))
            .collect(),
    };
    let panel = Panel {
        title: "loss a position",
        x_label: "epoch",
        y_label_width: 60,
        series: vec![
            curve("learned from", chart::RED, |epoch| epoch.training),
            curve("held out", chart::BLUE, |epoch| epoch.validation),
        ],
    };
    chart::to_svg((800, 450), &[panel])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_round_trips_and_the_chart_is_an_svg() {
        let epochs = [1, 2].map(|number| EpochLosses {
            number,
            training: 0.1 / number as f64,
            validation: 0.2 / number as f64,
        });
        assert_eq!(from_table(&to_table(&epochs)).unwrap(), epochs);
        assert!(from_table("1\t0.5\n").is_err());
        for epochs in [&epochs[..1], &epochs] {
            let svg = to_svg(epochs).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("held out"));
        }
    }
}
