//! Leaves: balls around triangles, and tiles that blanket the large ones.

use clearance_proof::geometry::enclosing_ball::Ball;
use nalgebra::{Point3, Unit, Vector2, Vector3};

use crate::error::{MethodError, unsupported};

/// A triangle or a piece of one, with its ball.
#[derive(Debug, Clone)]
pub(super) struct Tile {
    pub(super) triangle: u32,
    /// Corners of the piece.
    pub(super) corners: Vec<Point3<f64>>,
    pub(super) ball: Ball,
    /// How much farther than its corners its ball reaches, metres: tiles overlap, so that neither
    /// rounding nor the borders between them leave anything out.
    pub(super) slack: f64,
}

/// Share of the largest radius by which tiles overlap.
const OVERLAP: f64 = 1.0 / 256.0;

/// Most tiles of all shapes together: half a gigabyte or so.
const MOST: f64 = 4e6;

impl Tile {
    /// A whole triangle.
    pub(super) fn whole(triangle: u32, corners: &[Vector3<f64>; 3]) -> Self {
        let corners = corners.map(Point3::from).to_vec();
        let ball = Ball::around(&corners);
        Tile {
            triangle,
            corners,
            ball,
            slack: 0.0,
        }
    }

    /// A piece of a triangle.
    fn piece(triangle: u32, corners: Vec<Point3<f64>>, slack: f64) -> Self {
        let ball = Ball::around(&corners);
        Tile {
            triangle,
            corners,
            ball: Ball {
                radius: ball.radius + slack,
                ..ball
            },
            slack,
        }
    }
}

/// Radius up to which a triangle is left whole, and of the balls around the pieces of others,
/// before they overlap.
fn inner(radius: f64) -> f64 {
    radius - radius * OVERLAP
}

/// About how many tiles these triangles take; those that stay whole are not counted.
pub(super) fn expected<'t>(
    triangles: impl Iterator<Item = &'t [Vector3<f64>; 3]>,
    radius: f64,
) -> f64 {
    triangles
        .filter(|corners| Ball::around(&corners.map(Point3::from)).radius > inner(radius))
        .map(|corners| TriangleGrid::new(corners, inner(radius)).expected())
        .sum()
}

/// Refuses a radius that is none, or takes too many tiles, with one that does not.
pub(super) fn affordable(expected: impl Fn(f64) -> f64, radius: f64) -> Result<(), MethodError> {
    if !(radius > 0.0 && radius < f64::INFINITY) {
        return unsupported(format!(
            "a leaf radius of {radius} m covers nothing; give a length above 0"
        ));
    }
    let taken = expected(radius);
    if taken <= MOST {
        return Ok(());
    }
    // The number of tiles falls with the square of the radius at most.
    let mut enough = radius * (taken / MOST).sqrt() * 1.05;
    while expected(enough) > MOST {
        enough *= 1.25;
    }
    unsupported(format!(
        "triangles tiled by spheres of {} mm radius take about {taken:.1e} of them, and {MOST:.0e} is the most: \
         `--leaf-radius {:.3}mm` fits",
        radius * 1e3,
        enough * 1e3
    ))
}

/// All triangles, those that do not fit into a ball of that radius in pieces that do.
pub(super) fn tiles(
    triangles: &[[Vector3<f64>; 3]],
    radius: f64,
) -> Result<Vec<Tile>, MethodError> {
    affordable(|radius| expected(triangles.iter(), radius), radius)?;
    let slack = radius * OVERLAP;
    let mut tiles = Vec::with_capacity(triangles.len());
    for (t, corners) in (0u32..).zip(triangles) {
        let tile = Tile::whole(t, corners);
        if tile.ball.radius > inner(radius) {
            let blanket = TriangleGrid::new(corners, inner(radius));
            blanket.pieces(|corners| tiles.push(Tile::piece(t, corners, slack)));
        } else {
            tiles.push(tile);
        }
    }
    Ok(tiles)
}

/// Rows of rectangles over a triangle, along its longest edge.
struct TriangleGrid {
    origin: Vector3<f64>,
    /// Unit vectors along the longest edge, and across it towards the third corner.
    along: Vector3<f64>,
    across: Vector3<f64>,
    /// Corners in these axes, seen from the origin.
    corners: [Vector2<f64>; 3],
    height: f64,
    rows: usize,
    /// Largest width of a rectangle of a row.
    width: f64,
}

impl TriangleGrid {
    /// `radius`: of the balls around the rectangles.
    fn new(triangle: &[Vector3<f64>; 3], radius: f64) -> Self {
        let length = |k: usize| (triangle[(k + 1) % 3] - triangle[k]).norm();
        let lengths = [length(0), length(1), length(2)];
        let k = (0..3).fold(
            0,
            |best, k| if lengths[k] > lengths[best] { k } else { best },
        );
        let origin = triangle[k];
        let along = (triangle[(k + 1) % 3] - origin) / lengths[k];
        let third = triangle[(k + 2) % 3] - origin;
        let across = third - along * along.dot(&third);
        // A triangle in a line has no across of its own: any will do.
        let across = Unit::try_new(across, 1e-14 * lengths[k])
            .map_or_else(|| perpendicular(&along), Unit::into_inner);
        // Once more, because rounding tilts what little was left.
        let across = (across - along * along.dot(&across)).normalize();
        let flat = |p: Vector3<f64>| Vector2::new(along.dot(&p), across.dot(&p));
        let height = flat(third).y.max(0.0);
        // Squares where there is room for some; flat triangles get longer rectangles.
        let rows = (height / (radius * std::f64::consts::SQRT_2))
            .ceil()
            .max(1.0);
        let row = height / rows;
        TriangleGrid {
            origin,
            along,
            across,
            corners: [0, 1, 2].map(|i| flat(triangle[i] - origin)),
            height,
            rows: rows as usize,
            width: (4.0 * radius * radius - row * row).sqrt(),
        }
    }

    /// About how many pieces there will be; at least one a row.
    fn expected(&self) -> f64 {
        let longest = self.corners.iter().map(|c| c.x).fold(0.0, f64::max);
        self.rows as f64 * (1.0 + longest / self.width / 2.0)
    }

    /// The pieces of the triangle, one for each rectangle; together they are the triangle.
    fn pieces(&self, mut found: impl FnMut(Vec<Point3<f64>>)) {
        let place =
            |p: &Vector2<f64>| Point3::from(self.origin + self.along * p.x + self.across * p.y);
        let at = |share: f64, low: f64, high: f64| low + (high - low) * share;
        for row in 0..self.rows {
            let edge = |k: usize| at(k as f64 / self.rows as f64, 0.0, self.height);
            let strip = between(
                &self.corners,
                1,
                edge(row),
                edge(row + 1),
                [row == 0, row + 1 == self.rows],
            );
            let xs = || strip.iter().map(|p| p.x);
            let (low, high) = (
                xs().fold(f64::INFINITY, f64::min),
                xs().fold(f64::NEG_INFINITY, f64::max),
            );
            let columns = ((high - low) / self.width).ceil().max(1.0) as usize;
            for column in 0..columns {
                let edge = |k: usize| at(k as f64 / columns as f64, low, high);
                let piece = between(
                    &strip,
                    0,
                    edge(column),
                    edge(column + 1),
                    [column == 0, column + 1 == columns],
                );
                if !piece.is_empty() {
                    found(piece.iter().map(place).collect());
                }
            }
        }
    }
}

/// Some unit vector across `u`.
fn perpendicular(u: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[u.iamin()] = 1.0;
    u.cross(&axis).normalize()
}

/// The part of a convex polygon between two values of a coordinate; `open` ends are not cut at all,
/// so that rounding cuts nothing off there.
fn between(
    polygon: &[Vector2<f64>],
    axis: usize,
    low: f64,
    high: f64,
    open: [bool; 2],
) -> Vec<Vector2<f64>> {
    let mut rest = polygon.to_vec();
    if !open[0] {
        rest = clipped(&rest, |p| p[axis] - low);
    }
    if !open[1] {
        rest = clipped(&rest, |p| high - p[axis]);
    }
    rest
}

/// The part of a convex polygon where a linear function is not negative.
fn clipped(polygon: &[Vector2<f64>], inside: impl Fn(&Vector2<f64>) -> f64) -> Vec<Vector2<f64>> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, here) in polygon.iter().enumerate() {
        let next = &polygon[(k + 1) % polygon.len()];
        let (f, g) = (inside(here), inside(next));
        if f >= 0.0 {
            kept.push(*here);
        }
        if (f > 0.0 && g < 0.0) || (f < 0.0 && g > 0.0) {
            kept.push(here + (next - here) * (f / (f - g)));
        }
    }
    kept
}
