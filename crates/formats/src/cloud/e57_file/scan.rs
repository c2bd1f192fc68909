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
    pub(super) fn place(&self, values: &[RecordValue]) -> Result<Option<[f64; 3]>, Problem> {
        let in_scan = match self.valid(self.cartesian.as_ref(), values)? {
            Some(place) => Some(place),
            None => {
                self.valid(self.spherical.as_ref(), values)?
                    .map(|[range, azimuth, elevation]| {
                        let flat = range * elevation.cos();
                        [
                            flat * azimuth.cos(),
                            flat * azimuth.sin(),
                            range * elevation.sin(),
                        ]
                    })
            }
        };
        Ok(in_scan.map(|place| (self.file_from_scan * Point3::from(place)).into()))
    }

    /// The values of three columns, where they say a place.
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
        let mut place = [0.0; 3];
        for (number, &column) in place.iter_mut().zip(columns) {
            let type_of = &self.scan.prototype[column].data_type;
            *number = values[column].to_f64(type_of).map_err(wrong)?;
        }
        Ok(Some(place))
    }
}
