//! The pictures of a report, as SVG. They are drawn in two colours, which the page's style replaces by those of
//! its own, light or dark.

use crate::postgres::error::{Result, SqlError};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::fmt::Display;
use std::ops::Range;

const SIZE: (u32, u32) = (640, 240);

/// What is drawn, and what it is drawn on.
const INK: RGBColor = BLACK;
const MARK: RGBColor = RGBColor(0x1b, 0x6c, 0xa8);

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn fault(error: impl Display) -> SqlError {
    SqlError::internal(format!("a picture cannot be drawn: {error}"))
}

/// Whether there can be ticks along an axis: they are set at even distances, which there have to be.
fn has_ticks(axis: &Range<f64>) -> bool {
    let length = axis.end - axis.start;
    length.is_finite() && length > axis.start.abs().max(axis.end.abs()) * 1e-9
}

/// A picture of two axes and what is drawn between them; none where these have no ticks.
fn picture(
    x: Range<f64>,
    y: Range<f64>,
    draw: impl FnOnce(&mut Chart) -> Result<()>,
) -> Result<Option<String>> {
    if !has_ticks(&x) || !has_ticks(&y) {
        return Ok(None);
    }
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(x, y)
            .map_err(fault)?;
        draw(&mut chart)?;
        area.present().map_err(fault)?;
    }
    Ok(Some(svg))
}

/// How many groups there are of each size. A bar begins at k, where no group is smaller, else at the smallest size, each further one
/// at twice the size of the one before; it stands between what is said of where it begins and where the next would.
pub fn group_sizes(sizes: &[(u64, u64)], k: Option<u64>, counted: &str) -> Result<Option<String>> {
    let first = k.or(sizes.first().map(|&(size, _)| size)).unwrap_or(1).max(1);
    let bar = |size: u64| (size / first).max(1).ilog2() as usize;
    let mut bars = vec![0u64; sizes.last().map_or(1, |&(size, _)| bar(size) + 1)];
    sizes.iter().for_each(|&(size, groups)| bars[bar(size)] += groups);
    let most = bars.iter().copied().max().unwrap_or(0).max(1);
    picture(0.0..bars.len() as f64, 0.0..most as f64 * 1.05, |chart| {
        let begins = |x: &f64| {
            let at = x.round().max(0.0);
            let size = short(first as f64 * at.exp2());
            if at == 0.0 && k.is_some() {
                format!("k = {size}")
            } else {
                size
            }
        };
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .x_labels((bars.len() + 1).min(12))
            .x_label_formatter(&begins)
            .x_desc(format!("{counted} in a group"))
            .y_desc("groups")
            .y_label_formatter(&|y| short(*y))
            .draw()
            .map_err(fault)?;
        let drawn = |(at, &groups): (usize, &u64)| {
            Rectangle::new([(at as f64, 0.0), (at as f64 + 0.9, groups as f64)], MARK.filled())
        };
        chart.draw_series(bars.iter().enumerate().map(drawn)).map_err(fault)?;
        Ok(())
    })
}

/// A line through points.
pub fn line(points: &[(f64, f64)], x: &str, y: &str) -> Result<Option<String>> {
    let span = |of: fn(&(f64, f64)) -> f64| {
        let finite = points.iter().map(of).filter(|v| v.is_finite());
        let (least, most) = finite.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        if least < most {
            least..most
        } else {
            least.min(0.0)..least.max(0.0) + 1.0
        }
    };
    picture(span(|p| p.0), span(|p| p.1), |chart| {
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(x)
            .y_desc(y)
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .draw()
            .map_err(fault)?;
        // No more than there are places for, the last among them.
        let every = points.len().div_ceil(SIZE.0 as usize).max(1);
        let drawn = points.iter().rev().step_by(every).copied();
        let drawn = drawn.filter(|(x, y)| x.is_finite() && y.is_finite());
        chart.draw_series(LineSeries::new(drawn, MARK.stroke_width(2))).map_err(fault)?;
        Ok(())
    })
}

/// Intervals over their axis, as high as rows lie in a unit of it.
pub fn intervals(axis: &[(f64, f64, i64)]) -> Result<Option<String>> {
    let (least, most) =
        axis.iter().fold((f64::MAX, f64::MIN), |(a, b), (lower, upper, _)| (a.min(*lower), b.max(*upper)));
    let height = |(lower, upper, rows): &(f64, f64, i64)| *rows as f64 / (upper - lower);
    let highest = axis.iter().map(height).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    picture(least..most, 0.0..highest * 1.05, |chart| {
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .y_desc("rows a unit")
            .draw()
            .map_err(fault)?;
        let styles: [ShapeStyle; 2] = [MARK.mix(0.5).filled(), INK.stroke_width(1)];
        for style in styles {
            let drawn = |interval: &(f64, f64, i64)| {
                Rectangle::new([(interval.0, 0.0), (interval.1, height(interval))], style)
            };
            chart.draw_series(axis.iter().map(drawn)).map_err(fault)?;
        }
        Ok(())
    })
}

/// A number beside an axis.
fn short(n: f64) -> String {
    let (scaled, unit) = match n.abs() {
        m if m >= 1e9 => (n / 1e9, "G"),
        m if m >= 1e6 => (n / 1e6, "M"),
        m if m >= 1e4 => (n / 1e3, "k"),
        _ => (n, ""),
    };
    let text = format!("{scaled:.3}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}
