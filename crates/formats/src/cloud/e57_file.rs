//! E57: metres, several scans, each with its pose. The crate checks the checksum of every page.

mod counted;
mod elements;
mod scan;
#[cfg(test)]
mod tests;

use std::io::Cursor;

use e57::{E57Reader, PointCloud, RecordDataType};

use self::scan::ScanColumns;
use super::{PointsInFile, damaged};
use crate::Problem;

/// How far from 1 the length of a quaternion may be.
const UNIT_SLACK: f64 = 1e-6;

pub(super) fn read(bytes: &[u8]) -> Result<PointsInFile, Problem> {
    let problem = |error: e57::Error| damaged(error.to_string().replace('\n', " "));
    let mut file = E57Reader::new(Cursor::new(bytes)).map_err(problem)?;
    elements::have_one_meaning(file.xml())?;
    let page = file.header().page_size;
    let mut all = PointsInFile::default();
    for scan in file.pointclouds() {
        let columns = ScanColumns::of(&scan);
        usable(&scan, &columns)?;
        counted::agree(bytes, page, &scan)?;
        for values in file.pointcloud_raw(&scan).map_err(problem)? {
            match columns.point(&values.map_err(problem)?)? {
                Some(point) => all.add(point),
                None => all.invalid += 1,
            }
        }
    }
    Ok(all)
}

/// Refuses what the reader would take in another way than it is meant, or not end with.
fn usable(scan: &PointCloud, columns: &ScanColumns) -> Result<(), Problem> {
    if let Some(pose) = &scan.transform {
        let q = &pose.rotation;
        let length = (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z).sqrt();
        // Written so that NaN is refused too.
        if (length - 1.0).abs().partial_cmp(&UNIT_SLACK) != Some(std::cmp::Ordering::Less) {
            return Err(damaged(format!(
                "the pose of a scan has a quaternion of length {length}"
            )));
        }
        let t = &pose.translation;
        if ![t.x, t.y, t.z].iter().all(|x| x.is_finite()) {
            return Err(damaged(
                "the pose of a scan has a translation that is no place",
            ));
        }
    }
    for record in &scan.prototype {
        if let RecordDataType::ScaledInteger { scale, offset, .. } = record.data_type
            && !(scale.is_finite() && scale != 0.0 && offset.is_finite())
        {
            return Err(damaged(format!(
                "a scan has values with the scale {scale} and the offset {offset}"
            )));
        }
    }
    if !columns.are_there() {
        return Err(Problem::Unsupported {
            what: "a scan without x, y, z and without range, azimuth and elevation".to_owned(),
            remedy: "export it with Cartesian coordinates".to_owned(),
        });
    }
    // Values that need no bits are there without end.
    let varies = scan.prototype.iter().any(|record| match record.data_type {
        RecordDataType::Single { .. } | RecordDataType::Double { .. } => true,
        RecordDataType::ScaledInteger { min, max, .. } | RecordDataType::Integer { min, max } => {
            min < max
        }
    });
    if !varies {
        return Err(damaged("all points of a scan are the same by definition"));
    }
    Ok(())
}
