//! Plots of points with error bars, as SVG.

use crate::statistics::Stars;
use plotters::{
    coord::Shift,
    element::{Cross, DashedPathElement},
    prelude::{
        ChartBuilder, Circle, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, LineSeries,
        PathElement, Polygon, SVGBackend, Text,
    },
    style::{
        Color, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

/// A point with its interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlotPoint {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
    /// Mark beside it.
    pub stars: Stars,
}

impl PlotPoint {
    /// A point without an interval and without a mark.
    pub fn new(x: f64, y: f64) -> Self {
        Self {
            x,
            y,
            low: y,
            high: y,
            stars: Stars::None,
        }
    }
}

/// Points of one kind.
#[derive(Clone, Debug)]
pub(super) struct PlotLine {
    pub name: String,
    pub points: Vec<PlotPoint>,
    /// Number of its colour. With each round of the colours, lines have another pattern and points another shape.
    pub colour: usize,
    /// True when a line joins the points, because their x follow each other.
    pub joined: bool,
    /// True for figures of others: crosses and a dashed line.
    pub published: bool,
}

/// The values of x.
#[derive(Clone, Debug)]
pub(super) enum PlotAxis {
    /// Numbers.
    Numbers,
    /// Names in their order; the first is at 1.
    Names(Vec<String>),
}

/// A figure.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub title: String,
    pub x: String,
    pub axis: PlotAxis,
    pub y: String,
    pub lines: Vec<PlotLine>,
    /// Height of a horizontal line for comparison.
    pub level: Option<f64>,
    /// True when points are marked, with error bars.
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

/// Dashes and gaps of the lines of each round of the colours, in pixels; none for a line without gaps.
const PATTERNS: [Option<(i32, i32)>; 4] = [None, Some((7, 4)), Some((4, 3)), Some((2, 4))];

/// Dashes and gaps of published lines in the first round.
const PUBLISHED: (i32, i32) = (6, 4);

/// Corners of the points of each round of the colours, in pixels; none for circles and, where published, crosses.
const SHAPES: [&[(i32, i32)]; 4] = [
    &[],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -5), (5, 4), (-5, 4)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
];

const WIDTH: u32 = 860;

/// Height without the legend and the names of x, which have room of their own below.
const HEIGHT: u32 = 470;

/// Height of a line of the legend.
const LEGEND: u32 = 22;

/// Width of a Latin letter of the names and of the legend, on average; those of East Asia are half as wide again.
const LETTER: u32 = 7;

/// Size of the letters of a title that has room.
const TITLE: f64 = 20.0;

/// Width of a letter of the title by its size, on average.
const TITLE_LETTER: f64 = 0.45;

/// Width of an error bar.
const BAR: i32 = 8;

/// Space around the chart.
const MARGIN: u32 = 12;

/// Width of the area of the labels of y.
const LEFT: u32 = 64;

const BLACK: RGBColor = RGBColor(0, 0, 0);

impl PlotLine {
    /// Its colour.
    fn rgb(&self) -> RGBColor {
        COLOURS[self.colour % COLOURS.len()]
    }

    /// Number of its round of the colours.
    fn round(&self) -> usize {
        self.colour / COLOURS.len()
    }

    /// Dashes and gaps of the line, in pixels.
    fn pattern(&self) -> Option<(i32, i32)> {
        let pattern = PATTERNS[self.round() % PATTERNS.len()];
        match self.published {
            true => pattern.or(Some(PUBLISHED)),
            false => pattern,
        }
    }

    /// Style of the line.
    fn stroke(&self) -> ShapeStyle {
        let width = if self.published { 1 } else { 2 };
        self.rgb().stroke_width(width)
    }

    /// Corners of its points, in pixels.
    fn shape(&self) -> &'static [(i32, i32)] {
        SHAPES[self.round() % SHAPES.len()]
    }

    /// Draws a point that has corners: filled, or as an outline where it is published.
    fn draw_shape(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        (x, y): (i32, i32),
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let corners = self.shape().iter();
        let mut corners: Vec<(i32, i32)> =
            corners.map(|(right, down)| (x + right, y + down)).collect();
        if !self.published {
            return area.draw(&Polygon::new(corners, self.rgb().filled()));
        }
        corners.extend(corners.first().copied());
        area.draw(&PathElement::new(corners, self.rgb().stroke_width(2)))
    }
}

impl Plot {
    /// The figure as SVG text.
    pub fn svg(&self) -> String {
        let legend = self.legend();
        let rows = legend.iter().map(|(row, ..)| row + 1).max().unwrap_or(0);
        let names = self.names_height();
        let mut text = String::new();
        {
            let size = (WIDTH, HEIGHT + names + rows * LEGEND);
            let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
            // Drawing into memory does not fail.
            if let Err(error) = self.draw(&area, &legend, names) {
                tracing::error!(%error, "a figure could not be drawn");
            }
        }
        text
    }

    /// Places of the legend: row, distance from the left, and line.
    fn legend(&self) -> Vec<(u32, u32, &PlotLine)> {
        let (mut row, mut left) = (0, LEFT);
        let named = self.lines.iter().filter(|line| !line.name.is_empty());
        named
            .map(|line| {
                let width = 40 + LETTER * letters(&line.name);
                if left > LEFT && left + width > WIDTH - MARGIN {
                    (row, left) = (row + 1, LEFT);
                }
                let place = (row, left, line);
                left += width;
                place
            })
            .collect()
    }

    /// Room for names of x beyond one line of text.
    fn names_height(&self) -> u32 {
        match &self.axis {
            PlotAxis::Names(names) if self.turns_names(names) => LETTER * longest(names),
            _ => 0,
        }
    }

    /// Size of the title's letters: a long title has smaller ones, so that it fits.
    fn title_size(&self) -> f64 {
        let (all, wide) = (self.title.chars().count(), wide_letters(&self.title));
        let room = f64::from(WIDTH - 2 * MARGIN);
        // A letter of East Asia is as wide as it is high.
        let width = TITLE_LETTER * (all - wide).max(1) as f64 + wide as f64;
        TITLE.min(room / width)
    }

    /// Tells whether the names are too long to stand side by side.
    fn turns_names(&self, names: &[String]) -> bool {
        let room = (WIDTH - LEFT - 2 * MARGIN) / (names.len() as u32).max(1);
        LETTER * longest(names) + LETTER > room
    }

    /// Ranges of both axes, with a margin. Infinite ends of intervals are beyond them.
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
        let across = match &self.axis {
            PlotAxis::Names(names) => 0.5..names.len() as f64 + 0.5,
            PlotAxis::Numbers => {
                let (left, right) = fold(&mut points().map(|point| point.x));
                range(left, right)
            }
        };
        let ends = points().flat_map(|point| [point.low, point.y, point.high]);
        let (low, high) = fold(&mut ends.chain(self.level));
        [across, range(low, high)]
    }

    fn draw<'a>(
        &self,
        area: &DrawingArea<SVGBackend<'a>, Shift>,
        legend: &[(u32, u32, &PlotLine)],
        names: u32,
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        let [x, y] = self.ranges();
        area.fill(&RGBColor(255, 255, 255))?;
        let (chart_area, legend_area) = area.split_vertically(HEIGHT + names);
        let mut chart = ChartBuilder::on(&chart_area)
            .caption(&self.title, ("sans-serif", self.title_size()))
            .margin(MARGIN)
            .x_label_area_size(46 + names)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(x.clone(), y.clone())?;
        let mut mesh = chart.configure_mesh();
        mesh.y_desc(&self.y)
            .axis_desc_style(("sans-serif", 14))
            .label_style(("sans-serif", 13))
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .light_line_style(RGBColor(240, 240, 240));
        match &self.axis {
            PlotAxis::Numbers => mesh.x_desc(&self.x).draw()?,
            PlotAxis::Names(_) => mesh.disable_x_mesh().x_labels(0).draw()?,
        }
        if let Some(level) = self.level {
            let grey: ShapeStyle = RGBColor(120, 120, 120).into();
            chart.draw_series(LineSeries::new([(x.start, level), (x.end, level)], grey))?;
        }
        for line in &self.lines {
            let colour = line.rgb();
            let points = || line.points.iter().map(|point| (point.x, point.y));
            match line.pattern() {
                Some((dash, gap)) if line.joined => {
                    let path: Vec<(f64, f64)> = points().collect();
                    let dashed = DashedPathElement::new(path, dash, gap, line.stroke());
                    chart.draw_series([dashed])?;
                }
                None if line.joined => {
                    chart.draw_series(LineSeries::new(points(), line.stroke()))?;
                }
                _ => {}
            }
            let with_bars = self.bars && !line.published;
            for point in line.points.iter().filter(|_| with_bars) {
                let ends = [point.low, point.high];
                let places = ends.map(|end| chart.backend_coord(&(point.x, end)));
                area.draw(&PathElement::new(places, colour))?;
                for (x, y) in places {
                    let end = [(x - BAR / 2, y), (x + BAR / 2, y)];
                    area.draw(&PathElement::new(end, colour))?;
                }
            }
            let is_marked = self.bars || line.published;
            if is_marked && !line.shape().is_empty() {
                for point in points() {
                    line.draw_shape(area, chart.backend_coord(&point))?;
                }
            } else if line.published {
                let crosses = points().map(|point| Cross::new(point, 4, colour.stroke_width(2)));
                chart.draw_series(crosses)?;
            } else if is_marked {
                let circles = points().map(|point| Circle::new(point, 3, colour.filled()));
                chart.draw_series(circles)?;
            }
        }
        let mut marks = Vec::new();
        for line in &self.lines {
            let colour = line.rgb();
            for point in line.points.iter().filter(|it| it.stars != Stars::None) {
                let place = chart.backend_coord(&(point.x, point.y));
                let place = beside(place, &mut marks);
                let style = TextStyle::from(("sans-serif", 16).into_font())
                    .color(&colour)
                    .pos(Pos::new(HPos::Left, VPos::Center));
                area.draw(&Text::new(point.stars.to_string(), place, style))?;
            }
        }
        if let PlotAxis::Names(all) = &self.axis {
            let turned = self.turns_names(all);
            for (index, name) in all.iter().enumerate() {
                let (left, top) = chart.backend_coord(&(index as f64 + 1.0, y.start));
                area.draw(&PathElement::new([(left, top), (left, top + 5)], BLACK))?;
                let font = ("sans-serif", 13).into_font();
                let style = match turned {
                    true => TextStyle::from(font.transform(FontTransform::Rotate90))
                        .pos(Pos::new(HPos::Left, VPos::Center)),
                    false => TextStyle::from(font).pos(Pos::new(HPos::Center, VPos::Top)),
                };
                area.draw(&Text::new(name.clone(), (left, top + 8), style))?;
            }
            let middle = (LEFT + (WIDTH - LEFT) / 2) as i32;
            let bottom = (HEIGHT + names - MARGIN) as i32;
            let style = TextStyle::from(("sans-serif", 14).into_font())
                .pos(Pos::new(HPos::Center, VPos::Bottom));
            area.draw(&Text::new(self.x.clone(), (middle, bottom), style))?;
        }
        for (row, left, line) in legend {
            let (left, middle) = (*left as i32, (row * LEGEND + LEGEND / 2) as i32);
            let stroke = [(left, middle), (left + 18, middle)];
            let point = (left + 9, middle);
            match line.pattern() {
                _ if line.published => {}
                Some((dash, gap)) => {
                    let dashed = DashedPathElement::new(stroke, dash, gap, line.stroke());
                    legend_area.draw(&dashed)?;
                }
                None => legend_area.draw(&PathElement::new(stroke, line.stroke()))?,
            }
            if line.published && line.shape().is_empty() {
                let cross = Cross::new(point, 4, line.rgb().stroke_width(2));
                legend_area.draw(&cross)?;
            } else if line.published || self.bars && !line.shape().is_empty() {
                line.draw_shape(&legend_area, point)?;
            }
            let style = TextStyle::from(("sans-serif", 13).into_font())
                .pos(Pos::new(HPos::Left, VPos::Center));
            legend_area.draw(&Text::new(line.name.clone(), (left + 24, middle), style))?;
        }
        area.present()
    }
}

/// A number at an axis, without zeros behind the point.
fn number(value: &f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

/// Place of a mark beside a point and above lines through it, to the right of all marks that are there already.
fn beside((x, y): (i32, i32), marks: &mut Vec<(i32, i32)>) -> (i32, i32) {
    /// Size of two stars, and the way from a point to its mark.
    const MARK: (i32, i32) = (19, 12);
    const WAY: (i32, i32) = (6, -6);
    let (mut left, top) = (x + WAY.0, y + WAY.1);
    while marks
        .iter()
        .any(|mark| (mark.0 - left).abs() < MARK.0 && (mark.1 - top).abs() < MARK.1)
    {
        left += MARK.0;
    }
    marks.push((left, top));
    (left, top)
}

fn longest(names: &[String]) -> u32 {
    let lengths = names.iter().map(|name| letters(name));
    lengths.max().unwrap_or(0)
}

/// Length of a text in Latin letters of names, of which those of East Asia take one and a half.
fn letters(text: &str) -> u32 {
    let (all, wide) = (text.chars().count(), wide_letters(text));
    (all + wide.div_ceil(2)) as u32
}

/// Number of the letters of East Asia.
fn wide_letters(text: &str) -> usize {
    let is_wide = |letter: &char| {
        matches!(
            letter,
            '\u{1100}'..='\u{115f}'
                | '\u{2e80}'..='\u{a4cf}'
                | '\u{ac00}'..='\u{d7a3}'
                | '\u{f900}'..='\u{faff}'
                | '\u{ff00}'..='\u{ff60}'
        )
    };
    text.chars().filter(is_wide).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::pdf;

    #[test]
    fn letters_of_east_asia_take_more_room() {
        assert_eq!(
            ["players", "合議", "k合議制", "√3 − 1"].map(letters),
            [7, 3, 6, 6]
        );
    }

    #[test]
    fn a_long_title_has_smaller_letters() {
        let size = |letters: usize| {
            let plot = Plot {
                title: "n".repeat(letters),
                x: String::new(),
                axis: PlotAxis::Numbers,
                y: String::new(),
                lines: Vec::new(),
                level: None,
                bars: false,
            };
            plot.title_size()
        };
        assert_eq!([size(0), size(90)], [20.0, 20.0]);
        assert!((size(186) - 10.0).abs() < 0.05, "{}", size(186));
    }

    #[test]
    fn lines_of_one_colour_differ_in_pattern_and_shape() {
        let figure = |colour: usize, (joined, bars, published): (bool, bool, bool)| {
            let plot = Plot {
                title: String::new(),
                x: String::new(),
                axis: PlotAxis::Numbers,
                y: String::new(),
                lines: vec![PlotLine {
                    name: "a line".to_owned(),
                    points: [1.0, 2.0, 3.0].map(|x| PlotPoint::new(x, x * x)).into(),
                    colour,
                    joined,
                    published,
                }],
                level: None,
                bars,
            };
            plot.svg()
        };
        for kind in [
            (true, false, false),
            (false, true, false),
            (true, true, false),
            (false, false, true),
            (true, true, true),
        ] {
            let figures = (0..4).map(|round| figure(7 * round + 2, kind));
            let figures: Vec<String> = figures.collect();
            for (round, svg) in figures.iter().enumerate() {
                assert!(svg.ends_with("</svg>\n"), "{svg}");
                for other in &figures[..round] {
                    assert_ne!(svg, other, "{kind:?}, round {round}");
                    assert_ne!(pdf(svg), pdf(other), "{kind:?}, round {round}");
                }
            }
        }
        // Three squares, and one in the legend.
        let svg = figure(9, (true, true, false));
        assert_eq!(svg.matches("<polygon").count(), 4, "{svg}");
        assert!(!svg.contains("<circle"), "{svg}");
        let svg = figure(2, (true, true, false));
        assert_eq!(svg.matches("<polygon").count(), 0, "{svg}");
        assert!(svg.contains("<circle"), "{svg}");
    }

    #[test]
    fn marks_stand_beside_their_points_and_not_on_each_other() {
        let mut marks = Vec::new();
        let places = [(10, 10), (10, 12), (10, 40), (12, 18)];
        let places = places.map(|place| beside(place, &mut marks));
        assert_eq!(places, [(16, 4), (35, 6), (16, 34), (56, 12)]);

        let point = |stars| PlotPoint {
            stars,
            ..PlotPoint::new(1.0, 60.0)
        };
        let svg = |stars| {
            let plot = Plot {
                title: String::new(),
                x: String::new(),
                axis: PlotAxis::Names(vec!["1".to_owned()]),
                y: String::new(),
                lines: vec![PlotLine {
                    name: String::new(),
                    points: vec![point(stars)],
                    colour: 0,
                    joined: false,
                    published: false,
                }],
                level: None,
                bars: true,
            };
            plot.svg()
        };
        assert!(!svg(Stars::None).contains('*'));
        assert!(svg(Stars::Two).contains("\n**\n"), "{}", svg(Stars::Two));
    }

    #[test]
    fn numbers_at_an_axis_have_no_needless_zeros() {
        let numbers = [50.0, 0.1 + 0.2, -0.0, 100_000.0, -2.5].map(|value| number(&value));
        assert_eq!(numbers, ["50", "0.3", "0", "100000", "-2.5"]);
    }
}
