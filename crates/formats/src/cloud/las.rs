//! LAS 1.0 to 1.4: a header, then records of one length that begin with x, y, z as whole numbers.
//!
//! All points count, also those that are marked as noise or withheld: nobody knows here whether
//! they are right.

mod units;

use super::{PointsInFile, damaged};
use crate::Problem;

/// The shortest header there is (LAS 1.0 to 1.2), and the shortest record.
const LEAST_HEADER: usize = 227;
const LEAST_RECORD: usize = 20;
/// Where LAS 1.4 counts the points.
const COUNT_1_4: usize = 247;

/// So many bytes at an offset.
fn at<const N: usize>(bytes: &[u8], offset: usize) -> Result<[u8; N], Problem> {
    let found = bytes.get(offset..).and_then(|rest| rest.first_chunk());
    found.copied().ok_or_else(|| damaged("the file ends early"))
}

/// Reads the points, in the unit of the file: one of so many metres, as the cell states it.
pub(super) fn read(bytes: &[u8], metres: f64) -> Result<PointsInFile, Problem> {
    if !bytes.starts_with(b"LASF") {
        return Err(Problem::Syntax {
            cause: "this is not a LAS file: it does not begin with LASF".to_owned(),
            remedy: "name one, or give the file the extension that it should have".to_owned(),
        });
    }
    let [major, minor] = at(bytes, 24)?;
    let header = usize::from(u16::from_le_bytes(at(bytes, 94)?));
    let data = u32::from_le_bytes(at(bytes, 96)?) as usize;
    let [format] = at(bytes, 104)?;
    let length = usize::from(u16::from_le_bytes(at(bytes, 105)?));
    if major != 1 || minor > 4 {
        return Err(Problem::Unsupported {
            what: format!("LAS {major}.{minor}"),
            remedy: "save it as LAS 1.2 or 1.4".to_owned(),
        });
    }
    if format >= 64 {
        return Err(Problem::Unsupported {
            what: "a compressed LAS file (LAZ)".to_owned(),
            remedy: "unpack it: `laszip -i scan.laz -o scan.las`".to_owned(),
        });
    }
    if header < LEAST_HEADER || data < header || length < LEAST_RECORD {
        return Err(damaged("its header contradicts itself"));
    }
    let old = u64::from(u32::from_le_bytes(at(bytes, 107)?));
    let count = match minor {
        4 => match u64::from_le_bytes(at(bytes, COUNT_1_4)?) {
            0 => old,
            new if old == 0 || old == new => new,
            new => {
                return Err(damaged(format!(
                    "its header counts {new} points, and {old} in the older way"
                )));
            }
        },
        _ => old,
    };
    let mut axes = [[0.0; 2]; 3];
    for (k, axis) in axes.iter_mut().enumerate() {
        let scale = f64::from_le_bytes(at(bytes, 131 + 8 * k)?);
        let offset = f64::from_le_bytes(at(bytes, 155 + 8 * k)?);
        if !scale.is_finite() || scale == 0.0 || !offset.is_finite() {
            return Err(damaged(
                "a scale or an offset of its header is not a number to use",
            ));
        }
        *axis = [scale, offset];
    }
    units::agree(bytes, metres)?;
    // What comes behind the points is said in the header; else all of it is points.
    let stated = |offset: usize| at(bytes, offset).map(u64::from_le_bytes);
    let behind = match minor {
        3 => stated(227)?,
        4 => [stated(227)?, stated(235)?]
            .into_iter()
            .filter(|&x| x > 0)
            .min()
            .unwrap_or(0),
        _ => 0,
    };
    let end = usize::try_from(behind)
        .ok()
        .filter(|&end| (1..bytes.len()).contains(&end));
    let records = bytes
        .get(data..end.unwrap_or(bytes.len()))
        .unwrap_or_default();
    let there = (records.len() / length) as u64;
    if there != count {
        return Err(damaged(format!(
            "its header counts {count} points, but there is room for {there}"
        )));
    }
    let mut points = PointsInFile::with_room(count as usize);
    for record in records.chunks_exact(length).take(count as usize) {
        let mut point = [0.0; 3];
        for (k, [scale, offset]) in axes.iter().enumerate() {
            point[k] = f64::from(i32::from_le_bytes(at(record, 4 * k)?)) * scale + offset;
        }
        if !point.iter().all(|x| x.is_finite()) {
            return Err(damaged(
                "with the scales of its header a point has too large a number",
            ));
        }
        points.add(point);
    }
    Ok(points)
}
