//! Welded meshes that somebody keeps for files that were read before: proved of the bytes of the
//! file, so that nothing has to be believed of who keeps them.
//!
//! Only binary STL is worth it. Its corners are not shared, so that reading it is mostly finding
//! out which are the same.

use std::fmt::Debug;

use clearance_proof::geometry::mesh::Mesh;

use super::{LoadedMesh, checks, stl};

/// Bytes of a file below which reading it is as quick as fetching what is kept.
const LEAST: usize = 1 << 20;

/// What reading a file gave.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptMesh {
    /// As it was read, not scaled.
    pub mesh: Mesh,
    /// How many of its triangles are degenerate: only a note says so.
    pub degenerate: u64,
}

/// Who keeps meshes. What is kept may be anything: it is proved before it is used.
pub trait KeptMeshes: Debug + Send + Sync {
    /// The mesh that is kept for a file of these bytes.
    fn get(&self, bytes: &[u8]) -> Option<KeptMesh>;
    /// Keeps what reading a file of these bytes gave.
    fn put(&self, bytes: &[u8], mesh: &Mesh, degenerate: u64);
}

/// Whether meshes of such files are kept.
pub(super) fn is_worth_it(bytes: &[u8]) -> bool {
    bytes.len() >= LEAST && stl::is_binary(bytes)
}

impl KeptMesh {
    /// The mesh, if it is what reading these bytes gives: the same triangles in the same order, on
    /// corners that are all different, in the order of their first use.
    ///
    /// One thing is not proved: that there were no seams to be closed (nothing is kept of files
    /// that have some). Without the slivers across them a mesh counts as open, which is said and is
    /// not clear.
    pub(super) fn proved(self, bytes: &[u8]) -> Option<LoadedMesh> {
        let Mesh {
            vertices,
            triangles,
        } = &self.mesh;
        let records = stl::records(bytes);
        if triangles.len() != records.len() || triangles.is_empty() {
            return None;
        }
        let bits = |x: f64| (x + 0.0).to_bits();
        let mut seen = 0;
        for (corners, places) in triangles.iter().zip(records) {
            for (&corner, place) in corners.iter().zip(&places) {
                seen += u32::from(corner == seen);
                let known = vertices.get(corner as usize)?;
                let same = (0..3).all(|k| known[k].to_bits() == bits(place[k]));
                if corner >= seen || !same {
                    return None;
                }
            }
        }
        let finite = |v: &nalgebra::Point3<f64>| v.iter().all(|x| x.is_finite());
        if seen as usize != vertices.len()
            || !vertices.iter().all(finite)
            || !self.mesh.corners_differ()
        {
            return None;
        }
        let degenerate = usize::try_from(self.degenerate).ok()?;
        Some(LoadedMesh {
            mesh: self.mesh,
            notes: checks::degenerate_note(degenerate).into_iter().collect(),
            up_axis: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Mutex;

    use clearance_proof::geometry::made::torus;
    use nalgebra::{Point3, Vector3};

    use super::*;
    use crate::mesh::{UpAxisRule, load_kept, parse};

    /// Keeps one mesh, whatever the file.
    #[derive(Debug, Default)]
    struct One(Mutex<Option<KeptMesh>>);

    impl KeptMeshes for One {
        fn get(&self, _: &[u8]) -> Option<KeptMesh> {
            self.0.lock().unwrap().clone()
        }

        fn put(&self, _: &[u8], mesh: &Mesh, degenerate: u64) {
            *self.0.lock().unwrap() = Some(KeptMesh {
                mesh: mesh.clone(),
                degenerate,
            });
        }
    }

    /// A binary STL of a mesh, in single precision.
    fn stl_of(mesh: &Mesh) -> Vec<u8> {
        let mut bytes = vec![0; 80];
        bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
        for t in 0..mesh.triangles.len() {
            bytes.extend([0; 12]);
            let corners = mesh.corners(t);
            let numbers = corners.iter().flat_map(|p| p.iter().copied());
            bytes.extend(numbers.flat_map(|x| (x as f32).to_le_bytes()));
            bytes.extend([0, 0]);
        }
        bytes
    }

    fn proved(kept: &KeptMesh, bytes: &[u8]) -> Option<LoadedMesh> {
        kept.clone().proved(bytes)
    }

    /// Catches: a kept mesh that is believed though it is not the file's, or is not welded.
    #[test]
    fn only_what_reading_the_file_gives_is_proved() {
        let mut torus = torus(5);
        torus.triangles.push([0, 0, 3]);
        let bytes = stl_of(&torus);
        let read = parse(&bytes, Path::new("a.stl")).unwrap();
        let kept = KeptMesh {
            mesh: read.mesh.clone(),
            degenerate: 1,
        };
        assert_eq!(proved(&kept, &bytes), Some(read));
        // Another file: any byte of any corner, a triangle more or less.
        for at in 84..bytes.len() {
            let corner = (12..48).contains(&((at - 84) % 50));
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_eq!(proved(&kept, &other).is_none(), corner, "byte {at}");
        }
        assert!(proved(&kept, &stl_of(&Mesh::default())).is_none());
        type Change = fn(&mut Mesh);
        let changes: [(&str, Change); 8] = [
            ("a corner elsewhere", |m| m.vertices[3].z += 1e-9),
            ("a triangle turned round", |m| m.triangles[7].swap(0, 1)),
            ("a triangle less", |m| {
                m.triangles.pop();
            }),
            ("a triangle twice", |m| m.triangles.push(m.triangles[0])),
            ("an index out of range", |m| m.triangles[9][2] = u32::MAX),
            ("a corner that nobody uses", |m| {
                m.vertices.push(Point3::new(9.0, 9.0, 9.0));
            }),
            ("a corner twice", |m| {
                let twice = m.vertices.len() as u32;
                let last = m.triangles.len() - 1;
                m.vertices.push(m.vertices[m.triangles[last][2] as usize]);
                m.triangles[last][2] = twice;
            }),
            ("corners in another order", |m| {
                m.vertices.swap(0, 1);
                for v in m.triangles.as_flattened_mut() {
                    *v = [1, 0].get(*v as usize).copied().unwrap_or(*v);
                }
            }),
        ];
        for (what, change) in changes {
            let mut forged = kept.clone();
            change(&mut forged.mesh);
            assert!(proved(&forged, &bytes).is_none(), "{what}");
        }
    }

    /// Catches: a kept mesh that hides what is wrong with a file; answers that depend on what is
    /// kept.
    #[test]
    fn files_are_read_as_without() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.stl");
        let mesh = torus(120);
        let bytes = stl_of(&mesh);
        assert!(is_worth_it(&bytes), "{} bytes", bytes.len());
        std::fs::write(&file, &bytes).unwrap();
        let one = One::default();
        let scale = Vector3::new(0.001, -0.001, 0.001);
        let load = |kept| load_kept(&file, scale, UpAxisRule::Apply, kept);
        let plain = load(None).unwrap();
        for _ in 0..2 {
            assert_eq!(load(Some(&one)).unwrap(), plain);
            assert!(one.0.lock().unwrap().is_some());
        }
        // Not believed, and put right.
        let truth = one.get(&bytes);
        one.0.lock().unwrap().as_mut().unwrap().mesh.triangles[5].swap(1, 2);
        assert_eq!(load(Some(&one)).unwrap(), plain);
        assert_eq!(one.get(&bytes), truth);
        // One number of the file changed, and one that is none.
        for number in [1.0f32, f32::NAN] {
            let mut other = bytes.clone();
            other[84 + 50 * 7 + 16..][..4].copy_from_slice(&number.to_le_bytes());
            std::fs::write(&file, &other).unwrap();
            let said = |kept| load(kept).map_err(|e| e.to_string());
            assert_eq!(said(Some(&one)), said(None));
            assert_eq!(said(None).is_err(), number.is_nan());
        }
        // Small files are read.
        let few = One::default();
        std::fs::write(&file, stl_of(&torus(10))).unwrap();
        load(Some(&few)).unwrap();
        assert!(few.0.lock().unwrap().is_none());
    }

    /// Nothing is kept of a file whose seams were closed: it would count as open the next time.
    #[test]
    fn closed_seams_are_closed_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.stl");
        let mesh = torus(120);
        let mut bytes = stl_of(&mesh);
        // The first corner of one triangle, off by one rounding.
        let at = 84 + 50 * 100 + 12;
        let x = f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        bytes[at..at + 4].copy_from_slice(&x.next_up().to_le_bytes());
        std::fs::write(&file, &bytes).unwrap();
        let one = One::default();
        for _ in 0..2 {
            let loaded = load_kept(&file, Vector3::repeat(1.0), UpAxisRule::Apply, Some(&one));
            let notes = loaded.unwrap().notes;
            assert!(notes[0].starts_with("seams of 1 piece"), "{notes:?}");
            assert!(one.0.lock().unwrap().is_none());
        }
    }
}
