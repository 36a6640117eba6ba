//! Report and loss curve of a training.

use super::training::TrainingStep;
use crate::chart::{self, ChartError, ChartSeries, Panel};

/// Number of steps whose losses are averaged for display.
pub(super) const SMOOTHING: usize = 50;

/// Returns the last step, with the means of the last [`SMOOTHING`] steps.
pub(super) fn smoothed(history: &[TrainingStep]) -> TrainingStep {
    let last = &history[history.len().saturating_sub(SMOOTHING)..];
    let mean = |part: fn(&TrainingStep) -> f32| {
        last.iter().map(part).sum::<f32>() / last.len().max(1) as f32
    };
    TrainingStep {
        number: last.last().map_or(0, |step| step.number),
        loss: mean(|step| step.loss),
        agreement: mean(|step| step.agreement),
    }
}

/// Draws loss and agreement as an SVG, averaged over [`SMOOTHING`] steps.
///
/// # Errors
/// The drawing library refuses.
pub(super) fn to_svg(history: &[TrainingStep]) -> Result<String, ChartError> {
    let means: Vec<TrainingStep> = history.chunks(SMOOTHING).map(smoothed).collect();
    let panel = |title, color, value: fn(&TrainingStep) -> f32| Panel {
        title,
        x_label: "step",
        y_label_width: 50,
        series: vec![ChartSeries {
            label: None,
            color,
            points: means
                .iter()
                .map(|step| (step.number, value(step).into()))
                .collect(),
        }],
    };
    let panels = [
        panel("loss per position", chart::RED, |step| step.loss),
        panel(
            "positions whose recorded move looks best, %",
            chart::BLUE,
            |step| 100.0 * step.agreement,
        ),
    ];
    chart::to_svg((800, 600), &panels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_step_can_be_drawn() {
        let step = TrainingStep {
            number: 1,
            loss: 2.0,
            agreement: 0.25,
        };
        let svg = to_svg(&[step]).expect("drawn");
        assert!(svg.starts_with("<svg") && svg.contains("loss per position"));
    }
}
