//! The loss curve.

use anyhow::anyhow;
use monju_learn::linear::Step;
use plotters::prelude::*;

/// A curve: its title, what it shows of a step, and its colour.
type Curve = (&'static str, fn(&Step) -> f32, RGBColor);

const CURVES: [Curve; 2] = [
    ("loss per position", |step| step.loss, RED),
    (
        "positions whose recorded move looks best, %",
        |step| 100.0 * step.agreement,
        BLUE,
    ),
];

/// An SVG of the loss and the agreement, each the mean of so many steps.
///
/// # Errors
/// The drawing library refuses.
pub fn draw(history: &[Step], smoothing: usize) -> anyhow::Result<String> {
    let points: Vec<Step> = history
        .chunks(smoothing.max(1))
        .map(super::smoothed)
        .collect();
    let mut svg = String::new();
    plot(&points, &mut svg).map_err(|error| anyhow!("cannot draw the loss curve: {error}"))?;
    Ok(svg)
}

fn plot(points: &[Step], svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let steps = points.last().map_or(1, |step| step.number);
    let root = SVGBackend::with_string(svg, (800, 600)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (title, part, color)) in root.split_evenly((2, 1)).iter().zip(CURVES) {
        let most = points.iter().map(part).fold(f32::EPSILON, f32::max);
        let mut chart = ChartBuilder::on(area)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(30)
            .y_label_area_size(50)
            .build_cartesian_2d(0..steps, 0_f32..most * 1.05)?;
        chart.configure_mesh().x_desc("step").draw()?;
        let line = points.iter().map(|step| (step.number, part(step)));
        chart.draw_series(LineSeries::new(line, color))?;
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_an_svg_even_of_one_step() {
        let step = Step {
            number: 1,
            loss: 2.0,
            agreement: 0.25,
        };
        let svg = draw(&[step], 50).expect("drawn");
        assert!(svg.starts_with("<svg") && svg.contains("loss per position"));
    }
}
