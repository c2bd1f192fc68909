//! The places of a scan out of its raw values. The crate has a reader that makes points of them, but
//! it fails where a packet holds no whole point.

use e57::{PointCloud, RecordName, RecordValue};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};

use crate::Problem;
use crate::cloud::damaged;

/// The values of a scan that say where its points are.
pub(super) struct ScanColumns<'s> {
    scan: &'s PointCloud,
    cartesian: Option<Coordinates>,
    spherical: Option<Coordinates>,
    file_from_scan: Isometry3<f64>,
}

/// Three columns, and the one that says whether they are a place.
struct Coordinates {
    columns: [usize; 3],
    state: Option<usize>,
}

/// Cartesian and spherical coordinates of a point agree within this many metres and this share of
/// its range: they are rounded, the angles most.
const SAME_M: f64 = 1e-3;
const SAME_SHARE: f64 = 1e-4;

/// Values of a column of states: only a direction is known, or nothing.
const VALID: i64 = 0;
const DIRECTION: i64 = 1;
const INVALID: i64 = 2;

impl<'s> ScanColumns<'s> {
    pub(super) fn of(scan: &'s PointCloud) -> Self {
        let column = |name: RecordName| scan.prototype.iter().position(|r| r.name == name);
        let coordinates = |names: [RecordName; 3], state: RecordName| {
            let [a, b, c] = names.map(column);
            Some(Coordinates {
                columns: [a?, b?, c?],
                state: column(state),
            })
        };
        let cartesian = coordinates(
            [
                RecordName::CartesianX,
                RecordName::CartesianY,
                RecordName::CartesianZ,
            ],
            RecordName::CartesianInvalidState,
        );
        let spherical = coordinates(
            [
                RecordName::SphericalRange,
                RecordName::SphericalAzimuth,
                RecordName::SphericalElevation,
            ],
            RecordName::SphericalInvalidState,
        );
        let pose = scan.transform.clone().unwrap_or_default();
        let (q, t) = (pose.rotation, pose.translation);
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z));
        Self {
            scan,
            cartesian,
            spherical,
            file_from_scan: Isometry3::from_parts(Translation3::new(t.x, t.y, t.z), turn),
        }
    }

    /// Whether there are columns of places at all.
    pub(super) fn are_there(&self) -> bool {
        self.cartesian.is_some() || self.spherical.is_some()
    }

    /// The place of a point in the frame of the file. A ray that came back from nowhere has none.
    pub(super) fn point(&self, values: &[RecordValue]) -> Result<Option<[f64; 3]>, Problem> {
        let cartesian = self.valid(self.cartesian.as_ref(), values)?;
        let spherical = self.valid(self.spherical.as_ref(), values)?;
        let spherical = spherical.map(|[range, azimuth, elevation]| {
            let flat = range * elevation.cos();
            Point3::new(
                flat * azimuth.cos(),
                flat * azimuth.sin(),
                range * elevation.sin(),
            )
        });
        let cartesian = cartesian.map(Point3::from);
        if let (Some(a), Some(b)) = (cartesian, spherical) {
            let distance = (a - b).norm();
            // Written so that NaN is refused too.
            let agree = distance <= SAME_M + SAME_SHARE * a.coords.norm();
            if !agree {
                return Err(Problem::Geometry {
                    cause: format!(
                        "a point has Cartesian and spherical coordinates, and they are {distance:.3} m apart"
                    ),
                    remedy: "export the file with Cartesian coordinates alone".to_owned(),
                });
            }
        }
        let Some(in_scan) = cartesian.or(spherical) else {
            return Ok(None);
        };
        let point = self.file_from_scan * in_scan;
        if !point.iter().all(|x| x.is_finite()) {
            return Err(damaged("the pose of a scan puts a point nowhere"));
        }
        Ok(Some(point.into()))
    }

    /// The values of three columns, where they say a place: not where the scanner wrote no number.
    fn valid(
        &self,
        coordinates: Option<&Coordinates>,
        values: &[RecordValue],
    ) -> Result<Option<[f64; 3]>, Problem> {
        let Some(Coordinates { columns, state }) = coordinates else {
            return Ok(None);
        };
        let wrong = |error: e57::Error| damaged(error.to_string().replace('\n', " "));
        if let Some(column) = *state {
            let type_of = &self.scan.prototype[column].data_type;
            match values[column].to_i64(type_of).map_err(wrong)? {
                VALID => {}
                DIRECTION | INVALID => return Ok(None),
                other => {
                    let cause = format!("a point is marked with {other}, which has no meaning");
                    return Err(damaged(cause));
                }
            }
        }
        let mut point = [0.0; 3];
        for (number, &column) in point.iter_mut().zip(columns) {
            let type_of = &self.scan.prototype[column].data_type;
            let value = &values[column];
            *number = value.to_f64(type_of).map_err(wrong)?;
            let is_whole = matches!(
                value,
                RecordValue::ScaledInteger(_) | RecordValue::Integer(_)
            );
            if is_whole && !number.is_finite() {
                return Err(damaged("the scale of a scan makes no number of a value"));
            }
        }
        Ok(point.iter().all(|x| x.is_finite()).then_some(point))
    }
}
