//! Where a node of a taxonomy over numbers ends, if its method was given the ends: the points of the finest piece
//! that holds all its values, and not these values. A piece at the margin ends where the domain does.

use crate::postgres::datum::Type;
use crate::postgres::line::Line;
use pgrx::pg_sys::Datum;
use topdown::taxonomy::numeric::Widths;

/// The pieces that values were put into.
pub enum Pieces {
    /// By breakpoints, each level's ascending with their texts; the level with the most first.
    Points(Vec<Vec<(f64, String)>>),
    /// By equal widths.
    Widths(Widths),
    /// By the values themselves.
    None,
}

impl Pieces {
    /// By the breakpoints of some levels.
    pub fn points(mut levels: Vec<Vec<(f64, String)>>) -> Pieces {
        for points in &mut levels {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points.dedup_by(|a, b| a.0 == b.0);
        }
        levels.sort_by_key(|points| std::cmp::Reverse(points.len()));
        Pieces::Points(levels)
    }

    /// The ends of the narrowest piece that holds the values from one place to another, none at a margin; nothing
    /// where no piece does, or where there is no text for an end.
    pub fn around(&self, ty: Type, first: f64, last: f64) -> Option<[Option<String>; 2]> {
        match self {
            Pieces::None => None,
            Pieces::Points(levels) => levels.iter().find_map(|points| {
                let piece = |x: f64| points.partition_point(|(point, _)| *point <= x);
                let (from, to) = (piece(first), piece(last));
                let text = |point: usize| points.get(point).map(|(_, text)| text.clone());
                (from == to).then(|| [from.checked_sub(1).and_then(text), text(from)])
            }),
            Pieces::Widths(widths) => {
                let [from, to] = widths.enclosing_piece(first, last)?;
                let text = |end: Option<f64>| end.map_or(Some(None), |end| Some(Some(text(ty, end)?)));
                Some([text(from)?, text(to)?])
            }
        }
    }
}

/// What a place on the line is called: of whole numbers, days, microseconds and cents the first that is not below it.
fn text(ty: Type, place: f64) -> Option<String> {
    Some(match ty.line()? {
        Line::Int2 | Line::Int4 | Line::Int8 => (place.ceil() + 0.0).to_string(),
        Line::Float4 | Line::Float8 | Line::Numeric => (place + 0.0).to_string(),
        Line::Date => ty.text(Datum::from(place.ceil() as i32)),
        Line::Timestamp | Line::TimestampTz | Line::Time | Line::Money => {
            ty.text(Datum::from(place.ceil() as i64))
        }
        Line::TimeTz | Line::Interval => return None,
    })
}
