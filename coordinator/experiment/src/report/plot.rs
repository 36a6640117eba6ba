//! Plots of lines with error bars, as SVG.

use plotters::{
    coord::Shift,
    prelude::{
        ChartBuilder, Circle, DrawingArea, DrawingAreaErrorKind, ErrorBar, IntoDrawingArea,
        LineSeries, PathElement, SVGBackend,
    },
    style::{Color, RGBColor, ShapeStyle},
};

/// A point with its interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotPoint {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

/// A line through points.
#[derive(Clone, Debug)]
pub(super) struct PlotLine {
    pub name: String,
    pub points: Vec<PlotPoint>,
}

/// A figure.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub title: String,
    pub x: String,
    pub y: String,
    pub lines: Vec<PlotLine>,
    /// Height of a horizontal line for comparison.
    pub level: Option<f64>,
    /// True when points have error bars.
    pub bars: bool,
}

/// Colours that colour-blind readers can tell apart, too (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

const SIZE: (u32, u32) = (860, 520);

impl Plot {
    /// The figure as SVG text.
    pub fn svg(&self) -> String {
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            // Drawing into memory does not fail.
            if let Err(error) = self.draw(&area) {
                tracing::error!(%error, "a figure could not be drawn");
            }
        }
        text
    }

    /// Ranges of both axes, with a margin.
    fn ranges(&self) -> [std::ops::Range<f64>; 2] {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let range = |low: f64, high: f64| {
            if low > high {
                return 0.0..1.0;
            }
            let margin = if high > low { 0.05 * (high - low) } else { 1.0 };
            low - margin..high + margin
        };
        let fold = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (left, right) = fold(&mut points().map(|point| point.x));
        let ends = points().flat_map(|point| [point.low, point.high]);
        let (low, high) = fold(&mut ends.chain(self.level));
        [range(left, right), range(low, high)]
    }

    fn draw<'a>(
        &self,
        area: &DrawingArea<SVGBackend<'a>, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let [x, y] = self.ranges();
        area.fill(&RGBColor(255, 255, 255))?;
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(46)
            .y_label_area_size(64)
            .build_cartesian_2d(x.clone(), y)?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .light_line_style(RGBColor(240, 240, 240))
            .draw()?;
        if let Some(level) = self.level {
            let grey: ShapeStyle = RGBColor(120, 120, 120).into();
            chart.draw_series(LineSeries::new([(x.start, level), (x.end, level)], grey))?;
        }
        for (index, line) in self.lines.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let points = line.points.iter().map(|point| (point.x, point.y));
            let series = chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
            if !line.name.is_empty() {
                series.label(&line.name).legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2))
                });
            }
            if self.bars {
                chart.draw_series(line.points.iter().map(|point| {
                    ErrorBar::new_vertical(
                        point.x,
                        point.low,
                        point.y,
                        point.high,
                        colour.filled(),
                        8,
                    )
                }))?;
                chart.draw_series(
                    line.points
                        .iter()
                        .map(|point| Circle::new((point.x, point.y), 3, colour.filled())),
                )?;
            }
        }
        if self.lines.iter().any(|line| !line.name.is_empty()) {
            chart
                .configure_series_labels()
                .background_style(RGBColor(255, 255, 255).mix(0.8))
                .border_style(RGBColor(160, 160, 160))
                .draw()?;
        }
        area.present()
    }
}
