//! Line charts as SVG.

use plotters::prelude::*;
use std::error::Error;

pub(crate) use plotters::style::{BLUE, RED};

/// One diagram of a chart; its y axis begins at 0.
pub(crate) struct Panel {
    pub title: &'static str,
    pub x_label: &'static str,
    /// Width of the y axis' labels in pixels.
    pub y_label_width: u32,
    pub series: Vec<ChartSeries>,
}

/// One curve of a diagram.
pub(crate) struct ChartSeries {
    /// Entry in the legend.
    pub label: Option<&'static str>,
    pub color: RGBColor,
    pub points: Vec<(u64, f64)>,
}

/// Error of the drawing library.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the loss curve")]
pub struct ChartError(#[source] Box<dyn Error + Send + Sync>);

/// Draws panels below each other on an image of `size` pixels.
///
/// # Errors
/// The drawing library refuses.
pub(crate) fn to_svg(size: (u32, u32), panels: &[Panel]) -> Result<String, ChartError> {
    let mut svg = String::new();
    draw(size, panels, &mut svg).map_err(ChartError)?;
    Ok(svg)
}

fn draw(
    size: (u32, u32),
    panels: &[Panel],
    svg: &mut String,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((panels.len(), 1)).iter().zip(panels) {
        let points = || panel.series.iter().flat_map(|series| &series.points);
        let last = points().map(|&(x, _)| x).max().unwrap_or(1);
        let highest = points().map(|&(_, y)| y).fold(f64::EPSILON, f64::max);
        let mut chart = ChartBuilder::on(area)
            .caption(panel.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(30)
            .y_label_area_size(panel.y_label_width)
            .build_cartesian_2d(0..last, 0.0..highest * 1.05)?;
        chart.configure_mesh().x_desc(panel.x_label).draw()?;
        for series in &panel.series {
            let color = series.color;
            let line = LineSeries::new(series.points.iter().copied(), color);
            let drawn = chart.draw_series(line)?;
            if let Some(label) = series.label {
                drawn
                    .label(label)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
            }
        }
        if panel.series.iter().any(|series| series.label.is_some()) {
            chart.configure_series_labels().border_style(BLACK).draw()?;
        }
    }
    root.present()?;
    Ok(())
}
