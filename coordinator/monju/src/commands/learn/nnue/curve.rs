//! The losses of a training, as a table and as a curve.

use anyhow::{Context, anyhow};
use plotters::prelude::*;

/// What one epoch came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Counted from 1.
    pub number: u64,
    /// Mean loss on the positions learned from, while they were learned from.
    pub learning: f64,
    /// Mean loss afterwards on those held out.
    pub held_out: f64,
}

const HEAD: &str = "# epoch\tloss\tloss on held-out games";

impl Epoch {
    /// One line an epoch, below a head.
    pub fn table(epochs: &[Self]) -> String {
        let rows = epochs.iter().map(|epoch| {
            let Self {
                number,
                learning,
                held_out,
            } = epoch;
            format!("{number}\t{learning}\t{held_out}\n")
        });
        std::iter::once(format!("{HEAD}\n")).chain(rows).collect()
    }

    /// Reads what [`Epoch::table`] writes.
    ///
    /// # Errors
    /// A line is none.
    pub fn parse_all(text: &str) -> anyhow::Result<Vec<Self>> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(Self::parse).collect()
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let mut fields = line.split('\t');
        let mut field = || fields.next().context("expected three fields in a line");
        Ok(Self {
            number: field()?.parse()?,
            learning: field()?.parse()?,
            held_out: field()?.parse()?,
        })
    }
}

/// An SVG of the losses.
///
/// # Errors
/// The drawing library refuses.
pub fn draw(epochs: &[Epoch]) -> anyhow::Result<String> {
    let mut svg = String::new();
    plot(epochs, &mut svg).map_err(|error| anyhow!("cannot draw the loss curve: {error}"))?;
    Ok(svg)
}

fn plot(epochs: &[Epoch], svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let losses = epochs
        .iter()
        .flat_map(|epoch| [epoch.learning, epoch.held_out]);
    let most = losses.fold(f64::EPSILON, f64::max);
    let last = epochs.last().map_or(1, |epoch| epoch.number);
    let root = SVGBackend::with_string(svg, (800, 450)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("loss a position", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(60)
        .build_cartesian_2d(0..last, 0.0..most * 1.05)?;
    chart.configure_mesh().x_desc("epoch").draw()?;
    let learning = epochs.iter().map(|epoch| (epoch.number, epoch.learning));
    chart
        .draw_series(LineSeries::new(learning, RED))?
        .label("learned from")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], RED));
    let held_out = epochs.iter().map(|epoch| (epoch.number, epoch.held_out));
    chart
        .draw_series(LineSeries::new(held_out, BLUE))?
        .label("held out")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], BLUE));
    chart.configure_series_labels().border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_read_as_they_were_written_and_drawn() {
        let epochs = [1, 2].map(|number| Epoch {
            number,
            learning: 0.1 / number as f64,
            held_out: 0.2 / number as f64,
        });
        assert_eq!(Epoch::parse_all(&Epoch::table(&epochs)).unwrap(), epochs);
        assert!(Epoch::parse_all("1\t0.5\n").is_err());
        for epochs in [&epochs[..1], &epochs] {
            let svg = draw(epochs).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("held out"));
        }
    }
}
